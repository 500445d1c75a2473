/* flyball.c: stiff flyball governor in three minimal coordinates, without constraints.

   A shaft turns freely about the vertical z axis. Two rods of length 1 m with 5 kg at their ends
   are hinged at (+-e, 0, 1) on it; a slider at height s follows them through two stiff
   spring-dampers between (+-e, 0, s) and the rod midpoints. p = (psi, s, b): shaft angle, slider
   height, angle of the rods below the horizontal. With
       J(b) = Js + 2 (mr (e + cos b/2)^2 + Mp (e + cos b)^2 + Ja sin^2 b + Jt cos^2 b)
       B    = 2 (mr/4 + Jt + Mp)
       l    = |(cos b/2, 1 - sin b/2 - s)|,   F = K (l - 1/2) + C l'
   Lagrange's equations are
       J psi'' = -J_b b' psi'
       ms s''  = -ms g - 2 F l_s
       B b''   = J_b psi'^2/2 + 2 g (mr/2 + Mp) cos b - 2 F l_b
   Start: s = 1/2, b = 30 degrees (springs unstretched), psi' = 2 pi. Eigenvalues at the start:
   -8.1e3, -20 and -8.7e-5 +- 7.35i 1/s.

   Source: multibody benchmark library, problem A05. References: own, extrapolation in 80-bit
   arithmetic at two tolerances (2e-14), confirmed by an implicit method at t = 1 (1e-12).
   The angular momentum J psi' = 53.86899865841843 is constant. */
#include "problems_internal.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define ROD 0.3 /* mr */

enum { NV = 3, V = 0, P = 3, N = 6 };

static const double gravity = 9.81;
static const double offset = 0.05; /* e */
static const double ball = 5.0;    /* Mp */
static const double slider = 3.0;  /* ms */
static const double stiffness = 8e5, damping = 4e4, rest_length = 0.5;
static const double Jt = ROD * (1 + 1e-4) / 12, Ja = ROD * 2e-4 / 12;
static const double Js = 0.3 * 2e-4 / 12 + 3 * 0.02 / 12;
static const double B = 2 * (ROD / 4 + ROD * (1 + 1e-4) / 12 + 5.0);

/* v = (psi', s', b'), p = (psi, s, b) */
static const double start[N] = {2 * PI, 0, 0, 0, 0.5, PI / 6};
static const double known[][N] = {
    {6.103717808830863, 0.4592718104361339, -0.5226739297539803, 0.6221066814026875,
     0.5238364755695757, 0.4961738690759003},
    {5.103415421971535, 0.05211978015837318, -0.05390521849874233, 2.807679488367901,
     0.7432494247863258, 0.2594913815434131},
    {6.271125741876555, -0.1221514928977293, 0.1408855794795268, 5.586346965869005,
     0.5014209223795676, 0.5218333016255463},
    {6.236223614435972, -0.2407831469836449, 0.2769261885721884, 11.17326707566125,
     0.5059092942967035, 0.5166637973645990},
    {6.022496499758459, -0.5436826902778747, 0.6139170473888914, 27.94253199104296,
     0.5355631037216434, 0.4828745765869399},
    {5.548203622654924, -0.7476033541643351, 0.8084670513455799, 55.93540990910237,
     0.6196229170613661, 0.3900737018446446},
};
static const problem_reference references[] = {
    {0.1, known[0], 1e-13}, {0.5, known[1], 1e-13}, {1, known[2], 1e-13},
    {2, known[3], 1e-13},   {5, known[4], 1e-13},   {10, known[5], 1e-13},
};

/* Length of the spring-damper, its derivatives by s and b, and its force. */
typedef struct spring {
    double l, ls, lb, lss, lsb, lbb, rate, force;
} spring;

/* J(b) and its derivatives. */
typedef struct inertia {
    double J, Jb, Jbb;
} inertia;

static int mass(double *M, double t, const double *x, void *user);
static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user);
static void jacobian_of_springs(double *dyn, const double *v, const spring *k);
static inertia eval_inertia(double b);
static spring eval_spring(const double *v, const double *p);

