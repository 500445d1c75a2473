/* The equations for people: what must be there, that lines stay short and names are defined before
   they are used, and that breaking a sum into lines keeps its value. */
#define _POSIX_C_SOURCE 200809L

#include "failing.h"
#include "export_support.h"

#include "export/equation_rows_internal.h"

#include <ctype.h>

static void text_of(dfl_text *text, const loaded *it, dfl_notation notation)
{
    *text = (dfl_text){.ctx = it->ctx};
    if (dfl_export_equations(text, it->eq, notation))
        fail_msg("%s", dfl_message(it->ctx));
}

static void assert_contains(const dfl_text *text, const char *line)
{
    if (!strstr(dfl_text_string(text), line))
        fail_msg("no '%s' in\n%s", line, dfl_text_string(text));
}

/* By hand: T = m/2 (x'^2 + y'^2), V = m g y, g = x^2 + y^2 - L^2. */
static void the_pendulum_reads_as_in_a_book(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "pendulum: equations of motion",
        "\n  lambda(rod)        multiplier of a holonomic constraint\n",
        "\n  der(x)             velocity\n",
        "\n  y                  position\n",
        "\n  m                  = 1 kg\n",
        "\n  g                  = 13.75\n",
        "\n  m*der(der(x)) = -2*x*lambda(rod)\n",
        "\n  m*der(der(y)) = -m*g - 2*y*lambda(rod)\n",
        "\n  rod: 0 = x^2 + y^2 - L^2\n",
        "\n  rod: 0 = 2*x*der(x) + 2*y*der(y)\n",
        "\n  M[der(x), der(x)] = m\n",
        "\n  M[der(y), der(y)] = m\n",
        "\n  f[der(x)] = 0\n",
        "\n  f[der(y)] = -m*g\n",
        "\n  W[rod, der(x)] = 2*x\n",
        "\n  W[rod, der(y)] = 2*y\n",
        "\n  bias[rod] = ",
        "\n  total = ",
        "\n  T + V = ",
        "\n  force = ",
        "\nEvents (zeros of)\n  bottom = x\n",
    };
    loaded it = load(example_named("pendulum"));
    dfl_text text;
    text_of(&text, &it, DFL_TEXT);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_contains(&text, lines[i]);
    assert_null(strstr(text.data, "Kinematics")); /* der(x) is x', nothing to say */
    dfl_text_clear(&text);
    unload(&it);
}

