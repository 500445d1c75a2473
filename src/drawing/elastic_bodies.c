/* elastic_bodies.c: elastic bodies as expressions of their coordinates.

   With the integrals of elastic/elastic.h and amplitudes z(q):

       h = s0 + S_j z_j      J = J0 + J1_j z_j + J2_ij z_i z_j      S_k = S_j dz_j/dq_k
       C_k = (C0_j + C1_ij z_i) dz_j/dq_k      M_kl = Me_ij dz_i/dq_k dz_j/dq_l */
#include "drawing/drawing_internal.h"

#include "drawing/vectors.h"

#include <math.h>
#include <string.h>

/* Numbers of a modal body as expressions in axes of the drawing. */
typedef struct builder {
    dfl_graph *g;
    const dfl_drawn_elastic *drawn;
    const dfl_modal_body *b;
    dfl_expr z[DFL_MOST_FIELDS];
    dfl_expr *slope; /* n nz: dz_j / dq_k at k + n j */
    dfl_elastic *e;
} builder;

static dfl_status declare_coordinates(dfl_drawing *drawing, dfl_elastic *e,
                                      const dfl_drawn_elastic *drawn);
static dfl_status add_part(int *out, dfl_drawing *drawing, const dfl_drawn_elastic *drawn,
                           const char *node, int elastic, int number);
static void set_amplitudes(builder *w);
static void set_matrices(builder *w);
static void set_inertia(builder *w);
static void set_couplings(builder *w);
static void set_masses(builder *w);
static void set_nodes(builder *w);
static dfl_expr scaled(const builder *w, double number, dfl_expr unit, int lengths);
static dfl_vec turned(const builder *w, dfl_vec local);
static void add_rotary(builder *w);
static dfl_status declare_stiffness(dfl_drawing *drawing, const dfl_elastic *e,
                                    const dfl_drawn_elastic *drawn);

