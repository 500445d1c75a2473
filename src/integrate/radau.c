/* Radau IIA(5): the method itself. Coefficients and the transformation that decouples the stages
   are Hairer and Wanner's (Solving Ordinary Differential Equations II, IV.8); stage equations,
   error estimate and Newton's iteration follow RADAU5 and GEOMS. Stage increments Z_i = X_i - x_k
   stand in lanes; with A^-1 = T Lambda T^-1 the unknowns of Newton's iteration are W = T^-1 Z. */
#include "integrate/radau.h"
#include "integrate/radau_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { S = DFL_RADAU_STAGES, L = DFL_LANES };

static const double c1 = 0.15505102572168219018, c2 = 0.64494897427831780982; /* (4 -+ sqrt 6)/10 */
static const double c[S] = {0.15505102572168219018, 0.64494897427831780982, 1};

/* T and T^-1 by columns, with an empty fourth stage. */
static const double T[L * L] = {0.091232394870892942792,
                                0.24171793270710701896,
                                0.96604818261509293619,
                                0,
                                -0.14125529502095420843,
                                0.20412935229379993199,
                                1,
                                0,
                                -0.030029194105147424492,
                                0.38294211275726193779,
                                0};
static const double TI[L * L] = {
    4.3255798900631553510,  -4.1787185915519047273,  -0.50287263494578687595, 0,
    0.33919925181580986954, -0.32768282076106238708, 2.5719269498556054292,   0,
    0.54177053993587487119, 0.47662355450055045196,  -0.59603920482822492497};

/* Eigenvalues gamma and alpha + i beta of A^-1; coefficients of the error estimate. */
static const double gamma_ = 3.6378342527444957322;
static const double alpha = 2.6810828736277521339, beta = 3.0504301992474105694;
static const double e[S] = {-10.048809399827415562, 1.3821427331607488958, -0.33333333333333333333};

/* Lanes of T^-1 x' = (1/h) Lambda W,  x' = (1/h) A^-1 Z being the derivatives of the stages. */
static void derivatives(double *YP, const double *W, double h, int n)
{
    const double g = gamma_ / h, a = alpha / h, b = beta / h;
    const double Lambda[L * L] = {g, 0, 0, 0, 0, a, b, 0, 0, -b, a};
    dfl_lanes_transform(YP, Lambda, n, W);
}

/* The increment polynomial of the last step, continued: P(q) with q = (t - t_k)/h_cont. */
static double increment_at(const double *cont, double q)
{
    return q * (cont[1] + (q - (c2 - 1)) * (cont[2] + (q - (c1 - 1)) * cont[3]));
}

static double increment_slope(const double *cont, double q)
{
    const double inner = cont[2] + (q - (c1 - 1)) * cont[3];
    return cont[1] + (q - (c2 - 1)) * inner + q * (inner + (q - (c2 - 1)) * cont[3]);
}

void dfl_radau_predict(dfl_radau *ra, double h)
{
    const int n = ra->sys->n;
    if (!ra->have_cont || ra->options->prediction == DFL_CONSTANT) {
        memset(ra->Z0, 0, (size_t)n * L * sizeof(double));
    } else {
        for (int k = 0; k < S; k++) {
            const double q = c[k] * h / ra->h_cont;
            for (int i = 0; i < n; i++)
                ra->Z0[i * L + k] = increment_at(ra->cont + i * L, q);
        }
    }
    memcpy(ra->Z, ra->Z0, (size_t)n * L * sizeof(double));
}

/* Redundant constraints: X = x_k + Z without its undetermined part, for the present kernel. */
void dfl_radau_settle(dfl_radau *ra)
{
    const int n = ra->sys->n, n1 = ra->sys->n1;
    if (ra->form->defect > 0 && !ra->sys->psi1) {
        for (int i = 0; i < n1; i++)
            for (int k = 0; k < S; k++)
                ra->Z[i * L + k] += ra->here.x[i];
        dfl_formulation_minimum_norm(ra->Z, ra->form);
        for (int i = 0; i < n1; i++)
            for (int k = 0; k < S; k++)
                ra->Z[i * L + k] -= ra->here.x[i];
    }
    dfl_lanes_transform(ra->W, TI, n, ra->Z);
}

double dfl_radau_reference(dfl_radau *ra, double h, int stage)
{
    const dfl_system *sys = ra->sys;
    const double q = c[stage] * h / ra->h_cont;
    for (int i = 0; i < sys->n; i++)
        ra->x_ref[i] = ra->here.x[i] + ra->Z0[i * L + stage];
    for (int i = 0; i < sys->n3; i++)
        ra->a_ref[i] = sys->carried
                           ? ra->x_ref[i]
                           : increment_slope(ra->cont + (sys->off_v + i) * L, q) / ra->h_cont;
    return ra->t + c[stage] * h;
}

