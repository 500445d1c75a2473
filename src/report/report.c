/* report.c: what a report is collected in. */
#include "report/report.h"

#include <string.h>

/* Numbers that a page has of each table, 8 bytes each, and 4 of frames. */
enum { ROW_NUMBERS = 1 << 19, STEP_NUMBERS = 1 << 17, FRAME_NUMBERS = 1 << 20, MOST_EVENTS = 1000 };

static void begin_member(dfl_text *text, const char *key);

dfl_status dfl_report_create(dfl_report *out, dfl_context *ctx, const char *title, int n, int m,
                             int columns)
{
    *out = (dfl_report){.ctx = ctx, .title = title, .n = n, .m = m};
    out->meta.ctx = out->scene.ctx = out->events.ctx = ctx;
    dfl_status status = dfl_thin_create(&out->rows, ctx, n + m, false, ROW_NUMBERS);
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
    dfl_text_clear(&report->meta);
    dfl_text_clear(&report->scene);
    dfl_text_clear(&report->events);
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

void dfl_report_text(dfl_report *report, const char *key, const char *string)
{
    begin_member(&report->meta, key);
    dfl_json_string(&report->meta, string);
}

void dfl_report_number(dfl_report *report, const char *key, double number)
{
    begin_member(&report->meta, key);
    dfl_json_number(&report->meta, number);
}

void dfl_report_open(dfl_report *report, const char *key, char bracket)
{
    begin_member(&report->meta, key);
    dfl_text_bytes(&report->meta, &bracket, 1);
}

void dfl_report_close(dfl_report *report, char bracket)
{
    dfl_text_bytes(&report->meta, &bracket, 1);
}

/* A comma unless it is the first one, and the key. */
static void begin_member(dfl_text *text, const char *key)
{
    if (text->length > 0 && !strchr("{[", text->data[text->length - 1]))
        dfl_text_bytes(text, ",", 1);
    if (!key)
        return;
    dfl_json_string(text, key);
    dfl_text_bytes(text, ":", 1);
}
