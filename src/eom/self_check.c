/* Self-check of a model: what can be derived from other callbacks is compared with differences of
   them. gI is the rate of g, and W a + bias the rate of (gI, hv), along v' = a, p' = kin for any a;
   W = d(gI, hv)/dv; jacobian entry by entry. These identities hold at any state, so the check needs
   no consistent values. Much vanishes at rest, where models are usually started: the check is
   repeated at states moved from x0. */
#include "eom/self_check_internal.h"

#include <math.h>
#include <string.h>

enum { STATES = 3 };

static dfl_status allocate(dfl_check *c);
static dfl_status check_state(dfl_check *c);
static dfl_status check_moved(dfl_check *c, unsigned state);
static dfl_status three_jacobians(dfl_check *c);
static dfl_status check_directions(dfl_check *c);
static dfl_status check_jacobian(dfl_check *c);
static dfl_status check_autonomous(dfl_check *c);
static dfl_status check_linear(dfl_check *c);
static double curvature(const double *left, const double *middle, const double *right, int count);

dfl_status dfl_system_self_check(dfl_system *sys, dfl_rows_jacobian *jac, dfl_point *point,
                                 dfl_point *work)
{
    const dfl_statistics counters = *sys->stats; /* the check is not part of the integration */
    dfl_check c = {.sys = sys, .jac = jac, .point = point, .work = work, .t0 = point->t};
    dfl_status status = allocate(&c);
    if (!status)
        status = dfl_check_room(&c);
    if (!status)
        status = dfl_check_settle_contact(&c);
    if (!status)
        status = check_state(&c);
    if (!status)
        status = dfl_check_invariants(&c);
    for (unsigned k = 1; !status && k < STATES; k++)
        status = check_moved(&c, k);
    dfl_free(sys->ctx, c.memory);
    *sys->stats = counters;
    return status;
}

double dfl_check_noise(unsigned *seed)
{
    *seed = (*seed * 1664525u + 1013904223u) & 0xffffffffu;
    const double size = 0.5 + 0.5 * (double)((*seed >> 8) & 0xffffu) / 65536;
    return *seed >> 31 ? size : -size;
}

static dfl_status allocate(dfl_check *c)
{
    const dfl_system *sys = c->sys;
    const size_t n = (size_t)sys->n, nv = (size_t)sys->n3, store = (size_t)c->jac->stack.entries;
    const size_t rows = (size_t)(sys->m1 + sys->m2 + sys->m3);
    const size_t written = dfl_check_blocks_size(c);
    c->memory = dfl_alloc(sys->ctx, 2 * n + nv + 3 * rows + written + 3 * store, sizeof(double));
    if (!c->memory)
        return DFL_NO_MEMORY;
    c->x0 = c->memory;
    c->xp = c->x0 + n;
    c->a = c->xp + n;
    c->rate[0] = c->a + nv;
    c->rate[1] = c->rate[0] + rows;
    c->rate[2] = c->rate[1] + rows;
    c->full = c->rate[2] + rows;
    c->own = c->full + written;
    c->fine = c->own + store;
    c->coarse = c->fine + store;
    unsigned seed = STATES;
    for (size_t i = 0; i < nv; i++)
        c->a[i] = dfl_check_noise(&seed);
    if (sys->carried) /* after them the slacks, zero */
        memcpy(c->point->x, c->a, nv * sizeof(double));
    memcpy(c->x0, c->point->x, n * sizeof(double));
    return DFL_OK;
}

dfl_status dfl_check_cannot(dfl_check *c)
{
    const dfl_system *sys = c->sys;
    const dfl_trouble *trouble = &sys->trouble;
    char row[2 * DFL_CHECK_NAME + 8];
    if (c->moved && trouble->outcome != DFL_STEP_STOP) {
        c->refused = true;
        return DFL_CALLBACK;
    }
    if (trouble->outcome != DFL_STEP_NONFINITE)
        return dfl_fail(sys->ctx, DFL_CALLBACK, "self-check: %s fails near the start, t = %g",
                        trouble->callback, trouble->t);
    dfl_system_trouble_name(row, sizeof row, sys);
    return dfl_fail(sys->ctx, DFL_NOT_FINITE,
                    "self-check: %s returns NaN or Inf in %s near the start, t = %g",
                    trouble->callback, row, trouble->t);
}

