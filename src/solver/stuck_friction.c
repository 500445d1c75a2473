/* stuck_friction.c: friction of several contacts that stick and share what they hold.

   Where their rows depend on each other, as those of a box on two edges, the multipliers of least
   norm say nothing about slipping: an edge with little load would have to hold as much as the other
   one. The same force is shared so that the squares of all frictions, as parts of their limits, are
   least: T_i = L_i z_i with [t_1 L_1, t_2 L_2, ...] z = sum t_i mu_i, |z| least. Independent rows
   have T_i = mu_i. */
#include "solver/contact_modes.h"

#include <string.h>

void dfl_contacts_share(dfl_solver *solver)
{
    dfl_contacts *c = solver->contacts;
    const dfl_contact *contacts = solver->options.switches.contacts.contacts;
    const double *mu = c->tried + dfl_eom_layout(solver->eom).mu;
    const int nv = solver->eom->nv;
    double *force = c->group + (size_t)nv * (size_t)c->count, *z = c->share + c->count;
    int n = 0;
    memset(force, 0, (size_t)nv * sizeof *force);
    for (int i = 0; i < c->count; i++) {
        c->share[i] = c->trial[i].stick ? mu[contacts[i].tangent] : 0;
        if (!c->trial[i].stick || !(c->state[i].limit > 0))
            continue;
        for (int j = 0; j < nv; j++) {
            const double along = c->W[(2 * i + 1) * nv + j];
            c->group[n * nv + j] = along * c->state[i].limit;
            force[j] += along * c->share[i];
        }
        n++;
    }
    if (n < 2 || !dfl_lstsq_solve(z, c->lstsq, nv, n, c->group, force, 1e-10, NULL))
        return;
    n = 0;
    for (int i = 0; i < c->count; i++)
        if (c->trial[i].stick && c->state[i].limit > 0)
            c->share[i] = c->state[i].limit * z[n++];
}
