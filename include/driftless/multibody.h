/* driftless/multibody.h: mechanisms of rigid bodies and joints. */
#ifndef DFL_MULTIBODY_H
#define DFL_MULTIBODY_H

/* The number of the inertial frame wherever a body is expected. */
enum { DFL_GROUND = -1 };

/* The kinds of joints, with their coordinates p and velocities v in this order. An orientation is a
   quaternion (e0, e1, e2, e3) from child to parent; omega and v of its joints are in axes of the
   child. Every joint that has rows can close a loop; the last three can do nothing else. */
typedef enum dfl_joint_kind {
    DFL_JOINT_FIXED,         /* no motion: the child becomes part of the parent */
    DFL_JOINT_REVOLUTE,      /* angle about axis */
    DFL_JOINT_PRISMATIC,     /* shift along axis */
    DFL_JOINT_SCREW,         /* angle about axis; shift = lead * angle */
    DFL_JOINT_CYLINDRICAL,   /* angle about axis, shift along it */
    DFL_JOINT_UNIVERSAL,     /* angle about axis (fixed in the parent), then axis2 (in the child) */
    DFL_JOINT_PLANAR,        /* shifts along axis2 and axis x axis2, angle about axis */
    DFL_JOINT_TRANSLATION,   /* shifts along x, y, z of the drawing; in the plane x, y */
    DFL_JOINT_SPHERICAL,     /* p: quaternion; v: omega */
    DFL_JOINT_FREE,          /* p: position, quaternion; v: omega, velocity of the point `at` */
    DFL_JOINT_USER,          /* its pose is an expression of its coordinates: scripts only */
    DFL_JOINT_POINT_ON_LINE, /* the point of B stays on the axis of A */
    DFL_JOINT_POINT_ON_PLANE, /* the point of B stays in the plane of A across its axis */
    DFL_JOINT_DISTANCE,       /* the points of A and B keep their distance */
    DFL_JOINT_KINDS
} dfl_joint_kind;

#endif
