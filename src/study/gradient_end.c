/* gradient_end.c: values at the end of a run that an event ends, and at instants at which branches
   change.

   The end T is where the event's function phi is zero, so that it changes with the parameters,
   T_theta = -(phi_x x_theta + phi_theta) / phi', and a value o there by o_x x_theta + o_theta + o'
   T_theta: its derivatives by x, the parameters and discrete variables are those of o less o'/phi'
   times those of phi. An instant is such a time, too; o = time has its derivatives. */
#include "study/gradient_internal.h"

#include <math.h>
#include <string.h>

static dfl_expr time_symbol(const gradient_run *it)
{
    return dfl_symbol_expr(eq_of(it->run)->graph, DFL_SYM_TIME, 0, "time");
}

/* The derivative of an expression along the motion, for rates x' (n). */
static dfl_status rate_of(double *out, const gradient_run *it, dfl_expr expr, const double *slopes,
                          int stride, const double *rates, double t, const double *x,
                          const double *a)
{
    const dfl_expr time = time_symbol(it);
    const dfl_status status = dfl_runnable_slopes(out, it->run, &expr, 1, &time, 1, t, x, a);
    for (int k = 0; k < eq_of(it->run)->n; k++)
        *out += slopes[(size_t)k * (size_t)stride] * rates[k];
    return status;
}

/* Whether row `row` of the slopes depends on accelerations. */
static bool has_accelerations(const gradient_run *it, int row)
{
    const dfl_equations *eq = eq_of(it->run);
    for (int k = 0; k < eq->nv; k++)
        if (it->wanted.slopes[row + (eq->n + k) * it->wanted.nrows] != 0)
            return true;
    return false;
}

/* moving (ncols): the slopes of phi by all symbols, over its rate. */
static dfl_status find_moving(double *moving, gradient_run *it, dfl_solver *solver, dfl_expr phi,
                              const double *rates, double t)
{
    const dfl_derivatives by = dfl_solver_derivatives(solver);
    const double *x = dfl_solver_state(solver), *a = by.accelerations;
    totals of = {0};
    double value, rate = NAN;
    dfl_status status = dfl_totals_create(&of, it, &phi, 1);
    if (!status) {
        dfl_probe_evaluate(&value, moving, of.probe, t, x, a);
        status = rate_of(&rate, it, phi, moving, 1, rates, t, x, a);
    }
    if (!status && !(isfinite(1 / rate)))
        status = dfl_fail(ctx_of(it->run), DFL_INVALID,
                          "the function of the event at t = %.10g only touches zero, so that this "
                          "time has no derivative",
                          t);
    for (int k = 0; !status && k < it->wanted.ncols; k++)
        moving[k] /= rate;
    dfl_totals_clear(&of, ctx_of(it->run));
    return status;
}

/* Row `row` of the slopes, for the value `expr`, at a time that moves. */
static dfl_status turn_row(gradient_run *it, int row, dfl_expr expr, const double *moving,
                           const double *rates, double t, const double *x, const double *a)
{
    const int rows = it->wanted.nrows;
    double *slopes = it->wanted.slopes + row, rate;
    const dfl_status status = rate_of(&rate, it, expr, slopes, rows, rates, t, x, a);
    if (!status && has_accelerations(it, row))
        return dfl_fail(ctx_of(it->run), DFL_INVALID,
                        "an event ends the run, and how fast accelerations change there is "
                        "not known; ask for other outputs, or end the run before with --to");
    for (int k = 0; !status && k < it->wanted.ncols; k++)
        slopes[(size_t)k * (size_t)rows] -= rate * moving[k];
    return status;
}

/* All rows, or those of `only`. */
static dfl_status turn_rows(gradient_run *it, dfl_solver *solver, const double *moving,
                            const double *rates, double t, dfl_expr only)
{
    const double *x = dfl_solver_state(solver);
    const double *a = dfl_solver_derivatives(solver).accelerations;
    dfl_status status = DFL_OK;
    for (int row = 0; !status && row < it->wanted.nrows; row++)
        for (int i = 0; i < it->nof; i++)
            if (it->wanted_row[i] == row && (only == DFL_NO_EXPR || it->expr[i] == only)) {
                status = turn_row(it, row, it->expr[i], moving, rates, t, x, a);
                break;
            }
    return status;
}

/* Of the first function that has passed zero; others must pass it at the same time with all
   parameters. */
static dfl_status find_instant(double *moving, double *other, gradient_run *it, dfl_solver *solver,
                               const double *rates, double t)
{
    const int functions = dfl_runnable_functions(it->run), columns = it->wanted.ncols;
    bool found = false;
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < functions; i++) {
        if (!it->crossed[i])
            continue;
        status = find_moving(found ? other : moving, it, solver, dfl_runnable_condition(it->run, i),
                             rates, t);
        for (int k = 0; !status && found && k < columns; k++)
            if (!(fabs(other[k] - moving[k]) <= 1e-8 * (fabs(other[k]) + fabs(moving[k]))))
                status = dfl_fail(ctx_of(it->run), DFL_INVALID,
                                  "several switches coincide at t = %.10g, where maximum(...) is "
                                  "largest; it has no derivative",
                                  t);
        found = true;
    }
    return status;
}

/* ended: at the event that ends the run; otherwise before an instant. */
static dfl_status turn(gradient_run *it, dfl_solver *solver, double t, bool ended)
{
    dfl_context *ctx = ctx_of(it->run);
    const size_t columns = (size_t)it->wanted.ncols;
    double *rates = dfl_alloc(ctx, (size_t)eq_of(it->run)->n + 2 * columns, sizeof *rates);
    double *moving = rates + eq_of(it->run)->n;
    dfl_status status = rates ? dfl_solver_rates(rates, solver) : DFL_NO_MEMORY;
    if (!status)
        status = ended ? find_moving(moving, it, solver, it->ended, rates, t)
                       : find_instant(moving, moving + columns, it, solver, rates, t);
    if (!status)
        status = turn_rows(it, solver, moving, rates, t, ended ? DFL_NO_EXPR : time_symbol(it));
    dfl_free(ctx, rates);
    return status;
}

dfl_status dfl_gradient_at_end(gradient_run *it, dfl_solver *solver, double t)
{
    return turn(it, solver, t, true);
}

dfl_status dfl_gradient_at_instant(gradient_run *it, dfl_solver *solver, double t)
{
    return turn(it, solver, t, false);
}

dfl_status dfl_gradient_value_rates(gradient_run *it, dfl_solver *solver, double t)
{
    dfl_context *ctx = ctx_of(it->run);
    const double *a = dfl_solver_derivatives(solver).accelerations;
    const int rows = it->wanted.nrows;
    double *rates = dfl_alloc(ctx, (size_t)eq_of(it->run)->n, sizeof *rates);
    dfl_status status = rates ? dfl_solver_rates(rates, solver) : DFL_NO_MEMORY;
    for (int i = 0; !status && i < it->nof; i++) {
        const int row = it->wanted_row[i];
        if (it->instant[i] != it->now || it->expr[i] == time_symbol(it))
            continue;
        status = rate_of(&it->rate[i], it, it->expr[i], it->wanted.slopes + row, rows, rates, t,
                         dfl_solver_state(solver), a);
        if (has_accelerations(it, row))
            it->rate[i] = NAN;
    }
    dfl_free(ctx, rates);
    return status;
}
