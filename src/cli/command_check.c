/* command_check.c: `driftless check MODEL`: what a model is, and whether it can start. */
#include "cli/cli.h"

int cli_check(dfl_context *ctx, const cli_arguments *arguments)
{
    dfl_model *model = NULL;
    dfl_checked *checked = NULL;
    cli_settings settings;
    const dfl_check_options options = cli_check_options(&settings, ctx, arguments);
    dfl_status status = cli_load_script(&model, ctx, arguments);
    if (!status)
        status = dfl_model_check(&checked, ctx, model, &options);
    if (!status)
        status = cli_print(ctx, arguments->json ? dfl_checked_about(checked)->json
                                                : dfl_checked_about(checked)->text);
    int exit_status = cli_finish(ctx, status);
    if (!status && dfl_checked_about(checked)->verdict != DFL_READY)
        exit_status = dfl_checked_about(checked)->verdict == DFL_NO_START ? CLI_FAILURE : CLI_WRONG;
    dfl_checked_free(checked);
    dfl_model_free(model);
    cli_settings_clear(&settings);
    return exit_status;
}
