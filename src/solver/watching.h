/* watching.h: events with bounds (enclosed_events.c). */
#ifndef DFL_WATCHING_H
#define DFL_WATCHING_H

#include "solver/crossings.h"

typedef struct dfl_watching {
    dfl_path path;
    dfl_search search;
    double *sign, *noise; /* of the event functions */
    double *tolerance;    /* n */
} dfl_watching;

dfl_status dfl_watching_init(dfl_solver *solver);
void dfl_watching_clear(dfl_solver *solver);

/* As dfl_solver_find_events. */
dfl_status dfl_solver_find_enclosed(dfl_solver *solver, double to);

#endif
