/* linear_model.c: the linear equations of a script's model near a state, with the names of its
   states, inputs and outputs. */
#include "study/study_internal.h"

#include "linalg/linalg.h"

#include <stdio.h>
#include <string.h>

/* What the callback of the inputs needs. */
typedef struct input_call {
    dfl_runnable *run;
    int *inputs; /* numbers of their declarations */
    int count;
    dfl_status status; /* of the last call ... */
    char message[500]; /* ... and why it failed */
} input_call;

/* Rows that are put out, and their derivatives. */
typedef struct output_rows {
    int count;
    dfl_expr *expr;
} output_rows;

static dfl_status choose_inputs(input_call *out, dfl_linear_model *model, const char *names);
static dfl_status choose_outputs(output_rows *out, dfl_linear_model *model, dfl_runnable *run,
                                 const char *names);
static int input_slopes(dfl_input_slopes *out, double t, const double *x, const double *a,
                        void *user);
static dfl_status name_states(dfl_linear_model *model, const dfl_equations *eq);
static dfl_status linearize_outputs(dfl_linear_model *model, const output_rows *rows,
                                    const input_call *inputs, const double *x);
static dfl_status add_outputs(dfl_linear_model *model, const output_rows *rows, dfl_runnable *run,
                              const dfl_expr *symbols, int ncols, const double *change,
                              const double *x, const double *a);

dfl_status dfl_linear_model_create(dfl_linear_model *out, dfl_runnable *run,
                                   const dfl_state_found *state, const char *inputs,
                                   const char *outputs)
{
    const dfl_equations *eq = eq_of(run);
    input_call call = {.run = run};
    output_rows rows = {0};
    *out = (dfl_linear_model){.linear.ctx = ctx_of(run), .t = state->t};
    dfl_status status = choose_inputs(&call, out, inputs);
    if (!status)
        status = choose_outputs(&rows, out, run, outputs);
    if (!status)
        status = dfl_runnable_check_inputs(run, call.inputs, call.count);
    if (!status) {
        const dfl_inputs u = {call.count, input_slopes, &call};
        status =
            dfl_linearize(&out->linear, ctx_of(run), dfl_runnable_eom(run), state->t, state->x, &u);
        if (status && call.status)
            status = dfl_fail(ctx_of(run), call.status, "%s", call.message);
    }
    if (!status)
        status = dfl_study_judge(out, run, state->x);
    if (!status)
        status = name_states(out, eq);
    if (!status)
        status = linearize_outputs(out, &rows, &call, state->x);
    out->exprs = rows.expr;
    out->values = dfl_alloc(ctx_of(run), (size_t)out->no, sizeof *out->values);
    if (!status)
        status = out->values ? dfl_runnable_values(out->values, run, out->exprs, out->no, state->t,
                                                   state->x, out->linear.a)
                             : DFL_NO_MEMORY;
    dfl_free(ctx_of(run), call.inputs);
    return status;
}

void dfl_linear_model_clear(dfl_linear_model *model)
{
    dfl_context *ctx = model->linear.ctx;
    if (!ctx)
        return;
    dfl_free(ctx, model->states);
    dfl_free(ctx, model->turns);
    dfl_free(ctx, model->doubt);
    dfl_free(ctx, model->inputs);
    dfl_free(ctx, model->outputs);
    dfl_free(ctx, model->C);
    dfl_free(ctx, model->D);
    dfl_free(ctx, model->exprs);
    dfl_free(ctx, model->values);
    dfl_free(ctx, model->all.E);
    dfl_linearized_clear(&model->linear);
    *model = (dfl_linear_model){0};
}

dfl_status dfl_linear_model_add_all(dfl_linear_model *model, dfl_runnable *run,
                                    const dfl_state_found *state, const char *inputs)
{
    dfl_context *ctx = ctx_of(run);
    const size_t n = (size_t)eq_of(run)->n, nu = (size_t)model->linear.nu;
    dfl_linear_model names = {.linear.ctx = ctx};
    input_call call = {.run = run};
    model->all.E = dfl_alloc(ctx, n * (2 * n + nu), sizeof *model->all.E);
    dfl_status status = model->all.E ? choose_inputs(&call, &names, inputs) : DFL_NO_MEMORY;
    if (!status) {
        const dfl_inputs u = {call.count, input_slopes, &call};
        model->all.A = model->all.E + n * n;
        model->all.B = model->all.A + n * n;
        status = dfl_linearize_all(model->all.E, model->all.A, model->all.B, ctx,
                                   dfl_runnable_eom(run), state->t, state->x, &u);
        if (status && call.status)
            status = dfl_fail(ctx, call.status, "%s", call.message);
    }
    dfl_free(ctx, call.inputs);
    dfl_linear_model_clear(&names);
    return status;
}

