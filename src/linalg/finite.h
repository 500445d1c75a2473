/* finite.h: one test for NaN and infinity. */
#ifndef DFL_FINITE_H
#define DFL_FINITE_H

#include <stdbool.h>

/* x - x is zero for finite x only; the loop has no branch, and sums that do not wait for each other. */
static inline bool is_finite(const double *x, int count)
{
    double sum[4] = {0};
    int i = 0;
    for (; i + 4 <= count; i += 4)
        for (int k = 0; k < 4; k++)
            sum[k] += x[i + k] - x[i + k];
    for (; i < count; i++)
        sum[0] += x[i] - x[i];
    return sum[0] + sum[1] + sum[2] + sum[3] == 0;
}

#endif
