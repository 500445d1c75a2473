/* What does not depend on the integrator: life, the first step size, the loop of attempts that ends
   in one accepted step, and the end of a step. */
#include "integrate/stepper.h"
#include "integrate/bdf.h"
#include "integrate/chart_watch.h"
#include "integrate/explicit.h"
#include "integrate/extrapolation.h"
#include "integrate/failure.h"
#include "integrate/radau.h"
#include "integrate/second_order.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const dfl_stepper_class *class_of(dfl_integrator integrator);
static dfl_status init_common(dfl_stepper *st);
static double first_step(dfl_stepper *st, double span);
static double next_size(const dfl_stepper *st, double to_go);
static dfl_status too_short(const dfl_stepper *st, double h);
static bool singular_position_is_close(dfl_stepper *st, double h);

static const dfl_stepper_class *class_of(dfl_integrator integrator)
{
    switch (integrator) {
    case DFL_BDF:
        return &dfl_bdf_class;
    case DFL_TRAPEZOIDAL:
        return &dfl_trapezoidal_class;
    case DFL_MIDPOINT:
        return &dfl_midpoint_class;
    case DFL_HALF_EXPLICIT:
        return &dfl_half_explicit_class;
    case DFL_EXPLICIT_PAIR:
        return &dfl_explicit_pair_class;
    case DFL_EXTRAPOLATION:
        return &dfl_extrapolation_class;
    default:
        return &dfl_radau_class;
    }
}

bool dfl_integrator_is_explicit(dfl_integrator integrator)
{
    return class_of(integrator)->right_hand_side;
}

dfl_integrator_needs dfl_stepper_needs(const dfl_solver_options *options)
{
    const dfl_stepper_class *class = class_of(options->integrator);
    return (dfl_integrator_needs){.stages = class->stages(options),
                                  .right_hand_side = class->right_hand_side,
                                  .two_points = class->two_points};
}

dfl_status dfl_stepper_create(dfl_stepper **out, dfl_system *sys, dfl_formulation *form,
                              const dfl_solver_options *options)
{
    const dfl_stepper_class *class = class_of(options->integrator);
    dfl_stepper *st = dfl_alloc(sys->ctx, 1, class->size);
    dfl_stepper_parts *parts = dfl_alloc(sys->ctx, 1, sizeof *parts);
    *out = NULL;
    if (!st || !parts) {
        dfl_free(sys->ctx, st);
        dfl_free(sys->ctx, parts);
        return DFL_NO_MEMORY;
    }
    st->parts = parts;
    st->scale = &parts->scale;
    st->control = &parts->control;
    st->newton = &parts->newton;
    st->watch = &parts->watch;
    st->class = class;
    st->sys = sys;
    st->form = form;
    st->options = options;
    dfl_status status = init_common(st);
    if (!status)
        status = class->init(st);
    if (status)
        dfl_stepper_free(st);
    else
        *out = st;
    return status;
}

static dfl_status init_common(dfl_stepper *st)
{
    dfl_system *sys = st->sys;
    st->err = dfl_alloc(sys->ctx, (size_t)sys->n, sizeof(double));
    if (!st->err)
        return DFL_NO_MEMORY;
    dfl_status status = dfl_scale_init(st->scale, sys, st->options);
    if (!status)
        status = dfl_pulses_init(&st->parts->pulses, sys->ctx, st->options);
    if (!status)
        status = dfl_point_init(&st->here, sys);
    if (!status)
        status = dfl_point_init(&st->next, sys);
    if (!status)
        status = dfl_point_init(&st->spare, sys);
    return status ? status : dfl_contact_watch_init(st);
}

void dfl_stepper_free(dfl_stepper *st)
{
    if (!st)
        return;
    dfl_context *ctx = st->sys->ctx;
    st->class->clear(st);
    dfl_scale_clear(st->scale);
    dfl_pulses_clear(&st->parts->pulses, ctx);
    dfl_contact_watch_clear(st);
    dfl_point_clear(&st->here, ctx);
    dfl_point_clear(&st->next, ctx);
    dfl_point_clear(&st->spare, ctx);
    dfl_free(ctx, st->err);
    dfl_free(ctx, st->parts);
    dfl_free(ctx, st);
}

void dfl_stepper_bind(dfl_stepper *st)
{
    dfl_scale_bind(st->scale);
    dfl_point_bind(&st->here, st->sys);
    dfl_point_bind(&st->next, st->sys);
    dfl_point_bind(&st->spare, st->sys);
    dfl_contact_watch_bind(st);
    st->class->bind(st);
}

/* At `here`, without a step before it. */
static void forget_steps(dfl_stepper *st)
{
    st->t = st->t_old = st->here.t;
    st->stepped = st->rejected = st->again = false;
    st->estimate = 1;
    st->watch->singular_in_row = st->watch->flips = 0;
    st->watch->violated = -1;
    st->watch->undetermined = false;
    st->watch->chart_left = false;
    dfl_contact_watch_forget(st);
    st->watch->h_chart = st->watch->excess = 0;
    st->watch->drift = st->watch->h_flip = 0;
}

