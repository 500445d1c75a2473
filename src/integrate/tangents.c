/* tangents.c: derivatives of a trajectory by parameters, step by step.

   The stages of Radau IIA satisfy F(X_i, X'_i, theta) = 0. Their derivatives satisfy the same
   equations, linearized at the stages, with the exact Jacobians of all stages (linear_step.h).
   Steps of BDF are in tangents_past.c. */
#include "integrate/tangents.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Estimates of derivatives may be this number of times as large as those of the state. Errors of
   derivatives at the end of 13 runs with three tolerances, relative to the largest one of a value,
   were at most 9.6 tolerances (with 1: 8.5, with 4: 14), and 92 without any control. */
static const double slack = 2;

static dfl_outcome complete_stage(dfl_point *stage, dfl_tangents *tan);
static dfl_outcome attempt_stages(double *err, dfl_tangents *tan, dfl_stepper *st, double h);
static dfl_outcome estimate(double *err, dfl_tangents *tan, dfl_radau *ra, int column);
static void keep_polynomial(dfl_tangents *tan, int column);

void dfl_tangents_control(dfl_tangents *tan, bool controlled)
{
    tan->uncontrolled = !controlled;
}

const double *dfl_tangents_values(const dfl_tangents *tan)
{
    return tan->Y;
}

const double *dfl_tangents_accelerations(const dfl_tangents *tan)
{
    return tan->A;
}

int dfl_tangents_count(const dfl_tangents *tan)
{
    return tan->count;
}

void dfl_tangents_keep(double *Y, double *A, dfl_tangents *tan, int k, int column)
{
    const size_t n = (size_t)tan->sys->n, nv = (size_t)tan->sys->n3;
    dfl_point *y = &tan->tangent[k];
    dfl_rates_tangent(y, &tan->jac[k], tan->sys, &tan->slopes[k], column);
    memcpy(Y + (size_t)column * n, y->x, n * sizeof *y->x);
    memcpy(A + (size_t)column * nv, y->a, nv * sizeof *y->a);
}

dfl_outcome dfl_tangents_linearize(dfl_point *stage, dfl_rows_jacobian *jac, dfl_jacobian *slopes,
                                   dfl_tangents *tan, dfl_jacobian_fn by, const double *rates)
{
    dfl_system *sys = tan->sys;
    dfl_outcome outcome = complete_stage(stage, tan);
    if (rates)
        memcpy(stage->a, rates, (size_t)sys->n3 * sizeof *rates);
    if (!outcome)
        outcome = dfl_system_jacobian(jac, sys, stage->t, stage->x, stage->a);
    if (outcome)
        return outcome;
    if (slopes)
        dfl_parameter_slopes_zero(slopes, sys, tan->count);
    if (!slopes || !by)
        return DFL_STEP_OK;
    const int rc = by(slopes, stage->t, stage->x + sys->na, stage->a, tan->parameters.user);
    return rc ? dfl_system_returned(sys, rc, "slopes", stage->t) : DFL_STEP_OK;
}

/* What the derivatives at a state need beside it: accelerations that are no unknowns, directions
   without mass, and multipliers of least norm, as those of accepted states: others of the same
   effect turn with the state differently. */
static dfl_outcome complete_stage(dfl_point *stage, dfl_tangents *tan)
{
    dfl_system *sys = tan->sys;
    if (sys->carried && sys->eom->n0 == 0 && dfl_formulation_redundant(tan->linear.twin) == 0) {
        memcpy(stage->a, stage->x, (size_t)sys->n3 * sizeof *stage->a);
        return DFL_STEP_OK;
    }
    const dfl_outcome outcome = dfl_system_eval_checked(sys, stage);
    return outcome ? outcome : dfl_formulation_least_multipliers(stage, tan->linear.twin);
}

const double *dfl_tangents_stage_rates(dfl_tangents *tan, const dfl_coefficients *rk, double h,
                                       const double *Z, int k)
{
    const dfl_system *sys = tan->sys;
    const int s = rk->stages, width = rk->width;
    if (!tan->linear.momenta)
        return NULL;
    for (int i = 0; i < sys->n3; i++) {
        const double *z = Z + (sys->at.v + i) * width;
        tan->err[i] = 0;
        for (int j = 0; j < s; j++)
            tan->err[i] += rk->AI[k * s + j] * z[j] / h;
    }
    return tan->err;
}

