/* function_names.c: switching functions and events in messages, by the names that the model gives
   them. */
#include "solver/solver_internal.h"
#include "solver/switching.h"

#include <stdio.h>
#include <string.h>

enum { LISTED = 4 };

void dfl_switching_name(char *out, size_t size, int function, void *user)
{
    const dfl_switch_options *opt = &((dfl_solver *)user)->options.switches;
    if (opt->name)
        opt->name(out, size, function, opt->user);
    else
        snprintf(out, size, "switching function %d", function);
}

void dfl_solver_event_name(char *out, size_t size, int event, void *user)
{
    const dfl_event_options *opt = &((dfl_solver *)user)->options.events;
    if (opt->names)
        snprintf(out, size, "event '%s'", opt->names[event]);
    else
        snprintf(out, size, "event %d", event);
}

void dfl_switching_name_crossed(char *out, size_t size, dfl_solver *solver)
{
    const bool *crossed = solver->switching->crossed;
    int listed = 0;
    out[0] = 0;
    for (int i = 0; i < solver->options.switches.count && listed <= LISTED; i++) {
        char name[DFL_SWITCH_NAME];
        if (!crossed[i])
            continue;
        dfl_switching_name(name, sizeof name, i, solver);
        if (strstr(out, name)) /* the other border of the same switch */
            continue;
        const size_t length = strlen(out);
        snprintf(out + length, size - length, "%s%s", listed > 0 ? ", " : "",
                 listed < LISTED ? name : "...");
        listed++;
    }
}

void dfl_switching_name_crowd(char *out, size_t size, dfl_solver *solver)
{
    const long *crowd = solver->switching->crowd_of;
    int first = -1, second = -1;
    for (int i = 0; i < solver->options.switches.count; i++)
        if (first < 0 || crowd[i] > crowd[first])
            second = first, first = i;
        else if (second < 0 || crowd[i] > crowd[second])
            second = i;
    char name[DFL_SWITCH_NAME];
    dfl_switching_name(name, sizeof name, first, solver);
    snprintf(out, size, "%s %ld", name, crowd[first]);
    if (second < 0 || crowd[second] == 0)
        return;
    const size_t length = strlen(out);
    dfl_switching_name(name, sizeof name, second, solver);
    snprintf(out + length, size - length, ", %s %ld", name, crowd[second]);
}
