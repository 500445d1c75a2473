/* ways.c: how far motions go, as far as the start tells it: v^2/a until they turn; if no length of
   the kind is known, a part of v D and a D^2 in the duration D, and no more than springs let them,
   a/omega^2 or v/omega. Accelerations that are zero at the start may be those of later times. */
#include "solver/sizes.h"

#include <string.h>

enum { ROUNDS = 4 };

static const double distance = 1e-3; /* of v D, a D^2 in the duration D, if no length is known */
static const double little = 1e-3;   /* of the way of a motion that positions have at least */

static void limit_ways(bool *shorter, double *way, dfl_solver *solver, const double *x,
                       const double *a);

/* Whether nothing tells the size of the kind of unknown i, of a velocity that of its positions. */
static bool is_unknown(const dfl_solver *solver, int i)
{
    return kind_of(solver, i) > 0 && !(size_of_kind(solver, i) > 0);
}

static bool some_unknown(const dfl_solver *solver, int first, int last)
{
    for (int i = first; i < last; i++)
        if (is_unknown(solver, i))
            return true;
    return false;
}

dfl_status dfl_sizes_take_rates(dfl_solver *solver, const dfl_point *start)
{
    const dfl_layout at = dfl_eom_layout(solver->eom);
    double *rate = solver->sizes.rates, *later = solver->sizes.move;
    for (int j = 0; j < solver->eom->nv; j++)
        rate[at.v + j] = start->a && isfinite(start->a[j]) ? fabs(start->a[j]) : 0;
    for (int i = at.r; i < at.v; i++)
        rate[i] = fabs(start->blocks.b[i - at.r]);
    if (!(duration_of(solver) > 0) || !some_unknown(solver, at.r, at.s))
        return DFL_OK;
    const dfl_status status = dfl_solver_probe_later(later, solver);
    for (int i = at.r; !status && i < at.s; i++)
        if (is_unknown(solver, i))
            rate[i] = fmax(rate[i], later[i]);
    return status;
}

void dfl_sizes_find_ways(double *way, dfl_solver *solver, const double *x, const double *a)
{
    const dfl_layout at = dfl_eom_layout(solver->eom);
    const double D = duration_of(solver);
    memset(way, 0, (size_t)places(solver) * sizeof *way);
    for (int j = 0; j < solver->eom->nv; j++) {
        const double v = value_of(solver, x, at.v + j), all = v * (D > 0 ? D : 1);
        const double turns = a && a[j] > 0 ? v * v / a[j] : all, fall = a ? a[j] * D * D : 0;
        double *to = &way[place_of(solver, j)];
        *to = fmax(*to, is_unknown(solver, at.v + j) ? distance * fmax(v * D, fall)
                                                     : little * fmin(all, turns));
    }
    bool again = a && D > 0 && some_unknown(solver, at.v, at.s);
    for (int round = 0; again && round < ROUNDS; round++)
        limit_ways(&again, way, solver, x, a);
}

/* Shorter ways of unknown kinds whose forces change by more than themselves on the way: springs,
   with omega^2 = change/way. *shorter: much. */
static void limit_ways(bool *shorter, double *way, dfl_solver *solver, const double *x,
                       const double *a)
{
    const dfl_layout at = dfl_eom_layout(solver->eom);
    const int nv = solver->eom->nv;
    double *move = solver->sizes.move, *change = move + nv;
    *shorter = false;
    for (int j = 0; j < nv; j++)
        move[j] = is_unknown(solver, at.v + j) ? way[place_of(solver, j)] : 0;
    if (!dfl_solver_probe_moved(change, solver, move))
        return;
    for (int j = 0; j < nv; j++) {
        double *of_kind = &way[place_of(solver, j)], turn = unsure * move[j];
        if (!(move[j] > 0 && change[j] > 0))
            continue;
        for (int k = 0; k < nv; k++)
            if (place_of(solver, k) == place_of(solver, j))
                turn = fmax(turn, fmax(a[k] * move[j] / change[j],
                                       fabs(x[at.v + k]) * sqrt(move[j] / change[j])));
        *shorter = *shorter || turn < part * *of_kind;
        *of_kind = fmin(*of_kind, turn);
    }
}
