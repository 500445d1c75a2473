/* call_names.c: the names that the language adds to Lua, for programs that offer its calls. */
#include "script/language.h"
#include "script/symbol.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

static int list_names(lua_State *L);
static int by_alphabet(const void *a, const void *b);

dfl_status dfl_script_names(dfl_text *out, dfl_context *ctx)
{
    dfl_script script = {
        .ctx = ctx,
        .scratch = {.ctx = ctx},
        .options = {.max_memory = 1 << 26, .max_instructions = 100000000, .max_seconds = 60}};
    dfl_status status = dfl_model_create(&script.model, ctx, "names");
    lua_State *L = status ? NULL : dfl_sandbox_open(&script);
    if (!status && !L)
        status = DFL_NO_MEMORY;
    if (L) {
        lua_pushcfunction(L, list_names);
        lua_pushlightuserdata(L, out);
        if (lua_pcall(L, 1, 0, 0) != LUA_OK)
            status = dfl_fail(ctx, DFL_NO_MEMORY, "no memory for the names of the language");
        lua_close(L);
    }
    dfl_model_free(script.model);
    dfl_text_clear(&script.scratch);
    return status ? status : out->status;
}

/* Argument: the text. The strings belong to the table of names while they are sorted. */
static int list_names(lua_State *L)
{
    dfl_text *out = lua_touserdata(L, 1);
    lua_newtable(L);
    dfl_symbols_open(L);
    dfl_language_open(L);
    size_t count = 0, i = 0;
    for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1))
        count++;
    const char **names = lua_newuserdatauv(L, (count + 1) * sizeof *names, 0);
    for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1))
        names[i++] = lua_tostring(L, -2);
    qsort(names, count, sizeof *names, by_alphabet);
    for (i = 0; i < count; i++)
        dfl_text_add(out, i > 0 ? " %s" : "%s", names[i]);
    return 0;
}

static int by_alphabet(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}
