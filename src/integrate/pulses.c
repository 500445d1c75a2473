/* Narrow pulses. Where a function u of time is nearly the same at all stages of a step it may still
   have a pulse between them, which the error estimate cannot see. Bounds of its slope over the step
   exclude that: with u seen at the places of the stages, a step h is short enough if

       h max|u'| <= 8 (max u - min u) + 1e-3 S ,

   S the largest |u| so far, at least 1e-3 of the largest one in the rest of the run. Otherwise it
   is halved. */
#include "integrate/pulses.h"
#include "integrate/stepper.h"

#include <math.h>
#include <string.h>

enum { HALVINGS = 40 }; /* of one step */
enum { PATIENCE = 20 }; /* of them while bounds are infinite */
enum { FINEST = 16 };   /* parts of a step whose bounds are taken */
enum { PARTS = 16 };    /* of the rest of the run */
static const double steep = 8, slight = 1e-3;
static const double nothing = 1e-280; /* near the smallest numbers bounds are coarse */

static dfl_status look_ahead(dfl_stepper *st);
static dfl_status bound(dfl_stepper *st, double from, double to);
static dfl_status look_at(dfl_stepper *st, double t, bool first);
static dfl_status see_step(dfl_stepper *st, double h);
static dfl_status short_enough(bool *out, dfl_stepper *st, double h, bool patient);
static bool changes_are_seen(const dfl_stepper *st, double h, bool patient);

dfl_status dfl_pulses_init(dfl_pulses *pulses, dfl_context *ctx, const dfl_solver_options *options)
{
    const size_t count = (size_t)options->pulses.count, d = sizeof(double);
    pulses->value = dfl_alloc(ctx, count, d);
    pulses->low = dfl_alloc(ctx, count, d);
    pulses->high = dfl_alloc(ctx, count, d);
    pulses->largest = dfl_alloc(ctx, count, d);
    pulses->ahead = dfl_alloc(ctx, count, d);
    pulses->bounds = dfl_alloc(ctx, count, sizeof *pulses->bounds);
    return pulses->value && pulses->low && pulses->high && pulses->largest && pulses->ahead &&
                   pulses->bounds
               ? DFL_OK
               : DFL_NO_MEMORY;
}

void dfl_pulses_clear(dfl_pulses *pulses, dfl_context *ctx)
{
    dfl_free(ctx, pulses->value);
    dfl_free(ctx, pulses->low);
    dfl_free(ctx, pulses->high);
    dfl_free(ctx, pulses->largest);
    dfl_free(ctx, pulses->ahead);
    dfl_free(ctx, pulses->bounds);
}

void dfl_pulses_start(dfl_pulses *pulses, const dfl_solver_options *options)
{
    memset(pulses->largest, 0, (size_t)options->pulses.count * sizeof *pulses->largest);
    pulses->looked = false;
}

void dfl_pulses_aim(dfl_pulses *pulses, double t_end)
{
    pulses->t_end = t_end;
    pulses->looked = false;
}

dfl_status dfl_pulses_limit(double *h, dfl_stepper *st)
{
    const dfl_solver_options *opt = st->options;
    const double wanted = *h;
    if (opt->pulses.count == 0 || opt->step.fixed > 0)
        return DFL_OK;
    dfl_status status = st->parts->pulses.looked ? DFL_OK : look_ahead(st);
    for (int i = 0; !status && i < HALVINGS; i++) {
        bool enough = false;
        status = see_step(st, *h);
        if (!status)
            status = short_enough(&enough, st, *h, i < PATIENCE);
        if (status || enough)
            return status;
        *h *= 0.5;
    }
    *h = wanted; /* the bounds say nothing */
    return status;
}

