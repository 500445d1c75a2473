/* fmu_description.c: modelDescription.xml of FMI 2.0 and 3.0.

   Both list the same variables; 2.0 refers to them by their place in the list, 3.0 by value
   reference. */
#include "export/fmu_internal.h"

#include <stdio.h>
#include <string.h>

/* One variable. */
typedef struct variable {
    dfl_text name;
    unsigned reference;
    const char *causality, *variability, *initial; /* initial: or NULL */
    const double *start;                           /* or NULL */
    char unit[64];
    int derivative; /* number of the variable whose derivative it is + 1; 0: of none */
    bool output, rate;
    const char *description;
} variable;

typedef struct list {
    const dfl_fmu_writer *w;
    variable *item;
    int count;
    int *number; /* n: the variable of each unknown */
} list;

static dfl_status collect(list *l);
static void clear(list *l);
static void write_kinds(dfl_text *text, const dfl_fmu_writer *w);
static void write_units(dfl_text *text, const list *l);
static void write_variable(dfl_text *text, const list *l, int i);
static void write_structure(dfl_text *text, const list *l);

void dfl_fmu_description(dfl_text *text, const dfl_fmu_writer *w)
{
    const bool three = w->options->version == 3;
    list l = {.w = w};
    if (collect(&l)) {
        clear(&l);
        text->status = DFL_NO_MEMORY;
        return;
    }
    dfl_text_add(
        text,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"%s\" "
        "modelName=\"",
        three ? "3.0" : "2.0");
    dfl_xml_words(text, w->eq->model->name);
    dfl_text_add(text,
                 "\" %s=\"%s\" generationTool=\"Driftless " DFL_VERSION
                 "\" variableNamingConvention=\"structured\"",
                 three ? "instantiationToken" : "guid", w->hash);
    if (!three)
        dfl_text_add(
            text, " numberOfEventIndicators=\"%d\"",
            w->exchange ? dfl_runnable_functions(w->run) + w->eq->model->count[DFL_AN_EVENT] : 0);
    dfl_text_add(text, ">\n");
    write_kinds(text, w);
    write_units(text, &l);
    dfl_text_add(text, "  <LogCategories>\n    <Category name=\"logStatusError\" "
                       "description=\"why something failed\"/>\n  </LogCategories>\n");
    dfl_text_add(text, "  <DefaultExperiment startTime=\"%.17g\"", w->options->from);
    if (w->options->to > w->options->from)
        dfl_text_add(text, " stopTime=\"%.17g\"", w->options->to);
    dfl_text_add(text, " tolerance=\"%.17g\"/>\n  <ModelVariables>\n", w->options->solver->rtol);
    for (int i = 0; i < l.count; i++)
        write_variable(text, &l, i);
    dfl_text_add(text, "  </ModelVariables>\n");
    write_structure(text, &l);
    dfl_text_add(text, "</fmiModelDescription>\n");
    clear(&l);
}

/* ------------------------------------------------------------------------------- the list */

static variable *add(list *l, dfl_reference_kind kind, int index, const char *name)
{
    variable *v = &l->item[l->count++];
    v->name.ctx = l->w->eq->model->ctx;
    v->reference = dfl_value_reference(&l->w->counts, kind, index);
    if (name)
        dfl_fmu_name(&v->name, name);
    return v;
}

static void add_declared(list *l, dfl_declared declared, dfl_reference_kind kind)
{
    const dfl_model *model = l->w->eq->model;
    for (int i = 0; i < model->declarations.count; i++) {
        const dfl_declaration *decl = &model->declarations.item[i];
        if (decl->kind != declared)
            continue;
        variable *v = add(l, kind, decl->index, decl->name);
        snprintf(v->unit, sizeof v->unit, "%s", decl->unit ? decl->unit : "");
        if (kind == DFL_REF_OUTPUT) {
            v->causality = "output";
            v->variability = "continuous";
            v->initial = "calculated";
            v->output = true;
            continue;
        }
        v->causality = kind == DFL_REF_PARAM ? "parameter" : "input";
        v->variability = kind == DFL_REF_PARAM ? "tunable" : "continuous";
        v->initial = kind == DFL_REF_PARAM ? "exact" : NULL;
        v->start = &decl->value;
    }
}

static void add_unknowns(list *l)
{
    const dfl_equations *eq = l->w->eq;
    const int r = eq->nw + eq->nl + eq->nm, s = r + eq->nr + eq->nv, p = s + eq->ns;
    for (int i = 0; i < eq->n; i++) {
        const bool state = i >= r && (i < s || i >= p);
        l->number[i] = l->count;
        variable *v = add(l, DFL_REF_UNKNOWN, i, eq->x[i].name);
        v->causality = "local";
        v->variability = "continuous";
        v->initial = state ? "exact" : "calculated";
        v->start = state ? &l->w->options->x[i] : NULL;
        dfl_fmu_unit(v->unit, sizeof v->unit, eq, i, false);
    }
}

