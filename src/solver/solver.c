/* One trajectory: create, start, advance. */
#include "context/context.h"
#include "solver/solver_internal.h"
#include "solver/switching.h"
#include "solver/watching.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static dfl_status start(dfl_solver *solver, double t0, const double *x0,
                        const dfl_conditions *conditions);
static dfl_status advance(dfl_solver *solver, double t_end);
static dfl_status heed_stop(dfl_solver *solver, dfl_status status, double t0);
static dfl_status note_failure(dfl_solver *solver, dfl_status status);
static dfl_status lay_out_at_start(dfl_solver *solver, double t0);
static dfl_status settle_branches(dfl_solver *solver, double t0, const dfl_conditions *conditions);
static dfl_status check_rank_nearby(dfl_solver *solver, double t0);
static void move_a_little(double *x, const double *from, const dfl_solver *solver, int place);
static int rank_at(dfl_solver *solver, double t, const double *x);
static void name_moving_positions(char *text, size_t size, const dfl_solver *solver);
static dfl_status evaluate_start(dfl_solver *solver);
static dfl_status start_failure(const dfl_solver *solver);
static void note_start(dfl_solver *solver, const double *x0);
static dfl_status move_onto_constraints(double *x, dfl_solver *solver, double t);

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
    solver->cut = NAN;
    solver->value = dfl_alloc(ctx, (size_t)opt->events.count, sizeof(double));
    solver->value_old = dfl_alloc(ctx, (size_t)opt->events.count, sizeof(double));
    solver->value_probe = dfl_alloc(ctx, (size_t)opt->events.count, sizeof(double));
    solver->value_near = dfl_alloc(ctx, 2 * (size_t)opt->events.count, sizeof(double));
    solver->found = dfl_alloc(ctx, (size_t)opt->events.count, 1);
    if (!solver->x || !solver->x_event || !solver->x_stop || !solver->x_cut || !solver->value ||
        !solver->value_old || !solver->value_probe || !solver->value_near || !solver->found)
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
    dfl_free(ctx, solver->value);
    dfl_free(ctx, solver->value_old);
    dfl_free(ctx, solver->value_probe);
    dfl_free(ctx, solver->value_near);
    dfl_free(ctx, solver->found);
    dfl_free(ctx, solver);
}

static dfl_status check_start(const dfl_solver *solver, double t0, const double *x0,
                              const dfl_conditions *cond)
{
    if (!isfinite(t0))
        return dfl_fail(solver->ctx, DFL_INVALID, "the start time is %g", t0);
    if (!x0)
        return dfl_fail(solver->ctx, DFL_INVALID, "x0 is NULL; give %d initial values",
                        solver->sys.nu);
    for (int i = 0; i < solver->sys.nu; i++)
        if (!isfinite(x0[i]))
            return dfl_fail(solver->ctx, DFL_INVALID, "initial value x0[%d] is %g", i, x0[i]);
    if (cond && ((int)cond->mode < 0 || cond->mode > DFL_START_CONDITIONS))
        return dfl_fail(solver->ctx, DFL_INVALID, "conditions: mode has no value %d",
                        (int)cond->mode);
    if (cond && cond->mode != DFL_START_CONDITIONS && cond->nconditions != 0)
        return dfl_fail(
            solver->ctx, DFL_INVALID,
            "conditions: nconditions is %d, but only mode DFL_START_CONDITIONS reads them",
            cond->nconditions);
    for (int i = 0; cond && cond->mode == DFL_START_CONDITIONS && i < solver->sys.nu; i++)
        if (cond->weight || (cond->held && cond->held[i]))
            return dfl_fail(solver->ctx, DFL_INVALID,
                            "conditions: DFL_START_CONDITIONS takes neither held values nor "
                            "weights; write held values as conditions, or use DFL_START_PROJECT");
    for (int i = 0; cond && cond->weight && i < solver->sys.nu; i++)
        if (!(cond->weight[i] > 0 && isfinite(cond->weight[i])))
            return dfl_fail(solver->ctx, DFL_INVALID, "weight[%d] is %g; it must be positive", i,
                            cond->weight[i]);
    return DFL_OK;
}

dfl_status dfl_solver_start(dfl_solver *solver, double t0, const double *x0,
                            const dfl_conditions *conditions)
{
    solver->sys.stopped = solver->initial.sys.stopped = NULL;
    return note_failure(solver, heed_stop(solver, start(solver, t0, x0, conditions), t0));
}

