/* Branches: during a step the model keeps its branch. Afterwards the functions that bound it are
   looked at on the polynomial of the step; where the first of them passes zero the step is taken
   again to end there, with the accuracy of the method. Then the model takes the other branch, and
   what jumps (accelerations, multipliers, auxiliary variables, velocities at the kink of a
   prescribed motion) is computed anew. Zeros of functions of time are known before a step, which
   ends there at once. */
#include "solver/switching.h"
#include "solver/solver_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 100 };              /* of branches that change each other */
enum { CROWD = 1000 };              /* crossings ... */
static const double crowded = 1e-7; /* ... closer than this part of the run, on the average */

static dfl_status change_branches(dfl_solver *solver);
static dfl_status start_again(dfl_solver *solver);
static dfl_status check_jump(dfl_solver *solver, double t);
static dfl_status guard(dfl_solver *solver);

dfl_status dfl_switching_init(dfl_solver *solver)
{
    const dfl_solver_options *opt = &solver->options;
    const size_t count = (size_t)opt->switches.count, d = sizeof(double);
    const size_t n = (size_t)solver->sys.n + 3 * (size_t)solver->eom->nv;
    dfl_context *ctx = solver->ctx;
    if (count == 0)
        return DFL_OK;
    dfl_switching *sw = solver->switching = dfl_alloc(ctx, 1, sizeof *sw);
    if (!sw)
        return DFL_NO_MEMORY;
    sw->value = dfl_alloc(ctx, count, d);
    sw->noise = dfl_alloc(ctx, count, d);
    sw->tolerance = dfl_alloc(ctx, n, d);
    sw->rate = dfl_alloc(ctx, n, d);
    sw->impulse = dfl_alloc(ctx, (size_t)solver->eom->nv, d);
    sw->crossed = dfl_alloc(ctx, count, sizeof *sw->crossed);
    sw->resume_at = NAN;
    if (!sw->value || !sw->noise || !sw->tolerance || !sw->rate || !sw->impulse || !sw->crossed)
        return DFL_NO_MEMORY;
    const dfl_status status = dfl_path_init(&sw->path, &solver->sys);
    return status ? status : dfl_search_init(&sw->search, ctx, opt->switches.count, solver->sys.nu);
}

void dfl_switching_clear(dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    dfl_context *ctx = solver->ctx;
    if (!sw)
        return;
    dfl_free(ctx, sw->value);
    dfl_free(ctx, sw->noise);
    dfl_free(ctx, sw->tolerance);
    dfl_free(ctx, sw->rate);
    dfl_free(ctx, sw->impulse);
    dfl_free(ctx, sw->crossed);
    dfl_path_clear(&sw->path, ctx);
    dfl_search_clear(&sw->search);
    dfl_free(ctx, sw);
}

dfl_status dfl_switching_stopped(const dfl_solver *solver, const char *name)
{
    return dfl_fail(solver->ctx, DFL_CALLBACK, "%s stopped the computation at t = %.10g", name,
                    solver->stepper->t);
}

/* ------------------------------------------------------------------------------- the start */

dfl_status dfl_switching_begin(dfl_solver *solver, double t0, const double *x0)
{
    const dfl_switch_options *opt = &solver->options.switches;
    bool changed;
    if (opt->count > 0 && opt->settle(&changed, t0, x0, NULL, opt->user))
        return dfl_switching_stopped(solver, "settle");
    return DFL_OK;
}

dfl_status dfl_switching_complete(dfl_solver *solver, double t0, const double *x0,
                                  const dfl_conditions *conditions)
{
    const dfl_switch_options *opt = &solver->options.switches;
    const size_t size = (size_t)solver->sys.nu * sizeof *x0;
    bool changed = false;
    memcpy(solver->x, x0, size);
    dfl_status status = dfl_initial_complete(solver->x, &solver->initial, t0, conditions);
    for (int round = 0; !status && opt->count > 0 && round < ROUNDS; round++) {
        if (opt->settle(&changed, t0, solver->x, NULL, solver->options.switches.user))
            return dfl_switching_stopped(solver, "settle");
        if (!changed)
            return DFL_OK;
        memcpy(solver->x, x0, size);
        status = dfl_initial_complete(solver->x, &solver->initial, t0, conditions);
    }
    if (!status && changed)
        status = dfl_fail(solver->ctx, DFL_INCONSISTENT,
                          "no branch of the model is valid at the start, t = %g: each one leads to "
                          "another",
                          t0);
    return status;
}

dfl_status dfl_switching_settle(bool *again, dfl_solver *solver)
{
    const dfl_stepper *st = solver->stepper;
    dfl_switching *sw = solver->switching;
    *again = false;
    if (!sw)
        return DFL_OK;
    sw->pending = false;
    sw->instant = INFINITY;
    sw->horizon = st->here.t;
    sw->resume_at = NAN;
    sw->crowd = 0;
    sw->halvings = 0;
    sw->told = false;
    solver->cut = NAN;
    dfl_stepper_rates(sw->rate, st, &st->here);
    if (solver->options.switches.settle(again, st->here.t, st->here.x + solver->sys.na,
                                        sw->rate + solver->sys.na, solver->options.switches.user))
        return dfl_switching_stopped(solver, "settle");
    return DFL_OK;
}

