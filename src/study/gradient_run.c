/* gradient_run.c: a run with the derivatives of its state, and values with their gradients at times
   of it. */
#include "study/gradient_internal.h"

#include <math.h>
#include <string.h>

static dfl_status check(const gradient_run *it);
static dfl_status allocate(gradient_run *it);
static dfl_status begin(dfl_simulation *sim, void *user);
static bool watch(double t, double step, void *user);
static dfl_status find_slopes(gradient_run *it);
static dfl_status find_wanted(gradient_run *it);
static void find_sizes(gradient_run *it);
static dfl_status advance(gradient_run *it, dfl_simulation *sim);
static double time_of(const gradient_run *it, int i);
static dfl_status take_values(gradient_run *it, dfl_solver *solver, double t);
static dfl_status take_side(dfl_simulation *sim, const bool *crossed, void *user);
static void clear(gradient_run *it);

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

dfl_status dfl_gradient_parameter(followed *out, const gradient_run *it, const char *option,
                                  const char *name)
{
    const dfl_equations *eq = eq_of(it->run);
    const dfl_declaration *decl = dfl_model_find(eq->model, name);
    *out = (followed){.name = name, .place = initial_of(eq, name), .symbol = DFL_NO_EXPR};
    if (out->place >= 0)
        return DFL_OK;
    if (!decl || (decl->kind != DFL_A_PARAM && decl->kind != DFL_AN_INPUT))
        return dfl_fail(ctx_of(it->run), DFL_INVALID,
                        "%s: '%s' is no parameter or input of %s, nor initial(NAME) of one of its "
                        "variables",
                        option, name, eq->model->path);
    out->symbol = decl->symbol;
    out->kind = decl->kind;
    out->index = decl->index;
    out->value = decl->value;
    return DFL_OK;
}

void dfl_loaded_clear(dfl_loaded *loaded)
{
    dfl_runnable_free(loaded->run);
    dfl_equations_free(loaded->eq);
    dfl_model_free(loaded->model);
    *loaded = (dfl_loaded){0};
}

dfl_status dfl_gradient_follow(gradient_run *it)
{
    dfl_settings settings = *it->settings;
    if (!it->record) /* nobody wants rows */
        settings.solver.output.every = 0;
    dfl_simulation sim = {.ctx = ctx_of(it->run),
                          .run = it->run,
                          .eq = eq_of(it->run),
                          .settings = &settings,
                          .open = begin,
                          .watch = watch,
                          .side = it->instant ? take_side : NULL,
                          .user = it};
    dfl_summary summary;
    it->ended = DFL_NO_EXPR;
    dfl_status status = check(it);
    if (!status)
        status = allocate(it);
    if (!status)
        status = find_slopes(it);
    if (!status)
        status = dfl_gradient_start(it); /* before the run keeps branches */
    if (!status) {
        find_sizes(it);
        dfl_runnable_begin_memory(it->run, it->memory, it->spare, it->count);
        dfl_gradient_curves_take(&sim, it);
        status = dfl_simulation_begin(&sim);
    }
    if (!status)
        status = advance(it, &sim);
    if (!status && it->backwards)
        status = dfl_gradient_adjoint_end(it, sim.solver);
    if (sim.started)
        status = dfl_simulation_end(&summary, &sim,
                                    !status && it->ended != DFL_NO_EXPR ? DFL_STOPPED : status);
    if (status && sim.trouble == status)
        status = dfl_fail(sim.ctx, status, "%s", sim.message);
    if (sim.started)
        status = dfl_gradient_curves_close(it, &summary, status);
    dfl_simulation_clear(&sim);
    clear(it);
    return status;
}

/* The start whose derivatives are known is that of the run, unless constraints switch there and the
   run begins on the other side. */
static dfl_status check_start(const gradient_run *it, const dfl_solver *solver)
{
    const dfl_equations *eq = eq_of(it->run);
    const double *x = dfl_solver_state(solver);
    double size = 0, apart = 0;
    for (int i = eq->nw + eq->nl + eq->nm; i < eq->n; i++) {
        size = fmax(size, fabs(x[i]));
        apart = fmax(apart, fabs(x[i] - it->x[i]));
    }
    const bool contacts = eq->model->actions.touches.count > 0; /* may close at the start */
    return apart <= 1e-6 * size || contacts
               ? DFL_OK
               : dfl_fail(ctx_of(it->run), DFL_INVALID,
                          "derivatives by parameters cannot be followed: a "
                          "constraint switches at the start, t = %.10g; begin "
                          "earlier or later, or let tables begin before the run",
                          dfl_solver_time(solver));
}

