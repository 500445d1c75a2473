/* The explicit pair of Dormand and Prince of order 8 (Hairer, Norsett and Wanner, Solving Ordinary
   Differential Equations I, II.5): twelve stages, of which the first is the end of the last step.
   As in DOP853, the error estimate of order 5 is corrected by one of order 3. With psf the end of
   each step is moved onto the constraints; the other forms follow their right-hand side. */
#include "integrate/explicit.h"

#include <math.h>
#include <string.h>

/* |e5|^2 / sqrt(|e5|^2 + (|e3|/10)^2) behaves like h^8 */
static double error_estimate(dfl_explicit *ex, double h)
{
    const dfl_system *sys = ex->base.sys;
    dfl_explicit_work *w = ex->work;
    const dfl_tableau *rk = w->rk;
    double norm[2];
    for (int k = 0; k < 2; k++) {
        memset(w->e, 0, (size_t)sys->n * sizeof(double));
        dfl_explicit_combine(w->e, w->e, h, rk->stages, rk->error[k], w->K, sys->at.r, sys->n);
        norm[k] = dfl_scale_error(ex->base.scale, w->e);
    }
    const double five = norm[0] * norm[0], three = 0.01 * norm[1] * norm[1];
    return five == 0 ? 0 : five / sqrt(five + three);
}

static dfl_outcome stages(double *err, dfl_explicit *ex, double h)
{
    dfl_stepper *st = &ex->base;
    const dfl_system *sys = st->sys;
    dfl_explicit_work *w = ex->work;
    const dfl_tableau *rk = w->rk;
    const size_t size = (size_t)sys->n * sizeof(double);
    memcpy(w->stage.x, st->here.x, size);
    for (int i = 1; i < rk->stages; i++) {
        dfl_explicit_combine(w->stage.x, st->here.x, h, i, rk->A[i], w->K, sys->at.r, sys->n);
        w->stage.t = st->t + rk->c[i] * h;
        dfl_outcome outcome = dfl_ode_rates(w->K[i], w->ode, &w->stage);
        if (!outcome) /* as at the ends of steps: what is between is watched */
            outcome = dfl_formulation_least_multipliers(&w->stage, st->form);
        if (outcome)
            return outcome;
        memcpy(w->X[i], w->stage.x, size);
    }
    memcpy(st->next.x, w->stage.x, size);
    dfl_explicit_combine(st->next.x, st->here.x, h, rk->stages, rk->A[rk->stages], w->K, sys->at.r,
                         sys->n);
    st->next.t = st->t + h;
    *err = error_estimate(ex, h);
    if (st->options->step.fixed == 0 && !(*err < 1))
        return isfinite(*err) ? DFL_STEP_OK : DFL_STEP_RETRY;
    return dfl_ode_finish(w->ode, &st->next);
}

static dfl_status init(dfl_stepper *st)
{
    return dfl_explicit_init(st, &dfl_dormand_prince_8);
}

static dfl_attempt attempt(dfl_stepper *st, double h, double *h_next)
{
    return dfl_explicit_attempt(st, h, h_next, stages);
}

const dfl_stepper_class dfl_explicit_pair_class = {.size = sizeof(dfl_explicit),
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
