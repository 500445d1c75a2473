/* tape.c: making a tape: which nodes are needed, which register each gets.

   One backward pass finds the nodes that the targets need and sorts them into settings, inputs,
   constants, prepared operations and operations; registers are given in this order. */
#include "symbolic/tape_internal.h"

#include <stdlib.h>
#include <string.h>

/* A symbol that is read, for sorting by place. */
typedef struct used_symbol {
    int array, index;
    dfl_expr node;
} used_symbol;

static dfl_status build(dfl_tape_builder *b, const dfl_target *targets, int ntargets);
static void find_parts(dfl_tape_builder *b, const dfl_target *targets, int ntargets);
static dfl_tape_role part_of(const dfl_node *node);
static dfl_status add_inputs(dfl_moves *moves, dfl_tape_builder *b, dfl_tape_role part);
static dfl_status find_place(used_symbol *out, const dfl_tape_builder *b, dfl_expr node);
static int compare_places(const void *left, const void *right);
static dfl_status add_constants(dfl_tape_builder *b);
static dfl_status add_splines(dfl_tape_builder *b);
static dfl_status copy_spline(dfl_spline *out, dfl_context *ctx, const dfl_spline *in);
static dfl_status add_outputs(dfl_tape_builder *b, const dfl_target *targets, int ntargets);
static void add_move(dfl_moves *moves, int array, int index, uint32_t reg);
static uint32_t count_part(const dfl_tape_builder *b, dfl_tape_role part);

dfl_status dfl_tape_create(dfl_tape **out, dfl_context *ctx, const dfl_graph *graph,
                           const dfl_place *places, const dfl_target *targets, int ntargets)
{
    dfl_status status = DFL_NO_MEMORY;
    dfl_tape_builder b = {.graph = graph, .places = places};
    *out = NULL;
    for (int i = 0; i < ntargets; i++)
        if (targets[i].expr >= b.n)
            b.n = targets[i].expr + 1;
    b.tape = dfl_alloc(ctx, 1, sizeof *b.tape);
    b.part = dfl_alloc(ctx, b.n, sizeof *b.part);
    b.reg = dfl_alloc(ctx, b.n, sizeof *b.reg);
    if (b.tape)
        b.tape->ctx = ctx;
    if (b.tape && b.part && b.reg)
        status = build(&b, targets, ntargets);
    dfl_free(ctx, b.reg);
    dfl_free(ctx, b.part);
    if (status)
        dfl_tape_free(b.tape);
    else
        *out = b.tape;
    return status;
}

void dfl_tape_free(dfl_tape *tape)
{
    if (!tape)
        return;
    dfl_context *ctx = tape->ctx;
    dfl_free(ctx, tape->outputs.move);
    dfl_free(ctx, tape->eval.code);
    dfl_tape_plan_free(tape->plan, ctx);
    if (tape->whole) {
        dfl_free(ctx, tape);
        return;
    }
    for (int i = 0; i < tape->nsplines; i++) {
        dfl_free(ctx, tape->splines[i].x);
        dfl_free(ctx, tape->splines[i].coef);
    }
    dfl_free(ctx, tape->splines);
    dfl_free(ctx, tape->spline_number);
    dfl_free(ctx, tape->constants);
    dfl_free(ctx, tape->settings.move);
    dfl_free(ctx, tape->inputs.move);
    dfl_free(ctx, tape->prepare.code);
    dfl_free(ctx, tape);
}

size_t dfl_tape_work(const dfl_tape *tape)
{
    return tape->nregisters;
}

long dfl_tape_operations(const dfl_tape *tape)
{
    return (long)tape->eval.count;
}

