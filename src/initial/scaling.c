/* scaling.c: rows and columns of a stage to unit maximum before its least-squares problem is
   solved, so that units decide nothing.

   A row of a constraint that is short at this position alone stays short: what rounding leaves of a
   row that vanishes there points anywhere. Rows of invariants are left alone, since they may be
   degenerate, and so are rows in which only rounding is left, such as those of constraints that
   vanish wherever the others hold. The stage of accelerations, multipliers and auxiliary variables
   mixes rows of all units: there constraints are compared only with constraints, and the columns,
   whose solution is unique, are scaled as well. Carried accelerations and multipliers first get
   units in which they weigh as much in the dynamics as auxiliary variables do. */
#include "initial/initial_internal.h"

#include <math.h>

static void weigh_columns(dfl_initial *init, dfl_initial_stage st, int nfree);
static void scale_rows(dfl_initial *init, dfl_initial_stage st, int nfree, int first, int last,
                       double rounding);
static void scale_columns(dfl_initial *init, dfl_initial_stage st, int nfree, bool multipliers,
                          double rounding);
static void scale_column(dfl_initial *init, dfl_initial_stage st, int j, double factor);

void dfl_stages_equilibrate(dfl_initial *init, dfl_initial_stage st, int nfree)
{
    const dfl_system *sys = &init->sys;
    for (int j = 0; j < nfree; j++)
        init->column_scale[j] = 1;
    if (st.first_column > 0) {
        scale_rows(init, st, nfree, 0, st.rows, init->strongly ? DFL_WEAK : 1e-13);
        return;
    }
    /* where accelerations are eliminated, their rows have the squares of W's sizes */
    const double of_rows = sys->carried ? 1e-13 : 1e-26;
    const int gI = sys->m1, gam = sys->row.gam;
    if (sys->carried && sys->eom->nw > 0)
        weigh_columns(init, st, nfree);
    scale_rows(init, st, nfree, 0, sys->row.acc, 0);
    scale_rows(init, st, nfree, sys->row.acc, sys->m1, of_rows);
    scale_rows(init, st, nfree, gI, gam, 1e-13);
    scale_rows(init, st, nfree, gam, sys->row.e, 0);
    scale_columns(init, st, nfree, false, 0);
    scale_columns(init, st, nfree, true, 1e-14);
    /* velocities should change little; compared with them, the rest costs almost nothing */
    for (int j = 0; st.skip_first > 0 && j < nfree; j++)
        if (init->column[j] < sys->n1)
            scale_column(init, st, j, 1e3);
}

/* A huge tolerance, of an unknown that does not matter, implies no unit. */
static double told_unit(const dfl_initial *init, int column)
{
    return fmin(dfl_system_told_size(&init->sys, column - init->sys.na),
                1e3 * fmax(1, fabs(init->x[column])));
}

/* Neither does a tiny one, which asks for relative errors: its column would vanish compared with
   the others. */
double dfl_stages_unit(const dfl_initial *init, int column)
{
    double largest = 0;
    if (column < init->sys.na)
        return 1;
    for (int j = init->sys.at.r; j < init->sys.n; j++)
        largest = fmax(largest, told_unit(init, j));
    return fmax(told_unit(init, column), 1e-6 * largest);
}

void dfl_stages_equilibrate_all(dfl_initial *init, int conditions)
{
    const dfl_system *sys = &init->sys;
    const int rows = sys->m1 + sys->m2 + sys->m3;
    const dfl_initial_stage all = {.columns = sys->n, .rows = rows + conditions};
    for (int j = 0; j < sys->n; j++) {
        init->column[j] = j;
        init->column_scale[j] = 1;
        scale_column(init, all, j, dfl_stages_unit(init, j));
    }
    scale_rows(init, all, sys->n, 0, sys->row.acc, 0);
    scale_rows(init, all, sys->n, sys->row.acc, sys->m1, sys->carried ? 1e-13 : 1e-26);
    scale_rows(init, all, sys->n, sys->m1, sys->row.gam, 1e-13);
    scale_rows(init, all, sys->n, sys->row.gam, sys->row.e, 0);
    scale_rows(init, all, sys->n, sys->m1 + sys->m2, rows, 1e-13);
    scale_rows(init, all, sys->n, rows, rows + conditions, 0);
    for (int j = 0; j < sys->n1; j++) {
        const double largest = dfl_max_abs_row(init->J + (size_t)j * (size_t)all.rows, all.rows, 1);
        if (largest > 1e-300 && largest < 1e-3)
            scale_column(init, all, j, 1 / largest);
    }
}

