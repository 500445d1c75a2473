/* tree_build.c: from a description to nodes: depth-first order, joints as chains of nodes, bodies
   behind fixed joints merged into their parents. */
#include "multibody/tree_internal.h"

#include "context/context.h"

#include <math.h>
#include <string.h>

/* Coordinates, velocities and nodes of a joint. */
typedef struct joint_sizes {
    int np, nv, nodes;
} joint_sizes;

static joint_sizes sizes_of(const dfl_joint *joint, bool planar);
static dfl_status allocate(dfl_tree *tree, const dfl_multibody_description *d);
static void *take(dfl_tree *tree, int count, size_t size);
static dfl_status copy_names(dfl_tree *tree, const dfl_multibody_description *d);
static void number_coordinates(dfl_tree *tree, const dfl_multibody_description *d);
static dfl_status add_joints(dfl_tree *tree, const dfl_multibody_description *d);
static int walk(int *order, int *work, const dfl_multibody_description *d);
static void add_joint(dfl_tree *tree, const dfl_joint *joint, int index);
static void add_node(dfl_tree *tree, const dfl_joint *joint, int index, const dfl_joint_step *step);
static void set_rest(dfl_tree *tree, int index, const double *at, const double *axis);
static const double *step_axis(double axes[3][3], const dfl_joint *joint, dfl_step_axis which);
static void add_body(dfl_tree *tree, const dfl_multibody_description *d, int index);
static bool is_empty(double m, const double *J);
static void finish_nodes(dfl_tree *tree);
static void share_slots(dfl_tree *tree);
static int take_slot(dfl_tree *tree, int *released);

dfl_status dfl_tree_create(dfl_tree **out, dfl_context *ctx, const dfl_multibody_description *d)
{
    *out = NULL;
    dfl_status status = dfl_tree_check(ctx, d);
    if (status)
        return status;
    dfl_tree *tree = dfl_alloc(ctx, 1, sizeof *tree);
    if (!tree)
        return DFL_NO_MEMORY;
    tree->ctx = ctx;
    tree->bytes = sizeof *tree;
    tree->planar = d->planar;
    memcpy(tree->gravity, d->gravity, sizeof tree->gravity);
    status = allocate(tree, d);
    if (!status)
        status = copy_names(tree, d);
    if (!status) {
        number_coordinates(tree, d);
        status = add_joints(tree, d);
    }
    if (status) {
        dfl_tree_free(tree);
        return status;
    }
    for (int i = 0; i < d->nbodies; i++)
        add_body(tree, d, i);
    finish_nodes(tree);
    share_slots(tree);
    tree->fold = take(tree, tree->nslots, sizeof *tree->fold);
    tree->scale = take(tree, ARTICULATED * tree->nslots, sizeof(double));
    if (!tree->fold || !tree->scale) {
        dfl_tree_free(tree);
        return DFL_NO_MEMORY;
    }
    dfl_tree_reference(tree->scratch, tree);
    dfl_tree_decide_ranks(tree, tree->scratch);
    *out = tree;
    return DFL_OK;
}

void dfl_tree_free(dfl_tree *tree)
{
    if (!tree)
        return;
    dfl_context *ctx = tree->ctx;
    for (int i = 0; tree->body.name && i < tree->nbodies; i++)
        dfl_free(ctx, tree->body.name[i]);
    for (int i = 0; tree->joint.name && i < tree->njoints; i++)
        dfl_free(ctx, tree->joint.name[i]);
    void *blocks[] = {tree->node,        tree->state,     tree->pose,      tree->reference,
                      tree->drive,       tree->body.node, tree->joint.p,   tree->joint.v,
                      tree->joint.drive, tree->dof.node,  tree->dof.joint, tree->quaternion,
                      tree->massless,    tree->scratch,   tree->body.name, tree->joint.name,
                      tree->body.empty,  tree->fold,      tree->rest,      tree->mass,
                      tree->scale,       tree->least};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        dfl_free(ctx, blocks[i]);
    dfl_free(ctx, tree);
}

static joint_sizes sizes_of(const dfl_joint *joint, bool planar)
{
    if (joint->driven)
        return (joint_sizes){0, 0, 1};
    return (joint_sizes){dfl_joint_np(joint->kind, planar), dfl_joint_nv(joint->kind, planar),
                         dfl_joint_steps(joint->kind, planar)};
}

