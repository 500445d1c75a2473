/* A program outside the source tree: it knows only the installed header and library. A pendulum in
   Cartesian coordinates, released from the horizontal, must be back after five periods of 2 s. */
#include <driftless/driftless.h>

#include <math.h>
#include <stdio.h>

/* With g = 4 K(1/2)^2 and length 1 the period of the swing from the horizontal is exactly 2. */
static const double gravity = 13.750371636040745655;

/* Unknowns: x = [lambda, v1, v2, p1, p2]. */
static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t;
    (void)user;
    const double *v = x + 1, *p = x + 3;
    if (need & DFL_KINEMATICS) {
        out->kin[0] = v[0];
        out->kin[1] = v[1];
    }
    if (need & DFL_FORCE) {
        out->f[0] = 0;
        out->f[1] = -gravity;
    }
    if (need & DFL_POSITION)
        out->g[0] = p[0] * p[0] + p[1] * p[1] - 1;
    if (need & DFL_VELOCITY)
        out->gI[0] = 2 * (p[0] * v[0] + p[1] * v[1]);
    if (need & DFL_DIRECTIONS) {
        out->W[0] = 2 * p[0];
        out->W[1] = 2 * p[1];
    }
    if (need & DFL_BIAS)
        out->bias[0] = 2 * (v[0] * v[0] + v[1] * v[1]);
    return 0;
}

int main(void)
{
    const dfl_eom pendulum = {.np = 2, .nv = 2, .nl = 1, .eval = eval};
    const double x0[5] = {0, 0, 0, 1, 0};
    int failed = 1;

    dfl_context *ctx = dfl_context_create();
    if (!ctx)
        return 1;
    dfl_solver *solver = NULL;
    dfl_status status =
        dfl_solver_create(&solver, ctx, &pendulum, &(dfl_solver_options){.rtol = 1e-9});
    if (!status)
        status = dfl_solver_start(solver, 0.0, x0, NULL);
    if (!status)
        status = dfl_solver_advance(solver, 10.0);
    if (status) {
        fprintf(stderr, "pendulum: %s\n", dfl_message(ctx));
    } else {
        /* The global error of a run with rtol 1e-9 over five periods stays far below 1e-5;
           the constraint is met to Newton's accuracy. */
        const double *p = dfl_solver_state(solver) + 3;
        const double error = fmax(fabs(p[0] - 1), fabs(p[1]));
        const double constraint = fabs(p[0] * p[0] + p[1] * p[1] - 1);
        failed = !(error < 1e-5 && constraint < 1e-8);
        printf("pendulum at t = 10: error %.1e, constraint %.1e\n", error, constraint);
    }
    dfl_solver_free(solver);
    dfl_context_free(ctx);
    return failed;
}
