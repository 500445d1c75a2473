/* Defaults and ranges of the solver's options: zero means the default. */
#include "solver/options.h"

#include <float.h>
#include <math.h>

static void fill_defaults(dfl_solver_options *o, const dfl_eom *eom);
static dfl_status check_numbers(const dfl_solver_options *o, dfl_context *ctx);
static dfl_status check_choices(const dfl_solver_options *o, dfl_context *ctx, const dfl_eom *eom);
static dfl_status check_order(const dfl_solver_options *o, dfl_context *ctx);
static dfl_status check_tolerances(const dfl_solver_options *o, dfl_context *ctx, int n);

dfl_status dfl_options_resolve(dfl_solver_options *out, dfl_context *ctx, const dfl_eom *eom,
                               const dfl_solver_options *in)
{
    *out = in ? *in : (dfl_solver_options){0};
    fill_defaults(out, eom);
    dfl_status status = check_numbers(out, ctx);
    if (!status)
        status = check_choices(out, ctx, eom);
    if (!status)
        status = check_tolerances(out, ctx, dfl_eom_unknowns(eom));
    return status;
}

static void set(double *value, double fallback)
{
    if (*value == 0)
        *value = fallback;
}

/* A rate of which negative means none. */
static double damping(double value, double fallback)
{
    return value == 0 ? fallback : value < 0 ? 0 : value;
}

static void fill_defaults(dfl_solver_options *o, const dfl_eom *eom)
{
    set(&o->rtol, 1e-6);
    set(&o->atol, o->rtol);
    set(&o->multiplier_weight, 1);
    set(&o->rounding, DBL_EPSILON);
    set(&o->safety, 0.9);
    set(&o->min_factor, 0.2);
    set(&o->max_factor, 8);
    set(&o->keep_low, 1);
    set(&o->keep_high, 1.2);
    /* natively W is exact, and with p' = v also the derivative of g */
    const bool exact = eom->jacobian || (eom->contract == DFL_NATIVE && eom->trivial_kinematics &&
                                         eom->ns == 0 && eom->nep == 0);
    set(&o->rank_tolerance, exact ? 1e-10 : 1e-6);
    if (o->newton_iterations == 0)
        o->newton_iterations = 10;
    if (o->newton_updates == 0)
        o->newton_updates = o->fixed_step > 0 ? 0 : 1; /* a fixed step takes its time */
    else if (o->newton_updates < 0)
        o->newton_updates = 0;
    if (o->max_steps == 0)
        o->max_steps = 10000000;
    if (o->form == DFL_TANGENT || o->form == DFL_PARTITION)
        o->selectors = o->form == DFL_TANGENT ? DFL_ORTHOGONAL : DFL_UNIT;
    if (o->renewal == DFL_RENEW_DEFAULT)
        o->renewal = o->selectors == DFL_UNIT || o->form == DFL_TANGENT ? DFL_RENEW_ON_CHANGE
                                                                        : DFL_RENEW_ALWAYS;
    if (o->form == DFL_EXT316) /* often singular: QR shows it */
        o->differential = DFL_DIFFERENTIAL_QR;
    o->baumgarte_alpha = damping(o->baumgarte_alpha, 10);
    o->baumgarte_beta = damping(o->baumgarte_beta, o->baumgarte_alpha);
    if (o->reference == DFL_REFERENCE_DEFAULT)
        o->reference = o->prediction == DFL_CONSTANT ? DFL_REFERENCE_START : DFL_REFERENCE_STAGE2;
    const double reuse = o->integrator == DFL_RADAU ? 0.03 : 0.1;
    set(&o->jacobian_reuse, o->reference == DFL_REFERENCE_START ? 1e-3 : reuse);
}

