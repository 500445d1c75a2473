/* elastic_numbers.c: elastic bodies left to recursions over numbers (multibody/elastic_tree.h).

   A node moves in the frame by shifts along the axes of the body and by turns about z, y and x, one
   after the other (elastic_nodes.c). In a tree these are slides and pins, whose coordinates are
   sums of amplitudes; the way back from a node to the frame has them in opposite order and
   direction. Motions that no mode contains are left out. */
#include "drawing/drawing_internal.h"

#include <math.h>
#include <string.h>

enum { MOTIONS = 6 };

static int find_components(int component[3 * DFL_MOST_FIELDS], int *nrest, const dfl_modal_body *b);
static void copy_products(dfl_field_integrals *to, const int *component, const dfl_modal_body *b);
static double products_of(double B[9], const dfl_modal_body *b, int i, int j);
static void copy_fields(double *to, const dfl_modal_body *b, int node);
static dfl_status add_motion(dfl_mass_tree *tree, dfl_tree_elastic *to, const dfl_elastic *e,
                             const dfl_placed_joint *joint, int motion, int parent, int child);
static bool is_zero(const double *field, int nz);
static bool carries(const dfl_drawing *drawing, int body);

dfl_status dfl_elastic_keep(dfl_drawing *drawing, dfl_elastic *e, const dfl_drawn_elastic *drawn)
{
    const dfl_modal_body *b = drawn->modal;
    const size_t nz = (size_t)b->nz, nodes = (size_t)e->nnodes;
    int component[3 * DFL_MOST_FIELDS], nrest;
    const int ncomponents = find_components(component, &nrest, b);
    const dfl_status status = dfl_field_integrals_create(&e->integrals, drawing->ctx, b->n, b->nz,
                                                         b->nforms, ncomponents, nrest);
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
    copy_products(to, component, b);
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

/* The components of fields that are not zero: 3 j + a along axis a of field j, axis by axis;
   returns how many. */
static int find_components(int component[3 * DFL_MOST_FIELDS], int *nrest, const dfl_modal_body *b)
{
    bool present[3 * DFL_MOST_FIELDS] = {false};
    double size[DFL_MOST_FIELDS], B[9];
    int count = 0;
    *nrest = 0;
    for (int j = 0; j < b->nz; j++) {
        products_of(B, b, j, j);
        size[j] = sqrt(fabs(B[0]) + fabs(B[4]) + fabs(B[8]));
    }
    for (int j = 0; j < b->nz; j++)
        for (int i = 0; i <= j; i++) {
            *nrest += products_of(B, b, i, j) != 0.0;
            for (int k = 0; k < 9; k++)
                if (fabs(B[k]) > 4e-13 * size[i] * size[j])
                    present[3 * i + k / 3] = present[3 * j + k % 3] = true;
        }
    for (int a = 0; a < 3; a++)
        for (int j = 0; j < b->nz; j++)
            if (present[3 * j + a])
                component[count++] = 3 * j + a;
    return count;
}

static void copy_products(dfl_field_integrals *to, const int *component, const dfl_modal_body *b)
{
    dfl_field_product *rest = to->rest;
    const int count = to->first[3];
    double B[9];
    for (int c = 0; c < count; c++) {
        to->field[c] = component[c] / 3;
        for (int a = component[c] % 3 + 1; a < 3; a++)
            to->first[a] = c + 1;
    }
    for (int c = 0; c < count; c++)
        for (int d = 0; d < count; d++) {
            products_of(B, b, to->field[c], to->field[d]);
            to->B[c * count + d] = B[3 * (component[c] % 3) + component[d] % 3];
        }
    for (int j = 0; j < b->nz; j++)
        for (int i = 0; i <= j; i++) {
            const double value = products_of(B, b, i, j);
            if (value != 0.0)
                *rest++ = (dfl_field_product){i, j, value};
        }
}

/* B_ab = int Phi_ia Phi_jb at 3 a + b, from J2 and C1; returns what Me has beside its trace. */
static double products_of(double B[9], const dfl_modal_body *b, int i, int j)
{
    static const int mixed[3] = {5, 4, 3}; /* yz, xz, xy in J2 */
    const int place = i + b->nz * j;
    const double *J = b->J2 + 6 * place, *C = b->C1 + 3 * place, Me = b->Me[place];
    double sum = fabs(Me);
    for (int c = 0; c < 3; c++) {
        const int a = (c + 1) % 3, k = (c + 2) % 3;
        B[4 * c] = 0.5 * (J[0] + J[1] + J[2]) - J[c];
        B[3 * a + k] = 0.5 * C[c] - J[mixed[c]];
        B[3 * k + a] = -0.5 * C[c] - J[mixed[c]];
        sum += fabs(B[4 * c]);
    }
    const double rest = Me - B[0] - B[4] - B[8];
    return fabs(rest) > 1e-12 * sum ? rest : 0.0;
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
