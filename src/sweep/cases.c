/* cases.c: what the cases of a study have in common. */
#include "sweep/sweep_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const stat_names[STATS] = {"final", "min", "max", "mean", "rms"};

static dfl_status look(dfl_cases *cases);
static dfl_status check_names(const dfl_cases *cases);
static void list_varied(char *text, size_t size, const dfl_model *model, unsigned kinds);
static bool is_varied(const dfl_model *model, const char *name);
static dfl_status list_columns(dfl_cases *cases, const dfl_equations *eq);
static dfl_status name_results(dfl_cases *cases);
static const char *own(dfl_cases *cases, const char *name, const char *what);
static dfl_status lay_out_series(dfl_cases *cases, const dfl_settings *settings);
static void lay_out(dfl_cases *cases);

dfl_status dfl_cases_create(dfl_cases **out, dfl_context *ctx, const dfl_model *model,
                            const dfl_design *design, const dfl_cases_options *options)
{
    *out = NULL;
    dfl_cases *cases = dfl_alloc(ctx, 1, sizeof *cases);
    if (!cases)
        return DFL_NO_MEMORY;
    *cases = (dfl_cases){.ctx = ctx, .design = design, .model = model, .options = *options};
    dfl_status status = check_names(cases);
    if (!status)
        status = look(cases);
    if (!status)
        lay_out(cases);
    if (status)
        dfl_cases_free(cases);
    else
        *out = cases;
    return status;
}

void dfl_cases_free(dfl_cases *cases)
{
    if (!cases)
        return;
    dfl_context *ctx = cases->ctx;
    for (int i = 0; i < cases->nowned; i++)
        dfl_free(ctx, cases->owned[i]);
    dfl_free(ctx, cases->owned);
    dfl_free(ctx, cases->columns);
    dfl_free(ctx, cases->outputs);
    dfl_free(ctx, cases->events);
    dfl_free(ctx, cases->results);
    dfl_free(ctx, cases->series);
    dfl_free(ctx, cases);
}

static dfl_status check_names(const dfl_cases *cases)
{
    const char *const *names = dfl_design_parameter_names(cases->design);
    const dfl_model *model = cases->model;
    for (int i = 0; i < dfl_design_parameters(cases->design); i++) {
        const unsigned kinds = 1U << DFL_A_PARAM | 1U << DFL_AN_INPUT | 1U << DFL_A_SETTING;
        const size_t length = strlen(names[i]);
        for (int k = 0; k < model->sets.count; k++)
            if (!strncmp(model->sets.item[k], names[i], length) &&
                model->sets.item[k][length] == '=')
                return dfl_fail(cases->ctx, DFL_INVALID,
                                "'%s' has one value by --set and is varied; leave one of them out",
                                names[i]);
        if (is_varied(cases->model, names[i]))
            continue;
        const char *near = dfl_model_nearest(cases->model, names[i], kinds);
        char all[300] = "";
        if (!near)
            list_varied(all, sizeof all, model, kinds);
        return dfl_fail(cases->ctx, DFL_INVALID,
                        "'%s' is not a parameter, input or setting of the model, nor "
                        "initial(VARIABLE)%s%s%s",
                        names[i], near ? "; did you mean " : "", near ? near : all,
                        near ? "?" : "");
    }
    return DFL_OK;
}

/* "; there are A, B", as far as there is room. */
static void list_varied(char *text, size_t size, const dfl_model *model, unsigned kinds)
{
    size_t used = 0;
    for (int i = 0; i < model->declarations.count; i++) {
        const dfl_declaration *decl = &model->declarations.item[i];
        if (!(kinds >> decl->kind & 1U) || used + strlen(decl->name) + 16 > size)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "; there are ",
                                 decl->name);
    }
}

