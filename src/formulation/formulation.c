/* Life of a formulation, the way to its implementation, and what all forms share. */
#include "formulation/formulation.h"
#include "formulation/ode_form.h"
#include "formulation/plain.h"
#include "formulation/projection.h"

#include <math.h>
#include <string.h>

static dfl_status allocate(dfl_formulation *form);
static dfl_status create_splits(dfl_formulation *form);
static bool has_mixed_rows(const dfl_formulation *form);
static bool solves_for_rates(const dfl_formulation *form);

static const dfl_form_ops projected = {
    dfl_projected_linearize, dfl_projected_select,       dfl_projected_factor,
    dfl_projected_residual,  dfl_projected_mixed,        dfl_projected_solve,
    dfl_projected_defect,    dfl_projected_minimum_norm, dfl_projected_increment};
static const dfl_form_ops plain = {dfl_plain_linearize, dfl_plain_select,       dfl_plain_factor,
                                   dfl_plain_residual,  dfl_plain_mixed,        dfl_plain_solve,
                                   dfl_plain_defect,    dfl_plain_minimum_norm, NULL};
static const dfl_form_ops right_hand_side = {
    dfl_ode_form_linearize, dfl_plain_select,       dfl_projected_factor,
    dfl_ode_form_residual,  dfl_ode_form_mixed,     dfl_projected_solve,
    dfl_ode_form_defect,    dfl_plain_minimum_norm, NULL};

dfl_status dfl_formulation_init(dfl_formulation *form, dfl_system *sys,
                                const dfl_solver_options *options, int stages)
{
    memset(form, 0, sizeof *form);
    const dfl_form_traits *traits = dfl_form_traits_of(options->form, options->integrator);
    dfl_system_ask(sys, traits->acceleration != DFL_ACC_PROJECTED,
                   dfl_form_requirements(traits, sys->eom));
    form->sys = sys;
    form->options = options;
    form->traits = traits;
    form->ops = traits->ode ? &right_hand_side : traits->plain ? &plain : &projected;
    form->local = !traits->plain && traits->rates_are_a;
    form->max_stages = stages;
    dfl_status status = dfl_rows_jacobian_init(&form->jac, sys);
    if (!status && sys->geoms)
        status = dfl_rows_jacobian_init(&form->at_step, sys);
    if (!status)
        status = allocate(form);
    if (!status)
        status = create_splits(form);
    if (!status)
        status = traits->ode     ? dfl_ode_form_init(form)
                 : traits->plain ? dfl_plain_init(form)
                                 : dfl_projected_init(form);
    return status;
}

/* What ranks, messages and both implementations need. */
static dfl_status allocate(dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    const dfl_eom *eom = sys->eom;
    dfl_context *ctx = sys->ctx;
    const size_t nv = (size_t)eom->nv, np = (size_t)eom->np, nc = (size_t)sys->nc;
    const size_t d = sizeof(double);
    /* every unknown is algebraic or differential; redundant and dropped rows add to both counts */
    const size_t K = (size_t)(sys->m1 + sys->m2 + sys->m3 + eom->nr + sys->n3 + sys->n4 + sys->nc);
    form->work = dfl_alloc(ctx,
                           (size_t)(sys->mdif + sys->m1 + sys->m2) * K + 2 * nv * nv + np * np +
                               (size_t)(sys->m3 * sys->n4 + sys->nc * (sys->n3 + 2)),
                           d);
    form->active = dfl_alloc(ctx, (size_t)eom->ne, 1);
    form->q = dfl_alloc(ctx, (size_t)eom->ne * nv, d);
    form->q_old = dfl_alloc(ctx, (size_t)eom->ne * nv, d);
    form->vp = dfl_alloc(ctx, nv, d);
    form->y = dfl_alloc(ctx, nv, d);
    form->pp = dfl_alloc(ctx, np, d);
    form->row_size = dfl_alloc(ctx, nc, d);
    form->least2 = dfl_alloc(ctx, 2 * (size_t)sys->m2, d);
    form->least3 = dfl_alloc(ctx, (size_t)sys->m3, d);
    form->column_scale = dfl_alloc(ctx, 2 * (size_t)sys->m1, d);
    form->least = dfl_alloc(ctx, nv * nc + nv + nc, d);
    return form->work && form->active && form->q && form->q_old && form->vp && form->y &&
                   form->pp && form->row_size && form->least2 && form->least3 &&
                   form->column_scale && form->least
               ? DFL_OK
               : DFL_NO_MEMORY;
}

