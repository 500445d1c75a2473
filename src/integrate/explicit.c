/* What explicit methods share: life, an attempt with its error test, the end of a step, continuous
   output (see explicit.h). */
#include "integrate/explicit.h"

#include <math.h>
#include <string.h>

static dfl_outcome begin(dfl_explicit *ex);
static void make_polynomial(const dfl_explicit *ex);

static dfl_explicit *of(dfl_stepper *st)
{
    return (dfl_explicit *)st;
}

int dfl_explicit_lanes(const dfl_solver_options *options)
{
    (void)options;
    return 1; /* there is no Newton iteration */
}

dfl_status dfl_explicit_init(dfl_stepper *st, const dfl_tableau *rk)
{
    dfl_system *sys = st->sys;
    const size_t n = (size_t)sys->n;
    dfl_explicit_work *w = of(st)->work = dfl_alloc(sys->ctx, 1, sizeof *w);
    if (!w)
        return DFL_NO_MEMORY;
    w->rk = rk;
    w->ode = dfl_formulation_ode(st->form);
    dfl_status status = dfl_point_init(&w->stage, sys);
    if (!status)
        status = dfl_point_init(&w->after, sys);
    if (status)
        return status;
    for (int k = 0; k < rk->all; k++) {
        double **const vector[] = {&w->K[k], &w->X[k], &w->K_last[k], &w->X_last[k]};
        for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
            if (!(*vector[i] = dfl_alloc(sys->ctx, n, sizeof(double))))
                return DFL_NO_MEMORY;
    }
    for (int k = 0; k < rk->power; k++)
        if (!(w->dense[k] = dfl_alloc(sys->ctx, n, sizeof(double))))
            return DFL_NO_MEMORY;
    w->x_old = dfl_alloc(sys->ctx, n, sizeof(double));
    w->x_end = dfl_alloc(sys->ctx, n, sizeof(double));
    w->e = dfl_alloc(sys->ctx, n, sizeof(double));
    w->target = dfl_alloc(sys->ctx, (size_t)sys->nc, sizeof(double));
    return w->x_old && w->x_end && w->e && w->target ? DFL_OK : DFL_NO_MEMORY;
}

void dfl_explicit_clear(dfl_stepper *st)
{
    dfl_context *ctx = st->sys->ctx;
    dfl_explicit_work *w = of(st)->work;
    if (!w)
        return;
    dfl_point_clear(&w->stage, ctx);
    dfl_point_clear(&w->after, ctx);
    for (int k = 0; k < DFL_TABLEAU_STAGES; k++) {
        dfl_free(ctx, w->K[k]);
        dfl_free(ctx, w->X[k]);
        dfl_free(ctx, w->K_last[k]);
        dfl_free(ctx, w->X_last[k]);
    }
    for (int k = 0; k < DFL_TABLEAU_POWER; k++)
        dfl_free(ctx, w->dense[k]);
    dfl_free(ctx, w->x_old);
    dfl_free(ctx, w->x_end);
    dfl_free(ctx, w->e);
    dfl_free(ctx, w->target);
    dfl_free(ctx, w);
}

void dfl_explicit_bind(dfl_stepper *st)
{
    dfl_explicit_work *w = of(st)->work;
    dfl_point_bind(&w->stage, st->sys);
    dfl_point_bind(&w->after, st->sys);
    w->weakest = 0;
}

void dfl_explicit_start(dfl_stepper *st)
{
    dfl_explicit_work *w = of(st)->work;
    w->begun = false;
    w->trouble = dfl_ode_settle(w->ode, &st->here);
    w->weakest = fmax(dfl_formulation_weakest(st->form), w->weakest);
    st->order = w->rk->order;
    st->degree = w->rk->power;
    dfl_scale_plain(st->scale, 1); /* there is no iteration */
    dfl_controller_init(st->control, st->options, w->rk->error_order);
}

