/* script.c: from a file to a model: read, run in the sandbox, close Lua, lower the mechanism. */
#define _POSIX_C_SOURCE 200809L
#include "script/script.h"

#include "drawing/drawing.h"
#include "declare/declare.h"
#include "script/input_files.h"
#include "script/script_life.h"

#include <errno.h>
#include <fcntl.h>
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
static dfl_status check_text(dfl_context *ctx, const char *path, const char *text, size_t length,
                             bool unlimited);
static dfl_status keep_text(dfl_model *model, const char *text, size_t length);
static dfl_status lower(dfl_script *script);
static dfl_status warn_ignored_motion(const dfl_script *script);
static dfl_status warn_idle_discretes(const dfl_script *script);
static dfl_status keep_options(const dfl_script *script);

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
    return dfl_choices_may_be_sparse(run) && !dfl_choices_demand_tree(run) &&
           (model->large || dfl_choices_demand_sparse(run)) && !dfl_choices_text(run, "evaluation");
}

/* Joint coordinates first; if absolute ones are cheaper, these, unless they cannot serve the model.
 */
static dfl_status load_cheapest(dfl_model **out, dfl_context *ctx, const char *path,
                                const char *text, size_t length, const dfl_script_options *options)
{
    dfl_script_options own = *options;
    dfl_text printed = {.ctx = ctx};
    bool large = false;
    own.print = options->print ? keep_print : NULL;
    own.user = &printed;
    dfl_status status = load_once(out, &large, ctx, path, text, length, &own);
    if (!status && dfl_choices_demand_tree(&(*out)->run) && (*out)->tree) {
        dfl_model_free(*out);
        dfl_text_clear(&printed);
        own.dynamics = DFL_DYNAMICS_EXPRESSIONS;
        status = load_once(out, NULL, ctx, path, text, length, &own);
    }
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
    if (status || dfl_choices_may_be_sparse(&(*out)->run))
        return status;
    dfl_model_free(*out);
    own.dynamics = DFL_DYNAMICS_AUTO;
    own.print = NULL;
    return load_once(out, NULL, ctx, path, text, length, &own);
}

/* *large (may be NULL): absolute coordinates are cheaper, even if the script could not be run to
   its end because of that. */
static dfl_status load_once(dfl_model **out, bool *large, dfl_context *ctx, const char *path,
                            const char *text, size_t length, const dfl_script_options *options)
{
    *out = NULL;
    dfl_script script = {0};
    dfl_status status = check_text(ctx, path, text, length, options && options->unlimited);
    if (!status)
        status = dfl_script_begin(&script, ctx, path, options);
    if (!status)
        status = keep_text(script.model, text, length);
    if (!status)
        status = dfl_script_run(&script, text, length);
    dfl_script_close(&script);
    if (!status)
        status = lower(&script);
    if (large)
        *large = script.model && script.model->large;
    if (!status) {
        *out = script.model;
        script.model = NULL;
    }
    dfl_script_end(&script);
    return status;
}

static dfl_status keep_text(dfl_model *model, const char *text, size_t length)
{
    model->text = dfl_alloc(model->ctx, length + 1, 1);
    if (!model->text)
        return DFL_NO_MEMORY;
    memcpy(model->text, text, length);
    return DFL_OK;
}

/* What follows the last line: the mechanism as variables and equations, and what the caller has
   set. */
static dfl_status lower(dfl_script *script)
{
    dfl_status status = script->drawing ? dfl_drawing_lower(script->drawing) : DFL_OK;
    if (!status && script->drawing)
        status = dfl_drawing_carry_shapes(script->drawing);
    if (!status)
        status = dfl_set_values_check(script);
    if (!status)
        status = dfl_input_files_check(script, true);
    if (!status)
        status = warn_ignored_motion(script);
    if (!status)
        status = warn_idle_discretes(script);
    if (!status)
        status = keep_options(script);
    if (!status && script->drawing) {
        dfl_drawing_belong(script->drawing);
        script->drawing = NULL;
    }
    return status;
}

/* A model with inputs has its motion(...) for `inverse`; without any, its author meant a
   constraint. */
static dfl_status warn_ignored_motion(const dfl_script *script)
{
    dfl_text text = {.ctx = script->ctx};
    if (!script->motion_line || script->model->count[DFL_AN_INPUT] > 0)
        return DFL_OK;
    dfl_text_add(&text,
                 "%s:%d: motion(...) is only for `driftless inverse` and prescribes nothing here; "
                 "constraint(\"name\", expression - path) prescribes a motion of every run",
                 script->model->path, script->motion_line);
    const dfl_status status =
        text.status ? text.status : dfl_model_warn(script->model, dfl_text_string(&text));
    dfl_text_clear(&text);
    return status;
}

/* A discrete variable that no event and no sample assigns is a constant. */
static dfl_status warn_idle_discretes(const dfl_script *script)
{
    const dfl_model *model = script->model;
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < model->actions.discretes.count; i++) {
        const dfl_discrete *it = &model->actions.discretes.item[i];
        dfl_text text = {.ctx = script->ctx};
        if (it->assigned || it->line == 0 || model->actions.foreigns.count > 0)
            continue;
        dfl_text_add(&text, "%s:%d: discrete '%s' is changed by nobody", model->path, it->line,
                     dfl_model_owner(model, it->symbol)->name);
        status = text.status ? text.status : dfl_model_warn(script->model, dfl_text_string(&text));
        dfl_text_clear(&text);
    }
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

static dfl_status check_text(dfl_context *ctx, const char *path, const char *text, size_t length,
                             bool unlimited)
{
    if (length > LONGEST_SCRIPT && !unlimited)
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

/* What the caller has set, so that the script can be run again. */
static dfl_status keep_options(const dfl_script *script)
{
    const dfl_script_options *options = &script->options;
    dfl_status status = DFL_OK;
    script->model->allow_fmu = options->allow_fmu;
    for (int i = 0; !status && i < options->nset; i++)
        status = dfl_model_remember_option(script->model, false, options->set[i]);
    for (int i = 0; !status && i < options->ninput; i++)
        status = dfl_model_remember_option(script->model, true, options->input[i]);
    return status;
}