dfl_outcome dfl_tangents_linearize_stage(dfl_tangents *tan, int k, const double *rates)
{
    tan->tangent[k].t = tan->stage[k].t;
    return dfl_tangents_linearize(&tan->stage[k], &tan->jac[k], &tan->slopes[k], tan,
                                  tan->parameters.slopes, rates);
}

/* Linearizes at the stages x + Z of the step that begins at `x`. */
static dfl_outcome linearize_stages(dfl_tangents *tan, const dfl_radau *ra, const double *x,
                                    const double *Z)
{
    const dfl_coefficients *rk = tan->step.rk;
    const int n = tan->sys->n, width = rk->width;
    dfl_outcome outcome = DFL_STEP_OK;
    dfl_formulation_selection(tan->linear.selection, ra->base.form);
    dfl_formulation_select(tan->linear.twin, tan->linear.selection);
    for (int k = 0; !outcome && k < rk->stages; k++) {
        dfl_point *stage = &tan->stage[k];
        stage->t = tan->step.t + rk->c[k] * tan->step.h;
        for (int i = 0; i < n; i++)
            stage->x[i] = x[i] + Z[i * width + k];
        outcome = dfl_tangents_linearize_stage(
            tan, k, dfl_tangents_stage_rates(tan, rk, tan->step.h, Z, k));
    }
    dfl_formulation_selection(tan->linear.selection, ra->base.form);
    return outcome
               ? outcome
               : dfl_linear_step_build(&tan->linear, rk, tan->step.h, tan->stage, tan->jac, false);
}

dfl_outcome dfl_tangents_linearize_start(dfl_tangents *tan, const dfl_stepper *st)
{
    if (tan->start_known && tan->start.t == st->t)
        return DFL_STEP_OK;
    tan->start.t = st->t;
    memcpy(tan->start.x, st->here.x, (size_t)tan->sys->n * sizeof *st->here.x);
    const dfl_outcome outcome = dfl_tangents_linearize(
        &tan->start, &tan->start_jac, &tan->start_slopes, tan, tan->parameters.slopes, NULL);
    tan->start_known = !outcome;
    return outcome;
}

dfl_outcome dfl_tangents_attempt(double *err, dfl_tangents *tan, dfl_stepper *st, double h)
{
    *err = 0;
    return st->class->remembers ? dfl_tangents_past_attempt(tan, st, h)
                                : attempt_stages(err, tan, st, h);
}

static dfl_outcome attempt_stages(double *err, dfl_tangents *tan, dfl_stepper *st, double h)
{
    dfl_radau *ra = (dfl_radau *)st;
    tan->step.rk = ra->rk;
    tan->step.t = st->t;
    tan->step.h = h;
    dfl_outcome outcome = linearize_stages(tan, ra, st->here.x, ra->Z);
    const bool controlled = !tan->uncontrolled && st->options->step.fixed == 0;
    if (!outcome && controlled)
        outcome = dfl_tangents_linearize_start(tan, st);
    if (!outcome)
        dfl_tangents_follow(tan, tan->Y);
    for (int j = 0; !outcome && controlled && j < tan->count; j++) {
        double one = 0;
        outcome = estimate(&one, tan, ra, j);
        *err = fmax(*err, one);
    }
    return outcome;
}

/* The derivatives of the step that was accepted last, if they are not those of the last attempt:
   one that was to end earlier, and failed. */
static dfl_outcome follow_again(dfl_tangents *tan, const dfl_radau *ra)
{
    const dfl_stepper *st = &ra->base;
    const int n = tan->sys->n, last = ra->rk_cont->stages - 1, width = ra->rk_cont->width;
    tan->step.rk = ra->rk_cont;
    tan->step.h = st->h_old;
    tan->step.t = ra->t_end - st->h_old;
    for (int i = 0; i < n; i++)
        tan->y[i] = ra->x_end[i] - ra->cont[i * width + last];
    const dfl_outcome outcome = linearize_stages(tan, ra, tan->y, ra->cont);
    if (!outcome)
        dfl_tangents_follow(tan, tan->Y);
    return outcome;
}

