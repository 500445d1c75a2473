/* report_run.c: pages and plots of a run in progress, as two more kinds of files.

   Both are written when the run has ended; until then the file says so. */
#include "declare/shape.h"
#include "report/report.h"
#include "report/viewer.h"
#include "result/writer.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* writer->file */
typedef struct run_report {
    dfl_report report;
    const char **names; /* states, then outputs */
    const char **kinds;
    char *columns; /* of a plot, or NULL */
} run_report;

static dfl_status open_page(dfl_writer *writer, const dfl_run_option *options, int noptions);
static dfl_status open_report(dfl_writer *writer, const dfl_run_option *options, int noptions);
static dfl_status collect_names(dfl_writer *writer);
static void free_report(dfl_writer *writer);
static dfl_status announce(dfl_writer *writer);
static void describe_run(dfl_writer *writer, const dfl_run_option *options, int noptions);
static void describe_parameters(dfl_report *report, const dfl_model *model);
static void describe_events(dfl_report *report, const dfl_model *model);
static dfl_status write_initial(dfl_writer *writer, const double *given, const bool *held,
                                const double *corrected);
static dfl_status write_row(dfl_writer *writer);
static dfl_status write_step(dfl_writer *writer, const dfl_step_record *step);
static dfl_status write_event(dfl_writer *writer, const dfl_event_record *event);
static dfl_status choose_columns(dfl_writer *writer, const char *columns);
static void describe_end(dfl_writer *writer, const dfl_summary *summary);
static dfl_status close_page(dfl_writer *writer, const dfl_summary *summary);
static dfl_status close_plot(dfl_writer *writer, const dfl_summary *summary);
static dfl_status close_report(dfl_writer *writer, const dfl_summary *summary, bool page);
static dfl_status write_failure(dfl_writer *writer);

const dfl_file_kind dfl_page_kind = {.open = open_page,
                                     .initial = write_initial,
                                     .row = write_row,
                                     .step = write_step,
                                     .event = write_event,
                                     .close = close_page,
                                     .scene = true};
const dfl_file_kind dfl_plot_kind = {.open = open_report,
                                     .row = write_row,
                                     .step = write_step,
                                     .columns = choose_columns,
                                     .close = close_plot};

static dfl_status open_page(dfl_writer *writer, const dfl_run_option *options, int noptions)
{
    if (dfl_viewer_js_length == 0)
        return dfl_fail(writer->ctx, DFL_INVALID,
                        "'%s': this driftless was built without Node.js and cannot make pages; "
                        "install nodejs and npm and build it again, or use --plot FILE.svg",
                        writer->path);
    return open_report(writer, options, noptions);
}

static dfl_status open_report(dfl_writer *writer, const dfl_run_option *options, int noptions)
{
    const dfl_columns *columns = &writer->columns;
    const dfl_model *model = writer->eq->model;
    run_report *run = dfl_alloc(writer->ctx, 1, sizeof *run);
    if (!run)
        return DFL_NO_MEMORY;
    writer->file = run;
    dfl_status status =
        dfl_report_create(&run->report, writer->ctx, model->name, columns->n, columns->m,
                          writer->kind->scene ? dfl_scene_columns(model) : 0);
    if (!status)
        status = collect_names(writer);
    if (!status)
        status = announce(writer);
    if (!status && writer->kind->scene) {
        describe_run(writer, options, noptions);
        status = dfl_scene_json(&run->report.scene, model);
    }
    if (status)
        free_report(writer);
    return status;
}

