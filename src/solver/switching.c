/* Branches: during a step the model keeps its branch. Afterwards the functions that bound it are
   looked at on the polynomial of the step; where the first of them passes zero the step is taken
   again to end there, with the accuracy of the method. Then the model takes the other branch, and
   what jumps (accelerations, multipliers, auxiliary variables, velocities at the kink of a
   prescribed motion) is computed anew. Zeros of functions of time are known before a step, which
   ends there at once. */
#include "solver/switching.h"
#include "solver/solver_internal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LANDINGS = 6 };              /* retakes of one step */
enum { ROUNDS = 100 };              /* of branches that change each other */
enum { CROWD = 1000 };              /* crossings ... */
static const double crowded = 1e-7; /* ... closer than this part of the run, on the average */

static dfl_status find_crossing(double *at, dfl_solver *solver);
static int noise_at(double *noise, double t, const double *x, void *user);
static int eval_of(double *value, int count, double t, const double *x, void *user);
static int enclose_of(dfl_bounds *value, int count, const dfl_bounds *t, const dfl_bounds *x,
                      void *user);
static bool land_at(dfl_solver *solver, double at);
static double distance_to_zero(dfl_solver *solver, int which);
static dfl_status mark_crossed(dfl_solver *solver, double at, int first);
static dfl_status cut_at(dfl_solver *solver, double t);
static dfl_status next_instant(dfl_solver *solver, double t_end);
static dfl_status mark_instants(dfl_solver *solver);
static double shortest(double t);
static double time_here(const dfl_solver *solver);
static const double *state_here(const dfl_solver *solver);
static dfl_status values_here(dfl_solver *solver);
static dfl_status slopes_here(dfl_solver *solver);
static dfl_status change_branches(dfl_solver *solver);
static dfl_status start_again(dfl_solver *solver);
static dfl_status check_jump(dfl_solver *solver, double t);
static dfl_status guard(dfl_solver *solver);
static dfl_status callback_failed(const dfl_solver *solver, const char *name);

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
    sw->tolerance = dfl_alloc(ctx, n, d);
    sw->rate = dfl_alloc(ctx, n, d);
    sw->impulse = dfl_alloc(ctx, (size_t)solver->eom->nv, d);
    sw->crossed = dfl_alloc(ctx, count, sizeof *sw->crossed);
    sw->resume_at = NAN;
    if (!sw->value || !sw->noise || !sw->tolerance || !sw->rate || !sw->impulse || !sw->crossed)
        return DFL_NO_MEMORY;
    const dfl_status status = dfl_path_init(&sw->path, &solver->sys);
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
    dfl_free(ctx, sw->tolerance);
    dfl_free(ctx, sw->rate);
    dfl_free(ctx, sw->impulse);
    dfl_free(ctx, sw->crossed);
    dfl_path_clear(&sw->path, ctx);
    dfl_search_clear(&sw->search);
    dfl_free(ctx, sw);
}

static dfl_status callback_failed(const dfl_solver *solver, const char *name)
{
    return dfl_fail(solver->ctx, DFL_CALLBACK, "%s stopped the computation at t = %.10g", name,
                    solver->stepper->t);
}

/* ------------------------------------------------------------------------------- the start */

dfl_status dfl_switching_begin(dfl_solver *solver, double t0, const double *x0)
{
    const dfl_switch_options *opt = &solver->options.switches;
    bool changed;
    if (opt->count > 0 && opt->settle(&changed, t0, x0, NULL, opt->user))
        return callback_failed(solver, "settle");
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
            return callback_failed(solver, "settle");
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
    sw->resume_at = NAN;
    sw->crowd = 0;
    solver->cut = NAN;
    dfl_stepper_rates(sw->rate, st, &st->here);
    if (solver->options.switches.settle(again, st->here.t, st->here.x + solver->sys.na,
                                        sw->rate + solver->sys.na, solver->options.switches.user))
        return callback_failed(solver, "settle");
    return DFL_OK;
}

/* ------------------------------------------------------------------------------- instants */

