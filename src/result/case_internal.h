/* case_internal.h: the tables of a study's file, inside the module. */
#ifndef DFL_CASE_INTERNAL_H
#define DFL_CASE_INTERNAL_H

#include "result/case_file.h"
#include "result/hdf5_internal.h"

#include <sys/types.h>

typedef enum case_table {
    TABLE_STATES,
    TABLE_CHECKS,
    TABLE_PARAMETERS,
    TABLE_RESULTS,
    TABLE_EVENTS,
    TABLE_SERIES,
    TABLE_MESSAGES,
    CASE_TABLES
} case_table;

struct dfl_case_file {
    dfl_context *ctx;
    dfl_case_layout layout;
    char **owned[DFL_CASE_LISTS]; /* texts of the layout, of a file that was opened */
    char *owned_text[DFL_CASE_TEXTS];
    bool fresh;                /* nothing was written before */
    int file;                  /* its descriptor */
    off_t begin[CASE_TABLES];  /* of each table in the file */
    size_t bytes[CASE_TABLES]; /* of each case in it; 0: there is no such table */
};

/* case_layout.c: fills `bytes`. */
void dfl_case_measure(dfl_case_file *file);

/* case_tables.c: writes groups and tables into a new HDF5 file; reads the layout of one, and where
   its tables begin. `reason` (DFL_H5_REASON bytes) may get what HDF5 says. */
bool dfl_case_tables_create(dfl_case_file *file, const char *path, char *reason);
bool dfl_case_tables_open(dfl_case_file *file, const char *path, char *reason);

#endif
