/* What dense implementations share: life, the split of W with its known rank, multipliers of least
   norm, accelerations from M a = f_dyn. */
#include "formulation/formulation_internal.h"

#include <math.h>
#include <string.h>

static dfl_status allocate(dfl_dense *dense, const dfl_formulation *form);
static dfl_status create_splits(dfl_dense *dense, const dfl_system *sys);

dfl_status dfl_dense_init(dfl_dense *dense, dfl_formulation *form)
{
    form->dense = dense;
    dfl_status status = dfl_rows_jacobian_init(&dense->jac, form->sys);
    if (!status && form->sys->geoms)
        status = dfl_rows_jacobian_init(&dense->at_step, form->sys);
    if (!status)
        status = allocate(dense, form);
    return status ? status : create_splits(dense, form->sys);
}

static dfl_status allocate(dfl_dense *dense, const dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    dfl_context *ctx = sys->ctx;
    const size_t nv = (size_t)sys->n3, np = (size_t)sys->eom->np, nc = (size_t)sys->nc;
    const size_t d = sizeof(double), K = (size_t)dfl_formulation_room(form);
    dense->flip = dfl_alloc(ctx, nc * nc + 2 * nc + (size_t)DFL_EIGENVALUES_WORK(sys->nc), d);
    dense->work = dfl_alloc(ctx,
                            (size_t)(sys->mdif + sys->m1 + sys->m2) * K + 2 * nv * nv + np * np +
                                (size_t)(sys->m3 * sys->n4 + sys->nc * (sys->n3 + 2)),
                            d);
    dense->vp = dfl_alloc(ctx, nv, d);
    dense->row_size = dfl_alloc(ctx, nc, d);
    dense->least2 = dfl_alloc(ctx, 2 * (size_t)sys->m2, d);
    dense->least3 = dfl_alloc(ctx, (size_t)sys->m3, d);
    dense->sized = dfl_alloc(ctx, (size_t)(sys->m2 > sys->m3 ? sys->m2 : sys->m3), d);
    dense->more = dfl_alloc(ctx, (size_t)(sys->m2 > sys->m3 ? sys->m2 : sys->m3), d);
    dense->least = dfl_alloc(ctx, nv * nc + nv + nc, d);
    return dense->flip && dense->work && dense->vp && dense->row_size && dense->least2 &&
                   dense->least3 && dense->sized && dense->more && dense->least
               ? DFL_OK
               : DFL_NO_MEMORY;
}

static dfl_status create_splits(dfl_dense *dense, const dfl_system *sys)
{
    dfl_context *ctx = sys->ctx;
    const int tall = sys->m2 > sys->n3 ? sys->m2 : sys->n3;
    dfl_status status = dfl_split_create(&dense->split2, ctx, sys->m2, sys->n3);
    if (!status)
        status = dfl_split_create(&dense->split3, ctx, sys->m3, sys->n4);
    if (!status)
        status = dfl_split_create(&dense->trial2, ctx, tall, sys->n3);
    if (!status)
        status = dfl_lstsq_create(&dense->lstsq, ctx, sys->n3, sys->nc);
    if (!status)
        status = dfl_redundant_init(&dense->redundant, ctx, sys->nc, sys->n3);
    if (!status)
        status = dfl_factor_create(&dense->mass, ctx, sys->n3, false);
    return status;
}

void dfl_dense_clear(dfl_dense *dense, const dfl_formulation *form)
{
    dfl_context *ctx = form->sys->ctx;
    double *const block[] = {dense->flip,     dense->work,   dense->vp,
                             dense->row_size, dense->least2, dense->least3,
                             dense->sized,    dense->more,   dense->least};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(ctx, block[i]);
    dfl_rows_jacobian_clear(&dense->jac, ctx);
    if (form->sys->geoms)
        dfl_rows_jacobian_clear(&dense->at_step, ctx);
    dfl_split_free(dense->split2, ctx);
    dfl_split_free(dense->split3, ctx);
    dfl_split_free(dense->trial2, ctx);
    dfl_lstsq_free(dense->lstsq, ctx);
    dfl_redundant_clear(&dense->redundant, ctx);
    dfl_factor_free(dense->mass, ctx);
}

