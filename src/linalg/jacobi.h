/* jacobi.h: singular values by rotations, for builds without LAPACK; for files of linalg only. */
#ifndef DFL_JACOBI_H
#define DFL_JACOBI_H

#include <stdbool.h>

/* A (m x n, m >= n, ld m) := A V with orthogonal columns, V (n x n) orthogonal, s (n) the lengths
   of the columns in descending order: the singular values. False: A is not finite. */
bool dfl_jacobi(double *A, int m, int n, double *V, double *s);

/* All of W = U S V^T for W (n x m): U (n x n), the values, VT (m x m). W is overwritten; `work` has
   n m numbers. */
bool dfl_jacobi_all(double *W, int n, int m, double *values, double *U, double *VT, double *work);

/* B (ld ldb, count columns) := A^+ B, with A (m x n, overwritten); singular values up to tolerance
   times the largest are zero. `work` has dfl_jacobi_work(m, n) numbers. False: A is not finite. */
int dfl_jacobi_work(int m, int n);
bool dfl_jacobi_solve(double *B, int ldb, int count, double *A, int m, int n, double tolerance,
                      int *rank, double *work);

#endif
