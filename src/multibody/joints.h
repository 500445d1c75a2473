/* joints.h: the table of joints. All that distinguishes one kind of joint from another is in its row
   here; the numeric tree, the expressions of drawings, loops, shapes, checks and scripts read it. */
#ifndef DFL_MULTIBODY_JOINTS_H
#define DFL_MULTIBODY_JOINTS_H

#include <driftless/multibody.h>
#include <stdbool.h>

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

/* The axis of a step: those of the joint, the axes made from them (side: axis2 made perpendicular to
   axis; third: axis x side), or those of the drawing. */
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

/* Constraint rows of a joint that closes a loop, for frames A and B with z along the axis and x along
   axis2, axes u of A and w of B, and d = r_B - r_A. In the plane the axes are those of the drawing,
   or x is across the axis of a slide. */
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

/* What the point of a joint is good for. */
typedef enum dfl_point_use {
    DFL_POINT_UNUSED,
    DFL_POINT_ORIGIN, /* the origin of its coordinates */
    DFL_POINT_PLACE   /* also a place where both bodies are */
} dfl_point_use;

/* What a joint looks like. */
enum { DFL_LOOK_PIN = 1, DFL_LOOK_BALL = 2, DFL_LOOK_ROD = 4, DFL_LOOK_RAIL = 8 };

typedef struct dfl_joint_type {
    const char *name; /* in scripts */
    int steps;        /* of the chain from parent to child */
    dfl_joint_step step[DFL_JOINT_STEPS];
    int axes;       /* number of axes it needs */
    bool loop_only; /* can do nothing but close a loop */
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

/* Whether the child can turn against the parent. */
bool dfl_joint_turns(dfl_joint_kind kind);

/* Whether it must be given an axis. */
bool dfl_joint_needs_axis(dfl_joint_kind kind, bool planar);

/* Its rows if it closes a loop. */
const dfl_joint_rows *dfl_joint_rows_of(dfl_joint_kind kind, bool planar);

#endif
