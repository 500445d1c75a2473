/* servo_array.c: the derivative array of a model whose outputs are prescribed.

   S. L. Campbell, A general form for solvable linear time varying singular systems of differential
   equations, SIAM J. Math. Anal. 18 (1987): an equation and its derivatives by time together
   determine what the equation alone leaves open. Derivatives are total ones along t' = 1, p' = kin,
   r' = b, v' = a, z' = ... */
#include "study/study_internal.h"

#include "study/servo_array.h"

#include <string.h>

/* Symbols with their rates, and the rows. */
typedef struct builder {
    dfl_servo_array *out;
    const dfl_equations *eq;
    dfl_graph *graph;
    const int *inputs;
    int nz;            /* w, l, m, a, u */
    int nsymbols;      /* time, then X but for its last z */
    dfl_expr *symbol;  /* of X */
    dfl_expr *moving;  /* nsymbols */
    dfl_expr *rates;   /* nsymbols */
    dfl_expr *replace; /* 2 nu: inputs, and what stands for them */
    dfl_expr *row, *state_rate;
} builder;

static dfl_status check_model(const dfl_equations *eq);
static dfl_status make_room(builder *it);
static void list_symbols(builder *it);
static dfl_status list_rates(builder *it);
static dfl_status add_rows(builder *it);
static dfl_status add_derivatives(builder *it, const dfl_expr *rows, int count, int derivatives);
static dfl_status write_balance(dfl_expr *rows, const dfl_equations *eq);
static dfl_status make_tape(builder *it);

dfl_status dfl_servo_array_create(dfl_servo_array *out, dfl_runnable *run, int level,
                                  const int *inputs, int nu)
{
    const dfl_equations *eq = eq_of(run);
    const int algebraic = eq->nw + eq->nl + eq->nm, nz = algebraic + eq->nv + nu;
    *out = (dfl_servo_array){.run = run, .level = level, .nu = nu};
    out->n = eq->n + eq->nv + nu + level * nz;
    out->ny = eq->n - algebraic;
    out->first_y = algebraic;
    out->first_a = eq->n;
    out->first_u = eq->n + eq->nv;
    builder it = {out, eq, eq->graph, inputs, nz, 1 + out->n - (level > 0 ? nz : 0),
                  0,   0,  0,         0,      0,  0};
    dfl_status status = check_model(eq);
    if (!status)
        status = make_room(&it);
    if (!status) {
        list_symbols(&it);
        status = list_rates(&it);
    }
    if (!status)
        status = add_rows(&it);
    if (!status)
        status = make_tape(&it);
    dfl_free(ctx_of(run), it.symbol);
    return status;
}

void dfl_servo_array_clear(dfl_servo_array *array)
{
    if (!array->run)
        return;
    dfl_context *ctx = ctx_of(array->run);
    dfl_sparse_clear(&array->jacobian, ctx);
    dfl_sparse_clear(&array->slopes, ctx);
    dfl_tape_free(array->tape);
    dfl_free(ctx, array->value);
    dfl_free(ctx, array->work);
    *array = (dfl_servo_array){0};
}

void dfl_servo_array_eval(dfl_servo_array *array, double t, const double *X)
{
    const dfl_numbers numbers = dfl_runnable_numbers(array->run, t, X, NULL);
    const double *in[DFL_IN_ARRAYS + 1] = {[DFL_IN_TIME] = &t,
                                           [DFL_IN_X] = X,
                                           [DFL_IN_A] = X + array->first_a,
                                           [DFL_IN_PARAM] = numbers.param,
                                           [DFL_IN_INPUT] = numbers.input,
                                           [DFL_IN_LEVEL] = numbers.level,
                                           [DFL_IN_ARRAYS] = X + array->first_u};
    double *out[] = {array->value, array->rate, array->entry};
    const double *entry = array->entry;
    dfl_tape_prepare(array->tape, array->work, in);
    dfl_tape_eval(array->tape, array->work, in, out);
    for (int k = 0; k < array->jacobian.count; k++, entry++) {
        const dfl_entry *at = &array->jacobian.entry[k];
        array->J[(size_t)at->col * (size_t)array->rows + (size_t)at->row] = *entry;
    }
    for (int k = 0; k < array->slopes.count; k++, entry++) {
        const dfl_entry *at = &array->slopes.entry[k];
        array->slope[(size_t)at->col * (size_t)array->ny + (size_t)at->row] = *entry;
    }
}

