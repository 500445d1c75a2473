/* locking.c: one pass over the nodes below some rows, operands first. */
#include "symbolic/locking.h"
#include "context/context.h"
#include "symbolic/graph_internal.h"
#include "symbolic/part.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A condition in its normal form: without minus and constant factor, differences in one order. */
typedef struct condition {
    dfl_switch_kind kind;
    dfl_expr source, locked;
    bool opposite; /* the normal form has the other sign */
    int spline;
} condition;

/* One pass. */
typedef struct pass {
    dfl_locking *lock;
    dfl_part part;
    dfl_expr *locked; /* per node of the part */
    bool *inside;     /* ... it lies below a branch */
    bool *positive;   /* ... it cannot be negative */
    bool add;
} pass;

static dfl_status run(pass *p);
static void find_inside(pass *p);
static void find_positive(pass *p);
static dfl_expr lock_node(pass *p, uint32_t i);
static condition normal_form(const pass *p, uint32_t place);
static condition difference(const pass *p, uint32_t a, uint32_t b);
static bool varies(const dfl_graph *g, dfl_expr source);
static dfl_expr branch_of(pass *p, const condition *c);
static int find(const dfl_locking *lock, const condition *c);
static dfl_status add_switch(dfl_locking *lock, const condition *c);
static dfl_expr continued(pass *p, uint32_t i, dfl_expr a, dfl_expr b);
static dfl_expr rebuilt(const pass *p, uint32_t i, dfl_expr a, dfl_expr b, dfl_expr c);
static dfl_expr lock_table(pass *p, uint32_t i, dfl_expr a);
static int same_points(const pass *p, const dfl_spline *table, dfl_expr argument);
static dfl_expr coefficient(dfl_graph *g, const dfl_spline *table, int k, dfl_expr branch);

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

dfl_status dfl_lock(dfl_expr *out, dfl_locking *lock, const dfl_expr *rows, int nrows, bool add)
{
    dfl_context *ctx = lock->graph->ctx;
    pass p = {.lock = lock, .add = add};
    dfl_status status = dfl_part_create(&p.part, lock->graph, rows, nrows);
    if (status)
        return status;
    p.locked = dfl_alloc(ctx, p.part.count, sizeof *p.locked);
    p.inside = dfl_alloc(ctx, p.part.count, sizeof *p.inside);
    p.positive = dfl_alloc(ctx, p.part.count, sizeof *p.positive);
    status = p.locked && p.inside && p.positive ? run(&p) : DFL_NO_MEMORY;
    for (int k = 0; !status && k < nrows; k++)
        out[k] = p.locked[dfl_part_place(&p.part, rows[k])];
    dfl_free(ctx, p.locked);
    dfl_free(ctx, p.inside);
    dfl_free(ctx, p.positive);
    dfl_part_clear(&p.part);
    return status;
}

static dfl_status run(pass *p)
{
    find_inside(p);
    find_positive(p);
    for (uint32_t i = 0; i < p->part.count; i++) {
        const bool leaf = dfl_op_operands((dfl_op)p->part.node[i].op) == 0;
        p->locked[i] = leaf ? p->part.expr[i] : lock_node(p, i);
    }
    return dfl_graph_status(p->lock->graph);
}

/* From the results down. */
static void find_inside(pass *p)
{
    for (uint32_t i = p->part.count; i-- > 0;) {
        const dfl_node *node = &p->part.node[i];
        const uint32_t operand[] = {node->a, node->b, node->c};
        const int count = dfl_op_operands((dfl_op)node->op);
        const bool branches = node->op == DFL_OP_MIN || node->op == DFL_OP_MAX;
        for (int k = 0; k < count; k++)
            if (p->inside[i] || branches || (node->op == DFL_OP_SELECT && k > 0))
                p->inside[operand[k]] = true;
    }
}

