/* excursions.c: functions that become negative within their noise. What tolerances may change is no
   crossing, unless the forces beyond it are others: a stiff contact in its frozen branch pulls once
   it is open, and would hold a body within the tolerance for ever. */
#include "solver/switching.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 8 };
static const double tiny = 1e-6; /* of the noise: rounding of a function */

/* Function `which` is negative from `begin` on, most at `deepest`; parts of the step. */
typedef struct excursion {
    int which;
    double from, begin, deepest, depth;
} excursion;

static dfl_status find(excursion *it, dfl_solver *solver, const dfl_watched *watched);
static dfl_status deepest(excursion *it, dfl_solver *solver);
static dfl_status weigh(bool *matters, dfl_solver *solver, const excursion *it);
static int fine_noise(double *noise, double t, const double *x, void *user);
static bool evaluate(dfl_solver *solver, double t, const double *x);
static double change_of_rates(dfl_solver *solver, double span);

dfl_status dfl_switching_small_crossing(double *at, dfl_solver *solver, const dfl_watched *watched)
{
    dfl_search *search = &solver->switching->search;
    excursion it = {.from = 0};
    dfl_status status = DFL_OK;
    *at = 2;
    for (int k = 0; !status && k < SAMPLES; k++) {
        status = find(&it, solver, watched);
        if (!status && it.begin <= 1)
            status = deepest(&it, solver);
        if (status || it.begin > 1 || !(it.depth > 0))
            return status;
        if (!(it.from > it.begin))
            break; /* else it was back before it became that deep */
    }
    bool matters = false;
    if (!status)
        status = weigh(&matters, solver, &it);
    if (status || !matters)
        return status;
    if (it.deepest < 1) {
        /* it comes back, perhaps only because the polynomial is no better: a shorter step shows it
         */
        const bool again = solver->switching->halvings < DFL_SWITCHING_HALVINGS;
        search->undecided = again ? it.which : -1;
        return DFL_OK;
    }
    solver->switching->noise[it.which] = it.depth;
    *at = it.begin;
    return DFL_OK;
}

/* The first excursion from it->from on: which function, where. */
static dfl_status find(excursion *it, dfl_solver *solver, const dfl_watched *watched)
{
    dfl_search *search = &solver->switching->search;
    dfl_watched fine = *watched;
    fine.noise = fine_noise;
    search->watched = &fine;
    const dfl_status status = dfl_search_run(&it->begin, search, it->from, 1);
    search->watched = watched;
    search->undecided = -1;
    for (int i = 0; i < watched->count; i++)
        if (search->first[i] == it->begin)
            it->which = i;
    return status;
}

/* Whether the forces beyond are others where the excursion is deepest, by more than tolerances
   allow. Where forces jump at zero they are others on both sides, and tolerances decide nothing. */
static dfl_status weigh(bool *matters, dfl_solver *solver, const excursion *it)
{
    dfl_search *search = &solver->switching->search;
    const dfl_path *path = &solver->switching->path;
    const double span = (1 - it->begin) * fabs(path->h);
    const double place[2] = {it->deepest, it->begin};
    double effect[2] = {0, 0};
    for (int k = 0; k < 2 && effect[0] >= k; k++) {
        const dfl_status status = dfl_search_values(search, place[k]);
        if (status)
            return status;
        effect[k] = dfl_switching_effect(solver, it->which, path->t_old + place[k] * path->h,
                                         search->x, span);
    }
    *matters = effect[0] > 1 && effect[0] > 2 * effect[1];
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

/* Where the function is smallest after the beginning, by samples; it->from: where it was positive
   last before that. */
static dfl_status deepest(excursion *it, dfl_solver *solver)
{
    dfl_search *search = &solver->switching->search;
    double positive = it->begin;
    it->depth = -INFINITY;
    for (int k = 1; k <= SAMPLES; k++) {
        const double at = it->begin + (1 - it->begin) * k / SAMPLES;
        const dfl_status status = dfl_search_values(search, at);
        if (status)
            return status;
        if (search->value[it->which] >= 0)
            positive = at;
        if (-search->value[it->which] > it->depth) {
            it->depth = -search->value[it->which];
            it->deepest = at;
            it->from = positive;
        }
    }
    return DFL_OK;
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
