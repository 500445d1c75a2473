/* tree.h: bodies connected by joints to a tree, and its recursions.

   Everything is described as in a drawing: in world coordinates of the reference configuration, in
   which all joint coordinates are zero. Vectors of motion are (omega; v), of force (n; f), as in
   Featherstone, Rigid Body Dynamics Algorithms (2008). SI units, radians; matrices are column-major.
   An evaluation allocates nothing and takes time proportional to the number of bodies unless it
   fills a matrix. A tree holds its own workspace: use one per thread. */
#ifndef DFL_MECHANICS_TREE_H
#define DFL_MECHANICS_TREE_H

#include <driftless/context.h>
#include <driftless/multibody.h>
#include <stdbool.h>

/* mass, inertia and com may be zero. The inertia is about the centre of mass. */
typedef struct dfl_tree_body {
    const char *name;
    double mass, com[3];
    double inertia[6]; /* xx yy zz xy xz yz; in a plane model only zz counts */
} dfl_tree_body;

typedef struct dfl_tree_joint {
    const char *name;
    dfl_joint_kind kind;
    int parent, child; /* bodies; the parent may be DFL_GROUND */
    double at[3];
    double axis[3];  /* any length but zero */
    double axis2[3]; /* universal: second axis, perpendicular to the first; planar: direction of the
                        first shift, all zero means the direction of x (or y) in the plane */
    double lead;     /* screw: m/rad */
    bool driven;     /* revolute, prismatic, screw: no coordinate, the motion is prescribed */
} dfl_tree_joint;

typedef struct dfl_tree_description {
    int nbodies, njoints; /* every body is the child of one joint */
    const dfl_tree_body *bodies;
    const dfl_tree_joint *joints;
    double gravity[3]; /* acceleration, such as (0, 0, -9.81) */
    bool planar;       /* everything moves in planes parallel to x y */
} dfl_tree_description;

typedef struct dfl_tree dfl_tree;

/* Checks the description and creates the tree, in its reference configuration; the description is
   not needed afterwards. The ranks of massless joints are decided around the reference (see
   dfl_tree_decide_ranks). The caller frees *out with dfl_tree_free; on failure *out is NULL.
   DFL_INVALID: the message names the body or joint. DFL_NO_MEMORY. */
dfl_status dfl_tree_create(dfl_tree **out, dfl_context *ctx,
                           const dfl_tree_description *description);
void dfl_tree_free(dfl_tree *tree);

/* Numbers of coordinates, velocities, bodies, driven joints and nodes (see dfl_tree_wrench). */
int dfl_tree_np(const dfl_tree *tree);
int dfl_tree_nv(const dfl_tree *tree);
int dfl_tree_nbodies(const dfl_tree *tree);
int dfl_tree_ndrives(const dfl_tree *tree);
int dfl_tree_nnodes(const dfl_tree *tree);

/* The first coordinate and the first velocity of a joint (joints have theirs in the order of the
   description), and its drive; -1 if it has none. */
int dfl_tree_joint_p(const dfl_tree *tree, int joint);
int dfl_tree_joint_v(const dfl_tree *tree, int joint);
int dfl_tree_joint_drive(const dfl_tree *tree, int joint);

/* The joint to which a velocity belongs; names of joints and bodies. */
int dfl_tree_joint_of(const dfl_tree *tree, int v);
const char *dfl_tree_joint_name(const dfl_tree *tree, int joint);
const char *dfl_tree_body_name(const dfl_tree *tree, int body);

/* Bytes of memory in use by the tree. */
size_t dfl_tree_bytes(const dfl_tree *tree);

/* p of the reference configuration: zeros and unit quaternions. */
void dfl_tree_reference(double *p, const dfl_tree *tree);

/* Prescribes the motion of a driven joint until the next call: coordinate, rate, acceleration. */
void dfl_tree_drive(dfl_tree *tree, int drive, double u, double ud, double udd);

/* p' = Z(p) v. Quaternions need not have length 1: only their direction counts. */
void dfl_tree_kinematics(double *pd, const dfl_tree *tree, const double *p, const double *v);

/* Y (np x np, zero before) = the derivative of Z(p) v with respect to p. */
void dfl_tree_kinematics_slope(double *Y, int ldy, const dfl_tree *tree, const double *p,
                               const double *v);

/* Y (rows x np) += A (rows x nv) Z^+: derivatives along velocities become derivatives with respect
   to p; for quaternions Z^+ = 2 Q^T / |e|^2. */
void dfl_tree_chain(double *Y, int ldy, const dfl_tree *tree, const double *A, int lda, int rows,
                    const double *p);

/* The lengths of all quaternions: e^T e - 1 for each (dfl_tree_nquaternions of them), and their first
   coordinates. */
int dfl_tree_nquaternions(const dfl_tree *tree);
int dfl_tree_quaternion(const dfl_tree *tree, int index);

