/* elements.h: force elements of mechanisms: laws as expressions, forces through dfl_drawing_apply,
   energies through dfl_model_stored where the law has one.

   Bodies A and B: the force acts on B, the opposite one on A; either may be the ground. Points are
   those of the drawing. Bodies must hang on the ground already. Stiffnesses and the like are
   expressions; DFL_NO_EXPR or 0 where something is not given. Failures as in bodies.h. */
#ifndef DFL_ELEMENTS_H
#define DFL_ELEMENTS_H

#include "drawing/bodies.h"

/* ------------------------------------------------------------------ strokes (strokes.c)

   A stroke is a scalar x with the rate xd, along which a force does the work F dx: the distance
   between two points, an angle between two bodies, a coordinate of a joint, or any expression of
   positions. */

typedef enum dfl_stroke_kind {
    DFL_STROKE_LINE,
    DFL_STROKE_TURN,
    DFL_STROKE_JOINT,
    DFL_STROKE_EXPR
} dfl_stroke_kind;

typedef struct dfl_stroke {
    dfl_stroke_kind kind;
    int line; /* of the element, set by the caller */
    int a, b;
    dfl_vec at_a, at_b;
    dfl_vec u; /* line: from A to B; turn: the axis; in world axes */
    dfl_expr x, xd;
    dfl_expr v;     /* joint: the symbol of xd */
    dfl_expr drawn; /* value in the drawing */
} dfl_stroke;

/* x = sqrt(d.d + delta^2) for the vector d from a point of A to one of B; delta is 0 unless they
   may meet. */
dfl_status dfl_stroke_line(dfl_stroke *out, dfl_drawing *drawing, int a, int b, dfl_vec at_a,
                           dfl_vec at_b, dfl_expr delta);

/* The angle of B relative to A about an axis that both keep, in (-pi, pi]. */
dfl_status dfl_stroke_turn(dfl_stroke *out, dfl_drawing *drawing, int a, int b, dfl_vec axis);

/* Coordinate `component` (from 0) of a joint: DFL_INVALID if it has none with its own velocity. */
dfl_status dfl_stroke_joint(dfl_stroke *out, dfl_drawing *drawing, int joint, int component);

/* An expression of positions and time. */
dfl_status dfl_stroke_expr(dfl_stroke *out, dfl_drawing *drawing, dfl_expr x);

/* Adds the force F along the stroke: it does the work F dx. `stored` as in dfl_drawing_apply. */
dfl_status dfl_stroke_push(dfl_drawing *drawing, const dfl_stroke *stroke, dfl_expr F, bool stored);

/* Whether an expression keeps its value during a run: springs of such stiffnesses have an
   energy. */
bool dfl_keeps_value(const dfl_graph *g, dfl_expr e);

/* ------------------------------------------------------------------ springs and dampers
   (springs.c) */

/* *pull = c (x - rest) + d x', against the stroke. */
dfl_status dfl_spring(dfl_expr *pull, dfl_drawing *drawing, const dfl_stroke *stroke, dfl_expr c,
                      dfl_expr d, dfl_expr rest);

/* A spring and a damper in series: r' = (c / d) (x - rest - r), *pull = c (x - rest - r); *out: r,
   the stretch of the damper, a dynamic variable NAME.r. */
dfl_status dfl_maxwell(dfl_expr *out, dfl_expr *pull, dfl_drawing *drawing, int line,
                       const char *name, const dfl_stroke *stroke, dfl_expr c, dfl_expr d,
                       dfl_expr rest);

/* A bushing at a point of the drawing, in axes of A: the axes of the drawing, or z along `axis` and
   x along `axis2`. It has forces -(C delta + D delta') and torques of the potential
   eps^T C eps / 2, where delta is the shift of B's point and eps = 2 sign(e0) e belongs to the
   quaternion (e0, e) of the turn. */
