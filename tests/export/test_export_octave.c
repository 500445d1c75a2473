/* The exported m-files compute in Octave what the engine computes, and their right-hand side what a
   dense solution of the whole system gives. Skipped where there is no Octave. */
#define _POSIX_C_SOURCE 200809L

#include "export_support.h"

/* Octave's functions may differ from those of the C library by a few units in the last place. */
static const double tolerance = 1e-13;

static bool have_octave(void)
{
    return system("octave-cli --version > /dev/null 2>&1") == 0;
}

static void export_example(const loaded *it, const char *folder)
{
    dfl_text files = {.ctx = it->ctx};
    if (export_with_start(&files, it->eq, folder))
        fail_msg("%s", dfl_message(it->ctx));
    dfl_text_clear(&files);
}

/* Appends a text in which every '@' becomes the model's identifier. */
static void add_call(dfl_text *script, const char *call, const char *identifier)
{
    for (; *call; call++)
        dfl_text_add(script, *call == '@' ? "%s" : "%.1s", *call == '@' ? identifier : call);
}

static void add_vector(dfl_text *script, const char *name, const double *values, int count)
{
    dfl_text_add(script, "%s = [", name);
    for (int i = 0; i < count; i++)
        dfl_text_add(script, "%.17g;", values[i]);
    dfl_text_add(script, "];\n");
}

static void add_point(dfl_text *script, const loaded *it, const point *p)
{
    dfl_text_add(script, "t = %.17g;\n", p->t);
    add_vector(script, "x", p->x, it->eq->n);
    add_vector(script, "a", p->a, it->eq->nv);
    add_vector(script, "par", p->par, it->npar);
}

/* Runs check.m in `folder`; what it prints into the file `numbers` is read by read_numbers. */
static FILE *run_octave(const char *folder, const dfl_text *script)
{
    char text[300];
    assert_int_equal(script->status, DFL_OK);
    snprintf(text, sizeof text, "%s/check.m", folder);
    write_text(text, script->data);
    snprintf(text, sizeof text,
             "cd '%s' && octave-cli --norc -q check.m > log 2>&1 || { cat log; exit 1; }", folder);
    assert_int_equal(system(text), 0);
    snprintf(text, sizeof text, "%s/numbers", folder);
    FILE *numbers = fopen(text, "r");
    assert_non_null(numbers);
    return numbers;
}

static void compare(FILE *numbers, const double *expected, int count, double most, const char *what,
                    const char *name)
{
    int found = -1;
    assert_int_equal(fscanf(numbers, "%d", &found), 1);
    if (found != count)
        fail_msg("%s: %s has %d entries, expected %d", name, what, found, count);
    for (int i = 0; i < count; i++) {
        double value = NAN;
        assert_int_equal(fscanf(numbers, "%lf", &value), 1);
        if (!(fabs(value - expected[i]) <= most * (1 + fabs(expected[i]))))
            fail_msg("%s: %s(%d) is %.17g, expected %.17g", name, what, i + 1, value, expected[i]);
    }
}

static const char preamble[] =
    "fid = fopen('numbers', 'w');\n"
    "show = @(v) fprintf(fid, '%d\\n%s', numel(v), sprintf('%.17g\\n', v));\n";

static void add_blocks(dfl_text *script, const example *ex, const loaded *it,
                       const named_block *blocks)
{
    if (it->eq->nl + it->eq->nm)
        add_call(script, "[g, gI, hv, W, bias] = @_constraints(t, x, par);\n", ex->identifier);
    if (it->eq->ne + it->eq->nep)
        add_call(script, "[e, ep] = @_invariants(t, x, par);\n", ex->identifier);
    if (it->eq->n0)
        add_call(script, "[gam, K0] = @_massless(t, x, par);\n", ex->identifier);
    add_call(script, "J = @_jacobian(t, x, a, par);\n", ex->identifier);
    for (int k = 0; k < NAMED_BLOCKS; k++)
        if (blocks[k].count) {
            dfl_text_add(script, "show(");
            add_call(script, blocks[k].octave, ex->identifier);
            dfl_text_add(script, ");\n");
        }
}

