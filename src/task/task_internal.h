/* task_internal.h: what the tasks share. */
#ifndef DFL_TASK_INTERNAL_H
#define DFL_TASK_INTERNAL_H

#include <driftless/task.h>

#include "context/context.h"
#include "engine/engine.h"
#include "model/model.h"
#include "result/result.h"
#include "study/study.h"

/* A model and its linear equations near a state. */
typedef struct dfl_task_state {
    dfl_context *ctx;
    const dfl_model *source; /* as it was loaded */
    dfl_derived model;
    dfl_settings settings;
    dfl_state_found state;
    dfl_linear_model linear;
} dfl_task_state;

struct dfl_task {
    dfl_context *ctx;
    dfl_task_options options;
    dfl_task_state near;
    dfl_text text, json, note;
    bool unfinished;  /* a search has ended before it has converged */
    bool wrote_files; /* all of them */
    dfl_task_report report;
};

/* The tasks: text, JSON and files other than those of both. */
dfl_status dfl_task_linearize(dfl_task *it);
dfl_status dfl_task_modes(dfl_task *it);
dfl_status dfl_task_equilibrium(dfl_task *it);
dfl_status dfl_task_response(dfl_task *it);
dfl_status dfl_task_lqr(dfl_task *it);
dfl_status dfl_task_inverse(dfl_task *it);
dfl_status dfl_task_gradient(dfl_task *it);
dfl_status dfl_task_optimize(dfl_task *it);
dfl_status dfl_task_compare(dfl_task *it);
dfl_status dfl_task_export(dfl_task *it);

/* ---- near_state.c ---- */

/* Derives the model and resolves the settings. `endings`: of files that can be written, such as
   ".json .csv"; NULL: all. DFL_INVALID, DFL_NO_MEMORY. */
dfl_status dfl_task_derive(dfl_task_state *near, const dfl_task_options *options,
                           const char *endings, const dfl_derivation *how);
/* ... for linear equations. */
dfl_status dfl_task_derive_dense(dfl_task_state *near, const dfl_task_options *options,
                                 const char *endings);
/* The linear equations, or NULL if modes were found without them. */
const dfl_linearized *dfl_task_linear(const dfl_task_state *near);
dfl_status dfl_task_find(dfl_task_state *near, const dfl_task_options *options);
dfl_status dfl_task_find_linear(dfl_task_state *near, const dfl_task_options *options);
/* ... without inputs, which may then move constraints. */
dfl_status dfl_task_find_free(dfl_task_state *near, const dfl_task_options *options);
/* Forgets what was derived and found. */
void dfl_task_clear(dfl_task_state *near);

/* How gradients load the script once more (variation.c). */
typedef struct dfl_task_again {
    const dfl_task_state *near;
    const dfl_task_options *options;
    bool goals;
} dfl_task_again;
dfl_variation dfl_task_variation(dfl_task_again *again);

/* What --derivatives and --error-control say. */
dfl_status dfl_task_derivatives(dfl_derivatives_how *how, const dfl_task *it);

/* ---- JSON and files ---- */

/* Writes a file, which must not be the model itself (near_state.c). */
dfl_status dfl_task_write(const char *path, const dfl_text *text, const dfl_derived *model);

/* Parts of JSON: the beginning of a result, with a notice or NULL as its message; "at": {...}; a
   list of names; a matrix as a list of rows. */
void dfl_task_add_completed(dfl_text *json, const char *notice);
void dfl_task_add_at(dfl_text *text, const dfl_linear_model *linear);
void dfl_task_add_names(dfl_text *text, const char *key, const char *const *names, int count);
void dfl_task_add_matrix(dfl_text *text, const char *key, const double *A, int rows, int columns);

/* "KEY": [{"re", "im", "hz", "damping"}, ...]; without key the list alone. */
void dfl_task_add_eigenvalues(dfl_text *json, const char *key, const dfl_modes *modes);

/* "coordinates": [...], "shapes": [{"re", "im"}, ...]: how all positions move in each mode
   (mode_shapes.c). */
void dfl_task_add_shapes(dfl_text *json, const dfl_task_state *near, const dfl_modes *modes);

/* Writes the files FILE.html of the options: pages of the JSON; `modes`, if not NULL, are animated
   (analysis_files.c). */
dfl_status dfl_task_write_pages(const dfl_task_options *options, const dfl_task_state *near,
                                const char *command, const dfl_text *json, const dfl_modes *modes);

/* The files of a gradient with a row per time, FILE.csv and so on; and FILE.json
   (gradient_files.c). The caller clears it also after a failure. */
typedef struct dfl_gradient_files {
    dfl_context *ctx;
    dfl_record *record; /* NULL: there are none */
    dfl_fact facts[DFL_MOST_SETTINGS + 1];
    dfl_name_list by;
    char **names; /* of the columns */
    int count;
} dfl_gradient_files;
dfl_status dfl_gradient_files_open(dfl_gradient_files *it, dfl_task *task, const char *by,
                                   const char *const *of, int nof);
dfl_status dfl_gradient_files_write(const dfl_task *task);
void dfl_gradient_files_clear(dfl_gradient_files *it);

/* All files of an optimization; `history`: elements of a JSON array, [runs, objective]
   (optimize_files.c). */
dfl_status dfl_optimize_files(dfl_task *task, const dfl_optimum *optimum, const dfl_text *history);
/* The model once more, with `values` of what varies; the caller clears *out also after a failure.
 */
dfl_status dfl_optimize_load(dfl_loaded *out, dfl_settings *settings, const dfl_task *task,
                             const dfl_optimum *optimum, const double *values);
dfl_status dfl_optimize_page(dfl_task *task, const dfl_optimum *optimum, const dfl_text *history);

/* Outputs after a step or an impulse of each input, `count` rows of all outputs, one input after
   another (kick_tables.c); nothing is computed unless the options ask for it. */
typedef struct dfl_task_kicks {
    bool impulse;
    int count;
    double size, every;
    double *linear, *nonlinear; /* one block of memory, that of `linear`; NULL: not asked for */
} dfl_task_kicks;
dfl_status dfl_task_kicks_find(dfl_task_kicks *out, dfl_task_state *near, dfl_context *ctx,
                               const dfl_task_options *options, bool impulse);
/* ", "step": {...}" as a part of JSON; the table. Nothing without numbers. */
void dfl_task_kicks_json(dfl_text *json, const dfl_task_kicks *it, const dfl_linear_model *model);
void dfl_task_kicks_table(dfl_text *text, const dfl_task_kicks *step, const dfl_task_kicks *impulse,
                          const dfl_linear_model *model);

/* Appends the equations as a MAT file of level 4, or as a script for Octave and Matlab
   (linear_files.c). With a number the names are those of a series: A_1, ... */
void dfl_task_write_mat(dfl_text *out, const dfl_task_state *near, int number);
void dfl_task_write_octave(dfl_text *out, const dfl_task_state *near, int number);
/* ... and to an HDF5 file, in the group where values go. */
void dfl_task_write_h5(dfl_matrix_file *out, const dfl_task_state *near);

#endif
