/* massless_blocks.c: K0, gam and its derivatives where a tree of bodies has massless directions.

   K, gam_K = K^T (f - C) and the accelerations a come from the recursion; Y combines the directions
   that the constraints leave: K0 = K Y, gam = Y^T gam_K (derive/tree_directions.c).

   K0 need not be differentiated. Differentiating M K0 = 0 and W_R K0 = 0, with the rows R that the
   combinations Y use, gives

       d gam = K0^T d(f - C - M a - W_R^T mu)

   for the a and mu of  M a = f - C - W_R^T mu  apart from gam, where mu balances what the rows
   hold: (B_R B_R^T) mu = B_R gam_K with B = W K. Terms with gam itself are left out: it is zero
   along a solution. */
#include "engine/massless_blocks.h"

#include "engine/engine_internal.h"
#include "linalg/linalg.h"

#include <string.h>

enum {
    KINEMATICS = 0,
    FORCE = 1,
    DYNAMIC = 2,
    DIRECTIONS = 6
}; /* numbers of programs in run->single */

struct dfl_massless_blocks {
    const dfl_runnable *run;
    dfl_tree_state *state;
    double *f, *a, *gam;   /* nv; nv; all */
    double *K, *K0;        /* nv x all; nv x left */
    double *W, *B, *Y;     /* rows x nv; rows x all; all x left */
    double *room;          /* held (held + 1) */
    double *x, *J, *mu;    /* n; nv x n; held */
    double *gam_x, *rates; /* left x n; np + nr */
    dfl_factor *factor;    /* of B_R B_R^T; NULL if nothing is held */
};

static dfl_status allocate(dfl_massless_blocks *m);
static bool combine(dfl_massless_blocks *m, double t, const double *x);
static bool hold(dfl_massless_blocks *m);

dfl_status dfl_massless_blocks_create(dfl_massless_blocks **out, const dfl_runnable *run,
                                      dfl_tree_state *state)
{
    const dfl_directions *d = run->eq->massless.tree;
    const dfl_numbers given = dfl_runnable_numbers(run, dfl_start_time(run->eq), d->x, NULL);
    *out = NULL;
    dfl_massless_blocks *m = dfl_alloc(run->ctx, 1, sizeof *m);
    if (!m)
        return DFL_NO_MEMORY;
    m->run = run;
    m->state = state;
    dfl_status status = allocate(m);
    if (!status)
        status = dfl_tree_state_place_at(state, &given);
    if (!status)
        status = dfl_tree_state_decide(state);
    if (!status && d->held > 0)
        status = dfl_factor_create(&m->factor, run->ctx, d->held, false);
    if (status)
        dfl_massless_blocks_free(m);
    else
        *out = m;
    return status;
}

static dfl_status allocate(dfl_massless_blocks *m)
{
    const dfl_equations *eq = m->run->eq;
    const dfl_directions *d = eq->massless.tree;
    const size_t nv = (size_t)eq->nv, n = (size_t)eq->n, rows = (size_t)(eq->nl + eq->nm);
    const size_t all = (size_t)d->all, left = (size_t)d->left, held = (size_t)d->held;
    double **const arrays[] = {&m->f, &m->a, &m->gam,  &m->K, &m->K0, &m->W,     &m->B,
                               &m->Y, &m->x, &m->room, &m->J, &m->mu, &m->gam_x, &m->rates};
    const size_t sizes[] = {nv,         nv,
                            all,        nv * all,
                            nv * left,  rows * nv,
                            rows * all, all * left,
                            n,          held * (held + 1),
                            nv * n,     held,
                            left * n,   (size_t)(eq->np + eq->nr)};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        *arrays[i] = dfl_alloc(m->run->ctx, sizes[i], sizeof(double));
        if (!*arrays[i])
            return DFL_NO_MEMORY;
    }
    return DFL_OK;
}

void dfl_massless_blocks_free(dfl_massless_blocks *m)
{
    if (!m)
        return;
    dfl_context *ctx = m->run->ctx;
    void *const blocks[] = {m->f, m->a,    m->gam, m->K, m->K0, m->W,     m->B,
                            m->Y, m->room, m->x,   m->J, m->mu, m->gam_x, m->rates};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        dfl_free(ctx, blocks[i]);
    dfl_factor_free(m->factor, ctx);
    dfl_free(ctx, m);
}

int dfl_massless_blocks_eval(dfl_blocks *out, dfl_massless_blocks *m, double t, const double *x,
                             unsigned need)
{
    const dfl_equations *eq = m->run->eq;
    const dfl_directions *d = eq->massless.tree;
    if (!combine(m, t, x))
        return 1;
    if (need & DFL_DIRECTIONS)
        memcpy(out->K0, m->K0, (size_t)eq->nv * (size_t)d->left * sizeof *out->K0);
    if (need & DFL_VELOCITY)
        dfl_gemm_tn(d->left, 1, d->all, 1.0, m->Y, d->all, m->gam, d->all, 0.0, out->gam, d->left);
    return 0;
}

