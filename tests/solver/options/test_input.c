/* test_input.c: wrong descriptions, options and arguments are refused with a message that names
   them, and unusual but right models work. Exact solutions are stated beside each model. */
#include "pendulum.h"

#include <limits.h>
#include <stdlib.h>

static const double x0[] = {0, 0, 0, 1, 0};

/* Creating a solver fails with DFL_INVALID and a message that contains `text`. */
static void assert_refused(const dfl_eom *eom, const dfl_solver_options *options, const char *text)
{
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    const dfl_status status = dfl_solver_create(&solver, ctx, eom, options);
    if (status != DFL_INVALID || !strstr(dfl_message(ctx), text))
        fail_msg("expected DFL_INVALID with '%s', found %s: '%s'", text, dfl_status_name(status),
                 dfl_message(ctx));
    assert_null(solver);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

static int no_condition(double *residual, double t, const double *x, void *user)
{
    (void)residual, (void)t, (void)x, (void)user;
    return 0;
}

static void refuse_option(dfl_solver_options options, const char *text)
{
    assert_refused(&pendulum.eom, &options, text);
}

static void a_model_needs_eval_and_sizes_in_range(void **state)
{
    (void)state;
    dfl_eom eom = pendulum.eom;
    eom.eval = NULL;
    assert_refused(&eom, NULL, "eval");
    assert_refused(&(dfl_eom){.eval = pendulum.eom.eval}, NULL, "no unknowns");
    int *const size[] = {&eom.np, &eom.nv, &eom.nr, &eom.nw,  &eom.ns,
                         &eom.nl, &eom.nm, &eom.ne, &eom.nep, &eom.n0};
    const char *const name[] = {"np", "nv", "nr", "nw", "ns", "nl", "nm", "ne", "nep", "n0"};
    const int wrong[] = {-1, INT_MIN, INT_MAX, 100001};
    for (int i = 0; i < 10; i++)
        for (int k = 0; k < 4; k++) {
            eom = pendulum.eom;
            *size[i] = wrong[k];
            assert_refused(&eom, NULL, name[i]);
        }
}

static void constraints_and_invariants_without_their_variables_are_refused(void **state)
{
    (void)state;
    assert_refused(&(dfl_eom){.np = 2, .ne = 1, .eval = pendulum.eom.eval}, NULL, "ne, n0");
    assert_refused(&(dfl_eom){.np = 2, .n0 = 1, .eval = pendulum.eom.eval}, NULL, "ne, n0");
    assert_refused(&(dfl_eom){.nr = 2, .nep = 1, .eval = pendulum.eom.eval}, NULL, "nep");
    assert_refused(&(dfl_eom){.np = 2, .nl = 1, .eval = pendulum.eom.eval}, NULL, "nv = 0");
    assert_refused(&(dfl_eom){.nr = 2, .nm = 1, .eval = pendulum.eom.eval}, NULL, "nv = 0");
}

static int dummy_product(double *y, double t, const double *x, const double *a, void *user)
{
    (void)y, (void)t, (void)x, (void)a, (void)user;
    return 0;
}

static void contradictory_mass_callbacks_are_refused(void **state)
{
    (void)state;
    dfl_eom eom = pendulum.eom;
    eom.mass_times = dummy_product;
    assert_refused(&eom, NULL, "only one of");
    eom = pendulum.eom;
    eom.residual = dummy_product;
    assert_refused(&eom, NULL, "only one of");
    eom = pendulum.eom;
    eom.mass = NULL;
    assert_refused(&eom, NULL, "mass_diagonal");
    eom = pendulum.eom;
    eom.contract = DFL_GEOMS;
    eom.n0 = 1;
    assert_refused(&eom, NULL, "GEOMS");
}

static int dummy_jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    (void)out, (void)t, (void)x, (void)a, (void)user;
    return 0;
}

static void unknowns_that_follow_need_their_constraints(void **state)
{
    (void)state;
    const bool following[5] = {false};
    const dfl_sparsity sparsity = {.following = following};
    dfl_eom eom = pendulum.eom;
    eom.jacobian = dummy_jacobian;
    eom.sparsity = &sparsity;
    assert_refused(&eom, NULL, "`following` needs `uncounted`");
}

