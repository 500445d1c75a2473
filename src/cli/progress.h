/* progress.h: one line on a terminal that shows the progress of a run. */
#ifndef DFL_CLI_PROGRESS_H
#define DFL_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct cli_progress {
    bool wanted, shown;
    double from, to;     /* simulated time */
    double begun, drawn; /* on a clock of seconds */
} cli_progress;

/* Starts; nothing is drawn if `quiet` or if standard error is not a terminal. */
void cli_progress_begin(cli_progress *progress, double from, double to, bool quiet);
/* Redraws the line, ten times a second at most. */
void cli_progress_show(cli_progress *progress, double t, double step);
/* Removes the line, before other lines and at the end. */
void cli_progress_erase(cli_progress *progress);

/* A time for people: "12 s", "3 min", "2 h". */
void cli_write_duration(char *text, size_t size, double seconds);

#endif
