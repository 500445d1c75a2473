/* equations.c: from declarations to the general form.

   The order of the unknowns, and rows that are used as declared (kinematics, b, d, c, g,
   invariants). Dynamics: lagrange.c. Hidden constraints: hidden.c. Flags: flags.c. */
#include "derive/derive_internal.h"

#include "context/context.h"

#include <string.h>

static dfl_status derive(dfl_equations **out, dfl_model *model, bool jacobians);
static dfl_status count_unknowns(dfl_equations *eq);
static dfl_status unmoved_constraint(const dfl_model *model);
static dfl_status order_unknowns(dfl_equations *eq);
static dfl_status add_unknown(dfl_equations *eq, int *place, dfl_expr symbol, const char *format,
                              const dfl_declaration *decl);
static dfl_status make_slots(dfl_equations *eq);
static dfl_status collect_rows(dfl_equations *eq);
static dfl_status collect_kinematics(dfl_equations *eq);
static dfl_status check_kinematics(dfl_equations *eq);
static dfl_status collect_invariants(dfl_equations *eq);
static dfl_status name_accelerations(dfl_equations *eq);
static dfl_status largest_part(const dfl_equations *eq);

dfl_status dfl_equations_create(dfl_equations **out, dfl_model *model, bool jacobians)
{
    dfl_status status = derive(out, model, jacobians);
    if (!status && (*out)->massless.balances.count > 0) {
        dfl_equations *before = *out;
        status = derive(out, model, jacobians);
        if (status)
            dfl_equations_free(before);
        else
            (*out)->before = before;
    }
    if (!status)
        status = dfl_model_show(model);
    if (status) {
        dfl_equations_free(*out);
        *out = NULL;
    }
    return status;
}

static dfl_status derive(dfl_equations **out, dfl_model *model, bool jacobians)
{
    static dfl_status (*const stages[])(dfl_equations *) = {
        count_unknowns,      order_unknowns,    make_slots,
        name_accelerations,  collect_rows,      dfl_derive_placing,
        dfl_derive_dynamics, dfl_derive_hidden, dfl_derive_massless,
    };
    *out = NULL;
    dfl_equations *eq = dfl_alloc(model->ctx, 1, sizeof *eq);
    if (!eq)
        return DFL_NO_MEMORY;
    eq->model = model;
    eq->graph = model->graph;
    eq->energy = DFL_NO_EXPR;
    dfl_status status = dfl_graph_status(eq->graph);
    for (size_t i = 0; !status && i < sizeof stages / sizeof *stages; i++) {
        status = stages[i](eq);
        if (!status)
            status = dfl_graph_status(eq->graph);
    }
    if (!status && jacobians && eq->massless.balances.count == 0)
        status = dfl_derive_jacobians(eq);
    if (!status)
        status = dfl_graph_status(eq->graph);
    if (status && dfl_graph_status(eq->graph) == DFL_INVALID)
        status = largest_part(eq);
    if (!status)
        status = dfl_derive_flags(eq);
    if (status) {
        dfl_equations_free(eq);
        return status;
    }
    *out = eq;
    return DFL_OK;
}

void dfl_equations_free(dfl_equations *eq)
{
    if (!eq)
        return;
    dfl_context *ctx = eq->model->ctx;
    dfl_equations_free(eq->before);
    for (int i = 0; eq->x && i < eq->n; i++)
        dfl_free(ctx, eq->x[i].name);
    dfl_expr *const arrays[] = {eq->a,         eq->rows.kin,   eq->rows.f,   eq->rows.b,
                                eq->rows.d,    eq->rows.c,     eq->rows.g,   eq->rows.gI,
                                eq->rows.hv,   eq->rows.e,     eq->rows.ep,  eq->rows.gam,
                                eq->rows.bias, eq->kept.drift, eq->kept.push};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        dfl_free(ctx, arrays[i]);
    dfl_sparse *const matrices[] = {&eq->M,
                                    &eq->W,
                                    &eq->jacobian.d,
                                    &eq->jacobian.acc,
                                    &eq->jacobian.vel,
                                    &eq->jacobian.gam,
                                    &eq->jacobian.pos,
                                    &eq->jacobian.b,
                                    &eq->jacobian.dyn,
                                    &eq->jacobian.kin};
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
        dfl_sparse_clear(matrices[i], ctx);
    for (int kind = 0; kind < DFL_SYM_KINDS; kind++)
        dfl_free(ctx, eq->slot[kind]);
    dfl_free(ctx, eq->x);
    dfl_placing_free(eq->placing, ctx);
    dfl_light_directions_clear(&eq->massless, ctx);
    dfl_free(ctx, eq->declared.row);
    dfl_free(ctx, eq->declared.e);
    dfl_free(ctx, eq->declared.ep);
    dfl_free(ctx, eq);
}

