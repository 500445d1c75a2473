/* optimize_page.c: the page of an optimization: the search, the fit, and the motions before and
   after. */
#include "task/task_internal.h"

#include "report/report.h"

enum { INSTANTS = 201 }; /* that it shows of each motion */

static void add_list(dfl_text *json, const double *values, int count)
{
    dfl_text_add(json, "[");
    for (int i = 0; i < count; i++) {
        dfl_text_add(json, i > 0 ? "," : "");
        dfl_json_number(json, values[i]);
    }
    dfl_text_add(json, "]");
}

/* One motion of the page: values that are fitted, or else the outputs, and the numbers of the
   scene. */
typedef struct motion {
    dfl_expr *expr;
    const char **names;
    int count, nscene;
    double *row; /* count, then nscene */
} motion;

static dfl_status choose_curves(motion *out, dfl_context *ctx, const dfl_loaded *loaded)
{
    const dfl_goals *goals = &loaded->model->goals;
    const dfl_model *model = loaded->model;
    const int declared = model->declarations.count, most = goals->measured.count + declared;
    dfl_status status = DFL_OK;
    out->nscene = dfl_scene_columns(loaded->model);
    out->expr = dfl_exprs(loaded->eq, most);
    out->names = dfl_alloc(ctx, (size_t)most, sizeof *out->names);
    out->row = dfl_alloc(ctx, (size_t)(most + out->nscene), sizeof *out->row);
    if (!out->expr || !out->names || !out->row)
        return DFL_NO_MEMORY;
    for (int i = 0; !status && i < goals->measured.count; i++, out->count++)
        status = dfl_study_output(&out->expr[i], &out->names[i], loaded->run, "optimize: fit",
                                  goals->measured.item[i].name);
    for (int i = 0; goals->measured.count == 0 && i < declared; i++)
        if (model->declarations.item[i].kind == DFL_AN_OUTPUT) {
            out->names[out->count] = model->declarations.item[i].name;
            out->expr[out->count++] = model->declarations.item[i].expr;
        }
    return status;
}

static dfl_status add_instants(dfl_text *json, motion *it, dfl_simulation *sim)
{
    const double from = sim->settings->from, to = sim->settings->to;
    dfl_status status = dfl_simulation_begin(sim);
    for (int k = 0; !status && k < INSTANTS; k++) {
        const double t = k < INSTANTS - 1 ? from + (to - from) * k / (INSTANTS - 1) : to;
        if (k > 0)
            status = dfl_simulation_advance(sim, t);
        if (status == DFL_STOPPED && sim->stop_event >= 0)
            return DFL_OK; /* an event ends the run */
        const double *x = status ? NULL : dfl_solver_state(sim->solver);
        if (!status)
            status = dfl_runnable_values(it->row, sim->run, it->expr, it->count, t, x,
                                         dfl_runnable_accelerations(sim->run, t, x));
        if (status)
            break;
        dfl_runnable_scene(it->row + it->count, sim->run, t, x);
        dfl_text_add(json, k > 0 ? ",\n[" : "[");
        dfl_json_number(json, t);
        dfl_text_add(json, ",");
        add_list(json, it->row, it->count);
        dfl_text_add(json, ",");
        add_list(json, it->row + it->count, it->nscene);
        dfl_text_add(json, "]");
    }
    return status;
}

/* "KEY": rows [t, [curves], [scene]]; the first motion also tells the names of the curves and the
   scene. */
static dfl_status add_motion(dfl_text *json, const char *key, const dfl_task *task,
                             const dfl_optimum *optimum, const double *values, bool first)
{
    dfl_loaded loaded = {0};
    dfl_settings settings;
    dfl_record *record = NULL;
    motion it = {0};
    dfl_status status = dfl_optimize_load(&loaded, &settings, task, optimum, values);
    if (!status)
        status = choose_curves(&it, task->ctx, &loaded);
    if (!status && first)
        status = dfl_record_create(&record, loaded.eq, NULL, 0);
    if (!status && first) {
        const char *scene = dfl_record_about(record)->scene;
        dfl_text_add(json, ",\n\"scene\": %s, ", scene ? scene : "null");
        dfl_task_add_names(json, "curves", it.names, it.count);
    }
    dfl_text_add(json, ",\n\"%s\": [", key);
    if (!status) {
        dfl_simulation sim = {
            .ctx = task->ctx, .run = loaded.run, .eq = loaded.eq, .settings = &settings};
        status = add_instants(json, &it, &sim);
        dfl_simulation_clear(&sim);
    }
    dfl_text_add(json, "]");
    dfl_record_free(record);
    dfl_free(task->ctx, it.expr);
    dfl_free(task->ctx, it.names);
    dfl_free(task->ctx, it.row);
    dfl_loaded_clear(&loaded);
    return status;
}

/* "data": [{"name", "time": [...], "value": [...]}, ...]: what was measured. */
static void add_data(dfl_text *json, const dfl_goals *goals)
{
    dfl_text_add(json, ",\n\"data\": [");
    for (int i = 0; i < goals->measured.count; i++) {
        const dfl_measured *data = &goals->measured.item[i];
        dfl_text_add(json, i > 0 ? ",\n{\"name\": " : "{\"name\": ");
        dfl_json_string(json, data->name);
        dfl_text_add(json, ", \"time\": ");
        add_list(json, data->time, data->count);
        dfl_text_add(json, ", \"value\": ");
        add_list(json, data->value, data->count);
        dfl_text_add(json, "}");
    }
    dfl_text_add(json, "]");
}

dfl_status dfl_optimize_page(dfl_task *task, const dfl_optimum *optimum, const dfl_text *history)
{
    const dfl_model *model = task->near.model.model;
    dfl_text data = {.ctx = task->ctx}, page = {.ctx = task->ctx};
    dfl_text_add(&data, "{\"command\": \"optimize\", \"model\": ");
    dfl_json_string(&data, model->name);
    dfl_text_add(&data, ", \"version\": \"" DFL_VERSION "\",\n\"result\": %s,\n\"history\": [%s]",
                 dfl_text_string(&task->json), dfl_text_string(history));
    add_data(&data, &model->goals);
    dfl_status status = add_motion(&data, "before", task, optimum, optimum->start, true);
    if (!status)
        status = add_motion(&data, "after", task, optimum, optimum->best, false);
    dfl_text_add(&data, "}");
    if (!status)
        status = data.status;
    if (!status)
        status = dfl_analysis_page(&page, model->name, dfl_text_string(&data));
    for (int i = 0; !status && i < task->options.noutput; i++)
        if (dfl_ends_with(task->options.output[i], ".html"))
            status = dfl_task_write(task->options.output[i], &page, &task->near.model);
    dfl_text_clear(&page);
    dfl_text_clear(&data);
    return status;
}
