/* householder_internal.h: the two vector loops of a Householder QR, for split_qr.c and
   factor_small.c. */
#ifndef DFL_HOUSEHOLDER_INTERNAL_H
#define DFL_HOUSEHOLDER_INTERNAL_H

static inline double dot_product(const double *x, const double *y, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += x[i] * y[i];
    return sum;
}

/* y -= tau v (v^T y) */
static inline void reflect(double *restrict y, const double *restrict v, double tau, int count)
{
    const double factor = tau * dot_product(v, y, count);
    for (int i = 0; i < count; i++)
        y[i] -= factor * v[i];
}

#endif
