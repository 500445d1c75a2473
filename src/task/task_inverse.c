/* task_inverse.c: as `driftless inverse MODEL`: the drives that make a model follow its motions. */
#include "task/task_internal.h"

#include <math.h>

static void write_table(dfl_text *text, const dfl_inverse_table *it);
static void write_json(dfl_text *json, const dfl_inverse_table *it, const dfl_derived *model);
static void add_row(dfl_text *json, const dfl_inverse_table *it, int row, int columns);

dfl_status dfl_task_inverse(dfl_task *it)
{
    dfl_inverse_table table = {0};
    dfl_status status =
        dfl_task_derive(&it->near, &it->options, ".json .csv",
                        &(dfl_derivation){.purpose = DFL_TO_LINEARIZE, .prescribe = true});
    if (!status)
        status = dfl_study_inverse_table(&table, it->near.model.runnable, &it->near.settings);
    if (!status) {
        write_table(&it->text, &table);
        write_json(&it->json, &table, &it->near.model);
        dfl_text_add(&it->note, "%s", table.inverse.notice);
    }
    dfl_inverse_table_clear(&table);
    return status;
}

static void write_table(dfl_text *text, const dfl_inverse_table *it)
{
    const double *value = it->values;
    dfl_text_add(text, "time");
    for (int i = 0; i < it->ncolumns; i++)
        dfl_text_add(text, ",%s", it->names[i]);
    dfl_text_add(text, "\n");
    for (int k = 0; k < it->rows; k++) {
        for (int i = 0; i <= it->ncolumns; i++)
            dfl_text_add(text, i > 0 ? ",%.17g" : "%.17g", *value++);
        dfl_text_add(text, "\n");
    }
}

static void add_member(dfl_text *json, bool first, const char *name, double value)
{
    dfl_text_add(json, first ? "" : ", ");
    dfl_json_string(json, name);
    dfl_text_add(json, ": ");
    dfl_json_number(json, value);
}

static void write_json(dfl_text *json, const dfl_inverse_table *it, const dfl_derived *model)
{
    const dfl_inverse *inverse = &it->inverse;
    dfl_text_add(json, "{\"model\": ");
    dfl_json_string(json, model->model->name);
    dfl_text_add(json, ", \"status\": \"completed\", \"message\": ");
    if (inverse->notice[0])
        dfl_json_string(json, inverse->notice);
    else
        dfl_text_add(json, "null");
    dfl_text_add(json, ", ");
    add_member(json, true, "t", inverse->t);
    dfl_text_add(json, ",\n \"drives\": {");
    for (int i = 0; i < inverse->nu; i++) {
        dfl_text_add(json, i > 0 ? ", " : "");
        dfl_json_string(json, inverse->names[i]);
        dfl_text_add(json, ": {");
        add_member(json, true, "peak", fabs(inverse->peak[i]));
        add_member(json, false, "rms", inverse->rms[i]);
        dfl_text_add(json, "}");
    }
    dfl_text_add(json, "},\n \"state\": {");
    add_row(json, it, 0, it->nvariables);
    dfl_text_add(json, "},\n \"final\": {");
    add_row(json, it, it->rows - 1, it->nvariables + inverse->nu);
    dfl_text_add(json, "}}\n");
}

/* The first columns of a row, by name. */
static void add_row(dfl_text *json, const dfl_inverse_table *it, int row, int columns)
{
    const double *value = it->values + (size_t)row * (1 + (size_t)it->ncolumns) + 1;
    for (int i = 0; i < columns; i++)
        add_member(json, i == 0, it->names[i], value[i]);
}
