/* tape_view.h: a tape that reads tables of tape_data.h. */
#ifndef DFL_TAPE_VIEW_H
#define DFL_TAPE_VIEW_H

#include "symbolic/tape.h"
#include "symbolic/tape_data.h"

/* The data must outlive it; `tables` are those of the model. Free it with dfl_tape_view_free.
   DFL_NO_MEMORY. */
dfl_status dfl_tape_view_create(dfl_tape **out, dfl_context *ctx, const dfl_tape_data *data,
                                const dfl_spline *tables);
void dfl_tape_view_free(dfl_tape *tape);

/* The tables of a model as splines; free them with dfl_free. DFL_NO_MEMORY. */
dfl_status dfl_tables_view(dfl_spline **out, dfl_context *ctx, const dfl_table_data *tables,
                           int count);

#endif
