/* Right-hand sides for implicit integrators (see ode_form.h). */
#include "formulation/ode_form.h"
#include "formulation/projection.h"

#include <math.h>
#include <string.h>

static dfl_outcome evaluate(double *rate, dfl_ode_form *of, double t, const double *x);
static void set_dimensions(dfl_formulation *form);
static void set_constant_parts(dfl_formulation *form);
static dfl_outcome difference(dfl_formulation *form, const double *x, int index, int column);

dfl_status dfl_ode_form_init(dfl_formulation *form)
{
    dfl_system *sys = form->sys;
    dfl_context *ctx = sys->ctx;
    const size_t n = (size_t)sys->n, stages = (size_t)form->max_stages, d = sizeof(double);
    dfl_ode_form *of = form->ode = dfl_alloc(ctx, 1, sizeof *of);
    if (!of)
        return DFL_NO_MEMORY;
    of->rate = dfl_alloc(ctx, n, d);
    of->x = dfl_alloc(ctx, n, d);
    of->F = dfl_alloc(ctx, stages * (size_t)sys->mdif, d);
    of->X = dfl_alloc(ctx, stages * (size_t)(sys->n1 + sys->eom->ns), d);
    if (!of->rate || !of->x || !of->F || !of->X)
        return DFL_NO_MEMORY;
    dfl_status status = dfl_ode_init(&of->ode, sys, form->options);
    if (!status)
        status = dfl_point_init(&of->point, sys);
    return status ? status : dfl_projected_init(form);
}

void dfl_ode_form_free(dfl_ode_form *of, dfl_context *ctx)
{
    if (!of)
        return;
    dfl_ode_clear(&of->ode);
    dfl_point_clear(&of->point, ctx);
    dfl_free(ctx, of->rate);
    dfl_free(ctx, of->x);
    dfl_free(ctx, of->F);
    dfl_free(ctx, of->X);
    dfl_free(ctx, of);
}

void dfl_ode_form_bind(dfl_formulation *form)
{
    dfl_ode_bind(&form->ode->ode);
    dfl_point_bind(&form->ode->point, form->sys);
}

static dfl_outcome evaluate(double *rate, dfl_ode_form *of, double t, const double *x)
{
    memcpy(of->point.x, x, (size_t)of->ode.sys->n * sizeof *x);
    of->point.t = t;
    return dfl_ode_rates(rate, &of->ode, &of->point);
}

/* The state's part of a vector that is laid out as x: (r, v, p). */
static void pack(double *y, const dfl_system *sys, const double *x)
{
    const size_t rv = (size_t)(sys->n2 + sys->n3);
    memcpy(y, x + sys->off_r, rv * sizeof *y);
    memcpy(y + rv, x + sys->off_p, (size_t)sys->eom->np * sizeof *y);
}

dfl_outcome dfl_ode_form_linearize(dfl_formulation *form, double t, const double *x,
                                   const double *a, bool update)
{
    dfl_system *sys = form->sys;
    dfl_ode_form *of = form->ode;
    const long before = sys->stats->evaluations;
    (void)a, (void)update;
    sys->stats->jacobians++;
    sys->stats->algebraic_decompositions++;
    dfl_outcome outcome = evaluate(of->rate, of, t, x);
    if (outcome)
        return outcome;
    memcpy(of->x, of->point.x, (size_t)sys->n * sizeof *x);
    if (!dfl_split_velocity(form, of->point.blocks.W, sys->nc, form->rank2, NULL) &&
        form->defect == 0)
        return dfl_system_part_trouble(sys, DFL_STEP_RANK, DFL_FAILURE_VELOCITY, t);
    set_dimensions(form);
    set_constant_parts(form);
    int column = 0;
    for (int i = sys->off_r; !outcome && i < sys->n; i++)
        if (i < sys->off_sp || i >= sys->off_p)
            outcome = difference(form, x, i, column++);
    sys->stats->difference_evaluations += sys->stats->evaluations - before;
    sys->stats->evaluations = before;
    return outcome;
}

static void set_dimensions(dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    form->ma = sys->n1 + sys->eom->ns;
    form->nd = sys->mdif;
    form->K = form->ma + form->nd;
    form->nfp = sys->eom->np;
    form->nsv = form->nfv = sys->n3;
    form->sv_identity = true;
}

/* Unit entries: the rows of X are solved for their own unknowns, S and SM are identities. */
static void set_constant_parts(dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    const int n = sys->n, nd = form->nd, ma = form->ma, np = sys->eom->np;
    const size_t K = (size_t)form->K;
    memset(form->CB, 0, (size_t)n * K * sizeof(double));
    memset(form->SM, 0, (size_t)nd * K * sizeof(double));
    memset(form->SJ, 0, (size_t)nd * K * sizeof(double));
    memset(form->Sp, 0, (size_t)(np * np) * sizeof(double));
    for (int i = 0; i < np; i++)
        form->Sp[i * np + i] = 1;
    for (int i = 0; i < ma; i++)
        form->CB[i * n + (i < sys->n1 ? i : sys->off_sp + i - sys->n1)] = 1;
    for (int i = 0; i < nd; i++) {
        const int index =
            i < sys->n2 + sys->n3 ? sys->off_r + i : sys->off_p + i - sys->n2 - sys->n3;
        form->CB[(ma + i) * n + index] = 1;
        form->SM[(ma + i) * nd + i] = 1;
    }
}

