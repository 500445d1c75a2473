/* symbol.c: expressions as Lua values: operators, functions, texts.

   Numbers stay numbers: an operation makes a node only where a symbol takes part. */
#include "script/symbol.h"

#include "script/arguments.h"
#include "symbolic/symbolic.h"

#include <lauxlib.h>
#include <math.h>

enum { LONGEST_TEXT = 500 }; /* operations of an expression that is shown */

static int operate(lua_State *L);
static dfl_expr operand(lua_State *L, int i, const char *verb);
static int negate(lua_State *L);
static int refuse(lua_State *L);
static int symbol_text(lua_State *L);
static int budget_left(const dfl_graph *graph, dfl_expr expr, int budget);

static int apply_one(lua_State *L);
static int apply_two(lua_State *L);
static int apply_atan(lua_State *L);
static int apply_fold(lua_State *L);
static int apply_select(lua_State *L);
static int apply_mod(lua_State *L);
static int remainder_of(lua_State *L);
static int push_value(lua_State *L, dfl_op op, double a, double b);
static int constraint_text(lua_State *L);

/* Arithmetic metamethods, with the word of the message. */
static const struct {
    const char *event, *verb;
    dfl_op op;
} operators[] = {{"__add", "add", DFL_OP_ADD},
                 {"__sub", "subtract", DFL_OP_SUB},
                 {"__mul", "multiply", DFL_OP_MUL},
                 {"__div", "divide", DFL_OP_DIV},
                 {"__pow", "take the power of", DFL_OP_POW}};

/* What a symbol cannot do, and what to do instead. */
static const struct {
    const char *event, *message;
} refused[] = {
    {"__lt",
     "symbols have no value yet and cannot be compared with < or >; use select(c, a, b), which "
     "is a where c > 0 and b elsewhere, or setting(name, value), a number, in place of param"},
    {"__le",
     "symbols have no value yet and cannot be compared with <= or >=; use select(c, a, b), "
     "which is a where c > 0 and b elsewhere, or setting(name, value), a number, in place of "
     "param"},
    {"__idiv", "symbols cannot be divided with //; use /"},
    {"__concat", "a symbol is not a text; tostring(x) gives its formula"},
    {"__len", "a symbol has no length"},
    {"__index", "a symbol has no fields; is a dot or a bracket misplaced?"},
    {"__newindex", "a symbol has no fields; is a dot or a bracket misplaced?"},
    {"__call", "a symbol is not a function; is a * or a comma missing?"}};

static const struct {
    const char *name;
    dfl_op op;
    lua_CFunction apply;
} functions[] = {{"sin", DFL_OP_SIN, apply_one},         {"cos", DFL_OP_COS, apply_one},
                 {"tan", DFL_OP_TAN, apply_one},         {"asin", DFL_OP_ASIN, apply_one},
                 {"acos", DFL_OP_ACOS, apply_one},       {"atan", DFL_OP_ATAN, apply_atan},
                 {"atan2", DFL_OP_ATAN2, apply_two},     {"sinh", DFL_OP_SINH, apply_one},
                 {"cosh", DFL_OP_COSH, apply_one},       {"tanh", DFL_OP_TANH, apply_one},
                 {"exp", DFL_OP_EXP, apply_one},         {"log", DFL_OP_LOG, apply_one},
                 {"sqrt", DFL_OP_SQRT, apply_one},       {"abs", DFL_OP_ABS, apply_one},
                 {"sign", DFL_OP_SIGN, apply_one},       {"floor", DFL_OP_FLOOR, apply_one},
                 {"noevent", DFL_OP_NOEVENT, apply_one}, {"min", DFL_OP_MIN, apply_fold},
                 {"max", DFL_OP_MAX, apply_fold}};

#define COUNT(array) (sizeof(array) / sizeof *(array))

