/* test_graph.c: nodes are shared, constructors keep values, failures are clean. */
#include "failing.h"
#include "random_expr.h"

#include <limits.h>

typedef struct fixture {
    dfl_context *ctx;
    dfl_graph *g;
    dfl_expr x, y, z;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    *state = f;
    f->ctx = dfl_context_create();
    assert_int_equal(dfl_graph_create(&f->g, f->ctx, 0), DFL_OK);
    f->x = dfl_symbol_expr(f->g, DFL_SYM_P, 0, "x");
    f->y = dfl_symbol_expr(f->g, DFL_SYM_V, 0, "y");
    f->z = dfl_symbol_expr(f->g, DFL_SYM_PARAM, 3, "z");
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    dfl_graph_free(f->g);
    assert_int_equal(dfl_context_live(f->ctx), 0);
    dfl_context_free(f->ctx);
    free(f);
    return 0;
}

static dfl_expr number(fixture *f, double value)
{
    return dfl_constant(f->g, value);
}

static dfl_expr unary(fixture *f, dfl_op op, dfl_expr a)
{
    return dfl_unary(f->g, op, a);
}

static dfl_expr power(fixture *f, dfl_expr a, double n)
{
    return dfl_binary(f->g, DFL_OP_POW, a, dfl_constant(f->g, n));
}

static void node_0_is_the_constant_0_and_zeros_are_one(void **state)
{
    fixture *f = *state;
    assert_true(dfl_is_constant(f->g, 0) && dfl_constant_value(f->g, 0) == 0);
    assert_int_equal(number(f, 0.0), 0);
    assert_int_equal(number(f, -0.0), 0);
    assert_int_equal(dfl_neg(f->g, 0), 0);
}

static void equal_requests_give_the_same_node(void **state)
{
    fixture *f = *state;
    dfl_graph *g = f->g;
    assert_int_equal(number(f, 0.1), number(f, 0.1));
    assert_int_not_equal(number(f, 0.1), number(f, nextafter(0.1, 1)));
    assert_int_equal(number(f, NAN), number(f, NAN));
    assert_int_equal(f->z, dfl_symbol_expr(g, DFL_SYM_PARAM, 3, "ignored"));
    assert_string_equal(g->symbols[dfl_node_of(g, f->z)->a].name, "z");
    assert_int_equal(g->symbols[dfl_node_of(g, f->z)->a].expr, f->z);
    assert_int_equal(dfl_add(g, f->x, f->y), dfl_add(g, f->y, f->x));
    assert_int_equal(dfl_mul(g, f->x, f->y), dfl_mul(g, f->y, f->x));
    assert_int_not_equal(dfl_sub(g, f->x, f->y), dfl_sub(g, f->y, f->x));
    const uint32_t nodes = g->nnodes;
    const uint64_t requests = g->requests;
    dfl_mul(g, f->x, dfl_add(g, f->x, f->y));
    dfl_mul(g, f->x, dfl_add(g, f->x, f->y));
    assert_int_equal(g->nnodes, nodes + 1);
    assert_int_equal(g->requests, requests + 4);
}

