/* branching_actions.c: discrete variables, what events and samples do, rows that are off. */
#include "carry/branching_internal.h"

#include <math.h>
#include <string.h>

void dfl_branching_begin(dfl_branching *sw)
{
    for (int i = 0; i < sw->tables->ndiscretes; i++)
        sw->discrete[i] = sw->tables->first[i];
}

bool dfl_branching_mask(dfl_branching *sw)
{
    bool changed = false;
    if (!sw->tables->masked)
        return false;
    sw->host.evaluate(sw->mask, DFL_CARRY_MASKS, 0, NULL, sw->host.run);
    for (int i = 0; i < sw->tables->nrows; i++) {
        const bool off = sw->mask[i] == 0;
        changed = changed || off != sw->off[i];
        sw->off[i] = off;
    }
    return changed;
}

/* Whether a sample is due at the start of the run. */
static bool begins(dfl_branching *sw, int number, double t)
{
    const dfl_branching_tables *m = sw->tables;
    const int item = m->nswitches + number;
    for (int i = 0; i < m->instants.count; i++)
        if (m->watched[i].number == item) {
            sw->host.evaluate(sw->value, DFL_CARRY_INSTANTS, t, NULL, sw->host.run);
            const double nearest = round(sw->value[i]);
            if (fabs(sw->value[i] - nearest) > 1e-9 * fmax(1, fabs(nearest)))
                return false;
            sw->branch[item] = nearest;
            return nearest >= 0;
        }
    return false;
}

/* Whether a function moves away from the zero that its event has found: that zero is one of
   rounding, where events come closer and closer. */
bool dfl_branching_contrary(const dfl_branching *sw, int which, const dfl_change *change, double t)
{
    const int item = sw->tables->watched[which].number;
    if (item < sw->tables->nswitches || item >= sw->first_contact ||
        sw->tables->kinds[item].kind != DFL_SWITCH_SIGN)
        return false;
    sw->host.evaluate(sw->value, DFL_CARRY_SWITCHES, t, change->x, sw->host.run);
    dfl_branching_noise(sw->noise, sw, t, change->x, change->tolerance);
    const double slope = dfl_branching_rate(sw, which, t, change->x, change->rate);
    return fabs(sw->value[which]) <= 10 * sw->noise[which] && slope * sw->branch[item] > 0;
}

/* The new branch of its switch is known. */
static bool acts(dfl_branching *sw, int number, const bool *crossed, double t)
{
    const dfl_carried_action *action = &sw->tables->actions[number];
    const int item = sw->tables->nswitches + number;
    if (!crossed)
        return action->sampled && begins(sw, number, t);
    for (int i = 0; i < sw->tables->switches.count; i++)
        if (sw->flipped[i] && sw->tables->watched[i].number == item)
            return action->sampled ? sw->branch[item] >= 0
                                   : action->direction * sw->branch[item] >= 0;
    return false;
}

/* All right sides first. Nonzero: the run fails. */
static int act(dfl_change *change, dfl_branching *sw, int number, double t)
{
    const dfl_carried_action *action = &sw->tables->actions[number];
    const double *value = sw->assigned + action->first;
    sw->host.prepare(sw->host.run);
    sw->host.evaluate(sw->assigned, DFL_CARRY_ACTIONS, t, change->x, sw->host.run);
    for (int k = 0; k < action->nsets; k++) {
        const int place = action->target[k];
        if (place < 0) {
            sw->discrete[-1 - place] = value[k];
        } else {
            change->x[place] = value[k];
            change->assigned[place] = true;
        }
    }
    if (!action->sampled && change->met)
        change->met[action->event] = sw->branch[sw->tables->nswitches + number] > 0 ? 1 : -1;
    for (int k = action->nsets; k < action->nsets + action->nimpulses; k++)
        change->impulse[action->target[k]] += value[k];
    change->acted = true;
    return action->foreign && sw->host.exchange
               ? sw->host.exchange(number, t, sw->discrete, sw->host.run)
               : 0;
}

/* Those that have acted, in the order of declaration; each sees what those before it have done. */
static int act_in_order(dfl_change *change, dfl_branching *sw, double t)
{
    int failed = 0;
    for (int i = 0; i < sw->tables->ndiscretes; i++)
        if (sw->tables->before[i] >= 0)
            sw->discrete[i] = sw->discrete[sw->tables->before[i]];
    for (int i = 0; !failed && i < sw->tables->nactions; i++)
        if (sw->acted[i])
            failed = act(change, sw, i, t);
    return failed;
}

int dfl_branching_act(dfl_change *change, dfl_branching *sw, const bool *crossed, double t)
{
    if (!crossed && sw->host.exchange && sw->host.exchange(-1, t, sw->discrete, sw->host.run))
        return 1;
    for (int i = 0; i < sw->tables->nactions; i++)
        sw->acted[i] = acts(sw, i, crossed, t);
    memcpy(sw->previous, sw->discrete, (size_t)sw->tables->ndiscretes * sizeof *sw->previous);
    return act_in_order(change, sw, t);
}

void dfl_branching_repeat(dfl_change *change, double *memory, const int *numbers, int count,
                          dfl_branching *sw, double t)
{
    const size_t size = (size_t)sw->tables->ndiscretes * sizeof *sw->discrete;
    memcpy(sw->kept, sw->discrete, size);
    memcpy(sw->discrete, sw->previous, size);
    for (int i = 0; i < count; i++)
        sw->discrete[numbers[i]] += memory[i];
    act_in_order(change, sw, t);
    for (int i = 0; i < count; i++)
        memory[i] = sw->discrete[numbers[i]];
    memcpy(sw->discrete, sw->kept, size);
    sw->host.prepare(sw->host.run);
}
