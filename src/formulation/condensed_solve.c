/* Increments from the condensed system (condensed.h), one set of lanes. */
#include "formulation/condensed_internal.h"

#include <math.h>
#include <string.h>

/* y += factor zeta x, n components */
static void add_shifted(double *y, const double *zeta, double factor, const double *x, int n)
{
    for (int i = 0; i < DFL_SET * n; i += DFL_SET) {
        y[i] += factor * zeta[0] * x[i];
        y[i + 1] += factor * (zeta[1] * x[i + 1] - zeta[2] * x[i + 2]);
        y[i + 2] += factor * (zeta[1] * x[i + 2] + zeta[2] * x[i + 1]);
    }
}

static void add(double *y, double factor, const double *x, int n)
{
    for (int i = 0; i < DFL_SET * n; i++)
        y[i] += factor * x[i];
}

static void negate(double *y, const double *x, int n)
{
    for (int i = 0; i < DFL_SET * n; i++)
        y[i] = -x[i];
}

static void copy(double *y, const double *x, int n)
{
    memcpy(y, x, (size_t)(DFL_SET * n) * sizeof *y);
}

/* y += factor (columns first .. first+count-1 of a block) x */
static void add_product(double *y, const int *start, const int *row, const double *value, int first,
                        int count, double factor, const double *x)
{
    for (int j = 0; j < count; j++)
        for (int k = start[first + j]; k < start[first + j + 1]; k++) {
            const double a = factor * value[k];
            for (int i = 0; i < DFL_SET; i++)
                y[DFL_SET * row[k] + i] += a * x[DFL_SET * j + i];
        }
}

/* y += factor matrix^T x */
static void add_transposed(double *y, const dfl_csc *matrix, const double *value, double factor,
                           const double *x)
{
    for (int j = 0; j < matrix->columns; j++)
        for (int k = matrix->start[j]; k < matrix->start[j + 1]; k++)
            for (int i = 0; i < DFL_SET; i++)
                y[DFL_SET * j + i] += factor * value[k] * x[DFL_SET * matrix->row[k] + i];
}

static void add_slopes(double *y, const dfl_pattern *p, const double *value, int first, int count,
                       double factor, const double *x)
{
    add_product(y, p->column_start, p->row, value, first, count, factor, x);
}

static void add_W(double *y, const dfl_condensed *c, double factor, const double *x)
{
    const dfl_csc *W = &c->form->W;
    add_product(y, W->start, W->row, c->form->W_ref, 0, W->columns, factor, x);
}

/* y -= zeta M w */
static void subtract_inertia(double *y, const dfl_condensed *c, const double *zeta, const double *w)
{
    const dfl_system *sys = c->form->base.sys;
    const dfl_pattern *p = &sys->packed->M;
    for (int j = 0; j < sys->n3; j++) {
        if (sys->mass.diagonal)
            add_shifted(y + DFL_SET * j, zeta, -sys->mass.M[j], w + DFL_SET * j, 1);
        for (int k = sys->mass.diagonal ? 0 : p->column_start[j];
             !sys->mass.diagonal && k < p->column_start[j + 1]; k++)
            add_shifted(y + DFL_SET * p->row[k], zeta, -sys->mass.M[k], w + DFL_SET * j, 1);
    }
}

/* What is left of the forces of (A): r3 + r1 - zeta M w + dyn_v (w + u) + dyn_p dp. */
static void find_forces(double *b, const dfl_condensed *c, const double *zeta)
{
    const dfl_system *sys = c->form->base.sys;
    const dfl_pattern *dyn = &sys->packed->dyn;
    const double *value = c->form->jac.blocks.dyn;
    const dfl_layout at = dfl_eom_layout(sys->eom);
    copy(b, c->v[C_R3], sys->n3);
    add(b, 1, c->v[C_R1], sys->n3);
    subtract_inertia(b, c, zeta, c->v[C_W]);
    if (c->damped) {
        add_slopes(b, dyn, value, at.v, sys->n3, 1, c->v[C_W]);
        add_slopes(b, dyn, value, at.v, sys->n3, 1, c->v[C_U]);
    }
    add_slopes(b, dyn, value, at.p, sys->eom->np, 1, c->p[C_DP]);
}

/* fmax without a call. */
static inline double larger(double a, double b)
{
    return b > a ? b : a;
}

