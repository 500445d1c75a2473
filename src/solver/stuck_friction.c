/* stuck_friction.c: friction of several contacts that stick and share what they hold.

   Where their rows depend on each other, as those of a box on two edges, the multipliers of least
   norm say nothing about slipping: an edge with little load would have to hold as much as the other
   one. The same force is shared so that the largest friction, as part of its limit, is least:
   T_i = L_i z_i with [t_1 L_1, t_2 L_2, ...] z = sum t_i mu_i, max |z_i| least. Lawson's method
   finds it by weighted squares, whose weights grow with |z_i|. Independent rows have T_i = mu_i.
   Closed contacts without friction hold what they can, as a stop beside friction does, but do not
   pull.

   While all multipliers are within their limits everything sticks. Where one of them is not but the
   friction holds all the same, it is marked as shared, and from there on what is left of its limit
   is L_i (1 - |z_i|). */
#include "solver/contact_modes.h"
#include "solver/switching.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 100 };
static const double much = 1e3; /* of all limits: what a contact without friction may hold */

static void share_evenly(dfl_solver *solver, const dfl_contact_mode *modes, const double *x);
static double slack(const dfl_solver *solver, int i);

void dfl_contacts_share(dfl_solver *solver)
{
    share_evenly(solver, solver->contacts->trial, solver->contacts->tried);
}

/* One column more of the group: row `way` of contact i, which may hold `limit`; *force += what it
   holds. */
static int add(double *force, const dfl_solver *solver, int n, dfl_share_column column,
               double holds)
{
    const dfl_contacts *c = solver->contacts;
    const int nv = solver->eom->nv;
    const double *row = c->W + (size_t)(CONTACT_ROWS * column.contact + column.way) * (size_t)nv;
    for (int j = 0; j < nv; j++) {
        c->group[n * nv + j] = row[j] * column.limit;
        force[j] += row[j] * holds;
    }
    c->column[n] = column;
    return n + 1;
}

/* group: the directions of friction that sticks, times its limit, then those of closed contacts
   without friction; share: multipliers of friction; load: of contacts; *force: what they make. The
   number of directions; 0: no friction sticks. */
static int gather(double *force, dfl_solver *solver, const dfl_contact_mode *modes, const double *x)
{
    const dfl_contacts *c = solver->contacts;
    const dfl_contact *contacts = solver->options.switches.contacts.contacts;
    const dfl_layout at = dfl_eom_layout(solver->eom);
    double all = 0;
    int n = 0;
    memset(force, 0, (size_t)solver->eom->nv * sizeof *force);
    memset(c->share, 0, 2 * (size_t)c->count * sizeof *c->share);
    for (int i = 0; i < c->count; i++)
        for (int k = 0; modes[i].stick && k < dfl_contact_directions(&contacts[i]); k++) {
            const double mu = c->share[2 * i + k] = x[at.mu + contacts[i].tangent + k];
            const double limit = c->state[i].limit;
            all += limit;
            if (limit > 0)
                n = add(force, solver, n, (dfl_share_column){i, k + 1, limit}, mu);
        }
    for (int i = 0; i < c->count; i++)
        c->load[i] = c->state[i].load;
    for (int i = 0; n > 0 && i < c->count; i++)
        if (modes[i].closed && contacts[i].tangent < 0)
            n = add(force, solver, n, (dfl_share_column){i, 0, much * all},
                    x[at.lambda + contacts[i].normal]);
    return n;
}

/* z for the present weights, of the first n columns. false: the rows are independent, or nothing
   can be solved. */
static bool solve_shares(dfl_solver *solver, int n, const double *force, bool first)
{
    dfl_contacts *c = solver->contacts;
    const int nv = solver->eom->nv;
    double *z = c->share + 2 * c->count, *weight = z + 3 * c->count;
    double *A = c->group + 3 * (size_t)nv * (size_t)c->count;
    int rank = n;
    for (int k = 0; k < n; k++)
        for (int j = 0; j < nv; j++)
            A[k * nv + j] = c->group[k * nv + j] / sqrt(weight[c->column[k].contact]);
    if (!dfl_lstsq_solve(z, c->lstsq, nv, n, A, force, 1e-10, &rank) || (first && rank == n))
        return false;
    for (int k = 0; k < n; k++)
        z[k] /= sqrt(weight[c->column[k].contact]);
    return true;
}

