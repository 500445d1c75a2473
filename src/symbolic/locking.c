/* locking.c: one pass over the nodes below some rows, operands first. */
#include "context/context.h"
#include "symbolic/graph_internal.h"
#include "symbolic/locking_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static dfl_status run(dfl_lock_pass *p);
static void find_inside(dfl_lock_pass *p);
static bool stays_positive(const dfl_lock_pass *p, uint32_t i);
static bool any_below(const dfl_lock_pass *p, uint32_t i, const bool *mark);
static dfl_expr lock_node(dfl_lock_pass *p, uint32_t i);
static dfl_condition normal_form(const dfl_lock_pass *p, uint32_t place);
static dfl_condition difference(const dfl_lock_pass *p, uint32_t a, uint32_t b);
static bool varies(const dfl_graph *g, dfl_expr source);
static int find(const dfl_locking *lock, const dfl_condition *c);
static dfl_status add_switch(dfl_locking *lock, const dfl_condition *c);
static dfl_expr continued(dfl_lock_pass *p, uint32_t i, dfl_expr a, dfl_expr b);

dfl_status dfl_locking_create(dfl_locking **out, dfl_graph *graph, const dfl_expr *open, int nopen)
{
    *out = dfl_alloc(graph->ctx, 1, sizeof **out);
    if (!*out)
        return DFL_NO_MEMORY;
    **out = (dfl_locking){.graph = graph, .open = open, .nopen = nopen};
    return DFL_OK;
}

void dfl_locking_free(dfl_locking *lock)
{
    if (!lock)
        return;
    dfl_free(lock->graph->ctx, lock->item);
    dfl_free(lock->graph->ctx, lock->switch_of);
    dfl_free(lock->graph->ctx, lock);
}

dfl_status dfl_lock(dfl_expr *out, bool *continued, dfl_locking *lock, const dfl_expr *rows,
                    int nrows, bool add)
{
    dfl_context *ctx = lock->graph->ctx;
    dfl_lock_pass p = {.lock = lock, .add = add};
    dfl_status status = dfl_part_create(&p.part, lock->graph, rows, nrows);
    if (status)
        return status;
    p.locked = dfl_alloc(ctx, p.part.count, sizeof *p.locked);
    p.inside = dfl_alloc(ctx, p.part.count, sizeof *p.inside);
    p.positive = dfl_alloc(ctx, p.part.count, sizeof *p.positive);
    p.seen = dfl_alloc(ctx, p.part.count, sizeof *p.seen);
    p.continued = dfl_alloc(ctx, p.part.count, sizeof *p.continued);
    for (int k = 0; p.seen && k < nrows; k++)
        p.seen[dfl_part_place(&p.part, rows[k])] = true;
    status = p.locked && p.inside && p.positive && p.seen && p.continued ? run(&p) : DFL_NO_MEMORY;
    for (int k = 0; !status && k < nrows; k++) {
        const uint32_t place = dfl_part_place(&p.part, rows[k]);
        out[k] = p.locked[place];
        if (continued)
            continued[k] = p.continued[place];
    }
    dfl_free(ctx, p.locked);
    dfl_free(ctx, p.inside);
    dfl_free(ctx, p.positive);
    dfl_free(ctx, p.seen);
    dfl_free(ctx, p.continued);
    dfl_part_clear(&p.part);
    return status;
}

static dfl_status run(dfl_lock_pass *p)
{
    find_inside(p);
    for (uint32_t i = 0; i < p->part.count; i++) {
        const bool leaf = dfl_op_operands((dfl_op)p->part.node[i].op) == 0;
        p->locked[i] = leaf || !p->seen[i] ? p->part.expr[i] : lock_node(p, i);
        if (p->seen[i] && p->part.node[i].op != DFL_OP_NOEVENT)
            p->continued[i] |= any_below(p, i, p->continued);
        p->positive[i] = stays_positive(p, i);
    }
    return dfl_graph_status(p->lock->graph);
}

/* Whether an operand of node i has the mark. */
static bool any_below(const dfl_lock_pass *p, uint32_t i, const bool *mark)
{
    const dfl_node *node = &p->part.node[i];
    const int operands = dfl_op_operands((dfl_op)node->op);
    return (operands > 0 && mark[node->a]) || (operands > 1 && mark[node->b]) ||
           (operands > 2 && mark[node->c]);
}

/* From the results down. */
static void find_inside(dfl_lock_pass *p)
{
    for (uint32_t i = p->part.count; i-- > 0;) {
        const dfl_node *node = &p->part.node[i];
        const uint32_t operand[] = {node->a, node->b, node->c};
        const int count = dfl_op_operands((dfl_op)node->op);
        const bool branches = node->op == DFL_OP_MIN || node->op == DFL_OP_MAX;
        for (int k = 0; k < count; k++)
            if (p->inside[i] || branches || (node->op == DFL_OP_SELECT && k > 0))
                p->inside[operand[k]] = true;
        for (int k = 0; k < count && p->seen[i] && node->op != DFL_OP_NOEVENT; k++)
            p->seen[operand[k]] = true;
    }
}

