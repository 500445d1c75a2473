/* switches.c: the branches in which the equations of a run are frozen, and the functions that bound
   them: for a switch with condition c and branch k = 1 or -1 the function k c. */
#include "engine/engine_internal.h"

#include <math.h>
#include <string.h>

static dfl_status collect(dfl_runnable *run);
static dfl_status keep_continued(dfl_switches *sw, dfl_context *ctx, const dfl_expr *rows,
                                 const bool *continued, int count);
static void order_functions(dfl_switches *sw, const dfl_runnable *run, bool time);
static dfl_status create_momenta(dfl_runnable *run);

static dfl_status collect(dfl_runnable *run)
{
    dfl_expr *rows;
    int count;
    dfl_status status = dfl_runnable_rows(&rows, &count, run, true);
    if (status)
        return status;
    dfl_expr *locked = dfl_alloc(run->ctx, (size_t)count, sizeof *locked);
    bool *continued = dfl_alloc(run->ctx, (size_t)count, sizeof *continued);
    status = locked && continued
                 ? dfl_lock(locked, continued, run->switches.lock, rows, count, true)
                 : DFL_NO_MEMORY;
    if (!status)
        status = keep_continued(&run->switches, run->ctx, rows, continued, count);
    dfl_free(run->ctx, rows);
    dfl_free(run->ctx, locked);
    dfl_free(run->ctx, continued);
    return status;
}

/* Rows that must be finite also without the continuation. */
static dfl_status keep_continued(dfl_switches *sw, dfl_context *ctx, const dfl_expr *rows,
                                 const bool *continued, int count)
{
    sw->continued = dfl_alloc(ctx, (size_t)count, sizeof *sw->continued);
    if (!sw->continued)
        return DFL_NO_MEMORY;
    for (int i = 0; i < count; i++)
        if (continued[i])
            sw->continued[sw->ncontinued++] = rows[i];
    return DFL_OK;
}

dfl_status dfl_switches_create(dfl_runnable *run)
{
    dfl_switches *sw = &run->switches;
    dfl_status status = dfl_locking_create(&sw->lock, run->eq->graph, NULL, 0);
    if (!status)
        sw->lock->precision = run->eq->model->precision;
    if (!status)
        status = collect(run);
    if (status)
        return status;
    sw->first_contact = sw->lock->count + run->eq->model->actions.list.count;
    sw->nitems = sw->first_contact + CONTACT_ITEMS * run->eq->model->actions.touches.count;
    const size_t count = (size_t)sw->nitems;
    sw->item = dfl_alloc(run->ctx, count, sizeof *sw->item);
    sw->branch = dfl_alloc(run->ctx, count, sizeof *sw->branch);
    sw->watched = dfl_alloc(run->ctx, 2 * count, sizeof *sw->watched);
    sw->flipped = dfl_alloc(run->ctx, 2 * count, sizeof *sw->flipped);
    if (!sw->item || !sw->branch || !sw->watched || !sw->flipped)
        return DFL_NO_MEMORY;
    for (int i = 0; i < sw->lock->count; i++)
        sw->item[i] = sw->lock->item[i];
    dfl_actions_list(sw->item + sw->lock->count, run);
    dfl_contacts_list(sw->item + sw->first_contact, run);
    for (int i = sw->first_contact; i < sw->nitems; i++)
        sw->branch[i] = 1; /* always on the valid side */
    order_functions(sw, run, true);
    sw->instants = sw->count;
    order_functions(sw, run, false);
    return DFL_OK;
}

static bool of_time(const dfl_runnable *run, int number)
{
    const dfl_graph *g = run->eq->graph;
    const unsigned fixed =
        1u << DFL_SYM_PARAM | 1u << DFL_SYM_INPUT | 1u << DFL_SYM_LEVEL | 1u << DFL_SYM_DISCRETE;
    const unsigned kinds = dfl_node_of(g, run->switches.item[number].source)->depends;
    return (kinds & ~fixed) == 1u << DFL_SYM_TIME;
}

/* Each switch has a function for every end of its branch; those of time alone come first. */
static void order_functions(dfl_switches *sw, const dfl_runnable *run, bool time)
{
    for (int i = 0; i < sw->nitems; i++) {
        const bool two = sw->item[i].kind != DFL_SWITCH_SIGN;
        if (of_time(run, i) != time || dfl_is_constant(run->eq->graph, sw->item[i].source))
            continue;
        for (int sense = two ? -1 : 0; sense <= 1; sense += two ? 2 : 3)
            sw->watched[sw->count++] = (dfl_watch){.number = i, .sense = sense};
    }
}

