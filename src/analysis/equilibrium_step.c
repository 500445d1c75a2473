/* equilibrium_step.c: one step towards an equilibrium.

   Unknowns are eta (along the kernel K of W), r, w, l, m, in a steady motion also speeds that move
   nothing but cyclic coordinates (steady_velocities.c). With Q = (s, p)_eta and velocities that
   follow, V eta, the matrix has the rows of f - W^T (l, m), b, d:

       [ dyn_sp Q + dyn_v V - alpha D K   dyn_r          dyn_w   dyn_lm ]
       [   b_sp Q +   b_v V                b_r - alpha    b_w     b_lm  ]
       [   d_sp Q +   d_v V                d_r            d_w     d_lm  ]

   dyn_sp contains the geometric stiffness -(W^T l)_p. D is the diagonal of M, made positive: with
   alpha > 0 a motion in which damping replaces inertia takes an implicit step. */
#include "analysis/equilibrium_internal.h"

#include <string.h>

static dfl_status eval(dfl_balance_step *step, double t, const double *x);
static dfl_status find_kernel(dfl_balance_step *step);
static dfl_status find_directions(dfl_balance_step *step);
static dfl_status find_contacts(dfl_balance_step *step, const double *Z);
static dfl_status correct_positions(double *x, dfl_balance_step *step);
static dfl_status fit_multipliers(double *x, dfl_balance_step *step);
static void fill(dfl_balance_step *step, double alpha);
static void fill_block(dfl_balance_step *step, int row, int rows, const double *J);
static void damp(dfl_balance_step *step, double alpha);

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

dfl_status dfl_balance_step_create(dfl_balance_step *out, dfl_context *ctx, const dfl_eom *eom,
                                   const bool *moving)
{
    memset(out, 0, sizeof *out);
    out->moving = moving;
    const dfl_status status = dfl_local_create(&out->local, ctx, eom);
    if (status)
        return status;
    const size_t nv = (size_t)eom->nv, nc = (size_t)out->local.nc, n = (size_t)out->local.at.n;
    const size_t sp = (size_t)(eom->ns + eom->np), m3 = (size_t)out->local.m3;
    out->rows = eom->nv + eom->nr + eom->nw;
    const size_t rows = (size_t)out->rows, columns = 2 * nv + rows + nc;
    out->K = dfl_alloc(ctx, nv * nv, sizeof(double));
    out->Q = dfl_alloc(ctx, most(sp, nv) * nv, sizeof(double));
    out->V = dfl_alloc(ctx, most(nv, nc) * nv, sizeof(double));
    out->normal = dfl_alloc(ctx, most(sp, m3), sizeof(double));
    out->J = dfl_alloc(ctx, rows * columns, sizeof(double));
    out->step = dfl_alloc(ctx, most(rows, columns), sizeof(double));
    out->weight = dfl_alloc(ctx, n, sizeof(double));
    out->A = dfl_alloc(ctx, most(most(m3 * sp, nc * nv), (size_t)eom->ns * most(sp, nv)),
                       sizeof(double));
    out->pivot = dfl_alloc(ctx, nc, sizeof(int));
    if (moving && dfl_steady_create(out))
        return DFL_NO_MEMORY;
    return out->K && out->Q && out->V && out->normal && out->J && out->step && out->weight &&
                   out->A && out->pivot
               ? DFL_OK
               : DFL_NO_MEMORY;
}

void dfl_balance_step_clear(dfl_balance_step *step)
{
    dfl_context *ctx = step->local.ctx;
    if (!ctx)
        return;
    double *const block[] = {step->K, step->Q,    step->V,      step->normal,
                             step->J, step->step, step->weight, step->A};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(ctx, block[i]);
    dfl_free(ctx, step->pivot);
    dfl_steady_clear(step);
    dfl_local_clear(&step->local);
}

dfl_status dfl_balance_settle(double *x, dfl_balance_step *step, double t, int rounds)
{
    dfl_status status = eval(step, t, x);
    for (int i = 0; !status && i < rounds; i++) {
        status = correct_positions(x, step);
        if (!status)
            status = eval(step, t, x);
    }
    if (!status && step->moving)
        status = dfl_steady_velocities(x, step);
    else if (!status)
        memset(x + step->local.at.v, 0, (size_t)step->local.eom->nv * sizeof *x);
    if (!status)
        status = eval(step, t, x);
    if (!status)
        status = fit_multipliers(x, step);
    return status ? status : eval(step, t, x);
}

