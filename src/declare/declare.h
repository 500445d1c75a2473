/* declare.h: what a user has declared, as expressions; derive.h makes the general form from it.

   A model is filled by the dfl_model_* functions, from a script or from a drawing. Each checks its
   arguments and fails with a message that names the thing and the remedy, without file and line:
   the script puts "model.lua:12: " in front. `line` is the line of the declaration, for later
   messages; 0 if there is none. */
#ifndef DFL_DECLARE_H
#define DFL_DECLARE_H

#include "context/context.h"
#include "declare/actions.h"
#include "declare/goals.h"
#include "declare/plan.h"
#include "declare/costs.h"
#include "declare/mass_tree.h"
#include "settings/settings.h"
#include "symbolic/symbolic.h"

/* Everything with a name. The name is unique among all kinds of one model. */
typedef enum dfl_declared {
    DFL_A_PARAM,
    DFL_AN_INPUT,
    DFL_A_SETTING,
    DFL_A_POSITION,
    DFL_A_SPEED,
    DFL_A_CONSTRAINT,
    DFL_A_NONHOLONOMIC,
    DFL_A_DYNAMIC,
    DFL_AN_AUXILIARY,
    DFL_A_CONTACT,
    DFL_AN_INVARIANT,
    DFL_AN_OUTPUT,
    DFL_AN_EVENT,
    DFL_A_SAMPLE,
    DFL_DECLARED_KINDS
} dfl_declared;

typedef struct dfl_declaration {
    dfl_declared kind;
    char *name;
    int line;           /* in the script; 0 if unknown */
    int index;          /* within its kind, in order of declaration */
    char *unit;         /* NULL or e.g. "kg" */
    double value;       /* parameter, input, setting: the value in use */
    double preset;      /* ... and the one of the script */
    bool given;         /* parameter: the value is from outside */
    dfl_expr from;      /* ... the expression of others that gives preset; 0: none */
    dfl_expr symbol;    /* p, speed, r, w, s; the multiplier of a constraint; DFL_NO_EXPR */
    dfl_expr velocity;  /* position: the symbol of its own velocity */
    dfl_expr expr;      /* residual, right-hand side, output; position: kinematics or DFL_NO_EXPR;
                           input: the function of time that is added to it, or DFL_NO_EXPR */
    char *carries;      /* position, speed: names of massless bodies that move with it, or NULL */
    bool quasistatic;   /* position, speed: may follow from stiffness where it has no mass */
    bool smooth;        /* position: begins where its velocity and acceleration vanish */
    bool velocity_used; /* position: velocity(x) was asked for before any kinematics */
    int direction;      /* event */
    bool stop;          /* event */
    char *failure;      /* event: what is wrong where it stops the run, which has failed; or NULL */
    dfl_expr mask;      /* constraint: the row is on where it is not zero; DFL_NO_EXPR: always */
    const char
        *meaning;  /* constraint of a joint: what the row prevents, "x translation"; else NULL */
    char *motions; /* ... and the prescribed motions that move it, "'a' (line 3)"; or NULL */
    double misfit; /* ... and what its loop may be apart: the largest tolerance of its joints, m or
                      rad */
    bool inner;    /* position, speed, constraint: of absolute coordinates, not for people */
    bool follows;  /* position, speed: of a joint, from absolute coordinates; needs no mass */
} dfl_declaration;

/* A body with absolute coordinates: its symbols, and where the joint that it hangs on puts it at
   the start. Expressions contain coordinates of that joint and of bodies with lower numbers. */
typedef struct dfl_placement {
    bool planar;
    dfl_expr p[7], v[6];     /* x, y, angle; or x, y, z, quaternion; their velocities or speeds */
    dfl_expr r[3], u[3];     /* position; velocity */
    dfl_expr R[9], omega[3]; /* rotation, row-major, and its speeds in axes of the body; planar: the
                                angle and its rate come first */
} dfl_placement;

/* An expression of positions, and its derivative by time, shorter than differentiation makes it. */
typedef struct dfl_known_rate {
    dfl_expr expr, rate;
} dfl_known_rate;

/* A spring, a damper or both, for advice: its force is stiffness times stretch plus damping times
   its rate. */
