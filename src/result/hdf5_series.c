/* hdf5_series.c: tables that grow by rows.

   Rows are collected in one block, which is also one chunk of the file, and go to the file when it
   is full or when dfl_series_write is called; so a table needs the same memory however long the
   run. Chunks are not cached: raw data is on its way to the disk before any structure of the file
   refers to it, and a full disk shows at once. Changes of a table's structure are kept in memory
   until the file is flushed. */
#include "result/hdf5_internal.h"

#include <string.h>

enum { BLOCK_BYTES = 32768, MOST_ROWS = 1024 };

static bool create(dfl_series *series, dfl_context *ctx, hid_t group, const char *name, hid_t type);

bool dfl_series_vector(dfl_series *series, dfl_context *ctx, hid_t group, const char *name,
                       bool integers)
{
    series->rank = series->columns = 1;
    return create(series, ctx, group, name, integers ? H5T_STD_I32LE : H5T_IEEE_F64LE);
}

bool dfl_series_matrix(dfl_series *series, dfl_context *ctx, hid_t group, const char *name,
                       const char *const *names, int columns)
{
    series->rank = 2;
    series->columns = columns;
    return create(series, ctx, group, name, H5T_IEEE_F64LE) &&
           dfl_h5_names(series->data, "names", names, columns);
}

void dfl_series_clear(dfl_series *series, dfl_context *ctx, bool close)
{
    if (close && series->data > 0)
        H5Dclose(series->data);
    dfl_free(ctx, series->block);
    *series = (dfl_series){0};
}

bool dfl_series_add(dfl_series *series, const double *row)
{
    const size_t width = (size_t)series->columns;
    memcpy(series->block + (size_t)series->filled * width, row, width * sizeof *row);
    series->filled++;
    return series->filled < series->room || dfl_series_write(series);
}

bool dfl_series_write(dfl_series *series)
{
    if (series->filled == 0)
        return true;
    const hsize_t first[2] = {series->rows, 0};
    const hsize_t count[2] = {(hsize_t)series->filled, (hsize_t)series->columns};
    const hsize_t size[2] = {series->rows + count[0], count[1]};
    if (H5Dset_extent(series->data, size) < 0)
        return false;
    bool done = true;
    if (series->columns > 0) {
        const hid_t from = H5Screate_simple(series->rank, count, NULL);
        const hid_t to = H5Dget_space(series->data);
        done = H5Sselect_hyperslab(to, H5S_SELECT_SET, first, NULL, count, NULL) >= 0 &&
               H5Dwrite(series->data, H5T_NATIVE_DOUBLE, from, to, H5P_DEFAULT, series->block) >= 0;
        H5Sclose(to);
        H5Sclose(from);
    }
    series->rows = size[0];
    series->filled = 0;
    return done;
}

/* A chunk must not be wider than the largest size, so a matrix without columns may grow
   sideways. */
static bool create(dfl_series *series, dfl_context *ctx, hid_t group, const char *name, hid_t type)
{
    const int width = series->columns > 0 ? series->columns : 1;
    const int fits = BLOCK_BYTES / (int)sizeof(double) / width;
    series->room = fits < 1 ? 1 : fits > MOST_ROWS ? MOST_ROWS : fits;
    const hsize_t size[2] = {0, (hsize_t)series->columns};
    const hsize_t largest[2] = {H5S_UNLIMITED, size[1] > 0 ? size[1] : H5S_UNLIMITED};
    const hsize_t chunk[2] = {(hsize_t)series->room, (hsize_t)width};
    const hid_t space = H5Screate_simple(series->rank, size, largest);
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk(how, series->rank, chunk);
    H5Pset_chunk_cache(access, 0, 0, 0);
    series->data = H5Dcreate2(group, name, type, space, H5P_DEFAULT, how, access);
    series->block = dfl_alloc(ctx, (size_t)series->room * (size_t)width, sizeof *series->block);
    H5Pclose(access);
    H5Pclose(how);
    H5Sclose(space);
    return series->data >= 0 && series->block && H5Odisable_mdc_flushes(series->data) >= 0;
}
