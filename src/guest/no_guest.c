/* no_guest.c: a library without Expat and zlib. */
#include "guest/guest.h"

#include <driftless/guest.h>

#include <math.h>

static dfl_status refuse(dfl_context *ctx)
{
    return dfl_fail(ctx, DFL_INVALID,
                    "this library was built without Expat and zlib, which reading FMUs needs");
}

dfl_status dfl_guest_inspect(dfl_guest_description *out, dfl_context *ctx, const dfl_text *archive)
{
    (void)archive;
    *out = (dfl_guest_description){0};
    return refuse(ctx);
}

void dfl_guest_description_clear(dfl_guest_description *description, dfl_context *ctx)
{
    (void)description, (void)ctx;
}

int dfl_guest_find(const dfl_guest_description *description, const char *name, size_t length)
{
    (void)description, (void)name, (void)length;
    return -1;
}

dfl_status dfl_guest_open(dfl_guest **out, dfl_context *ctx, const dfl_text *archive)
{
    (void)archive;
    *out = NULL;
    return refuse(ctx);
}

void dfl_guest_free(dfl_guest *guest)
{
    (void)guest;
}

dfl_status dfl_guest_set(dfl_guest *guest, const unsigned *reference, int count,
                         const double *value)
{
    (void)guest, (void)reference, (void)count, (void)value;
    return DFL_INVALID;
}

dfl_status dfl_guest_get(dfl_guest *guest, const unsigned *reference, int count, double *value)
{
    (void)guest, (void)reference, (void)count, (void)value;
    return DFL_INVALID;
}

dfl_status dfl_guest_start(dfl_guest *guest, double t, double stop, double tolerance)
{
    (void)guest, (void)t, (void)stop, (void)tolerance;
    return DFL_INVALID;
}

dfl_status dfl_guest_step(dfl_guest *guest, double t, double h, double *reached, bool *ended)
{
    (void)guest, (void)t, (void)h, (void)reached, (void)ended;
    return DFL_INVALID;
}

dfl_status dfl_guest_run(dfl_guest_result *out, dfl_context *ctx, const char *path,
                         const dfl_guest_options *options)
{
    (void)options;
    *out = (dfl_guest_result){.t = NAN};
    (void)path;
    return refuse(ctx);
}

void dfl_guest_result_clear(dfl_guest_result *result, dfl_context *ctx)
{
    (void)result, (void)ctx;
}
