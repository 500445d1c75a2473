/* emit_octave.c: a tape as assignments that Octave and Matlab share.

   Both leave the real numbers where a function has no real value; here it is NaN, as everywhere. */
#include "symbolic/emit_internal.h"

#include <math.h>

static void write_register(dfl_text *text, const dfl_listing *list, uint32_t reg,
                           const char *const *out_names, const char *name,
                           const char *const *in_names);
static const char *statement_pattern(const dfl_listing *list, uint32_t reg);
static void write_operand(dfl_text *text, const dfl_listing *list, uint32_t reg, const void *user);
static void write_spline(dfl_text *text, const dfl_spline *spline, int number);
static void write_row(dfl_text *text, const double *value, int count);
static void write_number(dfl_text *text, double value);

static const char *const pattern[DFL_OPS] = {
    [DFL_OP_NEG] = "R = -A;",
    [DFL_OP_SQ] = "R = A * A;",
    [DFL_OP_SQRT] = "if A < 0, R = nan; else, R = sqrt(A); end",
    [DFL_OP_EXP] = "R = exp(A);",
    [DFL_OP_LOG] = "if A < 0, R = nan; else, R = log(A); end",
    [DFL_OP_SIN] = "R = sin(A);",
    [DFL_OP_COS] = "R = cos(A);",
    [DFL_OP_TAN] = "R = tan(A);",
    [DFL_OP_ASIN] = "if abs(A) > 1, R = nan; else, R = asin(A); end",
    [DFL_OP_ACOS] = "if abs(A) > 1, R = nan; else, R = acos(A); end",
    [DFL_OP_ATAN] = "R = atan(A);",
    [DFL_OP_SINH] = "R = sinh(A);",
    [DFL_OP_COSH] = "R = cosh(A);",
    [DFL_OP_TANH] = "R = tanh(A);",
    [DFL_OP_ABS] = "R = abs(A);",
    [DFL_OP_SIGN] = "R = (A > 0) - (A < 0);",
    [DFL_OP_FLOOR] = "R = floor(A);",
    [DFL_OP_NOEVENT] = "R = A;",
    [DFL_OP_SPLINE] = "R = N_spline(B, C, A);",
    [DFL_OP_ADD] = "R = A + B;",
    [DFL_OP_SUB] = "R = A - B;",
    [DFL_OP_MUL] = "R = A * B;",
    [DFL_OP_DIV] = "R = A / B;",
    [DFL_OP_POW] = "if A < 0 && B ~= fix(B), R = nan; else, R = real(A ^ B); end",
    [DFL_OP_ATAN2] = "R = atan2(A, B);",
    [DFL_OP_MIN] = "if A < B, R = A; else, R = B; end",
    [DFL_OP_MAX] = "if A > B, R = A; else, R = B; end",
    [DFL_OP_SELECT] = "if A > 0, R = B; else, R = C; end",
};

/* Powers with a whole number as exponent are real anyway. */
static const char whole_power[] = "R = A ^ B;";

dfl_status dfl_emit_octave(dfl_text *text, const dfl_tape *tape, const char *const *in_names,
                           const char *const *out_names, const char *name)
{
    dfl_listing list;
    const dfl_status status = dfl_listing_create(&list, tape, true);
    if (status)
        return status;
    for (uint32_t i = 0; i < list.count; i++)
        write_register(text, &list, list.order[i], out_names, name, in_names);
    dfl_listing_clear(&list);
    return text->status;
}

dfl_status dfl_emit_octave_spline(dfl_text *text, const dfl_tape *const *tapes, int ntapes,
                                  const char *name)
{
    const int last = dfl_tapes_last_spline(tapes, ntapes);
    if (last < 0)
        return text->status;
    dfl_text_add(text, "function y = %s_spline(number, derivative, x)\n  switch number\n", name);
    for (int number = 0; number <= last; number++) {
        const dfl_spline *spline = dfl_tapes_spline(tapes, ntapes, number);
        if (spline)
            write_spline(text, spline, number);
    }
    dfl_text_add(text, "  end\n"
                       "  piece = sum(knots < x) + 1;\n"
                       "  t = x - knots(min(piece, numel(knots)));\n"
                       "  y = 0;\n"
                       "  for k = 5:-1:derivative\n"
                       "    y = y * t + prod(k-derivative+1:k) * coef(piece, k+1);\n"
                       "  end\n"
                       "end\n");
    return text->status;
}

static void write_register(dfl_text *text, const dfl_listing *list, uint32_t reg,
                           const char *const *out_names, const char *name,
                           const char *const *in_names)
{
    if (dfl_has_statement(list, reg)) {
        dfl_text_add(text, "  ");
        dfl_emit_pattern(text, list, reg, statement_pattern(list, reg), name, write_operand,
                         in_names);
        dfl_text_add(text, "\n");
    }
    for (uint32_t k = list->output_start[reg]; k < list->output_start[reg + 1]; k++) {
        dfl_text_add(text, "  %s(%d) = ", out_names[list->output[k].array],
                     list->output[k].index + 1);
        write_operand(text, list, reg, in_names);
        dfl_text_add(text, ";\n");
    }
}

static const char *statement_pattern(const dfl_listing *list, uint32_t reg)
{
    const dfl_statement *s = &list->statement[reg - list->first];
    if (s->op == DFL_OP_POW && dfl_is_number(list, s->b)) {
        const double exponent = list->tape->constants[s->b - list->tape->first_constant];
        if (exponent == trunc(exponent) && fabs(exponent) < 1e9) /* Octave counts with int here */
            return whole_power;
    }
    return pattern[s->op];
}

/* `user` are the names of the input arrays. */
static void write_operand(dfl_text *text, const dfl_listing *list, uint32_t reg, const void *user)
{
    const char *const *in_names = user;
    if (dfl_is_number(list, reg))
        write_number(text, list->tape->constants[reg - list->tape->first_constant]);
    else if (dfl_is_input(list, reg))
        dfl_text_add(text, "%s(%d)", in_names[list->input[reg].array], list->input[reg].index + 1);
    else
        dfl_emit_register(text, reg);
}

static void write_spline(dfl_text *text, const dfl_spline *spline, int number)
{
    dfl_text_add(text, "  case %d\n    knots = [", number);
    write_row(text, spline->x, spline->n);
    dfl_text_add(text, "];\n    coef = [ ...\n");
    for (int i = 0; i <= spline->n; i++) {
        dfl_text_add(text, "      ");
        write_row(text, spline->coef + 6 * i, 6);
        dfl_text_add(text, "; ...\n");
    }
    dfl_text_add(text, "    ];\n");
}

static void write_row(dfl_text *text, const double *value, int count)
{
    for (int i = 0; i < count; i++) {
        if (i > 0)
            dfl_text_add(text, ", ");
        write_number(text, value[i]);
    }
}

static void write_number(dfl_text *text, double value)
{
    if (isnan(value))
        dfl_text_add(text, "NaN");
    else if (isinf(value))
        dfl_text_add(text, value < 0 ? "(-Inf)" : "Inf");
    else
        dfl_emit_number(text, value, false);
}
