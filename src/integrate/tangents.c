/* tangents.c: derivatives of a trajectory by parameters, step by step.

   The stages of Radau IIA satisfy F(X_i, X'_i, theta) = 0. Their derivatives satisfy the same equations,
   linearized at the stages: K Y = rhs with the exact Jacobians of all stages. The matrix of Newton's
   iteration is an approximation of K for which a factorization exists already, so

       Y <- Y - K~^-1 (K Y - rhs)

   converges as fast as Newton's iteration did. */
#include "integrate/radau.h"
#include "linalg/linalg.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 40 };

struct dfl_tangents {
    dfl_parameters parameters;
    dfl_system *sys;
    int count, stages;
    struct {
        const dfl_coefficients *rk;
        double t, h;             /* its start and size; h = 0: none */
    } step;                      /* the one whose derivatives are in `next` */
    double *next, *next_A;       /* n x count, nv x count: at its end */
    double *polynomial;          /* count times n lanes: Z */
    dfl_point start;             /* where it begins ... */
    dfl_rows_jacobian start_jac; /* ... with all derivatives, for the error */
    dfl_jacobian start_slopes;
    double *y, *err;                         /* n each */
    double *Y;                               /* n x count */
    double *A;                               /* nv x count: of accelerations */
    double *level;                           /* (ne + nep) x count: of the invariants' values */
    dfl_point stage[DFL_RADAU_STAGES];       /* of the step ... */
    dfl_rows_jacobian jac[DFL_RADAU_STAGES]; /* ... with all derivatives */
    dfl_jacobian slopes[DFL_RADAU_STAGES];
    dfl_point tangent[DFL_RADAU_STAGES]; /* of one parameter */
    double *Z, *W, *dW, *dZ, *YP, *XP;   /* lanes of one parameter */
    double *rows;
};

static dfl_outcome linearize(dfl_point *stage, dfl_rows_jacobian *jac, dfl_jacobian *slopes,
                             dfl_tangents *tan);
static dfl_outcome follow(bool *converged, dfl_tangents *tan, dfl_radau *ra, int column);
static dfl_outcome estimate(double *err, dfl_tangents *tan, dfl_radau *ra, int column);
static dfl_outcome factor_anew(dfl_tangents *tan, dfl_radau *ra);
static bool complete(dfl_tangents *tan, int column, dfl_lstsq *lstsq, double *work);
static void shift_levels(dfl_point *point, const dfl_tangents *tan, int column);

dfl_status dfl_tangents_create(dfl_tangents **out, dfl_stepper *st,
                               const dfl_parameters *parameters)
{
    dfl_system *sys = st->sys;
    dfl_context *ctx = sys->ctx;
    const int stages = ((dfl_radau *)st)->max_stages;
    const size_t n = (size_t)sys->n, count = (size_t)parameters->count, d = sizeof(double);
    const size_t width = (size_t)dfl_lanes_width(stages);
    dfl_tangents *tan = *out = dfl_alloc(ctx, 1, sizeof *tan);
    if (!tan)
        return DFL_NO_MEMORY;
    tan->parameters = *parameters;
    tan->sys = sys;
    tan->count = parameters->count;
    tan->stages = stages;
    double **const lanes[] = {&tan->Z, &tan->W, &tan->dW, &tan->dZ, &tan->YP, &tan->XP};
    dfl_status status = dfl_points_init(tan->stage, stages, sys);
    if (!status)
        status = dfl_points_init(tan->tangent, stages, sys);
    for (int k = 0; !status && k < stages; k++) {
        dfl_point_bind(&tan->stage[k], sys);
        dfl_point_bind(&tan->tangent[k], sys);
        status = dfl_rows_jacobian_init(&tan->jac[k], sys);
        if (!status)
            status = dfl_parameter_slopes_init(&tan->slopes[k], sys, tan->count);
        if (!status)
            dfl_rows_jacobian_bind(&tan->jac[k], sys);
    }
    for (size_t i = 0; !status && i < sizeof lanes / sizeof *lanes; i++)
        if (!(*lanes[i] = dfl_alloc(ctx, n * width, d)))
            status = DFL_NO_MEMORY;
    if (!status)
        status = dfl_point_init(&tan->start, sys);
    if (!status)
        status = dfl_rows_jacobian_init(&tan->start_jac, sys);
    if (!status)
        status = dfl_parameter_slopes_init(&tan->start_slopes, sys, tan->count);
    if (!status) {
        dfl_point_bind(&tan->start, sys);
        dfl_rows_jacobian_bind(&tan->start_jac, sys);
    }
    tan->next = dfl_alloc(ctx, n * count, d);
    tan->next_A = dfl_alloc(ctx, (size_t)sys->n3 * count, d);
    tan->polynomial = dfl_alloc(ctx, n * width * count, d);
    tan->y = dfl_alloc(ctx, n, d);
    tan->err = dfl_alloc(ctx, n, d);
    if (!tan->next || !tan->next_A || !tan->polynomial || !tan->y || !tan->err)
        status = DFL_NO_MEMORY;
    tan->Y = dfl_alloc(ctx, n * count, d);
    tan->A = dfl_alloc(ctx, (size_t)sys->n3 * count, d);
    tan->level = dfl_alloc(ctx, (size_t)(sys->eom->ne + sys->eom->nep) * count, d);
    tan->rows = dfl_alloc(ctx, (size_t)dfl_formulation_room(st->form) * width, d);
    if (!status && !(tan->Y && tan->A && tan->level && tan->rows))
        status = DFL_NO_MEMORY;
    if (status) {
        dfl_tangents_free(tan);
        *out = NULL;
    }
    return status;
}

