/* Self-check of a model at one point: what can be derived from other callbacks is compared with
   differences of them: jacobian and W entry by entry; gI as the rate of g, and W a + bias as
   the rate of (gI, hv), along the motion x' = (v' = a, s', p' = kin). */
#include "eom/system.h"
#include "linalg/linalg.h"

#include <float.h>
#include <math.h>
#include <string.h>

static dfl_status check_jacobian(dfl_system *sys, dfl_rows_jacobian *jac, const dfl_point *point);
static dfl_status check_rates(dfl_system *sys, dfl_rows_jacobian *jac, const dfl_point *point,
                              dfl_point *work);
static dfl_status check_autonomous(dfl_system *sys, const dfl_point *point, dfl_point *work);

dfl_status dfl_system_self_check(dfl_system *sys, dfl_rows_jacobian *jac, dfl_point *point,
                                 dfl_point *work)
{
    const dfl_statistics counters = *sys->stats; /* the check is not part of the integration */
    dfl_status status = check_jacobian(sys, jac, point);
    if (!status)
        status = check_rates(sys, jac, point, work);
    if (!status && sys->eom->autonomous)
        status = check_autonomous(sys, point, work);
    *sys->stats = counters;
    return status;
}

static dfl_status cannot(dfl_system *sys)
{
    return dfl_fail(sys->ctx, DFL_CALLBACK, "self-check: %s fails near the start, t = %g",
                    sys->trouble.callback, sys->trouble.t);
}

/* The distance of u from the nearer of both. */
static double nearer(double u, double fine, double coarse)
{
    return fmin(fabs(u - fine), fabs(u - coarse));
}

/* Compares a block by callback (a) with its differences, entry by entry. One of two step sizes has
   to agree: near x = 0 the small one drowns in the rounding of large terms, the large one may be
   large for the model. */
static dfl_status compare(dfl_context *ctx, const char *name, const double *a, const double *fine,
                          const double *coarse, int rows, int columns, int first_column)
{
    double largest = 1;
    for (int i = 0; i < rows * columns; i++)
        largest = fmax(largest, fabs(fine[i]));
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) {
            const double u = a[j * rows + i], d = fine[j * rows + i], c = coarse[j * rows + i];
            if (!(nearer(u, d, c) <= 1e-4 * fmax(fabs(d), 1e-2 * largest)))
                return dfl_fail(ctx, DFL_INVALID,
                                "self-check: %s, row %d, column %d of x: the model says %.8g, "
                                "differences say %.8g",
                                name, i, first_column + j, u, d);
        }
    return DFL_OK;
}

/* The stored blocks three times: by callback, by small and by large differences. The last ones stay
   in jac. */
static dfl_status three_jacobians(double *mine, dfl_system *sys, dfl_rows_jacobian *jac,
                                  const dfl_point *point)
{
    const dfl_eom *eom = sys->eom;
    const double *x = point->x + sys->na;
    const size_t size = (size_t)jac->store_size, bytes = size * sizeof *mine;
    int rc = 0;
    memset(jac->store, 0, bytes);
    if (eom->jacobian)
        rc = eom->jacobian(&jac->blocks, point->t, x, sys->geoms ? NULL : point->a, eom->user);
    memcpy(mine, jac->store, bytes);
    if (rc || dfl_system_differences(jac, sys, point->t, x, point->a))
        return cannot(sys);
    memcpy(mine + size, jac->store, bytes);
    jac->least = 1;
    if (dfl_system_differences(jac, sys, point->t, x, point->a))
        memcpy(jac->store, mine + size, bytes); /* out of the model's domain */
    jac->least = 0;
    memcpy(mine + 2 * size, jac->store, bytes);
    return DFL_OK;
}

