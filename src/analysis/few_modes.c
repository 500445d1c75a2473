/* few_modes.c: the modes of a large model with the smallest eigenvalues, with sparse matrices.

   The pencil A x = s E x of all unknowns (sparse_local.c) has the eigenvalues of the linear
   equations in independent unknowns, and infinite ones. The map z -> (A - shift E)^-1 E z of r, v,
   p has the eigenvalues 1/(s - shift): the largest are those nearest to the shift, which is a small
   part of the wanted ones. Velocities and accelerations of constraints are not rows of the pencil:
   each mode that is found must satisfy them, which it does near equilibria and steady motions. */
#include "analysis/arnoldi.h"
#include "analysis/sparse_local.h"

#include "context/context.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 6, MOST_SHIFTS = 12 };

typedef struct search {
    dfl_context *ctx;
    dfl_sparse_local local;
    dfl_sparse_lu *lu;
    double *shifted; /* numbers of A - shift E */
    double *side;    /* n: right-hand side, then solution */
    double shift;
    int count;  /* modes that are wanted */
    int first;  /* unknown of x with which z begins: r, v, s, p */
    int length; /* of z */
    dfl_krylov *krylov;
} search;

/* An eigenvalue of the pencil. */
typedef struct found {
    double re, im, size;
    const dfl_ritz *ritz;
} found;

static dfl_status prepare(search *it, const dfl_eom *eom, double t, const double *x);
static dfl_status look(search *it, found **list, int *nfound);
static dfl_status at_shift(search *it, int block, found *list, int *nfound, bool *repeated);
static dfl_status take(dfl_modes *out, search *it, const found *list, int nfound);
static dfl_status check(const search *it, const double *re, const double *im, const found *mode);
static dfl_point_kind kind_of(const search *it);
static dfl_status stays(bool *same, search *it);

dfl_status dfl_modes_few(dfl_modes *out, dfl_point_kind *kind, dfl_context *ctx, const dfl_eom *eom,
                         double t, const double *x, int count)
{
    search it = {.ctx = ctx, .count = count < 1 ? 1 : count};
    found *list = NULL;
    int nfound = 0;
    *out = (dfl_modes){.ctx = ctx};
    dfl_status status = prepare(&it, eom, t, x);
    if (!status)
        status = look(&it, &list, &nfound);
    if (!status)
        status = take(out, &it, list, nfound);
    if (!status && kind) {
        bool same = true;
        *kind = kind_of(&it);
        status = stays(&same, &it);
        *kind = same ? *kind : DFL_AT_FROZEN;
    }
    dfl_free(ctx, list);
    dfl_krylov_free(it.krylov);
    dfl_sparse_lu_free(it.lu);
    dfl_free(ctx, it.shifted);
    dfl_free(ctx, it.side);
    dfl_sparse_local_clear(&it.local);
    return status;
}

static dfl_status prepare(search *it, const dfl_eom *eom, double t, const double *x)
{
    dfl_status status = dfl_sparse_local_create(&it->local, it->ctx, eom);
    if (!status)
        status = dfl_sparse_local_eval(&it->local, t, x);
    if (status)
        return status;
    const dfl_csc *pattern = &it->local.pattern;
    const int n = it->local.at.n;
    it->first = it->local.at.r;
    it->length = n - it->first;
    it->shifted = dfl_alloc(it->ctx, (size_t)pattern->start[n] + 1, sizeof *it->shifted);
    it->side = dfl_alloc(it->ctx, (size_t)n + 1, sizeof *it->side);
    if (!it->shifted || !it->side)
        return DFL_NO_MEMORY;
    return dfl_sparse_lu_create(&it->lu, it->ctx, pattern, false, NULL);
}

/* side := (A - shift E)^-1 E z */
static bool solve(search *it, const double *z)
{
    const dfl_sparse_local *local = &it->local;
    const dfl_csc *p = &local->pattern;
    memset(it->side, 0, (size_t)local->at.n * sizeof *it->side);
    dfl_csc_add(it->side, p->start + it->first, p->row, it->length, local->E, 1, z);
    return dfl_sparse_lu_solve(it->side, it->lu);
}

static bool map(double *y, const double *z, void *user)
{
    search *it = user;
    if (!solve(it, z))
        return false;
    memcpy(y, it->side + it->first, (size_t)it->length * sizeof *y);
    memset(y + it->local.at.s - it->first, 0, (size_t)it->local.eom->ns * sizeof *y);
    return true;
}

