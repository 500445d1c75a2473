/* increments.c: the increments of differences, so that units decide nothing. */
#include "eom/eom.h"

#include <math.h>

static void choose_least_of(dfl_rows_jacobian *jac, const dfl_system *sys, const double *x,
                            int first, int last);
static void choose_least_multipliers(dfl_rows_jacobian *jac, const dfl_system *sys);

/* As fmax and fmin, which would be calls, where a is a number. */
static inline double larger(double a, double b)
{
    return b > a ? b : a;
}

static inline double smaller(double a, double b)
{
    return b < a ? b : a;
}

/* sqrt(eps |x|) as in GEOMS and RADAU5, and sqrt(eps) |x| beyond 1, where the former is lost in the
   rounding of x. */
double dfl_difference_increment(double rounding, double x, double least)
{
    const double size = larger(least, fabs(x));
    return sqrt(rounding) * (size < 1 ? sqrt(size) : size);
}

/* Whether tolerances tell sizes: given ones do, and those that follow sizes which the model
   knows. */
static bool sizes_are_told(const dfl_system *sys)
{
    const dfl_solver_options *o = sys->options;
    return o && o->error.atol_each && (o->atol > 0 || sys->eom->sizes);
}

double dfl_system_told_size(const dfl_system *sys, int j)
{
    const dfl_solver_options *o = sys->options;
    if (!sizes_are_told(sys))
        return 1;
    return o->error.atol_each[j] / (o->error.rtol_each ? o->error.rtol_each[j] : o->rtol);
}

/* The least sizes for increments of unknowns: 1e-5. If other unknowns of the same kind are large,
   as in a system of astronomical size that starts on an axis, a zero says nothing about the size of
   the terms that it changes. If all are small, and their tolerances say so, less is enough. In the
   GEOMS contract, rows with forces of any size are linear in the multipliers. */
void dfl_increments_choose(dfl_rows_jacobian *jac, const dfl_system *sys, const double *x)
{
    const dfl_layout at = dfl_eom_layout(sys->eom);
    for (int j = 0; j < at.lambda; j++)
        choose_least_of(jac, sys, x, j, j + 1);
    choose_least_of(jac, sys, x, at.lambda, at.r);
    for (int j = at.lambda; sys->geoms && j < at.r; j++)
        jac->least[j] = larger(1, jac->least[j]);
    if (!sys->geoms)
        choose_least_multipliers(jac, sys);
    for (int j = at.r; j < at.v; j++)
        choose_least_of(jac, sys, x, j, j + 1);
    choose_least_of(jac, sys, x, at.v, at.s);
    choose_least_of(jac, sys, x, at.s, at.p);
    choose_least_of(jac, sys, x, at.p, at.n);
}

/* least[first .. last-1] of unknowns of one kind. */
static void choose_least_of(dfl_rows_jacobian *jac, const dfl_system *sys, const double *x,
                            int first, int last)
{
    const double small = jac->coarse ? 1 : 1e-5, part = jac->coarse ? 1e-3 : 1e-6;
    double largest = 0;
    for (int j = first; j < last; j++)
        largest = larger(largest, fabs(x[j]));
    for (int j = first; j < last; j++) {
        const double size = larger(1e-6, larger(largest, dfl_system_told_size(sys, j)));
        jac->least[j] = larger(small * (largest > 0 ? smaller(1, size) : 1), part * largest);
    }
}

/* The same for multipliers, each of which has its own unit: by the largest force that a tolerance
   implies. */
static void choose_least_multipliers(dfl_rows_jacobian *jac, const dfl_system *sys)
{
    const int nc = sys->nc, nv = sys->n3, first = sys->eom->nw;
    const double small = jac->coarse ? 1 : 1e-5;
    double force = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < nc; i++) {
            double length = 0;
            for (int k = 0; k < nv; k++)
                length = larger(length, fabs(jac->W[k * nc + i]));
            if (pass == 0)
                force = larger(force, length * dfl_system_told_size(sys, first + i));
            else {
                const double told = length > 0 && sizes_are_told(sys) ? force / length : 1;
                jac->least[first + i] = small * smaller(1, told);
            }
        }
}
