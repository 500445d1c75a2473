/* mechanism_internal.h: shared by mechanism.c, linearize.c and massless.c. */
#ifndef DFL_MECHANICS_MECHANISM_INTERNAL_H
#define DFL_MECHANICS_MECHANISM_INTERNAL_H

#include "multibody/mechanism.h"

#include "linalg/linalg.h"

enum { NAME_LENGTH = 64 };

/* A spring in numbers of the tree. */
typedef struct placed_spring {
    int p, v;
    double stiffness, damping, rest;
} placed_spring;

struct dfl_mechanism {
    dfl_context *ctx;
    dfl_tree *tree;
    dfl_loops *loops;
    dfl_tree_derivatives *derivatives;
    dfl_eom eom;
    dfl_tree_ranks ranks;
    dfl_mechanism_force_fn force;
    dfl_mechanism_slopes_fn slopes;
    dfl_mechanism_drive_fn drive;
    void *user;
    int nsprings;
    placed_spring *spring;
    double *tau, *a, *gam;       /* nv, nv, all massless directions */
    double *K0;                  /* nv x all massless directions */
    double *Tq, *Tv, *M, *Y;     /* nv x nv; nv x max(nv, np) */
    double *W, *B, *G;           /* rows x nv; rows x all massless directions; 2 rows x nv */
    int held;                    /* massless directions that loops hold */
    int *held_row, *held_column; /* pivots of B */
    double *mu, *gam_held;       /* forces of the rows that hold them: rows; held */
    dfl_factor *held_factor;     /* B in these rows and columns */
    char (*name_p)[NAME_LENGTH], (*name_v)[NAME_LENGTH], (*name_row)[NAME_LENGTH];
};

/* Puts the tree at (t, p) with velocities v. */
void dfl_mechanism_arrive(dfl_mechanism *m, double t, const double *p, const double *v);

/* tau = all applied forces. */
int dfl_mechanism_forces(double *tau, dfl_mechanism *m, double t, const double *p, const double *v);

/* Adds the slopes of all applied forces; differences where the model has none. */
int dfl_mechanism_slopes(double *Tq, double *Tv, dfl_mechanism *m, double t, const double *p,
                         const double *v);

/* m->a, m->gam, m->K0 of the tree, and m->W, m->B with loops, at the place of the tree. */
void dfl_mechanism_null_space(dfl_mechanism *m, const double *v, const double *tau);

/* K0 and gam of what loops do not hold, from those of the tree; returns their number.
   Either may be NULL. Needs m->B = W K0. */
int dfl_mechanism_reduce(double *K0, double *gam, dfl_mechanism *m);

/* The derivatives of dfl_eom. */
int dfl_mechanism_jacobian(dfl_jacobian *out, double t, const double *x, const double *a,
                           void *user);

#endif