static void every_block_agrees_with_the_engine(void **state)
{
    (void)state;
    if (!have_octave())
        skip();
    static engine at[EXAMPLES];
    loaded all[EXAMPLES];
    char folder[64];
    uint64_t seed = 3;
    dfl_context *ctx = dfl_context_create();
    dfl_text script = {.ctx = ctx};
    make_folder(folder);
    dfl_text_add(&script, "%s", preamble);
    for (int i = 0; i < EXAMPLES; i++) {
        named_block blocks[NAMED_BLOCKS];
        all[i] = load(&examples[i]);
        export_example(&all[i], folder);
        const point p = random_point(&all[i], &seed);
        evaluate_engine(&at[i], &all[i], &p);
        name_blocks(blocks, &at[i], &all[i]);
        add_point(&script, &all[i], &p);
        add_blocks(&script, &examples[i], &all[i], blocks);
    }
    FILE *numbers = run_octave(folder, &script);
    for (int i = 0; i < EXAMPLES; i++) {
        named_block blocks[NAMED_BLOCKS];
        name_blocks(blocks, &at[i], &all[i]);
        for (int k = 0; k < NAMED_BLOCKS; k++)
            if (blocks[k].count)
                compare(numbers, blocks[k].value, blocks[k].count, tolerance, blocks[k].name,
                        examples[i].name);
        unload(&all[i]);
    }
    fclose(numbers);
    dfl_text_clear(&script);
    dfl_context_free(ctx);
    remove_folder(folder);
}

/* Tolerance as in test_export_c.c. */
static void the_right_hand_side_solves_the_whole_system(void **state)
{
    (void)state;
    if (!have_octave())
        skip();
    static double expected[EXAMPLES][RUN_MOST];
    int count[EXAMPLES] = {0};
    char folder[64];
    uint64_t seed = 11;
    dfl_context *ctx = dfl_context_create();
    dfl_text script = {.ctx = ctx};
    make_folder(folder);
    dfl_text_add(&script, "%s", preamble);
    for (int i = 0; i < EXAMPLES; i++) {
        loaded it = load(&examples[i]);
        const dfl_equations *eq = it.eq;
        if (examples[i].ode) {
            double y[RUN_MOST];
            point p = random_point(&it, &seed);
            if (!strcmp(examples[i].name, "redundant")) /* consistent on its constraints only */
                p.x[6] = p.x[7] = sqrt((1 - p.x[8] * p.x[8]) / 2);
            memset(p.x, 0, (size_t)(eq->nl + eq->nm) * sizeof *p.x);
            take_y(y, p.x, eq);
            count[i] = eq->np + eq->nv + eq->nr;
            export_example(&it, folder);
            add_point(&script, &it, &p);
            add_vector(&script, "y", y, count[i]);
            add_call(&script, "[dy, x] = @_rhs(t, y, par);\nshow(dy);\n", examples[i].identifier);
            reference_rhs(expected[i], &it, &p);
        }
        unload(&it);
    }
    FILE *numbers = run_octave(folder, &script);
    for (int i = 0; i < EXAMPLES; i++)
        if (examples[i].ode)
            compare(numbers, expected[i], count[i], 1e-10, "dy", examples[i].name);
    fclose(numbers);
    dfl_text_clear(&script);
    dfl_context_free(ctx);
    remove_folder(folder);
}

