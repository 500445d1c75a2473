/* Why a step could not be taken, and the watch on singular positions.

   Along a smooth motion through a singular position the weak singular values of W pass zero with
   continued singular vectors: eigenvalues of W(x_{k+1}) W(x_k)^+ change from positive to negative
   real part. A solver that steps over such a point may continue on a wrong branch although every
   residual is zero. So a step that shows the flip is not taken. */
#include "integrate/failure.h"
#include "integrate/chart_watch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Below this ratio of the smallest to the largest value of W's decomposition the flip is
   watched. */
static const double watch = 0.2;

/* If the step size collapses while the constraints are weak, a singular position may be near:
   rounding in the multipliers, amplified by the weakness, may stop Newton's iteration before it. */
static dfl_status weak_failure(dfl_stepper *st, double h)
{
    char rows[256];
    dfl_formulation_weak_rows(rows, sizeof rows, st->form);
    return dfl_fail(st->sys->ctx, DFL_NOT_CONVERGED,
                    "Newton's iteration does not converge at t = %.10g, step size %.3g; the "
                    "constraints %s are nearly dependent there (smallest/largest singular value "
                    "%.1e): a singular position may be close, or the tolerance too small",
                    st->t, h, rows, dfl_formulation_weakest(st->form));
}

static dfl_status rank_failure(dfl_stepper *st, double t)
{
    dfl_formulation *form = st->form;
    dfl_system *sys = st->sys;
    char rows[256];
    dfl_formulation_weak_rows(rows, sizeof rows, form);
    const int after = dfl_formulation_rank_found(form),
              before = dfl_formulation_rank_expected(form);
    const int invariants = dfl_formulation_invariants(form);
    if (st->watch->violated >= 0) {
        char name[64];
        const int row = st->watch->violated, nl = sys->eom->nl;
        const double residual = row < nl ? st->next.blocks.g[row] : st->next.blocks.hv[row - nl];
        dfl_eom_name(name, sizeof name, sys->eom, row < nl ? DFL_ROW_G : DFL_ROW_HV,
                     row < nl ? row : row - nl);
        return dfl_fail(sys->ctx, DFL_RANK_CHANGED,
                        "constraint %s, redundant at the start (rank %d of %d), is no longer "
                        "satisfied by itself at t = %.10g: its residual is %.3g",
                        name, dfl_formulation_rank(form), sys->nc, st->t, residual);
    }
    if (st->watch->flips > 0)
        return dfl_fail(sys->ctx, DFL_RANK_CHANGED,
                        "singular position at t = %.8g: the constraints %s become dependent there "
                        "(rank %d -> %d) and the motion branches",
                        st->watch->t_flip, rows, before, before - st->watch->flips);
    if (after == before)
        return dfl_fail(
            sys->ctx, DFL_RANK_CHANGED,
            "singular position close to t = %.10g: the constraints %s become dependent "
            "there (rank %d -> %d, smallest/largest singular value %.1e so far) and the "
            "motion branches",
            t, rows, before, before - 1, dfl_formulation_weakest(form));
    if (invariants > 0 && st->options->constraints.rigid_invariants &&
        sys->trouble.part == DFL_FAILURE_VELOCITY)
        return dfl_fail(sys->ctx, DFL_RANK_CHANGED,
                        "at t = %.10g the %d invariants e depend on each other or on the "
                        "constraints; without rigid_invariants they are dropped where they do",
                        st->t, invariants);
    return dfl_fail(
        sys->ctx, DFL_RANK_CHANGED,
        "the rank of the constraints changes at t = %.10g from %d to %d; rows involved: %s", st->t,
        before, after, rows);
}

/* The smallest over the largest value of W at the positions that the present rates lead to after
   `tau`; NaN if W cannot be evaluated there. Overwrites `next`. */
static double weakness_after(dfl_stepper *st, double tau)
{
    dfl_system *sys = st->sys;
    dfl_point *point = &st->next;
    memcpy(point->x, st->here.x, (size_t)sys->n * sizeof *point->x);
    for (int i = 0; i < sys->eom->np; i++)
        point->x[sys->at.p + i] += tau * st->here.blocks.kin[i];
    point->t = st->t + tau;
    return dfl_system_eval_blocks(sys, point, DFL_DIRECTIONS)
               ? NAN
               : dfl_formulation_weakness(st->form, point);
}