static dfl_status allocate(dfl_tree *tree, const dfl_multibody_description *d)
{
    int nodes = 1;
    for (int i = 0; i < d->njoints; i++) {
        const dfl_joint *joint = &d->joints[i];
        const joint_sizes s = sizes_of(joint, d->planar);
        nodes += s.nodes;
        tree->np += s.np;
        tree->nv += s.nv;
        tree->ndrives += joint->driven;
        tree->nquaternions += s.np > s.nv;
    }
    tree->nbodies = d->nbodies;
    tree->njoints = d->njoints;
    tree->node = take(tree, nodes, sizeof *tree->node);
    tree->rest = take(tree, nodes, sizeof *tree->rest);
    tree->mass = take(tree, nodes, sizeof *tree->mass);
    tree->state = take(tree, nodes, sizeof *tree->state);
    tree->pose = take(tree, 12 * nodes, sizeof(double));
    tree->reference = take(tree, 12 * nodes, sizeof(double));
    tree->drive = take(tree, 3 * tree->ndrives, sizeof(double));
    tree->scratch = take(tree, 2 * tree->np, sizeof(double));
    tree->body.node = take(tree, d->nbodies, sizeof(int));
    tree->body.empty = take(tree, d->nbodies, 1);
    tree->joint.p = take(tree, d->njoints, sizeof(int));
    tree->joint.v = take(tree, d->njoints, sizeof(int));
    tree->joint.drive = take(tree, d->njoints, sizeof(int));
    tree->dof.node = take(tree, tree->nv, sizeof(int));
    tree->dof.joint = take(tree, tree->nv, sizeof(int));
    tree->quaternion = take(tree, tree->nquaternions, sizeof(int));
    tree->massless = take(tree, tree->nv, sizeof(int));
    tree->least = take(tree, tree->nv, sizeof(double));
    const bool complete = tree->node && tree->rest && tree->mass && tree->state && tree->pose &&
                          tree->reference && tree->drive && tree->scratch && tree->body.node &&
                          tree->body.empty && tree->joint.p && tree->joint.v && tree->joint.drive &&
                          tree->dof.node && tree->dof.joint && tree->quaternion && tree->massless &&
                          tree->least;
    return complete ? DFL_OK : DFL_NO_MEMORY;
}

static void *take(dfl_tree *tree, int count, size_t size)
{
    tree->bytes += (size_t)count * size;
    return dfl_alloc(tree->ctx, (size_t)count, size);
}

static dfl_status copy_names(dfl_tree *tree, const dfl_multibody_description *d)
{
    tree->body.name = take(tree, d->nbodies, sizeof(char *));
    tree->joint.name = take(tree, d->njoints, sizeof(char *));
    if (!tree->body.name || !tree->joint.name)
        return DFL_NO_MEMORY;
    for (int i = 0; i < d->nbodies + d->njoints; i++) {
        const bool body = i < d->nbodies;
        const char *name = body ? d->bodies[i].name : d->joints[i - d->nbodies].name;
        char **copy = body ? &tree->body.name[i] : &tree->joint.name[i - d->nbodies];
        if (!name)
            continue;
        *copy = dfl_copy_string(tree->ctx, name);
        if (!*copy)
            return DFL_NO_MEMORY;
        tree->bytes += strlen(name) + 1;
    }
    return DFL_OK;
}

/* Joints have their coordinates in the order of the description. */
static void number_coordinates(dfl_tree *tree, const dfl_multibody_description *d)
{
    int p = 0, v = 0, drive = 0, quaternion = 0;
    for (int i = 0; i < d->njoints; i++) {
        const joint_sizes s = sizes_of(&d->joints[i], d->planar);
        tree->joint.p[i] = s.np ? p : -1;
        tree->joint.v[i] = s.nv ? v : -1;
        tree->joint.drive[i] = d->joints[i].driven ? drive++ : -1;
        if (s.np > s.nv)
            tree->quaternion[quaternion++] = p + s.np - 4;
        for (int k = 0; k < s.nv; k++)
            tree->dof.joint[v + k] = i;
        p += s.np;
        v += s.nv;
    }
}

