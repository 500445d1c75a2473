/* fe_reduce.c: a body of finite elements as a sum of few modes (Craig and Bampton 1968).

   Nodes of an interface follow its six motions, u = U + theta x (r - at). With the free unknowns f
   and the motions b of all interfaces, u = T y, y = (f, b),

       y = [ -Kff^-1 Kfb  Phi ; 1  0 ] (b, eta),     Kff Phi = Mff Phi w^2,

   of which the frame of reference takes six motions away; the modes of the rest are orthonormal. */
#include "elastic/reduction_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static dfl_status find_shapes(dfl_reduction *r);
static dfl_status name_masses(const dfl_reduction *r, dfl_status status);
static dfl_status find_modes(dfl_sid *out, dfl_reduction *r);
static void reduced(double *A, const dfl_reduction *r, dfl_fe_matrix which);
static dfl_status finish(dfl_sid *out, const dfl_reduction *r);
static void release(dfl_reduction *r);

dfl_status dfl_fe_reduce(dfl_sid *out, const dfl_fe *fe, const dfl_fe_task *task)
{
    dfl_reduction r = {.ctx = fe->ctx, .fe = fe, .task = task, .nb = 6 * task->ninterfaces};
    memset(out, 0, sizeof *out);
    r.nr = r.nb + task->modes;
    const int motions = task->planar ? 3 : 6;
    r.n = motions * (task->ninterfaces - 1) + task->modes;
    if (task->ninterfaces < 1 || r.n < 1 || r.n > DFL_MOST_MODES)
        return dfl_fail(
            fe->ctx, DFL_INVALID,
            "%d interfaces with %d motions and %d modes, without the %d of the frame, are "
            "%d coordinates; 1 to %d are possible, with 1 to %d interfaces",
            task->ninterfaces, motions, task->modes, motions, r.n, DFL_MOST_MODES,
            DFL_MOST_INTERFACES);
    dfl_status status = dfl_reduction_find_interfaces(&r);
    if (!status)
        status = dfl_reduction_check_interfaces(&r);
    for (int which = 0; which < DFL_FE_MATRICES && !status; which++)
        status = dfl_reduction_assemble(&r, (dfl_fe_matrix)which);
    if (!status)
        status = find_shapes(&r);
    if (!status)
        status = find_modes(out, &r);
    if (!status)
        status = dfl_fe_check_free(fe, out->K[0] / out->Me[0]);
    if (!status)
        status = finish(out, &r);
    release(&r);
    return status;
}

static void release(dfl_reduction *r)
{
    dfl_free(r->ctx, r->owner);
    dfl_free(r->ctx, r->place);
    for (int which = 0; which < DFL_FE_MATRICES; which++) {
        dfl_csc_clear(&r->pattern[which], r->ctx);
        dfl_free(r->ctx, r->value[which]);
        dfl_free(r->ctx, r->side[which]);
        dfl_free(r->ctx, r->corner[which]);
    }
    dfl_sparse_lu_free(r->lu);
    dfl_free(r->ctx, r->guyan);
    dfl_free(r->ctx, r->shape);
    dfl_free(r->ctx, r->w2);
    dfl_free(r->ctx, r->basis);
}

/* ------------------------------------------------------------------ shapes */

static dfl_status find_shapes(dfl_reduction *r)
{
    const size_t nf = (size_t)r->nf;
    r->shape = dfl_alloc(r->ctx, nf * (size_t)r->nr, sizeof(double));
    r->w2 = dfl_alloc(r->ctx, (size_t)r->nr, sizeof(double));
    dfl_status status = r->shape && r->w2 ? DFL_OK : DFL_NO_MEMORY;
    if (!status)
        status = dfl_sparse_lu_create(&r->lu, r->ctx, &r->pattern[DFL_FE_STIFFNESS], false, NULL);
    bool solved = !status && dfl_sparse_lu_factor(r->lu, r->value[DFL_FE_STIFFNESS]);
    for (int k = 0; k < r->nb && solved; k++) {
        double *x = r->shape + nf * (size_t)k;
        for (size_t i = 0; i < nf; i++)
            x[i] = -r->side[DFL_FE_STIFFNESS][i + nf * (size_t)k];
        solved = dfl_sparse_lu_solve(x, r->lu);
    }
    if (!status && !solved)
        status =
            dfl_fail(r->ctx, DFL_INVALID,
                     "the stiffness is singular although the interfaces are held: some part of "
                     "the body hangs on nothing");
    const dfl_fe_pencil pencil = {.n = r->nf,
                                  .K = &r->pattern[DFL_FE_STIFFNESS],
                                  .M = &r->pattern[DFL_FE_MASS],
                                  .k = r->value[DFL_FE_STIFFNESS],
                                  .m = r->value[DFL_FE_MASS],
                                  .lu = r->lu};
    if (!status)
        status = name_masses(r, dfl_fe_lowest(r->w2, r->shape + nf * (size_t)r->nb, r->ctx, &pencil,
                                              r->task->modes));
    return status;
}

