/* command_init.c: `driftless init MODEL`: consistent initial values, as a table, JSON, or Lua to
   paste. */
#include "cli/cli.h"

int cli_init(dfl_context *ctx, const cli_arguments *arguments)
{
    dfl_model *model = NULL;
    dfl_checked *start = NULL;
    cli_settings settings;
    const dfl_check_options options = cli_check_options(&settings, ctx, arguments);
    dfl_status status = arguments->json && arguments->lua
                            ? dfl_fail(ctx, DFL_INVALID, "choose one of --json and --lua")
                            : cli_load_script(&model, ctx, arguments);
    if (!status)
        status = dfl_model_init(&start, ctx, model, &options);
    if (!status) {
        const dfl_check_report *report = dfl_checked_about(start);
        status = cli_print(ctx, arguments->json  ? report->json
                                : arguments->lua ? report->lua
                                                 : report->text);
    }
    const int exit_status = cli_finish(ctx, status);
    dfl_checked_free(start);
    dfl_model_free(model);
    cli_settings_clear(&settings);
    return exit_status;
}
