/* tree_rows.c: the rows of the loops of a tree of bodies, and their derivatives. */
#include "derive/tree_state_internal.h"

#include <string.h>

static void put_rows(double *out, const dfl_tree_state *s, const double *values);
static void put_columns(double *out, int ld, const dfl_tree_state *s, const double *from,
                        int columns, const int *place, int first);
static void put_by_p(double *out, int ld, int first, dfl_tree_state *s, const double *by_q);

void dfl_tree_state_move(dfl_tree_state *s)
{
    dfl_tree_poses(s->parts.tree);
    dfl_tree_velocities(s->parts.tree, s->v);
}

void dfl_tree_state_rows(dfl_blocks *out, dfl_tree_state *s, unsigned need)
{
    const dfl_equations *eq = s->eq;
    const int rows = s->description->nrows;
    if (rows == 0 || !(need & (DFL_POSITION | DFL_VELOCITY | DFL_DIRECTIONS | DFL_BIAS)))
        return;
    dfl_tree_poses(s->parts.tree);
    if (need & (DFL_VELOCITY | DFL_BIAS))
        dfl_tree_velocities(s->parts.tree, s->v);
    if (need & DFL_POSITION) {
        dfl_loops_position(s->values_of_rows, s->parts.loops, s->p);
        put_rows(out->g, s, s->values_of_rows);
    }
    if (need & DFL_VELOCITY) {
        dfl_loops_velocity(s->values_of_rows, s->parts.loops, s->v);
        put_rows(out->gI, s, s->values_of_rows);
    }
    if (need & DFL_BIAS) {
        dfl_loops_bias(s->values_of_rows, s->parts.loops);
        put_rows(out->bias, s, s->values_of_rows);
    }
    if (need & DFL_DIRECTIONS) {
        dfl_loops_directions(s->W, rows, s->parts.loops);
        put_columns(out->W, eq->nl + eq->nm, s, s->W, s->description->nv, s->v_of, s->first_v);
    }
}

static void put_rows(double *out, const dfl_tree_state *s, const double *values)
{
    for (int k = 0; k < s->description->nrows; k++)
        if (s->row_of[k] >= 0)
            out[s->row_of[k]] = values[k];
}

/* Column j of `from` (rows of the loops) becomes column place[j] - first of `out`. */
static void put_columns(double *out, int ld, const dfl_tree_state *s, const double *from,
                        int columns, const int *place, int first)
{
    for (int j = 0; j < columns; j++)
        put_rows(out + (long)(place[j] - first) * ld, s, from + (long)j * s->description->nrows);
}

/* Derivatives along velocities, as derivatives by p. */
static void put_by_p(double *out, int ld, int first, dfl_tree_state *s, const double *by_q)
{
    const int rows = s->description->nrows, np = s->description->np;
    memset(s->rows_by_p, 0, (size_t)rows * (size_t)np * sizeof *s->rows_by_p);
    dfl_tree_chain(s->rows_by_p, rows, s->parts.tree, by_q, rows, rows, s->p);
    put_columns(out, ld, s, s->rows_by_p, np, s->p_of, first);
}

void dfl_tree_state_row_forces(double *dyn, dfl_tree_state *s, const double *l)
{
    const int rows = s->description->nrows, nv = s->description->nv;
    for (int k = 0; k < rows; k++)
        s->l[k] = s->row_of[k] >= 0 ? -l[s->row_of[k]] : 0.0;
    dfl_loops_derive_forces(s->Tq, s->parts.loops, s->parts.derivatives, s->l);
    dfl_loops_directions(s->W, rows, s->parts.loops);
    for (int k = 0; k < rows; k++) {
        if (s->row_of[k] < 0)
            continue;
        double *column = dyn + (long)(s->eq->nw + s->row_of[k]) * s->eq->nv;
        for (int j = 0; j < nv; j++)
            column[s->v_of[j] - s->first_v] -= s->W[k + (long)j * rows];
    }
}

void dfl_tree_state_row_slopes(dfl_jacobian *out, dfl_tree_state *s)
{
    const dfl_equations *eq = s->eq;
    const int nv = s->description->nv, rows = s->description->nrows;
    const int nc = eq->nl + eq->nm, vel = nc + eq->ne;
    if (rows == 0)
        return;
    dfl_loops_derive(s->gIq, s->gIIq, s->gIIv, rows, s->parts.loops, s->parts.derivatives);
    put_columns(out->acc, nc, s, s->gIIv, nv, s->v_of, 0);
    put_by_p(out->acc, nc, 0, s, s->gIIq);
    put_columns(out->vel, vel, s, s->W, nv, s->v_of, s->first_v);
    put_by_p(out->vel, vel, s->first_v, s, s->gIq);
    put_by_p(out->pos + eq->ns, eq->ns + eq->nl + eq->nep, eq->n - eq->np - eq->ns, s, s->W);
}

/* dyn -= factor W^T l, acc += factor (W a + bias), and gI, g */
static void add_loop_rows(dfl_jacobian *column, double factor, dfl_tree_state *s, const double *l)
{
    const int rows = s->description->nrows, nv = s->description->nv, ns = s->eq->ns;
    double *value = s->values_of_rows;
    dfl_loops_directions(s->W, rows, s->parts.loops);
    dfl_loops_bias(value, s->parts.loops);
    for (int k = 0; k < rows; k++) {
        const int row = s->row_of[k];
        for (int j = 0; row >= 0 && j < nv; j++) {
            const double W = s->W[k + (long)j * rows];
            value[k] += W * s->a[j];
            column->dyn[s->v_of[j] - s->first_v] -= factor * W * l[row];
        }
        if (row >= 0)
            column->acc[row] += factor * value[k];
    }
    dfl_loops_velocity(value, s->parts.loops, s->v);
    for (int k = 0; k < rows; k++)
        if (s->row_of[k] >= 0)
            column->vel[s->row_of[k]] += factor * value[k];
    dfl_loops_position(value, s->parts.loops, s->p);
    for (int k = 0; k < rows; k++)
        if (s->row_of[k] >= 0)
            column->pos[ns + s->row_of[k]] += factor * value[k];
}

void dfl_tree_state_add_rows(dfl_jacobian *column, double factor, dfl_tree_state *s,
                             const double *a, const double *l)
{
    const int nv = s->description->nv;
    for (int k = 0; k < nv; k++)
        s->a[k] = a[s->v_of[k] - s->first_v];
    dfl_tree_state_inverse(s);
    for (int k = 0; k < nv; k++)
        column->dyn[s->v_of[k] - s->first_v] -= factor * s->tau[k];
    if (s->description->nrows == 0)
        return;
    dfl_tree_state_move(s);
    add_loop_rows(column, factor, s, l);
}

void dfl_tree_state_position_slopes(double *pos, dfl_tree_state *s)
{
    const dfl_equations *eq = s->eq;
    const int rows = s->description->nrows;
    if (rows == 0)
        return;
    dfl_tree_poses(s->parts.tree);
    dfl_loops_directions(s->W, rows, s->parts.loops);
    put_by_p(pos + eq->ns, eq->ns + eq->nl, eq->n - eq->np - eq->ns, s, s->W);
}
