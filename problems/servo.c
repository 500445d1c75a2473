/* servo.c: a pendulum in Cartesian coordinates that a motor with a PID loop makes follow an angle.

       p = (x, y) = L (sin th, -cos th),  g = (x^2 + y^2 - L^2)/2,  omega = (x y' - y x')/L^2
       m v' = (0, -m g) + (k i - c omega) (-y, x)/L^2 - lambda p      motor torque k i, bearing c
       error        e = 1.5 sin 2t - th,  th = atan2(x, -y)
       voltage      u = U tanh(y/U),  y = Kp e + Ki z + Kd (e - h)/T
       current      Li i' = u - R i - k omega
       integral     z' = e
       filter       h' = (e - h)/T                                    for the derivative of e

   r = (i, z, h). The states of the drive have rates of about 200 1/s. Start: hanging at rest,
   r = 0, lambda = m g/L.

   An own example. References: the equations in the angle, th' = omega and m L^2 omega' =
   -m g L sin th - c omega + k i, with the three of the drive, integrated by extrapolation of order
   16 in 80-bit arithmetic at two step sizes; lambda = m omega^2 + m g cos th/L. */
#include "problems_internal.h"

#include <math.h>
#include <string.h>

/* The layout of x. */
enum { LAMBDA, CURRENT, INTEGRAL, FILTER, VX, VY, X, Y, N };
enum { NR = 3 };

static const double m = 1.0, L = 0.5, gravity = 9.81;
static const double bearing = 0.05;                      /* c, N m s */
static const double motor = 0.5;                         /* k, N m/A and V s */
static const double resistance = 1.0, inductance = 5e-3; /* ohm, H */
static const double Kp = 60.0, Ki = 80.0, Kd = 6.0, T = 5e-3, U = 24.0;

static const double start[N] = {[LAMBDA] = 9.81 / 0.5, [Y] = -0.5};

static const problem_reference references[] = {
    {1.0,
     (const double[N]){5.639316970153597, 6.526388776688171, 0.07220802407667789,
                       0.01676213235897412, -0.1260677264468650, -0.5557720992073422,
                       0.4876126710083708, -0.1106068852833417},
     1e-13},
    {2.0,
     (const double[N]){14.69032124820983, -6.653627976810773, 0.01051581437670770,
                       -0.1472112049652761, -0.5429052607650926, 0.8236629841487611,
                       -0.4174706072641596, -0.2751695696665854},
     1e-13},
    {5.0,
     (const double[N]){20.81426241261538, -5.297603915054071, 0.02473448562977335,
                       -0.1294015766280717, -0.9181854863183218, 0.7514815972952513,
                       -0.3166792027411553, -0.3869292991635891},
     1e-13},
};

static int mass(double *M, double t, const double *x, void *user);
static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static void eval_drive(double *b, double t, const double *x);
static double error(double t, const double *x);
static double command(double t, const double *x);
static double omega(const double *x);
static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user);
static void jacobian_of_force(double *dyn, const double *x, const double *domega);
static void jacobian_of_drive(double *b, double t, const double *x, const double *domega);

bool problem_servo(problem *out, int size)
{
    (void)size;
    *out = (problem){
        .name = "servo",
        .about = "pendulum with motor and PID loop: dynamic force elements, moderately stiff",
        .eom = {.np = 2,
                .nv = 2,
                .nr = NR,
                .nl = 1,
                .eval = eval,
                .trivial_kinematics = true,
                .mass = mass,
                .jacobian = jacobian,
                .mass_diagonal = true,
                .mass_constant = true,
                .forces_free_of_multipliers = true},
        .t_end = 5.0,
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
    (void)t, (void)x, (void)user;
    M[0] = m;
    M[1] = m;
    return 0;
}

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)user;
    if (need & DFL_KINEMATICS) {
        out->kin[0] = x[VX];
        out->kin[1] = x[VY];
    }
    if (need & DFL_FORCE) {
        const double torque = motor * x[CURRENT] - bearing * omega(x);
        out->f[0] = -torque * x[Y] / (L * L);
        out->f[1] = torque * x[X] / (L * L) - m * gravity;
    }
    if (need & DFL_DYNAMIC)
        eval_drive(out->b, t, x);
    if (need & DFL_POSITION)
        out->g[0] = (x[X] * x[X] + x[Y] * x[Y] - L * L) / 2.0;
    if (need & DFL_VELOCITY)
        out->gI[0] = x[X] * x[VX] + x[Y] * x[VY];
    if (need & DFL_DIRECTIONS) {
        out->W[0] = x[X];
        out->W[1] = x[Y];
    }
    if (need & DFL_BIAS)
        out->bias[0] = x[VX] * x[VX] + x[VY] * x[VY];
    return 0;
}