/* The drift of ode45 at RelTol 1e-8 in one second stays far below 1e-5. */
static void ode45_moves_as_the_solver_does(void **state)
{
    (void)state;
    if (!have_octave())
        skip();
    static const char *const names[] = {"pendulum", "maxwell", "driven"};
    enum { COUNT = 3 };
    static double expected[COUNT][RUN_MOST];
    int count[COUNT];
    char folder[64];
    dfl_context *ctx = dfl_context_create();
    dfl_text script = {.ctx = ctx};
    make_folder(folder);
    dfl_text_add(&script, "%soptions = odeset('RelTol', 1e-8, 'AbsTol', 1e-10);\n", preamble);
    for (int k = 0; k < COUNT; k++) {
        const example *ex = example_named(names[k]);
        loaded it = load(ex);
        const double t0 = isnan(dfl_choices_number(&it.model->run, "from"))
                              ? 0
                              : dfl_choices_number(&it.model->run, "from");
        dfl_solver *solver = NULL;
        const dfl_solver_options options = {.rtol = 1e-10};
        const dfl_eom *eom = dfl_runnable_eom(it.run);
        assert_int_equal(dfl_solver_create(&solver, it.ctx, eom, &options), DFL_OK);
        assert_int_equal(dfl_study_start(NULL, NULL, it.run, solver, &options, t0), DFL_OK);
        assert_int_equal(dfl_solver_advance(solver, t0 + 1), DFL_OK);
        take_y(expected[k], dfl_solver_state(solver), it.eq);
        count[k] = it.eq->np + it.eq->nv + it.eq->nr;
        dfl_solver_free(solver);
        export_example(&it, folder);
        add_call(&script, "par = @_parameters();\n[y0, x0, t0] = @_initial();\n", ex->identifier);
        dfl_text_add(&script,
                     "[t, y] = ode45(@(t, y) %s_rhs(t, y, par), t0 + [0 1], y0, options);\n"
                     "show(y(end, :));\n",
                     ex->identifier);
        unload(&it);
    }
    /* the main function: as many states as times, the last time as asked for, multipliers found */
    dfl_text_add(&script, "[t, y, x] = pendulum_model([0 1]);\n"
                          "show([size(y, 1) == numel(t), t(end), x(1, 1) ~= x(end, 1)]);\n");
    FILE *numbers = run_octave(folder, &script);
    for (int k = 0; k < COUNT; k++)
        compare(numbers, expected[k], count[k], 1e-5, "y", names[k]);
    compare(numbers, (const double[]){1, 1, 1}, 3, 0, "what the main function returns", "pendulum");
    fclose(numbers);
    dfl_text_clear(&script);
    dfl_context_free(ctx);
    remove_folder(folder);
}

static void without_an_ode_the_main_function_says_why(void **state)
{
    (void)state;
    if (!have_octave())
        skip();
    char folder[64];
    make_folder(folder);
    loaded it = load(example_named("sin"));
    dfl_text script = {.ctx = it.ctx};
    export_example(&it, folder);
    dfl_text_add(&script,
                 "%stry\n  sin_model();\n  show(0);\ncatch err\n"
                 "  show(numel(strfind(err.message, 'depend on multipliers')));\nend\n",
                 preamble);
    FILE *numbers = run_octave(folder, &script);
    compare(numbers, (const double[]){1}, 1, 0, "the message", "sin");
    fclose(numbers);
    dfl_text_clear(&script);
    unload(&it);
    remove_folder(folder);
}

/* What generated files call must not be hidden by them, whatever the model is called. */
static void any_word_may_be_the_name_of_a_model(void **state)
{
    (void)state;
    if (!have_octave())
        skip();
    static const char *const names[] = {"table", "diag", "prod", "sum", "min", "end", "axis"};
    enum { NAMES = sizeof names / sizeof *names };
    char folder[64];
    dfl_context *ctx = dfl_context_create();
    dfl_text script = {.ctx = ctx};
    make_folder(folder);
    dfl_text_add(&script, "%s", preamble);
    for (int i = 0; i < NAMES; i++) {
        const example ex = {names[i], names[i], true, example_named("table")->script};
        loaded it = load(&ex);
        export_example(&it, folder);
        add_call(&script,
                 "[y, x, t] = @_initial();\ndy = @_rhs(t, y, @_parameters());\n"
                 "[tm, ym] = @_model([0 0.1]);\n",
                 names[i]);
        dfl_text_add(&script, i ? "show([isequal(dy, dy1), isequal(ym, ym1)]);\n"
                                : "dy1 = dy;\nym1 = ym;\n");
        unload(&it);
    }
    FILE *numbers = run_octave(folder, &script);
    for (int i = 1; i < NAMES; i++)
        compare(numbers, (const double[]){1, 1}, 2, 0, "equality with 'table'", names[i]);
    fclose(numbers);
    dfl_text_clear(&script);
    dfl_context_free(ctx);
    remove_folder(folder);
}

