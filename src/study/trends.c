/* trends.c: extrema and means of columns over a run, from the continuous output of its steps.

   Means are integrals by Gauss-Legendre quadrature, exact for polynomials of degree 7, over pieces
   of a step that are halved until the cubic through the nodes of a piece meets its ends, too; a
   jump of an output is thus closed in. Where rounding is all that keeps a piece from its cubic,
   halves would not help. Outputs that contain time or switches may change faster than the solver's
   steps: their pieces are short from the beginning. Extrema between the samples are found by
   parabolas through three of them, where these promise a value beyond those known. */
#include "study/study_internal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NODES = 4, SAMPLES = NODES + 2 }; /* of a piece: its ends, and the nodes between them */
enum { DEEPEST = 30, SHORT = 1024 }; /* halvings; pieces of a run with outputs that may be fast */
enum { MOST_HALVINGS = 1 << 20, PATIENCE = 256 }; /* of a run; between two looks at the clock */
enum { NOISY = 32 };                              /* noise is looked for in pieces of this part */
/* On (0, 1): zeros of the Legendre polynomial of degree 4, and weights. */
static const double node[NODES] = {0.06943184420297371, 0.33000947820757187, 0.66999052179242813,
                                   0.93056815579702629};
static const double weight[NODES] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                                     0.17392742256872693};
/* Of the cubic through the values at the nodes, at the beginning of the piece: the shares of these
   values (Lagrange); at its end the same from behind. */
static const double outward[NODES] = {1.5267881254572668, -0.8136324494869273, 0.4007615203116504,
                                      -0.1139171962819899};

static dfl_status choose(dfl_trends *out, const char *names);
static dfl_status look_for_fast(dfl_trends *out, const dfl_equations *eq);
static int find(const dfl_trends *trends, const char *name);
static void add_pieces(dfl_trends *trends, dfl_simulation *sim, double from, double to,
                       const double *x);
static void sample_piece(dfl_trends *trends, dfl_simulation *sim, double from, double to,
                         const double *x);
static bool may_halve(dfl_trends *trends, const dfl_simulation *sim, double t);
static bool is_settled(dfl_trends *trends, dfl_simulation *sim, double from, double to, bool noisy);
static const double *noise_at(dfl_trends *trends, dfl_simulation *sim, double t);
static void expect_noise(dfl_trends *trends, dfl_simulation *sim, double t);
static void add_piece(dfl_trends *trends, dfl_simulation *sim, double from, double to);
static void evaluate(double *value, dfl_trends *trends, dfl_simulation *sim, double t,
                     const double *x);
static bool evaluate_inside(double *value, dfl_trends *trends, dfl_simulation *sim, double t);
static void take(dfl_trend *trend, double t, double value);
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
    if (!status)
        status = look_for_fast(out, eq);
    if (status)
        return status;
    out->trend = dfl_alloc(out->ctx, (size_t)out->count, sizeof *out->trend);
    out->n = eq->n;
    out->x = dfl_alloc(out->ctx, (size_t)out->n, sizeof *out->x);
    out->outputs = dfl_alloc(out->ctx, (size_t)out->columns.m, sizeof *out->outputs);
    out->sample = dfl_alloc(out->ctx, (size_t)out->count * (SAMPLES + 3), sizeof *out->sample);
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

/* out->fast: an output contains time or something that switches, which the solver's steps need not
   follow. */
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

static bool is_smooth(const dfl_trends *trends, const dfl_trend *trend)
{
    const double size = fmax(fabs(trend->min), fabs(trend->max));
    return !(trend->doubt > 1e-3 * size * fabs(trends->to - trends->from));
}

void dfl_trends_doubt(char *text, size_t size, const dfl_trends *trends)
{
    text[0] = 0;
    for (int i = 0; i < trends->count && !text[0]; i++) {
        const dfl_trend *trend = &trends->trend[i];
        const char *name = trends->columns.names[trends->column[i]];
        if (!isnan(trend->lost))
            snprintf(text, size,
                     "%s has no finite value at t = %.6g: statistics of it are not known", name,
                     trend->lost);
        else if (!is_smooth(trends, trend))
            snprintf(text, size, "%s changes too fast: its mean and root mean square are not known",
                     name);
    }
}

