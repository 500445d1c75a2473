/* bench_tree: nanoseconds per body of forward dynamics, inverse dynamics and mass matrix on chains,
   binary trees and a floating base with four legs; one JSON line per measurement, on the models of
   tree_models.h as the peers. "check" is the rms of the accelerations (forces, or the last entry
   of M) at the first state, for comparison with the peers.
   usage: bench_tree [model N] [repetitions, for instruction counts] */
#define _POSIX_C_SOURCE 200809L
#include "mechanics/lanes.h"
#include "mechanics/tree.h"
#include "tree_models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A model with `states` random states; v, q and tau of one state after the other. */
typedef struct model {
    int shape, n, np, nv, states;
    dfl_tree *tree;
    double *p, *v, *tau, *out, *M;
    dfl_tree_lanes *lanes; /* and the first states side by side */
    double *lane_p, *lane_v, *lane_tau, *lane_out;
} model;

typedef void (*measured_fn)(void *model, int state);

static void *need(void *block)
{
    if (!block) {
        fprintf(stderr, "bench_tree: no memory\n");
        exit(1);
    }
    return block;
}

/* In the drawing all frames are parallel, so that positions add up. */
static void describe(dfl_tree_body *bodies, dfl_tree_joint *joints, const tree_body *models, int n)
{
    for (int i = 0; i < n; i++) {
        const tree_body *b = &models[i];
        dfl_tree_joint *j = &joints[i];
        j->kind = b->axis == TREE_FREE_AXIS ? DFL_JOINT_FREE : DFL_JOINT_REVOLUTE;
        j->parent = b->parent;
        j->child = i;
        if (b->axis < 3)
            j->axis[b->axis] = 1;
        bodies[i].mass = b->m;
        memcpy(bodies[i].inertia, b->I, sizeof b->I);
        for (int k = 0; k < 3; k++) {
            j->at[k] = (b->parent < 0 ? 0.0 : joints[b->parent].at[k]) + b->t[k];
            bodies[i].com[k] = j->at[k] + b->c[k];
        }
    }
}

static void fill_state(model *m, int k)
{
    double *p = m->p + (long)k * m->np, *v = m->v + (long)k * m->nv,
           *tau = m->tau + (long)k * m->nv;
    const int free_p = m->shape == TREE_LEGS ? 7 : 0, free_v = m->shape == TREE_LEGS ? 6 : 0;
    tree_base base;
    tree_state(&base, p + free_p, v + free_v, tau + free_v, m->nv - free_v, k);
    if (free_p) {
        memcpy(p, base.pos, sizeof base.pos);
        memcpy(p + 3, base.quat, sizeof base.quat);
        tree_to_base(v, &base, base.w);
        tree_to_base(v + 3, &base, base.v);
    }
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

static void make_model(model *m, dfl_context *ctx, int shape, int n)
{
    dfl_tree_body *bodies = need(calloc((size_t)n, sizeof *bodies));
    dfl_tree_joint *joints = need(calloc((size_t)n, sizeof *joints));
    tree_body *models = need(calloc((size_t)n, sizeof *models));
    *m = (model){.shape = shape, .n = n, .states = tree_states(n)};
    tree_fill(models, shape, n);
    describe(bodies, joints, models, n);
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
    free(models);
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

static void forward(void *user, int k)
{
    model *m = user;
    dfl_tree_place(m->tree, m->p + (long)k * m->np);
    dfl_tree_forward(m->out, NULL, m->tree, m->v + (long)k * m->nv, m->tau + (long)k * m->nv, NULL);
}

static void inverse(void *user, int k)
{
    model *m = user;
    dfl_tree_place(m->tree, m->p + (long)k * m->np);
    dfl_tree_inverse(m->out, m->tree, m->v + (long)k * m->nv, m->tau + (long)k * m->nv, NULL);
}

static void mass(void *user, int k)
{
    model *m = user;
    dfl_tree_place(m->tree, m->p + (long)k * m->np);
    dfl_tree_mass(m->M, m->nv, m->tree);
}

static void forward_lanes(void *user, int k)
{
    model *m = user;
    (void)k;
    dfl_tree_lanes_place(m->lanes, m->lane_p);
    dfl_tree_lanes_forward(m->lane_out, NULL, m->lanes, m->lane_v, m->lane_tau, NULL);
}

static void inverse_lanes(void *user, int k)
{
    model *m = user;
    (void)k;
    dfl_tree_lanes_place(m->lanes, m->lane_p);
    dfl_tree_lanes_inverse(m->lane_out, m->lanes, m->lane_v, m->lane_tau, NULL);
}

static double rms(const model *m)
{
    const int first = m->shape == TREE_LEGS ? 6 : 0;
    double sum = 0;
    for (int i = first; i < m->nv; i++)
        sum += m->out[i] * m->out[i];
    return sqrt(sum / (m->nv - first));
}

static void report(model *m, const char *what, measured_fn call, int states)
{
    call(m, 0);
    for (int i = 0; states > 1 && i < m->nv; i++)
        m->out[i] = m->lane_out[(long)i * DFL_TREE_LANES];
    const double check = call == mass ? m->M[(long)m->nv * m->nv - 1] : rms(m);
    const double seconds = tree_time(call, m, m->states, 0.3) / states;
    printf("{\"library\":\"driftless\",\"model\":\"%s\",\"N\":%d,\"nv\":%d,\"ns_per_body\":%.1f,"
           "\"min_us\":%.4f,\"what\":\"%s\",\"check\":%.12g,\"bytes_per_body\":%.0f}\n",
           tree_shape_name[m->shape], m->n, m->nv, 1e9 * seconds / m->n, 1e6 * seconds, what, check,
           (double)dfl_tree_bytes(m->tree) / m->n);
    fflush(stdout);
}

static void measure(dfl_context *ctx, int s, int n)
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
static void count(dfl_context *ctx, int s, int n, int calls)
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
        int shape, n;
    } cases[] = {{TREE_CHAIN, 6},     {TREE_CHAIN, 12},
                 {TREE_CHAIN, 100},   {TREE_CHAIN, 1000},
                 {TREE_CHAIN, 10000}, {TREE_CHAIN, 100000},
                 {TREE_BINARY, 7},    {TREE_BINARY, 127},
                 {TREE_BINARY, 1023}, {TREE_LEGS, TREE_LEGS_BODIES}};
    dfl_context *ctx = need(dfl_context_create());
    if (argc > 2) {
        int s = TREE_CHAIN;
        while (s < TREE_LEGS && strcmp(argv[1], tree_shape_name[s]))
            s++;
        if (argc > 3)
            count(ctx, s, s == TREE_LEGS ? TREE_LEGS_BODIES : atoi(argv[2]), atoi(argv[3]));
        else
            measure(ctx, s, s == TREE_LEGS ? TREE_LEGS_BODIES : atoi(argv[2]));
    }
    for (size_t i = 0; argc <= 2 && i < sizeof cases / sizeof *cases; i++)
        measure(ctx, cases[i].shape, cases[i].n);
    dfl_context_free(ctx);
    return 0;
}