typedef struct dfl_compliance {
    char *name;
    const char *kind;  /* "spring" */
    const char *limit; /* what to write for an infinite stiffness */
    dfl_expr stretch, stiffness, damping;
} dfl_compliance;

/* Entry (i, j) of M, or a force on i, or an initial value. */
typedef struct dfl_contribution {
    dfl_expr u, v; /* symbols of velocities; v unused for forces */
    dfl_expr expr;
    int line;
    bool stored; /* force: it is part of the kinetic, potential or stored energy */
} dfl_contribution;

typedef struct dfl_start_value {
    dfl_expr symbol; /* p, velocity, speed, r, w, s or multiplier */
    double value;
    bool held;
    int line;
    dfl_expr from;  /* the expression of parameters that gave the value, or DFL_NO_EXPR */
    bool decides;   /* declarations depend on the value */
    double given;   /* what was said; the value is another one where the start was completed ... */
    bool completed; /* ... with others, as four numbers to a quaternion of length 1; if nothing was
                       said, it is `added` */
    bool added;
} dfl_start_value;

/* Forces that jump where c = 0: what differs on its two sides, and how (force_jumps.h). */
typedef struct dfl_force_jump {
    dfl_expr c;
    int count, nforces;     /* places that differ: forces, then declarations: */
    int *place;             /* count, ascending; the first declaration is nforces */
    dfl_expr *plus, *minus; /* count */
    int nv;
    dfl_expr *velocity, *slope; /* nv: velocities that take part, and d c / d velocity */
    int nsymbols;               /* of the graph when it was looked at */
    bool coupled;               /* a force on one velocity may accelerate another one */
    double size;                /* the largest jump; 0 for dampers that are steeper on one side */
    bool acts;     /* forces that jump act on velocities of c, as far as that can be seen */
    bool friction; /* forces only, and they act against c: f+ - f- = -2 F (dc/dv)^T, F > 0 */
    int weight;    /* the hidden discrete variable whose value is `size`, or -1 */
} dfl_force_jump;

/* A decision by numbers, and what else it depends on: declarations are the same while it is. */
typedef int dfl_decider(const double *values, int count, const void *facts);
typedef struct dfl_decision {
    dfl_expr *expr; /* count: of the numbers */
    int count;
    dfl_decider *decide;
    void *facts;
    int answer;
} dfl_decision;

/* A number made of parameters: declarations are the same while it lies from `low` to `high`. */
typedef struct dfl_reading {
    dfl_expr expr;
    double low, high;
} dfl_reading;

/* The drawing of a mechanism, after the script: whether other values of parameters leave its
   declarations as they are, and its automatic shapes. */
typedef struct dfl_model_drawing {
    void *it;
    dfl_status (*revalue)(bool *same, void *it);
    dfl_status (*show)(void *it);
    void (*free)(void *it);
} dfl_model_drawing;

/* An expression that is 1 where constraints are satisfied as meant, and at most 0 where they are
   satisfied by a mirror image. */
typedef struct dfl_side {
    char *name; /* of the joint, for messages */
    dfl_expr expr;
    int line;
} dfl_side;

/* A prescribed motion, and its rate. */
typedef struct dfl_prescribed {
    char *name; /* of the joint, for messages */
    int line;
    dfl_expr value, rate;
    dfl_expr momentum; /* of what it moves, along it, less what multipliers exert; DFL_NO_EXPR: has
                          no kinks */
} dfl_prescribed;

/* What `draw` declares; the columns of each kind are listed below, where shapes are declared. */
typedef enum dfl_shape_kind {
    DFL_POINT,
    DFL_LINE,
    DFL_SPRING,
    DFL_BOX,
    DFL_CYLINDER,
    DFL_SPHERE,
    DFL_FRAME,
    DFL_MESH,
    DFL_SHAPE_KINDS
} dfl_shape_kind;

