/* Defaults and ranges of the solver's options: zero means the default. */
#include "solver/solver_internal.h"

#include <float.h>
#include <limits.h>
#include <math.h>

static void fill_defaults(dfl_solver_options *o, const dfl_eom *eom);
static dfl_status check_numbers(const dfl_solver_options *o, dfl_context *ctx);
static dfl_status check_choices(const dfl_solver_options *o, dfl_context *ctx, const dfl_eom *eom);
static dfl_status check_order(const dfl_solver_options *o, dfl_context *ctx);
static dfl_status check_tolerances(const dfl_solver_options *o, dfl_context *ctx, int n, int nc);

dfl_status dfl_solver_options_resolve(dfl_solver_options *out, dfl_context *ctx, const dfl_eom *eom,
                                      const dfl_solver_options *in)
{
    *out = in ? *in : (dfl_solver_options){0};
    fill_defaults(out, eom);
    dfl_status status = dfl_eom_check_sizes(ctx, eom);
    if (!status)
        status = check_numbers(out, ctx);
    if (!status)
        status = check_choices(out, ctx, eom);
    if (!status)
        status = check_tolerances(out, ctx, dfl_eom_unknowns(eom), eom->nl + eom->nm);
    return status;
}

/* Below it no result of doubles changes; tolerance_floor.c raises what rounding does not allow. */
static const double least_rtol = 1e-16;

static void set(double *value, double fallback)
{
    if (*value == 0)
        *value = fallback;
}

static void fill_defaults(dfl_solver_options *o, const dfl_eom *eom)
{
    set(&o->rtol, 1e-6);
    if (o->error.atol_each) /* otherwise 0 means: by the sizes of the unknowns */
        set(&o->atol, o->rtol);
    set(&o->newton.multiplier_weight, 1);
    set(&o->error.rounding, DBL_EPSILON);
    set(&o->step.safety, 0.9);
    set(&o->step.min_factor, 0.2);
    set(&o->step.max_factor, 8);
    set(&o->step.keep_low, 1);
    set(&o->step.keep_high, 1.2);
    /* natively W is exact, and with p' = v also the derivative of g */
    const bool exact = eom->jacobian || (eom->contract == DFL_NATIVE && eom->trivial_kinematics &&
                                         eom->ns == 0 && eom->nep == 0);
    set(&o->constraints.rank_tolerance, exact ? 1e-10 : 1e-6);
    if (o->newton.iterations == 0)
        o->newton.iterations = 10;
    if (o->newton.updates == 0)
        o->newton.updates = o->step.accept_unconverged ? -1 : 1; /* real time */
    if (o->step.max_attempts == 0)
        o->step.max_attempts = 10000000;
    if (o->form == DFL_TANGENT || o->form == DFL_PARTITION)
        o->constraints.selectors = o->form == DFL_TANGENT ? DFL_ORTHOGONAL : DFL_UNIT;
    if (o->constraints.renewal == DFL_RENEW_DEFAULT)
        o->constraints.renewal = o->constraints.selectors == DFL_UNIT || o->form == DFL_TANGENT ||
                                         o->form == DFL_SEPARATION
                                     ? DFL_RENEW_ON_CHANGE
                                     : DFL_RENEW_ALWAYS;
    if (o->form == DFL_EXT316 || o->form == DFL_SSF) /* often singular: QR shows it */
        o->newton.differential = DFL_DIFFERENTIAL_QR;
    set(&o->baumgarte.alpha, 10);
    set(&o->baumgarte.beta, o->baumgarte.alpha);
    if (o->newton.reference == DFL_REFERENCE_DEFAULT)
        o->newton.reference =
            o->newton.prediction == DFL_CONSTANT ? DFL_REFERENCE_START : DFL_REFERENCE_STAGE2;
    const double reuse = o->integrator == DFL_RADAU ? 0.03 : 0.1;
    set(&o->newton.reuse, o->newton.reference == DFL_REFERENCE_START ? 1e-3 : reuse);
}

