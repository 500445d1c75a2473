/* slidercrank.c: a rigid planar slider crank, counted from the slider.

   Source: own data; the chain slider - rod - crank with the loop closed at the crank bearing
   follows Kurz, Burkhardt and Eberhard (2011). p = (x, alpha, beta): slider on the x axis, absolute
   angle of the rod, angle of the crank relative to the rod. Uniform bars, m1 = 0.36 kg, l1 = 0.15 m
   (crank), m2 = 0.151104 kg, l2 = 0.3 m (rod), m3 = 0.075552 kg (slider), gravity 9.81 in -y; or
   those of the comparison of loop closures: 0.6 kg, 0.5 m; 0.8 kg, 1 m; 1 kg; level.

   With the rod U = l2 (cos alpha, sin alpha), the crank V = l1 (cos psi, sin psi), psi = alpha +
   beta, mu = m1 + m2/2, k = m1 l1 l2 / 2:

       M11 = m1 + m2 + m3,  M12 = -mu Uy - m1/2 Vy,  M13 = -m1/2 Vy
       M22 = m2 l2^2/3 + m1 (l2^2 + l1^2/3) + 2 k cos beta,  M23 = m1 l1^2/3 + k cos beta,
       M33 = m1 l1^2/3
       f1 = mu Ux alpha'^2 + m1/2 Vx psi'^2
       f2 = k sin beta (2 alpha' beta' + beta'^2) - gravity (mu Ux + m1/2 Vx)
       f3 = -k sin beta alpha'^2 - gravity m1/2 Vx
       g  = (x, 0) + U + V

   Start: crank pin straight up, crank turning at 10 rad/s. References: own, computed with two
   independent integrators, good to about 1e-13, and checked with the equation of the crank
   angle. */
#include "problems_internal.h"

#include <math.h>
#include <string.h>

enum { X, ALPHA, BETA, NV };
enum { NL = 2, N = NL + 2 * NV };

/* Crank 1, rod 2, slider 3. */
typedef struct bars {
    double m1, m2, m3, l1, l2, gravity, mu, k;
} bars;

/* The bars and the relative angle. */
typedef struct pose {
    double U[2], V[2], s, c; /* s, c: of beta */
} pose;

static bool make(problem *out, double m1, double m2, double m3, double l1, double l2,
                 double gravity);

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static pose eval_pose(const bars *is, const double *p);
static void eval_force(double *f, const bars *is, const pose *at, const double *v);
static void write_columns(double *A, double u, double w, const double *U, const double *V);
static int mass(double *M, double t, const double *x, void *user);
static void eval_mass(double *M, const bars *is, const double *x);
static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user);
static void differentiate_constraints(dfl_jacobian *out, const pose *at, const double *v,
                                      const double *a);
static void differentiate_by_velocity(double *dyn, const bars *is, const pose *at, const double *v);
static void differentiate_by_angles(double *by_alpha, double *by_beta, const bars *is,
                                    const pose *at, const double *x, const double *a);
static double energy(const double *x, const void *parameters);

/* clang-format off */
static const double pi = 3.14159265358979323846;

/* lambda, v, p */
static const problem_reference references[] = {
    {0.5, (const double[N]){
        -12.337019671521171, 4.5477026655521735,
        -0.53057289924178697, 8.2763092621001508, 9.2958049797983122,
        0.15580391204303187, 2.9501704455559401, 9.2258517630968981}, 1e-12},
    {1.0, (const double[N]){
        -1.3221501895851331, -16.890872416102667,
        2.4270757342511118, 1.4391467653734014, 16.342941462566092,
        0.23956664719404239, 3.6594624443167221, 16.619781634586360}, 1e-12},
    {2.0, (const double[N]){
        0.26172435901710839, -0.66446872029080295,
        -1.6729984207864752, -2.2829131788397197, 12.221162905990990,
        0.32826607991953655, 2.6677467135477277, 33.039429270669764}, 1e-12},
};
/* clang-format on */

bool problem_slidercrank(problem *out, int size)
{
    const double start[N] = {0.22649526206979337, -0.51696898596510665, -1.5,          0.0, 10.0,
                             0.15 * sqrt(3.0),    5.0 * pi / 6.0,       2.0 * pi / 3.0};
    (void)size;
    if (!make(out, 0.36, 0.151104, 0.075552, 0.15, 0.3, 9.81))
        return false;
    out->references = references;
    out->nreferences = sizeof references / sizeof *references;
    memcpy(out->x0, start, sizeof start);
    return true;
}

