/* test_stages.c: the projected forms solve for the increments of all stages at once, with rows
   that are projected first and transformed then (formulation/stage_increments.c). The same
   increments follow from residuals that are transformed first, one shift after another
   (formulation/reduced.c). */
#include "evidence.h"

#include "integrate/radau.h"
#include "solver/solver_internal.h"

/* dZ (n lanes) from transformed residuals at the stages, which stand at X = x + Z. */
static void transformed_increment(double *dZ, dfl_radau *ra, const double *Z)
{
    dfl_stepper *st = &ra->base;
    dfl_system *sys = st->sys;
    const dfl_coefficients *rk = ra->rk;
    const int s = rk->stages, n = sys->n;
    dfl_formulation_begin_iteration(st->form);
    for (int k = 0; k < s; k++)
        assert_int_equal(dfl_system_eval(sys, &ra->stage[k]), DFL_STEP_OK);
    dfl_lanes_transform(ra->W, s, rk->TI, n, Z);
    dfl_lanes_shift(ra->YP, rk->width, dfl_formulation_shifts(st->form), n, ra->W);
    dfl_lanes_transform(ra->XP, s, rk->T, n, ra->YP);
    assert_int_equal(
        dfl_formulation_residual(ra->rows, st->form, ra->stage, s, rk->TI, ra->YP, ra->XP),
        DFL_STEP_OK);
    dfl_formulation_solve(ra->dW, st->form, ra->rows);
    dfl_lanes_transform(dZ, s, rk->T, n, ra->dW);
}

/* Z, the stages and the sum of squares after an increment dZ of Z_before. */
static void assert_moved(const char *name, const dfl_radau *ra, const double *before,
                         double squares)
{
    const dfl_stepper *st = &ra->base;
    const int n = st->sys->n, s = ra->rk->stages, width = ra->rk->width;
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < s; k++) {
            const double dZ = ra->dZ[i * width + k], Z = ra->Z[i * width + k];
            sum += pow(st->scale->newton_weight[i] * dZ, 2);
            assert_true(Z == before[i * width + k] + dZ);
            assert_true(ra->stage[k].x[i] == st->here.x[i] + Z);
        }
    assert_at_most(fabs(squares / sum - 1), 1e-12, name);
}

/* Both increments from stages that are off by some percent of what moves in a step. The bound: T
   and T^-1 have entries up to 300, multipliers are known to some digits less than positions. */
static void compare_increments(const char *name, int order, dfl_form form)
{
    const dfl_solver_options options = {.form = form, .order = order, .rtol = 1e-5};
    run r;
    run_make(&r, name, 0, &options);
    run_to(&r, r.prob.t0 + 0.3 * (r.prob.t_end - r.prob.t0));
    dfl_stepper *st = r.solver->stepper;
    dfl_radau *ra = (dfl_radau *)st;
    const int n = st->sys->n, s = ra->rk->stages, width = ra->rk->width;
    double *before = test_calloc((size_t)(n * width), sizeof *before);
    double *expected = test_calloc((size_t)(n * width), sizeof *expected);
    assert_true(dfl_formulation_increments(st->form) && st->newton->h_factored != 0);
    for (int i = 0; i < n * width; i++)
        before[i] = ra->Z[i] = (1 + 0.02 * sin(i)) * ra->cont[i];
    for (int k = 0; k < s; k++)
        ra->stage[k].t = st->t + ra->rk->c[k] * st->newton->h_factored;
    dfl_lanes_scatter(ra->stage[0].x, dfl_points_distance(ra->stage, s), s, n, st->here.x, ra->Z,
                      NULL);
    transformed_increment(expected, ra, ra->Z);
    const dfl_stages stages = {.points = ra->stage,
                               .count = s,
                               .T = ra->rk->T,
                               .TI = ra->rk->TI,
                               .LTI = ra->LTI,
                               .AI = ra->AI,
                               .h = st->newton->h_factored,
                               .x = st->here.x,
                               .weight = st->scale->newton_weight,
                               .Z = ra->Z,
                               .dZ = ra->dZ};
    double largest = 0, difference = 0, squares = 0;
    dfl_formulation_begin_iteration(st->form);
    assert_int_equal(dfl_formulation_increment(&squares, st->form, &stages, ra->rows), DFL_STEP_OK);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < width; k++) {
            const double e = expected[i * width + k], d = ra->dZ[i * width + k];
            largest = fmax(largest, fabs(e));
            difference = fmax(difference, fabs(d - e));
        }
    assert_true(largest > 0);
    assert_at_most(difference / largest, 1e-9, name);
    assert_moved(name, ra, before, squares);
    test_free(before);
    test_free(expected);
    run_free(&r);
}

/* Constant diagonal M with one and two constraints, an invariant, dynamic variables, massless
   directions, an M that varies with and without its own matrix at each stage, non-trivial
   kinematics. */
static void increments_of_all_stages_are_those_of_single_shifts(void **state)
{
    (void)state;
    static const char *const names[] = {"pendulum", "pendulum_energy", "caraxis", "servo",
                                        "andrews",  "slidercrank",     "top",     "nchain"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int order = 5; order <= 13; order += 4) {
            compare_increments(names[i], order, DFL_PSF);
            compare_increments(names[i], order, DFL_PSI1);
        }
    compare_increments("oscillator", 5, DFL_PSF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(increments_of_all_stages_are_those_of_single_shifts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
