/* spline_value.c: the value of a piecewise polynomial and of its derivatives. */
#include "symbolic/graph.h"

enum { COEFS = 6 }; /* of each piece */

double dfl_spline_value(const dfl_spline *spline, int derivative, double x)
{
    int low = 0, high = spline->n; /* the number of knots below x lies between */
    while (low < high) {
        const int middle = (low + high) / 2;
        if (spline->x[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    const double *coef = spline->coef + (size_t)low * COEFS;
    const double t = x - spline->x[low < spline->n ? low : spline->n - 1];
    double sum = 0;
    for (int k = COEFS - 1; k >= derivative; k--) {
        double factor = 1; /* k (k-1) ... (k-derivative+1) */
        for (int i = 0; i < derivative; i++)
            factor *= k - i;
        sum = sum * t + factor * coef[k];
    }
    return sum;
}
