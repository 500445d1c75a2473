/* optimize_peaks.c: when expressions are largest in a run.

   The derivative of the largest value is that of the value at this time, since the rate vanishes
   there; at an end of the run the time does not move. At an instant t* at which branches change or
   the state jumps, it is that of the value on the side where it is largest, f_theta + f_x x_theta +
   f' t*_theta. */
#include "study/optimize_internal.h"

#include <math.h>

enum { SAMPLES = 24, NARROWINGS = 60 };

typedef struct peaks {
    objective *it;
    dfl_simulation sim;
    double *x;
    dfl_expr *expr; /* of the measures, on the present branches */
    dfl_peak *peak; /* the same */
    int passed;     /* instants so far ... */
    double last;    /* ... and the time of the last one */
    dfl_status status;
} peaks;

/* The value of measure k. */
static double value_of(peaks *p, int k, double t, const double *x)
{
    dfl_runnable *run = p->sim.run;
    double value = NAN;
    const double *a = dfl_depends(eq_of(run)->graph, p->expr[k], DFL_SYM_A)
                          ? dfl_runnable_accelerations(run, t, x)
                          : NULL;
    if (!p->status)
        p->status = dfl_runnable_values(&value, run, &p->expr[k], 1, t, x, a);
    return value;
}

/* The same inside the last step. */
static double value_at(peaks *p, int k, double t)
{
    if (!p->status)
        p->status = dfl_solver_interpolate(p->x, p->sim.solver, t, false);
    return value_of(p, k, t, p->x);
}

/* The largest value between a and b: golden section. */
static double narrow(double *at, peaks *p, int k, double a, double b)
{
    const double part = 0.3819660112501051;
    double left = a + part * (b - a), right = b - part * (b - a);
    double fl = value_at(p, k, left), fr = value_at(p, k, right);
    for (int i = 0; !p->status && i < NARROWINGS && fabs(b - a) > 1e-12 * fabs(b); i++) {
        if (fl > fr) {
            b = right, right = left, fr = fl;
            left = a + part * (b - a);
            fl = value_at(p, k, left);
        } else {
            a = left, left = right, fl = fr;
            right = b - part * (b - a);
            fr = value_at(p, k, right);
        }
    }
    *at = fl > fr ? left : right;
    return fmax(fl, fr);
}

/* `kink`: the expression does not turn smoothly there, so its time would matter. */
static void consider(peaks *p, int k, double t, double value, bool kink)
{
    if (isnan(p->peak[k].value) || value > p->peak[k].value)
        p->peak[k] = (dfl_peak){
            .t = t, .value = value, .kink = kink, .instant = t == p->last ? -p->passed : 0};
}

/* On both sides of an instant: what is largest just before it is so at it. */
static dfl_status consider_side(dfl_simulation *sim, const bool *crossed, void *user)
{
    peaks *p = user;
    const double t = dfl_solver_time(sim->solver);
    p->passed += crossed != NULL;
    p->last = crossed ? NAN : t;
    for (int k = 0; k < p->it->nmeasures; k++) {
        if (!p->it->model->goals.measures.item[k].peak)
            continue;
        consider(p, k, t, value_of(p, k, t, dfl_solver_state(sim->solver)), true);
        if (crossed && p->peak[k].t == t)
            p->peak[k].instant = p->passed;
    }
    return p->status;
}

