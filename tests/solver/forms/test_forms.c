/* test_forms.c: every form solves the same problems as psf; what a form has no place for is
   refused. */
#include "failing_solver.h"
#include "forms.h"

#include <stdlib.h>

/* Errors of positions against psf at rtol 1e-12, which must be small at 1e-6 and again smaller at
   1e-9. The factor on the tolerance is what global errors may exceed local ones by on these runs;
   ten times as much with index 3, where errors of velocities count h times only. */
static void check_problem(const char *name, double t0, double length, double factor)
{
    motion m = motion_of(name, t0, length);
    for (int k = 0; k < USABLE_FORMS; k++) {
        double error[2];
        for (int j = 0; j < 2; j++) {
            const dfl_solver_options options = {.form = usable_forms[k],
                                                .rtol = j == 0 ? 1e-6 : 1e-9};
            const run r = motion_run(&m, &options);
            if (r.status)
                fail_msg("%s, %s: %s", name, dfl_form_name(usable_forms[k]), r.message);
            error[j] = motion_error(&m, &r).p;
            const double allowed = (usable_forms[k] == DFL_EOM ? 10 : 1) * factor;
            if (!(error[j] <= allowed * options.rtol))
                fail_msg("%s, %s: error %g at rtol %g", name, dfl_form_name(usable_forms[k]),
                         error[j], options.rtol);
        }
    }
    problem_free(&m.prob);
}

static void all_forms_solve_the_cartesian_pendulum(void **state)
{
    (void)state;
    check_problem("pendulum", 0.1, 1, 30);
}

static void all_forms_solve_the_slider_crank(void **state)
{
    (void)state;
    check_problem("slidercrank", 0.05, 0.3, 30);
}

/* Z is 7 x 6, |q| = 1 an invariant of positions. */
static void all_forms_solve_the_top_with_quaternions(void **state)
{
    (void)state;
    check_problem("top", 0.1, 0.5, 100);
}

static void all_forms_solve_nonholonomic_problems(void **state)
{
    (void)state;
    check_problem("sleigh", 0.1, 2, 30);
    check_problem("disk", 0.1, 0.5, 30);
}

/* s, r, w: contact variables, dynamic force elements, an implicit friction law. */
static void all_forms_solve_problems_with_contact_dynamic_and_auxiliary_variables(void **state)
{
    (void)state;
    check_problem("wheelset", 0, 0.05, 30);
    check_problem("servo", 0.1, 0.5, 30);
    check_problem("friction", 0.05, 0.3, 100);
}

/* 24 constraints of rank 23: minimum-norm multipliers with all forms. */
static void all_forms_solve_a_mechanism_with_redundant_constraints(void **state)
{
    (void)state;
    check_problem("bricard", 0.1, 0.5, 30);
}

/* A knife edge on a slope, its constraint written down `copies` times: row i is i+1 times the
   first one. */
static int edge(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const int copies = *(const int *)user;
    const double *v = x + copies, *p = v + 3, s = sin(p[2]), c = cos(p[2]);
    (void)t;
    if (need & DFL_FORCE)
        out->f[0] = 1, out->f[1] = out->f[2] = 0;
    for (int i = 0; i < copies; i++) {
        const double k = i + 1;
        if (need & DFL_VELOCITY)
            out->hv[i] = k * (c * v[1] - s * v[0]);
        if (need & DFL_DIRECTIONS)
            out->W[i] = -k * s, out->W[copies + i] = k * c;
        if (need & DFL_BIAS)
            out->bias[i] = -k * (c * v[0] + s * v[1]) * v[2];
    }
    return 0;
}

/* mu = (1, 2)/5 of the single one has the least norm with the same force. */
static void all_forms_take_redundant_nonholonomic_constraints(void **state)
{
    (void)state;
    int copies = 1;
    dfl_eom eom = {
        .np = 3, .nv = 3, .nm = 1, .eval = edge, .trivial_kinematics = true, .user = &copies};
    const double x0[] = {0, 0, 0, 1, 0, 0, 0.3};
    const run one = run_with(&eom, 0, x0, 2, &(dfl_solver_options){.rtol = 1e-11}, NULL);
    assert_succeeded(&one);
    eom.nm = copies = 2;
    for (int k = 0; k < USABLE_FORMS; k++) {
        const dfl_form form = usable_forms[k];
        const double y0[] = {0, 0, 0, 0, 1, 0, 0, 0.3};
        const run two =
            run_with(&eom, 0, y0, 2, &(dfl_solver_options){.form = form, .rtol = 1e-8}, NULL);
        if (two.status)
            fail_msg("%s: %s", dfl_form_name(form), two.message);
        assert_near(distance(two.x + 2, one.x + 1, 6), 0, 1e-6);
        assert_near(two.x[0], one.x[0] / 5, 1e-3);
        assert_near(two.x[1], 2 * one.x[0] / 5, 1e-3);
    }
}

