/* Radau IIA: the method itself. Coefficients and the transformation that decouples the stages are
   Hairer and Wanner's (Solving Ordinary Differential Equations II, IV.8); stage equations, error
   estimate and Newton's iteration follow RADAU5, RADAU and GEOMS. Stage increments Z_i = X_i - x_k
   are stored in lanes and are the unknowns of Newton's iteration. */
#include "integrate/radau.h"

#include <float.h>
#include <math.h>
#include <string.h>

static size_t lanes_size(const dfl_radau *ra)
{
    return (size_t)(ra->base.sys->n * ra->rk->width) * sizeof(double);
}

/* X = x_k + Z at all stages, after Z += dZ unless dZ is NULL. */
static void place_stages(dfl_radau *ra, const double *dZ)
{
    const int s = ra->rk->stages;
    dfl_lanes_scatter(ra->stage[0].x, dfl_points_distance(ra->stage, s), s, ra->base.sys->n,
                      ra->base.here.x, ra->Z, dZ);
}

/* With redundant constraints: X without its undetermined part, for the present kernel. */
static void remove_undetermined(dfl_radau *ra)
{
    const dfl_stepper *st = &ra->base;
    const int n1 = st->sys->n1, s = ra->rk->stages, width = ra->rk->width;
    if (!dfl_formulation_has_undetermined(st->form))
        return;
    for (int i = 0; i < n1; i++)
        for (int k = 0; k < s; k++)
            ra->Z[i * width + k] += st->here.x[i];
    dfl_formulation_minimum_norm(ra->Z, st->form);
    for (int i = 0; i < n1; i++)
        for (int k = 0; k < s; k++)
            ra->Z[i * width + k] -= st->here.x[i];
}

/* The first stages. */
static void settle(dfl_stepper *st, double h)
{
    dfl_radau *ra = (dfl_radau *)st;
    const dfl_coefficients *rk = ra->rk;
    ra->stages = (dfl_stages){.points = ra->stage,
                              .count = rk->stages,
                              .T = rk->T,
                              .TI = rk->TI,
                              .LTI = ra->LTI,
                              .AI = ra->AI,
                              .h = h,
                              .x = st->here.x,
                              .weight = st->scale->newton_weight,
                              .Z = ra->Z,
                              .dZ = ra->dZ};
    remove_undetermined(ra);
    place_stages(ra, NULL);
}

/* The predicted stage of the options, or the present middle one. */
static double reference(dfl_stepper *st, double h, bool predicted)
{
    dfl_radau *ra = (dfl_radau *)st;
    const int s = ra->rk->stages, middle = s / 2;
    const int choice = (int)st->options->newton.reference - (int)DFL_REFERENCE_STAGE1;
    const int stage = predicted && choice != 1 ? choice / 2 * (s - 1) : middle;
    const double *Z = ra->Z;
    const dfl_system *sys = st->sys;
    const dfl_coefficients *rk = ra->rk;
    for (int i = 0; i < sys->n; i++)
        st->newton->x_ref[i] = st->here.x[i] + Z[i * rk->width + stage];
    if (sys->carried) {
        memcpy(st->newton->a_ref, st->newton->x_ref, (size_t)sys->n3 * sizeof *st->newton->a_ref);
    } else {
        dfl_lanes_combine(st->newton->a_ref, rk->stages, rk->AI + stage * rk->stages, sys->n3,
                          Z + sys->at.v * rk->width);
        for (int i = 0; i < sys->n3; i++)
            st->newton->a_ref[i] /= h;
    }
    return st->t + rk->c[stage] * h;
}

static dfl_outcome factor(dfl_stepper *st, double h)
{
    const dfl_coefficients *rk = ((const dfl_radau *)st)->rk;
    double zeta[DFL_RADAU_STAGES];
    for (int k = 0; k < rk->stages; k++)
        zeta[k] = rk->shift[k] / h;
    dfl_outcome outcome = dfl_formulation_factor(st->form, rk->stages / 2, zeta);
    st->newton->h_factored = outcome ? 0 : h;
    return outcome;
}

/* Increments of up to so many stages are measured as dW, as in RADAU5. With more stages T^-1 has
   entries of 30 to 300, which amplify rounding in W; then it is the size of dZ. */
enum { largest_transformed = 3 };

/* The increment of formulations that cannot increment all stages at once: residuals of all stages,
   transformed, with YP = T^-1 x' = Lambda W. x' = (1/h) A^-1 Z are the derivatives of the stages,
   Lambda the shifts that the matrix is factored for. */
