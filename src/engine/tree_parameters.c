/* tree_parameters.c: derivatives of a tree of bodies by parameters: masses, lengths, axes,
   prescribed motions.

   The rows of a tree are polynomials of low degree in masses and lengths, and smooth in directions
   and prescribed motions. How these numbers u depend on parameters is known as expressions,
   u_theta; along such a direction four trees nearby give

       rows_theta = (rows(-2) - 8 rows(-1) + 8 rows(1) - rows(2)) / (12 eps),
       rows(k) = rows(u + k eps u_theta),

   exact up to the degree 4, and with eps u_theta of a thousandth to about 1e-12 otherwise. */
#include "engine/tree_parameters.h"

#include "engine/engine_internal.h"

#include <math.h>
#include <string.h>

enum { NEARBY = 4 };
static const double node[NEARBY] = {-2, -1, 1, 2}, weight[NEARBY] = {1, -8, 8, -1};
static const double part = 1e-3;

typedef struct nearby {
    dfl_tree_state *state[NEARBY]; /* with other numbers; NULL: they do not depend on it */
    double eps;
} nearby;

struct dfl_tree_parameters {
    dfl_runnable *run;
    int total, count, columns; /* symbols; of these combined; columns */
    double *direction;         /* count, or NULL */
    nearby *column;            /* columns */
    int ndriven;               /* numbers of prescribed motions ... */
    dfl_probe *drives;         /* ... and their derivatives by all symbols */
    double *driven, *slopes;   /* ndriven; ndriven x total */
    double *along, *moved;     /* ndriven: by one column; prescribed motions nearby */
};

static dfl_status create_drives(dfl_tree_parameters *it, const dfl_expr *symbols);
static dfl_status create_columns(dfl_tree_parameters *it, const dfl_expr *symbols);

dfl_status dfl_tree_parameters_create(dfl_tree_parameters **out, dfl_runnable *run,
                                      const dfl_expr *symbols, int total, int count,
                                      const double *direction)
{
    dfl_tree_parameters *it = *out = dfl_alloc(run->ctx, 1, sizeof *it);
    if (!it)
        return DFL_NO_MEMORY;
    it->run = run;
    it->total = total;
    it->count = count;
    it->columns = direction ? 1 + total - count : total;
    it->ndriven = 3 * run->eq->model->tree->ndrives;
    it->column = dfl_alloc(run->ctx, (size_t)it->columns, sizeof *it->column);
    if (direction && !(it->direction = dfl_alloc(run->ctx, (size_t)count, sizeof *direction)))
        return DFL_NO_MEMORY;
    if (direction)
        memcpy(it->direction, direction, (size_t)count * sizeof *direction);
    dfl_status status = it->column ? create_drives(it, symbols) : DFL_NO_MEMORY;
    return status ? status : create_columns(it, symbols);
}

void dfl_tree_parameters_free(dfl_tree_parameters *it)
{
    if (!it)
        return;
    dfl_context *ctx = it->run->ctx;
    for (int c = 0; it->column && c < it->columns; c++)
        for (int k = 0; k < NEARBY; k++)
            dfl_tree_state_free(it->column[c].state[k]);
    dfl_probe_free(it->drives);
    dfl_free(ctx, it->driven);
    dfl_free(ctx, it->direction);
    dfl_free(ctx, it->column);
    dfl_free(ctx, it);
}

static dfl_status create_drives(dfl_tree_parameters *it, const dfl_expr *symbols)
{
    const dfl_mass_tree *tree = it->run->eq->model->tree;
    const size_t n = (size_t)it->ndriven;
    it->driven = dfl_alloc(it->run->ctx, n * (size_t)(it->total + 3), sizeof *it->driven);
    if (!it->driven)
        return DFL_NO_MEMORY;
    it->along = it->driven + n;
    it->moved = it->along + n;
    it->slopes = it->moved + n;
    return n == 0 ? DFL_OK
                  : dfl_probe_create(&it->drives, it->run, tree->drives, it->ndriven, symbols,
                                     it->total);
}

/* One column of derivatives by all symbols (rows x total), combined along the direction. */
static void take_column(double *out, const dfl_tree_parameters *it, const double *slopes, int rows,
                        int column)
{
    memset(out, 0, (size_t)rows * sizeof *out);
    for (int j = 0; j < it->total; j++) {
        const bool combined = it->direction && j < it->count;
        const int own = it->direction && !combined ? j - it->count + 1 : combined ? 0 : j;
        for (int i = 0; own == column && i < rows; i++)
            out[i] += (combined ? it->direction[j] : 1) * slopes[(long)j * rows + i];
    }
}

