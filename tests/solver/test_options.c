/* test_options.c: every option of dfl_solver_options does what its comment says.

   Most tests run the pendulum from the horizontal, at rest, to t = 1.3, where its exact solution is
   known: an option that shapes the work must change the work and not the solution, one that shapes
   accuracy must change the error. With rtol = atol = 1e-7 the errors are some 1e-7; ACCURATE leaves
   a factor of 50 for the accumulation over 1.3 periods of 2 s. */
#include "support.h"

#include "solver/solver_internal.h"

enum { LAMBDA, VX, VY, X, Y, N }; /* the pendulum's unknowns */
static const double T_END = 1.3;
#define ACCURATE 5e-6

static problem pendulum;

static int make_pendulum(void **state)
{
    (void)state;
    return problem_pendulum(&pendulum, 0) ? 0 : -1;
}

static int free_pendulum(void **state)
{
    (void)state;
    problem_free(&pendulum);
    return 0;
}

/* With order 5, unless the options name one: work is compared between runs of the same order. */
static run swing(const dfl_solver_options *options)
{
    dfl_solver_options chosen = *options;
    if (chosen.order == 0)
        chosen.order = 5;
    return run_problem(&pendulum, T_END, &chosen);
}

static void assert_accurate(const run *r)
{
    assert_succeeded(r);
    const double error = error_at(r, &pendulum, T_END);
    if (!(error <= ACCURATE))
        fail_msg("error %g at the end", error);
}

/* ---- tolerances ---- */

static void the_relative_tolerance_bounds_the_error(void **state)
{
    (void)state;
    const run coarse = swing(&(dfl_solver_options){.rtol = 1e-4, .atol = 1e-10});
    const run fine = swing(&(dfl_solver_options){.rtol = 1e-9, .atol = 1e-10});
    assert_succeeded(&coarse);
    assert_succeeded(&fine);
    /* the step count grows like rtol^(-1/5) or faster; the error falls by about the ratio 1e5 */
    assert_true(fine.stats.accepted > 3 * coarse.stats.accepted);
    assert_true(error_at(&fine, &pendulum, T_END) < 1e-2 * error_at(&coarse, &pendulum, T_END));
    assert_true(error_at(&fine, &pendulum, T_END) < 1e-7);
}

static void the_absolute_tolerance_bounds_the_error(void **state)
{
    (void)state;
    const run coarse = swing(&(dfl_solver_options){.rtol = 1e-9, .atol = 1e-3});
    const run fine = swing(&(dfl_solver_options){.rtol = 1e-9, .atol = 1e-9});
    assert_succeeded(&coarse);
    assert_succeeded(&fine);
    assert_true(fine.stats.accepted > 3 * coarse.stats.accepted);
    assert_true(error_at(&fine, &pendulum, T_END) < 1e-2 * error_at(&coarse, &pendulum, T_END));
}

/* Two oscillators without coupling, p1'' = -p1 and p2'' = -400 p2, from (1, 1) at rest. */
static int oscillators(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t, (void)user;
    if (need & DFL_KINEMATICS)
        out->kin[0] = x[0], out->kin[1] = x[1];
    if (need & DFL_FORCE)
        out->f[0] = -x[2], out->f[1] = -400 * x[3];
    return 0;
}

static const dfl_eom two_oscillators = {.np = 2, .nv = 2, .eval = oscillators};
static const double two_x0[4] = {0, 0, 1, 1};

static run oscillate(const dfl_solver_options *options)
{
    dfl_solver_options chosen = *options;
    chosen.order = 5;
    return run_with(&two_oscillators, 0, two_x0, 3, &chosen, NULL);
}

/* Loosens the fast oscillator by 1e4: only its error grows, and fewer steps are needed. */
static void assert_only_fast_error_grows(const run *all, const run *each)
{
    assert_succeeded(all);
    assert_succeeded(each);
    const double slow = cos(3.0), fast = cos(60.0);
    assert_true(2 * each->stats.accepted < all->stats.accepted);
    assert_true(fabs(each->x[3] - fast) > 20 * fabs(all->x[3] - fast));
    /* the slow one keeps its tolerance of 1e-8; 1e-6 allows for 100 steps of accumulation */
    assert_near(each->x[2], slow, 1e-6);
    assert_near(all->x[2], slow, 1e-6);
}

static void loosening_rtol_each_of_one_component_lets_its_error_grow(void **state)
{
    (void)state;
    const double rtol[4] = {1e-8, 1e-4, 1e-8, 1e-4}, atol[4] = {1e-8, 1e-4, 1e-8, 1e-4};
    const run all = oscillate(&(dfl_solver_options){.rtol = 1e-8});
    const run each = oscillate(&(dfl_solver_options){.rtol_each = rtol, .atol_each = atol});
    assert_only_fast_error_grows(&all, &each);
}

static void loosening_atol_each_of_one_component_lets_its_error_grow(void **state)
{
    (void)state;
    const double atol[4] = {1e-8, 1e-3, 1e-8, 1e-3};
    const run all = oscillate(&(dfl_solver_options){.rtol = 1e-8, .atol = 1e-8});
    const run each = oscillate(&(dfl_solver_options){.rtol = 1e-8, .atol_each = atol});
    assert_only_fast_error_grows(&all, &each);
}

static void equal_tolerances_for_each_component_are_the_scalar_ones(void **state)
{
    (void)state;
    const double rtol[N] = {1e-5, 1e-5, 1e-5, 1e-5, 1e-5}, atol[N] = {1e-7, 1e-7, 1e-7, 1e-7, 1e-7};
    const run scalar = swing(&(dfl_solver_options){.rtol = 1e-5, .atol = 1e-7});
    const run each = swing(&(dfl_solver_options){.rtol_each = rtol, .atol_each = atol});
    assert_succeeded(&each);
    assert_memory_equal(scalar.x, each.x, sizeof scalar.x);
    assert_int_equal(scalar.stats.attempts, each.stats.attempts);
}