dfl_trend_values dfl_trends_values(const dfl_trends *trends, int number)
{
    const dfl_trend *trend = &trends->trend[number];
    const double length = trends->to - trends->from;
    const bool point = length == 0; /* a run that ends where it starts */
    const bool known = is_smooth(trends, trend);
    return (dfl_trend_values){.min = trend->min,
                              .max = trend->max,
                              .mean = !known  ? NAN
                                      : point ? trend->last
                                              : trend->integral / length,
                              .rms = !known  ? NAN
                                     : point ? fabs(trend->last)
                                             : sqrt(trend->square / length),
                              .final = trend->last};
}

/* ------------------------------------------------------------------------------- following a run
 */

void dfl_study_trends_begin(dfl_simulation *sim, double t, const double *x)
{
    dfl_trends *trends = sim->trends;
    if (!trends)
        return;
    trends->from = trends->to = t;
    evaluate(trends->sample, trends, sim, t, x);
    for (int i = 0; i < trends->count; i++) {
        const double value = trends->sample[i];
        trends->trend[i] = (dfl_trend){.min = value,
                                       .max = value,
                                       .last = value,
                                       .noise = DBL_MIN,
                                       .lost = isfinite(value) ? NAN : t};
    }
}

void dfl_study_trends_jump(dfl_simulation *sim, double t, const double *x)
{
    dfl_trends *trends = sim->trends;
    if (!trends)
        return;
    evaluate(trends->sample, trends, sim, t, x);
    for (int i = 0; i < trends->count; i++)
        take(&trends->trend[i], t, trends->sample[i]);
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
    expect_noise(trends, sim, t_old + (t - t_old) * node[1]);
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
            !is_settled(trends, sim, from, end, NOISY * fabs(end - from) <= fabs(to - from)) &&
            may_halve(trends, sim, from)) {
            ends[waiting++] = middle;
            continue;
        }
        add_piece(trends, sim, from, end);
        from = end;
        waiting--;
    }
}

/* Not without end, and not where the user has had enough. */
static bool may_halve(dfl_trends *trends, const dfl_simulation *sim, double t)
{
    if (++trends->halvings % PATIENCE == 0 && sim->watch &&
        sim->watch(t, dfl_solver_step(sim->solver), sim->user))
        trends->halvings = MOST_HALVINGS;
    return trends->halvings < MOST_HALVINGS;
}

/* trends->sample: at both ends and at the nodes of a piece. */
static void sample_piece(dfl_trends *trends, dfl_simulation *sim, double from, double to,
                         const double *x)
{
    const size_t count = (size_t)trends->count;
    double *at = trends->sample;
    for (size_t i = 0; i < count; i++)
        at[i] = trends->trend[i].last;
    for (int k = 0; k < NODES; k++)
        evaluate_inside(at += count, trends, sim, from + (to - from) * node[k]);
    at += count;
    if (x)
        evaluate(at, trends, sim, to, x);
    else
        evaluate_inside(at, trends, sim, to);
}

/* How far column i is from its cubic at the ends of the piece; *size: of its values. */
static double misfit(double *size, const dfl_trends *trends, size_t i)
{
    const size_t count = (size_t)trends->count;
    const double *sample = trends->sample + i, *inner = sample + count;
    double first = sample[0], last = sample[(SAMPLES - 1) * count];
    *size = fmax(fabs(trends->trend[i].min), fabs(trends->trend[i].max));
    for (size_t k = 0; k < NODES; k++) {
        first -= outward[k] * inner[k * count];
        last -= outward[NODES - 1 - k] * inner[k * count];
        *size = fmax(*size, fabs(inner[k * count]));
    }
    return fmax(fabs(first), fabs(last));
}

/* Whether a piece is short enough. For y = exp(i w t), with z = w h for its length h, the misfit at
   its ends is 6e-4 z^4, the error of the integral 5.6e-10 z^8 h (Davis, Rabinowitz 1984,
   section 2.7), that of the square's 256 times as much, 0.4 misfit^2 h. Where the misfit is large,
   there may be a jump, and where there are switches any misfit may be that of a kink: the error is
   misfit h. */
