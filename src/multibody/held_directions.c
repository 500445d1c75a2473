/* held_directions.c: massless directions that loops hold.

   With B = W K0 of rank r, pivots in rows R and columns C (chosen once), the directions that no
   loop holds are K0 Y with Y = [-B_RC^-1 B_RF; 1], smooth as long as the pivots are regular. */
#include "multibody/multibody_internal.h"

#include <math.h>
#include <string.h>

/* Entries of W K0 below this part of the largest one of W are zero. */
static const double held_ratio = 1e-9;

static dfl_status allocate(held_directions *held, const dfl_multibody *m);
static bool next_pivot(int *row, int *column, const dfl_multibody *m, double least);
static void clear_column(double *B, int rows, int columns, int row, int column);

dfl_status dfl_multibody_find_held(dfl_multibody *m)
{
    const int nv = m->eom.nv, rows = m->eom.nl, n0 = m->ranks.n0;
    held_directions *held = &m->held;
    if (n0 == 0 || rows == 0)
        return DFL_OK;
    dfl_status status = allocate(held, m);
    if (status)
        return status;
    double largest = 0.0;
    memset(m->tau, 0, (size_t)nv * sizeof *m->tau);
    dfl_multibody_place(m, 0.0, m->p, NULL);
    dfl_multibody_directions(m, m->tau);
    for (int i = 0; i < rows * nv; i++)
        largest = fmax(largest, fabs(m->mat.W[i]));
    while (held->count < rows && held->count < n0) {
        int row, column;
        if (!next_pivot(&row, &column, m, held_ratio * largest))
            break;
        held->row[held->count] = row;
        held->column[held->count++] = column;
        clear_column(m->mat.B, rows, n0, row, column);
    }
    m->eom.n0 = n0 - held->count;
    return held->count > 0 ? dfl_factor_create(&held->factor, m->ctx, held->count, false) : DFL_OK;
}

static dfl_status allocate(held_directions *held, const dfl_multibody *m)
{
    const size_t rows = (size_t)m->eom.nl, n0 = (size_t)m->ranks.n0;
    held->row = dfl_alloc(m->ctx, n0, sizeof(int));
    held->column = dfl_alloc(m->ctx, n0, sizeof(int));
    held->mu = dfl_alloc(m->ctx, rows, sizeof(double));
    held->gam = dfl_alloc(m->ctx, n0, sizeof(double));
    return held->row && held->column && held->mu && held->gam ? DFL_OK : DFL_NO_MEMORY;
}

/* The largest entry of B outside the rows and columns of earlier pivots: each pivot's column is
   massless but held by a loop. */
static bool next_pivot(int *row, int *column, const dfl_multibody *m, double least)
{
    const int rows = m->eom.nl;
    bool found = false;
    for (int i = 0; i < rows * m->ranks.n0; i++) {
        bool used = false;
        for (int k = 0; k < m->held.count; k++)
            used = used || m->held.row[k] == i % rows || m->held.column[k] == i / rows;
        if (used || !(fabs(m->mat.B[i]) > least))
            continue;
        least = fabs(m->mat.B[i]);
        *row = i % rows;
        *column = i / rows;
        found = true;
    }
    return found;
}

/* Divides the pivot row and clears its column elsewhere. */
static void clear_column(double *B, int rows, int columns, int row, int column)
{
    const double pivot = B[row + column * rows];
    for (int c = 0; c < columns; c++)
        B[row + c * rows] /= pivot;
    for (int r = 0; r < rows; r++) {
        const double factor = B[r + column * rows];
        for (int c = 0; c < columns && r != row; c++)
            B[r + c * rows] -= factor * B[row + c * rows];
    }
}

void dfl_multibody_directions(dfl_multibody *m, const double *tau)
{
    const int nv = m->eom.nv, rows = m->eom.nl, n0 = m->ranks.n0;
    dfl_tree_forward(m->a, m->gam, m->tree, m->v, tau);
    m->moving = false;
    dfl_tree_null_space(m->mat.K0, nv, m->tree);
    if (rows == 0)
        return;
    dfl_multibody_pose(m);
    dfl_loops_directions(m->mat.W, rows, m->loops);
    dfl_gemm(rows, n0, nv, 1.0, m->mat.W, rows, m->mat.K0, nv, 0.0, m->mat.B, rows);
}

int dfl_multibody_reduce(double *K0, double *gam, dfl_multibody *m)
{
    const int nv = m->eom.nv, rows = m->eom.nl, n0 = m->ranks.n0;
    int left = 0;
    for (int k = 0; k < m->held.count; k++)
        clear_column(m->mat.B, rows, n0, m->held.row[k], m->held.column[k]);
    for (int c = 0; c < n0; c++) {
        bool held = false;
        for (int k = 0; k < m->held.count; k++)
            held = held || m->held.column[k] == c;
        if (held)
            continue;
        double sum = m->gam[c];
        if (K0)
            memcpy(K0 + (long)left * nv, m->mat.K0 + (long)c * nv, (size_t)nv * sizeof *K0);
        for (int k = 0; k < m->held.count; k++) {
            const double y = -m->mat.B[m->held.row[k] + c * rows];
            const double *column = m->mat.K0 + (long)m->held.column[k] * nv;
            sum += y * m->gam[m->held.column[k]];
            for (int i = 0; i < nv && K0; i++)
                K0[i + (long)left * nv] += y * column[i];
        }
        if (gam)
            gam[left] = sum;
        left++;
    }
    return left;
}
