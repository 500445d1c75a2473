/* arnoldi.c: eigenvalues of largest size of a linear map, by Arnoldi's iteration with a block of
   first vectors.

   Every vector of an orthonormal basis is mapped in its turn; what is new in its image is the next
   vector. With m vectors mapped, map V_m = V_c H, c > m. Eigenvalues of the first m rows of H are
   those of the map up to the size of what the other rows make of their eigenvectors (Saad,
   Numerical Methods for Large Eigenvalue Problems, section 6.5). The basis is not restarted: a map
   that is inverted near the wanted eigenvalues needs a few vectors for each of them. */
#include "analysis/arnoldi.h"

#include "context/context.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct dfl_krylov {
    dfl_context *ctx;
    int n, room;
    int mapped, count; /* vectors whose image is known; all of them */
    dfl_map_fn map;
    void *user;
    double *V;    /* n x room */
    double *H;    /* room x room */
    double *work; /* n + room */
    dfl_eigen eigen;
    dfl_ritz *ritz;
    int nritz;
};

enum { PURGES = 3 }; /* parts that the map takes to zero in so many steps are not in the basis */

static bool begin(dfl_krylov *it, int block);
static bool add(dfl_krylov *it, double *w, double *h);
static dfl_status find_values(dfl_krylov *it);

dfl_status dfl_krylov_create(dfl_krylov **out, dfl_context *ctx, int n, int block, int room,
                             dfl_map_fn map, void *user)
{
    *out = NULL;
    dfl_krylov *it = dfl_alloc(ctx, 1, sizeof *it);
    if (!it)
        return DFL_NO_MEMORY;
    const size_t most = (size_t)room;
    *it = (dfl_krylov){.ctx = ctx, .n = n, .room = room, .map = map, .user = user};
    it->V = dfl_alloc(ctx, (size_t)n * most, sizeof *it->V);
    it->H = dfl_alloc(ctx, most * most, sizeof *it->H);
    it->work = dfl_alloc(ctx, (size_t)n + most, sizeof *it->work);
    it->ritz = dfl_alloc(ctx, most, sizeof *it->ritz);
    dfl_status status = it->V && it->H && it->work && it->ritz ? DFL_OK : DFL_NO_MEMORY;
    if (!status && !begin(it, block < room ? block : room))
        status = dfl_fail(ctx, DFL_SINGULAR, "linear equations of a model cannot be solved");
    if (status)
        dfl_krylov_free(it);
    else
        *out = it;
    return status;
}

void dfl_krylov_free(dfl_krylov *krylov)
{
    if (!krylov)
        return;
    dfl_context *ctx = krylov->ctx;
    dfl_eigen_clear(&krylov->eigen);
    dfl_free(ctx, krylov->V);
    dfl_free(ctx, krylov->H);
    dfl_free(ctx, krylov->work);
    dfl_free(ctx, krylov->ritz);
    dfl_free(ctx, krylov);
}

dfl_status dfl_krylov_extend(dfl_krylov *it, int count)
{
    while (it->mapped < count && it->mapped < it->count) {
        const size_t n = (size_t)it->n;
        double *w = it->work, *h = it->H + (size_t)it->mapped * (size_t)it->room;
        if (it->count == it->room)
            break; /* there is no place for what comes */
        if (!it->map(w, it->V + (size_t)it->mapped * n, it->user))
            return dfl_fail(it->ctx, DFL_SINGULAR, "linear equations of a model cannot be solved");
        add(it, w, h);
        it->mapped++;
    }
    return find_values(it);
}

const dfl_ritz *dfl_krylov_values(const dfl_krylov *krylov, int *count, bool *whole)
{
    *count = krylov->nritz;
    *whole = krylov->mapped == krylov->count;
    return krylov->ritz;
}

