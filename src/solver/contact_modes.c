/* contact_modes.c: which contacts are closed, stick or slip.

   A contact that touches (gap = 0) and neither opens nor closes (gap' = 0) is closed with N >= 0 or
   opens with gap'' >= 0; friction without slip sticks if its force is within the limit, else it
   begins to slip in the direction of that force. A mode is tried by completing accelerations and
   multipliers with its rows; then the condition that is violated most changes, until all hold. */
#include "solver/contact_modes.h"
#include "solver/switching.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TRIALS = 50, MOST_UNDECIDED = 6, MOST_CONTACTS = 31 };

static dfl_status look(dfl_solver *solver, double t);
static dfl_status gauge(dfl_solver *solver, double t);
static void note_left(dfl_solver *solver);
static void first_trial(dfl_solver *solver);
static dfl_status try_modes(int *worst, dfl_solver *solver, double t);
static bool change(dfl_solver *solver, int worst);
static dfl_status enumerate(bool *found, dfl_solver *solver, double t);
static dfl_status jam(dfl_solver *solver, double t);

dfl_status dfl_contacts_init(dfl_solver *solver)
{
    const dfl_contact_options *opt = &solver->options.switches.contacts;
    dfl_context *ctx = solver->ctx;
    const size_t m = (size_t)opt->count, nv = (size_t)solver->eom->nv, n = (size_t)solver->sys.nu;
    const size_t d = sizeof(double);
    if (opt->count == 0)
        return DFL_OK;
    if (opt->count > MOST_CONTACTS)
        return dfl_fail(ctx, DFL_INVALID, "%d contacts; at most %d are possible", opt->count,
                        MOST_CONTACTS);
    dfl_contacts *c = solver->contacts = dfl_alloc(ctx, 1, sizeof *c);
    if (!c)
        return DFL_NO_MEMORY;
    c->count = opt->count;
    c->mode = dfl_alloc(ctx, m, sizeof *c->mode);
    c->trial = dfl_alloc(ctx, m, sizeof *c->trial);
    c->state = dfl_alloc(ctx, m, sizeof *c->state);
    c->W = dfl_alloc(ctx, 2 * m * nv, d);
    c->bias = dfl_alloc(ctx, 2 * m, d);
    c->u = dfl_alloc(ctx, 2 * m, d);
    c->size = dfl_alloc(ctx, 2 * m, d);
    c->near = dfl_alloc(ctx, 5 * m, sizeof(bool));
    c->a = dfl_alloc(ctx, nv, d);
    c->x = dfl_alloc(ctx, 3 * n, d);
    c->impulse = dfl_alloc(ctx, 3 * nv, d);
    c->assigned = dfl_alloc(ctx, n, sizeof(bool));
    c->seen = dfl_alloc(ctx, TRIALS, sizeof *c->seen);
    c->share = dfl_alloc(ctx, 2 * m, d);
    c->group = dfl_alloc(ctx, nv * (m + 1), d);
    if (!c->mode || !c->trial || !c->state || !c->W || !c->bias || !c->u || !c->size || !c->near ||
        !c->a || !c->x || !c->impulse || !c->assigned || !c->seen || !c->share || !c->group)
        return DFL_NO_MEMORY;
    c->held = c->near + m;
    c->still = c->near + 2 * m;
    c->left = c->near + 3 * m;
    c->tried = c->x + n;
    c->tolerance = c->x + 2 * n;
    c->answer = c->impulse + nv;
    return dfl_lstsq_create(&c->lstsq, ctx, solver->eom->nv, opt->count);
}

void dfl_contacts_clear(dfl_solver *solver)
{
    dfl_contacts *c = solver->contacts;
    if (!c)
        return;
    void *const blocks[] = {c->mode,    c->trial,    c->state, c->W,     c->bias,
                            c->u,       c->size,     c->near,  c->a,     c->x,
                            c->impulse, c->assigned, c->seen,  c->share, c->group};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        dfl_free(solver->ctx, blocks[i]);
    dfl_lstsq_free(c->lstsq, solver->ctx);
    dfl_free(solver->ctx, c);
}

dfl_status dfl_contacts_set(dfl_solver *solver, const dfl_contact_mode *modes)
{
    const dfl_switch_options *opt = &solver->options.switches;
    return opt->contacts.set(modes, opt->user) ? dfl_switching_stopped(solver, "contacts.set")
                                               : DFL_OK;
}

dfl_status dfl_contacts_begin(dfl_solver *solver)
{
    dfl_contacts *c = solver->contacts;
    if (!c)
        return DFL_OK;
    for (int i = 0; i < c->count; i++)
        c->mode[i] =
            (dfl_contact_mode){.closed = solver->options.switches.contacts.contacts[i].normal < 0};
    c->told = false;
    return dfl_contacts_set(solver, c->mode);
}

