/* tree_kinematics.c: coordinates and velocities, world poses, frames and their motion,
   Jacobians. */
#include "multibody/tree_internal.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void quaternion_matrix(double *R, const double *e);
static void quaternion_rates(double *ed, const double *e, const double *omega);
static void chain_quaternion(double *Y, int ldy, const double *A, int lda, int rows,
                             const double *e);
static void chain_position(double *Y, int ldy, const double *A, int lda, int rows, const double *e);
static double remove_part(double *x, const double *z);

int dfl_tree_np(const dfl_tree *tree)
{
    return tree->np;
}

int dfl_tree_nv(const dfl_tree *tree)
{
    return tree->nv;
}

int dfl_tree_ndrives(const dfl_tree *tree)
{
    return tree->ndrives;
}

int dfl_tree_joint_p(const dfl_tree *tree, int joint)
{
    return tree->joint.p[joint];
}

int dfl_tree_joint_v(const dfl_tree *tree, int joint)
{
    return tree->joint.v[joint];
}

part_label dfl_label(const char *part, const char *name, int number)
{
    part_label label;
    if (name)
        snprintf(label.text, sizeof label.text, "%s '%.100s'", part, name);
    else
        snprintf(label.text, sizeof label.text, "%s %d", part, number);
    return label;
}

part_label dfl_joint_label(const dfl_tree *tree, int joint)
{
    return dfl_label("joint", tree->joint.name[joint], joint);
}

dfl_status dfl_tree_find_motion(int *v, const dfl_tree *tree, const char *part, int joint,
                                int component)
{
    if (joint < 0 || joint >= tree->njoints)
        return dfl_fail(tree->ctx, DFL_INVALID, "%s: there is no joint %d; there are %d joints",
                        part, joint, tree->njoints);
    const int first = tree->joint.v[joint];
    if (tree->joint.drive[joint] >= 0)
        return dfl_fail(tree->ctx, DFL_INVALID,
                        "%s: %s is driven, so that it has no coordinate; leave it out", part,
                        dfl_joint_label(tree, joint).text);
    *v = first + component;
    if (first < 0 || component < 0 || component >= tree->nv - first ||
        tree->dof.joint[*v] != joint || tree->node[tree->dof.node[*v]].dofs != 1)
        return dfl_fail(tree->ctx, DFL_INVALID,
                        "%s: component %d of %s is not an angle or a shift; components count from "
                        "0",
                        part, component, dfl_joint_label(tree, joint).text);
    return DFL_OK;
}

int dfl_tree_joint_of(const dfl_tree *tree, int v)
{
    return tree->dof.joint[v];
}

const char *dfl_tree_joint_name(const dfl_tree *tree, int joint)
{
    return tree->joint.name[joint] ? tree->joint.name[joint] : "";
}

int dfl_tree_nquaternions(const dfl_tree *tree)
{
    return tree->nquaternions;
}

int dfl_tree_quaternion(const dfl_tree *tree, int index)
{
    return tree->quaternion[index];
}

void dfl_tree_reference(double *p, const dfl_tree *tree)
{
    memset(p, 0, (size_t)tree->np * sizeof *p);
    for (int i = 0; i < tree->nquaternions; i++)
        p[tree->quaternion[i]] = 1.0;
}

void dfl_tree_drive(dfl_tree *tree, int drive, double u, double ud, double udd)
{
    assert(drive >= 0 && drive < tree->ndrives);
    tree->drive[3 * drive] = u;
    tree->drive[3 * drive + 1] = ud;
    tree->drive[3 * drive + 2] = udd;
}

/* ------------------------------------------------------------------ p' = Z v */

void dfl_tree_kinematics(double *pd, const dfl_tree *tree, const double *p, const double *v)
{
    double R[9];
    for (int i = 1; i < tree->nnodes; i++) {
        const dfl_node *n = &tree->node[i];
        switch (n->kind) {
        case DFL_STEP_FREE:
            quaternion_matrix(R, p + n->p + 3);
            rotate(pd + n->p, R, v + n->v + 3);
            quaternion_rates(pd + n->p + 3, p + n->p + 3, v + n->v);
            break;
        case DFL_STEP_SPHERICAL:
            quaternion_rates(pd + n->p, p + n->p, v + n->v);
            break;
        default:
            if (n->v >= 0)
                pd[n->p] = v[n->v];
        }
    }
}

