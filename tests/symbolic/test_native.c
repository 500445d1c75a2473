/* Native code has the bits of the tape; the cache saves the compiler's work and is never trusted
   too much; without a compiler there is a message and the tape. */
#define _POSIX_C_SOURCE 200809L
#include "failing.h"
#include "random_graph.h"

#include "symbolic/symbolic.h"
#include "symbolic/native_internal.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TAPES = 40, POOL = 100, PATHS = 512 };

/* A folder of the test with: `cache`, `tmp` (where temporary folders go), and a compiler `cc` that
   writes a line into `calls` before it runs the real one. */
typedef struct bench {
    char folder[64], cache[80], compiler[80];
    dfl_context *ctx;
    dfl_graph *graph;
    places where;
    dfl_expr pool[POOL];
    dfl_tape *tape[TAPES];
    int ntapes;
    dfl_native_options options;
} bench;

static void write_script(const char *path, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    vfprintf(file, format, args);
    va_end(args);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
}

/* One tape that computes everything in the pool. */
static void add_tape(bench *b, uint64_t *seed)
{
    dfl_target targets[POOL];
    random_expressions(b->graph, seed, b->pool, POOL);
    for (int i = 0; i < POOL; i++)
        targets[i] = (dfl_target){.expr = b->pool[i], .index = i};
    if (dfl_tape_create(&b->tape[b->ntapes++], b->ctx, b->graph, b->where.place, targets, POOL))
        fail_msg("%s", dfl_message(b->ctx));
}

static const dfl_tape *const *tapes_of(const bench *b)
{
    return (const dfl_tape *const *)b->tape;
}

static void make_bench(bench *b, int ntapes)
{
    char path[128];
    uint64_t seed = 99;
    memset(b, 0, sizeof *b);
    strcpy(b->folder, "/tmp/driftless-test-XXXXXX");
    assert_non_null(mkdtemp(b->folder));
    snprintf(b->cache, sizeof b->cache, "%s/above/cache", b->folder);
    snprintf(b->compiler, sizeof b->compiler, "%s/cc", b->folder);
    snprintf(path, sizeof path, "%s/tmp", b->folder);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(setenv("TMPDIR", path, 1), 0);
    const char *compiler = getenv("CC") ? getenv("CC") : "cc";
    write_script(b->compiler, "#!/bin/sh\necho called >> %s/calls\nexec %s \"$@\"\n", b->folder,
                 compiler);
    b->options = (dfl_native_options){.compiler = b->compiler, .cache = b->cache};
    b->ctx = dfl_context_create();
    b->graph = random_graph(b->ctx);
    make_places(&b->where);
    for (int i = 0; i < ntapes; i++)
        add_tape(b, &seed);
}

static int count_entries(const char *folder, const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    DIR *entries = opendir(path);
    int count = 0;
    if (!entries)
        return 0;
    for (struct dirent *entry; (entry = readdir(entries));)
        count += entry->d_name[0] != '.';
    closedir(entries);
    return count;
}

/* Whatever happened, no temporary file is left. */
static void free_bench(bench *b)
{
    char command[128];
    assert_int_equal(count_entries(b->folder, "tmp"), 0);
    for (int i = 0; i < b->ntapes; i++)
        dfl_tape_free(b->tape[i]);
    dfl_graph_free(b->graph);
    assert_int_equal(dfl_context_live(b->ctx), 0);
    dfl_context_free(b->ctx);
    snprintf(command, sizeof command, "rm -r %s", b->folder);
    assert_int_equal(system(command), 0);
}

static dfl_native *create_native(bench *b)
{
    dfl_native *native = NULL;
    if (dfl_native_create(&native, b->ctx, tapes_of(b), b->ntapes, &b->options))
        fail_msg("%s", dfl_message(b->ctx));
    return native;
}

static int compiler_calls(const bench *b)
{
    char path[128];
    snprintf(path, sizeof path, "%s/calls", b->folder);
    FILE *file = fopen(path, "r");
    int lines = 0;
    if (!file)
        return 0;
    for (int c; (c = getc(file)) != EOF;)
        lines += c == '\n';
    fclose(file);
    return lines;
}

static void check_bits(const bench *b, const dfl_native *native, int tape, uint64_t *seed)
{
    double *work = calloc(dfl_tape_work(b->tape[tape]), sizeof *work);
    double expected[POOL], found[POOL], *outs[] = {expected}, *native_outs[] = {found};
    point p;
    assert_non_null(work);
    make_point(&p, seed);
    dfl_tape_prepare(b->tape[tape], work, p.in);
    dfl_tape_eval(b->tape[tape], work, p.in, outs);
    dfl_native_function(native, tape)(work, p.in, native_outs);
    for (int i = 0; i < POOL; i++)
        assert_same(found[i], expected[i], "target", i);
    free(work);
}

