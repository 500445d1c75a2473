/* LDL^T of the saddle matrix [D A^T; A 0] without pivoting, in an order that is chosen once.

   The order is that of minimum degree for the whole graph, but every row of A comes after all of
   its columns: then the part of the matrix that has been eliminated is always quasi-definite, and
   its LDL^T exists and is stable (Vanderbei 1995), as long as the rows are independent. The pivot
   of a row is minus the square of its distance from the rows before it, so dependent rows show in
   their pivots; they are left out at once. Up-looking (Davis 2006, section 4.8), row patterns are
   stored. */
#include "linalg/saddle_ldl_internal.h"

#include <stdlib.h>
#include <string.h>

static dfl_status choose_order(dfl_saddle_ldl *ldl);
static dfl_status make_upper(dfl_saddle_ldl *ldl);
static dfl_status make_rows(dfl_saddle_ldl *ldl);
static void find_chunks(dfl_saddle_ldl *ldl);
static void find_quiet(dfl_saddle_ldl *ldl);
static void begin(dfl_saddle_ldl *ldl);
static bool eliminate(dfl_saddle_ldl *ldl, double tolerance, const unsigned char *left_out);

dfl_status dfl_saddle_ldl_create(dfl_saddle_ldl **out, dfl_context *ctx, const dfl_csc *D,
                                 const dfl_csc *A)
{
    *out = NULL;
    dfl_saddle_ldl *ldl = dfl_alloc(ctx, 1, sizeof *ldl);
    if (!ldl)
        return DFL_NO_MEMORY;
    ldl->ctx = ctx;
    ldl->D = D;
    ldl->A = A;
    ldl->nv = A->columns;
    ldl->nc = A->rows;
    ldl->n = ldl->nv + ldl->nc;
    const size_t n = (size_t)ldl->n + 1;
    int **const ints[] = {&ldl->place, &ldl->unknown, &ldl->row_start,
                          &ldl->start, &ldl->chunk,   &ldl->tail};
    double **const numbers[] = {&ldl->pivot, &ldl->y, &ldl->length2};
    dfl_status status = DFL_OK;
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
        if (!(*ints[i] = dfl_alloc(ctx, n, sizeof(int))))
            status = DFL_NO_MEMORY;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!(*numbers[i] = dfl_alloc(ctx, n, sizeof(double))))
            status = DFL_NO_MEMORY;
    ldl->out = dfl_alloc(ctx, n, 1);
    ldl->empty = dfl_alloc(ctx, n, 1);
    ldl->quiet = dfl_alloc(ctx, n, 1);
    if (!ldl->out || !ldl->empty || !ldl->quiet)
        status = DFL_NO_MEMORY;
    if (!status)
        status = choose_order(ldl);
    if (!status)
        status = make_upper(ldl);
    if (!status)
        status = make_rows(ldl);
    if (!status) {
        find_chunks(ldl);
        find_quiet(ldl);
    }
    if (status)
        dfl_saddle_ldl_free(ldl);
    else
        *out = ldl;
    return status;
}

void dfl_saddle_ldl_free(dfl_saddle_ldl *ldl)
{
    if (!ldl)
        return;
    void *const block[] = {ldl->place,     ldl->unknown,    ldl->at_D,     ldl->at_A,  ldl->value,
                           ldl->row_start, ldl->row_column, ldl->row_slot, ldl->start, ldl->row,
                           ldl->chunk,     ldl->tail,       ldl->L,        ldl->pivot, ldl->y,
                           ldl->length2,   ldl->out,        ldl->empty,    ldl->quiet};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(ldl->ctx, block[i]);
    dfl_csc_clear(&ldl->upper, ldl->ctx);
    dfl_free(ldl->ctx, ldl);
}

static int entries(const dfl_csc *matrix)
{
    return matrix ? matrix->start[matrix->columns] : 0;
}

/* All entries of the matrix on one side of its diagonal, by unknowns; `place` NULL: as they are.
   Returns their number. */
