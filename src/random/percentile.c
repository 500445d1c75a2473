/* percentile.c: where a part of all values ends. */
#include "random/random.h"

#include <math.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double dfl_percentile(double *values, int count, double part)
{
    if (count == 0)
        return NAN;
    qsort(values, (size_t)count, sizeof *values, by_size);
    const double place = part * (count - 1);
    const int below = (int)floor(place), above = below + 1 < count ? below + 1 : below;
    return values[below] + (place - below) * (values[above] - values[below]);
}
