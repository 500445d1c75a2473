/* failing_solver.h: allocations that fail in turn while a solver is created and started. */
#ifndef DFL_TESTS_FAILING_SOLVER_H
#define DFL_TESTS_FAILING_SOLVER_H

#include "failing.h"

#include <driftless/driftless.h>

#include "problems.h"

static inline void assert_survives_failed_allocations(const problem *prob,
                                                      const dfl_solver_options *options)
{
    dfl_context *ctx = dfl_context_create();
    dfl_status status;
    int tries = 0;
    WHILE_ALLOCATIONS_FAIL(status, ctx) {
        dfl_solver *solver = NULL;
        status = dfl_solver_create(&solver, ctx, &prob->eom, options);
        assert_true(!status || !solver);
        if (!status)
            status = dfl_solver_start(solver, prob->t0, prob->x0, NULL);
        dfl_solver_free(solver);
        tries++;
    }
    dfl_context_free(ctx);
    assert_true(tries > 20); /* the hook was in use */
}

#endif
