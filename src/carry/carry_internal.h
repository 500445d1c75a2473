/* carry_internal.h: one instance of a carried model. */
#ifndef DFL_CARRY_INTERNAL_H
#define DFL_CARRY_INTERNAL_H

#include "carry/carry.h"

#include "eom/eom.h"
#include "symbolic/symbolic.h"

struct dfl_carried_run {
    dfl_context *ctx;
    const dfl_carried *model;
    dfl_eom eom;
    dfl_solver *solver;
    dfl_solver *completer; /* of single states, for integrators outside; NULL: not yet needed */
    double *weight;        /* n: of the changes of its unknowns, or NULL */
    double rtol;           /* of the present solver */
    unsigned full;
    dfl_tape *tape[DFL_CARRY_PROGRAMS];
    double *work[DFL_CARRY_PROGRAMS];
    dfl_spline *tables;
    dfl_graph graph; /* its tables alone */
    double *param, *input, *level;
    dfl_branching branching;
    double *start; /* n: values of the next start ... */
    bool *held;    /* ... and those that stay */
    bool changed, started;
    double *slope, *scratch;
    dfl_bounds *bounds;
    double *tangent; /* registers of derivatives, or NULL: not yet needed */
    dfl_accelerations *motion;
    double *a, *balance;
    dfl_blocks blocks;
    dfl_carried_step_fn step;
    void *step_user;
    int stopped; /* the event that ended the run, or -1 */
};

void dfl_carried_prepare(dfl_carried_run *run);
void dfl_carried_evaluate(const dfl_carried_run *run, int program, double t, const double *x,
                          const double *a, double *const *out);
void dfl_carried_set_levels(dfl_carried_run *run, double t, const double *x);
/* v' at (t, x). */
const double *dfl_carried_accelerations(dfl_carried_run *run, double t, const double *x);

/* carry_functions.c */
void dfl_carried_bounds(dfl_bounds *value, const dfl_carried_run *run, int program,
                        const dfl_bounds *t, const dfl_bounds *x);
void dfl_carried_listen(dfl_solver_options *options, dfl_carried_run *run);
/* Branches and what happens at instants. */
dfl_status dfl_carried_create_branching(dfl_carried_run *run);

#endif
