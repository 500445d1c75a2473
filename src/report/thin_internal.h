/* thin_internal.h: a table of any length in bounded memory, inside the module.

   Rows are collected in buckets of 1, 2, 4, ... rows: whenever all buckets are full, neighbours
   merge. A bucket keeps, for every column, the smallest and the largest value and which came first,
   so that no extremum is lost; with up to two rows per bucket nothing is lost at all. This would
   tear frames of a scene apart: a table of whole rows keeps the first row of every bucket instead,
   and the last row. */
#ifndef DFL_THIN_INTERNAL_H
#define DFL_THIN_INTERNAL_H

#include <driftless/context.h>

#include <stdbool.h>
#include <stddef.h>

enum { DFL_THIN_FEWEST = 128 }; /* buckets, however many columns */

typedef struct dfl_thin {
    dfl_context *ctx;
    int columns; /* besides the time */
    bool whole;
    int room, count;       /* buckets: allocated, in use */
    long per;              /* rows per bucket */
    long rows;             /* seen so far */
    double *first, *last;  /* times of a bucket */
    double *low, *high;    /* room x columns; whole rows are in `low` */
    unsigned char *rising; /* room x columns: the smallest value came before the largest */
    double *final;         /* the last row with its time, if rows are whole */
} dfl_thin;

/* Makes an empty table for about `numbers` numbers. The caller clears it also after a failure. */
dfl_status dfl_thin_create(dfl_thin *out, dfl_context *ctx, int columns, bool whole,
                           size_t numbers);
void dfl_thin_clear(dfl_thin *thin);
void dfl_thin_add(dfl_thin *thin, double time, const double *row);

/* The rows to show, and the time (column -1) or a value in them. */
int dfl_thin_rows(const dfl_thin *thin);
double dfl_thin_value(const dfl_thin *thin, int row, int column);
/* Smallest and largest value of a column (-1: of the times); NAN without numbers. */
void dfl_thin_range(double *low, double *high, const dfl_thin *thin, int column);

#endif