dfl_status dfl_switching_limit(double *t_limit, dfl_solver *solver, double t_end)
{
    dfl_switching *sw = solver->switching;
    const dfl_stepper *st = solver->stepper;
    const double sign = t_end < st->t ? -1 : 1;
    *t_limit = t_end;
    if (!sw)
        return DFL_OK;
    if (sign * (sw->resume_at - st->t) > 0 && sign * (t_end - sw->resume_at) > 0)
        *t_limit = sw->resume_at;
    if (solver->options.switches.instants > 0) {
        const double ahead = st->t + st->h;
        for (int round = 0; !isfinite(sw->instant) && sign * (sw->horizon - ahead) < 0 &&
                            sign * (t_end - sw->horizon) > 0 && round < ROUNDS;
             round++) {
            dfl_status status = next_instant(solver, t_end);
            if (!status && fabs(sw->instant - st->t) <= shortest(st->t)) { /* here */
                sw->instant = st->t;
                sw->pending = true;
                status = mark_instants(solver);
                if (!status)
                    status = dfl_switching_flip(solver);
            }
            if (status)
                return status;
        }
        if (fabs(t_end - sw->instant) <= shortest(t_end))
            sw->instant = t_end; /* no step is that short */
        if (isfinite(sw->instant) && sign * (*t_limit - sw->instant) > 0)
            *t_limit = sw->instant;
    }
    return DFL_OK;
}

/* No step is shorter than this. */
static double shortest(double t)
{
    return 32 * DBL_EPSILON * fabs(t);
}

/* The first zero of a function of time within the next few steps. */
static dfl_status next_instant(dfl_solver *solver, double t_end)
{
    dfl_switching *sw = solver->switching;
    dfl_search *search = &sw->search;
    const dfl_switch_options *opt = &solver->options.switches;
    const dfl_stepper *st = solver->stepper;
    const double few = 16 * st->h, span = t_end - st->t;
    const dfl_path path = {.t_old = st->t, .h = fabs(few) < fabs(span) ? few : span};
    const dfl_watched watched = {.count = opt->instants,
                                 .eval = eval_of,
                                 .enclose = opt->enclose ? enclose_of : NULL,
                                 .user = solver};
    double at;
    search->path = &path;
    search->watched = &watched;
    search->time_only = true;
    search->enclosures = &solver->stats.enclosures;
    dfl_status status = dfl_search_run(&at, search, 0, 1);
    if (status)
        return status;
    sw->horizon = st->t + path.h;
    sw->instant = INFINITY;
    if (at > 1)
        return DFL_OK;
    sw->instant = at > 0 ? st->t + at * path.h : st->t;
    for (int i = 0; i < opt->instants; i++)
        if (search->first[i] == at)
            sw->instant_of = i;
    return DFL_OK;
}

/* What passes zero at the present instant: the function that was found, and all that have the other
   sign just after it. */
static dfl_status mark_instants(dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    const dfl_switch_options *opt = &solver->options.switches;
    const double t = sw->instant, sign = dfl_solver_direction(solver);
    if (opt->eval(sw->value, opt->instants, t + sign * shortest(t), NULL, opt->user))
        return callback_failed(solver, "switches.eval");
    for (int i = 0; i < opt->count; i++)
        sw->crossed[i] = i == sw->instant_of || (i < opt->instants && sw->value[i] < 0);
    return DFL_OK;
}

/* ------------------------------------------------------------------------------- crossings */

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
    const bool instant = st->t == sw->instant;
    if (at > 1) {
        sw->pending = instant;
        return instant ? mark_instants(solver) : DFL_OK;
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
    if (at < 1 && !land_at(solver, at))
        status = cut_at(solver, when);
    sw->pending = true;
    return status ? status : mark_crossed(solver, at, first);
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
    dfl_path_set(&sw->path, solver->stepper);
    const dfl_watched watched = {.count = opt->count,
                                 .eval = eval_of,
                                 .enclose = opt->enclose ? enclose_of : NULL,
                                 .noise = noise_at,
                                 .user = solver};
    search->path = &sw->path;
    search->watched = &watched;
    search->time_only = false;
    search->enclosures = &solver->stats.enclosures;
    return dfl_search_run(at, search, 0, 1);
}

/* What tolerances may change: ten times that is no crossing. Functions of time cross at their
   instants only. */
static int noise_at(double *noise, double t, const double *x, void *user)
{
    dfl_solver *solver = user;
    dfl_switching *sw = solver->switching;
    const dfl_switch_options *opt = &solver->options.switches;
    memset(noise, 0, (size_t)opt->count * sizeof *noise);
    dfl_solver_tolerances_at(sw->tolerance, solver, x);
    const int failed = opt->noise ? opt->noise(noise, t, x, sw->tolerance, opt->user) : 0;
    for (int i = 0; i < opt->count; i++)
        noise[i] = i < opt->instants ? INFINITY : 10 * noise[i];
    return failed;
}

static int eval_of(double *value, int count, double t, const double *x, void *user)
{
    const dfl_switch_options *opt = &((dfl_solver *)user)->options.switches;
    return opt->eval(value, count, t, x, opt->user);
}

