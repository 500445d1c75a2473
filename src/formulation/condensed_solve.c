/* Increments from the condensed system (condensed.h), one set of lanes. */
#include "formulation/condensed_internal.h"

#include <math.h>
#include <string.h>

static void negate(double *y, const double *x, int n)
{
    dfl_set_scale(y, -1, x, n);
}

static void copy(double *y, const double *x, int n)
{
    memcpy(y, x, (size_t)(DFL_SET * n) * sizeof *y);
}

/* All columns of a matrix. */
static dfl_set_matrix whole(const dfl_csc *matrix, const double *value)
{
    return (dfl_set_matrix){matrix->start, matrix->row, value, 0, matrix->columns};
}

/* y += factor matrix x; y += factor matrix^T x */
static void add_product(double *y, const dfl_csc *matrix, const double *value, double factor,
                        const double *x)
{
    const dfl_set_matrix A = whole(matrix, value);
    dfl_set_add_columns(y, &A, factor, x);
}

static void add_transposed(double *y, const dfl_csc *matrix, const double *value, double factor,
                           const double *x)
{
    const dfl_set_matrix A = whole(matrix, value);
    dfl_set_add_rows(y, &A, factor, x);
}

/* y += factor (columns first .. first+count-1 of a block of derivatives) x */
static void add_slopes(double *y, const dfl_pattern *p, const double *value, int first, int count,
                       double factor, const double *x)
{
    const dfl_set_matrix A = {p->column_start, p->row, value, first, count};
    dfl_set_add_columns(y, &A, factor, x);
}

static void add_W(double *y, const dfl_condensed *c, double factor, const double *x)
{
    add_product(y, &c->form->W, c->form->W_ref, factor, x);
}

/* y -= zeta M w with an M that is not diagonal. */
static void subtract_inertia(double *y, const dfl_condensed *c, const double *zeta, const double *w)
{
    const dfl_system *sys = c->form->base.sys;
    const dfl_pattern *p = &sys->packed->M;
    for (int j = 0; j < sys->n3; j++)
        for (int k = p->column_start[j]; k < p->column_start[j + 1]; k++)
            dfl_set_add_shifted(y + DFL_SET * p->row[k], zeta, -sys->mass.M[k], w + DFL_SET * j, 1);
}

/* What is left of the forces of (A): r3 + r1 - zeta M w + dyn_v (w + u) + dyn_p dp. `moved`: dp is
   not 0. */
static void find_forces(double *b, const dfl_condensed *c, const double *zeta, bool moved)
{
    const dfl_system *sys = c->form->base.sys;
    const dfl_pattern *dyn = &sys->packed->dyn;
    const double *value = c->form->jac.blocks.dyn;
    const dfl_layout at = dfl_eom_layout(sys->eom);
    dfl_set_sum(b, c->forces, c->dynamics, sys->n3);
    if (sys->mass.diagonal)
        dfl_set_subtract_inertia(b, zeta, sys->mass.M, c->dv, sys->n3);
    else
        subtract_inertia(b, c, zeta, c->dv);
    if (c->damped) {
        add_slopes(b, dyn, value, at.v, sys->n3, 1, c->dv);
        if (c->passes > 1)
            add_slopes(b, dyn, value, at.v, sys->n3, 1, c->v[C_U]);
    }
    if (moved)
        add_slopes(b, dyn, value, at.p, sys->eom->np, 1, c->dp);
}

/* Whether (A) is solved by x and the multipliers up to rounding, without rows that are left out. */
static bool is_solved(dfl_condensed *c, int set, const double *x, const double *multipliers)
{
    const dfl_csc *W = &c->joints.W;
    const dfl_set_matrix S = c->lumps ? whole(&c->M, c->blocks[set]) : whole(&c->S, c->D[set]);
    double *r = c->v[C_RIGHT], *rest = c->c[C_REST_RIGHT], weakest = INFINITY;
    const double right = dfl_set_largest(r, c->S.columns);
    for (int j = 0; j < c->S.columns; j++)
        weakest = fmin(weakest, fabs(c->D[set][DFL_SET * c->diagonal[j]]));
    const double size = fmax(right, dfl_set_subtract_sets(r, &S, x));
    const double reach = c->S.columns > 0 ? size / weakest : 0;
    add_transposed(r, W, c->joints.W_value, -1, multipliers);
    const double size_c = dfl_set_largest(rest, W->rows);
    add_product(rest, W, c->joints.W_value, -1, x);
    for (int i = 0; i < W->rows; i++)
        for (int lane = 0; c->joints.out[i] && lane < DFL_SET; lane++)
            rest[DFL_SET * i + lane] = 0;
    return dfl_set_largest(r, c->S.columns) <= 1e-8 * size + 1e-300 && isfinite(size) &&
           dfl_set_largest(rest, W->rows) <=
               1e-9 * (size_c + dfl_set_largest(x, c->S.columns)) + 1e-12 * reach;
}

