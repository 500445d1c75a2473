/* test_derive.c: derivatives against the complex step, forward against reverse sweeps, large
   graphs.

   The complex step: for an analytic f, Im f(x + ih)/h = f'(x) up to h^2, without cancellation; with
   h = 1e-30 it is exact to rounding. Branches are chosen by the real parts. */
#include "meter.h"
#include "random_expr.h"

#include "symbolic/symbolic.h"

#include <complex.h>

static const double h = 1e-30;

typedef double complex cplx;

/* The piece of a spline that belongs to the real part, differentiated term by term. */
static cplx complex_spline(const dfl_spline *s, int derivative, cplx z)
{
    int row = 0;
    while (row < s->n && s->x[row] < creal(z))
        row++;
    const double *coef = s->coef + 6 * row;
    const cplx t = z - s->x[row < s->n ? row : s->n - 1];
    cplx sum = 0, power = 1;
    for (int k = derivative; k < 6; k++, power *= t) {
        double factor = coef[k];
        for (int i = 0; i < derivative; i++)
            factor *= k - i;
        sum += factor * power;
    }
    return sum;
}

static cplx complex_value(const dfl_graph *g, const dfl_node *node, cplx a, cplx b, cplx c)
{
    switch ((dfl_op)node->op) {
    case DFL_OP_CONSTANT:
        return g->constants[node->a];
    case DFL_OP_NEG:
        return -a;
    case DFL_OP_SQ:
        return a * a;
    case DFL_OP_SQRT:
        return csqrt(a);
    case DFL_OP_EXP:
        return cexp(a);
    case DFL_OP_LOG:
        return clog(a);
    case DFL_OP_SIN:
        return csin(a);
    case DFL_OP_COS:
        return ccos(a);
    case DFL_OP_TAN:
        return ctan(a);
    case DFL_OP_ASIN:
        return casin(a);
    case DFL_OP_ACOS:
        return cacos(a);
    case DFL_OP_ATAN:
        return catan(a);
    case DFL_OP_SINH:
        return csinh(a);
    case DFL_OP_COSH:
        return ccosh(a);
    case DFL_OP_TANH:
        return ctanh(a);
    case DFL_OP_ABS:
        return creal(a) < 0 ? -a : a;
    case DFL_OP_SIGN:
        return (creal(a) > 0) - (creal(a) < 0);
    case DFL_OP_FLOOR:
        return floor(creal(a));
    case DFL_OP_SPLINE:
        return complex_spline(&g->splines[node->b], (int)node->c, a);
    case DFL_OP_ADD:
        return a + b;
    case DFL_OP_SUB:
        return a - b;
    case DFL_OP_MUL:
        return a * b;
    case DFL_OP_DIV:
        return a / b;
    case DFL_OP_POW:
        return cexp(b * clog(a));
    case DFL_OP_ATAN2: /* the angle of b + a i, continued to complex a and b */
        return creal(-I * clog((creal(b) + I * creal(a)))) +
               I * cimag(fabs(creal(b)) > fabs(creal(a)) ? catan(a / b) : -catan(b / a));
    case DFL_OP_MIN:
        return creal(a) < creal(b) ? a : b;
    case DFL_OP_MAX:
        return creal(a) > creal(b) ? a : b;
    case DFL_OP_SELECT:
        return creal(a) > 0 ? b : c;
    default:
        return NAN;
    }
}

/* All nodes up to `count`, at x + ih in direction d. */
static cplx *complex_graph(const dfl_graph *g, uint32_t count, const double *x, const double *d)
{
    cplx *v = malloc(count * sizeof *v);
    assert_non_null(v);
    for (dfl_expr e = 0; e < count; e++) {
        const dfl_node *node = dfl_node_of(g, e);
        const int n = dfl_op_operands((dfl_op)node->op);
        if (node->op == DFL_OP_SYMBOL)
            v[e] = x[node->a] + I * h * d[node->a];
        else
            v[e] = complex_value(g, node, n > 0 ? v[node->a] : 0, n > 1 ? v[node->b] : 0,
                                 n > 2 ? v[node->c] : 0);
    }
    return v;
}

/* A random listing whose last steps are the rows. */
typedef struct sample {
    dfl_context *ctx;
    dfl_graph *g;
    dfl_expr symbols[SYMBOLS];
    double x[SYMBOLS];
    listing l;
    uint32_t nodes; /* before derivatives were made */
    const dfl_expr *rows;
    const double *extent;
} sample;

enum { ROWS = 30 };