void dfl_tangents_undo(dfl_tangents *tan)
{
    memcpy(tan->Y, tan->Y_old, (size_t)tan->sys->n * (size_t)tan->count * sizeof *tan->Y);
    tan->step.h = 0;
    tan->start_known = false;
}

/* The next step begins where the last stage is: its derivatives serve there. */
static void begin_at_last_stage(dfl_tangents *tan, double t)
{
    const int last = tan->step.rk->stages - 1;
    const dfl_rows_jacobian jac = tan->start_jac;
    const dfl_jacobian slopes = tan->start_slopes;
    tan->start_jac = tan->jac[last];
    tan->start_slopes = tan->slopes[last];
    tan->jac[last] = jac;
    tan->slopes[last] = slopes;
    tan->start.t = t;
    tan->start_known = true;
}

/* At a time t inside the step. */
static void interpolate(dfl_tangents *tan, double t)
{
    const size_t n = (size_t)tan->sys->n;
    double l[DFL_RADAU_STAGES];
    dfl_coefficients_basis(l, tan->step.rk, (t - tan->step.t) / tan->step.h);
    for (size_t j = 0; j < (size_t)tan->count; j++) {
        dfl_lanes_combine(tan->y, tan->step.rk->stages, l, (int)n,
                          tan->polynomial + j * n * (size_t)tan->step.rk->width);
        for (size_t i = 0; i < n; i++)
            tan->Y[j * n + i] += tan->y[i];
    }
}

/* Whether the derivatives of the last attempt are those of the step that was accepted. */
static bool are_accepted(const dfl_tangents *tan, const dfl_radau *ra)
{
    const double h = ra->base.h_old;
    return tan->step.h == h && fabs(tan->step.t + h - ra->t_end) <= 1e-9 * fabs(h);
}

dfl_outcome dfl_tangents_accept(dfl_tangents *tan, dfl_stepper *st, double t)
{
    const size_t n = (size_t)tan->sys->n, nv = (size_t)tan->sys->n3, count = (size_t)tan->count;
    const bool remembers = st->class->remembers;
    if (!remembers && !are_accepted(tan, (const dfl_radau *)st)) {
        const dfl_outcome outcome = follow_again(tan, (const dfl_radau *)st);
        if (outcome)
            return outcome;
    }
    memcpy(tan->Y_old, tan->Y, n * count * sizeof *tan->Y);
    tan->start_known = false;
    if (remembers)
        dfl_tangents_past_accept(tan, st, t);
    else if (t != st->t)
        interpolate(tan, t);
    if (t != st->t)
        return DFL_STEP_OK;
    memcpy(tan->Y, tan->next, n * count * sizeof *tan->Y);
    memcpy(tan->A, tan->next_A, nv * count * sizeof *tan->A);
    begin_at_last_stage(tan, t);
    return DFL_STEP_OK;
}

/* The largest |x| over all lanes of components from .. to - 1. */
static double largest(const double *lanes, int width, int from, int to)
{
    return to > from ? dfl_max_abs(lanes + from * width, (to - from) * width) : 0;
}

/* Kinds of unknowns: [a sigma w], [l m], r, v, [s p]. */
enum { KINDS = 5 };

/* The borders of the kinds of unknowns. */
static void list_borders(int *border, const dfl_system *sys)
{
    const int list[KINDS + 1] = {0, sys->at.l, sys->at.r, sys->at.v, sys->at.sp, sys->n};
    memcpy(border, list, sizeof list);
}

/* The largest derivative of a kind, with the increments Z over the step. */
static double size_of_kind(const dfl_tangents *tan, const double *Z, int column, int from, int to)
{
    const double *y = tan->Y + (size_t)column * (size_t)tan->sys->n;
    return to > from
               ? fmax(largest(Z, tan->step.rk->width, from, to), dfl_max_abs(y + from, to - from))
               : 0;
}

