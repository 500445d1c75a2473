/* The stages of the least-change projection and the check of all rows (see initial.c). */
#include "initial/stages.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 60 }; /* iterations of one stage; 5 to 11 are usual */

/* The unknowns and rows of a stage. */
typedef struct stage {
    int first_column, columns, first_row, rows;
    bool metric;               /* of M */
    int skip_first, skip_last; /* columns in between that do not take part */
} stage;

static dfl_status evaluate(dfl_initial *init);
static dfl_status run_stage(dfl_initial *init, const dfl_conditions *cond, stage st);
static bool metric_of_mass(dfl_initial *init, const dfl_conditions *cond, double massless);
static double massless_weight(const dfl_initial *init);

static stage position_stage(const dfl_system *sys)
{
    return (stage){.first_column = sys->off_sp,
                   .columns = sys->n4,
                   .first_row = sys->m1 + sys->m2,
                   .rows = sys->m3};
}

static stage velocity_stage(const dfl_initial *init)
{
    const dfl_system *sys = &init->sys;
    return (stage){.first_column = sys->off_v,
                   .columns = sys->n3,
                   .first_row = sys->m1,
                   .rows = init->without_invariants ? sys->m2 - sys->eom->ne : sys->m2,
                   .metric = true};
}

static stage first_stage(const dfl_system *sys)
{
    return (stage){.columns = sys->psi1 ? sys->eom->nw : sys->n1, .rows = sys->m1};
}

/* The last two together, for massless rows that contain w, l or m. */
static stage massless_stage(const dfl_system *sys)
{
    return (stage){.columns = sys->off_v + sys->n3,
                   .rows = sys->m1 + sys->m2,
                   .skip_first = first_stage(sys).columns,
                   .skip_last = sys->off_v};
}

dfl_status dfl_stages_project(dfl_initial *init, const dfl_conditions *cond)
{
    const dfl_system *sys = &init->sys;
    init->converged = true;
    dfl_status status = run_stage(init, cond, position_stage(sys));
    if (!status)
        status = run_stage(init, cond, velocity_stage(init));
    if (!status)
        status = run_stage(init, cond, first_stage(sys));
    const bool apart = sys->eom->forces_free_of_multipliers && sys->eom->nw == 0;
    if (!status && sys->eom->n0 > 0 && !apart)
        status = run_stage(init, cond, massless_stage(sys));
    return status;
}

dfl_status dfl_stages_accelerations(dfl_initial *init, const dfl_conditions *cond)
{
    const dfl_system *sys = &init->sys;
    static const dfl_conditions nothing_held = {0};
    if (sys->na == 0)
        return DFL_OK;
    const stage dynamics = {.columns = sys->na, .rows = sys->na};
    dfl_status status = run_stage(init, cond, dynamics);
    /* what a singular M leaves open follows from the constraints */
    const stage all = {.columns = sys->na, .rows = sys->m1};
    if (!status && !metric_of_mass(init, &nothing_held, 0))
        status = run_stage(init, cond, all);
    return status;
}

static dfl_status evaluate(dfl_initial *init)
{
    dfl_system *sys = &init->sys;
    memcpy(init->point.x, init->x, (size_t)sys->n * sizeof(double));
    dfl_outcome outcome = dfl_system_eval_checked(sys, &init->point);
    if (!outcome)
        return DFL_OK;
    if (outcome == DFL_STEP_NONFINITE) {
        char row[80];
        dfl_system_trouble_name(row, sizeof row, sys);
        return dfl_fail(sys->ctx, DFL_NOT_FINITE,
                        "%s returns NaN or Inf in %s at the start, t = %g", sys->trouble.callback,
                        row, init->point.t);
    }
    return dfl_fail(sys->ctx, DFL_CALLBACK, "%s fails at the start, t = %g", sys->trouble.callback,
                    init->point.t);
}

