/* test_geoms_memory.c: without memory GEOMS returns -1003 and nothing leaks.

   The test brings its own malloc and free, which count and, when told to, refuse what this program
   asks for; calls from LAPACK, BLAS and other libraries are passed on. Without glibc, or with the
   address sanitizer, which has its own malloc, the test is skipped. */
#define _GNU_SOURCE /* dladdr */
#include "geoms_call.h"

#include <dlfcn.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_SANITIZER 1
#endif
#endif
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(WITH_SANITIZER)
#define REFUSING 1
#else
#define REFUSING 0
#endif

static volatile bool armed;
static volatile long allowed, taken, returned;

#if REFUSING
void *__libc_malloc(size_t size);
void __libc_free(void *block);

/* Whether the call that returns to `caller` is made by this program, which contains the library. */
static bool from_here(const void *caller)
{
    Dl_info here, there;
    return dladdr(&model, &here) && dladdr(caller, &there) && here.dli_fbase == there.dli_fbase;
}

void *malloc(size_t size)
{
    if (!armed || !from_here(__builtin_return_address(0)))
        return __libc_malloc(size);
    if (taken >= allowed)
        return NULL;
    taken++;
    return __libc_malloc(size);
}

void free(void *block)
{
    if (armed && block && from_here(__builtin_return_address(0)))
        returned++;
    __libc_free(block);
}
#endif

/* The IDID of a short run that may allocate `most` blocks. */
static int run_within(long most)
{
    arguments a = swing(2.8);
    a.tend = 0.1;
    a.nivcond = 2; /* conditions take memory at the start */
    model.conditions[1] = 2.8 * 2.8;
    allowed = most;
    taken = returned = 0;
    armed = true;
    const int idid = call(&a);
    armed = false;
    assert_int_equal(taken, returned);
    return idid;
}

static void every_refused_allocation_is_1003(void **state)
{
    (void)state;
    if (!REFUSING)
        skip();
    const long enough = 100000;
    assert_int_equal(run_within(enough), 0);
    const long needed = taken;
    assert_true(needed > 20);
    for (long most = 0; most < needed; most++)
        assert_int_equal(run_within(most), -1003);
    print_message("%ld allocations\n", needed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_refused_allocation_is_1003)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
