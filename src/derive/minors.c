/* minors.c: determinants by expansion along the first row. minor[set] is the determinant of the
   last |set| rows and the columns in `set`. */
#include "derive/minors.h"

dfl_expr dfl_determinant(dfl_graph *graph, dfl_minors *of)
{
    const unsigned all = 1U << of->k;
    of->minor[0] = dfl_constant(graph, 1.0);
    for (unsigned set = 1; set < all; set++) {
        int size = 0;
        for (unsigned bits = set; bits; bits &= bits - 1)
            size++;
        const dfl_expr *row = of->A[of->k - size];
        dfl_expr sum = dfl_constant(graph, 0.0);
        bool negative = false;
        for (int j = 0; j < of->k; j++) {
            if (!(set >> j & 1U))
                continue;
            const dfl_expr term = dfl_mul(graph, row[j], of->minor[set & ~(1U << j)]);
            sum = negative ? dfl_sub(graph, sum, term) : dfl_add(graph, sum, term);
            negative = !negative;
        }
        of->minor[set] = sum;
    }
    return of->minor[all - 1];
}

dfl_expr dfl_determinant_replaced(dfl_graph *graph, dfl_minors *of, int j, const dfl_expr *column)
{
    dfl_expr kept[DFL_LARGEST_MINORS];
    for (int i = 0; i < of->k; i++) {
        kept[i] = of->A[i][j];
        of->A[i][j] = column[i];
    }
    const dfl_expr value = dfl_determinant(graph, of);
    for (int i = 0; i < of->k; i++)
        of->A[i][j] = kept[i];
    return value;
}
