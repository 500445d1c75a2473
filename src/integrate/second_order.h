/* second_order.h: what the trapezoidal and the midpoint rule have in common: prediction and error
   estimate by the parabola through the last three points, control, dense output. */
#ifndef DFL_SECOND_ORDER_H
#define DFL_SECOND_ORDER_H

#include "integrate/one_stage.h"

extern const dfl_stepper_class dfl_trapezoidal_class, dfl_midpoint_class;

typedef struct dfl_second_order {
    dfl_one_stage one;
    dfl_point end; /* midpoint rule: the end of the step */
    double *rate;  /* trapezoidal rule, n: minus x' at the start of the step */
} dfl_second_order;

/* Operations; the two rules supply the others. */
dfl_status dfl_second_order_init(dfl_stepper *st);
void dfl_second_order_bind(dfl_stepper *st);
void dfl_second_order_clear(dfl_stepper *st);
void dfl_second_order_start(dfl_stepper *st);
void dfl_second_order_predict(dfl_stepper *st, double h);
dfl_outcome dfl_second_order_error(double *err, dfl_stepper *st, double h, bool refine);
double dfl_second_order_accepted(dfl_stepper *st, double h, double err, bool after_rejection);
double dfl_second_order_rejected(dfl_stepper *st, double h, double err);
void dfl_second_order_failed(dfl_stepper *st);
void dfl_second_order_store(dfl_stepper *st, double h);

#endif
