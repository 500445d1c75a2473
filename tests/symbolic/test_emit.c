/* Emitted source computes what the tape computes. */
#define _POSIX_C_SOURCE 200809L
#include "failing.h"
#include "random_graph.h"

#include "symbolic/symbolic.h"

#include <dlfcn.h>
#include <locale.h>
#include <unistd.h>

enum { POOL = 400 };

/* A graph, its targets, and a folder for the files of one test. */
typedef struct bench {
    dfl_context *ctx;
    dfl_graph *graph;
    places where;
    dfl_expr pool[POOL];
    dfl_target targets[POOL];
    int ntargets;
    dfl_tape *tape;
    char folder[64];
} bench;

static void make_bench(bench *b)
{
    memset(b, 0, sizeof *b);
    b->ctx = dfl_context_create();
    b->graph = random_graph(b->ctx);
    make_places(&b->where);
    strcpy(b->folder, "/tmp/driftless-test-XXXXXX");
    assert_non_null(mkdtemp(b->folder));
}

static void add_target(bench *b, dfl_expr expr)
{
    b->targets[b->ntargets] =
        (dfl_target){.expr = expr, .array = b->ntargets % 2, .index = b->ntargets / 2};
    b->ntargets++;
}

static void make_tape(bench *b)
{
    if (dfl_tape_create(&b->tape, b->ctx, b->graph, b->where.place, b->targets, b->ntargets))
        fail_msg("%s", dfl_message(b->ctx));
}

static void free_bench(bench *b)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", b->folder);
    assert_int_equal(system(command), 0);
    dfl_tape_free(b->tape);
    dfl_graph_free(b->graph);
    assert_int_equal(dfl_context_live(b->ctx), 0);
    dfl_context_free(b->ctx);
}

