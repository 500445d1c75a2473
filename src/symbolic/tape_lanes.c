/* tape_lanes.c: a tape for up to four states at once, in lanes of one vector: operations and
   operands are read once, and the results have the bits of dfl_tape_eval. */
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
DFL_WIDE static void gather(double *lanes, const dfl_moves *moves, const double *const *const *in,
                            int count)
{
    const int last = count - 1;
    const double *const *const from[LANES] = {in[0], in[last < 1 ? last : 1],
                                              in[last < 2 ? last : 2], in[last]};
    for (const dfl_move *m = moves->move, *end = m + moves->count; m < end; m++) {
        const double *const a = from[0][m->array] + m->index;
        const double *const b = from[1][m->array] + m->index;
        const double *const c = from[2][m->array] + m->index;
        const double *const d = from[3][m->array] + m->index;
        for (uint32_t i = 0, n = m->count, reg = m->reg; i < n; i++)
            store(lanes, reg + i, (dfl_four){a[i], b[i], c[i], d[i]});
    }
}

/* Lanes without a state go where the last one goes, whose results they repeat. */
DFL_WIDE static void scatter(double *const *const *out, const double *lanes, const dfl_moves *moves,
                             int count)
{
    const int last = count - 1;
    double *const *const to[LANES] = {out[0], out[last < 1 ? last : 1], out[last < 2 ? last : 2],
                                      out[last]};
    for (const dfl_move *m = moves->move, *end = m + moves->count; m < end; m++) {
        double *const a = to[0][m->array] + m->index, *const b = to[1][m->array] + m->index;
        double *const c = to[2][m->array] + m->index, *const d = to[3][m->array] + m->index;
        for (uint32_t i = 0, n = m->count, reg = m->reg; i < n; i++) {
            const dfl_four value = fetch(lanes, reg + i);
            a[i] = value[0];
            b[i] = value[1];
            c[i] = value[2];
            d[i] = value[3];
        }
    }
}

/* What has no vector instruction, state by state; `states` of them. */
static void run_functions(double *r, uint32_t op, const uint32_t *c, uint32_t n,
                          const double *lanes, const dfl_tape *tape, uint32_t states)
{
    const dfl_node node = {.op = (uint8_t)op};
    const uint32_t words = dfl_run_words(op);
    const bool spline = op == DFL_OP_SPLINE, both = op == DFL_OP_SINCOS;
    for (uint32_t k = 0; k < n; k++, c += words)
        for (uint32_t lane = 0; lane < LANES; lane++) {
            double *to = r + (size_t)LANES * k + lane;
            if (lane >= states) {
                to[0] = to[-1];
                if (both)
                    to[(size_t)LANES * n] = to[(size_t)LANES * n - 1];
                continue;
            }
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

DFL_WIDE void dfl_tape_run_lanes(const dfl_tape *tape, const dfl_segment *segment, double *lanes,
                                 uint32_t states)
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
            run_functions(r, op, c, n, lanes, tape, states);
        }
        c += (size_t)n * dfl_run_words(op);
        r += (size_t)LANES * n * (op == DFL_OP_SINCOS ? 2 : 1);
    }
}

void dfl_tape_eval_lanes(const dfl_tape *tape, double *lanes, const double *const *const *in,
                         double *const *const *out, int count)
{
    gather(lanes, &tape->inputs, in, count);
    if (tape->plan) {
        dfl_tape_plan_lanes(tape, lanes, out, count);
        return;
    }
    dfl_tape_run_lanes(tape, &tape->eval, lanes, (uint32_t)count);
    scatter(out, lanes, &tape->outputs, count);
}
