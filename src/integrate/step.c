/* The loop of attempts that ends in one accepted step: matrix, Newton's iteration, error test, and
   what happens when one of them fails (GEOMS, main loop; RADAU5). */
#include "integrate/radau_internal.h"
#include "integrate/failure.h"
#include "integrate/log.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What an attempt ended with. */
typedef enum attempt {
    ACCEPTED,
    REJECTED, /* ra->h is smaller now, or the attempt is to be repeated differently */
    HOPELESS  /* ra->sys->trouble says why */
} attempt;

static dfl_status too_short(const dfl_radau *ra, double h);
static attempt try_step(dfl_radau *ra, double h, double *h_next);
static dfl_outcome prepare_matrix(dfl_radau *ra, double h);
static dfl_outcome newton(dfl_radau *ra, double h, double *reduce);
static attempt test_error(dfl_radau *ra, double h, double *h_next);
static attempt after_failure(dfl_radau *ra, double h, dfl_outcome outcome, double reduce);
static attempt complete(dfl_radau *ra, double h);

dfl_status dfl_radau_step(dfl_radau *ra, double t_end, long *attempts_left)
{
    dfl_system *sys = ra->sys;
    for (;;) {
        const double to_go = t_end - ra->t;
        const bool last = fabs(ra->h) * (1 + 1e-4) >= fabs(to_go);
        const double h = last ? to_go : ra->h;
        double h_next = h;
        if ((*attempts_left)-- <= 0)
            return dfl_fail(sys->ctx, DFL_TOO_MANY_STEPS,
                            "more than the allowed number of steps at t = %.10g (step size %.3g); "
                            "raise max_steps, or look for what makes the motion so fast",
                            ra->t, h);
        /* relative to the time, and at t = 0 to what is still to come */
        if (!last && 0.1 * fabs(h) <= fmax(fabs(ra->t), 1e-6 * fabs(to_go)) * ra->options->rounding)
            return ra->have_cont || ra->rejected ? dfl_step_failure(ra, h) : too_short(ra, h);
        sys->stats->attempts++;
        switch (try_step(ra, h, &h_next)) {
        case ACCEPTED:
            /* a step that was cut short says little about the next one */
            if (!last || fabs(h_next) > fabs(ra->h))
                ra->h = h_next;
            if (last)
                ra->t = ra->here.t = t_end;
            return DFL_OK;
        case REJECTED:
            if (fabs(ra->h) < DBL_MIN * 1e10 || !isfinite(ra->h))
                return dfl_step_failure(ra, h);
            break;
        case HOPELESS:
            return dfl_step_failure(ra, h);
        }
    }
}

/* The proposed step cannot move the time, before anything went wrong. */
static dfl_status too_short(const dfl_radau *ra, double h)
{
    return dfl_fail(ra->sys->ctx, DFL_INVALID,
                    "the step size %.3g is too small at t = %.10g; check max_step, first_step, "
                    "fixed_step and the tolerances",
                    h, ra->t);
}

static attempt try_step(dfl_radau *ra, double h, double *h_next)
{
    double reduce = 0.5;
    dfl_scale_set(&ra->scale, ra->here.x, h);
    dfl_radau_predict(ra, h);
    dfl_outcome outcome = prepare_matrix(ra, h);
    if (!outcome && ra->h_factored != h)
        outcome = dfl_radau_factor(ra, h);
    if (outcome)
        return after_failure(ra, h, outcome, reduce);
    ra->singular_in_row = 0;
    dfl_radau_settle(ra);
    outcome = newton(ra, h, &reduce);
    if (outcome)
        return after_failure(ra, h, outcome, reduce);
    return test_error(ra, h, h_next);
}

