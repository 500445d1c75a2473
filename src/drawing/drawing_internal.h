/* drawing_internal.h: bodies, joints and links of a drawing, for the files of this module.

   A link is one step of a joint (multibody/multibody.h): joints with several coordinates are chains
   of links without mass. The axes of every link are those of the drawing when all coordinates are
   zero, its origin is the point `at` of its joint. Link 0 is the ground; a parent has a smaller
   number than its children. Bodies behind fixed joints share a link. */
#ifndef DFL_DRAWING_INTERNAL_H
#define DFL_DRAWING_INTERNAL_H

#include "context/context.h"
#include "drawing/bodies.h"
#include "drawing/elastic_bodies.h"
#include "drawing/shapes.h"

enum { MOST_P = DFL_MOST_MODES, MOST_V = DFL_MOST_MODES, MOST_ROWS = DFL_JOINT_ROWS };

/* R = base turn(axis, angle): parallel axes give sums of angles. */
typedef struct dfl_pose {
    dfl_mat base;
    dfl_vec axis;
    dfl_expr angle;
    dfl_mat R;
    dfl_vec r;   /* origin */
    dfl_vec arm; /* ... from that of the parent */
} dfl_pose;

/* The pose of a user's joint relative to its parent, and its rates in axes of the link: w = sum
   w[k] v_k + w[n], u likewise; wd, ud: their derivatives for constant v. `turn`: in the plane, the
   angle of R. */
typedef struct dfl_link_motion {
    int n;
    dfl_mat R;
    dfl_vec r;
    dfl_expr turn;
    dfl_vec w[MOST_V + 1], u[MOST_V + 1];
    dfl_vec wd, ud;
} dfl_link_motion;

typedef struct dfl_link {
    dfl_step_kind kind;
    int parent, joint;
    dfl_vec at, offset; /* origin in the drawing, and from that of the parent */
    dfl_vec axis;       /* unit vector */
    dfl_expr lead;
    dfl_expr p[MOST_P], v[MOST_V]; /* symbols; driven: motion and its rate */
    dfl_expr drive;                /* driven: second rate */
    int dofs;                      /* 0 if driven */
    const dfl_link_motion *motion; /* of a user's joint, else NULL */
    dfl_expr clock;                /* its rate of time: 1, or 0 for rates of velocities alone */

    dfl_expr mass; /* of the bodies on it, about its origin; after dfl_drawing_close */
    dfl_vec moment;
    dfl_sym inertia;

    bool posed, moving; /* whether the following are known */
    dfl_pose pose;      /* in the world */
    dfl_vec omega, u;   /* angular velocity, velocity of the origin */

    dfl_vec force, torque; /* applied, at the origin, in world axes */
} dfl_link;

typedef struct dfl_placed_body {
    char *name;
    int line;
    dfl_expr mass;
    dfl_vec com;
    bool com_missing;
    dfl_sym inertia;
    bool quasistatic;
    char *color; /* NULL: chosen */
    bool hidden;
    int joint;   /* the one it hangs on, or -1 */
    int link;    /* -1: not yet known */
    int elastic; /* 1 + the number of the elastic body that it is the frame or a node of, or 0 */
    int node;    /* which node; -1: the frame */
} dfl_placed_body;

/* A node of an elastic body: a body without mass, which the elastic coordinates move. */
typedef struct dfl_elastic_node {
    int body;
    dfl_vec at;                       /* in the drawing */
    dfl_vec shift;                    /* displacement in axes of the drawing, as a function of q */
    dfl_vec turn;                     /* small angles about the axes of the body */
    dfl_expr load[DFL_BEAM_FAMILIES]; /* of beams: force, moments and torque of the section */
    int line;                         /* of an outline: which line it is on */
    int end;       /* of an outline: the line ends at the node end - 1; 0: it does not end there */
    double turned; /* of beams: the share of the modes in the turn by a moment there; else 0 */
} dfl_elastic_node;

/* An elastic body: T = m u.u/2 + ... with matrices that are functions of q, in axes of the drawing
   and about the point `at`. */