/* A callback that asks to stop is obeyed, even if the start does not need its result. */
static dfl_status heed_stop(dfl_solver *solver, dfl_status status, double t0)
{
    const char *first = solver->initial.sys.stopped;
    const char *callback = first ? first : solver->sys.stopped;
    if (!callback || status == DFL_NO_MEMORY || status == DFL_CALLBACK)
        return status;
    solver->started = false;
    return dfl_fail(solver->ctx, DFL_CALLBACK, "%s fails at the start, t = %g", callback, t0);
}

static dfl_status note_failure(dfl_solver *solver, dfl_status status)
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

static dfl_status start(dfl_solver *solver, double t0, const double *x0,
                        const dfl_conditions *conditions)
{
    dfl_system *sys = &solver->sys;
    dfl_stepper *st = solver->stepper;
    const dfl_solver_options *opt = &solver->options;
    dfl_status status = check_start(solver, t0, x0, conditions);
    if (status)
        return status;
    solver->started = false;
    dfl_solver_sizes_take(solver, x0, x0, NULL);
    status = dfl_switching_begin(solver, t0, x0);
    if (status)
        return status;
    if (opt->self_check) { /* before wrong derivatives can mislead the start */
        status = dfl_initial_self_check(&solver->initial, t0, x0);
        if (status)
            return status;
    }
    memset(&solver->stats, 0, sizeof solver->stats);
    solver->doubts = 0;
    memset(&solver->initial.counters, 0, sizeof solver->initial.counters);
    status = dfl_switching_complete(solver, t0, x0, conditions);
    if (!status)
        status = dfl_system_decide(sys, t0, solver->x, opt->newton.carry_accelerations);
    if (status)
        return status;
    dfl_solver_sizes_take(solver, x0, solver->x, NULL);
    status = lay_out_at_start(solver, t0);
    if (!status && dfl_formulation_redundant(solver->form) > 0 && !sys->carried && !sys->psi1 &&
        !sys->geoms) {
        /* large multipliers that nearly cancel: Newton converges far better with accelerations */
        status = dfl_system_decide(sys, t0, solver->x, true);
        if (!status)
            status = lay_out_at_start(solver, t0);
    }
    if (!status && dfl_formulation_redundant(solver->form) > 0)
        status = check_rank_nearby(solver, t0);
    if (!status)
        status = settle_branches(solver, t0, conditions);
    if (status)
        return status;
    if (dfl_formulation_least_multipliers(&st->here, solver->form) == DFL_STEP_STOP)
        return start_failure(solver);
    dfl_solver_sizes_take(solver, x0, dfl_solver_state(solver), &st->here);
    note_start(solver, conditions && conditions->completed ? solver->x : x0);
    solver->stats.check_evaluations = solver->initial.counters.evaluations;
    solver->stats.difference_evaluations += solver->initial.counters.difference_evaluations;
    dfl_stepper_start(st, opt->step.fixed > 0 ? opt->step.fixed : opt->step.first);
    solver->t0 = t0;
    solver->sense = 0;
    solver->unreported = solver->event_found = solver->approached = false;
    memset(solver->found, 0, (size_t)opt->events.count);
    solver->started = true;
    solver->present = &st->here;
    dfl_solver_note_residuals(solver);
    status = dfl_solver_report_start(solver);
    solver->started = !status || status == DFL_STOPPED;
    return status;
}

/* A branch whose border the start lies on: the slope of its function says which one it is. */
static dfl_status settle_branches(dfl_solver *solver, double t0, const dfl_conditions *conditions)
{
    bool again;
    dfl_status status = dfl_switching_settle(&again, solver);
    if (!status && again)
        status = dfl_initial_complete(solver->x, &solver->initial, t0, conditions);
    return !status && again ? dfl_solver_place_start(solver, t0) : status;
}

/* Lays out formulation and integrator for the present decision, with the start in `here`. */
static dfl_status lay_out_at_start(dfl_solver *solver, double t0)
{
    dfl_formulation_bind(solver->form);
    dfl_stepper_bind(solver->stepper);
    dfl_status status = dfl_solver_place_start(solver, t0);
    if (status)
        return status;
    status = dfl_formulation_ranks(solver->form, &solver->stepper->here, solver->initial.row_size);
    return status == DFL_NOT_FINITE || status == DFL_CALLBACK ? start_failure(solver) : status;
}