/* W against the v-columns of gI and hv; `room` for two matrices of its size. */
static dfl_status check_directions(double *room, const dfl_system *sys, const dfl_point *point,
                                   const double *fine, const double *coarse)
{
    const int nc = sys->nc, nv = sys->n3, rows = nc + sys->eom->ne;
    double *other = room + nc * nv;
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < nc; i++) {
            room[j * nc + i] = fine[j * rows + i];
            other[j * nc + i] = coarse[j * rows + i];
        }
    return compare(sys->ctx, "W", point->blocks.W, room, other, nc, nv, dfl_eom_layout(sys->eom).v);
}

static dfl_status check_jacobian(dfl_system *sys, dfl_rows_jacobian *jac, const dfl_point *point)
{
    const dfl_eom *eom = sys->eom;
    const dfl_layout at = dfl_eom_layout(eom);
    const int nc = sys->nc, n = sys->nu;
    const size_t size = (size_t)jac->store_size, directions = (size_t)(nc * eom->nv);
    double *mine = dfl_alloc(sys->ctx, 3 * size + 2 * directions, sizeof *mine);
    dfl_status status = mine ? three_jacobians(mine, sys, jac, point) : DFL_NO_MEMORY;
    const dfl_jacobian *b = &jac->blocks;
    const struct {
        const char *name;
        const double *block;
        int rows, first;
        bool unused;
    } part[] = {{"jacobian.d", b->d, eom->nw, 0, false},
                {"jacobian.acc", b->acc, nc, 0, sys->psi1},
                {"jacobian.vel", b->vel, nc + eom->ne, at.v, false},
                {"jacobian.gam", b->gam, eom->n0, 0, false},
                {"jacobian.pos", b->pos, sys->m3, at.s, false},
                {"jacobian.b", b->b, eom->nr, 0, false},
                {"jacobian.dyn", b->dyn, eom->nv, 0, false},
                {"jacobian.kin", b->kin, eom->np, at.v, eom->trivial_kinematics}};
    for (size_t k = 0; !status && eom->jacobian && k < sizeof part / sizeof *part; k++) {
        const double *own = mine + (part[k].block - jac->store);
        if (!part[k].unused)
            status = compare(sys->ctx, part[k].name, own, own + size, own + 2 * size, part[k].rows,
                             n - part[k].first, part[k].first);
    }
    if (!status && !sys->geoms) {
        const double *vel = mine + (b->vel - jac->store);
        status = check_directions(mine + 3 * size, sys, point, vel + size, vel + 2 * size);
    }
    dfl_free(sys->ctx, mine);
    return status;
}

/* work := the rows at time t + tau, all unknowns moved by tau x'. */
static dfl_status rows_after(dfl_point *work, dfl_system *sys, const dfl_point *point,
                             const double *xp, double tau)
{
    work->t = point->t + tau;
    for (int i = 0; i < sys->n; i++)
        work->x[i] = point->x[i] + tau * xp[i];
    return dfl_system_eval_checked(sys, work) ? cannot(sys) : DFL_OK;
}

/* s' from 0 = c_s s' + c_p p' + c_t: the rate of c with s at rest, then one linear solve. */
static dfl_status contact_rates(double *xp, dfl_system *sys, const dfl_rows_jacobian *jac,
                                const dfl_point *point, dfl_point *work, double tau)
{
    const int ns = sys->eom->ns;
    dfl_factor *factor = NULL;
    double *rate = dfl_alloc(sys->ctx, (size_t)ns, sizeof *rate);
    dfl_status status = rate ? dfl_factor_create(&factor, sys->ctx, ns, false) : DFL_NO_MEMORY;
    if (!status)
        status = rows_after(work, sys, point, xp, tau);
    for (int i = 0; !status && i < ns; i++)
        rate[i] = work->blocks.c[i];
    if (!status)
        status = rows_after(work, sys, point, xp, -tau);
    if (!status) {
        for (int i = 0; i < ns; i++)
            rate[i] = -(rate[i] - work->blocks.c[i]) / (2 * tau);
        for (int j = 0; j < ns; j++)
            for (int i = 0; i < ns; i++)
                dfl_factor_matrix(factor)[j * ns + i] = jac->blocks.pos[j * sys->m3 + i];
        if (dfl_factor_compute(factor, ns, DFL_METHOD_LU))
            dfl_factor_solve(factor, rate);
        else
            status = dfl_fail(sys->ctx, DFL_SINGULAR, "c_s is singular at the start");
        memcpy(xp + sys->off_sp, rate, (size_t)ns * sizeof *rate);
    }
    dfl_factor_free(factor, sys->ctx);
    dfl_free(sys->ctx, rate);
    return status;
}

