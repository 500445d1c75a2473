/* try_model.h: a script through everything that the program does with one. */
#ifndef DFL_FUZZ_TRY_MODEL_H
#define DFL_FUZZ_TRY_MODEL_H

#include <stdbool.h>
#include <stddef.h>

/* Loads, derives, diagnoses, exports and runs a script for a few steps, with small limits. Aborts
   if a failure has no message, if something stays allocated, or if a run that succeeds has numbers
   that are not finite, or, with `tame` (lengths, masses and times of ordinary sizes, the standard
   form), residuals of constraints that are not small. */
void try_model(const char *script, size_t length, bool tame);

#endif
