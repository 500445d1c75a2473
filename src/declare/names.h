/* names.h: names within a model, for the declarations. */
#ifndef DFL_MODEL_NAMES_H
#define DFL_MODEL_NAMES_H

#include "context/text.h"
#include "declare/model.h"

/* DFL_OK if a declaration may have this name; otherwise the message says what is wrong with it. */
dfl_status dfl_model_check_name(const dfl_model *model, const char *name);

/* Makes the declaration `number` findable by its name. */
dfl_status dfl_model_enter_name(dfl_model *model, int number);

/* "parameter", "position", ...: what a declaration of this kind is called. */
const char *dfl_declared_name(dfl_declared kind);

/* Appends the items of `list`, such as "'a', 'b'", that `text` does not have from `from` on. Returns how many. */
int dfl_list_add(dfl_text *text, size_t from, const char *list);

#endif
