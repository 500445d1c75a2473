/* mode_search.c: which contacts are closed, stick or slip.

   A contact that touches (gap = 0) and neither opens nor closes (gap' = 0) is closed with N >= 0 or
   opens with gap'' >= 0; friction without slip sticks if its force is within the limit, else it
   begins to slip in the direction of that force. A mode is tried by completing accelerations and
   multipliers with its rows; then the condition that is violated most changes, until all hold.

   Friction on a surface that begins to slip does so along its own acceleration: r(d) = k d, k >= 0.
   Since r = A - F D d with the answer D of the velocities to forces there, turning d towards r + b
   d finds that direction if b is at least F |D|. */
#include "solver/contact_modes.h"
#include "solver/switching.h"

#include <math.h>
#include <string.h>

enum { MOST_UNDECIDED = 6, TURNS = 30 };

static dfl_status gauge(dfl_solver *solver, double t);
static void first_trial(dfl_solver *solver);
static dfl_status try_modes(int *worst, dfl_solver *solver, double t);
static bool change(dfl_solver *solver, int worst);
static bool tried_before(dfl_contacts *c);
static dfl_status enumerate(bool *found, dfl_solver *solver, double t);
static dfl_status stick_again(dfl_solver *solver, double t);
static dfl_status prefer_open(dfl_solver *solver, double t);
static double acceleration(double *terms, const dfl_solver *solver, int i, int k);

dfl_status dfl_contacts_search(dfl_solver *solver, double t)
{
    dfl_contacts *c = solver->contacts;
    int worst = -1;
    dfl_status status = gauge(solver, t);
    if (status)
        return status;
    dfl_contacts_relieve(solver);
    first_trial(solver);
    c->nseen = 0;
    tried_before(c);
    while (!status && c->nseen <= c->trials) {
        status = try_modes(&worst, solver, t);
        if (status || worst < 0 || !change(solver, worst))
            break;
    }
    bool found = worst < 0;
    if (!status && !found)
        status = enumerate(&found, solver, t);
    if (!status && found)
        status = stick_again(solver, t);
    if (!status && found)
        status = prefer_open(solver, t);
    if (!status && found)
        dfl_contacts_note_shared(solver);
    return !status && !found ? dfl_contacts_jam(solver, t) : status;
}

/* How large accelerations are if every contact is open, and were before the instant: what remains
   of them where all forces cancel is rounding. Which contacts would open. */
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
    memset(c->loose, 0, (size_t)c->count * sizeof *c->loose);
    if (!status && !dfl_contacts_jump(c->tried, solver, t, c->impulse)) {
        const dfl_point *point = dfl_initial_evaluate(&solver->initial, t, NULL);
        c->free = point ? dfl_max_abs(point->a, nv) : 0;
        for (int i = 0; point && i < c->count; i++) {
            double terms;
            memcpy(c->a, point->a, (size_t)nv * sizeof *c->a);
            c->loose[i] = c->near[i] && acceleration(&terms, solver, i, 0) > 1e-7 * terms;
        }
    }
    const double *rate = solver->switching->rate + solver->sys.na + dfl_eom_layout(solver->eom).v;
    c->free = fmax(c->free, dfl_max_abs(rate, nv));
    return status;
}

/* ------------------------------------------------------------------------------- trials */

/* Closed contact i slips where `along` points. */
static void slip_along(dfl_solver *solver, int i, const double along[2])
{
    dfl_contacts *c = solver->contacts;
    dfl_contact_mode *mode = &c->trial[i];
    const double *size = c->size + CONTACT_ROWS * i, length = hypot(along[0], along[1]);
    *mode = (dfl_contact_mode){.closed = true, .sense = along[0] > 0 ? 1 : -1};
    if (dfl_contact_directions(&solver->options.switches.contacts.contacts[i]) < 2)
        return;
    mode->sense = 1;
    mode->along[0] = length > 0 ? along[0] / length : 1;
    mode->along[1] = length > 0 ? along[1] / length : 0;
    mode->speed = fmax(0.1 * hypot(size[1], size[2]), 1e-100);
}

/* Whether contact i does not slip but for noise. */
static bool rests(const dfl_contacts *c, int i)
{
    const double *u = c->u + CONTACT_ROWS * i, *size = c->size + CONTACT_ROWS * i;
    return hypot(u[1], u[2]) <= hypot(size[1], size[2]);
}

/* Whether the slip of contact i has just passed zero because its direction vanishes, as that of x^2
   at x = 0: positions, not velocities make its noise. Nothing can stick there. */
