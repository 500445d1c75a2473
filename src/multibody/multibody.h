/* multibody.h: bodies and joints for the other modules: the table of joints, trees of bodies with
   their recursions, rows of loops. What users see is driftless/multibody.h, which also explains the
   description of a mechanism.

   Vectors of motion are (omega; v), of force (n; f), as in Featherstone, Rigid Body Dynamics
   Algorithms (2008). SI units, radians; matrices are column-major. An evaluation allocates nothing
   and takes time proportional to the number of bodies unless it fills a matrix. A tree holds its
   own workspace: use one per thread. */
#ifndef DFL_MULTIBODY_MODULE_H
#define DFL_MULTIBODY_MODULE_H

#include <driftless/context.h>
#include <driftless/multibody.h>
#include <stdbool.h>

/* ------------------------------------------------------------------ the table of joints (joints.c)

   All that distinguishes one kind of joint from another is in its row; the numeric tree, the
   expressions of drawings, loops, shapes, checks and scripts read it. */

/* A step of a joint. Joints with several independent motions are chains of steps with one axis, so
   that the motion subspace of every step is constant in its own frame, whose z is the axis. */
typedef enum dfl_step_kind {
    DFL_STEP_REVOLUTE,
    DFL_STEP_PRISMATIC,
    DFL_STEP_SCREW,
    DFL_STEP_SPHERICAL,
    DFL_STEP_FREE,
    DFL_STEP_USER,
    DFL_STEP_GROUND /* what the first steps hang on */
} dfl_step_kind;

/* The axis of a step: those of the joint, the axes made from them (side: axis2 made perpendicular
   to axis; third: axis x side), or those of the drawing. */
typedef enum dfl_step_axis {
    DFL_ALONG_NONE,
    DFL_ALONG_AXIS,
    DFL_ALONG_AXIS2,
    DFL_ALONG_SIDE,
    DFL_ALONG_THIRD,
    DFL_ALONG_X,
    DFL_ALONG_Y,
    DFL_ALONG_Z
} dfl_step_axis;

typedef struct dfl_joint_step {
    unsigned char kind, axis;
    unsigned char component; /* its first coordinate and velocity in the joint */
} dfl_joint_step;

/* Constraint rows of a joint that closes a loop, for frames A and B with z along the axis and x
   along axis2, axes u of A and w of B, and d = r_B - r_A. In the plane the axes are those of the
   drawing, or x is across the axis of a slide. */
typedef enum dfl_row_kind {
    DFL_ROW_DOT1,     /* u.w */
    DFL_ROW_DOT2,     /* u.d */
    DFL_ROW_TURN,     /* (u_A.w_B - w_A.u_B) / 2: sin of the angle times the axis of a turn */
    DFL_ROW_DISTANCE, /* (d.d - L^2) / (2 L) */
    DFL_ROW_SCREW     /* z.d - lead phi */
} dfl_row_kind;

typedef struct dfl_joint_row {
    unsigned char kind, u, w; /* u, w: 0, 1, 2 are x, y, z */
} dfl_joint_row;

enum { DFL_JOINT_STEPS = 3, DFL_JOINT_ROWS = 6 };

typedef struct dfl_joint_rows {
    int count; /* 0: cannot close a loop */
    dfl_joint_row row[DFL_JOINT_ROWS];
} dfl_joint_rows;

/* What a joint demands of its axis in a plane model. */
typedef enum dfl_plane_rule {
    DFL_PLANE_NEVER, /* it does not stay in the plane */
    DFL_PLANE_ANY,   /* it has no axis */
    DFL_PLANE_ACROSS,
    DFL_PLANE_WITHIN
} dfl_plane_rule;

/* What the point of a joint is used for. */
typedef enum dfl_point_use {
    DFL_POINT_UNUSED,
    DFL_POINT_ORIGIN, /* the origin of its coordinates */
    DFL_POINT_PLACE   /* also a place where both bodies are */
} dfl_point_use;

