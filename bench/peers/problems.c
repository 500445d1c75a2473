/* The three problems of the comparison: a pendulum over 500 periods, Andrews' squeezing mechanism
   and the car axis (Mazzia and Magherini, Test Set for IVP Solvers, release 2.4). */
#include "peers.h"

#include <math.h>
#include <string.h>

/* ---- pendulum: released from the horizontal; with g = 4 K(1/2)^2 its period is exactly 2 ---- */

const double peer_gravity = 13.750371636040745655;

static void pendulum_init(double *p, double *v)
{
    p[0] = 1;
    p[1] = v[0] = v[1] = 0;
}

static void pendulum_eval(double t, const double *p, const double *v, double *M, double *f,
                          double *g, double *G, double *gt, double *gamma)
{
    (void)t;
    if (M) {
        M[0] = M[3] = 1;
        M[1] = M[2] = 0;
    }
    if (f) {
        f[0] = 0;
        f[1] = -peer_gravity;
    }
    if (g)
        g[0] = p[0] * p[0] + p[1] * p[1] - 1;
    if (G) {
        G[0] = 2 * p[0];
        G[1] = 2 * p[1];
    }
    if (gt)
        gt[0] = 0;
    if (gamma)
        gamma[0] = 2 * (v[0] * v[0] + v[1] * v[1]);
}

static double pendulum_energy(const double *p, const double *v)
{
    return 0.5 * (v[0] * v[0] + v[1] * v[1]) + peer_gravity * p[1];
}

static const double pendulum_mass[] = {1, 1};
static const double pendulum_p[] = {1, 0}, pendulum_v[] = {0, 0}, pendulum_lambda[] = {0};
const peer_problem peer_pendulum = {
    .name = "pendulum",
    .np = 2,
    .nl = 1,
    .t_end = 1000,
    .first_step = 1e-4,
    .mass = pendulum_mass,
    .init = pendulum_init,
    .eval = pendulum_eval,
    .energy = pendulum_energy,
    .p_end = pendulum_p,
    .v_end = pendulum_v,
    .lambda_end = pendulum_lambda,
};

/* ---- Andrews' squeezing mechanism, with the letters of the test set ---- */

enum { BE, TH, GA, PH, DE, OM, EP }; /* beta, Theta, gamma, Phi, delta, Omega, epsilon */
static const double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .07050, m6 = .00706,
                    m7 = .05498;
static const double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5,
                    I6 = 5.667e-7, I7 = 1.912e-5;
static const double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014, yc = .072;
static const double d = .028, da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092;
static const double ss = .035, sa = .01874, sb = .01043, sc = .018, sd = .02;
static const double ta = .02308, tb = .00916, u = .04, ua = .01228, ub = .00449;
static const double zf = .02, zt = .04, fa = .01421, c0 = 4530, l0 = .07785, torque = .033;

static void andrews_init(double *p, double *v)
{
    static const double p0[7] = {-0.0617138900142764496, 0,
                                 0.455279819163070380,   0.222668390165885885,
                                 0.487364979543842550,   -0.222668390165885885,
                                 1.23054744454982119};
    memcpy(p, p0, sizeof p0);
    memset(v, 0, sizeof p0);
}

static void andrews_mass(double *M, const double *p)
{
    const double ct = cos(p[TH]), sp = sin(p[PH]), so = sin(p[OM]);
    memset(M, 0, 49 * sizeof *M);
    M[0] = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * ct + da * da) + I1 + I2;
    M[1] = M[7] = m2 * (da * da - da * rr * ct) + I2;
    M[8] = m2 * da * da + I2;
    M[16] = m3 * (sa * sa + sb * sb) + I3;
    M[24] = m4 * (e - ea) * (e - ea) + I4;
    M[25] = M[31] = m4 * ((e - ea) * (e - ea) + zt * (e - ea) * sp) + I4;
    M[32] = m4 * (zt * zt + 2 * zt * (e - ea) * sp + (e - ea) * (e - ea)) +
            m5 * (ta * ta + tb * tb) + I4 + I5;
    M[40] = m6 * (zf - fa) * (zf - fa) + I6;
    M[41] = M[47] = m6 * ((zf - fa) * (zf - fa) - u * (zf - fa) * so) + I6;
    M[48] = m6 * ((zf - fa) * (zf - fa) - 2 * u * (zf - fa) * so + u * u) +
            m7 * (ua * ua + ub * ub) + I6 + I7;
}

