/* elastic_tables.c: elastic bodies given by their modes: checks, and the order of numbers. */
#include "drawing/elastic_tables.h"

#include "drawing/drawing_internal.h"
#include "drawing/vectors.h"

#include <math.h>
#include <string.h>

static dfl_status check_modes(const dfl_drawing *drawing, const dfl_drawn_modes *m);
static int find_asymmetry(const double *A, int count, const void *sign);
static dfl_status check_symmetric(const dfl_drawing *drawing, const dfl_drawn_modes *m,
                                  const double *A, double sign, const char *what);
static dfl_status check_inertias(const dfl_drawing *drawing, const dfl_drawn_modes *m);
static void fill(dfl_modal_body *b, const dfl_drawn_modes *m, bool planar);
static void fill_outline(dfl_modal_body *b, const dfl_drawn_modes *m);
static void set_loads(dfl_drawing *drawing, const dfl_drawn_modes *m);
static dfl_status doubt_moments(dfl_drawing *drawing, const dfl_drawn_modes *m);
static void stiffen(dfl_modal_body *b, const dfl_drawn_modes *m, bool planar);
static void add_second_order(dfl_modal_body *b, const dfl_drawn_modes *m);
static bool is_soft(const dfl_modal_body *b, bool planar);
static void find_axes(dfl_vec axes[3], const dfl_drawing *drawing, const dfl_drawn_modes *m);
static dfl_status note_modes(double *slowest, dfl_drawing *drawing, const dfl_drawn_modes *m,
                             bool soft);

dfl_status dfl_drawing_modes(int *out, dfl_drawing *drawing, const dfl_drawn_modes *m)
{
    dfl_graph *g = drawing->graph;
    dfl_modal_body *body = NULL;
    const dfl_expr one = dfl_constant(g, 1.0);
    int which[DFL_AFFINE_FIELDS];
    const int affine = m->affine ? dfl_affine_list(which, m->affine) : 0;
    dfl_status status = check_modes(drawing, m);
    if (!status)
        status = dfl_modal_body_create(&body, drawing->ctx, m->n,
                                       m->n + (m->stiffened ? m->n * (m->n + 1) / 2 : 0) + affine,
                                       m->nnodes + m->noutline);
    if (status)
        return status;
    fill(body, m, drawing->planar);
    fill_outline(body, m);
    stiffen(body, m, drawing->planar);
    if (m->stiffened)
        add_second_order(body, m);
    if (affine > 0)
        status = dfl_affine_add(body, m->affine, which, affine);
    dfl_modal_body_round(body);
    dfl_expr *KD = dfl_alloc(drawing->ctx, 2 * (size_t)(m->n * m->n), sizeof *KD);
    dfl_drawn_elastic e = {.line = m->line,
                           .name = m->name,
                           .color = m->color,
                           .hidden = m->hidden,
                           .magnify = m->magnify,
                           .smooth = m->smooth,
                           .modal = body,
                           .node_names = m->node_name,
                           .at = m->at,
                           .mass = one,
                           .length = one,
                           .K = KD,
                           .D = KD ? KD + m->n * m->n : NULL};
    for (int i = 0; KD && i < m->n; i++)
        for (int j = 0; j < m->n; j++) {
            KD[i + m->n * j] = m->K[i * m->n + j];
            KD[m->n * m->n + i + m->n * j] = m->D[i * m->n + j];
        }
    find_axes(e.axes, drawing, m);
    const bool soft = affine == 0 && is_soft(body, drawing->planar);
    if (!status)
        status = KD ? note_modes(&e.soft, drawing, m, soft) : DFL_NO_MEMORY;
    if (!status)
        status = dfl_drawing_elastic(out, drawing, &e);
    if (!status)
        set_loads(drawing, m);
    if (!status && !drawing->planar)
        status = doubt_moments(drawing, m);
    if (!status && m->stiffened && affine == 0)
        status = dfl_elastic_doubt_squares(drawing, m, body);
    dfl_free(drawing->ctx, KD);
    dfl_modal_body_free(body);
    return status;
}