typedef struct dfl_bushing {
    int a, b;
    dfl_vec at, axis, axis2;
    dfl_vec stiffness, damping, turn_stiffness, turn_damping; /* along x, y, z */
} dfl_bushing;

/* In world axes, on B at its point; `shift` and `turn` are delta and eps. */
typedef struct dfl_bushing_symbols {
    dfl_vec shift, turn, force, torque;
} dfl_bushing_symbols;

dfl_status dfl_bushing_add(dfl_bushing_symbols *out, dfl_drawing *drawing,
                           const dfl_bushing *bushing);

/* ------------------------------------------------------------------ loads (loads.c) */

/* A force at a point of B and a torque, in world axes, and the opposite on A. */
dfl_status dfl_load(dfl_drawing *drawing, int a, int b, dfl_vec at, dfl_vec force, dfl_vec torque);

/* Into world axes: a vector in axes of a body, which are the axes of the drawing, or z along `axis`
   and x along `axis2`. */
dfl_status dfl_load_turn(dfl_vec *vector, dfl_drawing *drawing, int body, dfl_vec axis,
                         dfl_vec axis2);

/* x / sqrt(x^2 + s^2), and the length of a vector in the same sense: smooth at 0. */
dfl_expr dfl_smooth_sign(dfl_graph *g, dfl_expr x, dfl_expr s);

/* Friction of B's point on the plane of A across `normal`: -size(mu N) v / sqrt(v.v + speed^2) for
   the velocity v in the plane. *out: the force on B in world axes. */
dfl_status dfl_slip(dfl_vec *out, dfl_vec *velocity, dfl_drawing *drawing, int a, int b, dfl_vec at,
                    dfl_vec normal, dfl_expr grip, dfl_expr speed);

/* A sphere of B (radius 0: a point) against a plane of A, or against a sphere of A. */
typedef struct dfl_impact {
    int a, b;
    dfl_vec at; /* centre on B */
    dfl_expr radius;
    bool sphere;   /* A has a sphere, else a plane */
    dfl_vec other; /* its centre, or a point of the plane */
    dfl_expr other_radius;
    dfl_vec normal;               /* of the plane, to the free side */
    dfl_expr stiffness, exponent; /* F = k depth^n (1 + 1.5 chi depth'), never pulling */
    dfl_expr damping;             /* chi, s/m */
    dfl_expr grip, speed;         /* friction: coefficient (0: none) and the speed of dfl_slip */
} dfl_impact;

typedef struct dfl_impact_symbols {
    dfl_expr gap, rate, force; /* force: along the normal, on B */
    dfl_vec slip;              /* friction on B, in world axes */
} dfl_impact_symbols;

dfl_status dfl_impact_add(dfl_impact_symbols *out, dfl_drawing *drawing, const dfl_impact *impact);

/* Slip of B on A along a surface: one direction in plane models, two in space. */
typedef struct dfl_surface {
    int directions;
    dfl_vec tangent[2]; /* unit vectors, world axes */
    dfl_stroke along[2];
    int a, b; /* the bodies, and where they touch */
    dfl_vec x;
} dfl_surface;

/* At a point of B, across a normal of A. */
dfl_status dfl_surface_slip(dfl_surface *out, dfl_drawing *drawing, int line, int a, int b,
                            dfl_vec at, dfl_vec normal);

/* The vector with these components along the tangents, world axes. */
dfl_vec dfl_surface_vector(dfl_graph *g, const dfl_surface *surface, const dfl_expr part[2]);

/* An impact without stiffness: gap and rate of a rigid contact, slip along its surface. */
typedef struct dfl_rigid_impact {
    dfl_expr gap, rate;
    dfl_vec normal;
    dfl_surface surface;
} dfl_rigid_impact;
dfl_status dfl_impact_rigid(dfl_rigid_impact *out, dfl_drawing *drawing, int line,
                            const dfl_impact *impact);