dfl_status dfl_check_callback_failed(dfl_check *c, int rc, const char *callback)
{
    dfl_system_returned(c->sys, rc, callback, c->point->t);
    return dfl_check_cannot(c);
}

const char *dfl_check_where(const dfl_check *c)
{
    return c->moved ? " (at a state moved from the initial values)" : "";
}

static dfl_status check_state(dfl_check *c)
{
    static dfl_status (*const checks[])(dfl_check *) = {
        dfl_check_flags, three_jacobians, dfl_check_rates,       check_directions,
        dfl_check_bias,  check_jacobian,  dfl_check_multipliers, dfl_check_massless};
    dfl_status status = dfl_check_written(c);
    if (!status && dfl_system_eval_checked(c->sys, c->point))
        status = dfl_check_cannot(c);
    for (size_t k = 0; !status && k < sizeof checks / sizeof *checks; k++)
        status = checks[k](c);
    if (!status && c->sys->eom->autonomous)
        status = check_autonomous(c);
    if (!status && c->sys->eom->linear)
        status = check_linear(c);
    return status;
}

/* x0 moved. Positions stay where formulas may rely on them: s = s(p, t) in contact, ep = 0. */
static void move(dfl_check *c, unsigned seed, double size)
{
    const dfl_system *sys = c->sys;
    const dfl_eom *eom = sys->eom;
    for (int i = sys->na; i < sys->n; i++) {
        const bool position = i >= sys->at.sp, velocity = i >= sys->at.v && !position;
        double most = position ? 0.01 : velocity ? 0.5 : 0.1;
        if (position && (eom->ns > 0 || eom->nep > 0))
            most = 0;
        c->point->x[i] = c->x0[i] + size * most * (1 + fabs(c->x0[i])) * dfl_check_noise(&seed);
    }
    /* with contact variables the time stays as well: s belongs to t0 */
    c->point->t = c->t0 + (eom->autonomous || eom->ns > 0 ? 0 : size * 0.1234);
}

/* The check at a moved state. If the model refuses it, states nearer to x0 are tried, down to a
   sixteenth of the distance. */
static dfl_status check_moved(dfl_check *c, unsigned state)
{
    dfl_status status = DFL_OK;
    c->moved = true;
    for (double size = 1; size > 0.05; size /= 2) {
        c->refused = false;
        move(c, state * 2654435761u, size); /* far apart from the seeds of other states */
        status = check_state(c);
        if (!c->refused)
            return status;
    }
    return DFL_OK;
}

void dfl_check_constraint_name(char *text, size_t size, const dfl_eom *eom, dfl_kind holonomic,
                               int i)
{
    const dfl_kind other = holonomic == DFL_ROW_GII ? DFL_ROW_HI : DFL_ROW_HV;
    dfl_eom_name(text, size, eom, i < eom->nl ? holonomic : other, i < eom->nl ? i : i - eom->nl);
}

static bool all_finite(const double *u, long count)
{
    double sum = 0;
    for (long i = 0; i < count; i++)
        sum += 0 * u[i];
    return sum == 0;
}

/* The stored blocks three times: by callback, by small and by large differences. The last ones stay
   in jac. */
static dfl_status three_jacobians(dfl_check *c)
{
    dfl_system *sys = c->sys;
    dfl_rows_jacobian *jac = c->jac;
    const dfl_eom *eom = sys->eom;
    const double *x = c->point->x + sys->na, t = c->point->t;
    const size_t bytes = (size_t)jac->stack.entries * sizeof(double);
    int rc = 0;
    memset(jac->store, 0, bytes);
    if (eom->jacobian)
        rc = eom->jacobian(&jac->blocks, t, x, sys->geoms ? NULL : c->a, eom->user);
    if (rc)
        return dfl_check_callback_failed(c, rc, "jacobian");
    memcpy(c->own, jac->store, bytes);
    if (dfl_system_differences(jac, sys, t, x, c->a))
        return dfl_check_cannot(c);
    memcpy(c->fine, jac->store, bytes);
    jac->coarse = true;
    if (dfl_system_differences(jac, sys, t, x, c->a))
        memcpy(jac->store, c->fine, bytes); /* out of the model's domain */
    jac->coarse = false;
    memcpy(c->coarse, jac->store, bytes);
    if (c->moved &&
        !(all_finite(c->own, jac->stack.entries) && all_finite(c->fine, jac->stack.entries)))
        return dfl_check_callback_failed(c, 1, "jacobian");
    return DFL_OK;
}

