/* sizes.c: the sizes of the unknowns, from which absolute tolerances follow that nobody gave.

   atol is rtol times a size that an unknown has at least: the size of its kind at the start, or a
   tenth of its own largest value so far, whichever is larger. Unknowns of one kind have one unit;
   the model says which they are (dfl_sizes). A position's size is what the model knows (the lengths
   of a drawing, 1 rad), and the largest initial value of its kind. A velocity's follows from that
   of its positions L by the time scale of the motion: it is at least a tenth of v and of sqrt(L a)
   of its kind at the start, and L divided by the duration of the run. Multipliers have the unit of
   power divided by that of their row's rate: their size is the largest power F v of a force at the
   start divided by |W| v.

   Of a model that says nothing about kinds, no size is more than 1, and sizes of that order are 1.
   Values of the same block, at the start and so far, show where they are smaller.

   Sizes grow after accepted steps only, so that all attempts of a step are judged alike. */
#include "context/context.h"
#include "linalg/linalg.h"
#include "solver/sizes.h"

#include <math.h>
#include <string.h>

static const double little =
    1e-3; /* of the power that changes velocities in the time of the motion */
static const double standing = 1e-3; /* of the fastest rate: a slower one may be rounding */

static void positions(dfl_solver *solver, const double *x);
static void dynamic(dfl_solver *solver, const double *x, const dfl_point *start);
static void velocities(dfl_solver *solver, const double *x, const dfl_point *start);
static void multipliers(dfl_solver *solver, const double *x, const dfl_point *start);
static void write_tolerances(dfl_solver *solver);
static double ordinary(double size);
static void take_units(dfl_solver *solver);

dfl_status dfl_solver_sizes_init(dfl_solver *solver)
{
    dfl_solver_options *o = &solver->options;
    const size_t n = (size_t)solver->sys.nu, d = sizeof(double);
    if (o->atol > 0 && !solver->eom->sizes)
        return DFL_OK;
    solver->sizes.atol = dfl_alloc(solver->ctx, n, d);
    solver->sizes.size = dfl_alloc(solver->ctx, n, d);
    solver->sizes.level = dfl_alloc(solver->ctx, 2 * (n + 2), d);
    solver->sizes.unit = dfl_alloc(solver->ctx, n, d);
    solver->sizes.rates = dfl_alloc(solver->ctx, n, d);
    solver->sizes.move = dfl_alloc(solver->ctx, 2 * n, d);
    if (!solver->sizes.rates || !solver->sizes.move)
        return DFL_NO_MEMORY;
    if (!solver->sizes.unit || !solver->sizes.atol || !solver->sizes.size || !solver->sizes.level)
        return DFL_NO_MEMORY;
    for (size_t i = 0; i < n; i++)
        solver->sizes.size[i] = 1;
    write_tolerances(solver);
    if (o->atol == 0)
        o->error.atol_each = solver->sizes.atol;
    return DFL_OK;
}

void dfl_solver_sizes_clear(dfl_solver *solver)
{
    dfl_free(solver->ctx, solver->sizes.atol);
    dfl_free(solver->ctx, solver->sizes.size);
    dfl_free(solver->ctx, solver->sizes.unit);
    dfl_free(solver->ctx, solver->sizes.level);
    dfl_free(solver->ctx, solver->sizes.rates);
    dfl_free(solver->ctx, solver->sizes.move);
}

dfl_status dfl_solver_sizes_take(dfl_solver *solver, const double *given, const double *x,
                                 const dfl_point *start)
{
    if (!solver->sizes.size)
        return DFL_OK;
    solver->sizes.given = given;
    positions(solver, x);
    const dfl_status status = start ? dfl_sizes_take_rates(solver, start) : DFL_OK;
    if (status)
        return status;
    velocities(solver, x, start);
    dynamic(solver, x, start);
    multipliers(solver, x, start);
    write_tolerances(solver);
    if (!start && solver->eom->sizes)
        take_units(solver);
    return DFL_OK;
}

void dfl_solver_sizes_grow(dfl_solver *solver)
{
    const double *x = dfl_solver_state(solver);
    double *size = solver->sizes.size;
    if (!size)
        return;
    for (int i = 0; i < solver->sys.nu; i++)
        size[i] = fmax(size[i], solver->eom->sizes ? part * fabs(x[i]) : ordinary(fabs(x[i])));
    write_tolerances(solver);
}

void dfl_solver_tolerances(double *atol, const dfl_solver *solver)
{
    const dfl_solver_options *o = &solver->options;
    for (int i = 0; i < solver->sys.nu; i++)
        atol[i] = o->error.atol_each ? o->error.atol_each[i] : o->atol;
}

