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
    double tolerance;
    dfl_iteration_fn tell;
    void *user;
} objective;

/* What a run gives. */
typedef struct outcome {
    double value;
    double *slope;    /* count */
    double *residual; /* m = nof - nmeasures */
    double *J;        /* m x count */
} outcome;

dfl_status dfl_outcome_create(outcome *out, const objective *it);
void dfl_outcome_clear(outcome *out, const objective *it);

/* Runs at z. DFL_STOPPED: interrupted. Any other failure: there is no value. */
dfl_status dfl_objective_evaluate(outcome *out, objective *it, const double *z);

/* From z, which becomes the best point; `at` is evaluated there. */
dfl_status dfl_search_squares(outcome *at, objective *it, double *z);
dfl_status dfl_search_descent(outcome *at, objective *it, double *z);

/* Whether the slope holds z[i] at a bound. */
static inline bool dfl_is_held(const double *z, const double *slope, int i)
{
    return (z[i] <= 0 && slope[i] > 0) || (z[i] >= 1 && slope[i] < 0);
}

/* The largest slope that leads inside the bounds. */
double dfl_objective_slope(const objective *it, const double *z, const double *slope);

#endif
