/* tape_internal.h: what a tape consists of, for the files that make, run and print it.

   Registers: [inputs | constants | prepared | results]. Inputs that are set rarely (parameters,
   inputs, levels) come first; dfl_tape_prepare fills them, the constants and the prepared values. A
   segment is a stream of runs: one word with operation and count, then the operands of its
   operations; the destinations are the next free registers in order. */
#ifndef DFL_TAPE_INTERNAL_H
#define DFL_TAPE_INTERNAL_H

#include "symbolic/tape.h"

/* Sine and cosine of one argument: the sines of a run, then the cosines. In a part of a tape:
   registers that are passed over. */
enum { DFL_OP_SINCOS = DFL_OPS, DFL_OP_SKIP, DFL_TAPE_OPS };

/* The word in front of a run, and what is in it. */
enum { DFL_RUN_BITS = 5, DFL_RUN_MASK = (1 << DFL_RUN_BITS) - 1 };

static inline uint32_t dfl_run_op(uint32_t word)
{
    return word & DFL_RUN_MASK;
}
static inline uint32_t dfl_run_count(uint32_t word)
{
    return word >> DFL_RUN_BITS;
}

/* Words per operation of a run: its operand registers; of a spline also its number in the tape and
   the derivative. */
static inline uint32_t dfl_run_words(uint32_t op)
{
    if (op == DFL_OP_SKIP)
        return 0;
    if (op == DFL_OP_SINCOS)
        return 1;
    return op == DFL_OP_SPLINE ? 3 : (uint32_t)dfl_op_operands((dfl_op)op);
}

/* `count` registers from `reg` on are the elements from `index` on of an array outside. */
typedef struct dfl_move {
    int array, index;
    uint32_t reg, count;
} dfl_move;

typedef struct dfl_moves {
    dfl_move *move;
    uint32_t count;
} dfl_moves;

typedef struct dfl_segment {
    uint32_t *code;
    size_t length;
    uint32_t first, count; /* the registers it fills */
} dfl_segment;

struct dfl_tape {
    dfl_context *ctx;
    uint32_t nregisters;
    uint32_t nconstants, first_constant;
    double *constants;
    dfl_moves settings; /* parameters, inputs, levels */
    dfl_moves inputs;   /* time and state */
    dfl_moves outputs;
    dfl_segment prepare, eval;
    dfl_spline *splines; /* those in use */
    int *spline_number;  /* their numbers in the graph */
    int nsplines;
    const dfl_tape *whole; /* of a part, which owns its outputs and operations alone; else NULL */
};

/* What a node is to the tape under construction. */
typedef enum dfl_tape_role {
    DFL_ROLE_NONE,
    DFL_ROLE_SETTING,
    DFL_ROLE_INPUT,
    DFL_ROLE_CONSTANT,
    DFL_ROLE_PREPARE,
    DFL_ROLE_EVAL
} dfl_tape_role;

typedef struct dfl_tape_builder {
    dfl_tape *tape;
    const dfl_graph *graph;
    const dfl_place *places;
    uint32_t n;    /* nodes 0 .. n-1 are looked at */
    uint8_t *part; /* per node: dfl_tape_role */
    uint32_t *reg; /* per node: its register, once it has one */
} dfl_tape_builder;

/* Orders the operations of one part into runs, appends their registers to the
   tape's (tape_schedule.c). */
dfl_status dfl_tape_schedule(dfl_segment *segment, dfl_tape_builder *b, dfl_tape_role part);

#endif
