/* report.h: a run for people: one HTML page with plots and an animation, or one plot as SVG. */
#ifndef DFL_REPORT_H
#define DFL_REPORT_H

#include "result/result.h"

/* Whether a path names a page (FILE.html) or a plot (FILE.svg). */
bool dfl_is_report(const char *path);

/* Adds a page or a plot to the files of a run; it is written when the run has ended. `columns` says
   what a plot shows, names with commas between, or residuals, energy or steps; NULL: the outputs, or
   without any the positions.
   DFL_INVALID: an unknown column (with the nearest), a file that cannot be opened, or a page from a
   program that was built without Node.js. DFL_IO: the file cannot be written. */
dfl_status dfl_report_open(dfl_record *record, const char *path, const char *columns);

/* Writes the page or plot `to` of the HDF5 result `from`. A result whose run has not ended, or was
   killed, is shown as far as it got.
   DFL_INVALID: not a result, an unknown column, an unknown ending, or a file that cannot be opened.
   DFL_IO: the page cannot be written. */
dfl_status dfl_report_stored(dfl_context *ctx, const char *from, const char *to,
                             const char *columns);

#endif
