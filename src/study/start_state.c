/* start_state.c: the state at which a run of the script would start, for exports. */
#include "study/study.h"

#include <math.h>

static dfl_status complete(dfl_start_state *out, dfl_runnable *run, double redundant);
static dfl_status find_levels(dfl_start_state *out, dfl_runnable *run);

/* What the caller says, or the script; NAN: neither does. */
static double said(const dfl_choices *choices, const dfl_model *model, const char *name)
{
    const double wanted = choices ? dfl_choices_number(choices, name) : NAN;
    return isnan(wanted) ? dfl_choices_number(&model->run, name) : wanted;
}

dfl_status dfl_start_state_find(dfl_start_state *out, const dfl_equations *eq,
                                const dfl_choices *choices)
{
    const dfl_model *model = eq->model;
    dfl_context *ctx = model->ctx;
    dfl_runnable *run = NULL;
    const double from = said(choices, model, "from");
    *out = (dfl_start_state){.time = isnan(from) ? 0.0 : from, .rank = eq->nl + eq->nm};
    out->x = dfl_alloc(ctx, (size_t)eq->n, sizeof *out->x);
    out->levels = dfl_alloc(ctx, (size_t)model->count[DFL_AN_INVARIANT], sizeof *out->levels);
    dfl_status status = out->x && out->levels ? dfl_runnable_create(&run, eq) : DFL_NO_MEMORY;
    if (!status) {
        status = complete(out, run, said(choices, model, "redundant"));
        if (!status)
            status = find_levels(out, run);
        else if (status != DFL_NO_MEMORY) {
            out->problem = dfl_copy_string(ctx, dfl_message(ctx));
            status = out->problem ? DFL_OK : DFL_NO_MEMORY;
        }
    }
    dfl_runnable_free(run);
    return status;
}

void dfl_start_state_clear(dfl_start_state *state, dfl_context *ctx)
{
    dfl_free(ctx, state->x);
    dfl_free(ctx, state->levels);
    dfl_free(ctx, state->problem);
    *state = (dfl_start_state){0};
}

/* The values of the script, moved onto the constraints as a run would start. */
static dfl_status complete(dfl_start_state *out, dfl_runnable *run, double redundant)
{
    const dfl_equations *eq = dfl_runnable_equations(run);
    dfl_context *ctx = eq->model->ctx;
    dfl_solver_options options = {
        .rtol = 1e-10, .atol = 1e-12, .constraints.redundant = isnan(redundant) ? 0 : redundant};
    dfl_solver *solver = NULL;
    bool *held = dfl_alloc(ctx, (size_t)eq->n, sizeof *held);
    if (!held)
        return DFL_NO_MEMORY;
    dfl_study_given(out->x, held, run);
    dfl_status status =
        isnan(redundant) ? dfl_runnable_tolerances(&options.constraints, run) : DFL_OK;
    if (!status)
        out->misfit = dfl_runnable_misfit(run, &options.constraints);
    if (!status)
        status = dfl_solver_create(&solver, ctx, dfl_runnable_eom(run), &options);
    if (!status)
        status = dfl_study_start(out->x, NULL, run, solver, &options, out->time);
    if (!status && !dfl_runnable_masked(run))
        out->rank = dfl_solver_statistics(solver).rank_velocity;
    dfl_solver_free(solver);
    dfl_free(ctx, held);
    return status;
}

static dfl_status find_levels(dfl_start_state *out, dfl_runnable *run)
{
    const dfl_model *model = dfl_runnable_equations(run)->model;
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < model->declarations.count; i++) {
        const dfl_declaration *decl = &model->declarations.item[i];
        if (decl->kind == DFL_AN_INVARIANT)
            status = dfl_runnable_values(&out->levels[decl->index], run, &decl->expr, 1, out->time,
                                         out->x, NULL);
    }
    return status;
}
