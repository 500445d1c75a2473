/* driftless/multibody.h: mechanisms of rigid bodies and joints, as equations of motion for the
   solver and by themselves.

   A mechanism is described as in a drawing: in world coordinates of the reference configuration, in
   which all joint coordinates are zero. Every body hangs on one joint, so that bodies and joints
   form a tree; further joints close loops. The unknowns are the coordinates p and velocities v of
   all joints, in the order of the description, and one multiplier per row of loops and couplings:

       p' = Z(p) v
       M(p) a = f(t, p, v) + tau - W^T lambda     f: gravity, inertia, springs, applied forces
       0 = g(t, p),  0 = gI = W v + ...,  0 = W a + bias

   tau are further generalized forces, such as those of motors; the equations of motion have none.
   SI units, radians; matrices are column-major; vectors of motion are (omega; v), of force (n; f),
   as in Featherstone, Rigid Body Dynamics Algorithms (2008).

   Functions that compute something at a state refer to the last dfl_multibody_move. They take time
   proportional to the number of bodies unless they fill a matrix or the mechanism has loops. A
   mechanism holds its own workspace: use one per thread. Inside its callbacks, call only the
   functions named there; others that return a status return DFL_INVALID. If an input is not finite,
   neither are the results, or the status is a failure. */
#ifndef DFL_MULTIBODY_H
#define DFL_MULTIBODY_H

#include <driftless/context.h>
#include <driftless/eom.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ description */

/* The number of the inertial frame wherever a body is expected. */
enum { DFL_GROUND = -1 };

/* The kinds of joints, with their coordinates p and velocities v in this order. An orientation is a
   quaternion (e0, e1, e2, e3) from child to parent; omega and v of its joints are in axes of the
   child, shifts from the drawing in axes of the parent. Axes of a body are those of the drawing,
   turning with it. All kinds but free and user joints can close a loop; the last three can do
   nothing else. In a plane model fixed, revolute, prismatic, planar and translation joints carry
   bodies, and fixed, revolute, prismatic, translation, point-on-line and distance joints close
   loops. */
typedef enum dfl_joint_kind {
    DFL_JOINT_FIXED,         /* no motion: the child becomes part of the parent */
    DFL_JOINT_REVOLUTE,      /* angle about axis */
    DFL_JOINT_PRISMATIC,     /* shift along axis */
    DFL_JOINT_SCREW,         /* angle about axis; shift = lead * angle */
    DFL_JOINT_CYLINDRICAL,   /* angle about axis, shift along it */
    DFL_JOINT_UNIVERSAL,     /* angle about axis (fixed in the parent), then axis2 (in the child) */
    DFL_JOINT_PLANAR,        /* shifts along axis2 and axis x axis2, angle about axis */
    DFL_JOINT_TRANSLATION,   /* shifts along x, y, z of the parent; in the plane x, y */
    DFL_JOINT_SPHERICAL,     /* p: quaternion; v: omega */
    DFL_JOINT_FREE,          /* p: shift of `at`, quaternion; v: omega, velocity of `at` */
    DFL_JOINT_USER,          /* its pose is an expression of its coordinates: scripts only */
    DFL_JOINT_POINT_ON_LINE, /* the point of B stays on the axis of A */
    DFL_JOINT_POINT_ON_PLANE, /* the point of B stays in the plane of A across its axis */
    DFL_JOINT_DISTANCE,       /* the points of A and B keep their distance */
    DFL_JOINT_KINDS
} dfl_joint_kind;

/* A body. mass, inertia and com may be zero; the inertia is about the centre of mass. */
typedef struct dfl_rigid_body {
    const char *name; /* for messages; NULL: none */
    double mass, com[3];
    double inertia[6]; /* xx yy zz xy xz yz; in a plane model only zz is used */
} dfl_rigid_body;

