/* closings.c: gaps that close within their noise. Where a gap closes and opens again within what
   tolerances may change in it, the positions do not show an impact. But the velocities after it are
   others, if it closes with a speed beyond their tolerance. */
#include "solver/contact_modes.h"
#include "solver/switching.h"

#include <math.h>

enum { CLOSINGS = 8 };                 /* of one gap in one step */
static const double tiny = 1e-6;       /* of the noise: rounding of a gap */
static const double opened = 1.0 / 64; /* of the step: after this a gap is looked at again */

static int open_gap(const dfl_solver *solver, int i);
static dfl_status find(double *at, dfl_solver *solver, const dfl_watched *watched, int i,
                       double from);
static int noise_of_one(double *noise, double t, const double *x, void *user);
static dfl_status closes_fast(bool *fast, dfl_solver *solver, int contact, double at);

dfl_status dfl_switching_fast_closing(double *at, dfl_solver *solver, const dfl_watched *watched)
{
    dfl_switching *sw = solver->switching;
    dfl_status status = DFL_OK;
    int found = -1;
    *at = 2;
    for (int i = 0; i < watched->count; i++)
        sw->looked[i] = sw->search.near[i] && open_gap(solver, i) >= 0;
    for (int i = 0; !status && i < watched->count; i++) {
        double place = 0;
        bool fast = false;
        for (int k = 0; !status && sw->looked[i] && !fast && k < CLOSINGS; k++) {
            status = find(&place, solver, watched, i, place);
            if (status || place >= *at)
                break;
            status = closes_fast(&fast, solver, open_gap(solver, i), place);
            if (fast)
                found = i, *at = place;
            place += opened;
        }
    }
    for (int i = 0; found >= 0 && i < watched->count; i++)
        sw->search.first[i] = i == found ? *at : 2;
    return status;
}

/* The contact that is open and whose gap function i is, or -1. */
static int open_gap(const dfl_solver *solver, int i)
{
    const int *contact = solver->options.switches.contact, k = contact ? contact[i] : -1;
    return k >= 0 && k % 2 == 0 && !solver->contacts->mode[k / 2].closed ? k / 2 : -1;
}

/* Where gap i closes after `from`; *at: 2: nowhere. */
static dfl_status find(double *at, dfl_solver *solver, const dfl_watched *watched, int i,
                       double from)
{
    dfl_search *search = &solver->switching->search;
    dfl_watched fine = *watched;
    *at = 2;
    if (from >= 1)
        return DFL_OK;
    fine.noise = noise_of_one;
    solver->switching->looked_at = i;
    search->watched = &fine;
    const dfl_status status = dfl_search_run(at, search, from, 1);
    search->watched = watched;
    search->undecided = -1;
    return status;
}

static int noise_of_one(double *noise, double t, const double *x, void *user)
{
    const dfl_solver *solver = user;
    const int failed = dfl_switching_noise(noise, t, x, user), one = solver->switching->looked_at;
    for (int i = 0; i < solver->options.switches.count; i++)
        noise[i] = i == one ? tiny * noise[i] : INFINITY;
    return failed;
}

/* At the part `at` of the step. */
static dfl_status closes_fast(bool *fast, dfl_solver *solver, int contact, double at)
{
    dfl_contacts *c = solver->contacts;
    const dfl_path *path = &solver->switching->path;
    const double t = path->t_old + at * path->h;
    dfl_status status = dfl_solver_continuous(c->tried, solver, t, false);
    if (status)
        return status;
    dfl_solver_tolerances_at(c->tolerance, solver, c->tried);
    c->near[contact] = true;
    status = dfl_contacts_speeds(solver, t, c->tried);
    *fast = !status && c->u[CONTACT_ROWS * contact] < -c->size[CONTACT_ROWS * contact];
    return status ? status : dfl_contacts_set(solver, c->mode);
}
