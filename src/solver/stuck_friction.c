/* stuck_friction.c: friction of several contacts that stick and share what they hold.

   Where their rows depend on each other, as those of a box on two edges, the multipliers of least
   norm say nothing about slipping: an edge with little load would have to hold as much as the other
   one. The same force is shared so that the largest friction, as part of its limit, is least:
   T_i = L_i z_i with [t_1 L_1, t_2 L_2, ...] z = sum t_i mu_i, max |z_i| least. Lawson's method finds
   it by weighted squares, whose weights grow with |z_i|. Independent rows have T_i = mu_i.

   While all multipliers are within their limits everything sticks. Where one of them is not but the
   friction holds all the same, it is marked as shared, and from there on what is left of its limit
   is L_i (1 - |z_i|). */
#include "solver/contact_modes.h"
#include "solver/switching.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 100 };

static int gather(double *force, dfl_solver *solver, const dfl_contact_mode *modes,
                  const double *mu);
static void share_evenly(dfl_solver *solver, const dfl_contact_mode *modes, int n,
                         const double *force);
static double slack(const dfl_solver *solver, int i);

void dfl_contacts_share(dfl_solver *solver)
{
    const dfl_contacts *c = solver->contacts;
    double *force = c->group + 4 * (size_t)solver->eom->nv * (size_t)c->count;
    const int n = gather(force, solver, c->trial, c->tried + dfl_eom_layout(solver->eom).mu);
    if (n >= 2)
        share_evenly(solver, c->trial, n, force);
}

/* group: the directions of friction that sticks, times its limit; share: its multipliers; *force: what
   they make. The number of directions. */
static int gather(double *force, dfl_solver *solver, const dfl_contact_mode *modes,
                  const double *mu)
{
    const dfl_contacts *c = solver->contacts;
    const dfl_contact *contacts = solver->options.switches.contacts.contacts;
    const int nv = solver->eom->nv;
    int n = 0;
    memset(force, 0, (size_t)nv * sizeof *force);
    memset(c->share, 0, 2 * (size_t)c->count * sizeof *c->share);
    for (int i = 0; i < c->count; i++)
        for (int k = 0; modes[i].stick && k < dfl_contact_directions(&contacts[i]); k++) {
            c->share[2 * i + k] = mu[contacts[i].tangent + k];
            if (!(c->state[i].limit > 0))
                continue;
            for (int j = 0; j < nv; j++) {
                const double along = c->W[(CONTACT_ROWS * i + 1 + k) * nv + j];
                c->group[n * nv + j] = along * c->state[i].limit;
                force[j] += along * c->share[2 * i + k];
            }
            n++;
        }
    return n;
}

/* One round: z for the present weights, then these times |z|. How much a friction has changed, as part
   of its limit; negative: no more rounds, the rows are independent or nothing can be solved. */
static double share_round(dfl_solver *solver, const dfl_contact_mode *modes, int n,
                          const double *force, bool first)
{
    dfl_contacts *c = solver->contacts;
    const dfl_contact *contacts = solver->options.switches.contacts.contacts;
    const int nv = solver->eom->nv;
    double *z = c->share + 2 * c->count, *weight = z + 2 * c->count, changed = 0, largest = 0;
    double *A = c->group + 2 * (size_t)nv * (size_t)c->count;
    int rank = n;
    for (int i = 0, at = 0; i < c->count; i++)
        for (int k = 0; modes[i].stick && k < dfl_contact_directions(&contacts[i]); k++)
            for (int j = 0; c->state[i].limit > 0 && j < nv; j++, at++)
                A[at] = c->group[at] / sqrt(weight[i]);
    if (!dfl_lstsq_solve(z, c->lstsq, nv, n, A, force, 1e-10, &rank) || (first && rank == n))
        return -1;
    n = 0;
    for (int i = 0; i < c->count; i++) {
        double size = 0;
        for (int k = 0; modes[i].stick && k < dfl_contact_directions(&contacts[i]); k++)
            if (c->state[i].limit > 0) {
                const double part = z[n++] / sqrt(weight[i]), share = c->state[i].limit * part;
                changed = fmax(changed, fabs(share - c->share[2 * i + k]) / c->state[i].limit);
                size = hypot(size, part);
                c->share[2 * i + k] = share;
            }
        weight[i] *= size > 0 ? size : 1;
        largest = fmax(largest, weight[i]);
    }
    for (int i = 0; i < c->count; i++)
        weight[i] = fmax(weight[i] / largest, 1e-12);
    return changed;
}

