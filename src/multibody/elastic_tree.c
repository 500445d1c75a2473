/* elastic_tree.c: a tree with elastic bodies.

   The tree has joints for all motions of nodes in elastic bodies: slaves, y = E z(q). Recursions
   over the tree, to which elastic bodies add the forces of field_inertia.h, give the forces on all
   its joints and on q. With T = E dz/dq

       y' = T q'      y'' = E z''      tau_q = Q + T^T tau_y

   and rows and columns of matrices that belong to slaves are added to those of q likewise. */
#include "multibody/elastic_tree_internal.h"

#include "context/context.h"

#include <math.h>
#include <string.h>

static dfl_status create_part(elastic_part *part, dfl_elastic_tree *it,
                              const dfl_tree_elastic *body);
static void set_slaves(elastic_part *part, const dfl_elastic_tree *it,
                       const dfl_tree_elastic *body);
static dfl_status allocate(dfl_elastic_tree *it);
static void number_velocities(dfl_elastic_tree *it);
static void move(dfl_elastic_tree *it, const double *v, const double *a);
static void add_loads(dfl_elastic_tree *it);
static double along(const elastic_part *part, int slave, const double *z);
static void fill_body(const dfl_elastic_tree *it, const elastic_part *part, double *M);
static bool is_definite(double *M, int n);

dfl_status dfl_elastic_tree_create(dfl_elastic_tree **out, dfl_context *ctx, dfl_tree *tree,
                                   dfl_tree_derivatives *derivatives,
                                   const dfl_tree_elastic *bodies, int count)
{
    dfl_elastic_tree *it = *out = dfl_alloc(ctx, 1, sizeof *it);
    if (!it)
        return DFL_NO_MEMORY;
    *it = (dfl_elastic_tree){.ctx = ctx, .tree = tree, .work = derivatives, .nparts = count};
    for (int i = 0; i < count; i++)
        it->nq += bodies[i].integrals->n;
    it->parts = dfl_alloc(ctx, (size_t)count, sizeof *it->parts);
    dfl_status status = it->parts ? allocate(it) : DFL_NO_MEMORY;
    for (int i = 0, first = 0; i < count && !status; first += bodies[i++].integrals->n) {
        it->parts[i].first = first;
        status = create_part(&it->parts[i], it, &bodies[i]);
    }
    if (status) {
        dfl_elastic_tree_free(it);
        *out = NULL;
        return status;
    }
    number_velocities(it);
    return DFL_OK;
}

void dfl_elastic_tree_free(dfl_elastic_tree *it)
{
    if (!it)
        return;
    for (int i = 0; it->parts && i < it->nparts; i++) {
        dfl_field_inertia_clear(&it->parts[i].field, it->ctx);
        dfl_free(it->ctx, it->parts[i].y);
        dfl_free(it->ctx, it->parts[i].store);
    }
    void *const blocks[] = {it->parts, it->numbers, it->store};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        dfl_free(it->ctx, blocks[i]);
    dfl_free(it->ctx, it);
}

static dfl_status allocate(dfl_elastic_tree *it)
{
    const size_t nv = (size_t)it->tree->nv, np = (size_t)it->tree->np, nq = (size_t)it->nq;
    const size_t n = nv + nq;
    it->numbers = dfl_alloc(it->ctx, nv + np, sizeof *it->numbers);
    double *at = it->store = dfl_alloc(it->ctx, np + 3 * nv + 3 * nq + n + 3 * n * n, sizeof *at);
    if (!it->numbers || !at)
        return DFL_NO_MEMORY;
    it->v_of = it->numbers;
    it->p_of = it->numbers + nv;
    double **const arrays[] = {&it->yp,  &it->yv,  &it->ya, &it->tau, &it->q, &it->qd,
                               &it->qdd, &it->all, &it->Tq, &it->Tv,  &it->M};
    const size_t size[] = {np, nv, nv, nv, nq, nq, nq, n, n * n, n * n, n * n};
    for (size_t i = 0; i < sizeof size / sizeof *size; at += size[i++])
        *arrays[i] = at;
    return DFL_OK;
}

