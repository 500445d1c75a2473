/* driftless/model.h: models written as scripts, loaded, run and stepped by a program.

   A model is a script with its settings; a run is one simulation of it. A run derives equations of
   its own, so that several runs of one model may live in several threads, each with a context of
   its own; the model is only read then. A handle that is NULL gives DFL_INVALID, or values that are
   0, NAN or NULL. Link with libdriftless-model. */
#ifndef DFL_MODEL_H
#define DFL_MODEL_H

#include <driftless/analysis.h>
#include <driftless/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- models ---- */

typedef struct dfl_model dfl_model;

/* `{0}` is a complete set. */
typedef struct dfl_load_options {
    int nset;
    const char *const *set; /* "NAME=VALUE": parameters, inputs, settings; "initial(NAME)=VALUE" */
    int ninput;
    const char *const *input; /* inputs that follow files: "NAME=FILE.csv:COLUMN[:hold|:cubic]" */
    void (*print)(const char *text, void *user); /* a line that the script prints; NULL: dropped */
    void *user;                                  /* given to print */
    const char *prefix; /* before the names of options in messages: "--"; NULL: nothing */
    bool unlimited; /* the caller has written it: no limits on time (60 s), memory (256 MiB), length
                       and expressions, and files may lie anywhere, not only below its folder */
    bool
        allow_fmu; /* fmu(...) in the script may start libraries of FMUs, which are not sandboxed */
} dfl_load_options;

/* Runs the script in a file, or in memory (`name` is used in messages). The message of a failure
   starts with "FILE:LINE: " where known. DFL_INVALID, DFL_NO_MEMORY. */
dfl_status dfl_model_load(dfl_model **out, dfl_context *ctx, const char *path,
                          const dfl_load_options *options);
dfl_status dfl_model_load_text(dfl_model **out, dfl_context *ctx, const char *name,
                               const char *text, size_t length, const dfl_load_options *options);

/* Frees a model; NULL is allowed. Runs do not need it. */
void dfl_model_free(dfl_model *model);

/* DFL_INVALID if `path` is the script's own file, which nobody wants to overwrite. */
dfl_status dfl_model_spare(const dfl_model *model, dfl_context *ctx, const char *path);

/* ---- models without a script ---- */

/* A model in the making: calls of the language (docs/language.md) by name, such as "position",
   "constraint", "body", "revolute", with results and expressions as texts. */
typedef struct dfl_builder dfl_builder;

typedef enum dfl_argument_kind {
    DFL_ARGUMENT_NUMBER,
    DFL_ARGUMENT_FLAG,       /* `number` is not 0 */
    DFL_ARGUMENT_TEXT,       /* a name, a unit, a word */
    DFL_ARGUMENT_EXPRESSION, /* of the names of results, such as "x^2 + y^2 - L^2", "arm.q",
                                "function(r) return x - r end" */
    DFL_ARGUMENT_TABLE
} dfl_argument_kind;

typedef struct dfl_argument {
    dfl_argument_kind kind;
    double number;
    const char *text;
    int count; /* of a table */
    const struct dfl_argument *items;
    const char *key; /* inside a table; NULL: the next item of a list */
    bool key_is_expression;
} dfl_argument;

/* `name` is used in messages; files of the calls are looked for below its folder. DFL_INVALID,
   DFL_NO_MEMORY. */
dfl_status dfl_builder_create(dfl_builder **out, dfl_context *ctx, const char *name);
void dfl_builder_free(dfl_builder *builder);

/* Adds a call. `result`: what its results are called in expressions from here on, "x" or "x, y";
   NULL: nothing. `call` NULL: the results are the arguments, so that an expression that is used
   again has a name. Only the form of the arguments is checked here, unless dfl_builder_check_calls
   was called: DFL_INVALID, and the call is left out. */
dfl_status dfl_builder_call(dfl_builder *builder, const char *result, const char *call, int count,
                            const dfl_argument *arguments);

