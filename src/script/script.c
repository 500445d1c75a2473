/* script.c: from a file to a model: read, run in the sandbox, close Lua, and say what went wrong.

   Two Lua calls are outside lua_pcall, and neither can raise an error; everything else runs in
   run_script. */
#define _POSIX_C_SOURCE 200809L
#include "script/script.h"

#include "drawing/drawing.h"
#include "declare/declare.h"
#include "script/language.h"
#include "script/input_files.h"
#include "script/library.h"
#include "script/sandbox.h"
#include "script/symbol.h"

#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MIB = 1024 * 1024, LONGEST_SCRIPT = 16 * MIB };

static dfl_status load_cheapest(dfl_model **out, dfl_context *ctx, const char *path,
                                const char *text, size_t length, const dfl_script_options *options);
static dfl_status load_once(dfl_model **out, bool *large, dfl_context *ctx, const char *path,
                            const char *text, size_t length, const dfl_script_options *options);
static FILE *open_script(const char *path);
static dfl_status read_file(dfl_text *text, const char *path);
static dfl_status check_text(dfl_context *ctx, const char *path, const char *text, size_t length);
static void resolve_options(dfl_script_options *out, const dfl_script_options *in);
static dfl_status read_settings(dfl_script *script);
static dfl_status read_setting(dfl_script_set *set, const dfl_script *script, const char *text);
static dfl_status run(dfl_script *script);
static int run_script(lua_State *L);
static dfl_status fail_run(dfl_script *script, lua_State *L, int error);
static void one_line(dfl_text *text, const char *message);
static dfl_status keep_options(const dfl_script *script);
static dfl_status check_settings_used(const dfl_script *script);
static void free_settings(dfl_script *script);

dfl_status dfl_script_load(dfl_model **out, dfl_context *ctx, const char *path,
                           const dfl_script_options *options)
{
    *out = NULL;
    dfl_text text = {.ctx = ctx};
    dfl_status status = read_file(&text, path);
    if (!status)
        status = dfl_script_load_text(out, ctx, path, dfl_text_string(&text), text.length, options);
    dfl_text_clear(&text);
    return status;
}

dfl_status dfl_script_load_text(dfl_model **out, dfl_context *ctx, const char *path,
                                const char *text, size_t length, const dfl_script_options *options)
{
    return options && options->dynamics == DFL_DYNAMICS_CHEAPEST
               ? load_cheapest(out, ctx, path, text, length, options)
               : load_once(out, NULL, ctx, path, text, length, options);
}

/* What a script prints is kept until it is known which run of it counts. */
static void keep_print(const char *text, void *user)
{
    dfl_text_add(user, "%s", text);
}

/* Of a model with joint coordinates; what simulate{} says counts. */
static bool prefers_absolute(const dfl_model *model)
{
    const dfl_choices *run = &model->run;
    return dfl_choices_may_be_sparse(run) && (model->large || dfl_choices_demand_sparse(run)) &&
           !dfl_choices_text(run, "evaluation");
}

/* Joint coordinates first; if absolute ones are cheaper, these, unless they cannot serve the model. */
static dfl_status load_cheapest(dfl_model **out, dfl_context *ctx, const char *path,
                                const char *text, size_t length, const dfl_script_options *options)
{
    dfl_script_options own = *options;
    dfl_text printed = {.ctx = ctx};
    bool large = false;
    own.print = options->print ? keep_print : NULL;
    own.user = &printed;
    dfl_status status = load_once(out, &large, ctx, path, text, length, &own);
    const bool again = status ? large : prefers_absolute(*out);
    if (!again && options->print && printed.length > 0)
        options->print(dfl_text_string(&printed), options->user);
    dfl_text_clear(&printed);
    if (!again || status == DFL_NO_MEMORY)
        return status;
    dfl_model_free(*out);
    own = *options;
    own.dynamics = DFL_DYNAMICS_ABSOLUTE;
    status = load_once(out, NULL, ctx, path, text, length, &own);
    if (status || (!dfl_model_dense_reason(*out) && dfl_choices_may_be_sparse(&(*out)->run)))
        return status;
    dfl_model_free(*out);
    own.dynamics = DFL_DYNAMICS_AUTO;
    own.print = NULL;
    return load_once(out, NULL, ctx, path, text, length, &own);
}

/* *large (may be NULL): absolute coordinates are cheaper, even if the script could not be run to its
   end because of that. */
