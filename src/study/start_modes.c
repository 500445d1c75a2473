/* start_modes.c: which contacts are closed, stick or slip at the start, as a run would begin. */
#include "study/study_internal.h"

#include "declare/declare.h"

dfl_touching dfl_study_touching(dfl_contact_mode mode)
{
    if (!mode.closed)
        return DFL_TOUCHING_OPEN;
    if (mode.stick)
        return DFL_TOUCHING_STICKS;
    return mode.sense > 0   ? DFL_TOUCHING_SLIPS
           : mode.sense < 0 ? DFL_TOUCHING_SLIPS_BACK
                            : DFL_TOUCHING_CLOSED;
}

dfl_status dfl_diagnose_modes(dfl_diagnosis *out, dfl_runnable *run,
                              const dfl_solver_options *options, double t0)
{
    const int count = eq_of(run)->model->actions.touches.count;
    dfl_solver_options contacts = *options;
    dfl_solver *solver = NULL;
    if (count == 0 || out->start)
        return DFL_OK;
    out->modes = dfl_alloc(ctx_of(run), (size_t)count, sizeof *out->modes);
    if (!out->modes)
        return DFL_NO_MEMORY;
    dfl_runnable_lock(&contacts.switches, run, dfl_study_name_function);
    dfl_status status = dfl_solver_create(&solver, ctx_of(run), dfl_runnable_eom(run), &contacts);
    if (!status)
        status = dfl_study_start(NULL, NULL, run, solver, &contacts, t0);
    if (status && status != DFL_NO_MEMORY) { /* the start of a run would fail like this */
        out->start = status;
        out->start_message = dfl_copy_string(ctx_of(run), dfl_message(ctx_of(run)));
        status = out->start_message ? DFL_OK : DFL_NO_MEMORY;
    }
    for (int i = 0; !status && i < count; i++)
        out->modes[i] = dfl_study_touching(dfl_runnable_mode(run, i));
    if (!status && !out->start)
        status = dfl_diagnose_rows_again(out, run, t0);
    dfl_solver_free(solver);
    return status;
}

void dfl_study_list_modes(dfl_text *text, const dfl_runnable *run, const dfl_diagnosis *diagnosis,
                          bool json)
{
    const dfl_actions *actions = &eq_of(run)->model->actions;
    for (int i = 0; diagnosis->modes && !diagnosis->start && i < actions->touches.count; i++) {
        const dfl_touch *touch = &actions->touches.item[i];
        const char *mode = dfl_touching_names[diagnosis->modes[i]];
        if (!json) {
            dfl_text_add(text, "  %-19s %s %s, line %d\n", i == 0 ? "modes at the start" : "",
                         touch->name, mode, touch->line);
            continue;
        }
        dfl_text_add(text, i > 0 ? ", {\"name\": " : "{\"name\": ");
        dfl_json_string(text, touch->name);
        dfl_text_add(text, ", \"mode\": \"%s\", \"line\": %d}", mode, touch->line);
    }
}
