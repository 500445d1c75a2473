/* test_wrong_models.c: mistakes of people who write a model for the first time, and what they are
   told. */
#include "solver/packed.h"
#include "support.h"

#include <limits.h>

enum { LAMBDA, VX, VY, X, Y, N };

typedef struct mistake {
    double gI, W, bias; /* factors; 1 is right */
    bool nan;           /* W[1] is NaN */
    bool nonholonomic;  /* the rope as a constraint of velocities */
} mistake;

/* A pendulum of mass 2 on a rope of length 1. */
static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const mistake *wrong = user;
    (void)t, (void)need;
    out->kin[0] = x[VX], out->kin[1] = x[VY];
    out->f[0] = 0, out->f[1] = -2 * 9.81;
    if (!wrong->nonholonomic)
        out->g[0] = x[X] * x[X] + x[Y] * x[Y] - 1;
    double *velocity = wrong->nonholonomic ? out->hv : out->gI;
    velocity[0] = 2 * wrong->gI * (x[X] * x[VX] + x[Y] * x[VY]);
    out->W[0] = 2 * wrong->W * x[X];
    out->W[1] = wrong->nan ? (double)NAN : 2 * wrong->W * x[Y];
    out->bias[0] = 2 * wrong->bias * (x[VX] * x[VX] + x[VY] * x[VY]);
    return 0;
}

static int mass_diagonal(double *M, double t, const double *x, void *user)
{
    (void)t, (void)x, (void)user;
    M[0] = M[1] = 2;
    return 0;
}

static int mass_full(double *M, double t, const double *x, void *user)
{
    (void)t, (void)x, (void)user;
    M[0] = M[3] = 2;
    return 0;
}

static int mass_upper(double *M, double t, const double *x, void *user)
{
    (void)t, (void)x, (void)user;
    M[0] = M[3] = 2;
    M[2] = 0.5;
    return 0;
}

static int mass_of_position(double *M, double t, const double *x, void *user)
{
    (void)t, (void)user;
    M[0] = M[1] = 2 + x[X] * x[X];
    return 0;
}

/* Refuses every position but the first; constant. */
static int mass_refusing(double *M, double t, const double *x, void *user)
{
    (void)user;
    M[0] = M[1] = 2;
    return t != 0 || x[X] != 0.6;
}

static const mistake none = {1, 1, 1, false, false};

/* The message of a start with the self-check, "" if it succeeds. */
static void start(char *message, size_t size, const dfl_eom *eom, bool self_check)
{
    const double x0[N] = {[VX] = 0.8, [VY] = 0.7, [X] = 0.6, [Y] = -0.8};
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    const dfl_solver_options options = {.self_check = self_check};
    assert_int_equal(dfl_solver_create(&solver, ctx, eom, &options), DFL_OK);
    const dfl_status status = dfl_solver_start(solver, 0, x0, NULL);
    snprintf(message, size, "%s", status ? dfl_message(ctx) : "");
    dfl_solver_free(solver);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

static dfl_eom pendulum(dfl_mass_fn mass, bool diagonal, bool constant, const mistake *wrong)
{
    return (dfl_eom){.np = 2,
                     .nv = 2,
                     .nl = 1,
                     .eval = eval,
                     .mass = mass,
                     .mass_diagonal = diagonal,
                     .mass_constant = constant,
                     .user = (void *)(uintptr_t)wrong};
}

static void the_self_check_knows_what_mass_should_write(void **state)
{
    (void)state;
    const struct {
        dfl_mass_fn mass;
        bool diagonal, constant;
        const char *says; /* NULL: sound */
    } cases[] = {{mass_diagonal, true, true, NULL},
                 {mass_diagonal, true, false, NULL},
                 {mass_full, false, true, NULL},
                 {mass_of_position, true, false, NULL},
                 {mass_diagonal, false, true, "only the lower triangle of M"},
                 {mass_upper, false, false, "only the upper triangle of M"},
                 {mass_full, true, true, "more than the nv = 2 diagonal entries"},
                 {mass_of_position, true, true, "mass_constant is set, but M changes"}};
    char message[512];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const dfl_eom eom = pendulum(cases[i].mass, cases[i].diagonal, cases[i].constant, &none);
        start(message, sizeof message, &eom, true);
        if (cases[i].says ? !strstr(message, cases[i].says) : message[0] != 0)
            fail_msg("case %zu: %s", i, message);
    }
}

