/* completion_stages.c: the stages of the least-change projection (see initial.c). */
#include "initial/initial_internal.h"

#include <math.h>
#include <string.h>

enum { MOST = 60 }; /* iterations of one stage; 5 to 11 are usual */

/* The size of a correction, relative to the largest unknown of its stage, and to the absolute
   tolerances; the largest correction of a multiplier, and of another unknown. */
typedef struct change {
    double relative, tolerances, of_multiplier, of_other;
} change;

static dfl_status run_stage(dfl_initial *init, const dfl_conditions *cond, dfl_initial_stage st);
static dfl_status massless_rows_settled(bool *settled, dfl_initial *init);
static bool is_linear(const dfl_system *sys, dfl_initial_stage st);
static dfl_status correct(change *size, dfl_initial *init, const dfl_conditions *cond,
                          dfl_initial_stage st, bool metric, const change *first);
static int linearize(dfl_initial *init, const dfl_conditions *cond, dfl_initial_stage st,
                     bool metric);
static double tolerance_of(const dfl_initial *init, dfl_initial_stage st);
static double size_of_multipliers(const dfl_initial *init);
static double absolute_tolerance(const dfl_initial *init, int column, double largest);
static change apply(dfl_initial *init, const dfl_conditions *cond, dfl_initial_stage st,
                    bool metric, const change *first);
static bool metric_of_mass(dfl_initial *init, const dfl_conditions *cond, double massless);
static double massless_weight(const dfl_initial *init);

int dfl_stages_position_rows(const dfl_initial *init)
{
    return init->open_invariants ? init->sys.m3 - init->sys.eom->nep : init->sys.m3;
}

/* The rows of block 2 that take part. */
static int velocity_rows(const dfl_initial *init)
{
    const bool without = init->without_invariants || init->open_invariants;
    return without ? init->sys.m2 - init->sys.eom->ne : init->sys.m2;
}

static dfl_initial_stage position_stage(const dfl_initial *init)
{
    const dfl_system *sys = &init->sys;
    return (dfl_initial_stage){.first_column = sys->at.sp,
                               .columns = sys->n4,
                               .first_row = sys->m1 + sys->m2,
                               .rows = dfl_stages_position_rows(init)};
}

static dfl_initial_stage velocity_stage(const dfl_initial *init)
{
    const dfl_system *sys = &init->sys;
    return (dfl_initial_stage){.first_column = sys->at.v,
                               .columns = sys->n3,
                               .first_row = sys->m1,
                               .rows = velocity_rows(init),
                               .metric = true};
}

static dfl_initial_stage first_stage(const dfl_system *sys)
{
    return (dfl_initial_stage){.columns = sys->psi1 ? sys->eom->nw : sys->n1, .rows = sys->m1};
}

dfl_initial_stage dfl_stages_of_row(const dfl_initial *init, int row)
{
    const dfl_system *sys = &init->sys;
    if (row >= sys->m1 + sys->m2)
        return position_stage(init);
    return row >= sys->m1 ? velocity_stage(init) : first_stage(sys);
}

/* The last two together, for massless rows that contain w, l or m. */
static dfl_initial_stage massless_stage(const dfl_initial *init)
{
    const dfl_system *sys = &init->sys;
    return (dfl_initial_stage){.columns = sys->at.v + sys->n3,
                               .rows = sys->m1 + velocity_rows(init),
                               .skip_first = first_stage(sys).columns,
                               .skip_last = sys->at.v};
}

dfl_status dfl_stages_positions(dfl_initial *init, const dfl_conditions *cond)
{
    init->converged = true;
    return run_stage(init, cond, position_stage(init));
}

bool dfl_stages_contacts(dfl_initial *init, const dfl_conditions *cond)
{
    const dfl_system *sys = &init->sys;
    const dfl_initial_stage contacts = {.first_column = sys->at.sp,
                                        .columns = sys->eom->ns,
                                        .first_row = sys->m1 + sys->m2,
                                        .rows = sys->eom->ns};
    init->converged = true;
    return !run_stage(init, cond, contacts) && init->converged;
}

dfl_status dfl_stages_project(dfl_initial *init, const dfl_conditions *cond)
{
    enum { ROUNDS = 3 };
    const dfl_system *sys = &init->sys;
    const bool apart = sys->eom->forces_free_of_multipliers && sys->eom->nw == 0;
    dfl_status status = DFL_OK;
    init->converged = true;
    if (position_stage(init).rows > 0) /* else there is nothing to evaluate for */
        status = dfl_stages_positions(init, cond);
    const bool positions = init->converged;
    bool settled = false;
    for (int round = 0; !status && !settled && round < ROUNDS; round++) {
        init->converged = positions;
        if (velocity_stage(init).rows > 0)
            status = run_stage(init, cond, velocity_stage(init));
        if (!status)
            status = run_stage(init, cond, first_stage(sys));
        settled = sys->eom->n0 == 0 || apart;
        if (!status && !settled)
            status = massless_rows_settled(&settled, init);
    }
    if (!status && !settled)
        status = run_stage(init, cond, massless_stage(init));
    return status;
}

