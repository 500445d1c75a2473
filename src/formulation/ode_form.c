/* Right-hand sides as a formulation:

       0 = F(t, y) - y',     0 = X(t, y) - (a, sigma, w, l, m, s)      with y = (r, v, p)

   For implicit integrators the first part of Newton's system (reduced.h) is dx = CB [rows; u] with
   the derivative of X in CB, and E = zeta I - F_y. Both derivatives are differences. Explicit
   integrators use the right-hand side alone. */
#include "formulation/chart.h"
#include "formulation/ode_internal.h"

#include <math.h>
#include <string.h>

typedef struct dfl_ode_form {
    dfl_formulation base;
    dfl_dense dense;
    dfl_reduced newton;
    dfl_ode ode;
    dfl_point point;  /* where right-hand sides are evaluated */
    double *rate, *x; /* n each: of the reference point */
    double *F, *X;    /* mdif and n1 + ns values of each stage */
} dfl_ode_form;

static dfl_outcome evaluate(double *rate, dfl_ode_form *of, double t, const double *x);
static void set_dimensions(dfl_ode_form *of);
static void set_constant_parts(dfl_ode_form *of);
static dfl_outcome difference(dfl_ode_form *of, const double *x, int index, int column);

static dfl_status init(dfl_formulation *base)
{
    dfl_ode_form *of = (dfl_ode_form *)base;
    dfl_system *sys = base->sys;
    dfl_context *ctx = sys->ctx;
    const size_t n = (size_t)sys->n, stages = (size_t)base->needs.stages, d = sizeof(double);
    dfl_status status = dfl_dense_init(&of->dense, base);
    if (!status)
        status = dfl_reduced_init(&of->newton, base);
    if (!status)
        status = dfl_ode_init(&of->ode, sys, base->options);
    if (!status)
        status = dfl_point_init(&of->point, sys);
    if (status)
        return status;
    of->rate = dfl_alloc(ctx, n, d);
    of->x = dfl_alloc(ctx, n, d);
    of->F = dfl_alloc(ctx, stages * (size_t)sys->mdif, d);
    of->X = dfl_alloc(ctx, stages * (size_t)(sys->n1 + sys->eom->ns), d);
    return of->rate && of->x && of->F && of->X ? DFL_OK : DFL_NO_MEMORY;
}

static void clear(dfl_formulation *base)
{
    dfl_ode_form *of = (dfl_ode_form *)base;
    dfl_context *ctx = base->sys->ctx;
    dfl_ode_clear(&of->ode);
    dfl_point_clear(&of->point, ctx);
    dfl_free(ctx, of->rate);
    dfl_free(ctx, of->x);
    dfl_free(ctx, of->F);
    dfl_free(ctx, of->X);
    dfl_reduced_clear(&of->newton, base);
    dfl_dense_clear(&of->dense, base);
}

static void bind(dfl_formulation *base)
{
    dfl_ode_form *of = (dfl_ode_form *)base;
    dfl_dense_bind(&of->dense, base);
    dfl_ode_bind(&of->ode);
    dfl_point_bind(&of->point, base->sys);
}

static void start(dfl_formulation *base, const dfl_point *point)
{
    dfl_ode_start(&((dfl_ode_form *)base)->ode, point, base->rank2);
}

dfl_ode *dfl_formulation_ode(dfl_formulation *form)
{
    return form->class == &dfl_ode_form_class ? &((dfl_ode_form *)form)->ode : NULL;
}

static dfl_outcome evaluate(double *rate, dfl_ode_form *of, double t, const double *x)
{
    memcpy(of->point.x, x, (size_t)of->ode.sys->n * sizeof *x);
    of->point.t = t;
    return dfl_ode_rates(rate, &of->ode, &of->point);
}

/* The state (r, v, p) from a vector that is laid out as x. */
static void pack(double *y, const dfl_system *sys, const double *x)
{
    const size_t rv = (size_t)(sys->n2 + sys->n3);
    memcpy(y, x + sys->at.r, rv * sizeof *y);
    memcpy(y + rv, x + sys->at.p, (size_t)sys->eom->np * sizeof *y);
}

