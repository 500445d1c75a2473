/* packed_motion.c: accelerations of models whose matrices are nonzeros only.

   M a = f - W^T (l, m) gives a_1, of what has mass. The others, such as those of joint coordinates
   beside absolute ones, follow from W a = -bias: with their columns W_0 of W and e = -bias - W_1
   a_1, [I W_0; W_0^T 0] (r, a_0) = (e, 0) has the least squares solution of W_0 a_0 = e. */
#include "engine/engine_internal.h"
#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

/* Directions whose distance from the others is below this part of their length are not determined.
 */
#define INDEPENDENT 1e-7

struct dfl_packed_motion {
    dfl_csc mass, none, rows; /* patterns: M with its diagonal; no rows; W^T */
    int *mass_at, *rows_at;   /* where the nonzeros of M, then its diagonal, and those of W are */
    dfl_saddle_ldl *mass_ldl, *rows_ldl;
    double *M, *mass_value, *ones, *rows_value, *e;
    unsigned char *heavy; /* has mass */
};

static dfl_status make_patterns(struct dfl_packed_motion *own, dfl_runnable *run);
static void split(struct dfl_packed_motion *own, const dfl_equations *eq);
static bool solve_heavy(double *a, struct dfl_packed_motion *own, const dfl_equations *eq);
static void solve_light(double *a, struct dfl_packed_motion *own, const dfl_runnable *run);

dfl_status dfl_packed_motion_create(dfl_runnable *run)
{
    const dfl_equations *eq = run->eq;
    const size_t nv = (size_t)eq->nv, nc = (size_t)(eq->nl + eq->nm), W = (size_t)eq->W.count;
    const size_t M = (size_t)eq->M.count + nv, K0 = (size_t)eq->massless.K0.count;
    struct dfl_packed_motion *own = dfl_alloc(run->ctx, 1, sizeof *own);
    run->packed_motion = own;
    run->a = dfl_alloc(run->ctx, 2 * nv + 2 * W + 3 * nc + 2 * M + K0 + 1, sizeof *run->a);
    if (!own || !run->a)
        return DFL_NO_MEMORY;
    run->blocks = (dfl_blocks){.f = run->a + nv, .W = run->a + 2 * nv};
    run->blocks.bias = run->blocks.W + W;
    own->e = run->blocks.bias + nc;
    own->ones = own->e + nc;
    own->rows_value = own->ones + nc;
    own->M = own->rows_value + W;
    own->mass_value = own->M + M;
    run->blocks.K0 = own->mass_value + M; /* comes with W, not used */
    for (size_t i = 0; i < nc; i++)
        own->ones[i] = 1;
    own->heavy = dfl_alloc(run->ctx, nv + 1, sizeof *own->heavy);
    own->mass_at = dfl_alloc(run->ctx, M + 1, sizeof *own->mass_at);
    own->rows_at = dfl_alloc(run->ctx, W + 1, sizeof *own->rows_at);
    return own->heavy && own->mass_at && own->rows_at ? make_patterns(own, run) : DFL_NO_MEMORY;
}

void dfl_packed_motion_free(dfl_runnable *run)
{
    struct dfl_packed_motion *own = run->packed_motion;
    if (!own)
        return;
    dfl_saddle_ldl_free(own->mass_ldl);
    dfl_saddle_ldl_free(own->rows_ldl);
    dfl_csc_clear(&own->mass, run->ctx);
    dfl_csc_clear(&own->none, run->ctx);
    dfl_csc_clear(&own->rows, run->ctx);
    dfl_free(run->ctx, own->heavy);
    dfl_free(run->ctx, own->mass_at);
    dfl_free(run->ctx, own->rows_at);
    dfl_free(run->ctx, own);
}

const double *dfl_packed_accelerations(dfl_runnable *run, double t, const double *x)
{
    struct dfl_packed_motion *own = run->packed_motion;
    const dfl_equations *eq = run->eq;
    const int nv = eq->nv;
    run->eom.eval(&run->blocks, t, x, DFL_FORCE | DFL_DIRECTIONS | DFL_BIAS, run);
    memset(own->M, 0, ((size_t)eq->M.count + (size_t)nv) * sizeof *own->M);
    run->eom.mass(own->M, t, x, run);
    memcpy(run->a, run->blocks.f, (size_t)nv * sizeof *run->a);
    dfl_csc_add_transposed(run->a, run->sparsity.W.column_start, run->sparsity.W.row, nv,
                           run->blocks.W, -1, x + eq->nw);
    split(own, eq);
    if (solve_heavy(run->a, own, eq))
        solve_light(run->a, own, run);
    else
        for (int j = 0; j < nv; j++)
            run->a[j] = NAN;
    return run->a;
}

