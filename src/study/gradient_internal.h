/* gradient_internal.h: between the files of gradients. */
#ifndef DFL_GRADIENT_INTERNAL_H
#define DFL_GRADIENT_INTERNAL_H

#include "study/gradient.h"
#include "study/study_internal.h"

#include <driftless/gradient.h>

/* What derivatives are taken by. */
typedef struct followed {
    const char *name; /* as `--set` takes it */
    int place;        /* of initial(x): the number of x; otherwise -1, and: */
    dfl_expr symbol;
    dfl_declared kind; /* parameter or input, ... */
    int index;         /* ... its number within its kind, ... */
    double value;      /* ... its value */
} followed;

/* A run and what is followed along it. */
typedef struct gradient_run {
    dfl_runnable *run;
    const dfl_settings *settings;
    const dfl_variation *variation;
    const char *const *fixed; /* settings with which the run was loaded by `variation` ... */
    int nfixed;               /* ... those of `followed` first, if there are any */
    int count, nof;           /* parameters, values */
    const dfl_expr *expr;     /* nof: expressions, each ... */
    const double *when;       /* ... at a time, NAN: the end; or NULL: all at the end */
    double *value;            /* nof */
    double *gradient;         /* nof x count */
    double *at;               /* count, or NULL: the values of what is followed */
    long steps;
    double t; /* the end */

    followed *followed; /* count */
    dfl_expr *symbols;  /* x, then those of `followed` */
    double *x;          /* n: the start */
    double *size;       /* of each of `followed` */
    double *start;      /* n x count: its derivatives */
} gradient_run;

/* Looks names up in it->followed, which has room for them: as in --by. */
dfl_status dfl_gradient_parameter(followed *out, const gradient_run *it, const char *option,
                                  const char *name);

/* Fills value and gradient, which are zero. it->followed, expr and when are given. */
dfl_status dfl_gradient_follow(gradient_run *it);

/* it->start from starts nearby (gradient_start.c). DFL_INVALID: a parameter is used as a number
   elsewhere. */
dfl_status dfl_gradient_start(gradient_run *it);

#endif
