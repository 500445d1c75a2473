/* Life, prediction and Newton's increment of a method with one implicit stage. */
#include "integrate/one_stage.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 4 }; /* of lanes for one stage */

int dfl_one_stage_stages(const dfl_solver_options *options)
{
    (void)options;
    return 1;
}

dfl_status dfl_one_stage_init(dfl_stepper *st, int differences)
{
    dfl_one_stage *one = (dfl_one_stage *)st;
    const dfl_system *sys = st->sys;
    dfl_context *ctx = sys->ctx;
    const size_t n = (size_t)sys->n, rows = (size_t)dfl_formulation_room(st->form),
                 d = sizeof(double);
    dfl_status status = dfl_implicit_init(st);
    if (!status)
        status = dfl_point_init(&one->stage, sys);
    if (!status)
        status = dfl_history_init(&one->past, ctx, sys->n, differences);
    if (status)
        return status;
    one->x = dfl_alloc(ctx, n, d);
    one->x0 = dfl_alloc(ctx, n, d);
    one->xp0 = dfl_alloc(ctx, n, d);
    one->dx = dfl_alloc(ctx, n * WIDTH, d);
    one->xp = dfl_alloc(ctx, n * WIDTH, d);
    one->yp = dfl_alloc(ctx, n * WIDTH, d);
    one->rows = dfl_alloc(ctx, rows * WIDTH, d);
    return one->x && one->x0 && one->xp0 && one->dx && one->xp && one->yp && one->rows
               ? DFL_OK
               : DFL_NO_MEMORY;
}

void dfl_one_stage_clear(dfl_stepper *st)
{
    dfl_one_stage *one = (dfl_one_stage *)st;
    dfl_context *ctx = st->sys->ctx;
    double *const block[] = {one->x, one->x0, one->xp0, one->dx, one->xp, one->yp, one->rows};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(ctx, block[i]);
    dfl_history_clear(&one->past, ctx);
    dfl_point_clear(&one->stage, ctx);
    dfl_implicit_clear(st);
}

void dfl_one_stage_bind(dfl_stepper *st)
{
    dfl_point_bind(&((dfl_one_stage *)st)->stage, st->sys);
}

void dfl_one_stage_start(dfl_stepper *st)
{
    dfl_one_stage *one = (dfl_one_stage *)st;
    dfl_one_stage_rates(one->xp0, one, &st->here);
    dfl_history_start(&one->past, st->sys->n, st->here.x, one->xp0);
    dfl_implicit_start(st);
}

void dfl_one_stage_rates(double *xp, dfl_one_stage *one, const dfl_point *point)
{
    dfl_stepper *st = &one->base;
    double *a = xp + st->sys->at.v;
    dfl_stepper_rates(xp, st, point);
    if (!st->stepped && st->sys->carried && dfl_formulation_solve_accelerations(a, st->form, point))
        return;
    if (!dfl_formulation_accelerations(a, st->form, point))
        memset(a, 0, (size_t)st->sys->n3 * sizeof *a);
}

void dfl_one_stage_predict(dfl_one_stage *one, double h, int k)
{
    const size_t bytes = (size_t)one->past.n * sizeof(double);
    dfl_history_prepare(&one->past, h, k);
    dfl_history_predict(one->x0, one->xp0, &one->past);
    if (one->base.options->newton.prediction == DFL_CONSTANT)
        memcpy(one->x, one->base.here.x, bytes);
    else
        memcpy(one->x, one->x0, bytes);
}

int dfl_one_stage_iterations(const dfl_stepper *st)
{
    return st->options->newton.iterations;
}

void dfl_one_stage_settle(dfl_stepper *st, double h)
{
    (void)h;
    dfl_one_stage *one = (dfl_one_stage *)st;
    const int n1 = st->sys->n1;
    if (!dfl_formulation_has_undetermined(st->form))
        return;
    for (int i = 0; i < n1; i++)
        one->dx[i * WIDTH] = one->x[i];
    dfl_formulation_minimum_norm(one->dx, st->form);
    for (int i = 0; i < n1; i++)
        one->x[i] = one->dx[i * WIDTH];
}

/* The end of the step; v' is the slope of the prediction, changed as v has changed since. */
double dfl_one_stage_reference(dfl_stepper *st, double h, bool predicted)
{
    const dfl_one_stage *one = (const dfl_one_stage *)st;
    const dfl_system *sys = st->sys;
    dfl_newton *newton = st->newton;
    memcpy(newton->x_ref, predicted ? one->x0 : one->x, (size_t)sys->n * sizeof *one->x);
    if (sys->carried)
        memcpy(newton->a_ref, newton->x_ref, (size_t)sys->n3 * sizeof *one->x);
    else
        for (int i = 0, j = sys->at.v; i < sys->n3; i++, j++)
            newton->a_ref[i] = one->xp0[j] + one->zeta * (newton->x_ref[j] - one->x0[j]);
    return st->t + h;
}

dfl_outcome dfl_one_stage_factor(dfl_stepper *st, double h)
{
    dfl_outcome outcome = dfl_formulation_factor(st->form, 0, &((dfl_one_stage *)st)->zeta);
    st->newton->h_factored = outcome ? 0 : h;
    return outcome;
}

dfl_outcome dfl_one_stage_iterate_at_end(double *square, dfl_one_stage *one, double h,
                                         const double *slope, const double *from)
{
    static const double once[WIDTH] = {1};
    dfl_stepper *st = &one->base;
    const dfl_system *sys = st->sys;
    one->stage.t = st->t + h;
    memcpy(one->stage.x, one->x, (size_t)sys->n * sizeof(double));
    dfl_outcome outcome = dfl_system_eval(st->sys, &one->stage);
    if (outcome)
        return outcome;
    for (int i = sys->at.r; i < sys->n; i++)
        one->xp[i * WIDTH] = slope[i] + one->zeta * (one->x[i] - from[i]);
    outcome = dfl_formulation_residual(one->rows, st->form, &one->stage, 1, once, one->xp, one->xp);
    return outcome ? outcome : dfl_one_stage_increment(square, one);
}

dfl_outcome dfl_one_stage_increment(double *square, dfl_one_stage *one)
{
    dfl_stepper *st = &one->base;
    dfl_formulation_solve(one->dx, st->form, one->rows);
    *square = dfl_scale_newton(st->scale, one->dx, 1);
    if (!isfinite(*square))
        return dfl_implicit_nonfinite(st, &one->stage, 1);
    for (int i = 0; i < st->sys->n; i++)
        one->x[i] += one->dx[i * WIDTH];
    return DFL_STEP_OK;
}

void dfl_one_stage_retract(dfl_stepper *st)
{
    dfl_one_stage *one = (dfl_one_stage *)st;
    for (int i = 0; i < st->sys->n; i++)
        one->x[i] -= one->dx[i * WIDTH];
}

void dfl_one_stage_candidate(dfl_stepper *st, double h)
{
    (void)h;
    memcpy(st->next.x, ((dfl_one_stage *)st)->x, (size_t)st->sys->n * sizeof(double));
}

void dfl_one_stage_interpolate(double *x, const dfl_stepper *st, double t)
{
    dfl_history_interpolate(x, &((const dfl_one_stage *)st)->past, t - st->t, st->degree);
}

const double *dfl_one_stage_deviation(dfl_one_stage *one)
{
    double *e = one->base.err;
    for (int i = 0; i < one->past.n; i++)
        e[i] = one->x[i] - one->x0[i];
    return e;
}