/* Whether the weakness of the constraints, continued along the motion, vanishes after a short way,
   a tenth of a radian or of the size of positions; *t: the time. Constraints that are always weak
   are not a sign of it. */
static bool heads_for_singular_position(double *t, dfl_stepper *st)
{
    const dfl_system *sys = st->sys;
    double speed = 0;
    if (sys->geoms || dfl_formulation_weakest(st->form) > watch ||
        dfl_formulation_redundant(st->form) > 0)
        return false;
    for (int i = 0; i < sys->eom->np; i++)
        speed = fmax(speed, fabs(st->here.blocks.kin[i]) / (1 + fabs(st->here.x[sys->at.p + i])));
    const double little = copysign(1e-6, st->h) / speed, now = weakness_after(st, 0);
    const double tau = -now * little / (weakness_after(st, little) - now);
    *t = st->t + tau;
    return tau / little > 0 && fabs(tau) * speed < 0.1 && weakness_after(st, tau) < now / 3;
}

/* Whether M, positive until now, is not so a little later, 1e-6 of the time, with the present
   rates; `velocity`: along which. */
static bool mass_vanishes(int *velocity, dfl_stepper *st)
{
    const dfl_system *sys = st->sys;
    double *x = st->next.x;
    if (dfl_formulation_lost_mass(st->form, st->t, st->here.x + sys->na) != -1)
        return false;
    for (double part = 1e-12; part < 2e-6; part *= 10) {
        const double tau = copysign(part * (st->t != 0 ? fabs(st->t) : 1), st->h);
        memcpy(x, st->here.x, (size_t)sys->n * sizeof *x);
        for (int i = 0; i < sys->eom->np; i++)
            x[sys->at.p + i] += tau * st->here.blocks.kin[i];
        *velocity = dfl_formulation_lost_mass(st->form, st->t + tau, x + sys->na);
        if (*velocity >= 0)
            return true;
    }
    return false;
}

static dfl_status mass_failure(const dfl_stepper *st, int velocity)
{
    char name[64];
    dfl_eom_name(name, sizeof name, st->sys->eom, DFL_KIND_V, velocity);
    return dfl_fail(
        st->sys->ctx, DFL_SINGULAR,
        "the mass along %s vanishes at t = %.10g and would be negative afterwards: "
        "accelerations grow without bound; check masses that depend on time or positions",
        name, st->t);
}

static dfl_status explicit_failure(const dfl_stepper *st, double h)
{
    return dfl_fail(
        st->sys->ctx, DFL_NOT_CONVERGED,
        "the step size falls to %.3g at t = %.10g; the motion or the forces may be "
        "discontinuous there, or stiff (then use the method radau), or the tolerance too "
        "small",
        h, st->t);
}

/* A fixed step is not made shorter, so its iteration must converge. */
static dfl_status unconverged_failure(const dfl_stepper *st, double h)
{
    return dfl_fail(st->sys->ctx, DFL_NOT_CONVERGED,
                    "Newton's iteration has not converged in the step of fixed size %.3g from t = "
                    "%.10g: after %d iterations its last increment is %.2g times too large; try a "
                    "smaller fixed_step, more newton_iterations or newton_updates, prediction = "
                    "constant, or another form; accept_unconverged takes such steps as they are",
                    h, st->t, st->watch->iterations, st->watch->excess);
}

