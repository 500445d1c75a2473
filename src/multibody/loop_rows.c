/* loop_rows.c: every loop joint consists of rows of two kinds (and distances), with d = r_B - r_A:

     DOT1(u_A, w_B):  u.w     rate (u x w).(om_A - om_B)
     TURN(u, w):      (u_A.w_B - w_A.u_B) / 2, for joints that allow no turn: the sine of the
                      turn's angle times its axis
     DOT2(u_A):       u.d     rate u.(v_B - v_A) + (om_A x u).d
     distance:        (d.d - L^2) / (2 L)
     screw:           z.d - lead phi, phi = arg(x_A.x_B + i y_A.x_B), in the turn nearest to
                      z.d / lead

   So a screw needs no counter of revolutions: its row is a function of the poses that jumps only
   half a turn away from where the loop is closed.

   A row's rate is n_A.om_A + f_A.v_A + n_B.om_B + f_B.v_B; the wrenches (n, f) give its Jacobian by
   a walk from both bodies to their common ancestor. Second rates: Haug, Computer Aided Kinematics
   and Dynamics of Mechanical Systems (1989), section 9.4. */
#include "multibody/loop_internal.h"

#include "context/context.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Both frames of a loop as they are now. */
typedef struct ends {
    dfl_motion A, B;
    double d[3];
} ends;

static dfl_status close_loop(closed_loop *out, dfl_context *ctx, const dfl_tree *tree,
                             const dfl_loop *in, int number);
static dfl_frame loop_frame(const dfl_tree *tree, dfl_joint_kind kind, int body, const double *at,
                            const double *axis, const double *axis2);
static int common_ancestor(const dfl_tree *tree, int a, int b);
static dfl_status couple(dfl_loops *loops, const dfl_coupling *in, int index, int first);
static ends ends_of(const dfl_loops *loops, const closed_loop *loop, bool moving);
static void axis_of(double *axis, const dfl_motion *frame, int index);
static double row_value(const ends *e, const closed_loop *loop, dfl_joint_row type);
static double row_rate(const ends *e, const closed_loop *loop, dfl_joint_row type);
static double row_bias(const ends *e, const closed_loop *loop, dfl_joint_row type);
static void row_wrenches(double *A, double *B, const ends *e, const closed_loop *loop,
                         dfl_joint_row type);
static double screw_value(const ends *e, const closed_loop *loop);
static void screw_wrenches(double *A, double *B, const ends *e, const closed_loop *loop);
static double screw_bias(const ends *e, const closed_loop *loop);
static void walk_up(double *row, int ld, const dfl_tree *tree, int node, int stop, const double *at,
                    const double *wrench);
static double power(const double *wrench, const double *S);

dfl_status dfl_loops_create(dfl_loops **out, dfl_context *ctx, const dfl_tree *tree, int nloops,
                            const dfl_loop *described, int ncouplings,
                            const dfl_coupling *couplings)
{
    *out = NULL;
    int terms = 0;
    for (int i = 0; i < ncouplings; i++) {
        const dfl_coupling *in = &couplings[i];
        if (in->nterms < 0 || (in->nterms > 0 && !in->terms))
            return dfl_fail(ctx, DFL_INVALID,
                            "%s: nterms is %d%s; give 0 or more, and an array of them",
                            dfl_label("coupling", in->name, i).text, in->nterms,
                            in->nterms > 0 ? ", but there are none" : "");
        terms += in->nterms;
    }
    dfl_loops *loops = dfl_alloc(ctx, 1, sizeof *loops);
    if (!loops)
        return DFL_NO_MEMORY;
    *loops = (dfl_loops){.ctx = ctx, .tree = tree, .nloops = nloops, .ncouplings = ncouplings};
    loops->loop = dfl_alloc(ctx, (size_t)nloops, sizeof *loops->loop);
    loops->coupling = dfl_alloc(ctx, (size_t)ncouplings, sizeof *loops->coupling);
    loops->term_p = dfl_alloc(ctx, (size_t)terms, sizeof *loops->term_p);
    loops->term_v = dfl_alloc(ctx, (size_t)terms, sizeof *loops->term_v);
    loops->factor = dfl_alloc(ctx, (size_t)terms, sizeof *loops->factor);
    dfl_status status =
        loops->loop && loops->coupling && loops->term_p && loops->term_v && loops->factor
            ? DFL_OK
            : DFL_NO_MEMORY;
    for (int i = 0; i < nloops && !status; i++) {
        status = close_loop(&loops->loop[i], ctx, tree, &described[i], i);
        loops->rows += status ? 0 : loops->loop[i].rows->count;
    }
    for (int i = 0, first = 0; i < ncouplings && !status; first += couplings[i].nterms, i++)
        status = couple(loops, &couplings[i], i, first);
    loops->rows += ncouplings;
    if (status) {
        dfl_loops_free(loops);
        return status;
    }
    *out = loops;
    return DFL_OK;
}