/* Crank at 60 degrees, turning at 3 rad/s. */
bool problem_slidercrank_level(problem *out)
{
    const double turn = -3.0 * 0.25 / sqrt(13.0 / 16.0); /* of the rod */
    if (!make(out, 0.6, 0.8, 1.0, 0.5, 1.0, 0.0))
        return false;
    const double alpha = pi - asin(sqrt(3.0) / 4.0);
    const double start[N] = {[NL] = -1.5 * sqrt(3.0) / 2.0 + sqrt(3.0) / 4.0 * turn,
                             turn,
                             3.0 - turn,
                             0.25 + sqrt(13.0) / 4.0,
                             alpha,
                             4.0 * pi / 3.0 - alpha};
    memcpy(out->x0, start, sizeof start);
    if (problem_solve_multipliers(out))
        return true;
    problem_free(out);
    return false;
}

static bool make(problem *out, double m1, double m2, double m3, double l1, double l2,
                 double gravity)
{
    *out = (problem){
        .name = "slidercrank",
        .about = "rigid slider crank counted from the slider",
        .eom = {.np = NV,
                .nv = NV,
                .nl = NL,
                .eval = eval,
                .trivial_kinematics = true,
                .mass = mass,
                .jacobian = jacobian,
                .autonomous = true,
                .forces_free_of_multipliers = true},
        .t_end = 2.0,
        .energy = energy,
    };
    if (!problem_allocate(out, sizeof(bars)))
        return false;
    *(bars *)out->parameters = (bars){.m1 = m1,
                                      .m2 = m2,
                                      .m3 = m3,
                                      .l1 = l1,
                                      .l2 = l2,
                                      .gravity = gravity,
                                      .mu = m1 + m2 / 2.0,
                                      .k = m1 * l1 * l2 / 2.0};
    return true;
}

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double *v = x + NL, *p = v + NV;
    const double turn = v[ALPHA], spin = v[ALPHA] + v[BETA]; /* of rod and crank */
    const pose at = eval_pose(user, p);
    const double *U = at.U, *V = at.V;
    (void)t;
    if (need & DFL_KINEMATICS)
        memcpy(out->kin, v, NV * sizeof *v);
    if (need & DFL_FORCE)
        eval_force(out->f, user, &at, v);
    if (need & DFL_POSITION) {
        out->g[0] = p[X] + U[0] + V[0];
        out->g[1] = U[1] + V[1];
    }
    if (need & DFL_VELOCITY) {
        out->gI[0] = v[X] - turn * U[1] - spin * V[1];
        out->gI[1] = turn * U[0] + spin * V[0];
    }
    if (need & DFL_DIRECTIONS) {
        out->W[0] = 1.0;
        write_columns(out->W, 1.0, 1.0, (const double[]){-U[1], U[0]},
                      (const double[]){-V[1], V[0]});
    }
    if (need & DFL_BIAS)
        for (int i = 0; i < 2; i++)
            out->bias[i] = -turn * turn * U[i] - spin * spin * V[i];
    return 0;
}

static pose eval_pose(const bars *is, const double *p)
{
    const double sa = sin(p[ALPHA]), ca = cos(p[ALPHA]), s = sin(p[BETA]), c = cos(p[BETA]);
    return (pose){.U = {is->l2 * ca, is->l2 * sa},
                  .V = {is->l1 * (ca * c - sa * s), is->l1 * (sa * c + ca * s)},
                  .s = s,
                  .c = c};
}

static void eval_force(double *f, const bars *is, const pose *at, const double *v)
{
    const double turn = v[ALPHA], spin = v[ALPHA] + v[BETA];
    f[0] = is->mu * at->U[0] * turn * turn + 0.5 * is->m1 * at->V[0] * spin * spin;
    f[1] = is->k * at->s * (spin * spin - turn * turn) -
           is->gravity * (is->mu * at->U[0] + 0.5 * is->m1 * at->V[0]);
    f[2] = -is->k * at->s * turn * turn - is->gravity * 0.5 * is->m1 * at->V[0];
}

/* The columns alpha, beta of a 2 x 3 matrix, from u U per rod angle and w V per crank angle. */
static void write_columns(double *A, double u, double w, const double *U, const double *V)
{
    for (int i = 0; i < 2; i++) {
        A[i + NL * ALPHA] = u * U[i] + w * V[i];
        A[i + NL * BETA] = w * V[i];
    }
}

static int mass(double *M, double t, const double *x, void *user)
{
    (void)t;
    eval_mass(M, user, x);
    return 0;
}

static void eval_mass(double *M, const bars *is, const double *x)
{
    const pose at = eval_pose(is, x + NL + NV);
    M[X + NV * X] = is->m1 + is->m2 + is->m3;
    M[X + NV * ALPHA] = M[ALPHA + NV * X] = -is->mu * at.U[1] - 0.5 * is->m1 * at.V[1];
    M[X + NV * BETA] = M[BETA + NV * X] = -0.5 * is->m1 * at.V[1];
    M[ALPHA + NV * ALPHA] = is->m2 * is->l2 * is->l2 / 3.0 +
                            is->m1 * (is->l2 * is->l2 + is->l1 * is->l1 / 3.0) + 2.0 * is->k * at.c;
    M[ALPHA + NV * BETA] = M[BETA + NV * ALPHA] = is->m1 * is->l1 * is->l1 / 3.0 + is->k * at.c;
    M[BETA + NV * BETA] = is->m1 * is->l1 * is->l1 / 3.0;
}

