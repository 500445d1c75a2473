/* Self-check: rates along the motion x' = (v' = a, s', p' = kin), by central differences. gI is the
   rate of g, W a + bias the rate of (gI, hv); invariants have rate zero. */
#include "eom/self_check_internal.h"
#include "linalg/linalg.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* work := the rows at time t + tau, all unknowns moved by tau x'. */
static dfl_status rows_after(dfl_check *c, double tau)
{
    dfl_point *work = c->work;
    work->t = c->point->t + tau;
    for (int i = 0; i < c->sys->n; i++)
        work->x[i] = c->point->x[i] + tau * c->xp[i];
    return dfl_system_eval_checked(c->sys, work) ? dfl_check_cannot(c) : DFL_OK;
}

/* rate := central differences of all algebraic rows along x'. */
static dfl_status rates(double *rate, dfl_check *c, double tau)
{
    const dfl_system *sys = c->sys;
    const int ma = sys->m1 + sys->m2 + sys->m3;
    dfl_status status = rows_after(c, tau);
    if (status)
        return status;
    memcpy(rate, c->work->alg, (size_t)ma * sizeof *rate);
    status = rows_after(c, -tau);
    for (int i = 0; !status && i < ma; i++)
        rate[i] = (rate[i] - c->work->alg[i]) / (2 * tau);
    return status;
}

/* b := c_s^-1 b with the derivatives in jac. */
static dfl_status contact_solve(double *b, dfl_check *c, bool *regular)
{
    const dfl_system *sys = c->sys;
    const int ns = sys->eom->ns;
    dfl_factor *factor = NULL;
    dfl_status status = dfl_factor_create(&factor, sys->ctx, ns, false);
    if (status)
        return status;
    for (int j = 0; j < ns; j++)
        for (int i = 0; i < ns; i++)
            dfl_factor_matrix(factor)[j * ns + i] = c->jac->blocks.pos[j * sys->m3 + i];
    *regular = dfl_factor_compute(factor, ns, DFL_METHOD_LU);
    if (*regular)
        dfl_factor_solve(factor, b);
    dfl_factor_free(factor, sys->ctx);
    return DFL_OK;
}

/* Newton's method for c = 0: only there s = s(p, t) has the rate that gI and bias contain. If it
   fails, the start will say why; the check then does without rates. */
dfl_status dfl_check_settle_contact(dfl_check *c)
{
    dfl_system *sys = c->sys;
    dfl_point *point = c->point;
    const int ns = sys->eom->ns;
    double *s = point->x + sys->at.sp, *step = c->rate[0];
    bool regular = true;
    dfl_status status = DFL_OK;
    c->contact = ns == 0;
    for (int it = 0; !c->contact && regular && !status && it < 20; it++) {
        if (dfl_system_eval_checked(sys, point) ||
            dfl_system_differences(c->jac, sys, point->t, point->x + sys->na, c->a))
            break;
        memcpy(step, point->blocks.c, (size_t)ns * sizeof *step);
        status = contact_solve(step, c, &regular);
        double size = 0;
        for (int i = 0; regular && !status && i < ns; i++) {
            s[i] -= step[i];
            size = fmax(size, fabs(step[i]) / (1 + fabs(s[i])));
        }
        c->contact = regular && size <= 1e-9;
    }
    memcpy(c->contact ? c->x0 : point->x, c->contact ? point->x : c->x0,
           (size_t)sys->n * sizeof *s);
    return status;
}

/* x' for v' = a (NULL: zero), p' = kin, and s' from 0 = c_s s' + c_p p' + c_t: the rate of c with s
   at rest, then one linear solve. *tau: a step that moves nothing by more than cbrt(eps). */