/* One round: z, then weights times |z|, those of contacts without friction but once. How much a
   friction has changed, as part of its limit; negative: no more rounds. */
static double share_round(dfl_solver *solver, int n, const double *force, bool first)
{
    dfl_contacts *c = solver->contacts;
    double *z = c->share + 2 * c->count, *weight = z + 3 * c->count, changed = 0, largest = 0;
    if (!solve_shares(solver, n, force, first))
        return -1;
    for (int k = 0; k < n && c->column[k].way > 0;) {
        const int i = c->column[k].contact;
        double size = 0;
        for (; k < n && c->column[k].contact == i && c->column[k].way > 0; k++) {
            double *share = c->share + 2 * i + c->column[k].way - 1;
            changed = fmax(changed, fabs(z[k] - *share / c->column[k].limit));
            *share = z[k] * c->column[k].limit;
            size = hypot(size, z[k]);
        }
        weight[i] *= size > 0 ? size : 1;
        largest = fmax(largest, weight[i]);
    }
    for (int k = 0; k < n; k++)
        if (c->column[k].way == 0)
            c->load[c->column[k].contact] = -z[k] * c->column[k].limit;
    for (int k = 0; k < n && c->column[k].way > 0; k++)
        if (k == 0 || c->column[k].contact != c->column[k - 1].contact)
            weight[c->column[k].contact] = fmax(weight[c->column[k].contact] / largest, 1e-12);
    return changed;
}

/* Rounds until nothing changes; whether the columns make the force. `dependent`: else nothing is
   done. */
static bool balance(dfl_solver *solver, int n, const double *force, bool dependent)
{
    const dfl_contacts *c = solver->contacts;
    const double *z = c->share + 2 * c->count;
    double change = 1, off = 0;
    for (int i = 0; i < c->count; i++)
        c->share[5 * c->count + i] = 1;
    for (int round = 0; round < ROUNDS && change > 1e-10; round++)
        change = share_round(solver, n, force, round == 0 && dependent);
    for (int j = 0; change >= 0 && j < solver->eom->nv; j++) {
        double sum = -force[j];
        for (int k = 0; k < n; k++)
            sum += c->group[k * solver->eom->nv + j] * z[k];
        off = fmax(off, fabs(sum));
    }
    return change >= 0 && off <= 1e-7 * dfl_max_abs(force, solver->eom->nv);
}

/* Contacts that would have to pull are left out: their columns go. The number of those that remain.
 */
static int leave_out_pulling(const dfl_contacts *c, int nv, int n)
{
    int kept = 0;
    for (int k = 0; k < n; k++) {
        const int i = c->column[k].contact;
        if (c->column[k].way == 0 && c->load[i] < -1e-9 * c->column[k].limit) {
            c->load[i] = 0;
            continue;
        }
        c->column[kept] = c->column[k];
        memmove(c->group + kept * nv, c->group + k * nv, (size_t)nv * sizeof *c->group);
        kept++;
    }
    return kept;
}

/* share, load := what friction that sticks and contacts beside it hold of the multipliers in x.
   Where nothing but pulling makes the force, contacts pull. */
static void share_evenly(dfl_solver *solver, const dfl_contact_mode *modes, const double *x)
{
    const dfl_contacts *c = solver->contacts;
    const int nv = solver->eom->nv;
    double *force = c->group + 6 * (size_t)nv * (size_t)c->count;
    int n = gather(force, solver, modes, x);
    if (n < 2)
        return;
    bool made = balance(solver, n, force, true);
    for (int kept; made && (kept = leave_out_pulling(c, nv, n)) < n; n = kept)
        made = kept > 0 && balance(solver, kept, force, false);
    if (made)
        return;
    n = gather(force, solver, modes, x);
    if (!balance(solver, n, force, true))
        gather(force, solver, modes, x);
}

