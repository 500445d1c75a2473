/* input_files.h: inputs that follow columns of files, as the caller of a script asks. */
#ifndef DFL_INPUT_FILES_H
#define DFL_INPUT_FILES_H

#include "script/sandbox.h"
#include "symbolic/symbolic.h"

/* If the caller gave a file for the input `name`: *out becomes a function of time from it; else
   false. Raises errors. */
bool dfl_input_file(dfl_expr *out, lua_State *L, const char *name);

/* DFL_INVALID: an assignment is not NAME=FILE:COLUMN..., or no input has its name; the latter when
   the script has run. */
dfl_status dfl_input_files_check(const dfl_script *script, bool has_run);

#endif
