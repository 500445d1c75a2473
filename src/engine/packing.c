/* packing.c: matrices as nonzeros only, for models that are too large for dense ones. The programs
   write entries in the order of the expressions' lists, which is that of compressed columns. */
#include "engine/engine_internal.h"
#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

const char *dfl_runnable_unpackable(const dfl_equations *eq)
{
    if (eq->model->tree)
        return "its masses are evaluated by a recursion in joint coordinates";
    if (!eq->have_jacobians)
        return "it has no derivatives as expressions";
    if (eq->n0 > 0 && dfl_motion_is_wanted(eq))
        return "it has directions without mass, and outputs or a smooth start need accelerations";
    return NULL;
}

/* The pattern of a list of entries, in memory that `next` points to. */
static dfl_pattern pattern_of(const dfl_sparse *matrix, int columns, int **next)
{
    int *start = *next, *row = start + columns + 1;
    for (int k = 0; k < matrix->count; k++) {
        start[matrix->entry[k].col + 1]++;
        row[k] = matrix->entry[k].row;
    }
    for (int j = 0; j < columns; j++)
        start[j + 1] += start[j];
    *next = row + matrix->count;
    return (dfl_pattern){start, row};
}

dfl_status dfl_packing_create(dfl_runnable *run)
{
    const dfl_equations *eq = run->eq;
    const dfl_sparse *const all[] = {&eq->W,
                                     &eq->M,
                                     &eq->jacobian.d,
                                     &eq->jacobian.acc,
                                     &eq->jacobian.vel,
                                     &eq->jacobian.pos,
                                     &eq->jacobian.b,
                                     &eq->jacobian.dyn,
                                     &eq->jacobian.kin,
                                     &eq->massless.K0,
                                     &eq->jacobian.gam};
    const int vsp = eq->nv + eq->ns + eq->np, n = eq->n;
    const int columns[] = {eq->nv, eq->nv, n, n, vsp, eq->ns + eq->np, n, n, vsp, eq->n0, n};
    enum { ALL = sizeof all / sizeof *all };
    dfl_sparsity *s = &run->sparsity;
    dfl_pattern *const pattern[ALL] = {&s->W, &s->M,   &s->d,   &s->acc, &s->vel, &s->pos,
                                       &s->b, &s->dyn, &s->kin, &s->K0,  &s->gam};
    size_t room = 1;
    for (int i = 0; i < ALL; i++)
        room += (size_t)columns[i] + 1 + (size_t)all[i]->count;
    int *next = run->packing = dfl_alloc(run->ctx, room, sizeof *next);
    if (!next)
        return DFL_NO_MEMORY;
    for (int i = 0; i < ALL; i++)
        *pattern[i] = pattern_of(all[i], columns[i], &next);
    const int nc = eq->nl + eq->nm;
    s->uncounted = run->uncounted = dfl_alloc(run->ctx, (size_t)nc + 1, sizeof *run->uncounted);
    for (int i = 0; run->uncounted && i < nc; i++)
        run->uncounted[i] = dfl_model_owner(eq->model, eq->x[eq->nw + i].symbol)->inner;
    s->following = run->following = dfl_alloc(run->ctx, (size_t)n + 1, sizeof(bool));
    for (int i = n - vsp; run->following && i < n; i++)
        run->following[i] = dfl_model_owner(eq->model, eq->x[i].symbol)->inner;
    if (!run->uncounted || !run->following)
        return DFL_NO_MEMORY;
    if (!eq->flags.trivial_kinematics || eq->nv == 0)
        return DFL_OK;
    run->bodies = dfl_alloc(run->ctx, (size_t)eq->nv, sizeof *run->bodies);
    for (int i = 0; run->bodies && i < eq->nv; i++)
        run->bodies[i] = (dfl_body){i, 1, i, 1};
    run->structure = (dfl_structure){.nbodies = eq->nv, .bodies = run->bodies};
    return run->bodies ? DFL_OK : DFL_NO_MEMORY;
}