dfl_status dfl_switches_prepare(dfl_runnable *run)
{
    dfl_switches *sw = &run->switches;
    const int count = sw->count;
    dfl_status status = DFL_OK;
    if (count == 0)
        return DFL_OK;
    dfl_expr *conditions = dfl_alloc(run->ctx, (size_t)count, sizeof *conditions);
    sw->value = dfl_alloc(run->ctx, (size_t)count, sizeof *sw->value);
    sw->noise = dfl_alloc(run->ctx, (size_t)count, sizeof *sw->noise);
    if (!conditions || !sw->value || !sw->noise)
        status = DFL_NO_MEMORY;
    for (int i = 0; !status && i < count; i++)
        conditions[i] = sw->item[sw->watched[i].number].condition;
    if (!status)
        status = dfl_functions_create(&sw->all, run, conditions, count);
    if (!status)
        status = dfl_functions_create(&sw->of_time, run, conditions, sw->instants);
    if (!status)
        status = dfl_program_create(&sw->unlocked, run, sw->continued, sw->ncontinued);
    sw->unlocked_value = dfl_alloc(run->ctx, (size_t)sw->ncontinued, sizeof *sw->unlocked_value);
    if (!status && !sw->unlocked_value)
        status = DFL_NO_MEMORY;
    dfl_free(run->ctx, conditions);
    if (!status)
        status = dfl_switches_create_energy(run);
    return status ? status : create_momenta(run);
}

/* Momenta beyond M v, dT/dv of the energy that prescribed motions have, and these motions: what
   must not jump unnoticed. */
static dfl_status create_momenta(dfl_runnable *run)
{
    const dfl_equations *eq = run->eq;
    const dfl_model *model = eq->model;
    dfl_switches *sw = &run->switches;
    const int nv = eq->nv, count = model->motions.count, all = nv + 2 * count;
    dfl_expr *rows = dfl_alloc(run->ctx, (size_t)all, sizeof *rows);
    dfl_expr *symbols = dfl_alloc(run->ctx, (size_t)nv, sizeof *symbols);
    dfl_expr *zero = dfl_alloc(run->ctx, (size_t)nv, sizeof *zero);
    dfl_status status = rows && symbols && zero ? DFL_OK : DFL_NO_MEMORY;
    for (int i = 0; !status && i < nv; i++)
        symbols[i] = dfl_equations_v(eq)[i].symbol;
    if (!status && model->energy.driven != DFL_NO_EXPR)
        status = dfl_gradient_exprs(rows, eq->graph, model->energy.driven, symbols, nv);
    if (!status)
        status = dfl_substitute_exprs(rows, eq->graph, rows, nv, symbols, zero, nv);
    for (int i = 0; !status && i < count; i++) {
        rows[nv + i] = model->motions.item[i].value;
        rows[nv + count + i] = model->motions.item[i].rate;
    }
    if (!status)
        status = dfl_lock(rows, NULL, sw->lock, rows, all, false);
    if (!status)
        status = dfl_program_create(&sw->momenta, run, rows, all);
    sw->before = dfl_alloc(run->ctx, (size_t)all, sizeof *sw->before);
    sw->after = dfl_alloc(run->ctx, (size_t)all, sizeof *sw->after);
    if (!status && (!sw->before || !sw->after))
        status = DFL_NO_MEMORY;
    dfl_free(run->ctx, rows);
    dfl_free(run->ctx, symbols);
    dfl_free(run->ctx, zero);
    return status;
}

void dfl_switches_clear(dfl_runnable *run)
{
    dfl_switches *sw = &run->switches;
    dfl_context *ctx = run->ctx;
    dfl_functions_clear(&sw->all, ctx);
    dfl_functions_clear(&sw->of_time, ctx);
    dfl_free(ctx, sw->item);
    dfl_free(ctx, sw->flipped);
    dfl_free(ctx, sw->branch);
    dfl_free(ctx, sw->watched);
    dfl_free(ctx, sw->value);
    dfl_free(ctx, sw->continued);
    dfl_free(ctx, sw->unlocked_value);
    dfl_free(ctx, sw->noise);
    dfl_free(ctx, sw->before);
    dfl_free(ctx, sw->after);
    dfl_locking_free(sw->lock);
}

int dfl_runnable_switches(const dfl_runnable *run)
{
    return run->switches.lock->count;
}

const dfl_switch *dfl_runnable_switch(bool *depends_on_time, const dfl_runnable *run, int number)
{
    *depends_on_time = of_time(run, number);
    return &run->switches.item[number];
}