/* R from child to parent, row-major. */
static void quaternion_matrix(double *R, const double *e)
{
    static const node_rest none = {.E = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    node_state s;
    turn_by_quaternion(&s, &none, e);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            R[3 * i + k] = s.E[3 * k + i];
}

/* e' = 1/2 Q omega. */
static void quaternion_rates(double *ed, const double *e, const double *omega)
{
    const double x = 0.5 * omega[0], y = 0.5 * omega[1], z = 0.5 * omega[2];
    ed[0] = -e[1] * x - e[2] * y - e[3] * z;
    ed[1] = e[0] * x - e[3] * y + e[2] * z;
    ed[2] = e[3] * x + e[0] * y - e[1] * z;
    ed[3] = -e[2] * x + e[1] * y + e[0] * z;
}

void dfl_tree_kinematics_slope(double *Y, int ldy, const dfl_tree *tree, const double *p,
                               const double *v)
{
    for (int i = 1; i < tree->nnodes; i++) {
        const dfl_node *n = &tree->node[i];
        if (n->kind != DFL_STEP_SPHERICAL && n->kind != DFL_STEP_FREE)
            continue;
        const int first = n->kind == DFL_STEP_FREE ? n->p + 3 : n->p;
        const double *w = v + n->v, *u = w + 3;
        for (int c = 0; c < 4; c++) { /* 1/2 Q omega is linear in e */
            double e[4] = {0};
            e[c] = 1.0;
            quaternion_rates(Y + first + (long)(first + c) * ldy, e, w);
        }
        if (n->kind == DFL_STEP_SPHERICAL)
            continue;
        double R[9], turn[9]; /* R' u = R (omega x u): columns -R [u]x of omega */
        quaternion_matrix(R, p + first);
        for (int c = 0; c < 3; c++) {
            double axis[3] = {0}, t[3];
            axis[c] = 1.0;
            cross(t, axis, u);
            rotate(turn + 3 * c, R, t);
        }
        chain_quaternion(Y + n->p + (long)first * ldy, ldy, turn, 3, 3, p + first);
    }
}

void dfl_tree_chain(double *Y, int ldy, const dfl_tree *tree, const double *A, int lda, int rows,
                    const double *p)
{
    for (int i = 1; i < tree->nnodes; i++) {
        const dfl_node *n = &tree->node[i];
        const double *columns = A + (long)n->v * lda;
        double *out = Y + (long)n->p * ldy;
        if (n->v < 0)
            continue;
        if (n->kind == DFL_STEP_FREE) {
            chain_position(out, ldy, columns + 3L * lda, lda, rows, p + n->p + 3);
            chain_quaternion(out + 3L * ldy, ldy, columns, lda, rows, p + n->p + 3);
        } else if (n->kind == DFL_STEP_SPHERICAL) {
            chain_quaternion(out, ldy, columns, lda, rows, p + n->p);
        } else {
            for (int k = 0; k < rows; k++)
                out[k] += columns[k];
        }
    }
}

/* Y (rows x 4) += A (rows x 3) 2 Q^T / e^T e. */
static void chain_quaternion(double *Y, int ldy, const double *A, int lda, int rows,
                             const double *e)
{
    const double s = 2.0 / (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    const double Q[4][3] = {
        {-e[1], -e[2], -e[3]}, {e[0], -e[3], e[2]}, {e[3], e[0], -e[1]}, {-e[2], e[1], e[0]}};
    for (int c = 0; c < 4; c++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < rows; k++)
                Y[k + (long)c * ldy] += s * Q[c][j] * A[k + (long)j * lda];
}

/* Y (rows x 3) += A (rows x 3) R^T. */
static void chain_position(double *Y, int ldy, const double *A, int lda, int rows, const double *e)
{
    double R[9];
    quaternion_matrix(R, e);
    for (int c = 0; c < 3; c++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < rows; k++)
                Y[k + (long)c * ldy] += R[3 * c + j] * A[k + (long)j * lda];
}

/* ------------------------------------------------------------------ poses and velocities */

void dfl_tree_poses(dfl_tree *tree)
{
    for (int i = 1; i < tree->nnodes; i++) {
        const node_state *s = &tree->state[i];
        const double *par = tree->pose + 12 * tree->node[i].parent;
        double *pose = tree->pose + 12 * i, shift[3];
        for (int k = 0; k < 3; k++) /* R = R_parent E^T */
            rotate(pose + 3 * k, s->E, par + 3 * k);
        rotate(shift, par, s->r);
        for (int k = 0; k < 3; k++)
            pose[9 + k] = par[9 + k] + shift[k];
    }
}

void dfl_tree_velocities(dfl_tree *tree, const double *v)
{
    const pass_input in = {.v = v, .drive = tree->drive};
    memset(tree->state[0].v, 0, sizeof tree->state[0].v);
    memset(tree->state[0].a, 0, sizeof tree->state[0].a);
    for (int i = 1; i < tree->nnodes; i++) {
        const dfl_node *n = &tree->node[i];
        node_state *s = &tree->state[i];
        const node_state *parent = &tree->state[n->parent];
        motion_to_child(s->v, s->E, s->r, parent->v);
        join_rates(s, n, &in);
        motion_to_child(s->a, s->E, s->r, parent->a);
        for (int k = 0; k < 6; k++)
            s->a[k] += s->c[k];
        if (n->v < 0)
            join_accelerations(s->a, n, NULL, tree->drive);
    }
}

/* ------------------------------------------------------------------ frames */

void dfl_axes(double *R, const double *axis, const double *axis2)
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double x[3], y[3], z[3] = {0, 0, 0};
    memcpy(R, identity, sizeof identity);
    if (axis)
        memcpy(z, axis, sizeof z);
    if (!dfl_normalize(z))
        return;
    memcpy(x, axis2 ? axis2 : identity, sizeof x);
    if (!axis2 || !dfl_normalize(x) ||
        remove_part(x, z) < 1e-6) { /* x, or y if the axis is close to x */
        memcpy(x, fabs(z[0]) < 0.9 ? identity : identity + 3, sizeof x);
        remove_part(x, z);
    }
    dfl_normalize(x);
    cross(y, z, x);
    for (int i = 0; i < 3; i++) {
        R[3 * i] = x[i];
        R[3 * i + 1] = y[i];
        R[3 * i + 2] = z[i];
    }
}

double dfl_length(const double *x)
{
    return hypot(hypot(x[0], x[1]), x[2]);
}

/* The division by the largest entry is exact enough for numbers of any size. */
bool dfl_normalize(double *x)
{
    const double most = fmax(fmax(fabs(x[0]), fabs(x[1])), fabs(x[2]));
    for (int i = 0; i < 3 && most > 0.0; i++)
        x[i] /= most;
    const double scale = most > 0.0 ? 1.0 / sqrt(dot(x, x)) : 0.0;
    for (int i = 0; i < 3; i++)
        x[i] *= scale;
    return most > 0.0;
}

/* x -= z (z^T x) for unit vectors; returns what is left of the length. */
static double remove_part(double *x, const double *z)
{
    const double part = dot(x, z);
    for (int i = 0; i < 3; i++)
        x[i] -= part * z[i];
    return sqrt(dot(x, x));
}

dfl_frame dfl_tree_frame(const dfl_tree *tree, int body, const double *at, const double *axis,
                         const double *axis2)
{
    dfl_frame frame = {.node = body == DFL_GROUND ? 0 : tree->body.node[body]};
    const double *ref = tree->reference + 12 * frame.node;
    double R[9], from[3];
    dfl_axes(R, axis, axis2);
    for (int i = 0; i < 3; i++) /* R_ref^T R */
        for (int k = 0; k < 3; k++)
            frame.R[3 * i + k] = ref[i] * R[k] + ref[3 + i] * R[3 + k] + ref[6 + i] * R[6 + k];
    for (int i = 0; i < 3; i++)
        from[i] = at[i] - ref[9 + i];
    rotate_back(frame.r, ref, from);
    return frame;
}

void dfl_frame_pose(double *R, double *r, const dfl_tree *tree, const dfl_frame *frame)
{
    const double *pose = tree->pose + 12 * frame->node;
    for (int i = 0; i < 3; i++)
        rotate_back(R + 3 * i, frame->R, pose + 3 * i);
    rotate(r, pose, frame->r);
    for (int i = 0; i < 3; i++)
        r[i] += pose[9 + i];
}

dfl_motion dfl_frame_motion(const dfl_tree *tree, const dfl_frame *frame)
{
    dfl_motion motion;
    const node_state *s = &tree->state[frame->node];
    const double *pose = tree->pose + 12 * frame->node, *omega = s->v;
    double v[3], a[3];
    dfl_frame_pose(motion.R, motion.r, tree, frame);
    memcpy(v, s->v + 3, sizeof v);
    memcpy(a, s->a + 3, sizeof a);
    cross_add(v, omega, frame->r); /* of the point, in axes of the node */
    cross_add(a, s->a, frame->r);
    cross_add(a, omega, v);
    rotate(motion.omega, pose, omega);
    rotate(motion.v, pose, v);
    rotate(motion.alpha, pose, s->a);
    rotate(motion.a, pose, a);
    return motion;
}

void dfl_tree_axis(double *S, const dfl_tree *tree, int node, int k, const double *at)
{
    const dfl_node *n = &tree->node[node];
    const double *pose = tree->pose + 12 * node;
    const int column = n->dofs > 1 ? k % 3 : 2;
    const double z[3] = {pose[column], pose[3 + column], pose[6 + column]};
    const double arm[3] = {at[0] - pose[9], at[1] - pose[10], at[2] - pose[11]};
    memset(S, 0, 6 * sizeof *S);
    const bool push = n->kind == DFL_STEP_PRISMATIC || (n->kind == DFL_STEP_FREE && k >= 3);
    if (!push) {
        memcpy(S, z, sizeof z);
        cross(S + 3, z, arm);
    }
    const double part = push ? 1.0 : n->kind == DFL_STEP_SCREW ? n->lead : 0.0;
    for (int i = 0; i < 3; i++)
        S[3 + i] += part * z[i];
}

void dfl_tree_project(double *row, int ld, const dfl_tree *tree, int node, const double *at,
                      const double *n, const double *f)
{
    double S[6];
    for (int i = node; i > 0; i = tree->node[i].parent)
        for (int k = 0; k < tree->node[i].dofs; k++) {
            dfl_tree_axis(S, tree, i, k, at);
            row[(long)(tree->node[i].v + k) * ld] += dot(n, S) + dot(f, S + 3);
        }
}
