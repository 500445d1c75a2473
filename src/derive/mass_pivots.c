/* mass_pivots.c: pivots of mass matrices and the motions that belong to them. */
#include "derive/mass_pivots.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A pivot of at least this part of the best one is good. */
static const double good_part = 0.1;

static bool is_finite(const double *A, size_t count);
static void find_ratios(dfl_mass_copies *c);
static double find_ratio(const dfl_mass_copies *c, int copy, int i);
static double own_ratio(const dfl_mass_copies *c, int copy, int i);
static double rounding(const dfl_mass_copies *c, int copy, int i);
static double preference(const dfl_mass_copies *c, int i);
static bool is_negative(const dfl_mass_copies *c, int i);

dfl_status dfl_mass_copies_create(dfl_mass_copies *out, dfl_context *ctx, int nv)
{
    *out = (dfl_mass_copies){.nv = nv};
    out->order = dfl_alloc(ctx, (size_t)nv, sizeof *out->order);
    out->k = dfl_alloc(ctx, (size_t)nv, sizeof *out->k);
    out->state = dfl_alloc(ctx, (size_t)nv, 1);
    out->moving = dfl_alloc(ctx, (size_t)nv, 1);
    return out->order && out->k && out->state && out->moving ? DFL_OK : DFL_NO_MEMORY;
}

double *dfl_mass_copies_add(dfl_mass_copies *c, dfl_context *ctx, int copy)
{
    c->M[copy] = dfl_alloc(ctx, (size_t)c->nv * (size_t)c->nv, sizeof(double));
    return c->M[copy];
}

void dfl_mass_copies_clear(dfl_mass_copies *c, dfl_context *ctx)
{
    for (int copy = 0; copy < DFL_MASS_COPIES; copy++) {
        dfl_free(ctx, c->M[copy]);
        dfl_free(ctx, c->A[copy]);
        dfl_free(ctx, c->ratio[copy]);
    }
    dfl_free(ctx, c->order);
    dfl_free(ctx, c->k);
    dfl_free(ctx, c->state);
    dfl_free(ctx, c->moving);
    *c = (dfl_mass_copies){0};
}

dfl_status dfl_mass_copies_begin(dfl_mass_copies *c, dfl_context *ctx)
{
    const size_t size = (size_t)c->nv * (size_t)c->nv;
    for (int copy = 0; copy < DFL_MASS_COPIES; copy++) {
        if (!c->M[copy] || !is_finite(c->M[copy], size))
            continue;
        c->A[copy] = dfl_alloc(ctx, size, sizeof(double));
        c->ratio[copy] = dfl_alloc(ctx, (size_t)c->nv, sizeof(double));
        if (!c->A[copy] || !c->ratio[copy])
            return DFL_NO_MEMORY;
        memcpy(c->A[copy], c->M[copy], size * sizeof(double));
    }
    find_ratios(c);
    return DFL_OK;
}

static bool is_finite(const double *A, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += 0.0 * A[i];
    return sum == 0.0;
}

double dfl_mass_largest(const dfl_mass_copies *c, int i)
{
    double largest = 0.0;
    for (int copy = 0; copy < DFL_MASS_COPIES; copy++)
        if (c->A[copy])
            largest = fmax(largest, c->ratio[copy][i]);
    return largest;
}

double dfl_mass_worst(const dfl_mass_copies *c, int i)
{
    double least = INFINITY;
    for (int copy = 0; copy < DFL_MASS_COPIES; copy++)
        if (c->A[copy])
            least = fmin(least, c->ratio[copy][i]);
    return least > dfl_mass_null ? least : 1e-9 * dfl_mass_largest(c, i);
}

/* Velocities declared last come first, as long as their ratios are good: in a tree of bodies these
   are the leaves, and nothing fills in. Constant masses come before others, which may vanish during
   the motion. */
int dfl_mass_choose(const dfl_mass_copies *c)
{
    double best = 0.0;
    for (int i = 0; i < c->nv; i++)
        if (c->state[i] == DFL_MASS_ACTIVE)
            best = fmax(best, preference(c, i));
    for (int i = c->nv - 1; i >= 0 && best > 0.0; i--)
        if (c->state[i] == DFL_MASS_ACTIVE && preference(c, i) >= good_part * best)
            return i;
    return -1;
}

static double preference(const dfl_mass_copies *c, int i)
{
    return c->moving[i] ? 0.01 * dfl_mass_worst(c, i) : dfl_mass_worst(c, i);
}

static void find_ratios(dfl_mass_copies *c)
{
    for (int copy = 0; copy < DFL_MASS_COPIES; copy++)
        for (int i = 0; c->A[copy] && i < c->nv; i++)
            if (c->state[i] == DFL_MASS_ACTIVE)
                c->ratio[copy][i] = find_ratio(c, copy, i);
}