static void share_evenly(dfl_solver *solver, const dfl_contact_mode *modes, int n,
                         const double *force)
{
    const dfl_contacts *c = solver->contacts;
    for (int i = 0; i < c->count; i++)
        c->share[4 * c->count + i] = 1;
    for (int round = 0; round < ROUNDS; round++)
        if (!(share_round(solver, modes, n, force, round == 0) > 1e-10))
            return;
}

/* What tolerances may change in the friction of contact i. */
static double slack(const dfl_solver *solver, int i)
{
    const dfl_contacts *c = solver->contacts;
    const dfl_contact *contact = &solver->options.switches.contacts.contacts[i];
    return 10 * c->tolerance[dfl_eom_layout(solver->eom).mu + contact->tangent] +
           1e-9 * c->state[i].limit;
}

void dfl_contacts_relieve(dfl_solver *solver)
{
    const dfl_contacts *c = solver->contacts;
    double *force = c->group + 4 * (size_t)solver->eom->nv * (size_t)c->count;
    const int n = gather(force, solver, c->mode, c->x + dfl_eom_layout(solver->eom).mu);
    if (n < 2)
        return;
    share_evenly(solver, c->mode, n, force);
    for (int i = 0; i < c->count; i++) {
        const bool holds =
            hypot(c->share[2 * i], c->share[2 * i + 1]) < c->state[i].limit - slack(solver, i);
        if (c->mode[i].stick && c->left[2 * i + 1] && holds) {
            c->left[2 * i + 1] = false;
            c->shared[i] = true;
        }
    }
}

void dfl_contacts_note_shared(dfl_solver *solver)
{
    const dfl_contacts *c = solver->contacts;
    const dfl_contact *contacts = solver->options.switches.contacts.contacts;
    const double *mu = c->tried + dfl_eom_layout(solver->eom).mu;
    for (int i = 0; i < c->count; i++) {
        double size = 0;
        for (int k = 0; k < dfl_contact_directions(&contacts[i]); k++)
            size = hypot(size, mu[contacts[i].tangent + k]);
        const bool over = c->trial[i].stick && size > c->state[i].limit - slack(solver, i);
        const bool less = hypot(c->share[2 * i], c->share[2 * i + 1]) < size - slack(solver, i);
        c->shared[i] = c->trial[i].stick && (c->shared[i] || (over && less));
    }
}

bool dfl_contacts_is_shared(const dfl_solver *solver, int i)
{
    const dfl_contacts *c = solver->contacts;
    const int *contact = solver->options.switches.contact;
    return c && contact && contact[i] >= 0 && contact[i] % 2 == 1 && c->shared[contact[i] / 2];
}

int dfl_contacts_shared_values(double *value, dfl_solver *solver, double t, const double *x)
{
    dfl_contacts *c = solver->contacts;
    const dfl_switch_options *opt = &solver->options.switches;
    const int nv = solver->eom->nv, nl = solver->eom->nl, nc = nl + solver->eom->nm;
    bool any = false;
    for (int i = 0; c && i < c->count; i++)
        any = any || c->shared[i];
    if (!any)
        return 0;
    const dfl_point *point = dfl_initial_evaluate(&solver->initial, t, x);
    dfl_solver_tolerances_at(c->tolerance, solver, x);
    if (!point || opt->contacts.eval(c->state, t, x, c->tolerance, opt->user))
        return 1;
    for (int k = 0; k < CONTACT_ROWS * c->count; k++) {
        const int i = k / CONTACT_ROWS, way = k % CONTACT_ROWS;
        if (way > 0 && way <= dfl_contact_directions(&opt->contacts.contacts[i]))
            for (int j = 0; j < nv; j++)
                c->W[k * nv + j] =
                    point->blocks.W[j * nc + nl + opt->contacts.contacts[i].tangent + way - 1];
    }
    double *force = c->group + 4 * (size_t)nv * (size_t)c->count;
    const int n = gather(force, solver, c->mode, x + dfl_eom_layout(solver->eom).mu);
    if (n >= 2)
        share_evenly(solver, c->mode, n, force);
    for (int i = 0; i < opt->count; i++)
        if (dfl_contacts_is_shared(solver, i)) {
            const int k = opt->contact[i] / 2;
            value[i] = c->state[k].limit - hypot(c->share[2 * k], c->share[2 * k + 1]);
        }
    return 0;
}