/* M = diag(1, 0), singular, but regular beside the constraint x^2 + y^2 = 1. */
static int singular_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t, (void)user;
    if (need & DFL_FORCE)
        out->f[0] = 0, out->f[1] = -1;
    if (need & DFL_POSITION)
        out->g[0] = 0.5 * (x[3] * x[3] + x[4] * x[4] - 1);
    if (need & DFL_VELOCITY)
        out->gI[0] = x[3] * x[1] + x[4] * x[2];
    if (need & DFL_DIRECTIONS)
        out->W[0] = x[3], out->W[1] = x[4];
    if (need & DFL_BIAS)
        out->bias[0] = x[1] * x[1] + x[2] * x[2];
    return 0;
}

static int singular_mass(double *M, double t, const double *x, void *user)
{
    (void)t, (void)x, (void)user;
    M[0] = 1, M[1] = 0;
    return 0;
}

static void singular_mass_matrices_are_no_trouble_beside_constraints(void **state)
{
    (void)state;
    const dfl_eom eom = {.np = 2,
                         .nv = 2,
                         .nl = 1,
                         .eval = singular_eval,
                         .mass = singular_mass,
                         .mass_diagonal = true,
                         .mass_constant = true,
                         .trivial_kinematics = true,
                         .forces_free_of_multipliers = true};
    const double x0[] = {0, 0, 0, 0.5, -sqrt(0.75)};
    const run psf = run_with(&eom, 0, x0, 2, &(dfl_solver_options){.rtol = 1e-11}, NULL);
    assert_succeeded(&psf);
    for (int k = 0; k < USABLE_FORMS; k++) {
        const dfl_solver_options options = {.form = usable_forms[k], .rtol = 1e-7};
        const run r = run_with(&eom, 0, x0, 2, &options, NULL);
        assert_succeeded(&r);
        assert_near(distance(r.x + 3, psf.x + 3, 2), 0, 1e-5);
    }
}

/* The massless row is part of the dynamics; forms with accelerations cannot have it. */
static void massless_directions_go_with_forms_without_accelerations(void **state)
{
    (void)state;
    static const dfl_form with[] = {DFL_PSF, DFL_PSI1, DFL_EOM, DFL_EOM2, DFL_GGL};
    static const dfl_form without[] = {DFL_EOM1,    DFL_BAUMGARTE, DFL_ODAE,
                                       DFL_EXT316,  DFL_EXT317,    DFL_PINV,
                                       DFL_TANGENT, DFL_PARTITION, DFL_IMPLICIT};
    problem prob;
    assert_true(problem_make(&prob, "oscillator", 0));
    const run psf = run_problem(&prob, 1, &(dfl_solver_options){.rtol = 1e-11});
    assert_succeeded(&psf);
    for (size_t k = 0; k < sizeof with / sizeof *with; k++) {
        const dfl_solver_options options = {.form = with[k], .rtol = 1e-8};
        const run r = run_problem(&prob, 1, &options);
        assert_succeeded(&r);
        const dfl_layout at = dfl_eom_layout(&prob.eom);
        assert_near(distance(r.x + at.p, psf.x + at.p, at.n - at.p), 0, 1e-6);
    }
    for (size_t k = 0; k < sizeof without / sizeof *without; k++) {
        const run r = run_problem(&prob, 1, &(dfl_solver_options){.form = without[k]});
        assert_failed(&r, DFL_INVALID, "massless directions");
    }
    static const dfl_form right_hand_sides[] = {DFL_UODE, DFL_EXPLICIT, DFL_QR, DFL_SVD};
    for (size_t k = 0; k < sizeof right_hand_sides / sizeof *right_hand_sides; k++) {
        dfl_solver_options options = {
            .form = right_hand_sides[k], .rtol = 1e-8, .integrator = DFL_EXPLICIT_PAIR};
        const run r = run_problem(&prob, 1, &options);
        assert_succeeded(&r); /* velocities too: their size is 2, and the oscillation stiff */
        assert_near(distance(r.x, psf.x, r.n), 0, 1e-3);
        for (int method = DFL_RADAU; method <= DFL_BDF; method++) {
            options.integrator = (dfl_integrator)method;
            const run refused = run_problem(&prob, 1, &options);
            assert_failed(&refused, DFL_INVALID, "massless directions");
        }
    }
    for (size_t k = 0; k < sizeof with / sizeof *with; k++) { /* the rules of order 2: psf only */
        const dfl_solver_options options = {.form = with[k],
                                            .integrator = k % 2 ? DFL_MIDPOINT : DFL_TRAPEZOIDAL};
        const run r = run_problem(&prob, 1, &options);
        if (with[k] == DFL_PSF)
            assert_succeeded(&r);
        else
            assert_failed(&r, DFL_INVALID, "use psf, or radau or bdf");
    }
    problem_free(&prob);
}

