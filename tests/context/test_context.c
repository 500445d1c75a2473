/* test_context.c: messages, memory and the test hooks of the context. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <driftless/context.h>

/* An allocator that counts and can be told to have nothing left. */
typedef struct counter {
    int taken, returned;
    int empty;
} counter;

static void *counting_alloc(size_t bytes, void *user)
{
    counter *c = user;
    if (c->empty)
        return NULL;
    c->taken++;
    return malloc(bytes);
}

static void counting_release(void *block, void *user)
{
    counter *c = user;
    c->returned += block != NULL;
    free(block);
}

static void a_new_context_has_an_empty_message(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    assert_string_equal(dfl_message(ctx), "");
    dfl_context_free(ctx);
    dfl_context_free(NULL);
}

static void a_failure_records_its_message_and_returns_its_status(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    assert_int_equal(dfl_fail(ctx, DFL_SINGULAR, "row %d of %s", 3, "G"), DFL_SINGULAR);
    assert_string_equal(dfl_message(ctx), "row 3 of G");
    assert_int_equal(dfl_fail(ctx, DFL_INVALID, "then %s", dfl_message(ctx)), DFL_INVALID);
    assert_string_equal(dfl_message(ctx), "then row 3 of G"); /* may contain the old one */
    dfl_context_free(ctx);
}

static void a_long_message_is_cut_off(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    dfl_fail(ctx, DFL_INVALID, "%s", text);
    const size_t length = strlen(dfl_message(ctx));
    assert_in_range(length, 500, sizeof text - 2);
    assert_memory_equal(dfl_message(ctx), text, length);
    dfl_context_free(ctx);
}

static void every_status_has_its_own_name(void **state)
{
    (void)state;
    for (int i = DFL_OK; i <= DFL_IO; i++) {
        assert_memory_equal(dfl_status_name((dfl_status)i), "DFL_", 4);
        for (int j = DFL_OK; j < i; j++)
            assert_string_not_equal(dfl_status_name((dfl_status)i), dfl_status_name((dfl_status)j));
    }
    assert_non_null(dfl_status_name((dfl_status)99));
}

static void memory_is_zeroed_and_aligned(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    for (size_t count = 0; count < 200; count += 7) {
        unsigned char *block = dfl_alloc(ctx, count, 3);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 64, 0);
        for (size_t i = 0; i < 3 * count; i++)
            assert_int_equal(block[i], 0);
        memset(block, 0xff, 3 * count); /* so that a reused block would be seen */
        dfl_free(ctx, block);
    }
    dfl_context_free(ctx);
}

static void a_product_of_sizes_that_overflows_is_refused(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    assert_null(dfl_alloc(ctx, SIZE_MAX / 2, 3));
    assert_non_null(strstr(dfl_message(ctx), "exceed"));
    assert_null(dfl_alloc(ctx, SIZE_MAX, 1)); /* overflows with the alignment only */
    assert_null(dfl_alloc(ctx, 1, SIZE_MAX));
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

static void live_counts_blocks_not_yet_freed(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    void *a = dfl_alloc(ctx, 1, 8), *b = dfl_alloc(ctx, 0, 8);
    assert_int_equal(dfl_context_live(ctx), 2);
    dfl_free(ctx, a);
    dfl_free(ctx, NULL);
    assert_int_equal(dfl_context_live(ctx), 1);
    dfl_free(ctx, b);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

static void fail_after_lets_n_allocations_succeed(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    dfl_context_fail_after(ctx, 2);
    void *a = dfl_alloc(ctx, 1, 8), *b = dfl_alloc(ctx, 1, 8);
    assert_non_null(a);
    assert_non_null(b);
    assert_null(dfl_alloc(ctx, 1, 8));
    assert_string_not_equal(dfl_message(ctx), "");
    dfl_free(ctx, a);
    assert_null(dfl_alloc(ctx, 1, 8)); /* every later one fails */
    dfl_context_fail_after(ctx, -1);
    a = dfl_alloc(ctx, 1, 8);
    assert_non_null(a);
    dfl_free(ctx, a);
    dfl_free(ctx, b);
    dfl_context_free(ctx);
}

static void all_memory_comes_from_the_given_allocator_and_returns_to_it(void **state)
{
    (void)state;
    counter c = {0};
    const dfl_allocator allocator = {counting_alloc, counting_release, &c};
    dfl_context *ctx = dfl_context_create_with(&allocator);
    void *block = dfl_alloc(ctx, 10, 8);
    assert_int_equal(c.taken, 2); /* context and block */
    dfl_fail(ctx, DFL_INVALID, "a message");
    assert_int_equal(c.taken, 2); /* a failure needs no memory */
    c.empty = 1;
    assert_null(dfl_alloc(ctx, 10, 8));
    assert_int_equal(dfl_context_live(ctx), 1);
    dfl_free(ctx, block);
    dfl_context_free(ctx);
    assert_int_equal(c.returned, 2);
    assert_null(dfl_context_create_with(&allocator));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_context_has_an_empty_message),
        cmocka_unit_test(a_failure_records_its_message_and_returns_its_status),
        cmocka_unit_test(a_long_message_is_cut_off),
        cmocka_unit_test(every_status_has_its_own_name),
        cmocka_unit_test(memory_is_zeroed_and_aligned),
        cmocka_unit_test(a_product_of_sizes_that_overflows_is_refused),
        cmocka_unit_test(live_counts_blocks_not_yet_freed),
        cmocka_unit_test(fail_after_lets_n_allocations_succeed),
        cmocka_unit_test(all_memory_comes_from_the_given_allocator_and_returns_to_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
