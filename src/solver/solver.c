/* One trajectory: create, advance. */
#include "context/context.h"
#include "solver/solver_internal.h"
#include "solver/switching.h"
#include "solver/watching.h"

#include <math.h>
#include <string.h>

static dfl_status advance(dfl_solver *solver, double t_end);
static dfl_status end_of_advance(dfl_solver *solver, dfl_status status, bool moved);
static dfl_status conclude_step(dfl_solver *solver);
static void note_pivoting(dfl_solver *solver);

dfl_status dfl_solver_create(dfl_solver **out, dfl_context *ctx, const dfl_eom *eom,
                             const dfl_solver_options *options)
{
    *out = NULL;
    if (!ctx)
        return DFL_INVALID; /* there is no place for a message */
    if (!eom)
        return dfl_fail(ctx, DFL_INVALID, "eom is NULL; a solver needs a model");
    dfl_solver *solver = dfl_alloc(ctx, 1, sizeof *solver);
    if (!solver)
        return DFL_NO_MEMORY;
    solver->ctx = ctx;
    solver->eom = eom;
    dfl_status status = dfl_eom_check(ctx, eom);
    if (!status)
        status = dfl_solver_options_resolve(&solver->options, ctx, eom, options);
    const dfl_solver_options *opt = &solver->options;
    if (!status)
        status = dfl_system_init(&solver->sys, ctx, eom, opt->form == DFL_PSI1, &solver->stats);
    solver->sys.rounding = opt->error.rounding;
    solver->sys.options = opt;
    if (!status)
        status = dfl_solver_raise_tolerances(solver);
    if (!status)
        status = dfl_solver_sizes_init(solver);
    if (!status)
        status = dfl_formulation_create(&solver->form, &solver->sys, opt, dfl_stepper_needs(opt));
    if (!status)
        status = dfl_stepper_create(&solver->stepper, &solver->sys, solver->form, opt);
    if (!status)
        status = dfl_initial_init(&solver->initial, ctx, eom, opt);
    if (status)
        goto fail;
    status = dfl_switching_init(solver);
    if (!status)
        status = dfl_watching_init(solver);
    if (status)
        goto fail;
    status = DFL_NO_MEMORY;
    solver->x = dfl_alloc(ctx, (size_t)solver->sys.n, sizeof(double));
    solver->x_event = dfl_alloc(ctx, (size_t)solver->sys.n, sizeof(double));
    solver->x_stop = dfl_alloc(ctx, (size_t)solver->sys.n, sizeof(double));
    solver->x_cut = dfl_alloc(ctx, (size_t)solver->sys.n, sizeof(double));
    solver->saved = dfl_alloc(ctx, (size_t)(eom->nv + eom->n0 + solver->sys.nu), sizeof(double));
    solver->watched = dfl_alloc(ctx, 2 * (size_t)solver->sys.nc, sizeof(double));
    solver->cut = NAN;
    solver->value = dfl_alloc(ctx, (size_t)opt->events.count, sizeof(double));
    solver->value_old = dfl_alloc(ctx, (size_t)opt->events.count, sizeof(double));
    solver->value_probe = dfl_alloc(ctx, (size_t)opt->events.count, sizeof(double));
    solver->value_near = dfl_alloc(ctx, 2 * (size_t)opt->events.count, sizeof(double));
    solver->found = dfl_alloc(ctx, (size_t)opt->events.count, 1);
    if (!solver->x || !solver->x_event || !solver->x_stop || !solver->x_cut || !solver->saved ||
        !solver->watched || !solver->value || !solver->value_old || !solver->value_probe ||
        !solver->value_near || !solver->found)
        goto fail;
    *out = solver;
    return DFL_OK;
fail:
    dfl_solver_free(solver);
    return status;
}

void dfl_solver_free(dfl_solver *solver)
{
    if (!solver)
        return;
    dfl_context *ctx = solver->ctx;
    dfl_solver_forget_derivatives(solver);
    dfl_switching_clear(solver);
    dfl_watching_clear(solver);
    dfl_initial_clear(&solver->initial);
    dfl_stepper_free(solver->stepper);
    dfl_formulation_free(solver->form);
    if (solver->sys.ctx)
        dfl_system_clear(&solver->sys);
    dfl_solver_sizes_clear(solver);
    dfl_free(ctx, solver->x);
    dfl_free(ctx, solver->x_event);
    dfl_free(ctx, solver->x_stop);
    dfl_free(ctx, solver->x_cut);
    dfl_free(ctx, solver->saved);
    dfl_free(ctx, solver->watched);
    dfl_free(ctx, solver->value);
    dfl_free(ctx, solver->value_old);
    dfl_free(ctx, solver->value_probe);
    dfl_free(ctx, solver->value_near);
    dfl_free(ctx, solver->found);
    dfl_free(ctx, solver->raised);
    dfl_free(ctx, solver);
}

