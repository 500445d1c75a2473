/* andrews.c: Andrews' squeezing mechanism, seven bodies driven by a motor against a spring.

   Source: IVP test set, problem "andrews" (Hairer and Wanner, Solving ODE II; Schiehlen, Multibody
   Systems Handbook). p = (beta, Theta, gamma, Phi, delta, Omega, epsilon).

   All arms are plane vectors U_k that turn with an angle psi_k, a sum of angles in p:

       psi = (beta, beta+Theta, gamma, Phi+delta, delta, Omega+epsilon, epsilon)
       E   = U_0 + U_1                        point where the three loops meet
       g   = (E + U_2 - B, E + U_3 + U_4 - A, E + U_5 + U_6 - A)

   Since U_k' = U_k^ psi_k' with U^ = (-Uy, Ux) and U^^ = -U, every level follows from the U_k:

       gI  = sum U_k^ psi_k',     gII = sum U_k^ psi_k'' - U_k psi_k'^2

   The mass matrix and the forces are those of the test set, with
   kt = m2 da rr, kp = m4 zt (e-ea), ko = m6 u (zf-fa). Its sign M v' = f - G^T lambda is ours.
   T + U - mom beta is constant.

   References: own, computed with two independent integrators, agreeing to 1.4e-11. The values
   published with the test set differ by 2.7e-10 (p), 5e-8 (v) and 1.3e-6 (lambda). */
#include "problems_internal.h"

#include <math.h>
#include <string.h>

enum { BETA, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON, NV };
enum { NL = 6, N = NL + 2 * NV };

/* SI units; the names are those of the test set. */
static const double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050,
                    m6 = 0.00706, m7 = 0.05498;
static const double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5,
                    I6 = 5.667e-7, I7 = 1.912e-5;
static const double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014,
                    yc = 0.072;
static const double c0 = 4530.0, l0 = 0.07785, mom = 0.033;
static const double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092,
                    ss = 0.035, sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308,
                    tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04,
                    fa = 0.01421;

/* Sines and cosines of p, and the arms U_k. */
typedef struct pose {
    double s[NV], c[NV];
    double U[NV][2];
} pose;

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static void eval_pose(pose *out, const double *p);
static void eval_force(double *f, const pose *at, const double *v);
static void eval_spring(double *torque, double *slope, double *potential, const pose *at);
static void turn_rates(double *rate, const double *v);
static void turn_arms(double arms[NV][2], const pose *at, const double *across,
                      const double *along);
static void close_loops(double *g, double arms[NV][2]);
static void write_columns(double *A, double arms[NV][2]);
static int mass(double *M, double t, const double *x, void *user);
static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user);
static void differentiate_constraints(dfl_jacobian *out, const pose *at, const double *v,
                                      const double *a);
static void differentiate_forces(double *dyn, const pose *at, const double *v);
static void differentiate_inertia(double *dyn, const pose *at, const double *a);
static void differentiate_constraint_forces(double *dyn, const pose *at, const double *lambda);
static double energy(const double *x, const void *parameters);

static const double ones[NV] = {1, 1, 1, 1, 1, 1, 1}, zeros[NV] = {0};

/* Consistent with Theta = 0 and at rest. Layout of the tables: lambda, v, p. */
/* clang-format off */
static const double start[N] = {
    98.5668703962410896058, -6.12268834425566265503, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0,
    -0.0617138900142764496359, 0, 0.455279819163070380256, 0.222668390165885884674,
    0.487364979543842550226, -0.222668390165885884674, 1.23054744454982119250};