static dfl_status check_model(const dfl_equations *eq)
{
    const char *what = eq->ns > 0                           ? "contact variables"
                       : eq->model->actions.discretes.count ? "discrete variables"
                                                            : NULL;
    if (what)
        return dfl_fail(eq->model->ctx, DFL_INVALID,
                        "no input acts directly where the motions are prescribed; with %s this is "
                        "not supported",
                        what);
    if (eq->model->tree)
        return dfl_fail(eq->model->ctx, DFL_INVALID,
                        "no input acts directly where the motions are prescribed; this needs "
                        "--evaluation tape");
    return DFL_OK;
}

static dfl_status make_room(builder *it)
{
    const dfl_equations *eq = it->eq;
    dfl_servo_array *out = it->out;
    const int level = out->level;
    out->rows = eq->nl * (3 + level) + eq->nm * (2 + level) + (eq->nv + eq->nw) * (1 + level);
    const size_t rows = (size_t)out->rows, n = (size_t)out->n, ny = (size_t)out->ny;
    out->value = dfl_alloc(ctx_of(out->run), rows + rows * n + ny + ny * n, sizeof *out->value);
    it->symbol = dfl_exprs(eq, 3 * out->n + 2 + 2 * out->nu + out->rows + out->ny);
    if (!out->value || !it->symbol)
        return DFL_NO_MEMORY;
    out->J = out->value + rows;
    out->rate = out->J + rows * n;
    out->slope = out->rate + ny;
    it->moving = it->symbol + n;
    it->rates = it->moving + n + 1;
    it->replace = it->rates + n + 1;
    it->row = it->replace + 2 * out->nu;
    it->state_rate = it->row + rows;
    return DFL_OK;
}

static void list_symbols(builder *it)
{
    const dfl_equations *eq = it->eq;
    dfl_servo_array *out = it->out;
    for (int i = 0; i < eq->n; i++)
        it->symbol[i] = eq->x[i].symbol;
    for (int i = 0; i < eq->nv; i++)
        it->symbol[out->first_a + i] = eq->a[i];
    for (int i = out->first_u; i < out->n; i++)
        it->symbol[i] = dfl_symbol_expr(it->graph, DFL_SYM_RATE, i - out->first_u, "rate");
    for (int i = 0; i < out->nu; i++) {
        it->replace[i] = eq->model->declarations.item[it->inputs[i]].symbol;
        it->replace[out->nu + i] = it->symbol[out->first_u + i];
    }
    it->moving[0] = dfl_symbol_expr(it->graph, DFL_SYM_TIME, 0, "time");
    memcpy(it->moving + 1, it->symbol, (size_t)(it->nsymbols - 1) * sizeof *it->moving);
}

/* t' = 1, y' = (b, a, kin), z' its own unknowns. */
static dfl_status list_rates(builder *it)
{
    const dfl_equations *eq = it->eq;
    const dfl_servo_array *out = it->out;
    const int algebraic = out->first_y, further = out->first_u + out->nu, nu = out->nu;
    dfl_expr *rate = it->rates + 1, *y = it->state_rate;
    dfl_status status =
        dfl_substitute_exprs(y, it->graph, eq->rows.b, eq->nr, it->replace, it->replace + nu, nu);
    memcpy(y + eq->nr, eq->a, (size_t)eq->nv * sizeof *y);
    memcpy(y + eq->nr + eq->nv, eq->rows.kin, (size_t)eq->np * sizeof *y);
    it->rates[0] = dfl_constant(it->graph, 1);
    for (int i = 0; i < out->ny; i++)
        rate[out->first_y + i] = y[i];
    if (out->level == 0) { /* rates of z are not needed */
        it->nsymbols = 1 + out->first_a;
        memset(rate, 0, (size_t)algebraic * sizeof *rate);
        return status;
    }
    memcpy(rate, it->symbol + further, (size_t)algebraic * sizeof *rate);
    memcpy(rate + out->first_a, it->symbol + further + algebraic,
           (size_t)(it->nsymbols - 1 - out->first_a) * sizeof *rate);
    return status;
}