static void andrews_force(double *f, const double *p, const double *v, double cg, double sg)
{
    const double X = sd * cg + sc * sg + xb - xc, Y = sd * sg - sc * cg + yb - yc;
    const double L = sqrt(X * X + Y * Y), F = -c0 * (L - l0) / L;
    const double st = sin(p[TH]), cp = cos(p[PH]), co = cos(p[OM]);
    f[0] = torque - m2 * da * rr * v[TH] * (v[TH] + 2 * v[BE]) * st;
    f[1] = m2 * da * rr * v[BE] * v[BE] * st;
    f[2] = F * X * (sc * cg - sd * sg) + F * Y * (sd * cg + sc * sg);
    f[3] = m4 * zt * (e - ea) * v[DE] * v[DE] * cp;
    f[4] = -m4 * zt * (e - ea) * v[PH] * (v[PH] + 2 * v[DE]) * cp;
    f[5] = -m6 * u * (zf - fa) * v[EP] * v[EP] * co;
    f[6] = m6 * u * (zf - fa) * v[OM] * (v[OM] + 2 * v[EP]) * co;
}

/* Long because the blocks share their sines and cosines. */
static void andrews_eval(double t, const double *p, const double *v, double *M, double *f,
                         double *g, double *G, double *gt, double *gamma)
{
    (void)t;
    const double cg = cos(p[GA]), sg = sin(p[GA]);
    if (M)
        andrews_mass(M, p);
    if (f)
        andrews_force(f, p, v, cg, sg);
    if (gt)
        memset(gt, 0, 6 * sizeof *gt);
    if (!g && !G && !gamma)
        return;
    const double cb = cos(p[BE]), sbe = sin(p[BE]);
    const double cbt = cos(p[BE] + p[TH]), sbt = sin(p[BE] + p[TH]);
    const double cd = cos(p[DE]), sde = sin(p[DE]);
    const double cpd = cos(p[PH] + p[DE]), spd = sin(p[PH] + p[DE]);
    const double ce = cos(p[EP]), se = sin(p[EP]);
    const double coe = cos(p[OM] + p[EP]), soe = sin(p[OM] + p[EP]);
    const double ax = rr * cb - d * cbt, ay = rr * sbe - d * sbt;
    if (g) {
        g[0] = ax - ss * sg - xb;
        g[1] = ay + ss * cg - yb;
        g[2] = ax - e * spd - zt * cd - xa;
        g[3] = ay + e * cpd - zt * sde - ya;
        g[4] = ax - zf * coe - u * se - xa;
        g[5] = ay - zf * soe + u * ce - ya;
    }
    if (G) {
        memset(G, 0, 42 * sizeof *G);
        for (int i = 0; i < 6; i += 2) {
            G[7 * i] = -ay;
            G[7 * i + 1] = d * sbt;
            G[7 * i + 7] = ax;
            G[7 * i + 8] = -d * cbt;
        }
        G[2] = -ss * cg;
        G[9] = -ss * sg;
        G[17] = -e * cpd;
        G[18] = -e * cpd + zt * sde;
        G[24] = -e * spd;
        G[25] = -e * spd - zt * cd;
        G[33] = zf * soe;
        G[34] = zf * soe - u * ce;
        G[40] = -zf * coe;
        G[41] = -zf * coe - u * se;
    }
    if (gamma) {
        const double b2 = v[BE] * v[BE], bt2 = (v[BE] + v[TH]) * (v[BE] + v[TH]);
        const double g2 = v[GA] * v[GA], d2 = v[DE] * v[DE], e2 = v[EP] * v[EP];
        const double pd2 = (v[PH] + v[DE]) * (v[PH] + v[DE]);
        const double oe2 = (v[OM] + v[EP]) * (v[OM] + v[EP]);
        const double A = -rr * cb * b2 + d * cbt * bt2, B = -rr * sbe * b2 + d * sbt * bt2;
        gamma[0] = A + ss * sg * g2;
        gamma[1] = B - ss * cg * g2;
        gamma[2] = A + e * spd * pd2 + zt * cd * d2;
        gamma[3] = B - e * cpd * pd2 + zt * sde * d2;
        gamma[4] = A + zf * coe * oe2 + u * se * e2;
        gamma[5] = B + zf * soe * oe2 - u * ce * e2;
    }
}

