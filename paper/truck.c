/* truck.c: the counterpart of Steinbrecher (2007), figure 8, on the truck of Eich-Soellner and
   Fuehrer. */
#include "paper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const method truck_methods[] = {
    {"psf, GEOMS's settings", DFL_PSF, DFL_RADAU, 5, true, false},
    {"psi1, GEOMS's settings", DFL_PSI1, DFL_RADAU, 5, true, false},
    {"psf", DFL_PSF, DFL_RADAU, 0, false, false},
    {"psi1", DFL_PSI1, DFL_RADAU, 0, false, false},
    {"ggl, radau 5", DFL_GGL, DFL_RADAU, 5, false, false},
    {"odae, bdf", DFL_ODAE, DFL_BDF, 0, false, false},
    {"psf, half-explicit", DFL_PSF, DFL_HALF_EXPLICIT, 0, false, false},
    {"psf, extrapolation", DFL_PSF, DFL_EXTRAPOLATION, 0, false, false},
};
const int truck_nmethods = sizeof truck_methods / sizeof *truck_methods;

static void integrate(truck_run *out, const problem *prob, const dfl_solver_options *options);

/* The least time of three runs counts. */
void paper_truck(truck_run *out, const method *m, double tolerance)
{
    const dfl_solver_options options = method_options(m, tolerance);
    problem prob;
    *out = (truck_run){.seconds = INFINITY};
    if (!problem_truck(&prob, 0)) {
        out->status = DFL_NO_MEMORY;
        return;
    }
    for (int i = 0; i < 3; i++)
        integrate(out, &prob, &options);
    problem_free(&prob);
}

static void integrate(truck_run *out, const problem *prob, const dfl_solver_options *options)
{
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    out->status = dfl_solver_create(&solver, ctx, &prob->eom, options);
    if (!out->status)
        out->status = dfl_solver_start(solver, 0, prob->x0, NULL);
    const double begin = cpu_seconds();
    if (!out->status)
        out->status = dfl_solver_advance(solver, 20);
    out->seconds = fmin(out->seconds, cpu_seconds() - begin);
    if (out->status)
        snprintf(out->message, sizeof out->message, "%s", dfl_message(ctx));
    if (solver) {
        const dfl_statistics stats = dfl_solver_statistics(solver);
        out->steps = stats.accepted;
        out->evaluations =
            stats.evaluations + stats.difference_evaluations + stats.partial_evaluations;
        memcpy(out->x, dfl_solver_state(solver), sizeof out->x);
    }
    dfl_solver_free(solver);
    dfl_context_free(ctx);
}
