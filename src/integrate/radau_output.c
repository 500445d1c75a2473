/* The solution of Radau IIA between the ends of the last step.

   The collocation polynomial u has the slopes of the motion at the stages, but its own at the start of the step. With
   the slope of the motion there as well, for r, v and p,

       U(x) = u(x) + (h x'_k - u'(0)) q(x),    q(x) = int_0^x prod (1 - t/c_i) dt,

   the error gains an order. q vanishes at 0, and at 1 too, prod (t - c_i) being orthogonal to 1 for more than one
   stage: the ends of the step stay what they are. */
#include "integrate/radau.h"

#include <string.h>

/* h x'_k - u'(0) where x'_k is known: in forms with accelerations, which are v' but in massless directions. */
static void set_bend(dfl_radau *ra, double h)
{
    const dfl_stepper *st = &ra->base;
    const dfl_system *sys = st->sys;
    const dfl_eom *eom = sys->eom;
    const dfl_point *here = &st->here;
    ra->bent = ra->rk->stages > 1 && eom->n0 == 0 && dfl_formulation_knows_rates(st->form);
    if (!ra->bent)
        return;
    dfl_lanes_combine(ra->bend, ra->rk->stages, ra->rk->e, sys->n, ra->Z); /* -u'(0) */
    memset(ra->bend, 0, (size_t)sys->off_r * sizeof *ra->bend);
    for (int i = 0; i < eom->nr; i++)
        ra->bend[sys->off_r + i] += h * here->blocks.b[i];
    for (int i = 0; i < eom->nv; i++)
        ra->bend[sys->off_v + i] += h * here->a[i];
    memset(ra->bend + sys->off_sp, 0, (size_t)eom->ns * sizeof *ra->bend);
    for (int i = 0; i < eom->np; i++)
        ra->bend[sys->off_p + i] += h * here->blocks.kin[i];
}

void dfl_radau_store(dfl_stepper *st, double h)
{
    dfl_radau *ra = (dfl_radau *)st;
    double *const old = ra->cont;
    set_bend(ra, h);
    ra->cont = ra->Z;
    ra->Z = old;
    memcpy(ra->x_end, st->next.x, (size_t)st->sys->n * sizeof *ra->x_end);
    ra->rk_cont = ra->rk;
    st->order = ra->rk->order;
    st->degree = ra->rk->stages + ra->bent;
}

/* q(x) from the coefficients of prod (1 - t/c_i). */
static double bend_shape(const dfl_coefficients *rk, double x)
{
    double product[DFL_RADAU_STAGES + 1] = {1}, sum = 0;
    for (int i = 0; i < rk->stages; i++)
        for (int k = i + 1; k > 0; k--)
            product[k] -= product[k - 1] / rk->c[i];
    for (int k = rk->stages; k >= 0; k--)
        sum = sum * x + product[k] / (k + 1);
    return sum * x;
}

void dfl_radau_interpolate(double *x, const dfl_stepper *st, double t)
{
    const dfl_radau *ra = (const dfl_radau *)st;
    const dfl_coefficients *rk = ra->rk_cont;
    const int n = st->sys->n;
    const double place = 1 + (t - st->t) / st->h_old;
    const double q = ra->bent ? bend_shape(rk, place) : 0;
    double l[DFL_RADAU_STAGES];
    dfl_coefficients_basis(l, rk, place);
    l[rk->stages - 1] -= 1;
    dfl_lanes_combine(x, rk->stages, l, n, ra->cont);
    for (int i = 0; i < n; i++)
        x[i] += ra->x_end[i];
    for (int i = st->sys->off_r; ra->bent && i < n; i++)
        x[i] += q * ra->bend[i];
}
