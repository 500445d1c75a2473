/* Splits of the three blocks of algebraic rows: right inverses R and null-space bases N, with the
   ranks that were decided at the start (constraint_ranks.c) and are watched here. */
#include "formulation/projected.h"

#include <float.h>
#include <math.h>
#include <string.h>

static bool split_velocity(dfl_projected *form);
static dfl_outcome split_first(dfl_projected *form);
static void scale_first(dfl_projected *form, const double *A, int n);
static bool split_redundant(dfl_projected *form);
static void expand_multipliers(dfl_projected *form, int n);
static void remove_first_unknowns(dfl_projected *form);

dfl_outcome dfl_projected_split(dfl_projected *form)
{
    dfl_system *sys = form->base.sys;
    const double t = sys->trouble.t;
    dfl_split_rule rule = {.method = form->dense.method,
                           .tolerance = form->dense.rank_tolerance,
                           .leading = sys->eom->ns,
                           .favoured = form->have_selectors ? form->pivot_p : NULL,
                           .scale_rows = true,
                           .columns = dfl_formulation_units(&form->base, sys->at.sp),
                           .least = form->base.defect > 0 ? form->dense.least3 : NULL};
    if (!dfl_dense_split_known(form->dense.split3, &form->dense, &rule, form->dense.jac.J3, sys->m3,
                               sys->n4, form->base.rank3))
        return dfl_system_part_trouble(sys, DFL_STEP_RANK, DFL_FAILURE_POSITION, t);
    dfl_outcome outcome = split_first(form);
    if (outcome)
        return outcome;
    if (sys->eom->n0 > 0)
        remove_first_unknowns(form);
    return split_velocity(form)
               ? DFL_STEP_OK
               : dfl_system_part_trouble(sys, DFL_STEP_RANK, DFL_FAILURE_VELOCITY, t);
}

/* Whether blocks 2 and 3 are the same matrix, split by the same rule: with p' = v and without rows
   of velocities alone they are W = G. */
static bool blocks_agree(const dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const int m = sys->m3, n = sys->n3;
    const double *J2 = form->J2 + sys->at.v * m;
    const double *of_v = dfl_formulation_units(&form->base, sys->at.v),
                 *of_p = dfl_formulation_units(&form->base, sys->at.sp);
    if (form->m2 != m || sys->n4 != n || form->base.defect > 0 || sys->eom->n0 > 0 ||
        form->dense.method == DFL_METHOD_LU || form->dense.split3->rank != form->base.rank2)
        return false;
    if ((of_v || of_p) && (!of_v || !of_p || memcmp(of_v, of_p, (size_t)n * sizeof *of_v) != 0))
        return false;
    return memcmp(J2, form->dense.jac.J3, (size_t)(m * n) * sizeof *J2) == 0;
}

static bool split_velocity(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    return dfl_dense_split_velocity(&form->base, form->J2 + sys->at.v * form->m2, form->m2,
                                    form->base.rank2 + sys->eom->n0 + form->base.nactive,
                                    form->have_selectors ? form->pivot_v : NULL,
                                    blocks_agree(form) ? form->dense.split3 : NULL);
}

/* Splits A, which is square and regular but perhaps badly scaled: only an exact defect is an error,
   since the rank was decided on W. */
static bool split_regular(dfl_projected *form, const double *A, int n)
{
    const dfl_algebraic wanted = form->base.options->constraints.algebraic;
    dfl_split_rule rule = {
        .method = DFL_METHOD_LU, .tolerance = 1e-14, .rank = -1, .scale_rows = true};
    rule.columns_in_order = wanted == DFL_ALGEBRAIC_AUTO;
    if (wanted == DFL_ALGEBRAIC_SVD)
        rule = (dfl_split_rule){.method = DFL_METHOD_SVD, .rank = n};
    else if (wanted == DFL_ALGEBRAIC_QR)
        rule.method = DFL_METHOD_QR;
    bool regular = dfl_split_compute(form->split1, &rule, A, n, n, n);
    if (!regular && rule.columns_in_order) { /* full pivoting and scaling decide in the end */
        rule.columns_in_order = false;
        scale_first(form, A, n);
        regular = dfl_split_compute(form->split1, &rule, form->dense.work, n, n, n);
        for (int j = 0; regular && j < n; j++)
            for (int i = 0; i < n; i++)
                form->split1->R[(size_t)j * (size_t)n + (size_t)i] *= form->column_scale[i];
    }
    return regular;
}

/* The largest entry of rows i0 .. i1-1 and columns j0 .. j1-1 of A (leading dimension n). */
static double largest_entry(const double *A, int n, int i0, int i1, int j0, int j1)
{
    double largest = 0;
    for (int j = j0; j < j1; j++)
        for (int i = i0; i < i1; i++)
            largest = fmax(largest, fabs(A[(size_t)j * (size_t)n + (size_t)i]));
    return largest;
}

/* form->dense.work := A with scaled columns. Auxiliary variables may have any unit: accelerations
   and multipliers are first scaled so that they have the weight of auxiliary variables in the
   dynamics. */
