/* table_terms.c: functions through tables as sums of terms. */
#include "symbolic/table_pieces.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 64 }; /* of a piece, for its range */

/* Work for one axis. */
typedef struct frame {
    dfl_graph *graph;
    const dfl_axis *axis;
    double *value; /* n: of the function that is being made */
    double *slope; /* n: likewise, where slopes are expressions; else NULL */
} frame;

static dfl_status frame_create(frame *out, dfl_graph *graph, const dfl_axis *axis);
static void frame_clear(frame *f);
static dfl_status check_repeat(dfl_context *ctx, const dfl_graph *graph, const dfl_axis *axis,
                               const dfl_expr *y, int stride);
static dfl_status add_table(dfl_term *terms, int *count, frame *f, const dfl_expr *y, int stride);
static dfl_status add_numbers(dfl_term *terms, int *count, frame *f, const dfl_expr *y,
                              const dfl_expr *d, int stride);
static dfl_status add_units(dfl_term *terms, int *count, frame *f, double *list,
                            const dfl_expr *factors, int stride);
static dfl_status keep_unit(int *out, frame *f, double *list, int i);
static dfl_status keep_pieces(int *out, frame *f, bool trimmed);
static int points(const dfl_axis *axis);

dfl_status dfl_axis_check(dfl_context *ctx, const dfl_axis *axis, const char *name)
{
    const int least = axis->kind == DFL_TABLE_SMOOTH || axis->outside == DFL_OUTSIDE_REPEAT ? 3 : 2;
    const double *x = axis->x;
    if (axis->n < least)
        return dfl_fail(ctx, DFL_INVALID, "table: %s has %d number%s; give at least %d", name,
                        axis->n, axis->n == 1 ? "" : "s", least);
    for (int i = 0; i < axis->n; i++) {
        if (!isfinite(x[i]))
            return dfl_fail(ctx, DFL_INVALID, "table: %s of row %d is %g; give finite numbers",
                            name, i + 1, x[i]);
        if (i > 0 && (x[i] < x[i - 1] || (x[i] == x[i - 1] && axis->kind != DFL_TABLE_LINEAR)))
            return dfl_fail(ctx, DFL_INVALID, "table: %s must ascend (row %d: %.10g after %.10g)",
                            name, i + 1, x[i], x[i - 1]);
        if (i > 1 && x[i] == x[i - 2])
            return dfl_fail(ctx, DFL_INVALID,
                            "table: %s = %.10g is given three times (row %d); a jump has two rows",
                            name, x[i], i + 1);
    }
    if (axis->outside == DFL_OUTSIDE_REPEAT && x[axis->n - 1] == x[0])
        return dfl_fail(ctx, DFL_INVALID, "table: %s has no length that could be repeated", name);
    return DFL_OK;
}

dfl_status dfl_table_create(dfl_term *terms, int *count, dfl_graph *graph, const dfl_axis *axis,
                            const dfl_expr *y)
{
    frame f;
    *count = 0;
    dfl_status status = frame_create(&f, graph, axis);
    if (!status)
        status = check_repeat(graph->ctx, graph, axis, y, 1);
    if (!status)
        status = add_table(terms, count, &f, y, 1);
    frame_clear(&f);
    return status ? status : dfl_graph_status(graph);
}

/* One table along the longer axis for each point of the other one. */
dfl_status dfl_map_create(dfl_term *terms, int *count, dfl_graph *graph, const dfl_axis *x,
                          const dfl_axis *y, const dfl_expr *z)
{
    const bool by_x = x->n <= y->n;
    const dfl_axis *outer = by_x ? x : y, *inner = by_x ? y : x;
    const int step = by_x ? y->n : 1, stride = by_x ? 1 : y->n;
    frame f = {.graph = graph}, g = f;
    *count = 0;
    dfl_status status = frame_create(&f, graph, inner);
    if (!status)
        status = frame_create(&g, graph, outer);
    for (int i = 0; !status && i < inner->n; i++)
        status = check_repeat(graph->ctx, graph, outer, z + stride * i, step);
    for (int i = 0; !status && i < points(outer); i++) {
        int unit = -1, begun = *count;
        status = check_repeat(graph->ctx, graph, inner, z + step * i, stride);
        if (!status)
            status = keep_unit(&unit, &g, g.value, i);
        if (!status)
            status = add_table(terms, count, &f, z + step * i, stride);
        for (; begun < *count; begun++) {
            terms[begun].along_y = by_x ? terms[begun].along_x : unit;
            terms[begun].along_x = by_x ? unit : terms[begun].along_x;
        }
    }
    frame_clear(&g);
    frame_clear(&f);
    return status ? status : dfl_graph_status(graph);
}

