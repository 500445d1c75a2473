/* elastic_nodes.c: the frame and the nodes of elastic bodies.

   Both are bodies of the drawing, and joints with the elastic coordinates lead from one to the
   other: from the node that the elastic body hangs on to the frame, and from there to the other
   nodes. Nodes turn by small angles about z, y and x of the body, one after the other; rates of
   finite angles are therefore exact, and differ from other orders by products of angles. */
#include "drawing/drawing_internal.h"

#include "drawing/closures.h"
#include "drawing/vectors.h"

#include <math.h>
#include <string.h>

static dfl_status add_inner_joint(dfl_drawing *drawing, const dfl_elastic *e, int node, bool back);
static dfl_status set_node_pose(dfl_drawing *drawing, const dfl_elastic *e, int index, int k,
                                bool back);
static dfl_status distance(double *out, const dfl_drawing *drawing, const dfl_elastic_node *node,
                           dfl_vec at);

dfl_status dfl_drawing_hang_elastic(dfl_drawing *drawing, int body)
{
    if (body == DFL_GROUND || drawing->bodies[body].elastic == 0)
        return DFL_OK;
    const dfl_elastic *e = &drawing->elastics[drawing->bodies[body].elastic - 1];
    const int held = drawing->bodies[body].node;
    dfl_status status = held >= 0 ? add_inner_joint(drawing, e, held, true) : DFL_OK;
    for (int k = 0; k < e->nnodes && !status; k++)
        if (k != held)
            status = add_inner_joint(drawing, e, k, false);
    return status;
}

/* From the frame to a node, or back. */
static dfl_status add_inner_joint(dfl_drawing *drawing, const dfl_elastic *e, int k, bool back)
{
    const dfl_elastic_node *node = &e->node[k];
    dfl_placed_joint *joints = dfl_grow(drawing->ctx, drawing->joints, &drawing->max_joints,
                                        drawing->njoints, sizeof *joints);
    if (!joints)
        return DFL_NO_MEMORY;
    drawing->joints = joints;
    const int index = drawing->njoints, parent = back ? node->body : e->body;
    const int child = back ? e->body : node->body;
    dfl_placed_joint *joint = &joints[index];
    *joint = (dfl_placed_joint){.line = e->line, .inner = true, .np = e->n, .nv = e->n};
    joint->drawn = (dfl_drawn_joint){.line = e->line,
                                     .kind = DFL_JOINT_USER,
                                     .parent = parent,
                                     .child = child,
                                     .at = node->at,
                                     .ncoordinates = e->n};
    joint->name = dfl_copy_string(drawing->ctx, drawing->bodies[node->body].name);
    if (!joint->name)
        return DFL_NO_MEMORY;
    memcpy(joint->p, e->p, sizeof e->p);
    memcpy(joint->v, e->v, sizeof e->v);
    drawing->njoints++;
    drawing->bodies[child].joint = index;
    return set_node_pose(drawing, e, index, k, back);
}

/* R, u, or R^T, -R^T u */
static dfl_status set_node_pose(dfl_drawing *drawing, const dfl_elastic *e, int index, int k,
                                bool back)
{
    dfl_graph *g = drawing->graph;
    const dfl_elastic_node *node = &e->node[k];
    dfl_user_pose pose = {.shift = node->shift};
    for (int i = 2; i >= 0; i--) {
        if (node->turn.e[i] == 0)
            continue;
        pose.axis[pose.nturns] = e->axes[i];
        pose.angle[pose.nturns++] = node->turn.e[i];
    }
    if (back) {
        const dfl_user_pose forth = pose;
        dfl_mat R = mat_identity(g);
        for (int i = 0; i < pose.nturns; i++) {
            const int from = pose.nturns - 1 - i;
            pose.axis[i] = forth.axis[from];
            pose.angle[i] = dfl_neg(g, forth.angle[from]);
            R = mat_product(g, R, mat_turn(g, pose.axis[i], pose.angle[i]));
        }
        pose.shift = vec_neg(g, mat_times(g, R, forth.shift));
    }
    return dfl_drawing_set_pose(drawing, index, &pose);
}

