/* loop.h: constraint rows of joints that close loops, and of couplings between joint coordinates. */
#ifndef DFL_MECHANICS_LOOP_H
#define DFL_MECHANICS_LOOP_H

#include "multibody/tree.h"

/* Frames A on one body and B on the other; z is along the axis, x along axis2. */
typedef enum dfl_loop_kind {
    DFL_LOOP_SPHERICAL,    /* 3 rows: the points coincide */
    DFL_LOOP_REVOLUTE,     /* 5 */
    DFL_LOOP_UNIVERSAL,    /* 4: axis fixed in A, axis2 fixed in B, stay perpendicular */
    DFL_LOOP_CYLINDRICAL,  /* 4 */
    DFL_LOOP_PRISMATIC,    /* 5 */
    DFL_LOOP_PLANAR,       /* 3: normal z */
    DFL_LOOP_FIXED,        /* 6 */
    DFL_LOOP_ON_LINE,      /* 2: the point of B on the axis of A */
    DFL_LOOP_ON_PLANE,     /* 1: the point of B in the plane of A with normal z */
    DFL_LOOP_DISTANCE,     /* 1: the distance of the points */
    DFL_LOOP_PLANE_PIN,    /* 2, plane models: the points coincide */
    DFL_LOOP_PLANE_SLIDER, /* 2, plane models: shift along the axis */
    DFL_LOOP_PLANE_FIXED,  /* 3, plane models */
    DFL_LOOP_SCREW, /* 5: shift along z = lead * angle about z, both 0 where A is B (scripts have none yet) */
    DFL_LOOP_KINDS
} dfl_loop_kind;

/* Described in the drawing, where a loop is usually closed: then B is A. Otherwise, and for distances,
   `apart` says that B has its own point and axes. */
typedef struct dfl_loop {
    const char *name;
    dfl_loop_kind kind;
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
