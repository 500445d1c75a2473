/* trouble.c: what went wrong at a point, with the names of rows and callbacks. */
#include "eom/eom_internal.h"
#include "linalg/linalg.h"

#include <math.h>
#include <stdio.h>

static bool name_nonfinite(dfl_system *sys, const dfl_point *point);
static bool name_entry(dfl_system *sys, const char *matrix, dfl_kind kind, const double *entry,
                       int rows, int columns);

dfl_outcome dfl_system_trouble(dfl_system *sys, dfl_outcome outcome, const char *callback, double t)
{
    const bool called =
        outcome == DFL_STEP_RETRY || outcome == DFL_STEP_STOP || outcome == DFL_STEP_NONFINITE;
    if (called && sys->eom->failed)
        callback = sys->eom->failed;
    sys->trouble = (dfl_trouble){.outcome = outcome, .callback = callback, .t = t};
    return outcome;
}

dfl_outcome dfl_system_returned(dfl_system *sys, int rc, const char *callback, double t)
{
    if (rc < 0 && !sys->stopped)
        sys->stopped = sys->eom->failed ? sys->eom->failed : callback;
    return dfl_system_trouble(sys, rc > 0 ? DFL_STEP_RETRY : DFL_STEP_STOP, callback, t);
}

dfl_outcome dfl_system_part_trouble(dfl_system *sys, dfl_outcome outcome, dfl_failure part,
                                    double t)
{
    static const char *const name[] = {
        [DFL_FAILURE_POSITION] = "the position constraints",
        [DFL_FAILURE_VELOCITY] = "the velocity constraints",
        [DFL_FAILURE_MULTIPLIERS] =
            "the matrix of accelerations, multipliers and auxiliary variables",
        [DFL_FAILURE_NEWTON_MATRIX] = "the Newton matrix"};
    dfl_system_trouble(sys, outcome, name[part], t);
    sys->trouble.part = part;
    return outcome;
}

const char *dfl_system_mass_callback(const dfl_eom *eom)
{
    return eom->mass         ? "mass"
           : eom->mass_times ? "mass_times"
           : eom->residual   ? "residual"
                             : "eval";
}

dfl_outcome dfl_system_check_finite(dfl_system *sys, const dfl_point *point)
{
    const int ma = sys->m1 + sys->m2 + sys->m3;
    const int entries = (int)dfl_system_mass_entries(sys);
    const bool mass = dfl_system_mass_at_points(sys); /* in psi1 no row contains it */
    if (dfl_all_finite(point->alg, ma) && dfl_all_finite(point->dif, sys->mdif) &&
        dfl_all_finite(point->M, mass ? entries : 0))
        return DFL_STEP_OK;
    dfl_outcome outcome = dfl_system_trouble(sys, DFL_STEP_NONFINITE, "eval", point->t);
    if (name_nonfinite(sys, point))
        return outcome;
    for (int i = ma - 1; i >= 0; i--)
        if (!isfinite(point->alg[i]))
            sys->trouble.kind = dfl_system_alg_kind(sys, i, &sys->trouble.index);
    return outcome;
}

dfl_outcome dfl_system_dynamics_trouble(const double *y, dfl_system *sys, const dfl_point *point)
{
    const dfl_outcome outcome = dfl_system_trouble(sys, DFL_STEP_NONFINITE, "eval", point->t);
    if (!name_nonfinite(sys, point) && name_entry(sys, NULL, DFL_ROW_F, y, sys->n3, 1) &&
        !sys->eom->failed)
        sys->trouble.callback =
            sys->eom->residual ? "residual" : dfl_system_mass_callback(sys->eom);
    return outcome;
}

/* Of packed matrices, entries tell their row by the pattern. */
static bool name_packed(dfl_system *sys, const dfl_point *point)
{
    const dfl_eom *eom = sys->eom;
    const dfl_blocks *b = &point->blocks;
    for (size_t k = 0; k < dfl_system_W_entries(sys); k++)
        if (!isfinite(b->W[k])) {
            const int row = sys->packed->W.row[k];
            sys->trouble.matrix = "W";
            sys->trouble.kind = row < eom->nl ? DFL_ROW_GI : DFL_ROW_HV;
            sys->trouble.index = row < eom->nl ? row : row - eom->nl;
            return true;
        }
    for (size_t k = 0; k < dfl_system_K0_entries(sys); k++)
        if (!isfinite(b->K0[k])) {
            sys->trouble.matrix = "K0";
            sys->trouble.kind = DFL_ROW_F;
            sys->trouble.index = sys->packed->K0.row[k];
            return true;
        }
    return name_entry(sys, NULL, DFL_ROW_B, b->b, eom->nr, 1) ||
           name_entry(sys, NULL, DFL_ROW_F, b->f, eom->nv, 1) ||
           name_entry(sys, NULL, DFL_ROW_KIN, b->kin, eom->np, 1);
}

