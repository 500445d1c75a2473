/* language.h: the calls of the model language. */
#ifndef DFL_LANGUAGE_H
#define DFL_LANGUAGE_H

#include "script/sandbox.h"

/* Adds param, position, kinetic, ... and the symbol `time` to the table on top of the stack. */
void dfl_language_open(lua_State *L);

/* Adds param, input, setting, set (value_calls.c); dynamic, auxiliary, contact (unknown_calls.c).
 */
void dfl_values_open(lua_State *L);
void dfl_unknowns_open(lua_State *L);

/* Pushes the handle of a constraint: the number of its declaration. Returns 1. */
int dfl_constraint_push(lua_State *L, int number);

/* Adds discrete, previous, event, sample, delay (action_calls.c). */
void dfl_actions_open(lua_State *L);

/* Adds fmu (fmu_calls.c). */
void dfl_fmus_open(lua_State *L);

/* `active` of the table of options in argument i. */
dfl_expr dfl_arg_active(lua_State *L, const char *call, int i);

/* Adds at, final, integral, optimize (goal_calls.c). */
void dfl_goals_open(lua_State *L);
void dfl_studies_open(lua_State *L);

/* The text of a file below the model's folder, which then belongs to the model (signal_calls.c). */
const char *dfl_signal_file(lua_State *L, const char *what, const char *file);

/* Adds the table `draw` with point, line, spring, ... to the table on top of the stack. */
void dfl_draw_open(lua_State *L);

/* Pushes draw.point, ...; `kind` is a dfl_shape_kind. */
void dfl_draw_push(lua_State *L, int kind);

/* Options of a body, in the table in argument i, which may be missing (draw_body.c): the colour, or
   NULL; the shape, whose handle is on top of the stack. */
const char *dfl_draw_color(lua_State *L, const char *name, int i);
void dfl_draw_body(lua_State *L, const char *name, int i);

/* The calls that take tables: initial{...}, guess{...}, simulate{...}. */
int dfl_script_initial(lua_State *L);
int dfl_script_guess(lua_State *L);
int dfl_script_simulate(lua_State *L);

/* Leaves the next value of the table of options in argument `table`, the last one, on the stack and
   returns its key, or NULL at the end. *i starts at 0. */
const char *dfl_next_option(lua_State *L, const char *call, int table, lua_Integer *i);

#endif
