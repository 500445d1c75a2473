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

typedef struct gradient_run {
    dfl_gradient *out;
    dfl_runnable *run;
    const dfl_settings *settings;
    const dfl_variation *variation;
    followed *followed; /* out->count */
    dfl_expr *expr;     /* of the outputs */
    dfl_expr *symbols;  /* x, then those of `followed` */
    double *x;          /* n: the start */
    double *size;       /* of each of `followed` */
    double *start;      /* n x count: its derivatives */
} gradient_run;

/* it->start from starts nearby (gradient_start.c). DFL_INVALID: a parameter is used as a number
   elsewhere. */
dfl_status dfl_gradient_start(gradient_run *it);

#endif