/* Inside the last step: samples, and between the neighbours of the largest one. */
static void search_step(peaks *p, int k, double from, double to)
{
    const double h = (to - from) / SAMPLES, little = 0.01 * h;
    double f[SAMPLES + 1], low = INFINITY;
    int best = 0;
    for (int i = 0; i <= SAMPLES; i++) {
        f[i] = value_at(p, k, i == SAMPLES ? to : from + i * h);
        low = fmin(low, f[i]);
        if (f[i] > f[best])
            best = i;
    }
    /* a parabola that turns at an end is lower by 1e-4 / SAMPLES^2 a little before */
    const double slight = 1e-5 * (f[best] - low);
    consider(p, k, from, f[0], f[0] - value_at(p, k, from + little) > slight);
    if (best > 0 && best < SAMPLES &&
        f[best] + (f[best] - fmin(f[best - 1], f[best + 1])) >= p->peak[k].value) {
        double at;
        const double value = narrow(&at, p, k, from + (best - 1) * h, from + (best + 1) * h);
        consider(p, k, at, value, false);
    }
    consider(p, k, to, f[SAMPLES], f[SAMPLES] - value_at(p, k, to - little) > slight);
}

/* After every step. */
static bool watch(double t, double step, void *user)
{
    peaks *p = user;
    (void)step;
    const double from = dfl_solver_step_begin(p->sim.solver);
    for (int k = 0; k < p->it->nmeasures && from != t; k++)
        if (p->it->model->goals.measures.item[k].peak)
            search_step(p, k, from, t);
    return p->status || dfl_interrupted(p->it->ctx);
}

static dfl_status refuse(const objective *it, const dfl_peak *peak)
{
    return dfl_fail(it->ctx, DFL_INVALID,
                    "optimize: the largest value of maximum(...), %.6g, is at a kink, t = %.10g, "
                    "where no branch changes, so that it is not differentiated; smooth it: "
                    "maximum(expression, { smooth = 8 })",
                    peak->value, peak->t);
}

/* An event may end the run: then values there are those of the end. */
static dfl_status judge(const peaks *p, const dfl_settings *settings, double end)
{
    for (int k = 0; k < p->it->nmeasures; k++) {
        dfl_peak *peak = &p->peak[k];
        if (!p->it->model->goals.measures.item[k].peak)
            continue;
        if (peak->instant == 0 && peak->t == end && end != settings->to)
            peak->t = NAN;
        else if (peak->kink && peak->instant == 0 && peak->t != settings->from && peak->t != end)
            return refuse(p->it, peak);
    }
    return DFL_OK;
}

static dfl_status run_and_judge(peaks *p, dfl_loaded *loaded, const dfl_settings *settings)
{
    objective *it = p->it;
    dfl_summary summary;
    dfl_status status = DFL_OK;
    p->x = dfl_alloc(it->ctx, (size_t)loaded->eq->n, sizeof *p->x);
    p->expr = dfl_exprs(loaded->eq, it->nmeasures);
    p->sim = (dfl_simulation){.ctx = it->ctx,
                              .run = loaded->run,
                              .eq = loaded->eq,
                              .settings = settings,
                              .looks_inside = true,
                              .watch = watch,
                              .side = consider_side,
                              .user = p};
    if (!p->x || !p->expr)
        return DFL_NO_MEMORY;
    for (int k = 0; !status && k < it->nmeasures; k++) {
        p->peak[k] = (dfl_peak){.value = NAN};
        status = dfl_runnable_branch_of(&p->expr[k], loaded->run,
                                        loaded->model->goals.measures.item[k].expr);
    }
    if (!status)
        status = dfl_simulate(&summary, &p->sim);
    if (!status && !p->status)
        status = judge(p, settings, summary.t);
    return p->status ? p->status : status;
}

dfl_status dfl_objective_peaks(dfl_peak *peak, objective *it, const char *const *fixed)
{
    dfl_loaded loaded = {0};
    dfl_settings settings;
    peaks p = {.it = it, .peak = peak, .last = NAN};
    dfl_status status = it->variation->load(&loaded, fixed, it->count, it->variation->user);
    if (!status)
        status = dfl_settings_resolve(&settings, it->choices, loaded.run);
    if (!status)
        status = run_and_judge(&p, &loaded, &settings);
    dfl_simulation_clear(&p.sim);
    dfl_free(it->ctx, p.expr);
    dfl_free(it->ctx, p.x);
    dfl_loaded_clear(&loaded);
    return status;
}
