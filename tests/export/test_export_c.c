/* The exported C file computes what the engine computes, and its ODE form what a dense solution of
   the whole system gives. The file is compiled as C99 with warnings as errors. */
#define _POSIX_C_SOURCE 200809L

#include "export_support.h"

#include <dlfcn.h>
#include <float.h>

typedef void block_fn(double *out, double t, const double *x, const double *par, double *work);
typedef void jacobian_fn(double *out, double t, const double *x, const double *a, const double *par,
                         double *work);
typedef int rhs_fn(double *dy, double t, const double *y, const double *par, double *work);

/* An exported model, compiled and opened. */
typedef struct compiled {
    loaded it;
    char folder[64];
    void *library;
    const char *identifier;
} compiled;

static compiled all[EXAMPLES]; /* compiled once, for all tests */

static void run_command(const char *format, const char *folder)
{
    char command[1000];
    snprintf(command, sizeof command, format, folder);
    if (system(command) != 0)
        fail_msg("this failed: %s", command);
}

static compiled compile(const example *ex)
{
    compiled c = {.it = load(ex), .identifier = ex->identifier};
    char path[100];
    dfl_text text = {.ctx = c.it.ctx};
    make_folder(c.folder);
    if (export_with_start(&text, c.it.eq, NULL))
        fail_msg("%s", dfl_message(c.it.ctx));
    snprintf(path, sizeof path, "%s/model.c", c.folder);
    write_text(path, text.data);
    dfl_text_clear(&text);
    run_command("cd '%s' && ${CC:-cc} -std=c99 -O1 -Wall -Wextra -Wpedantic -Werror "
                "-ffp-contract=off -fPIC -shared model.c -o model.so -lm",
                c.folder);
    snprintf(path, sizeof path, "%s/model.so", c.folder);
    c.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!c.library)
        fail_msg("%s", dlerror());
    return c;
}

static int compile_all(void **state)
{
    (void)state;
    for (int i = 0; i < EXAMPLES; i++)
        all[i] = compile(&examples[i]);
    return 0;
}

static int forget_all(void **state)
{
    (void)state;
    for (int i = 0; i < EXAMPLES; i++) {
        dlclose(all[i].library);
        remove_folder(all[i].folder);
        unload(&all[i].it);
    }
    return 0;
}

static compiled *compiled_named(const char *name)
{
    return &all[example_named(name) - examples];
}

/* The address of NAME_part, NULL if there is none. */
static void *part(const compiled *c, const char *name)
{
    char symbol[100];
    snprintf(symbol, sizeof symbol, "%s_%s", c->identifier, name);
    return dlsym(c->library, symbol);
}

/* ISO C has no conversion from an object pointer to a function pointer; POSIX has it by dlsym. */
#define FUNCTION(type, name, address)                                                              \
    type *name = NULL;                                                                             \
    {                                                                                              \
        void *address_ = (address);                                                                \
        memcpy(&name, &address_, sizeof address_);                                                 \
    }

static double work[20000];

/* One block of the exported code at a point. */
static void evaluate_block(double *out, void *address, bool jacobian, const point *p)
{
    FUNCTION(block_fn, block, address)
    FUNCTION(jacobian_fn, derivative, address)
    for (size_t i = 0; i < sizeof work / sizeof *work; i++)
        work[i] = NAN;
    if (jacobian)
        derivative(out, p->t, p->x, p->a, p->par, work);
    else
        block(out, p->t, p->x, p->par, work);
}

/* size (count): about the sizes of the terms of a block, |out| and what each input contributes,
   |input d out / d input|. A sum of large terms may be small; its rounding is not. */
static void sizes_of_terms(double *size, const double *out, int count, void *address, bool jacobian,
                           const point *p)
{
    const double part = 1e-6;
    point near = *p;
    double *const input[] = {&near.t, near.x, near.a, near.par};
    const int inputs[] = {1, RUN_MOST, RUN_MOST, RUN_MOST};
    for (int i = 0; i < count; i++)
        size[i] = fabs(out[i]);
    for (int k = 0; k < 4; k++)
        for (int j = 0; j < inputs[k]; j++) {
            double changed[MOST];
            const double value = input[k][j];
            if (value == 0)
                continue;
            input[k][j] = value * (1 + part);
            evaluate_block(changed, address, jacobian, &near);
            input[k][j] = value;
            for (int i = 0; i < count; i++)
                size[i] += fabs(changed[i] - out[i]) / part;
        }
}

