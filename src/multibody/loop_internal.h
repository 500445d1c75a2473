/* loop_internal.h: rows of loops and couplings, shared by their files. */
#ifndef DFL_MECHANICS_LOOP_INTERNAL_H
#define DFL_MECHANICS_LOOP_INTERNAL_H

#include "multibody/multibody.h"
#include "multibody/tree_internal.h"

enum { X, Y, Z };

/* TURN(u, w) is (DOT1(u, w) - DOT1(w, u)) / 2: one of both. */
static inline dfl_joint_row half_turn(dfl_joint_row type, bool second)
{
    return (dfl_joint_row){DFL_ROW_DOT1, second ? type.w : type.u, second ? type.u : type.w};
}

/* A screw is the row DOT2(z) - lead phi, with the angle phi of z = x_A.x_B + i y_A.x_B. */
static const dfl_joint_row screw_shift = {DFL_ROW_DOT2, Z, 0}, screw_real = {DFL_ROW_DOT1, X, X},
                           screw_imaginary = {DFL_ROW_DOT1, Y, X};

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

typedef struct closed_loop {
    const dfl_joint_rows *rows;
    dfl_frame A, B;
    int common; /* the last node that both hang on */
    double length, lead;
    char *name; /* of its own, or "loop 3" */
    bool named;
} closed_loop;

typedef struct linear_row {
    int first, count; /* terms */
    double offset;
    char *name; /* or "coupling 3" */
    bool named;
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

/* Whether a description of a loop makes sense. DFL_INVALID: the message names it. */
dfl_status dfl_loop_check(dfl_context *ctx, const dfl_tree *tree, const dfl_loop *loop, int number);

#endif
