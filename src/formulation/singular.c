/* The watch on singular positions: how weak the constraints are, which rows are weak, and whether a
   step has passed a singular position.

   Along a smooth motion through a singular position the weak singular values of W pass zero with
   continued singular vectors: eigenvalues of W(x_{k+1}) W(x_k)^+ change from positive to negative
   real part. */
#include "formulation/formulation_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ZERO_ROW = -1 };

static double row_distance(dfl_formulation *form, int row);
static int name_rows(char *text, size_t size, dfl_formulation *form, double least, double most);

int dfl_formulation_rank_found(const dfl_formulation *form)
{
    if (form->class->constraints)
        return form->class->constraints->rank_found(form);
    const int rank = form->dense->split2->rank;
    return rank >= 0 ? rank : 0;
}

bool dfl_formulation_decompose(dfl_formulation *form, const dfl_point *point)
{
    if (form->class->constraints)
        return form->class->constraints->decompose(form, point);
    return dfl_dense_split_velocity(form, point->blocks.W, form->sys->nc, form->rank2, NULL, NULL);
}

/* Rows are not scaled: one may vanish. */
double dfl_formulation_weakness(dfl_formulation *form, const dfl_point *point)
{
    if (form->class->constraints)
        return form->class->constraints->weakness(form, point);
    const dfl_system *sys = form->sys;
    const dfl_split_rule rule = {.method = DFL_METHOD_QR,
                                 .tolerance = 0,
                                 .rank = -1,
                                 .columns = dfl_formulation_units(form, sys->at.v)};
    dfl_split *split = form->dense->trial2;
    return dfl_split_compute(split, &rule, point->blocks.W, sys->nc, sys->nc, sys->n3)
               ? split->smallest / split->largest
               : NAN;
}

/* The largest row sum of |A - I|, order n. */
static double distance_from_unity(const double *A, int n)
{
    double distance = 0;
    for (int i = 0; i < n; i++) {
        double sum = fabs(A[i * n + i] - 1);
        for (int j = 0; j < n; j++)
            sum += j == i ? 0 : fabs(A[j * n + i]);
        distance = fmax(distance, sum);
    }
    return distance;
}

double dfl_formulation_drift(dfl_formulation *form, const dfl_point *point)
{
    if (form->class->constraints)
        return form->class->constraints->drift(form, point);
    const int nc = form->sys->nc, nv = form->sys->n3;
    double *A = form->dense->flip;
    dfl_gemm(nc, nc, nv, 1, point->blocks.W, nc, form->dense->split2->R, nv, 0, A, nc);
    return distance_from_unity(A, nc);
}

/* A := W(to) R + I - W(from) R, the identity for to = from. With independent rows that is W(to) R.
   With redundant rows R, of the rank of W, maps what is off the range of W(from) to zero, and A has
   eigenvalues 1 in its place. */
static void compare_rows(double *A, const dfl_formulation *form, const double *R,
                         const dfl_point *from, const dfl_point *to)
{
    const int nc = form->sys->nc, nv = form->sys->n3;
    dfl_gemm(nc, nc, nv, 1, to->blocks.W, nc, R, nv, 0, A, nc);
    if (form->defect == 0)
        return;
    dfl_gemm(nc, nc, nv, -1, from->blocks.W, nc, R, nv, 1, A, nc);
    for (int i = 0; i < nc; i++)
        A[i * nc + i] += 1;
}

double dfl_formulation_change(dfl_formulation *form, const dfl_point *from, const dfl_point *to)
{
    double *A = form->dense->flip;
    compare_rows(A, form, form->dense->split2->R, from, to);
    return distance_from_unity(A, form->sys->nc);
}

/* trial2 := the decomposition of W at a point, with the rank of the start. */
static bool split_rows_at(dfl_formulation *form, const dfl_point *point)
{
    dfl_dense *dense = form->dense;
    const int nc = form->sys->nc, nv = form->sys->n3;
    dfl_split_rule rule = {.method = DFL_METHOD_QR,
                           .tolerance = 1e-13,
                           .rank = -1,
                           .scale_rows = true,
                           .columns = dfl_formulation_units(form, form->sys->at.v)};
    if (form->defect > 0) {
        double *least = dense->least2 + form->sys->m2;
        dfl_dense_least_rows(least, form, point->blocks.W, nc);
        rule.method = DFL_METHOD_SVD;
        rule.rank = form->rank2;
        rule.least = least;
    }
    return dfl_split_compute(dense->trial2, &rule, point->blocks.W, nc, nc, nv);
}

int dfl_formulation_flips(double *smallest, dfl_formulation *form, const dfl_point *from,
                          const dfl_point *to)
{
    if (form->class->constraints)
        return form->class->constraints->flips(smallest, form, from, to);
    dfl_dense *dense = form->dense;
    const int nc = form->sys->nc;
    double *A = dense->flip, *re = A + nc * nc, *im = re + nc, *work = im + nc;
    int flips = 0;
    *smallest = 1;
    if (!split_rows_at(form, from))
        return 0;
    compare_rows(A, form, dense->trial2->R, from, to);
    if (!dfl_eigenvalues(re, im, A, nc, work))
        return 0;
    for (int i = 0; i < nc; i++) {
        flips += re[i] <= 0;
        *smallest = fmin(*smallest, re[i]);
    }
    return flips;
}