static void refuse_structure(dfl_structure structure, const char *text)
{
    dfl_eom eom = pendulum.eom;
    eom.structure = &structure;
    assert_refused(&eom, NULL, text);
}

static void a_structure_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    const dfl_body good = {0, 2, 0, 2};
    const dfl_body bad[] = {{0, 3, 0, 2},      {0, 2, 1, 2},       {-1, 2, 0, 2},
                            {0, -1, 0, 2},     {1, INT_MAX, 0, 2}, {INT_MAX, 1, 0, 2},
                            {0, 2, 0, INT_MAX}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuse_structure((dfl_structure){.nbodies = 1, .bodies = &bad[i]}, "body 0");
    refuse_structure((dfl_structure){.nbodies = 1}, "nbodies");
    refuse_structure((dfl_structure){.nbodies = -1}, "nbodies");
    refuse_structure((dfl_structure){.nblocks = 1}, "nblocks");
    refuse_structure((dfl_structure){.nblocks = -1}, "nblocks");
    const int body0 = 0, body1 = 1;
    const dfl_constraint_block blocks[] = {
        {0, 2, 1, &body0}, {-1, 1, 1, &body0}, {0, -1, 1, &body0}, {1, INT_MAX, 1, &body0},
        {0, 1, 1, &body1}, {0, 1, 1, NULL},    {0, 1, -1, NULL}};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        refuse_structure(
            (dfl_structure){.nbodies = 1, .bodies = &good, .nblocks = 1, .blocks = &blocks[i]},
            "constraint block 0");
}

/* Rows: 1 of acc, 1 of vel, 1 of pos, 2 of dyn, 2 of kin; columns lambda, vx, vy, x, y. */
static void a_pattern_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    const int start[] = {0, 1, 2, 3, 4, 5}, late[] = {1, 1, 2, 3, 4, 5},
              back[] = {0, 2, 1, 3, 4, 5};
    const int two[] = {0, 2, 2, 2, 2, 2};
    const int row[] = {0, 1, 2, 3, 6}, high[] = {0, 1, 2, 3, 7}, low[] = {0, -1, 2, 3, 4};
    const int twice[] = {3, 3, 0, 0, 0}, descending[] = {3, 2, 0, 0, 0};
    const dfl_pattern bad[] = {{start, high}, {start, low}, {late, row},       {back, row},
                               {two, twice},  {NULL, row},  {two, descending}, {start, NULL}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuse_structure((dfl_structure){.pattern = &bad[i]}, "pattern");
}

static void numbers_out_of_range_are_refused_by_name(void **state)
{
    (void)state;
    const double wrong[] = {NAN, -1e-3, INFINITY, -INFINITY};
    for (int i = 0; i < 4; i++) {
        const double bad = wrong[i];
        refuse_option((dfl_solver_options){.rtol = bad}, "rtol");
        refuse_option((dfl_solver_options){.atol = bad}, "atol");
        refuse_option((dfl_solver_options){.newton.multiplier_weight = bad}, "multiplier_weight");
        refuse_option((dfl_solver_options){.newton.tolerance = bad}, "newton_tolerance");
        refuse_option((dfl_solver_options){.step.safety = bad}, "safety");
        refuse_option((dfl_solver_options){.step.min_factor = bad}, "min_factor");
        refuse_option((dfl_solver_options){.step.max_factor = bad}, "max_factor");
        refuse_option((dfl_solver_options){.step.keep_low = bad}, "keep_low");
        refuse_option((dfl_solver_options){.step.keep_high = bad}, "keep_high");
        refuse_option((dfl_solver_options){.constraints.rank_tolerance = bad}, "rank_tolerance");
        refuse_option((dfl_solver_options){.step.max = bad}, "max_step");
        refuse_option((dfl_solver_options){.step.fixed = bad}, "fixed_step");
        refuse_option((dfl_solver_options){.output.every = bad}, "every");
        if (i != 1) {
            refuse_option((dfl_solver_options){.step.first = bad}, "first_step");
            refuse_option((dfl_solver_options){.newton.reuse = bad}, "jacobian_reuse");
        }
    }
    refuse_option((dfl_solver_options){.rtol = 1e-18}, "rtol");
    refuse_option((dfl_solver_options){.rtol = 2}, "rtol");
    refuse_option((dfl_solver_options){.step.min_factor = 1},
                  "min_factor"); /* would never shrink */
    refuse_option((dfl_solver_options){.step.max_factor = 0.5}, "max_factor");
    refuse_option((dfl_solver_options){.newton.iterations = -1}, "newton_iterations");
    refuse_option((dfl_solver_options){.newton.iterations = 1000}, "newton_iterations");
    refuse_option((dfl_solver_options){.newton.updates = 1000}, "newton_updates");
    refuse_option((dfl_solver_options){.step.max_attempts = -1}, "max_steps");
    refuse_option((dfl_solver_options){.events.count = -1}, "events.count");
}