double dfl_radau_current(dfl_radau *ra, double h, int stage)
{
    const dfl_system *sys = ra->sys;
    for (int i = 0; i < sys->n; i++)
        ra->x_ref[i] = ra->here.x[i] + ra->Z[i * L + stage];
    const int v = sys->off_v * L;
    if (!sys->carried)
        dfl_lanes_transform(ra->XP + v, T, sys->n3, ra->YP + v);
    for (int i = 0; i < sys->n3; i++)
        ra->a_ref[i] = sys->carried ? ra->x_ref[i] : ra->XP[v + i * L + stage];
    return ra->t + c[stage] * h;
}

dfl_outcome dfl_radau_factor(dfl_radau *ra, double h)
{
    const double zeta[S] = {gamma_ / h, alpha / h, beta / h};
    dfl_outcome outcome = dfl_formulation_factor(ra->form, 1, 1, zeta);
    ra->h_factored = outcome ? 0 : h;
    return outcome;
}

/* Why Newton's increment is not finite. */
static dfl_outcome find_nonfinite(dfl_radau *ra)
{
    for (int k = 0; k < S; k++) {
        dfl_outcome outcome = dfl_system_check_finite(ra->sys, &ra->stage[k]);
        if (outcome)
            return outcome;
    }
    return dfl_system_part_trouble(ra->sys, DFL_STEP_SINGULAR, DFL_FAILURE_NEWTON_MATRIX, ra->t);
}

/* One iteration: residuals of all stages, the increment dW, its norm. W and Z are not yet changed. */
dfl_outcome dfl_radau_iterate(double *size, dfl_radau *ra, double h)
{
    dfl_system *sys = ra->sys;
    const int n = sys->n;
    double *const x0 = ra->stage[0].x, *const x1 = ra->stage[1].x, *const x2 = ra->stage[2].x;
    for (int i = 0; i < n; i++) {
        const double x = ra->here.x[i], *Z = ra->Z + i * L;
        x0[i] = x + Z[0];
        x1[i] = x + Z[1];
        x2[i] = x + Z[2];
    }
    for (int k = 0; k < S; k++) {
        dfl_point *stage = &ra->stage[k];
        stage->t = ra->t + c[k] * h;
        dfl_outcome outcome = dfl_system_eval(sys, stage);
        if (outcome)
            return outcome;
    }
    const int first = sys->off_r * L,
              moving = n - sys->off_r; /* only r, v, s, p have derivatives */
    derivatives(ra->YP + first, ra->W + first, h, moving);
    if (!sys->constant)
        dfl_lanes_transform(ra->XP + first, T, moving, ra->YP + first);
    dfl_outcome outcome =
        dfl_formulation_residual(ra->rows, ra->form, ra->stage, S, TI, ra->YP, ra->XP);
    if (outcome)
        return outcome;
    dfl_formulation_solve(ra->dW, ra->form, ra->rows);
    *size = dfl_scale_newton(&ra->scale, ra->dW, S);
    return isfinite(*size) ? DFL_STEP_OK : find_nonfinite(ra);
}

void dfl_radau_update(dfl_radau *ra)
{
    const int n = ra->sys->n;
    dfl_lanes_add(ra->W, n, ra->dW);
    dfl_lanes_transform(ra->Z, T, n, ra->W);
}

/* err = B E^-1 S (dif(x_k) + diag(I,M,I) y),  y = (1/h) sum e_i Z_i */
dfl_outcome dfl_radau_error(double *err, dfl_radau *ra, double h, bool refine)
{
    const int n = ra->sys->n;
    for (int i = 0; i < n; i++)
        ra->y[i] = (e[0] * ra->Z[i * L] + e[1] * ra->Z[i * L + 1] + e[2] * ra->Z[i * L + 2]) / h;
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
    ra->next.t = ra->t + h;
    for (int i = 0; i < ra->sys->n; i++)
        ra->next.x[i] = ra->here.x[i] + ra->Z[i * L + S - 1];
}

/* cont = (x_{k+1}, c', c'', c''') of the interpolation polynomial of the increments */
void dfl_radau_store(dfl_radau *ra, double h)
{
    const int n = ra->sys->n;
    for (int i = 0; i < n; i++) {
        const double *Z = ra->Z + i * L;
        double *cont = ra->cont + i * L;
        const double slope = (Z[0] - Z[1]) / (c1 - c2), q = (slope - Z[0] / c1) / c2;
        cont[0] = ra->next.x[i];
        cont[1] = (Z[1] - Z[2]) / (c2 - 1);
        cont[2] = (slope - cont[1]) / (c1 - 1);
        cont[3] = cont[2] - q;
    }
    ra->t_old = ra->t;
    ra->h_cont = h;
    ra->have_cont = true;
}

void dfl_radau_interpolate(double *x, const dfl_radau *ra, double t)
{
    const double q = ra->have_cont ? (t - ra->t) / ra->h_cont : 0;
    for (int i = 0; i < ra->sys->n; i++)
        x[i] = ra->have_cont ? ra->cont[i * L] + increment_at(ra->cont + i * L, q) : ra->here.x[i];
}