/* The first stage: rates at `here`. */
static dfl_outcome begin(dfl_explicit *ex)
{
    dfl_stepper *st = &ex->base;
    dfl_explicit_work *w = ex->work;
    const size_t size = (size_t)st->sys->n * sizeof(double);
    if (w->begun && w->t_begun == st->t)
        return DFL_STEP_OK;
    dfl_outcome outcome = w->trouble ? w->trouble : dfl_ode_begin(w->ode, &st->here);
    if (outcome)
        return outcome;
    memcpy(w->X[0], st->here.x, size);
    dfl_ode_write_rates(w->K[0], st->sys, &st->here);
    if (dfl_ode_projects(w->ode)) {
        memcpy(w->stage.x, st->here.x, size);
        w->stage.t = st->t;
        outcome = dfl_ode_rates(w->K[0], w->ode, &w->stage);
    }
    w->begun = !outcome;
    w->t_begun = st->t;
    return outcome;
}

void dfl_explicit_combine(double *x, const double *x0, double h, int count, const double *weight,
                          double *const *K, int first, int last)
{
    memcpy(x + first, x0 + first, (size_t)(last - first) * sizeof *x);
    for (int j = 0; j < count; j++) {
        const double hw = h * weight[j];
        for (int i = first; hw != 0 && i < last; i++)
            x[i] += hw * K[j][i];
    }
}

dfl_attempt dfl_explicit_attempt(dfl_stepper *st, double h, double *h_next, dfl_stages_fn stages)
{
    dfl_explicit *ex = of(st);
    const bool fixed = st->options->step.fixed > 0, after_rejection = st->rejected;
    double err = 0;
    dfl_scale_set(st->scale, st->here.x, h);
    st->sys->trouble.outcome = DFL_STEP_OK;
    dfl_outcome outcome = begin(ex);
    if (!outcome)
        outcome = stages(&err, ex, h);
    if (outcome)
        return dfl_explicit_failed(st, h, outcome);
    err = fmax(err, 1e-10);
    if (!fixed && !(err < 1)) {
        st->sys->stats->rejected_error += st->stepped;
        st->h = dfl_controller_rejected(st->control, h, err);
        st->rejected = true;
        dfl_log(st->options, DFL_LOG_DEBUG, "t = %.10g: step %.3g rejected, error %.3g", st->t, h,
                err);
        return DFL_ATTEMPT_REJECTED;
    }
    const dfl_controller before = *st->control;
    *h_next = fixed ? copysign(st->options->step.fixed, h)
                    : dfl_controller_accepted(st->control, h, err, after_rejection);
    outcome = dfl_explicit_watch(st, ex->work->weakest);
    if (!outcome)
        outcome = dfl_stepper_accept(st, h);
    if (!outcome)
        return DFL_ATTEMPT_ACCEPTED;
    *st->control = before;
    return dfl_explicit_failed(st, h, outcome);
}

/* Off the constraints
   redundant rows need not be dependent. Nothing in an explicit step fails close to a singular
   position, and its error estimate is of little use there: constraints must not be much weaker than
   at the start. */
dfl_outcome dfl_explicit_watch(dfl_stepper *st, double at_start)
{
    const bool split = dfl_formulation_decompose(st->form, &st->next);
    const double weakest = dfl_formulation_weakest(st->form);
    if (dfl_formulation_redundant(st->form) > 0 || (split && weakest > fmin(1e-4, 1e-3 * at_start)))
        return DFL_STEP_OK;
    return dfl_system_part_trouble(st->sys, DFL_STEP_RANK, DFL_FAILURE_VELOCITY, st->next.t);
}

dfl_attempt dfl_explicit_failed(dfl_stepper *st, double h, dfl_outcome outcome)
{
    if (dfl_stepper_hopeless(st, outcome))
        return DFL_ATTEMPT_HOPELESS;
    st->sys->stats->rejected_newton++;
    st->rejected = true;
    st->h = 0.5 * h;
    dfl_log(st->options, DFL_LOG_DEBUG, "t = %.10g: step %.3g failed", st->t, h);
    return DFL_ATTEMPT_REJECTED;
}

static void exchange(double **a, double **b)
{
    double *const c = *a;
    *a = *b;
    *b = c;
}

void dfl_explicit_store(dfl_stepper *st, double h)
{
    dfl_explicit_work *w = of(st)->work;
    const size_t size = (size_t)st->sys->n * sizeof(double);
    for (int k = 0; k < w->rk->all; k++) {
        exchange(&w->K[k], &w->K_last[k]);
        exchange(&w->X[k], &w->X_last[k]);
    }
    memcpy(w->x_old, st->here.x, size);
    memcpy(w->x_end, st->next.x, size);
    dfl_ode_write_rates(w->K_last[w->rk->stages], st->sys, &st->next);
    memcpy(w->X_last[w->rk->stages], st->next.x, size);
    w->t_old = st->t;
    w->h_last = h;
    w->dense_ready = w->begun = false;
    st->watch->singular_in_row = 0;
}

