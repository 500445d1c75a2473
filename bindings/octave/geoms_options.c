/* geoms_options.c: the struct `options`: fields as in dfl_solver_options and dfl_conditions. */
#include "geoms_mex.h"

#include <math.h>

static dfl_status read_tolerance(const double **each, double *one, geoms_run *run,
                                 const mxArray *given, const char *name);
static dfl_status read_conditions(geoms_run *run);
static dfl_status read_independent(geoms_run *run);
static dfl_status read_flags(bool *out, geoms_run *run, const mxArray *given, const char *name);
static dfl_status read_numbers(bool *out, const geoms_run *run, const double *values, int count,
                               const char *name);
static dfl_status read_weight(geoms_run *run);
static dfl_status check_pairs(const geoms_run *run);

#define AT(field) offsetof(geoms_run, field)
static const char *const forms[] = {
    "psf",       "psi1",     "eom",    "eom2",   "eom1",       "uode",    "ggl",
    "baumgarte", "odae",     "ext316", "ext317", "pinv",       "tangent", "partition",
    "explicit",  "implicit", "qr",     "svd",    "separation", "ssf",     NULL};
_Static_assert(sizeof forms / sizeof *forms == DFL_FORMS + 1, "one name for each form");
static const char *const integrators[] = {
    "radau",         "bdf",           "trapezoidal",   "midpoint",
    "half-explicit", "explicit-pair", "extrapolation", NULL};
_Static_assert(sizeof integrators / sizeof *integrators == DFL_INTEGRATORS + 1,
               "one name for each integrator");
static const char *const selectors[] = {"orthogonal", "unit", "user", NULL};
static const char *const renewals[] = {"default", "on_change", "always", "never", NULL};
static const char *const algebraic[] = {"auto", "lu", "qr", "svd", NULL};
static const char *const differential[] = {"lu", "qr", NULL};
static const char *const norms[] = {"rms", "body", NULL};
static const char *const references[] = {"default", "start", "stage1", "stage2", "stage3", NULL};
static const char *const predictions[] = {"extrapolate", "constant", NULL};
static const char *const controls[] = {"predictive", "classical", NULL};
static const char *const starts[] = {"default", "project", "as_given", "check", "conditions", NULL};

