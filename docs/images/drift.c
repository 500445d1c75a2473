/* drift.c: the data of drift.svg. The pendulum of section 1 of the guide is integrated twice with
   the same method and tolerance: in the projected form, and as the ordinary differential equation
   that is left when lambda is computed from the second derivative of the constraint alone (index
   1). Prints t, |g| of the first, |g| of the second, one line per second. Drawn by drift.py. */
#include <driftless/driftless.h>

#include <math.h>
#include <stdio.h>

static const double gravity = 9.81;

/* x = [lambda | v | p], or without lambda when `user` is given. */
static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double *v = user ? x : x + 1, *p = v + 2;
    (void)t, (void)need;
    out->kin[0] = v[0], out->kin[1] = v[1];
    out->f[0] = 0, out->f[1] = -gravity;
    if (user) { /* 0 = 2 p.a + 2 |v|^2,  a = f - 2 p lambda */
        const double lambda =
            (v[0] * v[0] + v[1] * v[1] - gravity * p[1]) / (2 * (p[0] * p[0] + p[1] * p[1]));
        out->f[0] -= 2 * p[0] * lambda;
        out->f[1] -= 2 * p[1] * lambda;
        return 0;
    }
    out->g[0] = p[0] * p[0] + p[1] * p[1] - 1;
    out->gI[0] = 2 * (p[0] * v[0] + p[1] * v[1]);
    out->W[0] = 2 * p[0], out->W[1] = 2 * p[1];
    out->bias[0] = 2 * (v[0] * v[0] + v[1] * v[1]);
    return 0;
}

static double residual(const dfl_solver *solver, int first)
{
    const double *p = dfl_solver_state(solver) + first;
    return fabs(p[0] * p[0] + p[1] * p[1] - 1);
}

int main(void)
{
    int marker = 1;
    const dfl_eom projected = {.np = 2, .nv = 2, .nl = 1, .eval = eval};
    const dfl_eom reduced = {.np = 2, .nv = 2, .eval = eval, .user = &marker};
    const double x0[5] = {0, 0, 0, 1, 0};
    /* a new Newton matrix in every step: the forms are compared, not how well a matrix is kept */
    const dfl_solver_options options = {.rtol = 1e-6, .newton.reuse = -1};
    dfl_context *ctx = dfl_context_create();
    dfl_solver *psf = NULL, *index1 = NULL;
    dfl_status status = dfl_solver_create(&psf, ctx, &projected, &options);
    if (!status)
        status = dfl_solver_create(&index1, ctx, &reduced, &options);
    if (!status)
        status = dfl_solver_start(psf, 0, x0, NULL);
    if (!status)
        status = dfl_solver_start(index1, 0, x0 + 1, NULL);
    for (int i = 1; !status && i <= 500; i++) {
        status = dfl_solver_advance(psf, i);
        if (!status)
            status = dfl_solver_advance(index1, i);
        printf("%d %.3e %.3e\n", i, residual(psf, 3), residual(index1, 2));
    }
    if (status)
        fprintf(stderr, "drift: %s\n", dfl_message(ctx));
    dfl_solver_free(psf);
    dfl_solver_free(index1);
    dfl_context_free(ctx);
    return status != DFL_OK;
}
