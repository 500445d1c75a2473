/* Life of the sparse form, its rows at stages, and its solutions (sparse_form.h). */
#include "formulation/sparse_form.h"

#include <string.h>

static void lay_out(dfl_sparse_form *form);
static dfl_outcome stage_rows(double *F, dfl_sparse_form *form, const dfl_point *point,
                              const double *rate);

static dfl_status init(dfl_formulation *base)
{
    dfl_sparse_form *form = (dfl_sparse_form *)base;
    const dfl_system *sys = base->sys;
    dfl_context *ctx = sys->ctx;
    const size_t stages = (size_t)base->needs.stages, d = sizeof(double);
    const size_t width = (size_t)dfl_lanes_width(base->needs.stages);
    lay_out(form);
    const size_t order = (size_t)form->order;
    dfl_status status = dfl_packed_jacobian_init(&form->jac, sys);
    form->F = dfl_alloc(ctx, order * stages, d);
    form->rho = dfl_alloc(ctx, order * width, d);
    form->right = dfl_alloc(ctx, 2 * order, d);
    form->rate = dfl_alloc(ctx, (size_t)sys->n, d);
    form->dropped = dfl_alloc(ctx, (size_t)sys->nc + 1, 1);
    if (!form->F || !form->rho || !form->right || !form->rate || !form->dropped)
        status = DFL_NO_MEMORY;
    if (!status)
        status = dfl_point_init(&form->scratch, sys);
    if (!status)
        status = dfl_invariants_init(&form->invariants, base);
    return status ? status : dfl_sparse_ranks_init(form);
}

static void clear(dfl_formulation *base)
{
    dfl_sparse_form *form = (dfl_sparse_form *)base;
    dfl_context *ctx = base->sys->ctx;
    dfl_condensed_free(form->condensed, ctx);
    dfl_unconstrained_free(form->alone, ctx);
    dfl_sparse_matrix_clear(form);
    dfl_sparse_ranks_clear(form);
    dfl_invariants_clear(&form->invariants, ctx);
    dfl_packed_jacobian_clear(&form->jac, ctx);
    dfl_point_clear(&form->scratch, ctx);
    dfl_free(ctx, form->F);
    dfl_free(ctx, form->rho);
    dfl_free(ctx, form->right);
    dfl_free(ctx, form->rate);
    dfl_free(ctx, form->dropped);
}

/* Whether accelerations of a stage follow from its own M alone. */
static bool solves_stages(const dfl_formulation *base)
{
    const dfl_system *sys = base->sys;
    return !base->needs.two_points && sys->nc + sys->eom->nw + sys->eom->n0 == 0 &&
           !sys->mass.constant && !sys->mass.diagonal;
}

/* Accelerations are always carried, so nothing changes after the decision. */
static void bind(dfl_formulation *base)
{
    dfl_sparse_form *form = (dfl_sparse_form *)base;
    dfl_point_bind(&form->scratch, base->sys);
    dfl_invariants_bind(&form->invariants, base);
    base->reads_rates = true;
    base->stagewise = solves_stages(base);
    base->combines = dfl_sparse_combines(base);
}

static void lay_out(dfl_sparse_form *form)
{
    const dfl_system *sys = form->base.sys;
    const dfl_eom *eom = sys->eom;
    const int nv = eom->nv;
    form->tau = sys->n;
    form->eta = form->tau + sys->nc;
    form->kappa = form->eta + eom->nl;
    form->pi = form->kappa + eom->ne;
    form->nu = form->pi + eom->nep;
    form->u = form->nu + eom->n0;
    form->order = form->u + (eom->trivial_kinematics ? 0 : nv);
    form->row.kin = nv;
    form->row.b = form->row.kin + eom->np;
    form->row.a = form->row.b + eom->nr;
    form->row.sigma = form->row.a + nv;
    form->row.d = form->row.sigma + eom->n0;
    form->row.c = form->row.d + eom->nw;
    form->row.acc = form->row.c + eom->ns;
    form->row.vel = form->row.acc + sys->nc;
    form->row.e = form->row.vel + sys->nc;
    form->row.g = form->row.e + eom->ne;
    form->row.ep = form->row.g + eom->nl;
    form->row.gam = form->row.ep + eom->nep;
    form->row.u = form->row.gam + eom->n0;
}