/* From here on (and all calls so far, now) every call is made at once, in a model that nobody else
   sees, so that a wrong one fails where it is made, with the message that loading would give.
   `options` are those of the loading to come; NULL: none. DFL_INVALID, DFL_NO_MEMORY. */
dfl_status dfl_builder_check_calls(dfl_builder *builder, const dfl_load_options *options);

/* The model of the calls so far; messages name the call by its number, "NAME:NUMBER: ". The calls
   as a script that dfl_model_load_text takes; valid until the next one. */
dfl_status dfl_builder_load(dfl_model **out, const dfl_builder *builder,
                            const dfl_load_options *options);
const char *dfl_builder_script(const dfl_builder *builder);

/* The names of the language in the alphabet, separated by blanks: calls such as "body", functions
   such as "sin", `ground`, `time`, `draw`. The caller returns *out with dfl_free. */
dfl_status dfl_language_names(char **out, dfl_context *ctx);

/* ---- what a model is, and where it starts ---- */

/* `{0}` is a complete set. */
typedef struct dfl_check_options {
    int nsettings;
    const char *const *settings; /* as in dfl_run_options */
    const char *start_from;      /* a file with the values of all variables as JSON, in place of the
                               script's initial values; NULL: none */
    const char *prefix;          /* as in dfl_load_options */
} dfl_check_options;

typedef enum dfl_verdict {
    DFL_READY,
    DFL_NO_START,    /* the initial values cannot be completed */
    DFL_UNDETERMINED /* the model does not determine its motion */
} dfl_verdict;

/* Something that a user should know. */
typedef struct dfl_finding {
    const char
        *kind; /* "redundant", "contradictory", "massless", "undetermined", "missed", "note" */
    const char *text; /* a sentence */
    int nnames;
    const char *const *names; /* of the constraints that it is about */
    double size; /* by how much they contradict each other, or given values miss them; or NAN */
} dfl_finding;

/* A variable at the start, in the order of results. */
typedef struct dfl_value_at_start {
    const char *name;
    double given;           /* 0 if it is not given */
    bool held;              /* ... or `initial` says so */
    double completed, atol; /* NAN: not known */
} dfl_value_at_start;

/* What was found; owned by the handle. */
typedef struct dfl_check_report {
    dfl_verdict verdict;
    const char *verdict_text;
    const char *start_message;                   /* why there is no start, or NULL */
    int np, nv, nr, ns, nw, nl, nm, ne, nep, n0; /* sizes, as in dfl_eom */
    int dof_by_count, dof_by_rank, rank;
    int nfindings;
    const dfl_finding *findings;
    double t, rtol;
    int nvalues;
    const dfl_value_at_start *values;
    const char *text, *json; /* as `driftless check` or `driftless init` prints it */
    const char *lua;         /* dfl_model_init: initial{...}, guess{...} to paste; or NULL */
} dfl_check_report;

typedef struct dfl_checked dfl_checked;

/* Everything about a model and its start, as `driftless check`; a model that cannot start is not a
   failure of this function. Or the consistent start alone, as `driftless init`: verdict, values and
   texts; statuses of a start. `options` may be NULL. DFL_INVALID, DFL_NO_MEMORY. */
dfl_status dfl_model_check(dfl_checked **out, dfl_context *ctx, const dfl_model *model,
                           const dfl_check_options *options);
dfl_status dfl_model_init(dfl_checked **out, dfl_context *ctx, const dfl_model *model,
                          const dfl_check_options *options);
const dfl_check_report *dfl_checked_about(const dfl_checked *checked);

/* Frees it; NULL is allowed. */
void dfl_checked_free(dfl_checked *checked);

/* The equations of motion for people, or with `frames` the kinematics of all bodies and frames, as
   text or a LaTeX document; one file of C99. The caller returns *out with dfl_free. */
dfl_status dfl_model_equations(char **out, dfl_context *ctx, const dfl_model *model, bool latex,
                               bool frames);
dfl_status dfl_model_export_c(char **out, dfl_context *ctx, const dfl_model *model);

/* ---- runs ---- */

typedef struct dfl_run dfl_run;

