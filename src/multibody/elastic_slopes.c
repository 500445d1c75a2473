/* elastic_slopes.c: derivatives of inverse dynamics of an elastic tree: those of its tree, to whose
   nodes elastic bodies add forces and their slopes by velocities, of elastic coordinates as
   velocities with terms t1 .. t4 of their own (tree_derivatives.c), and of slaves y = E z(q):

       d(tau)/dq = R^T (Tq T + Tv E dz'/dq + M E dz''/dq) + d^2 z/dq^2 (Qz + E^T tau_y)
       d(tau)/dq' = R^T (Tv T + 2 M E dz'/dq)

   with R^T = [1, T^T]. */
#include "multibody/elastic_tree_internal.h"

#include <string.h>

static void add_forces(dfl_elastic_tree *it, const elastic_part *part);
static void fill_body(dfl_elastic_tree *it, elastic_part *part);
static void force_matrix(double X[36], const dfl_elastic_tree *it, const elastic_part *part);
static void times6(double y[6], const double X[36], const double x[6]);

void dfl_elastic_tree_derive(double *Tq, double *Tv, double *M, dfl_elastic_tree *it,
                             const double *v, const double *a)
{
    dfl_tree *tree = it->tree;
    const int n = tree->nv + it->nq;
    memset(it->Tq, 0, 3 * (size_t)n * (size_t)n * sizeof *it->Tq);
    dfl_tree_poses(tree);
    dfl_elastic_tree_inverse(it->all, it, v, a);
    dfl_elastic_slaves(it, 3);
    dfl_tree_derive_nodes(it->work);
    for (int i = 0; i < it->nparts; i++) {
        dfl_field_slopes(&it->parts[i].slopes, &it->parts[i].field);
        dfl_field_bend(it->parts[i].slopes.Qq, &it->parts[i].field, it->parts[i].field.Qz);
        add_forces(it, &it->parts[i]);
    }
    dfl_tree_derive_sweep(it->Tq, it->Tv, it->M, n, it->work);
    for (int i = 0; i < it->nparts; i++)
        fill_body(it, &it->parts[i]);
    for (int i = 0; i < it->nparts; i++) {
        const elastic_part *part = &it->parts[i];
        dfl_elastic_add_columns(it->Tq, it, part, it->Tq, 0, 1.0);
        dfl_elastic_add_columns(it->Tq, it, part, it->Tv, 1, 1.0);
        dfl_elastic_add_columns(it->Tq, it, part, it->M, 2, 1.0);
        dfl_elastic_add_columns(it->Tv, it, part, it->Tv, 0, 1.0);
        dfl_elastic_add_columns(it->Tv, it, part, it->M, 1, 2.0);
        dfl_elastic_add_columns(it->M, it, part, it->M, 0, 1.0);
    }
    dfl_elastic_take(Tq, it->nv, it, it->Tq);
    dfl_elastic_take(Tv, it->nv, it, it->Tv);
    dfl_elastic_take(M, it->nv, it, it->M);
}

/* X: forces in axes of the body, at its origin, become those in world axes at the origin of the
   derivatives; X^T leads motions back. */
static void force_matrix(double X[36], const dfl_elastic_tree *it, const elastic_part *part)
{
    double R[9], r[3];
    dfl_frame_pose(R, r, it->tree, &part->frame);
    memset(X, 0, 36 * sizeof *X);
    for (int k = 0; k < 3; k++)
        r[k] -= it->work->origin[k];
    for (int c = 0; c < 3; c++) {
        const double column[3] = {R[c], R[3 + c], R[6 + c]};
        double moment[3];
        cross(moment, r, column);
        for (int k = 0; k < 3; k++) {
            X[6 * k + c] = X[6 * (3 + k) + 3 + c] = column[k];
            X[6 * k + 3 + c] = moment[k];
        }
    }
}

static void times6(double y[6], const double X[36], const double x[6])
{
    for (int i = 0; i < 6; i++) {
        y[i] = 0.0;
        for (int k = 0; k < 6; k++)
            y[i] += X[6 * i + k] * x[k];
    }
}

/* f += X w, 2 B += X W X^T */
static void add_forces(dfl_elastic_tree *it, const elastic_part *part)
{
    node_terms *t = &it->work->node[part->frame.node];
    double X[36], f[6], column[6], turned[6];
    force_matrix(X, it, part);
    times6(f, X, part->w);
    for (int k = 0; k < 6; k++)
        t->f[k] += f[k];
    for (int c = 0; c < 6; c++) { /* column c of W X^T is W times row c of X */
        times6(column, part->slopes.W, X + 6 * c);
        times6(turned, X, column);
        for (int k = 0; k < 6; k++)
            t->B[6 * k + c] += 0.5 * turned[k];
    }
}

static void fill_body(dfl_elastic_tree *it, elastic_part *part)
{
    const int ny = it->tree->nv, n = part->n, first = ny + part->first;
    const long ld = ny + it->nq;
    double X[36], t[4][6];
    force_matrix(X, it, part);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 4; i++)
            times6(t[i], X, part->slopes.t[i] + 6 * k);
        dfl_tree_derive_path(it->Tq, it->Tv, it->M, ld, it->work, first + k, part->frame.node, t);
        for (int l = 0; l < n; l++) {
            const long at = first + l + (first + k) * ld;
            it->Tq[at] = part->slopes.Qq[l + n * k];
            it->Tv[at] = part->slopes.Qv[l + n * k];
            it->M[at] = part->slopes.M[l + n * k];
        }
    }
}