static void compare_blocks(compiled *c, const point *p)
{
    loaded *it = &c->it;
    static engine at;
    named_block blocks[NAMED_BLOCKS];
    evaluate_engine(&at, it, p);
    name_blocks(blocks, &at, it);
    for (int k = 0; k < NAMED_BLOCKS; k++) {
        const bool jacobian = !strncmp(blocks[k].name, "jacobian", 8);
        double out[MOST];
        void *address = part(c, blocks[k].name);
        if ((address != NULL) != (blocks[k].count > 0))
            fail_msg("%s: %s", c->identifier, blocks[k].name);
        if (!address)
            continue;
        for (int i = 0; i < MOST; i++) /* everything must be written */
            out[i] = NAN;
        evaluate_block(out, address, jacobian, p);
        /* pieces of tables are frozen in the engine: products in another order */
        const bool frozen = it->eq->graph->nsplines > 0 && dfl_runnable_switches(it->run) > 0;
        double size[MOST] = {0};
        if (frozen)
            sizes_of_terms(size, out, blocks[k].count, address, jacobian, p);
        for (int i = 0; i < blocks[k].count; i++)
            if (!(fabs(out[i] - blocks[k].value[i]) <= 4 * DBL_EPSILON * size[i]))
                fail_msg("%s: %s[%d] is %.17g, the engine has %.17g", c->identifier, blocks[k].name,
                         i, out[i], blocks[k].value[i]);
        assert_true(isnan(out[blocks[k].count])); /* and nothing behind it */
    }
}

static void every_block_has_the_bits_of_the_engine(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < EXAMPLES; i++) {
        for (int k = 0; k < 25; k++) {
            const point p = random_point(&all[i].it, &seed);
            compare_blocks(&all[i], &p);
        }
    }
}

/* Tolerance: the systems have condition numbers below 1e4, the arithmetic 1e-16. Positions near
   those of the start, because the redundant example is consistent only on its constraints. */
static void the_right_hand_side_solves_the_whole_system(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < EXAMPLES; i++) {
        compiled *c = &all[i];
        loaded *it = &c->it;
        FUNCTION(rhs_fn, rhs, part(c, "rhs"))
        FUNCTION(rhs_fn, full_state, part(c, "state"))
        assert_int_equal(rhs != NULL, examples[i].ode);
        assert_int_equal(full_state != NULL, examples[i].ode);
        const bool redundant = !strcmp(examples[i].name, "redundant");
        for (int k = 0; rhs && k < 5; k++) {
            point p = random_point(it, &seed);
            double y[RUN_MOST], dy[RUN_MOST], x[RUN_MOST], expected[RUN_MOST];
            if (redundant) {
                const double z = p.x[8], a = sqrt((1 - z * z) / 2);
                p.x[6] = p.x[7] = a;
            }
            const int m = it->eq->nl + it->eq->nm;
            memset(p.x, 0, (size_t)m * sizeof *p.x);
            take_y(y, p.x, it->eq);
            assert_int_equal(rhs(dy, p.t, y, p.par, work), 0);
            assert_int_equal(full_state(x, p.t, y, p.par, work), 0);
            reference_rhs(expected, it, &p);
            for (int j = 0; j < it->eq->np + it->eq->nv + it->eq->nr; j++)
                if (!(fabs(dy[j] - expected[j]) <= 1e-10 * (1 + fabs(expected[j]))))
                    fail_msg("%s: dy[%d] is %.17g, expected %.17g", c->identifier, j, dy[j],
                             expected[j]);
            for (int j = redundant ? m : 0; j < it->eq->n;
                 j++) /* multipliers are not unique then */
                assert_near(x[j], p.x[j], 1e-10 * (1 + fabs(p.x[j])));
        }
    }
}

