/* numbers.c: values of expressions at one state, and states near the start. */
#include "derive/tree_state.h"

#include "linalg/linalg.h"
#include "derive/derive_internal.h"
#include "symbolic/symbolic.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 30 };

/* Rows c, g with their derivatives by s, p, and room for one step of Gauss and Newton. */
typedef struct manifold {
    int rows, columns, first, holonomic;
    dfl_expr *row;
    dfl_sparse J;
    double *value, *A, *step;
    const bool *held;
    dfl_lstsq *lstsq;
    dfl_saddle_ldl *ldl; /* instead, where rows are many: of [1 J^T; J 0] */
    dfl_csc pattern;     /* of J */
    int *at;             /* of its entries: their places in `number` */
    double *number, *one;
} manifold;

enum { MANY_ROWS = 100 };

static void perturb(double *x, const dfl_equations *eq, unsigned *seed);
static dfl_status create_manifold(manifold *out, dfl_equations *eq);
static dfl_status create_sparse_steps(manifold *out, dfl_context *ctx);
static void clear_manifold(manifold *m, dfl_context *ctx);
static dfl_status add_tree(manifold *m, dfl_tree_state *tree, const dfl_numbers *numbers);
static dfl_status approach(bool *reached, manifold *m, const dfl_trials *trials, int trial);

double dfl_numbers_symbol(const dfl_numbers *numbers, const dfl_equations *eq, uint32_t symbol)
{
    const dfl_symbol *s = &eq->graph->symbols[symbol];
    const int *slot = eq->slot[s->kind];
    switch (s->kind) {
    case DFL_SYM_TIME:
        return numbers->t;
    case DFL_SYM_PARAM:
        return numbers->param[s->index];
    case DFL_SYM_INPUT:
        return numbers->input[s->index];
    case DFL_SYM_LEVEL:
        return numbers->level ? numbers->level[s->index] : 0.0;
    case DFL_SYM_DISCRETE:
        return numbers->discrete ? numbers->discrete[s->index]
                                 : eq->model->actions.discretes.item[s->index].value;
    case DFL_SYM_A:
        return numbers->a && slot[s->index] >= 0 ? numbers->a[slot[s->index]] : NAN;
    case DFL_SYM_BRANCH:
        return numbers->branch ? numbers->branch[s->index] : NAN;
    case DFL_SYM_PENDING: /* was replaced in its place */
    case DFL_SYM_RATE:    /* of an analysis */
        return NAN;
    default:
        return slot[s->index] >= 0 ? numbers->x[slot[s->index]] : NAN;
    }
}

/* A state of a model. */
typedef struct state_of_model {
    const dfl_numbers *numbers;
    const dfl_equations *eq;
} state_of_model;

static double value_at(uint32_t symbol, const void *user)
{
    const state_of_model *at = user;
    return dfl_numbers_symbol(at->numbers, at->eq, symbol);
}

dfl_status dfl_numbers_values(double *out, const dfl_numbers *numbers, const dfl_equations *eq,
                              const dfl_expr *exprs, int count)
{
    const dfl_graph *graph = eq->graph;
    dfl_part part;
    dfl_status status = dfl_part_create(&part, graph, exprs, count);
    if (status)
        return status;
    double *value = dfl_alloc(graph->ctx, part.count, sizeof *value);
    if (value)
        dfl_part_evaluate(value, &part, graph, value_at, &(state_of_model){numbers, eq});
    for (int k = 0; value && k < count; k++)
        out[k] = value[dfl_part_place(&part, exprs[k])];
    status = value ? DFL_OK : DFL_NO_MEMORY;
    dfl_free(graph->ctx, value);
    dfl_part_clear(&part);
    return status;
}

