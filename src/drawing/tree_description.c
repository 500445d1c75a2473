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
static dfl_status describe(dfl_mass_tree **out, dfl_drawing *drawing);
static dfl_mass_tree_size size_of(const dfl_drawing *drawing);
static void describe_elastic_coordinates(dfl_mass_tree *tree, const dfl_drawing *drawing);
static dfl_status describe_body(dfl_mass_tree *tree, const dfl_placed_body *body);
static dfl_status describe_joint(dfl_mass_tree *tree, const dfl_placed_joint *joint);
static dfl_status describe_loop(dfl_mass_tree *tree, const dfl_placed_joint *joint);
static dfl_status has_massless(bool *out, const dfl_drawing *drawing, const dfl_mass_tree *tree);
static dfl_expr kinetic_energy(dfl_drawing *drawing);
static dfl_expr elastic_energy(dfl_drawing *drawing, const dfl_elastic *e);
static dfl_status doubt_elastic(dfl_drawing *drawing);

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
    if (!status && !why)
        status = doubt_elastic(drawing);
    *left = !status && !why;
    if (*left)
        dfl_model_set_tree(drawing->model, tree);
    else
        drawing->declined = tree;
    drawing->massless = massless;
    return status;
}

/* After kinetic_energy: links have angular velocities. */
static dfl_status doubt_elastic(dfl_drawing *drawing)
{
    dfl_status status = DFL_OK;
    for (int i = 0; i < drawing->nelastics && !status; i++) {
        const dfl_elastic *e = &drawing->elastics[i];
        drawing->line = e->line;
        status = dfl_elastic_doubt(drawing, e, drawing->links[drawing->bodies[e->body].link].omega);
    }
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
    int own = 0;
    for (int i = 0; i < drawing->nelastics; i++) {
        own += drawing->elastics[i].n;
        for (int k = 0; k < drawing->elastics[i].n; k++)
            if (drawing->elastics[i].massless[k])
                return "there are modes without inertia";
    }
    for (int i = 0; i < drawing->njoints; i++) {
        own += drawing->joints[i].inner ? 0 : drawing->joints[i].nv;
        if (drawing->joints[i].drawn.kind == DFL_JOINT_USER && !drawing->joints[i].inner)
            return "there are joints given by their pose";
    }
    if (own == 0)
        return "all motions are prescribed";
    return velocities > own ? "there are coordinates other than those of joints" : NULL;
}

/* The same where bodies have no mass: their directions follow from the masses of the tree alone,
   and the balance of forces along them must not contain multipliers. */