static dfl_status check_modes(const dfl_drawing *drawing, const dfl_drawn_modes *m)
{
    const int n = m->n;
    double K[DFL_MOST_MODES * DFL_MOST_MODES];
    dfl_status status = DFL_OK;
    if (!(m->mass > 0.0))
        return dfl_fail(drawing->ctx, DFL_INVALID, "elastic '%s': its mass is %g; give mass = ...",
                        m->name, m->mass);
    status = check_symmetric(drawing, m, m->Me, 1.0, "Me");
    for (int r = 0; r < (drawing->planar ? 1 : 3) && !status; r++)
        status = check_symmetric(drawing, m, m->C1 + r * n * n, -1.0, "C1");
    if (!status && m->J2_given)
        status = check_inertias(drawing, m);
    for (int r = 0; r < (drawing->planar ? 1 : 6) && !status && m->Kw_given; r++)
        status = check_symmetric(drawing, m, m->Kw + r * n * n, 1.0, "Kw");
    for (int i = 0; i < n && !status; i++)
        if (!(m->Me[i * n + i] > 0.0))
            status = dfl_fail(drawing->ctx, DFL_INVALID,
                              "elastic '%s': mode %d has the mass %g in Me; give positive numbers",
                              m->name, i + 1, m->Me[i * n + i]);
    if (!status)
        status =
            dfl_drawing_read(K, drawing, m->K, n * n, dfl_drawing_number, "elastic", m->name, "K");
    if (!status)
        status = check_symmetric(drawing, m, K, 1.0, "K");
    const double sign = 1.0;
    int place;
    return status ? status
                  : dfl_model_decide(&place, drawing->model, m->K, n * n, find_asymmetry, &sign,
                                     sizeof sign);
}

/* The place of a square matrix, by rows and from 1, that is not that of the matrix transposed,
   times the sign; 0: none. */
static int find_asymmetry(const double *A, int count, const void *sign)
{
    const int n = (int)lround(sqrt(count));
    double size = 0.0;
    for (int i = 0; i < count; i++)
        size = fmax(size, fabs(A[i]));
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            if (!(fabs(A[i * n + j] - *(const double *)sign * A[j * n + i]) <= 1e-9 * size))
                return i * n + j + 1;
    return 0;
}

static dfl_status check_symmetric(const dfl_drawing *drawing, const dfl_drawn_modes *m,
                                  const double *A, double sign, const char *what)
{
    const int place = find_asymmetry(A, m->n * m->n, &sign);
    const int i = (place - 1) / m->n, j = (place - 1) % m->n;
    if (place == 0)
        return DFL_OK;
    return dfl_fail(drawing->ctx, DFL_INVALID,
                    "elastic '%s': %s is not %s: %g in row %d, column %d, %g in row %d, column %d",
                    m->name, what, sign > 0.0 ? "symmetric" : "antisymmetric", A[i * m->n + j],
                    i + 1, j + 1, A[j * m->n + i], j + 1, i + 1);
}

/* Compared with the largest of all J2, since some may be nothing but rounding. */
static dfl_status check_inertias(const dfl_drawing *drawing, const dfl_drawn_modes *m)
{
    const int n = m->n, count = (drawing->planar ? 1 : 6) * n * n;
    double size = 0.0;
    for (int k = 0; k < count; k++)
        size = fmax(size, fabs(m->J2[k]));
    for (int k = 0; k < count; k++) {
        const double *A = m->J2 + k / (n * n) * n * n;
        const int row = k / n % n, column = k % n;
        if (!(fabs(A[row * n + column] - A[column * n + row]) <= 1e-9 * size))
            return check_symmetric(drawing, m, A, 1.0, "J2");
    }
    return DFL_OK;
}

