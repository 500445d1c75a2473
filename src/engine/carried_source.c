/* carried_source.c: a model that is ready to run as C source for carry/carry.h: its tapes as tables
   and as functions, its sizes, names, switches and events. */
#include "engine/engine_internal.h"

#include "carry/carry.h"

#include <stdio.h>
#include <string.h>

typedef struct writer {
    dfl_text *text;
    const dfl_runnable *run;
    const dfl_equations *eq;
    const program *programs[DFL_CARRY_PROGRAMS]; /* NULL: there is none */
    program balance;
} writer;

static void list_programs(writer *w);
static dfl_status write_programs(writer *w);
static void write_tables(const writer *w);
static void write_functions(const writer *w, const char *name,
                            const dfl_carried_functions *functions);
static void write_switches(const writer *w);
static void write_actions(const writer *w);
static void write_contacts(const writer *w);
static void write_branching(const writer *w);
static void write_events(const writer *w);
static void write_names(const writer *w);
static void write_sizes(const writer *w);

dfl_status dfl_runnable_carry(dfl_text *text, dfl_runnable *run)
{
    writer w = {.text = text, .run = run, .eq = run->eq};
    const char *obstacle = dfl_runnable_uncarried(run);
    if (obstacle)
        return dfl_fail(run->ctx, DFL_INVALID,
                        "the model cannot be exported this way because it has %s", obstacle);
    dfl_status status = run->eq->n0 > 0 && !run->balance ? dfl_runnable_make_balance(run) : DFL_OK;
    if (status)
        return status;
    list_programs(&w);
    write_tables(&w);
    status = write_programs(&w);
    write_functions(&w, "model_switch_functions", &run->tables.switches);
    write_functions(&w, "model_instant_functions", &run->tables.instants);
    write_functions(&w, "model_gap_functions", &run->tables.gaps);
    write_functions(&w, "model_pulse_functions", &run->pulses.table);
    write_functions(&w, "model_event_functions", &run->events.table);
    write_switches(&w);
    write_actions(&w);
    write_contacts(&w);
    write_branching(&w);
    write_events(&w);
    write_names(&w);
    write_sizes(&w);
    return status ? status : text->status;
}

const char *dfl_runnable_uncarried(const dfl_runnable *run)
{
    if (run->tree)
        return "masses that a recursion evaluates";
    if (run->packed)
        return "sparse matrices";
    if (run->foreign)
        return "a controller that is an FMU";
    return NULL;
}

/* ------------------------------------------------------------------------------- programs */

static void list_programs(writer *w)
{
    const dfl_runnable *run = w->run;
    memcpy(w->programs, run->carried, sizeof w->programs);
    if (!w->eq->have_jacobians)
        w->programs[DFL_CARRY_JACOBIAN] = NULL;
    if (!run->tables.masked)
        w->programs[DFL_CARRY_MASKS] = NULL;
    w->programs[DFL_CARRY_PULSES] = run->pulses.count > 0 ? &run->pulses.values : NULL;
    w->programs[DFL_CARRY_PULSE_SLOPES] = run->pulses.count > 0 ? &run->pulses.slopes : NULL;
    w->programs[DFL_CARRY_EVENTS] = run->events.count > 0 ? &run->events.values : NULL;
    w->programs[DFL_CARRY_EVENT_SLOPES] = run->events.count > 0 ? &run->events.slopes : NULL;
    w->balance = (program){.tape = run->balance};
    w->programs[DFL_CARRY_BALANCE] = run->balance ? &w->balance : NULL;
}

static dfl_status write_programs(writer *w)
{
    const dfl_tape *tapes[DFL_CARRY_PROGRAMS];
    int count = 0;
    for (int i = 0; i < DFL_CARRY_PROGRAMS; i++)
        if (w->programs[i] && w->programs[i]->tape)
            tapes[count++] = w->programs[i]->tape;
    dfl_status status = dfl_emit_c_preamble(w->text, tapes, count);
    for (int i = 0; !status && i < DFL_CARRY_PROGRAMS; i++) {
        char name[32];
        snprintf(name, sizeof name, "program_%d", i);
        if (!w->programs[i] || !w->programs[i]->tape)
            continue;
        status = dfl_emit_c(w->text, w->programs[i]->tape,
                            &(dfl_emit_options){.name = name, .linkage = "static "});
        if (!status)
            dfl_emit_tape_data(w->text, w->programs[i]->tape, name,
                               dfl_carry_encloses(i) || dfl_carry_differentiates(i));
    }
    dfl_text_add(w->text,
                 "\nstatic const dfl_carried_program model_programs[DFL_CARRY_PROGRAMS] = {\n");
    for (int i = 0; i < DFL_CARRY_PROGRAMS; i++) {
        if (w->programs[i] && w->programs[i]->tape)
            dfl_text_add(w->text, "    {&program_%d_tape, program_%d, %d},\n", i, i,
                         w->programs[i]->part);
        else
            dfl_text_add(w->text, "    {0},\n");
    }
    dfl_text_add(w->text, "};\n");
    return status;
}

