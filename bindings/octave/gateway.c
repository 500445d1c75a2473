/* gateway.c: memory, calls of the user's functions, failures. */
#include "gateway.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ARGUMENTS = 4, MOST_RESULTS = 2 };

static void *take(size_t bytes, void *user)
{
    (void)user;
    return mxMalloc(bytes);
}

static void give_back(void *block, void *user)
{
    (void)user;
    if (block)
        mxFree(block);
}

dfl_context *gateway_context(void)
{
    return dfl_context_create_with(&(dfl_allocator){.alloc = take, .release = give_back});
}

/* The trap catches what f raises; the second trap is for what goes wrong around it. */
bool gateway_call(mxArray **out, int nout, gateway *gw, const mxArray *f, int nin, mxArray **in)
{
    mxArray *arguments[3 + MOST_ARGUMENTS] = {(mxArray *)gw->trap, NULL, (mxArray *)f};
    mxArray *results[1 + MOST_RESULTS] = {NULL};
    const int count = nout < 0 ? 1 : nout;
    if (gateway_failed(gw))
        return false;
    for (int i = 0; i < nin; i++)
        arguments[3 + i] = in[i];
    arguments[1] = mxCreateDoubleScalar(nout);
    gw->error = mexCallMATLABWithTrap(1 + count, results, 3 + nin, arguments, "feval");
    mxDestroyArray(arguments[1]);
    if (gw->error)
        return false;
    if (!mxIsEmpty(results[0])) {
        gw->error = results[0];
        for (int i = 0; i < count; i++)
            mxDestroyArray(results[1 + i]);
        return false;
    }
    mxDestroyArray(results[0]);
    memcpy(out, results + 1, (size_t)count * sizeof *out);
    return true;
}

bool gateway_failed(const gateway *gw)
{
    return gw->error || gw->text[0];
}

bool gateway_wrong(gateway *gw, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!gateway_failed(gw))
        vsnprintf(gw->text, sizeof gw->text, format, args);
    va_end(args);
    return false;
}

const char *gateway_identifier(dfl_status status)
{
    static const char *const identifiers[] = {[DFL_OK] = "",
                                              [DFL_NO_MEMORY] = "driftless:no_memory",
                                              [DFL_INVALID] = "driftless:invalid",
                                              [DFL_INCONSISTENT] = "driftless:inconsistent",
                                              [DFL_NOT_CONVERGED] = "driftless:not_converged",
                                              [DFL_SINGULAR] = "driftless:singular",
                                              [DFL_RANK_CHANGED] = "driftless:rank_changed",
                                              [DFL_TOO_MANY_STEPS] = "driftless:too_many_steps",
                                              [DFL_NOT_FINITE] = "driftless:not_finite",
                                              [DFL_CALLBACK] = "driftless:callback",
                                              [DFL_STOPPED] = "driftless:stopped",
                                              [DFL_IO] = "driftless:io"};
    return identifiers[status];
}

mxArray *gateway_failure(const gateway *gw, dfl_status status, const char *message)
{
    if (gw->error)
        return gw->error;
    if (gw->text[0])
        status = DFL_CALLBACK, message = gw->text;
    if (status == DFL_OK)
        return mxCreateDoubleMatrix(0, 0, mxREAL);
    mxArray *failure = gateway_record();
    gateway_set(failure, "message", mxCreateString(message));
    gateway_set(failure, "identifier", mxCreateString(gateway_identifier(status)));
    return failure;
}