/* The function of one end of a branch is sign (c - border). */
static void end_of(double *sign, double *border, const dfl_runnable *run, int which)
{
    const dfl_switches *sw = &run->switches;
    const dfl_watch *watch = &sw->watched[which];
    double low, high;
    dfl_switch_borders(&low, &high, &sw->item[watch->number], run->eq->graph,
                       sw->branch[watch->number]);
    const bool lower = watch->sense < 0 || (watch->sense == 0 && isfinite(low));
    *sign = lower ? 1 : -1;
    *border = lower ? low : high;
}

static int switch_values(double *value, int count, double t, const double *x, void *user)
{
    const dfl_runnable *run = user;
    const dfl_switches *sw = &run->switches;
    double *out = sw->value;
    const dfl_functions *asked = count <= sw->instants ? &sw->of_time : &sw->all;
    dfl_runnable_evaluate(&asked->values, run, t, x, NULL, &out);
    for (int i = 0; i < count; i++) {
        double sign, border;
        end_of(&sign, &border, run, i);
        value[i] = sign * (sw->value[i] - border);
    }
    return 0;
}

static int switch_bounds(dfl_bounds *value, int count, const dfl_bounds *t, const dfl_bounds *x,
                         void *user)
{
    const dfl_runnable *run = user;
    const dfl_switches *sw = &run->switches;
    dfl_functions_bounds(value, count <= sw->instants ? &sw->of_time : &sw->all, t, x);
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
    const dfl_runnable *run = user;
    dfl_functions_noise(noise, &run->switches.all, run, t, x, tolerance);
    return 0;
}

/* Conditions inside conditions come first in the list, so that a pass in its order settles all but
   those that depend on each other through the state. With rates a switch has one of its branches,
   also where nothing moves. */
static bool settle(dfl_runnable *run, double t, const double *x, const double *rate)
{
    dfl_switches *sw = &run->switches;
    bool any = false;
    for (int pass = 0; pass <= sw->nitems; pass++) {
        bool changed = false;
        dfl_runnable_evaluate(&sw->all.values, run, t, x, NULL, &sw->value);
        for (int i = 0; i < sw->count; i++) {
            const int number = sw->watched[i].number;
            if (number >= sw->first_contact)
                continue;
            const double slope = rate ? dfl_functions_rate(&sw->all, run, i, t, x, rate) : 0;
            double branch =
                dfl_switch_branch(&sw->item[number], run->eq->graph, sw->value[i], slope);
            if (branch == 0 && rate && sw->item[number].kind == DFL_SWITCH_SIGN)
                branch = -1;
            changed = changed || branch != sw->branch[number];
            sw->branch[number] = branch;
        }
        any = any || changed;
        if (!changed)
            break;
        dfl_runnable_prepare(run);
    }
    return any;
}

static int switch_settle(bool *changed, double t, const double *x, const double *rate, void *user)
{
    *changed = settle(user, t, x, rate);
    return 0;
}

void dfl_runnable_follow(dfl_runnable *run, double t, const double *x)
{
    if (!run->switches.locked && run->switches.lock->count > 0)
        settle(run, t, x, NULL);
}

/* A prescribed motion that jumps by more than the rounding of time and of itself. */
static int refuse_jumps(const dfl_runnable *run, double t)
{
    const dfl_switches *sw = &run->switches;
    const dfl_model *model = run->eq->model;
    const int nv = run->eq->nv, count = model->motions.count;
    for (int i = nv; i < nv + count; i++) {
        const double jump = sw->after[i] - sw->before[i];
        const double size = fmax(fabs(sw->after[i]), fabs(sw->before[i]));
        const double rate = fmax(fabs(sw->after[i + count]), fabs(sw->before[i + count]));
        if (fabs(jump) > 1e-9 * (size + rate * fabs(t)) + 1e-12)
            return dfl_model_fail(model, model->motions.item[i - nv].line,
                                  "the motion of '%s' jumps by %.3g at t = %.10g: bodies cannot; "
                                  "give a continuous function of time",
                                  model->motions.item[i - nv].name, jump, t) != DFL_OK;
    }
    return 0;
}

/* Beyond 2^53 a number and its successor are the same. */
static int refuse_large_floor(const dfl_runnable *run, double t)
{
    const dfl_switches *sw = &run->switches;
    for (int i = 0; i < sw->lock->count; i++)
        if (sw->lock->item[i].kind == DFL_SWITCH_FLOOR && !(fabs(sw->branch[i]) < 0x1p53))
            return dfl_model_fail(run->eq->model, 0,
                                  "the argument of a floor or mod is %.3g at t = %.10g: whole "
                                  "numbers beyond 2^53 = 9.0e15 cannot be told apart",
                                  sw->branch[i], t) != DFL_OK;
    return 0;
}

