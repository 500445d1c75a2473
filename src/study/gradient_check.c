/* gradient_check.c: derivatives of a run against differences of runs nearby.

   Central differences with h, h/4, h/16, ... are extrapolated (Ridders): of all entries of the
   table the one is taken that differs least from its neighbours, and by how much is its doubt. So h
   becomes small where the value is strongly nonlinear, and not smaller than the errors of the runs
   allow. */
#include "study/gradient_internal.h"

#include <math.h>
#include <stdio.h>

enum { LEVELS = 9, FACTOR = 4 };

static const double close_enough = 1e-5; /* relative, of derivatives and differences */

typedef struct neighbours {
    const dfl_gradient *of;
    const dfl_settings *settings;
    const dfl_choices *choices;
    const dfl_variation *variation;
} neighbours;

/* What counts as large: the derivative, or what changes the value by itself. What changes it by
   less than tolerances do is nothing: many values and their derivatives vanish. */
static double scale(const dfl_gradient *it, int i, int j, double a, double b)
{
    const double size = it->at[j] != 0 ? fabs(it->at[j]) : 1;
    const double value = fmax(fabs(it->value[i]), it->tolerance[i] / close_enough);
    return fmax(fmax(fabs(a), fabs(b)), value / size);
}

/* Tolerances a hundredth as large. */
static void refine(dfl_settings *settings)
{
    settings->solver.rtol = fmax(0.01 * settings->solver.rtol, 1e-13);
    settings->solver.atol *= 0.01;
}

/* value (nof): the outputs at the end of a run. */
static dfl_status ends(double *value, const neighbours *self, dfl_runnable *run,
                       const dfl_solver *solver)
{
    const double t = dfl_solver_time(solver), *x = dfl_solver_state(solver);
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < self->of->nof; i++) {
        const char *found;
        dfl_expr expr;
        status = dfl_study_output(&expr, &found, run, "--of", self->of->of[i]);
        if (!status)
            status = dfl_runnable_values(&value[i], run, &expr, 1, t, x,
                                         dfl_runnable_accelerations(run, t, x));
    }
    return status;
}

static dfl_status run_beside(double *value, const neighbours *self, const char *setting)
{
    dfl_loaded loaded = {0};
    dfl_settings settings;
    dfl_summary summary;
    dfl_status status = self->variation->load(&loaded, &setting, 1, self->variation->user);
    if (!status)
        status = dfl_settings_resolve(&settings, self->choices, loaded.run);
    if (!status) {
        settings.to = self->settings->to;
        refine(&settings);
        dfl_simulation sim = {
            .ctx = self->of->ctx, .run = loaded.run, .eq = loaded.eq, .settings = &settings};
        status = dfl_simulate(&summary, &sim);
        if (!status)
            status = ends(value, self, loaded.run, sim.solver);
        dfl_simulation_clear(&sim);
    }
    dfl_loaded_clear(&loaded);
    return status;
}

/* D (nof): the central difference with h; `beside` (nof). */
static dfl_status difference(double *D, double *beside, const neighbours *self, int j, double h)
{
    dfl_status status = DFL_OK;
    for (int k = 0; !status && k < 2; k++) {
        char setting[300];
        snprintf(setting, sizeof setting, "%s=%.17g", self->of->by[j],
                 self->of->at[j] + (k ? -h : h));
        status = run_beside(k ? beside : D, self, setting);
    }
    for (int i = 0; !status && i < self->of->nof; i++)
        D[i] = (D[i] - beside[i]) / (2 * h);
    return status;
}

/* The next row of the table of one output, its first entry being D; `row` (LEVELS) was the one
   before it, with `count` entries. */
static void extend(double *row, int count, double D, double *best, double *doubt)
{
    double entry = D, factor = FACTOR * FACTOR;
    for (int k = 0; k < count; k++, factor *= FACTOR * FACTOR) {
        const double next = entry + (entry - row[k]) / (factor - 1);
        const double change = fmax(fabs(next - entry), fabs(next - row[k]));
        row[k] = entry;
        entry = next;
        if (change <= *doubt) {
            *doubt = change;
            *best = next;
        }
    }
    row[count] = entry;
}

/* Whether all outputs are known well enough. */
static bool is_done(const neighbours *self, int j, const double *best, const double *doubt)
{
    bool done = true;
    for (int i = 0; i < self->of->nof; i++)
        done = done && doubt[i] <= 0.1 * close_enough * scale(self->of, i, j, best[i], 0);
    return done;
}

/* best, doubt (nof): of parameter j; `work` (nof x (LEVELS + 2)). Runs that fail are farther than
   those that follow. */
