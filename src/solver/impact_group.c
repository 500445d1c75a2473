/* impact_group.c: contacts that close at the same speed, together.

   Such as the edges of a box that falls flat: one after another they would turn it. While no slip
   begins, turns or ends, friction keeps its direction d, and impulses P along the normals n give
   the speeds u + D P, D = n M^-1 (n - mu d t)^T. Compression ends for all at once, at D P = -u,
   and Poisson's law is Newton's. Where that needs P < 0, where slip changes or restitutions
   differ, they collide one after another; likewise where they do not act on each other, which is
   the same. */
#include "solver/contact_modes.h"
#include "solver/impact_path.h"
#include "solver/switching.h"

#include <math.h>
#include <string.h>

static const double alike = 1e-9; /* speeds, relatively */

typedef struct impact_group {
    int count, contact[MOST_TOGETHER];
    double restitution;
    double force[MOST_TOGETHER][CONTACT_ROWS]; /* per normal impulse: 1, -mu d */
    double h[MOST_TOGETHER][2];                /* speeds of slip before it */
    double D[MOST_TOGETHER * MOST_TOGETHER];   /* columns: speeds by contact l */
    double P[MOST_TOGETHER];                   /* of the compression */
} impact_group;

static bool gather(impact_group *group, const dfl_solver *solver, int first);
static dfl_status reply_to(impact_group *group, dfl_solver *solver, double t, int l);
static bool acts_on_others(const impact_group *group);
static bool compress(impact_group *group, const dfl_solver *solver);
static void push(double *v, const impact_group *group, const dfl_solver *solver, int l,
                 double factor);
static bool keeps_slip(const impact_group *group, const dfl_solver *solver, double factor);
static dfl_status rebound(bool *visible, const impact_group *group, dfl_solver *solver, double t);
static dfl_status collide(const impact_group *group, dfl_solver *solver, double t, double factor);

dfl_status dfl_contacts_collide_together(bool *done, dfl_solver *solver, double t, int i)
{
    impact_group group = {0};
    dfl_status status = DFL_OK;
    bool visible = false;
    *done = false;
    if (!gather(&group, solver, i))
        return DFL_OK;
    for (int l = 0; !status && l < group.count; l++)
        status = reply_to(&group, solver, t, l);
    if (status || !acts_on_others(&group) || !compress(&group, solver))
        return status;
    if (group.restitution > 0)
        status = rebound(&visible, &group, solver, t);
    const double factor = visible ? 1 + group.restitution : 1;
    if (status || !keeps_slip(&group, solver, factor))
        return status;
    *done = true;
    return collide(&group, solver, t, factor);
}

static bool gather(impact_group *group, const dfl_solver *solver, int first)
{
    const dfl_contacts *c = solver->contacts;
    const double speed = c->u[CONTACT_ROWS * first];
    bool equal = true;
    group->restitution = c->state[first].restitution;
    for (int i = 0; i < c->count; i++) {
        if (!dfl_contacts_closes(solver, i) ||
            fabs(c->u[CONTACT_ROWS * i] - speed) > alike * fabs(speed))
            continue;
        if (group->count == MOST_TOGETHER)
            return false;
        equal = equal && c->state[i].restitution == group->restitution;
        group->contact[group->count++] = i;
    }
    return equal && group->count > 1;
}

/* What an impulse of size 1 along the normal does, with its friction. */
static dfl_status reply_to(impact_group *group, dfl_solver *solver, double t, int l)
{
    const dfl_contacts *c = solver->contacts;
    const int i = group->contact[l], nv = solver->eom->nv;
    const dfl_contact *contact = &solver->options.switches.contacts.contacts[i];
    const double friction = contact->tangent < 0 ? 0 : c->state[i].friction;
    double *reply = c->reply + l * nv, *force = group->force[l];
    dfl_collision hit;
    const dfl_status status = dfl_contacts_prepare_impact(&hit, solver, t, i);
    if (status)
        return status;
    memcpy(group->h[l], hit.h, sizeof hit.h);
    const double slip = hypot(hit.h[0], hit.directions == 2 ? hit.h[1] : 0);
    const bool slips = friction > 0 && slip > c->size[CONTACT_ROWS * i + 1];
    force[0] = 1;
    for (int k = 0; k < hit.directions; k++)
        force[1 + k] = slips ? -friction * hit.h[k] / slip : 0;
    memset(reply, 0, (size_t)nv * sizeof *reply);
    for (int k = 0; k <= hit.directions; k++)
        for (int j = 0; j < nv; j++)
            reply[j] += force[k] * c->answer[k * nv + j];
    for (int k = 0; k < group->count; k++) {
        const double *W = c->W + (size_t)(CONTACT_ROWS * group->contact[k]) * (size_t)nv;
        for (int j = 0; j < nv; j++)
            group->D[l * group->count + k] += W[j] * reply[j];
    }
    return DFL_OK;
}

static bool acts_on_others(const impact_group *group)
{
    const int n = group->count;
    bool acts = false;
    for (int l = 0; l < n; l++)
        for (int k = 0; k < n; k++)
            acts =
                acts || (k != l && fabs(group->D[l * n + k]) > 1e-12 * fabs(group->D[l * n + l]));
    return acts;
}