static void tolerances_of_single_unknowns_are_refused_by_index(void **state)
{
    (void)state;
    const double wrong[] = {NAN, 0, -1e-6, INFINITY};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 5; k++) {
            double each[] = {1e-6, 1e-6, 1e-6, 1e-6, 1e-6};
            char name[32];
            each[k] = wrong[i];
            snprintf(name, sizeof name, "rtol_each[%d]", k);
            refuse_option((dfl_solver_options){.error.rtol_each = each}, name);
            snprintf(name, sizeof name, "atol_each[%d]", k);
            refuse_option((dfl_solver_options){.error.atol_each = each}, name);
        }
}

static void choices_that_do_not_exist_are_refused_by_name(void **state)
{
    (void)state;
    for (int bad = -1; bad <= 99; bad += 100) {
        refuse_option((dfl_solver_options){.form = (dfl_form)bad}, "form");
        refuse_option((dfl_solver_options){.integrator = (dfl_integrator)bad}, "integrator");
        assert_string_equal(dfl_form_name((dfl_form)bad), "unknown form");
        assert_string_equal(dfl_integrator_name((dfl_integrator)bad), "unknown integrator");
        refuse_option((dfl_solver_options){.constraints.selectors = (dfl_selectors)bad},
                      "selectors");
        refuse_option((dfl_solver_options){.constraints.renewal = (dfl_renewal)bad}, "renewal");
        refuse_option((dfl_solver_options){.constraints.algebraic = (dfl_algebraic)bad},
                      "algebraic");
        refuse_option((dfl_solver_options){.newton.differential = (dfl_differential)bad},
                      "differential");
        refuse_option((dfl_solver_options){.error.norm = (dfl_norm)bad}, "norm");
        refuse_option((dfl_solver_options){.newton.reference = (dfl_reference)bad}, "reference");
        refuse_option((dfl_solver_options){.newton.prediction = (dfl_prediction)bad}, "prediction");
        refuse_option((dfl_solver_options){.step.control = (dfl_control)bad}, "control");
    }
}

static void contradictory_options_are_refused(void **state)
{
    (void)state;
    dfl_eom eom = pendulum.eom;
    eom.no_bias = true;
    assert_refused(&eom, NULL, "bias");
    refuse_option((dfl_solver_options){.constraints.selectors = DFL_USER}, "select");
    refuse_option((dfl_solver_options){.error.norm = DFL_NORM_BODY}, "bodies");
    refuse_option((dfl_solver_options){.events.count = 2}, "event");
    refuse_option((dfl_solver_options){.newton.prediction = DFL_CONSTANT,
                                       .newton.reference = DFL_REFERENCE_STAGE2},
                  "reference");
    refuse_option((dfl_solver_options){.step.fixed = 0.1, .step.max = 0.05}, "max_step");
}

/* ------------------------------------------------------------------ arguments of start, advance */

