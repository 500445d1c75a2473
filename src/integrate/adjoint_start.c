/* adjoint_start.c: backwards over a start, at the beginning of a run or after an instant at which
   branches change or the state jumps.

   Before an instant the derivatives satisfy the linearized algebraic rows, so that

       Y = B v + C alpha,    v = R Y,    alpha = alg_theta + alg_memory memory_theta - level_theta

   with free directions v. Derivatives after it are linear in these. So columns of B and C are
   carried through the instant as if they were parameters, and what becomes of them is the matrix of
   the instant; the first columns of all parameters are spare ones for this. */
#include "integrate/adjoint.h"

#include <string.h>

int dfl_adjoint_height(const dfl_adjoint *adj)
{
    const dfl_system *sys = adj->sys;
    return sys->n + sys->n3 + sys->eom->ne + sys->eom->nep + adj->parameters.nmemory;
}

int dfl_adjoint_spare(const dfl_system *sys, int nmemory)
{
    return sys->n2 + sys->n3 + sys->n4 + nmemory + sys->eom->ne + sys->eom->nep;
}

/* Column j of the derivatives after a start. */
static void keep_column(double *to, const dfl_adjoint *adj, int j)
{
    const dfl_tangents *wide = adj->wide;
    const size_t n = (size_t)adj->sys->n, nv = (size_t)adj->sys->n3, d = sizeof *to;
    const size_t levels = (size_t)(adj->sys->eom->ne + adj->sys->eom->nep);
    const size_t memory = (size_t)adj->parameters.nmemory, column = (size_t)j;
    memcpy(to, wide->Y + column * n, n * d);
    memcpy(to + n, wide->A + column * nv, nv * d);
    memcpy(to + n + nv, wide->level + column * levels, levels * d);
    if (memory > 0)
        memcpy(to + n + nv + levels, adj->parameters.memory + column * memory, memory * d);
}

dfl_status dfl_adjoint_start(dfl_adjoint *adj)
{
    const size_t height = (size_t)dfl_adjoint_height(adj);
    const size_t count = (size_t)adj->parameters.count;
    const size_t R = (size_t)adj->free * (size_t)adj->sys->n;
    dfl_context *ctx = adj->sys->ctx;
    dfl_recorded *entry = dfl_adjoint_add(adj, DFL_RECORDED_START, height * count + R);
    if (!entry)
        return DFL_NO_MEMORY;
    for (size_t j = 0; j < count; j++)
        keep_column(entry->numbers + j * height, adj, (int)j);
    memcpy(entry->numbers + height * count, adj->R, R * sizeof *adj->R);
    entry->free = adj->free;
    entry->start = adj->start;
    adj->start = entry;
    adj->free = 0;
    if (!adj->parameters.keep)
        return DFL_OK;
    entry->kept = dfl_alloc(ctx, adj->parameters.kept_size, 1);
    adj->bytes += adj->parameters.kept_size;
    if (!entry->kept)
        return DFL_NO_MEMORY;
    return adj->parameters.keep(entry->kept, adj->parameters.user)
               ? dfl_fail(ctx, DFL_CALLBACK, "keep failed at t = %.10g", adj->st->t)
               : DFL_OK;
}

/* R (linear_step.h) as a matrix (nd x n). */
static void fill_R(double *R, const dfl_system *sys, const dfl_stage_solution *at)
{
    const int nd = at->nd;
    memset(R, 0, (size_t)nd * (size_t)sys->n * sizeof *R);
    for (int i = 0; i < sys->n2; i++)
        R[(sys->at.r + i) * nd + i] = 1;
    for (int j = 0; j < sys->n3; j++)
        memcpy(R + (sys->at.v + j) * nd + sys->n2, at->Rv + j * at->nsv,
               (size_t)at->nsv * sizeof *R);
    for (int j = 0; j < sys->eom->np; j++)
        memcpy(R + (sys->at.p + j) * nd + sys->n2 + at->nsv, at->Sp + j * at->nfp,
               (size_t)at->nfp * sizeof *R);
}

/* CB becomes [C B]: CB [I 0; -SM_u^-1 SM_a  SM_u^-1]. */
static bool take_free_coordinates(dfl_adjoint *adj, dfl_stage_solution *at)
{
    const int nd = at->nd, ma = at->ma, n = adj->sys->n;
    const double *B = at->CB + ma * n;
    dfl_factor *factor = adj->wide->linear.K;
    if (nd == 0)
        return true;
    at->again = false;
    memcpy(dfl_factor_matrix(factor), at->SM + ma * nd, (size_t)(nd * nd) * sizeof *B);
    if (!dfl_factor_compute(factor, nd, DFL_METHOD_LU))
        return false;
    for (int j = 0; j < ma; j++) {
        dfl_factor_solve(factor, at->SM + j * nd);
        dfl_gemm(n, 1, nd, -1, B, n, at->SM + j * nd, nd, 1, at->CB + j * n, n);
    }
    for (int j = 0; j < nd; j++) { /* SJ is free for B SM_u^-1, column by column */
        double *unit = adj->wide->linear.u;
        memset(unit, 0, (size_t)nd * sizeof *unit);
        unit[j] = 1;
        dfl_factor_solve(factor, unit);
        dfl_gemm(n, 1, nd, 1, B, n, unit, nd, 0, adj->columns + (size_t)j * (size_t)n, n);
    }
    memcpy(at->CB + ma * n, adj->columns, (size_t)(nd * n) * sizeof *B);
    return true;
}