static dfl_outcome linearize(dfl_formulation *base, double t, const double *x, const double *a,
                             bool update)
{
    dfl_sparse_form *form = (dfl_sparse_form *)base;
    dfl_system *sys = base->sys;
    dfl_outcome outcome = dfl_system_packed_jacobian(&form->jac, sys, t, x, a);
    if (outcome)
        return outcome;
    sys->trouble.t = t;
    if (!dfl_sparse_ranks_watch(form))
        return dfl_system_part_trouble(sys, DFL_STEP_RANK, DFL_FAILURE_VELOCITY, t);
    if (!update && dfl_invariants_vary(base))
        dfl_sparse_choose_invariants(form);
    sys->stats->algebraic_decompositions++;
    form->condenses = form->alone || (form->condensed && dfl_condensed_linearize(form->condensed));
    return DFL_STEP_OK;
}

static dfl_outcome factor(dfl_formulation *base, int stages)
{
    dfl_sparse_form *form = (dfl_sparse_form *)base;
    form->factored = stages;
    form->condenses =
        form->condenses && (form->alone ? dfl_unconstrained_factor(form->alone, stages)
                                        : dfl_condensed_factor(form->condensed, stages));
    return form->condenses ? DFL_STEP_OK : dfl_sparse_matrix_factor(form, stages);
}

/* From the condensed matrix to the whole one, which has not been factored yet. */
static bool factor_whole(dfl_sparse_form *form)
{
    form->condenses = false;
    return dfl_sparse_matrix_factor(form, form->factored) == DFL_STEP_OK;
}

static dfl_outcome residual(double *rows, dfl_formulation *base, const dfl_point *points, int count,
                            const double *transform, const double *yp, const double *xp)
{
    dfl_sparse_form *form = (dfl_sparse_form *)base;
    const int order = form->order, width = base->width;
    (void)rows;
    if (base->combines) {
        dfl_sparse_stage_rows(form->rho, form, points, count, transform, yp);
        return DFL_STEP_OK;
    }
    for (int k = 0; k < count; k++) {
        double *F = form->F + (size_t)k * (size_t)order;
        for (int i = base->sys->at.r; i < base->sys->n; i++)
            form->rate[i] = xp[i * width + k];
        dfl_outcome outcome = stage_rows(F, form, &points[k], form->rate);
        if (outcome)
            return outcome;
    }
    dfl_lanes_gather(form->rho, count, transform, order, form->F, order, NULL, NULL);
    return DFL_STEP_OK;
}

/* Rows up to row.a contain derivatives. */
static dfl_outcome mixed(double *rows, dfl_formulation *base, const dfl_point *differential,
                         const dfl_point *algebraic, double weight, const double *yp,
                         const double *xp)
{
    dfl_sparse_form *form = (dfl_sparse_form *)base;
    const double weighted[DFL_LANES] = {weight};
    dfl_outcome outcome = residual(rows, base, differential, 1, weighted, yp, xp);
    if (!outcome)
        outcome = stage_rows(form->F, form, algebraic, form->rate);
    for (int i = form->row.a; !outcome && i < form->order; i++)
        form->rho[i * base->width] = form->F[i];
    return outcome;
}

static void put(double *to, const double *from, int count)
{
    if (count > 0)
        memcpy(to, from, (size_t)count * sizeof *to);
}

