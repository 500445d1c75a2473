/* loop_internal.h: rows of loops and couplings, shared by loop.c and loop_slopes.c. */
#ifndef DFL_MECHANICS_LOOP_INTERNAL_H
#define DFL_MECHANICS_LOOP_INTERNAL_H

#include "multibody/loop.h"
#include "multibody/tree_internal.h"

typedef enum row_kind { DOT1, DOT2, TURN, DISTANCE, SCREW } row_kind;
enum { X, Y, Z };

/* Axes u of A and w of B. */
typedef struct row_type {
    unsigned char kind, u, w;
} row_type;

/* TURN(u, w) is (DOT1(u, w) - DOT1(w, u)) / 2: one of both. */
static inline row_type half_turn(row_type type, bool second)
{
    return (row_type){DOT1, second ? type.w : type.u, second ? type.u : type.w};
}

/* A screw is the row DOT2(z) - lead phi, with the angle phi of z = x_A.x_B + i y_A.x_B. */
static const row_type screw_shift = {DOT2, Z, 0}, screw_real = {DOT1, X, X},
                      screw_imaginary = {DOT1, Y, X};

/* Complex numbers, for that angle: phi is the imaginary part of log z. */
typedef struct turn {
    double re, im;
} turn;

static inline turn turn_times(turn a, turn b)
{
    return (turn){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline turn turn_inverse(turn a)
{
    const double square = a.re * a.re + a.im * a.im;
    return (turn){a.re / square, -a.im / square};
}

enum { ROWS_MOST = 6 };

typedef struct loop_rows {
    int rows;
    row_type row[ROWS_MOST];
} loop_rows;

extern const loop_rows dfl_loop_rows[DFL_LOOP_KINDS];

typedef struct closed_loop {
    dfl_loop_kind kind;
    dfl_frame A, B;
    int common; /* the last node that both hang on */
    double length, lead;
    char *name;
} closed_loop;

typedef struct linear_row {
    int first, count; /* terms */
    double offset;
    char *name;
} linear_row;

struct dfl_loops {
    dfl_context *ctx;
    const dfl_tree *tree;
    int nloops, ncouplings, rows;
    closed_loop *loop;
    linear_row *coupling;
    int *term_p, *term_v;
    double *factor;
};

#endif
