/* damping.c: what determines the motion along massless directions.

   With G = d gam / d zeta, the velocities being v + K0 zeta, a direction z is of first order if
   G z is not zero: forces determine its speed. The rest is quasi-static if the stiffness reduced
   to it is regular, otherwise undetermined. */
#include "study/study_internal.h"

#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

/* Damping and stiffness below this part of the largest derivative of a force are zero. */
static const double zero_ratio = 1e-10;

/* Matrices at one state. */
typedef struct along {
    dfl_blocks at;         /* K0 */
    dfl_jacobian by;       /* derivatives of gam, of f, of p' */
    double *G, *K;         /* n0 x n0: damping, stiffness */
    double *room;          /* nv + np, times n0 */
    double size_v, size_q; /* largest entries of f_v and f_q */
} along;

static dfl_status allocate(along *a, const dfl_equations *eq);
static void release(along *a, const dfl_runnable *run);
static dfl_status project(along *a, dfl_runnable *run, double t, const double *x);
static dfl_status undamped(double **basis, int *count, const along *a, const dfl_equations *eq);
static dfl_status amplifies(bool *out, const along *a, const dfl_equations *eq);
static dfl_status reduced_stiffness(dfl_massless_kinds *out, const along *a,
                                    const dfl_equations *eq, const double *N, int free);
static dfl_status keep_direction(dfl_massless_kinds *out, const along *a, const dfl_equations *eq,
                                 const double *z);

dfl_status dfl_diagnose_massless(dfl_massless_kinds *out, dfl_runnable *run, double t,
                                 const double *x)
{
    const dfl_equations *eq = dfl_runnable_equations(run);
    dfl_context *ctx = eq->model->ctx;
    *out = (dfl_massless_kinds){.ctx = ctx};
    if (eq->n0 == 0 || !eq->have_jacobians)
        return DFL_OK;
    along a = {0};
    double *N = NULL;
    int free = 0;
    dfl_status status = allocate(&a, eq);
    if (!status)
        status = project(&a, run, t, x);
    if (!status)
        status = undamped(&N, &free, &a, eq);
    if (!status) {
        out->first_order = eq->n0 - free;
        out->size = a.size_v;
        if (free == 0)
            status = amplifies(&out->negative_damping, &a, eq);
        else
            status = reduced_stiffness(out, &a, eq, N, free);
    }
    if (!status && free > 0)
        status = keep_direction(out, &a, eq, N);
    release(&a, run);
    dfl_free(ctx, N);
    return status;
}

dfl_status dfl_direction_is_damped(bool *out, dfl_runnable *run, double t, const double *x,
                                   const double *direction)
{
    const dfl_equations *eq = dfl_runnable_equations(run);
    const int n0 = eq->n0, v = eq->nw + eq->nl + eq->nm + eq->nr;
    dfl_jacobian J;
    *out = !eq->have_jacobians || dfl_balance_is_coupled(eq);
    if (*out)
        return DFL_OK;
    double *a = dfl_alloc(ctx_of(run), (size_t)eq->nv, sizeof *a);
    dfl_status status = a ? dfl_state_jacobian_create(&J, run, t, x, a) : DFL_NO_MEMORY;
    dfl_free(ctx_of(run), a);
    if (status)
        return status;
    for (int i = 0; i < n0; i++) {
        double sum = 0.0, size = 0.0;
        for (int j = 0; j < eq->nv; j++) {
            sum += J.gam[i + (v + j) * n0] * direction[j];
            size = fmax(size, fabs(J.gam[i + (v + j) * n0]));
        }
        *out = *out || fabs(sum) > zero_ratio * size;
    }
    dfl_state_jacobian_free(&J, run);
    return DFL_OK;
}

bool dfl_balance_is_coupled(const dfl_equations *eq)
{
    const unsigned others = 1U << DFL_SYM_W | 1U << DFL_SYM_LAMBDA | 1U << DFL_SYM_MU;
    return dfl_balance_depends(eq, others);
}

void dfl_massless_kinds_clear(dfl_massless_kinds *kinds)
{
    if (kinds->ctx)
        dfl_free(kinds->ctx, kinds->direction);
    *kinds = (dfl_massless_kinds){0};
}

static dfl_status allocate(along *a, const dfl_equations *eq)
{
    dfl_context *ctx = eq->model->ctx;
    const size_t nv = (size_t)eq->nv, np = (size_t)eq->np, n0 = (size_t)eq->n0;
    a->G = dfl_alloc(ctx, n0 * n0, sizeof(double));
    a->K = dfl_alloc(ctx, n0 * n0, sizeof(double));
    a->room = dfl_alloc(ctx, (nv + np + 8) * n0, sizeof(double));
    return a->G && a->K && a->room ? DFL_OK : DFL_NO_MEMORY;
}

static void release(along *a, const dfl_runnable *run)
{
    dfl_state_blocks_free(&a->at, run);
    dfl_state_jacobian_free(&a->by, run);
    dfl_free(ctx_of(run), a->G);
    dfl_free(ctx_of(run), a->K);
    dfl_free(ctx_of(run), a->room);
}

/* G = gam_v K0, K = gam_p Z K0. Accelerations do not matter for what depends on v; they are
   zero. */
