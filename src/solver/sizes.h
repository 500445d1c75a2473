/* sizes.h: what sizes.c and ways.c share: kinds of unknowns, and what the start tells of them. */
#ifndef DFL_SOLVER_SIZES_H
#define DFL_SOLVER_SIZES_H

#include "solver/solver_internal.h"

#include <math.h>

static const double part = 0.1;      /* of a velocity's kind, and of an unknown's largest value */
static const double nothing = 1e-12; /* values below it may be rounding, ... */
static const double unsure = 1e-10;  /* ... below this only those that a start was completed with */

/* Numbers of kinds, and one more for unknowns without. */
static inline int places(const dfl_solver *solver)
{
    return solver->sys.nu + 2;
}

static inline int kind_of(const dfl_solver *solver, int i)
{
    const dfl_sizes *known = solver->eom->sizes;
    return known ? known->kind[i] : DFL_NO_KIND;
}

/* The place of the kind of velocity j among kinds; those without kind share the last one. */
static inline int place_of(const dfl_solver *solver, int j)
{
    const int kind = kind_of(solver, dfl_eom_layout(solver->eom).v + j);
    return kind < 0 ? places(solver) - 1 : kind;
}

/* Of an unknown with a kind: what the model knows, and the largest value at the start. */
static inline double size_of_kind(const dfl_solver *solver, int i)
{
    const int kind = kind_of(solver, i);
    return fmax(solver->eom->sizes->size[i], kind > 0 ? solver->sizes.level[kind] : 0);
}

/* |x_i|, unless it may be rounding that completing the start has left. */
static inline double value_of(const dfl_solver *solver, const double *x, int i)
{
    return fabs(x[i]) > (solver->sizes.given[i] != 0 ? nothing : unsure) ? fabs(x[i]) : 0;
}

static inline double duration_of(const dfl_solver *solver)
{
    return solver->options.error.duration;
}

/* sizes.rates: |v'| and |r'| at the start; of kinds of which nothing is known, those of later times
   of the run as well. */
dfl_status dfl_sizes_take_rates(dfl_solver *solver, const dfl_point *start);

/* way[place_of]: how far each kind moves until it turns, or a part of its way in the run. `a` (nv):
   |v'|, or NULL. */
void dfl_sizes_find_ways(double *way, dfl_solver *solver, const double *x, const double *a);

#endif