static dfl_outcome transformed_increment(double *square, dfl_radau *ra)
{
    dfl_stepper *st = &ra->base;
    const dfl_system *sys = st->sys;
    const dfl_coefficients *rk = ra->rk;
    const int s = rk->stages, first = sys->at.r * rk->width,
              moving = sys->n - sys->at.r; /* only r, v, s, p have derivatives */
    dfl_outcome outcome = dfl_system_call(st->sys, ra->stage, s);
    const bool combines = dfl_formulation_combines(st->form);
    for (int k = 0; !combines && !outcome && k < s; k++)
        outcome = dfl_system_finish(st->sys, &ra->stage[k]);
    if (outcome)
        return outcome;
    dfl_lanes_transform(ra->W + first, s, rk->TI, moving, ra->Z + first);
    dfl_lanes_shift(ra->YP + first, rk->width, dfl_formulation_shifts(st->form), moving,
                    ra->W + first);
    if (dfl_formulation_reads_rates(st->form) && !combines)
        dfl_lanes_transform(ra->XP + first, s, rk->T, moving, ra->YP + first);
    outcome = dfl_formulation_residual(ra->rows, st->form, ra->stage, s, rk->TI, ra->YP, ra->XP);
    if (outcome)
        return outcome;
    dfl_formulation_solve(ra->dW, st->form, ra->rows);
    dfl_lanes_transform(ra->dZ, s, rk->T, sys->n, ra->dW);
    *square = dfl_scale_newton(st->scale, s > largest_transformed ? ra->dZ : ra->dW, s);
    if (isfinite(*square))
        place_stages(ra, ra->dZ);
    return DFL_STEP_OK;
}

/* The square of the size of an increment of all stages at once, whose weighted squares are known.
 */
static double increment_square(dfl_stepper *st, double squares)
{
    dfl_radau *ra = (dfl_radau *)st;
    const int s = ra->rk->stages;
    if (s > largest_transformed)
        return dfl_scale_newton_from(st->scale, squares, ra->dZ, s);
    dfl_lanes_transform(ra->dW, s, ra->rk->TI, st->sys->n, ra->dZ);
    return dfl_scale_newton(st->scale, ra->dW, s);
}

/* Why an increment is not finite; rows that were combined in lanes are not yet stored in the
   stages. */
static dfl_outcome nonfinite(dfl_radau *ra)
{
    dfl_stepper *st = &ra->base;
    const bool joint = ra->at_once && dfl_system_combines_in_lanes(st->sys);
    for (int k = 0; k < ra->rk->stages; k++)
        if (joint || dfl_formulation_combines(st->form))
            dfl_system_finish(st->sys, &ra->stage[k]);
    return dfl_implicit_nonfinite(st, ra->stage, ra->rk->stages);
}

static void retract(dfl_stepper *st)
{
    dfl_radau *ra = (dfl_radau *)st;
    for (int i = 0; i < st->sys->n * ra->rk->width; i++)
        ra->Z[i] -= ra->dZ[i];
}

/* Z and the stages move by an increment of all stages at once. */
static dfl_outcome joint_increment(double *square, dfl_radau *ra)
{
    dfl_stepper *st = &ra->base;
    dfl_outcome outcome = dfl_formulation_increment(square, st->form, &ra->stages, ra->rows);
    if (outcome || !isfinite(*square))
        return outcome;
    *square = increment_square(st, *square);
    if (isfinite(*square))
        return DFL_STEP_OK;
    retract(st); /* to where the rows were evaluated */
    place_stages(ra, NULL);
    return DFL_STEP_OK;
}

/* One iteration: Z and the stages move by dZ, unless its size is not finite. */
static dfl_outcome iterate(double *square, dfl_stepper *st, double h)
{
    (void)h;
    dfl_radau *ra = (dfl_radau *)st;
    dfl_outcome outcome =
        ra->at_once ? joint_increment(square, ra) : transformed_increment(square, ra);
    return outcome || isfinite(*square) ? outcome : nonfinite(ra);
}

/* (h/shift) (x' at x_k - the slope of the collocation polynomial there): the estimate without E^-1,
   which would hide what a stiff field does to a state off its slow motion. After a change of the
   field the state is such a one; on other fields both estimates agree. */
static double plain_error(dfl_stepper *st, double h)
{
    dfl_radau *ra = (dfl_radau *)st;
    const dfl_system *sys = st->sys;
    const double part = h / ra->rk->shift[ra->rk->stages / 2];
    dfl_stepper_rates(st->err, st, &st->here);
    for (int i = 0; i < sys->n; i++)
        st->err[i] = dfl_stepper_has_rate(st, &st->here, i) ? part * (st->err[i] + ra->y[i]) : 0;
    return dfl_scale_error(st->scale, st->err);
}

/* err = B E^-1 S (dif(x_k) + diag(I,M,I) y),  y = (1/h) sum e_i Z_i, minus the slope of the
   collocation polynomial at x_k */