/* Whether the massless rows hold to rounding with the multipliers and auxiliary variables that
   were found after them. */
static dfl_status massless_rows_settled(bool *settled, dfl_initial *init)
{
    const dfl_system *sys = &init->sys;
    const dfl_status status = dfl_stages_evaluate(init);
    *settled = true;
    for (int i = sys->row.gam; i < sys->row.gam + sys->eom->n0; i++)
        *settled = *settled && fabs(init->point.alg[i]) <= 10 * dfl_stages_rounding(init, i);
    return status;
}

dfl_status dfl_stages_accelerations(dfl_initial *init, const dfl_conditions *cond)
{
    const dfl_system *sys = &init->sys;
    static const dfl_conditions nothing_held = {0};
    if (sys->na == 0)
        return DFL_OK;
    const dfl_initial_stage dynamics = {.columns = sys->na, .rows = sys->na};
    dfl_status status = run_stage(init, cond, dynamics);
    /* what a singular M leaves open follows from the constraints */
    const dfl_initial_stage all = {.columns = sys->na, .rows = sys->m1};
    if (!status && !metric_of_mass(init, &nothing_held, 0))
        status = run_stage(init, cond, all);
    return status;
}

dfl_status dfl_stages_evaluate(dfl_initial *init)
{
    dfl_system *sys = &init->sys;
    const char *what = "";
    memcpy(init->point.x, init->x, (size_t)sys->n * sizeof(double));
    dfl_outcome outcome = dfl_system_eval_checked(sys, &init->point);
    if (!outcome) {
        what = "the derivatives of ";
        outcome = dfl_system_jacobian(&init->jac, sys, init->point.t, init->point.x, init->point.a);
    }
    if (!outcome)
        return DFL_OK;
    if (outcome != DFL_STEP_NONFINITE)
        return dfl_fail(sys->ctx, DFL_CALLBACK, "%s fails at the start, t = %g",
                        sys->trouble.callback, init->point.t);
    char row[80];
    dfl_system_trouble_name(row, sizeof row, sys);
    return dfl_fail(sys->ctx, DFL_NOT_FINITE, "%s returns NaN or Inf in %s%s at the start, t = %g",
                    sys->trouble.callback, what, row, init->point.t);
}

double dfl_stages_entry(const dfl_initial *init, int row, int column)
{
    const dfl_system *sys = &init->sys;
    const dfl_rows_jacobian *jac = &init->jac;
    if (row < sys->m1)
        return jac->J1[(size_t)column * (size_t)sys->m1 + (size_t)row];
    row -= sys->m1;
    if (row < sys->m2)
        return jac->J2[(size_t)column * (size_t)sys->m2 + (size_t)row];
    row -= sys->m2;
    column -= sys->at.sp;
    return column < 0 ? 0 : jac->J3[(size_t)column * (size_t)sys->m3 + (size_t)row];
}

dfl_status dfl_stages_all_rows(dfl_initial *init, int ld)
{
    const dfl_system *sys = &init->sys;
    const int rows = sys->m1 + sys->m2 + sys->m3;
    const dfl_status status = dfl_stages_evaluate(init);
    for (int j = 0; !status && j < sys->n; j++)
        for (int i = 0; i < rows; i++)
            init->J[(size_t)j * (size_t)ld + (size_t)i] = dfl_stages_entry(init, i, j);
    memcpy(init->F, init->point.alg, (size_t)rows * sizeof(double));
    return status;
}

bool dfl_stages_held(const dfl_initial *init, const dfl_conditions *cond, int column)
{
    const int na = init->sys.na;
    return cond->held && column >= na && cond->held[column - na];
}

/* Whether the stage leaves the column alone. */
static bool is_fixed(const dfl_initial *init, const dfl_conditions *cond, dfl_initial_stage st,
                     int column)
{
    return dfl_stages_held(init, cond, column) ||
           (column >= st.skip_first && column < st.skip_last);
}

/* The Cholesky factor L of M + massless K0 K0^T restricted to the free velocities, or false: no
   such metric. */