/* ---- defaults and ranges ---- */

static void zero_means_the_documented_default(void **state)
{
    (void)state;
    const run automatic = run_problem(&pendulum, T_END, &(dfl_solver_options){0});
    const run none = run_problem(&pendulum, T_END, NULL);
    const run zero = swing(&(dfl_solver_options){0});
    const run said =
        swing(&(dfl_solver_options){.rtol = 1e-6,
                                    .atol = 1e-6,
                                    .form = DFL_PSF,
                                    .selectors = DFL_ORTHOGONAL,
                                    .renewal = DFL_RENEW_ALWAYS,
                                    .algebraic = DFL_ALGEBRAIC_AUTO,
                                    .differential = DFL_DIFFERENTIAL_LU,
                                    .norm = DFL_NORM_RMS,
                                    .rank_tolerance = 1e-10,
                                    .reference = DFL_REFERENCE_STAGE2,
                                    .prediction = DFL_EXTRAPOLATE,
                                    .control = DFL_CONTROL_PREDICTIVE,
                                    .newton_iterations = 10,
                                    .newton_updates = 1,
                                    .newton_tolerance = 0.5 * fmin(0.03, sqrt(0.1 * 1e-4)),
                                    .multiplier_weight = 1,
                                    .jacobian_reuse = 0.03,
                                    .max_steps = 10000000,
                                    .safety = 0.9,
                                    .min_factor = 0.2,
                                    .max_factor = 8,
                                    .keep_low = 1,
                                    .keep_high = 1.2});
    assert_succeeded(&zero);
    assert_succeeded(&said);
    assert_memory_equal(automatic.x, none.x, sizeof none.x);
    assert_true(distance(automatic.x, zero.x, N) > 0); /* another order */
    /* sqrt(0.1 rtol^(2/3)) is written with rounded powers above: rounding, amplified over 100 steps
     */
    assert_true(distance(zero.x, said.x, N) < 1e-9);
    assert_int_equal(zero.stats.attempts, said.stats.attempts);
    assert_int_equal(zero.stats.back_substitutions, said.stats.back_substitutions);
}

static void the_default_rank_tolerance_is_larger_with_differences(void **state)
{
    (void)state;
    for (int differences = 0; differences < 2; differences++) {
        dfl_eom eom = pendulum.eom;
        dfl_context *ctx = dfl_context_create();
        dfl_solver *solver = NULL;
        if (differences) /* of g too: with p' = v it would be known from W */
            eom.jacobian = NULL, eom.trivial_kinematics = false;
        assert_int_equal(dfl_solver_create(&solver, ctx, &eom, NULL), DFL_OK);
        assert_true(solver->options.rank_tolerance == (differences ? 1e-6 : 1e-10));
        dfl_solver_free(solver);
        dfl_context_free(ctx);
    }
}

static void an_option_out_of_range_is_refused_by_name(void **state)
{
    (void)state;
    static const double bad[N] = {1e-6, 1e-6, -1e-6, 1e-6, 1e-6};
    const struct {
        const char *name;
        dfl_solver_options options;
    } wrong[] = {
        {"rtol", {.rtol = -1e-6}},
        {"rtol", {.rtol = 2}},
        {"rtol", {.rtol = 1e-17}},
        {"rtol", {.rtol = NAN}},
        {"atol", {.atol = -1}},
        {"atol", {.atol = INFINITY}},
        {"rtol_each[2]", {.rtol_each = bad}},
        {"atol_each[2]", {.atol_each = bad}},
        {"form", {.form = DFL_FORMS}},
        {"selectors", {.selectors = (dfl_selectors)3}},
        {"renewal", {.renewal = (dfl_renewal)3}},
        {"select", {.selectors = DFL_USER}},
        {"algebraic", {.algebraic = (dfl_algebraic)4}},
        {"differential", {.differential = (dfl_differential)2}},
        {"norm", {.norm = (dfl_norm)2}},
        {"structure->bodies", {.norm = DFL_NORM_BODY}},
        {"rank_tolerance", {.rank_tolerance = -1}},
        {"rank_tolerance", {.rank_tolerance = 0.5}},
        {"reference", {.reference = (dfl_reference)5}},
        {"reference", {.reference = DFL_REFERENCE_STAGE1, .prediction = DFL_CONSTANT}},
        {"prediction", {.prediction = (dfl_prediction)2}},
        {"control", {.control = (dfl_control)2}},
        {"newton_iterations", {.newton_iterations = -1}},
        {"newton_iterations", {.newton_iterations = 1000}},
        {"newton_updates", {.newton_updates = 11}},
        {"newton_tolerance", {.newton_tolerance = -1}},
        {"newton_tolerance", {.newton_tolerance = 2}},
        {"multiplier_weight", {.multiplier_weight = -1}},
        {"multiplier_weight", {.multiplier_weight = 2}},
        {"jacobian_reuse", {.jacobian_reuse = 2}},
        {"jacobian_reuse", {.jacobian_reuse = NAN}},
        {"first_step", {.first_step = NAN}},
        {"max_step", {.max_step = -1}},
        {"fixed_step", {.fixed_step = -1}},
        {"fixed_step", {.fixed_step = INFINITY}},
        {"fixed_step", {.fixed_step = 1, .max_step = 0.5}},
        {"max_steps", {.max_steps = -1}},
        {"order", {.order = 3}},
        {"order", {.order = 17}},
        {"safety", {.safety = -1}},
        {"safety", {.safety = 1.5}},
        {"min_factor", {.min_factor = 2}},
        {"max_factor", {.max_factor = 0.5}},
        {"keep_low", {.keep_low = 2}},
        {"keep_high", {.keep_high = 0.5}},
        {"every", {.every = -1}},
        {"nevents", {.nevents = -1}},
        {"event", {.nevents = 1}},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const run r = swing(&wrong[i].options);
        if (r.status != DFL_INVALID || !strstr(r.message, wrong[i].name))
            fail_msg("%s (entry %zu): %s '%s'", wrong[i].name, i, dfl_status_name(r.status),
                     r.message);
    }
}

