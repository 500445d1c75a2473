/* After a step: where the first function passes zero the step is taken again to end there, with the
   accuracy of the method. */
#include "solver/contact_modes.h"
#include "solver/solver_internal.h"
#include "solver/switching.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LANDINGS = 6 }; /* retakes of one step */

static dfl_status find_crossing(double *at, dfl_solver *solver);
static double ahead(int i, void *user);
static dfl_status sample_shared(double *at, dfl_solver *solver);
static bool halve(dfl_solver *solver);
static bool land_at(dfl_solver *solver, double at);
static double distance_to_zero(dfl_solver *solver, int which);
static dfl_status mark_crossed(dfl_solver *solver, double at, int first);
static bool goes_along(dfl_solver *solver, int i);
static bool waits(const dfl_solver *solver, int i);
static double time_here(const dfl_solver *solver);
static const double *state_here(const dfl_solver *solver);
static void rates_here(dfl_bounds *t, dfl_solver *solver);
static dfl_status slopes_by_differences(dfl_solver *solver, bool all);

dfl_status dfl_switching_land(dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    dfl_stepper *st = solver->stepper;
    double at;
    if (!sw)
        return DFL_OK;
    if (st->t == sw->resume_at)
        sw->resume_at = NAN;
    const double end = st->t;
    dfl_status status = find_crossing(&at, solver);
    if (status)
        return status;
    if (at > 1 && sw->search.undecided >= 0 && halve(solver))
        return DFL_OK;
    bool trusted;
    status = dfl_switching_trust(&trusted, solver, at);
    if (status || !trusted)
        return status;
    sw->halvings = 0;
    const bool instant = st->t == sw->instant;
    if (at > 1) {
        sw->pending = sw->timed = instant;
        sw->pending_at = st->t;
        return instant ? dfl_switching_mark_instants(solver) : DFL_OK;
    }
    if (at < 1 && solver->options.step.fixed > 0 && isnan(sw->resume_at))
        sw->resume_at = end;
    if (instant && at < 1) /* not reached */
        sw->horizon = st->t_old;
    if (!instant || at < 1)
        sw->instant = INFINITY, sw->horizon = st->t_old;
    int first = 0;
    for (int i = 0; i < solver->options.switches.count; i++)
        if (sw->search.first[i] == at)
            first = i;
    const double when = st->t_old + at * (st->t - st->t_old);
    if (at < 1 && !land_at(solver, at)) /* perhaps once the step was made shorter */
        status = dfl_switching_cut_at(
            solver, end < st->t_old ? fmax(when, st->t) : fmin(when, st->t), first);
    sw->pending = true;
    sw->pending_at = time_here(solver);
    sw->timed = false;
    return status ? status : mark_crossed(solver, at, first);
}

/* Goes back and proposes half the step; false: that was done often enough, and samples have
   decided, which is told once. */
static bool halve(dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    dfl_stepper *st = solver->stepper;
    const double h = st->t - st->t_old;
    if (sw->halvings < DFL_SWITCHING_HALVINGS && solver->options.step.fixed == 0) {
        sw->halvings++;
        dfl_stepper_undo(st);
        st->h = 0.5 * h;
        return true;
    }
    if (!sw->told) {
        char name[DFL_SWITCH_NAME];
        dfl_switching_name(name, sizeof name, sw->search.undecided, solver);
        dfl_log(&solver->options, DFL_LOG_NOTICE,
                "whether %s changes near t = %.10g is not decided by bounds: the step is sampled, "
                "and short changes may be missed",
                name, st->t);
    }
    sw->told = true;
    return false;
}

/* The first crossing in the last step, as a part of it. */
static dfl_status find_crossing(double *at, dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    dfl_search *search = &sw->search;
    const dfl_switch_options *opt = &solver->options.switches;
    *at = 2;
    if (opt->count == opt->instants)
        return DFL_OK;
    dfl_switching_path(solver);
    const dfl_watched watched = {.count = opt->count,
                                 .eval = dfl_switching_eval,
                                 .enclose = opt->enclose ? dfl_switching_enclose : NULL,
                                 .noise = dfl_switching_noise,
                                 .name = dfl_switching_name,
                                 .ahead = ahead,
                                 .user = solver};
    search->path = &sw->path;
    search->watched = &watched;
    search->time_only = false;
    search->may_sample = sw->halvings >= DFL_SWITCHING_HALVINGS;
    search->enclosures = &solver->stats.enclosures;
    dfl_status status = dfl_search_run(at, search, 0, 1);
    if (!status)
        status = sample_shared(at, solver);
    if (!status && *at > 1 && search->undecided < 0 && opt->beyond && opt->enclose)
        status = dfl_switching_small_crossing(at, solver, &watched);
    if (!status && *at > 1 && search->undecided < 0 && solver->contacts && opt->enclose)
        status = dfl_switching_fast_closing(at, solver, &watched);
    search->watched = NULL;
    return status;
}

