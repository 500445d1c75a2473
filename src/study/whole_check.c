/* whole_check.c: everything that `driftless check` looks at. */
#include "study/study_internal.h"

/* If memory runs out, writing the text fails. */
static void note_advice(const char *advice, void *model)
{
    (void)dfl_model_note(model, advice);
}

dfl_status dfl_study_check(dfl_diagnosis *out, dfl_runnable *run, const dfl_settings *settings)
{
    dfl_model *model = eq_of(run)->model;
    dfl_status status = dfl_diagnose(out, run, &settings->solver, settings->from);
    if (!status && !out->start)
        status = dfl_study_advise(run, settings->from, out->x, out->chosen, note_advice, model);
    if (!status)
        status = dfl_diagnose_modes(out, run, &settings->solver, settings->from);
    if (!status && !out->start)
        status =
            dfl_study_stiff_elements(run, settings->from, settings->to, out->x, note_advice, model);
    return status;
}
