/* test_differences.c: derivatives by differences, their number, and the self-check of a model.

   One-sided differences with steps of sqrt(eps max(1e-5, |x|)) have errors of about 1e-8 |x|^1/2
   |F''| from truncation and 1e-8 |F| / |x|^1/2 from rounding; near x = 0 the step is 5e-11, so that
   rounding of a row of size F costs 4e-6 F. The self-check allows 1e-4 of an entry or 1e-6 of the
   largest one of a block. */
#include "support.h"

#include "eom/eom.h"

/* A model's derivatives at one point, by callback and by differences. */
typedef struct derivatives {
    dfl_context *ctx;
    dfl_statistics stats;
    dfl_system sys;
    dfl_rows_jacobian own, differences;
    double *x, *a;
} derivatives;

static void derive(derivatives *d, const dfl_eom *eom, double t, const double *x)
{
    memset(d, 0, sizeof *d);
    d->ctx = dfl_context_create();
    assert_int_equal(dfl_system_init(&d->sys, d->ctx, eom, false, &d->stats), DFL_OK);
    assert_int_equal(dfl_rows_jacobian_init(&d->own, &d->sys), DFL_OK);
    assert_int_equal(dfl_rows_jacobian_init(&d->differences, &d->sys), DFL_OK);
    assert_int_equal(dfl_system_decide(&d->sys, t, x, false), DFL_OK);
    dfl_rows_jacobian_bind(&d->own, &d->sys);
    dfl_rows_jacobian_bind(&d->differences, &d->sys);
    d->x = dfl_alloc(d->ctx, (size_t)d->sys.n, sizeof *d->x);
    d->a = dfl_alloc(d->ctx, (size_t)eom->nv, sizeof *d->a);
    memcpy(d->x + d->sys.na, x, (size_t)d->sys.nu * sizeof *x);
    for (int i = 0; i < eom->nv; i++)
        d->a[i] = 0.3 + 0.1 * i; /* any a: the derivatives are taken at fixed a */
    if (eom->jacobian)
        assert_int_equal(dfl_system_jacobian(&d->own, &d->sys, t, d->x, d->a), DFL_STEP_OK);
    assert_int_equal(dfl_system_differences(&d->differences, &d->sys, t, x, d->a), DFL_STEP_OK);
}

static void derivatives_free(derivatives *d)
{
    dfl_free(d->ctx, d->x);
    dfl_free(d->ctx, d->a);
    dfl_rows_jacobian_clear(&d->own, d->ctx);
    dfl_rows_jacobian_clear(&d->differences, d->ctx);
    dfl_system_clear(&d->sys);
    assert_int_equal(dfl_context_live(d->ctx), 0);
    dfl_context_free(d->ctx);
}

static void check_derivatives(const problem *prob, double t, const double *x)
{
    derivatives d;
    derive(&d, &prob->eom, t, x);
    double largest = 1;
    for (long i = 0; i < d.own.stack.entries; i++)
        largest = fmax(largest, fabs(d.own.store[i]));
    for (long i = 0; i < d.own.stack.entries; i++) {
        const double u = d.own.store[i], v = d.differences.store[i];
        /* relative to the entry; rounding of large rows of the stack where the step is small */
        if (!(fabs(u - v) <= 1e-4 * fabs(u) + 1e-5 * largest))
            fail_msg("%s, entry %ld: callback %g, differences %g", prob->name, i, u, v);
    }
    derivatives_free(&d);
}

static void differences_agree_with_the_analytic_jacobian(void **state)
{
    (void)state;
    int checked = 0;
    for (int i = 0; problem_names[i]; i++) {
        problem prob;
        assert_true(problem_make(&prob, problem_names[i], 0));
        if (prob.eom.jacobian) {
            check_derivatives(&prob, prob.t0, prob.x0);
            checked++;
        }
        problem_free(&prob);
    }
    assert_true(checked >= 15);
}

/* ---- the number of evaluations ---- */

