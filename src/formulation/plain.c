/* Life and linear algebra of the plain forms. */
#include "formulation/plain.h"

#include <string.h>

static void lay_out(dfl_plain *plain);
static dfl_status allocate(dfl_plain *plain);
static dfl_status create_factors(dfl_plain *plain);

static dfl_status init(dfl_formulation *base)
{
    dfl_plain *plain = (dfl_plain *)base;
    const dfl_form_traits *has = base->traits;
    dfl_status status = dfl_dense_init(&plain->dense, base);
    lay_out(plain);
    if (!status)
        status = allocate(plain);
    if (!status)
        status = create_factors(plain);
    if (!status && has->tau_turns && !has->discarded && !base->options->constraints.lagged) {
        plain->have_stage_jac = true;
        status = dfl_rows_jacobian_init(&plain->stage_jac, base->sys);
    }
    return status;
}

static void clear(dfl_formulation *base)
{
    dfl_plain *plain = (dfl_plain *)base;
    dfl_context *ctx = base->sys->ctx;
    void *const block[] = {plain->E,    plain->J,    plain->rho,    plain->F,       plain->rate,
                           plain->push, plain->turn, plain->alpha,  plain->W,       plain->L,
                           plain->ep_p, plain->LT,   plain->kernel, plain->L_stage, plain->dropped};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(ctx, block[i]);
    if (plain->have_stage_jac)
        dfl_rows_jacobian_clear(&plain->stage_jac, ctx);
    dfl_split_free(plain->contact, ctx);
    dfl_shifted_free(plain->factors, ctx);
    dfl_dense_clear(&plain->dense, base);
}

static void bind(dfl_formulation *base)
{
    dfl_plain *plain = (dfl_plain *)base;
    dfl_dense_bind(&plain->dense, base);
    if (plain->have_stage_jac)
        dfl_rows_jacobian_bind(&plain->stage_jac, base->sys);
    base->reads_rates = true;
}

static int take(int *next, bool present, int count)
{
    const int at = *next;
    *next += present ? count : 0;
    return at;
}

static void lay_out(dfl_plain *plain)
{
    const dfl_eom *eom = plain->base.sys->eom;
    const dfl_form_traits *has = plain->base.traits;
    const bool a = has->acceleration == DFL_ACC_UNKNOWN;
    int next = a ? eom->nv : 0;
    plain->n = plain->base.sys->n;
    plain->col_tau = take(&next, has->tau, eom->nl + eom->nm);
    plain->col_mu = take(&next, has->mu, eom->nl);
    plain->col_eps = take(&next, has->mu, eom->nep);
    next = eom->nv;
    plain->row.kin = take(&next, true, eom->np);
    plain->row.b = take(&next, true, eom->nr);
    plain->row.a = take(&next, a, eom->nv);
    plain->row.d = take(&next, true, eom->nw);
    plain->row.c = take(&next, true, eom->ns);
    plain->row.acc = take(&next, has->acceleration != DFL_ACC_NONE, eom->nl + eom->nm);
    plain->row.gI = take(&next, has->velocity, eom->nl);
    plain->row.hv = take(&next, has->nonholonomic, eom->nm);
    plain->row.g = take(&next, has->position, eom->nl);
    plain->row.ep = take(&next, has->mu, eom->nep);
}

static dfl_status allocate(dfl_plain *plain)
{
    const dfl_system *sys = plain->base.sys;
    dfl_context *ctx = sys->ctx;
    const size_t n = (size_t)sys->n, nv = (size_t)sys->n3, nc = (size_t)sys->nc;
    const size_t np = (size_t)sys->eom->np, d = sizeof(double);
    const size_t width = (size_t)dfl_lanes_width(plain->base.needs.stages);
    plain->E = dfl_alloc(ctx, n * n, d);
    plain->J = dfl_alloc(ctx, n * n, d);
    plain->rho = dfl_alloc(ctx, n * width, d);
    plain->F = dfl_alloc(ctx, n * (size_t)plain->base.needs.stages, d);
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
    return plain->E && plain->J && plain->rho && plain->F && plain->rate && plain->push &&
                   plain->turn && plain->alpha && plain->W && plain->L && plain->L_stage &&
                   plain->ep_p && plain->LT && plain->dropped && plain->kernel
               ? DFL_OK
               : DFL_NO_MEMORY;
}

static dfl_status create_factors(dfl_plain *plain)
{
    const dfl_system *sys = plain->base.sys;
    dfl_status status = dfl_split_create(&plain->contact, sys->ctx, sys->m3, sys->n4);
    return status
               ? status
               : dfl_shifted_create(&plain->factors, sys->ctx, plain->n, plain->base.needs.stages);
}

static dfl_outcome factor(dfl_formulation *base, int stages)
{
    dfl_plain *plain = (dfl_plain *)base;
    const dfl_form_traits *has = base->traits;
    dfl_outcome outcome =
        dfl_dense_factor(plain->factors, base, plain->n, plain->E, plain->J, stages);
    if (outcome == DFL_STEP_SINGULAR && has->tau && has->acceleration == DFL_ACC_RATE)
        base->sys->trouble.callback =
            has->discarded ? "the matrix of ssf, which does not determine lambda where g and gI "
                             "have dependent derivatives,"
                           : "the matrix of ext316, whose multipliers lambda and tau are not "
                             "determined where g and gI have dependent derivatives,";
    return outcome;
}

/* All rows are in plain->rho. */
static void solve(double *dx, dfl_formulation *base, double *rows)
{
    dfl_plain *plain = (dfl_plain *)base;
    const int n = plain->n, width = base->width;
    (void)rows;
    memcpy(dx, plain->rho, (size_t)(n * width) * sizeof *dx);
    dfl_shifted_solve(plain->factors, dx);
    if (base->traits->discarded) /* total values, nothing to add up */
        memset(dx + plain->col_tau * width, 0,
               (size_t)((base->sys->na - plain->col_tau) * width) * sizeof *dx);
}

static const double *acceleration_rows(dfl_formulation *base, const dfl_point *point)
{
    dfl_plain *plain = (dfl_plain *)base;
    const dfl_system *sys = base->sys;
    const int nv = sys->n3, nc = sys->nc;
    double *rows = plain->F;
    if (sys->eom->no_bias)
        return NULL;
    if (sys->geoms)
        return point->blocks.bias;
    if (!sys->leading_a && !dfl_formulation_accelerations(plain->alpha, base, point))
        return NULL;
    memcpy(rows, point->blocks.bias, (size_t)nc * sizeof *rows);
    dfl_gemm(nc, 1, nv, 1, point->blocks.W, nc, sys->leading_a ? point->x : plain->alpha, nv, 1,
             rows, nc);
    return rows;
}

/* There are no selectors and no invariants, and redundant multipliers have their own rows. */
const dfl_form_class dfl_plain_class = {.size = sizeof(dfl_plain),
                                        .init = init,
                                        .bind = bind,
                                        .clear = clear,
                                        .linearize = dfl_plain_linearize,
                                        .factor = factor,
                                        .residual = dfl_plain_residual,
                                        .mixed = dfl_plain_mixed,
                                        .solve = solve,
                                        .defect = dfl_plain_defect,
                                        .acceleration_rows = acceleration_rows};
