/* closure.c: Kurz, Burkhardt, Eberhard (2011), table 1 and figure 3: a slider crank counted from
   its slider, whose loop is closed in eight ways, and in ours. The paper gives no data; these are
   rod 1 m, crank 0.5 m, 26.6 turns in 40 s (problem_slidercrank_level).

   Minimal: with s = r sin phi, c = r cos phi, q = sqrt(l^2 - s^2) the slider moves with X phi', X =
   -s - s c / q, and J phi'' = -J_phi phi'^2 / 2, J = m1 r^2/3 + m3 X^2 + m2/3 (r^2 + X^2 - s X). */
#include "paper.h"

#include <math.h>
#include <stdlib.h>

enum { NL = 2, NV = 3, V = NL, P = NL + NV, N = NL + 2 * NV };

const closure closures[] = {
    {"analytical", DFL_EXPLICIT, -1, true},
    {"explicit", DFL_EXPLICIT, -1, false},
    {"partial explicit", DFL_IMPLICIT, -1, false},
    {"partition, x", DFL_SEPARATION, 0, false},
    {"partition, alpha", DFL_SEPARATION, 1, false},
    {"partition, beta", DFL_SEPARATION, 2, false},
    {"svd", DFL_SVD, -1, false},
    {"qr", DFL_QR, -1, false},
    {"psf", DFL_PSF, -1, false},
};
const int nclosures = sizeof closures / sizeof *closures;

static const double m1 = 0.6, m2 = 0.8, m3 = 1, r = 0.5, l = 1;
static const double pi = 3.14159265358979323846;

/* The run in progress. */
typedef struct watched {
    closure_run *run;
    const dfl_eom *eom;
} watched;

static dfl_status integrate(closure_run *out, const problem *prob,
                            const dfl_solver_options *options);
static bool make_minimal(problem *out);
static int minimal_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static int minimal_mass(double *M, double t, const double *x, void *user);
static double inertia(double *slope, double phi);
static double minimal_energy(const double *x, const void *parameters);
static int note(dfl_solver *solver, double t_old, double t, const double *x, void *user);

void paper_closure(closure_run *out, const closure *c, bool loose, double t_end)
{
    bool chosen[N] = {false};
    problem prob;
    watched user = {out, &prob.eom};
    const double tolerance = loose ? 1e-4 : 1e-6;
    dfl_solver_options options = {.form = c->form,
                                  .integrator = loose                     ? DFL_BDF
                                                : c->form == DFL_IMPLICIT ? DFL_RADAU
                                                                          : DFL_EXPLICIT_PAIR,
                                  .rtol = tolerance,
                                  .atol = 1e-3 * tolerance,
                                  .step.max_attempts = 200000};
    if (c->independent >= 0) {
        chosen[V + c->independent] = chosen[P + c->independent] = true;
        options.constraints.independent = chosen;
        options.constraints.renewal = DFL_RENEW_NEVER; /* steps pass where it is no coordinate */
    }
    if (c->minimal && loose)
        options.form = DFL_PSF; /* without constraints, the same equation */
    *out = (closure_run){.seconds = INFINITY};
    envelope_start(&out->residuals, t_end);
    if (!(c->minimal ? make_minimal(&prob) : problem_slidercrank_level(&prob))) {
        out->status = DFL_NO_MEMORY;
        return;
    }
    prob.t_end = t_end;
    out->status = integrate(out, &prob, &options);
    if (!c->minimal) {
        options.output.on_step = note;
        options.user = &user;
    }
    out->status = integrate(out, &prob, &options);
    problem_free(&prob);
}

static dfl_status integrate(closure_run *out, const problem *prob,
                            const dfl_solver_options *options)
{
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    dfl_status status = dfl_solver_create(&solver, ctx, &prob->eom, options);
    if (!status)
        status = dfl_solver_start(solver, 0, prob->x0, NULL);
    const double begin = cpu_seconds();
    if (!status)
        status = dfl_solver_advance(solver, prob->t_end);
    out->seconds = fmin(out->seconds, cpu_seconds() - begin);
    if (solver) {
        const double *x = dfl_solver_state(solver);
        out->steps = dfl_solver_statistics(solver).accepted;
        out->t = dfl_solver_time(solver);
        out->energy = prob->energy(x, prob->parameters) - prob->energy(prob->x0, prob->parameters);
        /* the crank, seen from its bearing, points against alpha + beta */
        out->angle = prob->eom.nl ? x[P + 1] + x[P + 2] - pi : x[1];
    }
    dfl_solver_free(solver);
    dfl_context_free(ctx);
    return status;
}

static int note(dfl_solver *solver, double t_old, double t, const double *x, void *user)
{
    const watched *w = user;
    double g[NL];
    (void)solver, (void)t_old;
    w->eom->eval(&(dfl_blocks){.g = g}, t, x, DFL_POSITION, w->eom->user);
    envelope_add(&w->run->residuals, t, g, NL);
    return 0;
}

static bool make_minimal(problem *out)
{
    *out = (problem){.eom = {.np = 1,
                             .nv = 1,
                             .eval = minimal_eval,
                             .mass = minimal_mass,
                             .trivial_kinematics = true,
                             .autonomous = true},
                     .x0 = malloc(2 * sizeof(double)),
                     .energy = minimal_energy};
    if (!out->x0)
        return false;
    out->x0[0] = 3;      /* rad/s */
    out->x0[1] = pi / 3; /* rad */
    return true;
}

static int minimal_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    double slope;
    (void)t, (void)user;
    inertia(&slope, x[1]);
    if (need & DFL_FORCE)
        out->f[0] = -0.5 * slope * x[0] * x[0];
    return 0;
}

static int minimal_mass(double *M, double t, const double *x, void *user)
{
    double slope;
    (void)t, (void)user;
    M[0] = inertia(&slope, x[1]);
    return 0;
}

static double inertia(double *slope, double phi)
{
    const double s = r * sin(phi), c = r * cos(phi), q = sqrt(l * l - s * s);
    const double X = -s - s * c / q, dX = -c - (c * c - s * s) / q - s * s * c * c / (q * q * q);
    *slope = 2 * m3 * X * dX + m2 / 3 * (2 * X * dX - c * X - s * dX);
    return m1 * r * r / 3 + m3 * X * X + m2 / 3 * (r * r + X * X - s * X);
}

static double minimal_energy(const double *x, const void *parameters)
{
    double slope;
    (void)parameters;
    return 0.5 * inertia(&slope, x[1]) * x[0] * x[0];
}
