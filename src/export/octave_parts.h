/* octave_parts.h: the files of an Octave export that are not blocks of the general form. */
#ifndef DFL_OCTAVE_PARTS_H
#define DFL_OCTAVE_PARTS_H

#include "export/source.h"

/* NAME_model.m: help for everything, and a simulation with ode45. `list` names the other files. */
void dfl_octave_main(dfl_text *text, const dfl_source *source, const char *list);
/* NAME_rhs.m: the right-hand side in QR form. */
void dfl_octave_rhs(dfl_text *text, const dfl_source *source);
/* NAME_parameters.m and NAME_initial.m. */
void dfl_octave_parameters(dfl_text *text, const dfl_source *source);
void dfl_octave_initial(dfl_text *text, const dfl_source *source);

/* The first line of the help of NAME_part: its name in capitals and what it is. */
void dfl_octave_title(dfl_text *text, const dfl_source *source, const char *part,
                      const char *meaning);

#endif