/* At the start itself the matrix is there; elsewhere the check goes without it. */
static void a_mass_that_refuses_other_positions_is_not_called_variable(void **state)
{
    (void)state;
    const double x0[N] = {[X] = 0.6, [Y] = -0.8};
    const dfl_eom eom = pendulum(mass_refusing, true, true, &none);
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    assert_int_equal(
        dfl_solver_create(&solver, ctx, &eom, &(dfl_solver_options){.self_check = true}), DFL_OK);
    if (dfl_solver_start(solver, 0, x0, &(dfl_conditions){.mode = DFL_START_AS_GIVEN}))
        fail_msg("%s", dfl_message(ctx));
    dfl_solver_free(solver);
    dfl_context_free(ctx);
}

static void a_nan_in_W_is_found_there(void **state)
{
    (void)state;
    char message[512];
    for (int nm = 0; nm <= 1; nm++)
        for (int self_check = 0; self_check <= 1; self_check++) {
            const mistake wrong = {1, 1, 1, true, nm == 1};
            dfl_eom eom = pendulum(mass_diagonal, true, true, &wrong);
            eom.nl = 1 - nm, eom.nm = nm;
            start(message, sizeof message, &eom, self_check);
            if (!strstr(message, nm ? "NaN or Inf in W, row hv[0]" : "NaN or Inf in W, row gI[0]"))
                fail_msg("%s", message);
        }
}

/* gI three times as large as W says, or of another sign: the linear correction of the velocities
   runs away. */
static void a_correction_that_W_misleads_points_to_the_self_check(void **state)
{
    (void)state;
    const mistake wrong[] = {{3, 1, 1, false, false}, {1, -0.2, 1, false, false}};
    char message[512];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const dfl_eom eom = pendulum(mass_diagonal, true, true, &wrong[i]);
        start(message, sizeof message, &eom, false);
        if (!strstr(message, "self_check looks for that"))
            fail_msg("case %zu: %s", i, message);
        start(message, sizeof message, &eom, true);
        if (!strstr(message, "self-check: "))
            fail_msg("case %zu: %s", i, message);
    }
}

/* The status of a run over 2 s, whose message stays in ctx. */
static dfl_status swing(dfl_context *ctx, const dfl_eom *eom, dfl_solver_options options)
{
    const double x0[N] = {[X] = 1};
    dfl_solver *solver = NULL;
    assert_int_equal(dfl_solver_create(&solver, ctx, eom, &options), DFL_OK);
    assert_int_equal(dfl_solver_start(solver, 0, x0, NULL), DFL_OK);
    const dfl_status status = dfl_solver_advance(solver, 2);
    dfl_solver_free(solver);
    return status;
}

/* From rest, where the bias vanishes, and without the self-check: all constraints could be kept. */
static void a_wrong_bias_ends_the_run(void **state)
{
    (void)state;
    const double factor[] = {0, -1, 0.5, 1.1};
    dfl_context *ctx = dfl_context_create();
    for (int k = 0; k < DFL_INTEGRATORS; k++)
        for (int nm = 0; nm <= 1; nm++)
            for (size_t i = 0; i < sizeof factor / sizeof *factor; i++) {
                const mistake wrong = {1, 1, factor[i], false, nm == 1};
                dfl_eom eom = pendulum(mass_diagonal, true, true, &wrong);
                eom.nl = 1 - nm, eom.nm = nm;
                const dfl_status status =
                    swing(ctx, &eom, (dfl_solver_options){.integrator = (dfl_integrator)k});
                if (status != DFL_INVALID ||
                    !strstr(dfl_message(ctx),
                            nm ? "the bias of hI[0] is" : "the bias of gII[0] is"))
                    fail_msg("%s, %g: %s", dfl_integrator_name((dfl_integrator)k), factor[i],
                             status ? dfl_message(ctx) : "not noticed");
            }
    dfl_context_free(ctx);
}

/* Rows of W that are a tenth too long or too short: constraints of every level can be kept all the
   same. */
static void a_wrong_W_ends_the_run(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    for (int k = 0; k < 2; k++) {
        const double factor = k ? 1.1 : 0.9;
        const mistake wrong = {1, factor, 1, false, false};
        const dfl_eom eom = pendulum(mass_diagonal, true, true, &wrong);
        assert_int_equal(swing(ctx, &eom, (dfl_solver_options){0}), DFL_INVALID);
        assert_non_null(strstr(dfl_message(ctx), "the row of gI[0] in W is not its derivative"));
    }
    dfl_context_free(ctx);
}

