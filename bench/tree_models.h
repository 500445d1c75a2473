/* tree_models.h: bodies and states on which trees are measured, the same for Driftless and its
   peers; C and C++. Joint frames are parallel to those of the parents, axes are coordinate axes. */
#ifndef TREE_MODELS_H
#define TREE_MODELS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { TREE_CHAIN, TREE_BINARY, TREE_LEGS, TREE_SHAPES };
static const char *const tree_shape_name[TREE_SHAPES] = {"chain", "bintree", "quadruped"};

enum { TREE_FREE_AXIS = 6, TREE_LEGS_BODIES = 13 };

typedef struct tree_body {
    int parent;           /* -1: ground */
    int axis;             /* 0, 1, 2: revolute about x, y, z; TREE_FREE_AXIS: free */
    double t[3];          /* joint in the frame of the parent */
    double m, c[3], I[6]; /* mass, centre of mass; inertia about it: xx yy zz xy xz yz */
} tree_body;

/* The free base, in world axes; then angles, rates and torques of the other joints. */
typedef struct tree_base {
    double quat[4], pos[3], w[3], v[3];
} tree_base;

static inline uint64_t tree_seed(uint64_t seed)
{
    return seed * 0x9E3779B97F4A7C15ull + 1;
}

static inline double tree_unit(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return (double)(*s >> 11) * (1.0 / 9007199254740992.0);
}

static inline double tree_sym(uint64_t *s, double size)
{
    return size * (2 * tree_unit(s) - 1);
}

/* A rod of mass about m along z or -z from the joint, slightly irregular. */
static inline void tree_rod(tree_body *b, double m, double sign, uint64_t *s)
{
    const double l = 0.3, r = 0.04;
    b->m = m * (1 + tree_sym(s, 0.2));
    b->c[0] = tree_sym(s, 0.01);
    b->c[1] = tree_sym(s, 0.01);
    b->c[2] = sign * (0.5 * l + tree_sym(s, 0.02));
    const double a = b->m * (3 * r * r + l * l) / 12, z = b->m * r * r / 2;
    const double inertia[6] = {a * 1.03, a, z * 1.5, 0.02 * z, -0.03 * z, 0.025 * z};
    memcpy(b->I, inertia, sizeof inertia);
}

static inline void tree_place_joint(tree_body *b, int parent, int axis, double x, double y,
                                    double z)
{
    b->parent = parent;
    b->axis = axis;
    b->t[0] = x;
    b->t[1] = y;
    b->t[2] = z;
}

static inline void tree_fill_legs(tree_body *b)
{
    static const double mass[3] = {1.0, 1.5, 0.4}, base_c[3] = {0.01, -0.005, 0.02};
    static const double base_inertia[6] = {0.4, 0.9, 1.0, 0.01, -0.02, 0.015};
    uint64_t s = tree_seed(3);
    tree_place_joint(b, -1, TREE_FREE_AXIS, 0, 0, 0);
    b->m = 20;
    memcpy(b->c, base_c, sizeof base_c);
    memcpy(b->I, base_inertia, sizeof base_inertia);
    for (int leg = 0, i = 1; leg < 4; leg++)
        for (int k = 0; k < 3; k++, i++) {
            const double side = leg & 2 ? 1 : -1;
            if (k == 0)
                tree_place_joint(b + i, 0, 0, leg & 1 ? 0.3 : -0.3, 0.15 * side, 0);
            else
                tree_place_joint(b + i, i - 1, 1, 0, k == 1 ? 0.08 * side : 0, k == 1 ? 0 : -0.3);
            tree_rod(b + i, mass[k], -1, &s);
        }
}

/* n bodies; the quadruped has TREE_LEGS_BODIES. */
static inline void tree_fill(tree_body *b, int shape, int n)
{
    uint64_t s = tree_seed(shape == TREE_BINARY ? 2 : 1);
    if (shape == TREE_LEGS) {
        tree_fill_legs(b);
        return;
    }
    for (int i = 0; i < n; i++) {
        const int binary = shape == TREE_BINARY && i > 0;
        tree_place_joint(b + i, binary ? (i - 1) / 2 : i - 1, i % 3, 0,
                         binary ? (i & 1 ? 0.1 : -0.1) : 0, i > 0 ? 0.3 : 0);
        tree_rod(b + i, 1.5, 1, &s);
    }
}

/* State number k; q, v, tau of the nrev revolute joints in the order of the bodies. */
static inline void tree_state(tree_base *base, double *q, double *v, double *tau, int nrev, int k)
{
    uint64_t s = tree_seed(1000 + (uint64_t)k);
    double length = 0, *all = base->quat;
    for (int i = 0; i < 16; i++)
        tree_unit(&s);
    for (int i = 0; i < 4; i++) {
        all[i] = tree_sym(&s, 1);
        length += all[i] * all[i];
    }
    for (int i = 0; i < 4; i++)
        all[i] /= sqrt(length);
    for (int i = 0; i < 3; i++)
        base->pos[i] = tree_sym(&s, 1);
    for (int i = 0; i < 3; i++)
        base->w[i] = tree_sym(&s, 1);
    for (int i = 0; i < 3; i++)
        base->v[i] = tree_sym(&s, 1);
    for (int i = 0; i < nrev; i++) {
        q[i] = tree_sym(&s, 1.5);
        v[i] = tree_sym(&s, 1);
        tau[i] = tree_sym(&s, 1);
    }
}

/* A vector in world axes becomes one in axes of the base. */
static inline void tree_to_base(double *y, const tree_base *base, const double *x)
{
    const double w = base->quat[0], a = base->quat[1], b = base->quat[2], c = base->quat[3];
    const double R[3][3] = {{1 - 2 * (b * b + c * c), 2 * (a * b - w * c), 2 * (a * c + w * b)},
                            {2 * (a * b + w * c), 1 - 2 * (a * a + c * c), 2 * (b * c - w * a)},
                            {2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b)}};
    for (int i = 0; i < 3; i++)
        y[i] = R[0][i] * x[0] + R[1][i] * x[1] + R[2][i] * x[2];
}

static inline int tree_states(int n)
{
    return n <= 100 ? 32 : n <= 1000 ? 8 : 4;
}

/* The acceleration, in axes of the base, of a free base whose origin has none and whose angular
   velocity stays, for inverse dynamics: angular part 0, linear part -w x v. */
static inline void tree_base_rest(double *a, const double *w, const double *v)
{
    a[0] = a[1] = a[2] = 0;
    a[3] = w[2] * v[1] - w[1] * v[2];
    a[4] = w[0] * v[2] - w[2] * v[0];
    a[5] = w[1] * v[0] - w[0] * v[1];
}

#endif
