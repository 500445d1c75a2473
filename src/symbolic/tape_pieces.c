/* tape_pieces.c: running the plan of a tape (tape_plan.c), for one state and for states in lanes.
   A register of lanes is one vector, so that registers next to each other are one long array of
   numbers in both cases. */
#include "symbolic/tape_internal.h"

#include "linalg/linalg.h"

#include <math.h>

enum { LANES = DFL_TAPE_LANES };

/* Before a loop whose length is not known: a few of its bodies in a row. */
#ifdef __clang__
#define UNROLL_SOME _Pragma("unroll(4)")
#else
#define UNROLL_SOME _Pragma("GCC unroll 4")
#endif

/* A case for each operation, which is a constant for the compiler there. */
#define ALL_OPERATIONS(CASE)                                                                       \
    CASE(DFL_OP_NEG)                                                                               \
    CASE(DFL_OP_SQ)                                                                                \
    CASE(DFL_OP_SQRT) CASE(DFL_OP_ADD) CASE(DFL_OP_SUB) CASE(DFL_OP_MUL) CASE(DFL_OP_DIV)

static DFL_INLINE double value_of(uint32_t op, double a, double b)
{
    switch (op) {
    case DFL_OP_NEG:
        return -a;
    case DFL_OP_SQ:
        return a * a;
    case DFL_OP_SQRT:
        return sqrt(a);
    case DFL_OP_ADD:
        return a + b;
    case DFL_OP_SUB:
        return a - b;
    case DFL_OP_MUL:
        return a * b;
    default:
        return a / b;
    }
}

/* Operands next to each other, or one of them the same for all results: loops that become vectors.
   A run never reads what it writes. */
static DFL_INLINE void run_next(double *restrict r, uint32_t op, size_t n, const double *x,
                                const double *y)
{
    for (size_t k = 0; k < n; k++)
        r[k] = value_of(op, x[k], y[k]);
}

static DFL_INLINE void run_same_first(double *restrict r, uint32_t op, size_t n, double x,
                                      const double *y)
{
    for (size_t k = 0; k < n; k++)
        r[k] = value_of(op, x, y[k]);
}

static DFL_INLINE void run_same_second(double *restrict r, uint32_t op, size_t n, const double *x,
                                       double y)
{
    for (size_t k = 0; k < n; k++)
        r[k] = value_of(op, x[k], y);
}

static DFL_INLINE void run_steps(double *restrict r, uint32_t op, size_t n, const double *x,
                                 ptrdiff_t dx, const double *y, ptrdiff_t dy)
{
    UNROLL_SOME
    for (size_t k = 0; k < n; k++, x += dx, y += dy)
        r[k] = value_of(op, *x, *y);
}

DFL_WIDE static void run_pieces(const dfl_tape *tape, double *work)
{
    const dfl_tape_plan *plan = tape->plan;
    for (const dfl_piece *p = plan->piece, *end = p + plan->npieces; p < end; p++) {
        const size_t n = p->count;
        const double *x = work + p->operand[0], *y = work + p->operand[1];
        double *r = work + p->result;
        switch (p->kind) {
#define CASE(op)                                                                                   \
    case DFL_PIECE(op, NEXT):                                                                      \
        run_next(r, op, n, x, y);                                                                  \
        break;                                                                                     \
    case DFL_PIECE(op, SAME_FIRST):                                                                \
        run_same_first(r, op, n, *x, y);                                                           \
        break;                                                                                     \
    case DFL_PIECE(op, SAME_SECOND):                                                               \
        run_same_second(r, op, n, x, *y);                                                          \
        break;                                                                                     \
    case DFL_PIECE(op, STEPS):                                                                     \
        run_steps(r, op, n, x, p->step[0], y, p->step[1]);                                         \
        break;
            ALL_OPERATIONS(CASE)
#undef CASE
        default:
            dfl_tape_run_segment(tape, &p->part, work);
        }
    }
}

