/* guest.h: an FMU of anybody, for co-simulation, in a process of its own: a crash or silence of it
   is a message here. */
#ifndef DFL_GUEST_H
#define DFL_GUEST_H

#include "context/context.h"

#include <stdbool.h>

/* A variable of type Real or Float64 without dimensions. */
typedef enum dfl_guest_causality {
    DFL_GUEST_PARAMETER,
    DFL_GUEST_INPUT,
    DFL_GUEST_OUTPUT,
    DFL_GUEST_LOCAL,
    DFL_GUEST_OTHER
} dfl_guest_causality;
typedef struct dfl_guest_variable {
    char *name; /* as written, with quotes */
    unsigned reference;
    dfl_guest_causality causality;
} dfl_guest_variable;

typedef struct dfl_guest_description {
    int version; /* 2 or 3 */
    char *model, *token, *identifier;
    double start, stop, tolerance, step; /* of the default experiment; NAN: not given */
    int count, room;
    dfl_guest_variable *variables;
} dfl_guest_description;

typedef struct dfl_guest dfl_guest;

/* Reads what an archive says about itself; no code of it runs. DFL_INVALID, DFL_NO_MEMORY. */
dfl_status dfl_guest_inspect(dfl_guest_description *out, dfl_context *ctx, const dfl_text *archive);
void dfl_guest_description_clear(dfl_guest_description *description, dfl_context *ctx);
/* The number of the variable with this name, which may lack the quotes of the standard; -1: there
   is none. */
int dfl_guest_find(const dfl_guest_description *description, const char *name, size_t length);

/* Opens an FMU in a file, or its bytes, and starts its process. DFL_INVALID: it cannot be used
   here; DFL_IO: the file cannot be read; DFL_NO_MEMORY. */
dfl_status dfl_guest_create(dfl_guest **out, dfl_context *ctx, const char *path);
dfl_status dfl_guest_open(dfl_guest **out, dfl_context *ctx, const dfl_text *archive);
void dfl_guest_free(dfl_guest *guest);
const dfl_guest_description *dfl_guest_describe(const dfl_guest *guest);

/* All of them: DFL_CALLBACK if the FMU reports an error, crashes, or does not answer for ten
   seconds. Values are set before the start or between steps. */
dfl_status dfl_guest_set(dfl_guest *guest, const unsigned *reference, int count,
                         const double *value);
dfl_status dfl_guest_get(dfl_guest *guest, const unsigned *reference, int count, double *value);
dfl_status dfl_guest_start(dfl_guest *guest, double t, double stop, double tolerance);
/* *reached: where the step ended, before t + h if the FMU ends the simulation (*ended). */
dfl_status dfl_guest_step(dfl_guest *guest, double t, double h, double *reached, bool *ended);

#endif
