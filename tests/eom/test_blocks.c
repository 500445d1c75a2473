/* test_blocks.c: every block of the general form beside positions, velocities and constraints:
   auxiliary, dynamic and contact variables, invariants, quaternions. */
#include "fine.h"

static void problems_with_every_block_meet_their_references(void **state)
{
    (void)state;
    /* nonholonomic, w, r, quaternion (np > nv) with ep, and with two invariants e; g and hv */
    const char *const names[] = {"sleigh", "friction", "servo", "top", "top_invariants", "disk"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int form = DFL_PSF; form <= DFL_PSI1; form++) {
            problem prob;
            assert_true(problem_make(&prob, names[i], 0));
            const double t = prob.references[0].t;
            const dfl_solver_options options = {.rtol = 1e-8, .form = (dfl_form)form};
            const run r = run_problem(&prob, t, &options);
            assert_succeeded(&r);
            /* psi1: w of the friction law depends on lambda, which has a lower order there */
            const dfl_layout at = dfl_eom_layout(&prob.eom);
            const int first = form == DFL_PSF ? 0 : at.r;
            const double error = error_of(&r, &prob, t, first, r.n - first);
            if (!(error < 5 * CLOSE)) /* the top turns fast: up to three turns until then */
                fail_msg("%s, form %d: error %g", names[i], form, error);
            /* what Newton's tolerance, 1e-4 of the transformed 5e-7, leaves in these rows */
            assert_true(r.stats.max_residual.position < 1e-7);
            assert_true(r.stats.max_residual.nonholonomic < 1e-7);
            assert_true(r.stats.max_residual.auxiliary < 1e-6);
            problem_free(&prob);
        }
}

/* A bead on y = x^2 under gravity 9.81; the contact abscissa s = x is a variable of its own, or
   not. x = [lambda | v | s? | p] */
static int eval_bead(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const int ns = *(const int *)user;
    const double *v = x + 1, *p = x + 3 + ns, s = ns ? x[3] : p[0];
    (void)t;
    if (need & DFL_KINEMATICS)
        out->kin[0] = v[0], out->kin[1] = v[1];
    if (need & DFL_FORCE)
        out->f[0] = 0, out->f[1] = -9.81;
    if (need & DFL_POSITION) {
        out->g[0] = p[1] - s * s;
        if (ns)
            out->c[0] = 2 * (s - p[0]);
    }
    if (need & DFL_VELOCITY)
        out->gI[0] = v[1] - 2 * s * v[0];
    if (need & DFL_DIRECTIONS)
        out->W[0] = -2 * s, out->W[1] = 1;
    if (need & DFL_BIAS)
        out->bias[0] = -2 * v[0] * v[0];
    return 0;
}

static void contact_variables_follow_the_contact(void **state)
{
    (void)state;
    int with = 1, without = 0;
    const dfl_eom plain = {.np = 2, .nv = 2, .nl = 1, .eval = eval_bead, .user = &without};
    const dfl_eom contact = {.np = 2, .nv = 2, .ns = 1, .nl = 1, .eval = eval_bead, .user = &with};
    const double x0[5] = {0, 0, 0, 1, 1}, x0_contact[6] = {0, 0, 0, 0.9, 1, 1};
    for (int form = DFL_PSF; form <= DFL_PSI1; form++)
        for (int kind = DFL_ALGEBRAIC_LU; kind <= DFL_ALGEBRAIC_SVD; kind++) {
            const dfl_solver_options options = {.rtol = 1e-8,
                                                .form = (dfl_form)form,
                                                .constraints.algebraic = (dfl_algebraic)kind,
                                                .self_check = true};
            /* held: otherwise the start moves p towards the wrong s */
            const bool held[6] = {false, false, false, false, true, true};
            const dfl_conditions cond = {.held = held};
            const run a = run_with(&plain, 0, x0, 1, &options, NULL);
            const run b = run_with(&contact, 0, x0_contact, 1, &options, &cond);
            assert_succeeded(&a);
            assert_succeeded(&b);
            assert_true(distance(a.x + 3, b.x + 4, 2) < CLOSE);
            assert_near(b.x[3], b.x[4], CLOSE);
            assert_true(b.stats.max_residual.contact < CLOSE);
        }
}

/* A free rigid body, J = diag(1, 2, 3): v = w in the body frame, p = quaternion. What is said about
   |q| and about energy and momentum is the test's. */
typedef struct body {
    bool norm_as_constraint, invariants;
    double energy, momentum;
} body;

