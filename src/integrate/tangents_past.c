/* tangents_past.c: derivatives of steps that depend on several earlier ones.

   The end x of a step of BDF satisfies 0 = alg(x), 0 = S (dif(x) - diag(I,M,I) x') with x' = x0' +
   zeta (x - x0), the prediction x0 and its slope x0' being sums of the past (bdf.c). The
   derivatives satisfy the same equations, linearized at x, with a past of their own on the same
   grid: a linear step of one stage, of the size 1/zeta, that begins with y0 - y0'/zeta. */
#include "integrate/tangents.h"
#include "integrate/one_stage.h"

#include <math.h>
#include <string.h>

static dfl_outcome predict(dfl_tangents *tan, dfl_stepper *st, double h);
static dfl_outcome begin(dfl_tangents *tan, dfl_stepper *st);
static void deviate(dfl_tangents *tan);

dfl_status dfl_tangents_past_init(dfl_tangents *tan)
{
    dfl_context *ctx = tan->sys->ctx;
    const size_t size = (size_t)tan->sys->n * (size_t)tan->count;
    tan->past.y0 = dfl_alloc(ctx, size, sizeof(double));
    tan->past.yp0 = dfl_alloc(ctx, size, sizeof(double));
    tan->past.e = dfl_alloc(ctx, size, sizeof(double));
    const dfl_status status =
        dfl_history_init(&tan->past.differences, ctx, (int)size, DFL_DIFFERENCES);
    return status || (tan->past.y0 && tan->past.yp0 && tan->past.e) ? status : DFL_NO_MEMORY;
}

void dfl_tangents_past_clear(dfl_tangents *tan)
{
    dfl_context *ctx = tan->sys->ctx;
    dfl_free(ctx, tan->past.y0);
    dfl_free(ctx, tan->past.yp0);
    dfl_free(ctx, tan->past.e);
    dfl_history_clear(&tan->past.differences, ctx);
}

/* The end of the step; with masses in the rows of the dynamics, v' is the formula's. */
static dfl_outcome linearize_end(dfl_tangents *tan, dfl_stepper *st)
{
    const dfl_one_stage *one = (const dfl_one_stage *)st;
    const dfl_system *sys = tan->sys;
    memcpy(tan->stage[0].x, one->x, (size_t)sys->n * sizeof *one->x);
    tan->stage[0].t = tan->step.t + tan->step.h;
    for (int i = 0, j = sys->at.v; i < sys->n3; i++, j++)
        tan->err[i] = one->xp0[j] + one->zeta * (one->x[j] - one->x0[j]);
    dfl_formulation_selection(tan->linear.selection, st->form);
    dfl_formulation_select(tan->linear.twin, tan->linear.selection);
    const dfl_outcome outcome =
        dfl_tangents_linearize_stage(tan, 0, tan->linear.momenta ? tan->err : NULL);
    return outcome ? outcome
                   : dfl_linear_step_build(&tan->linear, tan->step.rk, 1 / one->zeta, tan->stage,
                                           tan->jac, false);
}

dfl_outcome dfl_tangents_past_attempt(dfl_tangents *tan, dfl_stepper *st, double h)
{
    const double zeta = ((const dfl_one_stage *)st)->zeta;
    double *from = tan->past.e; /* until it is known */
    dfl_outcome outcome = predict(tan, st, h);
    tan->step.rk = dfl_coefficients_of(1);
    tan->step.t = st->t;
    tan->step.h = h;
    if (!outcome)
        outcome = linearize_end(tan, st);
    for (size_t i = 0; i < (size_t)tan->sys->n * (size_t)tan->count; i++)
        from[i] = tan->past.y0[i] - tan->past.yp0[i] / zeta;
    if (!outcome)
        dfl_tangents_follow(tan, from);
    deviate(tan);
    return outcome;
}

dfl_outcome dfl_tangents_begin_past(dfl_tangents *tan, dfl_stepper *st, dfl_stepper *starter,
                                    double h)
{
    double err;
    dfl_outcome outcome = predict(tan, st, h);
    if (!outcome)
        outcome = dfl_tangents_attempt(&err, tan, starter, h);
    deviate(tan);
    return outcome;
}

/* y0 and y0' on the grid of the state's past. */
static dfl_outcome predict(dfl_tangents *tan, dfl_stepper *st, double h)
{
    const dfl_one_stage *one = (const dfl_one_stage *)st;
    const dfl_outcome outcome = one->past.points == 1 ? begin(tan, st) : DFL_STEP_OK;
    if (outcome)
        return outcome;
    dfl_history_prepare(&tan->past.differences, h, one->past.k);
    dfl_history_predict(tan->past.y0, tan->past.yp0, &tan->past.differences);
    return DFL_STEP_OK;
}

/* A straight past, as that of the state. */
static dfl_outcome begin(dfl_tangents *tan, dfl_stepper *st)
{
    const dfl_system *sys = tan->sys;
    const size_t n = (size_t)sys->n;
    dfl_point *y = &tan->tangent[0];
    const dfl_outcome outcome = dfl_tangents_linearize_start(tan, st);
    for (size_t j = 0; !outcome && j < (size_t)tan->count; j++) {
        memcpy(y->x, tan->Y + j * n, n * sizeof *y->x);
        dfl_rows_tangent(y, &tan->start_jac, sys, &tan->start_slopes, (int)j);
        dfl_stepper_rates(tan->past.yp0 + j * n, st, y);
    }
    if (!outcome)
        dfl_history_start(&tan->past.differences, (int)n * tan->count, tan->Y, tan->past.yp0);
    return outcome;
}

/* How far the end of the step is from its prediction. */
static void deviate(dfl_tangents *tan)
{
    const size_t size = (size_t)tan->sys->n * (size_t)tan->count;
    for (size_t i = 0; i < size; i++)
        tan->past.e[i] = tan->next[i] - tan->past.y0[i];
    tan->past.added = false;
}

double dfl_tangents_left_out(dfl_tangents *tan, const dfl_stepper *st, int degree)
{
    double *sum = tan->past.yp0, most = 0; /* it has served */
    if (tan->uncontrolled)
        return 0;
    dfl_history_left_out(sum, &tan->past.differences, tan->past.e, degree);
    for (int j = 0; j < tan->count; j++)
        most =
            fmax(most, dfl_tangents_error_size(tan, st, j, sum + (size_t)j * (size_t)tan->sys->n));
    return most;
}

void dfl_tangents_past_accept(dfl_tangents *tan, const dfl_stepper *st, double t)
{
    if (!tan->past.added)
        dfl_history_add(&tan->past.differences, tan->past.e);
    tan->past.added = true;
    if (t != st->t)
        dfl_history_interpolate(tan->Y, &tan->past.differences, t - st->t, st->degree);
}
