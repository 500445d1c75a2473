/* trends.c: extrema and means of columns over a run, from the continuous output of its steps.

   Means are integrals by Gauss-Legendre quadrature, exact for polynomials of degree 7, over pieces of a step
   that are halved until a piece and its halves agree; a jump of an output is thus closed in. Outputs that
   contain time or switches may change faster than the solver's steps: their pieces are short from the
   beginning. Extrema between the samples are found by parabolas through three of them, where these promise a
   value beyond those known. */
#include "study/study_internal.h"

#include <math.h>
#include <string.h>

enum { NODES = 4, SAMPLES = 2 * NODES + 2 }; /* of a piece: its ends, and nodes of both halves */
enum { DEEPEST = 30, SHORT = 1024 }; /* halvings; pieces of a run with outputs that may be fast */
/* On (0, 1): zeros of the Legendre polynomial of degree 4, and weights. */
static const double node[NODES] = {0.06943184420297371, 0.33000947820757187, 0.66999052179242813,
                                   0.93056815579702629};
static const double weight[NODES] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                                     0.17392742256872693};

static dfl_status choose(dfl_trends *out, const char *names);
static dfl_status look_for_fast(dfl_trends *out, const dfl_equations *eq);
static int find(const dfl_trends *trends, const char *name);
static void add_pieces(dfl_trends *trends, dfl_simulation *sim, double from, double to,
                       const double *x);
static void sample_piece(dfl_trends *trends, dfl_simulation *sim, double from, double to,
                         const double *x);
static bool is_settled(const dfl_trends *trends, const dfl_simulation *sim, double length);
static void prepare_cubic(dfl_trends *out);
static void add_piece(dfl_trends *trends, dfl_simulation *sim, double from, double to);
static void evaluate(double *value, dfl_trends *trends, dfl_simulation *sim, double t,
                     const double *x);
static bool evaluate_inside(double *value, dfl_trends *trends, dfl_simulation *sim, double t);
static void take(dfl_trend *trend, double value);
static void search(dfl_trends *trends, dfl_simulation *sim, int number, const double *t);
static void climb(dfl_trends *trends, dfl_simulation *sim, int number, const double *t,
                  const double *y);
static bool vertex(double *top, double *height, const double *t, const double *y);

dfl_status dfl_trends_create(dfl_trends *out, const dfl_equations *eq, const char *names)
{
    *out = (dfl_trends){.ctx = eq->model->ctx, .from = NAN, .to = NAN};
    prepare_cubic(out);
    dfl_status status = dfl_columns_create(&out->columns, eq);
    if (!status)
        status = choose(out, names);
    if (!status)
        status = look_for_fast(out, eq);
    if (status)
        return status;
    out->trend = dfl_alloc(out->ctx, (size_t)out->count, sizeof *out->trend);
    out->x = dfl_alloc(out->ctx, (size_t)out->columns.n, sizeof *out->x);
    out->outputs = dfl_alloc(out->ctx, (size_t)out->columns.m, sizeof *out->outputs);
    out->sample =
        dfl_alloc(out->ctx, (size_t)out->count * (SAMPLES + NODES + 1), sizeof *out->sample);
    return out->trend && out->x && out->outputs && out->sample ? DFL_OK : DFL_NO_MEMORY;
}

void dfl_trends_clear(dfl_trends *trends)
{
    dfl_columns_clear(&trends->columns, trends->ctx);
    dfl_free(trends->ctx, trends->column);
    dfl_free(trends->ctx, trends->trend);
    dfl_free(trends->ctx, trends->x);
    dfl_free(trends->ctx, trends->outputs);
    dfl_free(trends->ctx, trends->sample);
}

