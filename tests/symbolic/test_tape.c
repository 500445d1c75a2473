/* The tape computes what the graph says, bit for bit. */
#include "failing.h"
#include "meter.h"
#include "random_graph.h"
#include "symbolic/tape_internal.h"

enum { NODES = 160 };

/* A tape on a small graph, with everything around it. */
typedef struct bench {
    dfl_context *ctx;
    dfl_graph *graph;
    places where;
    dfl_tape *tape;
    double *work;
} bench;

/* It refers to itself: not to be copied. */
static void make_bench(bench *b)
{
    *b = (bench){.ctx = dfl_context_create()};
    assert_non_null(b->ctx);
    b->graph = random_graph(b->ctx);
    make_places(&b->where);
}

static void make_tape(bench *b, const dfl_target *targets, int n)
{
    if (dfl_tape_create(&b->tape, b->ctx, b->graph, b->where.place, targets, n))
        fail_msg("%s", dfl_message(b->ctx));
    b->work = malloc((dfl_tape_work(b->tape) + 1) * sizeof *b->work);
    assert_non_null(b->work);
}

static void free_tape(bench *b)
{
    free(b->work);
    dfl_tape_free(b->tape);
}

static void free_bench(bench *b)
{
    dfl_graph_free(b->graph);
    assert_int_equal(dfl_context_live(b->ctx), 0);
    dfl_context_free(b->ctx);
}

/* Every fourth expression of a pool is a target; they go to two arrays. */
static int choose_targets(dfl_target *targets, const dfl_expr *pool, int n)
{
    int count = 0;
    for (int i = 0; i < n; i += 4, count++)
        targets[count] = (dfl_target){.expr = pool[i], .array = count % 2, .index = count / 2};
    return count;
}

static void tape_has_the_bits_of_plain_evaluation(void **state)
{
    (void)state;
    uint64_t seed = 20240229;
    for (int round = 0; round < 3000; round++) {
        bench b;
        make_bench(&b);
        dfl_expr pool[NODES];
        dfl_target targets[NODES];
        point p;
        double out[2][NODES], *outs[] = {out[0], out[1]}, value[4 * NODES];
        const int n = 4 + (int)random_below(&seed, NODES - 4);
        random_expressions(b.graph, &seed, pool, (uint32_t)n);
        assert_true(b.graph->nnodes < 4 * NODES);
        const int ntargets = choose_targets(targets, pool, n);
        make_tape(&b, targets, ntargets);
        for (int k = 0; k < 2; k++) {
            make_point(&p, &seed);
            plain_values(value, b.graph, b.where.place, p.in);
            dfl_tape_prepare(b.tape, b.work, p.in);
            dfl_tape_eval(b.tape, b.work, p.in, outs);
            for (int i = 0; i < ntargets; i++)
                assert_same(out[targets[i].array][targets[i].index], value[targets[i].expr],
                            "target", i);
        }
        free_tape(&b);
        free_bench(&b);
    }
}

