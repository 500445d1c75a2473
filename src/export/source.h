/* source.h: what the exports of source code share: names, blocks, tapes, and the words about them. */
#ifndef DFL_SOURCE_H
#define DFL_SOURCE_H

#include "context/text.h"
#include "derive/derive.h"
#include "symbolic/symbolic.h"

/* The blocks of the general form, in the order in which they are written. */
typedef enum dfl_block_id {
    DFL_BLOCK_KIN,
    DFL_BLOCK_M,
    DFL_BLOCK_F,
    DFL_BLOCK_B,
    DFL_BLOCK_D,
    DFL_BLOCK_C,
    DFL_BLOCK_G,
    DFL_BLOCK_EP,
    DFL_BLOCK_GI,
    DFL_BLOCK_HV,
    DFL_BLOCK_E,
    DFL_BLOCK_GAM,
    DFL_BLOCK_W,
    DFL_BLOCK_K0,
    DFL_BLOCK_BIAS,
    DFL_BLOCK_OUTPUTS,
    DFL_BLOCK_EVENTS,
    DFL_BLOCK_ENERGY,
    DFL_BLOCK_J_D, /* derivatives, with the shapes of dfl_jacobian */
    DFL_BLOCK_J_ACC,
    DFL_BLOCK_J_VEL,
    DFL_BLOCK_J_GAM,
    DFL_BLOCK_J_POS,
    DFL_BLOCK_J_B,
    DFL_BLOCK_J_DYN,
    DFL_BLOCK_J_KIN,
    DFL_BLOCKS
} dfl_block_id;

/* One block: a vector of expressions or a sparse matrix; rows * cols == 0 means the model has none. */
typedef struct dfl_block {
    const char *name;    /* "M", "jacobian_dyn" */
    const char *meaning; /* one line */
    int rows, cols;
    const dfl_expr *vector;   /* rows, or NULL */
    const dfl_sparse *matrix; /* or NULL */
} dfl_block;

/* Input arrays of the exported functions; par holds parameters, inputs and levels one after another. */
enum { DFL_SOURCE_TIME, DFL_SOURCE_X, DFL_SOURCE_A, DFL_SOURCE_PAR, DFL_SOURCE_ARRAYS };

typedef struct dfl_source {
    const dfl_equations *eq;
    dfl_context *ctx;
    char *name;  /* the model's name as an identifier */
    char *upper; /* the same in capitals */
    int nparams, ninputs, nlevels, noutputs, nevents;
    const dfl_declaration **par; /* nparams + ninputs + nlevels, in the order of the array par */
    const dfl_declaration **output, **event;
    dfl_expr *expr; /* of outputs, events, energy */
    int *slot;      /* place in par of inputs, then levels */
    dfl_block block[DFL_BLOCKS];
    const char *no_ode;  /* why there is no ODE form, or NULL */
    double *start;       /* n: the initial values, completed where that is possible */
    double start_time;   /* s */
    double *level;       /* nlevels: the invariants there; 0 if the values could not be completed */
    char *start_problem; /* why they could not be completed, or NULL */
} dfl_source;

/* Fills *out; dfl_source_clear also after a failure. Completing the initial values may fail without
   failing the export: then the values of the script are there, and the reason. */
dfl_status dfl_source_init(dfl_source *out, const dfl_equations *eq);
void dfl_source_clear(dfl_source *source);

/* The number of entries of a block; 0 where the model has none. */
static inline size_t dfl_block_size(const dfl_block *block)
{
    return (size_t)block->rows * (size_t)block->cols;
}

/* Whether the function of a block takes the accelerations a: derivatives do, and outputs that contain
   them. */
bool dfl_source_takes_a(const dfl_source *source, dfl_block_id id);

/* A tape that writes the listed blocks, the i-th into output array i. */
dfl_status dfl_source_tape(dfl_tape **out, const dfl_source *source, const dfl_block_id *blocks,
                           int count);

/* The default value of par number i. */
double dfl_source_value(const dfl_source *source, int i);

/* How a language writes the description: the start of a line, and an index from its base. */
typedef struct dfl_comment_style {
    const char *line;  /* "   ", "%   " */
    const char *blank; /* "", "%" */
    char open, close;  /* [ ] or ( ) */
    int base;          /* 0 or 1 */
} dfl_comment_style;

/* Appends the conventions of all exports: unknowns, parameters, equations, signs. */
void dfl_source_describe(dfl_text *text, const dfl_source *source, const dfl_comment_style *style);

/* What stands at a place of x: "position", ... */
const char *dfl_unknown_kind(const dfl_equations *eq, int place);

/* Appends words from outside (units, paths, messages) so that they can neither end a comment nor a line. */
void dfl_source_words(dfl_text *text, const char *words);

/* Appends a template: '@' stands for the model's name (but not in "@(", which is a function handle), '$'
   for its name in capitals. */
void dfl_source_fill(dfl_text *text, const dfl_source *source, const char *pattern);

#endif
