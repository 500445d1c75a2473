/* links.c: the coordinates of joints, and joints as chains of links. */
#include "drawing/drawing_internal.h"

#include "context/text.h"
#include "drawing/vectors.h"
#include "symbolic/derive.h"

typedef struct sizes {
    int np, nv;
} sizes;

/* One link of a chain: the number of its coordinate in the joint. */
typedef struct step {
    dfl_link_kind kind;
    int component;
    dfl_vec axis;
} step;

static sizes sizes_of(const dfl_drawing *drawing, const dfl_drawn_joint *joint);
static dfl_status declare_angles(dfl_drawing *drawing, dfl_placed_joint *joint);
static const char *unit_of(const dfl_placed_joint *joint, int i);
static dfl_status declare_speeds(dfl_drawing *drawing, dfl_placed_joint *joint);
static dfl_status declare_kinematics(dfl_drawing *drawing, dfl_placed_joint *joint);
static dfl_status prescribe(dfl_drawing *drawing, dfl_placed_joint *joint);
static int chain_of(step chain[3], const dfl_drawing *drawing, const dfl_drawn_joint *joint);
static dfl_status add_link(int *out, dfl_drawing *drawing, int parent, int index, const step *s);

/* -------------------------------------------------------------------------- coordinates */

dfl_status dfl_drawing_coordinates(dfl_drawing *drawing, dfl_placed_joint *joint)
{
    if (joint->drawn.driven)
        return prescribe(drawing, joint);
    const sizes s = sizes_of(drawing, &joint->drawn);
    joint->np = s.np;
    joint->nv = s.nv;
    dfl_status status = declare_angles(drawing, joint);
    if (!status && s.np > s.nv)
        status = declare_speeds(drawing, joint);
    return status;
}

static sizes sizes_of(const dfl_drawing *drawing, const dfl_drawn_joint *joint)
{
    static const sizes all[DFL_CONNECTIONS] = {
        [DFL_REVOLUTE] = {1, 1},    [DFL_PRISMATIC] = {1, 1}, [DFL_SCREW] = {1, 1},
        [DFL_CYLINDRICAL] = {2, 2}, [DFL_UNIVERSAL] = {2, 2}, [DFL_PLANAR_JOINT] = {3, 3},
        [DFL_TRANSLATION] = {3, 3}, [DFL_SPHERICAL] = {4, 3}, [DFL_FREE] = {7, 6},
    };
    if (drawing->planar && joint->kind == DFL_TRANSLATION)
        return (sizes){2, 2};
    if (joint->kind == DFL_USER_JOINT)
        return (sizes){joint->ncoordinates, joint->ncoordinates};
    return all[joint->kind];
}

/* Positions NAME.q or NAME.q1, ..., or as the user calls them. */
static dfl_status declare_angles(dfl_drawing *drawing, dfl_placed_joint *joint)
{
    dfl_model *model = drawing->model;
    dfl_status status = DFL_OK;
    for (int i = 0; i < joint->np && !status; i++) {
        dfl_text name = {.ctx = drawing->ctx};
        const char *const *names = joint->drawn.coordinate_names;
        dfl_text_add(&name, "%s.%s", joint->name, names ? names[i] : "q");
        if (joint->np > 1 && !names)
            dfl_text_add(&name, "%d", i + 1);
        status = name.status;
        if (!status)
            status = dfl_model_position(&joint->p[i], model, dfl_text_string(&name));
        if (!status && joint->np == joint->nv)
            status = dfl_model_velocity(&joint->v[i], model, joint->p[i]);
        const char *unit = unit_of(joint, i);
        if (!status && unit)
            status = dfl_model_unit(model, dfl_model_owner(model, joint->p[i]), unit);
        dfl_text_clear(&name);
    }
    return status;
}

/* Quaternions have none, those of user's joints are not known. */
static const char *unit_of(const dfl_placed_joint *joint, int i)
{
    switch (joint->drawn.kind) {
    case DFL_REVOLUTE:
    case DFL_SCREW:
    case DFL_UNIVERSAL:
        return "rad";
    case DFL_PRISMATIC:
    case DFL_TRANSLATION:
        return "m";
    case DFL_CYLINDRICAL:
        return i == 0 ? "rad" : "m";
    case DFL_PLANAR_JOINT:
        return i < 2 ? "m" : "rad";
    case DFL_FREE:
        return i < 3 ? "m" : NULL;
    default:
        return NULL;
    }
}