static bool is_settled(dfl_trends *trends, dfl_simulation *sim, double from, double to, bool noisy)
{
    const double part = fmax(0.1 * sim->settings->solver.rtol, 1e-12), length = fabs(to - from);
    const double run = fabs(sim->settings->to - sim->settings->from);
    const double jump = trends->fast ? 0.1 * sqrt(part) : 1e-3;
    const double allowed = part * fmax(length, isfinite(run) ? 1e-3 * run : 0);
    for (size_t i = 0; i < (size_t)trends->count; i++) {
        double size;
        const double far = misfit(&size, trends, i), m = far / size;
        if (far <= trends->trend[i].noise || (m > jump ? m : 0.4 * m * m) * length <= allowed)
            continue;
        if (!noisy || far > noise_at(trends, sim, from + (to - from) * node[1])[i])
            return false;
        trends->trend[i].noisy = trends->noisy = true;
    }
    return true;
}

/* What rounding may do to values: how much they change with the last digits of the state and of
   time. */
static const double *noise_at(dfl_trends *trends, dfl_simulation *sim, double t)
{
    enum { TRIALS = 4 };
    static const double margin = 16, digit = 4 * DBL_EPSILON;
    const size_t count = (size_t)trends->count;
    double *plain = trends->sample + count * SAMPLES, *value = plain + count,
           *noise = value + count;
    const bool known = evaluate_inside(plain, trends, sim, t);
    for (size_t i = 0; i < count; i++)
        noise[i] = DBL_MIN;
    for (int k = 0; known && k < TRIALS; k++) {
        for (int j = 0; j < trends->n; j++)
            trends->x[j] *= 1 + digit * dfl_generic(k, j);
        evaluate(value, trends, sim, t * (1 + digit * dfl_generic(k, trends->n)), trends->x);
        for (size_t i = 0; i < count; i++)
            noise[i] = fmax(noise[i], margin * fabs(value[i] - plain[i]));
    }
    return noise;
}

/* Columns that were noisy before are so from the beginning of a step. Their noise is looked at
   anew, away from places where pieces were halved: next to a jump it would be as large as the jump.
 */
static void expect_noise(dfl_trends *trends, dfl_simulation *sim, double t)
{
    const double *noise = trends->noisy ? noise_at(trends, sim, t) : NULL;
    for (int i = 0; i < trends->count && noise; i++)
        trends->trend[i].noise = trends->trend[i].noisy ? noise[i] : DBL_MIN;
}

static void add_piece(dfl_trends *trends, dfl_simulation *sim, double from, double to)
{
    const size_t count = (size_t)trends->count;
    const bool unsettled = trends->halvings >= MOST_HALVINGS;
    double times[SAMPLES] = {from, [SAMPLES - 1] = to};
    for (int k = 0; k < NODES; k++)
        times[k + 1] = from + (to - from) * node[k];
    for (size_t i = 0; i < count; i++) {
        dfl_trend *trend = &trends->trend[i];
        double size;
        trend->doubt += unsettled ? misfit(&size, trends, i) * fabs(to - from) : 0;
        for (size_t k = 1; k < SAMPLES; k++) {
            const double value = trends->sample[k * count + i];
            if (k < SAMPLES - 1) {
                trend->integral += weight[k - 1] * (to - from) * value;
                trend->square += weight[k - 1] * (to - from) * value * value;
            }
            take(trend, times[k], value);
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
static void take(dfl_trend *trend, double t, double value)
{
    if (!isfinite(value) && isnan(trend->lost))
        trend->lost = t;
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
        take(trend, top, value[number]);
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

/* The extremum of the parabola y = y1 + s d + c d^2, d = t - t1, through three points; false:
   outside of them, or none. */
static bool vertex(double *top, double *height, const double *t, const double *y)
{
    const double before = (y[1] - y[0]) / (t[1] - t[0]), after = (y[1] - y[2]) / (t[1] - t[2]);
    const double c = (before - after) / (t[0] - t[2]), s = before + c * (t[1] - t[0]);
    const double d = -s / (2 * c);
    *top = t[1] + d;
    *height = y[1] + s * d / 2;
    return isfinite(d) && (*top - t[0]) * (*top - t[2]) < 0;
}