static void open_sample(sample *s, uint64_t *random)
{
    s->ctx = dfl_context_create();
    s->g = new_graph(s->ctx, s->symbols);
    for (int i = 0; i < SYMBOLS; i++)
        s->x[i] = random_between(random, 0.2, 1.8) * (random_below(random, 2) ? 1 : -1);
    random_listing(&s->l, random, s->g, s->symbols, s->x);
    s->nodes = s->g->nnodes;
    s->rows = s->l.expr + STEPS - ROWS;
    s->extent = s->l.extent + STEPS - ROWS;
}

static void close_sample(sample *s)
{
    dfl_graph_free(s->g);
    assert_int_equal(dfl_context_live(s->ctx), 0);
    dfl_context_free(s->ctx);
}

static void assert_derivative(double found, double expected, double extent, const char *what)
{
    /* extent bounds all contributions; their own relative errors grow along up to STEPS
       operations */
    if (!(fabs(found - expected) <= 1e-9 * (extent + fabs(expected))))
        fail_msg("%s: found %.17g, expected %.17g, extent %g", what, found, expected, extent);
}

static void jacobians_agree_with_the_complex_step(void **state)
{
    (void)state;
    uint64_t random = 123456789;
    for (int k = 0; k < 1500; k++) {
        sample s;
        dfl_sparse J;
        double found[ROWS][SYMBOLS] = {{0}};
        open_sample(&s, &random);
        assert_int_equal(dfl_jacobian_exprs(&J, s.g, s.rows, ROWS, s.symbols, SYMBOLS), DFL_OK);
        double *v = evaluate_graph(s.g, s.x);
        for (int i = 0; i < J.count; i++) {
            const dfl_entry *e = &J.entry[i];
            assert_int_not_equal(e->expr, 0);
            assert_true(i == 0 || e->col > e[-1].col ||
                        (e->col == e[-1].col && e->row > e[-1].row));
            found[e->row][e->col] = v[e->expr];
        }
        for (int j = 0; j < SYMBOLS; j++) {
            const double d[SYMBOLS] = {[0] = j == 0, j == 1, j == 2, j == 3, j == 4};
            cplx *z = complex_graph(s.g, s.nodes, s.x, d);
            for (int i = 0; i < ROWS; i++)
                assert_derivative(found[i][j], cimag(z[s.rows[i]]) / h, s.extent[i], "entry");
            free(z);
        }
        free(v);
        dfl_sparse_clear(&J, s.ctx);
        close_sample(&s);
    }
}

static void gradients_by_reverse_sweeps_agree_with_forward_sweeps(void **state)
{
    (void)state;
    uint64_t random = 987654321;
    for (int k = 0; k < 300; k++) {
        sample s;
        dfl_sparse J;
        dfl_expr gradient[ROWS][SYMBOLS];
        open_sample(&s, &random);
        assert_int_equal(dfl_jacobian_exprs(&J, s.g, s.rows, ROWS, s.symbols, SYMBOLS), DFL_OK);
        for (int i = 0; i < ROWS; i++)
            assert_int_equal(dfl_gradient_exprs(gradient[i], s.g, s.rows[i], s.symbols, SYMBOLS),
                             DFL_OK);
        double *v = evaluate_graph(s.g, s.x), forward[ROWS][SYMBOLS] = {{0}};
        for (int i = 0; i < J.count; i++)
            forward[J.entry[i].row][J.entry[i].col] = v[J.entry[i].expr];
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < SYMBOLS; j++)
                assert_derivative(v[gradient[i][j]], forward[i][j], s.extent[i], "gradient");
        free(v);
        dfl_sparse_clear(&J, s.ctx);
        close_sample(&s);
    }
}

/* Along p' = rates the derivative is that of the complex step in the direction of the rates'
   values. A second time along it is the complex step of the first derivative. */
static void derivatives_along_a_direction_agree_with_the_complex_step(void **state)
{
    (void)state;
    uint64_t random = 5550123;
    for (int k = 0; k < 1000; k++) {
        sample s;
        dfl_expr once[ROWS], twice[ROWS], rates[SYMBOLS];
        double d[SYMBOLS], extent = 0;
        open_sample(&s, &random);
        for (int j = 0; j < SYMBOLS; j++)
            rates[j] = s.l.expr[random_below(&random, 20)];
        assert_int_equal(dfl_along_exprs(once, s.g, s.rows, ROWS, s.symbols, rates, SYMBOLS),
                         DFL_OK);
        const uint32_t nodes = s.g->nnodes;
        assert_int_equal(dfl_along_exprs(twice, s.g, once, ROWS, s.symbols, rates, SYMBOLS),
                         DFL_OK);
        double *v = evaluate_graph(s.g, s.x);
        for (int j = 0; j < SYMBOLS; j++) {
            d[j] = v[rates[j]];
            extent = fmax(extent, fabs(d[j]));
        }
        cplx *z = complex_graph(s.g, nodes, s.x, d);
        for (int i = 0; i < ROWS; i++) {
            assert_derivative(v[once[i]], cimag(z[s.rows[i]]) / h, extent * s.extent[i], "once");
            /* second derivatives have no bound here: all moderate ones are compared */
            const double expected = cimag(z[once[i]]) / h;
            if (fabs(expected) < 1e4)
                assert_derivative(v[twice[i]], expected, 1e5, "twice");
        }
        free(z);
        free(v);
        close_sample(&s);
    }
}

