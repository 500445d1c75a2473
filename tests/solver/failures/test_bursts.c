/* test_bursts.c: some evaluations in a row fail, wherever they begin, also while the step to a
   terminal event is taken again: whenever the run stops, time and state belong together,
   multipliers included, and it can go on.

   A bead slides down the line y = x under gravity 1: a uniformly accelerated motion, x = y =
   -t^2/4, lambda = -1/2. */
#include "support.h"

enum { LAMBDA, VX, VY, X, Y, N };

typedef struct bead {
    long calls, from, count; /* calls from .. from+count-1 are spoiled */
    int rc;                  /* what they return; 0: NaN */
} bead;

static int slide(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    bead *b = user;
    const long k = b->calls++;
    const bool spoiled = k >= b->from && k < b->from + b->count;
    (void)t, (void)need;
    out->kin[0] = x[VX], out->kin[1] = x[VY];
    out->f[0] = spoiled && b->rc == 0 ? NAN : 0, out->f[1] = -1;
    out->g[0] = x[Y] - x[X];
    out->gI[0] = x[VY] - x[VX];
    out->W[0] = -1, out->W[1] = 1;
    out->bias[0] = 0;
    return spoiled ? b->rc : 0;
}

static int ticks(double *value, double t, const double *x, void *user)
{
    (void)x, (void)user;
    value[0] = sin(12 * t + 1);
    return 0;
}

/* Errors are those of the tolerance, 1e-6. */
static void assert_on_its_way(const dfl_solver *solver, const char *when, const bead *b)
{
    const double *x = dfl_solver_state(solver), t = dfl_solver_time(solver);
    const double exact[N] = {-0.5, -t / 2, -t / 2, -t * t / 4, -t * t / 4};
    for (int i = 0; i < N; i++)
        if (!(fabs(x[i] - exact[i]) <= 1e-4))
            fail_msg("%s, calls %ld to %ld, rc %d: x[%d] = %g at t = %g, not %g", when, b->from,
                     b->from + b->count - 1, b->rc, i, x[i], t, exact[i]);
}

/* Returns the number of evaluations. */
static long run_through(dfl_integrator method, bead b, bool flagged)
{
    const dfl_eom eom = {.np = 2,
                         .nv = 2,
                         .nl = 1,
                         .eval = slide,
                         .forces_free_of_multipliers = flagged,
                         .user = &b};
    const dfl_event_kind terminal = {.terminal = true};
    const dfl_solver_options options = {
        .integrator = method, .events.count = 1, .events.eval = ticks, .events.kinds = &terminal};
    const double x0[N] = {-0.5, 0, 0, 0, 0};
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    assert_int_equal(dfl_solver_create(&solver, ctx, &eom, &options), DFL_OK);
    dfl_status status = dfl_solver_start(solver, 0, x0, NULL);
    for (int again = 0; again < 60 && status; again++)
        status = dfl_solver_start(solver, 0, x0, NULL);
    assert_int_equal(status, DFL_OK);
    status = DFL_STOPPED;
    for (int again = 0; again < 100 && status; again++) {
        status = dfl_solver_advance(solver, 1);
        assert_on_its_way(solver, dfl_integrator_name(method), &b);
    }
    if (status)
        fail_msg("%s from call %ld: %s", dfl_integrator_name(method), b.from, dfl_message(ctx));
    assert_true(dfl_solver_time(solver) == 1);
    dfl_solver_free(solver);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
    return b.calls;
}

static void bursts_of(int rc)
{
    static const long count[] = {1, 2, 7, 40};
    for (int method = 0; method < DFL_INTEGRATORS; method++)
        for (int flagged = 0; flagged <= 1; flagged++) {
            const long calls = run_through((dfl_integrator)method, (bead){0}, flagged);
            for (size_t i = 0; i < sizeof count / sizeof *count; i++)
                for (long from = 0; from < calls; from += 1 + from / 100)
                    run_through((dfl_integrator)method,
                                (bead){.from = from, .count = count[i], .rc = rc}, flagged);
        }
}

static void a_run_survives_bursts_of_refusals(void **state)
{
    (void)state;
    bursts_of(1);
}

static void a_run_survives_bursts_of_stops(void **state)
{
    (void)state;
    bursts_of(-1);
}

static void a_run_survives_bursts_of_nan(void **state)
{
    (void)state;
    bursts_of(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_survives_bursts_of_refusals),
        cmocka_unit_test(a_run_survives_bursts_of_stops),
        cmocka_unit_test(a_run_survives_bursts_of_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