static dfl_status collect_names(dfl_writer *writer)
{
    const dfl_columns *columns = &writer->columns;
    run_report *run = writer->file;
    run->names = dfl_alloc(writer->ctx, (size_t)(columns->n + columns->m), sizeof *run->names);
    run->kinds = dfl_alloc(writer->ctx, (size_t)columns->n, sizeof *run->kinds);
    if (!run->names || !run->kinds)
        return DFL_NO_MEMORY;
    for (int i = 0; i < columns->n; i++) {
        run->names[i] = columns->state[i];
        run->kinds[i] = dfl_column_kind(writer->eq, i);
    }
    for (int i = 0; i < columns->m; i++)
        run->names[columns->n + i] = columns->output[i];
    run->report.names = run->names;
    run->report.kinds = run->kinds;
    run->report.units = (const char *const *)columns->unit;
    return DFL_OK;
}

static void free_report(dfl_writer *writer)
{
    run_report *run = writer->file;
    dfl_report_clear(&run->report);
    dfl_free(writer->ctx, run->columns);
    dfl_free(writer->ctx, run->kinds);
    dfl_free(writer->ctx, run->names);
    dfl_free(writer->ctx, run);
}

/* What stands in a page until the run has ended; also shows early that the file cannot be written. A plot
   is left as it is until then: its columns are still to be checked. */
static dfl_status announce(dfl_writer *writer)
{
    errno = 0;
    FILE *file = fopen(writer->path, writer->kind->scene ? "w" : "a");
    if (!file)
        return dfl_fail(writer->ctx, DFL_INVALID, "'%s' cannot be written: %s", writer->path,
                        strerror(errno));
    if (writer->kind->scene)
        fputs(
            "<!doctype html><title>Driftless</title>\n<p>This run has not ended, or it was killed "
            "before its report was written.</p>\n",
            file);
    const bool failed = ferror(file) != 0;
    return fclose(file) || failed ? write_failure(writer) : DFL_OK;
}

static void describe_run(dfl_writer *writer, const dfl_run_option *options, int noptions)
{
    const dfl_model *model = writer->eq->model;
    dfl_report *report = &((run_report *)writer->file)->report;
    dfl_report_text(report, "model", model->name);
    dfl_report_text(report, "version", DFL_VERSION);
    dfl_report_text(report, "text", model->text ? model->text : "");
    dfl_report_open(report, "options", '{');
    for (int i = 0; i < noptions; i++)
        if (options[i].text)
            dfl_report_text(report, options[i].name, options[i].text);
        else
            dfl_report_number(report, options[i].name, options[i].number);
    dfl_report_close(report, '}');
    describe_parameters(report, model);
    describe_events(report, model);
}

/* Parameters, inputs and settings, with the values of this run. */
static void describe_parameters(dfl_report *report, const dfl_model *model)
{
    const unsigned wanted = 1U << DFL_A_PARAM | 1U << DFL_AN_INPUT | 1U << DFL_A_SETTING;
    dfl_report_open(report, "parameters", '[');
    for (int i = 0; i < model->ndeclarations; i++) {
        const dfl_declaration *decl = &model->declarations[i];
        if (!(wanted >> decl->kind & 1))
            continue;
        dfl_report_open(report, NULL, '[');
        dfl_report_text(report, NULL, decl->name);
        dfl_report_number(report, NULL, decl->value);
        dfl_report_text(report, NULL, decl->unit ? decl->unit : "");
        dfl_report_close(report, ']');
    }
    dfl_report_close(report, ']');
}

static void describe_events(dfl_report *report, const dfl_model *model)
{
    dfl_report_open(report, "event_names", '[');
    for (int i = 0; i < model->ndeclarations; i++)
        if (model->declarations[i].kind == DFL_AN_EVENT)
            dfl_report_text(report, NULL, model->declarations[i].name);
    dfl_report_close(report, ']');
}

static dfl_status write_initial(dfl_writer *writer, const double *given, const bool *held,
                                const double *corrected)
{
    dfl_report *report = &((run_report *)writer->file)->report;
    dfl_report_open(report, "initial", '[');
    for (int i = 0; i < writer->columns.n; i++) {
        const int place = writer->columns.place[i];
        dfl_report_open(report, NULL, '[');
        dfl_report_number(report, NULL, given[place]);
        dfl_report_number(report, NULL, corrected[place]);
        dfl_report_number(report, NULL, held[place]);
        dfl_report_close(report, ']');
    }
    dfl_report_close(report, ']');
    return report->meta.status;
}

