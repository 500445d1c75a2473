/* oscillator.c: Arnold (2013), section 2.2 and figure 2: the mass m1 between two spring-dampers.
   The method is BDF in the manner of DASSL, tolerances 1e-6 as published. */
#include "paper.h"

#include <string.h>

void paper_oscillator(oscillator_run *out, double m1, double d, double t_end, dfl_step_fn on_step,
                      void *user)
{
    const dfl_solver_options options = {
        .integrator = DFL_BDF, .rtol = 1e-6, .atol = 1e-6, .output.on_step = on_step, .user = user};
    problem prob;
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    *out =
        (oscillator_run){.status = problem_oscillator_mass(&prob, m1, d) ? DFL_OK : DFL_NO_MEMORY};
    if (!out->status)
        out->status = dfl_solver_create(&solver, ctx, &prob.eom, &options);
    if (!out->status)
        out->status = dfl_solver_start(solver, 0, prob.x0, NULL);
    if (!out->status)
        out->status = dfl_solver_advance(solver, t_end);
    if (!out->status) {
        out->steps = dfl_solver_statistics(solver).accepted;
        memcpy(out->x, dfl_solver_state(solver), sizeof out->x);
    }
    dfl_solver_free(solver);
    dfl_context_free(ctx);
    problem_free(&prob);
}