/* What is seen at a glance: squares, and sums and products of what cannot be negative. */
static void find_positive(pass *p)
{
    const dfl_graph *g = p->lock->graph;
    for (uint32_t i = 0; i < p->part.count; i++) {
        const dfl_node *node = &p->part.node[i];
        switch ((dfl_op)node->op) {
        case DFL_OP_CONSTANT:
            p->positive[i] = dfl_constant_value(g, p->part.expr[i]) >= 0;
            break;
        case DFL_OP_SQ:
        case DFL_OP_EXP:
        case DFL_OP_COSH:
        case DFL_OP_ABS:
        case DFL_OP_SQRT:
            p->positive[i] = true;
            break;
        case DFL_OP_ADD:
        case DFL_OP_MUL:
        case DFL_OP_DIV:
            p->positive[i] = p->positive[node->a] && p->positive[node->b];
            break;
        default:
            break;
        }
    }
}

static dfl_expr lock_node(pass *p, uint32_t i)
{
    dfl_graph *g = p->lock->graph;
    const dfl_node *node = &p->part.node[i];
    const int operands = dfl_op_operands((dfl_op)node->op);
    const dfl_expr a = p->locked[node->a];
    const dfl_expr b = operands > 1 ? p->locked[node->b] : 0;
    const dfl_expr c = operands > 2 ? p->locked[node->c] : 0;
    const bool root = node->op == DFL_OP_SQRT && p->part.node[node->a].op == DFL_OP_SQ;
    const uint32_t argument = root ? p->part.node[node->a].a : node->a; /* sqrt(u^2) is abs(u) */
    condition at;
    switch ((dfl_op)node->op) {
    case DFL_OP_FLOOR:
        at = (condition){.kind = DFL_SWITCH_FLOOR, .source = p->part.expr[i], .locked = a};
        break;
    case DFL_OP_SPLINE:
        return lock_table(p, i, a);
    case DFL_OP_SELECT:
    case DFL_OP_ABS:
    case DFL_OP_SIGN:
        at = normal_form(p, argument);
        break;
    case DFL_OP_MIN:
        at = difference(p, node->b, node->a);
        break;
    case DFL_OP_MAX:
        at = difference(p, node->a, node->b);
        break;
    default:
        if (!root)
            return continued(p, i, a, b);
        at = normal_form(p, argument);
    }
    const dfl_expr branch = branch_of(p, &at);
    if (branch == DFL_NO_EXPR)
        return rebuilt(p, i, a, b, c);
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
        return dfl_mul(g, branch, p->locked[argument]);
    }
}

/* Without minus and constant factors; of a difference, see there. */
static condition normal_form(const pass *p, uint32_t place)
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
    condition c = {.source = p->part.expr[place], .locked = p->locked[place]};
    if (p->part.node[place].op == DFL_OP_SUB)
        c = difference(p, p->part.node[place].a, p->part.node[place].b);
    c.opposite ^= opposite;
    return c;
}

/* a - b or b - a: the node with the lower number first, constants last. */
static condition difference(const pass *p, uint32_t a, uint32_t b)
{
    dfl_graph *g = p->lock->graph;
    const bool constant = p->part.node[a].op == DFL_OP_CONSTANT;
    const bool swap = constant || (p->part.node[b].op != DFL_OP_CONSTANT && a > b);
    const uint32_t first = swap ? b : a, second = swap ? a : b;
    if (p->part.expr[second] == 0 && p->part.expr[first] != 0) { /* x - 0 */
        condition c = normal_form(p, first);
        c.opposite ^= swap;
        return c;
    }
    return (condition){.source = dfl_sub(g, p->part.expr[first], p->part.expr[second]),
                       .locked = dfl_sub(g, p->locked[first], p->locked[second]),
                       .opposite = swap};
}

/* With time or state; accelerations are known too late. */
static bool varies(const dfl_graph *g, dfl_expr source)
{
    const unsigned fixed =
        1u << DFL_SYM_PARAM | 1u << DFL_SYM_INPUT | 1u << DFL_SYM_LEVEL | 1u << DFL_SYM_BRANCH;
    const unsigned late = 1u << DFL_SYM_A | 1u << DFL_SYM_PENDING;
    const unsigned kinds = dfl_node_of(g, source)->depends;
    return (kinds & ~fixed) != 0 && (kinds & late) == 0;
}

