/* judgement.c: what eigenvalues at a state do not know: branches that meet there, contacts at the
   end of their modes, and samples. */
#include "study/study_internal.h"

#include "declare/declare.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_DIRECTIONS = 200, /* in which branches are looked for */
    MOST_BRANCHES = 16     /* that are compared */
};

static const double near_by = 1e-7; /* as a part of the size of an unknown */

dfl_status dfl_study_doubt(dfl_linear_model *model, const char *format, ...)
{
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    dfl_context *ctx = model->linear.ctx;
    dfl_free(ctx, model->doubt);
    model->doubt = dfl_copy_string(ctx, text);
    model->linear.why = model->doubt;
    model->linear.changing = true;
    return model->doubt ? DFL_OK : DFL_NO_MEMORY;
}

double dfl_study_size(const dfl_eom *eom, const double *x, int i)
{
    const double known = eom->sizes ? eom->sizes->size[i] : 0;
    return fmax(fabs(x[i]), known > 0 ? known : 1);
}

/* ---- samples ---- */

/* One assignment of a sample: whether the target would change. */
static dfl_status judge_assignment(dfl_linear_model *model, dfl_runnable *run,
                                   const dfl_action *action, const dfl_assignment *set,
                                   const double *x)
{
    const dfl_expr exprs[] = {set->target, set->value};
    double value[2];
    const dfl_status status =
        dfl_runnable_values(value, run, exprs, 2, model->t, x, model->linear.a);
    if (status || fabs(value[1] - value[0]) <= 1e-9 * (fabs(value[0]) + fabs(value[1])) + 1e-12)
        return status;
    dfl_text name = {.ctx = ctx_of(run)};
    dfl_print_expr(&name, eq_of(run)->graph, set->target, NULL, DFL_TEXT);
    model->linear.kind = DFL_AT_FROZEN;
    const dfl_status said = dfl_study_doubt(
        model,
        "sample '%s' (line %d) changes %s from %.6g to %.6g here; until then it is a constant",
        action->name, action->line, dfl_text_string(&name), value[0], value[1]);
    dfl_text_clear(&name);
    return said;
}

/* Whether equations contain discrete variables. */
static bool uses_discretes(const dfl_equations *eq)
{
    const struct {
        const dfl_expr *row;
        int count;
    } all[] = {{eq->rows.f, eq->nv},  {eq->rows.b, eq->nr}, {eq->rows.d, eq->nw},
               {eq->rows.c, eq->ns},  {eq->rows.g, eq->nl}, {eq->rows.hv, eq->nm},
               {eq->rows.kin, eq->np}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (int i = 0; all[k].row && i < all[k].count; i++)
            if (dfl_depends(eq->graph, all[k].row[i], DFL_SYM_DISCRETE))
                return true;
    return false;
}

/* A sample that sets discrete variables of outputs alone, such as a record, does not matter. */
static bool matters(const dfl_action *action, const dfl_equations *eq)
{
    bool more = action->impulses.count > 0;
    for (int k = 0; k < action->sets.count; k++)
        more = more || !dfl_depends(eq->graph, action->sets.item[k].target, DFL_SYM_DISCRETE);
    return action->sampled && (more || uses_discretes(eq));
}

static dfl_status judge_samples(dfl_linear_model *model, dfl_runnable *run, const double *x)
{
    const dfl_actions *actions = &eq_of(run)->model->actions;
    dfl_status status = DFL_OK;
    for (int i = 0; !status && !model->doubt && i < actions->list.count; i++) {
        const dfl_action *action = &actions->list.item[i];
        if (!matters(action, eq_of(run)))
            continue;
        for (int k = 0; !status && !model->doubt && k < action->sets.count; k++)
            status = judge_assignment(model, run, action, &action->sets.item[k], x);
        if (!status && !model->doubt)
            status = dfl_study_doubt(
                model,
                "sample '%s' (line %d) acts at instants, and what it sets is constant "
                "in the linear equations",
                action->name, action->line);
    }
    return status;
}

/* ---- branches ---- */

/* Branches of switches, and of events that act, at the state and beside it. */
typedef struct branches {
    dfl_switch_options options;
    int n, count;         /* unknowns, items */
    double *here, *other; /* count each */
    double *x, *rate;     /* n: a state beside it, and the direction to it */
    void *saved;          /* what the run remembers */
} branches;

static void read_branches(double *branch, const dfl_runnable *run, int count)
{
    for (int i = 0; i < count; i++)
        branch[i] = dfl_runnable_branch(run, i);
}

/* Direction number k, or its opposite: first along each state, then along all of them. */
static void choose_direction(branches *it, const dfl_linear_model *model, const dfl_eom *eom,
                             const double *x, int k)
{
    const dfl_linearized *linear = &model->linear;
    const int ny = linear->X ? linear->ny : 0, n = it->n, along = k / 2;
    const double sign = k % 2 ? -1 : 1;
    double most = 0;
    for (int i = 0; i < n; i++)
        it->rate[i] = linear->X ? 0 : sign * dfl_generic(along, i) * dfl_study_size(eom, x, i);
    for (int j = 0; j < ny; j++) {
        const double part = along < ny && ny <= MOST_DIRECTIONS / 4
                                ? (j == along)
                                : dfl_generic(along, j) * dfl_study_size(eom, x, linear->state[j]);
        for (int i = 0; part != 0 && i < n; i++)
            it->rate[i] += sign * part * linear->X[(size_t)j * (size_t)n + (size_t)i];
    }
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(it->rate[i]) / dfl_study_size(eom, x, i));
    for (int i = 0; i < n; i++) {
        it->rate[i] = most > 0 ? it->rate[i] / most : 0;
        it->x[i] = x[i] + near_by * it->rate[i];
    }
}