/* ---- what is integrated ---- */

static void psf_has_accurate_multipliers_and_psi1_only_motion(void **state)
{
    (void)state;
    const run psf = swing(&(dfl_solver_options){.rtol = 1e-7});
    const run psi1 = swing(&(dfl_solver_options){.rtol = 1e-7, .form = DFL_PSI1});
    assert_accurate(&psf);
    assert_succeeded(&psi1);
    assert_true(error_of(&psi1, &pendulum, T_END, VX, 4) < ACCURATE);
    /* multipliers of psi1 have order 2 to 3 instead of 5 */
    const double exact = error_of(&psf, &pendulum, T_END, LAMBDA, 1);
    assert_true(error_of(&psi1, &pendulum, T_END, LAMBDA, 1) > 10 * exact);
    assert_true(psf.stats.max_residual.acceleration < 1e-4);
    assert_true(isnan(psi1.stats.max_residual.acceleration));
}

/* Starts the pendulum, takes a few steps, and hands out the solver's selectors. */
static void selectors_in_use(double Sp[2], double Sv[2], const dfl_solver_options *options)
{
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    assert_int_equal(dfl_solver_create(&solver, ctx, &pendulum.eom, options), DFL_OK);
    assert_int_equal(dfl_solver_start(solver, 0, pendulum.x0, NULL), DFL_OK);
    assert_int_equal(dfl_solver_advance(solver, 0.3), DFL_OK);
    assert_int_equal(solver->form.nfp, 1);
    assert_int_equal(solver->form.nfv, 1);
    memcpy(Sp, solver->form.Sp, 2 * sizeof *Sp);
    memcpy(Sv, solver->form.Sv, 2 * sizeof *Sv);
    dfl_solver_free(solver);
    dfl_context_free(ctx);
}

static void orthogonal_selectors_are_orthonormal_and_unit_selectors_unit_rows(void **state)
{
    (void)state;
    double Sp[2], Sv[2];
    selectors_in_use(Sp, Sv, NULL);
    assert_near(hypot(Sp[0], Sp[1]), 1, 1e-14); /* rounding */
    assert_near(hypot(Sv[0], Sv[1]), 1, 1e-14);
    assert_true(Sp[0] != 0 && Sp[1] != 0);
    selectors_in_use(Sp, Sv, &(dfl_solver_options){.selectors = DFL_UNIT});
    assert_true((Sp[0] == 1 && Sp[1] == 0) || (Sp[0] == 0 && Sp[1] == 1));
    assert_true((Sv[0] == 1 && Sv[1] == 0) || (Sv[0] == 0 && Sv[1] == 1));
}

static void all_kinds_of_selectors_solve_the_same_problem(void **state)
{
    (void)state;
    const run orthogonal = swing(&(dfl_solver_options){.rtol = 1e-7});
    const run unit = swing(&(dfl_solver_options){.rtol = 1e-7, .selectors = DFL_UNIT});
    assert_accurate(&orthogonal);
    assert_succeeded(&unit);
    /* unit selectors lose up to one digit (algorithm.md 19) */
    assert_true(error_at(&unit, &pendulum, T_END) < 10 * ACCURATE);
    assert_true(distance(unit.x, orthogonal.x, N) > 0);
}

typedef struct selecting {
    long calls;
    int kind; /* 0: along the circle, 1: across it (singular), 2: refuses */
} selecting;

static int select_rows(double *Sp, double *Sv, int nfp, int nfv, double t, const double *x,
                       void *user)
{
    selecting *sel = user;
    (void)t;
    sel->calls++;
    if (sel->kind == 2)
        return -1;
    assert_int_equal(nfp, 1);
    Sp[0] = sel->kind ? x[X] : -2 * x[Y]; /* any length will do */
    Sp[1] = sel->kind ? x[Y] : 2 * x[X];
    if (nfv == 1) {
        Sv[0] = Sp[0];
        Sv[1] = Sp[1];
    }
    return 0;
}

static void user_selectors_along_the_free_direction_work(void **state)
{
    (void)state;
    selecting sel = {0};
    const run r = swing(&(dfl_solver_options){
        .rtol = 1e-7, .selectors = DFL_USER, .select = select_rows, .user = &sel});
    assert_accurate(&r);
    assert_true(sel.calls > 10);
    assert_int_equal(sel.calls, r.stats.selector_computations);
    const run psi1 = swing(&(dfl_solver_options){.rtol = 1e-7,
                                                 .form = DFL_PSI1,
                                                 .selectors = DFL_USER,
                                                 .select = select_rows,
                                                 .user = &sel});
    assert_succeeded(&psi1);
    assert_true(error_of(&psi1, &pendulum, T_END, VX, 4) < ACCURATE);
}

static void singular_user_selectors_are_refused(void **state)
{
    (void)state;
    selecting sel = {.kind = 1};
    const run r =
        swing(&(dfl_solver_options){.selectors = DFL_USER, .select = select_rows, .user = &sel});
    assert_failed(&r, DFL_SINGULAR, "selectors");
    sel.kind = 2;
    const run stopped =
        swing(&(dfl_solver_options){.selectors = DFL_USER, .select = select_rows, .user = &sel});
    assert_failed(&stopped, DFL_CALLBACK, "select");
}

static void selectors_are_renewed_when_renewal_says(void **state)
{
    (void)state;
    /* without matrix updates every decomposition belongs to an attempt */
    const dfl_solver_options always = {
        .rtol = 1e-7, .renewal = DFL_RENEW_ALWAYS, .newton_updates = -1, .jacobian_reuse = -1};
    dfl_solver_options change = always, unit = always;
    change.renewal = unit.renewal = DFL_RENEW_ON_CHANGE;
    unit.selectors = DFL_UNIT;
    const run a = swing(&always), c = swing(&change), u = swing(&unit);
    assert_accurate(&a);
    assert_succeeded(&c);
    assert_succeeded(&u);
    assert_int_equal(a.stats.selector_computations, a.stats.algebraic_decompositions);
    /* |x| and |y| change places twice until t = 1.3, at 45 degrees down and up again; a failure of
       Newton adds one, unless the renewal after it brings a change that was due anyway */
    assert_between((double)u.stats.selector_computations, 3, 3 + (double)u.stats.rejected_newton);
    assert_between((double)c.stats.selector_computations, 3, 3 + (double)c.stats.rejected_newton);
    assert_true(a.stats.selector_computations > 10 * u.stats.selector_computations);
}