/* The branch symbol, or its negative; DFL_NO_EXPR: this condition is not frozen. */
static dfl_expr branch_of(pass *p, const condition *c)
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
static size_t slot_of(const condition *c)
{
    return 2 * (size_t)c->source + (c->kind != DFL_SWITCH_SIGN);
}

static int find(const dfl_locking *lock, const condition *c)
{
    return c->source < lock->nodes ? lock->switch_of[slot_of(c)] - 1 : -1;
}

static dfl_status add_switch(dfl_locking *lock, const condition *c)
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
static dfl_expr continued(pass *p, uint32_t i, dfl_expr a, dfl_expr b)
{
    dfl_graph *g = p->lock->graph;
    const dfl_node *node = &p->part.node[i];
    const bool power = node->op == DFL_OP_POW;
    const bool near = p->inside[i] || dfl_depends(g, a, DFL_SYM_BRANCH);
    const double exponent = !power ? 0.5 : dfl_is_constant(g, b) ? dfl_constant_value(g, b) : 1;
    if ((power || node->op == DFL_OP_SQRT) && near && !p->positive[node->a] &&
        exponent != floor(exponent)) {
        const dfl_expr size = dfl_unary(g, DFL_OP_ABS, a);
        return dfl_mul(g, dfl_unary(g, DFL_OP_SIGN, a),
                       power ? dfl_binary(g, DFL_OP_POW, size, b)
                             : dfl_unary(g, DFL_OP_SQRT, size));
    }
    return rebuilt(p, i, a, b, 0);
}

/* The same operation on locked operands. */
static dfl_expr rebuilt(const pass *p, uint32_t i, dfl_expr a, dfl_expr b, dfl_expr c)
{
    const dfl_node *node = &p->part.node[i];
    const int operands = dfl_op_operands((dfl_op)node->op);
    const bool same = a == p->part.expr[node->a] && (operands < 2 || b == p->part.expr[node->b]) &&
                      (operands < 3 || c == p->part.expr[node->c]);
    return same ? p->part.expr[i] : dfl_rebuild(p->lock->graph, node, a, b, c);
}

/* ------------------------------------------------------------------------------- tables */

/* The polynomial of one piece: its coefficients are functions of the branch alone, so that they are
   computed when it changes. */
static dfl_expr lock_table(pass *p, uint32_t i, dfl_expr a)
{
    dfl_graph *g = p->lock->graph;
    const dfl_node *node = &p->part.node[i];
    const int number = (int)node->b, derivative = (int)node->c;
    const dfl_spline *table = &g->splines[number];
    const dfl_expr argument = p->part.expr[node->a];
    if (table->smoothness >= 2 && table->end_smoothness >= 2)
        return rebuilt(p, i, a, 0, 0);
    condition at = {.kind = DFL_SWITCH_PIECE,
                    .source = dfl_spline_expr(g, number, 0, argument),
                    .locked = a,
                    .spline = number};
    const int same = same_points(p, table, a);
    if (same >= 0)
        at.source = p->lock->item[same].source;
    const dfl_expr branch = branch_of(p, &at);
    if (branch == DFL_NO_EXPR)
        return rebuilt(p, i, a, 0, 0);
    dfl_expr sum = 0;
    const dfl_expr u = dfl_sub(g, a, coefficient(g, &g->splines[number], -1, branch));
    for (int k = DFL_SPLINE_COEFS - 1; k >= derivative; k--) {
        double factor = 1;
        for (int j = 0; j < derivative; j++)
            factor *= k - j;
        const dfl_expr c = coefficient(g, &g->splines[number], k, branch);
        sum = dfl_add(g, dfl_mul(g, sum, u), dfl_mul(g, dfl_constant(g, factor), c));
    }
    return sum;
}

