/* user_joint.c: joints whose pose is an expression of their coordinates q and of time.

   With R(q,t) and r(q,t) of the child relative to the parent, the rates in axes of the child are

       w = sum w_k q'_k + w_t,   [w_k]x = R^T dR/dq_k
       u = sum u_k q'_k + u_t,    u_k   = R^T dr/dq_k

   For turns about fixed axes a_i by angles phi_i, R = T_1 T_2 T_3, the rates are
   w = sum (T_{i+1} ...)^T a_i phi'_i. The columns (w_k; u_k) are the motion subspace S; its rate at
   constant q' goes into wd, ud. Where S loses rank the coordinates cannot describe every motion of
   the joint: such poses are refused at the start. */
#include "drawing/closures.h"
#include "drawing/drawing_internal.h"

#include "drawing/vectors.h"
#include "symbolic/symbolic.h"

#include <math.h>
#include <string.h>

/* The expressions of a pose: R by rows, r. */
enum { ROWS = 12 };

static dfl_status check_contents(dfl_drawing *drawing, const dfl_placed_joint *joint,
                                 const dfl_link_motion *m);
static dfl_mat product_of_turns(dfl_graph *g, const dfl_user_pose *pose);
static dfl_status set_columns(dfl_link_motion *m, dfl_drawing *drawing,
                              const dfl_placed_joint *joint, const dfl_user_pose *pose);
static dfl_status turn_rate(dfl_vec *w, dfl_graph *g, const dfl_user_pose *pose, dfl_expr symbol);
static dfl_status matrix_rate(dfl_vec *w, dfl_graph *g, dfl_mat R, dfl_expr symbol);
static dfl_status set_bias(dfl_link_motion *m, dfl_drawing *drawing, const dfl_placed_joint *joint);
static dfl_status check_pose(dfl_drawing *drawing, const dfl_placed_joint *joint);
static dfl_status values_at(double *out, dfl_drawing *drawing, const dfl_placed_joint *joint,
                            const dfl_expr *exprs, int count, double away);
static dfl_status check_rotation(dfl_drawing *drawing, const dfl_placed_joint *joint, double away);
static int dependent_column(dfl_status *status, dfl_drawing *drawing, const dfl_placed_joint *joint,
                            double away);
static const char *coordinate_name(const dfl_drawing *drawing, const dfl_placed_joint *joint,
                                   int k);

dfl_status dfl_drawing_set_pose(dfl_drawing *drawing, int index, const dfl_user_pose *pose)
{
    dfl_placed_joint *joint = &drawing->joints[index];
    dfl_link_motion *m = dfl_alloc(drawing->ctx, 1, sizeof *m);
    if (!m)
        return DFL_NO_MEMORY;
    m->n = joint->nv;
    m->R = pose->matrix ? pose->R : product_of_turns(drawing->graph, pose);
    m->r = pose->shift;
    m->turn = pose->nturns == 1 ? pose->angle[0] : 0;
    dfl_status status = check_contents(drawing, joint, m);
    if (!status)
        status = set_columns(m, drawing, joint, pose);
    if (!status)
        status = set_bias(m, drawing, joint);
    if (!status)
        status = dfl_graph_status(drawing->graph);
    if (status)
        dfl_free(drawing->ctx, m);
    else
        joint->motion = m;
    return status;
}

bool dfl_drawing_is_hung(const dfl_drawing *drawing, int body)
{
    return body == DFL_GROUND || drawing->bodies[body].joint >= 0;
}

dfl_status dfl_drawing_direction(dfl_vec *unit, const dfl_drawing *drawing, const char *name,
                                 dfl_vec direction)
{
    double d[3];
    const dfl_status status =
        dfl_drawing_read(d, drawing, direction.e, 3, dfl_model_sign, "joint", name, "axis");
    if (status)
        return status;
    if (d[0] == 0.0 && d[1] == 0.0 && d[2] == 0.0)
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "joint '%s': axis has length zero; give three numbers that are not all "
                        "zero",
                        name);
    *unit = dfl_drawing_unit(drawing, direction);
    return DFL_OK;
}

/* Nothing but the joint's own coordinates, time, parameters and inputs; smooth tables. */
static dfl_status check_contents(dfl_drawing *drawing, const dfl_placed_joint *joint,
                                 const dfl_link_motion *m)
{
    const unsigned allowed = 1U << DFL_SYM_TIME | 1U << DFL_SYM_PARAM | 1U << DFL_SYM_INPUT;
    const dfl_expr zero[MOST_V] = {0};
    dfl_expr rows[ROWS], rest[ROWS];
    memcpy(rows, m->R.e, sizeof m->R.e);
    memcpy(rows + 9, m->r.e, sizeof m->r.e);
    for (int i = 0; i < ROWS; i++)
        rest[i] = rows[i];
    dfl_status status = DFL_OK;
    if (joint->np > 0)
        status = dfl_substitute_exprs(rest, drawing->graph, rows, ROWS, joint->p, zero, joint->np);
    for (int i = 0; i < ROWS && !status; i++)
        if (dfl_node_of(drawing->graph, rest[i])->depends & ~allowed)
            status = dfl_fail(drawing->ctx, DFL_INVALID,
                              "joint '%s': the pose contains variables other than the joint's own "
                              "coordinates and time; couple joints with coupling",
                              joint->name);
    for (int i = 0; i < ROWS && !status; i++)
        status =
            dfl_model_check_tables(drawing->model, joint->line, "pose of", joint->name, rows[i]);
    return status;
}

