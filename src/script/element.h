/* element.h: what the calls of force elements share: what they act on, options, handles with
   symbols.

   Elements act on a stroke (drawing/elements.h): CALL(name, joint, {options}) on a coordinate of a
   joint, CALL(name, A, B, {from = , to = , ...}) between points of two bodies, CALL(name, A, B,
   {axis = , ...}) about an axis. Instead of bodies there may be points of them: then from and to
   are known. */
#ifndef DFL_SCRIPT_ELEMENT_H
#define DFL_SCRIPT_ELEMENT_H

#include "drawing/drawing.h"
#include "script/mechanism_calls.h"

typedef struct dfl_element {
    const char *call, *name;
    int options; /* place of their table, may be missing */
    int joint;   /* or -1 */
    int a, b;
    bool from_given, to_given, axis_given, delta_given, coordinate_given;
    dfl_vec from, to, axis;
    dfl_expr delta;
    double coordinate; /* from 1 */
} dfl_element;

/* The name and what it acts on. */
dfl_element dfl_element_begin(lua_State *L, const char *call);

/* A body, or a point of one: then *at is set and *given is true. */
int dfl_element_end(lua_State *L, const char *call, int i, dfl_vec *at, bool *given);

/* Its own options, and from, to, axis, delta, coordinate. */
void dfl_element_options(dfl_element *e, lua_State *L, const dfl_option *own, int count);

dfl_stroke dfl_element_stroke(const dfl_element *e, lua_State *L);

/* Raises an error unless something was given; `remedy`: "give stiffness = ..., in N/m". */
void dfl_element_need(lua_State *L, const dfl_element *e, bool given, const char *what,
                      const char *remedy);

/* A law in option `key`: an expression, a function of (x, xd), or a spline, lookup or signal of x.
   DFL_NO_EXPR: not given. */
dfl_expr dfl_element_law(lua_State *L, const dfl_element *e, const char *key,
                         const dfl_stroke *stroke);

/* A list of two expressions at i? */
bool dfl_element_is_pair(lua_State *L, int i);

/* Expression k (1, 2) of a pair at i; `what`: "slip". */
dfl_expr dfl_element_pair(lua_State *L, const dfl_element *e, const char *what, int i, int k);

typedef struct dfl_field {
    const char *name;
    dfl_expr expr;
} dfl_field;

/* Pushes a handle with these fields; unknown ones are errors with the nearest. Returns 1. */
int dfl_element_push(lua_State *L, const char *name, const dfl_field *fields, int count);

/* Add their calls to the table on top of the stack. */
void dfl_elements_open(lua_State *L);
void dfl_frictions_open(lua_State *L);
void dfl_loads_open(lua_State *L);
void dfl_unilaterals_open(lua_State *L);

#endif
