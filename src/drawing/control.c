/* control.c: motors, controllers and lags: forces with a memory, as dynamic variables. */
#include "drawing/elements.h"

#include "context/context.h"
#include "drawing/drawing_internal.h"

static dfl_status variable(dfl_expr *out, dfl_model *model, int line, const char *name,
                           const char *part);

/* Smooth, and nearly u itself within two thirds of the limit: an integrator that is held back by
   the difference stays at rest there. */
dfl_expr dfl_saturate(dfl_graph *g, dfl_expr u, dfl_expr limit)
{
    if (limit == DFL_NO_EXPR)
        return u;
    dfl_expr power = dfl_div(g, u, limit), root;
    for (int i = 0; i < 3; i++)
        power = dfl_mul(g, power, power);
    root = dfl_add(g, dfl_constant(g, 1.0), power);
    for (int i = 0; i < 3; i++)
        root = dfl_unary(g, DFL_OP_SQRT, root);
    return dfl_div(g, u, root);
}

dfl_status dfl_motor_add(dfl_expr *current, dfl_expr *force, dfl_drawing *drawing,
                         const dfl_stroke *stroke, const dfl_motor *motor)
{
    dfl_graph *g = drawing->graph;
    const dfl_expr k = dfl_mul(g, motor->gear, motor->constant);
    const dfl_expr u = dfl_saturate(g, motor->voltage, motor->limit);
    const dfl_expr rest = dfl_sub(g, u, dfl_mul(g, k, stroke->xd)); /* u - back EMF */
    dfl_status status = DFL_OK;
    if (motor->inductance == 0) {
        *current = dfl_div(g, rest, motor->resistance);
    } else {
        status = variable(current, drawing->model, motor->line, motor->name, "i");
        const dfl_expr over =
            dfl_sub(g, rest, dfl_mul(g, motor->resistance, status ? 0 : *current));
        if (!status)
            status = dfl_model_unit(drawing->model, dfl_model_owner(drawing->model, *current), "A");
        if (!status)
            status =
                dfl_model_equation(drawing->model, *current, dfl_div(g, over, motor->inductance));
    }
    if (status)
        return status;
    *force = dfl_mul(g, k, *current);
    return dfl_stroke_push(drawing, stroke, *force, false);
}

dfl_status dfl_pid_add(dfl_expr *out, dfl_model *model, const dfl_pid *pid)
{
    dfl_graph *g = model->graph;
    dfl_expr raw = dfl_mul(g, pid->p, pid->error), sum = 0, slow = 0;
    dfl_status status = DFL_OK;
    if (pid->i != 0) {
        status = variable(&sum, model, pid->line, pid->name, "i");
        raw = dfl_add(g, raw, dfl_mul(g, pid->i, sum));
    }
    if (!status && pid->d != 0) {
        status = variable(&slow, model, pid->line, pid->name, "d");
        const dfl_expr rate = dfl_div(g, dfl_sub(g, pid->error, slow), pid->filter);
        raw = dfl_add(g, raw, dfl_mul(g, pid->d, rate));
        if (!status)
            status = dfl_model_equation(model, slow, rate);
    }
    *out = dfl_saturate(g, raw, pid->limit);
    if (!status && pid->i != 0) {
        dfl_expr rate = pid->error;
        if (pid->windup != DFL_NO_EXPR)
            rate = dfl_add(g, rate,
                           dfl_div(g, dfl_sub(g, *out, raw), dfl_mul(g, pid->i, pid->windup)));
        status = dfl_model_equation(model, sum, rate);
    }
    return status ? status : dfl_graph_status(g);
}

/* A discrete variable NAME.PART that begins as 0. */
static dfl_status discrete(dfl_expr *out, dfl_model *model, const dfl_pid *pid, const char *part)
{
    dfl_text text = {.ctx = model->ctx};
    dfl_text_add(&text, "%s.%s", pid->name, part);
    const dfl_status status =
        text.status ? text.status
                    : dfl_model_discrete(out, model, pid->line, dfl_text_string(&text), 0);
    dfl_text_clear(&text);
    return status;
}

static dfl_status sample_of(int *out, dfl_model *model, const dfl_pid *pid)
{
    dfl_text text = {.ctx = model->ctx};
    dfl_text_add(&text, "%s.sample", pid->name);
    const dfl_status status = text.status
                                  ? text.status
                                  : dfl_model_sample(out, model, pid->line, dfl_text_string(&text),
                                                     pid->period, pid->phase);
    dfl_text_clear(&text);
    return status;
}

dfl_status dfl_pid_sample(dfl_expr *out, dfl_model *model, const dfl_pid *pid)
{
    dfl_graph *g = model->graph;
    const dfl_expr T = dfl_constant(g, pid->period), e = pid->error;
    dfl_expr raw = dfl_mul(g, pid->p, e), sum = 0, slow = 0, next_sum = 0, next_slow = 0;
    int action = 0;
    dfl_status status = sample_of(&action, model, pid);
    if (!status)
        status = discrete(out, model, pid, "u");
    if (!status && pid->i != 0) {
        status = discrete(&sum, model, pid, "i");
        next_sum = dfl_add(g, sum, dfl_mul(g, T, e));
        raw = dfl_add(g, raw, dfl_mul(g, pid->i, next_sum));
    }
    if (!status && pid->d != 0) {
        status = discrete(&slow, model, pid, "d");
        const dfl_expr part = dfl_div(g, T, pid->filter);
        next_slow = dfl_div(g, dfl_add(g, slow, dfl_mul(g, part, e)),
                            dfl_add(g, dfl_constant(g, 1.0), part));
        raw =
            dfl_add(g, raw, dfl_mul(g, pid->d, dfl_div(g, dfl_sub(g, e, next_slow), pid->filter)));
    }
    dfl_expr u = raw;
    if (pid->limit != DFL_NO_EXPR)
        u = dfl_binary(g, DFL_OP_MAX, dfl_neg(g, pid->limit),
                       dfl_binary(g, DFL_OP_MIN, raw, pid->limit));
    if (pid->windup != DFL_NO_EXPR && pid->i != 0)
        next_sum =
            dfl_add(g, next_sum,
                    dfl_div(g, dfl_mul(g, T, dfl_sub(g, u, raw)), dfl_mul(g, pid->i, pid->windup)));
    if (!status)
        status = dfl_model_assign(model, action, *out, u);
    if (!status && pid->i != 0)
        status = dfl_model_assign(model, action, sum, next_sum);
    if (!status && pid->d != 0)
        status = dfl_model_assign(model, action, slow, next_slow);
    return status ? status : dfl_graph_status(g);
}

dfl_status dfl_lag(dfl_expr *out, dfl_model *model, int line, const char *name, dfl_expr u,
                   dfl_expr T)
{
    dfl_graph *g = model->graph;
    const dfl_status status = dfl_model_variable(out, model, line, DFL_A_DYNAMIC, name);
    return status ? status : dfl_model_equation(model, *out, dfl_div(g, dfl_sub(g, u, *out), T));
}

/* The dynamic variable NAME.PART. */
static dfl_status variable(dfl_expr *out, dfl_model *model, int line, const char *name,
                           const char *part)
{
    dfl_text text = {.ctx = model->ctx};
    dfl_text_add(&text, "%s.%s", name, part);
    const dfl_status status =
        text.status ? text.status
                    : dfl_model_variable(out, model, line, DFL_A_DYNAMIC, dfl_text_string(&text));
    dfl_text_clear(&text);
    return status;
}