/* What a joint looks like. */
enum { DFL_LOOK_PIN = 1, DFL_LOOK_BALL = 2, DFL_LOOK_ROD = 4, DFL_LOOK_RAIL = 8 };

typedef struct dfl_joint_type {
    const char *name;  /* in scripts */
    const char *title; /* in messages: "a planar joint" */
    int steps;         /* of the chain from parent to child */
    dfl_joint_step step[DFL_JOINT_STEPS];
    int axes;       /* number of axes it needs */
    bool loop_only; /* only closes loops */
    dfl_point_use point;
    dfl_plane_rule plane;
    unsigned look;
    dfl_joint_rows space, flat; /* rows in space and in a plane model */
} dfl_joint_type;

extern const dfl_joint_type dfl_joint_types[DFL_JOINT_KINDS];

/* Steps, coordinates and velocities of a joint of the tree; those of user joints are not known. */
int dfl_joint_steps(dfl_joint_kind kind, bool planar);
int dfl_joint_np(dfl_joint_kind kind, bool planar);
int dfl_joint_nv(dfl_joint_kind kind, bool planar);

/* The units of a coordinate and of a velocity: "m", "rad/s", ...; NULL: none, or not known. */
const char *dfl_joint_p_unit(dfl_joint_kind kind, int component);
const char *dfl_joint_v_unit(dfl_joint_kind kind, int component);

/* The component that is its only angle, and its only shift; -1: there is none, or several. */
int dfl_joint_angle(dfl_joint_kind kind);
int dfl_joint_shift(dfl_joint_kind kind);

/* Whether the joint is a single step of this kind, and whether its motion can be prescribed. */
bool dfl_joint_is(dfl_joint_kind kind, dfl_step_kind step);
bool dfl_joint_may_be_driven(dfl_joint_kind kind);

/* Whether the child can turn relative to the parent. */
bool dfl_joint_turns(dfl_joint_kind kind);

/* Whether it must be given an axis. */
bool dfl_joint_needs_axis(dfl_joint_kind kind, bool planar);

/* Its rows if it closes a loop. */
const dfl_joint_rows *dfl_joint_rows_of(dfl_joint_kind kind, bool planar);

/* ------------------------------------------------------------------ trees */

typedef struct dfl_tree dfl_tree;

/* Checks bodies, joints and gravity of the description and creates the tree, in its reference
   configuration; the description is not needed afterwards. The ranks of massless joints are decided
   around the reference (see dfl_tree_decide_ranks). The caller frees *out with dfl_tree_free; on
   failure *out is NULL. DFL_INVALID: the message names the body or joint. DFL_NO_MEMORY. */
dfl_status dfl_tree_create(dfl_tree **out, dfl_context *ctx,
                           const dfl_multibody_description *description);
void dfl_tree_free(dfl_tree *tree);

/* Numbers of coordinates, velocities and driven joints. */
int dfl_tree_np(const dfl_tree *tree);
int dfl_tree_nv(const dfl_tree *tree);
int dfl_tree_ndrives(const dfl_tree *tree);

/* The first coordinate and the first velocity of a joint (joints have theirs in the order of the
   description); -1 if it has none. */
int dfl_tree_joint_p(const dfl_tree *tree, int joint);
int dfl_tree_joint_v(const dfl_tree *tree, int joint);

/* The joint to which a velocity belongs; the name of a joint. */
int dfl_tree_joint_of(const dfl_tree *tree, int v);
const char *dfl_tree_joint_name(const dfl_tree *tree, int joint);

/* p of the reference configuration: zeros and unit quaternions. */
void dfl_tree_reference(double *p, const dfl_tree *tree);

/* Prescribes the motion of a driven joint until the next call: coordinate, rate, acceleration. */
void dfl_tree_drive(dfl_tree *tree, int drive, double u, double ud, double udd);

/* p' = Z(p) v. Quaternions need not have length 1: only their direction matters. */
void dfl_tree_kinematics(double *pd, const dfl_tree *tree, const double *p, const double *v);