/* An error of derivative i may be a part of the derivatives of its kind, whose largest is `kind`;
   or what changes the state by its tolerance, when the parameter changes by its size; or rounding.
 */
double dfl_tangents_error_size(const dfl_tangents *tan, const dfl_stepper *st, int column,
                               const double *error)
{
    const dfl_scale *scale = st->scale;
    const size_t n = (size_t)tan->sys->n, before = (size_t)column * n;
    const double *Z = tan->polynomial + before * (size_t)tan->step.rk->width;
    const double size = tan->parameters.size ? fmax(1, fabs(tan->parameters.size[column])) : 1;
    const double rounding = 4 * DBL_EPSILON * dfl_max_abs(tan->Y + before, tan->sys->n);
    int border[KINDS + 1], count = 0;
    double sum = 0;
    list_borders(border, tan->sys);
    for (int k = 2; k < KINDS; k++) {
        const double kind = size_of_kind(tan, Z, column, border[k], border[k + 1]);
        for (int i = border[k]; i < border[k + 1]; i++, count++) {
            const double state = scale->weight[i] > 0 ? 1 / (scale->weight[i] * size) : 0;
            const double part =
                error[i] / (scale->rtol[i - tan->sys->na] * kind + state + rounding);
            sum += error[i] == 0 ? 0 : part * part;
        }
    }
    return count > 0 ? sqrt(sum / count) : 0;
}

/* The error of the derivatives at the end of the step, as the method estimates that of the state;
   1: the tolerance. */
static dfl_outcome estimate(double *err, dfl_tangents *tan, dfl_radau *ra, int column)
{
    const dfl_system *sys = tan->sys;
    const dfl_coefficients *rk = tan->step.rk;
    const int n = sys->n;
    const double *Z = tan->polynomial + (size_t)column * (size_t)n * (size_t)rk->width;
    dfl_point *begin = &tan->tangent[0];
    begin->t = tan->step.t;
    memcpy(begin->x, tan->Y + (size_t)column * (size_t)n, (size_t)n * sizeof *begin->x);
    if (!sys->mass.constant)
        memcpy(begin->M, tan->start_jac.M, dfl_system_mass_entries(sys) * sizeof *begin->M);
    dfl_rates_tangent(begin, &tan->start_jac, sys, &tan->start_slopes, column);
    dfl_lanes_combine(tan->y, rk->stages, rk->e, n, Z);
    for (int i = 0; i < n; i++)
        tan->y[i] /= tan->step.h;
    const dfl_outcome outcome = dfl_formulation_defect(tan->err, ra->base.form, begin, tan->y);
    if (!outcome)
        *err = dfl_tangents_error_size(tan, &ra->base, column, tan->err) / slack;
    return outcome;
}

void dfl_tangents_follow(dfl_tangents *tan, const double *from)
{
    const int stages = tan->step.rk->stages, n = tan->sys->n, last = stages - 1;
    for (int k = 0; k < stages; k++)
        dfl_linear_step_load(&tan->linear, k, &tan->jac[k], &tan->slopes[k], tan->level,
                             tan->count);
    dfl_linear_step_solve(&tan->linear, from, tan->count);
    for (int j = 0; j < tan->count; j++) {
        keep_polynomial(tan, j);
        memcpy(tan->tangent[last].x, dfl_linear_step_values(&tan->linear, last) + j * n,
               (size_t)n * sizeof *from);
        dfl_tangents_keep(tan->next, tan->next_A, tan, last, j);
    }
}

/* The increments of the stages, in lanes. */
static void keep_polynomial(dfl_tangents *tan, int column)
{
    const dfl_coefficients *rk = tan->step.rk;
    const int n = tan->sys->n, width = rk->width;
    const double *y = tan->Y + (size_t)column * (size_t)n;
    double *Z = tan->polynomial + (size_t)column * (size_t)(n * width);
    memset(Z, 0, (size_t)(n * width) * sizeof *Z);
    for (int k = 0; k < rk->stages; k++) {
        const double *x = dfl_linear_step_values(&tan->linear, k) + column * n;
        for (int i = 0; i < n; i++)
            Z[i * width + k] = x[i] - y[i];
    }
}
