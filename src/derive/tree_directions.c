/* tree_directions.c: massless directions of a tree of bodies that no constraint holds.

   The tree has the directions K (dfl_tree_state_null_space). With B = W K and pivots in rows R and
   columns C, chosen once, the free columns F are combined so that all constraints are satisfied:
   K0 = K Y. Columns are in one group if they share a pivot row. A group with one free column gets
   the minors of its rows, Y = (det B_RC; -det B_RC with a column replaced), which vanish together
   only where the constraints lose rank; with more free columns Y = [-B_RC^-1 B_RF; 1], and the
   pivots have to stay regular. Pivots of a group without a free column are of no use. */
#include "derive/massless_directions.h"

#include "derive/derive_internal.h"

#include <math.h>
#include <string.h>

enum { LARGEST_MINORS = 4 };

/* Entries of B below this part of the largest one of their row of W are zero. */
static const double coupled_ratio = 1e-9;

static dfl_status check_model(const dfl_equations *eq);
static dfl_status find_directions(dfl_equations *eq, dfl_trials *trials);
static dfl_status note_directions(dfl_equations *eq, const dfl_trials *trials);
static dfl_status allocate(dfl_directions **out, const dfl_equations *eq, int all);
static dfl_status find_groups(dfl_directions *d, const dfl_trials *trials, const dfl_pivots *p);
static void join_groups(dfl_directions *d, const dfl_pivots *p, const double *B, int rows);
static void keep(dfl_directions *d, const dfl_pivots *p);
static dfl_status find_moved(dfl_directions *d, const dfl_trials *trials);
static bool is_left(const dfl_directions *d, int column);
static bool is_pivot(const dfl_pivots *p, int column);
static int collect(int *pivot, int *nfree, const dfl_directions *d, int column);
static void by_minors(double *y, const dfl_directions *d, const double *B, int rows, int column);
static double determinant(int n, double A[LARGEST_MINORS][LARGEST_MINORS]);
static bool by_elimination(double *y, const dfl_directions *d, const double *B, int rows,
                           int column, double *T);
static bool eliminate(double *T, int n);

/* Whether all masses of the tree count. */
static bool is_regular(const dfl_trials *trials)
{
    double ratio;
    return dfl_tree_state_n0(trials->tree) == 0 &&
           dfl_tree_state_negligible(&ratio, trials->tree) < 0;
}

dfl_status dfl_derive_tree_massless(dfl_equations *eq)
{
    dfl_trials trials;
    dfl_status status = dfl_trials_create(&trials, eq);
    if (status)
        return status;
    eq->massless.negligible =
        dfl_tree_state_negligible(&eq->massless.negligible_ratio, trials.tree);
    if (eq->nv != eq->model->tree->nv || dfl_tree_state_n0(trials.tree) > 0)
        status = check_model(eq);
    if (!status && dfl_tree_state_n0(trials.tree) > 0)
        status = find_directions(eq, &trials);
    eq->massless.none = !status && is_regular(&trials);
    dfl_trials_clear(&trials);
    eq->rows.gam = dfl_exprs(eq, eq->n0);
    return status ? status : eq->rows.gam ? DFL_OK : DFL_NO_MEMORY;
}

/* K0 takes masses from the tree alone, and forces that do not contain multipliers. A drawing checks
   this when it decides (drawing/tree_description.c), but its energy may be needed before the rest
   is declared. */
static dfl_status check_model(const dfl_equations *eq)
{
    const unsigned multipliers = 1U << DFL_SYM_LAMBDA | 1U << DFL_SYM_MU;
    bool apart = eq->nv == eq->model->tree->nv && eq->M.count == 0;
    for (int i = 0; apart && i < eq->nv; i++)
        apart = !(dfl_node_of(eq->graph, eq->rows.f[i])->depends & multipliers);
    return apart ? DFL_OK
                 : dfl_model_fail(eq->model, eq->model->energy.asked_line,
                                  "energy() is called before coordinates without mass, masses, or "
                                  "forces with multipliers are declared in addition to a mechanism "
                                  "whose masses come from recursions; choose the evaluation "
                                  "'tape' or 'native'");
}

static dfl_status find_directions(dfl_equations *eq, dfl_trials *trials)
{
    dfl_context *ctx = eq->model->ctx;
    dfl_status status = dfl_trials_spread(trials);
    const dfl_numbers start = dfl_trials_numbers(trials, 0);
    if (!status)
        status = dfl_tree_state_place_at(trials->tree, &start);
    if (!status)
        status = dfl_tree_state_decide(trials->tree);
    if (!status)
        status = allocate(&eq->massless.tree, eq, dfl_tree_state_n0(trials->tree));
    if (status)
        return status;
    dfl_directions *d = eq->massless.tree;
    memcpy(d->x, start.x, (size_t)eq->n * sizeof *d->x);
    dfl_pivots p = {.row = dfl_alloc(ctx, (size_t)d->all, sizeof(int)),
                    .column = dfl_alloc(ctx, (size_t)d->all, sizeof(int))};
    status = p.row && p.column ? DFL_OK : DFL_NO_MEMORY;
    if (!status && eq->nl + eq->nm > 0)
        status = dfl_choose_pivots(&p, trials, NULL);
    if (!status)
        status = find_groups(d, trials, &p);
    if (!status) {
        keep(d, &p);
        status = find_moved(d, trials);
    }
    if (!status)
        status = note_directions(eq, trials);
    for (int k = 0; !status && k < d->left; k++)
        eq->massless.velocity[k] = dfl_tree_state_massless(trials->tree, d->free[k]);
    eq->n0 = eq->massless.K0.ncols = d->left;
    dfl_free(ctx, p.row);
    dfl_free(ctx, p.column);
    return status;
}