/* Speeds NAME.w1 .. w3 and, of a free body, NAME.v1 .. v3, with their kinematics. */
static dfl_status declare_speeds(dfl_drawing *drawing, dfl_placed_joint *joint)
{
    dfl_model *model = drawing->model;
    dfl_status status = DFL_OK;
    for (int i = 0; i < joint->nv && !status; i++) {
        dfl_text name = {.ctx = drawing->ctx};
        dfl_text_add(&name, "%s.%c%d", joint->name, i < 3 ? 'w' : 'v', i % 3 + 1);
        status = name.status;
        if (!status)
            status = dfl_model_speed(&joint->v[i], model, dfl_text_string(&name));
        if (!status)
            status =
                dfl_model_unit(model, dfl_model_owner(model, joint->v[i]), i < 3 ? "rad/s" : "m/s");
        dfl_text_clear(&name);
    }
    return status ? status : declare_kinematics(drawing, joint);
}

/* e' = 1/2 Q omega, r' = R v */
static dfl_status declare_kinematics(dfl_drawing *drawing, dfl_placed_joint *joint)
{
    dfl_graph *g = drawing->graph;
    const dfl_expr *e = joint->p + joint->np - 4, *w = joint->v, half = dfl_constant(g, 0.5);
    const dfl_vec Q[4] = {{{dfl_neg(g, e[1]), dfl_neg(g, e[2]), dfl_neg(g, e[3])}},
                          {{e[0], dfl_neg(g, e[3]), e[2]}},
                          {{e[3], e[0], dfl_neg(g, e[1])}},
                          {{dfl_neg(g, e[2]), e[1], e[0]}}};
    const dfl_vec omega = {{w[0], w[1], w[2]}};
    dfl_status status = DFL_OK;
    for (int i = 0; i < 4 && !status; i++)
        status =
            dfl_model_kinematics(drawing->model, e[i], dfl_mul(g, half, vec_dot(g, Q[i], omega)));
    if (status || joint->np == 4)
        return status;
    const dfl_link link = {.kind = LINK_FREE, .p = {0, 0, 0, e[0], e[1], e[2], e[3]}};
    const dfl_vec rates =
        mat_times(g, dfl_link_turn(drawing, &link), (dfl_vec){{w[3], w[4], w[5]}});
    for (int i = 0; i < 3 && !status; i++)
        status = dfl_model_kinematics(drawing->model, joint->p[i], rates.e[i]);
    return status;
}

/* The rates of a prescribed motion. */
static dfl_status prescribe(dfl_drawing *drawing, dfl_placed_joint *joint)
{
    dfl_graph *g = drawing->graph;
    const dfl_expr time = dfl_symbol_expr(g, DFL_SYM_TIME, 0, "time"), one = dfl_constant(g, 1.0);
    dfl_status status = dfl_along_exprs(&joint->rate, g, &joint->drawn.motion, 1, &time, &one, 1);
    if (!status)
        status = dfl_along_exprs(&joint->rate2, g, &joint->rate, 1, &time, &one, 1);
    return status;
}

/* -------------------------------------------------------------------------- links */

bool dfl_drawing_hangs(const dfl_drawing *drawing, int body)
{
    for (int steps = 0; body != DFL_GROUND; steps++) {
        const int joint = drawing->bodies[body].joint;
        if (joint < 0 || steps > drawing->nbodies)
            return false;
        body = drawing->joints[joint].drawn.parent;
    }
    return true;
}

dfl_status dfl_drawing_link(int *out, dfl_drawing *drawing, int body)
{
    int length = 0;
    if (!dfl_drawing_hangs(drawing, body))
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "body '%s' does not hang on the ground yet; give the joints between them "
                        "first",
                        drawing->bodies[body].name);
    for (int b = body; b != DFL_GROUND && drawing->bodies[b].link < 0;) {
        drawing->path[length++] = b;
        b = drawing->joints[drawing->bodies[b].joint].drawn.parent;
    }
    dfl_status status = DFL_OK;
    while (length > 0 && !status) {
        dfl_placed_body *b = &drawing->bodies[drawing->path[--length]];
        const dfl_drawn_joint *joint = &drawing->joints[b->joint].drawn;
        step chain[3];
        const int count = chain_of(chain, drawing, joint);
        int link = joint->parent == DFL_GROUND ? 0 : drawing->bodies[joint->parent].link;
        for (int k = 0; k < count && !status; k++)
            status = add_link(&link, drawing, link, b->joint, &chain[k]);
        if (!status)
            b->link = link;
    }
    *out = body == DFL_GROUND ? 0 : drawing->bodies[body].link;
    return status ? status : dfl_graph_status(drawing->graph);
}

