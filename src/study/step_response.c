/* step_response.c: what a model does after a step or an impulse of an input, as it is: not linear.
 */
#include "study/study_internal.h"

#include <string.h>

static void prepare(double *x, const dfl_linear_model *model, const dfl_state_found *state, int u,
                    const dfl_kick *kick);
static dfl_status follow(double *out, dfl_solver *solver, dfl_runnable *run,
                         const dfl_linear_model *model, const dfl_kick *kick);

dfl_status dfl_study_kick(double *out, dfl_runnable *run, const dfl_linear_model *model,
                          const dfl_state_found *state, const dfl_settings *settings, int u,
                          const dfl_kick *kick)
{
    const dfl_equations *eq = eq_of(run);
    dfl_context *ctx = ctx_of(run);
    const dfl_declaration *input = dfl_model_find(eq->model, model->inputs[u]);
    dfl_solver_options options = settings->solver;
    dfl_solver *solver = NULL;
    double *x = dfl_alloc(ctx, (size_t)eq->n, sizeof *x);
    dfl_status status = x ? DFL_OK : DFL_NO_MEMORY;
    if (!status)
        prepare(x, model, state, u, kick);
    options.output.every = 0;
    options.rtol = 1e-10; /* small changes are compared */
    if (!status && !kick->impulse)
        status = dfl_runnable_set(run, DFL_AN_INPUT, input->index, input->value + kick->size);
    dfl_runnable_lock(&options.switches, run, NULL);
    if (!status)
        status = dfl_solver_create(&solver, ctx, dfl_runnable_eom(run), &options);
    if (!status)
        status = dfl_solver_start(solver, state->t, x, NULL);
    if (!status)
        status = follow(out, solver, run, model, kick);
    dfl_solver_free(solver);
    dfl_free(ctx, x);
    const dfl_status back = dfl_runnable_set(run, DFL_AN_INPUT, input->index, input->value);
    return status ? status : back;
}

/* An impulse changes the state as the linear equations say. */
static void prepare(double *x, const dfl_linear_model *model, const dfl_state_found *state, int u,
                    const dfl_kick *kick)
{
    const dfl_linearized *at = &model->linear;
    memcpy(x, state->x, (size_t)at->n * sizeof *x);
    for (int j = 0; kick->impulse && j < at->ny; j++)
        for (int i = 0; i < at->n; i++)
            x[i] += kick->size * at->B[(size_t)u * (size_t)at->ny + (size_t)j] *
                    at->X[(size_t)j * (size_t)at->n + (size_t)i];
}

/* Changes of the outputs since the state, in parts of the size. */
static dfl_status follow(double *out, dfl_solver *solver, dfl_runnable *run,
                         const dfl_linear_model *model, const dfl_kick *kick)
{
    const size_t no = (size_t)model->no;
    const double from = dfl_solver_time(solver);
    dfl_status status = DFL_OK;
    for (int k = 0; !status && k < kick->count; k++) {
        const double t = from + k * kick->every;
        double *row = out + (size_t)k * no;
        if (k > 0)
            status = dfl_solver_advance(solver, t);
        if (status && status != DFL_STOPPED)
            status =
                dfl_study_explain(run, status, dfl_solver_time(solver), dfl_solver_state(solver));
        if (!status)
            status =
                dfl_runnable_values(row, run, model->exprs, model->no, t, dfl_solver_state(solver),
                                    dfl_runnable_accelerations(run, t, dfl_solver_state(solver)));
        for (size_t i = 0; !status && i < no; i++)
            row[i] = (row[i] - model->values[i]) / kick->size;
    }
    return status;
}