static void the_default_renewal_is_always_for_orthogonal_and_on_change_for_unit(void **state)
{
    (void)state;
    dfl_solver_options options = {.newton_updates = -1, .jacobian_reuse = -1};
    const run o = swing(&options);
    options.selectors = DFL_UNIT;
    const run u = swing(&options);
    assert_int_equal(o.stats.selector_computations, o.stats.algebraic_decompositions);
    assert_true(u.stats.selector_computations < u.stats.algebraic_decompositions / 4);
}

/* The pendulum with its constraint twice. */
static int eval_doubled(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const pendulum_parameters *par = user;
    const double *v = x + 2, *p = v + 2;
    (void)t;
    if (need & DFL_KINEMATICS)
        out->kin[0] = v[0], out->kin[1] = v[1];
    if (need & DFL_FORCE)
        out->f[0] = 0, out->f[1] = -par->m * par->g;
    for (int i = 0; i < 2; i++) {
        if (need & DFL_POSITION)
            out->g[i] = p[0] * p[0] + p[1] * p[1] - par->L * par->L;
        if (need & DFL_VELOCITY)
            out->gI[i] = 2 * (p[0] * v[0] + p[1] * v[1]);
        if (need & DFL_DIRECTIONS)
            out->W[i] = 2 * p[0], out->W[2 + i] = 2 * p[1];
        if (need & DFL_BIAS)
            out->bias[i] = 2 * (v[0] * v[0] + v[1] * v[1]);
    }
    return 0;
}

static dfl_eom doubled_pendulum(void)
{
    return (dfl_eom){.np = 2, .nv = 2, .nl = 2, .eval = eval_doubled, .user = pendulum.parameters};
}

static void every_algebraic_decomposition_gives_the_same_solution(void **state)
{
    (void)state;
    const dfl_algebraic kind[] = {DFL_ALGEBRAIC_LU, DFL_ALGEBRAIC_QR, DFL_ALGEBRAIC_SVD};
    const run automatic = swing(&(dfl_solver_options){.rtol = 1e-7});
    for (int i = 0; i < 3; i++) {
        const run r = swing(&(dfl_solver_options){.rtol = 1e-7, .algebraic = kind[i]});
        assert_accurate(&r);
        assert_int_equal(r.stats.attempts, automatic.stats.attempts);
        /* equal in exact arithmetic, since orthogonal selectors span the same space, and different
           in rounding where another decomposition was at work (one row is split by QR anyway) */
        assert_true(distance(r.x, automatic.x, N) < 1e-9);
        assert_true(kind[i] == DFL_ALGEBRAIC_QR || distance(r.x, automatic.x, N) > 0);
    }
}

static void only_the_svd_takes_redundant_constraints(void **state)
{
    (void)state;
    const double x0[6] = {0, 0, 0, 0, 1, 0};
    const dfl_eom eom = doubled_pendulum();
    for (int kind = DFL_ALGEBRAIC_AUTO; kind <= DFL_ALGEBRAIC_SVD; kind++) {
        const dfl_solver_options options = {.rtol = 1e-7, .algebraic = (dfl_algebraic)kind};
        const run r = run_with(&eom, 0, x0, T_END, &options, NULL);
        if (kind == DFL_ALGEBRAIC_LU || kind == DFL_ALGEBRAIC_QR) {
            assert_failed(&r, DFL_SINGULAR, "SVD");
            assert_non_null(strstr(r.message, "g[0], g[1]"));
        } else {
            assert_succeeded(&r);
            assert_true(distance(r.x + 2, pendulum.references[3].x + 1, 4) < ACCURATE);
        }
    }
}

static void the_differential_part_by_qr_differs_from_lu_by_rounding_only(void **state)
{
    (void)state;
    problem chain;
    assert_true(problem_nchain(&chain, 5));
    const run lu = run_problem(&chain, 0.5, NULL);
    const run qr =
        run_problem(&chain, 0.5, &(dfl_solver_options){.differential = DFL_DIFFERENTIAL_QR});
    assert_succeeded(&lu);
    assert_succeeded(&qr);
    const double difference = distance(lu.x, qr.x, lu.n);
    assert_true(difference > 0);
    assert_true(difference < 1e-9); /* rounding, amplified over 100 steps */
    assert_int_equal(lu.stats.attempts, qr.stats.attempts);
    problem_free(&chain);
}

static void carried_accelerations_change_rounding_only(void **state)
{
    (void)state;
    const run eliminated = swing(&(dfl_solver_options){.rtol = 1e-7});
    dfl_solver_options options = {.rtol = 1e-7, .carry_accelerations = true};
    const run carried = swing(&options);
    assert_accurate(&carried);
    const double difference = distance(carried.x, eliminated.x, N);
    assert_true(difference > 0);
    /* the iterates differ within the Newton tolerance, 1e-3 of the error tolerance of 2e-6 */
    assert_true(difference < 1e-7);
    assert_between((double)carried.stats.attempts, 0.95 * (double)eliminated.stats.attempts,
                   1.05 * (double)eliminated.stats.attempts);

    dfl_context *ctx = dfl_context_create();
    for (int carry = 0; carry < 2; carry++) {
        dfl_solver *solver = NULL;
        options.carry_accelerations = carry;
        assert_int_equal(dfl_solver_create(&solver, ctx, &pendulum.eom, &options), DFL_OK);
        assert_int_equal(dfl_solver_start(solver, 0, pendulum.x0, NULL), DFL_OK);
        assert_int_equal(solver->sys.carried, carry);
        dfl_solver_free(solver);
    }
    dfl_context_free(ctx);
}

