/* tape_data.h: tapes as plain tables, for models that travel as C (engine/carried_source.c writes
   them, carry reads them). The numbers are those of tape_internal.h. */
#ifndef DFL_TAPE_DATA_H
#define DFL_TAPE_DATA_H

#include <driftless/context.h>

#include <stddef.h>
#include <stdint.h>

/* A piecewise polynomial, as dfl_spline. */
typedef struct dfl_table_data {
    int n;
    const double *x, *coef; /* n; 6 (n + 1) */
    int smoothness, end_smoothness;
} dfl_table_data;

/* `count` registers from `reg` on are elements of an array, from `index` on. */
typedef struct dfl_move_data {
    int array, index;
    uint32_t reg, count;
} dfl_move_data;

typedef struct dfl_moves_data {
    const dfl_move_data *move;
    uint32_t count;
} dfl_moves_data;

typedef struct dfl_segment_data {
    const uint32_t *code;
    size_t length;
    uint32_t first, count;
} dfl_segment_data;

typedef struct dfl_tape_data {
    uint32_t nregisters, nconstants, first_constant;
    const double *constants;
    dfl_moves_data settings, inputs, outputs;
    dfl_segment_data prepare;
    dfl_segment_data eval; /* empty if only compiled code evaluates it */
    const int *tables;     /* ntables numbers of tables of the model */
    int ntables;
} dfl_tape_data;

#endif
