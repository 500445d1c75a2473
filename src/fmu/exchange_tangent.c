/* exchange_tangent.c: derivatives of accelerations and multipliers along a direction, from
   derivatives of the blocks. With W R = I, W N = 0, c = (gI, hv), and a dot for the derivative:

     v. = v. - R c. + R W. R c - N N^T W.^T R^T R c           (of v <- v - R c)
     M a. + W^T l. = f. - M. a - W.^T l,    W a. = -bias. - W. a

   The last is solved as the equations of motion are. Multipliers of redundant rows are the shortest
   ones (l in the range of W), which fixes the part of l. that W^T does not see:

     l. = R^T (...) + (1 - W R) W. R l */
#include "fmu/exchange_internal.h"

#include <string.h>

static dfl_status make_room(dfl_exchange *e)
{
    const dfl_eom *eom = e->eom;
    const size_t nv = (size_t)eom->nv, nc = (size_t)(eom->nl + eom->nm);
    const size_t np = (size_t)eom->np, nr = (size_t)eom->nr;
    if (e->slope_room)
        return DFL_OK;
    double *next = e->slope_room =
        dfl_alloc(e->ctx, np + nr + 6 * nv + 8 * nc + nc * nv + nv * nv, sizeof *next);
    if (!next)
        return DFL_NO_MEMORY;
    e->slopes.W = next;
    e->slope_M = e->slopes.W + nc * nv;
    e->slopes.kin = e->slope_M + nv * nv;
    e->slopes.b = e->slopes.kin + np;
    e->slopes.f = e->slopes.b + nr;
    e->slopes.gI = e->slopes.f + nv;
    e->slopes.hv = e->slopes.gI + eom->nl;
    e->slopes.bias = e->slopes.hv + eom->nm;
    e->kept = e->slopes.bias + nc; /* nv: a */
    e->product = e->kept + nv;     /* 2 nv + 5 nc: intermediate results */
    return DFL_OK;
}

/* y = s A x + y; A is m x n, or its transpose is taken. */
static void add_product(double *y, double s, const double *A, int m, int n, const double *x,
                        bool transposed)
{
    const int lda = m > 0 ? m : 1;
    if (transposed)
        dfl_gemm_tn(n, 1, m, s, A, lda, x, lda, 1, y, n > 0 ? n : 1);
    else
        dfl_gemm(m, 1, n, s, A, lda, x, n > 0 ? n : 1, 1, y, lda);
}

/* The derivative of v - R c, from that of v, in place. */
static void correct(double *dv, dfl_exchange *e)
{
    const int nv = e->eom->nv, nc = e->eom->nl + e->eom->nm, free = nv - e->split->rank;
    const double *R = e->split->R, *N = e->split->N,
                 *c = e->blocks.gI; /* gI and hv are one array */
    double *u = e->product, *y = u + nv, *z = y + nc;
    if (nc == 0)
        return;
    memset(u, 0, (size_t)(2 * nv + nc) * sizeof *u);
    add_product(u, 1, R, nv, nc, c, false); /* R c */
    add_product(y, 1, R, nv, nc, u, true);  /* R^T R c */
    double *rows = e->slopes.gI;
    add_product(rows, -1, e->slopes.W, nc, nv, u, false);
    add_product(dv, -1, R, nv, nc, rows, false);
    memset(u, 0, (size_t)nv * sizeof *u);
    add_product(u, 1, e->slopes.W, nc, nv, y, true);
    add_product(z, 1, N, nv, free, u, true);
    add_product(dv, -1, N, nv, free, z, false);
}

/* The terms of l. beyond R^T (...), all zero unless rows are redundant. */
static void add_redundant(double *dl, const double *l, dfl_exchange *e)
{
    const int nv = e->eom->nv, nc = e->eom->nl + e->eom->nm;
    double *w = e->product, *u = w + nv, *y = u + nv, *z = y + nc;
    memset(w, 0, (size_t)(2 * nv + 2 * nc) * sizeof *w);
    add_product(w, 1, e->split->R, nv, nc, l, false);
    add_product(y, 1, e->slopes.W, nc, nv, w, false); /* W. R l */
    add_product(u, 1, e->split->R, nv, nc, y, false);
    add_product(z, 1, e->blocks.W, nc, nv, u, false); /* W R of it */
    for (int i = 0; i < nc; i++)
        dl[i] += y[i] - z[i];
}

/* a. and l., from the slopes of the blocks, which are used up. */
static bool accelerate(double *da, double *dl, dfl_exchange *e, const double *l)
{
    const int nv = e->eom->nv, nc = e->eom->nl + e->eom->nm;
    double *f = e->slopes.f, *bias = e->slopes.bias;
    memcpy(e->kept, e->a, (size_t)nv * sizeof *e->a);
    dfl_exchange_times(e->product, e, e->slope_M, e->a, 1);
    for (int i = 0; i < nv; i++)
        f[i] -= e->product[i];
    add_product(f, -1, e->slopes.W, nc, nv, l, true);
    add_product(bias, 1, e->slopes.W, nc, nv, e->a, false);
    const dfl_blocks blocks = e->blocks;
    e->blocks.f = f;
    e->blocks.bias = bias;
    const bool solved = dfl_exchange_accelerate(e);
    e->blocks = blocks;
    memcpy(da, e->a, (size_t)nv * sizeof *da);
    memcpy(e->a, e->kept, (size_t)nv * sizeof *e->a);
    memset(dl, 0, (size_t)nc * sizeof *dl);
    add_product(dl, 1, e->split->R, nv, nc, e->rest, true);
    if (e->split->rank < nc)
        add_redundant(dl, l, e);
    return solved;
}

/* The slopes of some blocks. */
static bool differentiate(const dfl_blocks *wanted, dfl_carried_run *run, double t, const double *x,
                          const dfl_carried_direction *along)
{
    double *arrays[sizeof *wanted / sizeof(double *)]; /* the fields in their order */
    memcpy(arrays, wanted, sizeof arrays);
    return !dfl_carried_tangent(arrays, run, DFL_CARRY_ALL, t, x, NULL, along);
}

bool dfl_exchange_tangent(double *slope_rate, double *slope, dfl_exchange *e, dfl_carried_run *run,
                          double t, const double *given, const double *x,
                          const dfl_carried_direction *along)
{
    const dfl_eom *eom = e->eom;
    const dfl_blocks *s = &e->slopes;
    if (make_room(e))
        return false;
    memcpy(slope, along->x, (size_t)e->at.n * sizeof *slope);
    memset(slope_rate, 0, (size_t)e->at.n * sizeof *slope_rate);
    if (!differentiate(&(dfl_blocks){.gI = s->gI, .hv = s->hv, .W = s->W}, run, t, given, along))
        return false;
    correct(slope + e->at.v, e);
    dfl_carried_direction there = *along;
    there.x = slope;
    if (!differentiate(&(dfl_blocks){.kin = s->kin, .f = s->f, .b = s->b, .bias = s->bias}, run, t,
                       x, &there) ||
        dfl_carried_tangent(&e->slope_M, run, DFL_CARRY_MASS, t, x, NULL, &there) ||
        !accelerate(slope_rate + e->at.v, slope + e->at.lambda, e, x + e->at.lambda))
        return false;
    memcpy(slope_rate + e->at.r, s->b, (size_t)eom->nr * sizeof *slope_rate);
    memcpy(slope_rate + e->at.p, eom->trivial_kinematics ? slope + e->at.v : s->kin,
           (size_t)eom->np * sizeof *slope_rate);
    return dfl_all_finite(slope_rate, e->at.n) && dfl_all_finite(slope, e->at.n);
}
