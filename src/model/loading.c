/* loading.c: a model from a file or a text. */
#define _POSIX_C_SOURCE 200809L
#include "model/run_internal.h"

#include <sys/stat.h>

dfl_script_options dfl_script_options_of(const dfl_load_options *options)
{
    static const dfl_load_options none = {0};
    const dfl_load_options *o = options ? options : &none;
    return (dfl_script_options){.nset = o->nset,
                                .set = o->set,
                                .prefix = o->prefix ? o->prefix : "",
                                .ninput = o->ninput,
                                .input = o->input,
                                .unlimited = o->unlimited,
                                .allow_fmu = o->allow_fmu,
                                .print = o->print,
                                .user = o->user};
}

dfl_status dfl_check_texts(dfl_context *ctx, const char *name, int count, const char *const *texts)
{
    if (count < 0 || (count > 0 && !texts))
        return dfl_fail(ctx, DFL_INVALID, "%d %s: give a number of texts, and the texts", count,
                        name);
    for (int i = 0; i < count; i++)
        if (!texts[i])
            return dfl_fail(ctx, DFL_INVALID, "number %d of %d %s is NULL", i, count, name);
    return DFL_OK;
}

dfl_status dfl_check_load(dfl_context *ctx, const dfl_script_options *options)
{
    const dfl_status status = dfl_check_texts(ctx, "set", options->nset, options->set);
    return status ? status : dfl_check_texts(ctx, "input", options->ninput, options->input);
}

static dfl_status check(dfl_model **out, dfl_context *ctx, const dfl_script_options *options,
                        const char *named)
{
    if (out)
        *out = NULL;
    if (!ctx)
        return DFL_INVALID; /* there is no place for a message */
    if (!out)
        return dfl_fail(ctx, DFL_INVALID, "out is NULL; give the address of a model");
    if (!named)
        return dfl_fail(ctx, DFL_INVALID, "the script is NULL; name its file, or give its text");
    return dfl_check_load(ctx, options);
}

dfl_status dfl_model_load(dfl_model **out, dfl_context *ctx, const char *path,
                          const dfl_load_options *options)
{
    const dfl_script_options script = dfl_script_options_of(options);
    const dfl_status status = check(out, ctx, &script, path);
    return status ? status : dfl_script_load(out, ctx, path, &script);
}

dfl_status dfl_model_load_text(dfl_model **out, dfl_context *ctx, const char *name,
                               const char *text, size_t length, const dfl_load_options *options)
{
    const dfl_script_options script = dfl_script_options_of(options);
    const dfl_status status = check(out, ctx, &script, name ? text : NULL);
    return status ? status : dfl_script_load_text(out, ctx, name, text, length, &script);
}

dfl_script_options dfl_model_said(const dfl_model *model, const char *prefix)
{
    return (dfl_script_options){.nset = model->sets.count,
                                .set = (const char *const *)model->sets.item,
                                .prefix = prefix,
                                .ninput = model->inputs.count,
                                .input = (const char *const *)model->inputs.item,
                                .unlimited = model->unlimited,
                                .allow_fmu = model->allow_fmu};
}

dfl_status dfl_model_spare(const dfl_model *model, dfl_context *ctx, const char *path)
{
    struct stat here, there;
    const dfl_status status = dfl_check_call(path, ctx, model);
    if (status)
        return status;
    if (stat(path, &here) || stat(model->path, &there) || here.st_dev != there.st_dev ||
        here.st_ino != there.st_ino)
        return DFL_OK;
    return dfl_fail(ctx, DFL_INVALID, "output '%s' is the model itself; name another file", path);
}
