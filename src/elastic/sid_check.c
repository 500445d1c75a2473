/* sid_check.c: whether any body can have the masses of a SID file.

   M = [ J  [h]  C ; -[h]  m 1  S ; C^T  S^T  Me ] of the undeformed body is positive, because it is
   an integral of squares; writers that lump masses for some of the blocks and not for others break
   it. */
#include "elastic/elastic.h"

#include "linalg/linalg.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

static void fill(double *M, const dfl_sid *s);
static dfl_status refuse(const dfl_sid *s, dfl_context *ctx, const char *file, double energy);

dfl_status dfl_sid_check(const dfl_sid *s, dfl_context *ctx, const char *file)
{
    enum { MOST = DFL_MOST_MODES + 6 };
    const int n = s->n + 6;
    double w[MOST];
    double *M = dfl_alloc(ctx, (size_t)(n * n), sizeof *M);
    double *work = dfl_alloc(ctx, 8 * MOST, sizeof *work);
    dfl_status status = M && work ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        fill(M, s);
        double scale[MOST];
        for (int i = 0; i < n; i++) /* units do not matter */
            scale[i] = M[i + n * i] > 0.0 ? sqrt(M[i + n * i]) : 1.0;
        for (int i = 0; i < n * n; i++)
            M[i] /= scale[i % n] * scale[i / n];
        const int info = dfl_all_finite(M, n * n) ? LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'N', 'U',
                                                                       n, M, n, w, work, 8 * MOST)
                                                  : -1;
        if (info || w[0] < -1e-8)
            status = refuse(s, ctx, file, info ? NAN : w[0]);
    }
    dfl_free(ctx, M);
    dfl_free(ctx, work);
    return status;
}

static void fill(double *M, const dfl_sid *s)
{
    static const int inertia[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const int n = s->n, N = n + 6;
    const double *h = s->moment;
    const double skew[3][3] = {{0, -h[2], h[1]}, {h[2], 0, -h[0]}, {-h[1], h[0], 0}};
    memset(M, 0, (size_t)(N * N) * sizeof *M);
    for (int a = 0; a < 3; a++) {
        M[3 + a + N * (3 + a)] = s->mass;
        for (int b = 0; b < 3; b++) {
            M[a + N * b] = s->inertia[inertia[a][b]];
            M[a + N * (3 + b)] = M[3 + b + N * a] = skew[a][b];
        }
        for (int i = 0; i < n; i++) {
            M[a + N * (6 + i)] = M[6 + i + N * a] = s->C0[a * n + i];
            M[3 + a + N * (6 + i)] = M[6 + i + N * (3 + a)] = s->S[a * n + i];
        }
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            M[6 + i + N * (6 + k)] = s->Me[i * n + k];
}

/* The plainest reason: (∫Φ dm)^2 <= m ∫Φ^2 dm for every mode and axis. */
static dfl_status refuse(const dfl_sid *s, dfl_context *ctx, const char *file, double energy)
{
    const int n = s->n;
    for (int i = 0; i < n; i++)
        for (int a = 0; a < 3; a++) {
            const double S = s->S[a * n + i], most = s->mass * s->Me[i * n + i];
            if (S * S > most)
                return dfl_fail(
                    ctx, DFL_INVALID,
                    "%s:%d: no body has these masses: the square of Ct of mode %d along %c, "
                    "%.4g, is above mass times Me, %.4g; the program that wrote the file "
                    "summed Ct and Me over different masses",
                    file, s->line, i + 1, "xyz"[a], S * S, most);
        }
    return dfl_fail(
        ctx, DFL_INVALID,
        "%s:%d: no body has these masses: some motion of the body with its modes has "
        "negative kinetic energy (eigenvalue %.3g of its scaled mass matrix); the program "
        "that wrote the file summed J, Ct, Cr and Me over different masses",
        file, s->line, energy);
}
