/* elastic_doubts.c: what an elastic body's equations do not cover, for a warning before or while a
   run lasts. */
#include "drawing/drawing_internal.h"

#include "drawing/vectors.h"

#include <math.h>

static dfl_status doubt_turning(dfl_drawing *drawing, const dfl_elastic *e, dfl_vec omega);
static dfl_status doubt_deflections(dfl_drawing *drawing, const dfl_elastic *e);
static dfl_status doubt_accelerations(dfl_drawing *drawing, const dfl_elastic *e);
static dfl_expr root_mean(dfl_graph *g, dfl_expr square, dfl_expr mass);
static dfl_status doubt_clamps(dfl_drawing *drawing, const dfl_elastic *e);
static bool is_clamped(const dfl_placed_joint *joint, int node);
static dfl_expr square_of_size(const dfl_drawing *drawing, const dfl_elastic *e);

dfl_status dfl_elastic_doubt(dfl_drawing *drawing, const dfl_elastic *e, dfl_vec omega)
{
    dfl_status status = e->soft > 0.0 ? doubt_turning(drawing, e, omega) : DFL_OK;
    if (!status)
        status = doubt_clamps(drawing, e);
    if (!status)
        status = doubt_accelerations(drawing, e);
    return status ? status : doubt_deflections(drawing, e);
}

void dfl_elastic_note_undamped(dfl_text *out)
{
    dfl_text_add(out,
                 "; without damping: what excites these modes, as a rigid start does, lets them "
                 "vibrate for ever, and steps follow the fastest; give damping, or start = "
                 "\"quasistatic\"");
}

/* Centrifugal forces soften a body of first order: |omega|^2 above a tenth of that of its slowest
   mode. */
static dfl_status doubt_turning(dfl_drawing *drawing, const dfl_elastic *e, dfl_vec omega)
{
    dfl_graph *g = drawing->graph;
    const dfl_expr square = vec_dot(g, omega, omega);
    dfl_text text = {.ctx = drawing->ctx};
    if (square == 0)
        return DFL_OK;
    dfl_text_add(&text,
                 "the elastic body '%s' turns faster than %.4g rad/s; its slowest mode has %.4g "
                 "rad/s, and nothing in its data says how turning stiffens it: deflections are "
                 "too large, or grow without limit. Give a beam or frame of second order, or Kw",
                 e->name, sqrt(0.1 * e->soft), sqrt(e->soft));
    dfl_status status = text.status;
    if (!status)
        status = dfl_model_doubt(drawing->model, e->line,
                                 dfl_sub(g, square, dfl_constant(g, 0.1 * e->soft)),
                                 dfl_text_string(&text));
    dfl_text_clear(&text);
    return status;
}

/* Modes without inertia, for which only accelerations without v' are loads: what they lose is
   L_k = C_k.alpha + S_k.a + M_kl q_l'' of the rest, and L_k / K_k of their deflections. Both as
   root of the mean square of all displacements, sqrt(q.M q / m). */
static dfl_status doubt_accelerations(dfl_drawing *drawing, const dfl_elastic *e)
{
    dfl_graph *g = drawing->graph;
    dfl_vec by[2][2]; /* alpha and a at the origin of the link, without and with v' */
    dfl_expr lost = 0, whole = 0, bent[DFL_MOST_MODES] = {0};
    bool massless = false;
    for (int k = 0; k < e->n; k++)
        massless = massless || e->massless[k];
    const dfl_vec origin = drawing->links[drawing->bodies[e->body].link].at;
    dfl_status status = DFL_OK;
    for (int i = 0; i < 2 && massless && !status; i++)
        status = dfl_drawing_acceleration(&by[i][0], &by[i][1], drawing, e->body, origin, i == 0);
    if (status || !massless)
        return status;
    const dfl_mat *R = &dfl_link_place(drawing, drawing->bodies[e->body].link)->R;
    const dfl_vec alpha = mat_back(g, *R, vec_sub(g, by[1][0], by[0][0]));
    const dfl_vec a = mat_back(g, *R, vec_sub(g, by[1][1], by[0][1]));
    for (int k = 0; k < e->n; k++) {
        dfl_expr load = dfl_add(g, vec_dot(g, dfl_elastic_coupling(drawing, e, k), alpha),
                                vec_dot(g, e->S[k], a));
        for (int l = 0; l < e->n; l++)
            if (!e->massless[l])
                load = dfl_add(g, load,
                               dfl_mul(g, e->M[k + e->n * l],
                                       dfl_drawing_acceleration_symbol(drawing, e->v[l])));
        bent[k] = e->massless[k] ? dfl_div(g, load, e->stiff[k]) : 0;
    }
    for (int k = 0; k < e->n; k++)
        for (int l = 0; l < e->n; l++) {
            const dfl_expr m = e->M[k + e->n * l];
            lost = dfl_add(g, lost, dfl_mul(g, m, dfl_mul(g, bent[k], bent[l])));
            whole = dfl_add(g, whole, dfl_mul(g, m, dfl_mul(g, e->p[k], e->p[l])));
        }
    dfl_text text = {.ctx = drawing->ctx};
    dfl_text_add(
        &text,
        "elastic body '%s': its modes without inertia do not feel its accelerations, which "
        "would bend it: give quasistatic a higher limit, or leave it out. Neglected is a "
        "deflection",
        e->name);
    status = text.status;
    const dfl_expr size = dfl_unary(g, DFL_OP_SQRT, square_of_size(drawing, e));
    const dfl_expr least = dfl_mul(g, dfl_constant(g, 1e-9), size);
    if (!status) /* what is 0 but for rounding is not compared with 0 */
        status = dfl_model_neglect(drawing->model, e->line, root_mean(g, lost, e->mass),
                                   dfl_binary(g, DFL_OP_MAX, root_mean(g, whole, e->mass), least),
                                   dfl_text_string(&text));
    dfl_text_clear(&text);
    return status;
}

