/* The rows of the strangeness-free form, evaluated from a user's model (see system.h).

   Sources: GEOMS (12) for the rows; for carried accelerations the saddle system
   [M W^T; W 0] (a, l) = (f, -bias), which never inverts M. */
#include "eom/system.h"
#include "linalg/finite.h"
#include "linalg/linalg.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static dfl_status evaluate_mass(dfl_system *sys, double t, const double *x);
static void set_sizes(dfl_system *sys);
static void subtract_constraint_forces(double *y, const dfl_system *sys, const dfl_point *point);
static inline void eliminate_accelerations(const dfl_system *sys, dfl_point *point, bool subtract);
static void acceleration_rows(double *acc, const dfl_system *sys, const dfl_point *point,
                              const double *a);
static dfl_outcome carried_rows(dfl_system *sys, dfl_point *point);
static dfl_outcome check_product(const double *y, dfl_system *sys, const dfl_point *point);
bool dfl_system_mass_at_points(const dfl_system *sys)
{
    return sys->eom->mass && !sys->eom->residual && !sys->constant;
}

static const char *mass_callback(const dfl_eom *eom);

dfl_status dfl_system_init(dfl_system *sys, dfl_context *ctx, const dfl_eom *eom, bool psi1,
                           dfl_statistics *stats)
{
    const size_t nv = (size_t)eom->nv;
    memset(sys, 0, sizeof *sys);
    sys->ctx = ctx;
    sys->eom = eom;
    sys->psi1 = psi1;
    sys->rounding = DBL_EPSILON;
    sys->geoms = eom->contract == DFL_GEOMS;
    sys->stats = stats;
    sys->nc = eom->nl + eom->nm;
    sys->diagonal = eom->mass_diagonal || (!eom->mass && !eom->mass_times && !eom->residual);
    sys->constant = eom->mass && !eom->residual ? eom->mass_constant : sys->diagonal;
    sys->carried = !psi1 && !sys->geoms; /* room for the larger decision */
    set_sizes(sys);
    sys->M = dfl_alloc(ctx, nv * nv, sizeof(double));
    sys->M_inv = dfl_alloc(ctx, nv, sizeof(double));
    sys->seed = dfl_alloc(ctx, nv, sizeof(double));
    sys->product = dfl_alloc(ctx, nv, sizeof(double));
    return sys->M && sys->M_inv && sys->seed && sys->product ? DFL_OK : DFL_NO_MEMORY;
}

void dfl_system_ask(dfl_system *sys, bool psi1, dfl_wishes wishes)
{
    sys->psi1 = psi1;
    sys->wishes = wishes;
    sys->carried = !psi1 && !sys->geoms;
    set_sizes(sys);
}

void dfl_system_clear(dfl_system *sys)
{
    dfl_free(sys->ctx, sys->M);
    dfl_free(sys->ctx, sys->M_inv);
    dfl_free(sys->ctx, sys->seed);
    dfl_free(sys->ctx, sys->product);
}

static void set_sizes(dfl_system *sys)
{
    const dfl_eom *eom = sys->eom;
    const dfl_layout at = dfl_eom_layout(eom);
    sys->na = sys->carried ? eom->nv + eom->n0 : sys->wishes.leading;
    sys->leading_a = sys->carried || sys->wishes.leading_a;
    sys->nu = at.n;
    sys->n = sys->na + at.n;
    sys->n1 = sys->na + at.r;
    sys->n2 = eom->nr;
    sys->n3 = eom->nv;
    sys->n4 = eom->ns + eom->np;
    sys->off_l = sys->na + at.lambda;
    sys->off_r = sys->na + at.r;
    sys->off_v = sys->na + at.v;
    sys->off_sp = sys->na + at.s;
    sys->off_p = sys->na + at.p;
    sys->row_d = sys->carried ? sys->na : 0;
    sys->row_acc = sys->row_d + eom->nw;
    sys->m1 = sys->row_acc + (sys->psi1 ? 0 : sys->nc);
    sys->row_gam = sys->m1 + sys->nc;
    sys->row_e = sys->row_gam + eom->n0;
    sys->m2 = sys->nc + eom->n0 + eom->ne;
    sys->m3 = eom->ns + eom->nl + eom->nep;
    sys->mdif = eom->nr + eom->nv + eom->np;
    sys->bare = !sys->geoms && !eom->residual;
    sys->eliminated = !sys->carried && !sys->psi1 && !sys->geoms;
    sys->need = DFL_EVERYTHING;
    if (sys->geoms)
        sys->need &= ~(unsigned)DFL_DIRECTIONS;
    if ((sys->psi1 && !sys->wishes.bias) || eom->no_bias)
        sys->need &= ~(unsigned)DFL_BIAS;
    if (eom->residual)
        sys->need &= ~(unsigned)DFL_FORCE;
    if (eom->trivial_kinematics)
        sys->need &= ~(unsigned)DFL_KINEMATICS;
}

