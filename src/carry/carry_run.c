/* carry_run.c: a carried model from its start on, with the solver inside. */
#include "carry/carry_internal.h"

#include <math.h>
#include <string.h>

static dfl_status create_solver(dfl_carried_run *run, double rtol);
static dfl_status take_levels(double t, const double *x, void *user);

double dfl_carried_param(const dfl_carried_run *run, int index)
{
    return run->param[index];
}

double dfl_carried_input(const dfl_carried_run *run, int index)
{
    return run->input[index];
}

static void set(dfl_carried_run *run, double *place, double value)
{
    if (*place == value)
        return;
    *place = value;
    run->changed = true;
    dfl_carried_prepare(run);
}

void dfl_carried_set_param(dfl_carried_run *run, int index, double value)
{
    set(run, &run->param[index], value);
}

void dfl_carried_set_input(dfl_carried_run *run, int index, double value)
{
    set(run, &run->input[index], value);
}

bool dfl_carried_changed(const dfl_carried_run *run)
{
    return run->changed;
}

void dfl_carried_set_changed(dfl_carried_run *run, bool changed)
{
    run->changed = changed;
}

void dfl_carried_set_start(dfl_carried_run *run, int index, double value)
{
    run->start[index] = value;
    run->held[index] = true;
}

double dfl_carried_get_start(const dfl_carried_run *run, int index)
{
    return run->start[index];
}

dfl_status dfl_carried_start(dfl_carried_run *run, double t, double rtol)
{
    const dfl_carried *m = run->model;
    const dfl_conditions conditions = {.held = run->held, .completed = take_levels, .user = run};
    dfl_status status = create_solver(run, rtol > 0 ? rtol : m->options.rtol);
    run->stopped = -1;
    if (!status)
        status = dfl_solver_start(run->solver, t, run->start, &conditions);
    run->started = !status;
    run->changed = false;
    return status;
}

static dfl_status create_solver(dfl_carried_run *run, double rtol)
{
    dfl_solver_options options = run->model->options;
    dfl_solver_free(run->solver);
    run->solver = NULL;
    options.rtol = run->rtol = rtol;
    dfl_carried_listen(&options, run);
    return dfl_solver_create(&run->solver, run->ctx, &run->eom, &options);
}

static dfl_status take_levels(double t, const double *x, void *user)
{
    dfl_carried_set_levels(user, t, x);
    return DFL_OK;
}

dfl_status dfl_carried_move(dfl_carried_run *run, double t, const double *x)
{
    if (!run->started)
        return dfl_fail(run->ctx, DFL_INVALID, "the run has not started");
    run->changed = false;
    return dfl_solver_meet(run->solver, t, x);
}

dfl_status dfl_carried_next_instant(double *t, dfl_carried_run *run)
{
    *t = INFINITY;
    return run->started ? dfl_solver_next_instant(t, run->solver) : DFL_OK;
}

/* Contact variables follow the positions, not the other way round. */
static dfl_status weigh(dfl_carried_run *run, double t, const double *x)
{
    const dfl_eom *eom = &run->eom;
    const dfl_layout at = dfl_eom_layout(eom);
    const size_t nv = (size_t)eom->nv;
    double *M = dfl_alloc(run->ctx, nv * nv, sizeof *M), largest = 0;
    run->weight = dfl_alloc(run->ctx, (size_t)at.n, sizeof *run->weight);
    if (!M || !run->weight || eom->mass(M, t, x, eom->user)) {
        dfl_free(run->ctx, M);
        return DFL_NO_MEMORY;
    }
    for (int i = 0; i < at.n; i++)
        run->weight[i] = i >= at.s && i < at.s + eom->ns ? 1e-6 : 1;
    for (int i = 0; i < eom->nv; i++) {
        run->weight[at.v + i] = M[eom->mass_diagonal ? i : i * (eom->nv + 1)];
        largest = fmax(largest, run->weight[at.v + i]);
    }
    for (int i = at.v; i < at.v + eom->nv; i++)
        run->weight[i] = fmax(run->weight[i], largest > 0 ? 1e-9 * largest : 1);
    dfl_free(run->ctx, M);
    return DFL_OK;
}