/* Whether (A) is solved by x and the multipliers up to rounding, without rows that are left out. */
static bool is_solved(dfl_condensed *c, int set, double *x, const double *multipliers)
{
    const dfl_csc *W = &c->joints.W;
    const double *D = c->D[set];
    double *r = c->v[C_RIGHT], worst = 0, size = 0, largest = 0, reach = 0;
    double finite = 0;
    for (int j = 0; j < DFL_SET * c->S.columns; j++)
        size = larger(size, fabs(r[j]));
    for (int j = 0; j < c->S.columns; j++) {
        const double *xj = x + DFL_SET * j;
        reach = larger(reach, size / fabs(D[DFL_SET * c->diagonal[j]]));
        for (int k = c->S.start[j]; k < c->S.start[j + 1]; k++) {
            const double *d = D + DFL_SET * k;
            double *to = r + DFL_SET * c->S.row[k];
            to[0] -= d[0] * xj[0];
            to[1] -= d[1] * xj[1] - d[2] * xj[2];
            to[2] -= d[1] * xj[2] + d[2] * xj[1];
            size = larger(size, larger(fabs(d[0] * xj[0]),
                                       (fabs(d[1]) + fabs(d[2])) * (fabs(xj[1]) + fabs(xj[2]))));
        }
    }
    add_transposed(r, W, c->joints.W_value, -1, multipliers);
    for (int j = 0; j < DFL_SET * c->S.columns; j++) {
        worst = larger(worst, fabs(r[j]));
        finite += 0 * r[j];
        largest = larger(largest, fabs(x[j]));
    }
    double worst_c = 0, size_c = 0, *rest = c->c[C_REST_RIGHT];
    for (int i = 0; i < DFL_SET * W->rows; i++)
        size_c = larger(size_c, fabs(rest[i]));
    add_product(rest, W->start, W->row, c->joints.W_value, 0, W->columns, -1, x);
    for (int i = 0; i < DFL_SET * W->rows; i++)
        worst_c = c->joints.out[i / DFL_SET] ? worst_c : larger(worst_c, fabs(rest[i]));
    return finite == 0 && worst <= 1e-8 * size + 1e-300 &&
           worst_c <= 1e-9 * (size_c + largest) + 1e-12 * reach;
}

/* What is left of the forces, without rows that are left out (`left`), for velocities with mass. */
static void find_rest(double *x, dfl_condensed *c, const double *zeta, const double *left)
{
    const dfl_sparse_form *form = c->form;
    find_forces(c->v[C_B], c, zeta);
    if (form->base.defect > 0)
        add_transposed(c->v[C_B], &form->W, form->W_ref, -1, left);
    dfl_massless_joints_restrict(x, &c->joints, c->v[C_B]);
}

/* (A): dp and w. What the symmetric part of S leaves goes into further sweeps. */
static bool solve_positions(dfl_condensed *c, int set, const double *left)
{
    const dfl_massless_joints *joints = &c->joints;
    const double *zeta = c->zeta[set];
    const int rows = joints->W.rows;
    const size_t size = (size_t)(DFL_SET * rows) * sizeof(double);
    double *turned = c->v[C_TURNED], *x = c->v[C_X], *rest = c->c[C_REST], *all = c->c[C_ALL];
    negate(c->c[C_ROWS], c->c[C_R6], joints->nc);
    dfl_massless_joints_split(rest, turned, joints, c->c[C_ROWS]);
    memset(all, 0, size);
    for (int sweep = 0; sweep < c->sweeps; sweep++) {
        dfl_motion_blocks_solve(c->p[C_DP], c->v[C_W], &c->motion, turned, c->p[C_KIN], zeta);
        find_rest(x, c, zeta, left);
        add_transposed(x, &joints->W, joints->W_value, -1, all);
        if (sweep > 0)
            memset(rest, 0, size);
        copy(c->v[C_RIGHT], x, joints->heavy);
        copy(c->c[C_REST_RIGHT], rest, rows);
        dfl_lane_ldl_solve(x, rest, c->lanes[set]);
        if (!is_solved(c, set, x, rest))
            return false;
        add(all, 1, rest, rows);
        dfl_massless_joints_expand(turned, joints, x);
    }
    dfl_motion_blocks_solve(c->p[C_DP], c->v[C_W], &c->motion, turned, c->p[C_KIN], zeta);
    return true;
}

