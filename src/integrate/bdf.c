/* Backward differentiation formulas of orders 1 to 5 with fixed leading coefficient: step size and
   order vary as in DASSL (Brenan, Campbell and Petzold, Numerical Solution of Initial-Value
   Problems in Differential-Algebraic Equations, 1996, section 5.2). With the prediction x0 and its
   slope x0' by the polynomial of degree k through the last k + 1 points,

       x' = x0' + zeta (x - x0),    zeta = -alpha_s/h = (1 + 1/2 + ... + 1/k)/h,

   inserted into 0 = alg(x), 0 = S (dif(x) - diag(I,M,I) x') at the end of the step. x - x0 gives
   the error. Selectors act on x', not on the past, so a change of selectors restarts nothing.

   With fixed steps and order k the first k - 1 points are those of Radau IIA of order 5. Order 2
   needs none if the accelerations at the start are known: its past is straight, x_{-1} = x_0 - h
   x'_0, which is accurate enough (x_{-1} is needed to h^2) and the same for every formulation.

   Differences from DASSL: E, of the size of the degrees of freedom, is factored whenever zeta
   changes, so that increments are never scaled; the derivatives are kept by the rules of
   implicit.c; after a rejection the step does not grow for k + 1 steps. Otherwise step sizes h and
   2h could alternate between accepted and rejected, and the order, which is raised only after equal
   steps, would stay low forever. */
#include "integrate/bdf.h"
#include "integrate/one_stage.h"
#include "integrate/radau.h"

#include <math.h>
#include <string.h>

enum { HIGHEST = 5, WITH_FIXED_STEP = 2, STARTER = 5 };

/* Newton's tolerance; DASSL has 1/3. With this one the residuals of constraints are a small part of
   the error. */
static const double newton_tolerance = 0.05;

typedef struct dfl_bdf {
    dfl_one_stage one;
    int order, highest;   /* of the next step; allowed */
    int order_old;        /* of the last step */
    int run, run_old;     /* steps in a row with one size and order, with and without the present */
    bool rising;          /* the start: order and step grow as long as possible */
    int failures;         /* of the error test in a row */
    bool cautious;        /* after one, the step does not grow before the order could be raised */
    int choice;           /* the order that the last estimates recommend ... */
    double estimate;      /* ... and the error with it */
    dfl_stepper *starter; /* of fixed steps, or NULL: a straight past is enough */
    dfl_solver_options starter_options;
} dfl_bdf;

static dfl_attempt starting_step(dfl_bdf *bdf, double h, double *h_next);
static void predict(dfl_stepper *st, double h);
static double difference_size(dfl_bdf *bdf, int i, bool derivatives);
static void choose_order(dfl_bdf *bdf, double size, bool derivatives);
static double limit(const dfl_stepper *st, double h);
static void use_order(dfl_bdf *bdf, int order);

static int highest_order(const dfl_solver_options *options)
{
    const int automatic = options->step.fixed > 0 ? WITH_FIXED_STEP : HIGHEST;
    return options->order > 0 ? options->order : automatic;
}

static bool needs_starter(const dfl_solver_options *options, bool known_accelerations)
{
    const int order = highest_order(options);
    return options->step.fixed > 0 && (order > 2 || (order == 2 && !known_accelerations));
}

/* Room for the starter, whatever the form. */
static int stages(const dfl_solver_options *options)
{
    return needs_starter(options, false) ? 3 : 1;
}

static dfl_status init(dfl_stepper *st)
{
    dfl_bdf *bdf = (dfl_bdf *)st;
    dfl_status status = dfl_one_stage_init(st, DFL_DIFFERENCES);
    if (status || !needs_starter(st->options, !st->sys->eom->no_bias))
        return status;
    bdf->starter_options = *st->options;
    bdf->starter_options.integrator = DFL_RADAU;
    bdf->starter_options.order = STARTER;
    return dfl_stepper_create(&bdf->starter, st->sys, st->form, &bdf->starter_options);
}

static void bind(dfl_stepper *st)
{
    dfl_bdf *bdf = (dfl_bdf *)st;
    dfl_one_stage_bind(st);
    if (bdf->starter)
        dfl_stepper_bind(bdf->starter);
}

static void clear(dfl_stepper *st)
{
    dfl_stepper_free(((dfl_bdf *)st)->starter);
    dfl_one_stage_clear(st);
}

static void start(dfl_stepper *st)
{
    dfl_bdf *bdf = (dfl_bdf *)st;
    dfl_scale_plain(st->scale, newton_tolerance);
    dfl_one_stage_start(st);
    bdf->highest = highest_order(st->options);
    bdf->order = st->options->step.fixed > 0 && !bdf->starter ? bdf->highest : 1;
    bdf->order_old = bdf->order;
    bdf->run_old = bdf->failures = 0;
    bdf->cautious = false;
    bdf->rising = true;
    st->order = st->degree = bdf->order;
}

