/* command_run.c: `driftless run MODEL`: simulate, write results, say how it went. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/progress.h"

#include "report/report.h"

#include <string.h>
#include <unistd.h>

/* Where the rows go. */
typedef struct outputs {
    const char **paths;
    int count;
    const char *columns; /* of a plot, or NULL */
    bool unkept;         /* nothing is kept */
    dfl_status failed;
} outputs;

/* What a run needs in addition to the model: files, and what a terminal shows during the run. */
typedef struct job {
    const cli_model *model;
    outputs out;
    cli_progress progress;
    bool quiet;
    const char *save; /* where the state at the end goes, or NULL ... */
    dfl_new_file saved;
} job;

static dfl_status check_arguments(dfl_context *ctx, const cli_arguments *arguments);
static dfl_status collect_paths(outputs *out, dfl_context *ctx, const cli_arguments *arguments);
static int follow(dfl_summary *summary, dfl_simulation *sim, job *it);
static bool watch(double t, double step, void *user);
static void show_log(dfl_log_level level, const char *text, void *user);
static dfl_status open_outputs(dfl_simulation *sim, void *user);
static dfl_status open_all(dfl_record *record, const outputs *out, const cli_model *model);
static int close_outputs(dfl_summary *summary, dfl_simulation *sim, int exit_status);
static void show_notes(const dfl_record *record);
static dfl_status report(const cli_arguments *arguments, const dfl_record *record,
                         const dfl_summary *summary, const cli_model *model, bool hint);
static int simulate(const cli_arguments *arguments, const cli_model *model,
                    const dfl_settings *settings);
static int run_recorded(const cli_arguments *arguments, dfl_record *record, job *it,
                        const dfl_settings *settings);
static bool to_standard_output(const char *path);
static dfl_status open_saved(job *it, dfl_context *ctx);
static int save(job *it, dfl_simulation *sim, int exit_status);

