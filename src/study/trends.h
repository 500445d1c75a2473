/* trends.h: the smallest and largest value, mean and root mean square of columns over a run,
   between its steps too; part of study.h. */
#ifndef DFL_TRENDS_H
#define DFL_TRENDS_H

#include "result/result.h"

/* One column so far. */
typedef struct dfl_trend {
    double min, max;
    double integral, square; /* over time, of the value and of its square */
    double last;
    double noise; /* what rounding does to values of the present step; or less, where it does not
                     matter */
    bool noisy;   /* it has mattered */
    double doubt; /* of the integral: by pieces that were rough, but not halved any more */
    double lost;  /* the first time without a finite value; NAN: none */
} dfl_trend;

/* What is followed: columns of dfl_columns by number, states or outputs. */
typedef struct dfl_trends {
    dfl_context *ctx;
    int count;
    int *column;
    dfl_trend *trend;
    dfl_columns columns;
    bool fast;       /* an output may change faster than the steps: it contains time, or switches */
    bool noisy;      /* rounding matters for one of them */
    long halvings;   /* of pieces of steps, so far */
    double from, to; /* the interval so far */
    int n;           /* unknowns */
    double *x;       /* n: a state inside a step */
    double *outputs; /* m: there */
    double *sample;  /* values of all columns at the samples of a piece, one sample after another */
} dfl_trends;

/* `names`: separated by commas; NULL: all outputs or, without any, all positions. The caller clears
 *out also after a failure. DFL_INVALID: there is no such column. */
dfl_status dfl_trends_create(dfl_trends *out, const dfl_equations *eq, const char *names);
void dfl_trends_clear(dfl_trends *trends);

/* What is known of a column over the whole run; NAN: an output is rough, so that its integrals are
   not known. */
typedef struct dfl_trend_values {
    double min, max, mean, rms, final;
} dfl_trend_values;
dfl_trend_values dfl_trends_values(const dfl_trends *trends, int number);

/* What is not known, and why, as a sentence about the first such column; "": everything is known.
 */
void dfl_trends_doubt(char *text, size_t size, const dfl_trends *trends);

#endif