/* Kinetic energy plus spring energy minus the work of the torque. */
static double andrews_energy(const double *p, const double *v)
{
    double M[49], T = 0;
    andrews_mass(M, p);
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++)
            T += .5 * v[i] * M[7 * i + j] * v[j];
    const double X = sd * cos(p[GA]) + sc * sin(p[GA]) + xb - xc;
    const double Y = sd * sin(p[GA]) - sc * cos(p[GA]) + yb - yc;
    const double s = sqrt(X * X + Y * Y) - l0;
    return T + .5 * c0 * s * s - torque * p[BE];
}

/* Reference: extrapolated midpoint rule on the underlying ODE in long double; it agrees with the
   published one (PSIDE, tolerance 1e-14) to 7e-11 in p, 3e-8 in v, 1e-6 in lambda (relative). */
static const double andrews_p[] = {15.8107711951537077,  -15.7563710584118379, .0408222401196457123,
                                   -.534730116342079290, .524409965879953759,  .534730116342079972,
                                   1.04808074104193859};
static const double andrews_v[] = {1139.92030225910625, -1424.37929517753983, 11.0329119106182668,
                                   19.2933741050315025, .573569914829472455,  -19.2933741050314779,
                                   .323179149249140609};
static const double andrews_lambda[] = {199.175348104538543, -29.7553099749707094,
                                        23.0665436116221465, 31.4527252757710763,
                                        22.6424947863943675, 11.6173923526108184};
const peer_problem peer_andrews = {
    .name = "andrews",
    .np = 7,
    .nl = 6,
    .t_end = .03,
    .first_step = 1e-7,
    .init = andrews_init,
    .eval = andrews_eval,
    .energy = andrews_energy,
    .p_end = andrews_p,
    .v_end = andrews_v,
    .lambda_end = andrews_lambda,
};

/* ---- car axis ---- */

static const double car_k = 10 * .01 * .01 / 2, car_l0 = .5, car_r = .1, car_w = 10;

static void caraxis_init(double *p, double *v)
{
    static const double p0[4] = {0, .5, 1, .5}, v0[4] = {-.5, 0, -.5, 0};
    memcpy(p, p0, sizeof p0);
    memcpy(v, v0, sizeof v0);
}