int dfl_drawing_node(const dfl_drawing *drawing, int frame, const char *name)
{
    const dfl_placed_body *body = frame < 0 ? NULL : &drawing->bodies[frame];
    if (!body || body->elastic == 0 || body->node >= 0)
        return -1;
    const dfl_elastic *e = &drawing->elastics[body->elastic - 1];
    const size_t length = strlen(e->name) + 1;
    for (int k = 0; k < e->nnodes; k++)
        if (strcmp(drawing->bodies[e->node[k].body].name + length, name) == 0)
            return e->node[k].body;
    return -1;
}

dfl_status dfl_drawing_list_nodes(dfl_text *out, const dfl_drawing *drawing, int frame)
{
    enum { SHOWN = 12 };
    const dfl_elastic *e = &drawing->elastics[drawing->bodies[frame].elastic - 1];
    const size_t length = strlen(e->name) + 1;
    for (int k = 0; k < e->nnodes && k < SHOWN; k++)
        dfl_text_add(out, "%s%s", k ? ", " : "", drawing->bodies[e->node[k].body].name + length);
    if (e->nnodes > SHOWN)
        dfl_text_add(out, ", ...");
    return out->status;
}

dfl_vec dfl_drawing_node_point(const dfl_drawing *drawing, int node)
{
    const dfl_placed_body *body = &drawing->bodies[node];
    return drawing->elastics[body->elastic - 1].node[body->node].at;
}

bool dfl_drawing_is_elastic(const dfl_drawing *drawing, int body)
{
    return body >= 0 && drawing->bodies[body].elastic > 0;
}

bool dfl_drawing_is_elastic_frame(const dfl_drawing *drawing, int body)
{
    return dfl_drawing_is_elastic(drawing, body) && drawing->bodies[body].node < 0;
}

dfl_vec dfl_drawing_deflection(dfl_drawing *drawing, int node)
{
    const dfl_placed_body *body = &drawing->bodies[node];
    const dfl_elastic *e = &drawing->elastics[body->elastic - 1];
    dfl_vec local;
    for (int i = 0; i < 3; i++)
        local.e[i] = vec_dot(drawing->graph, e->axes[i], e->node[body->node].shift);
    return local;
}

int dfl_drawing_count_beams(const dfl_drawing *drawing, int node, int beam)
{
    int count = 0;
    if (!dfl_drawing_is_elastic(drawing, node) || drawing->bodies[node].node < 0)
        return 0;
    const dfl_elastic *e = &drawing->elastics[drawing->bodies[node].elastic - 1];
    const int own = drawing->bodies[node].node;
    for (int f = 0; f < DFL_BEAM_FAMILIES; f++)
        if (e->node[own].load[f] != 0)
            return 1;
    for (int k = e->nnodes; k < e->nnodes + e->noutline; k++)
        count += e->node[k].end == own + 1 && (beam == 0 || e->node[k].line + 1 == beam);
    return count;
}

dfl_expr dfl_drawing_beam_load(const dfl_drawing *drawing, int node, dfl_beam_family family,
                               int beam)
{
    const dfl_placed_body *body = &drawing->bodies[node];
    const dfl_elastic *e = &drawing->elastics[body->elastic - 1];
    for (int k = e->nnodes; k < e->nnodes + e->noutline; k++)
        if (e->node[k].end == body->node + 1 && (beam == 0 || e->node[k].line + 1 == beam))
            return e->node[k].load[family];
    return e->node[body->node].load[family];
}

bool dfl_drawing_elastic_coordinate(dfl_expr *q, dfl_expr *v, const dfl_drawing *drawing, int frame,
                                    int k)
{
    const dfl_placed_body *body = frame < 0 ? NULL : &drawing->bodies[frame];
    if (!body || body->elastic == 0 || k < 0 || k >= drawing->elastics[body->elastic - 1].n)
        return false;
    *q = drawing->elastics[body->elastic - 1].p[k];
    *v = drawing->elastics[body->elastic - 1].v[k];
    return true;
}

/* ------------------------------------------------------------------ nodes by their points */

/* Distances of the nodes of a frame from a point; parameters have their present values. */
static dfl_status distance(double *out, const dfl_drawing *drawing, const dfl_elastic_node *node,
                           dfl_vec at)
{
    double d[3] = {0};
    const dfl_vec apart = vec_sub(drawing->graph, node->at, at);
    dfl_status status = DFL_OK;
    for (int i = 0; i < 3 && !status; i++)
        status = dfl_model_number(&d[i], drawing->model, apart.e[i]);
    *out = hypot(hypot(d[0], d[1]), d[2]);
    return status;
}

