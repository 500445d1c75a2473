/* tape_plan.c: how a tape with many operations of the same role is run (tape_roles.c).

   Where the operands of neighbouring operations of a run are at equal distances, their numbers need
   not be read: such a piece is one loop over arrays. The rest stays a segment. A tape of which less
   than half is regular, or whose pieces are short, has no plan. Bits do not depend on it. */
#include "symbolic/tape_internal.h"

/* Shorter pieces are not worth a loop of their own; shorter ones on average, no plan: to begin a
   piece costs about 40 instructions, and an operation whose operands are read 6. */
enum { SHORTEST = 6, SHORTEST_MEAN = 12 };

/* A plan that is written, or, without `plan`, counted. */
typedef struct writer {
    dfl_tape_plan *plan;
    uint32_t pieces, regular, all; /* of all operations, those that are regular */
    size_t words;
    bool open; /* the last piece is a segment that may go on */
} writer;

static bool is_simple(uint32_t op)
{
    return op == DFL_OP_NEG || op == DFL_OP_SQ || op == DFL_OP_SQRT || op == DFL_OP_ADD ||
           op == DFL_OP_SUB || op == DFL_OP_MUL || op == DFL_OP_DIV;
}

/* How many of `n` operations with `words` operands each have operands at equal distances. */
static uint32_t regular_length(const uint32_t *c, uint32_t words, uint32_t n)
{
    uint32_t length = n < 2 ? n : 2;
    while (length < n) {
        bool goes_on = true;
        for (uint32_t k = 0; k < words; k++)
            goes_on = goes_on &&
                      c[length * words + k] - c[(length - 1) * words + k] == c[words + k] - c[k];
        if (!goes_on)
            break;
        length++;
    }
    return length;
}

static uint32_t pattern_of(const int32_t step[2])
{
    if (step[0] == 1 && step[1] == 1)
        return DFL_NEXT;
    if (step[0] == 0 && step[1] == 1)
        return DFL_SAME_FIRST;
    return step[0] == 1 && step[1] == 0 ? DFL_SAME_SECOND : DFL_STEPS;
}

static void add_regular(writer *w, uint32_t op, const uint32_t *c, uint32_t n, uint32_t reg)
{
    const uint32_t words = dfl_run_words(op);
    if (w->plan) {
        dfl_piece *piece = &w->plan->piece[w->pieces];
        *piece = (dfl_piece){.count = n, .result = reg};
        for (uint32_t k = 0; k < 2; k++) {
            const uint32_t from = k < words ? k : 0;
            piece->operand[k] = c[from];
            piece->step[k] = (int32_t)(c[words + from] - c[from]);
        }
        piece->kind = DFL_PATTERNS * op + pattern_of(piece->step);
    }
    w->pieces++;
    w->regular += n;
    w->open = false;
}

/* `n` operations into the segment that is the last piece. */
static void add_irregular(writer *w, uint32_t op, const uint32_t *c, uint32_t n, uint32_t reg)
{
    const size_t words = 1 + (size_t)n * dfl_run_words(op);
    if (!w->open) {
        if (w->plan)
            w->plan->piece[w->pieces] =
                (dfl_piece){.kind = DFL_PIECE(DFL_OP_SKIP, NEXT),
                            .part = {.code = w->plan->code + w->words, .first = reg}};
        w->pieces++;
        w->open = true;
    }
    if (w->plan) {
        uint32_t *to = w->plan->code + w->words;
        *to++ = op | n << DFL_RUN_BITS;
        for (size_t k = 1; k < words; k++)
            *to++ = *c++;
        w->plan->piece[w->pieces - 1].part.length += words;
    }
    w->words += words;
}

static void add_run(writer *w, uint32_t op, const uint32_t *c, uint32_t n, uint32_t reg)
{
    const uint32_t words = dfl_run_words(op);
    uint32_t done = 0; /* up to there pieces are written */
    for (uint32_t k = 0; is_simple(op) && k < n;) {
        const uint32_t length = regular_length(c + k * words, words, n - k);
        if (length >= SHORTEST) {
            if (k > done)
                add_irregular(w, op, c + done * words, k - done, reg + done);
            add_regular(w, op, c + k * words, length, reg + k);
            done = k + length;
            k = done;
        } else { /* the last one may begin something regular */
            k += length > 1 ? length - 1 : 1;
        }
    }
    if (done < n)
        add_irregular(w, op, c + done * words, n - done, reg + done);
}

static void write_pieces(writer *w, const dfl_segment *segment)
{
    uint32_t reg = segment->first;
    for (const uint32_t *c = segment->code, *end = c + segment->length; c < end;) {
        const uint32_t op = dfl_run_op(*c), n = dfl_run_count(*c++);
        if (op == DFL_OP_SKIP)
            w->open = false;
        else
            add_run(w, op, c, n, reg);
        w->all += op == DFL_OP_SKIP ? 0 : n;
        c += (size_t)n * dfl_run_words(op);
        reg += op == DFL_OP_SINCOS ? 2 * n : n;
    }
}

