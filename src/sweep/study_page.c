/* study_page.c: a study as a page: what viewer/src/study.js draws. */
#include "sweep/sweep_internal.h"

#include "report/report.h"

#include <string.h>

/* Of a page; more would take long to draw, and to read. */
enum { MOST_ROWS = 4000, MOST_NUMBERS = 1000000, MOST_MESSAGES = 50 };

static void add_list(dfl_text *json, const char *key, const dfl_case_layout *layout,
                     dfl_case_list list);
static dfl_status add_rows(dfl_text *json, const dfl_case_file *file);
static void add_messages(dfl_text *json, const dfl_case_file *file, const char *key, long shown,
                         bool failed);
static dfl_status add_sensitivity(dfl_text *json, const dfl_case_file *file);

dfl_status dfl_sweep_page(dfl_context *ctx, const char *study, const char *path)
{
    dfl_case_file *file = NULL;
    dfl_text json = {.ctx = ctx}, page = {.ctx = ctx};
    dfl_status status = dfl_case_file_open(&file, ctx, study, false);
    if (status)
        return status;
    const dfl_case_layout *layout = dfl_case_file_layout(file);
    dfl_text_add(&json, "{\"command\": \"sweep\", \"model\": ");
    dfl_json_string(&json, layout->text[DFL_CASE_MODEL]);
    dfl_text_add(&json, ", \"version\": ");
    dfl_json_string(&json, layout->text[DFL_CASE_VERSION]);
    dfl_text_add(&json, ", \"result\": {\"path\": ");
    dfl_json_string(&json, layout->text[DFL_CASE_PATH]);
    add_list(&json, "parameters", layout, DFL_CASE_PARAMETERS);
    add_list(&json, "results", layout, DFL_CASE_RESULTS);
    add_list(&json, "set", layout, DFL_CASE_SETS);
    add_list(&json, "input", layout, DFL_CASE_INPUTS);
    add_list(&json, "settings", layout, DFL_CASE_SETTINGS);
    add_list(&json, "design", layout, DFL_CASE_DESIGN);
    status = add_rows(&json, file);
    if (!status)
        status = add_sensitivity(&json, file);
    dfl_text_add(&json, "}}");
    if (!status)
        status = json.status;
    if (!status)
        status = dfl_analysis_page(&page, layout->text[DFL_CASE_MODEL], dfl_text_string(&json));
    if (!status)
        status = dfl_write_file(ctx, path, dfl_text_string(&page), page.length);
    dfl_text_clear(&json);
    dfl_text_clear(&page);
    dfl_case_file_close(file);
    return status;
}

static void add_list(dfl_text *json, const char *key, const dfl_case_layout *layout,
                     dfl_case_list list)
{
    dfl_text_add(json, ", \"%s\": [", key);
    for (int i = 0; i < layout->list[list].count; i++) {
        dfl_text_add(json, i > 0 ? ", " : "");
        dfl_json_string(json, layout->list[list].text[i]);
    }
    dfl_text_add(json, "]");
}

/* "rows": [[number, state, parameters, results], ...], evenly chosen if there are many; "failures",
   "doubts": the first messages. */