void dfl_tangents_free(dfl_tangents *tan)
{
    if (!tan)
        return;
    dfl_context *ctx = tan->sys->ctx;
    double *const block[] = {tan->Y,  tan->A,    tan->level,      tan->Z,
                             tan->W,  tan->dW,   tan->dZ,         tan->YP,
                             tan->XP, tan->rows, tan->next,       tan->next_A,
                             tan->y,  tan->err,  tan->polynomial, tan->start_slopes.d};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(ctx, block[i]);
    for (int k = 0; k < tan->stages; k++) {
        dfl_rows_jacobian_clear(&tan->jac[k], ctx);
        dfl_free(ctx, tan->slopes[k].d);
    }
    dfl_rows_jacobian_clear(&tan->start_jac, ctx);
    dfl_point_clear(&tan->start, ctx);
    dfl_point_clear(&tan->stage[0], ctx);
    dfl_point_clear(&tan->tangent[0], ctx);
    dfl_free(ctx, tan);
}

const double *dfl_tangents_values(const dfl_tangents *tan)
{
    return tan->Y;
}

const double *dfl_tangents_accelerations(const dfl_tangents *tan)
{
    return tan->A;
}

int dfl_tangents_count(const dfl_tangents *tan)
{
    return tan->count;
}

/* Writes the derivatives at stage k to Y and A. */
static void keep(double *Y, double *A, dfl_tangents *tan, int k, int column)
{
    const size_t n = (size_t)tan->sys->n, nv = (size_t)tan->sys->n3;
    dfl_point *y = &tan->tangent[k];
    dfl_rows_tangent(y, &tan->jac[k], tan->sys, &tan->slopes[k], column);
    memcpy(Y + (size_t)column * n, y->x, n * sizeof *y->x);
    memcpy(A + (size_t)column * nv, y->a, nv * sizeof *y->a);
}

/* ---- the start ---- */

dfl_outcome dfl_tangents_start(dfl_tangents *tan, dfl_stepper *st, const double *start)
{
    const dfl_system *sys = tan->sys;
    const int n = sys->n, nu = sys->nu, most = n > sys->m1 ? n : sys->m1;
    memset(tan->level, 0,
           (size_t)(sys->eom->ne + sys->eom->nep) * (size_t)tan->count * sizeof *tan->level);
    tan->stage[0].t = st->here.t;
    memcpy(tan->stage[0].x, st->here.x, (size_t)n * sizeof *st->here.x);
    tan->step.h = 0;
    dfl_outcome outcome = linearize(&tan->stage[0], &tan->jac[0], &tan->slopes[0], tan);
    if (outcome)
        return outcome;
    dfl_lstsq *lstsq = NULL;
    double *work = dfl_alloc(sys->ctx, (size_t)most * (size_t)(most + 2), sizeof *work);
    if (!work || dfl_lstsq_create(&lstsq, sys->ctx, most, most)) {
        dfl_free(sys->ctx, work);
        return dfl_system_trouble(tan->sys, DFL_STEP_STOP, "the memory of derivatives", st->t);
    }
    bool solved = true;
    for (int j = 0; solved && j < tan->count; j++) {
        double *y = tan->Y + (size_t)j * (size_t)n;
        memset(y, 0, (size_t)n * sizeof *y);
        memcpy(y + sys->na, start + (size_t)j * (size_t)nu, (size_t)nu * sizeof *y);
        solved = complete(tan, j, lstsq, work);
    }
    dfl_lstsq_free(lstsq, sys->ctx);
    dfl_free(sys->ctx, work);
    return solved ? DFL_STEP_OK
                  : dfl_system_trouble(tan->sys, DFL_STEP_NONFINITE, "jacobian", st->t);
}

