/* tape_evaluate.c: running a tape.

   Every operation is done as dfl_op_value does it; the simple ones are written out here, in loops
   that the compiler can unroll. */
#include "symbolic/tape_internal.h"

#include <math.h>
#include <string.h>

static void gather(double *work, const dfl_moves *moves, const double *const *in);
static void scatter(double *const *out, const double *work, const dfl_moves *moves);
static void move(double *to, const double *from, uint32_t count);
static void run_functions(double *restrict r, uint32_t op, const uint32_t *c, uint32_t n,
                          const double *w);

void dfl_tape_prepare(const dfl_tape *tape, double *work, const double *const *in)
{
    gather(work, &tape->settings, in);
    memcpy(work + tape->first_constant, tape->constants, tape->nconstants * sizeof *work);
    dfl_tape_run_segment(tape, &tape->prepare, work);
}

void dfl_tape_eval(const dfl_tape *tape, double *work, const double *const *in, double *const *out)
{
    gather(work, &tape->inputs, in);
    if (tape->plan) {
        tape->plan->eval(tape, work, out);
        return;
    }
    dfl_tape_run_segment(tape, &tape->eval, work);
    scatter(out, work, &tape->outputs);
}

static void gather(double *work, const dfl_moves *moves, const double *const *in)
{
    for (const dfl_move *m = moves->move; m < moves->move + moves->count; m++)
        move(work + m->reg, in[m->array] + m->index, m->count);
}

static void scatter(double *const *out, const double *work, const dfl_moves *moves)
{
    for (const dfl_move *m = moves->move; m < moves->move + moves->count; m++)
        move(out[m->array] + m->index, work + m->reg, m->count);
}

/* Most moves are of one or two numbers; a call would cost more than they do. */
static void move(double *to, const double *from, uint32_t count)
{
    if (count == 1)
        *to = *from;
    else if (count == 2)
        memcpy(to, from, 2 * sizeof *to);
    else
        memcpy(to, from, count * sizeof *to);
}

/* r[k] = value of the operands x (and y) for the operations of a run. */
#define UNARY(value)                                                                               \
    for (uint32_t k = 0; k < n; k++) {                                                             \
        const double x = w[c[k]];                                                                  \
        r[k] = value;                                                                              \
    }                                                                                              \
    c += n;                                                                                        \
    break
#define BINARY(value)                                                                              \
    for (uint32_t k = 0; k < n; k++) {                                                             \
        const double x = w[c[2 * k]], y = w[c[2 * k + 1]];                                         \
        r[k] = value;                                                                              \
    }                                                                                              \
    c += 2 * (size_t)n;                                                                            \
    break

/* One jump per run. Longer than other functions because it is one plain switch. */
void dfl_tape_run_segment(const dfl_tape *tape, const dfl_segment *segment, double *work)
{
    const uint32_t *c = segment->code, *const end = c + segment->length;
    const double *w = work;
    double *next = work + segment->first;
    while (c < end) {
        const uint32_t op = dfl_run_op(*c), n = dfl_run_count(*c);
        double *restrict r = next; /* a run never reads what it writes */
        uint32_t results = n;
        c++;
        switch (op) {
        case DFL_OP_NEG:
            UNARY(-x);
        case DFL_OP_SQ:
            UNARY(x * x);
        case DFL_OP_SQRT:
            UNARY(sqrt(x));
        case DFL_OP_ADD:
            BINARY(x + y);
        case DFL_OP_SUB:
            BINARY(x - y);
        case DFL_OP_MUL:
            BINARY(x * y);
        case DFL_OP_DIV:
            BINARY(x / y);
        case DFL_OP_SINCOS: /* the compiler makes one call of the two */
            results = 2 * n;
            for (uint32_t k = 0; k < n; k++) {
                const double x = w[c[k]];
                r[k] = sin(x);
                r[n + k] = cos(x);
            }
            c += n;
            break;
        case DFL_OP_SKIP:
            break;
        case DFL_OP_SPLINE:
            for (uint32_t k = 0; k < n; k++)
                r[k] =
                    dfl_spline_value(&tape->splines[c[3 * k + 1]], (int)c[3 * k + 2], w[c[3 * k]]);
            c += 3 * (size_t)n;
            break;
        default:
            run_functions(r, op, c, n, w);
            c += (size_t)n * dfl_run_words(op);
        }
        next += results;
    }
}

/* What is left to the definition of the operations. */
static void run_functions(double *restrict r, uint32_t op, const uint32_t *c, uint32_t n,
                          const double *w)
{
    const dfl_node node = {.op = (uint8_t)op};
    const uint32_t words = dfl_run_words(op);
    for (uint32_t k = 0; k < n; k++, c += words)
        r[k] = dfl_op_value(NULL, &node, w[c[0]], words > 1 ? w[c[1]] : 0, words > 2 ? w[c[2]] : 0);
}
