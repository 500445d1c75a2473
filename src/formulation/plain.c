/* Life and linear algebra of the plain forms. */
#include "formulation/plain.h"
#include "formulation/projection.h"

#include <string.h>

static void lay_out(dfl_plain *plain, const dfl_formulation *form);
static dfl_status allocate(dfl_plain *plain, dfl_formulation *form);
static dfl_status create_factors(dfl_formulation *form);

dfl_status dfl_plain_init(dfl_formulation *form)
{
    dfl_plain *plain = form->plain = dfl_alloc(form->sys->ctx, 1, sizeof *plain);
    if (!plain)
        return DFL_NO_MEMORY;
    lay_out(plain, form);
    dfl_status status = allocate(plain, form);
    if (!status)
        status = create_factors(form);
    if (!status && form->traits->tau_turns && !form->traits->discarded &&
        !form->options->constraints.lagged) {
        plain->have_stage_jac = true;
        status = dfl_rows_jacobian_init(&plain->stage_jac, form->sys);
    }
    return status;
}

void dfl_plain_free(dfl_plain *plain, dfl_context *ctx)
{
    if (!plain)
        return;
    double *const block[] = {plain->F,       plain->rate, plain->push,  plain->turn,
                             plain->alpha,   plain->W,    plain->L,     plain->ep_p,
                             plain->L_stage, plain->LT,   plain->kernel};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(ctx, block[i]);
    dfl_free(ctx, plain->dropped);
    if (plain->have_stage_jac)
        dfl_rows_jacobian_clear(&plain->stage_jac, ctx);
    dfl_free(ctx, plain);
}

static int take(int *next, bool present, int count)
{
    const int at = *next;
    *next += present ? count : 0;
    return at;
}

static void lay_out(dfl_plain *plain, const dfl_formulation *form)
{
    const dfl_eom *eom = form->sys->eom;
    const dfl_form_traits *has = form->traits;
    const bool a = has->acceleration == DFL_ACC_UNKNOWN;
    int next = a ? eom->nv : 0;
    plain->n = form->sys->n;
    plain->col_tau = take(&next, has->tau, eom->nl + eom->nm);
    plain->col_mu = take(&next, has->mu, eom->nl);
    plain->col_eps = take(&next, has->mu, eom->nep);
    next = eom->nv;
    plain->row_kin = take(&next, true, eom->np);
    plain->row_b = take(&next, true, eom->nr);
    plain->row_a = take(&next, a, eom->nv);
    plain->row_d = take(&next, true, eom->nw);
    plain->row_c = take(&next, true, eom->ns);
    plain->row_acc = take(&next, has->acceleration != DFL_ACC_NONE, eom->nl + eom->nm);
    plain->row_gI = take(&next, has->velocity, eom->nl);
    plain->row_hv = take(&next, has->nonholonomic, eom->nm);
    plain->row_g = take(&next, has->position, eom->nl);
    plain->row_ep = take(&next, has->mu, eom->nep);
}

static dfl_status allocate(dfl_plain *plain, dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    dfl_context *ctx = sys->ctx;
    const size_t n = (size_t)sys->n, nv = (size_t)sys->n3, nc = (size_t)sys->nc;
    const size_t np = (size_t)sys->eom->np, d = sizeof(double);
    const size_t width = (size_t)dfl_lanes_width(form->max_stages);
    form->SM = dfl_alloc(ctx, n * n, d);
    form->SJ = dfl_alloc(ctx, n * n, d);
    form->rho = dfl_alloc(ctx, n * width, d);
    plain->F = dfl_alloc(ctx, n * (size_t)form->max_stages, d);
    plain->rate = dfl_alloc(ctx, n, d);
    plain->push = dfl_alloc(ctx, nv, d);
    plain->turn = dfl_alloc(ctx, nv, d);
    plain->alpha = dfl_alloc(ctx, nv, d);
    plain->W = dfl_alloc(ctx, nc * nv, d);
    plain->L = dfl_alloc(ctx, nc * nv, d);
    plain->L_stage = dfl_alloc(ctx, nc * nv, d);
    plain->ep_p = dfl_alloc(ctx, (size_t)sys->eom->nep * np, d);
    plain->LT = dfl_alloc(ctx, nc * np, d);
    plain->dropped = dfl_alloc(ctx, nc, 1);
    plain->kernel = dfl_alloc(ctx, nc * nc, d);
    return form->SM && form->SJ && form->rho && plain->F && plain->rate && plain->push &&
                   plain->turn && plain->alpha && plain->W && plain->L && plain->L_stage &&
                   plain->ep_p && plain->LT && plain->dropped && plain->kernel
               ? DFL_OK
               : DFL_NO_MEMORY;
}

static dfl_status create_factors(dfl_formulation *form)
{
    const int n = form->plain->n;
    form->nd = form->K = n;
    return dfl_shifted_create(&form->E, form->sys->ctx, n, form->max_stages);
}

dfl_outcome dfl_plain_select(dfl_formulation *form, double t, const double *x)
{
    (void)form, (void)t, (void)x; /* there are no selectors */
    return DFL_STEP_OK;
}

/* zeta E - J, as the projected forms have zeta SM - SJ */
dfl_outcome dfl_plain_factor(dfl_formulation *form, int stages)
{
    const dfl_form_traits *has = form->traits;
    dfl_outcome outcome = dfl_projected_factor(form, stages);
    if (outcome == DFL_STEP_SINGULAR && has->tau && has->acceleration == DFL_ACC_RATE)
        form->sys->trouble.callback =
            "the matrix of ext316, whose multipliers lambda and tau are not "
            "determined where g and gI have dependent derivatives,";
    return outcome;
}

void dfl_plain_minimum_norm(double *X, const dfl_formulation *form)
{
    (void)X, (void)form; /* redundant multipliers have rows of their own */
}

/* The rows stand in form->rho. */
void dfl_plain_solve(double *dx, dfl_formulation *form, double *rows)
{
    const int n = form->plain->n, width = form->width;
    (void)rows;
    memcpy(dx, form->rho, (size_t)(n * width) * sizeof *dx);
    dfl_shifted_solve(form->E, dx);
    if (form->traits->discarded) /* total values, nothing to add up */
        memset(dx + form->plain->col_tau * width, 0,
               (size_t)((form->sys->na - form->plain->col_tau) * width) * sizeof *dx);
}

const double *dfl_plain_acceleration_rows(dfl_formulation *form, const dfl_point *point)
{
    const dfl_system *sys = form->sys;
    dfl_plain *plain = form->plain;
    const int nv = sys->n3, nc = sys->nc;
    double *rows = plain->F;
    if (sys->eom->no_bias)
        return NULL;
    if (sys->geoms)
        return point->blocks.bias;
    if (!sys->leading_a && !dfl_formulation_accelerations(plain->alpha, form, point))
        return NULL;
    memcpy(rows, point->blocks.bias, (size_t)nc * sizeof *rows);
    dfl_gemm(nc, 1, nv, 1, point->blocks.W, nc, sys->leading_a ? point->x : plain->alpha, nv, 1,
             rows, nc);
    return rows;
}
