/* row_checks.c: energy and residuals of rows, at their own states. A row that a step ends at has
   those of the step; an interpolated one leaves the constraints by the error of the interpolation,
   which the largest residuals of a run must show. Outputs may leave their domain, as acos(u) for
   |u| > 1: no equation of motion contains them, so the run goes on, with a warning. */
#include "study/study_internal.h"

#include "declare/declare.h"

#include <math.h>

static void note(double *largest, double residual)
{
    if (residual > *largest)
        *largest = residual;
}

static void take_largest(dfl_residuals *largest, const dfl_residuals *of)
{
    note(&largest->position, of->position);
    note(&largest->velocity, of->velocity);
    note(&largest->acceleration, of->acceleration);
    note(&largest->nonholonomic, of->nonholonomic);
    note(&largest->contact, of->contact);
    note(&largest->auxiliary, of->auxiliary);
    note(&largest->invariant, of->invariant);
    note(&largest->massless, of->massless);
}

void dfl_study_check_row(dfl_simulation *sim, double t, const double *x)
{
    const bool between = t != dfl_solver_time(sim->solver);
    if (!between && !sim->records_steps)
        return;
    const dfl_residuals residuals =
        between ? dfl_solver_residuals_at(sim->solver, t, x) : dfl_solver_residuals(sim->solver);
    const double energy = dfl_runnable_energy(sim->run, t, x);
    if (between) {
        take_largest(&sim->of_rows, &residuals);
        note(&sim->energy_drift, fabs(energy - sim->energy));
    }
    if (sim->record)
        dfl_record_check(sim->record, energy, &residuals);
}

static void warn_of_output(dfl_simulation *sim, double t, const dfl_declaration *output, int others)
{
    dfl_text text = {.ctx = sim->ctx};
    dfl_text_add(&text, "%s:%d: output '%s' has no finite value at t = %.6g", sim->eq->model->path,
                 output->line, output->name, t);
    if (others > 0)
        dfl_text_add(&text, ", nor %s %d other%s", others > 1 ? "have" : "has", others,
                     others > 1 ? "s" : "");
    if (text.status)
        dfl_study_note_trouble(sim, text.status);
    else
        dfl_study_tell(DFL_LOG_WARNING, dfl_text_string(&text), sim);
    dfl_text_clear(&text);
}

/* Then they tell of it, with the instant. */
static bool has_statistics(const dfl_simulation *sim, const dfl_declaration *output)
{
    const dfl_trends *trends = sim->trends;
    bool found = false;
    for (int i = 0; trends && i < trends->count; i++)
        found = found || trends->column[i] == trends->columns.n + output->index;
    return found;
}

void dfl_study_check_outputs(dfl_simulation *sim, double t)
{
    const dfl_model *model = sim->eq->model;
    const dfl_declaration *first = NULL;
    int others = 0;
    for (int i = 0; i < model->declarations.count; i++) {
        const dfl_declaration *output = &model->declarations.item[i];
        if (output->kind != DFL_AN_OUTPUT || isfinite(sim->outputs[output->index]) ||
            sim->undefined[output->index] || has_statistics(sim, output))
            continue;
        sim->undefined[output->index] = true;
        others += first != NULL;
        first = first ? first : output;
    }
    if (first)
        warn_of_output(sim, t, first, others);
}

void dfl_study_add_rows(dfl_statistics *statistics, const dfl_simulation *sim)
{
    take_largest(&statistics->max_residual, &sim->of_rows);
}