static void lanes_have_the_bits_of_single_states(void **state)
{
    (void)state;
    uint64_t seed = 20261118;
    for (int round = 0; round < 1000; round++) {
        bench b;
        make_bench(&b);
        dfl_expr pool[NODES];
        dfl_target targets[NODES];
        point p[DFL_TAPE_LANES];
        double one[2][NODES], *alone[] = {one[0], one[1]}, out[DFL_TAPE_LANES][2][NODES];
        double *arrays[DFL_TAPE_LANES][2], *const *outs[DFL_TAPE_LANES];
        const double *const *ins[DFL_TAPE_LANES];
        const int n = 4 + (int)random_below(&seed, NODES - 4);
        const int count = 1 + (int)random_below(&seed, DFL_TAPE_LANES);
        random_expressions(b.graph, &seed, pool, (uint32_t)n);
        const int ntargets = choose_targets(targets, pool, n);
        make_tape(&b, targets, ntargets);
        double *lanes = malloc((DFL_TAPE_LANES * dfl_tape_work(b.tape) + 1) * sizeof *lanes);
        assert_non_null(lanes);
        make_point(&p[0], &seed);
        for (int k = 0; k < count; k++) { /* settings are those of the first */
            p[k] = p[0];
            for (int a = 0; a < ARRAYS; a++)
                p[k].in[a] = p[k].value[a];
            for (int i = 0; k > 0 && i < LENGTH; i++) /* the state */
                p[k].value[1][i] = random_value(&seed);
            arrays[k][0] = out[k][0], arrays[k][1] = out[k][1];
            ins[k] = p[k].in, outs[k] = arrays[k];
        }
        dfl_tape_prepare(b.tape, b.work, p[0].in);
        dfl_tape_lanes_prepare(b.tape, lanes, b.work);
        dfl_tape_eval_lanes(b.tape, lanes, ins, outs, count);
        for (int k = 0; k < count; k++) {
            dfl_tape_eval(b.tape, b.work, p[k].in, alone);
            for (int i = 0; i < ntargets; i++)
                assert_same(out[k][targets[i].array][targets[i].index],
                            one[targets[i].array][targets[i].index], "target", i);
        }
        free(lanes);
        free_tape(&b);
        free_bench(&b);
    }
}

/* The derivatives that differentiate.h makes of the pool along a random direction of all symbols.
 */
static void derive_pool(dfl_expr *out, bench *b, const dfl_expr *pool, int n, point *along,
                        uint64_t *seed)
{
    enum { MOST = (DFL_SYM_A + 1) * EACH };
    dfl_expr symbols[MOST], rates[MOST];
    const int count = b->graph->nsymbols;
    make_point(along, seed);
    for (int i = 0; i < count; i++) {
        const dfl_symbol *s = &b->graph->symbols[i];
        const dfl_place *place = &b->where.place[s->kind];
        const double rate = random_below(seed, 3) ? random_between(seed, -1, 1) : 0;
        along->value[place->array][place->slot ? place->slot[s->index] : s->index] = rate;
        symbols[i] = s->expr;
        rates[i] = dfl_constant(b->graph, rate);
    }
    assert_int_equal(dfl_along_exprs(out, b->graph, pool, n, symbols, rates, count), DFL_OK);
}

/* Derivatives by the chain rule on the tape are the values of derived expressions, up to rounding.
 */
static void tangents_are_derivatives(void **state)
{
    enum { FEW = 24 };
    (void)state;
    uint64_t seed = 31415926;
    int compared = 0;
    for (int round = 0; round < 4000; round++) {
        bench b;
        make_bench(&b);
        dfl_expr pool[FEW], derived[FEW];
        dfl_target targets[FEW];
        point p, along;
        double slope[2][FEW], *slopes[] = {slope[0], slope[1]};
        random_expressions(b.graph, &seed, pool, FEW);
        derive_pool(derived, &b, pool, FEW, &along, &seed);
        make_point(&p, &seed);
        for (int a = 0; a < ARRAYS; a++)
            for (int i = 0; i < LENGTH; i++)
                p.value[a][i] = random_between(&seed, -2, 2);
        double *value = malloc(b.graph->nnodes * sizeof *value);
        plain_values(value, b.graph, b.where.place, p.in);
        const int ntargets = choose_targets(targets, pool, FEW);
        make_tape(&b, targets, ntargets);
        double *tangent = malloc((dfl_tape_work(b.tape) + 1) * sizeof *tangent);
        dfl_tape_prepare(b.tape, b.work, p.in);
        dfl_tape_tangent(b.tape, b.work, tangent, p.in, along.in, slopes);
        for (int i = 0; i < ntargets; i++) {
            const double found = slope[targets[i].array][targets[i].index];
            const double expected = value[derived[4 * i]];
            if (!(fabs(expected) < 1e6) || !(fabs(value[targets[i].expr]) < 1e6))
                continue;
            if (!(fabs(found - expected) <= 1e-9 * (1 + fabs(expected))))
                fail_msg("round %d, target %d: %.17g, expected %.17g", round, i, found, expected);
            compared++;
        }
        free(tangent);
        free(value);
        free_tape(&b);
        free_bench(&b);
    }
    assert_true(compared > 10000);
}