static dfl_status project(along *a, dfl_runnable *run, double t, const double *x)
{
    const dfl_equations *eq = dfl_runnable_equations(run);
    const int nv = eq->nv, np = eq->np, n0 = eq->n0, n = eq->n;
    const int v = eq->nw + eq->nl + eq->nm + eq->nr, p = n - np;
    double *rest = dfl_alloc(ctx_of(run), (size_t)nv, sizeof *rest);
    dfl_status status =
        rest ? dfl_state_blocks_create(&a->at, run, DFL_DIRECTIONS, t, x) : DFL_NO_MEMORY;
    if (!status)
        status = dfl_state_jacobian_create(&a->by, run, t, x, rest);
    dfl_free(ctx_of(run), rest);
    if (status)
        return status;
    a->size_v = dfl_max_abs(a->by.dyn + (size_t)v * (size_t)nv, nv * nv);
    a->size_q = dfl_max_abs(a->by.dyn + (size_t)p * (size_t)nv, nv * np);
    dfl_gemm(n0, n0, nv, 1.0, a->by.gam + (size_t)v * (size_t)n0, n0, a->at.K0, nv, 0.0, a->G, n0);
    dfl_gemm(np, n0, nv, 1.0, a->by.kin, np, a->at.K0, nv, 0.0, a->room, np);
    dfl_gemm(n0, n0, np, 1.0, a->by.gam + (size_t)p * (size_t)n0, n0, a->room, np, 0.0, a->K, n0);
    if (!dfl_all_finite(a->G, n0 * n0) || !dfl_all_finite(a->K, n0 * n0))
        return dfl_fail(ctx_of(run), DFL_NOT_FINITE,
                        "the balance of massless bodies contains NaN or Inf at t = %g", t);
    return DFL_OK;
}

/* The null space of G. */
static dfl_status undamped(double **basis, int *count, const along *a, const dfl_equations *eq)
{
    const size_t size = (size_t)eq->n0 * (size_t)eq->n0;
    double *copy = dfl_alloc(eq->model->ctx, size, sizeof *copy);
    if (!copy)
        return DFL_NO_MEMORY;
    for (size_t i = 0; i < size; i++)
        copy[i] = fabs(a->G[i]) > zero_ratio * a->size_v ? a->G[i] : 0.0;
    const dfl_status status = dfl_null_space(basis, count, eq->model->ctx, copy, eq->n0, eq->n0);
    dfl_free(eq->model->ctx, copy);
    return status;
}

/* An eigenvalue of G with positive real part: the derivative of a damper's force is negative. */
static dfl_status amplifies(bool *out, const along *a, const dfl_equations *eq)
{
    const int n = eq->n0;
    dfl_context *ctx = eq->model->ctx;
    const size_t entries = (size_t)n * (size_t)n;
    double *copy =
        dfl_alloc(ctx, entries + 2 * (size_t)n + (size_t)DFL_EIGENVALUES_WORK(n), sizeof *copy);
    if (!copy)
        return DFL_NO_MEMORY;
    double *re = copy + entries, *im = re + n;
    memcpy(copy, a->G, entries * sizeof *copy);
    const bool found = dfl_eigenvalues(re, im, copy, n, im + n);
    for (int i = 0; found && i < n; i++)
        *out = *out || re[i] > zero_ratio * a->size_v;
    dfl_free(ctx, copy);
    return found ? DFL_OK
                 : dfl_fail(ctx, DFL_NOT_CONVERGED,
                            "the damping of massless bodies has no eigenvalues that can be found");
}

/* The rank of N^T K N for the directions N without damping. */
static dfl_status reduced_stiffness(dfl_massless_kinds *out, const along *a,
                                    const dfl_equations *eq, const double *N, int free)
{
    const int n = eq->n0;
    double *R = dfl_alloc(eq->model->ctx, (size_t)free * (size_t)free, sizeof *R), *basis = NULL;
    if (!R)
        return DFL_NO_MEMORY;
    dfl_gemm(n, free, n, 1.0, a->K, n, N, n, 0.0, a->room, n);
    dfl_gemm_tn(free, free, n, 1.0, N, n, a->room, n, 0.0, R, free);
    out->stiffness = dfl_max_abs(R, free * free);
    for (int i = 0; i < free * free; i++)
        if (!(fabs(R[i]) > zero_ratio * a->size_q))
            R[i] = 0.0;
    const dfl_status status =
        dfl_null_space(&basis, &out->undetermined, eq->model->ctx, R, free, free);
    out->quasistatic = free - out->undetermined;
    dfl_free(eq->model->ctx, R);
    dfl_free(eq->model->ctx, basis);
    return status;
}

/* The first direction without damping, its largest entry 1. */
static dfl_status keep_direction(dfl_massless_kinds *out, const along *a, const dfl_equations *eq,
                                 const double *z)
{
    const int nv = eq->nv, n0 = eq->n0;
    out->direction = dfl_alloc(eq->model->ctx, (size_t)nv, sizeof *out->direction);
    if (!out->direction)
        return DFL_NO_MEMORY;
    dfl_gemm(nv, 1, n0, 1.0, a->at.K0, nv, z, n0, 0.0, out->direction, nv);
    dfl_gemm(n0, 1, n0, 1.0, a->G, n0, z, n0, 0.0, a->room, n0);
    out->damping = dfl_max_abs(a->room, n0);
    double scale = 0.0;
    for (int j = 0; j < nv; j++)
        if (fabs(out->direction[j]) > fabs(scale) * (1.0 + 1e-9))
            scale = out->direction[j];
    for (int j = 0; j < nv; j++) {
        out->direction[j] /= scale;
        if (fabs(out->direction[j]) < 1e-9)
            out->direction[j] = 0.0;
    }
    return DFL_OK;
}
