/* sparse_local.h: all rows of a large model (dfl_eom.sparsity) and their derivatives at one state,
   as one sparse pencil. */
#ifndef DFL_SPARSE_LOCAL_H
#define DFL_SPARSE_LOCAL_H

#include "analysis/analysis_internal.h"

/* E x' = A x for small changes of all unknowns, as in descriptor.c, but for rows of constraints
   that depend on others: their multipliers do not change instead. Both have the entries of
   `pattern`. */
typedef struct dfl_sparse_local {
    dfl_context *ctx;
    const dfl_eom *eom;
    dfl_layout at;
    int nc; /* nl + nm */
    double t;
    const double *x; /* n: the state of the last evaluation */
    double *a;       /* nv: accelerations there */
    double *f;       /* nv: f - W^T (l, m) */
    dfl_system sys;
    dfl_point point;
    dfl_packed_jacobian jac;
    dfl_csc W, M;
    dfl_saddle_ldl *saddle; /* [M W^T; W 0] */
    bool *left_out;         /* nc */
    dfl_csc pattern;
    int *place; /* of each entry in the order of the blocks */
    double *A, *E;
    dfl_statistics counters;
} dfl_sparse_local;

/* Room for a model; the caller clears it also after a failure. DFL_INVALID: its contract. */
dfl_status dfl_sparse_local_create(dfl_sparse_local *out, dfl_context *ctx, const dfl_eom *eom);
void dfl_sparse_local_clear(dfl_sparse_local *local);

/* Evaluates everything at (t, x), which must stay where it is; _still: with accelerations 0. */
dfl_status dfl_sparse_local_eval(dfl_sparse_local *local, double t, const double *x);
dfl_status dfl_sparse_local_eval_still(dfl_sparse_local *local, double t, const double *x);

/* The size of the terms of each row of the balance of forces, by derivatives and by constraint
   forces. */
double dfl_sparse_local_force_size(const dfl_sparse_local *local);

/* A high frequency of the model: from its largest stiffness and mass. */
double dfl_sparse_local_frequency(const dfl_sparse_local *local);

#endif
