/* reactions.c: what joints transmit.

   A joint that bodies hang on carries what the bodies behind it need for their motion beyond the
   forces that act on them (Newton and Euler, about the joint's point x_j):

       F = sum m (a - g) - sum F_i
       N = sum (x - x_j) x m (a - g) + J alpha + omega x J omega - sum (x_i - x_j) x F_i + N_i

   with the symbols of accelerations in a and alpha. The forces F_i, N_i include those of loops that
   lead out of the part behind the joint; the forces of a loop come from its multipliers. */
#include "drawing/reactions.h"

#include "context/context.h"
#include "drawing/drawing_internal.h"
#include "drawing/vectors.h"
#include "symbolic/symbolic.h"

#include <string.h>

typedef struct sums {
    dfl_vec x; /* the joint's point */
    dfl_vec F, N;
} sums;

const char *const dfl_reaction_names[DFL_REACTIONS] = {"fx", "fy", "fz", "mx", "my", "mz", "drive"};

static bool has_drive(const dfl_placed_joint *joint);
static dfl_status add_bond(dfl_drawing *drawing, const dfl_bond *bond);
static dfl_status resolve_joint(dfl_expr values[DFL_REACTIONS], dfl_drawing *drawing, int joint);
static dfl_status balance(sums *s, dfl_drawing *drawing, int joint);
static bool is_behind(const dfl_drawing *drawing, int body, int joint);
static dfl_status add_inertia(sums *s, dfl_drawing *drawing, int body);
static dfl_status add_elastic(sums *s, dfl_drawing *drawing, const dfl_elastic *e);
static dfl_status take_applied(sums *s, dfl_drawing *drawing, const dfl_applied *load);
static void take(sums *s, dfl_graph *g, dfl_vec x, dfl_vec F, dfl_vec N);
static dfl_status take_loops(sums *s, dfl_drawing *drawing, int joint, bool impulses);
static dfl_status along_axis(dfl_expr *out, dfl_drawing *drawing, const dfl_placed_joint *joint,
                             const sums *s);
static dfl_status replace(dfl_drawing *drawing, const dfl_expr *symbols, const dfl_expr *values,
                          int count);
static dfl_status may_have_kinks(bool *out, const dfl_drawing *drawing, dfl_expr rate);
static dfl_status momentum_along(dfl_expr *out, dfl_drawing *drawing, int joint);
static dfl_status add_momentum(sums *s, dfl_drawing *drawing, int body);
static dfl_status add_elastic_momentum(sums *s, dfl_drawing *drawing, const dfl_elastic *e);
static void fill_squares(dfl_expr S[16], dfl_graph *g, dfl_mat R);

dfl_status dfl_drawing_reaction(dfl_expr *out, dfl_drawing *drawing, int joint, int k)
{
    const dfl_placed_joint *j = &drawing->joints[joint];
    if (k == DFL_REACTIONS - 1 && !has_drive(j))
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "joint '%s' has no drive: only joints with one coordinate on which bodies "
                        "hang have one",
                        j->name);
    dfl_text name = {.ctx = drawing->ctx};
    dfl_text_add(&name, "%s.%s", j->name, dfl_reaction_names[k]);
    const dfl_status status = name.status;
    if (!status)
        *out = dfl_symbol_expr(drawing->graph, DFL_SYM_PENDING, DFL_REACTIONS * joint + k,
                               dfl_text_string(&name));
    dfl_text_clear(&name);
    return status ? status : dfl_graph_status(drawing->graph);
}

static bool has_drive(const dfl_placed_joint *joint)
{
    return !joint->loop && dfl_joint_may_be_driven(joint->drawn.kind);
}

dfl_status dfl_drawing_bond(dfl_drawing *drawing, int a, int b, dfl_expr multiplier, dfl_vec x,
                            dfl_vec force, dfl_vec torque)
{
    dfl_graph *g = drawing->graph;
    const dfl_expr k = dfl_neg(g, multiplier);
    const dfl_vec F = vec_scale(g, k, force), N = vec_scale(g, k, torque);
    return add_bond(drawing, &(dfl_bond){a, b, x, F, N, F});
}

dfl_status dfl_drawing_touching(dfl_drawing *drawing, int a, int b, dfl_vec x, dfl_vec force,
                                dfl_vec impulse)
{
    return add_bond(drawing, &(dfl_bond){a, b, x, force, vec_zero(), impulse});
}

