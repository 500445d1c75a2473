/* Explicit right-hand sides of the forms (see ode_internal.h). Sources: Steinbrecher 2002 (uode),
   Baumgarte 1972, Kurz, Burkhardt and Eberhard 2011 (explicit, qr, svd, separation; their (31) with
   the sign of (29)), Petzold and Potra 1992 (local coordinates, (5.4)). The accelerations of all
   forms are those of the saddle system. */
#include "formulation/ode_internal.h"

#include <math.h>
#include <string.h>

static dfl_outcome project_velocity(dfl_ode *ode, dfl_point *point);
static dfl_outcome solve_accelerations(dfl_ode *ode, dfl_point *point);

bool dfl_ode_projects(const dfl_ode *ode)
{
    return ode->form == DFL_QR || ode->form == DFL_SVD || ode->form == DFL_SEPARATION;
}

static bool is_local(const dfl_ode *ode)
{
    return ode->form == DFL_PARTITION || ode->form == DFL_TANGENT;
}

/* Of the unknowns that are moved onto the constraints. */
static double smallest_atol(const dfl_system *sys, const dfl_solver_options *options)
{
    const double *each = options->error.atol_each;
    double smallest = each ? INFINITY : options->atol;
    for (int i = sys->at.r - sys->na; each && i < sys->nu; i++)
        smallest = fmin(smallest, each[i]);
    return smallest;
}

dfl_status dfl_ode_init(dfl_ode *ode, dfl_system *sys, const dfl_solver_options *options)
{
    const dfl_eom *eom = sys->eom;
    dfl_context *ctx = sys->ctx;
    const int nv = sys->n3, nc = sys->nc, larger = nc > nv ? nc : nv;
    const size_t d = sizeof(double), n = (size_t)sys->n + (size_t)sys->n4;
    memset(ode, 0, sizeof *ode);
    ode->sys = sys;
    ode->options = options;
    ode->form = options->form;
    ode->target = dfl_alloc(ctx, (size_t)nc, d);
    ode->offset = dfl_alloc(ctx, (size_t)nc, d);
    ode->change = dfl_alloc(ctx, n, d);
    ode->rows = dfl_alloc(
        ctx, (size_t)(sys->m3 + nc + nv + eom->ne + 2) * (size_t)(sys->n4 + nv + eom->ne), d);
    ode->S = dfl_alloc(ctx, (size_t)nv * (size_t)nv, d);
    ode->candidate = dfl_alloc(ctx, (size_t)nv * (size_t)nv, d);
    ode->independent = dfl_alloc(ctx, (size_t)nv, sizeof(bool));
    ode->other = dfl_alloc(ctx, (size_t)nv, sizeof(bool));
    ode->dependent = dfl_alloc(ctx, (size_t)nv, sizeof(int));
    if (!ode->target || !ode->offset || !ode->change || !ode->rows || !ode->S || !ode->candidate ||
        !ode->independent || !ode->other || !ode->dependent)
        return DFL_NO_MEMORY;
    dfl_status status = dfl_saddle_init(&ode->saddle, sys);
    if (!status)
        status = dfl_split_create(&ode->split, ctx, larger, nv);
    if (!status)
        status = dfl_split_create(&ode->angles, ctx, nv, nv);
    if (!status)
        status =
            dfl_factor_create(&ode->contact, ctx, eom->ns > eom->n0 ? eom->ns : eom->n0, false);
    if (!status)
        status = dfl_factor_create(&ode->local, ctx, nv, false);
    if (!status)
        status = dfl_lstsq_create(&ode->lstsq, ctx, sys->m3 > eom->ne ? sys->m3 : eom->ne,
                                  sys->n4 > eom->ne ? sys->n4 : eom->ne);
    return status ? status : dfl_rows_jacobian_init(&ode->jac, sys);
}

void dfl_ode_clear(dfl_ode *ode)
{
    if (!ode->sys)
        return;
    dfl_context *ctx = ode->sys->ctx;
    dfl_saddle_clear(&ode->saddle);
    dfl_split_free(ode->split, ctx);
    dfl_split_free(ode->angles, ctx);
    dfl_factor_free(ode->contact, ctx);
    dfl_factor_free(ode->local, ctx);
    dfl_lstsq_free(ode->lstsq, ctx);
    dfl_rows_jacobian_clear(&ode->jac, ctx);
    void *const block[] = {ode->target,    ode->offset,      ode->change, ode->rows,     ode->S,
                           ode->candidate, ode->independent, ode->other,  ode->dependent};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(ctx, block[i]);
}

