/* redundancy.c: independent rows of W by Gram and Schmidt, W = B Q^T, and the multipliers of the
   others (see redundancy.h). */
#include "formulation/redundancy.h"
#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

/* A row is good enough if the square of its remainder, relative to the row, is at least this part
   of the best. */
static const double good = 1e-6;

static int choose_row(const dfl_redundant *red, const double *W, int ldw, const double *least,
                      int from);
static void remove_direction(dfl_redundant *red, int k);
static void express_dependent(dfl_redundant *red);
static void factor_normal(dfl_redundant *red);

dfl_status dfl_redundant_init(dfl_redundant *red, dfl_context *ctx, int nc, int nv)
{
    const size_t rows = (size_t)nc, length = (size_t)nv, d = sizeof(double);
    memset(red, 0, sizeof *red);
    red->nc = nc;
    red->nv = nv;
    red->order = dfl_alloc(ctx, rows, sizeof(int));
    red->C = dfl_alloc(ctx, rows * rows, d);
    red->L = dfl_alloc(ctx, rows * rows, d);
    red->B = dfl_alloc(ctx, rows * rows, d);
    red->rest = dfl_alloc(ctx, rows * length, d);
    red->y = dfl_alloc(ctx, rows, d);
    red->d = dfl_alloc(ctx, rows, d);
    return red->order && red->C && red->L && red->B && red->rest && red->y && red->d
               ? DFL_OK
               : DFL_NO_MEMORY;
}

void dfl_redundant_clear(dfl_redundant *red, dfl_context *ctx)
{
    dfl_free(ctx, red->order);
    dfl_free(ctx, red->C);
    dfl_free(ctx, red->L);
    dfl_free(ctx, red->B);
    dfl_free(ctx, red->rest);
    dfl_free(ctx, red->y);
    dfl_free(ctx, red->d);
}

void dfl_redundant_choose(dfl_redundant *red, const double *W, int ldw, const double *least,
                          int rank)
{
    const int nc = red->nc, nv = red->nv;
    for (int i = 0; i < nc; i++) {
        red->order[i] = i;
        for (int j = 0; j < nv; j++)
            red->rest[i * nv + j] = W[(size_t)j * (size_t)ldw + (size_t)i];
    }
    memset(red->B, 0, (size_t)(nc * nc) * sizeof(double));
    for (red->rank = 0; red->rank < rank; red->rank++) {
        const int chosen = choose_row(red, W, ldw, least, red->rank);
        if (chosen < 0)
            break;
        const int row = red->order[chosen];
        red->order[chosen] = red->order[red->rank];
        red->order[red->rank] = row;
        remove_direction(red, red->rank);
    }
    express_dependent(red);
    factor_normal(red);
}

static double square(const double *x, int n, int stride)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[(size_t)i * (size_t)stride] * x[(size_t)i * (size_t)stride];
    return sum;
}

/* The index in `order` of the next row of I, or -1: nothing is left. */
static int choose_row(const dfl_redundant *red, const double *W, int ldw, const double *least,
                      int from)
{
    const int nv = red->nv;
    double best = 0, longest = 0;
    int chosen = -1;
    for (int pass = 0; pass < 2; pass++)
        for (int k = from; k < red->nc; k++) {
            const int row = red->order[k];
            const double left = square(red->rest + row * nv, nv, 1);
            const double size = fmax(square(W + row, nv, ldw), least[row] * least[row]);
            const double relative = left > 0 ? left / size : 0;
            if (pass == 0)
                best = fmax(best, relative);
            else if (relative > 0 && relative >= good * best && left > longest)
                longest = left, chosen = k;
        }
    return chosen;
}

/* q := the rest of row order[k], of unit length; column k of B := the parts along q, which are
   removed from the rows. The second pass removes what rounding leaves in the first. */