/* New derivatives where they are due: at the step's start or at a predicted stage. */
static dfl_outcome prepare_matrix(dfl_radau *ra, double h)
{
    dfl_formulation *form = ra->form;
    const int stages = ra->rk->stages, choice[] = {-1, 0, stages / 2, stages - 1};
    const int stage = choice[(int)ra->options->reference - (int)DFL_REFERENCE_START];
    if (!ra->need_matrix)
        return DFL_STEP_OK;
    ra->h_factored = 0;
    ra->matrix_old = false;
    ra->kept = 0;
    if (stage >= 0 && ra->have_cont) {
        const double t = dfl_radau_reference(ra, h, ra->Z0, stage);
        ra->matrix_at_start = false;
        dfl_outcome outcome = dfl_formulation_linearize(form, t, ra->x_ref, ra->a_ref, false);
        ra->need_matrix = outcome != DFL_STEP_OK;
        if (outcome != DFL_STEP_RANK && outcome != DFL_STEP_SINGULAR)
            return outcome;
        /* a predicted point may lie too far off the constraints to show their rank */
    }
    ra->matrix_at_start = true;
    dfl_outcome outcome = dfl_formulation_linearize(form, ra->t, ra->here.x, ra->here.a, false);
    ra->need_matrix = outcome != DFL_STEP_OK;
    return outcome;
}

/* Steps that a matrix may serve at most. */
enum { longest_service = 30 };

/* Whether the matrix may serve another step: Newton converged fast with it, the constraints are still
   close to those it was made for, and it does not decide about invariants or redundant multipliers. */
static bool matrix_serves(const dfl_radau *ra)
{
    const double reuse = ra->options->jacobian_reuse;
    return reuse > 0 && ra->theta <= reuse && ra->kept < longest_service && ra->drift < 0.5 &&
           ra->form->secure && ra->form->defect == 0;
}

/* A second matrix at the present middle stage. */
static dfl_outcome update_matrix(dfl_radau *ra, double h)
{
    ra->sys->stats->newton_updates++;
    const double t = dfl_radau_reference(ra, h, ra->Z, ra->rk->stages / 2);
    ra->matrix_at_start = false;
    ra->need_matrix = true;
    dfl_outcome outcome = dfl_formulation_linearize(ra->form, t, ra->x_ref, ra->a_ref, true);
    return outcome ? outcome : dfl_radau_factor(ra, h);
}

/* x^k for small k */
static double power(double x, int k)
{
    double value = 1;
    while (k-- > 0)
        value *= x;
    return value;
}

/* Iterations at most: more stages need more, as in RADAU. */
static int most_iterations(const dfl_radau *ra)
{
    const int stages = ra->rk->stages;
    return ra->options->newton_iterations + (stages > 3 ? 2 * (stages - 3) : 0);
}

/* Sizes of Newton's increments so far. */
typedef struct history {
    double size, rate; /* of the last iteration, 0: none */
} history;

/* Takes the increment of iteration `it` into the rate of convergence. True if the iteration will not
   reach its tolerance; `reduce` is then the proposed change of the step size. */
static bool diverges(dfl_radau *ra, history *old, int it, double size, double *reduce)
{
    const int left = most_iterations(ra) - 1 - it;
    const bool real_time = ra->options->fixed_step > 0;
    const double rate = size / old->size;
    ra->theta = it == 2 ? rate : sqrt(rate * old->rate);
    old->rate = rate;
    if (!(ra->theta < 0.99))
        return !real_time || size > 1e3 * old->size;
    ra->faccon = ra->theta / (1 - ra->theta);
    const double expected = ra->faccon * size * power(ra->theta, left) / ra->scale.newton_tolerance;
    if (expected < 1 || real_time)
        return false;
    *reduce = 0.8 * pow(fmax(1e-4, fmin(20, expected)), -1.0 / (4 + left));
    return true;
}

