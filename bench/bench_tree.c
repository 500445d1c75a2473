/* bench_tree: nanoseconds per body of forward dynamics, inverse dynamics and mass matrix on chains,
   binary trees and a floating base with four legs; one JSON line per measurement, the same models and
   states as in bench/peers/tree.hpp. "check" is the rms of the accelerations (forces, or the last entry
   of M) at the first state, for comparison with the peers.
   usage: bench_tree [model N] [repetitions, for instruction counts] */
#define _POSIX_C_SOURCE 200809L
#include "mechanics/lanes.h"
#include "mechanics/tree.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef enum shape { CHAIN, BINARY, LEGS } shape;
static const char *const shape_name[] = {"chain", "bintree", "quadruped"};

/* A model with `states` random states; v, q and tau of one state after the other. */
typedef struct model {
    shape shape;
    int n, np, nv, states;
    dfl_tree *tree;
    double *p, *v, *tau, *out, *M;
    dfl_tree_lanes *lanes; /* and the first states side by side */
    double *lane_p, *lane_v, *lane_tau, *lane_out;
} model;

typedef void (*measured_fn)(model *m, int state);

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double unit(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return (double)(*s >> 11) * (1.0 / 9007199254740992.0);
}

static uint64_t seed_of(uint64_t seed)
{
    return seed * 0x9E3779B97F4A7C15ull + 1;
}

static double sym(uint64_t *s, double size)
{
    return size * (2 * unit(s) - 1);
}

/* A rod of mass about m along z from the joint, slightly irregular. */
static void rod(dfl_tree_body *b, double m, double sign, const double *at, uint64_t *s)
{
    const double l = 0.3, r = 0.04;
    b->mass = m * (1 + sym(s, 0.2));
    for (int k = 0; k < 2; k++)
        b->com[k] = at[k] + sym(s, 0.01);
    b->com[2] = at[2] + sign * (0.5 * l + sym(s, 0.02));
    const double a = b->mass * (3 * r * r + l * l) / 12, z = b->mass * r * r / 2;
    const double J[6] = {a * 1.03, a, z * 1.5, 0.02 * z, -0.03 * z, 0.025 * z};
    memcpy(b->inertia, J, sizeof J);
}

static void hang(dfl_tree_joint *joints, int i, int parent, int axis, const double *offset)
{
    dfl_tree_joint *j = &joints[i];
    *j = (dfl_tree_joint){.kind = DFL_JOINT_REVOLUTE, .parent = parent, .child = i};
    j->axis[axis] = 1;
    for (int k = 0; k < 3; k++)
        j->at[k] = (parent >= 0 ? joints[parent].at[k] : 0.0) + offset[k];
}

static void describe_plain(dfl_tree_body *bodies, dfl_tree_joint *joints, int n, bool binary)
{
    uint64_t s = seed_of(binary ? 2 : 1);
    for (int i = 0; i < n; i++) {
        const double side = binary && i ? (i & 1 ? 0.1 : -0.1) : 0.0;
        const double offset[3] = {0, side, i ? 0.3 : 0.0};
        hang(joints, i, binary ? (i ? (i - 1) / 2 : -1) : i - 1, i % 3, offset);
        rod(&bodies[i], 1.5, 1, joints[i].at, &s);
    }
}

static void describe_legs(dfl_tree_body *bodies, dfl_tree_joint *joints)
{
    uint64_t s = seed_of(3);
    bodies[0] = (dfl_tree_body){
        .mass = 20, .com = {0.01, -0.005, 0.02}, .inertia = {0.4, 0.9, 1.0, 0.01, -0.02, 0.015}};
    joints[0] = (dfl_tree_joint){.kind = DFL_JOINT_FREE, .parent = DFL_GROUND, .child = 0};
    const double mass[3] = {1.0, 1.5, 0.4};
    for (int leg = 0, i = 1; leg < 4; leg++)
        for (int k = 0; k < 3; k++, i++) {
            const double y = leg & 2 ? 1 : -1;
            const double offset[3][3] = {
                {leg & 1 ? 0.3 : -0.3, 0.15 * y, 0}, {0, 0.08 * y, 0}, {0, 0, -0.3}};
            hang(joints, i, k ? i - 1 : 0, k ? 1 : 0, offset[k]);
            rod(&bodies[i], mass[k], -1, joints[i].at, &s);
        }
}