static dfl_status check_numbers(const dfl_solver_options *o, dfl_context *ctx)
{
    const struct {
        const char *name;
        double value, low, high;
    } range[] = {{"rtol", o->rtol, least_rtol, 1},
                 {"atol", o->atol, 0, DBL_MAX},
                 {"multiplier_weight", o->newton.multiplier_weight, 0, 1},
                 {"newton_tolerance", o->newton.tolerance, 0, 1},
                 {"jacobian_reuse", o->newton.reuse, -1, 1},
                 {"safety", o->step.safety, 0.01, 1},
                 {"min_factor", o->step.min_factor, 0.01, 0.9},
                 {"max_factor", o->step.max_factor, 1, 100},
                 {"keep_low", o->step.keep_low, 0, 1},
                 {"keep_high", o->step.keep_high, 1, 100},
                 {"rank_tolerance", o->constraints.rank_tolerance, DBL_EPSILON, 0.1},
                 {"redundant", o->constraints.redundant, 0, 0.1},
                 {"rounding", o->error.rounding, 1e-16, 1e-2},
                 {"baumgarte_alpha", o->baumgarte.alpha, -DBL_MAX, 1e12},
                 {"baumgarte_beta", o->baumgarte.beta, -DBL_MAX, 1e12},
                 {"max_step", o->step.max, 0, DBL_MAX},
                 {"fixed_step", o->step.fixed, 0, DBL_MAX},
                 {"every", o->output.every, 0, DBL_MAX},
                 {"newton_iterations", o->newton.iterations, 1, 100},
                 {"newton_updates", o->newton.updates, INT_MIN, 10},
                 {"max_steps", (double)o->step.max_attempts, 1, 1e18},
                 {"events.count", o->events.count, 0, 10000}};
    for (size_t i = 0; i < sizeof range / sizeof *range; i++)
        if (!(range[i].value >= range[i].low && range[i].value <= range[i].high))
            return dfl_fail(ctx, DFL_INVALID, "%s is %g; choose it between %g and %g",
                            range[i].name, range[i].value, range[i].low, range[i].high);
    if (!isfinite(o->step.first))
        return dfl_fail(ctx, DFL_INVALID, "first_step is %g", o->step.first);
    return DFL_OK;
}

static dfl_status check_order(const dfl_solver_options *o, dfl_context *ctx)
{
    const int order = o->order;
    if (o->integrator == DFL_BDF && (order < 0 || order > 5))
        return dfl_fail(ctx, DFL_INVALID, "order is %d; choose 1 to 5 with bdf, or 0 for automatic",
                        order);
    if (o->integrator == DFL_RADAU && order != 0 && order != 1 && order != 5 && order != 9 &&
        order != 13)
        return dfl_fail(ctx, DFL_INVALID, "order is %d; choose 1, 5, 9 or 13, or 0 for automatic",
                        order);
    const int least = o->step.fixed > 0 ? 1 : 3;
    if (o->integrator == DFL_EXTRAPOLATION && order != 0 && (order < least || order > 12))
        return dfl_fail(ctx, DFL_INVALID,
                        "order is %d; choose %d to 12 with extrapolation, or 0 for automatic",
                        order, least);
    if (o->integrator != DFL_BDF && o->integrator != DFL_RADAU &&
        o->integrator != DFL_EXTRAPOLATION && order != 0)
        return dfl_fail(ctx, DFL_INVALID, "order is %d; the method '%s' has one order, leave it 0",
                        order, dfl_integrator_name(o->integrator));
    return DFL_OK;
}

