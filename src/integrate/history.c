/* Modified divided differences: coefficients, prediction, update, interpolation. */
#include "integrate/history.h"

#include <string.h>

dfl_status dfl_history_init(dfl_history *past, dfl_context *ctx, int n, int size)
{
    past->size = size;
    past->n = n;
    for (int i = 0; i < size; i++)
        if (!(past->phi[i] = dfl_alloc(ctx, (size_t)n, sizeof(double))))
            return DFL_NO_MEMORY;
    return DFL_OK;
}

void dfl_history_clear(dfl_history *past, dfl_context *ctx)
{
    for (int i = 0; i < past->size; i++)
        dfl_free(ctx, past->phi[i]);
}

void dfl_history_start(dfl_history *past, int n, const double *x, const double *xp)
{
    past->n = n;
    for (int i = 0; i < past->size; i++) {
        memset(past->phi[i], 0, (size_t)n * sizeof(double));
        past->psi[i] = i + 1;
    }
    memcpy(past->phi[0], x, (size_t)n * sizeof(double));
    memcpy(past->phi[1], xp, (size_t)n * sizeof(double));
    past->points = 1;
}

/* Before the first step: the straight past has points at the distance of that step. */
static void space_straight_past(dfl_history *past, double h)
{
    const double ratio = h / past->psi[0];
    for (int i = 0; i < past->n; i++)
        past->phi[1][i] *= ratio;
    for (int i = 0; i < past->size; i++)
        past->psi[i] = (i + 1) * h;
}

void dfl_history_prepare(dfl_history *past, double h, int k)
{
    if (past->points == 1)
        space_straight_past(past, h);
    past->h = h;
    past->k = k;
    past->alpha[0] = past->beta[0] = past->sigma[0] = 1;
    past->gamma[0] = 0;
    past->psi_next[0] = h;
    for (int i = 1; i <= k && i < DFL_DIFFERENCES; i++) {
        past->psi_next[i] = past->psi[i - 1] + h;
        past->alpha[i] = h / past->psi_next[i];
        past->beta[i] = past->beta[i - 1] * past->psi_next[i - 1] / past->psi[i - 1];
        past->gamma[i] = past->gamma[i - 1] + past->alpha[i - 1] / h;
        past->sigma[i] = i * past->sigma[i - 1] * past->alpha[i];
    }
}

void dfl_history_predict(double *x0, double *xp0, const dfl_history *past)
{
    const size_t bytes = (size_t)past->n * sizeof(double);
    memcpy(x0, past->phi[0], bytes);
    memset(xp0, 0, bytes);
    for (int i = 1; i <= past->k; i++) {
        const double beta = past->beta[i], slope = past->gamma[i] * beta, *phi = past->phi[i];
        for (int j = 0; j < past->n; j++) {
            x0[j] += beta * phi[j];
            xp0[j] += slope * phi[j];
        }
    }
}

/* phi_{k+2} = e,  phi_{k+1} = phi*_{k+1} + e,  phi_i = phi*_i + phi_{i+1} */
void dfl_history_add(dfl_history *past, const double *e)
{
    const int k = past->k, n = past->n;
    if (k + 1 < past->size)
        memcpy(past->phi[k + 1], e, (size_t)n * sizeof *e);
    for (int i = k; i >= 0; i--) {
        const double beta = past->beta[i], *next = i == k ? e : past->phi[i + 1];
        double *phi = past->phi[i];
        for (int j = 0; j < n; j++)
            phi[j] = beta * phi[j] + next[j];
    }
    memcpy(past->psi, past->psi_next, (size_t)(k + 1) * sizeof *past->psi);
    if (past->points < past->size)
        past->points++;
}

void dfl_history_left_out(double *sum, const dfl_history *past, const double *e, int degree)
{
    memcpy(sum, e, (size_t)past->n * sizeof *e);
    for (int m = past->k; m > degree; m--)
        for (int j = 0; j < past->n; j++)
            sum[j] += past->beta[m] * past->phi[m][j];
    for (int j = 0; degree > past->k && j < past->n; j++)
        sum[j] -= past->phi[degree][j];
}

/* Newton's form: x_n + sum c_i phi_i,  c_i = prod (t - t_{n-j+1}) / psi_j */
void dfl_history_interpolate(double *x, const dfl_history *past, double ahead, int k)
{
    double c = 1;
    memcpy(x, past->phi[0], (size_t)past->n * sizeof *x);
    for (int i = 1; i <= k; i++) {
        c *= (ahead + (i > 1 ? past->psi[i - 2] : 0)) / past->psi[i - 1];
        for (int j = 0; j < past->n; j++)
            x[j] += c * past->phi[i][j];
    }
}
