/* The integration uses W and the bias without testing them: with a forgotten bias every constraint
   is kept, but the motion is wrong. So after steps 2, 4, 16, 64, ... they are compared with
   differences of (gI, hv), at the price of three evaluations. This is coarse, 2 %, and an error
   must show after three steps in a row, so that neither noise nor kinks of a sound model raise an
   alarm; the self-check is sharper, and knows more. */
#include "solver/solver_internal.h"

#include "context/context.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ENOUGH_DOUBTS = 3 };

static bool is_due(const dfl_solver *solver);
static bool is_certain(const dfl_solver *solver);
static dfl_status watch_bias(dfl_solver *solver);
static dfl_status compare_bias(const dfl_solver *solver, int i, double ahead, double tau,
                               double noise);
static dfl_status watch_directions(dfl_solver *solver);
static dfl_status compare_directions(const dfl_solver *solver, int i, double sum, double size,
                                     double noise);
static void take_rows(double *sum, double *size, const dfl_solver *solver, const double *u);
static double largest_row(const dfl_solver *solver, const double *u);
static bool rows_beside(dfl_status *status, dfl_solver *solver, double t);
static double row_of(const dfl_blocks *b, int nl, int i);
static void row_name(char *text, size_t size, const dfl_eom *eom, int i, dfl_kind holonomic);

dfl_status dfl_solver_watch_derivatives(dfl_solver *solver)
{
    if (!is_due(solver))
        return DFL_OK;
    dfl_status status = watch_bias(solver);
    if (!status)
        status = watch_directions(solver);
    solver->doubts = status == DFL_INVALID ? solver->doubts + 1 : 0;
    return status == DFL_INVALID && solver->doubts < ENOUGH_DOUBTS ? DFL_OK : status;
}

/* Whether an error ends the run this time, and needs a message. */
static bool is_certain(const dfl_solver *solver)
{
    return solver->doubts == ENOUGH_DOUBTS - 1;
}

static bool is_due(const dfl_solver *solver)
{
    const dfl_system *sys = &solver->sys;
    const dfl_solver_options *opt = &solver->options;
    long step = solver->stats.accepted;
    while (step > 4 && step % 4 == 0)
        step /= 4;
    return (step == 4 || solver->stats.accepted == 2 || solver->doubts > 0) && sys->nc > 0 &&
           !sys->geoms && sys->need & DFL_BIAS && solver->eom->ns == 0 && /* s has no rate in x */
           opt->step.fixed == 0 &&                                        /* real time */
           opt->error.rounding < 1e-10;
}

/* The bias is the rate of (gI, hv) along p' = kin, v' = 0. */
static dfl_status watch_bias(dfl_solver *solver)
{
    const dfl_eom *eom = solver->eom;
    const dfl_layout at = dfl_eom_layout(eom);
    const dfl_stepper *st = solver->stepper;
    const double *x = dfl_solver_state(solver), tau = 1e-3 * (st->t - st->t_old);
    const double *rate = eom->trivial_kinematics ? x + at.v : st->here.blocks.kin;
    double *ahead = solver->x_event; /* nc <= n */
    dfl_status status = DFL_OK;
    if (fabs(tau) < 1e5 * DBL_EPSILON * fabs(st->t))
        return DFL_OK;
    for (int side = 1; side >= -1; side -= 2) {
        memcpy(solver->x, x, (size_t)at.n * sizeof *x);
        for (int i = 0; i < eom->np; i++)
            solver->x[at.p + i] += side * tau * rate[i];
        if (!rows_beside(&status, solver, st->t + side * tau))
            return status;
        for (int i = 0; side > 0 && i < solver->sys.nc; i++)
            ahead[i] = row_of(&solver->initial.point.blocks, eom->nl, i);
    }
    /* velocities that both ends of a loop share cancel in its row, up to their rounding */
    const double shared = 1e-12 * dfl_max_abs(x + at.v, eom->nv) * largest_row(solver, NULL);
    const double noise = (1e-7 * largest_row(solver, x + at.v) + shared) / fabs(tau);
    for (int i = 0; !status && i < solver->sys.nc; i++)
        status = compare_bias(solver, i, ahead[i], tau, noise);
    return status;
}

/* Compares row i of the bias with central differences of (gI, hv), which is `ahead` after tau. On
   the two sides of a kink the rates differ: then nothing is known. */
static dfl_status compare_bias(const dfl_solver *solver, int i, double ahead, double tau,
                               double noise)
{
    const dfl_eom *eom = solver->eom;
    const dfl_blocks *here = &solver->stepper->here.blocks;
    const double now = row_of(here, eom->nl, i);
    const double behind = row_of(&solver->initial.point.blocks, eom->nl, i);
    const double found = (ahead - behind) / (2 * tau), bias = here->bias[i];
    const double kink = fabs((ahead - 2 * now + behind) / tau), error = fabs(found - bias);
    if (!(error > 0.02 * (fabs(found) + fabs(bias)) + noise) || kink > 0.1 * error)
        return DFL_OK;
    if (!is_certain(solver))
        return DFL_INVALID;
    char name[80], of[80];
    row_name(name, sizeof name, eom, i, DFL_ROW_GII);
    row_name(of, sizeof of, eom, i, DFL_ROW_GI);
    return dfl_fail(solver->ctx, DFL_INVALID,
                    "at t = %.10g the bias of %s is %.6g, but the rate of %s minus W v' is %.6g; "
                    "with a wrong bias the constraints are kept, but the motion is wrong "
                    "(self_check looks for more)",
                    solver->stepper->t, name, bias, of, found);
}