/* A velocity der(x) is the derivative of x; others have variables of their own. */
static void add_rates(list *l)
{
    const dfl_equations *eq = l->w->eq;
    const int r = eq->nw + eq->nl + eq->nm, s = r + eq->nr + eq->nv, p = s + eq->ns;
    for (int i = r; i < eq->n; i++) {
        const int own = i >= p ? dfl_fmu_velocity_of(eq, i) : -1;
        if (i >= s && i < p)
            continue;
        if (own >= 0) {
            l->item[l->number[own]].derivative = l->number[i] + 1;
            l->item[l->number[own]].rate = true;
            continue;
        }
        variable *v = add(l, DFL_REF_RATE, i, NULL);
        dfl_fmu_rate_name(&v->name, eq, i);
        v->causality = "local";
        v->variability = "continuous";
        v->initial = "calculated";
        v->derivative = l->number[i] + 1;
        v->rate = true;
        dfl_fmu_unit(v->unit, sizeof v->unit, eq, i, true);
    }
}

static void add_indicators(list *l)
{
    const dfl_fmu_writer *w = l->w;
    for (int i = 0; w->exchange && w->options->version == 3 && i < w->counts.indicators; i++) {
        char name[40];
        snprintf(name, sizeof name, "indicator[%d]", i + 1);
        variable *v = add(l, DFL_REF_INDICATOR, i, name);
        v->causality = "local";
        v->variability = "continuous";
        v->initial = "calculated";
    }
}

static dfl_status collect(list *l)
{
    const dfl_fmu_writer *w = l->w;
    const dfl_model *model = w->eq->model;
    const size_t most =
        1 + (size_t)(model->declarations.count + 2 * w->eq->n + w->counts.indicators);
    l->item = dfl_alloc(model->ctx, most, sizeof *l->item);
    l->number = dfl_alloc(model->ctx, (size_t)w->eq->n, sizeof *l->number);
    if (!l->item || !l->number)
        return DFL_NO_MEMORY;
    variable *time = add(l, DFL_REF_TIME, 0, "time");
    time->causality = "independent";
    time->variability = "continuous";
    snprintf(time->unit, sizeof time->unit, "s");
    add_declared(l, DFL_A_PARAM, DFL_REF_PARAM);
    add_declared(l, DFL_AN_INPUT, DFL_REF_INPUT);
    add_declared(l, DFL_AN_OUTPUT, DFL_REF_OUTPUT);
    add_unknowns(l);
    add_rates(l);
    add_indicators(l);
    for (int i = 0; i < l->count; i++)
        if (l->item[i].name.status)
            return DFL_NO_MEMORY;
    return DFL_OK;
}

static void clear(list *l)
{
    dfl_context *ctx = l->w->eq->model->ctx;
    for (int i = 0; i < l->count; i++)
        dfl_text_clear(&l->item[i].name);
    dfl_free(ctx, l->item);
    dfl_free(ctx, l->number);
}

/* ------------------------------------------------------------------------------- parts */

static void write_kinds(dfl_text *text, const dfl_fmu_writer *w)
{
    const bool three = w->options->version == 3;
    const char *end = w->options->sources && !three
                          ? ">\n    <SourceFiles>\n      <File name=\"model.c\"/>\n      <File "
                            "name=\"solver.c\"/>\n    "
                            "</SourceFiles>\n  </"
                          : NULL;
    const char *state = three ? "canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" "
                                "providesDirectionalDerivatives"
                              : "canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" "
                                "providesDirectionalDerivative";
    for (int kind = 0; kind < 2; kind++) {
        const char *name = kind ? "CoSimulation" : "ModelExchange";
        if (!(kind ? w->options->cosimulation : w->exchange))
            continue;
        dfl_text_add(text, "  <%s modelIdentifier=\"%s\" %s=\"true\"", name, w->identifier, state);
        if (kind)
            dfl_text_add(text, " canHandleVariableCommunicationStepSize=\"true\"");
        if (kind && three)
            dfl_text_add(text, " canReturnEarlyAfterIntermediateUpdate=\"true\" "
                               "providesIntermediateUpdate=\"true\" hasEventMode=\"false\"");
        if (!kind && three)
            dfl_text_add(text, " needsCompletedIntegratorStep=\"true\"");
        dfl_text_add(text, end ? "%s%s>\n" : "/>\n", end, name);
    }
}

/* In terms of SI, if the unit is known. */
static void write_base_unit(dfl_text *text, const char *unit)
{
    static const char *const names[DFL_BASE_UNITS] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
    dfl_base_unit base;
    if (!dfl_fmu_base_unit(&base, unit)) {
        dfl_text_add(text, "\"/>\n");
        return;
    }
    dfl_text_add(text, "\">\n      <BaseUnit");
    for (int k = 0; k < DFL_BASE_UNITS; k++)
        if (base.exponent[k])
            dfl_text_add(text, " %s=\"%d\"", names[k], base.exponent[k]);
    if (base.factor != 1)
        dfl_text_add(text, " factor=\"%.17g\"", base.factor);
    dfl_text_add(text, "/>\n    </Unit>\n");
}

