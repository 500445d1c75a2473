/* held.c: massless directions that constraints hold.

   B = W K0 has rank r, with pivots in rows R and columns C that complete pivoting chooses once. The
   directions K0 Y with Y = [-B_RC^-1 B_RF; 1], or a multiple of it, satisfy all constraints and are
   kept. The others are held: the forces of the constraints balance them. */
#include "derive/massless_directions.h"

#include "linalg/linalg.h"
#include "derive/derive_internal.h"
#include "derive/minors.h"

#include <math.h>
#include <string.h>

/* Entries of B below this part of the largest one of their row of W are zero. */
static const double held_ratio = 1e-9;

static int find_pivots(dfl_pivots *out, double *B, int rows, int columns);
static bool is_pivot(const int *list, int count, int number);
static void clear_column(double *B, int rows, int columns, int row, int column);
static dfl_status reduce(dfl_sparse *K0, int *lead, const dfl_equations *eq, const dfl_pivots *p);
static dfl_status product_rows(dfl_expr *T, const dfl_equations *eq, const dfl_sparse *K0,
                               const dfl_pivots *p);
static void solve_rows(dfl_expr *T, dfl_graph *graph, int columns, const dfl_pivots *p);
static dfl_status find_Y(dfl_expr *Y, const dfl_equations *eq, const dfl_sparse *K0,
                         const dfl_pivots *p);
static void find_groups(int *group, const dfl_expr *T, int columns, int n);
static bool by_minors(dfl_expr *y, dfl_graph *graph, const dfl_expr *T, const int *group, int c,
                      int columns, const dfl_pivots *p, dfl_minors *minors);

dfl_status dfl_release_held(dfl_sparse *K0, int *lead, const dfl_trials *trials)
{
    dfl_equations *eq = trials->eq;
    dfl_context *ctx = eq->model->ctx;
    const int rows = eq->nl + eq->nm, most = rows < K0->ncols ? rows : K0->ncols;
    if (most == 0 || eq->W.count == 0)
        return DFL_OK;
    dfl_pivots p = {.row = dfl_alloc(ctx, (size_t)most, sizeof(int)),
                    .column = dfl_alloc(ctx, (size_t)most, sizeof(int))};
    dfl_status status = p.row && p.column ? dfl_choose_pivots(&p, trials, K0) : DFL_NO_MEMORY;
    if (!status)
        status = dfl_massless_decided(eq, &p.count, 1);
    if (!status)
        status = dfl_massless_decided(eq, p.row, p.count);
    if (!status)
        status = dfl_massless_decided(eq, p.column, p.count);
    if (!status && p.count > 0)
        status = reduce(K0, lead, eq, &p);
    dfl_free(ctx, p.row);
    dfl_free(ctx, p.column);
    return status;
}

/* ------------------------------------------------------------------------------- numbers */

/* The pivots of the trial with the highest rank; the start comes first. */
dfl_status dfl_choose_pivots(dfl_pivots *out, const dfl_trials *trials, const dfl_sparse *K0)
{
    const dfl_equations *eq = trials->eq;
    dfl_context *ctx = eq->model->ctx;
    const int rows = eq->nl + eq->nm, columns = K0 ? K0->ncols : dfl_tree_state_n0(trials->tree);
    const int most = rows < columns ? rows : columns;
    double *B = dfl_alloc(ctx, (size_t)rows * (size_t)columns, sizeof *B);
    dfl_pivots found = {.row = dfl_alloc(ctx, (size_t)most, sizeof(int)),
                        .column = dfl_alloc(ctx, (size_t)most, sizeof(int))};
    dfl_status status = B && found.row && found.column ? DFL_OK : DFL_NO_MEMORY;
    for (int k = 0; !status && k < DFL_TRIALS; k++) {
        if (!trials->usable[k])
            continue;
        status = dfl_held_products(B, trials, k, K0);
        found.count = 0;
        if (!status && find_pivots(&found, B, rows, columns) > out->count) {
            out->count = found.count;
            memcpy(out->row, found.row, (size_t)found.count * sizeof(int));
            memcpy(out->column, found.column, (size_t)found.count * sizeof(int));
        }
    }
    dfl_free(ctx, B);
    dfl_free(ctx, found.row);
    dfl_free(ctx, found.column);
    return status;
}