static dfl_status load_once(dfl_model **out, bool *large, dfl_context *ctx, const char *path,
                            const char *text, size_t length, const dfl_script_options *options)
{
    *out = NULL;
    dfl_script script = {.ctx = ctx, .scratch = {.ctx = ctx}, .text = text, .length = length};
    resolve_options(&script.options, options);
    dfl_status status = check_text(ctx, path, text, length);
    if (!status)
        status = read_settings(&script);
    if (!status)
        status = dfl_input_files_check(&script, false);
    if (!status)
        status = dfl_model_create(&script.model, ctx, path);
    if (!status)
        status = run(&script);
    if (!status && script.drawing)
        status = dfl_drawing_lower(script.drawing);
    if (!status && script.drawing)
        status = dfl_drawing_shapes(script.drawing);
    if (!status)
        status = check_settings_used(&script);
    if (!status)
        status = dfl_input_files_check(&script, true);
    if (!status)
        status = keep_options(&script);
    dfl_drawing_free(script.drawing);
    if (large)
        *large = script.model && script.model->large;
    if (status)
        dfl_model_free(script.model);
    else
        *out = script.model;
    dfl_text_clear(&script.scratch);
    free_settings(&script);
    return status;
}

/* A pipe may be read, such as that of a shell's <(...), but one that nobody writes to is empty: it
   is not waited for. */
static FILE *open_script(const char *path)
{
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const int flags = file < 0 ? -1 : fcntl(file, F_GETFL);
    if (flags >= 0)
        fcntl(file, F_SETFL, flags & ~O_NONBLOCK);
    FILE *stream = file < 0 ? NULL : fdopen(file, "rb");
    if (!stream && file >= 0)
        close(file);
    return stream;
}

static dfl_status read_file(dfl_text *text, const char *path)
{
    dfl_context *ctx = text->ctx;
    FILE *file = open_script(path);
    if (!file)
        return dfl_fail(ctx, DFL_INVALID, "%s: cannot be opened: %s", path, strerror(errno));
    dfl_status status = DFL_OK;
    char part[16384];
    size_t count;
    while (!status && (count = fread(part, 1, sizeof part, file)) > 0) {
        dfl_text_bytes(text, part, count);
        status = text->status;
        if (!status && text->length > LONGEST_SCRIPT)
            status = dfl_fail(ctx, DFL_INVALID, "%s: the script is longer than %d MiB", path,
                              LONGEST_SCRIPT / MIB);
    }
    if (!status && ferror(file))
        status = dfl_fail(ctx, DFL_INVALID, "%s: cannot be read: %s", path, strerror(errno));
    fclose(file);
    return status;
}

static dfl_status check_text(dfl_context *ctx, const char *path, const char *text, size_t length)
{
    if (length > LONGEST_SCRIPT)
        return dfl_fail(ctx, DFL_INVALID, "%s: the script is longer than %d MiB", path,
                        LONGEST_SCRIPT / MIB);
    if (length > 0 && text[0] == LUA_SIGNATURE[0])
        return dfl_fail(ctx, DFL_INVALID, "%s: compiled Lua is refused; give the script as text",
                        path);
    int line = 1;
    bool empty = true;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == 0)
            return dfl_fail(ctx, DFL_INVALID, "%s:%d: a zero byte; the script is not a text", path,
                            line);
        line += text[i] == '\n';
        empty = empty && strchr(" \t\r\n\v\f", text[i]);
    }
    if (empty)
        return dfl_fail(ctx, DFL_INVALID,
                        "%s: the script is empty; declare positions, energies and initial values",
                        path);
    return DFL_OK;
}

/* Fills in the defaults. */
static void resolve_options(dfl_script_options *out, const dfl_script_options *in)
{
    *out = in ? *in : (dfl_script_options){0};
    if (out->max_memory == 0)
        out->max_memory = (size_t)256 * MIB;
    if (out->max_instructions == 0)
        out->max_instructions = 1000000000;
    if (out->max_seconds == 0)
        out->max_seconds = 60;
    if (!out->set_option)
        out->set_option = "--set";
}

static dfl_status read_settings(dfl_script *script)
{
    const dfl_script_options *options = &script->options;
    script->set = dfl_alloc(script->ctx, (size_t)options->nset, sizeof *script->set);
    if (!script->set)
        return DFL_NO_MEMORY;
    dfl_status status = DFL_OK;
    for (int i = 0; i < options->nset && !status; i++)
        status = read_setting(&script->set[i], script, options->set[i]);
    return status;
}

/* What the caller has set, so that the script can be run again. */
static dfl_status keep_options(const dfl_script *script)
{
    const dfl_script_options *options = &script->options;
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < options->nset; i++)
        status = dfl_model_remember_option(script->model, false, options->set[i]);
    for (int i = 0; !status && i < options->ninput; i++)
        status = dfl_model_remember_option(script->model, true, options->input[i]);
    return status;
}

