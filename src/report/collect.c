/* collect.c: the data of a report, and writing it to its file. */
#define _POSIX_C_SOURCE 200809L
#include "report/report_internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Numbers that a page has of each table, 8 bytes each, and 4 of frames. */
enum { ROW_NUMBERS = 1 << 19, STEP_NUMBERS = 1 << 17, FRAME_NUMBERS = 1 << 20, MOST_EVENTS = 1000 };
enum { MOST_SWITCHES = 4000 };

static dfl_status write_failure(const dfl_new_file *out);

dfl_status dfl_report_create(dfl_report *out, dfl_context *ctx, const dfl_description *about,
                             bool frames)
{
    const int columns = frames ? about->nscene : 0;
    *out =
        (dfl_report){.ctx = ctx, .about = about, .events = {.ctx = ctx}, .switches = {.ctx = ctx}};
    dfl_status status = dfl_thin_create(&out->rows, ctx, about->n + about->m, false, ROW_NUMBERS);
    if (!status)
        status = dfl_thin_create(&out->steps, ctx, DFL_STEP_COLUMNS, false, STEP_NUMBERS);
    if (!status)
        status = dfl_thin_create(&out->frames, ctx, columns, true, columns > 0 ? FRAME_NUMBERS : 2);
    return status;
}

void dfl_report_clear(dfl_report *report)
{
    if (!report->ctx)
        return;
    dfl_thin *const tables[] = {&report->rows, &report->steps, &report->frames};
    for (int i = 0; i < 3; i++)
        if (tables[i]->ctx)
            dfl_thin_clear(tables[i]);
    dfl_text_clear(&report->events);
    dfl_text_clear(&report->switches);
    *report = (dfl_report){0};
}

void dfl_report_event(dfl_report *report, const dfl_event_record *event)
{
    dfl_text *text = &report->events;
    if (report->nevents++ >= MOST_EVENTS)
        return;
    dfl_text_add(text, text->length > 0 ? ",[" : "[");
    dfl_json_number(text, event->time);
    dfl_text_add(text, ",%d,%d]", event->event, event->direction);
}

void dfl_report_switch(dfl_report *report, const dfl_switch_record *happened)
{
    dfl_text *text = &report->switches;
    if (report->nswitches++ >= MOST_SWITCHES)
        return;
    dfl_text_add(text, text->length > 0 ? ",[" : "[");
    dfl_json_number(text, happened->time);
    dfl_text_add(text, ",%d,%d,%d,", (int)happened->kind, happened->name, happened->state);
    dfl_json_number(text, happened->energy_change);
    for (int i = 0; i < happened->nimpulses; i++) {
        dfl_text_add(text, ",%d,", happened->impulses[i].name);
        dfl_json_number(text, happened->impulses[i].value);
    }
    dfl_text_add(text, "]");
}

bool dfl_is_report(const char *path)
{
    return dfl_ends_with(path, ".html") || dfl_ends_with(path, ".svg");
}

dfl_status dfl_report_write(const dfl_new_file *out, const dfl_report *report, const char *columns)
{
    errno = 0;
    const int copy = dup(out->file);
    FILE *file = copy < 0 ? NULL : fdopen(copy, "w");
    if (!file && copy >= 0)
        close(copy);
    if (!file)
        return write_failure(out);
    dfl_status status = dfl_ends_with(out->path, ".html") ? dfl_page_write(file, report)
                                                          : dfl_plot_write(file, report, columns);
    const bool failed = ferror(file) != 0;
    if ((fclose(file) || failed) && !status)
        status = write_failure(out);
    return status;
}

static dfl_status write_failure(const dfl_new_file *out)
{
    return dfl_fail(out->ctx, DFL_IO, "'%s' cannot be written: %s", out->path,
                    errno ? strerror(errno) : "the disk may be full");
}