/* Further stages of the last step. False if they cannot be evaluated. */
static bool extra_stages(const dfl_explicit *ex)
{
    const dfl_system *sys = ex->base.sys;
    dfl_explicit_work *w = ex->work;
    const dfl_tableau *rk = w->rk;
    for (int i = rk->stages + 1; i < rk->all; i++) {
        memcpy(w->stage.x, w->x_end, (size_t)sys->n * sizeof(double));
        dfl_explicit_combine(w->stage.x, w->x_old, w->h_last, i, rk->A[i], w->K_last, sys->at.r,
                             sys->n);
        w->stage.t = w->t_old + rk->c[i] * w->h_last;
        if (dfl_ode_rates(w->K_last[i], w->ode, &w->stage))
            return false;
    }
    return true;
}

static void make_polynomial(const dfl_explicit *ex)
{
    const int n = ex->base.sys->n;
    dfl_explicit_work *w = ex->work;
    const dfl_tableau *rk = w->rk;
    const double h = w->h_last, *f0 = w->K_last[0], *f1 = w->K_last[rk->stages];
    const bool extra = extra_stages(ex);
    for (int i = 0; i < n; i++) {
        const double D = w->x_end[i] - w->x_old[i];
        w->dense[0][i] = D;
        w->dense[1][i] = h * f0[i] - D;
        w->dense[2][i] = 2 * D - h * (f0[i] + f1[i]);
    }
    for (int k = 3; k < rk->power; k++) {
        memset(w->dense[k], 0, (size_t)n * sizeof(double));
        if (extra)
            dfl_explicit_combine(w->dense[k], w->dense[k], h, rk->all, rk->dense[k - 3], w->K_last,
                                 0, n);
    }
    w->dense_ready = true;
}

/* x[first..last) by the polynomial of Lagrange through the nodes. */
static void interpolate_nodes(double *x, const dfl_explicit_work *w, double theta, int first,
                              int last)
{
    const dfl_tableau *rk = w->rk;
    memset(x + first, 0, (size_t)(last - first) * sizeof *x);
    for (int k = 0; k < rk->nodes; k++) {
        const double ck = rk->c[rk->node[k]], *X = w->X_last[rk->node[k]];
        double l = 1;
        for (int j = 0; j < rk->nodes; j++)
            if (j != k)
                l *= (theta - rk->c[rk->node[j]]) / (ck - rk->c[rk->node[j]]);
        for (int i = first; i < last; i++)
            x[i] += l * X[i];
    }
}

void dfl_explicit_interpolate(double *x, const dfl_stepper *st, double t)
{
    const dfl_explicit *ex = (const dfl_explicit *)st;
    const dfl_system *sys = st->sys;
    dfl_explicit_work *w = ex->work;
    if (t == st->t) { /* needs no further stages */
        memcpy(x, st->here.x, (size_t)sys->n * sizeof *x);
        return;
    }
    if (!w->dense_ready)
        make_polynomial(ex);
    const double theta = (t - w->t_old) / w->h_last;
    for (int i = sys->at.r; i < sys->n; i++) {
        double y = 0;
        for (int k = w->rk->power - 1; k >= 0; k--)
            y = (y + w->dense[k][i]) * (k % 2 == 0 ? theta : 1 - theta);
        x[i] = w->x_old[i] + y;
    }
    interpolate_nodes(x, w, theta, 0, sys->n1);
    if (sys->eom->n0 > 0) /* velocities along massless directions have no rates */
        interpolate_nodes(x, w, theta, sys->at.v, sys->at.sp);
    interpolate_nodes(x, w, theta, sys->at.sp, sys->at.p);
}

int dfl_explicit_nodes(double *node, const dfl_stepper *st)
{
    const dfl_tableau *rk = ((const dfl_explicit *)st)->work->rk;
    memcpy(node, rk->c, (size_t)rk->stages * sizeof *node);
    return rk->stages;
}
