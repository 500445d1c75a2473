/* Scaled norms.

   Tolerances are transformed before everything else: with s stages the error estimate has order s,
   the solution order 2s - 1. With q = atol/rtol the tests use atol' = q rtol' and RADAU5's and
   RADAU's rtol' = 0.1 rtol^((s+1)/(2s)) for order 5, so that local errors follow rtol; the
   automatic order, 9 and 13 use a power with which global errors follow rtol. The root mean square
   over all unknowns dilutes a local event by the square root of the size; the norm by bodies takes
   the largest root mean square of one body (or single other row). */
#include "integrate/norm.h"
#include "linalg/linalg.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What is taken as rounding of multipliers, in units of the last place of the largest: at first,
   and at most, 1e-8, if Newton's iteration shows that it is more. */
static const double least_noise = 1e3, most_noise = 1e-8 / DBL_EPSILON;

static double transformed(double rtol, int stages, bool global);
static double default_newton_tolerance(double rtol, int stages);
static void make_groups(dfl_scale *scale);
static void scale_index(dfl_scale *scale, int index, double h, int first, int last);
static void allow_for_rounding(dfl_scale *scale, const double *x, int first, int last);

dfl_status dfl_scale_init(dfl_scale *scale, const dfl_system *sys,
                          const dfl_solver_options *options)
{
    const size_t n = (size_t)sys->n, nu = (size_t)sys->nu, d = sizeof(double);
    memset(scale, 0, sizeof *scale);
    scale->sys = sys;
    scale->options = options;
    scale->weakest = 1;
    scale->rtol = dfl_alloc(sys->ctx, nu, d);
    scale->loose = dfl_alloc(sys->ctx, nu, d);
    scale->weight = dfl_alloc(sys->ctx, n, d);
    scale->newton_weight = dfl_alloc(sys->ctx, n, d);
    scale->group = dfl_alloc(sys->ctx, n, sizeof(int));
    /* bodies without unknowns, such as the ground, are groups too */
    const dfl_structure *st = sys->eom->structure;
    const size_t groups = n + (st ? (size_t)st->nbodies : 0);
    scale->sum = dfl_alloc(sys->ctx, groups, d);
    scale->size = dfl_alloc(sys->ctx, groups, d);
    return scale->rtol && scale->loose && scale->weight && scale->newton_weight && scale->group &&
                   scale->sum && scale->size
               ? DFL_OK
               : DFL_NO_MEMORY;
}

static void set_share(dfl_scale *scale, int stages)
{
    const int nu = scale->sys->nu;
    scale->share = nu > 0 ? 1.0 / (stages * nu) : 1;
}

void dfl_scale_stages(dfl_scale *scale, int stages)
{
    const dfl_solver_options *options = scale->options;
    const bool global = (options->order == 0 || options->order > 5) && options->step.fixed == 0;
    double smallest_local = 1;
    set_share(scale, stages);
    scale->smallest_rtol = 1;
    scale->loosened = 0;
    for (int i = 0; i < scale->sys->nu; i++) {
        const double rtol = options->error.rtol_each ? options->error.rtol_each[i] : options->rtol;
        scale->rtol[i] = transformed(rtol, stages, global);
        scale->loose[i] = scale->rtol[i] / rtol;
        scale->smallest_rtol = fmin(scale->smallest_rtol, scale->rtol[i]);
        scale->loosened = fmax(scale->loosened, scale->loose[i]);
        smallest_local = fmin(smallest_local, transformed(rtol, stages, false));
    }
    scale->newton_tolerance = options->newton.tolerance;
    if (scale->newton_tolerance == 0) {
        /* Increments are as large as RADAU's tolerance allows: smaller ones do not reduce errors,
           except those of velocities of index 2, which divide increments by h. */
        const bool same = scale->sys->requirements.index_v < 2;
        const double rtol = same ? smallest_local : scale->smallest_rtol;
        const double wanted = default_newton_tolerance(rtol, stages) * rtol / scale->smallest_rtol;
        scale->newton_tolerance = fmin(0.03, wanted);
    }
}

/* rtol' for an estimate of order h^(s+1). Local errors, of order h^(2s), are in proportion to rtol
   if rtol' is proportional to rtol^((s+1)/(2s)); then global errors, h^(2s-1), fall by 68 (s = 3:
   46) when rtol falls by 100. `global`: global errors should fall by 100, too, starting from the
   same rtol' at rtol = 0.01. */
static double transformed(double rtol, int stages, bool global)
{
    const double start = 0.01, local = (stages + 1) / (2.0 * stages);
    if (!global)
        return 0.1 * pow(rtol, local);
    return 0.1 * pow(start, local) * pow(rtol / start, (stages + 1) / (2.0 * stages - 1));
}

void dfl_scale_plain(dfl_scale *scale, double newton_tolerance)
{
    const dfl_solver_options *options = scale->options;
    set_share(scale, 1);
    scale->smallest_rtol = 1;
    for (int i = 0; i < scale->sys->nu; i++) {
        scale->rtol[i] = options->error.rtol_each ? options->error.rtol_each[i] : options->rtol;
        scale->loose[i] = 1;
        scale->smallest_rtol = fmin(scale->smallest_rtol, scale->rtol[i]);
    }
    scale->differential = true;
    scale->newton_tolerance =
        options->newton.tolerance > 0 ? options->newton.tolerance : newton_tolerance;
}

