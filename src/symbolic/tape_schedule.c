/* tape_schedule.c: the order in which a tape computes its operations.

   level(node) = 1 + the largest level of its operands; the operations are sorted by level, then by
   kind, and equal neighbours form a run. Within a run no operation needs another, so the
   interpreter's loops are free of dependencies, and it jumps once per run. Within a run they are
   sorted by role and place (tape_roles.c).

   A sine and a cosine of one argument become one operation with two results (libm computes them
   together in little more than the time of one, with the same bits: test_tape.c). */
#include "symbolic/tape_internal.h"

typedef struct scheduler {
    dfl_tape_builder *b;
    dfl_tape_role part;
    const dfl_tape_roles *roles;
    uint32_t *level; /* per node: from 1; 0 for what is not in the part or not an operation alone */
    uint32_t *cosine; /* per argument: the node of its cosine, or 0 */
    uint32_t levels;  /* the largest level */
} scheduler;

static void find_levels(scheduler *s);
static void find_pairs(scheduler *s);
static dfl_status sort_operations(uint32_t *order, uint32_t count, scheduler *s);
static void sort_step(uint32_t *out, const uint32_t *in, uint32_t count, uint32_t *start,
                      const scheduler *s, uint32_t (*key)(const scheduler *s, uint32_t node));
static uint32_t level_of(const scheduler *s, uint32_t node);
static uint32_t kind_of(const scheduler *s, uint32_t node);
static uint32_t role_of(const scheduler *s, uint32_t node);
static uint32_t place_of(const scheduler *s, uint32_t node);
static dfl_status write_runs(dfl_segment *segment, const scheduler *s, const uint32_t *order,
                             uint32_t count);
static size_t code_length(const scheduler *s, const uint32_t *order, uint32_t count);
static uint32_t run_length(const scheduler *s, const uint32_t *order, uint32_t count);
static uint32_t *write_operands(uint32_t *code, const dfl_tape_builder *b, const dfl_node *node);
static uint32_t spline_in_tape(const dfl_tape *tape, uint32_t number);

dfl_status dfl_tape_schedule(dfl_segment *segment, dfl_tape_builder *b, dfl_tape_role part,
                             const dfl_tape_roles *roles)
{
    dfl_context *ctx = b->tape->ctx;
    dfl_status status = DFL_NO_MEMORY;
    scheduler s = {.b = b, .part = part, .roles = roles};
    uint32_t count = 0;
    uint32_t *order = NULL;
    s.level = dfl_alloc(ctx, b->n, sizeof *s.level);
    s.cosine = dfl_alloc(ctx, b->n, sizeof *s.cosine);
    if (!s.level || !s.cosine)
        goto done;

    find_levels(&s);
    find_pairs(&s);
    for (uint32_t i = 0; i < b->n; i++)
        count += s.level[i] > 0;
    order = dfl_alloc(ctx, count, sizeof *order);
    if (!order)
        goto done;
    status = sort_operations(order, count, &s);
    if (!status)
        status = write_runs(segment, &s, order, count);

done:
    dfl_free(ctx, order);
    dfl_free(ctx, s.cosine);
    dfl_free(ctx, s.level);
    return status;
}

static void find_levels(scheduler *s)
{
    const dfl_tape_builder *b = s->b;
    for (uint32_t i = 0; i < b->n; i++) {
        if (b->part[i] != s->part)
            continue;
        const dfl_node *node = dfl_node_of(b->graph, i);
        const dfl_expr operand[] = {node->a, node->b, node->c};
        const int count = dfl_op_operands((dfl_op)node->op);
        uint32_t below = 0;
        for (int k = 0; k < count; k++)
            if (s->level[operand[k]] > below)
                below = s->level[operand[k]];
        s->level[i] = below + 1;
        if (s->level[i] > s->levels)
            s->levels = s->level[i];
    }
}

/* A cosine whose sine is computed too is not a separate operation. */
static void find_pairs(scheduler *s)
{
    const dfl_tape_builder *b = s->b;
    const dfl_node *nodes = b->graph->nodes;
    for (uint32_t i = 0; i < b->n; i++)
        if (b->part[i] == s->part && nodes[i].op == DFL_OP_COS)
            s->cosine[nodes[i].a] = i;
    for (uint32_t i = 0; i < b->n; i++)
        if (b->part[i] == s->part && nodes[i].op == DFL_OP_SIN && s->cosine[nodes[i].a])
            s->level[s->cosine[nodes[i].a]] = 0;
}

/* One more than the largest key. */
static uint32_t count_keys(const scheduler *s, const uint32_t *order, uint32_t count)
{
    uint32_t most = s->levels > DFL_TAPE_OPS ? s->levels : DFL_TAPE_OPS;
    most = s->roles->count > most ? s->roles->count : most;
    for (uint32_t i = 0; i < count; i++)
        if (s->roles->place[order[i]] > most)
            most = s->roles->place[order[i]];
    return most + 1;
}

/* By level, within a level by kind, then by role, place and number: passes of a stable counting
   sort. */
