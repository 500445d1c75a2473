/* test_print.c: printed expressions, read back by a small parser, have the same values; a few exact
   strings; lengths stay bounded. */
#include "failing.h"
#include "random_expr.h"

#include "symbolic/symbolic.h"

#include <ctype.h>

/* A parser of the text notation, which evaluates at once:
       sum = ["-"] product {("+" | "-") product},  product = power {("*" | "/") power},
       power = atom ["^" atom],  atom = number | name ["(" sum {"," sum} ")"] | "(" sum ")".
   Names of symbols may contain brackets and dots (der(x1), j1.q), so they are tried first. */
typedef struct parser {
    const char *at;
    const dfl_graph *g;
    const double *x;     /* values of symbols */
    const double *parts; /* values of named parts, in order */
    int letters;
} parser;

static double parse_sum(parser *p);

static void expect(parser *p, const char *token)
{
    if (strncmp(p->at, token, strlen(token)) != 0)
        fail_msg("'%s' expected at '%.40s'", token, p->at);
    p->at += strlen(token);
}

static bool parse_symbol(double *value, parser *p)
{
    for (int i = 0; i < p->g->nsymbols; i++) {
        const char *name = p->g->symbols[i].name;
        const size_t length = strlen(name);
        const char after = p->at[length > strlen(p->at) ? 0 : length];
        if (strncmp(p->at, name, length) == 0 && !isalnum((unsigned char)after)) {
            *value = p->x[i];
            p->at += length;
            return true;
        }
    }
    return false;
}

static double parse_spline(parser *p)
{
    char *end;
    const long number = strtol(p->at, &end, 10);
    int derivative = 0;
    for (p->at = end; *p->at == '\''; p->at++)
        derivative++;
    expect(p, "(");
    const double argument = parse_sum(p);
    expect(p, ")");
    return dfl_spline_value(&p->g->splines[number - 1], derivative, argument);
}

static double parse_call(parser *p)
{
    char name[20];
    int length = 0, op = DFL_OP_SQRT;
    while (isalnum((unsigned char)p->at[length]) && length < 19)
        length++;
    snprintf(name, sizeof name, "%.*s", length, p->at);
    if (strncmp(name, "spline", 6) == 0) {
        p->at += 6;
        return parse_spline(p);
    }
    while (op < DFL_OPS && strcmp(name, dfl_op_name((dfl_op)op)) != 0)
        op++;
    if (op == DFL_OPS)
        fail_msg("unknown name at '%.40s'", p->at);
    p->at += length;
    double operand[3] = {0};
    for (int i = 0; i < dfl_op_operands((dfl_op)op); i++) {
        expect(p, i ? ", " : "(");
        operand[i] = parse_sum(p);
    }
    expect(p, ")");
    const dfl_node node = {.op = (uint8_t)op};
    return dfl_op_value(p->g, &node, operand[0], operand[1], operand[2]);
}

static double parse_atom(parser *p)
{
    double value;
    char *end;
    if (*p->at == '(') {
        p->at++;
        value = parse_sum(p);
        expect(p, ")");
        return value;
    }
    if (isdigit((unsigned char)*p->at)) {
        value = strtod(p->at, &end);
        p->at = end;
        return value;
    }
    if (p->parts && *p->at == 'z') {
        for (int i = 0; i < p->letters; i++)
            expect(p, "z");
        const long number = strtol(p->at, &end, 10);
        p->at = end;
        return p->parts[number - 1];
    }
    return parse_symbol(&value, p) ? value : parse_call(p);
}

static double parse_power(parser *p)
{
    const double base = parse_atom(p);
    if (*p->at != '^')
        return base;
    p->at++;
    return pow(base, parse_atom(p));
}

static double parse_product(parser *p)
{
    double value = parse_power(p);
    while (*p->at == '*' || *p->at == '/') {
        const bool times = *p->at++ == '*';
        const double next = parse_power(p);
        value = times ? value * next : value / next;
    }
    return value;
}

