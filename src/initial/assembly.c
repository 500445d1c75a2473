/* assembly.c: positions that satisfy c = g = ep = 0 from a rough guess.

   The least-change projection needs a good guess. From a far one the squares of all rows are
   made small by the steps of Levenberg and Marquardt,

       (J^T J + mu I) d = -J^T F,      x += d where that lowers |F|^2, with mu adapted,

   over the unknowns that are not held, from the guess and, if this ends in a local minimum, from
   points around it (always the same ones). Rows u^T w = 0 of perpendicular axes are satisfied by
   the opposite axis as well: the caller's `side`, which is 1 on the right solution, adds the rows
   1 - side, which have no such second solution; with packed matrices, whose patterns do not have
   these rows, solutions on the wrong side are only refused. */
#include "initial/packed_start.h"

#include "context/context.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_STEPS = 200, /* of one descent */
    RESTARTS = 40,
    MOST_RELEASED = 12 /* held unknowns that are released one by one, to find conflicts */
};

/* After this number of multiplications, about a second, no new descent begins; one descent may take
   ten times as many. */
static const double BUDGET = 1e9;

typedef struct descent {
    dfl_initial *init;
    const dfl_conditions *cond;
    int released; /* column that is treated as free although it is held, or -1 */
    int nfree, rows, nposition, nside;
    int *column;                /* nfree */
    double *size;               /* nfree: of the unknowns, which are counted in these units */
    double *row;                /* nposition: the sizes of rows, likewise */
    double *J, *F, *A, *d;      /* rows x nfree, rows, nfree x nfree, nfree */
    dfl_packed_descent *packed; /* instead of J and A */
    double *start, *best, *moved;
    double square, best_square; /* |F|^2 */
    int steps;                  /* of the last descent */
    double work;                /* multiplications so far */
    bool stationary;            /* the guess: no step lowers the square there */
} descent;

static dfl_status make_descent(descent *des, dfl_initial *init, const dfl_conditions *cond);
static void free_descent(descent *des);
static void choose_columns(descent *des);
static void measure_rows(descent *des);
static bool derive_at(dfl_initial *init);
static bool search(descent *des);
static bool descend(descent *des);
static bool evaluate_rows(descent *des);
static bool evaluate_sides(descent *des, double *out);
static bool derive_rows(descent *des);
static bool try_step(descent *des, double *mu);
static bool leaps(const descent *des);
static bool solve_step(descent *des, double mu);
static void begin_around(descent *des, int attempt);
static void keep_best(descent *des);
static void find_conflicts(descent *des);

bool dfl_assembly_closed(dfl_initial *init, const dfl_conditions *cond)
{
    const dfl_system *sys = &init->sys;
    const double *side = init->side;
    descent des = {.init = init, .cond = cond, .nside = cond->nsides};
    if (sys->packed ? !dfl_packed_start_holds(init) : !derive_at(init) || !dfl_stages_hold(init))
        return false;
    if (!evaluate_sides(&des, init->side))
        return false;
    for (int i = 0; i < cond->nsides; i++)
        if (!(side[i] > 0))
            return false;
    return true;
}

dfl_status dfl_assembly_search(bool *found, dfl_initial *init, const dfl_conditions *cond)
{
    descent des;
    *found = false;
    init->searched = true;
    init->nconflicts = 0;
    dfl_status status = make_descent(&des, init, cond);
    if (!status) {
        choose_columns(&des);
        *found = search(&des);
        memcpy(init->x, des.best, (size_t)init->sys.n * sizeof *des.best);
        if (*found && des.packed)
            dfl_packed_start_approach(init, cond);
        if (*found)
            memcpy(init->x0, init->x, (size_t)init->sys.n * sizeof *des.best);
        else if (des.stationary)
            init->failure = DFL_FAILURE_GUESS;
        else
            find_conflicts(&des);
    }
    free_descent(&des);
    return status;
}

