/* script_life.c: one run of the language, from its options to what went wrong.

   Two Lua calls are outside lua_pcall, and neither can raise an error; everything else runs in
   open_language and run_text. */
#include "script/script_life.h"

#include "script/input_files.h"
#include "script/language.h"
#include "script/library.h"
#include "script/symbol.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MIB = 1024 * 1024 };

static void resolve_options(dfl_script_options *out, const dfl_script_options *in);
static dfl_status call(dfl_script *script, lua_CFunction function);
static int open_language(lua_State *L);
static int run_text(lua_State *L);
static dfl_status fail_run(dfl_script *script, int error);
static void one_line(dfl_text *text, const char *message);

dfl_status dfl_script_begin(dfl_script *script, dfl_context *ctx, const char *path,
                            const dfl_script_options *options)
{
    *script = (dfl_script){.ctx = ctx, .scratch = {.ctx = ctx}};
    resolve_options(&script->options, options);
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < script->options.nset; i++)
        status = dfl_set_values_read(script, script->options.set[i]);
    if (!status)
        status = dfl_input_files_check(script, false);
    if (!status)
        status = dfl_model_create(&script->model, ctx, path);
    if (status)
        return status;
    dfl_model *model = script->model;
    model->unlimited = script->options.unlimited;
    model->dynamics = script->options.dynamics;
    model->wants_frames = script->options.frames;
    model->wants_bodies = script->options.bodies;
    model->unseen = script->options.unseen;
    if (script->options.max_nodes > 0)
        model->graph->limit = script->options.max_nodes;
    if (!dfl_sandbox_open(script))
        return fail_run(script, LUA_ERRMEM);
    return call(script, open_language);
}

dfl_status dfl_script_run(dfl_script *script, const char *text, size_t length)
{
    script->text = text;
    script->length = length;
    return call(script, run_text);
}

void dfl_script_close(dfl_script *script)
{
    if (script->L)
        lua_close(script->L);
    script->L = NULL;
}

void dfl_script_end(dfl_script *script)
{
    dfl_script_close(script);
    dfl_drawing_free(script->drawing);
    dfl_model_free(script->model);
    dfl_text_clear(&script->scratch);
    dfl_set_values_clear(script);
}

/* Fills in the defaults. */
static void resolve_options(dfl_script_options *out, const dfl_script_options *in)
{
    *out = in ? *in : (dfl_script_options){0};
    if (out->max_memory == 0)
        out->max_memory = out->unlimited ? SIZE_MAX : (size_t)256 * MIB;
    if (out->max_instructions == 0)
        out->max_instructions = out->unlimited ? LONG_MAX : 1000000000;
    if (out->max_seconds == 0)
        out->max_seconds = out->unlimited ? INFINITY : 60;
    if (out->max_nodes == 0 && out->unlimited)
        out->max_nodes = DFL_LARGEST_GRAPH;
    if (!out->prefix)
        out->prefix = "--";
}

static dfl_status call(dfl_script *script, lua_CFunction function)
{
    lua_pushcfunction(script->L, function);
    const int error = lua_pcall(script->L, 0, 0, 0);
    const dfl_status status = error ? fail_run(script, error) : DFL_OK;
    lua_settop(script->L, 0);
    return status;
}

static int open_language(lua_State *L)
{
    lua_newtable(L);
    dfl_symbols_open(L);
    dfl_library_open(L);
    dfl_language_open(L);
    dfl_library_set_globals(L);
    return 0;
}

static int run_text(lua_State *L)
{
    const dfl_script *script = dfl_script_of(L);
    const char *text = script->text, *end = text + script->length;
    if (script->length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        text += 3; /* the mark that some editors put in front */
    while (text < end && *script->text == '#' && *text != '\n')
        text++; /* a first line such as #!/usr/bin/env driftless */
    if (dfl_sandbox_compile(L, text, (size_t)(end - text)) != LUA_OK)
        return lua_error(L);
    lua_call(L, 0, 0);
    return 0;
}

/* The message of a Lua error, with the path in place of the chunk's name. */
static dfl_status fail_run(dfl_script *script, int error)
{
    static const char prefix[] = DFL_CHUNK_NAME ":";
    dfl_context *ctx = script->ctx;
    lua_State *L = script->L;
    const char *path = script->model->path;
    if (error == LUA_ERRMEM && script->over == DFL_OVER_TIME)
        return dfl_fail(ctx, DFL_INVALID, "%s: the script has run longer than %g s", path,
                        script->options.max_seconds);
    if (error == LUA_ERRMEM && script->over == DFL_WITHOUT_MEMORY)
        return dfl_fail(ctx, DFL_NO_MEMORY, "%s: no memory to run the script", path);
    if (error == LUA_ERRMEM)
        return dfl_fail(ctx, DFL_INVALID,
                        "%s: the script needs more than %g MiB of memory; is this an endless loop?",
                        path, (double)script->options.max_memory / MIB);
    const char *message = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "unknown error";
    const bool located = strncmp(message, prefix, strlen(prefix)) == 0;
    dfl_text_clear(&script->scratch);
    const char *rest = message + (located ? strlen(prefix) : 0);
    const size_t digits =
        located ? strspn(rest, "0123456789") : 0; /* of the line within the text */
    dfl_text_add(&script->scratch, "%s:%s", path, located ? "" : " ");
    if (digits > 0)
        dfl_text_add(&script->scratch, "%d", atoi(rest) + script->lines_before);
    one_line(&script->scratch, rest + digits);
    if (strstr(message, "stack overflow"))
        dfl_text_add(&script->scratch, "; functions or brackets are nested too deeply");
    if (strstr(message, "(number expected, got symbol)"))
        dfl_text_add(&script->scratch, "; symbols have no value while the script runs: for loop "
                                       "counts and decisions use setting(\"n\", 3), not param");
    if (script->scratch.status)
        return script->scratch.status;
    return dfl_fail(ctx, script->status ? script->status : DFL_INVALID, "%s",
                    dfl_text_string(&script->scratch));
}

/* Appends a message with spaces in place of tabs and the ends of lines. */
static void one_line(dfl_text *text, const char *message)
{
    const size_t start = text->length;
    dfl_text_add(text, "%s", message);
    for (size_t i = start; i < text->length; i++)
        if (strchr("\t\n\v\f\r", text->data[i]))
            text->data[i] = ' ';
}