static dfl_status eval(dfl_balance_step *step, double t, const double *x)
{
    const dfl_status status = dfl_local_eval_still(&step->local, t, x);
    return status || !step->moving ? status : dfl_steady_forces(step);
}

/* (s, p) -= pos^+ (c, g, ep) */
static dfl_status correct_positions(double *x, dfl_balance_step *step)
{
    const dfl_local *local = &step->local;
    const dfl_eom *eom = local->eom;
    const dfl_blocks *blocks = &local->point.blocks;
    const int m = local->m3, n = eom->ns + eom->np;
    if (m == 0)
        return DFL_OK;
    memcpy(step->A, local->jac.blocks.pos, (size_t)m * (size_t)n * sizeof(double));
    memcpy(step->normal, blocks->c, (size_t)eom->ns * sizeof(double));
    memcpy(step->normal + eom->ns, blocks->g, (size_t)eom->nl * sizeof(double));
    memcpy(step->normal + eom->ns + eom->nl, blocks->ep, (size_t)eom->nep * sizeof(double));
    const dfl_status status = dfl_least_norm(step->normal, local->ctx, m, n, step->A, 1,
                                             DFL_SCALE_ROWS, DFL_ANALYSIS_ZERO, NULL);
    for (int i = 0; !status && i < n; i++)
        x[local->at.s + i] -= step->normal[i];
    return status;
}

/* The shortest (l, m) with W^T (l, m) = force in the sense of least squares, in step->step. */
static dfl_status solve_multipliers(dfl_balance_step *step, const double *force)
{
    const dfl_local *local = &step->local;
    const int nv = local->eom->nv, nc = local->nc;
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < nc; i++)
            step->A[(size_t)i * (size_t)nv + (size_t)j] =
                local->point.blocks.W[(size_t)j * (size_t)nc + (size_t)i];
    memset(step->step, 0, (size_t)(nv > nc ? nv : nc) * sizeof(double));
    memcpy(step->step, force, (size_t)nv * sizeof(double));
    return dfl_least_norm(step->step, local->ctx, nv, nc, step->A, 1, DFL_SCALE_NONE,
                          DFL_ANALYSIS_ZERO, NULL);
}

/* (l, m) changes by the least squares solution of W^T (l, m) = f. */
static dfl_status fit_multipliers(double *x, dfl_balance_step *step)
{
    const dfl_local *local = &step->local;
    if (local->nc == 0)
        return DFL_OK;
    const dfl_status status = solve_multipliers(step, local->f);
    for (int i = 0; !status && i < local->nc; i++)
        x[local->at.lambda + i] += step->step[i];
    return status;
}

dfl_status dfl_balance_shortest(double *x, dfl_balance_step *step, double t)
{
    const dfl_local *local = &step->local;
    const int nv = local->eom->nv, nc = local->nc;
    double *force = dfl_alloc(local->ctx, (size_t)nv, sizeof *force);
    dfl_status status = force ? DFL_OK : DFL_NO_MEMORY;
    for (int j = 0; !status && j < nv; j++)
        for (int i = 0; i < nc; i++)
            force[j] +=
                local->point.blocks.W[(size_t)j * (size_t)nc + (size_t)i] * x[local->at.lambda + i];
    if (!status)
        status = solve_multipliers(step, force);
    for (int i = 0; !status && i < nc; i++)
        x[local->at.lambda + i] = step->step[i];
    dfl_free(local->ctx, force);
    return status ? status : eval(step, t, x);
}

