/* The extrapolated half-explicit Euler method: order and step size, the end of a step, continuous
   output (see extrapolation.h). Order and step are chosen as in ODEX (Hairer, Norsett and Wanner,
   Solving Ordinary Differential Equations I, II.9): row j has an error err_j of order H^j, proposes
   H_j = H (1/err_j)^(1/j) up to safety factors, and costs A_j = 1 + 1 + 2 + ... + j evaluations;
   the row with the least A_j/H_j is the best one. */
#include "integrate/extrapolation.h"

#include "integrate/explicit.h"

#include <math.h>
#include <string.h>

enum { MOST = DFL_EXTRAPOLATION_ROWS };

static bool converged(double *err, dfl_extrapolation *ex, double h, dfl_outcome *outcome);
static double row_error(dfl_extrapolation *ex);
static bool is_hopeless(int row, int columns, double err);
static void propose(dfl_extrapolation_work *w, const dfl_stepper *st, double h, int row,
                    double err);
static bool follows_inside(dfl_extrapolation *ex, double h);
static dfl_attempt reject(dfl_stepper *st, double h, double err);
static double choose_next(dfl_stepper *st, double h, bool after_rejection);

static dfl_extrapolation *of(dfl_stepper *st)
{
    return (dfl_extrapolation *)st;
}

/* ---- life ---- */

static dfl_status init(dfl_stepper *st)
{
    dfl_system *sys = st->sys;
    const size_t n = (size_t)sys->n, d = sizeof(double);
    dfl_extrapolation_work *w = of(st)->work = dfl_alloc(sys->ctx, 1, sizeof *w);
    if (!w)
        return DFL_NO_MEMORY;
    w->ode = dfl_formulation_ode(st->form);
    dfl_status status = dfl_point_init(&w->stage, sys);
    if (!status)
        status = dfl_point_init(&w->after, sys);
    if (status)
        return status;
    if (!dfl_inside_init(&w->last, sys) || !dfl_inside_init(&w->trial, sys))
        return DFL_NO_MEMORY;
    for (int k = 0; k < MOST; k++)
        if (!(w->end.T[k] = dfl_alloc(sys->ctx, n, d)))
            return DFL_NO_MEMORY;
    w->rate = dfl_alloc(sys->ctx, n, d);
    w->target = dfl_alloc(sys->ctx, (size_t)sys->nc, d);
    return w->rate && w->target ? DFL_OK : DFL_NO_MEMORY;
}

static void clear(dfl_stepper *st)
{
    dfl_context *ctx = st->sys->ctx;
    dfl_extrapolation_work *w = of(st)->work;
    if (!w)
        return;
    dfl_point_clear(&w->stage, ctx);
    dfl_point_clear(&w->after, ctx);
    dfl_inside_clear(&w->last, ctx);
    dfl_inside_clear(&w->trial, ctx);
    dfl_free(ctx, w->rate);
    dfl_free(ctx, w->target);
    for (int k = 0; k < MOST; k++)
        dfl_free(ctx, w->end.T[k]);
    dfl_free(ctx, w);
}

static void bind(dfl_stepper *st)
{
    dfl_extrapolation_work *w = of(st)->work;
    dfl_point_bind(&w->stage, st->sys);
    dfl_point_bind(&w->after, st->sys);
    w->weakest = 0;
}

/* With fixed steps the order is that of the options, 4 by default; otherwise it begins where a
   tolerance of ten digits takes eight rows. */
static int first_columns(const dfl_solver_options *options)
{
    if (options->step.fixed > 0)
        return options->order > 0 ? options->order : 4;
    const int guess = (int)(1.5 - 0.7 * log10(options->rtol));
    const int most = options->order > 0 ? options->order : MOST - 1;
    return guess < 3 ? 3 : guess > most ? (most < 3 ? 3 : most) : guess;
}

static void start(dfl_stepper *st)
{
    dfl_extrapolation_work *w = of(st)->work;
    w->trouble = dfl_ode_settle(w->ode, &st->here);
    w->weakest = fmax(dfl_formulation_weakest(st->form), w->weakest);
    w->columns = first_columns(st->options);
    st->order = w->columns;
    st->degree = 5;
    dfl_scale_plain(st->scale, 1); /* there is no iteration */
    dfl_controller_init(st->control, st->options, w->columns);
}

