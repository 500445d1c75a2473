/* guest_internal.h: what the files of this module share. */
#ifndef DFL_GUEST_INTERNAL_H
#define DFL_GUEST_INTERNAL_H

#include "context/context.h"
#include "guest/guest.h"

/* archive.c: the bytes of an FMU, its files. */
dfl_status dfl_archive_read(dfl_text *bytes, const char *path);
/* Appends one file. DFL_INVALID: there is none, or the archive is damaged. */
dfl_status dfl_archive_file(dfl_text *out, const dfl_text *archive, const char *name);
/* Writes all files below `prefix` into `folder`. DFL_INVALID, DFL_IO. */
dfl_status dfl_archive_unpack(const dfl_text *archive, const char *prefix, const char *folder);

/* description_reader.c: modelDescription.xml. DFL_INVALID. */
dfl_status dfl_guest_read(dfl_guest_description *out, dfl_context *ctx, const dfl_text *xml);

/* What goes over the socket. A request is followed by `count` references, and by as many values if
   it sets; an answer by `count` values, or by that many bytes of a message if `failed`. The first
   answer, to no question, comes when the library is loaded. */
typedef enum dfl_guest_request {
    DFL_GUEST_SET,
    DFL_GUEST_GET,
    DFL_GUEST_START,
    DFL_GUEST_STEP
} dfl_guest_request;
typedef struct dfl_guest_question {
    int request, count;
    double t, h, tolerance; /* of a start: h is the end */
} dfl_guest_question;
typedef struct dfl_guest_answer {
    int failed, ended, count;
    double t;
} dfl_guest_answer;

/* What the process of a guest needs. */
typedef struct dfl_guest_place {
    int socket;
    int alive;          /* read from: ends when the process of the user ends */
    const char *folder; /* its files, removed at the end */
    const char *library, *resources;
} dfl_guest_place;

/* guest_process.c: the life of the process that calls the FMU; never returns. */
void dfl_guest_serve(const dfl_guest_place *place, const dfl_guest_description *description);
/* Removes a folder with everything in it. */
void dfl_guest_remove(const char *folder);

/* fmi_calls.c: an instance of either version. Functions return 0, or 1 with a message. */
typedef struct dfl_fmi dfl_fmi;
dfl_fmi *dfl_fmi_load(const dfl_guest_description *description, const char *library,
                      const char *resources);
const char *dfl_fmi_message(void);
int dfl_fmi_start(dfl_fmi *fmi, double t, double stop, double tolerance);
int dfl_fmi_set(dfl_fmi *fmi, const unsigned *reference, int count, const double *value);
int dfl_fmi_get(dfl_fmi *fmi, const unsigned *reference, int count, double *value);
int dfl_fmi_step(dfl_fmi *fmi, double t, double h, double *reached, int *ended);

#endif
