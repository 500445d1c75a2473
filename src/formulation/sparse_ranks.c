/* What the sparse form knows about its constraints: ranks, weak rows. Redundant rows:
   sparse_redundancy.c.

   The LDL^T of [D W^T; W 0] eliminates row after row; the pivot of a row is its distance from the
   rows before it. A row at a distance of rounding is redundant. Passages of singular positions:
   sparse_passages.c. */
#include "formulation/sparse_form.h"

#include "context/context.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* In a position next to the start. */
static const double redundant_nearby = 1e-4;

static dfl_status copy_pattern(dfl_csc *out, dfl_context *ctx, const dfl_pattern *pattern, int rows,
                               int columns, int times);
static void find_W_in_jacobian(dfl_sparse_form *form);

dfl_status dfl_sparse_ranks_init(dfl_sparse_form *form)
{
    const dfl_system *sys = form->base.sys;
    dfl_context *ctx = sys->ctx;
    const int nv = sys->n3, nc = sys->nc;
    const size_t entries = dfl_system_W_entries(sys), d = sizeof(double);
    dfl_status status = copy_pattern(&form->W, ctx, &sys->packed->W, nc, nv, 1);
    if (!status)
        status = copy_pattern(&form->both, ctx, &sys->packed->W, nc, nv, 2);
    if (!status && !sys->mass.diagonal)
        status = copy_pattern(&form->M, ctx, &sys->packed->M, nv, nv, 1);
    form->metric = dfl_alloc(ctx, (size_t)nv + 1, d);
    form->twice = dfl_alloc(ctx, 2 * ((size_t)(nv + nc) + entries) + 1, d);
    form->balance = dfl_alloc(ctx, (size_t)(nv + nc) + 1, d);
    form->W_ref = dfl_alloc(ctx, entries + 1, d);
    form->W_before = dfl_alloc(ctx, entries + 1, d);
    form->vel_of_W = dfl_alloc(ctx, entries + 1, sizeof(int));
    form->zeros = dfl_alloc(ctx, (size_t)nv + 1, sizeof(int));
    form->choice = (dfl_row_choice){.A = &form->W,
                                    .D = form->metric,
                                    .late = sys->eom->nl,
                                    .left_out = dfl_alloc(ctx, (size_t)nc + 1, 1),
                                    .seen = dfl_alloc(ctx, (size_t)nc + 1, 1),
                                    .work = dfl_alloc(ctx, (size_t)(nv + 2 * nc) + 1, d)};
    form->allowed = dfl_alloc(ctx, (size_t)nc + 1, d);
    if (!form->metric || !form->twice || !form->balance || !form->W_ref || !form->W_before ||
        !form->vel_of_W || !form->zeros || !form->choice.left_out || !form->choice.seen ||
        !form->choice.work || !form->allowed)
        return DFL_NO_MEMORY;
    find_W_in_jacobian(form);
    if (!status)
        status = dfl_saddle_ldl_create(&form->split, ctx, NULL, &form->W);
    if (!status)
        status = dfl_saddle_ldl_create(&form->flip, ctx, NULL, &form->both);
    if (!status && !sys->mass.diagonal) { /* without rows */
        status =
            copy_pattern(&form->no_rows, ctx, &(dfl_pattern){form->zeros, form->zeros}, 0, nv, 1);
        if (!status)
            status = dfl_saddle_ldl_create(&form->mass, ctx, &form->M, &form->no_rows);
    }
    return status;
}

void dfl_sparse_ranks_clear(dfl_sparse_form *form)
{
    dfl_context *ctx = form->base.sys->ctx;
    dfl_saddle_ldl_free(form->split);
    dfl_saddle_ldl_free(form->flip);
    dfl_saddle_ldl_free(form->mass);
    dfl_csc_clear(&form->W, ctx);
    dfl_csc_clear(&form->both, ctx);
    dfl_csc_clear(&form->M, ctx);
    dfl_csc_clear(&form->no_rows, ctx);
    dfl_free(ctx, form->metric);
    dfl_free(ctx, form->twice);
    dfl_free(ctx, form->balance);
    dfl_free(ctx, form->W_ref);
    dfl_free(ctx, form->W_before);
    dfl_free(ctx, form->vel_of_W);
    dfl_free(ctx, form->zeros);
    dfl_free(ctx, form->choice.left_out);
    dfl_free(ctx, form->choice.seen);
    dfl_free(ctx, form->choice.work);
    dfl_free(ctx, form->allowed);
    dfl_least_rows_free(form->least);
    for (int k = 0; k < DFL_GRADINGS; k++)
        dfl_free(ctx, form->grading[k]);
}

