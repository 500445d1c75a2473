/* declare.c: the declarations of a model. Each checks what it is given and stores it; nothing is
   derived.

   Symbols get their numbers in order of declaration, so that equal scripts give equal graphs. */
#include "declare/declare_internal.h"

#include "context/context.h"

#include <math.h>
#include <string.h>

enum {
    LONGEST_UNIT = 40,
    MOST = 1 << 20 /* declarations, masses or forces */
};

static dfl_status with_multiplier(dfl_model *model, int number, dfl_symbol_kind kind,
                                  const char *prefix);
static dfl_status attach_symbol(dfl_expr *out, dfl_model *model, int number, dfl_symbol_kind kind,
                                int index, const char *prefix);
static dfl_status with_value(dfl_expr *out, dfl_model *model, int line, dfl_declared kind,
                             const char *name, double value);
static dfl_status with_equation(int *out, dfl_model *model, int line, dfl_declared kind,
                                dfl_role role, const char *name, dfl_expr expr);

dfl_status dfl_model_param(dfl_expr *out, dfl_model *model, int line, const char *name,
                           double value, const char *unit)
{
    const dfl_status status = with_value(out, model, line, DFL_A_PARAM, name, value);
    if (status || !unit)
        return status;
    return dfl_model_unit(model, &model->declarations.item[model->declarations.count - 1], unit);
}

dfl_status dfl_model_unit(dfl_model *model, dfl_declaration *decl, const char *unit)
{
    if (strlen(unit) > LONGEST_UNIT)
        return dfl_fail(model->ctx, DFL_INVALID, "the unit of '%s' is longer than %d characters",
                        decl->name, LONGEST_UNIT);
    char *copy = dfl_copy_string(model->ctx, unit);
    if (!copy)
        return DFL_NO_MEMORY;
    dfl_free(model->ctx, decl->unit);
    decl->unit = copy;
    return DFL_OK;
}

dfl_status dfl_model_input(dfl_expr *out, dfl_model *model, int line, const char *name,
                           double value)
{
    return with_value(out, model, line, DFL_AN_INPUT, name, value);
}

dfl_status dfl_model_setting(dfl_model *model, int line, const char *name, double value)
{
    dfl_expr none;
    return with_value(&none, model, line, DFL_A_SETTING, name, value);
}

dfl_status dfl_model_position(dfl_expr *out, dfl_model *model, int line, const char *name)
{
    int number;
    const int v = model->count[DFL_A_POSITION] + model->count[DFL_A_SPEED];
    dfl_status status = dfl_model_declare(&number, model, line, DFL_A_POSITION, name);
    if (!status)
        status = dfl_model_own_symbol(out, model, number, DFL_SYM_P,
                                      model->declarations.item[number].index);
    return status ? status
                  : attach_symbol(&model->declarations.item[number].velocity, model, number,
                                  DFL_SYM_V, v, "der");
}

dfl_status dfl_model_speed(dfl_expr *out, dfl_model *model, int line, const char *name)
{
    int number;
    const int v = model->count[DFL_A_POSITION] + model->count[DFL_A_SPEED];
    const dfl_status status = dfl_model_declare(&number, model, line, DFL_A_SPEED, name);
    return status ? status : dfl_model_own_symbol(out, model, number, DFL_SYM_V, v);
}

dfl_status dfl_model_velocity(dfl_expr *out, dfl_model *model, dfl_expr position)
{
    dfl_declaration *d = dfl_model_owner(model, position);
    if (!d || d->kind != DFL_A_POSITION || d->symbol != position)
        return dfl_fail(
            model->ctx, DFL_INVALID,
            "velocity: the argument is not a position; give what position(...) returned");
    if (d->expr == DFL_NO_EXPR)
        d->velocity_used = true;
    *out = d->expr == DFL_NO_EXPR ? d->velocity : d->expr;
    return DFL_OK;
}

/* Its symbol has the index of the velocity's, as in equations.c. */
dfl_status dfl_model_acceleration(dfl_expr *out, dfl_model *model, dfl_expr u)
{
    dfl_graph *graph = model->graph;
    dfl_expr v = 0;
    dfl_status status = dfl_model_velocity_of(&v, model, "acceleration", u);
    if (status)
        return status;
    const dfl_symbol *symbol = &graph->symbols[dfl_node_of(graph, v)->a];
    dfl_text name = {.ctx = model->ctx};
    dfl_text_add(&name, "der(%s)", symbol->name);
    status = name.status;
    if (!status)
        *out = dfl_symbol_expr(graph, DFL_SYM_A, symbol->index, dfl_text_string(&name));
    dfl_text_clear(&name);
    return status ? status : dfl_graph_status(graph);
}