/* Before the first row. */
static dfl_status begin(dfl_simulation *sim, void *user)
{
    gradient_run *it = user;
    dfl_status status = check_start(it, sim->solver);
    if (status)
        return status;
    status = it->backwards ? dfl_gradient_adjoint_begin(it, sim->solver)
                           : dfl_solver_follow(sim->solver, &it->parameters, it->start);
    if (!status && ((unsigned)it->how & DFL_DERIVATIVES_UNCONTROLLED) != 0)
        dfl_solver_control_derivatives(sim->solver, false);
    if (!status)
        status = find_wanted(it);
    return status ? status : dfl_gradient_curves_begin(it);
}

/* After every step. */
static bool watch(double t, double step, void *user)
{
    const gradient_run *it = user;
    (void)t;
    (void)step;
    return dfl_interrupted(ctx_of(it->run));
}

static dfl_status check(const gradient_run *it)
{
    const dfl_model *model = eq_of(it->run)->model;
    for (uint32_t i = 0; i < model->graph->nnodes; i++)
        if (model->graph->nodes[i].op == DFL_OP_NOEVENT)
            return dfl_fail(ctx_of(it->run), DFL_INVALID,
                            "derivatives by parameters cannot be followed: jumps inside noevent "
                            "would be passed without a word");
    return DFL_OK;
}

static dfl_status allocate(gradient_run *it)
{
    dfl_context *ctx = ctx_of(it->run);
    const size_t n = (size_t)eq_of(it->run)->n, count = (size_t)it->count, d = sizeof(double);
    const size_t nof = (size_t)it->nof;
    it->backwards = dfl_gradient_prefers_adjoint(it);
    it->spare = it->backwards ? dfl_gradient_adjoint_spare(it) : 0;
    it->symbols = dfl_exprs(eq_of(it->run), it->spare + it->count);
    it->wanted_row = dfl_alloc(ctx, nof, sizeof *it->wanted_row);
    it->found = dfl_alloc(ctx, nof * (1 + count), d);
    it->x = dfl_alloc(ctx, n, d);
    it->start = dfl_alloc(ctx, n * count, d);
    it->memory = dfl_alloc(ctx, (size_t)dfl_gradient_discretes(it) * count, d);
    it->size = dfl_alloc(ctx, (size_t)it->spare + count, d);
    return it->symbols && it->wanted_row && it->found && it->x && it->start && it->memory &&
                   it->size
               ? DFL_OK
               : DFL_NO_MEMORY;
}

/* Initial values have no symbol: no row depends on them. */
static dfl_status find_slopes(gradient_run *it)
{
    for (int j = 0; j < it->spare; j++)
        it->symbols[j] = DFL_NO_EXPR;
    for (int j = 0; j < it->count; j++)
        it->symbols[it->spare + j] = it->followed[j].symbol;
    const dfl_status status =
        dfl_runnable_parameters(&it->parameters, it->run, it->symbols, it->spare + it->count);
    it->parameters.size = it->size;
    return status;
}

/* The expressions whose values are wanted, each of them once. */
static dfl_status find_wanted(gradient_run *it)
{
    dfl_expr *rows = dfl_exprs(eq_of(it->run), it->nof);
    int count = 0;
    if (!rows)
        return DFL_NO_MEMORY;
    for (int i = 0; i < it->nof; i++) {
        int row = 0;
        while (row < count && rows[row] != it->expr[i])
            row++;
        rows[row] = it->expr[i];
        count += row == count;
        it->wanted_row[i] = row;
    }
    const dfl_status status = dfl_totals_create(&it->wanted, it, rows, count);
    dfl_free(ctx_of(it->run), rows);
    return status;
}

/* The sizes of parameters are their values; of initial values, those at the start. */
static void find_sizes(gradient_run *it)
{
    for (int j = 0; j < it->spare; j++)
        it->size[j] = 1;
    for (int j = 0; j < it->count; j++) {
        const followed *by = &it->followed[j];
        const double value = by->place >= 0 ? it->x[by->place] : by->value;
        it->size[it->spare + j] = value != 0 ? fabs(value) : 1;
        if (it->at)
            it->at[j] = value;
    }
}

static bool is_at_instant(const gradient_run *it, int i)
{
    return it->instant && it->instant[i] != 0;
}

/* Whether value i is wanted now, at t: the run has ended there, or it is its time. */
static bool is_wanted(const gradient_run *it, int i, double t)
{
    if (it->now != 0 || is_at_instant(it, i))
        return it->now != 0 && is_at_instant(it, i) && it->instant[i] == it->now;
    if (it->ended != DFL_NO_EXPR)
        return !it->when || isnan(it->when[i]);
    return time_of(it, i) == t;
}

static double time_of(const gradient_run *it, int i)
{
    return it->when && !isnan(it->when[i]) ? it->when[i] : it->settings->to;
}