void dfl_solver_tolerances_at(double *tolerance, const dfl_solver *solver, const double *x)
{
    const dfl_solver_options *o = &solver->options;
    dfl_solver_tolerances(tolerance, solver);
    for (int i = 0; i < solver->sys.nu; i++)
        tolerance[i] += (o->error.rtol_each ? o->error.rtol_each[i] : o->rtol) * fabs(x[i]);
}

/* Units of positions, and of velocities by the same lengths: those of the last call before the
   formulation is laid out. */
static void take_units(dfl_solver *solver)
{
    const dfl_layout at = dfl_eom_layout(solver->eom);
    double *unit = solver->sizes.unit;
    for (int i = 0; i < at.n; i++) {
        const bool known = i >= at.v && kind_of(solver, i) != DFL_NO_KIND;
        unit[i] = known ? size_of_kind(solver, i) : 1;
        unit[i] = unit[i] > 0 ? unit[i] : 1;
    }
    solver->sys.unit = unit;
}

static void write_tolerances(dfl_solver *solver)
{
    const dfl_solver_options *o = &solver->options;
    for (int i = 0; i < solver->sys.nu; i++)
        solver->sizes.atol[i] =
            (o->error.rtol_each ? o->error.rtol_each[i] : o->rtol) * solver->sizes.size[i];
}

/* The size that counts where kinds are not known. */
static double ordinary(double size)
{
    return size >= 0.1 ? 1 : size;
}

/* What a block first .. last-1 whose kinds are not known tells about an unknown. */
static double told_by_block(const dfl_solver *solver, const double *x, int first, int last)
{
    double largest = 0;
    for (int i = first; i < last; i++)
        largest = fmax(largest, value_of(solver, x, i));
    return largest > 0 ? ordinary(largest) : 1;
}

/* Unknowns first .. last-1: what is known, and the largest value of the kind. */
static void size_of_values(dfl_solver *solver, const double *x, int first, int last)
{
    double *size = solver->sizes.size;
    const double told = told_by_block(solver, x, first, last);
    for (int i = first; i < last; i++) {
        size[i] = kind_of(solver, i) == DFL_NO_KIND ? told : size_of_kind(solver, i);
        if (solver->eom->sizes)
            size[i] = fmax(size[i], part * value_of(solver, x, i));
    }
}

/* The largest value of each kind among unknowns that are no rates and no multipliers. */
static void take_levels(dfl_solver *solver, const double *x)
{
    const dfl_layout at = dfl_eom_layout(solver->eom);
    double *level = solver->sizes.level;
    memset(level, 0, (size_t)places(solver) * sizeof *level);
    for (int i = 0; i < at.n; i++)
        if ((i < at.lambda || (i >= at.r && i < at.v) || i >= at.s) && kind_of(solver, i) > 0)
            level[kind_of(solver, i)] = fmax(level[kind_of(solver, i)], value_of(solver, x, i));
}

static void positions(dfl_solver *solver, const double *x)
{
    const dfl_layout at = dfl_eom_layout(solver->eom);
    take_levels(solver, x);
    size_of_values(solver, x, at.s, at.p);
    size_of_values(solver, x, at.p, at.n);
}

/* The length, or angle, whose rate velocity j is. */
static double reach(const dfl_solver *solver, int j)
{
    const dfl_layout at = dfl_eom_layout(solver->eom);
    if (kind_of(solver, at.v + j) != DFL_NO_KIND)
        return size_of_kind(solver, at.v + j);
    return solver->eom->np > 0 ? solver->sizes.size[at.p] : 1;
}

/* Lengths of kinds of which nothing is known, from the ways of their velocities; values that are
   tiny compared with these ways tell nothing either, such as those of a ball that bounces. */
static void lengthen(dfl_solver *solver, const double *x, const double *a)
{
    const dfl_layout at = dfl_eom_layout(solver->eom);
    double *level = solver->sizes.level, *way = level + places(solver);
    double *size = solver->sizes.size;
    dfl_sizes_find_ways(way, solver, x, a);
    for (int j = 0; j < solver->eom->nv; j++) {
        const int kind = kind_of(solver, at.v + j);
        if (kind > 0)
            level[kind] = fmax(level[kind], way[kind] > 0 || reach(solver, j) > 0 ? way[kind] : 1);
    }
    for (int i = at.s; i < at.n; i++) {
        const int kind = kind_of(solver, i);
        if (kind == DFL_NO_KIND)
            size[i] = fmax(size[i], ordinary(way[places(solver) - 1]));
        else if (kind > 0)
            size[i] = fmax(size[i], level[kind]);
        size[i] = size[i] > 0 ? size[i] : 1;
    }
}