/* Puts the tree at coordinates p. Everything below refers to the last call. */
void dfl_tree_place(dfl_tree *tree, const double *p);

/* tau = M(p) a + C(p,v) - (wrenches): the recursion of Newton and Euler. `wrench` holds 6 numbers per
   node (dfl_tree_add_force) and may be NULL. tau may be a. */
void dfl_tree_inverse(double *tau, dfl_tree *tree, const double *v, const double *a,
                      const double *wrench);

/* a = M^-1 (tau - C + wrenches): the articulated-body recursion. Along massless directions the
   acceleration is left at zero in the sense of Arnold (2013), and `gam` (may be NULL) receives the
   forces along these directions, gam = K0^T (tau - C + wrenches), dfl_tree_n0 numbers. */
void dfl_tree_forward(double *a, double *gam, dfl_tree *tree, const double *v, const double *tau,
                      const double *wrench);

/* M(p), nv x nv, both triangles: composite rigid bodies. `M` has leading dimension ld. */
void dfl_tree_mass(double *M, int ld, dfl_tree *tree);

/* Adds the wrench of a force F and a torque T, in world axes, F at the world point `at`, on `body` to
   `wrench`, 6 numbers for each of dfl_tree_nnodes nodes. Needs dfl_tree_poses. */
void dfl_tree_add_force(double *wrench, const dfl_tree *tree, int body, const double *at,
                        const double *F, const double *T);

/* ------------------------------------------------------------------ massless directions (Arnold 2013) */

/* What the decision about ranks found. */
typedef struct dfl_tree_ranks {
    int n0;         /* massless directions */
    int singular;   /* joints whose rank drops at p only: kinematic singularities */
    int negligible; /* a velocity whose inertia is between 1e-10 and 1e-6 of what it moves, or -1 */
    double ratio;   /* the smallest such ratio */
} dfl_tree_ranks;

/* Decides around p which directions of joints have no mass, and keeps the decision. */
dfl_tree_ranks dfl_tree_decide_ranks(dfl_tree *tree, const double *p);

/* The number of massless directions, n0 = nv - rank M, and the velocity that belongs to each. */
int dfl_tree_n0(const dfl_tree *tree);
int dfl_tree_massless(const dfl_tree *tree, int index);

/* K0, nv x n0, spans the kernel of M. Needs a dfl_tree_forward at the same place. */
void dfl_tree_null_space(double *K0, int ld, dfl_tree *tree);

/* ------------------------------------------------------------------ frames */

/* A point and axes fixed to a body. */
typedef struct dfl_frame {
    int node;
    double R[9], r[3]; /* row-major: frame to node; origin in the node */
} dfl_frame;

/* A frame at a point of the drawing with z along `axis` and x along `axis2` (made perpendicular); zeros
   mean the axes of the drawing. */
dfl_frame dfl_tree_frame(const dfl_tree *tree, int body, const double *at, const double *axis,
                         const double *axis2);

/* Where a frame is and how it moves, in world axes. */
typedef struct dfl_motion {
    double R[9], r[3];     /* row-major: frame to world; origin */
    double omega[3], v[3]; /* of the frame's origin */
    double alpha[3], a[3]; /* accelerations (not the spatial one) for v' = 0: J' v */
} dfl_motion;

/* World poses of all bodies (after dfl_tree_place), velocities and accelerations for v' = 0 (after
   dfl_tree_poses). */
void dfl_tree_poses(dfl_tree *tree);
void dfl_tree_velocities(dfl_tree *tree, const double *v);

/* R and r need dfl_tree_poses, the rest dfl_tree_velocities as well. */
void dfl_frame_pose(double *R, double *r, const dfl_tree *tree, const dfl_frame *frame);
dfl_motion dfl_frame_motion(const dfl_tree *tree, const dfl_frame *frame);

/* row (nv numbers, stride ld) += n^T omega-Jacobian + f^T v-Jacobian of the node's point `at` (world):
   the generalized force of torque n and force f. Needs dfl_tree_poses. */
void dfl_tree_project(double *row, int ld, const dfl_tree *tree, int node, const double *at,
                      const double *n, const double *f);

/* ------------------------------------------------------------------ derivatives */

typedef struct dfl_tree_derivatives dfl_tree_derivatives;

dfl_status dfl_tree_derivatives_create(dfl_tree_derivatives **out, dfl_context *ctx,
                                       dfl_tree *tree);
void dfl_tree_derivatives_free(dfl_tree_derivatives *work);

/* Derivatives of dfl_tree_inverse without wrenches: Tq along velocities (p moves with p' = Z v), Tv,
   and M, all nv x nv with leading dimension nv. Places the tree's poses itself (after
   dfl_tree_place). */
void dfl_tree_derive(double *Tq, double *Tv, double *M, dfl_tree_derivatives *work, const double *v,
                     const double *a);

#endif
