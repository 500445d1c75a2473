/* command_equations.c: `driftless equations MODEL`: what was derived, as text or LaTeX. */
#include "cli/cli.h"

int cli_equations(dfl_context *ctx, const cli_arguments *arguments)
{
    dfl_model *model = NULL;
    char *equations = NULL;
    dfl_status status = arguments->noutput > 1
                            ? dfl_fail(ctx, DFL_INVALID, "--output is given twice; give it once")
                            : cli_load_script(&model, ctx, arguments);
    if (!status)
        status = dfl_model_equations(&equations, ctx, model, arguments->latex, arguments->frames);
    if (!status)
        status =
            cli_write(arguments->noutput > 0 ? arguments->output[0] : NULL, ctx, equations, model);
    const int exit_status = cli_finish(ctx, status);
    dfl_free(ctx, equations);
    dfl_model_free(model);
    return exit_status;
}
