/* eliminate.c: which unknowns a set of rows determines, by Gauss-Jordan elimination with a search
   for pivots in all rows and columns, so that redundant rows do no harm. */
#include "linalg/linalg.h"

static bool find_pivot(int *row, int *column, const double *A, int m, int n, int from, int to,
                       const double *weight, double least);
static void swap_rows(double *A, int m, int n, int i, int k);
static void eliminate_column(double *A, int m, int n, int row, int column);

void dfl_scale_rows(double *A, int m, int n)
{
    for (int i = 0; i < m; i++) {
        const double largest = dfl_max_abs_row(A + i, n, m);
        for (int j = 0; largest > 0 && j < n; j++)
            A[(size_t)j * (size_t)m + (size_t)i] /= largest;
    }
}

int dfl_eliminate(int *pivot, double *A, int m, int n, int from, int to, const double *weight,
                  double tolerance)
{
    int rank = 0, row, column;
    while (from + rank < to &&
           find_pivot(&row, &column, A, m, n, from + rank, to, weight, tolerance)) {
        swap_rows(A, m, n, row, from + rank);
        eliminate_column(A, m, n, from + rank, column);
        pivot[rank++] = column;
    }
    return rank;
}

/* The largest weighted entry; entries up to `least` are rounding. */
static bool find_pivot(int *row, int *column, const double *A, int m, int n, int from, int to,
                       const double *weight, double least)
{
    double best = 0;
    for (int j = 0; j < n; j++) {
        const double *a = A + (size_t)j * (size_t)m;
        for (int i = from; weight[j] > 0 && i < to; i++)
            if (fabs(a[i]) > least && weight[j] * fabs(a[i]) > best) {
                best = weight[j] * fabs(a[i]);
                *row = i;
                *column = j;
            }
    }
    return best > 0;
}

static void swap_rows(double *A, int m, int n, int i, int k)
{
    for (int j = 0; i != k && j < n; j++) {
        double *a = A + (size_t)j * (size_t)m;
        const double kept = a[i];
        a[i] = a[k];
        a[k] = kept;
    }
}

/* The row is divided by its pivot and subtracted from all others. */
static void eliminate_column(double *A, int m, int n, int row, int column)
{
    double *pivots = A + (size_t)column * (size_t)m;
    const double pivot = pivots[row];
    for (int j = 0; j < n; j++) {
        double *a = A + (size_t)j * (size_t)m;
        if (j == column || a[row] == 0)
            continue;
        a[row] /= pivot;
        for (int i = 0; i < m; i++)
            if (i != row)
                a[i] -= pivots[i] * a[row];
    }
    for (int i = 0; i < m; i++)
        pivots[i] = i == row;
}