void dfl_loops_free(dfl_loops *loops)
{
    if (!loops)
        return;
    dfl_context *ctx = loops->ctx;
    for (int i = 0; loops->loop && i < loops->nloops; i++)
        dfl_free(ctx, loops->loop[i].name);
    for (int i = 0; loops->coupling && i < loops->ncouplings; i++)
        dfl_free(ctx, loops->coupling[i].name);
    dfl_free(ctx, loops->loop);
    dfl_free(ctx, loops->coupling);
    dfl_free(ctx, loops->term_p);
    dfl_free(ctx, loops->term_v);
    dfl_free(ctx, loops->factor);
    dfl_free(ctx, loops);
}

static dfl_status close_loop(closed_loop *out, dfl_context *ctx, const dfl_tree *tree,
                             const dfl_loop *in, int number)
{
    const dfl_status status = dfl_loop_check(ctx, tree, in, number);
    if (status)
        return status;
    const double *at = in->apart ? in->at_b : in->at, *axis = in->apart ? in->axis_b : in->axis;
    const double *axis2 = in->apart ? in->axis2_b : in->axis2;
    const double d[3] = {at[0] - in->at[0], at[1] - in->at[1], at[2] - in->at[2]};
    out->rows = dfl_joint_rows_of(in->kind, tree->planar);
    out->A = loop_frame(tree, in->kind, in->a, in->at, in->axis, in->axis2);
    out->B = loop_frame(tree, in->kind, in->b, at, axis, axis2);
    out->common = common_ancestor(tree, out->A.node, out->B.node);
    out->length = in->length > 0.0 ? in->length : dfl_length(d);
    out->lead = in->lead;
    out->named = in->name != NULL;
    out->name = dfl_copy_string(ctx, in->name ? in->name : dfl_label("loop", NULL, number).text);
    return out->name ? DFL_OK : DFL_NO_MEMORY;
}

/* In the plane x is across the axis of a slide; other joints have the axes of the drawing. */
static dfl_frame loop_frame(const dfl_tree *tree, dfl_joint_kind kind, int body, const double *at,
                            const double *axis, const double *axis2)
{
    const double across[3] = {-axis[1], axis[0], 0};
    if (!tree->planar)
        return dfl_tree_frame(tree, body, at, axis, axis2);
    if (dfl_joint_types[kind].plane == DFL_PLANE_WITHIN)
        return dfl_tree_frame(tree, body, at, axis, across);
    return dfl_tree_frame(tree, body, at, NULL, NULL);
}

static int common_ancestor(const dfl_tree *tree, int a, int b)
{
    int c = a;
    while (!(c <= b && b < tree->node[c].end))
        c = tree->node[c].parent;
    return c;
}

static dfl_status couple(dfl_loops *loops, const dfl_coupling *in, int index, int first)
{
    const dfl_tree *tree = loops->tree;
    linear_row *out = &loops->coupling[index];
    out->first = first;
    out->count = in->nterms;
    out->offset = in->offset;
    out->named = in->name != NULL;
    const part_label label = dfl_label("coupling", in->name, index);
    out->name = dfl_copy_string(loops->ctx, in->name ? in->name : label.text);
    if (!out->name)
        return DFL_NO_MEMORY;
    for (int k = 0; k < in->nterms; k++) {
        const dfl_coupling_term *term = &in->terms[k];
        int *v = &loops->term_v[first + k];
        const dfl_status status =
            dfl_tree_find_motion(v, tree, label.text, term->joint, term->component);
        if (status)
            return status;
        if (!isfinite(term->factor) || !isfinite(in->offset))
            return dfl_fail(loops->ctx, DFL_INVALID, "%s: factors and offset must be finite",
                            label.text);
        loops->term_p[first + k] = tree->joint.p[term->joint] + term->component;
        loops->factor[first + k] = term->factor;
    }
    return DFL_OK;
}

