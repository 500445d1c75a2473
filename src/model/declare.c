/* declare.c: the declarations of a model. Each checks what it is given and stores it; nothing is
   derived.

   Symbols get their numbers in order of declaration, so that equal scripts give equal graphs. */
#include "context/text.h"
#include "model/contents.h"
#include "model/names.h"
#include "model/shape.h"
#include "model/sides.h"

#include <math.h>
#include <string.h>

enum {
    LONGEST_UNIT = 40,
    MOST = 1 << 20,    /* declarations, masses or forces */
    LONGEST_LIST = 200 /* characters of names in a message */
};

static dfl_status set_names(dfl_model *model, const char *path);
static dfl_status declare(int *out, dfl_model *model, dfl_declared kind, const char *name);
static dfl_status attach_symbol(dfl_expr *out, dfl_model *model, int number, dfl_symbol_kind kind,
                                int index, const char *prefix);
static dfl_status with_value(dfl_expr *out, dfl_model *model, dfl_declared kind, const char *name,
                             double value);
static dfl_status with_equation(int *out, dfl_model *model, dfl_declared kind, dfl_role role,
                                const char *name, dfl_expr expr);
static dfl_status velocity_of(dfl_expr *out, dfl_model *model, const char *call, dfl_expr u);
static dfl_status check_count(const dfl_model *model, int count);
static dfl_status check_energy_open(const dfl_model *model);
static dfl_status add_line(char ***lines, int *count, int *max, dfl_context *ctx, const char *text);
static void *grow(dfl_context *ctx, void *array, int *max, int count, size_t size);

dfl_status dfl_model_create(dfl_model **out, dfl_context *ctx, const char *path)
{
    *out = NULL;
    dfl_model *model = dfl_alloc(ctx, 1, sizeof *model);
    if (!model)
        return DFL_NO_MEMORY;
    model->ctx = ctx;
    model->kinetic = model->potential = model->stored = model->driven = DFL_NO_EXPR;
    dfl_run_settings *run = &model->run;
    run->to = run->rtol = run->atol = run->every = run->from = NAN;
    run->first_step = run->max_step = run->fixed_step = run->max_steps = NAN;
    run->baumgarte_alpha = run->baumgarte_beta = NAN;
    dfl_status status = dfl_graph_create(&model->graph, ctx, 0);
    if (!status)
        status = set_names(model, path);
    if (status)
        dfl_model_free(model);
    else
        *out = model;
    return status;
}

void dfl_model_free(dfl_model *model)
{
    if (!model)
        return;
    dfl_context *ctx = model->ctx;
    for (int i = 0; i < model->ndeclarations; i++) {
        dfl_free(ctx, model->declarations[i].name);
        dfl_free(ctx, model->declarations[i].unit);
        dfl_free(ctx, model->declarations[i].carries);
        dfl_free(ctx, model->declarations[i].motions);
    }
    void *const blocks[] = {model->name,     model->path,       model->text,
                            model->names,    model->uses,       model->declarations,
                            model->masses,   model->forces,     model->starts,
                            model->run.form, model->run.method, model->run.start};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        dfl_free(ctx, blocks[i]);
    for (int i = 0; i < model->nnotes; i++)
        dfl_free(ctx, model->notes[i]);
    dfl_free(ctx, model->notes);
    for (int i = 0; i < model->nwarnings; i++)
        dfl_free(ctx, model->warnings[i]);
    dfl_free(ctx, model->warnings);
    for (int i = 0; i < model->nshapes; i++)
        dfl_shape_clear(&model->shapes[i], ctx);
    dfl_free(ctx, model->shapes);
    dfl_model_free_sides(model);
    for (int i = 0; i < model->nframes; i++) {
        dfl_free(ctx, model->frames[i].name);
        dfl_free(ctx, model->frames[i].columns);
    }
    dfl_free(ctx, model->frames);
    dfl_mass_tree_free(model->tree);
    dfl_graph_free(model->graph);
    dfl_free(ctx, model);
}