int dfl_equations_find(const dfl_equations *eq, const char *name)
{
    for (int i = 0; i < eq->n; i++)
        if (!strcmp(eq->x[i].name, name))
            return i;
    return -1;
}

/* ------------------------------------------------------------------------------- unknowns */

static dfl_status count_unknowns(dfl_equations *eq)
{
    const dfl_model *model = eq->model;
    eq->np = model->count[DFL_A_POSITION];
    eq->nr = model->count[DFL_A_DYNAMIC];
    eq->nw = model->count[DFL_AN_AUXILIARY];
    eq->ns = model->count[DFL_A_CONTACT];
    eq->nl = model->count[DFL_A_CONSTRAINT];
    eq->nm = model->count[DFL_A_NONHOLONOMIC];
    eq->nv = model->count[DFL_A_SPEED];
    for (int i = 0; i < model->declarations.count; i++) {
        const dfl_declaration *decl = &model->declarations.item[i];
        eq->nv += decl->kind == DFL_A_POSITION && decl->expr == DFL_NO_EXPR;
    }
    eq->n = eq->nw + eq->nl + eq->nm + eq->nr + eq->nv + eq->ns + eq->np;
    if (eq->n == 0 && model->count[DFL_AN_OUTPUT] == 0)
        return dfl_model_fail(
            model, 0,
            "the model has no coordinates; declare some with position(\"x\"), or joints that are "
            "not driven; where `motion` prescribes all of them, declare the outputs that you "
            "want: "
            "output(\"torque\", j.drive), output(\"tip\", point(b, {...}))");
    if (!eq->nv && eq->nl + eq->nm)
        return unmoved_constraint(model);
    if (eq->np && !eq->nv)
        return dfl_model_fail(model, 0,
                              "every position has its kinematics, but there is no speed they could "
                              "be linear in; declare some with speed(\"u\")");
    return DFL_OK;
}

/* A constraint where nothing can move. */
static dfl_status unmoved_constraint(const dfl_model *model)
{
    const dfl_declaration *decl = model->declarations.item;
    while (decl->kind != DFL_A_CONSTRAINT && decl->kind != DFL_A_NONHOLONOMIC)
        decl++;
    return dfl_model_fail(model, decl->line,
                          "'%s' is a constraint, but there is no coordinate that it could move; "
                          "leave out the constraint, or one `motion` of a joint",
                          decl->name);
}

