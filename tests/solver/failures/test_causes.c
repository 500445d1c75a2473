/* test_causes.c: what a failure is about (dfl_solver_failure), conditions that must determine
   the start (`unique`), and the rounding of a model (`rounding`).

   All models are a point (x, y) on a rod of length 1 with gravity 10, in GEOMS's contract, with
   a fault that the parameters describe; x = [w l | v | p]. */
#include "support.h"

typedef struct faults {
    bool doubled;   /* the rod twice */
    bool flat;      /* d = 0 does not contain w */
    bool massless;  /* M = 0 in a free direction */
    bool norm_only; /* the second row of g is 0 = 1 - 1: no row of gI */
    double noise;   /* relative, in f */
} faults;

static dfl_eom model(faults *fault);

static double noisy(double value, double noise, double x)
{
    return value * (1 + noise * sin(1e12 * x));
}

/* nw = flat, nl = 1 or 2 */
static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const faults *fault = user;
    const int nw = fault->flat, nl = 1 + (fault->doubled || fault->norm_only);
    const double *l = x + nw, *v = l + nl, *p = v + 2;
    const double pull = l[0] + (fault->doubled ? l[1] : 0);
    (void)t, (void)need;
    out->kin[0] = v[0], out->kin[1] = v[1];
    out->f[0] = noisy(-2 * p[0] * pull, fault->noise, p[0]);
    out->f[1] = noisy(-10 - 2 * p[1] * pull, fault->noise, p[1]);
    if (fault->flat)
        out->d[0] = p[0] * p[0] + p[1] * p[1] - 1;
    for (int i = 0; i < nl; i++) {
        const double on = i == 1 && fault->norm_only ? 0 : 1;
        out->g[i] = on * (p[0] * p[0] + p[1] * p[1] - 1);
        out->gI[i] = 2 * on * (p[0] * v[0] + p[1] * v[1]);
        out->bias[i] = 2 * on * (p[0] * out->f[0] + p[1] * out->f[1] + v[0] * v[0] + v[1] * v[1]);
    }
    if (fault->norm_only) /* another function of p, whose rate is not what gI says */
        out->g[1] = p[0] - p[0] * p[0] * p[0];
    return 0;
}

/* M v' = 0 with M = 0: nothing determines v. */
static int eval_massless(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t, (void)need, (void)user;
    out->kin[0] = x[0];
    out->f[0] = 0;
    return 0;
}

static int no_mass(double *M, double t, const double *x, void *user)
{
    (void)M, (void)t, (void)x, (void)user;
    return 0;
}

static dfl_eom model(faults *fault)
{
    if (fault->massless)
        return (dfl_eom){.np = 1,
                         .nv = 1,
                         .eval = eval_massless,
                         .mass = no_mass,
                         .user = fault,
                         .contract = DFL_GEOMS};
    return (dfl_eom){.np = 2,
                     .nv = 2,
                     .nw = fault->flat,
                     .nl = 1 + (fault->doubled || fault->norm_only),
                     .eval = eval,
                     .user = fault,
                     .contract = DFL_GEOMS};
}

/* The status and cause of a run from rest at a position or, for the massless one, at 0. */
typedef struct end {
    dfl_status status;
    dfl_failure failure;
    dfl_statistics stats;
} end;

static end run_fault(faults fault, const dfl_solver_options *options, const dfl_conditions *cond,
                     const double *position, double t_end)
{
    const dfl_eom eom = model(&fault);
    const int n = dfl_eom_unknowns(&eom);
    double x0[8] = {0};
    if (!fault.massless)
        memcpy(x0 + n - 2, position, 2 * sizeof *x0);
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    assert_int_equal(dfl_solver_create(&solver, ctx, &eom, options), DFL_OK);
    assert_int_equal(dfl_solver_failure(solver), DFL_FAILURE_OTHER);
    end e = {dfl_solver_start(solver, 0, x0, cond), DFL_FAILURE_OTHER, {0}};
    if (!e.status)
        e.status = dfl_solver_advance(solver, t_end);
    e.failure = dfl_solver_failure(solver);
    e.stats = dfl_solver_statistics(solver);
    dfl_solver_free(solver);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
    return e;
}

