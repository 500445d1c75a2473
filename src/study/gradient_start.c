/* gradient_start.c: how a consistent start changes with parameters and initial values.

   A start is the solution of a nonlinear least-squares problem with held values, which come from
   the script as numbers. So the script is loaded with values nearby, and central differences of the
   starts, which are computed to rounding, are extrapolated. The solver then moves them onto the
   differentiated constraints. */
#include "study/gradient_internal.h"

#include "linalg/linalg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static dfl_status create_starter(dfl_solver **out, const gradient_run *it, dfl_runnable *run);
static dfl_solver_options starter_options(const gradient_run *it);
static dfl_status start_of(double *x, const gradient_run *it, dfl_runnable *run,
                           dfl_solver *solver);
static void clear_nearby(gradient_run *it);
static dfl_status start_at(double *x, gradient_run *it, const followed *by, double value);
static dfl_status check_numbers(const gradient_run *it, const followed *by,
                                const dfl_loaded *nearby);

/* The value that initial(x) varies around, and by how much. */
static double increment(const gradient_run *it, const followed *by)
{
    const dfl_equations *eq = eq_of(it->run);
    const double value = by->place >= 0 ? it->x[by->place] : by->value;
    double size = fabs(value);
    for (int i = eq->nw + eq->nl + eq->nm; size == 0 && by->place >= 0 && i < eq->n; i++)
        size = fmax(size, fabs(it->x[i]));
    return 1e-2 * (size > 0 ? size : 1);
}

/* The start with another value of one parameter. */
typedef struct neighbour {
    gradient_run *it;
    const followed *by;
} neighbour;

static dfl_status start_beside(double *x, double h, void *user)
{
    const neighbour *self = user;
    const followed *by = self->by;
    const double value = by->place >= 0 ? self->it->x[by->place] : by->value;
    return start_at(x, self->it, by, value + h);
}

dfl_status dfl_gradient_start(gradient_run *it)
{
    const size_t n = (size_t)eq_of(it->run)->n, nd = (size_t)dfl_gradient_discretes(it);
    double *slopes = dfl_alloc(ctx_of(it->run), 5 * (n + nd), sizeof *slopes);
    double *work = slopes + n + nd;
    if (!slopes)
        return DFL_NO_MEMORY;
    dfl_solver *solver = NULL;
    dfl_status status = create_starter(&solver, it, it->run);
    if (!status)
        status = start_of(it->x, it, it->run, solver);
    dfl_solver_free(solver);
    for (int j = 0; !status && j < it->count; j++) {
        neighbour self = {it, &it->followed[j]};
        double doubt;
        status = dfl_slope_at_zero(slopes, &doubt, (int)(n + nd), start_beside, &self,
                                   increment(it, self.by), work);
        memcpy(it->start + (size_t)j * n, slopes, n * sizeof *slopes);
        memcpy(it->memory + (size_t)j * nd, slopes + n, nd * sizeof *slopes);
        if (!status && doubt > 1e-6)
            status = dfl_fail(ctx_of(it->run), DFL_INVALID,
                              "how the start changes with %s cannot be found: it is not smooth "
                              "there, or far too sensitive",
                              self.by->name);
    }
    clear_nearby(it);
    dfl_free(ctx_of(it->run), slopes);
    return status;
}

int dfl_gradient_discretes(const gradient_run *it)
{
    return eq_of(it->run)->model->actions.discretes.count;
}

/* A solver that starts a model as the run does. */
static dfl_status create_starter(dfl_solver **out, const gradient_run *it, dfl_runnable *run)
{
    const dfl_solver_options options = starter_options(it);
    return dfl_solver_create(out, ctx_of(run), dfl_runnable_eom(run), &options);
}

static dfl_solver_options starter_options(const gradient_run *it)
{
    return (dfl_solver_options){.rtol = 1e-12,
                                .atol = 1e-14,
                                .constraints.redundant =
                                    it->settings->solver.constraints.redundant};
}

/* x (n): where a model starts. */
static dfl_status start_of(double *x, const gradient_run *it, dfl_runnable *run, dfl_solver *solver)
{
    const dfl_solver_options options = starter_options(it);
    const double t0 = it->settings->from;
    return it->settings->start == DFL_START_AS_GIVEN
               ? dfl_study_start_as_given(x, run, solver, t0)
               : dfl_study_start(x, NULL, run, solver, &options, t0);
}

static void clear_nearby(gradient_run *it)
{
    dfl_solver_free(it->starter);
    it->starter = NULL;
    dfl_loaded_clear(&it->nearby);
}

/* Loads the script with one setting changed: it takes the place of the one for `by`, if there is
   one. */
static dfl_status load_with(dfl_loaded *out, const gradient_run *it, const followed *by,
                            const char *setting)
{
    const int own = it->nfixed > 0 ? (int)(by - it->followed) : 0;
    const int count = it->nfixed > 0 ? it->nfixed : 1;
    const char **settings = dfl_alloc(ctx_of(it->run), (size_t)count, sizeof *settings);
    if (!settings)
        return DFL_NO_MEMORY;
    for (int i = 0; i < it->nfixed; i++)
        settings[i] = it->fixed[i];
    settings[own] = setting;
    const dfl_status status = it->variation->load(out, settings, count, it->variation->user);
    dfl_free(ctx_of(it->run), settings);
    return status;
}

