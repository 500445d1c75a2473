/* test_separation.c: the form separation, (17) to (19) of Kurz, Burkhardt and Eberhard (2011), on
   the slider crank of their section 5 with our data (problem_slidercrank_level). The angle of the
   crank after 40 s was computed independently, with the equation of the crank angle alone. */
#include "support.h"

#include <stdlib.h>

enum { NL = 2, NV = 3, V = NL, P = NL + NV, N = NL + 2 * NV };
enum { X, ALPHA, BETA, NONE };
/* of the same equation */
static const double first_dead_centre = 0.50366;
static const double angle_after_40_s = 167.1991, pi = 3.14159265358979323846;

/* A run of the crank; what is independent: X, ALPHA, BETA, or NONE. */
typedef struct crank_run {
    run r;
    double angle, energy;
} crank_run;

static crank_run turn(dfl_solver_options options, int independent, double t_end)
{
    bool chosen[N] = {false};
    problem prob;
    crank_run out;
    assert_true(problem_slidercrank_level(&prob));
    options.atol = 1e-3 * options.rtol;
    if (independent != NONE) {
        chosen[V + independent] = chosen[P + independent] = true;
        options.constraints.independent = chosen;
    }
    out.r = run_with(&prob.eom, 0, prob.x0, t_end, &options, NULL);
    assert_succeeded(&out.r);
    out.angle = out.r.x[P + ALPHA] + out.r.x[P + BETA] - pi;
    out.energy = prob.energy(out.r.x, prob.parameters) - prob.energy(prob.x0, prob.parameters);
    problem_free(&prob);
    return out;
}

static dfl_solver_options separated(dfl_integrator integrator, double rtol)
{
    return (dfl_solver_options){.form = DFL_SEPARATION, .integrator = integrator, .rtol = rtol};
}

/* (30) is (17) with an orthonormal T that is recomputed at each evaluation, so steps are the same
   up to rounding, which grows over 10 s. */
static void an_orthonormal_basis_of_each_evaluation_is_qr(void **state)
{
    (void)state;
    const dfl_integrator methods[] = {DFL_EXPLICIT_PAIR, DFL_RADAU, DFL_BDF};
    for (int i = 0; i < 3; i++) {
        dfl_solver_options options = {.integrator = methods[i], .rtol = 1e-7, .step.fixed = 0.005};
        options.form = DFL_QR;
        const crank_run qr = turn(options, NONE, 2);
        options.form = DFL_SEPARATION;
        options.constraints.renewal = DFL_RENEW_ALWAYS;
        const crank_run other = turn(options, NONE, 2);
        assert_true(distance(qr.r.x + V, other.r.x + V, 2 * NV) < 1e-9);
    }
}

/* Kept, renewed by a criterion, recomputed at each evaluation; single coordinates or combinations.
   Pivoting keeps beta, which is a coordinate everywhere; the tangent plane turns with every half
   turn of the crank. */
static void every_rule_of_renewal_follows_the_motion(void **state)
{
    (void)state;
    const struct {
        dfl_selectors selectors;
        dfl_renewal renewal;
        long least;
    } all[] = {{DFL_UNIT, DFL_RENEW_NEVER, 1},          {DFL_UNIT, DFL_RENEW_ON_CHANGE, 1},
               {DFL_UNIT, DFL_RENEW_ALWAYS, 1},         {DFL_ORTHOGONAL, DFL_RENEW_NEVER, 1},
               {DFL_ORTHOGONAL, DFL_RENEW_DEFAULT, 50}, {DFL_ORTHOGONAL, DFL_RENEW_ALWAYS, 1}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        dfl_solver_options options = separated(DFL_EXPLICIT_PAIR, 1e-8);
        options.constraints.selectors = all[i].selectors;
        options.constraints.renewal = all[i].renewal;
        const crank_run c = turn(options, NONE, 40);
        assert_near(c.angle, angle_after_40_s, 1e-3);
        assert_near(c.energy, 0, 2e-5);
        assert_true(c.r.stats.selector_computations >= all[i].least);
    }
}

