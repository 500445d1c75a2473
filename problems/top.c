/* top.c: the heavy symmetric top with its tip at the origin, in quaternion coordinates.

   Source: classical (Lagrange top), own data: m = 1, J1 = 1, J3 = 0.4 about the centre of mass,
   l = 0.5, gravity 9.81. p = (x, y, z; q) is the centre of mass and the quaternion, v = (x', y',
   z'; w) with w in the body frame, a, b, n the body axes (columns of R(q)):

       M = diag(m, m, m, J1, J1, J3),  f = (0, 0, -m g; -(w x J w))
       g    = (x, y, z) - l n,          ep = |q|^2 - 1 (kept by the kinematics)
       gI   = (x', y', z') + l (w1 b - w2 a),   W = [I, l b, -l a, 0]
       bias = l ((w1^2 + w2^2) n - w1 w3 a - w2 w3 b)

   Start: axis tilted by 0.5 rad about x, no precession, spin w3 = 20.
   top_invariants adds, as e, the energy and the angular momentum about the vertical through the
   tip, m (x y' - y x') + (R J w)_z, each minus its value at the start. The third integral, J3 w3,
   is left out: the three gradients with respect to v are dependent (modulo W) whenever the nutation
   turns, which includes the start, and w3' = 0 is a row of the dynamics of its own.

   References: own, computed with two independent integrators to 1e-15; cos theta checked with its
   closed form in elliptic functions. */
#include "problems_internal.h"
#include "quaternion.h"

#include <string.h>

enum { NL = 3, NV = 6, NP = 7, N = NL + NV + NP, NEP = 1, NE = 2 };

static const double m = 1.0, J1 = 1.0, J3 = 0.4, l = 0.5, gravity = 9.81;

/* Energy and vertical angular momentum at the start. */
typedef struct top_parameters {
    double start[NE];
} top_parameters;

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static void eval_constraints(dfl_blocks *out, const double *v, const double *p, unsigned need);
static int eval_invariants(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static double vertical_momentum(const double *x);
static int mass(double *M, double t, const double *x, void *user);
static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user);
static int jacobian_invariants(dfl_jacobian *out, double t, const double *x, const double *a,
                               void *user);
static void write_directions(double *A, int rows, const double *R);
static void combine(double *A, int rows, double dR[3][12], double ca, double cb, double cn);
static void differentiate_velocity(double *vel, int rows, const double *x);
static void differentiate_all_but_velocity(dfl_jacobian *out, const double *x, const double *a);
static void differentiate_acceleration(double *acc, const double *R, double dR[3][12],
                                       const double *w, const double *turn);
static void differentiate_dynamics(double *dyn, const double *R, double dR[3][12], const double *x);
static void differentiate_kinematics(double *kin, const double *v, const double *p);
static void differentiate_invariants(double *vel, int rows, const double *x);
static double energy(const double *x, const void *parameters);

/* clang-format off */
/* lambda, v, p */
static const double start[N] = {
    0, 0, 0, 0, 0, 0, 0, 0, 20,
    0, -0.2397127693021015, 0.4387912809451864, 0.9689124217106448, 0.2474039592545229, 0, 0};

static const problem_reference references[] = {
    {0.5, (const double[N]){
        -0.16499861230916, -1.0733809342678, -10.212062152269,
        0.3416539433485925, 0.03879732338215938, -0.04146114926269329, -0.3597012856621342,
        -0.5919642640521415, 20,
        0.08100784910099496, -0.2771138268962732, 0.4082225561221878, 0.2914421622911466,
        0.007993834766400183, 0.3028424383793323, -0.9073499998133293}, 1e-13},
    {1.0, (const double[N]){
        0.43610788382633, 0.85724135616776, -9.5609960988593,
        -0.01858163384304243, 0.1531359089146419, 0.07190374648527684, -0.1568095573107562,
        0.3021173491079949, 20,
        0.1762373050229342, -0.1811801283994682, 0.4314095193564990, -0.7734352850404342,
        -0.2596736763304033, -0.03405968973073583, -0.5772411794137016}, 1e-13},
    {2.0, (const double[N]){
        0.71105951793934, 0.82398316450877, -9.9935325231152,
        -0.08304912566022007, 0.2769345173904636, 0.07883194820942997, 0.3449547475601540,
        0.4901261706444082, 20,
        0.2752030023640293, -0.03586140520816994, 0.4159053583524976, 0.2797798003779496,
        0.2859517444157417, 0.04823112597790594, 0.9152205317042293}, 1e-13},
};
/* clang-format on */

bool problem_top(problem *out, int size)
{
    (void)size;
    *out = (problem){
        .name = "top",
        .about = "heavy symmetric top in quaternions, |q| = 1 as invariant",
        .eom = {.np = NP,
                .nv = NV,
                .nl = NL,
                .nep = NEP,
                .eval = eval,
                .mass = mass,
                .jacobian = jacobian,
                .mass_diagonal = true,
                .mass_constant = true,
                .autonomous = true,
                .forces_free_of_multipliers = true},
        .t_end = 2.0,
        .references = references,
        .nreferences = sizeof references / sizeof *references,
        .energy = energy,
    };
    if (!problem_allocate(out, sizeof(top_parameters)))
        return false;
    memcpy(out->x0, start, sizeof start);
    if (problem_solve_multipliers(out))
        return true;
    problem_free(out);
    return false;
}