/* `{0}` is a complete set. */
typedef struct dfl_run_options {
    int nsettings;
    const char *const
        *settings; /* "NAME=VALUE" with the names of simulate{} and of options of
                      `driftless run`, such as "rtol=1e-8"; they override the script's */
    /* Called when the initial values are complete, before files are opened. NULL: none. */
    void (*on_start)(void *user);
    /* Called after every accepted step; anything but 0 stops the run. It may read values; it cannot
       advance, save or restore the run (DFL_INVALID). NULL: none. */
    int (*on_step)(double t, double step, void *user);
    /* An event of the script: its number among the events, and whether its function rises (1) or
       falls (-1). Anything but 0 stops the run. NULL: none. */
    int (*on_event)(int event, int direction, double t, void *user);
    /* Notices, warnings and, with DFL_LOG_DEBUG, every rejected step. NULL: dropped. */
    dfl_log_fn on_log;
    void *user; /* given to all of them */
    const char
        *start_from;     /* a file: values of all variables as JSON in place of the script's initial
                               values, or a run that `driftless run --save` has saved; NULL: none */
    const char *columns; /* what plots show, names separated by commas; NULL: the outputs */
    bool all_events;     /* the summary lists every event, not the first ones */
    bool statistics; /* ... and extrema and means of the outputs (or positions) over the run, unless
                        it is restored */
    const char *prefix; /* as in dfl_load_options */
} dfl_run_options;

/* Derives the equations and allocates everything, in `ctx`. The run is not started. DFL_INVALID:
   settings or model are wrong. DFL_NO_MEMORY. */
dfl_status dfl_run_create(dfl_run **out, dfl_context *ctx, const dfl_model *model,
                          const dfl_run_options *options);

/* Frees a run; NULL is allowed. Files that are open are closed as they are. */
void dfl_run_free(dfl_run *run);

/* Adds a file as in the program, before the start: results (.csv, .h5), a page (.html) or a plot
   (.svg), which are written by dfl_run_finish. "-": CSV to standard output. */
dfl_status dfl_run_write(dfl_run *run, const char *path);

/* Names a file for the complete state at the end, before the start: what `driftless run --save`
   writes and start_from reads. It is opened at the start, and written by dfl_run_finish if the run
   has completed or was stopped. "-": standard output. */
dfl_status dfl_run_save_to(dfl_run *run, const char *path);

/* The page is kept in memory, asked for before the start; the page once the run has finished, or
   NULL. */
dfl_status dfl_run_keep_page(dfl_run *run);
const char *dfl_run_page(const dfl_run *run);

/* Rows are kept in memory, too; before the start. The rows so far: time, then all columns of
   results, row by row; valid until the run goes on. NULL: none are kept. */
dfl_status dfl_run_keep(dfl_run *run);
const double *dfl_run_rows(const dfl_run *run, int *rows, int *columns);

/* Finds consistent initial values at the time `from` of the settings. */
dfl_status dfl_run_start(dfl_run *run);

/* Advances to time t (s), where a step ends, or by one step. A time inside the last step is reached
   by interpolation, on the constraints, and the next step goes on from its end. With the setting
   "interpolate=true" no step ends at t: the run takes its own steps, the last one beyond t, and
   values are interpolated there as they are; callbacks and rows come with the steps; inputs and
   parameters that are set act from t on all the same. (With the methods bdf, trapezoidal and
   midpoint steps end at t.) DFL_STOPPED: a callback, dfl_run_cancel or an event of the script has
   stopped it, which the message names; it may go on. Other statuses of dfl_solver_advance. After a
   failure the run stays at its last step. */
dfl_status dfl_run_advance(dfl_run *run, double t);
/* A step is as long as the tolerance allows, not beyond the end of the settings; without an end, or
   behind it, only the setting max_step bounds it. */
dfl_status dfl_run_step(dfl_run *run);

/* To the end time of the settings, then closes the files. DFL_INVALID: there is no end time.
   DFL_STOPPED: a callback has stopped it, or nobody reads standard output any more. DFL_IO: a
   result could not be stored. dfl_run_complete: the whole run at once, with its start. With the
   method extrapolation its steps are longer, and dfl_run_interpolate, in a callback, is less
   accurate than rtol. */