static dfl_status add_bond(dfl_drawing *drawing, const dfl_bond *bond)
{
    dfl_bond *bonds =
        dfl_grow(drawing->ctx, drawing->bonds, &drawing->max_bonds, drawing->nbonds, sizeof *bonds);
    if (!bonds)
        return DFL_NO_MEMORY;
    drawing->bonds = bonds;
    bonds[drawing->nbonds++] = *bond;
    return dfl_graph_status(drawing->graph);
}

dfl_status dfl_drawing_note(dfl_drawing *drawing, int body, dfl_vec point, dfl_vec force,
                            dfl_vec torque)
{
    dfl_applied *applied = dfl_grow(drawing->ctx, drawing->applied, &drawing->max_applied,
                                    drawing->napplied, sizeof *applied);
    if (!applied)
        return DFL_NO_MEMORY;
    drawing->applied = applied;
    applied[drawing->napplied++] = (dfl_applied){body, point, force, torque};
    return DFL_OK;
}

/* -------------------------------------------------------------------------- when all is known */

dfl_status dfl_drawing_resolve(dfl_drawing *drawing)
{
    const dfl_graph *g = drawing->graph;
    const int nsymbols = g->nsymbols; /* accelerations may follow */
    int count = 0;
    for (int i = 0; i < nsymbols; i++)
        count += g->symbols[i].kind == DFL_SYM_PENDING;
    if (count == 0)
        return DFL_OK;
    dfl_expr *symbols = dfl_alloc(drawing->ctx, (size_t)(2 * count), sizeof *symbols);
    dfl_expr *values = symbols + count;
    dfl_status status = symbols ? DFL_OK : DFL_NO_MEMORY;
    count = 0;
    for (int i = 0; i < nsymbols && !status; i++) {
        const dfl_symbol symbol = g->symbols[i];
        dfl_expr all[DFL_REACTIONS];
        if (symbol.kind != DFL_SYM_PENDING)
            continue;
        status = resolve_joint(all, drawing, symbol.index / DFL_REACTIONS);
        symbols[count] = symbol.expr;
        values[count++] = status ? 0 : all[symbol.index % DFL_REACTIONS];
    }
    if (!status)
        status = replace(drawing, symbols, values, count);
    dfl_free(drawing->ctx, symbols);
    return status;
}

static dfl_status resolve_joint(dfl_expr values[DFL_REACTIONS], dfl_drawing *drawing, int joint)
{
    const dfl_placed_joint *j = &drawing->joints[joint];
    sums s = {.F = vec_zero(), .N = vec_zero()};
    dfl_status status = j->loop ? dfl_drawing_loop_force(&s.x, &s.F, &s.N, drawing, joint)
                                : balance(&s, drawing, joint);
    for (int i = 0; i < 3; i++) {
        values[i] = s.F.e[i];
        values[3 + i] = s.N.e[i];
    }
    values[DFL_REACTIONS - 1] = 0;
    if (!status && has_drive(j))
        status = along_axis(&values[DFL_REACTIONS - 1], drawing, j, &s);
    return status;
}

static dfl_status balance(sums *s, dfl_drawing *drawing, int joint)
{
    const dfl_drawn_joint *drawn = &drawing->joints[joint].drawn;
    dfl_status status = dfl_drawing_point(&s->x, drawing, drawn->child, drawn->at);
    for (int i = 0; i < drawing->nbodies && !status; i++)
        if (is_behind(drawing, i, joint))
            status = add_inertia(s, drawing, i);
    for (int i = 0; i < drawing->nelastics && !status; i++)
        if (is_behind(drawing, drawing->elastics[i].body, joint))
            status = add_elastic(s, drawing, &drawing->elastics[i]);
    for (int i = 0; i < drawing->napplied && !status; i++)
        if (is_behind(drawing, drawing->applied[i].body, joint))
            status = take_applied(s, drawing, &drawing->applied[i]);
    if (!status)
        status = take_loops(s, drawing, joint, false);
    return status ? status : dfl_graph_status(drawing->graph);
}

static bool is_behind(const dfl_drawing *drawing, int body, int joint)
{
    while (body != DFL_GROUND && drawing->bodies[body].joint != joint)
        body = drawing->joints[drawing->bodies[body].joint].drawn.parent;
    return body != DFL_GROUND;
}

