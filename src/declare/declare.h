/* declare.h: what the declarations of a model share (declare.c, energies.c). */
#ifndef DFL_DECLARE_H
#define DFL_DECLARE_H

#include "declare/model.h"

/* The velocity that `u` means: a speed, an own velocity, or a position for its own velocity. */
dfl_status dfl_model_velocity_of(dfl_expr *out, dfl_model *model, const char *call, dfl_expr u);

/* Stops a script that declares without end before memory is gone. */
dfl_status dfl_model_check_count(const dfl_model *model, int count);

#endif
