/* massless_check.c: what determines massless directions, and the message when nothing does.

   With G = K0^T f_v K0 a direction z is of first order if G z is not zero: dampers determine its
   speed. The rest is quasi-static if the stiffness K0^T f_q K0 reduced to it is regular, otherwise
   undetermined. */
#include "multibody/multibody_internal.h"

#include "context/context.h"

#include "multibody/tree_internal.h"

#include <math.h>
#include <string.h>

/* Damping and stiffness below this part of the largest entry of f_v or f_q are zero. */
static const double zero_ratio = 1e-10;

/* n0 x n0 matrices along massless directions, and workspace. */
typedef struct along {
    int nv, n0;
    double *K0, *G, *K; /* nv x n0; damping and stiffness */
    double *N;          /* n0 x (n0 - damped): directions without damping */
    double *work;       /* nv x n0, at least 2 n0 + DFL_EIGENVALUES_WORK(n0) */
    double size_v, size_q;
    dfl_split *split;
} along;

static dfl_status allocate(along *a, dfl_multibody *m);
static void release(along *a, dfl_context *ctx);
static int project(along *a, dfl_multibody *m);
static double largest(const double *x, int n);
static int rank_of(along *a, const double *A, int n, double size, double *smallest);
static bool amplifies(along *a);
static int reduced_stiffness(along *a, int free);
static dfl_status refuse(const dfl_massless *found, along *a, dfl_multibody *m);
static void list_bodies(dfl_text *text, dfl_multibody *m, const double *direction);
static void list_direction(dfl_text *text, const dfl_multibody *m, const double *direction);

dfl_status dfl_multibody_check_massless(dfl_massless *out, dfl_multibody *m)
{
    *out = (dfl_massless){.held = m->held.count,
                          .singular = m->ranks.singular,
                          .negligible = m->ranks.negligible,
                          .ratio = m->ranks.ratio};
    dfl_status status = dfl_multibody_ready(m);
    if (status)
        return status;
    if (m->eom.n0 == 0)
        return DFL_OK;
    along a = {.nv = m->eom.nv, .n0 = m->eom.n0};
    status = dfl_multibody_need_names(m);
    if (!status)
        status = allocate(&a, m);
    if (!status)
        status = dfl_multibody_called(m, project(&a, m), m->t);
    if (!status && !(dfl_all_finite(a.G, a.n0 * a.n0) && dfl_all_finite(a.K, a.n0 * a.n0)))
        status = dfl_fail(m->ctx, DFL_NOT_FINITE,
                          "the forces on massless bodies contain NaN or Inf at t = %g", m->t);
    if (!status) {
        out->size = a.size_v;
        out->first_order = rank_of(&a, a.G, a.n0, a.size_v, &out->damping);
        const int free = a.n0 - out->first_order;
        out->negative_damping = free == 0 && amplifies(&a);
        out->quasistatic = free > 0 ? reduced_stiffness(&a, free) : 0;
        out->undetermined = free - out->quasistatic;
        if (free > 0)
            status = refuse(out, &a, m);
    }
    release(&a, m->ctx);
    return status;
}

static dfl_status allocate(along *a, dfl_multibody *m)
{
    const size_t nv = (size_t)a->nv, n0 = (size_t)a->n0, d = sizeof(double);
    a->K0 = dfl_alloc(m->ctx, nv * n0, d);
    a->G = dfl_alloc(m->ctx, n0 * n0, d);
    a->K = dfl_alloc(m->ctx, n0 * n0, d);
    a->N = dfl_alloc(m->ctx, n0 * n0, d);
    a->work = dfl_alloc(m->ctx, (nv + 8) * n0 + 16, d);
    if (!a->K0 || !a->G || !a->K || !a->N || !a->work)
        return DFL_NO_MEMORY;
    return dfl_split_create(&a->split, m->ctx, a->n0, a->n0);
}

static void release(along *a, dfl_context *ctx)
{
    dfl_split_free(a->split, ctx);
    dfl_free(ctx, a->K0);
    dfl_free(ctx, a->G);
    dfl_free(ctx, a->K);
    dfl_free(ctx, a->N);
    dfl_free(ctx, a->work);
}

/* K0, G = K0^T f_v K0 and K = K0^T f_q K0 at the state. */
static int project(along *a, dfl_multibody *m)
{
    const int nv = a->nv, n0 = a->n0;
    int result = dfl_multibody_forces(m->tau, m);
    if (result)
        return result;
    dfl_multibody_directions(m, m->tau);
    dfl_multibody_reduce(a->K0, NULL, m);
    result = dfl_multibody_derive(m, m->a);
    if (result)
        return result;
    a->size_v = largest(m->mat.Tv, nv * nv);
    a->size_q = largest(m->mat.Tq, nv * nv);
    dfl_gemm(nv, n0, nv, 1.0, m->mat.Tv, nv, a->K0, nv, 0.0, a->work, nv);
    dfl_gemm_tn(n0, n0, nv, 1.0, a->K0, nv, a->work, nv, 0.0, a->G, n0);
    dfl_gemm(nv, n0, nv, 1.0, m->mat.Tq, nv, a->K0, nv, 0.0, a->work, nv);
    dfl_gemm_tn(n0, n0, nv, 1.0, a->K0, nv, a->work, nv, 0.0, a->K, n0);
    return 0;
}

