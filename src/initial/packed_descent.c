/* packed_descent.c: steps of Levenberg and Marquardt with packed matrices, for assembly.c:

       (J^T J + mu I) d = -J^T F   as   [mu I  0  J^T; 0  I  -I; J  -I  0] (d, e, l) = (0, 0, -F)

   with e = J d + F, and less than mu for unknowns that follow from others. The rows [J -I] are
   independent, whatever J is. */
#include "initial/packed_start.h"

#include "context/context.h"

#include <string.h>

struct dfl_packed_descent {
    const dfl_initial *init;
    dfl_csc A;                 /* [J -I] */
    double *size, *row;        /* of unknowns, 0: held; of rows */
    double *D, *value, *x, *l; /* the numbers, solutions */
    dfl_saddle_ldl *ldl;
};

dfl_status dfl_packed_descent_create(dfl_packed_descent **out, const dfl_initial *init)
{
    const dfl_system *sys = &init->sys;
    const dfl_csc *J = &init->packed->pos;
    dfl_context *ctx = sys->ctx;
    const int n = sys->n4, m = sys->m3, entries = J->start[n];
    const size_t d = sizeof(double);
    dfl_packed_descent *p = *out = dfl_alloc(ctx, 1, sizeof *p);
    if (!p)
        return DFL_NO_MEMORY;
    p->init = init;
    p->A = (dfl_csc){.rows = m, .columns = n + m};
    p->A.start = dfl_alloc(ctx, (size_t)(n + m) + 1, sizeof(int));
    p->A.row = dfl_alloc(ctx, (size_t)(entries + m) + 1, sizeof(int));
    p->size = dfl_alloc(ctx, (size_t)n + 1, d);
    p->row = dfl_alloc(ctx, (size_t)m + 1, d);
    p->D = dfl_alloc(ctx, (size_t)(n + m) + 1, d);
    p->value = dfl_alloc(ctx, (size_t)(entries + m) + 1, d);
    p->x = dfl_alloc(ctx, (size_t)(n + m) + 1, d);
    p->l = dfl_alloc(ctx, (size_t)m + 1, d);
    if (!p->A.start || !p->A.row || !p->size || !p->row || !p->D || !p->value || !p->x || !p->l)
        return DFL_NO_MEMORY;
    memcpy(p->A.start, J->start, (size_t)n * sizeof(int));
    memcpy(p->A.row, J->row, (size_t)entries * sizeof(int));
    for (int i = 0; i <= m; i++)
        p->A.start[n + i] = entries + i;
    for (int i = 0; i < m; i++) {
        p->A.row[entries + i] = i;
        p->value[entries + i] = -1;
        p->D[n + i] = 1;
    }
    return dfl_saddle_ldl_create(&p->ldl, ctx, NULL, &p->A);
}

void dfl_packed_descent_free(dfl_packed_descent *p, dfl_context *ctx)
{
    if (!p)
        return;
    dfl_saddle_ldl_free(p->ldl);
    dfl_csc_clear(&p->A, ctx);
    double *const block[] = {p->size, p->row, p->D, p->value, p->x, p->l};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(ctx, block[i]);
    dfl_free(ctx, p);
}

void dfl_packed_descent_scale(dfl_packed_descent *p, const int *column, const double *size,
                              int nfree, const double *row, int rows)
{
    memset(p->size, 0, (size_t)p->init->sys.n4 * sizeof *p->size);
    memset(p->row, 0, (size_t)p->init->sys.m3 * sizeof *p->row);
    for (int k = 0; k < nfree; k++)
        p->size[column[k] - p->init->sys.at.sp] = size[k];
    for (int i = 0; i < rows; i++)
        p->row[i] = 1 / row[i];
}

/* J at the state that was evaluated last. */
void dfl_packed_descent_derive(dfl_packed_descent *p)
{
    const dfl_csc *A = &p->A;
    for (int j = 0; j < p->init->sys.n4; j++)
        for (int k = A->start[j]; k < A->start[j + 1]; k++)
            p->value[k] = p->init->packed->jac.blocks.pos[k] * p->size[j] * p->row[A->row[k]];
}

bool dfl_packed_descent_solve(double *d, dfl_packed_descent *p, const int *column, int nfree,
                              const double *F, int rows, double mu)
{
    const dfl_system *sys = &p->init->sys;
    for (int j = 0; j < sys->n4; j++)
        p->D[j] = mu * dfl_packed_importance(p->init, sys->at.sp + j);
    memset(p->x, 0, (size_t)p->A.columns * sizeof *p->x);
    for (int i = 0; i < sys->m3; i++)
        p->l[i] = i < rows ? -F[i] : 0;
    if (!dfl_saddle_ldl_factor(p->ldl, p->D, p->value, 0, NULL))
        return false;
    dfl_saddle_ldl_solve(p->x, p->l, p->ldl);
    for (int k = 0; k < nfree; k++)
        d[k] = p->x[column[k] - sys->at.sp];
    return true;
}

/* Multiplications of a step, about. */
double dfl_packed_descent_work(const dfl_packed_descent *p)
{
    return 1e3 * p->A.columns;
}
