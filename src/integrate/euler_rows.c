/* Rows of the extrapolation: half-explicit Euler steps and the recursion of Aitken and Neville (see
   extrapolation.h). */
#include "integrate/extrapolation.h"

#include <string.h>

static dfl_outcome euler_step(dfl_extrapolation *ex, double h, bool first);

dfl_outcome dfl_extrapolation_row(dfl_extrapolation *ex, double H)
{
    dfl_stepper *st = &ex->base;
    dfl_extrapolation_work *w = ex->work;
    const int n = st->sys->n, steps = w->end.rows + 1, first = st->sys->at.r;
    const double h = H / steps;
    memcpy(w->stage.x, st->here.x, (size_t)n * sizeof(double));
    w->stage.t = st->t;
    for (int i = 0; i < steps; i++) {
        const dfl_outcome outcome = euler_step(ex, h, i == 0);
        if (outcome)
            return outcome;
        w->stage.t = st->t + (i + 1) * h;
    }
    dfl_neville_add(&w->end, w->stage.x, steps, first, n);
    return DFL_STEP_OK;
}

/* From the state in `stage`, with W there unless it is the first one, to the next one. */
static dfl_outcome euler_step(dfl_extrapolation *ex, double h, bool first)
{
    dfl_stepper *st = &ex->base;
    dfl_system *sys = st->sys;
    dfl_extrapolation_work *w = ex->work;
    dfl_point *stage = &w->stage, *after = &w->after;
    const unsigned need = DFL_FORCE | DFL_KINEMATICS | DFL_DYNAMIC | DFL_AUXILIARY;
    dfl_outcome outcome = dfl_system_eval_blocks(sys, stage, first ? need | DFL_DIRECTIONS : need);
    if (outcome)
        return outcome;
    dfl_ode_write_rates(w->rate, sys, stage); /* positions; the rest follows */
    memcpy(after->x, stage->x, (size_t)sys->n * sizeof(double));
    for (int i = sys->at.p; i < sys->n; i++)
        after->x[i] += h * w->rate[i];
    after->t = stage->t + h;
    outcome = dfl_ode_contact(w->ode, after);
    if (!outcome)
        outcome = dfl_system_eval_blocks(sys, after, DFL_DIRECTIONS | DFL_VELOCITY);
    if (outcome)
        return outcome;
    for (int k = 0; k < sys->nc; k++)
        w->target[k] = -after->blocks.gI[k] / h;
    outcome = dfl_ode_solve_with(w->ode, stage, after->blocks.W, w->target);
    if (outcome)
        return outcome;
    dfl_ode_write_rates(w->rate, sys, stage);
    for (int i = sys->at.r; i < sys->at.sp; i++)
        after->x[i] += h * w->rate[i];
    memcpy(after->x, stage->x, (size_t)sys->n1 * sizeof(double));
    const dfl_point old = *stage;
    *stage = *after;
    *after = old;
    return dfl_ode_massless(w->ode, stage);
}

/* T_(j,k) = T_(j,k-1) + (T_(j,k-1) - T_(j-1,k-1)) / (n_j/n_(j-k+1) - 1); T[rows - k] holds T_(j,k),
   k = 1 ... rows. */
void dfl_neville_add(dfl_neville *table, const double *x, int steps, int first, int n)
{
    const int rows = ++table->rows;
    double *const fresh = table->T[rows - 1]; /* T_(j,1), last in the row */
    table->n[rows - 1] = steps;
    memcpy(fresh + first, x + first, (size_t)(n - first) * sizeof *x);
    for (int k = 2; k <= rows; k++) {
        const double factor = 1 / ((double)steps / table->n[rows - k] - 1);
        const double *one = table->T[rows - k + 1]; /* T_(j,k-1) */
        double *old = table->T[rows - k];           /* T_(j-1,k-1) becomes T_(j,k) */
        for (int i = first; i < n; i++)
            old[i] = one[i] + (one[i] - old[i]) * factor;
    }
}
