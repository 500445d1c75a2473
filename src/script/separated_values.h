/* separated_values.h: columns of numbers from a text with separated values (RFC 4180). */
#ifndef DFL_SEPARATED_VALUES_H
#define DFL_SEPARATED_VALUES_H

#include "context/context.h"

/* Two columns that are wanted. The first line has their names; the separator is a comma, or a
   semicolon if that line has one. */
typedef struct dfl_csv {
    const char *file, *text; /* the name is for messages */
    const char *time;        /* the column of times; NULL: "t", or else "time" */
    const char *column;
    bool jumps; /* a time may be given twice */
} dfl_csv;

/* No more rows than this. */
size_t dfl_csv_rows(const char *text);

/* Whether this is a result of Driftless whose run was killed while it wrote the last line: a number
   may end too early, and the line is left out. */
bool dfl_csv_is_cut(const dfl_csv *csv);

/* Fills `time` and `value`, which have room for dfl_csv_rows, with *count rows. DFL_INVALID names
   file and line: a column that does not exist, texts in place of numbers, rows of another length,
   times that do not ascend. */
dfl_status dfl_csv_read(double *time, double *value, int *count, dfl_context *ctx,
                        const dfl_csv *csv);

#endif