dfl_status dfl_drawing_elastic(int *out, dfl_drawing *drawing, const dfl_drawn_elastic *drawn)
{
    dfl_context *ctx = drawing->ctx;
    const dfl_modal_body *modal = drawn->modal;
    dfl_elastic *all =
        dfl_grow(ctx, drawing->elastics, &drawing->max_elastics, drawing->nelastics, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    drawing->elastics = all;
    dfl_elastic *e = &all[drawing->nelastics++];
    *e = (dfl_elastic){.line = drawn->line,
                       .n = modal->n,
                       .nnodes = modal->nnodes - modal->noutline,
                       .at = drawn->at};
    memcpy(e->axes, drawn->axes, sizeof e->axes);
    for (int k = 0; k < e->n; k++)
        e->massless[k] = drawn->massless && drawn->massless[k],
        e->stiff[k] = drawn->K[k + e->n * k];
    e->noutline = modal->noutline;
    e->soft = drawn->soft;
    e->hidden = drawn->hidden;
    e->magnify = drawn->magnify > 0.0 ? drawn->magnify : 1.0;
    e->name = dfl_copy_string(ctx, drawn->name);
    e->M = dfl_alloc(ctx, (size_t)(e->n * e->n), sizeof *e->M);
    e->node = dfl_alloc(ctx, (size_t)modal->nnodes + 1, sizeof *e->node);
    dfl_status status = e->name && e->M && e->node ? DFL_OK : DFL_NO_MEMORY;
    if (!status)
        status = add_part(&e->body, drawing, drawn, NULL, drawing->nelastics, -1);
    for (int k = 0; k < e->nnodes && !status; k++)
        status =
            add_part(&e->node[k].body, drawing, drawn, drawn->node_names[k], drawing->nelastics, k);
    if (!status)
        status = declare_coordinates(drawing, e, drawn);
    if (!status)
        status = dfl_elastic_keep(drawing, e, drawn);
    builder *w = status ? NULL : dfl_alloc(ctx, 1, sizeof *w);
    dfl_expr *slopes = w ? dfl_alloc(ctx, (size_t)(e->n * modal->nz), sizeof *slopes) : NULL;
    if (!status && !slopes)
        status = DFL_NO_MEMORY;
    if (!status) {
        *w = (builder){.g = drawing->graph, .drawn = drawn, .b = modal, .slope = slopes, .e = e};
        set_amplitudes(w);
        set_matrices(w);
        set_nodes(w);
        status = declare_stiffness(drawing, e, drawn);
    }
    if (!status)
        status = dfl_elastic_describe(drawing, drawn);
    dfl_free(ctx, slopes);
    dfl_free(ctx, w);
    *out = status ? -1 : e->body;
    return status ? status : dfl_graph_status(drawing->graph);
}

void dfl_drawing_free_elastic(dfl_drawing *drawing)
{
    for (int i = 0; i < drawing->nelastics; i++) {
        dfl_free(drawing->ctx, drawing->elastics[i].name);
        dfl_free(drawing->ctx, drawing->elastics[i].M);
        dfl_free(drawing->ctx, drawing->elastics[i].node);
        dfl_elastic_forget(drawing, &drawing->elastics[i]);
    }
    dfl_free(drawing->ctx, drawing->elastics);
}

/* The frame, or a node NAME.NODE: bodies without mass. */
static dfl_status add_part(int *out, dfl_drawing *drawing, const dfl_drawn_elastic *drawn,
                           const char *node, int elastic, int number)
{
    dfl_text name = {.ctx = drawing->ctx};
    dfl_text_add(&name, node ? "%s.%s" : "%s", drawn->name, node);
    dfl_status status = name.status;
    const dfl_drawn_body body = {.line = drawn->line,
                                 .name = dfl_text_string(&name),
                                 .com = drawn->at,
                                 .color = drawn->color,
                                 .hidden = true};
    if (!status)
        status = dfl_drawing_body(out, drawing, &body);
    dfl_text_clear(&name);
    if (status)
        return status;
    drawing->bodies[*out].elastic = elastic;
    drawing->bodies[*out].node = number;
    return DFL_OK;
}

/* NAME.q1, ... */
static dfl_status declare_coordinates(dfl_drawing *drawing, dfl_elastic *e,
                                      const dfl_drawn_elastic *drawn)
{
    const bool *twists = drawn->twists;
    dfl_status status = DFL_OK;
    for (int k = 0; k < e->n && !status; k++) {
        dfl_text name = {.ctx = drawing->ctx};
        dfl_text_add(&name, "%s.q%d", e->name, k + 1);
        status = name.status;
        if (!status)
            status = dfl_model_position(&e->p[k], drawing->model, e->line, dfl_text_string(&name));
        if (!status)
            status = dfl_model_velocity(&e->v[k], drawing->model, e->p[k]);
        if (!status)
            status = dfl_model_unit(drawing->model, dfl_model_owner(drawing->model, e->p[k]),
                                    twists && twists[k] ? "rad" : "m");
        dfl_text_clear(&name);
        if (!status && drawn->smooth && !e->massless[k])
            dfl_model_begin_smoothly(drawing->model, e->p[k]);
    }
    return status;
}

/* ------------------------------------------------------------------ matrices */

/* unit length^lengths number */
static dfl_expr scaled(const builder *w, double number, dfl_expr unit, int lengths)
{
    dfl_graph *g = w->g;
    if (number == 0.0)
        return 0;
    dfl_expr x = unit;
    for (int k = 0; k < lengths; k++)
        x = dfl_mul(g, x, w->drawn->length);
    for (int k = 0; k > lengths; k--)
        x = dfl_div(g, x, w->drawn->length);
    return dfl_mul(g, dfl_constant(g, number), x);
}

/* z_j and dz_j / dq_k */
static void set_amplitudes(builder *w)
{
    dfl_graph *g = w->g;
    const dfl_modal_body *b = w->b;
    const dfl_expr half = dfl_constant(g, 0.5), *q = w->e->p;
    const int n = b->n;
    for (int j = 0; j < b->nz; j++) {
        const dfl_amplitude z = b->amplitude[j];
        dfl_expr *slope = w->slope + n * j;
        if (z.b == DFL_LINEAR)
            slope[z.a] = dfl_constant(g, 1.0);
        if (z.b >= 0) {
            slope[z.a] = q[z.b];
            slope[z.b] = q[z.a];
        }
        for (int k = 0; k < n && z.b == DFL_FORM; k++)
            for (int i = 0; i < n; i++) {
                const double F = b->form[n * (n * z.a + k) + i];
                if (F != 0.0)
                    slope[k] = dfl_add(g, slope[k], dfl_mul(g, dfl_constant(g, F), q[i]));
            }
        if (z.b == DFL_LINEAR)
            w->z[j] = q[z.a];
        else if (z.b >= 0 && z.a != z.b)
            w->z[j] = dfl_mul(g, q[z.a], q[z.b]);
        else /* quadratic forms: q dz/dq = 2 z */
            for (int k = 0; k < n; k++)
                w->z[j] = dfl_add(g, w->z[j], dfl_mul(g, half, dfl_mul(g, q[k], slope[k])));
    }
}

static dfl_expr slope(const builder *w, int field, int k)
{
    return w->slope[k + w->b->n * field];
}

/* 1 for fields of second order, which are divided by a length, if their amplitudes are lengths. */
static int order(const builder *w, int field)
{
    const dfl_amplitude z = w->b->amplitude[field];
    const bool *twists = w->drawn->twists; /* these are angles */
    if (z.b < 0 || !twists)
        return z.b != DFL_LINEAR;
    return 1 - twists[z.a] - twists[z.b];
}

static dfl_vec turned(const builder *w, dfl_vec local)
{
    dfl_vec x = vec_zero();
    for (int k = 0; k < 3; k++)
        x = vec_add(w->g, x, vec_scale(w->g, local.e[k], w->drawn->axes[k]));
    return x;
}

/* number_k z_k of a field of which `lengths` is the power of the length at first order */
static dfl_expr term(const builder *w, double number, int lengths, int field)
{
    const dfl_expr unit = w->drawn->mass;
    return dfl_mul(w->g, scaled(w, number, unit, lengths - order(w, field)), w->z[field]);
}

static void set_matrices(builder *w)
{
    set_inertia(w);
    set_couplings(w);
    set_masses(w);
    if (w->drawn->rotary)
        add_rotary(w);
}

static void set_inertia(builder *w)
{
    dfl_graph *g = w->g;
    const dfl_modal_body *b = w->b;
    const dfl_expr m = w->drawn->mass;
    dfl_vec h;
    dfl_sym J;
    for (int k = 0; k < 3; k++) {
        h.e[k] = scaled(w, b->s0[k], m, 1);
        for (int j = 0; j < b->nz; j++)
            h.e[k] = dfl_add(g, h.e[k], term(w, b->S[3 * j + k], 0, j));
    }
    for (int k = 0; k < 6; k++) {
        J.e[k] = scaled(w, b->J0[k], m, 2);
        for (int j = 0; j < b->nz; j++) {
            dfl_expr sum = scaled(w, b->J1[6 * j + k], m, 1 - order(w, j));
            for (int i = 0; i <= j; i++) {
                const double twice = i == j ? 1.0 : 2.0, pair = b->J2[6 * (i + b->nz * j) + k];
                sum = dfl_add(g, sum, term(w, twice * pair, -order(w, j), i));
            }
            J.e[k] = dfl_add(g, J.e[k], dfl_mul(g, sum, w->z[j]));
        }
    }
    w->e->mass = scaled(w, b->mass, m, 0);
    w->e->h = turned(w, h);
    w->e->J = sym_rotate(g, mat_transpose(mat_of_rows(w->drawn->axes)), J);
}

static void set_couplings(builder *w)
{
    dfl_graph *g = w->g;
    const dfl_modal_body *b = w->b;
    const dfl_expr m = w->drawn->mass;
    for (int k = 0; k < w->e->n; k++) {
        dfl_vec S = vec_zero(), C = vec_zero();
        for (int j = 0; j < b->nz; j++) {
            const dfl_expr zq = slope(w, j, k);
            for (int i = 0; i < 3 && zq != 0; i++) {
                const dfl_expr s = scaled(w, b->S[3 * j + i], m, -order(w, j));
                dfl_expr c = scaled(w, b->C0[3 * j + i], m, 1 - order(w, j));
                for (int l = 0; l < b->nz; l++)
                    c = dfl_add(g, c, term(w, b->C1[3 * (l + b->nz * j) + i], -order(w, j), l));
                S.e[i] = dfl_add(g, S.e[i], dfl_mul(g, s, zq));
                C.e[i] = dfl_add(g, C.e[i], dfl_mul(g, c, zq));
            }
        }
        w->e->S[k] = turned(w, S);
        w->e->C[k] = turned(w, C);
    }
}

/* dz_i/dq_k (Me_ij dz_j/dq_l): what is in brackets is the same for all k. */
static void set_masses(builder *w)
{
    dfl_graph *g = w->g;
    const dfl_modal_body *b = w->b;
    const int n = w->e->n;
    dfl_expr along[DFL_MOST_FIELDS];
    for (int l = 0; l < n; l++) {
        for (int i = 0; i < b->nz; i++) {
            along[i] = 0;
            for (int j = 0; j < b->nz; j++)
                if (slope(w, j, l) != 0 && b->Me[i + b->nz * j] != 0.0) {
                    const int lengths = -order(w, i) - order(w, j);
                    const dfl_expr mass = scaled(w, b->Me[i + b->nz * j], w->drawn->mass, lengths);
                    along[i] = dfl_add(g, along[i], dfl_mul(g, mass, slope(w, j, l)));
                }
        }
        for (int k = l; k < n; k++) {
            dfl_expr sum = 0;
            for (int i = 0; i < b->nz; i++)
                sum = dfl_add(g, sum, dfl_mul(g, slope(w, i, k), along[i]));
            w->e->M[k + n * l] = w->e->M[l + n * k] = sum;
        }
    }
}

/* Sections that turn about the axis: with the beam, and with its twist. */
static void add_rotary(builder *w)
{
    dfl_graph *g = w->g;
    dfl_elastic *e = w->e;
    const dfl_vec x = w->drawn->axes[0];
    const dfl_expr r = w->drawn->rotary, all = scaled(w, w->b->mass, r, 0);
    for (int i = 0; i < 3; i++)
        for (int k = i; k < 3; k++)
            e->J.e[sym_place(i, k)] =
                dfl_add(g, e->J.e[sym_place(i, k)], dfl_mul(g, all, dfl_mul(g, x.e[i], x.e[k])));
    for (int k = 0; k < e->n && w->drawn->twists; k++) {
        if (!w->drawn->twists[k])
            continue;
        const dfl_expr mean = scaled(w, w->drawn->twist[k], r, 0);
        e->C[k] = vec_add(g, e->C[k], vec_scale(g, mean, x));
        e->M[k + e->n * k] = dfl_add(g, e->M[k + e->n * k], r);
    }
}

static void set_nodes(builder *w)
{
    dfl_graph *g = w->g;
    const dfl_expr one = dfl_constant(g, 1.0);
    for (int k = 0; k < w->b->nnodes; k++) {
        const dfl_modal_node *from = &w->b->node[k];
        dfl_elastic_node *node = &w->e->node[k];
        dfl_vec at, shift = {{0}}, turn = {{0}};
        for (int i = 0; i < 3; i++) {
            at.e[i] = scaled(w, from->at[i], one, 1);
            for (int j = 0; j < w->b->nz; j++)
                shift.e[i] = dfl_add(
                    g, shift.e[i],
                    dfl_mul(g, scaled(w, from->phi[3 * j + i], one, -order(w, j)), w->z[j]));
            for (int j = 0; j < w->b->nz; j++) {
                const bool angle =
                    j < w->b->n && w->drawn->twists && w->drawn->twists[j]; /* q is an angle */
                const int lengths = angle ? 0 : -1 - order(w, j);
                turn.e[i] =
                    dfl_add(g, turn.e[i],
                            dfl_mul(g, scaled(w, from->psi[3 * j + i], one, lengths), w->z[j]));
            }
        }
        node->turned = from->turn;
        node->at = vec_add(g, w->drawn->at, turned(w, at));
        node->shift = turned(w, shift);
        node->turn = turn;
    }
}

static dfl_status declare_stiffness(dfl_drawing *drawing, const dfl_elastic *e,
                                    const dfl_drawn_elastic *drawn)
{
    dfl_graph *g = drawing->graph;
    const int n = e->n;
    dfl_expr energy = 0;
    dfl_status status = DFL_OK;
    for (int i = 0; i < n && !status; i++) {
        dfl_expr spring = 0, damper = 0;
        for (int j = 0; j < n; j++) {
            spring = dfl_add(g, spring, dfl_mul(g, drawn->K[i + n * j], e->p[j]));
            damper = dfl_add(g, damper, dfl_mul(g, drawn->D[i + n * j], e->v[j]));
        }
        energy = dfl_add(g, energy, dfl_mul(g, spring, e->p[i]));
        if (spring != 0)
            status = dfl_model_stored_force(drawing->model, e->line, e->v[i], dfl_neg(g, spring));
        if (!status && damper == 0 && e->massless[i])
            status = dfl_model_quasistatic(drawing->model, e->v[i]);
        if (!status && damper != 0)
            status = dfl_model_force(drawing->model, e->line, e->v[i], dfl_neg(g, damper));
    }
    if (!status && energy != 0)
        status = dfl_model_stored(drawing->model, dfl_mul(g, dfl_constant(g, 0.5), energy));
    return status;
}
