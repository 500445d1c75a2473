/* caraxis.c: the car axis problem, a planar axle whose right contact moves over a bumpy road.

   Source: IVP test set, problem "caraxis" (Schneider; Hairer, Lubich and Roche). Rheonomic.
   p = (xl, yl, xr, yr), the two ends of the axle; dimensionless; L = 1, L0 = 1/2, eps = 1e-2, M =
   10, r = 0.1, omega = 10, k = eps^2 M / 2:

       yb = r sin(omega t),  xb = sqrt(L^2 - yb^2),  M = k I
       f  = ((L0/Ll - 1) dl, (L0/Lr - 1) dr) - k (0, 1, 0, 1),   dl = (xl, yl), dr = (xr-xb, yr-yb)
       g1 = xb xl + yb yl,   g2 = (xl - xr)^2 + (yl - yr)^2 - L^2

   The test set writes f + G^T lambda; here as everywhere f - W^T lambda, so lambda has the other
   sign. References: own, computed with two independent integrators, agreeing to 2.8e-11 relative
   with a floor of 1e-3; the published values agree to 6.5e-10. */
#include "problems_internal.h"

#include <math.h>
#include <string.h>

enum { NL = 2, NV = 4, N = NL + 2 * NV };

static const double L = 1.0, L0 = 0.5, r = 0.1, omega = 10.0, k = 1e-4 * 10.0 / 2.0;

/* The contact point (xb, yb) and its first two derivatives. */
typedef struct contact {
    double b[2], b1[2], b2[2];
} contact;

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static contact eval_contact(double t);
static void eval_force(double *f, const contact *at, const double *p);
static void write_bar_row(double *A, int row, const double *y, double factor);
static int mass(double *M, double t, const double *x, void *user);
static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user);
static void differentiate_spring(double *dyn, const double *end, const double *from);

/* clang-format off */
/* lambda, v, p */
static const double start[N] = {0, 0, -0.5, 0, -0.5, 0, 0, 0.5, 1, 0.5};

static const problem_reference references[] = {
    {1.0, (const double[N]){
        3.837120982712089e-03, 1.228798461950543e-03,
        4.191644147547946e-01, -2.429004985721557e-02, 2.971726857631103e-01,
        -1.701958828308763e+00,
        2.718209544011346e-02, 4.989115526292650e-01, 1.024548795970379e+00,
        4.263880069811677e-01}, 1e-12},
    {2.0, (const double[N]){
        -4.968892596506637e-03, -1.317462154507985e-03,
        -2.032187584993748e-01, -2.557182444824559e-02, -2.259317161449868e-01,
        2.855140962465941e-01,
        -4.560448364285945e-02, 4.974453432189711e-01, 9.517407605927876e-01,
        5.702633615972378e-01}, 1e-12},
    {3.0, (const double[N]){
        4.7368865908533299e-03, 1.1046803312595699e-03,
        -7.7058368403592037e-02, 7.4468665920688027e-03, 1.7556815753542145e-02,
        7.7034104377960511e-01,
        4.9345578427524087e-02, 4.9698946023000806e-01, 1.0417425248854262e+00,
        3.7391102726536590e-01}, 1e-12},
};
/* clang-format on */

bool problem_caraxis(problem *out, int size)
{
    (void)size;
    *out = (problem){
        .name = "caraxis",
        .about = "car axis with a moving contact: rheonomic constraints",
        .eom = {.np = NV,
                .nv = NV,
                .nl = NL,
                .eval = eval,
                .trivial_kinematics = true,
                .mass = mass,
                .jacobian = jacobian,
                .mass_diagonal = true,
                .mass_constant = true,
                .forces_free_of_multipliers = true},
        .t_end = 3.0,
        .references = references,
        .nreferences = sizeof references / sizeof *references,
    };
    if (!problem_allocate(out, 1))
        return false;
    memcpy(out->x0, start, sizeof start);
    return true;
}

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double *v = x + NL, *p = v + NV;
    const double d[2] = {p[0] - p[2], p[1] - p[3]}, dv[2] = {v[0] - v[2], v[1] - v[3]};
    const contact at = eval_contact(t);
    (void)user;
    if (need & DFL_KINEMATICS)
        memcpy(out->kin, v, NV * sizeof *v);
    if (need & DFL_FORCE)
        eval_force(out->f, &at, p);
    if (need & DFL_POSITION) {
        out->g[0] = at.b[0] * p[0] + at.b[1] * p[1];
        out->g[1] = d[0] * d[0] + d[1] * d[1] - L * L;
    }
    if (need & DFL_VELOCITY) {
        out->gI[0] = at.b[0] * v[0] + at.b[1] * v[1] + at.b1[0] * p[0] + at.b1[1] * p[1];
        out->gI[1] = 2.0 * (d[0] * dv[0] + d[1] * dv[1]);
    }
    if (need & DFL_DIRECTIONS) {
        out->W[0 + NL * 0] = at.b[0];
        out->W[0 + NL * 1] = at.b[1];
        write_bar_row(out->W, 1, p, 2.0);
    }
    if (need & DFL_BIAS) {
        out->bias[0] =
            2.0 * (at.b1[0] * v[0] + at.b1[1] * v[1]) + at.b2[0] * p[0] + at.b2[1] * p[1];
        out->bias[1] = 2.0 * (dv[0] * dv[0] + dv[1] * dv[1]);
    }
    return 0;
}

