/* equilibrium_internal.h: one step towards an equilibrium, shared by equilibrium.c and
   equilibrium_step.c. */
#ifndef DFL_EQUILIBRIUM_INTERNAL_H
#define DFL_EQUILIBRIUM_INTERNAL_H

#include "analysis/analysis_internal.h"

/* The balance at a state and the directions in which it may change. */
typedef struct dfl_balance_step {
    dfl_local local;
    const bool *moving; /* nv, or NULL */
    bool *calm;         /* nv: velocities that are not given and move cyclic positions only */
    int ncalm, nfree;   /* of them; directions N in which they may change */
    double *N;          /* nv x nfree */
    double *a;          /* nv: their accelerations, which keep the constraints */
    int k;              /* free directions: nv - rank W */
    int rows, columns;  /* nv+nr+nw equations; unknowns: directions, r, w, l, m */
    double *K;          /* nv x k: kernel of W */
    double *Q;          /* (ns+np) x k: changes of s, p along them */
    double *V;          /* nv x k: velocities that follow, in a steady motion */
    double *normal;     /* ns+np: back onto the constraints */
    double *J;          /* rows x columns */
    double *step;       /* max(rows, columns) */
    double *weight, *A; /* workspaces: n; the largest matrix */
    int *pivot;
} dfl_balance_step;

dfl_status dfl_balance_step_create(dfl_balance_step *out, dfl_context *ctx, const dfl_eom *eom,
                                   const bool *moving);
void dfl_balance_step_clear(dfl_balance_step *step);

/* Sets the velocities of x, moves its positions back onto the constraints, and fits l, m to the
   forces by least squares, `rounds` times. */
dfl_status dfl_balance_settle(double *x, dfl_balance_step *step, double t, int rounds);

/* Replaces (l, m) of x by the shortest ones with the same W^T (l, m), and evaluates there. */
dfl_status dfl_balance_shortest(double *x, dfl_balance_step *step, double t);

/* The change of x for one step of Newton's iteration, or with alpha > 0 of implicit Euler steps of
   1/alpha for motion without inertia; at the state of the last dfl_balance_settle. */
dfl_status dfl_balance_solve(double *change, dfl_balance_step *step, double alpha);

/* The forces (nv) that remain after the last step, with alpha = 0, by its linear equations; at the
   same state. */
dfl_status dfl_balance_remains(double *left, dfl_balance_step *step);

/* steady_velocities.c: velocities of a steady motion. Room for them; which are calm, at x, where
   they begin with zero or, with `keep`, as they are. */
dfl_status dfl_steady_create(dfl_balance_step *step);
void dfl_steady_clear(dfl_balance_step *step);
dfl_status dfl_steady_begin(double *x, dfl_balance_step *step, double t, bool keep);
/* Given ones stay, calm ones keep what they have, all others are 0 or follow from gI = hv = 0. */
dfl_status dfl_steady_velocities(double *x, dfl_balance_step *step);
/* V (nv x count) = -W_f^+ sides (nc x count), W_f being the columns of velocities that may follow;
   `sides` may be V. */
dfl_status dfl_steady_follow(double *V, dfl_balance_step *step, const double *sides, int count);
/* At the evaluated state: accelerations, whose forces are subtracted from local.f; N; their part of
   J. */
dfl_status dfl_steady_forces(dfl_balance_step *step);
dfl_status dfl_steady_directions(dfl_balance_step *step);
dfl_status dfl_steady_slopes(dfl_balance_step *step);

/* What is balanced least: forces, rates of r, residuals of d and of positions, compared with the
   sizes of their terms. */
typedef struct dfl_unbalanced {
    double size; /* as a part of the terms */
    dfl_kind kind;
    int index;
    double value; /* the residual itself */
} dfl_unbalanced;
dfl_unbalanced dfl_balance_size(const dfl_balance_step *step);

/* forces (nv): the largest so far along each velocity, without those of constraints. Then the part
   of these forces, or of what slopes give, that is out of balance in f (nv): large forces elsewhere
   do not excuse a small one. */
void dfl_balance_note(double *forces, const dfl_balance_step *step);
dfl_unbalanced dfl_balance_own(const dfl_balance_step *step, const double *forces, const double *f);

/* The same for a model with sparse matrices, at rest (sparse_equilibrium.c). */
dfl_status dfl_sparse_equilibrium(double *x, dfl_equilibrium *report, dfl_context *ctx,
                                  const dfl_eom *eom, double t, int most);

#endif
