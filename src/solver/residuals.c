/* How far the present state is from every constraint.

   The last step has evaluated everything that is needed: the rows g, gI, hv, c, d, e, ep, gam are
   in its blocks, and the formulation knows  W a + bias  with  M a = f - W^T (l, m). */
#include "linalg/linalg.h"
#include "solver/solver_internal.h"

#include <math.h>
#include <string.h>

static dfl_residuals residuals_at(const dfl_solver *solver, const dfl_point *point,
                                  const double *acceleration);
static double level(const double *rows, int n);
static void note(double *largest, double residual);
static void note_corrections(dfl_solver *solver);

dfl_residuals dfl_solver_residuals(dfl_solver *solver)
{
    const dfl_residuals unknown = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    const dfl_point *point = solver->present;
    if (!solver->started || !point)
        return unknown;
    return residuals_at(solver, point, dfl_formulation_acceleration_rows(solver->form, point));
}

/* Counted as an evaluation for checks; false if it fails. */
static bool evaluate(dfl_system *sys, dfl_point *point)
{
    sys->stats->evaluations--;
    sys->stats->check_evaluations++;
    return dfl_system_eval_checked(sys, point) == DFL_STEP_OK;
}

/* In the spare point: the other one is where the last step began, from where it may be taken again.
   Carried accelerations are those that belong to x. */
dfl_residuals dfl_solver_residuals_at(dfl_solver *solver, double t, const double *x)
{
    const dfl_residuals unknown = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    dfl_stepper *st = solver->stepper;
    dfl_system *sys = &solver->sys;
    dfl_point *point = &st->spare;
    if (!solver->started)
        return unknown;
    dfl_stepper_interpolate(point->x, st, t);
    memcpy(point->x + sys->na, x, (size_t)sys->nu * sizeof *x);
    point->t = t;
    if (!evaluate(sys, point))
        return unknown;
    bool known = true;
    if (sys->leading_a) {
        known = dfl_formulation_solve_accelerations(point->x, solver->form, point);
        if (known && !evaluate(sys, point))
            return unknown;
    }
    return residuals_at(solver, point,
                        known ? dfl_formulation_acceleration_rows(solver->form, point) : NULL);
}

void dfl_solver_note_residuals(dfl_solver *solver)
{
    const dfl_point *here = &solver->stepper->here;
    const double *acceleration = dfl_formulation_acceleration_rows(solver->form, here);
    const dfl_residuals now = residuals_at(solver, here, acceleration);
    dfl_residuals *largest = &solver->stats.max_residual;
    note(&largest->position, now.position);
    note(&largest->velocity, now.velocity);
    note(&largest->acceleration, now.acceleration);
    note(&largest->nonholonomic, now.nonholonomic);
    note(&largest->contact, now.contact);
    note(&largest->auxiliary, now.auxiliary);
    note(&largest->invariant, now.invariant);
    note(&largest->massless, now.massless);
    if (!acceleration)
        largest->acceleration = NAN;
    if (!solver->sys.carried)
        note_corrections(solver);
}

static dfl_residuals residuals_at(const dfl_solver *solver, const dfl_point *point,
                                  const double *acceleration)
{
    const dfl_eom *eom = solver->eom;
    const dfl_blocks *b = &point->blocks;
    return (dfl_residuals){
        .position = level(b->g, eom->nl),
        .velocity = level(b->gI, eom->nl),
        .acceleration = level(acceleration, acceleration ? solver->sys.nc : 0),
        .nonholonomic = level(b->hv, eom->nm),
        .contact = level(b->c, eom->ns),
        .auxiliary = level(b->d, eom->nw),
        .invariant = fmax(level(b->e, eom->ne), level(b->ep, eom->nep)),
        .massless = level(b->gam, eom->n0),
    };
}

/* NAN if there are no rows; fmax ignores it. */
static double level(const double *rows, int n)
{
    return n > 0 ? dfl_max_abs(rows, n) : NAN;
}

/* Takes a residual into the largest one. NAN in either of them stays without effect. */
static void note(double *largest, double residual)
{
    if (residual > *largest)
        *largest = residual;
}

/* The leading unknowns that a form adds, after the accelerations. */
static void note_corrections(dfl_solver *solver)
{
    const dfl_system *sys = &solver->sys;
    const int first = sys->leading_a ? sys->n3 : 0;
    note(&solver->stats.max_correction,
         dfl_max_abs(solver->stepper->here.x + first, sys->na - first));
}
