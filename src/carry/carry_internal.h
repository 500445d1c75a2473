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
    double rtol; /* of the present solver */
    unsigned full;
    dfl_tape *tape[DFL_CARRY_PROGRAMS];
    double *work[DFL_CARRY_PROGRAMS];
    dfl_spline *tables;
    dfl_graph graph; /* its tables alone */
    double *param, *input, *level, *branch;
    double *start; /* n: values of the next start ... */
    bool *held;    /* ... and those that stay */
    bool locked, changed, started;
    double *value, *noise, *slope, *before, *after, *unlocked, *scratch;
    dfl_bounds *bounds;
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
void dfl_carried_follow(dfl_carried_run *run, double t, const double *x);

/* carry_functions.c */
void dfl_carried_bounds(dfl_bounds *value, const dfl_carried_run *run, int program,
                        const dfl_bounds *t, const dfl_bounds *x);
void dfl_carried_noise(double *noise, const dfl_carried_run *run,
                       const dfl_carried_functions *functions, int slopes, double t,
                       const double *x, const double *tolerance);
double dfl_carried_rate(const dfl_carried_run *run, int which, double t, const double *x,
                        const double *rate);
void dfl_carried_listen(dfl_solver_options *options, dfl_carried_run *run);

/* carry_switches.c */
void dfl_carried_describe_switches(dfl_switch_options *out, dfl_carried_run *run);

#endif