/* 0.5 min(0.03, rtol'^((s-1)/(s+1))), which requires increments in proportion to rtol, as in RADAU,
   but not below the size that still reduces errors, and not below rounding. With more than three
   stages a fifth of it: then increments of Z are measured, which are smaller than those of W. */
static double default_newton_tolerance(double rtol, int stages)
{
    const double lowest = stages <= 3 ? 1e-3 : stages == 5 ? 1e-5 : 1e-6;
    const double factor = stages <= 3 ? 0.5 : 0.1;
    const double wanted = factor * fmin(0.03, pow(rtol, (stages - 1.0) / (stages + 1.0)));
    return fmax(1e-15 / rtol, fmax(lowest, wanted));
}

void dfl_scale_clear(dfl_scale *scale)
{
    if (!scale->sys)
        return;
    dfl_context *ctx = scale->sys->ctx;
    dfl_free(ctx, scale->rtol);
    dfl_free(ctx, scale->loose);
    dfl_free(ctx, scale->weight);
    dfl_free(ctx, scale->newton_weight);
    dfl_free(ctx, scale->group);
    dfl_free(ctx, scale->sum);
    dfl_free(ctx, scale->size);
}

void dfl_scale_bind(dfl_scale *scale)
{
    scale->noise = least_noise;
    memset(scale->weight, 0, (size_t)scale->sys->n * sizeof(double));
    memset(scale->newton_weight, 0, (size_t)scale->sys->n * sizeof(double));
    if (scale->options->error.norm == DFL_NORM_BODY)
        make_groups(scale);
}

/* One group per body with its velocities and positions, one per other unknown. */
static void make_groups(dfl_scale *scale)
{
    const dfl_system *sys = scale->sys;
    const dfl_structure *st = sys->eom->structure;
    for (int i = 0; i < sys->n; i++)
        scale->group[i] = -1;
    for (int b = 0; b < st->nbodies; b++) {
        const dfl_body *body = &st->bodies[b];
        for (int i = 0; i < body->nv; i++)
            scale->group[sys->at.v + body->first_v + i] = b;
        for (int i = 0; i < body->np; i++)
            scale->group[sys->at.p + body->first_p + i] = b;
    }
    scale->ngroups = st->nbodies;
    memset(scale->size, 0, (size_t)(sys->n + st->nbodies) * sizeof(double));
    for (int i = sys->na; i < sys->n; i++) {
        if (scale->group[i] < 0)
            scale->group[i] = scale->ngroups++;
        scale->size[scale->group[i]] += 1;
    }
    for (int i = 0; i < sys->na;
         i++) /* accelerations with their velocities; slacks weigh nothing */
        scale->group[i] = i < sys->n3 ? scale->group[sys->at.v + i] : 0;
}

void dfl_scale_set(dfl_scale *scale, const double *x, double h)
{
    const dfl_system *sys = scale->sys;
    const int na = sys->na, first = sys->at.l, last = sys->at.l + sys->nc;
    const double *each = scale->options->error.atol_each; /* they may have grown */
    for (int i = 0; i < sys->nu; i++) {
        const double atol = scale->loose[i] * (each ? each[i] : scale->options->atol);
        const double weight = 1 / (atol + scale->rtol[i] * fabs(x[na + i]));
        scale->weight[na + i] = scale->newton_weight[na + i] = weight;
    }
    /* Carried accelerations, which perhaps no other row determines, are measured by what they do to
       v in a step. Without a weight they would drift from one prediction to the next and spoil the
       matrix. */
    for (int i = 0; sys->leading_a && i < sys->n3; i++)
        scale->newton_weight[i] = fabs(h) * scale->weight[sys->at.v + i];
    const dfl_requirements *requirements = &sys->requirements;
    scale_index(scale, requirements->index_w, h, na, first);
    scale_index(scale, requirements->index_l, h, first, last);
    scale_index(scale, requirements->index_v, h, sys->at.v, sys->at.v + sys->n3);
    if (scale->options->newton.multiplier_weight != 1)
        for (int i = first; i < last; i++)
            scale->newton_weight[i] *= scale->options->newton.multiplier_weight;
    allow_for_rounding(scale, x, first, last);
}

/* Errors of unknowns of index 2 and 3 are multiplied by h and h^2, as in RADAU5 (Hairer, Lubich,
   Roche 1989), but by at most 1: with small units of time, and steps of a million units, errors
   would need more digits than doubles have. */
static void scale_index(dfl_scale *scale, int index, double h, int first, int last)
{
    const double step = fmin(1, fabs(h)), factor = index == 3 ? step * step : step;
    for (int i = first; index > 1 && i < last; i++)
        scale->newton_weight[i] = scale->weight[i] *= factor;
}

