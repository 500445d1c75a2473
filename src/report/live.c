/* live.c: pages and plots of a run in progress, as two more kinds of files.

   Both are written when the run has ended. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "report/report_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* writer->file */
typedef struct live_report {
    dfl_report report;
    char *columns;  /* of a plot, or NULL */
    dfl_text *page; /* where it is kept, or NULL */
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
static dfl_status check_viewer(dfl_writer *writer);
static dfl_status keep_page(dfl_text *page, const dfl_report *report);

static const dfl_file_kind page_kind = {.open = open_page,
                                        .row = write_frame,
                                        .step = write_step,
                                        .event = write_event,
                                        .happened = write_switch,
                                        .close = close_report,
                                        .scene = true};
static const dfl_file_kind kept_kind = {.open = check_viewer,
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

dfl_status dfl_report_keep(dfl_record *record, dfl_text *page)
{
    dfl_context *ctx = dfl_record_context(record);
    live_report *live = dfl_alloc(ctx, 1, sizeof *live);
    if (!live)
        return DFL_NO_MEMORY;
    live->page = page;
    dfl_status status = dfl_report_create(&live->report, ctx, dfl_record_about(record), true);
    if (!status)
        status = dfl_record_add(record, &kept_kind, "page", live);
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
    const dfl_status status = check_viewer(writer);
    return status ? status
                  : dfl_writer_begin(writer, true); /* shows early whether it can be written */
}

static dfl_status check_viewer(dfl_writer *writer)
{
    return dfl_viewer_js_length > 0
               ? DFL_OK
               : dfl_fail(writer->ctx, DFL_INVALID,
                          "'%s': this driftless was built without Node.js and cannot make pages; "
                          "install nodejs and npm and build it again, or use --plot FILE.svg",
                          writer->path);
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
        status = live->page ? keep_page(live->page, &live->report)
                            : dfl_report_write(&writer->out, &live->report, live->columns);
    free_live(live, writer->ctx);
    return status;
}

static dfl_status keep_page(dfl_text *page, const dfl_report *report)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&bytes, &size);
    dfl_status status = file ? dfl_page_write(file, report) : DFL_NO_MEMORY;
    const bool failed = file && (ferror(file) != 0);
    if (file && (fclose(file) || failed) && !status)
        status = DFL_NO_MEMORY;
    if (!status) {
        dfl_text_bytes(page, bytes, size);
        status = page->status;
    }
    free(bytes);
    return status == DFL_NO_MEMORY ? dfl_fail(page->ctx, status, "there is no memory for the page")
                                   : status;
}
