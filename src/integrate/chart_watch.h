/* chart_watch.h: local coordinates are used only where they determine the motion. */
#ifndef DFL_CHART_WATCH_H
#define DFL_CHART_WATCH_H

#include "integrate/stepper.h"

/* At the evaluated end of a step, `next`. DFL_STEP_RETRY: the step leaves the chart of its
   coordinates, or may do so; a shorter one, perhaps with other coordinates, will show it.
   DFL_STEP_STOP: the coordinates are fixed, and their chart ends there. */
dfl_outcome dfl_watch_chart(dfl_stepper *st, double h);

/* Whether a step that cannot be taken fails because fixed coordinates come to the end of their
   chart; and the status and message for it. */
bool dfl_chart_ends(dfl_stepper *st);
dfl_status dfl_chart_failure(dfl_stepper *st);

#endif
