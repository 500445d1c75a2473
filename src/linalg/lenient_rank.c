/* lenient_rank.c: the rank of a matrix whose rows are known more or less exactly.

   Rows i may be off by e_i of their size. There are such changes that lower the rank if diag(1/e) A
   has a singular value below the largest one of A: what may vanish with row i is compared with e_i.
   The SVD of scaled rows scales row i by its size times e_i over the common tolerance. */
#include "linalg/linalg.h"

#include <math.h>

static double largest_in_row(const double *A, int lda, int n)
{
    double largest = 0;
    for (int j = 0; j < n; j++)
        largest = fmax(largest, fabs(A[(size_t)j * (size_t)lda]));
    return largest;
}

int dfl_lenient_rank(double *least, dfl_split *split, const dfl_split_rule *rule,
                     const double *more, const double *A, int lda, int m, int n)
{
    dfl_split_rule weighted = *rule;
    if (!dfl_split_compute(split, &weighted, A, lda, m, n))
        return -1;
    const double largest = split->largest;
    if (!more || split->rank == 0)
        return split->rank;
    for (int i = 0; i < m; i++) {
        const double size = largest_in_row(A + i, lda, n);
        least[i] =
            fmax(size, rule->least ? rule->least[i] : 0) * fmax(1, more[i] / rule->tolerance);
    }
    weighted.least = least;
    if (!dfl_split_compute(split, &weighted, A, lda, m, n) || !(split->largest > 0))
        return -1;
    weighted.tolerance = fmin(0.5, rule->tolerance * largest / split->largest);
    return dfl_split_compute(split, &weighted, A, lda, m, n) ? split->rank : -1;
}