/* The same mistakes in a model with patterns, as those of thousands of bodies have. */
static void mistakes_beside_patterns_end_the_run(void **state)
{
    (void)state;
    const double x0[N] = {[X] = 1};
    static const mistake wrong[] = {
        {1, 1, 0.5, false, false}, {1, 1, 1.1, false, true}, {1, 1.1, 1, false, false}};
    static const char *const says[] = {"the bias of gII[0] is", "the bias of hI[0] is",
                                       "the row of gI[0] in W is not its derivative"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        dfl_eom eom = pendulum(mass_diagonal, true, true, &wrong[i]);
        eom.nl = !wrong[i].nonholonomic, eom.nm = wrong[i].nonholonomic;
        packed_model packed;
        packed_create(&packed, &eom, 0, x0);
        if (swing(packed.ctx, &packed.eom, (dfl_solver_options){0}) != DFL_INVALID ||
            !strstr(dfl_message(packed.ctx), says[i]))
            fail_msg("%s: %s", says[i], dfl_message(packed.ctx));
        packed_free(&packed);
    }
}

/* In every form that uses the bias, at coarse and fine tolerances, with few and with many steps. */
static void a_right_model_raises_no_alarm(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    const dfl_eom eom = pendulum(mass_diagonal, true, true, &none);
    for (int form = DFL_PSF; form < DFL_FORMS; form++)
        for (int digits = 3; digits <= 9; digits += 3)
            for (int k = 0; k <= 1; k++) {
                const dfl_solver_options options = {
                    .form = (dfl_form)form, .rtol = pow(10, -digits), .step.max = k ? 1e-3 : 0};
                if (swing(ctx, &eom, options) == DFL_INVALID)
                    fail_msg("%s: %s", dfl_form_name((dfl_form)form), dfl_message(ctx));
            }
    dfl_context_free(ctx);
}

/* A point lifted by a drive whose acceleration jumps at t = 1: y = |t - 1| (t - 1). x = [lambda | v
   | p] */
static int eval_jump(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double late = t - 1;
    (void)need, (void)user;
    out->kin[0] = x[VX], out->kin[1] = x[VY];
    out->f[0] = 0, out->f[1] = -9.81;
    out->g[0] = x[Y] - fabs(late) * late;
    out->gI[0] = x[VY] - 2 * fabs(late);
    out->W[0] = 0, out->W[1] = 1;
    out->bias[0] = late < 0 ? 2 : -2;
    return 0;
}

/* The step after which derivatives are compared ends at the jump, or so near that their differences
   reach over it. */
static void a_kink_raises_no_alarm(void **state)
{
    (void)state;
    const dfl_eom eom = {.np = 2, .nv = 2, .nl = 1, .eval = eval_jump};
    const double x0[N] = {[VY] = 2, [Y] = -1};
    dfl_context *ctx = dfl_context_create();
    for (int count = 4; count <= 16; count *= 4)
        for (int off = -2; off <= 2; off++) {
            const double h = 1.0 / count;
            dfl_solver *solver = NULL;
            const dfl_solver_options options = {.step.first = h, .rtol = 1e-3};
            assert_int_equal(dfl_solver_create(&solver, ctx, &eom, &options), DFL_OK);
            assert_int_equal(dfl_solver_start(solver, 0, x0, NULL), DFL_OK);
            for (int i = 1; i <= count; i++)
                if (dfl_solver_advance(solver, i < count ? i * h : 1 + 3e-4 * off * h))
                    fail_msg("step %d of %d: %s", i, count, dfl_message(ctx));
            assert_int_equal(dfl_solver_statistics(solver).accepted, count);
            dfl_solver_free(solver);
        }
    dfl_context_free(ctx);
}

/* Forty coordinates whose common speed is kept, a constraint that is quadratic in velocities: x =
   [mu | v | p] */
enum { MANY = 40 };
static int eval_speed(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t, (void)need, (void)user;
    out->hv[0] = -1;
    for (int i = 0; i < MANY; i++) {
        const double v = x[1 + i];
        out->f[i] = i == 1;
        out->hv[0] += v * v;
        out->W[i] = 2 * v;
    }
    out->bias[0] = 0;
    return 0;
}

static void a_constraint_that_is_not_linear_in_v_raises_no_alarm(void **state)
{
    (void)state;
    const dfl_eom eom = {
        .np = MANY, .nv = MANY, .nm = 1, .eval = eval_speed, .trivial_kinematics = true};
    const double x0[1 + 2 * MANY] = {[1] = 1};
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    const dfl_solver_options options = {.step.max = 0.05};
    assert_int_equal(dfl_solver_create(&solver, ctx, &eom, &options), DFL_OK);
    assert_int_equal(dfl_solver_start(solver, 0, x0, NULL), DFL_OK);
    if (dfl_solver_advance(solver, 1))
        fail_msg("%s", dfl_message(ctx));
    /* the direction of v turns with v' = f - (f v) v: v1 = tanh t */
    assert_true(fabs(dfl_solver_state(solver)[2] - tanh(1)) < 1e-6);
    dfl_solver_free(solver);
    dfl_context_free(ctx);
}

