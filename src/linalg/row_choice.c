/* row_choice.c: which of the rows that depend on each other are left out.

   Elimination leaves out the last of them. Another row of the same combination is better left out
   if rows of its kind go first, or if it alone may be as far from the others as it is. The
   combination A_i = sum c_j A_j + rest follows from one solution with the factors of the other
   rows; the same rest is |rest| / |c_k| away from row k. */
#include "linalg/linalg.h"

#include "context/context.h"

#include <math.h>
#include <string.h>

/* Smaller parts of a combination are rounding. */
static const double tiny = 1e-6;

/* out (columns, zero) := row `row` of A; returns its squared length in the metric of D^-1. */
static double take_row(double *out, const dfl_csc *A, const double *D, const double *value, int row)
{
    double length2 = 0;
    for (int j = 0; j < A->columns; j++)
        for (int k = A->start[j]; k < A->start[j + 1]; k++)
            if (A->row[k] == row) {
                out[j] = value[k];
                length2 += value[k] * value[k] / D[j];
            }
    return length2;
}

/* Squared lengths of all rows. */
static void take_lengths(double *length2, const dfl_csc *A, const double *D, const double *value)
{
    memset(length2, 0, (size_t)A->rows * sizeof *length2);
    for (int j = 0; j < A->columns; j++)
        for (int k = A->start[j]; k < A->start[j + 1]; k++)
            length2[A->row[k]] += value[k] * value[k] / D[j];
}

/* Leaves out row i, which depends on others up to `distance` of its length, or a better one; -1:
   none may be. */
static int leave_one_out(dfl_row_choice *choice, dfl_saddle_ldl *ldl, int i, double distance)
{
    const dfl_csc *A = choice->A;
    double *x = choice->work, *c = x + A->columns, *length2 = c + A->rows;
    memset(x, 0, (size_t)(A->columns + A->rows) * sizeof *x);
    const double own2 = take_row(x, A, choice->D, choice->value, i);
    choice->left_out[i] = 1;
    dfl_saddle_ldl_factor(ldl, choice->D, choice->value, choice->zero, choice->left_out);
    dfl_saddle_ldl_solve(x, c, ldl);
    take_lengths(length2, A, choice->D, choice->value);
    c[i] = 1;
    int best = -1;
    double most = 0;
    for (int k = 0; k < A->rows; k++) {
        const double part = own2 > 0 ? fabs(c[k]) * sqrt(length2[k] / own2) : 0;
        if ((choice->left_out[k] && k != i) || part < tiny)
            continue;
        const double allowed = fmax(choice->zero, choice->allowed ? choice->allowed[k] : 0);
        const bool may = distance / part <= allowed || distance <= choice->zero;
        const double merit = part * (k >= choice->late ? 1e6 : 1) * fmax(allowed, choice->zero);
        if (may && merit > most)
            most = merit, best = k;
    }
    choice->left_out[i] = 0;
    if (best >= 0)
        choice->left_out[best] = 1;
    return best;
}

/* A row to look at: one that was left out although others go first, or one that is near
   enough to others for the allowance of some row. -1: none. */
static int next_doubt(const dfl_row_choice *choice, const dfl_saddle_ldl *ldl,
                      const unsigned char *seen, double widest)
{
    for (int i = 0; i < choice->A->rows; i++) {
        if (choice->left_out[i] || seen[i])
            continue;
        const bool takes = dfl_saddle_ldl_takes(ldl, i);
        const bool others_first =
            (i < choice->late && choice->late < choice->A->rows) ||
            (choice->allowed && widest > choice->zero && choice->allowed[i] < widest);
        if (!takes && others_first && !dfl_saddle_ldl_is_empty(ldl, i))
            return i;
        if (takes && widest > choice->zero && dfl_saddle_ldl_distance(ldl, i) <= widest)
            return i;
    }
    return -1;
}

/* How far the rows that are left out are from the others: of a sum of them, each with length 1 and
   one sign or another or, since rows that are left out twice may cancel, with generic lengths up to
   1. Pivots are squares, whose rounding looks like a distance of 1e-8. */
static double distance_of_sum(dfl_row_choice *choice, dfl_saddle_ldl *ldl, int attempt)
{
    enum { PASSES = 2 }; /* the second one takes out what rounding leaves of the first */
    const dfl_csc *A = choice->A;
    double *x = choice->work, *l = x + A->columns, *length2 = l + A->rows, sum = 0;
    take_lengths(length2, A, choice->D, choice->value);
    for (int i = 0; i < A->rows; i++) {
        const double any = dfl_generic(attempt, i), sign = any < 0 ? -1 : 1;
        const double length = attempt > 0 ? any : sign;
        l[i] = choice->left_out[i] && length2[i] > 0 ? length / sqrt(length2[i]) : 0;
    }
    memset(x, 0, (size_t)A->columns * sizeof *x);
    dfl_csc_add_transposed(x, A->start, A->row, A->columns, choice->value, 1, l);
    for (int pass = 0; pass < PASSES; pass++) {
        memset(l, 0, (size_t)A->rows * sizeof *l);
        dfl_saddle_ldl_solve(x, l, ldl);
        for (int j = 0; j < A->columns; j++)
            x[j] *= choice->D[j];
    }
    for (int j = 0; j < A->columns; j++)
        sum += x[j] * x[j] / choice->D[j];
    return sqrt(sum);
}

bool dfl_saddle_ldl_choose(dfl_row_choice *choice, dfl_saddle_ldl *ldl)
{
    const int rows = choice->A->rows;
    unsigned char *seen = choice->seen;
    double widest = choice->zero;
    memset(choice->left_out, 0, (size_t)rows);
    memset(seen, 0, (size_t)rows);
    choice->misfit = 0;
    for (int i = 0; choice->allowed && i < rows; i++)
        widest = fmax(widest, choice->allowed[i]);
    for (;;) {
        if (!dfl_saddle_ldl_factor(ldl, choice->D, choice->value, choice->zero, choice->left_out))
            return false;
        const int i = next_doubt(choice, ldl, seen, widest);
        if (i < 0)
            break;
        const double distance = dfl_saddle_ldl_distance(ldl, i);
        seen[i] = 1;
        if (leave_one_out(choice, ldl, i, distance) >= 0)
            choice->misfit = fmax(choice->misfit, distance);
    }
    choice->misfit = fmax(choice->misfit, dfl_saddle_ldl_dropped(ldl));
    for (int i = 0; i < rows; i++)
        choice->left_out[i] = !dfl_saddle_ldl_takes(ldl, i);
    double distance = 0;
    for (int attempt = 0; choice->misfit > 0 && attempt < 3; attempt++) {
        const double found = distance_of_sum(choice, ldl, attempt);
        distance = isnan(found) ? INFINITY : fmax(distance, found);
    }
    choice->misfit = fmin(choice->misfit, distance);
    return true;
}
