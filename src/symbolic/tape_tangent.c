/* tape_tangent.c: a tape and its derivative along a direction, by the chain rule forwards,
   operation by operation. What no operand of an operation takes part in has the derivative 0, also
   where the slope of the operation is not finite. */
#include "symbolic/tape_internal.h"

#include <math.h>
#include <string.h>

static void gather(double *work, double *tangent, const dfl_moves *moves, const double *const *in,
                   const double *const *along);
static void run_segment(const dfl_tape *tape, const dfl_segment *segment, double *work,
                        double *tangent);

void dfl_tape_tangent(const dfl_tape *tape, double *work, double *tangent, const double *const *in,
                      const double *const *along, double *const *slope)
{
    memset(tangent, 0, tape->nregisters * sizeof *tangent);
    gather(work, tangent, &tape->settings, in, along);
    run_segment(tape, &tape->prepare, work, tangent);
    gather(work, tangent, &tape->inputs, in, along);
    run_segment(tape, &tape->eval, work, tangent);
    const dfl_moves *out = &tape->outputs;
    for (const dfl_move *m = out->move; m < out->move + out->count; m++)
        if (slope[m->array])
            memcpy(slope[m->array] + m->index, tangent + m->reg, m->count * sizeof *tangent);
}

static void gather(double *work, double *tangent, const dfl_moves *moves, const double *const *in,
                   const double *const *along)
{
    for (const dfl_move *m = moves->move; m < moves->move + moves->count; m++) {
        const size_t bytes = m->count * sizeof *work;
        if (in[m->array])
            memcpy(work + m->reg, in[m->array] + m->index, bytes);
        if (along[m->array])
            memcpy(tangent + m->reg, along[m->array] + m->index, bytes);
    }
}

/* ------------------------------------------------------------------------------- operations */

/* The slope of an operation of one operand a with the value e, if it is not flat: a plain switch.
 */
static double slope_of(uint32_t op, double a, double e)
{
    switch (op) {
    case DFL_OP_NEG:
        return -1;
    case DFL_OP_SQ:
        return 2 * a;
    case DFL_OP_SQRT:
        return 1 / (2 * e);
    case DFL_OP_EXP:
        return e;
    case DFL_OP_LOG:
        return 1 / a;
    case DFL_OP_SIN:
        return cos(a);
    case DFL_OP_COS:
        return -sin(a);
    case DFL_OP_TAN:
        return 1 + e * e;
    case DFL_OP_ASIN:
        return 1 / sqrt(1 - a * a);
    case DFL_OP_ACOS:
        return -1 / sqrt(1 - a * a);
    case DFL_OP_ATAN:
        return 1 / (1 + a * a);
    case DFL_OP_SINH:
        return cosh(a);
    case DFL_OP_COSH:
        return sinh(a);
    case DFL_OP_TANH:
        return 1 - e * e;
    case DFL_OP_ABS:
        return (double)((a > 0) - (a < 0));
    default:
        return 1; /* noevent */
    }
}

static double tangent_of_power(double a, double b, double e, double da, double db)
{
    const double base = da == 0 ? 0 : da * b * pow(a, b - 1);
    return base + (db == 0 || a == 0 ? 0 : db * e * log(a));
}

static double tangent_of(const dfl_tape *tape, uint32_t op, const uint32_t *c, const double *w,
                         const double *d, double e)
{
    const uint32_t words = dfl_run_words(op);
    const bool several = words > 1 && op != DFL_OP_SPLINE;
    const double a = w[c[0]], b = several ? w[c[1]] : 0;
    const double da = d[c[0]], db = several ? d[c[1]] : 0;
    const double dc = several && words > 2 ? d[c[2]] : 0;
    if ((da == 0 && db == 0 && dc == 0) || op == DFL_OP_SIGN || op == DFL_OP_FLOOR)
        return 0;
    switch (op) {
    case DFL_OP_ADD:
        return da + db;
    case DFL_OP_SUB:
        return da - db;
    case DFL_OP_MUL:
        return da * b + a * db;
    case DFL_OP_DIV:
        return (da - e * db) / b;
    case DFL_OP_POW:
        return tangent_of_power(a, b, e, da, db);
    case DFL_OP_ATAN2:
        return (da * b - a * db) / (a * a + b * b);
    case DFL_OP_MIN:
        return a < b ? da : db;
    case DFL_OP_MAX:
        return a > b ? da : db;
    case DFL_OP_SELECT:
        return a > 0 ? db : dc;
    case DFL_OP_SPLINE:
        return da * dfl_spline_value(&tape->splines[c[1]], (int)c[2] + 1, a);
    default:
        return da * slope_of(op, a, e);
    }
}

static double value_of(const dfl_tape *tape, uint32_t op, const uint32_t *c, const double *w)
{
    const dfl_node node = {.op = (uint8_t)op};
    const uint32_t words = dfl_run_words(op);
    if (op == DFL_OP_SPLINE)
        return dfl_spline_value(&tape->splines[c[1]], (int)c[2], w[c[0]]);
    return dfl_op_value(NULL, &node, w[c[0]], words > 1 ? w[c[1]] : 0, words > 2 ? w[c[2]] : 0);
}

static void run_segment(const dfl_tape *tape, const dfl_segment *segment, double *work,
                        double *tangent)
{
    const uint32_t *c = segment->code, *const end = c + segment->length;
    size_t next = segment->first;
    while (c < end) {
        const uint32_t op = dfl_run_op(*c), n = dfl_run_count(*c), words = dfl_run_words(op);
        const bool both = op == DFL_OP_SINCOS;
        const uint32_t first = both ? DFL_OP_SIN : op;
        c++;
        for (uint32_t k = 0; k < n && op != DFL_OP_SKIP; k++, c += words) {
            work[next + k] = value_of(tape, first, c, work);
            tangent[next + k] = tangent_of(tape, first, c, work, tangent, work[next + k]);
            if (both) {
                work[next + n + k] = value_of(tape, DFL_OP_COS, c, work);
                tangent[next + n + k] = tangent_of(tape, DFL_OP_COS, c, work, tangent, 0);
            }
        }
        next += both ? 2 * (size_t)n : n;
    }
}
