/* tree_description.c: a drawing left to recursions over numbers.

   Expressions of M and of its derivatives grow with the third power of the number of bodies in a
   chain, the recursions of src/multibody linearly. A drawing can therefore leave its masses, forces
   of inertia and gravity, and the rows of its loops to them, as a description with expressions for
   all numbers (declare/mass_tree.h); everything else is lowered as usual. The kinetic energy stays
   an expression: from the velocities of the links,

       T = sum of m u.u / 2 + u.(omega x R h) + (R^T omega).J (R^T omega) / 2

   it needs no masses of velocities. */
#include "drawing/drawing_internal.h"

#include "context/context.h"
#include "drawing/vectors.h"

static const char *obstacle(const dfl_drawing *drawing);
static const char *massless_obstacle(const dfl_drawing *drawing);
static dfl_status note_obstacle(const dfl_drawing *drawing, const char *why);
static dfl_status describe(dfl_mass_tree **out, const dfl_drawing *drawing);
static dfl_status describe_body(dfl_mass_tree *tree, const dfl_placed_body *body);
static dfl_status describe_joint(dfl_mass_tree *tree, const dfl_placed_joint *joint);
static dfl_status describe_loop(dfl_mass_tree *tree, const dfl_placed_joint *joint);
static dfl_status has_massless(bool *out, const dfl_drawing *drawing, const dfl_mass_tree *tree);
static dfl_expr kinetic_energy(dfl_drawing *drawing);

dfl_status dfl_drawing_leave_to_recursion(bool *left, dfl_drawing *drawing)
{
    dfl_mass_tree *tree = NULL;
    bool massless = false, wanted, noteworthy;
    *left = false;
    dfl_status status = dfl_drawing_choose_evaluation(&wanted, &noteworthy, drawing);
    if (status || !wanted)
        return status;
    const char *why = obstacle(drawing);
    if (why)
        return noteworthy ? note_obstacle(drawing, why) : DFL_OK;
    status = describe(&tree, drawing);
    if (!status)
        status = has_massless(&massless, drawing, tree);
    why = !status && massless ? massless_obstacle(drawing) : NULL;
    if (why && noteworthy)
        status = note_obstacle(drawing, why);
    else if (!status && !why)
        status = dfl_model_driven(drawing->model, kinetic_energy(drawing));
    *left = !status && !why;
    if (*left)
        dfl_model_set_tree(drawing->model, tree);
    else
        dfl_mass_tree_free(tree);
    return status;
}

/* Why recursions are not possible, or NULL. */
static const char *obstacle(const dfl_drawing *drawing)
{
    const dfl_model *model = drawing->model;
    int velocities = model->count[DFL_A_SPEED];
    for (int i = 0; i < model->declarations.count; i++) {
        const dfl_declaration *decl = &model->declarations.item[i];
        velocities += decl->kind == DFL_A_POSITION && decl->expr == DFL_NO_EXPR;
    }
    if (drawing->nelastics > 0)
        return "there are elastic bodies";
    for (int i = 0; i < drawing->njoints; i++) {
        if (drawing->joints[i].drawn.kind == DFL_JOINT_USER)
            return "there are joints given by their pose";
    }
    if (dfl_drawing_velocities(drawing) == 0)
        return "all motions are prescribed";
    return velocities > dfl_drawing_velocities(drawing)
               ? "there are coordinates other than those of joints"
               : NULL;
}

/* The same where bodies have no mass: their directions follow from the masses of the tree alone,
   and the balance of forces along them must not contain multipliers. */
