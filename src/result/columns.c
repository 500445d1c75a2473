/* columns.c: which variable is in which column, and the names of the residual levels. */
#include "result/result_internal.h"

static void list_states(dfl_columns *columns, const dfl_equations *eq);
static dfl_status find_units(dfl_columns *columns, const dfl_model *model);

const char *const dfl_level_names[DFL_LEVELS] = {"position",     "velocity", "acceleration",
                                                 "nonholonomic", "contact",  "auxiliary",
                                                 "invariant",    "massless"};

dfl_status dfl_columns_create(dfl_columns *out, const dfl_equations *eq)
{
    dfl_context *ctx = eq->model->ctx;
    const size_t n = (size_t)eq->n, all = n + (size_t)eq->model->count[DFL_AN_OUTPUT];
    *out = (dfl_columns){.m = eq->model->count[DFL_AN_OUTPUT]};
    out->place = dfl_alloc(ctx, n, sizeof *out->place);
    out->names = dfl_alloc(ctx, all, sizeof *out->names);
    out->kinds = dfl_alloc(ctx, n, sizeof *out->kinds);
    out->units = dfl_alloc(ctx, all, sizeof *out->units);
    dfl_status status = DFL_NO_MEMORY;
    if (out->place && out->names && out->kinds && out->units) {
        list_states(out, eq);
        dfl_declared_names(out->names + out->n, eq->model, DFL_AN_OUTPUT);
        status = find_units(out, eq->model);
    }
    if (status)
        dfl_columns_clear(out, ctx);
    return status;
}

void dfl_columns_clear(dfl_columns *columns, dfl_context *ctx)
{
    dfl_free(ctx, columns->place);
    dfl_free(ctx, columns->names);
    dfl_free(ctx, columns->kinds);
    for (int i = 0; columns->units && i < columns->n + columns->m; i++)
        dfl_free(ctx, columns->units[i]);
    dfl_free(ctx, columns->units);
    *columns = (dfl_columns){0};
}

void dfl_declared_names(const char **names, const dfl_model *model, dfl_declared kind)
{
    for (int i = 0; i < model->declarations.count; i++)
        if (model->declarations.item[i].kind == kind)
            names[model->declarations.item[i].index] = model->declarations.item[i].name;
}

/* x = [w l m | r | v | s p] in the order p, v, r, s, w, l, m, without inner ones. */
static void list_states(dfl_columns *columns, const dfl_equations *eq)
{
    const int l = eq->nw, m = l + eq->nl, r = m + eq->nm, v = r + eq->nr, s = v + eq->nv;
    const struct {
        const char *kind;
        int first, count;
    } parts[] = {{"position", s + eq->ns, eq->np}, {"velocity", v, eq->nv},
                 {"dynamic", r, eq->nr},           {"contact", s, eq->ns},
                 {"auxiliary", 0, eq->nw},         {"multiplier", l, eq->nl},
                 {"multiplier", m, eq->nm}};
    for (size_t part = 0; part < sizeof parts / sizeof *parts; part++)
        for (int i = parts[part].first; i < parts[part].first + parts[part].count; i++) {
            const int column = columns->n;
            if (dfl_model_owner(eq->model, eq->x[i].symbol)->inner)
                continue;
            columns->place[column] = i;
            columns->names[column] = eq->x[i].name;
            columns->kinds[column] = parts[part].kind;
            columns->n++;
        }
}

/* A velocity has the unit of its position per second. */
static dfl_status find_units(dfl_columns *columns, const dfl_model *model)
{
    for (int i = 0; i < columns->n + columns->m; i++) {
        const bool state = i < columns->n;
        const dfl_declaration *decl = state ? NULL : dfl_model_find(model, columns->names[i]);
        dfl_text unit = {.ctx = model->ctx};
        dfl_expr symbol = DFL_NO_EXPR;
        if (state)
            symbol = dfl_model_variable_named(model, columns->names[i]);
        if (symbol != DFL_NO_EXPR)
            decl = dfl_model_owner(model, symbol);
        if (decl && decl->unit && *decl->unit)
            dfl_text_add(&unit, "%s%s", decl->unit,
                         decl->kind == DFL_A_POSITION && decl->symbol != symbol ? "/s" : "");
        columns->units[i] =
            unit.status ? NULL : dfl_copy_string(model->ctx, dfl_text_string(&unit));
        dfl_text_clear(&unit);
        if (!columns->units[i])
            return DFL_NO_MEMORY;
    }
    return DFL_OK;
}