static dfl_status motion(double *tau, dfl_check *c, const double *a)
{
    const dfl_system *sys = c->sys;
    const dfl_eom *eom = sys->eom;
    double speed = 1, *sp = c->xp + sys->at.sp, *rate = c->rate[0];
    bool regular = true;
    memset(c->xp, 0, (size_t)sys->n * sizeof *c->xp);
    for (int i = 0; a && i < eom->nv; i++)
        speed = fmax(speed, fabs(c->xp[sys->at.v + i] = a[i]));
    for (int i = 0; i < eom->np; i++)
        speed = fmax(speed, fabs(c->xp[sys->at.p + i] = c->point->blocks.kin[i]));
    *tau = cbrt(DBL_EPSILON) / speed;
    if (eom->ns == 0)
        return DFL_OK;
    dfl_status status = rates(rate, c, *tau);
    if (!status)
        status = contact_solve(rate + sys->m1 + sys->m2, c, &regular);
    if (!status && !regular)
        return dfl_fail(sys->ctx, DFL_SINGULAR, "c_s is singular at the start");
    for (int i = 0; !status && i < eom->ns; i++)
        sp[i] = -rate[sys->m1 + sys->m2 + i];
    return status;
}

/* A step that moves neither s nor p by more than cbrt(eps) of the largest of them (the rows are
   linear in v): at least `tau`, which assumes unknowns of size 1 and is lost in the rounding of
   very large positions. */
static double relative_step(const dfl_check *c, double tau)
{
    const dfl_system *sys = c->sys;
    const int first[] = {sys->at.sp, sys->at.p, sys->n};
    double most = 0;
    for (int k = 0; k < 2; k++) {
        const int count = first[k + 1] - first[k];
        const double size = dfl_max_abs(c->point->x + first[k], count);
        const double speed = dfl_max_abs(c->xp + first[k], count);
        if (speed > 0)
            most = fmax(most, speed / fmax(size, speed * tau));
    }
    return most > 0 ? fmax(tau, cbrt(DBL_EPSILON) / most) : tau;
}

/* The sum of what the terms of a row contribute to its rate; J: its derivatives, from column
   `first` of x on. */
static double terms(const dfl_check *c, const double *J, int ld, int first)
{
    double sum = 0;
    for (int j = first; j < c->sys->n; j++)
        sum += fabs(J[(size_t)(j - first) * (size_t)ld] * c->xp[j]);
    return sum;
}

/* The first of `rows` rows, from `row` of alg on, whose rate is not `given` with any step. J
   (leading dimension ld): their derivatives, from column `first` of x on. */
static bool find_wrong_rate(int *found, const dfl_check *c, int row, const double *given, int rows,
                            const double *J, int ld, int first)
{
    const double *coarse = c->rate[0] + row;
    const double largest = fmax(1, dfl_max_abs(coarse, rows));
    for (int i = 0; i < rows; i++) {
        double distance = INFINITY;
        for (int k = 0; k < 3; k++)
            distance = fmin(distance, fabs(given[i] - c->rate[k][row + i]));
        if (!(distance <=
              1e-5 * fabs(coarse[i]) + 1e-6 * largest + 1e-7 * terms(c, J + i, ld, first))) {
            *found = i;
            return true;
        }
    }
    return false;
}

/* The rates of all rows with three steps. The third one may lead out of the model's domain: then
   it is the first. */
static dfl_status all_rates(dfl_check *c)
{
    const dfl_system *sys = c->sys;
    const size_t bytes = (size_t)(sys->m1 + sys->m2 + sys->m3) * sizeof(double);
    double tau;
    dfl_status status = motion(&tau, c, c->a);
    if (!status)
        status = rates(c->rate[0], c, tau);
    if (!status)
        status = rates(c->rate[1], c, tau / 10);
    if (status)
        return status;
    const double longer = relative_step(c, tau);
    const bool moved = c->moved, refused = c->refused;
    c->moved = true; /* the model may refuse that */
    if (longer < 10 * tau || rates(c->rate[2], c, longer))
        memcpy(c->rate[2], c->rate[0], bytes);
    c->moved = moved;
    c->refused = refused;
    return DFL_OK;
}

