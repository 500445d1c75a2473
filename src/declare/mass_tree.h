/* mass_tree.h: a tree of bodies whose masses, forces of inertia and gravity, and rows of loops are
   not declared as expressions: recursions over numbers give them (derive/tree_state.h).

   A mechanism leaves its description here, with expressions of parameters and inputs for all
   numbers. */
#ifndef DFL_MASS_TREE_H
#define DFL_MASS_TREE_H

#include "multibody/multibody.h"
#include "symbolic/symbolic.h"

/* A number of the description and where it belongs. */
typedef struct dfl_tree_number {
    dfl_expr expr;
    double *place;
} dfl_tree_number;

typedef struct dfl_mass_tree {
    dfl_context *ctx;
    int nbodies, njoints, nloops;
    dfl_rigid_body *bodies;
    dfl_joint *joints;
    dfl_loop *loops;
    int nrows, *rows; /* of the loops: the number of each row's declaration; -1: left out */
    double gravity[3];
    bool planar;
    dfl_tree_number *numbers; /* 10 of each body and of each joint, 20 of each loop, 3 of gravity */
    int nnumbers;
    int np, nv, ndrives;
    dfl_expr *p, *v;  /* symbols, in the order of the tree, those of elastic bodies last */
    dfl_expr *drives; /* prescribed motions: coordinate, rate, second rate */
    int nelastics;
    dfl_tree_elastic *elastics; /* 12 numbers each */
} dfl_mass_tree;

/* Numbers of all parts. */
typedef struct dfl_mass_tree_size {
    int bodies, joints, loops, rows, np, nv, drives, elastics;
} dfl_mass_tree_size;

/* Creates an empty tree with room for this number of parts. DFL_NO_MEMORY. */
dfl_status dfl_mass_tree_create(dfl_mass_tree **out, dfl_context *ctx,
                                const dfl_mass_tree_size *size);
void dfl_mass_tree_free(dfl_mass_tree *tree);

/* Numbers at `place`, which lies in the tree. */
void dfl_mass_tree_numbers(dfl_mass_tree *tree, double *place, const dfl_expr *exprs, int count);

/* A tree with the present numbers, and its loops. */
dfl_status dfl_mass_tree_build(dfl_tree **out, const dfl_mass_tree *tree);
dfl_status dfl_mass_tree_close(dfl_loops **out, const dfl_mass_tree *tree, const dfl_tree *built);

#endif
