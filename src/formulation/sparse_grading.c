/* Factors that grow along a mechanism, for the watch on singular positions (sparse_passages.c).

   In a long chain or train rows are nearly dependent in the metric of the velocities: the smallest
   singular value of W falls with the number of bodies. In a metric that grows by a factor from body
   to body it does not, since every row is then dominated by one of its bodies. Levels are distances
   from a velocity at one end, counted in rows that must be passed; the entry of row i and velocity
   j has the factor 4^(level_j - level_i), level_i being the largest in its row. */
#include "formulation/sparse_form.h"

#include <math.h>
#include <string.h>

/* W by rows, for walks. */
typedef struct rows_of {
    int *start, *column;
} rows_of;

static dfl_status list_rows(rows_of *out, dfl_context *ctx, const dfl_csc *W)
{
    out->start = dfl_alloc(ctx, (size_t)W->rows + 2, sizeof(int));
    out->column = dfl_alloc(ctx, (size_t)W->start[W->columns] + 1, sizeof(int));
    if (!out->start || !out->column)
        return DFL_NO_MEMORY;
    for (int k = 0; k < W->start[W->columns]; k++)
        out->start[W->row[k] + 2]++;
    for (int i = 0; i < W->rows; i++)
        out->start[i + 2] += out->start[i + 1];
    for (int j = 0; j < W->columns; j++)
        for (int k = W->start[j]; k < W->start[j + 1]; k++)
            out->column[out->start[W->row[k] + 1]++] = j;
    return DFL_OK;
}

/* level (columns): the number of rows to pass from column `from`, -1: there is no way; returns a
   last one. */
static int walk(int *level, int *queue, const dfl_csc *W, const rows_of *rows, int from)
{
    int first = 0, last = 0;
    level[from] = 0;
    queue[last++] = from;
    while (first < last) {
        const int j = queue[first++];
        for (int k = W->start[j]; k < W->start[j + 1]; k++)
            for (int c = rows->start[W->row[k]]; c < rows->start[W->row[k] + 1]; c++)
                if (level[rows->column[c]] < 0) {
                    level[rows->column[c]] = level[j] + 1;
                    queue[last++] = rows->column[c];
                }
    }
    return queue[last - 1];
}

/* Levels in every connected part, from one of its ends or, with `other`, from the opposite one. */
static void find_levels(int *level, int *queue, const dfl_csc *W, const rows_of *rows, bool other)
{
    for (int j = 0; j < W->columns; j++)
        level[j] = -1;
    for (int j = 0; j < W->columns; j++) {
        if (level[j] >= 0)
            continue;
        int from = j;
        for (int turn = 0; turn < (other ? 3 : 2); turn++) {
            const int end = walk(level, queue, W, rows, from);
            if (turn == (other ? 2 : 1))
                break;
            for (int c = 0; c < W->columns && level[queue[c]] >= 0; c++) { /* of this part: again */
                level[queue[c]] = -1;
                if (queue[c] == end)
                    break;
            }
            from = end;
        }
    }
}

static void set_factors(double *factor, const dfl_csc *W, const rows_of *rows, const int *level)
{
    for (int j = 0; j < W->columns; j++)
        for (int k = W->start[j]; k < W->start[j + 1]; k++) {
            int largest = 0;
            for (int c = rows->start[W->row[k]]; c < rows->start[W->row[k] + 1]; c++)
                largest = level[rows->column[c]] > largest ? level[rows->column[c]] : largest;
            factor[k] = ldexp(1, 2 * (level[j] - largest));
        }
}

dfl_status dfl_sparse_grading_create(dfl_sparse_form *form)
{
    dfl_context *ctx = form->base.sys->ctx;
    const dfl_csc *W = &form->W;
    const size_t entries = (size_t)W->start[W->columns] + 1, columns = (size_t)W->columns + 1;
    rows_of rows = {0};
    int *level = dfl_alloc(ctx, columns, sizeof *level);
    int *queue = dfl_alloc(ctx, columns, sizeof *queue);
    dfl_status status = level && queue ? list_rows(&rows, ctx, W) : DFL_NO_MEMORY;
    for (int way = 0; !status && way < DFL_GRADINGS; way++) {
        form->grading[way] = dfl_alloc(ctx, entries, sizeof(double));
        if (!form->grading[way]) {
            status = DFL_NO_MEMORY;
            break;
        }
        find_levels(level, queue, W, &rows, way == 1);
        set_factors(form->grading[way], W, &rows, level);
    }
    dfl_free(ctx, rows.start);
    dfl_free(ctx, rows.column);
    dfl_free(ctx, level);
    dfl_free(ctx, queue);
    return status;
}
