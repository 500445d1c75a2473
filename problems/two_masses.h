/* two_masses.h: the problem `oscillator` drawn as a mechanism: Arnold, Mechatronics 23 (2013),
   section 2.2. Wall - spring and damper - m1 - spring and damper - m2 on a line, m2 = 1 kg, c = 1e4
   N/m, F(t) = 50 sin 10 t on m1, p(0) = (0.02, 0.05), v(0) = 0. */
#ifndef DFL_PROBLEMS_TWO_MASSES_H
#define DFL_PROBLEMS_TWO_MASSES_H

#include <driftless/multibody.h>

#include <math.h>

/* The description points to its neighbours, which must stay where they are. */
typedef struct two_masses {
    dfl_rigid_body bodies[2];
    dfl_joint joints[2];
    dfl_joint_spring springs[2];
    dfl_multibody_description description;
} two_masses;

static const double two_masses_start[4] = {0, 0, 0.02, 0.03}; /* relative: p2 = q1 + q2 */

static inline int two_masses_force(double *tau, dfl_multibody *multibody, double t, const double *p,
                                   const double *v, void *user)
{
    (void)multibody, (void)p, (void)v, (void)user;
    tau[0] += 50.0 * sin(10.0 * t);
    return 0;
}

static inline int two_masses_slopes(double *Tq, double *Tv, dfl_multibody *multibody, double t,
                                    const double *p, const double *v, void *user)
{
    (void)Tq, (void)Tv, (void)multibody, (void)t, (void)p, (void)v, (void)user;
    return 0;
}

/* With the first mass m1, which may be 0, and the dampers d. */
static inline void two_masses_make(two_masses *out, double m1, double d)
{
    *out = (two_masses){
        .bodies = {{.name = "m1", .mass = m1}, {.name = "m2", .mass = 1}},
        .joints = {{.name = "q1", .kind = DFL_JOINT_PRISMATIC, .parent = DFL_GROUND, .axis = {1}},
                   {.name = "q2", .kind = DFL_JOINT_PRISMATIC, .child = 1, .axis = {1}}},
        .springs = {{0, 0, 1e4, d, 0}, {1, 0, 1e4, d, 0}}};
    out->description = (dfl_multibody_description){.nbodies = 2,
                                                   .njoints = 2,
                                                   .bodies = out->bodies,
                                                   .joints = out->joints,
                                                   .gravity = {0},
                                                   .planar = true,
                                                   .nsprings = 2,
                                                   .springs = out->springs,
                                                   .force = two_masses_force,
                                                   .slopes = two_masses_slopes};
}

#endif
