/* Branches: during a step the model keeps its branch. Afterwards the functions that bound it are
   looked at on the polynomial of the step; where the first of them passes zero the step is taken
   again to end there, with the accuracy of the method. Then the model takes the other branch, and
   what jumps (accelerations, multipliers, auxiliary variables, velocities at the kink of a
   prescribed motion) is computed anew. Zeros of functions of time are known before a step, which
   ends there at once. */
#include "solver/switching.h"
#include "solver/contact_modes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 100 };              /* of branches that change each other */
enum { CROWD = 1000 };              /* crossings ... */
static const double crowded = 1e-7; /* ... closer than this part of the run, on the average ... */
static const double faintly = 1e-6; /* ... or than this, if nothing moves but noise: ... */
static const double noise = 100;    /* ... tolerances */

static dfl_status flip(dfl_solver *solver, const bool *crossed);
static dfl_status resume(dfl_solver *solver);
static dfl_status guard(dfl_solver *solver);
static bool stands(dfl_solver *solver);
static dfl_status tell_side(const dfl_solver *solver, const bool *crossed);

dfl_status dfl_switching_init(dfl_solver *solver)
{
    const dfl_solver_options *opt = &solver->options;
    const size_t count = (size_t)opt->switches.count, d = sizeof(double);
    const size_t n = (size_t)solver->sys.n + 3 * (size_t)solver->eom->nv;
    dfl_context *ctx = solver->ctx;
    if (count == 0)
        return DFL_OK;
    dfl_switching *sw = solver->switching = dfl_alloc(ctx, 1, sizeof *sw);
    if (!sw)
        return DFL_NO_MEMORY;
    sw->value = dfl_alloc(ctx, count, d);
    sw->noise = dfl_alloc(ctx, count, d);
    sw->probe = dfl_alloc(ctx, 2 * count + n, d);
    sw->tolerance = dfl_alloc(ctx, n, d);
    sw->rate = dfl_alloc(ctx, n, d);
    sw->frozen = dfl_alloc(ctx, 2 * n, d);
    sw->change.impulse = dfl_alloc(ctx, (size_t)solver->eom->nv, d);
    sw->change.x = dfl_alloc(ctx, (size_t)solver->sys.nu, d);
    sw->change.assigned = dfl_alloc(ctx, (size_t)solver->sys.nu, sizeof(bool));
    sw->change.met = opt->events.count > 0 ? dfl_alloc(ctx, (size_t)opt->events.count, 1) : NULL;
    sw->before = dfl_alloc(ctx, (size_t)solver->sys.nu, d);
    sw->crossed = dfl_alloc(ctx, count, sizeof *sw->crossed);
    sw->looked = dfl_alloc(ctx, count, sizeof *sw->looked);
    sw->crowd_of = dfl_alloc(ctx, count, sizeof *sw->crowd_of);
    sw->record.x = dfl_alloc(ctx, (size_t)solver->sys.nu, d);
    sw->record.modes =
        dfl_alloc(ctx, (size_t)opt->switches.contacts.count, sizeof *sw->record.modes);
    sw->resume_at = sw->last = NAN;
    if (!sw->value || !sw->noise || !sw->probe || !sw->tolerance || !sw->rate || !sw->frozen ||
        !sw->change.impulse || !sw->change.x || !sw->change.assigned ||
        (opt->events.count > 0 && !sw->change.met) || !sw->before || !sw->crossed || !sw->looked ||
        !sw->crowd_of || !sw->record.x || !sw->record.modes)
        return DFL_NO_MEMORY;
    /* friction that is shared is measured with all unknowns (stuck_friction.c) */
    const bool *uses = opt->switches.contacts.count > 1 ? NULL : opt->switches.uses;
    dfl_status status = dfl_path_init(&sw->path, &solver->sys, uses);
    if (!status && opt->output.on_instant)
        status = dfl_impulses_init(&sw->impulses, &solver->initial);
    if (!status)
        status = dfl_contacts_init(solver);
    return status ? status : dfl_search_init(&sw->search, ctx, opt->switches.count, solver->sys.nu);
}

