/* Files that replace others when they are whole; texts that a terminal may show; what a signal must
   not leave behind. */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include "context/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/driftless-new-file-XXXXXX";

static const char *path_of(char path[128], const char *name)
{
    snprintf(path, 128, "%s/%s", folder, name);
    return path;
}

static const char *contents(const char *name)
{
    static char text[256];
    char path[128];
    FILE *file = fopen(path_of(path, name), "r");
    if (!file)
        return NULL;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static void put(dfl_new_file *file, dfl_context *ctx, const char *name, bool whole,
                const char *text)
{
    char path[128];
    assert_int_equal(dfl_new_file_open(file, ctx, path_of(path, name), whole), DFL_OK);
    assert_int_equal(dfl_new_file_write(file, text, strlen(text)), DFL_OK);
}

static void an_older_file_stays_until_the_new_one_is_whole(void **state)
{
    dfl_context *ctx = *state;
    dfl_new_file file;
    put(&file, ctx, "a", false, "one");
    assert_string_equal(contents("a"), "one"); /* in place */
    assert_int_equal(dfl_new_file_keep(&file, NULL), DFL_OK);
    put(&file, ctx, "a", false, "two");
    assert_string_equal(contents("a"), "one");
    assert_string_equal(contents("a.part"), "two");
    dfl_new_file_discard(&file);
    assert_null(contents("a.part"));
    put(&file, ctx, "a", true, "three");
    assert_int_equal(dfl_new_file_keep(&file, NULL), DFL_OK);
    assert_string_equal(contents("a"), "three");
    assert_null(contents("a.part"));
    put(&file, ctx, "fresh", true, "whole");
    assert_null(contents("fresh"));
    dfl_new_file_discard(&file);
    assert_null(contents("fresh.part"));
}

static void a_file_is_written_by_one_at_a_time(void **state)
{
    dfl_context *ctx = *state;
    char path[128];
    dfl_new_file file, second;
    for (int round = 0; round < 2; round++) { /* in place, and to replace it */
        put(&file, ctx, "b", false, "mine");
        assert_int_equal(dfl_new_file_open(&second, ctx, path_of(path, "b"), false), DFL_INVALID);
        assert_non_null(strstr(dfl_message(ctx), "is being written already"));
        dfl_new_file_discard(&second);
        assert_int_equal(dfl_new_file_keep(&file, NULL), DFL_OK);
        assert_string_equal(contents("b"), "mine");
    }
}

/* What a killed run left is no obstacle; a link there is not followed. */
static void an_old_part_is_used_again_and_a_link_is_refused(void **state)
{
    dfl_context *ctx = *state;
    char path[128], part[128];
    dfl_new_file file;
    assert_int_equal(dfl_write_file(ctx, path_of(path, "c"), "old", 3), DFL_OK);
    assert_int_equal(dfl_write_file(ctx, path_of(part, "c.part"), "a longer text", 13), DFL_OK);
    assert_int_equal(dfl_write_file(ctx, path, "new", 3), DFL_OK);
    assert_string_equal(contents("c"), "new");
    assert_int_equal(symlink("b", part), 0);
    assert_int_equal(dfl_new_file_open(&file, ctx, path, false), DFL_INVALID);
    dfl_new_file_discard(&file);
    assert_string_equal(contents("c"), "new");
}

static void every_failed_allocation_is_clean(void **state)
{
    dfl_context *ctx = *state;
    char path[128];
    dfl_status status = DFL_NO_MEMORY;
    for (long n = 0; status == DFL_NO_MEMORY; n++) {
        dfl_context_fail_after(ctx, n);
        status = dfl_write_file(ctx, path_of(path, "d"), "text", 4);
        dfl_context_fail_after(ctx, -1);
        assert_int_equal(dfl_context_live(ctx), 0);
    }
    assert_int_equal(status, DFL_OK);
}

/* As a signal handler would do it: in a process that ends without any other clean-up. */
static void a_signal_leaves_nothing_behind(void **state)
{
    dfl_context *ctx = *state;
    assert_int_equal(dfl_write_file(ctx, path_of((char[128]){0}, "e"), "old", 3), DFL_OK);
    const pid_t child = fork();
    if (child == 0) {
        dfl_new_file file;
        put(&file, ctx, "e", false, "new");
        const pid_t helper = fork();
        if (helper == 0) {
            setpgid(0, 0);
            for (;;)
                pause();
        }
        setpgid(helper, helper);
        dfl_leftover_processes(ctx, helper);
        dfl_leftovers_remove(ctx);
        _exit(kill(helper, 0) == 0); /* it is gone, and collected */
    }
    int ended;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(ended, 0);
    assert_null(contents("e.part"));
    assert_string_equal(contents("e"), "old");
}

static void a_terminal_obeys_no_text(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\n\t", NULL},
        {"\x1b[31m", "\\x1b[31m"},
        {"\r\x7f\x01", "\\x0d\\x7f\\x01"},
        {"\xc2\x9b", "\\xc2\\x9b"},   /* U+009B, as good as ESC [ */
        {"a\xff\xc3", "a\\xff\\xc3"}, /* not UTF-8 */
        {"\xe2\x82", "\\xe2\\x82"},
    };
    char out[64];
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_string_equal(dfl_visible(out, sizeof out, pairs[i][0]), "");
        assert_string_equal(out, pairs[i][1] ? pairs[i][1] : pairs[i][0]);
    }
    assert_string_equal(dfl_visible(out, 8, "abcd\x1bz"), "\x1bz");
    assert_string_equal(out, "abcd");
}

static void messages_have_no_control_characters(void **state)
{
    dfl_context *ctx = *state;
    dfl_fail(ctx, DFL_INVALID, "there is no '%s'", "\x1b[2J");
    assert_string_equal(dfl_message(ctx), "there is no '\\x1b[2J'");
}

static int begin(void **state)
{
    *state = dfl_context_create();
    return !mkdtemp(folder) || !*state;
}

static int end(void **state)
{
    dfl_context_free(*state);
    char command[160];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_older_file_stays_until_the_new_one_is_whole),
        cmocka_unit_test(a_file_is_written_by_one_at_a_time),
        cmocka_unit_test(an_old_part_is_used_again_and_a_link_is_refused),
        cmocka_unit_test(every_failed_allocation_is_clean),
        cmocka_unit_test(a_signal_leaves_nothing_behind),
        cmocka_unit_test(a_terminal_obeys_no_text),
        cmocka_unit_test(messages_have_no_control_characters),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