/* Y (np x np, zero before) = the derivative of Z(p) v with respect to p. */
void dfl_tree_kinematics_slope(double *Y, int ldy, const dfl_tree *tree, const double *p,
                               const double *v);

/* Y (rows x np) += A (rows x nv) Z^+: derivatives along velocities become derivatives with respect
   to p; for quaternions Z^+ = 2 Q^T / |e|^2. */
void dfl_tree_chain(double *Y, int ldy, const dfl_tree *tree, const double *A, int lda, int rows,
                    const double *p);

/* The lengths of all quaternions: e^T e - 1 for each (dfl_tree_nquaternions of them), and their
   first coordinates. */
int dfl_tree_nquaternions(const dfl_tree *tree);
int dfl_tree_quaternion(const dfl_tree *tree, int index);

/* Moves the tree to coordinates p. Everything below refers to the last call. */
void dfl_tree_place(dfl_tree *tree, const double *p);

/* tau = M(p) a + C(p,v): the recursion of Newton and Euler. tau may be a. */
void dfl_tree_inverse(double *tau, dfl_tree *tree, const double *v, const double *a);

/* a = M^-1 (tau - C): the articulated-body recursion. Along massless directions the acceleration is
   left at zero in the sense of Arnold (2013), and `gam` (may be NULL) receives the forces along
   these directions, gam = K0^T (tau - C), dfl_tree_n0 numbers. False: M may be singular here, ask
   dfl_tree_singular. tau may be a. */
bool dfl_tree_forward(double *a, double *gam, dfl_tree *tree, const double *v, const double *tau);

/* M(p), nv x nv, both triangles: composite rigid bodies. `M` has leading dimension ld. */
void dfl_tree_mass(double *M, int ld, dfl_tree *tree);

/* ------------------------------------------------------------ massless directions (Arnold 2013) */

/* What the decision about ranks found. */
typedef struct dfl_tree_ranks {
    int n0;         /* massless directions */
    int singular;   /* joints whose rank drops at p only: kinematic singularities */
    int negligible; /* a velocity whose inertia is between 1e-10 and 1e-6 of what it moves, or -1 */
    double ratio;   /* the smallest such ratio */
} dfl_tree_ranks;

/* Decides around p which directions of joints have no mass, and keeps the decision. */
dfl_tree_ranks dfl_tree_decide_ranks(dfl_tree *tree, const double *p);

/* The same as decided last. */
dfl_tree_ranks dfl_tree_ranks_of(const dfl_tree *tree);

/* The number of massless directions, n0 = nv - rank M, and the velocity that belongs to each. */
int dfl_tree_n0(const dfl_tree *tree);
int dfl_tree_massless(const dfl_tree *tree, int index);

/* A velocity whose inertia is a rounding error at the place of the tree, -1 if there is none. For
   trees without massless directions; overwrites velocities. */
int dfl_tree_singular(dfl_tree *tree);

/* K0, nv x n0, spans the kernel of M. Needs a dfl_tree_forward at the same place. */
void dfl_tree_null_space(double *K0, int ld, dfl_tree *tree);

/* ------------------------------------------------------------------ frames */

/* A frame at a point of the drawing with z along `axis` and x along `axis2` (made perpendicular);
   zeros mean the axes of the drawing. */
dfl_frame dfl_tree_frame(const dfl_tree *tree, int body, const double *at, const double *axis,
                         const double *axis2);

/* World poses of all bodies (after dfl_tree_place), velocities and accelerations for v' = 0 (after
   dfl_tree_poses). */
void dfl_tree_poses(dfl_tree *tree);
void dfl_tree_velocities(dfl_tree *tree, const double *v);

/* R and r need dfl_tree_poses, the rest dfl_tree_velocities as well. */
void dfl_frame_pose(double *R, double *r, const dfl_tree *tree, const dfl_frame *frame);
dfl_motion dfl_frame_motion(const dfl_tree *tree, const dfl_frame *frame);

