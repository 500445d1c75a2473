/* Life of the integrator and the first step size. */
#include "integrate/radau_internal.h"

#include <math.h>
#include <string.h>

int dfl_radau_max_stages(const dfl_solver_options *options)
{
    const int order = options->order != 0 ? options->order : options->fixed_step > 0 ? 5 : 13;
    return dfl_coefficients_of(order)->stages;
}

dfl_status dfl_radau_init(dfl_radau *ra, dfl_system *sys, dfl_formulation *form,
                          const dfl_solver_options *options)
{
    dfl_context *ctx = sys->ctx;
    const int stages = dfl_radau_max_stages(options);
    const size_t width = (size_t)dfl_lanes_width(stages);
    const size_t n = (size_t)sys->n, nc = (size_t)sys->nc, nv = (size_t)sys->n3, d = sizeof(double);
    /* as many rows as the formulation can have: algebraic and differential */
    const size_t rows =
        (size_t)(sys->m1 + sys->m2 + sys->m3 + sys->n2 + sys->n3 + sys->n4 + sys->nc);
    memset(ra, 0, sizeof *ra);
    ra->sys = sys;
    ra->form = form;
    ra->options = options;
    ra->max_stages = stages;
    ra->flip_work = 4 * sys->nc + 16;
    dfl_status status = dfl_scale_init(&ra->scale, sys, options);
    if (!status)
        status = dfl_point_init(&ra->here, sys);
    if (!status)
        status = dfl_point_init(&ra->next, sys);
    for (int k = 0; !status && k < ra->max_stages; k++)
        status = dfl_point_init(&ra->stage[k], sys);
    if (status)
        return status;
    double **const lanes[] = {&ra->cont, &ra->Z,  &ra->Z0, &ra->W,
                              &ra->dW,   &ra->dZ, &ra->XP, &ra->YP};
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)
        if (!(*lanes[i] = dfl_alloc(ctx, n * width, d)))
            return DFL_NO_MEMORY;
    ra->rows = dfl_alloc(ctx, rows * width, d);
    ra->x_end = dfl_alloc(ctx, n, d);
    ra->x_ref = dfl_alloc(ctx, n, d);
    ra->a_ref = dfl_alloc(ctx, nv, d);
    ra->err = dfl_alloc(ctx, n, d);
    ra->y = dfl_alloc(ctx, n, d);
    ra->flip = dfl_alloc(ctx, nc * nc + 2 * nc + (size_t)ra->flip_work, d);
    return ra->rows && ra->x_end && ra->x_ref && ra->a_ref && ra->err && ra->y && ra->flip
               ? DFL_OK
               : DFL_NO_MEMORY;
}

void dfl_radau_clear(dfl_radau *ra)
{
    if (!ra->sys)
        return;
    dfl_context *ctx = ra->sys->ctx;
    double *const block[] = {ra->cont,  ra->Z,     ra->Z0,  ra->W,    ra->dW,
                             ra->dZ,    ra->XP,    ra->YP,  ra->rows, ra->x_end,
                             ra->x_ref, ra->a_ref, ra->err, ra->y,    ra->flip};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(ctx, block[i]);
    dfl_scale_clear(&ra->scale);
    dfl_point_clear(&ra->here, ctx);
    dfl_point_clear(&ra->next, ctx);
    for (int k = 0; k < ra->max_stages; k++)
        dfl_point_clear(&ra->stage[k], ctx);
}

void dfl_radau_bind(dfl_radau *ra)
{
    dfl_scale_bind(&ra->scale);
    dfl_point_bind(&ra->here, ra->sys);
    dfl_point_bind(&ra->next, ra->sys);
    for (int k = 0; k < ra->max_stages; k++)
        dfl_point_bind(&ra->stage[k], ra->sys);
}

/* The first step from the size of x' alone: a step that changes x by about the fifth root of the
   tolerance. The error test corrects it at once if it is too long. */
static double first_step(dfl_radau *ra, double span)
{
    const dfl_system *sys = ra->sys;
    dfl_scale_set(&ra->scale, ra->here.x, span);
    memset(ra->err, 0, (size_t)sys->n * sizeof(double));
    memcpy(ra->err + sys->off_r, ra->here.dif, (size_t)sys->n2 * sizeof(double));
    memcpy(ra->err + sys->off_v, ra->here.a, (size_t)sys->n3 * sizeof(double));
    memcpy(ra->err + sys->off_p, ra->here.blocks.kin, (size_t)sys->eom->np * sizeof(double));
    const double speed = dfl_scale_error(&ra->scale, ra->err);
    double h = 1e-3 * fabs(span);
    if (speed * h * ra->scale.smallest_rtol > 1e-2)
        h = 1e-2 / (speed * ra->scale.smallest_rtol);
    return copysign(h, span);
}

void dfl_radau_use_order(dfl_radau *ra, int order)
{
    ra->rk = dfl_coefficients_of(order);
    ra->h_factored = 0;
    memset(ra->Lambda, 0, sizeof ra->Lambda); /* what is never written stays zero */
    memset(ra->P, 0, sizeof ra->P);
    dfl_scale_stages(&ra->scale, ra->rk->stages);
    dfl_controller_init(&ra->control, ra->options, ra->rk->stages + 1);
}

void dfl_radau_start(dfl_radau *ra, double h)
{
    ra->t = ra->t_old = ra->here.t;
    ra->have_cont = ra->rejected = ra->matrix_at_start = ra->matrix_old = false;
    ra->need_matrix = true;
    ra->h_factored = 0;
    ra->singular_in_row = ra->flips = 0;
    ra->violated = -1;
    ra->undetermined = false;
    ra->drift = ra->h_flip = ra->ratio = 0;
    ra->faccon = 1;
    ra->h = h;
    dfl_order_start(ra);
}

void dfl_radau_aim(dfl_radau *ra, double t_end)
{
    const double span = t_end - ra->t;
    if (ra->h == 0)
        ra->h = first_step(ra, span);
    ra->h = copysign(ra->h, span);
    if (ra->options->max_step > 0 && fabs(ra->h) > ra->options->max_step)
        ra->h = copysign(ra->options->max_step, span);
}