static dfl_status differences(double *best, double *doubt, const neighbours *self, int j,
                              double *work)
{
    const int nof = self->of->nof;
    const double value = self->of->at[j];
    double *D = work, *beside = work + nof, *row = work + 2 * nof;
    double h = 1e-3 * (value != 0 ? fabs(value) : 1);
    dfl_status status = DFL_OK;
    int count = 0;
    for (int i = 0; i < nof; i++)
        doubt[i] = HUGE_VAL;
    for (int k = 0; k < LEVELS && !is_done(self, j, best, doubt); k++, h /= FACTOR) {
        status = difference(D, beside, self, j, h);
        if (status == DFL_NO_MEMORY || status == DFL_STOPPED)
            return status;
        for (int i = 0; !status && i < nof; i++)
            extend(row + i * LEVELS, count, D[i], &best[i], &doubt[i]);
        count = status ? 0 : count + 1;
    }
    return count > 0 ? DFL_OK : status;
}

/* The same derivatives with smaller tolerances. */
static dfl_status find_finer(dfl_gradient *out, const neighbours *self)
{
    const dfl_gradient *of = self->of;
    dfl_settings settings = *self->settings;
    dfl_loaded loaded = {0};
    dfl_text by = {.ctx = of->ctx};
    for (int j = 0; j < of->count; j++)
        dfl_text_add(&by, j > 0 ? ",%s" : "%s", of->by[j]);
    refine(&settings);
    dfl_status status = by.status;
    if (!status)
        status = self->variation->load(&loaded, NULL, 0, self->variation->user);
    if (!status)
        status = dfl_study_gradient(
            out, loaded.run, &settings, by.data, (const char *const *)of->of, of->nof,
            of->backwards ? DFL_DERIVATIVES_ADJOINT : DFL_DERIVATIVES_DIRECT, self->variation,
            NULL);
    dfl_loaded_clear(&loaded);
    dfl_text_clear(&by);
    return status;
}

static dfl_agreement judge(const neighbours *self, int i, int j, const dfl_gradient_check *check,
                           const dfl_gradient *finer)
{
    const size_t k = (size_t)j * (size_t)self->of->nof + (size_t)i;
    const double a = self->of->gradient[k], b = check->differences[k];
    const double f = finer->gradient ? finer->gradient[k] : a;
    const double size = scale(self->of, i, j, a, b), off = fabs(f - b);
    if (fabs(a - b) <= close_enough * size)
        return DFL_AGREES;
    if (off <= close_enough * size)
        return fabs(a - f) <= fmax(close_enough, 100 * self->settings->solver.rtol) * size
                   ? DFL_AGREES
                   : DFL_INACCURATE;
    return off <= 10 * check->doubt[k] ? DFL_DOUBTFUL : DFL_DISAGREES;
}

/* Those of all derivatives, and the worst of them. */
static dfl_agreement judge_all(dfl_gradient_check *out, const neighbours *self,
                               const dfl_gradient *finer)
{
    dfl_agreement worst = DFL_AGREES;
    for (int j = 0; j < self->of->count; j++)
        for (int i = 0; i < self->of->nof; i++) {
            const dfl_agreement found = judge(self, i, j, out, finer);
            out->verdict[(size_t)j * (size_t)self->of->nof + (size_t)i] = found;
            worst = found > worst ? found : worst;
        }
    return worst;
}

dfl_status dfl_study_gradient_check(dfl_gradient_check *out, const dfl_gradient *gradient,
                                    const dfl_settings *settings, const dfl_choices *choices,
                                    const dfl_variation *variation)
{
    const neighbours self = {gradient, settings, choices, variation};
    const size_t nof = (size_t)gradient->nof, count = nof * (size_t)gradient->count;
    dfl_context *ctx = gradient->ctx;
    double *work = dfl_alloc(ctx, nof * (LEVELS + 2), sizeof *work);
    dfl_gradient finer = {0};
    *out = (dfl_gradient_check){.ctx = ctx,
                                .differences = dfl_alloc(ctx, count, sizeof(double)),
                                .doubt = dfl_alloc(ctx, count, sizeof(double)),
                                .verdict = dfl_alloc(ctx, count, sizeof *out->verdict)};
    dfl_status status =
        work && out->differences && out->doubt && out->verdict ? DFL_OK : DFL_NO_MEMORY;
    for (int j = 0; !status && j < gradient->count; j++)
        status = differences(out->differences + (size_t)j * nof, out->doubt + (size_t)j * nof,
                             &self, j, work);
    if (!status && judge_all(out, &self, &finer) != DFL_AGREES) {
        status = find_finer(&finer, &self);
        if (!status)
            out->worst = judge_all(out, &self, &finer);
    }
    dfl_gradient_clear(&finer);
    dfl_free(ctx, work);
    return status;
}

void dfl_gradient_check_clear(dfl_gradient_check *check)
{
    if (!check->ctx)
        return;
    dfl_free(check->ctx, check->differences);
    dfl_free(check->ctx, check->doubt);
    dfl_free(check->ctx, check->verdict);
    *check = (dfl_gradient_check){0};
}