static double parse_sum(parser *p)
{
    const bool minus = *p->at == '-';
    p->at += minus;
    double value = parse_product(p);
    value = minus ? -value : value;
    while (strncmp(p->at, " + ", 3) == 0 || strncmp(p->at, " - ", 3) == 0) {
        const bool plus = p->at[1] == '+';
        p->at += 3;
        const double next = parse_product(p);
        value = plus ? value + next : value - next;
    }
    return value;
}

/* The value of the printed text of an expression. */
static double read_back(const dfl_graph *g, dfl_expr e, const dfl_names *names, const double *x,
                        const double *parts)
{
    dfl_text text = {.ctx = g->ctx};
    dfl_print_expr(&text, g, e, names, DFL_TEXT);
    assert_int_equal(text.status, DFL_OK);
    parser p = {.at = dfl_text_string(&text),
                .g = g,
                .x = x,
                .parts = parts,
                .letters = names ? names->letters : 0};
    const double value = parse_sum(&p);
    if (*p.at)
        fail_msg("cannot read '%s' from '%s'", dfl_text_string(&text), p.at);
    dfl_text_clear(&text);
    return value;
}

static void random_point(double *x, uint64_t *random)
{
    for (int i = 0; i < SYMBOLS; i++)
        x[i] = random_between(random, 0.2, 1.8) * (random_below(random, 2) ? 1 : -1);
}

static void printed_expressions_read_back_with_their_values(void **state)
{
    (void)state;
    uint64_t random = 1618033;
    for (int k = 0; k < 300; k++) {
        dfl_context *ctx = dfl_context_create();
        dfl_expr symbols[SYMBOLS];
        double x[SYMBOLS];
        listing l;
        dfl_graph *g = new_graph(ctx, symbols);
        random_point(x, &random);
        random_listing(&l, &random, g, symbols, x);
        for (int i = 0; i < STEPS; i++) {
            const double found = read_back(g, l.expr[i], NULL, x, NULL);
            if (!(fabs(found - l.value[i]) <= 32 * DBL_EPSILON * l.error[i]))
                fail_msg("found %.17g, expected %.17g", found, l.value[i]);
        }
        dfl_graph_free(g);
        dfl_context_free(ctx);
    }
}

/* Definitions are read in order, then rows in terms of the parts; derivatives share much. */
static void with_names_too(void **state)
{
    (void)state;
    uint64_t random = 2718281;
    long named = 0;
    for (int k = 0; k < 300; k++) {
        dfl_context *ctx = dfl_context_create();
        dfl_expr symbols[SYMBOLS], gradient[SYMBOLS];
        double x[SYMBOLS], *parts;
        listing l;
        dfl_names names;
        dfl_graph *g = new_graph(ctx, symbols);
        random_point(x, &random);
        random_listing(&l, &random, g, symbols, x);
        assert_int_equal(dfl_gradient_exprs(gradient, g, l.expr[STEPS - 1], symbols, SYMBOLS),
                         DFL_OK);
        assert_int_equal(dfl_names_choose(&names, g, gradient, SYMBOLS), DFL_OK);
        parts = calloc((size_t)names.count + 1, sizeof *parts);
        double *v = evaluate_graph(g, x);
        for (int i = 0; i < names.count; i++) {
            assert_true(i == 0 || names.expr[i] > names.expr[i - 1]);
            assert_int_equal(names.number[names.expr[i]], i + 1);
            parts[i] = read_back(g, names.expr[i], &names, x, parts);
            assert_true(fabs(parts[i] - v[names.expr[i]]) <= 1e-9 * (1 + fabs(parts[i])));
        }
        for (int i = 0; i < SYMBOLS; i++) {
            const double found = read_back(g, gradient[i], &names, x, parts);
            if (!(fabs(found - v[gradient[i]]) <= 1e-9 * (1e3 + fabs(found))))
                fail_msg("found %.17g, expected %.17g", found, v[gradient[i]]);
        }
        named += names.count;
        free(v);
        free(parts);
        dfl_names_clear(&names, ctx);
        dfl_graph_free(g);
        assert_int_equal(dfl_context_live(ctx), 0);
        dfl_context_free(ctx);
    }
    assert_true(named > 300);
}

