/* doubts.c: what makes the results of a run doubtful: while it lasts, or by what it neglected. */
#include "study/study_internal.h"

#include "declare/declare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool accelerate(dfl_simulation *sim, double t, const double *x);
static void note_neglected(dfl_simulation *sim, bool accelerated);
static void tell(dfl_simulation *sim, const dfl_doubt *doubt, const char *when, const char *more);

dfl_status dfl_study_doubts_create(dfl_simulation *sim)
{
    const size_t count = (size_t)sim->eq->model->doubts.count, nv = (size_t)sim->eq->nv;
    sim->doubt.excess = dfl_alloc(sim->ctx, 2 * count, sizeof *sim->doubt.excess);
    sim->doubt.largest = dfl_alloc(sim->ctx, 2 * count, sizeof *sim->doubt.largest);
    sim->doubt.known = dfl_alloc(sim->ctx, count, sizeof *sim->doubt.known);
    sim->doubt.v = dfl_alloc(sim->ctx, nv, sizeof *sim->doubt.v);
    sim->doubt.a = dfl_alloc(sim->ctx, nv, sizeof *sim->doubt.a);
    sim->doubt.t = NAN;
    return sim->doubt.excess && sim->doubt.largest && sim->doubt.known && sim->doubt.v &&
                   sim->doubt.a
               ? DFL_OK
               : DFL_NO_MEMORY;
}

void dfl_study_doubts_clear(dfl_simulation *sim)
{
    dfl_free(sim->ctx, sim->doubt.excess);
    dfl_free(sim->ctx, sim->doubt.largest);
    dfl_free(sim->ctx, sim->doubt.known);
    dfl_free(sim->ctx, sim->doubt.v);
    dfl_free(sim->ctx, sim->doubt.a);
}

void dfl_study_look_for_doubts(dfl_simulation *sim, double t, const double *x)
{
    const dfl_model *model = sim->eq->model;
    if (model->doubts.count == 0)
        return;
    const bool accelerated = accelerate(sim, t, x);
    dfl_runnable_doubts(sim->doubt.excess, sim->run, t, x, sim->doubt.a);
    note_neglected(sim, accelerated);
    for (int i = 0; i < model->doubts.count; i++) {
        const dfl_doubt *doubt = &model->doubts.item[i];
        char when[60];
        if (!(sim->doubt.excess[i] > 0.0) || sim->doubt.known[i] || doubt->neglected)
            continue;
        snprintf(when, sizeof when, "from t = %.4g on: ", t);
        tell(sim, doubt, when, "");
        sim->doubt.known[i] = true;
    }
}

void dfl_study_forget_velocities(dfl_simulation *sim)
{
    sim->doubt.t = NAN;
}

/* Mean accelerations since the last state; false: there is none, or it is too close: then they are
   noise, and it is kept. */
static bool accelerate(dfl_simulation *sim, double t, const double *x)
{
    const dfl_settings *settings = sim->settings;
    const dfl_equations *eq = sim->eq;
    const double *v = x + eq->nw + eq->nl + eq->nm + eq->nr;
    const double since = t - sim->doubt.t, length = settings->to - settings->from;
    const bool known = !isnan(since);
    if (known && !(fabs(since) >= 1e-4 * (isfinite(length) ? fabs(length) : 0.0) && since != 0.0))
        return false;
    for (int j = 0; j < eq->nv && known; j++)
        sim->doubt.a[j] = (v[j] - sim->doubt.v[j]) / since;
    memcpy(sim->doubt.v, v, (size_t)eq->nv * sizeof *v);
    sim->doubt.t = t;
    return known;
}

static void note_neglected(dfl_simulation *sim, bool accelerated)
{
    const int count = sim->eq->model->doubts.count;
    for (int i = accelerated ? 0 : count; i < 2 * count; i++)
        sim->doubt.largest[i] = fmax(sim->doubt.largest[i], fabs(sim->doubt.excess[i]));
}

void dfl_study_tell_neglected(dfl_simulation *sim)
{
    const double most = 0.01;
    const dfl_model *model = sim->eq->model;
    for (int i = 0; i < model->doubts.count; i++) {
        const double out = sim->doubt.largest[i],
                     whole = sim->doubt.largest[model->doubts.count + i];
        char more[120];
        if (!model->doubts.item[i].neglected || !(out > most * whole))
            continue;
        snprintf(more, sizeof more,
                 " of up to %.3g m, beside %.3g m that are not (root mean squares)", out, whole);
        tell(sim, &model->doubts.item[i], "", more);
    }
}

static void tell(dfl_simulation *sim, const dfl_doubt *doubt, const char *when, const char *more)
{
    dfl_text text = {.ctx = sim->ctx};
    dfl_text_add(&text, "%s:%d: %s%s%s", sim->eq->model->path, doubt->line, when, doubt->text,
                 more);
    if (text.status)
        dfl_study_note_trouble(sim, text.status);
    else
        dfl_study_tell(DFL_LOG_WARNING, dfl_text_string(&text), sim);
    dfl_text_clear(&text);
}