/* A classical Runge-Kutta step. */
static void step(double *y, int n, rhs_fn *rhs, double t, double h, const double *par)
{
    static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    double k[RUN_MOST] = {0}, sum[RUN_MOST] = {0}, stage[RUN_MOST];
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < n; i++)
            stage[i] = y[i] + node[s] * h * k[i];
        assert_int_equal(rhs(k, t + node[s] * h, stage, par, work), 0);
        for (int i = 0; i < n; i++)
            sum[i] += weight[s] * k[i];
    }
    for (int i = 0; i < n; i++)
        y[i] += h / 6 * sum[i];
}

/* From the exported start values with 1000 steps of 1 ms; the error of the method is below 1e-9
   then for all examples but those with kinks and the fast top. The solver's tolerance is 1e-10. */
static void the_ode_moves_as_the_solver_does(void **state)
{
    (void)state;
    static const char *const names[] = {"pendulum",  "double-pendulum", "sleigh", "maxwell",
                                        "redundant", "table",           "driven"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        compiled *c = compiled_named(names[k]);
        loaded fresh = load(example_named(names[k])), *it = &fresh; /* default parameters */
        FUNCTION(rhs_fn, rhs, part(c, "rhs"))
        const double *par = part(c, "par_values"), *t0 = part(c, "start_time");
        const int n = it->eq->np + it->eq->nv + it->eq->nr;
        double y[RUN_MOST], expected[RUN_MOST];
        take_y(y, part(c, "start"), it->eq);
        for (int i = 0; i < 1000; i++)
            step(y, n, rhs, *t0 + 1e-3 * i, 1e-3, par);
        dfl_runnable_set_levels(it->run, *t0, part(c, "start"));
        const run r = run_with(dfl_runnable_eom(it->run), *t0, part(c, "start"), *t0 + 1,
                               &(dfl_solver_options){.rtol = 1e-10}, NULL);
        assert_succeeded(&r);
        take_y(expected, r.x, it->eq);
        for (int i = 0; i < n; i++)
            if (!(fabs(y[i] - expected[i]) <= 1e-7 * (1 + fabs(expected[i]))))
                fail_msg("%s: y[%d] is %.12g, expected %.12g", names[k], i, y[i], expected[i]);
        unload(it);
    }
}

/* The start values satisfy the constraints, and levels are the invariants there. */
static void the_start_is_consistent(void **state)
{
    (void)state;
    for (int i = 0; i < EXAMPLES; i++) {
        compiled *c = &all[i];
        static const char *const rows[] = {"g", "gI", "hv", "c", "d", "e", "ep"};
        const double *par = part(c, "par_values"), *x = part(c, "start");
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            double out[RUN_MOST] = {0};
            FUNCTION(block_fn, block, part(c, rows[k]))
            if (block)
                block(out, *(const double *)part(c, "start_time"), x, par, work);
            for (int j = 0; j < RUN_MOST; j++)
                assert_near(out[j], 0, 1e-9);
        }
    }
}

/* Not finite, or without mass: 1, and no crash. */
static void the_right_hand_side_reports_what_it_cannot_solve(void **state)
{
    (void)state;
    compiled *c = compiled_named("pendulum");
    FUNCTION(rhs_fn, rhs, part(c, "rhs"))
    const double par[4] = {1, 1, 10, 0}, massless[4] = {0, 1, 10, 0};
    double dy[4], y[4] = {1, 0, 0, 1};
    assert_int_equal(rhs(dy, 0, y, par, work), 0);
    assert_int_equal(rhs(dy, 0, y, massless, work), 1);
    y[1] = NAN;
    assert_int_equal(rhs(dy, 0, y, par, work), 1);
    /* at the centre the rod has no direction: the constraint drops out, the mass falls */
    y[0] = y[1] = 0;
    assert_int_equal(rhs(dy, 0, y, par, work), 0);
    assert_near(dy[3], -10, 0);
}

