/* numbers_internal.h: random numbers that depend on their place alone, points of Sobol, distributions;
   inside the module. */
#ifndef DFL_SWEEP_NUMBERS_INTERNAL_H
#define DFL_SWEEP_NUMBERS_INTERNAL_H

#include <stdint.h>

/* random_numbers.c: bits, or a number in (0, 1), of column `column` of row `row`; the same arguments give
   the same number. */
uint64_t dfl_random_bits(uint64_t seed, uint64_t column, uint64_t row);
double dfl_random(uint64_t seed, uint64_t column, uint64_t row);

/* A permutation of 0 ... count - 1, one for every seed and column, without a table. */
uint64_t dfl_permute(uint64_t seed, uint64_t column, uint64_t count, uint64_t row);

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
