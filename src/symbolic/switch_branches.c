/* Branches of switches: which one belongs to a value, where it ends, what comes next. */
#include "symbolic/graph_internal.h"
#include "symbolic/locking.h"

#include <math.h>

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
