/* sliding.c: forces that jump with the sign of a speed c, so that a motion may have to stay on c =
   0.

   Where both sides push towards c = 0 neither branch can go on. Filippov's motion stays there, with
   a force between those of the two sides,

       f = (f+ + f-) / 2 + s (f+ - f-) / 2,    -1 <= s <= 1,    c = 0.

   It is like friction: a row that holds c = 0 is on while the motion slides along it, and off while
   s is the sign of c. */
#include "declare/declare_internal.h"
#include "declare/force_jumps.h"

#include "symbolic/symbolic.h"

#include <stdio.h>

static dfl_status let_slide(dfl_model *model, dfl_sides_of *sides, const dfl_locking *all,
                            int number);
static dfl_status lock_one(bool *usable, dfl_sides_of *sides, dfl_model *model,
                           const dfl_locking *all, int number);
static bool is_speed(const dfl_model *model, dfl_expr c, const dfl_expr *slope,
                     const dfl_sides_of *sides);
static dfl_status add_friction(dfl_model *model, dfl_sides_of *sides, dfl_expr c, int line);
static dfl_status add_relay(dfl_force_jump *jump, dfl_model *model, dfl_sides_of *sides, dfl_expr c,
                            int line);
static dfl_status remember(dfl_force_jump **out, dfl_model *model, const dfl_sides_of *sides,
                           dfl_expr c);
static bool slides(const dfl_force_jump *jump);

dfl_status dfl_model_slide(dfl_model *model)
{
    dfl_locking *all = NULL;
    dfl_sides_of sides;
    dfl_status status = dfl_sides_of_create(&sides, model);
    if (!status)
        status = dfl_locking_create(&all, model->graph, NULL, 0);
    if (!status)
        status = dfl_lock(sides.plus, NULL, all, sides.row, sides.count, true);
    const int switches = status ? 0 : all->count;
    for (int i = 0; !status && i < switches; i++)
        if (all->item[i].kind == DFL_SWITCH_SIGN && all->item[i].condition == all->item[i].source)
            status = let_slide(model, &sides, all, i);
    if (!status)
        dfl_sides_of_store(model, &sides);
    dfl_locking_free(all);
    dfl_sides_of_clear(&sides, model->ctx);
    return status ? status : dfl_graph_status(model->graph);
}

static dfl_status let_slide(dfl_model *model, dfl_sides_of *sides, const dfl_locking *all,
                            int number)
{
    const dfl_expr c = all->item[number].source;
    bool usable = false;
    dfl_status status =
        dfl_gradient_exprs(sides->slope, model->graph, c, sides->velocity, sides->nv);
    if (status || !is_speed(model, c, sides->slope, sides))
        return status;
    status = lock_one(&usable, sides, model, all, number);
    if (status || !usable)
        return status;
    dfl_force_jump *jump;
    status = remember(&jump, model, sides, c);
    if (status || !slides(jump))
        return status;
    int line = 0;
    for (int i = 0; i < sides->count && line == 0; i++)
        line = sides->plus[i] != sides->minus[i] ? sides->line[i] : 0;
    return jump->friction ? add_friction(model, sides, c, line)
                          : add_relay(jump, model, sides, c, line);
}

