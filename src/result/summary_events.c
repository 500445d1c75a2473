/* summary_events.c: events, impulses and modes of a run, for programs (JSON) and for people. */
#include "result/result_internal.h"

#include <math.h>
#include <string.h>

/* Impulses and the change of energy; `done` NULL: nothing was done. */
static void add_impulses(dfl_text *text, const dfl_switch_record *done,
                         const dfl_description *about)
{
    const bool jumps = done && (done->nimpulses > 0 || !isnan(done->energy_change));
    dfl_text_add(text, ", \"impulses\": %s", jumps ? "{" : "null");
    for (int i = 0; jumps && i < done->nimpulses; i++)
        dfl_json_value(text, about->impulses[done->impulses[i].name], done->impulses[i].value,
                       i == 0);
    dfl_text_add(text, jumps ? "}" : "");
    dfl_json_value(text, "energy_change", done ? done->energy_change : NAN, false);
}

static const dfl_switch_record *done_by(const dfl_summary *summary, const dfl_event_record *event)
{
    return event->acts >= 0 && event->acts < summary->nswitches ? &summary->switches[event->acts]
                                                                : NULL;
}

/* The number of events, and the first of them. */
void dfl_summary_add_events(dfl_text *text, const dfl_summary *summary,
                            const dfl_description *about)
{
    dfl_text_add(text, ",\n  \"events\": {");
    dfl_json_counter(text, "count", summary->statistics.events);
    dfl_text_add(text, ", \"first\": [");
    for (int i = 0; i < summary->nevents; i++) {
        const dfl_event_record *event = &summary->events[i];
        dfl_text_add(text, i > 0 ? ", {" : "{");
        dfl_json_name(text, "name");
        dfl_json_string(text, about->events[event->event]);
        dfl_json_value(text, "time", event->time, false);
        dfl_text_add(text, ", ");
        dfl_json_counter(text, "direction", event->direction);
        add_impulses(text, done_by(summary, event), about);
        dfl_text_add(text, "}");
    }
    dfl_text_add(text, "]}");
}

/* What was done at the ends of branches, how much of it, and the first of it. */
void dfl_summary_add_switches(dfl_text *text, const dfl_summary *summary,
                              const dfl_description *about)
{
    const dfl_statistics *stats = &summary->statistics;
    const dfl_fact counters[] = {{"crossings", NULL, (double)stats->crossings},
                                 {"retakes", NULL, (double)stats->retakes},
                                 {"enclosures", NULL, (double)stats->enclosures},
                                 {"modes", NULL, (double)stats->modes},
                                 {"count", NULL, (double)summary->total_switches}};
    dfl_text_add(text, ",\n  \"switches\": {");
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        dfl_json_counter(text, counters[i].name, (long)counters[i].number);
        dfl_text_add(text, ", ");
    }
    dfl_text_add(text, "\"first\": [");
    for (int i = 0; i < summary->nswitches; i++) {
        const dfl_switch_record *it = &summary->switches[i];
        dfl_text_add(text, i > 0 ? ", {" : "{");
        dfl_json_name(text, "name");
        dfl_json_string(text, about->switches[it->name]);
        dfl_text_add(text, ", \"kind\": \"%s\"", dfl_switched_names[it->kind]);
        dfl_json_value(text, "time", it->time, false);
        if (it->kind == DFL_SWITCHED_MODE)
            dfl_text_add(text, ", \"state\": \"%s\"", dfl_touching_names[it->state]);
        else
            dfl_text_add(text, ", \"state\": %d", it->state);
        add_impulses(text, it, about);
        dfl_text_add(text, "}");
    }
    dfl_text_add(text, "]}");
}

static void describe_impulses(dfl_text *text, const dfl_switch_record *done,
                              const dfl_description *about)
{
    for (int i = 0; done && i < done->nimpulses; i++)
        dfl_text_add(text, "%s %.4g%s%s", i == 0 ? ", impulse" : ",", done->impulses[i].value,
                     done->nimpulses > 1 ? " " : "",
                     done->nimpulses > 1 ? about->impulses[done->impulses[i].name] : "");
    if (done && !isnan(done->energy_change))
        dfl_text_add(text, ", energy %+.4g", done->energy_change);
    dfl_text_add(text, "\n");
}

/* Kinks, and modes after the start: whatever is no event. */
static void describe_others(dfl_text *text, const dfl_summary *summary,
                            const dfl_description *about, dfl_switched kind, const char *title)
{
    for (int i = 0; i < summary->nswitches; i++) {
        const dfl_switch_record *it = &summary->switches[i];
        if (it->kind != kind)
            continue;
        const bool mode = kind == DFL_SWITCHED_MODE;
        dfl_text_add(text, "  %-17s %s%s%s at t = %.10g", title, about->switches[it->name],
                     mode ? " " : "", mode ? dfl_touching_names[it->state] : "", it->time);
        describe_impulses(text, it, about);
        title = "";
    }
}

void dfl_summary_describe_events(dfl_text *text, const dfl_summary *summary,
                                 const dfl_description *about)
{
    const long more = summary->statistics.events - summary->nevents;
    for (int i = 0; i < summary->nevents; i++) {
        dfl_text_add(text, "  %-17s %s at t = %.10g", i == 0 ? "events" : "",
                     about->events[summary->events[i].event], summary->events[i].time);
        describe_impulses(text, done_by(summary, &summary->events[i]), about);
    }
    if (more > 0)
        dfl_text_add(text, "  %-17s and %ld more\n", "", more);
    describe_others(text, summary, about, DFL_SWITCHED_MODE, "modes");
    describe_others(text, summary, about, DFL_SWITCHED_KINK, "kinks");
}