static dfl_attempt attempt(dfl_stepper *st, double h, double *h_next)
{
    dfl_bdf *bdf = (dfl_bdf *)st;
    return bdf->starter && bdf->one.past.points < bdf->highest
               ? starting_step(bdf, h, h_next)
               : dfl_implicit_attempt(st, h, h_next);
}

/* One of the first points of fixed steps. */
static dfl_attempt starting_step(dfl_bdf *bdf, double h, double *h_next)
{
    dfl_stepper *st = &bdf->one.base, *starter = bdf->starter;
    const dfl_system *sys = st->sys;
    double reduce = 0.5;
    starter->here.t = st->t;
    memcpy(starter->here.x, st->here.x, (size_t)sys->n * sizeof(double));
    memcpy(starter->here.a, st->here.a, (size_t)sys->n3 * sizeof(double));
    dfl_stepper_start(starter, h);
    dfl_outcome outcome = dfl_implicit_solve(starter, h, &reduce);
    if (!outcome) {
        starter->class->candidate(starter, h);
        predict(st, h);
        outcome =
            st->tangents ? dfl_tangents_begin_past(st->tangents, st, starter, h) : DFL_STEP_OK;
    }
    if (!outcome) {
        memcpy(bdf->one.x, starter->next.x, (size_t)sys->n * sizeof(double));
        outcome = dfl_stepper_complete(st, h);
    }
    st->watch->excess = starter->watch->excess;
    st->watch->iterations = starter->watch->iterations;
    if (outcome)
        return dfl_implicit_failed(st, h, outcome, reduce);
    st->order = starter->order;
    st->newton->need_matrix = true;
    *h_next = copysign(st->options->step.fixed, h);
    return DFL_ATTEMPT_ACCEPTED;
}

static void predict(dfl_stepper *st, double h)
{
    dfl_bdf *bdf = (dfl_bdf *)st;
    const bool same = st->stepped && h == st->h_old && bdf->order == bdf->order_old;
    double sum = 0;
    bdf->run = same ? bdf->run_old + 1 : 1;
    for (int j = 1; j <= bdf->order; j++)
        sum += 1.0 / j;
    bdf->one.zeta = sum / h;
    dfl_one_stage_predict(&bdf->one, h, bdf->order);
}

static dfl_outcome iterate(double *square, dfl_stepper *st, double h)
{
    dfl_one_stage *one = (dfl_one_stage *)st;
    return dfl_one_stage_iterate_at_end(square, one, h, one->xp0, one->x0);
}

/* max(alpha_{k+1}, |alpha_{k+1} + alpha_s - alpha_0|), times |x - x0|: what the formula and its
   interpolation leave out. */
static double error_constant(const dfl_bdf *bdf)
{
    const double *alpha = bdf->one.past.alpha;
    const int k = bdf->order;
    double alpha_0 = 0;
    for (int i = 0; i < k; i++)
        alpha_0 -= alpha[i];
    return fmax(alpha[k], fabs(alpha[k] - bdf->one.zeta * bdf->one.past.h - alpha_0));
}

static dfl_outcome error(double *err, dfl_stepper *st, double h, bool refine)
{
    dfl_bdf *bdf = (dfl_bdf *)st;
    (void)h;
    (void)refine;
    const double size = dfl_scale_error(st->scale, dfl_one_stage_deviation(&bdf->one));
    *err = error_constant(bdf) * size;
    choose_order(bdf, size, false);
    return DFL_STEP_OK;
}

/* The order is chosen again: derivatives may need another one, as around a rest. */
static void followed(double *err, dfl_stepper *st)
{
    dfl_bdf *bdf = (dfl_bdf *)st;
    const double size = difference_size(bdf, bdf->order, true);
    *err = error_constant(bdf) * size;
    choose_order(bdf, size, true);
}

/* The largest |h^(i+1) x^(i+1)| as far as the differences give it, i <= k + 1, also of derivatives
   by parameters if those of this step are known. */
static double difference_size(dfl_bdf *bdf, int i, bool derivatives)
{
    dfl_stepper *st = &bdf->one.base;
    double *sum = bdf->one.dx; /* scratch: the iteration is over */
    dfl_history_left_out(sum, &bdf->one.past, st->err, i);
    return fmax(dfl_scale_error(st->scale, sum),
                derivatives ? dfl_tangents_left_out(st->tangents, st, i) : 0);
}

/* Compares the errors that the orders k - 2 to k + 1 would have had. The order becomes lower if the
   terms of the Taylor series do not fall up to k, and higher, after k + 1 steps of one size, if
   they still fall beyond k. */