static dfl_status make_patterns(struct dfl_packed_motion *own, dfl_runnable *run)
{
    const dfl_equations *eq = run->eq;
    const int nv = eq->nv, nc = eq->nl + eq->nm, M = eq->M.count, W = eq->W.count;
    dfl_place_of_entry *place = dfl_alloc(run->ctx, (size_t)(M + nv + W) + 1, sizeof *place),
                       *transposed = place + M + nv;
    if (!place)
        return DFL_NO_MEMORY;
    for (int k = 0; k < M; k++)
        place[k] = (dfl_place_of_entry){eq->M.entry[k].row, eq->M.entry[k].col};
    for (int j = 0; j < nv; j++)
        place[M + j] = (dfl_place_of_entry){j, j};
    for (int k = 0; k < W; k++)
        transposed[k] = (dfl_place_of_entry){eq->W.entry[k].col, eq->W.entry[k].row};
    dfl_status status = dfl_csc_create(&own->mass, own->mass_at, run->ctx, nv, nv, place, M + nv);
    if (!status)
        status = dfl_csc_create(&own->rows, own->rows_at, run->ctx, nv, nc, transposed, W);
    dfl_free(run->ctx, place);
    if (!status)
        status = dfl_csc_create(&own->none, NULL, run->ctx, 0, nv, NULL, 0);
    if (!status && !eq->flags.mass_diagonal)
        status = dfl_saddle_ldl_create(&own->mass_ldl, run->ctx, &own->mass, &own->none);
    return status || nc == 0 ? status
                             : dfl_saddle_ldl_create(&own->rows_ldl, run->ctx, NULL, &own->rows);
}

/* What has mass; the rest gets ones on the diagonal of M. */
static void split(struct dfl_packed_motion *own, const dfl_equations *eq)
{
    const int nv = eq->nv, M = eq->M.count;
    memset(own->heavy, 0, (size_t)nv);
    for (int j = 0; eq->flags.mass_diagonal && j < nv; j++)
        own->heavy[j] = own->M[j] != 0;
    for (int k = 0; !eq->flags.mass_diagonal && k < M; k++)
        if (own->M[k] != 0)
            own->heavy[eq->M.entry[k].col] = own->heavy[eq->M.entry[k].row] = 1;
    if (eq->flags.mass_diagonal)
        return;
    memset(own->mass_value, 0, (size_t)own->mass.start[nv] * sizeof *own->mass_value);
    for (int k = 0; k < M; k++)
        own->mass_value[own->mass_at[k]] += own->M[k];
    for (int j = 0; j < nv; j++)
        own->mass_value[own->mass_at[M + j]] += !own->heavy[j];
}

/* a_1 := M^-1 a_1, a_0 := 0. False: M is singular in other directions, too. */
static bool solve_heavy(double *a, struct dfl_packed_motion *own, const dfl_equations *eq)
{
    double none = 0;
    for (int j = 0; j < eq->nv; j++)
        a[j] = !own->heavy[j] ? 0 : eq->flags.mass_diagonal ? a[j] / own->M[j] : a[j];
    if (eq->flags.mass_diagonal)
        return true;
    if (!dfl_saddle_ldl_factor(own->mass_ldl, own->mass_value, &none, 0, NULL))
        return false;
    dfl_saddle_ldl_solve(a, &none, own->mass_ldl);
    return true;
}

/* NAN: not determined. */
static void solve_light(double *a, struct dfl_packed_motion *own, const dfl_runnable *run)
{
    const dfl_equations *eq = run->eq;
    const int nv = eq->nv, nc = eq->nl + eq->nm;
    if (!memchr(own->heavy, 0, (size_t)nv))
        return;
    for (int i = 0; i < nc; i++)
        own->e[i] = -run->blocks.bias[i];
    dfl_csc_add(own->e, run->sparsity.W.column_start, run->sparsity.W.row, nv, run->blocks.W, -1,
                a);
    memset(own->rows_value, 0, (size_t)eq->W.count * sizeof *own->rows_value);
    for (int k = 0; k < eq->W.count; k++)
        own->rows_value[own->rows_at[k]] += run->blocks.W[k];
    bool solved = nc > 0 && dfl_saddle_ldl_factor(own->rows_ldl, own->ones, own->rows_value,
                                                  INDEPENDENT, own->heavy);
    double *light = run->blocks.f; /* no longer needed */
    memset(light, 0, (size_t)nv * sizeof *light);
    if (solved)
        dfl_saddle_ldl_solve(own->e, light, own->rows_ldl);
    for (int j = 0; solved && j < nv; j++)
        solved = own->heavy[j] || dfl_saddle_ldl_takes(own->rows_ldl, j) ||
                 dfl_saddle_ldl_is_empty(own->rows_ldl, j);
    for (int j = 0; j < nv; j++)
        if (!own->heavy[j])
            a[j] = solved && dfl_saddle_ldl_takes(own->rows_ldl, j) ? light[j] : NAN;
}
