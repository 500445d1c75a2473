/* norm.h: the scaled norms of the error test and of Newton's iteration. */
#ifndef DFL_NORM_H
#define DFL_NORM_H

#include "eom/eom.h"

typedef struct dfl_scale {
    const dfl_system *sys;
    const dfl_solver_options *options;
    double *rtol;          /* nu: transformed relative tolerances, ... */
    double *loose;         /* ... in units of the given ones; atol is multiplied by it as well */
    double *weight;        /* n: 1/(atol + rtol |x|); 0 for carried accelerations */
    double *newton_weight; /* n: the same with the weight of multipliers */
    double newton_tolerance, smallest_rtol;
    double loosened;    /* the largest transformed rtol, in units of the given one */
    int *group;         /* n: group of each component, for the norm by bodies */
    double *sum, *size; /* per group */
    int ngroups;
    double share;      /* of a lane's component in a mean over all of them */
    double moving;     /* with carried a: sum of squares of r, v, s, p in the last Newton norm */
    double weakest;    /* the smallest over the largest singular value of the constraints */
    double noise;      /* rounding of multipliers, in units of the last place of the largest */
    bool differential; /* the error norm contains r, v, p only */
} dfl_scale;

/* `options` are resolved: rtol > 0, atol > 0. */
dfl_status dfl_scale_init(dfl_scale *scale, const dfl_system *sys,
                          const dfl_solver_options *options);
void dfl_scale_bind(dfl_scale *scale);
void dfl_scale_clear(dfl_scale *scale);

/* Transforms the tolerances for a method with this number of stages. */
void dfl_scale_stages(dfl_scale *scale, int stages);

/* Takes tolerances as they are and errors of r, v and p alone: for multistep methods, whose
   estimate has the order of the method. Algebraic unknowns follow from r, v and p. */
void dfl_scale_plain(dfl_scale *scale, double newton_tolerance);

/* Sets the weights from x (n) and, for unknowns of index 2 and 3, the step size. */
void dfl_scale_set(dfl_scale *scale, const double *x, double h);

/* Newton's iteration neither converges nor diverges: what is left may be rounding of the
   multipliers, and a little more of it is allowed, up to 1e-8 of the largest. It converges: a
   little less. */
void dfl_scale_stagnates(dfl_scale *scale);
void dfl_scale_converges(dfl_scale *scale);

/* Norm of a vector, and of its r, v and p alone. */
double dfl_scale_error(dfl_scale *scale, const double *z);
double dfl_scale_moving(dfl_scale *scale, const double *z);

/* The square of the norm of lanes with `stages` of them in use (the others zero). _parts: with
   separate sums for bodies, or for the unknowns other than carried accelerations. */
double dfl_scale_newton(dfl_scale *scale, const double *lanes, int stages);
double dfl_scale_newton_parts(dfl_scale *scale, double squares, const double *lanes, int stages);

/* The same if the sum of squares over all lanes, each times its newton_weight, is known. Inline,
   since it is part of every iteration. */
static inline double dfl_scale_newton_from(dfl_scale *scale, double squares, const double *lanes,
                                           int stages)
{
    if (scale->sys->carried || scale->options->error.norm == DFL_NORM_BODY)
        return dfl_scale_newton_parts(scale, squares, lanes, stages);
    return squares * scale->share;
}

#endif