/* gI compared with the rate of g, for any a. */
dfl_status dfl_check_rates(dfl_check *c)
{
    const dfl_system *sys = c->sys;
    const dfl_eom *eom = sys->eom;
    const int row = sys->m1 + sys->m2 + eom->ns;
    const double *G = c->fine + (c->jac->blocks.pos - c->jac->store) + eom->ns;
    int i;
    char gI[DFL_CHECK_NAME], g[DFL_CHECK_NAME];
    if (!c->contact)
        return DFL_OK;
    const dfl_status status = all_rates(c);
    if (status ||
        !find_wrong_rate(&i, c, row, c->point->blocks.gI, eom->nl, G, sys->m3, sys->at.sp))
        return status;
    dfl_eom_name(gI, sizeof gI, eom, DFL_ROW_GI, i);
    dfl_eom_name(g, sizeof g, eom, DFL_ROW_G, i);
    return dfl_fail(sys->ctx, DFL_INVALID,
                    "self-check: %s = %.6g, but the rate of %s along p' = %s is %.6g%s", gI,
                    c->point->blocks.gI[i], g, eom->trivial_kinematics ? "v" : "kin",
                    c->rate[0][row + i], dfl_check_where(c));
}

/* bias compared with the rates of (gI, hv) minus W a. */
dfl_status dfl_check_bias(dfl_check *c)
{
    const dfl_system *sys = c->sys;
    const int nc = sys->nc;
    const double *W = c->point->blocks.W, *bias = c->point->blocks.bias;
    const double *J = c->fine + (c->jac->blocks.vel - c->jac->store);
    int i;
    char name[DFL_CHECK_NAME], of[DFL_CHECK_NAME];
    if (!c->contact || sys->psi1 || sys->geoms)
        return DFL_OK;
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < sys->n3; j++)
            for (int r = 0; r < nc; r++)
                c->rate[k][sys->m1 + r] -= W[j * nc + r] * c->a[j];
    if (!find_wrong_rate(&i, c, sys->m1, bias, nc, J, nc + sys->eom->ne, sys->at.v))
        return DFL_OK;
    dfl_check_constraint_name(name, sizeof name, sys->eom, DFL_ROW_GII, i);
    dfl_check_constraint_name(of, sizeof of, sys->eom, DFL_ROW_GI, i);
    return dfl_fail(sys->ctx, DFL_INVALID,
                    "self-check: the bias of %s is %.6g, but the rate of %s minus W a is %.6g%s",
                    name, bias[i], of, c->rate[0][sys->m1 + i], dfl_check_where(c));
}

/* Rates of `rows` invariants at `row` of alg, which must be zero up to the effect of residuals of
   1e-6. J: their derivatives (leading dimension ld), from column `first` of x on. */
static dfl_status check_kept(dfl_check *c, dfl_kind kind, int row, int rows, const double *J,
                             int ld, int first)
{
    const dfl_system *sys = c->sys;
    char name[2 * DFL_CHECK_NAME + 8];
    for (int i = 0; i < rows; i++) {
        double scale = 1e-4; /* for invariants of t alone */
        for (int j = first; j < sys->n; j++)
            scale += fabs(J[(j - first) * ld + i]) * (fabs(c->xp[j]) + 0.1);
        const double rate = c->rate[0][row + i];
        if (fabs(rate) <= 1e-5 * scale)
            continue;
        dfl_eom_name(name, sizeof name, sys->eom, kind, i);
        return dfl_fail(sys->ctx, DFL_INVALID,
                        "self-check: %s is not kept by the %s: its rate is %.6g", name,
                        kind == DFL_ROW_E ? "motion" : "kinematics", rate);
    }
    return DFL_OK;
}

/* Newton's method with steps of minimum norm: moves `count` unknowns from `first` on until `rows`
   rows F vanish, with derivatives J (rows x count, overwritten). False if it does not succeed. */