void dfl_symbols_open(lua_State *L)
{
    for (size_t i = 0; i < COUNT(functions); i++) {
        lua_pushstring(L, functions[i].name);
        lua_pushinteger(L, functions[i].op);
        lua_pushcclosure(L, functions[i].apply, 2);
        lua_setfield(L, -2, functions[i].name);
    }
    lua_pushcfunction(L, apply_select);
    lua_setfield(L, -2, "select");
    lua_pushcfunction(L, apply_mod);
    lua_setfield(L, -2, "mod");

    luaL_newmetatable(L, DFL_SYMBOL);
    for (size_t i = 0; i < COUNT(operators); i++) {
        lua_pushinteger(L, operators[i].op);
        lua_pushstring(L, operators[i].verb);
        lua_pushcclosure(L, operate, 2);
        lua_setfield(L, -2, operators[i].event);
    }
    for (size_t i = 0; i < COUNT(refused); i++) {
        lua_pushstring(L, refused[i].message);
        lua_pushcclosure(L, refuse, 1);
        lua_setfield(L, -2, refused[i].event);
    }
    luaL_setfuncs(L,
                  (const luaL_Reg[]){
                      {"__unm", negate}, {"__mod", remainder_of}, {"__tostring", symbol_text}, {0}},
                  0);

    luaL_newmetatable(L, DFL_CONSTRAINT);
    luaL_setfuncs(L, (const luaL_Reg[]){{"__tostring", constraint_text}, {0}}, 0);
    lua_pop(L, 2);
}

void dfl_symbol_push(lua_State *L, dfl_expr expr)
{
    dfl_script_check(L, dfl_graph_status(dfl_script_of(L)->model->graph));
    dfl_expr *symbol = lua_newuserdatauv(L, sizeof *symbol, 0);
    *symbol = expr;
    luaL_setmetatable(L, DFL_SYMBOL);
}

const char *dfl_value_text(lua_State *L, int i)
{
    switch (lua_type(L, i)) {
    case LUA_TNUMBER:
    case LUA_TSTRING:
    case LUA_TBOOLEAN:
    case LUA_TNIL:
    case LUA_TUSERDATA:
        return luaL_tolstring(L, i, NULL);
    default:
        return lua_pushstring(L, luaL_typename(L, i));
    }
}

/* An arithmetic operator; upvalues: operation, verb. */
static int operate(lua_State *L)
{
    const dfl_op op = (dfl_op)lua_tointeger(L, lua_upvalueindex(1));
    const char *verb = lua_tostring(L, lua_upvalueindex(2));
    const dfl_expr a = operand(L, 1, verb), b = operand(L, 2, verb);
    if (op == DFL_OP_DIV && lua_type(L, 2) == LUA_TNUMBER && lua_tonumber(L, 2) == 0)
        return dfl_script_error(L, "cannot divide by 0");
    dfl_symbol_push(L, dfl_binary(dfl_script_of(L)->model->graph, op, a, b));
    return 1;
}

static dfl_expr operand(lua_State *L, int i, const char *verb)
{
    const dfl_expr *symbol = luaL_testudata(L, i, DFL_SYMBOL);
    if (symbol)
        return *symbol;
    if (lua_type(L, i) != LUA_TNUMBER)
        dfl_script_error(L, "cannot %s %s and %s%s", verb, dfl_arg_kind(L, 1), dfl_arg_kind(L, 2),
                         lua_isnil(L, i) ? "; is a name misspelt or without value?" : "");
    const double value = lua_tonumber(L, i);
    if (!isfinite(value))
        dfl_script_error(L, "cannot %s a symbol and the number %f; give finite numbers", verb,
                         value);
    return dfl_constant(dfl_script_of(L)->model->graph, value);
}

static int negate(lua_State *L)
{
    const dfl_expr *symbol = luaL_checkudata(L, 1, DFL_SYMBOL);
    dfl_symbol_push(L, dfl_neg(dfl_script_of(L)->model->graph, *symbol));
    return 1;
}