/* Changes unknowns first .. first + columns - 1 of the tangent by the least change such that rows
   row .. row + rows - 1 of a block with leading dimension ld vanish. */
static bool correct(dfl_tangents *tan, int column, const double *J, int ld, int rows, int first,
                    int columns, const double *residual, dfl_lstsq *lstsq, double *work)
{
    double *A = work, *b = work + (size_t)rows * (size_t)columns, *change = b + rows;
    double *x = tan->tangent[0].x + first;
    if (rows == 0 || columns == 0)
        return true;
    for (int j = 0; j < columns; j++)
        memcpy(A + (size_t)j * (size_t)rows, J + (size_t)j * (size_t)ld, (size_t)rows * sizeof *A);
    memcpy(b, residual, (size_t)rows * sizeof *b);
    if (!dfl_lstsq_solve(change, lstsq, rows, columns, A, b, 1e-11, NULL))
        return false;
    for (int i = 0; i < columns; i++)
        x[i] -= change[i];
    dfl_rows_tangent(&tan->tangent[0], &tan->jac[0], tan->sys, &tan->slopes[0], column);
    return true;
}

/* Positions and s from c and g, velocities from gI and hv, then a, w and multipliers from block 1. The
   invariants keep what they have then. */
static bool complete(dfl_tangents *tan, int column, dfl_lstsq *lstsq, double *work)
{
    const dfl_system *sys = tan->sys;
    const dfl_eom *eom = sys->eom;
    const int n = sys->n;
    dfl_point *y = &tan->tangent[0];
    const double *vel = y->alg + sys->m1, *pos = vel + sys->m2;
    memcpy(y->x, tan->Y + (size_t)column * (size_t)n, (size_t)n * sizeof *y->x);
    dfl_rows_tangent(y, &tan->jac[0], sys, &tan->slopes[0], column);
    if (!correct(tan, column, tan->jac[0].J3, sys->m3, eom->ns + eom->nl, sys->at.sp, sys->n4, pos,
                 lstsq, work) ||
        !correct(tan, column, tan->jac[0].J2 + (size_t)sys->at.v * (size_t)sys->m2, sys->m2,
                 sys->nc, sys->at.v, sys->n3, vel, lstsq, work) ||
        !correct(tan, column, tan->jac[0].J1, sys->m1, sys->m1, 0, sys->n1, y->alg, lstsq, work))
        return false;
    keep(tan->Y, tan->A, tan, 0, column);
    double *level = tan->level + (size_t)column * (size_t)(eom->ne + eom->nep);
    memcpy(level, y->blocks.e, (size_t)eom->ne * sizeof *level);
    memcpy(level + eom->ne, y->blocks.ep, (size_t)eom->nep * sizeof *level);
    return true;
}

/* ---- a step ---- */

/* Everything at a point whose t and x are set. */
static dfl_outcome linearize(dfl_point *stage, dfl_rows_jacobian *jac, dfl_jacobian *slopes,
                             dfl_tangents *tan)
{
    dfl_system *sys = tan->sys;
    dfl_outcome outcome = dfl_system_eval_checked(sys, stage);
    if (!outcome)
        outcome = dfl_system_jacobian(jac, sys, stage->t, stage->x, stage->a);
    if (outcome)
        return outcome;
    dfl_parameter_slopes_zero(slopes, sys, tan->count);
    if (!tan->parameters.slopes)
        return DFL_STEP_OK;
    const int rc = tan->parameters.slopes(slopes, stage->t, stage->x + sys->na, stage->a,
                                          tan->parameters.user);
    return rc ? dfl_system_returned(sys, rc, "slopes", stage->t) : DFL_STEP_OK;
}