/* Impulses of least norm; whether they end the compression and push. */
static bool compress(impact_group *group, const dfl_solver *solver)
{
    const dfl_contacts *c = solver->contacts;
    const int n = group->count;
    double A[MOST_TOGETHER * MOST_TOGETHER], speed[MOST_TOGETHER], largest = 0;
    for (int k = 0; k < n; k++)
        speed[k] = -c->u[CONTACT_ROWS * group->contact[k]];
    memcpy(A, group->D, sizeof A);
    if (!dfl_lstsq_solve(group->P, c->together, n, n, A, speed, 1e-10, NULL))
        return false;
    for (int k = 0; k < n; k++)
        largest = fmax(largest, group->P[k]);
    bool ends = largest > 0;
    for (int k = 0; k < n; k++) {
        double left = speed[k];
        for (int l = 0; l < n; l++)
            left -= group->D[l * n + k] * group->P[l];
        ends = ends && fabs(left) <= alike * speed[k] && group->P[k] >= -1e-12 * largest;
        group->P[k] = fmax(group->P[k], 0);
    }
    return ends;
}

static void push(double *v, const impact_group *group, const dfl_solver *solver, int l,
                 double factor)
{
    const int nv = solver->eom->nv;
    for (int j = 0; j < nv; j++)
        v[j] += factor * group->P[l] * solver->contacts->reply[l * nv + j];
}

/* Slip goes on in its direction, up to the end; where there was none, there is none. */
static bool keeps_slip(const impact_group *group, const dfl_solver *solver, double factor)
{
    const dfl_contacts *c = solver->contacts;
    const int nv = solver->eom->nv;
    bool keeps = true;
    for (int k = 0; k < group->count; k++) {
        const int i = group->contact[k];
        const dfl_contact *contact = &solver->options.switches.contacts.contacts[i];
        const int directions = dfl_contact_directions(contact);
        const double *force = group->force[k], *size = c->size + CONTACT_ROWS * i + 1;
        double h[2] = {group->h[k][0], group->h[k][1]};
        if (directions == 0 || !(c->state[i].friction > 0))
            continue;
        for (int w = 0; w < directions; w++)
            for (int l = 0; l < group->count; l++)
                for (int j = 0; j < nv; j++)
                    h[w] += factor * group->P[l] * c->reply[l * nv + j] *
                            c->W[(size_t)(CONTACT_ROWS * i + 1 + w) * (size_t)nv + (size_t)j];
        const double along = -(h[0] * force[1] + h[1] * force[2]) / c->state[i].friction;
        const double across = (h[1] * force[1] - h[0] * force[2]) / c->state[i].friction;
        const bool slips = force[1] != 0 || force[2] != 0;
        keeps =
            keeps && (slips ? along > 0 && fabs(across) <= size[0] : hypot(h[0], h[1]) <= size[0]);
    }
    return keeps;
}

/* Whether all rebounds are higher than the tolerances of their gaps. */
static dfl_status rebound(bool *visible, const impact_group *group, dfl_solver *solver, double t)
{
    dfl_contacts *c = solver->contacts;
    memcpy(c->tried, c->x, (size_t)solver->sys.nu * sizeof *c->x);
    memset(c->impulse, 0, (size_t)solver->eom->nv * sizeof *c->impulse);
    memcpy(c->trial, c->mode, (size_t)c->count * sizeof *c->mode);
    for (int l = 0; l < group->count; l++) {
        push(c->tried + dfl_eom_layout(solver->eom).v, group, solver, l, 1 + group->restitution);
        c->trial[group->contact[l]] = (dfl_contact_mode){.closed = false};
    }
    dfl_status status = dfl_contacts_set(solver, c->trial);
    if (!status)
        status = dfl_contacts_jump(c->tried, solver, t, c->impulse);
    const dfl_point *point = status ? NULL : dfl_initial_evaluate(&solver->initial, t, NULL);
    if (!point)
        return status ? status : dfl_switching_stopped(solver, "eval");
    *visible = true;
    for (int l = 0; l < group->count; l++) {
        const int i = group->contact[l];
        const double u = -group->restitution * c->u[CONTACT_ROWS * i];
        *visible = *visible && dfl_contacts_flies(solver, i, u, point->a);
    }
    return DFL_OK;
}

static dfl_status collide(const impact_group *group, dfl_solver *solver, double t, double factor)
{
    dfl_contacts *c = solver->contacts;
    const dfl_contact *contacts = solver->options.switches.contacts.contacts;
    dfl_status status = DFL_OK;
    solver->switching->record.together = true;
    for (int l = 0; !status && l < group->count; l++) {
        const int i = group->contact[l];
        double impulse[CONTACT_ROWS];
        for (int k = 0; k < CONTACT_ROWS; k++)
            impulse[k] = factor * group->P[l] * group->force[l][k];
        dfl_contacts_note_impact(solver, i, factor == 1);
        memcpy(c->tried, c->x, (size_t)solver->sys.nu * sizeof *c->x);
        push(c->x + dfl_eom_layout(solver->eom).v, group, solver, l, factor);
        status = dfl_contacts_tell_impact(solver, t, i, impulse);
        if (!status && (factor > 1 || group->restitution == 0))
            status = dfl_solver_meet_impact(solver, contacts[i].event);
    }
    return status;
}