static dfl_status add_joints(dfl_tree *tree, const dfl_multibody_description *d)
{
    const size_t n = (size_t)d->njoints, b = (size_t)d->nbodies;
    int *order = dfl_alloc(tree->ctx, 3 * n + b + 1, sizeof *order);
    if (!order)
        return DFL_NO_MEMORY;
    double *root = tree->reference;
    root[0] = root[4] = root[8] = 1.0;
    memcpy(tree->pose, root, 12 * sizeof *root);
    tree->nnodes = 1;
    const int found = walk(order, order + n, d);
    for (int i = 0; i < found; i++)
        add_joint(tree, &d->joints[order[i]], order[i]);
    dfl_status status = DFL_OK;
    for (int i = 0, k = 0; i < d->njoints && found < d->njoints && !status; i++) {
        for (k = 0; k < found && order[k] != i; k++)
            ;
        if (k == found)
            status = dfl_fail(
                tree->ctx, DFL_INVALID,
                "%s does not hang on the ground: its joints form a ring; one of them "
                "must close a loop",
                dfl_label("body", tree->body.name[d->joints[i].child], d->joints[i].child).text);
    }
    dfl_free(tree->ctx, order);
    return status;
}

/* Depth-first order of the joints, with an explicit stack; returns how many hang on the ground. */
static int walk(int *order, int *work, const dfl_multibody_description *d)
{
    int *next = work, *stack = work + d->njoints, *first = work + 2 * d->njoints;
    int found = 0, height = 0;
    for (int b = 0; b <= d->nbodies; b++)
        first[b] = -1;
    for (int i = 0; i < d->njoints; i++) { /* lists end with the joint described first */
        next[i] = first[d->joints[i].parent + 1];
        first[d->joints[i].parent + 1] = i;
    }
    for (int i = first[0]; i >= 0; i = next[i])
        stack[height++] = i;
    while (height > 0) {
        const int joint = stack[--height];
        order[found++] = joint;
        for (int i = first[d->joints[joint].child + 1]; i >= 0; i = next[i])
            stack[height++] = i;
    }
    return found;
}

static void add_joint(dfl_tree *tree, const dfl_joint *joint, int index)
{
    int *node = &tree->body.node[joint->child];
    dfl_joint complete = *joint;
    if (tree->planar && !dfl_joint_needs_axis(joint->kind, true) && dfl_length(joint->axis) == 0.0)
        complete.axis[2] = 1.0;
    *node = joint->parent == DFL_GROUND ? 0 : tree->body.node[joint->parent];
    for (int k = 0; k < dfl_joint_steps(joint->kind, tree->planar); k++) {
        tree->node[tree->nnodes].parent = *node;
        *node = tree->nnodes;
        add_node(tree, &complete, index, &dfl_joint_types[joint->kind].step[k]);
    }
}

static void add_node(dfl_tree *tree, const dfl_joint *joint, int index, const dfl_joint_step *step)
{
    const int number = tree->nnodes++;
    dfl_node *node = &tree->node[number];
    double axes[3][3];
    set_rest(tree, number, joint->at, step_axis(axes, joint, (dfl_step_axis)step->axis));
    node->kind = step->kind;
    node->p = joint->driven ? -1 : tree->joint.p[index] + step->component;
    node->v = joint->driven ? -1 : tree->joint.v[index] + step->component;
    node->drive = tree->joint.drive[index];
    node->lead = joint->lead;
    node->dofs = node->v < 0 ? 0 : 1;
    if (step->kind == DFL_STEP_SPHERICAL || step->kind == DFL_STEP_FREE)
        node->dofs = step->kind == DFL_STEP_FREE ? 6 : 3;
    for (int k = 0; k < node->dofs; k++)
        tree->dof.node[node->v + k] = number;
}

static const double *step_axis(double axes[3][3], const dfl_joint *joint, dfl_step_axis which)
{
    static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double R[9];
    if (which == DFL_ALONG_NONE)
        return NULL;
    if (which == DFL_ALONG_AXIS || which == DFL_ALONG_AXIS2)
        return which == DFL_ALONG_AXIS ? joint->axis : joint->axis2;
    if (which >= DFL_ALONG_X)
        return unit[which - DFL_ALONG_X];
    dfl_axes(R, joint->axis, joint->axis2);
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++)
            axes[c][k] = R[3 * k + c];
    return axes[which == DFL_ALONG_SIDE ? 0 : 1];
}

