/* fe_check.c: whether nodes, unknowns and matrices of finite elements belong together: symmetric
   matrices, masses that are positive and alike in all directions, a body that can move freely. */
#include "elastic/reduction_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static dfl_status sort_nodes(dfl_fe *fe);
static dfl_status default_unknowns(dfl_fe *fe);
static dfl_status check_unknowns(const dfl_fe *fe);
static dfl_status merge(dfl_fe *fe, dfl_fe_matrix which);
static dfl_status check_diagonal(const dfl_fe *fe, dfl_fe_matrix which);
static dfl_status check_rigid(const dfl_fe *fe);

dfl_status dfl_fe_complete(dfl_fe *fe)
{
    dfl_status status = sort_nodes(fe);
    if (!status && !fe->node)
        status = default_unknowns(fe);
    if (!status)
        status = check_unknowns(fe);
    for (int which = 0; which < DFL_FE_MATRICES && !status; which++) {
        status = merge(fe, (dfl_fe_matrix)which);
        if (!status)
            status = check_diagonal(fe, (dfl_fe_matrix)which);
    }
    return status ? status : check_rigid(fe);
}

dfl_status dfl_fe_complete_stiffness(dfl_fe *fe)
{
    dfl_status status = sort_nodes(fe);
    if (!status && !fe->node)
        status = default_unknowns(fe);
    if (!status)
        status = merge(fe, DFL_FE_STIFFNESS);
    return status ? status : check_diagonal(fe, DFL_FE_STIFFNESS);
}

int dfl_fe_find_node(const dfl_fe *fe, int id)
{
    const int guess = fe->nnodes ? id - fe->id[0] : -1; /* mostly they are numbered through */
    if (guess >= 0 && guess < fe->nnodes && fe->id[guess] == id)
        return guess;
    for (int k = 0; k < fe->nnodes; k++)
        if (fe->id[k] == id)
            return k;
    return -1;
}

void dfl_fe_times(double *y, const dfl_fe *fe, dfl_fe_matrix which, const double *x)
{
    memset(y, 0, (size_t)fe->n * sizeof *y);
    for (int k = 0; k < fe->count[which]; k++) {
        const dfl_fe_entry *e = &fe->entry[which][k];
        y[e->row] += e->value * x[e->column];
        if (e->row != e->column)
            y[e->column] += e->value * x[e->row];
    }
}

