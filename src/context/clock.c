/* clock.c: wall-clock time. POSIX has a clock that is never set back; elsewhere C17's clock is
   used, and clock() of Windows, which counts time, not processor time. */
#if defined(__unix__) || defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L
#endif
#include "context/context.h"

#include <time.h>

double dfl_clock(void)
{
#ifdef _WIN32
    return (double)clock() / CLOCKS_PER_SEC;
#else
    struct timespec now;
#ifdef _POSIX_C_SOURCE
    clock_gettime(CLOCK_MONOTONIC, &now);
#else
    timespec_get(&now, TIME_UTC);
#endif
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#endif
}