static const problem_reference references[] = {
    {0.01, (const double[N]){
        NAN, NAN, NAN, NAN, NAN, NAN,
        7.11923152831104e+02, -7.86770080859940e+02, -1.36438191378120e+02, -2.40293029267865e+02,
        4.79154822537105e+00, 2.40293029267865e+02, -4.11405669616105e+01,
        2.16011313153153e+00, -1.88336423110704e+00, 1.58516758001227e-01, -3.28641075174670e-01,
        5.25154774797729e-01, 3.28641075174670e-01, 1.06842720463240e+00}, 1e-11},
    {0.02, (const double[N]){
        NAN, NAN, NAN, NAN, NAN, NAN,
        7.26558342609128e+02, -7.48632420632329e+02, -1.45739237584405e+02, -2.59500799476775e+02,
        9.79050185516307e+00, 2.59500799476775e+02, -5.77574717427460e+01,
        8.18490588966167e+00, -7.89050536373045e+00, 2.09536913384698e-01, -2.38325596595851e-01,
        5.22536917155996e-01, 2.38325596595851e-01, 1.08627510859987e+00}, 1e-11},
    {0.03, (const double[N]){
        1.991753481045386e+02, -2.975530997497183e+01, 2.306654361162215e+01,
        3.145272527577112e+01, 2.264249478639438e+01, 1.161739235261128e+01,
        1.139920302259106e+03, -1.424379295177540e+03, 1.103291191061884e+01,
        1.929337410503247e+01, 5.735699148295151e-01, -1.929337410503247e+01,
        3.231791492491383e-01,
        1.581077119515371e+01, -1.575637105841184e+01, 4.082224011964581e-02,
        -5.347301163420796e-01, 5.244099658799540e-01, 5.347301163420796e-01,
        1.048080741041938e+00}, 1e-11},
    {0.05, (const double[N]){
        NAN, NAN, NAN, NAN, NAN, NAN,
        1.14453550265385e+03, -1.33603372265120e+03, -1.90937068604294e+02, -3.34317060870864e+02,
        8.75865082942860e-01, 3.34317060870864e+02, -3.96172889783524e+01,
        3.38258677669545e+01, -3.35834315174639e+01, 1.13395073812598e-01, -4.07852865601886e-01,
        5.26060444916996e-01, 4.07852865601886e-01, 1.05690242943496e+00}, 1e-11},
};
/* clang-format on */

bool problem_andrews(problem *out, int size)
{
    (void)size;
    *out = (problem){
        .name = "andrews",
        .about = "Andrews' squeezing mechanism: seven bodies, three loops",
        .eom = {.np = NV,
                .nv = NV,
                .nl = NL,
                .eval = eval,
                .trivial_kinematics = true,
                .mass = mass,
                .jacobian = jacobian,
                .autonomous = true,
                .forces_free_of_multipliers = true},
        .t_end = 0.03,
        .references = references,
        .nreferences = sizeof references / sizeof *references,
        .energy = energy,
    };
    if (!problem_allocate(out, 1))
        return false;
    memcpy(out->x0, start, sizeof start);
    return true;
}

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double *v = x + NL, *p = v + NV;
    pose at;
    double rate[NV], squared[NV], arms[NV][2];
    (void)t, (void)user;
    if (need & ~(unsigned)DFL_KINEMATICS)
        eval_pose(&at, p);
    turn_rates(rate, v);
    if (need & DFL_KINEMATICS)
        memcpy(out->kin, v, NV * sizeof *v);
    if (need & DFL_FORCE)
        eval_force(out->f, &at, v);
    if (need & DFL_POSITION) {
        const double fixed[NL] = {xb, yb, xa, ya, xa, ya};
        close_loops(out->g, at.U);
        for (int i = 0; i < NL; i++)
            out->g[i] -= fixed[i];
    }
    if (need & DFL_VELOCITY) {
        turn_arms(arms, &at, rate, zeros);
        close_loops(out->gI, arms);
    }
    if (need & DFL_DIRECTIONS) {
        turn_arms(arms, &at, ones, zeros);
        write_columns(out->W, arms);
    }
    if (need & DFL_BIAS) {
        for (int k = 0; k < NV; k++)
            squared[k] = -rate[k] * rate[k];
        turn_arms(arms, &at, zeros, squared);
        close_loops(out->bias, arms);
    }
    return 0;
}

/* One sine and cosine per angle; those of the sums follow from the addition theorems. */
static void eval_pose(pose *out, const double *p)
{
    double *s = out->s, *c = out->c;
    for (int i = 0; i < NV; i++) {
        s[i] = sin(p[i]);
        c[i] = cos(p[i]);
    }
    const double sE = s[BETA] * c[THETA] + c[BETA] * s[THETA];
    const double cE = c[BETA] * c[THETA] - s[BETA] * s[THETA];
    const double sG = s[PHI] * c[DELTA] + c[PHI] * s[DELTA];
    const double cG = c[PHI] * c[DELTA] - s[PHI] * s[DELTA];
    const double sH = s[OMEGA] * c[EPSILON] + c[OMEGA] * s[EPSILON];
    const double cH = c[OMEGA] * c[EPSILON] - s[OMEGA] * s[EPSILON];
    const double U[NV][2] = {{rr * c[BETA], rr * s[BETA]},     {-d * cE, -d * sE},
                             {-ss * s[GAMMA], ss * c[GAMMA]},  {-e * sG, e * cG},
                             {-zt * c[DELTA], -zt * s[DELTA]}, {-zf * cH, -zf * sH},
                             {-u * s[EPSILON], u * c[EPSILON]}};
    memcpy(out->U, U, sizeof U);
}