static void signs_move_outward(void **state)
{
    fixture *f = *state;
    dfl_graph *g = f->g;
    const dfl_expr x = f->x, y = f->y, mx = dfl_neg(g, x), my = dfl_neg(g, y);
    assert_int_equal(dfl_neg(g, mx), x);
    assert_int_equal(dfl_mul(g, mx, y), dfl_neg(g, dfl_mul(g, x, y)));
    assert_int_equal(dfl_mul(g, mx, my), dfl_mul(g, x, y));
    assert_int_equal(dfl_add(g, x, my), dfl_sub(g, x, y));
    assert_int_equal(dfl_sub(g, x, my), dfl_add(g, x, y));
    assert_int_equal(dfl_neg(g, dfl_sub(g, x, y)), dfl_sub(g, y, x));
    assert_int_equal(dfl_add(g, mx, my), dfl_neg(g, dfl_add(g, x, y)));
    assert_int_equal(dfl_sub(g, mx, my), dfl_sub(g, y, x));
    assert_int_equal(dfl_div(g, mx, my), dfl_div(g, x, y));
    assert_int_equal(dfl_sub(g, x, number(f, 3)), dfl_add(g, number(f, -3), x));
    assert_int_equal(dfl_neg(g, dfl_mul(g, number(f, 3), x)), dfl_mul(g, x, number(f, -3)));
    assert_int_equal(dfl_sub(g, x, dfl_mul(g, number(f, -3), y)),
                     dfl_add(g, x, dfl_mul(g, number(f, 3), y)));
    assert_int_equal(dfl_neg(g, dfl_add(g, x, number(f, 3))), dfl_sub(g, number(f, -3), x));
    assert_int_equal(unary(f, DFL_OP_SIN, mx), dfl_neg(g, unary(f, DFL_OP_SIN, x)));
    assert_int_equal(unary(f, DFL_OP_COS, mx), unary(f, DFL_OP_COS, x));
    assert_int_equal(unary(f, DFL_OP_SQ, mx), unary(f, DFL_OP_SQ, x));
    assert_int_equal(unary(f, DFL_OP_ABS, mx), unary(f, DFL_OP_ABS, x));
    /* its slope at 0 is that of a side, not 0/0 */
    const dfl_expr square = unary(f, DFL_OP_SQ, x);
    assert_int_equal(unary(f, DFL_OP_SQRT, square), unary(f, DFL_OP_ABS, x));
    assert_int_equal(unary(f, DFL_OP_SQRT, unary(f, DFL_OP_SQ, square)), square);
    assert_int_equal(unary(f, DFL_OP_TANH, mx), dfl_neg(g, unary(f, DFL_OP_TANH, x)));
}

static void neutral_elements_vanish(void **state)
{
    fixture *f = *state;
    dfl_graph *g = f->g;
    const dfl_expr x = f->x, one = number(f, 1);
    assert_int_equal(dfl_add(g, x, 0), x);
    assert_int_equal(dfl_sub(g, x, 0), x);
    assert_int_equal(dfl_sub(g, 0, x), dfl_neg(g, x));
    assert_int_equal(dfl_mul(g, one, x), x);
    assert_int_equal(dfl_mul(g, x, number(f, -1)), dfl_neg(g, x));
    assert_int_equal(dfl_div(g, x, one), x);
    assert_int_equal(dfl_mul(g, x, 0), 0);
    assert_int_equal(dfl_div(g, 0, x), 0);
    assert_int_equal(dfl_sub(g, x, x), 0);
    assert_int_equal(dfl_add(g, x, x), dfl_mul(g, number(f, 2), x));
    assert_int_equal(power(f, x, 0), one);
    assert_int_equal(power(f, x, 1), x);
    assert_int_equal(dfl_select(g, x, f->y, f->y), f->y);
    assert_int_equal(dfl_select(g, one, x, f->y), x);
    assert_int_equal(dfl_select(g, 0, x, f->y), f->y);
    assert_int_equal(dfl_binary(g, DFL_OP_MIN, x, x), x);
    assert_int_not_equal(dfl_binary(g, DFL_OP_MIN, x, f->y),
                         dfl_binary(g, DFL_OP_MIN, f->y, x)); /* they differ for NaN */
    assert_int_not_equal(dfl_div(g, x, x), one);              /* 0/0 stays visible */
}

static void constants_merge_and_divide_only_exactly(void **state)
{
    fixture *f = *state;
    dfl_graph *g = f->g;
    assert_int_equal(dfl_mul(g, number(f, 3), dfl_mul(g, number(f, 5), f->x)),
                     dfl_mul(g, number(f, 15), f->x));
    assert_int_equal(dfl_div(g, f->x, number(f, 4)), dfl_mul(g, number(f, 0.25), f->x));
    assert_int_equal(dfl_node_of(g, dfl_div(g, f->x, number(f, 3)))->op, DFL_OP_DIV);
    /* a product of constants that leaves the range is not formed */
    const dfl_expr tiny = dfl_mul(g, number(f, 1e-200), dfl_mul(g, number(f, 1e-200), f->x));
    const dfl_expr huge = dfl_mul(g, number(f, 1e200), dfl_mul(g, number(f, 1e200), f->x));
    assert_int_not_equal(tiny, 0);
    assert_int_equal(dfl_node_of(g, huge)->op, DFL_OP_MUL);
    assert_int_equal(dfl_constant_value(g, dfl_node_of(g, huge)->a) == 1e200, 1);
}

