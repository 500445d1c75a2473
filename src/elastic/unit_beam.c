/* unit_beam.c: the modes of a straight beam and their invariants.

   Fields are deflections phi_i, along x of stretch, along y and z of bending; a twist displaces no
   point of the axis. A beam that bends becomes shorter: to second order its points move along x by

       -1/2 sum_ij q_i q_j ∫ phi_i' phi_j' dx        from the first reference station to the point

   for deflections in the same direction; Buckens' frame has the mean of it, over the mass, at 0.
   Curvatures v'', w'' along y and z are those of sections that a twist t has turned:

       v2'' = -t w''    w2'' = t v''    t2' = -v'' w'

   for turns about z, y and x, one after the other: the rotations R of the sections have R' = R [k]
   with k = (t', -w'', v''), and the axis has r' = R e_x. */
#include "elastic/beam_family.h"

#include <math.h>
#include <string.h>

enum { OUTLINE = 25 }; /* points that show the beam, at most */

/* Which products of two modes displace or turn sections. */
typedef enum product {
    NO_PRODUCT,
    SHORTENS, /* both bend in one direction */
    DEFLECTS, /* a twist turns what bends */
    TWISTS    /* both bend, the one along y, the other one along z */
} product;

/* Integrals along the beam that make a field of second order: (∫ a' b', ∫ x a' b', ∫ a b') of a
   twist a, or the first one alone; (∫ a'' b') of modes along y and z. */
enum { PARTS = 3 };

/* Values of all modes at the Gauss points from the beginning of an element to a place of it. */
typedef struct piece {
    int element; /* -1: none yet */
    double place, value[DFL_GAUSS][DFL_MOST_MODES], slope[DFL_GAUSS][DFL_MOST_MODES],
        curvature[DFL_GAUSS][DFL_MOST_MODES]; /* the last of deflections along y alone */
} piece;

/* Where the modes are sampled: value, slope and such integrals of all fields. */
typedef struct sample {
    dfl_unit_beam *beam;
    const dfl_mesh *mesh;
    dfl_family_modes modes[DFL_BEAM_FAMILIES];
    int family_count;
    int own[DFL_MOST_MODES];               /* number of a mode within its family */
    double sum[PARTS][DFL_MOST_FIELDS];    /* from 0 to the present element */
    double offset[PARTS][DFL_MOST_FIELDS]; /* ... to the reference, or the mean */
    double from;                           /* the reference, */
    double hinge[DFL_MOST_FIELDS];         /* a b' there */
    piece *piece;                          /* of the last integrals */
} sample;

static dfl_status choose_counts(dfl_beam_order *order, dfl_context *ctx, const dfl_beam_task *task,
                                const dfl_mesh *mesh);
static int count_lowest(int counts[DFL_BEAM_FAMILIES], const dfl_beam_order *order,
                        const double stiffness[DFL_BEAM_FAMILIES]);
static int slowest(const int next[DFL_BEAM_FAMILIES], const dfl_family_list *all,
                   const double stiffness[DFL_BEAM_FAMILIES]);
static dfl_status list_modes(sample *s, dfl_context *ctx, const dfl_beam_task *task);
static void walk(sample *s, const dfl_beam_task *task, bool take);
static void fields_at(double *Phi, const sample *s, int element, double place);
static product kind_of(const sample *s, int field);
static product couple(dfl_beam_family a, dfl_beam_family b);
static void sum_up(sample *s, int element);
static void add_element(sample *s, int element);
static void begin_at(sample *s, int place);
static void integrals(double I[PARTS], const sample *s, int field, int element, double place);
static void add_piece(double I[PARTS], const sample *s, int field, int element, double place);
static void take_piece(const sample *s, int element, double place);
static double product_at(const sample *s, int field, int element, double place);
static void in_order(int *a, int *b, const sample *s, int field);
static double curvature(const sample *s, int mode, int element, double place);
static void turn_sections(double *psi, const sample *s, int field, int element, double place);
static void take_node(sample *s, int k, int place);
static void take_turn(sample *s, int k);
static int outline_place(const dfl_mesh *mesh, int k, int count);
static int last_element(int place);