void dfl_tape_plan_eval(const dfl_tape *tape, double *work, double *const *out)
{
    const dfl_tape_plan *plan = tape->plan;
    run_pieces(tape, work);
    for (const dfl_steps *s = plan->output, *end = s + plan->noutputs; s < end; s++) {
        const ptrdiff_t step = s->index_step, from_step = s->reg_step;
        double *to = out[s->array] + s->index;
        const double *from = work + s->reg;
        UNROLL_SOME
        for (uint32_t k = 0; k < s->count; k++, to += step, from += from_step)
            *to = *from;
    }
}

static DFL_INLINE dfl_four lanes_of(uint32_t op, dfl_four a, dfl_four b)
{
    switch (op) {
    case DFL_OP_NEG:
        return -a;
    case DFL_OP_SQ:
        return a * a;
    case DFL_OP_SQRT:
        return (dfl_four){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
    case DFL_OP_ADD:
        return a + b;
    case DFL_OP_SUB:
        return a - b;
    case DFL_OP_MUL:
        return a * b;
    default:
        return a / b;
    }
}

static DFL_INLINE void run_lanes(double *restrict r, uint32_t op, size_t n, const double *x,
                                 ptrdiff_t dx, const double *y, ptrdiff_t dy)
{
    UNROLL_SOME
    for (size_t k = 0; k < n; k++, x += dx, y += dy, r += LANES)
        *(dfl_quad *)r = lanes_of(op, *(const dfl_quad *)x, *(const dfl_quad *)y);
}

DFL_WIDE static void run_lane_pieces(const dfl_tape *tape, double *lanes, int count)
{
    const dfl_tape_plan *plan = tape->plan;
    for (const dfl_piece *p = plan->piece, *end = p + plan->npieces; p < end; p++) {
        const double *x = lanes + (size_t)LANES * p->operand[0];
        const double *y = lanes + (size_t)LANES * p->operand[1];
        const ptrdiff_t dx = (ptrdiff_t)LANES * p->step[0], dy = (ptrdiff_t)LANES * p->step[1];
        double *r = lanes + (size_t)LANES * p->result;
        switch (p->kind / DFL_PATTERNS) {
#define CASE(op)                                                                                   \
    case op:                                                                                       \
        run_lanes(r, op, p->count, x, dx, y, dy);                                                  \
        break;
            ALL_OPERATIONS(CASE)
#undef CASE
        default:
            dfl_tape_run_lanes(tape, &p->part, lanes, (uint32_t)count);
        }
    }
}

/* Lanes without a state go where the last one goes, whose results they repeat. */
DFL_WIDE static void scatter(double *const *const *out, const double *lanes,
                             const dfl_tape_plan *plan, int count)
{
    const int last = count - 1;
    double *const *const to[LANES] = {out[0], out[last < 1 ? last : 1], out[last < 2 ? last : 2],
                                      out[last]};
    for (const dfl_steps *s = plan->output, *end = s + plan->noutputs; s < end; s++) {
        double *a = to[0][s->array] + s->index, *b = to[1][s->array] + s->index;
        double *c = to[2][s->array] + s->index, *d = to[3][s->array] + s->index;
        const double *from = lanes + (size_t)LANES * s->reg;
        const ptrdiff_t step = s->index_step, from_step = (ptrdiff_t)LANES * s->reg_step;
        const ptrdiff_t beyond = step * (ptrdiff_t)s->count;
        UNROLL_SOME
        for (ptrdiff_t i = 0; i != beyond; i += step, from += from_step) {
            const dfl_four value = *(const dfl_quad *)from;
            a[i] = value[0];
            b[i] = value[1];
            c[i] = value[2];
            d[i] = value[3];
        }
    }
}

void dfl_tape_plan_lanes(const dfl_tape *tape, double *lanes, double *const *const *out, int count)
{
    run_lane_pieces(tape, lanes, count);
    scatter(out, lanes, tape->plan, count);
}
