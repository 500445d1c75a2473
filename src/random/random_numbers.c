/* random_numbers.c: random numbers without a state, so that the case with a number has the same
   values whoever computes them, and when. */
#include "random/random.h"

/* Mixes the bits of a word: the finalizer of SplitMix64, Steele, Lea, Flood (2014). */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

uint64_t dfl_random_bits(uint64_t seed, uint64_t column, uint64_t row)
{
    static const uint64_t step = 0x9e3779b97f4a7c15ULL; /* of SplitMix64 */
    const uint64_t stream = mix(mix(seed + step) + (column + 1) * step);
    return mix(stream + (row + 1) * step);
}

double dfl_random(uint64_t seed, uint64_t column, uint64_t row)
{
    return ((double)(dfl_random_bits(seed, column, row) >> 12) + 0.5) * 0x1p-52;
}

/* A Feistel network permutes the numbers of an even number of bits; those beyond `count` are
   permuted again until they are below it (Black, Rogaway 2002). */
uint64_t dfl_permute(uint64_t seed, uint64_t column, uint64_t count, uint64_t row)
{
    enum { ROUNDS = 6 };
    unsigned half = 1;
    while (half < 31 && (1ULL << (2 * half)) < count)
        half++;
    const uint64_t mask = (1ULL << half) - 1;
    do {
        uint64_t left = row >> half, right = row & mask;
        for (uint64_t k = 0; k < ROUNDS; k++) {
            const uint64_t next = left ^ (dfl_random_bits(seed ^ (k << 56), column, right) & mask);
            left = right;
            right = next;
        }
        row = left << half | right;
    } while (row >= count);
    return row;
}
