/* report_stored.h: reports of results that were stored as HDF5. */
#ifndef DFL_REPORT_STORED_H
#define DFL_REPORT_STORED_H

#include <driftless/context.h>

/* Writes the page (FILE.html) or plot (FILE.svg, of `columns`, which may be NULL) of the result `from`.
   A result whose run has not ended, or was killed, is shown as far as it got.
   DFL_INVALID: not a result, an unknown column, an unknown ending, or a file that cannot be opened.
   DFL_CALLBACK: the page cannot be written. */
dfl_status dfl_report_stored(dfl_context *ctx, const char *from, const char *to,
                             const char *columns);

#endif