void dfl_krylov_vector(double *re, double *im, const dfl_krylov *it, const dfl_ritz *value)
{
    const size_t m = (size_t)it->mapped;
    const double *y = it->eigen.right + (size_t)value->vector * m;
    dfl_gemm(it->n, 1, it->mapped, 1, it->V, it->n, y, it->mapped, 0, re, it->n);
    if (im)
        dfl_gemm(it->n, 1, it->mapped, 1, it->V, it->n, y + m, it->mapped, 0, im, it->n);
}

/* The first vectors. */
static bool begin(dfl_krylov *it, int block)
{
    double *w = it->work, *next = it->V + (size_t)(it->room - 1) * (size_t)it->n;
    for (int k = 0; k < block; k++) {
        for (int i = 0; i < it->n; i++)
            w[i] = dfl_generic(k, i);
        for (int p = 0; p < PURGES; p++) {
            if (!it->map(next, w, it->user))
                return false;
            const double size = dfl_max_abs(next, it->n);
            for (int i = 0; i < it->n; i++)
                w[i] = size > 0 ? next[i] / size : 0;
        }
        add(it, w, NULL);
    }
    memset(next, 0, (size_t)it->n * sizeof *next);
    return true;
}

/* Makes w orthogonal to the basis, twice, and adds what remains; h (may be NULL) are its parts
   along the basis. */
static bool add(dfl_krylov *it, double *w, double *h)
{
    const int n = it->n, count = it->count;
    double before = 0, after = 0, *part = w + n;
    for (int i = 0; i < n; i++)
        before += w[i] * w[i];
    for (int pass = 0; pass < 2 && count > 0; pass++) {
        dfl_gemm_tn(count, 1, n, 1, it->V, n, w, n, 0, part, count);
        dfl_gemm(n, 1, count, -1, it->V, n, part, count, 1, w, n);
        for (int i = 0; h && i < count; i++)
            h[i] += part[i];
    }
    for (int i = 0; i < n; i++)
        after += w[i] * w[i];
    const double size = sqrt(after);
    if (!(size > 1e-13 * sqrt(before)) || count == it->room)
        return false;
    double *v = it->V + (size_t)count * (size_t)n;
    for (int i = 0; i < n; i++)
        v[i] = w[i] / size;
    if (h)
        h[count] = size;
    it->count++;
    return true;
}

/* The largest first; of equals the one with the positive imaginary part. */
static int compare(const void *a, const void *b)
{
    const dfl_ritz *x = a, *y = b;
    const double d = hypot(x->re, x->im) - hypot(y->re, y->im);
    return d != 0 ? (d < 0) - (d > 0) : x->vector - y->vector;
}

static dfl_status find_values(dfl_krylov *it)
{
    const size_t m = (size_t)it->mapped, room = (size_t)it->room;
    double *square = dfl_alloc(it->ctx, m * m + 1, sizeof *square);
    if (!square)
        return DFL_NO_MEMORY;
    for (size_t j = 0; j < m; j++)
        memcpy(square + j * m, it->H + j * room, m * sizeof *square);
    dfl_eigen_clear(&it->eigen);
    const dfl_status status = dfl_eigen_find(&it->eigen, it->ctx, it->mapped, square);
    dfl_free(it->ctx, square);
    if (status)
        return status;
    it->nritz = 0;
    for (int k = 0; k < it->mapped; k++) {
        if (it->eigen.im[k] < 0)
            continue; /* the second one of a pair */
        const int columns = it->eigen.im[k] > 0 ? 2 : 1;
        double error = 0;
        for (int i = it->mapped; i < it->count; i++)
            for (int c = 0; c < columns; c++) {
                double sum = 0;
                for (size_t j = 0; j < m; j++)
                    sum += it->H[j * room + (size_t)i] * it->eigen.right[(size_t)(k + c) * m + j];
                error += sum * sum;
            }
        it->ritz[it->nritz++] =
            (dfl_ritz){it->eigen.re[k], it->eigen.im[k], sqrt(error), it->eigen.doubt[k], k};
    }
    if (it->nritz > 0)
        qsort(it->ritz, (size_t)it->nritz, sizeof *it->ritz, compare);
    return DFL_OK;
}