/* Multipliers come from balances of forces that nearly cancel: none is known better than some
   digits above the rounding of the largest. Near a singular position they are known less: rounding
   in g is divided by the smallest singular value of W once for positions, again for the velocities
   that follow from them, for accelerations and for multipliers. Newton's iteration must not require
   more, whatever the tolerance of a multiplier that happens to be small; `known` of the largest
   one is always required. Where terms are larger or motions faster than that presumes, iterations
   that stagnate show it (dfl_scale_stagnates). */
static void allow_for_rounding(dfl_scale *scale, const double *x, int first, int last)
{
    const double known = 1e-3, weak = scale->weakest * scale->weakest;
    double largest = 0;
    for (int i = first; i < last; i++)
        largest = fmax(largest, fabs(x[i]));
    const double part = fmin(known, DBL_EPSILON * fmax(scale->noise, 1 / (weak * weak)));
    const double floor = part * largest / scale->newton_tolerance;
    for (int i = first; i < last; i++)
        scale->newton_weight[i] /= 1 + floor * scale->newton_weight[i];
}

void dfl_scale_stagnates(dfl_scale *scale)
{
    scale->noise = fmin(most_noise, 4 * scale->noise);
}

void dfl_scale_converges(dfl_scale *scale)
{
    scale->noise = fmax(least_noise, 0.99 * scale->noise);
}

/* The largest mean square of a group, from squares added up over `stages` lanes; NaN, if one is. */
static double largest_group(const dfl_scale *scale, int stages)
{
    double largest = 0;
    for (int g = 0; g < scale->ngroups; g++)
        if (scale->size[g] > 0) {
            const double mean = scale->sum[g] / (scale->size[g] * stages);
            largest = mean > largest || isnan(mean) ? mean : largest;
        }
    return largest;
}

/* Squares of z from `first` to `last` - 1, added up per group or, without groups, returned. */
static double add_squares(dfl_scale *scale, const double *z, int first, int last)
{
    double sum = 0;
    if (scale->options->error.norm == DFL_NORM_BODY)
        for (int i = first; i < last; i++)
            scale->sum[scale->group[i]] += z[i] * z[i] * scale->weight[i] * scale->weight[i];
    else
        for (int i = first; i < last; i++) {
            const double q = z[i] * scale->weight[i];
            sum += q * q;
        }
    return sum;
}

static void clear_groups(dfl_scale *scale)
{
    if (scale->options->error.norm == DFL_NORM_BODY)
        memset(scale->sum, 0, (size_t)scale->ngroups * sizeof(double));
}

/* The norm of `size` components (perhaps 0) from the sum of their squares, or from the groups. */
static double norm_from(const dfl_scale *scale, double sum, int size)
{
    return scale->options->error.norm == DFL_NORM_BODY ? sqrt(largest_group(scale, 1))
                                                       : sqrt(sum / fmax(1, size));
}

double dfl_scale_error(dfl_scale *scale, const double *z)
{
    const dfl_system *sys = scale->sys;
    if (scale->differential)
        return dfl_scale_moving(scale, z);
    clear_groups(scale);
    return norm_from(scale, add_squares(scale, z, sys->na, sys->n), sys->nu);
}

double dfl_scale_moving(dfl_scale *scale, const double *z)
{
    const dfl_system *sys = scale->sys;
    clear_groups(scale);
    const double sum =
        add_squares(scale, z, sys->at.r, sys->at.sp) + add_squares(scale, z, sys->at.p, sys->n);
    return norm_from(scale, sum, sys->mdif);
}

/* The largest mean square of a body's increments, and the squares of r, v, s, p. */
static double newton_by_bodies(dfl_scale *scale, const double *lanes, int stages)
{
    const int width = dfl_lanes_width(stages), n = scale->sys->n, first = scale->sys->at.r;
    const double *weight = scale->newton_weight;
    memset(scale->sum, 0, (size_t)scale->ngroups * sizeof(double));
    dfl_lanes_add_squares(scale->sum, scale->group, lanes, width, first, weight);
    scale->moving = dfl_lanes_add_squares(scale->sum, scale->group + first, lanes + first * width,
                                          width, n - first, weight + first);
    return largest_group(scale, stages);
}

static double moving_squares(const dfl_scale *scale, const double *lanes, int width)
{
    const dfl_system *sys = scale->sys;
    return dfl_lanes_squares(lanes + sys->at.r * width, width, sys->n - sys->at.r,
                             scale->newton_weight + sys->at.r);
}

double dfl_scale_newton(dfl_scale *scale, const double *lanes, int stages)
{
    if (scale->options->error.norm == DFL_NORM_BODY)
        return newton_by_bodies(scale, lanes, stages);
    const double squares =
        dfl_lanes_squares(lanes, dfl_lanes_width(stages), scale->sys->n, scale->newton_weight);
    return dfl_scale_newton_from(scale, squares, lanes, stages);
}

double dfl_scale_newton_parts(dfl_scale *scale, double squares, const double *lanes, int stages)
{
    if (scale->options->error.norm == DFL_NORM_BODY)
        return newton_by_bodies(scale, lanes, stages);
    if (scale->sys->carried)
        scale->moving = moving_squares(scale, lanes, dfl_lanes_width(stages));
    return squares * scale->share;
}
