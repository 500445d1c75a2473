/* One attempt of an implicit integrator: matrix, simplified Newton iteration, error test, and what
   happens when one of them fails (GEOMS, main loop; RADAU5). */
#include "integrate/implicit.h"

#include <float.h>
#include <math.h>

static dfl_outcome prepare_matrix(dfl_stepper *st, double h);
static dfl_outcome newton(dfl_stepper *st, double h, double *reduce);
static dfl_attempt test_error(dfl_stepper *st, double h, double *h_next);
static dfl_attempt complete(dfl_stepper *st, double h);

dfl_status dfl_implicit_init(dfl_stepper *st)
{
    const dfl_system *sys = st->sys;
    st->newton->x_ref = dfl_alloc(sys->ctx, (size_t)sys->n, sizeof(double));
    st->newton->a_ref = dfl_alloc(sys->ctx, (size_t)sys->n3, sizeof(double));
    return st->newton->x_ref && st->newton->a_ref ? DFL_OK : DFL_NO_MEMORY;
}

void dfl_implicit_clear(dfl_stepper *st)
{
    dfl_free(st->sys->ctx, st->newton->x_ref);
    dfl_free(st->sys->ctx, st->newton->a_ref);
}

void dfl_implicit_start(dfl_stepper *st)
{
    st->newton->at_start = st->newton->old = false;
    st->newton->need_matrix = true;
    st->newton->h_factored = 0;
    st->newton->faccon = 1;
}

dfl_attempt dfl_implicit_attempt(dfl_stepper *st, double h, double *h_next)
{
    double reduce = 0.5;
    dfl_outcome outcome = dfl_implicit_solve(st, h, &reduce);
    return outcome ? dfl_implicit_failed(st, h, outcome, reduce) : test_error(st, h, h_next);
}

dfl_outcome dfl_implicit_solve(dfl_stepper *st, double h, double *reduce)
{
    const dfl_implicit_class *class = st->class->implicit;
    *reduce = 0.5;
    st->scale->weakest = dfl_formulation_weakest(st->form);
    dfl_scale_set(st->scale, st->here.x, h);
    class->predict(st, h);
    dfl_outcome outcome = prepare_matrix(st, h);
    if (!outcome && st->newton->h_factored != h)
        outcome = class->factor(st, h);
    if (outcome)
        return outcome;
    st->watch->singular_in_row = 0;
    class->settle(st, h);
    dfl_formulation_begin_iteration(st->form);
    return newton(st, h, reduce);
}

/* Whether one iteration with a matrix at the end of the step solves linear equations. */
static bool linear_at_end(const dfl_stepper *st)
{
    const dfl_eom *eom = st->sys->eom;
    return eom->linear && eom->jacobian && !dfl_formulation_traits(st->form)->ode &&
           st->class->implicit->at_end && st->options->newton.reference != DFL_REFERENCE_START;
}

/* Whether the present matrix is that of the equations of the step, which are linear: Steinbrecher
   (2002), Algorithm 13, for matrices that depend on time; any method if they do not. */
static bool solved_at_once(const dfl_stepper *st)
{
    const dfl_eom *eom = st->sys->eom;
    if (eom->linear && eom->autonomous && eom->jacobian && !dfl_formulation_traits(st->form)->ode)
        return true;
    return linear_at_end(st) && !st->newton->at_start && !st->newton->old;
}

/* New derivatives if they are needed: at the start of the step or at a predicted point. */
static dfl_outcome prepare_matrix(dfl_stepper *st, double h)
{
    const bool predicted = st->stepped || st->resumed || linear_at_end(st);
    if (!st->newton->need_matrix)
        return DFL_STEP_OK;
    st->newton->h_factored = 0;
    st->newton->old = false;
    st->newton->kept = 0;
    if (st->options->newton.reference != DFL_REFERENCE_START && predicted) {
        const double t = st->class->implicit->reference(st, h, true);
        st->newton->at_start = false;
        st->newton->h_proven = st->resumed ? fabs(h) : INFINITY;
        dfl_outcome outcome =
            dfl_formulation_linearize(st->form, t, st->newton->x_ref, st->newton->a_ref, false);
        st->newton->need_matrix = outcome != DFL_STEP_OK;
        if (outcome != DFL_STEP_RANK && outcome != DFL_STEP_SINGULAR)
            return outcome;
        /* a predicted point may be too far off the constraints to show their rank */
    }
    st->newton->at_start = true;
    st->newton->h_proven = st->resumed ? 0 : INFINITY;
    dfl_outcome outcome = dfl_formulation_linearize(st->form, st->t, st->here.x, st->here.a, false);
    st->newton->need_matrix = outcome != DFL_STEP_OK;
    return outcome;
}

