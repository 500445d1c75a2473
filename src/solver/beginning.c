/* The start of a trajectory: consistent values, ranks, the first point. */
#include "context/context.h"
#include "solver/solver_internal.h"
#include "solver/switching.h"

#include <float.h>
#include <math.h>
#include <string.h>

static dfl_status check_start(const dfl_solver *solver, double t0, const double *x0,
                              const dfl_conditions *cond);
static dfl_status heed_stop(dfl_solver *solver, dfl_status status, double t0);
static dfl_status start(dfl_solver *solver, double t0, const double *x0,
                        const dfl_conditions *conditions);
static dfl_status settle_branches(dfl_solver *solver, double t0, const dfl_conditions *conditions);
static dfl_status start_failure(const dfl_solver *solver);
static dfl_status check_allowed_misfit(dfl_solver *solver, double t0);
static void note_start(dfl_solver *solver, const double *x0);
static void warn_of_velocities(const dfl_solver *solver);
static void warn_of_gap(const dfl_solver *solver);

dfl_status dfl_solver_start(dfl_solver *solver, double t0, const double *x0,
                            const dfl_conditions *conditions)
{
    solver->sys.stopped = solver->initial.sys.stopped = NULL;
    dfl_solver_forget_derivatives(solver);
    return dfl_solver_note_failure(solver,
                                   heed_stop(solver, start(solver, t0, x0, conditions), t0));
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

static dfl_status start(dfl_solver *solver, double t0, const double *x0,
                        const dfl_conditions *conditions)
{
    dfl_system *sys = &solver->sys;
    dfl_stepper *st = solver->stepper;
    const dfl_solver_options *opt = &solver->options;
    dfl_status status = check_start(solver, t0, x0, conditions);
    if (status)
        return status;
    solver->started = solver->pivoting_told = false;
    status = dfl_solver_sizes_take(solver, x0, x0, NULL);
    if (!status)
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
    if (!status)
        status = dfl_solver_sizes_take(solver, x0, solver->x, NULL);
    if (!status)
        status = dfl_solver_lay_out(solver, t0);
    if (!status && dfl_solver_redundant(solver) > 0 && !sys->carried && !sys->psi1 && !sys->geoms) {
        /* large multipliers that nearly cancel: Newton converges far better with accelerations */
        status = dfl_system_decide(sys, t0, solver->x, true);
        if (!status)
            status = dfl_solver_lay_out(solver, t0);
    }
    if (!status && dfl_solver_redundant(solver) > 0)
        status = dfl_solver_check_rank(solver, t0);
    if (!status)
        status = settle_branches(solver, t0, conditions);
    if (!status)
        status = check_allowed_misfit(solver, t0);
    if (!status)
        status = dfl_switching_first(solver);
    if (status)
        return status;
    if (dfl_formulation_least_multipliers(&st->here, solver->form) == DFL_STEP_STOP)
        return start_failure(solver);
    status = dfl_solver_sizes_take(solver, x0, dfl_solver_state(solver), &st->here);
    if (status)
        return status;
    note_start(solver, conditions && conditions->completed ? solver->x : x0);
    solver->stats.check_evaluations += solver->initial.counters.evaluations;
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

int dfl_solver_redundant(const dfl_solver *solver)
{
    const bool *off = solver->options.switches.off;
    int count = dfl_formulation_redundant(solver->form);
    for (int i = 0; off && i < solver->sys.nc; i++)
        count -= off[i];
    return count;
}

dfl_status dfl_solver_lay_out(dfl_solver *solver, double t0)
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
    return dfl_system_eval_checked(&solver->sys, here) ? start_failure(solver) : DFL_OK;
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

/* Constraints that are dependent up to more than what is allowed, but not much more, would be
   obeyed, and would hold a mechanism that was meant to move. */
static dfl_status check_allowed_misfit(dfl_solver *solver, double t0)
{
    const double allowed = dfl_largest_misfit(&solver->options.constraints, solver->sys.nc);
    char rigid[400];
    if (!(allowed > 0) || solver->sys.nc == 0 ||
        dfl_initial_rigid(rigid, sizeof rigid, &solver->initial) == 0)
        return DFL_OK;
    return dfl_fail(solver->ctx, DFL_SINGULAR,
                    "redundant = %g allows less than the misfit of the constraints at t = %g%s",
                    allowed, t0, rigid);
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
    if (dfl_solver_redundant(solver) > 0)
        dfl_log(&solver->options, DFL_LOG_NOTICE,
                "%d of %d constraints are redundant (rank %d); multipliers of minimum norm are "
                "computed",
                dfl_solver_redundant(solver), sys->nc, dfl_formulation_rank(form));
    if (dfl_solver_redundant(solver) > 0 &&
        dfl_formulation_misfit(form) > solver->options.constraints.rank_tolerance)
        dfl_log(&solver->options, DFL_LOG_WARNING,
                "redundant constraints do not fit exactly: they are dependent up to %.1e of their "
                "size (redundant = %g allows it), and the motion is right to about this part",
                dfl_formulation_misfit(form),
                dfl_largest_misfit(&solver->options.constraints, sys->nc));
    if (dfl_formulation_pivoting(form))
        dfl_log(&solver->options, DFL_LOG_NOTICE,
                "every sparse matrix is factored by KLU, with pivots, since the model has %s; "
                "steps cost more than those of other models",
                dfl_formulation_pivoting(form));
    char rigid[400];
    if (dfl_formulation_weakest(form) < 1e-4)
        dfl_log(&solver->options, DFL_LOG_WARNING,
                "the constraints are nearly dependent at the start: smallest/largest singular "
                "value %.1e",
                dfl_formulation_weakest(form));
    else if (solver->options.log && sys->nc > 0 && dfl_formulation_rank(form) == sys->n3 &&
             dfl_initial_rigid(rigid, sizeof rigid, &solver->initial) > 0)
        dfl_log(&solver->options, DFL_LOG_WARNING, "%s", rigid + strlen("; "));
    warn_of_velocities(solver);
    warn_of_gap(solver);
}

/* How far the start is from where its constraints hold, in the units of the variables. */
static double start_gap(const dfl_solver *solver)
{
    const double *g = solver->stepper->here.blocks.g, *size = solver->initial.row_size;
    double gap = 0;
    for (int i = 0; i < solver->eom->nl; i++)
        gap = fmax(gap, fabs(g[i]) / fmax(DBL_MIN, size[i]));
    return gap;
}

/* The step that closes the gap gives velocities its size over h, and these remain. Without fixed
   steps no step is short enough, and the run ends. */
static void warn_of_gap(const dfl_solver *solver)
{
    const double h = solver->options.step.fixed;
    const double gap = h > 0 && solver->sys.requirements.index_v >= 2 ? start_gap(solver) : 0;
    if (gap > 10 * solver->options.rtol)
        dfl_log(&solver->options, DFL_LOG_WARNING,
                "form %s: the start violates constraints by %.1e, and the first step makes this a "
                "velocity of about %.1e; let the start be projected, or take the form psf",
                dfl_form_name(solver->options.form), gap, gap / h);
}

/* Velocities of index 2 are differences of positions: each step may err by rtol/h in them. Radau
   IIA loses two of its orders; what methods of low order have left is not in proportion to rtol. */
static void warn_of_velocities(const dfl_solver *solver)
{
    const dfl_integrator used = solver->options.integrator;
    const bool low = used == DFL_BDF || used == DFL_TRAPEZOIDAL || used == DFL_MIDPOINT;
    if (low && solver->sys.requirements.index_v >= 2 && solver->options.step.fixed == 0)
        dfl_log(
            &solver->options, DFL_LOG_WARNING,
            "form %s with method %s: velocities are differences of positions and may err by far "
            "more than rtol; take the form psf, or the method radau",
            dfl_form_name(solver->options.form), dfl_integrator_name(used));
}