static dfl_status add_rows(dfl_text *json, const dfl_case_file *file)
{
    const dfl_case_layout *layout = dfl_case_file_layout(file);
    const int parameters = layout->list[DFL_CASE_PARAMETERS].count;
    const int results = layout->list[DFL_CASE_RESULTS].count;
    const long room = MOST_NUMBERS / (2 + parameters + results) + 1;
    const long most = room < MOST_ROWS ? room : MOST_ROWS;
    const long shown = layout->cases < most ? layout->cases : most;
    double *values = dfl_alloc(json->ctx, (size_t)(parameters + results) + 1, sizeof *values);
    long counts[DFL_CASE_STATES] = {0};
    if (!values)
        return DFL_NO_MEMORY;
    for (long i = 0; i < layout->cases; i++)
        counts[dfl_case_file_get(file, i, NULL, NULL)]++;
    dfl_text_add(json, ", \"cases\": %ld, \"missing\": %ld, \"failed\": %ld, \"rows\": [",
                 layout->cases, counts[DFL_CASE_MISSING], counts[DFL_CASE_FAILED]);
    for (long i = 0; i < shown; i++) {
        const long number = (long)((double)i * (double)layout->cases / (double)shown);
        const dfl_case_state state = dfl_case_file_get(file, number, NULL, NULL);
        if (!dfl_case_file_parameters(values, file, number) ||
            !dfl_case_file_results(values + parameters, file, number))
            break;
        dfl_text_add(json, "%s[%ld, %d", i > 0 ? ", " : "", number, (int)state);
        for (int k = 0; k < parameters + results; k++) {
            dfl_text_add(json, ", ");
            if (state == DFL_CASE_MISSING && k >= parameters)
                dfl_text_add(json, "null");
            else
                dfl_json_number(json, values[k]);
        }
        dfl_text_add(json, "]");
    }
    dfl_text_add(json, "]");
    add_messages(json, file, "failures", counts[DFL_CASE_FAILED] > 0 ? layout->cases : 0, true);
    add_messages(json, file, "doubts", shown, false);
    dfl_free(json->ctx, values);
    return json->status;
}

/* "KEY": [[number, message], ...]: the first ones of `shown` evenly chosen cases, of those that
   have failed, or of others. */
static void add_messages(dfl_text *json, const dfl_case_file *file, const char *key, long shown,
                         bool failed)
{
    const double all = (double)dfl_case_file_layout(file)->cases;
    int listed = 0;
    dfl_text_add(json, ", \"%s\": [", key);
    for (long i = 0; listed < MOST_MESSAGES && i < shown; i++) {
        const long number = (long)((double)i * all / (double)shown);
        char message[DFL_CASE_MESSAGE] = "";
        const dfl_case_state state = dfl_case_file_get(file, number, NULL, message);
        if (!message[0] || (state == DFL_CASE_FAILED) != failed)
            continue;
        dfl_text_add(json, "%s[%ld, ", listed++ > 0 ? ", " : "", number);
        dfl_json_string(json, message);
        dfl_text_add(json, "]");
    }
    dfl_text_add(json, "]");
}

/* "sensitivity": [{"of": RESULT, "first": [...], "total": [...]}, ...]. */
static dfl_status add_sensitivity(dfl_text *json, const dfl_case_file *file)
{
    const dfl_case_layout *layout = dfl_case_file_layout(file);
    const int d = layout->list[DFL_CASE_PARAMETERS].count;
    double *first = dfl_alloc(json->ctx, 2 * (size_t)d, sizeof *first), *total = first + d;
    dfl_status status = first ? DFL_OK : DFL_NO_MEMORY;
    dfl_text_add(json, ", \"sensitivity\": [");
    const int count = dfl_sensitivity_known(file) ? layout->list[DFL_CASE_RESULTS].count : 0;
    for (int c = 1; !status && c < count; c++) {
        status = dfl_sensitivity(first, total, file, json->ctx, c);
        dfl_text_add(json, "%s{\"of\": ", c > 1 ? ", " : "");
        dfl_json_string(json, layout->list[DFL_CASE_RESULTS].text[c]);
        for (int k = 0; k < 2; k++) {
            dfl_text_add(json, ", \"%s\": [", k == 0 ? "first" : "total");
            for (int i = 0; i < d; i++) {
                dfl_text_add(json, i > 0 ? ", " : "");
                dfl_json_number(json, k == 0 ? first[i] : total[i]);
            }
            dfl_text_add(json, "]");
        }
        dfl_text_add(json, "}");
    }
    dfl_text_add(json, "]");
    dfl_free(json->ctx, first);
    return status;
}
