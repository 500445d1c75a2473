/* Continuous output of the extrapolation, by bootstrapping (Enright, Jackson, Norsett and Thomsen
   1986): the cubic of both ends is of order 4; rates on it at one and two thirds of the step give a
   polynomial of degree 5 and order 5, rates on that one order 6; further passes make it the
   polynomial of collocation. With s in [0, 1],

       P = cubic + s^2 (1-s)^2 (A + B (s - 1/2)),
       A = 27/8 (e1 - e2),  B = 81/4 (e1 + e2),  e_i = h x'_i - cubic'(s_i),  s_i = 1/3, 2/3.

   What has no rates is the cubic through the ends and both thirds. */
#include "integrate/extrapolation.h"

#include <math.h>
#include <string.h>

enum { most_passes = 6 };

/* The largest value of s^2 (1-s)^2 (s - 1/2). */
static const double last_term = 0.009;

static bool improve(dfl_step_inside *in, const dfl_extrapolation *ex);

bool dfl_inside_init(dfl_step_inside *in, const dfl_system *sys)
{
    double **const vector[] = {&in->x_old,   &in->x_end,   &in->rate_old, &in->rate_end,
                               &in->A,       &in->B,       &in->x[0],     &in->x[1],
                               &in->rate[0], &in->rate[1], &in->before};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
        if (!(*vector[i] = dfl_alloc(sys->ctx, (size_t)sys->n, sizeof(double))))
            return false;
    return true;
}

void dfl_inside_clear(dfl_step_inside *in, dfl_context *ctx)
{
    double *const vector[] = {in->x_old, in->x_end, in->rate_old, in->rate_end, in->A,     in->B,
                              in->x[0],  in->x[1],  in->rate[0],  in->rate[1],  in->before};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
        dfl_free(ctx, vector[i]);
}

void dfl_inside_note(dfl_step_inside *in, const dfl_extrapolation *ex, double h)
{
    const dfl_stepper *st = &ex->base;
    const size_t size = (size_t)st->sys->n * sizeof(double);
    memcpy(in->x_old, st->here.x, size);
    memcpy(in->x_end, st->next.x, size);
    memset(in->A, 0, size);
    memset(in->B, 0, size);
    dfl_ode_write_rates(in->rate_old, st->sys, &st->here);
    dfl_ode_write_rates(in->rate_end, st->sys, &st->next);
    in->t = st->t;
    in->h = h;
    in->prepared = in->has_thirds = false;
}

/* Velocities along massless directions have none. */
static bool has_rate(const dfl_system *sys, int i)
{
    return (i >= sys->at.r && i < sys->at.v) ||
           (i >= sys->at.v && i < sys->at.sp && sys->eom->n0 == 0) || i >= sys->at.p;
}

static double polynomial(const dfl_step_inside *in, int i, double s)
{
    const double a = in->x_old[i], D = in->x_end[i] - a, da = in->h * in->rate_old[i],
                 db = in->h * in->rate_end[i], q = s * s * (1 - s) * (1 - s);
    return a + s * (D + (1 - s) * ((da - D) + s * (2 * D - da - db))) +
           q * (in->A[i] + in->B[i] * (s - 0.5));
}

/* The slope of the cubic. */
static double slope(const dfl_step_inside *in, int i, double s)
{
    const double D = in->x_end[i] - in->x_old[i], da = in->h * in->rate_old[i],
                 db = in->h * in->rate_end[i];
    return D + (1 - 2 * s) * (da - D) + s * (2 - 3 * s) * (2 * D - da - db);
}

/* The line of the ends where the thirds are not known. */
static double through_points(const dfl_step_inside *in, int i, double s)
{
    const double a = in->x_old[i], b = in->x_end[i];
    if (!in->has_thirds)
        return a + s * (b - a);
    const double u = 3 * s;
    return (a * (1 - u) * (2 - u) * (3 - u) + b * u * (u - 1) * (u - 2)) / 6 +
           (in->x[0][i] * u * (2 - u) * (3 - u) + in->x[1][i] * u * (u - 1) * (3 - u)) / 2;
}

/* New A and B from rates at both thirds. False if these cannot be evaluated. */
static bool improve(dfl_step_inside *in, const dfl_extrapolation *ex)
{
    dfl_extrapolation_work *w = ex->work;
    const dfl_system *sys = ex->base.sys;
    for (int k = 0; k < 2; k++) {
        const double s = (k + 1) / 3.0;
        for (int i = 0; i < sys->n; i++)
            w->stage.x[i] = has_rate(sys, i) ? polynomial(in, i, s) : through_points(in, i, s);
        w->stage.t = in->t + s * in->h;
        if (dfl_ode_finish(w->ode, &w->stage))
            return false;
        memcpy(in->x[k], w->stage.x, (size_t)sys->n * sizeof(double));
        dfl_ode_write_rates(in->rate[k], sys, &w->stage);
    }
    in->has_thirds = true;
    for (int i = sys->at.r; i < sys->n; i++) {
        if (!has_rate(sys, i))
            continue;
        const double e1 = in->h * in->rate[0][i] - slope(in, i, 1 / 3.0),
                     e2 = in->h * in->rate[1][i] - slope(in, i, 2 / 3.0);
        in->A[i] = 27.0 / 8 * (e1 - e2);
        in->B[i] = 81.0 / 4 * (e1 + e2);
    }
    return true;
}

/* st->err: what the last pass has changed in the middle, and `more` of the last term. */
static double change(const dfl_step_inside *in, const dfl_stepper *st, double more)
{
    memset(st->err, 0, (size_t)st->sys->n * sizeof(double));
    for (int i = st->sys->at.r; i < st->sys->n; i++)
        st->err[i] = fabs(in->A[i] - in->before[i]) / 16 + more * last_term * fabs(in->B[i]);
    return dfl_scale_error(st->scale, st->err);
}

/* Passes until they change nothing of weight. */
static void prepare(dfl_step_inside *in, const dfl_extrapolation *ex)
{
    const dfl_stepper *st = &ex->base;
    in->prepared = true;
    for (int pass = 0; pass < most_passes; pass++) {
        memcpy(in->before, in->A, (size_t)st->sys->n * sizeof(double));
        if (!improve(in, ex) || change(in, st, 0) <= 0.01)
            return;
    }
}

double dfl_inside_error(dfl_step_inside *in, dfl_extrapolation *ex)
{
    prepare(in, ex);
    return in->has_thirds ? change(in, &ex->base, 0.1) : INFINITY;
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
        prepare(in, ex);
    const double s = (t - in->t) / in->h;
    for (int i = 0; i < sys->n; i++)
        x[i] = has_rate(sys, i) ? polynomial(in, i, s) : through_points(in, i, s);
}