int dfl_loops_rows(const dfl_loops *loops)
{
    return loops->rows;
}

const char *dfl_loops_name(const dfl_loops *loops, int row, int *within)
{
    for (int i = 0; i < loops->nloops; i++) {
        *within = row;
        row -= loops->loop[i].rows->count;
        if (row < 0)
            return loops->loop[i].name;
    }
    *within = 0;
    return loops->coupling[row].name;
}

part_label dfl_loops_label(const dfl_loops *loops, int row, int *within)
{
    const char *name = dfl_loops_name(loops, row, within);
    part_label label = {""};
    for (int i = 0; i < loops->nloops; i++)
        if (loops->loop[i].name == name)
            snprintf(label.text, sizeof label.text, loops->loop[i].named ? "loop '%.100s'" : "%s",
                     name);
    for (int i = 0; i < loops->ncouplings; i++)
        if (loops->coupling[i].name == name)
            snprintf(label.text, sizeof label.text,
                     loops->coupling[i].named ? "coupling '%.100s'" : "%s", name);
    return label;
}

bool dfl_loops_is_coupling(const dfl_loops *loops, int row)
{
    return row >= loops->rows - loops->ncouplings;
}

/* ------------------------------------------------------------------ rows */

void dfl_loops_position(double *g, const dfl_loops *loops, const double *p)
{
    for (int i = 0; i < loops->nloops; i++) {
        const closed_loop *loop = &loops->loop[i];
        const ends e = ends_of(loops, loop, false);
        for (int k = 0; k < loop->rows->count; k++)
            *g++ = row_value(&e, loop, loop->rows->row[k]);
    }
    for (int i = 0; i < loops->ncouplings; i++, g++) {
        const linear_row *row = &loops->coupling[i];
        *g = -row->offset;
        for (int k = row->first; k < row->first + row->count; k++)
            *g += loops->factor[k] * p[loops->term_p[k]];
    }
}

void dfl_loops_velocity(double *gI, const dfl_loops *loops, const double *v)
{
    for (int i = 0; i < loops->nloops; i++) {
        const closed_loop *loop = &loops->loop[i];
        const ends e = ends_of(loops, loop, true);
        for (int k = 0; k < loop->rows->count; k++)
            *gI++ = row_rate(&e, loop, loop->rows->row[k]);
    }
    for (int i = 0; i < loops->ncouplings; i++, gI++) {
        const linear_row *row = &loops->coupling[i];
        *gI = 0.0;
        for (int k = row->first; k < row->first + row->count; k++)
            *gI += loops->factor[k] * v[loops->term_v[k]];
    }
}

void dfl_loops_bias(double *bias, const dfl_loops *loops)
{
    for (int i = 0; i < loops->nloops; i++) {
        const closed_loop *loop = &loops->loop[i];
        const ends e = ends_of(loops, loop, true);
        for (int k = 0; k < loop->rows->count; k++)
            *bias++ = row_bias(&e, loop, loop->rows->row[k]);
    }
    for (int i = 0; i < loops->ncouplings; i++)
        *bias++ = 0.0;
}

void dfl_loops_directions(double *W, int ld, const dfl_loops *loops)
{
    const dfl_tree *tree = loops->tree;
    int row = 0;
    for (int c = 0; c < tree->nv && loops->rows > 0; c++)
        memset(W + (long)c * ld, 0, (size_t)loops->rows * sizeof *W);
    for (int i = 0; i < loops->nloops; i++) {
        const closed_loop *loop = &loops->loop[i];
        const ends e = ends_of(loops, loop, false);
        for (int k = 0; k < loop->rows->count; k++, row++) {
            double A[6], B[6];
            row_wrenches(A, B, &e, loop, loop->rows->row[k]);
            walk_up(W + row, ld, tree, loop->A.node, loop->common, e.A.r, A);
            walk_up(W + row, ld, tree, loop->B.node, loop->common, e.B.r, B);
        }
    }
    for (int i = 0; i < loops->ncouplings; i++, row++)
        for (int k = 0; k < loops->coupling[i].count; k++) {
            const int term = loops->coupling[i].first + k;
            W[row + (long)loops->term_v[term] * ld] += loops->factor[term];
        }
}

