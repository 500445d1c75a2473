/* mechanism_calls.h: bodies and joints in scripts; what force elements need of them. */
#ifndef DFL_MECHANISM_CALLS_H
#define DFL_MECHANISM_CALLS_H

#include "drawing/drawing.h"
#include "script/sandbox.h"

/* The names of the kinds of userdata, as Lua's messages show them. */
#define DFL_BODY "body"
#define DFL_JOINT "joint"
#define DFL_BODY_POINT "point"

/* A point of a body with axes, both given in the drawing: what point and frame return. */
typedef struct dfl_body_point {
    int body;
    dfl_vec at, axis, axis2; /* axes z and x, as for joints; zero: those of the drawing */
} dfl_body_point;

/* Adds gravity, planar, ground, body, revolute, ..., point, frame to the table on top of the
   stack. */
void dfl_mechanism_open(lua_State *L);

/* Adds gear, rack, belt, ..., rolling_disk, contact_curves, joint to the table on top of the stack
   (closure_calls.c). */
void dfl_closures_open(lua_State *L);

int dfl_script_user_joint(lua_State *L);     /* user_joint_calls.c */
int dfl_script_contact_curves(lua_State *L); /* contact_calls.c */
int dfl_script_contact_surfaces(lua_State *L);
int dfl_script_contact_wheel(lua_State *L);

/* Adds elastic and deflection to the table on top of the stack (elastic_calls.c). */
void dfl_elastics_open(lua_State *L);

int dfl_elastic_from_table(lua_State *L, const char *name, int table,
                           int modes); /* elastic_tables_calls.c */

int dfl_elastic_from_sid(lua_State *L, const char *name, int table,
                         const char *file);                               /* elastic_file_calls.c */
int dfl_elastic_from_matrices(lua_State *L, const char *name, int table); /* elastic_fe_calls.c */

int dfl_elastic_from_beams(lua_State *L, const char *name, int table); /* elastic_frame_calls.c */

/* Cross-section, stiffness and mass of a beam; `ends`: from and to must be given (elastic_calls.c).
 */
void dfl_elastic_read_section(dfl_drawn_beam *beam, lua_State *L, int table, bool ends);

/* Frame of a body of finite elements: tangent, chord or buckens; a whole number from 0 to
   DFL_MOST_MODES; the numbers of nested lists, at most `most` + 1 (elastic_fe_calls.c). */
int dfl_elastic_frame(lua_State *L, const char *name, int table);
int dfl_elastic_count(lua_State *L, const char *name, int table, const char *key, int missing);
/* Options of all elastic bodies that dfl_elastic_declare reads. */
#define DFL_ELASTIC_OPTIONS                                                                        \
    {"damping", DFL_OPTION_OTHER, NULL, NULL}, {"start", DFL_OPTION_OTHER, NULL, NULL},            \
        {"magnify", DFL_OPTION_OTHER, NULL, NULL}, {"color", DFL_OPTION_OTHER, NULL, NULL},        \
    {                                                                                              \
        "hidden", DFL_OPTION_OTHER, NULL, NULL                                                     \
    }
double dfl_elastic_positive(lua_State *L, const char *name, int table, const char *key,
                            double missing);
bool dfl_elastic_start(lua_State *L, const char *name, int table); /* whether it is smooth */
bool dfl_elastic_flag(lua_State *L, const char *name, int table, const char *key);
int dfl_elastic_numbers(lua_State *L, const char *name, double *out, int most, int i, int have);

/* Bodies of modes: nothing yet; their damping, and the body, whose handle is pushed
   (elastic_tables_calls.c). */
void dfl_elastic_begin(dfl_drawn_modes *m, lua_State *L, const char *name);
void dfl_elastic_begin_in_space(dfl_drawn_modes *m, lua_State *L,
                                const char *name); /* or refused */
int dfl_elastic_declare(lua_State *L, dfl_drawn_modes *m, int table);
void dfl_elastic_take_sid(dfl_drawn_modes *m, lua_State *L, const dfl_sid *sid);

/* Pushes the handle of a body, of a joint. */
void dfl_body_push(lua_State *L, int body);
void dfl_joint_push(lua_State *L, int joint);

/* The drawing of the script, made at the first call. */
dfl_drawing *dfl_script_drawing(lua_State *L);

/* How a point of a body moves: x, vx, ax, ..., wx, alx, ..., q0, ..., angle (motion_fields.c).
   Unknown fields are errors with the nearest. */
dfl_expr dfl_motion_field(lua_State *L, const dfl_body_point *point, const char *field);

/* output(name, joint) and output(name, point [, what, ...]): several outputs NAME.FIELD
   (motion_fields.c). */
int dfl_motion_output(lua_State *L);

/* Argument i: a body or the ground; a tree joint. */
int dfl_arg_body(lua_State *L, const char *call, int i);
int dfl_arg_material(lua_State *L, const char *call, int i); /* no frame of an elastic body */
int dfl_arg_joint(lua_State *L, const char *call, int i);

/* What an option is, with its type in C: a number or expression (dfl_expr), a point or an axis
   (dfl_vec; in plane models two numbers are enough), inertia (dfl_sym), true or false (bool), a
   body (int). Further kinds: what point or frame returned (dfl_body_point); one number for all
   directions or one for each (dfl_vec); left to the caller. */
typedef enum dfl_option_kind {
    DFL_OPTION_EXPR,
    DFL_OPTION_POINT,
    DFL_OPTION_AXIS,
    DFL_OPTION_INERTIA,
    DFL_OPTION_FLAG,
    DFL_OPTION_BODY,
    DFL_OPTION_FRAME,
    DFL_OPTION_EACH,
    DFL_OPTION_OTHER
} dfl_option_kind;

typedef struct dfl_option {
    const char *key;
    dfl_option_kind kind;
    void *out;
    bool *given; /* may be NULL */
} dfl_option;

/* Reads the table in argument i (missing: nothing is given). Unknown keys are errors with the
   nearest key. `name` is that of the thing, for messages. */
void dfl_read_options(lua_State *L, const char *call, const char *name, int i,
                      const dfl_option *options, int count);

/* A table of numbers or expressions at i: 3, or 2 in a plane model. Messages begin with `label`:
   what. */
dfl_vec dfl_read_vector(lua_State *L, const char *label, const char *what, int i, bool point);

#endif
