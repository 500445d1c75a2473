/* impacts.c: contacts that close with a speed.

   The fastest one first, with those that are as fast (impact_group.c), until none closes. The
   velocities answer to an impulse of size 1 along its normal n and along its tangents t through all
   constraints, D = [n; t] M^-1 [n; t]^T. With friction the impact runs along Routh's path
   (impact_path.c). A rebound so small that its height is below the tolerance of the gap has none:
   the contact closes. */
#include "solver/contact_modes.h"
#include "solver/impact_path.h"
#include "solver/switching.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 1000 };

static dfl_status collide(dfl_solver *solver, double t, int i, bool plastic);
static dfl_status answers(dfl_collision *hit, dfl_solver *solver, double t, int i);
static void push(double *v, const dfl_solver *solver, const dfl_collision *hit);
static dfl_status rebounds(bool *visible, dfl_solver *solver, double t, int i,
                           const dfl_collision *hit);

dfl_status dfl_contacts_collide(dfl_solver *solver, double t)
{
    dfl_contacts *c = solver->contacts;
    const dfl_contact *contacts = solver->options.switches.contacts.contacts;
    const size_t size = (size_t)c->count * sizeof *c->mode;
    dfl_status status = DFL_OK;
    for (int round = 0; !status; round++) {
        int fastest = -1;
        for (int i = 0; i < c->count; i++)
            if (dfl_contacts_closes(solver, i) &&
                (fastest < 0 || c->u[CONTACT_ROWS * i] < c->u[CONTACT_ROWS * fastest]))
                fastest = i;
        if (fastest < 0)
            break;
        bool together = false;
        if (round < ROUNDS)
            status = dfl_contacts_collide_together(&together, solver, t, fastest);
        if (!status && !together)
            status = collide(solver, t, fastest, round >= ROUNDS);
        if (!status)
            status = dfl_contacts_speeds(solver, t, c->x);
        if (round > 2 * ROUNDS)
            status = dfl_fail(solver->ctx, DFL_NOT_CONVERGED,
                              "impacts of '%s' at t = %.10g do not end", contacts[fastest].name, t);
    }
    memcpy(c->trial, c->mode, size);
    return status ? status : dfl_contacts_set(solver, c->mode);
}

/* A gap within its noise that closes slowly needs long to do so: it is not taken as closed before.
 */
bool dfl_contacts_closes(const dfl_solver *solver, int i)
{
    const dfl_contacts *c = solver->contacts;
    const int k = CONTACT_ROWS * i;
    return solver->options.switches.contacts.contacts[i].normal >= 0 && c->near[i] &&
           c->u[k] < -c->size[k] &&
           (c->mode[i].closed || c->left[2 * i] || c->state[i].gap <= 1e-2 * c->state[i].gap_noise);
}

dfl_status dfl_contacts_land(bool *any, dfl_solver *solver, double t)
{
    dfl_contacts *c = solver->contacts;
    *any = false;
    for (int i = 0; i < c->count; i++) {
        const int k = CONTACT_ROWS * i;
        const bool opens = c->near[i] && !c->trial[i].closed && c->u[k] > c->size[k] &&
                           (c->mode[i].closed || c->left[2 * i]);
        if (opens && !dfl_contacts_flies(solver, i, c->u[k], c->a)) {
            dfl_contacts_close(solver, i);
            *any = true;
        }
    }
    if (!*any)
        return DFL_OK;
    dfl_status status = dfl_contacts_set(solver, c->trial);
    memset(c->impulse, 0, (size_t)solver->eom->nv * sizeof *c->impulse);
    if (!status)
        status = dfl_contacts_jump(c->x, solver, t, c->impulse);
    return status ? status : dfl_contacts_speeds(solver, t, c->x);
}

static dfl_status collide(dfl_solver *solver, double t, int i, bool plastic)
{
    dfl_contacts *c = solver->contacts;
    const dfl_contact *contact = &solver->options.switches.contacts.contacts[i];
    const double e = plastic ? 0 : c->state[i].restitution;
    const double friction = contact->tangent < 0 ? 0 : c->state[i].friction;
    dfl_collision start, hit;
    dfl_status status = dfl_contacts_prepare_impact(&start, solver, t, i);
    bool visible = true;
    hit = start;
    if (!status && (!(start.D[0][0] > 0) || !dfl_impact_path(&hit, e, friction)))
        return dfl_fail(solver->ctx, DFL_NOT_CONVERGED,
                        "contact '%s' jams at t = %.10g: its impact does not end (friction %.3g); "
                        "give the contact stiffness (impact) or less friction",
                        contact->name, t, friction);
    if (!status && e > 0)
        status = rebounds(&visible, solver, t, i, &hit);
    if (!status && !visible) {
        hit = start;
        dfl_impact_path(&hit, 0, friction);
    }
    dfl_contacts_note_impact(solver, i, plastic || !visible);
    memcpy(c->tried, c->x, (size_t)solver->sys.nu * sizeof *c->x);
    if (!status) {
        push(c->x + dfl_eom_layout(solver->eom).v, solver, &hit);
        status = dfl_contacts_tell_impact(solver, t, i, hit.impulse);
    }
    if (!status && visible)
        status = dfl_solver_meet_impact(solver, contact->event);
    return status;
}