static int list_entries(dfl_place_of_entry *list, const dfl_saddle_ldl *ldl)
{
    int count = 0;
    for (int j = 0; ldl->D && j < ldl->nv; j++)
        for (int k = ldl->D->start[j]; k < ldl->D->start[j + 1]; k++)
            list[count++] = (dfl_place_of_entry){ldl->D->row[k], j};
    for (int j = 0; j < ldl->nv; j++)
        for (int k = ldl->A->start[j]; k < ldl->A->start[j + 1]; k++)
            list[count++] = (dfl_place_of_entry){ldl->nv + ldl->A->row[k], j};
    return count;
}

/* That of the whole matrix, whose diagonal is D. */
static dfl_status choose_order(dfl_saddle_ldl *ldl)
{
    const int n = ldl->n, most = entries(ldl->D) + entries(ldl->A) + ldl->nv;
    dfl_csc graph = {0};
    dfl_place_of_entry *list = dfl_alloc(ldl->ctx, (size_t)most + 1, sizeof *list);
    dfl_status status = list ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        int count = list_entries(list, ldl);
        for (int j = 0; j < ldl->nv; j++)
            list[count++] = (dfl_place_of_entry){j, j};
        status = dfl_csc_create(&graph, NULL, ldl->ctx, n, n, list, count);
    }
    if (!status)
        status = dfl_late_order(ldl->unknown, ldl->ctx, &graph);
    for (int k = 0; !status && k < n; k++)
        ldl->place[ldl->unknown[k]] = k;
    dfl_csc_clear(&graph, ldl->ctx);
    dfl_free(ldl->ctx, list);
    return status;
}

/* The upper triangle in the order, without its diagonal. */
static dfl_status make_upper(dfl_saddle_ldl *ldl)
{
    const int nD = entries(ldl->D), nA = entries(ldl->A);
    dfl_place_of_entry *list = dfl_alloc(ldl->ctx, (size_t)(nD + nA) + 1, sizeof *list);
    int *at = dfl_alloc(ldl->ctx, (size_t)(nD + nA) + 1, sizeof *at);
    ldl->at_D = dfl_alloc(ldl->ctx, (size_t)nD + 1, sizeof *at);
    ldl->at_A = dfl_alloc(ldl->ctx, (size_t)nA + 1, sizeof *at);
    dfl_status status = list && at && ldl->at_D && ldl->at_A ? DFL_OK : DFL_NO_MEMORY;
    int count = 0;
    if (!status) {
        list_entries(list, ldl);
        for (int k = 0; k < nD + nA; k++) {
            const int i = ldl->place[list[k].row], j = ldl->place[list[k].column];
            const bool used = k >= nD || list[k].row < list[k].column;
            (k < nD ? ldl->at_D : ldl->at_A)[k < nD ? k : k - nD] = used ? count : -1;
            if (used)
                list[count++] = (dfl_place_of_entry){i < j ? i : j, i < j ? j : i};
        }
        status = dfl_csc_create(&ldl->upper, at, ldl->ctx, ldl->n, ldl->n, list, count);
    }
    for (int k = 0; !status && k < nD; k++)
        ldl->at_D[k] = ldl->at_D[k] >= 0 ? at[ldl->at_D[k]] : -1;
    for (int k = 0; !status && k < nA; k++)
        ldl->at_A[k] = at[ldl->at_A[k]];
    if (!status) {
        ldl->value = dfl_alloc(ldl->ctx, (size_t)entries(&ldl->upper) + 1, sizeof(double));
        status = ldl->value ? DFL_OK : DFL_NO_MEMORY;
    }
    dfl_free(ldl->ctx, list);
    dfl_free(ldl->ctx, at);
    return status;
}

/* Calls for each column i of row k of L: walks up the elimination tree from the entries above the
   diagonal of column k. Counts them; with row_column, stores them. */
static int walk_row(int *columns, const dfl_saddle_ldl *ldl, int *parent, int *mark, int k)
{
    int count = 0;
    mark[k] = k;
    for (int p = ldl->upper.start[k]; p < ldl->upper.start[k + 1]; p++)
        for (int i = ldl->upper.row[p]; mark[i] != k; i = parent[i]) {
            if (parent[i] < 0)
                parent[i] = k;
            mark[i] = k;
            if (columns)
                columns[count] = i;
            count++;
        }
    return count;
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b;
}

