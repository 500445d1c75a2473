/* kept.c: whether the motion keeps what `invariant` declares.

   An invariant that the equations do not keep would bend the solution without a word. Its rate is
   evaluated with the accelerations of the model, at the start and for two other velocities from the
   same position, since at rest every energy seems to be kept. */
#include "model/runnable_internal.h"

#include "model/equations_internal.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { OTHER_MOTIONS = 2 };

static bool accelerations(double *a, dfl_runnable *run, double t, const double *x);
static dfl_status check_at(dfl_runnable *run, double t, const double *x, double *a, bool moved);
static dfl_status fail_kept(const dfl_runnable *run, int row, double rate, bool moved);
static bool other_motion(double *y, dfl_runnable *run, const dfl_solver_options *options, double t,
                         const double *x, int number);

dfl_status dfl_runnable_check_kept(dfl_runnable *run, const dfl_solver_options *options, double t,
                                   const double *x)
{
    const dfl_equations *eq = run->eq;
    if (eq->ne + eq->nep == 0)
        return DFL_OK;
    double *a = dfl_alloc(run->ctx, (size_t)eq->nv, sizeof *a);
    double *y = dfl_alloc(run->ctx, (size_t)eq->n, sizeof *y);
    dfl_status status = a && y ? check_at(run, t, x, a, false) : DFL_NO_MEMORY;
    for (int k = 0; !status && k < OTHER_MOTIONS; k++)
        if (other_motion(y, run, options, t, x, k))
            status = check_at(run, t, y, a, true);
    dfl_free(run->ctx, a);
    dfl_free(run->ctx, y);
    return status;
}

/* M a = f - W^T (l, m). False where M is not positive definite or memory is short: then nothing is
   checked. */
static bool accelerations(double *a, dfl_runnable *run, double t, const double *x)
{
    const dfl_equations *eq = run->eq;
    const int nv = eq->nv, nc = eq->nl + eq->nm;
    double *M = dfl_alloc(run->ctx, (size_t)nv * (size_t)nv, sizeof *M);
    double *W = dfl_alloc(run->ctx, (size_t)nc * (size_t)nv, sizeof *W);
    double *K0 = dfl_alloc(run->ctx, (size_t)nv * (size_t)eq->n0, sizeof *K0);
    bool good = M && W && K0;
    if (good) {
        run->eom.mass(M, t, x, run);
        for (int j = nv - 1; eq->mass_diagonal && j >= 0; j--) {
            const double diagonal = M[j];
            M[j] = 0.0;
            M[j + j * nv] = diagonal;
        }
        run->eom.eval(&(dfl_blocks){.f = a, .W = W, .K0 = K0}, t, x, DFL_FORCE | DFL_DIRECTIONS,
                      run);
        for (int j = 0; j < nv; j++)
            for (int i = 0; i < nc; i++)
                a[j] -= W[i + j * nc] * x[eq->nw + i];
        good = LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'L', nv, 1, M, nv, a, nv) == 0;
    }
    dfl_free(run->ctx, M);
    dfl_free(run->ctx, W);
    dfl_free(run->ctx, K0);
    return good;
}

/* Drift and push must cancel; what is left may be the rounding of both, and of the value itself. */
static dfl_status check_at(dfl_runnable *run, double t, const double *x, double *a, bool moved)
{
    const dfl_equations *eq = run->eq;
    const int count = eq->ne + eq->nep;
    double *value = dfl_alloc(run->ctx, (size_t)(3 * count), sizeof *value);
    dfl_expr *exprs = dfl_exprs(eq, 3 * count);
    dfl_status status = value && exprs ? DFL_OK : DFL_NO_MEMORY;
    bool known = false;
    if (!status && accelerations(a, run, t, x)) {
        memcpy(exprs, eq->kept_drift, (size_t)count * sizeof *exprs);
        memcpy(exprs + count, eq->kept_push, (size_t)count * sizeof *exprs);
        memcpy(exprs + 2 * count, eq->e, (size_t)eq->ne * sizeof *exprs);
        memcpy(exprs + 2 * count + eq->ne, eq->ep, (size_t)eq->nep * sizeof *exprs);
        status = dfl_runnable_values(value, run, exprs, 3 * count, t, x, a);
        known = !status;
    }
    for (int k = 0; known && !status && k < count; k++) {
        const double drift = value[k], push = value[count + k], rate = drift + push;
        const double size = 1.0 + fabs(value[2 * count + k]);
        if (fabs(rate) > 1e-6 * (fabs(drift) + fabs(push)) + 1e-8 * size)
            status = fail_kept(run, k, rate, moved);
    }
    dfl_free(run->ctx, value);
    dfl_free(run->ctx, exprs);
    return status;
}

static dfl_status fail_kept(const dfl_runnable *run, int row, double rate, bool moved)
{
    const dfl_equations *eq = run->eq;
    const int number =
        row < eq->ne ? eq->declaration_of_e[row] : eq->declaration_of_ep[row - eq->ne];
    const dfl_declaration *decl = &eq->model->declarations[number];
    return dfl_model_fail(
        eq->model, decl->line,
        "the motion does not keep the invariant '%s': its rate is %.4g %s; make it an "
        "output, or look for the force that changes it",
        decl->name, rate, moved ? "for another velocity from the same position" : "at the start");
}

/* y: the same position with other velocities that satisfy the constraints. False if there is none. */
static bool other_motion(double *y, dfl_runnable *run, const dfl_solver_options *options, double t,
                         const double *x, int number)
{
    const dfl_equations *eq = run->eq;
    const int first_v = eq->nw + eq->nl + eq->nm + eq->nr;
    const dfl_solver_options tolerances = {.rtol = options ? options->rtol : 0.0,
                                           .atol = options ? options->atol : 0.0};
    bool *held = dfl_alloc(run->ctx, (size_t)eq->n, sizeof *held);
    dfl_solver *solver = NULL;
    bool found = held && !dfl_solver_create(&solver, run->ctx, &run->initial, &tolerances);
    if (found) {
        memcpy(y, x, (size_t)eq->n * sizeof *y);
        for (int j = 0; j < eq->nv; j++) /* any numbers will do */
            y[first_v + j] += cos(1.0 + j + 10.0 * number) * (1.0 + fabs(x[first_v + j]));
        for (int i = first_v + eq->nv; i < eq->n; i++)
            held[i] = true;
        found = !dfl_solver_start(solver, t, y, &(dfl_conditions){.held = held});
    }
    if (found)
        memcpy(y, dfl_solver_state(solver), (size_t)eq->n * sizeof *y);
    dfl_solver_free(solver);
    dfl_free(run->ctx, held);
    return found;
}
