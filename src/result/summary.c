/* summary.c: how a run ended, for programs (JSON) and for people. */
#include "result/result_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_over_time(dfl_text *text, const dfl_summary *summary);
static void add_counters(dfl_text *text, const dfl_statistics *stats);
static void add_tolerances(dfl_text *text, const dfl_summary *summary, const dfl_columns *columns);
static void add_warnings(dfl_text *text, const char *warnings);
static void add_final(dfl_text *text, const dfl_summary *summary, const dfl_columns *columns);
static void describe_steps(dfl_text *text, const dfl_statistics *stats);
static void describe_levels(dfl_text *text, const double levels[DFL_LEVELS]);

void dfl_residual_levels(double levels[DFL_LEVELS], const dfl_residuals *residuals)
{
    const dfl_residuals *r = residuals;
    const double in_order[DFL_LEVELS] = {r->position,     r->velocity, r->acceleration,
                                         r->nonholonomic, r->contact,  r->auxiliary,
                                         r->invariant,    r->massless};
    memcpy(levels, in_order, sizeof in_order);
}

void dfl_summary_levels(double levels[DFL_LEVELS], const dfl_summary *summary,
                        const dfl_equations *eq)
{
    const int rows[DFL_LEVELS] = {eq->nl, eq->nl, eq->nl + eq->nm,  eq->nm,
                                  eq->ns, eq->nw, eq->ne + eq->nep, eq->n0};
    dfl_residual_levels(levels, &summary->statistics.max_residual);
    for (int i = 0; i < DFL_LEVELS; i++)
        if (rows[i] == 0 || !summary->x)
            levels[i] = NAN;
}

void dfl_summary_counters(dfl_fact out[DFL_COUNTERS], const dfl_statistics *stats)
{
    const dfl_fact counters[DFL_COUNTERS] = {
        {"accepted", NULL, (double)stats->accepted},
        {"rejected_error", NULL, (double)stats->rejected_error},
        {"rejected_newton", NULL, (double)stats->rejected_newton},
        {"attempted", NULL, (double)stats->attempts},
        {"unconverged", NULL, (double)stats->unconverged},
        {"eom_evaluations", NULL, (double)stats->evaluations},
        {"partial_evaluations", NULL, (double)stats->partial_evaluations},
        {"mass_evaluations", NULL, (double)stats->mass_evaluations},
        {"jacobian_evaluations", NULL, (double)stats->jacobians},
        {"difference_evaluations", NULL, (double)stats->difference_evaluations},
        {"selectors", NULL, (double)stats->selector_computations},
        {"algebraic_decompositions", NULL, (double)stats->algebraic_decompositions},
        {"differential_decompositions", NULL, (double)stats->differential_decompositions},
        {"back_substitutions", NULL, (double)stats->back_substitutions},
        {"events", NULL, (double)stats->events}};
    memcpy(out, counters, sizeof counters);
}

dfl_status dfl_summary_json(dfl_text *text, const dfl_record *record, const dfl_summary *summary)
{
    const struct {
        const char *name, *value;
    } texts[] = {
        {"model", record->about.model}, {"form", summary->form},
        {"method", summary->method},    {"linear", summary->linear},
        {"status", summary->status},    {"message", summary->message[0] ? summary->message : NULL}};
    double levels[DFL_LEVELS];
    dfl_text_add(text, "{");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        dfl_text_add(text, i > 0 ? ", " : "");
        dfl_json_name(text, texts[i].name);
        if (texts[i].value)
            dfl_json_string(text, texts[i].value);
        else
            dfl_text_add(text, "null");
    }
    dfl_json_value(text, "t", summary->t, false);
    dfl_json_value(text, "seconds", summary->seconds, false);
    add_counters(text, &summary->statistics);
    dfl_summary_levels(levels, summary, record->eq);
    dfl_text_add(text, ",\n  \"max_residual\": {");
    for (int i = 0; i < DFL_LEVELS; i++)
        dfl_json_value(text, dfl_level_names[i], levels[i], i == 0);
    dfl_text_add(text, "}");
    dfl_json_value(text, "energy_drift", summary->energy_drift, false);
    dfl_summary_add_events(text, summary, &record->about);
    dfl_summary_add_switches(text, summary, &record->about);
    add_tolerances(text, summary, &record->columns);
    add_warnings(text, dfl_text_string(&record->warnings));
    add_over_time(text, summary);
    dfl_text_add(text, ",\n  \"final\": ");
    add_final(text, summary, &record->columns);
    dfl_text_add(text, "}\n");
    return text->status;
}

dfl_status dfl_summary_text(dfl_text *text, const dfl_record *record, const dfl_summary *summary)
{
    double levels[DFL_LEVELS];
    dfl_text_add(text, "%s: %s", record->about.model, summary->status);
    if (isfinite(summary->t))
        dfl_text_add(text, " at t = %.10g", summary->t);
    dfl_text_add(text, " (%s, %s, %.3g s)\n", summary->form, summary->method, summary->seconds);
    dfl_summary_levels(levels, summary, record->eq);
    describe_steps(text, &summary->statistics);
    if (summary->statistics.crossings > 0)
        dfl_text_add(text, "  %-17s %ld changes of branches, %ld steps taken again\n", "switches",
                     summary->statistics.crossings, summary->statistics.retakes);
    describe_levels(text, levels);
    if (isfinite(summary->energy_drift)) {
        const char *words = record->about.energy, *reason = words + strcspn(words, ",");
        dfl_text_add(text, "  %-17.*s %.2g%s\n", (int)(reason - words), words,
                     summary->energy_drift, reason);
    }
    for (int i = 0; i < summary->nover_time; i++) {
        const dfl_over_time *it = &summary->over_time[i];
        dfl_text_add(text, "  %-17s from %.6g to %.6g, mean %.6g, rms %.6g, at the end %.6g\n",
                     it->name, it->min, it->max, it->mean, it->rms, it->final);
    }
    dfl_summary_describe_events(text, summary, &record->about);
    return text->status;
}

