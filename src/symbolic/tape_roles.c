/* tape_roles.c: which operations of a tape are the same operation of different bodies.

   Models with many bodies are written by loops, so that their expressions repeat. The role of an
   input is what it stands for, together with its name without the first number in it ("x" of x17,
   "b.x" of b17.x), and its place is its number among the inputs of this role. Operations have the
   same role if they do the same with operands of the same roles at the same distance of places; the
   place of an operation is that of its first operand. Where several operations would have one role
   and one place, such as products with different constants, they take turns: the second ones have
   another role. Constants and what depends on settings alone have role 0. Operations of one role
   next to each other, by place, mostly read operands next to each other (tape_plan.c). Nothing but
   speed depends on roles. */
#include "symbolic/tape_internal.h"

#include <ctype.h>

typedef struct role_table {
    const dfl_tape_builder *b;
    dfl_tape_roles *roles;
    uint32_t *slot; /* a node of the role + 1, 0 where empty */
    uint32_t size;  /* a power of 2 */
    uint32_t *last; /* of each role: the last place + 1 */
    uint8_t *turn;  /* of each role */
} role_table;

/* Operations of one role and place beyond so many are not told apart. */
enum { TURNS = 4 };

static uint32_t mixed(uint32_t hash, uint32_t word)
{
    hash ^= word + 0x9e3779b9u + (hash << 6) + (hash >> 2);
    return hash * 0x85ebca6bu ^ hash >> 13;
}

static const dfl_symbol *symbol_of(const dfl_tape_builder *b, uint32_t node)
{
    return &b->graph->symbols[dfl_node_of(b->graph, node)->a];
}

/* Behind the digits at `name`. */
static const char *behind_number(const char *name)
{
    while (isdigit((unsigned char)*name))
        name++;
    return name;
}

static uint32_t hash_of_symbol(const dfl_symbol *symbol)
{
    uint32_t hash = mixed(1, (uint32_t)symbol->kind);
    bool passed = false;
    for (const char *c = symbol->name; *c; c++) {
        if (!passed && isdigit((unsigned char)*c)) {
            passed = true;
            c = behind_number(c) - 1;
            continue;
        }
        hash = mixed(hash, (unsigned char)*c);
    }
    return hash;
}

static bool same_symbols(const dfl_symbol *a, const dfl_symbol *b)
{
    const char *x = a->name, *y = b->name;
    while (*x && *x == *y && !isdigit((unsigned char)*x))
        x++, y++;
    x = behind_number(x), y = behind_number(y);
    while (*x && *x == *y)
        x++, y++;
    return a->kind == b->kind && *x == *y;
}

/* The distance of the places of two operands; 0 if one of them has none. */
static uint32_t distance(const dfl_tape_roles *roles, uint32_t a, uint32_t b)
{
    return roles->role[a] && roles->role[b] ? roles->place[b] - roles->place[a] : 0;
}

/* What operations of one role have in common; words that are not operands (of splines) as they are.
 */
enum { WORDS = 7, TURN = 6 };
typedef struct signature {
    uint32_t word[WORDS];
} signature;

static signature signature_of(const role_table *table, uint32_t i)
{
    const dfl_node *node = dfl_node_of(table->b->graph, i);
    const dfl_tape_roles *roles = table->roles;
    const dfl_expr operand[] = {node->a, node->b, node->c};
    const int count = dfl_op_operands((dfl_op)node->op);
    signature s = {{node->op}};
    for (int k = 0; k < 3; k++)
        s.word[1 + k] = k < count ? roles->role[operand[k]] : operand[k];
    for (int k = 1; k < count; k++)
        s.word[3 + k] = distance(roles, operand[0], operand[k]);
    return s;
}

static uint32_t hash_of(const signature *s)
{
    uint32_t hash = 0;
    for (int k = 0; k < WORDS; k++)
        hash = mixed(hash, s->word[k]);
    return hash;
}

static bool is_symbol(const role_table *table, uint32_t i)
{
    return dfl_node_of(table->b->graph, i)->op == DFL_OP_SYMBOL;
}

static bool has_signature(const role_table *table, uint32_t i, const signature *s)
{
    const dfl_node *node = dfl_node_of(table->b->graph, i);
    if (node->op != s->word[0])
        return false;
    const signature own = signature_of(table, i);
    bool equal = table->turn[table->roles->role[i]] == s->word[TURN];
    for (int k = 1; k < TURN; k++)
        equal = equal && own.word[k] == s->word[k];
    return equal;
}

