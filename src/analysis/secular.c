/* secular.c: equal eigenvalues on the imaginary axis that lack eigenvectors, because one mode drives another of the
   same frequency: motions grow with powers of time. On the invariant subspace of all eigenvalues that equal
   +- i omega, A is T; nothing grows if T^2 + omega^2 = 0. For omega = 0 constant velocities are no growth: T^2 = 0
   (Gantmacher, The Theory of Matrices, chapter V: the minimal polynomial). */
#include "analysis/analysis_internal.h"

#include <float.h>
#include <string.h>

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

/* Marks the eigenvalues equal to the i-th one, on the axis; returns their number, *omega is their mean. */
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

/* The largest entry of T^2 + omega^2, T being the leading block of A (order n); omega^2 is the mean that T has, or 0. */
static double remainder_of(const double *A, int n, int order, bool zero, double *T2)
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

/* Whether `count` eigenvalues at i omega lack eigenvectors; `work` has 2 n^2 numbers. */
static dfl_status lacks_vectors(bool *lacks, double *work, dfl_context *ctx, int n, const double *A,
                                double omega, int count)
{
    const size_t entries = (size_t)n * (size_t)n;
    dfl_schur_part part;
    memcpy(work, A, entries * sizeof *work);
    const dfl_status status = dfl_schur_block(&part, ctx, n, work, omega, count);
    if (status)
        return status;
    const double left = remainder_of(work, n, part.order, omega == 0, work + entries);
    const double rounding = 10 * n * precision * part.norm / fmax(part.condition, DBL_EPSILON);
    const double size = omega > 0 ? 2 * omega : dfl_max_abs(work, n * part.order);
    *lacks = left > rounding * size;
    return DFL_OK;
}

dfl_status dfl_modes_mark_secular(dfl_modes *modes, const double *A)
{
    dfl_context *ctx = modes->ctx;
    const int n = modes->count;
    bool *equal = dfl_alloc(ctx, 2 * (size_t)n, sizeof *equal), *seen = equal ? equal + n : NULL;
    double *work = NULL;
    dfl_status status = equal ? DFL_OK : DFL_NO_MEMORY;
    for (int i = 0; !status && i < n; i++) {
        double omega;
        bool lacks = false;
        if (seen[i] || modes->mode[i].im < 0 || !is_on_axis(modes, i))
            continue;
        const int count = mark_equal(equal, &omega, modes, i);
        if (count < (omega > 0 ? 2 : 3))
            continue;
        work = work ? work : dfl_alloc(ctx, 2 * (size_t)n * (size_t)n, sizeof *work);
        status = work ? lacks_vectors(&lacks, work, ctx, n, A, omega, count) : DFL_NO_MEMORY;
        for (int j = 0; !status && j < n; j++) {
            seen[j] = seen[j] || equal[j];
            modes->mode[j].secular = modes->mode[j].secular || (lacks && equal[j]);
        }
    }
    dfl_free(ctx, work);
    dfl_free(ctx, equal);
    return status;
}