typedef struct fixture {
    dfl_context *ctx;
    dfl_graph *g;
    dfl_expr x, y, v, m;
    dfl_text text;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    *state = f;
    f->ctx = dfl_context_create();
    f->text.ctx = f->ctx;
    assert_int_equal(dfl_graph_create(&f->g, f->ctx, 0), DFL_OK);
    f->x = dfl_symbol_expr(f->g, DFL_SYM_P, 0, "x");
    f->y = dfl_symbol_expr(f->g, DFL_SYM_P, 1, "y");
    f->v = dfl_symbol_expr(f->g, DFL_SYM_V, 0, "der(x)");
    f->m = dfl_symbol_expr(f->g, DFL_SYM_PARAM, 0, "m");
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    dfl_text_clear(&f->text);
    dfl_graph_free(f->g);
    assert_int_equal(dfl_context_live(f->ctx), 0);
    dfl_context_free(f->ctx);
    free(f);
    return 0;
}

static void assert_prints(fixture *f, dfl_expr e, dfl_notation notation, const char *expected)
{
    dfl_text_clear(&f->text);
    dfl_print_expr(&f->text, f->g, e, NULL, notation);
    assert_string_equal(dfl_text_string(&f->text), expected);
}

static dfl_expr power(fixture *f, dfl_expr a, double n)
{
    return dfl_binary(f->g, DFL_OP_POW, a, dfl_constant(f->g, n));
}

static void text_has_the_fewest_brackets(void **state)
{
    fixture *f = *state;
    dfl_graph *g = f->g;
    const dfl_expr x = f->x, y = f->y, m = f->m, sum = dfl_add(g, x, y), v2 = power(f, f->v, 2);
    const dfl_expr half = dfl_constant(g, 0.5);
    assert_prints(f, dfl_mul(g, half, dfl_mul(g, m, v2)), DFL_TEXT, "0.5*m*der(x)^2");
    assert_prints(f, dfl_mul(g, dfl_mul(g, x, m), dfl_mul(g, sum, x)), DFL_TEXT, "m*x^2*(x + y)");
    assert_prints(f, dfl_sub(g, x, sum), DFL_TEXT, "x - (x + y)");
    assert_prints(f, dfl_add(g, m, dfl_sub(g, x, y)), DFL_TEXT, "m + x - y");
    assert_prints(f, dfl_sub(g, dfl_sub(g, x, y), m), DFL_TEXT, "x - y - m");
    assert_prints(f, dfl_div(g, x, dfl_mul(g, y, m)), DFL_TEXT, "x/(m*y)");
    assert_prints(f, dfl_div(g, dfl_mul(g, x, y), m), DFL_TEXT, "x*y/m");
    assert_prints(f, dfl_div(g, x, dfl_div(g, y, m)), DFL_TEXT, "x/(y/m)");
    assert_prints(f, dfl_mul(g, sum, m), DFL_TEXT, "m*(x + y)");
    assert_prints(f, dfl_neg(g, sum), DFL_TEXT, "-(x + y)");
    assert_prints(f, dfl_neg(g, dfl_mul(g, x, y)), DFL_TEXT, "-x*y");
    assert_prints(f, dfl_neg(g, v2), DFL_TEXT, "-der(x)^2");
    assert_prints(f, dfl_sub(g, x, dfl_constant(g, 3)), DFL_TEXT, "x - 3");
    assert_prints(f, dfl_sub(g, dfl_constant(g, -3), x), DFL_TEXT, "-3 - x");
    assert_prints(f, dfl_add(g, y, dfl_sub(g, dfl_constant(g, -3), x)), DFL_TEXT, "y + (-3 - x)");
    assert_prints(f, dfl_mul(g, dfl_constant(g, -3), x), DFL_TEXT, "-3*x");
    assert_prints(f, dfl_div(g, dfl_constant(g, -3), x), DFL_TEXT, "-3/x");
    assert_prints(f, power(f, sum, 2), DFL_TEXT, "(x + y)^2");
    assert_prints(f, power(f, x, 7), DFL_TEXT, "x^7");
    assert_prints(f, power(f, x, -3), DFL_TEXT, "1/x^3");
    assert_prints(f, power(f, power(f, x, 2.5), 2), DFL_TEXT, "(x^2.5)^2");
    assert_prints(f, power(f, x, -2.5), DFL_TEXT, "x^(-2.5)");
    assert_prints(f, dfl_binary(g, DFL_OP_POW, dfl_constant(g, 2), dfl_neg(g, x)), DFL_TEXT,
                  "2^(-x)");
    assert_prints(f, dfl_binary(g, DFL_OP_ATAN2, sum, dfl_neg(g, y)), DFL_TEXT, "atan2(x + y, -y)");
    assert_prints(f, dfl_select(g, dfl_sub(g, x, y), x, y), DFL_TEXT, "select(x - y, x, y)");
    assert_prints(f, power(f, dfl_unary(g, DFL_OP_SIN, x), 2), DFL_TEXT, "sin(x)^2");
}