/* All outputs, or all positions, unless columns are named. */
static dfl_status choose(dfl_trends *out, const char *names)
{
    const dfl_columns *columns = &out->columns;
    const int all = columns->n + columns->m;
    dfl_name_list list = {0};
    dfl_status status = names ? dfl_name_list_split(&list, out->ctx, names) : DFL_OK;
    const size_t room = (size_t)(names ? list.count : all);
    out->column = status ? NULL : dfl_alloc(out->ctx, room, sizeof *out->column);
    if (!status && !out->column)
        status = DFL_NO_MEMORY;
    for (int i = 0; !status && i < list.count; i++) {
        const int found = find(out, list.name[i]);
        if (found < 0) {
            const char *near = dfl_nearest_word(list.name[i], columns->names, all);
            status = dfl_fail(out->ctx, DFL_INVALID, "there is no column '%s'%s%s%s", list.name[i],
                              near ? "; did you mean " : "; results have variables and outputs",
                              near ? near : "", near ? "?" : "");
        }
        out->column[out->count++] = found;
    }
    for (int i = 0; !status && !names && i < all; i++)
        if (columns->m > 0 ? i >= columns->n : !strcmp(columns->kinds[i], "position"))
            out->column[out->count++] = i;
    dfl_name_list_clear(&list, out->ctx);
    return status;
}

/* out->fast: an output contains time or something that switches, which the solver's steps need not follow. */
static dfl_status look_for_fast(dfl_trends *out, const dfl_equations *eq)
{
    const unsigned kinks = 1U << DFL_OP_ABS | 1U << DFL_OP_SIGN | 1U << DFL_OP_FLOOR |
                           1U << DFL_OP_NOEVENT | 1U << DFL_OP_SPLINE | 1U << DFL_OP_MIN |
                           1U << DFL_OP_MAX | 1U << DFL_OP_SELECT;
    for (int i = 0; !out->fast && i < out->count; i++) {
        const char *name = out->columns.names[out->column[i]];
        const dfl_declaration *output =
            out->column[i] < out->columns.n ? NULL : dfl_model_find(eq->model, name);
        dfl_part part;
        if (!output)
            continue;
        const dfl_status status = dfl_part_create(&part, eq->graph, &output->expr, 1);
        if (status)
            return status;
        out->fast = dfl_depends(eq->graph, output->expr, DFL_SYM_TIME);
        for (uint32_t k = 0; k < part.count; k++)
            out->fast = out->fast || (kinks >> part.node[k].op & 1U);
        dfl_part_clear(&part);
    }
    return DFL_OK;
}

static int find(const dfl_trends *trends, const char *name)
{
    for (int i = 0; i < trends->columns.n + trends->columns.m; i++)
        if (!strcmp(trends->columns.names[i], name))
            return i;
    return -1;
}

dfl_trend_values dfl_trends_values(const dfl_trends *trends, int number)
{
    const dfl_trend *trend = &trends->trend[number];
    const double length = trends->to - trends->from;
    const bool point = length == 0; /* a run that ends where it starts */
    return (dfl_trend_values){.min = trend->min,
                              .max = trend->max,
                              .mean = point ? trend->last : trend->integral / length,
                              .rms = point ? fabs(trend->last) : sqrt(trend->square / length),
                              .final = trend->last};
}

/* ------------------------------------------------------------------------------- following a run */

void dfl_study_trends_begin(dfl_simulation *sim, double t, const double *x)
{
    dfl_trends *trends = sim->trends;
    if (!trends)
        return;
    trends->from = trends->to = t;
    evaluate(trends->sample, trends, sim, t, x);
    for (int i = 0; i < trends->count; i++) {
        const double value = trends->sample[i];
        trends->trend[i] = (dfl_trend){.min = value, .max = value, .last = value};
    }
}

void dfl_study_trends_jump(dfl_simulation *sim, double t, const double *x)
{
    dfl_trends *trends = sim->trends;
    if (!trends)
        return;
    evaluate(trends->sample, trends, sim, t, x);
    for (int i = 0; i < trends->count; i++)
        take(&trends->trend[i], trends->sample[i]);
}

void dfl_study_trends_step(dfl_simulation *sim, double t_old, double t, const double *x)
{
    dfl_trends *trends = sim->trends;
    if (!trends || t == t_old)
        return;
    const double length = fabs(sim->settings->to - sim->settings->from);
    const double share = trends->fast && length > 0 ? SHORT * fabs(t - t_old) / length : 1;
    const int pieces = isfinite(share) ? (int)ceil(fmin(share, SHORT)) : 1;
    double from = t_old;
    for (int k = 1; k <= pieces; k++) {
        const double to = k < pieces ? t_old + (t - t_old) * k / pieces : t;
        add_pieces(trends, sim, from, to, k == pieces ? x : NULL);
        from = to;
    }
    trends->to = t;
}

