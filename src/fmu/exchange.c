/* exchange.c: the QR form of Kurz, Burkhardt and Eberhard (2011): with W R = I, W N = 0

     v <- v - R (gI, hv),  a = -R bias + N z,  N^T M N z = N^T (f + M R bias),
     (lambda, mu) = R^T (f - M a)

   Redundant rows: R is the pseudo-inverse. */
#include "fmu/exchange_internal.h"

#include <math.h>
#include <string.h>

dfl_status dfl_exchange_create(dfl_exchange **out, dfl_context *ctx, const dfl_eom *eom)
{
    *out = NULL;
    dfl_exchange *e = dfl_alloc(ctx, 1, sizeof *e);
    if (!e)
        return DFL_NO_MEMORY;
    const size_t nv = (size_t)eom->nv, nc = (size_t)(eom->nl + eom->nm);
    const size_t size =
        (size_t)(eom->np + eom->nr + eom->ne + eom->nep) + 5 * nv + 3 * nc + nc * nv + 3 * nv * nv;
    e->ctx = ctx;
    e->eom = eom;
    e->rank = -1;
    e->at = dfl_eom_layout(eom);
    e->room = dfl_alloc(ctx, size, sizeof *e->room);
    if (!e->room || dfl_split_create(&e->split, ctx, (int)nc, eom->nv)) {
        dfl_exchange_free(e);
        return DFL_NO_MEMORY;
    }
    double *next = e->room;
    const struct {
        double **place;
        size_t count;
    } parts[] = {{&e->blocks.kin, (size_t)eom->np},
                 {&e->blocks.b, (size_t)eom->nr},
                 {&e->blocks.e, (size_t)eom->ne},
                 {&e->blocks.ep, (size_t)eom->nep},
                 {&e->blocks.f, nv},
                 {&e->blocks.g, (size_t)eom->nl},
                 {&e->blocks.gI, (size_t)eom->nl},
                 {&e->blocks.hv, (size_t)eom->nm},
                 {&e->blocks.bias, nc},
                 {&e->blocks.W, nc * nv},
                 {&e->M, nv * nv},
                 {&e->MN, nv * nv},
                 {&e->K, nv * nv},
                 {&e->z, nv},
                 {&e->a, nv},
                 {&e->rest, nv}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        *parts[i].place = next;
        next += parts[i].count;
    }
    *out = e;
    return DFL_OK;
}

void dfl_exchange_free(dfl_exchange *e)
{
    if (!e)
        return;
    dfl_split_free(e->split, e->ctx);
    dfl_free(e->ctx, e->room);
    dfl_free(e->ctx, e->slope_room);
    dfl_free(e->ctx, e);
}

void dfl_exchange_impose(dfl_exchange *e, int rank)
{
    e->rank = rank;
}

/* Redundant rows by singular values, without scaling: their multipliers are then the shortest, as
   in runs. At singular positions the rank is smaller. */
static bool split_rows(dfl_exchange *e)
{
    const int nv = e->eom->nv, nc = e->eom->nl + e->eom->nm;
    const bool redundant = e->rank >= 0 && e->rank < nc;
    dfl_split_rule rule = {
        .method = DFL_METHOD_QR, .tolerance = 1e-10, .rank = -1, .scale_rows = true};
    if (!redundant && nc <= nv && dfl_split_compute(e->split, &rule, e->blocks.W, nc, nc, nv))
        return true;
    rule.method = DFL_METHOD_SVD;
    rule.scale_rows = false;
    rule.rank = redundant ? e->rank : -1;
    if (dfl_split_compute(e->split, &rule, e->blocks.W, nc, nc, nv))
        return true;
    rule.rank = -1;
    return dfl_split_compute(e->split, &rule, e->blocks.W, nc, nc, nv);
}

void dfl_exchange_times(double *y, const dfl_exchange *e, const double *M, const double *x,
                        int columns)
{
    const int nv = e->eom->nv;
    if (!e->eom->mass_diagonal) {
        dfl_gemm(nv, columns, nv, 1, M, nv, x, nv, 0, y, nv);
        return;
    }
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < nv; i++)
            y[i + j * nv] = M[i] * x[i + j * nv];
}