static void small_integer_powers_are_products(void **state)
{
    fixture *f = *state;
    dfl_graph *g = f->g;
    const dfl_expr x2 = unary(f, DFL_OP_SQ, f->x);
    assert_int_equal(power(f, f->x, 2), x2);
    assert_int_equal(dfl_mul(g, f->x, f->x), x2);
    assert_int_equal(power(f, f->x, 3), dfl_mul(g, x2, f->x));
    assert_int_equal(power(f, f->x, 4), unary(f, DFL_OP_SQ, x2));
    assert_int_equal(power(f, f->x, -2), dfl_div(g, number(f, 1), x2));
    assert_int_equal(power(f, f->x, 0.5), unary(f, DFL_OP_SQRT, f->x));
    assert_int_equal(power(f, f->x, -0.5), dfl_div(g, number(f, 1), unary(f, DFL_OP_SQRT, f->x)));
    assert_int_equal(dfl_node_of(g, power(f, f->x, 17))->op, DFL_OP_POW);
    assert_int_equal(dfl_node_of(g, power(f, f->x, 2.5))->op, DFL_OP_POW);
    for (int n = -16; n <= 16; n++) {
        const dfl_expr e = power(f, f->x, n);
        double x[3] = {1.25}, *v = evaluate_graph(g, x);
        assert_true(fabs(v[e] - pow(1.25, n)) <= 16 * DBL_EPSILON * v[e]);
        free(v);
    }
}

static void squares_of_sine_and_cosine_add_up(void **state)
{
    fixture *f = *state;
    dfl_graph *g = f->g;
    const dfl_expr u = dfl_add(g, f->x, f->y), s = unary(f, DFL_OP_SIN, u),
                   c = unary(f, DFL_OP_COS, u), one = number(f, 1);
    const dfl_expr s2 = unary(f, DFL_OP_SQ, s), c2 = unary(f, DFL_OP_SQ, c);
    assert_int_equal(dfl_add(g, s2, c2), one);
    assert_int_equal(dfl_add(g, c2, s2), one);
    assert_int_equal(dfl_add(g, dfl_mul(g, f->z, s2), dfl_mul(g, c2, f->z)), f->z);
    assert_int_equal(dfl_add(g, dfl_mul(g, number(f, 3), s2), dfl_mul(g, c2, number(f, 3))),
                     number(f, 3));
    const dfl_expr zs = dfl_mul(g, f->z, s), zc = dfl_mul(g, f->z, c);
    assert_int_equal(dfl_add(g, unary(f, DFL_OP_SQ, zs), unary(f, DFL_OP_SQ, zc)),
                     unary(f, DFL_OP_SQ, f->z));
    assert_int_equal(dfl_node_of(g, dfl_add(g, s2, unary(f, DFL_OP_SQ, zc)))->op, DFL_OP_ADD);
    assert_int_equal(dfl_node_of(g, dfl_add(g, s2, s2))->op, DFL_OP_MUL);
    assert_int_equal(dfl_node_of(g, dfl_add(g, dfl_mul(g, f->z, s2), dfl_mul(g, f->y, c2)))->op,
                     DFL_OP_ADD);
    assert_int_equal(
        dfl_node_of(g, dfl_add(g, s2, unary(f, DFL_OP_SQ, unary(f, DFL_OP_COS, f->x))))->op,
        DFL_OP_ADD);
}

