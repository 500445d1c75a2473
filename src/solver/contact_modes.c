/* contact_modes.c: contacts at an instant: which ones touch, impacts, then the modes. */
#include "solver/contact_modes.h"
#include "solver/switching.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static dfl_status refuse_massless(const dfl_solver *solver, double t, bool friction);
static bool acts_without_mass(const dfl_solver *solver, int k);
static dfl_status look(dfl_solver *solver, double t);
static void note_left(dfl_solver *solver);

dfl_status dfl_contacts_init(dfl_solver *solver)
{
    const dfl_contact_options *opt = &solver->options.switches.contacts;
    dfl_context *ctx = solver->ctx;
    const size_t m = (size_t)opt->count, nv = (size_t)solver->eom->nv, n = (size_t)solver->sys.nu;
    const size_t d = sizeof(double);
    if (opt->count == 0)
        return DFL_OK;
    dfl_contacts *c = solver->contacts = dfl_alloc(ctx, 1, sizeof *c);
    if (!c)
        return DFL_NO_MEMORY;
    c->count = opt->count;
    c->mode = dfl_alloc(ctx, m, sizeof *c->mode);
    c->trial = dfl_alloc(ctx, m, sizeof *c->trial);
    c->valid = dfl_alloc(ctx, m, sizeof *c->valid);
    c->state = dfl_alloc(ctx, m, sizeof *c->state);
    c->W = dfl_alloc(ctx, CONTACT_ROWS * m * nv, d);
    c->bias = dfl_alloc(ctx, CONTACT_ROWS * m, d);
    c->u = dfl_alloc(ctx, CONTACT_ROWS * m, d);
    c->size = dfl_alloc(ctx, CONTACT_ROWS * m, d);
    c->near = dfl_alloc(ctx, 8 * m, sizeof(bool));
    c->a = dfl_alloc(ctx, nv, d);
    c->x = dfl_alloc(ctx, 3 * n, d);
    c->impulse = dfl_alloc(ctx, (1 + CONTACT_ROWS) * nv, d);
    c->assigned = dfl_alloc(ctx, n, sizeof(bool));
    c->trials = opt->count > 12 ? 4 * opt->count : 50;
    c->seen = dfl_alloc(ctx, m * ((size_t)c->trials + 1), 1);
    c->share = dfl_alloc(ctx, 7 * m, d);
    c->group = dfl_alloc(ctx, nv * (6 * m + 1), d);
    c->column = dfl_alloc(ctx, 3 * m, sizeof *c->column);
    c->turned = dfl_alloc(ctx, 5 * m, d);
    c->reply = dfl_alloc(ctx, CONTACT_ROWS * MOST_TOGETHER * nv, d);
    c->along = dfl_alloc(ctx, (size_t)solver->eom->n0, d);
    if (!c->mode || !c->trial || !c->valid || !c->state || !c->W || !c->bias || !c->u || !c->size ||
        !c->near || !c->a || !c->x || !c->impulse || !c->assigned || !c->seen || !c->share ||
        !c->group || !c->column || !c->turned || !c->reply || !c->along)
        return DFL_NO_MEMORY;
    c->held = c->near + m;
    c->still = c->near + 2 * m;
    c->left = c->near + 3 * m;
    c->shared = c->near + 5 * m;
    c->loose = c->near + 7 * m;
    c->load = c->share + 6 * m;
    c->tried = c->x + n;
    c->tolerance = c->x + 2 * n;
    c->answer = c->impulse + nv;
    const dfl_status status = dfl_lstsq_create(&c->lstsq, ctx, solver->eom->nv, 3 * opt->count);
    return status ? status
                  : dfl_lstsq_create(&c->together, ctx, CONTACT_ROWS * MOST_TOGETHER,
                                     CONTACT_ROWS * MOST_TOGETHER);
}

void dfl_contacts_clear(dfl_solver *solver)
{
    dfl_contacts *c = solver->contacts;
    if (!c)
        return;
    void *const blocks[] = {c->mode,  c->trial,   c->valid,    c->state, c->W,
                            c->bias,  c->u,       c->size,     c->near,  c->a,
                            c->x,     c->impulse, c->assigned, c->seen,  c->share,
                            c->group, c->column,  c->turned,   c->reply, c->along};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        dfl_free(solver->ctx, blocks[i]);
    dfl_lstsq_free(c->lstsq, solver->ctx);
    dfl_lstsq_free(c->together, solver->ctx);
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
    c->resolved = NAN;
    memset(c->shared, 0, 2 * (size_t)c->count * sizeof *c->shared);
    return dfl_contacts_set(solver, c->mode);
}

