/* trees.h: random trees and dense formulas that the tests of the mechanics share. */
#ifndef DFL_TESTS_TREES_H
#define DFL_TESTS_TREES_H

#include "../support.h"

#include "multibody/multibody.h"

/* Bodies of a random tree; coordinates; kinds of joints that bodies can hang on. */
enum { TREE_BODIES = 9, TREE_MOST = 64, TREE_KINDS = DFL_JOINT_FREE + 1 };

typedef struct random_tree {
    dfl_rigid_body body[TREE_BODIES];
    dfl_joint joint[TREE_BODIES];
    dfl_multibody_description description;
} random_tree;

typedef enum inertia_kind { WHOLE, POINT, ROD, NOTHING, INERTIAS } inertia_kind;

/* A number in [-size, size); the sequence is the same in every run (xorshift). */
static inline double number(uint64_t *seed, double size)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return size * (2.0 * (double)(*seed >> 11) / 9007199254740992.0 - 1.0);
}

static inline int choice(uint64_t *seed, int count)
{
    return (int)((number(seed, 0.5) + 0.5) * count) % count;
}

static inline void numbers(double *x, int n, uint64_t *seed, double size)
{
    for (int i = 0; i < n; i++)
        x[i] = number(seed, size);
}

static inline void cross3(double *y, const double *a, const double *b)
{
    y[0] = a[1] * b[2] - a[2] * b[1];
    y[1] = a[2] * b[0] - a[0] * b[2];
    y[2] = a[0] * b[1] - a[1] * b[0];
}

static inline double dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The inertia of point masses at random places about their centre: always possible. */
static inline void random_inertia(dfl_rigid_body *body, inertia_kind kind, uint64_t *seed)
{
    const int points = kind == WHOLE ? 4 : kind == ROD ? 1 : 0;
    body->mass = kind == NOTHING ? 0.0 : 1.0 + number(seed, 0.5);
    numbers(body->com, 3, seed, 1.0);
    for (int i = 0; i < 6; i++)
        body->inertia[i] = 0.0;
    for (int i = 0; i < points; i++) {
        double c[3];
        numbers(c, 3, seed, 0.3);
        for (int k = 0; k < 3; k++)
            body->inertia[k] += dot3(c, c) - c[k] * c[k];
        body->inertia[3] -= c[0] * c[1];
        body->inertia[4] -= c[0] * c[2];
        body->inertia[5] -= c[1] * c[2];
    }
}

static inline void random_joint(dfl_joint *joint, dfl_joint_kind kind, uint64_t *seed)
{
    double other[3];
    joint->kind = kind;
    numbers(joint->at, 3, seed, 1.0);
    numbers(joint->axis, 3, seed, 1.0);
    numbers(other, 3, seed, 1.0);
    cross3(joint->axis2, joint->axis, other);
    joint->lead = number(seed, 0.5);
}

/* Bodies 0 .. 8, each on a random earlier one or on the ground. With `massless` some bodies have
   little or no inertia. */
static inline void make_random_tree(random_tree *tree, uint64_t *seed, bool massless)
{
    memset(tree, 0, sizeof *tree);
    for (int i = 0; i < TREE_BODIES; i++) {
        dfl_joint_kind kind = (dfl_joint_kind)choice(seed, TREE_KINDS);
        random_inertia(&tree->body[i], massless ? (inertia_kind)choice(seed, INERTIAS) : WHOLE,
                       seed);
        random_joint(&tree->joint[i], kind, seed);
        tree->body[i].name = tree->joint[i].name = "part";
        tree->joint[i].child = i;
        tree->joint[i].parent = choice(seed, 3) ? i - 1 : choice(seed, i + 1) - 1;
    }
    tree->description = (dfl_multibody_description){.nbodies = TREE_BODIES,
                                                    .njoints = TREE_BODIES,
                                                    .bodies = tree->body,
                                                    .joints = tree->joint,
                                                    .gravity = {0.3, -0.2, -9.81}};
}

/* Coordinates with quaternions of length 1. */
static inline void random_place(double *p, const dfl_tree *tree, uint64_t *seed)
{
    numbers(p, dfl_tree_np(tree), seed, 1.5);
    for (int i = 0; i < dfl_tree_nquaternions(tree); i++) {
        double *e = p + dfl_tree_quaternion(tree, i);
        const double scale = 1.0 / sqrt(dot3(e, e) + e[3] * e[3]);
        for (int k = 0; k < 4; k++)
            e[k] *= scale;
    }
}