bool problem_flyball(problem *out, int size)
{
    (void)size;
    *out = (problem){
        .name = "flyball",
        .about = "flyball governor in minimal coordinates: stiff, no constraints",
        .eom = {.np = NV,
                .nv = NV,
                .eval = eval,
                .trivial_kinematics = true,
                .mass = mass,
                .jacobian = jacobian,
                .mass_diagonal = true,
                .autonomous = true,
                .forces_free_of_multipliers = true},
        .t_end = 10,
        .references = references,
        .nreferences = sizeof references / sizeof *references,
    };
    if (!problem_allocate(out, 1))
        return false;
    memcpy(out->x0, start, sizeof start);
    return true;
}

static int mass(double *M, double t, const double *x, void *user)
{
    (void)t, (void)user;
    M[0] = eval_inertia(x[P + 2]).J;
    M[1] = slider;
    M[2] = B;
    return 0;
}

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t, (void)user;
    const double *v = x + V, *p = x + P;
    if (need & DFL_KINEMATICS)
        memcpy(out->kin, v, NV * sizeof *v);
    if (need & DFL_FORCE) {
        const inertia I = eval_inertia(p[2]);
        const spring k = eval_spring(v, p);
        out->f[0] = -I.Jb * v[2] * v[0];
        out->f[1] = -slider * gravity - 2 * k.force * k.ls;
        out->f[2] = I.Jb * v[0] * v[0] / 2 + 2 * gravity * (ROD / 2 + ball) * cos(p[2]) -
                    2 * k.force * k.lb;
    }
    return 0;
}

static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    (void)t, (void)user;
    const double *v = x + V, *p = x + P;
    const inertia I = eval_inertia(p[2]);
    const spring k = eval_spring(v, p);
    double *dyn = out->dyn;

    for (int i = 0; i < NV; i++)
        out->kin[i + NV * i] = 1;
    dyn[0 + NV * 0] = -I.Jb * v[2];
    dyn[0 + NV * 2] = -I.Jb * v[0];
    dyn[0 + NV * 5] = -I.Jbb * v[2] * v[0] - I.Jb * a[0];
    dyn[2 + NV * 0] = I.Jb * v[0];
    dyn[2 + NV * 5] = I.Jbb * v[0] * v[0] / 2 - 2 * gravity * (ROD / 2 + ball) * sin(p[2]);
    jacobian_of_springs(dyn, v, &k);
    return 0;
}

/* Adds the derivatives of -2 F (l_s, l_b) by s', b' and s, b. */
static void jacobian_of_springs(double *dyn, const double *v, const spring *k)
{
    const double first[2] = {k->ls, k->lb};
    const double second[2][2] = {{k->lss, k->lsb}, {k->lsb, k->lbb}};
    /* l' = l_s s' + l_b b' by s and b */
    const double rate[2] = {k->lss * v[1] + k->lsb * v[2], k->lsb * v[1] + k->lbb * v[2]};
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            const double dF = stiffness * first[j] + damping * rate[j];
            dyn[1 + i + NV * (V + 1 + j)] -= 2 * damping * first[i] * first[j];
            dyn[1 + i + NV * (P + 1 + j)] -= 2 * (dF * first[i] + k->force * second[i][j]);
        }
    }
}

static inertia eval_inertia(double b)
{
    const double c = cos(b), s = sin(b);
    const double h = offset + c / 2, r = offset + c;
    return (inertia){
        .J = Js + 2 * (ROD * h * h + ball * r * r + Ja * s * s + Jt * c * c),
        .Jb = 2 * s * (-ROD * h - 2 * ball * r + 2 * (Ja - Jt) * c),
        .Jbb = 2 * (c * (-ROD * h - 2 * ball * r + 2 * (Ja - Jt) * c) +
                    s * s * (ROD / 2 + 2 * ball - 2 * (Ja - Jt))),
    };
}

static spring eval_spring(const double *v, const double *p)
{
    const double c = cos(p[2]) / 2, s = sin(p[2]) / 2, dz = 1 - s - p[1];
    spring k;
    k.l = sqrt(c * c + dz * dz);
    /* l^2 = c^2 + dz^2, so l l_b = -c (s + dz) and l l_s = -dz; once more for the second ones. */
    k.ls = -dz / k.l;
    k.lb = -c * (s + dz) / k.l;
    k.lss = (1 - k.ls * k.ls) / k.l;
    k.lsb = (c - k.ls * k.lb) / k.l;
    k.lbb = (s * (s + dz) - k.lb * k.lb) / k.l;
    k.rate = k.ls * v[1] + k.lb * v[2];
    k.force = stiffness * (k.l - rest_length) + damping * k.rate;
    return k;
}
