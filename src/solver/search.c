/* Where event functions pass zero within a step, on its continuous output.

   A sign change between two samples of the step is narrowed by the Illinois variant of regula
   falsi. A function may have the same sign at both, but come closer to zero after the first and
   move away from it before the second. It may then pass zero twice in between: if the function has
   the other sign at the lowest point of the cubic with these values and slopes, that point becomes
   a sample. */
#include "solver/solver_internal.h"
#include "solver/watching.h"

#include <float.h>
#include <math.h>
#include <string.h>

static dfl_status find_sampled(dfl_solver *solver, double to);
static dfl_status values_at(double *value, dfl_solver *solver, double t);
static bool passes(const dfl_solver *solver, int i, double before, double after);
static dfl_status find_first(dfl_solver *solver, double a, double b);
static dfl_status search(dfl_solver *solver, double a, double b);
static dfl_status locate(double *root, dfl_solver *solver, int i, double a, double fa, double b,
                         double fb);
static dfl_status stop_short(double *b, dfl_solver *solver, double a);
static dfl_status find_turn(double *b, dfl_solver *solver, int i, double a);
static void pass_events(dfl_solver *solver);

/* Slopes are differences over this part of the distance of two samples. */
static const double little = 1e-3;

dfl_status dfl_solver_event_values(double *value, dfl_solver *solver, double t, const double *x)
{
    const dfl_solver_options *opt = &solver->options;
    if (opt->events.eval(value, t, x, opt->user))
        return dfl_fail(solver->ctx, DFL_CALLBACK, "event stopped the computation at t = %.10g", t);
    for (int i = 0; i < opt->events.count; i++)
        if (!isfinite(value[i])) {
            char name[DFL_SWITCH_NAME];
            dfl_solver_event_name(name, sizeof name, i, solver);
            return dfl_fail(solver->ctx, DFL_NOT_FINITE, "%s is %g at t = %.10g", name, value[i],
                            t);
        }
    return DFL_OK;
}

dfl_status dfl_solver_find_events(dfl_solver *solver, double to)
{
    return solver->watching ? dfl_solver_find_enclosed(solver, to) : find_sampled(solver, to);
}

/* Whether a function is exactly zero. One that touches zero at a sample would seem to pass it; a
   little earlier it does not. */
static bool vanishes(const dfl_solver *solver)
{
    for (int i = 0; i < solver->options.events.count; i++)
        if (solver->value[i] == 0 && solver->value_old[i] != 0)
            return true;
    return false;
}

/* Without bounds. */
static dfl_status find_sampled(dfl_solver *solver, double to)
{
    const size_t size = (size_t)solver->options.events.count * sizeof(double);
    const double from = solver->reported;
    const int samples = solver->stepper->degree + 1; /* longer steps have more */
    double a = from;
    dfl_status status = DFL_OK;
    for (int k = 1; k <= samples && !solver->event_found; k++) {
        double sample = k == samples ? to : from + (to - from) * k / samples;
        bool may_move = k < samples;
        while (!status && a != sample && !solver->event_found) {
            status = values_at(solver->value, solver, sample);
            if (!status && may_move && vanishes(solver)) {
                sample -= 0.125 * (sample - a);
                status = values_at(solver->value, solver, sample);
            }
            may_move = false;
            double b = sample;
            if (!status)
                status = stop_short(&b, solver, a);
            if (!status)
                status = find_first(solver, a, b);
            if (!status && !solver->event_found)
                memcpy(solver->value_old, solver->value, size);
            solver->reported = a = b;
        }
        if (status) {
            solver->event_found = false;
            return status;
        }
    }
    if (solver->event_found)
        pass_events(solver);
    return DFL_OK;
}

static dfl_status values_at(double *value, dfl_solver *solver, double t)
{
    dfl_status status = dfl_solver_continuous(solver->x_event, solver, t, false);
    return status ? status : dfl_solver_event_values(value, solver, t, solver->x_event);
}

/* Whether event i passes zero from `before` to `after` in its wanted direction. */
static bool passes(const dfl_solver *solver, int i, double before, double after)
{
    const dfl_event_kind *kinds = solver->options.events.kinds;
    const int wanted = kinds ? kinds[i].direction : 0;
    const bool rising = before < 0 && after >= 0, falling = before > 0 && after <= 0;
    return (rising && wanted >= 0) || (falling && wanted <= 0);
}

/* Whether an event passes zero by the located time (value_probe), but returns before b (value). */
static bool passes_earlier(const dfl_solver *solver)
{
    const double *old = solver->value_old, *at = solver->value_probe;
    for (int i = 0; i < solver->options.events.count; i++)
        if (passes(solver, i, old[i], at[i]) && !passes(solver, i, old[i], solver->value[i]))
            return true;
    return false;
}