static dfl_status derivatives(dfl_initial *init)
{
    dfl_system *sys = &init->sys;
    dfl_outcome outcome =
        dfl_system_jacobian(&init->jac, sys, init->point.t, init->point.x, init->point.a);
    if (!outcome)
        return DFL_OK;
    if (outcome == DFL_STEP_NONFINITE) {
        char row[80];
        dfl_system_trouble_name(row, sizeof row, sys);
        return dfl_fail(sys->ctx, DFL_NOT_FINITE,
                        "%s returns NaN or Inf in the derivatives of %s at the start, t = %g",
                        sys->trouble.callback, row, init->point.t);
    }
    return dfl_fail(sys->ctx, DFL_CALLBACK, "%s fails at the start, t = %g", sys->trouble.callback,
                    init->point.t);
}

/* Derivative of algebraic row `row` with respect to column `column`. */
static double entry(const dfl_initial *init, int row, int column)
{
    const dfl_system *sys = &init->sys;
    const dfl_rows_jacobian *jac = &init->jac;
    if (row < sys->m1)
        return jac->J1[(size_t)column * (size_t)sys->m1 + (size_t)row];
    row -= sys->m1;
    if (row < sys->m2)
        return jac->J2[(size_t)column * (size_t)sys->m2 + (size_t)row];
    row -= sys->m2;
    column -= sys->off_sp;
    return column < 0 ? 0 : jac->J3[(size_t)column * (size_t)sys->m3 + (size_t)row];
}

dfl_status dfl_stages_all_rows(dfl_initial *init, int ld)
{
    const dfl_system *sys = &init->sys;
    const int rows = sys->m1 + sys->m2 + sys->m3;
    dfl_status status = evaluate(init);
    if (!status)
        status = derivatives(init);
    for (int j = 0; !status && j < sys->n; j++)
        for (int i = 0; i < rows; i++)
            init->J[(size_t)j * (size_t)ld + (size_t)i] = entry(init, i, j);
    memcpy(init->F, init->point.alg, (size_t)rows * sizeof(double));
    return status;
}

static bool is_held(const dfl_initial *init, const dfl_conditions *cond, int column)
{
    const int na = init->sys.na;
    return cond->held && column >= na && cond->held[column - na];
}

/* Whether the stage leaves the column alone. */
static bool is_fixed(const dfl_initial *init, const dfl_conditions *cond, stage st, int column)
{
    return is_held(init, cond, column) || (column >= st.skip_first && column < st.skip_last);
}

/* The Cholesky factor L of M + massless K0 K0^T restricted to the free velocities, or false: no such
   metric. */
static bool metric_of_mass(dfl_initial *init, const dfl_conditions *cond, double massless)
{
    const double *K0 = init->point.blocks.K0;
    const dfl_system *sys = &init->sys;
    const int nv = sys->n3;
    const bool diagonal = sys->diagonal;
    int nfree = 0;
    for (int j = 0; j < nv; j++)
        nfree += !is_held(init, cond, sys->off_v + j);
    int col = 0;
    for (int j = 0; j < nv; j++) {
        if (is_held(init, cond, sys->off_v + j))
            continue;
        int row = 0;
        for (int i = 0; i < nv; i++)
            if (!is_held(init, cond, sys->off_v + i)) {
                double sum = diagonal ? (i == j ? init->jac.M[i] : 0) : init->jac.M[j * nv + i];
                for (int k = 0; massless > 0 && k < sys->eom->n0; k++)
                    sum += massless * K0[k * nv + i] * K0[k * nv + j];
                init->L[col * nfree + row++] = sum;
            }
        col++;
    }
    return dfl_cholesky(init->L, nfree);
}

/* Velocities along massless directions are no one's choice: they cost next to nothing, so that what has
   mass keeps its velocity. The others change by this part of what they change. */
static double massless_weight(const dfl_initial *init)
{
    const dfl_system *sys = &init->sys;
    double largest = 0;
    for (int i = 0; i < sys->n3 && sys->eom->n0 > 0; i++)
        largest = fmax(largest, init->jac.M[sys->diagonal ? i : i * (sys->n3 + 1)]);
    return 1e-10 * largest;
}

