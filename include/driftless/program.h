/* driftless/program.h: what programs around the library need: the clock, terminals, signals, files.
 */
#ifndef DFL_PROGRAM_H
#define DFL_PROGRAM_H

#include <driftless/context.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds of wall-clock time from an arbitrary origin, on a clock that never goes back. */
double dfl_clock(void);

/* Copies a string, as far as it fits into `room` bytes, with control characters other than line
   feeds and tabs, and bytes that are not UTF-8, as escapes (\x1b): a terminal shows them and obeys
   none. Returns the rest that did not fit. */
const char *dfl_visible(char *out, size_t room, const char *string);

/* Asks everything in this context that takes long to stop soon; whether that was asked. Both may be
   called in a signal handler. */
void dfl_interrupt(dfl_context *ctx);
bool dfl_interrupted(const dfl_context *ctx);

/* Ends compilers that this context has started, and removes files that are not whole. For a signal
   handler that ends the program. */
void dfl_leftovers_remove(dfl_context *ctx);

/* A whole file at once; an older one is replaced when the new one is whole. `path` NULL: standard
   output. DFL_INVALID, DFL_IO; DFL_STOPPED: the reader of a pipe has gone. */
dfl_status dfl_write_file(dfl_context *ctx, const char *path, const char *bytes, size_t count);

/* Whether a name has this ending, with something in front of it. */
bool dfl_ends_with(const char *name, const char *ending);

/* The nearest to `word` of `count` words, or NULL if none is near. */
const char *dfl_nearest_word(const char *word, const char *const *words, int count);

#ifdef __cplusplus
}
#endif
#endif