static void numbers_have_as_many_digits_as_they_need(void **state)
{
    fixture *f = *state;
    const double numbers[] = {0.1,    1.0 / 3, 1e6,  1e-300,
                              5e-324, DBL_MAX, 9.81, 0.30000000000000004};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        dfl_text_clear(&f->text);
        dfl_print_number(&f->text, numbers[i], DFL_TEXT);
        assert_true(strtod(dfl_text_string(&f->text), NULL) == numbers[i]);
    }
    assert_prints(f, dfl_constant(f->g, 9.81), DFL_TEXT, "9.81");
    assert_prints(f, dfl_constant(f->g, 1e6), DFL_TEXT, "1000000");
    assert_prints(f, dfl_constant(f->g, -2.5), DFL_TEXT, "-2.5");
    assert_prints(f, dfl_constant(f->g, 0.30000000000000004), DFL_TEXT, "0.30000000000000004");
    assert_prints(f, dfl_constant(f->g, -1.5e-7), DFL_LATEX, "-1.5 \\cdot 10^{-7}");
    assert_prints(f, dfl_constant(f->g, INFINITY), DFL_LATEX, "\\infty");
}

static void latex_looks_as_in_a_book(void **state)
{
    fixture *f = *state;
    dfl_graph *g = f->g;
    const dfl_expr x = f->x, y = f->y, m = f->m, sum = dfl_add(g, x, y), v2 = power(f, f->v, 2);
    assert_prints(f, dfl_div(g, dfl_mul(g, m, v2), dfl_constant(g, 3)), DFL_LATEX,
                  "\\frac{m\\,\\dot{x}^{2}}{3}");
    assert_prints(f, dfl_unary(g, DFL_OP_SQRT, sum), DFL_LATEX, "\\sqrt{x + y}");
    assert_prints(f, power(f, dfl_unary(g, DFL_OP_SIN, x), 2), DFL_LATEX,
                  "\\sin^{2}\\left(x\\right)");
    assert_prints(f, dfl_mul(g, sum, dfl_unary(g, DFL_OP_COS, x)), DFL_LATEX,
                  "\\left(x + y\\right)\\,\\cos\\left(x\\right)");
    assert_prints(f, dfl_unary(g, DFL_OP_ABS, dfl_sub(g, x, y)), DFL_LATEX, "\\left|x - y\\right|");
    assert_prints(f, dfl_unary(g, DFL_OP_FLOOR, dfl_sub(g, x, y)), DFL_LATEX,
                  "\\left\\lfloor x - y\\right\\rfloor ");
    assert_prints(f, dfl_div(g, dfl_constant(g, -1), power(f, x, 3)), DFL_LATEX,
                  "-\\frac{1}{x^{3}}");
    assert_prints(f, dfl_select(g, x, y, 0), DFL_LATEX,
                  "\\begin{cases} y & \\text{if } x > 0 \\\\ 0 & \\text{otherwise} \\end{cases}");
    assert_prints(f, dfl_mul(g, x, dfl_mul(g, dfl_constant(g, 3), y)), DFL_LATEX, "3\\,x\\,y");
}

