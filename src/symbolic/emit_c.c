/* emit_c.c: a tape as C.

   The time a compiler takes grows faster than the length of a function, so the statements are cut
   into functions of a few hundred. What only one of them uses is a local constant; what another
   needs as well is kept in the tape's register work[...]. Register number k is called tk
   everywhere. */
#include "symbolic/emit_internal.h"

#include <math.h>
#include <stdio.h>

/* How the statements are cut, and how far they are written. */
typedef struct writer {
    dfl_text *text;
    const dfl_listing *list;
    const char *name;
    uint32_t nchunks;
    uint32_t *chunk; /* per register: the number of its chunk + 1; 0 if it is not written */
    bool *shared;    /* per register: read by another chunk than its own */
    uint32_t *known; /* per register: the last chunk (+ 1) in which it has a name */
} writer;

static dfl_status write_functions(writer *w, const dfl_emit_options *options);
static void cut(writer *w, uint32_t size);
static void find_shared(writer *w);
static void write_chunks(writer *w, const char *linkage);
static void write_head(writer *w, const char *linkage, const char *suffix);
static void write_caller(writer *w, const char *linkage);
static void write_register(writer *w, uint32_t reg);
static void declare_operand(writer *w, uint32_t reg, uint32_t chunk);
static void write_operand(dfl_text *text, const dfl_listing *list, uint32_t reg, const void *user);
static void write_splines(dfl_text *text, const dfl_tape *const *tapes, int ntapes);
static void write_table(dfl_text *text, const char *what, int number, const double *value,
                        size_t count);
static void write_number(dfl_text *text, double value);

#define DECLARE(value) "    const double R = " value ";\n"

static const char *const pattern[DFL_OPS] = {
    [DFL_OP_NEG] = DECLARE("-A"),
    [DFL_OP_SQ] = DECLARE("A * A"),
    [DFL_OP_SQRT] = DECLARE("sqrt(A)"),
    [DFL_OP_EXP] = DECLARE("exp(A)"),
    [DFL_OP_LOG] = DECLARE("log(A)"),
    [DFL_OP_SIN] = DECLARE("sin(A)"),
    [DFL_OP_COS] = DECLARE("cos(A)"),
    [DFL_OP_TAN] = DECLARE("tan(A)"),
    [DFL_OP_ASIN] = DECLARE("asin(A)"),
    [DFL_OP_ACOS] = DECLARE("acos(A)"),
    [DFL_OP_ATAN] = DECLARE("atan(A)"),
    [DFL_OP_SINH] = DECLARE("sinh(A)"),
    [DFL_OP_COSH] = DECLARE("cosh(A)"),
    [DFL_OP_TANH] = DECLARE("tanh(A)"),
    [DFL_OP_ABS] = DECLARE("fabs(A)"),
    [DFL_OP_SIGN] = DECLARE("dfl_sign(A)"),
    [DFL_OP_FLOOR] = DECLARE("floor(A)"),
    [DFL_OP_NOEVENT] = DECLARE("A"),
    [DFL_OP_SPLINE] = DECLARE("dfl_spline_value(&dfl_spline_B, C, A)"),
    [DFL_OP_ADD] = DECLARE("A + B"),
    [DFL_OP_SUB] = DECLARE("A - B"),
    [DFL_OP_MUL] = DECLARE("A * B"),
    [DFL_OP_DIV] = DECLARE("A / B"),
    [DFL_OP_POW] = DECLARE("pow(A, B)"),
    [DFL_OP_ATAN2] = DECLARE("atan2(A, B)"),
    [DFL_OP_MIN] = DECLARE("dfl_min(A, B)"),
    [DFL_OP_MAX] = DECLARE("dfl_max(A, B)"),
    [DFL_OP_SELECT] = DECLARE("dfl_select(A, B, C)"),
};

/* The definitions of dfl_op_value that C has no function for. */
static const struct {
    dfl_op op;
    const char *text;
} helpers[] = {
    {DFL_OP_SIGN,
     "static double dfl_sign(double a)\n{\n    return (double)((a > 0) - (a < 0));\n}\n"},
    {DFL_OP_MIN, "static double dfl_min(double a, double b)\n{\n    return a < b ? a : b;\n}\n"},
    {DFL_OP_MAX, "static double dfl_max(double a, double b)\n{\n    return a > b ? a : b;\n}\n"},
    {DFL_OP_SELECT,
     "static double dfl_select(double a, double b, double c)\n{\n    return a > 0 ? b : c;\n}\n"},
};