static void rigid_invariants_are_never_dropped(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_pendulum_energy(&prob, 0));
    /* at rest the energy does not determine a velocity */
    const run adaptive = run_problem(&prob, T_END, NULL);
    const run rigid = run_problem(&prob, T_END, &(dfl_solver_options){.rigid_invariants = true});
    assert_succeeded(&adaptive);
    assert_true(adaptive.stats.steps_without_invariants > 0);
    assert_int_not_equal(rigid.status, DFL_OK);
    assert_int_equal(rigid.stats.steps_without_invariants, 0);

    /* from (0, -1) with the speed of the passage to 80 % of the time up to the turning point */
    const problem_reference *bottom = &prob.references[1];
    const dfl_solver_options options = {.rigid_invariants = true};
    const run passage = run_with(&prob.eom, 0.5, bottom->x, 0.9, &options, NULL);
    assert_succeeded(&passage);
    assert_int_equal(passage.stats.steps_without_invariants, 0);
    /* the energy is an equation of every step: Newton's tolerance, 1e-3 of 1e-5, times |v| */
    assert_true(fabs(prob.energy(passage.x, prob.parameters)) < 1e-6);
    problem_free(&prob);
}

static void the_norm_by_bodies_sees_what_the_mean_dilutes(void **state)
{
    (void)state;
    problem chain;
    assert_true(problem_nchain(&chain, 12));
    const run rms = run_problem(&chain, 0.5, &(dfl_solver_options){.order = 5});
    const run body =
        run_problem(&chain, 0.5, &(dfl_solver_options){.order = 5, .norm = DFL_NORM_BODY});
    assert_succeeded(&rms);
    assert_succeeded(&body);
    assert_true(body.stats.accepted > rms.stats.accepted);
    problem_free(&chain);
}

/* A point held by z = 0 and z + tilt x = 0, and by x + y = 0, so that the column of x is not small. */
static int eval_tilted(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double tilt = *(const double *)user, *v = x + 3, *p = v + 3;
    (void)t;
    if (need & DFL_KINEMATICS)
        memcpy(out->kin, v, 3 * sizeof *v);
    if (need & DFL_FORCE)
        out->f[0] = -p[0], out->f[1] = 1, out->f[2] = -1;
    if (need & DFL_POSITION)
        out->g[0] = p[2], out->g[1] = p[2] + tilt * p[0], out->g[2] = p[0] + p[1];
    if (need & DFL_VELOCITY)
        out->gI[0] = v[2], out->gI[1] = v[2] + tilt * v[0], out->gI[2] = v[0] + v[1];
    if (need & DFL_DIRECTIONS)
        out->W[6] = 1, out->W[7] = 1, out->W[1] = tilt, out->W[2] = out->W[5] = 1;
    if (need & DFL_BIAS)
        out->bias[0] = out->bias[1] = out->bias[2] = 0;
    return 0;
}

static void the_rank_tolerance_decides_what_counts_as_redundant(void **state)
{
    (void)state;
    double tilt = 1e-5; /* the smallest singular value is about half of it */
    const double x0[9] = {0};
    const dfl_eom eom = {
        .np = 3, .nv = 3, .nl = 3, .eval = eval_tilted, .trivial_kinematics = true, .user = &tilt};
    const run full = run_with(&eom, 0, x0, 0.1, NULL, NULL);
    const run less =
        run_with(&eom, 0, x0, 0.1, &(dfl_solver_options){.rank_tolerance = 1e-4}, NULL);
    assert_succeeded(&full);
    assert_succeeded(&less);
    assert_int_equal(full.stats.rank_position, 3);
    assert_int_equal(full.stats.rank_velocity, 3);
    assert_int_equal(less.stats.rank_position, 2);
    assert_int_equal(less.stats.rank_velocity, 2);
}

/* ---- Newton's iteration ---- */

static void every_reference_point_gives_the_solution_with_its_own_work(void **state)
{
    (void)state;
    double solves[5] = {0}; /* per attempt, with a new matrix for each */
    for (int ref = DFL_REFERENCE_START; ref <= DFL_REFERENCE_STAGE3; ref++) {
        const run r = swing(&(dfl_solver_options){
            .rtol = 1e-7, .reference = (dfl_reference)ref, .jacobian_reuse = -1});
        assert_accurate(&r);
        solves[ref] = (double)r.stats.back_substitutions / (double)r.stats.attempts;
        for (int other = DFL_REFERENCE_START; other < ref; other++)
            assert_true(solves[ref] != solves[other]);
    }
    /* a matrix inside the step is closer to all stages than one at its start */
    assert_true(solves[DFL_REFERENCE_STAGE2] < solves[DFL_REFERENCE_START]);
}

static void constant_prediction_costs_iterations(void **state)
{
    (void)state;
    const dfl_solver_options extrapolate = {.rtol = 1e-7, .reference = DFL_REFERENCE_START};
    dfl_solver_options constant = extrapolate;
    constant.prediction = DFL_CONSTANT;
    const run e = swing(&extrapolate), c = swing(&constant);
    assert_accurate(&e);
    assert_accurate(&c);
    assert_true((double)c.stats.back_substitutions > 1.2 * (double)e.stats.back_substitutions);
}

static void newton_iterations_bounds_the_solves_of_an_attempt(void **state)
{
    (void)state;
    const run few =
        swing(&(dfl_solver_options){.rtol = 1e-7, .newton_iterations = 3, .newton_updates = -1});
    const run many =
        swing(&(dfl_solver_options){.rtol = 1e-7, .newton_iterations = 10, .newton_updates = -1});
    assert_accurate(&many);
    assert_accurate(&few);
    assert_true(few.stats.back_substitutions <= 3 * few.stats.attempts);
    assert_true(few.stats.rejected_newton > many.stats.rejected_newton);
}

