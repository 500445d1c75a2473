/* The self-check of a model, before its initial values are completed: wrong derivatives would
   mislead the completion, and its message would name values instead of the error. */
#include "initial/initial.h"

#include "context/context.h"

#include <string.h>

dfl_status dfl_initial_self_check(dfl_initial *init, double t, const double *x)
{
    dfl_system *sys = &init->sys;
    dfl_point work = {0};
    if (sys->packed)
        return dfl_fail(sys->ctx, DFL_INVALID,
                        "self_check compares dense matrices; use it with linear = dense");
    dfl_status status = dfl_system_check_mass(sys, t, x);
    if (!status)
        status = dfl_system_decide(sys, t, x, false);
    if (!status)
        status = dfl_point_init(&work, sys);
    if (!status) {
        dfl_rows_jacobian_bind(&init->jac, sys);
        dfl_point_bind(&init->point, sys);
        dfl_point_bind(&work, sys);
        init->point.t = t;
        memset(init->point.x, 0, (size_t)sys->na * sizeof *x);
        memcpy(init->point.x + sys->na, x, (size_t)sys->nu * sizeof *x);
        status = dfl_system_self_check(sys, &init->jac, &init->point, &work);
    }
    dfl_point_clear(&work, sys->ctx);
    return status;
}
