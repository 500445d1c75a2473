/* random.h: random numbers that depend on their place alone, and percentiles. */
#ifndef DFL_RANDOM_H
#define DFL_RANDOM_H

#include <stdint.h>

/* Bits, or a number in (0, 1), of column `column` of row `row`; the same arguments give the same
   number. */
uint64_t dfl_random_bits(uint64_t seed, uint64_t column, uint64_t row);
double dfl_random(uint64_t seed, uint64_t column, uint64_t row);

/* A permutation of 0 ... count - 1, one for every seed and column, without a table. */
uint64_t dfl_permute(uint64_t seed, uint64_t column, uint64_t count, uint64_t row);

/* The value below which the part `part` of all values is, between neighbours interpolated. Sorts
   the values. NAN: there are none. */
double dfl_percentile(double *values, int count, double part);

#endif
