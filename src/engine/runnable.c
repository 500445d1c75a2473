/* runnable.c: a model that can be evaluated: its life, its parameters, and what is evaluated at a
   state in addition to the blocks of dfl_eom. */
#include "engine/engine_internal.h"

#include <math.h>
#include <string.h>

static dfl_status create_events(dfl_runnable *run);
static void take_values(dfl_runnable *run);

static dfl_status create(dfl_runnable **out, const dfl_equations *eq, bool packed);

dfl_status dfl_runnable_create(dfl_runnable **out, const dfl_equations *eq)
{
    return create(out, eq, false);
}

dfl_status dfl_runnable_create_packed(dfl_runnable **out, const dfl_equations *eq)
{
    return create(out, eq, true);
}

static dfl_status create(dfl_runnable **out, const dfl_equations *eq, bool packed)
{
    dfl_context *ctx = eq->model->ctx;
    const dfl_model *model = eq->model;
    *out = NULL;
    dfl_runnable *run = dfl_alloc(ctx, 1, sizeof *run);
    if (!run)
        return DFL_NO_MEMORY;
    dfl_graph_retry(eq->graph);
    run->eq = eq;
    run->ctx = ctx;
    run->packed = packed;
    run->full = eq->flags.trivial_kinematics ? DFL_EVERYTHING & ~(unsigned)DFL_KINEMATICS
                                             : (unsigned)DFL_EVERYTHING;
    const size_t rows = (size_t)(eq->nl + eq->nm + eq->ns + eq->n0 + eq->ne + eq->nep);
    run->param = dfl_alloc(ctx, (size_t)model->count[DFL_A_PARAM], sizeof(double));
    run->input = dfl_alloc(ctx, (size_t)model->count[DFL_AN_INPUT], sizeof(double));
    run->level = dfl_alloc(ctx, (size_t)model->count[DFL_AN_INVARIANT], sizeof(double));
    run->scratch = dfl_alloc(ctx, rows, sizeof(double));
    dfl_status status = DFL_NO_MEMORY;
    if (run->param && run->input && run->level && run->scratch)
        status = dfl_actions_create(run);
    if (!status)
        status = dfl_foreign_create(run);
    if (!status)
        status = dfl_switches_create(run);
    if (!status && packed)
        status = dfl_packing_create(run);
    if (!status)
        status = dfl_runnable_create_programs(run);
    if (!status)
        status = dfl_switches_prepare(run);
    if (!status)
        status = dfl_actions_prepare(run);
    if (!status)
        status = dfl_run_contacts_create(run);
    if (!status)
        status = dfl_run_branching_create(run);
    if (!status)
        status = create_events(run);
    if (!status)
        status = dfl_pulses_create(run);
    if (status) {
        dfl_runnable_free(run);
        return status;
    }
    take_values(run);
    dfl_runnable_prepare(run);
    dfl_branching_mask(&run->branching);
    dfl_runnable_describe(run);
    status = eq->model->tree ? dfl_tree_engine_create(&run->tree, run) : DFL_OK;
    if (!status)
        status = dfl_kinds_create(&run->kinds, eq);
    run->eom.sizes = &run->kinds.sizes;
    if (!status)
        status = dfl_runnable_prepare_motion(run);
    if (status) {
        dfl_runnable_free(run);
        return status;
    }
    *out = run;
    return DFL_OK;
}

static dfl_status create_events(dfl_runnable *run)
{
    const dfl_model *model = run->eq->model;
    const int count = model->count[DFL_AN_EVENT];
    dfl_expr *rows = dfl_alloc(run->ctx, (size_t)count, sizeof *rows);
    if (!rows)
        return DFL_NO_MEMORY;
    for (int i = 0; i < model->declarations.count; i++) {
        const dfl_declaration *decl = &model->declarations.item[i];
        if (decl->kind == DFL_AN_EVENT)
            rows[decl->index] = decl->expr;
    }
    const dfl_status status = dfl_functions_create(&run->events, run, rows, count);
    dfl_free(run->ctx, rows);
    return status;
}

/* Parameters and inputs as the model has them. */
static void take_values(dfl_runnable *run)
{
    const dfl_model *model = run->eq->model;
    for (int i = 0; i < model->declarations.count; i++) {
        const dfl_declaration *decl = &model->declarations.item[i];
        if (decl->kind == DFL_A_PARAM)
            run->param[decl->index] = decl->value;
        else if (decl->kind == DFL_AN_INPUT)
            run->input[decl->index] = decl->value;
    }
}

void dfl_runnable_free(dfl_runnable *run)
{
    if (!run)
        return;
    dfl_runnable_free_programs(run);
    dfl_switches_clear(run);
    dfl_functions_clear(&run->pulses, run->ctx);
    dfl_foreign_clear(run);
    dfl_actions_clear(run);
    dfl_run_contacts_clear(run);
    dfl_run_branching_clear(run);
    dfl_functions_clear(&run->events, run->ctx);
    dfl_free(run->ctx, run->packing);
    dfl_free(run->ctx, run->uncounted);
    dfl_free(run->ctx, run->following);
    dfl_free(run->ctx, run->bodies);
    dfl_free(run->ctx, run->param);
    dfl_free(run->ctx, run->input);
    dfl_free(run->ctx, run->level);
    dfl_free(run->ctx, run->scratch);
    dfl_free(run->ctx, run->known_x);
    dfl_kinds_clear(&run->kinds);
    dfl_tree_engine_free(run->tree);
    dfl_runnable_free_motion(run);
    dfl_free(run->ctx, run->independent);
    dfl_free(run->ctx, run->redundant);
    dfl_free(run->ctx, run->combinations);
    dfl_run_parameters_clear(run);
    dfl_free(run->ctx, run);
}

