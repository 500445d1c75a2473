/* excursions.c: functions that become negative within their noise. What tolerances may change is no
   crossing, unless the forces beyond it are others: a stiff contact in its frozen branch pulls once
   it is open, and would hold a body within the tolerance for ever. */
#include "solver/switching.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 8 };
static const double tiny = 1e-6; /* of the noise: rounding of a function */

static int fine_noise(double *noise, double t, const double *x, void *user);
static bool evaluate(dfl_solver *solver, double t, const double *x);
static double change_of_rates(dfl_solver *solver, double span);
static dfl_status deepest(double *tau, dfl_solver *solver, int which, double from);

dfl_status dfl_switching_small_crossing(double *at, dfl_solver *solver, const dfl_watched *watched)
{
    dfl_switching *sw = solver->switching;
    dfl_search *search = &sw->search;
    const dfl_path *path = &sw->path;
    dfl_watched fine = *watched;
    double begin, tau;
    int which = 0;
    fine.noise = fine_noise;
    search->watched = &fine;
    dfl_status status = dfl_search_run(&begin, search, 0, 1);
    search->watched = watched;
    search->undecided = -1;
    *at = 2;
    if (status || begin > 1)
        return status;
    for (int i = 0; i < watched->count; i++)
        if (search->first[i] == begin)
            which = i;
    status = deepest(&tau, solver, which, begin);
    if (status)
        return status;
    const double span = (1 - begin) * fabs(path->h), depth = fabs(search->value[which]);
    const double t = path->t_old + tau * path->h;
    const double effect = dfl_switching_effect(solver, which, t, search->x, span);
    if (!(effect > 1))
        return DFL_OK;
    status = dfl_search_values(search, begin);
    /* forces that jump at zero are others on both sides: there tolerances decide nothing */
    if (status ||
        2 * dfl_switching_effect(solver, which, path->t_old + begin * path->h, search->x, span) >
            effect)
        return status;
    if (status || tau < 1) {
        /* it comes back, perhaps only because the polynomial is no better: a shorter step shows it */
        search->undecided = sw->halvings < DFL_SWITCHING_HALVINGS ? which : -1;
        return status;
    }
    sw->noise[which] = depth;
    *at = begin;
    return DFL_OK;
}

/* Functions that are not branches keep their noise. */
static int fine_noise(double *noise, double t, const double *x, void *user)
{
    dfl_solver *solver = user;
    const int failed = dfl_switching_noise(noise, t, x, user);
    for (int i = 0; i < solver->options.switches.count; i++)
        noise[i] *= dfl_switching_is_branch(solver, i) ? tiny : 1;
    return failed;
}

/* Where the function is smallest after `from`, by samples: search->value and x are those there. */
static dfl_status deepest(double *tau, dfl_solver *solver, int which, double from)
{
    dfl_search *search = &solver->switching->search;
    double least = INFINITY;
    dfl_status status = DFL_OK;
    *tau = 1;
    for (int k = 1; !status && k <= SAMPLES; k++) {
        const double at = from + (1 - from) * k / SAMPLES;
        status = dfl_search_values(search, at);
        if (search->value[which] < least)
            least = search->value[which], *tau = at;
    }
    return status ? status : dfl_search_values(search, *tau);
}

bool dfl_switching_is_branch(const dfl_solver *solver, int i)
{
    const dfl_switch_options *opt = &solver->options.switches;
    return opt->beyond && i >= opt->instants && opt->beyond(i, false, opt->user) == 0;
}

double dfl_switching_effect(dfl_solver *solver, int i, double t, const double *x, double span)
{
    const dfl_switch_options *opt = &solver->options.switches;
    dfl_switching *sw = solver->switching;
    double effect = 0;
    if (!dfl_switching_is_branch(solver, i) || !evaluate(solver, t, x))
        return 0;
    memcpy(sw->frozen, solver->stepper->spare.dif, (size_t)solver->sys.mdif * sizeof *sw->frozen);
    dfl_solver_tolerances_at(sw->tolerance, solver, x);
    if (opt->beyond(i, true, opt->user) == 0 && evaluate(solver, t, x))
        effect = change_of_rates(solver, span);
    opt->beyond(i, false, opt->user);
    return effect;
}

/* Into the point that steps which are taken again leave free. */
static bool evaluate(dfl_solver *solver, double t, const double *x)
{
    dfl_stepper *st = solver->stepper;
    dfl_system *sys = &solver->sys;
    dfl_stepper_interpolate(st->spare.x, st, t); /* carried accelerations */
    memcpy(st->spare.x + sys->na, x, (size_t)sys->nu * sizeof *x);
    st->spare.t = t;
    sys->stats->evaluations--;
    sys->stats->check_evaluations++;
    return dfl_system_eval_checked(sys, &st->spare) == DFL_STEP_OK;
}

/* How much what acts in the spare point and in `frozen` differs, over a time `span`, in tolerances:
   forces are compared with those that change velocities by their tolerance; of what has no mass,
   with the largest force. */
static double change_of_rates(dfl_solver *solver, double span)
{
    const dfl_switching *sw = solver->switching;
    dfl_system *sys = &solver->sys;
    const dfl_point *point = &solver->stepper->spare;
    const dfl_layout at = dfl_eom_layout(solver->eom);
    const int nr = sys->n2, nv = sys->n3;
    double *allowed = sw->frozen + sys->mdif, largest = 0, effect = 0;
    if (dfl_system_mass_product(allowed, sys, point, sw->tolerance + at.v))
        return 0;
    for (int i = 0; i < nv; i++)
        largest = fmax(largest, fabs(point->dif[nr + i]));
    for (int i = 0; i < nr; i++)
        effect = fmax(effect, span * fabs(point->dif[i] - sw->frozen[i]) / sw->tolerance[at.r + i]);
    for (int i = 0; i < nv; i++) {
        const double change = fabs(point->dif[nr + i] - sw->frozen[nr + i]);
        const double limit =
            allowed[i] != 0 ? fabs(allowed[i]) / span : solver->options.rtol * largest;
        effect = fmax(effect, change > 0 ? change / limit : 0);
    }
    return effect;
}