dfl_status dfl_numbers_matrix(double *out, const dfl_numbers *numbers, const dfl_equations *eq,
                              const dfl_sparse *matrix)
{
    dfl_context *ctx = eq->graph->ctx;
    dfl_expr *exprs = dfl_exprs(eq, matrix->count);
    double *value = dfl_alloc(ctx, (size_t)matrix->count, sizeof *value);
    dfl_status status = exprs && value ? DFL_OK : DFL_NO_MEMORY;
    for (int k = 0; !status && k < matrix->count; k++)
        exprs[k] = matrix->entry[k].expr;
    if (!status)
        status = dfl_numbers_values(value, numbers, eq, exprs, matrix->count);
    memset(out, 0, (size_t)matrix->nrows * (size_t)matrix->ncols * sizeof *out);
    for (int k = 0; !status && k < matrix->count; k++)
        out[matrix->entry[k].row + (long)matrix->entry[k].col * matrix->nrows] = value[k];
    dfl_free(ctx, exprs);
    dfl_free(ctx, value);
    return status;
}

/* ------------------------------------------------------------------------------- states */

dfl_status dfl_trials_create(dfl_trials *out, dfl_equations *eq)
{
    const dfl_model *model = eq->model;
    dfl_context *ctx = model->ctx;
    *out = (dfl_trials){.eq = eq};
    out->param = dfl_alloc(ctx, (size_t)model->count[DFL_A_PARAM], sizeof(double));
    out->input = dfl_alloc(ctx, (size_t)model->count[DFL_AN_INPUT], sizeof(double));
    for (int k = 0; k < DFL_TRIALS; k++)
        out->x[k] = dfl_alloc(ctx, (size_t)eq->n, sizeof(double));
    if (!out->param || !out->input || !out->x[0] || !out->x[1] || !out->x[2]) {
        dfl_trials_clear(out);
        return DFL_NO_MEMORY;
    }
    for (int i = 0; i < model->declarations.count; i++) {
        const dfl_declaration *decl = &model->declarations.item[i];
        if (decl->kind == DFL_A_PARAM)
            out->param[decl->index] = decl->value;
        else if (decl->kind == DFL_AN_INPUT)
            out->input[decl->index] = decl->value;
    }
    dfl_equations_given(out->x[0], NULL, out->eq);
    out->usable[0] = true;
    const dfl_numbers numbers = dfl_trials_numbers(out, 0);
    const dfl_status status =
        model->tree ? dfl_tree_state_create(&out->tree, eq, &numbers) : DFL_OK;
    if (status)
        dfl_trials_clear(out);
    return status;
}

void dfl_trials_clear(dfl_trials *trials)
{
    if (!trials->eq)
        return;
    dfl_context *ctx = trials->eq->model->ctx;
    dfl_free(ctx, trials->param);
    dfl_free(ctx, trials->input);
    for (int k = 0; k < DFL_TRIALS; k++)
        dfl_free(ctx, trials->x[k]);
    dfl_tree_state_free(trials->tree);
    *trials = (dfl_trials){0};
}

double dfl_start_time(const dfl_equations *eq)
{
    const double from = dfl_choices_number(&eq->model->run, "from");
    return isnan(from) ? 0.0 : from;
}

dfl_numbers dfl_trials_numbers(const dfl_trials *trials, int trial)
{
    return (dfl_numbers){.t = dfl_start_time(trials->eq),
                         .x = trials->x[trial],
                         .param = trials->param,
                         .input = trials->input};
}

dfl_status dfl_trials_spread(dfl_trials *trials)
{
    dfl_equations *eq = trials->eq;
    dfl_context *ctx = eq->model->ctx;
    bool *held = dfl_alloc(ctx, (size_t)eq->n, sizeof *held);
    manifold m = {0};
    dfl_status status = held ? create_manifold(&m, eq) : DFL_NO_MEMORY;
    unsigned seed = 1;
    for (int k = 0; !status && k < DFL_TRIALS; k++) {
        bool reached = true;
        if (k == 0)
            dfl_equations_given(trials->x[0], held, eq);
        else {
            memset(held, 0, (size_t)eq->n * sizeof *held);
            memcpy(trials->x[k], trials->x[0], (size_t)eq->n * sizeof(double));
            perturb(trials->x[k], eq, &seed);
        }
        m.held = held;
        status = approach(&reached, &m, trials, k);
        trials->usable[k] = k == 0 || reached;
    }
    clear_manifold(&m, ctx);
    dfl_free(ctx, held);
    return status;
}