typedef struct dfl_elastic {
    char *name;
    int line, body; /* body: its frame of reference */
    int n, nnodes;
    dfl_expr p[DFL_MOST_MODES], v[DFL_MOST_MODES];
    bool massless[DFL_MOST_MODES];  /* modes whose inertia is left out ... */
    dfl_expr stiff[DFL_MOST_MODES]; /* ... and their stiffness */
    dfl_vec at, axes[3];
    dfl_expr mass;
    dfl_vec h;
    dfl_sym J;
    dfl_vec S[DFL_MOST_MODES], C[DFL_MOST_MODES];
    dfl_expr *M;            /* n n */
    double soft;            /* as of dfl_drawn_elastic */
    dfl_elastic_node *node; /* nnodes, then those of the outline, which are not bodies */
    int noutline;
    bool hidden;
    double magnify; /* of deflections that are shown */
    dfl_expr unit_mass, unit_length, unit_rotary;
    dfl_field_integrals *integrals; /* in these units, in numbers (elastic_numbers.c) */
    double *fields; /* 6 nz of each node: shifts along and turns about the axes of the body */
} dfl_elastic;

typedef struct dfl_placed_joint {
    char *name;
    int line;
    dfl_drawn_joint drawn; /* without its name */
    double tolerance;      /* m or rad: the misfit of its loops that is allowed */
    bool loop, declared;   /* declared: rows of the loop */
    bool inner;            /* between frame and nodes of an elastic body */
    int np, nv;
    dfl_expr p[MOST_P], v[MOST_V];
    dfl_expr rate, rate2;    /* of a prescribed motion */
    dfl_link_motion *motion; /* of a user's joint, when its pose is known */
} dfl_placed_joint;

/* A force on a body as it was applied, and one of a constraint between bodies, at a place of the
   world: kept for reactions.c. */
typedef struct dfl_applied {
    int body;
    dfl_vec point, force, torque;
} dfl_applied;

typedef struct dfl_bond {
    int a, b;
    dfl_vec x, force, torque; /* on B */
    dfl_vec impulse;          /* as force, where velocities jump: multipliers are impulses then */
} dfl_bond;

/* A body with absolute coordinates: the link that its joint leads to, and its own last link. */
typedef struct dfl_release {
    int body, end, link;
    dfl_expr p[MOST_P], v[MOST_V];
} dfl_release;

/* An expression of coordinates, and what it is equal to if no motion changes it, or DFL_NO_EXPR. */
typedef struct dfl_tried {
    dfl_expr expr, constant;
} dfl_tried;

struct dfl_drawing {
    dfl_context *ctx;
    dfl_model *model;
    dfl_graph *graph;
    bool planar, closed, lowered;
    dfl_mass_tree
        *declined; /* what recursions would have got, if they could not be chosen; or NULL */
    bool massless; /* ... and there are bodies without mass */
    bool lossy;    /* forces were applied that belong to no stored energy */
    dfl_vec gravity;
    bool heavy; /* it was given ... */
    int gravity_line;
    int line; /* of what is being lowered, for messages */
    dfl_placed_body *bodies;
    int nbodies, max_bodies;
    dfl_placed_joint *joints;
    int njoints, max_joints;
    dfl_elastic *elastics;
    int nelastics, max_elastics;
    dfl_link *links;
    int nlinks, max_links;
    dfl_release *releases;
    int nreleases, max_releases;
    dfl_applied *applied;
    int napplied, max_applied;
    dfl_bond *bonds;
    int nbonds, max_bonds;
    dfl_sight *sights; /* what else there is to see (shapes.h) */
    int nsights, max_sights;
    bool bare;        /* no automatic shapes */
    dfl_tried *tried; /* by moves.c */
    int ntried, max_tried;
    int *path; /* nbodies: workspace */
    int max_path;
    struct {
        int *entry, size, bodies, joints; /* those entered so far */
    } names;                              /* taken_names.c */
};

/* *entry := the body (its number + 1) or joint (minus that) with this name, or 0. DFL_NO_MEMORY. */
dfl_status dfl_drawing_find_name(int *entry, dfl_drawing *drawing, const char *name);

/* drawing.c: whether a joint closes a loop. */
bool dfl_drawing_closes_loop(const dfl_drawing *drawing, const dfl_drawn_joint *joint);
/* DFL_INVALID if a script may not have more. */
dfl_status dfl_drawing_check_count(const dfl_drawing *drawing, const char *what, const char *name,
                                   int count);