/* Rows p' = v of one right-hand side (numbers `stride` apart), as the whole matrix has them. */
static void weigh_kinematics(double *b, const dfl_sparse_form *form, int stride)
{
    const dfl_system *sys = form->base.sys;
    for (int i = 0; form->condensed && sys->eom->trivial_kinematics && i < sys->eom->np; i++)
        for (int k = 0; k < stride; k++)
            b[(form->row.kin + i) * stride + k] *= sys->mass.M[i];
}

/* y := M v at the reference: any regular matrix will do for M (a - v') - W^T tau = 0, and with the
   M of each stage Newton's iteration would converge only as fast as one matrix fits them all. */
static void reference_momentum(double *y, const dfl_sparse_form *form, const double *v)
{
    const dfl_system *sys = form->base.sys;
    if (!sys->mass.diagonal)
        dfl_packed_mass_product(y, sys, form->jac.M, v);
    for (int i = 0; sys->mass.diagonal && i < sys->n3; i++)
        y[i] = form->jac.M[i] * v[i];
}

/* f_dyn - M a of a stage, solved with its own M, in terms of the reference: rows := M_ref M^-1
   (f_dyn - M a), as stagewise.c does with block 1. */
static bool own_accelerations(double *rows, dfl_sparse_form *form, const dfl_point *point)
{
    double unused = 0, *a = form->right;
    if (!form->base.stagewise || !dfl_saddle_ldl_factor(form->mass, point->M, &unused, 0, NULL))
        return false;
    memcpy(a, point->alg, (size_t)form->base.sys->n3 * sizeof *a);
    dfl_saddle_ldl_solve(a, &unused, form->mass);
    reference_momentum(rows, form, a);
    return true;
}

static dfl_outcome stage_rows(double *F, dfl_sparse_form *form, const dfl_point *point,
                              const double *rate)
{
    dfl_system *sys = form->base.sys;
    const dfl_eom *eom = sys->eom;
    const dfl_blocks *b = &point->blocks;
    const int nv = eom->nv, nc = sys->nc, nl = eom->nl;
    double *difference = F + form->row.a; /* free until the rows there are written */
    for (int i = 0; i < nv; i++)
        difference[i] = point->x[i] - rate[sys->at.v + i];
    reference_momentum(F, form, difference);
    for (int i = 0; i < eom->np; i++)
        F[form->row.kin + i] = b->kin[i] - rate[sys->at.p + i];
    for (int i = 0; i < eom->nr; i++)
        F[form->row.b + i] = b->b[i] - rate[sys->at.r + i];
    if (!own_accelerations(F + form->row.a, form, point))
        put(F + form->row.a, point->alg, sys->na);
    put(F + form->row.d, b->d, eom->nw);
    put(F + form->row.c, b->c, eom->ns);
    put(F + form->row.acc, point->alg + sys->row.acc, nc);
    put(F + form->row.vel, point->alg + sys->m1, nc);
    for (int i = 0; i < eom->ne; i++)
        F[form->row.e + i] = form->invariants.active[i] ? b->e[i] : 0;
    put(F + form->row.g, b->g, nl);
    put(F + form->row.ep, b->ep, eom->nep);
    put(F + form->row.gam, b->gam, eom->n0);
    memset(F + form->row.u, 0, (size_t)(form->order - form->row.u) * sizeof *F);
    for (int i = 0; form->base.defect > 0 && i < nc; i++)
        if (form->dropped[i]) {
            F[form->row.acc + i] =
                form->dropped[i] == DFL_ROW_REDUNDANT ? 0 : point->x[sys->at.l + i];
            F[form->row.vel + i] = 0;
            if (i < nl)
                F[form->row.g + i] = 0;
        }
    return DFL_STEP_OK;
}

/* A solution that does not solve its system is NaN, which ends the iteration. */
static void fail(double *dx, int count)
{
    for (int i = 0; i < count; i++)
        dx[i] = NAN;
}