/* W is the derivative of (gI, hv) with respect to v: along one direction without symmetry. */
static dfl_status watch_directions(dfl_solver *solver)
{
    const dfl_eom *eom = solver->eom;
    const dfl_layout at = dfl_eom_layout(eom);
    const double *x = dfl_solver_state(solver);
    dfl_status status = DFL_OK;
    const double fastest = dfl_max_abs(x + at.v, eom->nv), speed = fastest > 0 ? fastest : 1;
    memcpy(solver->x, x, (size_t)at.n * sizeof *x);
    for (int j = 0; j < eom->nv; j++)
        solver->x[at.v + j] += 1e-4 * speed * (1.5 + 0.5 * dfl_generic(0, j));
    if (!rows_beside(&status, solver, solver->stepper->t))
        return status;
    /* where all rows vanish their rounding is left */
    const double noise = speed * (1e-8 * largest_row(solver, NULL) + 1e-13);
    double *sum = solver->watched, *size = sum + solver->sys.nc;
    for (int j = 0; j < eom->nv; j++)
        solver->x_event[j] = solver->x[at.v + j] - x[at.v + j];
    take_rows(sum, size, solver, solver->x_event);
    for (int i = 0; !status && i < solver->sys.nc; i++)
        status = compare_directions(solver, i, sum[i], size[i], noise);
    return status;
}

/* sum, size (nc) := W u and |W| |u|; u = 1 for NULL. */
static void take_rows(double *sum, double *size, const dfl_solver *solver, const double *u)
{
    const dfl_pattern *p = solver->sys.packed ? &solver->sys.packed->W : NULL;
    const double *W = solver->stepper->here.blocks.W;
    const int nc = solver->sys.nc;
    memset(sum, 0, (size_t)nc * sizeof *sum);
    memset(size, 0, (size_t)nc * sizeof *size);
    for (int j = 0; j < solver->eom->nv; j++) {
        const int first = p ? p->column_start[j] : j * nc;
        const int end = p ? p->column_start[j + 1] : first + nc;
        for (int k = first; k < end; k++) {
            const int i = p ? p->row[k] : k - first;
            const double term = W[k] * (u ? u[j] : 1);
            sum[i] += term;
            size[i] += fabs(term);
        }
    }
}

/* Compares row i of W with the change of (gI, hv) from the present velocities to solver->x. */
static dfl_status compare_directions(const dfl_solver *solver, int i, double sum, double size,
                                     double noise)
{
    const dfl_eom *eom = solver->eom;
    const dfl_blocks *here = &solver->stepper->here.blocks;
    const double change =
        row_of(&solver->initial.point.blocks, eom->nl, i) - row_of(here, eom->nl, i);
    if (!(fabs(change - sum) > 0.02 * (size + fabs(change)) + noise))
        return DFL_OK;
    if (!is_certain(solver))
        return DFL_INVALID;
    char of[80];
    row_name(of, sizeof of, eom, i, DFL_ROW_GI);
    return dfl_fail(solver->ctx, DFL_INVALID,
                    "at t = %.10g the row of %s in W is not its derivative with respect to v: "
                    "a change of v changes it by %.6g, not by %.6g as W says (self_check looks "
                    "for more)",
                    solver->stepper->t, of, change, sum);
}

/* The largest sum of a row |W u|, u = 1 for NULL: what rows that cancel to nothing are measured
   by. */
static double largest_row(const dfl_solver *solver, const double *u)
{
    double *sum = solver->watched, *size = sum + solver->sys.nc;
    take_rows(sum, size, solver, u);
    return dfl_max_abs(size, solver->sys.nc);
}

/* (gI, hv) at t and solver->x, in the blocks of the start. False: the model refuses or stops
   (then *status is set). */
static bool rows_beside(dfl_status *status, dfl_solver *solver, double t)
{
    const dfl_eom *eom = solver->eom;
    dfl_blocks *b = &solver->initial.point.blocks;
    const int rc = eom->eval(b, t, solver->x, DFL_VELOCITY, eom->user);
    solver->stats.check_evaluations++;
    if (rc < 0)
        *status =
            dfl_fail(solver->ctx, DFL_CALLBACK, "eval stopped the computation at t = %.10g", t);
    return rc == 0;
}

static double row_of(const dfl_blocks *b, int nl, int i)
{
    return i < nl ? b->gI[i] : b->hv[i - nl];
}

static void row_name(char *text, size_t size, const dfl_eom *eom, int i, dfl_kind holonomic)
{
    const dfl_kind other = holonomic == DFL_ROW_GII ? DFL_ROW_HI : DFL_ROW_HV;
    if (i < eom->nl)
        dfl_eom_name(text, size, eom, holonomic, i);
    else
        dfl_eom_name(text, size, eom, other, i - eom->nl);
}