/* x = [w l m | r | v | s p], each part in the order of declaration. */
static dfl_status order_unknowns(dfl_equations *eq)
{
    const dfl_model *model = eq->model;
    eq->x = dfl_alloc(model->ctx, (size_t)eq->n, sizeof *eq->x);
    eq->declared.row = dfl_alloc(model->ctx, (size_t)(eq->nl + eq->nm), sizeof *eq->declared.row);
    if (!eq->x || !eq->declared.row)
        return DFL_NO_MEMORY;
    int w = 0, l = eq->nw, m = l + eq->nl, r = m + eq->nm, v = r + eq->nr, s = v + eq->nv,
        p = s + eq->ns;
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < model->declarations.count; i++) {
        const dfl_declaration *decl = &model->declarations.item[i];
        if (decl->kind == DFL_AN_AUXILIARY)
            status = add_unknown(eq, &w, decl->symbol, "%s", decl);
        else if (decl->kind == DFL_A_CONSTRAINT) {
            eq->declared.row[l - eq->nw] = i;
            status = add_unknown(eq, &l, decl->symbol, "lambda(%s)", decl);
        } else if (decl->kind == DFL_A_NONHOLONOMIC) {
            eq->declared.row[m - eq->nw] = i;
            status = add_unknown(eq, &m, decl->symbol, "mu(%s)", decl);
        } else if (decl->kind == DFL_A_DYNAMIC)
            status = add_unknown(eq, &r, decl->symbol, "%s", decl);
        else if (decl->kind == DFL_A_SPEED)
            status = add_unknown(eq, &v, decl->symbol, "%s", decl);
        else if (decl->kind == DFL_A_CONTACT)
            status = add_unknown(eq, &s, decl->symbol, "%s", decl);
        else if (decl->kind == DFL_A_POSITION) {
            status = add_unknown(eq, &p, decl->symbol, "%s", decl);
            if (!status && decl->expr == DFL_NO_EXPR)
                status = add_unknown(eq, &v, decl->velocity, "der(%s)", decl);
        }
    }
    return status;
}

static dfl_status add_unknown(dfl_equations *eq, int *place, dfl_expr symbol, const char *format,
                              const dfl_declaration *decl)
{
    dfl_text name = {.ctx = eq->model->ctx};
    for (const char *c = format; *c; c++)
        if (c[0] == '%')
            dfl_text_add(&name, "%s", decl->name), c++;
        else
            dfl_text_bytes(&name, c, 1);
    if (name.status)
        return name.status;
    eq->x[(*place)++] = (dfl_variable){.name = name.data, .symbol = symbol, .line = decl->line};
    return DFL_OK;
}

/* Where symbols are found: unknowns in x, accelerations in a, the rest by its own index. */
static dfl_status make_slots(dfl_equations *eq)
{
    const dfl_graph *graph = eq->graph;
    int count[DFL_SYM_KINDS] = {0};
    for (int i = 0; i < graph->nsymbols; i++) {
        const dfl_symbol *symbol = &graph->symbols[i];
        if (symbol->index >= count[symbol->kind])
            count[symbol->kind] = symbol->index + 1;
    }
    count[DFL_SYM_A] = count[DFL_SYM_V];
    for (int kind = DFL_SYM_W; kind <= DFL_SYM_A; kind++) {
        eq->slot[kind] = dfl_alloc(eq->model->ctx, (size_t)count[kind], sizeof(int));
        if (!eq->slot[kind])
            return DFL_NO_MEMORY;
        for (int i = 0; i < count[kind]; i++)
            eq->slot[kind][i] = -1;
    }
    const int first_v = eq->nw + eq->nl + eq->nm + eq->nr;
    for (int i = 0; i < eq->n; i++) {
        const dfl_symbol *symbol = &graph->symbols[dfl_node_of(graph, eq->x[i].symbol)->a];
        eq->slot[symbol->kind][symbol->index] = i;
        if (symbol->kind == DFL_SYM_V)
            eq->slot[DFL_SYM_A][symbol->index] = i - first_v;
    }
    return DFL_OK;
}

const dfl_variable *dfl_equations_v(const dfl_equations *eq)
{
    return eq->x + eq->nw + eq->nl + eq->nm + eq->nr;
}

const dfl_variable *dfl_equations_s(const dfl_equations *eq)
{
    return dfl_equations_v(eq) + eq->nv;
}

const dfl_variable *dfl_equations_p(const dfl_equations *eq)
{
    return dfl_equations_s(eq) + eq->ns;
}

int dfl_equations_velocity(const dfl_equations *eq, dfl_expr symbol)
{
    const dfl_symbol *s = &eq->graph->symbols[dfl_node_of(eq->graph, symbol)->a];
    return eq->slot[DFL_SYM_A][s->index];
}

dfl_expr *dfl_exprs(const dfl_equations *eq, int count)
{
    return dfl_alloc(eq->model->ctx, (size_t)count, sizeof(dfl_expr));
}