/* With the rows of W scaled to one. */
dfl_status dfl_held_products(double *B, const dfl_trials *trials, int trial, const dfl_sparse *K0)
{
    const dfl_equations *eq = trials->eq;
    dfl_context *ctx = eq->model->ctx;
    const int rows = eq->nl + eq->nm, nv = eq->nv;
    const int columns = K0 ? K0->ncols : dfl_tree_state_n0(trials->tree);
    const dfl_numbers numbers = dfl_trials_numbers(trials, trial);
    double *W = dfl_alloc(ctx, (size_t)rows * (size_t)nv, sizeof *W);
    double *K = dfl_alloc(ctx, (size_t)nv * (size_t)columns, sizeof *K);
    dfl_status status = W && K ? dfl_numbers_matrix(W, &numbers, eq, &eq->W) : DFL_NO_MEMORY;
    if (!status)
        status = dfl_held_directions(K, trials, trial, K0);
    if (!status && trials->tree)
        dfl_tree_state_rows(&(dfl_blocks){.W = W}, trials->tree, DFL_DIRECTIONS);
    for (int i = 0; !status && i < rows; i++) {
        double size = 0.0;
        for (int j = 0; j < nv; j++)
            size = fmax(size, fabs(W[i + j * rows]));
        for (int j = 0; size > 0.0 && j < nv; j++)
            W[i + j * rows] /= size;
    }
    if (!status)
        dfl_gemm(rows, columns, nv, 1.0, W, rows, K, nv, 0.0, B, rows);
    dfl_free(ctx, W);
    dfl_free(ctx, K);
    return status;
}

/* The values of K0, or those of the tree, which is placed there. */
dfl_status dfl_held_directions(double *K, const dfl_trials *trials, int trial, const dfl_sparse *K0)
{
    const dfl_equations *eq = trials->eq;
    const dfl_numbers numbers = dfl_trials_numbers(trials, trial);
    if (K0)
        return dfl_numbers_matrix(K, &numbers, eq, K0);
    double *room = dfl_alloc(eq->model->ctx, (size_t)(3 * eq->nv), sizeof *room);
    const dfl_status status =
        room ? dfl_tree_state_place_at(trials->tree, &numbers) : DFL_NO_MEMORY;
    if (!status) {
        dfl_tree_state_balance(room, room + eq->nv, trials->tree, room + 2 * eq->nv);
        dfl_tree_state_null_space(K, trials->tree);
    }
    dfl_free(eq->model->ctx, room);
    return status;
}

static int find_pivots(dfl_pivots *out, double *B, int rows, int columns)
{
    while (out->count < rows && out->count < columns) {
        int row = -1, column = 0;
        double best = held_ratio;
        for (int j = 0; j < columns; j++)
            for (int i = 0; i < rows; i++)
                if (fabs(B[i + j * rows]) > best && !is_pivot(out->row, out->count, i) &&
                    !is_pivot(out->column, out->count, j)) {
                    best = fabs(B[i + j * rows]);
                    row = i;
                    column = j;
                }
        if (row < 0)
            break;
        out->row[out->count] = row;
        out->column[out->count++] = column;
        clear_column(B, rows, columns, row, column);
    }
    return out->count;
}

static bool is_pivot(const int *list, int count, int number)
{
    for (int k = 0; k < count; k++)
        if (list[k] == number)
            return true;
    return false;
}

static void clear_column(double *B, int rows, int columns, int row, int column)
{
    const double pivot = B[row + column * rows];
    for (int i = 0; i < rows; i++) {
        const double factor = B[i + column * rows] / pivot;
        for (int j = 0; j < columns && i != row; j++)
            B[i + j * rows] -= factor * B[row + j * rows];
    }
}

/* ------------------------------------------------------------------------------- expressions */

/* K0 Y: a column for every one that is not a pivot. */
static dfl_status reduce(dfl_sparse *K0, int *lead, const dfl_equations *eq, const dfl_pivots *p)
{
    dfl_graph *graph = eq->graph;
    dfl_context *ctx = eq->model->ctx;
    const int columns = K0->ncols;
    int room = 0, count = 0;
    dfl_sparse left = {.nrows = eq->nv, .ncols = columns - p->count};
    dfl_expr *Y = dfl_exprs(eq, columns * left.ncols);
    dfl_status status = Y ? DFL_OK : DFL_NO_MEMORY;
    if (!status && left.ncols > 0)
        status = find_Y(Y, eq, K0, p);
    for (int e = 0; !status && e < K0->count; e++)
        for (int k = 0; !status && k < left.ncols; k++) {
            const dfl_expr share = Y[K0->entry[e].col + k * columns];
            if (share != 0)
                status = dfl_sparse_add(&left, &room, graph, K0->entry[e].row, k,
                                        dfl_mul(graph, share, K0->entry[e].expr));
        }
    if (!status)
        status = dfl_sparse_finish(&left, graph);
    for (int c = 0; !status && c < columns; c++)
        if (!is_pivot(p->column, p->count, c))
            lead[count++] = lead[c];
    dfl_sparse_clear(status ? &left : K0, ctx);
    if (!status)
        *K0 = left;
    dfl_free(ctx, Y);
    return status;
}

/* Y in groups of pivots that are coupled through rows of W K0. A group with one column besides its
   pivots gets the minors of its rows, which vanish together only where the constraints lose rank.
   In other groups the pivots have to stay regular. */
