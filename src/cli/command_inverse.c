/* command_inverse.c: `driftless inverse MODEL`: the drives that make a model follow its motions. */
#include "cli/cli.h"

#include "result/result.h"

#include <math.h>

/* The table, and what its rows need. */
typedef struct table {
    dfl_text *text;
    const dfl_equations *eq;
    const dfl_inverse *inverse;
    dfl_columns columns;
    dfl_text start; /* the first state, as members of an object */
} table;

static bool is_shown(const table *it, int column);
static void write_header(table *it);
static dfl_status add_row(const dfl_inverse_row *row, void *user);
static void write_json(dfl_text *json, const table *it, const cli_model *model);
static void add_state(dfl_text *json, const table *it, const dfl_inverse_row *row);

int cli_inverse(dfl_context *ctx, const cli_arguments *given)
{
    cli_arguments arguments = *given;
    cli_near near = {0};
    dfl_inverse inverse = {0};
    dfl_text text = {.ctx = ctx}, json = {.ctx = ctx};
    table it = {.text = &text, .inverse = &inverse, .start = {.ctx = ctx}};
    arguments.prescribe = true;
    dfl_status status = cli_near_load(&near, ctx, &arguments, ".json .csv");
    it.eq = near.model.eq;
    if (!status)
        status = dfl_columns_create(&it.columns, it.eq);
    if (!status)
        status = dfl_study_inverse(&inverse, near.model.run, &near.settings, add_row, &it);
    if (!status)
        write_json(&json, &it, &near.model);
    const int exit_status = cli_conclude(ctx, &arguments, &near.model, &text, &json, status);
    dfl_text_clear(&it.start);
    dfl_columns_clear(&it.columns, ctx);
    dfl_inverse_clear(&inverse, ctx);
    dfl_text_clear(&text);
    dfl_text_clear(&json);
    cli_near_clear(&near);
    return exit_status;
}

/* Multipliers of motions are not: the drives take their place. */
static bool is_shown(const table *it, int column)
{
    const int row = column < it->columns.n ? it->columns.place[column] - it->eq->nw : -1;
    return row < 0 || row >= it->eq->nl || !dfl_is_motion(it->eq, row);
}

static const char *input_name(const table *it, int i)
{
    return it->inverse->names[i];
}

static void write_header(table *it)
{
    dfl_text_add(it->text, "time");
    for (int i = 0; i < it->columns.n + it->columns.m; i++)
        if (is_shown(it, i))
            dfl_text_add(it->text, ",%s", it->columns.names[i]);
    for (int i = 0; i < it->inverse->nu; i++)
        dfl_text_add(it->text, ",%s", input_name(it, i));
    for (int i = 0; i < it->inverse->nu; i++)
        dfl_text_add(it->text, ",power(%s)", input_name(it, i));
    dfl_text_add(it->text, "\n");
}

static dfl_status add_row(const dfl_inverse_row *row, void *user)
{
    table *it = user;
    const int n = it->columns.n;
    if (it->text->length == 0) {
        write_header(it);
        add_state(&it->start, it, row);
    }
    dfl_text_add(it->text, "%.17g", row->t);
    for (int i = 0; i < n + it->columns.m; i++)
        if (is_shown(it, i))
            dfl_text_add(it->text, ",%.17g",
                         i < n ? row->x[it->columns.place[i]] : row->outputs[i - n]);
    for (int i = 0; i < it->inverse->nu; i++)
        dfl_text_add(it->text, ",%.17g", row->tau[i]);
    for (int i = 0; i < it->inverse->nu; i++)
        dfl_text_add(it->text, ",%.17g", row->power[i]);
    dfl_text_add(it->text, "\n");
    return it->text->status ? it->text->status : it->start.status;
}

static void add_member(dfl_text *json, bool first, const char *name, double value)
{
    dfl_text_add(json, first ? "" : ", ");
    dfl_json_string(json, name);
    dfl_text_add(json, ": ");
    dfl_json_number(json, value);
}

static void write_json(dfl_text *json, const table *it, const cli_model *model)
{
    dfl_text_add(json, "{\"model\": ");
    dfl_json_string(json, model->model->name);
    dfl_text_add(json, ", \"status\": \"completed\", \"message\": null, ");
    add_member(json, true, "t", it->inverse->t);
    dfl_text_add(json, ",\n \"drives\": {");
    for (int i = 0; i < it->inverse->nu; i++) {
        dfl_text_add(json, i > 0 ? ", " : "");
        dfl_json_string(json, input_name(it, i));
        dfl_text_add(json, ": {");
        add_member(json, true, "peak", fabs(it->inverse->peak[i]));
        add_member(json, false, "rms", it->inverse->rms[i]);
        dfl_text_add(json, "}");
    }
    const dfl_inverse_row last = {.x = it->inverse->x, .outputs = it->inverse->outputs};
    dfl_text_add(json, "},\n \"state\": {%s},\n \"final\": {", dfl_text_string(&it->start));
    add_state(json, it, &last);
    for (int i = 0; i < it->inverse->nu; i++)
        add_member(json, false, input_name(it, i), it->inverse->tau[i]);
    dfl_text_add(json, "}}\n");
}

/* Variables and outputs by name. */
static void add_state(dfl_text *json, const table *it, const dfl_inverse_row *row)
{
    const int n = it->columns.n;
    bool first = true;
    for (int i = 0; i < n + it->columns.m; i++)
        if (is_shown(it, i)) {
            add_member(json, first, it->columns.names[i],
                       i < n ? row->x[it->columns.place[i]] : row->outputs[i - n]);
            first = false;
        }
}
