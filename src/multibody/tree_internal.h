/* tree_internal.h: the layout of a tree, shared by the files of this module. */
#ifndef DFL_MECHANICS_TREE_INTERNAL_H
#define DFL_MECHANICS_TREE_INTERNAL_H

#include "multibody/node.h"
#include "multibody/passes.h"

struct dfl_tree {
    dfl_context *ctx;
    int nnodes, nbodies, njoints, np, nv, nquaternions, ndrives, n0,
        nslots; /* nodes with the ground */
    dfl_node *node;
    node_rest *rest;
    node_mass *mass;
    node_state *state;
    node_fold *fold;   /* nslots */
    double *scale;     /* ARTICULATED per slot: see tree_ranks.c */
    double *least;     /* per velocity: pivots above it are no rounding errors */
    double *pose;      /* 12 per node: rotation to the world (row-major), origin */
    double *reference; /* the same in the reference configuration */
    double *drive;     /* 3 per drive: u, u', u'' */
    double gravity[3];
    bool planar;
    struct {
        int *node;
        char **name;
        unsigned char *empty; /* without any inertia */
    } body;
    struct {
        int *p, *v, *drive; /* the first coordinate, velocity and drive, or -1 */
        char **name;
    } joint;
    struct {
        int *node, *joint;
    } dof;                      /* of a velocity */
    int *quaternion, *massless; /* first coordinate; velocity */
    double *scratch;            /* 2 np */
    dfl_tree_ranks ranks;       /* as decided last */
    size_t bytes;
};

/* What derivatives need of a velocity, in world axes about a common point `origin`. */
typedef struct dof_terms {
    double S[6], P[6], PP[6], Q[6]; /* see tree_derivatives.c; Q = P + SS */
} dof_terms;

/* Of a node and, after the sweep, all but v and a of all that hangs on it. */
typedef struct node_terms {
    double v[6], a[6], f[6];
    double m, h[3], J[6];
    double B[36]; /* row-major */
} node_terms;

struct dfl_tree_derivatives {
    dfl_context *ctx;
    dfl_tree *tree;
    dof_terms *dof;
    node_terms *node;
    double *tau;
    double origin[3];
};

static inline double dot6(const double *a, const double *b)
{
    return dot(a, b) + dot(a + 3, b + 3);
}

/* The rotation (row-major) whose z is along `axis` and whose x is nearest to axis2, or to x or y of
   the drawing if axis2 is NULL or zero; the identity if `axis` is NULL or zero. */
void dfl_axes(double *R, const double *axis, const double *axis2);

/* The inertia of a node with all that hangs on it, rigidly. To be called for all nodes from the
   last to 1. */
const double *dfl_tree_composite(dfl_tree *tree, int node);

/* dfl_tree_inverse in two parts, between which forces may be added to those of the nodes. */
void dfl_tree_move(dfl_tree *tree, const double *v, const double *a);
void dfl_tree_collect(double *tau, dfl_tree *tree);

/* M_ij = M_ji = S_j^T F for the velocities j from a node to the ground, F = (n; f) in world axes, n
   about the world point `at`. */
void dfl_tree_fill_path(double *M, int ld, const dfl_tree *tree, int i, int node, const double *at,
                        const double *F);

/* dfl_tree_derive in parts, after dfl_tree_poses and dfl_tree_inverse: terms of the nodes, to which
   others may be added; the matrices, with leading dimension ld; entries of a velocity i with the
   terms t1 .. t4 at a node and those from there to the ground, to which it does not belong itself.
 */
void dfl_tree_derive_nodes(dfl_tree_derivatives *work);
void dfl_tree_derive_sweep(double *Tq, double *Tv, double *M, long ld, dfl_tree_derivatives *work);
void dfl_tree_derive_path(double *Tq, double *Tv, double *M, long ld,
                          const dfl_tree_derivatives *work, int i, int node, double t[4][6]);

/* The inertia of a body in axes that a pose (12 numbers as of a node) leads to, about `origin`. */
void dfl_mass_to_pose(node_mass *out, const node_mass *body, const double *pose,
                      const double *origin);

/* Checks bodies, joints, gravity and sizes of a description. DFL_INVALID: the message names the
   part. */
dfl_status dfl_tree_check(dfl_context *ctx, const dfl_multibody_description *description);

/* A part in a message: joint 'elbow', or joint 3 if it has no name. */
typedef struct part_label {
    char text[128];
} part_label;
part_label dfl_label(const char *part, const char *name, int number);
part_label dfl_joint_label(const dfl_tree *tree, int joint);

part_label dfl_loops_label(const dfl_loops *loops, int row, int *within);

/* The length of a vector, and whether it was not zero and has length 1 now; neither overflows nor
   underflows. */
double dfl_length(const double *x);
bool dfl_normalize(double *x);

/* Whether two axes are perpendicular, up to rounding by hand; whether a joint with this axis stays
   in the plane. */
bool dfl_perpendicular(const double *a, const double *b);
bool dfl_fits_plane(dfl_joint_kind kind, const double *axis);

/* The velocity of an angle or a shift of a joint, for a part such as a spring. DFL_INVALID: there
   is no such motion; the message starts with the part. */
dfl_status dfl_tree_find_motion(int *v, const dfl_tree *tree, const char *part, int joint,
                                int component);

/* S of a one-axis node in its own frame. */
void dfl_node_axis(double *S, const dfl_node *node);

/* The twist S_k of velocity k of a node, at the world point `at` in world axes. */
void dfl_tree_axis(double *S, const dfl_tree *tree, int node, int k, const double *at);

#endif