static void eval_force(double *f, const pose *at, const double *v)
{
    const double kt = m2 * da * rr, kp = m4 * zt * (e - ea), ko = m6 * u * (zf - fa);
    double slope, potential;
    f[BETA] = mom - kt * v[THETA] * (v[THETA] + 2.0 * v[BETA]) * at->s[THETA];
    f[THETA] = kt * v[BETA] * v[BETA] * at->s[THETA];
    eval_spring(&f[GAMMA], &slope, &potential, at);
    f[PHI] = kp * v[DELTA] * v[DELTA] * at->c[PHI];
    f[DELTA] = -kp * v[PHI] * (v[PHI] + 2.0 * v[DELTA]) * at->c[PHI];
    f[OMEGA] = -ko * v[EPSILON] * v[EPSILON] * at->c[OMEGA];
    f[EPSILON] = ko * v[OMEGA] * (v[OMEGA] + 2.0 * v[EPSILON]) * at->c[OMEGA];
}

/* The spring from C to D = B + S on body 3: its torque about B, the derivative with respect to
   gamma, and its potential. With r = D - C: torque = -c0 (1 - l0/|r|) r.S^. */
static void eval_spring(double *torque, double *slope, double *potential, const pose *at)
{
    const double Sx = sd * at->c[GAMMA] + sc * at->s[GAMMA];
    const double Sy = sd * at->s[GAMMA] - sc * at->c[GAMMA];
    const double rx = Sx + xb - xc, ry = Sy + yb - yc;
    const double length = sqrt(rx * rx + ry * ry), pull = 1.0 - l0 / length;
    const double q = -rx * Sy + ry * Sx;                       /* r.S^ = |r| |r|' */
    const double dq = Sx * Sx + Sy * Sy - (rx * Sx + ry * Sy); /* its derivative */
    *torque = -c0 * pull * q;
    *slope = -c0 * (pull * dq + l0 * q * q / (length * length * length));
    *potential = 0.5 * c0 * (length - l0) * (length - l0);
}

/* The rates of the angles psi. */
static void turn_rates(double *rate, const double *v)
{
    rate[0] = v[BETA];
    rate[1] = v[BETA] + v[THETA];
    rate[2] = v[GAMMA];
    rate[3] = v[PHI] + v[DELTA];
    rate[4] = v[DELTA];
    rate[5] = v[OMEGA] + v[EPSILON];
    rate[6] = v[EPSILON];
}

/* arms_k = across_k U_k^ + along_k U_k */
static void turn_arms(double arms[NV][2], const pose *at, const double *across, const double *along)
{
    for (int k = 0; k < NV; k++) {
        arms[k][0] = along[k] * at->U[k][0] - across[k] * at->U[k][1];
        arms[k][1] = along[k] * at->U[k][1] + across[k] * at->U[k][0];
    }
}

/* The sums around the three loops. */
static void close_loops(double *g, double arms[NV][2])
{
    for (int i = 0; i < 2; i++) {
        const double E = arms[0][i] + arms[1][i];
        g[i] = E + arms[2][i];
        g[2 + i] = E + arms[3][i] + arms[4][i];
        g[4 + i] = E + arms[5][i] + arms[6][i];
    }
}

/* If arms_k is the derivative of arm k with respect to psi_k: the derivative of the sums around the
   loops with respect to p (or v), 6 x 7. */
static void write_columns(double *A, double arms[NV][2])
{
    for (int i = 0; i < 2; i++) {
        for (int loop = 0; loop < 3; loop++) {
            A[2 * loop + i + NL * BETA] = arms[0][i] + arms[1][i];
            A[2 * loop + i + NL * THETA] = arms[1][i];
        }
        A[i + NL * GAMMA] = arms[2][i];
        A[2 + i + NL * PHI] = arms[3][i];
        A[2 + i + NL * DELTA] = arms[3][i] + arms[4][i];
        A[4 + i + NL * OMEGA] = arms[5][i];
        A[4 + i + NL * EPSILON] = arms[5][i] + arms[6][i];
    }
}