static bool solve_condensed(double *dx, dfl_sparse_form *form, const double *rho, int width,
                            int stages)
{
    return form->alone ? dfl_unconstrained_solve(dx, form->alone, rho, width, stages)
                       : dfl_condensed_solve(dx, form->condensed, rho, width, stages);
}

static void solve(double *dx, dfl_formulation *base, double *rows)
{
    dfl_sparse_form *form = (dfl_sparse_form *)base;
    const int n = base->sys->n, order = form->order, width = base->width;
    double *b = form->right;
    (void)rows;
    if (form->condenses && solve_condensed(dx, form, form->rho, width, form->factored))
        return;
    if (form->condenses && !factor_whole(form)) {
        fail(dx, n * width);
        return;
    }
    for (int i = 0; i < order; i++)
        b[i] = form->rho[i * width];
    weigh_kinematics(b, form, 1);
    if (!dfl_sparse_lu_solve(b, form->lu[0]))
        fail(b, order);
    for (int i = 0; i < n; i++) {
        memset(dx + i * width, 0, (size_t)width * sizeof *dx);
        dx[i * width] = b[i];
    }
    for (int k = 1; 2 * k < form->factored; k++) {
        for (int i = 0; i < order; i++) {
            b[2 * i] = form->rho[i * width + 2 * k - 1];
            b[2 * i + 1] = form->rho[i * width + 2 * k];
        }
        weigh_kinematics(b, form, 2);
        if (!dfl_sparse_lu_solve(b, form->lu[k]))
            fail(b, 2 * order);
        for (int i = 0; i < n; i++) {
            dx[i * width + 2 * k - 1] = b[2 * i];
            dx[i * width + 2 * k] = b[2 * i + 1];
        }
    }
}

/* Rows without derivatives are taken as satisfied. */
static dfl_outcome defect(double *err, dfl_formulation *base, const dfl_point *point,
                          const double *y)
{
    dfl_sparse_form *form = (dfl_sparse_form *)base;
    dfl_system *sys = base->sys;
    const dfl_eom *eom = sys->eom;
    double *b = form->right;
    for (int i = sys->at.r; i < sys->n; i++)
        form->rate[i] = -y[i];
    memset(b, 0, (size_t)form->order * sizeof *b);
    dfl_outcome outcome = dfl_system_dynamics(b, sys, point, form->rate + sys->at.v);
    if (outcome)
        return outcome;
    for (int i = 0; i < eom->np; i++)
        b[form->row.kin + i] = point->blocks.kin[i] + y[sys->at.p + i];
    for (int i = 0; i < eom->nr; i++)
        b[form->row.b + i] = point->blocks.b[i] + y[sys->at.r + i];
    if (form->condenses && solve_condensed(err, form, b, 1, 1))
        return DFL_STEP_OK;
    weigh_kinematics(b, form, 1);
    if ((form->condenses && !factor_whole(form)) || !dfl_sparse_lu_solve(b, form->lu[0]))
        return dfl_system_part_trouble(sys, DFL_STEP_SINGULAR, DFL_FAILURE_NEWTON_MATRIX, point->t);
    memcpy(err, b, (size_t)sys->n * sizeof *err);
    return DFL_STEP_OK;
}

static const double *acceleration_rows(dfl_formulation *base, const dfl_point *point)
{
    return point->alg + base->sys->row.acc;
}

const dfl_form_class dfl_sparse_form_class = {.size = sizeof(dfl_sparse_form),
                                              .init = init,
                                              .bind = bind,
                                              .clear = clear,
                                              .linearize = linearize,
                                              .factor = factor,
                                              .residual = residual,
                                              .mixed = mixed,
                                              .solve = solve,
                                              .defect = defect,
                                              .acceleration_rows = acceleration_rows,
                                              .minimum_norm = dfl_sparse_minimum_norm,
                                              .suspend = dfl_invariants_suspend,
                                              .accepted = dfl_invariants_accepted,
                                              .constraints = &dfl_sparse_constraints};
