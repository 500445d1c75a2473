/* fmu_resources.c: resources/model.json of an FMU: the names of the model as the script has them.
   Nothing reads it at run time. */
#include "export/fmu_internal.h"

static void add_variable(dfl_text *text, const char *name, const char *unit, bool first)
{
    dfl_text_add(text, first ? "\n    {\"name\": " : ",\n    {\"name\": ");
    dfl_json_string(text, name);
    dfl_text_add(text, ", \"unit\": ");
    if (unit && *unit)
        dfl_json_string(text, unit);
    else
        dfl_text_add(text, "null");
    dfl_text_add(text, "}");
}

static void add_declared(dfl_text *text, const dfl_model *model, const char *title,
                         dfl_declared kind)
{
    bool first = true;
    dfl_text_add(text, ",\n  \"%s\": [", title);
    for (int i = 0; i < model->declarations.count; i++) {
        const dfl_declaration *decl = &model->declarations.item[i];
        if (decl->kind != kind)
            continue;
        add_variable(text, decl->name, decl->unit, first);
        first = false;
    }
    dfl_text_add(text, "]");
}

void dfl_fmu_resources(dfl_text *text, const dfl_fmu_writer *w)
{
    const dfl_equations *eq = w->eq;
    dfl_text_add(text, "{\"model\": ");
    dfl_json_string(text, eq->model->name ? eq->model->name : "");
    dfl_text_add(text, ",\n  \"hash\": \"%s\",\n  \"driftless\": \"" DFL_VERSION "\"", w->hash);
    add_declared(text, eq->model, "parameters", DFL_A_PARAM);
    add_declared(text, eq->model, "inputs", DFL_AN_INPUT);
    add_declared(text, eq->model, "outputs", DFL_AN_OUTPUT);
    add_declared(text, eq->model, "events", DFL_AN_EVENT);
    dfl_text_add(text, ",\n  \"unknowns\": [");
    for (int i = 0; i < eq->n; i++) {
        char unit[64];
        dfl_fmu_unit(unit, sizeof unit, eq, i, false);
        add_variable(text, eq->x[i].name, unit, i == 0);
    }
    dfl_text_add(text, "]}\n");
}
