/* value.c: the number that an expression of parameters stands for. */
#include "declare/declare_internal.h"

#include "context/context.h"
#include "symbolic/symbolic.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double value_of_symbol(uint32_t symbol, const void *user)
{
    const dfl_model *model = user;
    return dfl_model_owner(model, model->graph->symbols[symbol].expr)->value;
}

dfl_status dfl_model_number(double *out, const dfl_model *model, dfl_expr expr)
{
    const unsigned known = 1U << DFL_SYM_PARAM | 1U << DFL_SYM_INPUT;
    const dfl_graph *graph = model->graph;
    if (dfl_node_of(graph, expr)->depends & ~known)
        return dfl_fail(model->ctx, DFL_INVALID, "the expression contains more than parameters");
    if (dfl_is_constant(graph, expr)) {
        *out = dfl_constant_value(graph, expr);
        return DFL_OK;
    }
    return dfl_model_numbers(out, model, &expr, 1);
}

dfl_status dfl_model_numbers(double *out, const dfl_model *model, const dfl_expr *exprs, int count)
{
    dfl_part part;
    dfl_status status = dfl_part_create(&part, model->graph, exprs, count);
    if (status)
        return status;
    double *value = dfl_alloc(model->ctx, part.count, sizeof *value);
    if (value)
        dfl_part_evaluate(value, &part, model->graph, value_of_symbol, model);
    for (int i = 0; value && i < count; i++)
        out[i] = value[dfl_part_place(&part, exprs[i])];
    status = value ? DFL_OK : DFL_NO_MEMORY;
    dfl_free(model->ctx, value);
    dfl_part_clear(&part);
    return status;
}

dfl_status dfl_model_value(double *out, dfl_model *model, dfl_expr expr)
{
    return dfl_model_within(out, model, expr, INFINITY, -INFINITY);
}

dfl_status dfl_model_sign(double *out, dfl_model *model, dfl_expr expr)
{
    const dfl_status status = dfl_model_number(out, model, expr);
    if (status)
        return status;
    return *out > 0   ? dfl_model_within(out, model, expr, DBL_TRUE_MIN, DBL_MAX)
           : *out < 0 ? dfl_model_within(out, model, expr, -DBL_MAX, -DBL_TRUE_MIN)
                      : dfl_model_value(out, model, expr);
}

dfl_status dfl_model_finite(double *out, dfl_model *model, dfl_expr expr)
{
    return dfl_model_within(out, model, expr, -DBL_MAX, DBL_MAX);
}

/* Outside of its bounds, nothing but the value itself will do. */
dfl_status dfl_model_within(double *out, dfl_model *model, dfl_expr expr, double low, double high)
{
    const dfl_status status = dfl_model_number(out, model, expr);
    if (status || dfl_is_constant(model->graph, expr))
        return status;
    const bool inside = *out >= low && *out <= high;
    dfl_reading *all = dfl_grow(model->ctx, model->readings.item, &model->readings.room,
                                model->readings.count, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    model->readings.item = all;
    all[model->readings.count++] = (dfl_reading){expr, inside ? low : *out, inside ? high : *out};
    return DFL_OK;
}

/* Room for a decision with `count` expressions and `size` bytes of facts. */
static dfl_status add_decision(dfl_decision **out, dfl_model *model, int count, size_t size)
{
    dfl_context *ctx = model->ctx;
    dfl_decision *all = dfl_grow(ctx, model->decisions.item, &model->decisions.room,
                                 model->decisions.count, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    model->decisions.item = all;
    *out = &all[model->decisions.count++];
    **out = (dfl_decision){.expr = dfl_alloc(ctx, (size_t)count, sizeof(dfl_expr)),
                           .count = count,
                           .facts = size > 0 ? dfl_alloc(ctx, size, 1) : NULL};
    return (*out)->expr && ((*out)->facts || size == 0) ? DFL_OK : DFL_NO_MEMORY;
}

dfl_status dfl_model_decide(int *answer, dfl_model *model, const dfl_expr *exprs, int count,
                            dfl_decider *decide, const void *facts, size_t size)
{
    double *value = dfl_alloc(model->ctx, (size_t)count, sizeof *value);
    dfl_status status = value ? DFL_OK : DFL_NO_MEMORY;
    dfl_decision *decision = NULL;
    bool constant = true;
    for (int i = 0; !status && i < count; i++) {
        status = dfl_model_number(&value[i], model, exprs[i]);
        constant = constant && dfl_is_constant(model->graph, exprs[i]);
    }
    if (!status)
        *answer = decide(value, count, facts);
    dfl_free(model->ctx, value);
    if (!status && !constant)
        status = add_decision(&decision, model, count, size);
    if (status || constant)
        return status;
    memcpy(decision->expr, exprs, (size_t)count * sizeof *exprs);
    if (size > 0)
        memcpy(decision->facts, facts, size);
    decision->decide = decide;
    decision->answer = *answer;
    return DFL_OK;
}
