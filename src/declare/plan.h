/* plan.h: what study{} of a script says: the cases of `driftless sweep`. */
#ifndef DFL_PLAN_H
#define DFL_PLAN_H

#include "declare/actions.h"

/* Texts are as on the command line; numbers that were not given are 0. */
typedef struct dfl_plan {
    int line;                  /* of study{}; 0: there is none */
    DFL_LIST(char *) over;     /* "NAME=FIRST:LAST:COUNT", "NAME=A,B,C" */
    DFL_LIST(char *) sample;   /* "NAME=normal(MEAN,DEVIATION)" */
    char *design, *cases;      /* NULL: not given; a file below the model's folder */
    char *columns;             /* names, separated by commas; NULL: not given */
    double count, seed;        /* of samples */
    double every;              /* of series */
    double seconds, megabytes; /* limits of a case */
} dfl_plan;

/* Adds a text to `over` or `sample`. */
dfl_status dfl_model_plan(struct dfl_model *model, bool sampled, const char *text);
void dfl_plan_clear(dfl_plan *plan, dfl_context *ctx);

#endif