static long evaluations_of_one_jacobian(const dfl_eom *eom, const problem *prob)
{
    derivatives d;
    derive(&d, eom, prob->t0, prob->x0);
    const long count = d.stats.difference_evaluations;
    derivatives_free(&d);
    return count;
}

static void columns_that_are_known_are_not_differenced(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "fekete", 0));
    dfl_eom eom = prob.eom;
    const int n = dfl_eom_unknowns(&eom);
    eom.jacobian = NULL;
    eom.forces_free_of_multipliers = false;
    assert_int_equal(evaluations_of_one_jacobian(&eom, &prob), 1 + n);
    eom.forces_free_of_multipliers = true;
    assert_int_equal(evaluations_of_one_jacobian(&eom, &prob), 1 + n - eom.nl - eom.nm);
    problem_free(&prob);
}

/* Counts which blocks are asked for. */
typedef struct counting {
    problem prob;
    long position, directions, bias, force;
} counting;

static int eval_counting(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    counting *c = user;
    c->position += (need & DFL_POSITION) != 0;
    c->directions += (need & DFL_DIRECTIONS) != 0;
    c->bias += (need & DFL_BIAS) != 0;
    c->force += (need & DFL_FORCE) != 0;
    return c->prob.eom.eval(out, t, x, need, c->prob.parameters);
}

static void columns_ask_only_for_blocks_that_depend_on_them(void **state)
{
    (void)state;
    counting c = {0};
    assert_true(problem_servo(&c.prob, 0));
    dfl_eom eom = c.prob.eom;
    eom.eval = eval_counting;
    eom.jacobian = NULL;
    eom.mass = NULL;
    eom.mass_diagonal = eom.mass_constant = false;
    eom.forces_free_of_multipliers = false;
    eom.user = &c;
    derivatives d;
    derive(&d, &eom, 0, c.prob.x0);
    /* the base and the columns of l (1), r (3), v (2), p (2) */
    assert_int_equal(c.force, 1 + 1 + 3 + 2 + 2);
    assert_int_equal(c.bias, 1 + 2 + 2);
    assert_int_equal(c.position, 1 + 2);
    assert_int_equal(c.directions, 1 + 2);
    derivatives_free(&d);
    problem_free(&c.prob);
}

/* ---- self-check ---- */

static void the_self_check_accepts_all_problems(void **state)
{
    (void)state;
    const dfl_solver_options options = {.self_check = true};
    for (int i = 0; problem_names[i]; i++) {
        problem prob;
        dfl_context *ctx = dfl_context_create();
        dfl_solver *solver = NULL;
        assert_true(problem_make(&prob, problem_names[i], 0));
        assert_int_equal(dfl_solver_create(&solver, ctx, &prob.eom, &options), DFL_OK);
        if (dfl_solver_start(solver, prob.t0, prob.x0, NULL))
            fail_msg("%s: %s", prob.name, dfl_message(ctx));
        dfl_solver_free(solver);
        dfl_context_free(ctx);
        problem_free(&prob);
    }
}

/* A pendulum, servo, friction or oscillator with one entry that is wrong by 1 %, or by 0.01. */
typedef struct planted {
    problem prob;
    int block; /* of the Jacobian, 0 .. 7, or 8: W, 9: gI, 10: bias */
    int entry;
} planted;

static int jacobian_planted(dfl_jacobian *out, double t, const double *x, const double *a,
                            void *user)
{
    planted *p = user;
    double *const block[] = {out->d,   out->acc, out->vel, out->gam,
                             out->pos, out->b,   out->dyn, out->kin};
    const int rc = p->prob.eom.jacobian(out, t, x, a, p->prob.parameters);
    if (p->block < 8)
        block[p->block][p->entry] += 0.01 * fmax(1, fabs(block[p->block][p->entry]));
    return rc;
}

