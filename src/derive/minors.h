/* minors.h: determinants of small matrices of expressions, with shared minors, and without a pivot
   that might vanish during the motion. */
#ifndef DFL_MINORS_H
#define DFL_MINORS_H

#include "symbolic/symbolic.h"

enum { DFL_LARGEST_MINORS = 8 }; /* rows: 2^8 minors */

typedef struct dfl_minors {
    int k;
    dfl_expr A[DFL_LARGEST_MINORS][DFL_LARGEST_MINORS]; /* A[row][col] */
    dfl_expr minor[1 << DFL_LARGEST_MINORS];            /* of the last rows and a set of columns */
} dfl_minors;

dfl_expr dfl_determinant(dfl_graph *graph, dfl_minors *of);

/* The determinant with column j replaced. */
dfl_expr dfl_determinant_replaced(dfl_graph *graph, dfl_minors *of, int j, const dfl_expr *column);

#endif
