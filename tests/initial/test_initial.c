/* test_initial.c: consistent initial values: as given, checked, projected, from conditions.

   A completed state is checked by its rows and by the conditions for a least change: p - p0 lies in
   the range of [c g ep]^T_(s,p), M (v - v0) in the range of [gI hv]^T_v. Completed states are good
   to rounding; EXACT leaves a few hundred roundings for the iterations and the residual of the last
   one. */
#include "pendulum.h"

#define EXACT 1e-12

/* Starts only. */
static run start(const dfl_eom *eom, double t0, const double *x0, const dfl_conditions *cond)
{
    return run_with(eom, t0, x0, t0, NULL, cond);
}

/* g, gI and gII of a pendulum state of length 1. */
static void assert_on_pendulum(const double *x)
{
    const double gravity = ((pendulum_parameters *)pendulum.parameters)->g;
    const double v2 = x[VX] * x[VX] + x[VY] * x[VY];
    assert_near(x[X] * x[X] + x[Y] * x[Y], 1, EXACT);
    assert_near(x[X] * x[VX] + x[Y] * x[VY], 0, EXACT);
    assert_near(2 * x[LAMBDA], v2 - gravity * x[Y], 100 * EXACT); /* gravity is 14, v2 up to 10 */
}

/* ---- modes ---- */

static const double far[N] = {3, 1, 2, 0.9, -1.2};

static void as_given_changes_nothing(void **state)
{
    (void)state;
    const dfl_conditions cond = {.mode = DFL_START_AS_GIVEN};
    const run r = start(&pendulum.eom, 0, far, &cond);
    assert_succeeded(&r);
    assert_memory_equal(r.x, far, sizeof far);
}

static void check_accepts_consistent_values_and_changes_nothing(void **state)
{
    (void)state;
    const dfl_conditions cond = {.mode = DFL_START_CHECK};
    for (int i = 0; i < pendulum.nreferences; i++) {
        const run r = start(&pendulum.eom, 0, pendulum.references[i].x, &cond);
        assert_succeeded(&r);
        assert_memory_equal(r.x, pendulum.references[i].x, N * sizeof(double));
    }
}

static void check_names_the_row_of_each_level(void **state)
{
    (void)state;
    const dfl_conditions cond = {.mode = DFL_START_CHECK};
    const double g = ((pendulum_parameters *)pendulum.parameters)->g;
    const double position[N] = {0, 0, 0, 1.1, 0}, velocity[N] = {0.005, 0.1, 0, 1, 0},
                 multiplier[N] = {0.5 * g + 1, 0, 0, 0, -1};
    const run p = start(&pendulum.eom, 0, position, &cond);
    const run v = start(&pendulum.eom, 0, velocity, &cond);
    const run l = start(&pendulum.eom, 0, multiplier, &cond);
    assert_failed(&p, DFL_INCONSISTENT, "g[0]");
    assert_failed(&v, DFL_INCONSISTENT, "gI[0]");
    assert_failed(&l, DFL_INCONSISTENT, "gII[0]");
    assert_non_null(strstr(l.message, "DFL_START_PROJECT"));
}

/* The limit is ten times the absolute tolerance. */
static void check_allows_ten_times_the_absolute_tolerance(void **state)
{
    (void)state;
    const dfl_conditions cond = {.mode = DFL_START_CHECK};
    const double x0[N] = {0, 0, 0, 1.0000024999968751, 0}; /* g = 5e-6 */
    const run loose = run_with(&pendulum.eom, 0, x0, 0, &(dfl_solver_options){.atol = 1e-6}, &cond);
    const run tight = run_with(&pendulum.eom, 0, x0, 0, &(dfl_solver_options){.atol = 1e-7}, &cond);
    const double each[N] = {1e-7, 1, 1, 1, 1};
    const run least =
        run_with(&pendulum.eom, 0, x0, 0, &(dfl_solver_options){.error.atol_each = each}, &cond);
    assert_succeeded(&loose);
    assert_failed(&tight, DFL_INCONSISTENT, "g[0]");
    assert_failed(&least, DFL_INCONSISTENT, "g[0]");
}

/* ---- least change ---- */

