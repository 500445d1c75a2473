/* allowed_misfit.c: the part of their size up to which rows of constraints may depend on each
   other. */
#include "eom/eom_internal.h"

#include <math.h>

double dfl_allowed_misfit(const dfl_constraint_options *constraints, int row)
{
    const double *each = constraints->redundant_each;
    return each ? fmax(constraints->redundant, each[row]) : constraints->redundant;
}

double dfl_largest_misfit(const dfl_constraint_options *constraints, int rows)
{
    double largest = constraints->redundant;
    for (int i = 0; constraints->redundant_each && i < rows; i++)
        largest = fmax(largest, constraints->redundant_each[i]);
    return largest;
}
