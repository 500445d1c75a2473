/* The recursions on expressions give equations of the size that counts of operations promise. */
#include "drawn.h"

#include <stdlib.h>

enum { ARM = 7 };

/* Operations of M (lower triangle) and f together, and of f alone, without symbols and
   constants. */
typedef struct sizes {
    int both, f;
} sizes;

static int operations(const dfl_graph *graph, const dfl_expr *rows, int n)
{
    int count = (int)dfl_graph_size(graph, rows, n), leaves = 0;
    unsigned char *below = calloc(graph->nnodes, 1);
    for (int i = 0; i < n; i++)
        below[rows[i]] = 1;
    for (dfl_expr e = graph->nnodes; e-- > 0;) {
        const dfl_node *node = dfl_node_of(graph, e);
        const dfl_expr operand[3] = {node->a, node->b, node->c};
        for (int k = 0; below[e] && k < dfl_op_operands((dfl_op)node->op); k++)
            below[operand[k]] = 1;
        leaves += below[e] && (node->op == DFL_OP_CONSTANT || node->op == DFL_OP_SYMBOL);
    }
    free(below);
    return count - leaves;
}

static sizes sizes_of(drawn *d)
{
    dfl_expr rows[1000];
    int n = 0;
    drawn_finish(d);
    for (int i = 0; i < d->eq->nv; i++)
        rows[n++] = d->eq->rows.f[i];
    const int f = operations(d->model->graph, rows, n);
    for (int k = 0; k < d->eq->M.count; k++)
        rows[n++] = d->eq->M.entry[k].expr;
    return (sizes){operations(d->model->graph, rows, n), f};
}

/* A serial chain of revolute joints. Twisted: axes of coordinates, each perpendicular to the one
   before, and all masses and inertias are parameters; otherwise general axes and points, and
   numbers. */
static void make_arm(drawn *d, int n, bool twisted, uint64_t *seed)
{
    char name[20];
    int number;
    d->parameters = false;
    const double gravity[3] = {0, 0, -9.81};
    drawn_expect(d, dfl_drawing_set_gravity(d->drawing, 0, plain_vector(d, gravity)));
    for (int i = 0; i < n; i++) {
        double at[3] = {0, 0, 0.3 * i}, axis[3] = {0, i % 2, i % 2 == 0};
        dfl_rigid_body body = {0};
        random_inertia(&body, WHOLE, seed);
        const double all[10] = {body.mass,       body.com[0],     body.com[1],     body.com[2],
                                body.inertia[0], body.inertia[1], body.inertia[2], body.inertia[3],
                                body.inertia[4], body.inertia[5]};
        dfl_expr k[10];
        for (int j = 0; j < 10; j++) {
            snprintf(name, sizeof name, "k%d_%d", i, j);
            k[j] = dfl_constant(d->model->graph, all[j]);
            if (twisted)
                drawn_expect(d, dfl_model_param(&k[j], d->model, 0, name, all[j], NULL));
        }
        if (!twisted) {
            numbers(at, 3, seed, 1.0);
            numbers(axis, 3, seed, 1.0);
        }
        snprintf(name, sizeof name, "b%d", i);
        const dfl_drawn_body b = {.name = name,
                                  .mass = k[0],
                                  .com = {{k[1], k[2], k[3]}},
                                  .inertia = {{k[4], k[5], k[6], k[7], k[8], k[9]}}};
        drawn_expect(d, dfl_drawing_body(&number, d->drawing, &b));
        char joint[20];
        snprintf(joint, sizeof joint, "j%d", i);
        const dfl_drawn_joint j = {.name = joint,
                                   .kind = DFL_JOINT_REVOLUTE,
                                   .parent = i - 1,
                                   .child = i,
                                   .at = plain_vector(d, at),
                                   .axis = plain_vector(d, axis)};
        drawn_expect(d, dfl_drawing_joint(&number, d->drawing, &j));
    }
}

static void an_arm_has_the_expected_number_of_operations(void **state)
{
    (void)state;
    uint64_t seed = 1;
    /* Counted independently: 1361 with twists of 90 degrees, 2588 with general axes, there for
       inertias about the joints and in their axes. */
    const int expected[2] = {2700, 1361};
    for (int twisted = 0; twisted < 2; twisted++) {
        drawn d = drawn_new(false, false);
        make_arm(&d, ARM, twisted, &seed);
        assert_between(sizes_of(&d).both, 100, expected[twisted]);
        drawn_free(&d);
    }
}

/* Forces grow with the number of bodies, M with its square: no trigonometric products of chains. */
static void operations_of_a_plane_chain_grow_as_they_must(void **state)
{
    (void)state;
    sizes all[5] = {{0, 0}};
    for (int n = 2; n <= 8; n += 2) {
        drawn d = drawn_new(true, false);
        char name[20], joint[20];
        int number;
        const double gravity[3] = {0, -9.81, 0};
        drawn_expect(&d, dfl_drawing_set_gravity(d.drawing, 0, plain_vector(&d, gravity)));
        for (int i = 0; i < n; i++) {
            const double com[3] = {i + 0.5, 0, 0}, at[3] = {i, 0, 0};
            dfl_drawn_body b = {.name = name, .com = plain_vector(&d, com)};
            snprintf(name, sizeof name, "m%d", i);
            drawn_expect(&d, dfl_model_param(&b.mass, d.model, 0, name, 1, NULL));
            snprintf(name, sizeof name, "J%d", i);
            drawn_expect(&d, dfl_model_param(&b.inertia.e[2], d.model, 0, name, 1, NULL));
            snprintf(name, sizeof name, "b%d", i);
            drawn_expect(&d, dfl_drawing_body(&number, d.drawing, &b));
            snprintf(joint, sizeof joint, "j%d", i);
            const dfl_drawn_joint j = {.name = joint,
                                       .kind = DFL_JOINT_REVOLUTE,
                                       .parent = i - 1,
                                       .child = i,
                                       .at = plain_vector(&d, at)};
            drawn_expect(&d, dfl_drawing_joint(&number, d.drawing, &j));
        }
        all[n / 2] = sizes_of(&d);
        drawn_free(&d);
    }
    assert_between(all[4].f - all[3].f, 0, 70); /* 35 per body */
    assert_int_equal(all[4].f - all[3].f, all[3].f - all[2].f);
    const int M[3] = {all[2].both - all[2].f, all[3].both - all[3].f, all[4].both - all[4].f};
    assert_between(M[2] - 2 * M[1] + M[0], 0, 16); /* second difference: 2 n^2 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arm_has_the_expected_number_of_operations),
        cmocka_unit_test(operations_of_a_plane_chain_grow_as_they_must),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
