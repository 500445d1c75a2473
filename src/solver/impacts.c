/* impacts.c: contacts that close with a speed.

   The fastest one first, until none closes. The velocities answer to an impulse of size 1 along its
   normal n and along its tangent t through all constraints, D = [n; t] M^-1 [n; t]^T. With friction
   the impact runs along Routh's path: slip until h = 0, then stick or slip back; compression ends
   where u = 0, the impact at 1 + e times that impulse (Poisson). A rebound so small that its height
   is below the tolerance of the gap has none: the contact closes. */
#include "solver/contact_modes.h"
#include "solver/switching.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 1000 };

/* What an impact does: speeds u along the normal, h along the tangent, impulses. */
typedef struct collision {
    double nn, nt, tt; /* D */
    double u, h;
    double normal, tangent; /* impulses so far */
} collision;

static dfl_status collide(dfl_solver *solver, double t, int i, bool plastic);
static dfl_status answers(collision *hit, dfl_solver *solver, double t, int i);
static bool run_path(collision *hit, double e, double friction);
static dfl_status rebounds(bool *visible, dfl_solver *solver, double t, int i,
                           const collision *hit);

dfl_status dfl_contacts_collide(dfl_solver *solver, double t)
{
    dfl_contacts *c = solver->contacts;
    const dfl_contact *contacts = solver->options.switches.contacts.contacts;
    const size_t size = (size_t)c->count * sizeof *c->mode;
    dfl_status status = DFL_OK;
    for (int round = 0; !status; round++) {
        int fastest = -1;
        for (int i = 0; i < c->count; i++)
            if (c->near[i] && contacts[i].normal >= 0 && c->u[2 * i] < -c->size[2 * i] &&
                (fastest < 0 || c->u[2 * i] < c->u[2 * fastest]))
                fastest = i;
        if (fastest < 0)
            break;
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

static dfl_status collide(dfl_solver *solver, double t, int i, bool plastic)
{
    dfl_contacts *c = solver->contacts;
    const int nv = solver->eom->nv, first = dfl_eom_layout(solver->eom).v;
    const dfl_contact *contact = &solver->options.switches.contacts.contacts[i];
    const double e = plastic ? 0 : c->state[i].restitution;
    const double friction = contact->tangent < 0 ? 0 : c->state[i].friction;
    collision start = {.u = c->u[2 * i], .h = c->u[2 * i + 1]}, hit;
    dfl_status status = answers(&start, solver, t, i);
    bool visible = true;
    hit = start;
    if (!status && (!(start.nn > 0) || !run_path(&hit, e, friction)))
        return dfl_fail(solver->ctx, DFL_NOT_CONVERGED,
                        "contact '%s' jams at t = %.10g: its impact does not end (friction %.3g); "
                        "give the contact stiffness (impact) or less friction",
                        contact->name, t, friction);
    if (!status && e > 0)
        status = rebounds(&visible, solver, t, i, &hit);
    if (!status && !visible) {
        hit = start;
        run_path(&hit, 0, friction);
    }
    for (int j = 0; !status && j < nv; j++)
        c->x[first + j] += hit.normal * c->answer[j] + hit.tangent * c->answer[nv + j];
    if (!status && visible)
        status = dfl_solver_meet_impact(solver, contact->event);
    return status;
}

/* Velocities that impulses of size 1 make, with all contacts off. */
static dfl_status answers(collision *hit, dfl_solver *solver, double t, int i)
{
    dfl_contacts *c = solver->contacts;
    const int nv = solver->eom->nv, first = dfl_eom_layout(solver->eom).v;
    const double *n = c->W + (2 * i) * nv, *tangent = n + nv;
    for (int k = 0; k < c->count; k++)
        c->trial[k] = (dfl_contact_mode){.closed = false};
    dfl_status status = dfl_contacts_set(solver, c->trial);
    for (int k = 0; !status && k < 2; k++) {
        memcpy(c->tried, c->x, (size_t)solver->sys.nu * sizeof *c->x);
        memcpy(c->impulse, k ? tangent : n, (size_t)nv * sizeof *c->impulse);
        status = dfl_contacts_jump(c->tried, solver, t, c->impulse);
        for (int j = 0; j < nv; j++)
            c->answer[k * nv + j] = c->tried[first + j] - c->x[first + j];
    }
    hit->nn = hit->nt = hit->tt = 0;
    for (int j = 0; j < nv; j++) {
        hit->nn += n[j] * c->answer[j];
        hit->nt += tangent[j] * c->answer[j];
        hit->tt += tangent[j] * c->answer[nv + j];
    }
    return status;
}

/* From hit->u < 0 to the end; false: compression does not end. The tangential impulse grows by
   k times the normal one. */
static bool run_path(collision *hit, double e, double friction)
{
    double end = INFINITY; /* of the normal impulse; known when compression ends */
    for (int piece = 0; piece < 8; piece++) {
        double k = 0;
        if (friction > 0 && hit->tt > 0) {
            const double stick = -hit->nt / hit->tt;
            if (hit->h != 0)
                k = hit->h > 0 ? -friction : friction;
            else
                k = fabs(stick) <= friction ? stick : stick > 0 ? friction : -friction;
        }
        const double du = hit->nn + k * hit->nt;
        double dh = hit->nt + k * hit->tt, step = end - hit->normal;
        if (hit->h == 0 && fabs(k) < friction)
            dh = 0; /* sticks */
        if (isinf(end)) {
            if (!(du > 0) && !(hit->h != 0 && hit->h * dh < 0))
                return false;
            step = du > 0 ? -hit->u / du : INFINITY;
        }
        const double to_stick = hit->h != 0 && hit->h * dh < 0 ? -hit->h / dh : INFINITY;
        const bool sticks = to_stick <= step;
        step = sticks ? to_stick : step;
        hit->normal += step;
        hit->tangent += k * step;
        hit->u += du * step;
        hit->h = sticks ? 0 : hit->h + dh * step;
        if (!sticks && isinf(end)) { /* compression has ended */
            hit->u = 0;
            end = (1 + e) * hit->normal;
        }
        if (hit->normal >= end * (1 - 1e-14))
            return true;
    }
    return false;
}

/* Whether the rebound is higher than the tolerance of the gap: the contact would be open, the others
   as they are, with the accelerations of the state after the impact. */
static dfl_status rebounds(bool *visible, dfl_solver *solver, double t, int i, const collision *hit)
{
    dfl_contacts *c = solver->contacts;
    const int nv = solver->eom->nv, first = dfl_eom_layout(solver->eom).v;
    memcpy(c->tried, c->x, (size_t)solver->sys.nu * sizeof *c->x);
    memset(c->impulse, 0, (size_t)nv * sizeof *c->impulse);
    for (int j = 0; j < nv; j++)
        c->tried[first + j] += hit->normal * c->answer[j] + hit->tangent * c->answer[nv + j];
    memcpy(c->trial, c->mode, (size_t)c->count * sizeof *c->mode);
    c->trial[i] = (dfl_contact_mode){.closed = false};
    dfl_status status = dfl_contacts_set(solver, c->trial);
    if (!status)
        status = dfl_contacts_jump(c->tried, solver, t, c->impulse);
    const dfl_point *point = status ? NULL : dfl_initial_evaluate(&solver->initial, t, NULL);
    double rate = c->bias[2 * i];
    if (!point)
        return status ? status : dfl_switching_stopped(solver, "eval");
    for (int j = 0; j < nv; j++)
        rate += c->W[2 * i * nv + j] * point->a[j];
    *visible = !(rate < 0) || hit->u * hit->u / (2 * -rate) >= c->state[i].gap_noise;
    return DFL_OK;
}