static void every_kind_of_equation_has_its_section(void **state)
{
    (void)state;
    static const struct {
        const char *example, *line;
    } cases[] = {
        {"top", "\nKinematics\n  der(e0) = "},
        {"top", "\nInvariants (keep their initial values)\n  norm = "},
        {"sleigh", "\nNonholonomic constraints, hv\n  edge: 0 = "},
        {"sleigh", "\n  drive              = 0.5 (input)\n"},
        {"sleigh", "\n  M[der(phi), der(x)] = "},
        {"maxwell", "\nDynamic variables\n  der(r) = "},
        {"auxiliary", "\nAuxiliary variables\n  w: 0 = "},
        {"contact", "\nContact variables\n  s: 0 = "},
        {"4 sin*/", "\nBalance along massless directions, K0^T f\n  der(y_2): 0 = "},
        {"rough", "\nOutputs\n  more = "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        loaded it = load(example_named(cases[i].example));
        dfl_text text;
        text_of(&text, &it, DFL_TEXT);
        assert_contains(&text, cases[i].line);
        dfl_text_clear(&text);
        unload(&it);
    }
}

/* Rows of M a = f - W^T (lambda, mu) and of W a + bias, against the blocks of the engine. */
static void assembled_rows_agree_with_the_engine(void **state)
{
    (void)state;
    static engine at;
    uint64_t seed = 9;
    for (int i = 0; i < EXAMPLES; i++) {
        loaded it = load(&examples[i]);
        const dfl_equations *eq = it.eq;
        const int nc = eq->nl + eq->nm;
        const point p = random_point(&it, &seed);
        dfl_rows rows;
        assert_int_equal(dfl_rows_create(&rows, eq), DFL_OK);
        evaluate_engine(&at, &it, &p);
        for (int k = 0, motion = 0, acc = 0; k < rows.count; k++) {
            const dfl_row *row = &rows.row[k];
            double sum = 0, side[2] = {0};
            if (row->section != DFL_SECTION_MOTION && row->section != DFL_SECTION_ACC)
                continue;
            const dfl_expr sides[2] = {row->right, row->left == DFL_NO_EXPR ? 0 : row->left};
            assert_int_equal(dfl_runnable_values(side, it.run, sides, 2, p.t, p.x, p.a), DFL_OK);
            if (row->section == DFL_SECTION_MOTION) { /* f - W^T lambda - M a */
                sum = at.f[motion];
                for (int j = 0; j < nc; j++)
                    sum -= at.W[j + motion * nc] * p.x[eq->nw + j];
                for (int j = 0; j < eq->nv; j++)
                    sum -= at.M[motion + j * eq->nv] * p.a[j];
                motion++;
            } else {
                sum = at.bias[acc];
                for (int j = 0; j < eq->nv; j++)
                    sum += at.W[acc + j * nc] * p.a[j];
                acc++;
            }
            assert_near(side[0] - side[1], sum, 1e-12 * (1 + fabs(side[0])));
        }
        dfl_rows_clear(&rows);
        unload(&it);
    }
}

/* A chain of pendulums in relative angles: its unabridged equations would have thousands of
   signs. */
static const example chain = {"chain", "chain", true,
                              "local n = 6\n"
                              "local q, T, V = {}, 0, 0\n"
                              "local x, y, vx, vy, a, w = 0, 0, 0, 0, 0, 0\n"
                              "for i = 1, n do\n"
                              "  q[i] = position('q' .. i)\n"
                              "  a, w = a + q[i], w + velocity(q[i])\n"
                              "  x, y = x + sin(a), y - cos(a)\n"
                              "  vx, vy = vx + w*cos(a), vy + w*sin(a)\n"
                              "  T, V = T + (vx^2 + vy^2)/2, V + 9.81*y\n"
                              "end\n"
                              "kinetic(T)\npotential(V)\n"
                              "constraint('end', x^2*y + exp(x*y) - 2)\n"};

/* A line: 100 columns, and one part that is not broken beyond that. */
static void lines_of_large_models_stay_short(void **state)
{
    (void)state;
    enum { LONGEST = 200 };
    loaded it = load(&chain);
    dfl_text text;
    text_of(&text, &it, DFL_TEXT);
    for (const char *line = text.data, *end; (end = strchr(line, '\n')); line = end + 1)
        if (end - line > LONGEST)
            fail_msg("a line of %d columns: %.*s", (int)(end - line), (int)(end - line), line);
    assert_true(text.length < 30 * it.model->graph->nnodes);
    dfl_text_clear(&text);
    unload(&it);
}

/* The largest k of a word zk in the text up to `end`. */
static int largest_name(const char *text, const char *end)
{
    int largest = 0;
    for (; text < end; text++)
        if (text[0] == 'z' && isdigit((unsigned char)text[1]) && !isalnum((unsigned char)text[-1]))
            largest = atoi(text + 1) > largest ? atoi(text + 1) : largest;
    return largest;
}

static void names_are_defined_before_they_are_used(void **state)
{
    (void)state;
    const example *all[] = {&chain, example_named("top"), example_named("contact")};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        loaded it = load(all[i]);
        dfl_text text;
        text_of(&text, &it, DFL_TEXT);
        const char *at = strstr(text.data, "\nAbbreviations\n");
        assert_non_null(at);
        at += strlen("\nAbbreviations\n");
        int defined = 0;
        while (!strncmp(at, "  z", 3)) {
            assert_int_equal(atoi(at + 3), ++defined);
            const char *right = strchr(at, '='), *end = strstr(right, "\n  z");
            const char *section = strstr(right, "\n\n");
            if (!end || end > section)
                end = section;
            assert_true(largest_name(right, end) < defined);
            at = end + 1;
        }
        assert_int_equal(largest_name(at, text.data + text.length) > 0, true);
        assert_true(largest_name(at, text.data + text.length) <= defined);
        dfl_text_clear(&text);
        unload(&it);
    }
}

/* The value of a text like -2*a*b^2 + c - d, with a = 1.1, b = 1.2, ... */
static double value_of(const char *text)
{
    double sum = 0, factor = 1;
    bool minus = false, empty = true;
    for (;; text++) {
        if (isdigit((unsigned char)*text)) {
            char *end;
            factor *= strtod(text, &end);
            text = end - 1;
            empty = false;
        } else if (islower((unsigned char)*text)) {
            const double value = 1.1 + 0.1 * (*text - 'a');
            int power = 1;
            if (text[1] == '^') { /* of one digit */
                power = text[2] - '0';
                text += 2;
            }
            factor *= pow(value, power);
            empty = false;
        } else if (*text == '+' || *text == '-' || !*text) { /* the end of a term */
            sum += empty ? 0 : minus ? -factor : factor;
            minus = *text == '-';
            factor = 1;
            empty = true;
        } else
            assert_true(*text == ' ' || *text == '\n' || *text == '*');
        if (!*text)
            return sum;
    }
}

