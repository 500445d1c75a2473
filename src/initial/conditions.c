/* conditions.c: the user's conditions and all rows together, by Gauss-Newton with steps of minimum
   norm: what they leave open stays near the guess, but that norm includes multipliers and
   accelerations. */
#include "initial/initial_internal.h"

#include "context/context.h"

#include <math.h>
#include <string.h>

/* Room for the user's conditions in addition to all rows. */
static dfl_status reserve(dfl_initial *init, int nconditions)
{
    const dfl_system *sys = &init->sys;
    dfl_context *ctx = sys->ctx;
    if (nconditions <= init->nconditions)
        return DFL_OK;
    /* room for carried accelerations too: another start may need them */
    const int carried = sys->psi1 || sys->geoms ? 0 : sys->eom->nv + sys->eom->n0;
    const size_t more = (size_t)(carried - sys->na), n = (size_t)sys->n + more;
    const size_t rows = (size_t)(sys->m1 + sys->m2 + sys->m3) + (size_t)nconditions + more;
    double *J = dfl_alloc(ctx, rows * n, sizeof *J);
    double *F = dfl_alloc(ctx, rows, sizeof *F);
    double *condition = dfl_alloc(ctx, 2 * (size_t)nconditions, sizeof *condition);
    dfl_lstsq *lstsq = NULL;
    if (!J || !F || !condition || dfl_lstsq_create(&lstsq, ctx, (int)rows, (int)n)) {
        dfl_free(ctx, J);
        dfl_free(ctx, F);
        dfl_free(ctx, condition);
        return DFL_NO_MEMORY;
    }
    dfl_free(ctx, init->J);
    dfl_free(ctx, init->F);
    dfl_free(ctx, init->condition);
    dfl_lstsq_free(init->lstsq, ctx);
    init->J = J;
    init->F = F;
    init->condition = condition;
    init->lstsq = lstsq;
    init->nconditions = nconditions;
    return DFL_OK;
}

static dfl_status call_condition(double *out, dfl_initial *init, const dfl_conditions *cond)
{
    const dfl_system *sys = &init->sys;
    if (cond->nconditions == 0)
        return DFL_OK;
    const int rc = cond->condition(out, init->point.t, init->x + sys->na, cond->user);
    if (rc)
        return dfl_fail(sys->ctx, DFL_CALLBACK, "the conditions cannot be evaluated at t = %g",
                        init->point.t);
    for (int i = 0; i < cond->nconditions; i++)
        if (!isfinite(out[i]))
            return dfl_fail(sys->ctx, DFL_NOT_FINITE, "condition %d is %g at t = %g", i, out[i],
                            init->point.t);
    return DFL_OK;
}

/* Rows of the conditions' derivatives, by differences, below all rows in J (leading dimension
   ld). */
static dfl_status condition_rows(dfl_initial *init, const dfl_conditions *cond, int ld, int row)
{
    const dfl_system *sys = &init->sys;
    if (cond->nconditions == 0)
        return DFL_OK;
    double *base = init->condition, *moved = base + cond->nconditions;
    dfl_status status = call_condition(base, init, cond);
    for (int j = 0; !status && j < sys->n; j++) {
        double *column = init->J + (size_t)j * (size_t)ld + row;
        const double x = init->x[j], delta = dfl_difference_increment(sys->rounding, x, 1e-5);
        memset(column, 0, (size_t)cond->nconditions * sizeof *column);
        if (j < sys->na)
            continue;
        init->x[j] = x + delta;
        status = call_condition(moved, init, cond);
        for (int i = 0; i < cond->nconditions; i++)
            column[i] = (moved[i] - base[i]) / (init->x[j] - x);
        init->x[j] = x;
    }
    memcpy(init->F + row, base, (size_t)cond->nconditions * sizeof *base);
    return status;
}

/* F and J of all rows and the conditions. */
static dfl_status all_equations(dfl_initial *init, const dfl_conditions *cond)
{
    const dfl_system *sys = &init->sys;
    const int rows = sys->m1 + sys->m2 + sys->m3, ld = rows + cond->nconditions;
    dfl_status status = dfl_stages_all_rows(init, ld);
    return status ? status : condition_rows(init, cond, ld, rows);
}

/* Divides entries i, i + stride, ... of A by the largest of them, unless all vanish compared with
   `overall`. */
static void equilibrate(double *A, int count, int stride, double overall)
{
    const double largest = dfl_max_abs_row(A, count, stride);
    for (int i = 0; largest > 1e-12 * overall && i < count; i++)
        A[(size_t)i * (size_t)stride] /= largest;
}

/* The rank of columns first .. first+count-1 of J, scaled so that units do not matter; J is
   lost. */
static int rank_of_columns(dfl_initial *init, int ld, int first, int count)
{
    double *A = init->J + (size_t)first * (size_t)ld;
    const double overall = dfl_max_abs(A, ld * count);
    int rank = 0;
    for (int j = 0; j < count; j++)
        equilibrate(A + (size_t)j * (size_t)ld, ld, 1, overall);
    for (int i = 0; i < ld; i++)
        equilibrate(A + i, count, ld, 1);
    memset(init->F, 0, (size_t)ld * sizeof *init->F);
    dfl_lstsq_solve(init->step, init->lstsq, ld, count, A, init->F, 1e-6, &rank);
    return rank;
}