dfl_status dfl_emit_c(dfl_text *text, const dfl_tape *tape, const dfl_emit_options *options)
{
    dfl_context *ctx = tape->ctx;
    dfl_listing list;
    dfl_status status = dfl_listing_create(&list, tape, options->complete);
    if (status)
        return status;
    writer w = {.text = text, .list = &list, .name = options->name};
    w.chunk = dfl_alloc(ctx, tape->nregisters, sizeof *w.chunk);
    w.shared = dfl_alloc(ctx, tape->nregisters, sizeof *w.shared);
    w.known = dfl_alloc(ctx, tape->nregisters, sizeof *w.known);
    status = DFL_NO_MEMORY;
    if (w.chunk && w.shared && w.known)
        status = write_functions(&w, options);
    dfl_free(ctx, w.known);
    dfl_free(ctx, w.shared);
    dfl_free(ctx, w.chunk);
    dfl_listing_clear(&list);
    return status;
}

dfl_status dfl_emit_c_preamble(dfl_text *text, const dfl_tape *const *tapes, int ntapes)
{
    dfl_text_add(text, "#include <math.h>\n\n");
    return dfl_emit_c_helpers(text, tapes, ntapes);
}

dfl_status dfl_emit_c_helpers(dfl_text *text, const dfl_tape *const *tapes, int ntapes)
{
    for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++)
        if (dfl_tapes_use(tapes, ntapes, helpers[i].op))
            dfl_text_add(text, "%s\n", helpers[i].text);
    if (dfl_tapes_use(tapes, ntapes, DFL_OP_SPLINE))
        write_splines(text, tapes, ntapes);
    return text->status;
}

static dfl_status write_functions(writer *w, const dfl_emit_options *options)
{
    const char *linkage = options->linkage ? options->linkage : "";
    cut(w, options->chunk > 0 ? (uint32_t)options->chunk : 400);
    find_shared(w);
    write_chunks(w, linkage);
    if (w->nchunks != 1)
        write_caller(w, linkage);
    return w->text->status;
}

/* A chunk has at most `size` statements and outputs, but at least one register. */
static void cut(writer *w, uint32_t size)
{
    const dfl_listing *list = w->list;
    uint32_t room = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const uint32_t reg = list->order[i];
        const uint32_t lines = (dfl_has_statement(list, reg) ? 1 : 0) +
                               list->output_start[reg + 1] - list->output_start[reg];
        if (w->nchunks == 0 || lines > room) {
            w->nchunks++;
            room = size;
        }
        room -= lines < room ? lines : room;
        w->chunk[reg] = w->nchunks;
    }
}

static void find_shared(writer *w)
{
    const dfl_listing *list = w->list;
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t operand[3];
        const int count = dfl_statement_operands(operand, list, list->order[i]);
        for (int k = 0; k < count; k++)
            if (w->chunk[operand[k]] != w->chunk[list->order[i]])
                w->shared[operand[k]] = true;
    }
}

/* One chunk alone is the function itself. */
static void write_chunks(writer *w, const char *linkage)
{
    const dfl_listing *list = w->list;
    uint32_t open = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const uint32_t reg = list->order[i];
        if (w->chunk[reg] != open) {
            char suffix[16];
            if (open)
                dfl_text_add(w->text, "}\n\n");
            open = w->chunk[reg];
            snprintf(suffix, sizeof suffix, "_%u", open);
            write_head(w, w->nchunks == 1 ? linkage : "static ", w->nchunks == 1 ? "" : suffix);
        }
        write_register(w, reg);
    }
    if (open)
        dfl_text_add(w->text, "}\n\n");
}

static void write_head(writer *w, const char *linkage, const char *suffix)
{
    dfl_text_add(w->text,
                 "%svoid %s%s(double *work, const double *const *in, double *const *out)\n{\n"
                 "    (void)work, (void)in, (void)out;\n",
                 linkage, w->name, suffix);
}

static void write_caller(writer *w, const char *linkage)
{
    write_head(w, linkage, "");
    for (uint32_t k = 1; k <= w->nchunks; k++)
        dfl_text_add(w->text, "    %s_%u(work, in, out);\n", w->name, k);
    dfl_text_add(w->text, "}\n\n");
}