static int eval_planted(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    planted *p = user;
    const int rc = p->prob.eom.eval(out, t, x, need, p->prob.parameters);
    if (p->block == 8 && need & DFL_DIRECTIONS)
        out->W[p->entry] += 0.01;
    if (p->block == 9 && need & DFL_VELOCITY)
        out->gI[p->entry] += 0.01;
    if (p->block == 10 && need & DFL_BIAS)
        out->bias[p->entry] += 0.01;
    return rc;
}

static int mass_planted(double *M, double t, const double *x, void *user)
{
    planted *p = user;
    return p->prob.eom.mass(M, t, x, p->prob.parameters);
}

static run start_planted(const char *name, int block, int entry, bool analytic)
{
    planted p = {.block = block, .entry = entry};
    assert_true(problem_make(&p.prob, name, 0));
    dfl_eom eom = p.prob.eom;
    eom.eval = eval_planted;
    eom.jacobian = analytic ? jacobian_planted : NULL;
    eom.mass = mass_planted;
    eom.trivial_kinematics = false; /* kin is a block like the others then */
    eom.user = &p;
    const dfl_solver_options options = {.self_check = true};
    const run r = run_with(&eom, p.prob.t0, p.prob.x0, p.prob.t0, &options, NULL);
    problem_free(&p.prob);
    return r;
}

static void the_self_check_finds_an_error_in_each_block(void **state)
{
    (void)state;
    const struct {
        const char *name;
        int block, entry;
        bool analytic;
        const char *message;
    } error[] = {
        {"friction", 0, 0, true, "jacobian.d: d d[0]/d w[0] is"},
        {"pendulum", 1, 3, true, "jacobian.acc: d gII[0]/d p[0] is"},
        {"pendulum", 2, 0, true, "jacobian.vel: d gI[0]/d v[0] is"},
        {"oscillator", 3, 2, true, "jacobian.gam: d gam[0]/d p[0] is"},
        {"pendulum", 4, 1, true, "jacobian.pos: d g[0]/d p[1] is"},
        {"servo", 5, 3, true, "jacobian.b: d b[0]/d r[0] is"},
        {"pendulum", 6, 1, true, "jacobian.dyn: d f[1]/d lambda[0] is"},
        {"pendulum", 7, 2, true, "jacobian.kin: d kin[0]/d v[1] is"},
        {"pendulum", 8, 0, false, "W[gI[0], v[0]] = "},
        {"pendulum", 9, 0, false, "gI[0] = "},
        {"pendulum", 10, 0, false, "bias of gII[0] is "},
    };
    for (size_t i = 0; i < sizeof error / sizeof *error; i++) {
        const run wrong =
            start_planted(error[i].name, error[i].block, error[i].entry, error[i].analytic);
        assert_failed(&wrong, DFL_INVALID, error[i].message);
        const run right = start_planted(error[i].name, 11, 0, error[i].analytic);
        assert_succeeded(&right);
    }
}

/* A pendulum, p0^2 + p1^2 = 1, under a nonholonomic row as well; beside it the unit vector (p2,
   p3), whose length is an invariant, turns with v2. It starts at rest, where wrong terms in v
   vanish. */
typedef enum fault {
    NO_FAULT,
    BIAS_SIGN,
    BIAS_MISSING,
    BIAS_NEEDS_FORCE,
    KIN_MISSING,
    KIN_BREAKS_EP,
    F_MISSING,
    MASK_SWITCH,
    MASK_EQUAL,
    MASK_DIRECTIONS,
    FORCE_OF_LAMBDA,
    W_SIGN,
    HV_BIAS,
    REFUSES,
    STOPS,
    NOT_A_NUMBER
} fault;

enum { AT_V = 2, AT_P = 5, AT_REST = 9 };

