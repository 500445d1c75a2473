/* cli.h: what the subcommands share. */
#ifndef DFL_CLI_H
#define DFL_CLI_H

#include "cli/command_line.h"
#include "context/context.h"
#include "engine/engine.h"

#include <driftless/task.h>
#include "result/result.h"

/* Exit statuses of the program. */
enum {
    CLI_SUCCESS = 0,
    CLI_FAILURE = 1, /* the simulation could not be completed; what was computed is kept */
    CLI_WRONG = 2    /* wrong usage or a wrong model */
    /* 128 + a signal: interrupt.h */
};

/* The subcommands: each prints its own errors and returns an exit status. */
int cli_run(dfl_context *ctx, const cli_arguments *arguments);
int cli_check(dfl_context *ctx, const cli_arguments *arguments);
int cli_init(dfl_context *ctx, const cli_arguments *arguments);
int cli_equations(dfl_context *ctx, const cli_arguments *arguments);
int cli_view(dfl_context *ctx, const cli_arguments *arguments);
int cli_task(dfl_context *ctx, const cli_arguments *arguments); /* analyses, compare, export */

/* A script and what was derived from it. */
typedef struct cli_model {
    dfl_model *model;
    dfl_equations *eq;
    dfl_runnable *run; /* NULL unless wanted */
    dfl_text saved;    /* a saved run from which a run goes on, or empty */
} cli_model;

/* What a model is loaded for. */
typedef enum cli_use {
    CLI_EXPRESSIONS, /* everything is an expression, even in large mechanisms */
    CLI_FOLLOWED,    /* ... with Jacobians and tapes, which write dense matrices */
    CLI_TO_CARRY,    /* ... with dense tapes and what a run adds, for exports that run */
    CLI_DENSE,       /* with Jacobians and tapes, which write dense matrices ... */
    CLI_FEW_MODES,   /* ... or sparse ones if the model is large beside `count` */
    CLI_FOR_SOLVER,  /* ... or sparse ones, as chosen */
    CLI_TO_RUN       /* ... and forces that jump with a speed may hold it */
} cli_use;

/* Runs the script and derives the equations. The caller clears `out`, even after a failure. */
dfl_status cli_load(cli_model *out, dfl_context *ctx, const cli_arguments *arguments, cli_use use);
void cli_unload(cli_model *model);

/* Settings of the command line as the library takes them (client.c). */
typedef struct cli_settings {
    dfl_context *ctx;
    int count;
    const char *texts[DFL_MOST_SETTINGS];
} cli_settings;
void cli_take_settings(cli_settings *out, dfl_context *ctx, const cli_arguments *arguments);
dfl_check_options cli_check_options(cli_settings *settings, dfl_context *ctx,
                                    const cli_arguments *arguments);
void cli_settings_clear(cli_settings *settings);

/* The script of the arguments; a text to standard output. */
dfl_status cli_load_script(dfl_model **out, dfl_context *ctx, const cli_arguments *arguments);
dfl_status cli_print(dfl_context *ctx, const char *text);

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

/* Writes a text to `path` (NULL or "-": standard output), which must not be the model itself. */
dfl_status cli_write(const char *path, const dfl_text *text, const cli_model *model);

/* DFL_INVALID unless --report and --plot name files of their kinds. */
dfl_status cli_check_drawings(dfl_context *ctx, const cli_arguments *arguments);

/* DFL_INVALID if `path` is the file of the model. */
dfl_status cli_spare_model(const char *path, const cli_model *model);

#endif