dfl_status dfl_run_finish(dfl_run *run);
dfl_status dfl_run_complete(dfl_run *run);

/* How a run that has finished, or could not start, went, as `driftless run --json` says it, and in
   a few lines; owned by the run. NULL before. Notes about its files, one line each. */
const char *dfl_run_summary(const dfl_run *run);
const char *dfl_run_text(const dfl_run *run);
const char *dfl_run_notes(const dfl_run *run);

/* The same as data; owned by the run, NULL before. */
typedef struct dfl_run_report {
    const char *model, *form, *method;
    const char *status;  /* "completed", "stopped" (by an event), "interrupted", "failed" */
    const char *message; /* "" if there is none */
    double seconds, energy_drift; /* NAN if unknown */
    int nlevels;
    const char *const *level_names; /* "position", "velocity", ... */
    const double *levels; /* the largest residual of each; NAN: the model has no such level */
    dfl_statistics statistics;
} dfl_run_report;
const dfl_run_report *dfl_run_about(const dfl_run *run);

/* The name of an event; NULL beyond the last one. A column that is not an output, as it was given
   and as it was completed at the start (NAN before). */
const char *dfl_run_event_name(const dfl_run *run, int event);
dfl_value_at_start dfl_run_at_start(const dfl_run *run, int number);

/* The beginning and the end of the settings, NAN if there is none. */
void dfl_run_span(const dfl_run *run, double *from, double *to);

/* Stops a run that is advancing; the only function that another thread may call. */
void dfl_run_cancel(dfl_run *run);

/* The complete state of a run that has started, as dfl_run_saved_size bytes; restored in a started
   run of the same model with the same form and method, it goes on with the same bits, also in
   another process. Saving is a fresh beginning for the saved run, too (dfl_solver_save).
   DFL_INVALID: not started; bytes of another model, version or kind of run, or cut. */
size_t dfl_run_saved_size(const dfl_run *run);
dfl_status dfl_run_save(void *bytes, dfl_run *run);
dfl_status dfl_run_restore(dfl_run *run, const void *bytes, size_t size);

/* ---- values ---- */

typedef enum dfl_value_kind {
    DFL_VALUE_POSITION,
    DFL_VALUE_VELOCITY,
    DFL_VALUE_DYNAMIC,
    DFL_VALUE_CONTACT,
    DFL_VALUE_AUXILIARY,
    DFL_VALUE_MULTIPLIER,
    DFL_VALUE_OUTPUT,
    DFL_VALUE_INPUT,
    DFL_VALUE_PARAM
} dfl_value_kind;

typedef struct dfl_value_info {
    const char *name; /* as in results: "x", "der(x)", "lambda(rod)"; owned by the run */
    const char *unit; /* "" if unknown */
    dfl_value_kind kind;
} dfl_value_info;

/* All values of a run by number: the columns of results, then inputs and parameters. */
int dfl_run_values(const dfl_run *run);
dfl_value_info dfl_run_value(const dfl_run *run, int number);
/* The number of a name, or -1. */
int dfl_run_find(const dfl_run *run, const char *name);

/* The value at the present time; NAN before the start, but for inputs and parameters, and where the
   number is wrong. Allocates nothing. */
double dfl_run_get(dfl_run *run, int number);

/* Sets an input or a parameter, from the present time on: states move onto the constraints at the
   next call that needs them. DFL_INVALID: another kind, or not a number that the model allows. */
dfl_status dfl_run_set(dfl_run *run, int number, double value);

/* The present time; the state between the ends of the last step, by continuous output: values of
   all columns but outputs, on the constraints if `project`. DFL_INVALID: t is outside it. */
double dfl_run_time(const dfl_run *run);
dfl_status dfl_run_interpolate(double *values, dfl_run *run, double t, bool project);

/* Proof: residuals at the last step, the energy (NAN if unknown), counters. */
dfl_residuals dfl_run_residuals(dfl_run *run);
double dfl_run_energy(dfl_run *run);
dfl_statistics dfl_run_statistics(const dfl_run *run);