static void native_code_has_the_bits_of_the_tape(void **state)
{
    (void)state;
    uint64_t seed = 8;
    bench b;
    make_bench(&b, TAPES);
    dfl_native *native = create_native(&b);
    for (int i = 0; i < TAPES; i++)
        for (int k = 0; k < 20; k++)
            check_bits(&b, native, i, &seed);
    dfl_native_free(native);
    free_bench(&b);
}

static void the_second_time_no_compiler_runs(void **state)
{
    (void)state;
    uint64_t seed = 8;
    struct stat info;
    bench b;
    make_bench(&b, 2);
    assert_false(dfl_native_cached(b.ctx, tapes_of(&b), b.ntapes, &b.options));
    dfl_native_free(create_native(&b));
    assert_int_equal(compiler_calls(&b), 1);
    assert_true(dfl_native_cached(b.ctx, tapes_of(&b), b.ntapes, &b.options));
    dfl_native *native = create_native(&b);
    assert_int_equal(compiler_calls(&b), 1);
    check_bits(&b, native, 1, &seed);
    dfl_native_free(native);

    assert_int_equal(stat(b.cache, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    assert_int_equal(count_entries(b.cache, ""), 2); /* object and source, nothing else */

    b.ntapes--; /* another program */
    assert_false(dfl_native_cached(b.ctx, tapes_of(&b), b.ntapes, &b.options));
    b.ntapes++;
    free_bench(&b);
}

/* The path of the only file in the cache that ends so. */
static void find_cached(char *path, const bench *b, const char *ending)
{
    DIR *entries = opendir(b->cache);
    assert_non_null(entries);
    path[0] = '\0';
    for (struct dirent *entry; (entry = readdir(entries));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot && strcmp(dot, ending) == 0)
            snprintf(path, PATHS, "%s/%s", b->cache, entry->d_name);
    }
    closedir(entries);
    assert_true(path[0] != '\0');
}

static void flip_byte(const char *path, long at)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    const int c = getc(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    assert_int_not_equal(putc(c ^ 1, file), EOF);
    assert_int_equal(fclose(file), 0);
}

/* Cut short, one bit turned in the object or in the source, writable by others, a link to
   elsewhere: each is compiled again. */
static void what_is_wrong_in_the_cache_is_compiled_again(void **state)
{
    (void)state;
    uint64_t seed = 8;
    char path[PATHS], other[128];
    bench b;
    make_bench(&b, 1);
    dfl_native_free(create_native(&b));
    for (int damage = 0; damage < 5; damage++) {
        find_cached(path, &b, damage == 2 ? ".c" : ".so");
        snprintf(other, sizeof other, "%s/elsewhere.so", b.folder);
        if (damage == 0)
            assert_int_equal(truncate(path, 4096), 0);
        else if (damage == 1 || damage == 2)
            flip_byte(path, 2000);
        else if (damage == 3)
            assert_int_equal(chmod(path, 0722), 0);
        else
            assert_true(rename(path, other) == 0 && symlink(other, path) == 0);
        assert_false(dfl_native_cached(b.ctx, tapes_of(&b), 1, &b.options));
        dfl_native *native = create_native(&b);
        assert_int_equal(compiler_calls(&b), damage + 2);
        check_bits(&b, native, 0, &seed);
        dfl_native_free(native);
        assert_true(dfl_native_cached(b.ctx, tapes_of(&b), 1, &b.options));
    }
    free_bench(&b);
}

static void folder_that_others_may_write_is_not_used(void **state)
{
    (void)state;
    bench b;
    make_bench(&b, 1);
    snprintf(b.cache, sizeof b.cache, "%s/open", b.folder);
    assert_int_equal(mkdir(b.cache, 0777), 0);
    assert_int_equal(chmod(b.cache, 0777), 0);
    dfl_native_free(create_native(&b));
    assert_int_equal(count_entries(b.cache, ""), 0);
    free_bench(&b);
}

static void assert_fails(bench *b, const char *compiler, const char *message)
{
    dfl_native *native = NULL;
    b->options.compiler = compiler;
    assert_int_equal(dfl_native_create(&native, b->ctx, tapes_of(b), b->ntapes, &b->options),
                     DFL_INVALID);
    assert_null(native);
    if (!strstr(dfl_message(b->ctx), message))
        fail_msg("'%s' not in: %s", message, dfl_message(b->ctx));
    assert_int_equal(count_entries(b->cache, ""), 0);
}

static void without_a_working_compiler_there_is_a_message(void **state)
{
    (void)state;
    char broken[128];
    bench b;
    make_bench(&b, 1);
    assert_fails(&b, "/nonexistent/cc -x", "'/nonexistent/cc'");
    assert_fails(&b, "true", "cannot load compiled code");
    snprintf(broken, sizeof broken, "%s/broken", b.folder);
    write_script(broken, "#!/bin/sh\necho out of order >&2\nexit 3\n");
    assert_fails(&b, broken, "out of order");
    write_script(broken, "#!/bin/sh\nkill -INT $$\nsleep 5\n");
    assert_fails(&b, broken, "signal 2");
    free_bench(&b);
}

/* Words after the name are arguments; nothing is given to a shell. */
static void compiler_may_have_arguments(void **state)
{
    (void)state;
    char command[256], path[128];
    struct stat info;
    bench b;
    make_bench(&b, 1);
    snprintf(command, sizeof command, "  %s   -DNAME=';touch${IFS}%s/harm;'  ", b.compiler,
             b.folder);
    b.options.compiler = command;
    dfl_native_free(create_native(&b));
    snprintf(path, sizeof path, "%s/harm", b.folder);
    assert_int_not_equal(stat(path, &info), 0);
    free_bench(&b);
}

/* No cache at all: neither a folder that can be made nor a home. */
static void works_without_a_cache(void **state)
{
    (void)state;
    uint64_t seed = 8;
    bench b;
    make_bench(&b, 1);
    char *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
    b.options.cache = "/dev/null/cache";
    for (int round = 0; round < 2; round++) {
        dfl_native *native = create_native(&b);
        check_bits(&b, native, 0, &seed);
        dfl_native_free(native);
        assert_false(dfl_native_cached(b.ctx, tapes_of(&b), 1, &b.options));
        b.options.cache = NULL;
        unsetenv("HOME");
        unsetenv("XDG_CACHE_HOME");
    }
    if (home)
        setenv("HOME", home, 1);
    free(home);
    free_bench(&b);
}

/* A file of 300 MB (all hole) that was not used for a year, a temporary folder as old, and one that
   is new. */
static void the_cache_is_kept_small(void **state)
{
    (void)state;
    const struct timespec old[2] = {{.tv_sec = 1600000000}, {.tv_sec = 1600000000}};
    char path[PATHS];
    struct stat info;
    bench b;
    make_bench(&b, 1);
    snprintf(path, sizeof path, "mkdir -p -m 700 %s/tmp-old %s/tmp-new", b.cache, b.cache);
    assert_int_equal(system(path), 0);
    assert_int_equal(chmod(b.cache, 0700), 0);
    snprintf(path, sizeof path, "%s/tmp-old/program.c", b.cache);
    write_script(path, "left over\n");
    snprintf(path, sizeof path, "%s/tmp-old", b.cache);
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    snprintf(path, sizeof path, "%s/0123456789abcdef.so", b.cache);
    write_script(path, " ");
    assert_int_equal(truncate(path, 300000000), 0);
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);

    dfl_native_free(create_native(&b));
    assert_int_not_equal(stat(path, &info), 0);
    assert_int_equal(count_entries(b.cache, ""), 3); /* object, source, tmp-new */
    assert_true(dfl_native_cached(b.ctx, tapes_of(&b), 1, &b.options));
    free_bench(&b);
}

