/* model_file.h: files below the folder of a model, the only ones that a script reaches; and files
   that the caller names. */
#ifndef DFL_MODEL_FILE_H
#define DFL_MODEL_FILE_H

#include "declare/declare.h"

/* Appends the bytes of `file`, given relative to the folder of the model's script, to `text`.
   DFL_INVALID: the path leads out of the folder, even through links, and the model has limits; the
   file cannot be read, is no plain file, or is longer than 64 MiB. `what` is the word for it in
   messages. */
dfl_status dfl_model_file_read(dfl_text *text, const dfl_model *model, const char *what,
                               const char *file);

/* The same for a file that the caller names, wherever it is. */
dfl_status dfl_plain_file_read(dfl_text *text, const char *what, const char *file);

#endif
