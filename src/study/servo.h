/* servo.h: inputs that make outputs follow motions on which they do not act directly. */
#ifndef DFL_SERVO_H
#define DFL_SERVO_H

#include "study/servo_array.h"

#include <driftless/analysis.h>

/* A model on its way along its motions. */
typedef struct dfl_servo {
    dfl_servo_array array;
    double t;
    double *X;    /* as in the array: X is the state x, X + array.first_u the inputs */
    int internal; /* states that the motions leave open */
    int spare;    /* directions of the inputs that they leave open: the shortest inputs are taken */
    double rtol;  /* allowed errors of them, in parts of |y| + 0.01 */
    double step;  /* the next one to try */
    double *kept, *trial, *stage; /* n, n, 7 ny */
    int first; /* which values inputs begin with: 0 their own, others beside them */
} dfl_servo;

/* Starts at (t, x), which is near a state that follows the motions: differentiates them until the
   inputs are determined, or as far as they can be. The caller clears *out also after a failure.
   DFL_INCONSISTENT: the inputs do not follow, or are not determined. DFL_SINGULAR: the motion that
   is left open is unstable; the message has its eigenvalues. DFL_INVALID: the model has parts for
   which this is not possible. */
dfl_status dfl_servo_start(dfl_servo *out, dfl_runnable *run, const int *inputs, int nu,
                           double rtol, double t, const double *x);
void dfl_servo_clear(dfl_servo *servo);

/* A motion that is left open grows: its modes (inverse_checks.c). */
dfl_status dfl_inverse_refuse_growing(dfl_context *ctx, const dfl_modes *modes);

/* Goes to the time `t`. DFL_INCONSISTENT: the motion cannot be followed. */
dfl_status dfl_servo_advance(dfl_servo *servo, double t);

/* servo_solve.c: moves X so that all rows of the array hold, with the least change of the state;
   DFL_INCONSISTENT. */
dfl_status dfl_servo_solve(dfl_servo *servo, double t, double *X);
/* How many directions of the inputs the array leaves open where it was evaluated last. */
dfl_status dfl_servo_open_inputs(int *count, dfl_servo *servo);
/* Where the array was evaluated last: whether it determines accelerations and inputs; how many
   states are left open, and their linear equations s' = A s (room for ny x ny; may be NULL). */
dfl_status dfl_servo_analyse(bool *determined, int *internal, dfl_servo *servo, double *A);

#endif