/* A pattern, `times` times side by side. */
static dfl_status copy_pattern(dfl_csc *out, dfl_context *ctx, const dfl_pattern *pattern, int rows,
                               int columns, int times)
{
    const size_t entries = dfl_pattern_entries(pattern, columns);
    *out = (dfl_csc){.rows = rows, .columns = times * columns};
    out->start = dfl_alloc(ctx, (size_t)(times * columns) + 1, sizeof(int));
    out->row = dfl_alloc(ctx, (size_t)times * entries + 1, sizeof(int));
    if (!out->start || !out->row)
        return DFL_NO_MEMORY;
    for (int k = 0; k < times; k++) {
        for (int j = 0; j <= columns; j++)
            out->start[k * columns + j] = k * (int)entries + pattern->column_start[j];
        memcpy(out->row + (size_t)k * entries, pattern->row, entries * sizeof(int));
    }
    return DFL_OK;
}

static void find_W_in_jacobian(dfl_sparse_form *form)
{
    const dfl_sparsity *s = form->base.sys->packed;
    for (int j = 0; j < form->base.sys->n3; j++) {
        int k = s->vel.column_start[j];
        const int end = s->vel.column_start[j + 1];
        for (int i = s->W.column_start[j]; i < s->W.column_start[j + 1]; i++) {
            while (k < end && s->vel.row[k] < s->W.row[i])
                k++;
            form->vel_of_W[i] = k < end && s->vel.row[k] == s->W.row[i] ? k : -1;
        }
    }
}

void dfl_sparse_set_metric(dfl_sparse_form *form)
{
    const dfl_system *sys = form->base.sys;
    const double *unit = dfl_system_units(sys, sys->at.v);
    for (int j = 0; j < sys->n3; j++)
        form->metric[j] = unit ? 1 / (unit[j] * unit[j]) : 1;
}

/* The LDL^T for W; rows that are not dropped take part if they are farther than `tolerance`. */
static void split(dfl_sparse_form *form, const double *W, double tolerance)
{
    dfl_sparse_set_metric(form);
    dfl_saddle_ldl_factor(form->split, form->metric, W, tolerance, form->dropped);
}

bool dfl_sparse_ranks_watch(dfl_sparse_form *form)
{
    dfl_formulation *base = &form->base;
    for (int k = 0; k < form->W.start[form->W.columns]; k++)
        form->W_ref[k] = form->vel_of_W[k] >= 0 ? form->jac.blocks.vel[form->vel_of_W[k]] : 0;
    split(form, form->W_ref, 0);
    if (base->defect > 0 && dfl_saddle_ldl_smallest(form->split) < 1e-2 &&
        !dfl_sparse_choose_anew(form))
        split(form, form->W_ref, 0);
    base->weakest = dfl_saddle_ldl_smallest(form->split);
    return dfl_saddle_ldl_rank(form->split) == base->rank2 &&
           (base->rank2 == 0 || base->weakest > 1e-7);
}

static int rank_found(const dfl_formulation *base)
{
    return dfl_saddle_ldl_rank(((const dfl_sparse_form *)base)->split);
}

static int rank_at(dfl_formulation *base, const dfl_point *point)
{
    dfl_sparse_form *form = (dfl_sparse_form *)base;
    dfl_point *other = &form->scratch;
    other->t = point->t;
    memcpy(other->x, point->x, (size_t)base->sys->n * sizeof *other->x);
    if (dfl_system_eval_blocks(base->sys, other, DFL_DIRECTIONS))
        return -1;
    dfl_sparse_set_metric(form);
    const double allowed = dfl_largest_misfit(&base->options->constraints, base->sys->nc);
    dfl_saddle_ldl_factor(form->split, form->metric, other->blocks.W,
                          fmax(redundant_nearby, 3 * allowed), NULL);
    return dfl_saddle_ldl_rank(form->split);
}

