/* time_response.c: what outputs of linear equations do after a step or an impulse of an input.

   From one instant to the next, x(t + h) = exp(A h) x(t) + phi(h) b u, both in the exponential of
   one larger matrix [A b; 0 0] h: C. Van Loan, Computing integrals involving the matrix
   exponential, IEEE Trans. Automat. Control 23 (1978). The exponential is a Taylor polynomial of a
   part of the matrix, squared again and again. */
#include "analysis/analysis_internal.h"

#include <math.h>
#include <string.h>

enum { DEGREE = 18 }; /* of the polynomial: 0.5^19 / 19! is far below rounding */

static dfl_status find_exponential(double *E, dfl_context *ctx, int n, double *A);

dfl_status dfl_time_response(double *out, dfl_context *ctx, const dfl_linear_equations *linear,
                             int u, bool impulse, double h, int count)
{
    const int ny = linear->ny, no = linear->no, n = ny + 1;
    const size_t order = (size_t)n, states = (size_t)ny;
    double *A = dfl_alloc(ctx, 2 * order * order + 2 * order, sizeof *A);
    if (!A)
        return DFL_NO_MEMORY;
    double *E = A + order * order, *x = E + order * order, *next = x + order;
    const double *b = linear->B + (size_t)u * states;
    for (size_t j = 0; j < states; j++)
        for (size_t i = 0; i < states; i++)
            A[j * order + i] = h * linear->A[j * states + i];
    for (size_t i = 0; i < states; i++) {
        A[states * order + i] = h * b[i];
        x[i] = impulse ? b[i] : 0;
    }
    x[ny] = impulse ? 0 : 1; /* the input */
    const dfl_status status = find_exponential(E, ctx, n, A);
    for (int k = 0; !status && k < count; k++) {
        double *row = out + (size_t)k * (size_t)no;
        for (int i = 0; i < no; i++)
            row[i] = x[ny] * linear->D[(size_t)u * (size_t)no + (size_t)i];
        dfl_gemm(no, 1, ny, 1, linear->C, no, x, n, 1, row, no);
        dfl_gemm(n, 1, n, 1, E, n, x, n, 0, next, n);
        memcpy(x, next, order * sizeof *x);
    }
    dfl_free(ctx, A);
    return status;
}

/* E := exp(A); A is overwritten. */
static dfl_status find_exponential(double *E, dfl_context *ctx, int n, double *A)
{
    const size_t order = (size_t)n, entries = order * order;
    double largest = 0;
    for (size_t i = 0; i < order; i++) {
        double sum = 0;
        for (size_t j = 0; j < order; j++)
            sum += fabs(A[j * order + i]);
        largest = fmax(largest, sum);
    }
    if (!isfinite(largest))
        return dfl_fail(ctx, DFL_NOT_FINITE, "the linear equations are not finite");
    const int halvings = largest > 0.5 ? (int)ceil(log2(largest / 0.5)) : 0;
    double *next = dfl_alloc(ctx, entries, sizeof *next);
    if (!next)
        return DFL_NO_MEMORY;
    for (size_t i = 0; i < entries; i++) {
        A[i] = ldexp(A[i], -halvings);
        E[i] = i % (order + 1) == 0;
    }
    for (int k = DEGREE; k > 0; k--) { /* E := 1 + A E / k */
        dfl_gemm(n, n, n, 1.0 / k, A, n, E, n, 0, next, n);
        memcpy(E, next, entries * sizeof *E);
        for (size_t i = 0; i < order; i++)
            E[i * order + i] += 1;
    }
    for (int k = 0; k < halvings; k++) {
        dfl_gemm(n, n, n, 1, E, n, E, n, 0, next, n);
        memcpy(E, next, entries * sizeof *E);
    }
    dfl_free(ctx, next);
    return DFL_OK;
}
