/* source_internal.h: what the exports of source code share: names, blocks, tapes, templates, and
   the words about them. */
#ifndef DFL_SOURCE_INTERNAL_H
#define DFL_SOURCE_INTERNAL_H

#include "export/export.h"

#include "context/context.h"

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
    DFL_BLOCK_POSES, /* of frames */
    DFL_BLOCK_SPEEDS,
    DFL_BLOCK_COLUMNS,
    DFL_BLOCK_ACCELERATIONS,
    DFL_BLOCK_J_D, /* derivatives, with the shapes of dfl_jacobian */
    DFL_BLOCK_J_ACC,
    DFL_BLOCK_J_VEL,
    DFL_BLOCK_J_GAM,
    DFL_BLOCK_J_POS,
    DFL_BLOCK_J_B,
    DFL_BLOCK_J_DYN,
    DFL_BLOCK_J_KIN,
    DFL_BLOCK_S_D, /* derivatives by parameters and inputs, in the same order */
    DFL_BLOCK_S_ACC,
    DFL_BLOCK_S_VEL,
    DFL_BLOCK_S_GAM,
    DFL_BLOCK_S_POS,
    DFL_BLOCK_S_B,
    DFL_BLOCK_S_DYN,
    DFL_BLOCK_S_KIN,
    DFL_BLOCKS
} dfl_block_id;

/* One block: a vector of expressions or a sparse matrix; rows * cols == 0 means the model has
   none. */
typedef struct dfl_block {
    const char *name;     /* "M", "jacobian_dyn": the end of a function's name */
    const char *variable; /* "M", "J.dyn": what holds the result in Octave */
    const char *meaning;  /* one line */
    int rows, cols;
    const dfl_expr *vector;   /* rows, or NULL */
    const dfl_sparse *matrix; /* or NULL */
} dfl_block;

/* Input arrays of the exported functions; par holds parameters, inputs and levels one after
   another. */
enum { DFL_SOURCE_TIME, DFL_SOURCE_X, DFL_SOURCE_A, DFL_SOURCE_PAR, DFL_SOURCE_ARRAYS };

typedef struct dfl_source {
    const dfl_equations *eq;
    dfl_context *ctx;
    char *name;  /* the model's name as an identifier */
    char *upper; /* the same in capitals */
    int nparams, ninputs, nlevels, noutputs, nevents;
    const dfl_declaration **par; /* nparams + ninputs + nlevels, in the order of the array par */
    const dfl_declaration **output, **event;
    dfl_expr *expr;               /* of outputs, events, energy */
    int *slot;                    /* place in par of inputs, then levels */
    dfl_expr *frames;             /* of frames: poses, velocities, accelerations; or NULL */
    dfl_sparse columns;           /* their Jacobians */
    dfl_equation_jacobian slopes; /* by parameters and inputs */
    dfl_block block[DFL_BLOCKS];
    const char *no_ode; /* why there is no ODE form, or NULL */
    dfl_export_start start;
} dfl_source;

/* Fills *out; call dfl_source_clear also after a failure. `start` must outlive it. */
dfl_status dfl_source_init(dfl_source *out, const dfl_equations *eq, const dfl_export_start *start);
void dfl_source_clear(dfl_source *source);

/* source_motion.c: adds derivatives by parameters, and frames; released by dfl_source_clear. */
dfl_status dfl_source_add_motion(dfl_source *source);
void dfl_source_clear_motion(dfl_source *source);

/* The number of entries of a block; 0 if the model has none. */
static inline size_t dfl_block_size(const dfl_block *block)
{
    return (size_t)block->rows * (size_t)block->cols;
}

/* Whether the function of a block takes the accelerations a: derivatives do, and outputs that
   contain them. */
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

/* The kind of the unknown at a place of x: "position", ... */
const char *dfl_unknown_kind(const dfl_equations *eq, int place);

/* Appends words from outside (units, paths, messages) so that they can end neither a comment nor a
   line. */
void dfl_source_words(dfl_text *text, const char *words);

/* ------------------------------------------------------------------------------- templates */

/* The files of templates/, embedded when Driftless is built. */
extern const char dfl_template_conventions_c[], dfl_template_ode_c[],
    dfl_template_ode_declarations_c[], dfl_template_split_c[], dfl_template_residual_c[],
    dfl_template_residual_declarations_c[], dfl_template_model_help_m[], dfl_template_model_m[],
    dfl_template_rhs_help_m[], dfl_template_rhs_m[], dfl_template_parameters_help_m[],
    dfl_template_initial_help_m[], dfl_template_residual_help_m[], dfl_template_residual_m[];

/* Appends a template. '@' becomes the model's name (but not in "@(", which is a function handle of
   Octave), '$' its name in capitals. Lines between #if CONDITION, #else and #endif are written if
   the model has CONSTRAINTS, HOLONOMIC or NONHOLONOMIC ones, DYNAMIC, AUXILIARY or CONTACT
   variables, velocities (MOVING) or POSITIONS, if velocities are PROJECTED or BAUMGARTE's terms are
   wanted, and if the directions are SPLIT by singular values or by a PARTITION. */
void dfl_source_fill(dfl_text *text, const dfl_source *source, const char *pattern);

/* ------------------------------------------------------------------------------- parts of files */

/* c_tables.c: names, default values, initial values. */
void dfl_c_tables_declare(dfl_text *text, const dfl_source *source);
void dfl_c_tables_define(dfl_text *text, const dfl_source *source);

/* octave_files.c: NAME_model.m: help for everything, and a simulation with ode45. `list` names the
   other files. */
void dfl_octave_main(dfl_text *text, const dfl_source *source, const char *list);
/* NAME_rhs.m: the right-hand side in the chosen form; NAME_residual.m: the implicit one. */
void dfl_octave_rhs(dfl_text *text, const dfl_source *source);
void dfl_octave_residual(dfl_text *text, const dfl_source *source);
/* NAME_parameters.m and NAME_initial.m. */
void dfl_octave_parameters(dfl_text *text, const dfl_source *source);
void dfl_octave_initial(dfl_text *text, const dfl_source *source);
/* The first line of the help of NAME_part: its name in capitals and what it is. */
void dfl_octave_title(dfl_text *text, const dfl_source *source, const char *part,
                      const char *meaning);

#endif
