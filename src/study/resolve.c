/* resolve.c: how a model is run: the caller overrides the script, the script overrides the
   default. */
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dfl_choices merge(const dfl_choices *caller, const dfl_choices *script);
static dfl_status check_words(dfl_choices *said, const dfl_choices *caller, const dfl_model *model);
static dfl_status check_word(dfl_context *ctx, const dfl_setting *setting, const char *said,
                             const char *word);
static int word_number(const dfl_choices *said, const char *name);
static void fill_fields(dfl_solver_options *out, const dfl_choices *said);
static void store(dfl_solver_options *out, const dfl_setting *setting, double number);
static double stored(const dfl_solver_options *options, const dfl_setting *setting);
static void choose_method(dfl_solver_options *out, const char *method);
static void suit_large_models(dfl_solver_options *wanted, const dfl_eom *eom);
static bool script_decides(const dfl_choices *caller, const dfl_model *model);
static dfl_status in_script(const dfl_model *model, dfl_status status);
static dfl_status check_combination(const dfl_settings *settings, dfl_context *ctx);

dfl_status dfl_settings_resolve(dfl_settings *out, const dfl_choices *caller, dfl_runnable *run)
{
    const dfl_model *model = dfl_runnable_equations(run)->model;
    *out = (dfl_settings){.said = merge(caller, &model->run)};
    dfl_choices *said = &out->said;
    dfl_status status = check_words(said, caller, model);
    if (status)
        return status;
    const double from = dfl_choices_number(said, "from");
    out->from = isnan(from) ? 0 : from;
    said->number[dfl_setting_find("from")] = out->from;
    out->to = dfl_choices_number(said, "to");
    out->form = dfl_choices_text(said, "form");
    out->method = dfl_choices_text(said, "method");
    out->evaluation = (dfl_evaluation)word_number(said, "evaluation");
    out->start = word_number(said, "start") == 0 ? DFL_START_PROJECT : DFL_START_AS_GIVEN;
    dfl_solver_options wanted = {.output.project = dfl_choices_number(said, "interpolate") != 1};
    fill_fields(&wanted, said);
    choose_method(&wanted, out->method);
    if (dfl_runnable_packed(run))
        suit_large_models(&wanted, dfl_runnable_eom(run));
    wanted.error.duration = isfinite(out->to) ? fabs(out->to - out->from) : 0;
    out->solver = wanted;
    if (isnan(dfl_choices_number(said, "redundant")))
        status = dfl_runnable_tolerances(&wanted.constraints, run);
    const char *independent = dfl_choices_text(said, "independent");
    if (!status && independent)
        status = dfl_runnable_independent(&wanted.constraints, run, independent);
    if (status)
        return status;
    status = check_combination(out, model->ctx);
    if (!status)
        status =
            dfl_solver_options_resolve(&out->solver, model->ctx, dfl_runnable_eom(run), &wanted);
    return status == DFL_INVALID && script_decides(caller, model) ? in_script(model, status)
                                                                  : status;
}

/* In a mean over thousands of bodies an error at one of them hardly counts; multipliers converge
   last and reach rounding first. */
static void suit_large_models(dfl_solver_options *wanted, const dfl_eom *eom)
{
    if (eom->structure)
        wanted->error.norm = DFL_NORM_BODY;
    if (wanted->newton.multiplier_weight == 0)
        wanted->newton.multiplier_weight = 0.01;
}

static dfl_choices merge(const dfl_choices *caller, const dfl_choices *script)
{
    dfl_choices said = *caller;
    for (int i = 0; i < dfl_settings_count(); i++) {
        if (isnan(said.number[i]))
            said.number[i] = script->number[i];
        if (!said.text[i])
            said.text[i] = script->text[i];
    }
    return said;
}

/* Fills in the words that nobody chose; the others must exist. */
static dfl_status check_words(dfl_choices *said, const dfl_choices *caller, const dfl_model *model)
{
    for (int i = 0; i < dfl_settings_count(); i++) {
        const dfl_setting *setting = dfl_setting_at(i);
        if (setting->kind != DFL_SETTING_WORD)
            continue;
        if (!said->text[i])
            said->text[i] = setting->words[0];
        const dfl_choices *source = caller->text[i] ? caller : &model->run;
        const dfl_spelled name = dfl_setting_spelled(source->prefix, setting->name);
        const dfl_status status = check_word(model->ctx, setting, name.text, said->text[i]);
        if (status)
            return caller->text[i] ? status : in_script(model, status);
    }
    return DFL_OK;
}

static dfl_status check_word(dfl_context *ctx, const dfl_setting *setting, const char *said,
                             const char *word)
{
    char list[400] = "";
    if (dfl_setting_word(setting, word) >= 0)
        return DFL_OK;
    for (int i = 0; setting->words[i]; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "",
                 setting->words[i]);
    return dfl_fail(ctx, DFL_INVALID, "%s: there is no '%s'; choose one of %s", said, word, list);
}