dfl_status dfl_balance_solve(double *change, dfl_balance_step *step, double alpha)
{
    const dfl_local *local = &step->local;
    const dfl_eom *eom = local->eom;
    const dfl_blocks *blocks = &local->point.blocks;
    const int sp = eom->ns + eom->np, nz = eom->nw + local->nc;
    dfl_status status = find_directions(step);
    if (status)
        return status;
    step->columns = step->k + step->nfree + eom->nr + nz;
    fill(step, alpha);
    if (step->moving)
        status = dfl_steady_slopes(step);
    if (status)
        return status;
    memset(step->step, 0, most((size_t)step->rows, (size_t)step->columns) * sizeof(double));
    for (int i = 0; i < eom->nv; i++)
        step->step[i] = -local->f[i];
    for (int i = 0; i < eom->nr; i++)
        step->step[eom->nv + i] = -blocks->b[i];
    for (int i = 0; i < eom->nw; i++)
        step->step[eom->nv + eom->nr + i] = -blocks->d[i];
    status = dfl_least_norm(step->step, local->ctx, step->rows, step->columns, step->J, 1,
                            DFL_SCALE_BOTH, 1e-12, NULL);
    if (status)
        return status;
    memset(change, 0, (size_t)local->at.n * sizeof *change);
    dfl_gemm(sp, 1, step->k, 1, step->Q, sp, step->step, step->k > 0 ? step->k : 1, 0,
             change + local->at.s, sp > 0 ? sp : 1);
    const double *rest = step->step + step->k + step->nfree;
    if (step->nfree > 0)
        dfl_gemm(eom->nv, 1, step->nfree, 1, step->N, eom->nv, step->step + step->k, step->nfree, 0,
                 change + local->at.v, eom->nv);
    memcpy(change + local->at.r, rest, (size_t)eom->nr * sizeof *change);
    memcpy(change, rest + eom->nr, (size_t)nz * sizeof *change);
    return DFL_OK;
}

dfl_status dfl_balance_remains(double *left, dfl_balance_step *step)
{
    const int nv = step->local.eom->nv;
    fill(step, 0);
    const dfl_status status = step->moving ? dfl_steady_slopes(step) : DFL_OK;
    memcpy(left, step->local.f, (size_t)nv * sizeof *left);
    dfl_gemm(nv, 1, step->columns, 1, step->J, step->rows, step->step,
             step->columns > 0 ? step->columns : 1, 1, left, nv > 0 ? nv : 1);
    return status;
}

/* K, Q and V. */
static dfl_status find_directions(dfl_balance_step *step)
{
    const dfl_local *local = &step->local;
    const dfl_eom *eom = local->eom;
    const int nv = eom->nv, np = eom->np, ns = eom->ns, sp = ns + np, nc = local->nc;
    dfl_status status = find_kernel(step);
    if (status)
        return status;
    double *p = step->Q + ns;
    for (int j = 0; eom->trivial_kinematics && j < step->k; j++)
        memcpy(p + (size_t)j * (size_t)sp, step->K + (size_t)j * (size_t)nv,
               (size_t)nv * sizeof *p);
    if (!eom->trivial_kinematics)
        dfl_gemm(np, step->k, nv, 1, local->jac.blocks.kin, np, step->K, nv, 0, p, sp);
    status = ns > 0 ? find_contacts(step, p) : DFL_OK;
    memset(step->V, 0, (size_t)nv * (size_t)step->k * sizeof *step->V);
    if (!status && step->moving)
        status = dfl_steady_directions(step);
    if (status || !step->moving || nc == 0)
        return status;
    double *sides = dfl_alloc(local->ctx, (size_t)nc * (size_t)step->k, sizeof *sides);
    if (!sides)
        return DFL_NO_MEMORY;
    dfl_gemm(nc, step->k, sp, 1, local->jac.blocks.vel + (size_t)nv * (size_t)(nc + eom->ne),
             nc + eom->ne, step->Q, sp, 0, sides, nc);
    status = dfl_steady_follow(step->V, step, sides, step->k);
    dfl_free(local->ctx, sides);
    return status;
}

static dfl_status find_kernel(dfl_balance_step *step)
{
    const dfl_local *local = &step->local;
    const int nv = local->eom->nv, nc = local->nc;
    int *by = dfl_alloc(local->ctx, (size_t)nv, sizeof *by);
    if (!by)
        return DFL_NO_MEMORY;
    memcpy(step->A, local->point.blocks.W, (size_t)nc * (size_t)nv * sizeof(double));
    dfl_scale_rows(step->A, nc, nv);
    for (int j = 0; j < nv; j++) {
        step->weight[j] = 1;
        by[j] = -1;
    }
    const int rank =
        dfl_eliminate(step->pivot, step->A, nc, nv, 0, nc, step->weight, DFL_ANALYSIS_ZERO);
    for (int i = 0; i < rank; i++)
        by[step->pivot[i]] = i;
    memset(step->K, 0, (size_t)nv * (size_t)nv * sizeof(double));
    step->k = 0;
    for (int j = 0; j < nv; j++) {
        if (by[j] >= 0)
            continue;
        double *column = step->K + (size_t)step->k++ * (size_t)nv;
        column[j] = 1;
        for (int i = 0; i < nv; i++)
            if (by[i] >= 0)
                column[i] = -step->A[(size_t)j * (size_t)nc + (size_t)by[i]];
    }
    dfl_free(local->ctx, by);
    return DFL_OK;
}

