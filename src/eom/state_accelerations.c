/* state_accelerations.c: the accelerations that belong to a state.

   With the multipliers known,  M a = f - W^T (l, m)  is all it takes as long as M is regular.
   Otherwise the rows  W a = -bias  and the rate of the massless directions' balance,  gam' = 0,
   are added and the least squares solution of all is taken: they agree. */
#include "eom/eom.h"

#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

struct dfl_accelerations {
    dfl_context *ctx;
    const dfl_eom *eom;
    dfl_factor *mass;
    double *M;     /* nv x nv, or nv if diagonal */
    double *force; /* nv */
    /* for singular masses: */
    dfl_lstsq *lstsq;
    double *rows; /* (nv + nc + n0) x nv, then the right-hand side */
};

static bool eval_mass(dfl_accelerations *work, double t, const double *x);
static dfl_status make_room(dfl_accelerations *work);
static int row_count(const dfl_eom *eom);
static void stack_rows(dfl_accelerations *work, const dfl_blocks *blocks,
                       const dfl_balance_rate *rate);
static bool is_open(const dfl_accelerations *work, const double *rows, int j);

dfl_status dfl_accelerations_create(dfl_accelerations **out, dfl_context *ctx, const dfl_eom *eom,
                                    bool singular)
{
    *out = NULL;
    dfl_accelerations *work = dfl_alloc(ctx, 1, sizeof *work);
    if (!work)
        return DFL_NO_MEMORY;
    const size_t nv = (size_t)eom->nv;
    work->ctx = ctx;
    work->eom = eom;
    work->M = dfl_alloc(ctx, eom->mass_diagonal ? nv : nv * nv, sizeof(double));
    work->force = dfl_alloc(ctx, nv, sizeof(double));
    dfl_status status = work->M && work->force ? dfl_factor_create(&work->mass, ctx, eom->nv, false)
                                               : DFL_NO_MEMORY;
    if (!status && singular)
        status = make_room(work);
    if (status) {
        dfl_accelerations_free(work);
        return status;
    }
    *out = work;
    return DFL_OK;
}

void dfl_accelerations_free(dfl_accelerations *work)
{
    if (!work)
        return;
    dfl_context *ctx = work->ctx;
    dfl_lstsq_free(work->lstsq, ctx);
    dfl_free(ctx, work->rows);
    dfl_factor_free(work->mass, ctx);
    dfl_free(ctx, work->M);
    dfl_free(ctx, work->force);
    dfl_free(ctx, work);
}

bool dfl_accelerations_solve(double *a, dfl_accelerations *work, const dfl_blocks *blocks, double t,
                             const double *x)
{
    const dfl_eom *eom = work->eom;
    const int nv = eom->nv, nc = eom->nl + eom->nm;
    memcpy(work->force, blocks->f, (size_t)nv * sizeof *a);
    dfl_gemm_tn(nv, 1, nc, -1, blocks->W, nc, x + eom->nw, nc, 1, work->force, nv);
    memcpy(a, work->force, (size_t)nv * sizeof *a);
    if (!eom->mass)
        return !eom->mass_times && !eom->residual; /* the identity */
    if (!eval_mass(work, t, x))
        return false;
    return dfl_mass_solve(a, work->mass, work->M, nv, eom->mass_diagonal);
}

bool dfl_mass_solve(double *a, dfl_factor *factor, const double *M, int nv, bool diagonal)
{
    bool regular = true;
    for (int i = 0; diagonal && i < nv; i++) {
        regular = regular && M[i] != 0;
        a[i] /= M[i];
    }
    if (diagonal)
        return regular;
    double *A = dfl_factor_matrix(factor);
    if (A != M)
        memcpy(A, M, (size_t)nv * (size_t)nv * sizeof *A);
    regular = dfl_factor_compute(factor, nv, DFL_METHOD_QR);
    if (regular)
        dfl_factor_solve(factor, a);
    return regular;
}

void dfl_accelerations_complete(double *a, dfl_accelerations *work, const dfl_blocks *blocks,
                                const dfl_balance_rate *rate, double t, const double *x)
{
    const int nv = work->eom->nv, rows = row_count(work->eom);
    if (dfl_accelerations_solve(a, work, blocks, t, x))
        return;
    bool solved = work->eom->mass != NULL;
    double *right = solved ? work->rows + rows * nv : NULL;
    if (solved) {
        stack_rows(work, blocks, rate);
        for (int j = 0; j < nv; j++) /* kept, since the solution overwrites the matrix */
            work->M[j] = is_open(work, work->rows, j) ? NAN : 0;
        solved = dfl_lstsq_solve(a, work->lstsq, rows, nv, work->rows, right, 1e-12, NULL);
    }
    for (int j = 0; j < nv; j++)
        a[j] = solved ? a[j] + work->M[j] : NAN;
}

static bool eval_mass(dfl_accelerations *work, double t, const double *x)
{
    const dfl_eom *eom = work->eom;
    const size_t nv = (size_t)eom->nv;
    memset(work->M, 0, (eom->mass_diagonal ? nv : nv * nv) * sizeof *work->M);
    return !eom->mass(work->M, t, x, eom->user);
}

static dfl_status make_room(dfl_accelerations *work)
{
    const int nv = work->eom->nv, rows = row_count(work->eom);
    work->rows = dfl_alloc(work->ctx, (size_t)rows * (size_t)(nv + 1), sizeof *work->rows);
    return work->rows ? dfl_lstsq_create(&work->lstsq, work->ctx, rows, nv) : DFL_NO_MEMORY;
}

static int row_count(const dfl_eom *eom)
{
    return eom->nv + eom->nl + eom->nm + eom->n0;
}

/* [M; W; rows of gam'] and (f - W^T (l, m); -bias; -drift) */
static void stack_rows(dfl_accelerations *work, const dfl_blocks *blocks,
                       const dfl_balance_rate *rate)
{
    const int nv = work->eom->nv, nc = work->eom->nl + work->eom->nm, n0 = work->eom->n0;
    const int rows = row_count(work->eom);
    const bool diagonal = work->eom->mass_diagonal;
    double *right = work->rows + rows * nv;
    for (int j = 0; j < nv; j++) {
        double *column = work->rows + rows * j;
        for (int i = 0; i < nv; i++)
            column[i] = !diagonal ? work->M[i + nv * j] : i == j ? work->M[j] : 0;
        memcpy(column + nv, blocks->W + nc * j, (size_t)nc * sizeof *column);
        for (int i = 0; i < n0; i++)
            column[nv + nc + i] = rate->rows[i + n0 * j];
    }
    memcpy(right, work->force, (size_t)nv * sizeof *right);
    for (int i = 0; i < nc; i++)
        right[nv + i] = -blocks->bias[i];
    for (int i = 0; i < n0; i++)
        right[nv + nc + i] = -rate->drift[i];
}

/* Whether column j of the rows is zero. */
static bool is_open(const dfl_accelerations *work, const double *rows, int j)
{
    const int m = row_count(work->eom);
    for (int i = 0; i < m; i++)
        if (rows[m * j + i] != 0)
            return false;
    return true;
}
