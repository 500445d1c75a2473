/* optimize_peaks.c: when expressions are largest in a run.

   The derivative of the largest value is that of the value at this time, since the rate vanishes there; at an
   end of the run the time does not move. */
#include "study/optimize_internal.h"

#include <math.h>

enum { SAMPLES = 24, NARROWINGS = 60 };

typedef struct peaks {
    objective *it;
    dfl_simulation sim;
    double *x;
    double *when, *value; /* of the measures */
    bool *kink;
    dfl_status status;
} peaks;

/* The value of measure k inside the last step. */
static double value_at(peaks *p, int k, double t)
{
    dfl_runnable *run = p->sim.run;
    const dfl_equations *eq = eq_of(run);
    const dfl_expr expr = eq->model->goals.measures.item[k].expr;
    double value = NAN;
    if (!p->status)
        p->status = dfl_solver_interpolate(p->x, p->sim.solver, t, false);
    const double *a =
        dfl_depends(eq->graph, expr, DFL_SYM_A) ? dfl_runnable_accelerations(run, t, p->x) : NULL;
    if (!p->status)
        p->status = dfl_runnable_values(&value, run, &expr, 1, t, p->x, a);
    return value;
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
    if (isnan(p->value[k]) || value > p->value[k]) {
        p->value[k] = value;
        p->when[k] = t;
        p->kink[k] = kink;
    }
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
        f[best] + (f[best] - fmin(f[best - 1], f[best + 1])) >= p->value[k]) {
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

static dfl_status refuse(const objective *it, double value, double t)
{
    return dfl_fail(
        it->ctx, DFL_INVALID,
        "optimize: the largest value of maximum(...), %.6g, is at a jump or a kink, t = "
        "%.10g, where its derivative does not exist; smooth it: maximum(expression, { "
        "smooth = 8 })",
        value, t);
}

dfl_status dfl_objective_peaks(double *when, double *value, objective *it, const char *const *fixed)
{
    dfl_loaded loaded = {0};
    dfl_settings settings;
    dfl_summary summary;
    dfl_status status = it->variation->load(&loaded, fixed, it->count, it->variation->user);
    if (!status)
        status = dfl_settings_resolve(&settings, it->choices, loaded.run);
    peaks p = {.it = it, .when = when, .value = value};
    for (int k = 0; k < it->nmeasures; k++)
        value[k] = NAN;
    if (!status) {
        p.x = dfl_alloc(it->ctx, (size_t)loaded.eq->n, sizeof *p.x);
        p.sim = (dfl_simulation){.ctx = it->ctx,
                                 .run = loaded.run,
                                 .eq = loaded.eq,
                                 .settings = &settings,
                                 .watch = watch,
                                 .user = &p};
        p.kink = dfl_alloc(it->ctx, (size_t)it->nmeasures, sizeof *p.kink);
        status = p.x && p.kink ? dfl_simulate(&summary, &p.sim) : DFL_NO_MEMORY;
        dfl_simulation_clear(&p.sim);
    }
    for (int k = 0; !status && !p.status && k < it->nmeasures; k++)
        if (p.kink[k] && when[k] != settings.from && when[k] != settings.to)
            status = refuse(it, value[k], when[k]);
    dfl_free(it->ctx, p.kink);
    dfl_free(it->ctx, p.x);
    dfl_loaded_clear(&loaded);
    return p.status ? p.status : status;
}