/* Column of SJ and CB: derivatives of F and X with respect to entry `index` of x. */
static dfl_outcome difference(dfl_formulation *form, const double *x, int index, int column)
{
    dfl_system *sys = form->sys;
    dfl_ode_form *of = form->ode;
    const int n = sys->n, ns = sys->eom->ns;
    const double delta = dfl_difference_increment(sys->rounding, x[index], 1e-5);
    double *rate = form->work, *CB = form->CB + (form->ma + column) * n;
    memcpy(of->point.x, of->x, (size_t)sys->n1 * sizeof *x);
    memcpy(of->point.x + sys->n1, x + sys->n1, (size_t)(n - sys->n1) * sizeof *x);
    of->point.x[index] += delta;
    dfl_outcome outcome = dfl_ode_rates(rate, &of->ode, &of->point);
    if (outcome)
        return outcome;
    for (int i = 0; i < n; i++)
        rate[i] = (rate[i] - of->rate[i]) / delta;
    pack(form->SJ + (form->ma + column) * form->nd, sys, rate);
    for (int i = 0; i < sys->n1; i++)
        CB[i] = (of->point.x[i] - of->x[i]) / delta;
    for (int i = sys->off_sp; i < sys->off_sp + ns; i++)
        CB[i] = (of->point.x[i] - of->x[i]) / delta;
    return DFL_STEP_OK;
}

/* Right-hand side and dependent unknowns of stage k: F (mdif) and X - x (ma). */
static dfl_outcome evaluate_stage(dfl_formulation *form, const dfl_point *point, int k)
{
    dfl_system *sys = form->sys;
    dfl_ode_form *of = form->ode;
    double *dependent = of->X + k * form->ma, *rate = form->work;
    dfl_outcome outcome = evaluate(rate, of, point->t, point->x);
    if (outcome)
        return outcome;
    pack(of->F + k * sys->mdif, sys, rate);
    for (int i = 0; i < form->ma; i++) {
        const int index = i < sys->n1 ? i : sys->off_sp + i - sys->n1;
        dependent[i] = of->point.x[index] - point->x[index];
    }
    return DFL_STEP_OK;
}

/* rho: F - y', transformed over the stages. */
static void gather_rates(dfl_formulation *form, int count, const double *transform,
                         const double *yp)
{
    const dfl_system *sys = form->sys;
    const int rv = sys->n2 + sys->n3, width = form->width;
    const double *F = form->ode->F;
    dfl_lanes_gather(form->rho, count, transform, rv, F, sys->mdif, yp + sys->off_r * width, NULL);
    dfl_lanes_gather(form->rho + rv * width, count, transform, sys->eom->np, F + rv, sys->mdif,
                     yp + sys->off_p * width, NULL);
}

dfl_outcome dfl_ode_form_residual(double *rows, dfl_formulation *form, const dfl_point *points,
                                  int count, const double *transform, const double *yp,
                                  const double *xp)
{
    (void)xp;
    for (int k = 0; k < count; k++) {
        dfl_outcome outcome = evaluate_stage(form, &points[k], k);
        if (outcome)
            return outcome;
    }
    dfl_lanes_gather(rows, count, transform, form->ma, form->ode->X, form->ma, NULL, NULL);
    gather_rates(form, count, transform, yp);
    return DFL_STEP_OK;
}

dfl_outcome dfl_ode_form_mixed(double *rows, dfl_formulation *form, const dfl_point *differential,
                               const dfl_point *algebraic, double weight, const double *yp,
                               const double *xp)
{
    const double weighted[DFL_LANES] = {weight}, once[DFL_LANES] = {1};
    (void)xp;
    dfl_outcome outcome = evaluate_stage(form, differential, 0);
    if (outcome)
        return outcome;
    gather_rates(form, 1, weighted, yp);
    outcome = evaluate_stage(form, algebraic, 0);
    if (!outcome)
        dfl_lanes_gather(rows, 1, once, form->ma, form->ode->X, 0, NULL, NULL);
    return outcome;
}

dfl_outcome dfl_ode_form_defect(double *err, dfl_formulation *form, const dfl_point *point,
                                const double *y)
{
    dfl_system *sys = form->sys;
    double *d = form->u, *rate = form->work;
    dfl_outcome outcome = evaluate(rate, form->ode, point->t, point->x);
    if (outcome)
        return outcome;
    for (int i = 0; i < sys->n; i++)
        rate[i] += y[i];
    pack(d, sys, rate);
    dfl_shifted_solve_real(form->E, d);
    dfl_gemm(sys->n, 1, form->nd, 1, form->CB + (size_t)form->ma * (size_t)sys->n, sys->n, d,
             form->nd, 0, err, sys->n);
    return DFL_STEP_OK;
}
