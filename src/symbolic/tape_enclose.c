/* tape_enclose.c: a tape with bounds instead of numbers: interval arithmetic for values and for
   derivatives with respect to time, by the chain rule.

   Every result is widened by two units in the last place, so that no rounding mode is needed. What
   cannot be bounded has the bounds -inf and inf. */
#include "symbolic/tape_internal.h"

#include <float.h>
#include <math.h>

/* A closed interval. */
typedef struct range {
    double low, high;
} range;

static const range everything = {-INFINITY, INFINITY};
static const double half_turn = 3.14159265358979323846;

static dfl_bounds enclose_operation(const dfl_tape *tape, uint32_t op, const uint32_t *c,
                                    const dfl_bounds *w);
static dfl_bounds enclose_binary(uint32_t op, const dfl_bounds *a, const dfl_bounds *b);
static dfl_bounds enclose_unary(uint32_t op, const dfl_bounds *a);
static range image(uint32_t op, range a);
static range image_slope(uint32_t op, range a, range value);
static dfl_bounds enclose_power(const dfl_bounds *a, const dfl_bounds *b);
static dfl_bounds enclose_angle(const dfl_bounds *y, const dfl_bounds *x);
static dfl_bounds enclose_spline(const dfl_spline *spline, int derivative, const dfl_bounds *a);
static dfl_bounds choose(range condition, bool continuous, const dfl_bounds *a,
                         const dfl_bounds *b);

void dfl_tape_enclose_prepare(const dfl_tape *tape, dfl_bounds *bounds, const double *work)
{
    for (uint32_t i = 0; i < tape->eval.first; i++)
        bounds[i] = (dfl_bounds){.low = work[i], .high = work[i]};
}

void dfl_tape_enclose(const dfl_tape *tape, dfl_bounds *bounds, const dfl_bounds *const *in,
                      dfl_bounds *const *out)
{
    for (const dfl_move *m = tape->inputs.move; m < tape->inputs.move + tape->inputs.count; m++)
        for (uint32_t i = 0; i < m->count; i++)
            bounds[m->reg + i] = in[m->array][(uint32_t)m->index + i];
    const uint32_t *c = tape->eval.code, *const end = c + tape->eval.length;
    dfl_bounds *next = bounds + tape->eval.first;
    while (c < end) {
        const uint32_t op = dfl_run_op(*c), n = dfl_run_count(*c), words = dfl_run_words(op);
        c++;
        for (uint32_t k = 0; k < n && op != DFL_OP_SKIP; k++, c += words) {
            next[k] = enclose_operation(tape, op == DFL_OP_SINCOS ? DFL_OP_SIN : op, c, bounds);
            if (op == DFL_OP_SINCOS)
                next[n + k] = enclose_operation(tape, DFL_OP_COS, c, bounds);
        }
        next += op == DFL_OP_SINCOS ? 2 * n : n;
    }
    for (const dfl_move *m = tape->outputs.move; m < tape->outputs.move + tape->outputs.count; m++)
        for (uint32_t i = 0; i < m->count; i++)
            out[m->array][(uint32_t)m->index + i] = bounds[m->reg + i];
}

/* ------------------------------------------------------------------------------- intervals */

/* Two units outwards; a zero of sums and products is exact; bounds that are not numbers are none.
 */
static range wide(double low, double high)
{
    const double below = fabs(low) * 2 * DBL_EPSILON + DBL_MIN;
    const double above = fabs(high) * 2 * DBL_EPSILON + DBL_MIN;
    return (range){isnan(low) ? -INFINITY : low - (low == 0 ? 0 : below),
                   isnan(high) ? INFINITY : high + (high == 0 ? 0 : above)};
}

static range add(range a, range b)
{
    return wide(a.low + b.low, a.high + b.high);
}

static range subtract(range a, range b)
{
    return wide(a.low - b.high, a.high - b.low);
}