static dfl_outcome linearize(dfl_formulation *base, double t, const double *x, const double *a,
                             bool update)
{
    dfl_ode_form *of = (dfl_ode_form *)base;
    dfl_system *sys = of->base.sys;
    const long before = sys->stats->evaluations;
    (void)a, (void)update;
    sys->stats->jacobians++;
    sys->stats->algebraic_decompositions++;
    dfl_outcome outcome = evaluate(of->rate, of, t, x);
    if (!outcome && of->ode.form == DFL_SEPARATION) {
        outcome = dfl_ode_separation_begin(&of->ode, &of->point);
        if (!outcome)
            outcome = evaluate(of->rate, of, t, x);
    }
    if (outcome)
        return outcome;
    memcpy(of->x, of->point.x, (size_t)sys->n * sizeof *x);
    if (!dfl_dense_split_velocity(base, of->point.blocks.W, sys->nc, of->base.rank2, NULL, NULL) &&
        of->base.defect == 0)
        return dfl_system_part_trouble(sys, DFL_STEP_RANK, DFL_FAILURE_VELOCITY, t);
    set_dimensions(of);
    set_constant_parts(of);
    int column = 0;
    for (int i = sys->at.r; !outcome && i < sys->n; i++)
        if (i < sys->at.sp || i >= sys->at.p)
            outcome = difference(of, x, i, column++);
    sys->stats->difference_evaluations += sys->stats->evaluations - before;
    sys->stats->evaluations = before;
    return outcome;
}

static void set_dimensions(dfl_ode_form *of)
{
    const dfl_system *sys = of->base.sys;
    of->newton.ma = sys->n1 + sys->eom->ns;
    of->newton.nd = sys->mdif;
    of->newton.K = of->newton.ma + of->newton.nd;
    of->newton.nfp = sys->eom->np;
    of->newton.nsv = of->newton.nfv = sys->n3;
    of->newton.sv_identity = true;
}

/* Unit entries: the rows of X are solved for their own unknowns, S and SM are identities. */
static void set_constant_parts(dfl_ode_form *of)
{
    const dfl_system *sys = of->base.sys;
    const int n = sys->n, nd = of->newton.nd, ma = of->newton.ma, np = sys->eom->np;
    const size_t K = (size_t)of->newton.K;
    memset(of->newton.CB, 0, (size_t)n * K * sizeof(double));
    memset(of->newton.SM, 0, (size_t)nd * K * sizeof(double));
    memset(of->newton.SJ, 0, (size_t)nd * K * sizeof(double));
    memset(of->newton.Sp, 0, (size_t)(np * np) * sizeof(double));
    for (int i = 0; i < np; i++)
        of->newton.Sp[i * np + i] = 1;
    for (int i = 0; i < ma; i++)
        of->newton.CB[i * n + (i < sys->n1 ? i : sys->at.sp + i - sys->n1)] = 1;
    for (int i = 0; i < nd; i++) {
        const int index = i < sys->n2 + sys->n3 ? sys->at.r + i : sys->at.p + i - sys->n2 - sys->n3;
        of->newton.CB[(ma + i) * n + index] = 1;
        of->newton.SM[(ma + i) * nd + i] = 1;
    }
}

/* Column of SJ and CB: derivatives of F and X with respect to entry `index` of x. */
static dfl_outcome difference(dfl_ode_form *of, const double *x, int index, int column)
{
    dfl_system *sys = of->base.sys;
    const int n = sys->n, ns = sys->eom->ns;
    const double delta = dfl_difference_increment(sys->rounding, x[index], 1e-5);
    double *rate = of->dense.work, *CB = of->newton.CB + (of->newton.ma + column) * n;
    memcpy(of->point.x, of->x, (size_t)sys->n1 * sizeof *x);
    memcpy(of->point.x + sys->n1, x + sys->n1, (size_t)(n - sys->n1) * sizeof *x);
    of->point.x[index] += delta;
    dfl_outcome outcome = dfl_ode_rates(rate, &of->ode, &of->point);
    if (outcome)
        return outcome;
    for (int i = 0; i < n; i++)
        rate[i] = (rate[i] - of->rate[i]) / delta;
    pack(of->newton.SJ + (of->newton.ma + column) * of->newton.nd, sys, rate);
    for (int i = 0; i < sys->n1; i++)
        CB[i] = (of->point.x[i] - of->x[i]) / delta;
    for (int i = sys->at.sp; i < sys->at.sp + ns; i++)
        CB[i] = (of->point.x[i] - of->x[i]) / delta;
    return DFL_STEP_OK;
}