/* f, gam, a, K, Y and K0 at a state where the tree is; W and B if rows are needed. */
static bool combine(dfl_massless_blocks *m, double t, const double *x)
{
    const dfl_runnable *run = m->run;
    const dfl_equations *eq = run->eq;
    const dfl_directions *d = eq->massless.tree;
    const int nv = eq->nv, rows = eq->nl + eq->nm;
    double *out[OUT_BLOCKS] = {[OUT_F] = m->f, [OUT_W] = m->W};
    dfl_runnable_evaluate(&run->single[FORCE], run, t, x, NULL, out);
    dfl_tree_state_balance(m->gam, m->a, m->state, m->f);
    dfl_tree_state_null_space(m->K, m->state);
    if (d->held > 0) {
        dfl_runnable_evaluate(&run->single[DIRECTIONS], run, t, x, NULL, out);
        dfl_tree_state_rows(&(dfl_blocks){.W = m->W}, m->state, DFL_DIRECTIONS);
        dfl_gemm(rows, d->all, nv, 1.0, m->W, rows, m->K, nv, 0.0, m->B, rows);
    }
    if (!dfl_directions_combine(m->Y, d, m->B, rows, m->room))
        return false;
    dfl_gemm(nv, d->left, d->all, 1.0, m->K, nv, m->Y, d->all, 0.0, m->K0, nv);
    return true;
}

int dfl_massless_blocks_jacobian(double *gam, dfl_massless_blocks *m, double t, const double *x)
{
    const dfl_runnable *run = m->run;
    const dfl_equations *eq = run->eq;
    const dfl_directions *d = eq->massless.tree;
    const int nv = eq->nv, n = eq->n;
    if (!combine(m, t, x) || (d->held > 0 && !hold(m)))
        return 1;
    memcpy(m->x, x, (size_t)n * sizeof *m->x);
    memset(m->x + eq->nw, 0, (size_t)(eq->nl + eq->nm) * sizeof *m->x);
    for (int q = 0; q < d->held; q++)
        m->x[eq->nw + d->row[q]] = m->mu[q];
    memset(m->J, 0, (size_t)nv * (size_t)n * sizeof *m->J);
    dfl_runnable_evaluate(&run->motion_slopes, run, t, m->x, m->a, &m->J);
    dfl_tree_state_slopes(m->J, m->state, m->a, m->x + eq->nw);
    dfl_gemm_tn(d->left, n, nv, 1.0, m->K0, nv, m->J, nv, 0.0, gam, d->left);
    memset(gam + (size_t)eq->nw * (size_t)d->left, 0,
           (size_t)(eq->nl + eq->nm) * (size_t)d->left * sizeof *gam); /* K0^T W^T = 0 */
    return 0;
}

/* mu, and a with the forces of the rows that hold. */
static bool hold(dfl_massless_blocks *m)
{
    const dfl_equations *eq = m->run->eq;
    const dfl_directions *d = eq->massless.tree;
    const int rows = eq->nl + eq->nm;
    double *A = dfl_factor_matrix(m->factor);
    for (int q = 0; q < d->held; q++) {
        m->mu[q] = 0.0;
        for (int c = 0; c < d->all; c++)
            m->mu[q] += m->B[d->row[q] + (long)c * rows] * m->gam[c];
        for (int r = 0; r < d->held; r++) {
            double sum = 0.0;
            for (int c = 0; c < d->all; c++)
                sum += m->B[d->row[q] + (long)c * rows] * m->B[d->row[r] + (long)c * rows];
            A[q + r * d->held] = sum;
        }
    }
    if (!dfl_factor_compute(m->factor, d->held, DFL_METHOD_LU))
        return false;
    dfl_factor_solve(m->factor, m->mu);
    for (int q = 0; q < d->held; q++)
        for (int i = 0; i < eq->nv; i++)
            m->f[i] -= m->W[d->row[q] + (long)i * rows] * m->mu[q];
    dfl_tree_state_balance(m->gam, m->a, m->state, m->f);
    return true;
}

/* rows = gam_v, drift = gam_p p' + gam_r r'. */
int dfl_massless_blocks_rate(double *rows, double *drift, dfl_massless_blocks *m, double t,
                             const double *x)
{
    const dfl_runnable *run = m->run;
    const dfl_equations *eq = run->eq;
    const int n0 = eq->n0, r = eq->nw + eq->nl + eq->nm, v = r + eq->nr, p = eq->n - eq->np;
    double *const out[OUT_BLOCKS] = {[OUT_KIN] = m->rates, [OUT_B] = m->rates + eq->np};
    const int result = dfl_massless_blocks_jacobian(m->gam_x, m, t, x);
    dfl_runnable_evaluate(&run->single[KINEMATICS], run, t, x, NULL, out);
    dfl_runnable_evaluate(&run->single[DYNAMIC], run, t, x, NULL, out);
    memcpy(rows, m->gam_x + (size_t)v * (size_t)n0, (size_t)n0 * (size_t)eq->nv * sizeof *rows);
    dfl_gemm(n0, 1, eq->np, 1.0, m->gam_x + (size_t)p * (size_t)n0, n0, m->rates, eq->np, 0.0,
             drift, n0);
    dfl_gemm(n0, 1, eq->nr, 1.0, m->gam_x + (size_t)r * (size_t)n0, n0, m->rates + eq->np, eq->nr,
             1.0, drift, n0);
    return result;
}