static dfl_status sort_operations(uint32_t *order, uint32_t count, scheduler *s)
{
    uint32_t (*const key[])(const scheduler *s, uint32_t node) = {place_of, role_of, kind_of,
                                                                  level_of};
    enum { PASSES = sizeof key / sizeof *key };
    _Static_assert(PASSES % 2 == 0, "the last pass writes into `order`");
    dfl_context *ctx = s->b->tape->ctx;
    uint32_t at = 0;
    for (uint32_t i = 0; i < s->b->n; i++)
        if (s->level[i])
            order[at++] = i;
    const uint32_t keys = count_keys(s, order, count);
    uint32_t *start = dfl_alloc(ctx, (size_t)keys + 1, sizeof *start);
    uint32_t *other = dfl_alloc(ctx, count, sizeof *other);
    const dfl_status status = start && other ? DFL_OK : DFL_NO_MEMORY;
    for (int pass = 0; !status && pass < PASSES; pass++) {
        for (uint32_t k = 0; k <= keys; k++)
            start[k] = 0;
        sort_step(pass % 2 ? order : other, pass % 2 ? other : order, count, start, s, key[pass]);
    }
    dfl_free(ctx, other);
    dfl_free(ctx, start);
    return status;
}

/* `start` is zero, with one element more than the largest key + 1. */
static void sort_step(uint32_t *out, const uint32_t *in, uint32_t count, uint32_t *start,
                      const scheduler *s, uint32_t (*key)(const scheduler *s, uint32_t node))
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t k = key(s, in[i]);
        start[k + 1]++;
        if (k > last)
            last = k;
    }
    for (uint32_t k = 1; k <= last; k++)
        start[k] += start[k - 1];
    for (uint32_t i = 0; i < count; i++)
        out[start[key(s, in[i])]++] = in[i];
}

static uint32_t level_of(const scheduler *s, uint32_t node)
{
    return s->level[node];
}

static uint32_t role_of(const scheduler *s, uint32_t node)
{
    return s->roles->role[node];
}

static uint32_t place_of(const scheduler *s, uint32_t node)
{
    return s->roles->place[node];
}

static uint32_t kind_of(const scheduler *s, uint32_t node)
{
    const dfl_node *n = dfl_node_of(s->b->graph, node);
    return n->op == DFL_OP_SIN && s->cosine[n->a] ? (uint32_t)DFL_OP_SINCOS : n->op;
}

static dfl_status write_runs(dfl_segment *segment, const scheduler *s, const uint32_t *order,
                             uint32_t count)
{
    dfl_tape_builder *b = s->b;
    segment->first = b->tape->nregisters;
    segment->length = code_length(s, order, count);
    segment->code = dfl_alloc(b->tape->ctx, segment->length, sizeof *segment->code);
    if (!segment->code)
        return DFL_NO_MEMORY;
    uint32_t *code = segment->code;
    uint32_t length = 0;
    for (uint32_t i = 0; i < count; i += length) {
        const uint32_t kind = kind_of(s, order[i]);
        length = run_length(s, order + i, count - i);
        *code++ = kind | length << DFL_RUN_BITS;
        for (uint32_t k = i; k < i + length; k++) {
            const dfl_node *node = dfl_node_of(b->graph, order[k]);
            code = write_operands(code, b, node);
            b->reg[order[k]] = b->tape->nregisters + k - i;
            if (kind == DFL_OP_SINCOS)
                b->reg[s->cosine[node->a]] = b->tape->nregisters + length + k - i;
        }
        b->tape->nregisters += kind == DFL_OP_SINCOS ? 2 * length : length;
    }
    segment->count = b->tape->nregisters - segment->first;
    return DFL_OK;
}

static size_t code_length(const scheduler *s, const uint32_t *order, uint32_t count)
{
    size_t words = 0;
    uint32_t length = 0;
    for (uint32_t i = 0; i < count; i += length) {
        length = run_length(s, order + i, count - i);
        words += 1 + (size_t)length * dfl_run_words(kind_of(s, order[i]));
    }
    return words;
}

/* How many of the first of `count` operations are alike. */
static uint32_t run_length(const scheduler *s, const uint32_t *order, uint32_t count)
{
    const uint32_t most = UINT32_MAX >> DFL_RUN_BITS;
    uint32_t length = 1;
    while (length < count && length < most && s->level[order[length]] == s->level[order[0]] &&
           kind_of(s, order[length]) == kind_of(s, order[0]))
        length++;
    return length;
}

static uint32_t *write_operands(uint32_t *code, const dfl_tape_builder *b, const dfl_node *node)
{
    const dfl_expr operand[] = {node->a, node->b, node->c};
    const int count = dfl_op_operands((dfl_op)node->op);
    for (int k = 0; k < count; k++)
        *code++ = b->reg[operand[k]];
    if (node->op == DFL_OP_SPLINE) {
        *code++ = spline_in_tape(b->tape, node->b);
        *code++ = node->c;
    }
    return code;
}

static uint32_t spline_in_tape(const dfl_tape *tape, uint32_t number)
{
    uint32_t k = 0;
    while (tape->spline_number[k] != (int)number)
        k++;
    return k;
}