/* What is seen at a glance, also beyond the border of a frozen branch: squares, and sums and
   products of what cannot be negative. */
static bool stays_positive(const dfl_lock_pass *p, uint32_t i)
{
    const dfl_graph *g = p->lock->graph;
    const dfl_node *node = &p->part.node[i];
    switch ((dfl_op)node->op) {
    case DFL_OP_CONSTANT:
        return dfl_constant_value(g, p->part.expr[i]) >= 0;
    case DFL_OP_SQ:
    case DFL_OP_EXP:
    case DFL_OP_COSH:
        return true;
    case DFL_OP_ABS:
    case DFL_OP_SQRT: /* unless frozen or continued */
        return dfl_node_of(g, p->locked[i])->op == node->op;
    case DFL_OP_ADD:
    case DFL_OP_MUL:
    case DFL_OP_DIV:
        return p->positive[node->a] && p->positive[node->b];
    default:
        return false;
    }
}

static dfl_expr lock_node(dfl_lock_pass *p, uint32_t i)
{
    dfl_graph *g = p->lock->graph;
    const dfl_node *node = &p->part.node[i];
    const int operands = dfl_op_operands((dfl_op)node->op);
    const dfl_expr a = p->locked[node->a];
    const dfl_expr b = operands > 1 ? p->locked[node->b] : 0;
    const dfl_expr c = operands > 2 ? p->locked[node->c] : 0;
    dfl_condition at;
    switch ((dfl_op)node->op) {
    case DFL_OP_FLOOR:
        at = (dfl_condition){.kind = DFL_SWITCH_FLOOR, .source = p->part.expr[i], .locked = a};
        break;
    case DFL_OP_SPLINE:
        return dfl_lock_table(p, i, a);
    case DFL_OP_NOEVENT:
        return p->part.expr[node->a];
    case DFL_OP_SELECT:
    case DFL_OP_ABS:
    case DFL_OP_SIGN:
        at = normal_form(p, node->a);
        break;
    case DFL_OP_MIN:
        at = difference(p, node->b, node->a);
        break;
    case DFL_OP_MAX:
        at = difference(p, node->a, node->b);
        break;
    default:
        return continued(p, i, a, b);
    }
    const dfl_expr branch = dfl_lock_branch(p, &at);
    if (branch == DFL_NO_EXPR)
        return dfl_lock_rebuilt(p, i, a, b, c);
    switch ((dfl_op)node->op) {
    case DFL_OP_SELECT:
        return dfl_select(g, branch, b, c);
    case DFL_OP_SIGN:
    case DFL_OP_FLOOR:
        return branch;
    case DFL_OP_MIN:
    case DFL_OP_MAX:
        return dfl_select(g, branch, a, b);
    default:
        return dfl_mul(g, branch, a);
    }
}

/* Without minus and constant factors; of a difference, see there. */
static dfl_condition normal_form(const dfl_lock_pass *p, uint32_t place)
{
    const dfl_graph *g = p->lock->graph;
    bool opposite = false;
    for (;;) {
        const dfl_node *node = &p->part.node[place];
        const bool product = node->op == DFL_OP_MUL && p->part.node[node->a].op == DFL_OP_CONSTANT;
        const bool quotient = node->op == DFL_OP_DIV && p->part.node[node->b].op == DFL_OP_CONSTANT;
        if (node->op == DFL_OP_NEG) {
            opposite = !opposite;
            place = node->a;
        } else if (product || quotient) {
            const dfl_expr factor = p->part.expr[product ? node->a : node->b];
            opposite ^= dfl_constant_value(g, factor) < 0;
            place = product ? node->b : node->a;
        } else {
            break;
        }
    }
    dfl_condition c = {.source = p->part.expr[place], .locked = p->locked[place]};
    if (p->part.node[place].op == DFL_OP_SUB)
        c = difference(p, p->part.node[place].a, p->part.node[place].b);
    c.opposite ^= opposite;
    return c;
}

/* a - b or b - a: the node with the lower number first, constants last. */
static dfl_condition difference(const dfl_lock_pass *p, uint32_t a, uint32_t b)
{
    dfl_graph *g = p->lock->graph;
    const bool constant = p->part.node[a].op == DFL_OP_CONSTANT;
    const bool swap = constant || (p->part.node[b].op != DFL_OP_CONSTANT && a > b);
    const uint32_t first = swap ? b : a, second = swap ? a : b;
    if (p->part.expr[second] == 0 && p->part.expr[first] != 0) { /* x - 0 */
        dfl_condition c = normal_form(p, first);
        c.opposite ^= swap;
        return c;
    }
    return (dfl_condition){.source = dfl_sub(g, p->part.expr[first], p->part.expr[second]),
                           .locked = dfl_sub(g, p->locked[first], p->locked[second]),
                           .opposite = swap};
}