static dfl_outcome error(double *err, dfl_stepper *st, double h, bool refine)
{
    dfl_radau *ra = (dfl_radau *)st;
    const int n = st->sys->n;
    ra->order.again = st->again;
    dfl_lanes_combine(ra->y, ra->rk->stages, ra->rk->e, n, ra->Z);
    for (int i = 0; i < n; i++)
        ra->y[i] /= h;
    dfl_outcome outcome = dfl_formulation_defect(st->err, st->form, &st->here, ra->y);
    if (outcome)
        return outcome;
    *err = dfl_order_error(ra, dfl_scale_error(st->scale, st->err));
    if (st->resumed) {
        const double plain = plain_error(st, h);
        ra->layer = plain > *err;
        *err = fmax(*err, plain);
        return DFL_STEP_OK;
    }
    if (*err < 1 || !refine)
        return DFL_STEP_OK;
    dfl_point *point = &ra->stage[0];
    point->t = st->t;
    for (int i = 0; i < n; i++)
        point->x[i] = st->here.x[i] + st->err[i];
    outcome = dfl_system_eval_checked(st->sys, point);
    if (!outcome)
        outcome = dfl_formulation_defect(st->err, st->form, point, ra->y);
    if (!outcome)
        *err = dfl_order_error(ra, dfl_scale_error(st->scale, st->err));
    return outcome;
}

static void candidate(dfl_stepper *st, double h)
{
    (void)h;
    const dfl_radau *ra = (const dfl_radau *)st;
    const int width = ra->rk->width, last = ra->rk->stages - 1;
    for (int i = 0; i < st->sys->n; i++)
        st->next.x[i] = st->here.x[i] + ra->Z[i * width + last];
}

static void store(dfl_stepper *st, double h)
{
    (void)h;
    dfl_radau *ra = (dfl_radau *)st;
    remove_undetermined(ra);
    memcpy(ra->cont, ra->Z, lanes_size(ra));
    memcpy(ra->x_end, st->next.x, (size_t)st->sys->n * sizeof *ra->x_end);
    for (int i = 0; i < st->sys->n1 && dfl_formulation_has_undetermined(st->form); i++)
        ra->x_end[i] = st->here.x[i] + ra->Z[i * ra->rk->width + ra->rk->stages - 1];
    ra->t_end = st->next.t;
    ra->rk_cont = ra->rk;
    st->order = ra->rk->order;
    st->degree = ra->rk->stages;
}

static void interpolate(double *x, const dfl_stepper *st, double t)
{
    const dfl_radau *ra = (const dfl_radau *)st;
    const dfl_coefficients *rk = ra->rk_cont;
    const int n = st->sys->n;
    double l[DFL_RADAU_STAGES];
    dfl_coefficients_basis(l, rk, 1 + (t - st->t) / st->h_old);
    l[rk->stages - 1] -= 1;
    dfl_lanes_combine(x, rk->stages, l, n, ra->cont);
    for (int i = 0; i < n; i++)
        x[i] += ra->x_end[i];
}

/* More stages need more, as in RADAU. */
static int iterations(const dfl_stepper *st)
{
    const int stages = ((const dfl_radau *)st)->rk->stages;
    return st->options->newton.iterations + (stages > 3 ? 2 * (stages - 3) : 0);
}

static double accepted(dfl_stepper *st, double h, double err, bool after_rejection)
{
    const bool cut = fabs(st->h) > fabs(h) * (1 + 1e-3); /* to end where a row or an instant is */
    const double h_new = dfl_controller_accepted(st->control, h, err, after_rejection);
    dfl_order_accepted((dfl_radau *)st, h_new / h, cut, after_rejection);
    return h_new;
}

/* In a layer after a switch the estimate grows with h alone. */
static double rejected(dfl_stepper *st, double h, double err)
{
    dfl_radau *ra = (dfl_radau *)st;
    double h_new = 0.1 * h;
    if (st->resumed && ra->layer)
        h_new = h * fmax(1e-4, 0.8 / err);
    else if (st->stepped || st->resumed)
        h_new = dfl_controller_rejected(st->control, h, err);
    dfl_order_rejected(ra, true, err);
    return h_new;
}

static void failed(dfl_stepper *st)
{
    dfl_order_rejected((dfl_radau *)st, false, 0);
}

static const dfl_implicit_class implicit = {.iterations = iterations,
                                            .predict = dfl_radau_predict,
                                            .settle = settle,
                                            .reference = reference,
                                            .factor = factor,
                                            .iterate = iterate,
                                            .retract = retract,
                                            .error = error,
                                            .accepted = accepted,
                                            .rejected = rejected,
                                            .failed = failed};

static int nodes(double *node, const dfl_stepper *st)
{
    const dfl_coefficients *rk = ((const dfl_radau *)st)->rk;
    memcpy(node, rk->c, (size_t)rk->stages * sizeof *node);
    return rk->stages - 1; /* the last one is the end */
}

const dfl_stepper_class dfl_radau_class = {.size = sizeof(dfl_radau),
                                           .stages = dfl_radau_max_stages,
                                           .init = dfl_radau_init,
                                           .bind = dfl_radau_bind,
                                           .clear = dfl_radau_clear,
                                           .start = dfl_radau_start,
                                           .resume = dfl_radau_resume,
                                           .use_order = dfl_radau_begin_with,
                                           .attempt = dfl_implicit_attempt,
                                           .candidate = candidate,
                                           .store = store,
                                           .interpolate = interpolate,
                                           .nodes = nodes,
                                           .implicit = &implicit};
