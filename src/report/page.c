/* page.c: a report as one HTML page that needs nothing else.

   The page is a frame, a style sheet, the data as JSON, and the program that shows them (viewer/). In the
   JSON a column is a number where it never changes, else base64 of its numbers. Inside a script element
   only "<" could end the data early: it is written as an escape, so that names, comments and texts of
   a model stay texts. A policy in the page forbids every request. */
#include "report/report.h"
#include "report/viewer.h"

#include <math.h>
#include <string.h>

static void write_head(FILE *file, const char *title);
static void write_json(FILE *file, const char *json);
static void write_names(FILE *file, dfl_context *ctx, const char *key, const char *const *names,
                        int count);
static void write_table(FILE *file, const dfl_thin *table, bool single);
static void write_column(FILE *file, const dfl_thin *table, int column, bool single);

dfl_status dfl_page_write(FILE *file, const dfl_report *report)
{
    const dfl_text *const texts[] = {&report->meta, &report->scene, &report->events};
    for (int i = 0; i < 3; i++)
        if (texts[i]->status)
            return texts[i]->status;
    if (dfl_viewer_js_length == 0)
        return dfl_fail(report->ctx, DFL_INVALID,
                        "this driftless was built without Node.js and cannot make pages; install "
                        "nodejs and npm and build it again, or use --plot FILE.svg");
    write_head(file, report->title);
    fputs("{\"meta\":{", file);
    write_json(file, dfl_text_string(&report->meta));
    fputs("},\n\"scene\":", file);
    write_json(file, report->scene.length > 0 ? dfl_text_string(&report->scene) : "null");
    fprintf(file, ",\n\"events\":[%s],\"event_count\":%ld", dfl_text_string(&report->events),
            report->nevents);
    write_names(file, report->ctx, "names", report->names, report->n + report->m);
    write_names(file, report->ctx, "kinds", report->kinds, report->n);
    if (report->units)
        write_names(file, report->ctx, "units", report->units, report->n + report->m);
    write_names(file, report->ctx, "levels", dfl_level_names, DFL_LEVELS);
    fputs(",\n\"rows\":", file);
    write_table(file, &report->rows, false);
    fputs(",\n\"steps\":", file);
    write_table(file, &report->steps, false);
    fputs(",\n\"frames\":", file);
    write_table(file, &report->frames, true);
    fputs("}</script>\n<script>", file);
    fwrite(dfl_viewer_js, 1, dfl_viewer_js_length, file);
    fputs("</script>\n</body>\n</html>\n", file);
    return DFL_OK;
}

static void write_head(FILE *file, const char *title)
{
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\">\n"
          "<meta name=\"generator\" content=\"driftless " DFL_VERSION "\">\n<title>",
          file);
    dfl_markup_write(file, title);
    fputs(" - Driftless</title>\n<style>", file);
    fwrite(dfl_viewer_css, 1, dfl_viewer_css_length, file);
    fputs("</style>\n</head>\n<body>\n"
          "<noscript>This report draws its plots and its animation with JavaScript, which is "
          "switched off here. Nothing is loaded from elsewhere.</noscript>\n"
          "<div id=\"report\"></div>\n"
          "<script type=\"application/json\" id=\"data\">",
          file);
}

void dfl_markup_write(FILE *file, const char *text)
{
    for (; *text; text++)
        if (*text == '<')
            fputs("&lt;", file);
        else if (*text == '&')
            fputs("&amp;", file);
        else
            putc(*text, file);
}

/* JSON has "<" only inside of strings. */
static void write_json(FILE *file, const char *json)
{
    while (*json) {
        const size_t plain = strcspn(json, "<");
        fwrite(json, 1, plain, file);
        json += plain;
        if (*json) {
            fputs("\\u003c", file);
            json++;
        }
    }
}

static void write_names(FILE *file, dfl_context *ctx, const char *key, const char *const *names,
                        int count)
{
    fprintf(file, ",\n\"%s\":[", key);
    for (int i = 0; i < count; i++) {
        dfl_text text = {.ctx = ctx};
        dfl_json_string(&text, names[i]);
        fputs(i > 0 ? "," : "", file);
        write_json(file, dfl_text_string(&text));
        dfl_text_clear(&text);
    }
    fputs("]", file);
}

static void write_table(FILE *file, const dfl_thin *table, bool single)
{
    fprintf(file, "{\"seen\":%ld,\"shown\":%d,\"per\":%ld,\"time\":", table->rows,
            dfl_thin_rows(table), table->per);
    write_column(file, table, -1, false);
    fputs(",\"columns\":[", file);
    for (int i = 0; i < table->columns; i++) {
        fputs(i > 0 ? "," : "", file);
        write_column(file, table, i, single);
    }
    fputs("]}", file);
}

/* A number if the column is constant (null: no numbers), else base64. Times are never a number. */
static void write_column(FILE *file, const dfl_thin *table, int column, bool single)
{
    const int rows = dfl_thin_rows(table);
    bool same = column >= 0;
    const double first = rows > 0 ? dfl_thin_value(table, 0, column) : NAN;
    for (int i = 1; same && i < rows; i++) {
        const double value = dfl_thin_value(table, i, column);
        same = value == first || (isnan(value) && isnan(first));
    }
    if (same && isfinite(first)) {
        fprintf(file, "%.17g", first);
        return;
    }
    if (same) {
        fputs("null", file);
        return;
    }
    putc('"', file);
    for (int i = 0; i < rows; i += 3) {
        double three[3];
        char characters[32];
        int count = 0;
        for (; count < 3 && i + count < rows; count++)
            three[count] = dfl_thin_value(table, i + count, column);
        fwrite(characters, 1, dfl_base64(characters, three, count, single), file);
    }
    putc('"', file);
}