static const char *massless_obstacle(const dfl_drawing *drawing)
{
    const unsigned multipliers = 1U << DFL_SYM_LAMBDA | 1U << DFL_SYM_MU;
    const dfl_model *model = drawing->model;
    unsigned depends = 0;
    for (int i = 0; i < drawing->nbodies; i++)
        if (drawing->bodies[i].quasistatic)
            return "there are quasistatic bodies";
    if (model->masses.count > 0 || model->energy.kinetic != DFL_NO_EXPR)
        return "there are masses other than those of bodies, and directions without mass";
    for (int i = 0; i < model->forces.count; i++)
        depends |= dfl_node_of(drawing->graph, model->forces.item[i].expr)->depends;
    for (int i = 0; i < drawing->nlinks; i++)
        for (int k = 0; k < 3; k++)
            depends |= dfl_node_of(drawing->graph, drawing->links[i].force.e[k])->depends |
                       dfl_node_of(drawing->graph, drawing->links[i].torque.e[k])->depends;
    return depends & multipliers
               ? "forces contain multipliers, and there are directions without mass"
               : NULL;
}

static dfl_status note_obstacle(const dfl_drawing *drawing, const char *why)
{
    dfl_text text = {.ctx = drawing->ctx};
    drawing->model->no_tree = why;
    dfl_text_add(&text, "masses are evaluated as expressions, not by recursion: %s", why);
    const dfl_status status =
        text.status ? text.status : dfl_model_note(drawing->model, dfl_text_string(&text));
    dfl_text_clear(&text);
    return status;
}

static dfl_status describe(dfl_mass_tree **out, const dfl_drawing *drawing)
{
    dfl_mass_tree_size size = {.bodies = drawing->nbodies};
    for (int i = 0; i < drawing->njoints; i++) {
        const dfl_placed_joint *joint = &drawing->joints[i];
        size.np += joint->np;
        size.nv += joint->nv;
        size.drives += joint->drawn.driven;
        size.joints += !joint->loop;
        size.loops += joint->loop;
        size.rows += joint->loop ? dfl_drawing_row_count(drawing, joint->drawn.kind) : 0;
    }
    dfl_status status = dfl_mass_tree_create(out, drawing->ctx, &size);
    if (status)
        return status;
    dfl_mass_tree *tree = *out;
    tree->planar = drawing->planar;
    dfl_mass_tree_numbers(tree, tree->gravity, drawing->gravity.e, 3);
    for (int i = 0; i < drawing->nbodies && !status; i++)
        status = describe_body(tree, &drawing->bodies[i]);
    for (int i = 0; i < drawing->njoints && !status; i++)
        if (!drawing->joints[i].loop)
            status = describe_joint(tree, &drawing->joints[i]);
    return status;
}

static dfl_status describe_body(dfl_mass_tree *tree, const dfl_placed_body *body)
{
    dfl_rigid_body *b = &tree->bodies[tree->nbodies++];
    b->name = dfl_copy_string(tree->ctx, body->name);
    dfl_mass_tree_numbers(tree, &b->mass, &body->mass, 1);
    dfl_mass_tree_numbers(tree, b->com, body->com.e, 3);
    dfl_mass_tree_numbers(tree, b->inertia, body->inertia.e, 6);
    return b->name ? DFL_OK : DFL_NO_MEMORY;
}

static dfl_status describe_joint(dfl_mass_tree *tree, const dfl_placed_joint *joint)
{
    const dfl_drawn_joint *drawn = &joint->drawn;
    dfl_joint *j = &tree->joints[tree->njoints++];
    *j = (dfl_joint){.name = dfl_copy_string(tree->ctx, joint->name),
                     .kind = drawn->kind,
                     .parent = drawn->parent,
                     .child = drawn->child,
                     .driven = drawn->driven};
    dfl_mass_tree_numbers(tree, j->at, drawn->at.e, 3);
    dfl_mass_tree_numbers(tree, j->axis, drawn->axis.e, 3);
    dfl_mass_tree_numbers(tree, j->axis2, drawn->axis2.e, 3);
    dfl_mass_tree_numbers(tree, &j->lead, &drawn->lead, 1);
    for (int k = 0; k < joint->np; k++)
        tree->p[tree->np++] = joint->p[k];
    for (int k = 0; k < joint->nv; k++)
        tree->v[tree->nv++] = joint->v[k];
    if (drawn->driven) {
        dfl_expr *drive = tree->drives + 3 * tree->ndrives++;
        drive[0] = drawn->motion;
        drive[1] = joint->rate;
        drive[2] = joint->rate2;
    }
    return j->name ? DFL_OK : DFL_NO_MEMORY;
}

