/* gradient_values.c: expressions along a run that follows the derivatives of its state x, of the
   accelerations a and of discrete variables d:

       do/dtheta = o_x x_theta + o_a a_theta + o_theta + o_d d_theta. */
#include "study/gradient_internal.h"

#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

static dfl_status list_symbols(dfl_expr **out, int *count, const gradient_run *it);

dfl_status dfl_totals_create(totals *out, const gradient_run *it, const dfl_expr *rows, int nrows)
{
    const dfl_equations *eq = eq_of(it->run);
    const unsigned forces = 1U << DFL_SYM_LAMBDA | 1U << DFL_SYM_MU;
    dfl_expr *symbols = NULL;
    *out = (totals){.nrows = nrows};
    for (int i = 0; i < nrows; i++) {
        const unsigned depends = dfl_node_of(eq->graph, rows[i])->depends;
        out->forces = out->forces || (depends & forces) != 0;
        if (eq->n0 > 0 && (depends & 1U << DFL_SYM_A) != 0)
            return dfl_fail(ctx_of(it->run), DFL_INVALID,
                            "a value depends on accelerations, whose derivatives are not known "
                            "along massless directions; ask for other outputs");
    }
    dfl_status status = list_symbols(&symbols, &out->ncols, it);
    if (!status)
        status = dfl_probe_create(&out->probe, it->run, rows, nrows, symbols, out->ncols);
    if (!status) {
        out->slopes =
            dfl_alloc(ctx_of(it->run), (size_t)nrows * (size_t)out->ncols, sizeof *out->slopes);
        status = out->slopes ? DFL_OK : DFL_NO_MEMORY;
    }
    dfl_free(ctx_of(it->run), symbols);
    return status;
}

/* x, a, what is followed, discrete variables. */
static dfl_status list_symbols(dfl_expr **out, int *count, const gradient_run *it)
{
    const dfl_equations *eq = eq_of(it->run);
    const dfl_expr *memory;
    const double *slopes;
    int nmemory;
    dfl_runnable_memory(&memory, &slopes, &nmemory, it->run);
    *count = eq->n + eq->nv + it->count + nmemory;
    dfl_expr *next = *out = dfl_exprs(eq, *count);
    if (!next)
        return DFL_NO_MEMORY;
    for (int i = 0; i < eq->n; i++)
        *next++ = eq->x[i].symbol;
    for (int i = 0; i < eq->nv; i++)
        *next++ = eq->a[i];
    for (int i = 0; i < it->count; i++)
        *next++ = it->followed[i].symbol;
    for (int i = 0; i < nmemory; i++)
        *next++ = memory[i];
    return DFL_OK;
}

void dfl_totals_clear(totals *it, dfl_context *ctx)
{
    dfl_probe_free(it->probe);
    dfl_free(ctx, it->slopes);
    *it = (totals){0};
}

dfl_status dfl_totals_weights(double *value, totals *of, const gradient_run *it, dfl_solver *solver,
                              double t, const double *x)
{
    const dfl_derivatives by = dfl_solver_derivatives(solver);
    dfl_probe_evaluate(value, of->slopes, of->probe, t, x, by.accelerations);
    if (by.redundant > 0 && of->forces) {
        const dfl_status status = dfl_gradient_least_forces(of, it, t, x);
        if (status)
            return status;
    }
    if (of != &it->wanted)
        return DFL_OK;
    return it->ended != DFL_NO_EXPR ? dfl_gradient_at_end((gradient_run *)it, solver, t)
           : it->crossed            ? dfl_gradient_at_instant((gradient_run *)it, solver, t)
                                    : DFL_OK;
}

dfl_status dfl_totals_evaluate(double *value, double *total, totals *of, const gradient_run *it,
                               dfl_solver *solver, double t, const double *x)
{
    const dfl_equations *eq = eq_of(it->run);
    const dfl_derivatives by = dfl_solver_derivatives(solver);
    const dfl_expr *memory;
    const double *of_memory, *part = of->slopes;
    const int rows = of->nrows, count = it->count;
    int nmemory;
    const dfl_status status = dfl_totals_weights(value, of, it, solver, t, x);
    if (status)
        return status;
    dfl_runnable_memory(&memory, &of_memory, &nmemory, it->run);
    dfl_gemm(rows, count, eq->n, 1, part, rows, by.x, eq->n, 0, total, rows);
    part += rows * eq->n;
    if (eq->nv > 0)
        dfl_gemm(rows, count, eq->nv, 1, part, rows, by.a, eq->nv, 1, total, rows);
    part += rows * eq->nv;
    for (int k = 0; k < rows * count; k++)
        total[k] += part[k];
    part += rows * count;
    if (nmemory > 0)
        dfl_gemm(rows, count, nmemory, 1, part, rows, of_memory, nmemory, 1, total, rows);
    return DFL_OK;
}

dfl_status dfl_totals_tolerance(double *out, const totals *of, int row, const gradient_run *it,
                                const dfl_solver *solver, const double *x)
{
    const int n = eq_of(it->run)->n;
    double *atol = dfl_alloc(ctx_of(it->run), (size_t)n, sizeof *atol);
    if (!atol)
        return DFL_NO_MEMORY;
    dfl_solver_tolerances(atol, solver);
    *out = 0;
    for (int k = 0; k < n; k++)
        *out += fabs(of->slopes[k * of->nrows + row]) *
                (atol[k] + it->settings->solver.rtol * fabs(x[k]));
    dfl_free(ctx_of(it->run), atol);
    return DFL_OK;
}
