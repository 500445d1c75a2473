/* fe_outline.c: lines along the beams of a frame, with displacements, forces and moments of its
   modes.

   Forces EA u', moments EI v'' of the cubic polynomials of a bar, torques GJ t', at its ends; where
   two bars of a beam meet, their mean. */
#include "elastic/reduction_internal.h"

#include <math.h>
#include <string.h>

static void add_point(dfl_sid *out, const dfl_reduction *r, const double *u, int before, int after);
static void set_critical(dfl_outline_point *point, const dfl_fe_bar *bar, double length);
static dfl_status add_edges(dfl_sid *out, const dfl_reduction *r, const double *u);

dfl_status dfl_reduction_outline(dfl_sid *out, const dfl_reduction *r, const double *u)
{
    const dfl_fe *fe = r->fe;
    if (fe->nedges > 0)
        return add_edges(out, r, u);
    const int beams = fe->nbars ? fe->bar[fe->nbars - 1].beam + 1 : 0;
    if (beams == 0 || 2 * beams > DFL_MOST_OUTLINE)
        return DFL_OK;
    const int pieces = beams * 9 <= DFL_MOST_OUTLINE ? 8 : DFL_MOST_OUTLINE / beams - 1;
    for (int first = 0, last = 0; first < fe->nbars; first = last) {
        while (last < fe->nbars && fe->bar[last].beam == fe->bar[first].beam)
            last++;
        const int bars = last - first, count = bars < pieces ? bars : pieces;
        double length = 0.0;
        for (int k = first; k < last; k++)
            length += fe->bar[k].length;
        for (int k = 0; k <= count; k++) {
            const int at = first + k * bars / count; /* the bar that begins there */
            add_point(out, r, u, at > first ? at - 1 : -1, at < last ? at : -1);
            set_critical(&out->outline[out->noutline - 1], &fe->bar[first], length);
        }
    }
    return DFL_OK;
}

double dfl_critical_moment(double EI, double EI2, double GJ, double length)
{
    return EI > EI2 ? 1.5707963267948966 / length * sqrt(EI2 * GJ / (1.0 - EI2 / EI)) : 0.0;
}

static void set_critical(dfl_outline_point *point, const dfl_fe_bar *bar, double length)
{
    point->critical[0] = dfl_critical_moment(bar->EI, bar->EI2, bar->GJ, length);
    point->critical[1] = dfl_critical_moment(bar->EI2, bar->EI, bar->GJ, length);
}

/* What a mode u does to the section at the beginning or the end of a bar. */
static double load_of(const dfl_fe_bar *bar, const double *u, dfl_beam_family family, int end)
{
    const double L = bar->length, sign = end ? -1.0 : 1.0;
    double v[4], apart = 0.0;
    if (family == DFL_BEAM_STRETCH || family == DFL_BEAM_TWIST) {
        const int first = family == DFL_BEAM_TWIST ? 3 : 0;
        for (int a = 0; a < 3; a++)
            apart += bar->axes[0][a] * (u[bar->dof[6 + first + a]] - u[bar->dof[first + a]]);
        return (family == DFL_BEAM_TWIST ? bar->GJ : bar->EA) * apart / L;
    }
    const bool z = family == DFL_BEAM_BEND_Z;
    dfl_fe_bend(v, bar, u, z);
    return (z ? bar->EI2 : bar->EI) * sign *
           (6.0 * (v[2] - v[0]) / L - (end ? 2.0 : 4.0) * v[1] - (end ? 4.0 : 2.0) * v[3]) / L;
}

static void add_point(dfl_sid *out, const dfl_reduction *r, const double *u, int before, int after)
{
    const dfl_fe *fe = r->fe;
    const dfl_fe_bar *bar = &fe->bar[after >= 0 ? after : before];
    const int *dof = bar->dof + (after >= 0 ? 0 : 6);
    const bool within = before >= 0 && after >= 0;
    const int node = fe->node[dof[0]];
    dfl_outline_point *point = &out->outline[out->noutline++];
    *point = (dfl_outline_point){.line = bar->beam, .end = within ? 0 : fe->id[node]};
    memcpy(point->at, fe->at + 3 * (size_t)node, sizeof point->at);
    for (int i = 0; i < r->n; i++) {
        const double *x = u + (size_t)fe->n * (size_t)i;
        for (int a = 0; a < 3; a++)
            point->phi[a * r->n + i] = x[dof[a]];
        for (int f = 0; f < DFL_BEAM_FAMILIES; f++) {
            const double a =
                before >= 0 ? load_of(&fe->bar[before], x, (dfl_beam_family)f, 1) : 0.0;
            const double b = after >= 0 ? load_of(&fe->bar[after], x, (dfl_beam_family)f, 0) : 0.0;
            point->load[f * r->n + i] = (within ? 0.5 : 1.0) * (a + b);
        }
    }
}

/* ------------------------------------------------------------------ edges of a surface */

/* The next edge of a chain that was not used, from `node` on, or -1; *node becomes its other end.
 */
static int next_edge(int *node, const dfl_fe *fe, const unsigned char *used)
{
    for (int k = 0; k < fe->nedges; k++) {
        const int *e = fe->edge + 2 * (size_t)k;
        if (used[k] || (e[0] != *node && e[1] != *node))
            continue;
        *node = e[0] == *node ? e[1] : e[0];
        return k;
    }
    return -1;
}

static void add_node(dfl_sid *out, const dfl_reduction *r, const double *u, int node, int line)
{
    const dfl_fe *fe = r->fe;
    dfl_outline_point *point = &out->outline[out->noutline++];
    *point = (dfl_outline_point){.line = line};
    memcpy(point->at, fe->at + 3 * (size_t)node, sizeof point->at);
    for (int i = 0; i < fe->n; i++)
        for (int j = 0; j < r->n && fe->node[i] == node && fe->direction[i] < 3; j++)
            point->phi[fe->direction[i] * r->n + j] = u[(size_t)i + (size_t)fe->n * (size_t)j];
}

/* Chains of edges, while there is room for their points. */
static dfl_status add_edges(dfl_sid *out, const dfl_reduction *r, const double *u)
{
    const dfl_fe *fe = r->fe;
    unsigned char *used = dfl_alloc(r->ctx, (size_t)fe->nedges, 1);
    if (!used)
        return DFL_NO_MEMORY;
    for (int k = 0, line = 0; k < fe->nedges && out->noutline + 2 <= DFL_MOST_OUTLINE; k++) {
        if (used[k])
            continue;
        int node = fe->edge[2 * (size_t)k], points = 1, e;
        add_node(out, r, u, node, line);
        while (out->noutline < DFL_MOST_OUTLINE && points++ < DFL_MOST_LINE &&
               (e = next_edge(&node, fe, used)) >= 0) {
            used[e] = 1;
            add_node(out, r, u, node, line);
        }
        line++;
    }
    dfl_free(r->ctx, used);
    return DFL_OK;
}