/* Table 1, rows 4 to 6, and figure 3: every choice runs 40 s, with a drift far below that of the
   explicit form. Where x or alpha is no coordinate the steps pass, with errors that show in the
   energy, not in the drift. */
static void each_coordinate_runs_40_s(void **state)
{
    (void)state;
    const crank_run drifting = turn(
        (dfl_solver_options){.form = DFL_EXPLICIT, .integrator = DFL_EXPLICIT_PAIR, .rtol = 1e-6},
        NONE, 40);
    double energy[3];
    for (int i = X; i <= BETA; i++) {
        dfl_solver_options options = separated(DFL_EXPLICIT_PAIR, 1e-6);
        options.constraints.renewal = DFL_RENEW_NEVER;
        const crank_run c = turn(options, i, 40);
        assert_true(c.r.stats.max_residual.position <
                    0.05 * drifting.r.stats.max_residual.position);
        assert_near(c.angle, angle_after_40_s, i == BETA ? 1e-3 : 1);
        energy[i] = fabs(c.energy);
    }
    assert_true(energy[X] > 10 * energy[BETA] && energy[ALPHA] > 10 * energy[BETA]);
}

/* A coordinate that rests at a dead centre: what would pass is asked for with renewal = never. */
static void a_coordinate_ends_with_its_chart(void **state)
{
    (void)state;
    const dfl_integrator methods[] = {DFL_RADAU, DFL_EXPLICIT_PAIR, DFL_BDF, DFL_TRAPEZOIDAL};
    problem prob;
    assert_true(problem_slidercrank_level(&prob));
    for (int i = 0; i < 8; i++) {
        bool chosen[N] = {false};
        dfl_solver_options options = separated(methods[i / 2], 1e-6);
        options.step.fixed = i % 2 ? 0.005 : 0;
        chosen[V + X] = chosen[P + X] = true;
        options.constraints.independent = chosen;
        const run r = run_with(&prob.eom, 0, prob.x0, 40, &options, NULL);
        assert_int_equal(r.status, DFL_SINGULAR);
        const char *when = strstr(r.message, "do not determine the motion at t = ");
        assert_non_null(when);
        assert_near(atof(strstr(when, "= ") + 2), first_dead_centre, 1e-2);
        assert_true(fabs(prob.energy(r.x, prob.parameters) -
                         prob.energy(prob.x0, prob.parameters)) < (i % 2 ? 1e-2 : 1e-3));
    }
    problem_free(&prob);
}

/* The drift of positions grows linearly, that of the explicit form quadratically. */
static void drift_grows_linearly(void **state)
{
    (void)state;
    dfl_solver_options options = separated(DFL_EXPLICIT_PAIR, 1e-6);
    const double early = turn(options, BETA, 20).r.stats.max_residual.position,
                 late = turn(options, BETA, 160).r.stats.max_residual.position;
    assert_true(late < 20 * early); /* 8 times as long; the square is 64 */
    options.form = DFL_EXPLICIT;
    assert_true(turn(options, NONE, 160).r.stats.max_residual.position >
                30 * turn(options, NONE, 20).r.stats.max_residual.position);
}

/* A^T p is a coordinate for every regular A: combinations determine the same motion. */
static void combinations_of_coordinates_are_coordinates(void **state)
{
    (void)state;
    const double A[NV] = {0.3, 0, 1}, twice[NV] = {0.6, 0, 2};
    const struct {
        dfl_form form;
        dfl_integrator integrator;
    } all[] = {{DFL_PARTITION, DFL_RADAU},
               {DFL_PARTITION, DFL_EXPLICIT_PAIR},
               {DFL_SEPARATION, DFL_EXPLICIT_PAIR},
               {DFL_SEPARATION, DFL_RADAU}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        dfl_solver_options options = {
            .form = all[i].form, .integrator = all[i].integrator, .rtol = 1e-8};
        options.constraints.ncombinations = 1;
        options.constraints.combinations = A;
        const crank_run c = turn(options, NONE, 40);
        assert_near(c.angle, angle_after_40_s, 1e-3);
        assert_near(c.energy, 0, 2e-5);
        options.constraints.combinations = twice; /* the same coordinate in another unit */
        assert_true(distance(turn(options, NONE, 5).r.x + V,
                             (options.constraints.combinations = A, turn(options, NONE, 5)).r.x + V,
                             2 * NV) < 1e-8);
    }
}