static void models_without_bias_go_with_forms_without_accelerations(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    prob.eom.no_bias = true;
    for (int k = 0; k < USABLE_FORMS; k++) {
        const dfl_form form = usable_forms[k];
        const run r = run_problem(&prob, 0.5, &(dfl_solver_options){.form = form});
        if (form == DFL_PSI1 || form == DFL_EOM || form == DFL_EOM2 || form == DFL_GGL) {
            assert_succeeded(&r);
            assert_true(isnan(r.stats.max_residual.acceleration));
        } else {
            assert_failed(&r, DFL_INVALID, "needs the bias");
        }
    }
    problem_free(&prob);
}

static void invariants_of_velocities_need_a_projected_form(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "pendulum_energy", 0));
    for (int k = 0; k < USABLE_FORMS; k++) {
        const dfl_form form = usable_forms[k];
        const run r = run_problem(&prob, 0.5, &(dfl_solver_options){.form = form});
        if (form == DFL_PSF || form == DFL_PSI1 || form == DFL_TANGENT || form == DFL_PARTITION)
            assert_succeeded(&r);
        else
            assert_failed(&r, DFL_INVALID, "no room for the invariants e");
    }
    problem_free(&prob);
}

static void a_partition_must_fit_the_model(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    const bool y_only[] = {false, false, true, false, true},
               both[] = {false, true, true, true, true};
    dfl_solver_options options = {.form = DFL_PSF, .constraints.independent = y_only};
    run r = run_problem(&prob, 0.5, &options);
    assert_failed(&r, DFL_INVALID, "`independent` belongs to the forms partition and separation");
    options.form = DFL_PARTITION;
    options.constraints.independent = both;
    r = run_problem(&prob, 0.5, &options);
    assert_failed(&r, DFL_INVALID,
                  "names 2 positions and 2 velocities; the constraints leave 1 and 1");
    /* y turns at the lowest point, t = 0.5, where it determines nothing: the run ends there, or
       goes on with the other coordinate if it may choose. */
    options.constraints.independent = NULL;
    const run automatic = run_problem(&prob, 0.6, &options);
    options.constraints.independent = y_only;
    r = run_problem(&prob, 0.6, &options);
    assert_succeeded(&automatic);
    assert_failed(&r, DFL_SINGULAR, "the independent coordinates p[1] do not determine the motion");
    const char *at = strstr(r.message, "at t = "); /* its last step may end well before */
    assert_non_null(at);
    assert_near(strtod(at + strlen("at t = "), NULL), 0.5, 1e-4);
    assert_true(r.t <= 0.5);
    problem_free(&prob);
}

/* The pendulum in the contract of GEOMS: f with constraint forces, gII without accelerations. */
static int geoms_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double g = *(const double *)user, a[] = {-2 * x[3] * x[0], -g - 2 * x[4] * x[0]};
    (void)t;
    if (need & DFL_FORCE)
        out->f[0] = a[0], out->f[1] = a[1];
    if (need & DFL_POSITION)
        out->g[0] = x[3] * x[3] + x[4] * x[4] - 1;
    if (need & DFL_VELOCITY)
        out->gI[0] = 2 * (x[3] * x[1] + x[4] * x[2]);
    if (need & DFL_BIAS)
        out->bias[0] = 2 * (x[3] * a[0] + x[4] * a[1] + x[1] * x[1] + x[2] * x[2]);
    return 0;
}

static void forms_without_W_work_in_the_contract_of_geoms(void **state)
{
    (void)state;
    static const dfl_form forms[] = {DFL_EOM, DFL_EOM2, DFL_EOM1, DFL_BAUMGARTE};
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    const dfl_eom geoms = {.np = 2,
                           .nv = 2,
                           .nl = 1,
                           .eval = geoms_eval,
                           .trivial_kinematics = true,
                           .contract = DFL_GEOMS,
                           .user = &((pendulum_parameters *)prob.parameters)->g};
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        const dfl_solver_options options = {.form = forms[k], .rtol = 1e-8};
        const run r = run_with(&geoms, 0, prob.x0, 1.3, &options, NULL);
        assert_succeeded(&r);
        assert_near(error_of(&r, &prob, 1.3, 3, 2), 0, 1e-6);
        assert_true(r.stats.max_residual.acceleration >= 0);
    }
    problem_free(&prob);
}