static dfl_expr root_mean(dfl_graph *g, dfl_expr square, dfl_expr mass)
{
    return dfl_unary(g, DFL_OP_SQRT,
                     dfl_binary(g, DFL_OP_MAX, dfl_div(g, square, mass), dfl_constant(g, 0.0)));
}

/* Modes of a chord are those of a beam on pins, which no moment bends at its ends. */
static dfl_status doubt_clamps(dfl_drawing *drawing, const dfl_elastic *e)
{
    const double enough = 0.95; /* of the turn by a moment */
    dfl_status status = DFL_OK;
    for (int i = 0; i < drawing->njoints; i++)
        for (int k = 0; k < e->nnodes && !status; k++) {
            const dfl_elastic_node *node = &e->node[k];
            if (!(node->turned > 0.0 && node->turned < enough) ||
                !is_clamped(&drawing->joints[i], node->body))
                continue;
            dfl_text text = {.ctx = drawing->ctx};
            dfl_text_add(&text,
                         "the joint '%s' clamps '%s', but the modes there have %.0f %% of the turn "
                         "that a moment causes: the body is too stiff by up to the rest. Give "
                         "interface = true%s",
                         drawing->joints[i].name, drawing->bodies[node->body].name,
                         100.0 * node->turned,
                         drawing->joints[i].loop ? "" : ", or frame = \"tangent\" at this node");
            status =
                text.status ? text.status : dfl_model_warn(drawing->model, dfl_text_string(&text));
            dfl_text_clear(&text);
        }
    return status;
}

/* The joint that the body hangs on, or one that closes a loop, if nothing turns in it. */
static bool is_clamped(const dfl_placed_joint *joint, int node)
{
    const dfl_joint_kind kind = joint->drawn.kind;
    if (joint->inner || (kind != DFL_JOINT_FIXED && kind != DFL_JOINT_PRISMATIC))
        return false;
    return joint->drawn.child == node || (joint->loop && joint->drawn.parent == node);
}

/* Modes are shapes of small deflections. */
static dfl_status doubt_deflections(dfl_drawing *drawing, const dfl_elastic *e)
{
    const double most = 0.15; /* of the size: curvatures are then wrong by several per cent */
    dfl_graph *g = drawing->graph;
    dfl_text text = {.ctx = drawing->ctx};
    const dfl_expr size = square_of_size(drawing, e);
    dfl_expr largest = 0;
    for (int k = 0; k < e->nnodes + e->noutline; k++)
        largest =
            dfl_binary(g, DFL_OP_MAX, largest, vec_dot(g, e->node[k].shift, e->node[k].shift));
    if (size == 0 || largest == 0)
        return DFL_OK;
    dfl_text_add(&text,
                 "the elastic body '%s' deflects by more than %g of its size: its modes are those "
                 "of small deflections. Divide it into several bodies",
                 e->name, most);
    dfl_status status = text.status;
    if (!status)
        status =
            dfl_model_doubt(drawing->model, e->line,
                            dfl_sub(g, largest, dfl_mul(g, dfl_constant(g, most * most), size)),
                            dfl_text_string(&text));
    dfl_text_clear(&text);
    return status;
}

/* Of the largest distance of its nodes and points from the first one. */
static dfl_expr square_of_size(const dfl_drawing *drawing, const dfl_elastic *e)
{
    dfl_graph *g = drawing->graph;
    dfl_expr largest = 0;
    for (int k = 1; k < e->nnodes + e->noutline; k++) {
        const dfl_vec apart = vec_sub(g, e->node[k].at, e->node[0].at);
        largest = dfl_binary(g, DFL_OP_MAX, largest, vec_dot(g, apart, apart));
    }
    return largest;
}
