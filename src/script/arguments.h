/* arguments.h: arguments of the language's calls, checked with messages such as
   "position: argument 2 is a number; give a name in quotes".

   `call` is the name of the call; `i` is the place on the stack. */
#ifndef DFL_ARGUMENTS_H
#define DFL_ARGUMENTS_H

#include "script/sandbox.h"

/* Raises an error unless `least` to `most` arguments were given; returns their number. */
int dfl_arg_count(lua_State *L, const char *call, int least, int most);

/* What is there: "a number", "a symbol", "nothing", ... */
const char *dfl_arg_kind(lua_State *L, int i);

/* Raises "CALL: argument I is KIND; give REMEDY". Never returns. */
int dfl_arg_error(lua_State *L, const char *call, int i, const char *remedy);

/* Whether there is a number, or an expression of parameters, whose present value is then used. */
bool dfl_value_number(double *out, lua_State *L, int i);
/* ... and *from is the expression, which the caller keeps, or DFL_NO_EXPR. */
bool dfl_value_from(double *out, dfl_expr *from, lua_State *L, int i);

double dfl_arg_number(lua_State *L, const char *call, int i);
const char *dfl_arg_name(lua_State *L, const char *call, int i);
const char *dfl_arg_string(lua_State *L, const char *call, int i, const char *remedy);
void dfl_arg_table(lua_State *L, const char *call, int i, const char *remedy);

/* A symbol, or a finite number as a constant. */
dfl_expr dfl_arg_expr(lua_State *L, const char *call, int i);

/* Raises an error for a word that is none of the `count` words, with the nearest of them. */
int dfl_arg_unknown(lua_State *L, const char *call, const char *what, const char *word,
                    const char *const *words, int count);

#endif
