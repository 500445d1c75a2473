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
    double part;                             /* of the step that is followed */
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

static dfl_outcome linearize(dfl_tangents *tan, int k);
static dfl_outcome follow(bool *converged, dfl_tangents *tan, dfl_radau *ra, int column);
static dfl_outcome factor_anew(dfl_tangents *tan, dfl_radau *ra, bool derivatives);
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
    double *const block[] = {tan->Y,  tan->A,  tan->level, tan->Z,  tan->W,
                             tan->dW, tan->dZ, tan->YP,    tan->XP, tan->rows};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(ctx, block[i]);
    for (int k = 0; k < tan->stages; k++) {
        dfl_rows_jacobian_clear(&tan->jac[k], ctx);
        dfl_free(ctx, tan->slopes[k].d);
    }
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

/* Keeps the derivatives at stage k. */
static void keep(dfl_tangents *tan, int k, int column)
{
    const size_t n = (size_t)tan->sys->n, nv = (size_t)tan->sys->n3;
    dfl_point *y = &tan->tangent[k];
    dfl_rows_tangent(y, &tan->jac[k], tan->sys, &tan->slopes[k], column);
    memcpy(tan->Y + (size_t)column * n, y->x, n * sizeof *y->x);
    memcpy(tan->A + (size_t)column * nv, y->a, nv * sizeof *y->a);
}

/* The same inside the step, by its polynomial; accelerations follow when the run starts again there. */
static void keep_inside(dfl_tangents *tan, const dfl_coefficients *rk, int column)
{
    const int n = tan->sys->n;
    double l[DFL_RADAU_STAGES], *y = tan->Y + (size_t)column * (size_t)n;
    dfl_coefficients_basis(l, rk, tan->part);
    dfl_lanes_combine(tan->tangent[0].x, rk->stages, l, n, tan->Z);
    for (int i = 0; i < n; i++)
        y[i] += tan->tangent[0].x[i];
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
    dfl_outcome outcome = linearize(tan, 0);
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
    keep(tan, 0, column);
    double *level = tan->level + (size_t)column * (size_t)(eom->ne + eom->nep);
    memcpy(level, y->blocks.e, (size_t)eom->ne * sizeof *level);
    memcpy(level + eom->ne, y->blocks.ep, (size_t)eom->nep * sizeof *level);
    return true;
}

/* ---- a step ---- */

/* Everything at stage k, whose t and x are set. */
static dfl_outcome linearize(dfl_tangents *tan, int k)
{
    dfl_system *sys = tan->sys;
    dfl_point *stage = &tan->stage[k], *tangent = &tan->tangent[k];
    dfl_outcome outcome = dfl_system_eval_checked(sys, stage);
    if (!outcome)
        outcome = dfl_system_jacobian(&tan->jac[k], sys, stage->t, stage->x, stage->a);
    if (outcome)
        return outcome;
    dfl_parameter_slopes_zero(&tan->slopes[k], sys, tan->count);
    if (tan->parameters.slopes) {
        const int rc = tan->parameters.slopes(&tan->slopes[k], stage->t, stage->x + sys->na,
                                              stage->a, tan->parameters.user);
        if (rc)
            return dfl_system_returned(sys, rc, "slopes", stage->t);
    }
    tangent->t = stage->t;
    memcpy(tangent->M, stage->M, dfl_system_mass_entries(sys) * sizeof *tangent->M);
    memcpy(tangent->blocks.W, stage->blocks.W,
           (size_t)sys->nc * (size_t)sys->n3 * sizeof *stage->blocks.W);
    return DFL_STEP_OK;
}

