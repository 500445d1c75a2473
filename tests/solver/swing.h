/* swing.h: the run that the tests of the solver's options share.

   The pendulum swings from the horizontal, at rest, to t = 1.3, where its exact solution is
   known: an option that shapes the work must change the work and not the solution, one that
   shapes accuracy must change the error. With rtol = atol = 1e-7 the errors are some 1e-7;
   ACCURATE leaves a factor of 50 for the accumulation over 1.3 periods of 2 s. */
#ifndef DFL_TESTS_SWING_H
#define DFL_TESTS_SWING_H

#include "pendulum.h"

static const double T_END = 1.3;
#define ACCURATE 5e-6

/* With order 5, unless the options name one: work is compared between runs of the same order. */
static inline run swing(const dfl_solver_options *options)
{
    dfl_solver_options chosen = *options;
    if (chosen.order == 0)
        chosen.order = 5;
    return run_problem(&pendulum, T_END, &chosen);
}

static inline void assert_accurate(const run *r)
{
    assert_succeeded(r);
    const double error = error_at(r, &pendulum, T_END);
    if (!(error <= ACCURATE))
        fail_msg("error %g at the end", error);
}

#endif
