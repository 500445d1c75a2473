/* parameter_slopes.c: derivatives of all rows by parameters, for gradients of a run. */
#include "engine/engine_internal.h"
#include "engine/tree_parameters.h"
#include "linalg/linalg.h"

#include <string.h>

static void sizes_of_blocks(int *rows, const dfl_equations *eq);

/* Rows contain parameters, and discrete variables that depend on them. */
static int slopes(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    const dfl_run_parameters *by = user;
    dfl_runnable *run = by->run;
    double *arrays[JACOBIAN_BLOCKS], *sum[JACOBIAN_BLOCKS]; /* the fields of dfl_jacobian */
    int rows[JACOBIAN_BLOCKS];
    dfl_jacobian all = by->nmemory > 0 ? by->blocks : *out;
    memcpy(sum, out, sizeof sum);
    memcpy(arrays, &all, sizeof arrays);
    dfl_runnable_follow(run, t, x);
    if (by->tree && by->nmemory > 0)
        memset(by->room, 0, by->room_size * sizeof *by->room);
    dfl_runnable_evaluate(&by->slopes, run, t, x, a, arrays);
    if (by->tree)
        dfl_tree_parameters_add(&all, by->tree, t, x, a);
    if (by->nmemory == 0)
        return 0;
    sizes_of_blocks(rows, run->eq);
    for (int k = 0; k < JACOBIAN_BLOCKS; k++) {
        const int own = rows[k] * by->columns;
        if (rows[k] == 0)
            continue;
        memcpy(sum[k], arrays[k], (size_t)own * sizeof(double));
        dfl_gemm(rows[k], by->columns, by->nmemory, 1, arrays[k] + own, rows[k], by->memory,
                 by->nmemory, 1, sum[k], rows[k]);
    }
    return 0;
}

static int by_time(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    dfl_runnable *run = ((const dfl_run_parameters *)user)->run;
    double *arrays[JACOBIAN_BLOCKS];
    memcpy(arrays, out, sizeof arrays);
    dfl_runnable_follow(run, t, x);
    dfl_runnable_evaluate(&run->parameters.by_time, run, t, x, a, arrays);
    if (run->parameters.tree_by_time)
        dfl_tree_parameters_add(out, run->parameters.tree_by_time, t, x, a);
    return 0;
}

static void sizes_of_blocks(int *rows, const dfl_equations *eq)
{
    const int nc = eq->nl + eq->nm;
    const int list[JACOBIAN_BLOCKS] = {
        eq->nw, nc, nc + eq->ne, eq->n0, eq->ns + eq->nl + eq->nep, eq->nr, eq->nv, eq->np};
    memcpy(rows, list, sizeof list);
}

/* The condition of a switch by time and the unknowns, along their changes, and by the parameters.
 */
static int crossing(double *rate, double *slope, int function, double t, const double *x,
                    const double *xp, const double *X, void *user)
{
    const dfl_run_parameters *all = user;
    dfl_runnable *run = all->run;
    const dfl_equations *eq = run->eq;
    const int n = eq->n, columns = all->columns, count = all->count,
              ncols = n + 1 + count + all->nmemory;
    const dfl_expr condition = dfl_runnable_condition(run, function);
    double *by = dfl_alloc(run->ctx, (size_t)ncols, sizeof *by);
    dfl_expr *symbols = dfl_exprs(eq, ncols);
    dfl_status status = by && symbols ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        for (int i = 0; i < n; i++)
            symbols[i] = eq->x[i].symbol;
        symbols[n] = dfl_symbol_expr(eq->graph, DFL_SYM_TIME, 0, "time");
        memcpy(symbols + n + 1, all->symbols, (size_t)(count + all->nmemory) * sizeof *symbols);
        status = dfl_runnable_slopes(by, run, &condition, 1, symbols, ncols, t, x, NULL);
    }
    if (!status) {
        *rate = by[n];
        for (int i = 0; i < n; i++)
            *rate += by[i] * xp[i];
        if (all->direction)
            dfl_gemm(1, 1, count, 1, by + n + 1, 1, all->direction, count, 0, slope, 1);
        else
            memcpy(slope, by + n + 1, (size_t)count * sizeof *slope);
        dfl_gemm(1, columns, n, 1, by, 1, X, n, 1, slope, 1);
        if (all->nmemory > 0)
            dfl_gemm(1, columns, all->nmemory, 1, by + n + 1 + count, 1, all->memory, all->nmemory,
                     1, slope, 1);
    }
    dfl_free(run->ctx, by);
    dfl_free(run->ctx, symbols);
    return status != DFL_OK;
}

