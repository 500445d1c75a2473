/* Why a step could not be taken, and the watch on singular positions.

   Along a smooth motion through a singular position the weak singular values of W pass zero with
   continued singular vectors: eigenvalues of W(x_{k+1}) W(x_k)^+ change from positive to negative
   real part. A solver that steps over such a point may continue on a wrong branch although every
   residual is zero, so a step that shows the flip is not taken. */
#include "integrate/failure.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Below this ratio of the smallest to the largest value of W's decomposition the flip is watched. */
static const double watch = 0.2;

/* A step size that collapses while the constraints are weak points at a singular position nearby:
   rounding in the multipliers, amplified by the weakness, may stop Newton's iteration before. */
static dfl_status weak_failure(dfl_stepper *st, double h)
{
    char rows[256];
    dfl_formulation_weak_rows(rows, sizeof rows, st->form);
    return dfl_fail(st->sys->ctx, DFL_NOT_CONVERGED,
                    "Newton's iteration does not converge at t = %.10g, step size %.3g; the "
                    "constraints %s are nearly dependent there (smallest/largest singular value "
                    "%.1e): a singular position may be close, or the tolerance too small",
                    st->t, h, rows, st->form->weakest);
}

static dfl_status rank_failure(dfl_stepper *st, double t)
{
    dfl_formulation *form = st->form;
    dfl_system *sys = st->sys;
    char rows[256];
    dfl_formulation_weak_rows(rows, sizeof rows, form);
    const int after = form->split2->rank >= 0 ? form->split2->rank : 0;
    const int before = form->rank2 + sys->eom->n0 + form->nactive;
    if (st->violated >= 0) {
        char name[64];
        dfl_eom_name(name, sizeof name, sys->eom, DFL_ROW_G, st->violated);
        return dfl_fail(sys->ctx, DFL_RANK_CHANGED,
                        "constraint %s, redundant at the start (rank %d of %d), is no longer "
                        "satisfied by itself at t = %.10g: its residual is %.3g",
                        name, form->rank2, sys->nc, st->t, st->next.blocks.g[st->violated]);
    }
    if (st->flips > 0)
        return dfl_fail(sys->ctx, DFL_RANK_CHANGED,
                        "singular position at t = %.8g: the constraints %s become dependent there "
                        "(rank %d -> %d) and the motion branches",
                        st->t_flip, rows, before, before - st->flips);
    if (after == before)
        return dfl_fail(
            sys->ctx, DFL_RANK_CHANGED,
            "singular position close to t = %.10g: the constraints %s become dependent "
            "there (rank %d -> %d, smallest/largest singular value %.1e so far) and the "
            "motion branches",
            t, rows, before, before - 1, form->weakest);
    if (form->nactive > 0 && st->options->constraints.rigid_invariants &&
        sys->trouble.part == DFL_FAILURE_VELOCITY)
        return dfl_fail(sys->ctx, DFL_RANK_CHANGED,
                        "at t = %.10g the %d invariants e depend on each other or on the "
                        "constraints; without rigid_invariants they are dropped where they do",
                        st->t, form->nactive);
    return dfl_fail(
        sys->ctx, DFL_RANK_CHANGED,
        "the rank of the constraints changes at t = %.10g from %d to %d; rows involved: %s", st->t,
        before, after, rows);
}

/* The smallest over the largest value of W's decomposition where the positions would be `tau` later with their
   present rates; NaN if W cannot be evaluated there. Rows are not scaled: one may vanish. Leaves `next`. */
static double weakness_after(dfl_stepper *st, double tau)
{
    dfl_system *sys = st->sys;
    const dfl_split_rule rule = {.method = DFL_METHOD_QR, .tolerance = 0, .rank = -1};
    dfl_point *point = &st->next;
    dfl_split *split = st->form->pivots2;
    memcpy(point->x, st->here.x, (size_t)sys->n * sizeof *point->x);
    for (int i = 0; i < sys->eom->np; i++)
        point->x[sys->off_p + i] += tau * st->here.blocks.kin[i];
    point->t = st->t + tau;
    if (dfl_system_eval_blocks(sys, point, DFL_DIRECTIONS) ||
        !dfl_split_compute(split, &rule, point->blocks.W, sys->nc, sys->nc, sys->n3))
        return NAN;
    return split->smallest / split->largest;
}

/* Whether the weakness of the constraints, continued along the motion, vanishes after a short way: a tenth of a radian
   or of what positions are; *t is when. Constraints that are weak all the time say nothing. */