/* The next step may be eight times as long. A gap that closes with a speed does so, however short
   the last steps are: else a body that bounces or rocks within its noise sinks into it. */
static double ahead(int i, void *user)
{
    const dfl_solver *solver = user;
    const int *contact = solver->options.switches.contact, k = contact ? contact[i] : -1;
    return k >= 0 && k % 2 == 0 && !solver->contacts->mode[k / 2].closed ? 8 : 1;
}

/* Friction that is shared, up to *at. */
static dfl_status sample_shared(double *at, dfl_solver *solver)
{
    dfl_search *search = &solver->switching->search;
    bool any = false;
    for (int i = 0; i < solver->options.switches.count; i++) {
        search->open[i] = dfl_contacts_is_shared(solver, i);
        any = any || search->open[i];
    }
    const dfl_status status =
        any ? dfl_search_sample(search, search->open, 0, fmin(*at, 1)) : DFL_OK;
    for (int i = 0; any && i < solver->options.switches.count; i++)
        *at = fmin(*at, search->first[i]);
    return status;
}

/* What tolerances may change: ten times that is no crossing. Functions of time cross at their
   instants only. */
int dfl_switching_noise(double *noise, double t, const double *x, void *user)
{
    dfl_solver *solver = user;
    dfl_switching *sw = solver->switching;
    const dfl_switch_options *opt = &solver->options.switches;
    memset(noise, 0, (size_t)opt->count * sizeof *noise);
    dfl_solver_tolerances_at(sw->tolerance, solver, x);
    if (opt->noise && opt->noise(noise, t, x, sw->tolerance, opt->user))
        return 1;
    const dfl_watched watched = {.count = opt->count,
                                 .eval = dfl_switching_eval,
                                 .enclose = opt->enclose ? dfl_switching_enclose : NULL,
                                 .user = solver};
    if (opt->noise ? dfl_search_noise(noise, &sw->search, &watched, t, x, sw->tolerance)
                   : dfl_search_noise_by_differences(noise, &sw->search, &watched, t, x,
                                                     sw->tolerance, sw->probe))
        return 1;
    for (int i = 0; i < opt->instants; i++)
        noise[i] = INFINITY;
    return 0;
}

int dfl_switching_eval(double *value, int count, double t, const double *x, void *user)
{
    const dfl_switch_options *opt = &((dfl_solver *)user)->options.switches;
    return opt->eval(value, count, t, x, opt->user) ||
           (x && dfl_contacts_shared_values(value, user, t, x));
}

int dfl_switching_enclose(dfl_bounds *value, int count, const dfl_bounds *t, const dfl_bounds *x,
                          void *user)
{
    const dfl_switch_options *opt = &((dfl_solver *)user)->options.switches;
    const int failed = opt->enclose(value, count, t, x, opt->user);
    for (int i = 0; x && i < count; i++)
        if (dfl_contacts_is_shared(user, i)) /* it has no bounds, samples show its zeros */
            value[i] = (dfl_bounds){1, 1, 0, 0};
    return failed;
}