static dfl_status create_part(elastic_part *part, dfl_elastic_tree *it,
                              const dfl_tree_elastic *body)
{
    const size_t n = (size_t)body->integrals->n, nz = (size_t)body->integrals->nz;
    const size_t slaves = (size_t)body->nslaves;
    part->n = (int)n;
    part->nslaves = body->nslaves;
    part->frame = dfl_tree_frame(it->tree, body->body, body->at, body->axis, body->axis2);
    part->base = it->tree->mass[part->frame.node];
    it->tree->node[part->frame.node].empty = 0;
    part->y = dfl_alloc(it->ctx, slaves, sizeof *part->y);
    double *at = part->store =
        dfl_alloc(it->ctx, slaves * (nz + 3 * n) + n * (3 * n + 24), sizeof *at);
    const dfl_status status = dfl_field_inertia_create(&part->field, it->ctx, body);
    if (status || !part->y || !at)
        return DFL_NO_MEMORY;
    double **const arrays[] = {&part->E,           &part->T[0],        &part->T[1],
                               &part->T[2],        &part->slopes.Qq,   &part->slopes.Qv,
                               &part->slopes.M,    &part->slopes.t[0], &part->slopes.t[1],
                               &part->slopes.t[2], &part->slopes.t[3]};
    const size_t size[] = {slaves * nz, slaves * n, slaves * n, slaves * n, n * n, n * n,
                           n * n,       6 * n,      6 * n,      6 * n,      6 * n};
    for (size_t i = 0; i < sizeof size / sizeof *size; at += size[i++])
        *arrays[i] = at;
    set_slaves(part, it, body);
    return DFL_OK;
}

/* E in SI units: shifts and angles per unit of the amplitudes. */
static void set_slaves(elastic_part *part, const dfl_elastic_tree *it, const dfl_tree_elastic *body)
{
    const int nz = body->integrals->nz;
    for (int i = 0; i < part->nslaves; i++) {
        const dfl_slave_joint *slave = &body->slaves[i];
        part->y[i] = it->tree->joint.v[slave->joint];
        it->v_of[part->y[i]] = it->p_of[it->tree->joint.p[slave->joint]] = -1;
        for (int j = 0; j < nz; j++)
            part->E[i * nz + j] =
                slave->field[j] * dfl_field_unit(body, j) * (slave->turns ? 1.0 : body->length);
    }
}

/* Velocities and coordinates of the tree that are not slaves keep their order. */
static void number_velocities(dfl_elastic_tree *it)
{
    for (int i = 0; i < it->tree->nv; i++)
        it->v_of[i] = it->v_of[i] < 0 ? -1 : it->nv++;
    for (int i = 0; i < it->tree->np; i++)
        it->p_of[i] = it->p_of[i] < 0 ? -1 : it->np++;
    it->nv += it->nq;
    it->np += it->nq;
}

int dfl_elastic_tree_np(const dfl_elastic_tree *it)
{
    return it->np;
}

int dfl_elastic_tree_nv(const dfl_elastic_tree *it)
{
    return it->nv;
}

/* ------------------------------------------------------------------ motions */

static double along(const elastic_part *part, int slave, const double *z)
{
    const int nz = part->field.of->nz;
    const double *E = part->E + slave * nz;
    double sum = 0.0;
    for (int j = 0; j < nz; j++)
        sum += E[j] * z[j];
    return sum;
}

void dfl_elastic_tree_place(dfl_elastic_tree *it, const double *p)
{
    dfl_tree *tree = it->tree;
    for (int i = 0; i < tree->np; i++)
        if (it->p_of[i] >= 0)
            it->yp[i] = p[it->p_of[i]];
    memcpy(it->q, p + it->np - it->nq, (size_t)it->nq * sizeof *it->q);
    for (int i = 0; i < it->nparts; i++)
        tree->mass[it->parts[i].frame.node] = it->parts[i].base;
    for (int i = 0; i < it->nparts; i++) {
        static const double here[3] = {0};
        elastic_part *part = &it->parts[i];
        node_mass shape, turned, *mass = &tree->mass[part->frame.node];
        double pose[12];
        memcpy(pose, part->frame.R, sizeof part->frame.R);
        memcpy(pose + 9, part->frame.r, sizeof part->frame.r);
        dfl_field_place(&shape, &part->field, it->q + part->first);
        dfl_mass_to_pose(&turned, &shape, pose, here);
        mass->m += turned.m;
        for (int k = 0; k < 3; k++)
            mass->h[k] += turned.h[k];
        for (int k = 0; k < 6; k++)
            mass->J[k] += turned.J[k];
        for (int k = 0; k < part->nslaves; k++)
            it->yp[tree->joint.p[tree->dof.joint[part->y[k]]]] = along(part, k, part->field.z);
    }
    dfl_tree_place(tree, it->yp);
}