/* A part writes its array alone, with the bits of the whole, and has no more operations. */
static void parts_have_the_bits_of_the_whole(void **state)
{
    (void)state;
    uint64_t seed = 4711;
    for (int round = 0; round < 1000; round++) {
        bench b;
        make_bench(&b);
        dfl_expr pool[NODES];
        dfl_target targets[NODES];
        point p;
        double whole[2][NODES], part[2][NODES] = {{0}}, *outs[] = {whole[0], whole[1]};
        const int n = 4 + (int)random_below(&seed, NODES - 4);
        random_expressions(b.graph, &seed, pool, (uint32_t)n);
        const int ntargets = choose_targets(targets, pool, n), array = round % 2;
        make_tape(&b, targets, ntargets);
        dfl_tape *some = NULL;
        assert_int_equal(dfl_tape_select(&some, b.tape, 1U << array), DFL_OK);
        assert_true(dfl_tape_operations(some) <= dfl_tape_operations(b.tape));
        make_point(&p, &seed);
        dfl_tape_prepare(b.tape, b.work, p.in);
        dfl_tape_eval(b.tape, b.work, p.in, outs);
        for (size_t i = 0; i < dfl_tape_work(b.tape); i++)
            b.work[i] = NAN; /* what the part does not compute itself */
        dfl_tape_prepare(b.tape, b.work, p.in);
        dfl_tape_eval(some, b.work, p.in, (double *[]){part[0], part[1]});
        for (int i = 0; i < ntargets; i++)
            if (targets[i].array == array)
                assert_same(part[array][targets[i].index], whole[array][targets[i].index], "target",
                            i);
            else
                assert_true(part[1 - array][targets[i].index] == 0);
        dfl_tape_free(some);
        free_tape(&b);
        free_bench(&b);
    }
}

/* A constant, an input, a parameter, a prepared value and a result, each twice; neighbouring inputs
   that go to neighbouring outputs. */
static void anything_can_be_a_target(void **state)
{
    (void)state;
    bench b;
    make_bench(&b);
    const dfl_expr k = dfl_constant(b.graph, 2.5);
    const dfl_expr m = dfl_symbol_expr(b.graph, DFL_SYM_PARAM, 1, "m");
    const dfl_expr a0 = dfl_symbol_expr(b.graph, DFL_SYM_A, 0, "a0");
    const dfl_expr a1 = dfl_symbol_expr(b.graph, DFL_SYM_A, 1, "a1");
    const dfl_expr a2 = dfl_symbol_expr(b.graph, DFL_SYM_A, 2, "a2");
    const dfl_expr prepared = dfl_unary(b.graph, DFL_OP_SQ, m);
    const dfl_expr result = dfl_mul(b.graph, a1, m);
    const dfl_expr all[] = {k, m, prepared, result, a0, a1, a2, k, m, prepared, result, a0};
    const double expected[] = {2.5, 3, 9, 21, 5, 7, 11, 2.5, 3, 9, 21, 5};
    enum { COUNT = sizeof all / sizeof *all };
    dfl_target targets[COUNT];
    for (int i = 0; i < COUNT; i++)
        targets[i] = (dfl_target){.expr = all[i], .array = 0, .index = i};
    make_tape(&b, targets, COUNT);
    assert_int_equal(dfl_tape_operations(b.tape), 1);
    assert_int_equal(b.tape->prepare.count, 1);

    point p = {.value = {[2] = {5, 7, 11}, [3] = {0, 3}}};
    for (int i = 0; i < ARRAYS; i++)
        p.in[i] = p.value[i];
    double out[COUNT], *outs[] = {out};
    dfl_tape_prepare(b.tape, b.work, p.in);
    dfl_tape_eval(b.tape, b.work, p.in, outs);
    for (int i = 0; i < COUNT; i++)
        assert_same(out[i], expected[i], "target", i);
    free_tape(&b);
    free_bench(&b);
}

