/* mixed.h: a model with all blocks of the equations of motion, and the same motion in minimal
   coordinates. */
#ifndef DFL_TESTS_MIXED_H
#define DFL_TESTS_MIXED_H

#include "support.h"
#include "reference.h"

/* Every block of the equations and a mass matrix that depends on p and t. A
   crank (angle theta as c = cos, s = sin: np > nv) drives x through the contact
   variable and the constraint sc = sin t + x c,   x + 0.3 sc = 1/2,   so   x =
   (1/2 - 0.3 sin t)/(1 + 0.3 c); q'' = -q is free, u is massless. x = [w | l..
   | r | x' theta' q' (u') | sc | x c s q (u)]. Forces, r and w depend on the
   constraint force W1 L. */
typedef struct mixed {
    int rows;     /* of the constraint: 1, or 3 that depend on each other, one
                   nonholonomic */
    int massless; /* 1: with u */
    bool invariants;
} mixed;

static const double mixed_scale[3] = {1, 2, -1.5};

static void mixed_mass(double M[3], double t, double x, double c)
{
    M[0] = 2 + sin(t); /* M = [M0 M1; M1 M2] for x and theta, 1 for q */
    M[1] = 0.5 * c;
    M[2] = 1 + x * x;
}

static void mixed_force(double f[4], double t, const double *v, const double *p, double r, double w,
                        double load)
{
    f[0] = -p[0] + w + 0.1 * sin(load) + 0.2 * cos(t);
    f[1] = -p[2] + 0.3 * r - 0.1 * v[1];
    f[2] = -p[3];
}

/* 0.7 u' = 2 (q - u) + 0.1 r, the massless row */
static double mixed_slip(double q, double u, double r)
{
    return 2 * (q - u) + 0.1 * r;
}

static double mixed_auxiliary(double w, double rate, double load)
{
    return w + w * w * w / 3 - 0.2 * rate - 0.1 * load;
}

static int mixed_eval(dfl_blocks *out, double t, const double *X, unsigned need, void *user)
{
    const mixed *m = user;
    const int nc = m->rows, nv = 3 + m->massless, nl = nc > 1 ? nc - 1 : nc;
    const double w = X[0], r = X[1 + nc], *v = X + 2 + nc, sc = v[nv], *p = v + nv + 1;
    const double W1 = 1 + 0.3 * p[1], W2 = -0.3 * p[0] * p[2];
    const double gI = W1 * v[0] + W2 * v[1] + 0.3 * cos(t);
    const double bias = -0.6 * p[2] * v[0] * v[1] - 0.3 * p[0] * p[1] * v[1] * v[1] - 0.3 * sin(t);
    const double kin[4] = {v[0], -p[2] * v[1], p[1] * v[1], v[2]};
    double load = 0, f[4] = {0};
    for (int i = 0; i < nc; i++)
        load += W1 * mixed_scale[i] * X[1 + i];
    mixed_force(f, t, v, p, r, w, load);
    if (m->massless)
        f[3] = mixed_slip(p[3], p[4], r) - 0.7 * v[3];
    if (need & DFL_KINEMATICS) {
        memcpy(out->kin, kin, sizeof kin);
        if (m->massless)
            out->kin[4] = v[3];
    }
    if (need & DFL_FORCE)
        memcpy(out->f, f, (size_t)nv * sizeof *f);
    if (need & DFL_DYNAMIC)
        out->b[0] = -r + v[1] + 0.2 * sin(load);
    if (need & DFL_AUXILIARY)
        out->d[0] = mixed_auxiliary(w, v[1], load);
    if (need & DFL_POSITION) {
        out->c[0] = sc - sin(t) - p[0] * p[1];
        if (m->invariants)
            out->ep[0] = p[1] * p[1] + p[2] * p[2] - 1;
    }
    if (need & DFL_VELOCITY) {
        if (m->invariants)
            out->e[0] = (v[2] * v[2] + p[3] * p[3] - 1) / 2;
        if (m->massless)
            out->gam[0] = f[3];
    }
    if ((need & DFL_DIRECTIONS) && m->massless)
        out->K0[3] = 1;
    for (int i = 0; i < nc; i++) {
        const double scale = mixed_scale[i];
        if ((need & DFL_POSITION) && i < nl)
            out->g[i] = scale * (p[0] + 0.3 * sc - 0.5);
        if (need & DFL_VELOCITY)
            *(i < nl ? out->gI + i : out->hv + i - nl) = scale * gI;
        if (need & DFL_DIRECTIONS) {
            out->W[i] = scale * W1;
            out->W[nc + i] = scale * W2;
        }
        if (need & DFL_BIAS)
            out->bias[i] = scale * bias;
    }
    return 0;
}