/* Modes at a shift that is small beside the largest one that is wanted. */
static dfl_status look(search *it, found **list, int *nfound)
{
    int block = BLOCK;
    dfl_status status = DFL_OK;
    *list = dfl_alloc(it->ctx, (size_t)it->length + 1, sizeof **list);
    if (!*list)
        return DFL_NO_MEMORY;
    it->shift = 1e-3 * dfl_sparse_local_frequency(&it->local);
    for (int k = 0; !status && k < MOST_SHIFTS; k++) {
        bool repeated = false;
        status = at_shift(it, block, *list, nfound, &repeated);
        const bool far = status == DFL_NOT_CONVERGED, met = status == DFL_SINGULAR;
        if ((far || met) && k + 1 < MOST_SHIFTS) { /* from what is wanted; an eigenvalue */
            it->shift *= far ? 0.03 : 1.37;
            status = DFL_OK;
            continue;
        }
        if (status || *nfound == 0)
            return status;
        const double largest = (*list)[*nfound - 1].size;
        const bool suits = it->shift <= 0.2 * largest && it->shift >= 0.002 * largest;
        if (!repeated && (suits || largest == 0))
            return DFL_OK;
        if (repeated)
            block *= 2;
        else
            it->shift = 0.0437 * largest;
    }
    return status; /* the last shift has found them as well */
}

/* By size. */
static int compare(const void *a, const void *b)
{
    const found *x = a, *y = b;
    return (x->size > y->size) - (x->size < y->size);
}

/* The first values that have all converged, as eigenvalues of the pencil by size; how many of them,
   pairs counted twice, are certainly the smallest. */
static int converged(found *list, int *nfound, const search *it, bool *whole)
{
    int count, certain = 0, k = 0;
    const dfl_ritz *ritz = dfl_krylov_values(it->krylov, &count, whole);
    const double largest = count > 0 ? hypot(ritz[0].re, ritz[0].im) : 0;
    double radius = HUGE_VAL;
    for (; k < count; k++) {
        const double size = hypot(ritz[k].re, ritz[k].im);
        if (size <= 1e-10 * largest || ritz[k].error > 1e-12 * size + 1e-15 * largest)
            break;
        const double square = size * size;
        list[k] = (found){
            .re = it->shift + ritz[k].re / square, .im = -ritz[k].im / square, .ritz = &ritz[k]};
        list[k].size = hypot(list[k].re, list[k].im);
        radius = 1 / size - it->shift;
    }
    *nfound = k;
    if (k > 0)
        qsort(list, (size_t)k, sizeof *list, compare);
    for (int i = 0; i < k && (*whole || list[i].size <= radius); i++)
        certain += list[i].im != 0 ? 2 : 1;
    return certain;
}

/* Whether as many eigenvalues as the block has vectors are equal: there may be more of them. */
static bool is_repeated(const found *list, int nfound, int block)
{
    const double reach = nfound > 0 ? 1e-7 * list[nfound - 1].size : 0;
    for (int i = 0; i < nfound; i++) {
        int alike = 0;
        for (int k = i; k < nfound && list[k].size - list[i].size <= reach; k++)
            alike += hypot(list[k].re - list[i].re, list[k].im - list[i].im) <= reach;
        if (alike >= block)
            return true;
    }
    return false;
}

static dfl_status at_shift(search *it, int block, found *list, int *nfound, bool *repeated)
{
    const dfl_sparse_local *local = &it->local;
    const int entries = local->pattern.start[local->at.n];
    const double wide = fmin(it->length, 20.0 * it->count + 60.0 * block);
    const int room = (int)wide + 1;
    const double bytes = 8.0 * room * (it->length + 4.0 * room), limit = 2e9;
    if (bytes > limit)
        return dfl_fail(it->ctx, DFL_INVALID,
                        "%d modes of a model with %d unknowns need about %.1f GB of memory; the "
                        "limit is %g GB; ask for fewer",
                        it->count, local->at.n, bytes / 1e9, limit / 1e9);
    for (int k = 0; k < entries; k++)
        it->shifted[k] = local->A[k] - it->shift * local->E[k];
    if (!dfl_sparse_lu_factor(it->lu, it->shifted))
        return dfl_fail(it->ctx, DFL_SINGULAR,
                        "the linear equations at t = %g are singular: unknowns do not follow from "
                        "the state",
                        local->t);
    dfl_krylov_free(it->krylov);
    dfl_status status = dfl_krylov_create(&it->krylov, it->ctx, it->length, block, room, map, it);
    int certain = 0;
    bool whole = false;
    for (int m = 2 * it->count + 5 * block; !status; m += m / 2) {
        status = dfl_krylov_extend(it->krylov, m);
        if (!status)
            certain = converged(list, nfound, it, &whole);
        if (certain >= it->count || whole || m >= room)
            break;
    }
    *repeated = !status && is_repeated(list, *nfound, block) && block < it->length;
    if (!status && certain < it->count && !whole)
        status = dfl_fail(it->ctx, DFL_NOT_CONVERGED, "only %d of %d modes were found", certain,
                          it->count);
    int taken = 0, modes = 0; /* those that are wanted */
    while (taken < *nfound && modes < it->count)
        modes += list[taken++].im != 0 ? 2 : 1;
    *nfound = taken;
    return status;
}

