/* bench_tree: forward dynamics, inverse dynamics and mass matrix of a model of tree_models.h, one
   state at a time and several at once. bench/tree_compare.py runs it in turn with the peers. usage:
   bench_tree MODEL N [values | CALLS]; CALLS: a fixed number of calls of each kind, for
   callgrind */
#define _DEFAULT_SOURCE
#include "tree_description.h"
#include "tree_report.h"

/* A model with `states` random states, one after the other. */
typedef struct model {
    int shape, n, np, nv, states;
    dfl_multibody *multibody;
    double bytes;
    double *p, *v, *tau, *a, *out, *M; /* a: accelerations, for inverse dynamics */
    dfl_multibody_lanes *lanes;        /* and the first states side by side */
    double *lane_p, *lane_v, *lane_tau, *lane_a, *lane_out;
} model;

static void *need(void *block)
{
    if (!block) {
        fprintf(stderr, "bench_tree: no memory\n");
        exit(1);
    }
    return block;
}

static void fill_state(model *m, int k)
{
    double *v = m->v + (long)k * m->nv, *tau = m->tau + (long)k * m->nv,
           *a = m->a + (long)k * m->nv;
    const int free_v = m->shape == TREE_LEGS ? 6 : 0;
    tree_describe_state(m->p + (long)k * m->np, v, tau, m->shape, m->nv, k);
    if (free_v)
        tree_base_rest(a, v, v + 3);
    memcpy(a + free_v, tau + free_v, (size_t)(m->nv - free_v) * sizeof *a);
}

/* State k in lane k. */
static double *side_by_side(const double *x, int n)
{
    double *y = need(calloc((size_t)n * DFL_MULTIBODY_LANES, sizeof *y));
    for (int k = 0; k < DFL_MULTIBODY_LANES; k++)
        for (int i = 0; i < n; i++)
            y[(long)i * DFL_MULTIBODY_LANES + k] = x[(long)k * n + i];
    return y;
}

static void make_lanes(model *m, dfl_context *ctx)
{
    if (dfl_multibody_lanes_create(&m->lanes, m->multibody)) {
        fprintf(stderr, "bench_tree: %s\n", dfl_message(ctx));
        exit(1);
    }
    m->lane_p = side_by_side(m->p, m->np);
    m->lane_v = side_by_side(m->v, m->nv);
    m->lane_tau = side_by_side(m->tau, m->nv);
    m->lane_a = side_by_side(m->a, m->nv);
    m->lane_out = side_by_side(m->v, m->nv);
}

static void make_model(model *m, dfl_context *ctx, int shape, int n)
{
    dfl_rigid_body *bodies = need(calloc((size_t)n, sizeof *bodies));
    dfl_joint *joints = need(calloc((size_t)n, sizeof *joints));
    tree_body *models = need(calloc((size_t)n, sizeof *models));
    *m = (model){.shape = shape, .n = n, .states = tree_states(n)};
    tree_fill(models, shape, n);
    tree_describe(bodies, joints, models, n);
    const dfl_multibody_description d = {
        .nbodies = n, .njoints = n, .bodies = bodies, .joints = joints, .gravity = {0, 0, -9.81}};
    const double heap = tree_heap();
    if (dfl_multibody_create(&m->multibody, ctx, &d)) {
        fprintf(stderr, "bench_tree: %s\n", dfl_message(ctx));
        exit(1);
    }
    m->bytes = tree_heap() - heap;
    const dfl_multibody_sizes sizes = dfl_multibody_sizes_of(m->multibody);
    m->np = sizes.np;
    m->nv = sizes.nv;
    const size_t states = (size_t)m->states, nv = (size_t)m->nv;
    m->p = need(calloc(states * (size_t)m->np, sizeof(double)));
    m->v = need(calloc(states * nv, sizeof(double)));
    m->tau = need(calloc(states * nv, sizeof(double)));
    m->a = need(calloc(states * nv, sizeof(double)));
    m->out = need(calloc(nv, sizeof(double)));
    m->M = n <= TREE_MOST_DENSE ? need(calloc(nv * nv, sizeof(double))) : NULL;
    for (int k = 0; k < m->states; k++)
        fill_state(m, k);
    make_lanes(m, ctx);
    free(bodies);
    free(joints);
    free(models);
}

