/* Ranks of the constraints, decided once at a consistent point, and the names of dependent rows.

   A rank must not depend on units: rows and columns are scaled to unit maximum before the SVD (a
   lever arm of a micrometre next to positions in metres does not make a row redundant). A row that
   vanishes at the start alone keeps its size from positions around (eom/row_sizes.c). Along the
   motion the decompositions work on W itself; their limit for zero is kept well below the smallest
   value of W at the start. */
#include "formulation/formulation_internal.h"

#include "context/context.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Rows and columns below this part of the largest entry contain nothing but rounding. */
static const double rounding_size = 1e-14;

/* In a position next to the start, known to about this part, smaller singular values are zero. */
static const double zero_nearby = 1e-8;

static int scaled_rank(double *ratio, dfl_formulation *form, dfl_split *split, const double *least,
                       double tolerance, const double *A, int lda, int m, int n);
static const double *misfits(const dfl_formulation *form, bool positions, int rows);
static void note_sizes(double *least, const double *A, int lda, int m, int n);
static void keep_sizes(double *least, const double *sizes, int count);
static dfl_status check_partition(const dfl_formulation *form);
static dfl_status judge(dfl_formulation *form, double t, int defect2, int defect3);

dfl_status dfl_formulation_ranks(dfl_formulation *form, const dfl_point *point, const double *sizes)
{
    if (form->class->constraints)
        return form->class->constraints->ranks(form, point, sizes);
    dfl_system *sys = form->sys;
    const dfl_eom *eom = sys->eom;
    const double *W = form->dense->jac.J2 + sys->at.v * sys->m2;
    double ratio2 = 1, ratio3 = 1;
    dfl_outcome outcome = dfl_system_jacobian(&form->dense->jac, sys, point->t, point->x, point->a);
    sys->stats->jacobians--; /* not one of the integration */
    sys->trouble.part = DFL_FAILURE_OTHER;
    if (outcome == DFL_STEP_STOP)
        return dfl_fail(sys->ctx, DFL_CALLBACK, "jacobian stopped the computation at t = %g",
                        point->t);
    if (outcome)
        return dfl_fail(sys->ctx, DFL_NOT_FINITE,
                        "the derivatives cannot be evaluated at the start, t = %g", point->t);
    note_sizes(form->dense->least3, form->dense->jac.J3, sys->m3, sys->m3, sys->n4);
    note_sizes(form->dense->least2, W, sys->m2, sys->nc, sys->n3);
    keep_sizes(form->dense->least3 + eom->ns, sizes, eom->nl);
    keep_sizes(form->dense->least2, sizes, sys->nc);
    form->rank3 = scaled_rank(&ratio3, form, form->dense->split3, form->dense->least3, 0,
                              form->dense->jac.J3, sys->m3, sys->m3, sys->n4);
    form->rank2 = scaled_rank(&ratio2, form, form->dense->split2, form->dense->least2, 0, W,
                              sys->m2, sys->nc, sys->n3);
    if (form->rank2 < 0 || form->rank3 < 0)
        return dfl_fail(sys->ctx, DFL_SINGULAR,
                        "the ranks of the constraints cannot be determined");
    form->defect = sys->nc - form->rank2;
    form->misfit =
        form->rank2 > 0 ? form->dense->split2->dropped / form->dense->split2->largest : 0;
    form->weakest = ratio2;
    form->dense->rank_tolerance = fmin(form->dense->rank_tolerance, 1e-3 * fmin(ratio2, ratio3));
    sys->stats->rank_position = form->rank3 - eom->ns - eom->nep;
    sys->stats->rank_velocity = form->rank2;
    if (!dfl_formulation_forces_determined(form, point))
        return dfl_formulation_undetermined(form, point->t);
    dfl_status status = check_partition(form);
    if (status)
        return status;
    if (form->class->start)
        form->class->start(form, point);
    return judge(form, point->t, form->defect, sys->m3 - form->rank3);
}