static ends ends_of(const dfl_loops *loops, const closed_loop *loop, bool moving)
{
    ends e;
    if (moving) {
        e.A = dfl_frame_motion(loops->tree, &loop->A);
        e.B = dfl_frame_motion(loops->tree, &loop->B);
    } else {
        dfl_frame_pose(e.A.R, e.A.r, loops->tree, &loop->A);
        dfl_frame_pose(e.B.R, e.B.r, loops->tree, &loop->B);
    }
    for (int k = 0; k < 3; k++)
        e.d[k] = e.B.r[k] - e.A.r[k];
    return e;
}

static void axis_of(double *axis, const dfl_motion *frame, int index)
{
    for (int k = 0; k < 3; k++)
        axis[k] = frame->R[3 * k + index];
}

static double row_value(const ends *e, const closed_loop *loop, dfl_joint_row type)
{
    double u[3], w[3];
    if (type.kind == DFL_ROW_TURN)
        return 0.5 * (row_value(e, loop, half_turn(type, false)) -
                      row_value(e, loop, half_turn(type, true)));
    if (type.kind == DFL_ROW_SCREW)
        return screw_value(e, loop);
    if (type.kind == DFL_ROW_DISTANCE)
        return (dot(e->d, e->d) - loop->length * loop->length) / (2.0 * loop->length);
    axis_of(u, &e->A, type.u);
    axis_of(w, &e->B, type.w);
    return dot(u, type.kind == DFL_ROW_DOT1 ? w : e->d);
}

static double row_rate(const ends *e, const closed_loop *loop, dfl_joint_row type)
{
    double A[6], B[6];
    row_wrenches(A, B, e, loop, type);
    return dot(A, e->A.omega) + dot(A + 3, e->A.v) + dot(B, e->B.omega) + dot(B + 3, e->B.v);
}

/* A = (n_A, f_A), B = (n_B, f_B). */
static void row_wrenches(double *A, double *B, const ends *e, const closed_loop *loop,
                         dfl_joint_row type)
{
    double u[3], w[3];
    if (type.kind == DFL_ROW_SCREW) {
        screw_wrenches(A, B, e, loop);
        return;
    }
    if (type.kind == DFL_ROW_TURN) {
        double A2[6], B2[6];
        row_wrenches(A, B, e, loop, half_turn(type, false));
        row_wrenches(A2, B2, e, loop, half_turn(type, true));
        for (int k = 0; k < 6; k++) {
            A[k] = 0.5 * (A[k] - A2[k]);
            B[k] = 0.5 * (B[k] - B2[k]);
        }
        return;
    }
    memset(A, 0, 6 * sizeof *A);
    memset(B, 0, 6 * sizeof *B);
    axis_of(u, &e->A, type.u);
    axis_of(w, &e->B, type.w);
    if (type.kind == DFL_ROW_DOT1) {
        cross(A, u, w);
        for (int k = 0; k < 3; k++)
            B[k] = -A[k];
        return;
    }
    if (type.kind == DFL_ROW_DOT2)
        cross(A, u, e->d); /* (om x u).d = om.(u x d) */
    for (int k = 0; k < 3; k++) {
        B[3 + k] = type.kind == DFL_ROW_DOT2 ? u[k] : e->d[k] / loop->length;
        A[3 + k] = -B[3 + k];
    }
}

/* The second rate for v' = 0:
     DOT1:  (u x w).(al_A - al_B) + ((om_A x u) x w + u x (om_B x w)).(om_A - om_B)
     DOT2:  u.(a_B - a_A) + (al_A x u).d + 2 (om_A x u).(v_B - v_A) + (om_A x (om_A x u)).d
     distance:  (d.(a_B - a_A) + |v_B - v_A|^2) / L */
