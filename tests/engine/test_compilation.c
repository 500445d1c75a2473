/* When a run changes to native code, and that its results do not show it. */
#define _POSIX_C_SOURCE 200809L
#include "../scripted.h"

#include <dirent.h>
#include <stdio.h>

/* A temporary folder for compiled code. */
typedef struct cache {
    char folder[40];
    dfl_native_options options;
    int announced;
} cache;

static void open_cache(cache *c)
{
    *c = (cache){.folder = "/tmp/driftless-test-XXXXXX"};
    assert_non_null(mkdtemp(c->folder));
    c->options.cache = c->folder;
}

static int count_files(const cache *c)
{
    int count = 0;
    DIR *folder = opendir(c->folder);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static void close_cache(const cache *c)
{
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", c->folder);
    assert_int_equal(system(command), 0);
}

static void count_announcement(const char *text, void *user)
{
    cache *c = user;
    assert_non_null(strstr(text, "compiling"));
    c->announced++;
}

static const char *const pendulum =
    "local x, y = position('x', 'y')\n"
    "kinetic((velocity(x)^2 + velocity(y)^2)/2) potential(9.81*y)\n"
    "constraint('rod', sqrt(x^2 + y^2) - 1) initial{ x = 1, y = 0 }\n";

/* A run of ten pieces; after each one the engine is asked, with `weight` times the calls. */
static void run_pieces(scripted *s, cache *c, dfl_evaluation how, long weight)
{
    bool native;
    scripted_expect(s, dfl_runnable_compile(&native, s->run, how, &c->options, NULL, NULL));
    scripted_start(s, &(dfl_solver_options){.rtol = 1e-8});
    for (int k = 1; k <= 10; k++) {
        scripted_advance(s, 0.1 * k);
        const dfl_statistics stats = dfl_solver_statistics(s->solver);
        const dfl_run_progress done = {.share = 0.1 * k,
                                       .evaluations = weight * stats.evaluations,
                                       .masses = weight * stats.mass_evaluations,
                                       .jacobians = weight * stats.jacobians};
        scripted_expect(
            s, dfl_runnable_consider_native(s->run, &done, &c->options, count_announcement, c));
    }
}

/* With a weight of 1e6 the run looks as if it took minutes on the tape. */
static void a_change_in_the_middle_does_not_change_a_bit(void **state)
{
    (void)state;
    cache c;
    open_cache(&c);
    scripted tape = scripted_text(pendulum), changed = scripted_text(pendulum);
    run_pieces(&tape, &c, DFL_EVAL_TAPE, 1000000);
    assert_int_equal(count_files(&c), 0);
    run_pieces(&changed, &c, DFL_EVAL_AUTO, 1000000);
    assert_true(count_files(&c) > 0);
    assert_memory_equal(tape.x, changed.x, (size_t)tape.eq->n * sizeof *tape.x);
    assert_int_equal(c.announced, 0); /* it took far less than a second */
    scripted_free(&tape);
    scripted_free(&changed);
    close_cache(&c);
}

static void a_short_run_never_starts_the_compiler(void **state)
{
    (void)state;
    cache c;
    open_cache(&c);
    scripted s = scripted_text(pendulum);
    run_pieces(&s, &c, DFL_EVAL_AUTO, 1);
    assert_int_equal(count_files(&c), 0);
    scripted_free(&s);
    close_cache(&c);
}

/* Nor is the run that would gain by it hurt. */
static void a_compiler_that_fails_is_no_failure(void **state)
{
    (void)state;
    cache c;
    open_cache(&c);
    c.options.compiler = "false";
    scripted s = scripted_text(pendulum);
    run_pieces(&s, &c, DFL_EVAL_AUTO, 1000000);
    bool native;
    assert_int_equal(dfl_runnable_compile(&native, s.run, DFL_EVAL_NATIVE, &c.options, NULL, NULL),
                     DFL_INVALID);
    scripted_free(&s);
    close_cache(&c);
}

/* y' of a row of n different products, compiled with "true", which makes nothing. */
static void a_compilation_of_seconds_is_announced(void **state)
{
    (void)state;
    cache c;
    open_cache(&c);
    c.options.compiler = "true";
    scripted s = scripted_text("local x = position('x')\n"
                               "local f = 0\n"
                               "for i = 1, 12000 do f = f + sin(i*x)*i end\n"
                               "kinetic(velocity(x)^2/2) force(x, f)\n");
    bool native;
    assert_int_equal(
        dfl_runnable_compile(&native, s.run, DFL_EVAL_NATIVE, &c.options, count_announcement, &c),
        DFL_INVALID);
    assert_int_equal(c.announced, 1);
    scripted_free(&s);
    close_cache(&c);
}

/* Costs grow with the work; one evaluation never pays for a compilation, a look into the cache
   costs less. */
static void costs_are_plausible(void **state)
{
    (void)state;
    for (double n = 10; n < 1e6; n *= 10) {
        assert_true(dfl_cost_compile(n) < dfl_cost_compile(10 * n));
        assert_true(dfl_cost_native_gain(n) < dfl_cost_lookup(n));
        assert_true(dfl_cost_lookup(n) < dfl_cost_compile(n));
        assert_true(dfl_cost_native_gain(n) * 1e9 > dfl_cost_compile(n));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_in_the_middle_does_not_change_a_bit),
        cmocka_unit_test(a_short_run_never_starts_the_compiler),
        cmocka_unit_test(a_compiler_that_fails_is_no_failure),
        cmocka_unit_test(a_compilation_of_seconds_is_announced),
        cmocka_unit_test(costs_are_plausible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
