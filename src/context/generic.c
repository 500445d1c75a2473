/* generic.c: numbers without relations, for trial points.

   A verdict "never" or "always" about an expression or a matrix is tried at a few points. Multiples
   of one irrational number, or roots of integers, make accidents: 12 + 3 i is a square for some i,
   and equal differences cancel. The bits of a hash (the finalizer of splitmix64; Steele, Lea, Flood
   2014) have no such pattern, and are the same everywhere. */
#include "context/context.h"

#include <stdint.h>

double dfl_generic(int place, int index)
{
    uint64_t z = ((uint64_t)(uint32_t)place << 32) + (uint32_t)index;
    z = (z + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return 2.0 * ((double)(z >> 11) + 0.5) / 9007199254740992.0 - 1.0; /* 2^53 */
}
