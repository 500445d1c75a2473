/* servo_solve.c: what a derivative array determines.

   With the state y and all other unknowns z, J_y dy + J_z dz = F. Changes of z explain as much of F
   as they can; the state changes as little as possible for the rest:

       (J_y - J_z S) dy = F - J_z J_z^+ F   with S = J_z^+ J_y,   dz = J_z^+ F - S dy

   so that the kernel of the matrix on the left has the states that are left open. If there are more
   inputs than needed, the kernel of J_z moves some of them, along N: rows N^T u = 0 then make the
   inputs as short as possible. */
#include "study/study_internal.h"

#include "linalg/linalg.h"
#include "study/servo.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ITERATIONS = 40 };
static const double RANK = 1e-9;   /* of singular values */
static const double SOLVED = 1e-9; /* residuals, in parts of the terms of their rows */

/* J with rows of size 1, in two parts. */
typedef struct parts {
    dfl_context *ctx;
    int rows, ny, nz;
    int spare;         /* the last of the rows */
    double *Jy, *Jz;   /* rows x ny, rows x nz */
    double *scaled;    /* rows x nz: Jz with columns of equal size ... */
    double *column;    /* ... and their factors */
    double *F;         /* rows */
    double *S, *M;     /* nz x ny, rows x ny: see above */
    double *direct;    /* nz: J_z^+ F */
    double *N;         /* nu x nu: directions of the inputs */
    double *solutions; /* room for right-hand sides */
} parts;

static dfl_status open_parts(parts *it, const dfl_servo *servo);
static dfl_status find_inputs(int *count, parts *it, const dfl_servo_array *array);
static dfl_status add_spare_rows(parts *it, const dfl_servo_array *array, const double *X);
static void split_rows(parts *it, const dfl_servo_array *array);
static void scale_columns(parts *it);
static dfl_status least_change(parts *it, int count);
static dfl_status reduce(parts *it, dfl_servo_array *array, const double *X);
static dfl_status find_step(double *step, parts *it, dfl_servo_array *array, const double *X);
static double residual(const dfl_servo_array *array, const double *X);
static dfl_status is_determined(bool *yes, parts *it, const dfl_servo_array *array);
static dfl_status find_open(int *m, double *U, parts *it);
static int find_basis(double *U, double *N, int ny, int n);
static void reduce_rates(double *A, const double *U, int m, parts *it,
                         const dfl_servo_array *array);

dfl_status dfl_servo_solve(dfl_servo *servo, double t, double *X)
{
    dfl_servo_array *array = &servo->array;
    dfl_context *ctx = ctx_of(array->run);
    const size_t n = (size_t)array->n;
    double best = INFINITY, *step = dfl_alloc(ctx, n, sizeof *step);
    parts it = {0};
    dfl_status status = step ? open_parts(&it, servo) : DFL_NO_MEMORY;
    bool solved = false;
    for (int k = 0; !status && !solved && k < ITERATIONS; k++) {
        dfl_servo_array_eval(array, t, X);
        double now = residual(array, X);
        for (double part = 0.5; k > 0 && !(now < 2 * best) && part > 1e-4; part /= 2) {
            for (size_t i = 0; i < n; i++) /* back by half of the step */
                X[i] += part * step[i];
            dfl_servo_array_eval(array, t, X);
            now = residual(array, X);
        }
        solved = now <= 8 * DBL_EPSILON || (now <= SOLVED && now > best / 4);
        solved =
            solved && (servo->spare == 0 || k >= 3); /* rows of spare inputs hold after steps */
        if (solved || (!(now < 2 * best) && now > SOLVED) || !isfinite(now))
            break;
        best = now;
        status = find_step(step, &it, array, X);
        for (size_t i = 0; !status && i < n; i++)
            X[i] -= step[i];
    }
    dfl_free(ctx, step);
    dfl_free(ctx, it.Jy);
    if (status || solved)
        return status;
    return dfl_fail(ctx, DFL_INCONSISTENT,
                    "the inputs cannot follow the motion at t = %g: its derivatives by time do not "
                    "agree with the equations of motion there",
                    t);
}

dfl_status dfl_servo_analyse(bool *determined, int *internal, dfl_servo *servo, double *A)
{
    dfl_servo_array *array = &servo->array;
    dfl_context *ctx = ctx_of(array->run);
    const size_t ny = (size_t)array->ny;
    parts it = {0};
    double *U = dfl_alloc(ctx, ny * ny, sizeof *U);
    dfl_status status = U ? open_parts(&it, servo) : DFL_NO_MEMORY;
    if (!status)
        status = reduce(&it, array, servo->X);
    if (!status)
        status = is_determined(determined, &it, array);
    if (!status)
        status = find_open(internal, U, &it);
    if (!status && A)
        reduce_rates(A, U, *internal, &it, array);
    dfl_free(ctx, U);
    dfl_free(ctx, it.Jy);
    return status;
}

