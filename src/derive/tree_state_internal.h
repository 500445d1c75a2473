/* tree_state_internal.h: between tree_state.c and tree_rows.c. */
#ifndef DFL_TREE_STATE_INTERNAL_H
#define DFL_TREE_STATE_INTERNAL_H

#include "derive/derive_internal.h"
#include "derive/tree_state.h"
#include "multibody/multibody.h"

/* What is built anew when a number changes. */
typedef struct tree_parts {
    dfl_tree *tree;
    dfl_loops *loops;
    dfl_tree_derivatives *derivatives;
    dfl_elastic_tree *elastic; /* NULL: no elastic bodies */
} tree_parts;

struct dfl_tree_state {
    const dfl_equations *eq;
    dfl_context *ctx;
    dfl_mass_tree *description; /* of the model: its numbers are those in use */
    tree_parts parts;
    int first_v;                   /* place of v in x */
    int *p_of, *v_of;              /* places in x */
    int *row_of;                   /* the equation of each row of the loops, or -1 */
    double *p, *v, *a, *tau;       /* np, nv: in the order of the tree */
    double *drives;                /* 3 numbers each */
    double *M, *Tq, *Tv, *by_p;    /* nv x nv; nv x np */
    double *W, *gIq, *gIIq, *gIIv; /* rows x nv */
    double *rows_by_p;             /* rows x np */
    double *values_of_rows, *l;    /* rows */
    double *values;                /* of the numbers */
    double *decided; /* np: and drives, where massless directions were decided; or NULL */
};

/* tau = M a + C(p, v) at the place of the tree, for s->v and s->a. */
void dfl_tree_state_inverse(dfl_tree_state *s);

/* tree_rows.c: poses and velocities of all bodies, which rows of loops need. */
void dfl_tree_state_move(dfl_tree_state *s);

/* Tq += the derivative of W^T l along velocities, dyn -= W^T in the columns of l; after
   dfl_tree_derive. */
void dfl_tree_state_row_forces(double *dyn, dfl_tree_state *s, const double *l);

#endif
