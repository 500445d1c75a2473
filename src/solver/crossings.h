/* crossings.h: where functions of time and state first become negative within a step. */
#ifndef DFL_CROSSINGS_H
#define DFL_CROSSINGS_H

#include "solver/path.h"

/* Functions that are watched. A function is multiplied by its sign, so that it is positive now. */
typedef struct dfl_watched {
    int count;
    dfl_switch_fn eval;
    dfl_enclose_fn enclose; /* or NULL */
    void *user;
    const double *sign; /* count, or NULL: all 1 */
    /* Writes for a state what each function must fall below, as a positive number, to have
       crossed; NULL: 0. */
    int (*noise)(double *noise, double t, const double *x, void *user);
    dfl_switch_name_fn name; /* for messages */
    /* How many times as far as the path is long a function is followed beyond its end to see that
       it will leave its noise; NULL: once. */
    double (*ahead)(int i, void *user);
} dfl_watched;

enum { DFL_SEARCH_SAMPLES = 128 }; /* of a step without enclosures, at most, less one */

/* Workspace of a search. */
typedef struct dfl_search {
    dfl_context *ctx;
    const dfl_path *path;
    const dfl_watched *watched;
    bool time_only;       /* the functions depend on time alone */
    long *enclosures;     /* counted */
    double from;          /* where the search began */
    int budget;           /* enclosures that are left ... */
    bool may_sample;      /* ... and whether samples take their place when they are spent */
    int undecided;        /* a function that they have not decided, or -1 */
    double *value, *x;    /* count, n */
    dfl_bounds *bounds;   /* count */
    dfl_bounds *x_bounds; /* n */
    bool *open;           /* count per level of the search */
    bool *near;           /* count: functions that bounds of the whole search do not exclude */
    double *sample;       /* count: values at Chebyshev's points, or coefficients */
    double *limit;        /* count: -noise, less what rounding of time makes, at one place ... */
    double *rounding;     /* ... and the latter */
    double *first;        /* count: where each function crosses, in [0, 1]; 2: nowhere */
    dfl_bounds *reach;    /* count, n: of functions within their noise, and of the state */
    int room, unknowns;   /* functions, n */
} dfl_search;

dfl_status dfl_search_init(dfl_search *search, dfl_context *ctx, int count, int n);
void dfl_search_clear(dfl_search *search);

/* The first crossing between `from` and `to`, parts of the path: *at (2: none); search->first has
   the crossing of each function up to there. search->undecided >= 0: enclosures did not suffice,
   and what was not decided is sampled or, without may_sample, left out. DFL_CALLBACK,
   DFL_NOT_FINITE. */
dfl_status dfl_search_run(double *at, dfl_search *search, double from, double to);

/* What tolerances may change (noise.c): `noise` is what one tolerance changes, in first order, and
   becomes ten times that, or less where the functions cannot change so much. Nonzero: `enclose`
   failed. */
int dfl_search_noise(double *noise, const dfl_search *search, const dfl_watched *watched, double t,
                     const double *x, const double *tolerance);

/* The same without first-order changes: 3 n calls of `eval`; probe: 2 count + n. */
int dfl_search_noise_by_differences(double *noise, const dfl_search *search,
                                    const dfl_watched *watched, double t, const double *x,
                                    const double *tolerance, double *probe);

/* Of these `open` functions on [a, b], without enclosures (sampling.c). */
dfl_status dfl_search_sample(dfl_search *search, const bool *open, double a, double b);

/* Parts of a search: search->value (and the state, search->x) at a part of the path;
   search->limit: what functions must fall below at this place to have crossed;
   search->first[i]: the zero of function i where the excursion begins that has reached b. */
dfl_status dfl_search_values(dfl_search *search, double tau);
dfl_status dfl_search_limits(dfl_search *search, double tau);
dfl_status dfl_search_locate(dfl_search *search, int i, double a, double b);

#endif