static dfl_mat product_of_turns(dfl_graph *g, const dfl_user_pose *pose)
{
    dfl_mat R = mat_identity(g);
    for (int i = 0; i < pose->nturns; i++)
        R = mat_product(g, R, mat_turn(g, pose->axis[i], pose->angle[i]));
    return R;
}

static dfl_status set_columns(dfl_link_motion *m, dfl_drawing *drawing,
                              const dfl_placed_joint *joint, const dfl_user_pose *pose)
{
    dfl_graph *g = drawing->graph;
    const dfl_expr time = dfl_symbol_expr(g, DFL_SYM_TIME, 0, "time"), one = dfl_constant(g, 1.0);
    dfl_status status = DFL_OK;
    for (int k = 0; k <= m->n && !status; k++) {
        const dfl_expr symbol = k < m->n ? joint->p[k] : time;
        dfl_vec dr;
        status = pose->matrix ? matrix_rate(&m->w[k], g, m->R, symbol)
                              : turn_rate(&m->w[k], g, pose, symbol);
        if (!status)
            status = dfl_along_exprs(dr.e, g, m->r.e, 3, &symbol, &one, 1);
        if (!status)
            m->u[k] = mat_back(g, m->R, dr);
    }
    return status;
}

/* w += a_i dphi_i, seen from behind the turns that follow */
static dfl_status turn_rate(dfl_vec *w, dfl_graph *g, const dfl_user_pose *pose, dfl_expr symbol)
{
    const dfl_expr one = dfl_constant(g, 1.0);
    dfl_status status = DFL_OK;
    *w = vec_zero();
    for (int i = 0; i < pose->nturns && !status; i++) {
        dfl_expr rate;
        status = dfl_along_exprs(&rate, g, &pose->angle[i], 1, &symbol, &one, 1);
        if (i > 0)
            *w = mat_back(g, mat_turn(g, pose->axis[i], pose->angle[i]), *w);
        if (!status)
            *w = vec_add(g, *w, vec_scale(g, rate, pose->axis[i]));
    }
    return status;
}

static dfl_status matrix_rate(dfl_vec *w, dfl_graph *g, dfl_mat R, dfl_expr symbol)
{
    const dfl_expr one = dfl_constant(g, 1.0);
    dfl_mat dR;
    const dfl_status status = dfl_along_exprs(dR.e, g, R.e, 9, &symbol, &one, 1);
    for (int i = 0; i < 3 && !status; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        w->e[i] = vec_dot(g, mat_column(R, k), mat_column(dR, j));
    }
    return status;
}

/* wd and ud: derivatives of w and u along q' = v, t' = 1 */
static dfl_status set_bias(dfl_link_motion *m, dfl_drawing *drawing, const dfl_placed_joint *joint)
{
    dfl_graph *g = drawing->graph;
    dfl_expr symbols[MOST_V + 1], rates[MOST_V + 1];
    dfl_vec w = vec_zero(), u = vec_zero();
    for (int k = 0; k <= m->n; k++) {
        symbols[k] = k < m->n ? joint->p[k] : dfl_symbol_expr(g, DFL_SYM_TIME, 0, "time");
        rates[k] = k < m->n ? joint->v[k] : dfl_constant(g, 1.0);
        w = vec_add(g, w, vec_scale(g, rates[k], m->w[k]));
        u = vec_add(g, u, vec_scale(g, rates[k], m->u[k]));
    }
    dfl_status status = dfl_along_exprs(m->wd.e, g, w.e, 3, symbols, rates, m->n + 1);
    if (!status)
        status = dfl_along_exprs(m->ud.e, g, u.e, 3, symbols, rates, m->n + 1);
    return status;
}

/* ------------------------------------------------------------------ regular poses */

dfl_status dfl_drawing_check_poses(dfl_drawing *drawing)
{
    dfl_status status = DFL_OK;
    for (int i = 0; i < drawing->njoints && !status; i++) {
        if (!drawing->joints[i].motion || drawing->joints[i].inner)
            continue;
        drawing->line = drawing->joints[i].line;
        status = check_pose(drawing, &drawing->joints[i]);
    }
    return status;
}

/* At the start and a little away from it: only this point may be singular, or the coordinates
   everywhere. */