/* NAME=VALUE */
static dfl_status read_setting(dfl_script_set *set, const dfl_script *script, const char *text)
{
    dfl_context *ctx = script->ctx;
    const char *option = script->options.set_option;
    const char *equal = strchr(text, '=');
    if (!equal || equal == text)
        return dfl_fail(ctx, DFL_INVALID, "%s %s: write %s NAME=VALUE", option, text, option);
    char *end;
    set->value = strtod(equal + 1, &end);
    if (end == equal + 1 || *end || !isfinite(set->value))
        return dfl_fail(ctx, DFL_INVALID, "%s %s: '%s' is not a finite number", option, text,
                        equal + 1);
    set->name = dfl_copy_string(ctx, text);
    if (!set->name)
        return DFL_NO_MEMORY;
    set->name[equal - text] = 0;
    return DFL_OK;
}

static dfl_status run(dfl_script *script)
{
    dfl_model *model = script->model;
    model->text = dfl_alloc(script->ctx, script->length + 1, 1);
    if (!model->text)
        return DFL_NO_MEMORY;
    memcpy(model->text, script->text, script->length);
    model->dynamics = script->options.dynamics;
    model->wants_frames = script->options.frames;
    if (script->options.max_nodes > 0)
        model->graph->limit = script->options.max_nodes;
    lua_State *L = dfl_sandbox_open(script);
    if (!L)
        return fail_run(script, NULL, LUA_ERRMEM);
    lua_pushcfunction(L, run_script);
    const int error = lua_pcall(L, 0, 0, 0);
    const dfl_status status = error ? fail_run(script, L, error) : DFL_OK;
    lua_close(L);
    return status;
}

static int run_script(lua_State *L)
{
    const dfl_script *script = dfl_script_of(L);
    lua_newtable(L);
    dfl_symbols_open(L);
    dfl_library_open(L);
    dfl_language_open(L);
    dfl_library_set_globals(L);

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
static dfl_status fail_run(dfl_script *script, lua_State *L, int error)
{
    static const char prefix[] = DFL_CHUNK_NAME ":";
    dfl_context *ctx = script->ctx;
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
    dfl_text_add(&script->scratch, "%s:%s", path, located ? "" : " ");
    one_line(&script->scratch, message + (located ? strlen(prefix) : 0));
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

/* A --set that the script never asked for is a misspelt name. */
/* initial(NAME)=VALUE, also of der(x): as in initial{}. */
static dfl_status set_initial(const dfl_script *script, int i)
{
    const char *text = script->options.set[i], *inner = script->set[i].name + 8;
    const size_t length = strlen(inner);
    char name[160];
    snprintf(name, sizeof name, "%.*s", (int)(length > 0 ? length - 1 : 0), inner);
    const dfl_expr symbol = dfl_model_variable_named(script->model, name);
    if (length < 2 || inner[length - 1] != ')' || symbol == DFL_NO_EXPR)
        return dfl_fail(script->ctx, DFL_INVALID, "%s %s: %s has no variable '%s'",
                        script->options.set_option, text, script->model->path, name);
    return dfl_model_start(script->model, 0, symbol, script->set[i].value, true);
}

static dfl_status check_settings_used(const dfl_script *script)
{
    enum { SETTABLE = 1 << DFL_A_PARAM | 1 << DFL_AN_INPUT | 1 << DFL_A_SETTING };
    for (int i = 0; i < script->options.nset; i++) {
        const char *name = script->set[i].name;
        if (script->set[i].used)
            continue;
        if (!strncmp(name, "initial(", 8)) {
            const dfl_status status = set_initial(script, i);
            if (status)
                return status;
            continue;
        }
        const dfl_declaration *other = dfl_model_find(script->model, name);
        if (other)
            return dfl_fail(script->ctx, DFL_INVALID,
                            "%s %s: '%s' is a %s in %s; only parameters, inputs and settings can "
                            "be set",
                            script->options.set_option, script->options.set[i], name,
                            dfl_declared_name(other->kind), script->model->path);
        const char *nearest = dfl_model_nearest(script->model, name, SETTABLE);
        return dfl_fail(
            script->ctx, DFL_INVALID, "%s %s: %s has no parameter, input or setting '%s'%s%s%s",
            script->options.set_option, script->options.set[i], script->model->path, name,
            nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    }
    return DFL_OK;
}

static void free_settings(dfl_script *script)
{
    for (int i = 0; script->set && i < script->options.nset; i++)
        dfl_free(script->ctx, script->set[i].name);
    dfl_free(script->ctx, script->set);
}
