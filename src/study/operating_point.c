/* operating_point.c: the state at which an analysis is made: the consistent start, with other
   values of some variables, an equilibrium or steady motion near it, or the state of a run at some
   time. */
#include "study/study_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dfl_status check_memory(const dfl_runnable *run);
static dfl_status start_at(double *x, dfl_runnable *run, const dfl_settings *settings);
static dfl_status run_to(dfl_state_found *out, dfl_runnable *run, const dfl_settings *settings,
                         double t);
static dfl_status mark_moving(bool *moving, dfl_runnable *run, const char *names);
static dfl_status take_values(dfl_runnable *run, const char *list, bool held);
static dfl_status take_value(dfl_runnable *run, bool *given, const char *item, bool held);

dfl_status dfl_study_state(dfl_state_found *out, dfl_runnable *run, const dfl_settings *settings,
                           const dfl_state_choice *choice)
{
    const dfl_equations *eq = eq_of(run);
    const char *at = choice->at;
    *out = (dfl_state_found){.t = settings->from};
    const dfl_status small = check_memory(run);
    if (small)
        return small;
    out->x = dfl_alloc(ctx_of(run), (size_t)eq->n, sizeof *out->x);
    if (!out->x)
        return DFL_NO_MEMORY;
    if (at && !strncmp(at, "t=", 2) && dfl_equations_find(eq, "t") < 0) {
        char *end;
        const double t = strtod(at + 2, &end);
        if (end == at + 2 || *end || !isfinite(t))
            return dfl_fail(ctx_of(run), DFL_INVALID, "--at %s: give a time, such as t=0.5", at);
        return run_to(out, run, settings, t);
    }
    const bool still = at && !strcmp(at, "equilibrium") && dfl_equations_find(eq, at) < 0;
    dfl_status status = at && !still ? take_values(run, at, !choice->near) : DFL_OK;
    if (!status)
        status = start_at(out->x, run, settings);
    if (!status && (still || choice->steady))
        status = dfl_study_equilibrium(&out->equilibrium, out->x, run, out->t, choice->steady);
    return status;
}

static const double most_bytes = 2e9;

/* A start with dense matrices takes most of it: 40 of them were measured. */
static double dense_bytes(const dfl_equations *eq)
{
    return 40 * sizeof(double) * (double)eq->n * eq->n;
}

/* Why few modes cannot be found with sparse matrices; or NULL. */
static const char *refuse_few(const dfl_equations *eq)
{
    return eq->ne + eq->nep > 0 ? "it keeps invariants"
           : eq->n0 > 0         ? "it has directions without mass"
                                : dfl_runnable_unpackable(eq);
}

bool dfl_study_suits_few(const dfl_equations *eq, double count)
{
    return eq->n >= 600 && 20 * count <= eq->n && !refuse_few(eq);
}

bool dfl_study_allows_dense(const dfl_equations *eq)
{
    return dense_bytes(eq) <= most_bytes;
}

static dfl_status check_memory(const dfl_runnable *run)
{
    const dfl_equations *eq = eq_of(run);
    const char *why_not = refuse_few(eq);
    if (dfl_study_allows_dense(eq) || dfl_runnable_packed(run))
        return DFL_OK;
    return dfl_fail(ctx_of(run), DFL_INVALID,
                    "analyses of a model with %d unknowns need about %.1f GB of memory; the limit "
                    "is %g GB; %s%s",
                    eq->n, dense_bytes(eq) / 1e9, most_bytes / 1e9,
                    why_not ? "few modes cannot be found with less, because "
                            : "few modes are found with less: modes --count N",
                    why_not ? why_not : "");
}

dfl_status dfl_study_equilibrium(dfl_equilibrium *report, double *x, dfl_runnable *run, double t,
                                 const char *steady)
{
    bool *moving = dfl_alloc(ctx_of(run), (size_t)eq_of(run)->nv, sizeof *moving);
    const dfl_equilibrium_options options = {.moving = steady ? moving : NULL};
    dfl_status status = moving ? DFL_OK : DFL_NO_MEMORY;
    if (!status && steady)
        status = mark_moving(moving, run, steady);
    if (!status)
        status = dfl_equilibrium_find(x, report, ctx_of(run), dfl_runnable_eom(run), t, &options);
    dfl_free(ctx_of(run), moving);
    return status ? dfl_study_name_contacts(run, status) : dfl_study_check_contacts(run, t, x);
}

