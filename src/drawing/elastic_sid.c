/* elastic_sid.c: an elastic body in numbers, as the text of a SID file that the model keeps: with
   the present values of parameters, without terms of third order. */
#include "drawing/drawing_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct units {
    double mass, length, rotary;
} units;

static dfl_status find_units(units *out, const dfl_drawing *drawing,
                             const dfl_drawn_elastic *drawn);
static void scale(double *x, int count, double factor);
static void scale_body(dfl_sid *s, const units *u);
static void leave_out_twists(dfl_sid *s, const bool *twists);
static void add_rotary(dfl_sid *s, const units *u, const dfl_drawn_elastic *drawn);
static void scale_nodes(dfl_sid *s, const units *u, const dfl_drawn_elastic *drawn);
static dfl_status set_stiffness(dfl_sid *s, const dfl_drawing *drawing,
                                const dfl_drawn_elastic *drawn);

dfl_status dfl_elastic_describe(dfl_drawing *drawing, const dfl_drawn_elastic *drawn)
{
    const dfl_modal_body *modal = drawn->modal;
    units u = {1.0, 1.0, 0.0};
    if (!drawing->model->wants_bodies || drawing->planar ||
        modal->nnodes - modal->noutline > DFL_MOST_SID_NODES)
        return DFL_OK;
    dfl_sid *s = dfl_alloc(drawing->ctx, 1, sizeof *s);
    dfl_text text = {.ctx = drawing->ctx};
    dfl_status status = s ? find_units(&u, drawing, drawn) : DFL_NO_MEMORY;
    if (!status)
        status = dfl_sid_of_body(s, modal);
    if (!status)
        status = set_stiffness(s, drawing, drawn);
    if (!status) {
        if (drawn->twists)
            leave_out_twists(s, drawn->twists);
        scale_body(s, &u);
        add_rotary(s, &u, drawn);
        scale_nodes(s, &u, drawn);
        status = dfl_sid_write(&text, s, drawn->name);
    }
    if (!status)
        status = dfl_model_add_body(drawing->model, drawn->name, dfl_text_string(&text));
    dfl_text_clear(&text);
    dfl_free(drawing->ctx, s);
    return status;
}

static dfl_status find_units(units *out, const dfl_drawing *drawing, const dfl_drawn_elastic *drawn)
{
    dfl_status status = dfl_model_value(&out->mass, drawing->model, drawn->mass);
    if (!status)
        status = dfl_model_value(&out->length, drawing->model, drawn->length);
    if (!status && drawn->rotary)
        status = dfl_model_value(&out->rotary, drawing->model, drawn->rotary);
    return status;
}

static void scale(double *x, int count, double factor)
{
    for (int i = 0; i < count; i++)
        x[i] *= factor;
}

static void scale_body(dfl_sid *s, const units *u)
{
    const double m = u->mass, L = u->length;
    const int n = s->n;
    s->mass *= m;
    scale(s->moment, 3, m * L);
    scale(s->inertia, 6, m * L * L);
    scale(s->S, 3 * n, m);
    scale(s->C0, 3 * n, m * L);
    scale(s->J1, 6 * n, m * L);
    scale(s->C1, 3 * n * n, m);
    scale(s->J2, 6 * n * n, m);
    scale(s->Me, n * n, m);
    scale(s->S2, 3 * DFL_MOST_PAIRS, m / L);
    scale(s->C2, 3 * DFL_MOST_PAIRS, m);
}

/* What twists and deflections do to each other: sections have so little inertia that without the
   squares of these displacements, which the format has not, masses are not positive where a beam
   bends by more than it is thick. The shortening is left. */
static void leave_out_twists(dfl_sid *s, const bool *twists)
{
    const int n = s->n;
    for (int p = 0; p < s->nnodes; p++)
        memset(s->node[p].psi2, 0, sizeof s->node[p].psi2);
    for (int i = 0; i < n; i++)
        for (int k = i; k < n; k++) {
            const int pair = dfl_mode_pair(n, i, k);
            for (int a = 0; a < 3 && (twists[i] || twists[k]); a++) {
                s->S2[a * DFL_MOST_PAIRS + pair] = s->C2[a * DFL_MOST_PAIRS + pair] = 0.0;
                for (int p = 0; p < s->nnodes; p++)
                    s->node[p].phi2[a * DFL_MOST_PAIRS + pair] = 0.0;
            }
            for (int a = 0; a < 6 && (twists[i] || twists[k]); a++)
                s->J2[(a * n + i) * n + k] = s->J2[(a * n + k) * n + i] = 0.0;
        }
}

/* Sections turn about x with the body, and with its twist. */
static void add_rotary(dfl_sid *s, const units *u, const dfl_drawn_elastic *drawn)
{
    s->inertia[0] += u->rotary * drawn->modal->mass;
    for (int i = 0; i < s->n && drawn->twists; i++)
        if (drawn->twists[i]) {
            s->C0[i] += u->rotary * drawn->twist[i];
            s->Me[i * s->n + i] += u->rotary;
        }
}

static void scale_nodes(dfl_sid *s, const units *u, const dfl_drawn_elastic *drawn)
{
    for (int k = 0; k < s->nnodes; k++) {
        dfl_sid_node *node = &s->node[k];
        snprintf(node->name, sizeof node->name, "%s", drawn->node_names[k]);
        scale(node->at, 3, u->length);
        scale(node->phi2, 3 * DFL_MOST_PAIRS, 1.0 / u->length);
        scale(node->psi2, 3 * DFL_MOST_PAIRS, 1.0 / (u->length * u->length));
        for (int i = 0; i < s->n; i++)
            for (int a = 0; a < 3 && !(drawn->twists && drawn->twists[i]); a++)
                node->psi[a * s->n + i] /= u->length;
    }
}

static dfl_status set_stiffness(dfl_sid *s, const dfl_drawing *drawing,
                                const dfl_drawn_elastic *drawn)
{
    const int n = s->n;
    dfl_status status = DFL_OK;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n && !status; k++) {
            status = dfl_model_value(&s->K[i * n + k], drawing->model, drawn->K[i + n * k]);
            if (!status)
                status = dfl_model_value(&s->D[i * n + k], drawing->model, drawn->D[i + n * k]);
        }
    return status;
}