dfl_status dfl_unit_beam_find(dfl_unit_beam *out, dfl_context *ctx, const dfl_beam_task *task)
{
    dfl_mesh mesh = {0};
    piece none = {.element = -1};
    sample s = {.beam = out,
                .mesh = &mesh,
                .family_count = task->planar ? 2 : DFL_BEAM_FAMILIES,
                .piece = &none};
    *out = (dfl_unit_beam){.body = NULL};
    dfl_status status = dfl_mesh_create(&mesh, ctx, task);
    if (!status)
        status = choose_counts(&out->order, ctx, task, &mesh);
    for (int f = 0; f < s.family_count && !status; f++)
        status = dfl_family_find(&s.modes[f], ctx, task, &mesh, (dfl_beam_family)f,
                                 out->order.chosen[f]);
    if (!status)
        status = list_modes(&s, ctx, task);
    if (!status) {
        begin_at(&s, task->frame == DFL_FRAME_BUCKENS ? 0 : mesh.station[task->first]);
        if (task->frame == DFL_FRAME_BUCKENS)
            walk(&s, task, false); /* the mean first */
        walk(&s, task, true);
        for (int k = 0; k < task->nstations; k++) {
            take_node(&s, k, mesh.station[k]);
            take_turn(&s, k);
        }
        for (int k = 0; k < out->body->noutline; k++)
            take_node(&s, task->nstations + k, outline_place(&mesh, k, out->body->noutline));
        dfl_modal_body_round(out->body);
    }
    for (int f = 0; f < s.family_count; f++)
        dfl_family_clear(&s.modes[f], ctx);
    dfl_mesh_clear(&mesh, ctx);
    if (status) {
        dfl_modal_body_free(out->body);
        out->body = NULL;
    }
    return status;
}

/* The lowest `modes` of all families together. */
static dfl_status choose_counts(dfl_beam_order *order, dfl_context *ctx, const dfl_beam_task *task,
                                const dfl_mesh *mesh)
{
    dfl_status status = DFL_OK;
    order->modes = task->modes;
    for (int f = 0; f < (task->planar ? 2 : DFL_BEAM_FAMILIES) && !status; f++)
        status = dfl_family_stiffness(order->lowest.k[f], &order->lowest.count[f], ctx, task, mesh,
                                      (dfl_beam_family)f, task->modes);
    const int chosen = status ? 0 : count_lowest(order->chosen, order, task->stiffness);
    if (!status && chosen < task->modes)
        return dfl_fail(ctx, DFL_INVALID,
                        "%d elements have %d modes, not %d; give more elements or fewer modes",
                        task->elements, chosen, task->modes);
    return status;
}

/* counts: of each family; all together, which are fewer if there are not enough. */
static int count_lowest(int counts[DFL_BEAM_FAMILIES], const dfl_beam_order *order,
                        const double stiffness[DFL_BEAM_FAMILIES])
{
    int chosen = 0;
    memset(counts, 0, DFL_BEAM_FAMILIES * sizeof *counts);
    for (int best = 0; chosen < order->modes && best >= 0; chosen += best >= 0) {
        best = slowest(counts, &order->lowest, stiffness);
        if (best >= 0)
            counts[best]++;
    }
    return chosen;
}

/* The family whose next mode has the lowest frequency; -1: none is left. */
static int slowest(const int next[DFL_BEAM_FAMILIES], const dfl_family_list *all,
                   const double stiffness[DFL_BEAM_FAMILIES])
{
    int best = -1;
    for (int f = 0; f < DFL_BEAM_FAMILIES; f++)
        if (next[f] < all->count[f] && stiffness[f] > 0.0 &&
            (best < 0 ||
             stiffness[f] * all->k[f][next[f]] < stiffness[best] * all->k[best][next[best]]))
            best = f;
    return best;
}

bool dfl_unit_beam_same(const dfl_beam_order *order, const double stiffness[DFL_BEAM_FAMILIES])
{
    int counts[DFL_BEAM_FAMILIES], next[DFL_BEAM_FAMILIES] = {0};
    dfl_family_list all = {.count = {0}};
    bool same = count_lowest(counts, order, stiffness) == order->modes;
    for (int f = 0; f < DFL_BEAM_FAMILIES; f++)
        same = same && counts[f] == order->chosen[f];
    for (int i = 0; i < order->n; i++)
        all.k[order->family[i]][all.count[order->family[i]]++] = order->k[i];
    for (int i = 0; same && i < order->n; i++) {
        same = slowest(next, &all, stiffness) == (int)order->family[i];
        next[order->family[i]]++;
    }
    return same;
}