static bool metric_of_mass(dfl_initial *init, const dfl_conditions *cond, double massless)
{
    const double *K0 = init->point.blocks.K0;
    const dfl_system *sys = &init->sys;
    const int nv = sys->n3;
    const bool diagonal = sys->mass.diagonal;
    int nfree = 0;
    for (int j = 0; j < nv; j++)
        nfree += !dfl_stages_held(init, cond, sys->at.v + j);
    int col = 0;
    for (int j = 0; j < nv; j++) {
        if (dfl_stages_held(init, cond, sys->at.v + j))
            continue;
        int row = 0;
        for (int i = 0; i < nv; i++)
            if (!dfl_stages_held(init, cond, sys->at.v + i)) {
                double sum = diagonal ? (i == j ? init->jac.M[i] : 0) : init->jac.M[j * nv + i];
                for (int k = 0; massless > 0 && k < sys->eom->n0; k++)
                    sum += massless * K0[k * nv + i] * K0[k * nv + j];
                init->L[col * nfree + row++] = sum;
            }
        col++;
    }
    return dfl_cholesky(init->L, nfree);
}

/* Nobody chooses velocities along massless directions: changing them costs almost nothing, so that
   what has mass keeps its velocity. The others change by this fraction of their change. */
static double massless_weight(const dfl_initial *init)
{
    const dfl_system *sys = &init->sys;
    double largest = 0;
    for (int i = 0; i < sys->n3 && sys->eom->n0 > 0; i++)
        largest = fmax(largest, init->jac.M[sys->mass.diagonal ? i : i * (sys->n3 + 1)]);
    return 1e-10 * largest;
}

/* y := L^T y */
static void metric_coordinates(double *y, const double *L, int n)
{
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int k = j; k < n; k++)
            sum += L[j * n + k] * y[k];
        y[j] = sum;
    }
}

static double weight(const dfl_initial *init, const dfl_conditions *cond, int column)
{
    const int na = init->sys.na;
    return cond->weight && column >= na ? sqrt(cond->weight[column - na]) : 1;
}

static dfl_status run_stage(dfl_initial *init, const dfl_conditions *cond, dfl_initial_stage st)
{
    const double enough = is_linear(&init->sys, st) ? 1e-4 : 1e-8;
    change size = {0}, first = {0};
    double last = INFINITY;
    for (int it = 0; it < MOST; it++) {
        dfl_status status = dfl_stages_evaluate(init);
        if (status)
            return status;
        const bool metric =
            st.metric && !cond->weight && metric_of_mass(init, cond, massless_weight(init));
        status = correct(&size, init, cond, st, metric, &first);
        if (status)
            return status;
        if (it == 0)
            first = size;
        /* done, or at the level of rounding, where the corrections no longer shrink */
        if (size.relative <= 1e-14 || (is_linear(&init->sys, st) && size.relative >= 0.5 * last) ||
            (it > 2 && (size.relative <= 1e-10 || size.tolerances <= 1e-4) &&
             size.relative >= 0.5 * last))
            break;
        last = size.relative;
    }
    init->converged = init->converged && (size.relative <= enough || size.tolerances <= 1e-2);
    return DFL_OK;
}

/* The rows are linear in accelerations and multipliers: from the second correction on only rounding
   is left. It is a large part of them if masses are nearly singular, as in long chains. */
static bool is_linear(const dfl_system *sys, dfl_initial_stage st)
{
    return st.first_column == 0 && st.skip_first == 0 && sys->eom->forces_free_of_multipliers &&
           sys->eom->nw == 0;
}

double dfl_stages_size(const dfl_initial *init, dfl_initial_stage st)
{
    const double largest = dfl_max_abs(init->x + st.first_column, st.columns);
    return largest > 0 ? largest : 1;
}

/* One correction and its size. */
static dfl_status correct(change *size, dfl_initial *init, const dfl_conditions *cond,
                          dfl_initial_stage st, bool metric, const change *first)
{
    const double *y0 = init->y;
    double *step = init->step;
    *size = (change){0};
    const int nfree = linearize(init, cond, st, metric);
    if (nfree == 0 || st.rows == 0)
        return DFL_OK;
    dfl_stages_equilibrate(init, st, nfree);
    if (!dfl_lstsq_solve(step, init->lstsq, st.rows, nfree, init->J, init->F,
                         tolerance_of(init, st), NULL))
        return dfl_fail(init->sys.ctx, DFL_INCONSISTENT,
                        "the start at t = %g cannot be made consistent", init->point.t);
    for (int j = 0; j < nfree; j++)
        step[j] = step[j] * init->column_scale[j] + y0[j];
    if (metric)
        dfl_cholesky_backward(step, init->L, nfree);
    *size = apply(init, cond, st, metric, first);
    return DFL_OK;
}

/* J D, y0 = D^-1 (x0 - x) and F = -rows - J D y0 of the free columns, D = diag(1/weight) or L^-T;
   returns how many they are. */
