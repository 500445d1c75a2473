/* gradient_files.c: the rows of a run with columns d(x)/d(L), in the files of a gradient. */
#include "task/task_internal.h"

#include "report/report.h"

#include <stdio.h>
#include <string.h>

static bool is_table(const char *path);
static dfl_status name_columns(dfl_gradient_files *it, const char *const *of, int nof);
static dfl_status check_rows(const dfl_task_state *near);

dfl_status dfl_gradient_files_open(dfl_gradient_files *it, dfl_task *task, const char *by,
                                   const char *const *of, int nof)
{
    const dfl_task_state *near = &task->near;
    const dfl_task_options *options = &task->options;
    bool any = false;
    *it = (dfl_gradient_files){.ctx = task->ctx};
    task->wrote_files = true;
    for (int i = 0; i < options->noutput; i++)
        any = any || is_table(options->output[i]);
    if (!any)
        return DFL_OK;
    if (options->derivatives && !strcmp(options->derivatives, "adjoint"))
        return dfl_fail(it->ctx, DFL_INVALID,
                        "--derivatives adjoint finds those of the end alone; rows in a file need "
                        "direct");
    int facts = dfl_settings_describe(it->facts, &near->settings);
    it->facts[facts++] = (dfl_fact){.name = "by", .text = by};
    dfl_status status = check_rows(near);
    if (!status)
        status = dfl_name_list_split(&it->by, it->ctx, by);
    if (!status)
        status = name_columns(it, of, nof);
    if (!status)
        status = dfl_record_create_wide(&it->record, near->model.eq, it->facts, facts,
                                        (const char *const *)it->names, it->count, it->by.count);
    for (int i = 0; !status && i < options->noutput; i++) {
        const char *path = options->output[i];
        if (!is_table(path))
            continue;
        status = dfl_model_spare(near->model.model, it->ctx, path);
        if (!status)
            status = dfl_is_report(path) ? dfl_report_open(it->record, path, NULL)
                                         : dfl_record_open(it->record, path);
    }
    return status;
}

static bool is_table(const char *path)
{
    return !dfl_ends_with(path, ".json");
}

/* Interpolated rows have no derivatives. */
static dfl_status check_rows(const dfl_task_state *near)
{
    const dfl_solver_options *solver = &near->settings.solver;
    return solver->output.every > 0 && (!solver->output.project || solver->step.fixed > 0)
               ? dfl_fail(near->ctx, DFL_INVALID,
                          "rows with derivatives are steps of the solver; leave `every` out, or "
                          "interpolate and fixed_step")
               : DFL_OK;
}

static dfl_status name_columns(dfl_gradient_files *it, const char *const *of, int nof)
{
    const size_t most = (size_t)nof * (size_t)it->by.count;
    it->names = dfl_alloc(it->ctx, most, sizeof *it->names);
    if (!it->names)
        return DFL_NO_MEMORY;
    for (int i = 0; i < nof; i++)
        for (int j = 0; j < it->by.count; j++) {
            dfl_text name = {.ctx = it->ctx};
            dfl_text_add(&name, "d(%s)/d(%s)", of[i], it->by.name[j]);
            it->names[it->count] =
                name.status ? NULL : dfl_copy_string(it->ctx, dfl_text_string(&name));
            dfl_text_clear(&name);
            if (!it->names[it->count++])
                return DFL_NO_MEMORY;
        }
    return DFL_OK;
}

dfl_status dfl_gradient_files_write(const dfl_task *task)
{
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < task->options.noutput; i++)
        if (!is_table(task->options.output[i]))
            status = dfl_task_write(task->options.output[i], &task->json, &task->near.model);
    return status;
}

void dfl_gradient_files_clear(dfl_gradient_files *it)
{
    if (it->record)
        dfl_record_abandon(it->record); /* files of a run that never started */
    dfl_record_free(it->record);
    for (int i = 0; it->names && i < it->count; i++)
        dfl_free(it->ctx, it->names[i]);
    dfl_free(it->ctx, it->names);
    if (it->ctx)
        dfl_name_list_clear(&it->by, it->ctx);
}