/* What a symbol cannot do; upvalue: message. */
static int refuse(lua_State *L)
{
    return dfl_script_error(L, "%s", lua_tostring(L, lua_upvalueindex(1)));
}

/* The formula; an expression that shares its parts may be exponentially long when written out. */
static int symbol_text(lua_State *L)
{
    dfl_script *script = dfl_script_of(L);
    const dfl_graph *graph = script->model->graph;
    const dfl_expr *symbol = luaL_checkudata(L, 1, DFL_SYMBOL);
    if (budget_left(graph, *symbol, LONGEST_TEXT) < 0) {
        lua_pushfstring(L, "an expression of more than %d operations", LONGEST_TEXT);
        return 1;
    }
    dfl_text_clear(&script->scratch);
    dfl_print_expr(&script->scratch, graph, *symbol, NULL, DFL_TEXT);
    dfl_script_check(L, script->scratch.status);
    lua_pushstring(L, dfl_text_string(&script->scratch));
    return 1;
}

/* `budget` less the operations below `expr`, each use counted; negative as soon as it is spent. */
static int budget_left(const dfl_graph *graph, dfl_expr expr, int budget)
{
    const dfl_node *node = dfl_node_of(graph, expr);
    const int n = dfl_op_operands((dfl_op)node->op);
    const dfl_expr below[] = {node->a, node->b, node->c};
    if (n > 0)
        budget--;
    for (int i = 0; i < n && budget >= 0; i++)
        budget = budget_left(graph, below[i], budget);
    return budget;
}

/* The functions have upvalues: name, operation. */
static int apply_one(lua_State *L)
{
    const char *call = lua_tostring(L, lua_upvalueindex(1));
    const dfl_op op = (dfl_op)lua_tointeger(L, lua_upvalueindex(2));
    dfl_arg_count(L, call, 1, 1);
    if (lua_isinteger(L, 1) && op >= DFL_OP_ABS && op <= DFL_OP_NOEVENT) {
        const lua_Integer i = lua_tointeger(L, 1);
        lua_pushinteger(L, op == DFL_OP_SIGN           ? (i > 0) - (i < 0)
                           : op == DFL_OP_ABS && i < 0 ? (lua_Integer)(0u - (lua_Unsigned)i)
                                                       : i);
        return 1;
    }
    if (lua_type(L, 1) == LUA_TNUMBER)
        return push_value(L, op, lua_tonumber(L, 1), 0);
    const dfl_expr a = dfl_arg_expr(L, call, 1);
    dfl_symbol_push(L, dfl_unary(dfl_script_of(L)->model->graph, op, a));
    return 1;
}

static int apply_two(lua_State *L)
{
    const char *call = lua_tostring(L, lua_upvalueindex(1));
    dfl_arg_count(L, call, 2, 2);
    if (lua_type(L, 1) == LUA_TNUMBER && lua_type(L, 2) == LUA_TNUMBER)
        return push_value(L, DFL_OP_ATAN2, lua_tonumber(L, 1), lua_tonumber(L, 2));
    const dfl_expr a = dfl_arg_expr(L, call, 1), b = dfl_arg_expr(L, call, 2);
    dfl_symbol_push(L, dfl_binary(dfl_script_of(L)->model->graph, DFL_OP_ATAN2, a, b));
    return 1;
}

/* atan(y) or, as in Lua, atan(y, x). */
static int apply_atan(lua_State *L)
{
    return dfl_arg_count(L, "atan", 1, 2) == 1 ? apply_one(L) : apply_two(L);
}

/* min and max of any number of arguments. Plain numbers keep their kind, so that integers stay
   integers. */