void dfl_switching_clear(dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    dfl_context *ctx = solver->ctx;
    if (!sw)
        return;
    dfl_free(ctx, sw->value);
    dfl_free(ctx, sw->noise);
    dfl_free(ctx, sw->probe);
    dfl_free(ctx, sw->tolerance);
    dfl_free(ctx, sw->rate);
    dfl_free(ctx, sw->frozen);
    dfl_free(ctx, sw->change.impulse);
    dfl_free(ctx, sw->change.x);
    dfl_free(ctx, sw->change.assigned);
    dfl_free(ctx, sw->change.met);
    dfl_free(ctx, sw->before);
    dfl_free(ctx, sw->crossed);
    dfl_free(ctx, sw->looked);
    dfl_free(ctx, sw->crowd_of);
    dfl_free(ctx, sw->record.x);
    dfl_free(ctx, sw->record.modes);
    dfl_impulses_clear(&sw->impulses, ctx);
    dfl_path_clear(&sw->path, ctx);
    dfl_search_clear(&sw->search);
    dfl_contacts_clear(solver);
    dfl_free(ctx, sw);
}

dfl_status dfl_switching_stopped(const dfl_solver *solver, const char *name)
{
    return dfl_fail(solver->ctx, DFL_CALLBACK, "%s stopped the computation at t = %.10g", name,
                    solver->stepper->t);
}

/* ------------------------------------------------------------------------------- the start */

dfl_status dfl_switching_begin(dfl_solver *solver, double t0, const double *x0)
{
    const dfl_switch_options *opt = &solver->options.switches;
    bool changed;
    const dfl_status status = dfl_contacts_begin(solver);
    if (status)
        return status;
    if (opt->count > 0 && opt->settle(&changed, t0, x0, NULL, opt->user))
        return dfl_switching_stopped(solver, "settle");
    return DFL_OK;
}

dfl_status dfl_switching_complete(dfl_solver *solver, double t0, const double *x0,
                                  const dfl_conditions *conditions)
{
    const dfl_switch_options *opt = &solver->options.switches;
    const size_t size = (size_t)solver->sys.nu * sizeof *x0;
    bool changed = false;
    memcpy(solver->x, x0, size);
    dfl_status status = dfl_initial_complete(solver->x, &solver->initial, t0, conditions);
    for (int round = 0; !status && opt->count > 0 && round < ROUNDS; round++) {
        if (opt->settle(&changed, t0, solver->x, NULL, solver->options.switches.user))
            return dfl_switching_stopped(solver, "settle");
        if (!changed)
            return DFL_OK;
        memcpy(solver->x, x0, size);
        status = dfl_initial_complete(solver->x, &solver->initial, t0, conditions);
    }
    if (!status && changed)
        status = dfl_fail(solver->ctx, DFL_INCONSISTENT,
                          "no branch of the model is valid at the start, t = %g: each one leads to "
                          "another",
                          t0);
    return status;
}

dfl_status dfl_switching_settle(bool *again, dfl_solver *solver)
{
    const dfl_stepper *st = solver->stepper;
    dfl_switching *sw = solver->switching;
    *again = false;
    if (!sw)
        return DFL_OK;
    sw->pending = false;
    sw->instant = INFINITY;
    sw->horizon = st->here.t;
    sw->resume_at = sw->last = NAN;
    sw->crowd = sw->faint = 0;
    sw->halvings = sw->distrusted = 0;
    sw->told = false;
    solver->cut = NAN;
    dfl_stepper_rates(sw->rate, st, &st->here);
    if (solver->options.switches.settle(again, st->here.t, st->here.x + solver->sys.na,
                                        sw->rate + solver->sys.na, solver->options.switches.user))
        return dfl_switching_stopped(solver, "settle");
    return DFL_OK;
}

dfl_status dfl_switching_first(dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    if (!sw || !solver->options.switches.resume)
        return DFL_OK;
    solver->stepper->t = solver->stepper->here.t;
    memset(sw->crossed, 0, (size_t)solver->options.switches.count * sizeof *sw->crossed);
    dfl_record_begin(solver);
    dfl_status status = flip(solver, NULL);
    if (!status && (sw->change.acted || sw->change.rows || solver->contacts))
        status = dfl_switching_jump(solver);
    return !status && sw->change.acted ? resume(solver) : status;
}