dfl_status dfl_assembly_check_sides(dfl_initial *init, const dfl_conditions *cond)
{
    descent des = {.init = init, .cond = cond, .nside = cond->nsides};
    if (!evaluate_sides(&des, init->side))
        return dfl_fail(init->sys.ctx, DFL_CALLBACK, "the sides cannot be evaluated at t = %g",
                        init->point.t);
    for (int i = 0; i < cond->nsides; i++) {
        if (init->side[i] > 0)
            continue;
        char name[64];
        snprintf(name, sizeof name, "side %d", i);
        return dfl_fail(init->sys.ctx, DFL_INCONSISTENT,
                        "%s: the positions that satisfy the constraints at t = %g are mirrored "
                        "there (%.3g instead of 1); start from another guess",
                        cond->side_names ? cond->side_names[i] : name, init->point.t,
                        init->side[i]);
    }
    return DFL_OK;
}

static dfl_status make_descent(descent *des, dfl_initial *init, const dfl_conditions *cond)
{
    const dfl_system *sys = &init->sys;
    dfl_context *ctx = sys->ctx;
    const size_t n = (size_t)sys->n, free = (size_t)sys->n4, d = sizeof(double);
    const size_t full = sys->packed ? 0 : free;
    *des = (descent){.init = init, .cond = cond, .released = -1};
    des->nside = sys->packed ? 0 : cond->nsides;
    des->nposition = dfl_stages_position_rows(init);
    des->rows = des->nposition + des->nside;
    des->column = dfl_alloc(ctx, free, sizeof *des->column);
    des->size = dfl_alloc(ctx, free, d);
    des->row = dfl_alloc(ctx, (size_t)des->nposition, d);
    des->J = dfl_alloc(ctx, (size_t)des->rows * full, d);
    des->F = dfl_alloc(ctx, (size_t)des->rows, d);
    des->A = dfl_alloc(ctx, full * full, d);
    des->d = dfl_alloc(ctx, free, d);
    des->start = dfl_alloc(ctx, n, d);
    des->best = dfl_alloc(ctx, n, d);
    des->moved = dfl_alloc(ctx, n, d);
    const bool enough = des->column && des->size && des->row && des->J && des->F && des->A &&
                        des->d && des->start && des->best && des->moved;
    if (!enough)
        return DFL_NO_MEMORY;
    memcpy(des->start, init->x0, n * d);
    memcpy(des->best, init->x0, n * d);
    des->best_square = INFINITY;
    return sys->packed ? dfl_packed_descent_create(&des->packed, init) : DFL_OK;
}

static void free_descent(descent *des)
{
    dfl_context *ctx = des->init->sys.ctx;
    double *const block[] = {des->J,    des->F,     des->A,    des->d,  des->start,
                             des->best, des->moved, des->size, des->row};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(ctx, block[i]);
    dfl_free(ctx, des->column);
    dfl_packed_descent_free(des->packed, ctx);
}

static void choose_columns(descent *des)
{
    const dfl_system *sys = &des->init->sys;
    des->nfree = 0;
    for (int j = sys->at.sp; j < sys->at.sp + sys->n4; j++)
        if (j == des->released || !des->cond->held || !des->cond->held[j - sys->na]) {
            des->size[des->nfree] = dfl_system_told_size(sys, j - sys->na);
            des->column[des->nfree++] = j;
        }
    measure_rows(des);
    if (des->packed)
        dfl_packed_descent_scale(des->packed, des->column, des->size, des->nfree, des->row,
                                 des->nposition);
}

/* All rows of positions and their derivatives at init->x. */
static bool derive_at(dfl_initial *init)
{
    dfl_system *sys = &init->sys;
    if (sys->packed)
        return !dfl_packed_start_evaluate(init);
    memcpy(init->point.x, init->x, (size_t)sys->n * sizeof(double));
    return !dfl_system_eval_checked(sys, &init->point) &&
           !dfl_system_jacobian(&init->jac, sys, init->point.t, init->point.x, init->point.a);
}

/* row[i] := the largest of the derivatives of row i by unknown `column` times `size`, and row[i].
 */
static void measure_column(double *row, const descent *des, int column, double size)
{
    const dfl_initial *init = des->init;
    const int m3 = init->sys.m3, j = column - init->sys.at.sp;
    const dfl_csc *p = init->packed ? &init->packed->pos : NULL;
    for (int k = p ? p->start[j] : 0; p && k < p->start[j + 1]; k++)
        if (p->row[k] < des->nposition)
            row[p->row[k]] = fmax(row[p->row[k]], fabs(init->packed->jac.blocks.pos[k]) * size);
    for (int i = 0; !p && i < des->nposition; i++)
        row[i] = fmax(row[i], fabs(init->jac.J3[(long)j * m3 + i]) * size);
}

