/* optimize_squares.c: sums of squares by Levenberg and Marquardt, inside bounds: variables at a
   bound that the gradient holds there are left out, and steps are cut at bounds. */
#include "study/optimize_internal.h"

#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 200 };

/* step: (J'J + mu D) step = -J'r over the variables that are not held, D the diagonal of J'J. A:
   count x count workspace. False: singular. */
static bool find_step(double *step, double *A, const objective *it, const outcome *at,
                      const double *z, double mu)
{
    const int count = it->count, m = it->nof - it->nmeasures;
    dfl_gemm_tn(count, count, m, 1, at->J, m, at->J, m, 0, A, count);
    for (int i = 0; i < count; i++) {
        double *diagonal = &A[(size_t)i * (size_t)count + (size_t)i];
        *diagonal += mu * (*diagonal > 0 ? *diagonal : 1);
        step[i] = -at->slope[i] / 2;
        if (!dfl_is_held(z, at->slope, i))
            continue;
        for (int j = 0; j < count; j++)
            A[i * count + j] = A[j * count + i] = 0;
        *diagonal = 1;
        step[i] = 0;
    }
    if (!dfl_cholesky(A, count))
        return false;
    dfl_cholesky_forward(step, 1, A, count);
    dfl_cholesky_backward(step, A, count);
    return true;
}

/* One accepted step, with larger mu until the sum decreases. *moved: how far z goes; 0: nowhere. */
static dfl_status iterate(double *moved, double *mu, outcome *at, outcome *trial, objective *it,
                          double *z, double *work)
{
    const int count = it->count;
    double *next = work, *step = work + count, *A = work + 2 * count;
    *moved = 0;
    for (int attempt = 0; attempt < 8; attempt++, *mu = fmax(4 * *mu, 1e-6)) {
        if (!find_step(step, A, it, at, z, *mu))
            continue;
        double far = 0;
        for (int i = 0; i < count; i++) {
            next[i] = fmin(fmax(z[i] + step[i], 0), 1);
            far = fmax(far, fabs(next[i] - z[i]));
        }
        if (far <= it->tolerance)
            return DFL_OK; /* no step is left that would matter */
        const dfl_status status = dfl_objective_evaluate(trial, it, next);
        if (status == DFL_STOPPED || status == DFL_NO_MEMORY)
            return status;
        it->out->failed += status != DFL_OK;
        if (status || !(trial->value < at->value))
            continue;
        const outcome old = *at;
        *at = *trial;
        *trial = old;
        memcpy(z, next, (size_t)count * sizeof *z);
        *mu *= 0.1;
        *moved = far;
        return DFL_OK;
    }
    return DFL_OK;
}

dfl_status dfl_search_squares(outcome *at, objective *it, double *z)
{
    const size_t count = (size_t)it->count;
    double *work = dfl_alloc(it->ctx, count * (count + 2), sizeof *work);
    double mu = 1e-3, moved = 1;
    outcome trial = {0};
    dfl_status status = work ? dfl_outcome_create(&trial, it) : DFL_NO_MEMORY;
    for (int k = 1; !status && k <= MOST_ITERATIONS; k++) {
        const double before = at->value;
        if (before == 0 ||
            dfl_objective_slope(it, z, at->slope) <= it->tolerance * it->tolerance * before) {
            it->out->converged = true;
            break;
        }
        status = iterate(&moved, &mu, at, &trial, it, z, work);
        if (status)
            break;
        if (moved > 0) {
            it->out->iterations = k;
            it->tell(k, it->out->runs, at->value, it->user);
        }
        if (moved <= it->tolerance ||
            before - at->value <= it->tolerance * it->tolerance * before) {
            it->out->converged = true;
            break;
        }
    }
    dfl_outcome_clear(&trial, it);
    dfl_free(it->ctx, work);
    return status;
}