static int eval_body(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const body *b = user;
    const double *w = x + b->norm_as_constraint, *q = w + 3;
    const double J[3] = {1, 2, 3};
    const double norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1;
    (void)t;
    if (need & DFL_KINEMATICS) {
        out->kin[0] = 0.5 * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]);
        out->kin[1] = 0.5 * (q[0] * w[0] - q[3] * w[1] + q[2] * w[2]);
        out->kin[2] = 0.5 * (q[3] * w[0] + q[0] * w[1] - q[1] * w[2]);
        out->kin[3] = 0.5 * (-q[2] * w[0] + q[1] * w[1] + q[0] * w[2]);
    }
    if (need & DFL_FORCE)
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            out->f[i] = (J[j] - J[k]) * w[j] * w[k] / J[i]; /* M is the identity then */
        }
    if (need & DFL_POSITION)
        *(b->norm_as_constraint ? out->g : out->ep) = norm;
    if (need & DFL_VELOCITY && b->norm_as_constraint)
        out->gI[0] = 0;
    if (need & DFL_BIAS && b->norm_as_constraint)
        out->bias[0] = 0;
    if (need & DFL_VELOCITY && b->invariants) {
        out->e[0] = -b->energy;
        out->e[1] = -b->momentum;
        for (int i = 0; i < 3; i++) {
            out->e[0] += 0.5 * J[i] * w[i] * w[i];
            out->e[1] += J[i] * J[i] * w[i] * w[i];
        }
    }
    return 0;
}

static void the_norm_of_a_quaternion_is_refused_as_a_constraint(void **state)
{
    (void)state;
    body b = {.norm_as_constraint = true};
    const dfl_eom eom = {.np = 4, .nv = 3, .nl = 1, .eval = eval_body, .user = &b};
    const double x0[8] = {0, 1, 1, 1, 1, 0, 0, 0};
    for (int kind = DFL_ALGEBRAIC_AUTO; kind <= DFL_ALGEBRAIC_SVD; kind++) {
        const dfl_solver_options options = {.constraints.algebraic = (dfl_algebraic)kind};
        const run r = run_with(&eom, 0, x0, 1, &options, NULL);
        assert_failed(&r, DFL_SINGULAR, "ep");
    }
}

static void several_invariants_hold_at_once(void **state)
{
    (void)state;
    body b = {.invariants = true, .energy = 3, .momentum = 14}; /* of w = (1, 1, 1) */
    dfl_eom eom = {.np = 4, .nv = 3, .nep = 1, .ne = 2, .eval = eval_body, .user = &b};
    const double x0[7] = {1, 1, 1, 1, 0, 0, 0};
    const double t_end = 200; /* the drift without invariants grows with time */
    const dfl_solver_options coarse = {.rtol = 1e-4};
    const run with = run_with(&eom, 0, x0, t_end, &coarse, NULL);
    eom.ne = 0;
    b.invariants = false;
    assert_succeeded(&with);
    const run exact = run_with(&eom, 0, x0, t_end, &(dfl_solver_options){.rtol = 1e-11}, NULL);
    const run without = run_with(&eom, 0, x0, t_end, &coarse, NULL);
    assert_succeeded(&exact);
    assert_succeeded(&without);
    for (int k = 0; k < 2; k++) {
        double drift[2] = {0};
        const double *w[2] = {with.x, without.x};
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 3; j++)
                drift[i] += (k ? (j + 1) * (j + 1) : 0.5 * (j + 1)) * w[i][j] * w[i][j];
        const double start = k ? 14 : 3;
        /* as equations: Newton's tolerance, 0.007 times the scale 4e-4 times the derivative 18, and
           the error of a few steps if one was just dropped */
        assert_near(drift[0], start, 5e-4);
        assert_true(fabs(drift[1] - start) > 10 * fabs(drift[0] - start));
    }
    assert_true(with.stats.max_residual.invariant < 1e-3); /* also where one was dropped */
    assert_near(with.x[3] * with.x[3] + with.x[4] * with.x[4] + with.x[5] * with.x[5] +
                    with.x[6] * with.x[6],
                1, 1e-5);
    /* only the phase of the motion is left to go wrong */
    assert_true(distance(with.x, exact.x, 3) < distance(without.x, exact.x, 3));
}

/* np < nv: a flywheel v2' = -v2 that drives v1' = v2, p' = v1. */
static int eval_flywheel(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t, (void)user;
    if (need & DFL_KINEMATICS)
        out->kin[0] = x[0];
    if (need & DFL_FORCE)
        out->f[0] = x[1], out->f[1] = -x[1];
    return 0;
}

static void velocities_may_outnumber_positions(void **state)
{
    (void)state;
    const dfl_eom eom = {.np = 1, .nv = 2, .eval = eval_flywheel};
    const double x0[3] = {0, 1, 0};
    const run r = run_with(&eom, 0, x0, 2, &fine, NULL);
    assert_succeeded(&r);
    assert_near(r.x[1], exp(-2), CLOSE);
    assert_near(r.x[0], 1 - exp(-2), CLOSE);
    assert_near(r.x[2], 1 + exp(-2), CLOSE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_with_every_block_meet_their_references),
        cmocka_unit_test(contact_variables_follow_the_contact),
        cmocka_unit_test(the_norm_of_a_quaternion_is_refused_as_a_constraint),
        cmocka_unit_test(several_invariants_hold_at_once),
        cmocka_unit_test(velocities_may_outnumber_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
