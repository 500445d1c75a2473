/* The implicit trapezoidal rule: all rows at the end of the step, with

       x'_{k+1} = (2/h) (x_{k+1} - x_k) - x'_k,

   that is x_{k+1} = x_k + h/2 (x'_k + x'_{k+1}); for constant M the rule of A. Steinbrecher (2002),
   section 6. x'_k comes from the rows at x_k: p' = Z v, M v' = f_dyn, r' = b, which also hold for
   the rows that the selectors leave out. Forms that keep all rows of kinematics and dynamics,
   perhaps with multipliers in them, take x'_k from the last step. Selectors are constant in a step.
   User-defined ones are those of each end, as in (44) there (formulation/end_selectors.h). The rule
   is not L-stable: in forms of higher index, psi1 among them, multipliers that start with an error
   alternate about the right values. */
#include "integrate/second_order.h"

/* rate = -x' at an accepted point */
static void note_rate(dfl_second_order *rule, const dfl_point *point)
{
    dfl_one_stage_rates(rule->rate, &rule->one, point);
    for (int i = 0; i < rule->one.base.sys->n; i++)
        rule->rate[i] = -rule->rate[i];
}

static void start(dfl_stepper *st)
{
    dfl_second_order_start(st);
    dfl_formulation_mean_with(st->form, &st->here);
    note_rate((dfl_second_order *)st, &st->here);
}

static dfl_outcome iterate(double *square, dfl_stepper *st, double h)
{
    dfl_second_order *rule = (dfl_second_order *)st;
    return dfl_one_stage_iterate_at_end(square, &rule->one, h, rule->rate, st->here.x);
}

static void store(dfl_stepper *st, double h)
{
    dfl_second_order *rule = (dfl_second_order *)st;
    const dfl_one_stage *one = &rule->one;
    dfl_second_order_store(st, h);
    if (dfl_formulation_traits(st->form)->plain)
        for (int i = st->sys->at.r; i < st->sys->n; i++)
            rule->rate[i] = -rule->rate[i] - 2 / h * (one->x[i] - st->here.x[i]);
    else
        note_rate(rule, &st->next);
}

static const dfl_implicit_class implicit = {.at_end = true,
                                            .iterations = dfl_one_stage_iterations,
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

const dfl_stepper_class dfl_trapezoidal_class = {.size = sizeof(dfl_second_order),
                                                 .stages = dfl_one_stage_stages,
                                                 .two_points = true,
                                                 .init = dfl_second_order_init,
                                                 .bind = dfl_second_order_bind,
                                                 .clear = dfl_second_order_clear,
                                                 .start = start,
                                                 .attempt = dfl_implicit_attempt,
                                                 .candidate = dfl_one_stage_candidate,
                                                 .store = store,
                                                 .interpolate = dfl_one_stage_interpolate,
                                                 .implicit = &implicit,
                                                 .remembers = true};