/* Modes are refused for their masses: the message says whose file they are from. */
static dfl_status name_masses(const dfl_reduction *r, dfl_status status)
{
    const char *file = r->fe->file[DFL_FE_MASS];
    dfl_text text = {.ctx = r->ctx};
    if (status != DFL_INVALID || !file)
        return status;
    dfl_text_add(&text, "%s: %s", file, dfl_message(r->ctx));
    if (!text.status)
        status = dfl_fail(r->ctx, DFL_INVALID, "%s", dfl_text_string(&text));
    dfl_text_clear(&text);
    return status;
}

/* Modes of the shapes that the frame leaves, orthonormal. */
static dfl_status find_modes(dfl_sid *out, dfl_reduction *r)
{
    const int nr = r->nr, n = r->n;
    const size_t square = (size_t)(nr * nr);
    double *room = dfl_alloc(r->ctx, 6 * square + (size_t)nr, sizeof *room);
    r->basis = dfl_alloc(r->ctx, square, sizeof *r->basis);
    r->guyan = dfl_alloc(r->ctx, (size_t)(r->nb * r->nb), sizeof *r->guyan);
    if (!room || !r->basis || !r->guyan) {
        dfl_free(r->ctx, room);
        return DFL_NO_MEMORY;
    }
    double *Z = room, *A = Z + square, *B = A + square, *KM[2] = {B + square, B + 2 * square};
    double *X = B + 3 * square, *w2 = X + square;
    const int kept = dfl_reduction_reference(Z, r, r->task->frame),
              skipped = kept - n; /* Buckens: the zeros */
    for (int which = 0; which < DFL_FE_MATRICES; which++) {
        reduced(A, r, (dfl_fe_matrix)which);
        for (int k = 0; k < r->nb * r->nb && which == DFL_FE_STIFFNESS; k++)
            r->guyan[k] = A[k % r->nb + nr * (k / r->nb)];
        dfl_gemm(nr, kept, nr, 1.0, A, nr, Z, nr, 0.0, B, nr);
        dfl_gemm_tn(kept, kept, nr, 1.0, Z, nr, B, nr, 0.0, KM[which], kept);
    }
    dfl_status status = name_masses(r, dfl_symmetric_modes(w2, X, r->ctx, kept, KM[0], KM[1]));
    const double mass =
        dfl_fe_mass(r->fe); /* coordinates are metres: their mass is that of the body */
    if (!status)
        dfl_gemm(nr, n, kept, sqrt(mass), Z, nr, X + kept * skipped, kept, 0.0, r->basis, nr);
    out->n = n;
    for (int i = 0; i < n && !status; i++) {
        out->Me[i * n + i] = mass;
        out->K[i * n + i] = mass * w2[skipped + i];
    }
    if (!status && !(w2[skipped] > 3e-13 * w2[kept - 1]))
        status =
            dfl_fail(r->ctx, DFL_INVALID,
                     "a mode has no stiffness (%.3g of %.3g): some part of the body moves freely",
                     w2[skipped], w2[kept - 1]);
    dfl_free(r->ctx, room);
    return status;
}

/* B^T A B of the shapes: Aff products with all of them. */
static void reduced(double *A, const dfl_reduction *r, dfl_fe_matrix which)
{
    const size_t nf = (size_t)r->nf;
    const int nr = r->nr, nb = r->nb;
    double *y = r->side[which]; /* y = Aff x + Afb for one shape after the other */
    memset(A, 0, (size_t)(nr * nr) * sizeof *A);
    for (int k = 0; k < nb; k++)
        for (int l = 0; l < nr; l++) { /* Abf x */
            double sum = 0.0;
            for (size_t i = 0; i < nf; i++)
                sum += y[i + nf * (size_t)k] * r->shape[i + nf * (size_t)l];
            A[k + nr * l] += sum;
            A[l + nr * k] += sum;
        }
    for (int k = 0; k < nb; k++)
        for (int l = 0; l < nb; l++)
            A[k + nr * l] += r->corner[which][k + nb * l];
    double *work = y; /* the first column is not needed any more */
    for (int l = 0; l < nr; l++) {
        memset(work, 0, nf * sizeof *work);
        dfl_csc_add(work, r->pattern[which].start, r->pattern[which].row, r->nf, r->value[which],
                    1.0, r->shape + nf * (size_t)l);
        for (int k = 0; k < nr; k++)
            for (size_t i = 0; i < nf; i++)
                A[k + nr * l] += r->shape[i + nf * (size_t)k] * work[i];
    }
}