/* The largest change of each row of positions with unknowns of their sizes, at the guess and two
   points around it; rows of models whose sizes are not told are as they are. */
static void measure_rows(descent *des)
{
    dfl_initial *init = des->init;
    const dfl_system *sys = &init->sys;
    for (int i = 0; i < des->nposition; i++)
        des->row[i] = sys->eom->sizes ? 0 : 1;
    for (int place = 0; sys->eom->sizes && place < 3; place++) {
        begin_around(des, place);
        const bool known = derive_at(init);
        for (int k = 0; known && k < des->nfree; k++)
            measure_column(des->row, des, des->column[k], des->size[k]);
    }
    for (int i = 0; i < des->nposition; i++)
        if (!(des->row[i] > 0 && isfinite(des->row[i])))
            des->row[i] = 1;
}

/* Descents from the guess and around it until one ends at a solution. */
static bool search(descent *des)
{
    for (int attempt = 0; attempt < RESTARTS && des->nfree > 0; attempt++) {
        if ((attempt > 0 && des->work > BUDGET) || des->init->sys.stopped)
            break;
        begin_around(des, attempt);
        const bool closed = descend(des) && dfl_assembly_closed(des->init, des->cond);
        keep_best(des);
        /* nothing leads away from a stationary guess: which way is the user's choice */
        des->stationary = attempt == 0 && des->steps == 0;
        if (closed || des->stationary)
            return closed;
    }
    return false;
}

/* From init->x downwards; false if nothing can be evaluated there. */
static bool descend(descent *des)
{
    double mu = 1e-3, before = INFINITY;
    des->steps = 0;
    if (!evaluate_rows(des))
        return false;
    for (int it = 0; it < MOST_STEPS; it++) {
        if (!derive_rows(des))
            return false;
        if (des->work > 10 * BUDGET || !try_step(des, &mu))
            break;
        des->steps++;
        if (des->square < 1e-28)
            break;
        /* near a solution the squares shrink fast, near a local minimum hardly */
        if (it % 20 == 19) {
            if (des->square > 0.9 * before)
                break;
            before = des->square;
        }
    }
    return true;
}

/* F and its square at init->x. */
static bool evaluate_rows(descent *des)
{
    dfl_initial *init = des->init;
    dfl_system *sys = &init->sys;
    memcpy(init->point.x, init->x, (size_t)sys->n * sizeof(double));
    des->square = INFINITY;
    if (dfl_system_eval_checked(sys, &init->point) || !evaluate_sides(des, des->F + des->nposition))
        return false;
    memcpy(des->F, init->point.alg + sys->m1 + sys->m2, (size_t)des->nposition * sizeof(double));
    double sum = 0;
    for (int i = 0; i < des->rows; i++) {
        des->F[i] = i < des->nposition ? des->F[i] / des->row[i] : 1 - des->F[i];
        sum += des->F[i] * des->F[i];
    }
    if (!isfinite(sum))
        return false;
    des->square = sum;
    return true;
}

static bool evaluate_sides(descent *des, double *out)
{
    const dfl_initial *init = des->init;
    return des->nside == 0 ||
           !des->cond->side(out, init->point.t, init->x + init->sys.na, init->side_user);
}

/* J at init->x, where F was evaluated; the sides by differences. */
static bool derive_rows(descent *des)
{
    dfl_initial *init = des->init;
    const dfl_system *sys = &init->sys;
    if (!derive_at(init))
        return false;
    if (des->packed)
        dfl_packed_descent_derive(des->packed);
    for (int k = 0; !des->packed && k < des->nfree; k++) {
        const int j = des->column[k];
        double *to = des->J + (size_t)k * (size_t)des->rows, *side = init->side;
        const double *from = init->jac.J3 + (size_t)(j - sys->at.sp) * (size_t)sys->m3;
        const double size = des->size[k], x = init->x[j], delta = 1e-7 * fmax(size, fabs(x));
        for (int i = 0; i < des->nposition; i++)
            to[i] = from[i] * size / des->row[i];
        init->x[j] = x + delta;
        const bool known = evaluate_sides(des, side);
        init->x[j] = x;
        if (!known)
            return false;
        for (int i = 0; i < des->nside; i++)
            to[des->nposition + i] = (1 - side[i] - des->F[des->nposition + i]) * size / delta;
    }
    return true;
}