/* 0 times infinity is 0: a bound of an unbounded interval is never reached. */
static double product(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

static range multiply(range a, range b)
{
    const double p = product(a.low, b.low), q = product(a.low, b.high), r = product(a.high, b.low),
                 s = product(a.high, b.high);
    return wide(fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s)));
}

static range square(range a)
{
    const double p = a.low * a.low, q = a.high * a.high;
    return wide(a.low <= 0 && a.high >= 0 ? 0 : fmin(p, q), fmax(p, q));
}

static range reciprocal(range a)
{
    return a.low <= 0 && a.high >= 0 ? everything : wide(1 / a.high, 1 / a.low);
}

static range hull(range a, range b)
{
    return (range){fmin(a.low, b.low), fmax(a.high, b.high)};
}

static range value_of(const dfl_bounds *b)
{
    return (range){b->low, b->high};
}

static range slope_of(const dfl_bounds *b)
{
    return (range){b->slope_low, b->slope_high};
}

static dfl_bounds both(range value, range slope)
{
    return (dfl_bounds){value.low, value.high, slope.low, slope.high};
}

/* ------------------------------------------------------------------------------- operations */

static dfl_bounds enclose_operation(const dfl_tape *tape, uint32_t op, const uint32_t *c,
                                    const dfl_bounds *w)
{
    if (op == DFL_OP_SPLINE)
        return enclose_spline(&tape->splines[c[1]], (int)c[2], &w[c[0]]);
    if (op == DFL_OP_SELECT)
        return choose(value_of(&w[c[0]]), false, &w[c[1]], &w[c[2]]);
    return dfl_op_operands((dfl_op)op) == 2 ? enclose_binary(op, &w[c[0]], &w[c[1]])
                                            : enclose_unary(op, &w[c[0]]);
}

static dfl_bounds enclose_binary(uint32_t op, const dfl_bounds *a, const dfl_bounds *b)
{
    const range x = value_of(a), y = value_of(b), dx = slope_of(a), dy = slope_of(b);
    switch (op) {
    case DFL_OP_ADD:
        return both(add(x, y), add(dx, dy));
    case DFL_OP_SUB:
        return both(subtract(x, y), subtract(dx, dy));
    case DFL_OP_MUL:
        return both(multiply(x, y), add(multiply(dx, y), multiply(x, dy)));
    case DFL_OP_DIV: {
        const range inverse = reciprocal(y), quotient = multiply(x, inverse);
        return both(quotient, multiply(subtract(dx, multiply(quotient, dy)), inverse));
    }
    case DFL_OP_POW:
        return enclose_power(a, b);
    case DFL_OP_ATAN2:
        return enclose_angle(a, b);
    case DFL_OP_MIN:
        return choose(subtract(y, x), true, a, b);
    case DFL_OP_MAX:
        return choose(subtract(x, y), true, a, b);
    default:
        return both(everything, everything);
    }
}

/* The first where the condition is positive, else the second; both where it is open. */
static dfl_bounds choose(range condition, bool continuous, const dfl_bounds *a, const dfl_bounds *b)
{
    if (condition.low > 0)
        return *a;
    if (condition.high <= 0)
        return *b;
    return both(hull(value_of(a), value_of(b)),
                continuous ? hull(slope_of(a), slope_of(b)) : everything);
}

static dfl_bounds enclose_unary(uint32_t op, const dfl_bounds *a)
{
    const range x = value_of(a), value = image(op, x);
    return both(value, multiply(image_slope(op, x, value), slope_of(a)));
}

/* The range of an increasing function. */
static range increasing(double (*f)(double), range a)
{
    return wide(f(a.low), f(a.high));
}

/* Of sin, and of cos as sin(x + pi/2): whether a top, a + 2 pi k, lies inside. */
static bool contains_top(range a, double top)
{
    const double turn = 2 * half_turn;
    return floor((a.high - top) / turn + 1e-12) >= ceil((a.low - top) / turn - 1e-12);
}