/* y := L^-1 y, the row vector y^T := y^T L^-T */
static void scale_by_metric(double *y, int stride, const double *L, int n)
{
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++)
            y[j * stride] -= L[k * n + j] * y[k * stride];
        y[j * stride] /= L[j * n + j];
    }
}

/* y := L^-T y */
static void unscale_by_metric(double *y, const double *L, int n)
{
    for (int j = n - 1; j >= 0; j--) {
        for (int k = j + 1; k < n; k++)
            y[j] -= L[j * n + k] * y[k];
        y[j] /= L[j * n + j];
    }
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

/* Rows of J and F to unit maximum, so that units decide nothing; not those of invariants, which may be
   degenerate, nor rows in which only rounding is left. Columns only where the solution is unique: in the stage of accelerations, multipliers
   and auxiliary variables. */
static void equilibrate(dfl_initial *init, stage st, int nfree)
{
    const dfl_system *sys = &init->sys;
    const int ne = sys->eom->ne;
    double overall = 0;
    for (int k = 0; k < st.rows * nfree; k++)
        overall = fmax(overall, fabs(init->J[k]));
    for (int i = 0; i < st.rows; i++) {
        double largest = 0;
        for (int j = 0; j < nfree; j++)
            largest = fmax(largest, fabs(init->J[j * st.rows + i]));
        const int row = st.first_row + i;
        if (largest <= 1e-13 * overall || (row >= sys->row_e && row < sys->row_e + ne))
            continue;
        init->F[i] /= largest;
        for (int j = 0; j < nfree; j++)
            init->J[j * st.rows + i] /= largest;
    }
    for (int j = 0; j < nfree; j++) {
        double largest = 0;
        for (int i = 0; i < st.rows; i++)
            largest = fmax(largest, fabs(init->J[j * st.rows + i]));
        const double scale = st.first_column == 0 && largest > 1e-14 ? 1 / largest : 1;
        init->column_scale[j] = scale;
        for (int i = 0; i < st.rows; i++)
            init->J[j * st.rows + i] *= scale;
    }
}

/* The size of a correction, relative to the largest unknown of its stage, and in the unknowns' units. */
typedef struct change {
    double relative, absolute;
} change;

/* The largest unknown of a stage, by which changes are measured; 1 if all are zero. */
static double stage_size(const dfl_initial *init, stage st)
{
    double largest = 0;
    for (int j = 0; j < st.columns; j++)
        largest = fmax(largest, fabs(init->x[st.first_column + j]));
    return largest > 0 ? largest : 1;
}

/* One correction and its size. */
static dfl_status correct(dfl_initial *init, const dfl_conditions *cond, stage st, bool metric,
                          change *size)
{
    const dfl_system *sys = &init->sys;
    double *J = init->J, *y0 = init->y, *F = init->F, *step = init->step;
    int nfree = 0;
    /* columns of J D and y0 = D^-1 (x0 - x), D = diag(1/weight) or L^-T */
    for (int j = 0; j < st.columns; j++) {
        const int column = st.first_column + j;
        if (is_fixed(init, cond, st, column))
            continue;
        const double w = metric ? 1 : weight(init, cond, column);
        y0[nfree] = column < sys->n1 ? 0 : (init->x0[column] - init->x[column]) * w;
        for (int i = 0; i < st.rows; i++)
            J[nfree * st.rows + i] = entry(init, st.first_row + i, column) / w;
        nfree++;
    }
    *size = (change){0, 0};
    if (nfree == 0 || st.rows == 0)
        return DFL_OK;
    if (metric) {
        metric_coordinates(y0, init->L, nfree);
        for (int i = 0; i < st.rows; i++)
            scale_by_metric(J + i, st.rows, init->L, nfree);
    }
    for (int i = 0; i < st.rows; i++) {
        F[i] = -init->point.alg[st.first_row + i];
        for (int j = 0; j < nfree; j++)
            F[i] -= J[j * st.rows + i] * y0[j];
    }
    equilibrate(init, st, nfree);
    /* the saddle of accelerations and multipliers has the squares of W's singular values */
    const double square = fmax(1e-13, init->rank_tolerance * init->rank_tolerance);
    const double noise = sys->eom->jacobian ? 0 : 1e-6; /* of differences with respect to v */
    const double tolerance = st.first_column > 0 ? init->rank_tolerance
                             : st.skip_first > 0 ? fmax(init->rank_tolerance, noise)
                                                 : square;
    if (!dfl_lstsq_solve(step, init->lstsq, st.rows, nfree, J, F, tolerance, NULL))
        return dfl_fail(sys->ctx, DFL_INCONSISTENT, "the start at t = %g cannot be made consistent",
                        init->point.t);
    for (int j = 0; j < nfree; j++)
        step[j] = step[j] * init->column_scale[j] + y0[j];
    if (metric)
        unscale_by_metric(step, init->L, nfree);
    const double largest = stage_size(init, st);
    for (int j = 0, k = 0; j < st.columns; j++) {
        const int column = st.first_column + j;
        if (is_fixed(init, cond, st, column))
            continue;
        const double dx = step[k++] / (metric ? 1 : weight(init, cond, column));
        init->x[column] += dx;
        size->absolute = fmax(size->absolute, fabs(dx));
        size->relative = fmax(size->relative, fabs(dx) / fmax(largest, fabs(init->x[column])));
    }
    return DFL_OK;
}

/* Accelerations and multipliers stand linearly in their rows: from the second correction on only rounding is left,
   a large part of them where masses are nearly singular, such as those of long chains. */
static bool is_linear(const dfl_system *sys, stage st)
{
    return st.first_column == 0 && st.skip_first == 0 && sys->eom->forces_free_of_multipliers &&
           sys->eom->nw == 0;
}

static dfl_status run_stage(dfl_initial *init, const dfl_conditions *cond, stage st)
{
    const double enough = is_linear(&init->sys, st) ? 1e-4 : 1e-8;
    change size = {0, 0};
    double last = INFINITY;
    for (int it = 0; it < MOST; it++) {
        dfl_status status = evaluate(init);
        if (!status)
            status = derivatives(init);
        if (status)
            return status;
        const bool metric =
            st.metric && !cond->weight && metric_of_mass(init, cond, massless_weight(init));
        status = correct(init, cond, st, metric, &size);
        if (status)
            return status;
        /* done, or at the level of rounding, where the corrections no longer shrink */
        if (size.relative <= 1e-14 || (is_linear(&init->sys, st) && size.relative >= 0.5 * last) ||
            (it > 2 && (size.relative <= 1e-10 || size.absolute <= 1e-4 * init->atol) &&
             size.relative >= 0.5 * last))
            break;
        last = size.relative;
    }
    init->converged =
        init->converged && (size.relative <= enough || size.absolute <= 1e-2 * init->atol);
    return DFL_OK;
}

/* The largest derivative of a row: a flat row says little about the unknowns by its residual. */
static double steepness(const dfl_initial *init, int row)
{
    double largest = 0;
    for (int j = 0; j < init->sys.n; j++)
        largest = fmax(largest, fabs(entry(init, row, j)));
    return largest;
}

/* What rounding leaves in a row: a small multiple of its terms. */
static double rounding(const dfl_initial *init, int row)
{
    const dfl_system *sys = &init->sys;
    double sum = 0;
    for (int j = 0; j < sys->n; j++)
        sum += fabs(entry(init, row, j) * init->x[j]);
    return 1e-13 * sum;
}

/* Appends the name of an unknown to a list; what has no room is left out. */
static void add_name(char *list, size_t size, const dfl_system *sys, int column)
{
    char name[64];
    int index;
    const dfl_kind kind = dfl_system_variable_kind(sys, column, &index);
    const size_t used = strlen(list);
    dfl_eom_name(name, sizeof name, sys->eom, kind, index);
    if (used + strlen(name) + 3 < size)
        snprintf(list + used, size - used, "%s%s", used ? ", " : "", name);
}

/* Whether a search found held positions without which the row could be satisfied. */
static bool conflicts_known(const dfl_initial *init, int row)
{
    return init->nconflicts > 0 && row >= init->sys.m1 + init->sys.m2;
}

/* The names of the held unknowns in conflict with row `row`: those that were found to be, or all that it
   depends on. */
static void held_names(char *list, size_t size, const dfl_initial *init, const dfl_conditions *cond,
                       int row)
{
    const dfl_system *sys = &init->sys;
    list[0] = 0;
    for (int k = 0; conflicts_known(init, row) && k < init->nconflicts; k++)
        add_name(list, size, sys, init->conflict[k]);
    if (list[0])
        return;
    for (int j = sys->na; j < sys->n; j++)
        if (is_held(init, cond, j) && entry(init, row, j) != 0)
            add_name(list, size, sys, j);
}

/* The stage that corrects row `row`. */
static stage stage_of_row(const dfl_initial *init, int row)
{
    const dfl_system *sys = &init->sys;
    if (row >= sys->m1 + sys->m2)
        return position_stage(sys);
    return row >= sys->m1 ? velocity_stage(init) : first_stage(sys);
}

/* Whether row `row` has a derivative with respect to anything that its stage may change. */
static bool can_be_corrected(const dfl_initial *init, const dfl_conditions *cond, int row)
{
    const stage st = stage_of_row(init, row);
    for (int j = st.first_column; j < st.first_column + st.columns; j++)
        if (!is_held(init, cond, j) && entry(init, row, j) != 0)
            return true;
    return false;
}

/* Of a row without such a derivative: the names of the unknowns that have one beside the point, so
   that another guess of them helps; none if the row does not contain them at all. False: not known,
   as the row cannot be evaluated there. The derivatives are those beside the point afterwards. */
static bool names_to_guess(char *list, size_t size, dfl_initial *init, const dfl_conditions *cond,
                           int row)
{
    dfl_system *sys = &init->sys;
    const stage st = stage_of_row(init, row);
    const double shift = 1e-3 * stage_size(init, st);
    const int end = st.first_column + st.columns;
    list[0] = 0;
    for (int j = st.first_column; j < end; j++)
        if (!is_held(init, cond, j)) /* unlike multiples, so that they do not cancel */
            init->point.x[j] = init->x[j] + shift * (1 + 0.618 * (j - st.first_column));
    if (dfl_system_jacobian(&init->jac, sys, init->point.t, init->point.x, init->point.a))
        return false;
    for (int j = st.first_column; j < end; j++)
        if (!is_held(init, cond, j) && entry(init, row, j) != 0)
            add_name(list, size, sys, j);
    return true;
}

/* Of a row that its stage cannot change from this guess: because of the guess, or in principle. */
static void explain_stuck_row(char *text, size_t size, dfl_initial *init,
                              const dfl_conditions *cond, int row, const char *held)
{
    char names[256];
    const bool known = names_to_guess(names, sizeof names, init, cond, row);
    if (names[0])
        snprintf(text, size, "; no free unknown can correct it from there: guess another %s",
                 names);
    else if (known && held[0])
        snprintf(text, size, "; held values in conflict: %s", held);
    else
        snprintf(text, size,
                 "; no free unknown can correct it from there: start from another guess");
}

/* What is wrong with a violated row, or may help against it. */
static void explain_row(char *text, size_t size, dfl_initial *init, const dfl_conditions *cond,
                        int row)
{
    char held[256];
    int index;
    const char *advice = "";
    held_names(held, sizeof held, init, cond, row);
    if (cond->mode == DFL_START_CHECK)
        advice = "; start with DFL_START_PROJECT to correct them";
    else if (dfl_system_alg_kind(&init->sys, row, &index) == DFL_ROW_F)
        advice =
            "; if a direction has neither mass nor constraint, declare it with n0, K0 and gam; "
            "a diagonal written by `mass` needs mass_diagonal";
    else if (!conflicts_known(init, row) && !can_be_corrected(init, cond, row)) {
        explain_stuck_row(text, size, init, cond, row, held);
        return;
    } else if (!held[0] && init->searched && row >= init->sys.m1 + init->sys.m2)
        advice =
            "; nothing near the guess satisfies all of them: check lengths and places, or start "
            "from another guess";
    else if (!held[0])
        advice = "; the correction did not converge: start from another guess";
    snprintf(text, size, "%s%s%s", held[0] ? "; held values in conflict: " : "", held, advice);
}

/* "rod on velocity level": a model gives a row and its derivatives in time the same name. */
static void row_name(char *text, size_t size, const dfl_system *sys, int row)
{
    static const char *const level[DFL_ROW_KIN + 1] = {
        [DFL_ROW_G] = " on position level",      [DFL_ROW_GI] = " on velocity level",
        [DFL_ROW_HV] = " on velocity level",     [DFL_ROW_GII] = " on acceleration level",
        [DFL_ROW_HI] = " on acceleration level",
    };
    char name[64];
    int index;
    const dfl_kind kind = dfl_system_alg_kind(sys, row, &index);
    dfl_eom_name(name, sizeof name, sys->eom, kind, index);
    snprintf(text, size, "%s%s", name, sys->eom->name && level[kind] ? level[kind] : "");
}

static dfl_status inconsistent(dfl_initial *init, const dfl_conditions *cond, int worst, int second,
                               int violated)
{
    const dfl_system *sys = &init->sys;
    const double residual = init->point.alg[worst];
    char name[96], row[96], other[128] = "", why[480];
    row_name(name, sizeof name, sys, worst);
    if (second >= 0) {
        row_name(row, sizeof row, sys, second);
        snprintf(other, sizeof other, ", then %s (%.3g)", row, init->point.alg[second]);
    }
    explain_row(why, sizeof why, init, cond, worst);
    return dfl_fail(sys->ctx, DFL_INCONSISTENT,
                    "the initial values at t = %g violate %d equation%s, most of all %s (residual "
                    "%.3g)%s%s",
                    init->point.t, violated, violated == 1 ? "" : "s", name, residual, other, why);
}

static bool is_violated(const dfl_initial *init, int row)
{
    const double bound = 10 * init->atol * fmin(1, steepness(init, row));
    return !(fabs(init->point.alg[row]) <= fmax(bound, rounding(init, row)));
}

bool dfl_stages_hold(const dfl_initial *init)
{
    const dfl_system *sys = &init->sys;
    for (int i = sys->m1 + sys->m2; i < sys->m1 + sys->m2 + sys->m3; i++)
        if (is_violated(init, i))
            return false;
    return true;
}

dfl_status dfl_stages_check(dfl_initial *init, const dfl_conditions *cond)
{
    const dfl_system *sys = &init->sys;
    const int rows = sys->m1 + sys->m2 + sys->m3;
    dfl_status status = evaluate(init);
    if (!status)
        status = derivatives(init);
    if (status)
        return status;
    const double *alg = init->point.alg;
    int worst = -1, second = -1, violated = 0;
    for (int i = rows - 1; i >= 0; i--) {
        if (i == sys->m1 + sys->m2 - 1 && violated > 0 && cond->mode == DFL_START_PROJECT)
            break; /* the others build on the positions */
        if (!is_violated(init, i))
            continue;
        violated++;
        if (worst < 0 || fabs(alg[i]) >= fabs(alg[worst]))
            second = worst, worst = i;
        else if (second < 0 || fabs(alg[i]) >= fabs(alg[second]))
            second = i;
    }
    if (worst < 0)
        return DFL_OK;
    return inconsistent(init, cond, worst, second, violated);
}