/* Steps that a matrix may serve at most. */
enum { longest_service = 30 };

/* Whether the matrix may serve another step: Newton converged fast with it, the constraints are
   still close to those it was made for, and it does not decide about invariants or redundant
   multipliers. */
static bool matrix_serves(const dfl_stepper *st)
{
    const double reuse = st->options->newton.reuse;
    if (linear_at_end(st) && !st->sys->eom->autonomous)
        return false; /* each step has its own matrix */
    return reuse > 0 && st->newton->theta <= reuse && st->newton->kept < longest_service &&
           st->watch->drift < 0.5 && dfl_formulation_matrix_serves(st->form);
}

/* A second matrix, at the present iterate. */
static dfl_outcome update_matrix(dfl_stepper *st, double h)
{
    st->sys->stats->newton_updates++;
    const double t = st->class->implicit->reference(st, h, false);
    st->newton->at_start = false;
    st->newton->need_matrix = true;
    st->newton->h_proven = st->resumed ? fabs(h) : INFINITY;
    dfl_outcome outcome =
        dfl_formulation_linearize(st->form, t, st->newton->x_ref, st->newton->a_ref, true);
    return outcome ? outcome : st->class->implicit->factor(st, h);
}

/* x^k for small k */
static double power(double x, int k)
{
    double value = 1;
    for (; k > 0; k /= 2, x *= x)
        if (k % 2 == 1)
            value *= x;
    return value;
}

/* Newton's increments so far. Rates follow from squares of sizes and are computed only when they
   decide: in most iterations roots and quotients would only cost time. */
typedef struct increments {
    double last, before; /* 1 / square of the last two, taken as DBL_EPSILON^2 at least; 0: none */
    double fourth; /* theta^4 of the last one, not yet part of theta; -1: nothing is pending */
    double moving; /* squares of those of r, v, s, p (norm.h) */
} increments;

static void remember(increments *old, double square, double moving)
{
    const double smallest = DBL_EPSILON * DBL_EPSILON;
    old->before = old->last;
    old->last = 1 / (square > smallest ? square : smallest);
    old->moving = moving > DBL_MIN ? moving : DBL_MIN;
}

static void take_rate(dfl_newton *newton, increments *old)
{
    if (old->fourth < 0)
        return;
    newton->theta = sqrt(sqrt(old->fourth));
    if (newton->theta < 0.99)
        newton->faccon = newton->theta / (1 - newton->theta);
    old->fourth = -1;
}

/* The first iteration solves stage by stage for accelerations and multipliers, however bad their
   prediction was. The other unknowns show whether a second iteration is enough; the third one shows
   whether it diverges. */
static void take_second(dfl_stepper *st, increments *old, double square)
{
    /* of a sum, not of a mean: the more components, the smaller they must be */
    const double converged = 0.01 * st->scale->newton_tolerance, now = st->scale->moving;
    const double moving = now > converged * converged ? sqrt(now / old->moving) : 0;
    const double rate = fmin(0.9, fmax(moving, sqrt(square * old->last)));
    st->newton->theta = rate;
    st->newton->faccon = rate / (1 - rate);
    old->last = 0; /* the third is compared with the second alone */
}

/* What the first increment leaves of second order adds up from body to body: with 500 cars in a
   train the second one is nearly as large, and the third one small again. Large systems, whose
   matrix is new, wait for that one, which is compared with the second alone; not with the longer
   steps of methods that are allowed more iterations, where the second matrix must come early. */
static bool waits_for_third(const dfl_stepper *st, increments *old, int most, double square)
{
    const double rate = square * old->last;
    if (!st->sys->packed || st->newton->old || most > st->options->newton.iterations || !(rate < 1))
        return false;
    old->fourth = rate * rate;
    old->last = 0;
    return true;
}

/* Whether the remaining iterations are enough, from squares: theta < 1/2, so that faccon < 2 theta,
   and theta^(2 left + 2) is at most the power of theta^4 used here. */
static bool converges(double fourth, double square, int left, double tolerance)
{
    return fourth < 1.0 / 16 && 4 * square * power(fourth, (left + 1) / 2) < tolerance * tolerance;
}

