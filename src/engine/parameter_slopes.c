/* parameter_slopes.c: derivatives of all rows by parameters, for gradients of a run. */
#include "engine/engine_internal.h"

#include <string.h>

static int slopes(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    dfl_runnable *run = user;
    double *arrays[JACOBIAN_BLOCKS]; /* the fields of dfl_jacobian in their order */
    memcpy(arrays, out, sizeof arrays);
    dfl_runnable_follow(run, t, x);
    dfl_runnable_evaluate(&run->parameter_slopes, run, t, x, a, arrays);
    return 0;
}

/* The condition of a switch by time and the unknowns, along their changes, and by the parameters. */
static int crossing(double *rate, double *slope, int function, double t, const double *x,
                    const double *xp, const double *X, void *user)
{
    dfl_runnable *run = user;
    const dfl_equations *eq = run->eq;
    const int n = eq->n, count = run->nparameters;
    const dfl_expr condition = run->switches.item[run->switches.watched[function].number].condition;
    double *by = dfl_alloc(run->ctx, (size_t)(n + 1 + count), sizeof *by);
    dfl_expr *symbols = dfl_exprs(eq, n + 1 + count);
    dfl_status status = by && symbols ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        for (int i = 0; i < n; i++)
            symbols[i] = eq->x[i].symbol;
        symbols[n] = dfl_symbol_expr(eq->graph, DFL_SYM_TIME, 0, "time");
        memcpy(symbols + n + 1, run->parameters, (size_t)count * sizeof *symbols);
        status = dfl_runnable_slopes(by, run, &condition, 1, symbols, n + 1 + count, t, x, NULL);
    }
    if (!status) {
        *rate = by[n];
        for (int i = 0; i < n; i++)
            *rate += by[i] * xp[i];
        for (int j = 0; j < count; j++) {
            slope[j] = by[n + 1 + j];
            for (int i = 0; i < n; i++)
                slope[j] += by[i] * X[(size_t)j * (size_t)n + (size_t)i];
        }
    }
    dfl_free(run->ctx, by);
    dfl_free(run->ctx, symbols);
    return status != DFL_OK;
}

dfl_status dfl_runnable_parameters(dfl_parameters *out, dfl_runnable *run, const dfl_expr *symbols,
                                   int count)
{
    dfl_equation_jacobian derived = {0};
    if (run->tree)
        return dfl_fail(run->ctx, DFL_INVALID,
                        "derivatives by parameters need all equations as expressions; use "
                        "--evaluation tape");
    run->parameters = dfl_exprs(run->eq, count);
    if (!run->parameters)
        return DFL_NO_MEMORY;
    run->nparameters = count;
    memcpy(run->parameters, symbols, (size_t)count * sizeof *symbols);
    dfl_status status = dfl_equations_slopes(&derived, run->eq, symbols, count);
    if (!status)
        status = dfl_runnable_create_slopes(run, &derived);
    if (!status)
        dfl_runnable_prepare(run);
    dfl_equation_jacobian_clear(&derived, run->ctx);
    *out = (dfl_parameters){.count = count, .slopes = slopes, .crossing = crossing, .user = run};
    return status;
}
