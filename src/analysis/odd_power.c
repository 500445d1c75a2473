/* odd_power.c: whether forces that depend on velocities drive a motion or brake it. */
#include "analysis/analysis_internal.h"

#include "context/context.h"

#include <string.h>

/* The forces at (t, x) into point->blocks.f. */
static bool evaluate(dfl_point *point, const dfl_local *local, double t, const double *x)
{
    const dfl_eom *eom = local->eom;
    dfl_point_bind(point, &local->sys);
    return !eom->eval(&point->blocks, t, x, DFL_FORCE, eom->user);
}

/* Of the forces there, and with the opposite velocities. */
static double part_of(const dfl_local *local, const double *x, const double *there,
                      const double *back)
{
    double power = 0, size = 0;
    for (int i = 0; i < local->eom->nv; i++) {
        const double v = x[local->at.v + i];
        power += v * (there[i] - back[i]) / 2;
        size += fabs(v) * fmax(fabs(there[i]), fabs(back[i]));
    }
    return size > 0 ? power / size : 0;
}

dfl_status dfl_odd_power(double *part, dfl_context *ctx, const dfl_eom *eom, double t,
                         const double *x)
{
    dfl_local local;
    dfl_point there, back;
    *part = 0;
    dfl_status status = dfl_local_create(&local, ctx, eom);
    const size_t n = (size_t)(status ? 0 : local.at.n);
    double *reversed = dfl_alloc(ctx, n, sizeof *reversed);
    if (!status && !reversed)
        status = DFL_NO_MEMORY;
    if (!status && !eom->residual && !(status = dfl_point_init(&there, &local.sys))) {
        status = dfl_point_init(&back, &local.sys);
        memcpy(reversed, x, n * sizeof *x);
        for (int i = 0; i < eom->nv; i++)
            reversed[local.at.v + i] = -x[local.at.v + i];
        if (!status && (!evaluate(&there, &local, t, x) || !evaluate(&back, &local, t, reversed)))
            status = dfl_fail(ctx, DFL_CALLBACK, "the forces cannot be evaluated");
        if (!status)
            *part = part_of(&local, x, there.blocks.f, back.blocks.f);
        dfl_point_clear(&back, ctx);
        dfl_point_clear(&there, ctx);
    }
    dfl_free(ctx, reversed);
    dfl_local_clear(&local);
    return status;
}