static void write_units(dfl_text *text, const list *l)
{
    bool any = false;
    for (int i = 0; i < l->count; i++) {
        bool known = !l->item[i].unit[0];
        for (int k = 0; !known && k < i; k++)
            known = !strcmp(l->item[k].unit, l->item[i].unit);
        if (known)
            continue;
        dfl_text_add(text, any ? "    <Unit name=\"" : "  <UnitDefinitions>\n    <Unit name=\"");
        dfl_xml_words(text, l->item[i].unit);
        write_base_unit(text, l->item[i].unit);
        any = true;
    }
    if (any)
        dfl_text_add(text, "  </UnitDefinitions>\n");
}

static void write_variable(dfl_text *text, const list *l, int i)
{
    const variable *v = &l->item[i];
    const bool three = l->w->options->version == 3;
    dfl_text_add(text, three ? "    <Float64 name=\"" : "    <ScalarVariable name=\"");
    dfl_xml_words(text, dfl_text_string(&v->name));
    dfl_text_add(text, "\" valueReference=\"%u\" causality=\"%s\" variability=\"%s\"", v->reference,
                 v->causality, v->variability);
    if (v->initial)
        dfl_text_add(text, " initial=\"%s\"", v->initial);
    dfl_text_add(text, three ? "" : ">\n      <Real");
    if (v->start)
        dfl_text_add(text, " start=\"%.17g\"", *v->start);
    if (v->unit[0]) {
        dfl_text_add(text, " unit=\"");
        dfl_xml_words(text, v->unit);
        dfl_text_add(text, "\"");
    }
    if (v->derivative)
        dfl_text_add(text, " derivative=\"%u\"",
                     three ? l->item[v->derivative - 1].reference : (unsigned)v->derivative);
    dfl_text_add(text, three ? "/>\n" : "/>\n    </ScalarVariable>\n");
}

/* A variable as the structure refers to it. */
static void refer(dfl_text *text, const list *l, const char *element, int i)
{
    if (l->w->options->version == 3)
        dfl_text_add(text, "    <%s valueReference=\"%u\"/>\n", element ? element : "",
                     l->item[i].reference);
    else
        dfl_text_add(text, "      <Unknown index=\"%d\"/>\n", i + 1);
}

/* The derivatives in the order of the states p, v, r. */
static void refer_rates(dfl_text *text, const list *l, const char *element, bool unknown)
{
    const dfl_equations *eq = l->w->eq;
    const int r = eq->nw + eq->nl + eq->nm, v = r + eq->nr, p = eq->n - eq->np;
    const int first[] = {p, v, r}, count[] = {eq->np, eq->nv, eq->nr};
    for (int part = 0; part < 3; part++)
        for (int k = first[part]; k < first[part] + count[part]; k++)
            for (int i = 0; i < l->count; i++)
                if (l->item[i].derivative == l->number[k] + 1 &&
                    !(unknown && !strcmp(l->item[i].initial, "exact")))
                    refer(text, l, element, i);
}

static void refer_outputs(dfl_text *text, const list *l, const char *element)
{
    for (int i = 0; i < l->count; i++)
        if (l->item[i].output)
            refer(text, l, element, i);
}

static void write_structure(dfl_text *text, const list *l)
{
    const bool three = l->w->options->version == 3, rates = l->w->exchange;
    const bool outputs = l->w->counts.outputs > 0;
    const bool states = rates && l->w->eq->np + l->w->eq->nv + l->w->eq->nr > 0;
    dfl_text_add(text, "  <ModelStructure>\n");
    if (three) {
        refer_outputs(text, l, "Output");
        if (states)
            refer_rates(text, l, "ContinuousStateDerivative", false);
        refer_outputs(text, l, "InitialUnknown");
        if (states)
            refer_rates(text, l, "InitialUnknown", true);
        for (int i = 0; i < l->count; i++)
            if (!strncmp(dfl_text_string(&l->item[i].name), "indicator[", 10) &&
                l->item[i].reference >= dfl_value_reference(&l->w->counts, DFL_REF_INDICATOR, 0))
                refer(text, l, "EventIndicator", i);
        dfl_text_add(text, "  </ModelStructure>\n");
        return;
    }
    if (outputs) {
        dfl_text_add(text, "    <Outputs>\n");
        refer_outputs(text, l, NULL);
        dfl_text_add(text, "    </Outputs>\n");
    }
    if (states) {
        dfl_text_add(text, "    <Derivatives>\n");
        refer_rates(text, l, NULL, false);
        dfl_text_add(text, "    </Derivatives>\n");
    }
    if (outputs || states) {
        dfl_text_add(text, "    <InitialUnknowns>\n");
        refer_outputs(text, l, NULL);
        if (states)
            refer_rates(text, l, NULL, true);
        dfl_text_add(text, "    </InitialUnknowns>\n");
    }
    dfl_text_add(text, "  </ModelStructure>\n");
}