/* Initial values have no symbol. */
static int move_one(const dfl_run_parameters *all, int which, double by)
{
    dfl_runnable *run = all->run;
    const dfl_expr symbol = all->symbols[which];
    if (symbol == DFL_NO_EXPR)
        return 0;
    const dfl_symbol *s = &run->eq->graph->symbols[dfl_node_of(run->eq->graph, symbol)->a];
    return dfl_runnable_set(run, s->kind == DFL_SYM_PARAM ? DFL_A_PARAM : DFL_AN_INPUT, s->index,
                            all->at[which] + by) != DFL_OK;
}

static int move(int which, double by, void *user)
{
    const dfl_run_parameters *all = user;
    int rc = 0;
    if (!all->direction)
        return move_one(all, which, by);
    for (int j = 0; !rc && j < all->count; j++)
        rc = move_one(all, j, by * all->direction[j]);
    return rc;
}

static int repeat(dfl_change *change, double *memory, double t, void *user)
{
    const dfl_run_parameters *all = user;
    dfl_branching_repeat(change, memory, all->remembered, all->nmemory, &all->run->branching, t);
    return 0;
}

static int keep(void *bytes, void *user)
{
    dfl_runnable_save(bytes, ((const dfl_run_parameters *)user)->run);
    return 0;
}

static int recall(const void *bytes, void *user)
{
    return dfl_runnable_restore(((const dfl_run_parameters *)user)->run, bytes) != DFL_OK;
}

/* Discrete variables that actions assign, or that keep such ones. */
static int list_memory(int *out, const dfl_actions *actions)
{
    int count = 0;
    for (int i = 0; i < actions->discretes.count; i++) {
        const dfl_discrete *item = &actions->discretes.item[i];
        if (item->assigned || item->before >= 0)
            out[count++] = i;
    }
    return count;
}

/* Blocks for derivatives by parameters and discrete variables, in one piece. */
static dfl_status create_blocks(dfl_run_parameters *all, dfl_runnable *run)
{
    int rows[JACOBIAN_BLOCKS];
    double *block[JACOBIAN_BLOCKS];
    size_t total = 0, columns = (size_t)(all->columns + all->nmemory);
    sizes_of_blocks(rows, run->eq);
    for (int k = 0; k < JACOBIAN_BLOCKS; k++)
        total += (size_t)rows[k] * columns;
    all->room = dfl_alloc(run->ctx, total, sizeof *all->room);
    all->room_size = total;
    if (!all->room)
        return DFL_NO_MEMORY;
    block[0] = all->room;
    for (int k = 1; k < JACOBIAN_BLOCKS; k++)
        block[k] = block[k - 1] + (size_t)rows[k - 1] * columns;
    memcpy(&all->blocks, block, sizeof block);
    return DFL_OK;
}

