/* Consistent initial values (GEOMS's initialisation, and the staged least-change projection).

   Staged projection: contact variables that suit the guessed positions; positions and contact
   variables, min |p - p0| subject to c = g = ep = 0; then velocities, min |v - v0| in the metric of
   M subject to gI = hv = gam = e = 0; then accelerations, auxiliary variables and multipliers from
   block 1. Each stage repeats

       y0 = D^-1 (x0 - x),   y = y0 + (J D)^+ (-F - J D y0),   x += D y

   which is Newton's method on the conditions for a minimum with the Hessian of the constraints left
   out. Held unknowns lose their columns. Gauss-Newton converges also for contradictory conditions,
   so the residual decides. */
#include "initial/initial.h"
#include "initial/packed_start.h"

#include "context/context.h"

#include <math.h>
#include <string.h>

enum { MANY = 100 }; /* positions: with more of them, no nearer solution is searched for */

static dfl_status complete(dfl_initial *init, const dfl_conditions *cond);
static dfl_status project_from_contacts(bool *closed, dfl_initial *init,
                                        const dfl_conditions *cond);
static dfl_conditions add_sides(dfl_initial *init, const dfl_conditions *conditions);
static dfl_status as_projection(dfl_initial *init, const dfl_conditions *conditions);
static bool went_far(const dfl_initial *init);
static dfl_status search_and_project(dfl_initial *init, const dfl_conditions *cond, bool projected);

dfl_status dfl_initial_init(dfl_initial *init, dfl_context *ctx, const dfl_eom *eom,
                            const dfl_solver_options *options)
{
    memset(init, 0, sizeof *init);
    dfl_system *sys = &init->sys;
    dfl_status status = dfl_system_init(sys, ctx, eom, eom->no_bias, &init->counters);
    if (!status && !sys->packed)
        status = dfl_rows_jacobian_init(&init->jac, sys);
    if (!status)
        status = dfl_point_init(&init->point, sys);
    if (status)
        return status;
    const size_t n = (size_t)sys->n, nv = sys->packed ? 0 : (size_t)eom->nv, d = sizeof(double);
    const size_t rows = (size_t)(sys->m1 + sys->m2 + sys->m3);
    sys->rounding = options->error.rounding;
    sys->options = options;
    init->rank_tolerance = options->constraints.rank_tolerance;
    init->redundant = dfl_largest_misfit(&options->constraints, sys->nc);
    init->atol = options->atol; /* 0: tolerances follow the sizes of unknowns */
    for (int i = 0; init->atol > 0 && options->error.atol_each && i < sys->nu; i++)
        init->atol =
            i == 0 ? options->error.atol_each[0] : fmin(init->atol, options->error.atol_each[i]);
    init->J = dfl_alloc(ctx, sys->packed ? 0 : rows * n, d);
    init->F = dfl_alloc(ctx, rows, d);
    init->y = dfl_alloc(ctx, n, d);
    init->step = dfl_alloc(ctx, n, d);
    init->x = dfl_alloc(ctx, n, d);
    init->x0 = dfl_alloc(ctx, n, d);
    init->column_scale = dfl_alloc(ctx, n, d);
    init->column = dfl_alloc(ctx, n, sizeof(int));
    init->row_size = dfl_alloc(ctx, (size_t)sys->nc, d);
    init->L = dfl_alloc(ctx, nv * nv, d);
    if (!init->J || !init->F || !init->y || !init->step || !init->x || !init->x0 ||
        !init->column_scale || !init->column || !init->row_size || !init->L)
        return DFL_NO_MEMORY;
    return sys->packed ? dfl_packed_start_create(init)
                       : dfl_lstsq_create(&init->lstsq, ctx, (int)rows, sys->n);
}

void dfl_initial_clear(dfl_initial *init)
{
    dfl_context *ctx = init->sys.ctx;
    if (!ctx)
        return;
    double *const block[] = {
        init->J, init->F,         init->y,    init->step,    init->x, init->x0, init->column_scale,
        init->L, init->condition, init->side, init->row_size};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(ctx, block[i]);
    dfl_free(ctx, init->column);
    dfl_packed_start_free(init);
    dfl_lstsq_free(init->lstsq, ctx);
    dfl_rows_jacobian_clear(&init->jac, ctx);
    dfl_point_clear(&init->point, ctx);
    dfl_system_clear(&init->sys);
}

const double *dfl_initial_accelerations(const dfl_initial *init)
{
    return init->x;
}

dfl_status dfl_initial_renew_masses(dfl_initial *init, double t, const double *x)
{
    dfl_system *sys = &init->sys;
    if (!sys->mass.constant)
        return DFL_OK;
    const dfl_status status = dfl_system_decide(sys, t, x, false);
    if (!status && !sys->packed)
        dfl_rows_jacobian_bind(&init->jac, sys);
    return status;
}