static dfl_status add_inertia(sums *s, dfl_drawing *drawing, int body)
{
    dfl_graph *g = drawing->graph;
    const dfl_placed_body b = drawing->bodies[body];
    dfl_vec alpha, a, x, omega;
    dfl_mat R;
    dfl_status status = dfl_drawing_acceleration(&alpha, &a, drawing, body, b.com, false);
    if (!status)
        status = dfl_drawing_point(&x, drawing, body, b.com);
    if (!status)
        status = dfl_drawing_omega(&omega, drawing, body);
    if (!status)
        status = dfl_drawing_rotation(&R, drawing, body);
    if (status)
        return status;
    const dfl_sym J = sym_rotate(g, R, b.inertia);
    const dfl_vec need = vec_scale(g, b.mass, vec_sub(g, a, drawing->gravity));
    dfl_vec moment = vec_cross_add(g, sym_times(g, J, alpha), omega, sym_times(g, J, omega));
    moment = vec_cross_add(g, moment, vec_sub(g, x, s->x), need);
    s->F = vec_add(g, s->F, need);
    s->N = vec_add(g, s->N, moment);
    return DFL_OK;
}

/* An elastic body, about the origin of its frame. */
static dfl_status add_elastic(sums *s, dfl_drawing *drawing, const dfl_elastic *e)
{
    dfl_graph *g = drawing->graph;
    const dfl_vec origin = drawing->links[drawing->bodies[e->body].link].at;
    dfl_vec alpha, a, x, omega, F, N;
    dfl_mat R;
    dfl_status status = dfl_drawing_acceleration(&alpha, &a, drawing, e->body, origin, false);
    if (!status)
        status = dfl_drawing_point(&x, drawing, e->body, origin);
    if (!status)
        status = dfl_drawing_omega(&omega, drawing, e->body);
    if (!status)
        status = dfl_drawing_rotation(&R, drawing, e->body);
    if (!status)
        status = dfl_elastic_need(&F, &N, drawing, e, mat_back(g, R, omega), mat_back(g, R, alpha),
                                  mat_back(g, R, vec_sub(g, a, drawing->gravity)));
    if (status)
        return status;
    F = mat_times(g, R, F);
    s->F = vec_add(g, s->F, F);
    s->N = vec_add(g, s->N, mat_times(g, R, N));
    s->N = vec_cross_add(g, s->N, vec_sub(g, x, s->x), F);
    return DFL_OK;
}

static dfl_status take_applied(sums *s, dfl_drawing *drawing, const dfl_applied *load)
{
    const dfl_applied l = *load;
    dfl_vec x;
    const dfl_status status = dfl_drawing_point(&x, drawing, l.body, l.point);
    if (!status)
        take(s, drawing->graph, x, l.force, l.torque);
    return status;
}

/* A force at x and a torque act on the bodies behind the joint: the joint carries less by them. */
static void take(sums *s, dfl_graph *g, dfl_vec x, dfl_vec F, dfl_vec N)
{
    s->F = vec_sub(g, s->F, F);
    s->N = vec_sub(g, s->N, vec_cross_add(g, N, vec_sub(g, x, s->x), F));
}

/* Loops and bonds with one end behind the joint. */
static dfl_status take_loops(sums *s, dfl_drawing *drawing, int joint, bool impulses)
{
    dfl_graph *g = drawing->graph;
    dfl_status status = DFL_OK;
    for (int i = 0; i < drawing->njoints + drawing->nbonds && !status; i++) {
        const bool is_joint = i < drawing->njoints;
        dfl_bond bond = {0};
        if (!is_joint)
            bond = drawing->bonds[i - drawing->njoints];
        else if (!drawing->joints[i].loop)
            continue;
        if (is_joint) {
            bond.a = drawing->joints[i].drawn.parent;
            bond.b = drawing->joints[i].drawn.child;
        }
        const bool a = is_behind(drawing, bond.a, joint), b = is_behind(drawing, bond.b, joint);
        if (a == b)
            continue;
        if (is_joint)
            status = dfl_drawing_loop_force(&bond.x, &bond.force, &bond.torque, drawing, i);
        const dfl_vec force = impulses && !is_joint ? bond.impulse : bond.force;
        if (!status)
            take(s, g, bond.x, a ? vec_neg(g, force) : force,
                 a ? vec_neg(g, bond.torque) : bond.torque);
    }
    return status;
}