typedef struct dfl_shape {
    dfl_shape_kind kind;
    const char *name;  /* any text, unique among the shapes; the model has a copy */
    const char *color; /* a word of the palette, "#rrggbb", or NULL; likewise */
    int line;          /* in the script */
    bool planar;       /* no z was given */
    bool trace;        /* its path is drawn */
    int carrier; /* the body that carries it + 1: a drawing at rest until it is lowered; 0: none */
    int ncolumns;
    dfl_expr *column;  /* numbers of one frame, as expressions */
    int nvalues;       /* line: the last columns, one number per point, that colours show; or 0 */
    const char *value; /* ... what they are, "moment, N m"; a constant text */
    int ntriangles;
    float *triangles; /* mesh: 9 numbers each */
    int alike;        /* of the model: the shape before it whose name has the same hash + 1, or 0 */
} dfl_shape;

/* How masses, forces of inertia and gravity, and rows of loops of a mechanism are evaluated: as
   expressions, or by recursions over numbers; automatic: the way with the lower predicted cost.
   Absolute: as expressions in absolute coordinates of every body, which joints become constraints
   of; equations of thousands of bodies are then sparse. Cheapest: automatic or absolute; a script
   decides it by running once more (script.h). */
typedef enum dfl_dynamics {
    DFL_DYNAMICS_AUTO,
    DFL_DYNAMICS_EXPRESSIONS,
    DFL_DYNAMICS_RECURSION,
    DFL_DYNAMICS_ABSOLUTE,
    DFL_DYNAMICS_CHEAPEST
} dfl_dynamics;

/* One velocity's share of a frame's motion. */
typedef struct dfl_frame_column {
    dfl_expr u; /* the velocity or speed */
    dfl_expr v[3], omega[3];
} dfl_frame_column;

/* A frame of a mechanism in world axes, as expressions; accelerations contain the symbols of v'. */
typedef struct dfl_model_frame {
    char *name;
    bool planar;
    dfl_expr r[3], R[9]; /* origin; row-major: frame to world */
    dfl_expr angle;      /* in plane models, relative to the drawing */
    dfl_expr v[3], omega[3], a[3], alpha[3];
    int ncolumns;
    dfl_frame_column *columns;
} dfl_model_frame;

/* A file that the script has read; its text is part of the model. */
typedef struct dfl_model_file {
    char *name; /* as the script gives it */
    char *text;
} dfl_model_file;

/* A function of time that is known from `first` to `last`; nothing was said about other times. */
typedef struct dfl_model_signal {
    int line;
    double first, last; /* s */
    bool held;          /* beyond, its end's value is used; else the slope there, too */
} dfl_model_signal;

/* What makes results doubtful; a run says the sentence once: while `excess` is positive, or, if
   `neglected`, at the end, if the largest `excess` was more than a hundredth of the largest
   `whole`.
 */
typedef struct dfl_doubt {
    int line;
    dfl_expr excess, whole;
    bool neglected;
    char *text;
} dfl_doubt;

/* Per symbol of the graph: its declaration and its initial value, as numbers + 1; 0: none. */
typedef struct dfl_symbol_use {
    int declaration, start;
} dfl_symbol_use;

/* Energies as sums; DFL_NO_EXPR if never given. */
typedef struct dfl_energies {
    dfl_expr kinetic, potential;
    dfl_expr stored; /* energy whose forces are declared as such */
    dfl_expr driven; /* kinetic energy beyond v^T M v / 2 of the masses */
    int kinetic_line, potential_line;
    int asked_line; /* of the first energy() of the script; 0: none */
} dfl_energies;