dfl_status dfl_solver_place_start(dfl_solver *solver, double t)
{
    const dfl_system *sys = &solver->sys;
    dfl_point *here = &solver->stepper->here;
    here->t = t;
    memset(here->x, 0, (size_t)sys->na * sizeof(double));
    if (sys->leading_a && solver->initial.sys.carried)
        memcpy(here->x, dfl_initial_accelerations(&solver->initial),
               (size_t)(sys->carried ? sys->na : sys->n3) * sizeof(double));
    else if (sys->leading_a)
        memcpy(here->x, solver->initial.point.a, (size_t)sys->n3 * sizeof(double));
    memcpy(here->x + sys->na, solver->x, (size_t)sys->nu * sizeof(double));
    return evaluate_start(solver);
}

/* Without symmetry; less in mechanisms of small size. */
static void move_a_little(double *x, const double *from, const dfl_solver *solver, int place)
{
    const dfl_layout at = dfl_eom_layout(solver->eom);
    const double largest = dfl_max_abs(from + at.p, at.n - at.p);
    const double size = largest > 0 && largest < 1 ? largest : 1;
    memcpy(x, from, (size_t)solver->sys.nu * sizeof *x);
    for (int i = at.p; i < at.n; i++)
        x[i] += 1e-3 * (size + fabs(x[i])) * dfl_generic(place, i - at.p);
}

/* Of W at x of the user. */
static int rank_at(dfl_solver *solver, double t, const double *x)
{
    const dfl_system *sys = &solver->sys;
    dfl_point *nearby = &solver->stepper->next;
    memcpy(nearby->x, solver->stepper->here.x, (size_t)sys->na * sizeof *x);
    memcpy(nearby->x + sys->na, x, (size_t)sys->nu * sizeof *x);
    nearby->t = t;
    return dfl_formulation_rank_at(solver->form, nearby);
}

/* Whether the rank is no higher at two positions on the constraints a little away; *place: the last
   one. */
static bool stays_dependent(int *place, dfl_solver *solver, double t0)
{
    double *x = solver->x_event;
    for (*place = 0; *place < 2; ++*place) {
        move_a_little(x, solver->x, solver, *place);
        if (dfl_initial_project_positions(x, &solver->initial, t0, true) ||
            rank_at(solver, t0, x) > dfl_formulation_rank(solver->form))
            return false;
    }
    return true;
}

/* Dependent constraints are redundant only if they stay dependent: at a singular position the
   rank is higher next to it. Looks at positions on the constraints a little away, if there are
   any. */
static dfl_status check_rank_nearby(dfl_solver *solver, double t0)
{
    double *x = solver->x_event;
    int place;
    if (stays_dependent(&place, solver, t0))
        return DFL_OK;
    move_a_little(x, solver->x, solver, place);
    solver->sys.trouble.part = DFL_FAILURE_VELOCITY;
    const dfl_status projected = dfl_initial_project_positions(x, &solver->initial, t0, false);
    if (projected == DFL_NOT_CONVERGED)
        return dfl_fail(solver->ctx, DFL_SINGULAR,
                        "the start at t = %g is a singular position: the constraints have rank %d "
                        "of %d there, and nothing near it satisfies them; check lengths and places",
                        t0, dfl_formulation_rank(solver->form), solver->sys.nc);
    if (projected)
        return DFL_OK;
    const int rank = rank_at(solver, t0, x);
    if (rank <= dfl_formulation_rank(solver->form))
        return DFL_OK;
    char names[200];
    name_moving_positions(names, sizeof names, solver);
    return dfl_fail(
        solver->ctx, DFL_SINGULAR,
        "the start at t = %g is a singular position: the constraints have rank %d there "
        "and %d next to it, and motions branch; start from another position: hold or guess another "
        "%s",
        t0, dfl_formulation_rank(solver->form), rank, names);
}

