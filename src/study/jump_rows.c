/* jump_rows.c: the row before an instant at which the state jumps. It must be computed before
   discrete variables change, when nobody knows yet whether anything jumps. */
#include "study/study_internal.h"

#include "declare/declare.h"

#include <string.h>

dfl_status dfl_study_jumps_create(dfl_simulation *sim)
{
    const dfl_model *model = sim->eq->model;
    sim->kept.x = dfl_alloc(sim->ctx, (size_t)sim->eq->n, sizeof(double));
    const size_t outputs = (size_t)(model->count[DFL_AN_OUTPUT] + sim->nmore);
    const size_t scene = (size_t)(dfl_scene_columns(model) + sim->nmore_scene);
    sim->kept.outputs = dfl_alloc(sim->ctx, outputs, sizeof(double));
    sim->kept.scene = dfl_alloc(sim->ctx, scene, sizeof(double));
    return sim->kept.x && sim->kept.outputs && sim->kept.scene ? DFL_OK : DFL_NO_MEMORY;
}

void dfl_study_jumps_clear(dfl_simulation *sim)
{
    dfl_free(sim->ctx, sim->kept.x);
    dfl_free(sim->ctx, sim->kept.outputs);
    dfl_free(sim->ctx, sim->kept.scene);
}

void dfl_study_keep_row(dfl_simulation *sim, double t, const double *x)
{
    sim->kept.t = t;
    memcpy(sim->kept.x, x, (size_t)sim->eq->n * sizeof *x);
    dfl_study_evaluate_row(sim->kept.outputs, sim->kept.scene, sim, t, x);
    sim->kept.energy = dfl_runnable_energy(sim->run, t, x);
    sim->kept.residuals = dfl_solver_residuals(sim->solver);
}

bool dfl_study_store_kept(dfl_simulation *sim)
{
    if (sim->kept.t == sim->row_time || !sim->record)
        return true;
    if (sim->records_steps)
        dfl_record_check(sim->record, sim->kept.energy, &sim->kept.residuals);
    dfl_study_note_trouble(sim,
                           dfl_record_row(sim->record, sim->kept.t, sim->kept.x, sim->kept.outputs,
                                          sim->drawn ? sim->kept.scene : NULL));
    return !sim->trouble;
}
