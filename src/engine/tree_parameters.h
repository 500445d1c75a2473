/* tree_parameters.h: derivatives of a tree of bodies by parameters. */
#ifndef DFL_TREE_PARAMETERS_H
#define DFL_TREE_PARAMETERS_H

#include "engine/tree_engine.h"

typedef struct dfl_tree_parameters dfl_tree_parameters;

/* By symbols (total), the first `count` of them along a direction (count), or each if that is NULL:
   one column for the direction, or `count`; then one for each of the others. DFL_INVALID: bodies
   nearby are not valid. */
dfl_status dfl_tree_parameters_create(dfl_tree_parameters **out, dfl_runnable *run,
                                      const dfl_expr *symbols, int total, int count,
                                      const double *direction);
void dfl_tree_parameters_free(dfl_tree_parameters *tree);

/* Adds the derivatives of the tree's rows to the columns of `out`. */
void dfl_tree_parameters_add(dfl_jacobian *out, dfl_tree_parameters *tree, double t,
                             const double *x, const double *a);

#endif
