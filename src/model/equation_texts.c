/* equation_texts.c: the equations of a model for people and compilers. */
#include "model/run_internal.h"

#include "export/export.h"

#include <string.h>

/* A model whose masses are all expressions, and its equations. */
typedef struct written {
    dfl_model *model;
    dfl_equations *eq;
    dfl_text text;
} written;

static dfl_status derive(written *out, dfl_context *ctx, const dfl_model *model, bool frames)
{
    dfl_script_options options = dfl_model_said(model, "");
    options.frames = frames;
    options.dynamics = DFL_DYNAMICS_EXPRESSIONS;
    *out = (written){.text.ctx = ctx};
    const dfl_status status = dfl_script_load_text(&out->model, ctx, model->path, model->text,
                                                   strlen(model->text), &options);
    return status ? status : dfl_equations_create(&out->eq, out->model, true);
}

/* The text is the caller's. */
static dfl_status hand_over(char **out, written *it, dfl_status status)
{
    *out = NULL;
    if (!status)
        status = it->text.status;
    if (!status) {
        *out = it->text.data;
        it->text.data = NULL;
    }
    dfl_text_clear(&it->text);
    dfl_equations_free(it->eq);
    dfl_model_free(it->model);
    return status;
}

dfl_status dfl_model_equations(char **out, dfl_context *ctx, const dfl_model *model, bool latex,
                               bool frames)
{
    const dfl_notation notation = latex ? DFL_LATEX : DFL_TEXT;
    written it;
    if (out)
        *out = NULL;
    dfl_status status = dfl_check_call(out, ctx, model);
    if (status)
        return status;
    status = derive(&it, ctx, model, frames);
    if (!status)
        status = frames ? dfl_export_frames(&it.text, it.eq, notation)
                        : dfl_export_equations(&it.text, it.eq, notation);
    return hand_over(out, &it, status);
}

dfl_status dfl_model_export_c(char **out, dfl_context *ctx, const dfl_model *model)
{
    written it;
    dfl_start_state state = {0};
    if (out)
        *out = NULL;
    dfl_status status = dfl_check_call(out, ctx, model);
    if (status)
        return status;
    status = derive(&it, ctx, model, true);
    if (!status)
        status = dfl_start_state_find(&state, it.eq, NULL);
    const dfl_export_start start = {.time = state.time,
                                    .x = state.x,
                                    .levels = state.levels,
                                    .problem = state.problem,
                                    .misfit = state.misfit,
                                    .rank = state.rank};
    if (!status)
        status = dfl_export_c(&it.text, it.eq, &start);
    dfl_start_state_clear(&state, ctx);
    return hand_over(out, &it, status);
}