static int compare_ids(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* No node twice. */
static dfl_status sort_nodes(dfl_fe *fe)
{
    int *ids = dfl_alloc(fe->ctx, (size_t)fe->nnodes, sizeof *ids);
    if (!ids)
        return DFL_NO_MEMORY;
    memcpy(ids, fe->id, (size_t)fe->nnodes * sizeof *ids);
    qsort(ids, (size_t)fe->nnodes, sizeof *ids, compare_ids);
    dfl_status status = DFL_OK;
    for (int k = 1; k < fe->nnodes && !status; k++)
        if (ids[k] == ids[k - 1])
            status = dfl_fail(fe->ctx, DFL_INVALID, "node %d is given twice", ids[k]);
    dfl_free(fe->ctx, ids);
    return status;
}

/* Three unknowns per node, or six if the stiffness is of that order. */
static dfl_status default_unknowns(dfl_fe *fe)
{
    int order = 0;
    for (int k = 0; k < fe->count[DFL_FE_STIFFNESS]; k++)
        order = fe->entry[DFL_FE_STIFFNESS][k].column >= order
                    ? fe->entry[DFL_FE_STIFFNESS][k].column + 1
                    : order;
    const int per = order > 3 * fe->nnodes ? 6 : 3;
    if (fe->nnodes > DFL_MOST_FE_DOFS / per)
        return dfl_fail(fe->ctx, DFL_INVALID, "%d nodes have more than %d unknowns", fe->nnodes,
                        DFL_MOST_FE_DOFS);
    fe->n = per * fe->nnodes;
    fe->node = dfl_alloc(fe->ctx, (size_t)fe->n, sizeof *fe->node);
    fe->direction = dfl_alloc(fe->ctx, (size_t)fe->n, sizeof *fe->direction);
    if (!fe->node || !fe->direction)
        return DFL_NO_MEMORY;
    for (int i = 0; i < fe->n; i++) {
        fe->node[i] = i / per;
        fe->direction[i] = i % per;
    }
    return DFL_OK;
}

/* Each direction of a node is one unknown at most, and a node shifts in all directions or in none.
 */
static dfl_status check_unknowns(const dfl_fe *fe)
{
    unsigned char *has = dfl_alloc(fe->ctx, (size_t)fe->nnodes, 1);
    if (!has)
        return DFL_NO_MEMORY;
    dfl_status status = DFL_OK;
    for (int i = 0; i < fe->n && !status; i++) {
        const unsigned char bit = (unsigned char)(1u << fe->direction[i]);
        if (has[fe->node[i]] & bit)
            status = dfl_fail(fe->ctx, DFL_INVALID,
                              "direction %d of node %d is two unknowns (CalculiX makes solids of "
                              "shells and beams, whose nodes are not in its files: give it solids)",
                              fe->direction[i] + 1, fe->id[fe->node[i]]);
        has[fe->node[i]] |= bit;
    }
    for (int k = 0; k < fe->nnodes && !status; k++)
        if (has[k] && (has[k] & 7) != 7)
            status =
                dfl_fail(fe->ctx, DFL_INVALID,
                         "node %d does not move along x, y and z: the body must be free, without "
                         "supports; joints of the model hold it",
                         fe->id[k]);
    dfl_free(fe->ctx, has);
    return status;
}

static int compare_entries(const void *a, const void *b)
{
    const dfl_fe_entry *x = a, *y = b;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (abs(x->line) > abs(y->line)) - (abs(x->line) < abs(y->line));
}

static dfl_status not_symmetric(const dfl_fe *fe, const char *file, const dfl_fe_entry *e,
                                double other, const dfl_fe_entry *where)
{
    if (where)
        return dfl_fail(fe->ctx, DFL_INVALID,
                        "%s:%d: the matrix is not symmetric: %g here, %g in line %d", file,
                        abs(e->line), e->value, other, abs(where->line));
    return dfl_fail(fe->ctx, DFL_INVALID,
                    "%s:%d: the matrix is not symmetric: %g in row %d and column %d, 0 on the "
                    "other side of the diagonal",
                    file, abs(e->line), e->value, (e->line < 0 ? e->column : e->row) + 1,
                    (e->line < 0 ? e->row : e->column) + 1);
}

/* Adds an entry to the one before it, which has the same row and column. */
static dfl_status join(dfl_fe_entry *last, const dfl_fe_entry *e, const dfl_fe *fe,
                       const char *file, double size)
{
    if (e->line == 0)
        last->value += e->value;
    else if ((last->line < 0) == (e->line < 0))
        return dfl_fail(fe->ctx, DFL_INVALID, "%s:%d: the entry of line %d again", file,
                        abs(e->line), abs(last->line));
    else if (fabs(last->value - e->value) > 1e-9 * size)
        return not_symmetric(fe, file, e, last->value, last);
    return DFL_OK;
}

/* Sorts entries of one triangle, or of both if they agree: where one side of the diagonal is given
   for some pair, and the other one for another pair, missing entries are 0. Entries without lines
   are summed. */
static dfl_status merge(dfl_fe *fe, dfl_fe_matrix which)
{
    dfl_fe_entry *all = fe->entry[which];
    const char *file = fe->file[which] ? fe->file[which] : "matrix";
    const dfl_fe_entry *alone[2] = {NULL, NULL}; /* only above, only below the diagonal */
    const int count = fe->count[which];
    double size = 0.0;
    int kept = 0, pairs = 0;
    dfl_status status = DFL_OK;
    if (count == 0)
        return dfl_fail(fe->ctx, DFL_INVALID, "%s: no entries of the matrix", file);
    qsort(all, (size_t)count, sizeof *all, compare_entries);
    for (int k = 0; k < count; k++)
        size = fmax(size, fabs(all[k].value));
    for (int k = 0, last = -1; k < count && !status; k++) {
        if (all[k].column >= fe->n)
            return dfl_fail(fe->ctx, DFL_INVALID,
                            "%s:%d: row or column %d, but the nodes have %d unknowns", file,
                            abs(all[k].line), all[k].column + 1, fe->n);
        if (kept && all[last].row == all[k].row && all[last].column == all[k].column) {
            status = join(&all[last], &all[k], fe, file, size);
            pairs++;
            continue;
        }
        const bool again =
            k + 1 < count && all[k + 1].row == all[k].row && all[k + 1].column == all[k].column;
        last = kept;
        all[kept++] = all[k];
        if (!again && all[last].row != all[last].column && fabs(all[last].value) > 1e-9 * size)
            alone[all[last].line < 0] = &all[last];
    }
    fe->count[which] = kept;
    const dfl_fe_entry *wrong = alone[1] ? alone[1] : alone[0];
    if (!status && wrong && wrong->line != 0 && (pairs > 0 || (alone[0] && alone[1])))
        status = not_symmetric(fe, file, wrong, 0.0, NULL);
    return status;
}

/* Masses of shifts are positive, stiffnesses not negative. */
static dfl_status check_diagonal(const dfl_fe *fe, dfl_fe_matrix which)
{
    const char *file = fe->file[which] ? fe->file[which] : "matrix";
    double *diagonal = dfl_alloc(fe->ctx, (size_t)fe->n, sizeof *diagonal);
    if (!diagonal)
        return DFL_NO_MEMORY;
    dfl_status status = DFL_OK;
    for (int k = 0; k < fe->count[which]; k++)
        if (fe->entry[which][k].row == fe->entry[which][k].column)
            diagonal[fe->entry[which][k].row] = fe->entry[which][k].value;
    for (int i = 0; i < fe->n && !status; i++) {
        const bool mass = which == DFL_FE_MASS;
        if (!(diagonal[i] >= 0.0) || (diagonal[i] == 0.0 && (!mass || fe->direction[i] < 3)))
            status = dfl_fail(fe->ctx, DFL_INVALID,
                              "%s: the %s of node %d in direction %d is %g; it must be positive",
                              file, mass ? "mass" : "stiffness", fe->id[fe->node[i]],
                              fe->direction[i] + 1, diagonal[i]);
    }
    dfl_free(fe->ctx, diagonal);
    return status;
}

/* Rigid motions need no force; masses along x, y and z are the same. */
static dfl_status check_rigid(const dfl_fe *fe)
{
    double *u = dfl_alloc(fe->ctx, 2 * (size_t)fe->n, sizeof *u), *force = u ? u + fe->n : NULL;
    double mass[3] = {0}, size = 0.0, most[6] = {0}, largest[6] = {0};
    if (!u)
        return DFL_NO_MEMORY;
    for (int k = 0; k < fe->count[DFL_FE_STIFFNESS]; k++)
        size = fmax(size, fabs(fe->entry[DFL_FE_STIFFNESS][k].value));
    for (int a = 0; a < 6; a++) {
        for (int i = 0; i < fe->n; i++) {
            u[i] = dfl_fe_rigid(fe, a, i);
            largest[a] = fmax(largest[a], fabs(u[i]));
        }
        dfl_fe_times(force, fe, DFL_FE_STIFFNESS, u);
        for (int i = 0; i < fe->n; i++)
            most[a] = fmax(most[a], fabs(force[i]));
        if (a >= 3)
            continue;
        dfl_fe_times(force, fe, DFL_FE_MASS, u);
        for (int i = 0; i < fe->n; i++)
            mass[a] += u[i] * force[i];
    }
    dfl_free(fe->ctx, u);
    for (int a = 0; a < 6; a++)
        if (most[a] > 1e-6 * size * largest[a])
            return dfl_fail(
                fe->ctx, DFL_INVALID,
                "%s: the stiffness resists a %s %c of the whole body (%.3g of %.3g): the "
                "body must be free, without supports, and its nodes those of the matrices",
                fe->file[DFL_FE_STIFFNESS] ? fe->file[DFL_FE_STIFFNESS] : "matrix",
                a < 3 ? "shift along" : "turn about", "xyz"[a % 3], most[a], size * largest[a]);
    for (int a = 0; a < 3; a++)
        if (!(mass[a] > 0.0) || fabs(mass[a] - mass[0]) > 1e-6 * mass[0])
            return dfl_fail(
                fe->ctx, DFL_INVALID,
                "%s: the body has the masses %g, %g, %g along x, y, z; they must be the same",
                fe->file[DFL_FE_MASS] ? fe->file[DFL_FE_MASS] : "matrix", mass[0], mass[1],
                mass[2]);
    return DFL_OK;
}

/* Twice the energy of a shift along x. */
double dfl_fe_mass(const dfl_fe *fe)
{
    double mass = 0.0;
    for (int k = 0; k < fe->count[DFL_FE_MASS]; k++) {
        const dfl_fe_entry *e = &fe->entry[DFL_FE_MASS][k];
        if (fe->direction[e->row] == 0 && fe->direction[e->column] == 0)
            mass += (e->row == e->column ? 1.0 : 2.0) * e->value;
    }
    return mass;
}

/* Stiffness of a rigid motion, which is small beside others, but not beside that of the slowest
   mode. */
dfl_status dfl_fe_check_free(const dfl_fe *fe, double slowest)
{
    double *u = dfl_alloc(fe->ctx, 2 * (size_t)fe->n, sizeof *u), *force = u ? u + fe->n : NULL;
    dfl_status status = u ? DFL_OK : DFL_NO_MEMORY;
    for (int a = 0; a < 6 && !status; a++) {
        double twice[DFL_FE_MATRICES] = {0}; /* energies */
        for (int i = 0; i < fe->n; i++)
            u[i] = dfl_fe_rigid(fe, a, i);
        for (int which = 0; which < DFL_FE_MATRICES; which++) {
            dfl_fe_times(force, fe, (dfl_fe_matrix)which, u);
            for (int i = 0; i < fe->n; i++)
                twice[which] += u[i] * force[i];
        }
        if (fabs(twice[DFL_FE_STIFFNESS]) > 1e-3 * slowest * twice[DFL_FE_MASS])
            status = dfl_fail(
                fe->ctx, DFL_INVALID,
                "%s: the stiffness resists a %s %c of the whole body (%.3g of its slowest mode): "
                "the body must be free, without supports, and its nodes those of the matrices",
                fe->file[DFL_FE_STIFFNESS] ? fe->file[DFL_FE_STIFFNESS] : "matrix",
                a < 3 ? "shift along" : "turn about", "xyz"[a % 3],
                twice[DFL_FE_STIFFNESS] / (slowest * twice[DFL_FE_MASS]));
    }
    dfl_free(fe->ctx, u);
    return status;
}

/* Shifts along x, y, z and turns about the axes through the origin. */
double dfl_fe_rigid(const dfl_fe *fe, int motion, int unknown)
{
    const int d = fe->direction[unknown], axis = motion % 3;
    const double *r = fe->at + 3 * (size_t)fe->node[unknown];
    if (motion < 3 || d >= 3)
        return d == motion ? 1.0 : 0.0;
    if (d == (axis + 1) % 3) /* e_z x r = (-y, x, 0) */
        return -r[(axis + 2) % 3];
    return d == (axis + 2) % 3 ? r[(axis + 1) % 3] : 0.0;
}