static void what_is_not_finite_does_not_fold(void **state)
{
    fixture *f = *state;
    dfl_graph *g = f->g;
    const dfl_expr one = number(f, 1), infinity = number(f, INFINITY), nan = number(f, NAN);
    const dfl_expr e[] = {dfl_div(g, one, 0),
                          dfl_div(g, 0, 0),
                          unary(f, DFL_OP_LOG, 0),
                          unary(f, DFL_OP_SQRT, number(f, -1)),
                          unary(f, DFL_OP_EXP, number(f, 1000)),
                          unary(f, DFL_OP_ASIN, number(f, 2)),
                          power(f, 0, -1),
                          power(f, number(f, -2), 0.3),
                          dfl_sub(g, infinity, infinity),
                          dfl_mul(g, 0, infinity),
                          dfl_mul(g, 0, nan),
                          dfl_div(g, 0, nan),
                          dfl_add(g, nan, one)};
    for (size_t i = 0; i < sizeof e / sizeof e[0]; i++)
        assert_false(dfl_is_constant(g, e[i]));
    assert_int_equal(dfl_graph_status(g), DFL_OK);
}

static void depends_tells_the_kinds_of_symbols_below(void **state)
{
    fixture *f = *state;
    const dfl_expr e = dfl_select(f->g, f->x, unary(f, DFL_OP_SIN, f->z), number(f, 2));
    assert_true(dfl_depends(f->g, e, DFL_SYM_P));
    assert_true(dfl_depends(f->g, e, DFL_SYM_PARAM));
    assert_false(dfl_depends(f->g, e, DFL_SYM_V));
    assert_int_equal(dfl_node_of(f->g, number(f, 2))->depends, 0);
}

static void operations_have_names_and_operands(void **state)
{
    (void)state;
    assert_int_equal(dfl_op_operands(DFL_OP_SYMBOL), 0);
    assert_int_equal(dfl_op_operands(DFL_OP_SPLINE), 1);
    assert_int_equal(dfl_op_operands(DFL_OP_ATAN2), 2);
    assert_int_equal(dfl_op_operands(DFL_OP_SELECT), 3);
    assert_string_equal(dfl_op_name(DFL_OP_SELECT), "select");
    assert_string_equal(dfl_op_name(DFL_OP_POW), "^");
    assert_string_equal(dfl_op_name(DFL_OP_TANH), "tanh");
    assert_int_equal(sizeof(dfl_node), 16);
}

static void size_counts_shared_nodes_once(void **state)
{
    fixture *f = *state;
    dfl_graph *g = f->g;
    const dfl_expr sum = dfl_add(g, f->x, f->y), rows[] = {unary(f, DFL_OP_SIN, sum), sum};
    assert_int_equal(dfl_graph_size(g, rows, 2), 4); /* x, y, x + y, sin(x + y) */
    assert_int_equal(dfl_graph_size(g, &f->z, 1), 1);
    assert_int_equal(dfl_graph_size(g, NULL, 0), 0);
    dfl_context_fail_after(f->ctx, 0);
    assert_int_equal(dfl_graph_size(g, rows, 2), 0);
    dfl_context_fail_after(f->ctx, -1);
}

/* Compares every step of a listing with its node. A bound of rounding errors is known where all is
   finite and away from jumps; canonical forms round a few times per step, not once. */
static int compare(listing *l, const dfl_graph *g, const double *x)
{
    int compared = 0;
    double *v = evaluate_graph(g, x);
    evaluate_listing(l, x, g);
    for (int i = 0; i < l->n; i++) {
        if (!isfinite(l->error[i]))
            continue;
        const double found = v[l->expr[i]], tolerance = 16 * DBL_EPSILON * l->error[i];
        if (!(fabs(found - l->value[i]) <= tolerance))
            fail_msg("step %d, %s: found %.17g, expected %.17g within %g", i,
                     dfl_op_name(l->step[i].op), found, l->value[i], tolerance);
        compared++;
    }
    free(v);
    return compared;
}

static void constructors_keep_values_at_random_points(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252u;
    for (int k = 0; k < 3000; k++) {
        dfl_context *ctx = dfl_context_create();
        dfl_expr symbols[SYMBOLS];
        double x[SYMBOLS];
        listing l;
        dfl_graph *g = new_graph(ctx, symbols);
        for (int i = 0; i < SYMBOLS; i++)
            x[i] = random_between(&random, -2, 2);
        random_listing(&l, &random, g, symbols, k % 2 ? x : NULL);
        const int compared = compare(&l, g, x);
        assert_true(k % 2 == 0 || compared == STEPS);
        dfl_graph_free(g);
        dfl_context_free(ctx);
    }
}

