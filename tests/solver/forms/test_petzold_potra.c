/* test_petzold_potra.c: what Petzold and Potra (1992) say about their systems beyond the
   equivalences of test_form_equivalences.c: constant constraints, where nearly everything is one
   method; multipliers of (3.16) that do not vanish; and the steps that (3.17) allows where
   masses are very different. */
#include "forms.h"

static dfl_solver_options fixed(dfl_form form, dfl_integrator integrator, int order, double h)
{
    dfl_solver_options options = to_rounding(form, integrator, order, h);
    options.newton.updates = 5;
    options.newton.reuse = -1;
    return options;
}

/* ---- constant G: three masses 1, 2, 5 on lines, g = p1 + 2 p2 - p3 = 0, stiffening springs and
   drag */

static const double masses[] = {1, 2, 5}, G[] = {1, 2, -1};

static int three_masses(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double *v = x + 1, *p = x + 4;
    (void)user;
    for (int i = 0; i < 3; i++) {
        if (need & DFL_FORCE)
            out->f[i] = sin(t) - 3 * p[i] * p[i] * p[i] - 0.3 * v[i] * fabs(v[i]) - p[(i + 1) % 3];
        if (need & DFL_DIRECTIONS)
            out->W[i] = G[i];
    }
    if (need & DFL_POSITION)
        out->g[0] = G[0] * p[0] + G[1] * p[1] + G[2] * p[2];
    if (need & DFL_VELOCITY)
        out->gI[0] = G[0] * v[0] + G[1] * v[1] + G[2] * v[2];
    if (need & DFL_BIAS)
        out->bias[0] = 0;
    return 0;
}

static int three_weights(double *M, double t, const double *x, void *user)
{
    (void)t, (void)x, (void)user;
    memcpy(M, masses, sizeof masses);
    return 0;
}

static const dfl_eom straight = {.np = 3,
                                 .nv = 3,
                                 .nl = 1,
                                 .eval = three_masses,
                                 .mass = three_weights,
                                 .mass_diagonal = true,
                                 .mass_constant = true,
                                 .trivial_kinematics = true};
static const double straight_start[] = {0, 1, 0.5, 2, 0.6, -0.2, 0.2};

/* For scleronomic constraints with constant G the combinations of past values satisfy G x = 0,
   so mu = tau = 0 at every step, and (5.4), (3.17), (3.32), the overdetermined system and psf
   have the same solutions, those of the state-space form. */
static void constant_constraints_make_all_of_them_one(void **state)
{
    (void)state;
    static const dfl_form forms[] = {DFL_TANGENT, DFL_PARTITION, DFL_EXT317,
                                     DFL_PINV,    DFL_ODAE,      DFL_PSF};
    static const struct {
        dfl_integrator integrator;
        int order;
    } methods[] = {{DFL_BDF, 2}, {DFL_BDF, 4}, {DFL_RADAU, 5}, {DFL_TRAPEZOIDAL, 0}};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        run first = {0};
        for (size_t k = 0; k < 2 * sizeof forms / sizeof *forms; k++) {
            const dfl_form form = forms[k / 2];
            dfl_solver_options options = fixed(form, methods[i].integrator, methods[i].order, 0.05);
            options.constraints.lagged = k % 2;
            const run r = run_with(&straight, 0, straight_start, 2, &options, NULL);
            assert_succeeded(&r);
            assert_true(r.stats.max_correction < 1e-10);
            if (k == 0)
                first = r;
            assert_near(distance(r.x, first.x, r.n), 0, 1e-11);
        }
    }
}

/* There L = 0, (3.24) is singular, and lambda + tau alone is determined in (3.16). */
static void constant_constraints_leave_ext316_undetermined(void **state)
{
    (void)state;
    const dfl_solver_options options = fixed(DFL_EXT316, DFL_BDF, 2, 0.05);
    const run r = run_with(&straight, 0, straight_start, 2, &options, NULL);
    assert_failed(&r, DFL_SINGULAR, "");
}