static int word_number(const dfl_choices *said, const char *name)
{
    const int i = dfl_setting_find(name);
    return dfl_setting_word(dfl_setting_at(i), said->text[i]);
}

/* The settings that are fields of the solver's options. */
static void fill_fields(dfl_solver_options *out, const dfl_choices *said)
{
    for (int i = 0; i < dfl_settings_count(); i++) {
        const dfl_setting *setting = dfl_setting_at(i);
        if (setting->type == DFL_FIELD_ENUM)
            store(out, setting, dfl_setting_word(setting, said->text[i]));
        else if (!isnan(said->number[i]))
            store(out, setting, said->number[i]);
    }
}

static void store(dfl_solver_options *out, const dfl_setting *setting, double number)
{
    void *field = (char *)out + setting->offset;
    switch (setting->type) {
    case DFL_FIELD_DOUBLE:
        *(double *)field = number;
        break;
    case DFL_FIELD_LONG:
        *(long *)field = (long)number;
        break;
    case DFL_FIELD_INT:
    case DFL_FIELD_ENUM:
        *(int *)field = (int)number;
        break;
    case DFL_FIELD_BOOL:
        *(bool *)field = number != 0;
        break;
    case DFL_FIELD_NONE:
        break;
    }
}

static double stored(const dfl_solver_options *options, const dfl_setting *setting)
{
    const void *field = (const char *)options + setting->offset;
    switch (setting->type) {
    case DFL_FIELD_DOUBLE:
        return *(const double *)field;
    case DFL_FIELD_LONG:
        return (double)*(const long *)field;
    case DFL_FIELD_INT:
    case DFL_FIELD_ENUM:
        return *(const int *)field;
    case DFL_FIELD_BOOL:
        return *(const bool *)field;
    case DFL_FIELD_NONE:
        break;
    }
    return NAN;
}

/* The name of an integrator, then its order; none: automatic. */
static void choose_method(dfl_solver_options *out, const char *method)
{
    static const char *const integrators[DFL_INTEGRATORS] = {[DFL_RADAU] = "radau",
                                                             [DFL_BDF] = "bdf",
                                                             [DFL_TRAPEZOIDAL] = "trapezoidal",
                                                             [DFL_MIDPOINT] = "midpoint",
                                                             [DFL_HALF_EXPLICIT] = "half-explicit",
                                                             [DFL_EXPLICIT_PAIR] = "explicit-pair",
                                                             [DFL_EXTRAPOLATION] = "extrapolation"};
    const size_t length = strcspn(method, "0123456789");
    for (int i = 0; i < DFL_INTEGRATORS; i++)
        if (strlen(integrators[i]) == length && !strncmp(integrators[i], method, length))
            out->integrator = (dfl_integrator)i;
    out->order = atoi(method + length);
}

int dfl_settings_describe(dfl_fact out[DFL_MOST_SETTINGS], const dfl_settings *settings)
{
    int count = 0;
    for (int i = 0; i < dfl_settings_count(); i++) {
        const dfl_setting *setting = dfl_setting_at(i);
        if (!(setting->where & DFL_FOR_RESULT))
            continue;
        const bool word = setting->kind == DFL_SETTING_WORD;
        const double number = setting->type == DFL_FIELD_NONE ? settings->said.number[i]
                                                              : stored(&settings->solver, setting);
        out[count++] = (dfl_fact){setting->name, word ? settings->said.text[i] : NULL, number};
    }
    out[count++] = (dfl_fact){"project", NULL, settings->solver.output.project};
    return count;
}

/* Whether the mistake must be in the script: the caller gives no settings of the solver. */
static bool script_decides(const dfl_choices *caller, const dfl_model *model)
{
    bool silent = !dfl_choices_text(caller, "method") && !dfl_choices_text(caller, "independent");
    for (int i = 0; i < dfl_settings_count(); i++)
        if (dfl_setting_at(i)->type != DFL_FIELD_NONE)
            silent = silent && isnan(caller->number[i]) && !caller->text[i];
    return silent && model->run_line > 0;
}

/* Puts the place of simulate{} in front of the message. */
static dfl_status in_script(const dfl_model *model, dfl_status status)
{
    char *message = dfl_copy_string(model->ctx, dfl_message(model->ctx));
    if (!message)
        return DFL_NO_MEMORY;
    dfl_fail(model->ctx, status, "%s:%d: %s", model->path, model->run_line, message);
    dfl_free(model->ctx, message);
    return status;
}

/* Whether the choice of a word, by the caller or else by the script, is `word`. */
static bool is_chosen(const dfl_choices *caller, const dfl_choices *script, const char *name,
                      const char *word)
{
    const char *text = dfl_choices_text(caller, name);
    if (!text && script)
        text = dfl_choices_text(script, name);
    return text && !strcmp(text, word);
}