/* Column c of what is carried through the instant. */
static void fill_column(dfl_adjoint *adj, const dfl_stage_solution *at, int c)
{
    const dfl_system *sys = adj->sys;
    dfl_tangents *wide = adj->wide;
    const int n = sys->n, nd = at->nd, ne = sys->eom->ne, nep = sys->eom->nep;
    const int level = c - nd - adj->parameters.nmemory;
    double *y = wide->Y + (size_t)c * (size_t)n, *alpha = wide->linear.c;
    if (c < nd) {
        memcpy(y, at->CB + (at->ma + c) * n, (size_t)n * sizeof *y);
        return;
    }
    dfl_point *point = &wide->tangent[0];
    dfl_alg_by_parameter(point->alg, &wide->jac[0], sys, &wide->slopes[0], c);
    if (level >= 0 && level < ne)
        point->alg[sys->row.e + level] -= 1;
    else if (level >= ne && level < ne + nep)
        point->alg[sys->m1 + sys->m2 + sys->m3 - nep + level - ne] -= 1;
    dfl_linear_step_compress(alpha, point->alg, at, sys);
    dfl_gemm(n, 1, at->ma, 1, at->CB, n, alpha, at->ma, 0, y, n);
}

dfl_outcome dfl_adjoint_approach(dfl_adjoint *adj)
{
    const dfl_system *sys = adj->sys;
    dfl_tangents *wide = adj->wide;
    dfl_stage_solution *at = &wide->linear.at[0];
    const dfl_point *here = &adj->st->here;
    const int nm = adj->parameters.nmemory, count = adj->parameters.count;
    wide->stage[0].t = here->t;
    memcpy(wide->stage[0].x, here->x, (size_t)sys->n * sizeof *here->x);
    memset(wide->Y, 0, (size_t)sys->n * (size_t)count * sizeof *wide->Y);
    dfl_formulation_selection(wide->linear.selection, adj->st->form);
    dfl_formulation_select(wide->linear.twin, wide->linear.selection);
    dfl_outcome outcome =
        dfl_tangents_linearize(&wide->stage[0], &wide->jac[0], NULL, wide, NULL, NULL);
    if (!outcome)
        outcome = dfl_formulation_solution(at, wide->linear.twin, &wide->jac[0], here->t);
    if (outcome)
        return outcome;
    adj->free = at->nd;
    fill_R(adj->R, sys, at);
    if (nm > 0) { /* unit columns, whose slopes are those by the memory */
        memset(adj->parameters.memory, 0, (size_t)nm * (size_t)count * sizeof(double));
        for (int i = 0; i < nm; i++)
            adj->parameters.memory[(at->nd + i) * nm + i] = 1;
    }
    outcome = dfl_tangents_linearize(&wide->stage[0], &wide->jac[0], &wide->slopes[0], wide,
                                     adj->parameters.slopes, NULL);
    if (outcome || !take_free_coordinates(adj, at))
        return outcome ? outcome
                       : dfl_system_part_trouble(adj->sys, DFL_STEP_SINGULAR,
                                                 DFL_FAILURE_NEWTON_MATRIX, here->t);
    for (int c = 0; c < count; c++)
        fill_column(adj, at, c);
    return DFL_STEP_OK;
}

/* All weights of objective k in one column, and back. */
static void gather(double *to, const dfl_adjoint *adj, int k)
{
    const int n = adj->sys->n, nv = adj->sys->n3, nm = adj->parameters.nmemory;
    const int levels = adj->sys->eom->ne + adj->sys->eom->nep;
    memcpy(to, adj->x + k * n, (size_t)n * sizeof *to);
    memcpy(to + n, adj->a + k * nv, (size_t)nv * sizeof *to);
    memcpy(to + n + nv, adj->level + k * levels, (size_t)levels * sizeof *to);
    memcpy(to + n + nv + levels, adj->memory + k * nm, (size_t)nm * sizeof *to);
}

/* Weights before the instant from those of the columns, `found`. */
static void scatter(dfl_adjoint *adj, int k, const double *found, const double *R, int nd)
{
    const int n = adj->sys->n, nv = adj->sys->n3, nm = adj->parameters.nmemory;
    const int levels = adj->sys->eom->ne + adj->sys->eom->nep;
    memset(adj->x + k * n, 0, (size_t)n * sizeof *found);
    memset(adj->a + k * nv, 0, (size_t)nv * sizeof *found);
    if (nd > 0)
        dfl_gemm_tn(n, 1, nd, 1, R, nd, found, nd, 0, adj->x + k * n, n);
    memcpy(adj->memory + k * nm, found + nd, (size_t)nm * sizeof *found);
    memcpy(adj->level + k * levels, found + nd + nm, (size_t)levels * sizeof *found);
}

dfl_outcome dfl_adjoint_back_start(dfl_adjoint *adj, const dfl_recorded *entry)
{
    const int height = dfl_adjoint_height(adj), count = adj->parameters.count;
    const size_t stride = (size_t)(count + adj->parameters.nmemory);
    const double *R = entry->numbers + (size_t)height * (size_t)count;
    dfl_context *ctx = adj->sys->ctx;
    double *column = dfl_alloc(ctx, (size_t)(height + count), sizeof *column);
    double *found = column + height;
    if (!column)
        return dfl_system_trouble(adj->sys, DFL_STEP_STOP, "memory", adj->st->t);
    for (int k = 0; k < adj->nof; k++) {
        gather(column, adj, k);
        dfl_gemm_tn(count, 1, height, 1, entry->numbers, height, column, height, 0, found, count);
        for (int j = adj->spare; j < count; j++)
            adj->sum[(size_t)k * stride + (size_t)j] += found[j];
        if (entry->start)
            scatter(adj, k, found, R, entry->free);
    }
    dfl_free(ctx, column);
    return DFL_STEP_OK;
}
