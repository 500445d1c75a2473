/* emit.c: a tape as a list of statements in the order in which they are written. */
#include "symbolic/emit_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dfl_status allocate(dfl_listing *list, uint32_t noutputs);
static void list_inputs(dfl_listing *list, const dfl_moves *moves);
static void list_segment(dfl_listing *list, const dfl_segment *segment);
static void list_run(dfl_listing *list, const dfl_tape *tape, uint32_t op, uint32_t n,
                     const uint32_t *c, uint32_t reg);
static uint32_t count_outputs(const dfl_tape *tape);
static void list_outputs(dfl_listing *list);
static dfl_status choose_order(dfl_listing *list);
static void place_below(dfl_listing *list, uint32_t root, uint32_t *stack, bool *placed);
static void place(dfl_listing *list, uint32_t reg, bool *placed);
static uint32_t missing_operand(const dfl_listing *list, uint32_t reg, const bool *placed);

dfl_status dfl_listing_create(dfl_listing *out, const dfl_tape *tape, bool complete)
{
    *out = (dfl_listing){.tape = tape};
    out->first = complete ? tape->prepare.first : tape->eval.first;
    dfl_status status = allocate(out, count_outputs(tape));
    if (status)
        goto fail;
    list_inputs(out, &tape->settings);
    list_inputs(out, &tape->inputs);
    if (complete)
        list_segment(out, &tape->prepare);
    list_segment(out, &tape->eval);
    list_outputs(out);
    status = choose_order(out);
    if (!status)
        return DFL_OK;
fail:
    dfl_listing_clear(out);
    return status;
}

void dfl_listing_clear(dfl_listing *list)
{
    dfl_context *ctx = list->tape->ctx;
    dfl_free(ctx, list->statement);
    dfl_free(ctx, list->input);
    dfl_free(ctx, list->order);
    dfl_free(ctx, list->output);
    dfl_free(ctx, list->output_start);
    *list = (dfl_listing){.tape = list->tape};
}

int dfl_statement_operands(uint32_t *operand, const dfl_listing *list, uint32_t reg)
{
    if (!dfl_has_statement(list, reg))
        return 0;
    const dfl_statement *s = &list->statement[reg - list->first];
    operand[0] = s->a;
    operand[1] = s->b;
    operand[2] = s->c;
    return dfl_op_operands((dfl_op)s->op);
}

void dfl_emit_pattern(dfl_text *text, const dfl_listing *list, uint32_t reg, const char *pattern,
                      const char *name, dfl_operand_fn operand, const void *user)
{
    const dfl_statement *s = &list->statement[reg - list->first];
    const bool spline = s->op == DFL_OP_SPLINE;
    while (*pattern) {
        const size_t plain = strcspn(pattern, "RABCN");
        dfl_text_bytes(text, pattern, plain);
        pattern += plain;
        if (!*pattern)
            return;
        if (*pattern == 'R')
            operand(text, list, reg, user);
        else if (*pattern == 'A')
            operand(text, list, s->a, user);
        else if (*pattern == 'N')
            dfl_text_add(text, "%s", name);
        else if (spline)
            dfl_text_add(text, "%u", *pattern == 'B' ? s->b : s->c);
        else
            operand(text, list, *pattern == 'B' ? s->b : s->c, user);
        pattern++;
    }
}

void dfl_emit_register(dfl_text *text, uint32_t reg)
{
    char name[16], *start = name + sizeof name;
    do
        *--start = (char)('0' + reg % 10);
    while (reg /= 10);
    *--start = 't';
    dfl_text_bytes(text, start, (size_t)(name + sizeof name - start));
}

void dfl_emit_number(dfl_text *text, double value, bool hexadecimal)
{
    char digits[64];
    snprintf(digits, sizeof digits, "%.15g", value);
    if (strtod(digits, NULL) != value)
        snprintf(digits, sizeof digits, hexadecimal ? "%a" : "%.17g", value);
    /* whatever the locale has for a decimal point */
    char *point = digits + strspn(digits, "+-0123456789abcdefxp");
    if (*point)
        *point = '.';
    else if (!strpbrk(digits, "xe"))
        strcat(digits, ".0");
    dfl_text_add(text, signbit(value) ? "(%s)" : "%s", digits);
}

bool dfl_tapes_use(const dfl_tape *const *tapes, int ntapes, uint32_t op)
{
    for (int i = 0; i < ntapes; i++) {
        const dfl_segment *segments[] = {&tapes[i]->prepare, &tapes[i]->eval};
        for (int k = 0; k < 2; k++) {
            const uint32_t *c = segments[k]->code, *const end = c + segments[k]->length;
            for (; c < end; c += 1 + (size_t)dfl_run_count(*c) * dfl_run_words(dfl_run_op(*c)))
                if (dfl_run_op(*c) == op)
                    return true;
        }
    }
    return false;
}

const dfl_spline *dfl_tapes_spline(const dfl_tape *const *tapes, int ntapes, int number)
{
    for (int i = 0; i < ntapes; i++)
        for (int k = 0; k < tapes[i]->nsplines; k++)
            if (tapes[i]->spline_number[k] == number)
                return &tapes[i]->splines[k];
    return NULL;
}

int dfl_tapes_last_spline(const dfl_tape *const *tapes, int ntapes)
{
    int last = -1;
    for (int i = 0; i < ntapes; i++)
        for (int k = 0; k < tapes[i]->nsplines; k++)
            if (tapes[i]->spline_number[k] > last)
                last = tapes[i]->spline_number[k];
    return last;
}