void dfl_equations_given(double *x, bool *held, const dfl_equations *eq)
{
    for (int i = 0; i < eq->model->starts.count; i++) {
        const dfl_start_value *start = &eq->model->starts.item[i];
        const dfl_symbol *symbol = &eq->graph->symbols[dfl_node_of(eq->graph, start->symbol)->a];
        const int place = eq->slot[symbol->kind][symbol->index];
        if (place < 0)
            continue;
        x[place] = start->value;
        if (held)
            held[place] = start->held;
    }
    dfl_equations_place(x, eq);
}

/* Moves every position and velocity by up to a tenth of one plus its size, the same way in every
   run. */
static void perturb(double *x, const dfl_equations *eq, unsigned *seed)
{
    for (int i = eq->nw + eq->nl + eq->nm + eq->nr; i < eq->n; i++) {
        *seed = *seed * 1664525u + 1013904223u; /* Numerical Recipes, section 7.1 */
        const double shift = (double)(*seed >> 8) / (double)(1u << 24) - 0.5;
        x[i] += 0.2 * shift * (1.0 + fabs(x[i]));
    }
}

/* ------------------------------------------------------------------------------- constraints */

static dfl_status create_manifold(manifold *out, dfl_equations *eq)
{
    dfl_context *ctx = eq->model->ctx;
    *out = (manifold){.rows = eq->ns + eq->nl,
                      .columns = eq->ns + eq->np,
                      .first = eq->n - eq->ns - eq->np,
                      .holonomic = eq->nl};
    if (out->rows == 0)
        return DFL_OK;
    const size_t rows = (size_t)out->rows, columns = (size_t)out->columns;
    dfl_expr *symbols = dfl_exprs(eq, out->columns);
    out->row = dfl_exprs(eq, out->rows);
    out->value = dfl_alloc(ctx, rows, sizeof(double));
    out->A = dfl_alloc(ctx, rows * columns, sizeof(double));
    out->step = dfl_alloc(ctx, columns, sizeof(double));
    dfl_status status =
        symbols && out->row && out->value && out->A && out->step ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        memcpy(out->row, eq->rows.c, (size_t)eq->ns * sizeof *out->row);
        memcpy(out->row + eq->ns, eq->rows.g, (size_t)eq->nl * sizeof *out->row);
        for (int i = 0; i < out->columns; i++)
            symbols[i] = eq->x[out->first + i].symbol;
        status = dfl_jacobian_exprs(&out->J, eq->graph, out->row, out->rows, symbols, out->columns);
    }
    if (!status)
        status = out->rows > MANY_ROWS && !eq->model->tree
                     ? create_sparse_steps(out, ctx)
                     : dfl_lstsq_create(&out->lstsq, ctx, out->rows, out->columns);
    dfl_free(ctx, symbols);
    return status;
}

static dfl_status create_sparse_steps(manifold *out, dfl_context *ctx)
{
    const size_t entries = (size_t)out->J.count + 1, columns = (size_t)out->columns;
    dfl_place_of_entry *place = dfl_alloc(ctx, entries, sizeof *place);
    out->at = dfl_alloc(ctx, entries, sizeof *out->at);
    out->number = dfl_alloc(ctx, entries, sizeof *out->number);
    out->one = dfl_alloc(ctx, columns, sizeof *out->one);
    dfl_status status = place && out->at && out->number && out->one ? DFL_OK : DFL_NO_MEMORY;
    for (int k = 0; !status && k < out->J.count; k++)
        place[k] = (dfl_place_of_entry){out->J.entry[k].row, out->J.entry[k].col};
    for (size_t j = 0; !status && j < columns; j++)
        out->one[j] = 1;
    if (!status)
        status = dfl_csc_create(&out->pattern, out->at, ctx, out->rows, out->columns, place,
                                out->J.count);
    if (!status)
        status = dfl_saddle_ldl_create(&out->ldl, ctx, NULL, &out->pattern);
    dfl_free(ctx, place);
    return status;
}