static void caraxis_eval(double t, const double *p, const double *v, double *M, double *f,
                         double *g, double *G, double *gt, double *gamma)
{
    const double Y = car_r * sin(car_w * t), X = sqrt(1 - Y * Y);
    const double dx = p[0] - p[2], dy = p[1] - p[3];
    if (M) {
        memset(M, 0, 16 * sizeof *M);
        M[0] = M[5] = M[10] = M[15] = car_k;
    }
    if (f) {
        const double l = sqrt(p[0] * p[0] + p[1] * p[1]);
        const double x = p[2] - X, y = p[3] - Y, r = sqrt(x * x + y * y);
        f[0] = (car_l0 - l) * p[0] / l;
        f[1] = (car_l0 - l) * p[1] / l - car_k;
        f[2] = (car_l0 - r) * x / r;
        f[3] = (car_l0 - r) * y / r - car_k;
    }
    if (g) {
        g[0] = X * p[0] + Y * p[1];
        g[1] = dx * dx + dy * dy - 1;
    }
    if (G) {
        G[0] = X;
        G[1] = Y;
        G[2] = G[3] = 0;
        G[4] = 2 * dx;
        G[5] = 2 * dy;
        G[6] = -2 * dx;
        G[7] = -2 * dy;
    }
    if (!gt && !gamma)
        return;
    const double Yt = car_r * car_w * cos(car_w * t), Xt = -Y * Yt / X;
    if (gt) {
        gt[0] = Xt * p[0] + Yt * p[1];
        gt[1] = 0;
    }
    if (gamma) {
        const double Ytt = -car_w * car_w * Y, Xtt = -(Yt * Yt + Y * Ytt + Xt * Xt) / X;
        const double wx = v[0] - v[2], wy = v[1] - v[3];
        gamma[0] = 2 * (Xt * v[0] + Yt * v[1]) + Xtt * p[0] + Ytt * p[1];
        gamma[1] = 2 * (wx * wx + wy * wy);
    }
}

static const double caraxis_mass[] = {10 * .01 * .01 / 2, 10 * .01 * .01 / 2, 10 * .01 * .01 / 2,
                                      10 * .01 * .01 / 2};
static const double caraxis_p[] = {.0493455784275238091, .496989460230008115, 1.04174252488542627,
                                   .373911027265365917};
static const double caraxis_v[] = {-.0770583684035921868, .00744686659206934764,
                                   .0175568157535408049, .770341043779596059};
static const double caraxis_lambda[] = {.00473688659085333602, .00110468033125957026};
const peer_problem peer_caraxis = {
    .name = "caraxis",
    .np = 4,
    .nl = 2,
    .t_end = 3,
    .first_step = 1e-4,
    .mass = caraxis_mass,
    .init = caraxis_init,
    .eval = caraxis_eval,
    .p_end = caraxis_p,
    .v_end = caraxis_v,
    .lambda_end = caraxis_lambda,
};

/* ---- linear algebra ---- */

void peer_gauss(double *x, int n, double *A)
{
    for (int k = 0; k < n; k++) {
        int q = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[q * n + k]))
                q = i;
        if (q != k) {
            for (int j = k; j < n; j++) {
                const double s = A[k * n + j];
                A[k * n + j] = A[q * n + j];
                A[q * n + j] = s;
            }
            const double s = x[k];
            x[k] = x[q];
            x[q] = s;
        }
        for (int i = k + 1; i < n; i++) {
            const double s = A[i * n + k] / A[k * n + k];
            if (s != 0) {
                for (int j = k + 1; j < n; j++)
                    A[i * n + j] -= s * A[k * n + j];
                x[i] -= s * x[k];
            }
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            x[k] -= A[k * n + j] * x[j];
        x[k] /= A[k * n + k];
    }
}

void peer_accelerations(double *a, double *lambda, const peer_problem *problem, double t,
                        const double *p, const double *v)
{
    const int np = problem->np, nl = problem->nl, n = np + nl;
    double M[MAX_P * MAX_P], f[MAX_P], G[MAX_L * MAX_P], gamma[MAX_L];
    double A[(MAX_P + MAX_L) * (MAX_P + MAX_L)] = {0}, x[MAX_P + MAX_L];
    problem->eval(t, p, v, M, f, NULL, G, NULL, gamma);
    for (int i = 0; i < np; i++) {
        for (int j = 0; j < np; j++)
            A[i * n + j] = M[i * np + j];
        for (int j = 0; j < nl; j++)
            A[i * n + np + j] = A[(np + j) * n + i] = G[j * np + i];
        x[i] = f[i];
    }
    for (int j = 0; j < nl; j++)
        x[np + j] = -gamma[j];
    peer_gauss(x, n, A);
    memcpy(a, x, (size_t)np * sizeof *a);
    memcpy(lambda, x + np, (size_t)nl * sizeof *lambda);
}