/* By how much the rounding of the largest stiffness moves an eigenvalue, whose square is a small
   one. */
static double rounding(const search *it, double size)
{
    const double fast = dfl_sparse_local_frequency(&it->local);
    const double square = 64 * DBL_EPSILON * fast * fast;
    return square / (size + sqrt(size * size + square)) + 4 * DBL_EPSILON * size;
}

/* Changes of all unknowns, and how well they satisfy the equations. */
static dfl_status take(dfl_modes *out, search *it, const found *list, int nfound)
{
    const size_t n = (size_t)it->local.at.n, length = (size_t)it->length;
    double *z = dfl_alloc(it->ctx, 2 * length + 1, sizeof *z);
    out->mode = dfl_alloc(it->ctx, 2 * (size_t)nfound + 1, sizeof *out->mode);
    out->shape = dfl_alloc(it->ctx, 2 * (size_t)nfound * n + 1, sizeof *out->shape);
    out->rows = (int)n;
    dfl_status status = z && out->mode && out->shape ? DFL_OK : DFL_NO_MEMORY;
    for (int i = 0; !status && i < nfound; i++) {
        const dfl_ritz *ritz = list[i].ritz;
        const bool pair = list[i].im != 0;
        const int column = out->count;
        double *re = out->shape + (size_t)column * n, *im = pair ? re + n : NULL;
        dfl_krylov_vector(z, pair ? z + length : NULL, it->krylov, ritz);
        if (!solve(it, z))
            status = DFL_SINGULAR;
        memcpy(re, it->side, n * sizeof *re);
        if (pair && !status && !solve(it, z + length))
            status = DFL_SINGULAR;
        if (pair)
            for (size_t k = 0; k < n; k++) /* the eigenvalue with the positive imaginary part */
                im[k] = -it->side[k];
        if (status)
            status = dfl_fail(it->ctx, status, "linear equations of a model cannot be solved");
        found mode = list[i];
        mode.im = fabs(mode.im);
        const double square = ritz->re * ritz->re + ritz->im * ritz->im;
        const double doubt = ritz->doubt / square + rounding(it, mode.size);
        for (int second = 0; second <= pair; second++) {
            dfl_mode *to = &out->mode[out->count++];
            *to = dfl_mode_of(mode.re, second ? -mode.im : mode.im, doubt);
            to->vector = column;
            to->imaginary = pair ? column + 1 : -1;
            to->conjugate = second;
        }
        if (!status)
            status = check(it, re, im, &mode);
    }
    dfl_free(it->ctx, z);
    if (!status)
        dfl_modes_sort(out);
    return status;
}

/* y += factor P x for rows of a block of derivatives, and the sizes of its terms. */
static void add_block(double *y, double *size, const dfl_pattern *p, const double *value,
                      int columns, const double *x, double factor)
{
    for (int j = 0; j < columns; j++)
        for (int k = p->column_start[j]; k < p->column_start[j + 1]; k++) {
            y[p->row[k]] += factor * value[k] * x[j];
            size[p->row[k]] += fabs(factor * value[k] * x[j]);
        }
}

/* Rates of constraints and of nonholonomic rows, and their accelerations, vanish, compared with
   what moves and the sizes of their rows. */