dfl_status dfl_servo_open_inputs(int *count, dfl_servo *servo)
{
    parts it = {0};
    dfl_status status = open_parts(&it, servo);
    if (!status) {
        split_rows(&it, &servo->array);
        status = find_inputs(count, &it, &servo->array);
    }
    dfl_free(it.ctx, it.Jy);
    return status;
}

static dfl_status open_parts(parts *it, const dfl_servo *servo)
{
    const dfl_servo_array *array = &servo->array;
    it->ctx = ctx_of(array->run);
    it->rows = array->rows + servo->spare;
    it->spare = servo->spare;
    it->ny = array->ny;
    it->nz = array->n - array->ny;
    const size_t rows = (size_t)it->rows, ny = (size_t)it->ny, nz = (size_t)it->nz;
    const size_t most = rows > nz ? rows : nz, count = (ny > nz ? ny : nz) + 1;
    const size_t nu = (size_t)array->nu;
    it->Jy = dfl_alloc(
        it->ctx, 2 * rows * ny + 2 * rows * nz + 2 * nz + rows + nz * ny + nu * nu + most * count,
        sizeof *it->Jy);
    if (!it->Jy)
        return DFL_NO_MEMORY;
    it->M = it->Jy + rows * ny;
    it->Jz = it->M + rows * ny;
    it->scaled = it->Jz + rows * nz;
    it->column = it->scaled + rows * nz;
    it->direct = it->column + nz;
    it->F = it->direct + nz;
    it->S = it->F + rows;
    it->N = it->S + nz * ny;
    it->solutions = it->N + nu * nu;
    return DFL_OK;
}

static void split_rows(parts *it, const dfl_servo_array *array)
{
    const size_t rows = (size_t)it->rows, own = (size_t)array->rows, n = (size_t)array->n;
    const size_t first = (size_t)array->first_y, last = first + (size_t)it->ny;
    for (size_t i = 0; i < own; i++) {
        double largest = 0;
        for (size_t j = 0; j < n; j++)
            largest = fmax(largest, fabs(array->J[j * own + i]));
        const double factor = largest > 0 ? 1 / largest : 1;
        it->F[i] = factor * array->value[i];
        for (size_t j = 0; j < n; j++) {
            double *to = j < first  ? it->Jz + j * rows
                         : j < last ? it->Jy + (j - first) * rows
                                    : it->Jz + (j - (size_t)it->ny) * rows;
            to[i] = factor * array->J[j * own + i];
        }
    }
}

/* Derivatives of all orders count alike; a column that is almost zero is not enlarged by more than
   1e8. */
static void scale_columns(parts *it)
{
    const size_t rows = (size_t)it->rows;
    for (size_t j = 0; j < (size_t)it->nz; j++) {
        const double *from = it->Jz + j * rows;
        double largest = 1e-8;
        for (size_t i = 0; i < rows; i++)
            largest = fmax(largest, fabs(from[i]));
        it->column[j] = 1 / largest;
        for (size_t i = 0; i < rows; i++)
            it->scaled[j * rows + i] = from[i] / largest;
    }
}

/* The first `count` of it->solutions: J_z^+ times themselves. */
static dfl_status least_change(parts *it, int count)
{
    const size_t most = (size_t)(it->rows > it->nz ? it->rows : it->nz);
    scale_columns(it);
    const dfl_status status = dfl_least_norm(it->solutions, it->ctx, it->rows, it->nz, it->scaled,
                                             count, DFL_SCALE_NONE, RANK, NULL);
    for (size_t k = 0; !status && k < (size_t)count; k++)
        for (size_t j = 0; j < (size_t)it->nz; j++)
            it->solutions[k * most + j] *= it->column[j];
    return status;
}