/* rate (central difference) of `rows` rows from a (at +tau) and b (at -tau) against `given`. */
static dfl_status compare_rates(const dfl_system *sys, const char *name, const char *of,
                                const double *rate, const double *given, int rows)
{
    double largest = 1;
    for (int i = 0; i < rows; i++)
        largest = fmax(largest, fabs(rate[i]));
    for (int i = 0; i < rows; i++)
        if (!(fabs(rate[i] - given[i]) <= 1e-5 * largest))
            return dfl_fail(sys->ctx, DFL_INVALID,
                            "self-check: %s, row %d: the model says %.8g, the rate of %s along the "
                            "motion is %.8g",
                            name, i, given[i], of, rate[i]);
    return DFL_OK;
}

static dfl_status check_rates(dfl_system *sys, dfl_rows_jacobian *jac, const dfl_point *point,
                              dfl_point *work)
{
    const dfl_eom *eom = sys->eom;
    const int nl = eom->nl, nc = sys->nc, ma = sys->m1 + sys->m2 + sys->m3;
    double *xp = dfl_alloc(sys->ctx, (size_t)sys->n, sizeof *xp);
    double *rate = dfl_alloc(sys->ctx, (size_t)ma, sizeof *rate);
    dfl_status status = xp && rate ? DFL_OK : DFL_NO_MEMORY;
    double speed = 1, tau;
    if (status)
        goto done;
    for (int i = 0; i < eom->nv; i++)
        speed = fmax(speed, fabs(xp[sys->off_v + i] = point->a[i]));
    for (int i = 0; i < eom->np; i++)
        speed = fmax(speed, fabs(xp[sys->off_p + i] = point->blocks.kin[i]));
    tau = cbrt(DBL_EPSILON) / speed;
    if (eom->ns > 0)
        status = contact_rates(xp, sys, jac, point, work, tau);
    if (!status)
        status = rows_after(work, sys, point, xp, tau);
    if (status)
        goto done;
    memcpy(rate, work->alg, (size_t)ma * sizeof *rate);
    status = rows_after(work, sys, point, xp, -tau);
    if (status)
        goto done;
    for (int i = 0; i < ma; i++)
        rate[i] = (rate[i] - work->alg[i]) / (2 * tau);
    status =
        compare_rates(sys, "gI", "g", rate + sys->m1 + sys->m2 + eom->ns, point->blocks.gI, nl);
    if (!status && !sys->psi1)
        status = compare_rates(sys, sys->geoms ? "gII, hI" : "bias (W a + bias)", "(gI, hv)",
                               rate + sys->m1, point->alg + sys->row_acc, sys->geoms ? 0 : nc);
done:
    dfl_free(sys->ctx, xp);
    dfl_free(sys->ctx, rate);
    return status;
}

static dfl_status check_autonomous(dfl_system *sys, const dfl_point *point, dfl_point *work)
{
    const int ma = sys->m1 + sys->m2 + sys->m3;
    memcpy(work->x, point->x, (size_t)sys->n * sizeof(double));
    work->t = point->t + 0.7321;
    if (dfl_system_eval_checked(sys, work))
        return cannot(sys);
    if (memcmp(work->alg, point->alg, (size_t)ma * sizeof(double)) != 0 ||
        memcmp(work->dif, point->dif, (size_t)sys->mdif * sizeof(double)) != 0)
        return dfl_fail(sys->ctx, DFL_INVALID,
                        "self-check: the model is declared autonomous, but its rows change with t");
    return DFL_OK;
}