static void free_model(model *m)
{
    dfl_multibody_lanes_free(m->lanes);
    free(m->lane_p);
    free(m->lane_v);
    free(m->lane_tau);
    free(m->lane_a);
    free(m->lane_out);
    dfl_multibody_free(m->multibody);
    free(m->p);
    free(m->v);
    free(m->tau);
    free(m->a);
    free(m->out);
    free(m->M);
}

static void forward(void *user, int k)
{
    model *m = user;
    dfl_multibody_move(m->multibody, 0, m->p + (long)k * m->np, m->v + (long)k * m->nv);
    dfl_multibody_forward(m->out, NULL, m->multibody, m->tau + (long)k * m->nv);
}

static void inverse(void *user, int k)
{
    model *m = user;
    dfl_multibody_move(m->multibody, 0, m->p + (long)k * m->np, m->v + (long)k * m->nv);
    dfl_multibody_inverse(m->out, m->multibody, m->a + (long)k * m->nv);
}

static void mass(void *user, int k)
{
    model *m = user;
    dfl_multibody_move(m->multibody, 0, m->p + (long)k * m->np, NULL);
    dfl_multibody_mass(m->M, m->multibody);
}

static void forward_lanes(void *user, int k)
{
    model *m = user;
    (void)k;
    dfl_multibody_lanes_move(m->lanes, 0, m->lane_p, m->lane_v);
    dfl_multibody_lanes_forward(m->lane_out, m->lanes, m->lane_tau);
}

static void inverse_lanes(void *user, int k)
{
    model *m = user;
    (void)k;
    dfl_multibody_lanes_move(m->lanes, 0, m->lane_p, m->lane_v);
    dfl_multibody_lanes_inverse(m->lane_out, m->lanes, m->lane_a);
}

/* All velocities but those of a free base. */
static int revolute_out(double *y, void *user)
{
    const model *m = user;
    const int first = m->shape == TREE_LEGS ? 6 : 0;
    memcpy(y, m->out + first, (size_t)(m->nv - first) * sizeof *y);
    return m->nv - first;
}

static int lane_values(double *y, void *user)
{
    model *m = user;
    for (int i = 0; i < m->nv; i++)
        m->out[i] = m->lane_out[(long)i * DFL_MULTIBODY_LANES];
    return revolute_out(y, m);
}

static int mass_values(double *y, void *user)
{
    model *m = user;
    double energy = 0;
    for (int i = 0; i < m->nv; i++) {
        m->out[i] = 0;
        for (int k = 0; k < m->nv; k++)
            m->out[i] += m->M[(long)k * m->nv + i] * m->v[k];
        energy += m->out[i] * m->v[i];
    }
    const int n = revolute_out(y, m);
    y[n] = energy;
    return n + 1;
}

static void report(model *m, int values)
{
    const tree_task tasks[] = {
        {"FD", forward, revolute_out, 1},
        {"ID", inverse, revolute_out, 1},
        {"FD, four states at once", forward_lanes, lane_values, DFL_MULTIBODY_LANES},
        {"ID, four states at once", inverse_lanes, lane_values, DFL_MULTIBODY_LANES},
        {"M", mass, mass_values, 1}};
    const tree_case c = {"driftless", m->shape, m->n, m->nv, m->bytes, m};
    tree_report(&c, tasks, m->M ? 5 : 4, values);
}

static void count(model *m, int calls)
{
    for (int i = 0; i < calls; i++) {
        forward(m, i % m->states);
        inverse(m, i % m->states);
        if (m->M)
            mass(m, i % m->states);
    }
}

int main(int argc, char **argv)
{
    int shape, n, values;
    model m;
    tree_arguments(&shape, &n, &values, argc, argv);
    dfl_context *ctx = need(dfl_context_create());
    make_model(&m, ctx, shape, n);
    if (argc > 3 && !values)
        count(&m, atoi(argv[3]));
    else
        report(&m, values);
    free_model(&m);
    dfl_context_free(ctx);
    return 0;
}
