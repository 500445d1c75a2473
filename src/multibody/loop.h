/* loop.h: constraint rows of joints that close loops, and of couplings between joint coordinates. */
#ifndef DFL_MECHANICS_LOOP_H
#define DFL_MECHANICS_LOOP_H

#include "multibody/tree.h"

/* A joint that closes a loop. It is described in the drawing, where a loop is usually closed: then B is A. Otherwise, and for distances,
   `apart` says that B has its own point and axes. */
typedef struct dfl_loop {
    const char *name;
    dfl_joint_kind kind;
    int a, b; /* bodies or DFL_GROUND */
    double at[3], axis[3], axis2[3];
    bool apart;
    double at_b[3], axis_b[3], axis2_b[3];
    double length; /* distance: m; 0 means that of the drawing */
    double lead;   /* screw: m/rad */
} dfl_loop;

/* 0 = sum of factor_k q_k - offset over one-coordinate motions: gears, racks, differentials. */
typedef struct dfl_coupling {
    const char *name;
    int count;
    const int *joint, *component; /* component 0 .. of the joint's coordinates */
    const double *factor;
    double offset;
} dfl_coupling;

typedef struct dfl_loops dfl_loops;

/* The rows of all loops, then those of the couplings. The tree must outlive them.
   DFL_INVALID: the message names the loop. DFL_NO_MEMORY. */
dfl_status dfl_loops_create(dfl_loops **out, dfl_context *ctx, const dfl_tree *tree, int nloops,
                            const dfl_loop *loops, int ncouplings, const dfl_coupling *couplings);
void dfl_loops_free(dfl_loops *loops);

int dfl_loops_rows(const dfl_loops *loops);

/* The name of the loop or coupling of a row, and the number of the row in it. */
const char *dfl_loops_name(const dfl_loops *loops, int row, int *within);

/* g(p), gI = W v, W (rows x nv, leading dimension ld) and the bias of 0 = W v' + bias. All need
   dfl_tree_poses, gI and bias dfl_tree_velocities as well. Driven joints are contained in gI and bias. */
void dfl_loops_position(double *g, const dfl_loops *loops, const double *p);
void dfl_loops_velocity(double *gI, const dfl_loops *loops, const double *v);
void dfl_loops_directions(double *W, int ld, const dfl_loops *loops);
void dfl_loops_bias(double *bias, const dfl_loops *loops);

/* Derivatives at the state of the last dfl_tree_derive of `work`, along velocities (q) and by v: of gI
   (that by v is W) and of W a + bias, rows x nv with leading dimension ld. */
void dfl_loops_derive(double *gIq, double *gIIq, double *gIIv, int ld, const dfl_loops *loops,
                      const dfl_tree_derivatives *work);

/* Tq (nv x nv) -= the derivative of W^T lambda along velocities, there. */
void dfl_loops_derive_forces(double *Tq, const dfl_loops *loops, const dfl_tree_derivatives *work,
                             const double *lambda);

#endif
