/* model.h: a loaded model, derived again for a purpose. */
#ifndef DFL_MODEL_MODULE_H
#define DFL_MODEL_MODULE_H

#include <driftless/model.h>

#include "script/script.h"
#include "study/study.h"

/* What the equations are derived for. */
typedef enum dfl_purpose {
    DFL_TO_READ,      /* everything is an expression, even in large mechanisms */
    DFL_TO_FOLLOW,    /* with dense tapes and what a run adds, for derivatives of runs ... */
    DFL_TO_CARRY,     /* ... and for exports that run */
    DFL_TO_LINEARIZE, /* with Jacobians and tapes, which write dense matrices ... */
    DFL_FEW_MODES,    /* ... or sparse ones if the model is large beside `count` */
    DFL_TO_START,     /* ... or sparse ones, as chosen */
    DFL_TO_RUN        /* ... and forces that jump with a speed may hold it */
} dfl_purpose;

typedef struct dfl_derivation {
    dfl_purpose purpose;
    double count; /* DFL_FEW_MODES: how many; 0: all */
    int nsettings;
    const char *const *settings;           /* as in dfl_run_options */
    const char *start_from;                /* a file, or NULL */
    const char *prefix;                    /* as in dfl_load_options */
    bool prescribe, goals, unseen, bodies; /* as in dfl_script_options */
    bool slides;      /* forces that jump with a speed may hold it, whatever the purpose */
    double precision; /* of the tables, for runs with this rtol; 0: 1e-6, or as chosen */
    int nmore;
    const char *const *more; /* "NAME=VALUE" after those that the model was loaded with */
    double max_seconds;      /* of the script, as in dfl_script_options */
    size_t max_memory;
} dfl_derivation;

/* Begins as {0}. */
typedef struct dfl_derived {
    dfl_context *ctx;
    dfl_model *model;
    dfl_equations *eq;
    dfl_runnable *runnable; /* NULL for DFL_TO_READ */
    char prefix[24];
    dfl_choices choices;
    char *texts[DFL_MOST_SETTINGS]; /* of the choices */
    dfl_text saved;                 /* a saved run from which a run goes on, or empty */
} dfl_derived;

/* The script once more, from the text that the model has kept, and its equations. The caller clears
 *out, even after a failure. DFL_INVALID, DFL_NO_MEMORY. */
dfl_status dfl_derived_create(dfl_derived *out, dfl_context *ctx, const dfl_model *model,
                              const dfl_derivation *how);
void dfl_derived_clear(dfl_derived *derived);

/* The same for DFL_TO_RUN with other values in `how->more`, from what was derived with other ones.
   *same: script and derivation would give the same equations, which are kept; else the caller
   clears *it. */
dfl_status dfl_derived_revalue(bool *same, dfl_derived *it, const dfl_derivation *how);

/* Names options in the message of a failure as fields: --state-weight is state_weight. */
void dfl_name_fields(dfl_context *ctx, dfl_status status);

/* DFL_INVALID unless there are a context and a model; and a place for what is found. */
dfl_status dfl_check_model(dfl_context *ctx, const dfl_model *model);
dfl_status dfl_check_call(const void *out, dfl_context *ctx, const dfl_model *model);

/* DFL_INVALID unless `texts` are `count` texts; `name` is used in messages. */
dfl_status dfl_check_texts(dfl_context *ctx, const char *name, int count, const char *const *texts);

#endif
