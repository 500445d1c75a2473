/* massless_blocks.h: K0, gam and its derivatives where a tree of bodies has massless directions. */
#ifndef DFL_MASSLESS_BLOCKS_H
#define DFL_MASSLESS_BLOCKS_H

#include "engine/engine.h"

typedef struct dfl_massless_blocks dfl_massless_blocks;

/* For equations with `directions`. Lets the tree decide which directions it has; both must outlive
   the blocks. */
dfl_status dfl_massless_blocks_create(dfl_massless_blocks **out, const dfl_runnable *run,
                                      dfl_tree_state *state);
void dfl_massless_blocks_free(dfl_massless_blocks *blocks);

/* Writes K0 and gam, as far as `need` asks for them, and the derivatives of gam (n0 x n); the tree
   is at x. Both return as dfl_eval_fn does. */
int dfl_massless_blocks_eval(dfl_blocks *out, dfl_massless_blocks *blocks, double t,
                             const double *x, unsigned need);
int dfl_massless_blocks_jacobian(double *gam, dfl_massless_blocks *blocks, double t,
                                 const double *x);

/* gam' = rows a + drift + the explicit derivative by time: rows n0 x nv, drift n0. */
int dfl_massless_blocks_rate(double *rows, double *drift, dfl_massless_blocks *blocks, double t,
                             const double *x);

#endif
