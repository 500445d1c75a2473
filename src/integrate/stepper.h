/* stepper.h: what an integrator is made of.

   An integrator is a struct that begins with a dfl_stepper (integrate.h), and a table of
   operations. stepper.c contains its life, the loop of attempts and the end of a step; implicit.c
   the matrix, Newton's iteration and the error test of implicit integrators. */
#ifndef DFL_STEPPER_H
#define DFL_STEPPER_H

#include "integrate/contact_watch.h"
#include "integrate/integrate.h"
#include "integrate/norm.h"
#include "integrate/pulses.h"
#include "integrate/step_control.h"

/* The result of an attempt. */
typedef enum dfl_attempt {
    DFL_ATTEMPT_ACCEPTED,
    DFL_ATTEMPT_REJECTED, /* st->h is smaller now, or the attempt is to be repeated differently */
    DFL_ATTEMPT_HOPELESS  /* st->sys->trouble says why */
} dfl_attempt;

/* The operations of an integrator. */
typedef struct dfl_stepper_class {
    size_t size; /* of its struct */

    /* What it needs of the formulation; `stages` returns the largest number of stages. */
    int (*stages)(const dfl_solver_options *options);
    bool right_hand_side, two_points;

    /* Workspace, laid out again after each dfl_system_decide; the common part is ready. clear also
       frees what init left after a failure. */
    dfl_status (*init)(dfl_stepper *st);
    void (*bind)(dfl_stepper *st);
    void (*clear)(dfl_stepper *st);

    /* At the evaluated point `here`: forgets all earlier steps; sets order, degree, tolerances and
       the controller. */
    void (*start)(dfl_stepper *st);
    /* The same with the order of the last step; NULL means start. */
    void (*resume)(dfl_stepper *st);
    /* After start: begins with this order, which it has had before; NULL: with that of a start. */
    void (*use_order)(dfl_stepper *st, int order);

    /* Attempts a step of size h and calls dfl_stepper_complete if it is good. Accepted: *h_next is
       the proposed next step. */
    dfl_attempt (*attempt)(dfl_stepper *st, double h, double *h_next);

    /* Called by dfl_stepper_complete. candidate writes the end of the step to `next`, not yet
       evaluated (NULL if the integrator calls dfl_stepper_accept). store, before `next` becomes
       `here`, keeps what interpolation needs and sets order and degree. */
    void (*candidate)(dfl_stepper *st, double h);
    void (*store)(dfl_stepper *st, double h);

    /* x(t) inside the last step, of which there is one; n values. */
    void (*interpolate)(double *x, const dfl_stepper *st, double t);

    /* Writes where the next step evaluates the equations besides its ends, as parts of it (at most
       DFL_PULSE_NODES), and returns their number; NULL means nowhere. */
    int (*nodes)(double *node, const dfl_stepper *st);

    const struct dfl_implicit_class *implicit; /* more operations (implicit.h), or NULL */

    /* A step depends on several earlier ones: they must go in one direction, with sizes that change
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
    double h_factored;     /* step size of the factored matrix; 0: none */
    double h_proven; /* the largest step that shows what derivatives behind a switch are worth */
} dfl_newton;

/* What a step is watched for, and why the last attempt failed. */
typedef struct dfl_failure_watch {
    int singular_in_row; /* attempts that failed with a singular matrix */
    int flips;           /* how many directions of the constraints vanished in the last step ... */
    double t_flip;       /* ... and when */
    double h_flip, t_beyond; /* the step that first showed it, and its end */
    double drift;            /* of W since the last decomposition */
    bool undetermined;       /* forces depend on redundant multipliers */
    int violated;            /* a row that turned out not to be redundant, or -1 */
    bool chart_left;         /* the last step left the chart of its coordinates, or may have, ... */
    double t_chart;          /* ... at this time */
    bool passage_noted;      /* a step over the end of a chart that goes on */
    double h_chart, t_behind; /* the step that first showed it, and its end */
    double excess;            /* of the last increment of a fixed step that did not converge, over
                                Newton's tolerance; 0: it converged ... */
    int iterations;           /* ... and their number */
} dfl_failure_watch;

typedef struct dfl_stepper_parts {
    dfl_scale scale;
    dfl_controller control;
    dfl_newton newton;
    dfl_failure_watch watch;
    dfl_pulses pulses;
    dfl_contact_watch contact;
} dfl_stepper_parts;

/* Evaluates the end of the step and makes it the present point. Otherwise the attempt failed, with
   this outcome. */
dfl_outcome dfl_stepper_complete(dfl_stepper *st, double h);

/* The same for an end of the step that is evaluated in `next`. */
dfl_outcome dfl_stepper_accept(dfl_stepper *st, double h);

/* Whether nothing can be done about a failed attempt: then it is DFL_ATTEMPT_HOPELESS. */
bool dfl_stepper_hopeless(dfl_stepper *st, dfl_outcome outcome);

#endif
