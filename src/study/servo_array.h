/* servo_array.h: the equations of motion with their derivatives by time, for motions that no input
   acts on directly. */
#ifndef DFL_SERVO_ARRAY_H
#define DFL_SERVO_ARRAY_H

#include "engine/engine.h"

enum { DFL_SERVO_MOST = 2 }; /* derivatives of the equations of motion; of motions two more */

/* Unknowns X = [ x | a | u | z' | z'' ], x as in the equations (w, l, m, then the state y = r, v,
   p) and z = (w, l, m, a, u). Rows: constraints and motions with all derivatives up to number 2 +
   level, velocity constraints up to 1 + level, the balance of forces and the auxiliary equations up
   to `level`. */
typedef struct dfl_servo_array {
    dfl_runnable *run;
    int level;
    int rows, n;          /* n unknowns */
    int ny, first_y;      /* the state within X */
    int first_a, first_u; /* accelerations and inputs within X */
    int nu;
    double *value; /* rows */
    double *J;     /* rows x n */
    double *rate;  /* ny: y' */
    double *slope; /* ny x n: its derivatives */
    /* how these are evaluated */
    dfl_sparse jacobian, slopes;
    double *entry;
    dfl_tape *tape;
    double *work;
} dfl_servo_array;

/* Derives it for the inputs with these numbers of declarations. The caller clears *out also after a
   failure. DFL_INVALID: the model has parts for which this is not possible. */
dfl_status dfl_servo_array_create(dfl_servo_array *out, dfl_runnable *run, int level,
                                  const int *inputs, int nu);
void dfl_servo_array_clear(dfl_servo_array *array);

/* Evaluates everything at (t, X). */
void dfl_servo_array_eval(dfl_servo_array *array, double t, const double *X);

#endif