/* ------------------------------------------------------------------------------- tables */

static void write_ints(const writer *w, const char *type, const char *name, const int *value,
                       int count)
{
    dfl_text_add(w->text, "static const %s %s[] = {", type, name);
    for (int i = 0; i < count; i++)
        dfl_text_add(w->text, "%s%d,", i % 20 ? " " : "\n    ", value[i]);
    dfl_text_add(w->text, "%s};\n", count ? "" : "0");
}

static void write_flags(const writer *w, const char *name, const bool *flag, int count)
{
    dfl_text_add(w->text, "static const bool %s[] = {", name);
    for (int i = 0; i < count; i++)
        dfl_text_add(w->text, "%d, ", flag[i]);
    dfl_text_add(w->text, "0};\n");
}

static void write_tables(const writer *w)
{
    const dfl_graph *graph = w->eq->graph;
    char name[40];
    for (int i = 0; i < graph->nsplines; i++) {
        const dfl_spline *table = &graph->splines[i];
        snprintf(name, sizeof name, "table_%d_x", i);
        dfl_emit_numbers(w->text, name, table->x, (size_t)table->n);
        snprintf(name, sizeof name, "table_%d_coef", i);
        dfl_emit_numbers(w->text, name, table->coef, 6 * ((size_t)table->n + 1));
    }
    dfl_text_add(w->text, "static const dfl_table_data model_tables[] = {\n");
    for (int i = 0; i < graph->nsplines; i++)
        dfl_text_add(w->text, "    {%d, table_%d_x, table_%d_coef, %d, %d},\n", graph->splines[i].n,
                     i, i, graph->splines[i].smoothness, graph->splines[i].end_smoothness);
    dfl_text_add(w->text, "    {0}};\n");
}

static void write_functions(const writer *w, const char *name,
                            const dfl_carried_functions *functions)
{
    char part[60];
    snprintf(part, sizeof part, "%s_row", name);
    write_ints(w, "int", part, functions->row, functions->nslopes);
    snprintf(part, sizeof part, "%s_column", name);
    write_ints(w, "int", part, functions->column, functions->nslopes);
    snprintf(part, sizeof part, "%s_uses", name);
    write_flags(w, part, functions->uses, functions->uses ? w->eq->n : 0);
    dfl_text_add(w->text, "#define %s {%d, %d, %s_row, %s_column, %s_uses}\n", name,
                 functions->count, functions->nslopes, name, name, name);
}

static void write_switches(const writer *w)
{
    const dfl_branching_tables *m = &w->run->tables;
    dfl_text_add(w->text, "static const dfl_carried_switch model_switch_kinds[] = {");
    for (int i = 0; i < w->run->branching.nitems; i++)
        dfl_text_add(w->text, "{%d, %d}, ", m->kinds[i].kind, m->kinds[i].table);
    dfl_text_add(w->text, "{0}};\nstatic const dfl_carried_watch model_watched[] = {");
    for (int i = 0; i < m->switches.count; i++)
        dfl_text_add(w->text, "{%d, %d}, ", m->watched[i].number, m->watched[i].sense);
    dfl_text_add(w->text, "{0}};\nstatic const char *const model_motions[] = {");
    for (int i = 0; i < m->nmotions; i++) {
        dfl_emit_string(w->text, m->motions[i]);
        dfl_text_add(w->text, ", ");
    }
    dfl_text_add(w->text, "0};\nstatic const dfl_carried_energy model_energies[] = {");
    for (int i = 0; i < m->nenergies; i++)
        dfl_text_add(w->text, "{%d, 0}, ", m->energies[i].kinetic);
    dfl_text_add(w->text, "{0}};\n");
}