dfl_status dfl_model_kinematics(dfl_model *model, dfl_expr position, dfl_expr rate)
{
    dfl_context *ctx = model->ctx;
    dfl_declaration *d = dfl_model_owner(model, position);
    if (!d || d->kind != DFL_A_POSITION || d->symbol != position)
        return dfl_fail(ctx, DFL_INVALID,
                        "kinematics: the first argument is not a position; give what position(...) "
                        "returned");
    if (d->expr != DFL_NO_EXPR)
        return dfl_fail(ctx, DFL_INVALID, "kinematics: %s already has kinematics", d->name);
    if (d->velocity_used)
        return dfl_fail(ctx, DFL_INVALID,
                        "kinematics: the velocity of %s has been used before; declare kinematics "
                        "first, right after position and speed",
                        d->name);
    dfl_status status = dfl_model_check_contents(model, DFL_FOR_KINEMATICS, d->name, rate);
    if (!status)
        d->expr = rate;
    return status;
}

dfl_status dfl_model_constraint(int *out, dfl_model *model, int line, const char *name, dfl_expr g)
{
    const dfl_status status =
        with_equation(out, model, line, DFL_A_CONSTRAINT, DFL_FOR_CONSTRAINT, name, g);
    return status ? status : with_multiplier(model, *out, DFL_SYM_LAMBDA, "lambda");
}

dfl_status dfl_model_nonholonomic(int *out, dfl_model *model, int line, const char *name,
                                  dfl_expr h)
{
    const dfl_status status =
        with_equation(out, model, line, DFL_A_NONHOLONOMIC, DFL_FOR_NONHOLONOMIC, name, h);
    return status ? status : with_multiplier(model, *out, DFL_SYM_MU, "mu");
}

dfl_status dfl_model_variable(dfl_expr *out, dfl_model *model, int line, dfl_declared kind,
                              const char *name)
{
    const dfl_symbol_kind symbol = kind == DFL_A_DYNAMIC      ? DFL_SYM_R
                                   : kind == DFL_AN_AUXILIARY ? DFL_SYM_W
                                                              : DFL_SYM_S;
    int number;
    const dfl_status status = dfl_model_declare(&number, model, line, kind, name);
    return status ? status
                  : dfl_model_own_symbol(out, model, number, symbol,
                                         model->declarations.item[number].index);
}

dfl_status dfl_model_equation(dfl_model *model, dfl_expr symbol, dfl_expr expr)
{
    dfl_declaration *d = dfl_model_owner(model, symbol);
    if (!d || (d->kind != DFL_A_DYNAMIC && d->kind != DFL_AN_AUXILIARY && d->kind != DFL_A_CONTACT))
        return dfl_fail(model->ctx, DFL_INVALID,
                        "an equation belongs to a dynamic, auxiliary or contact variable");
    if (d->expr != DFL_NO_EXPR)
        return dfl_fail(model->ctx, DFL_INVALID, "the variable %s already has an equation",
                        d->name);
    const dfl_role role = d->kind == DFL_A_DYNAMIC      ? DFL_FOR_DYNAMIC
                          : d->kind == DFL_AN_AUXILIARY ? DFL_FOR_AUXILIARY
                                                        : DFL_FOR_CONTACT;
    dfl_status status = dfl_model_check_contents(model, role, d->name, expr);
    if (!status && role == DFL_FOR_CONTACT)
        status = dfl_model_check_tables(model, d->line, "contact", d->name, expr);
    if (!status)
        d->expr = expr;
    return status;
}

dfl_status dfl_model_invariant(dfl_model *model, int line, const char *name, dfl_expr expr)
{
    int number;
    return with_equation(&number, model, line, DFL_AN_INVARIANT, DFL_FOR_INVARIANT, name, expr);
}

dfl_status dfl_model_output(dfl_model *model, int line, const char *name, dfl_expr expr)
{
    int number;
    return with_equation(&number, model, line, DFL_AN_OUTPUT, DFL_FOR_OUTPUT, name, expr);
}

