/* force_jumps.c: what a model declares, on the two sides of a switch, and whether that differs. */
#include "declare/force_jumps.h"

#include <math.h>
#include <string.h>

enum { TRIALS = 4 };
static const double rounding = 1e-9;

/* A state, and the values of all expressions there. */
typedef struct state {
    const dfl_model *model;
    const dfl_force_jump *jump;
    dfl_part part;
    double *number; /* per symbol of the graph */
    double *value;  /* per node of the part */
    double *size;   /* per place: its size where c is not zero */
} state;

static void take_places(dfl_force_jump *out, const dfl_sides_of *sides);
static void take_velocities(dfl_force_jump *out, const dfl_model *model, const dfl_sides_of *sides);
static bool has_coupled_masses(const dfl_model *model);
static void choose_state(state *at, unsigned *seed);
static void compare_sides(dfl_force_jump *out, const state *at);
static void evaluate(state *at);
static double value_of(const state *at, dfl_expr expr);
static double number_for(const dfl_model *model, const dfl_symbol *symbol, unsigned *seed);
static double jump_on(const state *at, dfl_expr velocity);

dfl_status dfl_sides_of_create(dfl_sides_of *out, const dfl_model *model)
{
    const dfl_graph *g = model->graph;
    dfl_context *ctx = model->ctx;
    const int nforces = model->forces.count, count = nforces + model->declarations.count;
    const size_t n = (size_t)count, symbols = (size_t)g->nsymbols;
    *out = (dfl_sides_of){.count = count,
                          .nforces = nforces,
                          .row = dfl_alloc(ctx, n, sizeof *out->row),
                          .plus = dfl_alloc(ctx, n, sizeof *out->plus),
                          .minus = dfl_alloc(ctx, n, sizeof *out->minus),
                          .line = dfl_alloc(ctx, n, sizeof *out->line),
                          .free = dfl_alloc(ctx, n, sizeof *out->free),
                          .velocity = dfl_alloc(ctx, symbols, sizeof *out->velocity),
                          .slope = dfl_alloc(ctx, symbols, sizeof *out->slope)};
    if (!out->row || !out->plus || !out->minus || !out->line || !out->free || !out->velocity ||
        !out->slope)
        return DFL_NO_MEMORY;
    for (int i = 0; i < nforces; i++) {
        out->row[i] = model->forces.item[i].expr;
        out->line[i] = model->forces.item[i].line;
        out->free[i] = true;
    }
    for (int i = nforces; i < count; i++) {
        const dfl_declaration *decl = &model->declarations.item[i - nforces];
        const bool any = decl->expr != DFL_NO_EXPR && decl->kind != DFL_AN_EVENT;
        out->row[i] = any ? decl->expr : 0;
        out->line[i] = decl->line;
        out->free[i] = decl->kind == DFL_A_DYNAMIC || decl->kind == DFL_AN_AUXILIARY ||
                       decl->kind == DFL_AN_OUTPUT;
    }
    for (int i = 0; i < g->nsymbols; i++)
        if (g->symbols[i].kind == DFL_SYM_V)
            out->velocity[out->nv++] = g->symbols[i].expr;
    return DFL_OK;
}

void dfl_sides_of_clear(dfl_sides_of *sides, dfl_context *ctx)
{
    dfl_free(ctx, sides->row);
    dfl_free(ctx, sides->plus);
    dfl_free(ctx, sides->minus);
    dfl_free(ctx, sides->line);
    dfl_free(ctx, sides->free);
    dfl_free(ctx, sides->velocity);
    dfl_free(ctx, sides->slope);
}

void dfl_sides_of_store(dfl_model *model, const dfl_sides_of *sides)
{
    for (int i = 0; i < sides->nforces; i++)
        model->forces.item[i].expr = sides->row[i];
    for (int i = sides->nforces; i < sides->count; i++)
        if (sides->free[i] && sides->row[i] != 0)
            model->declarations.item[i - sides->nforces].expr = sides->row[i];
}

/* ------------------------------------------------------------------------------- numbers */

