/* hdf5_matrices.c: matrices and lists of names as an HDF5 file, made in memory. */
#include "result/hdf5_internal.h"

#include "context/context.h"

struct dfl_matrix_file {
    dfl_context *ctx;
    hid_t file;
    hid_t group; /* where values go; the file itself at first */
    char reason[DFL_H5_REASON];
    H5E_auto2_t print; /* HDF5's own error printer while ours is in place */
    void *print_user;
    bool failed;
};

static bool put_matrix(dfl_matrix_file *file, const char *name, const double *A, int rows,
                       int columns);

dfl_status dfl_matrix_file_open(dfl_matrix_file **out, dfl_context *ctx)
{
    *out = NULL;
    if (dfl_hdf5_start(ctx))
        return DFL_NO_MEMORY;
    dfl_matrix_file *file = dfl_alloc(ctx, 1, sizeof *file);
    if (!file)
        return DFL_NO_MEMORY;
    file->ctx = ctx;
    H5Eget_auto2(H5E_DEFAULT, &file->print, &file->print_user);
    H5Eset_auto2(H5E_DEFAULT, dfl_h5_record, file->reason);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, 1 << 16, false);
    /* the oldest format: a copy of a newer one that is open would have a wrong checksum */
    H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18);
    file->file = file->group = H5Fcreate("matrices", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    file->failed = file->file < 0;
    *out = file;
    return DFL_OK;
}

void dfl_matrix_file_group(dfl_matrix_file *file, const char *name)
{
    if (file->failed)
        return;
    if (file->group != file->file)
        H5Gclose(file->group);
    file->group = dfl_h5_group(file->file, name);
    file->failed = file->group < 0;
    if (file->failed)
        file->group = file->file;
}

void dfl_matrix_file_put(dfl_matrix_file *file, const char *name, const double *A, int rows,
                         int columns)
{
    if (file->failed)
        return;
    file->failed = rows == 1 && columns == 1 ? !dfl_h5_number(file->group, name, *A)
                                             : !put_matrix(file, name, A, rows, columns);
}

void dfl_matrix_file_names(dfl_matrix_file *file, const char *name, const char *const *names,
                           int count)
{
    if (!file->failed)
        file->failed = !dfl_h5_texts(file->ctx, file->group, name, names, count);
}

dfl_status dfl_matrix_file_close(dfl_text *out, dfl_matrix_file *file)
{
    if (!file)
        return DFL_OK;
    dfl_context *ctx = file->ctx;
    char *bytes = NULL;
    if (file->group != file->file)
        H5Gclose(file->group);
    if (out && !file->failed && H5Fflush(file->file, H5F_SCOPE_GLOBAL) >= 0) {
        const ssize_t size = H5Fget_file_image(file->file, NULL, 0);
        bytes = size > 0 ? dfl_alloc(ctx, (size_t)size, 1) : NULL;
        if (bytes && H5Fget_file_image(file->file, bytes, (size_t)size) == size)
            dfl_text_bytes(out, bytes, (size_t)size);
        else
            file->failed = true;
    }
    if (file->file >= 0)
        H5Fclose(file->file);
    H5Eset_auto2(H5E_DEFAULT, file->print, file->print_user);
    dfl_status status = out ? out->status : DFL_OK;
    if (file->failed)
        status = file->reason[0]
                     ? dfl_fail(ctx, DFL_IO, "matrices cannot be written as HDF5: %s", file->reason)
                     : DFL_NO_MEMORY;
    dfl_free(ctx, bytes);
    dfl_free(ctx, file);
    return status;
}

/* HDF5 has rows one after another. */
static bool put_matrix(dfl_matrix_file *file, const char *name, const double *A, int rows,
                       int columns)
{
    const hsize_t size[2] = {(hsize_t)rows, (hsize_t)columns};
    double *by_rows = dfl_alloc(file->ctx, (size_t)rows * (size_t)columns, sizeof *by_rows);
    if (!by_rows)
        return false;
    for (size_t i = 0; i < (size_t)rows; i++)
        for (size_t j = 0; j < (size_t)columns; j++)
            by_rows[i * (size_t)columns + j] = A[j * (size_t)rows + i];
    const hid_t space = H5Screate_simple(2, size, NULL);
    const hid_t set =
        H5Dcreate2(file->group, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool done =
        set >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, by_rows) >= 0;
    H5Dclose(set);
    H5Sclose(space);
    dfl_free(file->ctx, by_rows);
    return done;
}
