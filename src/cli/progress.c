/* progress.c: one line on a terminal that shows the progress of a run. */
#define _POSIX_C_SOURCE 200809L
#include "cli/progress.h"

#include <driftless/program.h>

#include <math.h>
#include <stdio.h>
#include <unistd.h>

void cli_progress_begin(cli_progress *progress, double from, double to, bool quiet)
{
    const double now = dfl_clock();
    *progress = (cli_progress){
        .wanted = !quiet && isatty(STDERR_FILENO), .from = from, .to = to, .begun = now};
    progress->drawn = now;
}

void cli_progress_show(cli_progress *progress, double t, double step)
{
    if (!progress->wanted)
        return;
    const double now = dfl_clock();
    if (now - progress->drawn < 0.1)
        return;
    const double share = (t - progress->from) / (progress->to - progress->from);
    char left[32] = "?";
    if (share > 0)
        cli_write_duration(left, sizeof left, (now - progress->begun) * (1 - share) / share);
    fprintf(stderr, "\r\033[Kt = %.6g of %.6g (%.0f %%), step %.2g, about %s left", t, progress->to,
            floor(100 * share), step, left);
    fflush(stderr);
    progress->drawn = now;
    progress->shown = true;
}

void cli_progress_erase(cli_progress *progress)
{
    if (!progress->shown)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    progress->shown = false;
}

void cli_write_duration(char *text, size_t size, double seconds)
{
    if (seconds < 100)
        snprintf(text, size, "%.0f s", ceil(seconds));
    else if (seconds < 6000)
        snprintf(text, size, "%.0f min", ceil(seconds / 60));
    else
        snprintf(text, size, "%.0f h", ceil(seconds / 3600));
}
