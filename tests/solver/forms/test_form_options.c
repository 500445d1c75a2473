/* test_form_options.c: options that say what is integrated: form, selectors, decompositions,
   accelerations, invariants, norm, rank. */
#include "formulation/projected.h"
#include "solver/solver_internal.h"

#include "swing.h"

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
    const dfl_reduced *newton = &((const dfl_projected *)solver->form)->newton;
    assert_int_equal(newton->nfp, 1);
    assert_int_equal(newton->nfv, 1);
    memcpy(Sp, newton->Sp, 2 * sizeof *Sp);
    memcpy(Sv, newton->Sv, 2 * sizeof *Sv);
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
    selectors_in_use(Sp, Sv, &(dfl_solver_options){.constraints.selectors = DFL_UNIT});
    assert_true((Sp[0] == 1 && Sp[1] == 0) || (Sp[0] == 0 && Sp[1] == 1));
    assert_true((Sv[0] == 1 && Sv[1] == 0) || (Sv[0] == 0 && Sv[1] == 1));
}

static void all_kinds_of_selectors_solve_the_same_problem(void **state)
{
    (void)state;
    const run orthogonal = swing(&(dfl_solver_options){.rtol = 1e-7});
    const run unit = swing(&(dfl_solver_options){.rtol = 1e-7, .constraints.selectors = DFL_UNIT});
    assert_accurate(&orthogonal);
    assert_succeeded(&unit);
    /* unit selectors lose up to one digit */
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
    const run r = swing(&(dfl_solver_options){.rtol = 1e-7,
                                              .constraints.selectors = DFL_USER,
                                              .constraints.select = select_rows,
                                              .user = &sel});
    assert_accurate(&r);
    assert_true(sel.calls > 10);
    assert_int_equal(sel.calls, r.stats.selector_computations);
    const run psi1 = swing(&(dfl_solver_options){.rtol = 1e-7,
                                                 .form = DFL_PSI1,
                                                 .constraints.selectors = DFL_USER,
                                                 .constraints.select = select_rows,
                                                 .user = &sel});
    assert_succeeded(&psi1);
    assert_true(error_of(&psi1, &pendulum, T_END, VX, 4) < ACCURATE);
}

static void singular_user_selectors_are_refused(void **state)
{
    (void)state;
    selecting sel = {.kind = 1};
    const run r = swing(&(dfl_solver_options){
        .constraints.selectors = DFL_USER, .constraints.select = select_rows, .user = &sel});
    assert_failed(&r, DFL_SINGULAR, "selectors");
    sel.kind = 2;
    const run stopped = swing(&(dfl_solver_options){
        .constraints.selectors = DFL_USER, .constraints.select = select_rows, .user = &sel});
    assert_failed(&stopped, DFL_CALLBACK, "select");
}

static void selectors_are_renewed_when_renewal_says(void **state)
{
    (void)state;
    /* without matrix updates every decomposition belongs to an attempt */
    const dfl_solver_options always = {.rtol = 1e-7,
                                       .constraints.renewal = DFL_RENEW_ALWAYS,
                                       .newton.updates = -1,
                                       .newton.reuse = -1};
    dfl_solver_options change = always, unit = always;
    change.constraints.renewal = unit.constraints.renewal = DFL_RENEW_ON_CHANGE;
    unit.constraints.selectors = DFL_UNIT;
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
    dfl_solver_options options = {.newton.updates = -1, .newton.reuse = -1};
    const run o = swing(&options);
    options.constraints.selectors = DFL_UNIT;
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
        const run r = swing(&(dfl_solver_options){.rtol = 1e-7, .constraints.algebraic = kind[i]});
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
        const dfl_solver_options options = {.rtol = 1e-7,
                                            .constraints.algebraic = (dfl_algebraic)kind};
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
        run_problem(&chain, 0.5, &(dfl_solver_options){.newton.differential = DFL_DIFFERENTIAL_QR});
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
    dfl_solver_options options = {.rtol = 1e-7, .newton.carry_accelerations = true};
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
        options.newton.carry_accelerations = carry;
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
    const run rigid =
        run_problem(&prob, T_END, &(dfl_solver_options){.constraints.rigid_invariants = true});
    assert_succeeded(&adaptive);
    assert_true(adaptive.stats.steps_without_invariants > 0);
    assert_int_not_equal(rigid.status, DFL_OK);
    assert_int_equal(rigid.stats.steps_without_invariants, 0);

    /* from (0, -1) with the speed of the passage to 80 % of the time up to the turning point */
    const problem_reference *bottom = &prob.references[1];
    const dfl_solver_options options = {.constraints.rigid_invariants = true};
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
        run_problem(&chain, 0.5, &(dfl_solver_options){.order = 5, .error.norm = DFL_NORM_BODY});
    assert_succeeded(&rms);
    assert_succeeded(&body);
    assert_true(body.stats.accepted > rms.stats.accepted);
    problem_free(&chain);
}

/* A point held by z = 0 and z + tilt x = 0, and by x + y = 0, so that the column of x is not
   small. */
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
        run_with(&eom, 0, x0, 0.1, &(dfl_solver_options){.constraints.rank_tolerance = 1e-4}, NULL);
    assert_succeeded(&full);
    assert_succeeded(&less);
    assert_int_equal(full.stats.rank_position, 3);
    assert_int_equal(full.stats.rank_velocity, 3);
    assert_int_equal(less.stats.rank_position, 2);
    assert_int_equal(less.stats.rank_velocity, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
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
    };
    return cmocka_run_group_tests(tests, make_pendulum, free_pendulum);
}
