/* test_allocation.c: advancing takes nothing from the heap.

   The test brings its own malloc, calloc, realloc, aligned_alloc and posix_memalign, which
   count and pass on to glibc's; the loader uses them for all libraries, LAPACKE and LAPACK
   included. BLAS may set itself up at its first calls, so every run is warmed up by a short advance
   before the counting starts. One exception is out of our hands: OpenBLAS's product of small
   matrices for processors with AVX-512 takes a buffer from the heap in every call. Calls that come
   from the BLAS library itself are therefore counted apart and only reported. Without glibc, or
   with the address sanitizer, which has its own malloc, the test is skipped. */
#define _GNU_SOURCE /* dladdr */
#include "support.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_SANITIZER 1
#endif
#endif
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(WITH_SANITIZER)
#define COUNTING 1
#else
#define COUNTING 0
#endif

static volatile bool counting;
static volatile long taken, by_blas;

#if COUNTING
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
int posix_memalign(void **out, size_t alignment, size_t size);

/* Counts a call that returns to `caller`. */
static void count(const void *caller)
{
    Dl_info info;
    if (!counting)
        return;
    if (dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "blas"))
        by_blas++;
    else
        taken++;
}

void *malloc(size_t size)
{
    count(__builtin_return_address(0));
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    count(__builtin_return_address(0));
    return __libc_calloc(n, size);
}

void *realloc(void *block, size_t size)
{
    count(__builtin_return_address(0));
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    count(__builtin_return_address(0));
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    count(__builtin_return_address(0));
    *out = __libc_memalign(alignment, size);
    return *out ? 0 : ENOMEM;
}
#endif

typedef struct recorder {
    int outputs, events, steps;
} recorder;

static int on_output(double t, const double *x, void *user)
{
    (void)t, (void)x;
    ((recorder *)user)->outputs++;
    return 0;
}

static int on_step(dfl_solver *solver, double t_old, double t, const double *x, void *user)
{
    (void)solver, (void)t_old, (void)t, (void)x;
    ((recorder *)user)->steps++;
    return 0;
}

static int on_event(int event, int direction, double t, const double *x, void *user)
{
    (void)event, (void)direction, (void)t, (void)x;
    ((recorder *)user)->events++;
    return 0;
}

/* A clock with 40 ticks in the unit of time `span`. */
static double span;
static int ticks(double *value, double t, const double *x, void *user)
{
    (void)x, (void)user;
    value[0] = sin(40 * 3.14159 * t / span + 0.1);
    return 0;
}

static void count_run(const char *name, int size, dfl_solver_options options, double fraction)
{
    problem prob;
    recorder rec = {0};
    assert_true(problem_make(&prob, name, size));
    span = fraction * (prob.t_end - prob.t0);
    options.user = &rec;
    options.output.on_output = on_output;
    options.output.on_step = on_step;
    options.events.on_event = on_event;
    options.output.every = span / 30;
    options.step.max = span / 40; /* so that no two ticks lie between two samples */
    options.events.count = 1;
    options.events.eval = ticks;
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    assert_int_equal(dfl_solver_create(&solver, ctx, &prob.eom, &options), DFL_OK);
    dfl_status status = dfl_solver_start(solver, prob.t0, prob.x0, NULL);
    if (!status)
        status = dfl_solver_advance(solver, prob.t0 + 0.1 * span); /* the warm-up */
    const int outputs = rec.outputs, events = rec.events, steps = rec.steps;
    taken = by_blas = 0;
    counting = true;
    if (!status)
        status = dfl_solver_advance(solver, prob.t0 + span);
    counting = false;
    if (status)
        fail_msg("%s: %s", name, dfl_message(ctx));
    if (taken)
        fail_msg("%s: %ld blocks taken from the heap", name, taken);
    if (by_blas)
        print_message("%s: %ld blocks taken within BLAS\n", name, by_blas);
    assert_true(rec.outputs - outputs >= 26 && rec.events - events >= 30 && rec.steps > steps);
    dfl_solver_free(solver);
    dfl_context_free(ctx);
    problem_free(&prob);
}