/* The size of a step along a direction: no number changes by more than a small part of itself,
   unless it is zero. */
static double step_along(const double *direction, const double *value, int count)
{
    double largest = 0, size = 0;
    for (int i = 0; i < count; i++) {
        if (value[i] != 0)
            largest = fmax(largest, fabs(direction[i] / value[i]));
        size = fmax(size, fabs(direction[i]));
    }
    return size > 0 ? part / (largest > 0 ? largest : size) : 0;
}

/* Trees with numbers + node eps change, change = numbers by a column. */
static dfl_status create_column(nearby *out, dfl_tree_parameters *it, const double *change,
                                double *values)
{
    const dfl_tree_state *state = dfl_tree_engine_state(it->run->tree);
    const int count = it->run->eq->model->tree->nnumbers;
    const double *now = dfl_tree_state_numbers(state);
    dfl_status status = DFL_OK;
    out->eps = step_along(change, now, count);
    for (int k = 0; !status && out->eps > 0 && k < NEARBY; k++) {
        for (int i = 0; i < count; i++)
            values[i] = now[i] + node[k] * out->eps * change[i];
        status = dfl_tree_state_nearby(&out->state[k], state, values);
    }
    return status;
}

static dfl_status create_columns(dfl_tree_parameters *it, const dfl_expr *symbols)
{
    dfl_runnable *run = it->run;
    const dfl_mass_tree *tree = run->eq->model->tree;
    const size_t count = (size_t)tree->nnumbers, total = (size_t)it->total;
    dfl_expr *exprs = dfl_exprs(run->eq, tree->nnumbers);
    double *slopes = dfl_alloc(run->ctx, count * (total + 2) + (size_t)run->eq->n, sizeof *slopes);
    double *change = slopes + count * total, *values = change + count, *x = values + count;
    dfl_status status = exprs && slopes ? DFL_OK : DFL_NO_MEMORY;
    for (size_t i = 0; !status && i < count; i++)
        exprs[i] = tree->numbers[i].expr;
    if (!status)
        status =
            dfl_runnable_slopes(slopes, run, exprs, tree->nnumbers, symbols, it->total, 0, x, NULL);
    for (int c = 0; !status && c < it->columns; c++) {
        take_column(change, it, slopes, tree->nnumbers, c);
        status = create_column(&it->column[c], it, change, values);
    }
    dfl_free(run->ctx, exprs);
    dfl_free(run->ctx, slopes);
    return status;
}

/* Column c of blocks with `columns` of them. */
static dfl_jacobian column_of(const dfl_jacobian *out, const dfl_equations *eq, int c)
{
    const long nc = eq->nl + eq->nm;
    return (dfl_jacobian){.acc = out->acc + c * nc,
                          .vel = out->vel + c * (nc + eq->ne),
                          .pos = out->pos + (long)c * (eq->ns + eq->nl + eq->nep),
                          .dyn = out->dyn + (long)c * eq->nv};
}

/* What prescribed motions add that move along it->along. */
static void add_driven(dfl_jacobian *column, dfl_tree_parameters *it, const double *x,
                       const double *a)
{
    dfl_tree_state *state = dfl_tree_engine_state(it->run->tree);
    const double eps = step_along(it->along, it->driven, it->ndriven);
    for (int k = 0; eps > 0 && k < NEARBY; k++) {
        for (int i = 0; i < it->ndriven; i++)
            it->moved[i] = it->driven[i] + node[k] * eps * it->along[i];
        dfl_tree_state_place(state, x, it->moved);
        dfl_tree_state_add_rows(column, weight[k] / (12 * eps), state, a, x + it->run->eq->nw);
    }
}

void dfl_tree_parameters_add(dfl_jacobian *out, dfl_tree_parameters *it, double t, const double *x,
                             const double *a)
{
    const dfl_equations *eq = it->run->eq;
    if (it->drives)
        dfl_probe_evaluate(it->driven, it->slopes, it->drives, t, x, a);
    for (int c = 0; c < it->columns; c++) {
        const nearby *trees = &it->column[c];
        dfl_jacobian column = column_of(out, eq, c);
        for (int k = 0; trees->eps > 0 && k < NEARBY; k++) {
            dfl_tree_state_place(trees->state[k], x, it->driven);
            dfl_tree_state_add_rows(&column, weight[k] / (12 * trees->eps), trees->state[k], a,
                                    x + eq->nw);
        }
        if (it->drives) {
            take_column(it->along, it, it->slopes, it->ndriven, c);
            add_driven(&column, it, x, a);
        }
    }
}
