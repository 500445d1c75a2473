/* driftless/guest.h: FMUs of anybody for co-simulation, FMI 2.0 and 3.0, each in a process of its
   own. Link with libdriftless-model. */
#ifndef DFL_GUEST_RUN_H
#define DFL_GUEST_RUN_H

#include <driftless/context.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dfl_guest_options {
    const char *from, *to, *every; /* numbers, s; NULL: what the FMU says, or 100 rows */
    const char *rtol;              /* NULL: what the FMU says */
    int nset;
    const char *const *set; /* NAME=VALUE, before the start */
} dfl_guest_options;

typedef struct dfl_guest_result {
    char *csv;  /* one row every `every` seconds: time, outputs and local variables; NULL: none */
    char *json; /* how it went, and the last values */
    double t;   /* s, of the last row */
    long rows;
    bool ended; /* the FMU has ended the simulation there */
} dfl_guest_result;

/* Runs an FMU; dfl_guest_result_clear frees the texts, also after a failure, when they have what
   there is so far. A library is not sandboxed: run only FMUs that you trust. DFL_INVALID: it cannot
   be used here; DFL_CALLBACK: it reports an error, crashes, or does not answer for ten seconds;
   DFL_IO; DFL_STOPPED: dfl_interrupt; DFL_NO_MEMORY. */
dfl_status dfl_guest_run(dfl_guest_result *out, dfl_context *ctx, const char *path,
                         const dfl_guest_options *options);
void dfl_guest_result_clear(dfl_guest_result *result, dfl_context *ctx);

#ifdef __cplusplus
}
#endif
#endif