static dfl_status allocate(dfl_run_parameters *all, dfl_runnable *run, const dfl_expr *symbols,
                           int count, const double *direction)
{
    const dfl_actions *actions = &run->eq->model->actions;
    all->run = run;
    all->count = count;
    all->columns = direction ? 1 : count;
    if (direction && !(all->direction = dfl_alloc(run->ctx, (size_t)count, sizeof *direction)))
        return DFL_NO_MEMORY;
    if (direction)
        memcpy(all->direction, direction, (size_t)count * sizeof *direction);
    all->remembered =
        dfl_alloc(run->ctx, (size_t)actions->discretes.count, sizeof *all->remembered);
    if (!all->remembered)
        return DFL_NO_MEMORY;
    all->nmemory = list_memory(all->remembered, actions);
    all->symbols = dfl_exprs(run->eq, count + all->nmemory);
    all->at = dfl_alloc(run->ctx, (size_t)count, sizeof *all->at);
    all->memory = dfl_alloc(run->ctx, (size_t)(all->nmemory * all->columns), sizeof *all->memory);
    if (!all->symbols || !all->at || !all->memory)
        return DFL_NO_MEMORY;
    memcpy(all->symbols, symbols, (size_t)count * sizeof *symbols);
    for (int i = 0; i < all->nmemory; i++)
        all->symbols[count + i] = actions->discretes.item[all->remembered[i]].symbol;
    for (int j = 0; j < count; j++) {
        const dfl_symbol *s =
            symbols[j] == DFL_NO_EXPR
                ? NULL
                : &run->eq->graph->symbols[dfl_node_of(run->eq->graph, symbols[j])->a];
        if (s)
            all->at[j] = (s->kind == DFL_SYM_PARAM ? run->param : run->input)[s->index];
    }
    return create_blocks(all, run);
}

void dfl_run_parameters_clear(dfl_runnable *run)
{
    dfl_run_parameters *const set[] = {&run->parameters, &run->along};
    for (int i = 0; i < 2; i++) {
        dfl_free(run->ctx, set[i]->symbols);
        dfl_free(run->ctx, set[i]->at);
        dfl_free(run->ctx, set[i]->entry);
        dfl_free(run->ctx, set[i]->value);
        dfl_free(run->ctx, set[i]->memory);
        dfl_free(run->ctx, set[i]->remembered);
        dfl_free(run->ctx, set[i]->room);
        dfl_free(run->ctx, set[i]->direction);
        dfl_tree_parameters_free(set[i]->tree);
        dfl_tree_parameters_free(set[i]->tree_by_time);
    }
}

/* Columns 0 .. count - 1 of a block become one, their sum along the direction. */
static dfl_status combine(dfl_sparse *block, dfl_runnable *run, const double *direction, int count)
{
    dfl_graph *graph = run->eq->graph;
    dfl_expr *sum = dfl_exprs(run->eq, block->nrows);
    dfl_entry *entry = dfl_alloc(run->ctx, (size_t)(block->nrows + block->count), sizeof *entry);
    int used = 0;
    if (!sum || !entry) {
        dfl_free(run->ctx, sum);
        dfl_free(run->ctx, entry);
        return DFL_NO_MEMORY;
    }
    for (int i = 0; i < block->nrows; i++)
        sum[i] = DFL_NO_EXPR;
    for (int k = 0; k < block->count; k++) {
        const dfl_entry *one = &block->entry[k];
        if (one->col >= count) {
            entry[used++] = (dfl_entry){one->row, one->col - count + 1, one->expr};
            continue;
        }
        const dfl_expr part = dfl_mul(graph, dfl_constant(graph, direction[one->col]), one->expr);
        sum[one->row] = sum[one->row] == DFL_NO_EXPR ? part : dfl_add(graph, sum[one->row], part);
    }
    for (int i = 0; i < block->nrows; i++)
        if (sum[i] != DFL_NO_EXPR)
            entry[used++] = (dfl_entry){i, 0, sum[i]};
    dfl_free(run->ctx, sum);
    dfl_free(run->ctx, block->entry);
    block->entry = entry;
    block->count = used;
    block->ncols += 1 - count;
    return DFL_OK;
}

/* A program for the derivatives of all rows by symbols, the first `count` of them along a
   direction, or each. */