dfl_status dfl_model_event(dfl_model *model, int line, const char *name, dfl_expr expr,
                           int direction, bool stop)
{
    int number;
    dfl_status status =
        with_equation(&number, model, line, DFL_AN_EVENT, DFL_FOR_EVENT, name, expr);
    if (status)
        return status;
    model->declarations.item[number].direction = (direction > 0) - (direction < 0);
    model->declarations.item[number].stop = stop;
    return DFL_OK;
}

dfl_status dfl_model_start(dfl_model *model, int line, dfl_expr symbol, double value, bool held)
{
    dfl_context *ctx = model->ctx;
    const dfl_node *node = dfl_node_of(model->graph, symbol);
    dfl_declaration *d = dfl_model_owner(model, symbol);
    if (node->op != DFL_OP_SYMBOL)
        return dfl_fail(ctx, DFL_INVALID,
                        "a starting value belongs to one variable, not to an expression");
    const char *name = model->graph->symbols[node->a].name;
    if (!d || d->kind == DFL_A_PARAM || d->kind == DFL_AN_INPUT)
        return dfl_fail(ctx, DFL_INVALID, "%s is not an unknown; starting values are for variables",
                        name);
    const bool own = d->kind == DFL_A_POSITION && symbol == d->velocity;
    if (own && d->expr != DFL_NO_EXPR)
        return dfl_fail(
            ctx, DFL_INVALID,
            "%s follows from the kinematics of %s; give the starting values of the speeds", name,
            d->name);
    if (!isfinite(value))
        return dfl_fail(ctx, DFL_INVALID, "the starting value of %s is %g; give a finite number",
                        name, value);
    d->velocity_used |= own;
    dfl_start_value *starts = dfl_grow(ctx, model->starts.item, &model->starts.room,
                                       model->starts.count, sizeof *model->starts.item);
    if (!starts)
        return DFL_NO_MEMORY;
    model->starts.item = starts;
    int *place = &model->index.by_symbol[node->a].start;
    if (*place && starts[*place - 1].held && !held)
        return dfl_fail(
            ctx, DFL_INVALID,
            "%s is held by initial{} of line %d; a guess cannot change it: leave one out", name,
            starts[*place - 1].line);
    if (!*place)
        *place = ++model->starts.count;
    else if (starts[*place - 1].completed)
        model->by_numbers = true; /* what it was, the others were completed with */
    starts[*place - 1] = (dfl_start_value){.symbol = symbol,
                                           .value = value,
                                           .held = held,
                                           .line = line,
                                           .from = DFL_NO_EXPR,
                                           .given = value};
    return DFL_OK;
}

dfl_status dfl_model_complete_start(dfl_model *model, int line, dfl_expr symbol, double value,
                                    bool held)
{
    const int *place = &model->index.by_symbol[dfl_node_of(model->graph, symbol)->a].start;
    const bool added = *place == 0;
    const dfl_status status = added ? dfl_model_start(model, line, symbol, value, held) : DFL_OK;
    if (status)
        return status;
    dfl_start_value *start = &model->starts.item[*place - 1];
    start->value = value;
    start->completed = true;
    start->added = start->added || added;
    return DFL_OK;
}