/* The pendulum with a number too many in one block of eval, or of jacobian. */
typedef struct overrun {
    mistake none; /* first: what eval above asks for */
    const char *block;
} overrun;

static int eval_overrun(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const char *block = ((overrun *)user)->block;
    double *const end[] = {out->kin + 2, out->f + 2, out->g + 1,
                           out->gI + 1,  out->W + 2, out->bias + 1};
    static const char *const name[] = {"kin", "f", "g", "gI", "W", "bias"};
    const int rc = eval(out, t, x, need, user);
    for (size_t k = 0; k < sizeof name / sizeof *name; k++)
        if (strcmp(block, name[k]) == 0)
            *end[k] = 7;
    return rc;
}

static int jacobian_overrun(dfl_jacobian *out, double t, const double *x, const double *a,
                            void *user)
{
    (void)t, (void)x, (void)a;
    if (strcmp(((overrun *)user)->block, "dyn") == 0)
        out->dyn[2 * N] = 0;
    return 0;
}

/* Also a zero, which changes nothing that is zero. */
static void the_self_check_finds_numbers_behind_the_end_of_a_block(void **state)
{
    (void)state;
    static const char *const blocks[] = {"kin", "f", "g", "gI", "W", "bias", "dyn"};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
        overrun it = {.none = {.gI = 1, .W = 1, .bias = 1}, .block = blocks[k]};
        const bool derivatives = strcmp(blocks[k], "dyn") == 0;
        const dfl_eom eom = {.np = 2,
                             .nv = 2,
                             .nl = 1,
                             .eval = eval_overrun,
                             .jacobian = derivatives ? jacobian_overrun : NULL,
                             .user = &it};
        char message[400], expected[80];
        snprintf(expected, sizeof expected, "%s writes beyond the end of %s,",
                 derivatives ? "jacobian" : "eval", blocks[k]);
        start(message, sizeof message, &eom, true);
        if (!strstr(message, expected))
            fail_msg("%s: %s", blocks[k], message);
    }
}

/* Sums of such sizes overflow; each size is refused before anything is added up. */
static void huge_sizes_are_refused(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    const int huge[] = {INT_MAX, INT_MIN, -1, 100001};
    for (size_t i = 0; i < sizeof huge / sizeof *huge; i++)
        for (int which = 0; which < 7; which++) {
            dfl_eom eom = {.np = INT_MAX / 8, .nv = INT_MAX / 8, .eval = eval};
            int *const sizes[] = {&eom.np, &eom.nv, &eom.nr, &eom.nw, &eom.ns, &eom.nl, &eom.nm};
            *sizes[which] = huge[i];
            dfl_solver_options options;
            dfl_solver *solver = NULL;
            assert_int_equal(dfl_eom_unknowns(&eom), -1);
            assert_int_equal(dfl_eom_layout(&eom).p, -1);
            assert_int_equal(dfl_solver_options_resolve(&options, ctx, &eom, NULL), DFL_INVALID);
            assert_int_equal(dfl_solver_create(&solver, ctx, &eom, NULL), DFL_INVALID);
            assert_non_null(strstr(dfl_message(ctx), "sizes lie between 0 and 100000"));
        }
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(huge_sizes_are_refused),
        cmocka_unit_test(a_constraint_that_is_not_linear_in_v_raises_no_alarm),
        cmocka_unit_test(the_self_check_knows_what_mass_should_write),
        cmocka_unit_test(the_self_check_finds_numbers_behind_the_end_of_a_block),
        cmocka_unit_test(a_mass_that_refuses_other_positions_is_not_called_variable),
        cmocka_unit_test(a_nan_in_W_is_found_there),
        cmocka_unit_test(a_correction_that_W_misleads_points_to_the_self_check),
        cmocka_unit_test(a_wrong_bias_ends_the_run),
        cmocka_unit_test(mistakes_beside_patterns_end_the_run),
        cmocka_unit_test(a_wrong_W_ends_the_run),
        cmocka_unit_test(a_right_model_raises_no_alarm),
        cmocka_unit_test(a_kink_raises_no_alarm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