/* A compiler that only copies an object made before, so that each round is quick. */
static void create_survives_every_failed_allocation(void **state)
{
    (void)state;
    char object[PATHS], copier[128], kept[128];
    bench b;
    make_bench(&b, 1);
    dfl_native_free(create_native(&b));
    find_cached(object, &b, ".so");
    snprintf(kept, sizeof kept, "%s/kept.so", b.folder);
    assert_int_equal(rename(object, kept), 0);
    snprintf(copier, sizeof copier, "%s/copier", b.folder);
    write_script(copier, "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\ncp %s \"$2\"\n", kept);
    b.options.compiler = copier;
    for (int round = 0; round < 2; round++) { /* without and with the cache filled */
        dfl_status status;
        WHILE_ALLOCATIONS_FAIL(status, b.ctx) {
            dfl_native *native = NULL;
            status = dfl_native_create(&native, b.ctx, tapes_of(&b), 1, &b.options);
            dfl_native_free(native);
        }
    }
    free_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(native_code_has_the_bits_of_the_tape),
        cmocka_unit_test(the_second_time_no_compiler_runs),
        cmocka_unit_test(what_is_wrong_in_the_cache_is_compiled_again),
        cmocka_unit_test(folder_that_others_may_write_is_not_used),
        cmocka_unit_test(without_a_working_compiler_there_is_a_message),
        cmocka_unit_test(compiler_may_have_arguments),
        cmocka_unit_test(works_without_a_cache),
        cmocka_unit_test(the_cache_is_kept_small),
        cmocka_unit_test(create_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