dfl_status dfl_contacts_resolve(bool *changed, dfl_solver *solver, double t)
{
    dfl_contacts *c = solver->contacts;
    const size_t size = (size_t)solver->sys.nu * sizeof(double);
    bool landed = true;
    *changed = false;
    if (!c)
        return DFL_OK;
    memcpy(c->x, solver->x, size);
    c->again = t == c->resolved;
    note_left(solver);
    dfl_status status = look(solver, t);
    if (!status)
        status = dfl_contacts_speeds(solver, t, c->x);
    if (!status) /* what is near, as if it were closed */
        status = refuse_massless(solver, t, false);
    for (int round = 0; !status && landed && round <= c->count; round++) {
        status = dfl_contacts_collide(solver, t);
        if (!status)
            status = dfl_contacts_search(solver, t);
        if (!status && round < c->count)
            status = dfl_contacts_land(&landed, solver, t);
    }
    if (!status)
        status = refuse_massless(solver, t, true);
    if (status)
        return status;
    for (int i = 0; i < c->count; i++)
        *changed = *changed || c->mode[i].closed != c->trial[i].closed ||
                   c->mode[i].stick != c->trial[i].stick || c->mode[i].sense != c->trial[i].sense;
    if (*changed)
        status = dfl_contacts_tell_modes(solver, t);
    memcpy(c->mode, c->trial, (size_t)c->count * sizeof *c->mode);
    c->resolved = t;
    solver->stats.modes += *changed;
    memcpy(solver->x, c->tried, size);
    return status;
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
    const int nv = solver->eom->nv, nl = solver->eom->nl;
    for (int i = 0; i < c->count; i++)
        c->trial[i] = (dfl_contact_mode){.closed = c->near[i], .stick = c->near[i]};
    dfl_status status = dfl_contacts_set(solver, c->trial);
    const dfl_point *point = status ? NULL : dfl_initial_evaluate(&solver->initial, t, x);
    if (!status && !point)
        return dfl_switching_stopped(solver, "eval");
    for (int k = 0; !status && k < CONTACT_ROWS * c->count; k++) {
        const dfl_contact *contact = &contacts[k / CONTACT_ROWS];
        const int way = k % CONTACT_ROWS; /* 0: the normal */
        const int row = way == 0                                 ? contact->normal
                        : way <= dfl_contact_directions(contact) ? contact->tangent + way - 1
                                                                 : -1;
        const int place = way > 0 ? nl + row : row;
        const double *tolerance = c->tolerance + dfl_eom_layout(solver->eom).v;
        c->u[k] = row < 0 ? 0 : way > 0 ? point->blocks.hv[row] : point->blocks.gI[row];
        c->bias[k] = row < 0 ? 0 : point->blocks.bias[place];
        c->size[k] = 0;
        memset(c->W + (size_t)k * (size_t)nv, 0, (size_t)nv * sizeof *c->W);
        if (row >= 0)
            dfl_system_W_row(c->W + (size_t)k * (size_t)nv, &solver->sys, point->blocks.W, place);
        for (int j = 0; j < nv; j++)
            c->size[k] += 10 * fabs(c->W[(size_t)k * (size_t)nv + (size_t)j]) * tolerance[j];
    }
    return status;
}

/* Rows of the trial that hold a direction without mass leave its balance an unknown too few. */
static dfl_status refuse_massless(const dfl_solver *solver, double t, bool friction)
{
    const dfl_contacts *c = solver->contacts;
    const dfl_contact *contacts = solver->options.switches.contacts.contacts;
    for (int k = 0; k < CONTACT_ROWS * c->count; k++) {
        const int i = k / CONTACT_ROWS;
        const bool normal = k % CONTACT_ROWS == 0,
                   on = normal ? c->trial[i].closed : c->trial[i].stick;
        if (!on || !(normal || friction) || !acts_without_mass(solver, k))
            continue;
        return normal
                   ? dfl_fail(solver->ctx, DFL_INVALID,
                              "contact '%s' closes at t = %.10g along a direction without mass; "
                              "give that a mass, or the contact a stiffness (impact)",
                              contacts[i].name, t)
                   : dfl_fail(solver->ctx, DFL_INVALID,
                              "friction '%s' sticks at t = %.10g along a direction without mass; "
                              "give that a mass, or friction a speed",
                              contacts[i].name, t);
    }
    return DFL_OK;
}

/* Whether row k, which is zero if there is none, acts along such a direction. */
static bool acts_without_mass(const dfl_solver *solver, int k)
{
    const int nv = solver->eom->nv, n0 = solver->eom->n0;
    const double *row = solver->contacts->W + (size_t)k * (size_t)nv;
    const double *K0 = solver->initial.point.blocks.K0;
    double *along = solver->contacts->along;
    dfl_system_take_along(along, &solver->sys, K0, row);
    return dfl_max_abs(along, n0) > 1e-10 * dfl_max_abs(row, nv);
}

dfl_status dfl_contacts_jump(double *x, dfl_solver *solver, double t, const double *impulse)
{
    dfl_contacts *c = solver->contacts;
    const dfl_jump jump = {.before = x, .impulse = impulse, .assigned = c->assigned};
    return dfl_initial_jump(x, &solver->initial, t, &jump);
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

dfl_status dfl_contacts_jam(dfl_solver *solver, double t)
{
    const dfl_contacts *c = solver->contacts;
    const dfl_contact *contacts = solver->options.switches.contacts.contacts;
    char names[200] = "";
    for (int i = 0; i < c->count; i++)
        if (c->still[i] && !strncmp(contacts[i].name, "slide.", 6))
            return dfl_fail(solver->ctx, DFL_NOT_CONVERGED,
                            "a force jumps where a speed passes zero at t = %.10g ('%s'), and no "
                            "force between the two holds it there: give it a dead band, or use "
                            "friction",
                            t, contacts[i].name);
    int rubbing = -1;
    for (int i = c->count - 1; i >= 0; i--)
        if (c->held[i] && contacts[i].tangent >= 0)
            rubbing = i;
    for (int i = 0; i < c->count; i++)
        if ((c->held[i] || c->still[i]) && strlen(names) < 150)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s'%.40s'",
                     names[0] ? ", " : "", contacts[i].name);
    char limit[60] = "";
    const double most = rubbing < 0 ? INFINITY : dfl_contacts_most_friction(solver, t, rubbing);
    if (isfinite(most))
        snprintf(limit, sizeof limit, ", limit %.3g in this position", most);
    return dfl_fail(
        solver->ctx, DFL_NOT_CONVERGED,
        "contact %s jams at t = %.10g: rigid friction has no solution here (coefficient "
        "%.3g%s); give the contact stiffness (impact) or less friction",
        names, t, rubbing < 0 ? 0.0 : c->state[rubbing].friction, limit);
}
