/* branching.c: the branches in which the equations of a run are frozen, and the functions that
   bound them: for a switch with condition c and branch k = 1 or -1 the function k c. */
#include "carry/branching_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static dfl_switch switch_of(const dfl_branching *sw, int number)
{
    const dfl_carried_switch *item = &sw->tables->kinds[number];
    return (dfl_switch){.kind = (dfl_switch_kind)item->kind, .spline = item->table};
}

/* The function of one end of a branch is sign (c - border). */
static void end_of(double *sign, double *border, const dfl_branching *sw, int which)
{
    const dfl_carried_watch *watch = &sw->tables->watched[which];
    const dfl_switch item = switch_of(sw, watch->number);
    double low, high;
    dfl_switch_borders(&low, &high, &item, sw->graph, sw->branch[watch->number]);
    const bool lower = watch->sense < 0 || (watch->sense == 0 && isfinite(low));
    *sign = lower ? 1 : -1;
    *border = lower ? low : high;
}

/* The branch beyond the end that function `which` is of. */
static double next_branch(const dfl_branching *sw, int which)
{
    const int number = sw->tables->watched[which].number;
    const dfl_switch item = switch_of(sw, number);
    double sign, border;
    end_of(&sign, &border, sw, which);
    return dfl_switch_next(&item, sw->graph, sw->branch[number], sign > 0 ? -1 : 1);
}

static int switch_values(double *value, int count, double t, const double *x, void *user)
{
    const dfl_branching *sw = user;
    const bool instants = count <= sw->tables->instants.count;
    sw->host.evaluate(sw->value, instants ? DFL_CARRY_INSTANTS : DFL_CARRY_SWITCHES, t, x,
                      sw->host.run);
    for (int i = 0; i < count; i++) {
        double sign, border;
        end_of(&sign, &border, sw, i);
        value[i] = sign * (sw->value[i] - border);
    }
    return 0;
}

void dfl_branching_values(double *value, const dfl_branching *sw, double t, const double *x)
{
    if (sw->tables->switches.count > 0)
        switch_values(value, sw->tables->switches.count, t, x, (void *)sw);
}

void dfl_branching_turn(double *slope, const dfl_branching *sw)
{
    for (int i = 0; i < sw->tables->switches.count; i++) {
        double sign, border;
        end_of(&sign, &border, sw, i);
        slope[i] *= sign;
    }
}

static int switch_bounds(dfl_bounds *value, int count, const dfl_bounds *t, const dfl_bounds *x,
                         void *user)
{
    const dfl_branching *sw = user;
    const bool instants = count <= sw->tables->instants.count;
    sw->host.enclose(value, instants ? DFL_CARRY_INSTANTS : DFL_CARRY_SWITCHES, t, x, sw->host.run);
    for (int i = 0; i < count; i++) {
        const dfl_bounds c = value[i];
        double sign, border;
        end_of(&sign, &border, sw, i);
        value[i] = sign > 0
                       ? (dfl_bounds){c.low - border, c.high - border, c.slope_low, c.slope_high}
                       : (dfl_bounds){border - c.high, border - c.low, -c.slope_high, -c.slope_low};
    }
    return 0;
}

void dfl_watched_noise(double *noise, const dfl_carried_functions *functions, const double *slope,
                       int n, const double *tolerance)
{
    memset(noise, 0, (size_t)functions->count * sizeof *noise);
    for (int k = 0; k < functions->nslopes; k++) {
        const int column = functions->column[k];
        const double change = column < n ? fabs(slope[k]) * tolerance[column] : 0;
        noise[functions->row[k]] += isfinite(change) ? change : 0;
    }
}

double dfl_watched_rate(const dfl_carried_functions *functions, int which, const double *slope,
                        int n, const double *rate)
{
    double sum = 0;
    for (int k = 0; k < functions->nslopes; k++)
        if (functions->row[k] == which)
            sum += slope[k] * (functions->column[k] < n ? rate[functions->column[k]] : 1);
    return sum;
}

void dfl_branching_noise(double *noise, const dfl_branching *sw, double t, const double *x,
                         const double *tolerance)
{
    sw->host.evaluate(sw->slope, DFL_CARRY_SWITCH_SLOPES, t, x, sw->host.run);
    dfl_watched_noise(noise, &sw->tables->switches, sw->slope, sw->tables->n, tolerance);
}

double dfl_branching_rate(const dfl_branching *sw, int which, double t, const double *x,
                          const double *rate)
{
    sw->host.evaluate(sw->slope, DFL_CARRY_SWITCH_SLOPES, t, x, sw->host.run);
    return dfl_watched_rate(&sw->tables->switches, which, sw->slope, sw->tables->n, rate);
}

static int switch_noise(double *noise, double t, const double *x, const double *tolerance,
                        void *user)
{
    dfl_branching_noise(noise, user, t, x, tolerance);
    return 0;
}

