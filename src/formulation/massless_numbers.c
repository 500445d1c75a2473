/* Numbers of massless joints, and vectors on both sides of the elimination (massless_joints.h). */
#include "formulation/massless_joints.h"

#include <math.h>
#include <string.h>

enum { LANES = DFL_LANES_OF_SET };

/* A velocity that its rows determine worse than this is not determined. */
static const double determined = 1e-6;

/* The dense block [W of massless velocities, W of others, I] of a group, rows that are left out
   last. */
static void gather(dfl_massless_joints *j, dfl_joint_group *g, const double *W,
                   const unsigned char *dropped)
{
    const int width = g->nq + g->columns + g->rows;
    double *A = j->work;
    int *place = j->place + g->row, last = g->rows;
    g->alive = 0;
    for (int i = 0; i < g->rows; i++)
        place[i] = dropped[j->row[g->row + i]] ? --last : g->alive++;
    memset(A, 0, (size_t)(g->rows * width) * sizeof *A);
    for (int k = g->entry; k < g->entry + g->entries; k++) {
        const int i = place[j->entry_i[k]];
        if (i < g->alive)
            A[i * width + j->entry_j[k]] = W[j->entry[k]];
    }
    for (int i = 0; i < g->rows; i++)
        A[i * width + g->nq + g->columns + i] = 1;
}

/* Reflects the rows from k on so that column k vanishes below row k. False: it vanished already. */
static bool reflect(double *A, int k, int rows, int width)
{
    double norm2 = 0, whole = 0;
    for (int i = 0; i < rows; i++) {
        const double a = A[i * width + k];
        whole += a * a;
        norm2 += i >= k ? a * a : 0;
    }
    if (!(norm2 > determined * determined * whole) || !(whole > 0))
        return false;
    if (k == rows - 1)
        return true;
    const double head = A[k * width + k], norm = head > 0 ? -sqrt(norm2) : sqrt(norm2);
    const double first = head - norm, factor = 1 / (norm * first); /* -2 / |u|^2 */
    for (int c = k + 1; c < width; c++) {
        double dot = first * A[k * width + c];
        for (int i = k + 1; i < rows; i++)
            dot += A[i * width + k] * A[i * width + c];
        dot *= factor;
        A[k * width + c] += dot * first;
        for (int i = k + 1; i < rows; i++)
            A[i * width + c] += dot * A[i * width + k];
    }
    A[k * width + k] = norm;
    for (int i = k + 1; i < rows; i++)
        A[i * width + k] = 0;
    return true;
}

/* Q, R, T and remaining rows from the reflected block. */
static void scatter(dfl_massless_joints *j, const dfl_joint_group *g)
{
    const int nq = g->nq, columns = g->columns, width = nq + columns + g->rows;
    const double *A = j->work;
    double *R = j->R + g->R, *Q = j->Q + g->Q;
    for (int i = 0; i < nq; i++)
        memcpy(R + i * nq, A + i * width, (size_t)nq * sizeof *R);
    for (int i = 0; i < g->rows; i++) /* Q^T */
        memcpy(Q + i * g->rows, A + i * width + nq + columns, (size_t)g->rows * sizeof *Q);
    for (int c = 0; c < columns; c++) /* T = -R^-1 B1 */
        for (int i = nq - 1; i >= 0; i--) {
            double sum = -A[i * width + nq + c];
            for (int k = i + 1; k < nq; k++)
                sum -= R[i * nq + k] * j->T[j->T_start[j->q[g->q + k]] + c];
            j->T[j->T_start[j->q[g->q + i]] + c] = sum / R[i * nq + i];
        }
    for (int p = nq; p < g->rows; p++)
        for (int c = 0; c < columns; c++)
            j->W_value[j->W_at[g->W_at + (p - nq) * columns + c]] =
                p < g->alive ? A[p * width + nq + c] : 0;
    for (int p = nq; p < g->rows; p++)
        j->out[g->slot + p - nq] = p >= g->alive;
}

bool dfl_massless_joints_update(dfl_massless_joints *j, const double *W,
                                const unsigned char *dropped)
{
    for (int k = 0; k < j->ncopies; k++)
        j->W_value[j->copy_to[k]] = W[j->copy_from[k]];
    for (int i = 0; i < j->nc; i++)
        if (j->slot[i] >= 0)
            j->out[j->slot[i]] = dropped[i];
    for (int i = 0; i < j->ngroups; i++) {
        dfl_joint_group *g = &j->group[i];
        gather(j, g, W, dropped);
        bool good = g->alive >= g->nq;
        for (int k = 0; good && k < g->nq; k++)
            good = reflect(j->work, k, g->alive, g->nq + g->columns + g->rows);
        if (!good)
            return false;
        scatter(j, g);
    }
    return true;
}

static DFL_INLINE void clear(double *x, int n)
{
    for (int i = 0; i < n; i++)
        dfl_set_store(x + LANES * i, (dfl_four){0});
}

