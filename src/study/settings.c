/* settings.c: how a model is run: the caller beats the script, the script beats the default. */
#include "study/study.h"

#include "context/text.h"
#include "solver/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A choice by name. */
typedef struct choice {
    const char *what;         /* "form" */
    const char *const *names; /* the default first */
} choice;

/* Methods by name: an integrator and, of those that have several, the order; 0: automatic. */
static const char *const methods[] = {"radau",    "radau1",        "radau5",        "radau9",
                                      "radau13",  "bdf",           "bdf1",          "bdf2",
                                      "bdf3",     "bdf4",          "bdf5",          "trapezoidal",
                                      "midpoint", "half-explicit", "explicit-pair", NULL};
static const struct {
    dfl_integrator integrator;
    int order;
} method_of[] = {{DFL_RADAU, 0},    {DFL_RADAU, 1},         {DFL_RADAU, 5},
                 {DFL_RADAU, 9},    {DFL_RADAU, 13},        {DFL_BDF, 0},
                 {DFL_BDF, 1},      {DFL_BDF, 2},           {DFL_BDF, 3},
                 {DFL_BDF, 4},      {DFL_BDF, 5},           {DFL_TRAPEZOIDAL, 0},
                 {DFL_MIDPOINT, 0}, {DFL_HALF_EXPLICIT, 0}, {DFL_EXPLICIT_PAIR, 0}};
_Static_assert(sizeof methods / sizeof *methods == sizeof method_of / sizeof *method_of + 1,
               "one name for each method");
/* Initial values: completed consistently, or as they are. */
static const char *const starts[] = {"project", "as-given", NULL};
static const char *const evaluations[] = {"auto", "tape", "native", "recursion", NULL};

enum { NAMES = 4 }; /* choices by name */

static dfl_status choose_names(int *chosen, const dfl_choices *choices, const dfl_model *model);
static dfl_status choose(int *out, dfl_context *ctx, const choice *of, const char *prefix,
                         const char *given, const char *script);
static bool script_decides(const dfl_choices *choices, const dfl_run_settings *script);
static dfl_status in_script(const dfl_model *model, dfl_status status);
static int place_of(const char *name, const char *const *names);
static double pick(double given, double script, double otherwise);
static dfl_status check_combination(const dfl_settings *settings, dfl_context *ctx);

dfl_choices dfl_choices_none(const char *prefix)
{
    return (dfl_choices){.to = NAN,
                         .from = NAN,
                         .rtol = NAN,
                         .atol = NAN,
                         .every = NAN,
                         .first_step = NAN,
                         .max_step = NAN,
                         .fixed_step = NAN,
                         .max_steps = NAN,
                         .baumgarte_alpha = NAN,
                         .baumgarte_beta = NAN,
                         .prefix = prefix};
}

dfl_status dfl_settings_resolve(dfl_settings *out, const dfl_choices *choices, dfl_runnable *run)
{
    const dfl_model *model = dfl_runnable_equations(run)->model;
    const dfl_run_settings *script = &model->run;
    dfl_context *ctx = model->ctx;
    int chosen[NAMES] = {0};
    const dfl_status named = choose_names(chosen, choices, model);
    if (named)
        return named;
    const int which = chosen[0], integrator = chosen[1], how = chosen[2], begin = chosen[3];
    *out = (dfl_settings){.from = pick(choices->from, script->from, 0),
                          .to = pick(choices->to, script->to, NAN),
                          .form = dfl_form_name((dfl_form)which),
                          .method = methods[integrator],
                          .evaluation_name = evaluations[how],
                          .evaluation = (dfl_evaluation)how,
                          .start_name = starts[begin],
                          .start = begin == 0 ? DFL_START_PROJECT : DFL_START_AS_GIVEN};
    dfl_solver_options wanted = {
        .form = (dfl_form)which,
        .integrator = method_of[integrator].integrator,
        .order = method_of[integrator].order,
        .rtol = pick(choices->rtol, script->rtol, 0),
        .atol = pick(choices->atol, script->atol, 0),
        .output.every = pick(choices->every, script->every, 0),
        .step.first = pick(choices->first_step, script->first_step, 0),
        .step.max = pick(choices->max_step, script->max_step, 0),
        .step.fixed = pick(choices->fixed_step, script->fixed_step, 0),
        .step.max_attempts = (long)pick(choices->max_steps, script->max_steps, 0),
        .baumgarte.alpha = pick(choices->baumgarte_alpha, script->baumgarte_alpha, 0),
        .baumgarte.beta = pick(choices->baumgarte_beta, script->baumgarte_beta, 0),
        .constraints.lagged = choices->lagged,
        .output.project = !choices->interpolate};
    out->solver = wanted;
    if (choices->independent) {
        const dfl_status known =
            dfl_runnable_independent(&wanted.constraints.independent, run, choices->independent);
        if (known)
            return known;
    }
    dfl_status status = check_combination(out, ctx);
    if (!status)
        status = dfl_options_resolve(&out->solver, ctx, dfl_runnable_eom(run), &wanted);
    return status == DFL_INVALID && script_decides(choices, script) ? in_script(model, status)
                                                                    : status;
}

