/* Consistent initial values (GEOMS's initialisation, and the staged least-change projection).

   Staged projection: positions and contact variables first, min |p - p0| subject to c = g = ep = 0;
   then velocities, min |v - v0| in the metric of M subject to gI = hv = gam = e = 0; then
   accelerations, auxiliary variables and multipliers from block 1. Each stage repeats

       y0 = D^-1 (x0 - x),   y = y0 + (J D)^+ (-F - J D y0),   x += D y

   which is Newton's method on the conditions for a minimum with the Hessian of the constraints left
   out. Held unknowns lose their columns. Gauss-Newton converges also for contradictory conditions,
   so the residual decides. */
#include "initial/initial.h"
#include "initial/initial_internal.h"

#include "context/context.h"

#include <math.h>
#include <string.h>

enum { MANY = 100 }; /* positions: with more of them, no nearer solution is searched for */

static dfl_status complete(dfl_initial *init, const dfl_conditions *cond);
static dfl_status reserve_sides(dfl_initial *init, int nsides);
static dfl_status as_projection(dfl_initial *init, const dfl_conditions *conditions);
static bool went_far(const dfl_initial *init);
static dfl_status search_and_project(dfl_initial *init, const dfl_conditions *cond, bool projected);
static dfl_status as_conditions(dfl_initial *init, const dfl_conditions *conditions);

dfl_status dfl_initial_init(dfl_initial *init, dfl_context *ctx, const dfl_eom *eom,
                            const dfl_solver_options *options)
{
    memset(init, 0, sizeof *init);
    dfl_system *sys = &init->sys;
    dfl_status status = dfl_system_init(sys, ctx, eom, eom->no_bias, &init->counters);
    if (!status)
        status = dfl_rows_jacobian_init(&init->jac, sys);
    if (!status)
        status = dfl_point_init(&init->point, sys);
    if (status)
        return status;
    const size_t n = (size_t)sys->n, nv = (size_t)eom->nv, d = sizeof(double);
    const size_t rows = (size_t)(sys->m1 + sys->m2 + sys->m3);
    sys->rounding = options->error.rounding;
    sys->options = options;
    init->rank_tolerance = options->constraints.rank_tolerance;
    init->atol = options->atol;
    for (int i = 0; options->error.atol_each && i < sys->nu; i++)
        init->atol =
            i == 0 ? options->error.atol_each[0] : fmin(init->atol, options->error.atol_each[i]);
    init->J = dfl_alloc(ctx, rows * n, d);
    init->F = dfl_alloc(ctx, rows, d);
    init->y = dfl_alloc(ctx, n, d);
    init->step = dfl_alloc(ctx, n, d);
    init->x = dfl_alloc(ctx, n, d);
    init->x0 = dfl_alloc(ctx, n, d);
    init->column_scale = dfl_alloc(ctx, n, d);
    init->column = dfl_alloc(ctx, n, sizeof(int));
    init->L = dfl_alloc(ctx, nv * nv, d);
    if (!init->J || !init->F || !init->y || !init->step || !init->x || !init->x0 ||
        !init->column_scale || !init->column || !init->L)
        return DFL_NO_MEMORY;
    return dfl_lstsq_create(&init->lstsq, ctx, (int)rows, sys->n);
}

void dfl_initial_clear(dfl_initial *init)
{
    dfl_context *ctx = init->sys.ctx;
    if (!ctx)
        return;
    double *const block[] = {
        init->J, init->F,         init->y,   init->step, init->x, init->x0, init->column_scale,
        init->L, init->condition, init->side};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(ctx, block[i]);
    dfl_free(ctx, init->column);
    dfl_lstsq_free(init->lstsq, ctx);
    dfl_rows_jacobian_clear(&init->jac, ctx);
    dfl_point_clear(&init->point, ctx);
    dfl_system_clear(&init->sys);
}

const double *dfl_initial_accelerations(const dfl_initial *init)
{
    return init->x;
}

dfl_status dfl_initial_complete(double *x, dfl_initial *init, double t,
                                const dfl_conditions *conditions)
{
    static const dfl_conditions least_change = {.mode = DFL_START_PROJECT};
    const dfl_conditions *cond = conditions ? conditions : &least_change;
    dfl_system *sys = &init->sys;
    dfl_status status = dfl_system_decide(sys, t, x, false);
    if (status)
        return status;
    dfl_rows_jacobian_bind(&init->jac, sys);
    dfl_point_bind(&init->point, sys);
    memset(init->x, 0, (size_t)sys->na * sizeof *x);
    memcpy(init->x + sys->na, x, (size_t)sys->nu * sizeof *x);
    memcpy(init->x0, init->x, (size_t)sys->n * sizeof *x);
    init->point.t = t;
    init->failure = DFL_FAILURE_OTHER;
    init->converged = true;
    init->nconflicts = 0;
    init->searched = false;
    init->open_invariants = cond->completed != NULL && cond->mode == DFL_START_PROJECT;
    status = complete(init, cond);
    init->open_invariants = false;
    if (status && init->failure == DFL_FAILURE_OTHER)
        init->failure = init->converged ? DFL_FAILURE_CONTRADICTION : DFL_FAILURE_ITERATIONS;
    if (!status)
        memcpy(x, init->x + sys->na, (size_t)sys->nu * sizeof *x);
    if (!status && cond->completed)
        status = cond->completed(t, x, cond->user);
    return status;
}