/* Random states; the base's velocities are given in world axes and turned into its own. */
static void fill_state(model *m, int k)
{
    double *p = m->p + (long)k * m->np, *v = m->v + (long)k * m->nv,
           *tau = m->tau + (long)k * m->nv;
    uint64_t s = seed_of(1000 + (uint64_t)k);
    double base[13], length = 0;
    for (int i = 0; i < 16; i++)
        unit(&s);
    for (int i = 0; i < 13; i++) {
        base[i] = sym(&s, 1);
        length += i < 4 ? base[i] * base[i] : 0.0;
    }
    const int free_p = m->shape == LEGS ? 7 : 0, free_v = m->shape == LEGS ? 6 : 0;
    if (free_p) {
        for (int i = 0; i < 4; i++)
            p[3 + i] = base[i] / sqrt(length);
        memcpy(p, base + 4, 3 * sizeof *p);
        const double w = p[3], x = p[4], y = p[5], z = p[6];
        const double R[3][3] = {
            {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
            {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
            {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                v[i] += R[j][i] * base[7 + j];
                v[3 + i] += R[j][i] * base[10 + j];
            }
    }
    for (int i = 0; i < m->nv - free_v; i++) {
        p[free_p + i] = sym(&s, 1.5);
        v[free_v + i] = sym(&s, 1);
        tau[free_v + i] = sym(&s, 1);
    }
}

static void *need(void *block)
{
    if (!block) {
        fprintf(stderr, "bench_tree: no memory\n");
        exit(1);
    }
    return block;
}

/* State k in lane k. */
static double *side_by_side(const double *x, int n)
{
    double *y = need(calloc((size_t)n * DFL_TREE_LANES, sizeof *y));
    for (int k = 0; k < DFL_TREE_LANES; k++)
        for (int i = 0; i < n; i++)
            y[(long)i * DFL_TREE_LANES + k] = x[(long)k * n + i];
    return y;
}

static void make_lanes(model *m, dfl_context *ctx)
{
    if (dfl_tree_lanes_create(&m->lanes, ctx, m->tree)) {
        fprintf(stderr, "bench_tree: %s\n", dfl_message(ctx));
        exit(1);
    }
    m->lane_p = side_by_side(m->p, m->np);
    m->lane_v = side_by_side(m->v, m->nv);
    m->lane_tau = side_by_side(m->tau, m->nv);
    m->lane_out = side_by_side(m->v, m->nv);
}

static void make_model(model *m, dfl_context *ctx, shape s, int n)
{
    dfl_tree_body *bodies = need(calloc((size_t)n, sizeof *bodies));
    dfl_tree_joint *joints = need(calloc((size_t)n, sizeof *joints));
    *m = (model){.shape = s, .n = n, .states = n <= 100 ? 32 : n <= 1000 ? 8 : 4};
    if (s == LEGS)
        describe_legs(bodies, joints);
    else
        describe_plain(bodies, joints, n, s == BINARY);
    const dfl_tree_description d = {n, n, bodies, joints, {0, 0, -9.81}, false};
    if (dfl_tree_create(&m->tree, ctx, &d)) {
        fprintf(stderr, "bench_tree: %s\n", dfl_message(ctx));
        exit(1);
    }
    m->np = dfl_tree_np(m->tree);
    m->nv = dfl_tree_nv(m->tree);
    const size_t states = (size_t)m->states, nv = (size_t)m->nv;
    m->p = need(calloc(states * (size_t)m->np, sizeof(double)));
    m->v = need(calloc(states * nv, sizeof(double)));
    m->tau = need(calloc(states * nv, sizeof(double)));
    m->out = need(calloc(nv, sizeof(double)));
    m->M = n <= 1024 ? need(calloc(nv * nv, sizeof(double))) : NULL;
    for (int k = 0; k < m->states; k++)
        fill_state(m, k);
    make_lanes(m, ctx);
    free(bodies);
    free(joints);
}

static void free_model(model *m)
{
    dfl_tree_lanes_free(m->lanes);
    free(m->lane_p);
    free(m->lane_v);
    free(m->lane_tau);
    free(m->lane_out);
    dfl_tree_free(m->tree);
    free(m->p);
    free(m->v);
    free(m->tau);
    free(m->out);
    free(m->M);
}

static void forward(model *m, int k)
{
    dfl_tree_place(m->tree, m->p + (long)k * m->np);
    dfl_tree_forward(m->out, NULL, m->tree, m->v + (long)k * m->nv, m->tau + (long)k * m->nv, NULL);
}

static void inverse(model *m, int k)
{
    dfl_tree_place(m->tree, m->p + (long)k * m->np);
    dfl_tree_inverse(m->out, m->tree, m->v + (long)k * m->nv, m->tau + (long)k * m->nv, NULL);
}

static void mass(model *m, int k)
{
    dfl_tree_place(m->tree, m->p + (long)k * m->np);
    dfl_tree_mass(m->M, m->nv, m->tree);
}

static void forward_lanes(model *m, int k)
{
    (void)k;
    dfl_tree_lanes_place(m->lanes, m->lane_p);
    dfl_tree_lanes_forward(m->lane_out, NULL, m->lanes, m->lane_v, m->lane_tau, NULL);
}

static void inverse_lanes(model *m, int k)
{
    (void)k;
    dfl_tree_lanes_place(m->lanes, m->lane_p);
    dfl_tree_lanes_inverse(m->lane_out, m->lanes, m->lane_v, m->lane_tau, NULL);
}

/* The best of many batches of about 1 ms: interruptions only ever add time. */
static double seconds_per_call(measured_fn call, model *m, double budget)
{
    double start = now();
    call(m, 0);
    int batch = (int)(1e-3 / fmax(now() - start, 1e-8)), k = 0;
    batch = batch < 1 ? 1 : batch;
    double best = 1e9;
    const double begin = now();
    for (int run = 0; run < 5 || now() - begin < budget; run++) {
        start = now();
        for (int i = 0; i < batch; i++, k = k + 1 < m->states ? k + 1 : 0)
            call(m, k);
        best = fmin(best, (now() - start) / batch);
    }
    return best;
}

static double rms(const model *m)
{
    const int first = m->shape == LEGS ? 6 : 0;
    double sum = 0;
    for (int i = first; i < m->nv; i++)
        sum += m->out[i] * m->out[i];
    return sqrt(sum / (m->nv - first));
}

static void report(model *m, const char *what, measured_fn call, int states)
{
    call(m, 0);
    const double check = call == mass ? m->M[(long)m->nv * m->nv - 1] : rms(m);
    const double seconds = seconds_per_call(call, m, 0.3) / states;
    printf("{\"library\":\"driftless\",\"model\":\"%s\",\"N\":%d,\"nv\":%d,\"ns_per_body\":%.1f,"
           "\"min_us\":%.4f,\"what\":\"%s\",\"check\":%.12g,\"bytes_per_body\":%.0f}\n",
           shape_name[m->shape], m->n, m->nv, 1e9 * seconds / m->n, 1e6 * seconds, what, check,
           (double)dfl_tree_bytes(m->tree) / m->n);
    fflush(stdout);
}

static void measure(dfl_context *ctx, shape s, int n)
{
    model m;
    make_model(&m, ctx, s, n);
    report(&m, "FD", forward, 1);
    report(&m, "ID", inverse, 1);
    if (m.M)
        report(&m, "M", mass, 1);
    report(&m, "FD, four states at once", forward_lanes, DFL_TREE_LANES);
    report(&m, "ID, four states at once", inverse_lanes, DFL_TREE_LANES);
    free_model(&m);
}

/* A fixed number of calls of each kind, for callgrind. */
static void count(dfl_context *ctx, shape s, int n, int calls)
{
    model m;
    make_model(&m, ctx, s, n);
    for (int i = 0; i < calls; i++) {
        forward(&m, i % m.states);
        inverse(&m, i % m.states);
        if (m.M)
            mass(&m, i % m.states);
    }
    free_model(&m);
}

int main(int argc, char **argv)
{
    static const struct {
        shape shape;
        int n;
    } cases[] = {{CHAIN, 6},      {CHAIN, 12}, {CHAIN, 100},  {CHAIN, 1000},  {CHAIN, 10000},
                 {CHAIN, 100000}, {BINARY, 7}, {BINARY, 127}, {BINARY, 1023}, {LEGS, 13}};
    dfl_context *ctx = need(dfl_context_create());
    if (argc > 2) {
        shape s = CHAIN;
        while (s < LEGS && strcmp(argv[1], shape_name[s]))
            s++;
        if (argc > 3)
            count(ctx, s, s == LEGS ? 13 : atoi(argv[2]), atoi(argv[3]));
        else
            measure(ctx, s, s == LEGS ? 13 : atoi(argv[2]));
    }
    for (size_t i = 0; argc <= 2 && i < sizeof cases / sizeof *cases; i++)
        measure(ctx, cases[i].shape, cases[i].n);
    dfl_context_free(ctx);
    return 0;
}