static void newton_updates_bounds_the_matrices_of_an_attempt(void **state)
{
    (void)state;
    /* a hard iteration bound makes updates necessary */
    dfl_solver_options options = {.rtol = 1e-7, .newton_iterations = 3, .newton_updates = -1};
    const run none = swing(&options);
    options.newton_updates = 2;
    const run two = swing(&options);
    assert_accurate(&none);
    assert_accurate(&two);
    assert_int_equal(none.stats.newton_updates, 0);
    assert_true(two.stats.newton_updates > 0);
    assert_true(two.stats.newton_updates <= 2 * two.stats.attempts);
    assert_true(two.stats.rejected_newton < none.stats.rejected_newton);
}

static void a_smaller_newton_tolerance_iterates_more_and_leaves_less(void **state)
{
    (void)state;
    const run loose = swing(&(dfl_solver_options){.rtol = 1e-5, .newton_tolerance = 0.03});
    const run tight = swing(&(dfl_solver_options){.rtol = 1e-5, .newton_tolerance = 1e-6});
    assert_succeeded(&loose);
    assert_succeeded(&tight);
    assert_true((double)tight.stats.back_substitutions / (double)tight.stats.attempts >
                1 + (double)loose.stats.back_substitutions / (double)loose.stats.attempts);
    assert_true(tight.stats.max_residual.position < 1e-2 * loose.stats.max_residual.position);
}

static void a_small_multiplier_weight_lets_newton_stop_earlier(void **state)
{
    (void)state;
    const run one = swing(&(dfl_solver_options){.rtol = 1e-7});
    const run less = swing(&(dfl_solver_options){.rtol = 1e-7, .multiplier_weight = 1e-3});
    assert_accurate(&one);
    assert_succeeded(&less);
    assert_true(less.stats.back_substitutions < one.stats.back_substitutions);
}

static void the_matrix_is_kept_while_newton_is_fast(void **state)
{
    (void)state;
    for (int ref = DFL_REFERENCE_START; ref <= DFL_REFERENCE_STAGE3; ref++) {
        dfl_solver_options options = {.rtol = 1e-7, .reference = (dfl_reference)ref};
        const run usual = swing(&options);
        options.jacobian_reuse = -1;
        const run never = swing(&options);
        options.jacobian_reuse = 0.2;
        const run often = swing(&options);
        options.jacobian_reuse = ref == DFL_REFERENCE_START ? 1e-3 : 0.03;
        const run same = swing(&options);
        assert_accurate(&never);
        assert_accurate(&often);
        assert_true(never.stats.jacobians >= never.stats.accepted);
        assert_true(often.stats.jacobians < often.stats.accepted / 2);
        assert_memory_equal(usual.x, same.x, sizeof same.x); /* the default */
    }
}

/* With a kept matrix that is too old, no smaller step makes Newton converge: the algebraic part of
   the matrix does not depend on the step size. */
static void a_kept_matrix_is_renewed_when_newton_fails(void **state)
{
    (void)state;
    const run r = swing(&(dfl_solver_options){.rtol = 1e-6,
                                              .reference = DFL_REFERENCE_START,
                                              .jacobian_reuse = 0.5,
                                              .newton_updates = -1});
    assert_succeeded(&r);
    assert_true(r.stats.rejected_newton > 0);
    assert_true(error_at(&r, &pendulum, T_END) < 10 * ACCURATE); /* at ten times the tolerance */
}

/* ---- step size ---- */

enum { MOST_STEPS = 4000 };
typedef struct steps {
    int n;
    double h[MOST_STEPS];
} steps;

static int note_step(dfl_solver *solver, double t_old, double t, const double *x, void *user)
{
    steps *taken = user;
    (void)solver, (void)x;
    if (t != t_old && taken->n < MOST_STEPS)
        taken->h[taken->n++] = t - t_old;
    return 0;
}

static run swing_noting(steps *taken, dfl_solver_options options)
{
    taken->n = 0;
    options.on_step = note_step;
    options.user = taken;
    return swing(&options);
}

static steps taken;

static void the_first_step_is_as_given(void **state)
{
    (void)state;
    const run r = swing_noting(&taken, (dfl_solver_options){.rtol = 1e-7, .first_step = 1.25e-4});
    assert_accurate(&r);
    assert_near(taken.h[0], 1.25e-4, 1e-18); /* the same number, in t = 0 + h */
}

static void no_step_is_longer_than_max_step(void **state)
{
    (void)state;
    const run r = swing_noting(&taken, (dfl_solver_options){.rtol = 1e-3, .max_step = 0.005});
    assert_succeeded(&r);
    assert_true(r.stats.accepted >= 260); /* 1.3 / 0.005 */
    for (int i = 0; i < taken.n; i++)
        assert_true(taken.h[i] <= 0.005 * (1 + 1e-4)); /* the last one may stretch by 1e-4 */
    const run free = swing_noting(&taken, (dfl_solver_options){.rtol = 1e-3});
    assert_true(free.stats.accepted < 130);
}

static void fixed_steps_have_their_size_and_number(void **state)
{
    (void)state;
    const run r = swing_noting(&taken, (dfl_solver_options){.rtol = 1e-7, .fixed_step = 0.01});
    assert_accurate(&r);
    assert_int_equal(r.stats.accepted, 130);
    assert_int_equal(r.stats.attempts, 130);
    assert_int_equal(r.stats.unconverged, 0);
    for (int i = 0; i < taken.n; i++)
        assert_near(taken.h[i], 0.01, 1e-14); /* differences of times up to 1.3, and their sum */
    assert_true(r.stats.longest_step > 0);
    const run free = swing_noting(&taken, (dfl_solver_options){.rtol = 1e-7});
    assert_true(free.stats.longest_step == 0);
}