static DFL_INLINE void copy(double *x, const double *y)
{
    *(dfl_quad *)x = *(const dfl_quad *)y;
}

static DFL_INLINE dfl_four fetch(const double *x)
{
    return *(const dfl_quad *)x;
}

/* Massless velocities := R^-1 top. */
static DFL_INLINE void solve_upper(double *x, const dfl_massless_joints *j,
                                   const dfl_joint_group *g, const double *top)
{
    const double *R = j->R + g->R;
    const int *q = j->q + g->q;
    for (int i = g->nq - 1; i >= 0; i--) {
        dfl_four sum = fetch(top + LANES * i);
        for (int k = i + 1; k < g->nq; k++)
            sum -= R[i * g->nq + k] * fetch(x + LANES * q[k]);
        dfl_set_store(x + LANES * q[i], sum / R[i * g->nq + i]);
    }
}

DFL_WIDE void dfl_massless_joints_split(double *remaining, double *x, const dfl_massless_joints *j,
                                        const double *l)
{
    clear(x, j->nv);
    for (int i = 0, nc = j->nc; i < nc; i++)
        if (j->slot[i] >= 0)
            copy(remaining + LANES * j->slot[i], l + LANES * i);
    for (int i = 0; i < j->ngroups; i++) {
        const dfl_joint_group *g = &j->group[i];
        const int rows = g->rows, *row = j->row + g->row, *place = j->place + g->row;
        double *rest = remaining + LANES * (g->slot - g->nq);
        for (int p = 0; p < rows; p++) {
            const double *Q = j->Q + g->Q + p * rows;
            dfl_four sum = {0};
            for (int r = 0; p < g->alive && r < rows; r++)
                sum += Q[place[r]] * fetch(l + LANES * row[r]);
            dfl_set_store((p < g->nq ? j->top : rest) + LANES * p, sum);
        }
        solve_upper(x, j, g, j->top);
    }
}

/* Rows of T of velocities with mass are those of the identity. */
DFL_WIDE void dfl_massless_joints_expand(double *x, const dfl_massless_joints *j, const double *y)
{
    const int *start = j->T_start, *column = j->T_column, *velocity = j->velocity;
    const double *T = j->T;
    for (int i = 0, heavy = j->heavy; i < heavy; i++)
        dfl_set_add_one(x + LANES * velocity[i], 1, y + LANES * i);
    for (int i = 0, count = j->nv - j->heavy; i < count; i++) {
        const int q = j->q[i];
        dfl_four sum = fetch(x + LANES * q);
        for (int k = start[q]; k < start[q + 1]; k++)
            sum += T[k] * fetch(y + LANES * column[k]);
        dfl_set_store(x + LANES * q, sum);
    }
}

DFL_WIDE void dfl_massless_joints_restrict(double *y, const dfl_massless_joints *j, const double *x)
{
    const int *start = j->T_start, *column = j->T_column, *velocity = j->velocity;
    const double *T = j->T;
    for (int i = 0, heavy = j->heavy; i < heavy; i++)
        copy(y + LANES * i, x + LANES * velocity[i]);
    for (int i = 0, count = j->nv - j->heavy; i < count; i++) {
        const int q = j->q[i];
        const dfl_four xq = fetch(x + LANES * q);
        for (int k = start[q]; k < start[q + 1]; k++) {
            double *to = y + LANES * column[k];
            dfl_set_store(to, fetch(to) + T[k] * xq);
        }
    }
}

/* R^T top = x */
static DFL_INLINE void solve_lower(double *top, const dfl_massless_joints *j,
                                   const dfl_joint_group *g, const double *x)
{
    const double *R = j->R + g->R;
    for (int k = 0; k < g->nq; k++) {
        dfl_four sum = fetch(x + LANES * j->q[g->q + k]);
        for (int i = 0; i < k; i++)
            sum -= R[i * g->nq + k] * fetch(top + LANES * i);
        dfl_set_store(top + LANES * k, sum / R[k * g->nq + k]);
    }
}

DFL_WIDE void dfl_massless_joints_join(double *l, const dfl_massless_joints *j,
                                       const double *remaining, const double *x)
{
    for (int i = 0; i < j->nc; i++)
        if (j->slot[i] >= 0)
            copy(l + LANES * i, remaining + LANES * j->slot[i]);
    for (int i = 0; i < j->ngroups; i++) {
        const dfl_joint_group *g = &j->group[i];
        const int rows = g->rows, *row = j->row + g->row, *place = j->place + g->row;
        const double *rest = remaining + LANES * (g->slot - g->nq);
        solve_lower(j->top, j, g, x);
        for (int r = 0; r < rows; r++) {
            const double *Q = j->Q + g->Q + place[r];
            dfl_four sum = {0};
            for (int p = 0; p < g->alive; p++)
                sum += Q[p * rows] * fetch((p < g->nq ? j->top : rest) + LANES * p);
            dfl_set_store(l + LANES * row[r], sum);
        }
    }
}
