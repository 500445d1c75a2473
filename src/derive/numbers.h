/* numbers.h: values of expressions at one state, for reports and decisions, not for speed. */
#ifndef DFL_NUMBERS_H
#define DFL_NUMBERS_H

#include "derive/equations.h"

typedef struct dfl_numbers {
    double t;
    const double *x;                     /* n, in the order of the equations */
    const double *a;                     /* nv, or NULL: accelerations are NAN */
    const double *param, *input, *level; /* by index; level may be NULL: 0 */
    const double *discrete;              /* by index; NULL: those of the start */
    const double *branch;                /* of the switches; NULL: NAN */
} dfl_numbers;

/* The value of symbol number `symbol` of the graph. */
double dfl_numbers_symbol(const dfl_numbers *numbers, const dfl_equations *eq, uint32_t symbol);

/* The values of any expressions of the model. DFL_NO_MEMORY. */
dfl_status dfl_numbers_values(double *out, const dfl_numbers *numbers, const dfl_equations *eq,
                              const dfl_expr *exprs, int count);

/* Writes the values of the entries, and zeros elsewhere, into a dense, column-major matrix. */
dfl_status dfl_numbers_matrix(double *out, const dfl_numbers *numbers, const dfl_equations *eq,
                              const dfl_sparse *matrix);

/* States near the start: 0 is the given start, moved onto the constraints; the others are moved a
   little first. A state that cannot be evaluated or moved onto the constraints is not usable. */
enum { DFL_TRIALS = 3 };

typedef struct dfl_trials {
    dfl_equations *eq;
    double *param, *input;
    double *x[DFL_TRIALS];
    bool usable[DFL_TRIALS];
    struct dfl_tree_state *tree; /* of a model with a tree of bodies, or NULL */
} dfl_trials;

/* Creates state 0 as given; dfl_trials_spread makes the others and moves all onto the constraints.
 */
dfl_status dfl_trials_create(dfl_trials *out, dfl_equations *eq);
dfl_status dfl_trials_spread(dfl_trials *trials);
void dfl_trials_clear(dfl_trials *trials);
/* The time of the start that the script gives; 0 if it gives none. */
double dfl_start_time(const dfl_equations *eq);
dfl_numbers dfl_trials_numbers(const dfl_trials *trials, int trial);

#endif
