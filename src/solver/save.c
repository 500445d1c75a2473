/* save.c: a trajectory as bytes.

   Matrices and earlier steps are not saved: the trajectory that is saved and the one that is
   restored both begin anew at the saved state, with its step size and order. So both go on with the
   same bits, and the bytes are few. */
#include "solver/contact_modes.h"
#include "solver/switching.h"

#include <string.h>

/* One description serves for counting, writing and reading. */
typedef struct archive {
    unsigned char *bytes; /* NULL: only counted */
    size_t used;
    bool reading;
} archive;

static void carry(archive *a, void *data, size_t size)
{
    if (a->bytes && a->reading)
        memcpy(data, a->bytes + a->used, size);
    else if (a->bytes)
        memcpy(a->bytes + a->used, data, size);
    a->used += size;
}

/* Counters of the trajectory. The time that it took belongs to neither the bytes nor the one that
   reads them: the same trajectory has the same bytes. */
static void carry_statistics(archive *a, dfl_statistics *stats)
{
    const double seconds = stats->seconds, longest = stats->longest_step;
    stats->seconds = stats->longest_step = 0;
    carry(a, stats, sizeof *stats);
    stats->seconds = seconds;
    stats->longest_step = longest;
}

/* All but the point itself. */
static void carry_memory(archive *a, dfl_solver *solver)
{
    const size_t d = sizeof(double), n = (size_t)solver->sys.nu;
    dfl_switching *sw = solver->switching;
    carry_statistics(a, &solver->stats);
    carry(a, &solver->doubts, sizeof solver->doubts);
    carry(a, solver->sizes.atol, n * d);
    carry(a, solver->sizes.size, n * d);
    carry(a, solver->sizes.unit, n * d);
    carry(a, solver->sizes.level, 2 * (n + 2) * d);
    carry(a, solver->sizes.rates, n * d);
    carry(a, &solver->sizes.rate, d);
    carry(a, &solver->t0, d);
    carry(a, &solver->outputs, sizeof solver->outputs);
    carry(a, solver->value_old, (size_t)solver->options.events.count * d);
    carry(a, &solver->sense, d);
    carry(a, &solver->fresh, sizeof solver->fresh);
    carry(a, &solver->reported, d);
    carry(a, solver->initial.row_size, (size_t)solver->sys.nc * d);
    carry(a, solver->initial.x, (size_t)solver->initial.sys.n * d); /* guesses of accelerations */
    carry(a, &solver->initial.rate, d);
    if (sw) {
        carry(a, &sw->recent, d);
        carry(a, &sw->crowd, sizeof sw->crowd);
        carry(a, &sw->faint, sizeof sw->faint);
        carry(a, sw->crowd_of, (size_t)solver->options.switches.count * sizeof *sw->crowd_of);
        carry(a, &sw->resume_at, d);
    }
    if (solver->contacts)
        carry(a, solver->contacts->mode,
              (size_t)solver->contacts->count * sizeof *solver->contacts->mode);
    if (solver->contacts)
        carry(a, solver->contacts->shared,
              2 * (size_t)solver->contacts->count * sizeof *solver->contacts->shared);
}

/* The point, and how to go on from it. */
typedef struct beginning {
    double t, h;
    int order;
    bool carried; /* accelerations are unknowns */
} beginning;

/* Numbers before the user's unknowns: accelerations and those along massless directions. */
static size_t leading_room(const dfl_solver *solver)
{
    return (size_t)(solver->eom->nv + solver->eom->n0);
}

static size_t leading(const dfl_solver *solver)
{
    const size_t na = (size_t)solver->sys.na, room = leading_room(solver);
    return !solver->sys.leading_a ? 0 : na < room ? na : room;
}

static void carry_point(archive *a, beginning *at, double *x, const dfl_solver *solver)
{
    carry(a, &at->t, sizeof at->t);
    carry(a, &at->h, sizeof at->h);
    carry(a, &at->order, sizeof at->order);
    carry(a, &at->carried, sizeof at->carried);
    carry(a, x, (leading_room(solver) + (size_t)solver->sys.nu) * sizeof *x);
}

