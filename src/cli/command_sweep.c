/* command_sweep.c: `driftless sweep MODEL`: many runs on all processors, into one file. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/shared_study.h"
#include "cli/sweep_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static dfl_status check_arguments(dfl_context *ctx, const cli_arguments *arguments);
static dfl_sweep_options read_options(const cli_arguments *arguments, const cli_settings *settings);
static int study(dfl_context *ctx, const cli_arguments *arguments, const cli_channel *channel);
static int help_with(dfl_context *ctx, const cli_arguments *arguments, const cli_channel *channel);
static int threads_of(const cli_arguments *arguments, const cli_channel *channel);
static dfl_status follow(dfl_sweep *sweep, const cli_arguments *arguments,
                         const cli_channel *channel);
static void show(dfl_sweep *sweep, const cli_arguments *arguments);
static int conclude(dfl_context *ctx, const cli_arguments *arguments, dfl_sweep *sweep,
                    dfl_status status);

int cli_sweep(dfl_context *ctx, const cli_arguments *arguments)
{
    cli_channel channel = {0};
    const char *problem;
    const bool shared = cli_channel_find(&channel, &problem);
    if (problem)
        return cli_complain(ctx, dfl_fail(ctx, DFL_INVALID, "%s", problem));
    const int exit_status = shared && channel.rank > 0
                                ? help_with(ctx, arguments, &channel)
                                : study(ctx, arguments, shared ? &channel : NULL);
    if (shared && channel.rank == 0 && exit_status == CLI_WRONG)
        channel.abort(CLI_WRONG); /* the others wait for cases */
    if (shared)
        channel.close(&channel);
    return exit_status;
}

/* One of several processes, without the file. */
static int help_with(dfl_context *ctx, const cli_arguments *arguments, const cli_channel *channel)
{
    dfl_model *model = NULL;
    dfl_sweep *sweep = NULL;
    cli_settings settings;
    cli_arguments quiet = *arguments;
    cli_take_settings(&settings, ctx, arguments);
    dfl_sweep_options options = read_options(arguments, &settings);
    options.elsewhere = true;
    quiet.quiet = true;
    dfl_status status = check_arguments(ctx, arguments);
    if (!status)
        status = cli_load_script(&model, ctx, &quiet);
    if (!status)
        status = dfl_sweep_create(&sweep, ctx, model, &options);
    cli_interrupt_defer(true);
    cli_help(sweep, channel, threads_of(arguments, channel), status ? dfl_message(ctx) : NULL);
    cli_interrupt_defer(false);
    dfl_sweep_free(sweep);
    dfl_model_free(model);
    cli_settings_clear(&settings);
    return status ? CLI_WRONG : CLI_SUCCESS; /* an interrupted one has given its cases back */
}

static int threads_of(const cli_arguments *arguments, const cli_channel *channel)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (!isnan(arguments->threads))
        return (int)arguments->threads;
    if (!channel)
        return 0;
    return processors > channel->beside ? (int)(processors / channel->beside) : 1;
}

static int study(dfl_context *ctx, const cli_arguments *arguments, const cli_channel *channel)
{
    dfl_model *model = NULL;
    dfl_sweep *sweep = NULL;
    cli_settings settings;
    cli_take_settings(&settings, ctx, arguments);
    const dfl_sweep_options options = read_options(arguments, &settings);
    dfl_status status = check_arguments(ctx, arguments);
    if (!status)
        status = cli_load_script(&model, ctx, arguments);
    if (!status)
        status = dfl_sweep_create(&sweep, ctx, model, &options);
    if (!status) {
        cli_interrupt_defer(true);
        status = follow(sweep, arguments, channel);
    }
    if (!status && arguments->csv)
        status = dfl_sweep_write_csv(sweep, strcmp(arguments->csv, "-") ? arguments->csv : NULL);
    cli_interrupt_defer(false);
    const int exit_status = conclude(ctx, arguments, sweep, status);
    dfl_sweep_free(sweep);
    dfl_model_free(model);
    cli_settings_clear(&settings);
    return exit_status;
}

static double given(double number)
{
    return isnan(number) ? 0 : number;
}

static dfl_sweep_options read_options(const cli_arguments *arguments, const cli_settings *settings)
{
    return (dfl_sweep_options){.nover = arguments->novers,
                               .over = arguments->overs,
                               .nsample = arguments->nsample,
                               .sample = arguments->sample,
                               .count = given(arguments->count),
                               .seed = given(arguments->seed),
                               .design = arguments->design,
                               .cases = arguments->cases,
                               .nsettings = settings->count,
                               .settings = settings->texts,
                               .columns = arguments->columns,
                               .case_seconds = given(arguments->case_seconds),
                               .case_memory = given(arguments->case_memory),
                               .output = arguments->noutput > 0 ? arguments->output[0] : NULL,
                               .resume = arguments->resume,
                               .replace = arguments->replace};
}