static void write_rest(dfl_blocks *out, const double *x, unsigned need, fault wrong)
{
    const double *v = x + AT_V, *p = x + AT_P;
    const double square =
        need & DFL_FORCE || wrong != BIAS_NEEDS_FORCE ? v[0] * v[0] + v[1] * v[1] : 0;
    if (need & DFL_KINEMATICS) {
        out->kin[0] = v[0];
        if (wrong != KIN_MISSING)
            out->kin[1] = v[1];
        out->kin[2] = (wrong == KIN_BREAKS_EP ? 1 : -1) * p[3] * v[2];
        out->kin[3] = p[2] * v[2];
    }
    if (need & DFL_POSITION) {
        out->g[0] = p[0] * p[0] + p[1] * p[1] - 1;
        out->ep[0] = p[2] * p[2] + p[3] * p[3] - 1;
    }
    if (need & DFL_VELOCITY) {
        out->gI[0] = 2 * (p[0] * v[0] + p[1] * v[1]);
        out->hv[0] = p[0] * v[1] + v[0];
    }
    if (need & DFL_DIRECTIONS) {
        out->W[0] = (wrong == W_SIGN ? -2 : 2) * p[0];
        out->W[1] = 1;
        out->W[2] = 2 * p[1];
        out->W[3] = p[0];
    }
    if (need & DFL_BIAS && wrong != BIAS_MISSING) {
        out->bias[0] = (wrong == BIAS_SIGN ? -2 : 2) * square;
        out->bias[1] = wrong == HV_BIAS ? 0 : v[0] * v[1];
    }
}

static int eval_rest(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const fault wrong = *(const fault *)user;
    (void)t;
    if ((wrong == REFUSES || wrong == STOPS) && fabs(x[AT_V]) > 0.1)
        return wrong == STOPS ? -1 : 1;
    if (wrong == MASK_DIRECTIONS && need == DFL_DIRECTIONS)
        return 0;
    write_rest(out, x, need, wrong);
    if (wrong == MASK_SWITCH)
        switch (need) {
        case DFL_FORCE:
            out->f[0] = out->f[1] = out->f[2] = 0;
        }
    else if (wrong == MASK_EQUAL ? (need & (DFL_FORCE | DFL_BIAS)) == (DFL_FORCE | DFL_BIAS)
                                 : need & DFL_FORCE) {
        out->f[0] = wrong == FORCE_OF_LAMBDA ? 0.1 * x[0] : 0;
        if (wrong != F_MISSING)
            out->f[1] = -9.81;
        out->f[2] = wrong == NOT_A_NUMBER ? NAN : 0;
    }
    return 0;
}

static run start_at_rest(fault wrong)
{
    const dfl_eom eom = {.np = 4,
                         .nv = 3,
                         .nl = 1,
                         .nm = 1,
                         .nep = 1,
                         .eval = eval_rest,
                         .autonomous = true,
                         .forces_free_of_multipliers = true,
                         .user = &wrong};
    const double x0[AT_REST] = {[AT_P] = 0.8, [AT_P + 1] = -0.6, [AT_P + 2] = 1};
    return run_with(&eom, 0, x0, 0, &(dfl_solver_options){.self_check = true}, NULL);
}

static void the_self_check_finds_errors_that_rest_would_hide(void **state)
{
    (void)state;
    const struct {
        fault wrong;
        const char *message;
    } error[] = {
        {BIAS_SIGN, "the bias of gII[0] is "},
        {BIAS_MISSING, "asked for DFL_BIAS but did not write bias of gII[0]"},
        {BIAS_NEEDS_FORCE, "with need = DFL_BIAS alone eval writes bias of gII[0] = 0, together"},
        {KIN_MISSING, "asked for DFL_KINEMATICS but did not write kin[1]"},
        {KIN_BREAKS_EP, "ep[0] is not kept by the kinematics: its rate is "},
        {F_MISSING, "asked for DFL_FORCE but did not write f[1]"},
        {MASK_SWITCH, "asked for DFL_FORCE but did not write f[0]"},
        {MASK_EQUAL, "with need = DFL_FORCE alone eval does not write f[0]: test the flags with &"},
        {MASK_DIRECTIONS, "with need = DFL_DIRECTIONS alone eval writes W[gI[0], v[0]] = 0"},
        {FORCE_OF_LAMBDA, "forces_free_of_multipliers is set, but f[0] changes with lambda[0]"},
        {W_SIGN, "W[gI[0], v[0]] = -1.6, but d gI[0]/d v[0] = 1.6"},
        {HV_BIAS, "the bias of hI[0] is 0, but the rate of "},
    };
    const run right = start_at_rest(NO_FAULT);
    assert_succeeded(&right);
    for (size_t i = 0; i < sizeof error / sizeof *error; i++) {
        const run wrong = start_at_rest(error[i].wrong);
        assert_failed(&wrong, DFL_INVALID, error[i].message);
    }
}

