/* tape_evaluate.c: running a tape, for one point or for DFL_TAPE_LANES points at once.

   Both are one function whose loops over the lanes the compiler unrolls: register number k of lane
   l is work[k * lanes + l]. Every operation is done as dfl_op_value does it; the simple ones are
   written out here so that the compiler can put them into vectors. */
#include "symbolic/tape_internal.h"

#include <math.h>
#include <string.h>

#if defined(__GNUC__)
#define ALWAYS_INLINE __attribute__((always_inline)) inline
#else
#define ALWAYS_INLINE inline
#endif

static ALWAYS_INLINE void prepare(const dfl_tape *tape, double *work, const double *const *in,
                                  uint32_t lanes);
static ALWAYS_INLINE void eval(const dfl_tape *tape, double *work, const double *const *in,
                               double *const *out, uint32_t lanes);
static ALWAYS_INLINE void gather(double *work, const dfl_moves *moves, const double *const *in,
                                 uint32_t lanes);
static ALWAYS_INLINE void scatter(double *const *out, const double *work, const dfl_moves *moves,
                                  uint32_t lanes);
static ALWAYS_INLINE void move(double *to, const double *from, uint32_t count);
static ALWAYS_INLINE void run_segment(const dfl_tape *tape, const dfl_segment *segment,
                                      double *work, uint32_t lanes);
static ALWAYS_INLINE void run_functions(double *restrict r, uint32_t op, const uint32_t *c,
                                        uint32_t n, const double *w, uint32_t lanes);

void dfl_tape_prepare(const dfl_tape *tape, double *work, const double *const *in)
{
    prepare(tape, work, in, 1);
}

void dfl_tape_prepare_lanes(const dfl_tape *tape, double *work, const double *const *in)
{
    prepare(tape, work, in, DFL_TAPE_LANES);
}

void dfl_tape_eval(const dfl_tape *tape, double *work, const double *const *in, double *const *out)
{
    eval(tape, work, in, out, 1);
}

void dfl_tape_eval_lanes(const dfl_tape *tape, double *work, const double *const *in,
                         double *const *out)
{
    eval(tape, work, in, out, DFL_TAPE_LANES);
}

static ALWAYS_INLINE void prepare(const dfl_tape *tape, double *work, const double *const *in,
                                  uint32_t lanes)
{
    double *constants = work + (size_t)tape->first_constant * lanes;
    gather(work, &tape->settings, in, lanes);
    for (uint32_t k = 0; k < tape->nconstants; k++)
        for (uint32_t l = 0; l < lanes; l++)
            constants[(size_t)k * lanes + l] = tape->constants[k];
    run_segment(tape, &tape->prepare, work, lanes);
}

static ALWAYS_INLINE void eval(const dfl_tape *tape, double *work, const double *const *in,
                               double *const *out, uint32_t lanes)
{
    gather(work, &tape->inputs, in, lanes);
    run_segment(tape, &tape->eval, work, lanes);
    scatter(out, work, &tape->outputs, lanes);
}

static ALWAYS_INLINE void gather(double *work, const dfl_moves *moves, const double *const *in,
                                 uint32_t lanes)
{
    for (const dfl_move *m = moves->move; m < moves->move + moves->count; m++)
        move(work + (size_t)m->reg * lanes, in[m->array] + (size_t)m->index * lanes,
             m->count * lanes);
}

static ALWAYS_INLINE void scatter(double *const *out, const double *work, const dfl_moves *moves,
                                  uint32_t lanes)
{
    for (const dfl_move *m = moves->move; m < moves->move + moves->count; m++)
        move(out[m->array] + (size_t)m->index * lanes, work + (size_t)m->reg * lanes,
             m->count * lanes);
}

/* Most moves are of one or two numbers; a call would cost more than they do. */
static ALWAYS_INLINE void move(double *to, const double *from, uint32_t count)
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
    for (uint32_t k = 0; k < n; k++)                                                               \
        for (uint32_t l = 0; l < lanes; l++) {                                                     \
            const double x = w[(size_t)c[k] * lanes + l];                                          \
            r[(size_t)k * lanes + l] = value;                                                      \
        }                                                                                          \
    c += n;                                                                                        \
    break
#define BINARY(value)                                                                              \
    for (uint32_t k = 0; k < n; k++)                                                               \
        for (uint32_t l = 0; l < lanes; l++) {                                                     \
            const double x = w[(size_t)c[2 * k] * lanes + l];                                      \
            const double y = w[(size_t)c[2 * k + 1] * lanes + l];                                  \
            r[(size_t)k * lanes + l] = value;                                                      \
        }                                                                                          \
    c += 2 * (size_t)n;                                                                            \
    break

/* One jump per run. Longer than other functions because it is one plain switch. */
static ALWAYS_INLINE void run_segment(const dfl_tape *tape, const dfl_segment *segment,
                                      double *work, uint32_t lanes)
{
    const uint32_t *c = segment->code, *const end = c + segment->length;
    const double *w = work;
    double *next = work + (size_t)segment->first * lanes;
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
            for (uint32_t k = 0; k < n; k++)
                for (uint32_t l = 0; l < lanes; l++) {
                    const double x = w[(size_t)c[k] * lanes + l];
                    r[(size_t)k * lanes + l] = sin(x);
                    r[(size_t)(n + k) * lanes + l] = cos(x);
                }
            c += n;
            break;
        case DFL_OP_SKIP:
            break;
        case DFL_OP_SPLINE:
            for (uint32_t k = 0; k < n; k++)
                for (uint32_t l = 0; l < lanes; l++)
                    r[(size_t)k * lanes + l] =
                        dfl_spline_value(&tape->splines[c[3 * k + 1]], (int)c[3 * k + 2],
                                         w[(size_t)c[3 * k] * lanes + l]);
            c += 3 * (size_t)n;
            break;
        default:
            run_functions(r, op, c, n, w, lanes);
            c += (size_t)n * dfl_run_words(op);
        }
        next += (size_t)results * lanes;
    }
}

/* What is left to the definition of the operations. */
static ALWAYS_INLINE void run_functions(double *restrict r, uint32_t op, const uint32_t *c,
                                        uint32_t n, const double *w, uint32_t lanes)
{
    const dfl_node node = {.op = (uint8_t)op};
    const uint32_t words = dfl_run_words(op);
    for (uint32_t k = 0; k < n; k++, c += words)
        for (uint32_t l = 0; l < lanes; l++) {
            const double x = w[(size_t)c[0] * lanes + l];
            const double y = words > 1 ? w[(size_t)c[1] * lanes + l] : 0;
            const double z = words > 2 ? w[(size_t)c[2] * lanes + l] : 0;
            r[(size_t)k * lanes + l] = dfl_op_value(NULL, &node, x, y, z);
        }
}