static dfl_status write_row(dfl_writer *writer)
{
    dfl_report *report = &((run_report *)writer->file)->report;
    dfl_thin_add(&report->rows, writer->row[0], writer->row + 1);
    if (report->scene.length > 0)
        dfl_thin_add(&report->frames, writer->row[0], writer->scene);
    return DFL_OK;
}

static dfl_status write_step(dfl_writer *writer, const dfl_step_record *step)
{
    dfl_report *report = &((run_report *)writer->file)->report;
    double row[DFL_STEP_COLUMNS] = {step->size, step->order, (double)step->rejections,
                                    step->energy};
    memcpy(row + 4, step->residual, sizeof step->residual);
    dfl_thin_add(&report->steps, step->time, row);
    return DFL_OK;
}

static dfl_status write_event(dfl_writer *writer, const dfl_event_record *event)
{
    dfl_report_event(&((run_report *)writer->file)->report, event);
    return DFL_OK;
}

static dfl_status choose_columns(dfl_writer *writer, const char *columns)
{
    run_report *run = writer->file;
    dfl_status status = dfl_plot_check(&run->report, columns);
    if (status)
        return status;
    run->columns = dfl_copy_string(writer->ctx, columns);
    return run->columns ? DFL_OK : DFL_NO_MEMORY;
}

static void describe_end(dfl_writer *writer, const dfl_summary *summary)
{
    dfl_report *report = &((run_report *)writer->file)->report;
    dfl_counter counters[DFL_COUNTERS];
    double levels[DFL_LEVELS];
    dfl_report_text(report, "status", summary->status);
    dfl_report_text(report, "message", summary->message);
    dfl_report_text(report, "warnings", dfl_text_string(&writer->warnings));
    dfl_report_open(report, "statistics", '{');
    dfl_report_number(report, "t", summary->t);
    dfl_report_number(report, "seconds", summary->seconds);
    dfl_report_number(report, "energy_drift", summary->energy_drift);
    dfl_summary_counters(counters, &summary->statistics);
    for (int i = 0; i < DFL_COUNTERS; i++)
        dfl_report_number(report, counters[i].name, (double)counters[i].value);
    dfl_summary_levels(levels, summary, writer->eq);
    dfl_report_open(report, "max_residual", '[');
    for (int i = 0; i < DFL_LEVELS; i++)
        dfl_report_number(report, NULL, levels[i]);
    dfl_report_close(report, ']');
    dfl_report_close(report, '}');
}

static dfl_status close_page(dfl_writer *writer, const dfl_summary *summary)
{
    return close_report(writer, summary, true);
}

static dfl_status close_plot(dfl_writer *writer, const dfl_summary *summary)
{
    return close_report(writer, summary, false);
}

/* A run that was given up (no summary) leaves what `announce` wrote. */
static dfl_status close_report(dfl_writer *writer, const dfl_summary *summary, bool page)
{
    const run_report *run = writer->file;
    dfl_status status = writer->status;
    if (!status && summary) {
        if (page)
            describe_end(writer, summary);
        errno = 0;
        FILE *file = fopen(writer->path, "w");
        if (!file)
            status = write_failure(writer);
        else
            status = page ? dfl_page_write(file, &run->report)
                          : dfl_plot_write(file, &run->report, run->columns);
        const bool failed = file && ferror(file);
        if (file && (fclose(file) || failed) && !status)
            status = write_failure(writer);
    }
    free_report(writer);
    return status;
}

static dfl_status write_failure(dfl_writer *writer)
{
    return dfl_fail(writer->ctx, DFL_CALLBACK, "'%s' cannot be written: %s", writer->path,
                    errno ? strerror(errno) : "the disk may be full");
}