static bool passes(const dfl_solver *solver, int i)
{
    const dfl_contacts *c = solver->contacts;
    const dfl_switch_options *opt = &solver->options.switches;
    double noise = 0;
    for (int k = 0; opt->contact && k < opt->count; k++)
        if (opt->contact[k] == 2 * i + 1)
            noise = fmax(noise, solver->switching->noise[k]);
    return c->mode[i].sense != 0 && c->left[2 * i + 1] &&
           dfl_contact_directions(&opt->contacts.contacts[i]) == 1 &&
           c->size[CONTACT_ROWS * i + 1] < 1e-2 * noise;
}

void dfl_contacts_close(dfl_solver *solver, int i)
{
    dfl_contacts *c = solver->contacts;
    const dfl_contact *contact = &solver->options.switches.contacts.contacts[i];
    const bool rough = contact->tangent >= 0;
    c->still[i] = rough && (rests(c, i) || passes(solver, i));
    if (rough && !c->still[i])
        slip_along(solver, i, c->u + CONTACT_ROWS * i + 1);
    else if (rough && !rests(c, i))
        slip_along(solver, i, (double[]){-c->mode[i].sense, 0});
    else
        c->trial[i] = (dfl_contact_mode){.closed = true, .stick = rough};
}

/* The present modes, without those whose condition has ended: a contact opens or closes, friction
   sticks or begins to slip along its force. What has opened at this very instant stays open. */
static void first_trial(dfl_solver *solver)
{
    dfl_contacts *c = solver->contacts;
    const dfl_contact *contacts = solver->options.switches.contacts.contacts;
    const double *mu = c->x + dfl_eom_layout(solver->eom).mu;
    for (int i = 0; i < c->count; i++) {
        const int k = CONTACT_ROWS * i, way = contacts[i].tangent;
        const bool opens = c->left[2 * i] ? c->mode[i].closed : c->again && !c->mode[i].closed;
        c->held[i] = contacts[i].normal >= 0 && c->near[i] && fabs(c->u[k]) <= c->size[k];
        c->still[i] = false;
        c->trial[i] = (dfl_contact_mode){.closed = false};
        if (contacts[i].normal >= 0 && (!c->held[i] || opens))
            continue;
        dfl_contacts_close(solver, i);
        if (c->still[i] && c->mode[i].stick && c->left[2 * i + 1]) {
            const bool two = dfl_contact_directions(&contacts[i]) == 2;
            slip_along(solver, i, (double[]){mu[way], two ? mu[way + 1] : 0});
        }
    }
}

/* The state, accelerations and laws of the trial's modes; *possible: there is such a state. */
static dfl_status complete(bool *possible, dfl_solver *solver, double t)
{
    dfl_contacts *c = solver->contacts;
    const dfl_switch_options *opt = &solver->options.switches;
    const int nv = solver->eom->nv;
    memcpy(c->tried, c->x, (size_t)solver->sys.nu * sizeof *c->x);
    memset(c->impulse, 0, (size_t)nv * sizeof *c->impulse);
    dfl_status status = dfl_contacts_set(solver, c->trial);
    *possible = !status && !dfl_contacts_jump(c->tried, solver, t, c->impulse);
    if (!*possible)
        return status;
    const dfl_point *point = dfl_initial_evaluate(&solver->initial, t, NULL);
    if (!point)
        return dfl_switching_stopped(solver, "eval");
    memcpy(c->a, point->a, (size_t)nv * sizeof *c->a);
    if (opt->contacts.eval(c->state, t, c->tried, c->tolerance, opt->user))
        return dfl_switching_stopped(solver, "contacts.eval");
    dfl_contacts_share(solver);
    return DFL_OK;
}

/* gap'' of contact i (k = 0) or an acceleration of its slip (k = 1, 2), and the size of its terms.
 */
static double acceleration(double *terms, const dfl_solver *solver, int i, int k)
{
    const dfl_contacts *c = solver->contacts;
    const int nv = solver->eom->nv, row = CONTACT_ROWS * i + k;
    double rate = c->bias[row];
    *terms = fabs(rate) + 1e-300;
    for (int j = 0; j < nv; j++) {
        rate += c->W[row * nv + j] * c->a[j];
        *terms += fabs(c->W[row * nv + j]) * fmax(c->free, fabs(c->a[j]));
    }
    return rate;
}

