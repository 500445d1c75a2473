/* replay.c: how the state after an instant depends on the state before it.

   Events that act, impacts and new constraints map the state before an instant to that after it.
   The same events and impacts, with the same modes of contacts, are repeated from states and with
   parameters nearby; the derivative of the result along a direction is extrapolated from
   differences. */
#include "solver/contact_modes.h"
#include "solver/switching.h"

#include "linalg/linalg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* States along a direction. */
typedef struct ray {
    dfl_solver *solver;
    int column;
    const double *along; /* n */
    double instant;
} ray;

static dfl_status jump_from(double *out, double s, void *user);
static dfl_status collide_again(dfl_solver *solver, double t);
static dfl_status compare(dfl_solver *solver, const double *again);
static bool moves_positions(const double *out, dfl_solver *solver, const double *along);
static double reach(const dfl_solver *solver, const ray *self);
static dfl_status refuse(const dfl_solver *solver, const char *why);

void dfl_record_begin(dfl_solver *solver)
{
    dfl_record *record = &solver->switching->record;
    record->t = solver->stepper->t;
    record->acts = record->ncollisions = 0;
    record->together = false;
    memcpy(record->x, dfl_solver_state(solver), (size_t)solver->sys.nu * sizeof *record->x);
    if (solver->contacts)
        memcpy(record->modes, solver->contacts->mode,
               (size_t)solver->contacts->count * sizeof *record->modes);
}

bool dfl_record_jumps(const dfl_solver *solver)
{
    const dfl_record *record = &solver->switching->record;
    return record->acts > 0 || record->ncollisions > 0 ||
           solver->derivatives.parameters.nmemory > 0;
}

dfl_status dfl_record_slopes(double *out, dfl_solver *solver, int column, const double *along,
                             double instant)
{
    const dfl_parameters *by = &solver->derivatives.parameters;
    const dfl_record *record = &solver->switching->record;
    const int n = solver->sys.nu + by->nmemory;
    ray self = {solver, column, along, instant};
    double doubt = 0;
    if (!by->move || (record->acts > 0 && !by->repeat))
        return refuse(solver, "the state jumps");
    if (record->acts > 1)
        return refuse(solver, "events act on each other");
    if (record->ncollisions > DFL_MOST_COLLISIONS)
        return refuse(solver, "there are too many impacts");
    if (record->together)
        return refuse(solver, "contacts collide at once, and nearby one after another");
    double *work = dfl_alloc(solver->ctx, 4 * (size_t)n, sizeof *work);
    if (!work)
        return DFL_NO_MEMORY;
    dfl_status status = jump_from(out, 0, &self);
    if (!status)
        status = compare(solver, out);
    if (!status)
        status = dfl_slope_at_zero(out, &doubt, n, jump_from, &self, reach(solver, &self), work);
    if (!status && moves_positions(out, solver, along))
        status = refuse(solver, "which constraints hold after it depends on the parameters");
    if (!status && doubt > 1e-6)
        status = refuse(solver, "the state after it is no smooth function of the state before it");
    dfl_free(solver->ctx, work);
    return status == DFL_OK || status == DFL_INVALID || status == DFL_NO_MEMORY
               ? status
               : refuse(solver, dfl_message(solver->ctx));
}

/* Positions do not jump unless they are assigned: the constraints after the instant are satisfied
   already. */
static bool moves_positions(const double *out, dfl_solver *solver, const double *along)
{
    const dfl_layout at = dfl_eom_layout(solver->eom);
    const dfl_switching *sw = solver->switching;
    const int np = at.n - at.p;
    const double size = fmax(dfl_max_abs(out + at.p, np), dfl_max_abs(along + at.p, np));
    const double least = 1e-6 * dfl_max_abs(sw->record.x + at.p, np);
    dfl_solver_tolerances_at(sw->tolerance, solver, sw->record.x);
    for (int i = at.p; i < at.n; i++) {
        const double moved = fabs(out[i] - along[i]);
        if (!sw->change.assigned[i] && moved > fmax(1e-4 * size, least) &&
            moved > 1e-2 * sw->tolerance[i])
            return true;
    }
    return false;
}

/* A hundredth of the sizes of all that moves. */
static double reach(const dfl_solver *solver, const ray *self)
{
    const dfl_layout at = dfl_eom_layout(solver->eom);
    const int border[] = {at.r, at.v, at.s, at.n};
    const dfl_record *record = &solver->switching->record;
    const double *size = solver->derivatives.parameters.size;
    double most = size ? fabs(size[self->column]) : 1;
    for (int k = 0; k < 3; k++) {
        const int count = border[k + 1] - border[k];
        const double length = dfl_max_abs(record->x + border[k], count);
        const double speed = dfl_max_abs(self->along + border[k], count);
        if (length > 0 && speed * most > length)
            most = length / speed;
    }
    return 1e-2 * most;
}