static const gateway_field fields[] = {
    {"rtol", GATEWAY_VALUE, AT(given.rtol), NULL},
    {"atol", GATEWAY_VALUE, AT(given.atol), NULL},
    {"order", GATEWAY_COUNT, AT(options.order), NULL},
    {"form", GATEWAY_CHOICE, AT(options.form), forms},
    {"integrator", GATEWAY_CHOICE, AT(options.integrator), integrators},
    {"baumgarte_alpha", GATEWAY_NUMBER, AT(options.baumgarte.alpha), NULL},
    {"baumgarte_beta", GATEWAY_NUMBER, AT(options.baumgarte.beta), NULL},
    {"lagged", GATEWAY_FLAG, AT(options.constraints.lagged), NULL},
    {"independent", GATEWAY_VALUE, AT(given.independent), NULL},
    {"selectors", GATEWAY_CHOICE, AT(options.constraints.selectors), selectors},
    {"renewal", GATEWAY_CHOICE, AT(options.constraints.renewal), renewals},
    {"select", GATEWAY_FUNCTION, AT(given.select), NULL},
    {"algebraic", GATEWAY_CHOICE, AT(options.constraints.algebraic), algebraic},
    {"differential", GATEWAY_CHOICE, AT(options.newton.differential), differential},
    {"carry_accelerations", GATEWAY_FLAG, AT(options.newton.carry_accelerations), NULL},
    {"rigid_invariants", GATEWAY_FLAG, AT(options.constraints.rigid_invariants), NULL},
    {"norm", GATEWAY_CHOICE, AT(options.error.norm), norms},
    {"rounding", GATEWAY_NUMBER, AT(options.error.rounding), NULL},
    {"rank_tolerance", GATEWAY_NUMBER, AT(options.constraints.rank_tolerance), NULL},
    {"redundant", GATEWAY_NUMBER, AT(options.constraints.redundant), NULL},
    {"reference", GATEWAY_CHOICE, AT(options.newton.reference), references},
    {"prediction", GATEWAY_CHOICE, AT(options.newton.prediction), predictions},
    {"control", GATEWAY_CHOICE, AT(options.step.control), controls},
    {"newton_iterations", GATEWAY_COUNT, AT(options.newton.iterations), NULL},
    {"newton_updates", GATEWAY_COUNT, AT(options.newton.updates), NULL},
    {"newton_tolerance", GATEWAY_NUMBER, AT(options.newton.tolerance), NULL},
    {"multiplier_weight", GATEWAY_NUMBER, AT(options.newton.multiplier_weight), NULL},
    {"jacobian_reuse", GATEWAY_NUMBER, AT(options.newton.reuse), NULL},
    {"first_step", GATEWAY_NUMBER, AT(options.step.first), NULL},
    {"max_step", GATEWAY_NUMBER, AT(options.step.max), NULL},
    {"fixed_step", GATEWAY_NUMBER, AT(options.step.fixed), NULL},
    {"accept_unconverged", GATEWAY_FLAG, AT(options.step.accept_unconverged), NULL},
    {"max_steps", GATEWAY_LONG, AT(options.step.max_attempts), NULL},
    {"safety", GATEWAY_NUMBER, AT(options.step.safety), NULL},
    {"min_factor", GATEWAY_NUMBER, AT(options.step.min_factor), NULL},
    {"max_factor", GATEWAY_NUMBER, AT(options.step.max_factor), NULL},
    {"keep_low", GATEWAY_NUMBER, AT(options.step.keep_low), NULL},
    {"keep_high", GATEWAY_NUMBER, AT(options.step.keep_high), NULL},
    {"self_check", GATEWAY_FLAG, AT(options.self_check), NULL},
    {"every", GATEWAY_NUMBER, AT(options.output.every), NULL},
    {"project_output", GATEWAY_FLAG, AT(options.output.project), NULL},
    {"on_step", GATEWAY_FUNCTION, AT(given.on_step), NULL},
    {"on_output", GATEWAY_FUNCTION, AT(given.on_output), NULL},
    {"event", GATEWAY_FUNCTION, AT(given.event), NULL},
    {"event_kinds", GATEWAY_VALUE, AT(given.event_kinds), NULL},
    {"on_event", GATEWAY_FUNCTION, AT(given.on_event), NULL},
    {"log", GATEWAY_FUNCTION, AT(given.log), NULL},
    {"start", GATEWAY_CHOICE, AT(start), starts},
    {"unique", GATEWAY_FLAG, AT(conditions.unique), NULL},
    {"held", GATEWAY_VALUE, AT(given.held), NULL},
    {"weight", GATEWAY_VALUE, AT(given.weight), NULL},
    {"condition", GATEWAY_FUNCTION, AT(given.condition), NULL},
    {"keep_partial", GATEWAY_FLAG, AT(keep_partial), NULL}};

dfl_status geoms_read_options(geoms_run *run, const mxArray *options)
{
    dfl_solver_options *o = &run->options;
    dfl_context *ctx = run->gw.ctx;
    dfl_status status = DFL_OK;
    if (!mxIsEmpty(options) || mxIsStruct(options))
        status = gateway_read(run, ctx, options, "options", fields,
                              (int)(sizeof fields / sizeof *fields));
    if (!status)
        status = read_tolerance(&o->error.rtol_each, &o->rtol, run, run->given.rtol, "rtol");
    if (!status)
        status = read_tolerance(&o->error.atol_each, &o->atol, run, run->given.atol, "atol");
    if (!status && run->given.independent)
        status = read_independent(run);
    if (!status)
        status = read_conditions(run);
    return status ? status : check_pairs(run);
}

static dfl_status read_independent(geoms_run *run)
{
    run->independent = dfl_alloc(run->gw.ctx, (size_t)run->n, sizeof *run->independent);
    if (!run->independent)
        return DFL_NO_MEMORY;
    run->options.constraints.independent = run->independent;
    return read_flags(run->independent, run, run->given.independent, "independent");
}

/* One number for all unknowns, or one for each. */
static dfl_status read_tolerance(const double **each, double *one, geoms_run *run,
                                 const mxArray *given, const char *name)
{
    char why[GATEWAY_WHY];
    if (!given)
        return DFL_OK;
    const int count = mxGetNumberOfElements(given) == 1 ? 1 : run->n;
    double *values = dfl_alloc(run->gw.ctx, (size_t)count, sizeof *values);
    if (!values)
        return DFL_NO_MEMORY;
    if (!gateway_copy(values, why, given, count, 1))
        return dfl_fail(run->gw.ctx, DFL_INVALID, "options.%s %s, or one number", name, why);
    for (int i = 0; i < count; i++)
        if (!(values[i] > 0))
            return dfl_fail(run->gw.ctx, DFL_INVALID,
                            "options.%s(%d) is %g; choose it above 0, such as 1e-6", name, i + 1,
                            values[i]);
    if (count == 1)
        *one = values[0];
    else
        *each = values;
    return DFL_OK;
}