/* Turns the directions in which friction on surfaces begins to slip; whether one has turned. */
static bool turn_slips(dfl_solver *solver, bool first)
{
    dfl_contacts *c = solver->contacts;
    bool any = false;
    for (int i = 0; i < c->count; i++) {
        dfl_contact_mode *mode = &c->trial[i];
        double r[2], terms[2], *last = c->turned + 5 * i;
        if (!c->still[i] || mode->sense == 0 || (mode->along[0] == 0 && mode->along[1] == 0))
            continue;
        for (int k = 0; k < 2; k++)
            r[k] = acceleration(&terms[k], solver, i, k + 1);
        const double across = mode->along[0] * r[1] - mode->along[1] * r[0];
        const double turned = hypot(mode->along[0] - last[2], mode->along[1] - last[3]);
        if (first)
            last[4] = 0;
        else if (turned > 0)
            last[4] = fmax(last[4], hypot(r[0] - last[0], r[1] - last[1]) / turned);
        memcpy(last, r, sizeof r);
        memcpy(last + 2, mode->along, sizeof mode->along);
        if (fabs(across) <= 1e-7 * (terms[0] + terms[1]))
            continue;
        slip_along(solver, i,
                   (double[]){r[0] + last[4] * mode->along[0], r[1] + last[4] * mode->along[1]});
        any = true;
    }
    return any;
}

/* Of gap'' where the force of contact i has just vanished (k = 0), or of the acceleration of a slip
   that has just ended. All forces may cancel there, so that nothing but what changes the speed by
   its noise within the last step shows their size. */
static double noise_of_rate(const dfl_solver *solver, int i, int k)
{
    const dfl_stepper *st = solver->stepper;
    const double h = fabs(st->h_old);
    return h > 0 ? solver->contacts->size[CONTACT_ROWS * i + k] / h : 0;
}

/* By how many times its tolerance the condition of contact i is violated. */
static double violation(const dfl_solver *solver, int i)
{
    const dfl_contacts *c = solver->contacts;
    const dfl_contact *contact = &solver->options.switches.contacts.contacts[i];
    const dfl_contact_mode *mode = &c->trial[i];
    const dfl_layout at = dfl_eom_layout(solver->eom);
    double by = 0, terms[3];
    if (c->held[i] && mode->closed) {
        const int l = at.lambda + contact->normal;
        by = -c->load[i] / (10 * c->tolerance[l] + 1e-9 * fabs(c->tried[l]));
    } else if (c->held[i]) {
        by = -acceleration(terms, solver, i, 0);
        by /= fmax(1e-7 * terms[0], c->left[2 * i] ? noise_of_rate(solver, i, 0) : 0);
    }
    if (c->still[i] && mode->stick) {
        const double mu = hypot(c->share[2 * i], c->share[2 * i + 1]), limit = c->state[i].limit;
        const bool ends =
            c->again && c->left[2 * i + 1]; /* as soon as it begins: within tolerances */
        const double slack = 10 * c->tolerance[at.mu + contact->tangent] +
                             (ends ? 10 * solver->options.rtol : 1e-9) * fmax(mu, limit);
        const double rate = acceleration(terms, solver, i, 1);
        /* at its limit it goes on to slip, else another one that slips with it would stick next */
        const double margin = c->mode[i].sense != 0 && !ends ? 2 * slack : 0;
        by = fmax(by, (mu - limit + margin) / slack);
        const double noise = c->mode[i].sense != 0 ? noise_of_rate(solver, i, 1) : 0;
        by = fmax(by, fabs(rate) / fmax(1e-5 * terms[0], noise)); /* forces that cannot hold it */
    } else if (c->still[i] && mode->sense != 0) {
        const bool two = dfl_contact_directions(contact) == 2;
        double rate = acceleration(terms, solver, i, 1) * (two ? mode->along[0] : mode->sense);
        if (two) {
            rate += acceleration(terms + 1, solver, i, 2) * mode->along[1];
            terms[0] += terms[1];
        }
        by = fmax(by, -rate / (1e-7 * terms[0]));
    }
    return by;
}

/* The accelerations of the trial's modes, and the contact whose condition is violated most (-1:
   none; count: there is no such state). */
static dfl_status try_modes(int *worst, dfl_solver *solver, double t)
{
    dfl_contacts *c = solver->contacts;
    bool possible;
    double most = 1;
    dfl_status status = complete(&possible, solver, t);
    for (int turns = 0; !status && possible && turns < TURNS; turns++) {
        if (!turn_slips(solver, turns == 0))
            break;
        status = complete(&possible, solver, t);
    }
    *worst = possible ? -1 : c->count;
    for (int i = 0; !status && possible && i < c->count; i++) {
        const double by = violation(solver, i);
        if (by > most)
            most = by, *worst = i;
    }
    return status;
}

/* ------------------------------------------------------------------------------- changes */