/* ---- a step ---- */

static dfl_attempt attempt(dfl_stepper *st, double h, double *h_next)
{
    dfl_extrapolation *ex = of(st);
    dfl_extrapolation_work *w = ex->work;
    const bool fixed = st->options->step.fixed > 0, after_rejection = st->rejected;
    double err = 0;
    dfl_scale_set(st->scale, st->here.x, h);
    st->sys->trouble.outcome = DFL_STEP_OK;
    w->end.rows = w->last_row = 0;
    dfl_outcome outcome = w->trouble ? w->trouble : dfl_ode_begin(w->ode, &st->here);
    const bool good = !outcome && converged(&err, ex, h, &outcome);
    if (!outcome && !good)
        return reject(st, h, err);
    if (!outcome) {
        memcpy(st->next.x, w->stage.x, (size_t)st->sys->n * sizeof(double));
        memcpy(st->next.x + st->sys->at.r, w->end.T[0] + st->sys->at.r,
               (size_t)(st->sys->n - st->sys->at.r) * sizeof(double));
        st->next.t = st->t + h;
        outcome = dfl_ode_finish(w->ode, &st->next);
    }
    if (!outcome)
        outcome = dfl_explicit_watch(st, w->weakest);
    if (!outcome && !fixed && !follows_inside(ex, h))
        return reject(st, h, err);
    const int columns = w->columns;
    *h_next = fixed     ? copysign(st->options->step.fixed, h)
              : outcome ? h
                        : choose_next(st, h, after_rejection);
    if (!outcome)
        outcome = dfl_stepper_accept(st, h);
    if (!outcome)
        return DFL_ATTEMPT_ACCEPTED;
    w->columns = columns;
    return dfl_explicit_failed(st, h, outcome);
}

/* Rows until one is good: the one before the target, the target, or the one after it. */
static bool converged(double *err, dfl_extrapolation *ex, double h, dfl_outcome *outcome)
{
    dfl_extrapolation_work *w = ex->work;
    const dfl_solver_options *options = ex->base.options;
    const bool fixed = options->step.fixed > 0;
    const int target = w->columns, last = fixed || target == MOST ? target : target + 1;
    for (int row = 1; row <= last; row++) {
        *outcome = dfl_extrapolation_row(ex, h);
        if (*outcome)
            return false;
        if (fixed || row < 2)
            continue;
        *err = row_error(ex);
        if (!isfinite(*err)) {
            *outcome = DFL_STEP_RETRY;
            return false;
        }
        propose(w, &ex->base, h, row, *err);
        w->last_row = row;
        if (row >= target - 1 && *err <= 1)
            return true;
        if (is_hopeless(row, target, *err))
            return false;
    }
    return fixed;
}

/* |T_jj - T_(j,j-1)| */
static double row_error(dfl_extrapolation *ex)
{
    dfl_stepper *st = &ex->base;
    const double *best = ex->work->end.T[0], *second = ex->work->end.T[1];
    memset(st->err, 0, (size_t)st->sys->n * sizeof(double));
    for (int i = st->sys->at.r; i < st->sys->n; i++)
        st->err[i] = best[i] - second[i];
    return fmax(1e-10, dfl_scale_error(st->scale, st->err));
}

/* Whether the rows that are left, each of which divides the error by its number of steps, cannot
   make it small enough. */
static bool is_hopeless(int row, int columns, double err)
{
    if (row < columns - 1)
        return false;
    return row == columns - 1 ? err > (double)(columns * (columns + 1))
           : row == columns   ? err > columns + 1.0
                              : true;
}

static double evaluations(int row)
{
    return 1 + row * (row + 1) / 2.0;
}