static int linearize(dfl_initial *init, const dfl_conditions *cond, dfl_initial_stage st,
                     bool metric)
{
    double *J = init->J, *y0 = init->y, *F = init->F;
    int nfree = 0;
    for (int j = 0; j < st.columns; j++) {
        const int column = st.first_column + j;
        if (is_fixed(init, cond, st, column))
            continue;
        const double w = metric ? 1 : weight(init, cond, column);
        y0[nfree] = column < init->sys.n1 ? 0 : (init->x0[column] - init->x[column]) * w;
        for (int i = 0; i < st.rows; i++)
            J[nfree * st.rows + i] = dfl_stages_entry(init, st.first_row + i, column) / w;
        init->column[nfree++] = column;
    }
    if (metric) {
        metric_coordinates(y0, init->L, nfree);
        for (int i = 0; i < st.rows; i++)
            dfl_cholesky_forward(J + i, st.rows, init->L, nfree);
    }
    for (int i = 0; i < st.rows; i++) {
        F[i] = -init->point.alg[st.first_row + i];
        for (int j = 0; j < nfree; j++)
            F[i] -= J[j * st.rows + i] * y0[j];
    }
    return nfree;
}

/* Of singular values: the saddle of accelerations and multipliers has the squares of W's. */
static double tolerance_of(const dfl_initial *init, dfl_initial_stage st)
{
    const double noise = init->sys.eom->jacobian ? 0 : 1e-6; /* of differences with respect to v */
    const double zero = fmax(init->rank_tolerance, init->redundant);
    if (st.first_column > 0)
        return init->strongly ? DFL_WEAK : zero;
    if (st.skip_first > 0)
        return fmax(zero, noise);
    return fmax(1e-13, zero * zero);
}

/* The largest multiplier, or 1e-6 of what would matter in the rows of accelerations and forces:
   multipliers have their own unit. */
static double size_of_multipliers(const dfl_initial *init)
{
    const dfl_system *sys = &init->sys;
    double largest = dfl_max_abs(init->x + sys->at.l, sys->nc), terms = 0, derivative = 0;
    for (int i = 0; i < sys->m1; i++) {
        double sum = 0, entry = 0;
        for (int j = 0; j < sys->n; j++)
            sum += fabs(dfl_stages_entry(init, i, j) * init->x[j]);
        for (int k = sys->at.l; k < sys->at.l + sys->nc; k++)
            entry = fmax(entry, fabs(dfl_stages_entry(init, i, k)));
        if (entry > derivative)
            derivative = entry, terms = sum;
    }
    if (derivative > 0)
        largest = fmax(largest, 1e-6 * terms / derivative);
    return largest > 0 ? largest : 1;
}

/* Of an unknown; `largest` is the largest one of its kind, by which accelerations and multipliers
   are judged unless a tolerance is given. Where nothing acts, multipliers are but rounding: a tiny
   part of their tolerance is nothing. */
static double absolute_tolerance(const dfl_initial *init, int column, double largest)
{
    const dfl_system *sys = &init->sys;
    if (init->atol > 0)
        return init->atol;
    const bool algebraic =
        column < sys->na || (column >= sys->at.l && column < sys->at.l + sys->nc);
    const double own = column < sys->na ? 0 : sys->options->error.atol_each[column - sys->na];
    return algebraic ? fmax(sys->options->rtol * largest, 1e-10 * own) : own;
}

/* Adds the step to the free columns. Unknowns that end at zero have the rounding of what the first
   correction changed: that is the size by which later ones are judged, too. */
static change apply(dfl_initial *init, const dfl_conditions *cond, dfl_initial_stage st,
                    bool metric, const change *first)
{
    const dfl_system *sys = &init->sys;
    const double of_stage = dfl_stages_size(init, st);
    const double of_multipliers = st.first_column == 0 ? size_of_multipliers(init) : of_stage;
    const double part = st.first_column == 0 ? 1e-8 : 0;
    change size = {0};
    for (int j = 0, k = 0; j < st.columns; j++) {
        const int column = st.first_column + j;
        if (is_fixed(init, cond, st, column))
            continue;
        const double dx = init->step[k++] / (metric ? 1 : weight(init, cond, column));
        init->x[column] += dx;
        const bool multiplier = column >= sys->at.l && column < sys->at.l + sys->nc;
        const double largest = multiplier ? fmax(of_multipliers, part * first->of_multiplier)
                                          : fmax(of_stage, part * first->of_other);
        double *moved = multiplier ? &size.of_multiplier : &size.of_other;
        *moved = fmax(*moved, fabs(dx));
        size.tolerances =
            fmax(size.tolerances, fabs(dx) / absolute_tolerance(init, column, largest));
        size.relative = fmax(size.relative, fabs(dx) / fmax(largest, fabs(init->x[column])));
    }
    return size;
}
