/* fmu_documentation.c: the page about an exported model. */
#include "export/fmu_internal.h"

static void add_names(dfl_text *text, const dfl_fmu_writer *w)
{
    const dfl_equations *eq = w->eq;
    dfl_text_add(text, "<table>\n<tr><th>in the FMU</th><th>in the script</th></tr>\n");
    for (int i = 0; i < eq->n; i++) {
        dfl_text name = {.ctx = text->ctx};
        dfl_fmu_name(&name, eq->x[i].name);
        dfl_text_add(text, "<tr><td>");
        dfl_xml_words(text, dfl_text_string(&name));
        dfl_text_add(text, "</td><td>");
        dfl_xml_words(text, eq->x[i].name);
        dfl_text_add(text, "</td></tr>\n");
        dfl_text_clear(&name);
    }
    dfl_text_add(text, "</table>\n");
}

void dfl_fmu_documentation(dfl_text *text, const dfl_fmu_writer *w)
{
    dfl_text_add(text,
                 "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>");
    dfl_xml_words(text, w->eq->model->name);
    dfl_text_add(text, "</title></head>\n<body>\n<h1>");
    dfl_xml_words(text, w->eq->model->name);
    dfl_text_add(
        text,
        "</h1>\n<p>Exported by Driftless " DFL_VERSION
        ". Co-simulation integrates the model with the solver of Driftless, which keeps all "
        "constraints; inputs are constant between communication points. Model exchange has "
        "positions, velocities and dynamic variables as states; they are moved back onto the "
        "constraints in event mode, which the model asks for after a step that has left them by "
        "more "
        "than %.3g of the largest position.</p>\n<p>Parts of names that are no identifiers are in "
        "single quotes. der(x) is the velocity of x and a state; der(x,2) is its derivative. "
        "Parameters may be changed at any time: the state follows by the least change. Values of "
        "states that are set before the start are kept, the others follow from the "
        "constraints.</p>\n",
        w->options->projection);
    add_names(text, w);
    dfl_text_add(text, "</body>\n</html>\n");
}