dfl_linear_equations dfl_linear_model_equations(const dfl_linear_model *model)
{
    const dfl_linearized *at = &model->linear;
    return (dfl_linear_equations){at->ny, at->nu, model->no, at->A, at->B, model->C, model->D};
}

const char *dfl_point_kind_name(dfl_point_kind kind)
{
    static const char *const names[] = {"equilibrium", "steady", "frozen"};
    return names[kind];
}

static dfl_status choose_inputs(input_call *out, dfl_linear_model *model, const char *names)
{
    const dfl_model *declared = eq_of(out->run)->model;
    dfl_context *ctx = declared->ctx;
    const size_t room = (size_t)declared->declarations.count;
    dfl_name_list list = {0};
    out->inputs = dfl_alloc(ctx, room, sizeof *out->inputs);
    model->inputs = dfl_alloc(ctx, room, sizeof *model->inputs);
    dfl_status status = out->inputs && model->inputs ? DFL_OK : DFL_NO_MEMORY;
    if (!status && names && *names)
        status = dfl_name_list_split(&list, ctx, names);
    for (int i = 0; !status && !names && i < declared->declarations.count; i++)
        if (declared->declarations.item[i].kind == DFL_AN_INPUT)
            out->inputs[out->count++] = i;
    for (int i = 0; !status && i < list.count; i++) {
        const dfl_declaration *decl = dfl_model_find(declared, list.name[i]);
        if (!decl || decl->kind != DFL_AN_INPUT)
            status = dfl_fail(ctx, DFL_INVALID,
                              "--inputs: there is no input '%s'; declare it with "
                              "input(\"%s\", 0)",
                              list.name[i], list.name[i]);
        else if ((size_t)out->count < room)
            out->inputs[out->count++] = (int)(decl - declared->declarations.item);
    }
    for (int i = 0; !status && i < out->count; i++)
        model->inputs[i] = declared->declarations.item[out->inputs[i]].name;
    dfl_name_list_clear(&list, ctx);
    return status;
}

/* All outputs that are declared, or all positions, or those that are named. */
static dfl_status choose_outputs(output_rows *out, dfl_linear_model *model, dfl_runnable *run,
                                 const char *names)
{
    const dfl_equations *eq = eq_of(run);
    dfl_context *ctx = ctx_of(run);
    const dfl_declaration *decl = eq->model->declarations.item;
    dfl_name_list list = {0};
    dfl_status status = names ? dfl_name_list_split(&list, ctx, names) : DFL_OK;
    const size_t room = (size_t)(eq->model->declarations.count + eq->np + list.count);
    out->expr = dfl_alloc(ctx, room, sizeof *out->expr);
    model->outputs = dfl_alloc(ctx, room, sizeof *model->outputs);
    if (!status && (!out->expr || !model->outputs))
        status = DFL_NO_MEMORY;
    for (int i = 0; !status && i < list.count; i++, out->count++)
        status =
            dfl_study_output(&out->expr[i], &model->outputs[i], run, "--outputs", list.name[i]);
    for (int i = 0; !status && !names && i < eq->model->declarations.count; i++)
        if (decl[i].kind == DFL_AN_OUTPUT) {
            model->outputs[out->count] = decl[i].name;
            out->expr[out->count++] = decl[i].expr;
        }
    for (int i = 0; !status && !names && eq->model->count[DFL_AN_OUTPUT] == 0 && i < eq->np; i++) {
        model->outputs[out->count] = dfl_equations_p(eq)[i].name;
        out->expr[out->count++] = dfl_equations_p(eq)[i].symbol;
    }
    model->no = out->count;
    dfl_name_list_clear(&list, ctx);
    return status;
}

dfl_status dfl_study_output(dfl_expr *expr, const char **found, dfl_runnable *run,
                            const char *option, const char *name)
{
    const dfl_equations *eq = eq_of(run);
    const dfl_declaration *decl = dfl_model_find(eq->model, name);
    const int k = dfl_equations_find(eq, name);
    if (decl && decl->kind == DFL_AN_OUTPUT) {
        *expr = decl->expr;
        *found = decl->name;
        return DFL_OK;
    }
    if (k < 0)
        return dfl_study_unknown_name(run, option, name);
    *expr = eq->x[k].symbol;
    *found = eq->x[k].name;
    return DFL_OK;
}

