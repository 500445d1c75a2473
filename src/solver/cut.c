/* cut.c: where a step cannot be taken again it is cut at the state of the polynomial, moved onto
   the constraints; a crossing at its very beginning takes it back. */
#include "solver/switching.h"

#include <float.h>
#include <math.h>

static dfl_status stand_at(double *value, dfl_solver *solver, double t, int which);
static dfl_status correct_cut(dfl_solver *solver, double found, int which);

dfl_status dfl_switching_cut_at(dfl_solver *solver, double t, int which)
{
    dfl_stepper *st = solver->stepper;
    const dfl_switching *sw = solver->switching;
    if (fabs(t - st->t_old) <= 16 * DBL_EPSILON * fabs(t)) {
        dfl_stepper_undo(st);
        solver->cut = NAN;
        return DFL_OK;
    }
    double value;
    dfl_status status = stand_at(&value, solver, t, which);
    if (!status && dfl_switching_noise(sw->noise, t, solver->x_cut, solver))
        status = dfl_switching_stopped(solver, "noise");
    return status || fabs(value) <= sw->noise[which] ? status : correct_cut(solver, value, which);
}

/* Cuts the step at t; *value: that of function `which` there. */
static dfl_status stand_at(double *value, dfl_solver *solver, double t, int which)
{
    solver->cut = t;
    dfl_status status = dfl_solver_continuous(solver->x_cut, solver, t, true);
    if (!status)
        status = dfl_switching_values(solver);
    *value = solver->switching->value[which];
    return status;
}

/* Between steps of methods that remember, multipliers have no accuracy: where function `which`
   depends on them its zero is found anew, among states that satisfy all equations. */
static dfl_status correct_cut(dfl_solver *solver, double found, int which)
{
    const dfl_stepper *st = solver->stepper;
    const double polynomial = solver->cut;
    double a = found > 0 ? polynomial : st->t_old, b = found > 0 ? st->t : polynomial, fa, fb, f;
    dfl_status status = stand_at(&fa, solver, a, which);
    if (!status)
        status = stand_at(&fb, solver, b, which);
    if (status || !(fa > 0 && fb < 0))
        return status ? status : stand_at(&f, solver, polynomial, which);
    for (int it = 0; !status && it < 60 && fabs(b - a) > 4 * DBL_EPSILON * fabs(b); it++) {
        const double m = it % 3 == 2 ? 0.5 * (a + b) : a - fa / (fb - fa) * (b - a);
        status = stand_at(&f, solver, m, which);
        if (fabs(f) <= 1e-3 * solver->switching->noise[which])
            return status;
        if (f > 0)
            a = m, fa = f;
        else
            b = m, fb = f;
    }
    return status;
}
