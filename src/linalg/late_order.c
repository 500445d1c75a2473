/* An order of elimination: minimum degree, with unknowns that have no diagonal entry behind their
   neighbours. */
#include "linalg/lapack_internal.h"
#include "linalg/linalg.h"

#if DFL_LAPACK
#include <amd.h>
#endif

/* Without AMD the order is that of the matrix. */
static bool find_order(int *order, const dfl_csc *A)
{
#if DFL_LAPACK
    return A->columns == 0 || amd_order(A->columns, A->start, A->row, order, NULL, NULL) >= AMD_OK;
#else
    for (int k = 0; k < A->columns; k++)
        order[k] = k;
    return true;
#endif
}

/* The place that each unknown must be behind: its own, or that of its last neighbour with a
   diagonal entry. */
static void find_last(int *last, const int *place, const unsigned char *late, const dfl_csc *A)
{
    for (int j = 0; j < A->columns; j++)
        last[j] = place[j];
    for (int j = 0; j < A->columns; j++)
        for (int k = A->start[j]; k < A->start[j + 1]; k++) {
            const int i = A->row[k];
            if (late[i] && !late[j] && place[j] > last[i])
                last[i] = place[j];
            if (late[j] && !late[i] && place[i] > last[j])
                last[j] = place[i];
        }
}

dfl_status dfl_late_order(int *order, dfl_context *ctx, const dfl_csc *A)
{
    const int n = A->columns;
    const size_t room = (size_t)n + 1;
    int *place = dfl_alloc(ctx, room, sizeof *place), *last = dfl_alloc(ctx, room, sizeof *last);
    int *behind = dfl_alloc(ctx, room, sizeof *behind),
        *other = dfl_alloc(ctx, room, sizeof *other);
    unsigned char *late = dfl_alloc(ctx, room, 1);
    dfl_status status = place && last && behind && other && late ? DFL_OK : DFL_NO_MEMORY;
    if (!status && !find_order(order, A))
        status = DFL_NO_MEMORY;
    for (int j = 0; !status && j < n; j++)
        late[j] = 1;
    for (int j = 0; !status && j < n; j++)
        for (int k = A->start[j]; k < A->start[j + 1]; k++)
            late[j] = late[j] && A->row[k] != j;
    if (!status) {
        for (int k = 0; k < n; k++)
            place[order[k]] = k;
        find_last(last, place, late, A);
        for (int k = 0; k < n; k++)
            behind[k] = -1;
        for (int j = n - 1; j >= 0; j--)
            if (late[j]) {
                other[j] = behind[last[j]];
                behind[last[j]] = j;
            }
        for (int k = 0; k < n; k++) /* `last` becomes the old order */
            last[k] = order[k];
        int next = 0;
        for (int k = 0; k < n; k++) {
            if (!late[last[k]])
                order[next++] = last[k];
            for (int j = behind[k]; j >= 0; j = other[j])
                order[next++] = j;
        }
    }
    dfl_free(ctx, place);
    dfl_free(ctx, last);
    dfl_free(ctx, behind);
    dfl_free(ctx, other);
    dfl_free(ctx, late);
    return status;
}
