/* bricard.c: the Bricard mechanism in natural coordinates, with one redundant constraint.

   Source: multibody benchmark library, problem A04. Five uniform rods of length 1 m, mass 1 kg and
   square cross section b = 0.1 m, six revolute joints at P_0..P_5 with axes u_0..u_5; P_0, P_5 and
   their axes are fixed; gravity 9.81 in -y; start at rest. p = (P_1..P_4, u_1..u_4).

   With e_k = P_k - P_{k-1}, for k = 1..5:
       e_k.e_k = 1,  u_{k-1}.u_k = 0,  e_k.u_{k-1} = 0,  e_k.u_k = 0,   and u_k.u_k = 1 for k
   = 1..4, 24 rows of rank 23. Each is A.B = const with A, B differences of two vectors, so gI =
   A'.B + A.B',   gII = A''.B + A.B'' + 2 A'.B'.

   Kinetic energy of a rod (|P'|^2 + |Q'|^2 + P'.Q') / 6 + b^2/24 (|u'|^2 + |w'|^2) with its ends P,
   Q and axes u, w; M is constant. The multipliers are not unique, the motion is. References for
   P_3: own, rank-revealing elimination at two tolerances (2e-12) and a second integrator with
   minimum-norm multipliers (3e-11). */
#include "problems_internal.h"

#include <math.h>
#include <string.h>

/* The vectors: P_0..P_5, u_0..u_5, and a zero. */
enum { P0, P1, P2, P3, P4, P5, U0, U1, U2, U3, U4, U5, ZERO, NVECTORS };
enum { NL = 24, NV = 24, N = NL + 2 * NV };

/* The row (a - b).(c - d) - constant, with numbers of vectors. */
typedef struct dot_row {
    int a, b, c, d;
    double constant;
} dot_row;

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static void eval_rows(dfl_blocks *out, const double *v, const double *p, unsigned need);
static int mass(double *M, double t, const double *x, void *user);
static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user);
static void differentiate_force(double *dyn, const dot_row *row, double lambda);
static void gather(double vectors[NVECTORS][3], const double *y, bool positions);
static void subtract(double d[3], double vectors[NVECTORS][3], int a, int b);
static double dot(const double a[3], const double b[3]);
static void write_row(double *A, int i, const dot_row *row, double vectors[NVECTORS][3],
                      double factor);
static void add_to_row(double *A, int i, int vector, const double d[3], double factor);
static double energy(const double *x, const void *parameters);

static const double gravity = 9.81, width = 0.1;

/* First coordinate of each vector in p; -1: fixed. */
static const int coordinate[NVECTORS] = {-1, 0, 3, 6, 9, -1, -1, 12, 15, 18, 21, -1, -1};

/* clang-format off */
static const dot_row rows[NL] = {
    {P1, P0, P1, P0, 1}, {U0, ZERO, U1, ZERO, 0}, {P1, P0, U0, ZERO, 0}, {P1, P0, U1, ZERO, 0},
    {P2, P1, P2, P1, 1}, {U1, ZERO, U2, ZERO, 0}, {P2, P1, U1, ZERO, 0}, {P2, P1, U2, ZERO, 0},
    {P3, P2, P3, P2, 1}, {U2, ZERO, U3, ZERO, 0}, {P3, P2, U2, ZERO, 0}, {P3, P2, U3, ZERO, 0},
    {P4, P3, P4, P3, 1}, {U3, ZERO, U4, ZERO, 0}, {P4, P3, U3, ZERO, 0}, {P4, P3, U4, ZERO, 0},
    {P5, P4, P5, P4, 1}, {U4, ZERO, U5, ZERO, 0}, {P5, P4, U4, ZERO, 0}, {P5, P4, U5, ZERO, 0},
    {U1, ZERO, U1, ZERO, 1}, {U2, ZERO, U2, ZERO, 1}, {U3, ZERO, U3, ZERO, 1},
    {U4, ZERO, U4, ZERO, 1},
};

static const double start[NV] = {
    1, 0, 0,  1, -1, 0,  1, -1, 1,  0, -1, 1,
    0, 0, 1,  1, 0, 0,   0, 1, 0,   0, 0, 1};