dfl_status dfl_model_param(dfl_expr *out, dfl_model *model, const char *name, double value,
                           const char *unit)
{
    const dfl_status status = with_value(out, model, DFL_A_PARAM, name, value);
    if (status || !unit)
        return status;
    return dfl_model_unit(model, &model->declarations[model->ndeclarations - 1], unit);
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

dfl_status dfl_model_input(dfl_expr *out, dfl_model *model, const char *name, double value)
{
    return with_value(out, model, DFL_AN_INPUT, name, value);
}

dfl_status dfl_model_setting(dfl_model *model, const char *name, double value)
{
    dfl_expr none;
    return with_value(&none, model, DFL_A_SETTING, name, value);
}

dfl_status dfl_model_position(dfl_expr *out, dfl_model *model, const char *name)
{
    int number;
    dfl_expr velocity;
    const int v = model->count[DFL_A_POSITION] + model->count[DFL_A_SPEED];
    dfl_status status = declare(&number, model, DFL_A_POSITION, name);
    if (!status)
        status =
            attach_symbol(out, model, number, DFL_SYM_P, model->declarations[number].index, NULL);
    if (!status)
        status = attach_symbol(&velocity, model, number, DFL_SYM_V, v, "der");
    if (status)
        return status;
    model->declarations[number].symbol = *out;
    model->declarations[number].velocity = velocity;
    return DFL_OK;
}

dfl_status dfl_model_speed(dfl_expr *out, dfl_model *model, const char *name)
{
    int number;
    const int v = model->count[DFL_A_POSITION] + model->count[DFL_A_SPEED];
    dfl_status status = declare(&number, model, DFL_A_SPEED, name);
    if (!status)
        status = attach_symbol(out, model, number, DFL_SYM_V, v, NULL);
    if (!status)
        model->declarations[number].symbol = *out;
    return status;
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
    dfl_status status = velocity_of(&v, model, "acceleration", u);
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

dfl_status dfl_model_kinetic(dfl_model *model, dfl_expr T)
{
    dfl_status status = dfl_model_check_contents(model, DFL_FOR_KINETIC, NULL, T);
    if (!status)
        status = check_energy_open(model);
    if (status)
        return status;
    model->kinetic = model->kinetic == DFL_NO_EXPR ? T : dfl_add(model->graph, model->kinetic, T);
    model->kinetic_line = model->line;
    return dfl_graph_status(model->graph);
}

dfl_status dfl_model_potential(dfl_model *model, dfl_expr V)
{
    dfl_status status = dfl_model_check_contents(model, DFL_FOR_POTENTIAL, NULL, V);
    if (!status)
        status = check_energy_open(model);
    if (status)
        return status;
    model->potential =
        model->potential == DFL_NO_EXPR ? V : dfl_add(model->graph, model->potential, V);
    model->potential_line = model->line;
    return dfl_graph_status(model->graph);
}

dfl_status dfl_model_mass(dfl_model *model, dfl_expr u, dfl_expr v, dfl_expr k)
{
    dfl_contribution entry = {.expr = k, .line = model->line};
    dfl_status status = velocity_of(&entry.u, model, "mass", u);
    if (!status)
        status = velocity_of(&entry.v, model, "mass", v);
    if (!status)
        status = dfl_model_check_contents(model, DFL_FOR_MASS, NULL, k);
    if (!status)
        status = check_energy_open(model);
    if (!status)
        status = check_count(model, model->nmasses);
    if (status)
        return status;
    dfl_contribution *masses =
        grow(model->ctx, model->masses, &model->max_masses, model->nmasses, sizeof *model->masses);
    if (!masses)
        return DFL_NO_MEMORY;
    model->masses = masses;
    masses[model->nmasses++] = entry;
    return DFL_OK;
}

dfl_status dfl_model_force(dfl_model *model, dfl_expr u, dfl_expr F)
{
    dfl_contribution entry = {.expr = F, .line = model->line};
    dfl_status status = velocity_of(&entry.u, model, "force", u);
    if (!status)
        status = dfl_model_check_contents(model, DFL_FOR_FORCE, NULL, F);
    if (!status)
        status = check_count(model, model->nforces);
    if (status)
        return status;
    dfl_contribution *forces =
        grow(model->ctx, model->forces, &model->max_forces, model->nforces, sizeof *model->forces);
    if (!forces)
        return DFL_NO_MEMORY;
    model->forces = forces;
    forces[model->nforces++] = entry;
    return DFL_OK;
}

dfl_status dfl_model_quasistatic(dfl_model *model, dfl_expr u)
{
    dfl_expr velocity = DFL_NO_EXPR;
    const dfl_status status = velocity_of(&velocity, model, "quasistatic", u);
    if (status)
        return status;
    dfl_model_owner(model, velocity)->quasistatic = true;
    return DFL_OK;
}

dfl_status dfl_model_carries(dfl_model *model, dfl_expr u, const char *body)
{
    dfl_expr velocity = DFL_NO_EXPR;
    dfl_text text = {.ctx = model->ctx};
    const dfl_status status = velocity_of(&velocity, model, "body", u);
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

dfl_status dfl_model_stored_force(dfl_model *model, dfl_expr u, dfl_expr F)
{
    const dfl_status status = dfl_model_force(model, u, F);
    if (!status)
        model->forces[model->nforces - 1].stored = true;
    return status;
}

dfl_status dfl_model_stored(dfl_model *model, dfl_expr V)
{
    dfl_status status = dfl_model_check_contents(model, DFL_FOR_POTENTIAL, NULL, V);
    if (!status)
        status = check_energy_open(model);
    if (!status)
        model->stored = model->stored == DFL_NO_EXPR ? V : dfl_add(model->graph, model->stored, V);
    return status ? status : dfl_graph_status(model->graph);
}

dfl_status dfl_model_driven(dfl_model *model, dfl_expr T)
{
    dfl_status status = dfl_model_check_contents(model, DFL_FOR_OUTPUT, NULL, T);
    if (!status)
        status = check_energy_open(model);
    if (!status)
        model->driven = model->driven == DFL_NO_EXPR ? T : dfl_add(model->graph, model->driven, T);
    return status ? status : dfl_graph_status(model->graph);
}

bool dfl_model_conservative(const dfl_model *model)
{
    for (int i = 0; i < model->nforces; i++)
        if (!model->forces[i].stored)
            return false;
    return true;
}

dfl_status dfl_model_constraint(int *out, dfl_model *model, const char *name, dfl_expr g)
{
    dfl_expr multiplier;
    dfl_status status = with_equation(out, model, DFL_A_CONSTRAINT, DFL_FOR_CONSTRAINT, name, g);
    if (!status)
        status = attach_symbol(&multiplier, model, *out, DFL_SYM_LAMBDA,
                               model->declarations[*out].index, "lambda");
    if (!status)
        model->declarations[*out].symbol = multiplier;
    return status;
}

dfl_status dfl_model_nonholonomic(int *out, dfl_model *model, const char *name, dfl_expr h)
{
    dfl_expr multiplier;
    dfl_status status =
        with_equation(out, model, DFL_A_NONHOLONOMIC, DFL_FOR_NONHOLONOMIC, name, h);
    if (!status)
        status = attach_symbol(&multiplier, model, *out, DFL_SYM_MU,
                               model->declarations[*out].index, "mu");
    if (!status)
        model->declarations[*out].symbol = multiplier;
    return status;
}

dfl_status dfl_model_variable(dfl_expr *out, dfl_model *model, dfl_declared kind, const char *name)
{
    const dfl_symbol_kind symbol = kind == DFL_A_DYNAMIC      ? DFL_SYM_R
                                   : kind == DFL_AN_AUXILIARY ? DFL_SYM_W
                                                              : DFL_SYM_S;
    int number;
    dfl_status status = declare(&number, model, kind, name);
    if (!status)
        status = attach_symbol(out, model, number, symbol, model->declarations[number].index, NULL);
    if (!status)
        model->declarations[number].symbol = *out;
    return status;
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
    if (!status)
        d->expr = expr;
    return status;
}

dfl_status dfl_model_invariant(dfl_model *model, const char *name, dfl_expr expr)
{
    int number;
    return with_equation(&number, model, DFL_AN_INVARIANT, DFL_FOR_INVARIANT, name, expr);
}

dfl_status dfl_model_output(dfl_model *model, const char *name, dfl_expr expr)
{
    int number;
    return with_equation(&number, model, DFL_AN_OUTPUT, DFL_FOR_OUTPUT, name, expr);
}

dfl_status dfl_model_event(dfl_model *model, const char *name, dfl_expr expr, int direction,
                           bool stop)
{
    int number;
    dfl_status status = with_equation(&number, model, DFL_AN_EVENT, DFL_FOR_EVENT, name, expr);
    if (status)
        return status;
    model->declarations[number].direction = (direction > 0) - (direction < 0);
    model->declarations[number].stop = stop;
    return DFL_OK;
}

/* The declared masses contribute v^T M v / 2. */
/* energy() is the sum of what was declared before: nothing may follow. */
static dfl_status check_energy_open(const dfl_model *model)
{
    if (!model->energy_line)
        return DFL_OK;
    return dfl_fail(model->ctx, DFL_INVALID,
                    "energy() of line %d is the sum of what was declared before it; declare all "
                    "kinetic, potential and mass terms first",
                    model->energy_line);
}

dfl_status dfl_model_energy(dfl_expr *out, dfl_model *model)
{
    dfl_expr V;
    const dfl_status status = dfl_model_energies(out, &V, model);
    if (!status)
        *out = dfl_add(model->graph, *out, V);
    return status ? status : dfl_graph_status(model->graph);
}

dfl_status dfl_model_energies(dfl_expr *T, dfl_expr *V, dfl_model *model)
{
    dfl_graph *graph = model->graph;
    if (model->kinetic == DFL_NO_EXPR && model->potential == DFL_NO_EXPR && !model->nmasses &&
        !model->tree && model->driven == DFL_NO_EXPR && model->stored == DFL_NO_EXPR)
        return dfl_fail(model->ctx, DFL_INVALID,
                        "energy: no energy has been given yet; call kinetic and potential first");
    const dfl_expr zero = dfl_constant(graph, 0.0);
    *T = model->kinetic != DFL_NO_EXPR ? model->kinetic : zero;
    for (int i = 0; i < model->nmasses; i++) {
        const dfl_contribution *mass = &model->masses[i];
        const dfl_expr square = dfl_mul(graph, mass->u, mass->v);
        const dfl_expr share = dfl_constant(graph, mass->u == mass->v ? 0.5 : 1.0);
        *T = dfl_add(graph, *T, dfl_mul(graph, share, dfl_mul(graph, mass->expr, square)));
    }
    if (model->driven != DFL_NO_EXPR)
        *T = dfl_add(graph, *T, model->driven);
    *V = model->potential != DFL_NO_EXPR ? model->potential : zero;
    if (model->stored != DFL_NO_EXPR)
        *V = dfl_add(graph, *V, model->stored);
    return dfl_graph_status(graph);
}

void dfl_model_set_tree(dfl_model *model, dfl_mass_tree *tree)
{
    dfl_mass_tree_free(model->tree);
    model->tree = tree;
}

dfl_status dfl_model_note(dfl_model *model, const char *text)
{
    return add_line(&model->notes, &model->nnotes, &model->max_notes, model->ctx, text);
}

dfl_status dfl_model_warn(dfl_model *model, const char *text)
{
    return add_line(&model->warnings, &model->nwarnings, &model->max_warnings, model->ctx, text);
}

static dfl_status add_line(char ***lines, int *count, int *max, dfl_context *ctx, const char *text)
{
    char **all = grow(ctx, *lines, max, *count, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    *lines = all;
    all[*count] = dfl_copy_string(ctx, text);
    return all[(*count)++] ? DFL_OK : DFL_NO_MEMORY;
}

dfl_status dfl_model_start(dfl_model *model, dfl_expr symbol, double value, bool held)
{
    dfl_context *ctx = model->ctx;
    const dfl_node *node = dfl_node_of(model->graph, symbol);
    dfl_declaration *d = dfl_model_owner(model, symbol);
    if (node->op != DFL_OP_SYMBOL)
        return dfl_fail(ctx, DFL_INVALID,
                        "a starting value belongs to one variable, not to an expression");
    const char *name = model->graph->symbols[node->a].name;
    if (!d || d->kind == DFL_A_PARAM || d->kind == DFL_AN_INPUT)
        return dfl_fail(ctx, DFL_INVALID, "%s is no unknown; starting values are for variables",
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
    dfl_start_value *starts =
        grow(ctx, model->starts, &model->max_starts, model->nstarts, sizeof *model->starts);
    if (!starts)
        return DFL_NO_MEMORY;
    model->starts = starts;
    int *place = &model->uses[node->a].start;
    if (*place && starts[*place - 1].held && !held)
        return dfl_fail(
            ctx, DFL_INVALID,
            "%s is held by initial{} of line %d; a guess cannot change it: leave one out", name,
            starts[*place - 1].line);
    if (!*place)
        *place = ++model->nstarts;
    starts[*place - 1] = (dfl_start_value){symbol, value, held, model->line};
    return DFL_OK;
}

/* Path as given; name without folder and ending. */
static dfl_status set_names(dfl_model *model, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    model->path = dfl_copy_string(model->ctx, path);
    model->name = dfl_copy_string(model->ctx, base);
    if (!model->path || !model->name)
        return DFL_NO_MEMORY;
    char *dot = strrchr(model->name, '.');
    if (dot && dot != model->name)
        *dot = 0;
    return DFL_OK;
}

/* A new declaration with a name; *out is its number. */
static dfl_status declare(int *out, dfl_model *model, dfl_declared kind, const char *name)
{
    dfl_status status = dfl_model_check_name(model, name);
    if (!status)
        status = check_count(model, model->ndeclarations);
    if (status)
        return status;
    dfl_declaration *all = grow(model->ctx, model->declarations, &model->max_declarations,
                                model->ndeclarations, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    model->declarations = all;
    char *copy = dfl_copy_string(model->ctx, name);
    if (!copy)
        return DFL_NO_MEMORY;
    *out = model->ndeclarations++;
    all[*out] = (dfl_declaration){.kind = kind,
                                  .name = copy,
                                  .line = model->line,
                                  .index = model->count[kind]++,
                                  .symbol = DFL_NO_EXPR,
                                  .velocity = DFL_NO_EXPR,
                                  .expr = DFL_NO_EXPR};
    return dfl_model_enter_name(model, *out);
}

/* Makes the symbol NAME, or PREFIX(NAME), of declaration `number`, which then owns it. */
static dfl_status attach_symbol(dfl_expr *out, dfl_model *model, int number, dfl_symbol_kind kind,
                                int index, const char *prefix)
{
    dfl_text text = {.ctx = model->ctx};
    dfl_text_add(&text, prefix ? "%s(%s)" : "%s%s", prefix ? prefix : "",
                 model->declarations[number].name);
    if (!text.status)
        *out = dfl_symbol_expr(model->graph, kind, index, dfl_text_string(&text));
    const dfl_status status = text.status ? text.status : dfl_graph_status(model->graph);
    dfl_text_clear(&text);
    if (status)
        return status;
    const int place = (int)dfl_node_of(model->graph, *out)->a;
    while (place >= model->max_uses) {
        dfl_symbol_use *uses =
            grow(model->ctx, model->uses, &model->max_uses, model->max_uses, sizeof *uses);
        if (!uses)
            return DFL_NO_MEMORY;
        model->uses = uses;
    }
    model->uses[place].declaration = number + 1;
    return DFL_OK;
}

/* A parameter or input with its symbol, or a setting without one. */
static dfl_status with_value(dfl_expr *out, dfl_model *model, dfl_declared kind, const char *name,
                             double value)
{
    int number;
    if (!isfinite(value))
        return dfl_fail(model->ctx, DFL_INVALID,
                        "the value of the %s '%s' is %g; give a finite number",
                        dfl_declared_name(kind), name, value);
    dfl_status status = declare(&number, model, kind, name);
    if (status)
        return status;
    dfl_declaration *d = &model->declarations[number];
    d->value = d->preset = value;
    if (kind == DFL_A_SETTING)
        return DFL_OK;
    status = attach_symbol(out, model, number, kind == DFL_A_PARAM ? DFL_SYM_PARAM : DFL_SYM_INPUT,
                           d->index, NULL);
    if (!status)
        d->symbol = *out;
    return status;
}

/* A named expression. */
static dfl_status with_equation(int *out, dfl_model *model, dfl_declared kind, dfl_role role,
                                const char *name, dfl_expr expr)
{
    dfl_status status = dfl_model_check_contents(model, role, name, expr);
    if (!status)
        status = declare(out, model, kind, name);
    if (!status)
        model->declarations[*out].expr = expr;
    return status;
}

/* The velocity that `u` means: a speed, an own velocity, or a position for its own velocity. */
static dfl_status velocity_of(dfl_expr *out, dfl_model *model, const char *call, dfl_expr u)
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

/* Stops a script that declares without end before memory is gone. */
static dfl_status check_count(const dfl_model *model, int count)
{
    if (count < MOST)
        return DFL_OK;
    return dfl_fail(model->ctx, DFL_INVALID,
                    "more than %d declarations of one kind; is this an endless loop?", MOST);
}

/* The array with room for one element more than `count`, or NULL; `array` is then unchanged. */
static void *grow(dfl_context *ctx, void *array, int *max, int count, size_t size)
{
    if (count < *max)
        return array;
    const int room = *max ? 2 * *max : 16;
    void *larger = dfl_alloc(ctx, (size_t)room, size);
    if (!larger)
        return NULL;
    if (array)
        memcpy(larger, array, (size_t)count * size);
    dfl_free(ctx, array);
    *max = room;
    return larger;
}
