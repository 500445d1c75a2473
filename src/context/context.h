/* context.h: what every module uses: the context, texts and arrays that grow, words, the clock. */
#ifndef DFL_CONTEXT_MODULE_H
#define DFL_CONTEXT_MODULE_H

#include <driftless/context.h>

#include <stdbool.h>

/* ---- arrays (grow.c) ---- */

/* The array with room for one more element of `size` bytes after `count`; *max is its room, which
   doubles. NULL if there is no memory: then `array` is unchanged. */
void *dfl_grow(dfl_context *ctx, void *array, int *max, int count, size_t size);

/* ---- time (clock.c) ---- */

/* Seconds of wall-clock time from an arbitrary origin, on a clock that never goes back. */
double dfl_clock(void);

/* ---- text (text.c) ---- */

/* `{.ctx = ctx}` is empty. A failed allocation is kept in `status` and stops the growth, so that
   a whole text is written first and checked once. */
typedef struct dfl_text {
    dfl_context *ctx;
    char *data; /* ended by 0; NULL while empty */
    size_t length, room;
    dfl_status status;
} dfl_text;

/* Appends (printf format), or bytes as they are. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void dfl_text_add(dfl_text *text, const char *format, ...);
void dfl_text_bytes(dfl_text *text, const char *bytes, size_t count);

/* The text so far, never NULL. */
const char *dfl_text_string(const dfl_text *text);

/* Frees it and makes it empty again. */
void dfl_text_clear(dfl_text *text);

/* A copy of a string from the context's allocator (dfl_free), or NULL without memory. */
char *dfl_copy_string(dfl_context *ctx, const char *string);

/* Whether a name has this ending, with something in front of it. */
bool dfl_ends_with(const char *name, const char *ending);

/* ---- words (nearest.c) ---- */

/* The nearest to `word` of `count` words, or NULL if none is near. */
const char *dfl_nearest_word(const char *word, const char *const *words, int count);

/* Whether `candidate` is nearer to `word` than the best word so far; *best is its distance + 1 (0:
   none yet) and is updated. A word is near if at most a third of the letters are wrong, and not all
   of them. */
bool dfl_nearer_word(int *best, const char *word, const char *candidate);

#endif
