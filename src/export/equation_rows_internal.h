/* equation_rows_internal.h: the equations for people as a list of rows, and how one is laid out in
   lines. */
#ifndef DFL_EQUATION_ROWS_INTERNAL_H
#define DFL_EQUATION_ROWS_INTERNAL_H

#include "context/context.h"
#include "derive/derive.h"
#include "symbolic/symbolic.h"

/* Sections in the order in which they are written. */
typedef enum dfl_section {
    DFL_SECTION_NAMES, /* abbreviations z1, z2, ... */
    DFL_SECTION_KIN,
    DFL_SECTION_MOTION, /* M a = f - W^T (lambda, mu), row by row */
    DFL_SECTION_B,
    DFL_SECTION_D,
    DFL_SECTION_C,
    DFL_SECTION_G,
    DFL_SECTION_GI,
    DFL_SECTION_HV,
    DFL_SECTION_ACC, /* W a + bias, row by row */
    DFL_SECTION_INVARIANTS,
    DFL_SECTION_GAM,
    DFL_SECTION_M, /* the entries */
    DFL_SECTION_F,
    DFL_SECTION_W,
    DFL_SECTION_BIAS,
    DFL_SECTION_K0,
    DFL_SECTION_ENERGY,
    DFL_SECTION_OUTPUTS,
    DFL_SECTION_EVENTS,
    DFL_SECTION_FRAME_R, /* of frames: origin, angle, rotation, velocities, ..., Jacobians */
    DFL_SECTION_FRAME_ANGLE,
    DFL_SECTION_FRAME_ROTATION,
    DFL_SECTION_FRAME_V,
    DFL_SECTION_FRAME_OMEGA,
    DFL_SECTION_FRAME_A,
    DFL_SECTION_FRAME_ALPHA,
    DFL_SECTION_FRAME_JV,
    DFL_SECTION_FRAME_JOMEGA,
    DFL_SECTIONS
} dfl_section;

/* left = right. Without an expression on the left, `name` and `second` label the row. */
typedef struct dfl_row {
    dfl_section section;
    const char *name, *second; /* second: NULL or the name of a column */
    dfl_expr left;             /* or DFL_NO_EXPR */
    dfl_expr right;
    const char *third; /* NULL, or the velocity of a column of a Jacobian */
} dfl_row;

typedef struct dfl_rows {
    dfl_context *ctx;
    dfl_row *row;
    int count, room;
    dfl_status status;
    dfl_names names; /* of what the rows share, and of what would make one too long */
} dfl_rows;

/* Collects all rows and chooses the names; the graph gets the sums of the assembled rows. On
   failure *out is empty. */
dfl_status dfl_rows_create(dfl_rows *out, const dfl_equations *eq);
dfl_status dfl_rows_create_frames(dfl_rows *out, const dfl_equations *eq);
void dfl_rows_clear(dfl_rows *rows);

/* Gives names to operands of `rows` until every part that cannot be broken at + or - is short.
   `exprs` are all expressions that will be printed. */
dfl_status dfl_names_shorten(dfl_names *names, const dfl_graph *graph, const dfl_expr *exprs,
                             int count);

/* Appends an expression, its outermost sum without brackets and broken at + and - where a line
   would become too long. `column`: the width of the line so far. DFL_NO_MEMORY. */
dfl_status dfl_lines_add(dfl_text *text, const dfl_graph *graph, dfl_expr expr,
                         const dfl_names *names, dfl_notation notation, int column);

/* The width of a text on the page; for LaTeX, about the number of visible signs. */
int dfl_lines_width(const char *text, dfl_notation notation);

#endif