static const double aside[2] = {0.6, -0.8}, off[2] = {0.6, -0.7};

static void assert_cause(faults fault, const dfl_solver_options *options, dfl_status status,
                         dfl_failure failure)
{
    const end e = run_fault(fault, options, NULL, aside, 0.1);
    assert_int_equal(e.status, status);
    assert_int_equal(e.failure, failure);
}

static void a_success_has_no_cause(void **state)
{
    (void)state;
    assert_cause((faults){0}, NULL, DFL_OK, DFL_FAILURE_OTHER);
}

static void dependent_and_singular_blocks_are_told_apart(void **state)
{
    (void)state;
    const dfl_solver_options lu = {.constraints.algebraic = DFL_ALGEBRAIC_LU};
    const dfl_solver_options qr = {.constraints.algebraic = DFL_ALGEBRAIC_QR};
    assert_cause((faults){.doubled = true}, &lu, DFL_SINGULAR, DFL_FAILURE_POSITION);
    assert_cause((faults){.doubled = true}, &qr, DFL_SINGULAR, DFL_FAILURE_POSITION);
    assert_cause((faults){.flat = true}, &lu, DFL_SINGULAR, DFL_FAILURE_MULTIPLIERS);
    assert_cause((faults){.massless = true}, NULL, DFL_SINGULAR, DFL_FAILURE_NEWTON_MATRIX);
}

/* gI of the second row vanishes although g does not: rank 2 of the positions, 1 of the
   velocities. */
static void rows_of_different_rank_are_a_matter_of_the_velocities(void **state)
{
    (void)state;
    const double upright[2] = {0, 1};
    const end e = run_fault((faults){.norm_only = true}, NULL, NULL, upright, 0.1);
    assert_int_equal(e.status, DFL_SINGULAR);
    assert_int_equal(e.failure, DFL_FAILURE_VELOCITY);
    assert_int_equal(e.stats.rank_position, 2);
    assert_int_equal(e.stats.rank_velocity, 1);
}

/* ---- conditions ---- */

/* x = a and, with a second one, vx = 0 */
static int at_x(double *residual, double t, const double *x, void *user)
{
    (void)t;
    residual[0] = x[3] - *(const double *)user;
    residual[1] = x[1];
    return 0;
}

static end start_at(double a, int conditions, bool unique, const double *position)
{
    const dfl_conditions cond = {.mode = DFL_START_CONDITIONS,
                                 .unique = unique,
                                 .nconditions = conditions,
                                 .condition = at_x,
                                 .user = &a};
    return run_fault((faults){0}, NULL, &cond, position, 0);
}

static int at_x_only(double *residual, double t, const double *x, void *user)
{
    (void)t;
    residual[0] = x[3] - *(const double *)user;
    return 0;
}

static end start_at_x_only(double a, bool unique, const double *position)
{
    const dfl_conditions cond = {.mode = DFL_START_CONDITIONS,
                                 .unique = unique,
                                 .nconditions = 1,
                                 .condition = at_x_only,
                                 .user = &a};
    return run_fault((faults){0}, NULL, &cond, position, 0);
}

static void enough_conditions_are_unique(void **state)
{
    (void)state;
    assert_int_equal(start_at(0.6, 2, true, off).status, DFL_OK);
}

static void too_few_conditions_are_refused_only_where_uniqueness_is_asked_for(void **state)
{
    (void)state;
    assert_int_equal(start_at_x_only(0.6, false, off).status, DFL_OK);
    const end e = start_at_x_only(0.6, true, off);
    assert_int_equal(e.status, DFL_INCONSISTENT);
    assert_int_equal(e.failure, DFL_FAILURE_UNDETERMINED);
}