static int mass(double *M, double t, const double *x, void *user)
{
    const double *p = x + NL + NV;
    const double kt = m2 * da * rr * cos(p[THETA]);
    const double kp = m4 * zt * (e - ea) * sin(p[PHI]), ko = m6 * u * (zf - fa) * sin(p[OMEGA]);
    const double J2 = m2 * da * da + I2, J4 = m4 * (e - ea) * (e - ea) + I4;
    const double J6 = m6 * (zf - fa) * (zf - fa) + I6;
    (void)t, (void)user;
    M[BETA + NV * BETA] = m1 * ra * ra + m2 * rr * rr - 2.0 * kt + I1 + J2;
    M[THETA + NV * BETA] = M[BETA + NV * THETA] = J2 - kt;
    M[THETA + NV * THETA] = J2;
    M[GAMMA + NV * GAMMA] = m3 * (sa * sa + sb * sb) + I3;
    M[PHI + NV * PHI] = J4;
    M[DELTA + NV * PHI] = M[PHI + NV * DELTA] = J4 + kp;
    M[DELTA + NV * DELTA] = m4 * zt * zt + 2.0 * kp + m5 * (ta * ta + tb * tb) + J4 + I5;
    M[OMEGA + NV * OMEGA] = J6;
    M[EPSILON + NV * OMEGA] = M[OMEGA + NV * EPSILON] = J6 - ko;
    M[EPSILON + NV * EPSILON] = m6 * u * u - 2.0 * ko + m7 * (ua * ua + ub * ub) + J6 + I7;
    return 0;
}

static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    const double *v = x + NL, *p = v + NV;
    pose at;
    (void)t, (void)user;
    eval_pose(&at, p);
    differentiate_constraints(out, &at, v, a);
    differentiate_forces(out->dyn, &at, v);
    differentiate_inertia(out->dyn, &at, a);
    differentiate_constraint_forces(out->dyn, &at, x);
    for (int i = 0; i < NL; i++) /* -W^T, and W = dg/dp */
        for (int j = 0; j < NV; j++)
            out->dyn[j + NV * i] = -out->pos[i + NL * j];
    for (int i = 0; i < NV; i++)
        out->kin[i + NV * i] = 1.0;
    return 0;
}

static void differentiate_constraints(dfl_jacobian *out, const pose *at, const double *v,
                                      const double *a)
{
    double rate[NV], rate2[NV], turn[NV], arms[NV][2];
    turn_arms(arms, at, ones, zeros);
    write_columns(out->pos, arms);
    write_columns(out->vel, arms);

    turn_rates(rate, v);
    turn_rates(turn, a);
    for (int k = 0; k < NV; k++) {
        rate2[k] = -rate[k] * rate[k];
        turn[k] = -turn[k];
        rate[k] = -rate[k];
    }
    turn_arms(arms, at, zeros, rate); /* of U_k^ psi_k' */
    write_columns(out->vel + NL * NV, arms);
    turn_arms(arms, at, rate2, turn); /* of U_k^ psi_k'' - U_k psi_k'^2 */
    write_columns(out->acc + NL * (NL + NV), arms);
    for (int k = 0; k < NV; k++)
        rate[k] *= 2.0;
    turn_arms(arms, at, zeros, rate);
    write_columns(out->acc + NL * NL, arms);
}