void dfl_dense_bind(dfl_dense *dense, dfl_formulation *form)
{
    const dfl_solver_options *opt = form->options;
    dfl_rows_jacobian_bind(&dense->jac, form->sys);
    if (form->sys->geoms)
        dfl_rows_jacobian_bind(&dense->at_step, form->sys);
    dense->method = opt->constraints.algebraic == DFL_ALGEBRAIC_LU    ? DFL_METHOD_LU
                    : opt->constraints.algebraic == DFL_ALGEBRAIC_SVD ? DFL_METHOD_SVD
                                                                      : DFL_METHOD_QR;
    dense->rank_tolerance = opt->constraints.rank_tolerance;
    memset(dense->row_size, 0, (size_t)form->sys->nc * sizeof(double));
}

dfl_outcome dfl_dense_factor(dfl_shifted *E, dfl_formulation *form, int n, const double *M,
                             const double *J, int stages)
{
    const dfl_method method =
        form->options->newton.differential == DFL_DIFFERENTIAL_QR ? DFL_METHOD_QR : DFL_METHOD_LU;
    return dfl_shifted_factor(E, n, M, J, stages, &form->shifts, method)
               ? DFL_STEP_OK
               : dfl_system_part_trouble(form->sys, DFL_STEP_SINGULAR, DFL_FAILURE_NEWTON_MATRIX,
                                         0);
}

bool dfl_dense_split_known(dfl_split *split, const dfl_dense *dense, dfl_split_rule *rule,
                           const double *A, int m, int n, int rank)
{
    const bool impose = rule->method == DFL_METHOD_SVD && rank < m;
    rule->rank = impose ? rank : -1;
    if (!dfl_split_compute(split, rule, A, m, m, n) || split->rank != rank)
        return false;
    if (impose && rank == 0) /* rows of zeros; nothing to compare with */
        return split->dropped == 0;
    return !impose || (split->dropped < 1e-2 * split->smallest &&
                       split->smallest > dense->rank_tolerance * split->largest);
}

const double *dfl_formulation_units(const dfl_formulation *form, int column)
{
    const bool local = form->options->form == DFL_TANGENT || form->options->form == DFL_PARTITION;
    return local || form->defect > 0 ? NULL : dfl_system_units(form->sys, column);
}

/* The smallest length of a row of W relative to its largest so far: scaling rows before a
   decomposition hides a row that vanishes. */
static double shortest_row(dfl_dense *dense, const dfl_system *sys)
{
    const int ld = sys->m2;
    const double *W = dense->jac.J2 + sys->at.v * ld;
    double shortest = 1;
    for (int i = 0; i < sys->nc; i++) {
        double square = 0;
        for (int j = 0; j < sys->n3; j++)
            square += W[j * ld + i] * W[j * ld + i];
        if (square > dense->row_size[i])
            dense->row_size[i] = square;
        else if (square < shortest * dense->row_size[i])
            shortest = square / dense->row_size[i];
    }
    return sqrt(shortest);
}

bool dfl_dense_split_velocity(dfl_formulation *form, const double *J2v, int m2, int rank,
                              const unsigned char *favoured, const dfl_split *known)
{
    dfl_dense *dense = form->dense;
    dfl_split_rule rule = {.method = dense->method,
                           .tolerance = dense->rank_tolerance,
                           .favoured = favoured,
                           .scale_rows = true,
                           .columns = dfl_formulation_units(form, form->sys->at.v)};
    double *least = dense->least2 + form->sys->m2;
    if (form->defect > 0) {
        dfl_dense_least_rows(least, form, J2v, m2);
        rule.least = least;
    }
    if (known)
        dfl_split_copy(dense->split2, known);
    const bool split =
        known || dfl_dense_split_known(dense->split2, dense, &rule, J2v, m2, form->sys->n3, rank);
    /* a single row may vanish without harm if there are redundant ones */
    const double shortest = form->defect > 0 ? 1 : shortest_row(dense, form->sys);
    const double largest = dense->split2->largest;
    const double ratio = largest > 0 ? dense->split2->smallest / largest : 1;
    form->weakest = ratio < shortest ? ratio : shortest;
    return split;
}

