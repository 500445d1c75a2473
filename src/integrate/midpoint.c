/* The implicit midpoint rule. The differential rows hold in the middle of the step, x_m = (x_k +
   x_{k+1})/2, the algebraic rows at its end, so that every constraint is satisfied at the end of
   every step:

       0 = alg(x_{k+1}),    0 = S ( dif(x_m) - M(x_m) (x_{k+1} - x_k)/h ).

   In psf the multipliers are functions of p and v at the end of the step; in the middle they are
   the mean, which is accurate to h^2 as well. In forms without gII, or with v' in it, they occur in
   the middle alone: a step determines only that mean, which is taken as their value at the end,
   accurate to h. With x_{k+1} = 2 x_m - x_k every error of the first multipliers would alternate
   forever. */
#include "integrate/second_order.h"

enum { WIDTH = 4 };

static dfl_outcome evaluate(dfl_second_order *rule, double h)
{
    dfl_one_stage *one = &rule->one;
    dfl_stepper *st = &one->base;
    one->stage.t = st->t + h / 2;
    rule->end.t = st->t + h;
    for (int i = 0; i < st->sys->n; i++) {
        one->stage.x[i] = 0.5 * (st->here.x[i] + one->x[i]);
        rule->end.x[i] = one->x[i];
    }
    dfl_outcome outcome = dfl_system_eval(st->sys, &one->stage);
    return outcome ? outcome : dfl_system_eval(st->sys, &rule->end);
}

/* Twice the differential rows: then both kinds of rows have the matrix of the shift 2/h. */
static dfl_outcome iterate(double *square, dfl_stepper *st, double h)
{
    dfl_second_order *rule = (dfl_second_order *)st;
    dfl_one_stage *one = &rule->one;
    dfl_outcome outcome = evaluate(rule, h);
    if (outcome)
        return outcome;
    for (int i = st->sys->at.r; i < st->sys->n; i++) {
        one->xp[i * WIDTH] = (one->x[i] - st->here.x[i]) / h;
        one->yp[i * WIDTH] = 2 * one->xp[i * WIDTH];
    }
    outcome = dfl_formulation_mixed_residual(one->rows, st->form, &one->stage, &rule->end, 2,
                                             one->yp, one->xp);
    return outcome ? outcome : dfl_one_stage_increment(square, one);
}

static void candidate(dfl_stepper *st, double h)
{
    dfl_one_stage *one = (dfl_one_stage *)st;
    const dfl_system *sys = st->sys;
    const dfl_acceleration a = dfl_formulation_traits(st->form)->acceleration;
    const bool middle = a != DFL_ACC_PROJECTED && a != DFL_ACC_UNKNOWN;
    for (int i = sys->at.l; middle && i < sys->at.l + sys->nc; i++)
        one->x[i] = 0.5 * (st->here.x[i] + one->x[i]);
    dfl_one_stage_candidate(st, h);
}

static const dfl_implicit_class implicit = {.iterations = dfl_one_stage_iterations,
                                            .predict = dfl_second_order_predict,
                                            .settle = dfl_one_stage_settle,
                                            .reference = dfl_one_stage_reference,
                                            .factor = dfl_one_stage_factor,
                                            .iterate = iterate,
                                            .retract = dfl_one_stage_retract,
                                            .error = dfl_second_order_error,
                                            .accepted = dfl_second_order_accepted,
                                            .rejected = dfl_second_order_rejected,
                                            .failed = dfl_second_order_failed};

static int nodes(double *node, const dfl_stepper *st)
{
    (void)st;
    *node = 0.5;
    return 1;
}

const dfl_stepper_class dfl_midpoint_class = {.size = sizeof(dfl_second_order),
                                              .stages = dfl_one_stage_stages,
                                              .two_points = true,
                                              .init = dfl_second_order_init,
                                              .bind = dfl_second_order_bind,
                                              .clear = dfl_second_order_clear,
                                              .start = dfl_second_order_start,
                                              .attempt = dfl_implicit_attempt,
                                              .candidate = candidate,
                                              .store = dfl_second_order_store,
                                              .interpolate = dfl_one_stage_interpolate,
                                              .nodes = nodes,
                                              .implicit = &implicit,
                                              .remembers = true};