static dfl_status check_pose(dfl_drawing *drawing, const dfl_placed_joint *joint)
{
    const double beside = 0.05;
    dfl_status status = check_rotation(drawing, joint, 0.0);
    if (!status)
        status = check_rotation(drawing, joint, beside);
    const int here = status ? -1 : dependent_column(&status, drawing, joint, 0.0);
    const int there = status || here < 0 ? -1 : dependent_column(&status, drawing, joint, beside);
    if (status || here < 0)
        return status;
    const char *name = coordinate_name(drawing, joint, here);
    if (there >= 0)
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "joint '%s': %s adds no motion to those of the coordinates before it; "
                        "leave it out of the pose and the coordinates",
                        joint->name, name);
    return dfl_fail(drawing->ctx, DFL_INVALID,
                    "joint '%s': its pose is singular at the start: there %s adds no motion to "
                    "those of the coordinates before it; start elsewhere, "
                    "or choose other coordinates for the same motion",
                    joint->name, name);
}

/* Values where each coordinate is `away`, times unlike factors, from its start, and time is
   `away`. */
static dfl_status values_at(double *out, dfl_drawing *drawing, const dfl_placed_joint *joint,
                            const dfl_expr *exprs, int count, double away)
{
    dfl_graph *g = drawing->graph;
    dfl_model *model = drawing->model;
    dfl_expr symbols[MOST_V + 1], values[MOST_V + 1];
    dfl_status status = DFL_OK;
    for (int k = 0; k < joint->np; k++) {
        const int start = model->index.by_symbol[dfl_node_of(g, joint->p[k])->a].start;
        const double at = start ? model->starts.item[start - 1].value : 0.0;
        if (start)
            model->starts.item[start - 1].decides = true;
        symbols[k] = joint->p[k];
        values[k] = dfl_constant(g, at + away * (1.5 + 0.5 * dfl_generic(0, k)));
    }
    symbols[joint->np] = dfl_symbol_expr(g, DFL_SYM_TIME, 0, "time");
    values[joint->np] = dfl_constant(g, away);
    for (int i = 0; i < count && !status; i++) {
        dfl_expr expr;
        status = dfl_substitute_exprs(&expr, g, &exprs[i], 1, symbols, values, joint->np + 1);
        if (!status)
            status = dfl_model_number(&out[i], model, expr);
        if (!status && !isfinite(out[i]))
            status = dfl_fail(drawing->ctx, DFL_INVALID,
                              "joint '%s': the pose or its derivative is %g at the start; "
                              "start elsewhere, or choose other coordinates",
                              joint->name, out[i]);
    }
    return status;
}

/* R^T R = 1 and det R = 1, up to rounding. */
static dfl_status check_rotation(dfl_drawing *drawing, const dfl_placed_joint *joint, double away)
{
    double R[9], error = 0.0;
    const dfl_status status = values_at(R, drawing, joint, joint->motion->R.e, 9, away);
    if (status)
        return status;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const double dot = R[i] * R[k] + R[3 + i] * R[3 + k] + R[6 + i] * R[6 + k];
            error = fmax(error, fabs(dot - (i == k)));
        }
    const double det = R[0] * (R[4] * R[8] - R[5] * R[7]) - R[1] * (R[3] * R[8] - R[5] * R[6]) +
                       R[2] * (R[3] * R[7] - R[4] * R[6]);
    if (error < 1e-8 && det > 0.0)
        return DFL_OK;
    return dfl_fail(drawing->ctx, DFL_INVALID,
                    "joint '%s': the matrix of its pose is not a rotation (its columns are %g "
                    "away from perpendicular unit vectors%s); give { axis = ..., angle = ... } "
                    "or { angles = ... }, or correct the matrix",
                    joint->name, error, det > 0.0 ? "" : ", and it mirrors");
}

/* The first column of S that depends on those before it, or -1: Gram-Schmidt. */
static int dependent_column(dfl_status *status, dfl_drawing *drawing, const dfl_placed_joint *joint,
                            double away)
{
    const dfl_link_motion *m = joint->motion;
    double S[MOST_V][6];
    for (int k = 0; k < m->n; k++) {
        double before = 0.0, after = 0.0;
        *status = values_at(S[k], drawing, joint, m->w[k].e, 3, away);
        if (!*status)
            *status = values_at(S[k] + 3, drawing, joint, m->u[k].e, 3, away);
        if (*status)
            return -1;
        for (int i = 0; i < 6; i++)
            before += S[k][i] * S[k][i];
        for (int j = 0; j < 2 * k; j++) { /* twice, against rounding */
            double dot = 0.0;
            for (int i = 0; i < 6; i++)
                dot += S[j % k][i] * S[k][i];
            for (int i = 0; i < 6; i++)
                S[k][i] -= dot * S[j % k][i];
        }
        for (int i = 0; i < 6; i++)
            after += S[k][i] * S[k][i];
        if (!(after > 1e-12 * before) || before == 0.0)
            return k;
        for (int i = 0; i < 6; i++)
            S[k][i] /= sqrt(after);
    }
    return -1;
}

static const char *coordinate_name(const dfl_drawing *drawing, const dfl_placed_joint *joint, int k)
{
    return drawing->graph->symbols[dfl_node_of(drawing->graph, joint->p[k])->a].name;
}
