/* tangents_start.c: where derivatives by parameters begin: those of positions and velocities are
   moved onto the differentiated constraints, all others follow. */
#include "integrate/tangents.h"

#include <math.h>
#include <string.h>

static bool correct(dfl_tangents *tan, int column, const double *J, int ld, int rows, int first,
                    int columns, const double *residual);
static bool correct_first(dfl_tangents *tan, int column);
static bool complete(dfl_tangents *tan, int column, const double *tolerance);

dfl_status dfl_tangents_create(dfl_tangents **out, dfl_stepper *st,
                               const dfl_parameters *parameters)
{
    dfl_system *sys = st->sys;
    dfl_context *ctx = sys->ctx;
    const int stages = st->class->stages(st->options);
    const size_t n = (size_t)sys->n, count = (size_t)parameters->count, d = sizeof(double);
    const size_t width = (size_t)dfl_lanes_width(stages);
    dfl_tangents *tan = *out = dfl_alloc(ctx, 1, sizeof *tan);
    if (!tan)
        return DFL_NO_MEMORY;
    tan->parameters = *parameters;
    tan->sys = sys;
    tan->count = parameters->count;
    tan->stages = stages;
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
    if (!status)
        status = dfl_linear_step_init(&tan->linear, sys, st->form, stages, tan->count);
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
    tan->Y_old = dfl_alloc(ctx, n * count, d);
    tan->A = dfl_alloc(ctx, (size_t)sys->n3 * count, d);
    tan->level = dfl_alloc(ctx, (size_t)(sys->eom->ne + sys->eom->nep) * count, d);
    const int most = (sys->n > sys->m1 ? sys->n : sys->m1) + sys->eom->n0;
    tan->work = dfl_alloc(ctx, (size_t)most * (size_t)(most + 2), d);
    if (!status && !(tan->Y && tan->Y_old && tan->A && tan->level && tan->work))
        status = DFL_NO_MEMORY;
    if (!status)
        status = dfl_lstsq_create(&tan->lstsq, ctx, most, most);
    if (!status && st->class->remembers)
        status = dfl_tangents_past_init(tan);
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
    double *const block[] = {tan->Y,    tan->A,   tan->level,      tan->next,           tan->next_A,
                             tan->y,    tan->err, tan->polynomial, tan->start_slopes.d, tan->work,
                             tan->Y_old};
    dfl_linear_step_clear(&tan->linear);
    dfl_tangents_past_clear(tan);
    dfl_lstsq_free(tan->lstsq, ctx);
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

dfl_outcome dfl_tangents_start(dfl_tangents *tan, dfl_stepper *st, const double *start,
                               const double *tolerance)
{
    const dfl_system *sys = tan->sys;
    const int n = sys->n, nu = sys->nu;
    memset(tan->level, 0,
           (size_t)(sys->eom->ne + sys->eom->nep) * (size_t)tan->count * sizeof *tan->level);
    tan->stage[0].t = st->here.t;
    memcpy(tan->stage[0].x, st->here.x, (size_t)n * sizeof *st->here.x);
    tan->step.h = 0;
    tan->start_known = false;
    dfl_outcome outcome = dfl_tangents_linearize(&tan->stage[0], &tan->jac[0], &tan->slopes[0], tan,
                                                 tan->parameters.slopes, NULL);
    bool solved = true;
    tan->moved = 0;
    for (int j = 0; !outcome && solved && j < tan->count; j++) {
        double *y = tan->Y + (size_t)j * (size_t)n;
        memcpy(tan->y, y, (size_t)n * sizeof *y);
        memset(y, 0, (size_t)n * sizeof *y);
        memcpy(y + sys->na, start + (size_t)j * (size_t)nu, (size_t)nu * sizeof *y);
        solved = complete(tan, j, tolerance);
    }
    return outcome  ? outcome
           : solved ? DFL_STEP_OK
                    : dfl_system_trouble(tan->sys, DFL_STEP_NONFINITE, "jacobian", st->t);
}

double dfl_tangents_moved(const dfl_tangents *tan)
{
    return tan->moved;
}

dfl_outcome dfl_tangents_rates(double *xp, dfl_tangents *tan, dfl_stepper *st)
{
    const dfl_system *sys = tan->sys;
    dfl_point *y = &tan->tangent[0];
    tan->stage[0].t = st->here.t;
    memcpy(tan->stage[0].x, st->here.x, (size_t)sys->n * sizeof *st->here.x);
    tan->step.h = 0;
    tan->start_known = false;
    const dfl_outcome outcome = dfl_tangents_linearize(
        &tan->stage[0], &tan->jac[0], &tan->slopes[0], tan, tan->parameters.by_time, NULL);
    if (outcome)
        return outcome;
    memcpy(y->x, xp, (size_t)sys->n * sizeof *xp);
    dfl_rows_tangent(y, &tan->jac[0], sys, &tan->slopes[0], 0);
    if (!correct(tan, 0, tan->jac[0].J3, sys->m3, sys->eom->ns, sys->at.sp, sys->eom->ns,
                 y->alg + sys->m1 + sys->m2) ||
        !correct_first(tan, 0))
        return dfl_system_trouble(tan->sys, DFL_STEP_NONFINITE, "jacobian", st->t);
    memcpy(xp, y->x, (size_t)sys->n * sizeof *xp);
    return DFL_STEP_OK;
}

/* Changes unknowns first .. first + columns - 1 of the tangent by the least change such that rows
   row .. row + rows - 1 of a block with leading dimension ld vanish. */
static bool correct(dfl_tangents *tan, int column, const double *J, int ld, int rows, int first,
                    int columns, const double *residual)
{
    double *A = tan->work, *b = A + (size_t)rows * (size_t)columns, *change = b + rows;
    double *x = tan->tangent[0].x + first;
    if (rows == 0 || columns == 0)
        return true;
    for (int j = 0; j < columns; j++)
        memcpy(A + (size_t)j * (size_t)rows, J + (size_t)j * (size_t)ld, (size_t)rows * sizeof *A);
    memcpy(b, residual, (size_t)rows * sizeof *b);
    if (!dfl_lstsq_solve(change, tan->lstsq, rows, columns, A, b, 1e-11, NULL))
        return false;
    for (int i = 0; i < columns; i++)
        x[i] -= change[i];
    dfl_rows_tangent(&tan->tangent[0], &tan->jac[0], tan->sys, &tan->slopes[0], column);
    return true;
}

/* Columns of J (rows in use from `row` on, m of them), for the unknowns of block 1 and along K0,
   into A (leading dimension ld). */
static void fill_first(double *A, int ld, const dfl_tangents *tan, const double *J, int ldj,
                       int row, int m)
{
    const dfl_system *sys = tan->sys;
    const int nv = sys->n3, n0 = sys->eom->n0;
    for (int j = 0; j < sys->n1; j++)
        memcpy(A + (size_t)j * (size_t)ld, J + (size_t)j * (size_t)ldj + row,
               (size_t)m * sizeof *A);
    dfl_gemm(m, n0, nv, 1, J + (size_t)sys->at.v * (size_t)ldj + row, ldj, tan->stage[0].blocks.K0,
             nv, 0, A + (size_t)sys->n1 * (size_t)ld, ld);
}

/* a, w and multipliers from block 1; with massless directions K0 also the velocities along these,
   which their balance gam determines: W K0 = 0, so that gI and hv do not notice. */
static bool correct_first(dfl_tangents *tan, int column)
{
    const dfl_system *sys = tan->sys;
    const int m1 = sys->m1, n1 = sys->n1, n0 = sys->eom->n0, rows = m1 + n0, columns = n1 + n0;
    dfl_point *y = &tan->tangent[0];
    if (n0 == 0)
        return correct(tan, column, tan->jac[0].J1, m1, m1, 0, n1, y->alg);
    double *A = tan->work, *b = A + (size_t)rows * (size_t)columns, *change = b + rows;
    fill_first(A, rows, tan, tan->jac[0].J1, m1, 0, m1);
    fill_first(A + m1, rows, tan, tan->jac[0].J2, sys->m2, sys->nc, n0);
    memcpy(b, y->alg, (size_t)m1 * sizeof *b);
    memcpy(b + m1, y->alg + m1 + sys->nc, (size_t)n0 * sizeof *b);
    if (!dfl_lstsq_solve(change, tan->lstsq, rows, columns, A, b, 1e-11, NULL))
        return false;
    for (int i = 0; i < n1; i++)
        y->x[i] -= change[i];
    dfl_gemm(sys->n3, 1, n0, -1, tan->stage[0].blocks.K0, sys->n3, change + n1, n0, 1,
             y->x + sys->at.v, sys->n3);
    dfl_rows_tangent(y, &tan->jac[0], sys, &tan->slopes[0], column);
    return true;
}

/* How far the derivatives were moved, in parts of their kind; what is nothing to the state when the
   parameter changes by its size, or to the derivatives before, is nothing. */
static void note_moved(dfl_tangents *tan, int column, const double *before, const double *tolerance)
{
    const dfl_system *sys = tan->sys;
    const dfl_point *y = &tan->tangent[0], *here = &tan->stage[0];
    const double size = tan->parameters.size ? fabs(tan->parameters.size[column]) : 1;
    const int moving = sys->n - sys->at.v;
    const double state = fmax(dfl_max_abs(here->x + sys->at.v, moving) / fmax(size, 1),
                              dfl_max_abs(before + sys->at.v, moving));
    for (int i = sys->at.v; i < sys->n; i++) {
        const bool speed = i < sys->at.sp;
        const int first = speed ? sys->at.v : sys->at.sp, count = speed ? sys->n3 : sys->n4;
        const double given = tan->Y[(size_t)column * (size_t)sys->n + (size_t)i];
        const double kind = fmax(dfl_max_abs(y->x + first, count), fabs(given));
        const double moved = fabs(y->x[i] - given);
        if (moved > 1e-6 * state && tolerance &&
            moved * fmax(size, 1) > 1e-2 * tolerance[i - sys->na])
            tan->moved = fmax(tan->moved, moved / kind);
    }
}

/* Positions and s from c and g, velocities from gI and hv, then the rest from block 1 and gam. The
   invariants keep what they have then. tan->y: the derivatives before; tolerance: of the unknowns,
   or NULL. */
static bool complete(dfl_tangents *tan, int column, const double *tolerance)
{
    const dfl_system *sys = tan->sys;
    const dfl_eom *eom = sys->eom;
    const int n = sys->n;
    dfl_point *y = &tan->tangent[0];
    const double *vel = y->alg + sys->m1, *pos = vel + sys->m2;
    memcpy(y->x, tan->Y + (size_t)column * (size_t)n, (size_t)n * sizeof *y->x);
    dfl_rows_tangent(y, &tan->jac[0], sys, &tan->slopes[0], column);
    if (!correct(tan, column, tan->jac[0].J3, sys->m3, eom->ns + eom->nl, sys->at.sp, sys->n4,
                 pos) ||
        !correct(tan, column, tan->jac[0].J2 + (size_t)sys->at.v * (size_t)sys->m2, sys->m2,
                 sys->nc, sys->at.v, sys->n3, vel))
        return false;
    note_moved(tan, column, tan->y, tolerance);
    if (!correct_first(tan, column))
        return false;
    dfl_tangents_keep(tan->Y, tan->A, tan, 0, column);
    double *level = tan->level + (size_t)column * (size_t)(eom->ne + eom->nep);
    memcpy(level, y->blocks.e, (size_t)eom->ne * sizeof *level);
    memcpy(level + eom->ne, y->blocks.ep, (size_t)eom->nep * sizeof *level);
    return true;
}
