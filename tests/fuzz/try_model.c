/* try_model.c: a script through everything that the program does with one. */
#include "try_model.h"

#include "bytes.h"
#include "export/export.h"
#include "script/script.h"
#include "study/study.h"

enum { MOST_CALLS = 200, MOST_UNKNOWNS = 60 };

typedef struct trial {
    dfl_context *ctx;
    dfl_model *model;
    dfl_equations *eq;
    dfl_runnable *run;
    dfl_settings settings;
} trial;

static dfl_status prepare(trial *it, const char *script, size_t length);
static dfl_status diagnose(trial *it);
static dfl_status export_all(trial *it);
static dfl_status simulate(trial *it, bool tame);
static void judge(const dfl_simulation *sim, int n, bool tame);
static bool watch(double t, double step, void *user);

void try_model(const char *script, size_t length, bool tame)
{
    trial it = {.ctx = dfl_context_create()};
    ALWAYS(it.ctx);
    dfl_status status = prepare(&it, script, length);
    if (!status && it.eq->n <= MOST_UNKNOWNS) {
        status = diagnose(&it);
        if (!status)
            status = simulate(&it, tame);
        if (!status)
            status = export_all(&it);
    }
    ALWAYS(!status || dfl_message(it.ctx)[0]);
    dfl_runnable_free(it.run);
    dfl_equations_free(it.eq);
    dfl_model_free(it.model);
    ALWAYS(dfl_context_live(it.ctx) == 0);
    dfl_context_free(it.ctx);
}

static dfl_status prepare(trial *it, const char *script, size_t length)
{
    const dfl_script_options options = {.max_memory = (size_t)32 << 20,
                                        .max_instructions = 300000,
                                        .max_seconds = 5,
                                        .max_nodes = 15000};
    dfl_choices choices = dfl_choices_none("--");
    dfl_status status =
        dfl_script_load_text(&it->model, it->ctx, "fuzz.lua", script, length, &options);
    if (!status)
        status = dfl_equations_create(&it->eq, it->model, true);
    if (!status)
        status = dfl_runnable_create(&it->run, it->eq);
    if (!status)
        status = dfl_choose_number(&choices, it->ctx, dfl_setting_find("max_steps"), 50);
    choices.text[dfl_setting_find("evaluation")] = "tape"; /* no compiler */
    return status ? status : dfl_settings_resolve(&it->settings, &choices, it->run);
}

static dfl_status diagnose(trial *it)
{
    dfl_diagnosis diagnosis = {0};
    const dfl_status status =
        dfl_diagnose(&diagnosis, it->run, &it->settings.solver, it->settings.from);
    ALWAYS(status || !diagnosis.start || diagnosis.start_message[0]);
    dfl_diagnosis_clear(&diagnosis);
    return status;
}

static dfl_status export_all(trial *it)
{
    dfl_text text = {.ctx = it->ctx};
    dfl_start_state start = {0};
    dfl_status status = dfl_export_equations(&text, it->eq, DFL_TEXT);
    if (!status)
        status = dfl_start_state_find(&start, it->eq, NULL);
    if (!status)
        status = dfl_export_c(&text, it->eq,
                              &(dfl_export_start){.time = start.time,
                                                  .x = start.x,
                                                  .levels = start.levels,
                                                  .problem = start.problem});
    dfl_start_state_clear(&start, it->ctx);
    dfl_text_clear(&text);
    return status;
}

static dfl_status simulate(trial *it, bool tame)
{
    dfl_summary summary = {0};
    int calls = 0;
    dfl_record *record = NULL;
    dfl_status status = dfl_record_create(&record, it->eq, NULL, 0);
    if (status)
        return status;
    if (!isfinite(it->settings.to) || it->settings.to == it->settings.from)
        it->settings.to = it->settings.from + 0.01;
    dfl_simulation sim = {.ctx = it->ctx,
                          .run = it->run,
                          .eq = it->eq,
                          .settings = &it->settings,
                          .record = record,
                          .watch = watch,
                          .user = &calls};
    status = dfl_simulate(&summary, &sim);
    ALWAYS(!status || summary.message[0]);
    if (!status)
        judge(&sim, it->eq->n, tame && it->settings.solver.form == DFL_PSF);
    dfl_simulation_clear(&sim);
    dfl_record_free(record);
    return status;
}

static void judge(const dfl_simulation *sim, int n, bool tame)
{
    const double *x = dfl_solver_state(sim->solver);
    const dfl_residuals most = dfl_solver_statistics(sim->solver).max_residual;
    double size = 1;
    for (int i = 0; i < n; i++) {
        ALWAYS(isfinite(x[i]));
        size = fmax(size, fabs(x[i]));
    }
    if (tame) {
        ALWAYS(most.position <= 1e-5 * size);
        ALWAYS(most.velocity <= 1e-3 * size);
        ALWAYS(most.nonholonomic <= 1e-3 * size);
    }
}

static bool watch(double t, double step, void *user)
{
    (void)t;
    (void)step;
    return ++*(int *)user > MOST_CALLS;
}
