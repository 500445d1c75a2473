/* system_rows.c: the rows of the strangeness-free form at a point, from a user's model (see eom.h).

   Sources: GEOMS (12) for the rows; for carried accelerations the saddle system
   [M W^T; W 0] (a, l) = (f, -bias), which never inverts M. */
#include "eom/eom_internal.h"
#include "linalg/linalg.h"

#include <string.h>

static dfl_outcome check_dynamics(const double *y, dfl_system *sys, const dfl_point *point);
static int mass_column(double *column, dfl_system *sys, double t, const double *x, int j);
static void subtract_constraint_forces(double *y, const dfl_system *sys, const dfl_point *point);
static inline void eliminate_accelerations(const dfl_system *sys, dfl_point *point, bool subtract);
static void acceleration_rows(double *acc, const dfl_system *sys, const dfl_point *point,
                              const double *a);
static dfl_outcome carried_rows(dfl_system *sys, dfl_point *point);

static inline dfl_outcome call_eval(dfl_system *sys, dfl_point *point, unsigned need)
{
    const dfl_eom *eom = sys->eom;
    const int rc =
        eom->eval(&point->blocks, point->t, point->x + sys->na, need & sys->need, eom->user);
    return rc ? dfl_system_returned(sys, rc, "eval", point->t) : DFL_STEP_OK;
}

dfl_outcome dfl_system_call_points(dfl_system *sys, dfl_point *points, int count)
{
    const dfl_eom *eom = sys->eom;
    dfl_blocks *blocks[DFL_MOST_POINTS];
    const double *x[DFL_MOST_POINTS];
    double t[DFL_MOST_POINTS];
    for (int k = 0; k < count; k++) {
        blocks[k] = &points[k].blocks;
        x[k] = points[k].x + sys->na;
        t[k] = points[k].t;
    }
    const int rc = eom->eval_points(blocks, t, x, count, sys->need, eom->user);
    sys->stats->evaluations += count;
    dfl_outcome outcome =
        rc ? dfl_system_returned(sys, rc, "eval_points", points[0].t) : DFL_STEP_OK;
    for (int k = 0; dfl_system_mass_at_points(sys) && !outcome && k < count; k++)
        outcome = dfl_system_mass(points[k].M, sys, points[k].t, points[k].x + sys->na);
    return outcome;
}

dfl_outcome dfl_system_eval(dfl_system *sys, dfl_point *point)
{
    dfl_outcome outcome = dfl_system_call(sys, point, 1);
    return outcome ? outcome : dfl_system_finish(sys, point);
}

dfl_outcome dfl_system_finish(dfl_system *sys, dfl_point *point)
{
    if (sys->eliminated) {
        eliminate_accelerations(sys, point, sys->bare);
        return DFL_STEP_OK;
    }
    if (sys->bare)
        subtract_constraint_forces(point->blocks.f, sys, point);
    return dfl_system_combine(sys, point);
}

dfl_outcome dfl_system_eval_blocks(dfl_system *sys, dfl_point *point, unsigned need)
{
    if (need & DFL_FORCE)
        sys->stats->evaluations++;
    else
        sys->stats->partial_evaluations++;
    dfl_outcome outcome = call_eval(sys, point, need);
    if (!outcome && need & DFL_FORCE && sys->bare)
        subtract_constraint_forces(point->blocks.f, sys, point);
    return outcome;
}

dfl_outcome dfl_system_combine(dfl_system *sys, dfl_point *point)
{
    if (sys->carried)
        return carried_rows(sys, point);
    if (sys->eliminated)
        eliminate_accelerations(sys, point, false);
    else if (!sys->psi1)
        memcpy(point->alg + sys->row.acc, point->blocks.bias, (size_t)sys->nc * sizeof(double));
    return DFL_STEP_OK;
}