static dfl_status settle(bool *settled, dfl_check *c, int first, int count, const double *F,
                         double *J, int rows)
{
    dfl_system *sys = c->sys;
    dfl_point *point = c->point;
    double *step = c->xp;
    dfl_lstsq *lstsq = NULL;
    dfl_status status = rows > 0 ? dfl_lstsq_create(&lstsq, sys->ctx, rows, count) : DFL_OK;
    *settled = false;
    for (int it = 0; !status && it < 20; it++) {
        if (dfl_system_eval_checked(sys, point) ||
            dfl_system_differences(c->jac, sys, point->t, point->x + sys->na, c->a))
            break;
        *settled = dfl_max_abs(F, rows) <= 1e-9;
        if (*settled || !dfl_lstsq_solve(step, lstsq, rows, count, J, F, 1e-6, NULL))
            break;
        for (int i = 0; i < count; i++)
            point->x[first + i] -= step[i];
    }
    dfl_lstsq_free(lstsq, sys->ctx);
    return status;
}

/* Moves s, p and v and makes them satisfy their constraints again: at rest ep has no rate, and
   where a coordinate is zero, as in a quaternion (1, 0, 0, 0), it lacks terms. */
static dfl_status settle_moved(bool *settled, dfl_check *c, double size)
{
    const dfl_system *sys = c->sys;
    const int rows = sys->nc + sys->eom->ne;
    double *x = c->point->x;
    unsigned seed = 1;
    memcpy(x, c->x0, (size_t)sys->n * sizeof *x);
    for (int i = sys->at.v; i < sys->n; i++)
        x[i] += (i < sys->at.sp ? 0.5 : size) * (1 + fabs(x[i])) * dfl_check_noise(&seed);
    dfl_status status =
        settle(settled, c, sys->at.sp, sys->n4, c->point->blocks.c, c->jac->blocks.pos, sys->m3);
    if (status || !*settled)
        return status;
    /* gI, hv, e are contiguous: n0 = 0 */
    return settle(settled, c, sys->at.v, sys->n3, c->point->blocks.gI, c->jac->blocks.vel, rows);
}

/* ep along p' = kin, at the farthest of some states that satisfies all constraints. */
static dfl_status check_kinematics(dfl_check *c)
{
    static const double size[] = {0.05, 0.01, 0};
    const dfl_system *sys = c->sys;
    const dfl_eom *eom = sys->eom;
    const int skip = eom->ns + eom->nl;
    bool settled = false;
    dfl_status status = DFL_OK;
    double tau;
    for (int k = 0; !status && !settled && k < 3; k++)
        status = settle_moved(&settled, c, size[k]);
    if (status || !settled)
        return status;
    status = motion(&tau, c, NULL);
    if (!status)
        status = rates(c->rate[0], c, tau);
    return status ? status
                  : check_kept(c, DFL_ROW_EP, sys->m1 + sys->m2 + skip, eom->nep,
                               c->jac->blocks.pos + skip, sys->m3, sys->at.sp);
}

/* Both kinds of invariants. e needs the true accelerations: only from complete values, and
   where no linear system has to be solved for them. */
dfl_status dfl_check_invariants(dfl_check *c)
{
    const dfl_system *sys = c->sys;
    const int ma = sys->m1 + sys->m2 + sys->m3, ne = sys->eom->ne;
    const bool known = !sys->psi1 && !sys->geoms && !sys->carried;
    double tau;
    dfl_status status = DFL_OK;
    if (!c->contact)
        return DFL_OK;
    if (ne > 0 && known && dfl_max_abs(c->point->alg, ma) <= 1e-6) {
        const long vel = c->jac->blocks.vel - c->jac->store;
        status = motion(&tau, c, c->point->a);
        if (!status)
            status = rates(c->rate[0], c, tau);
        if (!status)
            status = check_kept(c, DFL_ROW_E, sys->row.e, ne, c->fine + vel + sys->nc, sys->nc + ne,
                                sys->at.v);
    }
    if (status)
        return status;
    if (sys->eom->nep == 0 || sys->eom->n0 > 0)
        return DFL_OK;
    c->moved = true; /* the model may refuse that */
    status = check_kinematics(c);
    return c->refused ? DFL_OK : status;
}
