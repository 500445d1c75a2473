/* friction.c: a rod guided in a horizontal and a vertical slot (elliptic trammel) with friction.

   p = (x, y, th): centre and angle of a rod of mass m and half-length l. Its upper end
   A = (x + l sin th, y + l cos th) slides in the horizontal slot, its lower end in the other:
       g1 = y + l cos th,   g2 = x - l sin th
   The slot presses on A with the force lambda1 and, across the plane, with the preload P. The
   slider's lever adds kappa times the friction force w itself to the load, so that w is given
   implicitly, with the sliding speed vA = x' + l cos th th' of A:
       0 = d = w - mu (sqrt(lambda1^2 + P^2) + kappa w tau) tau,   tau = tanh(vA/vs)
       M = diag(m, m, J),   J = m l^2/3,   f = (-w, -m g, -w l cos th)
   Friction accelerates the rod along the constraint forces as well, so w and lambda1 depend on
   each other and follow from one coupled system. Start: th = 1 at rest.

   An own example. References: the equations of the angle,
       (m l^2 + J) th'' = -m g l sin th - 2 l cos th w
       lambda1 = -m (g + l sin th th'' + l cos th th'^2)
   with w from Newton's method, integrated by extrapolation of order 16 in 80-bit arithmetic at two
   step sizes. */
#include "problems_internal.h"

#include <math.h>
#include <string.h>

/* The layout of x. */
enum { FRICTION, LAMBDA1, LAMBDA2, VX, VY, OMEGA, X, Y, THETA, N };
enum { NL = 2, NV = 3 };

static const double m = 2.0, l = 0.5, gravity = 9.81;
static const double J = 2.0 * 0.5 * 0.5 / 3.0;
static const double mu = 0.04, preload = 5.0, kappa = 0.5, vs = 0.05;

static const problem_reference references[] = {
    {1.0,
     (const double[N]){0.6585570891790724, -15.34036792859724, -8.493005337751561,
                       0.5108343221751288, -0.4318702932094978, 1.337854483670000,
                       -0.3228081218704682, -0.3818310050984086, -0.7018299669902926},
     1e-13},
    {2.0,
     (const double[N]){-0.9129617917115388, -21.80155762057764, 4.876991106041317,
                       -0.8626971426668109, -0.2723141103562106, -1.809310735793688,
                       0.1505070991781602, -0.4768098290691745, 0.3057560007694719},
     1e-13},
    {5.0,
     (const double[N]){0.4676503634674823, -19.62261630538781, -0.4335192103055508,
                       0.01632024016867732, -0.0007400125487246297, 0.03267401767371614,
                       -0.02264834879243869, -0.4994867889113545, -0.04531220179559678},
     1e-13},
};

static int mass(double *M, double t, const double *x, void *user);
static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static double eval_friction(const double *x);
static void eval_constraints(dfl_blocks *out, const double *x, unsigned need);
static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user);
static void jacobian_of_friction(double *d, const double *x);
static void jacobian_of_constraints(dfl_jacobian *out, const double *x, const double *a);

bool problem_friction(problem *out, int size)
{
    (void)size;
    *out = (problem){
        .name = "friction",
        .about = "rod in two slots with an implicit friction law: auxiliary variable",
        .eom = {.np = NV,
                .nv = NV,
                .nw = 1,
                .nl = NL,
                .eval = eval,
                .trivial_kinematics = true,
                .mass = mass,
                .jacobian = jacobian,
                .mass_diagonal = true,
                .mass_constant = true,
                .autonomous = true},
        .t_end = 5.0,
        .references = references,
        .nreferences = sizeof references / sizeof *references,
    };
    const double th = 1.0, alpha = -m * gravity * l * sin(th) / (m * l * l + J);
    const double start[N] = {[LAMBDA1] = -m * (gravity + l * sin(th) * alpha),
                             [LAMBDA2] = -m * l * cos(th) * alpha,
                             [X] = l * sin(th),
                             [Y] = -l * cos(th),
                             [THETA] = th};
    if (!problem_allocate(out, 1))
        return false;
    memcpy(out->x0, start, sizeof start);
    return true;
}

