/* compare.c: the runs of a comparison.

   Errors are differences at the end of the run from the projected strangeness-free form with a
   tight tolerance, divided by 1 + the size of the reference; a second tight run shows how accurate
   the reference is. Short runs are repeated and the shortest time is kept. */
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static dfl_status choose_evaluation(dfl_comparison *c);
static dfl_status make_reference(double *x, dfl_comparison *c);
static dfl_status solve(dfl_trial *trial, double *x, dfl_comparison *c);
static dfl_status settle(dfl_settings *out, dfl_trial *trial, dfl_comparison *c);
static dfl_status run_once(dfl_trial *trial, double *x, dfl_comparison *c,
                           const dfl_settings *settings);
static bool give_up(double t, double step, void *user);
static void count_dimensions(dfl_comparison *c, const dfl_statistics *stats);
static void compare_with(dfl_trial *trial, const dfl_comparison *c, const double *x,
                         const double *reference);
static double largest(const dfl_equations *eq, unsigned kinds, const double *x,
                      const double *reference);

/* Steinbrecher (2002), propositions 5 to 11; Petzold and Potra (1992), lemmas 3.1 to 3.3. */
static const dfl_form_facts facts_of[DFL_FORMS] = {
    [DFL_PSF] = {"p v lambda", 1, true, true},     [DFL_PSI1] = {"p v lambda", 2, true, true},
    [DFL_EOM] = {"p v lambda", 3, true, true},     [DFL_EOM2] = {"v lambda", 2, false, true},
    [DFL_EOM1] = {"lambda", 1, false, false},      [DFL_UODE] = {"none", 0, false, false},
    [DFL_GGL] = {"p v lambda", 2, true, true},     [DFL_BAUMGARTE] = {"lambda", 1, false, false},
    [DFL_ODAE] = {"p v lambda", 1, true, true},    [DFL_EXT316] = {"p v lambda", 2, true, true},
    [DFL_EXT317] = {"p v lambda", 2, true, true},  [DFL_PINV] = {"p v lambda", 2, true, true},
    [DFL_TANGENT] = {"p v lambda", 1, true, true}, [DFL_PARTITION] = {"p v lambda", 1, true, true},
    [DFL_EXPLICIT] = {"lambda", 1, false, false},  [DFL_IMPLICIT] = {"lambda", 1, false, false},
    [DFL_SEPARATION] = {"none", 0, false, false},  [DFL_SSF] = {"p v lambda", 1, true, true},
    [DFL_QR] = {"none", 0, false, false},          [DFL_SVD] = {"none", 0, false, false},
};

/* Without constraints all forms are differential equations, but for auxiliary variables, contact
   variables and massless directions, which need one differentiation; without holonomic ones
   there is no index 3. */
dfl_form_facts dfl_comparison_facts(const dfl_comparison *comparison, dfl_form form)
{
    const dfl_equations *eq = comparison->eq;
    const bool plain = eq->nl + eq->nm == 0, algebraic = eq->nw + eq->ns + eq->n0 > 0;
    dfl_form_facts facts = facts_of[form == DFL_EOM && eq->nl == 0 ? DFL_EOM2 : form];
    if (plain) {
        facts.index = algebraic ? 1 : 0;
        facts.consistent = algebraic ? "s w and massless v" : "none";
    }
    return facts;
}

/* In the underlying differential equation the multipliers are states as well. */
int dfl_comparison_dimension(const dfl_comparison *comparison, dfl_form form)
{
    const dfl_form_facts facts = dfl_comparison_facts(comparison, form);
    return comparison->dimension_all - (facts.positions ? comparison->dimension_positions : 0) -
           (facts.velocities ? comparison->dimension_velocities : 0) +
           (form == DFL_UODE ? comparison->dimension_velocities : 0);
}

double dfl_trial_error(const dfl_trial *trial)
{
    return fmax(trial->error_p, trial->error_v);
}

double dfl_trial_velocity(const dfl_trial *trial)
{
    enum { VELOCITY = 1, NONHOLONOMIC = 3 }; /* of dfl_level_names */
    return fmax(trial->levels[VELOCITY], trial->levels[NONHOLONOMIC]);
}

