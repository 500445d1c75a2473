/* fe_modes.c: the lowest modes of large sparse matrices by Lanczos' method with a band of starting
   vectors (Ruhe 1979): A = K^-1 M is symmetric in the metric of M; its largest eigenvalues 1 / w^2
   appear first in V^T M A V of an orthonormal basis V of start, A start, ... Several starting
   vectors find modes of the same frequency. All vectors are kept orthogonal. */
#include "elastic/elastic.h"

#include "linalg/linalg.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { SMALL = 300, BAND = 6, CHECKED = 8 };

typedef struct krylov {
    dfl_context *ctx;
    const dfl_fe_pencil *p;
    int most, count, done; /* vectors that fit, that there are, whose images are known */
    double *V;             /* n x most */
    double *H;             /* most x most: V^T M A V */
    double *w, *Mw;        /* n */
    double *T, *theta, *work;
} krylov;

static dfl_status all_modes(double *w2, double *X, dfl_context *ctx, const dfl_fe_pencil *p,
                            int modes);
static void expand(double *A, const dfl_csc *pattern, const double *value);
static bool append(krylov *s, double *h, double least);
static dfl_status step(krylov *s);
static bool converged(krylov *s, int modes);

dfl_status dfl_fe_lowest(double *w2, double *X, dfl_context *ctx, const dfl_fe_pencil *p, int modes)
{
    if (modes == 0)
        return DFL_OK;
    if (modes > p->n)
        return dfl_fail(ctx, DFL_INVALID, "%d modes of %d unknowns between the interfaces", modes,
                        p->n);
    if (p->n <= SMALL)
        return all_modes(w2, X, ctx, p, modes);
    const size_t n = (size_t)p->n;
    krylov s = {.ctx = ctx, .p = p, .most = 6 * modes + 120 < p->n ? 6 * modes + 120 : p->n};
    const size_t q = (size_t)s.most;
    double *room = dfl_alloc(ctx, n * (q + 2) + 2 * q * q + 5 * q, sizeof *room);
    if (!room)
        return DFL_NO_MEMORY;
    s.V = room;
    s.w = s.V + n * q;
    s.Mw = s.w + n;
    s.H = s.Mw + n;
    s.T = s.H + q * q;
    s.theta = s.T + q * q;
    s.work = s.theta + q;
    dfl_status status = DFL_OK;
    unsigned seed = 1;
    for (int k = 0; k < BAND && !status; k++) { /* loads that no mode is orthogonal to */
        for (size_t i = 0; i < n; i++) {
            seed = seed * 1664525u + 1013904223u;
            s.w[i] = (double)(seed >> 8) / (1 << 24) - 0.5;
        }
        if (!append(&s, NULL, 0.0))
            status = dfl_fail(ctx, DFL_INVALID, "the masses of the body are not positive");
    }
    bool found = false;
    while (!status && !found && s.done < s.count) {
        status = step(&s);
        if (!status && s.done > modes && (s.done % CHECKED == 0 || s.done == s.count))
            found = converged(&s, modes);
        if (s.count == s.most && !found && s.done == s.count)
            break;
    }
    if (!status && !found)
        status = dfl_fail(ctx, DFL_INVALID, "the modes did not converge; ask for fewer");
    for (int k = 0; k < modes && !status; k++) { /* theta ascends */
        const int from = s.done - 1 - k;
        w2[k] = 1.0 / s.theta[from];
        if (!(s.theta[from] > 0.0))
            status = dfl_fail(ctx, DFL_INVALID, "the masses of the body are not positive");
        dfl_gemm(p->n, 1, s.done, 1.0, s.V, p->n, s.T + (size_t)s.done * (size_t)from, s.done, 0.0,
                 X + n * (size_t)k, p->n);
    }
    dfl_free(ctx, room);
    return status;
}