/* ---- (3.16) where the motion turns back: a pendulum that weighs 1 along x and 3 along y */

/* L = 2 v^T is zero where the pendulum turns back, and (3.24) singular: in (3.16) lambda and tau
   change places there, by as much as lambda, whatever h is (lemma 3.1). In (3.17) and (3.32) mu
   and tau fall with h, the order of the first step (lemmas 3.2, 3.3). Errors of v go down with
   h^2 in these, and up and down in (3.16). */
static void multipliers_of_ext316_do_not_vanish_with_h_where_the_motion_turns_back(void **state)
{
    (void)state;
    const double x0[] = {0, cos(0.3), sin(0.3), sin(0.3), -cos(0.3)}, t_end = 0.5;
    const dfl_form forms[] = {DFL_EXT316, DFL_EXT317, DFL_PINV};
    const run exact =
        run_with(&uneven_pendulum, 0, x0, t_end, &(dfl_solver_options){.rtol = 1e-12}, NULL);
    bool rises = false;
    for (int k = 0; k < 3; k++) {
        double h = 0.025, correction = INFINITY, error = INFINITY;
        for (int i = 0; i < 7; i++, h /= 2) {
            dfl_solver_options options = fixed(forms[k], DFL_BDF, 2, h);
            options.constraints.renewal = DFL_RENEW_DEFAULT;
            options.newton.reuse = 0;
            const run r = run_with(&uneven_pendulum, 0, x0, t_end, &options, NULL);
            assert_succeeded(&r);
            const double now = distance(r.x + 1, exact.x + 1, 2);
            if (forms[k] == DFL_EXT316) {
                assert_true(r.stats.max_correction > 3);
                rises = rises || now > 5 * error;
            } else {
                assert_true(r.stats.max_correction < 0.7 * correction);
                assert_true(now < 0.3 * error);
            }
            correction = r.stats.max_correction;
            error = now;
        }
    }
    assert_true(rises);
}

/* ---- a slide of mass 1 that turns, with a light mass in it that moves across: M(t) = R diag(1,
   ratio) R^T, on the line n(t)^T p = 0, which is at the angle sqrt(ratio) to the slide. Solution
   p = S(t) sin t, lambda = 1, S across n. */

typedef struct slide {
    double ratio, angle; /* of the masses; of n to the slide */
    double rest;         /* s: it turns from this time on, by (t - rest)^power */
    int power;
} slide;

typedef struct turning {
    double angle, rate, acceleration;
} turning;

static turning turn(const slide *s, double t)
{
    const double since = fmax(0, t - s->rest);
    if (s->power == 1)
        return (turning){t, 1, 0};
    return (turning){since * since * since, 3 * since * since, 6 * since};
}

static int slide_mass(double *M, double t, const double *x, void *user)
{
    const slide *it = user;
    const double c = cos(turn(it, t).angle), s = sin(turn(it, t).angle);
    (void)x;
    M[0] = c * c + it->ratio * s * s;
    M[1] = M[2] = (1 - it->ratio) * s * c;
    M[3] = s * s + it->ratio * c * c;
    return 0;
}

static int slide_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const slide *it = user;
    const turning phi = turn(it, t);
    const double *v = x + 1, *p = x + 3, w = phi.rate;
    const double n[] = {cos(phi.angle + it->angle), sin(phi.angle + it->angle)};
    const double S[] = {-n[1], n[0]}, q = sin(t), qd = cos(t);
    if (need & DFL_FORCE) {
        double M[4], a[2]; /* of the solution, with n' = w S, S' = -w n */
        slide_mass(M, t, x, user);
        for (int i = 0; i < 2; i++)
            a[i] = -S[i] * q - 2 * w * n[i] * qd - (phi.acceleration * n[i] + w * w * S[i]) * q;
        for (int i = 0; i < 2; i++)
            out->f[i] = M[i] * a[0] + M[2 + i] * a[1] + n[i];
    }
    if (need & DFL_POSITION)
        out->g[0] = n[0] * p[0] + n[1] * p[1];
    if (need & DFL_VELOCITY)
        out->gI[0] = n[0] * v[0] + n[1] * v[1] + w * (S[0] * p[0] + S[1] * p[1]);
    if (need & DFL_DIRECTIONS)
        out->W[0] = n[0], out->W[1] = n[1];
    if (need & DFL_BIAS)
        out->bias[0] = 2 * w * (S[0] * v[0] + S[1] * v[1]) +
                       phi.acceleration * (S[0] * p[0] + S[1] * p[1]) -
                       w * w * (n[0] * p[0] + n[1] * p[1]);
    return 0;
}