static dfl_status add_rows(builder *it)
{
    const dfl_equations *eq = it->eq;
    dfl_servo_array *out = it->out;
    const int level = out->level;
    dfl_expr *balance = dfl_exprs(eq, eq->nv);
    dfl_status status = balance ? write_balance(balance, eq) : DFL_NO_MEMORY;
    out->rows = 0;
    if (!status)
        status = add_derivatives(it, eq->rows.g, eq->nl, 2 + level);
    if (!status)
        status = add_derivatives(it, eq->rows.hv, eq->nm, 1 + level);
    if (!status)
        status = add_derivatives(it, balance, eq->nv, level);
    if (!status)
        status = add_derivatives(it, eq->rows.d, eq->nw, level);
    dfl_free(ctx_of(out->run), balance);
    return status;
}

/* Rows with inputs as unknowns, and so many derivatives. */
static dfl_status add_derivatives(builder *it, const dfl_expr *rows, int count, int derivatives)
{
    dfl_servo_array *out = it->out;
    dfl_expr *at = it->row + out->rows;
    dfl_status status = dfl_substitute_exprs(at, it->graph, rows, count, it->replace,
                                             it->replace + out->nu, out->nu);
    for (int k = 0; !status && k < derivatives; k++, at += count)
        status =
            dfl_along_exprs(at + count, it->graph, at, count, it->moving, it->rates, it->nsymbols);
    out->rows += count * (1 + derivatives);
    return status;
}

/* f - M a - W^T (l, m) without the multipliers of motions. */
static dfl_status write_balance(dfl_expr *rows, const dfl_equations *eq)
{
    dfl_graph *g = eq->graph;
    memcpy(rows, eq->rows.f, (size_t)eq->nv * sizeof *rows);
    for (int k = 0; k < eq->M.count; k++) {
        const dfl_entry *at = &eq->M.entry[k];
        rows[at->row] = dfl_sub(g, rows[at->row], dfl_mul(g, at->expr, eq->a[at->col]));
    }
    for (int k = 0; k < eq->W.count; k++) {
        const dfl_entry *at = &eq->W.entry[k];
        if (at->row >= eq->nl || !dfl_is_motion(eq, at->row))
            rows[at->col] =
                dfl_sub(g, rows[at->col], dfl_mul(g, at->expr, eq->x[eq->nw + at->row].symbol));
    }
    return dfl_graph_status(g);
}

static dfl_status make_tape(builder *it)
{
    dfl_servo_array *out = it->out;
    dfl_context *ctx = ctx_of(out->run);
    dfl_place places[DFL_SYM_KINDS] = {{0}};
    dfl_status status =
        dfl_jacobian_exprs(&out->jacobian, it->graph, it->row, out->rows, it->symbol, out->n);
    if (!status)
        status = dfl_jacobian_exprs(&out->slopes, it->graph, it->state_rate, out->ny, it->symbol,
                                    out->n);
    if (status)
        return status;
    const int count = out->jacobian.count, more = out->slopes.count;
    dfl_target *target =
                   dfl_alloc(ctx, (size_t)(out->rows + out->ny + count + more), sizeof *target),
               *at = target;
    if (!target)
        return DFL_NO_MEMORY;
    for (int i = 0; i < out->rows; i++)
        *at++ = (dfl_target){it->row[i], 0, i};
    for (int i = 0; i < out->ny; i++)
        *at++ = (dfl_target){it->state_rate[i], 1, i};
    for (int i = 0; i < count; i++)
        *at++ = (dfl_target){out->jacobian.entry[i].expr, 2, i};
    for (int i = 0; i < more; i++)
        *at++ = (dfl_target){out->slopes.entry[i].expr, 2, count + i};
    dfl_runnable_places(places, it->eq);
    places[DFL_SYM_RATE] = (dfl_place){DFL_IN_ARRAYS, NULL};
    status = dfl_tape_create(&out->tape, ctx, it->graph, places, target, (int)(at - target));
    dfl_free(ctx, target);
    if (status)
        return status;
    const size_t work = dfl_tape_work(out->tape);
    out->work = dfl_alloc(ctx, work + (size_t)(count + more), sizeof *out->work);
    out->entry = out->work + work;
    return out->work ? DFL_OK : DFL_NO_MEMORY;
}