/* By ascending frequency; then their products. */
static dfl_status list_modes(sample *s, dfl_context *ctx, const dfl_beam_task *task)
{
    dfl_unit_beam *b = s->beam;
    dfl_beam_order *order = &b->order;
    dfl_family_list all = {.count = {0}};
    int next[DFL_BEAM_FAMILIES] = {0}, n = 0, total = 0, products = 0;
    for (int f = 0; f < s->family_count; f++) {
        total += s->modes[f].count;
        for (; all.count[f] < s->modes[f].count && all.count[f] < DFL_MOST_MODES; all.count[f]++)
            all.k[f][all.count[f]] = s->modes[f].k[all.count[f]];
    }
    for (; n < total && n < DFL_MOST_MODES; n++) {
        const int best = slowest(next, &all, task->stiffness);
        order->family[n] = (dfl_beam_family)best;
        order->k[n] = all.k[best][next[best]];
        s->own[n] = next[best]++;
    }
    order->n = n;
    for (int i = 0; i < n; i++)
        for (int l = i; l < n; l++)
            products += couple(order->family[i], order->family[l]) != NO_PRODUCT;
    const int nz = n + (task->first_order ? 0 : products);
    const int most = s->mesh->nplaces < OUTLINE ? s->mesh->nplaces : OUTLINE;
    const dfl_status status =
        dfl_modal_body_create(&b->body, ctx, total, nz, task->nstations + most);
    if (!status)
        b->body->noutline = most;
    for (int i = 0, j = n; i < n && !status && !task->first_order; i++)
        for (int l = i; l < n; l++)
            if (couple(order->family[i], order->family[l]) != NO_PRODUCT)
                b->body->amplitude[j++] = (dfl_amplitude){i, l};
    return status;
}

static product couple(dfl_beam_family a, dfl_beam_family b)
{
    const bool y = a == DFL_BEAM_BEND_Y || b == DFL_BEAM_BEND_Y;
    const bool z = a == DFL_BEAM_BEND_Z || b == DFL_BEAM_BEND_Z;
    const bool twist = a == DFL_BEAM_TWIST || b == DFL_BEAM_TWIST;
    if (a == b)
        return y || z ? SHORTENS : NO_PRODUCT;
    if (y && z)
        return TWISTS;
    return twist && (y || z) ? DEFLECTS : NO_PRODUCT;
}

/* Integrals begin at a place of the mesh. */
static void begin_at(sample *s, int place)
{
    const dfl_modal_body *body = s->beam->body;
    const int e = last_element(place);
    const double at = place > e ? 1.0 : 0.0;
    s->from = s->mesh->place[place];
    memset(s->offset, 0, sizeof s->offset);
    sum_up(s, e);
    for (int j = body->n; j < body->nz; j++) {
        double I[PARTS];
        integrals(I, s, j, e, at);
        for (int k = 0; k < PARTS; k++)
            s->offset[k][j] = I[k];
        s->hinge[j] = kind_of(s, j) == DEFLECTS ? product_at(s, j, e, at) : 0.0;
    }
}

/* Over all points of integration: adds their masses, or finds the mean shortening. */
static void walk(sample *s, const dfl_beam_task *task, bool take)
{
    const dfl_mesh *mesh = s->mesh;
    dfl_modal_body *body = s->beam->body;
    double Phi[3 * DFL_MOST_FIELDS], mean[DFL_MOST_FIELDS] = {0};
    memset(s->sum, 0, sizeof s->sum);
    for (int e = 0; e < mesh->nplaces - 1; e++) {
        const double h = mesh->place[e + 1] - mesh->place[e];
        for (int g = 0; g < DFL_GAUSS; g++) {
            const double r[3] = {mesh->place[e] + h * dfl_gauss_place[g], 0.0, 0.0};
            const double m = h * dfl_gauss_weight[g] * dfl_profile_at(&task->mass, r[0]);
            fields_at(Phi, s, e, dfl_gauss_place[g]);
            if (take)
                dfl_modal_body_add(body, m, r, Phi);
            for (int i = 0; i < body->n && take; i++)
                if (s->beam->order.family[i] == DFL_BEAM_TWIST) {
                    double value, slope;
                    dfl_family_value(&value, &slope, &s->modes[DFL_BEAM_TWIST], mesh, s->own[i], e,
                                     dfl_gauss_place[g]);
                    s->beam->turn0[i] += m * value;
                }
            for (int j = body->n; j < body->nz && !take; j++)
                mean[j] -= m * Phi[3 * j];
        }
        add_element(s, e);
    }
    for (int j = body->n; j < body->nz && !take; j++)
        s->offset[0][j] += mean[j];
}

