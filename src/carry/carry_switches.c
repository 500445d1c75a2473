/* carry_switches.c: the branches of a carried model, and the functions that bound them, as in
   engine/switches.c. */
#include "carry/carry_internal.h"

#include <math.h>

static dfl_switch switch_of(const dfl_carried_run *run, int number)
{
    const dfl_carried_switch *item = &run->model->switch_kinds[number];
    return (dfl_switch){.kind = (dfl_switch_kind)item->kind, .spline = item->table};
}

/* The function of one end of a branch is sign (c - border). */
static void end_of(double *sign, double *border, const dfl_carried_run *run, int which)
{
    const dfl_carried_watch *watch = &run->model->watched[which];
    const dfl_switch item = switch_of(run, watch->number);
    double low, high;
    dfl_switch_borders(&low, &high, &item, &run->graph, run->branch[watch->number]);
    const bool lower = watch->sense < 0 || (watch->sense == 0 && isfinite(low));
    *sign = lower ? 1 : -1;
    *border = lower ? low : high;
}

static int switch_values(double *value, int count, double t, const double *x, void *user)
{
    const dfl_carried_run *run = user;
    const bool instants = count <= run->model->instants.count;
    double *out = run->value;
    dfl_carried_evaluate(run, instants ? DFL_CARRY_INSTANTS : DFL_CARRY_SWITCHES, t, x, NULL, &out);
    for (int i = 0; i < count; i++) {
        double sign, border;
        end_of(&sign, &border, run, i);
        value[i] = sign * (run->value[i] - border);
    }
    return 0;
}

static int switch_bounds(dfl_bounds *value, int count, const dfl_bounds *t, const dfl_bounds *x,
                         void *user)
{
    const dfl_carried_run *run = user;
    const bool instants = count <= run->model->instants.count;
    dfl_carried_bounds(value, run, instants ? DFL_CARRY_INSTANTS : DFL_CARRY_SWITCHES, t, x);
    for (int i = 0; i < count; i++) {
        const dfl_bounds c = value[i];
        double sign, border;
        end_of(&sign, &border, run, i);
        value[i] = sign > 0
                       ? (dfl_bounds){c.low - border, c.high - border, c.slope_low, c.slope_high}
                       : (dfl_bounds){border - c.high, border - c.low, -c.slope_high, -c.slope_low};
    }
    return 0;
}

static int switch_noise(double *noise, double t, const double *x, const double *tolerance,
                        void *user)
{
    const dfl_carried_run *run = user;
    dfl_carried_noise(noise, run, &run->model->switches, DFL_CARRY_SWITCH_SLOPES, t, x, tolerance);
    return 0;
}

bool dfl_carried_settle(dfl_carried_run *run, double t, const double *x, const double *rate)
{
    const dfl_carried *m = run->model;
    bool any = false;
    for (int pass = 0; pass <= m->nswitches; pass++) {
        bool changed = false;
        dfl_carried_evaluate(run, DFL_CARRY_SWITCHES, t, x, NULL, &run->value);
        for (int i = 0; i < m->switches.count; i++) {
            const int number = m->watched[i].number;
            const dfl_switch item = switch_of(run, number);
            const double slope = rate ? dfl_carried_rate(run, i, t, x, rate) : 0;
            double branch = dfl_switch_branch(&item, &run->graph, run->value[i], slope);
            if (branch == 0 && rate && item.kind == DFL_SWITCH_SIGN)
                branch = -1;
            changed = changed || branch != run->branch[number];
            run->branch[number] = branch;
        }
        any = any || changed;
        if (!changed)
            break;
        dfl_carried_prepare(run);
    }
    return any;
}

void dfl_carried_follow(dfl_carried_run *run, double t, const double *x)
{
    if (!run->locked && run->model->nswitches > 0)
        dfl_carried_settle(run, t, x, NULL);
}

void dfl_carried_lock(dfl_carried_run *run, bool locked)
{
    run->locked = locked;
}

