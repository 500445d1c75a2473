/* command_sweep.c: `driftless sweep MODEL`: many runs on all processors, into one file. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/shared_study.h"

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
static void print_json(FILE *file, const dfl_sweep_progress *it, const char *message);
static dfl_status print_sensitivity(FILE *file, dfl_context *ctx, dfl_sweep *sweep);
static void print_string(FILE *file, const char *text);

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
        channel.close();
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
    return status ? CLI_WRONG : cli_interrupted();
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
                               .resume = arguments->resume};
}

static dfl_status check_arguments(dfl_context *ctx, const cli_arguments *arguments)
{
    const double threads = arguments->threads;
    if (!isnan(threads) && (threads != floor(threads) || threads > 4096))
        return dfl_fail(ctx, DFL_INVALID, "--threads is %g; give a whole number up to 4096",
                        threads);
    if (arguments->json && arguments->csv && !strcmp(arguments->csv, "-"))
        return dfl_fail(ctx, DFL_INVALID,
                        "--json and --csv - both use standard output; write the table to a file");
    if (arguments->noutput > 1)
        return dfl_fail(ctx, DFL_INVALID, "--output is given twice; a study has one file");
    return DFL_OK;
}

/* All cases, with a line of progress. */
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
    const dfl_status finished = dfl_sweep_finish(sweep);
    return status ? status : finished;
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
    static const dfl_sweep_progress none = {.message = ""};
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
    if (!status && !arguments->quiet && !arguments->json)
        cli_say("%ld cases in %.3g s: %s", it.cases, it.seconds, it.path);
    if (arguments->json) {
        print_json(stdout, &it, status ? dfl_message(ctx) : NULL);
        if (!status && print_sensitivity(stdout, ctx, sweep))
            exit_status = CLI_FAILURE;
        fputs("}\n", stdout);
        if ((fflush(stdout) || ferror(stdout)) && !exit_status)
            exit_status = CLI_FAILURE;
    }
    return exit_status;
}

static void print_json(FILE *file, const dfl_sweep_progress *it, const char *message)
{
    const bool stopped = cli_interrupted() != 0;
    const bool failed = message || (it->failed > 0 && it->failed == it->cases);
    fprintf(file, "{\"status\": \"%s\", \"message\": ",
            stopped  ? "interrupted"
            : failed ? "failed"
                     : "completed");
    print_string(file, stopped   ? "interrupted; --resume goes on"
                       : message ? message
                       : failed  ? it->message
                                 : NULL);
    fprintf(file,
            ", \"cases\": %ld, \"done\": %ld, \"failed\": %ld, \"seconds\": %.17g, \"table\": ",
            it->cases, it->done, it->failed, it->seconds);
    print_string(file, it->path);
}

/* ", "sensitivity": [{"of": RESULT, "first": {NAME: x, ...}, "total": {...}}, ...]" if the design is Saltelli's. */
static dfl_status print_sensitivity(FILE *file, dfl_context *ctx, dfl_sweep *sweep)
{
    const char *const *names;
    int parameters;
    const int columns = dfl_sweep_columns(sweep, &names, &parameters);
    double *both = dfl_alloc(ctx, 2 * (size_t)parameters, sizeof *both);
    dfl_status status = both ? DFL_OK : DFL_NO_MEMORY;
    const char *before = ", \"sensitivity\": [";
    for (int c = 1; !status && c < columns - parameters; c++) {
        status = dfl_sweep_sensitivity(both, both + parameters, sweep, c);
        if (status)
            break;
        fprintf(file, "%s{\"of\": ", before);
        print_string(file, names[parameters + c]);
        for (int k = 0; k < 2; k++) {
            fprintf(file, ", \"%s\": {", k == 0 ? "first" : "total");
            for (int i = 0; i < parameters; i++) {
                const double index = both[k * parameters + i];
                fputs(i > 0 ? ", " : "", file);
                print_string(file, names[i]);
                fprintf(file, isfinite(index) ? ": %.17g" : ": null", index);
            }
            fputs("}", file);
        }
        fputs("}", file);
        before = ", ";
    }
    if (before[2] == 0)
        fputs("]", file);
    dfl_free(ctx, both);
    return status == DFL_INVALID ? DFL_OK : status; /* another design */
}

/* Messages have no control characters but line feeds. NULL: null. */
static void print_string(FILE *file, const char *text)
{
    if (!text) {
        fputs("null", file);
        return;
    }
    fputc('"', file);
    for (const char *c = text; *c; c++) {
        if (*c == '\n')
            fputs("\\n", file);
        else if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else if ((unsigned char)*c >= 0x20)
            fputc(*c, file);
    }
    fputc('"', file);
}
