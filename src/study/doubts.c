/* doubts.c: what makes the results of a run doubtful while it lasts. */
#include "study/study_internal.h"

#include "declare/declare.h"

dfl_status dfl_study_doubts_create(dfl_simulation *sim)
{
    const size_t count = (size_t)sim->eq->model->doubts.count;
    sim->excess = dfl_alloc(sim->ctx, count, sizeof *sim->excess);
    sim->doubted = dfl_alloc(sim->ctx, count, sizeof *sim->doubted);
    return sim->excess && sim->doubted ? DFL_OK : DFL_NO_MEMORY;
}

void dfl_study_doubts_clear(dfl_simulation *sim)
{
    dfl_free(sim->ctx, sim->excess);
    dfl_free(sim->ctx, sim->doubted);
}

void dfl_study_look_for_doubts(dfl_simulation *sim, double t, const double *x)
{
    const dfl_model *model = sim->eq->model;
    dfl_runnable_doubts(sim->excess, sim->run, t, x);
    for (int i = 0; i < model->doubts.count; i++) {
        if (!(sim->excess[i] > 0.0) || sim->doubted[i])
            continue;
        dfl_text text = {.ctx = sim->ctx};
        dfl_text_add(&text, "%s:%d: from t = %.4g on: %s", model->path, model->doubts.item[i].line,
                     t, model->doubts.item[i].text);
        if (text.status)
            dfl_study_note_trouble(sim, text.status);
        else
            dfl_study_tell(DFL_LOG_WARNING, dfl_text_string(&text), sim);
        dfl_text_clear(&text);
        sim->doubted[i] = true;
    }
}