dfl_status dfl_compare(dfl_comparison *c)
{
    const int n = c->eq->n, all = c->nforms * c->nmethods * c->ntolerances;
    double *reference = dfl_alloc(c->ctx, (size_t)n, sizeof *reference);
    double *x = dfl_alloc(c->ctx, (size_t)n, sizeof *x);
    c->trials = dfl_alloc(c->ctx, (size_t)all, sizeof *c->trials);
    dfl_status status = reference && x && c->trials ? choose_evaluation(c) : DFL_NO_MEMORY;
    c->deadline = INFINITY; /* the reference may take long */
    if (!status)
        status = make_reference(reference, c);
    for (int i = 0; !status && !c->interrupted && i < all; i++) {
        dfl_trial *trial = &c->trials[i];
        trial->form = c->forms[i / (c->nmethods * c->ntolerances)];
        trial->method = c->methods[i / c->ntolerances % c->nmethods];
        trial->tolerance = c->tolerances[i % c->ntolerances];
        if (c->progress)
            c->progress(i, all, trial, c->user);
        c->deadline = c->limit > 0 ? dfl_clock() + c->limit : INFINITY;
        status = solve(trial, x, c);
        if (trial->completed)
            compare_with(trial, c, x, reference);
        c->ntrials += !status && !c->interrupted;
    }
    dfl_free(c->ctx, reference);
    dfl_free(c->ctx, x);
    return c->interrupted && !status ? DFL_STOPPED : status;
}

void dfl_comparison_clear(dfl_comparison *comparison)
{
    if (comparison->ctx)
        dfl_free(comparison->ctx, comparison->trials);
    comparison->trials = NULL;
}

/* The same for all runs, so that their times can be compared: compiled where that is possible. */
static dfl_status choose_evaluation(dfl_comparison *c)
{
    bool native = false;
    c->evaluation = dfl_choices_text(&c->choices, "evaluation");
    if (c->evaluation)
        return DFL_OK;
    const dfl_status status =
        dfl_runnable_compile(&native, c->run, DFL_EVAL_NATIVE, NULL, NULL, NULL);
    c->evaluation = c->eq->model->tree ? "recursion" : native ? "native" : "tape";
    return status == DFL_NO_MEMORY ? status : DFL_OK;
}

static dfl_status make_reference(double *x, dfl_comparison *c)
{
    double tightest = 1;
    for (int i = 0; i < c->ntolerances; i++)
        tightest = fmin(tightest, c->tolerances[i]);
    c->reference_tolerance = fmin(1e-12, fmax(0.01 * tightest, 1e-14));
    dfl_trial tight = {.form = DFL_PSF, .method = "radau", .tolerance = c->reference_tolerance};
    dfl_trial less = {.form = DFL_PSF, .method = "radau", .tolerance = 10 * tight.tolerance};
    if (c->progress)
        c->progress(-1, 0, &tight, c->user);
    double *other = dfl_alloc(c->ctx, (size_t)c->eq->n, sizeof *other);
    dfl_status status = other ? solve(&less, other, c) : DFL_NO_MEMORY;
    if (!status && !c->interrupted)
        status = solve(&tight, x, c);
    if (!status && !c->interrupted && !(tight.completed && less.completed))
        status = dfl_fail(c->ctx, less.refused ? DFL_INVALID : DFL_NOT_CONVERGED,
                          "there is no reference solution: %s",
                          less.completed ? tight.message : less.message);
    if (!status && !c->interrupted) {
        compare_with(&less, c, other, x);
        c->uncertainty = dfl_trial_error(&less);
        count_dimensions(c, &tight.statistics);
    }
    dfl_free(c->ctx, other);
    return status;
}

/* One combination, run until its time is known: the outcome in `trial`, the final state in x.
   Fails only without memory. */
static dfl_status solve(dfl_trial *trial, double *x, dfl_comparison *c)
{
    enum { MOST_RUNS = 5 };
    const double long_enough = 0.1; /* s */
    dfl_settings settings;
    const double begun = dfl_clock();
    trial->seconds = trial->energy_drift = NAN;
    trial->error_p = trial->error_v = trial->error_l = NAN;
    for (int i = 0; i < DFL_LEVELS; i++)
        trial->levels[i] = NAN;
    dfl_status status = settle(&settings, trial, c);
    for (int k = 0; k < MOST_RUNS && !status && !trial->refused && !c->interrupted; k++) {
        if (k > 0 && (!trial->completed || dfl_clock() - begun > long_enough))
            break;
        status = run_once(trial, x, c, &settings);
    }
    return status == DFL_NO_MEMORY ? status : DFL_OK;
}