static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    const double *v = x + NL, *p = v + NV;
    const pose at = eval_pose(user, p);
    double *by_p = out->dyn + NV * (NL + NV);
    (void)t;
    differentiate_constraints(out, &at, v, a);
    for (int i = 0; i < NL; i++) /* -W^T, and W = dg/dp */
        for (int j = 0; j < NV; j++)
            out->dyn[j + NV * i] = -out->pos[i + NL * j];
    differentiate_by_velocity(out->dyn + NV * NL, user, &at, v);
    differentiate_by_angles(by_p + NV * ALPHA, by_p + NV * BETA, user, &at, x, a);
    for (int i = 0; i < NV; i++)
        out->kin[i + NV * i] = 1.0;
    return 0;
}

static void differentiate_constraints(dfl_jacobian *out, const pose *at, const double *v,
                                      const double *a)
{
    const double turn = v[ALPHA], spin = v[ALPHA] + v[BETA];
    const double *U = at->U, *V = at->V;
    const double U1[2] = {-U[1], U[0]}, V1[2] = {-V[1], V[0]};
    double *acc = out->acc + NL * (NL + NV);
    out->pos[0] = out->vel[0] = 1.0;
    write_columns(out->pos, 1.0, 1.0, U1, V1);
    write_columns(out->vel, 1.0, 1.0, U1, V1);
    write_columns(out->vel + NL * NV, -turn, -spin, U, V);
    write_columns(out->acc + NL * NL, -2.0 * turn, -2.0 * spin, U, V);
    /* U1 alpha'' - U alpha'^2 and the same for the crank */
    write_columns(acc, -1.0, -1.0,
                  (const double[]){a[ALPHA] * U[0] + turn * turn * U1[0],
                                   a[ALPHA] * U[1] + turn * turn * U1[1]},
                  (const double[]){(a[ALPHA] + a[BETA]) * V[0] + spin * spin * V1[0],
                                   (a[ALPHA] + a[BETA]) * V[1] + spin * spin * V1[1]});
}

static void differentiate_by_velocity(double *dyn, const bars *is, const pose *at, const double *v)
{
    const double turn = v[ALPHA], spin = v[ALPHA] + v[BETA];
    dyn[0 + NV * ALPHA] = 2.0 * is->mu * at->U[0] * turn + is->m1 * at->V[0] * spin;
    dyn[0 + NV * BETA] = is->m1 * at->V[0] * spin;
    dyn[1 + NV * ALPHA] = 2.0 * is->k * at->s * v[BETA];
    dyn[1 + NV * BETA] = 2.0 * is->k * at->s * spin;
    dyn[2 + NV * ALPHA] = -2.0 * is->k * at->s * turn;
}

/* Of f - W^T lambda - M a. `rod` and `crank` collect the derivatives with respect to the angles of
   U and V; alpha turns both, beta the crank, and cos beta, sin beta depend on beta alone. */
static void differentiate_by_angles(double *by_alpha, double *by_beta, const bars *is,
                                    const pose *at, const double *x, const double *a)
{
    const double *v = x + NL, *U = at->U, *V = at->V;
    const double turn = v[ALPHA], spin = v[ALPHA] + v[BETA];
    const double aa = a[ALPHA], ab = a[ALPHA] + a[BETA];
    const double hU = x[0] * U[0] + x[1] * U[1], hV = x[0] * V[0] + x[1] * V[1];
    const double rod[NV] = {-is->mu * U[1] * turn * turn + is->mu * U[0] * aa,
                            is->gravity * is->mu * U[1] + is->mu * U[0] * a[X] + hU, 0.0};
    const double torque = 0.5 * is->m1 * (is->gravity * V[1] + V[0] * a[X]) + hV;
    const double crank[NV] = {0.5 * is->m1 * (V[0] * ab - V[1] * spin * spin), torque, torque};
    const double relative[NV] = {
        0.0, is->k * at->c * (spin * spin - turn * turn) + is->k * at->s * (aa + ab),
        -is->k * at->c * turn * turn + is->k * at->s * aa};
    for (int i = 0; i < NV; i++) {
        by_alpha[i] = rod[i] + crank[i];
        by_beta[i] = crank[i] + relative[i];
    }
}

static double energy(const double *x, const void *parameters)
{
    const double *v = x + NL;
    const bars *is = parameters;
    const pose at = eval_pose(is, v + NV);
    double M[NV * NV] = {0};
    eval_mass(M, is, x);
    double sum = is->gravity * (is->mu * at.U[1] + 0.5 * is->m1 * at.V[1]);
    for (int i = 0; i < NV; i++)
        for (int j = 0; j < NV; j++)
            sum += 0.5 * v[i] * M[i + NV * j] * v[j];
    return sum;
}
