/* gradient_end.c: values at the end of a run that an event ends.

   The end T is where the event's function phi is zero, so that it changes with the parameters,
   T_theta = -(phi_x x_theta + phi_theta) / phi', and a value o there by o_x x_theta + o_theta + o' T_theta: its derivatives
   by x, the parameters and discrete variables are those of o less o'/phi' times those of phi. */
#include "study/gradient_internal.h"

#include <math.h>

/* The derivative of an expression along the motion, for rates x' (n). */
static dfl_status rate_of(double *out, const gradient_run *it, dfl_expr expr, const double *slopes,
                          int stride, const double *rates, double t, const double *x,
                          const double *a)
{
    const dfl_expr time = dfl_symbol_expr(eq_of(it->run)->graph, DFL_SYM_TIME, 0, "time");
    const dfl_status status = dfl_runnable_slopes(out, it->run, &expr, 1, &time, 1, t, x, a);
    for (int k = 0; k < eq_of(it->run)->n; k++)
        *out += slopes[(size_t)k * (size_t)stride] * rates[k];
    return status;
}

/* Row `row` of the slopes, for the value `expr`, less those of the event. */
static dfl_status turn_row(gradient_run *it, int row, dfl_expr expr, const double *event,
                           double event_rate, const double *rates, double t, const double *x,
                           const double *a)
{
    const dfl_equations *eq = eq_of(it->run);
    const int rows = it->wanted.nrows;
    double *slopes = it->wanted.slopes + row, rate;
    const dfl_status status = rate_of(&rate, it, expr, slopes, rows, rates, t, x, a);
    for (int k = 0; !status && k < eq->nv; k++)
        if (slopes[(size_t)(eq->n + k) * (size_t)rows] != 0)
            return dfl_fail(ctx_of(it->run), DFL_INVALID,
                            "an event ends the run, and how fast accelerations change there is "
                            "not known; ask for other outputs, or end the run before with --to");
    for (int k = 0; !status && k < it->wanted.ncols; k++)
        slopes[(size_t)k * (size_t)rows] -= rate / event_rate * event[k];
    return status;
}

/* event (ncols): the slopes of the event's function by all symbols. */
static dfl_status turn_rows(gradient_run *it, dfl_solver *solver, double *rates, double *event,
                            double t)
{
    const dfl_derivatives by = dfl_solver_derivatives(solver);
    const double *x = dfl_solver_state(solver), *a = by.accelerations;
    totals of = {0};
    double value, rate = NAN;
    dfl_status status = dfl_solver_rates(rates, solver);
    if (!status)
        status = dfl_totals_create(&of, it, &it->ended, 1);
    if (!status) {
        dfl_probe_evaluate(&value, event, of.probe, t, x, a);
        status = rate_of(&rate, it, it->ended, event, 1, rates, t, x, a);
    }
    if (!status && !(isfinite(1 / rate)))
        status = dfl_fail(ctx_of(it->run), DFL_INVALID,
                          "the function of the event that ends the run at t = %.10g only touches "
                          "zero, so that the end has no derivative",
                          t);
    for (int row = 0; !status && row < it->wanted.nrows; row++)
        for (int i = 0; i < it->nof; i++)
            if (it->wanted_row[i] == row) {
                status = turn_row(it, row, it->expr[i], event, rate, rates, t, x, a);
                break;
            }
    dfl_totals_clear(&of, ctx_of(it->run));
    return status;
}

dfl_status dfl_gradient_at_end(gradient_run *it, dfl_solver *solver, double t)
{
    dfl_context *ctx = ctx_of(it->run);
    double *rates = dfl_alloc(ctx, (size_t)eq_of(it->run)->n, sizeof *rates);
    double *event = dfl_alloc(ctx, (size_t)it->wanted.ncols, sizeof *event);
    const dfl_status status =
        rates && event ? turn_rows(it, solver, rates, event, t) : DFL_NO_MEMORY;
    dfl_free(ctx, rates);
    dfl_free(ctx, event);
    return status;
}