static void wrong_arguments_of_start_and_advance_are_refused(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    double x[5];
    assert_int_equal(dfl_solver_create(&solver, ctx, &pendulum.eom, NULL), DFL_OK);
    assert_int_equal(dfl_solver_advance(solver, 1), DFL_INVALID);
    assert_non_null(strstr(dfl_message(ctx), "dfl_solver_start"));
    assert_int_equal(dfl_solver_interpolate(x, solver, 0, false), DFL_INVALID);
    const double wrong[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(dfl_solver_start(solver, wrong[i], x0, NULL), DFL_INVALID);
        assert_non_null(strstr(dfl_message(ctx), "start time"));
        for (int k = 0; k < 5; k++) {
            char name[32];
            memcpy(x, x0, sizeof x);
            x[k] = wrong[i];
            snprintf(name, sizeof name, "x0[%d]", k);
            assert_int_equal(dfl_solver_start(solver, 0, x, NULL), DFL_INVALID);
            assert_non_null(strstr(dfl_message(ctx), name));
        }
    }
    assert_int_equal(dfl_solver_start(solver, 0, x0, NULL), DFL_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(dfl_solver_advance(solver, wrong[i]), DFL_INVALID);
        assert_non_null(strstr(dfl_message(ctx), "end time"));
    }
    assert_int_equal(dfl_solver_advance(solver, 0.5), DFL_OK); /* nothing was spoiled */
    dfl_solver_free(solver);
    dfl_context_free(ctx);
}

static void an_unknown_contract_is_refused(void **state)
{
    (void)state;
    for (int bad = -1; bad <= 2; bad += 3) {
        dfl_eom eom = pendulum.eom;
        eom.contract = (dfl_contract)bad;
        assert_refused(&eom, NULL, "contract");
    }
}

static void wrong_conditions_are_refused(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    assert_int_equal(dfl_solver_create(&solver, ctx, &pendulum.eom, NULL), DFL_OK);
    const double weight[] = {1, 1, 1, 0, 1}, nan_weight[] = {1, 1, 1, 1, NAN};
    const double ones[] = {1, 1, 1, 1, 1};
    const bool held[] = {false, false, false, true, false};
    const struct {
        dfl_conditions conditions;
        const char *text;
    } bad[] = {{{.mode = (dfl_start_mode)7}, "mode"},
               {{.mode = (dfl_start_mode)-1}, "mode"},
               {{.weight = weight}, "weight[3]"},
               {{.weight = nan_weight}, "weight[4]"},
               {{.mode = DFL_START_CONDITIONS, .nconditions = -1}, "nconditions"},
               {{.mode = DFL_START_CONDITIONS, .nconditions = 1}, "condition is NULL"},
               {{.nconditions = 1, .condition = no_condition}, "DFL_START_CONDITIONS reads"},
               {{.mode = DFL_START_CONDITIONS, .held = held}, "held values"},
               {{.mode = DFL_START_CONDITIONS, .weight = ones}, "weights"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(dfl_solver_start(solver, 0, x0, &bad[i].conditions), DFL_INVALID);
        if (!strstr(dfl_message(ctx), bad[i].text))
            fail_msg("'%s' is not in '%s'", bad[i].text, dfl_message(ctx));
    }
    dfl_solver_free(solver);
    dfl_context_free(ctx);
}

/* ------------------------------------------------------------------ large sizes */

/* An allocator with 64 megabytes. */
static void *small_heap(size_t bytes, void *user)
{
    size_t *left = user;
    if (bytes > *left)
        return NULL;
    *left -= bytes;
    return malloc(bytes);
}

static void release(void *block, void *user)
{
    (void)user;
    free(block);
}

static void the_largest_sizes_end_in_no_memory_and_not_in_overflow(void **state)
{
    (void)state;
    const dfl_eom large[] = {{.np = 100000, .nv = 100000},
                             {.nr = 100000},
                             {.nw = 100000},
                             {.ns = 100000, .np = 100000, .nv = 1},
                             {.ns = 100000},
                             {.np = 100000, .nep = 100000},
                             {.np = 50000, .nv = 50000, .nl = 50000},
                             {.np = 10, .nv = 10, .nm = 100000},
                             {.np = 10, .nv = 10, .ne = 100000, .n0 = 100000},
                             {.np = 100000,
                              .nv = 100000,
                              .nr = 100000,
                              .nw = 100000,
                              .ns = 100000,
                              .nl = 100000,
                              .nm = 100000,
                              .ne = 100000,
                              .nep = 100000,
                              .n0 = 100000}};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        size_t left = 64u << 20;
        const dfl_allocator allocator = {small_heap, release, &left};
        dfl_context *ctx = dfl_context_create_with(&allocator);
        dfl_solver *solver = NULL;
        dfl_eom eom = large[i];
        eom.eval = pendulum.eom.eval;
        assert_int_equal(dfl_solver_create(&solver, ctx, &eom, NULL), DFL_NO_MEMORY);
        assert_non_null(strstr(dfl_message(ctx), "memory"));
        assert_int_equal(dfl_context_live(ctx), 0);
        dfl_context_free(ctx);
    }
}