/* With time or state; accelerations are known too late. */
static bool varies(const dfl_graph *g, dfl_expr source)
{
    const unsigned fixed = 1u << DFL_SYM_PARAM | 1u << DFL_SYM_INPUT | 1u << DFL_SYM_LEVEL |
                           1u << DFL_SYM_BRANCH | 1u << DFL_SYM_DISCRETE;
    const unsigned late = 1u << DFL_SYM_A | 1u << DFL_SYM_PENDING;
    const unsigned kinds = dfl_node_of(g, source)->depends;
    return (kinds & ~fixed) != 0 && (kinds & late) == 0;
}

dfl_expr dfl_lock_branch(dfl_lock_pass *p, const dfl_condition *c)
{
    dfl_locking *lock = p->lock;
    if (!varies(lock->graph, c->source) || !varies(lock->graph, c->locked))
        return DFL_NO_EXPR; /* the latter: it changes with other branches only */
    for (int i = 0; i < lock->nopen; i++)
        if (lock->open[i] == c->source)
            return DFL_NO_EXPR;
    int number = find(lock, c);
    if (number < 0 && p->add && !add_switch(lock, c))
        number = lock->count - 1;
    if (number < 0)
        return DFL_NO_EXPR;
    const dfl_expr branch = lock->item[number].branch;
    return c->opposite ? dfl_neg(lock->graph, branch) : branch;
}

/* A floor or a table may be a condition too, of another switch. */
static size_t slot_of(const dfl_condition *c)
{
    return 2 * (size_t)c->source + (c->kind != DFL_SWITCH_SIGN);
}

static int find(const dfl_locking *lock, const dfl_condition *c)
{
    return c->source < lock->nodes ? lock->switch_of[slot_of(c)] - 1 : -1;
}

static dfl_status add_switch(dfl_locking *lock, const dfl_condition *c)
{
    dfl_graph *g = lock->graph;
    char name[32];
    if (c->source >= lock->nodes) {
        const uint32_t nodes = 2 * g->nnodes;
        int *switch_of = dfl_alloc(g->ctx, 2 * (size_t)nodes, sizeof *switch_of);
        if (!switch_of)
            return g->status = DFL_NO_MEMORY;
        if (lock->nodes)
            memcpy(switch_of, lock->switch_of, 2 * (size_t)lock->nodes * sizeof *switch_of);
        dfl_free(g->ctx, lock->switch_of);
        lock->switch_of = switch_of;
        lock->nodes = nodes;
    }
    dfl_switch *item = dfl_grow(g->ctx, lock->item, &lock->room, lock->count, sizeof *item);
    if (!item)
        return g->status = DFL_NO_MEMORY;
    lock->item = item;
    snprintf(name, sizeof name, "branch%d", lock->count);
    item[lock->count] =
        (dfl_switch){.kind = c->kind,
                     .spline = c->spline,
                     .source = c->source,
                     .condition = c->locked,
                     .branch = dfl_symbol_expr(g, DFL_SYM_BRANCH, lock->count, name)};
    lock->switch_of[slot_of(c)] = ++lock->count;
    return DFL_OK;
}

/* Other operations; roots and powers that a frozen branch may lead below zero become
   sign(u) |u|^p. */
static dfl_expr continued(dfl_lock_pass *p, uint32_t i, dfl_expr a, dfl_expr b)
{
    dfl_graph *g = p->lock->graph;
    const dfl_node *node = &p->part.node[i];
    const bool power = node->op == DFL_OP_POW;
    const bool near = p->inside[i] || dfl_depends(g, a, DFL_SYM_BRANCH);
    const double exponent = !power ? 0.5 : dfl_is_constant(g, b) ? dfl_constant_value(g, b) : 1;
    if ((power || node->op == DFL_OP_SQRT) && near && !p->positive[node->a] &&
        exponent != floor(exponent)) {
        const dfl_expr size = dfl_unary(g, DFL_OP_ABS, a);
        p->continued[i] = true;
        return dfl_mul(g, dfl_unary(g, DFL_OP_SIGN, a),
                       power ? dfl_binary(g, DFL_OP_POW, size, b)
                             : dfl_unary(g, DFL_OP_SQRT, size));
    }
    return dfl_lock_rebuilt(p, i, a, b, 0);
}

dfl_expr dfl_lock_rebuilt(const dfl_lock_pass *p, uint32_t i, dfl_expr a, dfl_expr b, dfl_expr c)
{
    const dfl_node *node = &p->part.node[i];
    const int operands = dfl_op_operands((dfl_op)node->op);
    const bool same = a == p->part.expr[node->a] && (operands < 2 || b == p->part.expr[node->b]) &&
                      (operands < 3 || c == p->part.expr[node->c]);
    return same ? p->part.expr[i] : dfl_rebuild(p->lock->graph, node, a, b, c);
}