dfl_status dfl_contacts_prepare_impact(dfl_collision *hit, dfl_solver *solver, double t, int i)
{
    const double *u = solver->contacts->u + CONTACT_ROWS * i;
    const dfl_contact *contact = &solver->options.switches.contacts.contacts[i];
    *hit = (dfl_collision){.directions = dfl_contact_directions(contact), .u = u[0]};
    memcpy(hit->h, u + 1, sizeof hit->h);
    return answers(hit, solver, t, i);
}

double dfl_contacts_most_friction(dfl_solver *solver, double t, int i)
{
    dfl_collision hit;
    const double *across = hit.D[0] + 1;
    if (dfl_contacts_prepare_impact(&hit, solver, t, i))
        return INFINITY;
    const double size = hypot(across[0], hit.directions == 2 ? across[1] : 0);
    return size > 0 ? hit.D[0][0] / size : INFINITY;
}

void dfl_contacts_note_impact(dfl_solver *solver, int contact, bool plastic)
{
    dfl_record *record = &solver->switching->record;
    if (record->ncollisions < DFL_MOST_COLLISIONS) {
        record->collision[record->ncollisions].contact = contact;
        record->collision[record->ncollisions].plastic = plastic;
    }
    record->ncollisions++;
}

dfl_status dfl_contacts_collide_again(dfl_solver *solver, double t, int i, bool plastic)
{
    dfl_contacts *c = solver->contacts;
    const dfl_contact *contact = &solver->options.switches.contacts.contacts[i];
    dfl_collision hit;
    dfl_status status = dfl_contacts_speeds(solver, t, c->x);
    if (!status)
        status = dfl_contacts_prepare_impact(&hit, solver, t, i);
    if (status)
        return status;
    if (!dfl_impact_path(&hit, plastic ? 0 : c->state[i].restitution,
                         contact->tangent < 0 ? 0 : c->state[i].friction))
        return dfl_fail(solver->ctx, DFL_NOT_CONVERGED, "contact '%s' jams at t = %.10g",
                        contact->name, t);
    push(c->x + dfl_eom_layout(solver->eom).v, solver, &hit);
    return DFL_OK;
}

/* The velocities after the impulses. */
static void push(double *v, const dfl_solver *solver, const dfl_collision *hit)
{
    const int nv = solver->eom->nv;
    for (int k = 0; k < CONTACT_ROWS; k++)
        for (int j = 0; j < nv; j++)
            v[j] += hit->impulse[k] * solver->contacts->answer[k * nv + j];
}

/* Velocities that impulses of size 1 make, with all contacts off. */
static dfl_status answers(dfl_collision *hit, dfl_solver *solver, double t, int i)
{
    dfl_contacts *c = solver->contacts;
    const int nv = solver->eom->nv, first = dfl_eom_layout(solver->eom).v;
    const double *W = c->W + CONTACT_ROWS * i * nv;
    for (int k = 0; k < c->count; k++)
        c->trial[k] = (dfl_contact_mode){.closed = false};
    dfl_status status = dfl_contacts_set(solver, c->trial);
    memset(c->answer, 0, CONTACT_ROWS * (size_t)nv * sizeof *c->answer);
    for (int k = 0; !status && k <= hit->directions; k++) {
        memcpy(c->tried, c->x, (size_t)solver->sys.nu * sizeof *c->x);
        memcpy(c->impulse, W + k * nv, (size_t)nv * sizeof *c->impulse);
        status = dfl_contacts_jump(c->tried, solver, t, c->impulse);
        for (int j = 0; j < nv; j++)
            c->answer[k * nv + j] = c->tried[first + j] - c->x[first + j];
    }
    for (int k = 0; k < CONTACT_ROWS; k++)
        for (int l = 0; l <= k; l++) {
            double sum = 0;
            for (int j = 0; j < nv; j++)
                sum += W[k * nv + j] * c->answer[l * nv + j];
            hit->D[k][l] = hit->D[l][k] = sum;
        }
    return status;
}

/* Whether the rebound is higher than the tolerance of the gap: the contact would be open, the
   others as they are, with the accelerations of the state after the impact. */
static dfl_status rebounds(bool *visible, dfl_solver *solver, double t, int i,
                           const dfl_collision *hit)
{
    dfl_contacts *c = solver->contacts;
    const int nv = solver->eom->nv;
    memcpy(c->tried, c->x, (size_t)solver->sys.nu * sizeof *c->x);
    memset(c->impulse, 0, (size_t)nv * sizeof *c->impulse);
    push(c->tried + dfl_eom_layout(solver->eom).v, solver, hit);
    memcpy(c->trial, c->mode, (size_t)c->count * sizeof *c->mode);
    c->trial[i] = (dfl_contact_mode){.closed = false};
    dfl_status status = dfl_contacts_set(solver, c->trial);
    if (!status)
        status = dfl_contacts_jump(c->tried, solver, t, c->impulse);
    const dfl_point *point = status ? NULL : dfl_initial_evaluate(&solver->initial, t, NULL);
    if (!point)
        return status ? status : dfl_switching_stopped(solver, "eval");
    *visible = dfl_contacts_flies(solver, i, hit->u, point->a);
    return DFL_OK;
}

bool dfl_contacts_flies(const dfl_solver *solver, int i, double u, const double *a)
{
    const dfl_contacts *c = solver->contacts;
    const int nv = solver->eom->nv;
    double rate = c->bias[CONTACT_ROWS * i];
    for (int j = 0; j < nv; j++)
        rate += c->W[CONTACT_ROWS * i * nv + j] * a[j];
    return !(rate < 0) || u * u / (2 * -rate) >= c->state[i].gap_noise;
}
