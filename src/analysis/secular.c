/* secular.c: equal eigenvalues on the imaginary axis that lack eigenvectors, because one mode
   drives another of the same frequency: motions grow with powers of time. On the invariant subspace
   of all eigenvalues that equal
   +- i omega, A is T; nothing grows if T^2 + omega^2 = 0. For omega = 0 constant velocities are no
   growth: T^2 = 0 (Gantmacher, The Theory of Matrices, chapter V: the minimal polynomial). */
#include "analysis/analysis_internal.h"

#include <float.h>

static const double precision = 1e-12; /* of A, as a part of its largest entry */

/* How far an eigenvalue may have moved, if A is as precise as above. */
static double reach(const dfl_modes *modes, int i)
{
    return modes->mode[i].doubt * fmax(1, precision / (modes->count * DBL_EPSILON));
}

static bool is_on_axis(const dfl_modes *modes, int i)
{
    return fabs(modes->mode[i].re) <= reach(modes, i);
}

/* Marks the eigenvalues equal to the i-th one, on the axis; returns their number, *omega is their
   mean. */
static int mark_equal(bool *equal, double *omega, const dfl_modes *modes, int i)
{
    const dfl_mode *mode = modes->mode;
    const bool zero = hypot(mode[i].re, mode[i].im) <= reach(modes, i);
    int count = 0;
    *omega = 0;
    for (int j = 0; j < modes->count; j++) {
        const double away = hypot(mode[j].re - mode[i].re, mode[j].im - mode[i].im);
        equal[j] = is_on_axis(modes, j) && away <= reach(modes, i) + reach(modes, j) &&
                   zero == (hypot(mode[j].re, mode[j].im) <= reach(modes, j));
        count += equal[j];
        *omega += equal[j] ? mode[j].im : 0;
    }
    *omega = zero ? 0 : *omega / count;
    return count;
}

/* The largest entry of T^2 + omega^2, T being the leading block of A (order n); omega^2 is the mean
   that T has, or 0. */
static double remainder_of(double *T2, const double *A, int n, int order, bool zero)
{
    double trace = 0, most = 0;
    dfl_gemm(order, order, order, 1, A, n, A, n, 0, T2, order);
    for (int i = 0; i < order; i++)
        trace += T2[(size_t)i * (size_t)order + (size_t)i];
    for (int i = 0; i < order; i++) {
        if (!zero)
            T2[(size_t)i * (size_t)order + (size_t)i] -= trace / order;
        most = fmax(most, dfl_max_abs(T2 + (size_t)i * (size_t)order, order));
    }
    return most;
}

/* Whether `count` eigenvalues at i omega lack eigenvectors. */
static dfl_status lacks_vectors(bool *lacks, dfl_schur *it, double omega, int count)
{
    int order;
    double condition, size = 2 * omega;
    dfl_status status = dfl_schur_block(&order, &condition, it, omega, count);
    const size_t entries = (size_t)(status ? 0 : order) * (size_t)(status ? 0 : order);
    double *T2 = dfl_alloc(it->ctx, entries, sizeof *T2);
    if (!status && !T2)
        status = DFL_NO_MEMORY;
    if (!status) {
        const double left = remainder_of(T2, it->part, it->n, order, omega == 0);
        for (int j = 0; omega == 0 && j < order; j++)
            size = fmax(size, dfl_max_abs(it->part + (size_t)j * (size_t)it->n, order));
        *lacks = left > 10 * it->n * precision * it->norm / fmax(condition, DBL_EPSILON) * size;
    }
    dfl_free(it->ctx, T2);
    return status;
}

dfl_status dfl_modes_mark_secular(dfl_modes *modes, const double *A)
{
    dfl_context *ctx = modes->ctx;
    const int n = modes->count;
    bool *equal = dfl_alloc(ctx, 2 * (size_t)n, sizeof *equal), *seen = equal ? equal + n : NULL;
    dfl_schur schur = {0};
    dfl_status status = equal ? DFL_OK : DFL_NO_MEMORY;
    for (int i = 0; !status && i < n; i++) {
        double omega;
        bool lacks = false;
        if (seen[i] || modes->mode[i].im < 0 || !is_on_axis(modes, i))
            continue;
        const int count = mark_equal(equal, &omega, modes, i);
        if (count < (omega > 0 ? 2 : 3))
            continue;
        if (!schur.ctx)
            status = dfl_schur_create(&schur, ctx, n, A);
        if (!status)
            status = lacks_vectors(&lacks, &schur, omega, count);
        for (int j = 0; !status && j < n; j++) {
            seen[j] = seen[j] || equal[j];
            modes->mode[j].secular = modes->mode[j].secular || (lacks && equal[j]);
        }
    }
    for (int i = 1; i < n; i++) /* the second one of a pair */
        if (modes->mode[i].im < 0)
            modes->mode[i].secular = modes->mode[i - 1].secular;
    dfl_schur_clear(&schur);
    dfl_free(ctx, equal);
    return status;
}