dfl_status dfl_system_decide(dfl_system *sys, double t, const double *x, bool carry)
{
    const dfl_eom *eom = sys->eom;
    bool invertible = sys->diagonal;
    if (sys->constant || invertible) {
        dfl_status status = evaluate_mass(sys, t, x);
        if (status)
            return status;
    }
    for (int i = 0; invertible && i < eom->nv; i++) {
        sys->M_inv[i] = 1 / sys->M[i];
        invertible = sys->M[i] > 0;
    }
    sys->carried =
        !sys->psi1 && !sys->geoms && (carry || sys->wishes.carry || !invertible || eom->n0 > 0);
    set_sizes(sys);
    return DFL_OK;
}

static dfl_status evaluate_mass(dfl_system *sys, double t, const double *x)
{
    const dfl_eom *eom = sys->eom;
    const size_t count = sys->diagonal ? (size_t)eom->nv : (size_t)eom->nv * (size_t)eom->nv;
    dfl_outcome outcome = dfl_system_mass(sys->M, sys, t, x);
    if (outcome)
        return dfl_fail(sys->ctx, DFL_CALLBACK, "mass failed at the start, t = %g", t);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(sys->M[i]))
            return dfl_fail(sys->ctx, DFL_NOT_FINITE, "entry %zu of the mass matrix is %g", i,
                            sys->M[i]);
    return DFL_OK;
}

dfl_status dfl_point_init(dfl_point *point, const dfl_system *sys)
{
    return dfl_points_init(point, 1, sys);
}

dfl_status dfl_points_init(dfl_point *points, int count, const dfl_system *sys)
{
    const size_t nv = (size_t)sys->eom->nv, nc = (size_t)sys->nc;
    const size_t size[] = {(size_t)sys->n,
                           (size_t)(sys->m1 + sys->m2 + sys->m3),
                           (size_t)sys->mdif,
                           nv,
                           nv * nv,
                           nc * nv,
                           (size_t)sys->eom->n0 * nv,
                           nc};
    size_t each = 0;
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        each += size[i];
    memset(points, 0, (size_t)count * sizeof *points);
    double *at = dfl_alloc(sys->ctx, (size_t)count * each, sizeof(double));
    if (!at)
        return DFL_NO_MEMORY;
    for (int k = 0; k < count; k++) {
        dfl_point *point = &points[k];
        double **const part[] = {&point->x,         &point->alg,        &point->dif,
                                 &point->a,         &point->M,          &point->blocks.W,
                                 &point->blocks.K0, &point->blocks.bias};
        for (size_t i = 0; i < sizeof part / sizeof *part; at += size[i++])
            *part[i] = at;
    }
    return DFL_OK;
}

void dfl_point_bind(dfl_point *point, const dfl_system *sys)
{
    const dfl_eom *eom = sys->eom;
    dfl_blocks *blocks = &point->blocks;
    double *vel = point->alg + sys->m1, *pos = vel + sys->m2;
    blocks->b = point->dif;
    blocks->f = blocks->b + eom->nr;
    blocks->kin = eom->trivial_kinematics ? point->x + sys->off_v : blocks->f + eom->nv;
    blocks->d = point->alg + sys->row_d;
    blocks->gI = vel;
    blocks->hv = vel + eom->nl;
    blocks->gam = point->alg + sys->row_gam;
    blocks->e = point->alg + sys->row_e;
    blocks->c = pos;
    blocks->g = pos + eom->ns;
    blocks->ep = blocks->g + eom->nl;
}

void dfl_point_clear(dfl_point *point, dfl_context *ctx)
{
    dfl_free(ctx, point->x); /* the first part of the whole */
}

static inline dfl_outcome call_eval(dfl_system *sys, dfl_point *point, unsigned need)
{
    const dfl_eom *eom = sys->eom;
    const int rc =
        eom->eval(&point->blocks, point->t, point->x + sys->na, need & sys->need, eom->user);
    return rc ? dfl_system_trouble(sys, rc > 0 ? DFL_STEP_RETRY : DFL_STEP_STOP, "eval", point->t)
              : DFL_STEP_OK;
}