static dfl_status find_Y(dfl_expr *Y, const dfl_equations *eq, const dfl_sparse *K0,
                         const dfl_pivots *p)
{
    dfl_context *ctx = eq->model->ctx;
    const int columns = K0->ncols, n = p->count;
    dfl_expr *T = dfl_exprs(eq, n * columns), *solved = dfl_exprs(eq, n * columns);
    int *group = dfl_alloc(ctx, (size_t)columns, sizeof *group);
    dfl_minors *minors = dfl_alloc(ctx, 1, sizeof *minors);
    dfl_status status = T && solved && group && minors ? DFL_OK : DFL_NO_MEMORY;
    if (!status)
        status = product_rows(T, eq, K0, p);
    if (!status) {
        memcpy(solved, T, (size_t)(n * columns) * sizeof *T);
        find_groups(group, T, columns, n);
    }
    bool divided = false;
    for (int c = 0, k = 0; !status && c < columns; c++) {
        if (is_pivot(p->column, n, c))
            continue;
        if (!by_minors(Y + k * columns, eq->graph, T, group, c, columns, p, minors)) {
            if (!divided)
                solve_rows(solved, eq->graph, columns, p);
            divided = true;
            Y[c + k * columns] = dfl_constant(eq->graph, 1.0);
            for (int q = 0; q < n; q++)
                Y[p->column[q] + k * columns] = dfl_neg(eq->graph, solved[q + c * n]);
        }
        k++;
    }
    dfl_free(ctx, T);
    dfl_free(ctx, solved);
    dfl_free(ctx, group);
    dfl_free(ctx, minors);
    return status;
}

/* Columns that have an entry in the same row get the same number. */
static void find_groups(int *group, const dfl_expr *T, int columns, int n)
{
    for (int c = 0; c < columns; c++)
        group[c] = c;
    for (int q = 0; q < n; q++) {
        int first = -1;
        for (int c = 0; c < columns; c++) {
            if (T[q + c * n] == 0)
                continue;
            const int old = group[c];
            if (first < 0)
                first = old;
            for (int k = 0; k < columns && old != first; k++)
                if (group[k] == old)
                    group[k] = first;
        }
    }
}

/* y = det B_RC at column c, -det(B_RC with a column replaced by c) at the pivots. False if the
   group of c has another free column or is too large. */
static bool by_minors(dfl_expr *y, dfl_graph *graph, const dfl_expr *T, const int *group, int c,
                      int columns, const dfl_pivots *p, dfl_minors *minors)
{
    enum { MOST = 4 };
    const int n = p->count;
    int pivot[MOST], k = 0, members = 0;
    dfl_expr column[DFL_LARGEST_MINORS];
    for (int j = 0; j < columns; j++)
        members += group[j] == group[c];
    for (int q = 0; q < n; q++)
        if (group[p->column[q]] == group[c] && k++ < MOST)
            pivot[k - 1] = q;
    if (k > MOST || members != k + 1)
        return false;
    minors->k = k;
    for (int i = 0; i < k; i++) {
        column[i] = T[pivot[i] + c * n];
        for (int j = 0; j < k; j++)
            minors->A[i][j] = T[pivot[i] + p->column[pivot[j]] * n];
    }
    y[c] = dfl_determinant(graph, minors);
    for (int j = 0; j < k; j++)
        y[p->column[pivot[j]]] = dfl_neg(graph, dfl_determinant_replaced(graph, minors, j, column));
    return true;
}

/* T (pivots x columns) = the rows of W K0 with pivots. */
static dfl_status product_rows(dfl_expr *T, const dfl_equations *eq, const dfl_sparse *K0,
                               const dfl_pivots *p)
{
    dfl_graph *graph = eq->graph;
    for (int w = 0; w < eq->W.count; w++)
        for (int q = 0; q < p->count; q++) {
            if (eq->W.entry[w].row != p->row[q])
                continue;
            for (int e = 0; e < K0->count; e++)
                if (K0->entry[e].row == eq->W.entry[w].col) {
                    dfl_expr *to = &T[q + K0->entry[e].col * p->count];
                    *to =
                        dfl_add(graph, *to, dfl_mul(graph, eq->W.entry[w].expr, K0->entry[e].expr));
                }
        }
    return dfl_graph_status(graph);
}

/* Gauss-Jordan: T becomes B_RC^-1 B. */
static void solve_rows(dfl_expr *T, dfl_graph *graph, int columns, const dfl_pivots *p)
{
    const int n = p->count;
    for (int q = 0; q < n; q++) {
        const dfl_expr pivot = T[q + p->column[q] * n];
        for (int c = 0; c < columns; c++)
            T[q + c * n] = dfl_div(graph, T[q + c * n], pivot);
        for (int i = 0; i < n; i++) {
            const dfl_expr factor = T[i + p->column[q] * n];
            if (i == q || factor == 0)
                continue;
            for (int c = 0; c < columns; c++)
                if (T[q + c * n] != 0)
                    T[i + c * n] =
                        dfl_sub(graph, T[i + c * n], dfl_mul(graph, factor, T[q + c * n]));
            T[i + p->column[q] * n] = 0; /* exactly */
        }
    }
}
