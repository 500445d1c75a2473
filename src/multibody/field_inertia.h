/* field_inertia.h: the inertia of one elastic body, for the files of elastic trees.

   With S, J1, J2, C0, C1, Me of elastic/elastic.h in SI units, amplitudes z(q), and in axes of the
   body: angular velocity om, velocity v and acceleration a (minus gravity) of its origin as spatial
   vectors V = (om; v), A = (alpha; a - om x v):

       h = s0 + S_j z_j      J = J0 + (J1_j + J2_ij z_i) z_j      Jz_j = J1_j + 2 J2_ij z_i
       C_j = C0_j + C1_ij z_i

   The rigid body with m, h, J is part of the tree. Elasticity adds torque and force

       N = C_j z_j'' + (Jz_j z_j') om + om x C_j z_j'      F = S_j z_j'' + 2 om x S_j z_j'

   and the modal forces Q_k = dz_j/dq_k Qz_j with

       Qz_j = C_j.alpha + S_j.a + Me_ij z_i'' + 2 om.C1_ij z_i' - om.Jz_j om / 2 */
#ifndef DFL_FIELD_INERTIA_H
#define DFL_FIELD_INERTIA_H

#include "multibody/tree_internal.h"

/* Amplitudes and their rates at a state, and sums over them; arrays of nz vectors. */
typedef struct field_inertia {
    const dfl_field_integrals *of;
    double mass, s0[3], J0[6];
    double *S, *J1, *C0, *B; /* in SI units */
    dfl_field_product *rest; /* likewise; then of twists, whose sections turn */
    int *start, *at;         /* row j of dz/dq has places at[start[j]] .. in rows */
    double *row[3];          /* dz/dq, and the derivatives of z', z'' by q */
    double *z, *zd, *zdd;
    double *T;             /* 3 per component: sums of products */
    double *sums;          /* 2 per number of rows: work */
    double *Jz;            /* 6 each */
    double *Jzd;           /* 2 J2_ij z_i' */
    double *C, *Cd, *Cdd;  /* 3 each: C_j, C1_ij z_i', C1_ij z_i'' */
    double *Mz;            /* Me_ij z_i'' */
    double *Qz;            /* modal forces along z */
    double *wz, *wzd, *cv; /* 6 each: slopes of (N; F) and of Qz, see field_slopes.c */
    double *rows;          /* 3 n + 6 each: work */
    double V[6], A[6];     /* as of the last load */
    double *store;
} field_inertia;

/* Slopes of an elastic body's forces by q, q' and q'', n x n and 6 n each, and by V. */
typedef struct field_slopes {
    double *Qq, *Qv, *M; /* column-major */
    double *t[4];        /* as in tree_derivatives.c, in axes of the body */
    double W[36];        /* of (N; F) by V, row-major */
} field_slopes;

dfl_status dfl_field_inertia_create(field_inertia *out, dfl_context *ctx,
                                    const dfl_tree_elastic *body);
void dfl_field_inertia_clear(field_inertia *f, dfl_context *ctx);

/* The factor that makes an amplitude a number without units: 1 / length, or its square. */
double dfl_field_unit(const dfl_tree_elastic *body, int field);

/* z(q), and what masses need of it: the rigid body with the present shape. */
void dfl_field_place(node_mass *out, field_inertia *f, const double *q);
/* z', z'', for q' and q''. */
void dfl_field_move(field_inertia *f, const double *qd, const double *qdd);
/* (N; F) and, in f->Qz, modal forces. */
void dfl_field_load(double w[6], field_inertia *f, const double V[6], const double A[6]);
/* y_k += dz_j/dq_k x_j, vectors of `width` numbers. */
void dfl_field_back(double *y, const field_inertia *f, const double *x, int width);
/* Likewise with the rows of an order, times a factor. */
void dfl_field_chain(double *y, const field_inertia *f, const double *x, int width, int order,
                     double factor);
/* M (n x n, column-major) and the vectors (C_k; S_k), 6 each. */
void dfl_field_mass(double *M, double *couplings, field_inertia *f);
/* After dfl_field_load; without the part d^2 z_j/dq_k dq_l Qz_j of Qq. */
void dfl_field_slopes(field_slopes *out, field_inertia *f);
/* Qq += d^2 z_j/dq_k dq_l Qz_j */
void dfl_field_bend(double *Qq, const field_inertia *f, const double *Qz);

/* Kinds of amplitudes in b, as of dfl_amplitude. */
enum { FIELD_LINEAR = -1, FIELD_FORM = -2 };

/* y (n) += factor times row j of an order. */
static inline void field_add_row(double *y, const field_inertia *f, int j, int order, double factor)
{
    for (int e = f->start[j]; e < f->start[j + 1]; e++)
        y[f->at[e]] += factor * f->row[order][e];
}

#endif