/* D_i / M_ii, which is at most 1, decides where it is not small. */
static double find_ratio(const dfl_mass_copies *c, int copy, int i)
{
    const size_t at = (size_t)i * (size_t)(c->nv + 1);
    const double own = fabs(c->M[copy][at]), left = fabs(c->A[copy][at]);
    if (c->given_up[copy] || !(own > 0.0) || !(left > 0.0))
        return 0.0;
    return left > dfl_mass_light * own ? left / own : own_ratio(c, copy, i);
}

/* D_i / s, or 0 if D_i is rounding. */
static double own_ratio(const dfl_mass_copies *c, int copy, int i)
{
    const double *A = c->A[copy];
    const size_t step = (size_t)c->nv + 1;
    const double left = fabs(A[(size_t)i * step]);
    double sum = left;
    dfl_mass_direction(c->k, c, copy, i, c->rank);
    for (int n = 0; n < c->rank; n++) {
        const int j = c->order[n];
        sum += c->k[j] * c->k[j] * fabs(A[(size_t)j * step]);
    }
    return left > rounding(c, copy, i) ? left / sum : 0.0;
}

/* 4 nv eps (sum of |k_j| sqrt M_jj)^2 with the direction k of velocity i. */
static double rounding(const dfl_mass_copies *c, int copy, int i)
{
    const double *M = c->M[copy];
    const size_t step = (size_t)c->nv + 1;
    double sum = sqrt(fabs(M[(size_t)i * step]));
    for (int n = 0; n < c->rank; n++) {
        const int j = c->order[n];
        sum += fabs(c->k[j]) * sqrt(fabs(M[(size_t)j * step]));
    }
    return 4.0 * c->nv * DBL_EPSILON * sum * sum;
}

bool dfl_mass_release(dfl_mass_copies *c, int i)
{
    const size_t nv = (size_t)c->nv;
    if (c->state[i] != DFL_MASS_ACTIVE || dfl_mass_largest(c, i) > dfl_mass_null)
        return false;
    c->state[i] = DFL_MASS_FREE;
    for (int copy = 0; copy < DFL_MASS_COPIES; copy++)
        for (size_t j = 0; c->A[copy] && j < nv; j++) {
            const double *M = c->M[copy];
            const double size = sqrt(fabs(M[(size_t)i * (nv + 1)] * M[j * (nv + 1)]));
            if (c->state[j] != DFL_MASS_ELIMINATED && !c->given_up[copy] &&
                fabs(c->A[copy][(size_t)i + j * nv]) > 1e-4 * size)
                c->indefinite = true;
        }
    return true;
}

/* The Schur complement. A copy in which the pivot vanishes is given up: its remainder is
   meaningless. */
void dfl_mass_eliminate(dfl_mass_copies *c, int pivot)
{
    const int nv = c->nv;
    for (int copy = 0; copy < DFL_MASS_COPIES; copy++)
        if (c->A[copy] && !(c->ratio[copy][pivot] > dfl_mass_null))
            c->given_up[copy] = true;
    if (c->negative == 0 && is_negative(c, pivot))
        c->negative = pivot + 1;
    c->state[pivot] = DFL_MASS_ELIMINATED;
    c->order[c->rank++] = pivot;
    for (int copy = 0; copy < DFL_MASS_COPIES; copy++) {
        double *A = c->A[copy];
        for (int j = 0; A && !c->given_up[copy] && j < nv; j++) {
            const double factor = A[pivot + j * nv] / A[pivot + pivot * nv];
            if (c->state[j] != DFL_MASS_ACTIVE || factor == 0.0)
                continue;
            for (int i = 0; i < nv; i++)
                if (c->state[i] == DFL_MASS_ACTIVE)
                    A[i + j * nv] -= A[i + pivot * nv] * factor;
        }
    }
    find_ratios(c);
}

/* Beyond rounding, at all states. */
static bool is_negative(const dfl_mass_copies *c, int i)
{
    bool negative = false;
    for (int copy = 0; copy < DFL_MASS_COPIES; copy++) {
        if (!c->A[copy] || c->given_up[copy])
            continue;
        if (!(c->A[copy][(size_t)i * (size_t)(c->nv + 1)] < 0.0) ||
            !(c->ratio[copy][i] > dfl_mass_light))
            return false;
        negative = true;
    }
    return negative;
}

void dfl_mass_direction(double *y, const dfl_mass_copies *c, int copy, int own, int after)
{
    const size_t nv = (size_t)c->nv;
    const double *A = c->A[copy];
    memset(y, 0, nv * sizeof *y);
    y[own] = 1.0;
    for (int k = after - 1; k >= 0; k--) {
        const size_t i = (size_t)c->order[k];
        double sum = A[i + (size_t)own * nv];
        for (int m = k + 1; m < after; m++)
            sum += A[i + (size_t)c->order[m] * nv] * y[c->order[m]];
        y[i] = -sum / A[i * (nv + 1)];
    }
}