static void assert_name(fixture *f, const char *name, const char *latex)
{
    dfl_text_clear(&f->text);
    dfl_print_name(&f->text, name, DFL_LATEX);
    assert_string_equal(dfl_text_string(&f->text), latex);
    dfl_text_clear(&f->text);
    dfl_print_name(&f->text, name, DFL_TEXT);
    assert_string_equal(dfl_text_string(&f->text), name);
}

static void names_of_variables_in_latex(void **state)
{
    fixture *f = *state;
    assert_name(f, "x", "x");
    assert_name(f, "x1", "x_{1}");
    assert_name(f, "alpha", "\\alpha");
    assert_name(f, "phi12", "\\phi_{12}");
    assert_name(f, "der(x)", "\\dot{x}");
    assert_name(f, "der(phi1)", "\\dot{\\phi_{1}}");
    assert_name(f, "der(der(x))", "\\ddot{x}");
    assert_name(f, "lambda(rod)", "\\lambda_{\\mathrm{rod}}");
    assert_name(f, "mu(edge)", "\\mu_{\\mathrm{edge}}");
    assert_name(f, "lambda(pin.1)", "\\lambda_{\\mathrm{pin},1}");
    assert_name(f, "mass", "\\mathrm{mass}");
    assert_name(f, "m_rod", "m_{\\mathrm{rod}}");
    assert_name(f, "q[3]", "q_{3}");
    assert_name(f, "j1.q", "j_{1,\\mathrm{q}}");
    assert_name(f, "crank-pin", "\\mathrm{crank}_{\\mathrm{pin}}");
    assert_name(f, "time", "\\mathrm{time}");
    assert_name(f, "a%b", "\\mathrm{a\\%b}");
}

/* \left pairs with \right, braces balance, environments close. */
static void latex_is_balanced(void **state)
{
    (void)state;
    uint64_t random = 141421356;
    for (int k = 0; k < 200; k++) {
        dfl_context *ctx = dfl_context_create();
        dfl_expr symbols[SYMBOLS];
        double x[SYMBOLS];
        listing l;
        dfl_text text = {.ctx = ctx};
        dfl_graph *g = new_graph(ctx, symbols);
        random_point(x, &random);
        random_listing(&l, &random, g, symbols, x);
        dfl_print_expr(&text, g, l.expr[STEPS - 1], NULL, DFL_LATEX);
        int braces = 0, fences = 0, environments = 0;
        for (const char *c = dfl_text_string(&text); *c; c++) {
            braces += (*c == '{') - (*c == '}');
            fences += strncmp(c, "\\left", 5) == 0;
            fences -= strncmp(c, "\\right", 6) == 0;
            environments += strncmp(c, "\\begin", 6) == 0;
            environments -= strncmp(c, "\\end", 4) == 0;
            assert_true(braces >= 0 && fences >= 0 && environments >= 0);
        }
        assert_true(braces == 0 && fences == 0 && environments == 0);
        dfl_text_clear(&text);
        dfl_graph_free(g);
        dfl_context_free(ctx);
    }
}

