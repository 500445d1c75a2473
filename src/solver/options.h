/* options.h: defaults and ranges of the solver's options. */
#ifndef DFL_OPTIONS_H
#define DFL_OPTIONS_H
#include <driftless/solver.h>

/* Fills in the defaults and checks the ranges. No default is written anywhere else. */
dfl_status dfl_options_resolve(dfl_solver_options *out, dfl_context *ctx, const dfl_eom *eom,
                               const dfl_solver_options *in);
#endif