/* Displacements of all fields at a place of an element. */
static void fields_at(double *Phi, const sample *s, int element, double place)
{
    const dfl_modal_body *body = s->beam->body;
    memset(Phi, 0, 3 * (size_t)body->nz * sizeof *Phi);
    for (int i = 0; i < body->n; i++) {
        const dfl_beam_family f = s->beam->order.family[i];
        double slope;
        if (f != DFL_BEAM_TWIST)
            dfl_family_value(&Phi[3 * i + (int)f], &slope, &s->modes[f], s->mesh, s->own[i],
                             element, place);
    }
    for (int j = body->n; j < body->nz; j++) {
        const double h = s->mesh->place[element + 1] - s->mesh->place[element];
        const double x = s->mesh->place[element] + h * place;
        const product kind = kind_of(s, j);
        double I[PARTS];
        integrals(I, s, j, element, place);
        if (kind == SHORTENS)
            Phi[3 * j] = -I[0];
        if (kind != DEFLECTS)
            continue;
        int a, b; /* ∫∫ a b'' by parts */
        in_order(&a, &b, s, j);
        const double w = I[2] + I[1] - x * I[0] - (x - s->from) * s->hinge[j];
        if (s->beam->order.family[b] == DFL_BEAM_BEND_Y)
            Phi[3 * j + 2] = w;
        else
            Phi[3 * j + 1] = -w;
    }
}

static product kind_of(const sample *s, int field)
{
    const dfl_amplitude z = s->beam->body->amplitude[field];
    return couple(s->beam->order.family[z.a], s->beam->order.family[z.b]);
}

/* From 0 to the beginning of an element. */
static void sum_up(sample *s, int element)
{
    memset(s->sum, 0, sizeof s->sum);
    for (int e = 0; e < element; e++)
        add_element(s, e);
}

static void add_element(sample *s, int element)
{
    const dfl_modal_body *body = s->beam->body;
    for (int j = body->n; j < body->nz; j++) {
        double I[PARTS] = {0};
        add_piece(I, s, j, element, 1.0);
        for (int k = 0; k < PARTS; k++)
            s->sum[k][j] += I[k];
    }
}

/* From the reference to a place of an element, of which `sum` has what is before it. */
static void integrals(double I[PARTS], const sample *s, int field, int element, double place)
{
    for (int k = 0; k < PARTS; k++)
        I[k] = s->sum[k][field] - s->offset[k][field];
    add_piece(I, s, field, element, place);
}

/* From the beginning of an element to a place of it. */
static void add_piece(double I[PARTS], const sample *s, int field, int element, double place)
{
    const product kind = kind_of(s, field);
    const double begin = s->mesh->place[element], h = s->mesh->place[element + 1] - begin;
    const piece *p = s->piece;
    int i, k;
    in_order(&i, &k, s, field);
    take_piece(s, element, place);
    for (int g = 0; g < DFL_GAUSS; g++) {
        const double at = place * dfl_gauss_place[g], weight = h * place * dfl_gauss_weight[g];
        const double aa = kind == TWISTS ? p->curvature[g][i] : p->slope[g][i];
        I[0] += weight * aa * p->slope[g][k];
        I[1] += weight * (begin + h * at) * aa * p->slope[g][k];
        I[2] += weight * p->value[g][i] * p->slope[g][k];
    }
}

/* All fields have the same ones. */
static void take_piece(const sample *s, int element, double place)
{
    const dfl_beam_order *order = &s->beam->order;
    piece *p = s->piece;
    if (p->element == element && p->place == place)
        return;
    p->element = element;
    p->place = place;
    for (int g = 0; g < DFL_GAUSS; g++)
        for (int i = 0; i < order->n; i++) {
            const double at = place * dfl_gauss_place[g];
            dfl_family_value(&p->value[g][i], &p->slope[g][i], &s->modes[order->family[i]], s->mesh,
                             s->own[i], element, at);
            if (order->family[i] == DFL_BEAM_BEND_Y)
                p->curvature[g][i] = curvature(s, i, element, at);
        }
}