void dfl_stepper_start(dfl_stepper *st, double h)
{
    forget_steps(st);
    st->resumed = false;
    st->h = h;
    dfl_pulses_start(&st->parts->pulses, st->options);
    st->class->start(st);
}

void dfl_stepper_restart(dfl_stepper *st, double h, int order)
{
    st->h_old = 0;
    st->newton->theta = 0;
    st->newton->kept = 0;
    *st->watch = (dfl_failure_watch){0};
    dfl_stepper_start(st, h);
    if (st->class->use_order)
        st->class->use_order(st, order);
}

void dfl_stepper_resume(dfl_stepper *st)
{
    forget_steps(st);
    st->resumed = true;
    dfl_pulses_aim(&st->parts->pulses, st->parts->pulses.t_end); /* in another branch */
    if (st->class->resume) {
        st->class->resume(st);
        return;
    }
    if (st->class->remembers) /* begins with a low order and a short step */
        st->h = st->options->step.fixed;
    st->class->start(st);
}

void dfl_stepper_undo(dfl_stepper *st)
{
    const dfl_point end = st->here;
    st->here = st->next;
    st->next = end;
    st->sys->stats->accepted--;
    forget_steps(st);
    if (st->class->remembers) /* the step is part of its past */
        st->class->start(st);
}

bool dfl_stepper_retake(dfl_stepper *st, double t_end)
{
    const double t = st->t, h = st->h;
    const dfl_point end = st->here;
    long attempts = 1;
    st->here = st->next; /* where the step began */
    st->next = st->spare;
    st->t = st->here.t;
    st->h = t_end - st->t;
    st->again = true;
    st->sys->stats->accepted--;
    const bool taken = dfl_stepper_step(st, t_end, &attempts) == DFL_OK && st->t == t_end;
    if (taken) {
        st->spare = end;
    } else {
        st->spare = st->next;
        st->next = st->here;
        st->here = end;
        st->t = t;
        st->sys->stats->accepted++;
        st->again = st->rejected = false;
        st->newton->need_matrix = true; /* that of another step */
        st->newton->h_factored = 0;
    }
    st->h = h;
    return taken;
}

void dfl_stepper_aim(dfl_stepper *st, double t_end)
{
    const double span = t_end - st->t;
    dfl_pulses_aim(&st->parts->pulses, t_end);
    if (st->class->remembers && st->stepped && span * st->h_old < 0)
        dfl_stepper_start(st, st->options->step.fixed);
    if (st->h == 0)
        st->h = first_step(st, span);
    st->h = copysign(st->h, span);
    if (st->options->step.max > 0 && fabs(st->h) > st->options->step.max)
        st->h = copysign(st->options->step.max, span);
}

void dfl_stepper_rates(double *xp, const dfl_stepper *st, const dfl_point *point)
{
    const dfl_system *sys = st->sys;
    memset(xp, 0, (size_t)sys->n * sizeof *xp);
    memcpy(xp + sys->at.r, point->dif, (size_t)sys->n2 * sizeof *xp);
    memcpy(xp + sys->at.v, point->a, (size_t)sys->n3 * sizeof *xp);
    memcpy(xp + sys->at.p, point->blocks.kin, (size_t)sys->eom->np * sizeof *xp);
}

bool dfl_stepper_has_rate(const dfl_stepper *st, const dfl_point *point, int i)
{
    const dfl_system *sys = st->sys;
    const bool massless = i >= sys->at.v && i < sys->at.sp &&
                          dfl_system_is_massless(sys, point->blocks.K0, i - sys->at.v);
    return i >= sys->at.r && (i < sys->at.sp || i >= sys->at.p) && !massless;
}

/* The first step from the size of x' alone: it changes x by about the fifth root of the tolerance
   or, if the method starts with a low order, by half the tolerance. The error test corrects it at
   once if it is too long. */
static double first_step(dfl_stepper *st, double span)
{
    dfl_scale_set(st->scale, st->here.x, span);
    dfl_stepper_rates(st->err, st, &st->here);
    const double speed = dfl_scale_error(st->scale, st->err);
    /* long enough to change the time, if the end is that far away */
    const double least = fmin(fabs(span), 20 * st->options->error.rounding * fabs(st->t));
    double h = 1e-3 * fabs(span);
    if (st->class->remembers && speed * h > 0.5)
        h = 0.5 / speed;
    else if (!st->class->remembers && speed * h * st->scale->smallest_rtol > 1e-2)
        h = 1e-2 / (speed * st->scale->smallest_rtol);
    return copysign(fmax(h, least), span);
}