typedef struct dfl_model {
    dfl_context *ctx;
    dfl_graph *graph;
    char *name;     /* of the file, without folder and ending */
    char *path;     /* as given, for messages */
    char *text;     /* the script */
    bool unlimited; /* it is the caller's own: no limits of time, memory and files */
    DFL_LIST(dfl_declaration) declarations;
    int count[DFL_DECLARED_KINDS];
    struct {
        int *by_name; /* open addressing: number of the declaration + 1, 0 where empty */
        int size;     /* of by_name */
        dfl_symbol_use *by_symbol; /* by number of the graph's symbol */
        int room;                  /* of by_symbol */
        int *shapes;               /* by hash of the name: the last shape + 1 (shape.c) */
    } index;
    dfl_energies energy;
    double length;         /* of a drawing: the largest distance on one of its bodies; 0: none */
    dfl_dynamics dynamics; /* wanted of a mechanism */
    bool large;            /* absolute coordinates are predicted to be cheaper */
    dfl_mass_tree *tree;   /* masses that recursions give, in addition to `masses`; or NULL */
    const char *no_tree;   /* why a mechanism that should have one has none; or NULL */
    DFL_LIST(dfl_contribution) masses;
    DFL_LIST(dfl_contribution) forces;
    DFL_LIST(dfl_start_value) starts; /* one per symbol: the last call is used */
    DFL_LIST(dfl_side) sides;         /* of the start */
    DFL_LIST(dfl_known_rate) rates;   /* of expressions of positions */
    DFL_LIST(dfl_placement) places;   /* bodies with absolute coordinates, parents first */
    DFL_LIST(dfl_compliance) compliances;
    DFL_LIST(dfl_prescribed) motions; /* of time alone, without coordinate */
    dfl_actions actions;              /* what happens at events and samples */
    dfl_goals goals;                  /* of optimize{} */
    dfl_plan plan;                    /* of study{} */
    DFL_LIST(dfl_shape) shapes;       /* the scene, in order of declaration */
    bool wants_bodies;                /* elastic bodies are described, in `bodies` */
    bool wants_frames;                /* a mechanism describes its frames: */
    DFL_LIST(dfl_model_frame) frames;
    DFL_LIST(dfl_model_file) files;
    DFL_LIST(dfl_model_file) bodies; /* elastic bodies as SID texts */
    DFL_LIST(dfl_model_signal) signals;
    DFL_LIST(char *) sets;     /* what the caller has set, "NAME=VALUE" ... */
    DFL_LIST(char *) inputs;   /* ... and inputs that follow files */
    bool allow_fmu;            /* ... and that fmu(...) may start programs */
    DFL_LIST(char *) notes;    /* lines that `check` shows */
    DFL_LIST(char *) warnings; /* sentences for every run */
    DFL_LIST(dfl_doubt) doubts;
    dfl_choices run; /* what simulate{} says; owns the texts */
    int run_line;    /* of simulate{}; 0: there is none */
    dfl_expr
        run_from[DFL_MOST_SETTINGS]; /* expressions of parameters that gave its numbers; 0: none */
    double precision;                /* rtol of the run for which equations are prepared */
    DFL_LIST(dfl_reading) readings;
    DFL_LIST(dfl_decision) decisions;
    DFL_LIST(dfl_force_jump) jumps; /* that were looked at when motions were to slide along them */
    bool by_numbers;                /* ... and more depends on the values of parameters */
    dfl_model_drawing drawing;      /* all NULL: none */
    bool unseen;                    /* nobody looks at the scene: a drawing makes no shapes */
} dfl_model;

dfl_status dfl_model_create(dfl_model **out, dfl_context *ctx, const char *path);
void dfl_model_free(dfl_model *model);

/* Declarations. Names: letters, digits, '_', '.', '-', '[', ']', starting with a letter or '_'; at
   most 100 characters; not "time"; unique. DFL_INVALID otherwise. *out is the symbol. Derived names
   such as der(x) have brackets and cannot be declared. Symbols of velocities (of positions and
   speeds alike) are numbered in one sequence; a position with kinematics leaves the number of its
   own velocity unused. */
dfl_status dfl_model_param(dfl_expr *out, dfl_model *model, int line, const char *name,
                           double value, const char *unit);
/* The unit of a variable or output, for people; velocities of a position with the unit m have
   m/s. */
dfl_status dfl_model_unit(dfl_model *model, dfl_declaration *decl, const char *unit);
dfl_status dfl_model_input(dfl_expr *out, dfl_model *model, int line, const char *name,
                           double value);
dfl_status dfl_model_setting(dfl_model *model, int line, const char *name, double value);
dfl_status dfl_model_position(dfl_expr *out, dfl_model *model, int line, const char *name);
dfl_status dfl_model_speed(dfl_expr *out, dfl_model *model, int line, const char *name);
/* The velocity of a position: its own symbol, or its kinematics where given; kinematics therefore
   comes before any use of the velocity. */