/* Only P_3 is known: x, y, z, x', y', z'. */
#define SIX NAN, NAN, NAN, NAN, NAN, NAN
#define FIFTEEN SIX, SIX, NAN, NAN, NAN
#define P3_ONLY(x, y, z, vx, vy, vz) \
    (const double[N]){SIX, SIX, SIX, SIX, SIX, vx, vy, vz, FIFTEEN, SIX, x, y, z, FIFTEEN}

static const problem_reference references[] = {
    {0.5, P3_ONLY(0.9682836791067772, -1.224625159436334, 0.7501466094377669,
                  -0.2582368878553331, -0.8172077299380480, -1.000773146567987), 1e-11},
    {1.0, P3_ONLY(0.5105014611872197, -1.649167599394806, 0.1401231145531859,
                  -1.751066515264445, -0.6303743949073440, -1.039593027569298), 1e-11},
    {2.0, P3_ONLY(-0.9693403447776516, -1.221246894956317, 0.7542780107797767,
                  -0.2517252299535601, 0.8131216789374133, 0.9930223256239836), 1e-11},
    {5.0, P3_ONLY(0.9999999977380489, -1.000067257697883, 0.9999327400403181,
                  -1.091623e-6, -0.01622882331417324, -0.01622991482746870), 1e-11},
    {10.0, P3_ONLY(0.9999999638063494, -1.000269012696163, 0.9997309511199213,
                   -8.733868e-6, -0.03245328022166716, -0.03246201056607893), 1e-11},
};
/* clang-format on */

bool problem_bricard(problem *out, int size)
{
    (void)size;
    *out = (problem){
        .name = "bricard",
        .about = "Bricard mechanism: 24 constraints of rank 23",
        .eom = {.np = NV,
                .nv = NV,
                .nl = NL,
                .eval = eval,
                .trivial_kinematics = true,
                .mass = mass,
                .jacobian = jacobian,
                .mass_constant = true,
                .autonomous = true,
                .forces_free_of_multipliers = true},
        .t_end = 10.0,
        .references = references,
        .nreferences = sizeof references / sizeof *references,
        .energy = energy,
    };
    if (!problem_allocate(out, 1))
        return false;
    memcpy(out->x0 + NL + NV, start, sizeof start);
    if (problem_solve_multipliers(out))
        return true;
    problem_free(out);
    return false;
}

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double *v = x + NL, *p = v + NV;
    (void)t, (void)user;
    if (need & DFL_KINEMATICS)
        memcpy(out->kin, v, NV * sizeof *v);
    if (need & DFL_FORCE) {
        memset(out->f, 0, NV * sizeof *out->f);
        for (int k = P1; k <= P4; k++) /* half the weight of two rods */
            out->f[coordinate[k] + 1] = -gravity;
    }
    if (need & (DFL_POSITION | DFL_VELOCITY | DFL_DIRECTIONS | DFL_BIAS))
        eval_rows(out, v, p, need);
    return 0;
}

static void eval_rows(dfl_blocks *out, const double *v, const double *p, unsigned need)
{
    double place[NVECTORS][3], speed[NVECTORS][3];
    gather(place, p, true);
    gather(speed, v, false);
    if (need & DFL_DIRECTIONS)
        memset(out->W, 0, NL * NV * sizeof *out->W);
    for (int i = 0; i < NL; i++) {
        const dot_row *row = &rows[i];
        double A[3], B[3], A1[3], B1[3];
        subtract(A, place, row->a, row->b);
        subtract(B, place, row->c, row->d);
        subtract(A1, speed, row->a, row->b);
        subtract(B1, speed, row->c, row->d);
        if (need & DFL_POSITION)
            out->g[i] = dot(A, B) - row->constant;
        if (need & DFL_VELOCITY)
            out->gI[i] = dot(A1, B) + dot(A, B1);
        if (need & DFL_DIRECTIONS)
            write_row(out->W, i, row, place, 1.0);
        if (need & DFL_BIAS)
            out->bias[i] = 2.0 * dot(A1, B1);
    }
}