static double row_bias(const ends *e, const closed_loop *loop, dfl_joint_row type)
{
    const dfl_motion *A = &e->A, *B = &e->B;
    double u[3], w[3], ud[3], wd[3], t[3], s[3], rate[3], a[3];
    if (type.kind == DFL_ROW_SCREW)
        return screw_bias(e, loop);
    if (type.kind == DFL_ROW_TURN)
        return 0.5 * (row_bias(e, loop, half_turn(type, false)) -
                      row_bias(e, loop, half_turn(type, true)));
    axis_of(u, A, type.u);
    axis_of(w, B, type.w);
    cross(ud, A->omega, u);
    cross(wd, B->omega, w);
    if (type.kind == DFL_ROW_DOT1) {
        for (int k = 0; k < 3; k++) {
            rate[k] = A->omega[k] - B->omega[k];
            a[k] = A->alpha[k] - B->alpha[k];
        }
        cross(t, u, w);
        cross(s, ud, w);
        cross_add(s, u, wd);
        return dot(t, a) + dot(s, rate);
    }
    for (int k = 0; k < 3; k++) {
        rate[k] = B->v[k] - A->v[k];
        a[k] = B->a[k] - A->a[k];
    }
    if (type.kind == DFL_ROW_DISTANCE)
        return (dot(e->d, a) + dot(rate, rate)) / loop->length;
    cross(t, A->alpha, u);
    cross_add(t, A->omega, ud);
    return dot(u, a) + dot(t, e->d) + 2.0 * dot(ud, rate);
}

/* The angle is measured from that of the shift, z.d / lead. */
static double screw_value(const ends *e, const closed_loop *loop)
{
    const double shift = row_value(e, loop, screw_shift) / loop->lead;
    const turn z = {row_value(e, loop, screw_real), row_value(e, loop, screw_imaginary)};
    const turn y = turn_times(z, (turn){cos(shift), -sin(shift)});
    return -loop->lead * atan2(y.im, y.re);
}

/* phi' = Im(z' / z). */
static void screw_wrenches(double *A, double *B, const ends *e, const closed_loop *loop)
{
    double re[2][6], im[2][6];
    const turn z = {row_value(e, loop, screw_real), row_value(e, loop, screw_imaginary)};
    const turn k = turn_inverse(z);
    row_wrenches(A, B, e, loop, screw_shift);
    row_wrenches(re[0], re[1], e, loop, screw_real);
    row_wrenches(im[0], im[1], e, loop, screw_imaginary);
    for (int i = 0; i < 6; i++) {
        A[i] -= loop->lead * (k.re * im[0][i] + k.im * re[0][i]);
        B[i] -= loop->lead * (k.re * im[1][i] + k.im * re[1][i]);
    }
}

/* phi'' = Im(z'' / z - (z' / z)^2). */
static double screw_bias(const ends *e, const closed_loop *loop)
{
    const turn z = {row_value(e, loop, screw_real), row_value(e, loop, screw_imaginary)};
    const turn zd = {row_rate(e, loop, screw_real), row_rate(e, loop, screw_imaginary)};
    const turn zdd = {row_bias(e, loop, screw_real), row_bias(e, loop, screw_imaginary)};
    const turn k = turn_inverse(z), rate = turn_times(zd, k);
    const double second = turn_times(zdd, k).im - turn_times(rate, rate).im;
    return row_bias(e, loop, screw_shift) - loop->lead * second;
}

/* What both bodies share cancels: the walk ends below their common ancestor. */
static void walk_up(double *row, int ld, const dfl_tree *tree, int node, int stop, const double *at,
                    const double *wrench)
{
    double S[6];
    for (int i = node; i != stop; i = tree->node[i].parent)
        for (int k = 0; k < tree->node[i].dofs; k++) {
            dfl_tree_axis(S, tree, i, k, at);
            row[(long)(tree->node[i].v + k) * ld] += power(wrench, S);
        }
}

/* The power of a wrench in a motion. What is left where its terms cancel is rounding: it is 0, so
   that rows that no joint moves have no directions, in which ranks would be decided by chance. */
static double power(const double *wrench, const double *S)
{
    double sum = 0, size = 0;
    for (int k = 0; k < 6; k++) {
        const double term = wrench[k] * S[k];
        sum += term;
        size += fabs(term);
    }
    return fabs(sum) > 1e-14 * size ? sum : 0;
}