/* Whether rows and conditions leave nothing open but multipliers: then every kernel vector of J
   is one of its columns of l and m already. */
static dfl_status look_for_open_unknowns(bool *open, dfl_initial *init, const dfl_conditions *cond)
{
    const dfl_system *sys = &init->sys;
    const int ld = sys->m1 + sys->m2 + sys->m3 + cond->nconditions;
    dfl_status status = all_equations(init, cond);
    if (status)
        return status;
    dfl_stages_equilibrate_all(init, cond->nconditions);
    const int free = sys->n - rank_of_columns(init, ld, 0, sys->n);
    status = all_equations(init, cond);
    if (status)
        return status;
    dfl_stages_equilibrate_all(init, cond->nconditions);
    *open = free > sys->nc - rank_of_columns(init, ld, sys->at.l, sys->nc);
    return DFL_OK;
}

/* Iterates until the corrections vanish, or no longer shrink at the level of rounding. */
static dfl_status iterate_conditions(dfl_initial *init, const dfl_conditions *cond)
{
    const dfl_system *sys = &init->sys;
    const int ld = sys->m1 + sys->m2 + sys->m3 + cond->nconditions;
    double last = INFINITY;
    init->converged = false;
    for (int it = 0; !init->converged && it < 50; it++) {
        double size = 0;
        dfl_status status = all_equations(init, cond);
        if (status)
            return status;
        for (int i = 0; i < ld; i++)
            init->F[i] = -init->F[i];
        dfl_stages_equilibrate_all(init, cond->nconditions);
        if (!dfl_lstsq_solve(init->step, init->lstsq, ld, sys->n, init->J, init->F,
                             fmax(init->rank_tolerance, 1e-9), NULL))
            return dfl_fail(sys->ctx, DFL_INCONSISTENT, "the initial conditions have no solution");
        for (int j = 0; j < sys->n; j++) {
            const double step = init->step[j] * init->column_scale[j];
            init->x[j] += step;
            size = fmax(size, fabs(step) / fmax(dfl_stages_unit(init, j), fabs(init->x[j])));
        }
        init->converged = size <= 1e-13 || (it > 6 && size <= 1e-9 && size >= 0.5 * last);
        last = size;
    }
    return DFL_OK;
}

/* Ten times atol, what the unknowns' own tolerances would make, or rounding; by the derivatives
   in J. */
static double condition_bound(const dfl_initial *init, int i, int nconditions)
{
    const dfl_system *sys = &init->sys;
    const double *each = sys->options->error.atol_each;
    double bound = 10 * init->atol, rounding = 0;
    for (int j = sys->na; j < sys->n; j++) {
        const double entry = fabs(init->J[(size_t)j * (size_t)nconditions + (size_t)i]);
        bound = fmax(bound, each ? 10 * entry * each[j - sys->na] : 0);
        rounding += 1e-13 * entry * fabs(init->x[j]);
    }
    return fmax(bound, rounding);
}

/* DFL_INCONSISTENT if a condition is not met. */
static dfl_status check_conditions(dfl_initial *init, const dfl_conditions *cond)
{
    dfl_context *ctx = init->sys.ctx;
    dfl_status status = condition_rows(init, cond, cond->nconditions, 0);
    for (int i = 0; !status && i < cond->nconditions; i++)
        if (!(fabs(init->condition[i]) <= condition_bound(init, i, cond->nconditions)))
            status = dfl_fail(ctx, DFL_INCONSISTENT,
                              "condition %d contradicts the constraints or the other conditions: "
                              "its residual stays at %.3g",
                              i, init->condition[i]);
    return status;
}

/* With open unknowns and `unique`: all equations must hold already. */
static dfl_status accept_open_unknowns(dfl_initial *init, const dfl_conditions *cond)
{
    dfl_status status = check_conditions(init, cond);
    if (!status)
        status = dfl_stages_check(init, cond);
    if (status != DFL_INCONSISTENT)
        return status;
    init->failure = DFL_FAILURE_UNDETERMINED;
    return dfl_fail(
        init->sys.ctx, DFL_INCONSISTENT,
        "the constraints and %d conditions do not determine all initial values, and the "
        "given ones do not satisfy them at t = %g; give more conditions",
        cond->nconditions, init->point.t);
}

dfl_status dfl_initial_conditions(dfl_initial *init, const dfl_conditions *cond)
{
    const dfl_system *sys = &init->sys;
    bool open = false;
    if (cond->nconditions < 0 || cond->nconditions > 100000 ||
        (cond->nconditions > 0 && !cond->condition))
        return dfl_fail(sys->ctx, DFL_INVALID, "conditions: nconditions is %d, condition is %s",
                        cond->nconditions, cond->condition ? "given" : "NULL");
    dfl_status status = reserve(init, cond->nconditions);
    if (!status && cond->unique)
        status = look_for_open_unknowns(&open, init, cond);
    if (!status && open)
        return accept_open_unknowns(init, cond);
    if (!status)
        status = iterate_conditions(init, cond);
    return status ? status : check_conditions(init, cond);
}
