/* trends.c: extrema and means of columns over a run, from the continuous output of its steps.

   Means are integrals by Gauss-Legendre quadrature in each step, exact for polynomials of degree 7.
   Extrema between the samples are found by parabolas through three of them, where these promise a
   value beyond those known. */
#include "study/study_internal.h"

#include <math.h>
#include <string.h>

enum { NODES = 4, SAMPLES = NODES + 2 };
/* On (0, 1): zeros of the Legendre polynomial of degree 4, and weights. */
static const double node[NODES] = {0.06943184420297371, 0.33000947820757187, 0.66999052179242813,
                                   0.93056815579702629};
static const double weight[NODES] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                                     0.17392742256872693};

static dfl_status choose(dfl_trends *out, const char *names);
static int find(const dfl_trends *trends, const char *name);
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
    dfl_status status = dfl_columns_create(&out->columns, eq);
    if (!status)
        status = choose(out, names);
    if (status)
        return status;
    out->trend = dfl_alloc(out->ctx, (size_t)out->count, sizeof *out->trend);
    out->x = dfl_alloc(out->ctx, (size_t)out->columns.n, sizeof *out->x);
    out->outputs = dfl_alloc(out->ctx, (size_t)out->columns.m, sizeof *out->outputs);
    out->sample = dfl_alloc(out->ctx, (size_t)out->count * (SAMPLES + 1), sizeof *out->sample);
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
    const size_t count = (size_t)trends->count;
    double times[SAMPLES] = {t_old, [SAMPLES - 1] = t};
    for (size_t i = 0; i < count; i++)
        trends->sample[i] = trends->trend[i].last;
    for (int k = 0; k < NODES; k++) {
        double *inside = trends->sample + (size_t)(k + 1) * count;
        times[k + 1] = t_old + node[k] * (t - t_old);
        if (!evaluate_inside(inside, trends, sim, times[k + 1]))
            for (size_t i = 0; i < count; i++)
                inside[i] = NAN;
        for (size_t i = 0; i < count; i++) {
            trends->trend[i].integral += weight[k] * (t - t_old) * inside[i];
            trends->trend[i].square += weight[k] * (t - t_old) * inside[i] * inside[i];
        }
    }
    evaluate(trends->sample + (SAMPLES - 1) * count, trends, sim, t, x);
    for (int i = 0; i < trends->count; i++) {
        for (size_t k = 1; k < SAMPLES; k++)
            take(&trends->trend[i], trends->sample[k * count + (size_t)i]);
        search(trends, sim, i, times);
    }
    trends->to = t;
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

static bool evaluate_inside(double *value, dfl_trends *trends, dfl_simulation *sim, double t)
{
    if (dfl_solver_interpolate(trends->x, sim->solver, t, false))
        return false;
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
    double *value = trends->sample + (size_t)trends->count * SAMPLES;
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
