/* numbers_internal.h: points of Sobol and distributions, inside the module. */
#ifndef DFL_SWEEP_NUMBERS_INTERNAL_H
#define DFL_SWEEP_NUMBERS_INTERNAL_H

#include "random/random.h"

#include <stdint.h>

/* sobol_points.c: coordinate `column` of point `row`, moved by the seed; in (0, 1). */
enum { DFL_SOBOL_COLUMNS = 21 };
double dfl_sobol(uint64_t seed, int column, uint64_t row);

/* distributions.c: kinds by name, with their numbers. */
typedef struct dfl_distribution {
    int kind;
    double number[3];
} dfl_distribution;
/* From "normal(1,0.02)"; NULL, or what is wrong. */
const char *dfl_distribution_read(dfl_distribution *out, const char *text);
/* The value below which the part u of all values is. */
double dfl_distribution_quantile(const dfl_distribution *distribution, double u);

#endif