static void too_many_conditions_are_refused(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    assert_int_equal(dfl_solver_create(&solver, ctx, &pendulum.eom, NULL), DFL_OK);
    const int count[] = {INT_MAX, INT_MAX - 100, 100001, -1, INT_MIN};
    for (int i = 0; i < 5; i++) {
        const dfl_conditions conditions = {
            .mode = DFL_START_CONDITIONS, .nconditions = count[i], .condition = no_condition};
        assert_int_equal(dfl_solver_start(solver, 0, x0, &conditions), DFL_INVALID);
        assert_non_null(strstr(dfl_message(ctx), "nconditions"));
    }
    dfl_solver_free(solver);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

/* ------------------------------------------------------------------ unusual models */

/* r' = (r2, -r1): r = (cos t, -sin t). */
static int eval_rotation(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t, (void)user;
    if (need & DFL_DYNAMIC)
        out->b[0] = x[1], out->b[1] = -x[0];
    return 0;
}

/* At rtol = 1e-8 a run over a few units of time is good to some 1e-7. */
static void a_model_of_r_alone_is_an_ordinary_differential_equation(void **state)
{
    (void)state;
    const dfl_eom eom = {.nr = 2, .eval = eval_rotation};
    for (int form = DFL_PSF; form <= DFL_PSI1; form++)
        for (int selectors = DFL_ORTHOGONAL; selectors <= DFL_UNIT; selectors++) {
            const dfl_solver_options options = {.rtol = 1e-8,
                                                .form = (dfl_form)form,
                                                .constraints.selectors = (dfl_selectors)selectors};
            const run r = run_with(&eom, 0, (double[]){1, 0}, 3, &options, NULL);
            assert_succeeded(&r);
            assert_near(r.x[0], cos(3), 1e-6);
            assert_near(r.x[1], -sin(3), 1e-6);
        }
}

/* w^3 + w = 2 + t: w = 1 at t = 0. */
static int eval_cubic(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)user;
    if (need & DFL_AUXILIARY)
        out->d[0] = x[0] * x[0] * x[0] + x[0] - 2 - t;
    return 0;
}

static void a_model_of_w_alone_follows_its_equation(void **state)
{
    (void)state;
    const dfl_eom eom = {.nw = 1, .eval = eval_cubic};
    for (int form = DFL_PSF; form <= DFL_PSI1; form++) {
        const dfl_solver_options options = {.rtol = 1e-8, .form = (dfl_form)form};
        const run r = run_with(&eom, 0, (double[]){0.3}, 8, &options, NULL); /* 0.3: a guess */
        assert_succeeded(&r);
        assert_near(r.x[0], 2, 1e-7); /* 8 + 2 = 2 + 8 */
    }
}

/* r' = w, 0 = w + r: r = exp(-t). Semi-explicit of index 1. */
static int eval_decay(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t, (void)user;
    if (need & DFL_AUXILIARY)
        out->d[0] = x[0] + x[1];
    if (need & DFL_DYNAMIC)
        out->b[0] = x[0];
    return 0;
}

static void a_model_of_r_and_w_is_an_equation_of_index_one(void **state)
{
    (void)state;
    const dfl_eom eom = {.nw = 1, .nr = 1, .eval = eval_decay};
    const dfl_solver_options options = {.rtol = 1e-8};
    const run r = run_with(&eom, 0, (double[]){7, 1}, 2, &options, NULL);
    assert_succeeded(&r);
    assert_near(r.x[1], exp(-2), 1e-7);
    assert_near(r.x[0], -exp(-2), 1e-7);
}

/* c = s - sin t: contact variables alone. */
static int eval_contact(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)user;
    if (need & DFL_POSITION)
        out->c[0] = x[0] - sin(t);
    return 0;
}

