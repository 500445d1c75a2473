/* order.h: orders that do not depend on addresses or hash values. */
#ifndef DFL_SCRIPT_ORDER_H
#define DFL_SCRIPT_ORDER_H

#include "script/sandbox.h"

/* Pushes an array of the keys of table `t`: numbers ascending, texts by their bytes, symbols by
   their number. Other keys raise an error. */
void dfl_push_sorted_keys(lua_State *L, int t);

/* The call `pairs(t)`, in that order, over the keys that are there at the start; and `sort(t [,
   less])`, which leaves equal elements in their order. */
int dfl_script_pairs(lua_State *L);
int dfl_script_sort(lua_State *L);

#endif