dfl_outcome dfl_system_eval(dfl_system *sys, dfl_point *point)
{
    dfl_outcome outcome = dfl_system_call(sys, point, 1);
    return outcome ? outcome : dfl_system_finish(sys, point);
}

dfl_outcome dfl_system_call(dfl_system *sys, dfl_point *points, int count)
{
    const dfl_eom *eom = sys->eom;
    const dfl_eval_fn eval = eom->eval;
    const int na = sys->na;
    const unsigned need = sys->need;
    void *const user = eom->user;
    dfl_point *point = points, *const end = points + count;
    int rc = 0;
    while (!rc && point < end) {
        rc = eval(&point->blocks, point->t, point->x + na, need, user);
        point++;
    }
    sys->stats->evaluations += point - points;
    if (rc)
        return dfl_system_trouble(sys, rc > 0 ? DFL_STEP_RETRY : DFL_STEP_STOP, "eval",
                                  point[-1].t);
    dfl_outcome outcome = DFL_STEP_OK;
    for (point = points; dfl_system_mass_at_points(sys) && !outcome && point < end; point++)
        outcome = dfl_system_mass(point->M, sys, point->t, point->x + na);
    return outcome;
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
        memcpy(point->alg + sys->row_acc, point->blocks.bias, (size_t)sys->nc * sizeof(double));
    return DFL_STEP_OK;
}

dfl_outcome dfl_system_eval_checked(dfl_system *sys, dfl_point *point)
{
    dfl_outcome outcome = dfl_system_eval(sys, point);
    return outcome ? outcome : dfl_system_check_finite(sys, point);
}

/* y -= W^T (l, m) */
static void subtract_constraint_forces(double *y, const dfl_system *sys, const dfl_point *point)
{
    const int nc = sys->nc, nv = sys->n3;
    const double *W = point->blocks.W, *l = point->x + sys->off_l;
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
    for (int j = 0; j < nv; j++, W += nc)
        for (int i = 0; i < nc; i++)
            acc[i] += W[i] * a[j];
}

/* f_dyn = f - W^T (l, m) if it is still to be formed, a = M^-1 f_dyn with diagonal M, and
   gII, hI = W a + bias, in one pass through W. `nc` and `subtract` may be constants for the compiler. */
static inline __attribute__((always_inline)) void eliminate(int nc, const dfl_system *sys,
                                                            dfl_point *point, bool subtract)
{
    const bool constant = sys->constant;
    const double *M = constant ? sys->M_inv : point->M;
    const double *W = point->blocks.W, *l = point->x + sys->off_l;
    double *restrict f = point->blocks.f, *restrict a = point->a;
    double *restrict acc = point->alg + sys->row_acc;
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

/* One and two constraints, beside which little else costs time, have loops of their own. */
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
    const int nv = sys->n3, n0 = sys->eom->n0;
    const double *K0 = point->blocks.K0;
    const double *a = point->x, *sigma = point->x + nv;
    double *rows = point->alg;
    dfl_outcome outcome = dfl_system_dynamics(rows, sys, point, a);
    if (outcome)
        return outcome;
    memcpy(point->a, a, (size_t)nv * sizeof *a);
    for (int k = 0; k < n0; k++) {
        double sum = 0;
        for (int i = 0; i < nv; i++) {
            rows[i] -= K0[k * nv + i] * sigma[k];
            sum += K0[k * nv + i] * a[i];
        }
        rows[nv + k] = sum;
    }
    acceleration_rows(point->alg + sys->row_acc, sys, point, a);
    return DFL_STEP_OK;
}

dfl_outcome dfl_system_mass_product(double *y, dfl_system *sys, const dfl_point *point,
                                    const double *v)
{
    const dfl_eom *eom = sys->eom;
    const int nv = eom->nv;
    const double *M = sys->constant ? sys->M : point->M;
    if (eom->mass_times) {
        sys->stats->mass_evaluations++;
        const int rc = eom->mass_times(y, point->t, point->x + sys->na, v, eom->user);
        if (rc)
            return dfl_system_trouble(sys, rc > 0 ? DFL_STEP_RETRY : DFL_STEP_STOP, "mass_times",
                                      point->t);
    } else if (sys->diagonal) {
        for (int i = 0; i < nv; i++)
            y[i] = M[i] * v[i];
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
            return dfl_system_trouble(sys, rc > 0 ? DFL_STEP_RETRY : DFL_STEP_STOP, "residual",
                                      point->t);
        for (int i = 0; i < nv; i++)
            y[i] = -y[i];
        subtract_constraint_forces(y, sys, point);
        return check_product(y, sys, point);
    }
    dfl_outcome outcome = dfl_system_mass_product(y, sys, point, vp);
    for (int i = 0; i < nv; i++)
        y[i] = point->blocks.f[i] - y[i];
    return outcome ? outcome : check_product(y, sys, point);
}

