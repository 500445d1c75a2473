/* elastic_numbers.c: elastic bodies left to recursions over numbers (multibody/elastic_tree.h).

   A node moves in the frame by shifts along the axes of the body and by turns about z, y and x, one
   after the other (elastic_nodes.c). In a tree these are slides and pins, whose coordinates are
   sums of amplitudes; the way back from a node to the frame has them in opposite order and
   direction. Motions that no mode contains are left out. */
#include "drawing/drawing_internal.h"

#include <math.h>
#include <string.h>

enum { MOTIONS = 6 };

static void count_products(int *nJ2, int *nC1, int *nMe, const dfl_modal_body *b);
static void copy_products(dfl_field_integrals *to, const dfl_modal_body *b);
static void copy_fields(double *to, const dfl_modal_body *b, int node);
static dfl_status add_motion(dfl_mass_tree *tree, dfl_tree_elastic *to, const dfl_elastic *e,
                             const dfl_placed_joint *joint, int motion, int parent, int child);
static bool is_zero(const double *field, int nz);
static bool carries(const dfl_drawing *drawing, int body);

dfl_status dfl_elastic_keep(dfl_drawing *drawing, dfl_elastic *e, const dfl_drawn_elastic *drawn)
{
    const dfl_modal_body *b = drawn->modal;
    const size_t nz = (size_t)b->nz, nodes = (size_t)e->nnodes;
    int nJ2, nC1, nMe;
    count_products(&nJ2, &nC1, &nMe, b);
    const dfl_status status = dfl_field_integrals_create(&e->integrals, drawing->ctx, b->n, b->nz,
                                                         b->nforms, nJ2, nC1, nMe);
    e->fields = dfl_alloc(drawing->ctx, MOTIONS * nz * nodes, sizeof *e->fields);
    if (status || !e->fields)
        return DFL_NO_MEMORY;
    dfl_field_integrals *to = e->integrals;
    to->mass = b->mass;
    memcpy(to->s0, b->s0, sizeof to->s0);
    memcpy(to->J0, b->J0, sizeof to->J0);
    memcpy(to->S, b->S, 3 * nz * sizeof *to->S);
    memcpy(to->J1, b->J1, 6 * nz * sizeof *to->J1);
    memcpy(to->C0, b->C0, 3 * nz * sizeof *to->C0);
    for (int j = 0; j < b->nz; j++) {
        to->a[j] = b->amplitude[j].a;
        to->b[j] = b->amplitude[j].b;
    }
    if (b->nforms > 0)
        memcpy(to->form, b->form, (size_t)(b->nforms * b->n * b->n) * sizeof *to->form);
    for (int k = 0; k < b->n; k++) {
        to->twist[k] = drawn->twists && drawn->twists[k];
        to->mean[k] = to->twist[k] ? drawn->twist[k] : 0.0;
    }
    copy_products(to, b);
    for (int k = 0; k < e->nnodes; k++)
        copy_fields(e->fields + MOTIONS * b->nz * k, b, k);
    e->unit_mass = drawn->mass;
    e->unit_length = drawn->length;
    e->unit_rotary = drawn->rotary;
    return DFL_OK;
}

void dfl_elastic_forget(const dfl_drawing *drawing, dfl_elastic *e)
{
    dfl_field_integrals_free(e->integrals);
    dfl_free(drawing->ctx, e->fields);
}

/* Products i <= j that are not zero; of C1 i < j. */
static void count_products(int *nJ2, int *nC1, int *nMe, const dfl_modal_body *b)
{
    *nJ2 = *nC1 = *nMe = 0;
    for (int j = 0; j < b->nz; j++)
        for (int i = 0; i <= j; i++) {
            const int place = i + b->nz * j;
            *nMe += b->Me[place] != 0.0;
            for (int k = 0; k < 6; k++)
                *nJ2 += b->J2[6 * place + k] != 0.0;
            for (int k = 0; k < 3 && i < j; k++)
                *nC1 += b->C1[3 * place + k] != 0.0;
        }
}

static void copy_products(dfl_field_integrals *to, const dfl_modal_body *b)
{
    dfl_field_product *J2 = to->J2, *C1 = to->C1, *Me = to->Me;
    for (int j = 0; j < b->nz; j++)
        for (int i = 0; i <= j; i++) {
            const int place = i + b->nz * j;
            if (b->Me[place] != 0.0)
                *Me++ = (dfl_field_product){i, j, 0, b->Me[place]};
            for (int k = 0; k < 6; k++)
                if (b->J2[6 * place + k] != 0.0)
                    *J2++ = (dfl_field_product){i, j, k, b->J2[6 * place + k]};
            for (int k = 0; k < 3 && i < j; k++)
                if (b->C1[3 * place + k] != 0.0)
                    *C1++ = (dfl_field_product){i, j, k, b->C1[3 * place + k]};
        }
}

