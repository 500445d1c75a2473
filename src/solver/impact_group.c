/* impact_group.c: contacts that close at the same speed, together (group_path.c).

   Such as the edges of a box that falls flat: one after another they would turn it. Where slip
   turns or restitutions differ, and where no path is found, they collide one after another;
   likewise where they do not act on each other, which is the same. */
#include "solver/group_path.h"
#include "solver/impact_path.h"
#include "solver/switching.h"

#include <math.h>
#include <string.h>

static const double alike = 1e-9; /* speeds, relatively */

typedef struct impact_group {
    int contact[MOST_TOGETHER];
    double restitution;
    dfl_impact_group path;
} impact_group;

static bool gather(impact_group *group, const dfl_solver *solver, int first);
static dfl_status reply_to(impact_group *group, dfl_solver *solver, double t, int l);
static bool acts_on_others(const dfl_impact_group *group);
static void push(double *v, const impact_group *group, const dfl_solver *solver, int l);
static dfl_status rebound(bool *visible, const impact_group *group, dfl_solver *solver, double t);
static dfl_status collide(const impact_group *group, dfl_solver *solver, double t, bool visible);

dfl_status dfl_contacts_collide_together(bool *done, dfl_solver *solver, double t, int i)
{
    impact_group group = {0};
    dfl_status status = DFL_OK;
    bool visible = false;
    *done = false;
    if (!gather(&group, solver, i))
        return DFL_OK;
    for (int l = 0; !status && l < group.path.count; l++)
        status = reply_to(&group, solver, t, l);
    if (status || !acts_on_others(&group.path))
        return status;
    const dfl_impact_group start = group.path;
    if (!dfl_group_path(&group.path, solver->contacts->together, group.restitution))
        return DFL_OK;
    if (group.restitution > 0)
        status = rebound(&visible, &group, solver, t);
    if (!status && group.restitution > 0 && !visible) {
        group.path = start;
        if (!dfl_group_path(&group.path, solver->contacts->together, 0))
            return DFL_OK;
    }
    if (status)
        return status;
    *done = true;
    return collide(&group, solver, t, visible);
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
        if (group->path.count == MOST_TOGETHER)
            return false;
        equal = equal && c->state[i].restitution == group->restitution;
        group->contact[group->path.count++] = i;
    }
    return equal && group->path.count > 1;
}

/* What impulses of size 1 do, and the speeds before. */
static dfl_status reply_to(impact_group *group, dfl_solver *solver, double t, int l)
{
    const dfl_contacts *c = solver->contacts;
    const int i = group->contact[l], nv = solver->eom->nv, first = CONTACT_ROWS * l;
    const dfl_contact *contact = &solver->options.switches.contacts.contacts[i];
    double *reply = c->reply + (size_t)first * (size_t)nv;
    dfl_collision hit;
    const dfl_status status = dfl_contacts_prepare_impact(&hit, solver, t, i);
    if (status)
        return status;
    memcpy(reply, c->answer, CONTACT_ROWS * (size_t)nv * sizeof *reply);
    for (int row = 0; row < CONTACT_ROWS * group->path.count; row++) {
        const int of = group->contact[row / CONTACT_ROWS];
        const double *W = c->W + (size_t)(CONTACT_ROWS * of + row % CONTACT_ROWS) * (size_t)nv;
        for (int way = 0; way < CONTACT_ROWS; way++)
            for (int j = 0; j < nv; j++)
                group->path.D[row * GROUP_ROWS + first + way] += W[j] * reply[way * nv + j];
    }
    group->path.friction[l] = contact->tangent < 0 ? 0 : c->state[i].friction;
    group->path.directions[l] = group->path.friction[l] > 0 ? hit.directions : 0;
    group->path.size[l] = c->size[CONTACT_ROWS * i + 1];
    group->path.speed[first] = hit.u;
    for (int k = 0; k < group->path.directions[l]; k++) {
        group->path.speed[first + 1 + k] = hit.h[k];
        if (!(hit.D[k + 1][k + 1] > 0)) /* its direction vanishes */
            group->path.directions[l] = 0;
    }
    return DFL_OK;
}

static bool acts_on_others(const dfl_impact_group *group)
{
    bool acts = false;
    for (int l = 0; l < group->count; l++)
        for (int k = 0; k < group->count; k++) {
            const int row = CONTACT_ROWS * k, column = CONTACT_ROWS * l;
            acts = acts || (k != l && fabs(group->D[row * GROUP_ROWS + column]) >
                                          1e-12 * fabs(group->D[column * GROUP_ROWS + column]));
        }
    return acts;
}

static void push(double *v, const impact_group *group, const dfl_solver *solver, int l)
{
    const int nv = solver->eom->nv;
    for (int row = CONTACT_ROWS * l; row < CONTACT_ROWS * (l + 1); row++)
        for (int j = 0; j < nv; j++)
            v[j] += group->path.impulse[row] * solver->contacts->reply[row * nv + j];
}

/* Whether all rebounds are higher than the tolerances of their gaps. */
static dfl_status rebound(bool *visible, const impact_group *group, dfl_solver *solver, double t)
{
    dfl_contacts *c = solver->contacts;
    memcpy(c->tried, c->x, (size_t)solver->sys.nu * sizeof *c->x);
    memset(c->impulse, 0, (size_t)solver->eom->nv * sizeof *c->impulse);
    memcpy(c->trial, c->mode, (size_t)c->count * sizeof *c->mode);
    for (int l = 0; l < group->path.count; l++) {
        push(c->tried + dfl_eom_layout(solver->eom).v, group, solver, l);
        c->trial[group->contact[l]] = (dfl_contact_mode){.closed = false};
    }
    dfl_status status = dfl_contacts_set(solver, c->trial);
    if (!status)
        status = dfl_contacts_jump(c->tried, solver, t, c->impulse);
    const dfl_point *point = status ? NULL : dfl_initial_evaluate(&solver->initial, t, NULL);
    if (!point)
        return status ? status : dfl_switching_stopped(solver, "eval");
    *visible = true;
    for (int l = 0; l < group->path.count; l++) {
        const double u = group->path.speed[CONTACT_ROWS * l];
        *visible = *visible && dfl_contacts_flies(solver, group->contact[l], u, point->a);
    }
    return DFL_OK;
}

static dfl_status collide(const impact_group *group, dfl_solver *solver, double t, bool visible)
{
    dfl_contacts *c = solver->contacts;
    const dfl_contact *contacts = solver->options.switches.contacts.contacts;
    dfl_status status = DFL_OK;
    solver->switching->record.together = true;
    for (int l = 0; !status && l < group->path.count; l++) {
        const int i = group->contact[l];
        dfl_contacts_note_impact(solver, i, !visible);
        memcpy(c->tried, c->x, (size_t)solver->sys.nu * sizeof *c->x);
        push(c->x + dfl_eom_layout(solver->eom).v, group, solver, l);
        status = dfl_contacts_tell_impact(solver, t, i, group->path.impulse + CONTACT_ROWS * l);
        if (!status && (visible || group->restitution == 0))
            status = dfl_solver_meet_impact(solver, contacts[i].event);
    }
    return status;
}