static int first_violated(const dfl_formulation *form, const dfl_point *point, const double *weight)
{
    const dfl_system *sys = form->sys;
    const int ns = sys->eom->ns, nl = sys->eom->nl, m3 = sys->m3;
    const double *G = form->dense->jac.J3 + ns;
    double largest = 0; /* derivatives of rounding size say nothing */
    for (int j = 0; j < sys->n4; j++)
        for (int i = 0; i < nl; i++)
            largest = fmax(largest, fabs(G[j * m3 + i]));
    if (largest < 1e-12) /* nothing but rounding: the rows are constants */
        largest = 1;
    for (int i = 0; i < nl; i++) {
        /* the size of the row in positions around, where it happens to vanish */
        const double least = fmax(1e-3 * largest, form->dense->least3[ns + i]);
        double allowed = 10 * dfl_allowed_misfit(&form->options->constraints, i) * least;
        for (int j = 0; j < sys->n4; j++)
            allowed += fmax(fabs(G[j * m3 + i]), least) / weight[sys->at.sp + j];
        if (fabs(point->blocks.g[i]) > allowed)
            return i;
    }
    return -1;
}

/* The first row hv that a change of all velocities by their tolerances would not explain, as nl +
   its number. */
static int first_slipping(const dfl_formulation *form, const dfl_point *point, const double *weight)
{
    const dfl_system *sys = form->sys;
    const int nl = sys->eom->nl, nm = sys->eom->nm, nc = sys->nc;
    const double *W = point->blocks.W;
    for (int i = 0; i < nm; i++) {
        double largest = 0, allowed = 0;
        for (int j = 0; j < sys->n3; j++)
            largest = fmax(largest, fabs(W[j * nc + nl + i]));
        for (int j = 0; j < sys->n3; j++)
            allowed += 10 * fmax(fabs(W[j * nc + nl + i]), 1e-3 * largest) / weight[sys->at.v + j];
        if (fabs(point->blocks.hv[i]) > allowed)
            return nl + i;
    }
    return -1;
}

int dfl_formulation_violated_row(const dfl_formulation *form, const dfl_point *point,
                                 const double *weight)
{
    if (form->defect == 0)
        return -1;
    if (form->class->constraints)
        return form->class->constraints->violated_row(form, point, weight);
    const int row = form->traits->position ? first_violated(form, point, weight) : -1;
    return row < 0 && form->traits->nonholonomic ? first_slipping(form, point, weight) : row;
}

bool dfl_formulation_depends_on_position(const dfl_formulation *form, int j)
{
    if (form->class->constraints)
        return form->class->constraints->depends_on_position(form, j);
    const dfl_system *sys = form->sys;
    const int ns = sys->eom->ns;
    const double *column = form->dense->jac.J3 + (size_t)(ns + j) * (size_t)sys->m3;
    for (int i = ns; i < ns + sys->eom->nl; i++)
        if (column[i] != 0)
            return true;
    return false;
}

/* The distance of a row of W from the space of the others, relative to its length; ZERO_ROW if it
   has none, NAN: unknown. */
static double row_distance(dfl_formulation *form, int row)
{
    const dfl_system *sys = form->sys;
    const int nc = sys->nc, nv = sys->n3, ld = sys->m2;
    const double *W = form->dense->jac.J2 + sys->at.v * ld;
    double *A = form->dense->least, *b = A + nv * nc, *l = b + nv, scale = 0, rest = 0;
    for (int j = 0; j < nv; j++) {
        for (int i = 0; i < nc; i++)
            A[i * nv + j] = i == row ? 0 : W[j * ld + i];
        b[j] = W[j * ld + row];
        scale += b[j] * b[j];
    }
    if (!dfl_lstsq_solve(l, form->dense->lstsq, nv, nc, A, b, form->dense->rank_tolerance, NULL))
        return NAN;
    for (int j = 0; j < nv; j++) {
        double value = W[j * ld + row];
        for (int i = 0; i < nc; i++)
            value -= i == row ? 0 : W[j * ld + i] * l[i];
        rest += value * value;
    }
    return scale > 0 ? sqrt(rest / scale) : ZERO_ROW;
}

/* A row takes part if it is at most ten times as far from the others as the closest row: its entry
   in the weakest left singular vector is then at least about a tenth of the largest. Rows that are
   zero are named only if there are no others: they may be zero everywhere. */
void dfl_formulation_weak_rows(char *text, size_t size, dfl_formulation *form)
{
    if (form->class->constraints) {
        form->class->constraints->weak_rows(text, size, form);
        return;
    }
    double closest = 1;
    for (int row = 0; row < form->sys->nc; row++) {
        const double distance = row_distance(form, row);
        if (distance >= 0)
            closest = fmin(closest, distance);
    }
    if (!name_rows(text, size, form, 0, fmax(10 * closest, 1e-2)) &&
        !name_rows(text, size, form, ZERO_ROW, ZERO_ROW))
        snprintf(text, size, "(no single rows)");
}

/* Names the rows whose distance is between two bounds; what has no room is left out. Returns their
   number. */
static int name_rows(char *text, size_t size, dfl_formulation *form, double least, double most)
{
    const dfl_system *sys = form->sys;
    const int nl = sys->eom->nl;
    size_t used = 0;
    int named = 0, total = 0;
    text[0] = 0;
    for (int row = 0; row < sys->nc; row++) {
        const double distance = row_distance(form, row);
        if (!(distance >= least && distance <= most))
            continue;
        total++;
        char name[64];
        dfl_eom_name(name, sizeof name, sys->eom, row < nl ? DFL_ROW_G : DFL_ROW_HV,
                     row < nl ? row : row - nl);
        if (used + strlen(name) + 8 < size) {
            used += (size_t)snprintf(text + used, size - used, "%s%s", named ? ", " : "", name);
            named++;
        }
    }
    if (named < total)
        snprintf(text + used, size - used, ", ...");
    return total;
}