/* The first of rows x columns entries of `u` (rows ldu apart) that is neither the fine nor the
   coarse difference (rows ld apart). One of the two has to agree: near x = 0 the small step is lost
   in the rounding of large terms, and the large step may be too large for the model. */
static bool find_wrong(int *row, int *column, const double *u, int ldu, const double *fine,
                       const double *coarse, int ld, int rows, int columns)
{
    double largest = 1;
    for (int j = 0; j < columns; j++)
        largest = fmax(largest, dfl_max_abs(fine + j * ld, rows));
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) {
            const double own = u[j * ldu + i], d = fine[j * ld + i], e = coarse[j * ld + i];
            const double distance = fmin(fabs(own - d), fabs(own - e));
            if (!(distance <= 1e-4 * fmax(fabs(d), 1e-2 * largest))) {
                *row = i;
                *column = j;
                return true;
            }
        }
    return false;
}

/* W compared with the v-columns of gI and hv. */
static dfl_status check_directions(dfl_check *c)
{
    const dfl_system *sys = c->sys;
    const dfl_eom *eom = sys->eom;
    const int nc = sys->nc, ld = nc + eom->ne;
    const long vel = c->jac->blocks.vel - c->jac->store;
    const double *W = c->point->blocks.W, *fine = c->fine + vel;
    int i, j;
    char row[DFL_CHECK_NAME], v[DFL_CHECK_NAME];
    if (sys->geoms || !find_wrong(&i, &j, W, nc, fine, c->coarse + vel, ld, nc, eom->nv))
        return DFL_OK;
    dfl_check_constraint_name(row, sizeof row, eom, DFL_ROW_GI, i);
    dfl_eom_name(v, sizeof v, eom, DFL_KIND_V, j);
    return dfl_fail(sys->ctx, DFL_INVALID,
                    "self-check: W[%s, %s] = %.6g, but d %s/d %s = %.6g by differences%s", row, v,
                    W[j * nc + i], row, v, fine[j * ld + i], dfl_check_where(c));
}

/* One block of the Jacobian: its rows are of up to three kinds. */
typedef struct derivative {
    const char *name;
    const double *block;
    int first; /* column of the user's x */
    dfl_kind kind[3];
    int rows[3];
} derivative;

static dfl_status compare_derivative(dfl_check *c, const derivative *d)
{
    const dfl_system *sys = c->sys;
    const int rows = d->rows[0] + d->rows[1] + d->rows[2], columns = sys->nu - d->first;
    const long at = d->block - c->jac->store;
    const double *own = c->own + at, *fine = c->fine + at;
    int i, j, k = 0, index;
    char row[DFL_CHECK_NAME], variable[DFL_CHECK_NAME];
    if (!find_wrong(&i, &j, own, rows, fine, c->coarse + at, rows, rows, columns))
        return DFL_OK;
    const int entry = j * rows + i;
    while (k < 2 && i >= d->rows[k])
        i -= d->rows[k++];
    dfl_eom_name(row, sizeof row, sys->eom, d->kind[k], i);
    const dfl_kind kind = dfl_system_variable_kind(sys, sys->na + d->first + j, &index);
    dfl_eom_name(variable, sizeof variable, sys->eom, kind, index);
    return dfl_fail(sys->ctx, DFL_INVALID,
                    "self-check: %s: d %s/d %s is %.6g by the model, %.6g by differences%s",
                    d->name, row, variable, own[entry], fine[entry], dfl_check_where(c));
}