/* ------------------------------------------------------------------------------- branches */

dfl_status dfl_switching_flip(dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    if (!sw || !sw->pending)
        return DFL_OK;
    sw->pending = false;
    solver->stats.crossings++;
    dfl_status status = dfl_switching_stand_at_cut(solver);
    if (!status && !sw->timed)
        status = guard(solver);
    sw->last = solver->stepper->t;
    if (!status)
        status = dfl_switching_report(solver, false);
    if (!status)
        status = tell_side(solver, sw->crossed);
    if (!status) {
        dfl_record_begin(solver);
        status = dfl_solver_approach_switch(solver);
    }
    if (!status)
        status = dfl_switching_change(solver);
    if (!status)
        status = dfl_solver_leave_switch(solver);
    if (!status)
        status = dfl_switching_report(solver, true);
    if (!status)
        status = tell_side(solver, NULL);
    if (solver->stepper->t == sw->instant)
        sw->horizon = sw->instant, sw->instant = INFINITY;
    return status;
}

static dfl_status tell_side(const dfl_solver *solver, const bool *crossed)
{
    const dfl_around_fn tell = solver->options.output.on_side;
    return tell && tell(crossed, solver->options.user)
               ? dfl_fail(solver->ctx, DFL_STOPPED, "on_side stopped the run at t = %.10g",
                          solver->stepper->t)
               : DFL_OK;
}

dfl_status dfl_switching_stand_at_cut(dfl_solver *solver)
{
    const double t = solver->cut;
    solver->cut = NAN;
    if (isnan(t))
        return DFL_OK;
    if (!dfl_solver_evaluate_beside(solver, t, solver->x_cut))
        return dfl_switching_stopped(solver, "eval");
    dfl_solver_stand_beside(solver);
    return DFL_OK;
}

dfl_status dfl_switching_go_on(dfl_solver *solver, bool turned)
{
    dfl_switching *sw = solver->switching;
    const dfl_stepper *st = solver->stepper;
    if (!sw)
        return DFL_OK;
    const bool there = st->t == sw->pending_at || (st->stepped && solver->cut == sw->pending_at);
    if (turned || (sw->pending && !there)) {
        sw->pending = false;
        sw->instant = INFINITY;
        sw->horizon = st->t;
        solver->cut = NAN;
    }
    if (turned)
        sw->resume_at = NAN;
    return dfl_switching_flip(solver);
}

/* Asks the model for the other branches, and for what events do. */
static dfl_status flip(dfl_solver *solver, const bool *crossed)
{
    dfl_change *change = &solver->switching->change;
    const dfl_switch_options *opt = &solver->options.switches;
    const size_t n = (size_t)solver->sys.nu;
    char old[200];
    snprintf(old, sizeof old, "%s", dfl_message(solver->ctx));
    memset(change->impulse, 0, (size_t)solver->eom->nv * sizeof *change->impulse);
    memset(change->assigned, 0, n * sizeof *change->assigned);
    memcpy(change->x, dfl_solver_state(solver), n * sizeof *change->x);
    if (change->met)
        memset(change->met, 0, (size_t)solver->options.events.count);
    change->acted = change->rows = false;
    dfl_stepper_rates(solver->switching->rate, solver->stepper, &solver->stepper->here);
    change->rate = solver->switching->rate + solver->sys.na;
    dfl_solver_tolerances_at(solver->switching->tolerance, solver, dfl_solver_state(solver));
    change->tolerance = solver->switching->tolerance;
    if (!opt->flip(change, crossed, solver->stepper->t, dfl_solver_state(solver), opt->user)) {
        solver->switching->record.acts += change->acted;
        return DFL_OK;
    }
    return strncmp(old, dfl_message(solver->ctx), sizeof old - 1)
               ? DFL_CALLBACK /* the model has left its own message */
               : dfl_switching_stopped(solver, "flip");
}

/* Once events have acted: the side of those that are still at zero. */
static dfl_status resume(dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    const dfl_switch_options *opt = &solver->options.switches;
    const dfl_stepper *st = solver->stepper;
    dfl_stepper_rates(sw->rate, st, &st->here);
    dfl_solver_tolerances_at(sw->tolerance, solver, dfl_solver_state(solver));
    return opt->resume && opt->resume(st->t, dfl_solver_state(solver), sw->rate + solver->sys.na,
                                      sw->tolerance, opt->user)
               ? dfl_switching_stopped(solver, "resume")
               : DFL_OK;
}

