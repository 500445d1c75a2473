/* tangents.h: derivatives of a trajectory by parameters; between the files of it. */
#ifndef DFL_TANGENTS_H
#define DFL_TANGENTS_H

#include "integrate/history.h"
#include "integrate/linear_step.h"
#include "integrate/radau.h"
#include "linalg/linalg.h"

struct dfl_tangents {
    dfl_parameters parameters;
    dfl_system *sys;
    int count, stages;
    bool uncontrolled; /* steps are chosen for the state alone */
    struct {
        const dfl_coefficients *rk;
        double t, h;             /* its start and size; h = 0: none */
    } step;                      /* the one whose derivatives are in `next` */
    double *next, *next_A;       /* n x count, nv x count: at its end */
    double *polynomial;          /* count times n lanes: Z, increments over the step */
    dfl_point start;             /* where it begins ... */
    dfl_rows_jacobian start_jac; /* ... with all derivatives, for the error */
    dfl_jacobian start_slopes;
    bool start_known;                  /* they are those at start.t, in the present branches */
    double *y, *err;                   /* n each */
    double *Y, *Y_old;                 /* n x count; before the last step */
    double *A;                         /* nv x count: of accelerations */
    double *level;                     /* (ne + nep) x count: of the invariants' values */
    dfl_point stage[DFL_RADAU_STAGES]; /* of the step ... */
    dfl_rows_jacobian jac[DFL_RADAU_STAGES]; /* ... with all derivatives */
    dfl_jacobian slopes[DFL_RADAU_STAGES];
    dfl_point tangent[DFL_RADAU_STAGES]; /* of one parameter */
    dfl_linear_step linear;              /* the step */
    struct {
        dfl_history differences; /* of Y, all columns in one vector */
        double *y0, *yp0,
            *e;     /* n x count: the prediction, its slope, and how far from it the step ended */
        bool added; /* the last step is among the differences */
    } past;         /* of methods that remember earlier steps (tangents_past.c) */
    double moved;   /* the largest part of derivatives by which a start was moved */
    dfl_lstsq *lstsq;
    double *work; /* for it */
};

/* Everything at a point whose t and x are set, with the derivatives `by` parameters or time; not
   with these if slopes is NULL. rates (nv): v' in place of the accelerations, or NULL. */
dfl_outcome dfl_tangents_linearize(dfl_point *stage, dfl_rows_jacobian *jac, dfl_jacobian *slopes,
                                   dfl_tangents *tan, dfl_jacobian_fn by, const double *rates);

/* The same at stage k, with the selectors of the formulation, whose tangents the parameters then
   act on. */
dfl_outcome dfl_tangents_linearize_stage(dfl_tangents *tan, int k, const double *rates);

/* All at the present point, from where a step begins. */
dfl_outcome dfl_tangents_linearize_start(dfl_tangents *tan, const dfl_stepper *st);

/* The derivatives of the stages of the linear step that begins with `from` (n x count), and of its
   end. */
void dfl_tangents_follow(dfl_tangents *tan, const double *from);

/* The size of an error (n) of derivatives; 1: the tolerance. */
double dfl_tangents_error_size(const dfl_tangents *tan, const dfl_stepper *st, int column,
                               const double *error);

/* tangents_past.c: dfl_tangents_attempt and dfl_tangents_accept of methods that remember earlier
   steps; their memory. */
dfl_status dfl_tangents_past_init(dfl_tangents *tan);
void dfl_tangents_past_clear(dfl_tangents *tan);
dfl_outcome dfl_tangents_past_attempt(dfl_tangents *tan, dfl_stepper *st, double h);
void dfl_tangents_past_accept(dfl_tangents *tan, const dfl_stepper *st, double t);

/* v' at stage k of a step of size h with the increments Z, in workspace; NULL: accelerations serve.
   Along massless directions, M K0 = 0, there are no accelerations, but M changes the faster the
   faster v is. */
const double *dfl_tangents_stage_rates(dfl_tangents *tan, const dfl_coefficients *rk, double h,
                                       const double *Z, int k);

/* Writes the derivatives at stage k to Y and A. */
void dfl_tangents_keep(double *Y, double *A, dfl_tangents *tan, int k, int column);

#endif