static void choose_order(dfl_bdf *bdf, double size, bool derivatives)
{
    const double *sigma = bdf->one.past.sigma;
    const int k = bdf->order;
    const double term = (k + 1) * sigma[k] * size;
    double lower = INFINITY, two_lower = 0;
    bdf->choice = k;
    bdf->estimate = sigma[k] * size;
    if (k > 1)
        lower = k * sigma[k - 1] * difference_size(bdf, k - 1, derivatives);
    if (k > 2)
        two_lower = (k - 1) * sigma[k - 2] * difference_size(bdf, k - 2, derivatives);
    if (k > 1 && (k == 2 ? lower <= 0.5 * term : fmax(lower, two_lower) <= term)) {
        bdf->choice = k - 1;
    } else if (k < bdf->highest && bdf->run > k + 1 && bdf->order - bdf->order_old != 1) {
        const double higher = difference_size(bdf, k + 1, derivatives);
        if (k > 1 && lower <= fmin(term, higher))
            bdf->choice = k - 1;
        else if (higher < (k == 1 ? 0.5 : 1) * term)
            bdf->choice = k + 1, bdf->estimate = higher / (k + 2);
    }
    if (bdf->choice < k)
        bdf->estimate = lower / k;
}

/* h is doubled, kept, or reduced to 0.5 to 0.9 of its size: rare changes save decompositions and
   keep the past regular. */
static double accepted(dfl_stepper *st, double h, double err, bool after_rejection)
{
    dfl_bdf *bdf = (dfl_bdf *)st;
    const int k = bdf->order;
    (void)err;
    (void)after_rejection;
    bdf->failures = 0;
    if (k == bdf->highest || bdf->choice < k)
        bdf->rising = false;
    if (bdf->rising) {
        use_order(bdf, k + 1);
        return limit(st, 2 * h);
    }
    if (bdf->run > k + 1)
        bdf->cautious = false;
    use_order(bdf, bdf->choice);
    const double ratio = pow(2 * bdf->estimate + 1e-4, -1.0 / (bdf->choice + 1));
    if (ratio >= 2 && !bdf->cautious)
        return limit(st, 2 * h);
    return ratio > 1 ? h : h * fmax(0.5, fmin(0.9, ratio));
}

static double limit(const dfl_stepper *st, double h)
{
    const double most = st->options->step.max;
    return most > 0 && fabs(h) > most ? copysign(most, h) : h;
}

static double rejected(dfl_stepper *st, double h, double err)
{
    dfl_bdf *bdf = (dfl_bdf *)st;
    (void)err;
    bdf->rising = false;
    bdf->cautious = true;
    use_order(bdf, ++bdf->failures < 3 ? bdf->choice : 1);
    if (bdf->failures > 1)
        return 0.25 * h;
    const double ratio = 0.9 * pow(2 * bdf->estimate + 1e-4, -1.0 / (bdf->choice + 1));
    return h * fmax(0.25, fmin(0.9, ratio));
}

static void failed(dfl_stepper *st)
{
    ((dfl_bdf *)st)->rising = false;
}

static void use_order(dfl_bdf *bdf, int order)
{
    dfl_stepper *st = &bdf->one.base;
    if (order == bdf->order)
        return;
    st->newton->h_factored = 0;
    st->sys->stats->order_changes++;
    dfl_log(st->options, DFL_LOG_DEBUG, "t = %.10g: order %d", st->t, order);
    bdf->order = order;
}

static void store(dfl_stepper *st, double h)
{
    dfl_bdf *bdf = (dfl_bdf *)st;
    (void)h;
    dfl_history_add(&bdf->one.past, dfl_one_stage_deviation(&bdf->one));
    st->order = st->degree = bdf->order_old = bdf->order;
    bdf->run_old = bdf->run;
    if (st->options->step.fixed > 0 && bdf->order < bdf->highest) {
        bdf->order++;
        st->newton->h_factored = 0;
    }
}

static const dfl_implicit_class implicit = {.at_end = true,
                                            .iterations = dfl_one_stage_iterations,
                                            .predict = predict,
                                            .settle = dfl_one_stage_settle,
                                            .reference = dfl_one_stage_reference,
                                            .factor = dfl_one_stage_factor,
                                            .iterate = iterate,
                                            .retract = dfl_one_stage_retract,
                                            .error = error,
                                            .followed = followed,
                                            .accepted = accepted,
                                            .rejected = rejected,
                                            .failed = failed};

const dfl_stepper_class dfl_bdf_class = {.size = sizeof(dfl_bdf),
                                         .stages = stages,
                                         .init = init,
                                         .bind = bind,
                                         .clear = clear,
                                         .start = start,
                                         .attempt = attempt,
                                         .candidate = dfl_one_stage_candidate,
                                         .store = store,
                                         .interpolate = dfl_one_stage_interpolate,
                                         .implicit = &implicit,
                                         .remembers = true};
