/* The order of convergence with fixed steps and Newton iterated to rounding.

   Radau IIA with three stages has order 5 for p and v in both forms. The form psf contains the
   acceleration constraints, so its multipliers are functions of p and v and have order 5 as well;
   in psi1 they are index-2 variables of order 2 to 3. */
#include "evidence.h"

#define MOST 4

/* One study: the problem to time t of its reference number `reference`, in so many steps. */
typedef struct study {
    const char *name;
    int reference;
    int steps[MOST]; /* ascending */
} study;

typedef struct errors {
    double position, velocity, multiplier;
} errors;

/* Errors at these step sizes lie between 1e-4 and 1e-10: below the leading term's onset and above
   the references' accuracy (1e-12 or better) and rounding. */
static const study studies[] = {
    {"pendulum", 3, {40, 56, 80, 112}},      /* M constant, t = 1.3, exact */
    {"top", 0, {20, 28, 40, 56}},            /* quaternion, np > nv, t = 0.5 */
    {"slidercrank", 0, {160, 224, 320, 448}} /* M(p), t = 0.5 */
};

static errors solve(const study *s, dfl_form form, dfl_selectors selectors, int steps)
{
    problem prob;
    assert_true(problem_make(&prob, s->name, 0));
    const problem_reference *reference = &prob.references[s->reference];
    /* rtol' = 1e-7 and newton_tolerance 1e-7 ask for increments of 1e-14 of x */
    const dfl_solver_options options = {.rtol = 1e-9,
                                        .form = form,
                                        .selectors = selectors,
                                        .newton_iterations = 50,
                                        .newton_tolerance = 1e-7,
                                        .fixed_step = (reference->t - prob.t0) / steps};
    run r;
    run_start(&r, &prob, &options);
    const double *x = run_to(&r, reference->t);
    assert_int_equal(dfl_solver_statistics(r.solver).accepted, steps);
    const errors e = {error_between(x, reference->x, r.at.p, r.at.n),
                      error_between(x, reference->x, r.at.v, r.at.s),
                      error_between(x, reference->x, r.at.lambda, r.at.r)};
    run_free(&r);
    return e;
}

/* The slope of log(error) over log(h), by least squares over all step sizes. */
static double order(const study *s, const double *error)
{
    double sh = 0, se = 0, shh = 0, she = 0;
    for (int i = 0; i < MOST; i++) {
        const double h = -log(s->steps[i]), e = log(error[i]);
        sh += h;
        se += e;
        shh += h * h;
        she += h * e;
    }
    return (MOST * she - sh * se) / (MOST * shh - sh * sh);
}

static errors orders(const study *s, dfl_form form, dfl_selectors selectors)
{
    double p[MOST], v[MOST], l[MOST];
    for (int i = 0; i < MOST; i++) {
        const errors e = solve(s, form, selectors, s->steps[i]);
        p[i] = e.position;
        v[i] = e.velocity;
        l[i] = e.multiplier;
    }
    const errors result = {order(s, p), order(s, v), order(s, l)};
    print_message("%-12s %s %-10s order of p %.2f, v %.2f, lambda %.2f; errors p %.1e .. %.1e, "
                  "lambda %.1e .. %.1e\n",
                  s->name, form == DFL_PSF ? "psf " : "psi1",
                  selectors == DFL_UNIT ? "unit" : "orthogonal", result.position, result.velocity,
                  result.multiplier, p[0], p[MOST - 1], l[0], l[MOST - 1]);
    return result;
}

static void assert_within(double value, double low, double high)
{
    if (!(value >= low && value <= high))
        fail_msg("the observed order is %.2f, not between %.2f and %.2f", value, low, high);
}

/* Windows: 5 less and more what the next terms of the expansion change over a factor 2.8 in h. */
static void positions_and_velocities_have_order_five(dfl_selectors selectors)
{
    for (size_t i = 0; i < sizeof studies / sizeof *studies; i++) {
        const errors psf = orders(&studies[i], DFL_PSF, selectors);
        assert_within(psf.position, 4.7, 5.6);
        assert_within(psf.velocity, 4.7, 5.6);
        assert_within(psf.multiplier, 4.7, 5.6);
        const errors psi1 = orders(&studies[i], DFL_PSI1, selectors);
        assert_within(psi1.position, 4.7, 5.6);
        assert_within(psi1.velocity, 4.7, 5.6);
        assert_within(psi1.multiplier, 1.8, 3.3);
    }
}

static void orders_are_five_with_orthogonal_selectors(void **state)
{
    (void)state;
    positions_and_velocities_have_order_five(DFL_ORTHOGONAL);
}

static void orders_are_five_with_unit_selectors(void **state)
{
    (void)state;
    positions_and_velocities_have_order_five(DFL_UNIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_five_with_orthogonal_selectors),
        cmocka_unit_test(orders_are_five_with_unit_selectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