/* The work per rad or m of the joint's motion. */
static dfl_status along_axis(dfl_expr *out, dfl_drawing *drawing, const dfl_placed_joint *joint,
                             const sums *s)
{
    dfl_graph *g = drawing->graph;
    const dfl_joint_kind kind = joint->drawn.kind;
    dfl_mat R;
    const dfl_status status = dfl_drawing_rotation(&R, drawing, joint->drawn.child);
    if (status)
        return status;
    const dfl_vec axis = mat_times(g, R, dfl_drawing_unit(drawing, joint->drawn.axis));
    const dfl_expr push = vec_dot(g, axis, s->F), turn = vec_dot(g, axis, s->N);
    *out = dfl_joint_is(kind, DFL_STEP_PRISMATIC) ? push
           : dfl_joint_is(kind, DFL_STEP_REVOLUTE)
               ? turn
               : dfl_add(g, turn, dfl_mul(g, joint->drawn.lead, push));
    return DFL_OK;
}

/* In every output that contains one of the symbols. */
static dfl_status replace(dfl_drawing *drawing, const dfl_expr *symbols, const dfl_expr *values,
                          int count)
{
    dfl_model *model = drawing->model;
    dfl_status status = DFL_OK;
    for (int i = 0; i < model->declarations.count && !status; i++) {
        dfl_declaration *d = &model->declarations.item[i];
        if (d->kind == DFL_AN_OUTPUT && dfl_depends(drawing->graph, d->expr, DFL_SYM_PENDING))
            status =
                dfl_substitute_exprs(&d->expr, drawing->graph, &d->expr, 1, symbols, values, count);
    }
    return status;
}

/* -------------------------------------------------------------------------- impulses */

/* Of motions that may have kinks and of models with events or contacts. Where velocities jump,
   positions do not: of Newton and Euler, integrated over the instant, momenta are left, and the
   impulses of loops, which stand in the places of their multipliers. */
dfl_status dfl_drawing_momenta(dfl_drawing *drawing)
{
    dfl_model *model = drawing->model;
    dfl_status status = DFL_OK;
    for (int i = 0; i < model->motions.count && !status; i++) {
        bool may = model->actions.touches.count > 0 || model->actions.list.count > 0;
        dfl_expr momentum = DFL_NO_EXPR;
        if (!may)
            status = may_have_kinks(&may, drawing, model->motions.item[i].rate);
        for (int k = 0; k < drawing->njoints && may && !status; k++)
            if (drawing->joints[k].drawn.driven &&
                strcmp(drawing->joints[k].name, model->motions.item[i].name) == 0)
                status = momentum_along(&momentum, drawing, k);
        model->motions.item[i].momentum = momentum;
    }
    return status;
}

static dfl_status may_have_kinks(bool *out, const dfl_drawing *drawing, dfl_expr rate)
{
    dfl_locking *lock;
    dfl_status status = dfl_locking_create(&lock, drawing->graph, NULL, 0);
    if (!status)
        status = dfl_lock(&rate, NULL, lock, &rate, 1, true);
    *out = !status && lock->count > 0;
    dfl_locking_free(lock);
    return status;
}

static dfl_status momentum_along(dfl_expr *out, dfl_drawing *drawing, int joint)
{
    const dfl_placed_joint *j = &drawing->joints[joint];
    sums s = {.F = vec_zero(), .N = vec_zero()};
    dfl_status status = dfl_drawing_point(&s.x, drawing, j->drawn.child, j->drawn.at);
    for (int i = 0; i < drawing->nbodies && !status; i++)
        if (is_behind(drawing, i, joint))
            status = add_momentum(&s, drawing, i);
    for (int i = 0; i < drawing->nelastics && !status; i++)
        if (is_behind(drawing, drawing->elastics[i].body, joint))
            status = add_elastic_momentum(&s, drawing, &drawing->elastics[i]);
    if (!status)
        status = take_loops(&s, drawing, joint, true);
    return status ? status : along_axis(out, drawing, j, &s);
}

static dfl_status add_momentum(sums *s, dfl_drawing *drawing, int body)
{
    dfl_graph *g = drawing->graph;
    const dfl_placed_body b = drawing->bodies[body];
    dfl_vec v, x, omega;
    dfl_mat R;
    dfl_status status = dfl_drawing_velocity(&v, drawing, body, b.com);
    if (!status)
        status = dfl_drawing_point(&x, drawing, body, b.com);
    if (!status)
        status = dfl_drawing_omega(&omega, drawing, body);
    if (!status)
        status = dfl_drawing_rotation(&R, drawing, body);
    if (status)
        return status;
    const dfl_vec P = vec_scale(g, b.mass, v);
    const dfl_vec spin = sym_times(g, sym_rotate(g, R, b.inertia), omega);
    s->F = vec_add(g, s->F, P);
    s->N = vec_add(g, s->N, vec_cross_add(g, spin, vec_sub(g, x, s->x), P));
    return DFL_OK;
}