const dfl_eom *dfl_runnable_eom(const dfl_runnable *run)
{
    return &run->eom;
}

const dfl_equations *dfl_runnable_equations(const dfl_runnable *run)
{
    return run->eq;
}

dfl_context *dfl_runnable_context(const dfl_runnable *run)
{
    return run->ctx;
}

dfl_status dfl_runnable_set(dfl_runnable *run, dfl_declared kind, int index, double value)
{
    double *place = &(kind == DFL_A_PARAM ? run->param : run->input)[index];
    const double before = *place;
    *place = value;
    const dfl_status status = run->tree ? dfl_tree_engine_update(run->tree) : DFL_OK;
    if (status)
        *place = before;
    dfl_runnable_prepare(run);
    return status;
}

void dfl_runnable_outputs(double *out, dfl_runnable *run, double t, const double *x)
{
    dfl_runnable_evaluate(&run->outputs, run, t, x, dfl_runnable_accelerations(run, t, x), &out);
}

void dfl_runnable_doubts(double *excess, dfl_runnable *run, double t, const double *x,
                         const double *a)
{
    if (run->eq->model->doubts.count > 0)
        dfl_runnable_evaluate(&run->doubts, run, t, x, a, &excess);
}

void dfl_runnable_events(double *value, dfl_runnable *run, double t, const double *x)
{
    dfl_runnable_evaluate(&run->events.values, run, t, x, NULL, &value);
}

void dfl_runnable_event_bounds(dfl_bounds *value, const dfl_runnable *run, const dfl_bounds *t,
                               const dfl_bounds *x)
{
    dfl_functions_bounds(value, &run->events, t, x);
}

void dfl_runnable_event_noise(double *noise, const dfl_runnable *run, double t, const double *x,
                              const double *tolerance)
{
    dfl_functions_noise(noise, &run->events, run, t, x, tolerance);
}

void dfl_runnable_scene(double *out, dfl_runnable *run, double t, const double *x)
{
    dfl_runnable_evaluate(&run->scene, run, t, x, NULL, &out);
}

double dfl_runnable_energy(dfl_runnable *run, double t, const double *x)
{
    double energy = NAN, *out = &energy;
    if (run->eq->energy != DFL_NO_EXPR)
        dfl_runnable_evaluate(&run->energy, run, t, x, NULL, &out);
    return energy;
}

/* The invariants' values are their rows plus the present levels. */
void dfl_runnable_set_levels(dfl_runnable *run, double t, const double *x)
{
    const dfl_equations *eq = run->eq;
    const double *const in[DFL_IN_ARRAYS] = {&t,
                                             x,
                                             NULL,
                                             run->param,
                                             run->input,
                                             run->level,
                                             run->branching.branch,
                                             run->branching.discrete};
    if (eq->ne + eq->nep == 0)
        return;
    memset(run->level, 0, (size_t)(eq->ne + eq->nep) * sizeof *run->level);
    dfl_runnable_prepare(run);
    double *out[OUT_BLOCKS] = {[OUT_E] = run->scratch, [OUT_EP] = run->scratch + eq->ne};
    double *const rest = run->scratch + eq->ne + eq->nep;
    out[OUT_C] = rest;
    out[OUT_G] = rest;
    out[OUT_GI] = rest;
    out[OUT_HV] = rest;
    out[OUT_GAM] = rest;
    const program *const blocks[] = {&run->single[4], &run->single[5]}; /* POSITION, VELOCITY */
    for (int i = 0; i < 2; i++)
        dfl_tape_eval(blocks[i]->tape, blocks[i]->work, in, out);
    for (int i = 0; i < eq->ne; i++)
        run->level[eq->model->declarations.item[eq->declared.e[i]].index] = run->scratch[i];
    for (int i = 0; i < eq->nep; i++)
        run->level[eq->model->declarations.item[eq->declared.ep[i]].index] =
            run->scratch[eq->ne + i];
    dfl_runnable_prepare(run);
}

dfl_status dfl_runnable_values(double *out, dfl_runnable *run, const dfl_expr *exprs, int count,
                               double t, const double *x, const double *a)
{
    const dfl_numbers numbers = dfl_runnable_numbers(run, t, x, a);
    return dfl_numbers_values(out, &numbers, run->eq, exprs, count);
}

dfl_numbers dfl_runnable_numbers(const dfl_runnable *run, double t, const double *x,
                                 const double *a)
{
    return (dfl_numbers){.t = t,
                         .x = x,
                         .a = a,
                         .param = run->param,
                         .input = run->input,
                         .level = run->level,
                         .discrete = run->branching.discrete,
                         .branch = run->branching.branch};
}