/* Whether --set takes the name. */
static bool is_varied(const dfl_model *model, const char *name)
{
    char variable[120];
    const dfl_declaration *decl = dfl_model_find(model, name);
    if (decl)
        return decl->kind == DFL_A_PARAM || decl->kind == DFL_AN_INPUT ||
               decl->kind == DFL_A_SETTING;
    const size_t length = strlen(name);
    if (strncmp(name, "initial(", 8) != 0 || name[length - 1] != ')' ||
        length - 8 > sizeof variable)
        return false;
    snprintf(variable, sizeof variable, "%.*s", (int)(length - 9), name + 8);
    return dfl_model_variable_named(model, variable) != DFL_NO_EXPR;
}

/* Columns, events and series, from the model with its own values. */
static dfl_status look(dfl_cases *cases)
{
    dfl_derived derived = {0};
    dfl_settings settings;
    const dfl_derivation how = {.purpose = DFL_TO_RUN,
                                .nsettings = cases->options.nsettings,
                                .settings = cases->options.settings,
                                .prefix = "--"};
    dfl_status status = dfl_derived_create(&derived, cases->ctx, cases->model, &how);
    if (!status)
        status = dfl_settings_resolve(&settings, &derived.choices, derived.runnable);
    if (!status)
        status = dfl_settings_check_end(&settings, &derived.choices, derived.model);
    if (!status)
        status = list_columns(cases, derived.eq);
    if (!status)
        status = name_results(cases);
    bool series = false;
    for (int i = 0; i < cases->options.nsettings; i++)
        series = series || !strncmp(cases->options.settings[i], "every=", 6);
    if (!status && series)
        status = lay_out_series(cases, &settings);
    dfl_derived_clear(&derived);
    return status;
}

static dfl_status list_columns(dfl_cases *cases, const dfl_equations *eq)
{
    dfl_context *ctx = cases->ctx;
    const dfl_model *model = cases->model;
    dfl_trends trends;
    dfl_text names = {.ctx = ctx};
    dfl_status status = dfl_trends_create(&trends, eq, cases->options.columns);
    if (!status) {
        cases->owned = dfl_alloc(
            ctx, (size_t)(trends.count * (STATS + 1) + 2 * model->count[DFL_AN_EVENT]) + 1,
            sizeof *cases->owned);
        cases->outputs = dfl_alloc(ctx, (size_t)trends.count, sizeof *cases->outputs);
        cases->events = dfl_alloc(ctx, (size_t)model->count[DFL_AN_EVENT], sizeof *cases->events);
        status = cases->owned && cases->outputs && cases->events ? DFL_OK : DFL_NO_MEMORY;
    }
    for (int i = 0; !status && i < trends.count; i++) {
        const char *name = own(cases, trends.columns.names[trends.column[i]], NULL);
        dfl_text_add(&names, "%s%s", i > 0 ? "," : "", name ? name : "");
        cases->outputs[i] = name;
        status = name ? names.status : DFL_NO_MEMORY;
    }
    cases->layout.list[DFL_CASE_OUTPUTS].count = trends.count;
    cases->layout.list[DFL_CASE_EVENT_NAMES].count = model->count[DFL_AN_EVENT];
    for (int i = 0; !status && i < model->declarations.count; i++) {
        const dfl_declaration *event = &model->declarations.item[i];
        if (event->kind == DFL_AN_EVENT)
            cases->events[event->index] = event->name;
    }
    cases->columns = names.data;
    dfl_trends_clear(&trends);
    return status;
}

/* "t", "OUTPUT.final", ..., "EVENT.count", "EVENT.first". */
static dfl_status name_results(dfl_cases *cases)
{
    dfl_case_layout *layout = &cases->layout;
    const int outputs = layout->list[DFL_CASE_OUTPUTS].count;
    const int events = layout->list[DFL_CASE_EVENT_NAMES].count;
    int *count = &layout->list[DFL_CASE_RESULTS].count;
    cases->results =
        dfl_alloc(cases->ctx, (size_t)(1 + STATS * outputs + 2 * events), sizeof *cases->results);
    if (!cases->results)
        return DFL_NO_MEMORY;
    cases->results[(*count)++] = "t";
    for (int i = 0; i < outputs; i++)
        for (int k = 0; k < STATS; k++)
            cases->results[(*count)++] = own(cases, cases->outputs[i], stat_names[k]);
    for (int i = 0; i < events; i++) {
        cases->results[(*count)++] = own(cases, cases->events[i], "count");
        cases->results[(*count)++] = own(cases, cases->events[i], "first");
    }
    for (int i = 0; i < *count; i++)
        if (!cases->results[i])
            return DFL_NO_MEMORY;
    return DFL_OK;
}