/* ---- analyses ---- */

/* A model near a state, with its linear equations there. */
typedef struct dfl_near dfl_near;

/* `{0}` is a complete set. Lists are names separated by commas. */
typedef struct dfl_near_options {
    int nsettings;
    const char *const *settings; /* as in dfl_run_options */
    const char *at;     /* "NAME=VALUE,...", "t=T" (of a run), "equilibrium"; NULL: the start */
    const char *steady; /* coordinates whose speeds are kept: a steady motion; NULL: none */
    const char *inputs; /* NULL: all */
    const char
        *outputs; /* outputs or variables; NULL: all outputs or, without any, all positions */
} dfl_near_options;

/* The linear equations at a state; those at an equilibrium, or with `steady` a steady motion, which
   is searched from the values of `at` as guesses. `options` may be NULL. Statuses of dfl_linearize
   and dfl_equilibrium_find; DFL_INVALID also for names that do not exist. */
dfl_status dfl_model_linearize(dfl_near **out, dfl_context *ctx, const dfl_model *model,
                               const dfl_near_options *options);
dfl_status dfl_model_equilibrium(dfl_near **out, dfl_context *ctx, const dfl_model *model,
                                 const dfl_near_options *options);

/* Frees it; NULL is allowed. */
void dfl_near_free(dfl_near *near);

/* What was found; owned by `near`. dfl_frequency_response, dfl_transmission_zeros and
   dfl_time_response take the equations. */
typedef struct dfl_near_report {
    double t;
    dfl_point_kind kind;
    dfl_equilibrium equilibrium; /* how it was found, if it was searched */
    dfl_linear_equations equations;
    const char *const *states; /* ny names, likewise nu, no: */
    const char *const *inputs;
    const char *const *outputs;
    int nvalues; /* all variables and outputs, as the columns of results */
    const char *const *names;
    const double *values;
    int npositions; /* all coordinates of the model */
    const char *const *positions;
    const char *why; /* the state is frozen, or modes do not judge it, in words; else NULL */
    bool changing;   /* modes do not judge it */
} dfl_near_report;
const dfl_near_report *dfl_near_about(const dfl_near *near);

/* The modes there; the caller clears them. How all positions move in mode `number`: npositions
   numbers each, 1 for the one that moves most. */
dfl_status dfl_near_modes(dfl_modes *out, dfl_near *near);
void dfl_near_shape(double *re, double *im, const dfl_near *near, const dfl_modes *modes,
                    int number);

/* State feedback u = -K y that minimizes the integral of weighted squares; weights "NAME=VALUE,..."
   of variables and outputs, and of inputs (those not named, or NULL, have 1). K is nu x ny; poles
   of the closed loop, cleared by the caller; open modes that no input reaches, that no output shows
   (may be NULL). At a steady motion the gains of cyclic positions without weights are 0, and modes
   and poles are without them. DFL_INVALID, DFL_SINGULAR. */
dfl_status dfl_near_lqr(double *K, dfl_modes *poles, int *unreached, int *unshown, dfl_near *near,
                        const char *state_weight, const char *input_weight);

/* The inputs with which a model follows the motions of its script, as a table. */
typedef struct dfl_followed dfl_followed;
dfl_status dfl_model_inverse(dfl_followed **out, dfl_context *ctx, const dfl_model *model,
                             int nsettings, const char *const *settings);
void dfl_followed_free(dfl_followed *followed);

/* Owned by `followed`. */
typedef struct dfl_followed_report {
    int rows, columns;    /* of `values`: time, then variables, outputs, drives, powers of drives */
    const double *values; /* row by row */
    const char *const *names; /* of all columns but time */
    int ndrives, first_drive; /* the names of the drives are names[first_drive], ... */
    const double *peak, *rms; /* of each drive */
} dfl_followed_report;
const dfl_followed_report *dfl_followed_about(const dfl_followed *followed);

#ifdef __cplusplus
}
#endif
#endif
