/* script_life.h: one run of the language: begin, run texts, close Lua, end. */
#ifndef DFL_SCRIPT_LIFE_H
#define DFL_SCRIPT_LIFE_H

#include "script/sandbox.h"

/* Reads the options and opens Lua with the language, for an empty model. Texts of the options must
   outlive the script. The caller ends it, even after a failure. */
dfl_status dfl_script_begin(dfl_script *script, dfl_context *ctx, const char *path,
                            const dfl_script_options *options);

/* Runs a text, whose first line has the number lines_before + 1. DFL_INVALID: see dfl_script_load.
 */
dfl_status dfl_script_run(dfl_script *script, const char *text, size_t length);

/* Closes Lua: nothing more can be run. */
void dfl_script_close(dfl_script *script);

/* Frees everything, with the model, unless the caller has taken that and put NULL there. */
void dfl_script_end(dfl_script *script);

#endif