/* In the GEOMS contract W is d(gI, hv)/dv. */
dfl_outcome dfl_formulation_least_multipliers(dfl_point *point, dfl_formulation *form)
{
    dfl_system *sys = form->sys;
    dfl_dense *dense = form->dense;
    const double *W = point->blocks.W;
    int ldw = sys->nc;
    if (form->defect == 0)
        return DFL_STEP_OK;
    if (form->class->constraints)
        return form->class->constraints->least_multipliers(point, form);
    if (sys->geoms) {
        const dfl_outcome outcome =
            dfl_system_jacobian(&dense->at_step, sys, point->t, point->x, point->a);
        sys->stats->jacobians--; /* not one of the integration */
        if (outcome)
            return outcome;
        W = dense->at_step.J2 + sys->at.v * sys->m2;
        ldw = sys->m2;
    }
    dfl_redundant_choose(&dense->redundant, W, ldw, dense->least2, form->rank2);
    dfl_redundant_least(point->x + sys->at.l, &dense->redundant);
    return DFL_STEP_OK;
}

bool dfl_formulation_accelerations(double *a, dfl_formulation *form, const dfl_point *point)
{
    const dfl_system *sys = form->sys;
    if (sys->psi1 || sys->geoms)
        return dfl_formulation_solve_accelerations(a, form, point);
    memcpy(a, point->a, (size_t)sys->n3 * sizeof *a);
    return true;
}

/* M is stored, at the point, or returned by callback. */
bool dfl_formulation_solve_accelerations(double *a, dfl_formulation *form, const dfl_point *point)
{
    if (form->class->constraints)
        return form->class->constraints->solve_accelerations(a, form, point);
    dfl_system *sys = form->sys;
    dfl_dense *dense = form->dense;
    const int nv = sys->n3;
    double *A = dfl_factor_matrix(dense->mass);
    const double *M = sys->mass.constant ? sys->mass.M : point->M;
    if (!sys->mass.constant && !dfl_system_mass_at_points(sys)) {
        if (dfl_system_mass(dense->work, sys, point->t, point->x + sys->na))
            return false;
        M = dense->work;
    }
    dfl_full_mass(A, nv, M, nv, sys->mass.diagonal);
    memset(dense->vp, 0, (size_t)nv * sizeof(double));
    return !dfl_system_dynamics(a, sys, point, dense->vp) &&
           dfl_mass_solve(a, dense->mass, A, nv, false);
}

int dfl_formulation_lost_mass(dfl_formulation *form, double t, const double *x)
{
    dfl_system *sys = form->sys;
    const int nv = sys->n3;
    if (!form->dense || sys->mass.constant || nv == 0)
        return -2;
    double *M = form->dense->work, *A = dfl_factor_matrix(form->dense->mass);
    if (dfl_system_mass(M, sys, t, x))
        return -2;
    dfl_full_mass(A, nv, M, nv, sys->mass.diagonal);
    for (int k = 0; k < nv; k++) {
        const double pivot = A[k * nv + k];
        if (!(pivot > 0))
            return k;
        for (int j = k + 1; j < nv; j++)
            for (int i = k + 1; i < nv; i++)
                A[j * nv + i] -= A[k * nv + i] * A[j * nv + k] / pivot;
    }
    return -1;
}

void dfl_full_mass(double *A, int lda, const double *M, int nv, bool diagonal)
{
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < nv; i++)
            A[j * lda + i] = !diagonal ? M[j * nv + i] : i == j ? M[i] : 0;
}
