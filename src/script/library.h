/* library.h: what a script sees of Lua's own library. */
#ifndef DFL_SCRIPT_LIBRARY_H
#define DFL_SCRIPT_LIBRARY_H

#include "script/sandbox.h"

/* Adds print, pairs, ipairs, type, tostring, tonumber, error, assert, math, string, table to the
   table of names on top of the stack, which already has the functions of symbols (math shares
   them). */
void dfl_library_open(lua_State *L);

/* Replaces the table on top by one that finds its names, refuses assignments to them, and suggests
   the nearest for an unknown one; `label` comes before them in messages. */
void dfl_library_protect(lua_State *L, const char *label);

/* Pops the table of names on top of the stack and makes it the globals of the script. Unknown names
   raise an error, as does assigning to one of the names. */
void dfl_library_set_globals(lua_State *L);

#endif
