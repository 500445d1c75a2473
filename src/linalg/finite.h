/* finite.h: one test for NaN and infinity, for the files of linalg. */
#ifndef DFL_FINITE_H
#define DFL_FINITE_H

#include <stdbool.h>

/* x - x is zero for finite x only, and the loop has no branch. */
static inline bool is_finite(const double *x, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += x[i] - x[i];
    return sum == 0;
}

#endif
