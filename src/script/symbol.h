/* symbol.h: expressions as Lua values: a symbol is a userdata that holds one node. */
#ifndef DFL_SCRIPT_SYMBOL_H
#define DFL_SCRIPT_SYMBOL_H

#include "script/sandbox.h"

/* The names of the kinds of userdata, as Lua's messages show them. */
#define DFL_SYMBOL "symbol"
#define DFL_CONSTRAINT "constraint"

/* Makes the metatables and adds sin, cos, ..., min, max, select, mod to the table on top of the
   stack. */
void dfl_symbols_open(lua_State *L);

/* Pushes an expression; raises the failure of the graph if there was one. */
void dfl_symbol_push(lua_State *L, dfl_expr expr);

/* Pushes a text for people: numbers and texts as they are, symbols as formulas, never an address.
 */
const char *dfl_value_text(lua_State *L, int i);

#endif