dfl_status dfl_contacts_resolve(bool *changed, dfl_solver *solver, double t)
{
    dfl_contacts *c = solver->contacts;
    const size_t size = (size_t)solver->sys.nu * sizeof(double);
    int worst = -1;
    *changed = false;
    if (!c)
        return DFL_OK;
    memcpy(c->x, solver->x, size);
    note_left(solver);
    dfl_status status = look(solver, t);
    if (!status)
        status = dfl_contacts_speeds(solver, t, c->x);
    if (!status)
        status = dfl_contacts_collide(solver, t);
    if (!status)
        status = gauge(solver, t);
    if (status)
        return status;
    first_trial(solver);
    for (c->nseen = 0; !status && c->nseen < TRIALS;) {
        status = try_modes(&worst, solver, t);
        if (status || worst < 0 || !change(solver, worst))
            break;
    }
    bool found = worst < 0;
    if (!status && !found)
        status = enumerate(&found, solver, t);
    if (!status && !found)
        status = jam(solver, t);
    if (status)
        return status;
    for (int i = 0; i < c->count; i++)
        *changed = *changed || c->mode[i].closed != c->trial[i].closed ||
                   c->mode[i].stick != c->trial[i].stick || c->mode[i].sense != c->trial[i].sense;
    memcpy(c->mode, c->trial, (size_t)c->count * sizeof *c->mode);
    solver->stats.modes += *changed;
    memcpy(solver->x, c->tried, size);
    return DFL_OK;
}

/* Which contacts touch. */
static dfl_status look(dfl_solver *solver, double t)
{
    dfl_contacts *c = solver->contacts;
    const dfl_switch_options *opt = &solver->options.switches;
    dfl_solver_tolerances_at(c->tolerance, solver, c->x);
    if (opt->contacts.eval(c->state, t, c->x, c->tolerance, opt->user))
        return dfl_switching_stopped(solver, "contacts.eval");
    for (int i = 0; i < c->count; i++) {
        const dfl_contact *contact = &opt->contacts.contacts[i];
        const double gap = c->state[i].gap, noise = 10 * c->state[i].gap_noise;
        c->near[i] = contact->normal < 0 || c->mode[i].closed || gap <= noise;
        if (contact->normal >= 0 && !c->mode[i].closed && gap < -100 * noise - 1e-12)
            return dfl_fail(solver->ctx, DFL_INCONSISTENT,
                            "contact '%s' begins %.3g inside at t = %.10g; start it open or "
                            "touching",
                            contact->name, -gap, t);
    }
    return DFL_OK;
}

dfl_status dfl_contacts_speeds(dfl_solver *solver, double t, const double *x)
{
    dfl_contacts *c = solver->contacts;
    const dfl_contact *contacts = solver->options.switches.contacts.contacts;
    const int nv = solver->eom->nv, nl = solver->eom->nl, nc = nl + solver->eom->nm;
    for (int i = 0; i < c->count; i++)
        c->trial[i] = (dfl_contact_mode){.closed = c->near[i], .stick = c->near[i]};
    dfl_status status = dfl_contacts_set(solver, c->trial);
    const dfl_point *point = status ? NULL : dfl_initial_evaluate(&solver->initial, t, x);
    if (!status && !point)
        return dfl_switching_stopped(solver, "eval");
    for (int k = 0; !status && k < 2 * c->count; k++) {
        const int row = k % 2 ? contacts[k / 2].tangent : contacts[k / 2].normal;
        const int place = k % 2 ? nl + row : row;
        const double *tolerance = c->tolerance + dfl_eom_layout(solver->eom).v;
        c->u[k] = row < 0 ? 0 : k % 2 ? point->blocks.hv[row] : point->blocks.gI[row];
        c->bias[k] = row < 0 ? 0 : point->blocks.bias[place];
        c->size[k] = 0;
        for (int j = 0; j < nv; j++) {
            c->W[k * nv + j] = row < 0 ? 0 : point->blocks.W[j * nc + place];
            c->size[k] += 10 * fabs(c->W[k * nv + j]) * tolerance[j];
        }
    }
    return status;
}

dfl_status dfl_contacts_jump(double *x, dfl_solver *solver, double t, const double *impulse)
{
    dfl_contacts *c = solver->contacts;
    const dfl_jump jump = {.before = x, .impulse = impulse, .assigned = c->assigned};
    return dfl_initial_jump(x, &solver->initial, t, &jump);
}

/* ------------------------------------------------------------------------------- modes */