/* ------------------------------------------------------------------------------- branches */

dfl_status dfl_switching_flip(dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    if (!sw || !sw->pending)
        return DFL_OK;
    sw->pending = false;
    solver->stats.crossings++;
    if (!isnan(solver->cut)) {
        const bool evaluated = dfl_solver_evaluate_beside(solver, solver->cut, solver->x_cut);
        solver->cut = NAN;
        if (!evaluated)
            return dfl_switching_stopped(solver, "eval");
        dfl_solver_stand_beside(solver);
    }
    dfl_status status = guard(solver);
    if (!status)
        status = change_branches(solver);
    if (solver->stepper->t == sw->instant)
        sw->horizon = sw->instant, sw->instant = INFINITY;
    return status;
}

/* Until no branch is left that is not valid. */
static dfl_status change_branches(dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    const dfl_switch_options *opt = &solver->options.switches;
    for (int round = 0; round < ROUNDS; round++) {
        bool again = false;
        char old[200];
        snprintf(old, sizeof old, "%s", dfl_message(solver->ctx));
        memset(sw->impulse, 0, (size_t)solver->eom->nv * sizeof *sw->impulse);
        if (opt->flip(sw->impulse, sw->crossed, solver->stepper->t, dfl_solver_state(solver),
                      solver->options.switches.user))
            return strncmp(old, dfl_message(solver->ctx), sizeof old - 1)
                       ? DFL_CALLBACK /* the model has left its own message */
                       : dfl_switching_stopped(solver, "flip");
        dfl_status status = start_again(solver);
        if (!status)
            status = dfl_switching_values(solver);
        if (status)
            return status;
        for (int i = 0; i < opt->count; i++) {
            sw->crossed[i] = sw->value[i] < -sw->noise[i];
            again = again || sw->crossed[i];
        }
        if (!again)
            return DFL_OK;
    }
    return dfl_fail(solver->ctx, DFL_NOT_CONVERGED,
                    "switches keep switching each other at t = %.10g; give them a dead band",
                    solver->stepper->t);
}

/* What depends on the branch at the present positions: velocities where a motion has a kink,
   accelerations, multipliers, auxiliary variables. */
static dfl_status start_again(dfl_solver *solver)
{
    dfl_stepper *st = solver->stepper;
    const double t = st->t;
    memcpy(solver->x, dfl_solver_state(solver), (size_t)solver->sys.nu * sizeof *solver->x);
    dfl_status status =
        dfl_initial_jump(solver->x, &solver->initial, t, solver->switching->impulse);
    if (status)
        return dfl_fail(solver->ctx, status,
                        "after the switch at t = %.10g no state satisfies the constraints: %s", t,
                        dfl_message(solver->ctx));
    status = check_jump(solver, t);
    if (!status)
        status = dfl_solver_place_start(solver, t);
    if (!status)
        dfl_stepper_resume(st);
    return status;
}

/* Positions cannot jump; velocities jump where constraints have a kink, which is told. */
static dfl_status check_jump(dfl_solver *solver, double t)
{
    const dfl_layout at = dfl_eom_layout(solver->eom);
    const double *before = dfl_solver_state(solver), *after = solver->x;
    double *tolerance = solver->switching->tolerance, largest = 0;
    char name[64];
    dfl_solver_tolerances_at(tolerance, solver, before);
    for (int i = at.p; i < at.n; i++)
        if (fabs(after[i] - before[i]) > 100 * tolerance[i]) {
            dfl_eom_name(name, sizeof name, solver->eom, DFL_KIND_P, i - at.p);
            return dfl_fail(
                solver->ctx, DFL_INCONSISTENT,
                "a constraint jumps at t = %.10g: %s would have to jump by %.3g; bodies "
                "cannot",
                t, name, after[i] - before[i]);
        }
    for (int i = at.v; i < at.s; i++)
        if (fabs(after[i] - before[i]) > 100 * tolerance[i])
            largest = fmax(largest, fabs(after[i] - before[i]));
    if (largest > 0)
        dfl_log(&solver->options, DFL_LOG_WARNING,
                "a constraint or a prescribed motion has a kink at t = %.10g: velocities jump "
                "there, by %.4g at most",
                t, largest);
    return DFL_OK;
}

/* Crossings that come closer and closer would never end. */
static dfl_status guard(dfl_solver *solver)
{
    dfl_switching *sw = solver->switching;
    const double t = solver->stepper->t, run = fabs(solver->t_end - solver->t0);
    if (sw->crowd++ == 0)
        sw->recent = t;
    if (sw->crowd < CROWD)
        return DFL_OK;
    if (fabs(t - sw->recent) <= CROWD * crowded * run)
        return dfl_fail(solver->ctx, DFL_NOT_CONVERGED,
                        "events accumulate at t = %.10g: %d switches in %.2g s", t, CROWD,
                        fabs(t - sw->recent));
    sw->crowd = 0;
    return DFL_OK;
}
