/* live.c: pages and plots of a run in progress, as two more kinds of files.

   Both are written when the run has ended. */
#include "report/report_internal.h"

#include <string.h>

/* writer->file */
typedef struct live_report {
    dfl_report report;
    char *columns; /* of a plot, or NULL */
} live_report;

static void free_live(live_report *live, dfl_context *ctx);
static dfl_status open_page(dfl_writer *writer);
static dfl_status open_plot(dfl_writer *writer);
static dfl_status write_row(dfl_writer *writer);
static dfl_status write_frame(dfl_writer *writer);
static dfl_status write_step(dfl_writer *writer, const dfl_step_record *step);
static dfl_status write_event(dfl_writer *writer, const dfl_event_record *event);
static dfl_status write_switch(dfl_writer *writer, const dfl_switch_record *happened);
static dfl_status close_report(dfl_writer *writer, bool finished);

static const dfl_file_kind page_kind = {.open = open_page,
                                        .row = write_frame,
                                        .step = write_step,
                                        .event = write_event,
                                        .happened = write_switch,
                                        .close = close_report,
                                        .scene = true};
static const dfl_file_kind plot_kind = {
    .open = open_plot, .row = write_row, .step = write_step, .close = close_report};

dfl_status dfl_report_open(dfl_record *record, const char *path, const char *columns)
{
    dfl_context *ctx = dfl_record_context(record);
    const bool page = dfl_ends_with(path, ".html");
    live_report *live = dfl_alloc(ctx, 1, sizeof *live);
    if (!live)
        return DFL_NO_MEMORY;
    dfl_status status = DFL_OK;
    if (columns && !page) {
        live->columns = dfl_copy_string(ctx, columns);
        status = live->columns ? DFL_OK : DFL_NO_MEMORY;
    }
    if (!status)
        status = dfl_report_create(&live->report, ctx, dfl_record_about(record), page);
    if (!status)
        status = dfl_record_add(record, page ? &page_kind : &plot_kind, path, live);
    if (status)
        free_live(live, ctx);
    return status;
}

static void free_live(live_report *live, dfl_context *ctx)
{
    dfl_report_clear(&live->report);
    dfl_free(ctx, live->columns);
    dfl_free(ctx, live);
}

static dfl_status open_page(dfl_writer *writer)
{
    if (dfl_viewer_js_length == 0)
        return dfl_fail(writer->ctx, DFL_INVALID,
                        "'%s': this driftless was built without Node.js and cannot make pages; "
                        "install nodejs and npm and build it again, or use --plot FILE.svg",
                        writer->path);
    return dfl_writer_begin(writer, true); /* shows early whether it can be written */
}

static dfl_status open_plot(dfl_writer *writer)
{
    const live_report *live = writer->file;
    const dfl_status status = dfl_plot_check(&live->report, live->columns);
    return status ? status : dfl_writer_begin(writer, true);
}

static dfl_status write_row(dfl_writer *writer)
{
    dfl_report *report = &((live_report *)writer->file)->report;
    dfl_thin_add(&report->rows, writer->row[0], writer->row + 1);
    return DFL_OK;
}

/* A row, and how the scene looks there. */
static dfl_status write_frame(dfl_writer *writer)
{
    dfl_report *report = &((live_report *)writer->file)->report;
    if (report->about->scene)
        dfl_thin_add(&report->frames, writer->row[0], writer->frame);
    return write_row(writer);
}

static dfl_status write_step(dfl_writer *writer, const dfl_step_record *step)
{
    dfl_report *report = &((live_report *)writer->file)->report;
    double row[DFL_STEP_COLUMNS] = {step->size, step->order, (double)step->rejections,
                                    step->energy};
    memcpy(row + 4, step->residual, sizeof step->residual);
    dfl_thin_add(&report->steps, step->time, row);
    return DFL_OK;
}

static dfl_status write_event(dfl_writer *writer, const dfl_event_record *event)
{
    dfl_report_event(&((live_report *)writer->file)->report, event);
    return DFL_OK;
}

static dfl_status write_switch(dfl_writer *writer, const dfl_switch_record *happened)
{
    dfl_report_switch(&((live_report *)writer->file)->report, happened);
    return DFL_OK;
}

static dfl_status close_report(dfl_writer *writer, bool finished)
{
    live_report *live = writer->file;
    dfl_status status = writer->status;
    if (!status && finished)
        status = dfl_report_write(&writer->out, &live->report, live->columns);
    free_live(live, writer->ctx);
    return status;
}