/* Names what is not finite at a point: matrices first, since rows contain them. */
static bool name_nonfinite(dfl_system *sys, const dfl_point *point)
{
    const dfl_eom *eom = sys->eom;
    const dfl_blocks *b = &point->blocks;
    const int nl = eom->nl;
    dfl_trouble *trouble = &sys->trouble;
    if (sys->packed)
        return name_packed(sys, point);
    if (!sys->geoms && name_entry(sys, "W", DFL_ROW_GI, b->W, sys->nc, eom->nv)) {
        if (trouble->index >= nl)
            trouble->kind = DFL_ROW_HV, trouble->index -= nl;
        return true;
    }
    if (!sys->geoms && name_entry(sys, "K0", DFL_ROW_F, b->K0, eom->nv, eom->n0))
        return true;
    if (name_entry(sys, NULL, DFL_ROW_B, b->b, eom->nr, 1) ||
        name_entry(sys, NULL, DFL_ROW_F, b->f, eom->residual ? 0 : eom->nv, 1) ||
        name_entry(sys, NULL, DFL_ROW_KIN, b->kin, eom->np, 1))
        return true;
    if (dfl_system_mass_at_points(sys) &&
        name_entry(sys, "M", DFL_ROW_F, point->M, eom->nv, eom->mass_diagonal ? 1 : eom->nv)) {
        if (!eom->failed)
            trouble->callback = "mass";
        return true;
    }
    return false;
}

/* Looks for a non-finite entry and, if there is one, names its row in the trouble. */
static bool name_entry(dfl_system *sys, const char *matrix, dfl_kind kind, const double *entry,
                       int rows, int columns)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            if (!isfinite(entry[j * rows + i])) {
                sys->trouble.matrix = matrix;
                sys->trouble.kind = kind;
                sys->trouble.index = i;
                return true;
            }
    return false;
}

void dfl_system_trouble_name(char *text, size_t size, const dfl_system *sys)
{
    const dfl_trouble *trouble = &sys->trouble;
    char row[64];
    dfl_eom_name(row, sizeof row, sys->eom, trouble->kind, trouble->index);
    if (trouble->matrix)
        snprintf(text, size, "%s, row %s", trouble->matrix, row);
    else
        snprintf(text, size, "%s", row);
}

dfl_kind dfl_system_alg_kind(const dfl_system *sys, int row, int *index)
{
    const dfl_eom *eom = sys->eom;
    const int psf = !sys->psi1;
    const struct {
        int size;
        dfl_kind kind;
    } part[] = {{sys->carried ? eom->nv : 0, DFL_ROW_F},
                {sys->carried ? eom->n0 : 0, DFL_ROW_GAM},
                {eom->nw, DFL_ROW_D},
                {psf * eom->nl, DFL_ROW_GII},
                {psf * eom->nm, DFL_ROW_HI},
                {eom->nl, DFL_ROW_GI},
                {eom->nm, DFL_ROW_HV},
                {eom->n0, DFL_ROW_GAM},
                {eom->ne, DFL_ROW_E},
                {eom->ns, DFL_ROW_C},
                {eom->nl, DFL_ROW_G},
                {eom->nep, DFL_ROW_EP}};
    size_t k = 0;
    while (k + 1 < sizeof part / sizeof *part && row >= part[k].size)
        row -= part[k++].size;
    *index = row;
    return part[k].kind;
}

dfl_kind dfl_system_variable_kind(const dfl_system *sys, int column, int *index)
{
    const dfl_eom *eom = sys->eom;
    const int size[] = {eom->nw, eom->nl, eom->nm, eom->nr, eom->nv, eom->ns, eom->np};
    int k = 0;
    column -= sys->na;
    while (k < 6 && column >= size[k])
        column -= size[k++];
    *index = column;
    return (dfl_kind)(DFL_KIND_W + k);
}
