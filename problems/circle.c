/* circle.c: a point of mass 1 on the unit circle.

       f  = (-p1 - 2 p1 v1 v2, -v1 + 2 p1 p2^2)
       g  = p1^2 + p2^2 - 1,  gI = 2 (p1 v1 + p2 v2)
   Solution: p = (sin t, cos t), lambda = sin t cos t.

   Source: Steinbrecher (2002), section 6, (34) to (36). */
#include "problems_internal.h"

#include <string.h>

/* The layout of x. */
enum { LAMBDA, V1, V2, P1, P2, N };

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user);

bool problem_circle(problem *out)
{
    const double start[N] = {[V1] = 1.0, [P2] = 1.0};
    *out = (problem){
        .name = "circle",
        .about = "a point on the unit circle, exact solution",
        .eom = {.np = 2,
                .nv = 2,
                .nl = 1,
                .eval = eval,
                .trivial_kinematics = true,
                .autonomous = true,
                .forces_free_of_multipliers = true},
        .t_end = 5.0,
    };
    if (!problem_allocate(out, 1))
        return false;
    memcpy(out->x0, start, sizeof start);
    return true;
}

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t, (void)user;
    if (need & DFL_FORCE) {
        out->f[0] = -x[P1] - 2.0 * x[P1] * x[V1] * x[V2];
        out->f[1] = -x[V1] + 2.0 * x[P1] * x[P2] * x[P2];
    }
    if (need & DFL_POSITION)
        out->g[0] = x[P1] * x[P1] + x[P2] * x[P2] - 1.0;
    if (need & DFL_VELOCITY)
        out->gI[0] = 2.0 * (x[P1] * x[V1] + x[P2] * x[V2]);
    if (need & DFL_DIRECTIONS) {
        out->W[0] = 2.0 * x[P1];
        out->W[1] = 2.0 * x[P2];
    }
    if (need & DFL_BIAS)
        out->bias[0] = 2.0 * (x[V1] * x[V1] + x[V2] * x[V2]);
    return 0;
}