dfl_expr dfl_axis_argument(dfl_graph *graph, const dfl_axis *axis, dfl_expr argument)
{
    if (axis->outside != DFL_OUTSIDE_REPEAT)
        return argument;
    const double first = axis->x[0];
    const dfl_expr period = dfl_constant(graph, axis->x[axis->n - 1] - first);
    const dfl_expr turns =
        dfl_div(graph, dfl_sub(graph, argument, dfl_constant(graph, first)), period);
    return dfl_sub(graph, argument, dfl_mul(graph, period, dfl_unary(graph, DFL_OP_FLOOR, turns)));
}

dfl_expr dfl_terms_expr(dfl_graph *graph, const dfl_term *terms, int count, dfl_expr x, dfl_expr y)
{
    dfl_expr sum = 0;
    for (int i = 0; i < count; i++) {
        dfl_expr term = dfl_spline_expr(graph, terms[i].along_x, 0, x);
        if (terms[i].along_y >= 0)
            term = dfl_mul(graph, term, dfl_spline_expr(graph, terms[i].along_y, 0, y));
        sum = dfl_add(graph, sum, dfl_mul(graph, terms[i].factor, term));
    }
    return sum;
}

dfl_status dfl_table_range(double range[2], dfl_context *ctx, const dfl_axis *axis, const double *y)
{
    dfl_spline pieces;
    const dfl_status status = dfl_pieces_create(&pieces, ctx, axis, y, NULL);
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (int i = 1; !status && i < pieces.n; i++)
        for (int k = 0; k <= SAMPLES; k++) {
            const double part = (double)k / SAMPLES;
            const double value = dfl_spline_value(
                &pieces, 0, pieces.x[i - 1] + part * (pieces.x[i] - pieces.x[i - 1]));
            range[0] = fmin(range[0], value);
            range[1] = fmax(range[1], value);
        }
    dfl_pieces_clear(&pieces, ctx);
    return status;
}

static dfl_status frame_create(frame *out, dfl_graph *graph, const dfl_axis *axis)
{
    *out = (frame){.graph = graph, .axis = axis};
    out->value = dfl_alloc(graph->ctx, (size_t)axis->n, sizeof *out->value);
    return out->value ? DFL_OK : DFL_NO_MEMORY;
}

static void frame_clear(frame *f)
{
    dfl_free(f->graph->ctx, f->slope);
    dfl_free(f->graph->ctx, f->value);
}

/* Values that repeat end as they begin: as the same number or the same expression. */
static dfl_status check_repeat(dfl_context *ctx, const dfl_graph *graph, const dfl_axis *axis,
                               const dfl_expr *y, int stride)
{
    const dfl_expr first = y[0], last = y[stride * (axis->n - 1)];
    if (axis->outside != DFL_OUTSIDE_REPEAT || first == last)
        return DFL_OK;
    if (!dfl_is_constant(graph, first) || !dfl_is_constant(graph, last))
        return dfl_fail(ctx, DFL_INVALID,
                        "table: what repeats must end as it begins; give the same expression for "
                        "the first and the last value");
    return dfl_fail(ctx, DFL_INVALID,
                    "table: what repeats must end as it begins; the first value is %.10g, the last "
                    "is %.10g",
                    dfl_constant_value(graph, first), dfl_constant_value(graph, last));
}

/* The terms of the function through y, in x alone: of numbers one, of expressions one for each
   ordinate and, where slopes depend on them nonlinearly, for each slope. */
