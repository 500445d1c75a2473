/* initial.h: consistent initial values, and states moved onto all constraints. */
#ifndef DFL_INITIAL_H
#define DFL_INITIAL_H

#include "eom/system.h"
#include "linalg/linalg.h"

typedef struct dfl_initial {
    dfl_system sys; /* with the acceleration level whenever the model has it */
    dfl_rows_jacobian jac;
    dfl_point point;
    dfl_lstsq *lstsq;
    double *J, *F, *y, *step, *x, *x0, *L; /* workspace of the largest stage */
    double *condition;
    int nconditions;             /* room for them */
    double rank_tolerance, atol; /* residuals above ten times atol are inconsistent */
    dfl_statistics counters;     /* not those of the integration */
} dfl_initial;

dfl_status dfl_initial_init(dfl_initial *init, dfl_context *ctx, const dfl_eom *eom,
                            const dfl_solver_options *options);
void dfl_initial_clear(dfl_initial *init);

/* Makes x (nu, the user's unknowns) consistent at time t as `conditions` says (NULL: least change).
   DFL_INCONSISTENT, DFL_CALLBACK, DFL_NOT_FINITE, DFL_NO_MEMORY. x is unchanged on failure. */
dfl_status dfl_initial_complete(double *x, dfl_initial *init, double t,
                                const dfl_conditions *conditions);

/* Moves x onto all constraints with the least change; after dfl_initial_complete. */
dfl_status dfl_initial_project(double *x, dfl_initial *init, double t);

/* Accelerations and slacks of the last completed state, for systems that carry them. */
const double *dfl_initial_accelerations(const dfl_initial *init);

#endif
