/* elastic_tree_internal.h: the layout of an elastic tree. */
#ifndef DFL_ELASTIC_TREE_INTERNAL_H
#define DFL_ELASTIC_TREE_INTERNAL_H

#include "multibody/field_inertia.h"

/* An elastic body. */
typedef struct elastic_part {
    field_inertia field;
    field_slopes slopes;
    dfl_frame frame;
    node_mass base; /* of its node, without elastic bodies */
    int first, n;   /* of its coordinates among all elastic ones */
    int nslaves;
    int *y;       /* nslaves: velocities of the tree */
    double *E;    /* nslaves x nz, by rows */
    double *T[3]; /* nslaves x n, by rows: E times the derivatives of z, z', z'' by q */
    double w[6];  /* torque and force of elasticity, in axes of the body */
    double *store;
} elastic_part;

struct dfl_elastic_tree {
    dfl_context *ctx;
    dfl_tree *tree;
    dfl_tree_derivatives *work;
    int nparts, nq; /* nq: elastic coordinates */
    elastic_part *parts;
    int np, nv;                 /* of the elastic tree */
    int *p_of, *v_of;           /* of the tree: places in the elastic tree; -1: slaves */
    double *yp, *yv, *ya, *tau; /* of the tree */
    double *q, *qd, *qdd;       /* nq */
    double *all;                /* nv of the tree + nq: work */
    double *Tq, *Tv, *M;        /* tree and elastic coordinates: n x n, n = nv of the tree + nq */
    double *store;
    int *numbers;
};

/* Qz of an elastic body += E^T tau_y. */
void dfl_elastic_slave_forces(elastic_part *part, const double *tau);
/* T of the first `orders` orders, for all elastic bodies. */
void dfl_elastic_slaves(dfl_elastic_tree *it, int orders);
/* Columns of an elastic body's coordinates += factor (columns of its slaves) T, for matrices of
   the tree and q. */
void dfl_elastic_add_columns(double *to, const dfl_elastic_tree *it, const elastic_part *part,
                             const double *from, int order, double factor);
/* Takes a matrix of the tree and q, whose rows of slaves are added to those of q. */
void dfl_elastic_take(double *to, int ld, const dfl_elastic_tree *it, double *from);

#endif
