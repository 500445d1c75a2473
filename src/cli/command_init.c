/* command_init.c: `driftless init MODEL`: consistent initial values, as a table, JSON, or Lua to
   paste. */
#include "cli/cli.h"

#include "result/result.h"

#include <ctype.h>
#include <string.h>

/* Initial values before and after, as in x. */
typedef struct values {
    dfl_columns columns;
    double *given, *completed;
    bool *held;
} values;

static dfl_status complete(values *out, const cli_model *model, const dfl_settings *settings);
static void clear(values *start, dfl_context *ctx);
static void write_table(dfl_text *text, const values *start);
static void write_json(dfl_text *text, const values *start, const cli_model *model, double t);
static void write_lua(dfl_text *text, const values *start, const dfl_equations *eq);
static void write_lua_entry(dfl_text *text, const char *name, double value, bool first);
static bool is_identifier(const char *name);

int cli_init(dfl_context *ctx, const cli_arguments *arguments)
{
    cli_model model = {0};
    dfl_settings settings;
    values start = {0};
    dfl_text text = {.ctx = ctx};
    dfl_status status = arguments->json && arguments->lua
                            ? dfl_fail(ctx, DFL_INVALID, "choose one of --json and --lua")
                            : cli_load(&model, ctx, arguments, CLI_FOR_SOLVER);
    if (!status)
        status = dfl_settings_resolve(&settings, &arguments->choices, model.run);
    if (!status) {
        status = complete(&start, &model, &settings);
        if (!status && arguments->json)
            write_json(&text, &start, &model, settings.from);
        else if (!status && arguments->lua)
            write_lua(&text, &start, model.eq);
        else if (!status)
            write_table(&text, &start);
        if (!status)
            status = cli_write(NULL, &text, &model);
    }
    const int exit_status = cli_finish(ctx, status);
    dfl_text_clear(&text);
    clear(&start, ctx);
    cli_unload(&model);
    return exit_status;
}

static dfl_status complete(values *out, const cli_model *model, const dfl_settings *settings)
{
    dfl_context *ctx = model->model->ctx;
    const size_t n = (size_t)model->eq->n;
    dfl_solver *solver = NULL;
    dfl_status status = dfl_columns_create(&out->columns, model->eq);
    out->given = dfl_alloc(ctx, n, sizeof *out->given);
    out->completed = dfl_alloc(ctx, n, sizeof *out->completed);
    out->held = dfl_alloc(ctx, n, sizeof *out->held);
    if (!status && (!out->given || !out->completed || !out->held))
        status = DFL_NO_MEMORY;
    if (!status)
        status = dfl_solver_create(&solver, ctx, dfl_runnable_eom(model->run), &settings->solver);
    if (!status) {
        dfl_study_given(out->given, out->held, model->run);
        status = dfl_study_start(out->completed, NULL, model->run, solver, &settings->solver,
                                 settings->from);
    }
    dfl_solver_free(solver);
    return status;
}

static void clear(values *start, dfl_context *ctx)
{
    dfl_columns_clear(&start->columns, ctx);
    dfl_free(ctx, start->given);
    dfl_free(ctx, start->completed);
    dfl_free(ctx, start->held);
}

static void write_table(dfl_text *text, const values *start)
{
    dfl_text_add(text, "%-24s %24s %24s\n", "name", "given", "completed");
    for (int i = 0; i < start->columns.n; i++) {
        const int k = start->columns.place[i];
        dfl_text_add(text, "%-24s %24.17g %24.17g%s\n", start->columns.names[i], start->given[k],
                     start->completed[k], start->held[k] ? "  held" : "");
    }
}

static void write_json(dfl_text *text, const values *start, const cli_model *model, double t)
{
    dfl_text_add(text, "{\"model\": ");
    dfl_json_string(text, model->model->name);
    dfl_text_add(text, ", \"t\": ");
    dfl_json_number(text, t);
    dfl_text_add(text, ", \"variables\": [");
    for (int i = 0; i < start->columns.n; i++) {
        const int k = start->columns.place[i];
        dfl_text_add(text, "%s\n  {\"name\": ", i > 0 ? "," : "");
        dfl_json_string(text, start->columns.names[i]);
        dfl_text_add(text, ", \"given\": ");
        dfl_json_number(text, start->given[k]);
        dfl_text_add(text, ", \"completed\": ");
        dfl_json_number(text, start->completed[k]);
        dfl_text_add(text, ", \"held\": %s}", start->held[k] ? "true" : "false");
    }
    dfl_text_add(text, "]}\n");
}

/* States are held; what they determine (w and multipliers, the last columns) is a guess. */
static void write_lua(dfl_text *text, const values *start, const dfl_equations *eq)
{
    const int held = eq->np + eq->nv + eq->nr + eq->ns;
    dfl_text_add(text, "initial{");
    for (int i = 0; i < start->columns.n; i++) {
        if (i == held)
            dfl_text_add(text, " }\nguess{");
        write_lua_entry(text, start->columns.names[i], start->completed[start->columns.place[i]],
                        i == 0 || i == held);
    }
    dfl_text_add(text, " }\n");
}

static void write_lua_entry(dfl_text *text, const char *name, double value, bool first)
{
    const bool plain = is_identifier(name);
    dfl_text_add(text, "%s %s%s%s = %.17g", first ? "" : ",", plain ? "" : "[\"", name,
                 plain ? "" : "\"]", value);
}

/* Keywords of Lua cannot be used as names; brackets and quotation marks always work. */
static bool is_identifier(const char *name)
{
    static const char *const words[] = {"and",   "break", "do",       "else", "elseif", "end",
                                        "false", "for",   "function", "goto", "if",     "in",
                                        "local", "nil",   "not",      "or",   "repeat", "return",
                                        "then",  "true",  "until",    "while"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(name, words[i]))
            return false;
    if (isdigit((unsigned char)name[0]))
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_')
            return false;
    return true;
}
