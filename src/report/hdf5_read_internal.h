/* hdf5_read_internal.h: tables and switches of a stored result, inside the module. */
#ifndef DFL_HDF5_READ_INTERNAL_H
#define DFL_HDF5_READ_INTERNAL_H

#include "hdf/hdf.h"
#include "report/thin_internal.h"

/* What happened at instants, with its impulses (stored_switches.c). */
struct dfl_report;
dfl_status dfl_report_read_switches(struct dfl_report *report, dfl_h5_file *file);

/* Adds the rows of tables side by side, at most 8, up to the length of the shortest: the first
   column is the time. Nothing is added if the columns do not fit. Returns the file's status. */
dfl_status dfl_h5_get_tables(dfl_thin *into, dfl_h5_file *file, const char *const *paths,
                             int count);

#endif