/* A diverging iteration goes on with a new matrix, if one is allowed. DFL_STEP_RETRY: it is not. */
static dfl_outcome second_chance(dfl_radau *ra, double h, int *updates)
{
    if ((*updates)-- <= 0)
        return DFL_STEP_RETRY;
    if (!(ra->theta < 2)) /* the present iterate is worse than the prediction */
        memcpy(ra->Z, ra->Z0, (size_t)(ra->sys->n * ra->rk->width) * sizeof(double));
    dfl_outcome outcome = update_matrix(ra, h);
    if (outcome == DFL_STEP_RANK || outcome == DFL_STEP_SINGULAR) {
        ra->sys->trouble.outcome = DFL_STEP_OK; /* an iterate says nothing about the motion */
        return DFL_STEP_RETRY;
    }
    dfl_radau_settle(ra);
    ra->faccon = 1;
    return outcome;
}

/* Simplified Newton iteration. DFL_STEP_OK: converged. DFL_STEP_RETRY while no callback made trouble:
   not converged; `reduce` is then the proposed change of the step size. */
static dfl_outcome newton(dfl_radau *ra, double h, double *reduce)
{
    const dfl_solver_options *opt = ra->options;
    const int most = most_iterations(ra);
    const bool real_time = opt->fixed_step > 0;
    int updates = real_time ? 0 : opt->newton_updates;
    history old = {0, 0};
    /* The rate of the last step is a hint only. Without a floor, one iteration would do after a
       very short step, however large its increments: constraints would be left unsatisfied. */
    ra->faccon = pow(fmax(ra->faccon, 0.01), 0.8);
    ra->theta = fabs(opt->jacobian_reuse);
    ra->sys->trouble.outcome = DFL_STEP_OK;
    for (int it = 1;; it++) {
        double size = 0;
        bool diverging = it > most;
        *reduce = 0.5;
        if (diverging && real_time) {
            ra->sys->stats->unconverged++;
            return DFL_STEP_OK;
        }
        dfl_outcome outcome = diverging ? DFL_STEP_OK : dfl_radau_iterate(&size, ra, h);
        if (outcome)
            return outcome;
        if (it > 1 && it < most)
            diverging = diverges(ra, &old, it, size, reduce);
        if (diverging) {
            outcome = second_chance(ra, h, &updates);
            if (outcome)
                return outcome;
            it = 0;
            continue;
        }
        old.size = fmax(size, DBL_EPSILON);
        dfl_radau_update(ra);
        if (ra->faccon * size <= ra->scale.newton_tolerance)
            return DFL_STEP_OK;
    }
}

static attempt test_error(dfl_radau *ra, double h, double *h_next)
{
    dfl_statistics *stats = ra->sys->stats;
    const bool first = !ra->have_cont;
    double err = 0;
    if (ra->options->fixed_step > 0) {
        *h_next = copysign(ra->options->fixed_step, h); /* also after a step had to be halved */
        return complete(ra, h);
    }
    dfl_outcome outcome = dfl_radau_error(&err, ra, h, first || ra->rejected);
    if (outcome)
        return after_failure(ra, h, outcome, 0.5);
    if (!(err < 1)) {
        if (!first)
            stats->rejected_error++;
        ra->h = first ? 0.1 * h : dfl_controller_rejected(&ra->control, h, err);
        dfl_log(ra->options, DFL_LOG_DEBUG, "t = %.10g: step %.3g rejected, error %.3g", ra->t, h,
                err);
        ra->rejected = true;
        dfl_order_rejected(ra);
        ra->need_matrix = ra->matrix_old || (!matrix_serves(ra) && !ra->matrix_at_start);
        return REJECTED;
    }
    const dfl_controller before = ra->control;
    const bool after_rejection = ra->rejected;
    double h_new = dfl_controller_accepted(&ra->control, h, err, after_rejection);
    attempt result = complete(ra, h);
    if (result != ACCEPTED) {
        ra->control = before;
        return result;
    }
    /* the matrix is kept while Newton converges fast, and with it E while h hardly changes */
    ra->need_matrix = !matrix_serves(ra);
    if (!ra->need_matrix) {
        ra->matrix_old = true;
        ra->kept++;
        const double ratio = h_new / h;
        if (ra->options->keep_low <= ratio && ratio <= ra->options->keep_high)
            h_new = h;
    }
    *h_next = h_new;
    dfl_order_accepted(ra, after_rejection);
    return ACCEPTED;
}