/* The entries of L by columns; next: n. */
static void place_rows(dfl_saddle_ldl *ldl, int *next)
{
    memcpy(next, ldl->start, (size_t)ldl->n * sizeof *next);
    for (int k = 0; k < ldl->n; k++)
        for (int p = ldl->row_start[k]; p < ldl->row_start[k + 1]; p++) {
            const int slot = next[ldl->row_column[p]]++;
            ldl->row_slot[p] = slot;
            ldl->row[slot] = k;
        }
}

static dfl_status make_rows(dfl_saddle_ldl *ldl)
{
    const int n = ldl->n;
    int *parent = dfl_alloc(ldl->ctx, (size_t)n + 1, sizeof *parent);
    int *mark = dfl_alloc(ldl->ctx, (size_t)n + 1, sizeof *mark);
    if (parent && mark) {
        for (int k = 0; k < n; k++)
            parent[k] = mark[k] = -1;
        for (int k = 0; k < n; k++)
            ldl->row_start[k + 1] = ldl->row_start[k] + walk_row(NULL, ldl, parent, mark, k);
        const size_t count = (size_t)ldl->row_start[n] + 1;
        ldl->row_column = dfl_alloc(ldl->ctx, count, sizeof(int));
        ldl->row_slot = dfl_alloc(ldl->ctx, count, sizeof(int));
        ldl->row = dfl_alloc(ldl->ctx, count, sizeof(int));
        ldl->L = dfl_alloc(ldl->ctx, count, sizeof(double));
    }
    const bool room = parent && mark && ldl->row_column && ldl->row_slot && ldl->row && ldl->L;
    for (int k = 0; room && k < n; k++)
        mark[k] = -1;
    for (int k = 0; room && k < n; k++) {
        int *columns = ldl->row_column + ldl->row_start[k];
        const int count = walk_row(columns, ldl, parent, mark, k);
        qsort(columns, (size_t)count, sizeof *columns, ascending);
        for (int p = 0; p < count; p++)
            ldl->start[columns[p] + 1]++;
    }
    for (int k = 0; room && k < n; k++)
        ldl->start[k + 1] += ldl->start[k];
    if (room)
        place_rows(ldl, mark);
    dfl_free(ldl->ctx, parent);
    dfl_free(ldl->ctx, mark);
    return room ? DFL_OK : DFL_NO_MEMORY;
}

/* Whether column j has the rows of column `other` from `other_row` on. */
static bool same_rows(const dfl_saddle_ldl *ldl, int j, int other, int other_row)
{
    const int count = ldl->start[j + 1] - ldl->start[j];
    return ldl->start[other + 1] - other_row == count &&
           memcmp(ldl->row + ldl->start[j], ldl->row + other_row,
                  (size_t)count * sizeof *ldl->row) == 0;
}

static void find_chunks(dfl_saddle_ldl *ldl)
{
    int first = 0;
    for (int j = 0; j < ldl->n; j++) {
        bool joins = j > first && j - first < DFL_WIDEST_CHUNK;
        for (int c = first; joins && c < j; c++) /* without row j, if it is there */
            joins = same_rows(
                ldl, j, c,
                ldl->tail[c] + (ldl->tail[c] < ldl->start[c + 1] && ldl->row[ldl->tail[c]] == j));
        if (!joins)
            first = j;
        for (int c = first; c < j; c++)
            ldl->tail[c] = ldl->start[c + 1] - (ldl->start[j + 1] - ldl->start[j]);
        ldl->tail[j] = ldl->start[j];
        ldl->chunk[j] = 0;
        ldl->chunk[first] = j + 1 - first;
    }
    for (int k = 0, width; k < ldl->n; k += width) { /* too short to be worth the effort */
        width = ldl->chunk[k];
        const bool is_short = ldl->start[k + 1] - ldl->tail[k] < DFL_SHORTEST_CHUNK;
        for (int c = 0; is_short && c < width; c++) {
            ldl->chunk[k + c] = 1;
            ldl->tail[k + c] = ldl->start[k + c];
        }
    }
}