static void projection_is_the_default_and_orthogonal(void **state)
{
    (void)state;
    const run r = start(&pendulum.eom, 0, far, NULL);
    assert_succeeded(&r);
    assert_on_pendulum(r.x);
    /* the nearest point of a circle lies on the ray; the nearest velocity on the normal */
    const double length = hypot(far[X], far[Y]);
    assert_near(r.x[X], far[X] / length, EXACT);
    assert_near(r.x[Y], far[Y] / length, EXACT);
    const double normal = (far[VX] * far[X] + far[VY] * far[Y]) / length;
    assert_near(r.x[VX], far[VX] - normal * far[X] / length, EXACT);
    assert_near(r.x[VY], far[VY] - normal * far[Y] / length, EXACT);
}

/* Two points of masses 1 and 4 with velocities only along x, tied: v1 = v2. */
static int eval_tied(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double *v = x + 1, *p = x + 3;
    (void)t, (void)user;
    if (need & DFL_KINEMATICS)
        out->kin[0] = v[0], out->kin[1] = v[1];
    if (need & DFL_FORCE)
        out->f[0] = 0, out->f[1] = 0;
    if (need & DFL_POSITION)
        out->g[0] = p[0] - p[1];
    if (need & DFL_VELOCITY)
        out->gI[0] = v[0] - v[1];
    if (need & DFL_DIRECTIONS)
        out->W[0] = 1, out->W[1] = -1;
    if (need & DFL_BIAS)
        out->bias[0] = 0;
    return 0;
}

static int mass_tied(double *M, double t, const double *x, void *user)
{
    (void)t, (void)x, (void)user;
    M[0] = 1;
    M[3] = 4;
    return 0;
}

static const dfl_eom tied = {.np = 2, .nv = 2, .nl = 1, .eval = eval_tied, .mass = mass_tied};

static void velocities_change_least_in_the_metric_of_the_mass(void **state)
{
    (void)state;
    const double x0[5] = {0, 5, 0, 1, 0};
    const run r = start(&tied, 0, x0, NULL);
    assert_succeeded(&r);
    /* an inelastic impact: the momentum 1*5 + 4*0 stays, so v = 1; positions meet in the middle */
    assert_near(r.x[1], 1, EXACT);
    assert_near(r.x[2], 1, EXACT);
    assert_near(r.x[3], 0.5, EXACT);
    assert_near(r.x[4], 0.5, EXACT);
}

static void weights_replace_the_metric(void **state)
{
    (void)state;
    const double x0[5] = {0, 5, 0, 1, 0}, weight[5] = {1, 3, 1, 1, 4};
    const dfl_conditions cond = {.weight = weight};
    const run r = start(&tied, 0, x0, &cond);
    assert_succeeded(&r);
    /* min 3 (v - 5)^2 + v^2 and (p - 1)^2 + 4 p^2 */
    assert_near(r.x[1], 15.0 / 4, EXACT);
    assert_near(r.x[2], 15.0 / 4, EXACT);
    assert_near(r.x[3], 1.0 / 5, EXACT);
    assert_near(r.x[4], 1.0 / 5, EXACT);
    const double negative[5] = {1, 1, -1, 1, 1}, nan[5] = {1, NAN, 1, 1, 1};
    const run bad = start(&tied, 0, x0, &(dfl_conditions){.weight = negative});
    assert_failed(&bad, DFL_INVALID, "weight[2]");
    const run not_a_number = start(&tied, 0, x0, &(dfl_conditions){.weight = nan});
    assert_failed(&not_a_number, DFL_INVALID, "weight[1]");
}