/* Includes an increment in the rate of convergence, the geometric mean of the last two. True if the
   remaining iterations will not reach the tolerance; *reduce is then the proposed change of the
   step size. `patient`: the iteration continues unless it diverges fast. */
static bool diverges(dfl_stepper *st, increments *old, int left, double square, bool patient,
                     double *reduce)
{
    const double tolerance = st->scale->newton_tolerance, rate = square * old->last;
    if (patient)
        take_rate(st->newton, old); /* which is used if the next one diverges */
    old->fourth = old->before > 0 ? square * old->before : rate * rate;
    if (converges(old->fourth, square, left, tolerance))
        return false;
    take_rate(st->newton, old);
    if (!(st->newton->theta < 0.99))
        return !patient || rate > 1e6;
    const double expected = st->newton->faccon * sqrt(square) * power(st->newton->theta, left);
    if (expected < tolerance || patient)
        return false;
    *reduce = 0.8 * pow(fmax(1e-4, fmin(20, expected / tolerance)), -1.0 / (4 + left));
    return true;
}

/* A diverging iteration continues with a new matrix, if one is allowed. If `moved`, it first takes
   back the increment that showed the divergence. DFL_STEP_RETRY: no new matrix is allowed. */
static dfl_outcome second_chance(dfl_stepper *st, double h, bool moved, int *updates)
{
    if ((*updates)-- <= 0)
        return DFL_STEP_RETRY;
    if (!(st->newton->theta < 2)) /* the present iterate is worse than the prediction */
        st->class->implicit->predict(st, h);
    else if (moved)
        st->class->implicit->retract(st);
    dfl_outcome outcome = update_matrix(st, h);
    if (outcome == DFL_STEP_RANK || outcome == DFL_STEP_SINGULAR) {
        st->sys->trouble.outcome = DFL_STEP_OK; /* an iterate says nothing about the motion */
        return DFL_STEP_RETRY;
    }
    st->class->implicit->settle(st, h);
    dfl_formulation_begin_iteration(st->form);
    return outcome;
}

/* Whether the second increment must show what the first one is worth. Where derivatives are far too
   large, as that of sqrt(x) next to a zero of x, increments are tiny however wrong the step is. A
   step behind a switch begins at such places: so derivatives of its start, and those of a step
   behind it that was much shorter, have to prove themselves once, unless all that is left is
   rounding. */
static bool must_prove(const dfl_stepper *st, double h, double square)
{
    const double rounding = 100 * st->options->error.rounding / st->scale->smallest_rtol;
    return fabs(h) > 4 * st->newton->h_proven && !solved_at_once(st) &&
           square > rounding * rounding;
}

/* The second increment is not much smaller: the derivatives are not those of this step. */
static bool proves_wrong(const increments *old, double square)
{
    return square * old->last > 0.04;
}

/* Whether an increment was the last. The first one is judged by the rate of the last step, which is
   a hint only: without a floor, one iteration would be enough after a very short step, however
   large its increment, and constraints would not be satisfied. Usually min(x, 1) <= x^0.8 shows
   without the power that it was not the last. The power is needed if no later rate replaces it: in
   two iterations, or while a patient iteration diverges. A later increment is not the last if
   theta^2 times its size is too large. */
static bool was_last(dfl_stepper *st, increments *old, int it, bool rated, double hint,
                     double square)
{
    const double tolerance = st->scale->newton_tolerance, limit = tolerance * tolerance;
    if (solved_at_once(st))
        return true;
    const double least = hint < 1 ? hint : 1;
    if (it == 1 ? rated && least * least * square > limit : old->fourth * square > limit)
        return false;
    if (it == 1)
        st->newton->faccon = pow(hint, 0.8);
    take_rate(st->newton, old);
    return st->newton->faccon * sqrt(square) <= tolerance;
}

/* A fixed step whose last increment had this size is not taken. */
static dfl_outcome refuse_fixed(dfl_stepper *st, double size, int iterations)
{
    st->watch->excess = size / st->scale->newton_tolerance;
    st->watch->iterations = iterations;
    return DFL_STEP_STOP;
}

/* A fixed step after its last iteration: it is taken only if the options say so, or if nothing but
   rounding is left of the increments. */
