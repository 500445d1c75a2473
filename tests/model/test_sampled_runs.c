/* Runs that are looked at often: inside the last step, with fixed steps, with inputs that change.
 */
#define _DEFAULT_SOURCE /* syscall */
#include "running.h"

#include <sys/wait.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#endif

static void *count_alloc(size_t bytes, void *user)
{
    ++*(long *)user;
    return malloc(bytes);
}

static void count_release(void *block, void *user)
{
    (void)user;
    free(block);
}

/* Reading values, changing inputs and fixed steps allocate nothing. */
static void sampled_use_allocates_nothing(void **state)
{
    (void)state;
    static const char *const settings[] = {"fixed_step=0.01"};
    const dfl_run_options options = {.nsettings = 1, .settings = settings};
    long blocks = 0;
    const dfl_allocator allocator = {count_alloc, count_release, &blocks};
    fixture f = {.ctx = dfl_context_create_with(&allocator)};
    expect(&f, dfl_model_load_text(&f.model, f.ctx, "test.lua", pendulum, strlen(pendulum), NULL));
    expect(&f, dfl_run_create(&f.run, f.ctx, f.model, &options));
    expect(&f, dfl_run_start(f.run));
    const int L = dfl_run_find(f.run, "L"), x = dfl_run_find(f.run, "x");
    const long before = blocks;
    for (int k = 1; k <= 50; k++) {
        expect(&f, dfl_run_set(f.run, L, 1 + 0.001 * k));
        expect(&f, dfl_run_advance(f.run, 0.01 * k));
        assert_true(isfinite(dfl_run_get(f.run, x)));
    }
    assert_int_equal(blocks, before);
    finished(&f);
}

/* Back and forth inside the last step, on the rod; the run goes on as if nobody had looked. */
static void times_inside_the_last_step_are_interpolated(void **state)
{
    (void)state;
    fixture f = started(pendulum, NULL), other = started(pendulum, NULL);
    for (int k = 0; k < 5; k++) {
        const double begin = dfl_run_time(other.run);
        expect(&f, dfl_run_step(f.run));
        expect(&other, dfl_run_step(other.run));
        const double end = dfl_run_time(f.run), energy = value(&f, "energy");
        for (int i = 4; i > 0; i--) {
            const double t = begin + (end - begin) * i / 5;
            expect(&f, dfl_run_advance(f.run, t));
            assert_true(dfl_run_time(f.run) == t);
            assert_near(hypot(value(&f, "x"), value(&f, "y")), 1, 1e-12);
            assert_near(value(&f, "energy"), energy, 1e-6);
            assert_true(dfl_run_residuals(f.run).velocity < 1e-12);
        }
    }
    expect(&f, dfl_run_advance(f.run, 3));
    expect(&other, dfl_run_advance(other.run, 3));
    for (int i = 0; i < dfl_run_values(f.run); i++)
        assert_true(dfl_run_get(f.run, i) == dfl_run_get(other.run, i));
    finished(&f);
    finished(&other);
}

/* x = 0.5 + sin: the same steps, whether they are looked at or not. */
static void steps_run_ahead_of_samples(void **state)
{
    (void)state;
    static const char *const text = "local x = position('x') mass(x, 1) force(x, -x)\n"
                                    "initial{ x = 0, ['der(x)'] = 1 }\n"
                                    "simulate{ to = 3, rtol = 1e-8 }\n";
    static const char *const settings[] = {"interpolate=true"};
    const dfl_run_options options = {.nsettings = 1, .settings = settings};
    fixture f = started(text, &options), whole = started(text, NULL);
    for (int k = 1; k <= 3000; k++) {
        expect(&f, dfl_run_advance(f.run, 1e-3 * k));
        assert_true(dfl_run_time(f.run) == 1e-3 * k);
        assert_near(value(&f, "x"), sin(1e-3 * k), 1e-6);
        assert_near(value(&f, "der(x)"), cos(1e-3 * k), 1e-6);
    }
    expect(&whole, dfl_run_finish(whole.run));
    assert_true(dfl_run_statistics(f.run).accepted <= dfl_run_statistics(whole.run).accepted);
    finished(&f);
    finished(&whole);
}

