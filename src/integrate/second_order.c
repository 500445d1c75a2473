/* The trapezoidal and the midpoint rule make errors of h^3/12 x''' (the latter for linear
   equations; else of this size and order) in a step. The parabola through the last three points,
   continued to the end of the step, misses x by x[t_{k+1}, t_k, t_{k-1}, t_{k-2}] psi_1 psi_2 psi_3
   with psi_i = t_{k+1} - t_{k+1-i}, and x''' = 6 x[...]: so

       err = h^2 / (2 psi_2 psi_3) (x - x0),

   the third divided difference as in L. W. Nagel, SPICE2, 1975. The parabola predicts x as well and
   is the dense output. In the first step it is replaced by the straight line with the slope x'. */
#include "integrate/second_order.h"

#include <math.h>
#include <string.h>

enum { PARABOLA = 2, DIFFERENCES = 4 };

/* As for BDF: constraints are then satisfied to a small part of the tolerance. */
static const double newton_tolerance = 0.05;

dfl_status dfl_second_order_init(dfl_stepper *st)
{
    dfl_second_order *rule = (dfl_second_order *)st;
    dfl_status status = dfl_one_stage_init(st, DIFFERENCES);
    if (!status)
        status = dfl_point_init(&rule->end, st->sys);
    if (status)
        return status;
    rule->rate = dfl_alloc(st->sys->ctx, (size_t)st->sys->n, sizeof(double));
    return rule->rate ? DFL_OK : DFL_NO_MEMORY;
}

void dfl_second_order_bind(dfl_stepper *st)
{
    dfl_one_stage_bind(st);
    dfl_point_bind(&((dfl_second_order *)st)->end, st->sys);
}

void dfl_second_order_clear(dfl_stepper *st)
{
    dfl_second_order *rule = (dfl_second_order *)st;
    dfl_free(st->sys->ctx, rule->rate);
    dfl_point_clear(&rule->end, st->sys->ctx);
    dfl_one_stage_clear(st);
}

void dfl_second_order_start(dfl_stepper *st)
{
    dfl_scale_plain(st->scale, newton_tolerance);
    dfl_controller_init(st->control, st->options, 3);
    dfl_one_stage_start(st);
    st->order = st->degree = PARABOLA;
}

void dfl_second_order_predict(dfl_stepper *st, double h)
{
    dfl_one_stage *one = (dfl_one_stage *)st;
    one->zeta = 2 / h;
    dfl_one_stage_predict(one, h, st->stepped ? PARABOLA : 1);
}

/* In the first step |x - x0| = h^2/2 |x''| itself must be below the tolerance. */
dfl_outcome dfl_second_order_error(double *err, dfl_stepper *st, double h, bool refine)
{
    dfl_one_stage *one = (dfl_one_stage *)st;
    const double *psi = one->past.psi_next;
    const double constant = st->stepped ? h * h / (2 * psi[1] * psi[2]) : 1;
    (void)refine;
    *err = constant * dfl_scale_error(st->scale, dfl_one_stage_deviation(one));
    *err = fmax(*err, 1e-10);
    return DFL_STEP_OK;
}

double dfl_second_order_accepted(dfl_stepper *st, double h, double err, bool after_rejection)
{
    return dfl_controller_accepted(st->control, h, err, after_rejection);
}

double dfl_second_order_rejected(dfl_stepper *st, double h, double err)
{
    return st->stepped ? dfl_controller_rejected(st->control, h, err) : 0.1 * h;
}

void dfl_second_order_failed(dfl_stepper *st)
{
    (void)st;
}

/* After the first step the past is the parabola with the slope x' at the start, not the straight
   line: twice the deviation is its second difference. Unknowns without a known slope stay
   linear. */
void dfl_second_order_store(dfl_stepper *st, double h)
{
    dfl_one_stage *one = (dfl_one_stage *)st;
    const dfl_system *sys = st->sys;
    double *second = one->past.phi[PARABOLA];
    (void)h;
    dfl_history_add(&one->past, dfl_one_stage_deviation(one));
    st->order = st->degree = PARABOLA;
    if (st->stepped)
        return;
    for (int i = 0; i < sys->n; i++) {
        const bool known = i >= sys->at.r && (i < sys->at.sp || i >= sys->at.p);
        second[i] *= known ? 2 : 0;
    }
}
