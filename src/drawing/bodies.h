/* bodies.h: a mechanism as drawn: bodies, joints and forces with expressions for all numbers.

   Everything is given in world coordinates of the drawing, the configuration in which all joint
   coordinates are zero; joints, coordinates and their order are those of driftless/multibody.h.
   Joints declare their coordinates in the model at once; masses, forces and constraints of loops
   are declared when the drawing is lowered (dfl_drawing_lower), so that everything that works for
   declared models works for mechanisms. Masses and geometry are expressions of parameters and
   inputs.

   `line` is the line of the script, for messages; 0 if there is none.

   Failures are DFL_INVALID with a message that names the thing and the remedy. The script adds file
   and line of the present call; after the script has run, messages contain file and line of the
   declaration. */
#ifndef DFL_DRAWING_BODIES_H
#define DFL_DRAWING_BODIES_H

#include "declare/declare.h"
#include "multibody/multibody.h"

typedef struct dfl_vec {
    dfl_expr e[3];
} dfl_vec;

typedef struct dfl_mat {
    dfl_expr e[9]; /* row-major */
} dfl_mat;

typedef struct dfl_sym {
    dfl_expr e[6]; /* xx yy zz xy xz yz */
} dfl_sym;

/* `{.name = ...}` is a body without mass. */
typedef struct dfl_drawn_body {
    int line;
    const char *name;
    dfl_expr mass;
    dfl_vec com;
    bool com_missing;  /* it was not given: a note is made where the origin is an unlikely place */
    dfl_sym inertia;   /* about the centre of mass; in a plane model only zz is used */
    const char *color; /* of its automatic shape: NULL or as in declare.h */
    bool hidden;       /* it has none */
    bool quasistatic; /* where it has neither mass nor damping, stiffness determines its position */
    bool framed;      /* com and inertia are given in this frame, not in the drawing: */
    dfl_vec frame_at, frame_axis, frame_axis2; /* its origin and axes, as of joints */
} dfl_drawn_body;

/* Between body A, the parent (DFL_GROUND or a body), and body B, the child. */
typedef struct dfl_drawn_joint {
    int line;
    const char *name;
    dfl_joint_kind kind;
    int parent, child;
    dfl_vec at;
    dfl_vec axis;  /* any length but zero; in a plane model all zero means z for joints that turn */
    dfl_vec axis2; /* all zero: none */
    dfl_expr lead; /* screw: m/rad */
    bool cut;      /* closes a loop even if the child is not part of the tree yet */
    bool driven;   /* revolute, prismatic, screw: no coordinate; the angle or shift is `motion` */
    dfl_expr motion;
    bool apart; /* the loop is not closed in the drawing: B has its own point and axes */
    dfl_vec at_b, axis_b, axis2_b;
    dfl_expr length;    /* distance: m; 0 means the distance in the drawing */
    dfl_expr tolerance; /* m or rad: the misfit of loops that is allowed; 0 means none */
    int ncoordinates; /* joint of the user: 0 to 6, declared as NAME.q1, ... or with these names */
    const char *const *coordinate_names; /* NULL: none */
} dfl_drawn_joint;

/* What a joint has declared. */
typedef struct dfl_joint_symbols {
    int np, nv; /* 0: a fixed or driven joint, or one that closes a loop */
    const dfl_expr *p;
    const dfl_expr *v; /* velocities of angles and shifts, or speeds */
    bool loop;         /* its rows are declared when the drawing is lowered */
    bool speeds;       /* v are speeds: omega, then the velocity of a free body, in its axes */
    dfl_expr motion;   /* driven: the angle or shift, and its rate; else DFL_NO_EXPR */
    dfl_expr motion_rate;
} dfl_joint_symbols;

typedef struct dfl_drawing dfl_drawing;

/* An empty drawing that declares in `model`, which must outlive it. */
dfl_status dfl_drawing_create(dfl_drawing **out, dfl_model *model);
void dfl_drawing_free(dfl_drawing *drawing);
/* The drawing, which has been lowered, belongs to its model from now on: it judges other values of
   parameters and shows itself (new_values.c). */
void dfl_drawing_belong(dfl_drawing *drawing);