/* One step that lowers the square; false if there is none. */
static bool try_step(descent *des, double *mu)
{
    dfl_initial *init = des->init;
    const double square = des->square;
    for (; *mu < 1e12; *mu *= 8) {
        if (!solve_step(des, *mu) || leaps(des))
            continue;
        memcpy(des->moved, init->x, (size_t)init->sys.n * sizeof(double));
        for (int k = 0; k < des->nfree; k++)
            init->x[des->column[k]] += des->size[k] * des->d[k];
        if (evaluate_rows(des) && des->square < square) {
            *mu = fmax(1e-14, *mu / 10);
            return true;
        }
        memcpy(init->x, des->moved, (size_t)init->sys.n * sizeof(double));
    }
    evaluate_rows(des);
    return false;
}

/* Whether an unknown would change by more than its size, or by more than the largest of them has.
 */
static bool leaps(const descent *des)
{
    double size = 1, step = 0;
    for (int k = 0; k < des->nfree; k++) {
        size = fmax(size, fabs(des->start[des->column[k]]) / des->size[k]);
        step = fmax(step, fabs(des->d[k]));
    }
    return step > size;
}

/* (J^T J + mu I) d = -J^T F */
static bool solve_step(descent *des, double mu)
{
    const int n = des->nfree, m = des->rows;
    if (des->packed) {
        des->work += dfl_packed_descent_work(des->packed);
        return dfl_packed_descent_solve(des->d, des->packed, des->column, n, des->F, m, mu);
    }
    des->work += (double)n * n * (n / 6.0 + m / 2.0);
    for (int j = 0; j < n; j++) {
        const double *a = des->J + (size_t)j * (size_t)m;
        double *to = des->A + (size_t)j * (size_t)n;
        for (int i = j; i < n; i++) {
            const double *b = des->J + (size_t)i * (size_t)m;
            to[i] = i == j ? mu : 0;
            for (int k = 0; k < m; k++)
                to[i] += a[k] * b[k];
        }
        des->d[j] = 0;
        for (int k = 0; k < m; k++)
            des->d[j] -= a[k] * des->F[k];
    }
    if (!dfl_cholesky(des->A, n))
        return false;
    dfl_cholesky_forward(des->d, 1, des->A, n);
    dfl_cholesky_backward(des->d, des->A, n);
    return true;
}

/* The guess, or a point around it. */
static void begin_around(descent *des, int attempt)
{
    static const double radius[3] = {3.2, 1, 0.3};
    memcpy(des->init->x, des->start, (size_t)des->init->sys.n * sizeof(double));
    for (int k = 0; attempt > 0 && k < des->nfree; k++)
        des->init->x[des->column[k]] +=
            radius[attempt % 3] * des->size[k] * dfl_generic(attempt, k);
}

static void keep_best(descent *des)
{
    if (!(des->square < des->best_square))
        return;
    des->best_square = des->square;
    memcpy(des->best, des->init->x, (size_t)des->init->sys.n * sizeof(double));
}

/* The held unknowns of which releasing one makes a solution possible. */
static void find_conflicts(descent *des)
{
    dfl_initial *init = des->init;
    const dfl_system *sys = &init->sys;
    int tried = 0;
    for (int j = sys->at.sp; des->cond->held && j < sys->at.sp + sys->n4; j++) {
        if (!des->cond->held[j - sys->na] || tried++ >= MOST_RELEASED)
            continue;
        des->released = j;
        choose_columns(des);
        begin_around(des, 0);
        if (descend(des) && dfl_assembly_closed(init, des->cond) &&
            init->nconflicts < DFL_MOST_CONFLICTS)
            init->conflict[init->nconflicts++] = j;
    }
    memcpy(init->x, des->best, (size_t)sys->n * sizeof(double));
}
