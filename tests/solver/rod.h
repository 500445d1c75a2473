/* rod.h: a pendulum in any unit of mass and length, with its energy as an invariant or without, and
   its motion by a classical Runge-Kutta method (RK4) in the angle. */
#ifndef DFL_TESTS_ROD_H
#define DFL_TESTS_ROD_H

#include "reference.h"
#include "support.h"

static const double gravity = 9.81;

/* The pendulum of length 1 in its angle from the hanging position: y = (theta, theta'). */
static inline void swing(double *rate, double t, const double *y, const void *user)
{
    (void)t;
    (void)user;
    rate[0] = y[1];
    rate[1] = -gravity * sin(y[0]);
}

/* Where it is after t seconds from (0.6, -0.8) with the tangential velocity `speed`. */
static inline void swing_for(double y[2], double t, double speed)
{
    y[0] = atan2(0.6, 0.8);
    y[1] = speed;
    rk4(y, 2, 0, t, (int)ceil(t * 1000), swing, NULL);
}

/* One point on a circle around the origin. */
typedef struct rod {
    double mass, scale, length; /* `scale` multiplies the constraint */
    bool with_energy;           /* the energy is an invariant (ne = 1), for mass and length 1 */
    double energy;
} rod;

static inline int rod_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const rod *m = user;
    const double *v = x + 1, *p = x + 3, vv = v[0] * v[0] + v[1] * v[1];
    (void)t;
    if (need & DFL_FORCE) {
        out->f[0] = 0;
        out->f[1] = -m->mass * gravity;
    }
    if (need & DFL_POSITION)
        out->g[0] = m->scale * (p[0] * p[0] + p[1] * p[1] - m->length * m->length) / 2;
    if (need & DFL_VELOCITY) {
        out->gI[0] = m->scale * (p[0] * v[0] + p[1] * v[1]);
        if (m->with_energy)
            out->e[0] = vv / 2 + gravity * p[1] - m->energy;
    }
    if (need & DFL_DIRECTIONS) {
        out->W[0] = m->scale * p[0];
        out->W[1] = m->scale * p[1];
    }
    if (need & DFL_BIAS)
        out->bias[0] = m->scale * vv;
    return 0;
}

static inline int rod_mass(double *M, double t, const double *x, void *user)
{
    const rod *m = user;
    (void)t;
    (void)x;
    M[0] = M[3] = m->mass;
    return 0;
}

static inline dfl_eom rod_eom(rod *m)
{
    return (dfl_eom){.np = 2,
                     .nv = 2,
                     .nl = 1,
                     .ne = m->with_energy,
                     .eval = rod_eval,
                     .mass = rod_mass,
                     .mass_constant = true,
                     .trivial_kinematics = true,
                     .user = m};
}

#endif
