/* options.h: defaults and ranges of the solver's options. */
#ifndef DFL_OPTIONS_H
#define DFL_OPTIONS_H
#include <driftless/solver.h>

/* Fills in the defaults and checks the ranges. No default is written anywhere else. */
dfl_status dfl_options_resolve(dfl_solver_options *out, dfl_context *ctx, const dfl_eom *eom,
                               const dfl_solver_options *in);
/* DFL_INVALID: a form that makes no sense with an integrator, with the reason. */
dfl_status dfl_combination_check(dfl_context *ctx, dfl_form form, dfl_integrator integrator);

/* DFL_INVALID: a form that makes no sense for the model, with the reason. */
dfl_status dfl_form_check(dfl_context *ctx, const dfl_solver_options *options, const dfl_eom *eom);

#endif
