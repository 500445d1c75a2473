/* surroundings.c: what the program finds when it starts.

   OpenBLAS starts threads before `main`, and each of them, like every product of larger matrices,
   takes a buffer of up to 128 MB of addresses. If there are too few (ulimit -v), it asks again and
   again, for ever. So with a limit the program starts once more with one thread, and ends with a
   message if the buffer does not fit. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"
#include "cli/surroundings.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { NEEDED = 160 }; /* megabytes: the buffer, and a small model */

/* Part of OpenBLAS; other BLAS libraries do not have it. */
#if defined(__GNUC__)
void openblas_set_num_threads(int count) __attribute__((weak));
#endif

static bool has_openblas(void);
static bool fits(void);

bool cli_prepare(char **argv)
{
    static const char variable[] = "OPENBLAS_NUM_THREADS";
    struct rlimit limit = {0};
    const char *threads = getenv(variable);
    signal(SIGPIPE, SIG_IGN); /* writing reports it, and results in files are complete */
    signal(SIGXFSZ, SIG_IGN);
    if (!has_openblas())
        return true;
    const bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    if (limited && (!threads || strcmp(threads, "1") != 0) && !setenv(variable, "1", 1))
        execv("/proc/self/exe", argv); /* returns only if that is not possible */
#if defined(__GNUC__)
    openblas_set_num_threads(1); /* matrices here are small */
#endif
    if (fits())
        return true;
    if (limited)
        cli_say(
            "the limit of %.0f MB of address space (ulimit -v) is too small; %d MB more than the "
            "program itself takes are needed",
            (double)limit.rlim_cur / 1e6, NEEDED);
    else
        cli_say("there is not enough memory; %d MB are needed", NEEDED);
    return false;
}

static bool has_openblas(void)
{
#if defined(__GNUC__)
    return openblas_set_num_threads != NULL;
#else
    return false;
#endif
}

static bool fits(void)
{
    const size_t bytes = (size_t)NEEDED * 1000000;
    void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return block != MAP_FAILED && munmap(block, bytes) == 0;
}