static bool decompose(dfl_formulation *base, const dfl_point *point)
{
    dfl_sparse_form *form = (dfl_sparse_form *)base;
    split(form, point->blocks.W, 0);
    base->weakest = dfl_saddle_ldl_smallest(form->split);
    return dfl_saddle_ldl_rank(form->split) == base->rank2;
}

static double weakness(dfl_formulation *base, const dfl_point *point)
{
    dfl_sparse_form *form = (dfl_sparse_form *)base;
    split(form, point->blocks.W, 0);
    return dfl_saddle_ldl_smallest(form->split);
}

/* The largest change of a row relative to its length. */
static double drift(dfl_formulation *base, const dfl_point *point)
{
    dfl_sparse_form *form = (dfl_sparse_form *)base;
    const int nc = base->sys->nc;
    double *length = form->twice, *change = length + nc, largest = 0;
    memset(length, 0, 2 * (size_t)nc * sizeof *length);
    for (int j = 0; j < form->W.columns; j++)
        for (int k = form->W.start[j]; k < form->W.start[j + 1]; k++) {
            const double w = form->W_ref[k], dw = point->blocks.W[k] - w;
            length[form->W.row[k]] += w * w / form->metric[j];
            change[form->W.row[k]] += dw * dw / form->metric[j];
        }
    for (int i = 0; i < nc; i++)
        largest = fmax(largest, change[i] > 0 ? change[i] / length[i] : 0);
    return sqrt(largest);
}

/* The rows at most ten times as far from others as the nearest one, at the last decomposition. */
static void weak_rows(char *text, size_t size, dfl_formulation *base)
{
    const dfl_sparse_form *form = (const dfl_sparse_form *)base;
    const dfl_eom *eom = base->sys->eom;
    double nearest = 1;
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < base->sys->nc; i++)
        nearest =
            form->dropped[i] ? nearest : fmin(nearest, dfl_saddle_ldl_distance(form->split, i));
    for (int i = 0; i < base->sys->nc; i++) {
        char name[64];
        if (form->dropped[i] || dfl_saddle_ldl_distance(form->split, i) > fmax(10 * nearest, 1e-2))
            continue;
        dfl_eom_name(name, sizeof name, eom, i < eom->nl ? DFL_ROW_G : DFL_ROW_HV,
                     i < eom->nl ? i : i - eom->nl);
        if (used + strlen(name) + 8 >= size) {
            snprintf(text + used, size - used, ", ...");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
    }
    if (used == 0)
        snprintf(text, size, "(no single rows)");
}

static bool depends_on_position(const dfl_formulation *base, int j)
{
    const dfl_eom *eom = base->sys->eom;
    const dfl_pattern *p = &base->sys->packed->pos;
    bool found = false;
    for (int k = p->column_start[eom->ns + j]; k < p->column_start[eom->ns + j + 1]; k++)
        found = found || p->row[k] < eom->ns + eom->nl;
    return found;
}

static bool solve_accelerations(double *a, dfl_formulation *base, const dfl_point *point)
{
    dfl_sparse_form *form = (dfl_sparse_form *)base;
    dfl_system *sys = base->sys;
    const int nv = sys->n3;
    const double *M = sys->mass.constant ? sys->mass.M : point->M;
    memset(form->rate, 0, (size_t)nv * sizeof *form->rate);
    if (dfl_system_dynamics(a, sys, point, form->rate))
        return false;
    if (sys->mass.diagonal) {
        bool positive = true;
        for (int i = 0; i < nv; i++) {
            positive = positive && M[i] > 0;
            a[i] /= M[i];
        }
        return positive;
    }
    double unused = 0;
    if (!dfl_saddle_ldl_factor(form->mass, M, &unused, 0, NULL))
        return false;
    dfl_saddle_ldl_solve(a, &unused, form->mass);
    return true;
}

const dfl_constraint_class dfl_sparse_constraints = {
    .ranks = dfl_sparse_ranks,
    .rank_at = rank_at,
    .rank_found = rank_found,
    .decompose = decompose,
    .weakness = weakness,
    .drift = drift,
    .flips = dfl_sparse_flips,
    .weak_rows = weak_rows,
    .violated_row = dfl_sparse_violated_row,
    .depends_on_position = depends_on_position,
    .forces_determined = dfl_sparse_forces_determined,
    .least_multipliers = dfl_sparse_least_multipliers,
    .solve_accelerations = solve_accelerations};