/* A joint of the tree: `child` hangs on `parent`. */
typedef struct dfl_joint {
    const char *name;
    dfl_joint_kind kind;
    int parent, child; /* bodies; the parent may be DFL_GROUND */
    double at[3];
    double axis[3];  /* any length but zero; in a plane model all zero means z, if it must be z */
    double axis2[3]; /* universal: second axis, perpendicular to the first; planar: direction of the
                        first shift, all zero means the direction of x (or y) in the plane */
    double lead;     /* screw: m/rad */
    bool driven;     /* revolute, prismatic, screw: no coordinate, the motion is prescribed */
} dfl_joint;

/* A joint that closes a loop. In the drawing a loop is usually closed: then B is A. Otherwise, and
   for distances, `apart` says that B has its own point and axes. Fixed, translation, spherical and
   distance joints need no axis, in a plane model revolute joints neither; the axis of a plane slide
   or line lies in the plane. A universal joint has `axis` in A and `axis2` (apart: axis2_b,
   perpendicular to axis_b) in B. A screw is closed at every whole turn: its angle is taken in the
   turn nearest to shift / lead.

   The rows of a loop, in this order. d goes from the point of A to that of B; x, y, z are the axes
   of A, X, Y, Z those of B, made of `axis` and `axis2` as in dfl_multibody_frame. In a plane model
   they are those of the drawing; for slides and lines z is along the axis and x to its left.

       fixed        x.d  y.d  z.d  xZ  yZ  xY            in a plane  x.d  y.d  x.Y
       revolute     x.d  y.d  z.d  x.Z  y.Z                          x.d  y.d
       prismatic    x.d  y.d  xZ  yZ  xY                             x.d  x.Z
       screw        x.d  y.d  x.Z  y.Z  z.d - lead phi
       cylindrical  x.d  y.d  x.Z  y.Z
       universal    x.d  y.d  z.d  z.X
       planar       z.d  x.Z  y.Z
       translation  xZ  yZ  xY                                       x.Y
       spherical    x.d  y.d  z.d
       point on line, on plane   x.d  y.d;  z.d                      x.d
       distance     (d.d - L^2) / (2 L)                              the same

   xZ is short for (x.Z - z.X) / 2. Rows with d are in metres, the others have no unit. On B, and
   opposite on A, the multiplier lambda of a row is the force -lambda u (N) at the point for a row
   u.d, the torque lambda u x W (N m) for u.W and uW, the force -lambda d / L for a distance (lambda
   > 0 pulls), and the force -lambda z with the torque lead lambda z for a screw. */
typedef struct dfl_loop {
    const char *name;
    dfl_joint_kind kind;
    int a, b; /* bodies or DFL_GROUND */
    double at[3], axis[3], axis2[3];
    bool apart;
    double at_b[3], axis_b[3], axis2_b[3];
    double length; /* distance: m; 0 means the distance in the drawing */
    double lead;   /* screw: m/rad */
} dfl_loop;

/* 0 = sum of factor q - offset over angles and shifts of joints that are not driven: gears, racks,
   differentials. The generalized force on each q is -factor lambda. */
typedef struct dfl_coupling_term {
    int joint, component; /* component 0, 1, ... of the joint's coordinates */
    double factor;
} dfl_coupling_term;

typedef struct dfl_coupling {
    const char *name;
    int nterms;
    const dfl_coupling_term *terms;
    double offset;
} dfl_coupling;

/* tau = -stiffness (q - rest) - damping q' on an angle or a shift of a joint that is not driven. */
typedef struct dfl_joint_spring {
    int joint, component;
    double stiffness; /* N m/rad, N/m */
    double damping;   /* N m s/rad, N s/m */
    double rest;      /* rad, m */
} dfl_joint_spring;

typedef struct dfl_multibody dfl_multibody;

/* Adds generalized forces to tau (nv numbers). The mechanism is at (t, p, v): dfl_multibody_frame,
   _motion, _jacobian and _push may be called, and none of its other functions. Return values as for
   dfl_eval_fn. */