static dfl_status settle(dfl_settings *out, dfl_trial *trial, dfl_comparison *c)
{
    dfl_choices choices = c->choices;
    choices.text[dfl_setting_find("form")] = dfl_form_name(trial->form);
    choices.text[dfl_setting_find("method")] = trial->method;
    choices.text[dfl_setting_find("evaluation")] = c->evaluation;
    choices.number[dfl_setting_find("rtol")] = trial->tolerance;
    choices.number[dfl_setting_find("atol")] = trial->tolerance;
    dfl_status status = dfl_settings_resolve(out, &choices, c->run);
    if (!status)
        status = dfl_settings_check_end(out, &choices, c->eq->model);
    trial->refused = status != DFL_OK;
    if (status)
        snprintf(trial->message, sizeof trial->message, "%s", dfl_message(c->ctx));
    else {
        out->solver.output.every = 0; /* rows would cut steps short */
        c->from = out->from;
        c->to = out->to;
    }
    return status;
}

static dfl_status run_once(dfl_trial *trial, double *x, dfl_comparison *c,
                           const dfl_settings *settings)
{
    dfl_simulation sim = {.ctx = c->ctx,
                          .run = c->run,
                          .eq = c->eq,
                          .settings = settings,
                          .watch = give_up,
                          .user = c};
    dfl_summary summary;
    const dfl_status status = dfl_simulate(&summary, &sim);
    c->interrupted = c->interrupt && c->interrupt(c->user); /* also before the first step */
    trial->refused = !sim.started;
    trial->completed = status == DFL_OK;
    snprintf(trial->message, sizeof trial->message, "%s", summary.message);
    if (status == DFL_STOPPED && !c->interrupted)
        snprintf(trial->message, sizeof trial->message,
                 "given up after %g s of computing, at t = %.6g", c->limit, summary.t);
    if (summary.x) {
        memcpy(x, summary.x, (size_t)c->eq->n * sizeof *x);
        trial->statistics = summary.statistics;
        trial->energy_drift = summary.energy_drift;
        trial->seconds = fmin(trial->seconds, summary.statistics.seconds);
        dfl_summary_levels(trial->levels, &summary, c->eq);
    }
    dfl_simulation_clear(&sim);
    return status == DFL_NO_MEMORY ? status : DFL_OK;
}

static bool give_up(double t, double step, void *user)
{
    dfl_comparison *c = user;
    (void)t;
    (void)step;
    c->interrupted = c->interrupt && c->interrupt(c->user);
    return c->interrupted || dfl_clock() > c->deadline;
}

static void count_dimensions(dfl_comparison *c, const dfl_statistics *stats)
{
    const dfl_equations *eq = c->eq;
    c->dimension_all = eq->np + eq->nv + eq->nr - eq->nep - eq->n0;
    c->dimension_positions = stats->rank_position;
    c->dimension_velocities = stats->rank_velocity;
}

enum {
    POSITIONS = 1 << DFL_SYM_P | 1 << DFL_SYM_S,
    VELOCITIES = 1 << DFL_SYM_V | 1 << DFL_SYM_R,
    MULTIPLIERS = 1 << DFL_SYM_LAMBDA | 1 << DFL_SYM_MU | 1 << DFL_SYM_W
};

static void compare_with(dfl_trial *trial, const dfl_comparison *c, const double *x,
                         const double *reference)
{
    trial->error_p = largest(c->eq, POSITIONS, x, reference);
    trial->error_v = largest(c->eq, VELOCITIES, x, reference);
    trial->error_l = largest(c->eq, MULTIPLIERS, x, reference);
}

/* The largest error of the unknowns of some kinds, relative where they are large. */
static double largest(const dfl_equations *eq, unsigned kinds, const double *x,
                      const double *reference)
{
    double worst = NAN;
    for (int i = 0; i < eq->n; i++)
        if (dfl_node_of(eq->graph, eq->x[i].symbol)->depends & kinds)
            worst = fmax(worst, fabs(x[i] - reference[i]) / (1 + fabs(reference[i])));
    return worst;
}
