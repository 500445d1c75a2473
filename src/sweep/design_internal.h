/* design_internal.h: what a design consists of, inside the module. */
#ifndef DFL_DESIGN_INTERNAL_H
#define DFL_DESIGN_INTERNAL_H

#include "sweep/design.h"
#include "sweep/numbers_internal.h"

/* A list of values, or `count` values from first to last. */
typedef struct dfl_range {
    long count;
    double first, last;
    bool logarithmic;
    double *list; /* or NULL */
} dfl_range;

struct dfl_design {
    dfl_context *ctx;
    char **names;
    int nnames;
    dfl_range *ranges;
    int nranges;
    dfl_distribution *distributions;
    int ndistributions;
    dfl_design_kind kind;
    uint64_t seed;
    long combinations, count; /* of ranges; of samples for each of them */
    long cases;
    double *table; /* cases x nnames, of a file; or NULL */
    char **lines;
    int nlines;
};

/* design_texts.c: adds what a text says. DFL_INVALID, DFL_NO_MEMORY. */
dfl_status dfl_design_add_range(dfl_design *design, const char *text);
dfl_status dfl_design_add_distribution(dfl_design *design, const char *text);
dfl_status dfl_design_add_name(dfl_design *design, const char *option, const char *name,
                               size_t length);

/* case_list.c: takes names and values from a file. DFL_INVALID, DFL_NO_MEMORY. */
dfl_status dfl_design_read_cases(dfl_design *design, const char *path);

#endif