static const char *mass_callback(const dfl_eom *eom)
{
    return eom->mass         ? "mass"
           : eom->mass_times ? "mass_times"
           : eom->residual   ? "residual"
                             : "eval";
}

/* Column j of M from products: M e_j, or residual(e_j) - residual(0). */
static int mass_column(double *column, dfl_system *sys, double t, const double *x, int j)
{
    const dfl_eom *eom = sys->eom;
    const int nv = eom->nv;
    memset(sys->seed, 0, (size_t)nv * sizeof(double));
    sys->seed[j] = 1;
    sys->stats->mass_evaluations++;
    if (eom->mass_times)
        return eom->mass_times(column, t, x, sys->seed, eom->user);
    int rc = eom->residual(column, t, x, sys->seed, eom->user);
    for (int i = 0; i < nv; i++)
        column[i] -= sys->product[i];
    return rc;
}

dfl_outcome dfl_system_mass(double *M, dfl_system *sys, double t, const double *x)
{
    const dfl_eom *eom = sys->eom;
    const int nv = eom->nv;
    int rc = 0;
    if (eom->mass) {
        const size_t count = eom->mass_diagonal ? (size_t)nv : (size_t)nv * (size_t)nv;
        memset(M, 0, count * sizeof *M);
        sys->stats->mass_evaluations++;
        rc = eom->mass(M, t, x, eom->user);
    } else if (eom->mass_times || eom->residual) {
        memset(sys->seed, 0, (size_t)nv * sizeof(double));
        if (eom->residual)
            rc = eom->residual(sys->product, t, x, sys->seed, eom->user);
        for (int j = 0; !rc && j < nv; j++)
            rc = mass_column(M + (size_t)j * (size_t)nv, sys, t, x, j);
    } else {
        for (int i = 0; i < nv; i++)
            M[i] = 1;
    }
    if (rc)
        return dfl_system_trouble(sys, rc > 0 ? DFL_STEP_RETRY : DFL_STEP_STOP, mass_callback(eom),
                                  t);
    return DFL_STEP_OK;
}

/* Looks for a non-finite entry and, if there is one, names its row in the trouble. */
static bool name_entry(dfl_system *sys, const char *matrix, dfl_kind kind, const double *entry,
                       int rows, int columns)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            if (!isfinite(entry[j * rows + i])) {
                sys->trouble.matrix = matrix;
                sys->trouble.kind = kind;
                sys->trouble.index = i;
                return true;
            }
    return false;
}

/* Names what is not finite at a point: matrices first, since rows contain them. */
static bool name_nonfinite(dfl_system *sys, const dfl_point *point)
{
    const dfl_eom *eom = sys->eom;
    const dfl_blocks *b = &point->blocks;
    const int nl = eom->nl;
    dfl_trouble *trouble = &sys->trouble;
    if (!sys->geoms && name_entry(sys, "W", DFL_ROW_GI, b->W, sys->nc, eom->nv)) {
        if (trouble->index >= nl)
            trouble->kind = DFL_ROW_HV, trouble->index -= nl;
        return true;
    }
    if (!sys->geoms && name_entry(sys, "K0", DFL_ROW_F, b->K0, eom->nv, eom->n0))
        return true;
    if (name_entry(sys, NULL, DFL_ROW_B, b->b, eom->nr, 1) ||
        name_entry(sys, NULL, DFL_ROW_F, b->f, eom->residual ? 0 : eom->nv, 1) ||
        name_entry(sys, NULL, DFL_ROW_KIN, b->kin, eom->np, 1))
        return true;
    if (dfl_system_mass_at_points(sys) &&
        name_entry(sys, "M", DFL_ROW_F, point->M, eom->nv, eom->mass_diagonal ? 1 : eom->nv)) {
        trouble->callback = "mass";
        return true;
    }
    return false;
}

