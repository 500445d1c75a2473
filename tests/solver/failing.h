/* failing.h: allocations that fail in turn while a solver is created and started. */
#ifndef DFL_TESTS_FAILING_H
#define DFL_TESTS_FAILING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <driftless/driftless.h>

#include "problems.h"

/* Fails the first, second, third ... allocation until the problem is started: always DFL_NO_MEMORY,
   and nothing stays. */
static inline void assert_survives_failed_allocations(const problem *prob,
                                                      const dfl_solver_options *options)
{
    dfl_status status = DFL_NO_MEMORY;
    int n = 0;
    for (; status; n++) {
        dfl_context *ctx = dfl_context_create();
        dfl_solver *solver = NULL;
        dfl_context_fail_after(ctx, n);
        status = dfl_solver_create(&solver, ctx, &prob->eom, options);
        assert_true(!status || (status == DFL_NO_MEMORY && !solver));
        if (!status)
            status = dfl_solver_start(solver, prob->t0, prob->x0, NULL);
        assert_true(!status || status == DFL_NO_MEMORY);
        dfl_solver_free(solver);
        assert_int_equal(dfl_context_live(ctx), 0);
        dfl_context_free(ctx);
    }
    assert_true(n > 20); /* the hook was in use */
}

#endif
