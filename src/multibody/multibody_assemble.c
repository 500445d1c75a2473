/* multibody_assemble.c: coordinates that close all loops.

   Newton's iteration with the shortest step, dq = -W^+ g in the velocities of the joints; a step
   that does not bring the rows nearer to zero is halved. Rows of loops that are off by more than a
   right angle are continued so that mirror images are not zeros of them (loop_sides.c). */
#include "multibody/multibody_internal.h"

#include "multibody/tree_internal.h"

#include <math.h>
#include <string.h>

/* Loops are closed where all rows are below `closed`; if rounding prevents that, `nearly` is
   enough. */
static const double closed = 1e-13, nearly = 1e-9;

/* Singular values of W below this part of the largest one are zero. */
static const double dependent = 1e-8;
enum { MOST_STEPS = 100, MOST_HALVINGS = 12 };

/* p, the step, where it leads, and the pseudo-inverse of W. */
typedef struct search {
    dfl_split *split;
    double *q, *step, *way; /* np, nv, np */
} search;

static dfl_status allocate(search *s, dfl_multibody *m);
static dfl_status iterate(double *p, dfl_multibody *m, search *s, double t);
static dfl_status try_step(double *p, double *size, dfl_multibody *m, search *s, double t);
static double open_by(dfl_multibody *m, int *row);
static void normalize_quaternions(double *p, const dfl_multibody *m);
static dfl_status refuse(dfl_multibody *m, int row, double size, double t);

dfl_status dfl_multibody_assemble(double *p, dfl_multibody *m, double t)
{
    search s = {.split = NULL};
    dfl_status status = dfl_multibody_ready(m);
    for (int i = 0; i < m->eom.np && !status; i++)
        if (!isfinite(p[i]))
            status = dfl_fail(m->ctx, DFL_INVALID, "p[%d] is not finite", i);
    if (!status)
        status = dfl_multibody_check_turns(m, p, 1);
    if (!status)
        status = dfl_multibody_need_matrices(m);
    if (!status)
        status = allocate(&s, m);
    if (!status)
        status = iterate(p, m, &s, t);
    dfl_split_free(s.split, m->ctx);
    dfl_free(m->ctx, s.q);
    dfl_free(m->ctx, s.step);
    dfl_free(m->ctx, s.way);
    return status;
}

static dfl_status allocate(search *s, dfl_multibody *m)
{
    const size_t np = (size_t)m->eom.np, nv = (size_t)m->eom.nv;
    s->q = dfl_alloc(m->ctx, np, sizeof(double));
    s->step = dfl_alloc(m->ctx, nv, sizeof(double));
    s->way = dfl_alloc(m->ctx, np, sizeof(double));
    return s->q && s->step && s->way ? dfl_split_create(&s->split, m->ctx, m->eom.nl, m->eom.nv)
                                     : DFL_NO_MEMORY;
}

static dfl_status iterate(double *p, dfl_multibody *m, search *s, double t)
{
    int row = 0;
    normalize_quaternions(p, m);
    dfl_status status = dfl_multibody_move(m, t, p, NULL);
    double size = status ? 0.0 : open_by(m, &row), before = INFINITY;
    for (int k = 0; k < MOST_STEPS && !status && size > closed && size < before; k++) {
        before = size;
        status = try_step(p, &size, m, s, t);
    }
    if (!status) /* the last step may have been worse */
        status = dfl_multibody_move(m, t, p, NULL);
    if (!status)
        size = open_by(m, &row);
    if (!status && !(size <= nearly))
        status = refuse(m, row, size, t);
    return status;
}

/* p moves if a step, perhaps a shorter one, brings the rows nearer to zero. */
static dfl_status try_step(double *p, double *size, dfl_multibody *m, search *s, double t)
{
    const int np = m->eom.np, nv = m->eom.nv, nl = m->eom.nl;
    const dfl_split_rule rule = {.method = DFL_METHOD_SVD, .tolerance = dependent, .rank = -1};
    dfl_loops_directions(m->mat.W, nl, m->loops);
    if (!dfl_split_compute(s->split, &rule, m->mat.W, nl, nl, nv))
        return DFL_OK;
    dfl_gemm(nv, 1, nl, -1.0, s->split->R, nv, m->mat.g, nl, 0.0, s->step, nv);
    dfl_tree_kinematics(s->way, m->tree, p, s->step);
    double part = 1.0;
    for (int k = 0; k < MOST_HALVINGS; k++, part *= 0.5) {
        int row;
        for (int i = 0; i < np; i++)
            s->q[i] = p[i] + part * s->way[i];
        normalize_quaternions(s->q, m);
        const dfl_status status = dfl_multibody_move(m, t, s->q, NULL);
        const double now = status ? 0.0 : open_by(m, &row);
        if (status)
            return status;
        if (now < *size) {
            memcpy(p, s->q, (size_t)np * sizeof *p);
            *size = now;
            return DFL_OK;
        }
    }
    return DFL_OK;
}

/* The largest row, NAN if one is; the rows stay in m->mat.g. */
static double open_by(dfl_multibody *m, int *row)
{
    double size = 0.0;
    *row = 0;
    dfl_multibody_pose(m);
    dfl_loops_position(m->mat.g, m->loops, m->p);
    dfl_loops_continue(m->mat.g, m->loops);
    for (int i = 0; i < m->eom.nl; i++)
        if (!(fabs(m->mat.g[i]) <= size)) {
            size = fabs(m->mat.g[i]);
            *row = i;
            if (isnan(size))
                break;
        }
    return size;
}

static void normalize_quaternions(double *p, const dfl_multibody *m)
{
    for (int i = 0; i < m->eom.nep; i++) {
        double *e = p + dfl_tree_quaternion(m->tree, i);
        const double length = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
        for (int k = 0; k < 4; k++)
            e[k] /= length;
    }
}

static dfl_status refuse(dfl_multibody *m, int row, double size, double t)
{
    int within, mirrored;
    const part_label label = dfl_loops_label(m->loops, row, &within);
    if (isnan(size))
        return dfl_fail(m->ctx, DFL_INCONSISTENT,
                        "%s is not finite at t = %g; look at p and at what `drive` writes",
                        label.text, t);
    if (dfl_loops_side(m->loops, &mirrored) < 0.0)
        return dfl_fail(m->ctx, DFL_INCONSISTENT,
                        "%s cannot be turned out of its mirror image, with opposite axes of its "
                        "bodies; start nearer to the position that is meant, or reverse an axis",
                        dfl_loops_label(m->loops, mirrored, &within).text);
    if (dfl_loops_is_coupling(m->loops, row))
        return dfl_fail(m->ctx, DFL_INCONSISTENT,
                        "%s cannot be satisfied from these coordinates: its sum stays at %g; "
                        "start elsewhere, or check factors and offset",
                        label.text, size);
    return dfl_fail(m->ctx, DFL_INCONSISTENT,
                    "%s cannot be closed from these coordinates: row %d stays at %g; start nearer "
                    "to the closed position, or check lengths and axes",
                    label.text, within + 1, size);
}
