/* extrapolated_slope.c: derivatives of functions that are computed to rounding: central differences
   with h, h/2 and h/4, extrapolated (Romberg, error of order 6). */
#include "linalg/linalg.h"

#include <float.h>

enum { LEVELS = 3, ATTEMPTS = 8 };

/* D (n): (f(h) - f(-h)) / 2h; *largest: the largest value. */
static dfl_status difference(double *D, double *largest, int n, dfl_curve_fn f, void *user,
                             double h, double *beside)
{
    dfl_status status = f(D, h, user);
    if (!status)
        status = f(beside, -h, user);
    for (int i = 0; !status && i < n; i++) {
        *largest = fmax(*largest, fmax(fabs(D[i]), fabs(beside[i])));
        D[i] = (D[i] - beside[i]) / (2 * h);
    }
    return status;
}

/* *doubt: how far the last two extrapolations differ beyond rounding, relative to the largest. */
static dfl_status extrapolate(double *out, double *doubt, int n, dfl_curve_fn f, void *user,
                              double h, double *work)
{
    double *D[LEVELS], change = 0, size = 0, largest = 0;
    dfl_status status = DFL_OK;
    for (int k = 0; !status && k < LEVELS; k++) {
        D[k] = work + (k + 1) * n;
        status = difference(D[k], &largest, n, f, user, ldexp(h, -k), work);
    }
    for (int i = 0; !status && i < n; i++) {
        const double a = D[1][i] + (D[1][i] - D[0][i]) / 3, b = D[2][i] + (D[2][i] - D[1][i]) / 3;
        out[i] = b + (b - a) / 15;
        change = fmax(change, fabs(b - a) / 15);
        size = fmax(size, fabs(out[i]));
    }
    *doubt = change > 1e4 * DBL_EPSILON * largest / h ? change / size : 0;
    return status;
}

dfl_status dfl_slope_at_zero(double *out, double *doubt, int n, dfl_curve_fn f, void *user,
                             double h, double *work)
{
    dfl_status status = DFL_OK;
    *doubt = 1;
    for (int k = 0; (status || *doubt > 1e-9) && k < ATTEMPTS; k++, h /= 10) {
        status = extrapolate(out, doubt, n, f, user, h, work);
        if (status == DFL_NO_MEMORY || status == DFL_STOPPED)
            return status;
        if (status)
            *doubt = 1;
    }
    return status;
}
