/* one_stage.h: what methods with one implicit stage have in common (BDF, trapezoidal and midpoint
   rules): the end x of the step as the only unknown, a past that predicts it, and one real shift
   zeta: x' = zeta x + known. */
#ifndef DFL_ONE_STAGE_H
#define DFL_ONE_STAGE_H

#include "integrate/history.h"
#include "integrate/implicit.h"

typedef struct dfl_one_stage {
    dfl_stepper base;
    dfl_history past;
    dfl_point stage;   /* where the rows are evaluated */
    double zeta;       /* shift of Newton's matrix */
    double *x;         /* n: the present iterate */
    double *x0, *xp0;  /* n: the prediction and its slope */
    double *dx, *rows; /* lanes, of which the first is in use: Newton's increment, residuals */
    double *xp, *yp;   /* lanes of x', and of x' with its weight */
} dfl_one_stage;

/* Life; `differences` of the past are kept. */
int dfl_one_stage_stages(const dfl_solver_options *options);
dfl_status dfl_one_stage_init(dfl_stepper *st, int differences);
void dfl_one_stage_bind(dfl_stepper *st);
void dfl_one_stage_clear(dfl_stepper *st);

/* A past that is straight, with the slope x' of `here`. */
void dfl_one_stage_start(dfl_stepper *st);

/* The iterate is predicted by the past's polynomial of degree k. */
void dfl_one_stage_predict(dfl_one_stage *one, double h, int k);

/* Operations of dfl_implicit_class and dfl_stepper_class. */
int dfl_one_stage_iterations(const dfl_stepper *st);
void dfl_one_stage_settle(dfl_stepper *st, double h);
double dfl_one_stage_reference(dfl_stepper *st, double h, bool predicted);
dfl_outcome dfl_one_stage_factor(dfl_stepper *st, double h);
void dfl_one_stage_retract(dfl_stepper *st);
void dfl_one_stage_candidate(dfl_stepper *st, double h);
void dfl_one_stage_interpolate(double *x, const dfl_stepper *st, double t);

/* x' (n) at an evaluated point, v' from M v' = f_dyn. */
void dfl_one_stage_rates(double *xp, dfl_one_stage *one, const dfl_point *point);

/* One iteration with all rows at the end of the step, x' = slope + zeta (x - from). */
dfl_outcome dfl_one_stage_iterate_at_end(double *square, dfl_one_stage *one, double h,
                                         const double *slope, const double *from);

/* Solves for the increment and adds it if it is finite. *square: the square of its size. */
dfl_outcome dfl_one_stage_increment(double *square, dfl_one_stage *one);

/* st->err = x - x0: how far the step ended from its prediction. */
const double *dfl_one_stage_deviation(dfl_one_stage *one);

#endif