/* The role in a place of the table: that of the node there, or a new one of node i. */
static uint32_t role_at(role_table *table, uint32_t at, uint32_t i)
{
    if (table->slot[at])
        return table->roles->role[table->slot[at] - 1];
    table->slot[at] = i + 1;
    return ++table->roles->count;
}

static uint32_t role_of_input(role_table *table, uint32_t i)
{
    const dfl_symbol *symbol = symbol_of(table->b, i);
    uint32_t at = hash_of_symbol(symbol) & (table->size - 1);
    while (table->slot[at] && !(is_symbol(table, table->slot[at] - 1) &&
                                same_symbols(symbol, symbol_of(table->b, table->slot[at] - 1))))
        at = (at + 1) & (table->size - 1);
    return role_at(table, at, i);
}

static uint32_t role_with(role_table *table, uint32_t i, const signature *s)
{
    uint32_t at = hash_of(s) & (table->size - 1);
    while (table->slot[at] && !has_signature(table, table->slot[at] - 1, s))
        at = (at + 1) & (table->size - 1);
    return role_at(table, at, i);
}

/* The first turn in which the role has no later place yet. */
static uint32_t role_of_operation(role_table *table, uint32_t i)
{
    signature s = signature_of(table, i);
    const uint32_t place = table->roles->place[i];
    uint32_t role = role_with(table, i, &s);
    while (table->last[role] > place && s.word[TURN] + 1 < TURNS) {
        s.word[TURN]++;
        role = role_with(table, i, &s);
    }
    table->turn[role] = (uint8_t)s.word[TURN];
    table->last[role] = place + 1;
    return role;
}

static void find_inputs(role_table *table, uint32_t *input, uint32_t first, uint32_t *used)
{
    const dfl_tape_builder *b = table->b;
    dfl_tape_roles *roles = table->roles;
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->n; i++)
        if (b->part[i] == DFL_ROLE_INPUT) {
            input[b->reg[i] - first] = i;
            count++;
        }
    for (uint32_t k = 0; k < count; k++) {
        roles->role[input[k]] = role_of_input(table, input[k]);
        roles->place[input[k]] = used[roles->role[input[k]]]++;
    }
}

static void find_operations(role_table *table)
{
    const dfl_tape_builder *b = table->b;
    dfl_tape_roles *roles = table->roles;
    for (uint32_t i = 0; i < b->n; i++) {
        if (b->part[i] != DFL_ROLE_EVAL)
            continue;
        const dfl_node *node = dfl_node_of(b->graph, i);
        const dfl_expr operand[] = {node->a, node->b, node->c};
        const int count = dfl_op_operands((dfl_op)node->op);
        for (int k = count - 1; k >= 0; k--)
            if (roles->role[operand[k]])
                roles->place[i] = roles->place[operand[k]];
        roles->role[i] = role_of_operation(table, i);
    }
}

dfl_status dfl_tape_find_roles(dfl_tape_roles *roles, const dfl_tape_builder *b,
                               uint32_t first_input)
{
    dfl_context *ctx = b->tape->ctx;
    role_table table = {.b = b, .roles = roles, .size = 16};
    uint32_t inputs = 0, count = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        inputs += b->part[i] == DFL_ROLE_INPUT;
        count += b->part[i] == DFL_ROLE_INPUT || b->part[i] == DFL_ROLE_EVAL;
    }
    while (table.size < 2 * count)
        table.size *= 2;
    table.slot = dfl_alloc(ctx, table.size, sizeof *table.slot);
    uint32_t *input = dfl_alloc(ctx, (size_t)inputs + 1, sizeof *input);
    uint32_t *used = dfl_alloc(ctx, (size_t)inputs + 2, sizeof *used);
    table.last = dfl_alloc(ctx, (size_t)count + 2, sizeof *table.last);
    table.turn = dfl_alloc(ctx, (size_t)count + 2, sizeof *table.turn);
    roles->role = dfl_alloc(ctx, (size_t)b->n + 1, sizeof *roles->role);
    roles->place = dfl_alloc(ctx, (size_t)b->n + 1, sizeof *roles->place);
    const bool room =
        table.slot && table.last && table.turn && input && used && roles->role && roles->place;
    if (room) {
        find_inputs(&table, input, first_input, used);
        find_operations(&table);
    }
    dfl_free(ctx, table.slot);
    dfl_free(ctx, table.last);
    dfl_free(ctx, table.turn);
    dfl_free(ctx, input);
    dfl_free(ctx, used);
    return room ? DFL_OK : DFL_NO_MEMORY;
}
