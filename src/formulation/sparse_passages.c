/* Whether a step with sparse matrices has passed a singular position.

   It has if
   W(to) D^-1 W(from)^T has lost the positive definite symmetric part that W W^T has: y with
   W(to)^T y = 0 in between, continued, turns y^T W(to) D^-1 W(from)^T y negative. With A = W(to) +
   W(from) and B = W(to) - W(from) this part is (A D^-1 A^T - B D^-1 B^T)/2: its inertia is that of
   the pivots of [D 0 A^T; 0 -D B^T; A B 0]. It is a sufficient condition for any D: in doubt one in
   which columns are as long as rows is tried, and both again growing along the mechanism
   (sparse_grading.c), then the way is divided, and if that does not help the step becomes smaller.
 */
#include "formulation/sparse_form.h"

#include <math.h>
#include <string.h>

/* A metric in which the columns of W are as long as its rows are (a few sweeps of the scaling of
   Ruiz 2001). Units of unknowns do not serve here: positions along a train are large, and beside
   them the two axles of a car look like one. */
static void balance(dfl_sparse_form *form, const double *W)
{
    enum { SWEEPS = 4 };
    const dfl_csc *pattern = &form->W;
    double *D = form->balance, *length = D + pattern->columns;
    for (int j = 0; j < pattern->columns; j++)
        D[j] = 1;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        memset(length, 0, (size_t)pattern->rows * sizeof *length);
        for (int j = 0; j < pattern->columns; j++)
            for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
                length[pattern->row[k]] += W[k] * W[k] / D[j];
        for (int j = 0; j < pattern->columns; j++) {
            double sum = 0;
            for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
                if (length[pattern->row[k]] > 0)
                    sum += W[k] * W[k] / length[pattern->row[k]];
            if (sum > 0 && isfinite(sum))
                D[j] = sum;
        }
    }
}

/* Directions in which the rows turn round on the way from one W to the other. */
static int turns_between(dfl_sparse_form *form, const double *from, const double *to)
{
    const int nv = form->base.sys->n3, entries = form->W.start[form->W.columns];
    double *D = form->twice, *A = D + 2 * nv, *B = A + entries;
    const int grading = form->measure % (DFL_GRADINGS + 1);
    const double *factor = grading > 0 ? form->grading[grading - 1] : NULL;
    const double *metric = form->measure > DFL_GRADINGS ? form->balance : form->metric;
    for (int j = 0; j < nv; j++) {
        D[j] = metric[j];
        D[nv + j] = -metric[j];
    }
    for (int k = 0; k < entries; k++) {
        const double scale = factor ? factor[k] : 1;
        A[k] = scale * (to[k] + from[k]);
        B[k] = scale * (to[k] - from[k]);
    }
    return dfl_saddle_ldl_inertia(form->flip, D, A, form->dropped);
}

/* The same in `parts` parts of the way, with W at states on the straight line, up to the first that
   turns. */
static int turns_in_parts(dfl_sparse_form *form, const dfl_point *from, const dfl_point *to,
                          int parts)
{
    dfl_system *sys = form->base.sys;
    dfl_point *between = &form->scratch;
    const size_t size = (size_t)form->W.start[form->W.columns] * sizeof(double);
    int count = 0;
    memcpy(form->W_before, from->blocks.W, size);
    for (int k = 1; k <= parts && count == 0; k++) {
        const double part = (double)k / parts;
        between->t = from->t + part * (to->t - from->t);
        for (int i = 0; i < sys->n; i++)
            between->x[i] = from->x[i] + part * (to->x[i] - from->x[i]);
        if (k < parts && dfl_system_eval_blocks(sys, between, DFL_DIRECTIONS))
            return 1;
        const double *W = k < parts ? between->blocks.W : to->blocks.W;
        count = turns_between(form, form->W_before, W);
        memcpy(form->W_before, W, size);
    }
    return count;
}

/* In the metric that served last, or else in another one. */
static int turns_in_a_metric(dfl_sparse_form *form, const dfl_point *from, const dfl_point *to,
                             int parts)
{
    enum { MEASURES = 2 * (DFL_GRADINGS + 1) };
    const int first = form->measure;
    if (first > DFL_GRADINGS)
        balance(form, from->blocks.W);
    int count = turns_in_parts(form, from, to, parts);
    if (count > 0 && !form->grading[DFL_GRADINGS - 1] && dfl_sparse_grading_create(form))
        return count;
    if (count > 0 && first <= DFL_GRADINGS)
        balance(form, from->blocks.W);
    for (int k = 1; count > 0 && k < MEASURES; k++) {
        form->measure = (first + k) % MEASURES;
        count = turns_in_parts(form, from, to, parts);
    }
    if (count > 0)
        form->measure = first;
    return count;
}

/* Long chains are nearly singular everywhere: there small turns look like passages, until the way
   is divided, which costs less than shorter steps. The division of the last step is tried first. */
int dfl_sparse_flips(double *smallest, dfl_formulation *base, const dfl_point *from,
                     const dfl_point *to)
{
    enum { MOST_PARTS = 256 };
    dfl_sparse_form *form = (dfl_sparse_form *)base;
    int parts = form->parts > 4 ? form->parts / 4 : 1, count;
    do {
        count = turns_in_a_metric(form, from, to, parts);
        form->parts = parts;
        parts *= 4;
    } while (count > 0 && parts <= MOST_PARTS);
    base->sys->trouble.outcome = DFL_STEP_OK; /* states between say nothing about the motion */
    *smallest = count > 0 ? 0 : 1;            /* at the end of the step, which shrinks onto it */
    return count;
}