dfl_status dfl_model_declare(int *out, dfl_model *model, int line, dfl_declared kind,
                             const char *name)
{
    dfl_status status = dfl_model_check_name(model, name);
    if (!status)
        status = dfl_model_check_count(model, model->declarations.count);
    if (status)
        return status;
    dfl_declaration *all = dfl_grow(model->ctx, model->declarations.item, &model->declarations.room,
                                    model->declarations.count, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    model->declarations.item = all;
    char *copy = dfl_copy_string(model->ctx, name);
    if (!copy)
        return DFL_NO_MEMORY;
    *out = model->declarations.count++;
    all[*out] = (dfl_declaration){.kind = kind,
                                  .name = copy,
                                  .line = line,
                                  .index = model->count[kind]++,
                                  .symbol = DFL_NO_EXPR,
                                  .velocity = DFL_NO_EXPR,
                                  .expr = DFL_NO_EXPR,
                                  .mask = DFL_NO_EXPR};
    return dfl_model_enter_name(model, *out);
}

dfl_status dfl_model_own_symbol(dfl_expr *out, dfl_model *model, int number, dfl_symbol_kind kind,
                                int index)
{
    const dfl_status status = attach_symbol(out, model, number, kind, index, NULL);
    if (!status)
        model->declarations.item[number].symbol = *out;
    return status;
}

/* Gives the constraint `number` the symbol PREFIX(NAME). */
static dfl_status with_multiplier(dfl_model *model, int number, dfl_symbol_kind kind,
                                  const char *prefix)
{
    dfl_declaration *d = &model->declarations.item[number];
    return attach_symbol(&d->symbol, model, number, kind, d->index, prefix);
}

/* Makes the symbol NAME, or PREFIX(NAME), of declaration `number`, which then owns it. */
static dfl_status attach_symbol(dfl_expr *out, dfl_model *model, int number, dfl_symbol_kind kind,
                                int index, const char *prefix)
{
    dfl_text text = {.ctx = model->ctx};
    dfl_text_add(&text, prefix ? "%s(%s)" : "%s%s", prefix ? prefix : "",
                 model->declarations.item[number].name);
    if (!text.status)
        *out = dfl_symbol_expr(model->graph, kind, index, dfl_text_string(&text));
    const dfl_status status = text.status ? text.status : dfl_graph_status(model->graph);
    dfl_text_clear(&text);
    if (status)
        return status;
    const int place = (int)dfl_node_of(model->graph, *out)->a;
    while (place >= model->index.room) {
        dfl_symbol_use *uses = dfl_grow(model->ctx, model->index.by_symbol, &model->index.room,
                                        model->index.room, sizeof *uses);
        if (!uses)
            return DFL_NO_MEMORY;
        model->index.by_symbol = uses;
    }
    model->index.by_symbol[place].declaration = number + 1;
    return DFL_OK;
}

/* A parameter or input with its symbol, or a setting without one. */
static dfl_status with_value(dfl_expr *out, dfl_model *model, int line, dfl_declared kind,
                             const char *name, double value)
{
    int number;
    if (!isfinite(value))
        return dfl_fail(model->ctx, DFL_INVALID,
                        "the value of the %s '%s' is %g; give a finite number",
                        dfl_declared_name(kind), name, value);
    const dfl_status status = dfl_model_declare(&number, model, line, kind, name);
    if (status)
        return status;
    dfl_declaration *d = &model->declarations.item[number];
    d->value = d->preset = value;
    if (kind == DFL_A_SETTING)
        return DFL_OK;
    return dfl_model_own_symbol(out, model, number,
                                kind == DFL_A_PARAM ? DFL_SYM_PARAM : DFL_SYM_INPUT, d->index);
}

/* A named expression. */
static dfl_status with_equation(int *out, dfl_model *model, int line, dfl_declared kind,
                                dfl_role role, const char *name, dfl_expr expr)
{
    dfl_status status = dfl_model_check_contents(model, role, name, expr);
    if (!status && role == DFL_FOR_CONSTRAINT)
        status = dfl_model_check_tables(model, line, "constraint", name, expr);
    if (!status)
        status = dfl_model_declare(out, model, line, kind, name);
    if (!status)
        model->declarations.item[*out].expr = expr;
    return status;
}

dfl_status dfl_model_velocity_of(dfl_expr *out, dfl_model *model, const char *call, dfl_expr u)
{
    dfl_declaration *d = dfl_model_owner(model, u);
    if (!d || (d->kind != DFL_A_POSITION && d->kind != DFL_A_SPEED))
        return dfl_fail(model->ctx, DFL_INVALID,
                        "%s: the first argument%s not a coordinate or a speed; give what position, "
                        "velocity or speed returned",
                        call, strcmp(call, "mass") == 0 ? "s are" : " is");
    if (d->kind == DFL_A_POSITION && d->expr != DFL_NO_EXPR)
        return dfl_fail(model->ctx, DFL_INVALID,
                        "%s: %s has kinematics, so it has no velocity of its own; use the speeds",
                        call, d->name);
    d->velocity_used = d->kind == DFL_A_POSITION;
    *out = d->kind == DFL_A_POSITION ? d->velocity : d->symbol;
    return DFL_OK;
}

dfl_status dfl_model_check_count(const dfl_model *model, int count)
{
    if (count < MOST)
        return DFL_OK;
    return dfl_fail(model->ctx, DFL_INVALID,
                    "more than %d declarations of one kind; is this an endless loop?", MOST);
}