int dfl_reduction_reference(double *Z, const dfl_reduction *r, int frame)
{
    const int nr = r->nr, last = r->task->ninterfaces - 1;
    int columns = 0;
    double e[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const bool chord = frame == DFL_FRAME_CHORD && last > 0;
    if (chord) { /* e_0 along the chord */
        double length = 0.0;
        for (int a = 0; a < 3; a++)
            length = hypot(length, r->at[last][a] - r->at[0][a]);
        for (int a = 0; a < 3; a++)
            e[0][a] = (r->at[last][a] - r->at[0][a]) / length;
        const int least = fabs(e[0][0]) < fabs(e[0][1]) ? (fabs(e[0][0]) < fabs(e[0][2]) ? 0 : 2)
                                                        : (fabs(e[0][1]) < fabs(e[0][2]) ? 1 : 2);
        double size = 0.0;
        for (int a = 0; a < 3; a++) { /* in the plane e_1 lies in it, and e_2 is z */
            e[1][a] = r->task->planar ? (a == 0   ? -e[0][1]
                                         : a == 1 ? e[0][0]
                                                  : 0.0)
                                      : (a == least) - e[0][least] * e[0][a];
            size = hypot(size, e[1][a]);
        }
        for (int a = 0; a < 3; a++)
            e[1][a] /= size;
        for (int a = 0; a < 3; a++)
            e[2][a] = e[0][(a + 1) % 3] * e[1][(a + 2) % 3] - e[0][(a + 2) % 3] * e[1][(a + 1) % 3];
    }
    memset(Z, 0, (size_t)(nr * nr) * sizeof *Z);
    for (int k = 0; k < nr; k++) {
        const int interface = k / 6, d = k % 6;
        const bool motion = k < r->nb;
        bool held = false;
        if (motion && !chord && frame != DFL_FRAME_BUCKENS)
            held = interface == 0;
        if (motion && chord)
            held = interface == 0 ? d <= 3 : interface == last && (d == 1 || d == 2);
        held = held || (motion && r->task->planar && d >= 2 && d <= 4);
        if (held)
            continue;
        for (int a = 0; a < 3 && motion; a++)
            Z[6 * interface + 3 * (d / 3) + a + nr * columns] = e[d % 3][a];
        if (!motion)
            Z[k + nr * columns] = 1.0;
        columns++;
    }
    return columns;
}

/* ------------------------------------------------------------------ results */

void dfl_reduction_expand(double *u, const dfl_reduction *r, const double *unknowns,
                          const double *motions)
{
    for (int i = 0; i < r->fe->n; i++) {
        dfl_share s[3] = {{0}};
        const int count = dfl_reduction_shares(s, r, i);
        u[i] = 0.0;
        for (int a = 0; a < count; a++)
            u[i] += s[a].factor * (s[a].y < r->nf ? unknowns[s[a].y] : motions[s[a].y - r->nf]);
    }
}

static void set_node(dfl_sid_node *node, const dfl_reduction *r, int k)
{
    const int n = r->n;
    for (int d = 0; d < 6; d++)
        for (int i = 0; i < n; i++)
            (d < 3 ? node->phi : node->psi)[d % 3 * n + i] = r->basis[6 * k + d + r->nr * i];
}

/* Displacements of all unknowns, integrals and nodes. */
static dfl_status finish(dfl_sid *out, const dfl_reduction *r)
{
    const dfl_fe *fe = r->fe;
    const int n = r->n;
    const size_t nf = (size_t)r->nf, N = (size_t)fe->n;
    double *free_part = dfl_alloc(r->ctx, nf * (size_t)n, sizeof *free_part);
    double *u = dfl_alloc(r->ctx, N * (size_t)n, sizeof *u);
    dfl_status status = free_part && u ? DFL_OK : DFL_NO_MEMORY;
    if (!status)
        dfl_gemm(r->nf, n, r->nr, 1.0, r->shape, r->nf, r->basis, r->nr, 0.0, free_part, r->nf);
    for (int j = 0; j < n && !status; j++)
        dfl_reduction_expand(u + N * (size_t)j, r, free_part + nf * (size_t)j,
                             r->basis + r->nr * j);
    if (!status)
        status = dfl_fe_integrals(out, fe, u, n);
    for (int k = 0; k < r->task->ninterfaces && !status; k++) {
        dfl_sid_node *node = &out->node[out->nnodes++];
        snprintf(node->name, sizeof node->name, "%s", r->task->interface[k].name);
        node->id = r->task->interface[k].count == 1 ? r->task->interface[k].id[0] : 0;
        memcpy(node->at, r->at[k], sizeof node->at);
        set_node(node, r, k);
    }
    for (int k = 0; k < r->task->nwatched && !status; k++) {
        dfl_sid_node *node = &out->node[out->nnodes++];
        const int id = r->task->watched[k], from = dfl_fe_find_node(fe, id);
        if (from < 0)
            status = dfl_fail(r->ctx, DFL_INVALID, "there is no node %d", id);
        snprintf(node->name, sizeof node->name, "%d", id);
        node->id = id;
        for (int a = 0; a < 3 && !status; a++)
            node->at[a] = fe->at[3 * from + a];
        for (int i = 0; i < fe->n && !status; i++)
            for (int j = 0; j < n && fe->node[i] == from; j++)
                (fe->direction[i] < 3 ? node->phi : node->psi)[fe->direction[i] % 3 * n + j] =
                    u[(size_t)i + N * (size_t)j];
    }
    if (!status)
        status = dfl_reduction_outline(out, r, u);
    if (!status && !r->task->first_order)
        status = dfl_reduction_stiffen(out, r, u);
    if (!status && r->task->nloads > 0)
        status = dfl_reduction_take_loads(out, r, u);
    dfl_free(r->ctx, free_part);
    dfl_free(r->ctx, u);
    return status;
}