dfl_status dfl_step_failure(dfl_stepper *st, double h)
{
    const dfl_trouble *trouble = &st->sys->trouble;
    dfl_context *ctx = st->sys->ctx;
    char row[80];
    if (st->watch->undetermined)
        return dfl_formulation_undetermined(st->form, st->next.t);
    if (st->watch->excess > 0)
        return unconverged_failure(st, h);
    if ((trouble->outcome == DFL_STEP_OK || trouble->outcome == DFL_STEP_SINGULAR) &&
        dfl_chart_ends(st))
        return dfl_chart_failure(st);
    switch (trouble->outcome) {
    case DFL_STEP_STOP:
        return dfl_fail(ctx, DFL_CALLBACK, "%s stopped the computation at t = %.10g",
                        trouble->callback, trouble->t);
    case DFL_STEP_RETRY:
        return dfl_fail(ctx, DFL_CALLBACK,
                        "%s keeps refusing the state at t = %.10g, even with a step of %.3g",
                        trouble->callback, trouble->t, h);
    case DFL_STEP_NONFINITE:
        dfl_system_trouble_name(row, sizeof row, st->sys);
        return dfl_fail(ctx, DFL_NOT_FINITE,
                        "%s returns NaN or Inf in %s at t = %.10g, even with a step of %.3g%s",
                        trouble->callback, row, trouble->t, h,
                        st->options->step.fixed > 0 ? "; the iteration may diverge with fixed_step"
                                                    : "");
    case DFL_STEP_RANK:
        return rank_failure(st, st->t);
    default:
        break;
    }
    double t = st->t;
    const bool heads = st->sys->nc > 0 && heads_for_singular_position(&t, st);
    if (heads || (dfl_formulation_weakest(st->form) < 1e-2 && st->sys->nc > 0)) {
        st->sys->trouble.part = DFL_FAILURE_VELOCITY;
        return rank_failure(st, heads ? t : st->t);
    }
    int velocity;
    if (mass_vanishes(&velocity, st))
        return mass_failure(st, velocity);
    if (trouble->outcome == DFL_STEP_SINGULAR)
        return dfl_fail(ctx, DFL_SINGULAR, "%s is singular at t = %.10g", trouble->callback, st->t);
    if (!st->class->implicit)
        return explicit_failure(st, h);
    if (dfl_formulation_weakest(st->form) < watch && st->sys->nc > 0)
        return weak_failure(st, h);
    return dfl_fail(ctx, DFL_NOT_CONVERGED,
                    "Newton's iteration does not converge at t = %.10g, step size %.3g; the motion "
                    "or the forces may be discontinuous there, or the tolerance too small%s",
                    st->t, h,
                    st->sys->stats->accepted < 5
                        ? ", or the model's derivatives are wrong (self_check looks for that)"
                        : "");
}

/* Whether the constraints are far from dependent, and have not turned much in the step. */
static bool flips_are_excluded(dfl_stepper *st)
{
    if (dfl_formulation_redundant(st->form) > 0 && !st->sys->packed)
        return dfl_formulation_weakest(st->form) > watch &&
               dfl_formulation_change(st->form, &st->here, &st->next) < 0.9;
    st->watch->drift = dfl_formulation_drift(st->form, &st->next);
    return !st->sys->packed && dfl_formulation_weakest(st->form) > watch &&
           st->watch->drift < 0.9 && dfl_formulation_drift(st->form, &st->here) < 0.9;
}

/* W_{k+1} W_k^+ is the identity at the start of the step. Its eigenvalues are about linear in time,
   so the smallest one also gives the time when it vanished. */
bool dfl_constraints_flipped(dfl_stepper *st)
{
    dfl_system *sys = st->sys;
    st->watch->flips = 0;
    st->watch->drift = 0;
    if (sys->geoms || dfl_formulation_rank(st->form) == 0 || flips_are_excluded(st))
        return false;
    double smallest;
    st->watch->flips = dfl_formulation_flips(&smallest, st->form, &st->here, &st->next);
    if (st->watch->flips == 0)
        return false;
    st->watch->t_flip = st->t + (st->next.t - st->t) / (1 - smallest);
    dfl_system_part_trouble(sys, DFL_STEP_RANK, DFL_FAILURE_VELOCITY, st->watch->t_flip);
    return true;
}

bool dfl_redundant_rows_violated(dfl_stepper *st)
{
    st->watch->violated = dfl_formulation_violated_row(st->form, &st->next, st->scale->weight);
    if (st->watch->violated >= 0)
        dfl_system_part_trouble(st->sys, DFL_STEP_RANK, DFL_FAILURE_POSITION, st->t);
    return st->watch->violated >= 0;
}
