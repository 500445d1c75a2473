/* stepper.h: one accepted step at a time: what all integrators have in common, and what the solver may
   call.

   An integrator is a struct that begins with a dfl_stepper, and a table of operations. stepper.c has the
   life, the loop of attempts and the end of a step; implicit.c the matrix, Newton's iteration and the
   error test of the implicit ones. */
#ifndef DFL_STEPPER_H
#define DFL_STEPPER_H

#include "formulation/formulation.h"
#include "integrate/control.h"
#include "integrate/norm.h"

typedef struct dfl_stepper dfl_stepper;

/* What an attempt ended with. */
typedef enum dfl_attempt {
    DFL_ATTEMPT_ACCEPTED,
    DFL_ATTEMPT_REJECTED, /* st->h is smaller now, or the attempt is to be repeated differently */
    DFL_ATTEMPT_HOPELESS  /* st->sys->trouble says why */
} dfl_attempt;

/* The operations of an integrator. */
typedef struct dfl_stepper_class {
    size_t size; /* of its struct */

    /* What it needs of the formulation; `stages` is the largest number of them. */
    int (*stages)(const dfl_solver_options *options);
    bool right_hand_side, two_points;

    /* Workspace, laid out again after each dfl_system_decide; the common part is ready. clear takes what
       init left after a failure. */
    dfl_status (*init)(dfl_stepper *st);
    void (*bind)(dfl_stepper *st);
    void (*clear)(dfl_stepper *st);

    /* At the evaluated point `here`: forgets all earlier steps; sets order, degree, tolerances and the
       controller. */
    void (*start)(dfl_stepper *st);

    /* Attempts a step of size h and calls dfl_stepper_complete when it is good. Accepted: *h_next is
       the proposed next step. */
    dfl_attempt (*attempt)(dfl_stepper *st, double h, double *h_next);

    /* dfl_stepper_complete asks for the end of the step in `next`, not yet evaluated (NULL where an
       integrator calls dfl_stepper_accept); and, before `next` becomes `here`, to keep what
       interpolation needs and to set order and degree. */
    void (*candidate)(dfl_stepper *st, double h);
    void (*store)(dfl_stepper *st, double h);

    /* x(t) inside the last step, of which there is one; n values. */
    void (*interpolate)(double *x, const dfl_stepper *st, double t);

    const struct dfl_implicit_class *implicit; /* more operations (implicit.h), or NULL */

    /* A step depends on several before: they must go in one direction, with sizes that change
       gently, and the first one is short. */
    bool remembers;
} dfl_stepper_class;

/* Newton's memory, of an implicit integrator. */
typedef struct dfl_newton {
    double *x_ref, *a_ref; /* n, nv: the reference point of the matrix */
    double faccon, theta;  /* theta is the rate of convergence */
    bool need_matrix;      /* new derivatives are needed */
    bool at_start;         /* they belong to the start of a step: of this one, or ... */
    bool old;              /* ... of an earlier one and were kept: renewed when an attempt fails */
    int kept;              /* steps that the matrix has served already */
    double h_factored;     /* step size of E; 0: none */
} dfl_newton;

struct dfl_stepper {
    const dfl_stepper_class *class;
    dfl_system *sys;
    dfl_formulation *form;
    const dfl_solver_options *options;
    dfl_scale scale;
    dfl_controller control;

    double t;             /* of the last accepted point */
    dfl_point here, next; /* the last accepted point and a candidate, evaluated */
    dfl_point spare;      /* for the end of a step that is taken again */
    double h;             /* proposed step, signed */
    bool stepped;         /* a step was taken since the start */
    bool again;           /* the last one is taken once more, with another size */
    double t_old, h_old;  /* the last step */
    int order;            /* of the last step; before, of the first one */
    int degree;           /* of the polynomial that interpolates it */
    double *err;          /* n: the last error estimate */
    dfl_newton newton;

    bool rejected; /* the last attempt was rejected */
    int singular_in_row;
    int flips;     /* how many directions of the constraints vanished in the last step ... */
    double t_flip; /* ... and when */
    double h_flip, t_beyond; /* the step that first showed it, and its end */
    double drift;            /* of W since the last decomposition */
    bool undetermined;       /* forces depend on redundant multipliers */
    int violated;            /* a row that turned out not to be redundant, or -1 */
};

/* For the solver. */

/* Whether an integrator is explicit: it integrates the right-hand side of a form. */
bool dfl_integrator_is_explicit(dfl_integrator integrator);

/* What the integrator of the options needs of the formulation. */
dfl_integrator_needs dfl_stepper_needs(const dfl_solver_options *options);

/* Creates the integrator of the options. On failure *out is NULL. DFL_NO_MEMORY. */
dfl_status dfl_stepper_create(dfl_stepper **out, dfl_system *sys, dfl_formulation *form,
                              const dfl_solver_options *options);
void dfl_stepper_bind(dfl_stepper *st);
void dfl_stepper_free(dfl_stepper *st);

/* Starts at the evaluated point `here` with the proposed step h (0: an estimate when it is aimed). */
void dfl_stepper_start(dfl_stepper *st, double h);

/* Takes the last step once more from where it began, now to t_end, which lies in it; its polynomial predicts the stages.
   False: it is not accepted; the present point and the continuous output are as before. Not for methods that remember
   earlier steps. */
bool dfl_stepper_retake(dfl_stepper *st, double t_end);

/* Turns the proposed step towards t_end, which may lie before the present time. */
void dfl_stepper_aim(dfl_stepper *st, double t_end);

/* Takes one accepted step that does not go beyond t_end. `attempts_left` bounds the attempts.
   On failure the last accepted point stays as it was. */
dfl_status dfl_stepper_step(dfl_stepper *st, double t_end, long *attempts_left);

/* x(t) inside the last step; n values. */
void dfl_stepper_interpolate(double *x, const dfl_stepper *st, double t);

/* For integrators. */

/* x' (n) at an evaluated point: of r, v (where the accelerations are known) and p; zero for the others. */
void dfl_stepper_rates(double *xp, const dfl_stepper *st, const dfl_point *point);

/* Evaluates the end of the step and makes it the present point. Otherwise says why not: the attempt
   failed. */
dfl_outcome dfl_stepper_complete(dfl_stepper *st, double h);

/* The same for an end of the step that stands evaluated in `next`. */
dfl_outcome dfl_stepper_accept(dfl_stepper *st, double h);

/* Whether nothing can be done about a failed attempt: then it is DFL_ATTEMPT_HOPELESS. */
bool dfl_stepper_hopeless(dfl_stepper *st, dfl_outcome outcome);

#endif