/* An event has ended the run. */
static dfl_status end_at_event(gradient_run *it, dfl_simulation *sim)
{
    const double t = dfl_solver_time(sim->solver);
    for (int i = 0; i < it->nof; i++)
        if (it->when && it->when[i] > t)
            return dfl_fail(sim->ctx, DFL_INVALID,
                            "an event ends the run at t = %.10g, but a value at t = %.10g is "
                            "wanted",
                            t, it->when[i]);
    it->ended = dfl_study_event(sim->eq->model, sim->stop_event)->expr;
    return take_values(it, sim->solver, t);
}

/* From one time at which values are wanted to the next, then to the end. */
static dfl_status advance(gradient_run *it, dfl_simulation *sim)
{
    const double end = it->settings->to;
    double t = it->settings->from;
    dfl_status status = take_values(it, sim->solver, t);
    while (!status && t != end) {
        double next = end;
        for (int i = 0; i < it->nof; i++)
            if (!is_at_instant(it, i) && time_of(it, i) > t && time_of(it, i) < next)
                next = time_of(it, i);
        status = dfl_simulation_advance(sim, next);
        t = next;
        if (status == DFL_STOPPED && sim->stop_event >= 0) {
            status = end_at_event(it, sim);
            t = end;
        } else if (!status) {
            status = take_values(it, sim->solver, t);
        }
    }
    it->t = dfl_solver_time(sim->solver);
    it->steps = dfl_solver_statistics(sim->solver).accepted;
    return status;
}

/* One side of an instant. */
static dfl_status take_side(dfl_simulation *sim, const bool *crossed, void *user)
{
    gradient_run *it = user;
    const double t = dfl_solver_time(sim->solver);
    const double far = 1e-4 * fabs(it->settings->to - it->settings->from);
    bool any = false;
    it->passed += crossed != NULL;
    it->now = crossed ? it->passed : -it->passed;
    it->crossed = crossed;
    for (int i = 0; i < it->nof; i++) {
        any = any || is_wanted(it, i, t);
        if (is_wanted(it, i, t) && !(fabs(t - it->when[i]) <= far))
            return dfl_fail(sim->ctx, DFL_INVALID,
                            "optimize: what happens at t = %.10g depends on the steps of the run; "
                            "take smaller tolerances",
                            it->when[i]);
    }
    dfl_status status = any ? take_values(it, sim->solver, t) : DFL_OK;
    if (!status && any)
        status = dfl_gradient_value_rates(it, sim->solver, t);
    it->now = 0;
    it->crossed = NULL;
    return status;
}

/* Takes value i, the slopes of all being evaluated at the present state. */
static dfl_status take_value(gradient_run *it, const dfl_solver *solver, int i)
{
    const int row = it->wanted_row[i];
    it->value[i] = it->found[row];
    return it->tolerance ? dfl_totals_tolerance(&it->tolerance[i], &it->wanted, row, it, solver,
                                                dfl_solver_state(solver))
                         : DFL_OK;
}

/* The same, as weights of a sweep backwards. */
static dfl_status weigh_values(gradient_run *it, dfl_solver *solver, double t)
{
    dfl_status status =
        dfl_totals_weights(it->found, &it->wanted, it, solver, t, dfl_solver_state(solver));
    for (int i = 0; !status && i < it->nof; i++) {
        if (!is_wanted(it, i, t))
            continue;
        status = take_value(it, solver, i);
        if (!status)
            status = dfl_gradient_adjoint_weigh(it, solver, i);
    }
    return status;
}

/* The values that are wanted at t. */
static dfl_status take_values(gradient_run *it, dfl_solver *solver, double t)
{
    const int rows = it->wanted.nrows;
    double *value = it->found, *slope = it->found + rows;
    bool any = false;
    for (int i = 0; i < it->nof; i++)
        any = any || is_wanted(it, i, t);
    if (any && it->backwards)
        return weigh_values(it, solver, t);
    dfl_status status = any ? dfl_totals_evaluate(value, slope, &it->wanted, it, solver, t,
                                                  dfl_solver_state(solver))
                            : DFL_OK;
    for (int i = 0; !status && i < it->nof; i++) {
        if (!is_wanted(it, i, t))
            continue;
        status = take_value(it, solver, i);
        for (int j = 0; j < it->count; j++)
            it->gradient[(size_t)j * (size_t)it->nof + (size_t)i] =
                slope[j * rows + it->wanted_row[i]];
    }
    return status;
}

static void clear(gradient_run *it)
{
    dfl_context *ctx = ctx_of(it->run);
    dfl_totals_clear(&it->wanted, ctx);
    dfl_gradient_curves_clear(it);
    dfl_free(ctx, it->wanted_row);
    dfl_free(ctx, it->found);
    dfl_free(ctx, it->symbols);
    dfl_free(ctx, it->x);
    dfl_free(ctx, it->start);
    dfl_free(ctx, it->memory);
    dfl_free(ctx, it->size);
    dfl_gradient_adjoint_clear(it);
}