static bool is_between(int i, int first, int last)
{
    return i >= first && i < last;
}

static void scale_column(dfl_initial *init, dfl_initial_stage st, int j, double factor)
{
    init->column_scale[j] *= factor;
    for (int i = 0; i < st.rows; i++)
        init->J[(size_t)j * (size_t)st.rows + (size_t)i] *= factor;
}

/* Accelerations and multipliers in units in which they are as large in the dynamics as auxiliary
   variables. */
static void weigh_columns(dfl_initial *init, dfl_initial_stage st, int nfree)
{
    const dfl_system *sys = &init->sys;
    const int first[] = {0, sys->na, sys->at.l, sys->at.l + sys->nc};
    double size[3] = {0, 0, 0}; /* of accelerations and slacks, auxiliary variables, multipliers */
    for (int j = 0; j < nfree; j++)
        for (int k = 0; k < 3; k++)
            if (is_between(init->column[j], first[k], first[k + 1]))
                size[k] = fmax(size[k],
                               dfl_max_abs_row(init->J + (size_t)j * (size_t)st.rows, sys->n3, 1));
    for (int j = 0; size[1] > 0 && j < nfree; j++)
        for (int k = 0; k < 3; k += 2)
            if (size[k] > 0 && is_between(init->column[j], first[k], first[k + 1]))
                scale_column(init, st, j, size[1] / size[k]);
}

/* Rows first .. last-1 of the stage that exceed the part `rounding` of the largest of them. */
static void scale_rows(dfl_initial *init, dfl_initial_stage st, int nfree, int first, int last,
                       double rounding)
{
    const dfl_system *sys = &init->sys;
    double overall = 0;
    if (last > st.rows)
        last = st.rows;
    for (int i = first; i < last; i++)
        overall = fmax(overall, dfl_max_abs_row(init->J + i, nfree, st.rows));
    for (int i = first; i < last; i++) {
        const double largest = dfl_max_abs_row(init->J + i, nfree, st.rows);
        const int row = st.first_row + i;
        if (largest <= rounding * overall || largest == 0 ||
            (row >= sys->row.e && row < sys->row.e + sys->eom->ne))
            continue;
        const double factor = dfl_stages_shrinkage(init, row) / largest;
        init->F[i] *= factor;
        for (int j = 0; j < nfree; j++)
            init->J[j * st.rows + i] *= factor;
    }
}

double dfl_stages_shrinkage(const dfl_initial *init, int row)
{
    const dfl_system *sys = &init->sys;
    const int nl = sys->eom->nl, first_g = sys->m1 + sys->m2 + sys->eom->ns;
    int k = -1;
    if (row >= sys->row.acc && row < sys->row.acc + sys->nc && !sys->psi1)
        k = row - sys->row.acc;
    else if (row >= sys->m1 && row < sys->m1 + sys->nc)
        k = row - sys->m1;
    else if (row >= first_g && row < first_g + nl)
        k = row - first_g;
    if (k < 0 || !(init->row_size[k] > 0))
        return 1;
    const double *w = init->jac.J2 + (size_t)sys->at.v * (size_t)sys->m2 + k;
    const double now = dfl_max_abs_row(w, sys->n3, sys->m2);
    return now > 0 ? fmin(1, now / init->row_size[k]) : 1;
}

/* The same for the columns of multipliers, or for all others. */
static void scale_columns(dfl_initial *init, dfl_initial_stage st, int nfree, bool multipliers,
                          double rounding)
{
    const int off_l = init->sys.at.l, end = off_l + init->sys.nc;
    double overall = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < nfree; j++) {
            const double largest =
                dfl_max_abs_row(init->J + (size_t)j * (size_t)st.rows, st.rows, 1);
            if (is_between(init->column[j], off_l, end) != multipliers)
                continue;
            if (pass == 0)
                overall = fmax(overall, largest);
            else if (largest > rounding * overall)
                scale_column(init, st, j, 1 / largest);
        }
}
