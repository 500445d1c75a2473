/* oscillator.c: two masses in a row, the first one usually massless.

       wall -- c1, d -- m1 -- c2, d -- m2,   the force F(t) = 50 sin 10 t acts on m1
       f1 = -c1 p1 - d v1 + c2 (p2 - p1) + d (v2 - v1) + F(t)
       f2 = -c2 (p2 - p1) - d (v2 - v1)

   For m1 = 0 the first row is the balance gam = f1 = 0 with K0 = (1, 0): p1 follows a first-order
   equation and v1 is no free start value. For m1 > 0 there is no massless row (n0 = 0); the
   solution tends to the massless one with O(m1), through a mode of frequency sqrt((c1 + c2)/m1).
   Data: m2 = 1, c1 = c2 = 1e4, p(0) = (0.02, 0.05), v(0) = 0 apart from v1 if m1 = 0.

   Source: Arnold (2013), section 2.2. References for m1 = 0: own, extrapolation of order 16 in
   80-bit arithmetic on the reduced equations for p1, p2, v2 at two step sizes. */
#include "problems_internal.h"

#include <math.h>

/* The layout of x. */
enum { V1, V2, P1, P2, N };

static double force(double t);
static int mass(double *M, double t, const double *x, void *user);
static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user);

static const problem_reference weakly_damped[] = {
    /* d = 2 */
    {1.0,
     (const double[N]){-1.1141400631056986, -2.1862723156777276, -0.0032007771640834573,
                       -0.0036898503358267994},
     1e-14},
    {2.0,
     (const double[N]){0.060086647284620606, 0.099677978934761234, -0.0045788629755754767,
                       -0.013718353141662196},
     1e-14},
};
static const problem_reference well_damped[] = {
    /* d = 50 */
    {1.0,
     (const double[N]){-0.043661541966498256, -0.044117468739933102, -0.0025272292880910092,
                       -0.0025503810977004863},
     1e-14},
    {2.0,
     (const double[N]){0.022883324660013833, 0.023136757831260927, 0.0044957080229732583,
                       0.004539839249752212},
     1e-14},
};

bool problem_oscillator(problem *out, int size)
{
    (void)size;
    return problem_oscillator_mass(out, 0.0, 2.0);
}

bool problem_oscillator_mass(problem *out, double m1, double d)
{
    const double c = 1e4;
    *out = (problem){
        .name = "oscillator",
        .about = "two-mass oscillator whose first mass may be zero: massless row",
        .eom = {.np = 2,
                .nv = 2,
                .n0 = m1 > 0.0 ? 0 : 1,
                .eval = eval,
                .trivial_kinematics = true,
                .mass = mass,
                .jacobian = jacobian,
                .mass_diagonal = true,
                .mass_constant = true,
                .forces_free_of_multipliers = true},
        .t_end = 2.0,
    };
    if (!problem_allocate(out, sizeof(oscillator_parameters)))
        return false;
    *(oscillator_parameters *)out->parameters =
        (oscillator_parameters){.m1 = m1, .m2 = 1.0, .c1 = c, .c2 = c, .d = d};
    out->x0[P1] = 0.02;
    out->x0[P2] = 0.05;
    if (m1 > 0.0)
        return true;

    /* f1 = 0 at t = 0, where F = v2 = 0 */
    out->x0[V1] = (c * out->x0[P2] - 2.0 * c * out->x0[P1]) / (2.0 * d);
    if (d == 2.0 || d == 50.0) {
        out->references = d == 2.0 ? weakly_damped : well_damped;
        out->nreferences = 2;
    }
    return true;
}

static double force(double t)
{
    return 50.0 * sin(10.0 * t);
}

static int mass(double *M, double t, const double *x, void *user)
{
    const oscillator_parameters *par = user;
    (void)t, (void)x;
    M[0] = par->m1;
    M[1] = par->m2;
    return 0;
}

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const oscillator_parameters *par = user;
    const bool massless = !(par->m1 > 0.0);
    const double spring = par->c2 * (x[P2] - x[P1]) + par->d * (x[V2] - x[V1]);
    const double f1 = -par->c1 * x[P1] - par->d * x[V1] + spring + force(t);

    if (need & DFL_KINEMATICS) {
        out->kin[0] = x[V1];
        out->kin[1] = x[V2];
    }
    if (need & DFL_FORCE) {
        out->f[0] = f1;
        out->f[1] = -spring;
    }
    if (massless && need & DFL_VELOCITY)
        out->gam[0] = f1;
    if (massless && need & DFL_DIRECTIONS)
        out->K0[0] = 1.0;
    return 0;
}

static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    const oscillator_parameters *par = user;
    (void)t, (void)x, (void)a;
    const double f1[N] = {-2.0 * par->d, par->d, -par->c1 - par->c2, par->c2};
    const double f2[N] = {par->d, -par->d, par->c2, -par->c2};

    for (int j = 0; j < N; j++) {
        out->dyn[0 + 2 * j] = f1[j];
        out->dyn[1 + 2 * j] = f2[j];
        if (!(par->m1 > 0.0))
            out->gam[j] = f1[j];
    }
    out->kin[0 + 2 * 0] = 1.0;
    out->kin[1 + 2 * 1] = 1.0;
    return 0;
}