/* x'' = u: what changes at a sample acts from there on, though the step was longer. */
static void inputs_change_inside_a_step(void **state)
{
    (void)state;
    static const char *const settings[] = {"interpolate=true"};
    const dfl_run_options options = {.nsettings = 1, .settings = settings};
    fixture f = started(cart, &options);
    double x = 0, v = 0;
    for (int k = 0; k < 40; k++) {
        const double u = k % 3 - 0.5, t = 0.1 * (k + 1), dt = t - 0.1 * k;
        set(&f, "u", 2 * u);
        expect(&f, dfl_run_advance(f.run, t));
        x += v * dt + u / 2 * dt * dt;
        v += u * dt;
        assert_near(value(&f, "x"), x, 1e-8);
        assert_near(value(&f, "der(x)"), v, 1e-8);
    }
    char *saved = malloc(dfl_run_saved_size(f.run));
    assert_non_null(saved);
    expect(&f, dfl_run_advance(f.run, 4.05));
    expect(&f, dfl_run_save(saved, f.run));
    assert_near(dfl_run_time(f.run), 4.05, 0);
    free(saved);
    finished(&f);
}

/* What stops a run is told when the time is there, not when the step is taken. */
static void events_ahead_wait(void **state)
{
    (void)state;
    static const char *const settings[] = {"interpolate=true"};
    const dfl_run_options options = {.nsettings = 1, .settings = settings};
    fixture f = started("local x = position('x') mass(x, 1) initial{ x = 0, ['der(x)'] = 1 }\n"
                        "event('there', x - 1, { stop = true })\n",
                        &options);
    for (int k = 1; k <= 3; k++) {
        expect(&f, dfl_run_advance(f.run, 0.3 * k));
        assert_near(value(&f, "x"), 0.3 * k, 1e-9);
    }
    assert_int_equal(dfl_run_advance(f.run, 1.2), DFL_STOPPED);
    assert_non_null(strstr(dfl_message(f.ctx), "'there'"));
    assert_near(dfl_run_time(f.run), 1, 1e-9);
    expect(&f, dfl_run_advance(f.run, 1.2));
    assert_near(value(&f, "x"), 1.2, 1e-9);
    finished(&f);
}

#if defined(__linux__)
/* Any system call but exit ends the process from now on. False: the system does not do that. */
static bool forbid_system_calls(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL)};
    const struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

enum { FORBIDDEN = 1, DONE = 0, WRONG = 2 };

/* The exit status of `work` in a process that may not call the system; FORBIDDEN: it did. */
static int without_system(int (*work)(void *user), void *user)
{
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        syscall(SYS_exit, forbid_system_calls() ? work(user) : FORBIDDEN);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : FORBIDDEN;
}

/* On most machines the clock is read without the system. */
static int read_clock(void *user)
{
    struct timespec now;
    (void)user;
    return clock_gettime(CLOCK_MONOTONIC, &now) ? WRONG : DONE;
}

static int control(void *user)
{
    fixture *f = user;
    const int L = dfl_run_find(f->run, "L"), x = dfl_run_find(f->run, "x");
    for (int k = 1; k <= 50; k++)
        if (dfl_run_set(f->run, L, 1 + 0.001 * k) || dfl_run_advance(f->run, 0.01 * k) ||
            !isfinite(dfl_run_get(f->run, x)))
            return WRONG;
    return DONE;
}

static void fixed_steps_do_not_call_the_system(void **state)
{
    (void)state;
    static const char *const settings[] = {"fixed_step=0.01"};
    const dfl_run_options options = {.nsettings = 1, .settings = settings};
    if (without_system(read_clock, NULL) != DONE)
        skip();
    fixture f = started(pendulum, &options);
    assert_int_equal(without_system(control, &f), DONE);
    finished(&f);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_inside_the_last_step_are_interpolated),
        cmocka_unit_test(steps_run_ahead_of_samples),
        cmocka_unit_test(inputs_change_inside_a_step),
        cmocka_unit_test(events_ahead_wait),
        cmocka_unit_test(sampled_use_allocates_nothing),
#if defined(__linux__)
        cmocka_unit_test(fixed_steps_do_not_call_the_system),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
