/* Patterns by compressed columns, and products with them. */
#include "linalg/linalg.h"

#include <string.h>

/* Two passes of a bucket sort, by rows and then by columns, leave the places in order. */
dfl_status dfl_csc_create(dfl_csc *out, int *at, dfl_context *ctx, int rows, int columns,
                          const dfl_place_of_entry *place, int count)
{
    const int most = rows > columns ? rows : columns;
    *out = (dfl_csc){.rows = rows, .columns = columns};
    int *bucket = dfl_alloc(ctx, (size_t)most + 2, sizeof *bucket);
    int *by_row = dfl_alloc(ctx, (size_t)count + 1, sizeof *by_row);
    int *sorted = dfl_alloc(ctx, (size_t)count + 1, sizeof *sorted);
    out->start = dfl_alloc(ctx, (size_t)columns + 1, sizeof *out->start);
    out->row = dfl_alloc(ctx, (size_t)count + 1, sizeof *out->row);
    dfl_status status =
        bucket && by_row && sorted && out->start && out->row ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        for (int k = 0; k < count; k++)
            bucket[place[k].row + 1]++;
        for (int i = 0; i < rows; i++)
            bucket[i + 1] += bucket[i];
        for (int k = 0; k < count; k++)
            by_row[bucket[place[k].row]++] = k;
        memset(bucket, 0, ((size_t)most + 2) * sizeof *bucket);
        for (int k = 0; k < count; k++)
            bucket[place[k].column + 1]++;
        for (int j = 0; j < columns; j++)
            bucket[j + 1] += bucket[j];
        for (int k = 0; k < count; k++)
            sorted[bucket[place[by_row[k]].column]++] = by_row[k];
        int entries = 0, column = 0;
        for (int k = 0; k < count; k++) {
            const dfl_place_of_entry p = place[sorted[k]];
            for (; column < p.column; column++)
                out->start[column + 1] = entries;
            if (entries == out->start[column] || out->row[entries - 1] != p.row)
                out->row[entries++] = p.row;
            if (at)
                at[sorted[k]] = entries - 1;
        }
        for (; column < columns; column++)
            out->start[column + 1] = entries;
    }
    dfl_free(ctx, bucket);
    dfl_free(ctx, by_row);
    dfl_free(ctx, sorted);
    if (status)
        dfl_csc_clear(out, ctx);
    return status;
}

void dfl_csc_clear(dfl_csc *matrix, dfl_context *ctx)
{
    dfl_free(ctx, matrix->start);
    dfl_free(ctx, matrix->row);
    matrix->start = matrix->row = NULL;
}

void dfl_csc_add(double *y, const int *start, const int *row, int columns, const double *value,
                 double factor, const double *x)
{
    for (int j = 0; j < columns; j++) {
        const double xj = factor * x[j];
        for (int k = start[j]; k < start[j + 1]; k++)
            y[row[k]] += value[k] * xj;
    }
}

void dfl_csc_add_transposed(double *y, const int *start, const int *row, int columns,
                            const double *value, double factor, const double *x)
{
    for (int j = 0; j < columns; j++) {
        double sum = 0;
        for (int k = start[j]; k < start[j + 1]; k++)
            sum += value[k] * x[row[k]];
        y[j] += factor * sum;
    }
}
