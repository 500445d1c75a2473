/* placing.c: absolute coordinates of bodies at the start, from the coordinates of their joints: the
   places are evaluated from body to body, each with the numbers of the bodies before it. */
#include "derive/derive_internal.h"

#include "derive/numbers.h"
#include "symbolic/symbolic.h"

#include <math.h>
#include <string.h>

enum { EXPRESSIONS = 18 }; /* of a place: r, u, R, omega */

/* All expressions of all places, with room for their values. */
struct dfl_placing {
    dfl_part part;
    double *value;
    bool *known;
    double *param, *input;
};

typedef struct walk {
    struct dfl_placing *placing;
    const dfl_equations *eq;
    dfl_numbers numbers;
} walk;

static void list_expressions(dfl_expr *out, const dfl_placement *place)
{
    memcpy(out, place->r, sizeof place->r);
    memcpy(out + 3, place->u, sizeof place->u);
    memcpy(out + 6, place->R, sizeof place->R);
    memcpy(out + 15, place->omega, sizeof place->omega);
}

dfl_status dfl_derive_placing(dfl_equations *eq)
{
    const dfl_model *model = eq->model;
    dfl_context *ctx = model->ctx;
    const int count = model->places.count;
    if (count == 0)
        return DFL_OK;
    struct dfl_placing *placing = eq->placing = dfl_alloc(ctx, 1, sizeof *placing);
    dfl_expr *all = dfl_exprs(eq, EXPRESSIONS * count);
    dfl_status status = placing && all ? DFL_OK : DFL_NO_MEMORY;
    for (int i = 0; !status && i < count; i++)
        list_expressions(all + EXPRESSIONS * i, &model->places.item[i]);
    if (!status)
        status = dfl_part_create(&placing->part, eq->graph, all, EXPRESSIONS * count);
    dfl_free(ctx, all);
    if (status)
        return status;
    placing->value = dfl_alloc(ctx, placing->part.count, sizeof *placing->value);
    placing->known = dfl_alloc(ctx, placing->part.count, sizeof *placing->known);
    placing->param = dfl_alloc(ctx, (size_t)model->count[DFL_A_PARAM], sizeof(double));
    placing->input = dfl_alloc(ctx, (size_t)model->count[DFL_AN_INPUT], sizeof(double));
    return placing->value && placing->known && placing->param && placing->input ? DFL_OK
                                                                                : DFL_NO_MEMORY;
}

void dfl_placing_free(struct dfl_placing *placing, dfl_context *ctx)
{
    if (!placing)
        return;
    dfl_part_clear(&placing->part);
    dfl_free(ctx, placing->value);
    dfl_free(ctx, placing->known);
    dfl_free(ctx, placing->param);
    dfl_free(ctx, placing->input);
    dfl_free(ctx, placing);
}

/* The value of node i, and of all that it needs; places of bodies are shallow. */
static double evaluate(walk *w, uint32_t i)
{
    struct dfl_placing *placing = w->placing;
    const dfl_graph *graph = w->eq->graph;
    const dfl_node *node = &placing->part.node[i];
    const int operands = dfl_op_operands((dfl_op)node->op);
    if (placing->known[i])
        return placing->value[i];
    if (node->op == DFL_OP_CONSTANT)
        placing->value[i] = graph->constants[node->a];
    else if (node->op == DFL_OP_SYMBOL)
        placing->value[i] = dfl_numbers_symbol(&w->numbers, w->eq, node->a);
    else
        placing->value[i] =
            dfl_op_value(graph, node, evaluate(w, node->a), operands > 1 ? evaluate(w, node->b) : 0,
                         operands > 2 ? evaluate(w, node->c) : 0);
    placing->known[i] = true;
    return placing->value[i];
}

/* The quaternion of a rotation, its largest component being positive. */
static void quaternion_of(double e[4], const double R[9])
{
    const double square[4] = {1 + R[0] + R[4] + R[8], 1 + R[0] - R[4] - R[8],
                              1 - R[0] + R[4] - R[8], 1 - R[0] - R[4] + R[8]};
    const double turn[3] = {R[7] - R[5], R[2] - R[6], R[3] - R[1]};
    const double sum[3] = {R[7] + R[5], R[2] + R[6], R[3] + R[1]}; /* yz, xz, xy */
    int k = 0;
    for (int i = 1; i < 4; i++)
        k = square[i] > square[k] ? i : k;
    const double twice = sqrt(square[k]);
    for (int i = 0; i < 4; i++)
        e[i] = i == k   ? twice / 2
               : k == 0 ? turn[i - 1] / (2 * twice)
               : i == 0 ? turn[k - 1] / (2 * twice)
                        : sum[6 - i - k - 1] / (2 * twice);
}

static void set(double *x, const dfl_equations *eq, dfl_expr symbol, double value)
{
    const dfl_symbol *s = &eq->graph->symbols[dfl_node_of(eq->graph, symbol)->a];
    x[eq->slot[s->kind][s->index]] = value;
}

static void take_place(double *x, walk *w, const dfl_placement *place)
{
    dfl_expr all[EXPRESSIONS];
    double value[EXPRESSIONS], e[4];
    const int shifts = place->planar ? 2 : 3, turns = place->planar ? 1 : 4;
    list_expressions(all, place);
    for (int k = 0; k < EXPRESSIONS; k++)
        value[k] = evaluate(w, dfl_part_place(&w->placing->part, all[k]));
    e[0] = value[6];
    if (!place->planar)
        quaternion_of(e, value + 6);
    for (int k = 0; k < shifts; k++) {
        set(x, w->eq, place->p[k], value[k]);
        set(x, w->eq, place->v[k], value[3 + k]);
    }
    for (int k = 0; k < turns; k++)
        set(x, w->eq, place->p[shifts + k], e[k]);
    for (int k = 0; k < (place->planar ? 1 : 3); k++)
        set(x, w->eq, place->v[shifts + k], value[15 + k]);
}

void dfl_equations_place(double *x, const dfl_equations *eq)
{
    struct dfl_placing *placing = eq->placing;
    const dfl_model *model = eq->model;
    if (!placing)
        return;
    for (int i = 0; i < model->declarations.count; i++) {
        const dfl_declaration *decl = &model->declarations.item[i];
        if (decl->kind == DFL_A_PARAM)
            placing->param[decl->index] = decl->value;
        else if (decl->kind == DFL_AN_INPUT)
            placing->input[decl->index] = decl->value;
    }
    memset(placing->known, 0, placing->part.count * sizeof *placing->known);
    walk w = {placing,
              eq,
              {.t = dfl_start_time(eq), .x = x, .param = placing->param, .input = placing->input}};
    for (int i = 0; i < model->places.count; i++)
        take_place(x, &w, &model->places.item[i]);
}