/* e -> e sin(e + x), 60 times: written out it would have 2^60 parts. */
static void deeply_shared_expressions_stay_short(void **state)
{
    fixture *f = *state;
    dfl_names names;
    dfl_expr e = f->x;
    for (int i = 0; i < 60; i++)
        e = dfl_mul(f->g, e, dfl_unary(f->g, DFL_OP_SIN, dfl_add(f->g, e, f->y)));
    dfl_print_expr(&f->text, f->g, e, NULL, DFL_TEXT);
    assert_true(f->text.length < 200000);
    assert_non_null(strstr(dfl_text_string(&f->text), "..."));
    assert_int_equal(dfl_names_choose(&names, f->g, &e, 1), DFL_OK);
    assert_int_equal(names.count, 59); /* all but the last */
    for (int i = 0; i < names.count; i++) {
        dfl_text_clear(&f->text);
        dfl_print_expr(&f->text, f->g, names.expr[i], &names, DFL_TEXT);
        assert_true(f->text.length < 60);
    }
    dfl_text_clear(&f->text);
    dfl_print_expr(&f->text, f->g, e, &names, DFL_TEXT);
    assert_string_equal(dfl_text_string(&f->text), "z59*sin(y + z59)");
    dfl_names_clear(&names, f->ctx);
}

/* A chain of a million sines: parts are cut at a bounded depth, nothing recurses deeply. */
static void deep_expressions_are_cut_into_parts(void **state)
{
    fixture *f = *state;
    dfl_names names;
    dfl_expr e = f->x;
    for (int i = 0; i < 1000000; i++)
        e = dfl_unary(f->g, DFL_OP_SIN, e);
    dfl_print_expr(&f->text, f->g, e, NULL, DFL_TEXT);
    assert_true(f->text.length < 10000);
    dfl_text_clear(&f->text);
    assert_int_equal(dfl_names_choose(&names, f->g, &e, 1), DFL_OK);
    assert_in_range(names.count, 1000, 10000);
    dfl_print_expr(&f->text, f->g, e, &names, DFL_TEXT);
    assert_true(f->text.length < 2000);
    dfl_names_clear(&names, f->ctx);
}

static void names_of_parts_avoid_names_of_symbols(void **state)
{
    fixture *f = *state;
    dfl_graph *g = f->g;
    dfl_names names;
    const dfl_expr z1 = dfl_symbol_expr(g, DFL_SYM_P, 5, "z1");
    const dfl_expr shared = dfl_mul(g, dfl_unary(g, DFL_OP_SIN, f->x), dfl_add(g, z1, f->y));
    const dfl_expr rows[] = {dfl_unary(g, DFL_OP_EXP, shared), dfl_neg(g, shared)};
    assert_int_equal(dfl_names_choose(&names, g, rows, 2), DFL_OK);
    assert_int_equal(names.count, 1); /* the sine and the sum occur once */
    assert_int_equal(names.expr[0], shared);
    dfl_print_expr(&f->text, g, rows[0], &names, DFL_TEXT);
    assert_string_equal(dfl_text_string(&f->text), "exp(zz1)");
    dfl_text_clear(&f->text);
    dfl_print_expr(&f->text, g, rows[1], &names, DFL_LATEX);
    assert_string_equal(dfl_text_string(&f->text), "-zz_{1}");
    dfl_names_clear(&names, f->ctx);
}

static void choosing_names_survives_every_failed_allocation(void **state)
{
    fixture *f = *state;
    dfl_names names;
    dfl_status status;
    const dfl_expr e = dfl_mul(f->g, f->x, dfl_add(f->g, f->x, f->y));
    WHILE_ALLOCATIONS_FAIL(status, f->ctx) {
        status = dfl_names_choose(&names, f->g, &e, 1);
        dfl_names_clear(&names, f->ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printed_expressions_read_back_with_their_values),
        cmocka_unit_test(with_names_too),
        cmocka_unit_test_setup_teardown(text_has_the_fewest_brackets, set_up, tear_down),
        cmocka_unit_test_setup_teardown(numbers_have_as_many_digits_as_they_need, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(latex_looks_as_in_a_book, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_of_variables_in_latex, set_up, tear_down),
        cmocka_unit_test(latex_is_balanced),
        cmocka_unit_test_setup_teardown(deeply_shared_expressions_stay_short, set_up, tear_down),
        cmocka_unit_test_setup_teardown(deep_expressions_are_cut_into_parts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_of_parts_avoid_names_of_symbols, set_up, tear_down),
        cmocka_unit_test_setup_teardown(choosing_names_survives_every_failed_allocation, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