static void tape_without_targets_does_nothing(void **state)
{
    (void)state;
    bench b;
    make_bench(&b);
    make_tape(&b, NULL, 0);
    assert_int_equal(dfl_tape_operations(b.tape), 0);
    dfl_tape_prepare(b.tape, b.work, NULL);
    dfl_tape_eval(b.tape, b.work, NULL, NULL);
    free_tape(&b);
    free_bench(&b);
}

/* Preparation alone reads parameters, evaluation alone the state: sizes of the two parts of
   x (m g) + sin(m) x. */
static void parameters_are_computed_once(void **state)
{
    (void)state;
    bench b;
    make_bench(&b);
    const dfl_expr m = dfl_symbol_expr(b.graph, DFL_SYM_PARAM, 0, "m");
    const dfl_expr g = dfl_symbol_expr(b.graph, DFL_SYM_INPUT, 0, "g");
    const dfl_expr x = dfl_symbol_expr(b.graph, DFL_SYM_A, 0, "x");
    const dfl_expr sum = dfl_add(b.graph, dfl_mul(b.graph, x, dfl_mul(b.graph, m, g)),
                                 dfl_mul(b.graph, dfl_unary(b.graph, DFL_OP_SIN, m), x));
    make_tape(&b, &(dfl_target){.expr = sum}, 1);
    assert_int_equal(b.tape->prepare.count, 2);
    assert_int_equal(dfl_tape_operations(b.tape), 3);
    free_tape(&b);
    free_bench(&b);
}

static void symbol_without_place_is_named(void **state)
{
    (void)state;
    bench b;
    make_bench(&b);
    const dfl_expr x = dfl_symbol_expr(b.graph, DFL_SYM_P, 1, "crank.q");
    const dfl_target target = {.expr = dfl_unary(b.graph, DFL_OP_SIN, x)};
    b.where.slot[STATES - 1][1] = -1;
    assert_int_equal(dfl_tape_create(&b.tape, b.ctx, b.graph, b.where.place, &target, 1),
                     DFL_INVALID);
    assert_null(b.tape);
    assert_non_null(strstr(dfl_message(b.ctx), "'crank.q'"));
    free_bench(&b);
}

/* The pair is computed by one call of libm; the single functions, called through pointers that no
   compiler looks through, say the same. */
static void sine_and_cosine_together_have_the_bits_of_each_alone(void **state)
{
    (void)state;
    double (*volatile sine)(double) = sin;
    double (*volatile cosine)(double) = cos;
    static const double scale[] = {5e-324, 1e-310, 1e-160, 1e-9, 1e-3, 0.5,  0.855469, 1.5707963,
                                   2.4,    3.15,   30,     1e4,  1e8,  1e12, 1e22,     1e300};
    bench b;
    make_bench(&b);
    const dfl_expr x = dfl_symbol_expr(b.graph, DFL_SYM_A, 0, "x");
    const dfl_target targets[] = {{.expr = dfl_unary(b.graph, DFL_OP_SIN, x), .index = 0},
                                  {.expr = dfl_unary(b.graph, DFL_OP_COS, x), .index = 1}};
    make_tape(&b, targets, 2);
    uint64_t seed = 5;
    for (int i = 0; i < 200000; i++) {
        const double value = scale[i % 16] * random_between(&seed, -2, 2);
        double out[2], *outs[] = {out};
        dfl_tape_eval(b.tape, b.work, (const double *[]){NULL, NULL, &value}, outs);
        assert_same(out[0], sine(value), "sine of case", i);
        assert_same(out[1], cosine(value), "cosine of case", i);
    }
    free_tape(&b);
    free_bench(&b);
}

/* A chain of BODIES points, as a loop in a model writes it: distances between neighbours, their
   roots, products with the same parameter, negative ones, quotients, and something irregular. */
enum { BODIES = 50, PER_BODY = 4 };