/* c_s s = -c_p p for all directions; p is the lower part of Q. */
static dfl_status find_contacts(dfl_balance_step *step, const double *p)
{
    const dfl_local *local = &step->local;
    const int ns = local->eom->ns, np = local->eom->np, sp = ns + np, m = local->m3;
    double *B = dfl_alloc(local->ctx, (size_t)ns * (size_t)step->k, sizeof *B);
    if (!B)
        return DFL_NO_MEMORY;
    for (int j = 0; j < ns; j++)
        memcpy(step->A + (size_t)j * (size_t)ns, local->jac.blocks.pos + (size_t)j * (size_t)m,
               (size_t)ns * sizeof *B);
    dfl_gemm(ns, step->k, np, -1, local->jac.blocks.pos + (size_t)ns * (size_t)m, m, p, sp, 0, B,
             ns);
    const dfl_status status = dfl_least_norm(B, local->ctx, ns, ns, step->A, step->k,
                                             DFL_SCALE_BOTH, DFL_ANALYSIS_ZERO, NULL);
    for (int j = 0; !status && j < step->k; j++)
        memcpy(step->Q + (size_t)j * (size_t)sp, B + (size_t)j * (size_t)ns,
               (size_t)ns * sizeof *B);
    dfl_free(local->ctx, B);
    return status;
}

static void fill(dfl_balance_step *step, double alpha)
{
    const dfl_eom *eom = step->local.eom;
    const dfl_jacobian *jac = &step->local.jac.blocks;
    fill_block(step, 0, eom->nv, jac->dyn);
    fill_block(step, eom->nv, eom->nr, jac->b);
    fill_block(step, eom->nv + eom->nr, eom->nw, jac->d);
    if (alpha > 0)
        damp(step, alpha);
}

/* Rows of the matrix from derivatives J (rows x n). */
static void fill_block(dfl_balance_step *step, int row, int rows, const double *J)
{
    const dfl_local *local = &step->local;
    const dfl_eom *eom = local->eom;
    const int sp = eom->ns + eom->np, nv = eom->nv, ld = step->rows, free = step->nfree;
    const int k = step->k + free;
    const size_t height = (size_t)rows, nz = (size_t)(eom->nw + local->nc);
    double *to = step->J + row;
    if (rows == 0)
        return;
    dfl_gemm(rows, step->k, sp, 1, J + (size_t)local->at.s * height, rows, step->Q, sp, 0, to, ld);
    if (step->moving)
        dfl_gemm(rows, step->k, nv, 1, J + (size_t)local->at.v * height, rows, step->V, nv, 1, to,
                 ld);
    if (free > 0)
        dfl_gemm(rows, free, nv, 1, J + (size_t)local->at.v * height, rows, step->N, nv, 0,
                 to + (size_t)step->k * (size_t)ld, ld);
    for (int j = 0; j < eom->nr; j++)
        memcpy(to + (size_t)(k + j) * (size_t)ld, J + (size_t)(local->at.r + j) * height,
               height * sizeof *to);
    for (size_t j = 0; j < nz; j++)
        memcpy(to + ((size_t)(k + eom->nr) + j) * (size_t)ld, J + j * height, height * sizeof *to);
}

static void damp(dfl_balance_step *step, double alpha)
{
    const dfl_eom *eom = step->local.eom;
    const int nv = eom->nv;
    double mean = 0;
    for (int i = 0; i < nv; i++)
        mean += step->local.M[(size_t)i * (size_t)nv + (size_t)i] / nv;
    for (int j = 0; j < step->k; j++)
        for (int i = 0; i < nv; i++) {
            const double mass = step->local.M[(size_t)i * (size_t)nv + (size_t)i];
            step->J[(size_t)j * (size_t)step->rows + (size_t)i] -=
                alpha *
                (mass > 0   ? mass
                 : mean > 0 ? mean
                            : 1) *
                step->K[(size_t)j * (size_t)nv + (size_t)i];
        }
    for (int i = 0; i < eom->nr; i++)
        step->J[(size_t)(step->k + step->nfree + i) * (size_t)step->rows + (size_t)(nv + i)] -=
            alpha;
}

