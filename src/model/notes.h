/* notes.h: what `driftless check` tells about a model besides its equations. */
#ifndef DFL_MODEL_NOTES_H
#define DFL_MODEL_NOTES_H

#include "context/text.h"
#include "model/model.h"

/* Keeps a copy of a sentence. */
dfl_status dfl_model_note(dfl_model *model, const char *text);
void dfl_model_free_notes(dfl_model *model);

/* Appends meanings of rows as a list: "z translation, x and y rotation". */
void dfl_print_motions(dfl_text *text, const char *const *meanings, int count);

#endif
