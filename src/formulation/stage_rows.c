/* The rows of all stages of a step at once, transformed over the stages (sparse_form.h), where they
   are those of M (a - v'), f - W^T l - M a, W a + bias, hv and g with a constant diagonal M. What
   the second part of an evaluation combines at one point is combined here, in lanes. */
#include "formulation/sparse_form.h"

#include <string.h>

bool dfl_sparse_combines(const dfl_formulation *base)
{
    const dfl_system *sys = base->sys;
    const dfl_eom *eom = sys->eom;
    return base->needs.stages > 1 && sys->carried && sys->bare && sys->mass.constant &&
           sys->mass.diagonal && !eom->mass_times &&
           eom->nr + eom->nw + eom->ns + eom->nm + eom->n0 == 0 && eom->ne + eom->nep == 0;
}

/* What is read of all stages: entries of the first one, `distance` from those of the next. */
typedef struct stages_read {
    const dfl_sparse_form *form;
    const dfl_point *first;
    long distance;
    const double *transform;
} stages_read;

static DFL_INLINE void pick_all(int stages, int quads, double *Y, const stages_read *read,
                                const double *entry, int count)
{
    for (int i = 0; i < count; i++) {
        dfl_four y[2];
        dfl_lane_pick(y, stages, entry + i, read->distance);
        dfl_lane_store(Y + 4 * quads * i, quads, y);
    }
}

static DFL_INLINE void transform(int stages, int quads, double *Y, const stages_read *read,
                                 const dfl_four x[2])
{
    double number[DFL_LANES];
    dfl_four y[2];
    dfl_lane_store(number, quads, x);
    dfl_lane_transform_one(y, stages, quads, read->transform, number);
    dfl_lane_store(Y, quads, y);
}

/* M (a - v'), f - W^T l - M a; acc += W a. `l` lanes. */
static DFL_INLINE void forces_and_rates(int stages, int quads, double *rho, double *acc,
                                        const double *l, const double *vp, const stages_read *read)
{
    const dfl_sparse_form *form = read->form;
    const dfl_point *point = read->first;
    const int width = 4 * quads, nv = form->base.sys->n3, *start = form->W.start,
              *row = form->W.row;
    const double *M = form->jac.M, *W = point->blocks.W;
    double *forces = rho + form->row.a * width;
    for (int j = 0, k = 0; j < nv; j++) {
        dfl_four a[2], f[2], w[2], y[2];
        dfl_lane_pick(a, stages, point->x + j, read->distance);
        dfl_lane_pick(f, stages, point->blocks.f + j, read->distance);
        for (const int end = start[j + 1]; k < end; k++) {
            const size_t at = (size_t)(unsigned)(row[k] * width);
            dfl_lane_pick(w, stages, W + k, read->distance);
            for (int q = 0; q < quads; q++) {
                f[q] -= w[q] * *(const dfl_quad *)(l + at + 4 * q);
                *(dfl_quad *)(acc + at + 4 * q) += w[q] * a[q];
            }
        }
        for (int q = 0; q < quads; q++) {
            y[q] = M[j] * a[q];
            f[q] -= y[q];
        }
        transform(stages, quads, forces + j * width, read, f);
        transform(stages, quads, rho + j * width, read, y);
        for (int q = 0; q < quads; q++)
            *(dfl_quad *)(rho + j * width + 4 * q) -=
                M[j] * *(const dfl_quad *)(vp + j * width + 4 * q);
    }
}

/* Rows of constraints that are left out: on all levels, or with their multiplier instead. */
static void leave_out(double *rho, const stages_read *read, int stages, int width)
{
    const dfl_sparse_form *form = read->form;
    const dfl_system *sys = form->base.sys;
    for (int i = 0; i < sys->nc; i++) {
        double *acc = rho + (form->row.acc + i) * width;
        if (!form->dropped[i])
            continue;
        memset(acc, 0, (size_t)width * sizeof *acc);
        if (form->dropped[i] != DFL_ROW_REDUNDANT)
            dfl_lanes_gather(acc, stages, read->transform, 1, read->first->x + sys->at.l + i,
                             read->distance, NULL, NULL);
        memset(rho + (form->row.vel + i) * width, 0, (size_t)width * sizeof *rho);
        if (i < sys->eom->nl)
            memset(rho + (form->row.g + i) * width, 0, (size_t)width * sizeof *rho);
    }
}

static DFL_INLINE void combine(int stages, int quads, double *rho, const stages_read *read,
                               const double *yp)
{
    const dfl_sparse_form *form = read->form;
    const dfl_system *sys = form->base.sys;
    const dfl_point *point = read->first;
    const int width = 4 * quads, nc = sys->nc;
    double *acc = rho + form->row.acc * width;
    double *l = rho + form->row.vel * width; /* free until the rows there are written */
    pick_all(stages, quads, l, read, point->x + sys->at.l, nc);
    pick_all(stages, quads, acc, read, point->blocks.bias, nc);
    forces_and_rates(stages, quads, rho, acc, l, yp + sys->at.v * width, read);
    dfl_lane_transform(stages, quads, acc, read->transform, nc, acc);
}

DFL_WIDE static void combine_stages(double *rho, const stages_read *read, int stages,
                                    const double *yp)
{
#define COMBINE(stages, quads) combine(stages, quads, rho, read, yp)
    DFL_FOR_STAGES(stages, COMBINE);
#undef COMBINE
}

void dfl_sparse_stage_rows(double *rho, const dfl_sparse_form *form, const dfl_point *points,
                           int stages, const double *transform, const double *yp)
{
    const dfl_system *sys = form->base.sys;
    const int width = form->base.width;
    const stages_read read = {form, points, dfl_points_distance(points, stages), transform};
    const dfl_blocks *b = &points->blocks;
    combine_stages(rho, &read, stages, yp);
    dfl_lanes_gather(rho + form->row.kin * width, stages, transform, sys->eom->np, b->kin,
                     read.distance, yp + sys->at.p * width, NULL);
    dfl_lanes_gather(rho + form->row.vel * width, stages, transform, sys->nc, points->alg + sys->m1,
                     read.distance, NULL, NULL);
    dfl_lanes_gather(rho + form->row.g * width, stages, transform, sys->eom->nl, b->g,
                     read.distance, NULL, NULL);
    memset(rho + form->row.u * width, 0,
           (size_t)((form->order - form->row.u) * width) * sizeof *rho);
    if (form->base.defect > 0)
        leave_out(rho, &read, stages, width);
}
