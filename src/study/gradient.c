/* gradient.c: a run with the derivatives of its state, and those of outputs at its end. */
#include "study/gradient_internal.h"

#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

static dfl_status allocate(gradient_run *it, int nof);
static dfl_status find_parameters(gradient_run *it, const char *by);
static dfl_status find_parameter(followed *out, gradient_run *it, const char *name);
static dfl_status find_outputs(gradient_run *it, const char *const *of, int nof);
static dfl_status follow(gradient_run *it);
static dfl_status at_the_end(gradient_run *it, dfl_solver *solver);
static void clear(gradient_run *it);

dfl_status dfl_study_gradient(dfl_gradient *out, dfl_runnable *run,
                              const struct dfl_settings *settings, const char *by,
                              const char *const *of, int nof, const dfl_variation *variation)
{
    gradient_run it = {.out = out, .run = run, .settings = settings, .variation = variation};
    const dfl_model *model = eq_of(run)->model;
    *out = (dfl_gradient){.ctx = ctx_of(run)};
    if (model->actions.list.count > 0 || model->actions.discretes.count > 0)
        return dfl_fail(ctx_of(run), DFL_INVALID,
                        "derivatives by parameters cannot be followed: the model has discrete "
                        "variables, events that act, or friction that sticks");
    dfl_status status = find_parameters(&it, by);
    if (!status)
        status = allocate(&it, nof);
    if (!status)
        status = find_outputs(&it, of, nof);
    if (!status)
        status = follow(&it);
    clear(&it);
    return status;
}

void dfl_gradient_clear(dfl_gradient *gradient)
{
    dfl_context *ctx = gradient->ctx;
    if (!ctx)
        return;
    for (int i = 0; gradient->by && i < gradient->count; i++)
        dfl_free(ctx, gradient->by[i]);
    for (int i = 0; gradient->of && i < gradient->nof; i++)
        dfl_free(ctx, gradient->of[i]);
    dfl_free(ctx, gradient->by);
    dfl_free(ctx, gradient->of);
    dfl_free(ctx, gradient->value);
    dfl_free(ctx, gradient->gradient);
    *gradient = (dfl_gradient){0};
}

static dfl_status find_parameters(gradient_run *it, const char *by)
{
    dfl_context *ctx = ctx_of(it->run);
    dfl_name_list list = {0};
    dfl_status status = dfl_name_list_split(&list, ctx, by);
    if (!status) {
        it->followed = dfl_alloc(ctx, (size_t)list.count, sizeof *it->followed);
        it->out->by = dfl_alloc(ctx, (size_t)list.count, sizeof *it->out->by);
        status = it->followed && it->out->by ? DFL_OK : DFL_NO_MEMORY;
    }
    for (int i = 0; !status && i < list.count; i++, it->out->count++) {
        it->out->by[i] = dfl_copy_string(ctx, list.name[i]);
        status =
            it->out->by[i] ? find_parameter(&it->followed[i], it, it->out->by[i]) : DFL_NO_MEMORY;
    }
    dfl_name_list_clear(&list, ctx);
    return status;
}

/* The number of the variable of "initial(x)", -1 if the name is another one. */
static int initial_of(const dfl_equations *eq, const char *name)
{
    static const char begin[] = "initial(";
    char inside[200];
    const size_t length = strlen(name), first = sizeof begin - 1;
    if (length <= first + 1 || strncmp(name, begin, first) || name[length - 1] != ')' ||
        length - first > sizeof inside)
        return -1;
    memcpy(inside, name + first, length - first - 1);
    inside[length - first - 1] = 0;
    return dfl_equations_find(eq, inside);
}

static dfl_status find_parameter(followed *out, gradient_run *it, const char *name)
{
    const dfl_equations *eq = eq_of(it->run);
    const dfl_declaration *decl = dfl_model_find(eq->model, name);
    *out = (followed){.name = name, .place = initial_of(eq, name), .symbol = DFL_NO_EXPR};
    if (out->place >= 0)
        return DFL_OK;
    if (!decl || (decl->kind != DFL_A_PARAM && decl->kind != DFL_AN_INPUT))
        return dfl_fail(
            ctx_of(it->run), DFL_INVALID,
            "--by: '%s' is no parameter or input of %s, nor initial(NAME) of one of its "
            "variables",
            name, eq->model->path);
    out->symbol = decl->symbol;
    out->kind = decl->kind;
    out->index = decl->index;
    out->value = decl->value;
    return DFL_OK;
}

static dfl_status allocate(gradient_run *it, int nof)
{
    dfl_context *ctx = ctx_of(it->run);
    dfl_gradient *out = it->out;
    const size_t n = (size_t)eq_of(it->run)->n, count = (size_t)out->count, d = sizeof(double);
    out->of = dfl_alloc(ctx, (size_t)nof, sizeof *out->of);
    out->value = dfl_alloc(ctx, (size_t)nof, d);
    out->gradient = dfl_alloc(ctx, (size_t)nof * count, d);
    it->expr = dfl_exprs(eq_of(it->run), nof);
    it->symbols = dfl_exprs(eq_of(it->run), (int)(n + count));
    it->x = dfl_alloc(ctx, n, d);
    it->start = dfl_alloc(ctx, n * count, d);
    it->size = dfl_alloc(ctx, count, d);
    return out->of && out->value && out->gradient && it->expr && it->symbols && it->x &&
                   it->start && it->size
               ? DFL_OK
               : DFL_NO_MEMORY;
}