static dfl_status build(dfl_tape_builder *b, const dfl_target *targets, int ntargets)
{
    dfl_tape *tape = b->tape;
    find_parts(b, targets, ntargets);
    dfl_tape_roles roles = {0};
    dfl_status status = add_inputs(&tape->settings, b, DFL_ROLE_SETTING);
    const uint32_t first_input = tape->nregisters;
    if (!status)
        status = add_inputs(&tape->inputs, b, DFL_ROLE_INPUT);
    if (!status)
        status = dfl_tape_find_roles(&roles, b, first_input);
    if (!status)
        status = add_constants(b);
    if (!status)
        status = add_splines(b);
    if (!status)
        status = dfl_tape_schedule(&tape->prepare, b, DFL_ROLE_PREPARE, &roles);
    if (!status)
        status = dfl_tape_schedule(&tape->eval, b, DFL_ROLE_EVAL, &roles);
    if (!status)
        status = add_outputs(b, targets, ntargets);
    if (!status)
        status = dfl_tape_plan_create(tape);
    dfl_free(tape->ctx, roles.role);
    dfl_free(tape->ctx, roles.place);
    return status;
}

/* Operands have smaller numbers than results, so one pass downwards reaches everything. */
static void find_parts(dfl_tape_builder *b, const dfl_target *targets, int ntargets)
{
    for (int i = 0; i < ntargets; i++)
        b->part[targets[i].expr] = 1;
    for (uint32_t i = b->n; i-- > 0;) {
        if (!b->part[i])
            continue;
        const dfl_node *node = dfl_node_of(b->graph, i);
        const dfl_expr operand[] = {node->a, node->b, node->c};
        const int count = dfl_op_operands((dfl_op)node->op);
        for (int k = 0; k < count; k++)
            b->part[operand[k]] = 1;
        b->part[i] = (uint8_t)part_of(node);
    }
}

static dfl_tape_role part_of(const dfl_node *node)
{
    const unsigned settings = 1u << DFL_SYM_PARAM | 1u << DFL_SYM_INPUT | 1u << DFL_SYM_LEVEL |
                              1u << DFL_SYM_BRANCH | 1u << DFL_SYM_DISCRETE;
    const bool constant = (node->depends & ~settings) == 0;
    switch (node->op) {
    case DFL_OP_CONSTANT:
        return DFL_ROLE_CONSTANT;
    case DFL_OP_SYMBOL:
        return constant ? DFL_ROLE_SETTING : DFL_ROLE_INPUT;
    default:
        return constant ? DFL_ROLE_PREPARE : DFL_ROLE_EVAL;
    }
}

/* Gives registers to the symbols of one part, in the order of their places, so that neighbours are
   moved together. */
static dfl_status add_inputs(dfl_moves *moves, dfl_tape_builder *b, dfl_tape_role part)
{
    dfl_context *ctx = b->tape->ctx;
    const uint32_t most = count_part(b, part);
    dfl_status status = DFL_NO_MEMORY;
    uint32_t count = 0;
    used_symbol *used = dfl_alloc(ctx, most, sizeof *used);
    moves->move = dfl_alloc(ctx, most, sizeof *moves->move);
    if (!used || !moves->move)
        goto done;

    for (uint32_t i = 0; i < b->n; i++)
        if (b->part[i] == part) {
            status = find_place(&used[count++], b, i);
            if (status)
                goto done;
        }
    qsort(used, count, sizeof *used, compare_places);
    for (uint32_t i = 0; i < count; i++) {
        b->reg[used[i].node] = b->tape->nregisters++;
        add_move(moves, used[i].array, used[i].index, b->reg[used[i].node]);
    }
    status = DFL_OK;

done:
    dfl_free(ctx, used);
    return status;
}

static dfl_status find_place(used_symbol *out, const dfl_tape_builder *b, dfl_expr node)
{
    const dfl_symbol *symbol = &b->graph->symbols[dfl_node_of(b->graph, node)->a];
    const dfl_place *place = &b->places[symbol->kind];
    *out = (used_symbol){.array = place->array, .node = node};
    out->index = place->slot ? place->slot[symbol->index] : symbol->index;
    if (out->array < 0 || out->index < 0)
        return dfl_fail(b->tape->ctx, DFL_INVALID,
                        "symbol '%s' is used in an expression but has no value here; remove it "
                        "from the expression",
                        symbol->name);
    return DFL_OK;
}