typedef int (*dfl_force_fn)(double *tau, dfl_multibody *multibody, double t, const double *p,
                            const double *v, void *user);

/* Adds the derivatives of these forces, nv x nv: Tq along velocities (column j: p moves with
   p' = Z e_j), Tv by v. Otherwise as dfl_force_fn. */
typedef int (*dfl_force_slopes_fn)(double *Tq, double *Tv, dfl_multibody *multibody, double t,
                                   const double *p, const double *v, void *user);

/* Writes coordinate, rate and acceleration of every driven joint at time t, 3 numbers per joint, in
   the order of the description. Return values as for dfl_eval_fn. */
typedef int (*dfl_drive_fn)(double *motion, double t, void *user);

/* A mechanism. `{0}` is the empty one. */
typedef struct dfl_multibody_description {
    int nbodies, njoints; /* every body is the child of one joint */
    const dfl_rigid_body *bodies;
    const dfl_joint *joints;
    double gravity[3]; /* acceleration, such as (0, 0, -9.81) */
    bool planar;       /* everything moves in planes parallel to x y */
    int nloops, ncouplings, nsprings;
    const dfl_loop *loops;
    const dfl_coupling *couplings;
    const dfl_joint_spring *springs;
    dfl_force_fn force;         /* may be NULL */
    dfl_force_slopes_fn slopes; /* NULL with a force: its derivatives by differences */
    dfl_drive_fn drive;         /* needed if joints are driven */
    void *user;
    const double *p0; /* np numbers: a usual position, loops closed, about which it is decided which
                         directions have no mass and which of them loops hold; NULL: the drawing */
} dfl_multibody_description;

/* ------------------------------------------------------------------ life, sizes */

/* Checks the description and creates the mechanism, in the drawing and at rest. Strings and arrays
   are copied. The caller frees *out with dfl_multibody_free; on failure *out is NULL. DFL_INVALID:
   the message names the body, joint, loop, coupling or spring; also for a loop that no motion can
   close. DFL_CALLBACK: `drive` failed at t = 0. DFL_NO_MEMORY. dfl_multibody_free takes NULL. */
dfl_status dfl_multibody_create(dfl_multibody **out, dfl_context *ctx,
                                const dfl_multibody_description *description);
void dfl_multibody_free(dfl_multibody *multibody);

typedef struct dfl_multibody_sizes {
    int np, nv;       /* coordinates, velocities */
    int nl;           /* rows of loops, then of couplings: multipliers */
    int ndrives;      /* driven joints */
    int nquaternions; /* each has a row e^T e - 1 = 0 among the invariants `ep` of the equations */
    int n0;           /* massless directions that no loop holds */
} dfl_multibody_sizes;
dfl_multibody_sizes dfl_multibody_sizes_of(const dfl_multibody *multibody);

/* The first coordinate and the first velocity of a joint; -1 if it has none or does not exist. */
int dfl_multibody_joint_p(const dfl_multibody *multibody, int joint);
int dfl_multibody_joint_v(const dfl_multibody *multibody, int joint);

/* p of the drawing: zeros and unit quaternions. */
void dfl_multibody_reference(double *p, const dfl_multibody *multibody);

/* The equations of motion for dfl_solver_create, x = [lambda | v | p]. Derivatives are exact, but
   those of a force without slopes are differences (2 nv + 1 forces each time). They belong to the
   mechanism, which the solver moves: one solver at a time may use it. The first call allocates nv x
   nv matrices. DFL_NO_MEMORY. */
dfl_status dfl_multibody_eom(const dfl_eom **out, dfl_multibody *multibody);

/* ------------------------------------------------------------------ at a state */

/* Moves the mechanism to time t, coordinates p and velocities v (NULL: at rest); quaternions need
   not have length 1, only their direction matters. The functions below refer to this state; after a
   failure, to the former one. DFL_INVALID: a quaternion has length 0. DFL_CALLBACK: `drive`
   failed. */