static contact eval_contact(double t)
{
    const double y = r * sin(omega * t), y1 = r * omega * cos(omega * t), y2 = -omega * omega * y;
    const double x = sqrt(L * L - y * y), x1 = -y * y1 / x;
    const double x2 = -(y1 * y1 + y * y2 + x1 * x1) / x;
    return (contact){.b = {x, y}, .b1 = {x1, y1}, .b2 = {x2, y2}};
}

static void eval_force(double *f, const contact *at, const double *p)
{
    const double dx = p[2] - at->b[0], dy = p[3] - at->b[1];
    const double left = L0 / sqrt(p[0] * p[0] + p[1] * p[1]) - 1.0;
    const double right = L0 / sqrt(dx * dx + dy * dy) - 1.0;
    f[0] = left * p[0];
    f[1] = left * p[1] - k;
    f[2] = right * dx;
    f[3] = right * dy - k;
}

/* factor * (y_l - y_r, y_r - y_l) in row `row` of a matrix of two rows. */
static void write_bar_row(double *A, int row, const double *y, double factor)
{
    for (int i = 0; i < 2; i++) {
        const double entry = factor * (y[i] - y[2 + i]);
        A[row + NL * i] = entry;
        A[row + NL * (2 + i)] = -entry;
    }
}

static int mass(double *M, double t, const double *x, void *user)
{
    (void)t, (void)x, (void)user;
    for (int i = 0; i < NV; i++)
        M[i] = k;
    return 0;
}

static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    const double *v = x + NL, *p = v + NV;
    const contact at = eval_contact(t);
    double *acc_p = out->acc + NL * (NL + NV), *dyn_p = out->dyn + NV * (NL + NV);
    (void)user;
    for (int i = 0; i < 2; i++) {
        out->acc[0 + NL * (NL + i)] = 2.0 * at.b1[i];
        acc_p[0 + NL * i] = at.b2[i];
        out->vel[0 + NL * i] = at.b[i];
        out->vel[0 + NL * (NV + i)] = at.b1[i];
        out->pos[0 + NL * i] = at.b[i];
    }
    write_bar_row(out->acc + NL * NL, 1, v, 4.0);
    write_bar_row(acc_p, 1, a, 2.0);
    write_bar_row(out->vel, 1, p, 2.0);
    write_bar_row(out->vel + NL * NV, 1, v, 2.0);
    write_bar_row(out->pos, 1, p, 2.0);

    differentiate_spring(dyn_p, p, (const double[]){0.0, 0.0});
    differentiate_spring(dyn_p + 2 + NV * 2, p + 2, at.b);
    for (int i = 0; i < NV; i++) {
        out->dyn[i + NV * 0] = -out->pos[0 + NL * i];
        out->dyn[i + NV * 1] = -out->pos[1 + NL * i];
        dyn_p[i + NV * i] -= 2.0 * x[1];
        dyn_p[i + NV * ((i + 2) % NV)] += 2.0 * x[1];
        out->kin[i + NV * i] = 1.0;
    }
    return 0;
}

/* Of (L0/|d| - 1) d with d = end - from, with respect to the end. */
static void differentiate_spring(double *dyn, const double *end, const double *from)
{
    const double d[2] = {end[0] - from[0], end[1] - from[1]};
    const double length = sqrt(d[0] * d[0] + d[1] * d[1]);
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++)
            dyn[i + NV * j] = -L0 * d[i] * d[j] / (length * length * length);
        dyn[i + NV * i] += L0 / length - 1.0;
    }
}
