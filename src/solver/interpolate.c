/* States between the ends of the last step, and points beside the trajectory. */
#include "context/context.h"
#include "solver/solver_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

static dfl_status move_onto_constraints(double *x, dfl_solver *solver, double t);

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

double dfl_solver_step_begin(const dfl_solver *solver)
{
    const dfl_stepper *st = solver->stepper;
    return st->stepped ? st->t_old : st->t;
}

dfl_status dfl_solver_step_back(dfl_solver *solver, double t)
{
    dfl_status status = dfl_solver_interpolate(solver->x_event, solver, t, true);
    if (status)
        return status;
    if (!dfl_solver_evaluate_beside(solver, t, solver->x_event))
        return dfl_fail(solver->ctx, DFL_CALLBACK, "eval fails at t = %.10g, inside the last step",
                        t);
    dfl_solver_stand_beside(solver);
    solver->cut = NAN;
    solver->unreported = solver->event_found = solver->approached = false;
    solver->sense = 0; /* events and rows are looked for from here on */
    solver->present = &solver->stepper->here;
    return DFL_OK;
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
   made. If the step itself did without an invariant, such a place is near. There a correction must
   be clearly smaller than the error of the polynomial, which is about the estimate of the step: a
   larger one corrects the error of p, divided by v. */
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
    const bool all = dfl_formulation_invariants(solver->form) == solver->eom->ne;
    if (sqrt(sum / (sys->nu - first)) <= (all ? 1 : 0.5 * solver->stepper->estimate))
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