dfl_status dfl_formulation_undetermined(const dfl_formulation *form, double t)
{
    form->sys->trouble.part = DFL_FAILURE_MULTIPLIERS;
    return dfl_fail(
        form->sys->ctx, DFL_SINGULAR,
        "at t = %g the forces depend on multipliers that redundant constraints (rank %d "
        "of %d) leave undetermined; remove the redundant constraints",
        t, form->rank2, form->sys->nc);
}

static dfl_status check_combinations(const dfl_formulation *form)
{
    const dfl_constraint_options *c = &form->options->constraints;
    const int np = form->sys->eom->np, rows = c->ncombinations;
    const dfl_split_rule rule = {.method = DFL_METHOD_SVD, .tolerance = 1e-10, .rank = -1};
    dfl_context *ctx = form->sys->ctx;
    dfl_split *split = NULL;
    dfl_status status = dfl_split_create(&split, ctx, np, rows);
    if (!status) {
        dfl_split_compute(split, &rule, c->combinations, np, np, rows);
        if (split->rank < rows)
            status = dfl_fail(ctx, DFL_INVALID,
                              "the combinations of `independent` depend on each other");
    }
    dfl_split_free(split, ctx);
    return status;
}

/* There must be one independent coordinate for each degree of freedom. */
static dfl_status check_partition(const dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    const dfl_layout at = dfl_eom_layout(sys->eom);
    const bool *independent = form->options->constraints.independent;
    const int free_p = sys->n4 - form->rank3, free_v = sys->n3 - form->rank2;
    int p = 0, v = 0;
    for (int i = 0; independent && i < sys->eom->np; i++)
        p += independent[at.p + i];
    for (int i = 0; independent && i < sys->n3; i++)
        v += independent[at.v + i];
    if (independent && (p != free_p || v != free_v))
        return dfl_fail(sys->ctx, DFL_INVALID,
                        "`independent` names %d positions and %d velocities; the constraints leave "
                        "%d and %d free",
                        p, v, free_p, free_v);
    const int given = form->options->constraints.ncombinations;
    if (given > 0 && (given != free_p || given != free_v))
        return dfl_fail(
            sys->ctx, DFL_INVALID,
            "`independent` has %d combinations of coordinates; the constraints leave %d "
            "positions and %d velocities free",
            given, free_p, free_v);
    return given > 0 ? check_combinations(form) : DFL_OK;
}

/* Whether the dependent rows can be integrated, and how. */
static dfl_status judge(dfl_formulation *form, double t, int defect2, int defect3)
{
    dfl_system *sys = form->sys;
    const dfl_algebraic wanted = form->options->constraints.algebraic;
    sys->trouble.part = defect3 > 0 ? DFL_FAILURE_POSITION : DFL_FAILURE_VELOCITY;
    if (defect3 > defect2 || (sys->eom->nm == 0 && defect3 != defect2))
        return dfl_fail(sys->ctx, DFL_SINGULAR,
                        "at t = %g the position constraints have %d dependent rows, the velocity "
                        "constraints %d; a singular position, or constraints that do not belong "
                        "together (|q| = 1 must be an invariant ep, not a constraint)",
                        t, defect3, defect2);
    if (defect2 == 0)
        return DFL_OK;
    if (wanted == DFL_ALGEBRAIC_LU || wanted == DFL_ALGEBRAIC_QR) {
        char rows[256];
        dfl_formulation_weak_rows(rows, sizeof rows, form);
        return dfl_fail(sys->ctx, DFL_SINGULAR,
                        "constraints %s depend on each other (rank %d of %d at t = %g); use the "
                        "automatic or the SVD decomposition",
                        rows, form->rank2, sys->nc, t);
    }
    form->dense->method = DFL_METHOD_SVD;
    return DFL_OK;
}

