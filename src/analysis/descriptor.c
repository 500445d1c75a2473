/* descriptor.c: the linear equations of all unknowns, E x' = A x + B u, as the rows of the model
   have them. */
#include "analysis/analysis_internal.h"

#include "context/context.h"

#include <string.h>

static void fill(double *E, double *A, double *B, const dfl_local *local,
                 const dfl_input_slopes *slopes, int nu);
static void copy(double *A, int n, int row, int column, const double *from, int rows, int ld,
                 int columns);

dfl_status dfl_linearize_all(double *E, double *A, double *B, dfl_context *ctx, const dfl_eom *eom,
                             double t, const double *x, const dfl_inputs *inputs)
{
    const int nu = inputs ? inputs->nu : 0;
    dfl_input_slopes slopes = {0};
    dfl_local local;
    memset(&local, 0, sizeof local);
    dfl_status status = dfl_local_create(&local, ctx, eom);
    if (!status)
        status = dfl_local_eval(&local, t, x);
    if (!status)
        status = dfl_local_inputs(&slopes, &local, inputs);
    if (!status)
        fill(E, A, B, &local, &slopes, nu);
    dfl_free(ctx, slopes.dyn);
    dfl_local_clear(&local);
    return status;
}

/* Rows in the order of the unknowns: d; g, hv; b; dyn; c, kin. */
static void fill(double *E, double *A, double *B, const dfl_local *local,
                 const dfl_input_slopes *slopes, int nu)
{
    const dfl_eom *eom = local->eom;
    const dfl_jacobian *jac = &local->jac.blocks;
    const int nw = eom->nw, nl = eom->nl, nm = eom->nm, nr = eom->nr, nv = eom->nv, ns = eom->ns;
    const int np = eom->np, n = local->at.n, sp = n - ns - np, v = sp - nv, r = v - nr;
    const int moving = nv + ns + np, velocity_rows = nl + nm + eom->ne;
    memset(E, 0, (size_t)n * (size_t)n * sizeof *E);
    memset(A, 0, (size_t)n * (size_t)n * sizeof *A);
    memset(B, 0, (size_t)n * (size_t)nu * sizeof *B);
    copy(A, n, 0, 0, jac->d, nw, nw, n);
    copy(A, n, nw, sp, jac->pos + ns, nl, local->m3, ns + np);
    copy(A, n, nw + nl, v, jac->vel + nl, nm, velocity_rows, moving);
    copy(A, n, r, 0, jac->b, nr, nr, n);
    copy(A, n, v, 0, jac->dyn, nv, nv, n);
    copy(A, n, sp, sp, jac->pos, ns, local->m3, ns + np);
    if (!eom->trivial_kinematics)
        copy(A, n, sp + ns, v, jac->kin, np, np, moving);
    for (int i = 0; eom->trivial_kinematics && i < np; i++)
        A[(size_t)(v + i) * (size_t)n + (size_t)(sp + ns + i)] = 1;
    copy(E, n, v, v, local->M, nv, nv, nv);
    for (int i = r; i < n; i++)
        if (i < v || i >= sp + ns)
            E[(size_t)i * (size_t)n + (size_t)i] = 1;
    copy(B, n, 0, 0, slopes->d, nw, nw, nu);
    copy(B, n, r, 0, slopes->b, nr, nr, nu);
    copy(B, n, v, 0, slopes->dyn, nv, nv, nu);
}

/* The first `rows` rows of a block with ld rows, to a place in a matrix with n rows. */
static void copy(double *A, int n, int row, int column, const double *from, int rows, int ld,
                 int columns)
{
    for (int j = 0; rows > 0 && j < columns; j++)
        memcpy(A + (size_t)(column + j) * (size_t)n + row, from + (size_t)j * (size_t)ld,
               (size_t)rows * sizeof *A);
}