/* Coordinates, whose own velocities are meant, and velocities or speeds. */
static dfl_status mark_moving(bool *moving, dfl_runnable *run, const char *names)
{
    const dfl_equations *eq = eq_of(run);
    const int v = eq->nw + eq->nl + eq->nm + eq->nr;
    dfl_name_list list;
    dfl_status status = dfl_name_list_split(&list, ctx_of(run), names);
    for (int i = 0; !status && i < list.count; i++) {
        char rate[220];
        snprintf(rate, sizeof rate, "der(%s)", list.name[i]);
        int k = dfl_equations_find(eq, rate);
        if (k < v || k >= v + eq->nv)
            k = dfl_equations_find(eq, list.name[i]);
        if (k >= v && k < v + eq->nv && moving[k - v])
            status =
                dfl_fail(ctx_of(run), DFL_INVALID, "--steady: %s is named twice", eq->x[k].name);
        else if (k >= v && k < v + eq->nv)
            moving[k - v] = true;
        else if (k >= 0)
            status = dfl_fail(ctx_of(run), DFL_INVALID,
                              "--steady: '%s' has no velocity of its own; name a coordinate or a "
                              "speed",
                              list.name[i]);
        else
            status = dfl_study_unknown_name(run, "--steady", list.name[i]);
    }
    dfl_name_list_clear(&list, ctx_of(run));
    return status;
}

/* As a run starts, with tolerances for analyses. */
static dfl_status start_at(double *x, dfl_runnable *run, const dfl_settings *settings)
{
    dfl_solver_options options = {
        .rtol = 1e-10,
        .constraints = {.redundant = settings->solver.constraints.redundant,
                        .redundant_each = settings->solver.constraints.redundant_each}};
    dfl_solver *solver = NULL;
    const bool touching = eq_of(run)->model->actions.touches.count > 0;
    if (touching) { /* contacts close, stick and slip as in a run, and stay so */
        dfl_runnable_lock(&options.switches, run, dfl_study_name_function);
    }
    dfl_status status = dfl_solver_create(&solver, ctx_of(run), dfl_runnable_eom(run), &options);
    if (!status)
        status = dfl_study_start(x, NULL, run, solver, &options, settings->from);
    dfl_solver_free(solver);
    if (touching)
        dfl_runnable_unlock(run);
    return status;
}

static dfl_status run_to(dfl_state_found *out, dfl_runnable *run, const dfl_settings *settings,
                         double t)
{
    dfl_settings until = *settings;
    dfl_summary summary;
    dfl_simulation sim = {.ctx = ctx_of(run), .run = run, .eq = eq_of(run), .settings = &until};
    until.to = t;
    if (t == settings->from)
        return start_at(out->x, run, settings);
    dfl_status status = dfl_simulate(&summary, &sim);
    if (!status && summary.t != t)
        status = dfl_fail(sim.ctx, DFL_INVALID, "--at t=%g: the run stops at t = %g: %s", t,
                          summary.t, summary.message);
    if (!status) {
        out->t = summary.t;
        memcpy(out->x, summary.x, (size_t)sim.eq->n * sizeof *out->x);
    }
    dfl_simulation_clear(&sim);
    return status;
}

/* "NAME=VALUE,...": these are held, if asked; all values of the script are guesses. */
static dfl_status take_values(dfl_runnable *run, const char *list, bool held)
{
    dfl_model *model = eq_of(run)->model;
    char *copy = dfl_copy_string(ctx_of(run), list);
    bool *given = dfl_alloc(ctx_of(run), (size_t)eq_of(run)->n, sizeof *given);
    dfl_status status = copy && given ? DFL_OK : DFL_NO_MEMORY;
    for (int i = 0; i < model->starts.count; i++)
        model->starts.item[i].held = false;
    char *next = copy;
    while (!status && next && *next) {
        char *item = next;
        next = strchr(item, ',');
        if (next)
            *next++ = 0;
        status = take_value(run, given, item, held);
    }
    dfl_free(ctx_of(run), given);
    dfl_free(ctx_of(run), copy);
    return status;
}

static dfl_status take_value(dfl_runnable *run, bool *given, const char *item, bool held)
{
    const dfl_equations *eq = eq_of(run);
    const char *equal = strrchr(item, '='), *first = item + strspn(item, " "), *last = equal;
    char name[200], *end = NULL;
    const double value = equal ? strtod(equal + 1, &end) : NAN;
    if (!equal || end == equal + 1 || end[strspn(end, " ")] || !isfinite(value))
        return dfl_fail(ctx_of(run), DFL_INVALID, "--at %s: give NAME=VALUE, t=TIME or equilibrium",
                        item);
    while (last > first && last[-1] == ' ')
        last--;
    snprintf(name, sizeof name, "%.*s", (int)(last - first), first);
    const int k = dfl_equations_find(eq, name);
    if (k < 0)
        return dfl_study_unknown_name(run, "--at", name);
    if (given[k])
        return dfl_fail(ctx_of(run), DFL_INVALID, "--at: %s is given twice", name);
    given[k] = true;
    return dfl_model_start(eq->model, 0, eq->x[k].symbol, value, held);
}

dfl_status dfl_study_unknown_name(const dfl_runnable *run, const char *option, const char *name)
{
    const dfl_equations *eq = eq_of(run);
    const char *nearest = NULL;
    int best = 0;
    for (int i = 0; i < eq->n; i++)
        if (dfl_nearer_word(&best, name, eq->x[i].name))
            nearest = eq->x[i].name;
    return dfl_fail(ctx_of(run), DFL_INVALID, "%s: there is no variable '%s'%s%s%s", option, name,
                    nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}
