/* switch_records.c: what happens at the instants of a run: events act, contacts collide or change
   their modes, branches change; with impulses and the change of energy where velocities jump. */
#include "study/study_internal.h"

#include "declare/declare.h"

#include <math.h>
#include <string.h>

enum { CONTACT_IMPULSES = 3 }; /* names: along the gap, and two directions of slip */

static dfl_status name_all(dfl_simulation *sim);
static void tell_switch(dfl_simulation *sim, const dfl_instant *instant);
static void tell_impact(dfl_simulation *sim, const dfl_instant *instant);
static void tell_modes(dfl_simulation *sim, const dfl_instant *instant);
static void find_energy(dfl_switch_record *record, dfl_simulation *sim, const dfl_instant *instant);
static void find_impulses(dfl_switch_record *record, dfl_simulation *sim,
                          const dfl_instant *instant, bool acted);
static int add(dfl_simulation *sim, const dfl_switch_record *record);

/* Where names of each kind begin: switches, actions, contacts. */
static int first_action(const dfl_simulation *sim)
{
    return dfl_runnable_switches(sim->run);
}

static int first_contact(const dfl_simulation *sim)
{
    return first_action(sim) + sim->eq->model->actions.list.count;
}

dfl_status dfl_study_switches_create(dfl_simulation *sim)
{
    const dfl_actions *actions = &sim->eq->model->actions;
    sim->switched.nnames = first_contact(sim) + actions->touches.count;
    sim->switched.nimpulses = CONTACT_IMPULSES * actions->touches.count + sim->eq->nl +
                              sim->eq->nm + sim->eq->nv + dfl_runnable_drives(sim->run);
    const size_t n = (size_t)sim->switched.nimpulses;
    sim->switched.energy = NAN;
    sim->switched.pending = -1;
    sim->switched.names =
        dfl_alloc(sim->ctx, (size_t)sim->switched.nnames, sizeof *sim->switched.names);
    sim->switched.impulses = dfl_alloc(sim->ctx, n, sizeof *sim->switched.impulses);
    sim->switched.found = dfl_alloc(sim->ctx, n, sizeof *sim->switched.found);
    if (!sim->switched.names || !sim->switched.impulses || !sim->switched.found)
        return DFL_NO_MEMORY;
    const dfl_status status = name_all(sim);
    if (!status && sim->record)
        dfl_record_name_switches(sim->record, (const char *const *)sim->switched.names,
                                 sim->switched.nnames, sim->switched.impulses,
                                 sim->switched.nimpulses);
    return status;
}

static dfl_status copy_text(char **out, dfl_simulation *sim, dfl_text *text)
{
    *out = text->status ? NULL : dfl_copy_string(sim->ctx, dfl_text_string(text));
    dfl_text_clear(text);
    return *out ? DFL_OK : DFL_NO_MEMORY;
}

static dfl_status name_all(dfl_simulation *sim)
{
    const dfl_equations *eq = sim->eq;
    const dfl_actions *actions = &eq->model->actions;
    const int contacts = actions->touches.count, rows = eq->nl + eq->nm;
    const char **impulse = sim->switched.impulses;
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < sim->switched.nnames; i++) {
        dfl_text text = {.ctx = sim->ctx};
        if (i < first_action(sim))
            dfl_study_name_switch(&text, sim->run, i);
        else if (i < first_contact(sim))
            dfl_text_add(&text, "%s", actions->list.item[i - first_action(sim)].name);
        else
            dfl_text_add(&text, "%s", actions->touches.item[i - first_contact(sim)].name);
        status = copy_text(&sim->switched.names[i], sim, &text);
    }
    for (int i = 0; i < contacts; i++) {
        const dfl_touch *touch = &actions->touches.item[i];
        impulse[CONTACT_IMPULSES * i] = touch->name;
        for (int k = 0; k < 2; k++)
            impulse[CONTACT_IMPULSES * i + 1 + k] =
                touch->tangent[k] < 0 ? touch->name
                                      : eq->model->declarations.item[touch->tangent[k]].name;
    }
    for (int i = 0; i < rows; i++)
        impulse[CONTACT_IMPULSES * contacts + i] = eq->x[eq->nw + i].name;
    for (int i = 0; i < eq->nv; i++)
        impulse[CONTACT_IMPULSES * contacts + rows + i] = eq->x[eq->nw + rows + eq->nr + i].name;
    if (!status)
        status =
            dfl_study_drives_create(sim, impulse + CONTACT_IMPULSES * contacts + rows + eq->nv);
    return status;
}

