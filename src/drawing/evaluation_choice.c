/* evaluation_choice.c: whether masses and loops of a drawing are better left to recursions.

   Expressions of M, f and their derivatives grow with the squares of depths, and so does the time
   to derive them. Recursions need no derivation and grow linearly, but a step of them costs more
   than the few operations that a shallow mechanism needs. Both are predicted from the links, before
   anything is derived (declare/costs.h). */
#include "drawing/drawing_internal.h"

/* Expressions are kept unless recursions gain this factor. */
static const double margin = 1.2;

/* s: if recursions would save at least this time, a note says so. */
static const double long_time = 0.1;

static dfl_status take_size(dfl_mechanism_size *size, dfl_drawing *drawing);
static void add_depth(dfl_mechanism_size *size, double depth);
static void add_elastic(dfl_mechanism_size *size, const dfl_drawing *drawing, const dfl_elastic *e,
                        const double *depth);
static bool is_inner(const dfl_drawing *drawing, const dfl_link *link);
static bool hangs_on_node(const dfl_drawing *drawing, const dfl_elastic *e);
static double coordinates_of(const dfl_drawing *drawing, const dfl_link *link);
static void add_loop(dfl_mechanism_size *size, const dfl_drawing *drawing,
                     const dfl_placed_joint *joint);
static int path_to(const dfl_drawing *drawing, int body, int other);
static bool is_above(const dfl_drawing *drawing, int link, int other);
static int link_of(const dfl_drawing *drawing, int body);

dfl_status dfl_drawing_choose_evaluation(bool *recursion, bool *noteworthy, dfl_drawing *drawing)
{
    dfl_mechanism_size size;
    const dfl_dynamics wanted = drawing->model->dynamics;
    *recursion = *noteworthy = wanted == DFL_DYNAMICS_RECURSION;
    if (wanted != DFL_DYNAMICS_AUTO && wanted != DFL_DYNAMICS_CHEAPEST)
        return DFL_OK; /* absolute coordinates, too, are evaluated as expressions */
    const dfl_status status = take_size(&size, drawing);
    if (status)
        return status;
    drawing->model->large =
        dfl_cost_dense_by_sparse(&size, drawing->nbodies, drawing->planar) > margin;
    if (wanted == DFL_DYNAMICS_CHEAPEST && dfl_cost_prefers_tree(&size)) {
        drawing->model->large = false;
        return DFL_OK;
    }
    const double expressions = dfl_cost_expressions(&size);
    *recursion = expressions > margin * dfl_cost_recursion(&size);
    *noteworthy = *recursion && expressions > long_time;
    return DFL_OK;
}

static dfl_status take_size(dfl_mechanism_size *size, dfl_drawing *drawing)
{
    double *depth = dfl_alloc(drawing->ctx, (size_t)drawing->nlinks, sizeof *depth);
    if (!depth)
        return DFL_NO_MEMORY;
    *size = (dfl_mechanism_size){.one_axis = dfl_drawing_in_world_axes(drawing)};
    for (int i = 1; i < drawing->nlinks; i++) {
        const dfl_link *link = &drawing->links[i];
        const double above = depth[link->parent];
        depth[i] = above + coordinates_of(drawing, link);
        for (int k = 0; k < link->dofs && !is_inner(drawing, link); k++)
            add_depth(size, above + (link->kind == DFL_STEP_SPHERICAL ? k : 0));
    }
    for (int i = 0; i < drawing->nelastics; i++)
        add_elastic(size, drawing, &drawing->elastics[i], depth);
    for (int i = 0; i < drawing->njoints; i++)
        if (drawing->joints[i].loop)
            add_loop(size, drawing, &drawing->joints[i]);
    if (drawing->nelastics > 0)
        size->path = size->path2 = 0;
    dfl_free(drawing->ctx, depth);
    return DFL_OK;
}

/* A velocity. */
static void add_depth(dfl_mechanism_size *size, double depth)
{
    size->nv++;
    size->depth += depth;
    size->depth2 += depth * depth;
}

static void add_elastic(dfl_mechanism_size *size, const dfl_drawing *drawing, const dfl_elastic *e,
                        const double *depth)
{
    const double frame = depth[drawing->bodies[e->body].link];
    for (int k = 0; k < e->n; k++)
        add_depth(size, frame - (hangs_on_node(drawing, e) ? e->n : 0));
    size->elastics++;
    size->modes2 += (double)e->n * e->n;
}

/* Between the frame and a node of an elastic body. */
static bool is_inner(const dfl_drawing *drawing, const dfl_link *link)
{
    return drawing->joints[link->joint].inner;
}

static bool hangs_on_node(const dfl_drawing *drawing, const dfl_elastic *e)
{
    return drawing->joints[drawing->bodies[e->body].joint].inner;
}

/* Coordinates on which the masses behind a link depend: a translation changes only levers, and no
   mass depends on where a free body is, whose velocities are those in its own axes. */
static double coordinates_of(const dfl_drawing *drawing, const dfl_link *link)
{
    if (is_inner(drawing, link)) {
        const dfl_placed_body *child = &drawing->bodies[drawing->joints[link->joint].drawn.child];
        const bool again = child->node >= 0 && /* the elastic coordinates are counted already */
                           hangs_on_node(drawing, &drawing->elastics[child->elastic - 1]);
        return again ? 0 : link->dofs;
    }
    if (link->kind == DFL_STEP_PRISMATIC)
        return 0.5 * link->dofs;
    return link->kind == DFL_STEP_FREE ? 1.0 : link->dofs;
}

static void add_loop(dfl_mechanism_size *size, const dfl_drawing *drawing,
                     const dfl_placed_joint *joint)
{
    const int rows = dfl_drawing_row_count(drawing, joint->drawn.kind);
    const int path = path_to(drawing, joint->drawn.parent, joint->drawn.child) +
                     path_to(drawing, joint->drawn.child, joint->drawn.parent);
    size->rows += rows;
    size->path += (double)rows * path;
    size->path2 += (double)rows * path * path;
}

/* Velocities between a body and the last link that both bodies hang on. */
static int path_to(const dfl_drawing *drawing, int body, int other)
{
    const int end = link_of(drawing, other);
    int link = link_of(drawing, body), velocities = 0;
    for (; link > 0 && !is_above(drawing, link, end); link = drawing->links[link].parent)
        velocities += drawing->links[link].dofs;
    return velocities;
}

/* Whether `link` is `other` or lies between it and the ground; parents have smaller numbers. */
static bool is_above(const dfl_drawing *drawing, int link, int other)
{
    while (other > link)
        other = drawing->links[other].parent;
    return other == link;
}

static int link_of(const dfl_drawing *drawing, int body)
{
    return body < 0 ? 0 : drawing->bodies[body].link;
}