static void move(dfl_elastic_tree *it, const double *v, const double *a)
{
    const int first = it->nv - it->nq;
    for (int i = 0; i < it->tree->nv; i++)
        if (it->v_of[i] >= 0) {
            it->yv[i] = v[it->v_of[i]];
            it->ya[i] = a[it->v_of[i]];
        }
    memcpy(it->qd, v + first, (size_t)it->nq * sizeof *it->qd);
    memcpy(it->qdd, a + first, (size_t)it->nq * sizeof *it->qdd);
    for (int i = 0; i < it->nparts; i++) {
        elastic_part *part = &it->parts[i];
        dfl_field_move(&part->field, it->qd + part->first, it->qdd + part->first);
        for (int k = 0; k < part->nslaves; k++) {
            it->yv[part->y[k]] = along(part, k, part->field.zd);
            it->ya[part->y[k]] = along(part, k, part->field.zdd);
        }
    }
    dfl_tree_move(it->tree, it->yv, it->ya);
}

/* To axes of the body: E of spatial.h is R^T of the frame. */
static void add_loads(dfl_elastic_tree *it)
{
    for (int i = 0; i < it->nparts; i++) {
        elastic_part *part = &it->parts[i];
        const double *R = part->frame.R;
        const double E[9] = {R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]};
        node_state *s = &it->tree->state[part->frame.node];
        double V[6], A[6];
        motion_to_child(V, E, part->frame.r, s->v);
        motion_to_child(A, E, part->frame.r, s->a);
        dfl_field_load(part->w, &part->field, V, A);
        force_to_parent(s->p, E, part->frame.r, part->w);
    }
}

void dfl_elastic_tree_inverse(double *tau, dfl_elastic_tree *it, const double *v, const double *a)
{
    const int first = it->nv - it->nq;
    move(it, v, a);
    add_loads(it);
    dfl_tree_collect(it->tau, it->tree);
    for (int i = 0; i < it->tree->nv; i++)
        if (it->v_of[i] >= 0)
            tau[it->v_of[i]] = it->tau[i];
    memset(tau + first, 0, (size_t)it->nq * sizeof *tau);
    for (int i = 0; i < it->nparts; i++) {
        elastic_part *part = &it->parts[i];
        dfl_elastic_slave_forces(part, it->tau);
        dfl_field_back(tau + first + part->first, &part->field, part->field.Qz, 1);
    }
}

/* Qz += E^T tau_y */
void dfl_elastic_slave_forces(elastic_part *part, const double *tau)
{
    const int nz = part->field.of->nz;
    for (int k = 0; k < part->nslaves; k++)
        for (int j = 0; j < nz; j++)
            part->field.Qz[j] += part->E[k * nz + j] * tau[part->y[k]];
}

/* ------------------------------------------------------------------ masses */

void dfl_elastic_slaves(dfl_elastic_tree *it, int orders)
{
    for (int i = 0; i < it->nparts; i++) {
        elastic_part *part = &it->parts[i];
        const int n = part->n, nz = part->field.of->nz;
        for (int order = 0; order < orders; order++) {
            double *T = part->T[order];
            memset(T, 0, (size_t)(part->nslaves * n) * sizeof *T);
            for (int j = 0; j < nz; j++) {
                for (int k = 0; k < part->nslaves; k++)
                    field_add_row(T + k * n, &part->field, j, order, part->E[k * nz + j]);
            }
        }
    }
}

void dfl_elastic_tree_mass(double *M, int ld, dfl_elastic_tree *it)
{
    const int ny = it->tree->nv, n = ny + it->nq;
    for (int c = ny; c < n; c++)
        memset(it->M + (long)c * n, 0, (size_t)n * sizeof *it->M);
    for (int c = 0; c < ny; c++)
        memset(it->M + (long)c * n + ny, 0, (size_t)it->nq * sizeof *it->M);
    dfl_tree_mass(it->M, n, it->tree);
    dfl_elastic_slaves(it, 1);
    for (int i = 0; i < it->nparts; i++) {
        elastic_part *part = &it->parts[i];
        dfl_field_mass(part->slopes.M, part->slopes.t[2], &part->field);
        fill_body(it, part, it->M);
    }
    for (int i = 0; i < it->nparts; i++)
        dfl_elastic_add_columns(it->M, it, &it->parts[i], it->M, 0, 1.0);
    dfl_elastic_take(M, ld, it, it->M);
}

/* Masses of a body's coordinates among themselves, and with the joints that it hangs on. */
static void fill_body(const dfl_elastic_tree *it, const elastic_part *part, double *M)
{
    const int ny = it->tree->nv, n = ny + it->nq, first = ny + part->first;
    double R[9], r[3], F[6];
    dfl_frame_pose(R, r, it->tree, &part->frame);
    for (int k = 0; k < part->n; k++) {
        rotate(F, R, part->slopes.t[2] + 6 * k);
        rotate(F + 3, R, part->slopes.t[2] + 6 * k + 3);
        dfl_tree_fill_path(M, n, it->tree, first + k, part->frame.node, r, F);
        for (int l = 0; l < part->n; l++)
            M[first + l + (long)(first + k) * n] = part->slopes.M[l + part->n * k];
    }
}