/* A copy of "NAME" or "NAME.WHAT", or NULL without memory. */
static const char *own(dfl_cases *cases, const char *name, const char *what)
{
    dfl_text text = {.ctx = cases->ctx};
    dfl_text_add(&text, "%s%s%s", name, what ? "." : "", what ? what : "");
    if (text.data)
        cases->owned[cases->nowned++] = text.data;
    return text.status ? NULL : text.data;
}

static dfl_status lay_out_series(dfl_cases *cases, const dfl_settings *settings)
{
    static const double most = 1e8;
    dfl_case_layout *layout = &cases->layout;
    const int outputs = layout->list[DFL_CASE_OUTPUTS].count;
    const double length = settings->to - settings->from, every = settings->solver.output.every;
    cases->every = every;
    const double rows = ceil(fabs(length) / every * (1.0 - 1e-12)) + 1;
    if (!(rows <= most))
        return dfl_fail(cases->ctx, DFL_INVALID,
                        "series need a distance of rows: give --every, not below %.3g of the run",
                        1 / most);
    cases->series = dfl_alloc(cases->ctx, (size_t)outputs + 1, sizeof *cases->series);
    if (!cases->series)
        return DFL_NO_MEMORY;
    cases->series[0] = "time";
    for (int i = 0; i < outputs; i++)
        cases->series[i + 1] = cases->outputs[i];
    layout->rows = (long)rows;
    layout->list[DFL_CASE_SERIES].count = outputs + 1;
    return DFL_OK;
}

static void lay_out(dfl_cases *cases)
{
    dfl_case_layout *layout = &cases->layout;
    const dfl_cases_options *options = &cases->options;
    const dfl_model *model = cases->model;
    const char *const *lines;
    layout->cases = dfl_design_cases(cases->design);
    layout->seed = dfl_design_seed(cases->design);
    layout->list[DFL_CASE_PARAMETERS].count = dfl_design_parameters(cases->design);
    layout->list[DFL_CASE_PARAMETERS].text = dfl_design_parameter_names(cases->design);
    layout->list[DFL_CASE_DESIGN].count = dfl_design_lines(cases->design, &lines);
    layout->list[DFL_CASE_DESIGN].text = lines;
    layout->list[DFL_CASE_OUTPUTS].text = cases->outputs;
    layout->list[DFL_CASE_EVENT_NAMES].text = cases->events;
    layout->list[DFL_CASE_RESULTS].text = cases->results;
    layout->list[DFL_CASE_SERIES].text = cases->series;
    layout->list[DFL_CASE_SETS].count = model->sets.count;
    layout->list[DFL_CASE_SETS].text = (const char *const *)model->sets.item;
    layout->list[DFL_CASE_INPUTS].count = model->inputs.count;
    layout->list[DFL_CASE_INPUTS].text = (const char *const *)model->inputs.item;
    layout->list[DFL_CASE_SETTINGS].count = options->nsettings;
    layout->list[DFL_CASE_SETTINGS].text = options->settings;
    snprintf(cases->hash, sizeof cases->hash, "%016" PRIx64, dfl_model_hash(cases->model));
    layout->text[DFL_CASE_KIND] = "study";
    layout->text[DFL_CASE_MODEL] = cases->model->name;
    layout->text[DFL_CASE_PATH] = cases->model->path;
    layout->text[DFL_CASE_SCRIPT] = cases->model->text;
    layout->text[DFL_CASE_HASH] = cases->hash;
    layout->text[DFL_CASE_VERSION] = DFL_VERSION;
}
