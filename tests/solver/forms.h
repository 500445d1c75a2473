/* forms.h: what the tests of the forms share: which forms there are, a smooth start in motion,
   errors, fixed steps that are solved to rounding, a pendulum with an uneven mass. */
#ifndef DFL_TESTS_FORMS_H
#define DFL_TESTS_FORMS_H

#include "support.h"

/* All forms with an implicit method but ext316, which is singular for most models. */
static const dfl_form usable_forms[] = {
    DFL_PSF,  DFL_PSI1,   DFL_EOM,  DFL_EOM2,    DFL_EOM1,      DFL_GGL,     DFL_BAUMGARTE,
    DFL_ODAE, DFL_EXT317, DFL_PINV, DFL_TANGENT, DFL_PARTITION, DFL_IMPLICIT};
enum { USABLE_FORMS = sizeof usable_forms / sizeof *usable_forms };

/* A problem with a point on its way as its start, and the state some time later, both by psf. */
typedef struct motion {
    problem prob;
    double t0, t_end;
    double x0[RUN_MOST], x[RUN_MOST];
    dfl_layout at;
} motion;

static inline motion motion_of(const char *name, double t0, double length)
{
    const dfl_solver_options accurate = {.rtol = 1e-12};
    motion m = {.t0 = t0, .t_end = t0 + length};
    assert_true(problem_make(&m.prob, name, 0));
    m.at = dfl_eom_layout(&m.prob.eom);
    run r = run_problem(&m.prob, t0, &accurate);
    assert_succeeded(&r);
    memcpy(m.x0, r.x, sizeof m.x0);
    r = run_with(&m.prob.eom, t0, m.x0, m.t_end, &accurate, NULL);
    assert_succeeded(&r);
    memcpy(m.x, r.x, sizeof m.x);
    return m;
}

static inline run motion_run(const motion *m, const dfl_solver_options *options)
{
    return run_with(&m->prob.eom, m->t0, m->x0, m->t_end, options, NULL);
}

/* The largest errors of positions, velocities and multipliers. */
typedef struct form_error {
    double p, v, l;
} form_error;

static inline form_error motion_error(const motion *m, const run *r)
{
    const dfl_layout *at = &m->at;
    return (form_error){distance(r->x + at->p, m->x + at->p, at->n - at->p),
                        distance(r->x + at->v, m->x + at->v, at->s - at->v),
                        distance(r->x + at->lambda, m->x + at->lambda, at->r - at->lambda)};
}

/* Fixed steps, with Newton's iteration carried to rounding, as far as it goes. */
static inline dfl_solver_options to_rounding(dfl_form form, dfl_integrator integrator, int order,
                                             double h)
{
    return (dfl_solver_options){.form = form,
                                .integrator = integrator,
                                .order = order,
                                .rtol = 1e-8,
                                .step.fixed = h,
                                .step.accept_unconverged = true,
                                .newton.tolerance = 1e-9,
                                .newton.iterations = 30,
                                .constraints.renewal = DFL_RENEW_ALWAYS};
}

/* A pendulum of length 1 whose mass weighs 1 along x and 3 along y, g = 10. */
static const double uneven_weight[] = {1, 3};

static inline int uneven_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t, (void)user;
    if (need & DFL_FORCE)
        out->f[0] = 0, out->f[1] = -uneven_weight[1] * 10;
    if (need & DFL_POSITION)
        out->g[0] = x[3] * x[3] + x[4] * x[4] - 1;
    if (need & DFL_VELOCITY)
        out->gI[0] = 2 * (x[3] * x[1] + x[4] * x[2]);
    if (need & DFL_DIRECTIONS)
        out->W[0] = 2 * x[3], out->W[1] = 2 * x[4];
    if (need & DFL_BIAS)
        out->bias[0] = 2 * (x[1] * x[1] + x[2] * x[2]);
    return 0;
}

static inline int uneven_mass(double *M, double t, const double *x, void *user)
{
    (void)t, (void)x, (void)user;
    M[0] = uneven_weight[0], M[1] = uneven_weight[1];
    return 0;
}

static const dfl_eom uneven_pendulum = {.np = 2,
                                        .nv = 2,
                                        .nl = 1,
                                        .eval = uneven_eval,
                                        .mass = uneven_mass,
                                        .mass_diagonal = true,
                                        .mass_constant = true,
                                        .trivial_kinematics = true};

#endif
