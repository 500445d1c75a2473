/* massless_directions.h: directions without mass, between massless_directions.c, mass_rank.c,
   null_directions.c, held.c and quasistatic.c.

   M = L^T D L is eliminated in a fixed order; a pivot that vanishes at the start and near it
   belongs to a direction without mass. Numbers decide once which ones vanish; the columns of K0 are
   then expressions. */
#ifndef DFL_MASSLESS_DIRECTIONS_H
#define DFL_MASSLESS_DIRECTIONS_H

#include "derive/tree_state.h"

/* The order of elimination: `order` has the `rank` velocities with regular pivots; the others are
   `free`, each without mass once `after` pivots are eliminated. */
typedef struct dfl_elimination {
    int nv, rank, nfree;
    int *order;             /* nv */
    int *free, *after;      /* nv */
    unsigned char *support; /* nv: pivots that occur in a massless direction */
    int negligible;         /* the velocity with the smallest ratio below 1e-6, or -1 */
    double ratio;           /* ... and that ratio (mass_pivots.h) */
} dfl_elimination;

/* mass_rank.c: the decision, at all usable trials. `regular` asks only whether M is clearly regular
   at trial 0. */
dfl_status dfl_elimination_create(dfl_elimination *out, const dfl_trials *trials);
dfl_status dfl_elimination_regular(bool *out, const dfl_trials *trials);
/* held_masses.c: whether the constraints hold all directions without mass at trial 0. */
dfl_status dfl_masses_are_held(bool *out, const dfl_trials *trials);
void dfl_elimination_clear(dfl_elimination *elimination, dfl_context *ctx);

/* null_directions.c: K0 (nv x nfree) with entry 1 at free[k] in column k. */
dfl_status dfl_null_directions(dfl_sparse *K0, const dfl_equations *eq,
                               const dfl_elimination *elimination);

/* Rows and columns of B = W K0 by complete pivoting. */
typedef struct dfl_pivots {
    int count;
    int *row, *column;
} dfl_pivots;

/* held.c: the pivots of the trial with the highest rank, the first one if several have it; K0 and
   B (rows of W x columns) at a trial. K0 NULL: the directions of trials->tree. */
dfl_status dfl_choose_pivots(dfl_pivots *out, const dfl_trials *trials, const dfl_sparse *K0);
dfl_status dfl_held_directions(double *K, const dfl_trials *trials, int trial,
                               const dfl_sparse *K0);
dfl_status dfl_held_products(double *B, const dfl_trials *trials, int trial, const dfl_sparse *K0);

/* tree_directions.c: the same for a model whose masses come from a tree of bodies:
   eq->massless.tree, n0, and gam = 0 as expressions. */
dfl_status dfl_derive_tree_massless(dfl_equations *eq);

/* held.c: removes from K0 the directions that the constraints hold; `lead` (one per column) is
   updated. */
dfl_status dfl_release_held(dfl_sparse *K0, int *lead, const dfl_trials *trials);

/* quasistatic.c: the balance of forces along directions that the user declared quasistatic, and its
   declaration as constraints of the model. */
dfl_status dfl_find_quasistatic(dfl_balances *out, const dfl_trials *trials);
dfl_status dfl_declare_quasistatic(dfl_model *model, const dfl_equations *eq);

/* Remembers what numbers have decided. */
dfl_status dfl_massless_decided(dfl_equations *eq, const int *items, int count);

#endif