/* Keeps the larger one of the part of a residual and what is known. */
static void compare(dfl_unbalanced *worst, double value, double terms, dfl_kind kind, int index)
{
    const double size = fabs(value) > 0 ? fabs(value) / fmax(fabs(value), terms) : 0;
    if (size > worst->size)
        *worst = (dfl_unbalanced){size, kind, index, fabs(value)};
}

/* Without the forces of constraints. */
static double without_constraints(const dfl_local *local, int i)
{
    const int nc = local->nc;
    double applied = local->f[i];
    for (int k = 0; k < nc; k++)
        applied += local->point.blocks.W[(size_t)i * (size_t)nc + (size_t)k] *
                   local->x[local->at.lambda + k];
    return fabs(applied);
}

/* The size of the forces along a velocity without those of constraints, which may be large near
   dead points; where all vanish, as in relaxed springs, a part of what their slopes give. */
static double applied_force(const dfl_local *local, int i)
{
    const int nv = local->eom->nv;
    return fmax(without_constraints(local, i),
                1e-3 * dfl_row_terms(local->jac.blocks.dyn, nv, i, local->x, local->at.n));
}

void dfl_balance_note(double *forces, const dfl_balance_step *step)
{
    for (int i = 0; i < step->local.eom->nv; i++)
        forces[i] = fmax(forces[i], without_constraints(&step->local, i));
}

dfl_unbalanced dfl_balance_own(const dfl_balance_step *step, const double *forces, const double *f)
{
    const dfl_local *local = &step->local;
    const int nv = local->eom->nv;
    dfl_unbalanced worst = {0, DFL_KIND_V, 0, 0};
    double largest = 0;
    for (int i = 0; i < nv; i++)
        largest = fmax(largest, applied_force(local, i));
    for (int i = 0; i < nv; i++) {
        const double slopes = dfl_row_terms(local->jac.blocks.dyn, nv, i, local->x, local->at.n);
        compare(&worst, f[i], fmax(fmax(forces[i], 1e-6 * slopes), 1e-12 * largest), DFL_KIND_V, i);
    }
    return worst;
}

dfl_unbalanced dfl_balance_size(const dfl_balance_step *step)
{
    const dfl_local *local = &step->local;
    const dfl_eom *eom = local->eom;
    const dfl_jacobian *jac = &local->jac.blocks;
    const dfl_blocks *blocks = &local->point.blocks;
    const int nv = eom->nv, n = local->at.n, m3 = local->m3, sp = eom->ns + eom->np;
    const double *x = local->x;
    dfl_unbalanced worst = {0, DFL_KIND_V, 0, 0};
    double force = 0;
    for (int i = 0; i < nv; i++) /* forces of all velocities are compared with each other */
        force = fmax(force, applied_force(local, i));
    for (int i = 0; i < nv; i++)
        compare(&worst, local->f[i], force, DFL_KIND_V, i);
    for (int i = 0; i < eom->nr; i++)
        compare(&worst, blocks->b[i], dfl_row_terms(jac->b, eom->nr, i, x, n), DFL_KIND_R, i);
    for (int i = 0; i < eom->nw; i++)
        compare(&worst, blocks->d[i], dfl_row_terms(jac->d, eom->nw, i, x, n), DFL_KIND_W, i);
    for (int i = 0; i < m3; i++) {
        const int l = i - eom->ns, e = l - eom->nl;
        const double value = l < 0 ? blocks->c[i] : e < 0 ? blocks->g[l] : blocks->ep[e];
        compare(&worst, value, dfl_row_terms(jac->pos, m3, i, x + local->at.s, sp),
                l < 0   ? DFL_ROW_C
                : e < 0 ? DFL_ROW_G
                        : DFL_ROW_EP,
                l < 0   ? i
                : e < 0 ? l
                        : e);
    }
    return worst;
}