static void forms_that_need_W_are_refused_in_the_contract_of_geoms(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    prob.eom.contract = DFL_GEOMS;
    static const dfl_form forms[] = {DFL_GGL,  DFL_ODAE,    DFL_EXT316,    DFL_EXT317,
                                     DFL_PINV, DFL_TANGENT, DFL_PARTITION, DFL_IMPLICIT};
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        const run r = run_problem(&prob, 0.5, &(dfl_solver_options){.form = forms[k]});
        assert_failed(&r, DFL_INVALID, "needs the matrix W");
    }
    problem_free(&prob);
}

/* Where g and gI have dependent derivatives, lambda and tau of (3.16) act alike: at rest L = 0,
   and with 2 nl > np always (Lemma 3.1). */
static void ext316_is_singular_where_theory_says_so(void **state)
{
    (void)state;
    motion m = motion_of("slidercrank", 0.05, 0.1);
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    const dfl_solver_options options = {.form = DFL_EXT316};
    run r = run_problem(&prob, 0.5, &options);
    assert_failed(&r, DFL_SINGULAR, "lambda and tau are not determined");
    r = motion_run(&m, &options);
    assert_failed(&r, DFL_SINGULAR, "lambda and tau are not determined");
    problem_free(&prob);
    problem_free(&m.prob);
}

/* There and back again, with the norm by bodies, an event on the way, and a projected state. */
static int low(double *value, double t, const double *x, void *user)
{
    (void)t, (void)user;
    value[0] = x[4] + 0.5;
    return 0;
}

static void all_forms_run_back_and_find_events(void **state)
{
    (void)state;
    const dfl_body bodies[] = {{0, 2, 0, 2}};
    const dfl_structure structure = {.nbodies = 1, .bodies = bodies};
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    prob.eom.structure = &structure;
    for (int k = 0; k < USABLE_FORMS; k++) {
        const dfl_solver_options options = {.form = usable_forms[k],
                                            .rtol = 1e-8,
                                            .error.norm = DFL_NORM_BODY,
                                            .events.count = 1,
                                            .events.eval = low};
        dfl_context *ctx = dfl_context_create();
        dfl_solver *solver = NULL;
        double x[5];
        assert_int_equal(dfl_solver_create(&solver, ctx, &prob.eom, &options), DFL_OK);
        assert_int_equal(dfl_solver_start(solver, 0, prob.x0, NULL), DFL_OK);
        assert_int_equal(dfl_solver_advance(solver, 0.45), DFL_OK);
        assert_int_equal(dfl_solver_interpolate(x, solver, 0.45 - 1e-4, true), DFL_OK);
        assert_near(x[3] * x[3] + x[4] * x[4], 1, 1e-12);
        assert_int_equal(dfl_solver_advance(solver, 0), DFL_OK);
        assert_int_equal(dfl_solver_statistics(solver).events, 2);
        assert_near(distance(dfl_solver_state(solver) + 3, prob.x0 + 3, 2), 0, 1e-5);
        dfl_solver_free(solver);
        dfl_context_free(ctx);
    }
    problem_free(&prob);
}

/* Every allocation of every form may fail, and nothing is leaked. */
static void creation_survives_every_failed_allocation(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "disk", 0));
    for (int k = 0; k < USABLE_FORMS; k++) {
        const dfl_solver_options options = {.form = usable_forms[k]};
        assert_survives_failed_allocations(&prob, &options);
    }
    problem_free(&prob);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_forms_solve_the_cartesian_pendulum),
        cmocka_unit_test(all_forms_solve_the_slider_crank),
        cmocka_unit_test(all_forms_solve_the_top_with_quaternions),
        cmocka_unit_test(all_forms_solve_nonholonomic_problems),
        cmocka_unit_test(all_forms_solve_problems_with_contact_dynamic_and_auxiliary_variables),
        cmocka_unit_test(all_forms_solve_a_mechanism_with_redundant_constraints),
        cmocka_unit_test(all_forms_take_redundant_nonholonomic_constraints),
        cmocka_unit_test(singular_mass_matrices_are_no_trouble_beside_constraints),
        cmocka_unit_test(massless_directions_go_with_forms_without_accelerations),
        cmocka_unit_test(models_without_bias_go_with_forms_without_accelerations),
        cmocka_unit_test(invariants_of_velocities_need_a_projected_form),
        cmocka_unit_test(a_partition_must_fit_the_model),
        cmocka_unit_test(forms_without_W_work_in_the_contract_of_geoms),
        cmocka_unit_test(forms_that_need_W_are_refused_in_the_contract_of_geoms),
        cmocka_unit_test(ext316_is_singular_where_theory_says_so),
        cmocka_unit_test(all_forms_run_back_and_find_events),
        cmocka_unit_test(creation_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
