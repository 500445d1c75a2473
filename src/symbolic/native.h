/* native.h: tapes as machine code, by way of the system's C compiler.

   The tapes are written as C in chunks of a few hundred statements, compiled with flags that keep
   every bit (-O1 -fno-math-errno -ffp-contract=off ...), loaded, and cached by a hash of the
   source, which includes nothing, the command and the compiler's file. The compiler is started
   without a shell. What is cached is used only if it is the user's own, writable by nobody else,
   whole, and made from exactly this source; the cache is kept below 200 MB. Nothing here is
   required: without a compiler, a cache folder or permission the tape is used. */
#ifndef DFL_NATIVE_H
#define DFL_NATIVE_H

#include "context/context.h"
#include "symbolic/tape.h"

typedef struct dfl_native dfl_native;

typedef struct dfl_native_options {
    const char *compiler; /* with arguments, split at blanks; NULL means $CC, or cc */
    const char *cache;    /* folder; NULL means $XDG_CACHE_HOME/driftless or ~/.cache/driftless */
} dfl_native_options;

/* Compiles (or finds in the cache) one function per tape; the tapes must come from one graph.
   DFL_INVALID with the compiler's message if there is no compiler or it fails, DFL_STOPPED if
   dfl_interrupted ended it; the caller then uses the tapes. */
dfl_status dfl_native_create(dfl_native **out, dfl_context *ctx, const dfl_tape *const *tapes,
                             int ntapes, const dfl_native_options *options);
void dfl_native_free(dfl_native *native);

/* The function of tape number i; it uses a work array prepared by dfl_tape_prepare. */
dfl_program_fn dfl_native_function(const dfl_native *native, int i);

/* *agrees: function number i and its tape give the same numbers, up to rounding, at `in`. `work` is
   prepared and stays as it is. DFL_NO_MEMORY. */
dfl_status dfl_native_check(bool *agrees, const dfl_native *native, int i, const dfl_tape *tape,
                            const double *work, const double *const *in);

/* A shared library from a C source and files beside it; `flags` are split at blanks, and '@' in
   them is the folder of the files. No compiler: $CC, or cc. `object` gets its bytes. DFL_INVALID
   with the compiler's message, DFL_STOPPED, DFL_IO, DFL_NO_MEMORY. */
typedef struct dfl_build_file {
    const char *name, *bytes;
    size_t size;
} dfl_build_file;
typedef struct dfl_build {
    const char *compiler, *source, *flags;
    const dfl_build_file *files;
    int nfiles;
} dfl_build;
dfl_status dfl_build_library(dfl_text *object, dfl_context *ctx, const dfl_build *build);

/* Removes from the cache what turned out to be wrong. */
void dfl_native_reject(dfl_native *native);

/* Whether compiled code for these tapes is in the cache already. */
bool dfl_native_cached(dfl_context *ctx, const dfl_tape *const *tapes, int ntapes,
                       const dfl_native_options *options);

#endif