/* A step over a singular position is halved until the position is known to a thousandth of the step
   that first showed it. */
static bool singular_position_is_close(dfl_radau *ra, double h)
{
    const double end = ra->t + h;
    if (ra->h_flip == 0 || (end - ra->t_beyond) * h > 0) {
        ra->h_flip = h;
        ra->t_beyond = end;
    }
    return fabs(h) <= 1e-3 * fabs(ra->h_flip) || ra->options->fixed_step > 0;
}

/* Evaluates the end of the step and makes it the present point. */
static attempt complete(dfl_radau *ra, double h)
{
    dfl_radau_candidate(ra, h);
    dfl_outcome outcome = dfl_system_eval_checked(ra->sys, &ra->next);
    if (outcome)
        return after_failure(ra, h, outcome, 0.5);
    /* a long step may only look like one over a singular position */
    if (dfl_constraints_flipped(ra) && !singular_position_is_close(ra, h))
        return after_failure(ra, h, DFL_STEP_RETRY, 0.5);
    if (ra->flips > 0 || dfl_redundant_rows_violated(ra))
        return after_failure(ra, h, DFL_STEP_RANK, 0.5);
    ra->undetermined = !dfl_formulation_forces_determined(ra->form, &ra->next);
    if (ra->undetermined)
        return HOPELESS;
    dfl_radau_store(ra, h);
    const dfl_point old = ra->here;
    ra->here = ra->next;
    ra->next = old;
    ra->t = ra->here.t;
    dfl_formulation_least_multipliers(&ra->here, ra->form);
    dfl_formulation_accepted(ra->form);
    ra->sys->stats->accepted++;
    ra->rejected = false;
    ra->need_matrix = true;
    if ((ra->t - ra->t_beyond) * h >= 0)
        ra->h_flip = 0; /* what looked singular has been passed */
    return ACCEPTED;
}

static attempt after_failure(dfl_radau *ra, double h, dfl_outcome outcome, double reduce)
{
    dfl_statistics *stats = ra->sys->stats;
    if (outcome == DFL_STEP_RANK && ra->violated < 0 && dfl_formulation_suspend(ra->form)) {
        ra->need_matrix = true; /* the invariants may be what depends on something */
        return REJECTED;
    }
    if (outcome == DFL_STEP_STOP || outcome == DFL_STEP_RANK)
        return HOPELESS;
    if (outcome == DFL_STEP_SINGULAR && ++ra->singular_in_row >= 5)
        return HOPELESS;
    stats->rejected_newton++;
    dfl_log(ra->options, DFL_LOG_DEBUG, "t = %.10g: step %.3g failed, Newton's rate %.2g", ra->t, h,
            ra->theta);
    ra->rejected = true;
    ra->faccon = 1;
    if (!ra->matrix_at_start || ra->matrix_old)
        ra->need_matrix = true;
    if (outcome == DFL_STEP_RETRY && ra->sys->trouble.outcome == DFL_STEP_OK &&
        dfl_formulation_suspend(ra->form)) {
        ra->need_matrix = true; /* the same step without invariants */
        return REJECTED;
    }
    dfl_order_rejected(ra);
    ra->h = h * reduce;
    if (ra->options->renewal == DFL_RENEW_ON_CHANGE && ra->form->have_selectors) {
        if (ra->need_matrix)
            ra->form->have_selectors = false;
        else if (dfl_formulation_select(ra->form, ra->t, ra->here.x))
            return HOPELESS;
        ra->h_factored = 0;
    }
    return REJECTED;
}