static const char *massless_obstacle(const dfl_drawing *drawing)
{
    const unsigned multipliers = 1U << DFL_SYM_LAMBDA | 1U << DFL_SYM_MU;
    const dfl_model *model = drawing->model;
    unsigned depends = 0;
    if (drawing->nelastics > 0)
        return "there are elastic bodies, and directions without mass";
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

static dfl_status describe(dfl_mass_tree **out, dfl_drawing *drawing)
{
    const dfl_mass_tree_size size = size_of(drawing);
    dfl_status status = dfl_mass_tree_create(out, drawing->ctx, &size);
    if (status)
        return status;
    dfl_mass_tree *tree = *out;
    tree->planar = drawing->planar;
    dfl_mass_tree_numbers(tree, tree->gravity, drawing->gravity.e, 3);
    for (int i = 0; i < drawing->nbodies && !status; i++)
        status = describe_body(tree, &drawing->bodies[i]);
    for (int i = 0; i < drawing->nelastics && !status; i++)
        status = dfl_elastic_add_to_tree(tree, drawing, &drawing->elastics[i]);
    for (int i = 0; i < drawing->njoints && !status; i++) {
        const dfl_placed_joint *joint = &drawing->joints[i];
        if (joint->inner)
            status = dfl_elastic_add_inner(tree, drawing, joint);
        else if (!joint->loop)
            status = describe_joint(tree, joint);
    }
    describe_elastic_coordinates(tree, drawing);
    return status;
}

/* Frame and nodes of elastic bodies are connected by up to six joints. Rows of loops of trees with
   elastic bodies stay expressions. */
static dfl_mass_tree_size size_of(const dfl_drawing *drawing)
{
    const bool elastic = drawing->nelastics > 0;
    dfl_mass_tree_size size = {.bodies = drawing->nbodies, .elastics = drawing->nelastics};
    for (int i = 0; i < drawing->nelastics; i++) {
        size.np += drawing->elastics[i].n;
        size.nv += drawing->elastics[i].n;
    }
    for (int i = 0; i < drawing->njoints; i++) {
        const dfl_placed_joint *joint = &drawing->joints[i];
        size.np += joint->inner ? 0 : joint->np;
        size.nv += joint->inner ? 0 : joint->nv;
        size.drives += joint->drawn.driven;
        size.joints += joint->inner ? 6 : !joint->loop;
        size.bodies += joint->inner ? 5 : 0;
        size.loops += joint->loop && !elastic;
        size.rows +=
            joint->loop && !elastic ? dfl_drawing_row_count(drawing, joint->drawn.kind) : 0;
    }
    return size;
}

static void describe_elastic_coordinates(dfl_mass_tree *tree, const dfl_drawing *drawing)
{
    for (int i = 0; i < drawing->nelastics; i++)
        for (int k = 0; k < drawing->elastics[i].n; k++) {
            tree->p[tree->np++] = drawing->elastics[i].p[k];
            tree->v[tree->nv++] = drawing->elastics[i].v[k];
        }
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
    for (int i = 0; tree && !tree->nelastics && i < drawing->njoints && !status; i++) {
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

dfl_status dfl_drawing_same_tree(bool *same, const dfl_drawing *drawing)
{
    const dfl_mass_tree *tree = drawing->declined ? drawing->declined : drawing->model->tree;
    bool massless = false;
    const dfl_status status = tree ? has_massless(&massless, drawing, tree) : DFL_OK;
    *same = !status && massless == drawing->massless;
    return status;
}

/* With the present values of parameters. */
static dfl_status has_massless(bool *out, const dfl_drawing *drawing, const dfl_mass_tree *tree)
{
    dfl_tree *numeric = NULL;
    dfl_elastic_tree *elastic = NULL;
    dfl_status status = DFL_OK;
    for (int i = 0; i < tree->nnumbers && !status; i++)
        status = dfl_model_number(tree->numbers[i].place, drawing->model, tree->numbers[i].expr);
    if (!status)
        status = dfl_mass_tree_build(&numeric, tree);
    if (!status && tree->nelastics > 0)
        status = dfl_elastic_tree_create(&elastic, drawing->ctx, numeric, NULL, tree->elastics,
                                         tree->nelastics);
    *out = !status && (elastic ? !dfl_elastic_tree_regular(elastic) : dfl_tree_n0(numeric) > 0);
    dfl_elastic_tree_free(elastic);
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
    for (int i = 0; i < drawing->nelastics; i++)
        T = dfl_add(g, T, elastic_energy(drawing, &drawing->elastics[i]));
    return T;
}

/* q'.(C.om + S.u) + q'.M q' / 2 of an elastic body; the rest is that of its link. */
static dfl_expr elastic_energy(dfl_drawing *drawing, const dfl_elastic *e)
{
    dfl_graph *g = drawing->graph;
    const dfl_link *link = &drawing->links[drawing->bodies[e->body].link];
    const dfl_mat R = link->pose.R;
    const dfl_vec w = mat_back(g, R, link->omega), u = mat_back(g, R, link->u);
    dfl_expr T = 0;
    for (int k = 0; k < e->n; k++) {
        dfl_expr momentum =
            dfl_add(g, vec_dot(g, dfl_elastic_coupling(drawing, e, k), w), vec_dot(g, e->S[k], u));
        for (int l = 0; l <= k; l++) {
            const dfl_expr share = dfl_constant(g, l == k ? 0.5 : 1.0);
            momentum =
                dfl_add(g, momentum, dfl_mul(g, dfl_mul(g, share, e->M[k + e->n * l]), e->v[l]));
        }
        T = dfl_add(g, T, dfl_mul(g, momentum, e->v[k]));
    }
    return T;
}