int dfl_formulation_rank_at(dfl_formulation *form, const dfl_point *point)
{
    if (form->class->constraints)
        return form->class->constraints->rank_at(form, point);
    dfl_system *sys = form->sys;
    double ratio;
    dfl_outcome outcome = dfl_system_jacobian(&form->dense->jac, sys, point->t, point->x, point->a);
    sys->stats->jacobians--; /* not one of the integration */
    return outcome
               ? -1
               : scaled_rank(&ratio, form, form->dense->split2, form->dense->least2, zero_nearby,
                             form->dense->jac.J2 + sys->at.v * sys->m2, sys->m2, sys->nc, sys->n3);
}

static double largest_in_row(const double *A, int lda, int n)
{
    double largest = 0;
    for (int j = 0; j < n; j++)
        largest = fmax(largest, fabs(A[(size_t)j * (size_t)lda]));
    return largest;
}

/* If a rank is imposed along the motion, a row is treated as if it had at least 1e-4 of its size at
   the start: a row that vanishes may point anywhere. Rows of rounding size at the start, which
   vanish wherever the others are satisfied, are treated as 1e-4 of the largest. */
static void note_sizes(double *least, const double *A, int lda, int m, int n)
{
    double overall = 0;
    for (int i = 0; i < m; i++) {
        least[i] = largest_in_row(A + i, lda, n);
        overall = fmax(overall, least[i]);
    }
    for (int i = 0; i < m; i++)
        least[i] = 1e-4 * (least[i] > rounding_size * overall ? least[i] : overall);
}

/* Rows of constraints are never treated as smaller than they are here or around. */
static void keep_sizes(double *least, const double *sizes, int count)
{
    for (int i = 0; i < count; i++)
        least[i] = fmax(least[i], sizes[i]);
}

/* Massless rows have no least size; that of invariants, which may be degenerate, is 1e-4 of the
   largest row. */
void dfl_dense_least_rows(double *least, const dfl_formulation *form, const double *J2v, int m2)
{
    const dfl_system *sys = form->sys;
    const int nc = sys->nc, first = nc + sys->eom->n0;
    double overall = 0;
    for (int i = 0; i < m2; i++)
        overall = fmax(overall, largest_in_row(J2v + i, m2, sys->n3));
    for (int i = 0; i < m2; i++)
        least[i] = i < nc ? form->dense->least2[i] : i < first ? 0 : 1e-4 * overall;
}

/* Clears rows of rounding size: their terms have cancelled. */
static void clear_rounding(double *B, int m, int n, double overall)
{
    for (int i = 0; i < m; i++) {
        double largest = 0;
        for (int j = 0; j < n; j++)
            largest = fmax(largest, fabs(B[(size_t)j * (size_t)m + (size_t)i]));
        for (int j = 0; j < n && largest <= rounding_size * overall; j++)
            B[(size_t)j * (size_t)m + (size_t)i] = 0;
    }
}

/* B := A with unit maximum in every column; columns of rounding size are left as they are.
   sized[i] := least[i] in the scale of row i of B. */
static void equilibrate_columns(double *B, double *sized, const double *least, const double *A,
                                int lda, int m, int n)
{
    double overall = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            overall = fmax(overall, fabs(A[(size_t)j * (size_t)lda + (size_t)i]));
    for (int j = 0; j < n; j++) {
        const double *a = A + (size_t)j * (size_t)lda;
        double largest = 0;
        for (int i = 0; i < m; i++)
            largest = fmax(largest, fabs(a[i]));
        const double scale = largest > rounding_size * overall ? 1 / largest : 1;
        for (int i = 0; i < m; i++)
            B[(size_t)j * (size_t)m + (size_t)i] = scale * a[i];
    }
    clear_rounding(B, m, n, 1);
    for (int i = 0; i < m; i++) {
        const double here = largest_in_row(A + i, lda, n);
        sized[i] = here > 0 ? least[i] * (largest_in_row(B + i, m, n) / here) : least[i];
    }
}

