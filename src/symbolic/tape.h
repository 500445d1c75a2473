/* tape.h: many expressions evaluated at once.

   A tape computes `targets` from input arrays into output arrays. Every kind of symbol lives in one
   input array. Operations are scheduled by level and grouped by kind, so that the interpreter jumps
   once per run and not once per operation. What depends on parameters, inputs, levels and branches
   alone is computed by dfl_tape_prepare, once.

   The registers live in a work array that the caller owns: one tape may be used by several threads,
   each with its own work. Results do not depend on the way of evaluation: tape and native code give
   the same bits. */
#ifndef DFL_TAPE_H
#define DFL_TAPE_H

#include "symbolic/graph.h"

/* Where symbols of one kind are found: in[array][slot[index]], or in[array][index] without slot. */
typedef struct dfl_place {
    int array;
    const int *slot; /* read at creation only */
} dfl_place;

/* out[array][index] = expr. */
typedef struct dfl_target {
    dfl_expr expr;
    int array, index;
} dfl_target;

typedef struct dfl_tape dfl_tape;

/* A way to run a program: the tape itself, or native code that shares its work array. */
typedef void (*dfl_program_fn)(double *work, const double *const *in, double *const *out);

/* Creates a tape. `places` has DFL_SYM_KINDS entries. The tape does not need the graph afterwards
   (splines are copied). */
dfl_status dfl_tape_create(dfl_tape **out, dfl_context *ctx, const dfl_graph *graph,
                           const dfl_place *places, const dfl_target *targets, int ntargets);
void dfl_tape_free(dfl_tape *tape);

/* The part of a tape that writes the output arrays whose bits are set in `arrays`. It runs with the
   work array of `tape`, prepared for that; `tape` must outlive it. Results have the same bits. */
dfl_status dfl_tape_select(dfl_tape **out, const dfl_tape *tape, unsigned arrays);

/* The number of doubles of a work array. */
size_t dfl_tape_work(const dfl_tape *tape);

/* Operations evaluated by dfl_tape_eval. */
long dfl_tape_operations(const dfl_tape *tape);

/* Writes constants and what depends only on settings (parameters, inputs, levels, branches) into
   `work`: before the first evaluation and after one of these has changed. */
void dfl_tape_prepare(const dfl_tape *tape, double *work, const double *const *in);

/* Evaluates every target. Does not allocate. */
void dfl_tape_eval(const dfl_tape *tape, double *work, const double *const *in, double *const *out);

/* The same for `count` states at once, at most DFL_TAPE_LANES: in[k] and out[k] are the arrays of
   state k. `lanes` has DFL_TAPE_LANES times dfl_tape_work elements and takes over what has been
   prepared in a `work`. */
enum { DFL_TAPE_LANES = 4 };
void dfl_tape_lanes_prepare(const dfl_tape *tape, double *lanes, const double *work);
void dfl_tape_eval_lanes(const dfl_tape *tape, double *lanes, const double *const *const *in,
                         double *const *const *out, int count);

/* Derivatives of every target along a direction of the inputs, and the values in `work`, which is
   prepared; `tangent` has dfl_tape_work elements. along[array] is NULL where inputs stay; so is
   slope[array] where derivatives are not wanted. */
void dfl_tape_tangent(const dfl_tape *tape, double *work, double *tangent, const double *const *in,
                      const double *const *along, double *const *slope);

/* Bounds of settings and constants from a prepared `work`; `bounds` has dfl_tape_work elements. */
void dfl_tape_enclose_prepare(const dfl_tape *tape, dfl_bounds *bounds, const double *work);

/* Bounds of every target where inputs lie in their bounds: in[array] has bounds of time and of the
   state; arrays of settings are not read. Rounding is included. */
void dfl_tape_enclose(const dfl_tape *tape, dfl_bounds *bounds, const dfl_bounds *const *in,
                      dfl_bounds *const *out);

#endif