/* In the plane rows of turns are z, and inertias are zz. */
static void fill(dfl_modal_body *b, const dfl_drawn_modes *m, bool planar)
{
    const int n = m->n, shifts = planar ? 2 : 3, turns = planar ? 1 : 3, first = planar ? 2 : 0;
    const int inertias = planar ? 1 : 6;
    b->mass = m->mass;
    for (int r = 0; r < 3; r++)
        b->s0[r] = m->moment[r];
    for (int r = 0; r < inertias; r++)
        b->J0[first + r] = m->inertia[r];
    for (int j = 0; j < n; j++) {
        for (int r = 0; r < shifts; r++)
            b->S[3 * j + r] = m->S[r * n + j];
        for (int r = 0; r < turns; r++)
            b->C0[3 * j + first + r] = m->C0[r * n + j];
        for (int r = 0; r < inertias; r++)
            b->J1[6 * j + first + r] = m->J1[r * n + j];
        for (int i = 0; i < n; i++) {
            const int place = i + b->nz * j;
            b->Me[place] = m->Me[i * n + j];
            for (int r = 0; r < turns; r++)
                b->C1[3 * place + first + r] = m->C1[(r * n + i) * n + j];
            for (int r = 0; r < inertias; r++)
                b->J2[6 * place + first + r] = m->J2_given ? m->J2[(r * n + i) * n + j]
                                               : planar    ? m->Me[i * n + j]
                                                           : 0.0;
        }
    }
    for (int k = 0; k < m->nnodes; k++) {
        for (int r = 0; r < 3; r++)
            b->node[k].at[r] = m->node[k].at[r];
        for (int j = 0; j < n; j++) {
            for (int r = 0; r < shifts; r++)
                b->node[k].phi[3 * j + r] = m->node[k].phi[r * n + j];
            for (int r = 0; r < turns; r++)
                b->node[k].psi[3 * j + first + r] = m->node[k].psi[r * n + j];
        }
    }
}

static void fill_outline(dfl_modal_body *b, const dfl_drawn_modes *m)
{
    b->noutline = m->noutline;
    for (int k = 0; k < m->noutline; k++) {
        dfl_modal_node *node = &b->node[m->nnodes + k];
        memcpy(node->at, m->outline[k].at, sizeof node->at);
        for (int j = 0; j < m->n; j++)
            for (int r = 0; r < 3; r++)
                node->phi[3 * j + r] = m->outline[k].phi[r * m->n + j];
    }
}

/* Of the points that show the body that was declared last. */
static void set_loads(dfl_drawing *drawing, const dfl_drawn_modes *m)
{
    dfl_graph *g = drawing->graph;
    const dfl_elastic *e = &drawing->elastics[drawing->nelastics - 1];
    for (int k = 0; k < m->noutline; k++) {
        const dfl_outline_point *from = &m->outline[k];
        dfl_elastic_node *point = &e->node[m->nnodes + k];
        point->line = from->line;
        for (int p = 0; p < m->nnodes; p++)
            point->end = from->end > 0 && m->node[p].id == from->end ? p + 1 : point->end;
        for (int i = 0; i < m->n; i++)
            for (int f = 0; f < DFL_BEAM_FAMILIES; f++) {
                const dfl_expr factor = dfl_constant(g, from->load[f * m->n + i]);
                point->load[f] = dfl_add(g, point->load[f], dfl_mul(g, factor, e->p[i]));
            }
    }
}

/* Moments do not turn the sections of frames. */
static dfl_status doubt_moments(dfl_drawing *drawing, const dfl_drawn_modes *m)
{
    const double part = 0.1; /* of the square of what is critical */
    dfl_graph *g = drawing->graph;
    const dfl_elastic *e = &drawing->elastics[drawing->nelastics - 1];
    const dfl_expr none = dfl_constant(g, -1.0);
    dfl_expr most = none;
    for (int k = 0; k < m->noutline; k++)
        for (int z = 0; z < 2; z++) {
            const double critical = m->outline[k].critical[z];
            const dfl_expr load =
                e->node[m->nnodes + k].load[z ? DFL_BEAM_BEND_Z : DFL_BEAM_BEND_Y];
            if (critical == 0.0 || load == 0)
                continue;
            const dfl_expr share = dfl_mul(g, load, dfl_constant(g, 1.0 / critical));
            most = dfl_binary(g, DFL_OP_MAX, most,
                              dfl_sub(g, dfl_mul(g, share, share), dfl_constant(g, part)));
        }
    dfl_text text = {.ctx = drawing->ctx};
    dfl_text_add(&text,
                 "bending moments of the elastic body '%s' are above %.2g of those at which one of "
                 "its beams, as a cantilever, falls over sideways; frames do not contain that: it "
                 "is too stiff. Beams do (elastic with beam)",
                 m->name, sqrt(part));
    dfl_status status = text.status;
    if (!status && most != none)
        status = dfl_model_doubt(drawing->model, m->line, most, dfl_text_string(&text));
    dfl_text_clear(&text);
    return status;
}