static void set_rest(dfl_tree *tree, int index, const double *at, const double *axis)
{
    node_rest *rest = &tree->rest[index];
    double *ref = tree->reference + 12 * index;
    const double *par = tree->reference + 12 * tree->node[index].parent;
    dfl_axes(ref, axis, NULL);
    memcpy(ref + 9, at, 3 * sizeof *ref);
    for (int i = 0; i < 3; i++) { /* E = R^T R_parent, r = R_parent^T (at - at_parent) */
        for (int k = 0; k < 3; k++)
            rest->E[3 * i + k] =
                ref[i] * par[k] + ref[3 + i] * par[3 + k] + ref[6 + i] * par[6 + k];
        for (int k = 0; k < 3; k++)
            rest->r[i] += par[3 * k + i] * (ref[9 + k] - par[9 + k]);
    }
}

/* Adds mass, first moment and inertia about the node's origin, in its axes. */
static void add_body(dfl_tree *tree, const dfl_multibody_description *d, int index)
{
    static const unsigned char row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    const dfl_rigid_body *body = &d->bodies[index];
    const double *R = tree->reference + 12 * tree->body.node[index], *at = R + 9;
    const double J = body->inertia[2], flat[6] = {0.5 * J, 0.5 * J, J, 0, 0, 0};
    const double *I = d->planar ? flat : body->inertia;
    const double from[3] = {body->com[0] - at[0], body->com[1] - at[1], body->com[2] - at[2]};
    node_mass *mass = &tree->mass[tree->body.node[index]];
    double c[3], T[3];
    rotate_back(c, R, from);
    mass->m += body->mass;
    for (int i = 0; i < 3; i++)
        mass->h[i] += body->mass * c[i];
    for (int k = 0; k < 6; k++) { /* R^T I R + m (c^T c 1 - c c^T) */
        const int i = row[k], j = column[k];
        const double column_j[3] = {R[j], R[3 + j], R[6 + j]};
        symmetric_times(T, I, column_j);
        mass->J[k] += R[i] * T[0] + R[3 + i] * T[1] + R[6 + i] * T[2];
        mass->J[k] += body->mass * ((i == j ? dot(c, c) : 0.0) - c[i] * c[j]);
    }
    tree->body.empty[index] = is_empty(body->mass, I);
}

static bool is_empty(double m, const double *J)
{
    for (int k = 0; k < 6; k++)
        if (J[k] != 0.0)
            return false;
    return m == 0.0;
}

static void finish_nodes(dfl_tree *tree)
{
    for (int i = tree->nnodes - 1; i >= 0; i--) {
        dfl_node *node = &tree->node[i];
        node->empty = is_empty(tree->mass[i].m, tree->mass[i].J);
        node->regular = (unsigned char)((1u << node->dofs) - 1);
        node->end = node->end > i + 1 ? node->end : i + 1;
        if (i > 0 && tree->node[node->parent].end < node->end)
            tree->node[node->parent].end = node->end;
        memcpy(tree->state[i].E, tree->rest[i].E, sizeof tree->rest[i].E);
        memcpy(tree->state[i].r, tree->rest[i].r, sizeof tree->rest[i].r);
    }
}

/* On the way inwards an articulated body is needed from its first child to itself, so that a chain
   needs two places for all. Nodes whose place is free again are a list, linked by `gam`, which has
   no meaning yet. */
static void share_slots(dfl_tree *tree)
{
    int released = 0;
    tree->nslots = 1; /* that of the ground */
    for (int i = tree->nnodes - 1; i > 0; i--) {
        dfl_node *node = &tree->node[i];
        if (starts_itself(tree->node, i))
            node->slot = take_slot(tree, &released);
        if (starts_parent(tree->node, i))
            tree->node[node->parent].slot = take_slot(tree, &released);
        if (node->dofs > 1)
            continue;
        node->gam = released;
        released = i;
    }
}

static int take_slot(dfl_tree *tree, int *released)
{
    if (*released == 0)
        return tree->nslots++;
    const dfl_node *node = &tree->node[*released];
    *released = node->gam;
    return node->slot;
}