static void substitution_puts_values_in_place_of_symbols_at_once(void **state)
{
    (void)state;
    uint64_t random = 424242;
    for (int k = 0; k < 500; k++) {
        sample s;
        dfl_expr out[ROWS];
        open_sample(&s, &random);
        /* a cyclic exchange: at once, not one after another */
        const dfl_expr values[3] = {s.symbols[1], s.symbols[2], s.symbols[0]};
        const double exchanged[SYMBOLS] = {s.x[1], s.x[2], s.x[0], s.x[3], s.x[4]};
        assert_int_equal(dfl_substitute_exprs(out, s.g, s.rows, ROWS, s.symbols, values, 3),
                         DFL_OK);
        double *v = evaluate_graph(s.g, s.x), *w = evaluate_graph(s.g, exchanged);
        evaluate_listing(&s.l, exchanged, s.g);
        for (int i = 0; i < ROWS; i++) {
            const double error = s.l.error[STEPS - ROWS + i];
            if (isfinite(error))
                assert_true(fabs(v[out[i]] - w[s.rows[i]]) <= 32 * DBL_EPSILON * error);
        }
        free(w);
        free(v);
        close_sample(&s);
    }
}

static void numbers_in_place_of_symbols_fold(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_expr s[SYMBOLS], out[2];
    dfl_graph *g = new_graph(ctx, s);
    const dfl_expr rows[] = {dfl_mul(g, dfl_unary(g, DFL_OP_SQ, s[0]), s[1]), s[2]};
    const dfl_expr values[] = {dfl_constant(g, 3), dfl_constant(g, 2)};
    assert_int_equal(dfl_substitute_exprs(out, g, rows, 2, s, values, 2), DFL_OK);
    assert_int_equal(out[0], dfl_constant(g, 18));
    assert_int_equal(out[1], s[2]); /* unchanged expressions stay the same node */
    dfl_graph_free(g);
    dfl_context_free(ctx);
}

static void derivatives_known_by_heart(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_expr s[SYMBOLS], d;
    dfl_graph *g = new_graph(ctx, s);
    const dfl_expr x = s[0], y = s[1], one = dfl_constant(g, 1);
    const dfl_expr sine = dfl_unary(g, DFL_OP_SIN, x);
    assert_int_equal(dfl_along_exprs(&d, g, &sine, 1, &x, &one, 1), DFL_OK);
    assert_int_equal(d, dfl_unary(g, DFL_OP_COS, x));
    const dfl_expr product = dfl_mul(g, x, y), both[] = {x, y}, swapped[] = {y, x};
    assert_int_equal(dfl_along_exprs(&d, g, &product, 1, both, swapped, 2), DFL_OK);
    assert_int_equal(d, dfl_add(g, dfl_unary(g, DFL_OP_SQ, x), dfl_unary(g, DFL_OP_SQ, y)));
    /* a symbol that does not occur, and one given twice */
    assert_int_equal(dfl_gradient_exprs(&d, g, sine, &y, 1), DFL_OK);
    assert_int_equal(d, 0);
    const dfl_expr twice[] = {x, x}, ones[] = {one, one};
    assert_int_equal(dfl_along_exprs(&d, g, &x, 1, twice, ones, 2), DFL_OK);
    assert_int_equal(d, dfl_constant(g, 2));
    /* a node whose rate is given is not differentiated, what contains it is */
    const dfl_expr square = dfl_mul(g, sine, sine), given[] = {x, sine}, rates[] = {one, y};
    assert_int_equal(dfl_along_exprs(&d, g, &square, 1, given, rates, 2), DFL_OK);
    assert_int_equal(d, dfl_mul(g, dfl_constant(g, 2), dfl_mul(g, sine, y)));
    /* x^y where x = 0 < y: the limit of the derivative by y */
    const dfl_expr power = dfl_binary(g, DFL_OP_POW, x, y);
    assert_int_equal(dfl_gradient_exprs(&d, g, power, &y, 1), DFL_OK);
    const double at[SYMBOLS] = {0, 2};
    double *v = evaluate_graph(g, at);
    assert_true(v[d] == 0);
    free(v);
    dfl_graph_free(g);
    dfl_context_free(ctx);
}