/* Octave itself would continue with complex numbers. */
static void outside_their_domains_functions_are_nan(void **state)
{
    (void)state;
    if (!have_octave())
        skip();
    static const example domain = {
        "domain", "domain", true,
        "local x, y, z = position('x', 'y', 'z')\n"
        "kinetic(velocity(x)^2 + velocity(y)^2 + velocity(z)^2)\n"
        "force(x, -sqrt(x) - 1)\n"
        "for i, e in ipairs{sqrt(x), log(x), asin(2*x), acos(2*x), x^1.5, x^y, x^z, x^3} do\n"
        "    output('o' .. i, e)\n"
        "end\n"
        "initial{ x = 0.25, y = 0.5, z = 3 }\n"};
    char folder[64];
    make_folder(folder);
    loaded it = load(&domain);
    dfl_text script = {.ctx = it.ctx};
    export_example(&it, folder);
    dfl_text_add(&script,
                 "%spar = zeros(0, 1);\nx0 = zeros(6, 1);\n"
                 "x = [x0(1:3); -1; 0.5; 3];\nf = domain_force(0, x, par);\n"
                 "show([isreal(f), isnan(f(1)), f(2)]);\nout = domain_outputs(0, x, par);\n"
                 "show([isreal(out); isnan(out)]);\nshow(out(7:8));\n"
                 "dy = domain_rhs(0, x([4:6, 1:3]), par);\nshow([isreal(dy), isnan(dy(4))]);\n"
                 "x(4:6) = [0.25; 0.5; 3];\nshow(domain_outputs(0, x, par));\n",
                 preamble);
    FILE *numbers = run_octave(folder, &script);
    compare(numbers, (const double[]){1, 1, 0}, 3, 0, "force", "domain");
    compare(numbers, (const double[]){1, 1, 1, 1, 1, 1, 1, 0, 0}, 9, 0, "which is NaN", "domain");
    compare(numbers, (const double[]){-1, -1}, 2, 0, "whole powers", "domain");
    compare(numbers, (const double[]){1, 1}, 2, 0, "dy", "domain");
    const double inside[] = {0.5, log(0.25), asin(0.5), acos(0.5), 0.125, 0.5, 0.015625, 0.015625};
    compare(numbers, inside, 8, tolerance, "inside", "domain");
    fclose(numbers);
    dfl_text_clear(&script);
    unload(&it);
    remove_folder(folder);
}

/* Copies the listing of docs/export.md. */
static void add_listing(dfl_text *script)
{
    char line[300];
    bool inside = false;
    FILE *document = fopen(DFL_SOURCE_DIR "/docs/export.md", "r");
    assert_non_null(document);
    while (fgets(line, sizeof line, document)) {
        if (!strncmp(line, "```", 3))
            inside = !strcmp(line, "```octave\n");
        else if (inside)
            dfl_text_add(script, "%s", line);
    }
    fclose(document);
}

static void the_listing_of_the_document_works_as_typed(void **state)
{
    (void)state;
    if (!have_octave())
        skip();
    char folder[64], inner[80];
    make_folder(folder);
    snprintf(inner, sizeof inner, "%s/pendulum", folder);
    loaded it = load(example_named("pendulum"));
    dfl_text script = {.ctx = it.ctx};
    export_example(&it, inner);
    dfl_text_add(&script, "1;\n"); /* there may be no screen to plot on */
    dfl_text_add(&script, "function plot(varargin)\nend\nfunction xlabel(varargin)\nend\n"
                          "function legend(varargin)\nend\n");
    add_listing(&script);
    /* on the constraint at the start; the other pendulum swings on its circle of radius 2 */
    dfl_text_add(&script,
                 "%sshow([numel(y0), numel(x0), g, t(end)]);\n"
                 "show(max(abs(hypot(y(:, 1), y(:, 2)) - 2)) < 1e-2);\n",
                 preamble);
    FILE *numbers = run_octave(folder, &script);
    compare(numbers, (const double[]){4, 5, 0, 5}, 4, 1e-9, "the listing", "pendulum");
    compare(numbers, (const double[]){1}, 1, 0, "on the circle", "pendulum");
    fclose(numbers);
    dfl_text_clear(&script);
    unload(&it);
    remove_folder(folder);
}

