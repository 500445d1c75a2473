/* node.h: what does not change during a motion, per node of a tree.

   Bodies that can move relative to each other are nodes, in depth-first order; node 0 is the ground
   and a parent comes before its children. Every step of a joint (multibody.h) is a node, in whose
   frame its motion subspace S is constant; all but the last are without mass:

     revolute  S = (z; 0)     prismatic  S = (0; z)     screw  S = (z; lead z)
     spherical S = (1; 0)     free       S = 1 */
#ifndef DFL_MECHANICS_NODE_H
#define DFL_MECHANICS_NODE_H

#include "multibody/multibody.h"

/* What does not change during a motion. Rest positions and masses are stored separately, since not
   every pass reads them. */
typedef struct dfl_node {
    double lead;
    int parent, end; /* the nodes [i, end) are the node and what hangs on it */
    int p, v, drive; /* first coordinate, first velocity, drive; -1: none */
    int gam;         /* index of its first massless direction */
    int slot;        /* where its articulated body is built: shared along the way inwards */
    unsigned char kind, dofs;
    unsigned char regular;  /* bit k: the pivot of its velocity k is not zero */
    unsigned char trial[3]; /* `regular` at three configurations, for the decision */
    unsigned char empty;    /* no inertia at all */
} dfl_node;

/* X of the joint's zero position: rotation from the parent, origin in it. */
typedef struct node_rest {
    double E[9], r[3];
} node_rest;

/* Of all bodies of a node: mass, first moment, inertia about the origin. */
typedef struct node_mass {
    double m, h[3], J[6];
} node_mass;

/* What the recursions need of a tree. */
typedef struct tree_view {
    const dfl_node *node;
    const node_rest *rest;
    const node_mass *mass;
    int nnodes, nslots;
    const double *drive, *gravity;
    const double *least; /* per velocity: pivots above it are no rounding errors */
} tree_view;
tree_view dfl_tree_view(const dfl_tree *tree);

#endif