static dfl_status create_splits(dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    dfl_context *ctx = sys->ctx;
    const int tall = sys->m2 > sys->n3 ? sys->m2 : sys->n3;
    dfl_status status = dfl_split_create(&form->split2, ctx, sys->m2, sys->n3);
    if (!status)
        status = dfl_split_create(&form->split3, ctx, sys->m3, sys->n4);
    if (!status)
        status = dfl_split_create(&form->pivots2, ctx, tall, sys->n3);
    if (!status)
        status = dfl_split_create(&form->pivots3, ctx, sys->m3, sys->n4);
    if (!status)
        status = dfl_lstsq_create(&form->lstsq, ctx, sys->n3, sys->nc);
    if (!status)
        status = dfl_redundant_init(&form->redundant, ctx, sys->nc, sys->n3);
    if (!status)
        status = dfl_factor_create(&form->mass, ctx, sys->n3, false);
    return status;
}

void dfl_formulation_clear(dfl_formulation *form)
{
    if (!form->sys)
        return;
    dfl_context *ctx = form->sys->ctx;
    double *const block[] = {
        form->J2_store, form->Sp,    form->Sv,         form->CB,       form->SM,
        form->SJ,       form->work,  form->q,          form->q_old,    form->rho,
        form->u,        form->vp,    form->y,          form->momentum, form->pp,
        form->row_size, form->least, form->local_work, form->own_rows, form->SvM,
        form->moved,    form->rates, form->least2,     form->least3,   form->column_scale};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(ctx, block[i]);
    dfl_free(ctx, form->pivot_p);
    dfl_free(ctx, form->pivot_v);
    dfl_free(ctx, form->active);
    dfl_free(ctx, form->local_pivots);
    dfl_free(ctx, form->place);
    dfl_free(ctx, form->plan);
    dfl_rows_jacobian_clear(&form->jac, ctx);
    if (form->sys->geoms)
        dfl_rows_jacobian_clear(&form->at_step, ctx);
    dfl_split_free(form->split1, ctx);
    dfl_split_free(form->split2, ctx);
    dfl_split_free(form->split3, ctx);
    dfl_split_free(form->pivots2, ctx);
    dfl_split_free(form->pivots3, ctx);
    dfl_split_free(form->quality, ctx);
    for (int k = 0; k < form->max_stages; k++)
        dfl_factor_free(form->own[k], ctx);
    dfl_shifted_free(form->E, ctx);
    dfl_lstsq_free(form->lstsq, ctx);
    dfl_redundant_clear(&form->redundant, ctx);
    dfl_factor_free(form->mass, ctx);
    dfl_plain_free(form->plain, ctx);
    dfl_ode_form_free(form->ode, ctx);
}

void dfl_formulation_bind(dfl_formulation *form)
{
    const dfl_solver_options *opt = form->options;
    const int ne = form->sys->eom->ne;
    dfl_rows_jacobian_bind(&form->jac, form->sys);
    if (form->sys->geoms)
        dfl_rows_jacobian_bind(&form->at_step, form->sys);
    if (form->plain && form->plain->have_stage_jac)
        dfl_rows_jacobian_bind(&form->plain->stage_jac, form->sys);
    if (form->ode)
        dfl_ode_form_bind(form);
    form->method = opt->constraints.algebraic == DFL_ALGEBRAIC_LU    ? DFL_METHOD_LU
                   : opt->constraints.algebraic == DFL_ALGEBRAIC_SVD ? DFL_METHOD_SVD
                                                                     : DFL_METHOD_QR;
    form->rank_tolerance = opt->constraints.rank_tolerance;
    form->have_selectors = form->have_old = form->suspended = false;
    if (form->plan)
        dfl_stage_plan_drop(form->plan);
    form->defect = 0;
    form->rates_are_a = form->local || solves_for_rates(form);
    form->reads_rates = form->traits->plain || (!form->sys->constant && !form->rates_are_a);
    form->stagewise = form->ops == &projected && form->rates_are_a && form->sys->carried &&
                      !has_mixed_rows(form) && dfl_stagewise_possible(form);
    memset(form->row_size, 0, (size_t)form->sys->nc * sizeof(double));
    memset(form->active, 1, (size_t)ne);
    form->nactive = ne;
    form->secure = ne == 0 || opt->constraints.rigid_invariants;
}

/* Whether differential and algebraic rows of a stage belong to different points. */
static bool has_mixed_rows(const dfl_formulation *form)
{
    const dfl_integrator integrator = form->options->integrator;
    return integrator == DFL_TRAPEZOIDAL || integrator == DFL_MIDPOINT;
}

