/* Radau IIA: the method itself. Coefficients and the transformation that decouples the stages are
   Hairer and Wanner's (Solving Ordinary Differential Equations II, IV.8); stage equations, error
   estimate and Newton's iteration follow RADAU5, RADAU and GEOMS. Stage increments Z_i = X_i - x_k
   stand in lanes; with A^-1 = T Lambda T^-1 the unknowns of Newton's iteration are W = T^-1 Z. */
#include "integrate/radau.h"
#include "integrate/radau_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

static size_t lanes_size(const dfl_radau *ra)
{
    return (size_t)(ra->sys->n * ra->rk->width) * sizeof(double);
}

/* P (columns of the new width): Z0 = P cont, the collocation polynomial of the last step continued to
   the stages of a step of size h, less its value at the end of the last step. Often the same again. */
static void prepare_continuation(dfl_radau *ra, double h)
{
    const dfl_coefficients *rk = ra->rk, *old = ra->rk_cont;
    const double ratio = h / ra->h_cont;
    double l[DFL_RADAU_STAGES], *P = ra->P;
    if (ratio == ra->ratio && rk == old)
        return;
    ra->ratio = rk == old ? ratio : 0;
    for (int k = 0; k < rk->stages; k++) {
        dfl_coefficients_basis(l, old, 1 + rk->c[k] * ratio);
        l[old->stages - 1] -= 1;
        for (int j = 0; j < old->stages; j++)
            P[j * rk->width + k] = l[j];
    }
}

/* Z0 = P cont, the polynomial having another number of stages than the method. */
static void continue_other_order(dfl_radau *ra)
{
    const int width = ra->rk->width, old = ra->rk_cont->stages, old_width = ra->rk_cont->width;
    for (int i = 0; i < ra->sys->n; i++)
        for (int k = 0; k < width; k++) {
            double sum = 0;
            for (int j = 0; j < old; j++)
                sum += ra->P[j * width + k] * ra->cont[i * old_width + j];
            ra->Z0[i * width + k] = sum;
        }
}

void dfl_radau_predict(dfl_radau *ra, double h)
{
    if (!ra->have_cont || ra->options->prediction == DFL_CONSTANT) {
        memset(ra->Z0, 0, lanes_size(ra));
    } else {
        prepare_continuation(ra, h);
        if (ra->rk == ra->rk_cont)
            dfl_lanes_transform(ra->Z0, ra->rk->stages, ra->P, ra->sys->n, ra->cont);
        else
            continue_other_order(ra);
    }
    memcpy(ra->Z, ra->Z0, lanes_size(ra));
}

/* Redundant constraints: X = x_k + Z without its undetermined part, for the present kernel. */
void dfl_radau_settle(dfl_radau *ra)
{
    const int n1 = ra->sys->n1, s = ra->rk->stages, width = ra->rk->width;
    if (ra->form->defect > 0 && !ra->sys->psi1) {
        for (int i = 0; i < n1; i++)
            for (int k = 0; k < s; k++)
                ra->Z[i * width + k] += ra->here.x[i];
        dfl_formulation_minimum_norm(ra->Z, ra->form);
        for (int i = 0; i < n1; i++)
            for (int k = 0; k < s; k++)
                ra->Z[i * width + k] -= ra->here.x[i];
    }
    dfl_lanes_transform(ra->W, s, ra->rk->TI, ra->sys->n, ra->Z);
}

double dfl_radau_reference(dfl_radau *ra, double h, const double *Z, int stage)
{
    const dfl_system *sys = ra->sys;
    const dfl_coefficients *rk = ra->rk;
    for (int i = 0; i < sys->n; i++)
        ra->x_ref[i] = ra->here.x[i] + Z[i * rk->width + stage];
    if (sys->carried) {
        memcpy(ra->a_ref, ra->x_ref, (size_t)sys->n3 * sizeof *ra->a_ref);
    } else {
        dfl_lanes_combine(ra->a_ref, rk->stages, rk->AI + stage * rk->stages, sys->n3,
                          Z + sys->off_v * rk->width);
        for (int i = 0; i < sys->n3; i++)
            ra->a_ref[i] /= h;
    }
    return ra->t + rk->c[stage] * h;
}

dfl_outcome dfl_radau_factor(dfl_radau *ra, double h)
{
    const dfl_coefficients *rk = ra->rk;
    const int s = rk->stages, width = rk->width;
    double zeta[DFL_RADAU_STAGES] = {0}, *Lambda = ra->Lambda;
    for (int k = 0; k < s; k++)
        zeta[k] = rk->shift[k] / h;
    Lambda[0] = zeta[0];
    for (int k = 1; k < s; k += 2) { /* [alpha -beta; beta alpha] */
        Lambda[k * width + k] = Lambda[(k + 1) * width + k + 1] = zeta[k];
        Lambda[k * width + k + 1] = zeta[k + 1];
        Lambda[(k + 1) * width + k] = -zeta[k + 1];
    }
    dfl_outcome outcome = dfl_formulation_factor(ra->form, 1, s / 2, zeta);
    ra->h_factored = outcome ? 0 : h;
    return outcome;
}

/* Why Newton's increment is not finite. */
static dfl_outcome find_nonfinite(dfl_radau *ra)
{
    for (int k = 0; k < ra->rk->stages; k++) {
        dfl_outcome outcome = dfl_system_check_finite(ra->sys, &ra->stage[k]);
        if (outcome)
            return outcome;
    }
    return dfl_system_part_trouble(ra->sys, DFL_STEP_SINGULAR, DFL_FAILURE_NEWTON_MATRIX, ra->t);
}

