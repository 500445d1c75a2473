/* bench_massless: steps that small masses cost and massless bodies do not, on the two-mass
   oscillator of problems/two_masses.h, tolerances 1e-6. Prints a table of accepted steps and of the
   distance to the end of the massless model. */
#include "two_masses.h"

#include <driftless/driftless.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MASSES = 9, CASES = 3 };

/* Damping and duration. */
static const struct {
    double d, t_end;
} cases[CASES] = {{2, 2}, {0.02, 0.5}, {2e-4, 0.05}};

typedef struct outcome {
    long steps;
    double p[2];
} outcome;

static void stop(dfl_context *ctx)
{
    fprintf(stderr, "bench_massless: %s\n", dfl_message(ctx));
    exit(1);
}

static outcome simulate(double m1, double d, double t_end, const dfl_solver_options *options)
{
    two_masses it;
    two_masses_make(&it, m1, d);
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *m = NULL;
    dfl_solver *solver = NULL;
    const dfl_eom *eom = NULL;
    if (!ctx || dfl_multibody_create(&m, ctx, &it.description) || dfl_multibody_eom(&eom, m) ||
        dfl_solver_create(&solver, ctx, eom, options) ||
        dfl_solver_start(solver, 0, two_masses_start, NULL) || dfl_solver_advance(solver, t_end))
        stop(ctx);
    const double *x = dfl_solver_state(solver);
    const outcome found = {dfl_solver_statistics(solver).accepted, {x[2], x[2] + x[3]}};
    dfl_solver_free(solver);
    dfl_multibody_free(m);
    dfl_context_free(ctx);
    return found;
}

/* Steps with one setting, and the distances at rtol 1e-10. */
static void print_table(const char *title, dfl_integrator integrator, int order)
{
    const dfl_solver_options options = {.rtol = 1e-6,
                                        .atol = 1e-6,
                                        .integrator = integrator,
                                        .order = order,
                                        .step.max_attempts = 10000000};
    const dfl_solver_options sharp = {.rtol = 1e-10, .atol = 1e-10, .step.max_attempts = 10000000};
    const outcome limit = simulate(0, 2, 2, &sharp), damped = simulate(0, 50, 2, &sharp);
    printf(
        "%s\n\n| m1 / m2 | d = 2, 2 s | d = 0.02, 0.5 s | d = 2e-4, 0.05 s | p2 - limit, d = 2 | "
        "d = 50 |\n| --- | --- | --- | --- | --- | --- |\n",
        title);
    for (int i = 1; i <= MASSES; i++) {
        const double m1 = i < MASSES ? pow(10, -i) : 0;
        printf(i < MASSES ? "| 1e-%d |" : "| 0 |", i);
        for (int c = 0; c < CASES; c++)
            printf(" %ld |", simulate(m1, cases[c].d, cases[c].t_end, &options).steps);
        printf(" %.1e | %.1e |\n", fabs(simulate(m1, 2, 2, &sharp).p[1] - limit.p[1]),
               fabs(simulate(m1, 50, 2, &sharp).p[1] - damped.p[1]));
        fflush(stdout);
    }
    printf("\n");
}

int main(void)
{
    print_table("Radau IIA, order 5", DFL_RADAU, 5);
    print_table("Radau IIA, automatic order", DFL_RADAU, 0);
    print_table("BDF", DFL_BDF, 0);
    return 0;
}