/* Conditions are solved where they are given; otherwise the start is projected. */
static dfl_status read_conditions(geoms_run *run)
{
    dfl_conditions *conditions = &run->conditions;
    conditions->mode = run->start > 0         ? (dfl_start_mode)(run->start - 1)
                       : run->given.condition ? DFL_START_CONDITIONS
                                              : DFL_START_PROJECT;
    run->held = dfl_alloc(run->gw.ctx, (size_t)run->n, sizeof *run->held);
    if (!run->held)
        return DFL_NO_MEMORY;
    conditions->held = run->held;
    dfl_status status =
        run->given.held ? read_flags(run->held, run, run->given.held, "held") : DFL_OK;
    if (!status && run->given.weight)
        status = read_weight(run);
    return status;
}

/* n flags, or the numbers of what is meant, of the option `name`. */
static dfl_status read_flags(bool *out, geoms_run *run, const mxArray *given, const char *name)
{
    const int count = (int)mxGetNumberOfElements(given);
    char why[GATEWAY_WHY];
    double *values = dfl_alloc(run->gw.ctx, (size_t)count, sizeof *values);
    if (!values)
        return DFL_NO_MEMORY;
    if (!gateway_copy(values, why, given, count, 1))
        return dfl_fail(run->gw.ctx, DFL_INVALID, "options.%s %s", name, why);
    const bool flags = mxIsLogical(given) && count == run->n;
    dfl_status status = DFL_OK;
    for (int i = 0; flags && i < count; i++)
        out[i] = values[i] != 0;
    if (!flags)
        status = read_numbers(out, run, mxIsLogical(given) ? NULL : values, count, name);
    dfl_free(run->gw.ctx, values);
    return status;
}

static dfl_status read_numbers(bool *out, const geoms_run *run, const double *values, int count,
                               const char *name)
{
    for (int i = 0; i < count; i++) {
        if (!values || !(values[i] >= 1 && values[i] <= run->n && values[i] == floor(values[i])))
            return dfl_fail(run->gw.ctx, DFL_INVALID,
                            "options.%s must be numbers from 1 to %d, or %d logical values", name,
                            run->n, run->n);
        out[(int)values[i] - 1] = true;
    }
    return DFL_OK;
}

static dfl_status read_weight(geoms_run *run)
{
    char why[GATEWAY_WHY];
    double *weight = dfl_alloc(run->gw.ctx, (size_t)run->n, sizeof *weight);
    if (!weight)
        return DFL_NO_MEMORY;
    if (!gateway_copy(weight, why, run->given.weight, run->n, 1))
        return dfl_fail(run->gw.ctx, DFL_INVALID, "options.weight %s", why);
    for (int i = 0; i < run->n; i++)
        if (!(weight[i] > 0 && isfinite(weight[i])))
            return dfl_fail(run->gw.ctx, DFL_INVALID,
                            "options.weight(%d) is %g; it must be positive", i + 1, weight[i]);
    run->conditions.weight = weight;
    return DFL_OK;
}

/* Options that do nothing without another one are mistakes. */
static dfl_status check_pairs(const geoms_run *run)
{
    const geoms_given *given = &run->given;
    const struct {
        bool wrong;
        const char *message;
    } pair[] = {{given->event_kinds && !given->event, "options.event_kinds needs options.event"},
                {given->on_event && !given->event, "options.on_event needs options.event"},
                {run->options.output.every != 0 && !given->on_output,
                 "options.every is the distance of calls of options.on_output, which is missing; "
                 "for rows at "
                 "given times name them in tspan"},
                {given->select && run->options.constraints.selectors != DFL_USER,
                 "options.select needs options.selectors = 'user'"},
                {given->condition && run->conditions.mode != DFL_START_CONDITIONS,
                 "options.condition needs options.start = 'conditions'"},
                {!given->condition && run->conditions.mode == DFL_START_CONDITIONS,
                 "options.start = 'conditions' needs options.condition"},
                {given->held && run->conditions.mode != DFL_START_PROJECT,
                 "options.held needs options.start = 'project'"}};
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++)
        if (pair[i].wrong)
            return dfl_fail(run->gw.ctx, DFL_INVALID, "%s", pair[i].message);
    return DFL_OK;
}