/* Whether the modes of the trial were tried before; if not, they are remembered. */
static bool tried_before(dfl_contacts *c)
{
    const size_t count = (size_t)c->count;
    unsigned char *own = c->seen + (size_t)c->nseen * count;
    for (int i = 0; i < c->count; i++) {
        const dfl_contact_mode *m = &c->trial[i];
        own[i] = !m->closed ? 0 : m->sense > 0 ? 1 : m->sense < 0 ? 2 : 3;
    }
    for (int i = 0; i < c->nseen; i++)
        if (!memcmp(c->seen + (size_t)i * count, own, count))
            return true;
    c->nseen++;
    return false;
}

/* The other mode of contact `worst`; false: it was tried before. */
static bool change(dfl_solver *solver, int worst)
{
    dfl_contacts *c = solver->contacts;
    if (worst >= c->count)
        return false;
    dfl_contact_mode *mode = &c->trial[worst];
    if (c->held[worst] && mode->closed && c->load[worst] < 0)
        *mode = (dfl_contact_mode){.closed = false};
    else if (c->held[worst] && !mode->closed)
        dfl_contacts_close(solver, worst);
    else if (mode->stick)
        slip_along(solver, worst, c->share + 2 * worst);
    else if (!rests(c, worst))
        slip_along(solver, worst, (double[]){-mode->sense, 0});
    else
        *mode = (dfl_contact_mode){.closed = true, .stick = true};
    return !tried_before(c);
}

/* Mode number `own` of contact i: stick or closed, open, two senses of slip; false: not possible.
 */
static bool set_mode(dfl_solver *solver, int i, int own)
{
    dfl_contacts *c = solver->contacts;
    const bool two = dfl_contact_directions(&solver->options.switches.contacts.contacts[i]) == 2;
    if (own == 1)
        c->trial[i] = (dfl_contact_mode){.closed = false};
    else if (own >= 2)
        slip_along(solver, i, two ? c->share + 2 * i : (double[]){own == 2 ? 1 : -1, 0});
    else
        dfl_contacts_close(solver, i);
    return own == 1 ? c->held[i] : own < 2 || (c->still[i] && !(two && own == 3));
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
        for (int i = 0, code = k; i < count; i++, code /= 4)
            possible = set_mode(solver, which[i], code % 4) && possible;
        int worst = -1;
        const dfl_status status = possible ? try_modes(&worst, solver, t) : DFL_OK;
        if (status)
            return status;
        *found = possible && worst < 0;
    }
    return DFL_OK;
}

/* Friction that can stick does so. On the way to valid modes some of it was made to slip by what
   other friction has not held in the end: first what stuck before, then the rest is tried again. */
static dfl_status stick_again(dfl_solver *solver, double t)
{
    dfl_contacts *c = solver->contacts;
    const size_t size = (size_t)c->count * sizeof *c->trial;
    int worst = -1;
    dfl_status status = DFL_OK;
    memcpy(c->valid, c->trial, size);
    for (int k = 0; !status && k < 2 * c->count; k++) {
        const int i = k % c->count;
        const bool first = k < c->count, stuck = c->mode[i].stick, ended = c->left[2 * i + 1];
        if (first != stuck || (stuck && ended) || !c->still[i] || !rests(c, i) ||
            c->trial[i].sense == 0)
            continue;
        c->trial[i] = (dfl_contact_mode){.closed = true, .stick = true};
        status = try_modes(&worst, solver, t);
        memcpy(worst < 0 ? c->valid : c->trial, worst < 0 ? c->trial : c->valid, size);
    }
    return status || worst < 0 ? status : try_modes(&worst, solver, t);
}

/* Where friction presses so much that n M^-1 (n - mu t)^T < 0 a contact may be closed although it
   would open by itself (Painleve). Then it is open, and the user knows. */
static dfl_status prefer_open(dfl_solver *solver, double t)
{
    dfl_contacts *c = solver->contacts;
    const size_t size = (size_t)c->count * sizeof *c->trial;
    int worst = -1;
    dfl_status status = DFL_OK;
    memcpy(c->valid, c->trial, size);
    for (int i = 0; !status && i < c->count; i++) {
        if (!c->held[i] || !c->loose[i] || !c->trial[i].closed || c->trial[i].sense == 0)
            continue;
        c->trial[i] = (dfl_contact_mode){.closed = false};
        status = try_modes(&worst, solver, t);
        memcpy(worst < 0 ? c->valid : c->trial, worst < 0 ? c->trial : c->valid, size);
        if (worst < 0 && !status && !c->told) {
            c->told = true;
            dfl_log(&solver->options, DFL_LOG_NOTICE,
                    "contact '%s' may be open or closed at t = %.10g (rigid friction, coefficient "
                    "%.3g): it is taken as open",
                    solver->options.switches.contacts.contacts[i].name, t, c->state[i].friction);
        }
    }
    return status || worst < 0 ? status : try_modes(&worst, solver, t);
}