static void remove_direction(dfl_redundant *red, int k)
{
    const int nc = red->nc, nv = red->nv;
    double *q = red->rest + red->order[k] * nv;
    const double length = sqrt(square(q, nv, 1));
    for (int j = 0; j < nv; j++)
        q[j] /= length;
    red->B[k * nc + red->order[k]] = length;
    for (int i = k + 1; i < nc; i++) {
        double *rest = red->rest + red->order[i] * nv;
        for (int pass = 0; pass < 2; pass++) {
            double dot = 0;
            for (int j = 0; j < nv; j++)
                dot += rest[j] * q[j];
            for (int j = 0; j < nv; j++)
                rest[j] -= dot * q[j];
            red->B[k * nc + red->order[i]] += dot;
        }
    }
}

/* C B_I = B_D, with the lower triangle B_I. */
static void express_dependent(dfl_redundant *red)
{
    const int nc = red->nc, rank = red->rank, defect = nc - rank;
    for (int i = 0; i < defect; i++)
        for (int k = rank - 1; k >= 0; k--) {
            double sum = red->B[k * nc + red->order[rank + i]];
            for (int j = k + 1; j < rank; j++)
                sum -= red->C[j * defect + i] * red->B[k * nc + red->order[j]];
            red->C[k * defect + i] = sum / red->B[k * nc + red->order[k]];
        }
}

static void factor_normal(dfl_redundant *red)
{
    const int defect = red->nc - red->rank;
    for (int j = 0; j < defect; j++)
        for (int i = 0; i < defect; i++) {
            double sum = i == j;
            for (int k = 0; k < red->rank; k++)
                sum += red->C[k * defect + i] * red->C[k * defect + j];
            red->L[j * defect + i] = sum;
        }
    red->least = defect == 0 || dfl_cholesky(red->L, defect);
}

void dfl_redundant_expand(double *l, const dfl_redundant *red, const double *y)
{
    const int rank = red->rank, defect = red->nc - rank;
    double *d = red->d;
    for (int i = 0; i < defect; i++) {
        d[i] = 0;
        for (int k = 0; red->least && k < rank; k++)
            d[i] += red->C[k * defect + i] * y[k];
    }
    if (red->least) { /* d := (I + C C^T)^-1 d */
        dfl_cholesky_forward(d, 1, red->L, defect);
        dfl_cholesky_backward(d, red->L, defect);
    }
    for (int i = 0; i < defect; i++)
        l[red->order[rank + i]] = d[i];
    for (int k = 0; k < rank; k++) {
        double sum = y[k];
        for (int i = 0; i < defect; i++)
            sum -= red->C[k * defect + i] * d[i];
        l[red->order[k]] = sum;
    }
}

void dfl_redundant_least(double *l, const dfl_redundant *red)
{
    const int rank = red->rank, defect = red->nc - rank;
    for (int k = 0; k < rank; k++) {
        red->y[k] = l[red->order[k]];
        for (int i = 0; i < defect; i++)
            red->y[k] += red->C[k * defect + i] * l[red->order[rank + i]];
    }
    dfl_redundant_expand(l, red, red->y);
}

/* [-C^T; I] L^-T; zero if there is no L */
void dfl_redundant_kernel(double *N, int ldn, const dfl_redundant *red)
{
    const int n = red->nc - red->rank;
    const double *L = red->L;
    for (int j = 0; j < n; j++) {
        double *out = N + (size_t)j * (size_t)ldn;
        memset(out, 0, (size_t)red->nc * sizeof *out);
        if (!red->least)
            continue;
        memset(red->d, 0, (size_t)n * sizeof(double));
        red->d[j] = 1;
        for (int i = j; i >= 0; i--) { /* column j of L^-T */
            for (int k = i + 1; k <= j; k++)
                red->d[i] -= L[i * n + k] * red->d[k];
            red->d[i] /= L[i * n + i];
        }
        for (int i = 0; i <= j; i++)
            out[red->order[red->rank + i]] = red->d[i];
        for (int k = 0; k < red->rank; k++)
            for (int i = 0; i <= j; i++)
                out[red->order[k]] -= red->C[k * n + i] * red->d[i];
    }
}
