/* failing_malloc.c: an allocator for LD_PRELOAD that fails once, at a chosen call, wherever that
   call comes from: this program, Lua, HDF5, LAPACKE or the C library.

       DFL_FAIL_AT=K         the K-th call of malloc, calloc, realloc, posix_memalign,
                             aligned_alloc or memalign after the entry of main fails (0: none)
       DFL_FAIL_ON=1         so do all calls after it
       DFL_FAIL_REPORT=FILE  gets "COUNT FAILED\n" at exit, and the frames of the call that failed;
                             after a crash also "crash" and its frames

   Programs that are started from here (compilers) are left alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES = 40 };

/* glibc's own functions under their second names, so that none has to be looked up. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

typedef int (*main_fn)(int argc, char **argv, char **env);
typedef int (*start_fn)(main_fn main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                        void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(main_fn main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end);

static long calls, fail_at;
static bool counting, fail_on, reporting;
static int report = -1;
static main_fn real_main;

static bool fails(void);
static void report_frames(void);
static void report_crash(int signal_number);
static void report_count(void);
static int counted_main(int argc, char **argv, char **env);

int __libc_start_main(main_fn main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end)
{
    start_fn start = NULL;
    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = main;
    return start(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    return (size > 0 || !block) && fails() ? NULL : __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    if (fails())
        return ENOMEM;
    void *result = __libc_memalign(alignment, size);
    if (!result)
        return ENOMEM;
    *block = result;
    return 0;
}

/* Counts a call, and says whether it is to fail. */
static bool fails(void)
{
    if (!counting)
        return false;
    calls++;
    if (calls != fail_at && !(fail_on && fail_at && calls > fail_at))
        return false;
    if (calls == fail_at)
        report_frames();
    errno = ENOMEM;
    return true;
}

static void report_frames(void)
{
    void *frames[FRAMES];
    if (report < 0)
        return;
    counting = false;
    backtrace_symbols_fd(frames, backtrace(frames, FRAMES), report);
    counting = true;
}

/* On a stack of its own, since the other one may be full. */
static void report_crash(int signal_number)
{
    static const char mark[] = "crash\n";
    void *frames[FRAMES];
    counting = false;
    if (write(report, mark, sizeof mark - 1) > 0)
        backtrace_symbols_fd(frames, backtrace(frames, FRAMES), report);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void report_count(void)
{
    char text[80];
    counting = false;
    const int length =
        snprintf(text, sizeof text, "%ld %d\n", calls, fail_at > 0 && calls >= fail_at);
    if (length > 0 && write(report, text, (size_t)length) < 0)
        _exit(99);
}

static int counted_main(int argc, char **argv, char **env)
{
    const char *at = getenv("DFL_FAIL_AT"), *path = getenv("DFL_FAIL_REPORT");
    void *frames[1];
    backtrace(frames, 1); /* loads what it needs */
    fail_at = at ? strtol(at, NULL, 10) : 0;
    fail_on = getenv("DFL_FAIL_ON") != NULL;
    if (path) {
        report = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        reporting = report >= 0;
    }
    if (reporting) {
        static char stack[1 << 16];
        const struct sigaction action = {.sa_handler = report_crash, .sa_flags = SA_ONSTACK};
        sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
        sigaction(SIGSEGV, &action, NULL);
        sigaction(SIGABRT, &action, NULL);
        atexit(report_count);
    }
    unsetenv("LD_PRELOAD");
    counting = true;
    return real_main(argc, argv, env);
}