bool dfl_runnable_packed(const dfl_runnable *run)
{
    return run->packed;
}

const char *dfl_runnable_matrices(const dfl_runnable *run)
{
    return !run->packed ? "dense" : run->called_tree ? "tree" : "sparse";
}

void dfl_runnable_call_tree(dfl_runnable *run)
{
    run->called_tree = true;
}

/* ------------------------------------------------------------------------ dense copies */

/* dense (rows x columns, zero) := the nonzeros */
static void unpack(double *dense, const dfl_sparse *matrix, int rows, const double *value)
{
    for (int k = 0; k < matrix->count; k++)
        dense[(size_t)matrix->entry[k].col * (size_t)rows + (size_t)matrix->entry[k].row] =
            value[k];
}

dfl_status dfl_unpack_directions(double *W, double *K0, dfl_runnable *run, double t,
                                 const double *x)
{
    const dfl_equations *eq = run->eq;
    const size_t rows = (size_t)eq->W.count, columns = (size_t)eq->massless.K0.count;
    double *value = dfl_alloc(run->ctx, rows + columns + 1, sizeof *value);
    if (!value)
        return DFL_NO_MEMORY;
    run->eom.eval(&(dfl_blocks){.W = value, .K0 = value + rows}, t, x, DFL_DIRECTIONS, run);
    unpack(W, &eq->W, eq->nl + eq->nm, value);
    if (K0)
        unpack(K0, &eq->massless.K0, eq->nv, value + rows);
    dfl_free(run->ctx, value);
    return DFL_OK;
}

dfl_status dfl_state_mass(double *M, dfl_runnable *run, double t, const double *x)
{
    const dfl_equations *eq = run->eq;
    if (!run->packed || eq->flags.mass_diagonal) {
        run->eom.mass(M, t, x, run);
        return DFL_OK;
    }
    double *value = dfl_alloc(run->ctx, (size_t)eq->M.count + 1, sizeof *value);
    if (!value)
        return DFL_NO_MEMORY;
    run->eom.mass(value, t, x, run);
    unpack(M, &eq->M, eq->nv, value);
    dfl_free(run->ctx, value);
    return DFL_OK;
}

dfl_status dfl_unpack_jacobian(double *const *out, dfl_runnable *run, double t, const double *x,
                               const double *a)
{
    const dfl_equations *eq = run->eq;
    const int nc = eq->nl + eq->nm;
    const dfl_sparse *const all[JACOBIAN_BLOCKS] = {
        &eq->jacobian.d,   &eq->jacobian.acc, &eq->jacobian.vel, &eq->jacobian.gam,
        &eq->jacobian.pos, &eq->jacobian.b,   &eq->jacobian.dyn, &eq->jacobian.kin};
    const int rows[JACOBIAN_BLOCKS] = {eq->nw,          nc,     nc + eq->ne, eq->n0,
                                       eq->ns + eq->nl, eq->nr, eq->nv,      eq->np};
    size_t room = 1;
    for (int i = 0; i < JACOBIAN_BLOCKS; i++)
        room += (size_t)all[i]->count;
    double *value = dfl_alloc(run->ctx, room, sizeof *value), *array[JACOBIAN_BLOCKS];
    if (!value)
        return DFL_NO_MEMORY;
    array[0] = value;
    for (int i = 1; i < JACOBIAN_BLOCKS; i++)
        array[i] = array[i - 1] + all[i - 1]->count;
    dfl_jacobian blocks;
    memcpy(&blocks, array, sizeof blocks);
    run->eom.jacobian(&blocks, t, x, a, run);
    for (int i = 0; i < JACOBIAN_BLOCKS; i++)
        unpack(out[i], all[i], rows[i], array[i]);
    dfl_free(run->ctx, value);
    return DFL_OK;
}