static void a_model_of_s_alone_follows_its_equation(void **state)
{
    (void)state;
    const dfl_eom eom = {.ns = 1, .eval = eval_contact};
    for (int selectors = DFL_ORTHOGONAL; selectors <= DFL_UNIT; selectors++) {
        const dfl_solver_options options = {.rtol = 1e-8,
                                            .constraints.selectors = (dfl_selectors)selectors};
        const run r = run_with(&eom, 0, (double[]){0}, 1, &options, NULL);
        assert_succeeded(&r);
        assert_near(r.x[0], sin(1), 1e-12);
    }
}

/* p' = kin(p) = -p without velocities: p = exp(-t). */
static int eval_positions(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t, (void)user;
    if (need & DFL_KINEMATICS)
        out->kin[0] = -x[0];
    return 0;
}

static void a_model_of_p_alone_is_an_ordinary_differential_equation(void **state)
{
    (void)state;
    const dfl_eom eom = {.np = 1, .eval = eval_positions};
    const dfl_solver_options options = {.rtol = 1e-8};
    const run r = run_with(&eom, 0, (double[]){1}, 2, &options, NULL);
    assert_succeeded(&r);
    assert_near(r.x[0], exp(-2), 1e-7);
}

/* Free fall without constraints: p = -t^2/2. x = [v | p]. */
static int eval_fall(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t, (void)user;
    if (need & DFL_KINEMATICS)
        out->kin[0] = x[0];
    if (need & DFL_FORCE)
        out->f[0] = -1;
    return 0;
}

static void a_model_without_constraints_and_mass_falls_freely(void **state)
{
    (void)state;
    const dfl_eom eom = {.np = 1, .nv = 1, .eval = eval_fall};
    for (int form = DFL_PSF; form <= DFL_PSI1; form++) {
        const dfl_solver_options options = {.form = (dfl_form)form};
        const run r = run_with(&eom, 0, (double[]){0, 0}, 2, &options, NULL);
        assert_succeeded(&r);
        assert_near(r.x[0], -2, 1e-12); /* polynomials are integrated exactly */
        assert_near(r.x[1], -2, 1e-12);
    }
}

/* A point driven on a circle: g = (x - cos t, y - sin t), so nothing is free. M = I, f = 0:
   lambda = -a = (cos t, sin t). x = [l | v | p]. */
static int eval_driven(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double *v = x + 2, *p = x + 4;
    (void)user;
    if (need & DFL_KINEMATICS)
        out->kin[0] = v[0], out->kin[1] = v[1];
    if (need & DFL_FORCE)
        out->f[0] = out->f[1] = 0;
    if (need & DFL_POSITION)
        out->g[0] = p[0] - cos(t), out->g[1] = p[1] - sin(t);
    if (need & DFL_VELOCITY)
        out->gI[0] = v[0] + sin(t), out->gI[1] = v[1] - cos(t);
    if (need & DFL_DIRECTIONS)
        out->W[0] = 1, out->W[3] = 1;
    if (need & DFL_BIAS)
        out->bias[0] = cos(t), out->bias[1] = sin(t);
    return 0;
}

static void a_kinematically_determined_mechanism_is_followed_exactly(void **state)
{
    (void)state;
    const dfl_eom eom = {.np = 2, .nv = 2, .nl = 2, .eval = eval_driven};
    for (int selectors = DFL_ORTHOGONAL; selectors <= DFL_UNIT; selectors++)
        for (int algebraic = 0; algebraic <= DFL_ALGEBRAIC_SVD; algebraic++) {
            const dfl_solver_options options = {.rtol = 1e-8,
                                                .constraints.selectors = (dfl_selectors)selectors,
                                                .constraints.algebraic = (dfl_algebraic)algebraic};
            const run r = run_with(&eom, 0, (double[]){0, 0, 0, 1, 1, 0}, 2, &options, NULL);
            assert_succeeded(&r);
            const double expected[] = {cos(2), sin(2), -sin(2), cos(2), cos(2), sin(2)};
            assert_true(distance(r.x, expected, 6) < 1e-10);
        }
}

