/* spatial.h: spatial algebra for the numeric recursions: Pluecker coordinates, motion (omega; v),
   force (n; f), X = [E 0; -E [r]x  E] kept as E (row-major) and r. Featherstone (2008), chapter 2.

   Written for a type `real` that the including file may define before: double, or a vector of
   doubles for several states at once. Symmetric 3 x 3 matrices are xx yy zz xy xz yz. */
#ifndef DFL_MECHANICS_SPATIAL_H
#define DFL_MECHANICS_SPATIAL_H

#ifndef DFL_REAL
#define DFL_REAL double
#endif
typedef DFL_REAL real;

#define KERNEL static inline __attribute__((always_inline, unused))

/* gcc makes a second version for processors with fused products, chosen when the library is
   loaded. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) &&   \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WIDE __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define WIDE
#endif

KERNEL void cross(real *y, const real *a, const real *b)
{
    const real y0 = a[1] * b[2] - a[2] * b[1], y1 = a[2] * b[0] - a[0] * b[2];
    y[2] = a[0] * b[1] - a[1] * b[0];
    y[0] = y0;
    y[1] = y1;
}

KERNEL void cross_add(real *y, const real *a, const real *b)
{
    y[0] += a[1] * b[2] - a[2] * b[1];
    y[1] += a[2] * b[0] - a[0] * b[2];
    y[2] += a[0] * b[1] - a[1] * b[0];
}

KERNEL real dot(const real *a, const real *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* y = E x and y = E^T x; y is not x. */
KERNEL void rotate(real *y, const real *E, const real *x)
{
    y[0] = E[0] * x[0] + E[1] * x[1] + E[2] * x[2];
    y[1] = E[3] * x[0] + E[4] * x[1] + E[5] * x[2];
    y[2] = E[6] * x[0] + E[7] * x[1] + E[8] * x[2];
}

KERNEL void rotate_back(real *y, const real *E, const real *x)
{
    y[0] = E[0] * x[0] + E[3] * x[1] + E[6] * x[2];
    y[1] = E[1] * x[0] + E[4] * x[1] + E[7] * x[2];
    y[2] = E[2] * x[0] + E[5] * x[1] + E[8] * x[2];
}

/* y = A x, A symmetric. */
KERNEL void symmetric_times(real *y, const real *A, const real *x)
{
    y[0] = A[0] * x[0] + A[3] * x[1] + A[4] * x[2];
    y[1] = A[3] * x[0] + A[1] * x[1] + A[5] * x[2];
    y[2] = A[4] * x[0] + A[5] * x[1] + A[2] * x[2];
}

/* y = X x: a motion from parent to child. */
KERNEL void motion_to_child(real *y, const real *E, const real *r, const real *x)
{
    const real t[3] = {x[3] + x[1] * r[2] - x[2] * r[1], x[4] + x[2] * r[0] - x[0] * r[2],
                       x[5] + x[0] * r[1] - x[1] * r[0]};
    rotate(y, E, x);
    rotate(y + 3, E, t);
}

/* y += X^T f: a force from child to parent. */
KERNEL void force_to_parent(real *y, const real *E, const real *r, const real *f)
{
    real n[3], g[3];
    rotate_back(n, E, f);
    rotate_back(g, E, f + 3);
    y[0] += n[0] + r[1] * g[2] - r[2] * g[1];
    y[1] += n[1] + r[2] * g[0] - r[0] * g[2];
    y[2] += n[2] + r[0] * g[1] - r[1] * g[0];
    y[3] += g[0];
    y[4] += g[1];
    y[5] += g[2];
}

/* y = v x m  and  y = v x* f. */
KERNEL void cross_motion(real *y, const real *v, const real *m)
{
    real t[3];
    cross(t, v, m + 3);
    cross_add(t, v + 3, m);
    cross(y, v, m);
    y[3] = t[0];
    y[4] = t[1];
    y[5] = t[2];
}

KERNEL void cross_force(real *y, const real *v, const real *f)
{
    real t[3];
    cross(t, v, f);
    cross_add(t, v + 3, f + 3);
    cross(y + 3, v, f + 3);
    y[0] = t[0];
    y[1] = t[1];
    y[2] = t[2];
}

/* y = I x for a rigid body: mass m, first moment h, inertia J about the origin. */
KERNEL void rigid_times(real *y, double m, const double *h, const double *J, const real *x)
{
    y[0] = J[0] * x[0] + J[3] * x[1] + J[4] * x[2] + h[1] * x[5] - h[2] * x[4];
    y[1] = J[3] * x[0] + J[1] * x[1] + J[5] * x[2] + h[2] * x[3] - h[0] * x[5];
    y[2] = J[4] * x[0] + J[5] * x[1] + J[2] * x[2] + h[0] * x[4] - h[1] * x[3];
    y[3] = m * x[3] + x[1] * h[2] - x[2] * h[1];
    y[4] = m * x[4] + x[2] * h[0] - x[0] * h[2];
    y[5] = m * x[5] + x[0] * h[1] - x[1] * h[0];
}

/* An articulated inertia [I H; H^T M]: I (6), H (9, row-major), M (6). */
enum { AI = 0, AH = 6, AM = 15, ARTICULATED = 21 };

