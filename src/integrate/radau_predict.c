/* radau_predict.c: the first guess of the stages: the polynomial of the last step, continued. */
#include "integrate/radau.h"

#include <math.h>
#include <string.h>

static void clear(dfl_radau *ra)
{
    memset(ra->Z, 0, (size_t)(ra->base.sys->n * ra->rk->width) * sizeof(double));
}

/* P (columns of the new width): Z = P cont, the collocation polynomial of the last step continued
   to the stages of a step of size h, less its value at the end of the last step. P is often that of
   the last step. A step that is taken again begins where the polynomial does, with the value 0. */
static void prepare_continuation(dfl_radau *ra, double h)
{
    const dfl_coefficients *rk = ra->rk, *old = ra->rk_cont;
    const double ratio = h / ra->base.h_old;
    double x[DFL_LANES] = {0}, *end = ra->P + (old->stages - 1) * rk->width;
    const double first = ra->base.again ? 0 : 1;
    if (ratio == ra->ratio && rk == old && !ra->base.again)
        return;
    ra->ratio = rk == old && !ra->base.again ? ratio : 0;
    for (int k = 0; k < rk->stages; k++)
        x[k] = first + rk->c[k] * ratio;
    dfl_coefficients_basis_at(ra->P, old, rk->width, x); /* zero at 0 */
    for (int k = 0; k < rk->stages; k++)
        end[k] -= first;
}

/* Z = P cont, the polynomial having another number of stages than the method. */
static void continue_other_order(dfl_radau *ra)
{
    const int width = ra->rk->width, old = ra->rk_cont->stages, old_width = ra->rk_cont->width;
    for (int i = 0; i < ra->base.sys->n; i++)
        for (int k = 0; k < width; k++) {
            double sum = 0;
            for (int j = 0; j < old; j++)
                sum += ra->P[j * width + k] * ra->cont[i * old_width + j];
            ra->Z[i * width + k] = sum;
        }
}

/* Z = c h x': along the slope at the start of the step. */
static void follow_slope(dfl_radau *ra, double h)
{
    const dfl_coefficients *rk = ra->rk;
    dfl_stepper_rates(ra->y, &ra->base, &ra->base.here);
    clear(ra);
    for (int i = 0; i < ra->base.sys->n; i++)
        for (int k = 0; k < rk->stages; k++)
            ra->Z[i * rk->width + k] = rk->c[k] * h * ra->y[i];
}

static void continue_polynomial(dfl_radau *ra, double h)
{
    prepare_continuation(ra, h);
    if (ra->rk == ra->rk_cont)
        dfl_lanes_transform(ra->Z, ra->rk->stages, ra->P, ra->base.sys->n, ra->cont);
    else
        continue_other_order(ra);
}

/* The field has changed where the last polynomial ends: what the jump of the slopes adds to it. */
static void add_jump(dfl_radau *ra, double h)
{
    static const double near = 1e-3;
    const dfl_coefficients *rk = ra->rk, *old = ra->rk_cont;
    const dfl_system *sys = ra->base.sys;
    const double x[DFL_LANES] = {1 + near, 1 - near};
    double L[DFL_RADAU_STAGES * DFL_LANES];
    dfl_coefficients_basis_at(L, old, old->width, x);
    dfl_stepper_rates(ra->y, &ra->base, &ra->base.here);
    for (int i = sys->at.r; i < sys->n; i++) {
        double before = 0;
        if (!dfl_stepper_has_rate(&ra->base, &ra->base.here, i))
            continue;
        for (int j = 0; j < old->stages; j++)
            before += (L[j * old->width] - L[j * old->width + 1]) * ra->cont[i * old->width + j];
        const double jump = ra->y[i] - before / (2 * near * ra->base.h_old);
        for (int k = 0; k < rk->stages; k++)
            ra->Z[i * rk->width + k] += rk->c[k] * h * jump;
    }
}

/* The polynomial of a step says nothing about one that is much longer. */
static const double reach = 12;

void dfl_radau_predict(dfl_stepper *st, double h)
{
    dfl_radau *ra = (dfl_radau *)st;
    const bool resumed = st->resumed && ra->rk_cont && ra->t_end == st->t;
    const bool longer = fabs(h) > reach * fabs(st->h_old);
    if (!(st->stepped || resumed) || st->options->newton.prediction == DFL_CONSTANT) {
        clear(ra);
    } else if (longer) {
        follow_slope(ra, h);
    } else {
        continue_polynomial(ra, h);
        if (resumed)
            add_jump(ra, h);
    }
    for (int k = 0; k < ra->rk->stages; k++)
        ra->stage[k].t = st->t + ra->rk->c[k] * h;
}