bool problem_top_invariants(problem *out, int size)
{
    if (!problem_top(out, size))
        return false;
    top_parameters *par = out->parameters;
    par->start[0] = energy(out->x0, par);
    par->start[1] = vertical_momentum(out->x0);
    out->name = "top_invariants";
    out->about = "the top with energy and vertical angular momentum as invariants";
    out->eom.ne = NE;
    out->eom.eval = eval_invariants;
    out->eom.jacobian = jacobian_invariants;
    return true;
}

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double *v = x + NL, *w = v + 3, *p = v + NV;
    (void)t, (void)user;
    if (need & DFL_KINEMATICS) {
        memcpy(out->kin, v, 3 * sizeof *v);
        quaternion_rate(out->kin + 3, p + 3, w);
    }
    if (need & DFL_FORCE) {
        const double f[NV] = {
            0.0, 0.0, -m * gravity, (J1 - J3) * w[1] * w[2], (J3 - J1) * w[0] * w[2], 0.0};
        memcpy(out->f, f, sizeof f);
    }
    if (need & (DFL_POSITION | DFL_VELOCITY | DFL_DIRECTIONS | DFL_BIAS))
        eval_constraints(out, v, p, need);
    return 0;
}

static void eval_constraints(dfl_blocks *out, const double *v, const double *p, unsigned need)
{
    const double *w = v + 3, *q = p + 3;
    double R[9];
    const double *a = R, *b = R + 3, *n = R + 6;
    quaternion_axes(R, q);
    if (need & DFL_POSITION) {
        for (int i = 0; i < 3; i++)
            out->g[i] = p[i] - l * n[i];
        out->ep[0] = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0;
    }
    if (need & DFL_VELOCITY)
        for (int i = 0; i < 3; i++)
            out->gI[i] = v[i] + l * (w[0] * b[i] - w[1] * a[i]);
    if (need & DFL_DIRECTIONS)
        write_directions(out->W, NL, R);
    if (need & DFL_BIAS)
        for (int i = 0; i < 3; i++)
            out->bias[i] =
                l * ((w[0] * w[0] + w[1] * w[1]) * n[i] - w[2] * (w[0] * a[i] + w[1] * b[i]));
}

static int eval_invariants(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const top_parameters *par = user;
    if (need & DFL_VELOCITY) {
        out->e[0] = energy(x, par) - par->start[0];
        out->e[1] = vertical_momentum(x) - par->start[1];
    }
    return eval(out, t, x, need, user);
}

static double vertical_momentum(const double *x)
{
    const double *v = x + NL, *w = v + 3, *p = v + NV;
    double R[9];
    quaternion_axes(R, p + 3);
    return m * (p[0] * v[1] - p[1] * v[0]) + J1 * (R[2] * w[0] + R[5] * w[1]) + J3 * R[8] * w[2];
}

static int mass(double *M, double t, const double *x, void *user)
{
    const double diagonal[NV] = {m, m, m, J1, J1, J3};
    (void)t, (void)x, (void)user;
    memcpy(M, diagonal, sizeof diagonal);
    return 0;
}

static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    (void)t, (void)user;
    differentiate_velocity(out->vel, NL, x);
    differentiate_all_but_velocity(out, x, a);
    return 0;
}

static int jacobian_invariants(dfl_jacobian *out, double t, const double *x, const double *a,
                               void *user)
{
    (void)t, (void)user;
    differentiate_velocity(out->vel, NL + NE, x);
    differentiate_invariants(out->vel + NL, NL + NE, x);
    differentiate_all_but_velocity(out, x, a);
    return 0;
}

/* W in a matrix of `rows` rows. */
static void write_directions(double *A, int rows, const double *R)
{
    for (int i = 0; i < 3; i++) {
        A[i + rows * i] = 1.0;
        A[i + rows * 3] = l * R[3 + i];
        A[i + rows * 4] = -l * R[i];
    }
}

/* A = ca da/dq + cb db/dq + cn dn/dq, in the first three of `rows` rows. */
static void combine(double *A, int rows, double dR[3][12], double ca, double cb, double cn)
{
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 3; i++)
            A[i + rows * j] = ca * dR[0][i + 3 * j] + cb * dR[1][i + 3 * j] + cn * dR[2][i + 3 * j];
}

static void differentiate_velocity(double *vel, int rows, const double *x)
{
    const double *w = x + NL + 3, *q = x + NL + NV + 3;
    double R[9], dR[3][12];
    quaternion_axes(R, q);
    quaternion_axes_derivative(dR, q);
    write_directions(vel, rows, R);
    combine(vel + rows * (NV + 3), rows, dR, -l * w[1], l * w[0], 0.0);
}