static void write_actions(const writer *w)
{
    const dfl_branching_tables *m = &w->run->tables;
    int targets = 0;
    for (int i = 0; i < m->nactions; i++)
        targets += m->actions[i].nsets + m->actions[i].nimpulses;
    write_ints(w, "int", "model_targets", w->run->actions.target, targets);
    dfl_text_add(w->text, "static const dfl_carried_action model_actions[] = {\n");
    for (int i = 0; i < m->nactions; i++) {
        const dfl_carried_action *action = &m->actions[i];
        dfl_text_add(w->text, "    {%d, %d, %d, %d, %d, %d, model_targets + %d},\n",
                     action->sampled, action->event, action->direction, action->nsets,
                     action->nimpulses, action->first, action->first);
    }
    dfl_text_add(w->text, "    {0}};\n");
    dfl_emit_numbers(w->text, "model_discretes", m->first, (size_t)m->ndiscretes);
    write_ints(w, "int", "model_before", m->before, m->ndiscretes);
    write_flags(w, "model_acting", m->acting, w->eq->model->count[DFL_AN_EVENT]);
}

static void write_contacts(const writer *w)
{
    const dfl_branching_tables *m = &w->run->tables;
    dfl_text_add(w->text, "static const dfl_contact model_contacts[] = {\n");
    for (int i = 0; i < m->ncontacts; i++) {
        const dfl_contact *contact = &m->contacts[i];
        dfl_text_add(w->text, "    {");
        dfl_emit_string(w->text, contact->name);
        dfl_text_add(w->text, ", %d, %d, %d, %d},\n", contact->normal, contact->tangent,
                     contact->event, contact->directions);
    }
    dfl_text_add(w->text, "    {0}};\nstatic const dfl_carried_mode model_modes[] = {");
    for (int i = 0; i < m->ncontacts; i++) {
        const dfl_carried_mode *mode = &m->modes[i];
        dfl_text_add(w->text, "{%d, %d, %d, {%d, %d}, %d}, ", mode->closed, mode->stick,
                     mode->sense, mode->along[0], mode->along[1], mode->speed);
    }
    dfl_text_add(w->text, "{0}};\n");
}

static void write_branching(const writer *w)
{
    const dfl_branching_tables *m = &w->run->tables;
    dfl_text_add(
        w->text,
        "#define CARRIED_BRANCHING {.n = %d, .nv = %d, .np = %d, .nrows = %d, .nswitches = %d, "
        ".nactions = "
        "%d, .ncontacts = %d, .kinds = model_switch_kinds, .watched = model_watched, .switches = "
        "model_switch_functions, .instants = model_instant_functions, .gaps = "
        "model_gap_functions, .ncontinued = %d, .nmotions = %d, .ndiscretes = %d, .motions = "
        "model_motions, .nenergies = %d, .energies = model_energies, .first = model_discretes, "
        ".before = model_before, .actions = "
        "model_actions, .contacts = model_contacts, .modes = model_modes, .acting = model_acting, "
        ".masked = %d}\n",
        m->n, m->nv, m->np, m->nrows, m->nswitches, m->nactions, m->ncontacts, m->ncontinued,
        m->nmotions, m->ndiscretes, m->nenergies, m->masked);
}

static const dfl_declaration *declared(const writer *w, dfl_declared kind, int index)
{
    const dfl_model *model = w->eq->model;
    for (int i = 0; i < model->declarations.count; i++)
        if (model->declarations.item[i].kind == kind && model->declarations.item[i].index == index)
            return &model->declarations.item[i];
    return NULL;
}

static void write_events(const writer *w)
{
    const int count = w->eq->model->count[DFL_AN_EVENT];
    dfl_text_add(w->text, "static const dfl_event_kind model_event_kinds[] = {");
    for (int i = 0; i < count; i++) {
        const dfl_declaration *event = declared(w, DFL_AN_EVENT, i);
        dfl_text_add(w->text, "{%d, %d}, ", event->direction, event->stop);
    }
    dfl_text_add(w->text, "{0}};\nstatic const char *const model_event_names[] = {");
    for (int i = 0; i < count; i++) {
        dfl_emit_string(w->text, declared(w, DFL_AN_EVENT, i)->name);
        dfl_text_add(w->text, ", ");
    }
    dfl_text_add(w->text, "0};\nstatic const char *const model_event_failures[] = {");
    for (int i = 0; i < count; i++) {
        dfl_emit_string(w->text, declared(w, DFL_AN_EVENT, i)->failure);
        dfl_text_add(w->text, ", ");
    }
    dfl_text_add(w->text, "0};\n");
}

/* ------------------------------------------------------------------------------- names */

static void write_named(const writer *w, const char *name, dfl_declared kind, const double *value)
{
    dfl_text_add(w->text, "static const dfl_carried_name %s[] = {\n", name);
    for (int i = 0; i < w->eq->model->count[kind]; i++) {
        dfl_text_add(w->text, "    {");
        dfl_emit_string(w->text, declared(w, kind, i)->name);
        dfl_text_add(w->text, ", %.17g},\n", value ? value[i] : 0);
    }
    dfl_text_add(w->text, "    {0}};\n");
}