static int mass(double *M, double t, const double *x, void *user)
{
    (void)t, (void)x, (void)user;
    for (int i = 0; i < NV / 2; i++) {
        const int u = NV / 2 + i;
        M[i + NV * i] = 2.0 / 3.0;
        M[u + NV * u] = width * width / 6.0;
    }
    for (int i = 3; i < NV / 2; i++)
        M[i + NV * (i - 3)] = M[i - 3 + NV * i] = 1.0 / 6.0;
    return 0;
}

static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    const double *v = x + NL, *p = v + NV;
    double place[NVECTORS][3], speed[NVECTORS][3], bend[NVECTORS][3];
    (void)t, (void)user;
    gather(place, p, true);
    gather(speed, v, false);
    gather(bend, a, false);
    for (int i = 0; i < NL; i++) {
        write_row(out->acc + NL * NL, i, &rows[i], speed, 2.0);
        write_row(out->acc + NL * (NL + NV), i, &rows[i], bend, 1.0);
        write_row(out->vel, i, &rows[i], place, 1.0);
        write_row(out->vel + NL * NV, i, &rows[i], speed, 1.0);
        write_row(out->pos, i, &rows[i], place, 1.0);
        differentiate_force(out->dyn + NV * (NL + NV), &rows[i], x[i]);
        for (int j = 0; j < NV; j++) /* -W^T, and W = dg/dp */
            out->dyn[j + NV * i] = -out->pos[i + NL * j];
    }
    for (int i = 0; i < NV; i++)
        out->kin[i + NV * i] = 1.0;
    return 0;
}

/* Adds the derivative of -lambda d(A.B)/dp: -lambda times the signs of each pair of vectors. */
static void differentiate_force(double *dyn, const dot_row *row, double lambda)
{
    const int first[2] = {coordinate[row->a], coordinate[row->b]};
    const int second[2] = {coordinate[row->c], coordinate[row->d]};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            if (first[i] < 0 || second[j] < 0)
                continue;
            for (int k = 0; k < 3; k++) {
                const int r = first[i] + k, c = second[j] + k;
                const double entry = i == j ? -lambda : lambda;
                dyn[r + NV * c] += entry;
                dyn[c + NV * r] += entry;
            }
        }
}

/* The vectors of y = p (positions, with the fixed ones) or y = v, a (the fixed ones are zero). */
static void gather(double vectors[NVECTORS][3], const double *y, bool positions)
{
    memset(vectors, 0, NVECTORS * sizeof *vectors);
    for (int k = 0; k < NVECTORS; k++)
        if (coordinate[k] >= 0)
            memcpy(vectors[k], y + coordinate[k], sizeof vectors[k]);
    if (!positions)
        return;
    vectors[P5][2] = 1.0;
    vectors[U0][1] = 1.0;
    vectors[U5][0] = 1.0;
}

static void subtract(double d[3], double vectors[NVECTORS][3], int a, int b)
{
    for (int k = 0; k < 3; k++)
        d[k] = vectors[a][k] - vectors[b][k];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Row i of a matrix of zeros: factor * (dA.B + A.dB) as a form in dp. */
static void write_row(double *A, int i, const dot_row *row, double vectors[NVECTORS][3],
                      double factor)
{
    double first[3], second[3];
    subtract(first, vectors, row->a, row->b);
    subtract(second, vectors, row->c, row->d);
    add_to_row(A, i, row->a, second, factor);
    add_to_row(A, i, row->b, second, -factor);
    add_to_row(A, i, row->c, first, factor);
    add_to_row(A, i, row->d, first, -factor);
}

static void add_to_row(double *A, int i, int vector, const double d[3], double factor)
{
    for (int k = 0; k < 3 && coordinate[vector] >= 0; k++)
        A[i + NL * (coordinate[vector] + k)] += factor * d[k];
}

static double energy(const double *x, const void *parameters)
{
    const double *v = x + NL, *p = v + NV;
    double M[NV * NV] = {0}, sum = 0.0;
    (void)parameters;
    mass(M, 0.0, x, NULL);
    for (int k = P1; k <= P4; k++)
        sum += gravity * p[coordinate[k] + 1];
    for (int i = 0; i < NV; i++)
        for (int j = 0; j < NV; j++)
            sum += 0.5 * v[i] * M[i + NV * j] * v[j];
    return sum;
}