/* Completes init->x as the mode says, and checks it. */
static dfl_status complete(dfl_initial *init, const dfl_conditions *cond)
{
    dfl_status status = DFL_OK;
    switch (cond->mode) {
    case DFL_START_PROJECT:
        status = as_projection(init, cond);
        break;
    case DFL_START_CONDITIONS:
        status = as_conditions(init, cond);
        break;
    case DFL_START_CHECK:
        status = dfl_stages_accelerations(init, cond);
        break;
    case DFL_START_AS_GIVEN:
        dfl_stages_accelerations(init, cond); /* only a guess for carried accelerations */
        return DFL_OK;
    }
    if (!status)
        status = dfl_stages_check(init, cond);
    if (!status && cond->mode == DFL_START_PROJECT)
        status = dfl_assembly_check_sides(init, cond);
    return status;
}

/* x of the user as the guess and as what is nearest to it. */
static void take_guess(dfl_initial *init, double t, const double *x)
{
    const dfl_system *sys = &init->sys;
    memcpy(init->x + sys->na, x, (size_t)sys->nu * sizeof *x);
    memcpy(init->x0, init->x, (size_t)sys->n * sizeof *x);
    init->point.t = t;
}

dfl_status dfl_initial_project(double *x, dfl_initial *init, double t, bool invariants)
{
    const dfl_system *sys = &init->sys;
    const dfl_conditions cond = {.mode = DFL_START_PROJECT};
    take_guess(init, t, x);
    init->without_invariants = !invariants;
    dfl_status status = dfl_stages_project(init, &cond);
    init->without_invariants = false;
    if (!status && !init->converged)
        status = dfl_fail(sys->ctx, DFL_NOT_CONVERGED, "the corrections do not converge");
    if (!status)
        memcpy(x, init->x + sys->na, (size_t)sys->nu * sizeof *x);
    return status;
}

dfl_status dfl_initial_project_positions(double *x, dfl_initial *init, double t, bool strongly)
{
    const dfl_system *sys = &init->sys;
    const dfl_conditions cond = {.mode = DFL_START_PROJECT};
    take_guess(init, t, x);
    init->strongly = strongly;
    dfl_status status = dfl_stages_positions(init, &cond);
    init->strongly = false;
    if (!status && !init->converged)
        status = dfl_fail(sys->ctx, DFL_NOT_CONVERGED, "the corrections do not converge");
    if (!status && strongly && !dfl_stages_hold(init))
        status = dfl_fail(sys->ctx, DFL_NOT_CONVERGED, "other constraints do not hold");
    if (!status)
        memcpy(x, init->x + sys->na, (size_t)sys->nu * sizeof *x);
    return status;
}

/* The least change or, where the guess is too far for it, the least change of positions that
   were found from there. */
static dfl_status as_projection(dfl_initial *init, const dfl_conditions *cond)
{
    dfl_context *ctx = init->sys.ctx;
    dfl_status status = reserve_sides(init, cond->nsides);
    if (status)
        return status;
    const dfl_status first = dfl_stages_project(init, cond);
    if (first == DFL_NO_MEMORY || init->sys.stopped)
        return first;
    char *message = first ? dfl_copy_string(ctx, dfl_message(ctx)) : NULL;
    const bool closed = !first && dfl_assembly_closed(init, cond);
    if (!closed || (init->sys.n4 <= MANY && went_far(init)))
        status = search_and_project(init, cond, closed);
    if (first && status == DFL_INCONSISTENT) /* nothing was found; the first message says more */
        status = dfl_fail(ctx, first, "%s", message ? message : "");
    dfl_free(ctx, message);
    return status;
}

/* The largest change of a position, relative to the largest guess. */
static double distance(const dfl_initial *init, const double *from, const double *to)
{
    double moved = 0, size = 1;
    for (int j = init->sys.at.sp; j < init->sys.at.sp + init->sys.n4; j++) {
        moved = fmax(moved, fabs(to[j] - from[j]));
        size = fmax(size, fabs(from[j]));
    }
    return moved / size;
}

/* Near a singular position the first correction may be huge, although there are nearer
   solutions. */
static bool went_far(const dfl_initial *init)
{
    return distance(init, init->x0, init->x) > 2;
}

/* Positions found by search, unless those of the projection, if it succeeded, are nearer. */
static dfl_status search_and_project(dfl_initial *init, const dfl_conditions *cond, bool projected)
{
    dfl_context *ctx = init->sys.ctx;
    const size_t size = (size_t)init->sys.n * sizeof(double);
    double *guess = dfl_alloc(ctx, (size_t)init->sys.n, sizeof *guess);
    double *first = dfl_alloc(ctx, (size_t)init->sys.n, sizeof *first);
    dfl_status status = guess && first ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        bool found = false;
        memcpy(guess, init->x0, size);
        memcpy(first, init->x, size);
        status = dfl_assembly_search(&found, init, cond);
        if (!status && found)
            status = dfl_stages_project(init, cond);
        else if (!status && !projected)
            status = dfl_stages_check(init, cond);
        const bool nearer = found && distance(init, guess, init->x) < distance(init, guess, first);
        if (projected && status != DFL_NO_MEMORY && (status || !nearer)) {
            memcpy(init->x, first, size);
            status = DFL_OK;
        }
    }
    dfl_free(ctx, guess);
    dfl_free(ctx, first);
    return status;
}

static dfl_status reserve_sides(dfl_initial *init, int nsides)
{
    if (nsides <= init->nsides)
        return DFL_OK;
    double *side = dfl_alloc(init->sys.ctx, (size_t)nsides, sizeof *side);
    if (!side)
        return DFL_NO_MEMORY;
    dfl_free(init->sys.ctx, init->side);
    init->side = side;
    init->nsides = nsides;
    return DFL_OK;
}

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

/* Gauss-Newton on all rows and the conditions together, with steps of minimum norm: what they leave
   open stays near the guess, but that norm includes multipliers and accelerations. */
static dfl_status as_conditions(dfl_initial *init, const dfl_conditions *cond)
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
