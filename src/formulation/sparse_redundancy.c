/* Redundant constraints with sparse matrices: which rows are left out, whether their multipliers
   matter, multipliers of minimum norm.

   Nonholonomic rows are left out before holonomic ones, which hold positions as well; rows that
   joints allow to be apart before others. Rows left out keep their multipliers while a step is
   solved, since the others answer for them; stages and states are then moved to minimum norm. */
#include "formulation/sparse_form.h"

#include "context/context.h"

#include <math.h>
#include <string.h>

/* Rows nearer to others than this part of their length are redundant: their squares are rounding.
 */
static const double redundant = 3e-6;

/* Redundant rows at a larger distance may also be independent. */
static const double doubtful = 1e-7;

/* Whether the sparse form can tell that the rows are redundant. */
static dfl_status judge(const dfl_sparse_form *form, double t)
{
    const dfl_formulation *base = &form->base;
    const double allowed = dfl_largest_misfit(&base->options->constraints, base->sys->nc);
    if (form->undetermined == 0 || base->misfit <= fmax(doubtful, allowed))
        return DFL_OK;
    base->sys->trouble.part = DFL_FAILURE_VELOCITY;
    return dfl_fail(base->sys->ctx, DFL_SINGULAR,
                    "redundant constraints (rank %d of %d at t = %g) are only nearly dependent, "
                    "which sparse matrices cannot tell; use dense matrices (linear = dense), or "
                    "remove the redundant constraints",
                    base->rank2, base->sys->nc, t);
}

/* Takes the choice; tells rows that are switched off, which are empty, from redundant ones, and
   counts these. */
static void take_choice(dfl_sparse_form *form)
{
    form->undetermined = 0;
    for (int i = 0; i < form->base.sys->nc; i++) {
        const int why = dfl_saddle_ldl_is_empty(form->split, i) ? DFL_ROW_OFF : DFL_ROW_REDUNDANT;
        form->dropped[i] = (unsigned char)(form->choice.left_out[i] ? why : 0);
        form->undetermined += form->dropped[i] == DFL_ROW_REDUNDANT;
    }
}

dfl_status dfl_sparse_ranks(dfl_formulation *base, const dfl_point *point, const double *sizes)
{
    dfl_sparse_form *form = (dfl_sparse_form *)base;
    dfl_system *sys = base->sys;
    dfl_row_choice *choice = &form->choice;
    int holonomic = 0;
    (void)sizes; /* distances are relative to the lengths of rows */
    for (int i = 0; i < sys->nc; i++)
        form->allowed[i] = dfl_allowed_misfit(&base->options->constraints, i);
    dfl_sparse_set_metric(form);
    choice->value = point->blocks.W;
    choice->zero = redundant;
    choice->allowed = form->allowed;
    dfl_saddle_ldl_choose(choice, form->split);
    take_choice(form);
    for (int i = 0; i < sys->eom->nl; i++)
        holonomic += !form->dropped[i];
    base->rank2 = dfl_saddle_ldl_rank(form->split);
    base->rank3 = sys->eom->ns + holonomic + sys->eom->nep;
    base->defect = sys->nc - base->rank2;
    base->misfit = choice->misfit;
    base->weakest = dfl_saddle_ldl_smallest(form->split);
    sys->stats->rank_position = holonomic;
    sys->stats->rank_velocity = base->rank2;
    dfl_status status = judge(form, point->t);
    if (!status && !form->alone && dfl_unconstrained_suits(sys))
        status = dfl_unconstrained_create(&form->alone, form);
    if (!status && !form->alone && !form->condensed && !dfl_condensed_obstacle(sys))
        status = dfl_condensed_create(&form->condensed, form);
    base->pivoting = dfl_condensed_obstacle(sys);
    if (form->alone || form->condensed)
        base->pivoting = NULL;
    else if (!base->pivoting)
        base->pivoting = "velocities without mass that joints do not determine";
    if (!status && form->undetermined > 0 && !form->least)
        status = dfl_least_rows_create(&form->least, sys->ctx, &form->W, sys->packed->uncounted);
    return status ? status : dfl_sparse_matrix_renew(form);
}

bool dfl_sparse_choose_anew(dfl_sparse_form *form)
{
    dfl_formulation *base = &form->base;
    dfl_row_choice *choice = &form->choice;
    if (form->undetermined == 0)
        return false;
    choice->value = form->W_ref;
    choice->allowed = NULL;
    for (choice->zero = 0.1; choice->zero > 1e-3; choice->zero *= 0.3) {
        dfl_saddle_ldl_choose(choice, form->split);
        if (dfl_saddle_ldl_rank(form->split) != base->rank2)
            continue;
        take_choice(form);
        return dfl_sparse_matrix_renew(form) == DFL_OK;
    }
    return false;
}

/* ------------------------------------------------------------------------ multipliers */

/* l (nc) := those of minimum norm with the same force, by the factors that form->least has. */
static void reduce(double *l, dfl_sparse_form *form, const double *W)
{
    double *force = form->rate; /* n >= nv */
    memset(force, 0, (size_t)form->W.columns * sizeof *force);
    dfl_csc_add_transposed(force, form->W.start, form->W.row, form->W.columns, W, 1, l);
    dfl_least_rows_solve(l, form->least, force);
}

