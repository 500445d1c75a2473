/* command_export.c: `driftless export MODEL`: the equations as source code. */
#include "cli/cli.h"

#include "export/export.h"

static dfl_status check_arguments(dfl_context *ctx, const cli_arguments *arguments);
static dfl_status export_model(const cli_arguments *arguments, const cli_model *model);

int cli_export(dfl_context *ctx, const cli_arguments *arguments)
{
    cli_model model = {0};
    dfl_status status = check_arguments(ctx, arguments);
    if (!status)
        status = cli_load(&model, ctx, arguments, CLI_EXPRESSIONS);
    if (!status)
        status = export_model(arguments, &model);
    const int exit_status = cli_finish(ctx, status);
    cli_unload(&model);
    return exit_status;
}

static dfl_status check_arguments(dfl_context *ctx, const cli_arguments *arguments)
{
    if (arguments->c == arguments->octave)
        return dfl_fail(ctx, DFL_INVALID, "export to what? Choose one of --c and --octave");
    if (arguments->noutput > 1)
        return dfl_fail(ctx, DFL_INVALID, "--output is given twice; give it once");
    return DFL_OK;
}

/* C goes to a file or standard output; for Octave the files that were written are listed. */
static dfl_status export_model(const cli_arguments *arguments, const cli_model *model)
{
    dfl_context *ctx = model->model->ctx;
    dfl_text text = {.ctx = ctx};
    const char *path = arguments->noutput > 0 ? arguments->output[0] : NULL;
    dfl_start_state state;
    dfl_status status = dfl_start_state_find(&state, model->eq);
    const dfl_export_start start = {state.time, state.x, state.levels, state.problem};
    if (!status && arguments->c)
        status = dfl_export_c(&text, model->eq, &start);
    else if (!status)
        status = dfl_export_octave(&text, model->eq, &start, path ? path : model->model->name);
    if (!status)
        status = cli_write(arguments->c ? path : NULL, &text, model);
    dfl_start_state_clear(&state, ctx);
    dfl_text_clear(&text);
    return status;
}