/* y = A x. */
KERNEL void articulated_times(real *y, const real *A, const real *x)
{
    real t[3];
    symmetric_times(y, A + AI, x);
    rotate(t, A + AH, x + 3);
    y[0] += t[0];
    y[1] += t[1];
    y[2] += t[2];
    symmetric_times(y + 3, A + AM, x + 3);
    rotate_back(t, A + AH, x);
    y[3] += t[0];
    y[4] += t[1];
    y[5] += t[2];
}

/* B (6) = E^T A E for a symmetric A. */
KERNEL void symmetric_to_parent(real *B, const real *E, const real *A)
{
    real T[9]; /* A E */
    for (int k = 0; k < 3; k++) {
        T[k] = A[0] * E[k] + A[3] * E[3 + k] + A[4] * E[6 + k];
        T[3 + k] = A[3] * E[k] + A[1] * E[3 + k] + A[5] * E[6 + k];
        T[6 + k] = A[4] * E[k] + A[5] * E[3 + k] + A[2] * E[6 + k];
    }
    B[0] = E[0] * T[0] + E[3] * T[3] + E[6] * T[6];
    B[1] = E[1] * T[1] + E[4] * T[4] + E[7] * T[7];
    B[2] = E[2] * T[2] + E[5] * T[5] + E[8] * T[8];
    B[3] = E[0] * T[1] + E[3] * T[4] + E[6] * T[7];
    B[4] = E[0] * T[2] + E[3] * T[5] + E[6] * T[8];
    B[5] = E[1] * T[2] + E[4] * T[5] + E[7] * T[8];
}

/* Adds [I H; H^T M], given in axes of the parent at the origin of the child, to the parent's A:
   H' = H + [r]x M,  I' = I + [r]x H^T - H' [r]x. */
KERNEL void shift_to_parent(real *A, const real *r, const real *I, const real *H, const real *M)
{
    real N[9]; /* H + [r]x M */
    N[0] = H[0] + r[1] * M[4] - r[2] * M[3];
    N[1] = H[1] + r[1] * M[5] - r[2] * M[1];
    N[2] = H[2] + r[1] * M[2] - r[2] * M[5];
    N[3] = H[3] + r[2] * M[0] - r[0] * M[4];
    N[4] = H[4] + r[2] * M[3] - r[0] * M[5];
    N[5] = H[5] + r[2] * M[4] - r[0] * M[2];
    N[6] = H[6] + r[0] * M[3] - r[1] * M[0];
    N[7] = H[7] + r[0] * M[1] - r[1] * M[3];
    N[8] = H[8] + r[0] * M[5] - r[1] * M[4];
    A[AI + 0] += I[0] + r[1] * (H[2] + N[2]) - r[2] * (H[1] + N[1]);
    A[AI + 1] += I[1] + r[2] * (H[3] + N[3]) - r[0] * (H[5] + N[5]);
    A[AI + 2] += I[2] + r[0] * (H[7] + N[7]) - r[1] * (H[6] + N[6]);
    A[AI + 3] += I[3] + r[1] * H[5] - r[2] * H[4] + r[2] * N[0] - r[0] * N[2];
    A[AI + 4] += I[4] + r[1] * H[8] - r[2] * H[7] + r[0] * N[1] - r[1] * N[0];
    A[AI + 5] += I[5] + r[2] * H[6] - r[0] * H[8] + r[0] * N[4] - r[1] * N[3];
    for (int k = 0; k < 9; k++)
        A[AH + k] += N[k];
    for (int k = 0; k < 6; k++)
        A[AM + k] += M[k];
}

/* The parent's A += X^T B X. */
KERNEL void articulated_to_parent(real *A, const real *E, const real *r, const real *B)
{
    real I[6], H[9], M[6], T[9]; /* T = B_H E */
    symmetric_to_parent(I, E, B + AI);
    symmetric_to_parent(M, E, B + AM);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            T[3 * i + k] =
                B[AH + 3 * i] * E[k] + B[AH + 3 * i + 1] * E[3 + k] + B[AH + 3 * i + 2] * E[6 + k];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            H[3 * i + k] = E[i] * T[k] + E[3 + i] * T[3 + k] + E[6 + i] * T[6 + k];
    shift_to_parent(A, r, I, H, M);
}

/* The same when the first axis of rotation, row and column z of I and row z of H, is zero: what is
   left of a body behind a revolute joint about z. */
KERNEL void articulated_about_z(real *A, const real *E, const real *r, const real *B)
{
    real I[6], H[9], M[6], t[3], s[3];
    for (int k = 0; k < 3; k++) {
        t[k] = B[0] * E[k] + B[3] * E[3 + k];
        s[k] = B[3] * E[k] + B[1] * E[3 + k];
    }
    I[0] = E[0] * t[0] + E[3] * s[0];
    I[1] = E[1] * t[1] + E[4] * s[1];
    I[2] = E[2] * t[2] + E[5] * s[2];
    I[3] = E[0] * t[1] + E[3] * s[1];
    I[4] = E[0] * t[2] + E[3] * s[2];
    I[5] = E[1] * t[2] + E[4] * s[2];
    for (int k = 0; k < 3; k++) {
        t[k] = B[AH] * E[k] + B[AH + 1] * E[3 + k] + B[AH + 2] * E[6 + k];
        s[k] = B[AH + 3] * E[k] + B[AH + 4] * E[3 + k] + B[AH + 5] * E[6 + k];
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            H[3 * i + k] = E[i] * t[k] + E[3 + i] * s[k];
    symmetric_to_parent(M, E, B + AM);
    shift_to_parent(A, r, I, H, M);
}

#endif