/* Linearizes at the stages x + Z of the step that begins at `x`. */
static dfl_outcome linearize_stages(dfl_tangents *tan, const double *x, const double *Z)
{
    const dfl_system *sys = tan->sys;
    const dfl_coefficients *rk = tan->step.rk;
    const int n = sys->n, width = rk->width;
    dfl_outcome outcome = DFL_STEP_OK;
    for (int k = 0; !outcome && k < rk->stages; k++) {
        dfl_point *stage = &tan->stage[k], *tangent = &tan->tangent[k];
        stage->t = tangent->t = tan->step.t + rk->c[k] * tan->step.h;
        for (int i = 0; i < n; i++)
            stage->x[i] = x[i] + Z[i * width + k];
        outcome = linearize(stage, &tan->jac[k], &tan->slopes[k], tan);
        memcpy(tangent->M, stage->M, dfl_system_mass_entries(sys) * sizeof *tangent->M);
        memcpy(tangent->blocks.W, stage->blocks.W,
               (size_t)sys->nc * (size_t)sys->n3 * sizeof *stage->blocks.W);
    }
    return outcome;
}

dfl_outcome dfl_tangents_attempt(double *err, dfl_tangents *tan, dfl_stepper *st, double h)
{
    dfl_radau *ra = (dfl_radau *)st;
    bool converged = true;
    tan->step.rk = ra->rk;
    tan->step.t = st->t;
    tan->step.h = h;
    *err = 0;
    dfl_outcome outcome = linearize_stages(tan, st->here.x, ra->Z);
    if (!outcome) {
        tan->start.t = st->t;
        memcpy(tan->start.x, st->here.x, (size_t)tan->sys->n * sizeof *st->here.x);
        outcome = linearize(&tan->start, &tan->start_jac, &tan->start_slopes, tan);
    }
    for (int j = 0; !outcome && converged && j < tan->count; j++) {
        double one = 0;
        outcome = follow(&converged, tan, ra, j);
        if (!outcome && converged)
            outcome = estimate(&one, tan, ra, j);
        *err = fmax(*err, converged ? one : 100);
    }
    return outcome;
}

/* The derivatives of the step that was accepted last, if they are not those of the last attempt: one that
   was to end earlier, and failed. */
static dfl_outcome follow_again(bool *converged, dfl_tangents *tan, dfl_radau *ra)
{
    const dfl_stepper *st = &ra->base;
    const int n = tan->sys->n, last = ra->rk_cont->stages - 1, width = ra->rk_cont->width;
    tan->step.rk = ra->rk_cont;
    tan->step.h = st->h_old;
    tan->step.t = ra->t_end - st->h_old;
    for (int i = 0; i < n; i++)
        tan->y[i] = ra->x_end[i] - ra->cont[i * width + last];
    dfl_outcome outcome = linearize_stages(tan, tan->y, ra->cont);
    if (!outcome)
        outcome = factor_anew(tan, ra);
    for (int j = 0; !outcome && *converged && j < tan->count; j++)
        outcome = follow(converged, tan, ra, j);
    return outcome;
}

dfl_outcome dfl_tangents_accept(bool *converged, dfl_tangents *tan, dfl_stepper *st, double t)
{
    dfl_radau *ra = (dfl_radau *)st;
    const size_t n = (size_t)tan->sys->n, nv = (size_t)tan->sys->n3, count = (size_t)tan->count;
    double l[DFL_RADAU_STAGES];
    *converged = true;
    if (tan->step.h != st->h_old || tan->step.t != ra->t_end - st->h_old) {
        const bool same = tan->step.h == st->h_old &&
                          fabs(tan->step.t + tan->step.h - ra->t_end) <= 1e-9 * fabs(st->h_old);
        const dfl_outcome outcome = same ? DFL_STEP_OK : follow_again(converged, tan, ra);
        if (outcome || !*converged)
            return outcome;
    }
    if (t == st->t) {
        memcpy(tan->Y, tan->next, n * count * sizeof *tan->Y);
        memcpy(tan->A, tan->next_A, nv * count * sizeof *tan->A);
        return DFL_STEP_OK;
    }
    dfl_coefficients_basis(l, tan->step.rk, (t - tan->step.t) / tan->step.h);
    for (size_t j = 0; j < count; j++) {
        dfl_lanes_combine(tan->y, tan->step.rk->stages, l, (int)n,
                          tan->polynomial + j * n * (size_t)tan->step.rk->width);
        for (size_t i = 0; i < n; i++)
            tan->Y[j * n + i] += tan->y[i];
    }
    return DFL_STEP_OK;
}

