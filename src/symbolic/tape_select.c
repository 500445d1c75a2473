/* tape_select.c: a part of a tape: the operations that some of its output arrays need.

   The part has the registers of the whole, so both share one work array, and what is prepared for
   the whole serves the part. Operations that are not needed are skipped. */
#include "symbolic/tape_internal.h"

#include <string.h>

/* Gaps of at most this number of operations are computed: that is cheaper than another run. */
enum { SHORT_GAP = 3 };

/* A run of the whole. */
typedef struct tape_run {
    const uint32_t *operands;
    uint32_t op, count, first; /* first: its first register */
} tape_run;

static dfl_status select_outputs(dfl_tape *part, const dfl_tape *tape, unsigned arrays,
                                 uint8_t *needed);
static dfl_status fit(dfl_tape *part);
static uint32_t list_runs(tape_run *runs, const dfl_segment *segment);
static void mark_operands(uint8_t *needed, const tape_run *run);
static bool is_needed(const uint8_t *needed, const tape_run *run, uint32_t k);
static void write_run(dfl_segment *to, const uint8_t *needed, const tape_run *run);
static void write_word(dfl_segment *to, uint32_t op, uint32_t count);

dfl_status dfl_tape_select(dfl_tape **out, const dfl_tape *tape, unsigned arrays)
{
    dfl_context *ctx = tape->ctx;
    const size_t words = 3 * tape->eval.length + 1; /* a skip and a word before each operation */
    dfl_tape *part = dfl_alloc(ctx, 1, sizeof *part);
    uint8_t *needed = dfl_alloc(ctx, tape->nregisters, sizeof *needed);
    tape_run *runs = dfl_alloc(ctx, tape->eval.length, sizeof *runs);
    dfl_status status = part && needed && runs ? DFL_OK : DFL_NO_MEMORY;
    *out = NULL;
    if (part) {
        *part = *tape;
        part->whole = tape;
        part->plan = NULL;
        part->outputs = (dfl_moves){NULL, 0};
        part->eval = (dfl_segment){.first = tape->eval.first};
        part->eval.code = dfl_alloc(ctx, words, sizeof *part->eval.code);
    }
    if (!status)
        status = part->eval.code ? select_outputs(part, tape, arrays, needed) : DFL_NO_MEMORY;
    if (!status) {
        const uint32_t count = list_runs(runs, &tape->eval);
        for (uint32_t i = count; i-- > 0;)
            mark_operands(needed, &runs[i]);
        for (uint32_t i = 0; i < count; i++)
            write_run(&part->eval, needed, &runs[i]);
        status = fit(part);
    }
    if (!status)
        status = dfl_tape_plan_create(part);
    if (status)
        dfl_tape_free(part);
    else
        *out = part;
    dfl_free(ctx, needed);
    dfl_free(ctx, runs);
    return status;
}

/* Code and moves of their own lengths, in place of arrays that have room for the whole tape. */
static dfl_status fit(dfl_tape *part)
{
    dfl_segment *eval = &part->eval;
    dfl_moves *outputs = &part->outputs;
    uint32_t *code = dfl_alloc(part->ctx, eval->length + 1, sizeof *code), *long_code = eval->code;
    dfl_move *move = dfl_alloc(part->ctx, (size_t)outputs->count + 1, sizeof *move);
    dfl_move *all_moves = outputs->move;
    if (!code || !move) {
        dfl_free(part->ctx, code);
        dfl_free(part->ctx, move);
        return DFL_NO_MEMORY;
    }
    memcpy(code, long_code, eval->length * sizeof *code);
    memcpy(move, all_moves, outputs->count * sizeof *move);
    eval->code = code;
    outputs->move = move;
    dfl_free(part->ctx, long_code);
    dfl_free(part->ctx, all_moves);
    return DFL_OK;
}

/* The moves into the wanted arrays; their registers are needed. */
static dfl_status select_outputs(dfl_tape *part, const dfl_tape *tape, unsigned arrays,
                                 uint8_t *needed)
{
    const dfl_moves *all = &tape->outputs;
    dfl_moves *to = &part->outputs;
    to->move = dfl_alloc(tape->ctx, all->count, sizeof *to->move);
    if (!to->move)
        return DFL_NO_MEMORY;
    for (uint32_t i = 0; i < all->count; i++)
        if (arrays >> all->move[i].array & 1U) {
            to->move[to->count++] = all->move[i];
            memset(needed + all->move[i].reg, 1, all->move[i].count);
        }
    return DFL_OK;
}

static uint32_t results_of(const tape_run *run)
{
    return run->op == DFL_OP_SINCOS ? 2 * run->count : run->count;
}

static uint32_t list_runs(tape_run *runs, const dfl_segment *segment)
{
    const uint32_t *c = segment->code, *const end = c + segment->length;
    uint32_t count = 0, first = segment->first;
    while (c < end) {
        const tape_run run = {c + 1, dfl_run_op(*c), dfl_run_count(*c), first};
        c += 1 + (size_t)run.count * dfl_run_words(run.op);
        first += results_of(&run);
        runs[count++] = run;
    }
    return count;
}

static bool is_needed(const uint8_t *needed, const tape_run *run, uint32_t k)
{
    return needed[run->first + k];
}

/* Sines and cosines stay together: a run of them is needed as a whole. */
static void complete_pairs(uint8_t *needed, const tape_run *run)
{
    if (run->op == DFL_OP_SINCOS && memchr(needed + run->first, 1, results_of(run)))
        memset(needed + run->first, 1, results_of(run));
}

static void mark_operands(uint8_t *needed, const tape_run *run)
{
    const uint32_t words = dfl_run_words(run->op);
    const uint32_t registers = run->op == DFL_OP_SPLINE ? 1 : words;
    complete_pairs(needed, run);
    for (uint32_t k = 0; k < run->count; k++)
        for (uint32_t i = 0; i < registers && is_needed(needed, run, k); i++)
            needed[run->operands[k * words + i]] = 1;
}

/* Needed operations as runs, the rest as skips. */
static void write_run(dfl_segment *to, const uint8_t *needed, const tape_run *run)
{
    const uint32_t words = dfl_run_words(run->op);
    uint32_t k = 0;
    while (k < run->count) {
        uint32_t begin = k;
        while (begin < run->count && !is_needed(needed, run, begin))
            begin++;
        uint32_t end = begin; /* after the last needed one before a long gap */
        for (uint32_t i = begin; i < run->count && i < end + SHORT_GAP + 1; i++)
            if (is_needed(needed, run, i))
                end = i + 1;
        if (begin > k)
            write_word(to, DFL_OP_SKIP,
                       begin == run->count && k == 0 ? results_of(run) : begin - k);
        if (end > begin) {
            write_word(to, run->op, end - begin);
            memcpy(to->code + to->length, run->operands + (size_t)begin * words,
                   (size_t)(end - begin) * words * sizeof *to->code);
            to->length += (size_t)(end - begin) * words;
            to->count += end - begin;
        }
        k = end > begin ? end : run->count;
    }
}

static void write_word(dfl_segment *to, uint32_t op, uint32_t count)
{
    to->code[to->length++] = count << DFL_RUN_BITS | op;
}