static int mass(double *M, double t, const double *x, void *user)
{
    (void)t, (void)x, (void)user;
    M[0] = m;
    M[1] = m;
    M[2] = J;
    return 0;
}

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t, (void)user;
    if (need & DFL_KINEMATICS)
        memcpy(out->kin, x + VX, NV * sizeof *x);
    if (need & DFL_FORCE) {
        out->f[0] = -x[FRICTION];
        out->f[1] = -m * gravity;
        out->f[2] = -x[FRICTION] * l * cos(x[THETA]);
    }
    if (need & DFL_AUXILIARY)
        out->d[0] = eval_friction(x);
    if (need & (DFL_POSITION | DFL_VELOCITY | DFL_DIRECTIONS | DFL_BIAS))
        eval_constraints(out, x, need);
    return 0;
}

static double eval_friction(const double *x)
{
    const double tau = tanh((x[VX] + l * cos(x[THETA]) * x[OMEGA]) / vs);
    const double load = hypot(x[LAMBDA1], preload) + kappa * x[FRICTION] * tau;
    return x[FRICTION] - mu * load * tau;
}

static void eval_constraints(dfl_blocks *out, const double *x, unsigned need)
{
    const double s = l * sin(x[THETA]), c = l * cos(x[THETA]), w = x[OMEGA];
    if (need & DFL_POSITION) {
        out->g[0] = x[Y] + c;
        out->g[1] = x[X] - s;
    }
    if (need & DFL_VELOCITY) {
        out->gI[0] = x[VY] - s * w;
        out->gI[1] = x[VX] - c * w;
    }
    if (need & DFL_DIRECTIONS) {
        out->W[1 + NL * 0] = 1.0;
        out->W[0 + NL * 1] = 1.0;
        out->W[0 + NL * 2] = -s;
        out->W[1 + NL * 2] = -c;
    }
    if (need & DFL_BIAS) {
        out->bias[0] = -c * w * w;
        out->bias[1] = s * w * w;
    }
}

static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    (void)t, (void)user;
    const double s = l * sin(x[THETA]), c = l * cos(x[THETA]);
    double *dyn = out->dyn;

    jacobian_of_friction(out->d, x);
    jacobian_of_constraints(out, x, a);
    for (int i = 0; i < NV; i++)
        out->kin[i + NV * i] = 1.0;
    dyn[0 + NV * FRICTION] = -1.0;
    dyn[0 + NV * LAMBDA2] = -1.0;
    dyn[1 + NV * LAMBDA1] = -1.0;
    dyn[2 + NV * FRICTION] = -c;
    dyn[2 + NV * LAMBDA1] = s;
    dyn[2 + NV * LAMBDA2] = c;
    dyn[2 + NV * THETA] = s * x[FRICTION] + c * x[LAMBDA1] - s * x[LAMBDA2];
    return 0;
}

static void jacobian_of_friction(double *d, const double *x)
{
    const double s = l * sin(x[THETA]), c = l * cos(x[THETA]);
    const double tau = tanh((x[VX] + c * x[OMEGA]) / vs);
    const double pressure = hypot(x[LAMBDA1], preload);
    const double d_tau = -mu * (pressure + 2.0 * kappa * x[FRICTION] * tau);
    const double d_speed = d_tau * (1.0 - tau * tau) / vs;

    d[FRICTION] = 1.0 - mu * kappa * tau * tau;
    d[LAMBDA1] = -mu * tau * x[LAMBDA1] / pressure;
    d[VX] = d_speed;
    d[OMEGA] = d_speed * c;
    d[THETA] = -d_speed * s * x[OMEGA];
}

/* The blocks acc, vel and pos. */
static void jacobian_of_constraints(dfl_jacobian *out, const double *x, const double *a)
{
    const double s = l * sin(x[THETA]), c = l * cos(x[THETA]), w = x[OMEGA];
    double *vel_p = out->vel + NL * NV;

    out->acc[0 + NL * OMEGA] = -2.0 * c * w;
    out->acc[1 + NL * OMEGA] = 2.0 * s * w;
    out->acc[0 + NL * THETA] = -c * a[2] + s * w * w;
    out->acc[1 + NL * THETA] = s * a[2] + c * w * w;

    out->vel[1 + NL * 0] = out->pos[1 + NL * 0] = 1.0;
    out->vel[0 + NL * 1] = out->pos[0 + NL * 1] = 1.0;
    out->vel[0 + NL * 2] = out->pos[0 + NL * 2] = -s;
    out->vel[1 + NL * 2] = out->pos[1 + NL * 2] = -c;
    vel_p[0 + NL * 2] = -c * w;
    vel_p[1 + NL * 2] = s * w;
}