static int input_slopes(dfl_input_slopes *out, double t, const double *x, const double *a,
                        void *user)
{
    input_call *call = user;
    call->status = dfl_runnable_input_slopes(out->dyn, out->b, out->d, call->run, call->inputs,
                                             call->count, t, x, a);
    if (call->status)
        snprintf(call->message, sizeof call->message, "%s", dfl_message(ctx_of(call->run)));
    return call->status != DFL_OK;
}

static dfl_status name_states(dfl_linear_model *model, const dfl_equations *eq)
{
    const dfl_linearized *linear = &model->linear;
    const int ny = linear->ny, turns = linear->turns ? linear->npositions : 0;
    enum { LONGEST = 220 };
    model->states = dfl_alloc(linear->ctx, (size_t)ny, sizeof *model->states);
    model->turns = dfl_alloc(linear->ctx, LONGEST * (size_t)turns, 1);
    if (!model->states || !model->turns)
        return DFL_NO_MEMORY;
    for (int i = 0; i < ny; i++) {
        char *turn = model->turns + LONGEST * (size_t)i;
        model->states[i] = eq->x[linear->state[i]].name;
        if (i < turns) {
            snprintf(turn, LONGEST, "int(%s)", model->states[i]);
            model->states[i] = turn;
        }
    }
    return DFL_OK;
}

/* [C D] = o_x X + o_a X_a + [0 o_u] */
static dfl_status linearize_outputs(dfl_linear_model *model, const output_rows *rows,
                                    const input_call *inputs, const double *x)
{
    const dfl_equations *eq = eq_of(inputs->run);
    const dfl_linearized *linear = &model->linear;
    dfl_context *ctx = linear->ctx;
    const int ny = linear->ny, nu = linear->nu, most = eq->n > nu ? eq->n : nu;
    const size_t no = (size_t)model->no;
    model->C = dfl_alloc(ctx, no * (size_t)(ny + nu), sizeof *model->C);
    model->D = dfl_alloc(ctx, no * (size_t)nu, sizeof *model->D);
    dfl_expr *symbols = dfl_exprs(eq, most);
    double *slopes = dfl_alloc(ctx, no * (size_t)nu, sizeof *slopes);
    dfl_status status = model->C && model->D && symbols && slopes ? DFL_OK : DFL_NO_MEMORY;
    for (int i = 0; !status && i < eq->n; i++)
        symbols[i] = eq->x[i].symbol;
    if (!status)
        status = add_outputs(model, rows, inputs->run, symbols, eq->n, linear->X, x, linear->a);
    if (!status)
        status = add_outputs(model, rows, inputs->run, eq->a, eq->nv, linear->X_a, x, linear->a);
    for (int i = 0; !status && i < nu; i++)
        symbols[i] = eq->model->declarations.item[inputs->inputs[i]].symbol;
    if (!status)
        status = dfl_runnable_slopes(slopes, inputs->run, rows->expr, rows->count, symbols, nu,
                                     model->t, x, linear->a);
    for (size_t i = 0; !status && i < no * (size_t)nu; i++)
        model->D[i] = model->C[no * (size_t)ny + i] + slopes[i];
    dfl_free(ctx, symbols);
    dfl_free(ctx, slopes);
    return status;
}

/* C += (d rows / d symbols) change; `change` is ncols x (ny + nu). */
static dfl_status add_outputs(dfl_linear_model *model, const output_rows *rows, dfl_runnable *run,
                              const dfl_expr *symbols, int ncols, const double *change,
                              const double *x, const double *a)
{
    dfl_context *ctx = model->linear.ctx;
    const int no = rows->count, columns = model->linear.ny + model->linear.nu;
    double *slopes = dfl_alloc(ctx, (size_t)no * (size_t)ncols, sizeof *slopes);
    dfl_status status =
        slopes ? dfl_runnable_slopes(slopes, run, rows->expr, no, symbols, ncols, model->t, x, a)
               : DFL_NO_MEMORY;
    if (!status)
        dfl_gemm(no, columns, ncols, 1, slopes, no, change, ncols, 1, model->C, no);
    dfl_free(ctx, slopes);
    return status;
}
