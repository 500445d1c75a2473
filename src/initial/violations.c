/* violations.c: which rows the initial values violate, and what may help. */
#include "initial/initial_internal.h"

#include "context/context.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_violated(const dfl_initial *init, int row);
static double misfit_allowed(const dfl_initial *init, int row);
static double tolerance_of_row(const dfl_initial *init, int row);
static double rounding_of_flat_row(const dfl_initial *init, int row);
static double sum_of_terms(const dfl_initial *init, int row);
static double steepness(const dfl_initial *init, int row);
static dfl_status inconsistent(dfl_initial *init, const dfl_conditions *cond, int worst, int second,
                               int violated);
static void row_name(char *text, size_t size, const dfl_system *sys, int row);
static void explain_row(char *text, size_t size, dfl_initial *init, const dfl_conditions *cond,
                        int row);
static bool is_hidden(const dfl_initial *init, int row);
static const char *doubt_derivatives(const dfl_initial *init, int row);
static void held_names(char *list, size_t size, const dfl_initial *init, const dfl_conditions *cond,
                       int row);
static bool conflicts_known(const dfl_initial *init, int row);
static void add_name(char *list, size_t size, const dfl_system *sys, int column);
static bool can_be_corrected(const dfl_initial *init, const dfl_conditions *cond, int row);
static void explain_stuck_row(char *text, size_t size, dfl_initial *init,
                              const dfl_conditions *cond, int row, const char *held);
static bool names_to_guess(char *list, size_t size, dfl_initial *init, const dfl_conditions *cond,
                           int row);