static void a_kinematically_determined_mechanism_is_followed_in_psi1(void **state)
{
    (void)state;
    const dfl_eom eom = {.np = 2, .nv = 2, .nl = 2, .no_bias = true, .eval = eval_driven};
    const dfl_solver_options options = {.rtol = 1e-8, .form = DFL_PSI1};
    const run r = run_with(&eom, 0, (double[]){1, 0, 0, 1, 1, 0}, 2, &options, NULL);
    assert_succeeded(&r);
    const double expected[] = {cos(2), sin(2), -sin(2), cos(2), cos(2), sin(2)};
    assert_true(distance(r.x + 2, expected + 2, 4) < 1e-10);
    assert_true(distance(r.x, expected, 2) < 1e-4); /* multipliers have index 2 there */
}

/* More constraints than velocities, all of them compatible: three times y = 0 for a point in the
   plane that moves along x with constant speed. x = [l1 l2 l3 | v | p]. */
static int eval_rail(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double *v = x + 3, *p = x + 5;
    (void)t, (void)user;
    if (need & DFL_KINEMATICS)
        out->kin[0] = v[0], out->kin[1] = v[1];
    if (need & DFL_FORCE)
        out->f[0] = 0, out->f[1] = -6;
    for (int i = 0; i < 3; i++) {
        if (need & DFL_POSITION)
            out->g[i] = p[1];
        if (need & DFL_VELOCITY)
            out->gI[i] = v[1];
        if (need & DFL_DIRECTIONS)
            out->W[3 + i] = 1;
        if (need & DFL_BIAS)
            out->bias[i] = 0;
    }
    return 0;
}

static void more_constraints_than_velocities_share_the_load(void **state)
{
    (void)state;
    const dfl_eom eom = {.np = 2, .nv = 2, .nl = 3, .eval = eval_rail};
    const run r = run_with(&eom, 0, (double[]){0, 0, 0, 1, 0, 0, 0}, 2, NULL, NULL);
    assert_succeeded(&r);
    assert_near(r.x[5], 2, 1e-9);
    for (int i = 0; i < 3; i++)
        assert_near(r.x[i], -2, 1e-9); /* f = W^T l of minimum norm: -6/3 each */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_needs_eval_and_sizes_in_range),
        cmocka_unit_test(constraints_and_invariants_without_their_variables_are_refused),
        cmocka_unit_test(contradictory_mass_callbacks_are_refused),
        cmocka_unit_test(unknowns_that_follow_need_their_constraints),
        cmocka_unit_test(a_structure_that_does_not_fit_is_refused),
        cmocka_unit_test(a_pattern_that_does_not_fit_is_refused),
        cmocka_unit_test(numbers_out_of_range_are_refused_by_name),
        cmocka_unit_test(tolerances_of_single_unknowns_are_refused_by_index),
        cmocka_unit_test(choices_that_do_not_exist_are_refused_by_name),
        cmocka_unit_test(contradictory_options_are_refused),
        cmocka_unit_test(wrong_arguments_of_start_and_advance_are_refused),
        cmocka_unit_test(an_unknown_contract_is_refused),
        cmocka_unit_test(wrong_conditions_are_refused),
        cmocka_unit_test(the_largest_sizes_end_in_no_memory_and_not_in_overflow),
        cmocka_unit_test(too_many_conditions_are_refused),
        cmocka_unit_test(a_model_of_r_alone_is_an_ordinary_differential_equation),
        cmocka_unit_test(a_model_of_w_alone_follows_its_equation),
        cmocka_unit_test(a_model_of_r_and_w_is_an_equation_of_index_one),
        cmocka_unit_test(a_model_of_s_alone_follows_its_equation),
        cmocka_unit_test(a_model_of_p_alone_is_an_ordinary_differential_equation),
        cmocka_unit_test(a_model_without_constraints_and_mass_falls_freely),
        cmocka_unit_test(a_kinematically_determined_mechanism_is_followed_exactly),
        cmocka_unit_test(a_kinematically_determined_mechanism_is_followed_in_psi1),
        cmocka_unit_test(more_constraints_than_velocities_share_the_load),
    };
    return cmocka_run_group_tests(tests, make_pendulum, free_pendulum);
}
