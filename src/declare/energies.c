/* energies.c: what moves a model: energies, masses and forces, declared term by term and summed up.

   energy() is the sum of what was declared before it, so no term may follow it. */
#include "context/context.h"
#include "declare/declare_internal.h"

#include <string.h>

enum { LONGEST_LIST = 200 }; /* characters of names in a message */

static dfl_status add_energy(dfl_expr *sum, dfl_model *model, dfl_role role, dfl_expr energy);
static dfl_status add_term(dfl_contribution **terms, int *count, int *max, dfl_model *model,
                           dfl_contribution term);
static dfl_status check_energy_open(const dfl_model *model);

dfl_status dfl_model_kinetic(dfl_model *model, int line, dfl_expr T)
{
    const dfl_status status = add_energy(&model->energy.kinetic, model, DFL_FOR_KINETIC, T);
    if (!status)
        model->energy.kinetic_line = line;
    return status;
}

dfl_status dfl_model_potential(dfl_model *model, int line, dfl_expr V)
{
    const dfl_status status = add_energy(&model->energy.potential, model, DFL_FOR_POTENTIAL, V);
    if (!status)
        model->energy.potential_line = line;
    return status;
}

dfl_status dfl_model_stored(dfl_model *model, dfl_expr V)
{
    return add_energy(&model->energy.stored, model, DFL_FOR_POTENTIAL, V);
}

dfl_status dfl_model_driven(dfl_model *model, dfl_expr T)
{
    return add_energy(&model->energy.driven, model, DFL_FOR_OUTPUT, T);
}

dfl_status dfl_model_mass(dfl_model *model, int line, dfl_expr u, dfl_expr v, dfl_expr k)
{
    dfl_contribution term = {.expr = k, .line = line};
    dfl_status status = dfl_model_velocity_of(&term.u, model, "mass", u);
    if (!status)
        status = dfl_model_velocity_of(&term.v, model, "mass", v);
    if (!status)
        status = dfl_model_check_contents(model, DFL_FOR_MASS, NULL, k);
    if (!status)
        status = check_energy_open(model);
    return status ? status
                  : add_term(&model->masses.item, &model->masses.count, &model->masses.room, model,
                             term);
}

dfl_status dfl_model_force(dfl_model *model, int line, dfl_expr u, dfl_expr F)
{
    dfl_contribution term = {.expr = F, .line = line};
    dfl_status status = dfl_model_velocity_of(&term.u, model, "force", u);
    if (!status)
        status = dfl_model_check_contents(model, DFL_FOR_FORCE, NULL, F);
    return status ? status
                  : add_term(&model->forces.item, &model->forces.count, &model->forces.room, model,
                             term);
}

dfl_status dfl_model_stored_force(dfl_model *model, int line, dfl_expr u, dfl_expr F)
{
    const dfl_status status = dfl_model_force(model, line, u, F);
    if (!status)
        model->forces.item[model->forces.count - 1].stored = true;
    return status;
}

bool dfl_model_conservative(const dfl_model *model)
{
    for (int i = 0; i < model->forces.count; i++)
        if (!model->forces.item[i].stored)
            return false;
    return true;
}

dfl_status dfl_model_quasistatic(dfl_model *model, dfl_expr u)
{
    dfl_expr velocity = DFL_NO_EXPR;
    const dfl_status status = dfl_model_velocity_of(&velocity, model, "quasistatic", u);
    if (status)
        return status;
    dfl_model_owner(model, velocity)->quasistatic = true;
    return DFL_OK;
}

void dfl_model_begin_smoothly(dfl_model *model, dfl_expr p)
{
    dfl_model_owner(model, p)->smooth = true;
}

dfl_status dfl_model_carries(dfl_model *model, dfl_expr u, const char *body)
{
    dfl_expr velocity = DFL_NO_EXPR;
    dfl_text text = {.ctx = model->ctx};
    const dfl_status status = dfl_model_velocity_of(&velocity, model, "body", u);
    if (status)
        return status;
    dfl_declaration *decl = dfl_model_owner(model, velocity);
    if (decl->carries && strlen(decl->carries) > LONGEST_LIST)
        return DFL_OK; /* a message has no room for more */
    dfl_text_add(&text, "%s%s'%s'", decl->carries ? decl->carries : "", decl->carries ? ", " : "",
                 body);
    if (text.status)
        return text.status;
    dfl_free(model->ctx, decl->carries);
    decl->carries = text.data;
    return DFL_OK;
}

dfl_status dfl_model_energy(dfl_expr *out, dfl_model *model)
{
    dfl_expr V;
    const dfl_status status = dfl_model_energies(out, &V, model);
    if (!status)
        *out = dfl_add(model->graph, *out, V);
    return status ? status : dfl_graph_status(model->graph);
}

/* The declared masses contribute v^T M v / 2. */
dfl_status dfl_model_energies(dfl_expr *T, dfl_expr *V, dfl_model *model)
{
    dfl_graph *graph = model->graph;
    if (model->energy.kinetic == DFL_NO_EXPR && model->energy.potential == DFL_NO_EXPR &&
        !model->masses.count && !model->tree && model->energy.driven == DFL_NO_EXPR &&
        model->energy.stored == DFL_NO_EXPR)
        return dfl_fail(model->ctx, DFL_INVALID,
                        "energy: no energy has been given yet; call kinetic and potential first");
    const dfl_expr zero = dfl_constant(graph, 0.0);
    *T = model->energy.kinetic != DFL_NO_EXPR ? model->energy.kinetic : zero;
    for (int i = 0; i < model->masses.count; i++) {
        const dfl_contribution *mass = &model->masses.item[i];
        const dfl_expr square = dfl_mul(graph, mass->u, mass->v);
        const dfl_expr share = dfl_constant(graph, mass->u == mass->v ? 0.5 : 1.0);
        *T = dfl_add(graph, *T, dfl_mul(graph, share, dfl_mul(graph, mass->expr, square)));
    }
    if (model->energy.driven != DFL_NO_EXPR)
        *T = dfl_add(graph, *T, model->energy.driven);
    *V = model->energy.potential != DFL_NO_EXPR ? model->energy.potential : zero;
    if (model->energy.stored != DFL_NO_EXPR)
        *V = dfl_add(graph, *V, model->energy.stored);
    return dfl_graph_status(graph);
}

/* Adds a term to a sum, which is DFL_NO_EXPR while it has none. */
static dfl_status add_energy(dfl_expr *sum, dfl_model *model, dfl_role role, dfl_expr energy)
{
    dfl_status status = dfl_model_check_contents(model, role, NULL, energy);
    if (!status)
        status = check_energy_open(model);
    if (status)
        return status;
    *sum = *sum == DFL_NO_EXPR ? energy : dfl_add(model->graph, *sum, energy);
    return dfl_graph_status(model->graph);
}

static dfl_status add_term(dfl_contribution **terms, int *count, int *max, dfl_model *model,
                           dfl_contribution term)
{
    const dfl_status status = dfl_model_check_count(model, *count);
    if (status)
        return status;
    dfl_contribution *larger = dfl_grow(model->ctx, *terms, max, *count, sizeof *larger);
    if (!larger)
        return DFL_NO_MEMORY;
    *terms = larger;
    larger[(*count)++] = term;
    return DFL_OK;
}

static dfl_status check_energy_open(const dfl_model *model)
{
    if (!model->energy.asked_line)
        return DFL_OK;
    return dfl_fail(model->ctx, DFL_INVALID,
                    "energy() of line %d is the sum of what was declared before it; declare all "
                    "kinetic, potential and mass terms first",
                    model->energy.asked_line);
}