static dfl_status check_numbers(const dfl_solver_options *o, dfl_context *ctx)
{
    const struct {
        const char *name;
        double value, low, high;
    } range[] = {{"rtol", o->rtol, 10 * DBL_EPSILON, 1},
                 {"atol", o->atol, DBL_MIN, DBL_MAX},
                 {"multiplier_weight", o->multiplier_weight, 0, 1},
                 {"newton_tolerance", o->newton_tolerance, 0, 1},
                 {"jacobian_reuse", o->jacobian_reuse, -1, 1},
                 {"safety", o->safety, 0.01, 1},
                 {"min_factor", o->min_factor, 0.01, 0.9},
                 {"max_factor", o->max_factor, 1, 100},
                 {"keep_low", o->keep_low, 0, 1},
                 {"keep_high", o->keep_high, 1, 100},
                 {"rank_tolerance", o->rank_tolerance, DBL_EPSILON, 0.1},
                 {"rounding", o->rounding, 1e-16, 1e-2},
                 {"baumgarte_alpha", o->baumgarte_alpha, 0, 1e12},
                 {"baumgarte_beta", o->baumgarte_beta, 0, 1e12},
                 {"max_step", o->max_step, 0, DBL_MAX},
                 {"fixed_step", o->fixed_step, 0, DBL_MAX},
                 {"every", o->every, 0, DBL_MAX},
                 {"newton_iterations", o->newton_iterations, 1, 100},
                 {"newton_updates", o->newton_updates, 0, 10},
                 {"max_steps", (double)o->max_steps, 1, 1e18},
                 {"nevents", o->nevents, 0, 10000}};
    for (size_t i = 0; i < sizeof range / sizeof *range; i++)
        if (!(range[i].value >= range[i].low && range[i].value <= range[i].high))
            return dfl_fail(ctx, DFL_INVALID, "%s is %g; choose it between %g and %g",
                            range[i].name, range[i].value, range[i].low, range[i].high);
    if (!isfinite(o->first_step))
        return dfl_fail(ctx, DFL_INVALID, "first_step is %g", o->first_step);
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
    if (o->integrator != DFL_BDF && o->integrator != DFL_RADAU && order != 0)
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
                  {"selectors", (int)o->selectors, DFL_USER},
                  {"renewal", (int)o->renewal, DFL_RENEW_ALWAYS},
                  {"algebraic", (int)o->algebraic, DFL_ALGEBRAIC_SVD},
                  {"differential", (int)o->differential, DFL_DIFFERENTIAL_QR},
                  {"norm", (int)o->norm, DFL_NORM_BODY},
                  {"reference", (int)o->reference, DFL_REFERENCE_STAGE3},
                  {"prediction", (int)o->prediction, DFL_CONSTANT},
                  {"control", (int)o->control, DFL_CONTROL_CLASSICAL}};
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
    if (o->selectors == DFL_USER && !o->select)
        return dfl_fail(ctx, DFL_INVALID, "selectors = DFL_USER needs the callback `select`");
    if (o->norm == DFL_NORM_BODY && (!eom->structure || eom->structure->nbodies == 0))
        return dfl_fail(ctx, DFL_INVALID, "the norm by bodies needs eom.structure->bodies");
    if (o->prediction == DFL_CONSTANT && o->reference != DFL_REFERENCE_START)
        return dfl_fail(ctx, DFL_INVALID,
                        "a predicted reference point needs extrapolated starting values");
    if (o->fixed_step > 0 && o->max_step > 0 && o->max_step < o->fixed_step)
        return dfl_fail(ctx, DFL_INVALID, "fixed_step is %g but max_step only %g", o->fixed_step,
                        o->max_step);
    if (o->nevents > 0 && !o->event)
        return dfl_fail(ctx, DFL_INVALID, "nevents is %d but `event` is NULL", o->nevents);
    return DFL_OK;
}

static dfl_status check_tolerances(const dfl_solver_options *o, dfl_context *ctx, int n)
{
    for (int i = 0; i < n; i++) {
        if (o->rtol_each && !(o->rtol_each[i] >= 10 * DBL_EPSILON && o->rtol_each[i] < 1))
            return dfl_fail(ctx, DFL_INVALID, "rtol_each[%d] is %g; choose it between %g and 1", i,
                            o->rtol_each[i], 10 * DBL_EPSILON);
        if (o->atol_each && !(o->atol_each[i] > 0 && o->atol_each[i] <= DBL_MAX))
            return dfl_fail(ctx, DFL_INVALID, "atol_each[%d] is %g; it must be positive", i,
                            o->atol_each[i]);
    }
    return DFL_OK;
}