/* The first event between a (value_old) and b (value), and values there (value_probe). An event
   that shows only at the located time of another one is earlier than that one. */
static dfl_status find_first(dfl_solver *solver, double a, double b)
{
    const size_t size = (size_t)solver->options.events.count * sizeof(double);
    dfl_status status = search(solver, a, b);
    while (!status && solver->event_found) {
        status = values_at(solver->value_probe, solver, solver->event_time);
        if (status || !passes_earlier(solver))
            return status;
        memcpy(solver->value, solver->value_probe, size);
        solver->event_found = false;
        status = search(solver, a, solver->event_time);
    }
    return status;
}

/* The first event that has passed zero at b (value) and not at a (value_old), if there is one:
   event_found, event_time. */
static dfl_status search(dfl_solver *solver, double a, double b)
{
    const double sign = dfl_solver_direction(solver), *old = solver->value_old,
                 *value = solver->value;
    for (int i = 0; i < solver->options.events.count; i++) {
        double root;
        if (!passes(solver, i, old[i], value[i]))
            continue;
        const dfl_status status = locate(&root, solver, i, a, old[i], b, value[i]);
        if (status)
            return status;
        if (!solver->event_found || sign * (root - solver->event_time) < 0)
            solver->event_time = root;
        solver->event_found = true;
    }
    return DFL_OK;
}

/* The zero of event i between a (value fa) and b (value fb): by the Illinois method, or by
   bisection after some iterations that did not halve the interval, and where the function stays
   zero. Of a function that stays zero, the first zero. */
static dfl_status locate(double *root, dfl_solver *solver, int i, double a, double fa, double b,
                         double fb)
{
    const double tolerance = 4 * DBL_EPSILON * fmax(fabs(a), fabs(b)), whole = fabs(b - a);
    double halved = whole;
    int side = 0, slow = 0;
    bool bisect = false;
    for (int it = 0; it < 250 && fabs(b - a) > tolerance; it++) {
        const bool flat = fb == 0;
        double m = bisect ? 0.5 * (a + b)
                   : flat ? b + 1e-9 * (a - b)
                          : a - fa / (fb - fa) * (b - a);
        dfl_status status = values_at(solver->value_probe, solver, m);
        if (status)
            return status;
        const double fm = solver->value_probe[i];
        if (fm == 0 || (fm > 0) == (fa < 0)) {
            b = m, fb = fm;
            fa *= side == -1 ? 0.5 : 1;
            side = -1;
        } else {
            a = m, fa = fm;
            fb *= side == 1 ? 0.5 : 1;
            side = 1;
            if (flat && fabs(b - a) <= 2e-9 * whole)
                break; /* b is the zero itself */
        }
        slow = fabs(b - a) > 0.5 * halved ? slow + 1 : 0;
        halved = slow ? halved : fabs(b - a);
        bisect = slow >= 4 || (flat && fb == 0);
    }
    *root = b;
    return DFL_OK;
}

static bool same_sign(double a, double b)
{
    return (a > 0 && b > 0) || (a < 0 && b < 0);
}

/* Whether values a little after a say more about event i: it changes its sign, or moves away from
   zero before b. */
static bool may_turn(const dfl_solver *solver, int i)
{
    const double before = solver->value_near[solver->options.events.count + i];
    const double old = solver->value_old[i], value = solver->value[i];
    return !same_sign(old, value) || (value > 0 ? value > before : value < before);
}

/* Values a little after a and a little before b, the former if some function may turn. */
static dfl_status look_near_ends(bool *turning, dfl_solver *solver, double a, double b)
{
    const int nevents = solver->options.events.count;
    const double distance = little * (b - a);
    dfl_status status = values_at(solver->value_near + nevents, solver, b - distance);
    *turning = solver->fresh;
    for (int i = 0; !status && i < nevents; i++)
        *turning = *turning || may_turn(solver, i);
    return status || !*turning ? status : values_at(solver->value_near, solver, a + distance);
}

/* What is zero at the start, within the rounding of time, is treated as zero. */
static void forget_rounding(dfl_solver *solver, double a, double b)
{
    const double rounding = 16 * DBL_EPSILON * fabs(a) / fabs(little * (b - a));
    const double part = fmin(0.5, fmax(1e-9, rounding)), *after = solver->value_near;
    double *old = solver->value_old;
    for (int i = 0; solver->fresh && i < solver->options.events.count; i++)
        if (fabs(old[i]) <= part * fabs(after[i] - old[i]))
            old[i] = 0;
    solver->fresh = false;
}

