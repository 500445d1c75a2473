/* mechanism.h: a tree with loops, springs and forces as equations of motion.

   The equations use joint coordinates: p and v of all joints in the order of the description, one
   multiplier per row of loops and couplings, e^T e - 1 = 0 for every quaternion as invariants `ep`, and
   massless directions as rows `gam`. Dynamics are offered as the residual M a - f, an O(N) recursion. */
#ifndef DFL_MECHANICS_MECHANISM_H
#define DFL_MECHANICS_MECHANISM_H

#include "multibody/loop.h"
#include "multibody/tree.h"

#include <driftless/eom.h>

/* Adds generalized forces to tau (nv numbers). Poses and velocities of the tree are those of (p, v), so
   that frames, dfl_tree_project and, for wrenches, dfl_frame_motion can be used. Returns as
   dfl_eval_fn does. */
typedef int (*dfl_mechanism_force_fn)(double *tau, const dfl_tree *tree, double t, const double *p,
                                      const double *v, void *user);

/* Adds the derivatives of these forces, nv x nv: Tq along velocities (p' = Z v), Tv by v. */
typedef int (*dfl_mechanism_slopes_fn)(double *Tq, double *Tv, const dfl_tree *tree, double t,
                                       const double *p, const double *v, void *user);

/* Prescribes all driven joints at time t with dfl_tree_drive. */
typedef void (*dfl_mechanism_drive_fn)(dfl_tree *tree, double t, void *user);

/* tau = -stiffness (q - rest) - damping q' on an angle or a shift of a joint. */
typedef struct dfl_joint_spring {
    int joint, component;
    double stiffness, damping, rest;
} dfl_joint_spring;

typedef struct dfl_mechanism_description {
    dfl_tree_description tree;
    int nloops, ncouplings, nsprings;
    const dfl_loop *loops;
    const dfl_coupling *couplings;
    const dfl_joint_spring *springs;
    dfl_mechanism_force_fn force;   /* may be NULL */
    dfl_mechanism_slopes_fn slopes; /* NULL with a force: derivatives by differences */
    dfl_mechanism_drive_fn drive;   /* needed if joints are driven */
    void *user;
} dfl_mechanism_description;

typedef struct dfl_mechanism dfl_mechanism;

/* Creates the equations. Massless directions are decided around p0 (NULL: the reference), where loops
   should be closed. Strings and arrays are copied. On failure *out is NULL.
   DFL_INVALID: the message names the part. DFL_NO_MEMORY. */
dfl_status dfl_mechanism_create(dfl_mechanism **out, dfl_context *ctx,
                                const dfl_mechanism_description *description, const double *p0);
void dfl_mechanism_free(dfl_mechanism *mechanism);

/* The equations live as long as the mechanism. */
const dfl_eom *dfl_mechanism_eom(const dfl_mechanism *mechanism);
dfl_tree *dfl_mechanism_tree(dfl_mechanism *mechanism);
dfl_tree_ranks dfl_mechanism_ranks(const dfl_mechanism *mechanism);

/* What massless directions are determined by. */
typedef struct dfl_massless {
    int held;        /* by loops: nothing changes */
    int first_order; /* by dampers: their speed is algebraic */
    int quasistatic; /* by springs only: their position would be algebraic */
    int undetermined;
    bool negative_damping; /* the solution is not the limit of small masses */
    double damping;        /* the smallest singular value of K0^T f_v K0 ... */
    double size;           /* ... and the largest entry of f_v */
} dfl_massless;

/* Classifies the massless directions at (t, p, v). DFL_SINGULAR: a direction has no damping; the
   message names it, the bodies that it moves, and ways out. DFL_NO_MEMORY. */
dfl_status dfl_mechanism_check_massless(dfl_massless *out, dfl_mechanism *mechanism, double t,
                                        const double *p, const double *v);

#endif
