/* implicit.h: what implicit integrators have in common: a matrix that serves several steps, the
   simplified Newton iteration, the error test, and what happens when one of them fails. */
#ifndef DFL_IMPLICIT_H
#define DFL_IMPLICIT_H

#include "integrate/stepper.h"

/* The operations of an implicit integrator, whose attempt is dfl_implicit_attempt. */
typedef struct dfl_implicit_class {
    bool at_end; /* all rows belong to the end of the step, where `reference` is */

    /* Newton's iterations at most. */
    int (*iterations)(const dfl_stepper *st);

    /* Starting values for a step of size h; also to go back to them. */
    void (*predict)(dfl_stepper *st, double h);

    /* After a new matrix: removes from the present iterate what redundant constraints leave
       undetermined. */
    void (*settle)(dfl_stepper *st, double h);

    /* x_ref, a_ref: at the predicted point that the options choose, or at the present iterate;
       returns its time. */
    double (*reference)(dfl_stepper *st, double h, bool predicted);

    /* Factors E for the step size h. */
    dfl_outcome (*factor)(dfl_stepper *st, double h);

    /* One iteration: adds the increment, unless it is not finite. *square: the square of its
       size. */
    dfl_outcome (*iterate)(double *square, dfl_stepper *st, double h);

    /* Takes the last increment back, up to rounding; `settle` follows. */
    void (*retract)(dfl_stepper *st);

    /* The estimated error of the step; its limit is 1. `refine`: a second estimate is
       worthwhile. */
    dfl_outcome (*error)(double *err, dfl_stepper *st, double h, bool refine);

    /* Derivatives by parameters of the step are known, too: *err includes theirs, perhaps as they
       ask for another order. NULL: nothing else is to be done. */
    void (*followed)(double *err, dfl_stepper *st);

    /* The next step size, and perhaps order: after a step was accepted, perhaps after rejections;
       after its error was too large. `failed` changes the order alone, after Newton failed. */
    double (*accepted)(dfl_stepper *st, double h, double err, bool after_rejection);
    double (*rejected)(dfl_stepper *st, double h, double err);
    void (*failed)(dfl_stepper *st);
} dfl_implicit_class;

/* Newton's memory: allocates it, resets it at a start, and releases it. */
dfl_status dfl_implicit_init(dfl_stepper *st);
void dfl_implicit_start(dfl_stepper *st);
void dfl_implicit_clear(dfl_stepper *st);

dfl_attempt dfl_implicit_attempt(dfl_stepper *st, double h, double *h_next);

/* Parts of an attempt: predicts and solves the equations of a step of size h (*reduce: the proposed
   change of the step size if that fails); and handles a failure. */
dfl_outcome dfl_implicit_solve(dfl_stepper *st, double h, double *reduce);
dfl_attempt dfl_implicit_failed(dfl_stepper *st, double h, dfl_outcome outcome, double reduce);

/* Why Newton's increment is not finite, from the evaluated stages. */
dfl_outcome dfl_implicit_nonfinite(dfl_stepper *st, const dfl_point *stages, int count);

#endif
