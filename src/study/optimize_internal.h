/* optimize_internal.h: between the objective and the searches. */
#ifndef DFL_OPTIMIZE_INTERNAL_H
#define DFL_OPTIMIZE_INTERNAL_H

#include "study/gradient_internal.h"
#include "study/optimize.h"

#include <stdatomic.h>

/* Where a measure is largest. */
typedef struct dfl_peak {
    double t; /* NAN: where an event ends the run */
    double value;
    int instant; /* as in gradient_run */
    bool kink;   /* it does not turn smoothly there */
} dfl_peak;

/* The objective over z, each from 0 (low) to 1 (high). */
typedef struct objective {
    dfl_context *ctx;
    const dfl_model *model;
    const dfl_choices *choices;
    const dfl_variation *variation;
    dfl_optimum *out;
    int count; /* of z */
    int nof;   /* measures, then measured values */
    int nmeasures;
    int nlimits;
    bool peaks;     /* some measures are largest values ... */
    dfl_peak *peak; /* ... nmeasures: where */
    dfl_derivatives_how how;
    double tolerance;
    const double *shift; /* what is taken off the weighted residuals; NULL: nothing */
    dfl_iteration_fn tell;
    void *user;
} objective;

/* What a run gives. */
typedef struct outcome {
    double value;
    double *slope;       /* count */
    double *residual;    /* m = nof - nmeasures */
    double *J;           /* m x count */
    double *limit;       /* nlimits: not positive, or zero, where they hold */
    double *limit_slope; /* nlimits x count */
} outcome;

dfl_status dfl_outcome_create(outcome *out, const objective *it);
void dfl_outcome_clear(outcome *out, const objective *it);

void dfl_outcome_copy(outcome *to, const objective *it, const outcome *from);

/* How far the worst limit is violated; whether an outcome is within the limits, or closer to them,
   and smaller. */
double dfl_outcome_violation(const objective *it, const outcome *at);
bool dfl_outcome_is_better(const objective *it, const outcome *at, const outcome *best);

/* Runs at z. DFL_STOPPED: interrupted. Any other failure: there is no value. */
dfl_status dfl_objective_evaluate(outcome *out, objective *it, const double *z);

/* By the algorithm that is asked for, or the one that suits (NULL), from z; see below. */
dfl_status dfl_search(outcome *at, objective *it, double *z, const char *algorithm);

/* ---- searches on all processors (optimize_trials.c) ---- */

typedef struct search_trial {
    int number;       /* from 0 on */
    dfl_context *ctx; /* its own, or that of the first search */
    dfl_variation variation;
    bool forked; /* it has a variation of its own */
    objective it;
    dfl_optimum out;
    outcome at;
    double *z;
    dfl_status status;
} search_trial;

typedef struct search_trials {
    const objective *first;
    int count, threads;
    dfl_status (*search)(search_trial *one, void *user); /* called by several threads at once */
    void *user;
    search_trial *item;
    atomic_int next;
} search_trials;

/* Does them all; statuses are those of the items. The caller clears them, also after a failure. */
dfl_status dfl_search_trials(search_trials *all);
void dfl_search_trials_clear(search_trials *all);

/* From options->starts - 1 other places; *at and z change if one of them leads to a better point
   (optimize_starts.c). */
dfl_status dfl_search_elsewhere(outcome *at, objective *it, double *z,
                                const dfl_search_options *options);

/* Intervals of a fit by options->resamples other ones; `best` is the outcome at z
   (optimize_bootstrap.c). */
dfl_status dfl_bootstrap_fit(objective *it, const outcome *best, const double *z,
                             const dfl_search_options *options);

/* From z, which becomes the best point; `at` is evaluated there. */
dfl_status dfl_search_squares(outcome *at, objective *it, double *z);
dfl_status dfl_search_descent(outcome *at, objective *it, double *z);

/* By NLopt: the algorithm of this name, within the limits of `subject`. DFL_INVALID: there is none,
   or none that can; or there is no NLopt. */
dfl_status dfl_search_nlopt(outcome *at, objective *it, double *z, const char *algorithm);

/* Where measures are largest (nmeasures), in a run with the settings `fixed`. DFL_INVALID: one is
   at a kink without a switch. */
dfl_status dfl_objective_peaks(dfl_peak *peak, objective *it, const char *const *fixed);

/* Values beside those of the objective, of measures that are largest at instants
   (optimize_instants.c): how many; the last ones of expr, when and instant (nof in all); then the
   derivatives of such measures from theirs. DFL_INVALID: the largest value has none. */
int dfl_instants_count(const objective *it);
void dfl_instants_list(dfl_expr *expr, double *when, int *instant, const objective *it,
                       const dfl_runnable *run);
dfl_status dfl_instants_join(gradient_run *run, const objective *it);

/* The value that z[i] stands for. */
static inline double dfl_varied_value(const objective *it, const double *z, int i)
{
    const dfl_varied *varied = &it->model->goals.varied.item[i];
    return varied->low + z[i] * (varied->high - varied->low);
}

/* Whether the slope holds z[i] at a bound. */
static inline bool dfl_is_held(const double *z, const double *slope, int i)
{
    return (z[i] <= 0 && slope[i] > 0) || (z[i] >= 1 && slope[i] < 0);
}

/* The largest slope that leads inside the bounds. */
double dfl_objective_slope(const objective *it, const double *z, const double *slope);

#endif
