/* steady_velocities.c: velocities of a steady motion. Given ones stay. A position is cyclic if no
   equation contains it, but for the rates of other cyclic ones; a velocity that moves nothing else
   is calm. Calm velocities are unknowns of the search, such as the sideslip of a turning vehicle,
   and they may follow constraints with accelerations of their own, as the place of a wheel that
   rolls in a circle does. All others are zero, or follow if constraints leave no other way. */
#include "analysis/equilibrium_internal.h"

#include "context/context.h"

#include <string.h>

enum { SAMPLES = 3 }; /* states at which equations are looked at */

dfl_status dfl_steady_create(dfl_balance_step *step)
{
    dfl_context *ctx = step->local.ctx;
    const size_t nv = (size_t)step->local.eom->nv;
    step->calm = dfl_alloc(ctx, nv, sizeof *step->calm);
    step->N = dfl_alloc(ctx, nv * nv, sizeof *step->N);
    step->a = dfl_alloc(ctx, nv, sizeof *step->a);
    return step->calm && step->N && step->a ? DFL_OK : DFL_NO_MEMORY;
}

void dfl_steady_clear(dfl_balance_step *step)
{
    dfl_context *ctx = step->local.ctx;
    dfl_free(ctx, step->calm);
    dfl_free(ctx, step->N);
    dfl_free(ctx, step->a);
}

/* ---- cyclic positions ---- */

/* Removes positions from `cyclic` whose columns of J (rows x ...), from `first` on, are not zero.
 */
static void exclude(bool *cyclic, const double *J, int rows, int first, int np, const bool *only)
{
    double size = 0;
    for (int k = 0; k < rows * (first + np); k++)
        size = fmax(size, fabs(J[k]));
    for (int j = 0; j < np; j++)
        for (int i = 0; cyclic[j] && i < rows; i++)
            if ((!only || !only[i]) &&
                fabs(J[(size_t)(first + j) * (size_t)rows + (size_t)i]) > 1e-13 * size)
                cyclic[j] = false;
}

/* By the derivatives at one state. */
static void exclude_here(bool *cyclic, const dfl_local *local)
{
    const dfl_eom *eom = local->eom;
    const dfl_jacobian *jac = &local->jac.blocks;
    const int np = eom->np, p = local->at.p;
    exclude(cyclic, jac->dyn, eom->nv, p, np, NULL);
    exclude(cyclic, jac->b, eom->nr, p, np, NULL);
    exclude(cyclic, jac->d, eom->nw, p, np, NULL);
    exclude(cyclic, jac->gam, eom->n0, p, np, NULL);
    exclude(cyclic, jac->pos, local->m3, eom->ns, np, NULL);
    exclude(cyclic, jac->vel, local->nc + eom->ne, eom->nv + eom->ns, np, NULL);
    for (int k = 0; !eom->trivial_kinematics && k < np; k++) /* until nothing changes */
        exclude(cyclic, jac->kin, np, eom->nv + eom->ns, np, cyclic);
}

/* Velocities that move positions which are not cyclic are not calm. */
static void disturb(bool *calm, const bool *cyclic, const dfl_local *local)
{
    const dfl_eom *eom = local->eom;
    const double *Z = local->jac.blocks.kin;
    for (int j = 0; j < eom->nv; j++)
        for (int i = 0; calm[j] && i < eom->np; i++)
            if (!cyclic[i] &&
                (eom->trivial_kinematics ? i == j
                                         : Z[(size_t)j * (size_t)eom->np + (size_t)i] != 0))
                calm[j] = false;
}

/* A state near x, number k; the first is x itself. */
static void choose_sample(double *out, const double *x, const dfl_local *local, int k)
{
    for (int i = 0; i < local->at.n; i++) {
        const double known = local->eom->sizes ? local->eom->sizes->size[i] : 0;
        const double size = fmax(fabs(x[i]), known > 0 ? known : 1);
        out[i] = x[i] + (k > 0 ? 0.1 * size * dfl_generic(k, i) : 0);
    }
}

dfl_status dfl_steady_begin(double *x, dfl_balance_step *step, double t, bool keep)
{
    dfl_local *local = &step->local;
    const dfl_eom *eom = local->eom;
    const size_t n = (size_t)local->at.n;
    double *sample = dfl_alloc(local->ctx, n, sizeof *sample);
    bool *cyclic = dfl_alloc(local->ctx, (size_t)eom->np, sizeof *cyclic);
    dfl_status status = sample && cyclic ? DFL_OK : DFL_NO_MEMORY;
    for (int i = 0; !status && i < eom->np; i++)
        cyclic[i] = true;
    for (int j = 0; !status && j < eom->nv; j++)
        step->calm[j] = !step->moving[j];
    for (int k = 0; !status && k < 2 * SAMPLES; k++) { /* cyclic positions, then calm velocities */
        choose_sample(sample, x, local, k % SAMPLES);
        const dfl_status here = dfl_local_eval_still(local, t, sample);
        if (here == DFL_NO_MEMORY || (here && k == 0))
            status = here;
        else if (!here && k < SAMPLES)
            exclude_here(cyclic, local);
        else if (!here)
            disturb(step->calm, cyclic, local);
    }
    step->ncalm = 0;
    for (int j = 0; !status && j < eom->nv; j++) {
        step->ncalm += step->calm[j];
        x[local->at.v + j] = step->moving[j] || (keep && step->calm[j]) ? x[local->at.v + j] : 0;
    }
    dfl_free(local->ctx, sample);
    dfl_free(local->ctx, cyclic);
    return status;
}

