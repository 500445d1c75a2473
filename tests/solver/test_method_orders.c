/* The orders of BDF, trapezoidal and midpoint rule with fixed steps and Newton iterated to rounding.

   In psf all unknowns of index 1 have the order of the method: p and v are integrated, the multipliers are
   functions of them. In psi1 the multipliers are of index 2: with BDF of order k they keep order k (Brenan,
   Campbell and Petzold 1996, section 3.2.3); with the midpoint rule they belong to the middle of the step and have order 1. */
#include "evidence.h"

#define MOST 4

typedef struct study {
    const char *name;
    int reference; /* the problem to its time, in so many steps */
    int steps[MOST];
} study;

typedef struct errors {
    double position, velocity, multiplier;
} errors;

/* Errors lie between 1e-2 and 1e-8: below the leading term's onset and far above the references' accuracy. */
static const study second[] = {{"pendulum", 3, {400, 560, 800, 1120}},   /* M constant, exact */
                               {"top", 0, {200, 280, 400, 560}},         /* quaternion, np > nv */
                               {"slidercrank", 0, {2000, 2800, 4000, 5600}}, /* M(p) */
                               {"sleigh", 0, {200, 280, 400, 560}}};     /* nonholonomic */
static const study higher[] = {{"pendulum", 3, {280, 400, 560, 800}}, {"top", 0, {160, 224, 320, 448}}};

static errors solve(const study *s, const dfl_solver_options *method, int steps)
{
    problem prob;
    assert_true(problem_make(&prob, s->name, 0));
    const problem_reference *reference = &prob.references[s->reference];
    dfl_solver_options options = *method;
    options.rtol = 1e-6; /* with newton_tolerance 1e-8: increments of 1e-14 of x */
    options.newton_iterations = 50;
    options.newton_tolerance = 1e-8;
    options.fixed_step = (reference->t - prob.t0) / steps;
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
static double slope(const study *s, const double *error)
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

static errors orders(const study *s, const dfl_solver_options *method)
{
    double p[MOST], v[MOST], l[MOST];
    for (int i = 0; i < MOST; i++) {
        const errors e = solve(s, method, s->steps[i]);
        p[i] = e.position;
        v[i] = e.velocity;
        l[i] = e.multiplier;
    }
    const errors result = {slope(s, p), slope(s, v), slope(s, l)};
    print_message("%-12s %s%d %s %s: order of p %.2f, v %.2f, multipliers %.2f; errors p %.1e .. %.1e, "
                  "multipliers %.1e .. %.1e\n",
                  s->name, dfl_integrator_name(method->integrator), method->order,
                  dfl_form_name(method->form), method->selectors == DFL_UNIT ? "unit" : "orthogonal",
                  result.position, result.velocity, result.multiplier, p[0], p[MOST - 1], l[0],
                  l[MOST - 1]);
    return result;
}
static void look(void **state)
{
    (void)state;
    for (int f = 0; f < 2; f++) {
        for (int i = 0; i < 4; i++)
            for (int m = DFL_BDF; m <= DFL_MIDPOINT; m++)
                orders(&second[i], &(dfl_solver_options){.integrator = (dfl_integrator)m, .order = m == DFL_BDF ? 2 : 0, .form = (dfl_form)f});
        for (int k = 1; k <= 5; k++)
            for (int i = 0; i < 2; i++)
                orders(&higher[i], &(dfl_solver_options){.integrator = DFL_BDF, .order = k, .form = (dfl_form)f});
    }
}
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(look),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
