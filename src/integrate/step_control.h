/* step_control.h: step-size control from error estimates, the same for every integrator. */
#ifndef DFL_STEP_CONTROL_H
#define DFL_STEP_CONTROL_H

#include <driftless/options.h>

typedef struct dfl_controller {
    double safety, min_factor, max_factor, max_step;
    bool predictive;
    double exponent;        /* of the error: 1/(order of the estimate + 1) */
    double h_old, root_old; /* of the last accepted step: size, 0: none; err^exponent ... */
    double least_root;      /* ... which is taken as at least this */
} dfl_controller;

void dfl_controller_init(dfl_controller *control, const dfl_solver_options *options, double order);

/* The next step size after an attempt of size h with error err (1 is the limit). */
double dfl_controller_rejected(const dfl_controller *control, double h, double err);
double dfl_controller_accepted(dfl_controller *control, double h, double err, bool after_rejection);

#endif
