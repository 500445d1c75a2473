/* failing.h: allocations that fail in turn.

       dfl_status status;
       WHILE_ALLOCATIONS_FAIL(status, ctx) {
           ... sets status and releases what it has made ...
       }

   The first, second, third ... allocation of the body fails, and all after it, until the body
   succeeds. Each time it must end with DFL_OK or DFL_NO_MEMORY, a message about memory, and as many
   blocks as before. */
#ifndef DFL_TESTS_FAILING_H
#define DFL_TESTS_FAILING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <driftless/context.h>

#define WHILE_ALLOCATIONS_FAIL(status, ctx) WHILE_ALLOCATIONS_FAIL_BY(1, status, ctx)

/* The same with every `stride`-th allocation alone. */
#define WHILE_ALLOCATIONS_FAIL_BY(stride, status, ctx)                                             \
    for (failing_series failing = failing_begin(&(status), ctx);                                   \
         failing_goes_on(&failing, status, ctx, stride);)

typedef struct failing_series {
    long allowed; /* allocations that succeed */
    long live;    /* blocks before the first try */
    bool begun;
} failing_series;

static inline failing_series failing_begin(dfl_status *status, dfl_context *ctx)
{
    *status = DFL_NO_MEMORY;
    return (failing_series){.live = dfl_context_live(ctx)};
}

/* After a try: what it left behind. */
static inline void failing_check(const failing_series *failing, dfl_status status, dfl_context *ctx)
{
    dfl_context_fail_after(ctx, -1);
    if (status && (status != DFL_NO_MEMORY || !strstr(dfl_message(ctx), "memory")))
        fail_msg("allocation %ld: %s: %s", failing->allowed, dfl_status_name(status),
                 dfl_message(ctx));
    if (dfl_context_live(ctx) != failing->live)
        fail_msg("allocation %ld: %ld blocks instead of %ld", failing->allowed,
                 dfl_context_live(ctx), failing->live);
}

static inline bool failing_goes_on(failing_series *failing, dfl_status status, dfl_context *ctx,
                                   int stride)
{
    if (failing->begun) {
        failing_check(failing, status, ctx);
        failing->allowed += stride;
    }
    if (!status)
        return false;
    assert_true(failing->allowed < 100000);
    dfl_fail(ctx, DFL_INVALID, "-"); /* no old message can pass for a new one */
    dfl_context_fail_after(ctx, failing->allowed);
    failing->begun = true;
    return true;
}

#endif
