/* gradient_check.c: derivatives of a run against differences of runs nearby. */
#include "study/gradient_internal.h"

#include <math.h>
#include <stdio.h>

typedef struct neighbours {
    const dfl_gradient *of;
    const dfl_settings *settings;
    const dfl_choices *choices;
    const dfl_variation *variation;
} neighbours;

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
        settings.solver.rtol = fmax(0.1 * settings.solver.rtol, 1e-13);
        settings.solver.atol *= 0.1;
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

/* Central differences with 2 h and h, extrapolated. */
static dfl_status differences(double *out, const neighbours *self, int j)
{
    const int nof = self->of->nof;
    const double value = self->of->at[j], h = 1e-3 * (value != 0 ? fabs(value) : 1);
    const double at[] = {2 * h, -2 * h, h, -h};
    double *end = dfl_alloc(self->of->ctx, 4 * (size_t)nof, sizeof *end);
    dfl_status status = end ? DFL_OK : DFL_NO_MEMORY;
    for (int k = 0; !status && k < 4; k++) {
        char setting[300];
        snprintf(setting, sizeof setting, "%s=%.17g", self->of->by[j], value + at[k]);
        status = run_beside(end + k * nof, self, setting);
    }
    for (int i = 0; !status && i < nof; i++) {
        const double wide = (end[i] - end[nof + i]) / (4 * h);
        const double narrow = (end[2 * nof + i] - end[3 * nof + i]) / (2 * h);
        out[i] = narrow + (narrow - wide) / 3;
    }
    dfl_free(self->of->ctx, end);
    return status;
}

dfl_status dfl_study_gradient_check(double *out, const dfl_gradient *gradient,
                                    const dfl_settings *settings, const dfl_choices *choices,
                                    const dfl_variation *variation)
{
    const neighbours self = {gradient, settings, choices, variation};
    dfl_status status = DFL_OK;
    for (int j = 0; !status && j < gradient->count; j++)
        status = differences(out + (size_t)j * (size_t)gradient->nof, &self, j);
    return status;
}