/* By a solver that knows of no switches: branches stay. */
static dfl_status create_completer(dfl_carried_run *run, double t, const double *x)
{
    dfl_solver_options options = run->model->options;
    options.switches.off = run->model->branching.masked ? run->branching.off : NULL;
    const dfl_status status = run->eom.ns > 0 ? weigh(run, t, x) : DFL_OK;
    return status ? status : dfl_solver_create(&run->completer, run->ctx, &run->eom, &options);
}

dfl_status dfl_carried_complete(double *rate, double *x, dfl_carried_run *run, double t)
{
    dfl_status status = run->completer ? DFL_OK : create_completer(run, t, x);
    const dfl_conditions conditions = {.weight = run->weight};
    if (!status)
        status = dfl_solver_start(run->completer, t, x, &conditions);
    if (status)
        return status;
    memcpy(x, dfl_solver_state(run->completer), (size_t)run->model->n * sizeof *x);
    dfl_carried_rates(rate, run, t, x);
    return DFL_OK;
}

dfl_status dfl_carried_refresh(dfl_carried_run *run)
{
    if (!run->started)
        return dfl_fail(run->ctx, DFL_INVALID, "the run has not started");
    const dfl_status status = run->changed ? dfl_solver_refresh(run->solver, NULL) : DFL_OK;
    run->changed = run->changed && status;
    return status;
}

dfl_status dfl_carried_advance(dfl_carried_run *run, double t)
{
    dfl_status status = dfl_carried_refresh(run);
    if (!status && !isfinite(t))
        status = dfl_fail(run->ctx, DFL_INVALID, "cannot advance to t = %g", t);
    if (!status && t != dfl_solver_time(run->solver))
        status = dfl_solver_advance(run->solver, t);
    return status;
}

void dfl_carried_watch_steps(dfl_carried_run *run, dfl_carried_step_fn step, void *user)
{
    run->step = step;
    run->step_user = user;
}

int dfl_carried_stopped(const dfl_carried_run *run)
{
    return run->stopped;
}

double dfl_carried_time(const dfl_carried_run *run)
{
    return run->started ? dfl_solver_time(run->solver) : run->model->time;
}

int dfl_carried_rank(const dfl_carried_run *run)
{
    return run->started ? dfl_solver_statistics(run->solver).rank_velocity : -1;
}

const double *dfl_carried_state(const dfl_carried_run *run)
{
    return run->started ? dfl_solver_state(run->solver) : run->model->start;
}

/* ------------------------------------------------------------------------------- states */

/* Parameters, inputs and levels are one block of numbers, discrete variables and branches another.
 */
static size_t bytes_of(const dfl_carried_run *run, bool switching)
{
    const dfl_carried *m = run->model;
    return (size_t)(switching ? m->branching.ndiscretes + run->branching.nitems
                              : m->nparams + m->ninputs + m->nlevels) *
           sizeof(double);
}

size_t dfl_carried_saved_size(const dfl_carried_run *run)
{
    return bytes_of(run, false) + bytes_of(run, true) +
           (run->solver ? dfl_solver_saved_size(run->solver) : 0);
}

dfl_status dfl_carried_save(void *bytes, dfl_carried_run *run)
{
    if (!run->started)
        return dfl_fail(run->ctx, DFL_INVALID, "the run has not started");
    const dfl_status status = dfl_carried_refresh(run);
    const size_t numbers = bytes_of(run, false), switching = bytes_of(run, true);
    unsigned char *to = bytes;
    memcpy(to, run->param, numbers);
    memcpy(to + numbers, run->branching.discrete, switching);
    return status ? status : dfl_solver_save(to + numbers + switching, run->solver);
}

dfl_status dfl_carried_restore(dfl_carried_run *run, const void *bytes)
{
    if (!run->started)
        return dfl_fail(run->ctx, DFL_INVALID, "the run has not started");
    const size_t numbers = bytes_of(run, false), switching = bytes_of(run, true);
    const unsigned char *from = bytes;
    memcpy(run->param, from, numbers);
    memcpy(run->branching.discrete, from + numbers, switching);
    run->changed = false;
    run->stopped = -1;
    dfl_carried_prepare(run);
    dfl_branching_mask(&run->branching);
    return dfl_solver_restore(run->solver, from + numbers + switching);
}