/* Whether the form goes with rows that are switched on and off. */
static bool can_slide(const dfl_model *model, const dfl_choices *choices)
{
    const dfl_choices said = merge(choices, &model->run);
    const char *form = dfl_choices_text(&said, "form");
    return !form || !strcmp(form, "psf") || !strcmp(form, "psi1");
}

/* Chains, nets and frames of points on rods: sparse matrices of such models are the cheaper ones
   from about 20 velocities and constraints on. */
static bool condenses(const dfl_equations *eq)
{
    const int others = eq->nr + eq->nw + eq->ns + eq->nm + eq->ne + eq->nep + eq->n0;
    return others == 0 && eq->nl > 0 && eq->flags.mass_constant && eq->flags.mass_diagonal &&
           eq->flags.trivial_kinematics && eq->flags.forces_free_of_multipliers;
}

dfl_status dfl_study_runnable(dfl_runnable **out, const dfl_equations *eq,
                              const dfl_choices *choices)
{
    const dfl_choices *script = &eq->model->run;
    const dfl_choices said = merge(choices, script);
    const double rtol = dfl_choices_number(&said, "rtol");
    if (rtol > 0)
        eq->model->precision = rtol;
    const char *why_not = dfl_runnable_unpackable(eq);
    const bool tree = is_chosen(choices, script, "linear", "tree");
    if (tree && eq->nl + eq->nm > 0)
        why_not = "it has constraints, and the matrices of a tree have no room for their rows";
    const bool sparse = is_chosen(choices, script, "linear", "sparse");
    const int from = condenses(eq) ? DFL_CONDENSED_FROM : DFL_SPARSE_FROM;
    const bool large = eq->nv + eq->nl + eq->nm >= from || eq->placing;
    *out = NULL;
    if ((tree || sparse) && why_not)
        return dfl_fail(eq->model->ctx, DFL_INVALID,
                        "linear = %s does not go with this model, because %s; use auto or dense",
                        tree ? "tree" : "sparse", why_not);
    const bool packed = tree || sparse || (large && !why_not && dfl_choices_may_be_sparse(&said));
    const dfl_status status =
        packed ? dfl_runnable_create_packed(out, eq) : dfl_runnable_create(out, eq);
    if (!status && packed && !sparse && eq->nl + eq->nm == 0)
        dfl_runnable_call_tree(*out);
    return status;
}

dfl_status dfl_study_derive(dfl_equations **eq, dfl_runnable **run, dfl_model *model,
                            const dfl_choices *choices)
{
    dfl_status status = can_slide(model, choices) ? dfl_model_slide(model) : DFL_OK;
    if (!status)
        status = dfl_equations_create(eq, model, true);
    return status ? status : dfl_study_runnable(run, *eq, choices);
}

dfl_dynamics dfl_choices_dynamics(const dfl_choices *choices)
{
    const char *how = dfl_choices_text(choices, "evaluation");
    if (how && !strcmp(how, "recursion"))
        return DFL_DYNAMICS_RECURSION;
    if (how && strcmp(how, "auto") != 0)
        return DFL_DYNAMICS_EXPRESSIONS;
    if (dfl_choices_demand_tree(choices))
        return DFL_DYNAMICS_EXPRESSIONS;
    if (dfl_choices_demand_sparse(choices))
        return DFL_DYNAMICS_ABSOLUTE;
    return dfl_choices_may_be_sparse(choices) ? DFL_DYNAMICS_CHEAPEST : DFL_DYNAMICS_AUTO;
}

dfl_dynamics dfl_choices_joint_dynamics(const dfl_choices *choices)
{
    const dfl_dynamics wanted = dfl_choices_dynamics(choices);
    return wanted == DFL_DYNAMICS_ABSOLUTE || wanted == DFL_DYNAMICS_CHEAPEST ? DFL_DYNAMICS_AUTO
                                                                              : wanted;
}

dfl_status dfl_settings_check_method(dfl_context *ctx, const char *said, const char *name)
{
    return check_word(ctx, dfl_setting_at(dfl_setting_find("method")), said, name);
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
    return isnan(dfl_choices_number(choices, "to")) ? in_script(model, status) : status;
}

static dfl_status check_combination(const dfl_settings *settings, dfl_context *ctx)
{
    const dfl_solver_options *solver = &settings->solver;
    if (solver->step.fixed > 0 && (solver->step.first > 0 || solver->step.max > 0))
        return dfl_fail(ctx, DFL_INVALID,
                        "fixed-step is the size of every step; leave first-step and max-step out");
    const double rows =
        solver->output.every > 0 ? fabs(settings->to - settings->from) / solver->output.every : 0;
    if (rows > 1e8)
        return dfl_fail(ctx, DFL_INVALID,
                        "every = %g would give %.2g rows; choose a larger value (1e8 rows at most)",
                        solver->output.every, rows);
    if (solver->rtol >= 1)
        return dfl_fail(ctx, DFL_INVALID, "rtol is %g; choose it below 1, such as 1e-6",
                        solver->rtol);
    return DFL_OK;
}
