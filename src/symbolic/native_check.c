/* native_check.c: native code compared with its tape, before it is trusted. */
#include "symbolic/native.h"

#include "context/context.h"
#include "symbolic/tape_internal.h"

#include <math.h>
#include <string.h>

enum { MOST_ARRAYS = 32 };
static const double rounding =
    1e-9; /* of the largest number of an array: a compiler may round otherwise */

static int measure(size_t size[MOST_ARRAYS], const dfl_moves *outputs);
static bool agree(const double *one, const double *other, size_t count);

dfl_status dfl_native_check(bool *agrees, const dfl_native *native, int i, const dfl_tape *tape,
                            const double *work, const double *const *in)
{
    dfl_context *ctx = tape->ctx;
    size_t size[MOST_ARRAYS], all = 0;
    const int narrays = measure(size, &tape->outputs);
    for (int k = 0; k < narrays; k++)
        all += size[k];
    double *copy = dfl_alloc(ctx, dfl_tape_work(tape), sizeof *copy);
    double *numbers = dfl_alloc(ctx, 2 * all, sizeof *numbers);
    const bool memory = copy && numbers;
    double *by_tape[MOST_ARRAYS], *by_code[MOST_ARRAYS];
    size_t start = 0;
    for (int k = 0; memory && k < narrays; start += size[k], k++) {
        by_tape[k] = numbers + start;
        by_code[k] = numbers + all + start;
    }
    *agrees = memory;
    if (memory) {
        memcpy(copy, work, dfl_tape_work(tape) * sizeof *copy);
        dfl_tape_eval(tape, copy, in, by_tape);
        memcpy(copy, work, dfl_tape_work(tape) * sizeof *copy);
        dfl_native_function(native, i)(copy, in, by_code);
        for (int k = 0; k < narrays; k++)
            *agrees = *agrees && agree(by_tape[k], by_code[k], size[k]);
    }
    dfl_free(ctx, numbers);
    dfl_free(ctx, copy);
    return memory ? DFL_OK : DFL_NO_MEMORY;
}

/* The number of output arrays, and how far each is written. */
static int measure(size_t size[MOST_ARRAYS], const dfl_moves *outputs)
{
    int narrays = 0;
    memset(size, 0, MOST_ARRAYS * sizeof *size);
    for (uint32_t i = 0; i < outputs->count; i++) {
        const dfl_move *move = &outputs->move[i];
        const size_t end = (size_t)move->index + move->count;
        size[move->array] = end > size[move->array] ? end : size[move->array];
        narrays = move->array >= narrays ? move->array + 1 : narrays;
    }
    return narrays;
}

static bool agree(const double *one, const double *other, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = isfinite(one[i]) ? fmax(largest, fabs(one[i])) : largest;
    for (size_t i = 0; i < count; i++)
        if (one[i] != other[i] && !(isnan(one[i]) && isnan(other[i])) &&
            !(fabs(one[i] - other[i]) <= rounding * largest))
            return false;
    return true;
}