/* Forgets everything before (t, x); x: accelerations, then the user's unknowns. */
static dfl_status begin_anew(dfl_solver *solver, const beginning *at, const double *x)
{
    dfl_system *sys = &solver->sys;
    dfl_point *here = &solver->stepper->here;
    const double *u = x + leading_room(solver);
    dfl_status status = dfl_system_decide(sys, at->t, u, at->carried);
    if (status)
        return status;
    dfl_formulation_bind(solver->form);
    dfl_stepper_bind(solver->stepper);
    here->t = at->t;
    memset(here->x, 0, (size_t)sys->na * sizeof *x);
    memcpy(here->x, x, leading(solver) * sizeof *x);
    memcpy(here->x + sys->na, u, (size_t)sys->nu * sizeof *x);
    if (dfl_system_eval_checked(sys, here))
        return dfl_fail(solver->ctx, DFL_CALLBACK, "the saved state cannot be evaluated, t = %.10g",
                        at->t);
    status = dfl_formulation_ranks(solver->form, here, solver->initial.row_size);
    if (status)
        return status;
    dfl_stepper_restart(solver->stepper, at->h, at->order);
    solver->present = here;
    solver->cut = NAN;
    solver->unreported = solver->event_found = solver->approached = false;
    if (solver->switching) {
        solver->switching->pending = solver->switching->told = false;
        solver->switching->halvings = 0;
        solver->switching->instant = INFINITY;
        solver->switching->horizon = at->t;
    }
    return DFL_OK;
}

size_t dfl_solver_saved_size(const dfl_solver *solver)
{
    archive count = {0};
    beginning at = {0};
    carry_point(&count, &at, solver->saved, solver);
    carry_memory(&count, (dfl_solver *)solver);
    return count.used;
}

/* Finishes the report of a step that a callback has stopped: what it has not said would be lost. */
static dfl_status settle(dfl_solver *solver)
{
    dfl_status status = DFL_OK;
    while (solver->unreported && (!status || status == DFL_STOPPED))
        status = dfl_solver_report_step(solver);
    return status && status != DFL_STOPPED ? status : dfl_switching_stand_at_cut(solver);
}

dfl_status dfl_solver_save(void *bytes, dfl_solver *solver)
{
    const dfl_stepper *st = solver->stepper;
    archive a = {.bytes = bytes};
    double *x = solver->saved;
    if (!solver->started)
        return dfl_fail(solver->ctx, DFL_INVALID, "call dfl_solver_start before dfl_solver_save");
    const dfl_status settled = settle(solver);
    if (settled)
        return settled;
    beginning at = {.t = st->t, .h = st->h, .order = st->order, .carried = solver->sys.carried};
    memset(x, 0, leading_room(solver) * sizeof *x);
    memcpy(x, st->here.x, leading(solver) * sizeof *x);
    memcpy(x + leading_room(solver), dfl_solver_state(solver), (size_t)solver->sys.nu * sizeof *x);
    carry_point(&a, &at, x, solver);
    carry_memory(&a, solver);
    const dfl_status status =
        solver->contacts ? dfl_contacts_set(solver, solver->contacts->mode) : DFL_OK;
    return status ? status : begin_anew(solver, &at, x);
}

dfl_status dfl_solver_restore(dfl_solver *solver, const void *bytes)
{
    archive a = {.bytes = (unsigned char *)bytes, .reading = true};
    beginning at;
    if (!solver->started)
        return dfl_fail(solver->ctx, DFL_INVALID,
                        "call dfl_solver_start before dfl_solver_restore");
    dfl_solver_forget_derivatives(solver);
    carry_point(&a, &at, solver->saved, solver);
    carry_memory(&a, solver);
    const dfl_status status =
        solver->contacts ? dfl_contacts_set(solver, solver->contacts->mode) : DFL_OK;
    return status ? status : begin_anew(solver, &at, solver->saved);
}
