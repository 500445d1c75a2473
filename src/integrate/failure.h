/* failure.h: from a step that cannot be taken to a status and a message. */
#ifndef DFL_FAILURE_H
#define DFL_FAILURE_H
#include "integrate/stepper.h"

/* The status and message for the last trouble; h is the step size that was tried. */
dfl_status dfl_step_failure(dfl_stepper *st, double h);

/* Whether the constraints passed through a singular position between here and next. */
bool dfl_constraints_flipped(dfl_stepper *st);

/* Whether a position constraint is violated at `next` although the constraints that it was found to
   depend on are satisfied: then it is not redundant. */
bool dfl_redundant_rows_violated(dfl_stepper *st);

#endif