static void constructors_keep_values_at_special_points(void **state)
{
    (void)state;
    static const double special[] = {
        0, -0.0, 1, -1, 2, 0.5, 1e150, -1e150, 1e-200, -1e-200, 3.141592653589793, 1e-8};
    const int count = (int)(sizeof special / sizeof special[0]);
    uint64_t random = 2463534242u;
    long compared = 0;
    for (int k = 0; k < 1000; k++) {
        dfl_context *ctx = dfl_context_create();
        dfl_expr symbols[SYMBOLS];
        listing l;
        dfl_graph *g = new_graph(ctx, symbols);
        random_listing(&l, &random, g, symbols, NULL);
        for (int point = 0; point < 5; point++) {
            double x[SYMBOLS];
            for (int i = 0; i < SYMBOLS; i++)
                x[i] = special[random_below(&random, count)];
            compared += compare(&l, g, x);
        }
        dfl_graph_free(g);
        dfl_context_free(ctx);
    }
    assert_true(compared > 5 * 1000 * STEPS / 4); /* many steps of these listings are not finite */
}

static void the_limit_is_named_and_remembered(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_graph *g = NULL;
    assert_int_equal(dfl_graph_create(&g, ctx, 10), DFL_OK);
    dfl_expr e = dfl_symbol_expr(g, DFL_SYM_P, 0, "x");
    for (int i = 0; i < 100; i++)
        e = dfl_unary(g, DFL_OP_SIN, e);
    assert_int_equal(e,
                     dfl_unary(g, DFL_OP_SIN, 0)); /* sin(0) = 0: failed nodes are the constant 0 */
    assert_int_equal(g->nnodes, 10);
    dfl_fail(ctx, DFL_SINGULAR, "something else");
    assert_int_equal(dfl_graph_status(g), DFL_INVALID);
    assert_non_null(strstr(dfl_message(ctx), "more than 10 nodes"));
    assert_non_null(strstr(dfl_message(ctx), "raise the limit"));
    dfl_graph_free(g);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

/* Symbols, constants and nodes, enough that every array grows. */
static dfl_status build_some(dfl_graph *g)
{
    dfl_expr e = 0;
    for (int i = 0; i < 100; i++) {
        const dfl_expr s = dfl_symbol_expr(g, DFL_SYM_P, i, "q");
        e = dfl_add(g, dfl_unary(g, DFL_OP_SIN, e), dfl_mul(g, dfl_constant(g, 0.1 + i), s));
    }
    return dfl_graph_status(g);
}

static void building_survives_every_failed_allocation(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_status status;
    WHILE_ALLOCATIONS_FAIL(status, ctx) {
        dfl_graph *g = NULL;
        status = dfl_graph_create(&g, ctx, 0);
        if (!status)
            status = build_some(g);
        assert_true(status == DFL_OK || dfl_message(ctx)[0]);
        dfl_graph_free(g);
    }
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(node_0_is_the_constant_0_and_zeros_are_one, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(equal_requests_give_the_same_node, set_up, tear_down),
        cmocka_unit_test_setup_teardown(signs_move_outward, set_up, tear_down),
        cmocka_unit_test_setup_teardown(neutral_elements_vanish, set_up, tear_down),
        cmocka_unit_test_setup_teardown(constants_merge_and_divide_only_exactly, set_up, tear_down),
        cmocka_unit_test_setup_teardown(small_integer_powers_are_products, set_up, tear_down),
        cmocka_unit_test_setup_teardown(squares_of_sine_and_cosine_add_up, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_not_finite_does_not_fold, set_up, tear_down),
        cmocka_unit_test_setup_teardown(depends_tells_the_kinds_of_symbols_below, set_up,
                                        tear_down),
        cmocka_unit_test(operations_have_names_and_operands),
        cmocka_unit_test_setup_teardown(size_counts_shared_nodes_once, set_up, tear_down),
        cmocka_unit_test(constructors_keep_values_at_random_points),
        cmocka_unit_test(constructors_keep_values_at_special_points),
        cmocka_unit_test(the_limit_is_named_and_remembered),
        cmocka_unit_test(building_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