/* How large accelerations are if every contact is open. */
static dfl_status gauge(dfl_solver *solver, double t)
{
    dfl_contacts *c = solver->contacts;
    const int nv = solver->eom->nv;
    for (int i = 0; i < c->count; i++)
        c->trial[i] = (dfl_contact_mode){.closed = false};
    const dfl_status status = dfl_contacts_set(solver, c->trial);
    memcpy(c->tried, c->x, (size_t)solver->sys.nu * sizeof *c->x);
    memset(c->impulse, 0, (size_t)nv * sizeof *c->impulse);
    c->free = 0;
    if (!status && !dfl_contacts_jump(c->tried, solver, t, c->impulse)) {
        const dfl_point *point = dfl_initial_evaluate(&solver->initial, t, NULL);
        c->free = point ? dfl_max_abs(point->a, nv) : 0;
    }
    return status;
}

/* Whose conditions have passed zero at this instant. */
static void note_left(dfl_solver *solver)
{
    dfl_contacts *c = solver->contacts;
    const dfl_switch_options *opt = &solver->options.switches;
    memset(c->left, 0, 2 * (size_t)c->count * sizeof *c->left);
    for (int i = 0; opt->contact && i < opt->count; i++)
        if (opt->contact[i] >= 0 && solver->switching->crossed[i])
            c->left[opt->contact[i]] = true;
}

/* The present modes, without those whose condition has ended: a contact opens or closes, friction
   sticks or begins to slip along its force. */
static void first_trial(dfl_solver *solver)
{
    dfl_contacts *c = solver->contacts;
    const dfl_contact *contacts = solver->options.switches.contacts.contacts;
    const dfl_layout at = dfl_eom_layout(solver->eom);
    for (int i = 0; i < c->count; i++) {
        dfl_contact_mode *mode = &c->trial[i];
        const double u = c->u[2 * i], slip = c->u[2 * i + 1];
        const bool opens = c->mode[i].closed && c->left[2 * i];
        *mode = c->mode[i];
        c->held[i] = contacts[i].normal >= 0 && c->near[i] && fabs(u) <= c->size[2 * i];
        mode->closed = contacts[i].normal < 0 || (c->held[i] && !opens);
        c->still[i] = contacts[i].tangent >= 0 && mode->closed && fabs(slip) <= c->size[2 * i + 1];
        if (contacts[i].tangent < 0 || !mode->closed) {
            mode->stick = false, mode->sense = 0;
        } else if (!c->still[i]) {
            mode->stick = false, mode->sense = slip > 0 ? 1 : -1;
        } else if (c->mode[i].stick && c->left[2 * i + 1]) {
            mode->stick = false;
            mode->sense = c->x[at.mu + contacts[i].tangent] > 0 ? 1 : -1;
        } else {
            mode->stick = true, mode->sense = 0;
        }
    }
}

/* The accelerations of the trial's modes, and the contact whose condition is violated most (-1:
   none). */
static dfl_status try_modes(int *worst, dfl_solver *solver, double t)
{
    dfl_contacts *c = solver->contacts;
    const dfl_switch_options *opt = &solver->options.switches;
    const dfl_layout at = dfl_eom_layout(solver->eom);
    const int nv = solver->eom->nv;
    double most = 1;
    *worst = -1;
    memcpy(c->tried, c->x, (size_t)solver->sys.nu * sizeof *c->x);
    memset(c->impulse, 0, (size_t)nv * sizeof *c->impulse);
    dfl_status status = dfl_contacts_set(solver, c->trial);
    if (!status && dfl_contacts_jump(c->tried, solver, t, c->impulse)) {
        *worst = c->count; /* no such state */
        return DFL_OK;
    }
    const dfl_point *point = status ? NULL : dfl_initial_evaluate(&solver->initial, t, NULL);
    if (!point)
        return status ? status : dfl_switching_stopped(solver, "eval");
    memcpy(c->a, point->a, (size_t)nv * sizeof *c->a);
    if (opt->contacts.eval(c->state, t, c->tried, c->tolerance, opt->user))
        return dfl_switching_stopped(solver, "contacts.eval");
    dfl_contacts_share(solver);
    for (int i = 0; i < c->count; i++) {
        const dfl_contact_mode *mode = &c->trial[i];
        const dfl_contact *contact = &opt->contacts.contacts[i];
        double rate[2], terms[2];
        for (int k = 0; k < 2; k++) { /* gap'' and the rate of slip */
            rate[k] = c->bias[2 * i + k];
            terms[k] = fabs(rate[k]) + 1e-300;
            for (int j = 0; j < nv; j++) {
                rate[k] += c->W[(2 * i + k) * nv + j] * c->a[j];
                terms[k] += fabs(c->W[(2 * i + k) * nv + j]) * fmax(c->free, fabs(c->a[j]));
            }
        }
        double by = 0;
        if (c->held[i] && mode->closed) {
            const int l = at.lambda + contact->normal;
            by = -c->state[i].load / (10 * c->tolerance[l] + 1e-9 * fabs(c->tried[l]));
        } else if (c->held[i]) {
            by = -rate[0] / (1e-7 * terms[0]);
        }
        if (c->still[i] && mode->stick) {
            const double mu = fabs(c->share[i]);
            const double slack =
                10 * c->tolerance[at.mu + contact->tangent] + 1e-9 * fmax(mu, c->state[i].limit);
            by = fmax(by, (mu - c->state[i].limit) / slack);
        } else if (c->still[i] && mode->sense != 0) {
            by = fmax(by, -rate[1] * mode->sense / (1e-7 * terms[1]));
        }
        if (by > most)
            most = by, *worst = i;
    }
    return DFL_OK;
}