dfl_outcome dfl_sparse_least_multipliers(dfl_point *point, dfl_formulation *base)
{
    dfl_sparse_form *form = (dfl_sparse_form *)base;
    if (form->undetermined == 0)
        return DFL_STEP_OK;
    dfl_sparse_set_metric(form);
    if (dfl_least_rows_factor(form->least, form->metric, point->blocks.W))
        reduce(point->x + base->sys->at.l, form, point->blocks.W);
    return DFL_STEP_OK;
}

void dfl_sparse_minimum_norm(double *X, const dfl_formulation *base)
{
    dfl_sparse_form *form = (dfl_sparse_form *)base;
    const int nc = base->sys->nc, first = base->sys->at.l, width = base->width;
    double *l = form->choice.work; /* free between choices */
    if (form->undetermined == 0 || !dfl_least_rows_factor(form->least, form->metric, form->W_ref))
        return;
    for (int k = 0; k < width; k++) {
        for (int i = 0; i < nc; i++)
            l[i] = X[(first + i) * width + k];
        reduce(l, form, form->W_ref);
        for (int i = 0; i < nc; i++)
            X[(first + i) * width + k] = l[i];
    }
}

/* Forces do not change with multipliers along the kernel of W^T: two vectors without symmetry stand
   for all. */
bool dfl_sparse_forces_determined(dfl_formulation *base, const dfl_point *point)
{
    enum { TRIES = 2 };
    dfl_sparse_form *form = (dfl_sparse_form *)base;
    dfl_system *sys = base->sys;
    dfl_point *other = &form->scratch;
    if (form->undetermined == 0 || sys->eom->forces_free_of_multipliers)
        return true;
    const double size = fmax(1, dfl_max_abs(point->x + sys->at.l, sys->nc));
    dfl_sparse_set_metric(form);
    if (!dfl_least_rows_factor(form->least, form->metric, point->blocks.W))
        return true;
    for (int k = 0; k < TRIES; k++) {
        double *l = other->x + sys->at.l, *trial = form->choice.work, force = size, change = 0;
        other->t = point->t;
        memcpy(other->x, point->x, (size_t)sys->n * sizeof *l);
        for (int i = 0; i < sys->nc; i++)
            l[i] = trial[i] = 0.5 * size * dfl_generic(k, i);
        reduce(l, form, point->blocks.W);
        for (int i = 0; i < sys->nc; i++) /* trial - l lies in the kernel */
            l[i] = point->x[sys->at.l + i] + trial[i] - l[i];
        sys->stats->evaluations--;
        sys->stats->check_evaluations++;
        if (dfl_system_eval_blocks(sys, other, DFL_FORCE | DFL_DIRECTIONS))
            return true;
        for (int j = 0; j < sys->n3; j++) {
            force = fmax(force, fabs(point->blocks.f[j]));
            change = fmax(change, fabs(other->blocks.f[j] - point->blocks.f[j]));
        }
        if (change > 1e-8 * force)
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------------ what was left out */

/* |G| 1/weight, row by row, with the derivatives of the last matrix. */
static int violated_position(const dfl_sparse_form *form, const dfl_point *point,
                             const double *weight)
{
    const dfl_system *sys = form->base.sys;
    const dfl_pattern *p = &sys->packed->pos;
    double *allowed = form->twice, least = 0, largest = 0;
    memset(allowed, 0, (size_t)sys->nc * sizeof *allowed);
    for (int j = 0; j < sys->n4; j++)
        for (int k = p->column_start[j]; k < p->column_start[j + 1]; k++) {
            const double slope = fabs(form->jac.blocks.pos[k]),
                         part = slope / weight[sys->at.sp + j];
            if (p->row[k] >= sys->eom->ns && p->row[k] < sys->eom->ns + sys->eom->nl)
                allowed[p->row[k] - sys->eom->ns] += part;
            least = fmax(least, 1e-3 * part);
            largest = fmax(largest, slope);
        }
    for (int i = 0; i < sys->eom->nl; i++)
        if (form->dropped[i] == DFL_ROW_REDUNDANT &&
            fabs(point->blocks.g[i]) > allowed[i] + least + 10 * form->allowed[i] * largest)
            return i;
    return -1;
}

/* The same with W for rows hv. */
static int violated_velocity(const dfl_sparse_form *form, const dfl_point *point,
                             const double *weight)
{
    const dfl_system *sys = form->base.sys;
    const int nl = sys->eom->nl;
    double *allowed = form->twice;
    memset(allowed, 0, (size_t)sys->nc * sizeof *allowed);
    for (int j = 0; j < form->W.columns; j++)
        for (int k = form->W.start[j]; k < form->W.start[j + 1]; k++)
            allowed[form->W.row[k]] += 10 * fabs(point->blocks.W[k]) / weight[sys->at.v + j];
    for (int i = nl; i < sys->nc; i++)
        if (form->dropped[i] == DFL_ROW_REDUNDANT && fabs(point->blocks.hv[i - nl]) > allowed[i])
            return i;
    return -1;
}

int dfl_sparse_violated_row(const dfl_formulation *base, const dfl_point *point,
                            const double *weight)
{
    const dfl_sparse_form *form = (const dfl_sparse_form *)base;
    const int row = violated_position(form, point, weight);
    return row < 0 ? violated_velocity(form, point, weight) : row;
}
