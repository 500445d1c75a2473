/* A half-explicit Runge-Kutta method of order 5 for the equations of motion with constraints on
   velocity level (index 2): Dormand and Prince's pair 5(4) with an explicit first stage.

       P_i = p0 + h sum_{j<i} a_ij P'_j,   V_i = v0 + h sum_{j<i} a_ij V'_j,     i = 1 ... 7
       M(P_i) V'_i = f(P_i, V_i) - W(P_i)^T L_i
       0 = gI(P_{i+1}, V_{i+1})                   determines V'_i and L_i,       i = 2 ... 6

   V'_1 and L_1 follow from the acceleration level at the beginning of the step, (p1, v1) = (P_7,
   V_7). P_{i+1} does not contain V'_i, so a stage needs one linear system with M, W at P_i and W at
   P_{i+1}. Half-explicit methods with an explicit stage are Arnold's (BIT 38, 1998; see also Murua
   1997). In addition to the order conditions for ordinary differential equations, those for index 2
   (Hairer, Lubich and Roche 1989) are satisfied: since sum_j a_ij c_j^(k-1) = c_i^k / k for k = 1,
   2, 3 and i > 2, only two are left,

       sum x_j c_{j+1}^4 = 4/5,   sum x_j c_{j+1} a_{j+1,2} = 0,
       with   sum_i x_i a_{i+1,j} = b_j c_j  (j > 1),

   and these coefficients satisfy them (tests/integrate/test_tableau.c). P_7 is moved onto g = 0
   before V_7 is determined: positions and velocities satisfy their constraints at the end of each
   step. */
#include "integrate/explicit.h"

#include <math.h>
#include <string.h>

static dfl_outcome constrained_stage(dfl_explicit *ex, double h, int i);
static dfl_outcome end_of_step(dfl_explicit *ex, double h);
static double error_estimate(dfl_explicit *ex, double h);

static dfl_outcome stages(double *err, dfl_explicit *ex, double h)
{
    dfl_stepper *st = &ex->base;
    const dfl_system *sys = st->sys;
    dfl_explicit_work *w = ex->work;
    const dfl_tableau *rk = w->rk;
    memcpy(w->stage.x, st->here.x, (size_t)sys->n * sizeof(double));
    dfl_explicit_combine(w->stage.x, st->here.x, h, 1, rk->A[1], w->K, sys->at.r, sys->n);
    w->stage.t = st->t + rk->c[1] * h;
    dfl_outcome outcome = dfl_ode_contact(w->ode, &w->stage);
    if (!outcome)
        outcome = dfl_ode_massless(w->ode, &w->stage);
    for (int i = 1; !outcome && i < rk->stages; i++)
        outcome = constrained_stage(ex, h, i);
    if (!outcome)
        outcome = end_of_step(ex, h);
    if (!outcome)
        *err = error_estimate(ex, h);
    return !outcome && !isfinite(*err) ? DFL_STEP_RETRY : outcome;
}

/* Positions of stage i + 1, in `after`, with a trial velocity without V'_i; and its constraints. */
static dfl_outcome next_positions(dfl_explicit *ex, double h, int i)
{
    dfl_stepper *st = &ex->base;
    dfl_system *sys = st->sys;
    dfl_explicit_work *w = ex->work;
    const dfl_tableau *rk = w->rk;
    const double *x0 = st->here.x, *weight = rk->A[i + 1];
    dfl_point *after = &w->after;
    memcpy(after->x, w->stage.x, (size_t)sys->n * sizeof(double));
    dfl_explicit_combine(after->x, x0, h, i, weight, w->K, sys->at.v, sys->at.sp);
    dfl_explicit_combine(after->x, x0, h, i + 1, weight, w->K, sys->at.sp, sys->n);
    after->t = st->t + rk->c[i + 1] * h;
    if (i + 1 == rk->stages)
        return dfl_ode_move_positions(w->ode, after);
    dfl_outcome outcome = dfl_ode_contact(w->ode, after);
    return outcome ? outcome : dfl_system_eval_blocks(sys, after, DFL_DIRECTIONS | DFL_VELOCITY);
}

/* Stage i, whose state and (except in the first) W are in `stage`; afterwards stage i + 1 is
   there. */