/* ---- velocities and accelerations that follow ---- */

dfl_status dfl_follow_rows(double *V, double *left, const dfl_local *local, const bool *f,
                           bool wanted, const double *sides, int count)
{
    const int nv = local->eom->nv, nc = local->nc, ld = nv > nc ? nv : nc;
    const double *W = local->point.blocks.W;
    double *A = dfl_alloc(local->ctx, (size_t)nc * (size_t)nv, sizeof *A);
    double *B = dfl_alloc(local->ctx, (size_t)ld, sizeof *B);
    dfl_status status = A && B ? DFL_OK : DFL_NO_MEMORY;
    *left = 0;
    for (int j = 0; !status && j < count; j++) {
        const double *side = sides + (size_t)j * (size_t)nc;
        const double size = dfl_max_abs(side, nc);
        int free = 0;
        for (int i = 0; i < nv; i++)
            if (f[i] == wanted)
                memcpy(A + (size_t)free++ * (size_t)nc, W + (size_t)i * (size_t)nc,
                       (size_t)nc * sizeof *A);
        memset(B, 0, (size_t)ld * sizeof *B);
        for (int i = 0; i < nc; i++)
            B[i] = -side[i];
        if (free > 0)
            status = dfl_least_norm(B, local->ctx, nc, free, A, 1, DFL_SCALE_ROWS,
                                    DFL_ANALYSIS_ZERO, NULL);
        double *v = V + (size_t)j * (size_t)nv;
        for (int i = 0, k = 0; !status && i < nv; i++)
            v[i] = f[i] == wanted ? B[k++] : 0;
        for (int i = 0; !status && i < nc; i++) {
            double rest = side[i];
            for (int k = 0; k < nv; k++)
                rest += W[(size_t)k * (size_t)nc + (size_t)i] * v[k];
            *left = fmax(*left, size > 0 ? fabs(rest) / size : 0);
        }
    }
    dfl_free(local->ctx, A);
    dfl_free(local->ctx, B);
    return status;
}

dfl_status dfl_steady_follow(double *V, dfl_balance_step *step, const double *sides, int count)
{
    const dfl_local *local = &step->local;
    const size_t room = (size_t)local->nc * (size_t)count;
    double *copy = dfl_alloc(local->ctx, room, sizeof *copy), left = 1;
    dfl_status status = copy ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        memcpy(copy, sides, room * sizeof *copy);
        if (step->ncalm > 0)
            status = dfl_follow_rows(V, &left, local, step->calm, true, copy, count);
    }
    if (!status && left > 1e-9)
        status = dfl_follow_rows(V, &left, local, step->moving, false, copy, count);
    dfl_free(local->ctx, copy);
    return status;
}

dfl_status dfl_steady_velocities(double *x, dfl_balance_step *step)
{
    dfl_local *local = &step->local;
    const dfl_eom *eom = local->eom;
    const int nv = eom->nv;
    double *v = x + local->at.v;
    for (int i = 0; i < nv; i++)
        v[i] = step->moving[i] || step->calm[i] ? v[i] : 0;
    if (local->nc == 0)
        return DFL_OK;
    dfl_status status = dfl_local_eval_still(local, local->t, x);
    if (status)
        return status;
    memcpy(step->V, local->point.blocks.gI, (size_t)eom->nl * sizeof *v);
    memcpy(step->V + eom->nl, local->point.blocks.hv, (size_t)eom->nm * sizeof *v);
    status = dfl_steady_follow(step->V, step, step->V, 1);
    for (int i = 0; !status && i < nv; i++)
        v[i] += step->V[i];
    return status;
}

/* Accelerations of calm velocities that keep the constraints; zero if these cannot. */
static dfl_status find_accelerations(double *a, const dfl_balance_step *step)
{
    const dfl_local *local = &step->local;
    double left = 1;
    memset(a, 0, (size_t)local->eom->nv * sizeof *a);
    if (step->ncalm == 0 || local->nc == 0)
        return DFL_OK;
    const dfl_status status =
        dfl_follow_rows(a, &left, local, step->calm, true, local->point.blocks.bias, 1);
    if (left > 1e-7)
        memset(a, 0, (size_t)local->eom->nv * sizeof *a);
    return status;
}