/* The matrix for the step, with the derivatives at its middle stage. */
static dfl_outcome factor_anew(dfl_tangents *tan, dfl_radau *ra)
{
    dfl_stepper *st = &ra->base;
    const dfl_coefficients *rk = tan->step.rk;
    const dfl_point *middle = &tan->stage[rk->stages / 2];
    double zeta[DFL_RADAU_STAGES];
    dfl_outcome outcome =
        dfl_formulation_linearize(st->form, middle->t, middle->x, middle->a, true);
    st->newton->need_matrix = true;
    st->newton->h_factored = 0;
    for (int k = 0; k < rk->stages; k++)
        zeta[k] = rk->shift[k] / tan->step.h;
    return outcome ? outcome : dfl_formulation_factor(st->form, rk->stages / 2, zeta);
}

/* The largest |x| over all lanes of components from .. to - 1. */
static double largest(const double *lanes, int width, int from, int to)
{
    return to > from ? dfl_max_abs(lanes + from * width, (to - from) * width) : 0;
}

/* Kinds of unknowns: [a sigma w], [l m], r, v, [s p]. */
enum { KINDS = 5 };

/* What an error of derivative i may be: a part of the derivatives of its kind, whose largest is `kind`; or
   what changes the state by its tolerance, when the parameter changes by its size; or rounding. */
static double tolerance_of(const dfl_tangents *tan, const dfl_radau *ra, int column, int i,
                           double kind)
{
    const dfl_scale *scale = ra->base.scale;
    const int n = tan->sys->n;
    const double size = tan->parameters.size ? fabs(tan->parameters.size[column]) : 1;
    const double rounding = 4 * DBL_EPSILON * dfl_max_abs(tan->Y + (size_t)column * (size_t)n, n);
    const double state = scale->weight[i] > 0 ? 1 / scale->weight[i] : 0;
    return scale->rtol[i - tan->sys->na] * kind + state / fmax(size, 1) + rounding;
}

/* The borders of the kinds of unknowns. */
static void list_borders(int *border, const dfl_system *sys)
{
    const int list[KINDS + 1] = {0, sys->at.l, sys->at.r, sys->at.v, sys->at.sp, sys->n};
    memcpy(border, list, sizeof list);
}

/* The largest derivative of kind k, with the increments over the step. */
static double size_of_kind(const dfl_tangents *tan, int width, int column, int from, int to)
{
    const double *y = tan->Y + (size_t)column * (size_t)tan->sys->n;
    return to > from ? fmax(largest(tan->Z, width, from, to), dfl_max_abs(y + from, to - from)) : 0;
}

/* Whether the increments of algebraic unknowns are nothing to the state, when the parameter changes by its
   size. */
static bool nothing(const dfl_tangents *tan, const dfl_radau *ra, int column, int from, int to)
{
    const double size = tan->parameters.size ? fabs(tan->parameters.size[column]) : 1;
    const double state = to > from ? dfl_max_abs(ra->base.here.x + from, to - from) : 0;
    return to <= tan->sys->at.r &&
           largest(tan->dZ, tan->step.rk->width, from, to) * fmax(size, 1) <=
               1e-3 * ra->base.scale->smallest_rtol * state;
}

/* Whether the increments are small. Algebraic unknowns: against their derivatives and the largest
   increments so far, `peak`, since derivatives that are zero are rounding in the end. */
static bool small_enough(double *peak, const dfl_tangents *tan, const dfl_radau *ra, int column)
{
    const dfl_system *sys = tan->sys;
    const int width = tan->step.rk->width;
    const double part = fmax(1e-3 * ra->base.scale->smallest_rtol, 100 * DBL_EPSILON);
    const double rounding =
        100 * DBL_EPSILON * dfl_max_abs(tan->Y + (size_t)column * (size_t)sys->n, sys->n);
    int border[KINDS + 1];
    list_borders(border, sys);
    bool small = dfl_all_finite(tan->dZ, sys->n * width);
    for (int k = 0; small && k < KINDS; k++) {
        const int from = border[k], to = border[k + 1];
        const double change = largest(tan->dZ, width, from, to);
        peak[k] = fmax(peak[k], change);
        const double size = size_of_kind(tan, width, column, from, to);
        if (change <= part * fmax(size, peak[k]) + rounding || nothing(tan, ra, column, from, to))
            continue;
        small = from >= sys->at.r;
        for (int i = from; small && i < to; i++)
            small =
                largest(tan->dZ, width, i, i + 1) <= 1e-3 * tolerance_of(tan, ra, column, i, size);
    }
    return small;
}

/* The error of the derivatives at the end of the step, as the method estimates that of the state; 1: the
   tolerance. */