static void the_self_check_does_without_states_that_the_model_refuses(void **state)
{
    (void)state;
    const run refuses = start_at_rest(REFUSES), stops = start_at_rest(STOPS);
    const run nan = start_at_rest(NOT_A_NUMBER);
    assert_succeeded(&refuses);
    assert_failed(&stops, DFL_CALLBACK, "self-check: eval fails");
    assert_failed(&nan, DFL_NOT_FINITE, "self-check: eval returns NaN or Inf in f[2]");
}

/* The energy of a pendulum that begins with its true multiplier, wrong by a term in p. */
static int eval_energy(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double *v = x + 1, *p = x + 3, g = 9.81, *wrong = user;
    (void)t;
    if (need & DFL_FORCE)
        out->f[0] = 0, out->f[1] = -g;
    if (need & DFL_POSITION)
        out->g[0] = (p[0] * p[0] + p[1] * p[1] - 1) / 2;
    if (need & DFL_VELOCITY) {
        out->gI[0] = p[0] * v[0] + p[1] * v[1];
        out->e[0] = (v[0] * v[0] + v[1] * v[1] - 1) / 2 + *wrong * g * p[1];
    }
    if (need & DFL_DIRECTIONS)
        out->W[0] = p[0], out->W[1] = p[1];
    if (need & DFL_BIAS)
        out->bias[0] = v[0] * v[0] + v[1] * v[1];
    return 0;
}

static void the_self_check_finds_an_energy_that_is_not_kept(void **state)
{
    (void)state;
    double factor = 1;
    const dfl_eom eom = {.np = 2,
                         .nv = 2,
                         .nl = 1,
                         .ne = 1,
                         .eval = eval_energy,
                         .trivial_kinematics = true,
                         .user = &factor};
    /* at p = (1, 0), v = (0, 1): a = (-l, -g), gII = -l + 1 */
    const double x0[] = {1, 0, 1, 1, 0};
    const dfl_solver_options options = {.self_check = true};
    const run right = run_with(&eom, 0, x0, 0, &options, NULL);
    assert_succeeded(&right);
    factor = 2;
    const run wrong = run_with(&eom, 0, x0, 0, &options, NULL);
    assert_failed(&wrong, DFL_INVALID, "e[0] is not kept by the motion: its rate is 9.81");
}

static void the_self_check_is_not_counted(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_servo(&prob, 0));
    const run with = run_problem(&prob, 0.01, &(dfl_solver_options){.self_check = true});
    const run without = run_problem(&prob, 0.01, NULL);
    assert_succeeded(&with);
    assert_int_equal(with.stats.evaluations, without.stats.evaluations);
    assert_int_equal(with.stats.difference_evaluations, without.stats.difference_evaluations);
    assert_memory_equal(with.x, without.x, sizeof with.x);
    problem_free(&prob);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_agree_with_the_analytic_jacobian),
        cmocka_unit_test(columns_that_are_known_are_not_differenced),
        cmocka_unit_test(columns_ask_only_for_blocks_that_depend_on_them),
        cmocka_unit_test(the_self_check_accepts_all_problems),
        cmocka_unit_test(the_self_check_finds_an_error_in_each_block),
        cmocka_unit_test(the_self_check_finds_errors_that_rest_would_hide),
        cmocka_unit_test(the_self_check_does_without_states_that_the_model_refuses),
        cmocka_unit_test(the_self_check_finds_an_energy_that_is_not_kept),
        cmocka_unit_test(the_self_check_is_not_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