/* A full mass matrix, nonlinear constraints: the slider-crank moved off its constraints. */
static void the_conditions_for_a_minimum_hold_for_a_full_mass_matrix(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_slidercrank(&prob, 0));
    const dfl_eom *eom = &prob.eom;
    const dfl_layout at = dfl_eom_layout(eom);
    enum { MOST = 8 };
    double x0[RUN_MOST], M[MOST * MOST] = {0}, W[MOST * MOST] = {0};
    memcpy(x0, prob.x0, (size_t)at.n * sizeof *x0);
    for (int i = 0; i < eom->np; i++)
        x0[at.p + i] += 0.02 * (i + 1);
    for (int i = 0; i < eom->nv; i++)
        x0[at.v + i] += 0.5 - 0.3 * i;
    const run r = start(eom, prob.t0, x0, NULL);
    assert_succeeded(&r);
    eom->mass(M, prob.t0, r.x, eom->user);
    eom->eval(&(dfl_blocks){.W = W}, prob.t0, r.x, DFL_DIRECTIONS, eom->user);
    assert_true(eom->np == eom->nv && eom->nl <= 2 && eom->nv <= MOST);
    /* both M (v - v0) and p - p0 must be combinations W^T y: what least squares leaves is zero.
       With Z = I, W = G. */
    for (int which = 0; which < 2; which++) {
        double z[MOST], A[2][2] = {{0}}, b[2] = {0}, y[2] = {0};
        const int nv = eom->nv, nl = eom->nl;
        for (int i = 0; i < nv; i++) {
            z[i] = which ? 0 : r.x[at.p + i] - x0[at.p + i];
            for (int j = 0; which && j < nv; j++)
                z[i] += M[j * nv + i] * (r.x[at.v + j] - x0[at.v + j]);
        }
        for (int i = 0; i < nl; i++)
            for (int k = 0; k < nv; k++) {
                b[i] += W[k * nl + i] * z[k];
                for (int j = 0; j < nl; j++)
                    A[i][j] += W[k * nl + i] * W[k * nl + j];
            }
        const double det = nl == 2 ? A[0][0] * A[1][1] - A[0][1] * A[1][0] : A[0][0];
        y[0] = nl == 2 ? (A[1][1] * b[0] - A[0][1] * b[1]) / det : b[0] / det;
        y[1] = nl == 2 ? (A[0][0] * b[1] - A[1][0] * b[0]) / det : 0;
        double size = 0;
        for (int k = 0; k < nv; k++) {
            double left = z[k];
            for (int i = 0; i < nl; i++)
                left -= W[k * nl + i] * y[i];
            size = fmax(size, fabs(z[k]));
            /* the projection converges linearly and stops where its steps are some 1e-14 */
            assert_near(left, 0, 1e-10);
        }
        assert_true(size > 1e-3); /* something had to change */
    }
    problem_free(&prob);
}

/* ---- held values ---- */

static void held_values_are_never_changed(void **state)
{
    (void)state;
    const double x0[N] = {0, 1, 0, 0.6, -1};
    const bool held[N] = {[VX] = true, [X] = true};
    const run r = start(&pendulum.eom, 0, x0, &(dfl_conditions){.held = held});
    assert_succeeded(&r);
    assert_on_pendulum(r.x);
    assert_true(r.x[X] == 0.6);
    assert_true(r.x[VX] == 1);
    assert_near(r.x[Y], -0.8, EXACT);
    assert_near(r.x[VY], 0.75, EXACT);
}

static void held_values_in_conflict_are_named(void **state)
{
    (void)state;
    const double position[N] = {0, 0, 0, 0.6, -1}, velocity[N] = {0, 0, 1, 0, -1},
                 multiplier[N] = {1, 0, 0, 0, -1};
    const bool held_p[N] = {[X] = true, [Y] = true};
    const bool held_v[N] = {[VY] = true, [X] = true, [Y] = true}, held_l[N] = {[LAMBDA] = true};
    const run p = start(&pendulum.eom, 0, position, &(dfl_conditions){.held = held_p});
    assert_failed(&p, DFL_INCONSISTENT, "g[0]");
    assert_non_null(strstr(p.message, "p[0], p[1]"));
    const run v = start(&pendulum.eom, 0, velocity, &(dfl_conditions){.held = held_v});
    assert_failed(&v, DFL_INCONSISTENT, "gI[0]");
    assert_non_null(strstr(v.message, "v[1]"));
    const run l = start(&pendulum.eom, 0, multiplier, &(dfl_conditions){.held = held_l});
    assert_failed(&l, DFL_INCONSISTENT, "gII[0]");
    assert_non_null(strstr(l.message, "lambda[0]"));
}

/* x^2 + y^2 = 1 with x = 0.6 has solutions, but from y = 0 the derivative with respect to y does
   not show them: the guess is to blame, not what is held. With y = 0 held as well it is a
   conflict. */
