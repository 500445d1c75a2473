/* trust.c: whether the polynomials of multipliers show where functions pass zero.

   Error control looks at the state. A block that sticks does not move, whatever pulls at it: a step
   may be so long that the polynomial through the multipliers of its stages misses what they do
   between. The last coefficients of its series of Chebyshev's polynomials say how large that may
   be. Functions that could pass zero by as much end the trust: the step is taken again, shorter,
   until they cannot, or until that is within their noise. Polynomials of other methods than
   collocation say nothing about multipliers: theirs are made of completed states. */
#include "solver/switching.h"

#include <math.h>
#include <string.h>

enum { MOST = 30, SHORTEST_DEGREE = 3, COMPLETED_DEGREE = 7 };
static const double crossing =
    0.05; /* of the largest value: error of a function that is landed on */

static bool has_multipliers(const dfl_solver *solver);
static bool complete(double *x, double t, void *user);
static dfl_status estimate(double *error, dfl_solver *solver);
static void leave_out(double *error, dfl_solver *solver);
static dfl_status range_of(double *lowest, double *highest, dfl_solver *solver, double to);

/* Whether unknown i has no equation that says how it changes. */
static bool follows(const dfl_solver *solver, int i)
{
    const dfl_layout at = dfl_eom_layout(solver->eom);
    return i < at.r || (i >= at.s && i < at.p);
}

void dfl_switching_path(dfl_solver *solver)
{
    dfl_path *path = &solver->switching->path;
    const dfl_stepper *st = solver->stepper;
    const bool collocation =
        solver->options.integrator == DFL_RADAU && st->degree >= SHORTEST_DEGREE;
    dfl_path_set(path, st);
    if (!collocation && has_multipliers(solver) &&
        !dfl_path_sample(path, COMPLETED_DEGREE, complete, solver))
        dfl_path_set(path, st);
}

static bool complete(double *x, double t, void *user)
{
    return !dfl_solver_continuous(x, user, t, true);
}

dfl_status dfl_switching_trust(bool *trusted, dfl_solver *solver, double at)
{
    dfl_switching *sw = solver->switching;
    dfl_stepper *st = solver->stepper;
    const dfl_switch_options *opt = &solver->options.switches;
    const int count = opt->count;
    double *error = sw->probe, *lowest = sw->probe + count, *highest = sw->value, worst = 0;
    *trusted = true;
    if (!opt->noise || solver->options.step.fixed > 0 || !has_multipliers(solver))
        return DFL_OK;
    if (dfl_switching_noise(sw->noise, st->t, dfl_solver_state(solver), solver))
        return dfl_switching_stopped(solver, "noise");
    dfl_status status = range_of(lowest, highest, solver, fmin(at, 1));
    if (!status)
        status = estimate(error, solver);
    for (int i = opt->instants; !status && i < count; i++) {
        const bool lands = at <= 1 && sw->search.first[i] == at;
        const double room = lands ? crossing * highest[i] : lowest[i];
        worst = fmax(worst, error[i] / fmax(room, sw->noise[i]));
    }
    const double h = st->t - st->t_old, factor = 0.9 * pow(worst, -1.0 / sw->path.degree);
    *trusted = !(worst > 1) || ++sw->distrusted > MOST;
    if (!*trusted) {
        dfl_stepper_undo(st);
        st->h = fmin(fmax(factor, 0.2), 0.7) * h;
    } else if (at > 1 && worst > 0 && fabs(st->h) > fmax(factor, 0.5) * fabs(h))
        st->h = fmax(factor, 0.5) * h;
    sw->distrusted = *trusted ? 0 : sw->distrusted;
    return status;
}

/* Whether a multiplier changes during the step. */
static bool has_multipliers(const dfl_solver *solver)
{
    const dfl_path *path = &solver->switching->path;
    bool any = false;
    for (int i = 0; i < path->nused; i++)
        for (int k = 1; follows(solver, path->used[i]) && k <= path->degree; k++)
            any =
                any || path->coef[i * (path->degree + 1) + k] != path->coef[i * (path->degree + 1)];
    return any;
}

/* Of the functions, in first order. */
static dfl_status estimate(double *error, dfl_solver *solver)
{
    const dfl_switch_options *opt = &solver->options.switches;
    const dfl_stepper *st = solver->stepper;
    double *left_out = solver->switching->tolerance;
    leave_out(left_out, solver);
    memset(error, 0, (size_t)opt->count * sizeof *error);
    return opt->noise(error, st->t, dfl_solver_state(solver), left_out, opt->user)
               ? dfl_switching_stopped(solver, "noise")
               : DFL_OK;
}

/* What the next coefficients of multipliers would be, at most about as large as the last two show.
 */
static void leave_out(double *error, dfl_solver *solver)
{
    static const double half_turn = 3.14159265358979323846;
    dfl_switching *sw = solver->switching;
    const dfl_path *path = &sw->path;
    const int n = path->degree;
    double *x = sw->search.x;
    memset(error, 0, (size_t)solver->sys.nu * sizeof *error);
    memset(sw->frozen, 0, (size_t)solver->sys.nu * sizeof *error);
    for (int k = 0; k <= n; k++) {
        const double end = k % n ? 1 : 0.5;
        dfl_path_at(x, path, path->place[k]);
        for (int i = 0; i < path->nused; i++) {
            const int j = path->used[i];
            error[j] += (k % 2 ? -end : end) / n * x[j];
            sw->frozen[j] += 2 * end / n * cos(half_turn * k * (n - 1) / n) * x[j];
        }
    }
    for (int j = 0; j < solver->sys.nu; j++)
        error[j] = follows(solver, j) ? 2 * fmax(fabs(error[j]), 0.1 * fabs(sw->frozen[j])) : 0;
}

/* The least and largest values of the functions at some places up to the part `to` of the step. */
static dfl_status range_of(double *lowest, double *highest, dfl_solver *solver, double to)
{
    dfl_search *search = &solver->switching->search;
    const dfl_path *path = &solver->switching->path;
    for (int k = 0; k <= path->degree; k++) {
        const double t = path->t_old + to * path->place[k] * path->h;
        dfl_path_at(search->x, path, to * path->place[k]);
        if (dfl_switching_eval(search->value, solver->options.switches.count, t, search->x, solver))
            return dfl_switching_stopped(solver, "switches.eval");
        for (int i = 0; i < solver->options.switches.count; i++) {
            lowest[i] = k == 0 ? search->value[i] : fmin(lowest[i], search->value[i]);
            highest[i] = k == 0 ? search->value[i] : fmax(highest[i], search->value[i]);
        }
    }
    return DFL_OK;
}