static void differentiate_all_but_velocity(dfl_jacobian *out, const double *x, const double *a)
{
    const int npos = NL + NEP;
    const double *v = x + NL, *p = v + NV, *q = p + 3;
    double R[9], dR[3][12];
    quaternion_axes(R, q);
    quaternion_axes_derivative(dR, q);
    differentiate_acceleration(out->acc, R, dR, v + 3, a + 3);
    differentiate_dynamics(out->dyn, R, dR, x);
    differentiate_kinematics(out->kin, v, p);
    combine(out->pos + npos * 3, npos, dR, 0.0, 0.0, -l);
    for (int i = 0; i < 3; i++)
        out->pos[i + npos * i] = 1.0;
    for (int i = 0; i < 4; i++)
        out->pos[NL + npos * (3 + i)] = 2.0 * q[i];
}

/* Of l (a (-w2' - w1 w3) + b (w1' - w2 w3) + n (w1^2 + w2^2)), turn = w'. */
static void differentiate_acceleration(double *acc, const double *R, double dR[3][12],
                                       const double *w, const double *turn)
{
    const double *a = R, *b = R + 3, *n = R + 6;
    double *by_w = acc + NL * (NL + 3), *by_q = acc + NL * (NL + NV + 3);
    for (int i = 0; i < 3; i++) {
        by_w[i + NL * 0] = l * (2.0 * w[0] * n[i] - w[2] * a[i]);
        by_w[i + NL * 1] = l * (2.0 * w[1] * n[i] - w[2] * b[i]);
        by_w[i + NL * 2] = -l * (w[0] * a[i] + w[1] * b[i]);
    }
    combine(by_q, NL, dR, -l * (turn[1] + w[0] * w[2]), l * (turn[0] - w[1] * w[2]),
            l * (w[0] * w[0] + w[1] * w[1]));
}

/* Of f - W^T lambda; M is constant. */
static void differentiate_dynamics(double *dyn, const double *R, double dR[3][12], const double *x)
{
    const double *lambda = x, *w = x + NL + 3;
    double *by_w = dyn + NV * (NL + 3), *by_q = dyn + NV * (NL + NV + 3);
    for (int i = 0; i < 3; i++) {
        dyn[i + NV * i] = -1.0;
        dyn[3 + NV * i] = -l * R[3 + i];
        dyn[4 + NV * i] = l * R[i];
        for (int j = 0; j < 4; j++) {
            by_q[3 + NV * j] -= l * lambda[i] * dR[1][i + 3 * j];
            by_q[4 + NV * j] += l * lambda[i] * dR[0][i + 3 * j];
        }
    }
    by_w[3 + NV * 1] = (J1 - J3) * w[2];
    by_w[3 + NV * 2] = (J1 - J3) * w[1];
    by_w[4 + NV * 0] = (J3 - J1) * w[2];
    by_w[4 + NV * 2] = (J3 - J1) * w[0];
}

static void differentiate_kinematics(double *kin, const double *v, const double *p)
{
    double Q[12], D[16];
    quaternion_rate_matrix(Q, p + 3);
    quaternion_rate_derivative(D, v + 3);
    for (int i = 0; i < 3; i++)
        kin[i + NP * i] = 1.0;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 3; j++)
            kin[3 + i + NP * (3 + j)] = Q[i + 4 * j];
        for (int j = 0; j < 4; j++)
            kin[3 + i + NP * (NV + 3 + j)] = D[i + 4 * j];
    }
}

/* Energy (row 0) and vertical angular momentum (row 1) of a matrix of `rows` rows. */
static void differentiate_invariants(double *vel, int rows, const double *x)
{
    const double *v = x + NL, *w = v + 3, *p = v + NV;
    const double by_p[3] = {m * v[1], -m * v[0], 0.0}, by_v[3] = {-m * p[1], m * p[0], 0.0};
    const double J[3] = {J1, J1, J3};
    double R[9], dR[3][12], *by_q = vel + rows * (NV + 3);
    quaternion_axes(R, p + 3);
    quaternion_axes_derivative(dR, p + 3);
    for (int i = 0; i < 3; i++) {
        vel[0 + rows * i] = m * v[i];
        vel[0 + rows * (3 + i)] = J[i] * w[i];
        vel[1 + rows * i] = by_v[i];
        vel[1 + rows * (3 + i)] = J[i] * R[2 + 3 * i];
        vel[1 + rows * (NV + i)] = by_p[i];
        for (int j = 0; j < 4; j++)
            by_q[1 + rows * j] += J[i] * w[i] * dR[i][2 + 3 * j];
    }
    vel[0 + rows * (NV + 2)] = m * gravity;
}

static double energy(const double *x, const void *parameters)
{
    const double *v = x + NL, *w = v + 3, *p = v + NV;
    (void)parameters;
    return 0.5 * m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
           0.5 * (J1 * (w[0] * w[0] + w[1] * w[1]) + J3 * w[2] * w[2]) + m * gravity * p[2];
}