static void fixed_steps_go_on_when_newton_reaches_its_bound(void **state)
{
    (void)state;
    const run r =
        swing(&(dfl_solver_options){.rtol = 1e-10, .fixed_step = 0.01, .newton_iterations = 1});
    assert_succeeded(&r);
    assert_int_equal(r.stats.accepted, 130);
    assert_int_equal(r.stats.back_substitutions, 130);
    assert_true(r.stats.unconverged > 120);
    assert_true(r.stats.unconverged <= 130);
    /* one iteration with extrapolated starting values still follows the motion */
    assert_true(error_at(&r, &pendulum, T_END) < 1e-2);
}

/* Refuses the states of one attempt, once. */
typedef struct once {
    dfl_eval_fn eval;
    void *user;
    int calls, refuse_at;
} once;

static int eval_once(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    once *model = user;
    if (++model->calls == model->refuse_at)
        return 1;
    return model->eval(out, t, x, need, model->user);
}

static void fixed_steps_return_to_their_size_after_a_refused_state(void **state)
{
    (void)state;
    once model = {.eval = pendulum.eom.eval, .user = pendulum.parameters, .refuse_at = 300};
    dfl_eom eom = pendulum.eom;
    eom.eval = eval_once;
    eom.mass = NULL; /* unit masses: `mass` would get the wrong parameters */
    eom.mass_diagonal = eom.mass_constant = false;
    eom.jacobian = NULL;
    eom.user = &model;
    taken.n = 0;
    const dfl_solver_options options = {.fixed_step = 0.01, .on_step = note_step, .user = &taken};
    const run r = run_with(&eom, 0, pendulum.x0, T_END, &options, NULL);
    assert_succeeded(&r);
    assert_int_equal(r.stats.rejected_newton, 1);
    /* one short step of 0.005, 129 of 0.01, and what is left at the end */
    assert_int_equal(r.stats.accepted, 131);
    int full = 0;
    for (int i = 0; i < taken.n; i++)
        full += fabs(taken.h[i] - 0.01) < 1e-12;
    assert_int_equal(full, 129);
}

static void max_steps_stops_and_the_run_can_go_on(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    const dfl_solver_options options = {.rtol = 1e-7, .order = 5, .max_steps = 20};
    assert_int_equal(dfl_solver_create(&solver, ctx, &pendulum.eom, &options), DFL_OK);
    assert_int_equal(dfl_solver_start(solver, 0, pendulum.x0, NULL), DFL_OK);
    assert_int_equal(dfl_solver_advance(solver, T_END), DFL_TOO_MANY_STEPS);
    assert_non_null(strstr(dfl_message(ctx), "max_steps"));
    assert_int_equal(dfl_solver_statistics(solver).attempts, 20);
    assert_between(dfl_solver_time(solver), 1e-6, T_END - 1e-6);
    dfl_status status = DFL_TOO_MANY_STEPS;
    for (int i = 0; status == DFL_TOO_MANY_STEPS && i < 100; i++)
        status = dfl_solver_advance(solver, T_END);
    assert_int_equal(status, DFL_OK);
    assert_true(distance(dfl_solver_state(solver), pendulum.references[3].x, N) <
                ACCURATE * 12); /* lambda is about 12 */
    dfl_solver_free(solver);
    dfl_context_free(ctx);
}

static void a_smaller_safety_factor_takes_shorter_steps(void **state)
{
    (void)state;
    const run usual = swing(&(dfl_solver_options){.rtol = 1e-7});
    const run careful = swing(&(dfl_solver_options){.rtol = 1e-7, .safety = 0.45});
    assert_accurate(&usual);
    assert_accurate(&careful);
    /* the factor of the step size is that of the safety, 2, where the controller is at work */
    assert_between((double)careful.stats.accepted / (double)usual.stats.accepted, 1.5, 2.5);
    assert_true(careful.stats.rejected_error <= usual.stats.rejected_error);
}

static void no_step_grows_by_more_than_max_factor(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const double most = i ? 8 : 1.5;
        const run r = swing_noting(
            &taken, (dfl_solver_options){.rtol = 1e-7, .first_step = 1e-7, .max_factor = most});
        assert_accurate(&r);
        double largest = 0;
        for (int k = 1; k < taken.n - 1; k++)
            largest = fmax(largest, taken.h[k] / taken.h[k - 1]);
        /* the limit is reached from such a first step; quotients of differences of t at 1e-7 */
        assert_between(largest, 0.99 * most, most * (1 + 1e-6));
    }
}

/* A mass of 1 under the force 1e4 exp(-1e8 (t - 1/2)^2): nothing, then a blow of 0.1 ms. */
static int eval_blow(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)user;
    if (need & DFL_KINEMATICS)
        out->kin[0] = x[0];
    if (need & DFL_FORCE)
        out->f[0] = sin(30 * t) + 1e4 * exp(-1e8 * (t - 0.5) * (t - 0.5));
    return 0;
}

static void no_rejected_step_shrinks_by_more_than_min_factor(void **state)
{
    (void)state;
    const dfl_eom eom = {.np = 1, .nv = 1, .eval = eval_blow};
    const double x0[2] = {0};
    dfl_solver_options options = {.rtol = 1e-6, .max_step = 2e-3};
    const run usual = run_with(&eom, 0, x0, 1, &options, NULL);
    options.min_factor = 0.9;
    const run slow = run_with(&eom, 0, x0, 1, &options, NULL);
    assert_succeeded(&usual);
    assert_succeeded(&slow);
    assert_true(usual.stats.rejected_error > 0);
    /* from 2e-3 to the 1e-5 that the blow needs: log(200)/log(5) = 3 or log(200)/log(1/0.9) = 50 */
    assert_true(slow.stats.rejected_error > usual.stats.rejected_error + 20);
}

