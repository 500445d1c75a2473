/* hdf5_internal.h: small values and growing tables in an HDF5 file, inside the module.

   Functions return false if HDF5 reports an error, which dfl_h5_record has recorded, or if memory
   runs out, with the message in the context. */
#ifndef DFL_HDF5_INTERNAL_H
#define DFL_HDF5_INTERNAL_H

#include "result/result.h"

#include <hdf5.h>
#include <stdbool.h>

/* Values under `name` in a group; an older value is replaced. Texts have a fixed length and are
   marked as ASCII, even if they hold UTF-8: Octave cannot read others. */
bool dfl_h5_text(hid_t group, const char *name, const char *text);
bool dfl_h5_texts(dfl_context *ctx, hid_t group, const char *name, const char *const *texts,
                  int count);
bool dfl_h5_number(hid_t group, const char *name, double number);
bool dfl_h5_integer(hid_t group, const char *name, long integer);
bool dfl_h5_numbers(hid_t group, const char *name, const double *numbers, int count);
bool dfl_h5_flags(hid_t group, const char *name, const unsigned char *flags, int count);
/* An attribute of UTF-8 strings of variable length. */
bool dfl_h5_names(hid_t object, const char *name, const char *const *names, int count);

/* A table that grows by rows, written in blocks of a fixed number of rows. */
typedef struct dfl_series {
    hid_t data;
    int rank;    /* 1: a vector, 2: a matrix */
    int columns; /* of a matrix, may be 0; 1 for a vector */
    int room, filled;
    hsize_t rows; /* in the file */
    double *block;
} dfl_series;

/* Creates a vector of doubles or integers, or a matrix of doubles whose columns have names (an
   attribute `names`). */
bool dfl_series_vector(dfl_series *series, dfl_context *ctx, hid_t group, const char *name,
                       bool integers);
bool dfl_series_matrix(dfl_series *series, dfl_context *ctx, hid_t group, const char *name,
                       const char *const *names, int columns);
/* Frees the block, without writing what is buffered, and closes the data set if wanted. */
void dfl_series_clear(dfl_series *series, dfl_context *ctx, bool close);
/* Takes one row; a full block goes to the file. */
bool dfl_series_add(dfl_series *series, const double *row);
/* Writes what is buffered. */
bool dfl_series_write(dfl_series *series);

/* HDF5 calls this at an error (H5Eset_auto2). Writes the innermost error, in few words, to the text
   of DFL_H5_REASON bytes at `reason`, unless it already holds one. */
enum { DFL_H5_REASON = 256 };
herr_t dfl_h5_record(hid_t stack, void *reason);

/* A new group; hdf5_about.c: what is known before the run, at its start and at its end. */
hid_t dfl_h5_group(hid_t parent, const char *name);
bool dfl_h5_describe_run(dfl_writer *writer, hid_t meta);
bool dfl_h5_describe_switches(dfl_writer *writer, hid_t meta);
bool dfl_h5_describe_end(dfl_writer *writer, hid_t meta);

#endif