/* z: the accelerations in the directions that are left free. */
static bool solve_free(dfl_exchange *e)
{
    const int nv = e->eom->nv, free = nv - e->split->rank;
    const double *N = e->split->N;
    dfl_exchange_times(e->MN, e, e->M, N, free);
    dfl_gemm_tn(free, free, nv, 1, N, nv, e->MN, nv, 0, e->K, free > 0 ? free : 1);
    dfl_gemm_tn(free, 1, nv, 1, N, nv, e->rest, nv, 0, e->z, nv);
    if (free == 0)
        return true;
    if (!dfl_all_finite(e->K, free * free) || !dfl_cholesky(e->K, free))
        return false;
    dfl_cholesky_forward(e->z, 1, e->K, free);
    dfl_cholesky_backward(e->z, e->K, free);
    return true;
}

bool dfl_exchange_accelerate(dfl_exchange *e)
{
    const int nv = e->eom->nv, nc = e->eom->nl + e->eom->nm, free = nv - e->split->rank;
    dfl_gemm(nv, 1, nc, -1, e->split->R, nv, e->blocks.bias, nc > 0 ? nc : 1, 0, e->a, nv);
    dfl_exchange_times(e->rest, e, e->M, e->a, 1);
    for (int i = 0; i < nv; i++)
        e->rest[i] = e->blocks.f[i] - e->rest[i];
    if (!solve_free(e))
        return false;
    dfl_gemm(nv, 1, free, 1, e->split->N, nv, e->z, free > 0 ? free : 1, 1, e->a, nv);
    dfl_exchange_times(e->rest, e, e->M, e->a, 1);
    for (int i = 0; i < nv; i++)
        e->rest[i] = e->blocks.f[i] - e->rest[i];
    return dfl_all_finite(e->a, nv);
}

bool dfl_exchange_eval(double *rate, double *x, dfl_exchange *e, double t)
{
    const dfl_eom *eom = e->eom;
    const int nv = eom->nv, nc = eom->nl + eom->nm;
    double *v = x + e->at.v;
    memset(rate, 0, (size_t)e->at.n * sizeof *rate);
    memset(e->M, 0, (size_t)nv * (size_t)nv * sizeof *e->M);
    if (eom->eval(&e->blocks, t, x, DFL_VELOCITY, eom->user) ||
        eom->eval(&e->blocks, t, x, DFL_DIRECTIONS, eom->user) || !split_rows(e))
        return false;
    /* gI and hv are one array */
    dfl_gemm(nv, 1, nc, -1, e->split->R, nv, e->blocks.gI, nc > 0 ? nc : 1, 1, v, nv);
    if (eom->eval(&e->blocks, t, x, DFL_FORCE, eom->user) ||
        eom->eval(&e->blocks, t, x, DFL_BIAS, eom->user) ||
        eom->eval(&e->blocks, t, x, DFL_DYNAMIC, eom->user) || eom->mass(e->M, t, x, eom->user) ||
        !dfl_exchange_accelerate(e))
        return false;
    if (!eom->trivial_kinematics && eom->eval(&e->blocks, t, x, DFL_KINEMATICS, eom->user))
        return false;
    dfl_gemm_tn(nc, 1, nv, 1, e->split->R, nv, e->rest, nv, 0, x + e->at.lambda, nc > 0 ? nc : 1);
    memcpy(rate + e->at.v, e->a, (size_t)nv * sizeof *rate);
    memcpy(rate + e->at.r, e->blocks.b, (size_t)eom->nr * sizeof *rate);
    memcpy(rate + e->at.p, eom->trivial_kinematics ? v : e->blocks.kin,
           (size_t)eom->np * sizeof *rate);
    return dfl_all_finite(rate, e->at.n);
}

/* R g, of the rows of positions. */
void dfl_exchange_distance(double *change, double *size, dfl_exchange *e, double t, const double *x)
{
    const dfl_eom *eom = e->eom;
    const int nv = eom->nv;
    *change = 0;
    *size = dfl_max_abs(x + e->at.p, eom->np);
    if (eom->eval(&e->blocks, t, x, DFL_POSITION, eom->user) ||
        eom->eval(&e->blocks, t, x, DFL_DIRECTIONS, eom->user) || !split_rows(e))
        return;
    dfl_gemm(nv, 1, eom->nl, 1, e->split->R, nv, e->blocks.g, eom->nl > 0 ? eom->nl : 1, 0, e->z,
             nv);
    *change = dfl_max_abs(e->z, nv);
}