static void write_file(const bench *b, const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", b->folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void run_command(const char *format, ...)
{
    char command[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    if (system(command) != 0)
        fail_msg("failed: %s", command);
}

/* Compiles program.c of the folder as users do, all warnings on, and loads it. Functions of
   constants are left to the mathematics library. */
static void *load_program(const bench *b)
{
    char path[128];
    const char *compiler = getenv("CC") ? getenv("CC") : "cc";
    snprintf(path, sizeof path, "%s/program.so", b->folder);
    run_command(
        "%s -std=c17 -O1 -Wall -Wextra -Wpedantic -Werror -ffp-contract=off -fno-builtin -fPIC "
        "-shared -o %s %s/program.c -lm",
        compiler, path, b->folder);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    return library;
}

static dfl_program_fn find_function(void *library, const char *name)
{
    dfl_program_fn function = NULL;
    void *symbol = dlsym(library, name);
    assert_non_null(symbol);
    memcpy(&function, &symbol, sizeof symbol);
    return function;
}

/* Functions of 1, 7 and 400 statements, each with and without the prepared part. */
static void emitted_c_has_the_bits_of_the_graph_for_every_chunk_size(void **state)
{
    (void)state;
    static const int chunk[] = {1, 7, 0};
    uint64_t seed = 11;
    bench b;
    make_bench(&b);
    random_expressions(b.graph, &seed, b.pool, POOL);
    for (int i = 0; i < POOL; i += 2)
        add_target(&b, b.pool[i]);
    add_target(&b, b.pool[0]);
    make_tape(&b);

    const dfl_tape *tapes[] = {b.tape};
    dfl_text text = {.ctx = b.ctx};
    assert_int_equal(dfl_emit_c_preamble(&text, tapes, 1), DFL_OK);
    for (int k = 0; k < 6; k++) {
        char name[32];
        snprintf(name, sizeof name, "f%d", k);
        assert_int_equal(
            dfl_emit_c(&text, b.tape,
                       &(dfl_emit_options){.name = name, .chunk = chunk[k / 2], .complete = k % 2}),
            DFL_OK);
    }
    /* prototypes first, as a user's header would have them */
    dfl_text all = {.ctx = b.ctx};
    for (int k = 0; k < 6; k++)
        dfl_text_add(&all, "void f%d(double *work, const double *const *in, double *const *out);\n",
                     k);
    dfl_text_add(&all, "%s", dfl_text_string(&text));
    write_file(&b, "program.c", dfl_text_string(&all));
    dfl_text_clear(&all);
    dfl_text_clear(&text);
    void *library = load_program(&b);

    double *work = calloc(dfl_tape_work(b.tape), sizeof *work);
    double *value = calloc(b.graph->nnodes, sizeof *value);
    assert_true(work && value);
    for (int round = 0; round < 20; round++) {
        point p;
        make_point(&p, &seed);
        plain_values(value, b.graph, b.where.place, p.in);
        for (int k = 0; k < 6; k++) {
            double out[2][POOL], *outs[] = {out[0], out[1]};
            char name[32];
            snprintf(name, sizeof name, "f%d", k);
            memset(work, 0, dfl_tape_work(b.tape) * sizeof *work);
            if (k % 2 == 0)
                dfl_tape_prepare(b.tape, work, p.in);
            find_function(library, name)(work, p.in, outs);
            for (int i = 0; i < b.ntargets; i++)
                assert_same(out[b.targets[i].array][b.targets[i].index], value[b.targets[i].expr],
                            name, i);
        }
    }
    free(value);
    free(work);
    dlclose(library);
    free_bench(&b);
}

static const double numbers[] = {
    0.1,       1.0 / 3, 5e-324, 1.7976931348623157e308, -2.5, 1e22, 123456789.125, INFINITY, NAN,
    -INFINITY, 3,       -0.7};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

/* Also where the user's language writes 0,1 (if such a locale is installed). */
static void numbers_survive_the_text(void **state)
{
    (void)state;
    bench b;
    make_bench(&b);
    for (int i = 0; i < NUMBERS; i++)
        add_target(&b, dfl_constant(b.graph, numbers[i]));
    make_tape(&b);
    setlocale(LC_NUMERIC, "de_DE.UTF-8");
    dfl_text text = {.ctx = b.ctx};
    dfl_text_add(&text, "void f(double *work, const double *const *in, double *const *out);\n");
    assert_int_equal(dfl_emit_c_preamble(&text, (const dfl_tape *[]){b.tape}, 1), DFL_OK);
    assert_int_equal(dfl_emit_c(&text, b.tape, &(dfl_emit_options){.name = "f", .complete = true}),
                     DFL_OK);
    setlocale(LC_NUMERIC, "C");
    write_file(&b, "program.c", dfl_text_string(&text));
    dfl_text_clear(&text);
    void *library = load_program(&b);
    double out[2][NUMBERS], *outs[] = {out[0], out[1]};
    find_function(library, "f")(NULL, NULL, outs);
    for (int i = 0; i < NUMBERS; i++)
        assert_same(out[i % 2][i / 2], numbers[i], "number", i);
    dlclose(library);
    free_bench(&b);
}

/* Every operation at points where it has a real value; both branches of those that have two. */
static void add_every_operation(bench *b)
{
    dfl_graph *g = b->graph;
    const dfl_expr x = dfl_symbol_expr(g, DFL_SYM_A, 0, "x");     /* 0.3 */
    const dfl_expr y = dfl_symbol_expr(g, DFL_SYM_A, 1, "y");     /* 0.7 */
    const dfl_expr m = dfl_symbol_expr(g, DFL_SYM_PARAM, 0, "m"); /* 1.9 */
    for (int op = DFL_OP_NEG; op <= DFL_OP_FLOOR; op++) {
        add_target(b, dfl_unary(g, (dfl_op)op, x));
        add_target(b, dfl_unary(g, (dfl_op)op, dfl_mul(g, dfl_constant(g, 0.1), m)));
    }
    for (int op = DFL_OP_ADD; op <= DFL_OP_MAX; op++) {
        add_target(b, dfl_binary(g, (dfl_op)op, x, y));
        add_target(b, dfl_binary(g, (dfl_op)op, y, dfl_add(g, m, x)));
    }
    add_target(b, dfl_select(g, x, y, m));
    add_target(b, dfl_select(g, dfl_sub(g, x, y), y, m));
    add_target(b, dfl_unary(g, DFL_OP_SIGN, dfl_sub(g, x, y)));
    for (int i = 0; i < 24; i++) /* below, between and above the knots, all derivatives */
        add_target(b, dfl_spline_expr(g, i % 2, i / 2 % 6,
                                      dfl_mul(g, x, dfl_constant(g, (i - 10) * 1.25))));
    for (int i = 0; i < NUMBERS; i++)
        add_target(b, dfl_constant(g, numbers[i]));
}

/* The file `values` of the folder: one output array after the other. */
static void check_octave_values(const bench *b, const double *const *in)
{
    char path[128];
    double found[2 * POOL], value[4 * POOL];
    snprintf(path, sizeof path, "%s/values", b->folder);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(found, sizeof *found, 2 * POOL, file), b->ntargets);
    fclose(file);
    assert_true(b->graph->nnodes <= 4 * POOL);
    plain_values(value, b->graph, b->where.place, in);
    for (int i = 0; i < b->ntargets; i++) {
        const double expected = value[b->targets[i].expr];
        const double octave = found[i % 2 * ((b->ntargets + 1) / 2) + i / 2];
        const unsigned op = b->graph->nodes[b->targets[i].expr].op;
        const bool library = (op >= DFL_OP_EXP && op <= DFL_OP_TANH) || op == DFL_OP_POW ||
                             op == DFL_OP_ATAN2 || op == DFL_OP_SPLINE;
        if (!library)
            assert_same(octave, expected, "target", i);
        else if (!(fabs(octave - expected) <= 1e-15 * fabs(expected)))
            fail_msg("target %d: Octave has %.17g, the graph %.17g", i, octave, expected);
    }
}

/* Octave calls the same mathematics library, or its own: to 1e-15 relative; sums, products,
   quotients and branches: to the bit. */
static void emitted_octave_agrees_with_the_tape(void **state)
{
    (void)state;
    if (system("octave-cli --version > /dev/null 2>&1") != 0)
        skip();
    static const char *const in_names[ARRAYS] = {"t", "x", "a", "m", "u", "level"};
    static const char *const out_names[] = {"first", "second"};
    bench b;
    make_bench(&b);
    add_every_operation(&b);
    make_tape(&b);
    point p = {.value = {[2] = {0.3, 0.7}, [3] = {1.9}}};
    for (int i = 0; i < ARRAYS; i++)
        p.in[i] = p.value[i];
    const dfl_tape *tapes[] = {b.tape};
    dfl_text text = {.ctx = b.ctx};
    dfl_text_add(&text, "1;\n");
    assert_int_equal(dfl_emit_octave_spline(&text, tapes, 1, "demo"), DFL_OK);
    dfl_text_add(&text, "function [first, second] = demo(a, m)\n");
    assert_int_equal(dfl_emit_octave(&text, b.tape, in_names, out_names, "demo"), DFL_OK);
    dfl_text_add(&text,
                 "end\n[first, second] = demo([0.3 0.7], 1.9);\n"
                 "file = fopen('%s/values', 'w');\nfwrite(file, first, 'double');\n"
                 "fwrite(file, second, 'double');\nfclose(file);\n",
                 b.folder);
    write_file(&b, "demo.m", dfl_text_string(&text));
    dfl_text_clear(&text);
    run_command("octave-cli --norc -q %s/demo.m", b.folder);
    check_octave_values(&b, p.in);
    free_bench(&b);
}

static void emitting_survives_every_failed_allocation(void **state)
{
    (void)state;
    uint64_t seed = 4;
    bench b;
    make_bench(&b);
    random_expressions(b.graph, &seed, b.pool, 60);
    for (int i = 0; i < 60; i += 3)
        add_target(&b, b.pool[i]);
    make_tape(&b);
    static const char *const names[ARRAYS] = {"t", "x", "a", "m", "u", "level"};
    const dfl_tape *tapes[] = {b.tape};
    dfl_status status;
    WHILE_ALLOCATIONS_FAIL(status, b.ctx) {
        dfl_text text = {.ctx = b.ctx};
        status = dfl_emit_c_preamble(&text, tapes, 1);
        if (!status)
            status = dfl_emit_c(&text, b.tape, &(dfl_emit_options){.name = "f", .chunk = 7});
        if (!status)
            status = dfl_emit_octave(&text, b.tape, names, names, "f");
        if (!status)
            status = dfl_emit_octave_spline(&text, tapes, 1, "f");
        dfl_text_clear(&text);
    }
    free_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(emitted_c_has_the_bits_of_the_graph_for_every_chunk_size),
        cmocka_unit_test(numbers_survive_the_text),
        cmocka_unit_test(emitted_octave_agrees_with_the_tape),
        cmocka_unit_test(emitting_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