/* row (nv numbers, stride ld) += n^T omega-Jacobian + f^T v-Jacobian of the node's point `at`
   (world): the generalized force of torque n and force f. Needs dfl_tree_poses. */
void dfl_tree_project(double *row, int ld, const dfl_tree *tree, int node, const double *at,
                      const double *n, const double *f);

/* ------------------------------------------------------------------ derivatives */

typedef struct dfl_tree_derivatives dfl_tree_derivatives;

dfl_status dfl_tree_derivatives_create(dfl_tree_derivatives **out, dfl_context *ctx,
                                       dfl_tree *tree);
void dfl_tree_derivatives_free(dfl_tree_derivatives *work);

/* Derivatives of dfl_tree_inverse: Tq along velocities (p moves with p' = Z v), Tv,
   and M, all nv x nv with leading dimension nv. Places the tree's poses itself (after
   dfl_tree_place). */
void dfl_tree_derive(double *Tq, double *Tv, double *M, dfl_tree_derivatives *work, const double *v,
                     const double *a);

#include "multibody/elastic_tree.h"

/* ------------------------------------------------------------------ checks (tree_check.c) */

/* Whether a body can exist. DFL_INVALID: the message names it, or gives its number, and says what
   to do. */
dfl_status dfl_tree_check_body(dfl_context *ctx, const dfl_rigid_body *body, int number,
                               bool planar);

/* ------------------------------------------------------------------ loops */

typedef struct dfl_loops dfl_loops;

/* The rows of all loops, then those of the couplings. The tree must outlive them.
   DFL_INVALID: the message names the loop. DFL_NO_MEMORY. */
dfl_status dfl_loops_create(dfl_loops **out, dfl_context *ctx, const dfl_tree *tree, int nloops,
                            const dfl_loop *loops, int ncouplings, const dfl_coupling *couplings);
void dfl_loops_free(dfl_loops *loops);

int dfl_loops_rows(const dfl_loops *loops);

/* The name of the loop or coupling of a row, and the number of the row in it. */
const char *dfl_loops_name(const dfl_loops *loops, int row, int *within);
bool dfl_loops_is_coupling(const dfl_loops *loops, int row);

/* Rows of perpendicular axes are satisfied by opposite axes as well: the smallest cosine between
   axes that coincide in a loop as it is drawn, 1 there and -1 in a mirror image, and its row. Needs
   dfl_tree_poses. */
double dfl_loops_side(const dfl_loops *loops, int *row);

/* Changes rows g of loops that are off by more than a right angle, so that Newton's iteration with
   W does not close them as mirror images (loop_sides.c). Needs dfl_tree_poses. */
void dfl_loops_continue(double *g, const dfl_loops *loops);

/* g(p), gI = W v, W (rows x nv, leading dimension ld) and the bias of 0 = W v' + bias. All need
   dfl_tree_poses, gI and bias dfl_tree_velocities as well. Driven joints are contained in gI and
   bias. */
void dfl_loops_position(double *g, const dfl_loops *loops, const double *p);
void dfl_loops_velocity(double *gI, const dfl_loops *loops, const double *v);
void dfl_loops_directions(double *W, int ld, const dfl_loops *loops);
void dfl_loops_bias(double *bias, const dfl_loops *loops);

/* Derivatives at the state of the last dfl_tree_derive of `work`, along velocities (q) and by v: of
   gI (that by v is W) and of W a + bias, rows x nv with leading dimension ld. */
void dfl_loops_derive(double *gIq, double *gIIq, double *gIIv, int ld, const dfl_loops *loops,
                      const dfl_tree_derivatives *work);

/* Tq (nv x nv) -= the derivative of W^T lambda along velocities, there. */
void dfl_loops_derive_forces(double *Tq, const dfl_loops *loops, const dfl_tree_derivatives *work,
                             const double *lambda);

#endif