/* Nothing where statistics were not wanted. */
static void add_over_time(dfl_text *text, const dfl_summary *summary)
{
    for (int i = 0; i < summary->nover_time; i++) {
        const dfl_over_time *it = &summary->over_time[i];
        dfl_text_add(text, i > 0 ? ",\n    " : ",\n  \"outputs\": {");
        dfl_json_name(text, it->name);
        dfl_text_add(text, "{");
        dfl_json_value(text, "min", it->min, true);
        dfl_json_value(text, "max", it->max, false);
        dfl_json_value(text, "mean", it->mean, false);
        dfl_json_value(text, "rms", it->rms, false);
        dfl_json_value(text, "final", it->final, false);
        dfl_text_add(text, "}");
    }
    if (summary->nover_time > 0)
        dfl_text_add(text, "}");
}

/* The energy should stay constant if no declared force does work and no equation contains time. */
const char *dfl_energy_words(const dfl_equations *eq)
{
    const bool conservative = eq->energy != DFL_NO_EXPR && eq->flags.autonomous &&
                              !dfl_depends(eq->graph, eq->energy, DFL_SYM_TIME) &&
                              dfl_model_conservative(eq->model);
    return conservative ? "energy drift" : "energy change, forces or time act on it";
}

static void add_counters(dfl_text *text, const dfl_statistics *stats)
{
    const struct {
        const char *before, *name;
        long value;
    } counters[] = {{",\n  \"steps\": {", "accepted", stats->accepted},
                    {", ", "rejected_error", stats->rejected_error},
                    {", ", "rejected_newton", stats->rejected_newton},
                    {", ", "attempted", stats->attempts},
                    {", ", "unconverged", stats->unconverged},
                    {"},\n  \"evaluations\": {", "eom", stats->evaluations},
                    {", ", "partial", stats->partial_evaluations},
                    {", ", "mass", stats->mass_evaluations},
                    {", ", "jacobian", stats->jacobians},
                    {", ", "difference", stats->difference_evaluations},
                    {"},\n  ", "selectors", stats->selector_computations},
                    {", \"decompositions\": {", "algebraic", stats->algebraic_decompositions},
                    {", ", "differential", stats->differential_decompositions},
                    {", ", "pivoted", stats->pivoted},
                    {", ", "lumped", stats->lumped},
                    {"}, ", "back_substitutions", stats->back_substitutions}};
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        dfl_text_add(text, "%s", counters[i].before);
        dfl_json_counter(text, counters[i].name, counters[i].value);
    }
}

static void add_tolerances(dfl_text *text, const dfl_summary *summary, const dfl_columns *columns)
{
    dfl_text_add(text, ",\n  \"tolerances\": ");
    if (!summary->atol) {
        dfl_text_add(text, "null");
        return;
    }
    dfl_text_add(text, "{");
    dfl_json_value(text, "rtol", summary->rtol, true);
    dfl_text_add(text, ", \"atol\": {");
    for (int i = 0; i < columns->n; i++)
        dfl_json_value(text, columns->names[i], summary->atol[columns->place[i]], i == 0);
    dfl_text_add(text, "}}");
}

/* One string per line of `warnings`. */
static void add_warnings(dfl_text *text, const char *warnings)
{
    const char *before = "";
    char line[1024];
    dfl_text_add(text, ",\n  \"warnings\": [");
    while (warnings && *warnings) {
        const size_t length = strcspn(warnings, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, warnings);
        dfl_text_add(text, "%s", before);
        dfl_json_string(text, line);
        before = ", ";
        warnings += length + (warnings[length] == '\n');
    }
    dfl_text_add(text, "]");
}

static void add_final(dfl_text *text, const dfl_summary *summary, const dfl_columns *columns)
{
    if (!summary->x) {
        dfl_text_add(text, "null");
        return;
    }
    dfl_text_add(text, "{");
    for (int i = 0; i < columns->n; i++)
        dfl_json_value(text, columns->names[i], summary->x[columns->place[i]], i == 0);
    for (int i = 0; summary->outputs && i < columns->m; i++)
        dfl_json_value(text, columns->names[columns->n + i], summary->outputs[i],
                       columns->n + i == 0);
    dfl_text_add(text, "}");
}

static void describe_steps(dfl_text *text, const dfl_statistics *stats)
{
    const long rejected = stats->rejected_error + stats->rejected_newton;
    dfl_text_add(text, "  steps             %ld", stats->accepted);
    if (rejected > 0)
        dfl_text_add(text, ", and %ld rejected (error %ld, Newton %ld)", rejected,
                     stats->rejected_error, stats->rejected_newton);
    dfl_text_add(text, "\n");
    if (stats->unconverged > 0)
        dfl_text_add(text, "  not converged     %ld of these steps: shorter ones are needed\n",
                     stats->unconverged);
}

/* The levels of the model, one per line. */
static void describe_levels(dfl_text *text, const double levels[DFL_LEVELS])
{
    const char *title = "largest residual";
    for (int i = 0; i < DFL_LEVELS; i++)
        if (!isnan(levels[i])) {
            dfl_text_add(text, "  %-17s %.2g %s\n", title, levels[i], dfl_level_names[i]);
            title = "";
        }
}