static dfl_status create_slopes(program *out, dfl_runnable *run, const dfl_expr *symbols, int total,
                                const double *direction, int count)
{
    dfl_equation_jacobian derived = {0};
    dfl_status status = dfl_equations_slopes(&derived, run->eq, symbols, total);
    dfl_sparse *const block[] = {&derived.d,   &derived.acc, &derived.vel, &derived.gam,
                                 &derived.pos, &derived.b,   &derived.dyn, &derived.kin};
    for (size_t k = 0; !status && direction && k < sizeof block / sizeof *block; k++)
        status = combine(block[k], run, direction, count);
    if (!status)
        status = dfl_runnable_create_slopes(out, run, &derived);
    dfl_equation_jacobian_clear(&derived, run->ctx);
    return status;
}

/* One set of them. */
static dfl_status create_set(dfl_parameters *out, dfl_run_parameters *all, dfl_runnable *run,
                             const dfl_expr *symbols, int count, const double *direction)
{
    if (run->foreign)
        return dfl_fail(
            run->ctx, DFL_INVALID,
            "derivatives by parameters cannot be found: the model contains an FMU, whose "
            "derivatives are not known");
    dfl_status status = allocate(all, run, symbols, count, direction);
    if (!status)
        status =
            create_slopes(&all->slopes, run, all->symbols, count + all->nmemory, direction, count);
    if (!status && run->tree)
        status = dfl_tree_parameters_create(&all->tree, run, all->symbols, count + all->nmemory,
                                            count, direction);
    *out = (dfl_parameters){.count = all->columns,
                            .slopes = slopes,
                            .by_time = by_time,
                            .crossing = crossing,
                            .move = move,
                            .repeat = repeat,
                            .nmemory = all->nmemory,
                            .memory = all->memory,
                            .kept_size = dfl_runnable_saved_size(run),
                            .keep = keep,
                            .recall = recall,
                            .products = direction ? NULL : dfl_run_products,
                            .user = all};
    return status;
}

dfl_status dfl_runnable_parameters(dfl_parameters *out, dfl_runnable *run, const dfl_expr *symbols,
                                   int count)
{
    if (run->tree && run->eq->n0 > 0)
        return dfl_fail(run->ctx, DFL_INVALID,
                        "derivatives by parameters of massless directions need all equations as "
                        "expressions; use --evaluation tape");
    dfl_status status = create_set(out, &run->parameters, run, symbols, count, NULL);
    if (!status) {
        const dfl_expr time = dfl_symbol_expr(run->eq->graph, DFL_SYM_TIME, 0, "time");
        status = create_slopes(&run->parameters.by_time, run, &time, 1, NULL, 0);
        if (!status && run->tree)
            status =
                dfl_tree_parameters_create(&run->parameters.tree_by_time, run, &time, 1, 1, NULL);
    }
    if (!status)
        dfl_runnable_prepare(run);
    return status;
}

dfl_status dfl_runnable_direction(dfl_parameters *out, dfl_runnable *run, const double *direction)
{
    dfl_run_parameters *all = &run->parameters;
    dfl_status status = create_set(out, &run->along, run, all->symbols, all->count, direction);
    if (!status && all->nmemory > 0)
        dfl_gemm(all->nmemory, 1, all->count, 1, all->memory, all->nmemory, direction, all->count,
                 0, run->along.memory, all->nmemory);
    if (!status)
        status = dfl_run_products_create(all);
    if (!status)
        dfl_runnable_prepare(run);
    return status;
}

void dfl_runnable_begin_memory(dfl_runnable *run, const double *slopes, int spare, int count)
{
    const dfl_run_parameters *all = &run->parameters;
    const int nd = run->eq->model->actions.discretes.count, nm = all->nmemory;
    for (int j = 0; j < count; j++)
        for (int i = 0; i < nm; i++)
            all->memory[(spare + j) * nm + i] = slopes[j * nd + all->remembered[i]];
}

void dfl_runnable_memory(const dfl_expr **symbols, const double **slopes, int *count,
                         const dfl_runnable *run)
{
    const dfl_run_parameters *all = run->along.run ? &run->along : &run->parameters;
    *symbols = all->symbols + all->count;
    *slopes = all->memory;
    *count = all->nmemory;
}