dfl_status dfl_model_velocity(dfl_expr *out, dfl_model *model, dfl_expr position);
/* The acceleration of a speed, or of a position with its own velocity: for outputs. */
dfl_status dfl_model_acceleration(dfl_expr *out, dfl_model *model, dfl_expr u);
dfl_status dfl_model_kinematics(dfl_model *model, dfl_expr position, dfl_expr rate);
dfl_status dfl_model_kinetic(dfl_model *model, int line, dfl_expr T);
dfl_status dfl_model_potential(dfl_model *model, int line, dfl_expr V);
/* u, v: symbols of positions (meaning their velocities), velocities or speeds. */
dfl_status dfl_model_mass(dfl_model *model, int line, dfl_expr u, dfl_expr v, dfl_expr k);
dfl_status dfl_model_force(dfl_model *model, int line, dfl_expr u, dfl_expr F);
/* Along directions without mass and damping that move u, the balance of forces determines
   positions. */
dfl_status dfl_model_quasistatic(dfl_model *model, dfl_expr u);

/* The position p begins where its velocity and its acceleration vanish. */
void dfl_model_begin_smoothly(dfl_model *model, dfl_expr p);
/* For messages: a body without mass moves with velocity u. */
dfl_status dfl_model_carries(dfl_model *model, dfl_expr u, const char *body);
/* For mechanisms: a force of inertia, or one that follows from an energy given to dfl_model_stored,
   which (unlike potential) makes no forces itself. */
dfl_status dfl_model_stored_force(dfl_model *model, int line, dfl_expr u, dfl_expr F);
dfl_status dfl_model_stored(dfl_model *model, dfl_expr V);
/* Kinetic energy beyond v^T M v / 2 of the declared masses: of prescribed motions, of a tree of
   bodies. */
dfl_status dfl_model_driven(dfl_model *model, dfl_expr T);
/* Masses that recursions give: the model takes over `tree`. */
void dfl_model_set_tree(dfl_model *model, dfl_mass_tree *tree);
/* Whether all forces follow from energies. */
bool dfl_model_conservative(const dfl_model *model);
/* Names of constraints that a motion for inverse dynamics declares begin with it. */
#define DFL_MOTION_PREFIX "motion."
/* *out: the number of the declaration in model->declarations.item. */
dfl_status dfl_model_constraint(int *out, dfl_model *model, int line, const char *name, dfl_expr g);
dfl_status dfl_model_nonholonomic(int *out, dfl_model *model, int line, const char *name,
                                  dfl_expr h);
/* A row that is on while `active`, an expression of discrete variables, parameters and inputs, is
   positive; else it is 0 = 0, and its multiplier is zero. To be called before the row is declared:
   *expr is the expression of the row, then that of the masked row, and *mask its mask, which
   belongs to the declaration. */
dfl_status dfl_model_mask(dfl_expr *mask, dfl_expr *expr, dfl_model *model, const char *name,
                          dfl_expr active);
/* First the symbol, then its equation: the equation may contain the symbol. kind: DFL_A_DYNAMIC,
   DFL_AN_AUXILIARY, DFL_A_CONTACT. */
dfl_status dfl_model_variable(dfl_expr *out, dfl_model *model, int line, dfl_declared kind,
                              const char *name);
dfl_status dfl_model_equation(dfl_model *model, dfl_expr symbol, dfl_expr expr);
dfl_status dfl_model_invariant(dfl_model *model, int line, const char *name, dfl_expr expr);
dfl_status dfl_model_output(dfl_model *model, int line, const char *name, dfl_expr expr);
dfl_status dfl_model_event(dfl_model *model, int line, const char *name, dfl_expr expr,
                           int direction, bool stop);
/* An event, with a name of its own, that ends the run as a failure where `inside` becomes negative;
   `failure` says what is wrong. */
dfl_status dfl_model_limit(dfl_model *model, int line, dfl_expr inside, const char *failure);
/* T + V so far, with v^T M v / 2 for declared masses. DFL_INVALID if none was given. */
dfl_status dfl_model_energy(dfl_expr *out, dfl_model *model);
/* The same in two parts. */
dfl_status dfl_model_energies(dfl_expr *T, dfl_expr *V, dfl_model *model);

/* Adds a sentence that a run reports to the user at the start (dfl_study_advise). */
dfl_status dfl_model_warn(dfl_model *model, const char *text);
/* Adds one that a run reports when `excess`, an expression without accelerations, becomes positive.
 */
