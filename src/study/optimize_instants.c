/* optimize_instants.c: largest values at instants at which branches change or the state jumps.

   Measure k is then largest on one side of an instant t*, and

       d max/d theta = f_theta + f_x x_theta + f' t*_theta

   on this side. Beside it the run gives f on the other side, and t*. Where both sides have the same
   value, they must have the same derivative: f is continuous; otherwise it is chance which one is
   larger. */
#include "study/optimize_internal.h"

#include <math.h>
#include <stdlib.h>

enum { EXTRA = 2 }; /* the other side, the instant */

int dfl_instants_count(const objective *it)
{
    int count = 0;
    for (int k = 0; k < it->nmeasures; k++)
        count += it->peak[k].instant != 0 ? EXTRA : 0;
    return count;
}

void dfl_instants_list(dfl_expr *expr, double *when, int *instant, const objective *it,
                       const dfl_runnable *run)
{
    int next = it->nof;
    for (int k = 0; k < it->nmeasures; k++) {
        const dfl_peak *peak = &it->peak[k];
        if (peak->instant == 0)
            continue;
        instant[k] = peak->instant;
        expr[next] = expr[k];
        instant[next] = -peak->instant;
        expr[next + 1] = dfl_symbol_expr(eq_of(run)->graph, DFL_SYM_TIME, 0, "time");
        instant[next + 1] = abs(peak->instant);
        when[next] = when[next + 1] = peak->t;
        next += EXTRA;
    }
}

/* Row `row` of the gradient, with the instant of row `moving`. */
static dfl_status add_instant(gradient_run *run, int row, int moving)
{
    for (int j = 0; j < run->count; j++) {
        double *column = run->gradient + (size_t)j * (size_t)run->nof;
        if (column[moving] == 0)
            continue;
        if (isnan(run->rate[row]))
            return dfl_fail(
                ctx_of(run->run), DFL_INVALID,
                "optimize: maximum(...) is largest at t = %.10g, where branches change, "
                "and how fast accelerations change there is not known; measure "
                "something else, or smooth it: maximum(expression, { smooth = 8 })",
                run->value[moving]);
        column[row] += run->rate[row] * column[moving];
    }
    return DFL_OK;
}

static dfl_status compare_sides(const gradient_run *run, int k, int other, int moving)
{
    const double value = run->value[k], beside = run->value[other];
    if (fabs(value - beside) > 1e-9 * fmax(fabs(value), fabs(beside)))
        return DFL_OK;
    for (int j = 0; j < run->count; j++) {
        const double *column = run->gradient + (size_t)j * (size_t)run->nof;
        const double size = fmax(fabs(column[k]), fabs(column[other]));
        const double least = fmax(fabs(run->rate[k]), fabs(run->rate[other]));
        if (fabs(column[k] - column[other]) > 1e-4 * fmax(size, least * fabs(column[moving])) &&
            size > 1e-9)
            return dfl_fail(ctx_of(run->run), DFL_INVALID,
                            "optimize: the largest value of maximum(...), %.6g, is at a jump, t = "
                            "%.10g, and the same on both sides, so that it has no derivative; "
                            "smooth it: maximum(expression, { smooth = 8 })",
                            value, run->value[moving]);
    }
    return DFL_OK;
}

dfl_status dfl_instants_join(gradient_run *run, const objective *it)
{
    int next = it->nof;
    dfl_status status = DFL_OK;
    for (int k = 0; !status && k < it->nmeasures; k++) {
        const int other = next, moving = next + 1;
        if (it->peak[k].instant == 0)
            continue;
        if (run->passed < abs(it->peak[k].instant))
            return dfl_fail(it->ctx, DFL_INVALID,
                            "optimize: what happens at t = %.10g depends on the steps of the run; "
                            "take smaller tolerances",
                            it->peak[k].t);
        status = add_instant(run, k, moving);
        if (!status && !isnan(run->rate[other]))
            status = add_instant(run, other, moving);
        if (!status)
            status = compare_sides(run, k, other, moving);
        next += EXTRA;
    }
    return status;
}
