/* near_model.c: analyses of a script near a state. */
#include "model/run_internal.h"

struct dfl_near {
    dfl_context *ctx;
    dfl_derived derived;
    dfl_settings settings;
    dfl_state_found state;
    dfl_linear_model linear;
    dfl_columns columns;
    double *values;
    const char **positions;
    dfl_near_report report;
};

static dfl_status find(dfl_near *near, const dfl_model *model, const dfl_near_options *options,
                       bool search);
static dfl_status derive(dfl_near *near, const dfl_model *model, const dfl_near_options *options);
static dfl_status read_values(dfl_near *near);

static dfl_status create(dfl_near **out, dfl_context *ctx, const dfl_model *model,
                         const dfl_near_options *options, bool search)
{
    static const dfl_near_options none = {0};
    if (out)
        *out = NULL;
    dfl_status status = dfl_check_call(out, ctx, model);
    if (status)
        return status;
    dfl_near *near = dfl_alloc(ctx, 1, sizeof *near);
    if (!near)
        return DFL_NO_MEMORY;
    near->ctx = ctx;
    status = find(near, model, options ? options : &none, search);
    if (status) {
        dfl_name_fields(ctx, status);
        dfl_near_free(near);
    } else
        *out = near;
    return status;
}

dfl_status dfl_model_linearize(dfl_near **out, dfl_context *ctx, const dfl_model *model,
                               const dfl_near_options *options)
{
    return create(out, ctx, model, options, false);
}

dfl_status dfl_model_equilibrium(dfl_near **out, dfl_context *ctx, const dfl_model *model,
                                 const dfl_near_options *options)
{
    return create(out, ctx, model, options, true);
}

void dfl_near_free(dfl_near *near)
{
    if (!near)
        return;
    dfl_context *ctx = near->ctx;
    dfl_linear_model_clear(&near->linear);
    dfl_columns_clear(&near->columns, ctx);
    dfl_free(ctx, near->state.x);
    dfl_free(ctx, near->values);
    dfl_free(ctx, near->positions);
    dfl_derived_clear(&near->derived);
    dfl_free(ctx, near);
}

const dfl_near_report *dfl_near_about(const dfl_near *near)
{
    return near ? &near->report : NULL;
}

dfl_status dfl_near_modes(dfl_modes *out, dfl_near *near)
{
    if (!near)
        return DFL_INVALID; /* there is no place for a message */
    dfl_status status =
        dfl_modes_find(out, near->ctx, near->linear.linear.ny, near->linear.linear.A);
    if (!status)
        status = dfl_study_judge_zeros(&near->linear, near->derived.runnable, near->state.x, out);
    const dfl_linearized *linear = &near->linear.linear;
    if (!status && linear->kind == DFL_AT_STEADY_MOTION)
        out->indifferent -= linear->cyclic < out->indifferent ? linear->cyclic : out->indifferent;
    near->report.why = near->linear.linear.why;
    near->report.changing = near->linear.linear.changing;
    return status;
}

void dfl_near_shape(double *re, double *im, const dfl_near *near, const dfl_modes *modes,
                    int number)
{
    if (near && modes)
        dfl_mode_shape(re, im, &near->linear.linear, near->derived.eq->np, modes, number);
}

dfl_status dfl_near_lqr(double *K, dfl_modes *poles, int *unreached, int *unshown, dfl_near *near,
                        const char *state_weight, const char *input_weight)
{
    dfl_feedback found;
    if (!near)
        return DFL_INVALID;
    const dfl_status status = dfl_study_feedback(&found, &near->linear, near->derived.runnable,
                                                 state_weight, input_weight);
    *poles = (dfl_modes){0};
    if (!status) {
        for (int i = 0; i < near->linear.linear.nu * near->linear.linear.ny; i++)
            K[i] = found.K[i];
        *poles = found.poles;
        found.poles = (dfl_modes){0};
        if (unreached)
            *unreached = found.unreached;
        if (unshown)
            *unshown = found.unshown;
    }
    dfl_feedback_clear(&found);
    return status;
}

static dfl_status find(dfl_near *near, const dfl_model *model, const dfl_near_options *options,
                       bool search)
{
    const dfl_state_choice choice = {
        .at = options->at, .steady = search ? NULL : options->steady, .near = search};
    dfl_status status = derive(near, model, options);
    if (!status)
        status = dfl_study_state(&near->state, near->derived.runnable, &near->settings, &choice);
    if (!status && search)
        status = dfl_study_equilibrium(&near->state.equilibrium, near->state.x,
                                       near->derived.runnable, near->state.t, options->steady);
    if (!status)
        status = dfl_linear_model_create(&near->linear, near->derived.runnable, &near->state,
                                         options->inputs, options->outputs);
    if (!status)
        status = read_values(near);
    if (status)
        return status;
    const dfl_linear_model *linear = &near->linear;
    near->report = (dfl_near_report){.t = near->state.t,
                                     .kind = linear->linear.kind,
                                     .equilibrium = near->state.equilibrium,
                                     .equations = dfl_linear_model_equations(linear),
                                     .states = linear->states,
                                     .inputs = linear->inputs,
                                     .outputs = linear->outputs,
                                     .nvalues = near->columns.n + near->columns.m,
                                     .names = (const char *const *)near->columns.names,
                                     .values = near->values,
                                     .npositions = near->derived.eq->np,
                                     .positions = near->positions,
                                     .why = linear->linear.why,
                                     .changing = linear->linear.changing};
    return DFL_OK;
}

/* Analyses need dense matrices. */
static dfl_status derive(dfl_near *near, const dfl_model *model, const dfl_near_options *options)
{
    const dfl_derivation how = {.purpose = DFL_TO_LINEARIZE,
                                .nsettings = options->nsettings,
                                .settings = options->settings};
    const dfl_status status = dfl_derived_create(&near->derived, near->ctx, model, &how);
    return status ? status
                  : dfl_settings_resolve(&near->settings, &near->derived.choices,
                                         near->derived.runnable);
}

/* All columns of results, and the names of the positions. */
static dfl_status read_values(dfl_near *near)
{
    const dfl_status status = dfl_columns_create(&near->columns, near->derived.eq);
    if (status)
        return status;
    const int n = near->columns.n, m = near->columns.m;
    near->values = dfl_alloc(near->ctx, (size_t)(n + m), sizeof *near->values);
    near->positions = dfl_alloc(near->ctx, (size_t)near->derived.eq->np, sizeof *near->positions);
    if (!near->values || !near->positions)
        return DFL_NO_MEMORY;
    for (int i = 0; i < n; i++)
        near->values[i] = near->state.x[near->columns.place[i]];
    for (int i = 0; i < near->derived.eq->np; i++)
        near->positions[i] = dfl_equations_p(near->derived.eq)[i].name;
    dfl_runnable_outputs(near->values + n, near->derived.runnable, near->state.t, near->state.x);
    return DFL_OK;
}