dfl_status dfl_model_doubt(dfl_model *model, int line, dfl_expr excess, const char *text);
/* Adds one that a run reports at its end, with both largest values, if `left_out`, a length that
   equations neglect and in which accelerations may occur, was more than a hundredth of `whole`. */
dfl_status dfl_model_neglect(dfl_model *model, int line, dfl_expr left_out, dfl_expr whole,
                             const char *text);

/* Keeps the text of an option of the caller: of an input that follows a file, or NAME=VALUE. */
dfl_status dfl_model_remember_option(dfl_model *model, bool input, const char *text);

/* Adds a line that `check` shows. */
dfl_status dfl_model_note(dfl_model *model, const char *text);

/* The text of a file that was read before, or NULL; a file that was read now: the model takes over
   `text`, also if it fails. */
const char *dfl_model_file_text(const dfl_model *model, const char *name);
dfl_status dfl_model_add_file(dfl_model *model, const char *name, char *text);
/* An elastic body as the text of a SID file, which is copied; the text of a body, or NULL. */
dfl_status dfl_model_add_body(dfl_model *model, const char *name, const char *text);
const char *dfl_model_body_text(const dfl_model *model, const char *name);
/* Remembers the ends of a signal whose script has not said what is beyond them. */
dfl_status dfl_model_signal_ends(dfl_model *model, int line, double first, double last, bool held);
/* A number that changes with the script and the files it has read. */
uint64_t dfl_model_hash(const dfl_model *model);

/* What is differentiated twice, such as a constraint or a prescribed motion (`what`, with the name
   of its owner), must not contain tables with kinks: DFL_INVALID. Jumps of curvature are allowed,
   and the user is told. */
dfl_status dfl_model_check_tables(dfl_model *model, int line, const char *what, const char *name,
                                  dfl_expr expr);

/* A held value or a guess for the symbol of an unknown. DFL_INVALID for parameters, time,
   expressions, numbers that are not finite. */
dfl_status dfl_model_start(dfl_model *model, int line, dfl_expr symbol, double value, bool held);

/* The start of a symbol as others complete it; what was said of it, or that nothing was, stays
   known. */
dfl_status dfl_model_complete_start(dfl_model *model, int line, dfl_expr symbol, double value,
                                    bool held);

/* The start must have this side: `expr` of positions is 1 there (sides.c). */
dfl_status dfl_model_side(dfl_model *model, int line, const char *name, dfl_expr expr);

/* Remembers a body with absolute coordinates. */
dfl_status dfl_model_place(dfl_model *model, const dfl_placement *placement);

/* Remembers the rate of an expression. */
dfl_status dfl_model_rate(dfl_model *model, dfl_expr expr, dfl_expr rate);

/* Remembers a spring or damper; the name is copied. */
dfl_status dfl_model_compliance(dfl_model *model, const dfl_compliance *compliance);

/* A motion that is prescribed: it must not jump. */
dfl_status dfl_model_motion(dfl_model *model, int line, const char *name, dfl_expr value,
                            dfl_expr rate);

/* The number that an expression of parameters, inputs and numbers has with their present values.
   DFL_INVALID if it contains anything else. What is declared with _value may depend on the number;
   users of _number keep the expression, for dfl_model_revalue. */
dfl_status dfl_model_value(double *out, dfl_model *model, dfl_expr expr);
/* The same where declarations depend only on its sign (-1, 0, 1), on whether it is finite, on
   whether it lies from `low` to `high`. */
dfl_status dfl_model_sign(double *out, dfl_model *model, dfl_expr expr);
dfl_status dfl_model_finite(double *out, dfl_model *model, dfl_expr expr);
dfl_status dfl_model_within(double *out, dfl_model *model, dfl_expr expr, double low, double high);
dfl_status dfl_model_number(double *out, const dfl_model *model, dfl_expr expr);
/* The same where declarations depend only on decide(values, count, facts), a pure function of
   finite numbers; `size` bytes of facts are copied. */
dfl_status dfl_model_decide(int *answer, dfl_model *model, const dfl_expr *exprs, int count,
                            dfl_decider *decide, const void *facts, size_t size);

