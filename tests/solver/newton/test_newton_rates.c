/* test_newton_rates.c: what follows from the sizes of Newton's increments, and increments that
   do not count. */
#include "counted.h"
#include "evidence.h"

#include "integrate/one_stage.h"
#include "integrate/radau.h"
#include "solver/solver_internal.h"

#include <string.h>

/* p' = v, v' = -1.6 v, and derivatives that know nothing of it: with h = 1, errors fall by about
   0.4 in each iteration. */
static int slow_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t, (void)user;
    if (need & DFL_KINEMATICS)
        out->kin[0] = x[0];
    if (need & DFL_FORCE)
        out->f[0] = -1.6 * x[0];
    return 0;
}

static int no_derivatives(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    (void)out, (void)t, (void)x, (void)a, (void)user;
    return 0;
}

/* Evaluations until the first step failed. */
typedef struct witness {
    counter count; /* first: the model's user data */
    long at_failure;
} witness;

static void note_failure(dfl_log_level level, const char *text, void *user)
{
    witness *w = user;
    (void)level;
    if (strstr(text, "Newton's rate") && strstr(text, "failed") && w->at_failure == 0)
        w->at_failure = w->count.eval;
}

static void an_iteration_that_takes_too_long_is_given_up_at_once(void **state)
{
    (void)state;
    const dfl_eom slow = {.np = 1,
                          .nv = 1,
                          .trivial_kinematics = true,
                          .eval = slow_eval,
                          .jacobian = no_derivatives};
    witness w = {0};
    const dfl_eom eom = counted_model(&w.count, &slow);
    const dfl_solver_options options = {.order = 5,
                                        .step.first = 1,
                                        .newton.tolerance = 1e-10,
                                        .newton.iterations = 20,
                                        .newton.updates = -1,
                                        .log = note_failure,
                                        .user = &w};
    const double x0[] = {1, 0};
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    assert_int_equal(dfl_solver_create(&solver, ctx, &eom, &options), DFL_OK);
    assert_int_equal(dfl_solver_start(solver, 0, x0, NULL), DFL_OK);
    const long before = w.count.eval;
    assert_int_equal(dfl_solver_advance(solver, 2), DFL_OK);
    assert_true(w.at_failure > 0);
    /* two iterations of three stages show the rate; twenty would be 60 evaluations */
    assert_in_range(w.at_failure - before, 6, 9);
    dfl_solver_free(solver);
    dfl_context_free(ctx);
}

/* One iteration from the prediction of a further step, taken back: x, n numbers, as before. */
static void assert_taken_back(run *r, double *x, int n)
{
    dfl_stepper *st = r->solver->stepper;
    const dfl_implicit_class *class = st->class->implicit;
    const double h = st->newton->h_factored;
    double *before = test_calloc((size_t)n, sizeof *before), square = 0, moved = 0;
    assert_true(h != 0);
    class->predict(st, h);
    class->settle(st, h);
    dfl_formulation_begin_iteration(st->form);
    memcpy(before, x, (size_t)n * sizeof *x);
    assert_int_equal(class->iterate(&square, st, h), DFL_STEP_OK);
    for (int i = 0; i < n; i++)
        moved = fmax(moved, fabs(x[i] - before[i]));
    assert_true(moved > 1e-12 && square > 0);
    class->retract(st);
    for (int i = 0; i < n; i++)
        assert_at_most(fabs(x[i] - before[i]), 1e-15 * fmax(1, fabs(before[i])), "taken back");
    test_free(before);
}

static void increments_can_be_taken_back(void **state)
{
    (void)state;
    for (int order = 5; order <= 13; order += 4) {
        run r;
        run_make(&r, "pendulum", 0, &(dfl_solver_options){.order = order, .rtol = 1e-4});
        run_to(&r, 0.7);
        dfl_radau *ra = (dfl_radau *)r.solver->stepper;
        assert_taken_back(&r, ra->Z, r.solver->stepper->sys->n * ra->rk->width);
        run_free(&r);
    }
    const dfl_integrator one_stage[] = {DFL_BDF, DFL_MIDPOINT, DFL_TRAPEZOIDAL};
    for (size_t i = 0; i < sizeof one_stage / sizeof *one_stage; i++) {
        run r;
        run_make(&r, "pendulum", 0, &(dfl_solver_options){.integrator = one_stage[i]});
        run_to(&r, 0.7);
        dfl_one_stage *one = (dfl_one_stage *)r.solver->stepper;
        assert_taken_back(&r, one->x, r.solver->stepper->sys->n);
        run_free(&r);
    }
}

/* A model whose first force is no number at the first stage of one step, and only there. */
typedef struct torn {
    counter count; /* first: the model's user data */
    double from, to;
} torn;

static int torn_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const torn *it = user;
    const int rc = it->count.model->eval(out, t, x, need, it->count.model->user);
    if ((need & DFL_FORCE) && t > it->from && t < it->to)
        out->f[0] = NAN;
    return rc;
}

/* The norm by bodies takes the largest of several: what is no number counts. Fixed steps, since
   no error test would find stages that were not solved. */
static void increments_that_are_no_numbers_count_in_every_norm(void **state)
{
    (void)state;
    const double h = 0.01;
    const dfl_norm norms[] = {DFL_NORM_RMS, DFL_NORM_BODY};
    for (size_t i = 0; i < sizeof norms / sizeof *norms; i++) {
        problem p;
        assert_true(problem_make(&p, "nchain", 3));
        torn it = {.from = 0};
        dfl_eom eom = counted_model(&it.count, &p.eom);
        eom.eval = torn_eval;
        it.from = 10 * h + 0.1 * h; /* the first stage of the eleventh step: at 0.155 h */
        it.to = 10 * h + 0.2 * h;
        const dfl_solver_options options = {.order = 5, .step.fixed = h, .error.norm = norms[i]};
        dfl_context *ctx = dfl_context_create();
        dfl_solver *solver = NULL;
        assert_int_equal(dfl_solver_create(&solver, ctx, &eom, &options), DFL_OK);
        assert_int_equal(dfl_solver_start(solver, p.t0, p.x0, NULL), DFL_OK);
        const dfl_status status = dfl_solver_advance(solver, 20 * h);
        const dfl_statistics stats = dfl_solver_statistics(solver);
        assert_true(status != DFL_OK || stats.rejected_newton > 0);
        if (status != DFL_OK)
            assert_non_null(strstr(dfl_message(ctx), "f[0]"));
        dfl_solver_free(solver);
        dfl_context_free(ctx);
        problem_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_iteration_that_takes_too_long_is_given_up_at_once),
        cmocka_unit_test(increments_can_be_taken_back),
        cmocka_unit_test(increments_that_are_no_numbers_count_in_every_norm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