static double largest(const double *x, int n)
{
    double value = 0.0;
    for (int i = 0; i < n; i++)
        value = fmax(value, fabs(x[i]));
    return value;
}

/* The rank of an n x n matrix relative to `size`; the null space stays in a->split (or is
   everything). */
static int rank_of(along *a, const double *A, int n, double size, double *smallest)
{
    const double top = largest(A, n * n);
    *smallest = 0.0;
    if (!(top > zero_ratio * size))
        return 0;
    const dfl_split_rule rule = {
        .method = DFL_METHOD_SVD, .tolerance = fmin(0.5, zero_ratio * size / top), .rank = -1};
    if (!dfl_split_compute(a->split, &rule, A, n, n, n))
        return 0;
    *smallest = a->split->rank == n ? a->split->smallest : a->split->dropped;
    return a->split->rank;
}

/* An eigenvalue of G with positive real part: f_v of a damper is negative. */
static bool amplifies(along *a)
{
    const int n = a->n0;
    double *re = a->work, *im = re + n, *room = im + n;
    double *A = a->N;
    memcpy(A, a->G, (size_t)n * (size_t)n * sizeof *A);
    if (!dfl_eigenvalues(re, im, A, n, room))
        return false;
    for (int i = 0; i < n; i++)
        if (re[i] > 0.0)
            return true;
    return false;
}

/* The rank of N^T K N for the directions N without damping. */
static int reduced_stiffness(along *a, int free)
{
    const int n = a->n0;
    double unused, *T = a->work;
    memset(a->N, 0, (size_t)n * (size_t)n * sizeof *a->N);
    if (free == n)
        for (int i = 0; i < n; i++)
            a->N[i + i * n] = 1.0;
    else
        memcpy(a->N, a->split->N, (size_t)n * (size_t)free * sizeof *a->N);
    dfl_gemm(n, free, n, 1.0, a->K, n, a->N, n, 0.0, T, n);
    dfl_gemm_tn(free, free, n, 1.0, a->N, n, T, n, 0.0, a->K, free);
    return rank_of(a, a->K, free, a->size_q, &unused);
}

/* The message of the first direction without damping. */
static dfl_status refuse(const dfl_massless *found, along *a, dfl_multibody *m)
{
    dfl_text text = {.ctx = m->ctx};
    double *direction = a->work;
    dfl_gemm(a->nv, 1, a->n0, 1.0, a->K0, a->nv, a->N, a->n0, 0.0, direction, a->nv);
    const double scale = largest(direction, a->nv);
    int joint = 0;
    for (int i = a->nv - 1; i >= 0; i--) {
        direction[i] /= scale;
        if (fabs(direction[i]) > 1e-6)
            joint = dfl_tree_joint_of(m->tree, i);
    }
    dfl_text_add(&text, "%s moves ", dfl_joint_label(m->tree, joint).text);
    list_bodies(&text, m, direction);
    dfl_text_add(&text, "; no force in the model depends on the speed of this motion (");
    list_direction(&text, m, direction);
    dfl_text_add(&text, "; |d gamma/d zeta| = %.1e, needed > %.0e * %.1e). ", found->damping,
                 zero_ratio, found->size);
    if (found->undetermined > 0)
        dfl_text_add(&text,
                     "The direction is undetermined (neither mass, damping nor stiffness). ");
    dfl_text_add(&text, "Ways out: add a damper along this motion; give the bodies mass; lock the "
                        "joint");
    if (found->undetermined == 0)
        dfl_text_add(&text, " (its stiffness, %.1e, would determine the position)",
                     largest(a->K, 1));
    const dfl_status status =
        text.status ? text.status
                    : dfl_fail(m->ctx, DFL_SINGULAR, "massless direction without damping: %s",
                               dfl_text_string(&text));
    dfl_text_clear(&text);
    return status;
}

/* The bodies without inertia that the motion moves. */
static void list_bodies(dfl_text *text, dfl_multibody *m, const double *direction)
{
    const dfl_tree *tree = m->tree;
    bool first = true;
    dfl_tree_velocities(m->tree, direction);
    m->moving = false;
    for (int b = 0; b < tree->nbodies; b++) {
        const double *twist = tree->state[tree->body.node[b]].v;
        if (!tree->body.empty[b] || largest(twist, 6) < 1e-6)
            continue;
        dfl_text_add(text, "%s", first ? "only the massless bodies " : ", ");
        if (tree->body.name[b])
            dfl_text_add(text, "'%s'", tree->body.name[b]);
        else
            dfl_text_add(text, "%d", b);
        first = false;
    }
    if (first)
        dfl_text_add(text, "no mass");
}

static void list_direction(dfl_text *text, const dfl_multibody *m, const double *direction)
{
    bool first = true;
    dfl_text_add(text, "direction v =");
    for (int i = 0; i < m->eom.nv; i++) {
        if (fabs(direction[i]) < 1e-6)
            continue;
        dfl_text_add(text, " %s%.2f*%s",
                     direction[i] < 0.0 ? "-"
                     : first            ? ""
                                        : "+",
                     fabs(direction[i]), m->names.v[i]);
        first = false;
    }
}