void dfl_study_switches_clear(dfl_simulation *sim)
{
    for (int i = 0; sim->switched.names && i < sim->switched.nnames; i++)
        dfl_free(sim->ctx, sim->switched.names[i]);
    for (int i = 0; i < sim->switched.count; i++)
        dfl_free(sim->ctx, (void *)sim->switched.record[i].impulses);
    dfl_study_drives_clear(sim);
    dfl_free(sim->ctx, sim->switched.names);
    dfl_free(sim->ctx, sim->switched.impulses);
    dfl_free(sim->ctx, sim->switched.found);
    dfl_free(sim->ctx, sim->switched.record);
}

int dfl_study_on_instant(const dfl_instant *instant, void *user)
{
    dfl_simulation *sim = user;
    if (instant->what == DFL_HAPPENS_SWITCH)
        tell_switch(sim, instant);
    else if (instant->what == DFL_HAPPENS_IMPACT)
        tell_impact(sim, instant);
    else
        tell_modes(sim, instant);
    return sim->trouble != DFL_OK;
}

int dfl_study_done_by_event(dfl_simulation *sim, double t)
{
    const int number = sim->switched.pending;
    sim->switched.pending = -1;
    return number >= 0 && sim->switched.record[number].time == t ? number : -1;
}

/* ------------------------------------------------------------------------------- the kinds */

/* Impulses belong to the first event that acts, else to the first switch. */
static void tell_switch(dfl_simulation *sim, const dfl_instant *instant)
{
    const dfl_actions *actions = &sim->eq->model->actions;
    const int functions = dfl_runnable_functions(sim->run);
    const bool kink = dfl_study_drives_jump(sim, instant);
    const bool jumps = instant->along || instant->rows || kink;
    bool acted = false, told = false;
    for (int i = 0; instant->met && i < sim->eq->model->count[DFL_AN_EVENT]; i++)
        acted = acted || instant->met[i];
    for (int i = 0; i < functions; i++) {
        const dfl_owner owner = dfl_runnable_owner(sim->run, i);
        dfl_switch_record record = {.time = instant->t, .energy_change = NAN};
        if (!instant->crossed[i] || owner.kind == DFL_OWNER_CONTACT)
            continue;
        if (owner.kind == DFL_OWNER_SWITCH) {
            record.kind = jumps && !acted && !told ? DFL_SWITCHED_KINK : DFL_SWITCHED_BRANCH;
            record.name = owner.number;
            record.state = (int)fmax(-1e9, fmin(1e9, dfl_runnable_branch(sim->run, owner.number)));
        } else {
            const dfl_action *action = &actions->list.item[owner.number];
            record.kind = action->sampled ? DFL_SWITCHED_SAMPLE : DFL_SWITCHED_EVENT;
            record.name = first_action(sim) + owner.number;
            record.state = action->sampled ? 0 : instant->met[action->event];
            if (!action->sampled && record.state == 0) /* it passes zero in the other direction */
                continue;
        }
        const bool first = jumps && !told && record.kind != DFL_SWITCHED_BRANCH;
        if (first) {
            find_energy(&record, sim, instant);
            find_impulses(&record, sim, instant, record.kind != DFL_SWITCHED_KINK);
            told = true;
        }
        const int number = add(sim, &record);
        if (first && record.kind == DFL_SWITCHED_EVENT)
            sim->switched.pending = number;
    }
}

static void tell_impact(dfl_simulation *sim, const dfl_instant *instant)
{
    dfl_switch_record record = {.time = instant->t,
                                .kind = DFL_SWITCHED_IMPACT,
                                .name = first_contact(sim) + instant->contact};
    (void)dfl_study_drives_jump(sim, instant);
    find_energy(&record, sim, instant);
    find_impulses(&record, sim, instant, false);
    sim->switched.pending = add(sim, &record);
}

static void tell_mode(dfl_simulation *sim, double t, int contact, dfl_contact_mode mode)
{
    add(sim, &(dfl_switch_record){.time = t,
                                  .kind = DFL_SWITCHED_MODE,
                                  .name = first_contact(sim) + contact,
                                  .state = (int)dfl_study_touching(mode),
                                  .energy_change = NAN});
}

