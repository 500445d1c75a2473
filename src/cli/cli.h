/* cli.h: what the subcommands share. */
#ifndef DFL_CLI_H
#define DFL_CLI_H

#include "cli/command_line.h"
#include "context/context.h"
#include "engine/engine.h"

#include <driftless/model.h>
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
int cli_export(dfl_context *ctx, const cli_arguments *arguments);
int cli_compare(dfl_context *ctx, const cli_arguments *arguments);
int cli_view(dfl_context *ctx, const cli_arguments *arguments);
int cli_linearize(dfl_context *ctx, const cli_arguments *arguments);
int cli_modes(dfl_context *ctx, const cli_arguments *arguments);
int cli_equilibrium(dfl_context *ctx, const cli_arguments *arguments);
int cli_response(dfl_context *ctx, const cli_arguments *arguments);
int cli_lqr(dfl_context *ctx, const cli_arguments *arguments);
int cli_inverse(dfl_context *ctx, const cli_arguments *arguments);
int cli_gradient(dfl_context *ctx, const cli_arguments *arguments);
int cli_optimize(dfl_context *ctx, const cli_arguments *arguments);

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

/* Loads the script again for gradients (reload.c). */
typedef struct cli_reloading {
    dfl_context *ctx;
    const cli_arguments *arguments;
} cli_reloading;
dfl_variation cli_variation(cli_reloading *again);

/* ---- what analyses share (near_state.c) ---- */

/* A model and its linear equations near a state. */
typedef struct cli_near {
    cli_model model;
    dfl_settings settings;
    dfl_state_found state;
    dfl_linear_model linear;
} cli_near;

/* Loads the model; finds the state; linearizes there. `endings`: of files that can be written, such as
   ".json .csv". The caller clears `near`, which begins as {0},
   also after a failure. */
dfl_status cli_near_load(cli_near *near, dfl_context *ctx, const cli_arguments *arguments,
                         const char *endings);
dfl_status cli_near_load_as(cli_near *near, dfl_context *ctx, const cli_arguments *arguments,
                            const char *endings, cli_use use);
/* The same for `count` modes, which large models have with sparse matrices. */
dfl_status cli_near_load_few(cli_near *near, dfl_context *ctx, const cli_arguments *arguments,
                             const char *endings);
/* The linear equations, or NULL if modes were found without them. */
const dfl_linearized *cli_near_linear(const cli_near *near);
dfl_status cli_near_find(cli_near *near, const cli_arguments *arguments);
dfl_status cli_near_linearize(cli_near *near, const cli_arguments *arguments);
void cli_near_clear(cli_near *near);

/* Parts of JSON: the beginning of a result, with a notice or NULL as its message; "at": {...}; a list of names; a matrix as a list of rows. */
void cli_add_completed(dfl_text *json, const char *notice);
void cli_add_at(dfl_text *text, const dfl_linear_model *linear);
void cli_add_names(dfl_text *text, const char *key, const char *const *names, int count);
void cli_add_matrix(dfl_text *text, const char *key, const double *A, int rows, int columns);

/* "KEY": [{"re", "im", "hz", "damping"}, ...]; without key the list alone. */
void cli_add_eigenvalues(dfl_text *json, const char *key, const dfl_modes *modes);

/* "coordinates": [...], "shapes": [{"re", "im"}, ...]: how all positions move in each mode
   (mode_shapes.c). */
void cli_add_shapes(dfl_text *json, const cli_near *near, const dfl_modes *modes);

/* Writes the files FILE.html of --output: pages of the object that --json prints; `modes`, if not NULL, are
   animated (analysis_files.c). */
dfl_status cli_write_pages(const cli_arguments *arguments, const cli_near *near,
                           const char *command, const dfl_text *json, const dfl_modes *modes);

/* Outputs after a step or an impulse of each input, `count` rows of all outputs, one input after another
   (kick_tables.c); nothing is computed unless the arguments ask for it. */
typedef struct cli_kicks {
    bool impulse;
    int count;
    double size, every;
    double *linear, *nonlinear; /* one block of memory, that of `linear`; NULL: not asked for */
} cli_kicks;
dfl_status cli_kicks_find(cli_kicks *out, cli_near *near, dfl_context *ctx,
                          const cli_arguments *arguments, bool impulse);
/* ", "step": {...}" as a part of JSON; the table. Nothing without numbers. */
void cli_kicks_json(dfl_text *json, const cli_kicks *it, const dfl_linear_model *model);
void cli_kicks_table(dfl_text *text, const cli_kicks *it, const dfl_linear_model *model);

/* Appends the equations as a MAT file of level 4, or as a script for Octave and Matlab
   (linear_files.c). */
void cli_write_mat(dfl_text *out, const cli_near *near);
void cli_write_octave(dfl_text *out, const cli_near *near);
/* ... and to an HDF5 file, in the group where values go. */
void cli_write_h5(dfl_matrix_file *out, const cli_near *near);

/* Ends an analysis: JSON to files FILE.json of --output, the text to all others; without any to
   standard output, as --json says. After a failure its message, with --json as an object, too.
   Returns the exit status. */
int cli_conclude(dfl_context *ctx, const cli_arguments *arguments, const cli_model *model,
                 const dfl_text *text, const dfl_text *json, dfl_status status);

#endif