static void write_names(const writer *w)
{
    const dfl_equations *eq = w->eq;
    const dfl_declaration *item = eq->model->declarations.item;
    write_named(w, "model_params", DFL_A_PARAM, w->run->param);
    write_named(w, "model_inputs", DFL_AN_INPUT, w->run->input);
    write_named(w, "model_outputs", DFL_AN_OUTPUT, NULL);
    dfl_text_add(w->text, "static const dfl_carried_name model_unknowns[] = {\n");
    for (int i = 0; i < eq->n; i++) {
        dfl_text_add(w->text, "    {");
        dfl_emit_string(w->text, eq->x[i].name);
        dfl_text_add(w->text, ", 0},\n");
    }
    dfl_text_add(w->text, "    {0}};\nstatic const char *const model_rows[] = {\n");
    for (int i = 0; i < eq->nl + eq->nm + eq->ne + eq->nep + eq->n0; i++) {
        const int e = i - eq->nl - eq->nm, ep = e - eq->ne, gam = ep - eq->nep;
        const int v = eq->nw + eq->nl + eq->nm + eq->nr;
        dfl_text_add(w->text, "    ");
        dfl_emit_string(w->text, e < 0     ? item[eq->declared.row[i]].name
                                 : ep < 0  ? item[eq->declared.e[e]].name
                                 : gam < 0 ? item[eq->declared.ep[ep]].name
                                           : eq->x[v + eq->massless.velocity[gam]].name);
        dfl_text_add(w->text, ",\n");
    }
    dfl_text_add(w->text, "    0};\nstatic const int model_levels[] = {");
    for (int i = 0; i < eq->ne + eq->nep; i++)
        dfl_text_add(w->text, "%d, ",
                     item[i < eq->ne ? eq->declared.e[i] : eq->declared.ep[i - eq->ne]].index);
    dfl_text_add(w->text, "0};\n");
}

/* What dfl_carried begins with: see export/carried_model.c for the rest. */
static void write_sizes(const writer *w)
{
    const dfl_equations *eq = w->eq;
    const dfl_model *model = eq->model;
    const dfl_eom *eom = &w->run->eom;
    write_ints(w, "int", "model_kinds", w->run->kinds.kind, eq->n);
    dfl_emit_numbers(w->text, "model_sizes", w->run->kinds.size, (size_t)eq->n);
    dfl_text_add(w->text,
                 "static const dfl_sizes model_unknown_sizes = {model_kinds, model_sizes};\n");
    dfl_text_add(w->text,
                 "#define CARRIED_EOM {.np = %d, .nv = %d, .nr = %d, .nw = %d, .ns = %d, .nl = %d, "
                 ".nm = %d, .ne = %d, .nep = %d, .n0 = %d, .mass_diagonal = %d, .mass_constant = "
                 "%d, .trivial_kinematics = %d, .autonomous = %d, .linear = %d, "
                 ".forces_free_of_multipliers = %d, .only_time = %d}\n",
                 eq->np, eq->nv, eq->nr, eq->nw, eq->ns, eq->nl, eq->nm, eq->ne, eq->nep, eq->n0,
                 eom->mass_diagonal, eom->mass_constant, eom->trivial_kinematics, eom->autonomous,
                 eom->linear, eom->forces_free_of_multipliers, eom->only_time);
    dfl_text_add(
        w->text,
        "#define CARRIED_PARTS .eom = CARRIED_EOM, .n = %d, .nparams = %d, .ninputs = %d, .nlevels "
        "= %d, .noutputs = %d, .nevents = %d, .params = model_params, .inputs = model_inputs, "
        ".outputs = model_outputs, .x = model_unknowns, .rows = model_rows, .levels = "
        "model_levels, .sizes = &model_unknown_sizes, .programs = model_programs, .branching = "
        "CARRIED_BRANCHING, .pulses = model_pulse_functions, .events = model_event_functions, "
        ".event_kinds = model_event_kinds, .event_names = model_event_names, .event_failures = "
        "model_event_failures, .accelerations = %d, .ntables = %d, .tables = model_tables\n",
        eq->n, model->count[DFL_A_PARAM], model->count[DFL_AN_INPUT],
        model->count[DFL_AN_INVARIANT], model->count[DFL_AN_OUTPUT], model->count[DFL_AN_EVENT],
        w->run->motion != NULL, eq->graph->nsplines);
}