/* Columns of velocities that no row of A comes before, alone or through others; all of a chunk. */
static void find_quiet(dfl_saddle_ldl *ldl)
{
    for (int k = 0; k < ldl->n; k++)
        ldl->quiet[k] = ldl->unknown[k] < ldl->nv;
    for (int k = 0; k < ldl->n; k++)
        for (int p = ldl->start[k]; !ldl->quiet[k] && p < ldl->start[k + 1]; p++)
            ldl->quiet[ldl->row[p]] = 0;
    for (int k = 0; k < ldl->n; k += ldl->chunk[k])
        for (int c = 1; c < ldl->chunk[k]; c++)
            ldl->quiet[k] = ldl->quiet[k] && ldl->quiet[k + c];
}

/* Numbers into `upper` and the diagonal; squares of lengths of the rows of A. */
static void place_numbers(dfl_saddle_ldl *ldl, const double *D, const double *A)
{
    for (int i = 0; i < ldl->n; i++)
        ldl->pivot[i] = ldl->length2[i] = 0;
    for (int j = 0; j < ldl->nv; j++) {
        double *diagonal = &ldl->pivot[ldl->place[j]];
        if (!ldl->D)
            *diagonal = D[j];
        for (int k = ldl->D ? ldl->D->start[j] : 0; ldl->D && k < ldl->D->start[j + 1]; k++) {
            if (ldl->at_D[k] >= 0)
                ldl->value[ldl->at_D[k]] = D[k];
            else if (ldl->D->row[k] == j)
                *diagonal = D[k];
        }
        for (int k = ldl->A->start[j]; k < ldl->A->start[j + 1]; k++) {
            ldl->value[ldl->at_A[k]] = A[k];
            ldl->length2[ldl->A->row[k]] += A[k] * A[k] / fabs(*diagonal);
        }
    }
}

double dfl_saddle_ldl_work(const dfl_saddle_ldl *ldl, double solutions)
{
    double work = 0;
    for (int j = 0; j < ldl->n; j++) {
        const double length = ldl->start[j + 1] - ldl->start[j];
        work += 0.5 * length * (length + 1) + 2 * solutions * length;
    }
    return work;
}

/* Row k of L and its pivot. */
static DFL_INLINE void eliminate_row(dfl_saddle_ldl *ldl, int k)
{
    const int *start = ldl->start, *row = ldl->row, *column = ldl->row_column;
    const int *slot = ldl->row_slot, *above = ldl->upper.row;
    const double *value = ldl->value, *pivots = ldl->pivot;
    double *y = ldl->y, *L = ldl->L, pivot = pivots[k];
    for (int p = ldl->upper.start[k], end = ldl->upper.start[k + 1]; p < end; p++)
        y[above[p]] = value[p];
    for (int p = ldl->row_start[k], last = ldl->row_start[k + 1]; p < last; p++) {
        const int i = column[p], end = slot[p];
        const double yi = ldl->out[i] ? 0 : y[i], l = yi / pivots[i];
        y[i] = 0;
        for (int q = start[i]; q < end; q++)
            y[(unsigned)row[q]] -= L[q] * yi;
        pivot -= l * yi;
        L[end] = l;
    }
    ldl->pivot[k] = pivot;
}

bool dfl_saddle_ldl_factor(dfl_saddle_ldl *ldl, const double *D, const double *A, double tolerance,
                           const unsigned char *left_out)
{
    place_numbers(ldl, D, A);
    return eliminate(ldl, tolerance, left_out);
}

/* Pivots of D are its entries: its unknowns are not coupled, and come before the rows. */
int dfl_saddle_ldl_inertia(dfl_saddle_ldl *ldl, const double *D, const double *A,
                           const unsigned char *left_out)
{
    int wrong = 0;
    place_numbers(ldl, D, A);
    begin(ldl);
    for (int k = 0; k < ldl->n; k++) {
        eliminate_row(ldl, k);
        const int i = ldl->unknown[k] - ldl->nv;
        const bool out = i >= 0 && left_out && left_out[i];
        if (i < 0 || (!out && ldl->pivot[k] < 0))
            continue;
        wrong += !out;
        if (out || !(ldl->pivot[k] > 0))
            ldl->out[k] = 1, ldl->pivot[k] = 1;
    }
    return wrong;
}