static dfl_status add_table(dfl_term *terms, int *count, frame *f, const dfl_expr *y, int stride)
{
    dfl_graph *graph = f->graph;
    const size_t n = (size_t)f->axis->n;
    dfl_expr *d = NULL;
    bool numbers = true;
    for (size_t i = 0; i < n; i++)
        numbers = numbers && dfl_is_constant(graph, y[(size_t)stride * i]);
    if (f->axis->kind == DFL_TABLE_MONOTONE && !numbers) { /* no map: stride is 1 */
        d = dfl_alloc(graph->ctx, n, sizeof *d);
        f->slope = dfl_alloc(graph->ctx, n, sizeof *f->slope);
        if (!d || !f->slope) {
            dfl_free(graph->ctx, d);
            return DFL_NO_MEMORY;
        }
        dfl_monotone_slope_exprs(d, graph, f->axis, y);
    }
    dfl_status status = add_numbers(terms, count, f, y, d, stride);
    if (!status)
        status = add_units(terms, count, f, f->value, y, stride);
    if (!status && d)
        status = add_units(terms, count, f, f->slope, d, 1);
    dfl_free(graph->ctx, d);
    return status;
}

/* The function through the ordinates (and slopes) that are numbers, with 0 for the others. */
static dfl_status add_numbers(dfl_term *terms, int *count, frame *f, const dfl_expr *y,
                              const dfl_expr *d, int stride)
{
    const dfl_graph *graph = f->graph;
    const int n = f->axis->n;
    bool only = true, zero = true;
    for (int i = 0; i < n; i++) {
        const dfl_expr value = y[stride * i], slope = d ? d[i] : 0;
        only = only && dfl_is_constant(graph, value);
        f->value[i] = dfl_is_constant(graph, value) ? dfl_constant_value(graph, value) : 0;
        if (d)
            f->slope[i] = dfl_is_constant(graph, slope) ? dfl_constant_value(graph, slope) : 0;
        zero = zero && f->value[i] == 0 && (!d || f->slope[i] == 0);
    }
    dfl_status status = DFL_OK;
    if (only || !zero) {
        dfl_term *term = &terms[*count];
        *term = (dfl_term){.factor = dfl_constant(f->graph, 1), .along_y = -1};
        status = keep_pieces(&term->along_x, f, false);
        *count += !status;
    }
    memset(f->value, 0, (size_t)n * sizeof *f->value);
    if (d)
        memset(f->slope, 0, (size_t)n * sizeof *f->slope);
    return status;
}

/* For every factor that is an expression, the function with 1 at its place in `list`. */
static dfl_status add_units(dfl_term *terms, int *count, frame *f, double *list,
                            const dfl_expr *factors, int stride)
{
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < points(f->axis); i++) {
        if (dfl_is_constant(f->graph, factors[stride * i]))
            continue;
        dfl_term *term = &terms[*count];
        *term = (dfl_term){.factor = factors[stride * i], .along_y = -1};
        status = keep_unit(&term->along_x, f, list, i);
        *count += !status;
    }
    return status;
}

static dfl_status keep_unit(int *out, frame *f, double *list, int i)
{
    const bool repeats = f->axis->outside == DFL_OUTSIDE_REPEAT && i == 0;
    const int last = f->axis->n - 1;
    list[i] = 1;
    if (repeats)
        list[last] = 1;
    const dfl_status status = keep_pieces(out, f, true);
    list[i] = 0;
    if (repeats)
        list[last] = 0;
    return status;
}

/* The function through value (and slope) becomes a piecewise polynomial of the graph. */
static dfl_status keep_pieces(int *out, frame *f, bool trimmed)
{
    dfl_context *ctx = f->graph->ctx;
    dfl_spline pieces;
    dfl_status status = dfl_pieces_create(&pieces, ctx, f->axis, f->value, f->slope);
    if (!status && trimmed)
        dfl_pieces_trim(&pieces);
    if (!status)
        status = dfl_spline_keep(out, f->graph, &pieces);
    if (status)
        dfl_pieces_clear(&pieces, ctx);
    return status;
}

/* Those with values of their own: where a table repeats, the last one is the first one. */
static int points(const dfl_axis *axis)
{
    return axis->outside == DFL_OUTSIDE_REPEAT ? axis->n - 1 : axis->n;
}
