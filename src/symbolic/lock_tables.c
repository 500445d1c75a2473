/* Tables with a frozen piece: the polynomial of the piece, whose coefficients are functions of the
   branch alone, so that they are computed when it changes. */
#include "context/context.h"
#include "symbolic/graph_internal.h"
#include "symbolic/locking_internal.h"
#include "symbolic/table_pieces.h"

#include <string.h>

static const double fine = 1e-8;     /* rtol below which jumps of fifth derivatives are met */
static const double of_time = 30;    /* roughness that is stepped over, times rtol: knots of time */
static const double of_state = 3000; /* ... cost less than those of the state */

static bool may_be_stepped_over(const dfl_locking *lock, const dfl_spline *table,
                                dfl_expr argument);
static int same_points(const dfl_lock_pass *p, const dfl_spline *table, dfl_expr argument);
static dfl_expr coefficient(dfl_graph *g, const dfl_spline *table, int k, dfl_expr branch);

dfl_expr dfl_lock_table(dfl_lock_pass *p, uint32_t i, dfl_expr a)
{
    dfl_graph *g = p->lock->graph;
    const dfl_node *node = &p->part.node[i];
    const int number = (int)node->b, derivative = (int)node->c;
    const dfl_spline *table = &g->splines[number];
    const dfl_expr argument = p->part.expr[node->a];
    if (may_be_stepped_over(p->lock, table, argument))
        return dfl_lock_rebuilt(p, i, a, 0, 0);
    dfl_condition at = {.kind = DFL_SWITCH_PIECE,
                        .source = dfl_spline_expr(g, number, 0, argument),
                        .locked = a,
                        .spline = number};
    const int same = same_points(p, table, a);
    if (same >= 0)
        at.source = p->lock->item[same].source;
    const dfl_expr branch = dfl_lock_branch(p, &at);
    if (branch == DFL_NO_EXPR)
        return dfl_lock_rebuilt(p, i, a, 0, 0);
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

/* Steps over the jump of a third derivative cost digits at all tolerances, over one of the fifth at
   small ones only (docs/numerics.md). But where points are so dense that the pieces hardly differ,
   nothing is lost. */
static bool may_be_stepped_over(const dfl_locking *lock, const dfl_spline *table, dfl_expr argument)
{
    const unsigned state = ~(1u << DFL_SYM_TIME | 1u << DFL_SYM_PARAM);
    const double precision = lock->precision;
    const int least =
        table->smoothness < table->end_smoothness ? table->smoothness : table->end_smoothness;
    if (least < 2)
        return false;
    const bool timed = (dfl_node_of(lock->graph, argument)->depends & state) == 0;
    return precision == 0 || (least >= 4 && precision >= fine) ||
           dfl_pieces_roughness(table) < (timed ? of_time : of_state) * precision;
}

/* A switch of another table with the same argument and points, or -1. */
static int same_points(const dfl_lock_pass *p, const dfl_spline *table, dfl_expr argument)
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