static int chain_targets(dfl_target *targets, dfl_graph *graph)
{
    dfl_expr before[2] = {dfl_constant(graph, 0), dfl_constant(graph, 0)};
    const dfl_expr m = dfl_symbol_expr(graph, DFL_SYM_PARAM, 0, "m");
    int count = 0;
    for (int i = 0; i < BODIES; i++) {
        dfl_expr now[2], square[2];
        for (int k = 0; k < 2; k++) {
            char name[32];
            snprintf(name, sizeof name, "%c%d", "xy"[k], i);
            now[k] = dfl_symbol_expr(graph, DFL_SYM_P, 2 * i + k, name);
            square[k] =
                dfl_unary(graph, DFL_OP_SQ, dfl_binary(graph, DFL_OP_SUB, now[k], before[k]));
            before[k] = now[k];
        }
        const dfl_expr sum = dfl_binary(graph, DFL_OP_ADD, square[0], square[1]);
        const dfl_expr length = dfl_unary(graph, DFL_OP_SQRT, sum);
        const dfl_expr force = dfl_binary(graph, DFL_OP_MUL, m, length);
        const dfl_expr quotient = dfl_binary(graph, DFL_OP_DIV, square[0], length);
        const dfl_expr all[PER_BODY] = {dfl_unary(graph, DFL_OP_NEG, force), quotient,
                                        dfl_unary(graph, DFL_OP_SIN, sum),
                                        dfl_binary(graph, DFL_OP_DIV, m, sum)};
        for (int k = 0; k < PER_BODY; k++, count++)
            targets[count] = (dfl_target){.expr = all[k], .array = k % 2, .index = 2 * i + k / 2};
    }
    return count;
}

/* A tape of one target alone has no operations that could be run together. */
static double alone(dfl_context *ctx, const dfl_graph *graph, const dfl_place *where,
                    const dfl_target *target, const double *const *in)
{
    dfl_tape *tape = NULL;
    double value, work[64], *out[] = {&value};
    const dfl_target first = {.expr = target->expr};
    assert_int_equal(dfl_tape_create(&tape, ctx, graph, where, &first, 1), DFL_OK);
    assert_null(tape->plan);
    assert_true(dfl_tape_work(tape) <= 64);
    dfl_tape_prepare(tape, work, in);
    dfl_tape_eval(tape, work, in, out);
    dfl_tape_free(tape);
    return value;
}

/* With as few pieces as there are operations in one body, whatever the number of bodies. */
static void operations_of_many_bodies_are_run_together(void **state)
{
    (void)state;
    uint64_t seed = 12;
    dfl_context *ctx = dfl_context_create();
    dfl_graph *graph = NULL;
    dfl_tape *tape = NULL, *part = NULL;
    dfl_target targets[BODIES * PER_BODY];
    dfl_place where[DFL_SYM_KINDS] = {[DFL_SYM_PARAM] = {.array = 1}};
    assert_int_equal(dfl_graph_create(&graph, ctx, 0), DFL_OK);
    const int count = chain_targets(targets, graph);
    assert_int_equal(dfl_tape_create(&tape, ctx, graph, where, targets, count), DFL_OK);
    assert_int_equal(dfl_tape_select(&part, tape, 2), DFL_OK);
    assert_non_null(tape->plan);
    assert_non_null(part->plan);
    assert_true(tape->plan->npieces <= 2 * 12);
    double p[3][2 * BODIES], m = 1.25, out[5][2][2 * BODIES];
    double *work = malloc((1 + DFL_TAPE_LANES) * dfl_tape_work(tape) * sizeof *work);
    double *lanes = work + dfl_tape_work(tape);
    const double *in[3][2] = {{p[0], &m}, {p[1], &m}, {p[2], &m}};
    double *to[5][2];
    for (int k = 0; k < 5; k++)
        to[k][0] = out[k][0], to[k][1] = out[k][1];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 2 * BODIES; i++)
            p[k][i] = random_between(&seed, -2, 2);
    dfl_tape_prepare(tape, work, in[0]);
    dfl_tape_lanes_prepare(tape, lanes, work);
    dfl_tape_eval_lanes(tape, lanes, (const double *const *[]){in[0], in[1], in[2]},
                        (double *const *[]){to[0], to[1], to[2]}, 3);
    dfl_tape_eval(tape, work, in[1], to[3]);
    dfl_tape_eval(part, work, in[1], to[4]);
    for (int i = 0; i < count; i++) {
        const dfl_target *t = &targets[i];
        for (int k = 0; k < 3; k++)
            assert_same(out[k][t->array][t->index], alone(ctx, graph, where, t, in[k]),
                        "lanes, target", i);
        assert_same(out[3][t->array][t->index], out[1][t->array][t->index], "target", i);
        if (t->array == 1)
            assert_same(out[4][1][t->index], out[1][1][t->index], "part, target", i);
    }
    free(work);
    dfl_tape_free(part);
    dfl_tape_free(tape);
    dfl_graph_free(graph);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

