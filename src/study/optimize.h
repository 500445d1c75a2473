/* optimize.h: parameters that make what optimize{} of a script wants as small as possible; part of
   study.h. */
#ifndef DFL_OPTIMIZE_H
#define DFL_OPTIMIZE_H

#include "study/gradient.h"

struct dfl_settings;

/* After every accepted iteration. */
typedef void (*dfl_iteration_fn)(int iteration, long runs, double objective, void *user);

typedef struct dfl_search_options {
    const char *algorithm; /* "lm" (of a fit), "bfgs" or one of NLopt, which limits of `subject`
                              need; NULL: what suits */
    int starts;            /* searches from so many places; 0: one, from the values of the script */
    int resamples; /* of a fit: fits to resampled residuals, for `low` and `high`; 0: none ... */
    double seed;   /* ... a whole number */
    int threads;   /* for all of them; 0: as many as there are processors */
    dfl_derivatives_how derivatives;
} dfl_search_options;

typedef struct dfl_optimum {
    dfl_context *ctx;
    int count;          /* of what varies */
    const char **names; /* of the model's goals */
    double *start, *best;
    double *deviation;   /* of a fit: standard deviations of `best` from J'J; NAN: none */
    double *interval;    /* ... half widths of intervals that hold the truth in 95 % of the cases */
    double *low, *high;  /* of a fit: intervals of 95 % by the bootstrap; NAN: none */
    int resamples, lost; /* ... from so many fits, of which some have not converged */
    bool *at_bound;
    bool *idle;              /* nothing that is wanted depends on it, at `start` and at `best` */
    double objective, first; /* at `best` and at `start` */
    double slope;  /* the largest derivative by a part of the bounds' distance, inside them */
    int residuals; /* of a fit; 0: `minimize` */
    int iterations, searches;
    int limits;        /* of `subject`, and ... */
    double violation;  /* ... how far the worst is violated at `best` */
    long runs, failed; /* all runs; those that failed inside the search */
    bool converged;
} dfl_optimum;

/* `model` was loaded with goals; `variation` loads it again, and `choices` are those of its runs.
   Least squares by Levenberg and Marquardt, everything else by BFGS, both inside the bounds. The
   caller clears *out also after a failure. DFL_INVALID: no optimize{}, names that do not exist,
   times outside of the run, models whose derivatives cannot be followed. DFL_STOPPED: interrupted;
   best is the best so far. */
dfl_status dfl_study_optimize(dfl_optimum *out, const dfl_model *model, const dfl_choices *choices,
                              const dfl_variation *variation, const dfl_search_options *options,
                              dfl_iteration_fn tell, void *user);
void dfl_optimum_clear(dfl_optimum *optimum);

#endif