/* Conditions inside conditions come first in the list, so that a pass in its order settles all but
   those that depend on each other through the state. With rates a switch has one of its branches,
   also where nothing moves. */
bool dfl_branching_settle(dfl_branching *sw, double t, const double *x, const double *rate)
{
    bool any = false;
    for (int pass = 0; pass <= sw->nitems; pass++) {
        bool changed = false;
        sw->host.evaluate(sw->value, DFL_CARRY_SWITCHES, t, x, sw->host.run);
        for (int i = 0; i < sw->tables->switches.count; i++) {
            const int number = sw->tables->watched[i].number;
            if (number >= sw->first_contact)
                continue;
            const dfl_switch item = switch_of(sw, number);
            const double slope = rate ? dfl_branching_rate(sw, i, t, x, rate) : 0;
            double branch = dfl_switch_branch(&item, sw->graph, sw->value[i], slope);
            if (branch == 0 && rate && item.kind == DFL_SWITCH_SIGN)
                branch = -1;
            changed = changed || branch != sw->branch[number];
            sw->branch[number] = branch;
        }
        any = any || changed;
        if (!changed)
            break;
        sw->host.prepare(sw->host.run);
    }
    return any;
}

static int switch_settle(bool *changed, double t, const double *x, const double *rate, void *user)
{
    *changed = dfl_branching_settle(user, t, x, rate);
    return 0;
}

void dfl_branching_follow(dfl_branching *sw, double t, const double *x)
{
    if (!sw->locked && sw->tables->nswitches > 0)
        dfl_branching_settle(sw, t, x, NULL);
}

/* A prescribed motion that jumps by more than the rounding of time and of itself. */
static int refuse_jumps(const dfl_branching *sw, double t)
{
    const dfl_branching_tables *m = sw->tables;
    char text[400];
    for (int i = m->nv; i < m->nv + m->nmotions; i++) {
        const double jump = sw->after[i] - sw->before[i];
        const double size = fmax(fabs(sw->after[i]), fabs(sw->before[i]));
        const double rate =
            fmax(fabs(sw->after[i + m->nmotions]), fabs(sw->before[i + m->nmotions]));
        if (fabs(jump) > 1e-9 * (size + rate * fabs(t)) + 1e-12) {
            snprintf(text, sizeof text,
                     "the motion of '%.200s' jumps by %.3g at t = %.10g: bodies cannot; give a "
                     "continuous function of time",
                     m->motions[i - m->nv], jump, t);
            sw->host.refuse(m->lines ? m->lines[i - m->nv] : 0, text, sw->host.run);
            return 1;
        }
    }
    return 0;
}

/* Beyond 2^53 a number and its successor are the same. */
static int refuse_large_floor(const dfl_branching *sw, double t)
{
    char text[200];
    for (int i = 0; i < sw->tables->nswitches; i++)
        if (sw->tables->kinds[i].kind == DFL_SWITCH_FLOOR && !(fabs(sw->branch[i]) < 0x1p53)) {
            snprintf(text, sizeof text,
                     "the argument of a floor or mod is %.3g at t = %.10g: whole numbers beyond "
                     "2^53 = 9.0e15 cannot be told apart",
                     sw->branch[i], t);
            sw->host.refuse(0, text, sw->host.run);
            return 1;
        }
    return 0;
}

/* Whether energy k jumps, by more than positions that are off by their tolerances explain: with the
   slopes of both branches |E+ - E-| <= (|dE+/dp| + |dE-/dp|) |dp| if E is continuous. */
static double energy_jump(const dfl_branching *sw, int k, const double *tolerance)
{
    const dfl_branching_tables *m = sw->tables;
    const int first = m->nv + 2 * m->nmotions + k * (1 + m->np);
    const double *before = sw->before + first, *after = sw->after + first;
    double allowed = 1e-9 * (fabs(before[0]) + fabs(after[0])) + 1e-300;
    for (int i = 0; i < m->np; i++)
        allowed += 100 * (fabs(before[1 + i]) + fabs(after[1 + i])) * tolerance[m->n - m->np + i];
    return fabs(after[0] - before[0]) > allowed ? after[0] - before[0] : 0;
}

/* At an instant of time alone the potential may become another one. Where a mass jumps, an event
   has to say what happens to the velocities. */
static int refuse_energies(const dfl_branching *sw, const dfl_change *change, double t)
{
    const dfl_branching_tables *m = sw->tables;
    bool told = false, moved = false, any = false;
    char text[300];
    for (int i = 0; i < m->n; i++)
        told = told || change->assigned[i];
    for (int i = 0; i < m->switches.count; i++) {
        any = any || sw->flipped[i];
        moved = moved || (sw->flipped[i] && i >= m->instants.count);
    }
    for (int k = 0; any && k < m->nenergies; k++) {
        const bool kinetic = m->energies[k].kinetic, matters = kinetic ? !told : moved;
        const double jump = matters ? energy_jump(sw, k, change->tolerance) : 0;
        if (jump == 0)
            continue;
        snprintf(text, sizeof text,
                 kinetic ? "a mass jumps at t = %.10g, and the kinetic energy by %.3g; say what "
                           "happens to the velocities there, by an event with set"
                         : "the potential energy jumps at t = %.10g, by %.3g: its force would be "
                           "infinite; give a continuous function",
                 t, jump);
        sw->host.refuse(m->energies[k].line, text, sw->host.run);
        return 1;
    }
    return 0;
}