/* All that numbers have decided. */
static dfl_status note_directions(dfl_equations *eq, const dfl_trials *trials)
{
    const dfl_directions *d = eq->massless.tree;
    const int counts[] = {d->all, d->held, d->left};
    const struct {
        const int *items;
        int count;
    } all[] = {{counts, 3},
               {d->row, d->held},
               {d->column, d->held},
               {d->free, d->left},
               {d->group, d->all}};
    dfl_status status = DFL_OK;
    for (size_t i = 0; !status && i < sizeof all / sizeof *all; i++)
        status = dfl_massless_decided(eq, all[i].items, all[i].count);
    for (int k = 0; !status && k < d->all; k++)
        status = dfl_massless_decided(eq, &(int){dfl_tree_state_massless(trials->tree, k)}, 1);
    for (int i = 0; !status && i < eq->nv; i++)
        status = dfl_massless_decided(eq, &(int){d->moved[i]}, 1);
    return status;
}

static dfl_status allocate(dfl_directions **out, const dfl_equations *eq, int all)
{
    dfl_context *ctx = eq->model->ctx;
    dfl_directions *d = *out = dfl_alloc(ctx, 1, sizeof *d);
    if (!d)
        return DFL_NO_MEMORY;
    d->all = all;
    d->x = dfl_alloc(ctx, (size_t)eq->n, sizeof *d->x);
    d->row = dfl_alloc(ctx, (size_t)all, sizeof *d->row);
    d->column = dfl_alloc(ctx, (size_t)all, sizeof *d->column);
    d->free = dfl_alloc(ctx, (size_t)all, sizeof *d->free);
    d->group = dfl_alloc(ctx, (size_t)all, sizeof *d->group);
    d->moved = dfl_alloc(ctx, (size_t)eq->nv, sizeof *d->moved);
    return d->x && d->row && d->column && d->free && d->group && d->moved ? DFL_OK : DFL_NO_MEMORY;
}

void dfl_directions_free(dfl_directions *d, dfl_context *ctx)
{
    if (!d)
        return;
    void *const blocks[] = {d->x, d->row, d->column, d->free, d->group, d->moved};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        dfl_free(ctx, blocks[i]);
    dfl_free(ctx, d);
}

/* ------------------------------------------------------------------ the decision */

/* Columns that have an entry in the same pivot row, at any trial, get the same number. */
static dfl_status find_groups(dfl_directions *d, const dfl_trials *trials, const dfl_pivots *p)
{
    const dfl_equations *eq = trials->eq;
    dfl_context *ctx = eq->model->ctx;
    const int rows = eq->nl + eq->nm;
    double *B = dfl_alloc(ctx, (size_t)rows * (size_t)d->all, sizeof *B);
    dfl_status status = B ? DFL_OK : DFL_NO_MEMORY;
    for (int c = 0; c < d->all; c++)
        d->group[c] = c;
    for (int k = 0; !status && p->count > 0 && k < DFL_TRIALS; k++) {
        if (!trials->usable[k])
            continue;
        status = dfl_held_products(B, trials, k, NULL);
        if (!status)
            join_groups(d, p, B, rows);
    }
    dfl_free(ctx, B);
    return status;
}

static void join_groups(dfl_directions *d, const dfl_pivots *p, const double *B, int rows)
{
    for (int q = 0; q < p->count; q++)
        for (int c = 0; c < d->all; c++) {
            const int from = d->group[c], to = d->group[p->column[q]];
            if (!(fabs(B[p->row[q] + (long)c * rows]) > coupled_ratio))
                continue;
            for (int k = 0; k < d->all && from != to; k++)
                if (d->group[k] == from)
                    d->group[k] = to;
        }
}

/* The free columns, and the pivots in their groups. */
static void keep(dfl_directions *d, const dfl_pivots *p)
{
    for (int c = 0; c < d->all; c++)
        if (!is_pivot(p, c))
            d->free[d->left++] = c;
    for (int q = 0; q < p->count; q++) {
        if (is_left(d, p->column[q])) {
            d->row[d->held] = p->row[q];
            d->column[d->held++] = p->column[q];
        }
    }
}

/* Whether a column takes part in what is left. */
static bool is_left(const dfl_directions *d, int column)
{
    for (int k = 0; k < d->left; k++)
        if (d->group[d->free[k]] == d->group[column])
            return true;
    return false;
}