dfl_status dfl_multibody_move(dfl_multibody *multibody, double t, const double *p, const double *v);

/* Changes p (np numbers) until loops and couplings are closed and quaternions have length 1, and
   moves the mechanism there, at rest. Newton's iteration, each step with the least velocities that
   close the linearized rows: the result is near p, but not the nearest. Opposite axes of A and B, a
   mirror image, are not closed. DFL_INCONSISTENT: no closed configuration was found; the message
   names the loop that stays open. DFL_INVALID: p is not finite, or a quaternion has length 0.
   DFL_CALLBACK. DFL_NO_MEMORY. On failure p is where the search ended; move the mechanism before
   you use it. */
dfl_status dfl_multibody_assemble(double *p, dfl_multibody *multibody, double t);

/* p' = Z(p) v at the state. */
void dfl_multibody_rates(double *pd, const dfl_multibody *multibody);

/* tau = M a - f: the generalized forces that give accelerations a, without those of loops.
   tau may be a. DFL_CALLBACK: `force` failed. */
dfl_status dfl_multibody_inverse(double *tau, dfl_multibody *multibody, const double *a);

/* Accelerations a, and multipliers lambda (nl numbers; may be NULL), under the forces tau (NULL:
   none; may be a). If rows of loops depend on each other, lambda has the least norm. The first call
   for a mechanism with loops allocates matrices. DFL_SINGULAR: forces do not determine the
   accelerations along massless directions (n0 > 0), or M is singular here; the message names the
   joint. DFL_INCONSISTENT: no accelerations keep a loop closed, because drives or velocities
   contradict it; the message names the loop. DFL_CALLBACK: `force` failed. DFL_NO_MEMORY. */
dfl_status dfl_multibody_forward(double *a, double *lambda, dfl_multibody *multibody,
                                 const double *tau);

/* M (nv x nv, both triangles). */
void dfl_multibody_mass(double *M, dfl_multibody *multibody);

/* g, gI, bias (nl numbers each) and W (nl x nv) of loops and couplings; each may be NULL. The order
   of the rows is that of dfl_loop. */
typedef struct dfl_loop_rows {
    double *g, *gI, *bias, *W;
} dfl_loop_rows;
void dfl_multibody_loops(const dfl_loop_rows *out, dfl_multibody *multibody);

/* ------------------------------------------------------------------ frames */

/* A point and axes fixed to a body, made by dfl_multibody_frame. */
typedef struct dfl_frame {
    int node;
    double R[9], r[3]; /* row-major: frame to node; origin in the node */
} dfl_frame;

/* A frame of a body at the point `at` of the drawing (NULL: its origin) with z along `axis` (NULL
   or zeros: the axes of the drawing, whatever axis2 is) and x along `axis2`, made perpendicular
   (NULL or zeros: the direction of x, or of y if `axis` is close to x). DFL_INVALID: there is no
   such body. */
dfl_status dfl_multibody_frame(dfl_frame *out, const dfl_multibody *multibody, int body,
                               const double *at, const double *axis, const double *axis2);

/* Where a frame is and how it moves, in world axes. */
typedef struct dfl_motion {
    double R[9], r[3];     /* row-major: frame to world; origin */
    double omega[3], v[3]; /* of the frame's origin */
    double alpha[3], a[3]; /* accelerations for v' = 0: J' v, and what driven joints contribute */
} dfl_motion;
dfl_motion dfl_multibody_motion(dfl_multibody *multibody, const dfl_frame *frame);

/* J (6 x nv): (omega; v) of the frame's origin in world axes is J times the velocities, plus what
   driven joints contribute: the motion at v = 0. */
void dfl_multibody_jacobian(double *J, dfl_multibody *multibody, const dfl_frame *frame);

/* tau += J^T (torque; force), both in world axes, the force at the frame's origin; NULL: none. */
void dfl_multibody_push(double *tau, dfl_multibody *multibody, const dfl_frame *frame,
                        const double *force, const double *torque);