/* Everything moves in planes parallel to x y. Comes before bodies and joints. */
dfl_status dfl_drawing_set_planar(dfl_drawing *drawing);
bool dfl_drawing_is_planar(const dfl_drawing *drawing);

/* The acceleration of gravity, given once. */
dfl_status dfl_drawing_set_gravity(dfl_drawing *drawing, int line, dfl_vec gravity);

/* *out: the number of the body or joint. Names of bodies and joints are unique. */
dfl_status dfl_drawing_body(int *out, dfl_drawing *drawing, const dfl_drawn_body *body);
dfl_status dfl_drawing_joint(int *out, dfl_drawing *drawing, const dfl_drawn_joint *joint);

/* A frame with a name: a point of a body, and axes as of joints; zero: those of the drawing. The
   scene and `equations --frames` show it (frames.c). */
dfl_status dfl_drawing_frame(dfl_drawing *drawing, int line, const char *name, int body, dfl_vec at,
                             dfl_vec axis, dfl_vec axis2);

int dfl_drawing_njoints(const dfl_drawing *drawing);
const char *dfl_drawing_body_name(const dfl_drawing *drawing, int body);
const char *dfl_drawing_joint_name(const dfl_drawing *drawing, int joint);
dfl_joint_symbols dfl_drawing_joint_symbols(const dfl_drawing *drawing, int joint);
int dfl_drawing_joint_line(const dfl_drawing *drawing, int joint);

/* ------------------------------------------------------------------ kinematics (kinematics.c)

   Of bodies that hang on the ground through joints declared so far: DFL_INVALID otherwise. Results
   are expressions in world axes; `point` is given in the drawing and moves with the body (a number
   or an expression of parameters in each coordinate). */

/* R from the axes of the drawing to those of the body, and where a point is. */
dfl_status dfl_drawing_rotation(dfl_mat *R, dfl_drawing *drawing, int body);
dfl_status dfl_drawing_point(dfl_vec *x, dfl_drawing *drawing, int body, dfl_vec point);

/* Plane models: the angle by which the body is turned relative to the drawing. */
dfl_status dfl_drawing_angle(dfl_expr *angle, dfl_drawing *drawing, int body);

/* Angular velocity; velocity of a point. */
dfl_status dfl_drawing_omega(dfl_vec *omega, dfl_drawing *drawing, int body);
dfl_status dfl_drawing_velocity(dfl_vec *v, dfl_drawing *drawing, int body, dfl_vec point);

/* Angular acceleration and acceleration of a point. They contain the symbols of accelerations
   (DFL_SYM_A), or not, if `bias`: then they are those for v' = 0. */
dfl_status dfl_drawing_acceleration(dfl_vec *alpha, dfl_vec *a, dfl_drawing *drawing, int body,
                                    dfl_vec point, bool bias);

/* One column of the Jacobians of a body's angular velocity and of a point's velocity. */
typedef struct dfl_jacobian_column {
    dfl_expr v; /* the velocity or speed it belongs to */
    dfl_vec omega, velocity;
} dfl_jacobian_column;

/* The columns of the joints from the body to the ground; *count of them, at most `room` (the number
   of all velocities of the drawing is enough). */
int dfl_drawing_velocities(const dfl_drawing *drawing);
dfl_status dfl_drawing_jacobian(dfl_jacobian_column *columns, int *count, int room,
                                dfl_drawing *drawing, int body, dfl_vec point);

/* ------------------------------------------------------------------ forces */

/* Adds a force at a point of a body, and a torque, both in world axes; on DFL_GROUND nothing
   happens. `stored`: the force follows from an energy given to dfl_model_stored (before energy() is
   called). */
dfl_status dfl_drawing_apply(dfl_drawing *drawing, int body, dfl_vec point, dfl_vec force,
                             dfl_vec torque, bool stored);

/* ------------------------------------------------------------------ lowering (lower.c) */

/* Declares masses, forces of inertia and gravity, and the energy: bodies and joints are complete.
   Called by dfl_drawing_lower, or earlier if the energy is needed. Calling it again does
   nothing. */
dfl_status dfl_drawing_close(dfl_drawing *drawing);

/* Declares all that is left: applied forces, constraints of loops, lengths of quaternions. Once,
   when the script has run. Messages have file and line. */
dfl_status dfl_drawing_lower(dfl_drawing *drawing);

#endif