static void tell_modes(dfl_simulation *sim, const dfl_instant *instant)
{
    for (int i = 0; sim->started && i < sim->eq->model->actions.touches.count; i++)
        if (dfl_study_touching(instant->from[i]) != dfl_study_touching(instant->to[i]))
            tell_mode(sim, instant->t, i, instant->to[i]);
}

/* After what has happened there. */
void dfl_study_store_modes(dfl_simulation *sim, double t)
{
    for (int i = 0; sim->record && i < sim->switched.count; i++)
        dfl_study_note_trouble(sim, dfl_record_switch(sim->record, &sim->switched.record[i]));
    for (int i = 0; i < sim->eq->model->actions.touches.count; i++)
        tell_mode(sim, t, i, dfl_runnable_mode(sim->run, i));
}

/* ------------------------------------------------------------------------------- records */

/* Before an instant the energy was taken with the values of discrete variables there. */
static void find_energy(dfl_switch_record *record, dfl_simulation *sim, const dfl_instant *instant)
{
    const double before = isnan(sim->switched.energy)
                              ? dfl_runnable_branch_energy(sim->run, instant->t, instant->before)
                              : sim->switched.energy;
    sim->switched.energy = dfl_runnable_branch_energy(sim->run, instant->t, instant->after);
    record->energy_change = sim->switched.energy - before;
}

/* Those that are not zero. */
static void find_impulses(dfl_switch_record *record, dfl_simulation *sim,
                          const dfl_instant *instant, bool acted)
{
    const int contacts = sim->eq->model->actions.touches.count;
    const int rows = sim->eq->nl + sim->eq->nm, nv = sim->eq->nv;
    dfl_impulse *found = sim->switched.found;
    int n = 0;
    double largest = 0;
    for (int k = 0; k < CONTACT_IMPULSES; k++)
        largest = fmax(largest, fabs(instant->impulse[k]));
    for (int i = 0; i < rows + nv; i++) {
        const double *values = i < rows ? instant->rows : instant->along;
        largest = values ? fmax(largest, fabs(values[i < rows ? i : i - rows])) : largest;
    }
    for (int k = 0; instant->contact >= 0 && k < CONTACT_IMPULSES; k++)
        if (fabs(instant->impulse[k]) > 1e-14 * largest)
            found[n++] =
                (dfl_impulse){CONTACT_IMPULSES * instant->contact + k, instant->impulse[k]};
    for (int i = 0; i < rows + nv; i++) {
        const double *values = i < rows ? instant->rows : acted ? instant->along : NULL;
        const double value = values ? values[i < rows ? i : i - rows] : 0;
        if (fabs(value) > 1e-14 * largest)
            found[n++] = (dfl_impulse){CONTACT_IMPULSES * contacts + i, value};
    }
    for (int i = 0; i < dfl_runnable_drives(sim->run); i++)
        if (sim->switched.drives.impulse[i] != 0)
            found[n++] = (dfl_impulse){CONTACT_IMPULSES * contacts + rows + nv + i,
                                       sim->switched.drives.impulse[i]};
    record->impulses = found;
    record->nimpulses = n;
}

/* Into the files, and into the list if it is one of the first or an event tells of it: its number
   there, or -1. */
static int add(dfl_simulation *sim, const dfl_switch_record *record)
{
    const size_t n = (size_t)record->nimpulses;
    const bool listed = sim->all_events || sim->switched.count < DFL_LISTED_EVENTS ||
                        (n > 0 && sim->nevents < DFL_LISTED_EVENTS);
    sim->switched.total++;
    if (sim->record && sim->started)
        dfl_study_note_trouble(sim, dfl_record_switch(sim->record, record));
    if (!listed)
        return -1;
    dfl_switch_record *list = dfl_grow(sim->ctx, sim->switched.record, &sim->switched.room,
                                       sim->switched.count, sizeof *list);
    dfl_impulse *impulses = list ? dfl_alloc(sim->ctx, n, sizeof *impulses) : NULL;
    if (list)
        sim->switched.record = list;
    if (!impulses) {
        dfl_study_note_trouble(sim, DFL_NO_MEMORY);
        return -1;
    }
    if (n > 0)
        memcpy(impulses, record->impulses, n * sizeof *impulses);
    list[sim->switched.count] = *record;
    list[sim->switched.count].impulses = impulses;
    return sim->switched.count++;
}
