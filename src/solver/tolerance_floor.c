/* Tolerances below rounding. Relative errors of a few units of the last place cannot be controlled:
   such tolerances are raised to the least one that can, absolute ones with them, and the log says
   so. */
#include "solver/solver_internal.h"

#include <float.h>

static const double least = 10 * DBL_EPSILON;

/* raised (2 n) := rtol and atol of each unknown, with rtol at least `least` and the same ratio. */
static void raise_each(double *raised, const dfl_solver_options *o, int n)
{
    for (int i = 0; i < n; i++) {
        const double rtol = o->error.rtol_each[i],
                     atol = o->error.atol_each ? o->error.atol_each[i] : o->atol;
        raised[i] = rtol < least ? least : rtol;
        raised[n + i] = atol * raised[i] / rtol;
    }
}

dfl_status dfl_solver_raise_tolerances(dfl_solver *solver)
{
    dfl_solver_options *o = &solver->options;
    const int n = dfl_eom_unknowns(solver->eom);
    double smallest = o->rtol;
    for (int i = 0; o->error.rtol_each && i < n; i++)
        smallest = o->error.rtol_each[i] < smallest ? o->error.rtol_each[i] : smallest;
    if (smallest >= least)
        return DFL_OK;
    dfl_log(o, DFL_LOG_WARNING,
            "rtol is %g; doubles allow no less than about %.1e, with which steps are controlled",
            smallest, least);
    if (o->error.rtol_each) {
        solver->raised = dfl_alloc(solver->ctx, 2 * (size_t)n, sizeof(double));
        if (!solver->raised)
            return DFL_NO_MEMORY;
        raise_each(solver->raised, o, n);
        o->error.rtol_each = solver->raised;
        if (o->error.atol_each || o->atol > 0)
            o->error.atol_each = solver->raised + n;
    }
    if (o->rtol < least) {
        o->atol *= least / o->rtol;
        o->rtol = least;
    }
    return DFL_OK;
}