static void the_classical_controller_forgets_the_last_error(void **state)
{
    (void)state;
    const run p = swing(&(dfl_solver_options){.rtol = 1e-6});
    const run c = swing(&(dfl_solver_options){.rtol = 1e-6, .control = DFL_CONTROL_CLASSICAL});
    assert_succeeded(&p);
    assert_succeeded(&c);
    assert_true(error_at(&c, &pendulum, T_END) < 10 * ACCURATE); /* at ten times the tolerance */
    /* the prediction takes the smaller of two proposals: never fewer steps, fewer rejections */
    assert_true(c.stats.accepted != p.stats.accepted ||
                c.stats.rejected_error != p.stats.rejected_error);
    assert_true(c.stats.rejected_error >= p.stats.rejected_error);
}

static double decompositions_per_attempt(const run *r)
{
    return (double)r->stats.differential_decompositions / (double)r->stats.attempts;
}

static void keep_low_and_keep_high_bound_the_changes_that_are_ignored(void **state)
{
    (void)state;
    dfl_solver_options options = {.rtol = 1e-6,
                                  .reference = DFL_REFERENCE_START,
                                  .jacobian_reuse = 0.5,
                                  .newton_updates = -1}; /* they decompose, too */
    const run usual = swing(&options);
    options.keep_high = 3;
    const run high = swing(&options);
    options.keep_high = 1; /* only an equal step is kept */
    const run never = swing(&options);
    options.keep_high = 0;
    options.keep_low = 0.5;
    const run low = swing(&options);
    assert_succeeded(&usual);
    assert_succeeded(&high);
    assert_succeeded(&never);
    assert_succeeded(&low);
    /* every kept step size saves a decomposition of the differential part */
    const double rate = decompositions_per_attempt(&usual);
    assert_true(decompositions_per_attempt(&high) < rate);
    assert_true(decompositions_per_attempt(&low) < rate);
    assert_true(decompositions_per_attempt(&never) > rate);
}

/* ---- self-check ---- */

static int eval_wrong(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const int rc = pendulum.eom.eval(out, t, x, need, user);
    if (need & DFL_DIRECTIONS)
        out->W[1] *= 1.01;
    return rc;
}

static void the_self_check_is_made_only_on_request(void **state)
{
    (void)state;
    dfl_eom eom = pendulum.eom;
    const double x0[N] = {0, 0, 0, 0.8, -0.6};
    eom.eval = eval_wrong;
    eom.jacobian = NULL; /* it has the right W */
    const run with = run_with(&eom, 0, x0, 0.01, &(dfl_solver_options){.self_check = true}, NULL);
    assert_failed(&with, DFL_INVALID, "self-check: W");
    const run without = run_with(&eom, 0, x0, 0.01, NULL, NULL);
    assert_succeeded(&without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_relative_tolerance_bounds_the_error),
        cmocka_unit_test(the_absolute_tolerance_bounds_the_error),
        cmocka_unit_test(loosening_rtol_each_of_one_component_lets_its_error_grow),
        cmocka_unit_test(loosening_atol_each_of_one_component_lets_its_error_grow),
        cmocka_unit_test(equal_tolerances_for_each_component_are_the_scalar_ones),
        cmocka_unit_test(zero_means_the_documented_default),
        cmocka_unit_test(the_default_rank_tolerance_is_larger_with_differences),
        cmocka_unit_test(an_option_out_of_range_is_refused_by_name),
        cmocka_unit_test(psf_has_accurate_multipliers_and_psi1_only_motion),
        cmocka_unit_test(orthogonal_selectors_are_orthonormal_and_unit_selectors_unit_rows),
        cmocka_unit_test(all_kinds_of_selectors_solve_the_same_problem),
        cmocka_unit_test(user_selectors_along_the_free_direction_work),
        cmocka_unit_test(singular_user_selectors_are_refused),
        cmocka_unit_test(selectors_are_renewed_when_renewal_says),
        cmocka_unit_test(the_default_renewal_is_always_for_orthogonal_and_on_change_for_unit),
        cmocka_unit_test(every_algebraic_decomposition_gives_the_same_solution),
        cmocka_unit_test(only_the_svd_takes_redundant_constraints),
        cmocka_unit_test(the_differential_part_by_qr_differs_from_lu_by_rounding_only),
        cmocka_unit_test(carried_accelerations_change_rounding_only),
        cmocka_unit_test(rigid_invariants_are_never_dropped),
        cmocka_unit_test(the_norm_by_bodies_sees_what_the_mean_dilutes),
        cmocka_unit_test(the_rank_tolerance_decides_what_counts_as_redundant),
        cmocka_unit_test(every_reference_point_gives_the_solution_with_its_own_work),
        cmocka_unit_test(constant_prediction_costs_iterations),
        cmocka_unit_test(newton_iterations_bounds_the_solves_of_an_attempt),
        cmocka_unit_test(newton_updates_bounds_the_matrices_of_an_attempt),
        cmocka_unit_test(a_smaller_newton_tolerance_iterates_more_and_leaves_less),
        cmocka_unit_test(a_small_multiplier_weight_lets_newton_stop_earlier),
        cmocka_unit_test(the_matrix_is_kept_while_newton_is_fast),
        cmocka_unit_test(a_kept_matrix_is_renewed_when_newton_fails),
        cmocka_unit_test(the_first_step_is_as_given),
        cmocka_unit_test(no_step_is_longer_than_max_step),
        cmocka_unit_test(fixed_steps_have_their_size_and_number),
        cmocka_unit_test(fixed_steps_go_on_when_newton_reaches_its_bound),
        cmocka_unit_test(fixed_steps_return_to_their_size_after_a_refused_state),
        cmocka_unit_test(max_steps_stops_and_the_run_can_go_on),
        cmocka_unit_test(a_smaller_safety_factor_takes_shorter_steps),
        cmocka_unit_test(no_step_grows_by_more_than_max_factor),
        cmocka_unit_test(no_rejected_step_shrinks_by_more_than_min_factor),
        cmocka_unit_test(the_classical_controller_forgets_the_last_error),
        cmocka_unit_test(keep_low_and_keep_high_bound_the_changes_that_are_ignored),
        cmocka_unit_test(the_self_check_is_made_only_on_request),
    };
    return cmocka_run_group_tests(tests, make_pendulum, free_pendulum);
}