static void a_stationary_guess_is_named_instead_of_held_values(void **state)
{
    (void)state;
    const double x0[N] = {0, 0, 0, 0.6, 0};
    const bool held_x[N] = {[X] = true}, held_both[N] = {[X] = true, [Y] = true};
    const run guess = start(&pendulum.eom, 0, x0, &(dfl_conditions){.held = held_x});
    assert_failed(&guess, DFL_INCONSISTENT, "guess another p[1]");
    assert_null(strstr(guess.message, "conflict"));
    const run both = start(&pendulum.eom, 0, x0, &(dfl_conditions){.held = held_both});
    assert_failed(&both, DFL_INCONSISTENT, "held values in conflict: p[0]");
    const double origin[N] = {0};
    const run open = start(&pendulum.eom, 0, origin, NULL);
    assert_failed(&open, DFL_INCONSISTENT, "guess another p[0], p[1]");
}

static const char *rod_name(dfl_kind kind, int index, void *user)
{
    (void)index;
    (void)user;
    return kind == DFL_ROW_G || kind == DFL_ROW_GI ? "rod" : NULL;
}

static void a_violated_row_is_named_with_its_level(void **state)
{
    (void)state;
    dfl_eom eom = pendulum.eom;
    eom.name = rod_name;
    const double position[N] = {0, 0, 0, 0.6, -1}, velocity[N] = {0, 0, 1, 0, -1};
    const bool held[N] = {[VY] = true, [X] = true, [Y] = true};
    const run p = start(&eom, 0, position, &(dfl_conditions){.held = held});
    assert_failed(&p, DFL_INCONSISTENT, "rod on position level (residual");
    const run v = start(&eom, 0, velocity, &(dfl_conditions){.held = held});
    assert_failed(&v, DFL_INCONSISTENT, "rod on velocity level (residual");
}

/* x = 2 cannot be reached on the unit circle: no solution, not even far away. */
static void an_unreachable_held_value_is_a_conflict(void **state)
{
    (void)state;
    const double x0[N] = {0, 0, 0, 2, -1};
    const bool held[N] = {[X] = true};
    const run r = start(&pendulum.eom, 0, x0, &(dfl_conditions){.held = held});
    assert_failed(&r, DFL_INCONSISTENT, "p[0]");
}

/* ---- conditions ---- */

typedef struct wish {
    int kind;
    double value;
} wish;

/* 0: p1 = value and |v| = 2; 1: p1 = value; 2: p1 = value, p2 = -value, |v| = 2; 3: NaN; 4: fails
 */
static int condition(double *residual, double t, const double *x, void *user)
{
    const wish *w = user;
    (void)t;
    residual[0] = w->kind == 3 ? NAN : x[X] - w->value;
    if (w->kind == 0 || w->kind == 2)
        residual[1] = x[VX] * x[VX] + x[VY] * x[VY] - 4;
    if (w->kind == 2)
        residual[2] = x[Y] + w->value;
    return w->kind == 4 ? -1 : 0;
}

static run start_wishing(int kind, int n, double value)
{
    wish w = {kind, value};
    const double guess[N] = {0, 1, 1, 0.5, -0.6};
    const dfl_conditions cond = {
        .mode = DFL_START_CONDITIONS, .nconditions = n, .condition = condition, .user = &w};
    return start(&pendulum.eom, 0, guess, &cond);
}

static void enough_conditions_determine_the_start(void **state)
{
    (void)state;
    const run r = start_wishing(0, 2, sqrt(0.5));
    assert_succeeded(&r);
    assert_on_pendulum(r.x);
    assert_near(r.x[X], sqrt(0.5), EXACT);
    assert_near(r.x[Y], -sqrt(0.5), EXACT);
    assert_near(hypot(r.x[VX], r.x[VY]), 2, EXACT);
}

static void fewer_conditions_are_met_together_with_the_constraints(void **state)
{
    (void)state;
    const run r = start_wishing(1, 1, 0.6);
    assert_succeeded(&r);
    assert_on_pendulum(r.x);
    assert_near(r.x[X], 0.6, EXACT);
    assert_near(r.x[Y], -0.8, EXACT);
}

static void more_conditions_must_agree(void **state)
{
    (void)state;
    const run consistent = start_wishing(2, 3, sqrt(0.5));
    assert_succeeded(&consistent);
    assert_on_pendulum(consistent.x);
    const run contradictory = start_wishing(2, 3, 0.6);
    assert_int_equal(contradictory.status, DFL_INCONSISTENT);
    assert_non_null(strstr(contradictory.message, "condition"));
    assert_non_null(strstr(contradictory.message, "residual"));
}