static int apply_fold(lua_State *L)
{
    const char *call = lua_tostring(L, lua_upvalueindex(1));
    const dfl_op op = (dfl_op)lua_tointeger(L, lua_upvalueindex(2));
    const int n = dfl_arg_count(L, call, 1, 250), folded = n + 1;
    int result = 1; /* where it is: an argument, or `folded` after them */
    for (int i = 1; i <= n; i++)
        if (lua_type(L, i) != LUA_TNUMBER)
            dfl_arg_expr(L, call, i); /* raises an error if it is not a number or a symbol */
    lua_settop(L, folded);
    for (int i = 2; i <= n; i++)
        if (lua_type(L, result) == LUA_TNUMBER && lua_type(L, i) == LUA_TNUMBER) {
            if (op == DFL_OP_MIN ? lua_compare(L, i, result, LUA_OPLT)
                                 : lua_compare(L, result, i, LUA_OPLT))
                result = i;
        } else {
            const dfl_expr a = dfl_arg_expr(L, call, result), b = dfl_arg_expr(L, call, i);
            dfl_symbol_push(L, dfl_binary(dfl_script_of(L)->model->graph, op, a, b));
            lua_replace(L, folded);
            result = folded;
        }
    lua_pushvalue(L, result);
    return 1;
}

/* select(c, a, b): a where c > 0, else b. */
static int apply_select(lua_State *L)
{
    dfl_arg_count(L, "select", 3, 3);
    if (lua_type(L, 1) == LUA_TBOOLEAN)
        return dfl_arg_error(
            L, "select", 1,
            "give a number or an expression: select(c, a, b) is a where c > 0 and b "
            "elsewhere");
    const dfl_expr a = dfl_arg_expr(L, "select", 2), b = dfl_arg_expr(L, "select", 3);
    if (lua_type(L, 1) == LUA_TNUMBER)
        lua_pushvalue(L, lua_tonumber(L, 1) > 0 ? 2 : 3);
    else
        dfl_symbol_push(
            L, dfl_select(dfl_script_of(L)->model->graph, dfl_arg_expr(L, "select", 1), a, b));
    return 1;
}

/* mod(a, m), also written a % m. */
static int apply_mod(lua_State *L)
{
    dfl_arg_count(L, "mod", 2, 2);
    for (int i = 1; i <= 2; i++)
        dfl_arg_expr(L, "mod", i); /* raises an error if it is not a number or a symbol */
    return remainder_of(L);
}

/* a - m floor(a/m): the remainder has the sign of m, as Lua's own. */
static int remainder_of(lua_State *L)
{
    dfl_graph *graph = dfl_script_of(L)->model->graph;
    if (lua_type(L, 2) == LUA_TNUMBER && lua_tonumber(L, 2) == 0)
        return dfl_script_error(L, "there is no remainder of a division by 0");
    if (lua_type(L, 1) == LUA_TNUMBER && lua_type(L, 2) == LUA_TNUMBER) {
        lua_arith(L, LUA_OPMOD);
        return 1;
    }
    const char *verb = "take the remainder of";
    const dfl_expr a = operand(L, 1, verb), m = operand(L, 2, verb);
    const dfl_expr whole = dfl_unary(graph, DFL_OP_FLOOR, dfl_div(graph, a, m));
    dfl_symbol_push(L, dfl_sub(graph, a, dfl_mul(graph, m, whole)));
    return 1;
}

/* The same definition of each operation as in a simulation; a whole number where Lua's own floor
   gives one. */
static int push_value(lua_State *L, dfl_op op, double a, double b)
{
    const dfl_node node = {.op = (uint8_t)op};
    const double value = dfl_op_value(dfl_script_of(L)->model->graph, &node, a, b, 0);
    lua_Integer whole;
    if (op == DFL_OP_FLOOR && lua_numbertointeger(value, &whole))
        lua_pushinteger(L, whole);
    else
        lua_pushnumber(L, value);
    return 1;
}

static int constraint_text(lua_State *L)
{
    const int *number = luaL_checkudata(L, 1, DFL_CONSTRAINT);
    lua_pushfstring(L, "constraint '%s'", dfl_script_of(L)->model->declarations.item[*number].name);
    return 1;
}