/* A piece, or its halves one after another. x: the state at its end, NULL: inside the step. */
static void add_pieces(dfl_trends *trends, dfl_simulation *sim, double from, double to,
                       const double *x)
{
    double ends[DEEPEST + 1]; /* of pieces that wait */
    int waiting = 0;
    ends[waiting++] = to;
    while (waiting > 0) {
        const double end = ends[waiting - 1], middle = from + (end - from) / 2;
        sample_piece(trends, sim, from, end, end == to ? x : NULL);
        if (waiting <= DEEPEST && middle != from && middle != end &&
            !is_settled(trends, sim, end - from)) {
            ends[waiting++] = middle;
            continue;
        }
        add_piece(trends, sim, from, end);
        from = end;
        waiting--;
    }
}

/* trends->sample: at both ends and at the nodes of both halves of a piece, and behind them at those of the whole. */
static void sample_piece(dfl_trends *trends, dfl_simulation *sim, double from, double to,
                         const double *x)
{
    const size_t count = (size_t)trends->count;
    const double half = (to - from) / 2;
    double *at = trends->sample;
    for (size_t i = 0; i < count; i++)
        at[i] = trends->trend[i].last;
    for (int k = 0; k < 2 * NODES; k++)
        evaluate_inside(at += count, trends, sim,
                        from + half * (k / NODES) + half * node[k % NODES]);
    at += count;
    if (x)
        evaluate(at, trends, sim, to, x);
    else
        evaluate_inside(at, trends, sim, to);
    for (int k = 0; k < NODES; k++)
        evaluate_inside(at += count, trends, sim, from + (to - from) * node[k]);
}

/* The cubic through the values at the nodes of a piece, at its ends and the nodes of its halves (Lagrange). */
static void prepare_cubic(dfl_trends *out)
{
    for (int k = 0; k < SAMPLES; k++) {
        const double inside = ((k - 1) / NODES + node[(k + NODES - 1) % NODES]) / 2;
        const double u = k == 0 ? 0 : k == SAMPLES - 1 ? 1 : inside;
        for (int j = 0; j < NODES; j++) {
            double product = 1;
            for (int i = 0; i < NODES; i++)
                product *= i == j ? 1 : (u - node[i]) / (node[j] - node[i]);
            out->share[k][j] = product;
        }
    }
}

/* How far column i is from the cubic of its piece. */
static double misfit(const dfl_trends *trends, size_t i)
{
    const size_t count = (size_t)trends->count;
    const double *sample = trends->sample + i, *whole = sample + SAMPLES * count;
    double most = 0;
    for (size_t k = 0; k < SAMPLES; k++) {
        double cubic = 0;
        for (size_t j = 0; j < NODES; j++)
            cubic += trends->share[k][j] * whole[j * count];
        most = fmax(most, fabs(sample[k * count] - cubic));
    }
    return most;
}

/* Whether the integrals over a piece are those over its halves, to a part of the tolerance. At a jump they may
   agree by chance, but no cubic fits. */
static bool is_settled(const dfl_trends *trends, const dfl_simulation *sim, double length)
{
    const size_t count = (size_t)trends->count;
    const double part = fmax(1e-3 * sim->settings->solver.rtol, 1e-12);
    const double run = fabs(sim->settings->to - sim->settings->from);
    const double allowed = fmax(fabs(length), isfinite(run) ? 1e-3 * run : 0); /* of time */
    for (size_t i = 0; i < count; i++) {
        const double *halves = trends->sample + count + i;
        const double *whole = trends->sample + SAMPLES * count + i;
        const dfl_trend *trend = &trends->trend[i];
        double once = 0, twice = 0, size = fmax(fabs(trend->min), fabs(trend->max));
        for (size_t k = 0; k < NODES; k++) {
            once += weight[k] * whole[k * count];
            twice += weight[k] * (halves[k * count] + halves[(NODES + k) * count]) / 2;
            size = fmax(size, fabs(whole[k * count]));
        }
        const double bound = part * size * allowed, far = misfit(trends, i);
        if (fabs(once - twice) * fabs(length) > bound ||
            (far > sqrt(part) * size && far * fabs(length) > bound))
            return false;
    }
    return true;
}