dfl_outcome dfl_system_eval_checked(dfl_system *sys, dfl_point *point)
{
    dfl_outcome outcome = dfl_system_eval(sys, point);
    return outcome ? outcome : dfl_system_check_finite(sys, point);
}

dfl_outcome dfl_system_mass_product(double *y, dfl_system *sys, const dfl_point *point,
                                    const double *v)
{
    const dfl_eom *eom = sys->eom;
    const int nv = eom->nv;
    const double *M = sys->mass.constant ? sys->mass.M : point->M;
    if (eom->mass_times) {
        sys->stats->mass_evaluations++;
        const int rc = eom->mass_times(y, point->t, point->x + sys->na, v, eom->user);
        if (rc)
            return dfl_system_returned(sys, rc, "mass_times", point->t);
    } else if (sys->mass.diagonal) {
        for (int i = 0; i < nv; i++)
            y[i] = M[i] * v[i];
    } else if (sys->packed) {
        dfl_packed_mass_product(y, sys, M, v);
    } else {
        dfl_gemm(nv, 1, nv, 1, M, nv, v, nv, 0, y, nv);
    }
    return DFL_STEP_OK;
}

dfl_outcome dfl_system_dynamics(double *y, dfl_system *sys, const dfl_point *point,
                                const double *vp)
{
    const dfl_eom *eom = sys->eom;
    const int nv = eom->nv;
    if (eom->residual) {
        sys->stats->mass_evaluations++;
        const int rc = eom->residual(y, point->t, point->x + sys->na, vp, eom->user);
        if (rc)
            return dfl_system_returned(sys, rc, "residual", point->t);
        for (int i = 0; i < nv; i++)
            y[i] = -y[i];
        subtract_constraint_forces(y, sys, point);
        return check_dynamics(y, sys, point);
    }
    dfl_outcome outcome = dfl_system_mass_product(y, sys, point, vp);
    for (int i = 0; i < nv; i++)
        y[i] = point->blocks.f[i] - y[i];
    return outcome ? outcome : check_dynamics(y, sys, point);
}

/* The sum of nv rows  f_dyn - M v'  shows whether all are finite. */
static dfl_outcome check_dynamics(const double *y, dfl_system *sys, const dfl_point *point)
{
    double sum = 0;
    for (int i = 0; i < sys->n3; i++)
        sum += 0 * y[i];
    return sum == 0 ? DFL_STEP_OK : dfl_system_dynamics_trouble(y, sys, point);
}

dfl_outcome dfl_system_mass(double *M, dfl_system *sys, double t, const double *x)
{
    const dfl_eom *eom = sys->eom;
    const int nv = eom->nv;
    int rc = 0;
    if (eom->mass) {
        memset(M, 0, dfl_system_mass_entries(sys) * sizeof *M);
        sys->stats->mass_evaluations++;
        rc = eom->mass(M, t, x, eom->user);
    } else if (eom->mass_times || eom->residual) {
        memset(sys->scratch.seed, 0, (size_t)nv * sizeof(double));
        if (eom->residual)
            rc = eom->residual(sys->scratch.product, t, x, sys->scratch.seed, eom->user);
        for (int j = 0; !rc && j < nv; j++)
            rc = mass_column(M + (size_t)j * (size_t)nv, sys, t, x, j);
    } else {
        for (int i = 0; i < nv; i++)
            M[i] = 1;
    }
    if (rc)
        return dfl_system_returned(sys, rc, dfl_system_mass_callback(eom), t);
    return DFL_STEP_OK;
}

/* Column j of M from products: M e_j, or residual(e_j) - residual(0). */
static int mass_column(double *column, dfl_system *sys, double t, const double *x, int j)
{
    const dfl_eom *eom = sys->eom;
    const int nv = eom->nv;
    memset(sys->scratch.seed, 0, (size_t)nv * sizeof(double));
    sys->scratch.seed[j] = 1;
    sys->stats->mass_evaluations++;
    if (eom->mass_times)
        return eom->mass_times(column, t, x, sys->scratch.seed, eom->user);
    int rc = eom->residual(column, t, x, sys->scratch.seed, eom->user);
    for (int i = 0; i < nv; i++)
        column[i] -= sys->scratch.product[i];
    return rc;
}

