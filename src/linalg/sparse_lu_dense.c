/* sparse_lu_dense.c: the interface of sparse_lu.c for builds without KLU: correct, but dense. */
#include "linalg/linalg.h"

#include <string.h>

struct dfl_sparse_lu {
    dfl_context *ctx;
    const dfl_csc *A;
    bool complex;
    dfl_factor *factor;
};

dfl_status dfl_sparse_lu_create(dfl_sparse_lu **out, dfl_context *ctx, const dfl_csc *pattern,
                                bool complex, const dfl_sparse_lu *like)
{
    (void)like;
    *out = NULL;
    dfl_sparse_lu *lu = dfl_alloc(ctx, 1, sizeof *lu);
    if (!lu)
        return DFL_NO_MEMORY;
    *lu = (dfl_sparse_lu){.ctx = ctx, .A = pattern, .complex = complex};
    if (dfl_factor_create(&lu->factor, ctx, pattern->columns, complex)) {
        dfl_sparse_lu_free(lu);
        return DFL_NO_MEMORY;
    }
    *out = lu;
    return DFL_OK;
}

void dfl_sparse_lu_free(dfl_sparse_lu *lu)
{
    if (!lu)
        return;
    dfl_factor_free(lu->factor, lu->ctx);
    dfl_free(lu->ctx, lu);
}

bool dfl_sparse_lu_factor(dfl_sparse_lu *lu, const double *value)
{
    const dfl_csc *A = lu->A;
    const size_t n = (size_t)A->columns, width = lu->complex ? 2 : 1;
    double *matrix = dfl_factor_matrix(lu->factor);
    memset(matrix, 0, width * n * n * sizeof *matrix);
    for (size_t j = 0; j < n; j++)
        for (int k = A->start[j]; k < A->start[j + 1]; k++)
            memcpy(matrix + width * (j * n + (size_t)A->row[k]), value + width * (size_t)k,
                   width * sizeof *matrix);
    return dfl_factor_compute(lu->factor, A->columns, DFL_METHOD_LU);
}

bool dfl_sparse_lu_solve(double *b, dfl_sparse_lu *lu)
{
    const int numbers = lu->A->columns * (lu->complex ? 2 : 1);
    dfl_factor_solve(lu->factor, b);
    return dfl_all_finite(b, numbers);
}