static void add_piece(dfl_trends *trends, dfl_simulation *sim, double from, double to)
{
    const size_t count = (size_t)trends->count;
    const double half = (to - from) / 2;
    double times[SAMPLES] = {from, [SAMPLES - 1] = to};
    for (int k = 0; k < 2 * NODES; k++)
        times[k + 1] = from + half * (k / NODES) + half * node[k % NODES];
    for (int i = 0; i < trends->count; i++) {
        dfl_trend *trend = &trends->trend[i];
        for (size_t k = 1; k < SAMPLES; k++) {
            const double value = trends->sample[k * count + (size_t)i];
            if (k < SAMPLES - 1) {
                trend->integral += weight[(k - 1) % NODES] * half * value;
                trend->square += weight[(k - 1) % NODES] * half * value * value;
            }
            take(trend, value);
        }
    }
    for (int i = 0; i < trends->count; i++)
        search(trends, sim, i, times);
}

static void evaluate(double *value, dfl_trends *trends, dfl_simulation *sim, double t,
                     const double *x)
{
    const dfl_columns *columns = &trends->columns;
    if (columns->m > 0)
        dfl_runnable_outputs(trends->outputs, sim->run, t, x);
    for (int i = 0; i < trends->count; i++) {
        const int column = trends->column[i];
        value[i] =
            column < columns->n ? x[columns->place[column]] : trends->outputs[column - columns->n];
    }
}

/* NAN where there is no value. */
static bool evaluate_inside(double *value, dfl_trends *trends, dfl_simulation *sim, double t)
{
    if (dfl_solver_interpolate(trends->x, sim->solver, t, false)) {
        for (int i = 0; i < trends->count; i++)
            value[i] = NAN;
        return false;
    }
    evaluate(value, trends, sim, t, trends->x);
    return true;
}

/* A value that is not a number stays. */
static void take(dfl_trend *trend, double value)
{
    if (value < trend->min || isnan(value))
        trend->min = value;
    if (value > trend->max || isnan(value))
        trend->max = value;
    trend->last = value;
}

/* Extrema between the samples of a step. */
static void search(dfl_trends *trends, dfl_simulation *sim, int number, const double *t)
{
    const size_t count = (size_t)trends->count;
    const dfl_trend *trend = &trends->trend[number];
    for (size_t k = 0; k + 2 < SAMPLES; k++) {
        const double *at = trends->sample + k * count + (size_t)number;
        const double y[3] = {at[0], at[count], at[2 * count]};
        double top, height;
        const double noise = 1e-14 * (fabs(trend->max) + fabs(trend->min));
        if (vertex(&top, &height, t + k, y) &&
            (height > trend->max + noise || height < trend->min - noise))
            climb(trends, sim, number, t + k, y);
    }
}

/* Successive parabolas through the last three points; every value that is met counts. */
static void climb(dfl_trends *trends, dfl_simulation *sim, int number, const double *t,
                  const double *y)
{
    enum { MOST = 5 };
    dfl_trend *trend = &trends->trend[number];
    const double last = trend->last;
    double *value = trends->sample + (size_t)trends->count * (SAMPLES + NODES);
    double p[3] = {t[0], t[1], t[2]}, q[3] = {y[0], y[1], y[2]};
    for (int k = 0; k < MOST; k++) {
        double top, height;
        if (!vertex(&top, &height, p, q) || !evaluate_inside(value, trends, sim, top))
            break;
        take(trend, value[number]);
        const bool settled =
            fabs(value[number] - height) <= 1e-14 * fmax(fabs(height), trend->max - trend->min);
        const int away = (top - p[1]) * (p[2] - p[1]) > 0 ? 0 : 2; /* this end gives way */
        p[away] = p[1];
        q[away] = q[1];
        p[1] = top;
        q[1] = value[number];
        if (settled)
            break;
    }
    trend->last = last;
}

/* The extremum of the parabola y = y1 + s d + c d^2, d = t - t1, through three points; false: outside
   of them, or none. */
static bool vertex(double *top, double *height, const double *t, const double *y)
{
    const double before = (y[1] - y[0]) / (t[1] - t[0]), after = (y[1] - y[2]) / (t[1] - t[2]);
    const double c = (before - after) / (t[0] - t[2]), s = before + c * (t[1] - t[0]);
    const double d = -s / (2 * c);
    *top = t[1] + d;
    *height = y[1] + s * d / 2;
    return isfinite(d) && (*top - t[0]) * (*top - t[2]) < 0;
}