/* What tolerances may change in the friction of contact i. */
static double slack(const dfl_solver *solver, int i)
{
    const dfl_contacts *c = solver->contacts;
    const dfl_contact *contact = &solver->options.switches.contacts.contacts[i];
    return 10 * c->tolerance[dfl_eom_layout(solver->eom).mu + contact->tangent] +
           1e-9 * c->state[i].limit;
}

/* What tolerances may change in the load of contact i. */
static double load_slack(const dfl_solver *solver, int i)
{
    const dfl_contacts *c = solver->contacts;
    const int l = solver->options.switches.contacts.contacts[i].normal;
    return l < 0 ? 0 : 10 * c->tolerance[dfl_eom_layout(solver->eom).lambda + l];
}

void dfl_contacts_relieve(dfl_solver *solver)
{
    const dfl_contacts *c = solver->contacts;
    share_evenly(solver, c->mode, c->x);
    for (int i = 0; i < c->count; i++) {
        const bool holds =
            hypot(c->share[2 * i], c->share[2 * i + 1]) < c->state[i].limit - slack(solver, i);
        if (c->mode[i].stick && c->left[2 * i + 1] && holds) {
            c->left[2 * i + 1] = false;
            c->shared[2 * i + 1] = true;
        }
        const bool presses = c->load[i] > c->state[i].load + load_slack(solver, i);
        if (c->mode[i].closed && c->left[2 * i] && presses && c->load[i] >= 0) {
            c->left[2 * i] = false;
            c->shared[2 * i] = true;
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
        bool *shared = c->shared + 2 * i;
        shared[1] = c->trial[i].stick && (shared[1] || (over && less));
        const double bare = c->state[i].load, noise = load_slack(solver, i);
        shared[0] = c->trial[i].closed && contacts[i].normal >= 0 && bare < noise &&
                    c->load[i] > bare + noise;
    }
}

bool dfl_contacts_is_shared(const dfl_solver *solver, int i)
{
    const dfl_contacts *c = solver->contacts;
    const int *contact = solver->options.switches.contact;
    return c && contact && contact[i] >= 0 && c->shared[contact[i]];
}

int dfl_contacts_shared_values(double *value, dfl_solver *solver, double t, const double *x)
{
    dfl_contacts *c = solver->contacts;
    const dfl_switch_options *opt = &solver->options.switches;
    const int nv = solver->eom->nv, nl = solver->eom->nl;
    bool any = false;
    for (int i = 0; c && i < 2 * c->count; i++)
        any = any || c->shared[i];
    if (!any)
        return 0;
    const dfl_point *point = dfl_initial_evaluate(&solver->initial, t, x);
    dfl_solver_tolerances_at(c->tolerance, solver, x);
    if (!point || opt->contacts.eval(c->state, t, x, c->tolerance, opt->user))
        return 1;
    for (int k = 0; k < CONTACT_ROWS * c->count; k++) {
        const int i = k / CONTACT_ROWS, way = k % CONTACT_ROWS;
        const dfl_contact *contact = &opt->contacts.contacts[i];
        const int row = way == 0 ? contact->normal : nl + contact->tangent + way - 1;
        if (way <= dfl_contact_directions(contact) && row >= 0)
            dfl_system_W_row(c->W + (size_t)k * (size_t)nv, &solver->sys, point->blocks.W, row);
    }
    share_evenly(solver, c->mode, x);
    for (int i = 0; i < opt->count; i++)
        if (dfl_contacts_is_shared(solver, i)) {
            const int k = opt->contact[i] / 2; /* a contact ends with the friction beside it */
            const bool rubs = opt->contact[i] % 2 == 1;
            value[i] = rubs ? c->state[k].limit - hypot(c->share[2 * k], c->share[2 * k + 1]) : 1;
        }
    return 0;
}