dfl_status dfl_steady_forces(dfl_balance_step *step)
{
    dfl_local *local = &step->local;
    const int nv = local->eom->nv;
    const dfl_status status = find_accelerations(step->a, step);
    if (!status)
        dfl_gemm(nv, 1, nv, -1, local->M, nv, step->a, nv, 1, local->f, nv);
    return status;
}

/* ---- directions ---- */

/* The kernel of W in calm velocities. */
dfl_status dfl_steady_directions(dfl_balance_step *step)
{
    const dfl_local *local = &step->local;
    const int nv = local->eom->nv, nc = local->nc;
    int *by = dfl_alloc(local->ctx, (size_t)nv, sizeof *by);
    double *A = dfl_alloc(local->ctx, (size_t)nc * (size_t)nv, sizeof *A);
    const bool room = by && A;
    step->nfree = 0;
    for (int j = 0; room && j < nv; j++) {
        by[j] = -1;
        step->weight[j] = step->calm[j];
        for (int i = 0; step->calm[j] && i < nc; i++)
            A[(size_t)j * (size_t)nc + (size_t)i] =
                local->point.blocks.W[(size_t)j * (size_t)nc + (size_t)i];
    }
    if (room) {
        dfl_scale_rows(A, nc, nv);
        const int rank =
            dfl_eliminate(step->pivot, A, nc, nv, 0, nc, step->weight, DFL_ANALYSIS_ZERO);
        for (int i = 0; i < rank; i++)
            by[step->pivot[i]] = i;
        memset(step->N, 0, (size_t)nv * (size_t)nv * sizeof *step->N);
    }
    for (int j = 0; room && j < nv; j++) {
        if (by[j] >= 0 || !step->calm[j])
            continue;
        double *column = step->N + (size_t)step->nfree++ * (size_t)nv;
        column[j] = 1;
        for (int i = 0; i < nv; i++)
            if (by[i] >= 0)
                column[i] = -A[(size_t)j * (size_t)nc + (size_t)by[i]];
    }
    dfl_free(local->ctx, by);
    dfl_free(local->ctx, A);
    return room ? DFL_OK : DFL_NO_MEMORY;
}

/* M a at x + h direction number j of all, eta then N. */
static dfl_status forces_beside(double *force, dfl_balance_step *step, dfl_local *other, double *x,
                                int j, double h)
{
    const dfl_local *local = &step->local;
    const dfl_eom *eom = local->eom;
    const int sp = eom->ns + eom->np, nv = eom->nv, free = j - step->k;
    memcpy(x, local->x, (size_t)local->at.n * sizeof *x);
    for (int i = 0; free < 0 && i < sp; i++)
        x[local->at.s + i] += h * step->Q[(size_t)j * (size_t)sp + (size_t)i];
    for (int i = 0; i < nv; i++)
        x[local->at.v + i] += h * (free < 0 ? step->V[(size_t)j * (size_t)nv + (size_t)i]
                                            : step->N[(size_t)free * (size_t)nv + (size_t)i]);
    dfl_status status = dfl_local_eval_still(other, local->t, x);
    if (status)
        return status;
    const dfl_local here = step->local;
    step->local = *other; /* the same question there */
    status = find_accelerations(step->a, step);
    step->local = here;
    dfl_gemm(nv, 1, nv, 1, other->M, nv, step->a, nv, 0, force, nv);
    return status;
}

/* By differences: they matter for the way to the solution only. */
dfl_status dfl_steady_slopes(dfl_balance_step *step)
{
    dfl_local *local = &step->local;
    const int nv = local->eom->nv;
    const double h = 1e-5;
    if (step->ncalm == 0 || local->nc == 0)
        return DFL_OK;
    dfl_local other;
    dfl_status status = dfl_local_create(&other, local->ctx, local->eom);
    double *x = dfl_alloc(local->ctx, (size_t)local->at.n + 2 * (size_t)nv, sizeof *x);
    if (!status && !x)
        status = DFL_NO_MEMORY;
    double *force = x + (status ? 0 : local->at.n);
    for (int j = 0; !status && j < step->k + step->nfree; j++) {
        double *column = step->J + (size_t)j * (size_t)step->rows;
        status = forces_beside(force, step, &other, x, j, h);
        if (!status)
            status = forces_beside(force + nv, step, &other, x, j, -h);
        for (int i = 0; !status && i < nv; i++)
            column[i] -= (force[i] - force[nv + i]) / (2 * h);
    }
    dfl_free(local->ctx, x);
    dfl_local_clear(&other);
    return status == DFL_NO_MEMORY ? status : DFL_OK;
}
