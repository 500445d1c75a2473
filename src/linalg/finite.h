/* finite.h: one test for NaN and infinity. */
#ifndef DFL_FINITE_H
#define DFL_FINITE_H

#include "linalg/vectors.h"

#include <stdbool.h>

/* x - x is zero for finite x only; the loop has no branch, and sums that do not wait for each other. */
static inline bool is_finite(const double *x, int count)
{
    pair sum[2] = {{0}, {0}};
    int i = 0;
    for (; i + 4 <= count; i += 4)
        for (int k = 0; k < 2; k++)
            sum[k] += *(const pair *)(x + i + 2 * k) - *(const pair *)(x + i + 2 * k);
    sum[0] += sum[1];
    double rest = sum[0][0] + sum[0][1];
    for (; i < count; i++)
        rest += x[i] - x[i];
    return rest == 0;
}

#endif