/* Numbers of form, method, evaluation and start. */
static dfl_status choose_names(int *chosen, const dfl_choices *choices, const dfl_model *model)
{
    const char *forms[DFL_FORMS + 1] = {NULL};
    for (int i = 0; i < DFL_FORMS; i++)
        forms[i] = dfl_form_name((dfl_form)i);
    const struct {
        choice of;
        const char *given, *script;
    } named[NAMES] = {{{"form", forms}, choices->form, model->run.form},
                      {{"method", methods}, choices->method, model->run.method},
                      {{"evaluation", evaluations}, choices->evaluation, NULL},
                      {{"start", starts}, choices->start, model->run.start}};
    for (int i = 0; i < NAMES; i++) {
        const dfl_status status = choose(&chosen[i], model->ctx, &named[i].of, choices->prefix,
                                         named[i].given, named[i].script);
        if (status)
            return named[i].given ? status : in_script(model, status);
    }
    return DFL_OK;
}

/* Whether what is wrong must be the script's: the caller says nothing about the solver. */
static bool script_decides(const dfl_choices *choices, const dfl_run_settings *script)
{
    const double numbers[] = {choices->rtol,       choices->atol,      choices->first_step,
                              choices->max_step,   choices->max_steps, choices->baumgarte_alpha,
                              choices->fixed_step, choices->every,     choices->baumgarte_beta};
    bool silent = !choices->form && !choices->method && !choices->lagged && !choices->independent;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        silent = silent && isnan(numbers[i]);
    return silent && script->line > 0;
}

/* Puts the place of simulate{} in front of the message. */
static dfl_status in_script(const dfl_model *model, dfl_status status)
{
    char *message = dfl_copy_string(model->ctx, dfl_message(model->ctx));
    if (!message)
        return DFL_NO_MEMORY;
    dfl_fail(model->ctx, status, "%s:%d: %s", model->path, model->run.line, message);
    dfl_free(model->ctx, message);
    return status;
}

dfl_dynamics dfl_choices_dynamics(const dfl_choices *choices)
{
    const char *how = choices->evaluation;
    if (!how || !strcmp(how, "auto"))
        return DFL_DYNAMICS_AUTO;
    return !strcmp(how, "recursion") ? DFL_DYNAMICS_RECURSION : DFL_DYNAMICS_EXPRESSIONS;
}

dfl_status dfl_settings_check_method(dfl_context *ctx, const char *said, const char *name)
{
    int which;
    const choice method = {"", methods};
    return choose(&which, ctx, &method, said, name, NULL);
}

dfl_status dfl_settings_check_end(const dfl_settings *settings, const dfl_choices *choices,
                                  const dfl_model *model)
{
    if (isnan(settings->to))
        return dfl_fail(model->ctx, DFL_INVALID,
                        "%s: until when? Give %sto T, or write simulate{to = T} into the model",
                        model->path, choices->prefix);
    if (settings->to != settings->from)
        return DFL_OK;
    const dfl_status status =
        dfl_fail(model->ctx, DFL_INVALID, "the run from %g to %g has no length; give another %sto",
                 settings->from, settings->to, choices->prefix);
    return isnan(choices->to) ? in_script(model, status) : status;
}

/* The number of the chosen name. */
static dfl_status choose(int *out, dfl_context *ctx, const choice *of, const char *prefix,
                         const char *given, const char *script)
{
    const char *name = given ? given : script ? script : of->names[0];
    const char *said = given ? prefix : script ? "simulate: " : "";
    char list[400] = "";
    *out = place_of(name, of->names);
    if (*out >= 0)
        return DFL_OK;
    for (int i = 0; of->names[i]; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "",
                 of->names[i]);
    return dfl_fail(ctx, DFL_INVALID, "%s%s: there is no '%s'; choose one of %s", said, of->what,
                    name, list);
}

static int place_of(const char *name, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (!strcmp(names[i], name))
            return i;
    return -1;
}

static double pick(double given, double script, double otherwise)
{
    return !isnan(given) ? given : !isnan(script) ? script : otherwise;
}

static dfl_status check_combination(const dfl_settings *settings, dfl_context *ctx)
{
    const dfl_solver_options *solver = &settings->solver;
    if (solver->step.fixed > 0 && (solver->step.first > 0 || solver->step.max > 0))
        return dfl_fail(
            ctx, DFL_INVALID,
            "fixed-step says the size of every step; leave first-step and max-step out");
    const double rows =
        solver->output.every > 0 ? fabs(settings->to - settings->from) / solver->output.every : 0;
    if (rows > 1e8)
        return dfl_fail(
            ctx, DFL_INVALID,
            "every = %g would give %.2g rows; choose a larger distance (1e8 rows at most)",
            solver->output.every, rows);
    if (solver->rtol >= 1)
        return dfl_fail(ctx, DFL_INVALID, "rtol is %g; choose it below 1, such as 1e-6",
                        solver->rtol);
    return DFL_OK;
}
