/* The implicit trapezoidal rule. With diag(I,M,I) x' = dif and the algebraic rows at the new point,

       0 = alg(x_{k+1}),
       0 = S ( dif(x_{k+1}) + dif(x_k) - (M(x_{k+1}) + M(x_k)) (x_{k+1} - x_k)/h ),

   for constant M the rule of A. Steinbrecher (2002), section 6. Not L-stable: in forms of higher index,
   psi1 among them, multipliers that start with an error alternate about the right ones. */
#include "integrate/second_order.h"

#include <string.h>

static dfl_outcome iterate(double *size, dfl_stepper *st, double h)
{
    dfl_second_order *rule = (dfl_second_order *)st;
    dfl_one_stage *one = &rule->one;
    one->stage.t = st->t + h;
    memcpy(one->stage.x, one->x, (size_t)st->sys->n * sizeof(double));
    dfl_outcome outcome = dfl_system_eval(st->sys, &one->stage);
    if (outcome)
        return outcome;
    dfl_point points[] = {one->stage, st->here};
    points[1].alg = rule->rows; /* zero: the constraints of the old point are not asked again */
    dfl_second_order_slopes(one, h, 2);
    return dfl_one_stage_increment(size, one, points, 2, 1);
}

static const dfl_implicit_class implicit = {.iterations = dfl_one_stage_iterations,
                                            .predict = dfl_second_order_predict,
                                            .settle = dfl_one_stage_settle,
                                            .reference = dfl_one_stage_reference,
                                            .factor = dfl_one_stage_factor,
                                            .iterate = iterate,
                                            .update = dfl_one_stage_update,
                                            .error = dfl_second_order_error,
                                            .accepted = dfl_second_order_accepted,
                                            .rejected = dfl_second_order_rejected,
                                            .failed = dfl_second_order_failed};

const dfl_stepper_class dfl_trapezoidal_class = {.size = sizeof(dfl_second_order),
                                                 .stages = dfl_one_stage_stages,
                                                 .init = dfl_second_order_init,
                                                 .bind = dfl_second_order_bind,
                                                 .clear = dfl_second_order_clear,
                                                 .start = dfl_second_order_start,
                                                 .attempt = dfl_implicit_attempt,
                                                 .candidate = dfl_one_stage_candidate,
                                                 .store = dfl_second_order_store,
                                                 .interpolate = dfl_one_stage_interpolate,
                                                 .implicit = &implicit,
                                                 .remembers = true};