static dfl_status find_outputs(gradient_run *it, const char *const *of, int nof)
{
    dfl_context *ctx = ctx_of(it->run);
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < nof; i++) {
        const char *found;
        status = dfl_study_output(&it->expr[i], &found, it->run, "--of", of[i]);
        if (!status && !(it->out->of[i] = dfl_copy_string(ctx, found)))
            status = DFL_NO_MEMORY;
        it->out->nof += !status;
    }
    return status;
}

/* Initial values have no symbol: no row depends on them. */
static dfl_status find_slopes(dfl_parameters *out, gradient_run *it)
{
    const int n = eq_of(it->run)->n;
    for (int i = 0; i < n; i++)
        it->symbols[i] = eq_of(it->run)->x[i].symbol;
    for (int j = 0; j < it->out->count; j++)
        it->symbols[n + j] = it->followed[j].symbol;
    const dfl_status status =
        dfl_runnable_parameters(out, it->run, it->symbols + n, it->out->count);
    out->size = it->size;
    return status;
}

/* The sizes of parameters are their values; of initial values, those at the start. */
static void find_sizes(gradient_run *it)
{
    for (int j = 0; j < it->out->count; j++) {
        const followed *by = &it->followed[j];
        const double value = by->place >= 0 ? it->x[by->place] : by->value;
        it->size[j] = value != 0 ? fabs(value) : 1;
    }
}

static dfl_status follow(gradient_run *it)
{
    dfl_simulation sim = {
        .ctx = ctx_of(it->run), .run = it->run, .eq = eq_of(it->run), .settings = it->settings};
    dfl_parameters parameters;
    dfl_summary summary;
    dfl_status status = find_slopes(&parameters, it);
    if (!status)
        status = dfl_gradient_start(it); /* before the run keeps branches */
    find_sizes(it);
    if (!status)
        status = dfl_simulation_begin(&sim);
    if (!status)
        status = dfl_solver_follow(sim.solver, &parameters, it->start);
    if (!status)
        status = dfl_simulation_advance(&sim, it->settings->to);
    if (status == DFL_STOPPED && sim.stop_event >= 0)
        status =
            dfl_fail(sim.ctx, DFL_INVALID,
                     "an event ends the run at t = %.10g, which depends on the parameters; end "
                     "it before with --to",
                     dfl_solver_time(sim.solver));
    if (!status)
        status = at_the_end(it, sim.solver);
    if (sim.started || status == DFL_OK)
        status = dfl_simulation_end(&summary, &sim, status);
    dfl_simulation_clear(&sim);
    return status;
}

/* gradient += (d outputs / d symbols) change; `change` is ncols x count, NULL: the identity. */
static dfl_status add_slopes(gradient_run *it, const dfl_expr *symbols, int ncols,
                             const double *change, double t, const double *x, const double *a)
{
    dfl_gradient *out = it->out;
    const int nof = out->nof, count = out->count;
    double *slopes = dfl_alloc(out->ctx, (size_t)nof * (size_t)ncols, sizeof *slopes);
    dfl_status status =
        slopes ? dfl_runnable_slopes(slopes, it->run, it->expr, nof, symbols, ncols, t, x, a)
               : DFL_NO_MEMORY;
    if (!status && change)
        dfl_gemm(nof, count, ncols, 1, slopes, nof, change, ncols, 1, out->gradient, nof);
    for (int i = 0; !status && !change && i < nof * count; i++)
        out->gradient[i] += slopes[i];
    dfl_free(out->ctx, slopes);
    return status;
}

/* o_x x_theta + o_a a_theta + o_theta */
static dfl_status at_the_end(gradient_run *it, dfl_solver *solver)
{
    dfl_gradient *out = it->out;
    const dfl_equations *eq = eq_of(it->run);
    const dfl_derivatives by = dfl_solver_derivatives(solver);
    const double t = dfl_solver_time(solver), *x = dfl_solver_state(solver), *a = by.accelerations;
    dfl_status status = dfl_runnable_values(out->value, it->run, it->expr, out->nof, t, x, a);
    if (!status)
        status = add_slopes(it, it->symbols, eq->n, by.x, t, x, a);
    if (!status)
        status = add_slopes(it, eq->a, eq->nv, by.a, t, x, a);
    if (!status)
        status = add_slopes(it, it->symbols + eq->n, out->count, NULL, t, x, a);
    out->t = t;
    out->steps = dfl_solver_statistics(solver).accepted;
    return status;
}

static void clear(gradient_run *it)
{
    dfl_context *ctx = ctx_of(it->run);
    dfl_free(ctx, it->followed);
    dfl_free(ctx, it->expr);
    dfl_free(ctx, it->symbols);
    dfl_free(ctx, it->x);
    dfl_free(ctx, it->start);
    dfl_free(ctx, it->size);
}
