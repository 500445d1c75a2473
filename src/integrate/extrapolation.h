/* extrapolation.h: the half-explicit Euler method for index 2, extrapolated (Lubich 1991; Lubich,
   Nowak, Poehle and Engstler 1992, MEXX).

   A step H is taken with n_j = j Euler steps of h = H/n_j, j = 1, 2, ...,

       p1 = p0 + h Z v0,   r1 = r0 + h b,   M(p0) (v1 - v0)/h = f(p0, v0) - W(p0)^T l,
       0 = gI(p1, v1), 0 = hv(p1, v1)      one linear system with M, W at p0 and W at p1,

   whose errors have an expansion in powers of h for consistent (p0, v0). Aitken and Neville's
   recursion removes one power with every row: T_jj has the order j. The end of the step moves onto
   all constraints. */
#ifndef DFL_EXTRAPOLATION_H
#define DFL_EXTRAPOLATION_H

#include "integrate/stepper.h"

enum { DFL_EXTRAPOLATION_ROWS = 12 };

/* A table of extrapolated states; only the last row is kept. */
typedef struct dfl_neville {
    double *T[DFL_EXTRAPOLATION_ROWS]; /* n each: T[0] = T_jj, T[1] = T_(j,j-1), ... */
    int n[DFL_EXTRAPOLATION_ROWS];     /* steps of each row */
    int rows;
} dfl_neville;

/* What continuous output needs of a step; n each. */
typedef struct dfl_step_inside {
    double *x_old, *x_end, *rate_old, *rate_end; /* of the ends */
    double *x[2], *rate[2];                      /* of both thirds */
    double *A, *B, *before;                      /* coefficients; A of the pass before */
    double t, h;
    bool prepared;   /* the thirds are evaluated, ... */
    bool has_thirds; /* ... which may fail */
} dfl_step_inside;

/* All data are behind one pointer: continuous output evaluates points of the last step. */
typedef struct dfl_extrapolation_work {
    dfl_ode *ode;
    dfl_outcome trouble;    /* at the start; the first attempt reports it */
    double weakest;         /* of the constraints, at the start */
    dfl_point stage, after; /* the ends of an Euler step */
    double *rate;           /* n */
    double *target;         /* nc */
    dfl_neville end;
    int columns;  /* rows that the next step aims at */
    int last_row; /* that the last attempt computed */
    double size[DFL_EXTRAPOLATION_ROWS + 1],
        cost[DFL_EXTRAPOLATION_ROWS + 1]; /* proposed steps, and
                                                         evaluations per time, of each row */
    dfl_step_inside last, trial;          /* the last accepted step, and the present one */
} dfl_extrapolation_work;

typedef struct dfl_extrapolation {
    dfl_stepper base;
    dfl_extrapolation_work *work;
} dfl_extrapolation;

extern const dfl_stepper_class dfl_extrapolation_class;

/* Adds row `rows`, with one Euler step more than the last one, to the table (euler_rows.c). */
dfl_outcome dfl_extrapolation_row(dfl_extrapolation *ex, double H);

/* Adds a state to a table (first..n): a new row with `steps` steps. */
void dfl_neville_add(dfl_neville *table, const double *x, int steps, int first, int n);

/* A step seen from inside (step_inside.c): from `here` to `next`; and an upper bound of the error
   of its polynomial in the norm of the tolerances, what the last pass has changed, and a part of
   its last term. */
bool dfl_inside_init(dfl_step_inside *in, const dfl_system *sys);
void dfl_inside_clear(dfl_step_inside *in, dfl_context *ctx);
void dfl_inside_note(dfl_step_inside *in, const dfl_extrapolation *ex, double h);
double dfl_inside_error(dfl_step_inside *in, dfl_extrapolation *ex);
void dfl_inside_interpolate(double *x, const dfl_stepper *st, double t);

#endif
