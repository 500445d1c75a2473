/* mass_tree.h: a tree of bodies whose masses and forces of inertia and gravity are not declared one by one: a
   recursion over numbers gives them (recursion.c).

   A mechanism leaves its description here, with expressions of parameters and inputs for all numbers. */
#ifndef DFL_MASS_TREE_H
#define DFL_MASS_TREE_H

#include "multibody/tree.h"
#include "symbolic/symbolic.h"

/* A number of the description and where it belongs. */
typedef struct dfl_tree_number {
    dfl_expr expr;
    double *place;
} dfl_tree_number;

typedef struct dfl_mass_tree {
    dfl_context *ctx;
    int nbodies, njoints;
    dfl_tree_body *bodies;
    dfl_tree_joint *joints;
    double gravity[3];
    bool planar;
    dfl_tree_number *numbers; /* 10 of each body and of each joint, 3 of gravity */
    int nnumbers;
    int np, nv, ndrives;
    dfl_expr *p, *v;  /* symbols, in the order of the tree */
    dfl_expr *drives; /* prescribed motions: coordinate, rate, second rate */
} dfl_mass_tree;

/* With room for all, to be filled in with the functions below. */
dfl_status dfl_mass_tree_create(dfl_mass_tree **out, dfl_context *ctx, int nbodies, int njoints,
                                int np, int nv, int ndrives);
void dfl_mass_tree_free(dfl_mass_tree *tree);

/* Numbers at `place`, which lies in the tree. */
void dfl_mass_tree_numbers(dfl_mass_tree *tree, double *place, const dfl_expr *exprs, int count);

/* A tree with the present numbers. */
dfl_status dfl_mass_tree_build(dfl_tree **out, const dfl_mass_tree *tree);

#endif