static dfl_outcome not_converged(dfl_stepper *st, const increments *old, int iterations)
{
    const double size = 1 / sqrt(old->last);
    if (st->options->step.accept_unconverged) {
        st->sys->stats->unconverged++;
        return DFL_STEP_OK;
    }
    if (size <= 100 * st->options->error.rounding / st->scale->smallest_rtol)
        return DFL_STEP_OK;
    return refuse_fixed(st, size, iterations);
}

/* Simplified Newton iteration. DFL_STEP_OK: converged. DFL_STEP_RETRY without trouble from a
   callback: not converged; *reduce is then the proposed change of the step size. */
static dfl_outcome newton(dfl_stepper *st, double h, double *reduce)
{
    const dfl_implicit_class *class = st->class->implicit;
    const dfl_solver_options *opt = st->options;
    const int most = class->iterations(st);
    const bool fixed = opt->step.fixed > 0;
    int updates = opt->newton.updates;
    increments old = {.fourth = -1};
    double hint = fmax(st->newton->faccon, 0.01);
    st->newton->theta = fabs(opt->newton.reuse);
    st->sys->trouble.outcome = DFL_STEP_OK;
    st->watch->excess = 0;
    bool proving = false;
    for (int it = 1;; it++) {
        double square = 0;
        bool diverging = it > most;
        *reduce = 0.5;
        const bool patient = fixed && updates <= 0;
        if (diverging && patient)
            return not_converged(st, &old, most);
        dfl_outcome outcome = diverging ? DFL_STEP_OK : class->iterate(&square, st, h);
        if (outcome)
            return outcome;
        if (it == 2 && proving && proves_wrong(&old, square))
            diverging = true;
        else if (it == 2 && dfl_formulation_stagewise(st->form))
            take_second(st, &old, square);
        else if (it > 1 && it < most && !(it == 2 && waits_for_third(st, &old, most, square)))
            diverging = diverges(st, &old, most - 1 - it, square, patient, reduce);
        if (diverging) {
            outcome = second_chance(st, h, it <= most, &updates);
            if (outcome == DFL_STEP_RETRY && fixed && !opt->step.accept_unconverged &&
                st->sys->trouble.outcome == DFL_STEP_OK && square > 0)
                return refuse_fixed(st, sqrt(square), it);
            if (outcome)
                return outcome;
            it = 0;
            hint = 1;
            old.last = 0;
            continue;
        }
        const bool rated = most > 2 && !patient;
        proving = it == 1 && rated && must_prove(st, h, square);
        if (!proving && was_last(st, &old, it, rated, hint, square)) {
            if (it > 1)
                st->newton->h_proven = fmax(st->newton->h_proven, fabs(h));
            return DFL_STEP_OK;
        }
        remember(&old, square, st->scale->moving);
    }
}

/* Derivatives by parameters of the step, if they are followed; their error counts as well. */
static dfl_outcome follow_derivatives(double *err, dfl_stepper *st, double h)
{
    double of_derivatives = 0;
    const dfl_outcome outcome =
        st->tangents ? dfl_tangents_attempt(&of_derivatives, st->tangents, st, h) : DFL_STEP_OK;
    *err = fmax(*err, of_derivatives);
    if (st->tangents && !outcome && st->options->step.fixed == 0 && st->class->implicit->followed)
        st->class->implicit->followed(err, st);
    return outcome;
}

/* Estimates of derivatives that are a little too large shorten the next step alone: another attempt
   costs as much as two plain steps. At starts they may be far too large, and BDF relies on them. */
static double largest_error(const dfl_stepper *st)
{
    return st->tangents && st->stepped && !st->resumed && !st->class->remembers ? 2 : 1;
}