/* The same chains as in multibody/build.c. */
static int chain_of(step chain[3], const dfl_drawing *drawing, const dfl_drawn_joint *joint)
{
    dfl_vec axes[3];
    dfl_drawing_axes(axes, drawing, joint->axis, joint->axis2);
    const dfl_vec a = axes[2];
    switch (joint->kind) {
    case DFL_REVOLUTE:
        chain[0] = (step){LINK_REVOLUTE, 0, a};
        return 1;
    case DFL_PRISMATIC:
        chain[0] = (step){LINK_PRISMATIC, 0, a};
        return 1;
    case DFL_SCREW:
        chain[0] = (step){LINK_SCREW, 0, a};
        return 1;
    case DFL_CYLINDRICAL:
        chain[0] = (step){LINK_PRISMATIC, 1, a};
        chain[1] = (step){LINK_REVOLUTE, 0, a};
        return 2;
    case DFL_UNIVERSAL:
        chain[0] = (step){LINK_REVOLUTE, 0, a};
        chain[1] = (step){LINK_REVOLUTE, 1, dfl_drawing_unit(drawing, joint->axis2)};
        return 2;
    case DFL_PLANAR_JOINT:
        chain[0] = (step){LINK_PRISMATIC, 0, axes[0]};
        chain[1] = (step){LINK_PRISMATIC, 1, axes[1]};
        chain[2] = (step){LINK_REVOLUTE, 2, a};
        return 3;
    case DFL_TRANSLATION:
        dfl_drawing_axes(axes, drawing, vec_zero(), vec_zero());
        for (int k = 0; k < 3; k++)
            chain[k] = (step){LINK_PRISMATIC, k, axes[k]};
        return drawing->planar ? 2 : 3;
    case DFL_SPHERICAL:
        chain[0] = (step){LINK_SPHERICAL, 0, vec_zero()};
        return 1;
    case DFL_FREE:
        chain[0] = (step){LINK_FREE, 0, vec_zero()};
        return 1;
    case DFL_USER_JOINT:
        chain[0] = (step){LINK_USER, 0, vec_zero()};
        return 1;
    default: /* fixed */
        return 0;
    }
}

static dfl_status add_link(int *out, dfl_drawing *drawing, int parent, int index, const step *s)
{
    dfl_link *links =
        dfl_grow(drawing->ctx, drawing->links, &drawing->max_links, drawing->nlinks, sizeof *links);
    if (!links)
        return DFL_NO_MEMORY;
    drawing->links = links;
    const dfl_placed_joint *joint = &drawing->joints[index];
    dfl_link *link = &links[drawing->nlinks];
    const bool whole = s->kind == LINK_SPHERICAL || s->kind == LINK_FREE || s->kind == LINK_USER;
    if (s->kind == LINK_USER && !joint->motion)
        return dfl_fail(drawing->ctx, DFL_INVALID, "joint '%s': its pose is not known yet",
                        joint->name);
    *link = (dfl_link){.kind = s->kind,
                       .parent = parent,
                       .joint = index,
                       .at = joint->drawn.at,
                       .axis = s->axis,
                       .lead = joint->drawn.lead,
                       .motion = joint->motion,
                       .clock = dfl_constant(drawing->graph, 1.0)};
    link->offset = vec_sub(drawing->graph, link->at, links[parent].at);
    if (joint->drawn.driven) {
        link->p[0] = joint->drawn.motion;
        link->v[0] = joint->rate;
        link->drive = joint->rate2;
    } else {
        link->dofs = whole ? joint->nv : 1;
        for (int k = 0; k < (whole ? joint->np : 1); k++)
            link->p[k] = joint->p[s->component + k];
        for (int k = 0; k < link->dofs; k++)
            link->v[k] = joint->v[s->component + k];
    }
    *out = drawing->nlinks++;
    return DFL_OK;
}
