/* Events of functions with bounds: no zero of a step's polynomial is missed. A function keeps the
   sign that it has, until it passes zero by more than its noise; value_old carries that sign. */
#include "solver/solver_internal.h"
#include "solver/switching.h"
#include "solver/watching.h"

#include <math.h>
#include <string.h>

static void begin_step(dfl_solver *solver);
static int noise_at(double *noise, double t, const double *x, void *user);
static dfl_status take_signs(dfl_solver *solver, double from);
static int eval(double *value, int count, double t, const double *x, void *user);
static int enclose(dfl_bounds *value, int count, const dfl_bounds *t, const dfl_bounds *x,
                   void *user);
static double ahead(int i, void *user);
static bool pass(dfl_solver *solver, double at);

dfl_status dfl_watching_init(dfl_solver *solver)
{
    const size_t count = (size_t)solver->options.events.count, d = sizeof(double);
    dfl_context *ctx = solver->ctx;
    if (count == 0 || !solver->options.events.enclose)
        return DFL_OK;
    dfl_watching *watching = solver->watching = dfl_alloc(ctx, 1, sizeof *watching);
    if (!watching)
        return DFL_NO_MEMORY;
    watching->sign = dfl_alloc(ctx, count, d);
    watching->noise = dfl_alloc(ctx, count, d);
    watching->tolerance = dfl_alloc(ctx, (size_t)solver->sys.nu, d);
    if (!watching->sign || !watching->noise || !watching->tolerance)
        return DFL_NO_MEMORY;
    const dfl_status status = dfl_path_init(&watching->path, &solver->sys, NULL);
    return status ? status
                  : dfl_search_init(&watching->search, ctx, solver->options.events.count,
                                    solver->sys.nu);
}

void dfl_watching_clear(dfl_solver *solver)
{
    dfl_watching *watching = solver->watching;
    if (!watching)
        return;
    dfl_free(solver->ctx, watching->sign);
    dfl_free(solver->ctx, watching->noise);
    dfl_free(solver->ctx, watching->tolerance);
    dfl_path_clear(&watching->path, solver->ctx);
    dfl_search_clear(&watching->search);
    dfl_free(solver->ctx, watching);
}

dfl_status dfl_solver_find_enclosed(dfl_solver *solver, double to)
{
    dfl_watching *watching = solver->watching;
    const dfl_stepper *st = solver->stepper;
    const double whole = st->t - st->t_old;
    dfl_status status = DFL_OK;
    begin_step(solver);
    double from = (solver->reported - st->t_old) / whole;
    const double end = (to - st->t_old) / whole;
    const dfl_watched watched = {.count = solver->options.events.count,
                                 .eval = eval,
                                 .enclose = enclose,
                                 .user = solver,
                                 .sign = watching->sign,
                                 .noise = noise_at,
                                 .ahead = ahead,
                                 .name = dfl_solver_event_name};
    watching->search.path = &watching->path;
    watching->search.watched = &watched;
    watching->search.may_sample = true;
    watching->search.enclosures = &solver->stats.enclosures;
    while (!status && !solver->event_found) {
        double at;
        status = take_signs(solver, from);
        if (!status)
            status = dfl_search_run(&at, &watching->search, from, end);
        if (status)
            return status;
        if (at > end) {
            solver->reported = to;
            break;
        }
        solver->event_time = st->t_old + at * whole;
        solver->event_found = pass(solver, at);
        from = at;
        solver->reported = solver->event_time;
    }
    return status;
}

/* The polynomial of the last step. */
static void begin_step(dfl_solver *solver)
{
    dfl_watching *watching = solver->watching;
    const dfl_stepper *st = solver->stepper;
    if (solver->reported == st->t_old || watching->path.t_old != st->t_old ||
        watching->path.h != st->t - st->t_old)
        dfl_path_set(&watching->path, st);
}