/* What single rows of W, or of g among the position rows, may be apart; NULL: no more than all. */
static const double *misfits(const dfl_formulation *form, bool positions, int rows)
{
    const dfl_constraint_options *c = &form->options->constraints;
    const dfl_eom *eom = form->sys->eom;
    const int first = positions ? eom->ns : 0, count = positions ? eom->nl : form->sys->nc;
    double *more = form->dense->more;
    for (int i = 0; i < rows; i++) {
        const bool own = i >= first && i < first + count;
        more[i] = own ? dfl_allowed_misfit(c, i - first) : 0;
    }
    return c->redundant_each ? more : NULL;
}

/* The rank of A with rows and columns scaled, -1 if the SVD fails; singular values up to
   `tolerance`, or the tolerances of the options, are zero. *ratio: the smallest singular value
   within the rank over the largest, with scaled rows only, as in every later decomposition. */
static int scaled_rank(double *ratio, dfl_formulation *form, dfl_split *split, const double *least,
                       double tolerance, const double *A, int lda, int m, int n)
{
    dfl_split_rule rule = {.method = DFL_METHOD_SVD,
                           .tolerance =
                               fmax(fmax(tolerance, form->options->constraints.rank_tolerance),
                                    form->options->constraints.redundant),
                           .rank = -1,
                           .scale_rows = true,
                           .least = form->dense->sized};
    *ratio = 1;
    equilibrate_columns(form->dense->work, form->dense->sized, least, A, lda, m, n);
    const double *more = misfits(form, split == form->dense->split3, m);
    const int rank = rule.rank =
        dfl_lenient_rank(form->dense->sized, split, &rule, more, form->dense->work, m, m, n);
    rule.least = least;
    if (rank > 0 && dfl_split_compute(split, &rule, A, lda, m, n) && split->largest > 0)
        *ratio = split->smallest / split->largest;
    return rank;
}

/* The forces must not change with multipliers along the kernel of W^T. Tries one vector for each
   dimension of the kernel. */
bool dfl_formulation_forces_determined(dfl_formulation *form, const dfl_point *point)
{
    if (form->class->constraints)
        return form->class->constraints->forces_determined(form, point);
    dfl_system *sys = form->sys;
    const int nv = sys->n3, nc = sys->nc;
    dfl_point *other = &form->dense->jac.scratch;
    if (form->defect == 0 || sys->geoms || sys->eom->residual ||
        sys->eom->forces_free_of_multipliers)
        return true;
    for (int k = 0; k < form->defect; k++) {
        double *l = other->x + sys->at.l, *trial = form->dense->work, size = 1, change = 0,
               force = 1;
        memcpy(other->x, point->x, (size_t)sys->n * sizeof *l);
        memcpy(other->blocks.W, point->blocks.W, (size_t)(nc * nv) * sizeof *l);
        other->t = point->t;
        for (int i = 0; i < nc; i++)
            size = fmax(size, fabs(point->x[sys->at.l + i]));
        for (int i = 0; i < nc; i++)
            l[i] = trial[i] = 0.5 * size * dfl_generic(k, i);
        dfl_formulation_least_multipliers(other, form);
        for (int i = 0; i < nc; i++) /* trial - l lies in the kernel */
            l[i] = point->x[sys->at.l + i] + trial[i] - l[i];
        sys->stats->evaluations--;
        sys->stats->check_evaluations++;
        if (dfl_system_eval(sys, other))
            return true;
        for (int j = 0; j < nv; j++) { /* of f alone, without -W^T (l, m) */
            double difference = other->blocks.f[j] - point->blocks.f[j];
            force = fmax(force, fabs(point->blocks.f[j]));
            for (int i = 0; i < nc; i++) {
                const double w = point->blocks.W[j * nc + i];
                difference += w * (l[i] - point->x[sys->at.l + i]);
                force = fmax(force, fabs(w) * size);
            }
            change = fmax(change, fabs(difference));
        }
        if (change > 1e-8 * force)
            return false;
    }
    return true;
}
