/* Life of Radau IIA, and what depends on the number of its stages. */
#include "integrate/radau.h"

#include <string.h>

int dfl_radau_max_stages(const dfl_solver_options *options)
{
    const int order = options->order != 0 ? options->order : options->step.fixed > 0 ? 5 : 13;
    return dfl_coefficients_of(order)->stages;
}

dfl_status dfl_radau_init(dfl_stepper *st)
{
    dfl_radau *ra = (dfl_radau *)st;
    const dfl_system *sys = st->sys;
    dfl_context *ctx = sys->ctx;
    ra->max_stages = dfl_radau_max_stages(st->options);
    ra->at_once = dfl_formulation_increments(st->form);
    const size_t n = (size_t)sys->n, width = (size_t)dfl_lanes_width(ra->max_stages);
    const size_t rows = (size_t)dfl_formulation_room(st->form), d = sizeof(double);
    dfl_status status = dfl_implicit_init(st);
    if (!status)
        status = dfl_points_init(ra->stage, ra->max_stages, sys);
    if (status)
        return status;
    double **const lanes[] = {&ra->cont, &ra->Z, &ra->W, &ra->dW, &ra->dZ, &ra->XP, &ra->YP};
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)
        if (!(*lanes[i] = dfl_alloc(ctx, n * width, d)))
            return DFL_NO_MEMORY;
    ra->rows = dfl_alloc(ctx, rows * width, d);
    ra->x_end = dfl_alloc(ctx, n, d);
    ra->y = dfl_alloc(ctx, n, d);
    ra->term = dfl_alloc(ctx, n, d);
    return ra->rows && ra->x_end && ra->y && ra->term ? DFL_OK : DFL_NO_MEMORY;
}

void dfl_radau_clear(dfl_stepper *st)
{
    dfl_radau *ra = (dfl_radau *)st;
    dfl_context *ctx = st->sys->ctx;
    double *const block[] = {ra->cont, ra->Z,    ra->W,     ra->dW, ra->dZ,  ra->XP,
                             ra->YP,   ra->rows, ra->x_end, ra->y,  ra->term};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(ctx, block[i]);
    dfl_point_clear(&ra->stage[0], ctx);
    dfl_implicit_clear(st);
}

void dfl_radau_bind(dfl_stepper *st)
{
    dfl_radau *ra = (dfl_radau *)st;
    for (int k = 0; k < ra->max_stages; k++)
        dfl_point_bind(&ra->stage[k], st->sys);
}

void dfl_radau_use_order(dfl_radau *ra, int order)
{
    dfl_stepper *st = &ra->base;
    ra->rk = dfl_coefficients_of(order);
    st->newton->h_factored = 0;
    memset(ra->AI, 0, sizeof ra->AI);
    for (int i = 0; i < ra->rk->stages; i++)
        for (int j = 0; j < ra->rk->stages; j++)
            ra->AI[j * ra->rk->width + i] = ra->rk->AI[i * ra->rk->stages + j];
    dfl_shifts Lambda;
    dfl_shifts_set(&Lambda, ra->rk->stages, ra->rk->shift);
    dfl_lanes_shift(ra->LTI, ra->rk->width, &Lambda, ra->rk->stages, ra->rk->TI);
    dfl_scale_stages(st->scale, ra->rk->stages);
    dfl_controller_init(st->control, st->options, ra->rk->stages + 1);
}

void dfl_radau_start(dfl_stepper *st)
{
    dfl_radau *ra = (dfl_radau *)st;
    ra->ratio = 0;
    ra->rk_cont = NULL; /* no polynomial to continue, should something change here at once */
    dfl_implicit_start(st);
    dfl_order_start(ra);
    st->order = ra->rk->order;
    st->degree = ra->rk->stages;
}

void dfl_radau_begin_with(dfl_stepper *st, int order)
{
    dfl_radau *ra = (dfl_radau *)st;
    dfl_radau_use_order(ra, order);
    st->order = ra->rk->order;
    st->degree = ra->rk->stages;
}

void dfl_radau_resume(dfl_stepper *st)
{
    dfl_radau *ra = (dfl_radau *)st;
    ra->ratio = 0;
    dfl_implicit_start(st);
    ra->order.rejections = ra->order.doubt = 0;
    dfl_controller_init(st->control, st->options, ra->rk->stages + 1);
}