static int mixed_mass_matrix(double *M, double t, const double *X, void *user)
{
    const mixed *m = user;
    const int nv = 3 + m->massless;
    const double *p = X + 3 + m->rows + nv;
    double block[3];
    mixed_mass(block, t, p[0], p[1]);
    M[0] = block[0];
    M[1] = M[nv] = block[1];
    M[nv + 1] = block[2];
    M[2 * nv + 2] = 1;
    return 0;
}

/* x(theta, t) and what its time derivatives are made of: x' = d1 theta' + d2,
   x'' = d1 theta'' + d3. */
static void mixed_crank(double d[4], double theta, double rate, double t)
{
    const double a = 0.5 - 0.3 * sin(t), at = -0.3 * cos(t);
    const double b = 1 + 0.3 * cos(theta), b1 = -0.3 * sin(theta), b2 = 1 - b;
    d[0] = a / b;
    d[1] = -a * b1 / (b * b);
    d[2] = at / b;
    d[3] = a * (2 * b1 * b1 / b - b2) / (b * b) * rate * rate - 2 * at * b1 / (b * b) * rate +
           0.3 * sin(t) / b;
}

/* y = (theta, theta', r, q, q', u). The load follows from x'' = d1 theta'' + d3
   by the secant method; w(load) by Newton's. */
static double mixed_defect(double *accel, double load, double t, const double *y, const double *d)
{
    const double p[4] = {d[0], cos(y[0]), sin(y[0]), y[3]}, v[3] = {0, y[1], y[4]};
    const double ratio = -0.3 * p[0] * p[2] / (1 + 0.3 * p[1]); /* W2/W1 */
    double f[4], M[3], w = 0;
    for (int k = 0; k < 8; k++)
        w -= mixed_auxiliary(w, y[1], load) / (1 + w * w);
    mixed_force(f, t, v, p, y[2], w, load);
    mixed_mass(M, t, p[0], p[1]);
    const double F0 = f[0] - load, F1 = f[1] - ratio * load, det = M[0] * M[2] - M[1] * M[1];
    *accel = (M[0] * F1 - M[1] * F0) / det;
    return (M[2] * F0 - M[1] * F1) / det - d[1] * *accel - d[3];
}

static void mixed_rate(double *rate, double t, const double *y, const void *user)
{
    double d[4], accel, last = 0, load = 0.1;
    (void)user;
    mixed_crank(d, y[0], y[1], t);
    double before = mixed_defect(&accel, last, t, y, d);
    for (int k = 0; k < 20 && fabs(load - last) > 1e-14; k++) {
        const double now = mixed_defect(&accel, load, t, y, d);
        const double next = now == before ? load : load - now * (load - last) / (now - before);
        last = load;
        before = now;
        load = next;
    }
    mixed_defect(&accel, load, t, y, d);
    rate[0] = y[1];
    rate[1] = accel;
    rate[2] = -y[2] + y[1] + 0.2 * sin(load);
    rate[3] = y[4];
    rate[4] = -y[3];
    rate[5] = mixed_slip(y[3], y[5], y[2]) / 0.7;
}

/* The equations and a start at t = 0.3 from y = (theta, theta', r, q, q', u). */
static dfl_eom mixed_eom(mixed *m)
{
    const int nc = m->rows;
    return (dfl_eom){.np = 4 + m->massless,
                     .nv = 3 + m->massless,
                     .nr = 1,
                     .nw = 1,
                     .ns = 1,
                     .nl = nc > 1 ? nc - 1 : nc,
                     .nm = nc > 1,
                     .ne = m->invariants,
                     .nep = m->invariants,
                     .n0 = m->massless,
                     .eval = mixed_eval,
                     .mass = mixed_mass_matrix,
                     .user = m};
}

static const double mixed_t0 = 0.3;

static void mixed_start(double *X, const mixed *m, const double *y)
{
    const int nc = m->rows, nv = 3 + m->massless;
    double d[4], *v = X + 2 + nc;
    mixed_crank(d, y[0], y[1], mixed_t0);
    const double v0[4] = {d[1] * y[1] + d[2], y[1], y[4], mixed_slip(y[3], y[5], y[2]) / 0.7};
    const double p0[5] = {d[0], cos(y[0]), sin(y[0]), y[3], y[5]};
    X[1 + nc] = y[2];
    memcpy(v, v0, (size_t)nv * sizeof *v);
    v[nv] = sin(mixed_t0) + p0[0] * p0[1];
    memcpy(v + nv + 1, p0, (size_t)(4 + m->massless) * sizeof *v);
}

#endif
