/* pendulum.h: the pendulum of problems/ for all tests of a program. */
#ifndef DFL_TESTS_PENDULUM_H
#define DFL_TESTS_PENDULUM_H

#include "support.h"

enum { LAMBDA, VX, VY, X, Y, N }; /* its unknowns */

static problem pendulum;

static inline int make_pendulum(void **state)
{
    (void)state;
    return problem_pendulum(&pendulum, 0) ? 0 : -1;
}

static inline int free_pendulum(void **state)
{
    (void)state;
    problem_free(&pendulum);
    return 0;
}

#endif
