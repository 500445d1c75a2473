/* fe_rows_internal.h: rows of texts and data sets that become nodes, unknowns and entries of
   matrices; inside the module. */
#ifndef DFL_FE_ROWS_INTERNAL_H
#define DFL_FE_ROWS_INTERNAL_H

#include "elastic/elastic.h"

/* Where numbers come from, for messages: a line of a file, or a row of a data set. */
typedef struct dfl_fe_row {
    const char *file;
    int line;         /* from 1 */
    const char *text; /* of the line; NULL: none */
} dfl_fe_row;

/* DFL_INVALID, with FILE:LINE. */
dfl_status dfl_fe_wrong_row(const dfl_fe *fe, const dfl_fe_row *row, const char *what);

/* node, x, y, z */
dfl_status dfl_fe_add_node(dfl_fe *fe, const dfl_fe_row *row, const double *x);
/* node, direction; begin once */
dfl_status dfl_fe_begin_unknowns(dfl_fe *fe);
dfl_status dfl_fe_add_unknown(dfl_fe *fe, const dfl_fe_row *row, const double *x);
/* row, column, value; zeros beside the diagonal are left out */
dfl_status dfl_fe_add_entry(dfl_fe *fe, dfl_fe_matrix which, const dfl_fe_row *row,
                            const double *x);

#endif