/* Two bits per contact. */
static uint64_t code_of(const dfl_contacts *c)
{
    uint64_t code = 0;
    for (int i = 0; i < c->count; i++) {
        const dfl_contact_mode *m = &c->trial[i];
        const unsigned own = !m->closed ? 0 : m->sense > 0 ? 1 : m->sense < 0 ? 2 : 3;
        code |= (uint64_t)own << (2 * i);
    }
    return code;
}

/* The other mode of contact `worst`; false: it was tried before. */
static bool change(dfl_solver *solver, int worst)
{
    dfl_contacts *c = solver->contacts;
    const dfl_contact *contacts = solver->options.switches.contacts.contacts;
    if (worst >= c->count)
        return false;
    dfl_contact_mode *mode = &c->trial[worst];
    c->seen[c->nseen++] = code_of(c);
    if (c->held[worst] && mode->closed && c->state[worst].load < 0) {
        *mode = (dfl_contact_mode){.closed = false};
    } else if (c->held[worst] && !mode->closed) {
        const double slip = c->u[2 * worst + 1];
        mode->closed = true;
        mode->stick = contacts[worst].tangent >= 0 && fabs(slip) <= c->size[2 * worst + 1];
        mode->sense = contacts[worst].tangent < 0 || mode->stick ? 0 : slip > 0 ? 1 : -1;
        c->still[worst] = mode->stick;
    } else if (mode->stick) {
        mode->stick = false;
        mode->sense = c->share[worst] > 0 ? 1 : -1;
    } else {
        mode->stick = true;
        mode->sense = 0;
    }
    const uint64_t code = code_of(c);
    for (int i = 0; i < c->nseen; i++)
        if (c->seen[i] == code)
            return false;
    return true;
}

/* All modes of the contacts that are not decided. */
static dfl_status enumerate(bool *found, dfl_solver *solver, double t)
{
    dfl_contacts *c = solver->contacts;
    int which[MOST_UNDECIDED], count = 0, most = 1;
    for (int i = 0; i < c->count; i++)
        if (c->held[i] || c->still[i]) {
            if (count == MOST_UNDECIDED)
                return dfl_fail(solver->ctx, DFL_NOT_CONVERGED,
                                "%d contacts change at once at t = %.10g, and no mode was found; "
                                "give some of them stiffness",
                                c->count, t);
            which[count++] = i;
            most *= 4;
        }
    *found = false;
    for (int k = 0; k < most && !*found; k++) {
        bool possible = true;
        for (int i = 0, code = k; i < count; i++, code /= 4) {
            dfl_contact_mode *mode = &c->trial[which[i]];
            const int own = code % 4; /* stick or closed, open, two senses of slip */
            possible =
                possible && (own != 1 || c->held[which[i]]) && (own < 2 || c->still[which[i]]);
            if (own == 1)
                *mode = (dfl_contact_mode){.closed = false};
            else if (c->still[which[i]])
                *mode = (dfl_contact_mode){true, own == 0, own == 2 ? 1 : own == 3 ? -1 : 0};
            else
                mode->closed = true;
        }
        int worst = -1;
        const dfl_status status = possible ? try_modes(&worst, solver, t) : DFL_OK;
        if (status)
            return status;
        *found = possible && worst < 0;
    }
    return DFL_OK;
}

static dfl_status jam(dfl_solver *solver, double t)
{
    const dfl_contacts *c = solver->contacts;
    const dfl_contact *contacts = solver->options.switches.contacts.contacts;
    char names[200] = "";
    for (int i = 0; i < c->count; i++)
        if ((c->held[i] || c->still[i]) && strlen(names) < 150)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s'%.40s'",
                     names[0] ? ", " : "", contacts[i].name);
    return dfl_fail(
        solver->ctx, DFL_NOT_CONVERGED,
        "contact %s jams at t = %.10g: rigid friction has no solution here (coefficient "
        "%.3g); give the contact stiffness (impact) or less friction",
        names, t, c->count > 0 ? c->state[0].friction : 0.0);
}