static void copy_fields(double *to, const dfl_modal_body *b, int node)
{
    for (int m = 0; m < MOTIONS; m++)
        for (int j = 0; j < b->nz; j++) {
            const double *from = m < 3 ? b->node[node].phi : b->node[node].psi;
            to[m * b->nz + j] = from[3 * j + m % 3];
        }
}

/* ------------------------------------------------------------------ trees */

dfl_status dfl_elastic_add_to_tree(dfl_mass_tree *tree, dfl_drawing *drawing, dfl_elastic *e)
{
    dfl_tree_elastic *to = &tree->elastics[tree->nelastics++];
    *to = (dfl_tree_elastic){.body = e->body, .integrals = e->integrals};
    e->integrals = NULL; /* the tree has it */
    to->slaves = dfl_alloc(drawing->ctx, MOTIONS * (size_t)e->nnodes, sizeof *to->slaves);
    dfl_mass_tree_numbers(tree, to->at, e->at.e, 3);
    dfl_mass_tree_numbers(tree, to->axis, e->axes[2].e, 3);
    dfl_mass_tree_numbers(tree, to->axis2, e->axes[0].e, 3);
    dfl_mass_tree_numbers(tree, &to->mass, &e->unit_mass, 1);
    dfl_mass_tree_numbers(tree, &to->length, &e->unit_length, 1);
    dfl_mass_tree_numbers(tree, &to->rotary, &e->unit_rotary, 1);
    return to->slaves ? DFL_OK : DFL_NO_MEMORY;
}

/* Motions 0 1 2 are shifts along x y z, 3 4 5 turns about them. Nothing but forces acts on a node
   that carries nothing: it stays where it is. */
dfl_status dfl_elastic_add_inner(dfl_mass_tree *tree, const dfl_drawing *drawing,
                                 const dfl_placed_joint *joint)
{
    static const int forth[MOTIONS] = {0, 1, 2, 5, 4, 3}, back[MOTIONS] = {3, 4, 5, 0, 1, 2};
    const dfl_placed_body *child = &drawing->bodies[joint->drawn.child];
    const bool to_frame = child->node < 0;
    const int node = to_frame ? drawing->bodies[joint->drawn.parent].node : child->node;
    const dfl_elastic *e = &drawing->elastics[child->elastic - 1];
    dfl_tree_elastic *to = &tree->elastics[child->elastic - 1];
    const int nz = to->integrals->nz;
    const double *fields = e->fields + MOTIONS * nz * node;
    int motions[MOTIONS], count = 0, parent = joint->drawn.parent;
    for (int i = 0; i < MOTIONS && (to_frame || carries(drawing, joint->drawn.child)); i++) {
        const int motion = to_frame ? back[i] : forth[i];
        if (!is_zero(fields + motion * nz, nz))
            motions[count++] = motion;
    }
    if (count == 0)
        return add_motion(tree, to, e, joint, -1, parent, joint->drawn.child);
    dfl_status status = DFL_OK;
    for (int i = 0; i < count && !status; i++) {
        const int last = i == count - 1 ? joint->drawn.child : tree->nbodies++;
        status = add_motion(tree, to, e, joint, motions[i], parent, last);
        for (int j = 0; j < nz && !status; j++)
            to->slaves[to->nslaves - 1].field[j] =
                (to_frame ? -1.0 : 1.0) * fields[motions[i] * nz + j];
        parent = last;
    }
    return status;
}

/* One joint of the chain; -1: a fixed one. */
static dfl_status add_motion(dfl_mass_tree *tree, dfl_tree_elastic *to, const dfl_elastic *e,
                             const dfl_placed_joint *joint, int motion, int parent, int child)
{
    const int number = tree->njoints++;
    dfl_joint *j = &tree->joints[number];
    *j = (dfl_joint){.name = dfl_copy_string(tree->ctx, joint->name),
                     .kind = motion < 0   ? DFL_JOINT_FIXED
                             : motion < 3 ? DFL_JOINT_PRISMATIC
                                          : DFL_JOINT_REVOLUTE,
                     .parent = parent,
                     .child = child};
    dfl_mass_tree_numbers(tree, j->at, joint->drawn.at.e, 3);
    if (motion < 0)
        return j->name ? DFL_OK : DFL_NO_MEMORY;
    dfl_mass_tree_numbers(tree, j->axis, e->axes[motion % 3].e, 3);
    dfl_slave_joint *slave = &to->slaves[to->nslaves++];
    *slave = (dfl_slave_joint){.joint = number, .turns = motion >= 3};
    slave->field = dfl_alloc(tree->ctx, (size_t)to->integrals->nz, sizeof *slave->field);
    return j->name && slave->field ? DFL_OK : DFL_NO_MEMORY;
}

static bool is_zero(const double *field, int nz)
{
    for (int j = 0; j < nz; j++)
        if (field[j] != 0.0)
            return false;
    return true;
}

static bool carries(const dfl_drawing *drawing, int body)
{
    for (int i = 0; i < drawing->njoints; i++)
        if (!drawing->joints[i].loop && drawing->joints[i].drawn.parent == body)
            return true;
    return false;
}