/* The positions on which constraints depend, by the derivatives that were evaluated last. */
static void name_moving_positions(char *text, size_t size, const dfl_solver *solver)
{
    size_t used = 0;
    text[0] = 0;
    for (int j = 0; j < solver->eom->np; j++) {
        char name[64];
        dfl_eom_name(name, sizeof name, solver->eom, DFL_KIND_P, j);
        if (dfl_formulation_depends_on_position(solver->form, j) && used + strlen(name) + 8 < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
    }
}

bool dfl_solver_evaluate_beside(dfl_solver *solver, double t, const double *x)
{
    dfl_stepper *st = solver->stepper;
    dfl_system *sys = &solver->sys;
    dfl_stepper_interpolate(st->next.x, st, t); /* carried accelerations */
    memcpy(st->next.x + sys->na, x, (size_t)sys->nu * sizeof *x);
    st->next.t = t;
    sys->stats->evaluations--;
    sys->stats->check_evaluations++;
    return dfl_system_eval_checked(sys, &st->next) == DFL_STEP_OK;
}

void dfl_solver_stand_beside(dfl_solver *solver)
{
    dfl_stepper *st = solver->stepper;
    /* a method that begins with a low order begins with a short step */
    const double h = dfl_stepper_remembers(st) ? solver->options.step.fixed : st->h;
    const dfl_point old = st->here;
    st->here = st->next;
    st->next = old;
    dfl_stepper_start(st, h);
}

static dfl_status evaluate_start(dfl_solver *solver)
{
    return dfl_system_eval_checked(&solver->sys, &solver->stepper->here) ? start_failure(solver)
                                                                         : DFL_OK;
}

/* The status and message for a callback's trouble at the start. */
static dfl_status start_failure(const dfl_solver *solver)
{
    const dfl_trouble *trouble = &solver->sys.trouble;
    char row[80];
    if (trouble->outcome != DFL_STEP_NONFINITE)
        return dfl_fail(solver->ctx, DFL_CALLBACK, "%s fails at the start, t = %g",
                        trouble->callback, trouble->t);
    dfl_system_trouble_name(row, sizeof row, &solver->sys);
    return dfl_fail(solver->ctx, DFL_NOT_FINITE, "%s returns NaN or Inf in %s at the start, t = %g",
                    trouble->callback, row, trouble->t);
}

/* Reports what the start found to the log: corrected values, redundant or nearly dependent
   constraints. */
static void note_start(dfl_solver *solver, const double *x0)
{
    const dfl_formulation *form = solver->form;
    const dfl_system *sys = &solver->sys;
    const dfl_layout at = dfl_eom_layout(solver->eom);
    double largest = 1e-9;
    int which = -1;
    for (int i = at.v; i < at.n; i++) {
        const double change = fabs(solver->x[i] - x0[i]);
        if (change > largest)
            largest = change, which = i;
    }
    if (which >= 0) {
        char name[64];
        int index;
        const dfl_kind kind = dfl_system_variable_kind(sys, sys->na + which, &index);
        dfl_eom_name(name, sizeof name, solver->eom, kind, index);
        dfl_log(&solver->options, DFL_LOG_NOTICE,
                "initial values were corrected, most of all %s by %.3g", name, largest);
    }
    if (dfl_formulation_redundant(form) > 0)
        dfl_log(&solver->options, DFL_LOG_NOTICE,
                "%d of %d constraints are redundant (rank %d); multipliers of minimum norm are "
                "computed",
                dfl_formulation_redundant(form), sys->nc, dfl_formulation_rank(form));
    if (dfl_formulation_redundant(form) > 0 &&
        dfl_formulation_misfit(form) > solver->options.constraints.rank_tolerance)
        dfl_log(&solver->options, DFL_LOG_WARNING,
                "redundant constraints do not fit exactly: they are dependent up to %.1e of their "
                "size (redundant = %g allows it), and the motion is right to about this part",
                dfl_formulation_misfit(form), solver->options.constraints.redundant);
    char rigid[400];
    if (dfl_formulation_weakest(form) < 1e-4)
        dfl_log(&solver->options, DFL_LOG_WARNING,
                "the constraints are nearly dependent at the start: smallest/largest singular "
                "value %.1e",
                dfl_formulation_weakest(form));
    else if (solver->options.log && sys->nc > 0 && dfl_formulation_rank(form) == sys->n3 &&
             dfl_initial_rigid(rigid, sizeof rigid, &solver->initial) > 0)
        dfl_log(&solver->options, DFL_LOG_WARNING, "%s", rigid + strlen("; "));
}

dfl_status dfl_solver_advance(dfl_solver *solver, double t_end)
{
    return note_failure(solver, advance(solver, t_end));
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
    solver->t_end = t_end;
    long attempts_left = solver->options.step.max_attempts;
    dfl_status status =
        moves ? dfl_solver_report_again(solver, t_end) : dfl_solver_report_step(solver);
    if (!status && moves)
        dfl_stepper_aim(st, t_end);
    while (!status && st->t != t_end) {
        const double step_begin = solver->options.step.fixed > 0 ? dfl_clock() : 0;
        double t_limit;
        status = dfl_switching_limit(&t_limit, solver, t_end);
        if (!status)
            status = dfl_stepper_step(st, t_limit, &attempts_left);
        if (!status)
            status = dfl_switching_land(solver);
        if (solver->options.step.fixed > 0)
            stats->longest_step = fmax(stats->longest_step, dfl_clock() - step_begin);
        if (status)
            break;
        if (st->stepped) { /* and not gone back to where it began */
            dfl_solver_sizes_grow(solver);
            dfl_solver_note_residuals(solver);
            status = dfl_solver_watch_derivatives(solver);
            if (!status)
                status = dfl_solver_report_step(solver);
        }
        if (!status)
            status = dfl_switching_flip(solver);
        if (!status && st->h == 0 && st->t != t_end)
            dfl_stepper_aim(st, t_end);
    }
    if (status && status != DFL_STOPPED) { /* a fresh beginning, if continued */
        dfl_stepper_start(st, solver->options.step.fixed);
        solver->sense = 0;
        solver->unreported = false;
    }
    if (!status) { /* the evaluation at the end point served the residuals */
        stats->evaluations -= moves;
        stats->check_evaluations += moves;
        status = dfl_solver_report_end(solver);
    }
    stats->seconds += dfl_clock() - begin;
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

dfl_status dfl_solver_interpolate(double *x, dfl_solver *solver, double t, bool project)
{
    const dfl_stepper *st = solver->stepper;
    const double slack = 4 * DBL_EPSILON * (fabs(st->t) + fabs(st->h_old));
    const double low = fmin(st->t_old, st->t), high = fmax(st->t_old, st->t);
    if (!solver->started)
        return dfl_fail(solver->ctx, DFL_INVALID,
                        "call dfl_solver_start before dfl_solver_interpolate");
    if (!(t >= low - slack && t <= high + slack))
        return dfl_fail(solver->ctx, DFL_INVALID, "t = %g lies outside the last step [%g, %g]", t,
                        low, high);
    return dfl_solver_continuous(x, solver, t, project);
}

dfl_status dfl_solver_continuous(double *x, dfl_solver *solver, double t, bool project)
{
    const dfl_stepper *st = solver->stepper;
    const dfl_system *sys = &solver->sys;
    dfl_stepper_interpolate(solver->x, st, t);
    memcpy(x, t == st->t ? dfl_solver_state(solver) : solver->x + sys->na,
           (size_t)sys->nu * sizeof *x);
    return project ? move_onto_constraints(x, solver, t) : DFL_OK;
}

/* Where an invariant is degenerate (energy at a turning point) it does not determine v, and
   enforcing it could move v anywhere: a correction of r, v, s or p beyond the tolerance is not
   made. */
static void move_onto_invariants(double *x, dfl_solver *solver, double t)
{
    const dfl_system *sys = &solver->sys;
    const int first = dfl_eom_layout(solver->eom).r;
    double *moved = solver->x, sum = 0;
    memcpy(moved, x, (size_t)sys->nu * sizeof *x);
    if (dfl_initial_project(moved, &solver->initial, t, true))
        return;
    for (int i = first; i < sys->nu; i++) {
        const double change = (moved[i] - x[i]) * dfl_stepper_weights(solver->stepper)[sys->na + i];
        sum += change * change;
    }
    if (sum <= sys->nu - first)
        memcpy(x, moved, (size_t)sys->nu * sizeof *x);
}

/* Projects x (the user's) and counts the evaluations that takes. */
static dfl_status move_onto_constraints(double *x, dfl_solver *solver, double t)
{
    dfl_statistics *counters = &solver->initial.counters;
    memset(counters, 0, sizeof *counters);
    dfl_status status = dfl_initial_project(x, &solver->initial, t, false);
    if (!status && solver->eom->ne > 0)
        move_onto_invariants(x, solver, t);
    solver->stats.check_evaluations += counters->evaluations;
    solver->stats.difference_evaluations += counters->difference_evaluations;
    return status ? dfl_fail(solver->ctx, status,
                             "the state at t = %.10g cannot be moved onto the constraints: %s", t,
                             dfl_message(solver->ctx))
                  : DFL_OK;
}