/* The sum of nv rows  f_dyn - M v'  tells whether all are finite. */
static dfl_outcome check_product(const double *y, dfl_system *sys, const dfl_point *point)
{
    double sum = 0;
    for (int i = 0; i < sys->n3; i++)
        sum += 0 * y[i];
    if (sum == 0)
        return DFL_STEP_OK;
    dfl_outcome outcome = dfl_system_trouble(sys, DFL_STEP_NONFINITE, "eval", point->t);
    if (!name_nonfinite(sys, point) && name_entry(sys, NULL, DFL_ROW_F, y, sys->n3, 1))
        sys->trouble.callback = mass_callback(sys->eom);
    return outcome;
}

dfl_outcome dfl_system_check_finite(dfl_system *sys, const dfl_point *point)
{
    const int ma = sys->m1 + sys->m2 + sys->m3;
    const int entries = sys->diagonal ? sys->n3 : sys->n3 * sys->n3;
    const bool mass = dfl_system_mass_at_points(sys); /* in psi1 no row contains it */
    if (is_finite(point->alg, ma) && is_finite(point->dif, sys->mdif) &&
        is_finite(point->M, mass ? entries : 0))
        return DFL_STEP_OK;
    dfl_outcome outcome = dfl_system_trouble(sys, DFL_STEP_NONFINITE, "eval", point->t);
    if (name_nonfinite(sys, point))
        return outcome;
    for (int i = ma - 1; i >= 0; i--)
        if (!isfinite(point->alg[i]))
            sys->trouble.kind = dfl_system_alg_kind(sys, i, &sys->trouble.index);
    return outcome;
}

void dfl_system_trouble_name(char *text, size_t size, const dfl_system *sys)
{
    const dfl_trouble *trouble = &sys->trouble;
    char row[64];
    dfl_eom_name(row, sizeof row, sys->eom, trouble->kind, trouble->index);
    if (trouble->matrix)
        snprintf(text, size, "%s, row %s", trouble->matrix, row);
    else
        snprintf(text, size, "%s", row);
}

dfl_kind dfl_system_alg_kind(const dfl_system *sys, int row, int *index)
{
    const dfl_eom *eom = sys->eom;
    const int psf = !sys->psi1;
    const struct {
        int size;
        dfl_kind kind;
    } part[] = {{sys->carried ? eom->nv : 0, DFL_ROW_F},
                {sys->carried ? eom->n0 : 0, DFL_ROW_GAM},
                {eom->nw, DFL_ROW_D},
                {psf * eom->nl, DFL_ROW_GII},
                {psf * eom->nm, DFL_ROW_HI},
                {eom->nl, DFL_ROW_GI},
                {eom->nm, DFL_ROW_HV},
                {eom->n0, DFL_ROW_GAM},
                {eom->ne, DFL_ROW_E},
                {eom->ns, DFL_ROW_C},
                {eom->nl, DFL_ROW_G},
                {eom->nep, DFL_ROW_EP}};
    size_t k = 0;
    while (k + 1 < sizeof part / sizeof *part && row >= part[k].size)
        row -= part[k++].size;
    *index = row;
    return part[k].kind;
}

dfl_kind dfl_system_variable_kind(const dfl_system *sys, int column, int *index)
{
    const dfl_eom *eom = sys->eom;
    const int size[] = {eom->nw, eom->nl, eom->nm, eom->nr, eom->nv, eom->ns, eom->np};
    int k = 0;
    column -= sys->na;
    while (k < 6 && column >= size[k])
        column -= size[k++];
    *index = column;
    return (dfl_kind)(DFL_KIND_W + k);
}

dfl_outcome dfl_system_trouble(dfl_system *sys, dfl_outcome outcome, const char *callback, double t)
{
    sys->trouble = (dfl_trouble){.outcome = outcome, .callback = callback, .t = t};
    return outcome;
}

dfl_outcome dfl_system_part_trouble(dfl_system *sys, dfl_outcome outcome, dfl_failure part,
                                    double t)
{
    static const char *const name[] = {
        [DFL_FAILURE_POSITION] = "the position constraints",
        [DFL_FAILURE_VELOCITY] = "the velocity constraints",
        [DFL_FAILURE_MULTIPLIERS] =
            "the matrix of accelerations, multipliers and auxiliary variables",
        [DFL_FAILURE_NEWTON_MATRIX] = "the Newton matrix"};
    dfl_system_trouble(sys, outcome, name[part], t);
    sys->trouble.part = part;
    return outcome;
}
