/* bench_tree_runs: a model of tree_models.h falls from its first random state: by
   driftless/multibody.h and the solver (one JSON line: least CPU time, steps, the last angles), or
   printed as a script for `driftless run`. bench/tree_runs.py compares both.
   usage: bench_tree_runs MODEL N SECONDS TOLERANCE [script] */
#define _DEFAULT_SOURCE
#include "tree_description.h"
#include "tree_report.h"

/* x = [v | p], no multipliers: trees have no loops. */
typedef struct tree {
    int shape, n;
    dfl_rigid_body *bodies;
    dfl_joint *joints;
    dfl_multibody *multibody;
    dfl_multibody_sizes sizes;
    double *x0;
} tree;

static void *need(void *block)
{
    if (!block) {
        fprintf(stderr, "bench_tree_runs: no memory\n");
        exit(1);
    }
    return block;
}

static void check(dfl_status status, dfl_context *ctx)
{
    if (!status)
        return;
    fprintf(stderr, "bench_tree_runs: %s\n", dfl_message(ctx));
    exit(1);
}

static void make_tree(tree *m, dfl_context *ctx, int shape, int n)
{
    *m = (tree){.shape = shape, .n = n};
    m->bodies = need(calloc((size_t)n, sizeof *m->bodies));
    m->joints = need(calloc((size_t)n, sizeof *m->joints));
    tree_body *models = need(calloc((size_t)n, sizeof *models));
    tree_fill(models, shape, n);
    tree_describe(m->bodies, m->joints, models, n);
    free(models);
    const dfl_multibody_description d = {.nbodies = n,
                                         .njoints = n,
                                         .bodies = m->bodies,
                                         .joints = m->joints,
                                         .gravity = {0, 0, -9.81}};
    check(dfl_multibody_create(&m->multibody, ctx, &d), ctx);
    m->sizes = dfl_multibody_sizes_of(m->multibody);
    const int nv = m->sizes.nv;
    double *tau = need(calloc((size_t)nv, sizeof *tau));
    m->x0 = need(calloc((size_t)(nv + m->sizes.np), sizeof *m->x0));
    tree_describe_state(m->x0 + nv, m->x0, tau, shape, nv, 0);
    free(tau);
}

static void free_tree(tree *m)
{
    dfl_multibody_free(m->multibody);
    free(m->bodies);
    free(m->joints);
    free(m->x0);
}

/* One run, from the creation of the solver; returns its CPU time and leaves the last state in x. */
static double run_once(double *x, dfl_statistics *stats, const tree *m, dfl_context *ctx,
                       double seconds, double tolerance)
{
    const dfl_solver_options options = {.rtol = tolerance, .atol = tolerance};
    const dfl_eom *eom = NULL;
    dfl_solver *solver = NULL;
    const double start = tree_now();
    check(dfl_multibody_eom(&eom, m->multibody), ctx);
    check(dfl_solver_create(&solver, ctx, eom, &options), ctx);
    check(dfl_solver_start(solver, 0, m->x0, NULL), ctx);
    check(dfl_solver_advance(solver, seconds), ctx);
    const double elapsed = tree_now() - start;
    memcpy(x, dfl_solver_state(solver), (size_t)(m->sizes.nv + m->sizes.np) * sizeof *x);
    *stats = dfl_solver_statistics(solver);
    dfl_solver_free(solver);
    return elapsed;
}

static void print_run(const tree *m, dfl_context *ctx, double seconds, double tolerance)
{
    enum { REPEATS = 5 };
    double least = INFINITY, *x = need(calloc((size_t)(m->sizes.nv + m->sizes.np), sizeof *x));
    const double *angle = x + m->sizes.nv + (m->shape == TREE_LEGS ? 7 : 0);
    dfl_statistics stats;
    for (int i = 0; i < REPEATS; i++)
        least = fmin(least, run_once(x, &stats, m, ctx, seconds, tolerance));
    printf("{\"model\":\"%s\",\"bodies\":%d,\"cpu_seconds\":%.6g,\"steps\":%ld,\"angles\":[",
           tree_shape_name[m->shape], m->n, least, stats.accepted);
    for (int i = 0; i < m->sizes.nv - (m->shape == TREE_LEGS ? 6 : 0); i++)
        printf(i ? ",%.17g" : "%.17g", angle[i]);
    printf("]}\n");
    free(x);
}

static void print_list(const char *before, const double *x, int n, const char *after)
{
    printf("%s{", before);
    for (int i = 0; i < n; i++)
        printf(i ? ", %.17g" : "%.17g", x[i]);
    printf("}%s", after);
}

static void print_body(const tree *m, int i)
{
    const dfl_rigid_body *b = &m->bodies[i];
    printf("b[%d] = body('b%d', {mass = %.17g", i, i, b->mass);
    print_list(", com = ", b->com, 3, "");
    print_list(", inertia = ", b->inertia, 6, "})\n");
}

/* The coordinates of a joint, then its velocities, by their names. */
static void print_initial(const tree *m, int i)
{
    static const char *const free_p[] = {"q1", "q2", "q3", "q4", "q5", "q6", "q7"};
    static const char *const free_v[] = {"w1", "w2", "w3", "v1", "v2", "v3"};
    const bool is_free = m->joints[i].kind == DFL_JOINT_FREE;
    const double *v = m->x0 + dfl_multibody_joint_v(m->multibody, i);
    const double *p = m->x0 + m->sizes.nv + dfl_multibody_joint_p(m->multibody, i);
    for (int k = 0; k < (is_free ? 7 : 1); k++)
        printf("initial{[j.%s] = %.17g}\n", is_free ? free_p[k] : "q", p[k]);
    for (int k = 0; k < (is_free ? 6 : 1); k++)
        printf("initial{[j.%s] = %.17g}\n", is_free ? free_v[k] : "qd", v[k]);
}

static void print_script(const tree *m, double seconds, double tolerance)
{
    printf("gravity{0, 0, -9.81}\nlocal b, j = {[-1] = ground}, nil\n");
    for (int i = 0; i < m->n; i++) {
        const dfl_joint *joint = &m->joints[i];
        const bool is_free = joint->kind == DFL_JOINT_FREE;
        print_body(m, i);
        printf("j = %s('j%d', b[%d], b[%d]", is_free ? "free" : "revolute", i, joint->parent, i);
        print_list(", {at = ", joint->at, 3, "");
        if (!is_free)
            print_list(", axis = ", joint->axis, 3, "");
        printf("})\n");
        print_initial(m, i);
    }
    printf("simulate{to = %.17g, rtol = %g, atol = %g}\n", seconds, tolerance, tolerance);
}

int main(int argc, char **argv)
{
    int shape, n, values;
    tree m;
    if (argc < 5) {
        fprintf(stderr, "usage: bench_tree_runs MODEL N SECONDS TOLERANCE [script]\n");
        return 2;
    }
    tree_arguments(&shape, &n, &values, 3, argv);
    dfl_context *ctx = need(dfl_context_create());
    make_tree(&m, ctx, shape, n);
    if (argc > 5)
        print_script(&m, atof(argv[3]), atof(argv[4]));
    else
        print_run(&m, ctx, atof(argv[3]), atof(argv[4]));
    free_tree(&m);
    dfl_context_free(ctx);
    return 0;
}
