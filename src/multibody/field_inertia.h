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
    double *S, *J1, *C0;             /* in SI units */
    dfl_field_product *J2, *C1, *Me; /* likewise */
    const double *q, *qd, *qdd;      /* n */
    double *z, *zd, *zdd;
    double *Jz;            /* 6 each */
    double *Jzd;           /* 2 J2_ij z_i' */
    double *C, *Cd, *Cdd;  /* 3 each: C_j, C1_ij z_i', C1_ij z_i'' */
    double *Mz;            /* Me_ij z_i'' */
    double *Qz;            /* modal forces along z */
    double *wz, *wzd, *cv; /* 6 each: slopes of (N; F) and of Qz, see field_slopes.c */
    double *rows;          /* 3 n + 6 each: work */
    double V[6], A[6];     /* as of the last load */
    double *store;
    dfl_field_product *products;
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
/* M (n x n, column-major) and the vectors (C_k; S_k), 6 each. */
void dfl_field_mass(double *M, double *couplings, field_inertia *f);
/* After dfl_field_load; without the part d^2 z_j/dq_k dq_l Qz_j of Qq. */
void dfl_field_slopes(field_slopes *out, field_inertia *f);
/* Qq += d^2 z_j/dq_k dq_l Qz_j */
void dfl_field_bend(double *Qq, const field_inertia *f, const double *Qz);

/* Kinds of amplitudes in b, as of dfl_amplitude. */
enum { FIELD_LINEAR = -1, FIELD_FORM = -2 };

/* The amplitude of a field of second order as a bilinear form: z_j(q) = (q, q), z_j' = 2 (q, q').
 */
static inline double field_amplitude(const field_inertia *f, int j, const double *x,
                                     const double *y)
{
    const int a = f->of->a[j], b = f->of->b[j], n = f->of->n;
    double sum = 0.0;
    if (b == FIELD_LINEAR)
        return x[a];
    if (b >= 0)
        return a == b ? 0.5 * x[a] * y[a] : 0.5 * (x[a] * y[b] + x[b] * y[a]);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            sum += f->of->form[n * (n * a + k) + i] * x[i] * y[k];
    return 0.5 * sum;
}

/* Row j of dz/dq (order 0), or of the derivatives of z', z'' by q (orders 1, 2): places and values;
   returns how many. */
static inline int field_row(int at[DFL_MOST_ELASTIC], double value[DFL_MOST_ELASTIC],
                            const field_inertia *f, int j, int order)
{
    const double *const by[] = {f->q, f->qd, f->qdd}, *x = by[order];
    const int a = f->of->a[j], b = f->of->b[j], n = f->of->n;
    for (int k = 0; k < n && b == FIELD_FORM; k++) {
        at[k] = k;
        value[k] = 0.0;
        for (int i = 0; i < n; i++)
            value[k] += f->of->form[n * (n * a + k) + i] * x[i];
    }
    if (b == FIELD_FORM)
        return n;
    at[0] = a;
    at[1] = b;
    if (b == FIELD_LINEAR) {
        value[0] = 1.0;
        return order == 0;
    }
    value[0] = x[b];
    value[1] = x[a];
    return a == b ? 1 : 2;
}

#endif
