/* zip_writer.h: files in one ZIP archive, stored as they are. */
#ifndef DFL_ZIP_WRITER_H
#define DFL_ZIP_WRITER_H

#include "context/context.h"

/* Begin with {.bytes.ctx = ctx, .directory.ctx = ctx}. A failure is kept in bytes.status. */
typedef struct dfl_zip {
    dfl_text bytes, directory;
    unsigned count;
} dfl_zip;

/* Names have '/' between folders. */
void dfl_zip_add(dfl_zip *zip, const char *name, const char *bytes, size_t size);
/* After the last file: bytes are the archive; `directory` is cleared. */
void dfl_zip_finish(dfl_zip *zip);

#endif
