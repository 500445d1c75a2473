/* page.c: a report as one HTML page that needs nothing else.

   The page is a frame, a style sheet, the data as JSON, and the program that shows them (viewer/).
   In the JSON a column is one number if it never changes, else base64 of its numbers. Inside a
   script element only "<" could end the data early: it is written as an escape, so that names,
   comments and texts of a model stay texts. A policy in the page forbids every request. */
#include "report/report_internal.h"

#include <math.h>
#include <string.h>

static void write_tables(FILE *file, const dfl_report *report);
static void describe(dfl_text *text, const dfl_description *about);
static void add_texts(dfl_text *text, const char *name, const char *const *texts, int count);
static void describe_parameters(dfl_text *text, const dfl_description *about);
static void describe_start(dfl_text *text, const dfl_description *about);
static void describe_statistics(dfl_text *text, const dfl_description *about);
static void add_facts(dfl_text *text, const dfl_fact *facts, int count);
static void add_text(dfl_text *text, const char *key, const char *string);
static void add_number(dfl_text *text, const char *key, double number);
static void open_list(dfl_text *text, const char *key, char bracket);
static void begin_member(dfl_text *text, const char *key);
static void write_json(FILE *file, const char *json);
static void write_names(FILE *file, dfl_context *ctx, const char *key, const char *const *names,
                        int count);
static void write_table(FILE *file, const dfl_thin *table, bool single);
static void write_column(FILE *file, const dfl_thin *table, int column, bool single);

dfl_status dfl_page_write(FILE *file, const dfl_report *report)
{
    const dfl_description *about = report->about;
    const int all = about->n + about->m;
    dfl_text meta = {.ctx = report->ctx};
    if (dfl_viewer_js_length == 0)
        return dfl_fail(report->ctx, DFL_INVALID,
                        "this driftless was built without Node.js and cannot make pages; install "
                        "nodejs and npm and build it again, or use --plot FILE.svg");
    dfl_text head = {.ctx = report->ctx};
    describe(&meta, about);
    dfl_page_head(&head, about->model, "run");
    const dfl_status status = meta.status             ? meta.status
                              : head.status           ? head.status
                              : report->events.status ? report->events.status
                                                      : report->switches.status;
    if (!status) {
        fputs(dfl_text_string(&head), file);
        fputs("{\"meta\":", file);
        write_json(file, dfl_text_string(&meta));
        fputs(",\n\"scene\":", file);
        write_json(file, about->scene ? about->scene : "null");
        fprintf(file, ",\n\"events\":[%s],\"event_count\":%ld", dfl_text_string(&report->events),
                report->nevents);
        fprintf(file, ",\n\"switches\":[%s],\"switch_count\":%ld",
                dfl_text_string(&report->switches), report->nswitches);
        write_names(file, report->ctx, "names", about->names, all);
        write_names(file, report->ctx, "kinds", about->kinds, about->n);
        if (about->units)
            write_names(file, report->ctx, "units", about->units, all);
        write_names(file, report->ctx, "levels", dfl_level_names, DFL_LEVELS);
        write_tables(file, report);
        fputs("}</script>\n<script>", file);
        fwrite(dfl_viewer_js, 1, dfl_viewer_js_length, file);
        fputs("</script>\n</body>\n</html>\n", file);
    }
    dfl_text_clear(&head);
    dfl_text_clear(&meta);
    return status;
}

static void write_tables(FILE *file, const dfl_report *report)
{
    fputs(",\n\"rows\":", file);
    write_table(file, &report->rows, false);
    fputs(",\n\"steps\":", file);
    write_table(file, &report->steps, false);
    fputs(",\n\"frames\":", file);
    write_table(file, &report->frames, true);
}

/* ------------------------------------------------------------------------------- description */

/* What is known about the run, as a JSON object. */
static void describe(dfl_text *text, const dfl_description *about)
{
    dfl_text_add(text, "{");
    add_text(text, "model", about->model);
    add_text(text, "version", about->version);
    add_text(text, "text", about->text);
    add_text(text, "energy", about->energy);
    open_list(text, "options", '{');
    add_facts(text, about->options, about->noptions);
    dfl_text_add(text, "}");
    describe_parameters(text, about);
    add_texts(text, "event_names", about->events, about->nevents);
    add_texts(text, "switch_names", about->switches, about->nswitches);
    add_texts(text, "impulse_names", about->impulses, about->nimpulses);
    add_texts(text, "switch_kinds", dfl_switched_names, DFL_SWITCHED_KINDS);
    add_texts(text, "modes", dfl_touching_names, DFL_TOUCHING_MODES);
    describe_start(text, about);
    add_text(text, "status", about->status);
    add_text(text, "message", about->message);
    add_text(text, "warnings", about->warnings);
    describe_statistics(text, about);
    dfl_text_add(text, "}");
}

static void add_texts(dfl_text *text, const char *name, const char *const *texts, int count)
{
    open_list(text, name, '[');
    for (int i = 0; i < count; i++)
        add_text(text, NULL, texts[i]);
    dfl_text_add(text, "]");
}

static void describe_parameters(dfl_text *text, const dfl_description *about)
{
    open_list(text, "parameters", '[');
    for (int i = 0; i < about->nparameters; i++) {
        open_list(text, NULL, '[');
        add_text(text, NULL, about->parameters[i]);
        add_number(text, NULL, about->values[i]);
        add_text(text, NULL, about->parameter_units[i]);
        dfl_text_add(text, "]");
    }
    dfl_text_add(text, "]");
}

static void describe_start(dfl_text *text, const dfl_description *about)
{
    if (!about->given)
        return;
    open_list(text, "initial", '[');
    for (int i = 0; i < about->n; i++) {
        open_list(text, NULL, '[');
        add_number(text, NULL, about->given[i]);
        add_number(text, NULL, about->corrected[i]);
        add_number(text, NULL, about->held[i]);
        dfl_text_add(text, "]");
    }
    dfl_text_add(text, "]");
}

static void describe_statistics(dfl_text *text, const dfl_description *about)
{
    open_list(text, "statistics", '{');
    add_facts(text, about->statistics, about->nstatistics);
    add_facts(text, about->counters, about->ncounters);
    open_list(text, "max_residual", '[');
    for (int i = 0; i < about->nlevels; i++)
        add_number(text, NULL, about->levels[i]);
    dfl_text_add(text, "]}");
}

static void add_facts(dfl_text *text, const dfl_fact *facts, int count)
{
    for (int i = 0; i < count; i++)
        if (facts[i].text)
            add_text(text, facts[i].name, facts[i].text);
        else
            add_number(text, facts[i].name, facts[i].number);
}

static void add_text(dfl_text *text, const char *key, const char *string)
{
    begin_member(text, key);
    dfl_json_string(text, string ? string : "");
}

static void add_number(dfl_text *text, const char *key, double number)
{
    begin_member(text, key);
    dfl_json_number(text, number);
}

static void open_list(dfl_text *text, const char *key, char bracket)
{
    begin_member(text, key);
    dfl_text_bytes(text, &bracket, 1);
}

/* A comma unless it is the first member, and the key; inside an array `key` is NULL. */
static void begin_member(dfl_text *text, const char *key)
{
    if (text->length > 0 && !strchr("{[", text->data[text->length - 1]))
        dfl_text_bytes(text, ",", 1);
    if (!key)
        return;
    dfl_json_string(text, key);
    dfl_text_bytes(text, ":", 1);
}

/* ------------------------------------------------------------------------------- the file */

/* JSON has "<" only inside strings. */
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
