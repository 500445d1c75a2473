/* Block 1 of each stage solved with the stage's own M and W.

   The simplified Newton iteration has one matrix for all stages. If M(p) changes much within a
   step, the rows f_dyn - M a converge only as fast as one M resembles the others, however small the
   rest of the increment is; for chains of slender bodies this alone would require short steps. Here
   the rows of block 1 are replaced by

       y_k = A_k^-1 alg1_k,

   A_k being their derivatives by their own unknowns [a w l m] with M and W of stage k, so that -y_k
   solves block 1 for the velocities and positions of the present iterate. Its dependence on
   velocities and positions is still that at the reference point. The equations and their solution
   are the same, only the iteration differs. */
#include "formulation/projected.h"

#include <math.h>
#include <string.h>

dfl_status dfl_stagewise_init(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const int stages = form->base.needs.stages;
    form->own.rows = dfl_alloc(sys->ctx, (size_t)(sys->m1 * stages), sizeof(double));
    dfl_status status = form->own.rows ? DFL_OK : DFL_NO_MEMORY;
    for (int k = 0; !status && k < stages; k++)
        status = dfl_factor_create(&form->own.factor[k], sys->ctx, sys->n1, false);
    return status;
}

bool dfl_stagewise_possible(const dfl_projected *form)
{
    return form->base.sys->mass.constant ? !form->base.sys->mass.diagonal
                                         : dfl_system_mass_at_points(form->base.sys);
}

/* A: the derivatives at the reference with M and W of the stage instead. */
static void stage_matrix(double *A, const dfl_projected *form, const dfl_point *point)
{
    const dfl_system *sys = form->base.sys;
    const int n1 = sys->n1, nv = sys->n3, nc = sys->nc, acc = sys->row.acc, l = sys->at.l;
    const double *J1 = form->dense.jac.J1, *W = point->blocks.W;
    const double *M = sys->mass.constant ? sys->mass.M : point->M;
    memcpy(A, J1, (size_t)n1 * (size_t)n1 * sizeof *A);
    for (int j = 0; j < nv; j++) {
        for (int i = 0; i < nv && !sys->mass.diagonal; i++)
            A[j * n1 + i] = -M[j * nv + i];
        if (sys->mass.diagonal)
            A[j * n1 + j] = -M[j];
        for (int i = 0; i < nc; i++) {
            A[(l + i) * n1 + j] += J1[j * n1 + acc + i] - W[j * nc + i];
            A[j * n1 + acc + i] = W[j * nc + i];
        }
    }
}

/* Redundant constraints: A += size L N^T with the kernels N of A and L of A^T, the latter being the
   multipliers of N in the rows W a + bias. Contradictions between these rows appear along N
   alone. */
static void fill_kernel(double *A, const dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const int n1 = sys->n1, nc = sys->nc, acc = sys->row.acc, l = sys->at.l;
    double size = 0;
    for (int i = 0; i < nc; i++)
        for (int j = 0; j < sys->n3; j++)
            size = fmax(size, fabs(A[j * n1 + acc + i]));
    size = size > 0 ? size : 1;
    for (int k = 0; k < form->base.defect; k++) {
        const double *N = form->split1->N + (size_t)k * (size_t)n1 + l;
        for (int j = 0; j < nc; j++)
            for (int i = 0; i < nc; i++)
                A[(l + j) * n1 + acc + i] += size * N[i] * N[j];
    }
}

static dfl_outcome factor_stages(dfl_projected *form, const dfl_point *points, int count)
{
    for (int k = 0; k < count; k++) {
        double *A = dfl_factor_matrix(form->own.factor[k]);
        stage_matrix(A, form, &points[k]);
        fill_kernel(A, form);
        if (!dfl_factor_compute(form->own.factor[k], form->base.sys->n1, DFL_METHOD_LU))
            return dfl_system_part_trouble(form->base.sys, DFL_STEP_SINGULAR,
                                           DFL_FAILURE_MULTIPLIERS, points[k].t);
    }
    form->own.factored = count;
    return DFL_STEP_OK;
}

/* y -= N N^T y */
static void drop_kernel(double *y, const dfl_projected *form)
{
    const int n1 = form->base.sys->n1;
    for (int k = 0; k < form->base.defect; k++) {
        const double *N = form->split1->N + (size_t)k * (size_t)n1;
        double sum = 0;
        for (int i = 0; i < n1; i++)
            sum += N[i] * y[i];
        for (int i = 0; i < n1; i++)
            y[i] -= sum * N[i];
    }
}

dfl_outcome dfl_stagewise_solve(dfl_projected *form, const dfl_point *points, int count)
{
    const int n1 = form->base.sys->n1;
    if (form->own.factored != count) {
        dfl_outcome outcome = factor_stages(form, points, count);
        if (outcome)
            return outcome;
    }
    for (int k = 0; k < count; k++) {
        double *y = form->own.rows + k * n1;
        memcpy(y, points[k].alg, (size_t)n1 * sizeof *y);
        dfl_factor_solve(form->own.factor[k], y);
        drop_kernel(y, form);
    }
    return DFL_STEP_OK;
}
