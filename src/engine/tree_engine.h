/* tree_engine.h: what the tree of bodies of a model adds to the blocks that programs evaluate. */
#ifndef DFL_TREE_ENGINE_H
#define DFL_TREE_ENGINE_H

#include "engine/engine.h"

typedef struct dfl_tree_engine dfl_tree_engine;

/* For a run whose model has a tree. */
dfl_status dfl_tree_engine_create(dfl_tree_engine **out, dfl_runnable *run);
void dfl_tree_engine_free(dfl_tree_engine *engine);

/* Parameters or inputs of the run have other values. On failure the former ones remain in use. */
dfl_status dfl_tree_engine_update(dfl_tree_engine *engine);

/* The tree itself. */
struct dfl_tree_state *dfl_tree_engine_state(const dfl_tree_engine *engine);

/* Completes what the programs of the run have evaluated at (t, x). Returns as dfl_eval_fn does. */
int dfl_tree_engine_eval(dfl_blocks *out, dfl_tree_engine *engine, double t, const double *x,
                         unsigned need);
void dfl_tree_engine_mass(double *M, dfl_tree_engine *engine, double t, const double *x);
int dfl_tree_engine_jacobian(dfl_jacobian *out, dfl_tree_engine *engine, double t, const double *x,
                             const double *a);

/* The rate of the balance along massless directions, 0 = gam' = rows a + drift (n0 x nv, n0); all
   zero where forces contain variables without a known rate (w, s). */
void dfl_tree_engine_balance_rate(double *rows, double *drift, dfl_tree_engine *engine, double t,
                                  const double *x);

#endif
