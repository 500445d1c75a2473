/* Continuous output of the extrapolation: for what has rates, the polynomial of degree 5 through value
   and slope at both ends and in the middle of the step; for the rest a parabola. */
#include "integrate/extrapolation.h"

#include <string.h>

/* The largest value of 16 s^2 (1-s)^2 (s - 1/2). */
static const double last_term = 0.143;

bool dfl_inside_init(dfl_step_inside *in, const dfl_system *sys)
{
    double **const vector[] = {&in->x_old,    &in->x_mid,    &in->x_end,
                               &in->rate_old, &in->rate_mid, &in->rate_end};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
        if (!(*vector[i] = dfl_alloc(sys->ctx, (size_t)sys->n, sizeof(double))))
            return false;
    return true;
}

void dfl_inside_clear(dfl_step_inside *in, dfl_context *ctx)
{
    double *const vector[] = {in->x_old,    in->x_mid,    in->x_end,
                              in->rate_old, in->rate_mid, in->rate_end};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
        dfl_free(ctx, vector[i]);
}

void dfl_inside_note(dfl_step_inside *in, const dfl_extrapolation *ex, double h)
{
    const dfl_stepper *st = &ex->base;
    const dfl_neville *middle = &ex->work->middle;
    const dfl_system *sys = st->sys;
    const size_t size = (size_t)sys->n * sizeof(double);
    memcpy(in->x_old, st->here.x, size);
    memcpy(in->x_end, st->next.x, size);
    memcpy(in->x_mid, st->next.x, size);
    in->has_middle = middle->rows > 0;
    if (in->has_middle)
        memcpy(in->x_mid + sys->at.r, middle->T[0] + sys->at.r,
               (size_t)(sys->n - sys->at.r) * sizeof(double));
    dfl_ode_write_rates(in->rate_old, sys, &st->here);
    dfl_ode_write_rates(in->rate_end, sys, &st->next);
    in->t = st->t;
    in->h = h;
    in->prepared = false;
}

/* The middle of a step, moved onto the constraints, and its rates. */
static void prepare_middle(dfl_step_inside *in, const dfl_extrapolation *ex)
{
    dfl_extrapolation_work *w = ex->work;
    const dfl_system *sys = ex->base.sys;
    in->prepared = true;
    if (!in->has_middle)
        return;
    memcpy(w->stage.x, in->x_mid, (size_t)sys->n * sizeof(double));
    w->stage.t = in->t + 0.5 * in->h;
    in->has_middle = !dfl_ode_finish(w->ode, &w->stage);
    memcpy(in->x_mid, w->stage.x, (size_t)sys->n * sizeof(double));
    dfl_ode_write_rates(in->rate_mid, sys, &w->stage);
}

/* Velocities along massless directions have none. */
static bool has_rate(const dfl_system *sys, int i)
{
    return (i >= sys->at.r && i < sys->at.v) ||
           (i >= sys->at.v && i < sys->at.sp && sys->eom->n0 == 0) || i >= sys->at.p;
}

/* Of the cubic of both ends. */
static double middle_slope(const dfl_step_inside *in, int i)
{
    return 1.5 * (in->x_end[i] - in->x_old[i]) - 0.25 * in->h * (in->rate_old[i] + in->rate_end[i]);
}

double dfl_inside_error(dfl_step_inside *in, dfl_extrapolation *ex)
{
    dfl_stepper *st = &ex->base;
    const dfl_system *sys = st->sys;
    prepare_middle(in, ex);
    memset(st->err, 0, (size_t)sys->n * sizeof(double));
    for (int i = sys->at.r; in->has_middle && i < sys->n; i++)
        if (has_rate(sys, i))
            st->err[i] = last_term * (in->h * in->rate_mid[i] - middle_slope(in, i));
    return dfl_scale_error(st->scale, st->err);
}

/* The cubic of both ends, plus what the middle adds: value and slope there. */
static double hermite(const dfl_step_inside *in, int i, double s)
{
    const double h = in->h, a = in->x_old[i], b = in->x_end[i], da = h * in->rate_old[i],
                 db = h * in->rate_end[i], D = b - a;
    const double cubic = a + s * (D + (1 - s) * ((da - D) + s * (2 * D - da - db)));
    if (!in->has_middle)
        return cubic;
    const double q = s * s * (1 - s) * (1 - s); /* 1/16 in the middle, with slope 0 */
    const double middle = 0.5 * (a + b) + 0.125 * (da - db);
    return cubic +
           16 * q *
               (in->x_mid[i] - middle + (s - 0.5) * (h * in->rate_mid[i] - middle_slope(in, i)));
}

void dfl_inside_interpolate(double *x, const dfl_stepper *st, double t)
{
    const dfl_extrapolation *ex = (const dfl_extrapolation *)st;
    const dfl_system *sys = st->sys;
    dfl_step_inside *in = &ex->work->last;
    if (t == st->t) {
        memcpy(x, st->here.x, (size_t)sys->n * sizeof *x);
        return;
    }
    if (!in->prepared)
        prepare_middle(in, ex);
    const double s = (t - in->t) / in->h;
    for (int i = 0; i < sys->n; i++) {
        const double D = in->x_end[i] - in->x_old[i];
        if (has_rate(sys, i))
            x[i] = hermite(in, i, s);
        else /* a parabola, or a line */
            x[i] = in->x_old[i] + s * D +
                   (in->has_middle
                        ? 4 * s * (1 - s) * (in->x_mid[i] - 0.5 * (in->x_old[i] + in->x_end[i]))
                        : 0);
    }
}