/* out: the state, then the memory, after the instant, from record->x + s along. */
static dfl_status jump_from(double *out, double s, void *user)
{
    const ray *self = user;
    dfl_solver *solver = self->solver;
    const dfl_parameters *by = &solver->derivatives.parameters;
    const dfl_record *record = &solver->switching->record;
    dfl_change own = solver->switching->change, *change = &own;
    const int n = solver->sys.nu;
    const double t = record->t + s * self->instant;
    double *before = solver->switching->probe + 2 * solver->options.switches.count;
    double *memory = out + n;
    const dfl_jump jump = {
        .before = before, .impulse = change->impulse, .assigned = change->assigned};
    own.met = NULL;
    for (int i = 0; i < n; i++)
        before[i] = record->x[i] + s * self->along[i];
    for (int i = 0; i < by->nmemory; i++)
        memory[i] = s * by->memory[self->column * by->nmemory + i];
    memset(change->impulse, 0, (size_t)solver->eom->nv * sizeof *change->impulse);
    memset(change->assigned, 0, (size_t)n * sizeof *change->assigned);
    if (by->move(self->column, s, by->user))
        return dfl_switching_stopped(solver, "move");
    dfl_status status = dfl_initial_renew_masses(&solver->initial, t, before);
    if (!status && solver->contacts)
        status = dfl_contacts_set(solver, record->modes);
    if (!status) /* `along` is a tangent: the state may be off the constraints by s^2 */
        status = dfl_initial_project(before, &solver->initial, t, false);
    memcpy(change->x, before, (size_t)n * sizeof *before);
    if (!status && by->repeat && by->repeat(change, memory, t, by->user))
        status = dfl_switching_stopped(solver, "repeat");
    memcpy(out, change->x, (size_t)n * sizeof *out);
    if (!status)
        status = dfl_initial_jump(out, &solver->initial, t, &jump);
    if (!status && solver->contacts) {
        memcpy(solver->contacts->x, out, (size_t)n * sizeof *out);
        status = collide_again(solver, t);
        memcpy(out, solver->contacts->x, (size_t)n * sizeof *out);
    }
    if (by->move(self->column, 0, by->user) && !status)
        status = dfl_switching_stopped(solver, "move");
    const dfl_status renewed = dfl_initial_renew_masses(&solver->initial, t, before);
    return status ? status : renewed;
}

/* All impacts, then the modes that were found. */
static dfl_status collide_again(dfl_solver *solver, double t)
{
    dfl_contacts *c = solver->contacts;
    const dfl_switch_options *opt = &solver->options.switches;
    const dfl_record *record = &solver->switching->record;
    dfl_status status = DFL_OK;
    dfl_solver_tolerances_at(c->tolerance, solver, c->x);
    if (opt->contacts.eval(c->state, t, c->x, c->tolerance, opt->user))
        status = dfl_switching_stopped(solver, "contacts.eval");
    for (int k = 0; !status && k < record->ncollisions; k++)
        status = dfl_contacts_collide_again(solver, t, record->collision[k].contact,
                                            record->collision[k].plastic);
    if (!status)
        status = dfl_contacts_set(solver, c->mode);
    memset(c->impulse, 0, (size_t)solver->eom->nv * sizeof *c->impulse);
    return status ? status : dfl_contacts_jump(c->x, solver, t, c->impulse);
}

/* Whether the repetition leads to the state after the instant. */
static dfl_status compare(dfl_solver *solver, const double *again)
{
    const dfl_layout at = dfl_eom_layout(solver->eom);
    const double *x = dfl_solver_state(solver);
    const double *weight = dfl_stepper_weights(solver->stepper) + solver->sys.na;
    for (int i = at.r; i < at.n; i++)
        if (!(fabs(again[i] - x[i]) * weight[i] <= 1e-2))
            return refuse(solver, "the state jumps in a way that cannot be repeated");
    return DFL_OK;
}

static dfl_status refuse(const dfl_solver *solver, const char *why)
{
    char reason[300];
    snprintf(reason, sizeof reason, "%s", why);
    return dfl_fail(solver->ctx, DFL_INVALID,
                    "derivatives by parameters cannot be followed beyond t = %.10g: %s",
                    solver->stepper->t, reason);
}