static void propose(dfl_extrapolation_work *w, const dfl_stepper *st, double h, int row, double err)
{
    const dfl_step_options *step = &st->options->step;
    const double wanted = step->safety * pow(0.65 / err, 1.0 / row);
    const double factor = fmin(step->max_factor, fmax(step->min_factor, wanted));
    w->size[row] = fabs(h) * factor;
    w->cost[row] = evaluations(row) / w->size[row];
}

/* Whether the polynomial of the step is good enough for what looks at it. Long steps of high order
   are made shorter for it, as in ODEX. */
static bool follows_inside(dfl_extrapolation *ex, double h)
{
    dfl_stepper *st = &ex->base;
    const dfl_solver_options *o = st->options;
    dfl_extrapolation_work *w = ex->work;
    const bool looked_at = !o->output.ends_only || o->events.count > 0 || o->switches.count > 0 ||
                           (o->output.on_output && o->output.every > 0);
    if (!looked_at)
        return true;
    dfl_inside_note(&w->trial, ex, h);
    const double err = fmax(1e-10, dfl_inside_error(&w->trial, ex));
    for (int row = 1; row <= w->last_row; row++)
        w->size[row] = fmin(w->size[row], fabs(h) * fmax(0.1, pow(err, -0.2)));
    return err <= 1;
}

static dfl_attempt reject(dfl_stepper *st, double h, double err)
{
    dfl_extrapolation_work *w = of(st)->work;
    int k = w->last_row < w->columns ? w->last_row : w->columns;
    if (k > 3 && w->cost[k - 1] < 0.8 * w->cost[k])
        k--;
    w->columns = k < 3 ? 3 : k;
    st->sys->stats->rejected_error += st->stepped;
    st->h = copysign(fmin(0.9 * fabs(h), w->size[k]), h);
    st->rejected = true;
    dfl_log(st->options, DFL_LOG_DEBUG, "t = %.10g: step %.3g rejected, error %.3g", st->t, h, err);
    return DFL_ATTEMPT_REJECTED;
}

/* The rows that the next step aims at, and its size. */
static double choose_next(dfl_stepper *st, double h, bool after_rejection)
{
    dfl_extrapolation_work *w = of(st)->work;
    const int row = w->last_row, most = st->options->order > 0 ? st->options->order : MOST - 1;
    int k = row > w->columns ? row - 1 : row;
    if (k > 3 && w->cost[k - 1] < 0.8 * w->cost[k])
        k--;
    else if (w->cost[row] < 0.9 * w->cost[row - 1] && row >= 3)
        k = row + 1;
    k = k > most ? most : k;
    k = k < 3 ? 3 : k;
    if (after_rejection && k > row)
        k = row < 3 ? 3 : row;
    double size = k <= row ? w->size[k] : w->size[row] * evaluations(k) / evaluations(row);
    if (after_rejection)
        size = fmin(size, fabs(h));
    w->columns = k;
    if (st->options->step.max > 0)
        size = fmin(size, st->options->step.max);
    return copysign(size, h);
}

static void store(dfl_stepper *st, double h)
{
    dfl_extrapolation_work *w = of(st)->work;
    if (!(w->trial.prepared && w->trial.t == st->t && w->trial.h == h))
        dfl_inside_note(&w->trial, of(st), h);
    const dfl_step_inside last = w->last;
    w->last = w->trial;
    w->trial = last;
    w->trial.prepared = false;
    st->order = w->end.rows;
    st->watch->singular_in_row = 0;
}

static int stages(const dfl_solver_options *options)
{
    (void)options;
    return 1; /* there is no Newton iteration */
}

static int nodes(double *node, const dfl_stepper *st)
{
    const int count = ((const dfl_extrapolation *)st)->work->columns;
    for (int i = 0; i < count; i++)
        node[i] = (double)i / count;
    return count;
}

const dfl_stepper_class dfl_extrapolation_class = {.size = sizeof(dfl_extrapolation),
                                                   .stages = stages,
                                                   .right_hand_side = true,
                                                   .init = init,
                                                   .bind = bind,
                                                   .clear = clear,
                                                   .start = start,
                                                   .attempt = attempt,
                                                   .store = store,
                                                   .interpolate = dfl_inside_interpolate,
                                                   .nodes = nodes};