dfl_status dfl_switching_change(dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    const dfl_switch_options *opt = &solver->options.switches;
    bool acted = false;
    if (dfl_switching_noise(sw->noise, solver->stepper->t, dfl_solver_state(solver), solver))
        return dfl_switching_stopped(solver, "noise");
    for (int round = 0; round < ROUNDS; round++) {
        bool again = false;
        dfl_status status = flip(solver, sw->crossed);
        if (!status)
            status = dfl_switching_jump(solver);
        if (!status)
            dfl_stepper_resume(solver->stepper);
        acted = acted || sw->change.acted;
        if (!status)
            status = dfl_switching_values(solver);
        /* functions of the modes that are taken now have a noise of their own */
        if (!status &&
            dfl_switching_noise(sw->noise, solver->stepper->t, dfl_solver_state(solver), solver))
            status = dfl_switching_stopped(solver, "noise");
        if (status)
            return status;
        for (int i = 0; i < opt->count; i++) {
            sw->crossed[i] = sw->value[i] < -sw->noise[i];
            again = again || sw->crossed[i];
        }
        if (!again)
            return acted ? resume(solver) : DFL_OK;
    }
    char names[4 * DFL_SWITCH_NAME];
    dfl_switching_name_crossed(names, sizeof names, solver);
    return dfl_fail(solver->ctx, DFL_NOT_CONVERGED,
                    "switches keep switching each other at t = %.10g: %s; give them a dead band",
                    solver->stepper->t, names);
}

dfl_status dfl_switching_catch_up(dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    bool any = false;
    sw->instant = INFINITY;
    sw->horizon = solver->stepper->t;
    sw->pending = false;
    solver->cut = NAN;
    if (dfl_switching_noise(sw->noise, solver->stepper->t, dfl_solver_state(solver), solver))
        return dfl_switching_stopped(solver, "noise");
    const dfl_status status = dfl_switching_values(solver);
    for (int i = 0; !status && i < solver->options.switches.count; i++) {
        sw->crossed[i] = sw->value[i] < -sw->noise[i];
        any = any || sw->crossed[i];
    }
    return any ? dfl_switching_change(solver) : status;
}

/* Whether since the last crossing nothing can have moved by more than noise. */
static bool stands(dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    const dfl_stepper *st = solver->stepper;
    const double span = fabs(st->t - sw->last), *rate = sw->rate + solver->sys.na;
    dfl_stepper_rates(sw->rate, st, &st->here);
    dfl_solver_tolerances_at(sw->tolerance, solver, dfl_solver_state(solver));
    for (int i = 0; i < solver->sys.nu; i++)
        if (dfl_stepper_has_rate(st, &st->here, solver->sys.na + i) &&
            !(span * fabs(rate[i]) <= noise * sw->tolerance[i]))
            return false;
    return true;
}

/* Crossings that come closer and closer would never end. */
static dfl_status guard(dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    const double t = solver->stepper->t, run = fabs(solver->t_end - solver->t0);
    if (sw->crowd++ == 0) {
        sw->recent = t;
        sw->faint = 0;
        memset(sw->crowd_of, 0, (size_t)solver->options.switches.count * sizeof *sw->crowd_of);
    }
    for (int i = 0; i < solver->options.switches.count; i++)
        sw->crowd_of[i] += sw->crossed[i];
    sw->faint += stands(solver);
    if (sw->crowd < CROWD)
        return DFL_OK;
    const double near = 10 * sw->faint >= 9 * CROWD ? faintly : crowded;
    if (fabs(t - sw->recent) <= CROWD * near * run) {
        char names[2 * DFL_SWITCH_NAME + 50];
        dfl_switching_name_crowd(names, sizeof names, solver);
        return dfl_fail(solver->ctx, DFL_NOT_CONVERGED,
                        "events accumulate at t = %.10g: %s times in %.2g s", t, names,
                        fabs(t - sw->recent));
    }
    sw->crowd = 0;
    return DFL_OK;
}
