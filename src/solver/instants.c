/* Zeros of functions of time are known before a step, which ends there at once. */
#include "solver/solver_internal.h"
#include "solver/switching.h"

#include <float.h>
#include <math.h>

enum { ROUNDS = 100 }; /* of instants at one place */

static dfl_status next_instant(dfl_solver *solver, double t_end);
static double shortest(double t);

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
                sw->pending = sw->timed = true;
                status = dfl_switching_mark_instants(solver);
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
    const dfl_stepper *st = solver->stepper;
    const double few = 16 * st->h, span = t_end - st->t;
    return dfl_switching_look_ahead(solver, fabs(few) < fabs(span) ? few : span);
}

dfl_status dfl_switching_look_ahead(dfl_solver *solver, double span)
{
    dfl_switching *sw = solver->switching;
    dfl_search *search = &sw->search;
    const dfl_switch_options *opt = &solver->options.switches;
    const dfl_stepper *st = solver->stepper;
    const dfl_path path = {.t_old = st->t, .h = span};
    const dfl_watched watched = {.count = opt->instants,
                                 .eval = dfl_switching_eval,
                                 .enclose = opt->enclose ? dfl_switching_enclose : NULL,
                                 .name = dfl_switching_name,
                                 .user = solver};
    double at;
    search->path = &path;
    search->watched = &watched;
    search->time_only = search->may_sample = true;
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

dfl_status dfl_switching_mark_instants(dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    const dfl_switch_options *opt = &solver->options.switches;
    const double t = sw->instant, sign = dfl_solver_direction(solver);
    if (opt->eval(sw->value, opt->instants, t + sign * shortest(t), NULL, opt->user))
        return dfl_switching_stopped(solver, "switches.eval");
    for (int i = 0; i < opt->count; i++)
        sw->crossed[i] = i == sw->instant_of || (i < opt->instants && sw->value[i] < 0);
    return DFL_OK;
}