/* Two models in one program, used through their declarations. */
static void the_file_is_its_own_header(void **state)
{
    (void)state;
    static const char *const names[] = {"pendulum", "sleigh"};
    char folder[64], path[100];
    make_folder(folder);
    for (int i = 0; i < 2; i++) {
        loaded it = load(example_named(names[i]));
        dfl_text text = {.ctx = it.ctx};
        assert_int_equal(export_with_start(&text, it.eq, NULL), DFL_OK);
        snprintf(path, sizeof path, "%s/%s.c", folder, names[i]);
        write_text(path, text.data);
        dfl_text_clear(&text);
        unload(&it);
    }
    snprintf(path, sizeof path, "%s/main.c", folder);
    write_text(
        path, "#define PENDULUM_DECLARATIONS\n#include \"pendulum.c\"\n"
              "#define SLEIGH_DECLARATIONS\n#include \"sleigh.c\"\n"
              "#include <string.h>\n"
              "int main(void)\n{\n"
              "    double work[PENDULUM_WORK], W[PENDULUM_NL * PENDULUM_NV];\n"
              "    pendulum_W(W, pendulum_start_time, pendulum_start, pendulum_par_values, work);\n"
              "    if (W[0] != 2.0 || W[1] != 0.0) return 1;\n"
              "    if (strcmp(pendulum_variable_names[0], \"lambda(rod)\")) return 2;\n"
              "    if (strcmp(pendulum_par_units[0], \"kg\")) return 3;\n"
              "    if (pendulum_event_directions[0] != -1) return 4;\n"
              "    if (SLEIGH_NM != 1 || SLEIGH_NINPUT != 1) return 5;\n"
              "    return strcmp(sleigh_constraint_names[0], \"edge\");\n}\n");
    run_command("cd '%s' && ${CC:-cc} -std=c99 -Wall -Wextra -Wpedantic -Werror main.c pendulum.c "
                "sleigh.c -lm -o main && ./main",
                folder);
    remove_folder(folder);
}

static void the_file_says_why_there_is_no_ode(void **state)
{
    (void)state;
    static const struct {
        const char *name, *reason;
    } cases[] = {{"auxiliary", "0 = d"},
                 {"contact", "0 = c"},
                 {"4 sin*/", "massless"},
                 {"sin", "depend on multipliers"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        loaded it = load(example_named(cases[i].name));
        dfl_text text = {.ctx = it.ctx};
        assert_int_equal(export_with_start(&text, it.eq, NULL), DFL_OK);
        const char *said = strstr(text.data, "There is no right-hand side of an ODE");
        assert_non_null(said);
        assert_non_null(strstr(said, cases[i].reason));
        assert_null(strstr(text.data, "_rhs("));
        dfl_text_clear(&text);
        unload(&it);
    }
}

/* A start that contradicts itself does not prevent the export. */
static void an_inconsistent_start_is_exported_with_the_reason(void **state)
{
    (void)state;
    const example ex = {"stuck", "stuck", true,
                        "local x = position('x')\n"
                        "kinetic(velocity(x)^2)\n"
                        "constraint('there', x - 1)\n"
                        "initial{ x = 3 }\n"};
    loaded it = load(&ex);
    dfl_text text = {.ctx = it.ctx};
    assert_int_equal(export_with_start(&text, it.eq, NULL), DFL_OK);
    assert_non_null(strstr(text.data, "could not be completed"));
    assert_non_null(strstr(text.data, "there"));
    dfl_text_clear(&text);
    unload(&it);
}

static void exporting_survives_every_failed_allocation(void **state)
{
    (void)state;
    loaded it = load(example_named("driven"));
    const long before = dfl_context_live(it.ctx);
    dfl_status status = DFL_NO_MEMORY;
    for (long n = 0; status; n += 1 + n / 50) {
        dfl_text text = {.ctx = it.ctx};
        dfl_context_fail_after(it.ctx, n);
        status = export_with_start(&text, it.eq, NULL);
        dfl_context_fail_after(it.ctx, -1);
        assert_true(status == DFL_OK || status == DFL_NO_MEMORY);
        dfl_text_clear(&text);
        assert_int_equal(dfl_context_live(it.ctx), before);
    }
    unload(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_has_the_bits_of_the_engine),
        cmocka_unit_test(the_right_hand_side_solves_the_whole_system),
        cmocka_unit_test(the_ode_moves_as_the_solver_does),
        cmocka_unit_test(the_start_is_consistent),
        cmocka_unit_test(the_right_hand_side_reports_what_it_cannot_solve),
        cmocka_unit_test(the_file_is_its_own_header),
        cmocka_unit_test(the_file_says_why_there_is_no_ode),
        cmocka_unit_test(an_inconsistent_start_is_exported_with_the_reason),
        cmocka_unit_test(exporting_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, compile_all, forget_all);
}
