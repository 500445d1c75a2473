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
    double *force = c->group + 2 * (size_t)nv * (size_t)c->count, *z = c->share + 2 * c->count;
    int n = 0;
    memset(force, 0, (size_t)nv * sizeof *force);
    memset(c->share, 0, 2 * (size_t)c->count * sizeof *c->share);
    for (int i = 0; i < c->count; i++)
        for (int k = 0; c->trial[i].stick && k < dfl_contact_directions(&contacts[i]); k++) {
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
    if (n < 2 || !dfl_lstsq_solve(z, c->lstsq, nv, n, c->group, force, 1e-10, NULL))
        return;
    n = 0;
    for (int i = 0; i < c->count; i++)
        for (int k = 0; c->trial[i].stick && k < dfl_contact_directions(&contacts[i]); k++)
            if (c->state[i].limit > 0)
                c->share[2 * i + k] = c->state[i].limit * z[n++];
}
