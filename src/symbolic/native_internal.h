/* native_internal.h: the steps from source text to loaded code. */
#ifndef DFL_NATIVE_INTERNAL_H
#define DFL_NATIVE_INTERNAL_H

#include "context/context.h"

#include <stdbool.h>
#include <stdint.h>

/* A hash of 128 bits; {0} is that of nothing. */
typedef struct dfl_hash {
    uint64_t a, b;
} dfl_hash;
dfl_hash dfl_hash_add(dfl_hash hash, const char *bytes, size_t count);

/* A private folder with what the compiler reads and writes. A signal does not leave it behind.
   (temporary.c) */
typedef struct dfl_temporary {
    dfl_context *ctx;
    dfl_text folder, source, object, messages; /* paths: program.c, program.so, messages */
    int leftovers[4];
} dfl_temporary;

/* Makes it within `cache`, unless that is NULL or cannot be written. The caller removes it, also
   after a failure. */
dfl_status dfl_temporary_create(dfl_temporary *out, dfl_context *ctx, const char *cache);
void dfl_temporary_remove(dfl_temporary *temporary);
/* A folder that a killed process has left. */
void dfl_folder_remove(dfl_context *ctx, const char *folder);

/* The source by `command` (compiler and flags, split at blanks) into the object. DFL_INVALID with
   the compiler's message; DFL_STOPPED: dfl_interrupted. (compile.c) */
dfl_status dfl_compile(dfl_context *ctx, const char *command, const dfl_temporary *files);

/* Appends what tells compilers apart that have the same name: the paths, sizes and times of the
   program that a command starts, and of programs among its other words (ccache gcc), and variables
   that compilers obey. Asking for the version would start the compiler at every lookup.
   (compiler.c) */
dfl_status dfl_compiler_identity(dfl_text *text, const char *command);
/* Ends each word within `string` and returns their number. (compiler.c) */
int dfl_split_words(char **word, char *string);

/* Reads a regular file of our own that nobody else may write. False: there is no such file, or no
   memory (then text->status is set). (cache.c) */
bool dfl_read_file(dfl_text *text, const char *path);

/* The cache: a folder with, for every key, KEY.so and KEY.c, which is the source followed by a line
   with size and hash of the object. (cache.c)

   Appends the folder to `path`: `choice`, or the user's. It is made if missing; a folder that
   others may write is not used. False: there is none. */
bool dfl_cache_folder(dfl_text *path, const char *choice);

/* Appends the path of the object to `path` if it is there, whole, and made from `source`. */
bool dfl_cache_find(dfl_text *path, const char *folder, const char *key, const dfl_text *source);

/* Moves program.c and program.so from a temporary folder into the cache, in one instant each, then
   removes what was not used for the longest time if the cache has grown too large. Failing leaves
   the cache as it was. */
void dfl_cache_publish(dfl_context *ctx, const char *cache, const char *key,
                       const dfl_temporary *temporary);
void dfl_cache_remove(dfl_context *ctx, const char *cache, const char *key);

#endif
