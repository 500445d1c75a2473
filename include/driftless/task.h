/* driftless/task.h: what the commands of the program find about a model, for any program: as text,
   as JSON, and in files. Link with libdriftless-model. */
#ifndef DFL_TASK_H
#define DFL_TASK_H

#include <driftless/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `{0}` is a complete set. A field that a task does not take is ignored. Fields have the names of
   the program's options (docs/analyses.md), lists are names separated by commas, and NULL or 0 is
   "not given". */
typedef struct dfl_task_options {
    int nsettings;
    const char *const *settings; /* as in dfl_run_options */
    const char *start_from;      /* a file with the values of all variables as JSON */
    const char *prefix;          /* as in dfl_load_options */
    int noutput;
    const char *const *output; /* files: .json, .html and so on as the task can; others: its text */

    /* linearize, modes, response, lqr; equilibrium takes `at` as guesses */
    const char *at;     /* "NAME=VALUE,...", "t=T" (of a run), "equilibrium"; NULL: the start */
    const char *steady; /* coordinates whose speeds are kept: a steady motion */
    const char *inputs; /* NULL: all */
    const char
        *outputs; /* outputs or variables; NULL: all outputs or, without any, all positions */

    const char *over;  /* modes: "NAME=FIRST:LAST:COUNT" */
    double count;      /* modes: the number of smallest ones; 0: all */
    double starts;     /* equilibrium, optimize: the number of searches from different guesses */
    const char *along; /* linearize: times of a run, "FIRST:LAST:COUNT" */
    bool all_unknowns; /* linearize: the equations of all unknowns, too */

    int nomega;
    const double *omega;  /* response: frequencies, rad/s */
    double step, impulse; /* response: s after a step or impulse of each input ... */
    double size;          /* ... of this size; 0: 1 */
    int points;           /* ... rows; 0: 200 */

    const char *state_weight, *input_weight; /* lqr: "NAME=VALUE,..." */

    double bootstrap; /* optimize: fits to resampled residuals, for intervals; 0: none */
    double seed;      /* ... a whole number */
    double threads;   /* ... and with `starts`: how many searches run at once; 0: all processors */
    const char *algorithm;   /* optimize: "lm", "bfgs", or one of NLopt; NULL: what suits */
    bool check;              /* gradient: also differences of runs; they must agree */
    const char *derivatives; /* gradient: "direct", "adjoint"; NULL or "auto": what suits */
    const char
        *error_control; /* gradient: steps for "state" alone; NULL or "all": for derivatives, too */
    const char *by;     /* gradient: parameters, inputs, "initial(NAME)"; NULL: all parameters */
    int nof;
    const char *const *of; /* gradient: outputs or variables; none: all outputs */

    const char *forms, *methods; /* compare: lists, or "all" */
    const char *tol;             /* compare: tolerances, "A:B" (every decade) or "A,B,C" */
    double limit;                /* compare: s, then a run is given up; 0: 60 */

    const char *fmu;  /* export: the version, "2" or "3"; or one of: */
    bool sfunction;   /* ... an S-function for Simulink */
    bool c, octave;   /* ... the equations as C or Octave; C is the text of the report, too */
    const char *sid;  /* ... the elastic body of this name as a SID file */
    const char *kind; /* of an FMU: "cs", "me", "both"; NULL: "cs" */
    bool sources;     /* ... with its source code */
    bool windows;     /* ... with a library for Windows, too, by mingw-w64 */
    double projection_tolerance; /* of an FMU or S-function; 0: ten times rtol */

    /* optimize: called after every iteration, with a line about it; compare: before every run.
       NULL: none. */
    void (*on_progress)(const char *line, void *user);
    void *user; /* given to it */
} dfl_task_options;

/* What was found; owned by the handle. */
typedef struct dfl_task_report {
    const char *text, *json; /* as the program prints it without and with --json */
    const char *note;        /* what a user should know, or NULL */
    bool completed; /* false: a search has ended before it has converged, or after a failure */
} dfl_task_report;

typedef struct dfl_task dfl_task;

/* Does the task `name`: "linearize", "modes", "equilibrium", "response", "lqr", "inverse",
   "gradient", "optimize", "compare" or "export". After a failure *out may be there all the same,
   with the object of the failure as JSON, or after DFL_STOPPED (dfl_interrupt) the best so far;
   otherwise it is NULL. The caller frees it in any case. Statuses of what the task does;
   DFL_INVALID also for wrong options, DFL_IO for files. */
dfl_status dfl_model_task(dfl_task **out, dfl_context *ctx, const dfl_model *model,
                          const char *name, const dfl_task_options *options);
const dfl_task_report *dfl_task_about(const dfl_task *task);

/* Frees it; NULL is allowed. */
void dfl_task_free(dfl_task *task);

/* A page (.html) or a plot (.svg) of a result that a run has stored (.h5). `columns`: what a plot
   shows, names separated by commas; NULL: the outputs. DFL_INVALID, DFL_IO, DFL_NO_MEMORY. */
dfl_status dfl_view_result(dfl_context *ctx, const char *result, const char *path,
                           const char *columns);

#ifdef __cplusplus
}
#endif
#endif