int cli_run(dfl_context *ctx, const cli_arguments *arguments)
{
    cli_model model = {0};
    dfl_settings settings;
    dfl_status status = check_arguments(ctx, arguments);
    if (!status)
        status = cli_load(&model, ctx, arguments, CLI_TO_RUN);
    if (!status)
        status = dfl_settings_resolve(&settings, &arguments->choices, model.run);
    if (!status)
        status = dfl_settings_check_end(&settings, &arguments->choices, model.model);
    const int exit_status =
        status ? cli_complain(ctx, status) : simulate(arguments, &model, &settings);
    cli_unload(&model);
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

static int simulate(const cli_arguments *arguments, const cli_model *model,
                    const dfl_settings *settings)
{
    dfl_context *ctx = model->model->ctx;
    dfl_fact options[DFL_MOST_SETTINGS];
    job it = {.model = model,
              .out.columns = arguments->columns,
              .quiet = arguments->quiet,
              .save = arguments->save,
              .saved = {.ctx = ctx, .file = -1, .leftover = -1}};
    dfl_record *record = NULL;
    const int count = dfl_settings_describe(options, settings);
    dfl_status status = dfl_record_create(&record, model->eq, options, count);
    if (!status)
        status = collect_paths(&it.out, ctx, arguments);
    const int exit_status =
        status ? cli_complain(ctx, status) : run_recorded(arguments, record, &it, settings);
    dfl_free(ctx, it.out.paths);
    dfl_record_free(record);
    return exit_status;
}

static int run_recorded(const cli_arguments *arguments, dfl_record *record, job *it,
                        const dfl_settings *settings)
{
    const cli_model *model = it->model;
    dfl_simulation sim = {.all_events = arguments->all_events,
                          .ctx = model->model->ctx,
                          .run = model->run,
                          .eq = model->eq,
                          .settings = settings,
                          .record = record,
                          .open = open_outputs,
                          .saved = model->saved.length > 0 ? dfl_text_string(&model->saved) : NULL,
                          .saved_size = model->saved.length,
                          .watch = watch,
                          .log = show_log,
                          .user = it};
    dfl_summary summary;
    int exit_status = follow(&summary, &sim, it);
    if (it->out.failed) {
        exit_status = cli_interrupted() ? cli_interrupted() : cli_finish(sim.ctx, it->out.failed);
        dfl_record_abandon(record);
    } else {
        exit_status = save(it, &sim, exit_status);
        exit_status = close_outputs(&summary, &sim, exit_status);
        /* | head: ends without a word */
        const bool unread = sim.trouble == DFL_STOPPED && !cli_interrupted();
        if (exit_status != CLI_SUCCESS && !unread)
            cli_say("%s", summary.message);
        show_notes(record);
        const dfl_status status =
            unread ? DFL_OK : report(arguments, record, &summary, model, it->out.unkept);
        if (status)
            exit_status = status == DFL_STOPPED ? CLI_FAILURE : cli_complain(sim.ctx, status);
    }
    if (exit_status == CLI_SUCCESS)
        exit_status = cli_interrupted(); /* while the last results were written */
    cli_interrupt_defer(false);
    dfl_new_file_discard(&it->saved);
    dfl_simulation_clear(&sim);
    return exit_status;
}

/* Before the run, which may be long. */
static dfl_status open_saved(job *it, dfl_context *ctx)
{
    if (!it->save)
        return DFL_OK;
    const char *path = to_standard_output(it->save) ? NULL : it->save;
    const dfl_status status = path ? cli_spare_model(path, it->model) : DFL_OK;
    return status ? status : dfl_new_file_open(&it->saved, ctx, path, true);
}

/* A run that was interrupted can go on from where it is; after a failure an older file stays. */
static int save(job *it, dfl_simulation *sim, int exit_status)
{
    const bool wanted = it->save && sim->started && !sim->trouble &&
                        (exit_status == CLI_SUCCESS || cli_interrupted());
    if (!wanted)
        return exit_status;
    const dfl_status status = dfl_saved_run_write(&it->saved, sim);
    return status ? cli_finish(sim->ctx, status) : exit_status;
}

/* The requested files; without any, standard output unless that is a terminal. */
static dfl_status collect_paths(outputs *out, dfl_context *ctx, const cli_arguments *arguments)
{
    out->paths = dfl_alloc(ctx, (size_t)arguments->noutput + 2, sizeof *out->paths);
    if (!out->paths)
        return DFL_NO_MEMORY;
    for (int i = 0; i < arguments->noutput; i++)
        out->paths[out->count++] = arguments->output[i];
    if (arguments->report)
        out->paths[out->count++] = arguments->report;
    if (arguments->plot)
        out->paths[out->count++] = arguments->plot;
    const bool nothing =
        out->count == 0 && !arguments->json && !to_standard_output(arguments->save);
    if (nothing && !isatty(STDOUT_FILENO))
        out->paths[out->count++] = "-";
    out->unkept = nothing && out->count == 0;
    return DFL_OK;
}

/* The run, with a progress line; Ctrl-C is checked after every step. */
static int follow(dfl_summary *summary, dfl_simulation *sim, job *it)
{
    const dfl_settings *settings = sim->settings;
    cli_progress_begin(&it->progress, settings->from, settings->to, it->quiet);
    const dfl_status status = dfl_simulate(summary, sim);
    cli_progress_erase(&it->progress);
    if (status == DFL_STOPPED && cli_interrupted())
        return cli_interrupted();
    if (status == DFL_INVALID && !sim->started)
        return CLI_WRONG;
    return status ? CLI_FAILURE : CLI_SUCCESS;
}

static bool watch(double t, double step, void *user)
{
    job *it = user;
    cli_progress_show(&it->progress, t, step);
    return cli_interrupted() != 0;
}

static void show_log(dfl_log_level level, const char *text, void *user)
{
    job *it = user;
    if (it->quiet || level == DFL_LOG_DEBUG)
        return;
    cli_progress_erase(&it->progress);
    cli_say("%s%s", level == DFL_LOG_WARNING ? "warning: " : "", text);
}

static dfl_status open_outputs(dfl_simulation *sim, void *user)
{
    job *it = user;
    cli_interrupt_defer(true);
    it->out.failed = open_saved(it, sim->ctx);
    if (!it->out.failed)
        it->out.failed = open_all(sim->record, &it->out, it->model);
    return it->out.failed;
}

static dfl_status open_all(dfl_record *record, const outputs *out, const cli_model *model)
{
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < out->count; i++)
        status = cli_spare_model(out->paths[i], model);
    for (int i = 0; !status && i < out->count; i++) {
        const char *path = out->paths[i];
        status = dfl_is_report(path) ? dfl_report_open(record, path, out->columns)
                                     : dfl_record_open(record, path);
    }
    return status;
}

/* Files that were not put into their places. */
static void show_notes(const dfl_record *record)
{
    for (const char *at = dfl_record_notes(record); *at;) {
        const size_t length = strcspn(at, "\n");
        cli_say("%.*s", (int)length, at);
        at += length + (at[length] != 0);
    }
}

/* If a result could not be stored completely, the run has failed. A run that never started leaves
   no files. */
static int close_outputs(dfl_summary *summary, dfl_simulation *sim, int exit_status)
{
    if (!sim->started)
        dfl_record_abandon(sim->record);
    const dfl_status status = dfl_record_close(sim->record, summary);
    if (!status || sim->trouble)
        return exit_status;
    sim->trouble = status;
    snprintf(sim->message, sizeof sim->message, "%s", dfl_message(sim->ctx));
    return CLI_FAILURE;
}

static dfl_status report(const cli_arguments *arguments, const dfl_record *record,
                         const dfl_summary *summary, const cli_model *model, bool hint)
{
    dfl_text text = {.ctx = model->model->ctx};
    dfl_status status = DFL_OK;
    if (arguments->json) {
        status = dfl_summary_json(&text, record, summary);
        if (!status)
            status = cli_write(NULL, &text, model);
    } else if (!arguments->quiet && summary->x) {
        status = dfl_summary_text(&text, record, summary);
        cli_show(dfl_text_string(&text));
        if (hint)
            fputs("  (--output FILE.csv or FILE.h5 keeps the results, --report FILE.html shows "
                  "them)\n",
                  stderr);
    }
    dfl_text_clear(&text);
    return status;
}
