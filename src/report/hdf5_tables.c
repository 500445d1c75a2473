/* hdf5_tables.c: tables of a stored result, read in blocks and thinned. */
#include "report/hdf5_read_internal.h"

#include <string.h>

enum { BLOCK = 512, MOST_TABLES = 8 };

/* Tables side by side; columns of all tables in one row. */
typedef struct reading {
    dfl_h5_table table[MOST_TABLES];
    int count, width;
    hsize_t rows;  /* of the shortest table */
    double *block; /* BLOCK rows of one table after the other */
    double *row;
} reading;

static void open_tables(reading *r, dfl_h5_file *file, const char *const *paths, int count);
static bool read_block(const reading *r, hsize_t first, hsize_t rows);
static void take_rows(dfl_thin *into, const reading *r, hsize_t rows);

dfl_status dfl_h5_get_tables(dfl_thin *into, dfl_h5_file *file, const char *const *paths, int count)
{
    reading r;
    dfl_context *ctx = file->ctx;
    open_tables(&r, file, paths, count);
    const bool fits = !file->status && r.width == into->columns + 1 &&
                      dfl_h5_reserve(file, (double)r.width * (BLOCK + 1) * sizeof *r.block);
    r.block = fits ? dfl_alloc(ctx, (size_t)r.width * BLOCK, sizeof *r.block) : NULL;
    r.row = fits ? dfl_alloc(ctx, (size_t)r.width + 1, sizeof *r.row) : NULL;
    if (fits && (!r.block || !r.row))
        file->status = DFL_NO_MEMORY;
    bool good = r.block && r.row;
    for (hsize_t first = 0; good && first < r.rows; first += BLOCK) {
        const hsize_t some = r.rows - first < BLOCK ? r.rows - first : BLOCK;
        good = read_block(&r, first, some);
        if (good)
            take_rows(into, &r, some);
    }
    for (int i = 0; i < count; i++)
        dfl_h5_close_table(&r.table[i]);
    dfl_free(ctx, r.row);
    dfl_free(ctx, r.block);
    return file->status;
}

static void open_tables(reading *r, dfl_h5_file *file, const char *const *paths, int count)
{
    *r = (reading){.count = count};
    for (int i = 0; i < count; i++) {
        r->table[i] = dfl_h5_open_table(file, paths[i]);
        r->rows = i == 0 || r->table[i].rows < r->rows ? r->table[i].rows : r->rows;
        r->width += r->table[i].columns;
    }
}

static bool read_block(const reading *r, hsize_t first, hsize_t rows)
{
    double *next = r->block;
    for (int i = 0; i < r->count; i++) {
        if (!dfl_h5_get_rows(next, &r->table[i], first, rows))
            return false;
        next += (size_t)r->table[i].columns * BLOCK;
    }
    return true;
}

static void take_rows(dfl_thin *into, const reading *r, hsize_t rows)
{
    for (hsize_t k = 0; k < rows; k++) {
        size_t start = 0;
        for (int i = 0; i < r->count; i++) {
            const size_t columns = (size_t)r->table[i].columns;
            memcpy(r->row + start, r->block + start * BLOCK + k * columns,
                   columns * sizeof *r->row);
            start += columns;
        }
        dfl_thin_add(into, r->row[0], r->row + 1);
    }
}