static dfl_status add_elastic_momentum(sums *s, dfl_drawing *drawing, const dfl_elastic *e)
{
    dfl_graph *g = drawing->graph;
    const dfl_vec origin = drawing->links[drawing->bodies[e->body].link].at;
    dfl_vec v, x, omega, P, L;
    dfl_mat R;
    dfl_status status = dfl_drawing_velocity(&v, drawing, e->body, origin);
    if (!status)
        status = dfl_drawing_point(&x, drawing, e->body, origin);
    if (!status)
        status = dfl_drawing_omega(&omega, drawing, e->body);
    if (!status)
        status = dfl_drawing_rotation(&R, drawing, e->body);
    if (status)
        return status;
    dfl_elastic_momentum(&P, &L, drawing, e, mat_back(g, R, omega), mat_back(g, R, v));
    P = mat_times(g, R, P);
    s->F = vec_add(g, s->F, P);
    s->N = vec_add(g, s->N, vec_cross_add(g, mat_times(g, R, L), vec_sub(g, x, s->x), P));
    return DFL_OK;
}

/* -------------------------------------------------------------------------- orientation */

/* With e = (e0, e1, e2, e3) the entries of 4 e e^T are sums of entries of R. Its row of a component
   that is not small gives all of them to full accuracy, also their signs (Shepperd 1978): e0 up to
   turns of about 140 degrees, beyond them the largest of the others. */
dfl_status dfl_drawing_quaternion(dfl_expr e[4], dfl_drawing *drawing, int body, dfl_vec axis,
                                  dfl_vec axis2)
{
    dfl_graph *g = drawing->graph;
    dfl_mat R;
    dfl_vec axes[3];
    dfl_expr S[16];
    const dfl_status status = dfl_drawing_rotation(&R, drawing, body);
    if (status)
        return status;
    dfl_drawing_axes(axes, drawing, axis, axis2);
    fill_squares(S, g, mat_product(g, R, mat_transpose(mat_of_rows(axes))));
    const dfl_expr near = dfl_sub(g, S[0], dfl_constant(g, 0.5));
    const dfl_expr first =
        dfl_binary(g, DFL_OP_MIN, dfl_sub(g, S[5], S[10]), dfl_sub(g, S[5], S[15]));
    const dfl_expr second = dfl_sub(g, S[10], S[15]);
    for (int k = 0; k < 4; k++)
        S[k] =
            dfl_select(g, near, S[k], /* the row */
                       dfl_select(g, first, S[4 + k], dfl_select(g, second, S[8 + k], S[12 + k])));
    const dfl_expr square = dfl_add(g, dfl_add(g, dfl_mul(g, S[0], S[0]), dfl_mul(g, S[1], S[1])),
                                    dfl_add(g, dfl_mul(g, S[2], S[2]), dfl_mul(g, S[3], S[3])));
    const dfl_expr length = dfl_unary(g, DFL_OP_SQRT, square);
    const dfl_expr positive = dfl_select(g, dfl_neg(g, S[0]), dfl_neg(g, length), length);
    for (int k = 0; k < 4; k++)
        e[k] = dfl_div(g, S[k], positive);
    return dfl_graph_status(g);
}

/* S = 4 e e^T, by rows. */
static void fill_squares(dfl_expr S[16], dfl_graph *g, dfl_mat R)
{
    const dfl_expr one = dfl_constant(g, 1.0);
    const dfl_expr trace = dfl_add(g, R.e[0], dfl_add(g, R.e[4], R.e[8]));
    S[0] = dfl_add(g, one, trace);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const dfl_expr others = dfl_add(g, R.e[4 * j], R.e[4 * k]);
        S[5 * (i + 1)] = dfl_add(g, one, dfl_sub(g, R.e[4 * i], others));
        S[i + 1] = S[4 * (i + 1)] = dfl_sub(g, R.e[3 * k + j], R.e[3 * j + k]);
        S[4 * (j + 1) + k + 1] = S[4 * (k + 1) + j + 1] =
            dfl_add(g, R.e[3 * k + j], R.e[3 * j + k]);
    }
}
