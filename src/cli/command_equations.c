/* command_equations.c: `driftless equations MODEL`: the equations of motion for people. */
#include "cli/cli.h"

#include "export/export.h"

int cli_equations(dfl_context *ctx, const cli_arguments *arguments)
{
    cli_model model = {0};
    dfl_text text = {.ctx = ctx};
    const dfl_notation notation = arguments->latex ? DFL_LATEX : DFL_TEXT;
    dfl_status status = arguments->noutput > 1
                            ? dfl_fail(ctx, DFL_INVALID, "--output is given twice; give it once")
                            : cli_load(&model, ctx, arguments, CLI_EXPRESSIONS);
    if (!status)
        status = arguments->frames ? dfl_export_frames(&text, model.eq, notation)
                                   : dfl_export_equations(&text, model.eq, notation);
    if (!status)
        status = cli_write(arguments->noutput > 0 ? arguments->output[0] : NULL, &text, &model);
    dfl_text_clear(&text);
    const int exit_status = cli_finish(ctx, status);
    cli_unload(&model);
    return exit_status;
}
