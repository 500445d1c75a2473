/* probe.c: what a start does not show: how large rates become later in the run, and by how much
   forces change when a motion begins. Orders of magnitude, for sizes of which nothing else is known
   (sizes.c).

   A motion from rest whose forces are zero at the start has no size there. Its forces at the same
   state, but at a few later times of the run, have one. */
#include "context/context.h"
#include "solver/solver_internal.h"
#include "solver/switching.h"

#include <math.h>
#include <string.h>

enum { TIMES = 5 };

/* What evaluations for sizes must not leave behind. */
typedef struct traces {
    dfl_trouble trouble;
    dfl_statistics stats;
    const char *stopped;
} traces;

static traces remember(const dfl_solver *solver)
{
    return (traces){solver->sys.trouble, solver->stats, solver->sys.stopped};
}

static void forget(dfl_solver *solver, const traces *before)
{
    const long done = solver->stats.evaluations - before->stats.evaluations;
    solver->sys.trouble = before->trouble;
    solver->sys.stopped = before->stopped;
    solver->stats = before->stats;
    solver->stats.check_evaluations += done;
}

static bool accelerations_at(double *a, dfl_solver *solver, double t, const double *x)
{
    const dfl_system *sys = &solver->sys;
    dfl_point *beside = &solver->stepper->next;
    memcpy(beside->x, solver->stepper->here.x, (size_t)sys->na * sizeof *x);
    memcpy(beside->x + sys->na, x, (size_t)sys->nu * sizeof *x);
    beside->t = t;
    return !dfl_system_eval_checked(&solver->sys, beside) &&
           dfl_formulation_solve_accelerations(a, solver->form, beside);
}

/* Branches that hold at (t, x), and those of the start again. */
static void take_branches(const dfl_solver *solver, double t, const double *x)
{
    const dfl_switch_options *opt = &solver->options.switches;
    bool changed;
    if (solver->switching)
        opt->settle(&changed, t, x, NULL, opt->user);
}

static dfl_status restore_branches(dfl_solver *solver)
{
    bool changed;
    return dfl_switching_settle(&changed, solver);
}

dfl_status dfl_solver_probe_later(double *later, dfl_solver *solver)
{
    const dfl_layout at = dfl_eom_layout(solver->eom);
    const traces before = remember(solver);
    const double t0 = solver->stepper->here.t, *x = dfl_solver_state(solver);
    double *a = solver->x_event;
    memset(later, 0, (size_t)at.n * sizeof *later);
    for (int k = 0; k < TIMES; k++) {
        const double t = t0 + solver->options.error.duration * fmod(0.6180339887 * k, 1);
        take_branches(solver, t, x);
        if (!accelerations_at(a, solver, t, x))
            continue;
        const double *b = solver->stepper->next.blocks.b;
        for (int j = 0; j < solver->eom->nv; j++)
            later[at.v + j] = fmax(later[at.v + j], isfinite(a[j]) ? fabs(a[j]) : 0);
        for (int i = at.r; i < at.v; i++)
            later[i] = fmax(later[i], isfinite(b[i - at.r]) ? fabs(b[i - at.r]) : 0);
    }
    forget(solver, &before);
    return restore_branches(solver);
}

bool dfl_solver_probe_moved(double *change, dfl_solver *solver, const double *move)
{
    const dfl_layout at = dfl_eom_layout(solver->eom);
    const dfl_system *sys = &solver->sys;
    const traces earlier = remember(solver);
    const double t = solver->stepper->here.t, *start = dfl_solver_state(solver);
    double *x = solver->x_stop, *before = solver->x_event;
    memcpy(x, start, (size_t)sys->nu * sizeof *x);
    bool done = accelerations_at(before, solver, t, x);
    memcpy(x + at.v, move, (size_t)solver->eom->nv * sizeof *x); /* Z move is the rate of p */
    done = done && accelerations_at(change, solver, t, x);
    memcpy(x + at.v, start + at.v, (size_t)solver->eom->nv * sizeof *x);
    for (int i = at.p; done && i < at.n; i++)
        x[i] += solver->eom->trivial_kinematics ? move[i - at.p]
                                                : solver->stepper->next.blocks.kin[i - at.p];
    done = done && accelerations_at(change, solver, t, x);
    for (int j = 0; done && j < solver->eom->nv; j++)
        change[j] = isfinite(change[j] - before[j]) ? fabs(change[j] - before[j]) : 0;
    forget(solver, &earlier);
    return done;
}