/* (x, l) := the solution of [M W^T; W 0] (x, l) = (force, rows); `force` may be NULL, meaning 0, and so may l, if
   it is not wanted. */
static void solve_base(double *x, double *l, dfl_condensed *c, const double *rows,
                       const double *force)
{
    const dfl_massless_joints *joints = &c->joints;
    double *rest = c->c[C_REST], *heavy = c->v[C_X];
    dfl_massless_joints_split(rest, x, joints, rows);
    if (force)
        dfl_massless_joints_restrict(heavy, joints, force);
    else
        memset(heavy, 0, (size_t)(DFL_SET * joints->heavy) * sizeof *heavy);
    dfl_saddle_ldl_solve_lanes(heavy, rest, c->base, c->work);
    dfl_massless_joints_expand(x, joints, heavy);
    if (l)
        dfl_massless_joints_join(l, joints, rest, force);
}

/* (B): u. */
static void solve_velocities(dfl_condensed *c)
{
    const dfl_system *sys = c->form->base.sys;
    double *rows = c->c[C_ROWS];
    negate(rows, c->c[C_R5], sys->nc);
    add_slopes(rows, &sys->packed->vel, c->form->jac.blocks.vel, sys->n3, sys->eom->np, -1,
               c->p[C_DP]);
    add_W(rows, c, -1, c->v[C_W]);
    solve_base(c->v[C_U], NULL, c, rows, NULL);
}

/* (C): da and dl of f_dyn - M a and gII, without rows that are left out (`left`). */
static void solve_accelerations(dfl_condensed *c, const double *dv, const double *left)
{
    const dfl_sparse_form *form = c->form;
    const dfl_system *sys = form->base.sys;
    const dfl_layout at = dfl_eom_layout(sys->eom);
    const dfl_pattern *acc = &sys->packed->acc, *dyn = &sys->packed->dyn;
    const dfl_jacobian *slope = &form->jac.blocks;
    double *rows = c->c[C_ROWS], *b = c->v[C_B];
    copy(b, c->v[C_R3], sys->n3);
    if (c->damped)
        add_slopes(b, dyn, slope->dyn, at.v, sys->n3, 1, dv);
    add_slopes(b, dyn, slope->dyn, at.p, sys->eom->np, 1, c->p[C_DP]);
    if (form->base.defect > 0)
        add_transposed(b, &form->W, form->W_ref, -1, left);
    negate(rows, c->c[C_R4], sys->nc);
    add_slopes(rows, acc, slope->acc, at.v, sys->n3, -1, dv);
    add_slopes(rows, acc, slope->acc, at.p, sys->eom->np, -1, c->p[C_DP]);
    solve_base(c->v[C_DA], c->c[C_LAM], c, rows, b);
}

bool dfl_condensed_solve_set(dfl_condensed *c, int set)
{
    const dfl_sparse_form *form = c->form;
    const dfl_system *sys = form->base.sys;
    const double *zeta = c->zeta[set];
    const int nv = sys->n3, nc = sys->nc;
    double *left = c->c[C_LEFT];
    memset(left, 0, (size_t)(DFL_SET * nc) * sizeof *left);
    memset(c->v[C_U], 0, (size_t)(DFL_SET * nv) * sizeof *left);
    for (int i = 0; i < nc; i++) /* multipliers of rows that are left out vanish */
        for (int lane = 0; form->dropped[i] && lane < 3; lane++)
            left[DFL_SET * i + lane] = -c->c[C_R4][DFL_SET * i + lane];
    for (int pass = 0; pass < c->passes; pass++) {
        if (pass == 0 && c->passes > 1) { /* u without dp */
            memset(c->v[C_TURNED], 0, (size_t)(DFL_SET * nv) * sizeof *left);
            dfl_motion_blocks_solve(c->p[C_DP], c->v[C_W], &c->motion, c->v[C_TURNED], c->p[C_KIN],
                                    zeta);
            solve_velocities(c);
        }
        if (!solve_positions(c, set, left))
            return false;
        solve_velocities(c);
    }
    add(c->v[C_W], 1, c->v[C_U], nv); /* dv */
    solve_accelerations(c, c->v[C_W], left);
    if (form->base.defect > 0)
        add(c->c[C_LAM], 1, left, nc);
    return true;
}