static void scale_first(dfl_projected *form, const double *A, int n)
{
    const dfl_system *sys = form->base.sys;
    const int nv = sys->carried ? sys->n3 : 0, lead = sys->at.l < n ? sys->at.l : n;
    const double mass = largest_entry(A, n, 0, nv, 0, nv);
    const double auxiliary = largest_entry(A, n, 0, nv, sys->row.d, lead);
    const double force = largest_entry(A, n, 0, nv, lead, n);
    double *scale = form->column_scale;
    for (int j = 0; j < n; j++)
        scale[j] = 1;
    for (int j = 0; mass > 0 && auxiliary > 0 && j < nv; j++)
        scale[j] = auxiliary / mass;
    for (int j = lead; auxiliary > 0 && force > 0 && j < n; j++)
        scale[j] = auxiliary / force;
    memmove(form->dense.work, A, (size_t)n * (size_t)n * sizeof *A);
    double *row = form->column_scale + n;
    for (int i = 0; i < n; i++) {
        row[i] = 0;
        for (int j = 0; j < n; j++)
            row[i] = fmax(row[i], fabs(A[(size_t)j * (size_t)n + (size_t)i]) * scale[j]);
    }
    for (int j = 0; j < n; j++) {
        double *column = form->dense.work + (size_t)j * (size_t)n, largest = 0;
        for (int i = 0; i < n; i++)
            largest = fmax(largest, row[i] > 0 ? fabs(column[i]) / row[i] : 0);
        scale[j] = largest > 0 && 1 / largest <= DBL_MAX ? 1 / largest : 1;
        for (int i = 0; i < n; i++)
            column[i] *= scale[j];
    }
}

/* Block 1: [a sigma w l m] from the saddle system, or w alone. */
static dfl_outcome split_first(dfl_projected *form)
{
    dfl_system *sys = form->base.sys;
    const bool regular = sys->psi1 || form->base.defect == 0
                             ? split_regular(form, form->dense.jac.J1, sys->m1)
                             : split_redundant(form);
    return regular ? DFL_STEP_OK
                   : dfl_system_part_trouble(sys, DFL_STEP_SINGULAR, DFL_FAILURE_MULTIPLIERS,
                                             sys->trouble.t);
}

/* Block 1 with redundant constraints: the unknowns are the effect y of the multipliers
   (redundancy.h), and only independent rows of gII, hI are used. R and N are then expanded to all
   multipliers. */
static bool split_redundant(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const dfl_redundant *red = &form->dense.redundant;
    const int m1 = sys->m1, lead = sys->at.l, first = sys->row.acc, n = m1 - form->base.defect;
    double *A = form->dense.work;
    dfl_redundant_choose(&form->dense.redundant, form->dense.jac.J2 + sys->at.v * sys->m2, sys->m2,
                         form->dense.least2, form->base.rank2);
    if (red->rank < form->base.rank2)
        return false;
    for (int j = 0; j < n; j++) {
        const int column = j < lead ? j : lead + red->order[j - lead];
        for (int i = 0; i < n; i++) {
            const int row = i < first ? i : first + red->order[i - first];
            A[(size_t)j * (size_t)n + (size_t)i] =
                form->dense.jac.J1[(size_t)column * (size_t)m1 + (size_t)row];
        }
    }
    if (!split_regular(form, A, n))
        return false;
    expand_multipliers(form, n);
    return true;
}

/* Expands R (n x n, in y) to all multipliers (n1 x m1); N := the multipliers without effect. */
static void expand_multipliers(dfl_projected *form, int n)
{
    const dfl_system *sys = form->base.sys;
    const dfl_redundant *red = &form->dense.redundant;
    const int n1 = sys->n1, lead = sys->at.l, first = sys->row.acc;
    dfl_split *split = form->split1;
    double *R = form->dense.work;
    memcpy(R, split->R, (size_t)n * (size_t)n * sizeof *R);
    memset(split->R, 0, (size_t)n1 * (size_t)sys->m1 * sizeof *R);
    memset(split->N, 0, (size_t)n1 * (size_t)form->base.defect * sizeof *R);
    for (int j = 0; j < n; j++) {
        const int row = j < first ? j : first + red->order[j - first];
        double *out = split->R + (size_t)row * (size_t)n1;
        memcpy(out, R + (size_t)j * (size_t)n, (size_t)lead * sizeof *R);
        dfl_redundant_expand(out + lead, red, R + (size_t)j * (size_t)n + lead);
    }
    dfl_redundant_kernel(split->N + lead, n1, red);
}

/* J2 -= J2_1 R1 J1 in the columns after those of block 1; J2_1 R1 stays in the first columns. */
static void remove_first_unknowns(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const int m1 = sys->m1, m2 = form->m2, n1 = dfl_determined_first(sys), rest = sys->n - n1;
    double *T = form->dense.work;
    dfl_gemm(m2, m1, n1, 1, form->J2, m2, form->split1->R, n1, 0, T, m2);
    memcpy(form->J2, T, (size_t)m2 * (size_t)m1 * sizeof *T);
    dfl_gemm(m2, rest, m1, -1, form->J2, m2, form->dense.jac.J1 + n1 * m1, m1, 1,
             form->J2 + n1 * m2, m2);
}