static int enclose_of(dfl_bounds *value, int count, const dfl_bounds *t, const dfl_bounds *x,
                      void *user)
{
    const dfl_switch_options *opt = &((dfl_solver *)user)->options.switches;
    return opt->enclose(value, count, t, x, opt->user);
}

/* Takes the step again to end where function `first` is zero: Newton's method for the time. */
static bool land_at(dfl_solver *solver, double at)
{
    dfl_switching *sw = solver->switching;
    dfl_stepper *st = solver->stepper;
    const double begin = st->t_old, whole = st->t - begin, sign = whole < 0 ? -1 : 1;
    double t = begin + at * whole;
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
        if (!isfinite(further) || fabs(sw->value[which]) <= 1e-3 * sw->noise[which] ||
            fabs(further) <= 4 * DBL_EPSILON * fabs(t))
            return isfinite(further);
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
    if (values_here(solver))
        return NAN;
    const double value = sw->value[which];
    if (slopes_here(solver))
        return NAN;
    const double slope =
        0.5 * (sw->search.bounds[which].slope_low + sw->search.bounds[which].slope_high);
    return slope < 0 ? -value / slope : value == 0 ? 0 : NAN;
}

/* Where the step cannot be taken again: it is cut at the state of the polynomial, moved onto the
   constraints; a crossing at its very beginning takes it back. */
static dfl_status cut_at(dfl_solver *solver, double t)
{
    dfl_stepper *st = solver->stepper;
    if (fabs(t - st->t_old) <= 16 * DBL_EPSILON * fabs(t)) {
        dfl_stepper_undo(st);
        solver->cut = NAN;
        return DFL_OK;
    }
    solver->cut = t;
    return dfl_solver_continuous(solver->x_cut, solver, t, true);
}

/* Everything that passes zero at this point: what the search found, and what is zero but for noise
   and falls. */