static dfl_status check_arguments(dfl_context *ctx, const cli_arguments *arguments)
{
    const double threads = arguments->threads;
    if (!isnan(threads) && (threads != floor(threads) || threads > 4096))
        return dfl_fail(ctx, DFL_INVALID, "--threads is %g; give a whole number up to 4096",
                        threads);
    if (arguments->seed == 0)
        return dfl_fail(ctx, DFL_INVALID, "--seed is 0; give a whole number from 1 on");
    const double bootstrap = arguments->bootstrap;
    if (!isnan(bootstrap) && (bootstrap != floor(bootstrap) || bootstrap > 1e6))
        return dfl_fail(ctx, DFL_INVALID, "--bootstrap is %g; give a whole number up to 1e6",
                        bootstrap);
    if (!isnan(bootstrap) && !arguments->json)
        return dfl_fail(ctx, DFL_INVALID,
                        "--bootstrap adds intervals to the JSON object; give --json, too");
    if (arguments->json && arguments->csv && !strcmp(arguments->csv, "-"))
        return dfl_fail(ctx, DFL_INVALID,
                        "--json and --csv - both use standard output; write the table to a file");
    if (arguments->noutput > 1)
        return dfl_fail(ctx, DFL_INVALID, "--output is given twice; a study has one file");
    return DFL_OK;
}

/* All cases, with a line of progress. Those that other processes give back may come when there are
   no threads any more. */
static dfl_status follow(dfl_sweep *sweep, const cli_arguments *arguments,
                         const cli_channel *channel)
{
    dfl_status status = dfl_sweep_start(sweep, threads_of(arguments, channel));
    if (status)
        return status;
    if (channel)
        status = cli_share(sweep, channel, show, arguments);
    while (!dfl_sweep_wait(sweep, 0.1)) {
        if (cli_interrupted())
            dfl_sweep_stop(sweep);
        show(sweep, arguments);
    }
    if (!arguments->quiet && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    if (status)
        return status;
    const dfl_status finished = dfl_sweep_finish(sweep);
    const bool given_back = channel && finished == DFL_STOPPED && !cli_interrupted();
    return given_back ? follow(sweep, arguments, NULL) : finished;
}

static void show(dfl_sweep *sweep, const cli_arguments *arguments)
{
    const dfl_sweep_progress it = dfl_sweep_so_far(sweep);
    char left[32] = "?";
    const double rate = (double)(it.done - it.before) / it.seconds;
    if (arguments->quiet || !isatty(STDERR_FILENO))
        return;
    if (rate > 0)
        cli_write_duration(left, sizeof left, (double)(it.cases - it.done) / rate);
    fprintf(stderr,
            "\r\033[K%ld of %ld cases (%.0f %%), %ld failed, %.3g per second, about %s left",
            it.done, it.cases, floor(100.0 * (double)it.done / (double)it.cases), it.failed, rate,
            left);
    fflush(stderr);
}

/* Cases that failed are results; a study in which all of them did has failed. */
static int conclude(dfl_context *ctx, const cli_arguments *arguments, dfl_sweep *sweep,
                    dfl_status status)
{
    static const dfl_sweep_progress none = {.message = "", .doubt = ""};
    const dfl_sweep_progress it = sweep ? dfl_sweep_so_far(sweep) : none;
    const bool stopped = cli_interrupted() != 0;
    int exit_status = status && !stopped ? cli_finish(ctx, status) : cli_interrupted();
    if (!exit_status && it.failed > 0 && it.failed == it.cases)
        exit_status = CLI_FAILURE;
    if (sweep && stopped)
        cli_say("interrupted after %ld of %ld cases; go on with: driftless sweep %s --resume %s",
                it.done, it.cases, arguments->model, it.path);
    if (it.failed > 0 && !arguments->quiet)
        cli_say("%ld of %ld cases failed, the first one is case %ld: %s", it.failed, it.done,
                it.first_failed, it.message);
    if (it.doubtful > 0 && !arguments->quiet)
        cli_say("%ld of %ld cases have run with a warning, the first one is case %ld: %s",
                it.doubtful, it.done, it.first_doubtful, it.doubt);
    if (!status && !arguments->quiet && !arguments->json)
        cli_say("%ld cases in %.3g s: %s", it.cases, it.seconds, it.path);
    if (arguments->json) {
        const dfl_bootstrap how = {.resamples = (int)given(arguments->bootstrap),
                                   .threads = (int)given(arguments->threads)};
        if (!cli_sweep_json(ctx, &it, status ? dfl_message(ctx) : NULL, status ? NULL : sweep,
                            isnan(arguments->bootstrap) ? NULL : &how) &&
            !exit_status)
            exit_status = cli_complain(ctx, DFL_IO);
    }
    return exit_status;
}