/* A switch of another table with the same argument and points, or -1. */
static int same_points(const pass *p, const dfl_spline *table, dfl_expr argument)
{
    const dfl_locking *lock = p->lock;
    for (int i = 0; i < lock->count; i++) {
        const dfl_switch *item = &lock->item[i];
        const dfl_spline *other = &lock->graph->splines[item->spline];
        if (item->kind == DFL_SWITCH_PIECE && item->condition == argument && other->n == table->n &&
            !memcmp(other->x, table->x, (size_t)table->n * sizeof *table->x))
            return i;
    }
    return -1;
}

/* Coefficient k of the piece `branch`, or the point about which it is written (k = -1): a table of
   constants over the number of the piece. */
static dfl_expr coefficient(dfl_graph *g, const dfl_spline *table, int k, dfl_expr branch)
{
    const int n = table->n;
    bool varies = false;
    dfl_spline steps = {.n = n, .smoothness = -1, .end_smoothness = -1};
    steps.x = dfl_alloc(g->ctx, (size_t)n, sizeof *steps.x);
    steps.coef = dfl_alloc(g->ctx, DFL_SPLINE_COEFS * ((size_t)n + 1), sizeof *steps.coef);
    int number = 0;
    dfl_status status = steps.x && steps.coef ? DFL_OK : DFL_NO_MEMORY;
    double first = 0;
    for (int i = 0; !status && i <= n; i++) {
        const double c =
            k < 0 ? table->x[i < n ? i : n - 1] : table->coef[DFL_SPLINE_COEFS * i + k];
        if (i < n)
            steps.x[i] = i + 0.5;
        first = i == 0 ? c : first;
        steps.coef[DFL_SPLINE_COEFS * i] = c;
        varies = varies || c != first;
    }
    if (!status && varies)
        status = dfl_spline_keep(&number, g, &steps);
    if (status || !varies) {
        dfl_free(g->ctx, steps.x);
        dfl_free(g->ctx, steps.coef);
    }
    if (status)
        g->status = status;
    return status || !varies ? dfl_constant(g, first) : dfl_spline_expr(g, number, 0, branch);
}

/* ------------------------------------------------------------------------------- branches */

double dfl_switch_branch(const dfl_switch *item, const dfl_graph *graph, double value, double slope)
{
    if (item->kind == DFL_SWITCH_SIGN) {
        const double c = value != 0 ? value : slope;
        return c > 0 ? 1 : c < 0 ? -1 : 0;
    }
    if (item->kind == DFL_SWITCH_FLOOR)
        return floor(value) - (value == floor(value) && slope < 0 ? 1 : 0);
    const dfl_spline *table = &graph->splines[item->spline];
    int below = 0;
    while (below < table->n && (table->x[below] < value || (table->x[below] == value && slope > 0)))
        below++;
    return below;
}

void dfl_switch_borders(double *low, double *high, const dfl_switch *item, const dfl_graph *graph,
                        double branch)
{
    switch (item->kind) {
    case DFL_SWITCH_SIGN:
        *low = branch > 0 ? 0 : -INFINITY;
        *high = branch > 0 ? INFINITY : 0;
        return;
    case DFL_SWITCH_FLOOR:
        *low = branch;
        *high = branch + 1;
        return;
    case DFL_SWITCH_PIECE:
        *low = branch > 0 ? graph->splines[item->spline].x[(int)branch - 1] : -INFINITY;
        *high = branch < graph->splines[item->spline].n
                    ? graph->splines[item->spline].x[(int)branch]
                    : INFINITY;
        return;
    }
}

double dfl_switch_next(const dfl_switch *item, const dfl_graph *graph, double branch, int sense)
{
    double low = 0, high = 0;
    if (item->kind != DFL_SWITCH_PIECE)
        return item->kind == DFL_SWITCH_SIGN ? sense : branch + sense;
    do { /* a jump has a piece without length */
        branch += sense;
        dfl_switch_borders(&low, &high, item, graph, branch);
    } while (low == high);
    return branch;
}
