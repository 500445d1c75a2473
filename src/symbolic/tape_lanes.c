/* tape_lanes.c: a tape for up to four states at once, in lanes of one vector: operations and operands are
   read once, and the results have the bits of dfl_tape_eval. */
#include "symbolic/tape_internal.h"

#include "linalg/linalg.h"

#include <math.h>

enum { LANES = DFL_TAPE_LANES };
_Static_assert(LANES * sizeof(double) == sizeof(dfl_four), "one vector");

static DFL_INLINE dfl_four fetch(const double *lanes, uint32_t reg)
{
    return *(const dfl_quad *)(lanes + (size_t)LANES * reg);
}

static DFL_INLINE void store(double *lanes, uint32_t reg, dfl_four value)
{
    *(dfl_quad *)(lanes + (size_t)LANES * reg) = value;
}

void dfl_tape_lanes_prepare(const dfl_tape *tape, double *lanes, const double *work)
{
    for (uint32_t i = 0; i < tape->eval.first; i++)
        store(lanes, i, (dfl_four){work[i], work[i], work[i], work[i]});
}

/* Lanes without a state repeat the last one. */
static void gather(double *lanes, const dfl_moves *moves, const double *const *const *in, int count)
{
    for (const dfl_move *m = moves->move; m < moves->move + moves->count; m++) {
        const double *from[LANES];
        for (int lane = 0; lane < LANES; lane++)
            from[lane] = in[lane < count ? lane : count - 1][m->array] + m->index;
        for (uint32_t i = 0; i < m->count; i++)
            store(lanes, m->reg + i, (dfl_four){from[0][i], from[1][i], from[2][i], from[3][i]});
    }
}

static void scatter(double *const *const *out, const double *lanes, const dfl_moves *moves,
                    int count)
{
    for (const dfl_move *m = moves->move; m < moves->move + moves->count; m++)
        for (int lane = 0; lane < count; lane++) {
            const double *from = lanes + (size_t)LANES * m->reg + lane;
            double *to = out[lane][m->array] + m->index;
            for (uint32_t i = 0; i < m->count; i++)
                to[i] = from[(size_t)LANES * i];
        }
}

/* What has no vector instruction, state by state. */
static void run_functions(double *r, uint32_t op, const uint32_t *c, uint32_t n,
                          const double *lanes, const dfl_tape *tape)
{
    const dfl_node node = {.op = (uint8_t)op};
    const uint32_t words = dfl_run_words(op);
    const bool spline = op == DFL_OP_SPLINE, both = op == DFL_OP_SINCOS;
    for (uint32_t k = 0; k < n; k++, c += words)
        for (uint32_t lane = 0; lane < LANES; lane++) {
            double *to = r + (size_t)LANES * k + lane;
            const double x = lanes[(size_t)LANES * c[0] + lane];
            const double y = words > 1 && !spline ? lanes[(size_t)LANES * c[1] + lane] : 0;
            const double z = words > 2 && !spline ? lanes[(size_t)LANES * c[2] + lane] : 0;
            *to = both     ? sin(x)
                  : spline ? dfl_spline_value(&tape->splines[c[1]], (int)c[2], x)
                           : dfl_op_value(NULL, &node, x, y, z);
            if (both)
                to[(size_t)LANES * n] = cos(x);
        }
}

#define UNARY(value)                                                                               \
    for (uint32_t k = 0; k < n; k++) {                                                             \
        const dfl_four x = fetch(lanes, c[k]);                                                     \
        store(r, k, value);                                                                        \
    }                                                                                              \
    break
#define BINARY(value)                                                                              \
    for (uint32_t k = 0; k < n; k++) {                                                             \
        const dfl_four x = fetch(lanes, c[2 * k]), y = fetch(lanes, c[2 * k + 1]);                 \
        store(r, k, value);                                                                        \
    }                                                                                              \
    break

DFL_WIDE static void run_segment(const dfl_tape *tape, const dfl_segment *segment, double *lanes)
{
    const uint32_t *c = segment->code, *const end = c + segment->length;
    double *r = lanes + (size_t)LANES * segment->first;
    while (c < end) {
        const uint32_t op = dfl_run_op(*c), n = dfl_run_count(*c);
        c++;
        switch (op) {
        case DFL_OP_NEG:
            UNARY(-x);
        case DFL_OP_SQ:
            UNARY(x * x);
        case DFL_OP_ADD:
            BINARY(x + y);
        case DFL_OP_SUB:
            BINARY(x - y);
        case DFL_OP_MUL:
            BINARY(x * y);
        case DFL_OP_DIV:
            BINARY(x / y);
        case DFL_OP_SKIP:
            break;
        default:
            run_functions(r, op, c, n, lanes, tape);
        }
        c += (size_t)n * dfl_run_words(op);
        r += (size_t)LANES * n * (op == DFL_OP_SINCOS ? 2 : 1);
    }
}

void dfl_tape_eval_lanes(const dfl_tape *tape, double *lanes, const double *const *const *in,
                         double *const *const *out, int count)
{
    gather(lanes, &tape->inputs, in, count);
    run_segment(tape, &tape->eval, lanes);
    scatter(out, lanes, &tape->outputs, count);
}