/* Takes the step again to end where function `first` is zero: Newton's method for the time. */
static bool land_at(dfl_solver *solver, double at)
{
    dfl_switching *sw = solver->switching;
    dfl_stepper *st = solver->stepper;
    const double begin = st->t_old, whole = st->t - begin, sign = whole < 0 ? -1 : 1;
    double t = begin + at * whole, last = INFINITY;
    int which = 0;
    for (int i = 0; i < solver->options.switches.count; i++)
        if (sw->search.first[i] == at)
            which = i;
    if (dfl_stepper_remembers(st) || fabs(t - begin) <= 16 * DBL_EPSILON * fabs(t))
        return false;
    for (int it = 0; it < LANDINGS; it++) {
        if (!dfl_stepper_retake(st, t))
            return false;
        solver->stats.retakes++;
        const double further = distance_to_zero(solver, which);
        if (dfl_switching_noise(sw->noise, st->t, dfl_solver_state(solver), solver))
            return false; /* tolerances at the end of a long step may be far larger than here */
        if (!isfinite(further) || fabs(sw->value[which]) <= 1e-3 * sw->noise[which] ||
            fabs(further) <= 4 * DBL_EPSILON * fabs(t))
            return isfinite(further);
        if (fabs(further) > 0.5 * last)
            return true; /* rounding is left */
        last = fabs(further);
        t += sign * further;
        if (!(sign * (t - begin) > 0 && sign * (t - begin) <= fabs(whole) * (1 + 1e-9)))
            return true; /* near enough: the zero is at an end of the step */
    }
    return true;
}

/* From the present point, in the direction of the run; NAN: unknown. */
static double distance_to_zero(dfl_solver *solver, int which)
{
    const dfl_switching *sw = solver->switching;
    if (dfl_switching_values(solver))
        return NAN;
    const double value = sw->value[which];
    if (dfl_switching_slopes(solver))
        return NAN;
    const double slope =
        0.5 * (sw->search.bounds[which].slope_low + sw->search.bounds[which].slope_high);
    return slope < 0 ? -value / slope : value == 0 ? 0 : NAN;
}

/* Everything that passes zero at this point: what the search found, and what is zero but for noise
   and falls. */
static dfl_status mark_crossed(dfl_solver *solver, double at, int first)
{
    dfl_switching *sw = solver->switching;
    const dfl_switch_options *opt = &solver->options.switches;
    const bool instant = solver->stepper->t == sw->instant;
    const bool back = time_here(solver) == sw->last; /* what went along may go back alone */
    dfl_status status = instant ? dfl_switching_mark_instants(solver) : DFL_OK;
    if (!status && dfl_switching_noise(sw->noise, time_here(solver), state_here(solver), solver))
        status = dfl_switching_stopped(solver, "noise");
    if (!status)
        status = dfl_switching_values(solver);
    if (!status)
        status = dfl_switching_slopes(solver);
    for (int i = 0; !status && i < opt->count; i++) {
        const dfl_bounds *c = &sw->search.bounds[i];
        const bool falls = c->slope_high < 0;
        const bool zero = !back && i >= opt->instants && fabs(sw->value[i]) <= sw->noise[i];
        const bool found = i == first || sw->search.first[i] == at;
        sw->crossed[i] = (instant && i < opt->instants && sw->crossed[i]) || found ||
                         (zero && falls && goes_along(solver, i));
    }
    return status;
}

/* Whether a function that is zero but for noise may be taken as passed: the forces are the same. A
   gap or an event that acts is passed where it is zero, not earlier: a slow body needs long for its
   noise. */
static bool goes_along(dfl_solver *solver, int i)
{
    const dfl_switching *sw = solver->switching;
    const dfl_stepper *st = solver->stepper;
    if (sw->value[i] <= 1e-3 * sw->noise[i])
        return true;
    return !waits(solver, i) &&
           !(dfl_switching_effect(solver, i, time_here(solver), state_here(solver),
                                  fabs(st->t - st->t_old)) > 1);
}

/* Whether function i is the gap of an open contact, or that of an event. */
static bool waits(const dfl_solver *solver, int i)
{
    const int *contact = solver->options.switches.contact, k = contact ? contact[i] : -1;
    return k >= 0 ? k % 2 == 0 && !solver->contacts->mode[k / 2].closed
                  : !dfl_switching_is_branch(solver, i);
}

/* The present point, or where the step is cut. */
static double time_here(const dfl_solver *solver)
{
    return isnan(solver->cut) ? solver->stepper->t : solver->cut;
}

static const double *state_here(const dfl_solver *solver)
{
    return isnan(solver->cut) ? dfl_solver_state(solver) : solver->x_cut;
}

dfl_status dfl_switching_values(dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    const dfl_switch_options *opt = &solver->options.switches;
    return dfl_switching_eval(sw->value, opt->count, time_here(solver), state_here(solver), solver)
               ? dfl_switching_stopped(solver, "switches.eval")
               : DFL_OK;
}

