/* sobol_points.c: points that fill a cube evenly: Sobol (1967), with primitive polynomials and
   initial numbers of Joe, Kuo (2008), SIAM J. Sci. Comput. 30, 2635-2654. Every coordinate is moved
   by exclusive or with random bits of the seed, which keeps how even they are. */
#include "sweep/numbers_internal.h"

enum { BITS = 52 };

/* Degree s, inner coefficients a of the polynomial, m_1 ... m_s. */
typedef struct sobol_row {
    unsigned s, a, m[7];
} sobol_row;
static const sobol_row rows[DFL_SOBOL_COLUMNS - 1] = {{1, 0, {1}},
                                                      {2, 1, {1, 3}},
                                                      {3, 1, {1, 3, 1}},
                                                      {3, 2, {1, 1, 1}},
                                                      {4, 1, {1, 1, 3, 3}},
                                                      {4, 4, {1, 3, 5, 13}},
                                                      {5, 2, {1, 1, 5, 5, 17}},
                                                      {5, 4, {1, 1, 5, 5, 5}},
                                                      {5, 7, {1, 1, 7, 11, 19}},
                                                      {5, 11, {1, 1, 5, 1, 1}},
                                                      {5, 13, {1, 1, 1, 3, 11}},
                                                      {5, 14, {1, 3, 5, 5, 31}},
                                                      {6, 1, {1, 3, 3, 9, 7, 49}},
                                                      {6, 13, {1, 1, 1, 15, 21, 21}},
                                                      {6, 16, {1, 3, 1, 13, 27, 49}},
                                                      {6, 19, {1, 1, 1, 15, 7, 5}},
                                                      {6, 22, {1, 3, 1, 15, 13, 25}},
                                                      {6, 25, {1, 1, 5, 5, 19, 61}},
                                                      {7, 1, {1, 3, 7, 11, 23, 15, 103}},
                                                      {7, 4, {1, 3, 7, 13, 13, 15, 69}}};

/* Direction numbers v_1 ... v_count of a column: m_k = 2 a_1 m_(k-1) ^ ... ^ 2^s m_(k-s) ^ m_(k-s).
 */
static void directions(uint64_t *v, int column, unsigned count)
{
    if (column == 0) {
        for (unsigned k = 0; k < count; k++)
            v[k] = 1ULL << (BITS - 1 - k);
        return;
    }
    const sobol_row *row = &rows[column - 1];
    for (unsigned k = 0; k < count; k++) {
        if (k < row->s) {
            v[k] = (uint64_t)row->m[k] << (BITS - 1 - k);
            continue;
        }
        v[k] = v[k - row->s] ^ (v[k - row->s] >> row->s);
        for (unsigned j = 1; j < row->s; j++)
            if (row->a >> (row->s - 1 - j) & 1)
                v[k] ^= v[k - j];
    }
}

double dfl_sobol(uint64_t seed, int column, uint64_t row)
{
    uint64_t v[BITS], x = dfl_random_bits(seed, (uint64_t)column, 0) >> (64 - BITS);
    unsigned count = 0;
    while (count < BITS && row >> count)
        count++;
    directions(v, column, count);
    for (unsigned k = 0; k < count; k++)
        if (row >> k & 1)
            x ^= v[k];
    return ((double)x + 0.5) * 0x1p-52;
}