/* geometry.c: a number that does not depend on parameters, or the number for their present values.
   Expressions of anything but parameters and inputs fail, with `what` in the message. */
dfl_status dfl_drawing_value(double *out, const dfl_drawing *drawing, dfl_expr expr,
                             const char *call, const char *name, const char *what);
dfl_status dfl_drawing_values(double *out, const dfl_drawing *drawing, const dfl_expr *exprs,
                              int count, const char *call, const char *name, const char *what);
/* The same where less depends on the numbers: dfl_model_sign, dfl_model_finite; or where they are
   asked for again for other values of parameters: dfl_drawing_number. */
typedef dfl_status dfl_number_reader(double *out, dfl_model *model, dfl_expr expr);
dfl_number_reader dfl_drawing_number;
dfl_status dfl_drawing_read(double *out, const dfl_drawing *drawing, const dfl_expr *exprs,
                            int count, dfl_number_reader *read, const char *call, const char *name,
                            const char *what);

/* The unit vector along `axis`; axes x, y, z of a frame with z along `axis` and x along `axis2`
   made perpendicular (zero: x of the drawing, or y), as in multibody/tree_kinematics.c; no axis:
   those of the drawing. The expressions must have been checked. */
dfl_vec dfl_drawing_unit(const dfl_drawing *drawing, dfl_vec axis);
void dfl_drawing_axes(dfl_vec axes[3], const dfl_drawing *drawing, dfl_vec axis, dfl_vec axis2);

/* links.c: the coordinates of a tree joint, declared; the link of a body, made together with the
   links it hangs on. */
dfl_status dfl_drawing_coordinates(dfl_drawing *drawing, dfl_placed_joint *joint);
dfl_status dfl_drawing_link(int *out, dfl_drawing *drawing, int body);
/* Whether a body hangs on the ground by now. */
bool dfl_drawing_hangs(const dfl_drawing *drawing, int body);

/* e' = 1/2 Q omega for a quaternion and its speeds. */
dfl_status dfl_drawing_turning(dfl_drawing *drawing, const dfl_expr e[4], const dfl_expr w[3]);

/* absolute.c: whether a body, whose joint ends with link `end`, has absolute coordinates; *link,
   the end of its joint, becomes the link that these move; the rows between both, declared. */
bool dfl_drawing_releases(const dfl_drawing *drawing, int body, int end);
dfl_status dfl_drawing_release(int *link, dfl_drawing *drawing, int body);
dfl_status dfl_drawing_attach(dfl_drawing *drawing);
/* From the point `from_a` of link a to the point `from_b` of link b, both relative to the origins.
 */
dfl_vec dfl_links_apart(dfl_drawing *drawing, int a, dfl_vec from_a, int b, dfl_vec from_b);

/* kinematics.c: pose of a link relative to another link between it and the ground; its pose and its
   velocities in the world, which are kept; the vector from its origin to a point of the drawing, in
   world axes. */
dfl_pose dfl_link_pose(dfl_drawing *drawing, int link, int from);
const dfl_pose *dfl_link_place(dfl_drawing *drawing, int link);
void dfl_link_move(dfl_drawing *drawing, int link);
dfl_vec dfl_link_arm(dfl_drawing *drawing, int link, dfl_vec point);
/* The acceleration of a velocity or speed. */
dfl_expr dfl_drawing_acceleration_symbol(const dfl_drawing *drawing, dfl_expr v);
/* Its angle in plane models, counted in turns. */
dfl_expr dfl_link_angle(const dfl_drawing *drawing, int link);
/* The matrix that carries the link's own axis (not a vector fixed to it) into the world. */
dfl_mat dfl_link_axes(const dfl_drawing *drawing, int link);
/* Turn of a link relative to its parent; shift of its origin, in axes of the parent. */
dfl_mat dfl_link_turn(dfl_drawing *drawing, const dfl_link *link);
dfl_vec dfl_link_shift(dfl_drawing *drawing, const dfl_link *link);
/* Relative angular velocity and velocity of the origin, in axes of the link: `axis` is its axis
   there. */
void dfl_link_rates(dfl_vec *w, dfl_vec *u, dfl_drawing *drawing, const dfl_link *link,
                    dfl_vec axis);

