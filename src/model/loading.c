/* loading.c: a model from a file or a text. */
#include "model/run_internal.h"

#include <string.h>

static dfl_script_options script_options(const dfl_load_options *options)
{
    static const dfl_load_options none = {0};
    const dfl_load_options *o = options ? options : &none;
    return (dfl_script_options){.nset = o->nset,
                                .set = o->set,
                                .set_option = "set",
                                .ninput = o->ninput,
                                .input = o->input,
                                .print = o->print,
                                .user = o->user};
}

dfl_status dfl_model_load(dfl_model **out, dfl_context *ctx, const char *path,
                          const dfl_load_options *options)
{
    const dfl_script_options script = script_options(options);
    return dfl_script_load(out, ctx, path, &script);
}

dfl_status dfl_model_load_text(dfl_model **out, dfl_context *ctx, const char *name,
                               const char *text, size_t length, const dfl_load_options *options)
{
    const dfl_script_options script = script_options(options);
    return dfl_script_load_text(out, ctx, name, text, length, &script);
}

dfl_status dfl_model_load_again(dfl_model **out, dfl_context *ctx, const dfl_model *model,
                                const dfl_choices *choices, bool prescribe)
{
    const dfl_script_options options = {.nset = model->sets.count,
                                        .set = (const char *const *)model->sets.item,
                                        .set_option = "set",
                                        .ninput = model->inputs.count,
                                        .input = (const char *const *)model->inputs.item,
                                        .dynamics = dfl_choices_dynamics(choices),
                                        .prescribe = prescribe};
    return dfl_script_load_text(out, ctx, model->path, model->text, strlen(model->text), &options);
}