static void eval_drive(double *b, double t, const double *x)
{
    const double e = error(t, x), u = U * tanh(command(t, x) / U);
    b[0] = (u - resistance * x[CURRENT] - motor * omega(x)) / inductance;
    b[1] = e;
    b[2] = (e - x[FILTER]) / T;
}

/* e */
static double error(double t, const double *x)
{
    return 1.5 * sin(2.0 * t) - atan2(x[X], -x[Y]);
}

/* y, the voltage the controller would like to have */
static double command(double t, const double *x)
{
    const double e = error(t, x);
    return Kp * e + Ki * x[INTEGRAL] + Kd * (e - x[FILTER]) / T;
}

static double omega(const double *x)
{
    return (x[X] * x[VY] - x[Y] * x[VX]) / (L * L);
}

static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    (void)t, (void)user;
    const double domega[N] = {[VX] = -x[Y] / (L * L),
                              [VY] = x[X] / (L * L),
                              [X] = x[VY] / (L * L),
                              [Y] = -x[VX] / (L * L)};
    jacobian_of_force(out->dyn, x, domega);
    jacobian_of_drive(out->b, t, x, domega);
    for (int i = 0; i < 2; i++) {
        out->kin[i + 2 * i] = 1.0;
        out->pos[i] = x[X + i];
        out->vel[i] = x[X + i];
        out->vel[2 + i] = x[VX + i];
        out->acc[VX + i] = 2.0 * x[VX + i];
        out->acc[X + i] = a[i];
    }
    return 0;
}

static void jacobian_of_force(double *dyn, const double *x, const double *domega)
{
    const double torque = motor * x[CURRENT] - bearing * omega(x);
    for (int j = 0; j < N; j++) {
        const double dtorque = (j == CURRENT ? motor : 0.0) - bearing * domega[j];
        dyn[0 + 2 * j] = -dtorque * x[Y] / (L * L);
        dyn[1 + 2 * j] = dtorque * x[X] / (L * L);
    }
    dyn[0 + 2 * Y] -= torque / (L * L);
    dyn[1 + 2 * X] += torque / (L * L);
    dyn[0 + 2 * X] -= x[LAMBDA];
    dyn[1 + 2 * Y] -= x[LAMBDA];
    dyn[0 + 2 * LAMBDA] = -x[X];
    dyn[1 + 2 * LAMBDA] = -x[Y];
}

static void jacobian_of_drive(double *b, double t, const double *x, const double *domega)
{
    const double r2 = x[X] * x[X] + x[Y] * x[Y];
    const double de[N] = {[X] = x[Y] / r2, [Y] = -x[X] / r2};
    const double saturated = tanh(command(t, x) / U);
    for (int j = 0; j < N; j++) {
        const double drate = (de[j] - (j == FILTER ? 1.0 : 0.0)) / T;
        const double dy = Kp * de[j] + (j == INTEGRAL ? Ki : 0.0) + Kd * drate;
        const double du = (1.0 - saturated * saturated) * dy;
        const double drop = (j == CURRENT ? resistance : 0.0) + motor * domega[j];
        b[0 + NR * j] = (du - drop) / inductance;
        b[1 + NR * j] = de[j];
        b[2 + NR * j] = drate;
    }
}