dfl_status dfl_stages_check(dfl_initial *init, const dfl_conditions *cond)
{
    const dfl_system *sys = &init->sys;
    const int rows = sys->m1 + sys->m2 + sys->m3;
    const dfl_status status = dfl_stages_evaluate(init);
    if (status)
        return status;
    const double *alg = init->point.alg;
    int worst = -1, second = -1, violated = 0;
    for (int i = rows - 1; i >= 0; i--) {
        if (i == sys->m1 + sys->m2 - 1 && violated > 0 && cond->mode == DFL_START_PROJECT)
            break; /* the others build on the positions */
        if (dfl_initial_is_open(init, i) || !is_violated(init, i))
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

bool dfl_stages_hold(const dfl_initial *init)
{
    const dfl_system *sys = &init->sys;
    for (int i = sys->m1 + sys->m2; i < sys->m1 + sys->m2 + dfl_stages_position_rows(init); i++)
        if (is_violated(init, i))
            return false;
    return true;
}

bool dfl_initial_is_open(const dfl_initial *init, int row)
{
    const dfl_system *sys = &init->sys;
    const int first_ep = sys->m1 + sys->m2 + sys->m3 - sys->eom->nep;
    return (init->open_invariants || init->without_invariants) &&
           (row >= first_ep || (row >= sys->row.e && row < sys->row.e + sys->eom->ne));
}

static bool is_violated(const dfl_initial *init, int row)
{
    const int first = init->sys.m1 + init->sys.m2;
    double allowed = tolerance_of_row(init, row);
    const int end = first + dfl_stages_position_rows(init);
    for (int i = first; i < end && row >= first; i++) /* its terms may cancel */
        allowed = fmax(allowed, 1e-6 * tolerance_of_row(init, i));
    const double bound = 10 * (init->atol > 0 ? fmin(init->atol, allowed) : allowed);
    const double residual = fabs(init->point.alg[row]);
    return !(residual <= fmax(bound, dfl_stages_rounding(init, row)) ||
             residual <= rounding_of_flat_row(init, row) || residual <= misfit_allowed(init, row));
}

/* What constraints that need not fit may be off: the allowed part of the largest terms of all
   constraints on this level, or of what a change by 1 makes. */
static double misfit_allowed(const dfl_initial *init, int row)
{
    const dfl_system *sys = &init->sys;
    int index, other;
    const dfl_kind kind = dfl_system_alg_kind(sys, row, &index);
    const bool constraint = kind == DFL_ROW_G || is_hidden(init, row);
    const double part = row < sys->m1 ? 1e-11 : 1e-13;
    if (!constraint || init->redundant == 0)
        return 0;
    const bool nonholonomic = kind == DFL_ROW_HV || kind == DFL_ROW_HI;
    const double allowed =
        dfl_allowed_misfit(&sys->options->constraints, nonholonomic ? sys->eom->nl + index : index);
    double largest = 0;
    for (int i = row - index; allowed > 0; i++) {
        if (i >= sys->m1 + sys->m2 + sys->m3 || dfl_system_alg_kind(sys, i, &other) != kind)
            break;
        largest = fmax(largest, dfl_stages_rounding(init, i) / part + steepness(init, i));
    }
    return 10 * allowed * largest;
}

/* The residual that changes of the unknowns by their tolerances make, of accelerations by those of
   velocities times the rate of the motion. */
static double tolerance_of_row(const dfl_initial *init, int row)
{
    const dfl_system *sys = &init->sys;
    const dfl_solver_options *options = sys->options;
    if (init->atol > 0)
        return init->atol * steepness(init, row);
    const double *atol = options->error.atol_each, *atol_v = atol + sys->at.v - sys->na;
    double largest = row < sys->m1 ? options->rtol * sum_of_terms(init, row) : 0;
    for (int j = 0; j < sys->n; j++) {
        const double of_a = sys->leading_a && j < sys->n3 ? init->rate * atol_v[j] : 0;
        const double change = j < sys->na ? of_a : atol[j - sys->na];
        largest = fmax(largest, fabs(dfl_stages_entry(init, row, j)) * change);
    }
    for (int j = 0; row >= sys->row.acc && row < sys->m1 && j < sys->n3; j++) /* W a + bias */
        largest = fmax(largest, fabs(init->point.blocks.W[j * sys->nc + row - sys->row.acc]) *
                                    init->rate * atol_v[j]);
    return (largest > 0 ? largest : options->rtol) / dfl_stages_shrinkage(init, row);
}

/* What rounding leaves in a row that no unknown changes, such as the rows across the plane of a
   four-bar that is drawn in space: its terms cancel, and its derivatives are rounding themselves.
   The other rows of its level show the size of such terms; without any the size is 1. 0 if the row
   is not flat. */
static double rounding_of_flat_row(const dfl_initial *init, int row)
{
    const dfl_system *sys = &init->sys;
    const int level[] = {0, sys->m1, sys->m1 + sys->m2, sys->m1 + sys->m2 + sys->m3};
    int k = 0;
    double steepest = 0, largest = 0;
    while (row >= level[k + 1])
        k++;
    for (int i = level[k]; i < level[k + 1]; i++) {
        steepest = fmax(steepest, steepness(init, i));
        largest = fmax(largest, dfl_stages_rounding(init, i));
    }
    if (steepest < 1e-12)
        return 1e-13;
    return steepness(init, row) < 1e-12 * steepest ? fmax(largest, 1e-13 * steepest) : 0;
}

/* The largest derivative of a row, or what it would be if the row did not happen to vanish here:
   the residual of a flat row says little about the unknowns. */
static double steepness(const dfl_initial *init, int row)
{
    double largest = 0;
    for (int j = 0; j < init->sys.n; j++)
        largest = fmax(largest, fabs(dfl_stages_entry(init, row, j)));
    return largest / dfl_stages_shrinkage(init, row);
}

/* What rounding leaves in a row: a small multiple of its terms, which have their usual size also
   where the row happens to vanish. Rows of accelerations and
   multipliers are solved together, in units that may be far apart: more is left there. */
double dfl_stages_rounding(const dfl_initial *init, int row)
{
    return (row < init->sys.m1 ? 1e-11 : 1e-13) * sum_of_terms(init, row) /
           dfl_stages_shrinkage(init, row);
}

static double sum_of_terms(const dfl_initial *init, int row)
{
    double sum = 0;
    for (int j = 0; j < init->sys.n; j++)
        sum += fabs(dfl_stages_entry(init, row, j) * init->x[j]);
    return sum;
}

static dfl_status inconsistent(dfl_initial *init, const dfl_conditions *cond, int worst, int second,
                               int violated)
{
    const dfl_system *sys = &init->sys;
    const double residual = init->point.alg[worst];
    char name[96], row[96], other[128] = "", why[700];
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

/* What is wrong with a violated row, or how to correct it. */
static void explain_row(char *text, size_t size, dfl_initial *init, const dfl_conditions *cond,
                        int row)
{
    char held[256], rigid[400], smaller[120];
    int index;
    const char *advice = "";
    snprintf(smaller, sizeof smaller,
             "; redundant = %g may leave out constraints that are needed: give a smaller one",
             init->redundant);
    held_names(held, sizeof held, init, cond, row);
    rigid[0] = 0;
    if (is_hidden(init, row) && cond->mode == DFL_START_PROJECT)
        dfl_initial_rigid(rigid, sizeof rigid, init);
    if (rigid[0]) {
        snprintf(text, size, "%s%s%s", held[0] ? "; held values in conflict: " : "", held, rigid);
        return;
    }
    if (cond->mode == DFL_START_CHECK)
        advice = "; start with DFL_START_PROJECT to correct them";
    else if (init->redundant > 0 && row < init->sys.m1)
        advice = smaller;
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
    snprintf(text, size, "%s%s%s%s", held[0] ? "; held values in conflict: " : "", held, advice,
             held[0] || cond->mode == DFL_START_CHECK ? "" : doubt_derivatives(init, row));
}

static bool is_hidden(const dfl_initial *init, int row)
{
    int index;
    const dfl_kind kind = dfl_system_alg_kind(&init->sys, row, &index);
    return kind == DFL_ROW_GI || kind == DFL_ROW_HV || kind == DFL_ROW_GII || kind == DFL_ROW_HI;
}

/* A hidden constraint is linear in the velocities, the next one in accelerations and, mostly,
   multipliers: a correction that fails there suggests a wrong model rather than a bad guess. */
static const char *doubt_derivatives(const dfl_initial *init, int row)
{
    return is_hidden(init, row)
               ? ", or the model's derivatives are wrong (self_check looks for that)"
               : "";
}

/* The names of the held unknowns in conflict with row `row`: those that a search found, or all that
   it depends on. */
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
        if (dfl_stages_held(init, cond, j) && dfl_stages_entry(init, row, j) != 0)
            add_name(list, size, sys, j);
}

/* Whether a search found held positions without which the row could be satisfied. */
static bool conflicts_known(const dfl_initial *init, int row)
{
    return init->nconflicts > 0 && row >= init->sys.m1 + init->sys.m2;
}

/* Appends the name of an unknown to a list, if there is room. */
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

/* Whether row `row` has a derivative with respect to anything that its stage may change. */
static bool can_be_corrected(const dfl_initial *init, const dfl_conditions *cond, int row)
{
    const dfl_initial_stage st = dfl_stages_of_row(init, row);
    for (int j = st.first_column; j < st.first_column + st.columns; j++)
        if (!dfl_stages_held(init, cond, j) && dfl_stages_entry(init, row, j) != 0)
            return true;
    return false;
}

/* For a row that its stage cannot change from this guess: because of the guess, or in principle. */
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
                 "; no free unknown can correct it from there: start from another guess%s",
                 doubt_derivatives(init, row));
}

/* For a row without such a derivative: the names of the unknowns that have one near the point, so
   that another guess of them helps; none if the row does not contain them at all. False: not known,
   since the row cannot be evaluated there. Afterwards the derivatives are those near the point. */
static bool names_to_guess(char *list, size_t size, dfl_initial *init, const dfl_conditions *cond,
                           int row)
{
    dfl_system *sys = &init->sys;
    const dfl_initial_stage st = dfl_stages_of_row(init, row);
    const double shift = 1e-3 * dfl_stages_size(init, st);
    const int end = st.first_column + st.columns;
    list[0] = 0;
    for (int j = st.first_column; j < end; j++)
        if (!dfl_stages_held(init, cond, j)) /* unlike multiples, so that they do not cancel */
            init->point.x[j] = init->x[j] + shift * (2 + dfl_generic(0, j));
    if (dfl_system_jacobian(&init->jac, sys, init->point.t, init->point.x, init->point.a))
        return false;
    for (int j = st.first_column; j < end; j++)
        if (!dfl_stages_held(init, cond, j) && dfl_stages_entry(init, row, j) != 0)
            add_name(list, size, sys, j);
    return true;
}