dfl_status dfl_drawing_leave_rows(dfl_drawing *drawing)
{
    dfl_mass_tree *tree = drawing->model->tree;
    dfl_status status = DFL_OK;
    for (int i = 0; tree && i < drawing->njoints && !status; i++) {
        const dfl_placed_joint *joint = &drawing->joints[i];
        if (!joint->loop)
            continue;
        status = describe_loop(tree, joint);
        const int count = dfl_drawing_row_count(drawing, joint->drawn.kind);
        for (int k = 0; k < count && !status; k++) {
            int *row = &tree->rows[tree->nrows++];
            status = dfl_drawing_row(row, drawing, joint, k);
            if (!status && *row >= 0)
                drawing->model->declarations.item[*row].expr = dfl_constant(drawing->graph, 0.0);
        }
    }
    return status;
}

static dfl_status describe_loop(dfl_mass_tree *tree, const dfl_placed_joint *joint)
{
    const dfl_drawn_joint *drawn = &joint->drawn;
    dfl_loop *loop = &tree->loops[tree->nloops++];
    *loop = (dfl_loop){.name = dfl_copy_string(tree->ctx, joint->name),
                       .kind = drawn->kind,
                       .a = drawn->parent,
                       .b = drawn->child,
                       .apart = drawn->apart};
    dfl_mass_tree_numbers(tree, loop->at, drawn->at.e, 3);
    dfl_mass_tree_numbers(tree, loop->axis, drawn->axis.e, 3);
    dfl_mass_tree_numbers(tree, loop->axis2, drawn->axis2.e, 3);
    if (drawn->apart) {
        dfl_mass_tree_numbers(tree, loop->at_b, drawn->at_b.e, 3);
        dfl_mass_tree_numbers(tree, loop->axis_b, drawn->axis_b.e, 3);
        dfl_mass_tree_numbers(tree, loop->axis2_b, drawn->axis2_b.e, 3);
    }
    dfl_mass_tree_numbers(tree, &loop->length, &drawn->length, 1);
    dfl_mass_tree_numbers(tree, &loop->lead, &drawn->lead, 1);
    return loop->name ? DFL_OK : DFL_NO_MEMORY;
}

/* With the present values of parameters. */
static dfl_status has_massless(bool *out, const dfl_drawing *drawing, const dfl_mass_tree *tree)
{
    dfl_tree *numeric = NULL;
    dfl_status status = DFL_OK;
    for (int i = 0; i < tree->nnumbers && !status; i++)
        status = dfl_model_value(tree->numbers[i].place, drawing->model, tree->numbers[i].expr);
    if (!status)
        status = dfl_mass_tree_build(&numeric, tree);
    *out = !status && dfl_tree_n0(numeric) > 0;
    dfl_tree_free(numeric);
    return status;
}

static dfl_expr kinetic_energy(dfl_drawing *drawing)
{
    dfl_graph *g = drawing->graph;
    const dfl_expr half = dfl_constant(g, 0.5);
    dfl_expr T = 0;
    for (int i = 1; i < drawing->nlinks; i++) {
        dfl_link_move(drawing, i);
        const dfl_link *link = &drawing->links[i];
        const dfl_mat R = link->pose.R;
        const dfl_vec h = mat_times(g, R, link->moment), w = mat_back(g, R, link->omega);
        const dfl_expr twice = dfl_add(g, dfl_mul(g, link->mass, vec_dot(g, link->u, link->u)),
                                       vec_dot(g, w, sym_times(g, link->inertia, w)));
        T = dfl_add(g, T, dfl_mul(g, half, twice));
        T = dfl_add(g, T, vec_dot(g, link->u, vec_cross(g, link->omega, h)));
    }
    return T;
}
