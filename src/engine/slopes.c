/* slopes.c: derivatives of arbitrary expressions at one state, and of the equations by inputs: for
   analyses, not for speed. */
#include "engine/engine_internal.h"

#include <string.h>

static dfl_status refuse_fixed(const dfl_equations *eq, const dfl_declaration *input);
static dfl_status check_rows(const dfl_equations *eq, const dfl_expr *rows, int count,
                             const char *what, const dfl_declaration *input);
static dfl_status check_tree(const dfl_equations *eq, const dfl_declaration *input);
static dfl_status contains(bool *out, const dfl_equations *eq, const dfl_expr *rows, int count,
                           dfl_expr symbol);
static dfl_expr *balance_rows(const dfl_equations *eq);

dfl_status dfl_runnable_slopes(double *out, dfl_runnable *run, const dfl_expr *rows, int nrows,
                               const dfl_expr *symbols, int ncols, double t, const double *x,
                               const double *a)
{
    const dfl_equations *eq = run->eq;
    dfl_sparse slopes = {0};
    memset(out, 0, (size_t)nrows * (size_t)ncols * sizeof *out);
    dfl_status status = dfl_jacobian_exprs(&slopes, eq->graph, rows, nrows, symbols, ncols);
    dfl_expr *exprs = dfl_exprs(eq, slopes.count);
    double *values = dfl_alloc(run->ctx, (size_t)slopes.count, sizeof *values);
    if (!status && (!exprs || !values))
        status = DFL_NO_MEMORY;
    for (int k = 0; !status && k < slopes.count; k++)
        exprs[k] = slopes.entry[k].expr;
    if (!status)
        status = dfl_runnable_values(values, run, exprs, slopes.count, t, x, a);
    for (int k = 0; !status && k < slopes.count; k++)
        out[(size_t)slopes.entry[k].col * (size_t)nrows + (size_t)slopes.entry[k].row] = values[k];
    dfl_sparse_clear(&slopes, run->ctx);
    dfl_free(run->ctx, exprs);
    dfl_free(run->ctx, values);
    return status;
}

dfl_status dfl_runnable_check_inputs(const dfl_runnable *run, const int *inputs, int count)
{
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < count; i++)
        status = refuse_fixed(run->eq, &run->eq->model->declarations.item[inputs[i]]);
    return status;
}

dfl_status dfl_runnable_input_slopes(double *dyn, double *b, double *d, dfl_runnable *run,
                                     const int *inputs, int count, double t, const double *x,
                                     const double *a)
{
    const dfl_equations *eq = run->eq;
    dfl_expr *symbols = dfl_exprs(eq, count), *rows = balance_rows(eq);
    dfl_status status = symbols && rows ? DFL_OK : DFL_NO_MEMORY;
    for (int i = 0; !status && i < count; i++)
        symbols[i] = eq->model->declarations.item[inputs[i]].symbol;
    if (!status)
        status = dfl_runnable_slopes(dyn, run, rows, eq->nv, symbols, count, t, x, a);
    if (!status)
        status = dfl_runnable_slopes(b, run, eq->rows.b, eq->nr, symbols, count, t, x, a);
    if (!status)
        status = dfl_runnable_slopes(d, run, eq->rows.d, eq->nw, symbols, count, t, x, a);
    dfl_free(run->ctx, symbols);
    dfl_free(run->ctx, rows);
    return status;
}

/* f - M a; a tree of bodies has no inputs. */
static dfl_expr *balance_rows(const dfl_equations *eq)
{
    dfl_expr *rows = dfl_exprs(eq, eq->nv);
    if (!rows)
        return NULL;
    memcpy(rows, eq->rows.f, (size_t)eq->nv * sizeof *rows);
    for (int k = 0; k < eq->M.count; k++) {
        const dfl_entry *entry = &eq->M.entry[k];
        if (dfl_depends(eq->graph, entry->expr, DFL_SYM_INPUT))
            rows[entry->row] = dfl_sub(eq->graph, rows[entry->row],
                                       dfl_mul(eq->graph, entry->expr, eq->a[entry->col]));
    }
    return rows;
}

/* An input in constraints or kinematics would need rates of its own. */
static dfl_status refuse_fixed(const dfl_equations *eq, const dfl_declaration *input)
{
    const dfl_equation_rows *rows = &eq->rows;
    bool quasistatic = false;
    for (int i = 0; i < eq->model->declarations.count; i++)
        quasistatic = quasistatic || eq->model->declarations.item[i].quasistatic;
    dfl_status status =
        check_rows(eq, rows->g, eq->nl,
                   quasistatic ? "a constraint (the balance of a quasistatic coordinate is one)"
                               : "a constraint",
                   input);
    if (!status)
        status = check_rows(eq, rows->hv, eq->nm, "a nonholonomic constraint", input);
    if (!status)
        status = check_rows(eq, rows->c, eq->ns, "a contact", input);
    if (!status)
        status = check_rows(eq, rows->kin, eq->np, "the kinematics", input);
    return status ? status : check_tree(eq, input);
}

static dfl_status check_rows(const dfl_equations *eq, const dfl_expr *rows, int count,
                             const char *what, const dfl_declaration *input)
{
    bool found = false;
    const dfl_status status = contains(&found, eq, rows, count, input->symbol);
    if (status || !found)
        return status;
    return dfl_fail(eq->model->ctx, DFL_INVALID,
                    "input '%s' is part of %s, which would need its rates, too; only inputs of "
                    "forces, dynamic and auxiliary variables may change",
                    input->name, what);
}

static dfl_status check_tree(const dfl_equations *eq, const dfl_declaration *input)
{
    const dfl_mass_tree *tree = eq->model->tree;
    dfl_status status = DFL_OK;
    for (int i = 0; !status && tree && i < tree->nnumbers; i++)
        status = check_rows(eq, &tree->numbers[i].expr, 1, "a mass or a place of a body", input);
    return status;
}

static dfl_status contains(bool *out, const dfl_equations *eq, const dfl_expr *rows, int count,
                           dfl_expr symbol)
{
    dfl_sparse slopes = {0};
    bool any = false;
    for (int i = 0; i < count; i++)
        any = any || dfl_depends(eq->graph, rows[i], DFL_SYM_INPUT);
    *out = false;
    if (!any)
        return DFL_OK;
    const dfl_status status = dfl_jacobian_exprs(&slopes, eq->graph, rows, count, &symbol, 1);
    *out = slopes.count > 0;
    dfl_sparse_clear(&slopes, eq->model->ctx);
    return status;
}
