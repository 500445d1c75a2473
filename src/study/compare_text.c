/* compare_text.c: a comparison as a table for people and as JSON. */
#include "study/study.h"

#include <math.h>
#include <stdio.h>

static void add_forms(dfl_text *text, const dfl_comparison *c);
static void add_trial(dfl_text *text, const dfl_trial *trial);
static void add_number(dfl_text *text, double value);
static void add_facts_json(dfl_text *text, const dfl_comparison *c);
static void add_trial_json(dfl_text *text, const dfl_trial *trial);
static void add_member(dfl_text *text, const char *name, double value);

void dfl_comparison_text(dfl_text *text, const dfl_comparison *c)
{
    dfl_text_add(text, "%s from t = %g to %g (%s)\n\n", c->eq->model->name, c->from, c->to,
                 c->evaluation);
    add_forms(text, c);
    dfl_text_add(
        text,
        "\nErrors at the end compared with psf, radau with tolerance %.0e, which is known to %.1e; "
        "largest residuals and\nenergy drift over all steps.\n\n",
        c->reference_tolerance, c->uncertainty);
    dfl_text_add(text, "%-10s %-13s %7s %10s %8s %9s %8s %8s %8s %8s %8s %8s %8s\n", "form",
                 "method", "tol", "seconds", "steps", "evals", "error p", "error v", "error l",
                 "position", "velocity", "acceler.", "energy");
    for (int i = 0; i < c->ntrials; i++)
        add_trial(text, &c->trials[i]);
}

static void add_forms(dfl_text *text, const dfl_comparison *c)
{
    dfl_text_add(text, "%-10s %5s %10s  %s\n", "form", "index", "dimension",
                 "initial values that must be consistent");
    for (int i = 0; i < c->nforms; i++) {
        const dfl_form_facts facts = dfl_comparison_facts(c, c->forms[i]);
        dfl_text_add(text, "%-10s %5d %10d  %s\n", dfl_form_name(c->forms[i]), facts.index,
                     dfl_comparison_dimension(c, c->forms[i]), facts.consistent);
    }
}

static void add_trial(dfl_text *text, const dfl_trial *trial)
{
    const dfl_statistics *stats = &trial->statistics;
    dfl_text_add(text, "%-10s %-13s %7.0e", dfl_form_name(trial->form), trial->method,
                 trial->tolerance);
    if (trial->refused) {
        dfl_text_add(text, "  refused: %s\n", trial->message);
        return;
    }
    dfl_text_add(text, " %10.3g %8ld %9ld", trial->seconds, stats->accepted,
                 stats->evaluations + stats->difference_evaluations);
    const double numbers[] = {trial->error_p,
                              trial->error_v,
                              trial->error_l,
                              trial->levels[0],
                              dfl_trial_velocity(trial),
                              trial->levels[2],
                              trial->energy_drift};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        add_number(text, numbers[i]);
    dfl_text_add(text, "%s%s\n",
                 trial->completed ? "" : "  failed: ", trial->completed ? "" : trial->message);
}

static void add_number(dfl_text *text, double value)
{
    if (isnan(value))
        dfl_text_add(text, " %8s", "-");
    else
        dfl_text_add(text, " %8.1e", value);
}

void dfl_comparison_json(dfl_text *text, const dfl_comparison *c)
{
    dfl_text_add(text, "{\"model\": ");
    dfl_json_string(text, c->eq->model->name);
    dfl_text_add(text, ", \"evaluation\": \"%s\"", c->evaluation);
    add_member(text, "from", c->from);
    add_member(text, "to", c->to);
    add_member(text, "reference_tolerance", c->reference_tolerance);
    add_member(text, "reference_uncertainty", c->uncertainty);
    add_facts_json(text, c);
    dfl_text_add(text, ",\n  \"trials\": [");
    for (int i = 0; i < c->ntrials; i++) {
        dfl_text_add(text, "%s\n    ", i ? "," : "");
        add_trial_json(text, &c->trials[i]);
    }
    dfl_text_add(text, "]}\n");
}

static void add_facts_json(dfl_text *text, const dfl_comparison *c)
{
    dfl_text_add(text, ",\n  \"forms\": {");
    for (int i = 0; i < c->nforms; i++) {
        const dfl_form_facts facts = dfl_comparison_facts(c, c->forms[i]);
        dfl_text_add(text, "%s\"%s\": {\"index\": %d, \"dimension\": %d, \"consistent\": \"%s\"}",
                     i ? ", " : "", dfl_form_name(c->forms[i]), facts.index,
                     dfl_comparison_dimension(c, c->forms[i]), facts.consistent);
    }
    dfl_text_add(text, "}");
}

static void add_trial_json(dfl_text *text, const dfl_trial *trial)
{
    const dfl_statistics *stats = &trial->statistics;
    dfl_text_add(text, "{\"form\": \"%s\", \"method\": \"%s\", \"status\": \"%s\", \"message\": ",
                 dfl_form_name(trial->form), trial->method,
                 trial->completed ? "completed"
                 : trial->refused ? "refused"
                                  : "failed");
    dfl_json_string(text, trial->completed ? "" : trial->message);
    add_member(text, "tolerance", trial->tolerance);
    add_member(text, "seconds", trial->seconds);
    dfl_text_add(text,
                 ", \"steps\": %ld, \"rejected\": %ld, \"evaluations\": %ld, \"jacobians\": %ld",
                 stats->accepted, stats->rejected_error + stats->rejected_newton,
                 stats->evaluations + stats->difference_evaluations, stats->jacobians);
    add_member(text, "error_p", trial->error_p);
    add_member(text, "error_v", trial->error_v);
    add_member(text, "error_lambda", trial->error_l);
    dfl_text_add(text, ", \"max_residual\": {");
    for (int i = 0; i < DFL_LEVELS; i++) {
        dfl_text_add(text, "%s\"%s\": ", i ? ", " : "", dfl_level_names[i]);
        dfl_json_number(text, trial->levels[i]);
    }
    dfl_text_add(text, "}");
    add_member(text, "energy_drift", trial->energy_drift);
    dfl_text_add(text, "}");
}

static void add_member(dfl_text *text, const char *name, double value)
{
    dfl_text_add(text, ", \"%s\": ", name);
    dfl_json_number(text, value);
}