/* Whether event i moves away from zero after a and has the other sign at b: seen from there a zero
   at a, which was met before, cannot be mistaken for the one in between. */
static bool leaves_zero(const dfl_solver *solver, int i)
{
    const double after = solver->value_near[i], old = solver->value_old[i], b = solver->value[i];
    return after > 0 ? b <= 0 && after > old : after < 0 && b >= 0 && after < old;
}

/* Moves b towards a, with `value`, to where a function that has one sign at both ends has the
   other. */
static dfl_status stop_short(double *b, dfl_solver *solver, double a)
{
    const int nevents = solver->options.events.count;
    double end;
    do {
        bool turning;
        end = *b;
        dfl_status status = look_near_ends(&turning, solver, a, end);
        if (!status)
            forget_rounding(solver, a, end);
        for (int i = 0; !status && turning && i < nevents && *b == end; i++)
            if (leaves_zero(solver, i))
                *b = a + little * (end - a);
            else if (may_turn(solver, i) && same_sign(solver->value_old[i], solver->value[i]))
                status = find_turn(b, solver, i, a);
        if (!status && *b != end)
            status = values_at(solver->value, solver, *b);
        if (status)
            return status;
    } while (*b != end);
    return DFL_OK;
}

/* A place with the distance of a function from zero, and its change with time. */
typedef struct place {
    double t, value, slope;
} place;

/* Where the cubic through a, where it falls, and b, where it rises, is lowest. */
static place lowest(const place *a, const place *b)
{
    const double h = b->t - a->t, d = b->value - a->value, m0 = h * a->slope, m1 = h * b->slope;
    const double c2 = 3 * d - 2 * m0 - m1, c3 = m0 + m1 - 2 * d;
    const double s = -m0 / (c2 + sqrt(fmax(0, c2 * c2 - 3 * c3 * m0)));
    return (place){.t = a->t + s * h, .value = a->value + s * (m0 + s * (c2 + s * c3))};
}

/* Differences are slopes of the middle of their interval: moves them to the ends of the larger
   one. Returns the change of slopes with time. */
static double move_slopes(place *a, place *b, double near)
{
    const double curvature = (b->slope - a->slope) / (b->t - a->t - near);
    a->slope -= 0.5 * near * curvature;
    b->slope += 0.5 * near * curvature;
    return curvature;
}

/* Event i falls towards zero after a and rises before b, in terms of its distance: *b becomes a
   place where it has passed zero, if there is one. */
static dfl_status find_turn(double *b, dfl_solver *solver, int i, double a)
{
    const int nevents = solver->options.events.count;
    const double sign = solver->value_old[i] > 0 ? 1 : -1, near = little * (*b - a);
    const double after = solver->value_near[i], before = solver->value_near[nevents + i];
    place left = {a, sign * solver->value_old[i], sign * (after - solver->value_old[i]) / near};
    place right = {*b, sign * solver->value[i], sign * (solver->value[i] - before) / near};
    const double curvature = move_slopes(&left, &right, near);
    for (int it = 0; it < 8 && left.slope * near < 0 && right.slope * near > 0; it++) {
        place low = lowest(&left, &right);
        const double expected = low.value, distance = little * (right.t - left.t);
        if (!((low.t - left.t) * near > 0 && (right.t - low.t) * near > 0))
            return DFL_OK;
        dfl_status status = values_at(solver->value_probe, solver, low.t);
        if (status)
            return status;
        low.value = sign * solver->value_probe[i];
        if (low.value < 0) /* not where it only touches zero */
            *b = low.t;
        if (low.value <= 0 || fabs(low.value - expected) <= 0.1 * low.value)
            return DFL_OK;
        status = values_at(solver->value_probe, solver, low.t + distance);
        if (status)
            return status;
        low.slope =
            (sign * solver->value_probe[i] - low.value) / distance - 0.5 * distance * curvature;
        *(low.slope * near < 0 ? &left : &right) = low;
    }
    return DFL_OK;
}

/* Marks the events at event_time (value_probe): those that pass zero up to it. They go on with the
   sign they have after it, the others with their values there. */
static void pass_events(dfl_solver *solver)
{
    const double *at = solver->value_probe;
    double *old = solver->value_old;
    for (int i = 0; i < solver->options.events.count; i++) {
        const bool met = passes(solver, i, old[i], at[i]);
        solver->found[i] = (signed char)(met ? (old[i] < 0 ? 1 : -1) : 0);
        old[i] = met ? solver->value[i] : at[i];
    }
    solver->reported = solver->event_time;
}
