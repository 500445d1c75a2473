/* no_guest.c: a library without Expat and zlib. */
#include "context/context.h"

#include <driftless/guest.h>

#include <math.h>

dfl_status dfl_guest_run(dfl_guest_result *out, dfl_context *ctx, const char *path,
                         const dfl_guest_options *options)
{
    (void)options;
    *out = (dfl_guest_result){.t = NAN};
    return dfl_fail(ctx, DFL_INVALID,
                    "'%s': this library was built without Expat and zlib, which reading FMUs needs",
                    path);
}

void dfl_guest_result_clear(dfl_guest_result *result, dfl_context *ctx)
{
    (void)result, (void)ctx;
}