/* y = R x and J0 = R J R^T for row-major R. */
static inline void turn3(double *y, const double *R, const double *x)
{
    for (int i = 0; i < 3; i++)
        y[i] = dot3(R + 3 * i, x);
}

static inline void turn_inertia(double J0[3][3], const double *R, const double *J)
{
    const double A[3][3] = {{J[0], J[3], J[4]}, {J[3], J[1], J[5]}, {J[4], J[5], J[2]}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            J0[i][j] = 0.0;
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++)
                    J0[i][j] += R[3 * i + k] * A[k][l] * R[3 * j + l];
        }
}

/* M and C = tau(v' = 0) from the Jacobians and accelerations of all centres of mass: Newton's and
   Euler's equations, body by body, without a recursion. */
static inline void dense_equations(double *M, double *C, dfl_tree *tree,
                                   const dfl_multibody_description *d, const double *v)
{
    const int n = dfl_tree_nv(tree);
    static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, none[3] = {0};
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    memset(C, 0, (size_t)n * sizeof *C);
    dfl_tree_poses(tree);
    dfl_tree_velocities(tree, v);
    for (int b = 0; b < d->nbodies; b++) {
        double J[6][TREE_MOST] = {{0}}, J0[3][3], spin[3], moment[3];
        const dfl_rigid_body *body = &d->bodies[b];
        const dfl_frame frame = dfl_tree_frame(tree, b, body->com, NULL, NULL);
        const dfl_motion m = dfl_frame_motion(tree, &frame);
        for (int k = 0; k < 3; k++) {
            dfl_tree_project(J[k], 1, tree, frame.node, m.r, unit[k], none);
            dfl_tree_project(J[3 + k], 1, tree, frame.node, m.r, none, unit[k]);
        }
        turn_inertia(J0, m.R, body->inertia);
        for (int k = 0; k < 3; k++)
            spin[k] = dot3(J0[k], m.omega);
        cross3(moment, m.omega, spin);
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < 3; k++) {
                C[i] += J[3 + k][i] * body->mass * (m.a[k] - d->gravity[k]);
                C[i] += J[k][i] * (dot3(J0[k], m.alpha) + moment[k]);
            }
            for (int j = 0; j < n; j++)
                for (int k = 0; k < 3; k++) {
                    M[i + j * n] += body->mass * J[3 + k][i] * J[3 + k][j];
                    for (int l = 0; l < 3; l++)
                        M[i + j * n] += J[k][i] * J0[k][l] * J[l][j];
                }
        }
    }
}

/* Kinetic plus potential energy. */
static inline double tree_energy(dfl_tree *tree, const dfl_multibody_description *d,
                                 const double *p, const double *v)
{
    double sum = 0.0;
    dfl_tree_place(tree, p);
    dfl_tree_poses(tree);
    dfl_tree_velocities(tree, v);
    for (int b = 0; b < d->nbodies; b++) {
        double J0[3][3];
        const dfl_frame frame = dfl_tree_frame(tree, b, d->bodies[b].com, NULL, NULL);
        const dfl_motion m = dfl_frame_motion(tree, &frame);
        turn_inertia(J0, m.R, d->bodies[b].inertia);
        sum += d->bodies[b].mass * (0.5 * dot3(m.v, m.v) - dot3(d->gravity, m.r));
        for (int k = 0; k < 3; k++)
            sum += 0.5 * m.omega[k] * dot3(J0[k], m.omega);
    }
    return sum;
}

/* The equations of a mechanism. */
static inline const dfl_eom *eom_of(dfl_multibody *multibody)
{
    const dfl_eom *eom = NULL;
    assert_int_equal(dfl_multibody_eom(&eom, multibody), DFL_OK);
    return eom;
}

static inline dfl_status classify(dfl_massless *out, dfl_multibody *multibody, const double *p,
                                  const double *v)
{
    assert_int_equal(dfl_multibody_move(multibody, 0, p, v), DFL_OK);
    return dfl_multibody_check_massless(out, multibody);
}

static inline dfl_tree *new_tree(dfl_context *ctx, const dfl_multibody_description *description)
{
    dfl_tree *tree = NULL;
    if (dfl_tree_create(&tree, ctx, description))
        fail_msg("%s", dfl_message(ctx));
    return tree;
}

#endif