static dfl_outcome estimate(double *err, dfl_tangents *tan, dfl_radau *ra, int column)
{
    const dfl_system *sys = tan->sys;
    const dfl_coefficients *rk = tan->step.rk;
    const int n = sys->n;
    const double *Z = tan->polynomial + (size_t)column * (size_t)n * (size_t)rk->width;
    dfl_point *begin = &tan->tangent[0];
    int border[KINDS + 1], count = 0;
    double sum = 0;
    list_borders(border, sys);
    begin->t = tan->step.t;
    memcpy(begin->x, tan->Y + (size_t)column * (size_t)n, (size_t)n * sizeof *begin->x);
    dfl_rows_tangent(begin, &tan->start_jac, sys, &tan->start_slopes, column);
    dfl_lanes_combine(tan->y, rk->stages, rk->e, n, Z);
    for (int i = 0; i < n; i++)
        tan->y[i] /= tan->step.h;
    const dfl_outcome outcome = dfl_formulation_defect(tan->err, ra->base.form, begin, tan->y);
    for (int k = 2; !outcome && k < KINDS; k++) {
        const double size = size_of_kind(tan, rk->width, column, border[k], border[k + 1]);
        for (int i = border[k]; i < border[k + 1]; i++, count++) {
            const double part = tan->err[i] / tolerance_of(tan, ra, column, i, size);
            sum += tan->err[i] == 0 ? 0 : part * part;
        }
    }
    *err = count > 0 ? sqrt(sum / count) : 0;
    return outcome;
}

/* One iteration: Z and the tangents move by dZ. */
static dfl_outcome iterate(dfl_tangents *tan, dfl_radau *ra, int column)
{
    const dfl_system *sys = tan->sys;
    const dfl_coefficients *rk = tan->step.rk;
    const int s = rk->stages, n = sys->n, width = rk->width;
    const int first = sys->at.r * width, moving = n - sys->at.r;
    dfl_formulation *form = ra->base.form;
    for (int k = 0; k < s; k++) {
        dfl_rows_tangent(&tan->tangent[k], &tan->jac[k], sys, &tan->slopes[k], column);
        shift_levels(&tan->tangent[k], tan, column);
    }
    dfl_lanes_transform(tan->W + first, s, rk->TI, moving, tan->Z + first);
    dfl_lanes_shift(tan->YP + first, width, dfl_formulation_shifts(form), moving, tan->W + first);
    dfl_outcome outcome =
        dfl_formulation_residual(tan->rows, form, tan->tangent, s, rk->TI, tan->YP, tan->XP);
    if (outcome)
        return outcome;
    dfl_formulation_solve(tan->dW, form, tan->rows);
    dfl_lanes_transform(tan->dZ, s, rk->T, n, tan->dW);
    dfl_lanes_scatter(tan->tangent[0].x, dfl_points_distance(tan->tangent, s), s, n,
                      tan->Y + (size_t)column * (size_t)n, tan->Z, tan->dZ);
    return DFL_STEP_OK;
}

static dfl_outcome follow(bool *converged, dfl_tangents *tan, dfl_radau *ra, int column)
{
    const dfl_coefficients *rk = tan->step.rk;
    const int n = tan->sys->n, s = rk->stages, width = rk->width;
    double *y = tan->Y + (size_t)column * (size_t)n;
    double peak[KINDS] = {0};
    dfl_outcome outcome = DFL_STEP_OK;
    memset(tan->Z, 0, (size_t)(n * width) * sizeof *tan->Z);
    dfl_lanes_scatter(tan->tangent[0].x, dfl_points_distance(tan->tangent, s), s, n, y, tan->Z,
                      NULL);
    dfl_formulation_begin_iteration(ra->base.form);
    *converged = false;
    for (int i = 0; !outcome && !*converged && i < MOST_ITERATIONS; i++) {
        outcome = iterate(tan, ra, column);
        *converged = !outcome && small_enough(peak, tan, ra, column);
    }
    if (*converged) {
        keep(tan->next, tan->next_A, tan, s - 1, column);
        memcpy(tan->polynomial + (size_t)column * (size_t)(n * width), tan->Z,
               (size_t)(n * width) * sizeof *tan->Z);
    }
    return outcome;
}

/* The values of invariants are those of the start. */
static void shift_levels(dfl_point *point, const dfl_tangents *tan, int column)
{
    const int ne = tan->sys->eom->ne, nep = tan->sys->eom->nep;
    const double *level = tan->level + (size_t)column * (size_t)(ne + nep);
    for (int i = 0; i < ne; i++)
        point->blocks.e[i] -= level[i];
    for (int i = 0; i < nep; i++)
        point->blocks.ep[i] -= level[ne + i];
}