void dfl_ode_bind(dfl_ode *ode)
{
    dfl_saddle_bind(&ode->saddle);
    dfl_rows_jacobian_bind(&ode->jac, ode->sys);
    ode->chosen = false;
}

/* Relative to the terms of a row: completing a start leaves smaller residuals than this. */
static const double consistent = 1e-9;

/* gII and hI at a start that need not be consistent: W a + bias with M a = f_dyn of the given (l,
   m). If M is singular, they do not depend on l, m and are taken as zero. */
static void set_offset(dfl_ode *ode, const dfl_point *point)
{
    dfl_system *sys = ode->sys;
    const int nv = sys->n3, nc = sys->nc;
    double *A = dfl_factor_matrix(ode->local), *a = ode->change;
    memset(a, 0, 2 * (size_t)nv * sizeof *a);
    if (dfl_saddle_mass(&ode->saddle, point) || dfl_system_dynamics(a, sys, point, a + nv))
        return;
    dfl_full_mass(A, nv, ode->saddle.M, nv, sys->mass.diagonal);
    if (!dfl_mass_solve(a, ode->local, A, nv, false))
        return;
    for (int i = 0; i < nc; i++) {
        double sum = point->blocks.bias[i], size = fabs(sum);
        for (int j = 0; j < nv; j++) {
            sum += point->blocks.W[j * nc + i] * a[j];
            size += fabs(point->blocks.W[j * nc + i] * a[j]);
        }
        ode->offset[i] = fabs(sum) > consistent * size ? sum : 0;
    }
}

void dfl_ode_start(dfl_ode *ode, const dfl_point *point, int rank)
{
    dfl_saddle_choose(&ode->saddle, point, rank);
    ode->rank = rank;
    ode->least = 1e-6 * smallest_atol(ode->sys, ode->options);
    memset(ode->offset, 0, (size_t)ode->sys->nc * sizeof(double));
    if (ode->form == DFL_UODE)
        set_offset(ode, point);
}

dfl_outcome dfl_ode_begin(dfl_ode *ode, const dfl_point *point)
{
    if (ode->rank < ode->sys->nc)
        dfl_saddle_choose(&ode->saddle, point, ode->rank);
    if (ode->form == DFL_SEPARATION)
        return dfl_ode_separation_begin(ode, point);
    return is_local(ode) ? dfl_ode_local_begin(ode, point) : DFL_STEP_OK;
}

dfl_outcome dfl_ode_rates(double *rate, dfl_ode *ode, dfl_point *point)
{
    dfl_outcome outcome = dfl_ode_contact(ode, point);
    if (!outcome && is_local(ode))
        outcome = dfl_ode_local_complete(ode, point);
    else if (!outcome && ode->form == DFL_SEPARATION)
        outcome = dfl_ode_separate(ode, point);
    else if (!outcome && dfl_ode_projects(ode))
        outcome = project_velocity(ode, point);
    if (!outcome)
        outcome = dfl_ode_massless(ode, point);
    if (!outcome)
        outcome = dfl_system_eval_blocks(ode->sys, point, DFL_EVERYTHING);
    if (!outcome)
        outcome = solve_accelerations(ode, point);
    if (!outcome)
        dfl_ode_write_rates(rate, ode->sys, point);
    return outcome;
}

dfl_outcome dfl_ode_finish(dfl_ode *ode, dfl_point *point)
{
    dfl_outcome outcome = DFL_STEP_OK;
    if (ode->form == DFL_PSF) {
        outcome = dfl_ode_move_positions(ode, point);
        if (!outcome)
            outcome = dfl_ode_move_velocities(ode, point);
        if (!outcome)
            outcome = dfl_ode_move_invariants(ode, point);
    } else if (is_local(ode)) {
        outcome = dfl_ode_local_complete(ode, point);
    } else {
        outcome = dfl_ode_contact(ode, point);
        if (!outcome)
            outcome = dfl_ode_massless(ode, point);
    }
    return outcome ? outcome : dfl_ode_settle(ode, point);
}