/* Whether velocities with mass are all there are. */
static bool no_joints(const dfl_condensed *c)
{
    return c->joints.ngroups == 0;
}

/* What is left of the forces, without rows that are left out (`left`), for velocities with mass. */
static void find_rest(double *x, dfl_condensed *c, const double *zeta, const double *left,
                      bool moved)
{
    const dfl_sparse_form *form = c->form;
    double *b = no_joints(c) ? x : c->v[C_B];
    find_forces(b, c, zeta, moved);
    if (form->base.defect > 0)
        add_transposed(b, &form->W, form->W_ref, -1, left);
    if (!no_joints(c))
        dfl_massless_joints_restrict(x, &c->joints, b);
}

/* dp and w with the velocities `turned` for dp, NULL: none. */
static void turn(dfl_condensed *c, const double *zeta, const double *turned)
{
    if (turned)
        dfl_motion_blocks_solve(c->dp, c->dv, &c->motion, turned, c->kinematics, zeta);
    else
        negate(c->dv, c->kinematics, c->form->base.sys->n3);
}

/* The rows of positions of the remaining constraints, and the velocities that dp begins with (NULL:
   none). */
static const double *begin_positions(double *rest, dfl_condensed *c)
{
    const dfl_massless_joints *joints = &c->joints;
    double *turned = c->v[C_TURNED];
    double *rows = no_joints(c) ? rest : c->c[C_ROWS];
    negate(rows, c->pos, joints->nc);
    if (no_joints(c) && !c->motion.kin)
        return NULL;
    if (no_joints(c))
        memset(turned, 0, (size_t)(DFL_SET * joints->nv) * sizeof *turned);
    else
        dfl_massless_joints_split(rest, turned, joints, rows);
    return turned;
}

/* (A): dp and w. What of S is not factored goes into further sweeps. `doubtful`: with a check. */
static bool solve_positions(dfl_condensed *c, int set, const double *left, bool doubtful)
{
    const dfl_massless_joints *joints = &c->joints;
    const double *zeta = c->zeta[set];
    dfl_lane_ldl *ldl = c->lumps ? c->lumped[set] : c->lanes[set];
    const int rows = joints->W.rows;
    const size_t size = (size_t)(DFL_SET * rows) * sizeof(double);
    double *x = c->v[C_X], *rest = c->c[C_REST], *all = c->c[C_ALL];
    const double *turned = begin_positions(rest, c);
    if (c->sweeps > 1)
        memset(all, 0, size);
    for (int sweep = 0; sweep < c->sweeps; sweep++) {
        turn(c, zeta, turned);
        find_rest(x, c, zeta, left, turned != NULL);
        if (sweep > 0) {
            add_transposed(x, &joints->W, joints->W_value, -1, all);
            memset(rest, 0, size);
        }
        if (doubtful) {
            copy(c->v[C_RIGHT], x, joints->heavy);
            copy(c->c[C_REST_RIGHT], rest, rows);
        }
        dfl_lane_ldl_solve(x, rest, ldl);
        if (doubtful && !is_solved(c, set, x, rest))
            return false;
        if (c->sweeps > 1)
            dfl_set_add(all, 1, rest, rows);
        if (turned)
            dfl_massless_joints_expand(c->v[C_TURNED], joints, x);
        else if (c->sweeps > 1)
            copy(c->v[C_TURNED], x, joints->nv);
        turned = turned || c->sweeps > 1 ? c->v[C_TURNED] : x;
    }
    turn(c, zeta, turned);
    return true;
}