static void differentiate_forces(double *dyn, const pose *at, const double *v)
{
    const double kt = m2 * da * rr, kp = m4 * zt * (e - ea), ko = m6 * u * (zf - fa);
    const double *s = at->s, *c = at->c;
    double *fv = dyn + NV * NL, *fp = fv + NV * NV, torque, potential;
    fv[BETA + NV * BETA] = -2.0 * kt * v[THETA] * s[THETA];
    fv[BETA + NV * THETA] = -2.0 * kt * (v[THETA] + v[BETA]) * s[THETA];
    fp[BETA + NV * THETA] = -kt * v[THETA] * (v[THETA] + 2.0 * v[BETA]) * c[THETA];
    fv[THETA + NV * BETA] = 2.0 * kt * v[BETA] * s[THETA];
    fp[THETA + NV * THETA] = kt * v[BETA] * v[BETA] * c[THETA];
    eval_spring(&torque, &fp[GAMMA + NV * GAMMA], &potential, at);
    fv[PHI + NV * DELTA] = 2.0 * kp * v[DELTA] * c[PHI];
    fp[PHI + NV * PHI] = -kp * v[DELTA] * v[DELTA] * s[PHI];
    fv[DELTA + NV * PHI] = -2.0 * kp * (v[PHI] + v[DELTA]) * c[PHI];
    fv[DELTA + NV * DELTA] = -2.0 * kp * v[PHI] * c[PHI];
    fp[DELTA + NV * PHI] = kp * v[PHI] * (v[PHI] + 2.0 * v[DELTA]) * s[PHI];
    fv[OMEGA + NV * EPSILON] = -2.0 * ko * v[EPSILON] * c[OMEGA];
    fp[OMEGA + NV * OMEGA] = ko * v[EPSILON] * v[EPSILON] * s[OMEGA];
    fv[EPSILON + NV * OMEGA] = 2.0 * ko * (v[OMEGA] + v[EPSILON]) * c[OMEGA];
    fv[EPSILON + NV * EPSILON] = 2.0 * ko * v[OMEGA] * c[OMEGA];
    fp[EPSILON + NV * OMEGA] = -ko * v[OMEGA] * (v[OMEGA] + 2.0 * v[EPSILON]) * s[OMEGA];
}

/* Subtracts the derivative of M a. */
static void differentiate_inertia(double *dyn, const pose *at, const double *a)
{
    const double kt = m2 * da * rr * at->s[THETA], kp = m4 * zt * (e - ea) * at->c[PHI];
    const double ko = m6 * u * (zf - fa) * at->c[OMEGA];
    double *fp = dyn + NV * (NL + NV);
    fp[BETA + NV * THETA] -= kt * (2.0 * a[BETA] + a[THETA]);
    fp[THETA + NV * THETA] -= kt * a[BETA];
    fp[PHI + NV * PHI] -= kp * a[DELTA];
    fp[DELTA + NV * PHI] -= kp * (a[PHI] + 2.0 * a[DELTA]);
    fp[OMEGA + NV * OMEGA] += ko * a[EPSILON];
    fp[EPSILON + NV * OMEGA] += ko * (a[OMEGA] + 2.0 * a[EPSILON]);
}

/* Adds the derivative of -W^T lambda: with respect to psi it is diagonal, h_k = lambda.U_k. */
static void differentiate_constraint_forces(double *dyn, const pose *at, const double *lambda)
{
    const double all[2] = {lambda[0] + lambda[2] + lambda[4], lambda[1] + lambda[3] + lambda[5]};
    const double *force[NV] = {all, all, lambda, lambda + 2, lambda + 2, lambda + 4, lambda + 4};
    double h[NV], *fp = dyn + NV * (NL + NV);
    for (int k = 0; k < NV; k++)
        h[k] = force[k][0] * at->U[k][0] + force[k][1] * at->U[k][1];
    fp[BETA + NV * BETA] += h[0] + h[1];
    fp[BETA + NV * THETA] += h[1];
    fp[THETA + NV * BETA] += h[1];
    fp[THETA + NV * THETA] += h[1];
    fp[GAMMA + NV * GAMMA] += h[2];
    fp[PHI + NV * PHI] += h[3];
    fp[PHI + NV * DELTA] += h[3];
    fp[DELTA + NV * PHI] += h[3];
    fp[DELTA + NV * DELTA] += h[3] + h[4];
    fp[OMEGA + NV * OMEGA] += h[5];
    fp[OMEGA + NV * EPSILON] += h[5];
    fp[EPSILON + NV * OMEGA] += h[5];
    fp[EPSILON + NV * EPSILON] += h[5] + h[6];
}

static double energy(const double *x, const void *parameters)
{
    const double *v = x + NL, *p = v + NV;
    double M[NV * NV] = {0}, torque, slope, potential;
    pose at;
    (void)parameters;
    mass(M, 0.0, x, NULL);
    eval_pose(&at, p);
    eval_spring(&torque, &slope, &potential, &at);
    double sum = potential - mom * p[BETA];
    for (int i = 0; i < NV; i++)
        for (int j = 0; j < NV; j++)
            sum += 0.5 * v[i] * M[i + NV * j] * v[j];
    return sum;
}