/* The number of a branch that is another one there, or -1. */
static int differing(const branches *it)
{
    for (int i = 0; i < it->count; i++)
        if (it->here[i] != it->other[i])
            return i;
    return -1;
}

static double largest(const double *A, int count)
{
    double size = 0;
    for (int i = 0; i < count; i++)
        size = fmax(size, fabs(A[i]));
    return size;
}

static bool agrees(const dfl_linear_model *model, const dfl_linearized *other)
{
    const dfl_linearized *linear = &model->linear;
    const int ny = linear->ny;
    bool same = ny == other->ny && linear->kind == other->kind;
    const double size = same ? largest(linear->A, ny * ny) : 0;
    for (int i = 0; same && i < ny; i++)
        same = linear->state[i] == other->state[i];
    for (int i = 0; same && i < ny * ny; i++)
        same = fabs(linear->A[i] - other->A[i]) <= 1e-6 * (fabs(linear->A[i]) + 1e-3 * size);
    return same;
}

/* Names what switches. */
static dfl_status name_branch(dfl_linear_model *model, dfl_runnable *run, int number)
{
    const int switches = dfl_runnable_switches(run);
    dfl_text name = {.ctx = ctx_of(run)};
    if (number < switches)
        dfl_study_name_switch(&name, run, number);
    else
        dfl_text_add(&name, "event '%s'",
                     eq_of(run)->model->actions.list.item[number - switches].name);
    const dfl_status status =
        dfl_study_doubt(model,
                        "the equations are others on both sides of this state: it is "
                        "where %s switches",
                        dfl_text_string(&name));
    dfl_text_clear(&name);
    return status;
}

/* Whether the linear equations are those of the model in the present branches, too. */
static dfl_status is_same_here(bool *same, const dfl_linear_model *model, dfl_runnable *run,
                               const double *x)
{
    dfl_linearized other;
    const dfl_status status =
        dfl_linearize(&other, ctx_of(run), dfl_runnable_eom(run), model->t, x, NULL);
    *same = !status && agrees(model, &other);
    dfl_linearized_clear(&other);
    return status == DFL_NO_MEMORY ? status : DFL_OK;
}

/* In the branches beside the state. */
static dfl_status compare_branches(dfl_linear_model *model, dfl_runnable *run, branches *it,
                                   const double *x)
{
    const dfl_eom *eom = dfl_runnable_eom(run);
    const int most = (int)fmin(2 * (model->linear.ny + 8), MOST_DIRECTIONS);
    dfl_status status = DFL_OK;
    int compared = 0;
    for (int k = 0; !status && !model->doubt && k < most && compared < MOST_BRANCHES; k++) {
        bool changed;
        choose_direction(it, model, eom, x, k);
        it->options.settle(&changed, model->t, it->x, it->rate, it->options.user);
        read_branches(it->other, run, it->count);
        const int number = differing(it);
        if (number < 0)
            continue;
        compared++;
        bool same = model->linear.X && number < dfl_runnable_switches(run);
        if (same)
            status = is_same_here(&same, model, run, x);
        if (!status && !same)
            status = name_branch(model, run, number);
    }
    return status;
}

static dfl_status judge_branches(dfl_linear_model *model, dfl_runnable *run, const double *x)
{
    dfl_context *ctx = ctx_of(run);
    const size_t n = (size_t)eq_of(run)->n;
    branches it = {.n = eq_of(run)->n,
                   .count = dfl_runnable_switches(run) + eq_of(run)->model->actions.list.count};
    const size_t count = (size_t)it.count;
    if (count == 0 || model->linear.turns)
        return DFL_OK;
    bool changed;
    it.here = dfl_alloc(ctx, 2 * count + 2 * n, sizeof *it.here);
    it.saved = dfl_alloc(ctx, dfl_runnable_saved_size(run) + 1, 1);
    dfl_status status = it.here && it.saved ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        it.other = it.here + count;
        it.x = it.other + count;
        it.rate = it.x + n;
        dfl_runnable_save(it.saved, run);
        dfl_runnable_lock(&it.options, run, NULL);
        status = dfl_runnable_restore(run, it.saved);
        it.options.settle(&changed, model->t, x, NULL, it.options.user);
        read_branches(it.here, run, it.count);
        if (!status)
            status = compare_branches(model, run, &it, x);
        dfl_runnable_unlock(run);
        const dfl_status back = dfl_runnable_restore(run, it.saved);
        status = status ? status : back;
    }
    dfl_free(ctx, it.here);
    dfl_free(ctx, it.saved);
    return status;
}

dfl_status dfl_study_judge(dfl_linear_model *model, dfl_runnable *run, const double *x)
{
    dfl_status status = DFL_OK;
    if (model->linear.kind != DFL_AT_FROZEN)
        status = judge_samples(model, run, x);
    if (!status && !model->linear.changing) {
        char edge[400];
        status = dfl_study_contact_edge(edge, sizeof edge, run, model->t, x);
        if (!status && *edge)
            status = dfl_study_doubt(model, "%s", edge);
    }
    if (!status && !model->linear.changing)
        status = judge_branches(model, run, x);
    return status;
}

const char *dfl_study_stability(const dfl_linear_model *model, const dfl_modes *modes)
{
    const dfl_linearized *linear = &model->linear;
    const int cyclic = linear->kind == DFL_AT_STEADY_MOTION ? linear->cyclic : 0;
    return linear->changing              ? "not judged"
           : modes->unstable             ? "unstable"
           : modes->indifferent > cyclic ? "indifferent"
                                         : "stable";
}