/* Right-hand side and dependent unknowns of stage k: F (mdif) and X - x (ma). */
static dfl_outcome evaluate_stage(dfl_ode_form *of, const dfl_point *point, int k)
{
    dfl_system *sys = of->base.sys;
    double *dependent = of->X + k * of->newton.ma, *rate = of->dense.work;
    dfl_outcome outcome = evaluate(rate, of, point->t, point->x);
    if (outcome)
        return outcome;
    pack(of->F + k * sys->mdif, sys, rate);
    for (int i = 0; i < of->newton.ma; i++) {
        const int index = i < sys->n1 ? i : sys->at.sp + i - sys->n1;
        dependent[i] = of->point.x[index] - point->x[index];
    }
    return DFL_STEP_OK;
}

/* rho: F - y', transformed over the stages. */
static void gather_rates(dfl_ode_form *of, int count, const double *transform, const double *yp)
{
    const dfl_system *sys = of->base.sys;
    const int rv = sys->n2 + sys->n3, width = of->base.width;
    const double *F = of->F;
    dfl_lanes_gather(of->newton.rho, count, transform, rv, F, sys->mdif, yp + sys->at.r * width,
                     NULL);
    dfl_lanes_gather(of->newton.rho + rv * width, count, transform, sys->eom->np, F + rv, sys->mdif,
                     yp + sys->at.p * width, NULL);
}

static dfl_outcome residual(double *rows, dfl_formulation *base, const dfl_point *points, int count,
                            const double *transform, const double *yp, const double *xp)
{
    dfl_ode_form *of = (dfl_ode_form *)base;
    (void)xp;
    for (int k = 0; k < count; k++) {
        dfl_outcome outcome = evaluate_stage(of, &points[k], k);
        if (outcome)
            return outcome;
    }
    dfl_lanes_gather(rows, count, transform, of->newton.ma, of->X, of->newton.ma, NULL, NULL);
    gather_rates(of, count, transform, yp);
    return DFL_STEP_OK;
}

static dfl_outcome mixed(double *rows, dfl_formulation *base, const dfl_point *differential,
                         const dfl_point *algebraic, double weight, const double *yp,
                         const double *xp)
{
    dfl_ode_form *of = (dfl_ode_form *)base;
    const double weighted[DFL_LANES] = {weight}, once[DFL_LANES] = {1};
    (void)xp;
    dfl_outcome outcome = evaluate_stage(of, differential, 0);
    if (outcome)
        return outcome;
    gather_rates(of, 1, weighted, yp);
    outcome = evaluate_stage(of, algebraic, 0);
    if (!outcome)
        dfl_lanes_gather(rows, 1, once, of->newton.ma, of->X, 0, NULL, NULL);
    return outcome;
}

static dfl_outcome defect(double *err, dfl_formulation *base, const dfl_point *point,
                          const double *y)
{
    dfl_ode_form *of = (dfl_ode_form *)base;
    dfl_system *sys = of->base.sys;
    double *d = of->newton.u, *rate = of->dense.work;
    dfl_outcome outcome = evaluate(rate, of, point->t, point->x);
    if (outcome)
        return outcome;
    for (int i = 0; i < sys->n; i++)
        rate[i] += y[i];
    pack(d, sys, rate);
    dfl_reduced_defect(err, &of->newton, base);
    return DFL_STEP_OK;
}

static dfl_outcome factor(dfl_formulation *base, int stages)
{
    return dfl_reduced_factor(&((dfl_ode_form *)base)->newton, base, stages);
}

static void solve(double *dx, dfl_formulation *base, double *rows)
{
    dfl_reduced_solve(dx, &((dfl_ode_form *)base)->newton, base, rows);
}

static const double *acceleration_rows(dfl_formulation *base, const dfl_point *point)
{
    return point->alg + base->sys->row.acc;
}

static void chart_rows(dfl_chart_rows *rows, const dfl_formulation *base)
{
    const dfl_ode *ode = &((const dfl_ode_form *)base)->ode;
    *rows = (dfl_chart_rows){.Sp = ode->S, .Sv = ode->S, .nfp = ode->nf, .nfv = ode->nf};
    if (ode->form == DFL_SEPARATION) /* coordinates are integrated, all of them */
        rows->Sp = NULL, rows->nfp = 0;
}

const dfl_form_class dfl_ode_form_class = {.size = sizeof(dfl_ode_form),
                                           .init = init,
                                           .bind = bind,
                                           .clear = clear,
                                           .start = start,
                                           .linearize = linearize,
                                           .factor = factor,
                                           .residual = residual,
                                           .mixed = mixed,
                                           .solve = solve,
                                           .defect = defect,
                                           .chart_rows = chart_rows,
                                           .acceleration_rows = acceleration_rows};
