/* hdf.h: values and tables of HDF5 files that may come from anywhere.

   Data that is missing, or has another type, is NULL or has no rows. Only what is in the file
   itself is read (no links to other files, no external or virtual storage), and only as much as its
   size makes plausible. */
#ifndef DFL_HDF_H
#define DFL_HDF_H

#include <driftless/context.h>

#include <hdf5.h>
#include <stdbool.h>

/* HDF5's error printer, kept while HDF5 is silent, and whether HDF5 lacked memory meanwhile. */
typedef struct dfl_h5_quiet {
    H5E_auto2_t print;
    void *user;
    bool no_memory;
} dfl_h5_quiet;
void dfl_h5_silence(dfl_h5_quiet *quiet);
void dfl_h5_speak(const dfl_h5_quiet *quiet);

/* A file that is read. */
typedef struct dfl_h5_file {
    dfl_context *ctx;
    const char *path;
    hid_t id;    /* negative: it is not open */
    double room; /* bytes that may still be allocated for its contents */
    dfl_status
        status; /* the first failure: DFL_NO_MEMORY, or DFL_INVALID if something is refused */
} dfl_h5_file;

/* False: there is no HDF5 file of this name. */
bool dfl_h5_open_file(dfl_h5_file *out, dfl_context *ctx, const char *path);
/* The same of a file's bytes in memory; `path` is its name in messages. */
bool dfl_h5_open_bytes(dfl_h5_file *out, dfl_context *ctx, const char *path, const void *bytes,
                       size_t size);
void dfl_h5_close_file(dfl_h5_file *file);

/* Counts memory for the contents of a file. False: that is more than such a file can need, and the
   file is refused. */
bool dfl_h5_reserve(dfl_h5_file *file, double bytes);

/* A data set that may be read, or negative. `number`: of numbers; else of texts of fixed length.
   (hdf5_guard.c) */
hid_t dfl_h5_open_set(dfl_h5_file *file, const char *path, bool number);
/* Whether a path exists and leads nowhere else. (hdf5_guard.c) */
bool dfl_h5_is_inside(dfl_h5_file *file, const char *path);

/* From the context's allocator; free texts with dfl_h5_free_texts, the others with dfl_free. */
char *dfl_h5_get_text(dfl_h5_file *file, const char *path);
char **dfl_h5_get_texts(int *count, dfl_h5_file *file, const char *path);
void dfl_h5_free_texts(char **texts, int count, dfl_context *ctx);
double *dfl_h5_get_numbers(int *count, dfl_h5_file *file, const char *path);
/* NAN if it is missing. */
double dfl_h5_get_number(dfl_h5_file *file, const char *path);

/* The names of the members of a group, sorted. */
char **dfl_h5_get_names(int *count, dfl_h5_file *file, const char *path);

/* A vector or matrix that is read by rows. */
typedef struct dfl_h5_table {
    hid_t data; /* negative: it is missing */
    hsize_t rows;
    int columns;
} dfl_h5_table;
dfl_h5_table dfl_h5_open_table(dfl_h5_file *file, const char *path);
void dfl_h5_close_table(dfl_h5_table *table);
bool dfl_h5_get_rows(double *out, const dfl_h5_table *table, hsize_t first, hsize_t count);

#endif