static void conditions_that_cannot_be_evaluated_are_reported(void **state)
{
    (void)state;
    const run nan = start_wishing(3, 1, 0);
    assert_failed(&nan, DFL_NOT_FINITE, "condition 0");
    const run fails = start_wishing(4, 1, 0);
    assert_failed(&fails, DFL_CALLBACK, "condition");
    const dfl_conditions missing = {.mode = DFL_START_CONDITIONS, .nconditions = 1};
    const run r = start(&pendulum.eom, 0, far, &missing);
    assert_failed(&r, DFL_INVALID, "nconditions");
}

static void no_conditions_solve_the_constraints_alone(void **state)
{
    (void)state;
    const dfl_conditions none = {.mode = DFL_START_CONDITIONS};
    const run r = start(&pendulum.eom, 0, far, &none);
    assert_succeeded(&r);
    assert_on_pendulum(r.x);
}

/* ---- models of all kinds ---- */

static void redundant_constraints_get_multipliers_of_minimum_norm(void **state)
{
    (void)state;
    problem prob; /* 24 rows of rank 23 */
    assert_true(problem_bricard(&prob, 0));
    const dfl_layout at = dfl_eom_layout(&prob.eom);
    double x0[RUN_MOST];
    memcpy(x0, prob.x0, (size_t)at.n * sizeof *x0);
    x0[at.p] += 1e-3;
    const run r = start(&prob.eom, prob.t0, x0, NULL);
    assert_succeeded(&r);
    assert_int_equal(r.stats.rank_velocity, prob.eom.nl - 1);
    assert_true(r.stats.max_residual.position < 1e-12);
    const run check = start(&prob.eom, prob.t0, r.x, &(dfl_conditions){.mode = DFL_START_CHECK});
    assert_succeeded(&check);
    problem_free(&prob);
}

static void constraints_are_met_at_the_start_time(void **state)
{
    (void)state;
    problem prob; /* the road under the car moves with t */
    assert_true(problem_caraxis(&prob, 0));
    for (int i = 0; i < 3; i++) {
        const double t = 0.1 * i;
        const run r = start(&prob.eom, t, prob.x0, NULL);
        assert_succeeded(&r);
        assert_true(r.stats.max_residual.position < 1e-12);
        assert_true(r.stats.max_residual.velocity < 1e-11);
        if (i == 0)
            continue;
        const run check = start(&prob.eom, t, prob.x0, &(dfl_conditions){.mode = DFL_START_CHECK});
        assert_int_equal(check.status, DFL_INCONSISTENT);
    }
    problem_free(&prob);
}

/* A mass with 0 = d = exp(w) + w - p: w from a nonlinear equation; f = -w. */
static int eval_implicit(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t, (void)user;
    if (need & DFL_KINEMATICS)
        out->kin[0] = x[1];
    if (need & DFL_FORCE)
        out->f[0] = -x[0];
    if (need & DFL_AUXILIARY)
        out->d[0] = exp(x[0]) + x[0] - x[2];
    return 0;
}

static void nonlinear_auxiliary_equations_are_solved(void **state)
{
    (void)state;
    const dfl_eom eom = {.np = 1, .nv = 1, .nw = 1, .eval = eval_implicit};
    const double x0[3] = {4, 0, 1};
    const run r = start(&eom, 0, x0, NULL);
    assert_succeeded(&r);
    assert_near(r.x[0], 0, EXACT);
    assert_true(r.x[2] == 1);
}

static void values_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    double x0[N] = {0, 0, 0, 1, 0};
    x0[VY] = NAN;
    const run nan = start(&pendulum.eom, 0, x0, NULL);
    assert_failed(&nan, DFL_INVALID, "x0[2]");
    x0[VY] = INFINITY;
    const run infinite = start(&pendulum.eom, 0, x0, NULL);
    assert_failed(&infinite, DFL_INVALID, "x0[2]");
    x0[VY] = 0;
    const run time = start(&pendulum.eom, NAN, x0, NULL);
    assert_failed(&time, DFL_INVALID, "time");
    const run mode = start(&pendulum.eom, 0, x0, &(dfl_conditions){.mode = (dfl_start_mode)4});
    assert_failed(&mode, DFL_INVALID, "mode");
}