/* The statement of a register, and where its value goes. */
static void write_register(writer *w, uint32_t reg)
{
    const dfl_listing *list = w->list;
    uint32_t operand[3];
    const int count = dfl_statement_operands(operand, list, reg);
    for (int k = 0; k < count; k++)
        declare_operand(w, operand[k], w->chunk[reg]);
    if (dfl_has_statement(list, reg)) {
        dfl_emit_pattern(w->text, list, reg, pattern[list->statement[reg - list->first].op],
                         w->name, write_operand, NULL);
        w->known[reg] = w->chunk[reg];
        if (w->shared[reg])
            dfl_text_add(w->text, "    work[%u] = t%u;\n", reg, reg);
    } else {
        declare_operand(w, reg, w->chunk[reg]);
    }
    for (uint32_t k = list->output_start[reg]; k < list->output_start[reg + 1]; k++) {
        dfl_text_add(w->text, "    out[%d][%d] = ", list->output[k].array, list->output[k].index);
        write_operand(w->text, list, reg, NULL);
        dfl_text_add(w->text, ";\n");
    }
}

/* Gives a register that this chunk did not compute a name in it. */
static void declare_operand(writer *w, uint32_t reg, uint32_t chunk)
{
    const dfl_listing *list = w->list;
    if (w->known[reg] == chunk || dfl_is_number(list, reg))
        return;
    w->known[reg] = chunk;
    if (dfl_is_input(list, reg))
        dfl_text_add(w->text, "    const double t%u = in[%d][%d];\n", reg, list->input[reg].array,
                     list->input[reg].index);
    else
        dfl_text_add(w->text, "    const double t%u = work[%u];\n", reg, reg);
}

static void write_operand(dfl_text *text, const dfl_listing *list, uint32_t reg, const void *user)
{
    (void)user;
    if (dfl_is_number(list, reg))
        write_number(text, list->tape->constants[reg - list->tape->first_constant]);
    else
        dfl_emit_register(text, reg);
}

/* The tables, and dfl_spline_value as in spline.c. */
static void write_splines(dfl_text *text, const dfl_tape *const *tapes, int ntapes)
{
    dfl_text_add(text,
                 "typedef struct {\n    int n;\n    const double *x, *coef;\n} dfl_spline;\n\n");
    for (int number = 0; number <= dfl_tapes_last_spline(tapes, ntapes); number++) {
        const dfl_spline *spline = dfl_tapes_spline(tapes, ntapes, number);
        if (!spline)
            continue;
        write_table(text, "x", number, spline->x, (size_t)spline->n);
        write_table(text, "coef", number, spline->coef, 6 * ((size_t)spline->n + 1));
        dfl_text_add(text,
                     "static const dfl_spline dfl_spline_%d = {%d, dfl_spline_x_%d, "
                     "dfl_spline_coef_%d};\n\n",
                     number, spline->n, number, number);
    }
    dfl_text_add(text,
                 "static double dfl_spline_value(const dfl_spline *spline, int derivative, "
                 "double x)\n"
                 "{\n"
                 "    int low = 0, high = spline->n;\n"
                 "    while (low < high) {\n"
                 "        const int middle = (low + high) / 2;\n"
                 "        if (spline->x[middle] < x)\n"
                 "            low = middle + 1;\n"
                 "        else\n"
                 "            high = middle;\n"
                 "    }\n"
                 "    const double *coef = spline->coef + 6 * low;\n"
                 "    const double t = x - spline->x[low < spline->n ? low : spline->n - 1];\n"
                 "    double sum = 0;\n"
                 "    for (int k = 5; k >= derivative; k--) {\n"
                 "        double factor = 1;\n"
                 "        for (int i = 0; i < derivative; i++)\n"
                 "            factor *= k - i;\n"
                 "        sum = sum * t + factor * coef[k];\n"
                 "    }\n"
                 "    return sum;\n"
                 "}\n\n");
}

static void write_table(dfl_text *text, const char *what, int number, const double *value,
                        size_t count)
{
    dfl_text_add(text, "static const double dfl_spline_%s_%d[] = {", what, number);
    for (size_t i = 0; i < count; i++) {
        dfl_text_add(text, i % 6 ? " " : "\n    ");
        write_number(text, value[i]);
        dfl_text_add(text, ",");
    }
    dfl_text_add(text, "\n};\n");
}

static void write_number(dfl_text *text, double value)
{
    if (isnan(value))
        dfl_text_add(text, "NAN");
    else if (isinf(value))
        dfl_text_add(text, value < 0 ? "(-INFINITY)" : "INFINITY");
    else
        dfl_emit_number(text, value, true);
}
