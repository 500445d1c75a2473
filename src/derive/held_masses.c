/* held_masses.c: whether constraints hold all directions without mass, in large models.

   It is so if M + s W^T W, s the largest mass and rows of W scaled to one, is clearly positive
   definite at the start: LDL^T of its nonzeros decides, as regular_at_once of mass_rank.c does for
   M. */
#include "derive/massless_directions.h"

#include "derive/derive_internal.h"
#include "derive/mass_pivots.h"
#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

/* The entries of W, row by row. */
typedef struct rows_of_W {
    int *start, *entry; /* rows + 1; entries of eq->W */
    double *value;      /* by entries of eq->W, scaled */
} rows_of_W;

/* M + s W^T W and its diagonal. */
typedef struct sum_of_both {
    dfl_csc pattern, no_rows;
    dfl_place_of_entry *place;
    double *value, *packed;
    int *at, count;
} sum_of_both;

static dfl_status take_rows(rows_of_W *out, const dfl_equations *eq, const dfl_numbers *numbers)
{
    dfl_context *ctx = eq->model->ctx;
    const int rows = eq->nl + eq->nm, entries = eq->W.count;
    dfl_expr *exprs = dfl_exprs(eq, entries + 1);
    out->start = dfl_alloc(ctx, (size_t)rows + 2, sizeof(int));
    out->entry = dfl_alloc(ctx, (size_t)entries + 1, sizeof(int));
    out->value = dfl_alloc(ctx, (size_t)entries + 1, sizeof(double));
    double *size = dfl_alloc(ctx, (size_t)rows + 1, sizeof *size);
    dfl_status status =
        exprs && out->start && out->entry && out->value && size ? DFL_OK : DFL_NO_MEMORY;
    for (int k = 0; !status && k < entries; k++) {
        exprs[k] = eq->W.entry[k].expr;
        out->start[eq->W.entry[k].row + 2]++;
    }
    if (!status)
        status = dfl_numbers_values(out->value, numbers, eq, exprs, entries);
    for (int i = 0; !status && i < rows; i++)
        out->start[i + 2] += out->start[i + 1];
    for (int k = 0; !status && k < entries; k++) {
        const int row = eq->W.entry[k].row;
        out->entry[out->start[row + 1]++] = k;
        size[row] = fmax(size[row], fabs(out->value[k]));
    }
    for (int k = 0; !status && k < entries; k++)
        if (size[eq->W.entry[k].row] > 0)
            out->value[k] /= size[eq->W.entry[k].row];
    dfl_free(ctx, size);
    dfl_free(ctx, exprs);
    return status;
}

static void add_place(sum_of_both *out, int row, int column, double value)
{
    if (out->place) {
        out->place[out->count] = (dfl_place_of_entry){row, column};
        out->value[out->count] = value;
    }
    out->count++;
}

static void add_all(sum_of_both *out, const dfl_equations *eq, const double *M, const rows_of_W *W)
{
    double largest = 0;
    out->count = 0;
    for (int k = 0; k < eq->M.count; k++) {
        add_place(out, eq->M.entry[k].row, eq->M.entry[k].col, M[k]);
        largest = fmax(largest, fabs(M[k]));
    }
    for (int i = 0; i < eq->nl + eq->nm; i++)
        for (int a = W->start[i]; a < W->start[i + 1]; a++)
            for (int b = W->start[i]; b < W->start[i + 1]; b++)
                add_place(out, eq->W.entry[W->entry[a]].col, eq->W.entry[W->entry[b]].col,
                          largest * W->value[W->entry[a]] * W->value[W->entry[b]]);
    for (int j = 0; j < eq->nv; j++)
        add_place(out, j, j, 0);
}

/* The sum, its diagonal a little smaller. */
static dfl_status make_sum(sum_of_both *out, const dfl_equations *eq, const double *M,
                           const rows_of_W *W)
{
    dfl_context *ctx = eq->model->ctx;
    add_all(out, eq, M, W);
    const size_t room = (size_t)out->count + 1;
    out->value = dfl_alloc(ctx, room, sizeof(double));
    out->packed = dfl_alloc(ctx, room, sizeof(double));
    out->at = dfl_alloc(ctx, room, sizeof(int));
    out->place = dfl_alloc(ctx, room, sizeof *out->place);
    if (!out->place || !out->value || !out->packed || !out->at)
        return DFL_NO_MEMORY;
    add_all(out, eq, M, W);
    dfl_status status =
        dfl_csc_create(&out->pattern, out->at, ctx, eq->nv, eq->nv, out->place, out->count);
    if (!status)
        status = dfl_csc_create(&out->no_rows, NULL, ctx, 0, eq->nv, out->place, 0);
    for (int k = 0; !status && k < out->count; k++)
        out->packed[out->at[k]] += out->value[k];
    for (int j = 0; !status && j < eq->nv; j++)
        out->packed[out->at[out->count - eq->nv + j]] *= 1 - dfl_mass_light;
    return status;
}

static void clear_sum(sum_of_both *sum, dfl_context *ctx)
{
    dfl_csc_clear(&sum->pattern, ctx);
    dfl_csc_clear(&sum->no_rows, ctx);
    dfl_free(ctx, sum->place);
    dfl_free(ctx, sum->value);
    dfl_free(ctx, sum->packed);
    dfl_free(ctx, sum->at);
}

dfl_status dfl_masses_are_held(bool *out, const dfl_trials *trials)
{
    const dfl_equations *eq = trials->eq;
    dfl_context *ctx = eq->model->ctx;
    const dfl_numbers numbers = dfl_trials_numbers(trials, 0);
    rows_of_W W = {0};
    sum_of_both sum = {0};
    dfl_saddle_ldl *ldl = NULL;
    double none = 0, *M = dfl_alloc(ctx, (size_t)eq->M.count + 1, sizeof *M);
    dfl_expr *exprs = dfl_exprs(eq, eq->M.count + 1);
    dfl_status status = M && exprs ? DFL_OK : DFL_NO_MEMORY;
    *out = false;
    for (int k = 0; !status && k < eq->M.count; k++)
        exprs[k] = eq->M.entry[k].expr;
    if (!status)
        status = dfl_numbers_values(M, &numbers, eq, exprs, eq->M.count);
    if (!status)
        status = take_rows(&W, eq, &numbers);
    const bool known =
        !status && dfl_all_finite(M, eq->M.count) && dfl_all_finite(W.value, eq->W.count);
    if (known)
        status = make_sum(&sum, eq, M, &W);
    if (known && !status)
        status = dfl_saddle_ldl_create(&ldl, ctx, &sum.pattern, &sum.no_rows);
    *out = known && !status && dfl_saddle_ldl_factor(ldl, sum.packed, &none, 0, NULL);
    dfl_saddle_ldl_free(ldl);
    clear_sum(&sum, ctx);
    void *const blocks[] = {M, exprs, W.start, W.entry, W.value};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        dfl_free(ctx, blocks[i]);
    return status;
}