static int compare_places(const void *left, const void *right)
{
    const used_symbol *a = left, *b = right;
    if (a->array != b->array)
        return a->array < b->array ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static dfl_status add_constants(dfl_tape_builder *b)
{
    dfl_tape *tape = b->tape;
    tape->first_constant = tape->nregisters;
    tape->constants =
        dfl_alloc(tape->ctx, count_part(b, DFL_ROLE_CONSTANT), sizeof *tape->constants);
    if (!tape->constants)
        return DFL_NO_MEMORY;
    for (uint32_t i = 0; i < b->n; i++)
        if (b->part[i] == DFL_ROLE_CONSTANT) {
            tape->constants[tape->nconstants++] = dfl_constant_value(b->graph, i);
            b->reg[i] = tape->nregisters++;
        }
    return DFL_OK;
}

/* Copies the splines that live nodes use. */
static dfl_status add_splines(dfl_tape_builder *b)
{
    dfl_tape *tape = b->tape;
    const dfl_graph *graph = b->graph;
    dfl_status status = DFL_NO_MEMORY;
    bool *used = dfl_alloc(tape->ctx, (size_t)graph->nsplines, sizeof *used);
    tape->splines = dfl_alloc(tape->ctx, (size_t)graph->nsplines, sizeof *tape->splines);
    tape->spline_number =
        dfl_alloc(tape->ctx, (size_t)graph->nsplines, sizeof *tape->spline_number);
    if (!used || !tape->splines || !tape->spline_number)
        goto done;

    for (uint32_t i = 0; i < b->n; i++)
        if (b->part[i] && graph->nodes[i].op == DFL_OP_SPLINE)
            used[graph->nodes[i].b] = true;
    status = DFL_OK;
    for (int i = 0; i < graph->nsplines && !status; i++)
        if (used[i]) {
            tape->spline_number[tape->nsplines] = i;
            status = copy_spline(&tape->splines[tape->nsplines++], tape->ctx, &graph->splines[i]);
        }

done:
    dfl_free(tape->ctx, used);
    return status;
}

static dfl_status copy_spline(dfl_spline *out, dfl_context *ctx, const dfl_spline *in)
{
    const size_t n = (size_t)in->n, ncoef = 6 * (n + 1);
    *out = *in;
    out->x = dfl_alloc(ctx, n, sizeof *out->x);
    out->coef = dfl_alloc(ctx, ncoef, sizeof *out->coef);
    if (!out->x || !out->coef)
        return DFL_NO_MEMORY;
    memcpy(out->x, in->x, n * sizeof *out->x);
    memcpy(out->coef, in->coef, ncoef * sizeof *out->coef);
    return DFL_OK;
}

static dfl_status add_outputs(dfl_tape_builder *b, const dfl_target *targets, int ntargets)
{
    dfl_moves *outputs = &b->tape->outputs;
    outputs->move = dfl_alloc(b->tape->ctx, (size_t)ntargets, sizeof *outputs->move);
    if (!outputs->move)
        return DFL_NO_MEMORY;
    for (int i = 0; i < ntargets; i++)
        add_move(outputs, targets[i].array, targets[i].index, b->reg[targets[i].expr]);
    return DFL_OK;
}

/* Extends the last move where place and register go on from it. */
static void add_move(dfl_moves *moves, int array, int index, uint32_t reg)
{
    if (moves->count > 0) {
        dfl_move *last = &moves->move[moves->count - 1];
        const int done = (int)last->count;
        if (last->array == array && last->index + done == index && last->reg + last->count == reg) {
            last->count++;
            return;
        }
    }
    moves->move[moves->count++] =
        (dfl_move){.array = array, .index = index, .reg = reg, .count = 1};
}

static uint32_t count_part(const dfl_tape_builder *b, dfl_tape_role part)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->n; i++)
        count += b->part[i] == part;
    return count;
}