/* The velocities in the columns that take part, at any trial. */
static dfl_status find_moved(dfl_directions *d, const dfl_trials *trials)
{
    const int nv = trials->eq->nv;
    dfl_context *ctx = trials->eq->model->ctx;
    double *K = dfl_alloc(ctx, (size_t)nv * (size_t)d->all, sizeof *K);
    dfl_status status = K ? DFL_OK : DFL_NO_MEMORY;
    for (int k = 0; !status && k < DFL_TRIALS; k++) {
        if (!trials->usable[k])
            continue;
        status = dfl_held_directions(K, trials, k, NULL);
        for (int i = 0; !status && i < nv * d->all; i++)
            if (K[i] != 0.0 && is_left(d, i / nv))
                d->moved[i % nv] = true;
    }
    dfl_free(ctx, K);
    return status;
}

static bool is_pivot(const dfl_pivots *p, int column)
{
    for (int q = 0; q < p->count; q++)
        if (p->column[q] == column)
            return true;
    return false;
}

/* ------------------------------------------------------------------ combinations */

bool dfl_directions_combine(double *Y, const dfl_directions *d, const double *B, int rows,
                            double *room)
{
    memset(Y, 0, (size_t)d->all * (size_t)d->left * sizeof *Y);
    for (int k = 0; k < d->left; k++) {
        const int column = d->free[k];
        double *y = Y + (long)k * d->all;
        int nfree;
        const int npivots = collect(NULL, &nfree, d, column);
        y[column] = 1.0;
        if (npivots > 0 && npivots <= LARGEST_MINORS && nfree == 1)
            by_minors(y, d, B, rows, column);
        else if (npivots > 0 && !by_elimination(y, d, B, rows, column, room))
            return false;
    }
    return true;
}

/* The numbers of the pivots in the group of a column; *nfree: of its free columns. */
static int collect(int *pivot, int *nfree, const dfl_directions *d, int column)
{
    int count = 0;
    for (int q = 0; q < d->held; q++)
        if (d->group[d->column[q]] == d->group[column]) {
            if (pivot)
                pivot[count] = q;
            count++;
        }
    *nfree = 0;
    for (int k = 0; k < d->left; k++)
        *nfree += d->group[d->free[k]] == d->group[column];
    return count;
}

static void by_minors(double *y, const dfl_directions *d, const double *B, int rows, int column)
{
    double A[LARGEST_MINORS][LARGEST_MINORS];
    int pivot[LARGEST_MINORS], nfree;
    const int n = collect(pivot, &nfree, d, column);
    for (int replaced = -1; replaced < n; replaced++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                A[i][j] = B[d->row[pivot[i]] +
                            (long)(j == replaced ? column : d->column[pivot[j]]) * rows];
        const double value = determinant(n, A);
        if (replaced < 0)
            y[column] = value;
        else
            y[d->column[pivot[replaced]]] = -value;
    }
}

/* By the cofactors of the first row. */
static double determinant(int n, double A[LARGEST_MINORS][LARGEST_MINORS])
{
    double sum = 0.0;
    if (n == 1)
        return A[0][0];
    for (int k = 0; k < n; k++) {
        double minor[LARGEST_MINORS][LARGEST_MINORS];
        for (int i = 1; i < n; i++)
            for (int j = 0, to = 0; j < n; j++)
                if (j != k)
                    minor[i - 1][to++] = A[i][j];
        sum += (k % 2 ? -1.0 : 1.0) * A[0][k] * determinant(n - 1, minor);
    }
    return sum;
}

/* Gauss-Jordan with row pivoting on T = [B_RC, B_R column], n x (n + 1) by rows. */
static bool by_elimination(double *y, const dfl_directions *d, const double *B, int rows,
                           int column, double *T)
{
    int n = 0, nfree;
    const int width = collect(NULL, &nfree, d, column) + 1;
    for (int q = 0; q < d->held; q++) {
        double *row = T + n * width;
        int j = 0;
        if (d->group[d->column[q]] != d->group[column])
            continue;
        for (int r = 0; r < d->held; r++)
            if (d->group[d->column[r]] == d->group[column])
                row[j++] = B[d->row[q] + (long)d->column[r] * rows];
        row[j] = B[d->row[q] + (long)column * rows];
        n++;
    }
    if (!eliminate(T, n))
        return false;
    for (int q = 0, j = 0; q < d->held; q++)
        if (d->group[d->column[q]] == d->group[column]) {
            y[d->column[q]] = -T[j * width + n] / T[j * width + j];
            j++;
        }
    return true;
}

/* T becomes diagonal in its first n columns. */
static bool eliminate(double *T, int n)
{
    const int width = n + 1;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            best = fabs(T[i * width + k]) > fabs(T[best * width + k]) ? i : best;
        if (!(fabs(T[best * width + k]) > 0.0))
            return false;
        for (int j = 0; j < width && best != k; j++) {
            const double swap = T[k * width + j];
            T[k * width + j] = T[best * width + j];
            T[best * width + j] = swap;
        }
        for (int i = 0; i < n; i++) {
            const double factor = T[i * width + k] / T[k * width + k];
            for (int j = k; j < width && i != k; j++)
                T[i * width + j] -= factor * T[k * width + j];
        }
    }
    return true;
}