/* evaluation_choice.c: whether recursions are wanted, or predicted to be faster than expressions;
 *noteworthy: if they turn out to be impossible, the user should know. */
dfl_status dfl_drawing_choose_evaluation(bool *recursion, bool *noteworthy, dfl_drawing *drawing);

/* tree_description.c: leaves masses and forces of inertia and gravity to recursions over numbers,
   if that is wanted and possible: *left. Then their kinetic energy is declared. */
dfl_status dfl_drawing_leave_to_recursion(bool *left, dfl_drawing *drawing);
/* The same for the rows of loops, once all are declared: their expressions become 0, and the tree
   of bodies adds the values. */
dfl_status dfl_drawing_leave_rows(dfl_drawing *drawing);
/* Whether other values of parameters leave no body without mass, where recursions serve the model.
 */
dfl_status dfl_drawing_same_tree(bool *same, const dfl_drawing *drawing);

/* dynamics.c: masses and forces of inertia and gravity, declared; whether all turns are about the
   same axis of coordinates, which makes them short. */
bool dfl_drawing_in_world_axes(const dfl_drawing *drawing);
dfl_status dfl_drawing_dynamics(dfl_drawing *drawing);

/* elastic_nodes.c: the frame and the nodes of an elastic body hang on the one of them that a joint
   holds; the node at a point of the drawing instead of the frame (*found), or the nearest ones in
   the message. */
dfl_status dfl_drawing_hang_elastic(dfl_drawing *drawing, int body);
dfl_status dfl_drawing_find_node(int *body, bool *found, const dfl_drawing *drawing, dfl_vec at);
dfl_status dfl_drawing_refuse_frame(const dfl_drawing *drawing, int body, dfl_vec at);
void dfl_drawing_free_elastic(dfl_drawing *drawing);

/* elastic_numbers.c: keeps the integrals and the fields of nodes for recursions over numbers; the
   part of a tree that is an elastic body, with chains of joints between its frame and its nodes. */
dfl_status dfl_elastic_keep(dfl_drawing *drawing, dfl_elastic *e, const dfl_drawn_elastic *drawn);
void dfl_elastic_forget(const dfl_drawing *drawing, dfl_elastic *e);
dfl_status dfl_elastic_add_to_tree(dfl_mass_tree *tree, dfl_drawing *drawing, dfl_elastic *e);
dfl_status dfl_elastic_add_inner(dfl_mass_tree *tree, const dfl_drawing *drawing,
                                 const dfl_placed_joint *joint);

/* elastic_dynamics.c: of an elastic body about the origin of its link. Force, torque and modal
   forces Q of its inertia beyond those of a rigid body with the present h and J, for an angular
   velocity, an angular acceleration and an acceleration of the origin in axes of the link, and q''
   = 0. */
dfl_vec dfl_elastic_coupling(dfl_drawing *drawing, const dfl_elastic *e, int k);
/* Keeps the body as a SID text of the model; nothing in the plane (elastic_sid.c). */
dfl_status dfl_elastic_describe(dfl_drawing *drawing, const dfl_drawn_elastic *drawn);
/* What makes results doubtful: fast turns that do not stiffen it, large deflections, clamped nodes
   where modes hardly turn (elastic_doubts.c). */
dfl_status dfl_elastic_doubt(dfl_drawing *drawing, const dfl_elastic *e, dfl_vec omega);
/* Part of a line for `check` about modes. */
void dfl_elastic_note_undamped(dfl_text *out);
dfl_status dfl_elastic_load(dfl_vec *F, dfl_vec *N, dfl_expr *Q, dfl_drawing *drawing,
                            const dfl_elastic *e, dfl_vec omega, dfl_vec alpha, dfl_vec a);
/* All force and torque that the motion of an elastic body needs, with the symbols of q''. */
dfl_status dfl_elastic_need(dfl_vec *F, dfl_vec *N, dfl_drawing *drawing, const dfl_elastic *e,
                            dfl_vec omega, dfl_vec alpha, dfl_vec a);
/* Its momentum and angular momentum, about and in the axes of its link. */
void dfl_elastic_momentum(dfl_vec *P, dfl_vec *L, dfl_drawing *drawing, const dfl_elastic *e,
                          dfl_vec omega, dfl_vec v);
