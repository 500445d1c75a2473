/* shape_geometry.c: turns and sizes of shapes, as numbers. */
#include "drawing/shapes_internal.h"

#include <math.h>

static void diagonalise(double A[3][3], double V[3][3]);

/* (1 + e.d, e x d) has the direction of the quaternion of half the angle between e and d. */
void dfl_turn_axis(double q[4], int k, const double direction[3])
{
    const double *d = direction;
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    q[0] = 1 + d[k] / length;
    q[1 + k] = 0;
    q[1 + i] = -d[j] / length;
    q[1 + j] = d[i] / length;
    if (q[0] < 1e-12) /* the opposite direction: half a turn about the next axis */
        q[1 + i] = 1;
    const double scale = 1 / sqrt(q[0] * q[0] + q[1 + i] * q[1 + i] + q[1 + j] * q[1 + j]);
    for (int m = 0; m < 4; m++)
        q[m] *= scale;
}

/* From the largest of the four squares (Shepperd 1978). R maps axes of the shape to those of the
   drawing: its columns are the axes. */
void dfl_turn_axes(double q[4], const double axes[9])
{
    const double trace = axes[0] + axes[4] + axes[8];
    int largest = 0;
    double square = trace;
    for (int i = 0; i < 3; i++)
        if (axes[4 * i] > square) {
            square = axes[4 * i];
            largest = i + 1;
        }
    if (largest == 0) {
        q[0] = 1 + trace;
        for (int i = 0; i < 3; i++)
            q[1 + i] =
                axes[3 * ((i + 1) % 3) + (i + 2) % 3] - axes[3 * ((i + 2) % 3) + (i + 1) % 3];
    } else {
        const int i = largest - 1, j = (i + 1) % 3, k = (i + 2) % 3;
        q[0] = axes[3 * j + k] - axes[3 * k + j];
        q[1 + i] = 1 + 2 * axes[4 * i] - trace;
        q[1 + j] = axes[3 * i + j] + axes[3 * j + i];
        q[1 + k] = axes[3 * i + k] + axes[3 * k + i];
    }
    const double scale = 1 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++)
        q[i] *= scale;
}

/* I_1 = m (b^2 + c^2) / 12, ... solved for a^2 = 6 (I_2 + I_3 - I_1) / m. Edges of rods and plates
   without thickness get a little. */
bool dfl_inertia_box(double size[3], double q[4], double mass, const double inertia[6])
{
    const double *J = inertia;
    double A[3][3] = {{J[0], J[3], J[4]}, {J[3], J[1], J[5]}, {J[4], J[5], J[2]}};
    double V[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (!(mass > 0) || !(J[0] + J[1] + J[2] > 0))
        return false;
    diagonalise(A, V);
    double longest = 0;
    for (int i = 0; i < 3; i++) {
        const double square =
            6 * (A[(i + 1) % 3][(i + 1) % 3] + A[(i + 2) % 3][(i + 2) % 3] - A[i][i]);
        size[i] = square > 0 ? sqrt(square / mass) : 0;
        longest = fmax(longest, size[i]);
    }
    for (int i = 0; i < 3; i++)
        size[i] = fmax(size[i], 0.05 * longest);
    double axes[9];
    for (int i = 0; i < 9; i++)
        axes[i] = V[i % 3][i / 3];
    dfl_turn_axes(q, axes);
    return longest > 0;
}

/* Jacobi's method: A becomes diagonal, the columns of V its axes, right-handed and in the order
   that the axes of coordinates were in. */
static void diagonalise(double A[3][3], double V[3][3])
{
    for (int sweep = 0; sweep < 30; sweep++)
        for (int p = 0; p < 3; p++) {
            const int r = (p + 1) % 3;
            if (fabs(A[p][r]) <= 1e-15 * (fabs(A[p][p]) + fabs(A[r][r])))
                continue;
            const double theta = (A[r][r] - A[p][p]) / (2 * A[p][r]);
            const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
            const double c = 1 / sqrt(t * t + 1), s = t * c;
            for (int k = 0; k < 3; k++) { /* A := A P, V := V P */
                const double ap = A[k][p], ar = A[k][r], vp = V[k][p], vr = V[k][r];
                A[k][p] = c * ap - s * ar;
                A[k][r] = s * ap + c * ar;
                V[k][p] = c * vp - s * vr;
                V[k][r] = s * vp + c * vr;
            }
            for (int k = 0; k < 3; k++) { /* A := P^T A */
                const double ap = A[p][k], ar = A[r][k];
                A[p][k] = c * ap - s * ar;
                A[r][k] = s * ap + c * ar;
            }
        }
}