/* to_q += factor T^T from_y, by columns. */
void dfl_elastic_add_columns(double *to, const dfl_elastic_tree *it, const elastic_part *part,
                             const double *from, int order, double factor)
{
    const int ny = it->tree->nv;
    const long n = ny + it->nq;
    for (int k = 0; k < part->nslaves; k++) {
        const double *column = from + part->y[k] * n, *T = part->T[order] + k * part->n;
        for (int c = 0; c < part->n; c++) {
            double *sum = to + (ny + part->first + c) * n;
            const double by = factor * T[c];
            for (long i = 0; by != 0.0 && i < n; i++)
                sum[i] += by * column[i];
        }
    }
}

void dfl_elastic_take(double *to, int ld, const dfl_elastic_tree *it, double *from)
{
    const int ny = it->tree->nv, n = ny + it->nq, first = it->nv - it->nq;
    for (int c = 0; c < n; c++) {
        const int column = c < ny ? it->v_of[c] : first + c - ny;
        double *x = from + (long)c * n, *y = to + (long)column * ld;
        if (column < 0)
            continue;
        for (int i = 0; i < ny; i++)
            if (it->v_of[i] >= 0)
                y[it->v_of[i]] = x[i];
        for (int i = 0; i < it->nparts; i++) {
            const elastic_part *part = &it->parts[i];
            for (int k = 0; k < part->nslaves; k++)
                for (int l = 0; l < part->n; l++)
                    x[ny + part->first + l] += part->T[0][k * part->n + l] * x[part->y[k]];
        }
        memcpy(y + first, x + ny, (size_t)it->nq * sizeof *y);
    }
}

/* ------------------------------------------------------------------ coordinates, ranks */

/* Columns of slaves are zero. */
void dfl_elastic_tree_chain(double *Y, int ldy, dfl_elastic_tree *it, const double *A, int lda,
                            int rows)
{
    const dfl_tree *tree = it->tree;
    const int nv = it->nv - it->nq, np = it->np - it->nq;
    for (int row = 0; row < rows; row++) {
        double *slope = it->M, *by = it->M + tree->nv;
        memset(slope, 0, (size_t)(tree->nv + tree->np) * sizeof *slope);
        for (int i = 0; i < tree->nv; i++)
            if (it->v_of[i] >= 0)
                slope[i] = A[row + (long)it->v_of[i] * lda];
        dfl_tree_chain(by, 1, tree, slope, 1, 1, it->yp);
        for (int i = 0; i < tree->np; i++)
            if (it->p_of[i] >= 0)
                Y[row + (long)it->p_of[i] * ldy] += by[i];
        for (int k = 0; k < it->nq; k++)
            Y[row + (long)(np + k) * ldy] += A[row + (long)(nv + k) * lda];
    }
}

bool dfl_elastic_tree_regular(dfl_elastic_tree *it)
{
    enum { PLACES = 3 };
    const int nv = it->nv, np = it->np - it->nq;
    bool regular = true;
    for (int place = 0; place < PLACES && regular; place++) {
        double *p = it->Tq; /* nv of the tree is at least its np / 2 */
        dfl_tree_reference(it->yp, it->tree);
        for (int i = 0; i < it->tree->np; i++)
            if (it->p_of[i] >= 0)
                p[it->p_of[i]] = it->yp[i] + 0.3 * dfl_generic(place, i);
        memset(p + np, 0, (size_t)it->nq * sizeof *p);
        dfl_elastic_tree_place(it, p);
        dfl_elastic_tree_mass(it->Tv, nv, it);
        regular = is_definite(it->Tv, nv);
    }
    return regular;
}

/* Cholesky's factorization of M with unit diagonal: pivots above rounding errors. */
static bool is_definite(double *M, int n)
{
    static const double least = 1e-10; /* as in tree_ranks.c */
    for (int i = 0; i < n; i++)
        if (!(M[i + (long)i * n] > 0.0))
            return false;
    for (int j = 0; j < n; j++) {
        const double scale = M[j + (long)j * n];
        for (int k = 0; k < j; k++)
            M[j + (long)j * n] -= M[j + (long)k * n] * M[j + (long)k * n];
        if (!(M[j + (long)j * n] > least * scale))
            return false;
        M[j + (long)j * n] = sqrt(M[j + (long)j * n]);
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++)
                M[i + (long)j * n] -= M[i + (long)k * n] * M[j + (long)k * n];
            M[i + (long)j * n] /= M[j + (long)j * n];
        }
    }
    return true;
}