static dfl_outcome constrained_stage(dfl_explicit *ex, double h, int i)
{
    dfl_stepper *st = &ex->base;
    dfl_system *sys = st->sys;
    dfl_explicit_work *w = ex->work;
    const double weight = h * w->rk->A[i + 1][i], *trial = w->after.blocks.gI;
    dfl_point *stage = &w->stage, *after = &w->after;
    double *target = w->target;
    const unsigned need = DFL_FORCE | DFL_KINEMATICS | DFL_DYNAMIC | DFL_AUXILIARY;
    dfl_outcome outcome = dfl_system_eval_blocks(sys, stage, i == 1 ? need | DFL_DIRECTIONS : need);
    if (outcome)
        return outcome;
    dfl_ode_write_rates(w->K[i], sys, stage); /* positions; the rest follows */
    outcome = next_positions(ex, h, i);
    if (outcome)
        return outcome;
    for (int k = 0; k < sys->nc; k++)
        target[k] = -trial[k] / weight;
    outcome = dfl_ode_solve_with(w->ode, stage, after->blocks.W, target);
    if (outcome)
        return outcome;
    dfl_ode_write_rates(w->K[i], sys, stage);
    memcpy(w->X[i], stage->x, (size_t)sys->n * sizeof(double));
    dfl_explicit_combine(after->x, st->here.x, h, i + 1, w->rk->A[i + 1], w->K, sys->at.r,
                         sys->at.sp);
    memcpy(after->x, stage->x, (size_t)sys->n1 * sizeof(double));
    const dfl_point old = *stage;
    *stage = *after;
    *after = old;
    return dfl_ode_massless(w->ode, stage);
}

/* The end already satisfies the constraints on velocity level. */
static dfl_outcome move_onto_invariants(dfl_explicit *ex)
{
    dfl_stepper *st = &ex->base;
    dfl_ode *ode = ex->work->ode;
    if (st->sys->eom->ne == 0)
        return DFL_STEP_OK;
    dfl_outcome outcome = dfl_system_eval_blocks(st->sys, &st->next, DFL_DIRECTIONS);
    if (!outcome)
        outcome = dfl_ode_factor(ode, &st->next);
    return outcome ? outcome : dfl_ode_move_invariants(ode, &st->next);
}

/* The end of the step: accelerations and multipliers from the acceleration level, and all rows. */
static dfl_outcome end_of_step(dfl_explicit *ex, double h)
{
    dfl_stepper *st = &ex->base;
    dfl_explicit_work *w = ex->work;
    memcpy(st->next.x, w->stage.x, (size_t)st->sys->n * sizeof(double));
    st->next.t = st->t + h;
    dfl_outcome outcome = move_onto_invariants(ex);
    return outcome ? outcome : dfl_ode_settle(w->ode, &st->next);
}

/* The difference from the solution of order 4, without its part across the constraints: there the
   multipliers of the stages are less accurate, and the end has no error. */
static double error_estimate(dfl_explicit *ex, double h)
{
    dfl_stepper *st = &ex->base;
    const dfl_system *sys = st->sys;
    dfl_explicit_work *w = ex->work;
    const dfl_tableau *rk = w->rk;
    const int nc = sys->nc, nv = sys->n3;
    double *e = st->err, *ev = e + sys->at.v, *target = w->target, *change = w->e;
    dfl_ode_write_rates(w->K[rk->stages], sys, &st->next);
    memset(e, 0, (size_t)sys->n * sizeof(double));
    dfl_explicit_combine(e, e, h, rk->stages + 1, rk->error[0], w->K, sys->at.r, sys->n);
    for (int i = 0; i < nc; i++)
        target[i] = 0;
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < nc; i++)
            target[i] -= st->next.blocks.W[j * nc + i] * ev[j];
    dfl_ode_least_change(change, w->ode, target);
    for (int j = 0; j < nv; j++)
        ev[j] += change[j];
    return dfl_scale_error(st->scale, e);
}

static dfl_status init(dfl_stepper *st)
{
    return dfl_explicit_init(st, &dfl_dormand_prince_5);
}

static dfl_attempt attempt(dfl_stepper *st, double h, double *h_next)
{
    return dfl_explicit_attempt(st, h, h_next, stages);
}

const dfl_stepper_class dfl_half_explicit_class = {.size = sizeof(dfl_explicit),
                                                   .stages = dfl_explicit_lanes,
                                                   .right_hand_side = true,
                                                   .init = init,
                                                   .bind = dfl_explicit_bind,
                                                   .clear = dfl_explicit_clear,
                                                   .start = dfl_explicit_start,
                                                   .attempt = attempt,
                                                   .store = dfl_explicit_store,
                                                   .interpolate = dfl_explicit_interpolate,
                                                   .nodes = dfl_explicit_nodes};