/* (x, l) := the solution of [M W^T; W 0] (x, l) = (force, rows); `force` may be NULL, meaning 0;
   then l is not found. Without joints `force` is x and `rows` is l. */
static void solve_base(double *x, double *l, dfl_condensed *c, const double *rows,
                       const double *force)
{
    const dfl_massless_joints *joints = &c->joints;
    double *rest = c->c[C_REST], *heavy = c->v[C_X];
    if (no_joints(c)) {
        dfl_saddle_ldl_solve_lanes(x, l, c->base, force != NULL, c->work);
        return;
    }
    dfl_massless_joints_split(rest, x, joints, rows);
    if (force)
        dfl_massless_joints_restrict(heavy, joints, force);
    dfl_saddle_ldl_solve_lanes(heavy, rest, c->base, force != NULL, c->work);
    dfl_massless_joints_expand(x, joints, heavy);
    if (force)
        dfl_massless_joints_join(l, joints, rest, force);
}

/* (B): u. */
static void solve_velocities(dfl_condensed *c)
{
    const dfl_system *sys = c->form->base.sys;
    double *rows = c->c[C_ROWS];
    negate(rows, c->vel, sys->nc);
    add_slopes(rows, &sys->packed->vel, c->form->jac.blocks.vel, sys->n3, sys->eom->np, -1, c->dp);
    add_W(rows, c, -1, c->dv);
    solve_base(c->v[C_U], rows, c, rows, NULL);
}

/* (C): da and dl of f_dyn - M a and gII, without rows that are left out (`left`). */
static void solve_accelerations(dfl_condensed *c, const double *left)
{
    const dfl_sparse_form *form = c->form;
    const dfl_system *sys = form->base.sys;
    const dfl_layout at = dfl_eom_layout(sys->eom);
    const dfl_pattern *acc = &sys->packed->acc, *dyn = &sys->packed->dyn;
    const dfl_jacobian *slope = &form->jac.blocks;
    double *rows = no_joints(c) ? c->lam : c->c[C_ROWS], *b = no_joints(c) ? c->da : c->v[C_B];
    copy(b, c->forces, sys->n3);
    if (c->damped)
        add_slopes(b, dyn, slope->dyn, at.v, sys->n3, 1, c->dv);
    add_slopes(b, dyn, slope->dyn, at.p, sys->eom->np, 1, c->dp);
    if (form->base.defect > 0)
        add_transposed(b, &form->W, form->W_ref, -1, left);
    negate(rows, c->acc, sys->nc);
    add_slopes(rows, acc, slope->acc, at.v, sys->n3, -1, c->dv);
    add_slopes(rows, acc, slope->acc, at.p, sys->eom->np, -1, c->dp);
    solve_base(c->da, c->lam, c, rows, b);
}

bool dfl_condensed_solve_set(dfl_condensed *c, int set, bool doubtful)
{
    const dfl_sparse_form *form = c->form;
    const dfl_system *sys = form->base.sys;
    const double *zeta = c->zeta[set];
    const int nv = sys->n3, nc = sys->nc;
    double *left = c->c[C_LEFT];
    if (form->base.defect > 0)
        memset(left, 0, (size_t)(DFL_SET * nc) * sizeof *left);
    for (int i = 0; form->base.defect > 0 && i < nc; i++)
        for (int lane = 0; form->dropped[i] && lane < 3; lane++)
            left[DFL_SET * i + lane] = -c->acc[DFL_SET * i + lane];
    for (int pass = 0; pass < c->passes; pass++) {
        if (pass == 0 && c->passes > 1) { /* u without dp */
            memset(c->v[C_TURNED], 0, (size_t)(DFL_SET * nv) * sizeof *left);
            turn(c, zeta, c->v[C_TURNED]);
            solve_velocities(c);
        }
        if (!solve_positions(c, set, left, doubtful))
            return false;
        solve_velocities(c);
    }
    dfl_set_add(c->dv, 1, c->v[C_U], nv);
    solve_accelerations(c, left);
    if (form->base.defect > 0)
        dfl_set_add(c->lam, 1, left, nc);
    return true;
}
