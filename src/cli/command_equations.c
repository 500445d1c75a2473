/* command_equations.c: `driftless equations MODEL`: the equations of motion for people. */
#include "cli/cli.h"

#include <string.h>

int cli_equations(dfl_context *ctx, const cli_arguments *arguments)
{
    cli_model model = {0};
    char *equations = NULL;
    dfl_status status = arguments->noutput > 1
                            ? dfl_fail(ctx, DFL_INVALID, "--output is given twice; give it once")
                            : cli_load_script(&model.model, ctx, arguments);
    if (!status)
        status =
            dfl_model_equations(&equations, ctx, model.model, arguments->latex, arguments->frames);
    if (!status) {
        const dfl_text text = {.ctx = ctx, .data = equations, .length = strlen(equations)};
        status = cli_write(arguments->noutput > 0 ? arguments->output[0] : NULL, &text, &model);
    }
    const int exit_status = cli_finish(ctx, status);
    dfl_free(ctx, equations);
    cli_unload(&model);
    return exit_status;
}