/* The initial value of a symbol was made of an expression of parameters. */
void dfl_model_start_from(dfl_model *model, dfl_expr symbol, dfl_expr from);

/* The first value of a discrete variable was made of an expression of parameters. */
void dfl_model_discrete_from(dfl_model *model, dfl_expr symbol, dfl_expr from);

/* Other values, "NAME=VALUE", of parameters, inputs and initial(VARIABLE), which the model was made
 *with, too. same: with them the script declares the same, and the model now has them; else it is to
 *be freed. */
dfl_status dfl_model_revalue(bool *same, dfl_model *model, const char *const *sets, int count);

/* The declaration with this name, or NULL; the nearest name by edit distance for "did you mean",
   or NULL if none is near. `kinds`: bits 1 << dfl_declared. */
dfl_declaration *dfl_model_find(const dfl_model *model, const char *name);
const char *dfl_model_nearest(const dfl_model *model, const char *name, unsigned kinds);
/* The declaration that owns a symbol (a velocity belongs to its position), or NULL. */
dfl_declaration *dfl_model_owner(const dfl_model *model, dfl_expr symbol);

/* Whether initial{} or guess{} mentions the symbol of an unknown. */
bool dfl_model_mentioned(const dfl_model *model, dfl_expr symbol);
/* The symbol that a variable's name means: x, der(x), u, lambda(c), mu(c), r, w, s; DFL_NO_EXPR if
   none (also der(x) where x has kinematics). */
dfl_expr dfl_model_variable_named(const dfl_model *model, const char *name);

/* Fails with "FILE:LINE: " in front (no line where it is 0). */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
dfl_status
dfl_model_fail(const dfl_model *model, int line, const char *format, ...);

/* ------------------------------------------------------------------ names */

/* DFL_OK if a declaration may have this name; otherwise the message says what is wrong with it. */
dfl_status dfl_model_check_name(const dfl_model *model, const char *name);

/* For tables of names: FNV-1a. */
uint32_t dfl_name_hash(const char *name, size_t length);

/* "parameter", "position", ...: what a declaration of this kind is called. */
const char *dfl_declared_name(dfl_declared kind);

/* Appends briefly what the rows of a joint prevent (`meaning` of their declarations), axes
   together: "x and z translation, y rotation". */
void dfl_print_motions(dfl_text *text, const char *const *meanings, int count);

/* Appends the items of `list`, such as "'a', 'b'", that `text` does not have from `from` on.
   Returns how many. */
int dfl_list_add(dfl_text *text, size_t from, const char *list);

/* ------------------------------------------------------------------ the scene
   What is drawn, with numbers that may change from frame to frame. The columns of a shape, all in
   world coordinates and metres; 0 as a size leaves the choice to the viewer:
     point      x y z  size
     line       x y z of every point  size (thickness)
     spring     x y z of both ends  size (radius)  coils
     box        pose  length width height
     cylinder   pose  radius length (along its own z axis)
     sphere     pose  three radii
     frame      pose  size
     mesh       pose  scale
   A pose is x y z and a quaternion q0 q1 q2 q3, the scalar first, not necessarily of length 1. */

/* The words of the palette (Okabe and Ito), and "point", "line", ... */
enum { DFL_COLORS = 9 };
extern const char *const dfl_color_names[DFL_COLORS];
extern const char *const dfl_shape_names[DFL_SHAPE_KINDS];

/* Adds a copy of `shape` to the scene. DFL_INVALID: a bad or used name, an unknown colour, too many
   shapes or triangles. */
dfl_status dfl_model_shape(dfl_model *model, const dfl_shape *shape);
/* Whether it is a colour. */
dfl_status dfl_model_check_color(const dfl_model *model, const char *name, const char *color);

/* Adds the automatic shapes of the drawing, if there is one, once and unless the model is unseen.
   They come behind the equations, whose expressions are thus the same without them. */
dfl_status dfl_model_show(dfl_model *model);

/* Of all shapes together, without columns that are plain numbers. */
int dfl_scene_columns(const dfl_model *model);
/* No shape has a z coordinate. */
bool dfl_scene_planar(const dfl_model *model);

#endif