/* At rest the energy does not determine a velocity, and need not: it has the right value. */
static void an_invariant_may_be_degenerate_at_the_start(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_pendulum_energy(&prob, 0));
    const run r = start(&prob.eom, 0, prob.x0, NULL);
    assert_succeeded(&r);
    assert_memory_equal(r.x, prob.x0, N * sizeof(double));
    problem_free(&prob);
}

static void an_invariant_corrects_the_velocities(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_pendulum_energy(&prob, 0));
    const double x0[N] = {0, -5, 0, 0, -1};
    const run r = start(&prob.eom, 0, x0, NULL);
    assert_succeeded(&r);
    assert_true(distance(r.x, prob.references[1].x, N) < 100 * EXACT); /* lambda is 20 */
    problem_free(&prob);
}

/* ---- without the bias ---- */

static int eval_no_bias(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    assert_false(need & DFL_BIAS);
    return pendulum.eom.eval(out, t, x, need, user);
}

static void without_the_bias_only_psi1_runs(void **state)
{
    (void)state;
    dfl_eom eom = pendulum.eom;
    eom.eval = eval_no_bias;
    eom.no_bias = true;
    const run psf = run_with(&eom, 0, pendulum.x0, 1.3, NULL, NULL);
    assert_failed(&psf, DFL_INVALID, "psi1");
    const dfl_solver_options options = {.rtol = 1e-8, .form = DFL_PSI1};
    const run psi1 = run_with(&eom, 0, pendulum.x0, 1.3, &options, NULL);
    assert_succeeded(&psi1);
    /* p and v at rtol = 1e-8, with a factor of 100 for accumulation */
    assert_true(error_of(&psi1, &pendulum, 1.3, VX, 4) < 1e-6);
    /* multipliers cannot be completed: they stay as guessed */
    const run guess = run_with(&eom, 0, far, 0, &options, NULL);
    assert_succeeded(&guess);
    assert_true(guess.x[LAMBDA] == far[LAMBDA]);
    assert_near(guess.x[X] * guess.x[X] + guess.x[Y] * guess.x[Y], 1, EXACT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_given_changes_nothing),
        cmocka_unit_test(check_accepts_consistent_values_and_changes_nothing),
        cmocka_unit_test(check_names_the_row_of_each_level),
        cmocka_unit_test(check_allows_ten_times_the_absolute_tolerance),
        cmocka_unit_test(projection_is_the_default_and_orthogonal),
        cmocka_unit_test(velocities_change_least_in_the_metric_of_the_mass),
        cmocka_unit_test(weights_replace_the_metric),
        cmocka_unit_test(the_conditions_for_a_minimum_hold_for_a_full_mass_matrix),
        cmocka_unit_test(held_values_are_never_changed),
        cmocka_unit_test(held_values_in_conflict_are_named),
        cmocka_unit_test(a_stationary_guess_is_named_instead_of_held_values),
        cmocka_unit_test(a_violated_row_is_named_with_its_level),
        cmocka_unit_test(an_unreachable_held_value_is_a_conflict),
        cmocka_unit_test(enough_conditions_determine_the_start),
        cmocka_unit_test(fewer_conditions_are_met_together_with_the_constraints),
        cmocka_unit_test(more_conditions_must_agree),
        cmocka_unit_test(conditions_that_cannot_be_evaluated_are_reported),
        cmocka_unit_test(no_conditions_solve_the_constraints_alone),
        cmocka_unit_test(redundant_constraints_get_multipliers_of_minimum_norm),
        cmocka_unit_test(constraints_are_met_at_the_start_time),
        cmocka_unit_test(nonlinear_auxiliary_equations_are_solved),
        cmocka_unit_test(values_that_make_no_sense_are_refused),
        cmocka_unit_test(an_invariant_may_be_degenerate_at_the_start),
        cmocka_unit_test(an_invariant_corrects_the_velocities),
        cmocka_unit_test(without_the_bias_only_psi1_runs),
    };
    return cmocka_run_group_tests(tests, make_pendulum, free_pendulum);
}