static dfl_status check(const search *it, const double *re, const double *im, const found *mode)
{
    const dfl_sparse_local *local = &it->local;
    const dfl_sparsity *s = local->eom->sparsity;
    const dfl_layout at = local->at;
    const int nv = local->eom->nv, nc = local->nc;
    const double *W = local->point.blocks.W;
    const double fast = fmax(mode->size, it->shift);
    double speed = 0; /* rates of positions that move slowly are rounding */
    for (int part = 0; part < (im ? 2 : 1); part++) {
        const double *x = part ? im : re;
        speed = fmax(speed,
                     fmax(dfl_max_abs(x + at.v, nv), fast * dfl_max_abs(x + at.p, local->eom->np)));
    }
    double *row = dfl_alloc(it->ctx, 5 * (size_t)nc + 1, sizeof *row);
    if (!row)
        return DFL_NO_MEMORY;
    double *size = row + nc, *rate = size + nc, *sizes = rate + nc, *length = sizes + nc, worst = 0;
    for (int k = 0; k < s->W.column_start[nv]; k++)
        length[s->W.row[k]] = fmax(length[s->W.row[k]], fabs(W[k]));
    for (int part = 0; part < (im ? 2 : 1); part++) {
        const double *x = part ? im : re, *other = part ? re : im;
        memset(row, 0, 4 * (size_t)nc * sizeof *row);
        add_block(row, size, &s->acc, local->jac.blocks.acc, at.n, x, 1);
        add_block(row, size, &s->W, W, nv, x + at.v, mode->re);
        if (other)
            add_block(row, size, &s->W, W, nv, other + at.v, part ? mode->im : -mode->im);
        add_block(rate, sizes, &s->vel, local->jac.blocks.vel, at.n - at.v, x + at.v, 1);
        for (int i = 0; i < nc; i++) {
            const double least = length[i] * speed + DBL_MIN;
            worst = fmax(worst, fabs(row[i]) / fmax(size[i], fast * least));
            worst = fmax(worst, fabs(rate[i]) / fmax(sizes[i], least));
        }
    }
    dfl_free(it->ctx, row);
    return worst <= 1e-5
               ? DFL_OK
               : dfl_fail(it->ctx, DFL_INVALID,
                          "few modes of a large model are found near equilibria and steady "
                          "motions, and the state at t = %g is neither",
                          local->t);
}

/* Nothing moves, velocities are constant, or all else. */
static dfl_point_kind kind_of(const search *it)
{
    const dfl_sparse_local *local = &it->local;
    const dfl_eom *eom = local->eom;
    const double *v = local->x + local->at.v, *b = local->point.blocks.b;
    double rates = 0;
    for (int j = 0; eom->nr > 0 && j < local->at.n; j++)
        for (int k = eom->sparsity->b.column_start[j]; k < eom->sparsity->b.column_start[j + 1];
             k++)
            rates = fmax(rates, fabs(local->jac.blocks.b[k]) * fmax(fabs(local->x[j]), 1e-3));
    if (dfl_max_abs(local->f, eom->nv) > 1e-7 * dfl_sparse_local_force_size(local) ||
        dfl_max_abs(b, eom->nr) > 1e-7 * rates)
        return DFL_AT_FROZEN;
    return dfl_max_abs(v, eom->nv) <= 1e-10 ? DFL_AT_EQUILIBRIUM : DFL_AT_STEADY_MOTION;
}

/* Whether forces and linear equations are the same a little later; the equations are evaluated
   there. */
static dfl_status stays(bool *same, search *it)
{
    dfl_sparse_local *local = &it->local;
    const dfl_eom *eom = local->eom;
    const size_t entries = (size_t)local->pattern.start[local->pattern.columns];
    const size_t nv = (size_t)eom->nv;
    *same = true;
    if (eom->autonomous)
        return DFL_OK;
    double *before = dfl_alloc(it->ctx, entries + nv, sizeof *before), size = 0, change = 0;
    if (!before)
        return DFL_NO_MEMORY;
    memcpy(before, local->A, entries * sizeof *before);
    memcpy(before + entries, local->f, nv * sizeof *before);
    const double force = dfl_sparse_local_force_size(local);
    const dfl_status status = dfl_sparse_local_eval(local, local->t + 1e-2, local->x);
    for (size_t i = 0; !status && i < entries; i++) {
        size = fmax(size, fabs(before[i]));
        change = fmax(change, fabs(local->A[i] - before[i]));
    }
    *same = !status && change <= 1e-9 * size;
    for (size_t i = 0; !status && i < nv; i++)
        *same = *same && fabs(local->f[i] - before[entries + i]) <= 1e-9 * force;
    dfl_free(it->ctx, before);
    return status == DFL_NO_MEMORY ? status : DFL_OK;
}
