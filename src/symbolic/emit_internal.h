/* emit_internal.h: a tape as a list of statements, for every language. */
#ifndef DFL_EMIT_INTERNAL_H
#define DFL_EMIT_INTERNAL_H

#include "symbolic/emit.h"
#include "symbolic/tape_internal.h"

/* register = op(a, b, c). Of a spline, b is its number in the graph and c the derivative. Of a
   sine, b is the register of the cosine of the same argument, or 0, and the other way round. */
typedef struct dfl_statement {
    uint32_t op;
    uint32_t a, b, c;
} dfl_statement;

/* An element of an array outside. */
typedef struct dfl_element {
    int array, index;
} dfl_element;

typedef struct dfl_listing {
    const dfl_tape *tape;
    uint32_t first;           /* the first register that has a statement ... */
    dfl_statement *statement; /* ... and the statement of register first + k */
    dfl_element *input;       /* registers 0 .. first_constant - 1 */
    uint32_t *order; /* what is written in this order: registers with a statement, and registers
                                 without one that are outputs */
    uint32_t count;
    dfl_element *output; /* of register r: output_start[r] .. output_start[r + 1] - 1 */
    uint32_t *output_start;
} dfl_listing;

/* Lists the operations of dfl_tape_eval, with `complete` also those of dfl_tape_prepare, depth
   first from the outputs: what is computed is used soon. */
dfl_status dfl_listing_create(dfl_listing *out, const dfl_tape *tape, bool complete);
void dfl_listing_clear(dfl_listing *list);

/* Writes the registers (up to 3) that the statement of `reg` reads, and returns their number. */
int dfl_statement_operands(uint32_t *operand, const dfl_listing *list, uint32_t reg);

static inline bool dfl_has_statement(const dfl_listing *list, uint32_t reg)
{
    return reg >= list->first;
}
static inline bool dfl_is_input(const dfl_listing *list, uint32_t reg)
{
    return reg < list->tape->first_constant;
}
static inline bool dfl_is_number(const dfl_listing *list, uint32_t reg)
{
    const uint32_t first = list->tape->first_constant;
    return reg >= first && reg - first < list->tape->nconstants;
}

/* Writes one register as an operand. */
typedef void (*dfl_operand_fn)(dfl_text *text, const dfl_listing *list, uint32_t reg,
                               const void *user);

/* Writes a statement by its pattern, in which R stands for its own register, A, B, C for the
   operands and N for `name`. */
void dfl_emit_pattern(dfl_text *text, const dfl_listing *list, uint32_t reg, const char *pattern,
                      const char *name, dfl_operand_fn operand, const void *user);

/* Writes the name of a register, tNUMBER: most of a source is this. */
void dfl_emit_register(dfl_text *text, uint32_t reg);

/* Writes a finite number so that its bits survive: short ones as people write them, others with 17
   digits or in hexadecimal; negative ones in brackets. */
void dfl_emit_number(dfl_text *text, double value, bool hexadecimal);

/* Whether one of the tapes has the operation. */
bool dfl_tapes_use(const dfl_tape *const *tapes, int ntapes, uint32_t op);

/* Spline `number` of the graph if one of the tapes uses it, else NULL; the largest number in use,
   or -1. */
const dfl_spline *dfl_tapes_spline(const dfl_tape *const *tapes, int ntapes, int number);
int dfl_tapes_last_spline(const dfl_tape *const *tapes, int ntapes);

#endif