/* select(x, sqrt(x), 0) and max(x, 0)^1.5: the branch that is not taken has no derivative, or none
   that is finite, and must not matter. */
static void branches_not_taken_do_not_matter(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_expr s[SYMBOLS], d[2];
    dfl_graph *g = new_graph(ctx, s);
    const dfl_expr x = s[0], root = dfl_unary(g, DFL_OP_SQRT, x);
    const dfl_expr rows[] = {
        dfl_mul(g, s[1],
                dfl_add(g, dfl_select(g, x, root, 0), dfl_select(g, dfl_sub(g, x, s[1]), root, 0))),
        dfl_binary(g, DFL_OP_POW, dfl_binary(g, DFL_OP_MAX, x, 0), dfl_constant(g, 1.5))};
    for (int i = 0; i < 2; i++)
        assert_int_equal(dfl_gradient_exprs(&d[i], g, rows[i], &x, 1), DFL_OK);
    const double below[SYMBOLS] = {-4, 100}, at[SYMBOLS] = {0, 100}, above[SYMBOLS] = {4, 100};
    double *v = evaluate_graph(g, below), *w = evaluate_graph(g, at), *z = evaluate_graph(g, above);
    assert_true(v[d[0]] == 0 && v[d[1]] == 0);
    assert_true(w[d[0]] == 0 && w[d[1]] == 0);
    assert_true(z[d[0]] == 25 && z[d[1]] == 3); /* 100/(2 sqrt 4), 1.5 sqrt 4 */
    free(z);
    free(w);
    free(v);
    dfl_graph_free(g);
    dfl_context_free(ctx);
}