/* The acceleration of a velocity has its symbol's index and the name der(v). */
static dfl_status name_accelerations(dfl_equations *eq)
{
    eq->a = dfl_exprs(eq, eq->nv);
    if (!eq->a)
        return DFL_NO_MEMORY;
    for (int j = 0; j < eq->nv; j++) {
        const dfl_variable *v = &dfl_equations_v(eq)[j];
        const dfl_symbol *symbol = &eq->graph->symbols[dfl_node_of(eq->graph, v->symbol)->a];
        dfl_text name = {.ctx = eq->model->ctx};
        dfl_text_add(&name, "der(%s)", v->name);
        eq->a[j] = dfl_symbol_expr(eq->graph, DFL_SYM_A, symbol->index, dfl_text_string(&name));
        dfl_text_clear(&name);
    }
    return DFL_OK;
}

/* ------------------------------------------------------------------------------- rows */

/* Kinematics, b, d, c, g, hv and invariants as they were declared, and the energy. */
static dfl_status collect_rows(dfl_equations *eq)
{
    const dfl_model *model = eq->model;
    eq->rows.b = dfl_exprs(eq, eq->nr);
    eq->rows.d = dfl_exprs(eq, eq->nw);
    eq->rows.c = dfl_exprs(eq, eq->ns);
    eq->rows.g = dfl_exprs(eq, eq->nl);
    eq->rows.hv = dfl_exprs(eq, eq->nm);
    if (!eq->rows.b || !eq->rows.d || !eq->rows.c || !eq->rows.g || !eq->rows.hv)
        return DFL_NO_MEMORY;
    dfl_expr *const rows[DFL_DECLARED_KINDS] = {
        [DFL_A_DYNAMIC] = eq->rows.b,       [DFL_AN_AUXILIARY] = eq->rows.d,
        [DFL_A_CONTACT] = eq->rows.c,       [DFL_A_CONSTRAINT] = eq->rows.g,
        [DFL_A_NONHOLONOMIC] = eq->rows.hv,
    };
    for (int i = 0; i < model->declarations.count; i++) {
        const dfl_declaration *decl = &model->declarations.item[i];
        if (rows[decl->kind])
            rows[decl->kind][decl->index] = decl->expr;
    }
    dfl_status status = collect_kinematics(eq);
    if (!status)
        status = collect_invariants(eq);
    if (!status && (model->energy.kinetic != DFL_NO_EXPR || model->energy.driven != DFL_NO_EXPR ||
                    model->masses.count || model->tree))
        status = dfl_model_energy(&eq->energy, eq->model);
    return status;
}

static dfl_status collect_kinematics(dfl_equations *eq)
{
    eq->rows.kin = dfl_exprs(eq, eq->np);
    if (!eq->rows.kin)
        return DFL_NO_MEMORY;
    eq->flags.trivial_kinematics = true;
    for (int i = 0; i < eq->np; i++) {
        const dfl_declaration *decl = dfl_model_owner(eq->model, dfl_equations_p(eq)[i].symbol);
        eq->rows.kin[i] = decl->expr == DFL_NO_EXPR ? decl->velocity : decl->expr;
        if (i >= eq->nv || eq->rows.kin[i] != dfl_equations_v(eq)[i].symbol)
            eq->flags.trivial_kinematics = false;
    }
    if (eq->np != eq->nv)
        eq->flags.trivial_kinematics = false;
    return eq->flags.trivial_kinematics ? DFL_OK : check_kinematics(eq);
}