static void create_survives_every_failed_allocation(void **state)
{
    (void)state;
    bench b;
    make_bench(&b);
    dfl_expr pool[NODES];
    dfl_target targets[NODES];
    uint64_t seed = 3;
    random_expressions(b.graph, &seed, pool, NODES);
    const int ntargets = choose_targets(targets, pool, NODES);
    dfl_status status;
    WHILE_ALLOCATIONS_FAIL(status, b.ctx) {
        dfl_tape *part = NULL;
        status = dfl_tape_create(&b.tape, b.ctx, b.graph, b.where.place, targets, ntargets);
        if (status)
            assert_null(b.tape);
        else
            status = dfl_tape_select(&part, b.tape, 1);
        if (status)
            assert_null(part);
        dfl_tape_free(part);
        dfl_tape_free(b.tape);
    }
    free_bench(&b);
}

/* Per operation: 8 bytes of code stay; while it is made, another 5 per node for part and register,
   8 for level and pair, 4 + 4 for the order, 4 per level. One input chain of a million operations
   x_(k+1) = x_k^2 + x_(k-1) has the most levels there can be. */
static void a_million_operations_need_little_memory(void **state)
{
    (void)state;
    const uint32_t count = 1000000;
    meter m;
    dfl_context *ctx = dfl_context_create();
    dfl_context *metered = metered_context(&m);
    dfl_graph *graph = NULL;
    dfl_tape *tape = NULL;
    places where;
    make_places(&where);
    assert_int_equal(dfl_graph_create(&graph, ctx, 0), DFL_OK);
    dfl_expr x = dfl_symbol_expr(graph, DFL_SYM_A, 0, "x"), y = x;
    for (uint32_t i = 0; i < count / 2; i++) {
        const dfl_expr next = dfl_add(graph, dfl_unary(graph, DFL_OP_SQ, x), y);
        y = x;
        x = next;
    }
    assert_int_equal(
        dfl_tape_create(&tape, metered, graph, where.place, &(dfl_target){.expr = x}, 1), DFL_OK);
    assert_int_equal(dfl_tape_operations(tape), count);
    assert_true(m.most < (size_t)40 * count);
    assert_true(m.now < (size_t)11 * count);

    double *work = calloc(dfl_tape_work(tape), sizeof *work), out, *outs[] = {&out};
    const double start = 0; /* stays 0 for ever */
    assert_non_null(work);
    dfl_tape_eval(tape, work, (const double *[]){NULL, NULL, &start}, outs);
    assert_same(out, 0, "end of the chain", 0);
    free(work);
    dfl_tape_free(tape);
    dfl_graph_free(graph);
    dfl_context_free(metered);
    dfl_context_free(ctx);
    assert_int_equal(m.now, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tape_has_the_bits_of_plain_evaluation),
        cmocka_unit_test(lanes_have_the_bits_of_single_states),
        cmocka_unit_test(operations_of_many_bodies_are_run_together),
        cmocka_unit_test(tangents_are_derivatives),
        cmocka_unit_test(parts_have_the_bits_of_the_whole),
        cmocka_unit_test(anything_can_be_a_target),
        cmocka_unit_test(tape_without_targets_does_nothing),
        cmocka_unit_test(parameters_are_computed_once),
        cmocka_unit_test(symbol_without_place_is_named),
        cmocka_unit_test(sine_and_cosine_together_have_the_bits_of_each_alone),
        cmocka_unit_test(create_survives_every_failed_allocation),
        cmocka_unit_test(a_million_operations_need_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