dfl_status dfl_force_jump_create(dfl_force_jump *out, const dfl_model *model,
                                 const dfl_sides_of *sides, dfl_expr c)
{
    dfl_context *ctx = model->ctx;
    const size_t nv = (size_t)sides->nv;
    size_t count = 0;
    for (int i = 0; i < sides->count; i++)
        count += sides->plus[i] != sides->minus[i];
    *out = (dfl_force_jump){.c = c,
                            .nsymbols = model->graph->nsymbols,
                            .nforces = sides->nforces,
                            .coupled = has_coupled_masses(model),
                            .place = dfl_alloc(ctx, count, sizeof *out->place),
                            .plus = dfl_alloc(ctx, count, sizeof *out->plus),
                            .minus = dfl_alloc(ctx, count, sizeof *out->minus),
                            .velocity = dfl_alloc(ctx, nv, sizeof *out->velocity),
                            .slope = dfl_alloc(ctx, nv, sizeof *out->slope),
                            .weight = -1};
    if (!out->place || !out->plus || !out->minus || !out->velocity || !out->slope)
        return DFL_NO_MEMORY;
    take_places(out, sides);
    take_velocities(out, model, sides);
    return dfl_force_jump_find(out, model);
}

static void take_places(dfl_force_jump *out, const dfl_sides_of *sides)
{
    for (int i = 0; i < sides->count; i++)
        if (sides->plus[i] != sides->minus[i]) {
            out->place[out->count] = i;
            out->plus[out->count] = sides->plus[i];
            out->minus[out->count++] = sides->minus[i];
        }
}

/* Those of c, and those on which such forces act. */
static void take_velocities(dfl_force_jump *out, const dfl_model *model, const dfl_sides_of *sides)
{
    for (int i = 0; i < sides->nv; i++) {
        bool taken = sides->slope[i] != 0;
        for (int k = 0; k < out->count && out->place[k] < out->nforces; k++)
            taken = taken || model->forces.item[out->place[k]].u == sides->velocity[i];
        if (taken) {
            out->velocity[out->nv] = sides->velocity[i];
            out->slope[out->nv++] = sides->slope[i];
        }
    }
}

void dfl_force_jump_clear(dfl_force_jump *jump, dfl_context *ctx)
{
    void *const blocks[] = {jump->place, jump->plus, jump->minus, jump->velocity, jump->slope};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        dfl_free(ctx, blocks[i]);
    *jump = (dfl_force_jump){0};
}

dfl_status dfl_force_jump_find(dfl_force_jump *jump, const dfl_model *model)
{
    const size_t n = (size_t)jump->count, nv = (size_t)jump->nv;
    dfl_context *ctx = model->ctx;
    state at = {.model = model, .jump = jump};
    unsigned seed = 1;
    dfl_expr *rows = dfl_alloc(ctx, 2 * n + nv + 1, sizeof *rows);
    dfl_status status = rows ? DFL_OK : DFL_NO_MEMORY;
    jump->size = 0;
    jump->acts = false;
    jump->friction = true;
    for (size_t i = 0; rows && i < n; i++) {
        rows[i] = jump->plus[i];
        rows[n + i] = jump->minus[i];
    }
    for (size_t i = 0; rows && i < nv; i++)
        rows[2 * n + i] = jump->slope[i];
    if (!status) {
        rows[2 * n + nv] = jump->c;
        status = dfl_part_create(&at.part, model->graph, rows, (int)(2 * n + nv) + 1);
    }
    at.number = status ? NULL : dfl_alloc(ctx, (size_t)jump->nsymbols, sizeof *at.number);
    at.value = status ? NULL : dfl_alloc(ctx, at.part.count, sizeof *at.value);
    at.size = status ? NULL : dfl_alloc(ctx, n, sizeof *at.size);
    if (!status && (!at.number || !at.value || !at.size))
        status = DFL_NO_MEMORY;
    for (int trial = 0; !status && trial < TRIALS; trial++) {
        choose_state(&at, &seed);
        compare_sides(jump, &at);
    }
    dfl_free(ctx, at.number);
    dfl_free(ctx, at.value);
    dfl_free(ctx, at.size);
    dfl_free(ctx, rows);
    dfl_part_clear(&at.part);
    return status;
}

/* A state where c = 0. */
static void choose_state(state *at, unsigned *seed)
{
    const dfl_graph *g = at->model->graph;
    const dfl_force_jump *jump = at->jump;
    double square = 0;
    for (int i = 0; i < jump->nsymbols; i++)
        at->number[i] = number_for(at->model, &g->symbols[i], seed);
    evaluate(at);
    for (int i = 0; i < jump->count; i++)
        at->size[i] = fabs(value_of(at, jump->plus[i])) + fabs(value_of(at, jump->minus[i]));
    const double c = value_of(at, jump->c);
    for (int i = 0; i < jump->nv; i++)
        square += pow(value_of(at, jump->slope[i]), 2);
    for (int i = 0; i < jump->nv; i++)
        at->number[dfl_node_of(g, jump->velocity[i])->a] -=
            c / square * value_of(at, jump->slope[i]);
    evaluate(at);
}

