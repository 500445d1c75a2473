/* pendulum.c: Steinbrecher (2007), example 4.1: tables 3 and 4, figures 1 to 6. */
#include "paper.h"

#include <math.h>
#include <string.h>

enum { LAMBDA, V, P = 3, N = 5 };

/* The first three as in GEOMS, three as Driftless does it by itself, and stand-ins for RADAU5 in
   four forms, for ODASSL (an overdetermined system by BDF), HEDOP5 (half-explicit, order 5) and
   MEXAX (extrapolation). */
const method pendulum_methods[] = {
    {"psf, GEOMS's settings", DFL_PSF, DFL_RADAU, 5, true, false},
    {"psi1, GEOMS's settings", DFL_PSI1, DFL_RADAU, 5, true, false},
    {"psf + energy, GEOMS's settings", DFL_PSF, DFL_RADAU, 5, true, true},
    {"psf", DFL_PSF, DFL_RADAU, 0, false, false},
    {"psi1", DFL_PSI1, DFL_RADAU, 0, false, false},
    {"psf + energy", DFL_PSF, DFL_RADAU, 0, false, true},
    {"eom, radau 5", DFL_EOM, DFL_RADAU, 5, false, false},
    {"eom2, radau 5", DFL_EOM2, DFL_RADAU, 5, false, false},
    {"eom1, radau 5", DFL_EOM1, DFL_RADAU, 5, false, false},
    {"ggl, radau 5", DFL_GGL, DFL_RADAU, 5, false, false},
    {"odae, bdf", DFL_ODAE, DFL_BDF, 0, false, false},
    {"psf, half-explicit", DFL_PSF, DFL_HALF_EXPLICIT, 0, false, false},
    {"psf, extrapolation", DFL_PSF, DFL_EXTRAPOLATION, 0, false, false},
};
const int pendulum_nmethods = sizeof pendulum_methods / sizeof *pendulum_methods;

/* The run in progress. */
typedef struct watched {
    pendulum_run *run;
    const problem *prob;
} watched;

static int note_swing(dfl_solver *solver, double t_old, double t, const double *x, void *user);
static int note_residuals(dfl_solver *solver, double t_old, double t, const double *x, void *user);
static dfl_status integrate(pendulum_run *out, const problem *prob,
                            const dfl_solver_options *options);

void paper_swing(swing_run *out, double speed, double tolerance)
{
    const method geoms = {NULL, DFL_PSF, DFL_RADAU, 5, true, false};
    const double x0[N] = {(speed * speed + 13.75) / 2, speed, 0, 0, -1};
    problem prob;
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    dfl_solver_options options = method_options(&geoms, tolerance);
    options.step.first = 0.01;
    options.output.on_step = note_swing;
    options.user = out;
    memset(out, 0, sizeof *out);
    out->status = problem_pendulum(&prob, 0) ? DFL_OK : DFL_NO_MEMORY;
    if (!out->status) {
        ((pendulum_parameters *)prob.parameters)->g = 13.75;
        out->status = dfl_solver_create(&solver, ctx, &prob.eom, &options);
    }
    if (!out->status)
        out->status = dfl_solver_start(solver, 0, x0, NULL);
    if (!out->status)
        out->status = dfl_solver_advance(solver, 5);
    if (solver) {
        out->stats = dfl_solver_statistics(solver);
        out->step = dfl_solver_step(solver);
    }
    dfl_solver_free(solver);
    dfl_context_free(ctx);
    problem_free(&prob);
}

static int note_swing(dfl_solver *solver, double t_old, double t, const double *x, void *user)
{
    swing_run *run = user;
    (void)t_old;
    if (run->count == SWING_STEPS)
        return 1;
    run->at[run->count].t = t;
    run->at[run->count].height = x[P + 1];
    run->at[run->count++].selectors = dfl_solver_statistics(solver).selector_computations;
    return 0;
}

void paper_pendulum(pendulum_run *out, const method *m, double tolerance)
{
    problem prob;
    watched user = {out, &prob};
    dfl_solver_options options = method_options(m, tolerance);
    *out = (pendulum_run){.seconds = INFINITY};
    envelope_start(&out->residuals, 1000);
    out->status = (m->energy ? problem_pendulum_energy(&prob, 0) : problem_pendulum(&prob, 0))
                      ? DFL_OK
                      : DFL_NO_MEMORY;
    if (!out->status)
        out->status = integrate(out, &prob, &options);
    if (!out->status && out->seconds < 0.3)
        out->status = integrate(out, &prob, &options);
    const double seconds = out->seconds;
    options.output.on_step = note_residuals;
    options.user = &user;
    if (!out->status)
        out->status = integrate(out, &prob, &options);
    out->seconds = seconds;
    problem_free(&prob);
}

/* One run; its time counts if it is the least so far. */
static dfl_status integrate(pendulum_run *out, const problem *prob,
                            const dfl_solver_options *options)
{
    const double end[N] = {0, 0, 0, 1, 0}; /* 500 periods later */
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    dfl_status status = dfl_solver_create(&solver, ctx, &prob->eom, options);
    if (!status)
        status = dfl_solver_start(solver, 0, prob->x0, NULL);
    const double begin = cpu_seconds();
    if (!status)
        status = dfl_solver_advance(solver, 1000);
    out->seconds = fmin(out->seconds, cpu_seconds() - begin);
    if (!status) {
        const dfl_statistics stats = dfl_solver_statistics(solver);
        const double *x = dfl_solver_state(solver);
        out->steps = stats.accepted;
        out->evaluations = stats.evaluations + stats.partial_evaluations;
        out->error[0] = 0;
        for (int i = V; i < N; i++)
            out->error[0] = fmax(out->error[0], fabs(x[i] - end[i]));
        out->error[1] = fabs(x[LAMBDA]);
    }
    dfl_solver_free(solver);
    dfl_context_free(ctx);
    return status;
}

static int note_residuals(dfl_solver *solver, double t_old, double t, const double *x, void *user)
{
    const watched *w = user;
    double value[4];
    (void)solver, (void)t_old;
    levels_of_unit_mass(value, &w->prob->eom, t, x);
    value[3] = w->prob->energy(x, w->prob->parameters); /* zero at the start */
    envelope_add(&w->run->residuals, t, value, 4);
    return 0;
}