/* Whether psf has a - v' in place of f_dyn - M v': with M(p) of each stage in that product Newton's iteration
   would converge only as far as one M serves all stages, and with masses of different sizes the rows along S
   would restrict the steps of BDF (Petzold and Potra 1992). Massless directions have no a, the user's selectors
   choose among the rows of M v', and the rules of order 2 take forces between two points. */
static bool solves_for_rates(const dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    return form->ops == &projected && (sys->carried || sys->eliminated) && sys->eom->n0 == 0 &&
           form->options->constraints.selectors != DFL_USER && !has_mixed_rows(form);
}

dfl_outcome dfl_formulation_linearize(dfl_formulation *form, double t, const double *x,
                                      const double *a, bool update)
{
    return form->ops->linearize(form, t, x, a, update);
}

dfl_outcome dfl_formulation_select(dfl_formulation *form, double t, const double *x)
{
    return form->ops->select(form, t, x);
}

dfl_outcome dfl_formulation_factor(dfl_formulation *form, int ncomplex, const double *zeta)
{
    const int stages = 1 + 2 * ncomplex;
    form->sys->stats->differential_decompositions++;
    form->width = dfl_lanes_width(stages);
    dfl_shifts_set(&form->shifts, stages, zeta);
    return form->ops->factor(form, stages);
}

void dfl_formulation_begin_iteration(dfl_formulation *form)
{
    form->own_factored = 0;
    if (form->plan)
        dfl_stage_plan_doubt(form->plan);
}

dfl_outcome dfl_formulation_residual(double *rows, dfl_formulation *form, const dfl_point *points,
                                     int count, const double *transform, const double *yp,
                                     const double *xp)
{
    return form->ops->residual(rows, form, points, count, transform, yp, xp);
}

dfl_outcome dfl_formulation_mixed_residual(double *rows, dfl_formulation *form,
                                           const dfl_point *differential,
                                           const dfl_point *algebraic, double weight,
                                           const double *yp, const double *xp)
{
    return form->ops->mixed(rows, form, differential, algebraic, weight, yp, xp);
}

dfl_outcome dfl_formulation_increment(double *squares, dfl_formulation *form,
                                      const dfl_stages *stages, double *rows)
{
    form->sys->stats->back_substitutions++;
    return form->ops->increment(squares, form, stages, rows);
}

void dfl_formulation_solve(double *dx, dfl_formulation *form, double *rows)
{
    form->sys->stats->back_substitutions++;
    form->ops->solve(dx, form, rows);
}

dfl_outcome dfl_formulation_defect(double *err, dfl_formulation *form, const dfl_point *point,
                                   const double *y)
{
    return form->ops->defect(err, form, point, y);
}

void dfl_formulation_minimum_norm(double *X, const dfl_formulation *form)
{
    form->ops->minimum_norm(X, form);
}

const double *dfl_formulation_acceleration_rows(dfl_formulation *form, const dfl_point *point)
{
    if (form->plain)
        return dfl_plain_acceleration_rows(form, point);
    return form->sys->psi1 ? NULL : point->alg + form->sys->row_acc;
}

/* In the GEOMS contract W is d(gI, hv)/dv. */
dfl_outcome dfl_formulation_least_multipliers(dfl_point *point, dfl_formulation *form)
{
    dfl_system *sys = form->sys;
    const double *W = point->blocks.W;
    int ldw = sys->nc;
    if (form->defect == 0)
        return DFL_STEP_OK;
    if (sys->geoms) {
        const dfl_outcome outcome =
            dfl_system_jacobian(&form->at_step, sys, point->t, point->x, point->a);
        sys->stats->jacobians--; /* not one of the integration */
        if (outcome)
            return outcome;
        W = form->at_step.J2 + sys->off_v * sys->m2;
        ldw = sys->m2;
    }
    dfl_redundant_choose(&form->redundant, W, ldw, form->least2, form->rank2);
    dfl_redundant_least(point->x + sys->off_l, &form->redundant);
    return DFL_STEP_OK;
}

bool dfl_formulation_suspend(dfl_formulation *form)
{
    if (form->nactive == 0 || form->options->constraints.rigid_invariants)
        return false;
    form->suspended = true;
    return true;
}

void dfl_formulation_accepted(dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    const int ne = sys->eom->ne;
    if (form->nactive < ne)
        sys->stats->steps_without_invariants++;
    form->suspended = false;
    form->have_old = ne > 0 && !form->options->constraints.rigid_invariants;
    memcpy(form->q_old, form->q, (size_t)ne * (size_t)sys->n3 * sizeof(double));
}