/* With its numbers, which other values of parameters may change. */
static dfl_status remember(dfl_force_jump **out, dfl_model *model, const dfl_sides_of *sides,
                           dfl_expr c)
{
    dfl_force_jump *all = dfl_grow(model->ctx, model->jumps.item, &model->jumps.room,
                                   model->jumps.count, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    model->jumps.item = all;
    *out = &all[model->jumps.count++];
    return dfl_force_jump_create(*out, model, sides, c);
}

static bool slides(const dfl_force_jump *jump)
{
    return jump->size > 0 && jump->acts;
}

dfl_status dfl_model_slides_alike(bool *same, dfl_model *model)
{
    dfl_status status = DFL_OK;
    *same = true;
    for (int i = 0; !status && *same && i < model->jumps.count; i++) {
        dfl_force_jump *jump = &model->jumps.item[i];
        const bool slid = slides(jump), friction = jump->friction;
        status = dfl_force_jump_find(jump, model);
        *same = slides(jump) == slid && (!slid || jump->friction == friction);
        if (jump->weight >= 0)
            model->actions.discretes.item[jump->weight].value = jump->size;
    }
    return status;
}

/* Linear in velocities, with coefficients of positions and time: a row must not jump. */
static bool is_speed(const dfl_model *model, dfl_expr c, const dfl_expr *slope,
                     const dfl_sides_of *sides)
{
    const unsigned allowed =
        1u << DFL_SYM_TIME | 1u << DFL_SYM_PARAM | 1u << DFL_SYM_P | 1u << DFL_SYM_V;
    const dfl_graph *g = model->graph;
    if ((dfl_node_of(g, c)->depends & ~allowed) || !dfl_depends(g, c, DFL_SYM_V))
        return false;
    for (int i = 0; i < sides->nv; i++)
        if (dfl_depends(g, slope[i], DFL_SYM_V))
            return false;
    return true;
}

/* All rows on the two sides of one switch; not usable where rows that must not jump contain it. */
static dfl_status lock_one(bool *usable, dfl_sides_of *sides, dfl_model *model,
                           const dfl_locking *all, int number)
{
    dfl_graph *g = model->graph;
    const dfl_expr one = dfl_constant(g, 1), minus_one = dfl_constant(g, -1);
    dfl_locking *lock = NULL;
    dfl_expr *open = dfl_alloc(model->ctx, (size_t)all->count, sizeof *open);
    dfl_status status = open ? DFL_OK : DFL_NO_MEMORY;
    for (int i = 0; !status && i < all->count; i++)
        open[i] = i == number ? DFL_NO_EXPR : all->item[i].source;
    if (!status)
        status = dfl_locking_create(&lock, g, open, all->count);
    if (!status)
        status = dfl_lock(sides->plus, NULL, lock, sides->row, sides->count, true);
    *usable = !status && lock->count == 1;
    if (*usable) {
        const dfl_expr branch = lock->item[0].branch;
        status = dfl_substitute_exprs(sides->minus, g, sides->plus, sides->count, &branch,
                                      &minus_one, 1);
        if (!status)
            status =
                dfl_substitute_exprs(sides->plus, g, sides->plus, sides->count, &branch, &one, 1);
    }
    for (int i = 0; !status && i < sides->count; i++)
        *usable = *usable && (sides->free[i] || sides->plus[i] == sides->minus[i]);
    dfl_locking_free(lock);
    dfl_free(model->ctx, open);
    return status;
}

/* A name that nothing has, such as slide.line12. */
static void find_name(char *name, size_t size, const dfl_model *model, int line)
{
    snprintf(name, size, "slide.line%d", line);
    for (int k = 2; dfl_model_find(model, name); k++)
        snprintf(name, size, "slide.line%d.%d", line, k);
}

/* A touch with this slip; *stick, *sense: its modes, *mu: its multiplier. */
static dfl_status add_touch(dfl_touch **out, dfl_expr *mu, dfl_expr *sense, dfl_model *model,
                            dfl_expr slip, const char *name, int line)
{
    const dfl_touch touch = {
        .name = (char *)name, .line = line, .gap = DFL_NO_EXPR, .directions = 1, .slip = {slip}};
    dfl_graph *g = model->graph;
    int number;
    const dfl_status status = dfl_model_touch(&number, model, &touch);
    if (status)
        return status;
    *out = &model->actions.touches.item[number];
    *sense = model->actions.discretes.item[(*out)->sense].symbol;
    *mu = dfl_mul(g, model->actions.discretes.item[(*out)->stick].symbol,
                  model->declarations.item[(*out)->tangent[0]].symbol);
    return DFL_OK;
}

/* (f+ + f-)/2 + s (f+ - f-)/2 */
static dfl_expr between(dfl_graph *g, const dfl_sides_of *sides, int i, dfl_expr s)
{
    const dfl_expr plus = sides->plus[i], minus = sides->minus[i];
    const dfl_expr twice =
        dfl_add(g, dfl_add(g, plus, minus), dfl_mul(g, s, dfl_sub(g, plus, minus)));
    return plus == minus ? sides->row[i] : dfl_mul(g, dfl_constant(g, 0.5), twice);
}

/* Forces that act against c: the row itself pushes as they do, up to F. */
static dfl_status add_friction(dfl_model *model, dfl_sides_of *sides, dfl_expr c, int line)
{
    dfl_graph *g = model->graph;
    char name[60];
    dfl_touch *touch;
    dfl_expr mu, sense, against = 0, square = 0;
    find_name(name, sizeof name, model, line);
    const dfl_status status = add_touch(&touch, &mu, &sense, model, c, name, line);
    if (status)
        return status;
    for (int i = 0; i < sides->nv; i++) {
        square = dfl_add(g, square, dfl_unary(g, DFL_OP_SQ, sides->slope[i]));
        for (int k = 0; k < sides->nforces; k++)
            if (model->forces.item[k].u == sides->velocity[i])
                against = dfl_add(
                    g, against,
                    dfl_mul(g, sides->slope[i], dfl_sub(g, sides->minus[k], sides->plus[k])));
    }
    touch->limit = touch->kinetic = dfl_mul(g, dfl_constant(g, 0.5), dfl_div(g, against, square));
    const dfl_expr part = dfl_select(g, touch->limit, dfl_div(g, mu, touch->limit), 0);
    const dfl_expr s = dfl_add(g, sense, part);
    for (int i = 0; i < sides->count; i++)
        sides->row[i] = between(g, sides, i, i < sides->nforces ? sense : s);
    return DFL_OK;
}

/* Other forces: the multiplier is s itself, and what the row pushes is taken back. The row is
   weighted with a force, so that s is a number. */
static dfl_status add_relay(dfl_force_jump *jump, dfl_model *model, dfl_sides_of *sides, dfl_expr c,
                            int line)
{
    dfl_graph *g = model->graph;
    char name[60], weight[80];
    dfl_touch *touch;
    dfl_expr force, mu, sense;
    find_name(name, sizeof name, model, line);
    snprintf(weight, sizeof weight, "%s.weight", name);
    dfl_status status = dfl_model_hidden_discrete(&force, model, weight, jump->size);
    jump->weight = model->actions.discretes.count - 1;
    if (!status)
        status = add_touch(&touch, &mu, &sense, model, dfl_mul(g, force, c), name, line);
    if (status)
        return status;
    touch->kinetic = touch->limit = dfl_constant(g, 1);
    const dfl_expr s = dfl_add(g, sense, mu);
    for (int i = 0; i < sides->count; i++)
        sides->row[i] = between(g, sides, i, s);
    for (int i = 0; !status && i < sides->nv; i++)
        if (sides->slope[i] != 0)
            status = dfl_model_force(model, line, sides->velocity[i],
                                     dfl_mul(g, dfl_mul(g, mu, force), sides->slope[i]));
    return status;
}
