/* parameter_slopes.c: derivatives of all rows by parameters, for gradients of a run. */
#include "engine/engine_internal.h"

#include <string.h>

static int slopes(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    dfl_runnable *run = user;
    double *arrays[JACOBIAN_BLOCKS]; /* the fields of dfl_jacobian in their order */
    memcpy(arrays, out, sizeof arrays);
    dfl_runnable_follow(run, t, x);
    dfl_runnable_evaluate(&run->parameter_slopes, run, t, x, a, arrays);
    return 0;
}

dfl_status dfl_runnable_parameters(dfl_parameters *out, dfl_runnable *run, const dfl_expr *symbols,
                                   int count)
{
    dfl_equation_jacobian derived = {0};
    if (run->tree)
        return dfl_fail(run->ctx, DFL_INVALID,
                        "derivatives by parameters need all equations as expressions; use "
                        "--evaluation tape");
    dfl_status status = dfl_equations_slopes(&derived, run->eq, symbols, count);
    if (!status)
        status = dfl_runnable_create_slopes(run, &derived);
    if (!status)
        dfl_runnable_prepare(run);
    dfl_equation_jacobian_clear(&derived, run->ctx);
    *out = (dfl_parameters){.count = count, .slopes = slopes, .user = run};
    return status;
}