/* ------------------------------------------------------------------ derivatives */

/* Derivatives of dfl_multibody_inverse, nv x nv each: Tq along velocities (column j: p moves with
   p' = Z e_j), Tv by v, and M. The first call allocates. DFL_CALLBACK. DFL_NO_MEMORY. */
dfl_status dfl_multibody_inverse_slopes(double *Tq, double *Tv, double *M, dfl_multibody *multibody,
                                        const double *a);

/* Derivatives of the accelerations of dfl_multibody_forward, nv x nv each: Aq along velocities, Av
   by v, At by tau; with loops, of the accelerations that keep them closed. Fails as
   dfl_multibody_forward does. */
dfl_status dfl_multibody_forward_slopes(double *Aq, double *Av, double *At,
                                        dfl_multibody *multibody, const double *tau);

/* ------------------------------------------------------------ massless directions (Arnold 2013) */

/* K0 (nv x n0) spans the directions without mass that no loop holds, gam (n0) = K0^T (f + tau) are
   the forces along them, which must vanish. tau may be NULL. The first call allocates.
   DFL_CALLBACK. DFL_NO_MEMORY. */
dfl_status dfl_multibody_null_space(double *K0, double *gam, dfl_multibody *multibody,
                                    const double *tau);

/* What determines the massless directions: how many of each kind. */
typedef struct dfl_massless {
    int held;        /* by loops: they need no further treatment */
    int first_order; /* by dampers: their speed is algebraic */
    int quasistatic; /* by springs only: their position would be algebraic */
    int undetermined;
    bool negative_damping; /* the solution is not the limit of small masses */
    double damping;        /* the smallest singular value of K0^T f_v K0 ... */
    double size;           /* ... and the largest entry of f_v */
    int singular;          /* joints whose mass vanishes at p0 only: kinematic singularities */
    int negligible; /* a velocity whose inertia is between 1e-10 and 1e-6 of what it moves, or -1 */
    double ratio;   /* the smallest such ratio */
} dfl_massless;

/* Classifies the massless directions at the state. DFL_SINGULAR: a direction has no damping; the
   message names it, the bodies that it moves, and ways out. DFL_CALLBACK. DFL_NO_MEMORY. */
dfl_status dfl_multibody_check_massless(dfl_massless *out, dfl_multibody *multibody);

/* ------------------------------------------------------------------ several states at once

   Inverse dynamics of four states in the time of about two, forward dynamics in that of one and a
   half (with AVX2), for differences, parameter studies and prediction. Entry i of state k is at
   [i * DFL_MULTIBODY_LANES + k] in all arrays. */
enum { DFL_MULTIBODY_LANES = 4 };

typedef struct dfl_multibody_lanes dfl_multibody_lanes;

/* All states are in the drawing at rest, driven joints at 0. The mechanism must outlive *out, which
   the caller frees (NULL is allowed); on failure it is NULL. DFL_INVALID: the mechanism has a force
   callback, which handles one state at a time. DFL_NO_MEMORY. */
dfl_status dfl_multibody_lanes_create(dfl_multibody_lanes **out, dfl_multibody *multibody);
void dfl_multibody_lanes_free(dfl_multibody_lanes *lanes);

/* As dfl_multibody_move, _inverse and _forward for four states at time t. The state of the
   mechanism has no influence and does not change. Forward dynamics of mechanisms with loops or
   couplings is DFL_INVALID; with DFL_SINGULAR the accelerations of regular states are valid. */
dfl_status dfl_multibody_lanes_move(dfl_multibody_lanes *lanes, double t, const double *p,
                                    const double *v);
dfl_status dfl_multibody_lanes_inverse(double *tau, dfl_multibody_lanes *lanes, const double *a);
dfl_status dfl_multibody_lanes_forward(double *a, dfl_multibody_lanes *lanes, const double *tau);

#ifdef __cplusplus
}
#endif
#endif