/* The largest values of the rest of the run, as far as bounds are finite. */
static dfl_status look_ahead(dfl_stepper *st)
{
    dfl_pulses *pulses = &st->parts->pulses;
    const int count = st->options->pulses.count;
    const double part = (pulses->t_end - st->t) / PARTS;
    dfl_status status = DFL_OK;
    memset(pulses->ahead, 0, (size_t)count * sizeof *pulses->ahead);
    for (int k = 0; !status && k < PARTS; k++) {
        status = bound(st, st->t + k * part, st->t + (k + 1) * part);
        for (int i = 0; !status && i < count; i++) {
            const double most = fmax(fabs(pulses->bounds[i].low), fabs(pulses->bounds[i].high));
            if (isfinite(most))
                pulses->ahead[i] = fmax(pulses->ahead[i], most);
        }
    }
    pulses->looked = true;
    return status;
}

static dfl_status bound(dfl_stepper *st, double from, double to)
{
    const dfl_pulse_options *opt = &st->options->pulses;
    const double sign = to < from ? -1 : 1;
    const dfl_bounds t = {fmin(from, to), fmax(from, to), sign, sign};
    st->sys->stats->enclosures++;
    return opt->enclose(st->parts->pulses.bounds, opt->count, &t, NULL, opt->user)
               ? dfl_fail(st->sys->ctx, DFL_CALLBACK,
                          "pulses.enclose stopped the computation at t = %.10g", from)
               : DFL_OK;
}

/* The functions at both ends of the step and at its stages. */
static dfl_status see_step(dfl_stepper *st, double h)
{
    dfl_pulses *pulses = &st->parts->pulses;
    double node[DFL_PULSE_NODES];
    const int count = st->class->nodes ? st->class->nodes(node, st) : 0;
    dfl_status status = look_at(st, st->t, true);
    for (int i = 0; i < st->options->pulses.count; i++)
        pulses->largest[i] = fmax(pulses->largest[i], fabs(pulses->value[i]));
    for (int k = 0; !status && k < count; k++)
        status = look_at(st, st->t + node[k] * h, false);
    return status ? status : look_at(st, st->t + h, false);
}

static dfl_status look_at(dfl_stepper *st, double t, bool first)
{
    dfl_pulses *pulses = &st->parts->pulses;
    const dfl_pulse_options *opt = &st->options->pulses;
    if (opt->eval(pulses->value, opt->count, t, NULL, opt->user))
        return dfl_fail(st->sys->ctx, DFL_CALLBACK,
                        "pulses.eval stopped the computation at t = %.10g", t);
    for (int i = 0; i < opt->count; i++) {
        pulses->low[i] = first ? pulses->value[i] : fmin(pulses->low[i], pulses->value[i]);
        pulses->high[i] = first ? pulses->value[i] : fmax(pulses->high[i], pulses->value[i]);
    }
    return DFL_OK;
}

/* Bounds over parts of the step are tighter: those of products and powers over all of it may be far
   too wide. */
static dfl_status short_enough(bool *out, dfl_stepper *st, double h, bool patient)
{
    dfl_status status = DFL_OK;
    *out = false;
    for (int parts = 1; !status && !*out && parts <= FINEST; parts *= 2) {
        *out = true;
        for (int k = 0; !status && *out && k < parts; k++) {
            status = bound(st, st->t + h * k / parts, st->t + h * (k + 1) / parts);
            *out = !status && changes_are_seen(st, h, patient);
        }
    }
    return status;
}

/* By the bounds of one part. */
static bool changes_are_seen(const dfl_stepper *st, double h, bool patient)
{
    const dfl_pulses *pulses = &st->parts->pulses;
    for (int i = 0; i < st->options->pulses.count; i++) {
        const dfl_bounds *u = &pulses->bounds[i];
        const double change = fabs(h) * fmax(fabs(u->slope_low), fabs(u->slope_high));
        const double most = fmax(fabs(u->low), fabs(u->high));
        const double ahead = fmax(pulses->ahead[i], isfinite(most) ? most : 0);
        const double size = fmax(fmax(pulses->largest[i], slight * ahead), nothing);
        const bool fits = change <= steep * (pulses->high[i] - pulses->low[i]) + slight * size;
        if (!fits && (patient || isfinite(change)))
            return false;
    }
    return true;
}
