/* emit.h: a tape as source text, for native code and for exports.

   Every operation is one assignment to a separate name, with the operands that it has on the tape,
   so that the result has the same bits wherever the language's functions have them. Statements are
   in depth-first order: what is computed is used soon. Input and output arrays must not overlap. */
#ifndef DFL_EMIT_H
#define DFL_EMIT_H

#include "symbolic/print.h"
#include "symbolic/tape.h"

/* C: static functions of at most `chunk` statements, values used in another chunk go through
   `work`, then   void NAME(double *work, const double *const *in, double *const *out) that calls
   them. With `complete`, constants and prepared operations are part of the function and work need
   not be prepared; without, it must be. `linkage` is "static ", "" or NULL (""). */
typedef struct dfl_emit_options {
    const char *name;
    const char *linkage;
    int chunk; /* 0 means 400 */
    bool complete;
} dfl_emit_options;
dfl_status dfl_emit_c(dfl_text *text, const dfl_tape *tape, const dfl_emit_options *options);

/* What must come once before the first function: includes, helper functions (sign, spline
   evaluation, ...) as far as the tapes, all from one graph, need them. */
dfl_status dfl_emit_c_preamble(dfl_text *text, const dfl_tape *const *tapes, int ntapes);
/* The same without <math.h>, of which the functions, NAN and INFINITY are used. */
dfl_status dfl_emit_c_helpers(dfl_text *text, const dfl_tape *const *tapes, int ntapes);

/* The tables of a tape as C, static and constant: NAME_tape of type dfl_tape_data (tape_data.h).
   `evaluated`: with the operations themselves, for bounds. Numbers as an array of doubles; words as
   a string literal, NULL as 0. */
void dfl_emit_tape_data(dfl_text *text, const dfl_tape *tape, const char *name, bool evaluated);
void dfl_emit_numbers(dfl_text *text, const char *name, const double *value, size_t count);
void dfl_emit_string(dfl_text *text, const char *words);

/* Octave/Matlab: the assignments of a function body, inputs as in_names[array](index+1), outputs as
   out_names[array](index+1) = ...;  always complete. Spline tables appear as calls
   NAME_spline(number, derivative, x) whose definition dfl_emit_octave_spline writes. */
dfl_status dfl_emit_octave(dfl_text *text, const dfl_tape *tape, const char *const *in_names,
                           const char *const *out_names, const char *name);
dfl_status dfl_emit_octave_spline(dfl_text *text, const dfl_tape *const *tapes, int ntapes,
                                  const char *name);

#endif
