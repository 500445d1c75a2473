/* closures.h: what closes a mechanism besides the joints of bodies.h: couplings between joints,
   drives, rolling, contact of curves and surfaces, joints of the user.

   Every call declares rows in the model at once; the bodies must hang on the ground by then. *out
   is the number of the (first) constraint's declaration. Failures as in bodies.h. */
#ifndef DFL_CLOSURES_H
#define DFL_CLOSURES_H

#include "drawing/bodies.h"

/* ------------------------------------------------------------------ couplings (couplings.c) */

/* The angle or the shift of a joint. A joint that closes a loop has them too: the angle is then a
   separate variable, JOINT.angle, which does not jump after half a turn (loop_angle.c). `call`,
   `name` are for messages. */
dfl_status dfl_drawing_joint_angle(dfl_expr *out, dfl_drawing *drawing, int joint, const char *call,
                                   const char *name);
dfl_status dfl_drawing_joint_shift(dfl_expr *out, dfl_drawing *drawing, int joint, const char *call,
                                   const char *name);

/* angle(a) = ratio angle(b) */
dfl_status dfl_drawing_gear(int *out, dfl_drawing *drawing, int line, const char *name, int a,
                            int b, dfl_expr ratio);
/* shift = radius angle */
dfl_status dfl_drawing_rack(int *out, dfl_drawing *drawing, int line, const char *name, int pinion,
                            int rack, dfl_expr radius);
/* shift = lead angle, of one joint */
dfl_status dfl_drawing_thread(int *out, dfl_drawing *drawing, int line, const char *name, int joint,
                              dfl_expr lead);
/* radius_a angle(a) = radius_b angle(b) */
dfl_status dfl_drawing_belt(int *out, dfl_drawing *drawing, int line, const char *name, int a,
                            int b, dfl_expr radius_a, dfl_expr radius_b);
/* The force stiffness e + damping e' for the stretch e = radius_a angle(a) - radius_b angle(b). */
dfl_status dfl_drawing_elastic_belt(dfl_drawing *drawing, int line, const char *name, int a, int b,
                                    dfl_expr radius_a, dfl_expr radius_b, dfl_expr stiffness,
                                    dfl_expr damping);
/* The coordinate of a joint with one coordinate (or of a symbol, `q`) is `motion`, an expression of
   time; the multiplier is the force of the drive, with the opposite sign. */
dfl_status dfl_drawing_drive(int *out, dfl_drawing *drawing, int line, const char *name, int joint,
                             dfl_expr motion);

/* ------------------------------------------------------------------ rolling (rolling.c) */

/* The point `at` of the body does not move along `lateral`, which turns with the body. */
dfl_status dfl_drawing_knife_edge(int *out, dfl_drawing *drawing, int line, const char *name,
                                  int body, dfl_vec at, dfl_vec lateral);

/* An upright wheel: `at` moves along `direction`, both of the body, as fast as the wheel of this
   radius turns: direction.v = radius spin', for the angle `spin` of the wheel. */
dfl_status dfl_drawing_wheel_spin(int *out, dfl_drawing *drawing, int line, const char *name,
                                  int body, dfl_vec at, dfl_vec direction, dfl_expr radius,
                                  dfl_expr spin);

/* A body with a round edge on a plane. */
typedef struct dfl_drawn_roller {
    int line;
    const char *name;
    int body;
    dfl_vec at;      /* centre */
    dfl_vec axis;    /* of the disk; all zero: a ball */
    dfl_expr radius; /* m */
    int on;          /* the body of the plane, or DFL_GROUND */
    dfl_vec point;   /* of the plane, in the drawing */
    dfl_vec normal;  /* any length but zero, towards the roller */
    bool slips;      /* only the contact, no rows of rolling */
} dfl_drawn_roller;

/* NAME: the distance; NAME.slip1, NAME.slip2: the velocities of the contact point along the
   plane. */
dfl_status dfl_drawing_roller(int *out, dfl_drawing *drawing, const dfl_drawn_roller *roller);

/* ------------------------------------------------------------------ contact (contacts.c) */

enum { DFL_MOST_CONTACT_VARIABLES = 4 };

/* Point x1 on body A and x2 on body B as functions of contact variables: a curve has one, a surface
   two, a point none. The expressions are points of the drawing. */
typedef struct dfl_drawn_contact {
    int line;
    const char *name;
    int a, b;
    int na, nb; /* variables: 0, 1 or 2 of A; 1 or 2 of B */
    dfl_vec x1, x2;
    dfl_expr s[DFL_MOST_CONTACT_VARIABLES]; /* of A, then of B; declared by
                                               dfl_drawing_contact_variable */
    dfl_vec normal;                         /* curves in space: normal of their plane on B */
} dfl_drawn_contact;

/* The contact variable NAME.s1, ...; it starts near `start`. */
dfl_status dfl_drawing_contact_variable(dfl_expr *out, dfl_drawing *drawing, int line,
                                        const char *name, int index, double start);
/* Their equations and the constraint NAME: n2.(x1 - x2) = 0, with the normal n2 of B. */
dfl_status dfl_drawing_contact(int *out, dfl_drawing *drawing, const dfl_drawn_contact *contact);

/* A wheel on a rail (wheel_contact.c): profiles with one contact variable each. */
typedef struct dfl_drawn_wheel {
    int line;
    const char *name;
    int a, b;
    dfl_vec at, axis; /* centre and axle of the wheel on body A */
    dfl_expr u;       /* contact variables */
    dfl_expr y;
    dfl_expr lateral, radius; /* of u: along the axle from the centre, and across it */
    dfl_vec rail;             /* of y: point of the rail's profile on body B */
    dfl_vec along;            /* direction of the rail */
    double start;             /* the y of the contact, roughly */
    bool rolls[2];            /* no slip along the rail, across it */
} dfl_drawn_wheel;

dfl_status dfl_drawing_wheel(int *out, dfl_drawing *drawing, const dfl_drawn_wheel *wheel);

/* ------------------------------------------------------------------ joints of the user */

/* The pose of body B of a DFL_JOINT_USER relative to the drawing, in axes of body A: the shift of
   the point `at`, and a turn, given as a matrix, or as up to three turns about axes of the drawing,
   the first one outermost. */
typedef struct dfl_user_pose {
    dfl_vec shift;
    bool matrix;
    dfl_mat R;
    int nturns;
    dfl_vec axis[3]; /* unit vectors of numbers and parameters */
    dfl_expr angle[3];
} dfl_user_pose;

/* Whether a body hangs on a joint; the unit vector along a direction of numbers and parameters. */
bool dfl_drawing_is_hung(const dfl_drawing *drawing, int body);
dfl_status dfl_drawing_direction(dfl_vec *unit, const dfl_drawing *drawing, const char *name,
                                 dfl_vec direction);

/* Gives a joint its pose, as expressions of its own coordinates, time and parameters. */
dfl_status dfl_drawing_set_pose(dfl_drawing *drawing, int joint, const dfl_user_pose *pose);

#endif