/* values: all nodes, 3 numbers each, from the first one, then from the point; 1 + the one there. */
static int node_there(const double *values, int count, const void *facts)
{
    (void)facts;
    const int n = count / 6;
    const double *place = values + 3 * n;
    double size = 0.0;
    for (int k = 0; k < n; k++)
        size = fmax(size, hypot(hypot(values[3 * k], values[3 * k + 1]), values[3 * k + 2]));
    for (int k = 0; k < n; k++) {
        const double d = hypot(hypot(place[3 * k], place[3 * k + 1]), place[3 * k + 2]);
        if (d <= 1e-9 * size + 1e-12)
            return k + 1;
    }
    return 0;
}

dfl_status dfl_drawing_find_node(int *body, bool *found, const dfl_drawing *drawing, dfl_vec at)
{
    *found = false;
    if (*body < 0 || drawing->bodies[*body].elastic == 0 || drawing->bodies[*body].node >= 0)
        return DFL_OK;
    const dfl_elastic *e = &drawing->elastics[drawing->bodies[*body].elastic - 1];
    dfl_expr *apart = dfl_alloc(drawing->ctx, 6 * (size_t)e->nnodes, sizeof *apart);
    int answer = 0;
    for (int pass = 0; apart && pass < 2; pass++)
        for (int k = 0; k < e->nnodes; k++) {
            const dfl_vec d = vec_sub(drawing->graph, e->node[k].at, pass ? at : e->node[0].at);
            memcpy(apart + 3 * (k + pass * e->nnodes), d.e, sizeof d.e);
        }
    const dfl_status status =
        apart ? dfl_model_decide(&answer, drawing->model, apart, 6 * e->nnodes, node_there, NULL, 0)
              : DFL_NO_MEMORY;
    dfl_free(drawing->ctx, apart);
    *found = !status && answer > 0;
    if (*found)
        *body = e->node[answer - 1].body;
    return status;
}

dfl_status dfl_drawing_need_node(int *body, const dfl_drawing *drawing, const char *call,
                                 const char *name, dfl_vec at)
{
    enum { SHOWN = 3 };
    const int frame = *body;
    bool found;
    dfl_status status = dfl_drawing_find_node(body, &found, drawing, at);
    if (status || found || frame < 0 || drawing->bodies[frame].elastic == 0 ||
        drawing->bodies[frame].node >= 0)
        return status;
    const dfl_elastic *e = &drawing->elastics[drawing->bodies[frame].elastic - 1];
    dfl_text list = {.ctx = drawing->ctx};
    double last = -1.0;
    int after = -1; /* of nodes at one distance the one that comes next */
    for (int shown = 0; shown < SHOWN && shown < e->nnodes && !status; shown++) {
        int best = -1;
        double least = INFINITY, d;
        for (int k = 0; k < e->nnodes && !status; k++) {
            status = distance(&d, drawing, &e->node[k], at);
            if (!status && (d > last || (d == last && k > after)) && d < least) {
                best = k;
                least = d;
            }
        }
        if (best < 0)
            break;
        last = least;
        after = best;
        dfl_text_add(&list, "%s%s (%.4g m away)", shown ? ", " : "",
                     drawing->bodies[e->node[best].body].name, least);
    }
    if (!status && !list.status)
        status = dfl_fail(drawing->ctx, DFL_INVALID,
                          "%s '%s': the elastic body '%s' has no node at this point; the nearest: "
                          "%s; add one to nodes, or give one of them",
                          call, name, e->name, e->nnodes ? dfl_text_string(&list) : "none");
    dfl_text_clear(&list);
    return status;
}

dfl_status dfl_drawing_refuse_frame(const dfl_drawing *drawing, int body, dfl_vec at)
{
    int node = body;
    if (body < 0 || drawing->bodies[body].elastic == 0 || drawing->bodies[body].node >= 0)
        return DFL_OK;
    const char *name = drawing->bodies[body].name;
    const dfl_status status = dfl_drawing_need_node(&node, drawing, "force on", name, at);
    if (status)
        return status;
    return dfl_fail(drawing->ctx, DFL_INVALID,
                    "force on '%s': forces act on nodes of elastic bodies; give %s instead of %s",
                    name, drawing->bodies[node].name, name);
}