/* a b' */
static double product_at(const sample *s, int field, int element, double place)
{
    double a, b, slope;
    int i, k;
    in_order(&i, &k, s, field);
    dfl_family_value(&a, &slope, &s->modes[s->beam->order.family[i]], s->mesh, s->own[i], element,
                     place);
    dfl_family_value(&b, &slope, &s->modes[s->beam->order.family[k]], s->mesh, s->own[k], element,
                     place);
    return a * slope;
}

/* The modes of a product: a twist is the first one, and one along y comes before one along z. */
static void in_order(int *a, int *b, const sample *s, int field)
{
    const dfl_amplitude z = s->beam->body->amplitude[field];
    const dfl_beam_family f = s->beam->order.family[z.a], g = s->beam->order.family[z.b];
    const bool turn = f != DFL_BEAM_TWIST && (g == DFL_BEAM_TWIST || g < f);
    *a = turn ? z.b : z.a;
    *b = turn ? z.a : z.b;
}

/* Of a deflection: slopes are quadratic within an element. */
static double curvature(const sample *s, int mode, int element, double place)
{
    const double h = s->mesh->place[element + 1] - s->mesh->place[element];
    double value, slope[3];
    for (int k = 0; k < 3; k++)
        dfl_family_value(&value, &slope[k], &s->modes[s->beam->order.family[mode]], s->mesh,
                         s->own[mode], element, 0.5 * k);
    return ((4.0 * place - 3.0) * slope[0] + (4.0 - 8.0 * place) * slope[1] +
            (4.0 * place - 1.0) * slope[2]) /
           h;
}

/* t2, and the slopes ∫ a b'' = a b' - ∫ a' b' of what turns deflect. */
static void turn_sections(double *psi, const sample *s, int field, int element, double place)
{
    double I[PARTS];
    int a, b;
    in_order(&a, &b, s, field);
    integrals(I, s, field, element, place);
    if (kind_of(s, field) == TWISTS)
        psi[0] = -I[0];
    if (kind_of(s, field) == DEFLECTS)
        psi[s->beam->order.family[b] == DFL_BEAM_BEND_Y ? 1 : 2] =
            I[0] + s->hinge[field] - product_at(s, field, element, place);
}

/* The element that ends at a place, or the first one. */
static int last_element(int place)
{
    return place > 0 ? place - 1 : 0;
}

/* The number of the place of point k of the outline, from the first to the last place. */
static int outline_place(const dfl_mesh *mesh, int k, int count)
{
    return count > 1 ? k * (mesh->nplaces - 1) / (count - 1) : 0;
}

static void take_node(sample *s, int k, int place)
{
    dfl_modal_body *body = s->beam->body;
    const int e = last_element(place);
    const double at = place > e ? 1.0 : 0.0;
    sum_up(s, e);
    body->node[k].at[0] = s->mesh->place[place];
    fields_at(body->node[k].phi, s, e, at);
    for (int i = 0; i < body->n; i++) {
        const dfl_beam_family f = s->beam->order.family[i];
        double value, slope, *psi = body->node[k].psi + 3 * i;
        dfl_family_value(&value, &slope, &s->modes[f], s->mesh, s->own[i], e, at);
        body->node[k].strain[i] = dfl_family_strain(&s->modes[f], s->mesh, s->own[i], place);
        if (f == DFL_BEAM_BEND_Y)
            psi[2] = slope;
        else if (f == DFL_BEAM_BEND_Z)
            psi[1] = -slope;
        else if (f == DFL_BEAM_TWIST)
            psi[0] = value;
    }
    for (int j = body->n; j < body->nz; j++)
        turn_sections(body->node[k].psi + 3 * j, s, j, e, at);
}

/* The worst of both directions that have modes. */
static void take_turn(sample *s, int k)
{
    double *turn = &s->beam->body->node[k].turn;
    *turn = 1.0;
    for (int f = DFL_BEAM_BEND_Y; f <= DFL_BEAM_BEND_Z && f < s->family_count; f++)
        if (s->modes[f].count > 0)
            *turn = fmin(*turn, s->modes[f].turn[k]);
}