static dfl_status allocate(dfl_listing *list, uint32_t noutputs)
{
    const dfl_tape *tape = list->tape;
    dfl_context *ctx = tape->ctx;
    const size_t n = tape->nregisters;
    list->statement = dfl_alloc(ctx, n - list->first, sizeof *list->statement);
    list->input = dfl_alloc(ctx, tape->first_constant, sizeof *list->input);
    list->order = dfl_alloc(ctx, n, sizeof *list->order);
    list->output = dfl_alloc(ctx, noutputs, sizeof *list->output);
    list->output_start = dfl_alloc(ctx, n + 2, sizeof *list->output_start);
    const bool have = list->statement && list->input && list->order && list->output;
    return have && list->output_start ? DFL_OK : DFL_NO_MEMORY;
}

static uint32_t count_outputs(const dfl_tape *tape)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < tape->outputs.count; i++)
        count += tape->outputs.move[i].count;
    return count;
}

static void list_inputs(dfl_listing *list, const dfl_moves *moves)
{
    for (uint32_t i = 0; i < moves->count; i++)
        for (uint32_t k = 0; k < moves->move[i].count; k++)
            list->input[moves->move[i].reg + k] =
                (dfl_element){moves->move[i].array, moves->move[i].index + (int)k};
}

static void list_segment(dfl_listing *list, const dfl_segment *segment)
{
    const uint32_t *c = segment->code, *const end = c + segment->length;
    uint32_t reg = segment->first;
    while (c < end) {
        const uint32_t op = dfl_run_op(*c), n = dfl_run_count(*c);
        c++;
        list_run(list, list->tape, op, n, c, reg);
        c += (size_t)n * dfl_run_words(op);
        reg += op == DFL_OP_SINCOS ? 2 * n : n;
    }
}

static void list_run(dfl_listing *list, const dfl_tape *tape, uint32_t op, uint32_t n,
                     const uint32_t *c, uint32_t reg)
{
    const uint32_t words = dfl_run_words(op);
    dfl_statement *s = list->statement + (reg - list->first);
    for (uint32_t k = 0; k < n; k++, c += words) {
        s[k] = (dfl_statement){.op = op, .a = c[0]};
        if (words > 1)
            s[k].b = c[1];
        if (words > 2)
            s[k].c = c[2];
        if (op == DFL_OP_SPLINE)
            s[k].b = (uint32_t)tape->spline_number[c[1]];
        if (op == DFL_OP_SINCOS) {
            s[k] = (dfl_statement){.op = DFL_OP_SIN, .a = c[0], .b = reg + n + k};
            s[n + k] = (dfl_statement){.op = DFL_OP_COS, .a = c[0], .b = reg + k};
        }
    }
}

/* Sorts the outputs by register: counts, sums, fills. */
static void list_outputs(dfl_listing *list)
{
    const dfl_moves *outputs = &list->tape->outputs;
    uint32_t *start = list->output_start; /* shifted by one until everything is filled in */
    for (uint32_t i = 0; i < outputs->count; i++)
        for (uint32_t k = 0; k < outputs->move[i].count; k++)
            start[outputs->move[i].reg + k + 2]++;
    for (uint32_t r = 2; r < list->tape->nregisters + 2; r++)
        start[r] += start[r - 1];
    for (uint32_t i = 0; i < outputs->count; i++)
        for (uint32_t k = 0; k < outputs->move[i].count; k++)
            list->output[start[outputs->move[i].reg + k + 1]++] =
                (dfl_element){outputs->move[i].array, outputs->move[i].index + (int)k};
}

static dfl_status choose_order(dfl_listing *list)
{
    dfl_context *ctx = list->tape->ctx;
    const dfl_moves *outputs = &list->tape->outputs;
    uint32_t *stack = dfl_alloc(ctx, list->tape->nregisters, sizeof *stack);
    bool *placed = dfl_alloc(ctx, list->tape->nregisters, sizeof *placed);
    const dfl_status status = stack && placed ? DFL_OK : DFL_NO_MEMORY;
    for (uint32_t i = 0; i < outputs->count && !status; i++)
        for (uint32_t k = 0; k < outputs->move[i].count; k++)
            place_below(list, outputs->move[i].reg + k, stack, placed);
    dfl_free(ctx, placed);
    dfl_free(ctx, stack);
    return status;
}

/* Places `root` after everything it needs; the stack is the path from the root. */
static void place_below(dfl_listing *list, uint32_t root, uint32_t *stack, bool *placed)
{
    uint32_t depth = 0;
    if (!placed[root])
        stack[depth++] = root;
    while (depth > 0) {
        const uint32_t reg = stack[depth - 1];
        const uint32_t missing = missing_operand(list, reg, placed);
        if (missing != reg) {
            stack[depth++] = missing;
            continue;
        }
        depth--;
        place(list, reg, placed);
    }
}

/* A sine and a cosine of one argument are next to each other, so that a compiler sees both. */
static void place(dfl_listing *list, uint32_t reg, bool *placed)
{
    list->order[list->count++] = reg;
    placed[reg] = true;
    if (!dfl_has_statement(list, reg))
        return;
    const dfl_statement *s = &list->statement[reg - list->first];
    if ((s->op == DFL_OP_SIN || s->op == DFL_OP_COS) && s->b && !placed[s->b]) {
        list->order[list->count++] = s->b;
        placed[s->b] = true;
    }
}

/* The first operand that has a statement and no place yet, or `reg` itself if there is none. */
static uint32_t missing_operand(const dfl_listing *list, uint32_t reg, const bool *placed)
{
    uint32_t operand[3];
    const int count = dfl_statement_operands(operand, list, reg);
    for (int k = 0; k < count; k++)
        if (dfl_has_statement(list, operand[k]) && !placed[operand[k]])
            return operand[k];
    return reg;
}
