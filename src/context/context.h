/* context.h: what every module uses: the context, texts and arrays that grow, files, words, numbers
   for trial points. */
#ifndef DFL_CONTEXT_MODULE_H
#define DFL_CONTEXT_MODULE_H

#include <driftless/program.h>

#include <stdbool.h>

/* ---- arrays (grow.c) ---- */

/* The array with room for one more element of `size` bytes after `count`; *max is its room, which
   doubles. NULL if there is no memory: then `array` is unchanged. */
void *dfl_grow(dfl_context *ctx, void *array, int *max, int count, size_t size);

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

/* json_text.c: a string of JSON in quotation marks (bytes that are not UTF-8 become U+FFFD), a
   number (null unless finite). */
void dfl_json_string(dfl_text *text, const char *string);
void dfl_json_number(dfl_text *text, double number);

/* A copy of a string from the context's allocator (dfl_free), or NULL without memory. */
char *dfl_copy_string(dfl_context *ctx, const char *string);

/* ---- signals (leftovers.c) ---- */

/* From now on dfl_interrupted also asks `over`: whether what this context is used for is to end. */
void dfl_interrupted_by(dfl_context *ctx, bool (*over)(void *user), void *user);

/* Notes a file or folder (`path` must stay where it is), or a group of processes, that must go if a
   signal ends the program. Returns its number for dfl_leftover_drop; -1 if there are too many,
   which dfl_leftover_drop takes. */
int dfl_leftover_path(dfl_context *ctx, const char *path);
int dfl_leftover_processes(dfl_context *ctx, int group);
void dfl_leftover_drop(dfl_context *ctx, int number);

/* Ends a group of processes whose first one is our child, and waits for that one: SIGTERM, and
   after a second SIGKILL. */
void dfl_end_processes(int group);

/* ---- files (new_file.c) ---- */

/* A file that is being written. What stands at its path is left alone until the new file is whole:
   the new one is PATH.part until then. If there is nothing at the path, the file is written in
   place, unless it is of use only when it is whole. It is locked: a second run cannot write to it.
   A device or pipe is written as it is. */
typedef struct dfl_new_file {
    dfl_context *ctx;
    char *path;    /* where it will be; that of a link leads to its file */
    char *written; /* where it is */
    int file;      /* its descriptor, open for writing; negative: none */
    bool replaces; /* there is an older file */
    bool part;     /* `written` is PATH.part */
    int leftover;
} dfl_new_file;

/* `path` NULL: standard output. `whole`: it is of use only when it is whole. DFL_INVALID: it cannot
   be written, or is being written already; the message says why. The caller ends it with one of the
   functions below, also after a failure. */
dfl_status dfl_new_file_open(dfl_new_file *out, dfl_context *ctx, const char *path, bool whole);
/* Writes all bytes. DFL_IO; DFL_STOPPED: the reader of a pipe has gone, or dfl_interrupted. */
dfl_status dfl_new_file_write(dfl_new_file *file, const char *bytes, size_t count);
/* Puts the file in its place and closes it; another `path` than its own: it goes there. DFL_IO:
   then an older file is unchanged and the new one is gone. */
dfl_status dfl_new_file_keep(dfl_new_file *file, const char *path);
/* Removes and closes it; {.ctx = ctx, .file = -1} is allowed. */
void dfl_new_file_discard(dfl_new_file *file);
/* Forgets it without removing it: it stays as far as it was written. */
void dfl_new_file_leave(dfl_new_file *file);

/* ---- words (nearest.c) ---- */

/* Whether `candidate` is nearer to `word` than the best word so far; *best is its distance + 1 (0:
   none yet) and is updated. A word is near if at most a third of the letters are wrong, and not all
   of them. */
bool dfl_nearer_word(int *best, const char *word, const char *candidate);

/* ---- numbers for trial points (generic.c) ---- */

/* A number in (-1, 1), always the same for a place and an index (both >= 0), without relation to
   the numbers of other places and indices. */
double dfl_generic(int place, int index);

#endif
