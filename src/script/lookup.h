/* lookup.h: functions through tables as Lua values, which are called with numbers or expressions.
 */
#ifndef DFL_SCRIPT_LOOKUP_H
#define DFL_SCRIPT_LOOKUP_H

#include "script/sandbox.h"
#include "symbolic/symbolic.h"

/* The names of the kinds of userdata. */
#define DFL_SPLINE "spline"
#define DFL_LOOKUP "lookup"
#define DFL_MAP "map"
#define DFL_SIGNAL "signal"

/* What the options of a table say. */
typedef struct dfl_lookup_options {
    dfl_table_kind kind;
    dfl_outside outside;
    bool outside_given;
    bool free_ends; /* as in dfl_axis */
} dfl_lookup_options;

/* Add spline, lookup and map, and signal, to the table on top of the stack. */
void dfl_lookups_open(lua_State *L);
void dfl_signals_open(lua_State *L);

/* Takes the option `key`, whose value is on top of the stack, if it is kind or outside. */
bool dfl_lookup_option(dfl_lookup_options *out, lua_State *L, const char *call, const char *key);

/* Fills in what lies outside if it was not said. */
void dfl_lookup_default(dfl_lookup_options *options);

/* Pushes the function through y (n), of the type `type`; `label` names it in messages. */
void dfl_lookup_push(lua_State *L, const char *type, const char *label, const double *x,
                     const dfl_expr *y, int n, const dfl_lookup_options *options);
/* The natural spline of degree 5, with parabolas outside. */
void dfl_spline_push(lua_State *L, const double *x, const double *y, int n);
/* The function of two arguments through z; `symbolic`: some of them are expressions. */
void dfl_map_push(lua_State *L, const dfl_axis *x, const dfl_axis *y, const dfl_expr *z,
                  bool symbolic);

/* Multiplies the function on top of the stack. */
void dfl_lookup_scale(lua_State *L, dfl_expr factor);

/* Makes the metatables of these functions. */
void dfl_lookup_types(lua_State *L);

/* Whether there is a function of one argument. */
bool dfl_is_lookup(lua_State *L, int i);

#endif