static int switch_flip(dfl_change *change, const bool *crossed, double t, const double *x,
                       void *user)
{
    dfl_branching *sw = user;
    const dfl_branching_tables *m = sw->tables;
    sw->host.evaluate(sw->before, DFL_CARRY_MOMENTA, t, x, sw->host.run);
    for (int i = 0; crossed && i < m->switches.count; i++)
        sw->flipped[i] = crossed[i] && m->watched[i].number < sw->first_contact &&
                         !dfl_branching_contrary(sw, i, change, t);
    for (int i = 0; crossed && i < m->switches.count; i++)
        if (sw->flipped[i])
            sw->branch[m->watched[i].number] = next_branch(sw, i);
    if (dfl_branching_act(change, sw, crossed, t))
        return 1;
    sw->host.prepare(sw->host.run);
    change->rows = dfl_branching_mask(sw);
    sw->host.evaluate(sw->after, DFL_CARRY_MOMENTA, t, x, sw->host.run);
    for (int i = 0; i < m->nv; i++)
        change->impulse[i] += sw->before[i] - sw->after[i];
    return refuse_large_floor(sw, t) || refuse_jumps(sw, t) ||
           (crossed && refuse_energies(sw, change, t));
}

/* At (t, x) itself, where nothing is continued. */
static int switch_valid(bool *valid, double t, const double *x, void *user)
{
    const dfl_branching *sw = user;
    sw->host.evaluate(sw->unlocked, DFL_CARRY_UNLOCKED, t, x, sw->host.run);
    *valid = true;
    for (int i = 0; i < sw->tables->ncontinued; i++)
        *valid = *valid && isfinite(sw->unlocked[i]);
    return 0;
}

/* Events that have acted and are still at zero, such as a bounce, belong to the side to which they
   move now. What invariants keep is what they are now. */
static int switch_resume(double t, const double *x, const double *rate, const double *tolerance,
                         void *user)
{
    dfl_branching *sw = user;
    const dfl_branching_tables *m = sw->tables;
    dfl_branching_noise(sw->noise, sw, t, x, tolerance);
    sw->host.evaluate(sw->value, DFL_CARRY_SWITCHES, t, x, sw->host.run);
    for (int i = m->instants.count; i < m->switches.count; i++) {
        const int number = m->watched[i].number;
        const bool acts = number >= m->nswitches && number < sw->first_contact;
        const double slope = acts ? dfl_branching_rate(sw, i, t, x, rate) : 0;
        if (slope != 0 && fabs(sw->value[i]) <= 10 * sw->noise[i])
            sw->branch[number] = slope > 0 ? 1 : -1;
    }
    sw->host.set_levels(t, x, sw->host.run);
    return 0;
}

/* One function at a time. */
static int switch_beyond(int i, bool beyond, void *user)
{
    dfl_branching *sw = user;
    const int number = sw->tables->watched[i].number;
    if (number >= sw->tables->nswitches)
        return 1;
    if (beyond == sw->beyond)
        return 0;
    if (beyond) {
        sw->held = sw->branch[number];
        sw->branch[number] = next_branch(sw, i);
    } else {
        sw->branch[number] = sw->held;
    }
    sw->beyond = beyond;
    sw->host.prepare(sw->host.run);
    return 0;
}

static void switch_name(char *out, size_t size, int function, void *user)
{
    const dfl_branching *sw = user;
    sw->host.name(out, size, function, sw->host.run);
}

void dfl_branching_lock(dfl_switch_options *out, dfl_branching *sw)
{
    const dfl_branching_tables *m = sw->tables;
    sw->locked = true;
    dfl_branching_begin(sw);
    *out = (dfl_switch_options){.count = m->switches.count,
                                .instants = m->instants.count,
                                .eval = switch_values,
                                .enclose = switch_bounds,
                                .noise = switch_noise,
                                .settle = switch_settle,
                                .flip = switch_flip,
                                .valid = m->ncontinued > 0 ? switch_valid : NULL,
                                .resume = switch_resume,
                                .beyond = switch_beyond,
                                .uses = m->switches.uses,
                                .acting = m->acting,
                                .name = sw->host.name ? switch_name : NULL,
                                .off = m->masked ? sw->off : NULL,
                                .user = sw};
    dfl_branching_describe_contacts(out, sw);
}
