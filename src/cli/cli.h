/* cli.h: what the subcommands share. */
#ifndef DFL_CLI_H
#define DFL_CLI_H

#include "cli/command_line.h"

#include <driftless/model.h>
#include <driftless/program.h>
#include <driftless/task.h>

/* Exit statuses of the program. */
enum {
    CLI_SUCCESS = 0,
    CLI_FAILURE = 1, /* the simulation could not be completed; what was computed is kept */
    CLI_WRONG = 2    /* wrong usage or a wrong model */
    /* 128 + a signal: interrupt.h */
};

/* The subcommands: each prints its own errors and returns an exit status. */
int cli_run(dfl_context *ctx, const cli_arguments *arguments);
int cli_run_guest(dfl_context *ctx, const cli_arguments *arguments); /* of an FMU */
int cli_check(dfl_context *ctx, const cli_arguments *arguments);
int cli_init(dfl_context *ctx, const cli_arguments *arguments);
int cli_equations(dfl_context *ctx, const cli_arguments *arguments);
int cli_sweep(dfl_context *ctx, const cli_arguments *arguments);
int cli_view(dfl_context *ctx, const cli_arguments *arguments);
int cli_task(dfl_context *ctx, const cli_arguments *arguments); /* analyses, compare, export */

/* Settings of the command line as the library takes them . */
typedef struct cli_settings {
    dfl_context *ctx;
    int count;
    const char *texts[DFL_MOST_SETTINGS];
} cli_settings;
void cli_take_settings(cli_settings *out, dfl_context *ctx, const cli_arguments *arguments);
dfl_check_options cli_check_options(cli_settings *settings, dfl_context *ctx,
                                    const cli_arguments *arguments);
void cli_settings_clear(cli_settings *settings);

/* The script of the arguments. */
dfl_status cli_load_script(dfl_model **out, dfl_context *ctx, const cli_arguments *arguments);

/* A text to standard output; to `path` (NULL or "-": standard output), which must not be the model
   itself. */
dfl_status cli_print(dfl_context *ctx, const char *text);
dfl_status cli_write(const char *path, dfl_context *ctx, const char *text, const dfl_model *model);

/* Three texts as one (dfl_free), or NULL without memory. */
char *cli_join(dfl_context *ctx, const char *first, const char *second, const char *third);

/* To standard error: a text as a terminal may show it (dfl_visible); "driftless: " and a line. */
void cli_show(const char *text);
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void cli_say(const char *format, ...);

/* Prints "driftless: " and the context's message; returns the exit status: CLI_WRONG for wrong
   models, CLI_FAILURE for everything else. */
int cli_complain(const dfl_context *ctx, dfl_status status);

/* The exit status of a subcommand that ended with `status`; prints the message unless the reader of
   standard output has gone (DFL_STOPPED). */
int cli_finish(const dfl_context *ctx, dfl_status status);

/* DFL_INVALID unless --report and --plot name files of their kinds. */
dfl_status cli_check_drawings(dfl_context *ctx, const cli_arguments *arguments);

#endif
