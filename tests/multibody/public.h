/* public.h: mechanisms for the tests of driftless/multibody.h, which include nothing of src. */
#ifndef DFL_TESTS_PUBLIC_H
#define DFL_TESTS_PUBLIC_H

#include "../support.h"

#include <driftless/driftless.h>

enum { MOST = 64, MOST_BODIES = 8 };

/* Numbers in [-size, size), the same in every run (xorshift). */
static inline double any(uint64_t *seed, double size)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return size * (2.0 * (double)(*seed >> 11) / 9007199254740992.0 - 1.0);
}

static inline void fill(double *x, int n, uint64_t *seed, double size)
{
    for (int i = 0; i < n; i++)
        x[i] = any(seed, size);
}

/* A chain through all kinds of joints on which bodies can hang, with springs. */
typedef struct all_joints {
    dfl_rigid_body body[MOST_BODIES];
    dfl_joint joint[MOST_BODIES];
    dfl_joint_spring spring[2];
    dfl_multibody_description description;
} all_joints;

static inline void make_all_joints(all_joints *out, uint64_t *seed)
{
    static const dfl_joint_kind kinds[MOST_BODIES] = {
        DFL_JOINT_REVOLUTE, DFL_JOINT_SPHERICAL, DFL_JOINT_PRISMATIC,   DFL_JOINT_UNIVERSAL,
        DFL_JOINT_SCREW,    DFL_JOINT_PLANAR,    DFL_JOINT_CYLINDRICAL, DFL_JOINT_FREE};
    memset(out, 0, sizeof *out);
    for (int i = 0; i < MOST_BODIES; i++) {
        dfl_rigid_body *b = &out->body[i];
        dfl_joint *j = &out->joint[i];
        *b = (dfl_rigid_body){.name = "body", .mass = 1 + any(seed, 0.5)};
        fill(b->com, 3, seed, 1.0);
        for (int k = 0; k < 3; k++)
            b->inertia[k] = 0.2 + any(seed, 0.05);
        *j = (dfl_joint){.name = "joint", .kind = kinds[i], .parent = i - 1 - (i == 5), .child = i};
        j->parent = i == 7 ? DFL_GROUND : j->parent;
        fill(j->at, 3, seed, 1.0);
        j->axis[0] = 0.6;
        j->axis[2] = 0.8;
        j->axis2[1] = j->kind == DFL_JOINT_UNIVERSAL || j->kind == DFL_JOINT_PLANAR ? 1.0 : 0.0;
        j->lead = 0.3;
    }
    out->spring[0] = (dfl_joint_spring){0, 0, 20, 2, 0.1};
    out->spring[1] = (dfl_joint_spring){3, 1, 10, 1, -0.2};
    out->description = (dfl_multibody_description){.nbodies = MOST_BODIES,
                                                   .njoints = MOST_BODIES,
                                                   .bodies = out->body,
                                                   .joints = out->joint,
                                                   .gravity = {0.4, -0.3, -9.81},
                                                   .nsprings = 2,
                                                   .springs = out->spring};
}

static inline dfl_multibody *new_multibody(dfl_context *ctx, const dfl_multibody_description *d)
{
    dfl_multibody *m = NULL;
    if (dfl_multibody_create(&m, ctx, d))
        fail_msg("%s", dfl_message(ctx));
    return m;
}

/* Coordinates with quaternions of length 1: one Newton step of nothing. */
static inline void any_place(double *p, dfl_multibody *m, uint64_t *seed)
{
    const int np = dfl_multibody_sizes_of(m).np;
    double shift[MOST];
    dfl_multibody_reference(p, m);
    fill(shift, np, seed, 0.5);
    for (int i = 0; i < np; i++)
        p[i] += shift[i];
    assert_int_equal(dfl_multibody_assemble(p, m, 0), DFL_OK);
}

/* Four bars in a plane: crank, coupler and rocker on the ground; `parallel` closes it as a
   parallelogram. */
typedef struct four_bar {
    dfl_rigid_body body[3];
    dfl_joint joint[3];
    dfl_loop loop;
    dfl_multibody_description description;
} four_bar;

static inline void make_four_bar(four_bar *out, bool planar)
{
    *out = (four_bar){
        .body = {{.name = "crank", .mass = 1, .com = {0, 0.5, 0}, .inertia = {0.1, 0.1, 0.1}},
                 {.name = "coupler", .mass = 2, .com = {1, 1, 0}, .inertia = {0.3, 0.3, 0.3}},
                 {.name = "rocker", .mass = 1, .com = {2, 0.5, 0}, .inertia = {0.1, 0.1, 0.1}}},
        .joint = {{.name = "a",
                   .kind = DFL_JOINT_REVOLUTE,
                   .parent = DFL_GROUND,
                   .child = 0,
                   .axis = {0, 0, 1}},
                  {.name = "b",
                   .kind = DFL_JOINT_REVOLUTE,
                   .parent = 0,
                   .child = 1,
                   .at = {0, 1, 0},
                   .axis = {0, 0, 1}},
                  {.name = "d",
                   .kind = DFL_JOINT_REVOLUTE,
                   .parent = DFL_GROUND,
                   .child = 2,
                   .at = {2, 0, 0},
                   .axis = {0, 0, 1}}},
        .loop = {.name = "pin",
                 .kind = DFL_JOINT_REVOLUTE,
                 .a = 1,
                 .b = 2,
                 .at = {2, 1, 0},
                 .axis = {0, 0, 1}}};
    out->description = (dfl_multibody_description){.nbodies = 3,
                                                   .njoints = 3,
                                                   .bodies = out->body,
                                                   .joints = out->joint,
                                                   .gravity = {0, -9.81, 0},
                                                   .planar = planar,
                                                   .nloops = 1,
                                                   .loops = &out->loop};
}

#endif
