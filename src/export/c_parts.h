/* c_parts.h: parts of the exported C file, written by files of their own. */
#ifndef DFL_C_PARTS_H
#define DFL_C_PARTS_H

#include "export/source.h"

/* c_tables.c: names, default values, initial values. */
void dfl_c_tables_declare(dfl_text *text, const dfl_source *source);
void dfl_c_tables_define(dfl_text *text, const dfl_source *source);

/* c_ode.c: the right-hand side in QR form; nothing where the model has none. dfl_c_ode_work: doubles that
   it needs beside the workspace of the blocks. */
void dfl_c_ode_declare(dfl_text *text, const dfl_source *source);
void dfl_c_ode_define(dfl_text *text, const dfl_source *source);
size_t dfl_c_ode_work(const dfl_source *source);

#endif
