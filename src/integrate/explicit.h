/* explicit.h: explicit Runge-Kutta methods for right-hand sides y' = F(t, y), and a half-explicit
   one for index 2.

   They share the loop of attempts, the error test, the end of a step and the continuous output; a
   method is a table of coefficients and a function that computes the stages. All data are behind
   one pointer, since continuous output may have to evaluate further stages of the last step. */
#ifndef DFL_EXPLICIT_H
#define DFL_EXPLICIT_H

#include "integrate/stepper.h"
#include "integrate/tableau.h"

extern const dfl_stepper_class dfl_explicit_pair_class, dfl_half_explicit_class;

typedef struct dfl_explicit_work {
    const dfl_tableau *rk;
    dfl_ode *ode;           /* the formulation's */
    dfl_outcome trouble;    /* at the start; the first attempt reports it */
    bool begun;             /* rates of the first stage and local coordinates are there, ... */
    double t_begun;         /* ... of this time */
    dfl_point stage, after; /* the present stage; half-explicit: the next one */
    double *K[DFL_TABLEAU_STAGES],
        *X[DFL_TABLEAU_STAGES]; /* rates and states of the stages, n each */
    double *K_last[DFL_TABLEAU_STAGES], *X_last[DFL_TABLEAU_STAGES]; /* of the last accepted step */
    double *x_old, *x_end;                                           /* its ends */
    double t_old, h_last;                                            /* its beginning and size */
    double *dense[DFL_TABLEAU_POWER]; /* its polynomial, n each ... */
    bool dense_ready;                 /* ... which is computed on demand */
    double weakest;                   /* of the constraints, at the start */
    double *e;                        /* n: a second error estimate */
    double *target;                   /* nc: of constraints that a stage satisfies */
} dfl_explicit_work;

/* The integrator: a stepper whose data may change behind a constant pointer. */
typedef struct dfl_explicit {
    dfl_stepper base;
    dfl_explicit_work *work;
} dfl_explicit;

/* Computes all stages of a step of size h, the end of the step in base.next, evaluated and
   complete, and its error; its limit is 1. With fixed steps *err need not be set. */
typedef dfl_outcome (*dfl_stages_fn)(double *err, dfl_explicit *ex, double h);

/* The class's operations, and an attempt with the given stages. */
dfl_status dfl_explicit_init(dfl_stepper *st, const dfl_tableau *rk);
void dfl_explicit_bind(dfl_stepper *st);
void dfl_explicit_clear(dfl_stepper *st);
void dfl_explicit_start(dfl_stepper *st);
dfl_attempt dfl_explicit_attempt(dfl_stepper *st, double h, double *h_next, dfl_stages_fn stages);
void dfl_explicit_store(dfl_stepper *st, double h);
void dfl_explicit_interpolate(double *x, const dfl_stepper *st, double t);
int dfl_explicit_nodes(double *node, const dfl_stepper *st);
int dfl_explicit_lanes(const dfl_solver_options *options);

/* Decomposes W at the end of a step, for the watch on singular positions; `at_start` is the
   smallest over the largest singular value there. And what follows a failed attempt. */
dfl_outcome dfl_explicit_watch(dfl_stepper *st, double at_start);
dfl_attempt dfl_explicit_failed(dfl_stepper *st, double h, dfl_outcome outcome);

/* x[first..last) = x0 + h sum_{j < count} weight_j K_j */
void dfl_explicit_combine(double *x, const double *x0, double h, int count, const double *weight,
                          double *const *K, int first, int last);

#endif
