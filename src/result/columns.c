/* columns.c: which variables stand in which column, and the names of the residual levels. */
#include "result/result.h"

static void name_states(dfl_columns *columns, const dfl_equations *eq);
static dfl_status find_units(dfl_columns *columns, const dfl_model *model);

const char *const dfl_level_names[DFL_LEVELS] = {"position",     "velocity", "acceleration",
                                                 "nonholonomic", "contact",  "auxiliary",
                                                 "invariant",    "massless"};

dfl_status dfl_columns_create(dfl_columns *out, const dfl_equations *eq)
{
    dfl_context *ctx = eq->model->ctx;
    *out = (dfl_columns){.n = eq->n, .m = eq->model->count[DFL_AN_OUTPUT]};
    out->place = dfl_alloc(ctx, (size_t)eq->n, sizeof *out->place);
    out->state = dfl_alloc(ctx, (size_t)eq->n, sizeof *out->state);
    out->output = dfl_declared_names(eq, DFL_AN_OUTPUT);
    out->unit = dfl_alloc(ctx, (size_t)(out->n + out->m), sizeof *out->unit);
    dfl_status status = DFL_NO_MEMORY;
    if (out->place && out->state && out->output && out->unit) {
        name_states(out, eq);
        status = find_units(out, eq->model);
    }
    if (status)
        dfl_columns_clear(out, ctx);
    return status;
}

void dfl_columns_clear(dfl_columns *columns, dfl_context *ctx)
{
    dfl_free(ctx, columns->place);
    dfl_free(ctx, columns->state);
    dfl_free(ctx, columns->output);
    for (int i = 0; columns->unit && i < columns->n + columns->m; i++)
        dfl_free(ctx, columns->unit[i]);
    dfl_free(ctx, columns->unit);
    *columns = (dfl_columns){0};
}

const char **dfl_declared_names(const dfl_equations *eq, dfl_declared kind)
{
    const dfl_model *model = eq->model;
    const char **names = dfl_alloc(model->ctx, (size_t)model->count[kind], sizeof *names);
    for (int i = 0; names && i < model->ndeclarations; i++)
        if (model->declarations[i].kind == kind)
            names[model->declarations[i].index] = model->declarations[i].name;
    return names;
}

const char *dfl_column_kind(const dfl_equations *eq, int column)
{
    static const char *const kinds[7] = {"position",  "velocity",   "dynamic",   "contact",
                                         "auxiliary", "multiplier", "multiplier"};
    const int count[7] = {eq->np, eq->nv, eq->nr, eq->ns, eq->nw, eq->nl, eq->nm};
    int part = 0;
    while (part < 6 && column >= count[part])
        column -= count[part++];
    return kinds[part];
}

/* x = [w l m | r | v | s p] in the order p, v, r, s, w, l, m. */
static void name_states(dfl_columns *columns, const dfl_equations *eq)
{
    const int l = eq->nw, m = l + eq->nl, r = m + eq->nm, v = r + eq->nr, s = v + eq->nv;
    const int p = s + eq->ns;
    const int first[7] = {p, v, r, s, 0, l, m};
    const int count[7] = {eq->np, eq->nv, eq->nr, eq->ns, eq->nw, eq->nl, eq->nm};
    int column = 0;
    for (int part = 0; part < 7; part++)
        for (int i = 0; i < count[part]; i++, column++) {
            columns->place[column] = first[part] + i;
            columns->state[column] = eq->x[first[part] + i].name;
        }
}

/* A velocity has that of its position per second. */
static dfl_status find_units(dfl_columns *columns, const dfl_model *model)
{
    for (int i = 0; i < columns->n + columns->m; i++) {
        const bool state = i < columns->n;
        const dfl_declaration *decl =
            state ? NULL : dfl_model_find(model, columns->output[i - columns->n]);
        dfl_text unit = {.ctx = model->ctx};
        dfl_expr symbol = DFL_NO_EXPR;
        if (state)
            symbol = dfl_model_variable_named(model, columns->state[i]);
        if (symbol != DFL_NO_EXPR)
            decl = dfl_model_owner(model, symbol);
        if (decl && decl->unit && *decl->unit)
            dfl_text_add(&unit, "%s%s", decl->unit,
                         decl->kind == DFL_A_POSITION && decl->symbol != symbol ? "/s" : "");
        columns->unit[i] = unit.status ? NULL : dfl_copy_string(model->ctx, dfl_text_string(&unit));
        dfl_text_clear(&unit);
        if (!columns->unit[i])
            return DFL_NO_MEMORY;
    }
    return DFL_OK;
}