static int switch_settle(bool *changed, double t, const double *x, const double *rate, void *user)
{
    *changed = dfl_carried_settle(user, t, x, rate);
    return 0;
}

/* A prescribed motion that jumps by more than the rounding of time and of itself; a floor beyond
   2^53. */
static int refuse(const dfl_carried_run *run, double t)
{
    const dfl_carried *m = run->model;
    for (int i = m->eom.nv; i < m->eom.nv + m->nmotions; i++) {
        const double jump = run->after[i] - run->before[i];
        const double size = fmax(fabs(run->after[i]), fabs(run->before[i]));
        const double rate =
            fmax(fabs(run->after[i + m->nmotions]), fabs(run->before[i + m->nmotions]));
        if (fabs(jump) > 1e-9 * (size + rate * fabs(t)) + 1e-12)
            return dfl_fail(run->ctx, DFL_CALLBACK,
                            "the motion of '%s' jumps by %.3g at t = %.10g: bodies cannot",
                            m->motions[i - m->eom.nv], jump, t) != DFL_OK;
    }
    for (int i = 0; i < m->nswitches; i++)
        if (m->switch_kinds[i].kind == DFL_SWITCH_FLOOR && !(fabs(run->branch[i]) < 0x1p53))
            return dfl_fail(run->ctx, DFL_CALLBACK,
                            "the argument of a floor or mod is %.3g at t = %.10g: whole numbers "
                            "beyond 2^53 cannot be told apart",
                            run->branch[i], t) != DFL_OK;
    return 0;
}

static int switch_flip(dfl_change *change, const bool *crossed, double t, const double *x,
                       void *user)
{
    dfl_carried_run *run = user;
    const dfl_carried *m = run->model;
    dfl_carried_evaluate(run, DFL_CARRY_MOMENTA, t, x, NULL, &run->before);
    for (int i = 0; crossed && i < m->switches.count; i++)
        if (crossed[i]) {
            double sign, border, *branch = &run->branch[m->watched[i].number];
            const dfl_switch item = switch_of(run, m->watched[i].number);
            end_of(&sign, &border, run, i);
            *branch = dfl_switch_next(&item, &run->graph, *branch, sign > 0 ? -1 : 1);
        }
    dfl_carried_prepare(run);
    dfl_carried_evaluate(run, DFL_CARRY_MOMENTA, t, x, NULL, &run->after);
    for (int i = 0; i < m->eom.nv; i++)
        change->impulse[i] += run->before[i] - run->after[i];
    return refuse(run, t);
}

static int switch_valid(bool *valid, double t, const double *x, void *user)
{
    const dfl_carried_run *run = user;
    double *value = run->unlocked;
    dfl_carried_evaluate(run, DFL_CARRY_UNLOCKED, t, x, NULL, &value);
    *valid = true;
    for (int i = 0; i < run->model->ncontinued; i++)
        *valid = *valid && isfinite(value[i]);
    return 0;
}

void dfl_carried_describe_switches(dfl_switch_options *out, dfl_carried_run *run)
{
    const dfl_carried *m = run->model;
    *out = (dfl_switch_options){.count = m->switches.count,
                                .instants = m->instants.count,
                                .eval = switch_values,
                                .enclose = switch_bounds,
                                .noise = switch_noise,
                                .settle = switch_settle,
                                .flip = switch_flip,
                                .valid = m->ncontinued > 0 ? switch_valid : NULL,
                                .uses = m->switches.uses,
                                .user = run};
}

int dfl_carried_indicators(const dfl_carried_run *run)
{
    return run->model->switches.count + run->model->nevents;
}

void dfl_carried_indicate(double *value, dfl_carried_run *run, double t, const double *x)
{
    double *events = value + run->model->switches.count;
    if (run->model->switches.count > 0)
        switch_values(value, run->model->switches.count, t, x, run);
    dfl_carried_evaluate(run, DFL_CARRY_EVENTS, t, x, NULL, &events);
}