static dfl_status check_choices(const dfl_solver_options *o, dfl_context *ctx, const dfl_eom *eom)
{
    const struct {
        const char *name;
        int value, last;
    } choice[] = {{"form", (int)o->form, DFL_FORMS - 1},
                  {"integrator", (int)o->integrator, DFL_INTEGRATORS - 1},
                  {"selectors", (int)o->constraints.selectors, DFL_USER},
                  {"renewal", (int)o->constraints.renewal, DFL_RENEW_NEVER},
                  {"algebraic", (int)o->constraints.algebraic, DFL_ALGEBRAIC_SVD},
                  {"differential", (int)o->newton.differential, DFL_DIFFERENTIAL_QR},
                  {"norm", (int)o->error.norm, DFL_NORM_BODY},
                  {"reference", (int)o->newton.reference, DFL_REFERENCE_STAGE3},
                  {"prediction", (int)o->newton.prediction, DFL_CONSTANT},
                  {"control", (int)o->step.control, DFL_CONTROL_CLASSICAL}};
    for (size_t i = 0; i < sizeof choice / sizeof *choice; i++)
        if (choice[i].value < 0 || choice[i].value > choice[i].last)
            return dfl_fail(ctx, DFL_INVALID, "%s has no value %d", choice[i].name,
                            choice[i].value);
    dfl_status status = dfl_combination_check(ctx, o->form, o->integrator);
    if (status)
        return status;
    status = check_order(o, ctx);
    if (!status)
        status = dfl_form_check(ctx, o, eom);
    if (status)
        return status;
    if (o->constraints.selectors == DFL_USER && !o->constraints.select)
        return dfl_fail(ctx, DFL_INVALID, "selectors = DFL_USER needs the callback `select`");
    if (o->error.norm == DFL_NORM_BODY && (!eom->structure || eom->structure->nbodies == 0))
        return dfl_fail(ctx, DFL_INVALID, "the norm by bodies needs eom.structure->bodies");
    if (o->newton.prediction == DFL_CONSTANT && o->newton.reference != DFL_REFERENCE_START)
        return dfl_fail(ctx, DFL_INVALID,
                        "a predicted reference point needs extrapolated starting values");
    if (o->step.fixed > 0 && o->step.max > 0 && o->step.max < o->step.fixed)
        return dfl_fail(ctx, DFL_INVALID, "fixed_step is %g but max_step only %g", o->step.fixed,
                        o->step.max);
    if (o->step.accept_unconverged && o->step.fixed == 0)
        return dfl_fail(ctx, DFL_INVALID,
                        "accept_unconverged belongs to steps of a fixed size; give fixed_step too");
    if (o->events.count > 0 && !o->events.eval)
        return dfl_fail(ctx, DFL_INVALID, "events.count is %d but events.eval is NULL",
                        o->events.count);
    if (o->switches.count > 0 && !(o->switches.eval && o->switches.settle && o->switches.flip))
        return dfl_fail(ctx, DFL_INVALID,
                        "switches.count is %d: switches need eval, settle and flip",
                        o->switches.count);
    if (o->pulses.count > 0 && !(o->pulses.eval && o->pulses.enclose))
        return dfl_fail(ctx, DFL_INVALID, "pulses.count is %d: pulses need eval and enclose",
                        o->pulses.count);
    return DFL_OK;
}

static dfl_status check_tolerances(const dfl_solver_options *o, dfl_context *ctx, int n, int nc)
{
    const double *apart = o->constraints.redundant_each;
    for (int i = 0; apart && i < nc; i++)
        if (!(apart[i] >= 0 && apart[i] <= 0.1))
            return dfl_fail(ctx, DFL_INVALID,
                            "redundant_each[%d] is %g; choose it between 0 and 0.1", i, apart[i]);
    for (int i = 0; i < n; i++) {
        if (o->error.rtol_each &&
            !(o->error.rtol_each[i] >= least_rtol && o->error.rtol_each[i] < 1))
            return dfl_fail(ctx, DFL_INVALID, "rtol_each[%d] is %g; choose it between %g and 1", i,
                            o->error.rtol_each[i], least_rtol);
        if (o->error.atol_each && !(o->error.atol_each[i] > 0 && o->error.atol_each[i] <= DBL_MAX))
            return dfl_fail(ctx, DFL_INVALID, "atol_each[%d] is %g; it must be positive", i,
                            o->error.atol_each[i]);
    }
    return DFL_OK;
}

dfl_status dfl_solver_check_reach(const dfl_solver *solver, double t, double t_end)
{
    const dfl_solver_options *o = &solver->options;
    const double latest = fmax(fabs(t), fabs(t_end)), most_rows = 1e9;
    const struct {
        const char *name;
        double value;
    } step[] = {{"max_step", o->step.max},
                {"fixed_step", o->step.fixed},
                {"every", o->output.on_output ? o->output.every : 0}};
    for (size_t i = 0; i < sizeof step / sizeof *step; i++)
        if (step[i].value > 0 && step[i].value < fabs(t_end - t) &&
            step[i].value <= 10 * o->error.rounding * latest)
            return dfl_fail(solver->ctx, DFL_INVALID,
                            "%s is %g: too small to change the time %.10g; choose a larger value",
                            step[i].name, step[i].value, latest);
    const double rows = o->output.every > 0 ? fabs(t_end - t) / o->output.every : 0;
    if (o->output.on_output && rows > most_rows)
        return dfl_fail(solver->ctx, DFL_INVALID,
                        "every is %g, which gives %.2g rows from %.10g to %.10g; choose a larger "
                        "value (1e9 rows at most)",
                        o->output.every, rows, t, t_end);
    return DFL_OK;
}