static int switch_flip(dfl_change *change, const bool *crossed, double t, const double *x,
                       void *user)
{
    dfl_runnable *run = user;
    dfl_switches *sw = &run->switches;
    const int nv = run->eq->nv;
    dfl_runnable_evaluate(&sw->momenta, run, t, x, NULL, &sw->before);
    for (int i = 0; crossed && i < sw->count; i++)
        sw->flipped[i] = crossed[i] && sw->watched[i].number < sw->first_contact &&
                         !dfl_actions_contrary(run, i, change, t);
    for (int i = 0; crossed && i < sw->count; i++)
        if (sw->flipped[i]) {
            double sign, border, *branch = &sw->branch[sw->watched[i].number];
            end_of(&sign, &border, run, i);
            *branch = dfl_switch_next(&sw->item[sw->watched[i].number], run->eq->graph, *branch,
                                      sign > 0 ? -1 : 1);
        }
    dfl_actions_do(change, run, crossed, t);
    dfl_runnable_prepare(run);
    change->rows = dfl_actions_mask(run);
    dfl_runnable_evaluate(&sw->momenta, run, t, x, NULL, &sw->after);
    for (int i = 0; i < nv; i++)
        change->impulse[i] += sw->before[i] - sw->after[i];
    return refuse_large_floor(run, t) || refuse_jumps(run, t);
}

/* At (t, x) itself, where nothing is continued. */
static int switch_valid(bool *valid, double t, const double *x, void *user)
{
    const dfl_runnable *run = user;
    const dfl_switches *sw = &run->switches;
    double *value = sw->unlocked_value;
    dfl_runnable_evaluate(&sw->unlocked, run, t, x, NULL, &value);
    *valid = true;
    for (int i = 0; i < sw->ncontinued; i++)
        *valid = *valid && isfinite(value[i]);
    return 0;
}

/* Events that have acted and are still at zero, such as a bounce, belong to the side to which they
   move now. What invariants keep is what they are now. */
static int switch_resume(double t, const double *x, const double *rate, const double *tolerance,
                         void *user)
{
    dfl_runnable *run = user;
    dfl_switches *sw = &run->switches;
    double *noise = sw->noise;
    dfl_functions_noise(noise, &sw->all, run, t, x, tolerance);
    dfl_runnable_evaluate(&sw->all.values, run, t, x, NULL, &sw->value);
    for (int i = sw->instants; i < sw->count; i++) {
        const int number = sw->watched[i].number;
        const bool acts = number >= sw->lock->count && number < sw->first_contact;
        const double slope = acts ? dfl_functions_rate(&sw->all, run, i, t, x, rate) : 0;
        if (slope != 0 && fabs(sw->value[i]) <= 10 * noise[i])
            sw->branch[number] = slope > 0 ? 1 : -1;
    }
    dfl_runnable_set_levels(run, t, x);
    return 0;
}

/* One function at a time. */
static int switch_beyond(int i, bool beyond, void *user)
{
    dfl_runnable *run = user;
    dfl_switches *sw = &run->switches;
    const int number = sw->watched[i].number;
    double sign, border;
    if (number >= sw->lock->count)
        return 1;
    if (beyond == sw->beyond)
        return 0;
    if (beyond) {
        sw->held = sw->branch[number];
        end_of(&sign, &border, run, i);
        sw->branch[number] =
            dfl_switch_next(&sw->item[number], run->eq->graph, sw->held, sign > 0 ? -1 : 1);
    } else {
        sw->branch[number] = sw->held;
    }
    sw->beyond = beyond;
    dfl_runnable_prepare(run);
    return 0;
}

void dfl_runnable_lock(dfl_switch_options *out, dfl_runnable *run)
{
    run->switches.locked = true;
    dfl_actions_begin(run);
    *out = (dfl_switch_options){.count = run->switches.count,
                                .instants = run->switches.instants,
                                .eval = switch_values,
                                .enclose = switch_bounds,
                                .noise = switch_noise,
                                .settle = switch_settle,
                                .flip = switch_flip,
                                .valid = run->switches.ncontinued > 0 ? switch_valid : NULL,
                                .resume = switch_resume,
                                .beyond = switch_beyond,
                                .uses = run->switches.all.uses,
                                .acting = run->actions.acting,
                                .off = run->actions.masked ? run->actions.off : NULL,
                                .user = run};
    dfl_run_contacts_describe(out, run);
}

void dfl_runnable_unlock(dfl_runnable *run)
{
    run->switches.locked = false;
}