/* Loads of turning stiffen the body: its inertia becomes smaller where it bends, by Kw_ab q q. */
static void stiffen(dfl_modal_body *b, const dfl_drawn_modes *m, bool planar)
{
    const int n = m->n, first = planar ? 2 : 0;
    for (int r = 0; r < (planar ? 1 : 6) && m->Kw_given; r++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                b->J2[6 * (i + b->nz * j) + first + r] -=
                    (r < 3 ? 1.0 : 0.5) * m->Kw[(r * n + i) * n + j];
}

/* Fields of products of two coordinates; their part of the inertia is in J2. */
static void add_second_order(dfl_modal_body *b, const dfl_drawn_modes *m)
{
    const int n = m->n;
    for (int i = 0; i < n; i++)
        for (int k = i; k < n; k++) {
            const int pair = dfl_mode_pair(n, i, k), j = n + pair;
            b->amplitude[j] = (dfl_amplitude){i, k};
            for (int r = 0; r < 3; r++) {
                const int from = r * DFL_MOST_PAIRS + pair;
                b->S[3 * j + r] = m->S2[from];
                b->C0[3 * j + r] = m->C2[from];
                for (int p = 0; p < m->nnodes; p++) {
                    b->node[p].phi[3 * j + r] = m->node[p].phi2[from];
                    b->node[p].psi[3 * j + r] = m->node[p].psi2[from];
                }
            }
        }
}

/* Whether the inertia of the first mode that changes it is that of displacements alone: xx + yy +
   zz = 2 Me. A twist of a beam changes nothing. */
static bool is_soft(const dfl_modal_body *b, bool planar)
{
    for (int i = 0; i < b->n; i++) {
        const int place = i + b->nz * i;
        const double *J2 = b->J2 + 6 * place;
        const double turned = planar ? 2.0 * J2[2] : J2[0] + J2[1] + J2[2];
        if (turned != 0.0)
            return turned > 1.4 * b->Me[place];
    }
    return true;
}

static void find_axes(dfl_vec axes[3], const dfl_drawing *drawing, const dfl_drawn_modes *m)
{
    dfl_graph *g = drawing->graph;
    dfl_drawing_axes(axes, drawing, vec_zero(), vec_zero());
    if (!drawing->planar) {
        dfl_drawing_axes(axes, drawing, m->axis, m->axis2);
    } else if (!vec_is_zero(m->axis)) {
        axes[0] = dfl_drawing_unit(drawing, m->axis);
        axes[1] = vec_cross(g, axes[2], axes[0]);
    }
}

/* Frequencies of the body with its frame held; *slowest: the square of the lowest one, if it is
   soft. */
static dfl_status note_modes(double *slowest, dfl_drawing *drawing, const dfl_drawn_modes *m,
                             bool soft)
{
    const int n = m->n;
    double K[DFL_MOST_MODES * DFL_MOST_MODES], M[DFL_MOST_MODES * DFL_MOST_MODES];
    double X[DFL_MOST_MODES * DFL_MOST_MODES], w2[DFL_MOST_MODES];
    /* numbers of a note may be others; the limit of turning, of soft bodies, is one of equations */
    dfl_number_reader *read = soft ? dfl_model_value : dfl_drawing_number;
    dfl_status status = DFL_OK;
    for (int i = 0; i < n * n && !status; i++) {
        status = read(&K[i], drawing->model, m->K[i]);
        M[i] = m->Me[i];
    }
    if (!status)
        status = dfl_symmetric_modes(w2, X, drawing->ctx, n, K, M);
    dfl_text text = {.ctx = drawing->ctx};
    dfl_text_add(&text, "elastic body '%s': %d modes, frequencies with its frame held:", m->name,
                 n);
    for (int i = 0; i < n && !status; i++)
        dfl_text_add(&text, "%s %.6g rad/s", i ? "," : "", w2[i] > 0.0 ? sqrt(w2[i]) : 0.0);
    dfl_text_add(&text, "; mass %.6g kg", m->mass);
    bool damped = false;
    for (int i = 0; i < n * n; i++)
        damped = damped || m->D[i] != 0;
    if (!damped)
        dfl_elastic_note_undamped(&text);
    *slowest = !status && soft && w2[0] > 0.0 ? w2[0] : 0.0;
    if (*slowest > 0.0)
        dfl_text_add(&text, "; of first order: it must turn slower than %.3g rad/s",
                     sqrt(0.1 * *slowest));
    if (!status)
        status = text.status;
    if (!status)
        status = dfl_model_note(drawing->model, dfl_text_string(&text));
    dfl_text_clear(&text);
    return status;
}
