/* design.h: which cases a study has; inside the module. */
#ifndef DFL_DESIGN_H
#define DFL_DESIGN_H

#include "context/context.h"

#include <stdint.h>

typedef enum dfl_design_kind {
    DFL_DESIGN_RANDOM,   /* independent */
    DFL_DESIGN_LHS,      /* Latin hypercube */
    DFL_DESIGN_SOBOL,    /* points of Sobol, moved as a whole by the seed */
    DFL_DESIGN_SALTELLI, /* for sensitivity indices: count (d + 2) cases of d samples */
    DFL_DESIGN_KINDS
} dfl_design_kind;
extern const char *const dfl_design_names[DFL_DESIGN_KINDS];

/* `{0}` has one case without parameters. */
typedef struct dfl_design_options {
    int nover;
    const char *const *over; /* "NAME=FIRST:LAST:COUNT", "NAME=FIRST:LAST:COUNT:log", "NAME=A,B,C":
                                all combinations, the last name fastest */
    int nsample;
    const char *const *sample; /* "NAME=normal(MEAN,DEVIATION)" and so on */
    long count;                /* of samples, for every combination; 0 means 100 */
    uint64_t seed;
    dfl_design_kind kind;
    const char *cases; /* a file FILE.csv with a row per case instead of all that; NULL: none */
} dfl_design_options;

typedef struct dfl_design dfl_design;

/* DFL_INVALID: texts that are wrong, names that come twice. */
dfl_status dfl_design_create(dfl_design **out, dfl_context *ctx, const dfl_design_options *options);
/* A design whose values are kept elsewhere, such as in the file of a study: it has only names. */
dfl_status dfl_design_create_named(dfl_design **out, dfl_context *ctx, const char *const *names,
                                   int count, long cases);
void dfl_design_free(dfl_design *design);

long dfl_design_cases(const dfl_design *design);
int dfl_design_parameters(const dfl_design *design);
const char *const *dfl_design_parameter_names(const dfl_design *design);

/* NAN: nothing is random. */
double dfl_design_seed(const dfl_design *design);

/* The values of a case: always the same for its number. */
void dfl_design_values(double *values, const dfl_design *design, long number);

/* Lines that say how the cases were made, such as "over L=1:2:3". */
int dfl_design_lines(const dfl_design *design, const char *const **lines);

#endif
