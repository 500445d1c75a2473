/* lanes.h: the recursions of a tree for four states at once, for differences and parameter studies.
   Entry i of state k stands at [i * DFL_TREE_LANES + k] in all arrays. */
#ifndef DFL_MECHANICS_LANES_H
#define DFL_MECHANICS_LANES_H

#include "multibody/tree.h"

enum { DFL_TREE_LANES = 4 };

typedef struct dfl_tree_lanes dfl_tree_lanes;

/* The tree must outlive them. Its ranks, drives and gravity are used. DFL_NO_MEMORY. */
dfl_status dfl_tree_lanes_create(dfl_tree_lanes **out, dfl_context *ctx, const dfl_tree *tree);
void dfl_tree_lanes_free(dfl_tree_lanes *lanes);

/* As dfl_tree_place, dfl_tree_inverse and dfl_tree_forward; wrenches 6 per node, or NULL. */
void dfl_tree_lanes_place(dfl_tree_lanes *lanes, const double *p);
void dfl_tree_lanes_inverse(double *tau, dfl_tree_lanes *lanes, const double *v, const double *a,
                            const double *wrench);
void dfl_tree_lanes_forward(double *a, double *gam, dfl_tree_lanes *lanes, const double *v,
                            const double *tau, const double *wrench);

#endif