static dfl_status check_jacobian(dfl_check *c)
{
    const dfl_system *sys = c->sys;
    const dfl_eom *eom = sys->eom;
    const dfl_layout at = dfl_eom_layout(eom);
    const dfl_jacobian *b = &c->jac->blocks;
    const int nl = eom->nl, nm = eom->nm;
    const derivative all[] = {
        {"jacobian.d", b->d, 0, {DFL_ROW_D}, {eom->nw}},
        {"jacobian.acc", b->acc, 0, {DFL_ROW_GII, DFL_ROW_HI}, {nl, nm}},
        {"jacobian.vel", b->vel, at.v, {DFL_ROW_GI, DFL_ROW_HV, DFL_ROW_E}, {nl, nm, eom->ne}},
        {"jacobian.gam", b->gam, 0, {DFL_ROW_GAM}, {eom->n0}},
        {"jacobian.pos", b->pos, at.s, {DFL_ROW_C, DFL_ROW_G, DFL_ROW_EP}, {eom->ns, nl, eom->nep}},
        {"jacobian.b", b->b, 0, {DFL_ROW_B}, {eom->nr}},
        {"jacobian.dyn", b->dyn, 0, {DFL_ROW_F}, {eom->nv}},
        {"jacobian.kin", b->kin, at.v, {DFL_ROW_KIN}, {eom->np}}};
    dfl_status status = DFL_OK;
    for (size_t k = 0; !status && eom->jacobian && k < sizeof all / sizeof *all; k++) {
        const bool unused = all[k].block == b->acc   ? sys->psi1
                            : all[k].block == b->kin ? eom->trivial_kinematics
                                                     : false;
        if (!unused)
            status = compare_derivative(c, &all[k]);
    }
    return status;
}

static dfl_status check_autonomous(dfl_check *c)
{
    dfl_system *sys = c->sys;
    const dfl_point *point = c->point;
    dfl_point *work = c->work;
    const int ma = sys->m1 + sys->m2 + sys->m3;
    memcpy(work->x, point->x, (size_t)sys->n * sizeof(double));
    work->t = point->t + 0.7321;
    if (dfl_system_eval_checked(sys, work))
        return dfl_check_cannot(c);
    if (memcmp(work->alg, point->alg, (size_t)ma * sizeof(double)) != 0 ||
        memcmp(work->dif, point->dif, (size_t)sys->mdif * sizeof(double)) != 0)
        return dfl_fail(sys->ctx, DFL_INVALID,
                        "self-check: the model is declared autonomous, but its rows change with t");
    return DFL_OK;
}

/* r(x - d) - 2 r(x) + r(x + d) = 0 for rows that are affine in x. */
static dfl_status check_linear(dfl_check *c)
{
    dfl_system *sys = c->sys;
    const dfl_point *point = c->point;
    dfl_point *work = c->work;
    const int ma = sys->m1 + sys->m2 + sys->m3, n = sys->n;
    double *rows = dfl_alloc(sys->ctx, (size_t)(ma + sys->mdif), sizeof *rows), worst = 0;
    unsigned seed = 77;
    if (!rows)
        return DFL_NO_MEMORY;
    work->t = point->t;
    dfl_status status = DFL_OK;
    for (int side = 0; side < 2 && !status; side++) {
        seed = 77;
        for (int i = 0; i < n; i++)
            work->x[i] =
                point->x[i] + (side ? 1 : -1) * (1 + fabs(point->x[i])) * dfl_check_noise(&seed);
        if (dfl_system_eval_checked(sys, work)) {
            status = dfl_check_cannot(c);
        } else if (side == 0) {
            memcpy(rows, work->alg, (size_t)ma * sizeof *rows);
            memcpy(rows + ma, work->dif, (size_t)sys->mdif * sizeof *rows);
        }
    }
    if (!status)
        worst = fmax(curvature(rows, point->alg, work->alg, ma),
                     curvature(rows + ma, point->dif, work->dif, sys->mdif));
    dfl_free(sys->ctx, rows);
    if (!status && worst > 1e-9)
        status = dfl_fail(sys->ctx, DFL_INVALID,
                          "self-check: the model is declared linear, but its rows are not affine "
                          "in x");
    return status;
}

/* The largest second difference, relative to the values. */
static double curvature(const double *left, const double *middle, const double *right, int count)
{
    double worst = 0;
    for (int i = 0; i < count; i++)
        worst = fmax(worst, fabs(left[i] - 2 * middle[i] + right[i]) /
                                (1 + fabs(left[i]) + fabs(middle[i]) + fabs(right[i])));
    return worst;
}