/* A unit vector given as a combination is the partition of that name, to the last bit of fixed
   steps. */
static void a_unit_vector_is_a_single_coordinate(void **state)
{
    (void)state;
    const double A[NV] = {0, 0, 1};
    dfl_solver_options options = {.form = DFL_PARTITION, .rtol = 1e-8, .step.fixed = 0.01};
    const crank_run named = turn(options, BETA, 1);
    options.constraints.ncombinations = 1;
    options.constraints.combinations = A;
    const crank_run combined = turn(options, NONE, 1);
    assert_true(distance(named.r.x + V, combined.r.x + V, 2 * NV) < 1e-13);
}

static void assert_refused(dfl_solver_options options, const char *part)
{
    problem prob;
    assert_true(problem_slidercrank_level(&prob));
    const run r = run_with(&prob.eom, 0, prob.x0, 1, &options, NULL);
    assert_int_equal(r.status, DFL_INVALID);
    assert_non_null(strstr(r.message, part));
    problem_free(&prob);
}

static void wrong_combinations_are_refused(void **state)
{
    (void)state;
    const double A[2 * NV] = {1, 0, 0, 2, 0, 0};
    bool chosen[N] = {false};
    dfl_solver_options options = {.form = DFL_PSF};
    options.constraints.ncombinations = 1;
    options.constraints.combinations = A;
    assert_refused(options, "partition and separation");
    options.form = DFL_SEPARATION;
    options.constraints.ncombinations = 2;
    assert_refused(options, "2 combinations");
    options.constraints.independent = chosen;
    assert_refused(options, "either");
    options = (dfl_solver_options){.form = DFL_PARTITION};
    options.constraints.renewal = DFL_RENEW_NEVER;
    assert_refused(options, "separation");
}

/* Masses on springs of their own, without a constraint: x_i = cos(i t). */
enum { MASSES = 9 };

static int eval_springs(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t;
    (void)user;
    for (int i = 0; i < MASSES && need & DFL_FORCE; i++)
        out->f[i] = -(i + 1) * (i + 1) * x[MASSES + i];
    return 0;
}

static int unit_masses(double *M, double t, const double *x, void *user)
{
    (void)t;
    (void)x;
    (void)user;
    for (int i = 0; i < MASSES; i++)
        M[i] = 1;
    return 0;
}

static void without_constraints_all_velocities_are_independent(void **state)
{
    (void)state;
    const dfl_eom eom = {.np = MASSES,
                         .nv = MASSES,
                         .eval = eval_springs,
                         .mass = unit_masses,
                         .trivial_kinematics = true,
                         .mass_diagonal = true,
                         .mass_constant = true};
    const double t = 1;
    double x0[2 * MASSES] = {0};
    for (int i = 0; i < MASSES; i++)
        x0[MASSES + i] = 1;
    for (int k = 0; k < 4; k++) {
        dfl_solver_options options = separated(k % 2 ? DFL_RADAU : DFL_EXPLICIT_PAIR, 1e-9);
        options.constraints.selectors = k < 2 ? DFL_UNIT : DFL_ORTHOGONAL;
        const run r = run_with(&eom, 0, x0, t, &options, NULL);
        assert_succeeded(&r);
        for (int i = 0; i < MASSES; i++)
            assert_near(r.x[MASSES + i], cos((i + 1) * t), 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_orthonormal_basis_of_each_evaluation_is_qr),
        cmocka_unit_test(every_rule_of_renewal_follows_the_motion),
        cmocka_unit_test(each_coordinate_runs_40_s),
        cmocka_unit_test(a_coordinate_ends_with_its_chart),
        cmocka_unit_test(drift_grows_linearly),
        cmocka_unit_test(combinations_of_coordinates_are_coordinates),
        cmocka_unit_test(a_unit_vector_is_a_single_coordinate),
        cmocka_unit_test(wrong_combinations_are_refused),
        cmocka_unit_test(without_constraints_all_velocities_are_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