/* Attraction of a body by a point with the gravitational parameter mu (m^3/s^2), with the terms of
   its inertia (the torque of the gravity gradient) if `gradient`. *out: force and torque at the
   centre of mass. */
dfl_status dfl_attraction(dfl_vec *force, dfl_vec *torque, dfl_drawing *drawing, int body,
                          dfl_vec centre, dfl_expr mu, bool gradient);

/* ------------------------------------------------------------------ control (control.c) */

/* u / (1 + (u / limit)^8)^(1/8), or u itself where limit is DFL_NO_EXPR. */
dfl_expr dfl_saturate(dfl_graph *g, dfl_expr u, dfl_expr limit);

/* A motor on a stroke, through a gear: force = gear k i, L i' = u - R i - gear k x', u within the
   limit. Without inductance i follows at once. *current: a dynamic variable NAME.i, or an
   expression. */
typedef struct dfl_motor {
    int line;
    const char *name;
    dfl_expr voltage, resistance, inductance, constant, gear, limit;
} dfl_motor;

dfl_status dfl_motor_add(dfl_expr *current, dfl_expr *force, dfl_drawing *drawing,
                         const dfl_stroke *stroke, const dfl_motor *motor);

/* K_p e + K_i r1 + K_d (e - r2) / T, r1' = e, r2' = (e - r2) / T, within the limit; beyond it
   r1' = e + (saturated - raw) / (K_i T_w). Variables NAME.i and NAME.d where their gains are
   given. */
typedef struct dfl_pid {
    int line;
    const char *name;
    dfl_expr error, p, i, d, filter, limit, windup;
    double period, phase; /* s: sampled at phase + k period; period 0: continuous */
} dfl_pid;

dfl_status dfl_pid_add(dfl_expr *out, dfl_model *model, const dfl_pid *pid);

/* The same sampled: r1 and r2 by Euler's implicit rule, the limit is hard. Discrete variables
   NAME.u, NAME.i and NAME.d. */
dfl_status dfl_pid_sample(dfl_expr *out, dfl_model *model, const dfl_pid *pid);

/* T r' = u - r */
dfl_status dfl_lag(dfl_expr *out, dfl_model *model, int line, const char *name, dfl_expr u,
                   dfl_expr T);

/* ------------------------------------------------------------------ contacts with modes
   (touches.c) */

/* A unilateral contact gap >= 0, with friction along a stroke, along two of them on a surface, or
   without; or friction alone under a given load. */
typedef struct dfl_touch_law {
    int line;
    const char *name;
    dfl_expr gap;               /* DFL_NO_EXPR: friction alone */
    int directions;             /* of friction: 0, 1, 2 */
    const dfl_stroke *along;    /* these directions */
    dfl_expr load;              /* without gap: the normal force */
    dfl_expr restitution;       /* of impacts */
    dfl_expr kinetic, sticking; /* coefficients; the latter DFL_NO_EXPR: the same */
    dfl_expr radius;            /* of friction torques; 1 of forces */
} dfl_touch_law;

/* The normal force; the friction along the strokes, and in all (on a surface: its size); what is
   left of it while it sticks; 1 while the contact is closed; -1, 0, 1 as the friction slips, 0 or 1
   on a surface. */
typedef struct dfl_touch_symbols {
    dfl_expr load, friction[2], total, margin, closed, sense;
    dfl_expr hit[3]; /* impulses along the normal and the strokes where multipliers are impulses; 0:
                        none */
} dfl_touch_symbols;

/* DFL_INVALID: the coefficient for sticking is below the other one. */
dfl_status dfl_touch_add(dfl_touch_symbols *out, dfl_drawing *drawing, const dfl_touch_law *law);
/* What joints transmit contains it: its force along a unit normal of A (zero: friction alone) and
   along the surface. */
dfl_status dfl_touch_transmits(dfl_drawing *drawing, const dfl_touch_symbols *touch, dfl_vec normal,
                               const dfl_surface *surface);

#endif
