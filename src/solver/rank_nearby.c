/* Dependent constraints are redundant only if they stay dependent: at a singular position the rank
   is higher next to it. Looks at positions on the constraints a little away, if there are any. */
#include "context/context.h"
#include "solver/solver_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool stays_dependent(int *place, dfl_solver *solver, double t0);
static void move_a_little(double *x, const double *from, const dfl_solver *solver, int place);
static int rank_at(dfl_solver *solver, double t, const double *x);
static void name_moving_positions(char *text, size_t size, const dfl_solver *solver);

/* Without symmetry; by a part of the sizes of positions, or less in mechanisms of small size. */
static void move_a_little(double *x, const double *from, const dfl_solver *solver, int place)
{
    const dfl_layout at = dfl_eom_layout(solver->eom);
    const double largest = dfl_max_abs(from + at.p, at.n - at.p);
    const double overall = largest > 0 && largest < 1 ? largest : 1;
    memcpy(x, from, (size_t)solver->sys.nu * sizeof *x);
    for (int i = at.p; i < at.n; i++) {
        const double size = solver->eom->sizes ? dfl_system_told_size(&solver->sys, i) : overall;
        x[i] += 1e-3 * (size + fabs(x[i])) * dfl_generic(place, i - at.p);
    }
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

dfl_status dfl_solver_check_rank(dfl_solver *solver, double t0)
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
