/* optimize_internal.h: between the objective and the searches. */
#ifndef DFL_OPTIMIZE_INTERNAL_H
#define DFL_OPTIMIZE_INTERNAL_H

#include "study/gradient_internal.h"
#include "study/optimize.h"

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
    bool peaks;               /* some measures are largest values ... */
    double *peak_when, *peak; /* ... with their times: nmeasures each */
    double tolerance;
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

/* How far the worst limit is violated; whether an outcome is within the limits, or closer to them, and smaller. */
double dfl_outcome_violation(const objective *it, const outcome *at);
bool dfl_outcome_is_better(const objective *it, const outcome *at, const outcome *best);

/* Runs at z. DFL_STOPPED: interrupted. Any other failure: there is no value. */
dfl_status dfl_objective_evaluate(outcome *out, objective *it, const double *z);

/* By the algorithm that is asked for, or the one that suits (NULL), from z; see below. */
dfl_status dfl_search(outcome *at, objective *it, double *z, const char *algorithm);

/* From options->starts - 1 other places; *at and z change if one of them leads to a better point
   (optimize_starts.c). */
dfl_status dfl_search_elsewhere(outcome *at, objective *it, double *z,
                                const dfl_search_options *options);

/* From z, which becomes the best point; `at` is evaluated there. */
dfl_status dfl_search_squares(outcome *at, objective *it, double *z);
dfl_status dfl_search_descent(outcome *at, objective *it, double *z);

/* By NLopt: the algorithm of this name, within the limits of `subject`. DFL_INVALID: there is none, or none
   that can; or there is no NLopt. */
dfl_status dfl_search_nlopt(outcome *at, objective *it, double *z, const char *algorithm);

/* when, value: of measures that are largest values, in a run with the settings `fixed`. DFL_INVALID: one is
   at a kink. */
dfl_status dfl_objective_peaks(double *when, double *value, objective *it,
                               const char *const *fixed);

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