static dfl_attempt test_error(dfl_stepper *st, double h, double *h_next)
{
    const bool first = !st->stepped, after_rejection = st->rejected;
    double err = 0, limit = 1;
    if (st->options->step.fixed > 0) {
        const dfl_outcome followed = follow_derivatives(&err, st, h);
        *h_next = copysign(st->options->step.fixed, h); /* also after a step had to be halved */
        return followed ? dfl_implicit_failed(st, h, followed, 0.5) : complete(st, h);
    }
    dfl_outcome outcome = st->class->implicit->error(&err, st, h, first || after_rejection);
    if (!outcome && err < 1) {
        limit = largest_error(st);
        outcome = follow_derivatives(&err, st, h);
    }
    if (outcome)
        return dfl_implicit_failed(st, h, outcome, 0.5);
    if (!(err < limit)) {
        if (!first)
            st->sys->stats->rejected_error++;
        dfl_log(st->options, DFL_LOG_DEBUG, "t = %.10g: step %.3g rejected, error %.3g", st->t, h,
                err);
        st->rejected = true;
        st->h = st->class->implicit->rejected(st, h, err);
        st->newton->need_matrix = st->newton->old || (!matrix_serves(st) && !st->newton->at_start);
        return DFL_ATTEMPT_REJECTED;
    }
    dfl_attempt result = complete(st, h);
    if (result != DFL_ATTEMPT_ACCEPTED)
        return result;
    dfl_scale_converges(st->scale);
    st->estimate = err;
    double h_new = st->class->implicit->accepted(st, h, err, after_rejection);
    /* the matrix is kept while Newton converges fast, and with it E while h hardly changes */
    st->newton->need_matrix = !matrix_serves(st);
    if (!st->newton->need_matrix) {
        st->newton->old = true;
        st->newton->kept++;
        const double ratio = h_new / h;
        if (st->options->step.keep_low <= ratio && ratio <= st->options->step.keep_high)
            h_new = h;
    }
    *h_next = h_new;
    return DFL_ATTEMPT_ACCEPTED;
}

static dfl_attempt complete(dfl_stepper *st, double h)
{
    dfl_outcome outcome = dfl_stepper_complete(st, h);
    if (outcome)
        return dfl_implicit_failed(st, h, outcome, 0.5);
    st->newton->need_matrix = true;
    return DFL_ATTEMPT_ACCEPTED;
}

/* A step size that suited the field before a switch and does not suit the one after it says
   little. */
static const double other_field = 0.2;

/* The last increments were about equally large, in a shorter step again, with weak constraints:
   elsewhere kinks stop the iteration, and forces may depend on the multipliers. */
static bool stagnates(const dfl_stepper *st)
{
    return st->rejected && st->scale->weakest < 0.25 && st->newton->theta > 0.5 &&
           st->newton->theta < 2;
}

dfl_attempt dfl_implicit_failed(dfl_stepper *st, double h, dfl_outcome outcome, double reduce)
{
    if (outcome == DFL_STEP_RANK && st->watch->violated < 0 && dfl_formulation_suspend(st->form)) {
        st->newton->need_matrix = true; /* the invariants may be the dependent rows */
        return DFL_ATTEMPT_REJECTED;
    }
    if (dfl_stepper_hopeless(st, outcome))
        return DFL_ATTEMPT_HOPELESS;
    st->sys->stats->rejected_newton++;
    dfl_log(st->options, DFL_LOG_DEBUG, "t = %.10g: step %.3g failed, Newton's rate %.2g", st->t, h,
            st->newton->theta);
    if (outcome == DFL_STEP_RETRY && st->sys->trouble.outcome == DFL_STEP_OK && stagnates(st))
        dfl_scale_stagnates(st->scale);
    st->rejected = true;
    st->newton->faccon = 1;
    if (!st->newton->at_start || st->newton->old)
        st->newton->need_matrix = true;
    if (outcome == DFL_STEP_RETRY && st->sys->trouble.outcome == DFL_STEP_OK &&
        dfl_formulation_suspend(st->form)) {
        st->newton->need_matrix = true; /* the same step without invariants */
        return DFL_ATTEMPT_REJECTED;
    }
    st->class->implicit->failed(st);
    st->h = h * (st->resumed ? fmin(reduce, other_field) : reduce);
    if (st->options->constraints.renewal == DFL_RENEW_ON_CHANGE) {
        bool changed;
        if (dfl_formulation_renew_selectors(&changed, st->form, st->t, st->here.x,
                                            st->newton->need_matrix))
            return DFL_ATTEMPT_HOPELESS;
        if (changed)
            st->newton->h_factored = 0;
    }
    return DFL_ATTEMPT_REJECTED;
}

dfl_outcome dfl_implicit_nonfinite(dfl_stepper *st, const dfl_point *stages, int count)
{
    dfl_system *sys = st->sys;
    for (int k = 0; k < count; k++) {
        dfl_outcome outcome = dfl_system_check_finite(sys, &stages[k]);
        if (outcome)
            return outcome;
    }
    return dfl_system_part_trouble(sys, DFL_STEP_SINGULAR, DFL_FAILURE_NEWTON_MATRIX, st->t);
}