/* v/L or sqrt(a/L), whichever is larger, of velocity j. */
static double rate_of(const dfl_solver *solver, int j, const double *x, const double *a)
{
    const double L = reach(solver, j);
    const double v = value_of(solver, x, dfl_eom_layout(solver->eom).v + j);
    const double of_a = a ? a[j] / L : 0;
    return fmax(v / L, duration_of(solver) > 0 || of_a > unsure ? sqrt(of_a) : 0);
}

static void velocities(dfl_solver *solver, const double *x, const dfl_point *start)
{
    const dfl_layout at = dfl_eom_layout(solver->eom);
    const double *a = start ? solver->sizes.rates + at.v : NULL, D = duration_of(solver);
    double *rate = solver->sizes.level + places(solver), slowest = INFINITY, fastest = 0;
    lengthen(solver, x, a);
    memset(rate, 0, (size_t)places(solver) * sizeof *rate);
    for (int j = 0; j < solver->eom->nv; j++)
        rate[place_of(solver, j)] = fmax(rate[place_of(solver, j)], rate_of(solver, j, x, a));
    for (int k = 0; k < places(solver); k++)
        fastest = fmax(fastest, rate[k]);
    for (int k = 0; k < places(solver); k++) {
        rate[k] = rate[k] > 0 ? fmax(rate[k], standing * fastest) : 0;
        slowest = rate[k] > 0 ? fmin(slowest, rate[k]) : slowest;
    }
    slowest = isfinite(slowest) ? slowest : D > 0 ? 1 / D : 1;
    solver->sizes.rate = solver->initial.rate = slowest;
    for (int j = 0; j < solver->eom->nv; j++) {
        const double L = reach(solver, j), own = rate[place_of(solver, j)];
        const double of_kind = L * (own > 0 ? own : slowest);
        solver->sizes.size[at.v + j] =
            kind_of(solver, at.v + j) == DFL_NO_KIND
                ? ordinary(of_kind)
                : part * fmax(fmax(of_kind, fabs(x[at.v + j])), D > 0 ? L / D / part : 0);
    }
}

/* Dynamic and auxiliary variables: one that is zero at the start has a tenth of the size to which
   its rate would bring it in the time of the slowest motion. */
static void dynamic(dfl_solver *solver, const double *x, const dfl_point *start)
{
    const dfl_layout at = dfl_eom_layout(solver->eom);
    double *size = solver->sizes.size;
    size_of_values(solver, x, at.w, at.lambda);
    size_of_values(solver, x, at.r, at.v);
    for (int i = at.r; start && i < at.v; i++)
        if (size[i] == 0)
            size[i] = part * solver->sizes.rates[i] / solver->sizes.rate;
    for (int i = 0; i < at.v; i++)
        if (size[i] == 0 || !isfinite(size[i]))
            size[i] = 1;
}

/* The largest power of a force, free or of a constraint, at the velocities' sizes; at least a
   little of what would change these velocities in the time of the motion. */
static double largest_power(dfl_solver *solver, const double *l, const dfl_point *start)
{
    dfl_system *sys = &solver->sys;
    const double *V = solver->sizes.size + dfl_eom_layout(solver->eom).v;
    double *momentum = solver->x_event, power = 0;
    const bool known = solver->eom->sizes && !dfl_system_mass_product(momentum, sys, start, V);
    for (int j = 0; known && j < sys->n3; j++)
        power = fmax(power, little * fabs(momentum[j]) * V[j] * solver->sizes.rate);
    for (int j = 0; j < sys->n3; j++) {
        double force = fabs(start->dif[sys->n2 + j]);
        for (int k = 0, i; k < dfl_system_W_column(sys, j); k++) {
            const double w = dfl_system_W_entry(&i, sys, start->blocks.W, j, k);
            force += fabs(w * l[i]);
        }
        power = fmax(power, force * V[j]);
    }
    return power;
}

static void multipliers(dfl_solver *solver, const double *x, const dfl_point *start)
{
    const dfl_system *sys = &solver->sys;
    const dfl_layout at = dfl_eom_layout(solver->eom);
    const double *V = solver->sizes.size + at.v;
    double *size = solver->sizes.size + at.lambda;
    const double power = start ? largest_power(solver, x + at.lambda, start) : 0;
    for (int i = 0; i < sys->nc; i++)
        size[i] = 0;
    for (int j = 0; start && j < sys->n3; j++)
        for (int k = 0, i; k < dfl_system_W_column(sys, j); k++) {
            const double w = dfl_system_W_entry(&i, sys, start->blocks.W, j, k);
            size[i] += fabs(w) * V[j];
        }
    for (int i = 0; i < sys->nc; i++) {
        const double rate = size[i];
        const double least = power > unsure * rate && rate > 0 ? power / rate : 1;
        size[i] = solver->eom->sizes ? part * fmax(fabs(x[at.lambda + i]), least) : ordinary(least);
    }
}