static int noise_at(double *noise, double t, const double *x, void *user)
{
    dfl_solver *solver = user;
    dfl_watching *watching = solver->watching;
    const dfl_event_options *opt = &solver->options.events;
    dfl_solver_tolerances_at(watching->tolerance, solver, x);
    const int failed =
        opt->noise ? opt->noise(noise, t, x, watching->tolerance, solver->options.user) : 0;
    const dfl_watched watched = {.count = opt->count, .enclose = enclose, .user = solver};
    return failed ||
           dfl_search_noise(noise, &watching->search, &watched, t, x, watching->tolerance);
}

/* A function that is zero takes the sign that it has as soon as it leaves its noise, or at the end
   of the step. */
static dfl_status take_signs(dfl_solver *solver, double from)
{
    dfl_watching *watching = solver->watching;
    dfl_search *search = &watching->search;
    const dfl_stepper *st = solver->stepper;
    const int count = solver->options.events.count;
    bool zero = false;
    for (int i = 0; i < count; i++) {
        watching->sign[i] = solver->value_old[i] < 0 ? -1 : 1;
        zero = zero || solver->value_old[i] == 0;
    }
    for (double ahead = 1e-4; zero && ahead <= 1; ahead *= 10) {
        const double tau = from + ahead * (1 - from), t = st->t_old + tau * (st->t - st->t_old);
        dfl_path_at(search->x, &watching->path, tau);
        if (eval(search->value, count, t, search->x, solver) ||
            noise_at(watching->noise, t, search->x, solver))
            return dfl_fail(solver->ctx, DFL_CALLBACK, "an event function fails at t = %.10g", t);
        zero = false;
        for (int i = 0; i < count; i++) {
            if (solver->value_old[i] != 0)
                continue;
            watching->sign[i] = search->value[i] < 0 ? -1 : 1;
            if (fabs(search->value[i]) > watching->noise[i] || ahead == 1)
                solver->value_old[i] = watching->sign[i];
            else
                zero = true;
        }
    }
    return DFL_OK;
}

/* Where a branch ends with the step, it says nothing about what comes next: a speed that has passed
   zero by rounding may stick. */
static double ahead(int i, void *user)
{
    const dfl_solver *solver = user;
    (void)i;
    return solver->switching && solver->switching->pending ? 0 : 1;
}

/* Functions that pass zero at this part of the step go on with the other sign. Whether one of them
   does it in the wanted direction. */
static bool pass(dfl_solver *solver, double at)
{
    dfl_watching *watching = solver->watching;
    const dfl_event_kind *kinds = solver->options.events.kinds;
    bool any = false;
    for (int i = 0; i < solver->options.events.count; i++) {
        const double sign = watching->sign[i];
        const bool passes = watching->search.first[i] <= at + 1e-14;
        const int wanted = kinds ? kinds[i].direction : 0;
        const bool met = passes && -sign * wanted >= 0;
        solver->found[i] = (signed char)(met ? -sign : 0);
        solver->value_old[i] = passes ? -sign : sign;
        any = any || met;
    }
    return any;
}

/* Events that act are met where they act: here their functions are 1, with any sign. */
static bool acting(const dfl_solver *solver, int i)
{
    return solver->options.switches.acting && solver->options.switches.acting[i];
}

static int eval(double *value, int count, double t, const double *x, void *user)
{
    const dfl_solver *solver = user;
    const int failed = solver->options.events.eval(value, t, x, solver->options.user);
    for (int i = 0; i < count; i++)
        if (acting(solver, i))
            value[i] = solver->watching->sign[i];
    return failed;
}

static int enclose(dfl_bounds *value, int count, const dfl_bounds *t, const dfl_bounds *x,
                   void *user)
{
    const dfl_solver *solver = user;
    const int failed = solver->options.events.enclose(value, count, t, x, solver->options.user);
    for (int i = 0; i < count; i++)
        if (acting(solver, i))
            value[i] =
                (dfl_bounds){.low = solver->watching->sign[i], .high = solver->watching->sign[i]};
    return failed;
}