static void the_counter_sees_allocations_of_this_program_and_of_libraries(void **state)
{
    (void)state;
    taken = by_blas = 0;
    counting = true;
    void *volatile block = malloc(10);
    char *volatile copy = NULL;
    copy = realloc(copy, 20);
    dfl_context *ctx = dfl_context_create();
    counting = false;
    free(block);
    free(copy);
    dfl_context_free(ctx);
    assert_int_equal(taken, COUNTING ? 3 : 0);
}

static void advancing_small_models_allocates_nothing(void **state)
{
    (void)state;
    if (!COUNTING)
        skip();
    const char *const names[] = {"pendulum_energy", "andrews", "friction", "oscillator",
                                 "wheelset",        "servo",   "top",      "slidercrank"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        count_run(names[i], 0, (dfl_solver_options){0}, 0.05);
        count_run(names[i], 0, (dfl_solver_options){.output.project = true}, 0.05);
        count_run(names[i], 0, (dfl_solver_options){.constraints.selectors = DFL_UNIT}, 0.05);
        count_run(names[i], 0, (dfl_solver_options){.form = DFL_PSI1}, 0.05);
        for (int m = DFL_BDF; m <= DFL_MIDPOINT; m++)
            count_run(names[i], 0,
                      (dfl_solver_options){.integrator = (dfl_integrator)m, .rtol = 1e-3}, 0.05);
    }
}

static void advancing_other_forms_allocates_nothing(void **state)
{
    (void)state;
    if (!COUNTING)
        skip();
    static const dfl_form forms[] = {DFL_EOM,       DFL_EOM2,      DFL_EOM1,     DFL_GGL,
                                     DFL_BAUMGARTE, DFL_ODAE,      DFL_EXT317,   DFL_PINV,
                                     DFL_TANGENT,   DFL_PARTITION, DFL_IMPLICIT, DFL_SEPARATION};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        count_run("pendulum", 0, (dfl_solver_options){.form = forms[i]}, 0.05);
        count_run("slidercrank", 0, (dfl_solver_options){.form = forms[i]}, 0.05);
        count_run("disk", 0, (dfl_solver_options){.form = forms[i]}, 0.05);
        count_run("bricard", 0, (dfl_solver_options){.form = forms[i]}, 0.05);
    }
}

static void advancing_models_that_use_lapack_allocates_nothing(void **state)
{
    (void)state;
    if (!COUNTING)
        skip();
    for (int project = 0; project <= 1; project++) {
        count_run("fekete", 0, (dfl_solver_options){.output.project = project}, 1e-3);
        count_run("fourbar", 40, (dfl_solver_options){.output.project = project}, 1e-2);
        count_run("bricard", 0, (dfl_solver_options){.output.project = project}, 0.05);
    }
    count_run("fekete", 0, (dfl_solver_options){.constraints.algebraic = DFL_ALGEBRAIC_SVD}, 1e-3);
    count_run("fourbar", 40,
              (dfl_solver_options){.constraints.algebraic = DFL_ALGEBRAIC_LU,
                                   .newton.differential = DFL_DIFFERENTIAL_QR},
              1e-2);
}

static void advancing_by_differences_allocates_nothing(void **state)
{
    (void)state;
    if (!COUNTING)
        skip();
    problem prob;
    assert_true(problem_make(&prob, "andrews", 0));
    prob.eom.jacobian = NULL;
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    assert_int_equal(dfl_solver_create(&solver, ctx, &prob.eom, NULL), DFL_OK);
    assert_int_equal(dfl_solver_start(solver, 0, prob.x0, NULL), DFL_OK);
    assert_int_equal(dfl_solver_advance(solver, 1e-4), DFL_OK);
    taken = by_blas = 0;
    counting = true;
    const dfl_status status = dfl_solver_advance(solver, 1e-2);
    counting = false;
    assert_int_equal(status, DFL_OK);
    assert_int_equal(taken, 0);
    dfl_solver_free(solver);
    dfl_context_free(ctx);
    problem_free(&prob);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_counter_sees_allocations_of_this_program_and_of_libraries),
        cmocka_unit_test(advancing_small_models_allocates_nothing),
        cmocka_unit_test(advancing_other_forms_allocates_nothing),
        cmocka_unit_test(advancing_models_that_use_lapack_allocates_nothing),
        cmocka_unit_test(advancing_by_differences_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