dfl_status dfl_initial_complete(double *x, dfl_initial *init, double t,
                                const dfl_conditions *conditions)
{
    static const dfl_conditions least_change = {.mode = DFL_START_PROJECT};
    const dfl_conditions with_sides = add_sides(init, conditions ? conditions : &least_change);
    const dfl_conditions *cond = &with_sides;
    dfl_system *sys = &init->sys;
    dfl_status status = dfl_system_decide(sys, t, x, false);
    if (status)
        return status;
    if (!sys->packed)
        dfl_rows_jacobian_bind(&init->jac, sys);
    dfl_point_bind(&init->point, sys);
    memset(init->x, 0, (size_t)sys->na * sizeof *x);
    memcpy(init->x + sys->na, x, (size_t)sys->nu * sizeof *x);
    memcpy(init->x0, init->x, (size_t)sys->n * sizeof *x);
    init->point.t = t;
    dfl_system_row_sizes(init->row_size, sys, &init->point, init->x);
    if (init->redundant > 0 &&
        !sys->packed) /* rows that hardly matter are compared with the others */
        dfl_stages_alike(init->row_size, init);
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

/* The conditions with the sides that the model knows, if they have none. */
static dfl_conditions add_sides(dfl_initial *init, const dfl_conditions *conditions)
{
    const dfl_eom *eom = init->sys.eom;
    dfl_conditions out = *conditions;
    init->side_user = out.user;
    if (out.nsides == 0 && eom->structure && eom->structure->side) {
        out.nsides = eom->structure->nsides;
        out.side = eom->structure->side;
        out.side_names = eom->structure->side_names;
        init->side_user = eom->user;
    }
    return out;
}

/* The same with dense and with packed matrices. */
static dfl_status project(dfl_initial *init, const dfl_conditions *cond)
{
    return init->packed ? dfl_packed_start_project(init, cond) : dfl_stages_project(init, cond);
}

static dfl_status complete_accelerations(dfl_initial *init, const dfl_conditions *cond)
{
    return init->packed ? dfl_packed_saddle_complete(init) : dfl_stages_accelerations(init, cond);
}

static dfl_status check(dfl_initial *init, const dfl_conditions *cond)
{
    return init->packed ? dfl_packed_start_check(init, cond) : dfl_stages_check(init, cond);
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
        if (init->packed)
            return dfl_fail(init->sys.ctx, DFL_INVALID,
                            "conditions (DFL_START_CONDITIONS) need dense matrices (linear = "
                            "dense)");
        status = dfl_initial_conditions(init, cond);
        break;
    case DFL_START_CHECK:
        status = complete_accelerations(init, cond);
        break;
    case DFL_START_AS_GIVEN:
        complete_accelerations(init, cond); /* only a guess */
        return DFL_OK;
    }
    if (!status)
        status = check(init, cond);
    if (!status && cond->mode == DFL_START_PROJECT)
        status = dfl_assembly_check_sides(init, cond);
    return status;
}

void dfl_initial_take_guess(dfl_initial *init, double t, const double *x)
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
    dfl_initial_take_guess(init, t, x);
    init->without_invariants = !invariants;
    dfl_status status = project(init, &cond);
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
    dfl_initial_take_guess(init, t, x);
    init->strongly = strongly;
    dfl_status status =
        sys->packed ? dfl_packed_start_positions(init, &cond) : dfl_stages_positions(init, &cond);
    init->strongly = false;
    if (!status && !init->converged)
        status = dfl_fail(sys->ctx, DFL_NOT_CONVERGED, "the corrections do not converge");
    if (!status && strongly &&
        !(sys->packed ? dfl_packed_start_holds(init) : dfl_stages_hold(init)))
        status = dfl_fail(sys->ctx, DFL_NOT_CONVERGED, "other constraints do not hold");
    if (!status)
        memcpy(x, init->x + sys->na, (size_t)sys->nu * sizeof *x);
    return status;
}

/* The least change from contact variables that suit the guessed positions: a rough guess of them
   should not move positions. *closed: this succeeded, else init->x is the guess again. */
static dfl_status project_from_contacts(bool *closed, dfl_initial *init, const dfl_conditions *cond)
{
    const dfl_system *sys = &init->sys;
    const size_t size = (size_t)sys->n * sizeof(double);
    double *guess = dfl_alloc(sys->ctx, (size_t)sys->n, sizeof *guess);
    if (!guess)
        return DFL_NO_MEMORY;
    memcpy(guess, init->x0, size);
    if (init->packed ? dfl_packed_start_contacts(init, cond) : dfl_stages_contacts(init, cond)) {
        memcpy(init->x0 + sys->at.sp, init->x + sys->at.sp, (size_t)sys->eom->ns * sizeof *guess);
        *closed = !project(init, cond) && dfl_assembly_closed(init, cond);
    }
    memcpy(init->x0, guess, size);
    if (!*closed)
        memcpy(init->x, guess, size);
    dfl_free(sys->ctx, guess);
    return DFL_OK;
}

/* The least change or, where the guess is too far for it, the least change of positions that
   were found from there. */
static dfl_status as_projection(dfl_initial *init, const dfl_conditions *cond)
{
    dfl_context *ctx = init->sys.ctx;
    bool from_contacts = false;
    dfl_status status = dfl_initial_reserve_sides(init, cond->nsides);
    if (!status && init->sys.eom->ns > 0)
        status = project_from_contacts(&from_contacts, init, cond);
    if (status || init->sys.stopped)
        return status;
    const dfl_status first = from_contacts ? DFL_OK : project(init, cond);
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
            status = project(init, cond);
        else if (!status && !projected)
            status = check(init, cond);
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

dfl_status dfl_initial_reserve_sides(dfl_initial *init, int nsides)
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
