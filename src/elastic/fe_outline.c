/* fe_outline.c: lines along the beams of a frame, with displacements and bending moments of its modes.

   Moments EI v'' of the cubic polynomials of a bar, at its ends; where two bars meet, their mean. */
#include "elastic/reduction_internal.h"

#include <string.h>

static void add_point(dfl_sid *out, const dfl_reduction *r, const double *u, int before, int after);

void dfl_reduction_outline(dfl_sid *out, const dfl_reduction *r, const double *u)
{
    const dfl_fe *fe = r->fe;
    const int beams = fe->nbars ? fe->bar[fe->nbars - 1].beam + 1 : 0;
    if (beams == 0 || 2 * beams > DFL_MOST_OUTLINE)
        return;
    const int pieces = beams * 9 <= DFL_MOST_OUTLINE ? 8 : DFL_MOST_OUTLINE / beams - 1;
    for (int first = 0, last = 0; first < fe->nbars; first = last) {
        while (last < fe->nbars && fe->bar[last].beam == fe->bar[first].beam)
            last++;
        const int bars = last - first, count = bars < pieces ? bars : pieces;
        for (int k = 0; k <= count; k++) {
            const int at = first + k * bars / count; /* the bar that begins there */
            add_point(out, r, u, at > first ? at - 1 : -1, at < last ? at : -1);
        }
    }
}

/* EI v'' at the beginning or the end of a bar */
static double moment(const dfl_fe_bar *bar, const double *u, int z, int end)
{
    double v[4];
    const double L = bar->length, sign = end ? -1.0 : 1.0;
    dfl_fe_bend(v, bar, u, z);
    return (z ? bar->EI2 : bar->EI) * sign *
           (6.0 * (v[2] - v[0]) / L - (end ? 2.0 : 4.0) * v[1] - (end ? 4.0 : 2.0) * v[3]) / L;
}

static void add_point(dfl_sid *out, const dfl_reduction *r, const double *u, int before, int after)
{
    const dfl_fe *fe = r->fe;
    const dfl_fe_bar *bar = &fe->bar[after >= 0 ? after : before];
    const int *dof = bar->dof + (after >= 0 ? 0 : 6);
    const double part = before >= 0 && after >= 0 ? 0.5 : 1.0;
    dfl_outline_point *point = &out->outline[out->noutline++];
    *point = (dfl_outline_point){.line = bar->beam};
    memcpy(point->at, fe->at + 3 * (size_t)fe->node[dof[0]], sizeof point->at);
    for (int i = 0; i < r->n; i++) {
        const double *x = u + (size_t)fe->n * (size_t)i;
        for (int a = 0; a < 3; a++)
            point->phi[a * r->n + i] = x[dof[a]];
        for (int z = 0; z < 2; z++) {
            double sum = before >= 0 ? part * moment(&fe->bar[before], x, z, 1) : 0.0;
            sum += after >= 0 ? part * moment(&fe->bar[after], x, z, 0) : 0.0;
            point->moment[z * r->n + i] = sum;
        }
    }
}