static void clear_manifold(manifold *m, dfl_context *ctx)
{
    dfl_free(ctx, m->row);
    dfl_free(ctx, m->value);
    dfl_free(ctx, m->A);
    dfl_free(ctx, m->step);
    dfl_sparse_clear(&m->J, ctx);
    dfl_lstsq_free(m->lstsq, ctx);
    dfl_saddle_ldl_free(m->ldl);
    dfl_csc_clear(&m->pattern, ctx);
    dfl_free(ctx, m->at);
    dfl_free(ctx, m->number);
    dfl_free(ctx, m->one);
}

/* m->step := the least one with A step = value. False: a number is not finite. */
static bool least_step(manifold *m)
{
    if (!m->ldl)
        return dfl_lstsq_solve(m->step, m->lstsq, m->rows, m->columns, m->A, m->value, 1e-10, NULL);
    for (int k = 0; k < m->J.count; k++) {
        const dfl_entry *entry = &m->J.entry[k];
        m->number[m->at[k]] = m->A[(size_t)entry->row + (size_t)entry->col * (size_t)m->rows];
    }
    memset(m->step, 0, (size_t)m->columns * sizeof *m->step);
    if (!dfl_all_finite(m->number, m->J.count) || !dfl_all_finite(m->value, m->rows) ||
        !dfl_saddle_ldl_factor(m->ldl, m->one, m->number, 3e-6, NULL))
        return false;
    dfl_saddle_ldl_solve(m->step, m->value, m->ldl);
    return true;
}

/* Steps of least size until the rows vanish; values that are held stay. */
static dfl_status approach(bool *reached, manifold *m, const dfl_trials *trials, int trial)
{
    const dfl_equations *eq = trials->eq;
    const dfl_numbers numbers = dfl_trials_numbers(trials, trial);
    double *x = trials->x[trial] + m->first;
    *reached = m->rows == 0;
    for (int k = 0; !*reached && k < ITERATIONS; k++) {
        double size = 0.0;
        dfl_status status = dfl_numbers_values(m->value, &numbers, eq, m->row, m->rows);
        if (!status)
            status = dfl_numbers_matrix(m->A, &numbers, eq, &m->J);
        if (!status && trials->tree)
            status = add_tree(m, trials->tree, &numbers);
        if (status)
            return status;
        for (int j = 0; j < m->columns; j++)
            if (m->held[m->first + j])
                memset(m->A + (size_t)j * (size_t)m->rows, 0, (size_t)m->rows * sizeof *m->A);
        if (!least_step(m))
            return DFL_OK; /* not finite */
        for (int j = 0; j < m->columns; j++) {
            x[j] -= m->step[j];
            size = fmax(size, fabs(m->step[j]) / (1.0 + fabs(x[j])));
        }
        *reached = size < 1e-12;
    }
    return DFL_OK;
}

/* The rows of the loops of a tree of bodies, and their derivatives. */
static dfl_status add_tree(manifold *m, dfl_tree_state *tree, const dfl_numbers *numbers)
{
    const dfl_status status = dfl_tree_state_place_at(tree, numbers);
    if (status)
        return status;
    double *g = m->value + (m->rows - m->holonomic);
    dfl_tree_state_rows(&(dfl_blocks){.g = g}, tree, DFL_POSITION);
    dfl_tree_state_position_slopes(m->A, tree);
    return DFL_OK;
}