/* At rest at the lowest point with l = 5 everything holds already: f = -10 + 2 l = 0. */
static void consistent_values_need_no_conditions(void **state)
{
    (void)state;
    faults fault = {0};
    double a = 0;
    const dfl_eom eom = model(&fault);
    const double x0[5] = {5, 0, 0, 0, -1};
    const dfl_conditions cond = {.mode = DFL_START_CONDITIONS,
                                 .unique = true,
                                 .nconditions = 1,
                                 .condition = at_x_only,
                                 .user = &a};
    const run r = run_with(&eom, 0, x0, 0, NULL, &cond);
    assert_succeeded(&r);
    assert_near(distance(r.x, x0, 5), 0, 0); /* nothing is changed */
}

static void contradictions_are_told_from_open_unknowns(void **state)
{
    (void)state;
    const end e = start_at(1.5, 2, true, aside); /* beyond the rod */
    assert_int_equal(e.status, DFL_INCONSISTENT);
    assert_true(e.failure == DFL_FAILURE_CONTRADICTION || e.failure == DFL_FAILURE_ITERATIONS);
    const end f = run_fault((faults){0}, NULL, &(dfl_conditions){.mode = DFL_START_CHECK}, off, 0);
    assert_int_equal(f.status, DFL_INCONSISTENT);
    assert_int_equal(f.failure, DFL_FAILURE_CONTRADICTION);
}

/* The multipliers of a rod given twice are never determined; everything else is. */
static int hold_doubled(double *residual, double t, const double *x, void *user)
{
    (void)t, (void)user;
    residual[0] = x[4] - 0.6;
    residual[1] = x[2];
    return 0;
}

static void multipliers_of_redundant_constraints_may_stay_open(void **state)
{
    (void)state;
    const dfl_conditions cond = {
        .mode = DFL_START_CONDITIONS, .unique = true, .nconditions = 2, .condition = hold_doubled};
    assert_int_equal(run_fault((faults){.doubled = true}, NULL, &cond, off, 0).status, DFL_OK);
}

/* ---- rounding ---- */

/* With noise of 1e-7 in the forces of size 10, differences by the root of 2.2e-16 are wrong by
   up to 1e-6 / 1.5e-8, those by the root of 1e-7 by 3e-3. Single runs depend on what the noise
   happens to be: ten are added up. */
static void differences_follow_the_rounding_of_the_model(void **state)
{
    (void)state;
    long plain = 0, told = 0;
    for (int k = 0; k < 10; k++) {
        dfl_solver_options options = {.rtol = 1e-4 * (1 + 0.01 * k), .order = 5};
        const end a = run_fault((faults){.noise = 1e-7}, &options, NULL, aside, 2);
        options.error.rounding = 1e-7;
        const end b = run_fault((faults){.noise = 1e-7}, &options, NULL, aside, 2);
        assert_int_equal(b.status, DFL_OK);
        print_message("Newton iterations with noise: %ld, told of it: %ld\n",
                      a.stats.back_substitutions, b.stats.back_substitutions);
        plain += a.stats.back_substitutions;
        told += b.stats.back_substitutions;
    }
    assert_true(5 * told < 4 * plain);
}

static void rounding_has_a_range(void **state)
{
    (void)state;
    faults fault = {0};
    const dfl_eom eom = model(&fault);
    const double bad[] = {-1, 1e-20, 0.1, NAN};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const run r = run_with(&eom, 0, (const double[5]){0, 0, 0, 0, -1}, 1,
                               &(dfl_solver_options){.error.rounding = bad[i]}, NULL);
        assert_failed(&r, DFL_INVALID, "rounding");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_success_has_no_cause),
        cmocka_unit_test(dependent_and_singular_blocks_are_told_apart),
        cmocka_unit_test(rows_of_different_rank_are_a_matter_of_the_velocities),
        cmocka_unit_test(enough_conditions_are_unique),
        cmocka_unit_test(too_few_conditions_are_refused_only_where_uniqueness_is_asked_for),
        cmocka_unit_test(consistent_values_need_no_conditions),
        cmocka_unit_test(contradictions_are_told_from_open_unknowns),
        cmocka_unit_test(multipliers_of_redundant_constraints_may_stay_open),
        cmocka_unit_test(differences_follow_the_rounding_of_the_model),
        cmocka_unit_test(rounding_has_a_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