static range wave(double (*f)(double), range a, double top)
{
    if (!(a.high - a.low < 2 * half_turn) || !(fabs(a.low) < 1e8) || !(fabs(a.high) < 1e8))
        return (range){-1, 1};
    const double p = f(a.low), q = f(a.high);
    const range ends = wide(fmin(p, q), fmax(p, q));
    return (range){contains_top(a, top + half_turn) ? -1 : fmax(-1, ends.low),
                   contains_top(a, top) ? 1 : fmin(1, ends.high)};
}

static range clipped(range a, double low, double high)
{
    return a.high < low || a.low > high ? everything
                                        : (range){fmax(a.low, low), fmin(a.high, high)};
}

/* The values of a function of one operand. */
static range image(uint32_t op, range a)
{
    range r;
    switch (op) {
    case DFL_OP_NEG:
        return (range){-a.high, -a.low};
    case DFL_OP_SQ:
        return square(a);
    case DFL_OP_SQRT:
        return a.high < 0 ? everything : wide(sqrt(fmax(a.low, 0)), sqrt(a.high));
    case DFL_OP_EXP:
        r = increasing(exp, a);
        return (range){fmax(r.low, 0), r.high};
    case DFL_OP_LOG:
        return a.high <= 0 ? everything : wide(a.low > 0 ? log(a.low) : -INFINITY, log(a.high));
    case DFL_OP_SIN:
        return wave(sin, a, half_turn / 2);
    case DFL_OP_COS:
        return wave(cos, a, 0);
    case DFL_OP_TAN:
        return a.high - a.low < half_turn &&
                       !contains_top((range){2 * a.low, 2 * a.high}, half_turn)
                   ? increasing(tan, a)
                   : everything;
    case DFL_OP_ASIN:
        return increasing(asin, clipped(a, -1, 1));
    case DFL_OP_ACOS:
        r = clipped(a, -1, 1);
        return wide(acos(r.high), acos(r.low));
    case DFL_OP_ATAN:
        return increasing(atan, a);
    case DFL_OP_SINH:
        return increasing(sinh, a);
    case DFL_OP_COSH:
        r = (range){a.low > 0 ? a.low : a.high < 0 ? -a.high : 0, fmax(-a.low, a.high)};
        return increasing(cosh, r);
    case DFL_OP_TANH:
        return increasing(tanh, a);
    case DFL_OP_ABS:
        return (range){a.low > 0 ? a.low : a.high < 0 ? -a.high : 0, fmax(-a.low, a.high)};
    case DFL_OP_NOEVENT:
        return a;
    case DFL_OP_FLOOR:
        return (range){floor(a.low), floor(a.high)};
    case DFL_OP_SIGN:
        return (range){(double)((a.low > 0) - (a.low < 0)), (double)((a.high > 0) - (a.high < 0))};
    default:
        return everything;
    }
}

static range one_minus_square(range a)
{
    const range s = square(a);
    return (range){fmax(0, 1 - s.high), fmax(0, 1 - s.low)};
}

/* The derivative of such a function; `value` is its image. */
static range image_slope(uint32_t op, range a, range value)
{
    static const range one = {1, 1}, two = {2, 2}, no = {0, 0};
    switch (op) {
    case DFL_OP_NEG:
        return (range){-1, -1};
    case DFL_OP_NOEVENT:
        return one;
    case DFL_OP_SQ:
        return multiply(two, a);
    case DFL_OP_SQRT:
        return reciprocal(multiply(two, value));
    case DFL_OP_EXP:
        return value;
    case DFL_OP_LOG:
        return reciprocal(a);
    case DFL_OP_SIN:
        return image(DFL_OP_COS, a);
    case DFL_OP_COS:
        return image(DFL_OP_NEG, image(DFL_OP_SIN, a));
    case DFL_OP_TAN:
        return add(one, square(value));
    case DFL_OP_ASIN:
        return reciprocal(image(DFL_OP_SQRT, one_minus_square(a)));
    case DFL_OP_ACOS:
        return image(DFL_OP_NEG, reciprocal(image(DFL_OP_SQRT, one_minus_square(a))));
    case DFL_OP_ATAN:
        return reciprocal(add(one, square(a)));
    case DFL_OP_SINH:
        return image(DFL_OP_COSH, a);
    case DFL_OP_COSH:
        return image(DFL_OP_SINH, a);
    case DFL_OP_TANH:
        return subtract(one, square(value));
    case DFL_OP_ABS:
        return image(DFL_OP_SIGN, a);
    case DFL_OP_SIGN:
    case DFL_OP_FLOOR:
        return value.low == value.high ? no : everything;
    default:
        return everything;
    }
}

