/* case_table.c: the cases of a study as comma-separated values. */
#include "sweep/sweep_internal.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 1 << 16 };

static void write_head(dfl_text *text, const dfl_case_layout *layout);
static dfl_status write_case(dfl_text *text, const dfl_case_file *file, double *values,
                             long number);
static void add_text(dfl_text *text, const char *string);
static void add_number(dfl_text *text, double number);

/* Columns of `results` that belong to outputs: from 1 to this one. */
static int last_of_outputs(const dfl_case_layout *layout)
{
    return layout->list[DFL_CASE_RESULTS].count - 2 * layout->list[DFL_CASE_EVENT_NAMES].count;
}

dfl_status dfl_cases_write_csv(const dfl_case_file *file, dfl_context *ctx, const char *path)
{
    const dfl_case_layout *layout = dfl_case_file_layout(file);
    dfl_text text = {.ctx = ctx};
    dfl_new_file out;
    const size_t most =
        (size_t)(layout->list[DFL_CASE_PARAMETERS].count + layout->list[DFL_CASE_RESULTS].count);
    double *values = dfl_alloc(ctx, most, sizeof *values);
    dfl_status status = values ? dfl_new_file_open(&out, ctx, path, true) : DFL_NO_MEMORY;
    if (!values)
        return status;
    if (!status)
        write_head(&text, layout);
    for (long i = 0; !status && i < layout->cases; i++) {
        status = write_case(&text, file, values, i);
        if (!status && (text.length > BLOCK || i + 1 == layout->cases)) {
            status = dfl_new_file_write(&out, dfl_text_string(&text), text.length);
            text.length = 0;
        }
    }
    if (!status)
        status = dfl_new_file_keep(&out, out.path);
    else
        dfl_new_file_discard(&out);
    dfl_text_clear(&text);
    dfl_free(ctx, values);
    return status;
}

static void write_head(dfl_text *text, const dfl_case_layout *layout)
{
    const int outputs = last_of_outputs(layout), results = layout->list[DFL_CASE_RESULTS].count;
    for (int i = 0; i < layout->list[DFL_CASE_PARAMETERS].count; i++) {
        add_text(text, layout->list[DFL_CASE_PARAMETERS].text[i]);
        dfl_text_add(text, ",");
    }
    for (int i = 1; i < outputs; i++) {
        add_text(text, layout->list[DFL_CASE_RESULTS].text[i]);
        dfl_text_add(text, ",");
    }
    dfl_text_add(text, "status,message,t");
    for (int i = outputs; i < results; i++) {
        dfl_text_add(text, ",");
        add_text(text, layout->list[DFL_CASE_RESULTS].text[i]);
    }
    dfl_text_add(text, "\n");
}

static dfl_status write_case(dfl_text *text, const dfl_case_file *file, double *values, long number)
{
    const dfl_case_layout *layout = dfl_case_file_layout(file);
    const int parameters = layout->list[DFL_CASE_PARAMETERS].count;
    const int outputs = last_of_outputs(layout), results = layout->list[DFL_CASE_RESULTS].count;
    char message[DFL_CASE_MESSAGE] = "";
    double *numbers = values + parameters;
    const dfl_case_state state = dfl_case_file_get(file, number, NULL, message);
    if (!dfl_case_file_parameters(values, file, number) ||
        !dfl_case_file_results(numbers, file, number))
        return dfl_fail(text->ctx, DFL_IO, "case %ld of the study cannot be read", number);
    for (int i = 0; state == DFL_CASE_MISSING && i < results; i++)
        numbers[i] = NAN;
    for (int i = 0; i < parameters; i++) {
        add_number(text, values[i]);
        dfl_text_add(text, ",");
    }
    for (int i = 1; i < outputs; i++) {
        add_number(text, numbers[i]);
        dfl_text_add(text, ",");
    }
    dfl_text_add(text, "%s,", dfl_case_state_names[state]);
    add_text(text, message);
    dfl_text_add(text, ",");
    add_number(text, numbers[0]);
    for (int i = outputs; i < results; i++) {
        dfl_text_add(text, ",");
        add_number(text, numbers[i]);
    }
    dfl_text_add(text, "\n");
    return text->status;
}

/* In quotes where RFC 4180 wants them; in one line. */
static void add_text(dfl_text *text, const char *string)
{
    if (!strpbrk(string, "\",\r\n")) {
        dfl_text_add(text, "%s", string);
        return;
    }
    dfl_text_add(text, "\"");
    for (const char *c = string; *c; c++)
        dfl_text_add(text, *c == '"' ? "\"\"" : "%c", *c == '\n' || *c == '\r' ? ' ' : *c);
    dfl_text_add(text, "\"");
}

static void add_number(dfl_text *text, double number)
{
    if (isnan(number))
        dfl_text_add(text, "nan");
    else
        dfl_text_add(text, "%.17g", number);
}