/* An orthonormal basis N of the inputs that the kernel of J_z moves: rows of 1 - J_z^+ J_z. */
static dfl_status find_inputs(int *count, parts *it, const dfl_servo_array *array)
{
    const size_t rows = (size_t)it->rows, nz = (size_t)it->nz, nu = (size_t)array->nu;
    const size_t most = rows > nz ? rows : nz, first = (size_t)(array->first_u - array->ny);
    double *moved = dfl_alloc(it->ctx, nu * nz + 1, sizeof *moved);
    if (!moved)
        return DFL_NO_MEMORY;
    memset(it->solutions, 0, nz * most * sizeof *it->solutions);
    for (size_t j = 0; j < nz; j++)
        memcpy(it->solutions + j * most, it->Jz + j * rows, rows * sizeof *it->Jz);
    const dfl_status status = least_change(it, it->nz);
    for (size_t j = 0; j < nz; j++)
        for (size_t i = 0; i < nu; i++) {
            const double moves = (first + i == j) - it->solutions[j * most + first + i];
            moved[j * nu + i] = fabs(moves) > 1e-6 ? moves : 0;
        }
    *count = status ? 0 : find_basis(it->N, moved, array->nu, it->nz);
    dfl_free(it->ctx, moved);
    return status;
}

/* N^T u = 0, after all other rows, which are zero there. */
static dfl_status add_spare_rows(parts *it, const dfl_servo_array *array, const double *X)
{
    const size_t rows = (size_t)it->rows, own = (size_t)array->rows, nu = (size_t)array->nu;
    const size_t first = (size_t)(array->first_u - array->ny);
    int count;
    for (size_t k = own; k < rows; k++) { /* of an earlier step */
        it->F[k] = 0;
        for (size_t j = 0; j < nu; j++)
            it->Jz[(first + j) * rows + k] = 0;
    }
    const dfl_status status = find_inputs(&count, it, array);
    if (!status && count != it->spare)
        return dfl_fail(it->ctx, DFL_INCONSISTENT,
                        "the inputs cannot follow the motion: other inputs act on it than at the "
                        "start");
    for (size_t k = 0; !status && k < (size_t)it->spare; k++)
        for (size_t j = 0; j < nu; j++) {
            it->Jz[(first + j) * rows + own + k] = it->N[k * nu + j];
            it->F[own + k] += it->N[k * nu + j] * X[(size_t)array->first_u + j];
        }
    return status;
}

/* S, M, J_z^+ F. */
static dfl_status reduce(parts *it, dfl_servo_array *array, const double *X)
{
    const size_t rows = (size_t)it->rows, nz = (size_t)it->nz, ny = (size_t)it->ny;
    const size_t most = rows > nz ? rows : nz;
    split_rows(it, array);
    dfl_status status = it->spare > 0 ? add_spare_rows(it, array, X) : DFL_OK;
    if (status)
        return status;
    memcpy(it->solutions, it->F, rows * sizeof *it->F);
    for (size_t j = 0; j < ny; j++)
        memcpy(it->solutions + (j + 1) * most, it->Jy + j * rows, rows * sizeof *it->Jy);
    status = least_change(it, it->ny + 1);
    if (status)
        return status;
    memcpy(it->direct, it->solutions, nz * sizeof *it->direct);
    for (size_t j = 0; j < ny; j++)
        memcpy(it->S + j * nz, it->solutions + (j + 1) * most, nz * sizeof *it->S);
    memcpy(it->M, it->Jy, rows * ny * sizeof *it->M);
    dfl_gemm(it->rows, it->ny, it->nz, -1, it->Jz, it->rows, it->S, it->nz, 1, it->M, it->rows);
    return DFL_OK;
}

/* dX for which all rows vanish, in the order of X. */
static dfl_status find_step(double *step, parts *it, dfl_servo_array *array, const double *X)
{
    const size_t ny = (size_t)it->ny, first = (size_t)array->first_y;
    double *dy = it->solutions, *z = it->direct;
    dfl_status status = reduce(it, array, X);
    if (status)
        return status;
    memcpy(dy, it->F, (size_t)it->rows * sizeof *dy);
    dfl_gemm(it->rows, 1, it->nz, -1, it->Jz, it->rows, z, it->nz, 1, dy, it->rows);
    status = dfl_least_norm(dy, it->ctx, it->rows, it->ny, it->M, 1, DFL_SCALE_NONE, RANK, NULL);
    if (status)
        return status;
    dfl_gemm(it->nz, 1, it->ny, -1, it->S, it->nz, dy, it->ny, 1, z, it->nz);
    memcpy(step, z, first * sizeof *step);
    memcpy(step + first, dy, ny * sizeof *step);
    memcpy(step + first + ny, z + first, ((size_t)it->nz - first) * sizeof *step);
    return DFL_OK;
}

