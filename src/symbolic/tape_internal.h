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

/* Where the operands of a piece are: next to each other; one of them the same for all results; at
   other equal distances. */
enum { DFL_NEXT, DFL_SAME_FIRST, DFL_SAME_SECOND, DFL_STEPS, DFL_PATTERNS };

/* The kind of a piece: operation and pattern. */
#define DFL_PIECE(op, pattern) (DFL_PATTERNS * (op) + DFL_##pattern)

/* `count` operations whose results are next to each other and whose operands are `step` apart; one
   without a second operand has the first one twice. The operation DFL_OP_SKIP: a segment. */
typedef struct dfl_piece {
    uint32_t kind, count, result, operand[2];
    int32_t step[2];
    dfl_segment part;
} dfl_piece;

/* Elements of an array outside at equal distances, from registers at equal distances. */
typedef struct dfl_steps {
    int array, index, index_step, reg_step;
    uint32_t reg, count;
} dfl_steps;

/* How a tape with many operations of the same role is run (tape_plan.c). */
typedef struct dfl_tape_plan {
    dfl_piece *piece;
    uint32_t npieces;
    uint32_t *code; /* of pieces that are segments */
    dfl_steps *output;
    uint32_t noutputs;
    void (*eval)(const dfl_tape *tape, double *work, double *const *out); /* of one state */
} dfl_tape_plan;

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
    dfl_tape_plan *plan;   /* NULL: none, as in parts and in tapes around tables */
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

/* Roles of nodes, from 1, and their places (tape_roles.c); inputs have registers already. */
typedef struct dfl_tape_roles {
    uint32_t *role, *place; /* per node */
    uint32_t count;
} dfl_tape_roles;
dfl_status dfl_tape_find_roles(dfl_tape_roles *roles, const dfl_tape_builder *b,
                               uint32_t first_input);

/* Orders the operations of one part into runs, appends their registers to the
   tape's (tape_schedule.c). */
dfl_status dfl_tape_schedule(dfl_segment *segment, dfl_tape_builder *b, dfl_tape_role part,
                             const dfl_tape_roles *roles);

/* tape->plan, if it is worth it; and its life (tape_plan.c). */
dfl_status dfl_tape_plan_create(dfl_tape *tape);
void dfl_tape_plan_free(dfl_tape_plan *plan, dfl_context *ctx);

/* Operations and outputs of a plan, for one state and for several (tape_pieces.c). */
void dfl_tape_plan_eval(const dfl_tape *tape, double *work, double *const *out);
void dfl_tape_plan_lanes(const dfl_tape *tape, double *lanes, double *const *const *out, int count);

/* The operations of a segment alone. */
void dfl_tape_run_segment(const dfl_tape *tape, const dfl_segment *segment, double *work);
void dfl_tape_run_lanes(const dfl_tape *tape, const dfl_segment *segment, double *lanes,
                        uint32_t states);

#endif