dfl_outcome dfl_ode_settle(dfl_ode *ode, dfl_point *point)
{
    dfl_system *sys = ode->sys;
    dfl_outcome outcome = dfl_system_eval_blocks(sys, point, DFL_EVERYTHING);
    if (!outcome)
        outcome = solve_accelerations(ode, point);
    if (!outcome && dfl_system_mass_at_points(sys))
        memcpy(point->M, ode->saddle.M,
               (size_t)(sys->mass.diagonal ? sys->n3 : sys->n3 * sys->n3) * sizeof(double));
    if (!outcome)
        outcome = dfl_system_combine(sys, point);
    return outcome ? outcome : dfl_system_check_finite(sys, point);
}

/* v -= W^+ (gI, hv), which is J J^T (v - theta) + theta with a basis J of the kernel of W */
static dfl_outcome project_velocity(dfl_ode *ode, dfl_point *point)
{
    dfl_system *sys = ode->sys;
    const int nc = sys->nc, nv = sys->n3;
    const bool redundant = ode->rank < nc;
    const dfl_split_rule rule = {.method = ode->form == DFL_QR && !redundant ? DFL_METHOD_QR
                                                                             : DFL_METHOD_SVD,
                                 .rank = ode->rank};
    dfl_outcome outcome = dfl_system_eval_blocks(sys, point, DFL_DIRECTIONS | DFL_VELOCITY);
    if (outcome)
        return outcome;
    if (!dfl_split_compute(ode->split, &rule, point->blocks.W, nc, nc, nv))
        return dfl_system_part_trouble(sys, DFL_STEP_RANK, DFL_FAILURE_VELOCITY, point->t);
    dfl_gemm(nv, 1, nc, -1, ode->split->R, nv, point->blocks.gI, nc, 1, point->x + sys->at.v, nv);
    return DFL_STEP_OK;
}

/* The acceleration of the constraints that the form prescribes: target (nc). */
static void set_target(dfl_ode *ode, const dfl_point *point)
{
    const dfl_system *sys = ode->sys;
    const dfl_blocks *b = &point->blocks;
    const double alpha = fmax(0, ode->options->baumgarte.alpha),
                 beta = fmax(0, ode->options->baumgarte.beta);
    for (int i = 0; i < sys->nc; i++)
        ode->target[i] = ode->offset[i] - b->bias[i];
    if (ode->form != DFL_BAUMGARTE)
        return;
    for (int i = 0; i < sys->eom->nl; i++)
        ode->target[i] -= 2 * alpha * b->gI[i] + beta * beta * b->g[i];
    for (int i = 0; i < sys->eom->nm; i++)
        ode->target[sys->eom->nl + i] -= alpha * b->hv[i];
}

/* a, w, l, m of an evaluated state. */
static dfl_outcome solve_accelerations(dfl_ode *ode, dfl_point *point)
{
    set_target(ode, point);
    return dfl_ode_solve_with(ode, point, point->blocks.W, ode->target);
}

dfl_outcome dfl_ode_solve_with(dfl_ode *ode, dfl_point *point, const double *V,
                               const double *target)
{
    dfl_outcome outcome = dfl_saddle_factor(&ode->saddle, point, V);
    return outcome ? outcome : dfl_saddle_solve(&ode->saddle, point, V, target);
}

dfl_outcome dfl_ode_factor(dfl_ode *ode, const dfl_point *point)
{
    return dfl_saddle_factor(&ode->saddle, point, point->blocks.W);
}

void dfl_ode_least_change(double *dv, dfl_ode *ode, const double *target)
{
    dfl_saddle_least_change(dv, &ode->saddle, target);
}

void dfl_ode_write_rates(double *rate, const dfl_system *sys, const dfl_point *point)
{
    memset(rate, 0, (size_t)sys->n * sizeof *rate);
    memcpy(rate + sys->at.r, point->blocks.b, (size_t)sys->n2 * sizeof *rate);
    memcpy(rate + sys->at.v, point->x, (size_t)sys->n3 * sizeof *rate);
    memcpy(rate + sys->at.p, point->blocks.kin, (size_t)sys->eom->np * sizeof *rate);
}
