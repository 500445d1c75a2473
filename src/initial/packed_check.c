/* The check of all rows of a start with packed matrices. */
#include "initial/packed_start.h"

#include "context/context.h"

#include <math.h>
#include <string.h>

/* The tolerance of an unknown; of accelerations that of velocities times the rate of the motion. */
static double tolerance(const dfl_initial *init, int column)
{
    const dfl_system *sys = &init->sys;
    const dfl_solver_options *opt = sys->options;
    const double *each = opt->error.atol_each;
    const double x = fabs(init->x[column]);
    const double given = !each               ? 0
                         : column >= sys->na ? each[column - sys->na]
                         : column < sys->n3  ? init->rate * each[sys->at.v - sys->na + column]
                                             : 0;
    const double atol = init->atol > 0 ? init->atol : given;
    return atol + (opt->rtol < 1e-6 ? opt->rtol : 1e-6) * x;
}

/* allowed += |J| tolerance for the rows of a block. */
static void allow(double *allowed, const dfl_initial *init, const dfl_pattern *p,
                  const double *value, int columns, int first)
{
    for (int j = 0; p->column_start && j < columns; j++)
        for (int k = p->column_start[j]; k < p->column_start[j + 1]; k++)
            allowed[p->row[k]] += fabs(value[k]) * tolerance(init, first + j);
}

/* The largest term of a block, or what a change by 1 makes. */
static double largest_term(const dfl_initial *init, const dfl_pattern *p, const double *value,
                           int columns, int first)
{
    double largest = 0;
    for (int j = 0; p->column_start && j < columns; j++)
        for (int k = p->column_start[j]; k < p->column_start[j + 1]; k++)
            largest = fmax(largest, fabs(value[k]) * (1 + fabs(init->x[first + j])));
    return largest;
}

/* Constraints that may be apart: by that part of what the terms of all are on the same level. */
static void allow_misfit(dfl_initial *init)
{
    const dfl_system *sys = &init->sys;
    const dfl_sparsity *s = sys->packed;
    const dfl_jacobian *b = &init->packed->jac.blocks;
    double *allowed = init->packed->allowed;
    const double acc = fmax(largest_term(init, &s->acc, b->acc, sys->nu, sys->na),
                            largest_term(init, &s->W, init->point.blocks.W, sys->n3, 0));
    const double vel = largest_term(init, &s->vel, b->vel, sys->n3 + sys->n4, sys->at.v);
    const double pos = largest_term(init, &s->pos, b->pos, sys->n4, sys->at.sp);
    for (int i = 0; i < sys->nc; i++) {
        const double misfit = dfl_allowed_misfit(&sys->options->constraints, i);
        allowed[sys->row.acc + i] += misfit * acc;
        allowed[sys->m1 + i] += misfit * vel;
        if (i < sys->eom->nl)
            allowed[sys->m1 + sys->m2 + sys->eom->ns + i] += misfit * pos;
    }
}

/* Rows gam lie between those of constraints and e, which `vel` has next to each other; K0^T a is
   rounding. */
static void allow_massless(dfl_initial *init)
{
    const dfl_system *sys = &init->sys;
    const int n0 = sys->eom->n0;
    double *allowed = init->packed->allowed, *gam = allowed + sys->row.gam;
    memmove(gam + n0, gam, (size_t)sys->eom->ne * sizeof *gam);
    memset(gam, 0, (size_t)n0 * sizeof *gam);
    allow(gam, init, &sys->packed->gam, init->packed->jac.blocks.gam, sys->nu, sys->na);
    for (int k = 0; k < n0; k++)
        allowed[sys->n3 + k] = 1e-6 * dfl_max_abs(init->x, sys->n3);
}

/* What the tolerances of all unknowns make of the rows at init->x, where derivatives are known. */
static void set_allowed(dfl_initial *init)
{
    const dfl_system *sys = &init->sys;
    const dfl_sparsity *s = sys->packed;
    const dfl_packed_start *ps = init->packed;
    const dfl_jacobian *b = &ps->jac.blocks;
    double *allowed = ps->allowed;
    memset(allowed, 0, (size_t)(sys->m1 + sys->m2 + sys->m3) * sizeof *allowed);
    allow(allowed, init, &s->dyn, b->dyn, sys->nu, sys->na);
    for (int j = 0; sys->mass.diagonal && j < sys->n3; j++)
        allowed[j] += fabs(ps->jac.M[j]) * tolerance(init, j);
    if (!sys->mass.diagonal)
        allow(allowed, init, &s->M, ps->jac.M, sys->n3, 0);
    allow(allowed + sys->row.d, init, &s->d, b->d, sys->nu, sys->na);
    allow(allowed + sys->row.acc, init, &s->acc, b->acc, sys->nu, sys->na);
    allow(allowed + sys->row.acc, init, &s->W, init->point.blocks.W, sys->n3, 0);
    allow(allowed + sys->m1, init, &s->vel, b->vel, sys->n3 + sys->n4, sys->at.v);
    if (sys->eom->n0 > 0)
        allow_massless(init);
    allow(allowed + sys->m1 + sys->m2, init, &s->pos, b->pos, sys->n4, sys->at.sp);
    if (init->redundant > 0)
        allow_misfit(init);
}

static bool row_holds(const dfl_initial *init, int row)
{
    const double allowed = init->packed->allowed[row];
    return dfl_initial_is_open(init, row) ||
           fabs(init->point.alg[row]) <= 10 * (allowed > 0 ? allowed : init->sys.options->rtol);
}

bool dfl_packed_start_holds(dfl_initial *init)
{
    const dfl_system *sys = &init->sys;
    const int first = sys->m1 + sys->m2;
    if (dfl_packed_start_evaluate(init))
        return false;
    set_allowed(init);
    for (int i = first; i < first + sys->m3; i++)
        if (!row_holds(init, i))
            return false;
    return true;
}

/* Rows of positions first: the others build on them. */
dfl_status dfl_packed_start_check(dfl_initial *init, const dfl_conditions *cond)
{
    const dfl_system *sys = &init->sys;
    const int all = sys->m1 + sys->m2 + sys->m3;
    const dfl_status status = dfl_packed_start_evaluate(init);
    if (status)
        return status;
    set_allowed(init);
    int worst = -1, violated = 0;
    for (int i = all - 1; i >= 0; i--) {
        if (i == sys->m1 + sys->m2 - 1 && violated > 0)
            break;
        if (row_holds(init, i))
            continue;
        violated++;
        if (worst < 0 || fabs(init->point.alg[i]) > fabs(init->point.alg[worst]))
            worst = i;
    }
    if (worst < 0)
        return DFL_OK;
    int index;
    char name[80];
    const dfl_kind kind = dfl_system_alg_kind(sys, worst, &index);
    dfl_eom_name(name, sizeof name, sys->eom, kind, index);
    return dfl_fail(sys->ctx, DFL_INCONSISTENT,
                    "no consistent start is found at t = %g: %d rows are violated, most of all %s "
                    "by %.3g%s",
                    init->point.t, violated, name, init->point.alg[worst],
                    cond->held ? "; held values or lengths may contradict it, or the guess may be "
                                 "too far"
                               : "");
}
