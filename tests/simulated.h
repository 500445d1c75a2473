/* simulated.h: a script that runs as the program runs it, without files. */
#ifndef DFL_TESTS_SIMULATED_H
#define DFL_TESTS_SIMULATED_H

#include "scripted.h"

/* A run without any setting but its end, as the program makes it. */
static inline dfl_summary simulate(dfl_simulation *sim, dfl_settings *settings, scripted *s,
                                   double to)
{
    dfl_summary summary;
    dfl_choices choices = dfl_choices_none("--");
    choices.number[dfl_setting_find("to")] = to;
    scripted_expect(s, dfl_settings_resolve(settings, &choices, s->run));
    *sim = (dfl_simulation){
        .ctx = s->ctx, .eq = s->eq, .run = s->run, .settings = settings, .all_events = true};
    scripted_expect(s, dfl_simulate(&summary, sim));
    return summary;
}

#endif