static void begin(dfl_saddle_ldl *ldl)
{
    const size_t n = (size_t)ldl->n;
    memset(ldl->y, 0, n * sizeof *ldl->y);
    memset(ldl->out, 0, n);
    ldl->rank = 0;
    ldl->smallest = 1;
    ldl->dropped = 0;
}

/* Whether row i of A, with its present pivot, depends on rows before it. */
static bool judge_row(dfl_saddle_ldl *ldl, int i, double pivot, double tolerance, bool left_out)
{
    const double length2 = ldl->length2[i];
    ldl->empty[i] = !(length2 > 0);
    const double distance2 = length2 > 0 && -pivot > 0 ? -pivot / length2 : 0;
    ldl->length2[i] = distance2;
    if (left_out || !(distance2 > tolerance * tolerance)) {
        if (!left_out && distance2 > ldl->dropped)
            ldl->dropped = distance2;
        return true;
    }
    ldl->rank++;
    if (distance2 < ldl->smallest)
        ldl->smallest = distance2;
    return false;
}

static bool eliminate(dfl_saddle_ldl *ldl, double tolerance, const unsigned char *left_out)
{
    const int n = ldl->n, nv = ldl->nv;
    begin(ldl);
    for (int k = 0; k < n; k++) {
        const int i = ldl->unknown[k] - nv;
        eliminate_row(ldl, k);
        if (i < 0 && !(ldl->pivot[k] > 0))
            return false;
        if (i >= 0 && judge_row(ldl, i, ldl->pivot[k], tolerance, left_out && left_out[i])) {
            ldl->out[k] = 1;
            ldl->pivot[k] = 1;
        }
    }
    return true;
}

int dfl_saddle_ldl_rank(const dfl_saddle_ldl *ldl)
{
    return ldl->rank;
}

bool dfl_saddle_ldl_takes(const dfl_saddle_ldl *ldl, int row)
{
    return !ldl->out[ldl->place[ldl->nv + row]];
}

double dfl_saddle_ldl_smallest(const dfl_saddle_ldl *ldl)
{
    return sqrt(ldl->smallest);
}

double dfl_saddle_ldl_dropped(const dfl_saddle_ldl *ldl)
{
    return sqrt(ldl->dropped);
}

double dfl_saddle_ldl_distance(const dfl_saddle_ldl *ldl, int row)
{
    return sqrt(ldl->length2[row]);
}

bool dfl_saddle_ldl_is_empty(const dfl_saddle_ldl *ldl, int row)
{
    return ldl->empty[row];
}

void dfl_saddle_ldl_solve(double *x, double *l, dfl_saddle_ldl *ldl)
{
    const int n = ldl->n, nv = ldl->nv;
    double *y = ldl->y;
    for (int k = 0; k < n; k++) {
        const int u = ldl->unknown[k];
        y[k] = ldl->out[k] ? 0 : u < nv ? x[u] : l[u - nv];
    }
    for (int k = 0; k < n; k++)
        for (int p = ldl->start[k]; p < ldl->start[k + 1]; p++)
            y[ldl->row[p]] -= ldl->out[ldl->row[p]] ? 0 : ldl->L[p] * y[k];
    for (int k = n - 1; k >= 0; k--) {
        double sum = y[k] / ldl->pivot[k];
        for (int p = ldl->start[k]; p < ldl->start[k + 1]; p++)
            sum -= ldl->L[p] * y[ldl->row[p]];
        y[k] = ldl->out[k] ? 0 : sum;
    }
    for (int k = 0; k < n; k++) {
        const int u = ldl->unknown[k];
        if (u < nv)
            x[u] = y[k];
        else
            l[u - nv] = y[k];
        y[k] = 0;
    }
}