/* Elements that are moved, one by one. */
typedef struct element {
    int array, index;
    uint32_t reg;
} element;

/* By register, in the order in which they are moved. */
static void sort_elements(element *out, uint32_t *start, const dfl_tape *tape)
{
    const dfl_moves *moves = &tape->outputs;
    for (const dfl_move *m = moves->move; m < moves->move + moves->count; m++)
        for (uint32_t i = 0; i < m->count; i++)
            start[m->reg + i + 1]++;
    for (uint32_t k = 0; k < tape->nregisters; k++)
        start[k + 1] += start[k];
    for (const dfl_move *m = moves->move; m < moves->move + moves->count; m++)
        for (uint32_t i = 0; i < m->count; i++)
            out[start[m->reg + i]++] =
                (element){.array = m->array, .index = m->index + (int)i, .reg = m->reg + i};
}

/* Outputs of one register one after the other if they are many, otherwise in turns: the first ones
   of all registers, then the second ones: those of operations of one role are at equal distances.
 */
static void sort_by_turns(element *out, const element *in, uint32_t n)
{
    enum { TURNS = 8 };
    uint32_t at = 0;
    for (uint32_t turn = 0; turn < TURNS; turn++)
        for (uint32_t first = 0, next; first < n; first = next) {
            for (next = first + 1; next < n && in[next].reg == in[first].reg;)
                next++;
            if (next - first <= TURNS && first + turn < next)
                out[at++] = in[first + turn];
            for (uint32_t k = first; turn == 0 && next - first > TURNS && k < next; k++)
                out[at++] = in[k];
        }
}

/* How many of n elements are at equal distances, which are not 0. */
static uint32_t steady_length(const element *e, uint32_t n)
{
    uint32_t length = 1;
    if (n > 1 && e[1].index == e[0].index)
        return 1;
    while (length < n && e[length].array == e[0].array &&
           e[length].reg - e[length - 1].reg == e[1].reg - e[0].reg &&
           e[length].index - e[length - 1].index == e[1].index - e[0].index)
        length++;
    return length;
}

static dfl_status write_outputs(dfl_tape_plan *plan, const dfl_tape *tape)
{
    dfl_context *ctx = tape->ctx;
    uint32_t count = 0;
    for (uint32_t i = 0; i < tape->outputs.count; i++)
        count += tape->outputs.move[i].count;
    element *all = dfl_alloc(ctx, 2 * (size_t)count + 1, sizeof *all);
    uint32_t *start = dfl_alloc(ctx, (size_t)tape->nregisters + 2, sizeof *start);
    if (all && start) {
        sort_elements(all + count, start, tape);
        sort_by_turns(all, all + count, count);
        for (uint32_t k = 0; k < count; k += steady_length(all + k, count - k))
            plan->noutputs++;
        plan->output = dfl_alloc(ctx, (size_t)plan->noutputs + 1, sizeof *plan->output);
    }
    uint32_t at = 0;
    for (uint32_t k = 0, length; plan->output && k < count; k += length) {
        const element *e = all + k;
        length = steady_length(e, count - k);
        plan->output[at++] = (dfl_steps){.array = e->array,
                                         .index = e->index,
                                         .reg = e->reg,
                                         .count = length,
                                         .index_step = length > 1 ? e[1].index - e->index : 1,
                                         .reg_step = length > 1 ? (int)(e[1].reg - e->reg) : 0};
    }
    dfl_free(ctx, all);
    dfl_free(ctx, start);
    return plan->output ? DFL_OK : DFL_NO_MEMORY;
}

dfl_status dfl_tape_plan_create(dfl_tape *tape)
{
    dfl_context *ctx = tape->ctx;
    writer count = {0};
    write_pieces(&count, &tape->eval);
    if (count.regular == 0 || 2 * count.regular < count.all ||
        count.regular < SHORTEST_MEAN * count.pieces)
        return DFL_OK;
    dfl_tape_plan *plan = tape->plan = dfl_alloc(ctx, 1, sizeof *plan);
    if (!plan)
        return DFL_NO_MEMORY;
    plan->npieces = count.pieces;
    plan->piece = dfl_alloc(ctx, count.pieces, sizeof *plan->piece);
    plan->code = dfl_alloc(ctx, count.words + 1, sizeof *plan->code);
    if (!plan->piece || !plan->code)
        return DFL_NO_MEMORY;
    writer w = {.plan = plan};
    write_pieces(&w, &tape->eval);
    plan->eval = dfl_tape_plan_eval;
    return write_outputs(plan, tape);
}

void dfl_tape_plan_free(dfl_tape_plan *plan, dfl_context *ctx)
{
    if (!plan)
        return;
    dfl_free(ctx, plan->piece);
    dfl_free(ctx, plan->code);
    dfl_free(ctx, plan->output);
    dfl_free(ctx, plan);
}
