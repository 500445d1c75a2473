/* command_run.c: `driftless run MODEL`: simulate, write results, say how it went. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/progress.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* What a terminal shows during the run. */
typedef struct screen {
    cli_progress progress;
    bool quiet;
} screen;

static dfl_status check_arguments(dfl_context *ctx, const cli_arguments *arguments);
static bool to_standard_output(const char *path);
static dfl_status name_files(bool *unkept, dfl_run *run, const cli_arguments *arguments);
static int simulate(dfl_context *ctx, const cli_arguments *arguments, dfl_run *run, screen *it);
static void defer_interrupts(void *user);
static int watch(double t, double step, void *user);
static void show_log(dfl_log_level level, const char *text, void *user);
static void show_notes(const dfl_run *run);
static dfl_status report(dfl_context *ctx, const cli_arguments *arguments, const dfl_run *run,
                         bool hint);

int cli_run(dfl_context *ctx, const cli_arguments *arguments)
{
    if (dfl_ends_with(arguments->model, ".fmu"))
        return cli_run_guest(ctx, arguments);
    dfl_model *model = NULL;
    dfl_run *run = NULL;
    screen it = {.quiet = arguments->quiet};
    cli_settings settings;
    cli_take_settings(&settings, ctx, arguments);
    const dfl_run_options options = {.nsettings = settings.count,
                                     .settings = settings.texts,
                                     .on_start = defer_interrupts,
                                     .on_step = watch,
                                     .on_log = show_log,
                                     .user = &it,
                                     .start_from = arguments->start_from,
                                     .columns = arguments->columns,
                                     .all_events = arguments->all_events,
                                     .statistics = arguments->statistics,
                                     .prefix = "--"};
    dfl_status status = check_arguments(ctx, arguments);
    if (!status)
        status = cli_load_script(&model, ctx, arguments);
    if (!status)
        status = dfl_run_create(&run, ctx, model, &options);
    const int exit_status = status ? cli_complain(ctx, status) : simulate(ctx, arguments, run, &it);
    dfl_run_free(run);
    dfl_model_free(model);
    cli_settings_clear(&settings);
    return exit_status;
}

static bool to_standard_output(const char *path)
{
    return path && !strcmp(path, "-");
}

static dfl_status check_arguments(dfl_context *ctx, const cli_arguments *arguments)
{
    const bool saved = to_standard_output(arguments->save);
    if (saved && (arguments->json || isatty(STDOUT_FILENO)))
        return dfl_fail(ctx, DFL_INVALID,
                        arguments->json
                            ? "--json and --save - both use standard output; save to a file"
                            : "--save - writes bytes that a terminal cannot show; name a file, or "
                              "redirect standard output");
    for (int i = 0; i < arguments->noutput; i++) {
        if ((arguments->json || saved) && to_standard_output(arguments->output[i]))
            return dfl_fail(ctx, DFL_INVALID,
                            "%s and --output - both use standard output; write the results "
                            "to a file",
                            saved ? "--save -" : "--json");
        if (arguments->save && !strcmp(arguments->output[i], arguments->save))
            return dfl_fail(ctx, DFL_INVALID, "--output and --save both name '%s'",
                            arguments->save);
        for (int k = 0; k < i; k++)
            if (!strcmp(arguments->output[i], arguments->output[k]))
                return dfl_fail(ctx, DFL_INVALID, "--output '%s' is given twice",
                                arguments->output[i]);
    }
    return cli_check_drawings(ctx, arguments);
}

dfl_status cli_check_drawings(dfl_context *ctx, const cli_arguments *arguments)
{
    if (arguments->report && !dfl_ends_with(arguments->report, ".html"))
        return dfl_fail(ctx, DFL_INVALID, "--report '%s': give a file that ends in .html",
                        arguments->report);
    if (arguments->plot && !dfl_ends_with(arguments->plot, ".svg"))
        return dfl_fail(ctx, DFL_INVALID, "--plot '%s': give a file that ends in .svg",
                        arguments->plot);
    if (arguments->columns && !arguments->plot)
        return dfl_fail(ctx, DFL_INVALID,
                        "--columns says what a plot shows; give --plot FILE.svg, too");
    return DFL_OK;
}

