/* gradient.h: how the end of a run changes with parameters and initial values; part of study.h. */
#ifndef DFL_STUDY_GRADIENT_H
#define DFL_STUDY_GRADIENT_H

#include "engine/engine.h"
#include "result/result.h"

struct dfl_settings;

/* A script that was loaded once more. */
typedef struct dfl_loaded {
    dfl_model *model;
    dfl_equations *eq;
    dfl_runnable *run;
} dfl_loaded;
void dfl_loaded_clear(dfl_loaded *loaded);

/* How to load it, with more settings such as "L=1.001" or "initial(x)=0.1": its parameters may be
   in initial values, which are numbers. *out is clear before, and is cleared also after a failure.
 */
typedef struct dfl_variation {
    dfl_status (*load)(dfl_loaded *out, const char *const *settings, int count, void *user);
    void *user;
    /* The same for a thread of its own, with another context; `release` frees it. NULL: there are
       no threads. */
    dfl_status (*fork)(struct dfl_variation *out, dfl_context *ctx, const void *user);
    void (*release)(struct dfl_variation *variation);
} dfl_variation;

/* Derivatives beside the state, for each parameter; or by a sweep backwards, for each value. */
typedef enum dfl_derivatives_how {
    DFL_DERIVATIVES_AUTO, /* backwards if there are many more parameters than values */
    DFL_DERIVATIVES_DIRECT,
    DFL_DERIVATIVES_ADJOINT,
    DFL_DERIVATIVES_UNCONTROLLED =
        4 /* added to one of these: steps are chosen for the state alone */
} dfl_derivatives_how;

typedef struct dfl_gradient {
    dfl_context *ctx;
    int count, nof; /* parameters, outputs */
    char **by;      /* names, in the order of the lists */
    char **of;
    double *at;        /* count: where the derivatives are taken */
    double t;          /* the end of the run */
    double *value;     /* nof */
    double *gradient;  /* nof x count */
    double *tolerance; /* nof: what tolerances of the state may change in the values */
    long steps;
    bool backwards; /* by a sweep */
} dfl_gradient;

/* Runs the model and follows the derivatives of its state by the parameters, inputs and initial
   values in `by`, names separated by commas; then those of outputs or variables `of` at the end.
   `run` must have all equations as expressions. The caller clears *out also after a failure.
   DFL_INVALID: a name that does not exist, a parameter that the script uses as a number, a model
   whose derivatives cannot be followed. `record`, if there is one, gets the rows of the run, with
   nof x count derivatives behind the outputs (those of the first `of` first) and those of every
   number of the scene behind it (by the first parameter first). */
dfl_status dfl_study_gradient(dfl_gradient *out, dfl_runnable *run,
                              const struct dfl_settings *settings, const char *by,
                              const char *const *of, int nof, dfl_derivatives_how how,
                              const dfl_variation *variation, dfl_record *record);
void dfl_gradient_clear(dfl_gradient *gradient);

/* What differences of runs say of a derivative. */
typedef enum dfl_agreement {
    DFL_AGREES,     /* to 1e-5, perhaps with smaller tolerances, and the derivative to 100 rtol */
    DFL_INACCURATE, /* it agrees with smaller tolerances only */
    DFL_DOUBTFUL,   /* the differences are too inaccurate to say so */
    DFL_DISAGREES
} dfl_agreement;

typedef struct dfl_gradient_check {
    dfl_context *ctx;
    double *differences;    /* nof x count */
    double *doubt;          /* nof x count: how accurate they are */
    dfl_agreement *verdict; /* nof x count */
    dfl_agreement worst;
} dfl_gradient_check;

/* The same derivatives by extrapolated differences of runs nearby, with tolerances a hundredth of
   those that `choices` and `settings` say. The caller clears *out also after a failure. */
dfl_status dfl_study_gradient_check(dfl_gradient_check *out, const dfl_gradient *gradient,
                                    const struct dfl_settings *settings, const dfl_choices *choices,
                                    const dfl_variation *variation);
void dfl_gradient_check_clear(dfl_gradient_check *check);

#endif
