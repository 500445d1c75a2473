/* signal_calls.c: signal(file, column, {time = , kind = , outside = , scale = }): a function of
   time from a file with separated values. */
#include "script/lookup.h"

#include "script/arguments.h"
#include "script/separated_values.h"
#include "script/language.h"
#include "script/model_file.h"
#include "script/symbol.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

/* What the options say. */
typedef struct request {
    dfl_csv csv;
    dfl_lookup_options lookup;
    dfl_expr scale;
} request;

static int call_signal(lua_State *L);
static void read_options(request *out, lua_State *L);
static dfl_expr read_scale(lua_State *L);
static bool climbs(const char *path);

void dfl_signals_open(lua_State *L)
{
    static const luaL_Reg calls[] = {{"signal", call_signal}, {0}};
    luaL_setfuncs(L, calls, 0);
}

static int call_signal(lua_State *L)
{
    dfl_script *script = dfl_script_of(L);
    dfl_graph *graph = script->model->graph;
    int n = 0;
    dfl_arg_count(L, "signal", 2, 3);
    request s = {.lookup.kind = DFL_TABLE_LINEAR, .scale = dfl_constant(graph, 1)};
    s.csv.file = dfl_arg_string(L, "signal", 1, "give the name of a file, such as \"road.csv\"");
    s.csv.column = dfl_arg_string(L, "signal", 2, "give the name of a column in quotes");
    read_options(&s, L);
    s.csv.text = dfl_signal_file(L, "signal", s.csv.file);
    s.csv.jumps = s.lookup.kind == DFL_TABLE_LINEAR;
    dfl_sandbox_charge(L, (double)strlen(s.csv.text));
    const size_t room = dfl_csv_rows(s.csv.text);
    double *time = lua_newuserdatauv(L, 2 * room * sizeof *time, 0), *value = time + room;
    dfl_script_check(L, dfl_csv_read(time, value, &n, script->ctx, &s.csv));
    if (dfl_csv_is_cut(&s.csv))
        dfl_script_check(L, dfl_model_warn(script->model,
                                           lua_pushfstring(L,
                                                           "signal '%s': the last line is cut off "
                                                           "and left out; its run was killed",
                                                           s.csv.file)));
    dfl_expr *y = lua_newuserdatauv(L, (size_t)n * sizeof *y, 0);
    for (int i = 0; i < n; i++)
        y[i] = dfl_constant(graph, value[i]);
    const char *label = lua_pushfstring(L, "signal '%s', column '%s'", s.csv.file, s.csv.column);
    dfl_lookup_push(L, DFL_SIGNAL, label, time, y, n, &s.lookup);
    dfl_lookup_scale(L, s.scale);
    return 1;
}

static void read_options(request *out, lua_State *L)
{
    static const char *const words[] = {"time", "kind", "outside", "scale"};
    lua_Integer i = 0;
    if (!lua_isnoneornil(L, 3)) {
        dfl_arg_table(L, "signal", 3, "write { kind = \"linear\", outside = \"hold\" }");
        for (const char *key; (key = dfl_next_option(L, "signal", 3, &i));) {
            if (dfl_lookup_option(&out->lookup, L, "signal", key))
                continue;
            if (strcmp(key, "scale") == 0) {
                out->scale = read_scale(L);
            } else if (strcmp(key, "time") == 0) {
                if (lua_type(L, -1) != LUA_TSTRING)
                    dfl_script_error(L, "signal: time is %s; give the name of a column in quotes",
                                     dfl_arg_kind(L, -1));
                out->csv.time = lua_tostring(L, -1); /* lives in the table */
            } else {
                dfl_arg_unknown(L, "signal", "option", key, words, 4);
            }
        }
        lua_settop(L, 3);
    }
    dfl_lookup_default(&out->lookup);
}

/* The number or expression of parameters on top of the stack. */
static dfl_expr read_scale(lua_State *L)
{
    const dfl_expr *symbol = luaL_testudata(L, -1, DFL_SYMBOL);
    double number;
    if (!dfl_value_number(&number, L, lua_gettop(L)) || !isfinite(number))
        dfl_script_error(L, "signal: scale is %s; give a number, or an expression of parameters",
                         lua_type(L, -1) == LUA_TNUMBER ? "not finite"
                         : symbol                       ? "an expression of variables"
                                                        : dfl_arg_kind(L, -1));
    return symbol ? *symbol : dfl_constant(dfl_script_of(L)->model->graph, number);
}

const char *dfl_signal_file(lua_State *L, const char *what, const char *file)
{
    dfl_script *script = dfl_script_of(L);
    const char *known = dfl_model_file_text(script->model, file);
    if (known)
        return known;
    if (climbs(file) && !script->model->unlimited)
        dfl_script_error(L, "%s '%s': only files below the model's folder are read", what, file);
    dfl_text *text = &script->scratch;
    dfl_text_clear(text);
    dfl_script_check(L, dfl_model_file_read(text, script->model, what, file));
    if (strlen(dfl_text_string(text)) != text->length)
        dfl_script_error(L, "%s '%s' contains a zero byte; it is not a text", what, file);
    char *copy = dfl_copy_string(script->ctx, dfl_text_string(text));
    dfl_text_clear(text);
    dfl_script_check(L, copy ? dfl_model_add_file(script->model, file, copy) : DFL_NO_MEMORY);
    return dfl_model_file_text(script->model, file);
}

/* Whether a part of the path is "..". */
static bool climbs(const char *path)
{
    for (const char *at = path; (at = strstr(at, "..")); at++)
        if ((at == path || at[-1] == '/') && (at[2] == 0 || at[2] == '/'))
            return true;
    return false;
}