dfl_status dfl_solver_note_failure(dfl_solver *solver, dfl_status status)
{
    solver->failure = DFL_FAILURE_OTHER;
    if (status == DFL_SINGULAR || status == DFL_RANK_CHANGED)
        solver->failure = solver->sys.trouble.part;
    else if (status == DFL_INCONSISTENT)
        solver->failure = solver->initial.failure;
    return status;
}

dfl_failure dfl_solver_failure(const dfl_solver *solver)
{
    return solver->failure;
}

dfl_status dfl_solver_advance(dfl_solver *solver, double t_end)
{
    return dfl_solver_note_failure(solver, advance(solver, t_end));
}

static dfl_status advance(dfl_solver *solver, double t_end)
{
    dfl_stepper *st = solver->stepper;
    dfl_statistics *stats = &solver->stats;
    if (!solver->started)
        return dfl_fail(solver->ctx, DFL_INVALID,
                        "call dfl_solver_start before dfl_solver_advance");
    if (!isfinite(t_end))
        return dfl_fail(solver->ctx, DFL_INVALID, "the end time is %g", t_end);
    const bool moves = t_end != st->t;
    if (!moves && !solver->unreported)
        return DFL_OK;
    const dfl_status reach = dfl_solver_check_reach(solver, st->t, t_end);
    if (reach)
        return reach;
    const double begin = dfl_clock();
    const bool turned = solver->sense * (t_end - st->t) <= 0;
    solver->t_end = t_end;
    long attempts_left = solver->options.step.max_attempts;
    dfl_status status =
        moves ? dfl_solver_report_again(solver, t_end) : dfl_solver_report_step(solver);
    if (!status && t_end < st->t)
        status = dfl_switching_refuse_sticking(solver);
    if (!status && moves)
        status = dfl_switching_go_on(solver, turned);
    if (!status && moves)
        dfl_stepper_aim(st, t_end);
    while (!status && st->t != t_end) {
        const double step_begin = solver->options.step.fixed > 0 ? dfl_clock() : 0;
        double t_limit;
        status = dfl_switching_limit(&t_limit, solver, t_end);
        if (!status && st->h == 0) /* something happened here first */
            dfl_stepper_aim(st, t_end);
        if (!status)
            status = dfl_stepper_step(st, t_limit, &attempts_left);
        if (!status)
            status = dfl_switching_land(solver);
        if (!status && st->stepped)
            status = dfl_switching_check(solver);
        if (solver->options.step.fixed > 0)
            stats->longest_step = fmax(stats->longest_step, dfl_clock() - step_begin);
        if (status)
            break;
        if (st->stepped) /* and not gone back to where it began */
            status = conclude_step(solver);
        if (!status)
            status = dfl_switching_flip(solver);
        if (!status && st->h == 0 && st->t != t_end)
            dfl_stepper_aim(st, t_end);
    }
    status = end_of_advance(solver, status, moves);
    stats->seconds += dfl_clock() - begin;
    return status;
}

/* Everything that follows a step which is kept. */
static dfl_status conclude_step(dfl_solver *solver)
{
    dfl_status status = dfl_solver_follow_step(solver);
    if (status)
        return status;
    dfl_solver_sizes_grow(solver);
    dfl_solver_note_residuals(solver);
    note_pivoting(solver);
    status = dfl_solver_watch_derivatives(solver);
    return status ? status : dfl_solver_report_step(solver);
}

/* The first matrix of a model that should need none of these. */
static void note_pivoting(dfl_solver *solver)
{
    if (solver->pivoting_told || solver->stats.pivoted == 0 ||
        dfl_formulation_pivoting(solver->form))
        return;
    solver->pivoting_told = true;
    dfl_log(&solver->options, DFL_LOG_NOTICE,
            "t = %g: a sparse matrix did not go with its fixed order of elimination; KLU factored "
            "it, with pivots",
            solver->stepper->t);
}

static dfl_status end_of_advance(dfl_solver *solver, dfl_status status, bool moved)
{
    if (!status) { /* the evaluation at the end point served the residuals */
        solver->stats.evaluations -= moved;
        solver->stats.check_evaluations += moved;
        return dfl_solver_report_end(solver);
    }
    if (status == DFL_STOPPED)
        return solver->unreported || !dfl_switching_stand_at_cut(solver) ? status : DFL_CALLBACK;
    dfl_stepper_start(solver->stepper, solver->options.step.fixed); /* if continued */
    solver->sense = 0;
    solver->unreported = false;
    return status;
}

double dfl_solver_time(const dfl_solver *solver)
{
    return solver->stepper->t;
}

const double *dfl_solver_state(const dfl_solver *solver)
{
    return solver->stepper->here.x + solver->sys.na;
}

double dfl_solver_step(const dfl_solver *solver)
{
    return solver->stepper->h;
}

int dfl_solver_order(const dfl_solver *solver)
{
    return solver->started ? solver->stepper->order : 0;
}

dfl_statistics dfl_solver_statistics(const dfl_solver *solver)
{
    return solver->stats;
}