/* Any number from 0.5 to 1.5, of either sign. */
static double any_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u; /* Numerical Recipes, section 7.1 */
    const double part = (double)(*seed >> 8) / (double)(1u << 24);
    return part < 0.5 ? -0.5 - 2 * part : 2 * part - 0.5;
}

static double number_for(const dfl_model *model, const dfl_symbol *symbol, unsigned *seed)
{
    const double any = any_number(seed);
    if (symbol->kind == DFL_SYM_PARAM)
        return dfl_model_owner(model, symbol->expr)->value;
    if (symbol->kind == DFL_SYM_TIME)
        return 0.01 * fabs(any); /* near the start */
    if (symbol->kind == DFL_SYM_INPUT || symbol->kind == DFL_SYM_DISCRETE)
        return fabs(any); /* such as a brake that is on */
    for (int i = 0; symbol->kind == DFL_SYM_P && i < model->starts.count; i++)
        if (model->starts.item[i].symbol == symbol->expr)
            return model->starts.item[i].value * (1 + 0.01 * any) + 1e-3 * any;
    return any;
}

static double number_of(uint32_t symbol, const void *user)
{
    return ((const state *)user)->number[symbol];
}

static void evaluate(state *at)
{
    dfl_part_evaluate(at->value, &at->part, at->model->graph, number_of, at);
}

static double value_of(const state *at, dfl_expr expr)
{
    return at->value[dfl_part_place(&at->part, expr)];
}

/* f+ - f- of one place, without rounding. */
static double jump_at(const state *at, int i)
{
    const double plus = value_of(at, at->jump->plus[i]);
    const double minus = value_of(at, at->jump->minus[i]);
    const double size = fabs(plus) + fabs(minus) + at->size[i];
    return fabs(plus - minus) > rounding * size ? plus - minus : 0;
}

/* Whether a force on one velocity may accelerate another one. */
static bool has_coupled_masses(const dfl_model *model)
{
    bool coupled = model->tree || model->energy.kinetic != DFL_NO_EXPR ||
                   model->count[DFL_A_CONSTRAINT] + model->count[DFL_A_NONHOLONOMIC] > 0;
    for (int i = 0; i < model->masses.count; i++)
        coupled = coupled || model->masses.item[i].u != model->masses.item[i].v;
    return coupled;
}

/* Of forces, and of variables that forces may contain. */
static void compare_sides(dfl_force_jump *out, const state *at)
{
    double against = 0, square = 0, rest = 0;
    for (int i = 0; i < out->count; i++) {
        const int place = out->place[i];
        const dfl_declaration *decl =
            place < out->nforces ? NULL : &at->model->declarations.item[place - out->nforces];
        const double jump = jump_at(at, i);
        if (!decl || decl->kind == DFL_AN_AUXILIARY)
            out->size = fmax(out->size, fabs(jump));
        if (decl && decl->kind == DFL_AN_AUXILIARY)
            out->acts = out->acts || jump != 0;
        /* also one that does not jump here may jump elsewhere */
        out->friction = out->friction && (decl ? decl->kind == DFL_AN_OUTPUT : jump != 0);
    }
    for (int i = 0; i < out->nv; i++) {
        const double slope = value_of(at, out->slope[i]);
        const double jump = jump_on(at, out->velocity[i]);
        against -= slope * jump;
        square += slope * slope;
        out->acts = out->acts || (jump != 0 && (slope != 0 || out->coupled));
    }
    for (int i = 0; i < out->nv; i++)
        rest = fmax(rest, fabs(jump_on(at, out->velocity[i]) +
                               against / square * value_of(at, out->slope[i])));
    out->friction = out->friction && against > 0 && rest <= rounding * against / sqrt(square);
}

/* Of all forces on a velocity. */
static double jump_on(const state *at, dfl_expr velocity)
{
    const dfl_force_jump *jump = at->jump;
    double sum = 0;
    for (int i = 0; i < jump->count && jump->place[i] < jump->nforces; i++)
        if (at->model->forces.item[jump->place[i]].u == velocity)
            sum += jump_at(at, i);
    return sum;
}