/* S^T and S^T M^-1: the A-ssf solution. */
static int select_accelerations(double *Sp, double *Sv, int nfp, int nfv, double t, const double *x,
                                void *user)
{
    const slide *it = user;
    const double angle = turn(it, t).angle + it->angle;
    double M[4];
    (void)nfp, (void)nfv;
    slide_mass(M, t, x, user);
    Sp[0] = -sin(angle), Sp[1] = cos(angle);
    Sv[0] = (M[3] * Sp[0] - M[2] * Sp[1]) / it->ratio; /* det M = ratio */
    Sv[1] = (M[0] * Sp[1] - M[1] * Sp[0]) / it->ratio;
    return 0;
}

static slide slide_of(double ratio)
{
    return (slide){.ratio = ratio, .angle = fmin(0.5, sqrt(ratio)), .power = 1};
}

static run run_slide(slide *it, dfl_solver_options *options, double t_end)
{
    const dfl_eom eom = {.np = 2,
                         .nv = 2,
                         .nl = 1,
                         .eval = slide_eval,
                         .mass = slide_mass,
                         .user = it,
                         .trivial_kinematics = true};
    const double n[] = {cos(it->angle), sin(it->angle)}, x0[] = {1, -n[1], n[0], 0, 0};
    options->user = it;
    return run_with(&eom, 0, x0, t_end, options, NULL);
}

/* The error of p at the end; a failed run has an infinite one. */
static double slide_error(double ratio, dfl_form form, dfl_selectors selectors, double h)
{
    slide it = slide_of(ratio);
    const double t_end = 2, angle = turn(&it, t_end).angle + it.angle;
    const double p[] = {-sin(angle) * sin(t_end), cos(angle) * sin(t_end)};
    dfl_solver_options options = fixed(form, DFL_BDF, 2, h);
    options.constraints.selectors = selectors;
    options.constraints.select = select_accelerations;
    const run r = run_slide(&it, &options, t_end);
    return r.status ? INFINITY : distance(r.x + 3, p, 2);
}

/* Velocities that (3.17) moves along M^-1 G^T instead of G^T make a discretization that takes K
   = S^T M S' / S^T M S = 1/(2 sqrt(ratio)) explicitly, where S^T M S is the mass along the line:
   steps beyond a few 1/K are unstable, although the solution is smooth. So does ggl. psf, which
   takes accelerations along S, does not, whether it solves for them or the user's selectors A^T
   M^-1 do; nor do (3.32) and tangent planes. */
static void different_masses_restrict_steps_of_ext317_but_not_of_projected_invariants(void **state)
{
    (void)state;
    static const struct {
        dfl_form form;
        dfl_selectors selectors;
        bool restricted;
    } forms[] = {{DFL_PINV, DFL_ORTHOGONAL, false},  {DFL_TANGENT, DFL_ORTHOGONAL, false},
                 {DFL_PSF, DFL_USER, false},         {DFL_PSF, DFL_ORTHOGONAL, false},
                 {DFL_EXT317, DFL_ORTHOGONAL, true}, {DFL_ODAE, DFL_ORTHOGONAL, true},
                 {DFL_GGL, DFL_ORTHOGONAL, true}};
    const double long_step = 1.0 / 80, short_step = 1.0 / 4096; /* 60 / K and 1.2 / K */
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        const dfl_form form = forms[k].form;
        const dfl_selectors by = forms[k].selectors;
        assert_true(slide_error(1, form, by, long_step) < 1e-3);
        assert_true(slide_error(1e-8, form, by, short_step) < 5e-7);
        const double error = slide_error(1e-8, form, by, long_step);
        if (forms[k].restricted)
            assert_true(error > 1e6);
        else
            assert_true(error < 3e-4);
    }
}