/* p' = Z(p,t) v: linear in v, with no other terms. */
static dfl_status check_kinematics(dfl_equations *eq)
{
    dfl_graph *graph = eq->graph;
    dfl_sparse Z = {0};
    dfl_expr *symbols = dfl_exprs(eq, 2 * eq->nv), *rest = dfl_exprs(eq, eq->np);
    dfl_status status = symbols && rest ? DFL_OK : DFL_NO_MEMORY;
    for (int j = 0; !status && j < eq->nv; j++)
        symbols[j] = dfl_equations_v(eq)[j].symbol; /* the second half is 0, the constant 0 */
    if (!status)
        status = dfl_jacobian_exprs(&Z, graph, eq->rows.kin, eq->np, symbols, eq->nv);
    if (!status)
        status = dfl_substitute_exprs(rest, graph, eq->rows.kin, eq->np, symbols, symbols + eq->nv,
                                      eq->nv);
    int bad = -1;
    for (int k = 0; !status && k < Z.count; k++)
        if (dfl_depends(graph, Z.entry[k].expr, DFL_SYM_V))
            bad = Z.entry[k].row;
    for (int i = 0; !status && i < eq->np; i++)
        if (rest[i] != dfl_constant(graph, 0.0))
            bad = i;
    if (bad >= 0) {
        const dfl_variable *p = &dfl_equations_p(eq)[bad];
        status =
            dfl_model_fail(eq->model, p->line,
                           "kinematics of '%s' must be linear in the speeds, with no term free "
                           "of them",
                           p->name);
    }
    dfl_sparse_clear(&Z, eq->model->ctx);
    dfl_free(eq->model->ctx, symbols);
    dfl_free(eq->model->ctx, rest);
    return status;
}

/* Invariants that contain velocities go to e, the others to ep, each minus its level. */
static dfl_status collect_invariants(dfl_equations *eq)
{
    const dfl_model *model = eq->model;
    const int count = model->count[DFL_AN_INVARIANT];
    eq->rows.e = dfl_exprs(eq, count);
    eq->rows.ep = dfl_exprs(eq, count);
    eq->declared.e = dfl_alloc(model->ctx, (size_t)count, sizeof(int));
    eq->declared.ep = dfl_alloc(model->ctx, (size_t)count, sizeof(int));
    if (!eq->rows.e || !eq->rows.ep || !eq->declared.e || !eq->declared.ep)
        return DFL_NO_MEMORY;
    for (int i = 0; i < model->declarations.count; i++) {
        const dfl_declaration *decl = &model->declarations.item[i];
        if (decl->kind != DFL_AN_INVARIANT)
            continue;
        const dfl_expr level = dfl_symbol_expr(eq->graph, DFL_SYM_LEVEL, decl->index, decl->name);
        const dfl_expr row = dfl_sub(eq->graph, decl->expr, level);
        if (dfl_depends(eq->graph, row, DFL_SYM_V)) {
            eq->declared.e[eq->ne] = i;
            eq->rows.e[eq->ne++] = row;
        } else {
            eq->declared.ep[eq->nep] = i;
            eq->rows.ep[eq->nep++] = row;
        }
    }
    return DFL_OK;
}

/* ------------------------------------------------------------------------------- size */

/* The graph is full: which declaration has the largest share? */
static dfl_status largest_part(const dfl_equations *eq)
{
    const dfl_model *model = eq->model;
    const char *name = "kinetic energy";
    int line = model->energy.kinetic_line;
    uint32_t largest = model->energy.kinetic == DFL_NO_EXPR
                           ? 0
                           : dfl_graph_size(eq->graph, &model->energy.kinetic, 1);
    for (int i = 0; i < model->declarations.count; i++) {
        const dfl_declaration *decl = &model->declarations.item[i];
        const bool has = decl->kind >= DFL_A_POSITION && decl->expr != DFL_NO_EXPR;
        const uint32_t size = has ? dfl_graph_size(eq->graph, &decl->expr, 1) : 0;
        if (size > largest) {
            largest = size;
            name = decl->name;
            line = decl->line;
        }
    }
    for (int i = 0; i < model->forces.count; i++) { /* a mechanism has nothing else */
        const dfl_contribution *force = &model->forces.item[i];
        const uint32_t size = dfl_graph_size(eq->graph, &force->expr, 1);
        if (size > largest) {
            largest = size;
            name = dfl_model_owner(model, force->u)->name;
            line = force->line;
        }
    }
    return dfl_model_fail(
        model, line,
        "the derived equations need more than %lu nodes; the largest declaration is "
        "'%s' with %lu: more coordinates and constraints in place of long chains of "
        "angles make smaller equations",
        (unsigned long)eq->graph->limit, name, (unsigned long)largest);
}
