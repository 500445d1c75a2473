/* radau.h: Radau IIA: one accepted step at a time. */
#ifndef DFL_RADAU_H
#define DFL_RADAU_H

#include "formulation/formulation.h"
#include "integrate/coefficients.h"
#include "integrate/control.h"
#include "integrate/norm.h"

/* What the choice of the order remembers (order.c). */
typedef struct dfl_order {
    bool automatic;
    int steps;      /* accepted with this order */
    int wait;       /* so many before it may be raised */
    int rejections; /* in a row */
    double rate;    /* of Newton's iteration over the last steps */
} dfl_order;

typedef struct dfl_radau {
    dfl_system *sys;
    dfl_formulation *form;
    const dfl_solver_options *options;
    dfl_scale scale;
    dfl_controller control;
    const dfl_coefficients *rk; /* the method of the present order */
    int max_stages;             /* that the options allow */
    dfl_order order;

    double t;             /* of the last accepted point */
    dfl_point here, next; /* the last accepted point and a candidate, evaluated */
    dfl_point stage[DFL_RADAU_STAGES];
    double h;             /* proposed step, signed */
    double t_old, h_cont; /* the last step ... */
    const dfl_coefficients *rk_cont;
    bool have_cont;
    double *cont, *x_end;      /* ... its Z and its end: the collocation polynomial */
    double *Z, *Z0, *W, *rows; /* lanes */
    double *dW, *dZ;           /* Newton's increments of W and, with many stages, of Z */
    double *XP, *YP;           /* lanes of x' and of T^-1 x' */
    double ratio, P[DFL_RADAU_STAGES * DFL_LANES]; /* the polynomial's continuation, h/h_cont */
    double Lambda[DFL_RADAU_STAGES * DFL_LANES];   /* (1/h_factored) T^-1 A^-1 T */
    double *x_ref, *a_ref, *err, *y;

    double faccon, theta; /* Newton's memory */
    bool need_matrix;     /* new derivatives are needed */
    bool matrix_at_start; /* they belong to the start of a step: of this one, or ... */
    bool matrix_old;      /* ... of an earlier one and were kept: renewed when an attempt fails */
    int kept;             /* steps that the matrix has served already */
    double h_factored;    /* step size of E; 0: none */
    bool rejected;        /* the last attempt was rejected */
    int singular_in_row;
    double *flip; /* nc x nc and workspace of the eigenvalues */
    int flip_work;
    int flips;     /* how many directions of the constraints vanished in the last step ... */
    double t_flip; /* ... and when */
    double h_flip, t_beyond; /* the step that first showed it, and its end */
    double drift;            /* of W since the last decomposition */
    bool undetermined;       /* forces depend on redundant multipliers */
    int violated;            /* a row that turned out not to be redundant, or -1 */
} dfl_radau;

/* The most stages that a method allowed by the options has. */
int dfl_radau_max_stages(const dfl_solver_options *options);

dfl_status dfl_radau_init(dfl_radau *ra, dfl_system *sys, dfl_formulation *form,
                          const dfl_solver_options *options);
void dfl_radau_bind(dfl_radau *ra);
void dfl_radau_clear(dfl_radau *ra);

/* Starts at the evaluated point `here` with the proposed step h (0: an estimate when it is aimed). */
void dfl_radau_start(dfl_radau *ra, double h);

/* Turns the proposed step towards t_end, which may lie before the present time. */
void dfl_radau_aim(dfl_radau *ra, double t_end);

/* Takes one accepted step that does not go beyond t_end. `attempts_left` bounds the attempts.
   On failure the last accepted point stays as it was. */
dfl_status dfl_radau_step(dfl_radau *ra, double t_end, long *attempts_left);

/* x(t) inside the last step; n values. */
void dfl_radau_interpolate(double *x, const dfl_radau *ra, double t);

#endif
