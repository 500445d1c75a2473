/* bytes.h: the bytes of a fuzzer as choices: numbers, sizes, yes or no. After the last byte all are
   0. */
#ifndef DFL_FUZZ_BYTES_H
#define DFL_FUZZ_BYTES_H

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bytes {
    const uint8_t *next;
    size_t left;
} bytes;

static inline unsigned take_byte(bytes *b)
{
    if (b->left == 0)
        return 0;
    b->left--;
    return *b->next++;
}

/* One of 0 .. count-1. */
static inline int take_choice(bytes *b, int count)
{
    return (int)(take_byte(b) % (unsigned)count);
}

static inline bool take_flag(bytes *b)
{
    return take_byte(b) & 1;
}

/* Usually a number of an ordinary size with few digits, now and then an odd one. */
static inline double take_number(bytes *b)
{
    static const double odd[] = {0.0,       -0.0,     1.0,     -1.0,       1e-300, 1e300,
                                 DBL_MAX,   -DBL_MAX, DBL_MIN, 5e-324,     NAN,    HUGE_VAL,
                                 -HUGE_VAL, 1e-12,    1e12,    DBL_EPSILON};
    const unsigned byte = take_byte(b);
    if (byte >= 240)
        return odd[byte - 240];
    return ((double)byte - 120.0) / 32.0;
}

/* The same without NaN and numbers that are too large to be lengths or masses. */
static inline double take_usual(bytes *b)
{
    return ((double)take_byte(b) - 127.0) / 32.0;
}

/* Usually small, now and then huge or negative. */
static inline int take_size(bytes *b, int usual)
{
    static const int odd[] = {-1, INT_MIN, INT_MAX, INT_MAX / 2, 100000, 100001, 65536, 1 << 30};
    const unsigned byte = take_byte(b);
    return byte >= 248 ? odd[byte - 248] : (int)(byte % (unsigned)(usual + 1));
}

/* A property that must hold for every input. */
#define ALWAYS(condition)                                                                          \
    ((condition)                                                                                   \
         ? (void)0                                                                                 \
         : (fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition), abort()))

#endif