static bool heads_for_singular_position(double *t, dfl_stepper *st)
{
    const dfl_system *sys = st->sys;
    double speed = 0;
    if (sys->geoms || st->form->weakest > watch || st->form->defect > 0)
        return false;
    for (int i = 0; i < sys->eom->np; i++)
        speed = fmax(speed, fabs(st->here.blocks.kin[i]) / (1 + fabs(st->here.x[sys->off_p + i])));
    const double little = copysign(1e-6, st->h) / speed, now = weakness_after(st, 0);
    const double tau = -now * little / (weakness_after(st, little) - now);
    *t = st->t + tau;
    return tau / little > 0 && fabs(tau) * speed < 0.1 && weakness_after(st, tau) < now / 3;
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

dfl_status dfl_step_failure(dfl_stepper *st, double h)
{
    const dfl_trouble *trouble = &st->sys->trouble;
    dfl_context *ctx = st->sys->ctx;
    char row[80];
    if (st->undetermined)
        return dfl_formulation_undetermined(st->form, st->next.t);
    switch (trouble->outcome) {
    case DFL_STEP_STOP:
        return dfl_fail(ctx, DFL_CALLBACK, "%s stopped the computation at t = %.10g",
                        trouble->callback, trouble->t);
    case DFL_STEP_RETRY:
        return dfl_fail(ctx, DFL_CALLBACK,
                        "%s keeps refusing the state at t = %.10g, also with a step of %.3g",
                        trouble->callback, trouble->t, h);
    case DFL_STEP_NONFINITE:
        dfl_system_trouble_name(row, sizeof row, st->sys);
        return dfl_fail(ctx, DFL_NOT_FINITE,
                        "%s returns NaN or Inf in %s at t = %.10g, also with a step of %.3g%s",
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
    if (heads || (st->form->weakest < 1e-2 && st->sys->nc > 0)) {
        st->sys->trouble.part = DFL_FAILURE_VELOCITY;
        return rank_failure(st, heads ? t : st->t);
    }
    if (trouble->outcome == DFL_STEP_SINGULAR)
        return dfl_fail(ctx, DFL_SINGULAR, "%s is singular at t = %.10g", trouble->callback, st->t);
    if (!st->class->implicit)
        return explicit_failure(st, h);
    if (st->form->weakest < watch && st->sys->nc > 0)
        return weak_failure(st, h);
    return dfl_fail(ctx, DFL_NOT_CONVERGED,
                    "Newton's iteration does not converge at t = %.10g, step size %.3g; the motion "
                    "or the forces may be discontinuous there, or the tolerance too small%s",
                    st->t, h,
                    st->sys->stats->accepted < 5
                        ? ", or the model's derivatives are wrong (self_check looks for that)"
                        : "");
}

/* How far W at a point is from the last decomposition: the largest row sum of |W R - I|. Below one at
   both ends of a step W R is regular there, so nothing can have become dependent unseen. */
static double constraint_drift(dfl_stepper *st, const dfl_point *point)
{
    const dfl_system *sys = st->sys;
    const int nc = sys->nc, nv = sys->n3;
    double *A = st->flip, drift = 0;
    dfl_gemm(nc, nc, nv, 1, point->blocks.W, nc, st->form->split2->R, nv, 0, A, nc);
    for (int i = 0; i < nc; i++) {
        double sum = fabs(A[i * nc + i] - 1);
        for (int j = 0; j < nc; j++)
            sum += j == i ? 0 : fabs(A[j * nc + i]);
        drift = fmax(drift, sum);
    }
    return drift;
}

/* W_{k+1} W_k^+ is the identity at the start of the step. Its eigenvalues are about linear in time,
   so the smallest one also tells when it vanished. */
bool dfl_constraints_flipped(dfl_stepper *st)
{
    dfl_system *sys = st->sys;
    const int nc = sys->nc, nv = sys->n3;
    st->flips = 0;
    st->drift = 0;
    if (sys->geoms || nc == 0 || nc > nv || st->form->defect > 0)
        return false;
    st->drift = constraint_drift(st, &st->next);
    if (st->form->weakest > watch && st->drift < 0.9 && constraint_drift(st, &st->here) < 0.9)
        return false;
    double *A = st->flip, *re = A + nc * nc, *im = re + nc, *work = im + nc, smallest = 1;
    const dfl_split_rule rule = {
        .method = DFL_METHOD_QR, .tolerance = 1e-13, .rank = -1, .scale_rows = true};
    if (!dfl_split_compute(st->form->pivots2, &rule, st->here.blocks.W, nc, nc, nv))
        return false;
    dfl_gemm(nc, nc, nv, 1, st->next.blocks.W, nc, st->form->pivots2->R, nv, 0, A, nc);
    if (LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', nc, A, nc, re, im, NULL, 1, NULL, 1, work,
                           st->flip_work) != 0)
        return false;
    for (int i = 0; i < nc; i++) {
        st->flips += re[i] <= 0;
        smallest = fmin(smallest, re[i]);
    }
    if (st->flips == 0)
        return false;
    st->t_flip = st->t + (st->next.t - st->t) / (1 - smallest);
    dfl_system_part_trouble(sys, DFL_STEP_RANK, DFL_FAILURE_VELOCITY, st->t_flip);
    return true;
}

/* A residual beyond what a change of every position by its tolerance would make. */
bool dfl_redundant_rows_violated(dfl_stepper *st)
{
    const dfl_system *sys = st->sys;
    const int ns = sys->eom->ns, nl = sys->eom->nl, m3 = sys->m3;
    const bool kept = st->form->defect > 0 && st->form->traits->position;
    st->violated = -1;
    double largest = 0; /* derivatives of rounding size say nothing */
    for (int j = 0; kept && j < sys->n4; j++)
        for (int i = 0; i < nl; i++)
            largest = fmax(largest, fabs(st->form->jac.J3[j * m3 + ns + i]));
    for (int i = 0; kept && i < nl; i++) {
        double allowed = 0;
        for (int j = 0; j < sys->n4; j++)
            allowed += fmax(fabs(st->form->jac.J3[j * m3 + ns + i]), 1e-3 * largest) /
                       st->scale.weight[sys->off_sp + j];
        if (fabs(st->next.blocks.g[i]) > allowed) {
            st->violated = i;
            dfl_system_part_trouble(st->sys, DFL_STEP_RANK, DFL_FAILURE_POSITION, st->t);
            return true;
        }
    }
    return false;
}