/* The same slide under error control. One matrix for all stages of Radau IIA would need M to be
   nearly the same there: pinv takes 12185 steps for that reason, 48 with BDF. The longer first
   steps of the automatic order may be halved a few times. */
static void accelerations_of_each_stage_permit_the_steps_of_the_motion(void **state)
{
    (void)state;
    const dfl_form forms[] = {DFL_PSF, DFL_TANGENT};
    const struct {
        dfl_integrator integrator;
        int order;
        long steps, failures;
    } most[] = {{DFL_RADAU, 5, 30, 0}, {DFL_RADAU, 0, 20, 8}, {DFL_BDF, 0, 100, 0}};
    for (int k = 0; k < 6; k++) {
        slide it = slide_of(1e-8);
        dfl_solver_options options = {.form = forms[k / 3],
                                      .integrator = most[k % 3].integrator,
                                      .order = most[k % 3].order,
                                      .rtol = 1e-5,
                                      .atol = 1e-5};
        const run r = run_slide(&it, &options, 2);
        assert_succeeded(&r);
        assert_true(r.stats.accepted < most[k % 3].steps);
        assert_true(r.stats.rejected_newton <= most[k % 3].failures);
    }
}

/* Where G depends on time alone and matrices are those of the end of the step, lagged
   constraints are the present ones: (5.4) with A(t_n) is (3.32), and so is A-ssf. The slide
   rests in the first step, whose matrix is that of its start. */
static void tangent_planes_are_projected_invariants_with_present_constraints(void **state)
{
    (void)state;
    for (int order = 1; order <= 2; order++) {
        slide it = {.ratio = 0.2, .angle = 0.5, .rest = 0.05, .power = 3};
        dfl_solver_options options = fixed(DFL_PINV, DFL_BDF, order, 0.05);
        const run pinv = run_slide(&it, &options, 1);
        options.constraints.lagged = true;
        const run lagged = run_slide(&it, &options, 1);
        options = fixed(DFL_TANGENT, DFL_BDF, order, 0.05);
        const run tangent = run_slide(&it, &options, 1);
        options = fixed(DFL_PSF, DFL_BDF, order, 0.05);
        options.constraints.selectors = DFL_USER;
        options.constraints.select = select_accelerations;
        const run a_ssf = run_slide(&it, &options, 1);
        options = fixed(DFL_EXT317, DFL_BDF, order, 0.05);
        const run other = run_slide(&it, &options, 1);
        assert_succeeded(&pinv);
        assert_near(distance(pinv.x, tangent.x, pinv.n), 0, 1e-11);
        assert_near(distance(pinv.x, lagged.x, pinv.n), 0, 1e-11);
        assert_near(distance(pinv.x, a_ssf.x, pinv.n), 0, 1e-11);
        assert_true(distance(pinv.x, other.x, pinv.n) > 1e-6); /* (3.17) is another method */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_constraints_make_all_of_them_one),
        cmocka_unit_test(constant_constraints_leave_ext316_undetermined),
        cmocka_unit_test(multipliers_of_ext316_do_not_vanish_with_h_where_the_motion_turns_back),
        cmocka_unit_test(different_masses_restrict_steps_of_ext317_but_not_of_projected_invariants),
        cmocka_unit_test(accelerations_of_each_stage_permit_the_steps_of_the_motion),
        cmocka_unit_test(tangent_planes_are_projected_invariants_with_present_constraints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