/* A start nearby fails: which one, and why. */
static dfl_status explain(const gradient_run *it, dfl_status status, const followed *by,
                          const char *setting)
{
    char why[1000];
    snprintf(why, sizeof why, "%s", dfl_message(ctx_of(it->run)));
    return dfl_fail(ctx_of(it->run), status,
                    "derivatives by %s need starts nearby, but with %s: %s", by->name, setting,
                    why);
}

/* Gives the model nearby a value of `by` in place of the one that it had of another parameter.
 *same: its script declares the same with it; else the model is to be loaded anew. */
static dfl_status revalue(bool *same, gradient_run *it, const followed *by, const char *setting,
                          double value)
{
    const followed *before = it->changed;
    char own[300];
    const char *const sets[] = {setting, own};
    *same = false;
    if (!it->nearby.run || !before || before->place >= 0 || by->place >= 0)
        return DFL_OK;
    if (!it->nearby.eq->massless.none || it->nearby.model->jumps.count > 0)
        return DFL_OK; /* what runs has numbers of its own */
    const dfl_declaration *given = dfl_model_find(it->nearby.model, before->name);
    if (given && given->from != 0)
        return DFL_OK; /* it would follow other parameters, if it were not given */
    snprintf(own, sizeof own, "%s=%.17g", before->name, before->value);
    dfl_status status = dfl_model_revalue(same, it->nearby.model, sets, before == by ? 1 : 2);
    if (!status && *same)
        status = dfl_equations_compare_masses(same, it->nearby.eq);
    if (!status && *same && before != by)
        status = dfl_runnable_set(it->nearby.run, before->kind, before->index, before->value);
    if (!status && *same)
        status = dfl_runnable_set(it->nearby.run, by->kind, by->index, value);
    return status;
}

/* it->nearby: the model with another value of `by`. */
static dfl_status take_nearby(gradient_run *it, const followed *by, const char *setting,
                              double value)
{
    bool same;
    dfl_status status = revalue(&same, it, by, setting, value);
    if (!status && !same) {
        clear_nearby(it);
        status = load_with(&it->nearby, it, by, setting);
        if (!status)
            status = create_starter(&it->starter, it, it->nearby.run);
    }
    it->changed = by;
    if (!status && it->nearby.eq->n != eq_of(it->run)->n)
        status = dfl_fail(ctx_of(it->run), DFL_INVALID,
                          "the model has other unknowns with %s; derivatives by it do not exist",
                          setting);
    return status;
}

/* x (n, then the discrete variables): the start of the script with another value. */
static dfl_status start_at(double *x, gradient_run *it, const followed *by, double value)
{
    char setting[300];
    snprintf(setting, sizeof setting, "%s=%.17g", by->name, value);
    dfl_status status = take_nearby(it, by, setting, value);
    if (!status)
        status = start_of(x, it, it->nearby.run, it->starter);
    const int n = eq_of(it->run)->n, nd = dfl_gradient_discretes(it);
    for (int i = 0; !status && i < nd && i < it->nearby.model->actions.discretes.count; i++)
        x[n + i] = it->nearby.model->actions.discretes.item[i].value;
    if (status && status != DFL_NO_MEMORY)
        status = explain(it, status, by, setting);
    if (!status && by->place < 0)
        status = check_numbers(it, by, &it->nearby);
    return status;
}

/* Derivatives of the rows are those of their expressions, which contain the parameter as a symbol.
   If they are others with another value, the script has computed with it as a number. */
static dfl_status check_numbers(const gradient_run *it, const followed *by,
                                const dfl_loaded *nearby)
{
    const dfl_model *model = eq_of(it->run)->model;
    static const char *const ends[] = {"from", "to"};
    bool same;
    const dfl_status status = dfl_equations_same(&same, eq_of(it->run), nearby->eq);
    if (status)
        return status;
    for (int i = 0; same && i < model->declarations.count; i++) {
        const dfl_declaration *a = &model->declarations.item[i];
        const dfl_declaration *b = &nearby->model->declarations.item[i];
        if ((a->kind == DFL_A_PARAM || a->kind == DFL_AN_INPUT) && a->symbol != by->symbol)
            same = a->value == b->value;
    }
    for (int i = 0; same && i < model->goals.measures.count; i++) {
        const double a = model->goals.measures.item[i].t;
        const double b = nearby->model->goals.measures.item[i].t;
        same = a == b || (isnan(a) && isnan(b));
    }
    if (!same)
        return dfl_fail(
            model->ctx, DFL_INVALID,
            "%s uses '%s' as a number outside of initial values (in a table, in a "
            "condition of Lua, as a time or a period, as the value of another parameter), so "
            "derivatives by it would be wrong",
            model->path, by->name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const double a = dfl_choices_number(&model->run, ends[i]);
        const double b = dfl_choices_number(&nearby->model->run, ends[i]);
        if (a != b && !(isnan(a) && isnan(b)))
            return dfl_fail(model->ctx, DFL_INVALID,
                            "'%s' in simulate{} depends on '%s'; give it with --%s", ends[i],
                            by->name, ends[i]);
    }
    return DFL_OK;
}