/* 200 symbols, four blocks of columns, with known places: row i = x_i x_{i+1} sin(x_0). */
static void a_sparse_jacobian_has_entries_where_they_belong(void **state)
{
    (void)state;
    enum { N = 200 };
    dfl_context *ctx = dfl_context_create();
    dfl_graph *g = NULL;
    dfl_expr x[N], rows[N - 1];
    dfl_sparse J;
    assert_int_equal(dfl_graph_create(&g, ctx, 0), DFL_OK);
    for (int i = 0; i < N; i++)
        x[i] = dfl_symbol_expr(g, DFL_SYM_P, i, "x");
    for (int i = 0; i + 1 < N; i++)
        rows[i] = dfl_mul(g, dfl_mul(g, x[i], x[i + 1]), dfl_unary(g, DFL_OP_SIN, x[0]));
    assert_int_equal(dfl_jacobian_exprs(&J, g, rows, N - 1, x, N), DFL_OK);
    assert_int_equal(J.nrows, N - 1);
    assert_int_equal(J.ncols, N);
    assert_int_equal(J.count, (N - 1) + 2 * (N - 2) + 1); /* column 0 full; two per inner column */
    for (int k = 0; k < J.count; k++)
        assert_true(J.entry[k].col == 0 || J.entry[k].row == J.entry[k].col ||
                    J.entry[k].row == J.entry[k].col - 1);
    dfl_sparse_clear(&J, ctx);
    assert_int_equal(dfl_jacobian_exprs(&J, g, rows, 0, x, N), DFL_OK);
    assert_int_equal(J.count, 0);
    dfl_sparse_clear(&J, ctx);
    assert_int_equal(dfl_jacobian_exprs(&J, g, rows, 3, NULL, 0), DFL_OK);
    assert_int_equal(J.count, 0);
    dfl_sparse_clear(&J, ctx);
    dfl_graph_free(g);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

/* A chain e -> sin(e) + x_k of a million nodes, each the operand of the next: recursion would need
   a stack of that depth. Its derivative has cos(e) e' + x_k' for every two nodes: three more. */
static void a_million_nodes_in_one_chain_are_differentiated(void **state)
{
    (void)state;
    enum { LINKS = 500000, N = 8 };
    meter m;
    dfl_context *ctx = metered_context(&m);
    dfl_graph *g = NULL;
    dfl_expr x[N], rates[N], e = 0, d, gradient[N];
    assert_int_equal(dfl_graph_create(&g, ctx, 0), DFL_OK);
    for (int i = 0; i < N; i++)
        x[i] = dfl_symbol_expr(g, DFL_SYM_P, i, "x");
    for (int i = 0; i < N; i++)
        rates[i] = dfl_symbol_expr(g, DFL_SYM_V, i, "v");
    for (int k = 0; k < LINKS; k++)
        e = dfl_add(g, dfl_unary(g, DFL_OP_SIN, e), x[k % N]);
    assert_int_equal(dfl_graph_status(g), DFL_OK);
    assert_int_equal(g->nnodes, 2 * (LINKS - 1) + 2 * N + 1); /* the first link is x_0 itself */
    /* room for 2^20 nodes of 16 bytes and 2^21 places of 4, and half of the table while it grew */
    assert_true(m.most <= 32 * (size_t)g->nnodes);
    assert_int_equal(dfl_along_exprs(&d, g, &e, 1, x, rates, N), DFL_OK);
    assert_true(g->nnodes <= 5 * LINKS + 4 * N);
    /* room for 2^22 nodes and 2^23 places; 24 bytes for each node of the chain */
    assert_true(m.most <= 60 * (size_t)g->nnodes);
    assert_int_equal(dfl_gradient_exprs(gradient, g, e, x, N), DFL_OK);
    assert_int_equal(dfl_graph_size(g, &e, 1), 2 * (LINKS - 1) + N);
    dfl_graph_free(g);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
    assert_int_equal(m.now, 0);
}

static dfl_status derive_everything(dfl_graph *g, const dfl_expr *rows, const dfl_expr *symbols)
{
    dfl_sparse J = {0};
    dfl_expr out[ROWS];
    const dfl_expr values[SYMBOLS] = {symbols[2], symbols[0]};
    dfl_status status = dfl_jacobian_exprs(&J, g, rows, ROWS, symbols, SYMBOLS);
    if (!status)
        status = dfl_gradient_exprs(out, g, rows[ROWS - 1], symbols, SYMBOLS);
    if (!status)
        status = dfl_gradient_exprs(out, g, dfl_mul(g, symbols[0], symbols[1]), symbols, SYMBOLS);
    if (!status)
        status = dfl_along_exprs(out, g, rows, ROWS, symbols, symbols, SYMBOLS);
    if (!status)
        status = dfl_substitute_exprs(out, g, rows, ROWS, symbols, values, 2);
    dfl_sparse_clear(&J, g->ctx);
    return status;
}

static void deriving_survives_every_failed_allocation(void **state)
{
    (void)state;
    dfl_status status = DFL_NO_MEMORY;
    for (int n = 0; status; n++) {
        uint64_t random = 31415926;
        sample s;
        open_sample(&s, &random);
        const long live = dfl_context_live(s.ctx);
        dfl_context_fail_after(s.ctx, n);
        status = derive_everything(s.g, s.rows, s.symbols);
        assert_true(status == DFL_OK || status == DFL_NO_MEMORY);
        assert_int_equal(dfl_context_live(s.ctx), live); /* the graph's own arrays are replaced */
        close_sample(&s);
    }
}

static void the_limit_stops_a_derivation(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_graph *g = NULL;
    dfl_sparse J;
    assert_int_equal(dfl_graph_create(&g, ctx, 12), DFL_OK);
    const dfl_expr x = dfl_symbol_expr(g, DFL_SYM_P, 0, "x");
    dfl_expr e = x;
    for (int i = 0; i < 8; i++)
        e = dfl_unary(g, DFL_OP_SIN, e);
    assert_int_equal(dfl_graph_status(g), DFL_OK);
    assert_int_equal(dfl_jacobian_exprs(&J, g, &e, 1, &x, 1), DFL_INVALID);
    assert_non_null(strstr(dfl_message(ctx), "12 nodes"));
    assert_null(J.entry);
    assert_int_equal(J.count, 0);
    dfl_graph_free(g);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobians_agree_with_the_complex_step),
        cmocka_unit_test(gradients_by_reverse_sweeps_agree_with_forward_sweeps),
        cmocka_unit_test(derivatives_along_a_direction_agree_with_the_complex_step),
        cmocka_unit_test(substitution_puts_values_in_place_of_symbols_at_once),
        cmocka_unit_test(numbers_in_place_of_symbols_fold),
        cmocka_unit_test(derivatives_known_by_heart),
        cmocka_unit_test(branches_not_taken_do_not_matter),
        cmocka_unit_test(a_sparse_jacobian_has_entries_where_they_belong),
        cmocka_unit_test(a_million_nodes_in_one_chain_are_differentiated),
        cmocka_unit_test(deriving_survives_every_failed_allocation),
        cmocka_unit_test(the_limit_stops_a_derivation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