static dfl_status all_modes(double *w2, double *X, dfl_context *ctx, const dfl_fe_pencil *p,
                            int modes)
{
    const size_t n = (size_t)p->n;
    double *room = dfl_alloc(ctx, 3 * n * n + n, sizeof *room);
    if (!room)
        return DFL_NO_MEMORY;
    expand(room, p->K, p->k);
    expand(room + n * n, p->M, p->m);
    const dfl_status status =
        dfl_symmetric_modes(room + 3 * n * n, room + 2 * n * n, ctx, p->n, room, room + n * n);
    if (!status) {
        memcpy(w2, room + 3 * n * n, (size_t)modes * sizeof *w2);
        memcpy(X, room + 2 * n * n, n * (size_t)modes * sizeof *X);
    }
    dfl_free(ctx, room);
    return status;
}

static void expand(double *A, const dfl_csc *pattern, const double *value)
{
    for (int j = 0; j < pattern->columns; j++)
        for (int e = pattern->start[j]; e < pattern->start[j + 1]; e++)
            A[(size_t)pattern->row[e] + (size_t)pattern->rows * (size_t)j] = value[e];
}

/* w, made orthogonal to all vectors, becomes the next one; h (may be NULL): its shares in them and
   its length. False: nothing is left (`least` of its length), or there is no room. */
static bool append(krylov *s, double *h, double least)
{
    const dfl_fe_pencil *p = s->p;
    const size_t n = (size_t)p->n;
    double before = 0.0, length = 0.0;
    for (int pass = 0; pass < 3; pass++) {
        memset(s->Mw, 0, n * sizeof *s->Mw);
        dfl_csc_add(s->Mw, p->M->start, p->M->row, p->n, p->m, 1.0, s->w);
        double square = 0.0;
        for (size_t i = 0; i < n; i++)
            square += s->w[i] * s->Mw[i];
        length = sqrt(fmax(square, 0.0));
        if (pass == 0)
            before = length;
        if (pass == 2)
            break;
        dfl_gemm_tn(s->count, 1, p->n, 1.0, s->V, p->n, s->Mw, p->n, 0.0, s->work, s->most);
        dfl_gemm(p->n, 1, s->count, -1.0, s->V, p->n, s->work, s->most, 1.0, s->w, p->n);
        for (int k = 0; k < s->count && h; k++)
            h[k] += s->work[k];
    }
    if (!(length > least * before) || s->count == s->most)
        return false;
    if (h)
        h[s->count] = length;
    double *next = s->V + n * (size_t)s->count++;
    for (size_t i = 0; i < n; i++)
        next[i] = s->w[i] / length;
    return true;
}

/* The image of the next vector. */
static dfl_status step(krylov *s)
{
    const dfl_fe_pencil *p = s->p;
    const size_t n = (size_t)p->n;
    memset(s->w, 0, n * sizeof *s->w);
    dfl_csc_add(s->w, p->M->start, p->M->row, p->n, p->m, 1.0, s->V + n * (size_t)s->done);
    if (!dfl_sparse_lu_solve(s->w, p->lu))
        return dfl_fail(s->ctx, DFL_INVALID, "the stiffness between the interfaces is singular");
    append(s, s->H + (size_t)s->most * (size_t)s->done, 1e-12);
    s->done++;
    return DFL_OK;
}

/* T := eigenvectors, theta := eigenvalues of what is known. Residuals of the largest: the part of A
   V outside of V. */
static bool converged(krylov *s, int modes)
{
    const int d = s->done, q = s->most;
    for (int j = 0; j < d; j++)
        for (int i = 0; i < d; i++)
            s->T[i + d * j] = 0.5 * (s->H[i + q * j] + s->H[j + q * i]);
    if (!dfl_all_finite(s->T, d * d) ||
        LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', d, s->T, d, s->theta, s->work, 4 * q))
        return false;
    for (int k = 0; k < modes; k++) {
        const double *y = s->T + d * (d - 1 - k);
        double square = 0.0;
        for (int i = d; i < s->count; i++) {
            double sum = 0.0;
            for (int j = 0; j < d; j++)
                sum += s->H[i + q * j] * y[j];
            square += sum * sum;
        }
        if (!(sqrt(square) <= 1e-9 * s->theta[d - 1 - k]))
            return false;
    }
    return s->count < s->most; /* else images of the last vectors are not known */
}
