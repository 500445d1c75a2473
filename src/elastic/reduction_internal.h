/* reduction_internal.h: what a body of finite elements becomes on its way to few modes: unknowns
   that are free, and motions of its interfaces. */
#ifndef DFL_REDUCTION_INTERNAL_H
#define DFL_REDUCTION_INTERNAL_H

#include "elastic/elastic.h"
#include "linalg/linalg.h"

typedef struct dfl_share { /* of a motion in an unknown */
    int y;
    double factor;
} dfl_share;

typedef struct dfl_reduction {
    dfl_context *ctx;
    const dfl_fe *fe;
    const dfl_fe_task *task;
    int nf, nb, nr; /* free unknowns, motions of interfaces, all shapes: nb + task->modes */
    int *owner;     /* nnodes: interface + 1, or 0 */
    int *place;     /* n: of free unknowns */
    double at[DFL_MOST_INTERFACES][3];
    dfl_csc pattern[DFL_FE_MATRICES]; /* of Kff, Mff */
    double *value[DFL_FE_MATRICES];   /* their entries */
    double *side[DFL_FE_MATRICES];    /* Kfb, Mfb: nf x nb */
    double *corner[DFL_FE_MATRICES];  /* Kbb, Mbb */
    double *shape;                    /* nf x nr */
    double *w2;                       /* of Phi */
    dfl_sparse_lu *lu;                /* of Kff */
    double *guyan;                    /* nb x nb: Kbb - Kbf Kff^-1 Kfb */
    double *basis;                    /* nr x n: of the modes that are kept */
    int n;
} dfl_reduction;

/* Interfaces and free unknowns; DFL_INVALID: nodes that are missing or belong to two interfaces. */
dfl_status dfl_reduction_find_interfaces(dfl_reduction *r);
/* DFL_INVALID: an interface whose nodes do not say how it turns. */
dfl_status dfl_reduction_check_interfaces(const dfl_reduction *r);
/* u of an unknown as a sum of free unknowns and motions; returns their number, 0: it does not move.
 */
int dfl_reduction_shares(dfl_share out[3], const dfl_reduction *r, int unknown);
/* T^T A T in blocks. */
dfl_status dfl_reduction_assemble(dfl_reduction *r, dfl_fe_matrix which);
/* Columns of Z (nr x *): shapes in a frame, those of interfaces first; all of them for Buckens'
   frame. Returns their number. */
int dfl_reduction_reference(double *Z, const dfl_reduction *r, int frame);
/* u := T y with the free unknowns and the motions of interfaces. */
void dfl_reduction_expand(double *u, const dfl_reduction *r, const double *unknowns,
                          const double *motions);
/* DFL_INVALID: rigid motions need forces beside those of the slowest mode, (rad/s)^2. (fe_check.c)
 */
dfl_status dfl_fe_check_free(const dfl_fe *fe, double slowest);
/* Fields of second order of a frame of beams, for modes u (fe->n x r->n); nothing without bars.
   (fe_stiffening.c) */
dfl_status dfl_reduction_stiffen(dfl_sid *out, const dfl_reduction *r, const double *u);
/* The same from stiffnesses under loads, for the same modes. (fe_loads.c) */
dfl_status dfl_reduction_take_loads(dfl_sid *out, const dfl_reduction *r, const double *u);
/* Deflections and slopes at both ends of a bar, along its y axis, or z. */
void dfl_fe_bend(double v[4], const dfl_fe_bar *bar, const double *u, int z);
/* Lines along the beams of a frame, or along edges of a surface, for the same modes. (fe_outline.c)
 */
dfl_status dfl_reduction_outline(dfl_sid *out, const dfl_reduction *r, const double *u);

#endif