/* Random sums of 40 products, put together in random ways. */
static void a_broken_sum_keeps_its_value(void **state)
{
    (void)state;
    uint64_t seed = 5;
    enum { TERMS = 40 };
    for (int trial = 0; trial < 50; trial++) {
        dfl_context *ctx = dfl_context_create();
        dfl_graph *graph = NULL;
        assert_int_equal(dfl_graph_create(&graph, ctx, 0), DFL_OK);
        dfl_expr term[TERMS];
        double value[TERMS];
        for (int i = 0; i < TERMS; i++) {
            term[i] = dfl_constant(graph, i + 2.5);
            value[i] = i + 2.5;
            for (int k = 0; k < 2; k++) {
                const int letter = (int)(13 * (1 + next_random(&seed)));
                const char name[2] = {(char)('a' + letter), 0};
                term[i] = dfl_mul(graph, term[i], dfl_symbol_expr(graph, DFL_SYM_P, letter, name));
                value[i] *= 1.1 + 0.1 * letter;
            }
        }
        for (int left = TERMS; left > 1; left--) { /* join two, the result replaces the first */
            const int i = (int)((1 + next_random(&seed)) / 2 * (left - 1));
            const double how = next_random(&seed);
            term[i] = how > 0 ? dfl_add(graph, term[i], term[left - 1])
                              : dfl_sub(graph, term[i], term[left - 1]);
            value[i] += how > 0 ? value[left - 1] : -value[left - 1];
            if (how > 0.5) {
                term[i] = dfl_neg(graph, term[i]);
                value[i] = -value[i];
            }
        }
        dfl_names names = {0};
        dfl_text text = {.ctx = ctx};
        /* no names: what is read back has symbols only */
        assert_int_equal(dfl_names_choose(&names, graph, term, 1), DFL_OK);
        memset(names.number, 0, names.nnodes * sizeof *names.number);
        assert_int_equal(dfl_lines_add(&text, graph, term[0], &names, DFL_TEXT, 10), DFL_OK);
        assert_non_null(strchr(text.data, '\n'));
        assert_near(value_of(text.data), value[0], 1e-9); /* sums of size 1e3, rounding 1e-12 */
        dfl_names_clear(&names, ctx);
        dfl_text_clear(&text);
        dfl_graph_free(graph);
        dfl_context_free(ctx);
    }
}

/* The difference of the numbers of two words. */
static int balance(const char *text, const char *open, const char *close)
{
    int count = 0;
    for (const char *c = text; (c = strstr(c, open)); c += strlen(open))
        count++;
    for (const char *c = text; (c = strstr(c, close)); c += strlen(close))
        count--;
    return count;
}

static void latex_is_balanced(void **state)
{
    (void)state;
    for (int i = 0; i <= EXAMPLES; i++) {
        loaded it = load(i < EXAMPLES ? &examples[i] : &chain);
        dfl_text text;
        text_of(&text, &it, DFL_LATEX);
        assert_int_equal(balance(text.data, "{", "}"), 0);
        assert_int_equal(balance(text.data, "\\left", "\\right"), 0);
        assert_int_equal(balance(text.data, "\\begin{align*}", "\\end{align*}"), 0);
        assert_contains(&text, "\\documentclass");
        assert_contains(&text, "\\end{document}\n");
        for (const char *c = text.data; (c = strstr(c, "\\\\\n")); c += 3) /* no empty last row */
            assert_true(strncmp(c + 3, "\\end", 4) != 0);
        dfl_text_clear(&text);
        unload(&it);
    }
}

static void latex_compiles(void **state)
{
    (void)state;
    if (system("pdflatex --version > /dev/null 2>&1") != 0)
        skip();
    char folder[64], path[200];
    make_folder(folder);
    for (int i = 0; i <= EXAMPLES; i++) {
        loaded it = load(i < EXAMPLES ? &examples[i] : &chain);
        dfl_text text;
        text_of(&text, &it, DFL_LATEX);
        snprintf(path, sizeof path, "%s/model.tex", folder);
        write_text(path, text.data);
        snprintf(path, sizeof path,
                 "cd '%s' && pdflatex -halt-on-error -interaction=batchmode model > /dev/null",
                 folder);
        if (system(path) != 0)
            fail_msg("%s", text.data);
        dfl_text_clear(&text);
        unload(&it);
    }
    remove_folder(folder);
}

static void exporting_survives_every_failed_allocation(void **state)
{
    (void)state;
    loaded it = load(example_named("top"));
    dfl_text first;
    text_of(&first, &it, DFL_TEXT); /* its new nodes stay in the graph, failures would stay, too */
    dfl_text_clear(&first);
    dfl_status status;
    WHILE_ALLOCATIONS_FAIL(status, it.ctx) {
        dfl_text text = {.ctx = it.ctx};
        status = dfl_export_equations(&text, it.eq, DFL_TEXT);
        dfl_context_fail_after(it.ctx, -1);
        dfl_text_clear(&text);
    }
    unload(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pendulum_reads_as_in_a_book),
        cmocka_unit_test(every_kind_of_equation_has_its_section),
        cmocka_unit_test(assembled_rows_agree_with_the_engine),
        cmocka_unit_test(lines_of_large_models_stay_short),
        cmocka_unit_test(names_are_defined_before_they_are_used),
        cmocka_unit_test(a_broken_sum_keeps_its_value),
        cmocka_unit_test(latex_is_balanced),
        cmocka_unit_test(latex_compiles),
        cmocka_unit_test(exporting_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