dfl_status dfl_switching_slopes(dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    const dfl_switch_options *opt = &solver->options.switches;
    const double *x = state_here(solver);
    dfl_bounds t;
    if (!opt->enclose)
        return slopes_by_differences(solver, true);
    rates_here(&t, solver);
    for (int i = 0; i < solver->sys.nu; i++)
        sw->search.x_bounds[i].low = sw->search.x_bounds[i].high = x[i];
    return opt->enclose(sw->search.bounds, opt->count, &t, sw->search.x_bounds, opt->user)
               ? dfl_switching_stopped(solver, "switches.enclose")
               : slopes_by_differences(solver, false);
}

/* search.x_bounds: slopes of the unknowns: rates where equations give them, else, and where the
   step is cut, those of the polynomial of the step. */
static void rates_here(dfl_bounds *t, dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    const dfl_stepper *st = solver->stepper;
    const double sign = dfl_solver_direction(solver), whole = st->t - st->t_old;
    const bool polynomial = st->stepped && whole != 0, cut = !isnan(solver->cut);
    if (polynomial) {
        const double tau = (time_here(solver) - st->t_old) / whole;
        dfl_path_set(&sw->path, st);
        dfl_path_bounds(sw->search.x_bounds, t, &sw->path, tau, tau);
    }
    *t = (dfl_bounds){time_here(solver), time_here(solver), sign, sign};
    dfl_stepper_rates(sw->rate, st, &st->here);
    for (int i = 0; i < solver->sys.nu; i++) {
        const bool known = dfl_stepper_has_rate(st, &st->here, solver->sys.na + i);
        const double rate = sign * sw->rate[solver->sys.na + i];
        if (!polynomial || (known && !cut))
            sw->search.x_bounds[i].slope_low = sw->search.x_bounds[i].slope_high = rate;
    }
}

/* Along the polynomial of the step, without bounds: of all functions, or of friction that is
   shared. */
static dfl_status slopes_by_differences(dfl_solver *solver, bool all)
{
    static const double weight[] = {1.5, -2, 0.5}, part = 1e-3;
    dfl_switching *sw = solver->switching;
    dfl_search *search = &sw->search;
    const dfl_switch_options *opt = &solver->options.switches;
    const dfl_stepper *st = solver->stepper;
    const double whole = st->t - st->t_old, tau = (time_here(solver) - st->t_old) / whole;
    bool any = false;
    for (int i = 0; i < opt->count; i++)
        if (all || dfl_contacts_is_shared(solver, i)) {
            search->bounds[i].slope_low = search->bounds[i].slope_high = 0;
            any = true;
        }
    if (!any || !st->stepped || whole == 0)
        return DFL_OK;
    dfl_path_set(&sw->path, st);
    for (int k = 0; k < 3; k++) {
        const double at = tau - k * part;
        dfl_path_at(search->x, &sw->path, at);
        if (dfl_switching_eval(search->value, opt->count, st->t_old + at * whole, search->x,
                               solver))
            return dfl_switching_stopped(solver, "switches.eval");
        for (int i = 0; i < opt->count; i++)
            if (all || dfl_contacts_is_shared(solver, i)) {
                search->bounds[i].slope_low += weight[k] * search->value[i] / (part * fabs(whole));
                search->bounds[i].slope_high = search->bounds[i].slope_low;
            }
    }
    return DFL_OK;
}

/* A border is left at once; only away from all borders something is wrong. */
dfl_status dfl_switching_check(dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    const dfl_switch_options *opt = &solver->options.switches;
    bool valid = true;
    if (!sw || !opt->valid)
        return DFL_OK;
    if (opt->valid(&valid, time_here(solver), state_here(solver), opt->user))
        return dfl_switching_stopped(solver, "switches.valid");
    if (valid)
        return DFL_OK;
    dfl_status status = dfl_switching_values(solver);
    if (!status && dfl_switching_noise(sw->noise, time_here(solver), state_here(solver), solver))
        status = dfl_switching_stopped(solver, "switches.noise");
    for (int i = opt->instants; !status && i < opt->count; i++)
        if (sw->value[i] <= sw->noise[i])
            return DFL_OK;
    return status ? status
                  : dfl_fail(solver->ctx, DFL_NOT_FINITE,
                             "the equations are not finite at t = %.10g: a root or a power has "
                             "left its domain",
                             time_here(solver));
}
