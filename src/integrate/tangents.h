/* tangents.h: derivatives of a trajectory by parameters; between the files of it. */
#ifndef DFL_TANGENTS_H
#define DFL_TANGENTS_H

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
    double moved; /* the largest part of derivatives by which a start was moved */
    dfl_lstsq *lstsq;
    double *work; /* for it */
};

/* Everything at a point whose t and x are set, with the derivatives `by` parameters or time; not with these if
   slopes is NULL. rates (nv): v' in place of the accelerations, or NULL. */
dfl_outcome dfl_tangents_linearize(dfl_point *stage, dfl_rows_jacobian *jac, dfl_jacobian *slopes,
                                   dfl_tangents *tan, dfl_jacobian_fn by, const double *rates);

/* v' at stage k of a step of size h with the increments Z, in workspace; NULL: accelerations serve. Along massless
   directions, M K0 = 0, there are no accelerations, but M changes the faster the faster v is. */
const double *dfl_tangents_stage_rates(dfl_tangents *tan, const dfl_coefficients *rk, double h,
                                       const double *Z, int k);

/* Writes the derivatives at stage k to Y and A. */
void dfl_tangents_keep(double *Y, double *A, dfl_tangents *tan, int k, int column);

#endif
