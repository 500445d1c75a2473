/* command_guest.c: `driftless run MODEL.fmu`: co-simulation of an FMU. */
#include "cli/cli.h"
#include "cli/interrupt.h"

#include <driftless/guest.h>

#include <string.h>

/* What only runs of scripts have. */
static dfl_status check(dfl_context *ctx, const cli_arguments *arguments)
{
    static const char *const taken[] = {"from", "to", "every", "rtol"};
    for (int i = 0; i < dfl_settings_count(); i++) {
        int k = 0;
        while (k < 4 && strcmp(dfl_setting_at(i)->name, taken[k]) != 0)
            k++;
        if (arguments->settings[i] && k == 4)
            return dfl_fail(ctx, DFL_INVALID,
                            "%s: a run of an FMU takes --from, --to, --every and --rtol; the rest "
                            "is chosen when it is exported",
                            dfl_setting_spelled("--", dfl_setting_at(i)->name).text);
    }
    if (arguments->report || arguments->plot || arguments->start_from || arguments->save ||
        arguments->ninput > 0)
        return dfl_fail(ctx, DFL_INVALID,
                        "a run of an FMU takes --output FILE.csv, --set and --json, no report, "
                        "plot, saved state or input");
    for (int i = 0; i < arguments->noutput; i++) {
        const bool standard = !strcmp(arguments->output[i], "-");
        if (!standard && !dfl_ends_with(arguments->output[i], ".csv"))
            return dfl_fail(ctx, DFL_INVALID,
                            "--output '%s': a run of an FMU writes FILE.csv, or -",
                            arguments->output[i]);
        if (standard && arguments->json)
            return dfl_fail(ctx, DFL_INVALID, "--json and --output - both use standard output");
    }
    return DFL_OK;
}

static const char *setting(const cli_arguments *arguments, const char *name)
{
    return arguments->settings[dfl_setting_find(name)];
}

static dfl_status write_results(const dfl_guest_result *result, dfl_context *ctx,
                                const cli_arguments *arguments)
{
    dfl_status status = DFL_OK;
    for (int i = 0; !status && result->csv && i < arguments->noutput; i++)
        status = strcmp(arguments->output[i], "-")
                     ? dfl_write_file(ctx, arguments->output[i], result->csv, strlen(result->csv))
                     : cli_print(ctx, result->csv);
    if (!status && arguments->json && result->json)
        status = cli_print(ctx, result->json);
    else if (!status && !arguments->quiet && result->rows > 0)
        cli_say("%s: %ld rows up to t = %.10g s%s", arguments->model, result->rows, result->t,
                result->ended ? ", where the FMU ended the simulation" : "");
    return status;
}

int cli_run_guest(dfl_context *ctx, const cli_arguments *arguments)
{
    dfl_guest_result result = {0};
    const dfl_guest_options options = {.from = setting(arguments, "from"),
                                       .to = setting(arguments, "to"),
                                       .every = setting(arguments, "every"),
                                       .rtol = setting(arguments, "rtol"),
                                       .nset = arguments->nset,
                                       .set = arguments->set};
    dfl_status status = check(ctx, arguments);
    if (!status)
        status = dfl_guest_run(&result, ctx, arguments->model, &options);
    int exit_status = status ? cli_complain(ctx, status) : CLI_SUCCESS;
    status = write_results(&result, ctx, arguments);
    if (status)
        exit_status = cli_complain(ctx, status);
    dfl_guest_result_clear(&result, ctx);
    return cli_interrupted() ? cli_interrupted() : exit_status;
}