/* a^b as exp(b log a); integer powers of anything. */
static dfl_bounds enclose_power(const dfl_bounds *a, const dfl_bounds *b)
{
    const range x = value_of(a), p = value_of(b);
    const bool constant = p.low == p.high;
    if (x.low >= 0 && constant && p.low > 0) { /* 0 included */
        const range lower = p.low >= 1 ? wide(pow(x.low, p.low - 1), pow(x.high, p.low - 1))
                                       : wide(pow(x.high, p.low - 1), pow(x.low, p.low - 1));
        return both(wide(pow(x.low, p.low), pow(x.high, p.low)),
                    multiply(multiply(p, lower), slope_of(a)));
    }
    if (x.low <= 0)
        return both(everything, everything);
    const dfl_bounds log_a = enclose_unary(DFL_OP_LOG, a);
    const dfl_bounds exponent = enclose_binary(DFL_OP_MUL, &log_a, b);
    return enclose_unary(DFL_OP_EXP, &exponent);
}

/* atan2 is monotone along the sides of a box that does not touch its cut. */
static dfl_bounds enclose_angle(const dfl_bounds *y, const dfl_bounds *x)
{
    const range a = value_of(y), b = value_of(x);
    const bool apart = b.low > 0 || a.low > 0 || a.high < 0;
    const range size = add(square(a), square(b));
    if (!apart)
        return both((range){-4, 4}, everything);
    const double p = atan2(a.low, b.low), q = atan2(a.low, b.high), r = atan2(a.high, b.low),
                 s = atan2(a.high, b.high);
    return both(
        wide(fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s))),
        multiply(subtract(multiply(slope_of(y), b), multiply(a, slope_of(x))), reciprocal(size)));
}

/* A piece over an interval, by Horner's rule. */
static range piece(const double *coef, double origin, int derivative, range x)
{
    const range u = wide(x.low - origin, x.high - origin);
    range sum = {0, 0};
    for (int k = 5; k >= derivative; k--) {
        double factor = coef[k];
        for (int j = 0; j < derivative; j++)
            factor *= k - j;
        sum = add(multiply(sum, u), (range){factor, factor});
    }
    return sum;
}

/* The hull of all pieces that the argument may lie in. */
static range spline_image(const dfl_spline *spline, int derivative, range x)
{
    range all = {INFINITY, -INFINITY};
    if (!(x.low > -INFINITY && x.high < INFINITY))
        return everything;
    for (int i = 0; i <= spline->n; i++) {
        const double from = i == 0 ? x.low : fmax(x.low, spline->x[i - 1]);
        const double to = i == spline->n ? x.high : fmin(x.high, spline->x[i]);
        const double origin = spline->x[i < spline->n ? i : spline->n - 1];
        if (from <= to)
            all = hull(all,
                       piece(spline->coef + 6 * (size_t)i, origin, derivative, (range){from, to}));
    }
    return all;
}

static dfl_bounds enclose_spline(const dfl_spline *spline, int derivative, const dfl_bounds *a)
{
    const range x = value_of(a);
    return both(spline_image(spline, derivative, x),
                multiply(spline_image(spline, derivative + 1, x), slope_of(a)));
}
