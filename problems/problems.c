/* problems.c: the list of problems, and consistent multipliers for their start values. */
#include "problems_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define PROBLEMS(X) \
    X(pendulum) X(pendulum_energy) X(nchain) X(andrews) X(caraxis) X(crank) X(slidercrank) \
    X(wheelset) X(truck) X(fekete) X(disk) X(sleigh) X(top) X(top_invariants) X(bricard) \
    X(flyball) X(fourbar) X(fourbar_hanging) X(servo) X(friction) X(oscillator)
/* clang-format on */

#define NAME(problem) #problem,
#define MAKER(problem) problem_##problem,

const char *const problem_names[] = {PROBLEMS(NAME) NULL};

static bool (*const makers[])(problem *, int) = {PROBLEMS(MAKER)};

static bool assemble(double *A, double *b, const problem *prob);
static void solve_full_pivoting(double *x, double *A, double *b, int *column, int n);
static void move_largest_to_pivot(double *A, double *b, int *column, int k, int n);
static void swap(double *a, double *b);

bool problem_make(problem *out, const char *name, int size)
{
    for (int i = 0; problem_names[i]; i++)
        if (strcmp(problem_names[i], name) == 0)
            return makers[i](out, size);
    return false;
}

void problem_free(problem *prob)
{
    if (!prob)
        return;
    free(prob->x0);
    free(prob->parameters);
    prob->x0 = NULL;
    prob->parameters = NULL;
}

bool problem_allocate(problem *prob, size_t bytes)
{
    prob->x0 = calloc((size_t)dfl_eom_unknowns(&prob->eom), sizeof *prob->x0);
    prob->parameters = calloc(1, bytes);
    prob->eom.user = prob->parameters;
    if (prob->x0 && prob->parameters)
        return true;
    problem_free(prob);
    return false;
}

bool problem_solve_multipliers(problem *prob)
{
    const dfl_eom *eom = &prob->eom;
    const int nc = eom->nl + eom->nm, n = eom->nv + nc;
    double *A = calloc((size_t)n * (size_t)n, sizeof *A);
    double *b = calloc((size_t)n, sizeof *b);
    double *y = calloc((size_t)n, sizeof *y);
    int *column = calloc((size_t)n, sizeof *column);

    const bool ok = A && b && y && column && assemble(A, b, prob);
    if (ok) {
        solve_full_pivoting(y, A, b, column, n);
        memcpy(prob->x0 + eom->nw, y + eom->nv, (size_t)nc * sizeof *y);
    }
    free(column);
    free(y);
    free(b);
    free(A);
    return ok;
}

/* A = [M W^T; W 0], b = [f; -bias] at the start. False if memory is short or the model fails. */
static bool assemble(double *A, double *b, const problem *prob)
{
    const dfl_eom *eom = &prob->eom;
    const int nv = eom->nv, nc = eom->nl + eom->nm, n = nv + nc;
    double *M = calloc((size_t)nv * (size_t)nv, sizeof *M);
    double *W = calloc((size_t)nc * (size_t)nv, sizeof *W);
    dfl_blocks blocks = {.f = b, .W = W, .bias = b + nv};

    const bool ok = M && W &&
                    eom->eval(&blocks, prob->t0, prob->x0, DFL_FORCE | DFL_DIRECTIONS | DFL_BIAS,
                              eom->user) == 0 &&
                    (!eom->mass || eom->mass(M, prob->t0, prob->x0, eom->user) == 0);
    const bool full = eom->mass && !eom->mass_diagonal;
    for (int j = 0; ok && j < nv; j++) {
        A[j + n * j] = eom->mass ? M[j] : 1.0;
        for (int i = 0; full && i < nv; i++)
            A[i + n * j] = M[i + nv * j];
        for (int i = 0; i < nc; i++)
            A[nv + i + n * j] = A[j + n * (nv + i)] = W[i + nc * j];
    }
    for (int i = nv; i < n; i++)
        b[i] = -b[i];
    free(W);
    free(M);
    return ok;
}

/* Gaussian elimination with full pivoting; it stops when what is left is rounding, and the unknowns
   left over are zero. `column` has room for the n column numbers; A and b are overwritten. */
static void solve_full_pivoting(double *x, double *A, double *b, int *column, int n)
{
    const double rounding = 1e-13; /* relative to the largest entry */
    double largest = 0.0;
    int rank = 0;

    for (int j = 0; j < n; j++)
        column[j] = j;
    for (; rank < n; rank++) {
        move_largest_to_pivot(A, b, column, rank, n);
        const double pivot = A[rank + n * rank];
        if (rank == 0)
            largest = fabs(pivot);
        if (fabs(pivot) <= rounding * largest)
            break;
        for (int i = rank + 1; i < n; i++) {
            const double factor = A[i + n * rank] / pivot;
            for (int j = rank; j < n; j++)
                A[i + n * j] -= factor * A[rank + n * j];
            b[i] -= factor * b[rank];
        }
    }
    for (int i = rank; i < n; i++)
        x[column[i]] = 0.0;
    for (int i = rank - 1; i >= 0; i--) {
        double sum = b[i];
        for (int j = i + 1; j < rank; j++)
            sum -= A[i + n * j] * x[column[j]];
        x[column[i]] = sum / A[i + n * i];
    }
}

/* Swaps rows and columns so that A[k,k] is the largest entry of A[k:n, k:n]. */
static void move_largest_to_pivot(double *A, double *b, int *column, int k, int n)
{
    int row = k, col = k;
    for (int j = k; j < n; j++)
        for (int i = k; i < n; i++)
            if (fabs(A[i + n * j]) > fabs(A[row + n * col])) {
                row = i;
                col = j;
            }
    for (int i = 0; i < n; i++)
        swap(&A[i + n * col], &A[i + n * k]);
    for (int j = 0; j < n; j++)
        swap(&A[row + n * j], &A[k + n * j]);
    swap(&b[row], &b[k]);
    const int moved = column[col];
    column[col] = column[k];
    column[k] = moved;
}

static void swap(double *a, double *b)
{
    const double kept = *a;
    *a = *b;
    *b = kept;
}
