/* whole_check.c: everything that `driftless check` looks at. */
#include "study/study_internal.h"

/* Where advice goes, and whether it got there. */
typedef struct notes {
    dfl_model *model;
    dfl_status status;
} notes;

static void note_advice(const char *advice, void *user)
{
    notes *to = user;
    if (!to->status)
        to->status = dfl_model_note(to->model, advice);
}

dfl_status dfl_study_check(dfl_diagnosis *out, dfl_runnable *run, const dfl_settings *settings)
{
    notes to = {.model = eq_of(run)->model};
    dfl_status status = dfl_diagnose(out, run, &settings->solver, settings->from);
    if (!status && !out->start)
        status = dfl_study_advise(run, settings->from, out->x, out->chosen, note_advice, &to);
    if (!status)
        status = dfl_diagnose_modes(out, run, &settings->solver, settings->from);
    if (!status && !out->start)
        status =
            dfl_study_stiff_elements(run, settings->from, settings->to, out->x, note_advice, &to);
    return status ? status : to.status;
}
