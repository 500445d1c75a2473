/* export.h: the equations of a model as source code, text or LaTeX. */
#ifndef DFL_EXPORT_H
#define DFL_EXPORT_H

#include "model/equations.h"
#include "symbolic/print.h"

/* The equations of motion for people. */
dfl_status dfl_export_equations(dfl_text *text, const dfl_equations *eq, dfl_notation notation);

/* One self-contained C file: functions for M, f, W, g, gI, bias, ..., Jacobians, and the projected
   right-hand side of the ODE (QR form). Names start with the model's name made an identifier. */
dfl_status dfl_export_c(dfl_text *text, const dfl_equations *eq);

/* Octave/Matlab: writes NAME.m and what it needs into `folder` (made if missing). `files` gets one line per
   file written. DFL_INVALID with the reason if it cannot be written. */
dfl_status dfl_export_octave(dfl_text *files, const dfl_equations *eq, const char *folder);

#endif