/* The run, with a progress line; Ctrl-C is checked after every step. */
static int simulate(dfl_context *ctx, const cli_arguments *arguments, dfl_run *run, screen *it)
{
    double from, to;
    bool unkept = false;
    dfl_status status = name_files(&unkept, run, arguments);
    if (status)
        return cli_complain(ctx, status);
    dfl_run_span(run, &from, &to);
    cli_progress_begin(&it->progress, from, to, arguments->quiet);
    status = dfl_run_complete(run);
    cli_progress_erase(&it->progress);
    const bool unstarted = isnan(dfl_run_time(run));
    const bool unread = status == DFL_STOPPED && !cli_interrupted(); /* | head: ends silently */
    const bool waited = status && unstarted && cli_interrupted();    /* for a file to open */
    int exit_status = CLI_SUCCESS;
    if (status && !unread && !waited)
        cli_say("%s", dfl_message(ctx));
    if (waited || (status == DFL_STOPPED && cli_interrupted()))
        exit_status = cli_interrupted();
    else if (status)
        exit_status = status == DFL_INVALID && unstarted ? CLI_WRONG : CLI_FAILURE;
    show_notes(run);
    status = unread || waited ? DFL_OK : report(ctx, arguments, run, unkept);
    if (status)
        exit_status = status == DFL_STOPPED ? CLI_FAILURE : cli_complain(ctx, status);
    if (exit_status == CLI_SUCCESS)
        exit_status = cli_interrupted(); /* while the last results were written */
    cli_interrupt_defer(false);
    return exit_status;
}

/* The requested files; without any, standard output unless that is a terminal: then nothing is
   kept. */
static dfl_status name_files(bool *unkept, dfl_run *run, const cli_arguments *arguments)
{
    const bool named = arguments->noutput > 0 || arguments->report || arguments->plot ||
                       arguments->json || to_standard_output(arguments->save);
    const bool terminal = isatty(STDOUT_FILENO);
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < arguments->noutput; i++)
        status = dfl_run_write(run, arguments->output[i]);
    if (!status && arguments->report)
        status = dfl_run_write(run, arguments->report);
    if (!status && arguments->plot)
        status = dfl_run_write(run, arguments->plot);
    if (!status && !named && !terminal)
        status = dfl_run_write(run, "-");
    if (!status && arguments->save)
        status = dfl_run_save_to(run, arguments->save);
    *unkept = !named && terminal;
    return status;
}

/* Files must not stay behind half-written. */
static void defer_interrupts(void *user)
{
    (void)user;
    cli_interrupt_defer(true);
}

static int watch(double t, double step, void *user)
{
    cli_progress_show(&((screen *)user)->progress, t, step);
    return cli_interrupted();
}

static void show_log(dfl_log_level level, const char *text, void *user)
{
    screen *it = user;
    if (it->quiet || level == DFL_LOG_DEBUG)
        return;
    cli_progress_erase(&it->progress);
    cli_say("%s%s", level == DFL_LOG_WARNING ? "warning: " : "", text);
}

/* Files that were not put into their places. */
static void show_notes(const dfl_run *run)
{
    for (const char *at = dfl_run_notes(run); *at;) {
        const size_t length = strcspn(at, "\n");
        cli_say("%.*s", (int)length, at);
        at += length + (at[length] != 0);
    }
}

static dfl_status report(dfl_context *ctx, const cli_arguments *arguments, const dfl_run *run,
                         bool hint)
{
    const char *json = dfl_run_summary(run), *text = dfl_run_text(run);
    if (arguments->json)
        return json ? cli_print(ctx, json) : DFL_OK;
    if (arguments->quiet || !text || !text[0])
        return DFL_OK;
    cli_show(text);
    if (hint)
        fputs("  (--output FILE.csv or FILE.h5 keeps the results, --report FILE.html shows "
              "them)\n",
              stderr);
    return DFL_OK;
}