/* Adds its mass to that of its link. */
void dfl_elastic_add_mass(dfl_drawing *drawing, const dfl_elastic *e);

/* Frames of both bodies of a joint that closes a loop, and d = r_B - r_A, relative to the last link
   that both hang on. */
typedef struct dfl_joint_frames {
    dfl_vec A[3], B[3], d;
    dfl_expr length, lead;
} dfl_joint_frames;

/* moves.c: an expression without coordinates that is equal to `expr` if no motion of the tree
   changes it (it may contain coordinates whose parts cancel), or DFL_NO_EXPR. */
dfl_status dfl_drawing_constant(dfl_expr *out, dfl_drawing *drawing, dfl_expr expr);
/* Whether all that was asked so far has the same answer with the present values of parameters. */
dfl_status dfl_drawing_same_constants(bool *same, dfl_drawing *drawing);

/* advice.c: notes about rows of a loop that were left out, and about better cuts. */
dfl_status dfl_drawing_note_left_out(dfl_drawing *drawing, const dfl_placed_joint *joint,
                                     const char *const *meanings, int count, int of);
dfl_status dfl_drawing_advise(dfl_drawing *drawing);

/* user_joint.c: whether the poses are regular at the start. */
dfl_status dfl_drawing_check_poses(dfl_drawing *drawing);

/* couplings.c: d/dt of an expression of positions and time. */
dfl_status dfl_drawing_rate(dfl_expr *out, dfl_drawing *drawing, dfl_expr expr);

/* loop_angle.c: the angle between the bodies of such a joint, as a variable. */
dfl_status dfl_drawing_loop_angle(dfl_expr *out, dfl_drawing *drawing, int joint);

/* loops.c: the frames of such a joint. */
dfl_status dfl_drawing_frames(dfl_joint_frames *frames, dfl_drawing *drawing,
                              const dfl_placed_joint *joint);

/* frames.c: how frames and bodies move, for models that ask for it. */
dfl_status dfl_drawing_describe_frames(dfl_drawing *drawing);

/* massless.c: names of massless bodies, and which may be quasistatic, for the model. */
dfl_status dfl_drawing_massless(dfl_drawing *drawing);

/* quaternions.c: starting values of quaternions are completed. */
dfl_status dfl_drawing_quaternions(dfl_drawing *drawing);
/* Once more, with other values of parameters; *same: with starts of the same symbols. */
dfl_status dfl_drawing_same_quaternions(bool *same, dfl_drawing *drawing);

/* loops.c: the rows of a loop, declared; how many a kind has. */
int dfl_drawing_row_count(const dfl_drawing *drawing, dfl_joint_kind kind);
dfl_status dfl_drawing_rows(dfl_drawing *drawing, dfl_placed_joint *joint);
/* The number of the declaration of row k of a loop; -1: it was left out. */
dfl_status dfl_drawing_row(int *out, const dfl_drawing *drawing, const dfl_placed_joint *joint,
                           int k);

/* check.c: bodies and joints, when they are given (drawn) and when the drawing is complete. */
dfl_status dfl_drawing_check_body(const dfl_drawing *drawing, const dfl_drawn_body *body);
dfl_status dfl_drawing_check_bodies(const dfl_drawing *drawing);
dfl_status dfl_drawing_check_joint(const dfl_drawing *drawing, const dfl_drawn_joint *joint);
dfl_status dfl_drawing_check_all(dfl_drawing *drawing);

/* The force and torque of a loop on its child at the child's point x, in world axes: -lambda times
   its rows. */
dfl_status dfl_drawing_loop_force(dfl_vec *x, dfl_vec *force, dfl_vec *torque, dfl_drawing *drawing,
                                  int joint);

/* reactions.c: keeps an applied force; puts reactions into the outputs that contain them, when all
   is known. */
dfl_status dfl_drawing_note(dfl_drawing *drawing, int body, dfl_vec point, dfl_vec force,
                            dfl_vec torque);
dfl_status dfl_drawing_resolve(dfl_drawing *drawing);
/* The momenta of prescribed motions that may have kinks. */
dfl_status dfl_drawing_momenta(dfl_drawing *drawing);

/* Sets the length of the model, of a closed drawing (extent.c). */
void dfl_drawing_measure(dfl_drawing *drawing);

#endif