dfl_outcome dfl_tangents_step(bool *converged, dfl_tangents *tan, dfl_stepper *st, double t)
{
    dfl_radau *ra = (dfl_radau *)st;
    const dfl_coefficients *rk = ra->rk_cont;
    const int n = tan->sys->n, s = rk->stages, width = rk->width;
    const double t0 = ra->t_end - st->h_old;
    dfl_outcome outcome = DFL_STEP_OK;
    for (int k = 0; !outcome && k < s; k++) {
        tan->stage[k].t = t0 + rk->c[k] * st->h_old;
        for (int i = 0; i < n; i++)
            tan->stage[k].x[i] =
                ra->x_end[i] + (ra->cont[i * width + k] - ra->cont[i * width + s - 1]);
        outcome = linearize(tan, k);
    }
    tan->part = t == st->t ? 1 : (t - t0) / st->h_old;
    if (!outcome && st->newton->h_factored != st->h_old)
        outcome = factor_anew(tan, ra, st->newton->need_matrix);
    for (int j = 0; !outcome && j < tan->count; j++) {
        outcome = follow(converged, tan, ra, j);
        if (!outcome && !*converged) {
            outcome = factor_anew(tan, ra, true);
            if (!outcome)
                outcome = follow(converged, tan, ra, j);
        }
        if (!outcome && !*converged)
            return DFL_STEP_OK;
    }
    return outcome;
}

/* The matrix for the step, with the derivatives at its middle stage or those that there are. */
static dfl_outcome factor_anew(dfl_tangents *tan, dfl_radau *ra, bool derivatives)
{
    dfl_stepper *st = &ra->base;
    const dfl_coefficients *rk = ra->rk_cont;
    const dfl_point *middle = &tan->stage[rk->stages / 2];
    double zeta[DFL_RADAU_STAGES];
    dfl_outcome outcome = DFL_STEP_OK;
    if (derivatives) {
        outcome = dfl_formulation_linearize(st->form, middle->t, middle->x, middle->a, true);
        st->newton->need_matrix = true;
    }
    for (int k = 0; k < rk->stages; k++)
        zeta[k] = rk->shift[k] / st->h_old;
    st->newton->h_factored = 0;
    return outcome ? outcome : dfl_formulation_factor(st->form, rk->stages / 2, zeta);
}

/* The largest |x| over all lanes of components from .. to - 1. */
static double largest(const double *lanes, int width, int from, int to)
{
    return to > from ? dfl_max_abs(lanes + from * width, (to - from) * width) : 0;
}

/* Kinds of unknowns: [a sigma w], [l m], r, v, [s p]. */
enum { KINDS = 5 };

/* Whether the increments of kind [from, to) are below a thousandth of the tolerances of the state, for a
   change of the parameter by its size. */
static bool negligible(const dfl_tangents *tan, const dfl_radau *ra, int column, int from, int to)
{
    const double *weight = dfl_stepper_weights(&ra->base);
    const double size = tan->parameters.size ? fabs(tan->parameters.size[column]) : 1;
    const int width = ra->rk_cont->width;
    for (int i = from; i < to; i++)
        if (!(largest(tan->dZ, width, i, i + 1) * size * weight[i] <= 1e-3))
            return false;
    return true;
}

/* Whether the increments are small: of each kind of unknowns negligible, or small against its derivatives
   and the largest increments so far, `peak`, since derivatives that are zero are rounding in the
   end. */
static bool small_enough(double *peak, const dfl_tangents *tan, const dfl_radau *ra, int column)
{
    const dfl_system *sys = tan->sys;
    const double *y = tan->Y + (size_t)column * (size_t)sys->n;
    const int width = ra->rk_cont->width;
    const int border[KINDS + 1] = {0, sys->at.l, sys->at.r, sys->at.v, sys->at.sp, sys->n};
    const double part = fmax(1e-3 * ra->base.scale->smallest_rtol, 100 * DBL_EPSILON);
    bool small = dfl_all_finite(tan->dZ, sys->n * width);
    for (int k = 0; k < KINDS; k++) {
        const int from = border[k], to = border[k + 1];
        const double change = largest(tan->dZ, width, from, to);
        peak[k] = fmax(peak[k], change);
        const double size = fmax(fmax(peak[k], largest(tan->Z, width, from, to)),
                                 to > from ? dfl_max_abs(y + from, to - from) : 0);
        small = small && (change <= part * size || negligible(tan, ra, column, from, to));
    }
    return small;
}

/* One iteration: Z and the tangents move by dZ. */
static dfl_outcome iterate(dfl_tangents *tan, dfl_radau *ra, int column)
{
    const dfl_system *sys = tan->sys;
    const dfl_coefficients *rk = ra->rk_cont;
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
    const dfl_coefficients *rk = ra->rk_cont;
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
    if (*converged && tan->part == 1)
        keep(tan, s - 1, column);
    else if (*converged)
        keep_inside(tan, rk, column);
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