dfl_status dfl_stepper_step(dfl_stepper *st, double t_end, long *attempts_left)
{
    dfl_system *sys = st->sys;
    for (;;) {
        const double to_go = t_end - st->t;
        const double wanted =
            fabs(st->h) * (1 + 1e-4) >= fabs(to_go) ? to_go : next_size(st, to_go);
        double h = wanted;
        if (!st->again) { /* a step that is taken again was short enough */
            const dfl_status status = dfl_pulses_limit(&h, st);
            if (status)
                return status;
        }
        const bool last = h == to_go, cut = last || h != wanted;
        double h_next = h;
        if (h != wanted && st->class->remembers)
            st->h = h;
        if ((*attempts_left)-- <= 0)
            return dfl_fail(sys->ctx, DFL_TOO_MANY_STEPS,
                            "more than the allowed number of steps at t = %.10g (step size %.3g); "
                            "raise max_steps, or look for what makes the motion so fast",
                            st->t, h);
        /* relative to the time, and at t = 0 to what is still to come */
        if (!last &&
            0.1 * fabs(h) <= fmax(fabs(st->t), 1e-6 * fabs(to_go)) * st->options->error.rounding)
            return st->stepped || st->rejected ? dfl_step_failure(st, h) : too_short(st, h);
        sys->stats->attempts++;
        switch (st->class->attempt(st, h, &h_next)) {
        case DFL_ATTEMPT_ACCEPTED:
            /* a step that was cut short says little about the next one */
            if (!cut || fabs(h_next) > fabs(st->h))
                st->h = h_next;
            if (last)
                st->t = st->here.t = t_end;
            return DFL_OK;
        case DFL_ATTEMPT_REJECTED:
            if (fabs(st->h) < DBL_MIN * 1e10 || !isfinite(st->h))
                return dfl_step_failure(st, h);
            break;
        case DFL_ATTEMPT_HOPELESS:
            return dfl_step_failure(st, h);
        }
    }
}

/* The proposed step; half the distance if two steps would end just beyond the goal. */
static double next_size(const dfl_stepper *st, double to_go)
{
    const bool split = st->class->remembers && st->options->step.fixed == 0;
    return split && fabs(to_go) < 2 * fabs(st->h) ? to_go / 2 : st->h;
}

/* The proposed step is too small to change the time, although nothing went wrong. */
static dfl_status too_short(const dfl_stepper *st, double h)
{
    return dfl_fail(st->sys->ctx, DFL_INVALID,
                    "the step size %.3g is too small at t = %.10g; check max_step, first_step, "
                    "fixed_step and the tolerances",
                    h, st->t);
}

bool dfl_stepper_remembers(const dfl_stepper *st)
{
    return st->class->remembers;
}

const double *dfl_stepper_weights(const dfl_stepper *st)
{
    return st->scale->weight;
}

void dfl_stepper_interpolate(double *x, const dfl_stepper *st, double t)
{
    if (st->stepped)
        st->class->interpolate(x, st, t);
    else
        memcpy(x, st->here.x, (size_t)st->sys->n * sizeof *x);
}

dfl_outcome dfl_stepper_complete(dfl_stepper *st, double h)
{
    st->class->candidate(st, h);
    st->next.t = st->t + h;
    dfl_outcome outcome = dfl_system_eval_checked(st->sys, &st->next);
    return outcome ? outcome : dfl_stepper_accept(st, h);
}

dfl_outcome dfl_stepper_accept(dfl_stepper *st, double h)
{
    /* a long step may only look like one over a singular position */
    if (dfl_constraints_flipped(st) && !singular_position_is_close(st, h))
        return DFL_STEP_RETRY;
    if (st->watch->flips > 0 || dfl_redundant_rows_violated(st))
        return DFL_STEP_RANK;
    const dfl_outcome chart = dfl_watch_chart(st, h);
    const dfl_outcome contact = chart ? chart : dfl_watch_contact(st, h);
    if (contact)
        return contact;
    st->watch->undetermined = !dfl_formulation_forces_determined(st->form, &st->next);
    if (st->watch->undetermined)
        return DFL_STEP_STOP;
    st->class->store(st, h);
    dfl_contact_watch_accepted(st, h);
    st->t_old = st->t;
    st->h_old = h;
    st->stepped = true;
    st->again = false;
    const dfl_point old = st->here;
    st->here = st->next;
    st->next = old;
    st->t = st->here.t;
    const dfl_outcome least = dfl_formulation_least_multipliers(&st->here, st->form);
    dfl_formulation_accepted(st->form);
    st->sys->stats->accepted++;
    st->rejected = st->resumed = false;
    if ((st->t - st->watch->t_beyond) * h >= 0)
        st->watch->h_flip = 0; /* what looked singular has been passed */
    return least == DFL_STEP_STOP ? DFL_STEP_STOP : DFL_STEP_OK;
}

/* A step over a singular position is halved until the position is known to a thousandth of the step
   that first showed it. */
static bool singular_position_is_close(dfl_stepper *st, double h)
{
    const double end = st->t + h;
    if (st->watch->h_flip == 0 || (end - st->watch->t_beyond) * h > 0) {
        st->watch->h_flip = h;
        st->watch->t_beyond = end;
    }
    return fabs(h) <= 1e-3 * fabs(st->watch->h_flip) || st->options->step.fixed > 0;
}

bool dfl_stepper_hopeless(dfl_stepper *st, dfl_outcome outcome)
{
    if (outcome == DFL_STEP_STOP || outcome == DFL_STEP_RANK)
        return true;
    return outcome == DFL_STEP_SINGULAR && ++st->watch->singular_in_row >= 5;
}