static dfl_status mark_crossed(dfl_solver *solver, double at, int first)
{
    dfl_switching *sw = solver->switching;
    const dfl_switch_options *opt = &solver->options.switches;
    const bool instant = solver->stepper->t == sw->instant;
    dfl_status status = instant ? mark_instants(solver) : DFL_OK;
    if (!status && noise_at(sw->noise, time_here(solver), state_here(solver), solver))
        status = callback_failed(solver, "noise");
    if (!status)
        status = values_here(solver);
    if (!status)
        status = slopes_here(solver);
    for (int i = 0; !status && i < opt->count; i++) {
        const dfl_bounds *c = &sw->search.bounds[i];
        const bool falls = c->slope_high < 0;
        const bool zero = i >= opt->instants && fabs(sw->value[i]) <= sw->noise[i];
        const bool found = i == first || sw->search.first[i] == at;
        sw->crossed[i] =
            (instant && i < opt->instants && sw->crossed[i]) || found || (zero && falls);
    }
    return status;
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

static dfl_status values_here(dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    const dfl_switch_options *opt = &solver->options.switches;
    return opt->eval(sw->value, opt->count, time_here(solver), state_here(solver),
                     solver->options.switches.user)
               ? callback_failed(solver, "switches.eval")
               : DFL_OK;
}

/* search.bounds: slopes of the functions at the present point, along the direction of the run. */
static dfl_status slopes_here(dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    const dfl_switch_options *opt = &solver->options.switches;
    const dfl_stepper *st = solver->stepper;
    const double sign = dfl_solver_direction(solver), *x = state_here(solver);
    const dfl_bounds t = {time_here(solver), time_here(solver), sign, sign};
    dfl_stepper_rates(sw->rate, st, &st->here); /* where it is cut: nearly */
    const double *rate = sw->rate + solver->sys.na;
    for (int i = 0; i < solver->sys.nu; i++)
        sw->search.x_bounds[i] = (dfl_bounds){x[i], x[i], sign * rate[i], sign * rate[i]};
    if (opt->enclose)
        return opt->enclose(sw->search.bounds, opt->count, &t, sw->search.x_bounds,
                            solver->options.switches.user)
                   ? callback_failed(solver, "switches.enclose")
                   : DFL_OK;
    return DFL_OK;
}

/* ------------------------------------------------------------------------------- branches */

dfl_status dfl_switching_flip(dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    if (!sw || !sw->pending)
        return DFL_OK;
    sw->pending = false;
    solver->stats.crossings++;
    if (!isnan(solver->cut)) {
        const bool evaluated = dfl_solver_evaluate_beside(solver, solver->cut, solver->x_cut);
        solver->cut = NAN;
        if (!evaluated)
            return callback_failed(solver, "eval");
        dfl_solver_stand_beside(solver);
    }
    dfl_status status = guard(solver);
    if (!status)
        status = change_branches(solver);
    if (solver->stepper->t == sw->instant)
        sw->horizon = sw->instant, sw->instant = INFINITY;
    return status;
}

/* Until no branch is left that is not valid. */
static dfl_status change_branches(dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    const dfl_switch_options *opt = &solver->options.switches;
    for (int round = 0; round < ROUNDS; round++) {
        bool again = false;
        char old[200];
        snprintf(old, sizeof old, "%s", dfl_message(solver->ctx));
        memset(sw->impulse, 0, (size_t)solver->eom->nv * sizeof *sw->impulse);
        if (opt->flip(sw->impulse, sw->crossed, solver->stepper->t, dfl_solver_state(solver),
                      solver->options.switches.user))
            return strncmp(old, dfl_message(solver->ctx), sizeof old - 1)
                       ? DFL_CALLBACK /* the model has left its own message */
                       : callback_failed(solver, "flip");
        dfl_status status = start_again(solver);
        if (!status)
            status = values_here(solver);
        if (status)
            return status;
        for (int i = 0; i < opt->count; i++) {
            sw->crossed[i] = sw->value[i] < -sw->noise[i];
            again = again || sw->crossed[i];
        }
        if (!again)
            return DFL_OK;
    }
    return dfl_fail(solver->ctx, DFL_NOT_CONVERGED,
                    "switches keep switching each other at t = %.10g; give them a dead band",
                    solver->stepper->t);
}

/* What depends on the branch at the present positions: velocities where a motion has a kink,
   accelerations, multipliers, auxiliary variables. */
static dfl_status start_again(dfl_solver *solver)
{
    dfl_stepper *st = solver->stepper;
    const double t = st->t;
    memcpy(solver->x, dfl_solver_state(solver), (size_t)solver->sys.nu * sizeof *solver->x);
    dfl_status status =
        dfl_initial_jump(solver->x, &solver->initial, t, solver->switching->impulse);
    if (status)
        return dfl_fail(solver->ctx, status,
                        "after the switch at t = %.10g no state satisfies the constraints: %s", t,
                        dfl_message(solver->ctx));
    status = check_jump(solver, t);
    if (!status)
        status = dfl_solver_place_start(solver, t);
    if (!status)
        dfl_stepper_resume(st);
    return status;
}

/* Positions cannot jump; velocities jump where constraints have a kink, which is told. */
static dfl_status check_jump(dfl_solver *solver, double t)
{
    const dfl_layout at = dfl_eom_layout(solver->eom);
    const double *before = dfl_solver_state(solver), *after = solver->x;
    double *tolerance = solver->switching->tolerance, largest = 0;
    char name[64];
    dfl_solver_tolerances_at(tolerance, solver, before);
    for (int i = at.p; i < at.n; i++)
        if (fabs(after[i] - before[i]) > 100 * tolerance[i]) {
            dfl_eom_name(name, sizeof name, solver->eom, DFL_KIND_P, i - at.p);
            return dfl_fail(
                solver->ctx, DFL_INCONSISTENT,
                "a constraint jumps at t = %.10g: %s would have to jump by %.3g; bodies "
                "cannot",
                t, name, after[i] - before[i]);
        }
    for (int i = at.v; i < at.s; i++)
        if (fabs(after[i] - before[i]) > 100 * tolerance[i])
            largest = fmax(largest, fabs(after[i] - before[i]));
    if (largest > 0)
        dfl_log(&solver->options, DFL_LOG_WARNING,
                "a constraint or a prescribed motion has a kink at t = %.10g: velocities jump "
                "there, by %.4g at most",
                t, largest);
    return DFL_OK;
}

/* Crossings that come closer and closer would never end. */
static dfl_status guard(dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    const double t = solver->stepper->t, run = fabs(solver->t_end - solver->t0);
    if (sw->crowd++ == 0)
        sw->recent = t;
    if (sw->crowd < CROWD)
        return DFL_OK;
    if (fabs(t - sw->recent) <= CROWD * crowded * run)
        return dfl_fail(solver->ctx, DFL_NOT_CONVERGED,
                        "events accumulate at t = %.10g: %d switches in %.2g s", t, CROWD,
                        fabs(t - sw->recent));
    sw->crowd = 0;
    return DFL_OK;
}
