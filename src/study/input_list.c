/* input_list.c: the inputs of a model: numbers, expressions of time, tables and columns of files.
 */
#include "study/study_internal.h"

#include "declare/declare.h"
#include "result/result.h"
#include "symbolic/symbolic.h"

/* What an input is: its number and the function that is added to it, if any. */
static void write_value(dfl_text *text, const dfl_graph *graph, const dfl_declaration *input)
{
    const bool function = input->expr != DFL_NO_EXPR;
    if (!function || input->value != 0)
        dfl_text_add(text, "%.15g", input->value);
    if (function && input->value != 0)
        dfl_text_add(text, " + ");
    if (function)
        dfl_print_expr(text, graph, input->expr, NULL, DFL_TEXT);
}

void dfl_study_list_inputs(dfl_text *text, const dfl_equations *eq, bool json)
{
    const dfl_model *model = eq->model;
    bool first = true;
    for (int i = 0; i < model->declarations.count; i++) {
        const dfl_declaration *input = &model->declarations.item[i];
        if (input->kind != DFL_AN_INPUT)
            continue;
        dfl_text value = {.ctx = text->ctx};
        write_value(&value, eq->graph, input);
        if (json) {
            dfl_text_add(text, first ? "{\"name\": " : ", {\"name\": ");
            dfl_json_string(text, input->name);
            dfl_text_add(text, ", \"value\": ");
            dfl_json_string(text, dfl_text_string(&value));
            dfl_text_add(text, ", \"line\": %d}", input->line);
        } else
            dfl_text_add(text, "  %-19s %s = %s\n", first ? "inputs" : "", input->name,
                         dfl_text_string(&value));
        if (value.status)
            text->status = value.status;
        dfl_text_clear(&value);
        first = false;
    }
}