/* The largest, in parts of the size of the terms. */
static double residual(const dfl_servo_array *array, const double *X)
{
    double worst = 0;
    for (int i = 0; i < array->rows; i++) {
        double size = 0;
        for (int j = 0; j < array->n; j++)
            size += fabs(array->J[(size_t)j * (size_t)array->rows + (size_t)i]) * (fabs(X[j]) + 1);
        if (!isfinite(array->value[i]) || !isfinite(size))
            return INFINITY;
        if (array->value[i] != 0)
            worst = fmax(worst, fabs(array->value[i]) / fmax(size, DBL_MIN));
    }
    return worst;
}

/* Whether the state leaves no acceleration and no input open: 1 - J_z^+ J_z has no such rows. */
static dfl_status is_determined(bool *yes, parts *it, const dfl_servo_array *array)
{
    const size_t rows = (size_t)it->rows, nz = (size_t)it->nz;
    const size_t most = rows > nz ? rows : nz;
    const size_t first = (size_t)(array->first_a - array->ny),
                 last = (size_t)(array->first_u + array->nu - array->ny);
    for (size_t j = 0; j < nz; j++)
        memcpy(it->solutions + j * most, it->Jz + j * rows, rows * sizeof *it->Jz);
    const dfl_status status = least_change(it, it->nz);
    *yes = true;
    for (size_t i = first; !status && i < last; i++)
        *yes = *yes && fabs(it->solutions[i * most + i] - 1) < 1e-6;
    return status;
}

/* A basis U of the kernel of M. */
static dfl_status find_open(int *m, double *U, parts *it)
{
    const size_t rows = (size_t)it->rows, ny = (size_t)it->ny, most = rows > ny ? rows : ny;
    double *B = dfl_alloc(it->ctx, most * ny + rows * ny + ny * ny, sizeof *B);
    double *M = B + most * ny, *K = M + rows * ny;
    if (!B)
        return DFL_NO_MEMORY;
    memcpy(M, it->M, rows * ny * sizeof *M);
    for (size_t j = 0; j < ny; j++)
        memcpy(B + j * most, M + j * rows, rows * sizeof *B);
    const dfl_status status =
        dfl_least_norm(B, it->ctx, it->rows, it->ny, M, it->ny, DFL_SCALE_NONE, RANK, NULL);
    for (size_t j = 0; j < ny; j++)
        for (size_t i = 0; i < ny; i++)
            K[j * ny + i] = (i == j) - B[j * most + i];
    *m = status ? 0 : find_basis(U, K, it->ny, it->ny);
    dfl_free(it->ctx, B);
    return status;
}

/* An orthonormal basis U of the columns of N (ny x n), which is overwritten: Gram and Schmidt, the
   longest column first. Returns how many there are. */
static int find_basis(double *U, double *N, int ny, int n)
{
    for (int m = 0; m < ny; m++) {
        double longest = 0, *u = U + (size_t)m * (size_t)ny;
        for (int j = 0; j < n; j++) {
            const double *column = N + (size_t)j * (size_t)ny;
            double squares = 0;
            for (int i = 0; i < ny; i++)
                squares += column[i] * column[i];
            if (squares > longest)
                memcpy(u, column, (size_t)ny * sizeof *u);
            longest = fmax(longest, squares);
        }
        if (longest < 1e-14)
            return m;
        for (int i = 0; i < ny; i++)
            u[i] /= sqrt(longest);
        for (int j = 0; j < n; j++) {
            double *column = N + (size_t)j * (size_t)ny, along = 0;
            for (int i = 0; i < ny; i++)
                along += u[i] * column[i];
            for (int i = 0; i < ny; i++)
                column[i] -= along * u[i];
        }
    }
    return ny;
}

/* A (m x m): y' = slope (dy, dz) for dy = U s and dz = - S dy, along U. */
static void reduce_rates(double *A, const double *U, int m, parts *it, const dfl_servo_array *array)
{
    const int ny = it->ny, nz = it->nz, first = array->first_y;
    double *dz = it->solutions, *rate = it->M;
    for (int j = 0; j < m; j++) {
        const double *u = U + (size_t)j * (size_t)ny;
        const size_t place = (size_t)ny * (size_t)first;
        dfl_gemm(nz, 1, ny, -1, it->S, nz, u, ny, 0, dz, nz);
        dfl_gemm(ny, 1, first, 1, array->slope, ny, dz, nz, 0, rate, ny);
        dfl_gemm(ny, 1, ny, 1, array->slope + place, ny, u, ny, 1, rate, ny);
        dfl_gemm(ny, 1, nz - first, 1, array->slope + place + (size_t)ny * (size_t)ny, ny,
                 dz + first, nz, 1, rate, ny);
        dfl_gemm_tn(m, 1, ny, 1, U, ny, rate, ny, 0, A + (size_t)j * (size_t)m, m);
    }
}