static dfl_outcome evaluate_stages(dfl_radau *ra, double h)
{
    const dfl_coefficients *rk = ra->rk;
    double *x[DFL_RADAU_STAGES] = {NULL};
    for (int k = 0; k < rk->stages; k++)
        x[k] = ra->stage[k].x;
    dfl_lanes_scatter(x, rk->stages, ra->sys->n, ra->here.x, ra->Z);
    for (int k = 0; k < rk->stages; k++) {
        dfl_point *stage = &ra->stage[k];
        stage->t = ra->t + rk->c[k] * h;
        dfl_outcome outcome = dfl_system_eval(ra->sys, stage);
        if (outcome)
            return outcome;
    }
    return DFL_STEP_OK;
}

/* The size of dW as in RADAU5. With more stages T^-1 has entries of 30 to 300, by which rounding in W
   exceeds that in Z; then it is the size of dZ = T dW. */
static double increment_size(dfl_radau *ra)
{
    const int s = ra->rk->stages;
    if (s <= 3)
        return dfl_scale_newton(&ra->scale, ra->dW, s);
    dfl_lanes_transform(ra->dZ, s, ra->rk->T, ra->sys->n, ra->dW);
    return dfl_scale_newton(&ra->scale, ra->dZ, s);
}

/* One iteration: residuals of all stages, the increment dW, its norm. W and Z are not yet changed.
   YP = T^-1 x' = Lambda W,  x' = (1/h) A^-1 Z being the derivatives of the stages. */
dfl_outcome dfl_radau_iterate(double *size, dfl_radau *ra, double h)
{
    const dfl_system *sys = ra->sys;
    const dfl_coefficients *rk = ra->rk;
    const int s = rk->stages, first = sys->off_r * rk->width,
              moving = sys->n - sys->off_r; /* only r, v, s, p have derivatives */
    dfl_outcome outcome = evaluate_stages(ra, h);
    if (outcome)
        return outcome;
    dfl_lanes_transform(ra->YP + first, s, ra->Lambda, moving, ra->W + first);
    if (!sys->constant || ra->form->reads_rates)
        dfl_lanes_transform(ra->XP + first, s, rk->T, moving, ra->YP + first);
    outcome = dfl_formulation_residual(ra->rows, ra->form, ra->stage, s, rk->TI, ra->YP, ra->XP);
    if (outcome)
        return outcome;
    dfl_formulation_solve(ra->dW, ra->form, ra->rows);
    *size = increment_size(ra);
    return isfinite(*size) ? DFL_STEP_OK : find_nonfinite(ra);
}

void dfl_radau_update(dfl_radau *ra)
{
    const int n = ra->sys->n;
    dfl_lanes_add(ra->W, ra->rk->width, n, ra->dW);
    if (ra->rk->stages <= 3)
        dfl_lanes_transform(ra->Z, ra->rk->stages, ra->rk->T, n, ra->W);
    else
        dfl_lanes_add(ra->Z, ra->rk->width, n, ra->dZ);
}

/* err = B E^-1 S (dif(x_k) + diag(I,M,I) y),  y = (1/h) sum e_i Z_i, minus the slope of the collocation
   polynomial at x_k */
dfl_outcome dfl_radau_error(double *err, dfl_radau *ra, double h, bool refine)
{
    const int n = ra->sys->n;
    dfl_lanes_combine(ra->y, ra->rk->stages, ra->rk->e, n, ra->Z);
    for (int i = 0; i < n; i++)
        ra->y[i] /= h;
    dfl_outcome outcome = dfl_formulation_defect(ra->err, ra->form, &ra->here, ra->y);
    if (outcome)
        return outcome;
    *err = fmax(dfl_scale_error(&ra->scale, ra->err), 1e-10);
    if (*err < 1 || !refine)
        return DFL_STEP_OK;
    dfl_point *point = &ra->stage[0];
    point->t = ra->t;
    for (int i = 0; i < n; i++)
        point->x[i] = ra->here.x[i] + ra->err[i];
    outcome = dfl_system_eval_checked(ra->sys, point);
    if (!outcome)
        outcome = dfl_formulation_defect(ra->err, ra->form, point, ra->y);
    if (!outcome)
        *err = fmax(dfl_scale_error(&ra->scale, ra->err), 1e-10);
    return outcome;
}

void dfl_radau_candidate(dfl_radau *ra, double h)
{
    const int width = ra->rk->width, last = ra->rk->stages - 1;
    ra->next.t = ra->t + h;
    for (int i = 0; i < ra->sys->n; i++)
        ra->next.x[i] = ra->here.x[i] + ra->Z[i * width + last];
}

void dfl_radau_store(dfl_radau *ra, double h)
{
    double *const old = ra->cont;
    ra->cont = ra->Z;
    ra->Z = old;
    memcpy(ra->x_end, ra->next.x, (size_t)ra->sys->n * sizeof *ra->x_end);
    ra->rk_cont = ra->rk;
    ra->t_old = ra->t;
    ra->h_cont = h;
    ra->have_cont = true;
}

void dfl_radau_interpolate(double *x, const dfl_radau *ra, double t)
{
    const dfl_coefficients *rk = ra->rk_cont;
    const int n = ra->sys->n;
    double l[DFL_RADAU_STAGES];
    if (!ra->have_cont) {
        memcpy(x, ra->here.x, (size_t)n * sizeof *x);
        return;
    }
    dfl_coefficients_basis(l, rk, 1 + (t - ra->t) / ra->h_cont);
    l[rk->stages - 1] -= 1;
    dfl_lanes_combine(x, rk->stages, l, n, ra->cont);
    for (int i = 0; i < n; i++)
        x[i] += ra->x_end[i];
}