/* y -= W^T (l, m) */
static void subtract_constraint_forces(double *y, const dfl_system *sys, const dfl_point *point)
{
    const int nc = sys->nc, nv = sys->n3;
    const double *W = point->blocks.W, *l = point->x + sys->at.l;
    if (sys->packed) {
        dfl_packed_subtract_forces(y, sys, W, l);
        return;
    }
    for (int j = 0; j < nv; j++, W += nc)
        for (int i = 0; i < nc; i++)
            y[j] -= W[i] * l[i];
}

/* gII, hI = W a + bias */
static void acceleration_rows(double *acc, const dfl_system *sys, const dfl_point *point,
                              const double *a)
{
    const int nc = sys->nc, nv = sys->n3;
    const double *W = point->blocks.W;
    for (int i = 0; i < nc; i++)
        acc[i] = point->blocks.bias[i];
    if (sys->packed) {
        dfl_packed_add_rates(acc, sys, W, a);
        return;
    }
    for (int j = 0; j < nv; j++, W += nc)
        for (int i = 0; i < nc; i++)
            acc[i] += W[i] * a[j];
}

/* f_dyn = f - W^T (l, m) if it is still to be formed, a = M^-1 f_dyn with diagonal M, and gII,
   hI = W a + bias, in one pass through W. `nc` and `subtract` may be constants for the compiler. */
static inline __attribute__((always_inline)) void eliminate(int nc, const dfl_system *sys,
                                                            dfl_point *point, bool subtract)
{
    const bool constant = sys->mass.constant;
    const double *M = constant ? sys->mass.inverse : point->M;
    const double *W = point->blocks.W, *l = point->x + sys->at.l;
    double *restrict f = point->blocks.f, *restrict a = point->a;
    double *restrict acc = point->alg + sys->row.acc;
    for (int i = 0; i < nc; i++)
        acc[i] = point->blocks.bias[i];
    for (int j = 0; j < sys->n3; j++, W += nc) {
        double sum = f[j];
        for (int i = 0; subtract && i < nc; i++)
            sum -= W[i] * l[i];
        f[j] = sum;
        sum = constant ? sum * M[j] : sum / M[j];
        a[j] = sum;
        for (int i = 0; i < nc; i++)
            acc[i] += W[i] * sum;
    }
}

static __attribute__((noinline)) void eliminate_any(const dfl_system *sys, dfl_point *point,
                                                    bool subtract)
{
    eliminate(sys->nc, sys, point, subtract);
}

/* One and two constraints have separate loops, since little else costs time there. */
static inline void eliminate_accelerations(const dfl_system *sys, dfl_point *point, bool subtract)
{
    if (subtract && sys->nc == 1)
        eliminate(1, sys, point, true);
    else if (subtract && sys->nc == 2)
        eliminate(2, sys, point, true);
    else
        eliminate_any(sys, point, subtract);
}

/* f_dyn - M a - K0 sigma,  K0^T a,  gII, hI = W a + bias */
static dfl_outcome carried_rows(dfl_system *sys, dfl_point *point)
{
    const int nv = sys->n3;
    const double *a = point->x, *sigma = point->x + nv;
    double *rows = point->alg;
    dfl_outcome outcome = dfl_system_dynamics(rows, sys, point, a);
    if (outcome)
        return outcome;
    memcpy(point->a, a, (size_t)nv * sizeof *a);
    dfl_system_add_along(rows, sys, point->blocks.K0, -1, sigma);
    dfl_system_take_along(rows + nv, sys, point->blocks.K0, a);
    acceleration_rows(point->alg + sys->row.acc, sys, point, a);
    return DFL_STEP_OK;
}