static void every_file_written_is_listed(void **state)
{
    (void)state;
    char folder[64], inner[80];
    make_folder(folder);
    snprintf(inner, sizeof inner, "%s/new", folder); /* is made */
    loaded it = load(example_named("table"));
    dfl_text files = {.ctx = it.ctx};
    assert_int_equal(export_with_start(&files, it.eq, inner), DFL_OK);
    static const char *const parts[] = {"_model",       "_rhs",    "_parameters", "_initial",
                                        "_mass",        "_energy", "_spline",     "_jacobian",
                                        "_constraints", "_force"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char path[120];
        snprintf(path, sizeof path, "%s/table%s.m\n", inner, parts[i]);
        assert_non_null(strstr(files.data, path));
        path[strlen(path) - 1] = 0;
        assert_int_equal(access(path, R_OK), 0);
    }
    dfl_text_clear(&files);
    unload(&it);
    remove_folder(folder);
}

/* /dev/full takes nothing. */
static void a_full_disk_is_a_failure_of_the_file(void **state)
{
    (void)state;
    char folder[64], path[100];
    make_folder(folder);
    snprintf(path, sizeof path, "%s/pendulum_mass.m", folder);
    assert_int_equal(symlink("/dev/full", path), 0);
    loaded it = load(example_named("pendulum"));
    dfl_text files = {.ctx = it.ctx};
    assert_int_equal(export_with_start(&files, it.eq, folder), DFL_IO);
    assert_non_null(strstr(dfl_message(it.ctx), "pendulum_mass.m' cannot be written: No space"));
    dfl_text_clear(&files);
    unload(&it);
    remove_folder(folder);
}

static void a_folder_that_cannot_be_made_is_named(void **state)
{
    (void)state;
    char folder[64], path[100];
    make_folder(folder);
    snprintf(path, sizeof path, "%s/no/such", folder);
    loaded it = load(example_named("pendulum"));
    dfl_text files = {.ctx = it.ctx};
    assert_int_equal(export_with_start(&files, it.eq, path), DFL_INVALID);
    assert_non_null(strstr(dfl_message(it.ctx), path));
    snprintf(path, sizeof path, "%s/pendulum_mass.m", folder); /* a folder where a file should be */
    assert_int_equal(export_with_start(&files, it.eq, folder), DFL_OK);
    assert_int_equal(remove(path), 0);
    loaded other = load(example_named("sleigh"));
    assert_int_equal(export_with_start(&files, other.eq, path), DFL_OK);
    assert_int_equal(export_with_start(&files, it.eq, folder), DFL_INVALID);
    assert_non_null(strstr(dfl_message(it.ctx), "pendulum_mass.m"));
    dfl_text_clear(&files);
    unload(&other);
    unload(&it);
    remove_folder(folder);
}

static void exporting_survives_every_failed_allocation(void **state)
{
    (void)state;
    char folder[64];
    make_folder(folder);
    loaded it = load(example_named("table"));
    const long before = dfl_context_live(it.ctx);
    dfl_status status = DFL_NO_MEMORY;
    for (long n = 0; status; n += 1 + n / 50) {
        dfl_text files = {.ctx = it.ctx};
        dfl_context_fail_after(it.ctx, n);
        status = export_with_start(&files, it.eq, folder);
        dfl_context_fail_after(it.ctx, -1);
        assert_true(status == DFL_OK || status == DFL_NO_MEMORY);
        dfl_text_clear(&files);
        assert_int_equal(dfl_context_live(it.ctx), before);
    }
    unload(&it);
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_agrees_with_the_engine),
        cmocka_unit_test(the_right_hand_side_solves_the_whole_system),
        cmocka_unit_test(ode45_moves_as_the_solver_does),
        cmocka_unit_test(without_an_ode_the_main_function_says_why),
        cmocka_unit_test(any_word_may_be_the_name_of_a_model),
        cmocka_unit_test(outside_their_domains_functions_are_nan),
        cmocka_unit_test(the_listing_of_the_document_works_as_typed),
        cmocka_unit_test(every_file_written_is_listed),
        cmocka_unit_test(a_full_disk_is_a_failure_of_the_file),
        cmocka_unit_test(a_folder_that_cannot_be_made_is_named),
        cmocka_unit_test(exporting_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
